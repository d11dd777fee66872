#!/usr/bin/env python3
"""A process that runs already is profiled for a while, again and again: the real thing, AMD's HIP on
the software GPU.

The program does what it is told over a pipe, so which kernels are within a window is known without
any clock. usage: attach.py ROCPROFV3 PROGRAM"""
import csv
import ctypes
import glob
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import remarks

ROCPROFV3, PROGRAM = map(os.path.abspath, sys.argv[1:3])
NOBODY = 65534


class Program:
    """The program under way, started so that it can be attached."""

    def __init__(self, *arguments, variable="1"):
        environment = dict(os.environ, ROCP_TOOL_ATTACH=variable)
        self.process = subprocess.Popen(
            [ROCPROFV3, "--gpu", "soft", "--", PROGRAM, *arguments], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.pid = int(self.process.stdout.readline().split()[1])
        self.total = 0

    def do(self, kernels):
        self.process.stdin.write(f"{kernels}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer == f"done {kernels}, 0 foreign variables\n", answer
        self.total += 64 * kernels * kernels

    def say(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self):
        """What it printed at last and on stderr, and its status."""
        out, err = self.process.communicate(timeout=60)
        return out, remarks.own(err), self.process.returncode


class Attached:
    """rocprofv3 --pid, until detach()."""

    def __init__(self, pid, directory, *options, **settings):
        self.directory = directory
        self.process = subprocess.Popen(
            [ROCPROFV3, "--pid", str(pid), "-f", "csv", "-d", directory, "-o", "%pid%", *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            **settings)
        self.said = ""
        for line in self.process.stdout:
            self.said += line
            if line.startswith("Press Enter"):
                break

    def detach(self):
        out, err = self.process.communicate("\n", timeout=60)
        return self.said + out, err, self.process.returncode

    def wait(self):
        out, err = self.process.communicate(timeout=60)
        return self.said + out, err, self.process.returncode


def rows(directory, kind, pid=None):
    found = []
    for path in glob.glob(f"{directory}/{pid or '*'}_{kind}.csv"):
        with open(path, newline="") as file:
            found += csv.DictReader(file)
    return found


def grids(directory, pid=None):
    return [int(row["Grid_Size_X"]) for row in rows(directory, "kernel_trace", pid)]


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.directory = self.folder.name
        self.addCleanup(self.folder.cleanup)

    def start(self, *arguments, **settings):
        program = Program(*arguments, **settings)
        self.addCleanup(program.process.kill)
        return program

    def out(self, name):
        return os.path.join(self.directory, name)

    def attach(self, program, name, *options, **settings):
        return Attached(program.pid, self.out(name), *options, **settings)

    def unharmed(self, program):
        out, err, status = program.end()
        self.assertEqual((out, err, status), (f"sum {program.total} of {program.total}\n", "", 7))

    def complete(self, err):
        self.assertRegex(err, r"(\d+) records received, \1 written, 0 dropped, 0 filtered")

    def refused(self, pid, *options, **settings):
        window = Attached(pid, self.out("refused"), *(options or ("--kernel-trace",)), **settings)
        out, err, status = window.wait()
        self.assertNotEqual(status, 0)
        self.assertEqual(glob.glob(self.out("refused") + "/**/*.csv", recursive=True), [])
        return err


class Windows(Case):
    def test_windows(self):
        program = self.start()
        program.do(3)
        for turn, kernels in enumerate((5, 7, 2)):
            window = self.attach(program, str(turn), "--kernel-trace", "--hip-trace")
            program.do(kernels)
            program.do(kernels + 10)
            out, err, status = window.detach()
            self.assertEqual(status, 0, err)
            self.assertIn(f"Detaching from PID {program.pid}", out)
            self.complete(err)
            program.do(4)
            self.assertEqual(grids(self.out(str(turn))),
                             [64 * kernels] * kernels + [64 * (kernels + 10)] * (kernels + 10))
            calls = [row["Function"] for row in rows(self.out(str(turn)), "hip_api_trace")]
            self.assertEqual(calls.count("hipLaunchKernel"), 2 * kernels + 10)
            # loaded before the tool was there
            names = {row["Kernel_Name"] for row in rows(self.out(str(turn)), "kernel_trace")}
            self.assertEqual(names, {"add(unsigned int*)"})
        program.do(1)
        self.unharmed(program)

    def test_call_over_two_windows(self):
        program = self.start()
        for turn, word in (("first", "hold"), ("second", "release")):
            window = self.attach(program, turn, "--kernel-trace", "--hip-trace")
            program.say(word)
            program.do(2)
            out, err, status = window.detach()
            self.assertEqual(status, 0, err)
            calls = [row["Function"] for row in rows(self.out(turn), "hip_api_trace")]
            self.assertEqual(calls.count("hipLaunchKernel"), 2)
            self.assertNotIn("hipEventSynchronize", calls)
        self.unharmed(program)

    def test_counters(self):
        program = self.start()
        program.do(1)
        for turn in ("first", "second"):
            window = self.attach(program, turn, "--pmc", "SQ_WAVES")
            program.do(3)
            out, err, status = window.detach()
            self.assertEqual(status, 0, err)
            program.do(2)
            values = [(row["Counter_Name"], float(row["Counter_Value"]))
                      for row in rows(self.out(turn), "counter_collection")]
            self.assertEqual(values, [("SQ_WAVES", 3.0)] * 3)
        self.unharmed(program)

    def test_duration(self):
        program = self.start()
        window = self.attach(program, "out", "--kernel-trace", "--attach-duration-msec", "10")
        self.assertEqual(window.wait()[2], 0)
        program.do(2)
        self.assertEqual(grids(self.out("out")), [])
        self.unharmed(program)

    def test_children(self):
        program = self.start("child")
        for option, processes in (("yes", 2), ("no", 1)):
            window = self.attach(program, option, "--kernel-trace", "--attach-children", option)
            program.do(3)
            out, err, status = window.detach()
            self.assertEqual(status, 0, err)
            program.do(2)
            self.assertEqual(len(glob.glob(self.out(option) + "/*_kernel_trace.csv")), processes)
            self.assertEqual(grids(self.out(option)), [192] * 3 * processes)
        self.unharmed(program)


class Ends(Case):
    def test_program_ends(self):
        program = self.start()
        window = self.attach(program, "out", "--kernel-trace")
        program.do(6)
        self.unharmed(program)
        out, err, status = window.wait()
        self.assertEqual(status, 0, err)
        self.assertIn(f"Process {program.pid} has ended", out)
        self.complete(err)
        self.assertEqual(grids(self.out("out")), [384] * 6)

    def test_profiler_is_killed(self):
        program = self.start()
        window = self.attach(program, "killed", "--kernel-trace")
        program.do(5)
        window.process.kill()
        window.wait()
        for _ in range(200):  # the tool looks ten times a second
            again = self.attach(program, "again", "--kernel-trace")
            if "success" in again.said:
                break
            self.assertIn("being profiled already", again.wait()[1])
            time.sleep(0.05)
        program.do(3)
        self.assertEqual(again.detach()[2], 0)
        program.do(2)
        self.assertEqual(grids(self.out("again")), [192] * 3)
        left = subprocess.run([ROCPROFV3, "convert", self.out("killed")], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(left.returncode, 0, left.stderr)
        self.assertEqual(grids(self.out("killed")), [320] * 5)
        self.unharmed(program)

    def test_interrupted(self):
        program = self.start()
        window = self.attach(program, "out", "--kernel-trace")
        program.do(3)
        window.process.send_signal(signal.SIGINT)
        out, err, status = window.wait()
        self.assertEqual(status, 0, err)
        program.do(2)
        self.assertEqual(grids(self.out("out")), [192] * 3)
        self.unharmed(program)


class Attachers(Case):
    def test_by_the_library(self):
        """As a program of the user's would, without rocprofv3."""
        lib = os.path.join(os.path.dirname(os.path.dirname(ROCPROFV3)), "lib")
        rocattach = ctypes.CDLL(os.path.join(lib, "librocprofiler-sdk-rocattach.so.1"))
        rocattach.rocattach_get_status_name.restype = ctypes.c_char_p
        program = self.start()
        variables = {"ROCPROF_ATTACH_TOOL_LIBRARY": lib + "/librocprofiler-sdk-tool.so.1",
                     "ROCPROF_KERNEL_TRACE": "1", "ROCPROF_OUTPUT_PATH": self.directory,
                     "ROCPROF_OUTPUT_FORMAT": "csv", "ROCPROF_OUTPUT_FILE_NAME": "out"}
        with unittest.mock.patch.dict(os.environ, variables):
            self.assertEqual(rocattach.rocattach_attach_tree(program.pid), 0)
        program.do(2)
        time.sleep(0.3)  # nobody holds a lock for the tool: it must stay all the same
        program.do(3)
        self.assertEqual(rocattach.rocattach_detach_tree(program.pid), 0)
        program.do(4)
        done = subprocess.run([ROCPROFV3, "convert", self.directory], capture_output=True,
                              text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(grids(self.directory, "out"), [128] * 2 + [192] * 3)
        self.assertEqual(rocattach.rocattach_get_status_name(6),
                         b"ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND")
        self.assertEqual(rocattach.rocattach_detach(program.pid), 2)
        out, _, status = program.end()
        self.assertEqual((out, status), (f"sum {program.total} of {program.total}\n", 7))

    def test_second_profiler_and_other_options(self):
        program = self.start()
        window = self.attach(program, "out", "--kernel-trace")
        self.assertIn("is being profiled already", self.refused(program.pid))
        program.do(2)
        self.assertEqual(window.detach()[2], 0)
        self.assertEqual(grids(self.out("out")), [128] * 2)
        self.assertIn("ROCPROF_HIP_GRAPH_TRACE=1 was not asked for by the first attach",
                      self.refused(program.pid, "--kernel-trace", "--hip-runtime-trace"))
        program.do(1)
        self.unharmed(program)


class Refusals(Case):
    def test_no_such_process(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        self.assertIn(f"there is no process {gone.pid}", self.refused(gone.pid))

    def test_not_started_so(self):
        program = self.start(variable="0")
        self.assertIn("Start it with ROCP_TOOL_ATTACH=1", self.refused(program.pid))
        out, err, status = program.end()
        self.assertEqual((out, status), ("sum 0 of 0\n", 7))

    def test_not_permitted(self):
        settings = {}
        if os.geteuid() == 0:
            os.chmod(self.directory, 0o777)
            settings["user"] = NOBODY
            try:
                subprocess.run([ROCPROFV3, "--version"], user=NOBODY, capture_output=True)
            except PermissionError:
                self.skipTest("the build tree is closed to other users")
        self.assertIn("not permitted", self.refused(1, **settings))

    def test_other_architecture(self):
        code = bytes.fromhex("b81d000000cd80ebf7")  # i386: pause() for ever
        base, head = 0x8048000, 52 + 32
        size = head + len(code)
        path = self.out("i386")
        with open(path, "wb") as file:
            file.write(struct.pack("<4s12B2H5I6H", b"\x7fELF", 1, 1, 1, *[0] * 9, 2, 3, 1,
                                   base + head, 52, 0, 0, 52, 32, 1, 0, 0, 0))
            file.write(struct.pack("<8I", 1, 0, base, base, size, size, 5, 4096) + code)
        os.chmod(path, 0o755)
        try:
            other = subprocess.Popen([path])
        except OSError as error:
            self.skipTest(f"the kernel runs no 32-bit programs: {error}")
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.assertIn("another architecture (ELF machine 3, 32 bits)", self.refused(other.pid))

    def test_options(self):
        for options, text in ((("--", "true"), "--pid and a program exclude each other"),
                              (("--pmc", "SQ_WAVES", "--pmc", "SQ_INSTS_VALU"), "several --pmc"),
                              (("--stats",), "needs a tracing option")):
            self.assertIn(text, self.refused(os.getpid(), *options))


def may_attach():
    """Does the kernel let us ptrace even a child of ours? Not in every container."""
    seize = 0x4206
    child = subprocess.Popen(["sleep", "60"])
    allowed = ctypes.CDLL(None).ptrace(seize, child.pid, None, None) == 0
    child.kill()
    child.wait()
    return allowed


if __name__ == "__main__":
    if not may_attach():
        print("skipped: ptrace is not permitted here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
