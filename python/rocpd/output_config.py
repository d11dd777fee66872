"""Where outputs go, and how they look: options of a conversion."""
import datetime
import os
import re
import socket
import sys

# attribute, option of the program rocpd, type, default
_OPTIONS = (
    ("output_path", "--output-path", str, "./rocpd-output-data"), ("output_file", "--output-file", str, "out"),
    ("kernel_rename", "--kernel-rename", bool, False), ("agent_index_value", "--agent-index-value", str, "relative"),
    ("group_by_queue", "--group-by-queue", bool, False),
    ("perfetto_backend", "--perfetto-backend", str, "inprocess"),
    ("perfetto_buffer_size", "--perfetto-buffer-size", int, 1048576),
    ("perfetto_shmem_size_hint", "--perfetto-shmem-size-hint", int, 64),
    ("perfetto_buffer_fill_policy", "--perfetto-buffer-fill-policy", str, "discard"),
)
_GENERIC = ("output_path", "output_file", "kernel_rename", "agent_index_value")


def format_path(path, tag=None):
    """The path with %hostname%, %pid%, %ppid%, %cwd%, %tag%, %launch_date%, %launch_time%, %env{NAME}% and
    $ENV{NAME} replaced."""
    now = datetime.datetime.now()
    values = {"hostname": socket.gethostname(), "pid": str(os.getpid()), "ppid": str(os.getppid()),
              "cwd": os.getcwd(), "tag": tag if tag is not None else os.path.basename(sys.executable),
              "launch_date": now.strftime("%Y-%m-%d"), "launch_time": now.strftime("%H:%M:%S")}
    path = re.sub(r"(?:%env\{(\w+)\}%|\$ENV\{(\w+)\})", lambda m: os.environ.get(m[1] or m[2], ""), path)
    return re.sub(r"%(\w+)%", lambda m: values.get(m[1], m[0]), path)


def check_file_exists(filename):
    """The name, if there is such a file. Raises FileNotFoundError."""
    if not os.path.exists(filename):
        raise FileNotFoundError(filename)
    return filename


class output_config:
    """Attributes by their names; update() sets several. Unknown names raise AttributeError."""

    def __init__(self, **kwargs):
        for name, _, _, default in _OPTIONS:
            setattr(self, name, default)
        self.update(**kwargs)

    def update(self, **kwargs):
        known = {name for name, *_ in _OPTIONS}
        for name, value in kwargs.items():
            if name not in known:
                raise AttributeError(f"output_config has no {name}")
            if value is not None:
                setattr(self, name, value)
        return self

    def words(self):
        """As options of the program rocpd."""
        for name, option, kind, default in _OPTIONS:
            value = getattr(self, name)
            if kind is bool:
                yield from [option] if value else []
            elif value != default or name.startswith("output_"):
                yield from (option, format_path(value) if kind is str else str(value))


def _add(parser, names):
    letters = {"output_path": "-d", "output_file": "-o"}
    for name, option, kind, _ in _OPTIONS:
        if name not in names:
            continue
        flags = [letters[name], option] if name in letters else [option]
        if kind is bool:
            parser.add_argument(*flags, action="store_true", default=None)
        else:
            parser.add_argument(*flags, type=kind, default=None)
    return [name for name, *_ in _OPTIONS if name in names]


def _process(args, valid_args):
    return {name: getattr(args, name) for name in valid_args if getattr(args, name, None) is not None}


def add_args(parser):
    """All options; their names."""
    return _add(parser, [name for name, *_ in _OPTIONS])


def add_generic_args(parser):
    """Those of every output."""
    return _add(parser, _GENERIC)


process_args = process_generic_args = _process
