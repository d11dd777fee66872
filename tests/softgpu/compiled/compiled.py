#!/usr/bin/env python3
"""Kernels that HIP compiles for itself: kept by the first program, used by the others, and lost without harm.

usage: compiled.py SOFTGPU PROGRAM
"""
import glob
import os
import stat
import subprocess
import sys
import tempfile
import unittest

SOFTGPU, PROGRAM = sys.argv[1:3]
# HIP 5: logs of two that add headers and libraries; compile, link, code, executable; the compiler of HIP 6 and 7 has a cache of its own
KEPT = 6 if glob.glob("/usr/lib/*/libamd_comgr.so.2") else 0


class Compiled(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="crocprof-compiled-")
        self.addCleanup(self.folder.cleanup)
        self.at = self.folder.name + "/a/kept"

    def environment(self, **more):
        drop = ("SOFTGPU_", "AMD_COMGR_", "XDG_CACHE_HOME")
        return {**{k: v for k, v in os.environ.items() if not k.startswith(drop) or k == "SOFTGPU_GPU"}, **more}

    def start(self, **more):
        return subprocess.Popen([SOFTGPU, "--", PROGRAM], env=self.environment(**more), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process, stderr=""):
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out, err), (0, "vectoradd: 100003 checked, 0 wrong\n", stderr))

    def run_program(self, stderr="", **more):
        self.finish(self.start(**more), stderr)

    def kept(self):
        return {path: os.stat(path).st_ino for path in glob.glob(self.at + "/*")}

    def test_kept_and_used(self):
        self.run_program(SOFTGPU_COMPILED=self.at)
        kept = self.kept()
        self.assertEqual(len(kept), KEPT)
        self.assertEqual(stat.S_IMODE(os.stat(self.at).st_mode), 0o700)
        self.assertEqual({stat.S_IMODE(os.stat(path).st_mode) for path in kept}, {0o600})
        self.run_program(SOFTGPU_COMPILED=self.at)
        self.assertEqual(self.kept(), kept)  # a file that had not been used would have been written anew

    def test_damaged_is_compiled_again(self):
        self.run_program(SOFTGPU_COMPILED=self.at)
        for path in self.kept():
            with open(path, "r+b") as f:
                f.truncate(os.stat(path).st_size - 1)
        damaged = self.kept()
        self.run_program(SOFTGPU_COMPILED=self.at)
        kept = self.kept()
        self.assertEqual(bool(set(kept.items()) - set(damaged.items())), bool(KEPT))
        self.run_program(SOFTGPU_COMPILED=self.at)
        self.assertEqual(self.kept(), kept)

    def test_many_at_once(self):
        programs = [self.start(SOFTGPU_COMPILED=self.at) for _ in range(3)]
        for program in programs:
            self.finish(program)
        kept = self.kept()  # bitcode is not the same in each process, so that there may be more than one of a step
        self.assertGreaterEqual(len(kept), KEPT)
        self.assertTrue(all(path.endswith(".comgr") for path in kept), "a file that was only begun")
        self.run_program(SOFTGPU_COMPILED=self.at)
        self.assertEqual(self.kept(), kept)

    def test_default_folder(self):
        self.run_program(XDG_CACHE_HOME=self.folder.name)
        self.at = self.folder.name + "/softgpu"
        self.assertEqual(len(self.kept()), KEPT)
        self.run_program(HOME=self.folder.name + "/home")
        self.at = self.folder.name + "/home/.cache/softgpu"
        self.assertEqual(len(self.kept()), KEPT)

    def test_nothing_kept(self):
        os.makedirs(self.at)
        self.run_program(SOFTGPU_COMPILED="off", XDG_CACHE_HOME=self.at)
        self.run_program(SOFTGPU_COMPILED=self.at, AMD_COMGR_TIME_STATISTICS="")
        self.run_program(SOFTGPU_COMPILED="/dev/null/kept")
        os.chmod(self.at, 0o777)  # others could put code there
        self.run_program(SOFTGPU_COMPILED=self.at)
        self.assertEqual(self.kept(), {})
        self.run_program('softgpu: warning: SOFTGPU_COMPILED is "kept", which is neither off nor an absolute path: '
                         "nothing is kept\n", SOFTGPU_COMPILED="kept")


unittest.main(argv=sys.argv[:1])
