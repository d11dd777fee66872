"""Waves that do not meet; see corpus.py."""
import os
import subprocess
import unittest

import corpus
import suite_gpu

BUGS = {
    "left-early": ({"barrier-exit": 1}, "waves have ended while others wait at a barrier", "bug: barrier-exit", None,
                   "3 of 4 waves wait here, wave 3 is the first that has ended"),
    "different-barriers": corpus.Bug({"barrier-place": 1}, "waves wait at different barriers", "bug: barrier-place",
                                     None, "bytes of code lie between the barriers", other="other: barrier-place"),
    "different-rounds": ({"barrier-exit": 1}, "waves have ended while others wait at a barrier", "bug: barrier-loop",
                         None, "3 of 4 waves wait here, wave 0 is the first that has ended"),
}

# By program that would wait for ever: the lines where its waves are, each with what is said of it, and whether the
# program comes to its end when it is let go, or is given up; more that is said.
NEVER = {
    "flag-never": ([(r"4 waves in a loop", "bug: flag")], True),
    "lock-twice": ([(r"3 waves in a loop", "bug: lock"), (r"1 wave in a loop", "bug: lock")], False),
    "spin-before-barrier": ([(r"1 wave in a loop", "bug: spin"), (r"1 wave at the barrier", "other: spin")], False),
    "wait-for-each-other": ([(r"2 waves in a loop", "bug: exchange")], False),
    "more-than-fit": ([(rf"{suite_gpu.UNITS + 64} waves in a loop", "bug: gather")], False,
                      "they leave no room for 4 more workgroups"),
    # from gfx942 on, what has no global wave sync counts in memory
    "left-grid": ([("3 waves in a loop" if corpus.GPU.startswith("mi3") else "3 waves at a global barrier", "bug: grid")], False),
}
LONG = ("program-sets", "slow-producer")

ENVIRONMENT = os.environ | {"SOFTGPU_CHECK_HANG": "1"}


class Never(unittest.TestCase):
    def judge(self, name, text, status, output, rest):
        places, ends, *more = NEVER[name]
        self.assertIn("softgpu: error: waves wait for what never comes, wave", text)
        for what, comment in places:
            self.assertRegex(text, rf"\n  {what} at [^\n]*{corpus.place_of(comment)}")
        for said in more:
            self.assertIn(said, text)
        self.assertEqual((status, output), (0, "done\n"))
        self.assertIn("softgpu:   never-satisfied      1 different, 1 time\n" if ends else "", rest)
        self.assertNotIn("softgpu: error", rest)

    def run_until_told(self, name):
        """What is told while it waits; then it is let go."""
        places, _, *more = NEVER[name]
        with subprocess.Popen([corpus.softgpu, "--cus", str(suite_gpu.UNITS), "--check", "--", corpus.program, name], text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              env=ENVIRONMENT) as process:
            try:
                told = ""
                while told.count(", first wave") < len(places) or not all(said in told for said in more):
                    line = process.stderr.readline()
                    if not line:
                        break
                    told += line
                output, rest = process.communicate("\n", timeout=60)
            finally:
                process.kill()
            return told, process.returncode, output, rest

    def test_waits_without_an_end(self):
        for name, found in corpus.in_twos(self.run_until_told, NEVER):
            with self.subTest(name):
                self.judge(name, *found)

    def test_twins_and_long_waits_are_silent(self):
        for name, done in corpus.in_twos(lambda name: corpus.check(name, "right", env=ENVIRONMENT), (*NEVER, *LONG)):
            with self.subTest(name):
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", "softgpu: 0 errors\n"))


corpus.main(BUGS)
