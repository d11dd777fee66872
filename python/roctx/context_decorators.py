"""Ranges and pauses as decorators of functions and in with statements."""
import contextlib
import functools
import sys
import traceback

from . import libpyroctx


class _Around:
    """Calls begin and end around a function or a block; exceptions are shown and go on."""

    def begin(self, name):
        raise NotImplementedError

    def end(self):
        raise NotImplementedError

    @contextlib.contextmanager
    def _around(self, name):
        self.begin(name)
        try:
            yield
        finally:
            self.end()

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with self._around(function.__name__):
                return function(*args, **kwargs)

        return wrapper

    def __enter__(self):
        self.begin(None)
        return self

    def __exit__(self, kind, value, trace):
        self.end()
        if kind is not None:
            traceback.print_exception(kind, value, trace, limit=5, file=sys.stderr)
        return False


class RoctxRange(_Around):
    """A range of the calling thread: named by its message, a function without one by its own name. A with
    statement without a message makes none."""

    def __init__(self, msg=None):
        self.msg = msg
        self._open = []

    def begin(self, name):
        message = self.msg if self.msg is not None else name
        if message is not None:
            libpyroctx.roctxRangePush(message)
        self._open.append(message is not None)

    def end(self):
        if self._open.pop():
            libpyroctx.roctxRangePop()


class RoctxProfiler(_Around):
    """The profiler runs inside, and pauses behind; of one thread, or with 0 of all."""

    def __init__(self, tid=0):
        self.tid = tid

    def begin(self, name):
        libpyroctx.roctxProfilerResume(self.tid)

    def end(self):
        libpyroctx.roctxProfilerPause(self.tid)
