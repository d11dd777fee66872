#!/usr/bin/env python3
"""Which compiler HIP would open: known from a record, or not known.

usage: identity.py DECIDE COMPILER (a library of the interface of libamd_comgr)
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

DECIDE, COMPILER = sys.argv[1:3]
NAME = "/libamd_comgr.so.2"


class Identity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="crocprof-identity-")
        self.addCleanup(folder.cleanup)
        self.kept, self.one, self.two = (folder.name + name for name in ("/kept", "/one", "/two"))
        for at in self.one, self.two:
            os.mkdir(at)
            shutil.copy(COMPILER, at + NAME)

    def decide(self, path, *arguments, cwd="/", **more):
        drop = ("SOFTGPU_", "AMD_COMGR_", "LD_")
        environment = {**{k: v for k, v in os.environ.items() if not k.startswith(drop)},
                       "SOFTGPU_COMPILED": self.kept, "LD_LIBRARY_PATH": path, **more}
        return subprocess.run([DECIDE, *arguments], env=environment, cwd=cwd, text=True, stdout=subprocess.PIPE,
                              timeout=60, check=True).stdout.strip()

    def records(self):
        return len(glob.glob(self.kept + "/*"))

    def test_known_the_second_time(self):
        self.assertEqual(self.decide(self.one), f"opened {self.one}{NAME} keeps")
        self.assertEqual(self.decide(self.one), f"known {self.one}{NAME} keeps")
        self.assertEqual(self.decide(f"{self.two}:{self.one}"), f"opened {self.two}{NAME} keeps")
        self.assertEqual(self.decide(f"{self.two}:{self.one}"), f"known {self.two}{NAME} keeps")

    def test_parts_in_given_folders(self):
        """A library of LLVM that is searched from now on is another compiler; other files are nothing."""
        self.decide(self.one)
        records = self.records()
        for i in range(3):
            open(f"{self.one}/output{i}", "w").close()
            self.assertEqual(self.decide(self.one), f"known {self.one}{NAME} keeps")
        self.assertEqual(self.records(), records)
        open(self.one + "/libLLVM-15.so.1", "w").close()
        self.assertEqual(self.decide(self.one), f"opened {self.one}{NAME} keeps")

    def test_working_folder(self):
        """A colon at the end of the variable gives the working folder, in which programs write."""
        work = self.kept + "-work"
        os.mkdir(work)
        counts = []
        for i in range(3):
            open(f"{work}/output{i}", "w").close()
            self.assertRegex(self.decide(self.one + ":", cwd=work), f"^(known|opened) {self.one}{NAME} keeps$")
            counts.append(self.records())
        self.assertEqual(len(set(counts)), 1)
        self.assertEqual(self.decide(".", cwd=self.one), "none")

    def test_replaced_with_the_same_size_and_time(self):
        self.decide(self.one)
        before = os.stat(self.one + NAME)
        shutil.copy(COMPILER, self.one + "/new")
        os.rename(self.one + "/new", self.one + NAME)
        os.utime(self.one + NAME, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual(self.decide(self.one), f"opened {self.one}{NAME} keeps")

    def test_replaced_while_the_program_runs(self):
        self.decide(self.one)
        self.assertEqual(self.decide(self.one, self.one + NAME), f"known {self.one}{NAME} keeps nothing")
        self.assertEqual(self.decide(self.one), f"opened {self.one}{NAME} keeps")

    def test_not_known(self):
        self.decide(self.one)
        for variables in ({"LD_PRELOAD": self.two + NAME}, {"AMD_COMGR_SAVE_TEMPS": ""}, {"SOFTGPU_COMPILED": "off"}):
            self.assertEqual(self.decide(self.one, **variables), "none")
        self.assertEqual(self.decide(self.one), f"known {self.one}{NAME} keeps")
        os.mkdir(self.one + "/glibc-hwcaps")
        self.assertEqual(self.decide(self.one), "none")
        for minor in "5", "4":  # the first is in the record
            self.assertEqual(self.decide(self.two, FAKE_MINOR=minor), "none")
        with open(self.two + NAME, "w"):  # is no library
            self.assertEqual(self.decide(self.two), "none")

    def test_damaged_records(self):
        self.decide(self.one)
        for path in glob.glob(self.kept + "/*"):
            whole = open(path, "rb").read()
            for at in range(0, len(whole), 5):
                with open(path, "wb") as f:
                    f.write(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
                self.assertRegex(self.decide(self.one), f"^(known|opened) {self.one}{NAME} keeps$")

    def test_folders_of_the_loader(self):
        own = ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib", "/usr/lib"]
        for given in ([], ["/usr/lib/rocm/lib"], ["/lib/other", "/opt/lib"], ["/usr/lib/x86_64-linux-gnu"], ["/lib", "/usr/lib"]):
            self.assertEqual(self.decide("", "given", *given, *own), str(len(given)))
        self.assertEqual(self.decide("", "given", "/usr/lib/rocm", "/lib64", "/usr/lib64"), "1")


unittest.main(argv=sys.argv[:1])
