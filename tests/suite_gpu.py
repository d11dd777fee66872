"""The GPU that the suite's HIP programs are compiled for, as scripts/run-tests tells it: what tests expect of it.

PRODUCT is its name on command lines, ARCH its architecture, TARGET the driver's number of that. XCCS: its dies; ENGINES and
CHANNELS: shader engines (those that have one of softgpu's units), and channels of L2, of each; CLOCK: MHz; UNITS: compute units of a
small GPU of that product, which has to have one of each XCC; BELOW_L2: how the names of counters below L2 begin; VECTOR_LINE: bytes
of a line of the vector L1. PROFILE: its file of share/softgpu, as text by name, with what that takes over from another GPU's. Tests
ask here, so that they hold for each GPU of softgpu.
"""
import functools
import os

_SHARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../share")


def _row(table, name):
    """The row of that name, by column."""
    with open(f"{_SHARE}/gpus/{table}.tsv", encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
    return next(dict(zip(rows[0], row)) for row in rows[1:] if row[0] == name)


def profile_of(product):
    """Its file of share/softgpu, as text by name, with what that takes over from another GPU's."""
    with open(f"{_SHARE}/softgpu/{product}.profile", encoding="utf-8") as f:
        lines = [line.partition("#")[0].split(None, 1) for line in f]
    own = {line[0]: line[1].strip() for line in lines if len(line) == 2}
    return {**profile_of(own["like"]), **own} if "like" in own else own


@functools.cache
def _events():
    """{name: the number of its event} of the counters that blocks have: a column of numbers, each with its GPUs."""
    with open(f"{_SHARE}/counters/counters.tsv", encoding="utf-8") as f:
        rows = [line.split("\t") for line in f]
    parts = [(row[1], *part.partition(":")) for row in rows if len(row) > 2 for part in row[2].split()]
    return {name: int(number) for name, number, _, gpus in parts if ARCH in gpus.split(",")}


def _has_counter(name):
    return name in _events()


def event_of(name):
    """The number of that counter's event in its block, or None."""
    return _events().get(name)


def metrics():
    """{name: description} of the metrics that AMD's definitions have for it."""
    with open(f"{_SHARE}/counters/metrics.tsv", encoding="utf-8") as f:
        rows = [line.rstrip("\n").split("\t") for line in f if not line.startswith("#")]
    return {row[0]: row[4] for row in rows if ARCH in row[1].split(",")}


def has_metric(name):
    """Whether AMD's definitions have that metric for it."""
    return name in metrics()


def countable(names):
    """Those of the names that are counters or metrics of it."""
    return [name for name in names if _has_counter(name) or has_metric(name)]


def arch_of(product):
    return _row("products", product)["gpu"]


def xccs_of(product):
    return int(_row("products", product)["xccs"])


def units_of(product):
    """Compute units of a small GPU of that product."""
    return max(4, xccs_of(product))


PRODUCT = os.environ.get("SOFTGPU_GPU") or "mi210"
ARCH = arch_of(PRODUCT)
TARGET = int(_row("architectures", ARCH)["target"])
VECTOR_LINE = int(_row("architectures", ARCH)["vector_line"])
XCCS = xccs_of(PRODUCT)
UNITS = units_of(PRODUCT)
PROFILE = profile_of(PRODUCT)
CLOCK = int(_row("products", PRODUCT)["clock"])
ENGINES = int(_row("products", PRODUCT)["engines"]) // XCCS
if "cus" in PROFILE:
    ENGINES = min(ENGINES, int(PROFILE["cus"]) // XCCS)
CHANNELS = int(PROFILE["l2_channels"])
BELOW_L2 = "TCC_EA" if _has_counter("TCC_EA_RDREQ") else "TCC_EA0"
