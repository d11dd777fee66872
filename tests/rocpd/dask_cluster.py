#!/usr/bin/env python3
"""rocprofv3.dask on a real cluster of two workers, on the loopback address: the sums are those of one rocprofv3 reduce.

usage: dask_cluster.py BUILD ROCPROFV3 BENCH_FLEET [unittest arguments]
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, ROCPROFV3, FLEET = sys.argv[1:4]
sys.path.insert(0, f"{BUILD}/lib/python3/site-packages")
try:
    import distributed
except ImportError:
    print("skipped: needs python3-distributed")
    sys.exit(77)
from rocprofv3 import dask


class Dask(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-dask-test-")
        self.addCleanup(shutil.rmtree, self.dir)
        subprocess.run([FLEET, f"{self.dir}/out", "--ranks", "12", "--records", "20", "--flat", "--make", "both"], check=True)
        for path in sorted(glob.glob(f"{self.dir}/out/*.db"))[:3]: # some ranks have left a store alone
            os.unlink(path)

    def test_reduce(self):
        out, sums, whole = f"{self.dir}/out", f"{self.dir}/job.sums", f"{self.dir}/whole.sums"
        self.assertEqual(len(dask.find(out)), 12 + 9)
        environment = {"PYTHONPATH": ""} # workers need no module of ours
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1",
                                      local_directory=self.dir, env=environment) as cluster, \
                distributed.Client(cluster) as client:
            self.assertEqual(len(client.scheduler_info()["workers"]), 2)
            subprocess.run([ROCPROFV3, "reduce", "-o", whole, "-i", out], check=True, stderr=subprocess.DEVNULL)
            self.assertEqual(dask.reduce(client, out, sums, group=3, fan_in=2), sums)
            self.same(sums, whole)
            dask.reduce(client, out, sums, local=True) # both workers are on one node
            self.same(sums, whole)
            with open(f"{out}/bad.db", "wb") as f:
                f.write(b"no database")
            with self.assertRaisesRegex(RuntimeError, r"out/bad.db: is no rocpd database"):
                dask.reduce(client, out, sums, group=5, strict=True)
            self.same(sums, whole)
            done = subprocess.run([sys.executable, "-m", "rocprofv3.dask", "--scheduler", cluster.scheduler_address, "-i", out,
                                   "-o", sums], env={**os.environ, "PYTHONPATH": f"{BUILD}/lib/python3/site-packages"},
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("1 input could not be read, or did not come: the sums are without\n", done.stderr)
            with self.assertRaises(FileNotFoundError):
                dask.reduce(client, f"{self.dir}/none/*", sums)

    def same(self, a, b):
        with open(a, "rb") as f, open(b, "rb") as g:
            self.assertEqual(f.read(), g.read())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2)
