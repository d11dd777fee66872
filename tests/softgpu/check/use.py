"""softgpu --check as it is used: options, what is told and how often, suppressions, formats, statuses. usage as of
corpus.py, of use.hip."""
import functools
import json
import os
import re
import signal
import stat
import subprocess
import tempfile
import unittest

import corpus
from corpus import check, program, run, softgpu

SPILL = "invalid write of 4 bytes, lane 0 of wave 0, group (0,0,0)"


def place(comment):
    """FILE:LINE of a line of use.hip."""
    return re.search(r"use\\?\.hip:\d+", corpus.place_of(comment)).group().replace("\\", "")


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

    @functools.lru_cache(None)  # of all tests
    def once(name, form):  # noqa: N805
        """What the program is told of in a format, run once."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "findings")
            done = check(name, options=("--check", "--check-output", path, "--check-format", form))
            with open(path, encoding="utf-8") as f:
                return done, f.read()


class Told(Use):
    def test_equal_ones_are_counted(self):
        """Of a program without debug information, which has its functions' names; its kernels have lines."""
        plain = self.path("plain")
        self.assertEqual(run("strip", "-g", "-o", plain, program).returncode, 0)
        done = run(softgpu, "--check=sync,memory", "--kernel", r"^spill\(int\*, (int|long)\)$", "--error-exitcode", "42",
                   "--", plain, "counted")
        text = done.stderr
        self.assertEqual((done.returncode, done.stdout), (42, "done\n"), text)
        self.assertEqual(text.count("error: "), 1, text)
        self.assertIn("softgpu: error: " + SPILL, text)
        self.assertRegex(text, rf"  spill\(int\*, int\) at \S*{place('bug: spill')}\n")
        self.assertRegex(text, r"global_store_dword.* 3 lanes of this wave, 4 waves so far")
        self.assertRegex(text, r" is 0 bytes after the 4000 bytes that hipMalloc gave out at \S.*\+0x\w+ in plain "
                         r"\(called at .*main\+0x\w+ in plain\)\n")
        self.assertTrue(text.endswith("softgpu: 1 error\n"
                                      "softgpu:   invalid-write        1 different, 12 times, 36 lanes\n"), text)

    def test_callers(self):
        """Of the allocation, the innermost first; of inlined code, with what it was inlined into."""
        text = json.loads(Use.once("inlined", "sarif")[1])["runs"][0]["results"][0]["message"]["text"]
        self.assertRegex(text, rf"deep::inside::through\(int\*, int\) at \S*{place('bug: put')} \(inlined into "
                         rf"deep::inside::through\(int\*, int\) at \S*{place('made: through')}\)")
        self.assertRegex(text, r"1 lane of this wave, 1 wave so far")
        self.assertRegex(text, r"hipMalloc gave out at \S*corpus.h:\d+ \(called at \S*use.hip:\d+, \S*corpus.h:\d+, ")

    def test_processes(self):
        """What a fork has not done it does not tell; another program is told by its number. Nothing stays behind."""
        done = check("forked", env=dict(os.environ, XDG_RUNTIME_DIR=self.folder))
        text = done.stderr
        self.assertEqual((done.returncode, os.listdir(self.folder)), (3, []), text)
        self.assertEqual(len(re.findall(r"^softgpu: error: ", text, re.M)), 1, text)
        self.assertEqual(len(re.findall(r"^softgpu: 1 error$", text, re.M)), 1, text)
        self.assertEqual(len(re.findall(r"^softgpu\[\d+\]: error: ", text, re.M)), 1, text)
        self.assertEqual(len(re.findall(r"^softgpu\[\d+\]: 1 error$", text, re.M)), 1, text)
        self.assertEqual(len(re.findall(r"\d errors?$", text, re.M)), 2, text)


    def test_ends(self):
        """However a program ends of its own accord there is a summary, once, and nothing stays behind."""
        for name, status in (("left", 4), ("aborted", -signal.SIGABRT), ("handled", 5)):
            for form in ("text", "sarif"):
                path = self.path("found." + form)
                done = check(name, options=("--check", "--check-format", form, "--check-output", path),
                             env=dict(os.environ, XDG_RUNTIME_DIR=self.folder))
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                os.remove(path)
                self.assertEqual((done.returncode, os.listdir(self.folder)), (status, []), text + done.stderr)
                if form == "text":
                    self.assertTrue(text.endswith("softgpu: 1 error\n"
                                                  "softgpu:   invalid-write        1 different, 12 times, 36 lanes\n"), text)
                    self.assertEqual(len(re.findall(r"\d errors?$", text, re.M)), 1, text)
                else:
                    call = json.loads(text)["runs"][0]["invocations"][0]
                    self.assertEqual((call["executionSuccessful"], call.get("exitCode"), call.get("exitSignalName")),
                                     (status > 0, status if status > 0 else None, None if status > 0 else "SIGABRT"))


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
        for status in ("0", "256", " 42", "+42"):
            self.refused(rf'--error-exitcode \(SOFTGPU_CHECK_EXITCODE\): "{re.escape(status)}" is not a number from 1 to '
                         "255", "--error-exitcode", status)
        self.refused(f"{self.folder}/none: No such file", "--check", "--suppressions", self.path("none"))
        self.refused(f"{self.folder}: no file that can be read more than once", SOFTGPU_CHECK="1",
                     SOFTGPU_CHECK_SUPPRESSIONS=self.folder)
        rules = self.path("rules", "# fine\ninvalid-raed\n")
        self.refused(f'{rules}:2: "invalid-raed" is no kind and no family', "--check", "--suppressions", rules)

    def test_no_file(self):
        """Where the report cannot be, the program does not begin."""
        for form in ("text", "sarif"):
            path = self.path("none") + "/found"
            done = run(softgpu, "--check", "--check-format", form, "--check-output", path, "--", "echo")
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (125, "", f"softgpu: --check-output {path}: No such file or directory\n"))

    def test_no_document(self):
        """A document takes the place of files alone: of no pipe, and not of a link to one."""
        pipe, link, file = self.path("pipe"), self.path("link"), self.path("file", "old")
        os.mkfifo(pipe)
        os.symlink(file, link)
        for path, status in ((pipe, 125), (link, 0)):
            done = run(softgpu, "--check", "--check-format=sarif", "--check-output", path, "--", "true")
            self.assertEqual(done.returncode, status, done.stderr)
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
        self.assertTrue(os.path.islink(link))
        with open(file, encoding="utf-8") as f:
            self.assertEqual(json.load(f)["version"], "2.1.0")

    def test_without_the_launcher(self):
        """A wrong value is told, and there is no GPU; a checker that sees no calls says so."""
        stub = os.path.join(os.path.dirname(softgpu), "../lib/softgpu/libsoftgpu-preload.so")
        done = run("cat", "/dev/kfd", env=dict(os.environ, LD_PRELOAD=stub, SOFTGPU_CHECK="memroy"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('(SOFTGPU_CHECK): "memroy" is none of', done.stderr)
        done = run("sh", "-c", ": </dev/kfd", env=dict(os.environ, LD_PRELOAD=stub, SOFTGPU_CHECK="1"))
        self.assertIn("libsoftgpu-check.so is not preloaded: allocations are not known", done.stderr)

    def test_variables(self):
        """Another family than that of the error, which is none then."""
        done = run(softgpu, "--", program, "counted",
                   env=dict(os.environ, SOFTGPU_CHECK="sync", SOFTGPU_CHECK_EXITCODE="42"))
        self.assertEqual((done.returncode, done.stderr), (0, "softgpu: 0 errors\n"))

    def test_nothing_without(self):
        words = (softgpu, "--check-output", self.path("found"), "--", "sh", "-c", ": </dev/kfd")
        done = run(*words, env=dict(os.environ, SOFTGPU_CHECK="0"))
        self.assertEqual((done.returncode, done.stderr, os.listdir(self.folder)), (0, "", []))
        done = run(*words, env=dict(os.environ, SOFTGPU_CHECK="1"))
        self.assertEqual((done.returncode, done.stderr, os.listdir(self.folder)), (0, "", ["found"]))

    def test_kernels(self):
        """None that is chosen by its name; a file that holds something else stays as it is."""
        path = self.path("others", "mine\n")
        done = check("counted", options=("--check", "--kernel", "^pill", "--error-exitcode", "42"), env=dict(
            os.environ, SOFTGPU_CHECK_FORMAT="sarif", SOFTGPU_CHECK_OUTPUT=path))
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"{path}: File exists", done.stderr)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), "mine\n")

    def test_status(self):
        """Of the program, unless another is asked for and something was wrong; signals stay signals. A report that
        cannot be written changes nothing."""
        asked = ("--check", "--error-exitcode", "42")
        done = check("counted", "right", options=(*asked, "--check-output", "/dev/full"))
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"))
        self.assertIn("/dev/full: No space left on device\n", done.stderr)
        self.assertEqual(check("no such", options=asked).returncode, 2)
        killed = run(softgpu, *asked, "--", "sh", "-c", "kill -USR1 $$")
        self.assertEqual(killed.returncode, -signal.SIGUSR1)


class Suppressions(Use):
    def test_rules(self):
        """Those that do not mean the finding are named, and the one that was offered for it does."""
        offered = next(r["suppression"] for r in map(json.loads, Use.once("counted", "json")[1].splitlines())
                       if r["record"] == "finding")
        others = ("invalid-read", "sync", "* kernel=^pill", "* at=use.hip:1", "* at=/use.hip", "* call=hipFree")
        rules, found = self.path("rules", "\n".join(("# why", "", *others, offered + " # because"))), self.path("found")
        done = check("counted", options=("--check", "--error-exitcode", "42", "--suppressions", rules, "--log", "info",
                                         "--check-output", found, "--check-format=json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.findall(rf'{rules}:(\d+): nothing was suppressed by "(.*)"', done.stderr),
                         [(str(k), rule) for k, rule in enumerate(others, 3)])
        with open(found, encoding="utf-8") as f:
            begin, end = corpus.records(f.read())
        self.assertEqual((end["errors"], end["findings"], end["suppressed"]), (0, [], [
            {"rule": f"{rules}:{3 + len(others)}", "text": offered, "different": 1, "waves": 12, "lanes": 36}]))

    def test_inlined_code(self):
        """A rule for the place that code was inlined into means it, too, and one for where memory was given out."""
        rules = self.path("rules", f"* at={place('made: through')} made=*/corpus.h")
        done = check("inlined", options=("--check", "--error-exitcode", "42", "--suppressions", rules))
        self.assertEqual((done.returncode, done.stderr), (
            0, f"softgpu: 0 errors\nsoftgpu: suppressed by {rules}:1: 1 different, 1 time, 1 lane\n"))


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


class Formats(Use):
    def test_json(self):
        done, text = Use.once("counted", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        begin, finding, end = corpus.records(text)
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

    def test_sarif(self):
        _, text = Use.once("inlined", "sarif")
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

    def test_headers(self):
        """The line that a service shows and a rule is offered for is the program's, not that of HIP's header."""
        result, = json.loads(Use.once("header", "sarif")[1])["runs"][0]["results"]
        at, line = result["locations"][0]["physicalLocation"], int(place("bug: tally").split(":")[1])
        self.assertTrue(at["artifactLocation"]["uri"].endswith("use.hip"), at)
        self.assertEqual(at["region"]["startLine"], line)
        self.assertIn("what was inlined", [r["message"]["text"] for r in result["relatedLocations"]])
        finding, = (r for r in corpus.records(Use.once("header", "json")[1]) if r["record"] == "finding")
        self.assertEqual(finding["at"]["frames"][finding["at"]["own"]]["line"], line)
        self.assertTrue(finding["suppression"].endswith(f' at="use.hip:{line}"'), finding["suppression"])

    def test_documentation(self):
        """Each kind has its row in docs/check.md, and each option; and none is there that there is not."""
        with open(os.path.join(corpus.folder, "../../../docs/check.md"), encoding="utf-8") as f:
            page = f.read()
        found = page[page.index("## What is found"):page.index("\nSizes are")]
        rows = re.findall(r"^\| \w* ?\| ([a-z-]+(?:, [a-z-]+)*) \|", found, re.M)
        kinds = [kind for row in rows for kind in row.split(", ") if kind not in ("finding", "---")]
        driver = json.loads(Use.once("inlined", "sarif")[1])["runs"][0]["tool"]["driver"]
        self.assertEqual(sorted(kinds), sorted(rule["id"] for rule in driver["rules"]))
        block = re.search(r"## Suppressions\n.*?\n\n((?:    [^\n]*\n)+)", page, re.S).group(1)
        rules = self.path("rules", re.sub("^    ", "", block, flags=re.M))
        self.assertEqual(run(softgpu, "--check", "--suppressions", rules, "--", "true").stderr, "")
        options = re.findall(r"^\| `(--[a-z-]+).*?` \| `(SOFTGPU_CHECK\w*)` \|", page, re.M)
        offered = run(softgpu, "--help").stdout
        for option, variable in options:
            self.assertRegex(offered, rf"\s{option}\b")
            wrong = run(softgpu, "--check", "--", "true", env=dict(os.environ, **{variable: "{wrong("})).stderr
            if variable not in ("SOFTGPU_CHECK", "SOFTGPU_CHECK_OUTPUT"):  # the first is overridden
                self.assertIn(f"softgpu: {option} ({variable}): ", wrong)
        self.assertEqual(len(options), 9)

    def test_sarif_of_several_programs(self):
        """One of them in the process of another, in another folder, one that is killed before it has used the GPU."""
        path = self.path("findings")
        run(softgpu, "--check", "--check-output", "findings", "--check-format", "sarif", "--", "sh", "-c",
            '"$1" counted & sh -c "kill -9 \\$\\$"; wait; cd /; exec "$1" inlined', "sh", program, cwd=self.folder)
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        self.judge_sarif(document)
        run_, = document["runs"]
        self.assertEqual((len(run_["invocations"]), len(run_["results"])), (2, 2))
        self.assertEqual(run_["originalUriBaseIds"]["%SRCROOT%"]["uri"], f"file://{os.path.realpath(self.folder)}/")
        self.assertEqual(os.listdir(self.folder), ["findings"])

    def test_sarif_of_nothing(self):
        """A program that has not used the GPU, or is killed before: a document without results. Each launcher has a
        file of its own if it is asked for."""
        for script, status in (("exit 3", 3), ("kill -9 $$", -signal.SIGKILL)):
            done = run(softgpu, "--check", "--check-output", self.path("a%pid%b-%pid%"), "--check-format", "sarif", "--",
                       "sh", "-c", script)
            self.assertEqual(done.returncode, status)
            name, = os.listdir(self.folder)
            self.assertRegex(name, r"^a(\d+)b-\1$")
            with open(self.path(name), encoding="utf-8") as f:
                document = json.load(f)
            self.judge_sarif(document)
            self.assertEqual(document["runs"][0]["results"], [])
            os.unlink(self.path(name))

    def test_killed(self):
        """A kernel that does not end: what was found is told while it runs, and there, and whole."""
        path = self.path("findings")
        with subprocess.Popen([softgpu, "--check", "--check-format", "sarif", "--check-output", path, "--", program,
                               "endless"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as p:
            self.wait_for(path, "forever")
            p.kill()
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        self.judge_sarif(document)
        invocation, = document["runs"][0]["invocations"]
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
