#!/usr/bin/env python3
"""rocprofv3-doctor: every check of AMD's has its id here, and what it says is so.

usage: doctor.py ROCPROFV3"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROCPROFV3 = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(ROCPROFV3))
DOCTOR = os.path.join(ROOT, "bin/rocprofv3-doctor")
CHECKS = {
    "install": """rocm-root sdk-library sdk-tool-library roctx-library avail-library kokkosp-library
        attach-library version-consistency no-mixed-rocm metrics-path""",
    "driver": "kfd-device kfd-readable dri-devices render-group video-group amdgpu-module gpu-topology",
    "runtime": """hsa-library hip-library aqlprofile-library att-decoder-library rocprofiler-register
        libraries-load""",
    "counters": "cap-perfmon no-profiler-lock avail-enumeration",
    "environ": """run-as-user ld-preload-conflict hsa-tools-lib rocp-tool-libraries gpu-visibility
        beta-gates rocprof-vars-dump""",
    "container": "detected device-passthrough virt-gpu",
    "python": "version sqlite3 ctypes importlib pyyaml pandas otf2 rocprofv3-package",
    "filesystem": "output-dir-writable output-disk-space tmp-writable",
    "tools": "rocprofv3 rocprofv3-avail rocprof-attach rocpd rocprofv3-avail-runnable",
    "smoke": "avail-info rocprofv3-launcher",
}
IDS = [f"{group}.{name}" for group, names in CHECKS.items() for name in names.split()]


def run(*arguments, program=DOCTOR, **variables):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **variables})
    return done.returncode, done.stdout, done.stderr


class DoctorTest(unittest.TestCase):
    def report(self, *arguments, status=0, **variables):
        code, out, err = run("--format", "json", *arguments, **variables)
        self.assertEqual((code, err), (status, ""))
        report = json.loads(out)
        self.assertEqual(report["summary"]["total"], len(report["checks"]))
        return report, {check["id"]: check for check in report["checks"]}

    def test_list(self):
        code, out, _ = run("--list-checks")
        self.assertEqual(code, 0)
        self.assertEqual([line.split() for line in out.splitlines()],
                         [[name, name.split(".")[0]] for name in IDS])

    def test_this_installation(self):
        report, checks = self.report("--run-smoke-test")
        self.assertEqual(list(checks), IDS)
        self.assertEqual(report["rocm_root"], ROOT)
        for status in ("pass", "warn", "fail", "skip", "error"):
            self.assertEqual(report["summary"][status],
                             sum(check["status"] == status for check in checks.values()))
        for name in ("install.sdk-library", "runtime.libraries-load", "counters.avail-enumeration",
                     "smoke.rocprofv3-launcher", "tools.rocprofv3"):
            self.assertEqual(checks[name]["status"], "pass", checks[name])

    def test_on_a_gpu(self):
        for gpu, version in (("mi210", 90010), ("mi100", 90008)):
            code, out, err = run("--gpu", gpu, "--", DOCTOR, "--format", "json", "--only", "driver", "--only",
                                 "counters.[cn]*", program=os.path.join(ROOT, "bin/softgpu"))
            checks = {check["id"]: check for check in json.loads(out)["checks"]}
            self.assertEqual(checks["driver.gpu-topology"]["detail"], f"1 GPU, gfx_target_version {version}")
            self.assertEqual(checks["driver.kfd-readable"]["status"], "pass")

    def test_only_takes_what_it_needs_along(self):
        _, checks = self.report("--only", "install.version*")
        self.assertEqual(list(checks), ["install.rocm-root", "install.sdk-library",
                                        "install.version-consistency"])
        self.assertEqual(checks["install.version-consistency"]["depends"], ["install.sdk-library"])
        _, checks = self.report("--only", "install.version*", "--skip", "install.sdk-library")
        self.assertEqual(checks["install.version-consistency"]["detail"],
                         "needs install.sdk-library")
        self.assertEqual(run("--only", "nothing")[0], 2)

    def test_broken_installation(self):
        with tempfile.TemporaryDirectory() as folder:
            _, checks = self.report("--rocm-root", folder, "--only", "install", status=1)
            self.assertEqual(checks["install.sdk-library"]["status"], "fail")
            self.assertIn("librocprofiler-sdk.so.1: No such file", checks["install.sdk-library"]["detail"])
            self.assertEqual(checks["install.version-consistency"]["status"], "skip")
            self.assertEqual(checks["install.attach-library"]["status"], "warn")

    def test_environment(self):
        for name, status, variables in (
                ("ld-preload-conflict", "fail", {"LD_PRELOAD": "libscorep_nowhere.so"}),
                ("hsa-tools-lib", "warn", {"HSA_TOOLS_LIB": "libother.so"}),
                ("rocp-tool-libraries", "warn", {"ROCP_TOOL_LIBRARIES": "/nowhere/libtool.so"}),
                ("gpu-visibility", "warn", {"HIP_VISIBLE_DEVICES": ""}),
                ("run-as-user", "warn" if os.geteuid() == 0 else "pass", {"SUDO_USER": "somebody"})):
            out = run("--format", "json", "--only", f"environ.{name}", **variables)[1]
            self.assertEqual(json.loads(out)["checks"][0]["status"], status, name)

    def test_output(self):
        with tempfile.TemporaryDirectory() as folder:
            for directory, status in ((folder, "pass"), (folder + "/new", "warn"),
                                      ("/proc", "fail")):
                _, checks = self.report("--only", "filesystem.output-dir-writable",
                                        status=int(status == "fail"), ROCPROF_OUTPUT_PATH=directory)
                self.assertEqual(checks["filesystem.output-dir-writable"]["status"], status)
            self.assertEqual(os.listdir(folder), [])

    def test_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "report")
            code, out, _ = run("--only", "environ.gpu*", "--output", path, HIP_VISIBLE_DEVICES="0")
            self.assertEqual(code, 0)
            with open(path) as file:
                self.assertEqual(file.read(), out)
        lines = out.splitlines()
        self.assertRegex(lines[0], r"^rocprofv3-doctor v[0-9.]+  \(ROCm .*\)$")
        self.assertEqual(lines[1], f"Checking: {ROOT} (that of this program)")
        self.assertEqual(lines[3:6], ["environ", "=======",
                                      " [WARN]  environ.gpu-visibility  Visible GPUs"])
        self.assertIn("Summary: 0 passed, 1 warning, 0 failed, 0 skipped (1 total)", lines)
        self.assertIn("How to Fix", lines)
        self.assertNotIn("environ.beta", run("--only", "environ.beta*", "--quiet")[1])

    def test_words(self):
        self.assertEqual(run("--nonsense")[0], 2)
        self.assertEqual(run("--format", "xml")[0], 2)
        self.assertEqual(run("--version")[0], 0)
        self.assertEqual(run("--doctor", "--list-checks", program=ROCPROFV3),
                         run("--list-checks"))


class VersionTest(unittest.TestCase):
    """Which of the installed libraries are preloaded."""

    def preloaded(self, *options):
        code, out, err = run("--echo", "--gpu", "soft", "--kernel-trace", *options, "--", "true",
                             program=ROCPROFV3)
        line = [line for line in out.splitlines() if line.startswith("LD_PRELOAD=")]
        return code, line[0] if line else "", err

    def test_versions(self):
        self.assertIn("librocprofiler-sdk.so.1:", self.preloaded()[1] + ":")
        self.assertIn("librocprofiler-sdk.so.1.0.0:", self.preloaded("--sdk-version", "1.0.0")[1])
        self.assertIn("librocprofiler-sdk.so.1:", self.preloaded("--sdk-soversion", "1")[1])
        self.assertIn("librocprofiler-sdk.so.1.0.0:", self.preloaded("--readlink")[1])
        real = os.path.realpath(os.path.join(ROOT, "lib/librocprofiler-sdk.so.1"))
        self.assertIn(real + ":", self.preloaded("--realpath")[1])
        code, _, err = self.preloaded("--sdk-version", "9.8.7")
        self.assertEqual(code, 125)
        self.assertIn(".so.9.8.7: No such file or directory: no such version is installed", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
