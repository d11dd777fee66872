"""What is right, in ways that a check may take for wrong; see idioms.hip."""
import unittest

import corpus


class Idioms(unittest.TestCase):
    def test_no_check_says_anything(self):
        done = corpus.check(options=("--check=all",))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", "softgpu: 0 errors\n"))


unittest.main()
