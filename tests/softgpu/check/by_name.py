"""What programs are told that open HIP by themselves and look its functions up, in C and by ctypes. usage as of
corpus.py, of by_name.c."""
import ctypes
import os
import sys

N = 1000


def by_ctypes(module_file, right):
    """Is a program of its own: a kernel and a copy, each beyond the end."""
    for version in (7, 6, 5):
        try:
            hip = ctypes.CDLL(f"libamdhip64.so.{version}")
            break
        except OSError:
            continue
    more = 0 if right else 10
    at, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    host = (ctypes.c_int * (2 * N))()
    count, value = ctypes.c_int(N + more), ctypes.c_int(1)
    arguments = (ctypes.c_void_p * 3)(*(ctypes.cast(ctypes.byref(a), ctypes.c_void_p) for a in (at, count, value)))
    status = (hip.hipMalloc(ctypes.byref(at), ctypes.c_size_t(4 * N)),
              hip.hipModuleLoad(ctypes.byref(module), module_file.encode()),
              hip.hipModuleGetFunction(ctypes.byref(function), module, b"fill"),
              hip.hipModuleLaunchKernel(function, 4, 1, 1, 256, 1, 1, 0, None, arguments, None),
              hip.hipDeviceSynchronize())
    hip.hipMemcpy(host, at, ctypes.c_size_t(4 * (N + more)), 2)
    print("done" if not any(status) and host[N - 1] == right else status)
    return hip.hipFree(at)


if sys.argv[1] == "ctypes":
    sys.exit(by_ctypes(sys.argv[2], int(sys.argv[3])))

import unittest  # noqa: E402

import corpus  # noqa: E402
import suite_gpu  # noqa: E402
from corpus import program, run, softgpu  # noqa: E402

OF = "the 4000 bytes that hipMalloc gave out at"
BEHIND = "is 0 bytes after " + OF

BUGS = {
    "write": ({"invalid-write": 1}, "invalid write of 4 bytes, lane 40 of wave 3, group (3,0,0)\n  fill at ", None,
              " 10 lanes of this wave, 1 wave so far", BEHIND, "made: to"),
    "copy": ({"copy-read": 1}, "invalid read by a copy of 4040 bytes\n  hipMemcpy at ", "bug: copy", None, BEHIND,
             "made: to"),
    "freed": ({"invalid-write": 1, "double-free": 1}, "free of what has been taken back\n  hipFree at ", "bug: freed"),
    "streams": ({"race-global": 1}, "race of 4 bytes, lane ", None, None, OF, "made: to"),
}


class Ctypes(unittest.TestCase):
    def told(self, right):
        done = run(softgpu, "--cus", str(suite_gpu.UNITS), "--check=all", "--", sys.executable, os.path.abspath(__file__), "ctypes",
                   program + ".co", right)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        return done.stderr

    def test_bugs(self):
        text = self.told("0")
        for head in ("invalid write of 4 bytes, lane 40 ", "invalid read by a copy of 4040 bytes"):
            self.assertIn("softgpu: error: " + head, text)
        self.assertEqual(text.count(BEHIND), 2, text)
        self.assertIn("softgpu: 2 errors\n", text)

    def test_right(self):
        self.assertEqual(self.told("1"), "softgpu: 0 errors\n")


corpus.main(BUGS, ("--check=all",), single=BUGS)
