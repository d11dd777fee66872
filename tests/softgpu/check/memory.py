"""Accesses and frees that are wrong; see corpus.py."""
import os
import re
import signal
import subprocess
import unittest

import corpus

ALLOCATION = "is 0 bytes after the 4000 bytes that hipMalloc gave out at"



def behind(made, call):
    """1005 of 1024 work-items write; for one kind of allocation."""
    return ({"invalid-write": 1}, "invalid write of 4 bytes, lane 40 of wave 3, group (3,0,0)", "bug: write",
            "5 lanes of this wave", f"is 0 bytes after the 4000 bytes that {call} gave out at", made)


def stray(words, made=None):
    """64 work-items write where there is nothing, which ends the program."""
    return corpus.Bug({"invalid-write": 1}, "invalid write of 4 bytes, lane 0 of wave 0, group (0,0,0)", "bug: write",
                      "64 lanes of this wave", words, made, status=-signal.SIGABRT)


BUGS = {
    # 1005 of 1024 work-items write: 1000 to 1004 are lanes 40 to 44 of the fourth wave of group 3
    "write-behind": ({"invalid-write": 1}, "invalid write of 4 bytes, lane 40 of wave 3, group (3,0,0)",
                     "bug: write", "5 lanes of this wave", ALLOCATION, "made: allocate"),
    # from[8 + i]: work-items 992 to 999 read behind the end, lanes 32 to 39 of the last wave
    "read-behind": ({"invalid-read": 1}, "invalid read of 4 bytes, lane 32 of wave 3, group (3,0,0)",
                    "bug: read", "8 lanes of this wave", ALLOCATION, "made: allocate"),
    "atomic-behind": ({"invalid-atomic": 1}, "invalid atomic access of 4 bytes, lane 0 of wave 0, group (0,0,0)",
                      "bug: atomic", " of this wave",  # of one lane where the compiler has it add for all
                      "is 0 bytes after the 16 bytes that hipMalloc gave out at", "made: allocate"),
    # what is freed stays mapped for a while: the program goes on
    "used-freed": corpus.Bug({"invalid-read": 1}, "invalid read of 4 bytes, lane 0 of wave 0, group", "bug: read",
                             "64 lanes of this wave", "is 0 bytes inside the 4000 bytes that hipMalloc gave out at",
                             "made: allocate", "bug: freed"),
    "freed-twice": ({"double-free": 1}, "free of what has been taken back", "bug: double-free", None,
                    "is 0 bytes inside the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    # the runtime takes the whole of it back, so that the next call is wrong too
    "freed-inside": ({"invalid-free": 1, "double-free": 1}, "free of what has not been given out", "bug: free", None,
                     "is 16 bytes inside the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    # 1024 - 64 bytes: the last 16 work-items write beyond, and the first 16 read there
    "lds-short": ({"lds-write": 1, "lds-read": 1},
                  "write beyond the LDS of the workgroup of 4 bytes, lane 48 of wave 3, group", "bug: lds-write",
                  "16 lanes of this wave", "offset 960; the workgroup has 960 bytes"),
    "lds-shifted": ({"lds-read": 1}, "read beyond the LDS of the workgroup of 4 bytes, lane 0 of wave 0, group",
                    "bug: lds-read", "2 lanes of this wave", "offset 1028; the workgroup has 1024 bytes"),
    # one element is read for the whole wave: no lane
    "scalar-behind": ({"invalid-read": 1}, "invalid read of 4 bytes, wave ", "bug: scalar", None,
                      "is 4 bytes after the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    "arguments-behind": ({"kernel-arguments": 1}, "read beyond the kernel's arguments of 4 bytes, wave 0, group (0,0,0)",
                         "bug: arguments", None, "offset 1024; there are 8 bytes of arguments"),
    # rocRAND's generators are such kernels
    "wide-arguments-behind": ({"kernel-arguments": 1},
                              "read beyond the kernel's arguments of 16 bytes, wave 0, group (0,0,0)",
                              "bug: wide-arguments", None, "offset 48; there are 40 bytes of arguments"),
    "scratch-behind": ({"scratch-write": 1},
                       "write beyond the scratch of the lane of 4 bytes, lane 0 of wave 0, group (0,0,0)",
                       "bug: scratch-write", "64 lanes of this wave", "; the lane has"),
    "code-written": ({"code-write": 1}, "write to code of 4 bytes, lane 0 of wave 0, group (0,0,0)", "bug: code",
                     "1 lane of this wave", "is in never(int)"),
    # no GPU does it: the runtime ends the program, as without the check
    "misaligned": corpus.Bug({"misaligned-atomic": 1}, "misaligned atomic access of 8 bytes, lane 0 of wave 0, group (0,0,0)",
                             "bug: misaligned", "1 lane of this wave",
                             "is 4 bytes inside the 32 bytes that hipMalloc gave out at", "made: allocate",
                             status=-signal.SIGABRT),
    "float-atomic": ({"fine-grained-float-atomic": 1},
                     "floating-point atomic access to fine-grained memory of 4 bytes, lane 0 of wave 0, group (0,0,0)",
                     "bug: float-atomic", "64 lanes of this wave",
                     "is 0 bytes inside the 8 bytes that hipHostMalloc gave out at", "made: sum"),
    "null-pointer": stray("is in no allocation\n  that is a null pointer, or a little behind it\n"),
    "own-memory": stray("is in no allocation\n  it is memory of the program's own"),
    "far-away": stray("is 1099511627776 bytes before the 4000 bytes that hipMalloc gave out at", "made: allocate"),
    "host-behind": behind("made: host", "hipHostMalloc"),
    "managed-behind": behind("made: managed", "hipMallocManaged"),
    "managed-side-by-side": ({"invalid-write": 3}, "invalid write of 4 bytes, lane 0 of wave 0, group (16,0,0)",
                             "bug: write", "5 lanes of this wave",
                             "is 0 bytes after the 16384 bytes that hipMallocManaged gave out at", "made: full"),
    "pool-behind": behind("made: pool", "hipMallocAsync"),
    "registered-behind": behind("made: registered", "hipHostRegister"),
    "extended-behind": behind("made: extended", "hipExtMallocWithFlags"),
    "own-pool-behind": behind("made: own-pool", "hipMallocFromPoolAsync"),
    "other-behind": behind("made: other", "hipIpcOpenMemHandle"),
    "hsa-behind": ({"invalid-write": 2}, *behind("made: region", "hsa_memory_allocate")[1:]),
    # whole pages, with none behind them
    "mapped-behind": corpus.Bug({"invalid-write": 1}, "invalid write of 4 bytes, lane 0 of wave 0, group (", "bug: write",
                                "1 lane of this wave", "bytes that hipMemMap gave out at", "made: mapped",
                                status=-signal.SIGABRT),
    # rows and slices are as far apart as the runtime wants
    "pitch-behind": ({"invalid-write": 1}, "invalid write of 4 bytes, lane ", "bug: write", "1 lane of this wave",
                     "bytes that hipMallocPitch gave out at", "made: pitch"),
    "box-behind": ({"invalid-write": 1}, "invalid write of 4 bytes, lane ", "bug: write", "1 lane of this wave",
                   "bytes that hipMalloc3D gave out at", "made: box"),
    # whole pages: behind them there is none, and no other allocation
    "neighbours": corpus.Bug({"invalid-write": 1}, "invalid write of 4 bytes, lane 0 of wave 0, group (4,0,0)", "bug: write",
                             "1 lane of this wave", "is 0 bytes after the 4096 bytes that hipMalloc gave out at",
                             "made: allocate", status=-signal.SIGABRT),
    "used-unregistered": corpus.Bug({"invalid-write": 1}, "invalid write of 4 bytes, lane 0 of wave 0, group (0,0,0)", "bug: write",
                                    "64 lanes of this wave",
                                    "is 0 bytes inside the 4000 bytes that hipHostRegister gave out at",
                                    "made: registered", "bug: unregistered", status=-signal.SIGABRT),
    "registered-by-host-address": stray("is in no allocation\n  that is the program's own address of memory that "
                                        "hipHostRegister was told of, which the GPU has at 0x"),
    "locked-behind": ({"invalid-write": 1}, "invalid write of 4 bytes, lane ", "bug: write", "1 lane of this wave",
                      "is 0 bytes after the 8000 bytes that hsa_amd_memory_lock gave out at"),
    "used-freed-async": ({"invalid-read": 1}, "invalid read of 4 bytes, lane 0 of wave 0, group", "bug: read",
                         "64 lanes of this wave", "is 0 bytes inside the 4000 bytes that hipMallocAsync gave out at",
                         "made: async", "bug: freed-async"),
    "freed-async-twice": ({"double-free": 1}, "free of what has been taken back", "bug: double-free-async", None,
                          "is 0 bytes inside the 4000 bytes that hipMallocAsync gave out at", "made: async-twice"),
    "copied-behind": ({"copy-read": 1}, "invalid read by a copy of 4020 bytes", "bug: copy", None, ALLOCATION,
                      "made: allocate"),
    "filled-behind": ({"copy-write": 1}, "invalid write by a copy or fill of 4004 bytes", "bug: set", None, ALLOCATION,
                      "made: allocate"),
    # 10 rows of 400 bytes and 396 bytes of another
    "copied-2d-behind": ({"copy-write": 1}, "invalid write by a copy or fill of 4396 bytes", "bug: copy-2d", None,
                         ALLOCATION, "made: allocate"),
    "copied-3d-behind": ({"copy-write": 1}, "invalid write by a copy or fill of 4000 bytes", "bug: copy-3d", None,
                         ALLOCATION, "made: allocate"),
    "copied-freed": ({"copy-read": 1}, "invalid read by a copy of 4000 bytes", "bug: copy-freed", None,
                     "is 0 bytes inside the 4000 bytes that hipMalloc gave out at", "made: allocate",
                     "bug: copy-freed-free"),
    # right when it is asked for: the copy engine finds it, long after the call
    "copied-late": ({"copy-read": 1}, "invalid read by a copy of 1048576 bytes", "bug: late", None,
                    "is 0 bytes inside the 1048576 bytes that hipMallocAsync gave out at", "made: late",
                    "bug: late-free"),
}


libraries = subprocess.run(["ldd", corpus.program], capture_output=True, text=True, check=True).stdout
hip = int(re.search(r"libamdhip64\.so\.(\d+)", libraries)[1])
rocr = int(re.search(r"\.so\.1\.(\d+)", os.path.realpath(re.search(r"\S*/libhsa-runtime64\.so\S*", libraries)[0]))[1])
if rocr >= 13:  # of ROCm 6.1, the first of ours that leaves the memory mapped
    BUGS["used-unregistered"] = BUGS["used-unregistered"]._replace(kinds={"invalid-write": 1}, status=0)
    del BUGS["registered-by-host-address"]  # and has it at the program's own address
if hip == 5:  # which does not map it
    del BUGS["mapped-behind"]
if corpus.GPU.startswith("mi3"):
    del BUGS["float-atomic"]  # its atomic instructions add there, too


class Memory(unittest.TestCase):
    def test_stack(self):
        """How many instructions go beyond depends on the compiler; the first is in the function that calls itself."""
        text = corpus.check("stack-overflow").stderr
        self.assertIn("beyond the scratch of the lane of 4 bytes, lane 0 of wave 0, group (0,0,0)\n"
                      "  recurse(int*, int const*, int), in deeper(int const*, int) at ", text)
        self.assertRegex(text, corpus.place_of("bug: stack"))
        self.assertEqual(corpus.check("stack-overflow", "right").stderr, "softgpu: 0 errors\n")

    def test_zero_by_hardware(self):
        done = corpus.check("lds-nowhere", options=("--check=all",))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", "softgpu: 0 errors\n"))

    def test_leaks(self):
        """Of one stack together, the largest first; where they are asked for."""
        done = corpus.check("leaked", options=("--check=leaks",))
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"))
        self.assertRegex(done.stderr, "^softgpu: error: leak of 3000 bytes\n  hipMalloc at " +
                         corpus.place_of("made: leaked") +
                         "(.*\n)+?  3 allocations that nobody has given back\n"
                         "softgpu: error: leak of 512 bytes\n  hipHostMalloc at " +
                         corpus.place_of("made: leaked-host") +
                         "(.*\n)+?  1 allocation that nobody has given back\n"
                         "softgpu: 2 errors\nsoftgpu:   leak  ")
        self.assertEqual(corpus.check("leaked", "right", options=("--check=leaks",)).stderr, "softgpu: 0 errors\n")
        self.assertEqual(corpus.check("leaked").stderr, "softgpu: 0 errors\n")
        if hip > 5:
            self.assertEqual(corpus.check("captured", options=("--check=leaks",)).stderr, "softgpu: 0 errors\n")

    def test_no_more_is_held(self):
        """80 MB are freed, 4 or all may be kept back, which those who ask do not see; with none freed memory is unmapped, and its use ends the program."""
        def held(mib, *words):
            return corpus.check(*words, env={**os.environ, "SOFTGPU_CHECK_HELD": mib})
        for mib in ("4", "256"):
            done = held(mib, "many-freed", "right")
            self.assertEqual((done.stdout, done.stderr), ("done\n", "softgpu: 0 errors\n"))
        done = held("4", "many-freed")
        self.assertEqual(done.stdout, "done\n")
        self.assertIn("invalid write of 4 bytes, lane 40 of wave 3, group (3,0,0)", done.stderr)
        done = held("0", "used-freed")
        self.assertEqual(done.returncode, -signal.SIGABRT)
        self.assertRegex(done.stderr, " and hipFree took back at " + corpus.place_of("bug: freed"))


if corpus.WAVE == 32 or corpus.GPU == "mi100":
    del BUGS["float-atomic"]  # HIP has them add floats by comparing and swapping

corpus.main(BUGS, unprofiled=[name for name in BUGS if re.search("freed|async|late|pool", name)])
