"""Agents, counters and ways of sampling, through librocprofv3-list-avail.

loadLibrary.libname may name another library before the first call; without it the one of this installation
is taken. loadLibrary.gpu is "auto", "soft" or "real", as rocprofv3's --gpu: where there is no /dev/kfd, auto
asks a process of its own that runs on the software GPU, since what is preloaded cannot come into this one.
"""
import ctypes
import json
import os
import subprocess
import sys
import threading

METHODS = {1: "stochastic", 2: "host_trap"}
UNITS = {1: "instructions", 2: "cycle", 3: "time"}
GPU = 2  # type of an agent


class loadLibrary:
    """The library: its path, on which GPU it is to be, and the opened one."""
    libname = None
    gpu = "auto"
    c_lib = None


_HANDLE, _COUNT, _BOOL = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_bool
_TEXT, _NUMBERS, _FLAG = (ctypes.POINTER(kind) for kind in (ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint8))
_FUNCTIONS = {  # the result, then the arguments
    "get_number_of_agents": (_COUNT,), "agent_handles": (None, _NUMBERS, _COUNT),
    "agent_info": (None, _HANDLE, _TEXT), "get_number_of_agent_counters": (_COUNT, _HANDLE),
    "agent_counter_handles": (None, _NUMBERS, _HANDLE, _COUNT),
    "counter_info": (None, _HANDLE, _TEXT, _TEXT, _FLAG, _FLAG), "counter_block": (None, _HANDLE, _TEXT),
    "counter_expression": (None, _HANDLE, _TEXT), "get_number_of_dimensions": (_COUNT, _HANDLE),
    "counter_dimension_ids": (None, _HANDLE, _NUMBERS, _COUNT),
    "counter_dimension": (None, _HANDLE, _HANDLE, _TEXT, _NUMBERS),
    "get_number_of_pc_sample_configs": (_COUNT, _HANDLE),
    "pc_sample_config": (None, _HANDLE, _HANDLE, *[_NUMBERS] * 5),
    "is_counter_set": (_BOOL, _NUMBERS, _HANDLE, _COUNT)}


def _in_installation(*paths):
    """The first of these files that a folder above this module has, or None."""
    directory = os.path.dirname(os.path.realpath(__file__))
    while directory != os.path.dirname(directory):
        directory = os.path.dirname(directory)
        for path in paths:
            if os.path.exists(os.path.join(directory, path)):
                return os.path.join(directory, path)
    return None


def _library_name():
    """The library that was named, that of the installation this module belongs to, or the loader's choice."""
    name = "librocprofv3-list-avail.so.1"
    return loadLibrary.libname or _in_installation("lib/rocprofiler-sdk/" + name, "rocprofiler-sdk/" + name) or name


def _opened(name):
    """The library in this process."""
    library = ctypes.CDLL(name)
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class _Elsewhere:
    """The library in a process on the software GPU, with the same functions. What a pointer leads to is sent
    there and back; texts live as long as this object."""

    def __init__(self, softgpu, name):
        # pylint: disable-next=consider-using-with
        self._process = subprocess.Popen([softgpu, "--", sys.executable, os.path.realpath(__file__), name],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.owner = os.getpid()  # a child made by fork shares the pipes and has to get its own
        self._lock = threading.Lock()
        self._texts = {}

    def __getattr__(self, name):
        if name not in _FUNCTIONS:
            raise AttributeError(name)
        return lambda *arguments: self._call(name, arguments)

    def _call(self, name, arguments):
        result, *kinds = _FUNCTIONS[name]
        objects = [getattr(argument, "_obj", argument) for argument in arguments]
        sent = [None if kind is _TEXT or one is None else
                bytes(one).hex() if kind in (_NUMBERS, _FLAG) else getattr(one, "value", one)
                for kind, one in zip(kinds, objects)]
        with self._lock:
            print(json.dumps([name, sent]), file=self._process.stdin, flush=True)
            answer = self._process.stdout.readline()
        if not answer:
            fatal_error("the process on the software GPU that knows the counters has ended")
        value, received = json.loads(answer)
        for kind, one, back in zip(kinds, objects, received):
            if back is None or one is None:
                continue
            if kind is _TEXT:
                one.value = self._texts.setdefault(back, back.encode())
            elif kind in (_NUMBERS, _FLAG):
                ctypes.memmove(ctypes.addressof(one), bytes.fromhex(back), ctypes.sizeof(one))
        return bool(value) if result is _BOOL else value


def _serve(name):
    """The other end of _Elsewhere: answers calls until the input ends."""
    library = _opened(name)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    for line in sys.stdin:
        name, sent = json.loads(line)
        buffers = []
        for kind, one in zip(_FUNCTIONS[name][1:], sent):
            if kind is _TEXT:
                buffers.append(ctypes.c_char_p())
            elif kind in (_NUMBERS, _FLAG):
                buffers.append(None if one is None else ctypes.create_string_buffer(bytes.fromhex(one), len(one) // 2))
            else:
                buffers.append(one)
        value = getattr(library, name)(*[
            one if kind in (_HANDLE, _COUNT) or one is None else ctypes.cast(ctypes.byref(one), kind)
            for kind, one in zip(_FUNCTIONS[name][1:], buffers)])
        back = [(one.value.decode("utf-8", "replace") if one.value is not None else None) if kind is _TEXT else
                one.raw.hex() if kind in (_NUMBERS, _FLAG) and one is not None else None
                for kind, one in zip(_FUNCTIONS[name][1:], buffers)]
        print(json.dumps([value, back]), file=answers, flush=True)


def _software_gpu():
    """The program that brings the software GPU, where that GPU is meant and this process does not run on it."""
    if loadLibrary.gpu == "real" or "libsoftgpu-preload.so" in os.environ.get("LD_PRELOAD", ""):
        return None
    if loadLibrary.gpu == "auto" and os.path.exists("/dev/kfd"):
        return None
    softgpu = _in_installation("bin/softgpu")
    if loadLibrary.gpu == "soft" and not softgpu:
        fatal_error("the installation of this module has no bin/softgpu")
    if softgpu and loadLibrary.gpu == "auto":
        sys.stderr.write("rocprofv3.avail: no /dev/kfd: using the software GPU (not with loadLibrary.gpu = \"real\")\n")
    return softgpu


def get_library():
    """The opened library."""
    known = loadLibrary.c_lib
    if known is None or getattr(known, "owner", os.getpid()) != os.getpid():
        softgpu = _software_gpu()
        name = _library_name()
        loadLibrary.c_lib = _Elsewhere(softgpu, name) if softgpu else _opened(name)
    return loadLibrary.c_lib


def get_string_value(str_ptr):
    """The text of a c_char_p."""
    return str_ptr.value.decode("utf-8", "replace") if str_ptr.value else ""


def fatal_error(msg, exit_code=1):
    """Ends the program with a message."""
    sys.stderr.write(f"Fatal error: {msg}\n")
    sys.stderr.flush()
    sys.exit(exit_code)


def _text(function, *arguments):
    pointer = ctypes.c_char_p()
    getattr(get_library(), function)(*arguments, ctypes.byref(pointer))
    return get_string_value(pointer)


class dimension:
    """One dimension of a counter."""
    columns = ["Dimension_Id", "Dimension_Name", "Dimension_Instances"]

    def __init__(self, dimension_id, dimension_name, dimension_instances):
        self.id = dimension_id
        self.name = dimension_name
        self.instances = dimension_instances

    def __str__(self):
        return f"{self.name}[0:{self.instances - 1}]"

    def get_as_dict(self):
        return dict(zip(self.columns, (self.id, self.name, self.instances)))


class counter:
    """A counter, of which derived_counter and basic_counter know more."""
    columns = ["Counter_Name", "Description"]

    def __init__(self, counter_handle, counter_name, counter_description, counter_dimensions, is_hw_constant):
        self.name = counter_name
        self.counter_handle = counter_handle
        self.description = counter_description
        self.dimensions = counter_dimensions
        self.is_hw_constant = is_hw_constant

    def _values(self):
        return self.name, self.description

    def get_as_dict(self):
        return dict(zip(self.columns, self._values()))

    def __str__(self):
        return build_counter_string(self)


class derived_counter(counter):
    """A counter that is computed from others."""
    columns = ["Counter_Name", "Description", "Expression"]

    def __init__(self, counter_handle, counter_name, counter_description, counter_expression, counter_dimensions,
                 is_hw_constant):
        super().__init__(counter_handle, counter_name, counter_description, counter_dimensions, is_hw_constant)
        self.expression = counter_expression

    def _values(self):
        return self.name, self.description, self.expression


class basic_counter(counter):
    """A counter of a hardware block."""
    columns = ["Counter_Name", "Description", "Block"]

    def __init__(self, counter_handle, counter_name, counter_description, counter_block, counter_dimensions,
                 is_hw_constant):
        super().__init__(counter_handle, counter_name, counter_description, counter_dimensions, is_hw_constant)
        self.block = counter_block

    def _values(self):
        return self.name, self.description, self.block


class pc_config:
    """A way of sampling program counters; the numbers are ctypes' as the library gave them."""
    columns = ["Method", "Unit", "Min_Interval", "Max_Interval", "Flags"]

    def __init__(self, config_method, config_unit, min_interval, max_interval, flags):
        self.method = METHODS.get(config_method.value, "none")
        self.unit = UNITS.get(config_unit.value, "none")
        self.min_interval = min_interval
        self.max_interval = max_interval
        self.flags = flags

    def get_as_dict(self):
        flags = "interval pow2" if self.flags.value == 1 else "none"
        return dict(zip(self.columns, (self.method, self.unit, self.min_interval.value, self.max_interval.value,
                                       flags)))

    def __str__(self):
        return "".join(f"{key:20}:\t{value}\n" for key, value in self.get_as_dict().items())


def build_counter_string(obj):
    """What is known of a counter, one line each."""
    lines = [f"{key:20}:\t{value}" for key, value in obj.get_as_dict().items()]
    lines.append(f"{'Dimensions':20}:\t" + " ".join(str(one) for one in obj.dimensions))
    return "\n".join(lines) + "\n"


def get_number_agents():
    return get_library().get_number_of_agents()


def get_agent_handles():
    count = get_number_agents()
    handles = (ctypes.c_uint64 * count)()
    get_library().agent_handles(handles, count)
    return list(handles)


def get_agent_info(agent_handle):
    return json.loads(_text("agent_info", agent_handle))


def get_agent_info_map():
    return {handle: get_agent_info(handle) for handle in get_agent_handles()}


def get_number_of_agent_counters(agent_handle):
    return get_library().get_number_of_agent_counters(agent_handle)


def get_number_of_counters(agent_handle):
    return get_number_of_agent_counters(agent_handle)


def get_agent_counter_handles(agent_handle):
    count = get_number_of_agent_counters(agent_handle)
    handles = (ctypes.c_uint64 * count)()
    get_library().agent_counter_handles(handles, agent_handle, count)
    return list(handles)


def get_dimensions(counter_handle):
    library = get_library()
    count = library.get_number_of_dimensions(counter_handle)
    ids = (ctypes.c_uint64 * count)()
    library.counter_dimension_ids(counter_handle, ids, count)
    found = []
    for one in ids:
        name, instances = ctypes.c_char_p(), ctypes.c_uint64()
        library.counter_dimension(counter_handle, one, ctypes.byref(name), ctypes.byref(instances))
        found.append(dimension(one, get_string_value(name), instances.value))
    return found


def get_counter_info(counter_handle):
    """A derived_counter, a basic_counter, or for a constant of the hardware a counter."""
    name, description = ctypes.c_char_p(), ctypes.c_char_p()
    derived, constant = ctypes.c_uint8(), ctypes.c_uint8()
    get_library().counter_info(counter_handle, ctypes.byref(name), ctypes.byref(description), ctypes.byref(derived),
                               ctypes.byref(constant))
    known = counter_handle, get_string_value(name), get_string_value(description)
    rest = get_dimensions(counter_handle), constant.value
    if derived.value:
        return derived_counter(*known, _text("counter_expression", counter_handle), *rest)
    if not constant.value:
        return basic_counter(*known, _text("counter_block", counter_handle), *rest)
    return counter(*known, *rest)


def get_counters():
    """The counters of each GPU."""
    return {handle: [get_counter_info(one) for one in get_agent_counter_handles(handle)]
            for handle, info in get_agent_info_map().items() if info["type"] == GPU}


def get_number_of_pc_sample_configs(agent_handle):
    return get_library().get_number_of_pc_sample_configs(agent_handle)


def get_pc_sample_config(agent_handle):
    configs = []
    for index in range(get_number_of_pc_sample_configs(agent_handle)):
        values = [ctypes.c_uint64() for _ in range(5)]
        get_library().pc_sample_config(agent_handle, index, *map(ctypes.byref, values))
        configs.append(pc_config(*values))
    return configs


def get_pc_sample_configs():
    """The ways of sampling of each agent that has some."""
    found = {handle: get_pc_sample_config(handle) for handle in get_agent_handles()}
    return {handle: configs for handle, configs in found.items() if configs}


def check_pmc(agent_counter):
    """Whether the counters of each agent, by handles, can be collected together; ends the program if not."""
    for agent_handle, handles in agent_counter.items():
        array = (ctypes.c_uint64 * len(handles))(*handles)
        if not get_library().is_counter_set(array, agent_handle, len(handles)):
            names = ", ".join(get_counter_info(handle).name for handle in handles)
            fatal_error(f"{names} not collected on agent {get_agent_info(agent_handle)['name']}")
    return True


if __name__ == "__main__":
    _serve(sys.argv[1])
