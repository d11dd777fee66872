"""What a program says on standard error, for tests that compare all of it."""
import re

# HSA's own, where it is built with its checks: HIP keeps signals to the end, with or without a profiler.
OF_THE_RUNTIME = re.compile(r"Warning: Resource leak detected by SharedSignalPool[^\n]*\n?")


def own(text):
    """Without what the runtimes say of themselves."""
    return OF_THE_RUNTIME.sub("", text)
