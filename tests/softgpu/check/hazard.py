"""Assembly that does not wait where it has to; see corpus.py."""
import unittest

import corpus
import suite_gpu

OPTIONS = ("--check=hazard",)
WAVE = ", lane 0 of wave 0, group (0,0,0)"
LOAD = "register used while a load is outstanding"
NEAR = "too few wait states between two instructions"
LDS = "read of LDS that has not been written for sure"
OVER = "write to LDS that may come too early"
OR_COPIED = "or v_accvgpr_write " if suite_gpu.ARCH == "gfx908" else ""
OF_F32 = "a matrix instruction of f32, 8 passes, its result is used, v47: 10 wait states needed, 9 had"
USED = {  # by GPU: the result of a matrix instruction that is read one wait state too early
    "gfx908": "a matrix instruction of 8 passes, v_accvgpr_read reads its result, a47: 10 wait states needed, 9 had",
    "gfx90a": "a matrix instruction of 8 passes, its result is read, v47: 11 wait states needed, 9 had",
    "gfx942": OF_F32,
    "gfx950": OF_F32,
}


def bug(name, kind, head, place, lanes="64 lanes of this wave"):
    """One finding, at the line "bug: NAME", with that of "first: NAME"."""
    return corpus.Bug({kind: 1}, head + (WAVE if lanes else ", wave 0, group (0,0,0)"), "bug: " + name, lanes=lanes,
                      place=place, other="first: " + name)


BUGS = {name: bug(name, *rest) for name, *rest in (
    ("vector-load", "hazard-wait", LOAD, "v40 is read; of 1 operation outstanding 0 came after its own: s_waitcnt "
                                         "vmcnt(0) waits for it", None),
    ("scalar-load", "hazard-wait", LOAD, "s40 is read; of 1 operation outstanding 0 came after its own: s_waitcnt "
                                         "lgkmcnt(0) waits for it", None),
    ("lds-load", "hazard-wait", LOAD, "v40 is read; of 2 operations outstanding 0 came after its own: s_waitcnt "
                                      "lgkmcnt(0) waits for it", None),
    ("one-too-many", "hazard-wait", LOAD, "v41 is read; of 1 operation outstanding 0 came after its own: s_waitcnt "
                                          "vmcnt(0) waits for it", None),
    ("no-order", "hazard-wait", LOAD, "s40 is read; of 2 operations outstanding 1 came after its own: s_waitcnt "
                                      "lgkmcnt(0) waits for it", None),
    ("written-over", "hazard-wait", LOAD, "v40 is written; of 1 operation outstanding", None),
    ("flat-load", "hazard-wait", LOAD, "s_waitcnt vmcnt(0) lgkmcnt(0) waits for it", None),
    ("barrier-early", "hazard-lds", LDS, "the write was outstanding when its wave came to the barrier"),
    ("read-late", "hazard-lds-write", OVER, "the read was outstanding when its wave came to the barrier"),
    ("write-late", "hazard-lds-write", OVER, "the write was outstanding when its wave came to the barrier"),
    ("flat-early", "hazard-lds", LDS, "the write was outstanding when its wave came to the barrier"),
    ("transfer-late", "hazard-lds-write", OVER, "a transfer to LDS is outstanding: s_waitcnt vmcnt waits for it"),
    ("transfer", "hazard-lds", LDS, "a transfer to LDS is outstanding: s_waitcnt vmcnt waits for it"),
    ("scalar-address", "hazard-nop", NEAR, "VALU writes an SGPR, vector memory reads it, s41: 5 wait states needed, 0 had"),
    ("lane-shift", "hazard-nop", NEAR, "VALU writes a VGPR, DPP reads it, v40: 2 wait states needed, 0 had", None),
    ("matrix-source", "hazard-nop", NEAR, f"VALU writes a VGPR, a matrix instruction {OR_COPIED}reads it, v40: 2 wait states needed, 0 had", None),
    ("matrix-result", "hazard-nop", NEAR, USED.get(suite_gpu.ARCH, ""), None),
    ("wide-store", "hazard-nop", NEAR,
     "a store of more than 64 bits, VALU writes its data, v43: 1 wait state needed, 0 had", None),
)}
BUGS["any-scc"] = corpus.Bug({"hazard-scc": 1}, "SCC is read and was never written, wave 0, group (0,0,0)",
                             "bug: any-scc", place="a wave starts with any SCC")


class Quiet(unittest.TestCase):
    def test_writes_that_nobody_waits_for(self):
        """Outstanding at a barrier, of data that no other wave reads, or of sums; and stores of LDS to memory."""
        for name, done in corpus.in_twos(lambda name: corpus.check(name, options=OPTIONS), ("own-lds", "sum-lds", "store-lds")):
            with self.subTest(name):
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", "softgpu: 0 errors\n"))


class Strict(unittest.TestCase):
    """Stores without lanes are reported where that is asked for."""

    def run_idle(self, *words, options=("--hazard=strict",)):
        return corpus.check("idle-store", *words, options=(*OPTIONS, *options))

    def test_store(self):
        done = self.run_idle()
        self.assertIn("softgpu: error: store without lanes, wave 0, group (0,0,0)", done.stderr)
        self.assertRegex(done.stderr, corpus.place_of("bug: idle-store"))
        self.assertRegex(done.stderr, r"softgpu: 1 error\nsoftgpu:   hazard-exec +1 different")

    def test_silent(self):
        for done in (self.run_idle("right"), self.run_idle(options=())):
            self.assertEqual((done.returncode, done.stderr), (0, "softgpu: 0 errors\n"))

    def test_refused(self):
        done = self.run_idle(options=["--hazard=loose"])
        self.assertEqual(done.returncode, 2)
        self.assertIn('--hazard (SOFTGPU_CHECK_HAZARD): "loose" is not strict', done.stderr)


corpus.main(BUGS, options=OPTIONS)
