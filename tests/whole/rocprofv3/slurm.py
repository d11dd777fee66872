#!/usr/bin/env python3
"""rocprofv3 once for each task of a Slurm job, over the fake SDK: Slurm's daemons are started here, on one node,
in a folder of their own.

usage: slurm.py ROCPROFV3 TOOL_LIBRARY FAKE_SDK EMPTY_LIBRARY SUBJECT [unittest arguments]
"""
import glob
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

import fake_root

ROCPROFV3, TOOL, SDK, EMPTY, SUBJECT = sys.argv[1:6]
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun")
CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket
CredType=cred/munge
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.pid
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/linear
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP
"""


def why_not():
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    missing = [p for p in PROGRAMS if not shutil.which(p, path=path)]
    if missing:
        return "needs munge, slurmctld, slurmd and slurm-client: no " + ", ".join(missing)
    return "slurmd starts tasks as root only" if os.geteuid() else None


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # the daemons' folders belong to root; sockets have short names
        cls.dir = tempfile.mkdtemp(prefix="rocprofv3-slurm-", dir="/tmp")
        cls.addClassCleanup(shutil.rmtree, cls.dir)
        os.chmod(cls.dir, 0o755)
        for name in ("state", "spool", "cgroup"):
            os.mkdir(f"{cls.dir}/{name}")
        with open(f"{cls.dir}/key", "wb", opener=lambda p, f: os.open(p, f, 0o600)) as f:
            f.write(os.urandom(1024))
        with open(f"{cls.dir}/slurm.conf", "w") as f:
            f.write(CONF.format(host=socket.gethostname().split(".")[0], dir=cls.dir, ports=cls.two_ports()))
        with open(f"{cls.dir}/cgroup.conf", "w") as f: # nothing of it is used, but slurmd wants one
            f.write(f"CgroupPlugin=cgroup/v1\nCgroupMountpoint={cls.dir}/cgroup\n")
        cls.environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROC", "LD_", "HSA_", "SLURM"))}
        cls.environment.update(SLURM_CONF=cls.dir + "/slurm.conf", PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
        cls.start("munged", "--force", "--foreground", f"--key-file={cls.dir}/key",
                  f"--socket={cls.dir}/munge.socket", f"--pid-file={cls.dir}/munge.pid",
                  f"--log-file={cls.dir}/munge.log", f"--seed-file={cls.dir}/munge.seed")
        while not os.path.exists(cls.dir + "/munge.socket"): # the test's own limit ends it
            time.sleep(0.02)
        cls.start("slurmctld", "-c", "-D")
        cls.start("slurmd", "-D")

    @staticmethod
    def two_ports():
        with socket.socket() as a, socket.socket() as b:
            a.bind(("127.0.0.1", 0))
            b.bind(("127.0.0.1", 0))
            return a.getsockname()[1], b.getsockname()[1]

    @classmethod
    def start(cls, program, *words):
        log = open(f"{cls.dir}/{program}.out", "w")
        process = subprocess.Popen([program, *words], env=cls.environment, stdout=log, stderr=log)
        log.close()

        def end():
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        cls.addClassCleanup(end)

    def daemons_said(self):
        said = ""
        for path in glob.glob(self.dir + "/*.out"):
            with open(path) as f:
                said += f"{os.path.basename(path)}: {f.read()[-500:]}"
        return said

    def test_each_task(self):
        fake_root.make(self.dir + "/root", TOOL, SDK, EMPTY)
        done = subprocess.run(
            ["srun", "-n", "4", "--overcommit", "--chdir", self.dir, ROCPROFV3, "--rocm-root", self.dir + "/root",
             "--gpu", "real" if os.path.exists("/dev/kfd") else "soft", "--kernel-trace", "--profile-mpi-ranks",
             "0,2-3", "-d", "out", "-o", "r%rank%of%size%.job%job%", "-f", "rocpd", "--", SUBJECT],
            env=self.environment, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr + self.daemons_said())
        self.assertEqual(sorted(os.path.basename(p) for p in glob.glob(self.dir + "/out/*")),
                         [f"r{rank}of4.job1_results.db" for rank in (0, 2, 3)])
        for path in glob.glob(self.dir + "/out/*.db"):
            with sqlite3.connect(path) as database:
                self.assertEqual(database.execute("SELECT COUNT(*) FROM kernels").fetchone(), (2,))


if __name__ == "__main__":
    if why_not():
        print("skipped:", why_not())
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]])
