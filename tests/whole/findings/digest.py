#!/usr/bin/env python3
"""rocprofv3 digest: bounded exactly, most important first, as its schema says; on databases made by hand.

usage: digest.py ROCPROFV3 SCHEMA HELPERS DIGEST_SCHEMA [unittest arguments]
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
from schema import check  # noqa: E402

ROCPROFV3, SCHEMA, HELPERS, DIGEST_SCHEMA = sys.argv[1:5]
sys.path.insert(0, HELPERS)
from database import Database  # noqa: E402


class Digest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="digest-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.path = os.path.join(self.dir, "run.db")

    def fill(self, kernels=40, **more):
        db = Database(self.path, SCHEMA, **more)
        for k in range(kernels):
            counters = {f"SQ_INSTS_VALU_{i}": 100 + i for i in range(10)} if k < 5 else {}
            db.dispatch(f"kernel_{k:02d}(float*, <x|y> const*)", k * 1000, k * 1000 + 900 - 10 * k, scratch=16,
                        counters={"SQ_WAVES": 4 + k, **counters})
        for i in range(9):
            db.copy("HOST_TO_DEVICE", 4096, i * 1000, i * 1000 + 10)
            db.region(f"hipCall{i}", i, 10 * i)
        db.close()

    def say(self, *words, status=0):
        done = subprocess.run([ROCPROFV3, "digest", *words], capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def json(self, *words):
        text = self.say(self.path, "--format", "json", *words)
        found = json.loads(text)
        with open(DIGEST_SCHEMA, encoding="utf-8") as f:
            schema = json.load(f)
        check(found, schema, schema)
        return len(text), found

    def test_bounded(self):
        """Never more, and never so little that the next item would have fitted."""
        self.fill()
        for form in ("md", "json"):
            whole = len(self.say(self.path, "--format", form, "--bytes", "1000000"))
            sizes = set()
            for most in list(range(2000, 9000, 411)) + [whole - 1, whole]:
                text = self.say(self.path, "--format", form, "--bytes", str(most))
                text.decode()
                self.assertLessEqual(len(text), most)
                self.assertGreater(len(text), most - 1300)  # the longest item of all
                sizes.add(len(text))
            self.assertGreater(len(sizes), 10)
            self.assertEqual(max(sizes), whole)
        self.assertLessEqual(len(self.say(self.path)), 8000)

    def test_json(self):
        self.fill()
        for most in ("2000", "3000", "8000", "1000000"):
            size, found = self.json("--bytes", most)
            self.assertLessEqual(size, int(most))
        self.assertEqual(found["left_out"], dict.fromkeys(("findings", "kernels", "counters", "copies", "calls"), 0))
        self.assertEqual([k["name"] for k in found["kernels"]], [f"kernel_{k:02d}" for k in range(40)])
        self.assertEqual(found["kernels"][0]["time"], {"value": 900, "unit": "ns", "class": "measured"})
        self.assertEqual(found["kernels"][0]["calls"], {"value": 1, "unit": "", "class": "exact"})
        self.assertIn({"name": "scratch", "value": 16, "least": 16, "most": 16, "unit": "bytes", "class": "exact"},
                      found["kernels"][0]["values"])
        self.assertEqual(found["counters"][0]["counter"]["class"], "timing model")  # of a name that nobody knows
        self.assertEqual(found["copies"][0]["moved"], {"value": 9 * 4096, "unit": "bytes", "class": "exact"})
        self.assertEqual(found["run"]["software_gpu"], True)
        self.assertEqual({f["rule"] for f in found["findings"]}, {"scratch", "host-times"})

    def test_most_important_first(self):
        self.fill()
        _, small = self.json("--bytes", "3500")
        _, large = self.json("--bytes", "20000")
        for section in ("findings", "kernels", "counters", "copies", "calls"):
            told = small[section]
            self.assertEqual(told, large[section][:len(told)])
            self.assertLessEqual(len(told), len(large[section]))
        self.assertEqual(small["kernels"][0]["name"], "kernel_00")
        self.assertGreater(small["left_out"]["kernels"], large["left_out"]["kernels"])
        self.assertEqual(small["left_out"]["kernels"] + len(small["kernels"]), 40)

    def test_markdown(self):
        self.fill(kernels=1, metadata={"records_dropped": 2})
        text = self.say(self.path).decode()
        self.assertTrue(text.startswith("# app\n\nOn gfx90a in software, with times of this host, host host; 1 process,"))
        self.assertIn("**Losses: the run lost 2 records", text)
        for heading in ("## Findings", "## Kernels", "## Counters", "## Copies", "## Calls of the host", "## More"):
            self.assertIn(f"\n{heading}\n\n", text)
        self.assertIn("- **kernel\\_00**: 1 call (exact), 900 ns in all, 100.0 % of the time (measured); vgprs 8 (exact)",
                      text)
        self.assertIn("Left out: 0 findings, 0 kernels, 0 counters, 0 copies, 0 calls.\n\n    rocprofv3 findings ", text)
        # every number that is a value has its class behind it
        for line in re.findall(r"^- (?!\*\*[A-Z]).*", text, re.M):
            self.assertTrue(all(re.search(r"\((exact|cache model|timing model|measured)\)$", part)
                                for part in line.split("; ")), line)

    def commands(self, folder, *words):
        """What is printed in the folder, in both formats; each runs as it stands there."""
        def digest(form):
            return subprocess.run([ROCPROFV3, "digest", "--format", form, *words], cwd=folder, capture_output=True,
                                  text=True, timeout=60, check=True).stdout
        found = json.loads(digest("json"))["more"]
        self.assertEqual(re.findall(r"^    (.*)$", digest("md").split("\n## More\n")[1], re.M), found)
        for command in found:
            done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                                  env={**os.environ, "PATH": os.path.dirname(ROCPROFV3) + ":" + os.environ["PATH"]})
            self.assertEqual(done.returncode, 0, (command, done.stderr))
            self.assertTrue(done.stdout.strip(), command)
        return [" ".join(command.split()[:2]) for command in found]

    def test_commands_run_as_printed(self):
        odd = "it's $HOME, \"a\" & `b`"
        folder = os.path.join(self.dir, odd)
        elsewhere = os.path.join(self.dir, "elsewhere")
        os.mkdir(folder)
        os.mkdir(elsewhere)
        plain = ["rocprofv3 findings", "rocprofv3 report", "rocpd summary"]
        self.path = os.path.join(folder, "a b.db")
        self.fill(2)
        for where, *words in ((folder,), (self.dir, odd), (elsewhere, self.path)):
            with self.subTest(where=where, words=words):
                self.assertEqual(self.commands(where, *words), plain)
        self.path = os.path.join(folder, "-second.db")
        self.fill(2, pid=77)
        self.assertEqual(self.commands(folder, "--", "a b.db", "-second.db"), plain)

    def test_commands_that_show_lines(self):
        db = Database(self.path, SCHEMA)
        db.dispatch("scale(float*)", 0, 1000)
        db.counted("scale(float*)", [{"text": "s_endpgm", "issued": 4, "file": "a.hip", "line": 7}])
        db.close()
        self.assertIn("rocprofv3 annotate", self.commands(self.dir))

    def test_commands_that_are_too_long(self):
        """What would take much of the room is left out."""
        folder = os.path.join(self.dir, "x" * 200, "y" * 200)
        os.makedirs(folder)
        self.path = os.path.join(folder, "run.db")
        self.fill(2)
        self.assertEqual(self.commands(self.dir, folder), [])
        self.assertEqual(self.commands(folder), ["rocprofv3 findings", "rocprofv3 report"])

    def test_long_and_hostile_names(self):
        db = Database(self.path, SCHEMA, command='a"\n\\' + "\u00e9" * 5000)
        db.dispatch("k<" + "\u00e9" * 3000 + ">", symbol=None)
        db.dispatch('q"\x01`', 0, 10)
        db.close()
        for form in ("md", "json"):
            text = self.say(self.path, "--format", form, "--bytes", "2000")
            self.assertLessEqual(len(text), 2000)
            text.decode()
        self.json("--bytes", "4000")

    def test_trouble(self):
        self.say("--bytes", "1999", status=2)
        self.say("--bytes", "x", status=2)
        self.say("none.db", status=2)
        self.fill(1)
        self.say("--format", "text", self.path, status=2)


unittest.main(argv=[sys.argv[0]] + sys.argv[5:])
