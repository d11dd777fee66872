"""A Slurm of a test's own: munged, slurmctld and slurmd on the loopback address, with configuration, state and sockets in
one temporary folder."""
import glob
import os
import shutil
import socket
import subprocess
import tempfile
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sinfo")
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
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES State=UP
"""


def why_not():
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    missing = [p for p in PROGRAMS if not shutil.which(p, path=path)]
    if missing:
        return "needs munge, slurmctld, slurmd and slurm-client: no " + ", ".join(missing)
    return "slurmd starts tasks as root only" if os.geteuid() else None


def two_ports():
    with socket.socket() as a, socket.socket() as b:
        a.bind(("127.0.0.1", 0))
        b.bind(("127.0.0.1", 0))
        return a.getsockname()[1], b.getsockname()[1]


class Cluster:
    """Started by start(), ended by end(); `environment` is for srun."""

    def __init__(self):
        # the daemons' folders belong to root; sockets have short names
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-slurm-", dir="/tmp")
        os.chmod(self.dir, 0o755)
        self.daemons = []
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("ROC", "LD_", "HSA_", "SLURM"))}
        self.environment.update(SLURM_CONF=self.dir + "/slurm.conf", PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")

    def start(self):
        for name in ("state", "spool", "cgroup"):
            os.mkdir(f"{self.dir}/{name}")
        with open(f"{self.dir}/key", "wb", opener=lambda p, f: os.open(p, f, 0o600)) as f:
            f.write(os.urandom(1024))
        with open(f"{self.dir}/slurm.conf", "w", encoding="utf-8") as f:
            f.write(CONF.format(host=socket.gethostname().split(".")[0], dir=self.dir, ports=two_ports()))
        with open(f"{self.dir}/cgroup.conf", "w", encoding="utf-8") as f: # nothing of it is used, but slurmd wants one
            f.write(f"CgroupPlugin=cgroup/v1\nCgroupMountpoint={self.dir}/cgroup\n")
        self.start_one("munged", "--force", "--foreground", f"--key-file={self.dir}/key",
                       f"--socket={self.dir}/munge.socket", f"--pid-file={self.dir}/munge.pid",
                       f"--log-file={self.dir}/munge.log", f"--seed-file={self.dir}/munge.seed")
        while not os.path.exists(self.dir + "/munge.socket"): # the test's own limit ends it
            time.sleep(0.02)
        self.start_one("slurmctld", "-c", "-D")
        self.start_one("slurmd", "-D")
        while self.states() != ["idle"]:
            time.sleep(0.05)

    def states(self):
        """Those of the nodes."""
        done = subprocess.run(["sinfo", "-h", "-o", "%t"], env=self.environment, capture_output=True, text=True, check=False)
        return done.stdout.split()

    def start_one(self, program, *words):
        with open(f"{self.dir}/{program}.out", "w", encoding="utf-8") as log:
            self.daemons.append(subprocess.Popen([program, *words], env=self.environment, stdout=log, stderr=log))

    def end(self):
        for process in reversed(self.daemons):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def said(self):
        """The ends of what the daemons have said."""
        said = ""
        for path in glob.glob(self.dir + "/*.out"):
            with open(path, encoding="utf-8", errors="replace") as f:
                said += f"{os.path.basename(path)}: {f.read()[-500:]}"
        return said
