#!/usr/bin/env python3
"""rocprofv3 --progress and rocprofv3 watch, on pseudo-terminals, while a real program runs.

usage: live.py BUILD_DIR PROGRAM [unittest arguments]
PROGRAM: shows.hip, which launches kernels until a file is there
"""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import remarks

BUILD, PROGRAM = sys.argv[1:3]
ROCPROFV3 = f"{BUILD}/bin/rocprofv3"
# what the line is drawn with: room for it, itself, and its end; each is one write that brings the cursor back
LINE = re.compile(rb"(?:\x1bD)?\x1b7\x1b\[1;\d+r\x1b8(?:\x1b\[1A)?|\x1b7(?:\x1b\[r)?\x1b\[\d+;1H\x1b\[2K([ -~]*)\x1b8")


class Terminal:
    """A program on a pseudo-terminal that is its own."""

    def __init__(self, *words, rows=30, columns=100, environment=None):
        self.text = b""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
                os.execve(words[0], words, {**os.environ, "TERM": "xterm", **(environment or {})})
            finally:
                os._exit(127)

    def read(self, until=None, limit=60):
        """What comes until the pattern is in it, or to the end."""
        end = time.monotonic() + limit
        while not (until and re.search(until, self.text)):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"{limit} s without {until}: {self.text[-2000:]}")
            try:
                more = os.read(self.fd, 65536)
            except OSError:
                more = b""
            if not more:
                break
            self.text += more
        return self.text

    def end(self):
        self.read()
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="live-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.flag = self.dir + "/enough"
        self.words = [ROCPROFV3, "--gpu", "soft", "--kernel-trace", "-d", self.dir + "/out", "--progress", "--", PROGRAM,
                      "slow", self.flag]

    def enough(self):
        with open(self.flag, "w", encoding="utf-8"):
            pass


class Progress(Case):
    def check_output(self, text):
        """The program's lines, all of them, in order and whole, and what rocprofv3 says at its end."""
        steps = re.match(rb"((?:step \d+ \x1b\[1mof many\x1b\[0m\r\n)+)done\r\n"
                         rb"(?:" + remarks.OF_THE_RUNTIME.pattern.encode() + rb")?(?:rocprofv3: [^\r\x1b]*\r\n)+$", text)
        self.assertTrue(steps, text[-3000:])
        numbers = [int(n) for n in re.findall(rb"step (\d+)", steps[1])]
        self.assertEqual(numbers, list(range(len(numbers))))

    def test_line(self):
        terminal = Terminal(*self.words)
        terminal.read(rb"busiest any_size")
        terminal.read(rb"(?s)busiest any_size.*busiest any_size")
        self.enough()
        self.assertEqual(terminal.end(), 0)
        self.check_output(LINE.sub(b"", terminal.text))
        lines = [m[1] for m in LINE.finditer(terminal.text) if m[1]]
        for line in lines:
            self.assertLess(len(line), 100)
            self.assertRegex(line, rb"^rocprofv3: \d+ records, \d+ kernels/s(, busiest any_size\(float\*\) \(100 %\))?, 0 "
                                   rb"dropped$")
        records = [int(line.split()[1]) for line in lines]
        self.assertEqual(records, sorted(records))
        # the last row is scrolled again, and empty, before anything else is said
        ends = [m.start() for m in re.finditer(rb"\x1b7\x1b\[r\x1b\[30;1H\x1b\[2K\x1b8", terminal.text)]
        self.assertEqual(len(ends), 1)
        self.assertGreater(terminal.text.index(b"rocprofv3: process"), ends[0])

    def test_killed(self):
        """Whoever is killed leaves no terminal behind whose last row does not scroll; the program goes on."""
        terminal = Terminal(*self.words)
        terminal.read(rb"rocprofv3: \d")
        os.kill(terminal.pid, signal.SIGKILL)
        terminal.read(rb"\x1b7\x1b\[r\x1b\[30;1H\x1b\[2K\x1b8")
        self.enough()
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(terminal.pid, 0)[1]), -signal.SIGKILL)
        self.assertIn(b"\x1b[r", terminal.text)
        self.assertNotRegex(terminal.text.rpartition(b"\x1b[r")[2], rb"\x1b\[1;\d+r")
        os.close(terminal.fd)

    def test_small_terminal(self):
        terminal = Terminal(*self.words, rows=5, columns=20)
        terminal.read(rb"rocprofv3: \d")
        terminal.read(rb"step [1-9]\d ")
        self.enough()
        self.assertEqual(terminal.end(), 0)
        self.check_output(LINE.sub(b"", terminal.text))
        self.assertTrue(all(len(m[1] or b"") < 20 for m in LINE.finditer(terminal.text)))

    def test_no_terminal(self):
        self.enough()
        for environment in ({}, {"TERM": "dumb"}):
            done = subprocess.run(self.words, capture_output=True, timeout=60, check=True,
                                  env=dict(os.environ, **environment))
            self.assertNotIn(b"\x1b", done.stderr)
        terminal = Terminal(*self.words, environment={"TERM": "dumb"})
        self.assertEqual(terminal.end(), 0)
        self.assertNotIn(b"\x1b7", terminal.text)


class Watch(Case):
    def setUp(self):
        super().setUp()
        self.words.remove("--progress")
        self.run = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for _ in range(5):
            self.run.stdout.readline()

    def tearDown(self):
        self.enough()
        self.assertEqual(self.run.wait(timeout=60), 0)
        self.run.stdout.close()

    def once(self, status=0):
        done = subprocess.run([ROCPROFV3, "watch", "--once", self.dir + "/out"], capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def calls(self):
        said = self.once().stdout
        self.assertRegex(said, r"^1 process, 0 ended; \d+ records, 0 dropped\n\nKernel +Calls +Total")
        return int(re.search(r"\nany_size\(float\*\) +(\d+) ", said)[1])

    def test_once(self):
        self.assertGreater(self.calls(), 0)
        for _ in range(20):
            line = self.run.stdout.readline()
        # the program writes a step's line after the step's kernel: the kernels of the steps before it have ended
        self.assertGreaterEqual(self.calls(), int(re.match(rb"step (\d+)", line)[1]))

    def test_terminal(self):
        terminal = Terminal(ROCPROFV3, "watch", self.dir + "/out", rows=20, columns=70)
        terminal.read(rb"(?s)any_size.*; \d+ kernels/s")
        attributes = termios.tcgetattr(terminal.fd)[3]
        self.assertFalse(attributes & (termios.ICANON | termios.ECHO))
        os.write(terminal.fd, b"x")
        os.write(terminal.fd, b"q")
        self.assertEqual(terminal.end(), 0)
        self.assertIn(b"\x1b[?1049l", terminal.text)
        shown, _, after = terminal.text.rpartition(b"\x1b[?1049l")
        self.assertIn(b"any_size", after)  # what there was at last stays on the screen
        for line in re.findall(rb"(?:\x1b\[H)?([^\r\n\x1b]*)\x1b\[K", shown):
            self.assertLess(len(line), 70)

    def test_interrupted(self):
        terminal = Terminal(ROCPROFV3, "watch", self.dir + "/out")
        terminal.read(rb"any_size")
        os.write(terminal.fd, b"\x03")
        self.assertEqual(terminal.end(), 0)
        self.assertIn(b"\x1b[?25h\x1b[?1049l", terminal.text)


class Nothing(unittest.TestCase):
    def test_nothing_there(self):
        with tempfile.TemporaryDirectory() as directory:
            done = subprocess.run([ROCPROFV3, "watch", directory], capture_output=True, text=True, timeout=60, check=False,
                                  stdin=subprocess.DEVNULL)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("no run that records is here", done.stderr)


unittest.main(argv=[sys.argv[0]] + sys.argv[3:])
