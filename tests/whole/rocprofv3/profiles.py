#!/usr/bin/env python3
"""--gpu PATH: the software GPU is that of the profile, whatever folder the program changes to.

usage: profiles.py ROCPROFV3 PROGRAM"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import suite_gpu

ROCPROFV3, PROGRAM = map(os.path.abspath, sys.argv[1:3])
BIN = os.path.dirname(ROCPROFV3)
AVAIL, SOFTGPU = os.path.join(BIN, "rocprofv3-avail"), os.path.join(BIN, "softgpu")
MI210 = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../share/softgpu/mi210.profile")
NAME = "/sys/class/kfd/kfd/topology/nodes/1/name"


class Profiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = os.path.realpath(folder.name)
        self.write("own.profile", "own")

    def write(self, path, name):
        """A profile that is whole: that of an MI210 with another name and another number of units."""
        with open(MI210, encoding="utf-8") as known:
            text = re.sub(r"(?m)^name .*", f"name {name}", known.read())
        text = re.sub(r"(?m)^shader_engines .*", "shader_engines 4", text)
        with open(os.path.join(self.dir, path), "w", encoding="utf-8") as file:
            file.write(text)

    def run_it(self, *command, status=0, **variables):
        done = subprocess.run(command, cwd=self.dir, env={**os.environ, **variables}, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_avail(self):
        told = self.run_it(AVAIL, "--gpu", "./own.profile", "list", "--agent").stdout
        self.assertRegex(told, r"(?m)^model_name\s*:\s*own$")
        self.assertRegex(told, r"(?m)^num_shader_banks\s*:\s*4$")

    @unittest.skipUnless(suite_gpu.ARCH == "gfx90a", "the program has no code for the profile's GPU")
    def test_traced(self):
        """The program leaves the folder to which the path is relative; its kernels run on that GPU all the same."""
        self.run_it(ROCPROFV3, "--gpu", "./own.profile", "--kernel-trace", "-f", "json", "-d", "out", "-o", "t", "--",
                    "sh", "-c", 'cd / && exec "$0"', PROGRAM, SOFTGPU_GPU="mi100", SOFTGPU_PROFILE="mi100")
        with open(self.dir + "/out/t_results.json", encoding="utf-8") as file:
            run = json.load(file)["rocprofiler-sdk-tool"][0]
        gpus = [agent for agent in run["agents"] if agent["type"] == 2]
        self.assertEqual([(gpu["model_name"], gpu["num_shader_banks"]) for gpu in gpus], [("own", 4)])
        self.assertTrue(run["buffer_records"]["kernel_dispatch"])

    def test_link(self):
        """What a profile is like is beside the name that is given, not where a link of that name leads."""
        for folder in ("here", "there"):
            os.mkdir(f"{self.dir}/{folder}")
            self.write(f"{folder}/base.profile", folder)
        with open(self.dir + "/there/linked.profile", "w", encoding="utf-8") as file:
            file.write("like base\n")
        os.symlink("../there/linked.profile", self.dir + "/here/linked.profile")
        for start in ([SOFTGPU, "--gpu"], [SOFTGPU, "--profile"], [ROCPROFV3, "--log-level", "error", "--gpu"]):
            done = self.run_it(*start, "here/linked.profile", "--", "sh", "-c", f"cd / && cat {NAME}")
            self.assertEqual(done.stdout, "here\n", start)

    def test_environment(self):
        """The option comes before the variables of the environment."""
        done = self.run_it(ROCPROFV3, "--gpu", "./own.profile", "--", "sh", "-c", "echo $SOFTGPU_GPU $SOFTGPU_PROFILE $LD_PRELOAD",
                           SOFTGPU_GPU="mi100", SOFTGPU_PROFILE="mi100")
        words = done.stdout.split()
        self.assertTrue(os.path.isabs(words[0]), words[0])
        self.assertTrue(os.path.samefile(words[0], self.dir + "/own.profile"))
        self.assertIn("libsoftgpu-preload.so", words[1])

    def test_refused(self):
        for command in ([ROCPROFV3], [AVAIL]):
            rest = ["-s", "--", "true"] if command == [ROCPROFV3] else ["list"]
            for path, status, why in (("./other.profile", 125, "the profile ./other.profile: No such file or directory"),
                                      ("/tmp", 125, "the profile /tmp: Is a directory"),
                                      ("own.profile", 2, "the path of a profile has a slash in it")):
                done = self.run_it(*command, "--gpu", path, *rest, status=status)
                self.assertIn(why, done.stderr)
        self.assertEqual(glob.glob(self.dir + "/out*"), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
