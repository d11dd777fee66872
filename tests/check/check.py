"""softgpu --check: each program of bugs.hip is reported with its line, its lane and its allocation, and its
repaired twin is not. usage: check.py SOFTGPU PROGRAM SOURCE [unittest arguments]"""
import re
import signal
import subprocess
import sys
import unittest

softgpu, program, source = sys.argv[1:4]
del sys.argv[1:4]

# By program: the kinds in the summary with how often they were different, what the first report begins with,
# and the comment that its line bears.
BUGS = {
    # 1005 of 1024 work-items write: 1000 to 1004 are lanes 40 to 44 of the fourth wave of group 3
    "write-behind": ({"invalid-write": 1}, "invalid write of 4 bytes, lane 40 of wave 3, group (3,0,0)",
                     "bug: write", "5 lanes of this wave",
                     "is 0 bytes after the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    # from[8 + i]: work-items 992 to 999 read behind the end, lanes 32 to 39 of the last wave
    "read-behind": ({"invalid-read": 1}, "invalid read of 4 bytes, lane 32 of wave 3, group (3,0,0)",
                    "bug: read", "8 lanes of this wave",
                    "is 0 bytes after the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    "atomic-behind": ({"invalid-atomic": 1}, "invalid atomic access of 4 bytes, lane 0 of wave 0, group (0,0,0)",
                      "bug: atomic", " of this wave",  # of one lane where the compiler has it add for all
                      "is 0 bytes after the 16 bytes that hipMalloc gave out at", "made: allocate"),
    "freed-twice": ({"double-free": 1}, "free of what has been taken back", "bug: double-free", None,
                    "is 0 bytes inside the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    # the runtime takes the whole of it back, so that the next call is wrong too
    "freed-inside": ({"invalid-free": 1, "double-free": 1}, "free of what has not been given out", "bug: free", None,
                     "is 16 bytes inside the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    # 1024 - 64 bytes: the last 16 work-items write beyond, and the first 16 read there
    "lds-short": ({"lds-write": 1, "lds-read": 1},
                  "write beyond the LDS of the workgroup of 4 bytes, lane 48 of wave 3, group", "bug: lds-write",
                  "16 lanes of this wave", "offset 960; the workgroup has 960 bytes", None),
    "lds-shifted": ({"lds-read": 1}, "read beyond the LDS of the workgroup of 4 bytes, lane 0 of wave 0, group",
                    "bug: lds-read", "2 lanes of this wave", "offset 1028; the workgroup has 1024 bytes", None),
    "left-early": ({"barrier-exit": 1}, "waves have ended while others wait at a barrier",
                   "bug: barrier-exit", None, "3 of 4 waves wait here, wave 3 is the first that has ended", None),
}


def line_of(comment):
    with open(source, encoding="utf-8") as f:
        return next(number for number, line in enumerate(f, 1) if line.rstrip().endswith("// " + comment))


def check(*words, options=("--check",)):
    return subprocess.run([softgpu, "--cus", "4", *options, "--", program, *words], capture_output=True, text=True,
                          timeout=100)


class Check(unittest.TestCase):
    def test_bugs_are_found(self):
        for name, (kinds, head, comment, lanes, place, made) in BUGS.items():
            with self.subTest(name):
                done = check(name)
                text = done.stderr
                self.assertEqual((done.returncode, done.stdout), (0, "done\n"), text)
                self.assertIn("softgpu: error: " + head, text)
                self.assertRegex(text, rf"bugs\.hip:{line_of(comment)}\b")
                for part in (lanes, place):
                    if part:
                        self.assertIn(part, text)
                if made:
                    self.assertRegex(text, rf"{re.escape(place)} \S*bugs\.hip:{line_of(made)}\b")
                found = dict(re.findall(r"softgpu:   (\S+) +(\d+) different", text))
                self.assertEqual({k: int(v) for k, v in found.items()}, kinds, text)

    def test_use_of_what_is_gone(self):
        """The GPU has no such page: the runtime ends the program, as without the check."""
        done = check("used-freed")
        self.assertEqual(done.returncode, -signal.SIGABRT, done.stderr)
        self.assertIn("softgpu: error: invalid read of 4 bytes, lane 0 of wave 0, group", done.stderr)
        self.assertRegex(done.stderr, rf"is \d+ bytes inside the 4000 bytes that hipMalloc gave out at "
                         rf"\S*bugs\.hip:{line_of('made: allocate')} and hipFree took back at "
                         rf"\S*bugs\.hip:{line_of('bug: freed')}\b")

    def test_twins_are_silent(self):
        for name in (*BUGS, "used-freed"):
            with self.subTest(name):
                done = check(name, "right")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", "softgpu: 0 errors\n"))

    def test_status(self):
        """Of the program, unless another is asked for and something was wrong; signals stay signals."""
        asked = ("--check", "--error-exitcode", "42")
        self.assertEqual(check("write-behind", options=asked).returncode, 42)
        self.assertEqual(check("write-behind", "right", options=asked).returncode, 0)
        self.assertEqual(check("no such", options=asked).returncode, 2)
        killed = subprocess.run([softgpu, *asked, "--", "sh", "-c", "kill -USR1 $$"], timeout=60, check=False)
        self.assertEqual(killed.returncode, -signal.SIGUSR1)
        refused = check("write-behind", options=("--error-exitcode", "0"))
        self.assertEqual(refused.returncode, 2)
        self.assertIn('--error-exitcode: "0" is not a number from 1 to 255', refused.stderr)

    def test_nothing_without(self):
        done = check("write-behind", options=())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))


unittest.main()
