"""Marks and ranges by the Python module, for marked.py to look at under the profiler."""
import roctx

assert roctx.version_info["version"] and roctx.getThreadId() > 0
roctx.mark("a mark")
roctx.mark(None)
assert roctx.rangePush("outer") == 0 and roctx.rangePush("inner") == 1
assert roctx.rangePush(None) is None
assert roctx.rangePop() == 1 and roctx.rangePop() == 0
started = roctx.rangeStart("across")
assert roctx.rangeStart(None) is None and started != 0
roctx.rangeStop(started)
roctx.nameOsThread("worker")


@roctx.context_decorators.RoctxRange("decorated")
def with_message(value):
    return value + 1


@roctx.context_decorators.RoctxRange()
def by_its_name():
    """Kept."""


assert with_message(1) == 2 and by_its_name.__doc__ == "Kept."
by_its_name()
with roctx.context_decorators.RoctxRange("block"):
    pass
with roctx.context_decorators.RoctxRange() as nothing:
    assert isinstance(nothing, roctx.context_decorators.RoctxRange)
try:
    with roctx.context_decorators.RoctxRange("fails"):
        raise ValueError("on purpose")
except ValueError:
    roctx.mark("went on")
with roctx.context_decorators.RoctxProfiler():
    pass
assert roctx.profilerPause(0) == 0 and roctx.profilerResume() == 0
print("marked")
