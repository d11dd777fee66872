#!/usr/bin/env python3
"""scripts/conformance on a made-up checkout, in this system: what it refuses, its table, its count and its status.

usage: script_test.py SOURCE BUILD [unittest arguments]
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILD = sys.argv[1:3]
TESTS = """
cmake_minimum_required(VERSION 3.21)
project(rocprofiler-sdk-tests LANGUAGES C)
enable_testing()
find_package(rocprofiler-sdk REQUIRED)
add_executable(version version.c)
target_link_libraries(version PRIVATE rocprofiler-sdk::rocprofiler-sdk)
add_executable(broken broken.c)
add_test(NAME right COMMAND version)
add_test(NAME library COMMAND version)
set_tests_properties(library PROPERTIES ENVIRONMENT "${ROCPROFILER_MEMCHECK_PRELOAD_ENV};WANTED=libsoftgpu-preload.so")
add_test(NAME wrong COMMAND sh -c "echo AssertionError: 4 is not 5; exit 1")
add_test(NAME after COMMAND sh -c "echo no file; exit 1")
set_tests_properties(after PROPERTIES DEPENDS wrong)
add_test(NAME fixed COMMAND version)
set_tests_properties(fixed PROPERTIES FIXTURES_REQUIRED made)
set_tests_properties(wrong PROPERTIES FIXTURES_SETUP made)
add_test(NAME after-right COMMAND version)
set_tests_properties(after-right PROPERTIES DEPENDS wrong)
add_test(NAME endless COMMAND sleep 60)
set_tests_properties(endless PROPERTIES TIMEOUT 1)
add_test(NAME slow COMMAND sleep 2)
set_tests_properties(slow PROPERTIES TIMEOUT 1)
add_test(NAME off COMMAND version)
set_tests_properties(off PROPERTIES DISABLED ON)
add_test(NAME itself COMMAND sh -c "echo no such GPU")
set_tests_properties(itself PROPERTIES SKIP_REGULAR_EXPRESSION "no such GPU")
add_test(NAME unbuilt COMMAND broken)
add_test(NAME idle COMMAND sh -c "echo ==== 2 skipped, 1 warning in 0.01s ====")
add_test(NAME partly COMMAND sh -c "echo ==== 3 passed, 1 skipped in 0.01s ====")
add_test(NAME crash COMMAND sh -c "echo begin; kill -SEGV $$")
add_test(NAME abort COMMAND sh -c "kill -ABRT $$")
add_test(NAME both COMMAND sh -c "echo FAILED a.py::one; echo FAILED a.py::two; exit 1")
"""
VERSION = """
#include <rocprofiler-sdk/rocprofiler.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    unsigned major = 0, minor = 0, patch = 0;
    const char *wanted = getenv("WANTED"), *preload = getenv("LD_PRELOAD");
    if (wanted && (!preload || !strstr(preload, wanted)))
        return 1;
    return rocprofiler_get_version(&major, &minor, &patch) != ROCPROFILER_STATUS_SUCCESS || major != 1;
}
"""


def table(output):
    """The rows of the printed table: test -> (result, reason)."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in output.splitlines() if line.startswith("| ")]
    return {row[0]: (row[1], row[3]) for row in rows[1:]}


class Case(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.mkdtemp(prefix="conformance-")
        cls.checkout = cls.dir + "/checkout"
        os.makedirs(cls.checkout + "/tests")
        for name, text in {"CMakeLists.txt": TESTS, "version.c": VERSION, "broken.c": "int main(void) { return nothing; }\n"}.items():
            with open(f"{cls.checkout}/tests/{name}", "w") as f:
                f.write(text)
        cls.prefix = cls.dir + "/prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.dir, ignore_errors=True)

    def conformance(self, *words):
        return subprocess.run([SOURCE + "/scripts/conformance", *words], capture_output=True, text=True, timeout=240)

    def here(self, *words, checkout=None):
        return self.conformance(checkout or self.checkout, "--here", "--prefix", self.prefix, "--out", self.dir + "/out",
                                "--limit", "5", *words)

    def known(self, text):
        with open(self.dir + "/known.tsv", "w") as f:
            f.write(text)
        return "--known", self.dir + "/known.tsv"

    def refused(self, done, text):
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("conformance: " + text, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertNotIn("Traceback", done.stderr)


class Script(Case):
    def test_what_is_refused(self):
        self.refused(self.here(checkout=self.dir + "/nothing"), f"{self.dir}/nothing is no folder")
        self.refused(self.here(checkout=self.checkout + "/tests"), f"{self.checkout}/tests has no tests of rocprofiler-sdk,")
        self.refused(self.here("--part", "roctracer"), f"{self.checkout} has no tests of roctracer")
        self.refused(self.here("--tests", "("), "--tests (: missing )")
        self.refused(self.here("--limit", "0"), "--limit 0: at least 1 second")
        self.refused(self.conformance(self.checkout, "--suite", "../x"), "--suite ../x: no name of a suite")
        self.refused(self.conformance(self.checkout, "--here", "--build", self.dir), f"--build {self.dir} is no build tree")
        self.refused(self.conformance(self.checkout, "--here", "--prefix", self.dir), f"--prefix {self.dir} is no installation")
        self.refused(self.conformance(self.checkout, "--prefix", self.prefix), f"--prefix {self.prefix} is outside of {SOURCE}")
        self.refused(self.here("--known", self.dir + "/none"), f"--known {self.dir}/none: there is no such file")
        self.refused(self.here(*self.known("# one\nexplain\tx\ty\n")), f"{self.dir}/known.tsv:2: not the four columns")
        self.refused(self.here(*self.known("explain\t(\ty\tz\n")), f"{self.dir}/known.tsv:1: (: missing )")

    def test_a_submodule_that_is_not_there(self):
        empty = self.dir + "/empty"
        shutil.copytree(self.checkout, empty)
        os.makedirs(empty + "/external/cereal")
        self.refused(self.here(checkout=empty), f"{empty}/external/cereal is empty: git submodule update --init external/cereal")

    def test_all(self):
        done = self.here(*self.known(""))
        rows = table(done.stdout)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual({n: r for n, r in rows.items() if r[0] == "passed"}, {
            "right": ("passed", ""), "library": ("passed", ""), "partly": ("passed", "1 of its checks skip themselves"),
            "slow": ("passed", "AMD allows 1 s")})
        self.assertEqual({n: r for n, r in rows.items() if r[0] == "skipped"}, {
            "after": ("skipped", "needs wrong"), "fixed": ("skipped", "needs wrong"),
            "after-right": ("skipped", "needs wrong"), "idle": ("skipped", "all of its checks skip themselves"), "off": ("skipped", "disabled by AMD"),
            "itself": ("skipped", "skips itself: no such GPU")})
        self.assertEqual(rows["wrong"], ("failed", "AssertionError: 4 is not 5"))
        self.assertEqual(rows["endless"], ("failed", "time: ended after 5 s"))
        self.assertRegex(rows["unbuilt"][1], r"^not built: broken: broken.c:1:25: error: .nothing. undeclared")
        self.assertEqual(rows["crash"], ("failed", "Exception: SegFault: begin"))
        self.assertEqual(rows["abort"], ("failed", "Exception: Subprocess aborted: no output"))
        self.assertEqual(rows["both"], ("failed", "FAILED a.py::one"))
        self.assertEqual(done.stdout.splitlines()[-1], "4 passed, 6 failed, 6 skipped")

    def test_one(self):
        done = self.here("--tests", "^right$")
        self.assertEqual((done.returncode, list(table(done.stdout))), (0, ["right"]), done.stdout + done.stderr)
        self.assertEqual(done.stdout.splitlines()[-1], "1 passed, 0 failed, 0 skipped")


class LongScript(Case):
    """What is chosen and what is known of tests."""

    def test_what_a_test_needs_runs_with_it(self):
        self.assertEqual(sorted(table(self.here("--tests", "^after$").stdout)), ["after", "wrong"])

    def test_no_test_of_that_name(self):
        done = self.here("--tests", "nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no test's name has nothing", done.stdout)
        self.assertEqual(done.stdout.splitlines()[-1], "0 passed, 0 failed, 0 skipped")

    def test_what_is_known(self):
        words = self.known("# a head\nleave\t^wrong$\t\ttakes long\nexplain\t^both$\ta.py::one\tone\n")
        rows = table(self.here("--tests", "^(wrong|both|right|after)$", *words).stdout)
        self.assertEqual(rows["wrong"], ("skipped", "takes long"))
        self.assertEqual(rows["both"][0], "failed") # of its two failures one has no reason
        self.assertEqual(rows["after"], ("skipped", "needs wrong"))
        words = self.known("leave\t^wrong$\t\ttakes long\nexplain\t^both$\ta.py::one\tone\nexplain\t^both$\ta.py::two\tother\n")
        rows = table(self.here("--all", "--tests", "^(wrong|both)$", *words).stdout)
        self.assertEqual(rows["both"], ("skipped", "one; other"))
        self.assertEqual(rows["wrong"][0], "failed") # --all

    def test_a_checkout_that_cannot_be_configured(self):
        bad = self.dir + "/bad/projects/x"
        os.makedirs(bad + "/tests")
        with open(bad + "/tests/CMakeLists.txt", "w") as f:
            f.write("cmake_minimum_required(VERSION 3.21)\nproject(rocprofiler-sdk-tests LANGUAGES C)\n"
                    "find_package(nothing-of-this-name REQUIRED)\n")
        done = self.here(checkout=self.dir + "/bad")
        rows = table(done.stdout)
        self.assertEqual((done.returncode, rows["sdk: configure"][0]), (1, "failed"))
        self.assertIn("nothing-of-this-name", rows["sdk: configure"][1])
        shutil.rmtree(self.dir + "/out/sdk/build")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
