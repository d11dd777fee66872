#!/usr/bin/env python3
"""The program rocprofv3 becomes a program that is left out, or hands all that it was given over to the launcher.

usage: front.py ROCPROFV3 LAUNCHER [unittest arguments]
Where there is no GPU, and no way to pretend that there is one (own_device), what is about ranks that are left out is skipped.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
import own_device

FRONT, LAUNCHER = sys.argv[1:3]
RANK = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
PATH = {"PATH": "/usr/bin:/bin"}
HANDED = """#!/bin/sh
printf '%s\\n' handed "$@" | tr '\\n' '|'
env | sed -n 's/^KEPT=//p'
exit 7
"""


def run(command, environment, **more):
    done = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False, **more)
    return done.returncode, done.stdout.decode(errors="surrogateescape"), done.stderr.decode()


class Front(unittest.TestCase):
    """In an installation whose launcher says that it was started, and with what."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-front-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.front = self.install(self.dir + "/place", HANDED)

    @staticmethod
    def install(place, launcher):
        os.makedirs(place + "/bin")
        os.mkdir(place + "/libexec")
        shutil.copy(FRONT, place + "/bin/rocprofv3")
        with open(place + "/libexec/rocprofv3", "w", encoding="utf-8") as f:
            f.write(launcher)
        os.chmod(place + "/libexec/rocprofv3", 0o755)
        return place + "/bin/rocprofv3"

    def handed(self, *words, **environment):
        told = run([self.front, *words], {**PATH, **environment, "KEPT": "kept"})
        self.assertEqual(told, (7, "|".join(("handed", *words, "kept\n")), ""))

    def test_everything_else_is_handed_over(self):
        """Words, environment, status; what is left out by other words than these, left_out_test.c has."""
        for words in ((), ("--help",), ("--", "true"), ("--ranks", "1", "--", "true"), ("--ranks", "x", "--", "true"),
                      ("a b", "", "*", "'"), ("-r", "-d", "out", "--", "true")):
            self.handed(*words, **RANK)
        self.handed("--ranks", "0", "--", "true")
        self.handed("--ranks", "0", "--", "true", **RANK, ROCPROF_LOG_LEVEL="info")
        self.handed("x" * 100000, **RANK)

    def test_the_launcher_gets_the_first_word_too(self):
        os.remove(self.dir + "/place/libexec/rocprofv3")
        os.symlink(os.path.realpath("/bin/sh"), self.dir + "/place/libexec/rocprofv3")
        for name in ("any name", "", "/a/path"):
            told = run([name, "-c", "echo \"$0\""], PATH, executable=self.front)
            self.assertEqual(told, (0, name + "\n", ""))

    def test_found_from_its_own_file(self):
        """By a link, by PATH, in a folder that has another launcher: it is always its own."""
        other = self.dir + "/other"
        self.install(other, "#!/bin/sh\necho wrong\n")
        os.mkdir(other + "/links")
        os.symlink(self.front, other + "/links/rocprofv3")
        os.symlink("rocprofv3", other + "/links/again")
        relative = os.path.relpath(self.front, other + "/bin")
        for command, folder in ((other + "/links/rocprofv3", "/"), (other + "/links/again", other + "/bin"),
                                ("rocprofv3", other + "/bin"), (relative, other + "/bin")):
            told = run(["sh", "-c", f"exec {command} word"], {"PATH": os.path.dirname(self.front) + ":" + PATH["PATH"]}, cwd=folder)
            self.assertEqual(told, (7, "handed|word|", ""), command)

    def test_without_a_launcher(self):
        launcher = self.dir + "/place/bin/../libexec/rocprofv3"

        def complains(why):
            said = f"rocprofv3: error: {launcher} cannot be started: {why}\n"
            self.assertEqual(run([self.front, "--version"], PATH), (125, "", said))

        os.chmod(launcher, 0o644)
        complains("permission denied")
        with open(launcher, "w") as f: # nothing that the kernel can start: ENOEXEC
            f.write("no program")
        os.chmod(launcher, 0o755)
        complains("error 8")
        for _ in range(2):
            shutil.rmtree(self.dir + "/place/libexec", ignore_errors=True)
            complains("the installation is incomplete")


@unittest.skipUnless(os.path.exists(own_device.DEVICE), "there is no GPU, and none can be pretended")
class LeftOut(unittest.TestCase):
    """Programs of ranks that are left out. The launcher that leaves them out, too, is the judge."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="rocprofv3-front-")
        self.addCleanup(shutil.rmtree, self.dir)
        os.mkdir(self.dir + "/bin")
        self.front = self.dir + "/bin/rocprofv3" # without a launcher
        shutil.copy(FRONT, self.front)
        self.words = ["--ranks", "0", "-r", "-d", "out", "-f", "csv", "--"]

    def both(self, program, environment, words=None, **more):
        """What the front alone and the launcher have made of it, which is the same."""
        told = [run([path, *(words or self.words), *program], environment, **more) for path in (self.front, LAUNCHER)]
        self.assertEqual(told[0], told[1])
        return told[0]

    def test_environment(self):
        """All of it, in its order; LD_PRELOAD and what is no text among it."""
        environment = {**RANK, **PATH, "LD_PRELOAD": "", "EMPTY": "", "LINES": "a\nb", "BYTES": b"\xff\xfe", "HSA_TOOLS_LIB": "x",
                       "LD_LIBRARY_PATH": "/nowhere", "_": "what"}
        told = self.both(["env", "-0"], environment)
        self.assertEqual((told[0], told[2]), (0, ""))
        self.assertEqual(told[1].split("\0")[:-1],
                         [f"{k}={os.fsdecode(v)}" for k, v in environment.items()])

    def test_program(self):
        """Words, first word, status, streams, folder."""
        script = 'printf "%s|" "$0" "$@"; pwd; echo said >&2; exit 3'
        told = self.both(["sh", "-c", script, "zero", "", "a b", "--", "--ranks"], {**RANK, **PATH}, cwd=self.dir)
        self.assertEqual(told, (3, f"zero||a b|--|--ranks|{self.dir}\n", "said\n"))
        self.assertEqual(os.listdir(self.dir), ["bin"])
        self.assertEqual(self.both(["sh", "-c", "kill -TERM $$"], {**RANK, **PATH}), (-15, "", ""))
        self.assertEqual(self.both(["cat", "/proc/self/cmdline"], {**RANK, **PATH})[1], "cat\0/proc/self/cmdline\0")
        # the same process
        with subprocess.Popen([self.front, *self.words, "sh", "-c", "echo $$"], env={**RANK, **PATH}, stdout=subprocess.PIPE) as p:
            self.assertEqual(int(p.communicate(timeout=60)[0]), p.pid)

    def test_where_programs_are(self):
        """By PATH, by its default, by an empty part of it, past what cannot be executed."""
        for name, mode in (("none", 0o644), ("some", 0o755)):
            os.mkdir(f"{self.dir}/{name}")
            with open(f"{self.dir}/{name}/tool", "w", encoding="utf-8") as f:
                f.write(f"#!/bin/sh\necho {name}\n")
            os.chmod(f"{self.dir}/{name}/tool", mode)
        os.makedirs(self.dir + "/folder/tool")
        for path in (f"{self.dir}/folder:{self.dir}/none:{self.dir}/some", f"/nowhere:{self.dir}/some/", ":/nowhere", "/nowhere:"):
            told = self.both(["tool"], {**RANK, "PATH": path}, cwd=self.dir + "/some")
            self.assertEqual(told, (0, "some\n", ""), path)
        self.assertEqual(self.both(["./tool"], {**RANK, **PATH}, cwd=self.dir + "/some")[1], "some\n")
        self.assertEqual(self.both(["echo", "usual"], RANK)[1], "usual\n")

    def test_what_cannot_be_started_is_the_launchers(self):
        """It says why: the front has none here."""
        with open(self.dir + "/file", "w", encoding="utf-8") as f:
            f.write("echo a script without a first line\n")
        for program, mode, status in (("nothing", 0o644, 127), (self.dir, 0o755, 126), (self.dir + "/file", 0o644, 126),
                                      (self.dir + "/file", 0o755, 0), ("./nothing", 0o644, 127)):
            os.chmod(self.dir + "/file", mode)
            self.assertEqual(run([self.front, *self.words, program], {**RANK, **PATH})[0], 125)
            self.assertEqual(run([LAUNCHER, *self.words, program], {**RANK, **PATH})[0], status)
            with_launcher = run([FRONT, *self.words, program], {**RANK, **PATH})
            self.assertEqual(with_launcher, run([LAUNCHER, *self.words, program], {**RANK, **PATH}))


if __name__ == "__main__":
    own_device.become()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
