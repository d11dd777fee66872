"""Values that nobody has written; see corpus.py."""
import corpus

ALLOCATED = "bytes inside the 4000 bytes that hipMalloc gave out at"
CONDITION = "a condition of what nobody has written, lane "
ONE = {"uninitialized-condition": 1}


def condition(lane="0 of wave", lanes=" lanes of this wave", place=f"is 0 {ALLOCATED}"):
    """mark() looks at a thousand values: which group is the first is chance where there are many."""
    return corpus.Bug(ONE, CONDITION + lane, "bug: condition", lanes, place, "made: allocate")


BUGS = {
    "condition": condition(place=ALLOCATED),
    # 996 to 999 are lanes 36 to 39 of the last wave
    "condition-end": condition("36 of wave 3, group (3,0,0)", "4 lanes of this wave", f"is 3984 {ALLOCATED}"),
    # the first that is not written is the second
    "condition-gaps": condition("1 of wave", "32 lanes of this wave", f"4 {ALLOCATED}"),
    "given-again": condition(place=ALLOCATED),
    "copied": condition(place=ALLOCATED),
    "transferred": condition(place=ALLOCATED),
    # 500 and what follows: lane 52 of the last wave of group 1 and those behind
    "from-host": condition("", place=ALLOCATED),
    "address": corpus.Bug({"uninitialized-address": 1}, "an address that nobody has written, lane 0 of wave",
                          "bug: address", " lanes of this wave", ALLOCATED, "made: allocate"),
    "branch": corpus.Bug({"uninitialized-branch": 1}, "a branch by a value that nobody has written, wave 0",
                         "bug: branch", None, f"is 0 {ALLOCATED}", "made: allocate"),
    "member": corpus.Bug(ONE, CONDITION + "0 of wave", "bug: member", " lanes of this wave", f"4 {ALLOCATED}",
                         "made: allocate"),
    "counter": corpus.Bug({"uninitialized-atomic": 1}, "an atomic operation on what nobody has written, lane 0 of wave 0",
                          "bug: counter", "5 lanes of this wave", f"is 0 {ALLOCATED}", "made: allocate"),
    "border": corpus.Bug(ONE, CONDITION + "0 of wave 0", "bug: local", "1 lane of this wave",
                         "the workgroup has not written offset 0 of its LDS"),
    "bins": corpus.Bug({"uninitialized-atomic": 1}, "an atomic operation on what nobody has written, lane 0 of wave 0",
                       "bug: bins", "64 lanes of this wave", "the workgroup has not written offset 0 of its LDS"),
    # 15, 31, 47 and 63 are 15 modulo 16
    "array": corpus.Bug(ONE, CONDITION + "15 of wave 0", "bug: array", "4 lanes of this wave",
                        "the lane has not written its private memory there"),
    # more than a MiB of a wave
    "array-large": corpus.Bug(ONE, CONDITION + "15 of wave 0", "bug: array", "4 lanes of this wave",
                              "the lane has not written its private memory there"),
    "kept": corpus.Bug(ONE, CONDITION + "0 of wave 0", "bug: kept", "64 lanes of this wave", f"is 0 {ALLOCATED}",
                       "made: allocate"),
    "tile": corpus.Bug(ONE, CONDITION + "0 of wave 0", "bug: tile", "28 lanes of this wave", f"is 400 {ALLOCATED}",
                       "made: allocate"),
    "register": corpus.Bug(ONE, CONDITION + "0 of wave 0", "bug: vector", "64 lanes of this wave",
                           "the wave has never written v"),
    "vcc": corpus.Bug({"uninitialized-branch": 1}, "a branch by a value that nobody has written, lane 0 of wave 0",
                      "bug: vcc", "64 lanes of this wave", "the wave has never written VCC"),
    "index": corpus.Bug({"uninitialized-address": 1}, "an address that nobody has written, wave 0", "bug: index", None,
                        f"is 0 {ALLOCATED}", "made: allocate"),
    # byte 3999: lane 31 of wave 2 of group 15
    "last-byte": corpus.Bug(ONE, CONDITION + "31 of wave 2, group (15,0,0)", "bug: bytes", "1 lane of this wave",
                            f"is 3999 {ALLOCATED}", "made: allocate"),
    "pool": corpus.Bug(ONE, CONDITION + "0 of wave", "bug: condition", " lanes of this wave",
                       "bytes that hipMallocAsync gave out at", "made: pool"),
    "box": corpus.Bug(ONE, CONDITION + "0 of wave", "bug: condition", " lanes of this wave",
                      "bytes that hipMalloc3D gave out at", "made: box"),
    # the first 64 are written
    "hsa": corpus.Bug(ONE, CONDITION + "0 of wave", "bug: condition", " lanes of this wave",
                      "bytes inside the 4000 bytes that hsa_amd_memory_pool_allocate gave out at", "made: hsa"),
}


class Strict(corpus.unittest.TestCase):
    """What is stored for others to see is an error when that is asked for, not else."""

    def run_copied(self, *words, options=()):
        return corpus.check("copied", *words, options=("--check=init", *options))

    def test_stores(self):
        store = r"uninitialized-store +1 different"
        self.assertRegex(self.run_copied(options=["--init=strict"]).stderr, store)
        self.assertNotRegex(self.run_copied().stderr, store)

    def test_twin(self):
        self.assertEqual(self.run_copied("right", options=["--init=strict"]).stderr, "softgpu: 0 errors\n")

    def test_copies(self):
        """To the host, of what a kernel has left out; by the call that asks for it."""
        strict = ("--check=init", "--init=strict")
        text = corpus.check("brought-back", options=strict).stderr
        self.assertRegex(text, "^softgpu: error: a copy of what nobody has written of 4000 bytes\n  hipMemcpy at " +
                         corpus.place_of("bug: brought-back"))
        self.assertIn(" is 3600 bytes inside the 4000 bytes that hipMalloc gave out at ", text)
        self.assertIn("\n  nobody has written 400 of these bytes, from there on\nsoftgpu: 1 error\n", text)
        by_kernel = corpus.check("brought-back", options=strict,
                                 env={**corpus.os.environ, "HSA_ENABLE_SDMA": "0"}).stderr
        self.assertRegex(by_kernel, "(?s)^softgpu: error: a copy of what nobody has written, lane .*\n  hipMemcpy at " +
                         corpus.place_of("bug: brought-back"))
        for words, options in ((("right",), strict), ((), ("--check=init",)), ((), ("--check=all",))):
            self.assertEqual(corpus.check("brought-back", *words, options=options).stderr, "softgpu: 0 errors\n")

    def test_refused(self):
        done = self.run_copied(options=["--init=loose"])
        self.assertEqual(done.returncode, 2)
        self.assertIn('--init (SOFTGPU_CHECK_INIT): "loose" is not strict', done.stderr)


class Reader(corpus.unittest.TestCase):
    def test_another_wave(self):
        self.assertIn("the value was read, lane 36 of wave 1, group (0,0,0)\n",
                      corpus.check("tile", options=("--check=init",)).stderr)


class Pool(corpus.unittest.TestCase):
    def test_not_held(self):
        """Nobody tells when a stream has got to what hipFreeAsync takes back: it is no leak, and what the pool gives out
        in its place may still be in use."""
        done = corpus.check("pool", "right", options=("--check=init,leaks",),
                            env={**corpus.os.environ, "SOFTGPU_CHECK_HELD": "0"})
        self.assertEqual((done.stdout, done.stderr), ("done\n", "softgpu: 0 errors\n"))


corpus.sys.modules["__main__"].Pool = Pool
corpus.sys.modules["__main__"].Strict = Strict
corpus.sys.modules["__main__"].Reader = Reader
corpus.main(BUGS, ("--check=init",))
