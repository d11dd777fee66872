#!/usr/bin/env python3
"""rocprofv3 over a real HIP program on the software GPU, with AMD's own runtimes.

usage: hip.py ROCPROFV3 PROGRAM [unittest arguments]
"""
import csv
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, PROGRAM = sys.argv[1:3]

KERNELS = (("void reverse<float>(float const*, float*)",) * 3 +
           ("add(float const*, float const*, float*)",))


class Traced(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-hip-")

    def tearDown(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def run_it(self, *options, how=(), status=0, command=None):
        done = subprocess.run([ROCPROFV3, "--gpu", "soft", "-d", self.dir, *options, "--",
                               *(command or (PROGRAM, *how))],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def tables(self, name):
        """The rows of every file of that name, process by process."""
        tables = []
        for path in sorted(glob.glob(f"{self.dir}/**/*_{name}.csv", recursive=True)):
            with open(path, newline="") as f:
                tables.append(list(csv.DictReader(f)))
        return tables

    def check_kernels(self, rows):
        self.assertEqual(tuple(r["Kernel_Name"] for r in rows), KERNELS)
        for number, row in enumerate(rows):
            add = number == 3
            expected = {"Kind": "KERNEL_DISPATCH", "Agent_Id": "Agent 1", "Dispatch_Id": str(number + 1),
                        "LDS_Block_Size": "0" if add else "512", "Scratch_Size": "0",
                        "Workgroup_Size_X": "256" if add else "128",
                        "Workgroup_Size_Y": "1", "Workgroup_Size_Z": "1", "Grid_Size_X": "4096",
                        "Grid_Size_Y": "1", "Grid_Size_Z": "1"}
            self.assertEqual({k: row[k] for k in expected}, expected)
            self.assertLess(int(row["Start_Timestamp"]), int(row["End_Timestamp"]))

    def test_everything(self):
        done = self.run_it("-s", "--stats", "-S")
        self.assertEqual(done.stdout, "right\n")
        self.assertRegex(done.stderr, r"process \d+: (\d+) records received, \1 written, 0 dropped")
        (kernels,), (copies,), (hip,), (hsa,) = (
            self.tables(t + "_trace") for t in ("kernel", "memory_copy", "hip_api", "hsa_api"))
        self.check_kernels(kernels)
        self.assertEqual([(c["Direction"], c["Source_Agent_Id"], c["Destination_Agent_Id"]) for c in copies],
                         [("MEMORY_COPY_HOST_TO_DEVICE", "Agent 0", "Agent 1"),
                          ("MEMORY_COPY_DEVICE_TO_HOST", "Agent 1", "Agent 0")])
        runtime = [r["Function"] for r in hip if r["Domain"] == "HIP_RUNTIME_API_EXT"]
        self.assertEqual(runtime,
                         ["hipHostMalloc"] + ["hipMalloc"] * 3 + ["hipStreamCreate"] * 2 +
                         ["hipMemcpyAsync", "hipStreamSynchronize"] +
                         ["hipLaunchKernel", "hipStreamSynchronize"] * 3 +
                         ["hipLaunchKernel", "hipMemcpyAsync", "hipStreamSynchronize"])
        self.assertTrue(any(r["Function"] == "hsa_queue_create" for r in hsa))
        # A kernel starts after the call that its correlation id names began, inside a launch.
        calls = {r["Correlation_Id"]: r for r in hip + hsa}
        launches = [r for r in hip if r["Function"] == "hipLaunchKernel"]
        for kernel, launch in zip(kernels, launches):
            call = int(calls[kernel["Correlation_Id"]]["Start_Timestamp"])
            self.assertGreaterEqual(int(kernel["Start_Timestamp"]), call)
            self.assertGreaterEqual(call, int(launch["Start_Timestamp"]))
            self.assertLessEqual(call, int(launch["End_Timestamp"]))
        for rows in (kernels, copies, hip, hsa):
            starts = [int(r["Start_Timestamp"]) for r in rows]
            self.assertEqual(starts, sorted(starts))
        (stats,) = self.tables("kernel_stats")
        self.assertEqual({s["Name"]: s["Calls"] for s in stats}, {KERNELS[0]: "3", KERNELS[3]: "1"})
        (agents,) = self.tables("agent_info")
        self.assertEqual([(a["Agent_Type"], a["Name"] == "gfx90a") for a in agents],
                         [("CPU", False), ("GPU", True)])

    def test_kernels_alone(self):
        self.run_it("--kernel-trace", "-T", "-o", "x")
        self.assertEqual([r["Kernel_Name"] for r in self.tables("kernel_trace")[0]],
                         ["reverse"] * 3 + ["add"])
        self.assertEqual(sorted(os.listdir(self.dir)), ["x_agent_info.csv", "x_kernel_trace.csv"])

    def test_ways_out(self):
        for how, status in (("_exit", 7), ("abort", 134), ("term", 143), ("kill", 137), ("fault", 134)):
            with self.subTest(how):
                self.run_it("-s", "-o", how, how=(how,), status=status)
                with open(f"{self.dir}/{how}_kernel_trace.csv", newline="") as f:
                    self.check_kernels(list(csv.DictReader(f))[:4])

    def test_children_and_exec(self):
        for how in ((PROGRAM, "exec"), ("sh", "-c", f"{PROGRAM}; {PROGRAM}")):
            self.run_it("-r", command=how)
            tables = self.tables("kernel_trace")
            self.assertEqual(len(tables), 2)
            for rows in tables:
                self.check_kernels(rows)
            shutil.rmtree(self.dir)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
