#!/usr/bin/env python3
# field: trixie experimental
# field-mi100: experimental
# field-mi300x: experimental
# field-waves32: experimental
# field-timeout: 3600
"""RCCL's all-reduce on 1, 2 and 4 GPUs of one process, and between two processes that share GPU memory through
IPC handles, started by Open MPI: bare, traced and counted. The sums are checked on the host."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "support"))
import field

f = field.Field()
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "support", "allreduce.cpp")
COUNT = "100000"
MPI = ["mpirun", "--oversubscribe", "-np", "2"]
# With firmware of the packet processor that is older than this, as softgpu's is, RCCL does not start on these GPUs unless
# the runtime leaves idle scratch memory alone
LEAST_FIRMWARE = {"gfx942": 177, "gfx950": 24}
RECLAIM = {"HSA_NO_SCRATCH_RECLAIM": "1"} if f.firmware < LEAST_FIRMWARE.get(f.target, 0) else {}
# Open MPI refuses to run as root, which a field root needs, and looks for networks that it has no use for here
MPI_ENV = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,sm"}
SAID = re.compile(r"^(?:\d+ GPUs|rank \d+ of \d+): (\d+) elements, (\d+) wrong$", re.MULTILINE)


def built(name, compiler, *options):
    path = f.path(name)
    run = f.run([compiler, *options, "-D__HIP_PLATFORM_AMD__", "-O1", SOURCE, "-o", path, "-lrccl", "-lamdhip64"])
    return path if f.case(f"{name} built", run.why()) else None


def wrong(run, processes):
    """Why the result is not right, or nothing. Every process says what it found."""
    said = SAID.findall(run.out)
    return run.why() or ("" if said == [(COUNT, "0")] * processes else f"says {run.out[-200:]!r}")


def agents(trace):
    """Which GPUs ran RCCL's kernels."""
    return {r["Agent_Id"] for r in trace.rows("kernel_trace") if "nccl" in r["Kernel_Name"].lower()}


def all_ways(name, command, processes, gpus, env):
    env = {**RECLAIM, **env, "SOFTGPU_GPUS": str(gpus)}
    bare = f.soft(command, env=env)
    if not f.case(f"{name} bare", wrong(bare, processes), bare.seconds):
        return
    trace = f.traced(f"{name} trace", command, env=env)
    ran, expected = agents(trace), gpus if gpus > 1 else 0  # one GPU's sum is a copy
    f.case(f"{name} trace", wrong(trace.run, processes) or trace.losses() or
           ("" if len(ran) == expected else f"kernels of {len(ran)} GPUs in the trace"), trace.run.seconds)
    count = f.counted(f"{name} counters", command, env=env)
    waves = [k for k, n in count.counters()["SQ_WAVES"].items() if "nccl" in k.lower() and n > 0]
    f.case(f"{name} counters", wrong(count.run, processes) or count.losses() or
           ("" if waves or not expected else "no waves counted"),
           count.run.seconds)


if f.needs({"/usr/include/rccl/rccl.h": "librccl-dev", "g++": "g++", "mpicxx": "libopenmpi-dev", "mpirun": "openmpi-bin"},
           "librccl.so.1"):
    single = built("allreduce", "g++")
    for n in (1, 2, 4):
        if single:
            all_ways(f"{n} GPUs", [single, str(n), COUNT], 1, n, {})
    several = built("allreduce-mpi", "mpicxx", "-DWITH_MPI")
    if several:
        all_ways("2 processes", [*MPI, several, COUNT], 2, 2, MPI_ENV)
f.finish()
