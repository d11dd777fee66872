"""softgpu --check as it is used: options, what is told and how often, suppressions, formats, statuses. usage as of
corpus.py, of use.hip."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import corpus
from corpus import check, program, softgpu

sys.path.insert(0, os.path.join(corpus.folder, ".."))
import schema  # noqa: E402

SPILL = "invalid write of 4 bytes, lane 0 of wave 0, group (0,0,0)"


def place(comment):
    """FILE:LINE of a line of use.hip."""
    return re.search(r"use\\?\.hip:\d+", corpus.place_of(comment)).group().replace("\\", "")


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=100, check=False, **more)


class Use(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def enterContext(self, context):  # Python 3.11 has it
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        return path

    def told(self, name, *options):
        """The file that the options and a program have made."""
        path = self.path("findings")
        done = check(name, options=("--check", "--check-output", path, *options))
        with open(path, encoding="utf-8") as f:
            return done, f.read()


class Told(Use):
    def test_equal_ones_are_counted(self):
        text = check("counted").stderr
        self.assertEqual(text.count("error: "), 1, text)
        self.assertIn("softgpu: error: " + SPILL, text)
        self.assertRegex(text, r"global_store_dword.* 3 lanes of this wave, 4 waves so far")
        self.assertTrue(text.endswith("softgpu: 1 error\n"
                                      "softgpu:   invalid-write        1 different, 12 times, 36 lanes\n"), text)

    def test_callers(self):
        """Of the allocation, the innermost first; of inlined code, with what it was inlined into."""
        text = check("inlined").stderr
        self.assertRegex(text, rf"deep::inside::through\(int\*, int\) at \S*{place('bug: put')} \(inlined into "
                         rf"deep::inside::through\(int\*, int\) at \S*{place('made: through')}\)")
        self.assertRegex(text, r"hipMalloc gave out at \S*corpus.h:\d+ \(called at \S*use.hip:\d+, \S*corpus.h:\d+, ")

    def test_a_kernel_that_does_not_end(self):
        """Its findings are told while it runs."""
        with subprocess.Popen([softgpu, "--check", "--", program, "endless"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as p:
            self.assertIn("softgpu: error: invalid write", p.stderr.readline())
            self.assertIn(place("bug: forever"), p.stderr.readline())
            p.kill()

    def test_processes(self):
        """What a fork has not done it does not tell; another program is told by its number."""
        text = check("forked").stderr
        self.assertEqual(len(re.findall(r"^softgpu: error: ", text, re.M)), 1, text)
        self.assertEqual(len(re.findall(r"^softgpu: 1 error$", text, re.M)), 1, text)
        self.assertEqual(len(re.findall(r"^softgpu\[\d+\]: error: ", text, re.M)), 1, text)
        self.assertEqual(len(re.findall(r"^softgpu\[\d+\]: 1 error$", text, re.M)), 1, text)
        self.assertEqual(len(re.findall(r"\d errors?$", text, re.M)), 2, text)


class Options(Use):
    def refused(self, text, *options, **variables):
        done = run(softgpu, *options, "--", "true", env=dict(os.environ, **variables))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, text)

    def test_wrong_ones(self):
        families = r'--check \(SOFTGPU_CHECK\): "memroy" is none of memory, .*hazard.* and all$'
        self.refused(families, "--check=sync,memroy")
        self.refused(families, SOFTGPU_CHECK="memroy")
        self.refused(r'--kernel \(SOFTGPU_CHECK_KERNEL\): "a\(": ', "--check", "--kernel", "a(")
        self.refused('"xml" is none of text, json and sarif', "--check", "--check-format=xml")
        self.refused("sarif is one document: --check-output", "--check", "--check-format=sarif")
        self.refused(r'--error-exitcode \(SOFTGPU_CHECK_EXITCODE\): "0" is not a number from 1 to 255',
                     "--error-exitcode", "0")
        self.refused(f"{self.folder}/none: No such file", "--check", "--suppressions", self.path("none"))
        self.refused(f"{self.folder}: no file that can be read more than once", SOFTGPU_CHECK="1",
                     SOFTGPU_CHECK_SUPPRESSIONS=self.folder)
        rules = self.path("rules", "# fine\ninvalid-raed\n")
        self.refused(f'{rules}:2: "invalid-raed" is no kind and no family', "--check", "--suppressions", rules)

    def test_without_the_launcher(self):
        """A wrong value is told, and there is no GPU."""
        stub = os.path.join(os.path.dirname(softgpu), "../lib/softgpu/libsoftgpu-preload.so")
        done = run("cat", "/dev/kfd", env=dict(os.environ, LD_PRELOAD=stub, SOFTGPU_CHECK="memroy"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('(SOFTGPU_CHECK): "memroy" is none of', done.stderr)

    def test_variables(self):
        done = run(softgpu, "--", program, "counted",
                   env=dict(os.environ, SOFTGPU_CHECK="memory", SOFTGPU_CHECK_EXITCODE="42"))
        self.assertEqual(done.returncode, 42)
        self.assertIn(SPILL, done.stderr)
        done = run(softgpu, "--", program, "counted", env=dict(os.environ, SOFTGPU_CHECK="0"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_families(self):
        self.assertEqual(check("counted", options=("--check=sync",)).stderr, "softgpu: 0 errors\n")
        self.assertIn(SPILL, check("counted", options=("--check=sync,memory",)).stderr)

    def test_kernels(self):
        self.assertIn(SPILL, check("counted", options=("--check", "--kernel", r"^spill\(int\*, (int|long)\)$")).stderr)
        self.assertEqual(check("counted", options=("--check", "--kernel", "^pill")).stderr, "softgpu: 0 errors\n")

    def test_status(self):
        """Of the program, unless another is asked for and something was wrong; signals stay signals."""
        asked = ("--check", "--error-exitcode", "42")
        self.assertEqual(check("counted", options=asked).returncode, 42)
        self.assertEqual(check("counted", "right", options=asked).returncode, 0)
        self.assertEqual(check("no such", options=asked).returncode, 2)
        killed = run(softgpu, *asked, "--", "sh", "-c", "kill -USR1 $$")
        self.assertEqual(killed.returncode, -signal.SIGUSR1)

    def test_nothing_without(self):
        done = check("counted", options=())
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))


class Suppressions(Use):
    def suppress(self, name, text, *options):
        with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as f:
            f.write(text)
        done = check(name, options=("--check", "--error-exitcode", "42", "--suppressions", f.name, *options))
        done.stderr = done.stderr.replace(f.name, "RULES")
        return done

    def test_rules(self):
        rules = ("*", "memory", "invalid-write", "invalid-write kernel=^spill", f"memory at={place('bug: spill')}",
                 "invalid-write at=*.hip", 'memory kernel="spill\\\\(int\\\\*, int\\\\)" at="*/use.hip"')
        for rule, done in corpus.in_twos(lambda rule: self.suppress("counted", f"# why\n\n{rule} # because\n"), rules):
            self.assertEqual((done.returncode, done.stderr), (
                0, "softgpu: 0 errors\nsoftgpu: suppressed by RULES:3: 1 different, 12 times, 36 lanes\n"), rule)
        rules = ("invalid-read", "sync", "* kernel=^pill", "* at=use.hip:1", "* at=/use.hip", "* call=hipFree")
        for rule, done in corpus.in_twos(lambda rule: self.suppress("counted", rule), rules):
            self.assertEqual(done.returncode, 42, rule)
            self.assertNotIn("suppressed", done.stderr)

    def test_inlined_code(self):
        """A rule for the place that code was inlined into means it, too."""
        self.assertEqual(self.suppress("inlined", f"* at={place('made: through')}").returncode, 0)

    def test_unused_rules_are_named(self):
        done = self.suppress("counted", "invalid-read\ninvalid-write\n", "--log", "info")
        self.assertIn('RULES:1: nothing was suppressed by "invalid-read"', done.stderr)
        self.assertNotIn("RULES:2: nothing", done.stderr)

    def test_offered_rules(self):
        """The rule that comes with a finding suppresses it."""
        for name in ("counted", "inlined"):
            _, text = self.told(name, "--check-format=json")
            rule = next(r["suppression"] for r in map(json.loads, text.splitlines()) if r["record"] == "finding")
            self.assertEqual(self.suppress(name, rule).returncode, 0, rule)


class Profiled(Use):
    """By rocprofv3 as well: findings once, the trace whole, the status right."""
    profiler = os.path.join(os.path.dirname(softgpu), "rocprofv3")

    def judge(self, status, words, **variables):
        trace = ("--kernel-trace", "-f", "csv", "-d", self.folder, "-o", "out")
        done = run(*(word for part in words for word in (trace if part == "TRACE" else (part,))), program, "counted",
                   env=dict(os.environ, **variables))
        self.assertEqual((done.returncode, done.stdout), (status, "done\n"), done.stderr)
        self.assertEqual(len(re.findall(r"^softgpu(\[\d+\])?: error: " + re.escape(SPILL), done.stderr, re.M)), 1,
                         done.stderr)
        self.assertRegex(done.stderr, rf"hipMalloc gave out at \S*corpus.h:\d+ \(called at \S*use.hip:\d+, ")
        self.assertRegex(done.stderr, r"(?m)^softgpu(\[\d+\])?: 1 error$")
        with open(os.path.join(self.folder, "out_kernel_trace.csv"), encoding="utf-8") as f:
            self.assertEqual(sum("spill(int*, int)" in line for line in f), 3)

    def test_by_variable(self):
        self.judge(0, (self.profiler, "--gpu", "soft", "TRACE", "--"), SOFTGPU_CHECK="memory")

    def test_softgpu_inside(self):
        self.judge(42, (self.profiler, "--gpu", "soft", "TRACE", "--", softgpu, "--check", "--error-exitcode", "42",
                        "--"))

    def test_softgpu_outside(self):
        self.judge(42, (softgpu, "--check", "--error-exitcode", "42", "--", self.profiler, "TRACE", "--"))

    def test_first_generation(self):
        done = run(os.path.join(os.path.dirname(softgpu), "rocprof"), "-o", self.path("out.csv"), program, "counted",
                   env=dict(os.environ, SOFTGPU_CHECK="memory"))
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)
        self.assertEqual(done.stderr.count(SPILL), 1, done.stderr)
        with open(self.path("out.csv"), encoding="utf-8") as f:
            self.assertEqual(sum("spill(int*, int)" in line for line in f), 3)

    def test_without_the_library(self):
        stub = os.path.join(os.path.dirname(softgpu), "../lib/softgpu/libsoftgpu-preload.so")
        done = run(program, "counted", env=dict(os.environ, LD_PRELOAD=stub, SOFTGPU_CHECK="1"))
        self.assertIn("libsoftgpu-check.so is not preloaded: allocations are not known", done.stderr)


class Formats(Use):
    def test_json(self):
        done, text = self.told("counted", "--check-format=json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        begin, finding, end = self.records(text)
        self.assertEqual(begin, {"record": "process", "process": begin["process"], "schema": "crocprof-check-1",
                                 "version": begin["version"], "command": [program, "counted"]})
        self.assertEqual({finding["process"], end["process"]}, {begin["process"]})
        self.assertEqual((finding["record"], finding["id"], finding["family"], finding["kind"], finding["message"],
                          finding["bytes"], finding["lanes"], finding["waves"]),
                         ("finding", 1, "memory", "invalid-write", "invalid write of 4 bytes", 4, 3, 4))
        at, allocation = finding["at"], finding["allocation"]
        self.assertEqual((at["kernel"], at["group"], at["wave"], at["lane"]), ("spill(int*, int)", [0, 0, 0], 0, 0))
        self.assertTrue(at["instruction"].startswith("global_store_dword "))
        self.assertTrue(f"{at['frames'][0]['file']}:{at['frames'][0]['line']}".endswith(place("bug: spill")))
        self.assertEqual((allocation["bytes"], allocation["side"], allocation["distance"], allocation["made"]["call"]),
                         (4000, "after", 0, "hipMalloc"))
        self.assertEqual(int(finding["address"], 16), int(allocation["address"], 16) + 4000)
        self.assertEqual((end["record"], end["errors"], end["untold"], end["status"], end["kinds"], end["findings"]),
                         ("summary", 1, 0, 0, {"invalid-write": {"different": 1, "waves": 12, "lanes": 36}},
                          [{"id": 1, "waves": 12, "lanes": 36}]))

    def records(self, text):
        """The lines, which are as the schema says."""
        with open(os.path.join(corpus.folder, "../../docs/check.schema.json"), encoding="utf-8") as f:
            whole = json.load(f)
        records = [json.loads(line) for line in text.splitlines()]
        for record in records:
            schema.check(record, whole["$defs"][record["record"]], whole)
        return records

    def test_json_of_suppressed_ones(self):
        rules = self.path("rules", "invalid-write # why\n")
        _, text = self.told("counted", "--check-format=json", "--suppressions", rules)
        end = self.records(text)[-1]
        self.assertEqual((end["errors"], end["findings"], end["suppressed"]), (0, [], [
            {"rule": rules + ":1", "text": "invalid-write", "different": 1, "waves": 12, "lanes": 36}]))

    def test_sarif(self):
        _, text = self.told("inlined", "--check-format=sarif")
        document = json.loads(text)
        self.judge_sarif(document)
        run_, = document["runs"]
        result, = run_["results"]
        self.assertEqual(result["ruleId"], "invalid-write")
        self.assertIn("invalid write of 4 bytes, lane 0", result["message"]["text"])
        location = result["locations"][0]
        self.assertTrue(location["physicalLocation"]["artifactLocation"]["uri"].endswith("use.hip"))
        self.assertEqual(location["physicalLocation"]["region"]["startLine"], int(place("bug: put").split(":")[1]))
        related = [r["message"]["text"] for r in result["relatedLocations"]]
        self.assertEqual(related[:2], ["inlined into this", "hipMalloc"])
        self.assertEqual(run_["invocations"][0]["exitCode"], 0)
        self.assertTrue(run_["invocations"][0]["executionSuccessful"])

    def test_sarif_of_several_processes(self):
        path = self.path("findings")
        run(softgpu, "--check", "--check-output", path, "--check-format", "sarif", "--", "sh", "-c",
            '"$1" counted & "$1" inlined & "$1" counted right & wait', "sh", program)
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        self.judge_sarif(document)
        run_, = document["runs"]
        self.assertEqual((len(run_["invocations"]), len(run_["results"])), (3, 2))
        self.assertEqual(os.listdir(self.folder), ["findings"])

    def test_sarif_in_a_file_of_others(self):
        path = self.path("others", "mine\n")
        done = run(softgpu, "--", program, "counted", env=dict(
            os.environ, SOFTGPU_CHECK="1", SOFTGPU_CHECK_FORMAT="sarif", SOFTGPU_CHECK_OUTPUT=path))
        self.assertIn(f"{path}: File exists", done.stderr)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), "mine\n")

    def test_killed(self):
        """What was found before is there, and whole."""
        for form in ("json", "sarif"):
            path = self.path("findings")
            with subprocess.Popen([softgpu, "--check", "--check-format", form, "--check-output", path, "--", program,
                                   "endless"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as p:
                self.wait_for(path, "forever")
                p.kill()
            with open(path, encoding="utf-8") as f:
                text = f.read()
            if form == "json":
                self.assertEqual([r["record"] for r in self.records(text)], ["process", "finding"])
                continue
            self.judge_sarif(json.loads(text))
            invocation, = json.loads(text)["runs"][0]["invocations"]
            self.assertFalse(invocation["executionSuccessful"])
            self.assertNotIn("exitCode", invocation)

    def wait_for(self, path, word):
        with subprocess.Popen(["sh", "-c", 'until grep -qs "$1" "$2"; do sleep 0.05; done', "sh", word, path]) as p:
            self.assertEqual(p.wait(60), 0)

    def judge_sarif(self, document):
        """What SARIF 2.1.0 and GitHub's reader demand."""
        self.assertEqual(document["version"], "2.1.0")
        for run_ in document["runs"]:
            driver = run_["tool"]["driver"]
            self.assertEqual(driver["name"], "softgpu")
            ids = [rule["id"] for rule in driver["rules"]]
            self.assertEqual(len(set(ids)), len(ids))
            for rule in driver["rules"]:
                for key in ("shortDescription", "fullDescription", "help"):
                    self.assertTrue(rule[key]["text"])
            base = run_["originalUriBaseIds"]["%SRCROOT%"]["uri"]
            self.assertRegex(base, "^file:///.*/$")
            for invocation in run_["invocations"]:
                self.assertIsInstance(invocation["executionSuccessful"], bool)
                self.assertRegex(invocation["startTimeUtc"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            for result in run_["results"]:
                self.assertEqual(ids[result["ruleIndex"]], result["ruleId"])
                self.assertIn(result["level"], ("none", "note", "warning", "error"))
                self.assertTrue(result["message"]["text"])
                self.assertGreaterEqual(result["occurrenceCount"], 1)
                self.assertRegex(result["partialFingerprints"]["softgpu/1"], "^[0-9a-f]{40}$")
                self.assertEqual(len(result["locations"]), 1)
                for place_ in result["locations"] + result.get("relatedLocations", []):
                    artifact = place_["physicalLocation"]["artifactLocation"]
                    self.assertRegex(artifact["uri"], r"^(file:///)?[\w~.%/-]+$")
                    self.assertEqual(artifact["uri"].startswith("file:///"), "uriBaseId" not in artifact)
                    self.assertGreaterEqual(place_["physicalLocation"]["region"]["startLine"], 1)


unittest.main()
