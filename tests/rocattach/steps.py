#!/usr/bin/env python3
"""Whatever becomes of who attaches, the process goes on as it was: its waiting thread waits where it
waited, with the registers that it had, in the same code, and no mapping is left.

usage: steps.py ATTACHER TARGET KILLER"""
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
import unittest

ATTACHER, TARGET, KILLER = sys.argv[1:4]
KILLS = 60
SECONDS = 30  # until something that must come is missing


class Target:
    def __init__(self, *arguments):
        # one heap: what the process allocates makes no mappings
        environment = dict(os.environ, ROCP_TOOL_ATTACH="1", MALLOC_ARENA_MAX="1")
        self.process = subprocess.Popen([TARGET, *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env=environment, bufsize=0)
        assert self.process.stdout.readline() == b"ready\n"
        self.pid = self.process.pid
        self.thread = self.find_thread()
        self.before = self.waiting()

    def task(self, name):
        with open(f"/proc/{self.pid}/task/{self.thread}/{name}", encoding="ascii") as file:
            return file.read()

    def find_thread(self):
        for _ in range(SECONDS * 1000):
            for self.thread in os.listdir(f"/proc/{self.pid}/task"):
                if self.task("comm") == "rocp-bg-attach\n":
                    return int(self.thread)
            time.sleep(0.001)
        raise AssertionError("nothing listens")

    def waiting(self):
        """The thread's system call, arguments, stack and place, once it is in pause(2)."""
        for _ in range(SECONDS * 1000):
            now = self.task("syscall")
            if now.startswith("34 "):
                return now
            time.sleep(0.001)
        raise AssertionError(f"the thread does not come back: {now}")

    def state(self):
        with open(f"/proc/{self.pid}/auxv", "rb") as file:
            words = memoryview(file.read()).cast("Q").tolist()
        entry = dict(zip(words[::2], words[1::2]))[9]
        with open(f"/proc/{self.pid}/mem", "rb") as file:
            file.seek(entry)
            code = file.read(32)
        with open(f"/proc/{self.pid}/maps", encoding="utf-8") as file:
            maps = [line for line in file if "[heap]" not in line]
        status = re.search(r"SigBlk.*?\n", self.task("status"))[0]
        return self.waiting(), self.task("stat").split()[2], code, maps, status


def attach(pid, **variables):
    done = subprocess.run([ATTACHER, str(pid)], stdout=subprocess.PIPE, text=True, timeout=SECONDS,
                          env=dict(os.environ, **variables))
    return done.returncode, done.stdout


class StepsTest(unittest.TestCase):
    def start(self, *arguments):
        target = Target(*arguments)
        self.addCleanup(target.process.wait)
        self.addCleanup(target.process.kill)
        for stream in (target.process.stdin, target.process.stdout):
            self.addCleanup(stream.close)
        return target

    def attaches(self, target):
        self.assertEqual(attach(target.pid), (0, "attached\n"))

    def test_killed_at_each_step(self):
        target = self.start()
        self.attaches(target)
        before = target.state()
        kills, step, most = 0, 1, 0
        while kills < KILLS or not most:
            status, _ = attach(target.pid, LD_PRELOAD=KILLER, KILL_AT=str(step))
            self.assertEqual(target.state(), before, f"killed at step {step}")
            if status == 0:
                most, step = step - 1, 0
            else:
                self.assertEqual(status, -signal.SIGKILL)
                kills += 1
            step += 1
        self.assertGreater(most, 8)
        self.attaches(target)
        self.assertEqual(target.state(), before)

    def test_tool_hangs(self):
        target = self.start("waits")
        before = target.state()
        status, said = attach(target.pid, ROCPROF_ATTACH_TIMEOUT="1")
        self.assertEqual(status, 1)
        self.assertIn(f"process {target.pid} has not finished the attach within 1 seconds", said)
        self.assertIn("ROCPROF_ATTACH_TIMEOUT", said)
        # the next one finds the thread at work, and does not disturb it
        status, said = attach(target.pid, ROCPROF_ATTACH_TIMEOUT="1")
        self.assertEqual(status, 1)
        self.assertIn("is at work for another attach or detach", said)
        target.process.stdin.write(b"x")
        self.assertEqual(target.process.stdout.readline(), b"attached\n")
        after = target.state()
        self.assertEqual((after[0], after[2:]), (before[0], before[2:]))
        target.process.stdin.write(b"xx")
        self.attaches(target)
        target.process.stdin.write(b"x")
        status, said = attach(target.pid, ROCPROF_ATTACH_TIMEOUT="1")
        self.assertEqual(status, 2)
        self.assertIn(f"process {target.pid} has not finished the detach within 1 seconds", said)

    def test_stopped_process(self):
        target = self.start()
        self.attaches(target)
        before = target.state()
        target.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, target.pid, os.WSTOPPED | os.WNOWAIT)
        status, said = attach(target.pid, ROCPROF_ATTACH_TIMEOUT="1")
        self.assertEqual(status, 1)
        self.assertIn(f"it is stopped: kill -CONT {target.pid} lets it go on", said)
        target.process.send_signal(signal.SIGCONT)
        for word in (b"attached\n", b"detached\n", b"attached\n"):
            self.assertEqual(target.process.stdout.readline(), word)
        self.assertEqual(target.state(), before)
        self.attaches(target)

    def test_process_ends_meanwhile(self):
        target = self.start("waits")
        attacher = subprocess.Popen([ATTACHER, str(target.pid)], stdout=subprocess.PIPE, text=True)
        while target.task("syscall").startswith("34 "):
            time.sleep(0.001)
        target.process.kill()
        said, _ = attacher.communicate(timeout=SECONDS)
        self.assertEqual((attacher.returncode, said), (1, f"process {target.pid} has ended\n"))

    def test_debugged(self):
        target = self.start()
        seize, detach, interrupt = 0x4206, 17, 0x4207
        libc = ctypes.CDLL(None)
        self.assertEqual(libc.ptrace(seize, target.thread, None, None), 0)
        status, said = attach(target.pid)
        self.assertEqual(status, 1)
        self.assertIn(f"is being traced by process {os.getpid()}", said)
        self.assertEqual(libc.ptrace(interrupt, target.thread, None, None), 0)
        os.waitpid(target.thread, 0x40000000)  # __WALL
        self.assertEqual(libc.ptrace(detach, target.thread, None, None), 0)
        self.attaches(target)


if __name__ == "__main__":
    seized = subprocess.Popen(["sleep", "60"])
    allowed = ctypes.CDLL(None).ptrace(0x4206, seized.pid, None, None) == 0
    seized.kill()
    seized.wait()
    if not allowed:
        print("skipped: ptrace is not permitted here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
