#!/usr/bin/env python3
"""rocprofv3 findings on real programs: each bad kernel or habit of shows.hip is found, by its own rule, and none of
the good ones.

usage: shows.py BUILD_DIR PROGRAM kernels|host|costs
PROGRAM is shows.hip, for costs costs.hip
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
import suite_gpu  # noqa: E402

BUILD, PROGRAM, WHAT = sys.argv[1:4]
COUNTERS = ("TCP_TOTAL_CACHE_ACCESSES_sum SQ_INSTS_VMEM SQ_LDS_BANK_CONFLICT SQ_LDS_IDX_ACTIVE TCC_ATOMIC_sum TCC_REQ_sum "
            "VALUUtilization SQ_INSTS_VALU_FMA_F16 SQ_INSTS_VALU SQ_INSTS_MFMA SQC_DCACHE_MISSES SQC_DCACHE_REQ").split()
# rule: kernels that it is about, of all that run
KERNELS = {
    "uncoalesced": {"bad_stride"},
    "lds-conflicts": {"bad_banks"},
    "divergence": {"bad_branch"},
    "scratch": {"bad_array"},
    "few-waves": {"bad_waves"},
    "tail": {"bad_tail"},
    "partial-waves": {"bad_group"},
    "occupancy-registers": {"bad_registers"},
    "occupancy-lds": {"bad_lds"},
    "atomics": {"bad_atomic"},
    "no-matrix": {"bad_half"},
    "scalar-misses": {"bad_table"},
}
COST_COUNTERS = suite_gpu.countable(("SQ_INSTS_VALU SQC_TC_INST_REQ SQC_ICACHE_REQ SQC_ICACHE_MISSES VALUBusy MemUnitBusy TCP_UTCL1_TRANSLATION_MISS_sum "
                                     "TCP_UTCL1_REQUEST_sum L2CacheHit TCC_HIT_sum TCC_REQ_sum FETCH_SIZE").split())
COSTS = {
    "code-misses": ("bad_code", "good_code"),
    "far-from-roofs": ("bad_latency", "work"),
    "tlb-misses": ("bad_places", "good_places"),
    "l2-reuse": ("bad_reuse", "good_reuse"),
    "occupancy-scratch": ("bad_spill", "good_spill"),
}
if not suite_gpu.has_metric("MemUnitBusy"):
    del COSTS["far-from-roofs"]  # which asks how busy memory units are
HOST = {"sync-copies", "pageable-copies", "one-stream", "alloc-in-loop", "sync-in-loop"}


def all_of(found):
    """With what is the same of other kernels, and what lies beneath."""
    return [f for top in found for f in [top, *({**top, "subject": s} for s in top["also"]), *all_of(top["consequences"])]]


def findings(mode, directory, *options, **variables):
    environment = {k: v for k, v in {**os.environ, **variables}.items() if v is not None}
    subprocess.run([f"{BUILD}/bin/rocprofv3", "--gpu", "soft", *options, "-d", directory, "--", PROGRAM, mode], check=True,
                   capture_output=True, timeout=120, env=environment)
    done = subprocess.run([f"{BUILD}/bin/rocprofv3", "findings", directory, "--format", "json"], check=True,
                          capture_output=True, timeout=60)
    return all_of(json.loads(done.stdout)["findings"])


def rules(found):
    return {f["rule"] for f in found}


def costs(directory):
    # a GPU with an L2 and scratch memory that are small enough to run out of: half of what a wave of bad_reuse reads
    profile = f"{directory}/small.profile"
    with open(profile, "w", encoding="utf-8") as f:
        for key, value in {**suite_gpu.PROFILE, "l2_kb": 128, "scratch_slots_per_cu": 8}.items():
            if key != "like":
                print(key, value, file=f)
    found = findings("kernels", directory + "/kernels", "--kernel-trace", "--memory-allocation-trace", "--pmc", *COST_COUNTERS,
                     SOFTGPU_TIME="model", SOFTGPU_PROFILE=profile, SOFTGPU_GPU=None)
    for rule, (bad, good) in COSTS.items():
        about = {f["subject"] for f in found if f["rule"] == rule}
        assert bad in about and good not in about, (rule, [(f["subject"], f["text"]) for f in found if f["rule"] == rule])
    assert "host-times" not in rules(found)
    found = findings("kernels", directory + "/counted", "--instruction-counts")
    assert {f["subject"] for f in found if f["rule"] == "spill-in-loop"} == {"bad_spill"}, found
    trace = ("--hip-trace", "--kernel-trace")
    bad = rules(findings("bad", directory + "/bad", *trace))
    assert {"idle-gpu", "code-loading", "warm-up", "host-times"} <= bad, bad
    good = rules(findings("good", directory + "/good", *trace))
    assert not {"idle-gpu", "code-loading", "warm-up", "launch-bound"} & good, good


def main():
    with tempfile.TemporaryDirectory(prefix="shows-") as directory:
        if WHAT == "costs":
            costs(directory)
            return
        if WHAT == "kernels":
            found = findings("kernels", directory, "--kernel-trace", "--pmc", *COUNTERS)
            about = {rule: {f["subject"] for f in found if f["rule"] == rule} for rule in KERNELS}
            assert about == KERNELS, json.dumps(found, indent=1)
            assert any(f["rule"] == "host-times" for f in found)
            found = findings("kernels", directory + "/counted", "--instruction-counts")
            for rule, bad in (("line-uncoalesced", "bad_stride"), ("line-conflicts", "bad_banks")):
                about = {f["subject"] for f in found if f["rule"] == rule}
                assert bad in about and bad.replace("bad", "good") not in about, (rule, about)
            return
        trace = ("--hip-trace", "--kernel-trace", "--memory-copy-trace")
        bad = {f["rule"] for f in findings("bad", directory + "/bad", *trace)}
        assert HOST <= bad, bad
        small = {f["rule"] for f in findings("small", directory + "/small", *trace)}
        assert "small-copies" in small, small
        good = {f["rule"] for f in findings("good", directory + "/good", *trace)}
        assert not (HOST | {"small-copies"}) & good, good


main()
