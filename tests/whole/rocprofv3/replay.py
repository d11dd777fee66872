#!/usr/bin/env python3
"""--replay-mode kernel: one run of the program, every kernel once for each --pmc, and nothing differs:
not the program's output, not the counters of any pass.

usage: replay.py ROCPROFV3 PROGRAM"""
import csv
import glob
import os
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import suite_gpu

ROCPROFV3, PROGRAM = map(os.path.abspath, sys.argv[1:3])
SOFTGPU = os.path.join(os.path.dirname(ROCPROFV3), "softgpu")
MI210 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../share/softgpu/mi210.profile")
KERNEL = ("--replay-mode", "kernel", "--kernel-replay-beta-enabled")
# of caches those that are empty when a kernel begins even where it runs once
SETS = (("SQ_WAVES", "SQ_INSTS_VALU"), ("SQ_INSTS_SALU", "SQ_INSTS_VMEM"),
        ("TCP_TOTAL_CACHE_ACCESSES_sum",), ("TCP_TCC_READ_REQ_sum", "TCP_TCC_WRITE_REQ_sum"))


def pmc(sets):
    return [word for names in sets for word in ("--pmc", *names)]


class ReplayTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def profile(self, *options, status=0, words=()):
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-f", "csv", "-d", self.folder.name,
                               "-o", "out", *options, "--", PROGRAM, *words],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def values(self):
        """Of each dispatch, by counter; files of this run are removed."""
        found = {}
        (path,) = glob.glob(self.folder.name + "/**/out_counter_collection.csv", recursive=True)
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                key = row["Dispatch_Id"], row["Kernel_Name"], row["Counter_Name"]
                self.assertNotIn(key, found)
                found[key] = float(row["Counter_Value"])
        os.remove(path)
        return found

    def test_as_single_runs(self):
        bare = subprocess.run([SOFTGPU, "--", PROGRAM], capture_output=True, text=True, timeout=60)
        single = {}
        for names in SETS:
            done = self.profile(*pmc([names]))
            self.assertEqual(done.stdout, bare.stdout)
            single.update(self.values())
        done = self.profile(*KERNEL, *pmc(SETS))
        self.assertEqual(done.stdout, bare.stdout)
        self.assertRegex(done.stderr, r"(\d+) records received, \1 written, 0 dropped, 0 filtered")
        self.assertEqual(self.values(), single)

    def test_caches_begin_empty(self):
        # Each load is of two lines of L2: missed by the first sweep, found by the second. All else, code and
        # arguments and the result, is the same for each dispatch, so what differs is that of the loads.
        sets = [["TCC_MISS_sum"], ["TCC_HIT_sum"], ["TCC_REQ_sum", "SQC_ICACHE_MISSES"], ["SQC_DCACHE_MISSES"]]
        for order in (sets, sets[::-1]):
            self.profile(*KERNEL, *pmc(order), "--kernel-include-regex", "sweeps", words=("cold",))
            values = {}
            for (dispatch, _, counter), value in self.values().items():
                values.setdefault(int(dispatch), {})[counter] = value
            few, many, again = (values[key] for key in sorted(values))
            self.assertEqual(few, again)
            self.assertEqual(many["TCC_MISS_sum"] - few["TCC_MISS_sum"], 16 * 2)
            self.assertEqual(many["TCC_HIT_sum"] - few["TCC_HIT_sum"], 16 * 2)
            for found in few, many:
                self.assertEqual(found["TCC_REQ_sum"], found["TCC_HIT_sum"] + found["TCC_MISS_sum"])
                self.assertGreater(found["SQC_ICACHE_MISSES"], 0)
                self.assertGreater(found["SQC_DCACHE_MISSES"], 0)

    @unittest.skipUnless(suite_gpu.ARCH == "gfx90a", "the program has no code for the profile's GPU")
    def test_mall_stays_full(self):
        # No packet empties the cache of memory behind L2: of the first dispatch the first run reads memory, and another
        # run, as a dispatch that has the same work again, finds everything there, sooner by 800 - 500 clocks.
        path = os.path.join(self.folder.name, "mall.profile")
        with open(MI210) as known, open(path, "w") as file:
            file.write(known.read() + "\nmall_kb 65536\nmall_latency 500\n")
        level, other = ["TCC_EA_RDREQ_LEVEL_sum", "TCC_EA_RDREQ_sum"], ["TCC_HIT_sum"]
        levels, reads = [], []
        for order in ([level, other], [other, level]):
            with unittest.mock.patch.dict(os.environ, SOFTGPU_GPU=path):
                self.profile(*KERNEL, *pmc(order), "--kernel-include-regex", "sweeps", words=("cold",))
            values = {}
            for (dispatch, _, counter), value in self.values().items():
                values.setdefault(int(dispatch), {})[counter] = value
            levels.append([values[key][level[0]] for key in sorted(values)])
            reads.append([values[key][level[1]] for key in sorted(values)])
        self.assertEqual(reads[0], reads[1])
        first, later = levels
        self.assertEqual(first[2], later[2])
        self.assertEqual(later[0], later[2])
        sooner = first[0] - later[0]
        self.assertEqual(sooner % 300, 0)
        self.assertGreater(sooner, 0)
        self.assertLessEqual(sooner / 300, reads[0][0])

    def test_chosen_kernels(self):
        self.profile(*KERNEL, *pmc(SETS[:2]), "--kernel-include-regex", "twice",
                     "--kernel-iteration-range", "[2]")
        values = self.values()
        self.assertEqual({name for _, name, _ in values}, {"twice(unsigned int*)"})
        self.assertEqual(len(values), 4)

    def test_application_is_the_default(self):
        self.profile("--replay-mode", "application", *pmc(SETS[:2]))
        passes = glob.glob(self.folder.name + "/pass_*/out_counter_collection.csv")
        self.assertEqual(len(passes), 2)

    def test_words(self):
        for options, text in (
                (KERNEL[:2] + ("--pmc", "SQ_WAVES"), "needs --kernel-replay-beta-enabled"),
                (KERNEL + ("--kernel-trace",), "needs --pmc"),
                (("--replay-mode", "other"), "kernel application")):
            self.assertIn(text, self.profile(*options, status=2).stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
