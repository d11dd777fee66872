"""Accesses beyond variables of the program's kernels; see corpus.py."""
import json
import signal
import tempfile
import unittest

import corpus

COUNTS = "is 0 bytes after the 404 bytes of the variable numbers::counts at"


class Formats(unittest.TestCase):
    def test_json(self):
        """A variable is not made by a call, but declared."""
        text = corpus.check("variable-behind", options=("--check", "--check-format", "json")).stderr
        place = corpus.records(text)[1]["allocation"]
        self.assertEqual([place.get(key) for key in ("variable", "bytes", "side", "distance", "made")],
                         ["numbers::counts", 404, "after", 0, None])
        self.assertRegex("{file}:{line}".format(**place["declared"][0]), corpus.place_of("made: counts"))

    def test_sarif(self):
        with tempfile.NamedTemporaryFile() as file:
            corpus.check("variable-behind",
                         options=("--check", "--check-format", "sarif", "--check-output", file.name))
            with open(file.name, encoding="utf-8") as f:
                related = json.load(f)["runs"][0]["results"][0]["relatedLocations"][0]
        self.assertEqual(related["message"]["text"], "numbers::counts")


corpus.main({
    # work-item 101 of 102
    "variable-behind": ({"invalid-write": 1}, "invalid write of 4 bytes, lane 37 of wave 1, group (0,0,0)",
                        "bug: variable", "1 lane of this wave", COUNTS, "made: counts"),
    # the read; the write is another
    "variable-before": ({"invalid-read": 1, "invalid-write": 1},
                        "invalid read of 4 bytes, lane 0 of wave 0, group (0,0,0)", "bug: before",
                        "1 lane of this wave", "is 4 bytes before the 16 bytes of the variable first at", "made: first"),
    "constant-behind": ({"invalid-read": 1}, "invalid read of 4 bytes, lane 5 of wave 0, group (0,0,0)", "bug: table",
                        "1 lane of this wave", "is 0 bytes after the 20 bytes of the variable table at", "made: table"),
    "managed-variable-behind": ({"invalid-write": 1}, "invalid write of 4 bytes, lane 40 of wave 3, group (3,0,0)",
                                "bug: shared", "5 lanes of this wave",
                                "is 0 bytes after the 4000 bytes of the variable shared at", "made: shared"),
    # no GPU does it
    "variable-misaligned": corpus.Bug({"misaligned-atomic": 1}, "misaligned atomic access of 8 bytes, lane 0 of wave 0, group (0,0,0)",
                                      "bug: sums", "1 lane of this wave",
                                      "is 4 bytes inside the 32 bytes of the variable totals::sums at", "made: sums",
                                      status=-signal.SIGABRT),
    "copied-to-symbol": ({"copy-write": 1}, "invalid write by a copy or fill of 404 bytes", "bug: to-symbol", None,
                         COUNTS, "made: counts"),
    "copied-from-symbol": ({"copy-read": 1}, "invalid read by a copy of 21 bytes", "bug: from-symbol", None,
                           "is 0 bytes after the 20 bytes of the variable table at", "made: table"),
    "filled-variable": ({"copy-write": 1}, "invalid write by a copy or fill of 512 bytes", "bug: set-variable", None,
                        COUNTS, "made: counts"),
    # a load and a compare-and-swap of a dword of which not a byte is there; of the twin's two are
    "half-behind": ({"invalid-read": 1, "invalid-atomic": 1},
                    "invalid read of 4 bytes, lane 0 of wave 0, group (0,0,0)", "bug: half", "1 lane of this wave",
                    "is 2 bytes after the 6 bytes that hipMalloc gave out at", "made: halves"),
})
