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
        read, lds = ("unwritten", ELSEWHERE, "f"), {("lds", ELSEWHERE, ELSEWHERE)}
        self.assertFalse(excused(pair, {also}))
        self.assertTrue(excused(pair, {also, read}, lds))
        self.assertFalse(excused(pair, {also, read}))  # the barrier has kept nothing apart in LDS
        self.assertFalse(excused(pair, {also, read}, {("global", ELSEWHERE, ELSEWHERE)}))
        self.assertFalse(excused(pair, {also, ("unwritten", ELSEWHERE, "g")}, lds))
        self.assertFalse(excused(pair, {("also", HERE, "g"), read}, lds))  # another kernel has read there
        self.assertFalse(excused(("uninit-branch", THERE, HERE), {also, read}, lds))

    def test_rules_are_counted_apart(self):
        own = [(("uninit-branch", HERE, THERE), "", "f"), (("uninit-branch", NOWHERE, THERE), "", "f")]
        told = mutate.consequences(set(), {("unwritten", HERE, "f")}, own)
        self.assertEqual(sorted(told.values()), ["no place where it was read", "read too early, or elsewhere"])


class Strayed(unittest.TestCase):
    FIRST = {("unwritten", HERE, "f", (0, 0, 4)), ("apart", THERE, "f", None)}

    def test_reads_of_other_dispatches(self):
        here = {("unwritten", HERE, "f", (1, 0, 4))}
        self.assertEqual(mutate.strayed(here, self.FIRST, set()), {("unwritten", HERE, "f")})

    def test_dispatches_that_have_moved(self):
        here = {("unwritten", HERE, "f", (1, 0, 4))}
        self.assertEqual(mutate.strayed(here, self.FIRST, {"f"}), {("also", HERE, "f")})
        self.assertEqual(mutate.strayed(here, self.FIRST, {"g"}), {("unwritten", HERE, "f")})
        other = {("unwritten", HERE, "f", (1, 0, 8))}
        self.assertEqual(mutate.strayed(other, self.FIRST, {"f"}), {("unwritten", HERE, "f")})

    def test_barriers(self):
        self.assertEqual(mutate.strayed(self.FIRST, self.FIRST, {"f"}), {("also", HERE, "f")})
        self.assertEqual(mutate.strayed({("apart", HERE, "f", None)}, self.FIRST, {"f"}), {("apart", HERE, "f")})


if __name__ == "__main__":
    unittest.main()
