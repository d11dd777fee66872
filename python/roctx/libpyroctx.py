"""The functions of librocprofiler-sdk-roctx under their own names, by ctypes.

The library is that of the installation which this module belongs to, else the loader's choice. Where a
program is profiled it is the one that the profiler follows, since a process has a library once.
"""
import ctypes
import os


def _own_library():
    name = "librocprofiler-sdk-roctx.so.1"
    directory = os.path.dirname(os.path.realpath(__file__))
    while directory != os.path.dirname(directory):
        directory = os.path.dirname(directory)
        for path in (os.path.join(directory, name), os.path.join(directory, "lib", name)):
            if os.path.exists(path):
                return path
    return name


_library = ctypes.CDLL(_own_library())
for _name, _result, *_arguments in (
        ("roctxMarkA", None, ctypes.c_char_p), ("roctxRangePushA", ctypes.c_int, ctypes.c_char_p),
        ("roctxRangePop", ctypes.c_int), ("roctxRangeStartA", ctypes.c_uint64, ctypes.c_char_p),
        ("roctxRangeStop", None, ctypes.c_uint64), ("roctxProfilerPause", ctypes.c_int, ctypes.c_uint64),
        ("roctxProfilerResume", ctypes.c_int, ctypes.c_uint64),
        ("roctxGetThreadId", ctypes.c_int, ctypes.POINTER(ctypes.c_uint64)),
        ("roctxNameOsThread", ctypes.c_int, ctypes.c_char_p),
        ("roctxNameHipDevice", ctypes.c_int, ctypes.c_char_p, ctypes.c_int)):
    getattr(_library, _name).restype = _result
    getattr(_library, _name).argtypes = _arguments


def _bytes(text):
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape")


def roctxMark(message):
    _library.roctxMarkA(_bytes(message))


def roctxRangePush(message):
    return _library.roctxRangePushA(_bytes(message))


def roctxRangePop():
    return _library.roctxRangePop()


def roctxRangeStart(message):
    return _library.roctxRangeStartA(_bytes(message))


def roctxRangeStop(range_id):
    _library.roctxRangeStop(range_id)


def roctxProfilerPause(tid=0):
    return _library.roctxProfilerPause(tid)


def roctxProfilerResume(tid=0):
    return _library.roctxProfilerResume(tid)


def roctxGetThreadId():
    tid = ctypes.c_uint64()
    _library.roctxGetThreadId(ctypes.byref(tid))
    return tid.value


def roctxNameOsThread(name):
    return _library.roctxNameOsThread(_bytes(name))


def roctxNameHipDevice(name, device_id=0):
    return _library.roctxNameHipDevice(_bytes(name), device_id)
