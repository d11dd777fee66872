"""Agents, counters and ways of sampling, through librocprofv3-list-avail.

loadLibrary.libname may name another library before the first call; without it the one of this installation
is taken. On the software GPU: softgpu -- python3 ...
"""
import ctypes
import json
import os
import sys

METHODS = {1: "stochastic", 2: "host_trap"}
UNITS = {1: "instructions", 2: "cycle", 3: "time"}
GPU = 2  # type of an agent


class loadLibrary:
    """The library: its path, and the opened one."""
    libname = None
    c_lib = None


def _own_library():
    """The library of the installation that this module belongs to; else the loader's choice."""
    directory = os.path.dirname(os.path.realpath(__file__))
    while directory != os.path.dirname(directory):
        directory = os.path.dirname(directory)
        for folder in ("lib/rocprofiler-sdk", "rocprofiler-sdk"):
            path = os.path.join(directory, folder, "librocprofv3-list-avail.so.1")
            if os.path.exists(path):
                return path
    return "librocprofv3-list-avail.so.1"


def get_library():
    """The opened library."""
    if loadLibrary.c_lib is None:
        library = ctypes.CDLL(loadLibrary.libname or _own_library())
        handle, text, count = ctypes.c_uint64, ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t
        numbers, flag = ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_uint8)
        for name, result, *arguments in (
                ("get_number_of_agents", count), ("agent_handles", None, numbers, count),
                ("agent_info", None, handle, text), ("get_number_of_agent_counters", count, handle),
                ("agent_counter_handles", None, numbers, handle, count),
                ("counter_info", None, handle, text, text, flag, flag), ("counter_block", None, handle, text),
                ("counter_expression", None, handle, text), ("get_number_of_dimensions", count, handle),
                ("counter_dimension_ids", None, handle, numbers, count),
                ("counter_dimension", None, handle, handle, text, numbers),
                ("get_number_of_pc_sample_configs", count, handle),
                ("pc_sample_config", None, handle, handle, *[numbers] * 5),
                ("is_counter_set", ctypes.c_bool, numbers, handle, count)):
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
        loadLibrary.c_lib = library
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
