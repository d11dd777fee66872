"""The second program that was measured on a real MI200, beside what softgpu counts for it: see silicon.

17 kernels (tests/oracle/silicon/streams.hip) with a row for each counter in tests/oracle/silicon/mi200-streams.tsv.
A cell is equal to the median, in range of what was measured (to a part in a thousand), near (within a
factor of two of the median), or off; cells that are off need a row in streams-exceptions.tsv, which
names counter, kernels and reason."""
import csv
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

from counter_tables import rows

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KERNELS = ["fill", "short 0", *(f"{kind} {rounds}" for kind in ("float", "float2", "double", "half2", "int") for rounds in "018")]


def counted(build, units):
    """{kernel: {counter: value over all instances}} of one run with all counters."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROCP", "SOFTGPU_"))}
    # the measured runtime had kernel arguments in fine-grained memory; this one has to be asked
    environment |= {"SOFTGPU_CUS": str(units), "ROC_USE_FGS_KERNARG": "1"}
    with tempfile.TemporaryDirectory() as place:
        command = [f"{build}/bin/rocprofv3", "--gpu", "soft", "--pmc", "all", "-f", "csv", "-d", place, "-o", "x", "--",
                   f"{build}/tests/oracle/silicon/streams"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
        if done.returncode:
            sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
        found, order = defaultdict(lambda: defaultdict(float)), []
        with open(os.path.join(place, "x_counter_collection.csv"), newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["Dispatch_Id"] not in order:
                    order.append(row["Dispatch_Id"])
                found[row["Dispatch_Id"]][row["Counter_Name"]] += float(row["Counter_Value"])
    if len(order) != len(KERNELS):
        sys.exit(f"streams: {len(order)} dispatches were counted, {len(KERNELS)} expected")
    return {kernel: found[dispatch] for kernel, dispatch in zip(KERNELS, order)}


def verdict(median, least, most, ours):
    if ours == median:
        return "equal"
    if least * 0.999 <= ours <= most * 1.001:
        return "in range"
    return "near" if median and 0.5 <= ours / median <= 2 else "off"


def compare(build, units, classes):
    """Prints the cells that are off and sums by class; how many are off without a reason."""
    reasons = {}
    for row in rows(f"{PLACE}/tests/oracle/silicon/streams-exceptions.tsv"):
        for kernel in KERNELS if row["kernels"] == "all" else row["kernels"].split(", "):
            reasons[row["counter"], kernel] = row["reason"]
    found = counted(build, units)
    verdicts, unexplained = defaultdict(Counter), 0
    print("\ncounter\tclass\tkernel\tmi200\tsoftgpu\tverdict")
    for row in rows(f"{PLACE}/tests/oracle/silicon/mi200-streams.tsv"):
        name, kernel = row["counter"], row["kernel"]
        kind = classes[name]
        if name not in found[kernel]:
            what = "not compared"
        else:
            ours = found[kernel][name]
            what = verdict(float(row["median"]), float(row["least"]), float(row["greatest"]), ours)
            if what == "off":
                what = "excepted" if (name, kernel) in reasons else "off"
                print(name, kind, kernel, row["median"], f"{ours:.0f}", what, sep="\t")
        verdicts[kind][what] += 1
        unexplained += what in ("off", "not compared")
    for kind, counts in sorted(verdicts.items()):
        print(f"# streams, {kind}:", ", ".join(f"{n} {what}" for what, n in sorted(counts.items())))
    return unexplained
