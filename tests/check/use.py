"""softgpu --check from outside: its options and what it leaves alone. Programs are those of memory.hip; usage as of
corpus.py."""
import signal
import subprocess
import unittest

from corpus import check, softgpu


class Status(unittest.TestCase):
    """Of the program, unless another is asked for and something was wrong; signals stay signals."""

    def test_status(self):
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
