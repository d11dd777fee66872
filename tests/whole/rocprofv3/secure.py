#!/usr/bin/env python3
"""Who may do what: other users' directories, setuid programs, hostile environments, namespaces.

usage: secure.py ROCPROFV3 TOOL COUNTED [TRACED] [unittest arguments]
TRACED is a HIP program, run on the software GPU.
"""
import csv
import glob
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3, TOOL, COUNTED = sys.argv[1:4]
TRACED = sys.argv[4] if "/" in "".join(sys.argv[4:5]) else None
OTHER = 54321  # a user that nobody is
ROOT = os.geteuid() == 0
needs_root = unittest.skipUnless(ROOT, "needs to be root")
needs_hip = unittest.skipUnless(TRACED, "no hipcc")


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-secure-")
        os.chmod(self.dir, 0o755)
        self.out = self.dir + "/out"

    def tearDown(self):
        shutil.rmtree(self.dir, ignore_errors=True)

    def run_it(self, *options, program=(COUNTED, "secure", "5"), status=0, before=(), **more):
        done = subprocess.run([*before, ROCPROFV3, *options, "-f", "csv", "-o", "x", "-d", self.out, "--",
                               *program], capture_output=True, text=True, timeout=120, cwd=self.dir, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def rows(self, name):
        paths = glob.glob(f"{self.out}/**/*_{name}.csv", recursive=True)
        rows = []
        for path in paths:
            with open(path, newline="") as f:
                rows += csv.DictReader(f)
        return rows


class OtherUsers(Case):
    """What lies in the output directory already, and whose it is."""

    def refused(self, text):
        done = self.run_it("--hip-runtime-trace", status=125)
        self.assertIn(text, done.stderr)
        self.assertIn("choose another with -d", done.stderr)
        self.assertEqual(done.stdout, "")  # nothing was started
        # the library alone: the program runs, untraced, as if it were not there
        done = subprocess.run([COUNTED, "secure", "5"], capture_output=True, text=True, timeout=60, env=dict(
            os.environ, ROCP_TOOL_LIBRARIES=TOOL, ROCPROF_HIP_RUNTIME_API_TRACE="1", ROCPROF_OUTPUT_PATH=self.out))
        self.assertEqual((done.returncode, done.stdout), (0, "secure 0, tool 1\n"))
        self.assertIn("nothing is traced: " + text, done.stderr)

    @needs_root
    def test_directory_of_another_user(self):
        os.makedirs(self.out + "/.rocprofv3")
        os.chown(self.out + "/.rocprofv3", OTHER, -1)
        self.refused(f"{self.out}/.rocprofv3 belongs to user {OTHER}")
        self.assertEqual(os.listdir(self.out + "/.rocprofv3"), [])

    def test_symbolic_link(self):
        os.makedirs(self.out)
        os.makedirs(self.dir + "/victim")
        os.symlink(self.dir + "/victim", self.out + "/.rocprofv3")
        self.refused(f"{self.out}/.rocprofv3 is no directory")
        self.assertEqual(os.listdir(self.dir + "/victim"), [])

    @needs_root
    def test_root_over_a_directory_of_another_user(self):
        os.makedirs(self.out)
        os.chown(self.out, OTHER, -1)
        self.run_it("--hip-runtime-trace")
        self.assertEqual(len(self.rows("hip_api_trace")), 5)
        self.assertNotIn(".rocprofv3", os.listdir(self.out))

    def test_rights_of_what_is_not_converted_yet(self):
        """Nobody else reads a trace that is being made, whatever the mask."""
        seen = "stat -c %a " + self.out + "/.rocprofv3"
        done = self.run_it("--hip-runtime-trace", program=("sh", "-c", seen), preexec_fn=lambda: os.umask(0))
        self.assertEqual(done.stdout, "700\n")

    @needs_root
    @needs_hip
    def test_unprivileged(self):
        """All of it, softgpu too, without any privilege."""
        def become():
            os.setgroups([])
            os.setgid(OTHER)
            os.setuid(OTHER)
        os.makedirs(self.out)
        os.chown(self.out, OTHER, OTHER)
        os.chown(self.dir, OTHER, OTHER)
        if subprocess.run([TRACED, "--help"], preexec_fn=become, capture_output=True).returncode == 126 or \
                subprocess.run(["test", "-x", TRACED], preexec_fn=become).returncode != 0:
            self.skipTest("other users cannot reach the build tree")
        environment = dict(os.environ, HOME="/nonexistent")
        environment.pop("XDG_RUNTIME_DIR", None)
        done = self.run_it("--gpu", "soft", "--sys-trace", program=(TRACED,), preexec_fn=become, env=environment)
        self.assertEqual(done.stdout, "right\n")
        self.assertEqual(len(self.rows("kernel_trace")), 4)
        self.assertEqual({os.stat(f).st_uid for f in glob.glob(self.out + "/*")}, {OTHER})

    @needs_hip
    def test_namespaces(self):
        """As in a container: users, processes, mounts and network of its own, no driver."""
        container = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--ipc", "--net")
        if subprocess.run([*container, "true"], capture_output=True).returncode != 0:
            self.skipTest("this system makes no user namespaces")
        done = self.run_it("--gpu", "soft", "--sys-trace", program=(TRACED,), before=container)
        self.assertEqual(done.stdout, "right\n")
        self.assertEqual(len(self.rows("kernel_trace")), 4)


class WithoutSoftGpu(Case):
    def test_instruction_counts(self):
        """Only the software GPU has them; the program runs as ever."""
        done = subprocess.run([COUNTED, "secure", "5"], capture_output=True, text=True, timeout=60, env=dict(
            os.environ, ROCP_TOOL_LIBRARIES=TOOL, ROCPROF_INSTRUCTION_COUNTS="1", ROCPROF_OUTPUT_PATH=self.out))
        self.assertEqual((done.returncode, done.stdout), (0, "secure 0, tool 1\n"))
        self.assertIn("instructions are not counted: only a software GPU can; --att", done.stderr)


class Setuid(Case):
    """AT_SECURE: the environment is somebody else's, and is not listened to."""

    def environment(self):
        lib = os.path.dirname(TOOL)
        return dict(os.environ, LD_PRELOAD=TOOL, ROCP_TOOL_LIBRARIES=TOOL, HSA_TOOLS_LIB=TOOL, LD_LIBRARY_PATH=lib,
                    ROCPROF_HIP_RUNTIME_API_TRACE="1", ROCPROF_OUTPUT_PATH=self.out, ROCPROF_TMPDIR=self.out,
                    ROCPROF_STORE_DIRECTORY=self.out + "/store", ROCPROF_LOG_LEVEL="trace",
                    ROCP_OUTPUT_DIR=self.out, TMPDIR=self.out)

    def run_copy(self, mode, owner):
        program = self.dir + "/program"
        shutil.copy(COUNTED, program)
        os.chown(program, owner, owner)
        os.chmod(program, mode)
        os.makedirs(self.out, exist_ok=True)
        os.chmod(self.out, 0o777)
        done = subprocess.run([program, "secure", "5"], capture_output=True, text=True, timeout=60, cwd=self.dir,
                              env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    @needs_root
    def test_nothing_is_loaded_or_written(self):
        done = self.run_copy(0o755, 0)
        self.assertEqual(done.stdout, "secure 0, tool 1\n")  # the environment is one that works
        self.assertNotEqual(os.listdir(self.out), [])
        shutil.rmtree(self.out)
        done = self.run_copy(0o4755, OTHER)
        if done.stdout.startswith("secure 0"):
            self.skipTest("this file system takes no setuid programs")
        self.assertEqual(done.stdout, "secure 1, tool 0\n")
        self.assertNotIn("rocprof", done.stderr.replace("ERROR: ld.so", ""))
        self.assertEqual(os.listdir(self.out), [])


class Folders(Case):
    """HOME, TMPDIR and XDG_RUNTIME_DIR that are not what they should be."""

    def hostile(self):
        """Name and value of each; what can be a folder is world-writable, with somebody's traps in it."""
        trap, loop, file, plain = (self.dir + name for name in ("/trap", "/loop", "/file", "/plain"))
        os.makedirs(trap)
        os.makedirs(plain)
        os.chmod(trap, 0o777)
        os.symlink(loop, loop)
        with open(file, "w") as f:
            f.write("precious")
        os.makedirs(self.dir + "/victim/inner")
        for pid in (1, os.getpid()):  # as if left by a run of ours, to be cleaned up
            os.symlink(self.dir + "/victim", f"{trap}/softgpu-{os.geteuid()}-{pid}-AAAAAA")
        os.symlink(trap, self.dir + "/link")
        return ("", "relative", "/" + "x" * 5000, "/nonexistent", loop, file, trap, self.dir + "/link", "/proc/self")

    def check_untouched(self, before):
        self.assertEqual(os.listdir(self.dir + "/victim"), ["inner"])
        with open(self.dir + "/file") as f:
            self.assertEqual(f.read(), "precious")
        self.assertEqual(sorted(os.listdir(self.dir + "/trap")), before)

    def check_folders(self, wanted):
        """With the profiler alone, each of them; with HIP, those that are wanted."""
        values = self.hostile()
        before = sorted(os.listdir(self.dir + "/trap"))
        for value in values:
            with self.subTest(value[:40]):
                shutil.rmtree(self.out, ignore_errors=True)
                environment = dict(os.environ, HOME=value, XDG_RUNTIME_DIR=value, XDG_CACHE_HOME=value,
                                   XDG_CONFIG_HOME=value, AMD_COMGR_CACHE="0")  # HIP 6's own folder
                if "trap" in os.path.realpath(value or "/"):
                    environment["TMPDIR"] = value  # HIP itself makes files there, and fails where it cannot
                if wanted(value):
                    done = self.run_it("--gpu", "soft", "--kernel-trace", program=(TRACED,), env=environment)
                    self.assertEqual(done.stdout, "right\n")
                    self.assertEqual(len(self.rows("kernel_trace")), 4)
                    self.check_untouched(before)
                    shutil.rmtree(self.out)
                self.run_it("--hip-runtime-trace", env=dict(environment, TMPDIR=value))
                self.assertEqual(len(self.rows("hip_api_trace")), 5)
                self.check_untouched(before)


class Environment(Folders):
    @needs_hip
    def test_folders(self):
        self.check_folders(lambda value: value.endswith(("/trap", "/loop")) or value == "relative")

    @needs_hip
    def test_driver_files_are_the_owners_alone(self):
        os.makedirs(self.dir + "/run")
        os.chmod(self.dir + "/run", 0o777)
        launches = os.path.dirname(TRACED) + "/launches"  # until it is killed
        look = (f"{launches} >/dev/null & until stat -c '%a %u' {self.dir}/run/softgpu-* 2>/dev/null; do sleep 0.01; "
                "done; kill -KILL $!; wait; true")
        done = self.run_it("--gpu", "soft", "--kernel-trace", program=("sh", "-c", look),
                           env=dict(os.environ, XDG_RUNTIME_DIR=self.dir + "/run"),
                           preexec_fn=lambda: os.umask(0))
        self.assertEqual(set(done.stdout.split("\n")) - {""}, {f"700 {os.geteuid()}"})


class LongEnvironment(Folders):
    @needs_hip
    def test_folders(self):
        self.check_folders(lambda value: True)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4 + bool(TRACED):])
