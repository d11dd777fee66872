"""What mutate.py takes for a consequence of a barrier that was left out."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutate

NOWHERE = (None, None)
HERE, THERE, ELSEWHERE = ("f", 4), ("f", 8), ("g", 12)


def excused(pair, astray=(), harmful=(), note="", kernel="f"):
    return pair in mutate.consequences(set(harmful), set(astray), [(pair, note, kernel)])


class Consequences(unittest.TestCase):
    def test_barriers_with_places(self):
        apart = {("apart", HERE, "f"), ("apart", THERE, "f")}
        self.assertTrue(excused(("barrier-exit", HERE, THERE), apart))
        self.assertTrue(excused(("barrier-exit", NOWHERE, THERE), apart))
        self.assertFalse(excused(("barrier-exit", HERE, ELSEWHERE), apart))

    def test_barriers_without_places(self):
        self.assertFalse(excused(("barrier-exit", NOWHERE, NOWHERE)))
        self.assertFalse(excused(("barrier-exit", NOWHERE, NOWHERE), {("apart", HERE, "f")}))

    def test_unwritten_values_with_their_reader(self):
        unwritten = {("unwritten", HERE, "f")}
        self.assertTrue(excused(("uninit-branch", HERE, THERE), unwritten))
        self.assertFalse(excused(("uninit-branch", ELSEWHERE, THERE), unwritten))
        self.assertTrue(excused(("uninit-branch", HERE, THERE), harmful={("lds", ELSEWHERE, HERE)}))

    def test_unwritten_values_without_a_reader(self):
        pair = ("uninit-branch", NOWHERE, THERE)
        unwritten = {("unwritten", HERE, "f")}
        self.assertTrue(excused(pair, unwritten))
        self.assertFalse(excused(pair))
        self.assertFalse(excused(pair, unwritten, kernel="g"))  # another kernel has read unwritten LDS
        self.assertFalse(excused(pair, unwritten, note=mutate.NEVER + "v3"))

    def test_unwritten_values_that_were_read_before(self):
        pair, also = ("uninit-branch", HERE, THERE), ("also", HERE, "f")
        self.assertFalse(excused(pair, {also}))
        self.assertTrue(excused(pair, {also, ("unwritten", ELSEWHERE, "f")}))
        self.assertFalse(excused(pair, {also, ("unwritten", ELSEWHERE, "g")}))
        self.assertFalse(excused(("uninit-branch", THERE, HERE), {also, ("unwritten", ELSEWHERE, "f")}))


if __name__ == "__main__":
    unittest.main()
