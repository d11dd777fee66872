#!/usr/bin/env python3
"""Kernels that HIP compiles for itself: kept by the first program, used by the others, and lost without harm.

usage: compiled.py SOFTGPU PROGRAM RTC (a program that has HIP compile its kernel)
"""
import glob
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import remarks

SOFTGPU, PROGRAM, RTC = sys.argv[1:4]
COMPILER = glob.glob("/usr/lib/*/libamd_comgr.so.2")
# HIP 5: logs of two that add headers and libraries; compile, link, code, executable; which compiler it is, that it knows the
# target, what it says of it, and for which targets it says that two code objects are; the compiler of HIP 6 and 7 has a
# cache of its own
KEPT = 11 if COMPILER else 0
keeps = unittest.skipUnless(KEPT, "no libamd_comgr of version 2: nothing is kept")


class Compiled(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="crocprof-compiled-")
        self.addCleanup(self.folder.cleanup)
        self.at = self.folder.name + "/a/kept"

    def environment(self, **more):
        drop = ("SOFTGPU_", "AMD_COMGR_", "XDG_CACHE_HOME")
        return {**{k: v for k, v in os.environ.items() if not k.startswith(drop) or k == "SOFTGPU_GPU"}, **more}

    def start(self, **more):
        # in a folder of its own, where the compiler puts its statistics (AMD_COMGR_TIME_STATISTICS)
        return subprocess.Popen([SOFTGPU, "--", PROGRAM], env=self.environment(**more), text=True, cwd=self.folder.name,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process, stderr=""):
        out, err = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out, remarks.own(err)), (0, "vectoradd: 100003 checked, 0 wrong\n", stderr))

    def run_program(self, stderr="", **more):
        self.finish(self.start(**more), stderr)

    def kept(self):
        return {path: os.stat(path).st_ino for path in glob.glob(self.at + "/*")}

    full = None  # a folder as the first program leaves it

    def fill(self):
        """What a first program keeps: it compiles for a second, so that one does so for all cases that begin with it."""
        if not self.full:
            folder = tempfile.TemporaryDirectory(prefix="crocprof-compiled-")
            self.run_program(SOFTGPU_COMPILED=folder.name + "/kept")
            Compiled.full = folder  # not before: if the program fails, the next case runs it again
        shutil.copytree(self.full.name + "/kept", self.at)

    @classmethod
    def tearDownClass(cls):
        if cls.full:
            cls.full.cleanup()

    @keeps
    def test_kept_and_used(self):
        self.fill()
        kept = self.kept()
        self.assertEqual(len(kept), KEPT)
        self.assertEqual(stat.S_IMODE(os.stat(self.at).st_mode), 0o700)
        self.assertEqual({stat.S_IMODE(os.stat(path).st_mode) for path in kept}, {0o600})
        self.run_program(SOFTGPU_COMPILED=self.at)
        self.assertEqual(self.kept(), kept)  # a file that had not been used would have been written anew

    def loaded(self, **more):
        """Names of the libraries that the program loads."""
        with tempfile.TemporaryDirectory() as folder:
            self.run_program(LD_DEBUG="files", LD_DEBUG_OUTPUT=folder + "/of", **more)
            text = "".join(open(path, errors="replace").read() for path in glob.glob(folder + "/*"))
        return {os.path.basename(line.split("file=")[1].split()[0]) for line in text.splitlines()
                if "file=" in line and "generating link map" in line}

    @keeps
    def test_compiler_is_not_opened(self):
        self.fill()
        loaded = self.loaded(SOFTGPU_COMPILED=self.at)
        self.assertIn("libamdhip64.so.5", loaded)
        self.assertEqual({name for name in loaded if name.startswith(("libamd_comgr.so.2", "libLLVM"))}, set())
        none = self.folder.name + "/none"
        os.mkdir(none)
        opened = self.loaded(SOFTGPU_COMPILED="off", XDG_CACHE_HOME=none)
        self.assertIn("libamd_comgr.so.2", opened)
        self.assertEqual(os.listdir(none), [])

    @keeps
    def test_another_compiler(self):
        """One in a folder that is searched first, and the same when it has changed."""
        self.fill()
        kept = [len(self.kept())]
        other = self.folder.name + "/other"
        os.mkdir(other)
        shutil.copy(COMPILER[0], other)
        for change in (lambda: None, lambda: os.utime(other + "/libamd_comgr.so.2")):
            change()
            self.run_program(SOFTGPU_COMPILED=self.at, LD_LIBRARY_PATH=other)
            kept.append(len(self.kept()))
            self.run_program(SOFTGPU_COMPILED=self.at, LD_LIBRARY_PATH=other)
            self.assertEqual(len(self.kept()), kept[-1])
        self.assertGreaterEqual(kept[1], kept[0] + KEPT)
        self.assertGreaterEqual(kept[2], kept[1] + KEPT - 1)  # which compiler is in that folder is replaced

    def test_programs_that_compile(self):
        for at in (self.at, self.at, "off"):
            done = subprocess.run([SOFTGPU, "--", RTC], env=self.environment(SOFTGPU_COMPILED=at), text=True,
                                  capture_output=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout, remarks.own(done.stderr)),
                             (0, "rtc: 0 and 0 wrong, refused, found\n", ""))

    @keeps
    def test_damaged_is_compiled_again(self):
        self.fill()
        for path in self.kept():
            with open(path, "r+b") as f:
                f.truncate(os.stat(path).st_size - 1)
        damaged = self.kept()
        self.run_program(SOFTGPU_COMPILED=self.at)
        kept = self.kept()
        self.assertTrue(set(kept.items()) - set(damaged.items()))
        self.run_program(SOFTGPU_COMPILED=self.at)
        self.assertEqual(self.kept(), kept)

    def test_two_at_once(self):
        programs = [self.start(SOFTGPU_COMPILED=self.at) for _ in range(2)]
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

    @keeps
    def test_folder_in_home(self):
        self.at = self.folder.name + "/home/.cache/softgpu"
        self.fill()  # is found there: a program that looked elsewhere would open the compiler
        self.assertNotIn("libamd_comgr.so.2", self.loaded(HOME=self.folder.name + "/home"))
        self.at = self.folder.name + "/new/.cache/softgpu"  # and the folders are made in a home that has none of them
        os.mkdir(self.folder.name + "/new")
        self.run_program(HOME=self.folder.name + "/new")
        self.assertEqual(len(self.kept()), KEPT)

    def test_nothing_kept(self):
        os.makedirs(self.at)
        self.run_program(SOFTGPU_COMPILED=self.at, AMD_COMGR_TIME_STATISTICS="")
        self.run_program(SOFTGPU_COMPILED="/dev/null/kept")
        os.chmod(self.at, 0o777)  # others could put code there
        self.run_program(SOFTGPU_COMPILED=self.at)
        self.assertEqual(self.kept(), {})

    @keeps  # of another version nothing asks for the variable
    def test_path_that_is_not_absolute(self):
        self.run_program('softgpu: warning: SOFTGPU_COMPILED is "kept", which is neither off nor an absolute path: '
                         "nothing is kept\n", SOFTGPU_COMPILED="kept")


unittest.main(argv=sys.argv[:1])
