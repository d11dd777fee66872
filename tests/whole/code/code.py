#!/usr/bin/env python3
"""rocprofv3 code: what it says of code objects whose every number is known, in every container and format.

usage: code.py ROCPROFV3 CLANG CODE_LLVM [unittest arguments]
"""
import csv
import html
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import objects

TABLE_HEAD = ("Kernel  GPU     VGPRs  AGPRs  SGPRs            Spills  LDS bytes  Scratch bytes  Group   Waves  Limited by  "
              "Code bytes\n")
# 72 VGPRs and 4 AGPRs are 80 of 512: six waves; for seven 512 / 7, rounded down to eights, is 72
DETAILS = """scale  gfx90a
  registers   72 VGPRs, 4 AGPRs, 32 SGPRs; a wave takes 80 VGPRs; spilled VGPRs 1, SGPRs 1
  memory      4096 bytes of LDS, 8 of scratch, 8 of arguments
  launch      up to 1024 work-items in waves of 64
  occupancy   6 of 8 waves on a SIMD, in workgroups of 256, limited by VGPRs; one wave more with 72 VGPRs or fewer
  code        128 bytes, 23 instructions, 2 loops
  mix         scalar ALU 6, vector ALU 4, branches 3, transcendental 1, matrix 1, scalar memory 1, global loads 1, \
global stores 1, LDS stores 1, scratch loads 1, scratch stores 1, waits 1, barriers 1
  hot         scalar ALU 22 %, vector ALU 10 %, branches 10 %, transcendental 9 %, matrix 9 %, if every loop has ten rounds
  matrix      v_mfma_f32_4x4x1f32 1
  loop        0xOUTER scale.co.s:11-27: 6 instructions: scratch stores 1
                of them spills: stores 1, reads of lanes 1
  loop          0xINNER scale.co.s:13-22: 10 instructions: matrix 1, global loads 1, LDS stores 1, scratch loads 1
                  of them spills: reloads 1
  spills      stores 1, reloads 1, writes to lanes 1, reads of lanes 1 in all
  spills      scale.co.s:9: writes to lanes 1
  spills      scale.co.s:14: reloads 1, in a loop
  spills      scale.co.s:23: stores 1, in a loop
  spills      scale.co.s:24: reads of lanes 1, in a loop
"""


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.folder = self.place.name

    def tearDown(self):
        self.place.cleanup()

    def told(self, *words, status=0, errors=""):
        """What the command prints; its status and errors are as expected."""
        got, output, said = objects.run("code", *words, cwd=self.folder)
        self.assertEqual((got, said), (status, errors), output)
        return output

    def kernels(self, *words, **expected):
        return json.loads(self.told("--format", "json", *words, **expected))["kernels"]


class Shown(Case):
    def test_table_and_details(self):
        objects.scale(self.folder)
        table = TABLE_HEAD + ("scale   gfx90a     72      4     32  1 VGPRs, 1 SGPRs      4,096              8    256  6 of 8  "
                              "VGPRs              128\n")
        self.assertEqual(self.told("scale.co"), table)
        outer, inner = (loop["address"] for loop in self.kernels("scale.co")[0]["loops"])
        self.assertEqual(inner - outer, 4)
        details = DETAILS.replace("OUTER", f"{outer:x}").replace("INNER", f"{inner:x}")
        self.assertEqual(self.told("--details", "scale.co"), table + "\n" + details)
        self.assertEqual(self.told("--kernel", "^sc.le$", "scale.co"), table + "\n" + details)
        lines = self.told("--source", "scale.co").splitlines()
        at = next(i for i, line in enumerate(lines) if "scale.co.s:16:" in line)
        self.assertEqual(lines[at:at + 2], ["  line        scale.co.s:16: vector ALU 1",
                                            "              v_mul_f32 v2, v2, v3"])
        at = next(i for i, line in enumerate(lines) if "scale.co.s:14:" in line)
        self.assertEqual(lines[at:at + 2], ["  spills      scale.co.s:14: reloads 1, in a loop; scratch loads 1",
                                            "              buffer_load_dword v3, off, s[0:3], 0 offset:4"])

    def test_long_names_are_cut_in_the_table_alone(self):
        names = ["n" * 90, "n" * 91]
        objects.plain(self.folder, "names.co", {name: {} for name in names})
        shown = [line.split()[0] for line in self.told("names.co").splitlines()[1:]]
        self.assertEqual(shown, [names[0], "n" * 90 + "..."])
        self.assertEqual([k["kernel"] for k in self.kernels("names.co")], names)

    def test_csv_and_json_have_the_same_numbers(self):
        objects.scale(self.folder)
        rows = list(csv.DictReader(io.StringIO(self.told("--format", "csv", "scale.co"))))
        kernel, = self.kernels("scale.co")
        expected = {"vgprs": 72, "agprs": 4, "sgprs": 32, "spills": 2, "vgpr_spills": 1, "sgpr_spills": 1, "lds": 4096,
                    "scratch": 8, "arguments": 8, "wave": 64, "workgroup": 256, "workgroup_max": 1024, "occupancy": 6,
                    "code_bytes": 128, "instructions": 23, "loops": 2, "calls": 0, "spill_stores": 1,
                    "spill_reloads": 1}
        mix = {"valu": 4, "transcendental": 1, "matrix": 1, "salu": 6, "smem": 1, "vmem_load": 1, "vmem_store": 1,
               "lds_store": 1, "scratch_load": 1, "scratch_store": 1, "branch": 3, "wait": 1, "barrier": 1}
        self.assertEqual(kernel["numbers"], expected)
        self.assertEqual(kernel["mix"], mix)
        self.assertEqual(len(rows), 1)
        texts = {"file": "scale.co", "gpu": "gfx90a", "target": "gfx90a", "kernel": "scale", "symbol": "scale.kd", "limited_by": "VGPRs",
                 "next_step": "one wave more with 72 VGPRs or fewer"}
        counts = {**{key: "0" for key in ("acc_move", "vmem_atomic", "lds_load", "lds_atomic", "lane_exchange", "other")},
                  **{key: str(value) for key, value in {**expected, **mix}.items()}}
        self.assertEqual(rows[0], {**texts, **counts})
        self.assertEqual({key: kernel[key] for key in texts}, texts)
        self.assertEqual(kernel["matrix_instructions"], {"v_mfma_f32_4x4x1f32": 1})
        self.assertEqual(kernel["spills"], {"stores": 1, "reloads": 1, "lane_writes": 1, "lane_reads": 1})
        self.assertAlmostEqual(kernel["hot"]["salu"], 231 / 1067, places=4)
        self.assertAlmostEqual(sum(kernel["hot"].values()), 1, places=2)
        self.assertEqual([(loop["depth"], loop["instructions"], loop["first_line"], loop["last_line"])
                          for loop in kernel["loops"]], [(1, 6, 11, 27), (2, 10, 13, 22)])
        self.assertEqual(kernel["loops"][1]["mix"], {"valu": 1, "transcendental": 1, "matrix": 1, "salu": 2,
                                                     "vmem_load": 1, "lds_store": 1, "scratch_load": 1, "branch": 1,
                                                     "wait": 1})
        self.assertEqual([(line["line"], line["depth"]) for line in kernel["lines"]],
                         [*((n, 0) for n in range(6, 10)), (11, 1), *((n, 2) for n in range(13, 23)),
                          *((n, 1) for n in range(23, 28)), *((n, 0) for n in range(28, 31))])

    def test_html(self):
        objects.plain(self.folder, "k.co", {"a_b": {"vgpr_spill_count": 3}})
        page = self.told("--format", "html", "-o", "k.html", "k.co")
        self.assertEqual(page, "")
        with open(self.folder + "/k.html", encoding="utf-8") as file:
            page = file.read()
        self.assertIn('<tr><td class="t">a_b</td><td class="t">gfx90a</td><td>32</td><td>0</td><td>16</td>'
                      '<td class="bad">3</td><td class="bad">3</td><td>0</td>', page)
        self.assertIn("<details><summary>a_b (gfx90a)</summary><pre>a_b  gfx90a\n  registers   32 VGPRs", html.unescape(page))

    def test_occupancy_is_of_a_workgroup(self):
        # 72 VGPRs: seven waves; a group of sixteen has room once, four waves on a SIMD
        objects.plain(self.folder, "k.co", {"free": {"vgpr_count": 72}, "bounded": {"vgpr_count": 72, "max_flat_workgroup_size": 512},
                                            "fixed": {"vgpr_count": 72, "reqd_workgroup_size": [64, 2, 1]}})
        def numbers(*words):
            return {k["kernel"]: (k["numbers"]["workgroup"], k["numbers"]["occupancy"]) for k in self.kernels(*words, "k.co")}
        self.assertEqual(numbers(), {"free": (256, 7), "bounded": (512, 6), "fixed": (128, 7)})
        self.assertEqual(numbers("--workgroup", "1024"), {"free": (1024, 4), "bounded": (512, 6), "fixed": (128, 7)})


class Gpus(Case):
    """Other GPUs: LLVM disassembles, occupancy by the sizes of their units."""
    KERNEL = """.text
.globl k
.p2align 8
.type k,@function
k:
  s_mov_b32 s6, 0
again:
  global_load_dword v2, v0, s[4:5]
  v_add_f32 v2, v2, v2
  s_add_u32 s6, s6, 1
  s_cmp_lt_u32 s6, 8
  s_cbranch_scc1 again
  s_endpgm
.Lend_k:
.size k, .Lend_k - k
"""

    def kernel(self, gpu, **notes):
        """What the command says of the kernel, compiled for a GPU."""
        code = self.KERNEL
        objects.clang(self.folder, objects.assembly([("k", code, notes)], gpu), gpu, "k.co")
        return self.kernels("k.co")[0]

    def test_waves_of_32(self):
        # gfx1030: 1024 VGPRs in sixteens, gfx1010 in eights; groups of 256 are eight waves, on four SIMDs of a WGP
        # 100 are 112 of 1024: nine waves, 36 on the WGP, of which 32 are whole groups: eight of a SIMD
        k = self.kernel("gfx1030", wavefront_size=32, vgpr_count=100)
        self.assertEqual((k["numbers"]["occupancy"], k["limited_by"]), (8, "VGPRs"))
        # on a compute unit with two SIMDs: 18, of which 16 are whole groups: eight
        k = self.kernel("gfx1030", wavefront_size=32, vgpr_count=100, wgp=0)
        self.assertEqual(k["numbers"]["occupancy"], 8)
        # 104 of 1024 are nine, too; 41 of 8-s are 48: 21, more than the 20 slots
        k = self.kernel("gfx1010", wavefront_size=32, vgpr_count=41)
        self.assertEqual((k["numbers"]["occupancy"], k["limited_by"]), (20, "wave slots"))
        self.assertEqual(k["mix"], {"salu": 3, "valu": 1, "vmem_load": 1, "branch": 2})
        self.assertEqual([loop["instructions"] for loop in k["loops"]], [5])

    def test_waves_of_64(self):
        k = self.kernel("gfx908", vgpr_count=64, agpr_count=32)
        self.assertEqual((k["numbers"]["vgprs"], k["numbers"]["occupancy"]), (64, 4))
        self.assertEqual(k["mix"], {"salu": 3, "valu": 1, "vmem_load": 1, "branch": 2})

    def test_both_disassemblers_say_the_same(self):
        for gpu, wave in (("gfx90a", 64), ("gfx1030", 32)):
            objects.clang(self.folder, objects.assembly([("k", self.KERNEL, {"wavefront_size": wave})], gpu), gpu, "k.co")
            done = subprocess.run([objects.LLVM, "k.co"], cwd=self.folder, capture_output=True, text=True, check=False)
            if done.returncode == 77:
                self.skipTest("needs libamd_comgr and libLLVM")
            self.assertEqual((done.returncode, done.stdout), (0, "7 instructions\n"), gpu)

    def test_a_gpu_that_comgr_may_not_know(self):
        """Debian 12's libamd_comgr is older than gfx1100, its libLLVM is not."""
        k = self.kernel("gfx1100", wavefront_size=32, vgpr_count=100)
        # 120 of 1536: twelve waves, 48 on the WGP
        self.assertEqual((k["numbers"]["occupancy"], k["numbers"]["code_bytes"]), (12, 32))
        if "not_read" in k:
            self.skipTest(k["not_read"])
        self.assertEqual(k["mix"], {"salu": 3, "valu": 1, "vmem_load": 1, "branch": 2})

    def test_a_gpu_that_nothing_knows(self):
        """The ELF header's number is that of a GPU which is newer than any disassembler here."""
        path = objects.plain(self.folder, "k.co", {"k": {"vgpr_count": 72}})
        data = bytearray(objects.read(path))
        data[48] = 0x5b # e_flags: gfx12-5-generic
        objects.write(self.folder, "k.co", bytes(data))
        k, = self.kernels("k.co")
        if "not_read" not in k:
            self.skipTest("a disassembler knows gfx12-5-generic")
        self.assertEqual((k["gpu"], k["not_read"], k["limited_by"]),
                         ("gfx12-5-generic", "no disassembler here knows gfx12-5-generic", ""))
        self.assertEqual((k["numbers"]["vgprs"], k["numbers"]["occupancy"], k["numbers"]["instructions"]), (72, None, None))
        objects.write(self.folder, "b.yaml", b"k:\n  instructions: 1\n  occupancy: 1\n  vgprs: 72\n")
        status, output, _ = objects.run("check", "--code", "b.yaml", "k.co", cwd=self.folder)
        self.assertEqual(status, 2)
        self.assertIn("not checked: no disassembler here knows gfx12-5-generic", output)
        self.assertIn("not checked: the occupancy of gfx12-5-generic is not known", output)

    def test_settings_of_a_gpu(self):
        """XNACK and SRAM ECC are settings of the GPU that code may be for: 2 and 3 in two bits of e_flags."""
        path = objects.plain(self.folder, "k.co", {"k": {}})
        plain = objects.read(path)
        for version, flags, expected in ((2, 0x100, "gfx90a"), (2, 0x200, "gfx90a:xnack-"), (3, 0xf00, "gfx90a:sramecc+:xnack+"),
                                         (2, 0x800, "gfx90a:sramecc-"), (1, 0x300, "gfx90a")):
            data = bytearray(plain)
            data[8] = version
            data[48:52] = struct.pack("<I", 0x3f | flags)
            objects.write(self.folder, "k.co", bytes(data))
            self.assertEqual([(k["gpu"], k["target"]) for k in self.kernels("k.co")], [("gfx90a", expected)])
        for name, flags in (("off.co", 0x200), ("on.co", 0x300)):
            data[8], data[48:52] = 2, struct.pack("<I", 0x3f | flags)
            objects.write(self.folder, name, bytes(data))
        self.assertEqual([line.split()[:3] for line in self.told("off.co", "on.co", status=1).splitlines()[1:3]],
                         [["k", "gfx90a:xnack+", "only"], ["k", "gfx90a:xnack-", "only"]])

    def test_one_gpu_alone(self):
        objects.plain(self.folder, "a.co", {"k": {}}, "gfx90a")
        objects.plain(self.folder, "b.co", {"k": {}}, "gfx906")
        self.assertEqual([k["gpu"] for k in self.kernels("a.co", "b.co")], ["gfx90a", "gfx906"])
        self.assertEqual([k["gpu"] for k in self.kernels("--gpu", "gfx906", "a.co", "b.co")], ["gfx906"])
        self.assertEqual([k["gpu"] for k in self.kernels("--gpu", "MI210", "a.co", "b.co")], ["gfx90a"])
        data = bytearray(objects.read(self.folder + "/a.co"))
        data[48] = 0x5f # e_flags: gfx9-4-generic, whose code runs on a gfx942 and on a gfx950
        objects.write(self.folder, "c.co", bytes(data))
        for gpu, expected in (("mi300x", ["gfx9-4-generic"]), ("gfx950", ["gfx9-4-generic"]), ("gfx90a", ["gfx90a"])):
            found = [k for k in self.kernels("--gpu", gpu, "a.co", "c.co")]
            self.assertEqual(([k["gpu"] for k in found], found[0]["numbers"]["occupancy"]), (expected, 8))
        self.told("--gpu", "gfx1100", "--each", "a.co", "b.co", status=2,
                  errors="rocprofv3: error: no kernel of gfx1100 is in 2 code objects\n")
        self.told("--kernel", "^x", "--each", "a.co", "b.co", status=2,
                  errors="rocprofv3: error: none of 2 kernels is called so\n")


class Spills(Case):
    """Spills of compiled code, beside the compiler's own text of it, which has them with their lines."""
    VECTORS = """__attribute__((amdgpu_num_vgpr(CAP), reqd_work_group_size(64, 1, 1)))
kernel void k(global float16 *io) {
  float16 a = io[0], b = io[1], c = io[2];
  for (int i = 0; i < 9; i++) {
    a = a * b + c;
    b = b * c + a;
    c = c * a + b;
  }
  io[0] = a; io[1] = b; io[2] = c; }
"""
    SCALARS = ("kernel void k(global int *io, constant int *in, int n) {\n" # more than the 102 that a wave has
               + "".join(f"  int s{i} = in[{i}];\n" for i in range(104)) + "  for (int i = 0; i < n; i++) {\n"
               + "".join(f"    io[i * 104 + {i}] = s{i} + (s{i * 7 % 104} ^ i);\n" for i in range(104)) + "  }\n}\n")

    def compiled(self, source, gpu):
        """(the compiler's text, what the command says); None: this compiler cannot."""
        objects.write(self.folder, "k.cl", source.encode())
        done = subprocess.run([objects.CLANG, "--target=amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-O2", "-nogpulib", "-gline-tables-only",
                               "-x", "cl", "k.cl", "-S", "-o", "k.s"], cwd=self.folder, capture_output=True, check=False)
        if done.returncode:
            self.skipTest(f"{objects.CLANG} cannot compile it for {gpu}")
        text = objects.read(self.folder + "/k.s").decode()
        objects.clang(self.folder, text, gpu, "k.co")
        return text[:text.index("s_endpgm")], self.kernels("k.co")[0]

    def lines_of(self, text, pattern):
        """How often instructions of the pattern stand at each line of the source, by the compiler's .loc."""
        line, counts = 0, {}
        for row in text.splitlines():
            place = re.match(r"\s*\.loc\s+\d+ (\d+)", row)
            line = int(place[1]) if place else line
            if line and re.match(rf"\s*{pattern}", row):
                counts[line] = counts.get(line, 0) + 1
        return counts

    def test_of_vector_registers(self):
        for gpu, cap in (("gfx90a", 16), ("gfx908", 48), ("gfx1030", 48), ("gfx1100", 48)):
            text, k = self.compiled(self.VECTORS.replace("CAP", str(cap)), gpu)
            expected = int(re.search(r"vgpr_spill_count: (\d+)", objects.read(self.folder + "/k.s").decode())[1])
            self.assertEqual(k["numbers"]["vgpr_spills"], expected, gpu)
            if "not_read" in k:
                continue
            spills = {kind: len(re.findall(rf"^\s*(?:buffer|scratch)_{kind}_", text, re.M)) for kind in ("store", "load")}
            self.assertGreater(spills["store"] + spills["load"], 0, gpu)
            self.assertEqual({"store": k["spills"]["stores"], "load": k["spills"]["reloads"]}, spills, gpu)
            for kind, key in (("store", "stores"), ("load", "reloads")):
                self.assertEqual({line["line"]: line["spills"][key] for line in k["lines"] if line["spills"][key]},
                                 self.lines_of(text, rf"(?:buffer|scratch)_{kind}_"), (gpu, kind))

    def test_of_scalar_registers(self):
        for gpu in ("gfx90a", "gfx908"):
            text, k = self.compiled(self.SCALARS, gpu)
            self.assertGreater(k["numbers"]["sgpr_spills"], 0, gpu)
            self.assertEqual((k["spills"]["lane_writes"], k["spills"]["lane_reads"]),
                             tuple(len(re.findall(rf"^\s*v_{kind}lane_b32", text, re.M)) for kind in ("write", "read")), gpu)

    def test_arrays_are_no_spills(self):
        source = """kernel void k(global int *io, int n) {
  int a[64];
  for (int i = 0; i < 64; i++) a[i] = io[i];
  for (int i = 0; i < n; i++) a[i & 63] += a[(i * 7) & 63];
  io[0] = a[n & 63]; }
"""
        _, k = self.compiled(source, "gfx90a")
        self.assertGreater(k["mix"]["scratch_store"], 0)
        self.assertEqual(set(k["spills"].values()), {0})


class Containers(Case):
    def setUp(self):
        super().setUp()
        objects.plain(self.folder, "a.co", {"a1": {}, "a2": {}}, "gfx90a")
        objects.plain(self.folder, "b.co", {"a1": {}}, "gfx906")
        self.a, self.b = (objects.read(f"{self.folder}/{name}.co") for name in "ab")
        self.bundle = objects.bundle({"host-x86_64-unknown-linux--": b"", "hipv4-amdgcn-amd-amdhsa--gfx90a": self.a,
                                      "hipv4-amdgcn-amd-amdhsa--gfx906": self.b})
        self.expected = [("gfx90a", "a1"), ("gfx90a", "a2"), ("gfx906", "a1")]

    def found(self, *words, **expected):
        return [(k["gpu"], k["kernel"]) for k in self.kernels(*words, **expected)]

    def write(self, name, data):
        objects.write(self.folder, name, data)
        return name

    def test_bundles(self):
        self.assertEqual(self.found(self.write("f.hipfb", self.bundle)), self.expected)
        packed = zlib.compress(self.bundle)
        data = b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(packed), len(self.bundle), 0) + packed
        self.assertEqual(self.found(self.write("z.hipfb", data)), self.expected)
        zstd = shutil.which("zstd")
        if not zstd:
            self.skipTest("needs zstd")
        packed = subprocess.run([zstd, "-q", "-c"], input=self.bundle, capture_output=True, check=True).stdout
        data = b"CCOB" + struct.pack("<HHQQQ", 3, 1, 32 + len(packed), len(self.bundle), 0) + packed
        self.assertEqual(self.found(self.write("zstd.hipfb", data)), self.expected)

    def test_object_files_and_archives(self):
        self.write("f.hipfb", self.bundle)
        source = '.section .hip_fatbin,"a"\n.p2align 12\n.incbin "f.hipfb"\n'
        subprocess.run([objects.CLANG, "--target=x86_64-linux-gnu", "-c", "-x", "assembler", "-", "-o", "host.o"],
                       input=source, text=True, cwd=self.folder, check=True)
        self.assertEqual(self.found("host.o"), self.expected)
        host = objects.read(self.folder + "/host.o")
        archive = b"!<arch>\n" + b"%-48s%-10d`\n" % (b"host.o/", len(host)) + host
        self.assertEqual(self.found(self.write("l.a", archive)), self.expected)

    def test_folders(self):
        """As Triton's cache: a folder of each kernel, with files of other kinds beside it."""
        self.write("cache/AB12/k.hsaco", self.a)
        self.write("cache/AB12/k.json", b"{}")
        self.write("cache/AB12/empty", b"")
        self.write("cache/CD34/k.hsaco", self.b)
        self.write("cache/CD34/.hidden", b"\x7fELF" + bytes(4))
        self.assertEqual(self.found("cache", status=2, errors="rocprofv3: error: cache/CD34/.hidden: an ELF file of 8 "
                                                              "bytes: it is cut off\n"), self.expected)
        os.remove(self.folder + "/cache/CD34/.hidden")
        self.assertEqual(self.found("cache"), self.expected)
        self.write("out/.rocprofv3/7/code-1.elf", self.a) # as a store of rocprofv3 has it
        self.assertEqual(self.found("out"), self.expected[:2])
        self.assertEqual({k["file"] for k in self.kernels("cache")}, {"cache/AB12/k.hsaco", "cache/CD34/k.hsaco"})

    def test_bad_files_do_not_stop_others(self):
        cut = self.write("cut", self.bundle[:5000])
        text = self.write("text", b"no code at all, but a text that is long enough")
        host = self.write("host", objects.read(sys.executable))
        told = ("rocprofv3: error: missing: No such file or directory\n"
                f"rocprofv3: error: cut: an offload bundle: part 1 has {len(self.a)} bytes at 4096, but only 5000 are there\n"
                "rocprofv3: error: text: no file that code of GPUs is in: ELF, offload bundle, archive\n"
                "rocprofv3: error: host: no code of AMD GPUs is in it\n")
        self.assertEqual(self.found("missing", cut, text, host, "b.co", status=2, errors=told), [("gfx906", "a1")])

    def test_every_cut_is_told(self):
        """A code object that ends anywhere has a line that says so, and nothing else happens."""
        for size in [*range(1, 64, 7), *range(64, len(self.b) - 1, 97)]:
            status, output, errors = objects.run("code", "--details", self.write("cut", self.b[:size]), "--format", "csv",
                                                 cwd=self.folder)
            self.assertIn(status, (0, 2), (size, output, errors))
            if status:
                self.assertRegex(errors, r"^rocprofv3: error: .+\n$")


class Compared(Case):
    def test_two_builds(self):
        objects.plain(self.folder, "a.co", {"same": {}, "spills": {}, "smaller": {"vgpr_count": 72}, "gone": {}})
        objects.plain(self.folder, "b.co", {"same": {}, "new": {}, "smaller": {"vgpr_count": 64},
                                            "spills": {"vgpr_spill_count": 4, "private_segment_fixed_size": 20}})
        expected = """\
Kernel   GPU     Quantity            Before  After  Change  Verdict
spills   gfx90a  spills                   0      4      +4  worse
spills   gfx90a  vgpr_spills              0      4      +4  worse
spills   gfx90a  scratch                0 B   20 B   +20 B  worse
gone     gfx90a  only in the first
new      gfx90a  only in the second
smaller  gfx90a  vgprs                   72     64      -8  better
smaller  gfx90a  occupancy                7      8      +1  better
1 the same, 2 differ, of these 1 spill more; 1 only in the first, 1 only in the second
"""
        told = "\n".join(line.rstrip() for line in self.told("a.co", "b.co", status=1).splitlines()) + "\n"
        self.assertEqual(told, expected)
        self.assertEqual(self.told("a.co", "a.co"),
                         "4 the same, 0 differ, of these 0 spill more; 0 only in the first, 0 only in the second\n")
        self.assertEqual(len(self.told("--each", "a.co", "b.co").splitlines()), 1 + 8)

    def test_several_of_one_name(self):
        """A cache has kernels of one name: they are compared in their order."""
        for side, counts in (("a", (32, 40)), ("b", (32, 48))):
            for number, count in enumerate(counts):
                objects.plain(self.folder, "k.co", {"k": {"vgpr_count": count}})
                objects.write(self.folder, f"{side}/{number}/k.hsaco", objects.read(self.folder + "/k.co"))
        told = self.told("a", "b", status=1).splitlines()
        self.assertEqual([line.split() for line in told[1:2]], [["k", "gfx90a", "vgprs", "40", "48", "+8", "worse"]])
        self.assertEqual(told[2], "1 the same, 1 differ, of these 0 spill more; 0 only in the first, 0 only in the second")


class Budgets(Case):
    BUDGET = """'*':
  spills: 0
  vgprs: "<= 64"
  occupancy: ">= 7"
"""

    def checked(self, budget, *words):
        objects.write(self.folder, "budget.yaml", budget.encode())
        status, output, errors = objects.run("check", "--code", "budget.yaml", *words, cwd=self.folder)
        return status, re.sub(r" +", " ", output).splitlines(), errors

    def test_kept_broken_and_unknown(self):
        objects.plain(self.folder, "good.co", {"good": {}})
        objects.plain(self.folder, "bad.co", {"bad": {"vgpr_count": 72, "vgpr_spill_count": 2}})
        self.assertEqual(self.checked(self.BUDGET, "good.co"),
                         (0, ["Kernel Quantity Class Limit Value Result", "good spills exact 0 0 ok",
                              "good vgprs exact <= 64 32 ok", "good occupancy exact >= 7 8 ok",
                              "3 kept, 0 broken, 0 not checked"], ""))
        status, lines, errors = self.checked(self.BUDGET, "good.co", "bad.co")
        self.assertEqual((status, errors), (1, ""))
        self.assertEqual(lines[4:], ["bad spills exact 0 2 BROKEN", "bad vgprs exact <= 64 72 BROKEN",
                                     "bad occupancy exact >= 7 7 ok", "4 kept, 2 broken, 0 not checked"])
        status, lines, errors = self.checked("good:\n  instructions: 1\n  nothing: 1\n", "good.co")
        self.assertEqual((status, lines[1:3]), (2, ["good instructions exact 1 1 ok",
                                                    "good nothing 1 not checked: no such quantity was collected"]))
        status, lines, errors = self.checked(self.BUDGET, "good.co", "missing")
        self.assertEqual((status, errors), (2, "rocprofv3: error: missing: No such file or directory\n"))
        status, lines, errors = self.checked(self.BUDGET)
        self.assertEqual((status, lines), (2, []))
        self.assertEqual(errors, "rocprofv3: error: check --code: files with the code are expected behind budget.yaml\n")

    def test_kernels_of_one_name_are_told_apart(self):
        objects.plain(self.folder, "a.co", {"k": {}}, "gfx90a")
        objects.plain(self.folder, "b.co", {"k": {}}, "gfx906")
        status, lines, _ = self.checked("k:\n  vgprs: 32\n", "a.co", "b.co")
        self.assertEqual((status, lines[1:3]), (0, ["k [gfx90a] vgprs exact 32 32 ok", "k [gfx906] vgprs exact 32 32 ok"]))

    def test_a_budget_is_made(self):
        objects.plain(self.folder, "a.co", {"k": {"vgpr_spill_count": 1}})
        status, _, errors = objects.run("check", "--code", "--update", "new.yaml", "a.co", cwd=self.folder)
        self.assertEqual((status, errors), (0, ""))
        status, _, errors = objects.run("check", "--code", "new.yaml", "a.co", cwd=self.folder)
        self.assertEqual((status, errors), (0, ""))
        with open(self.folder + "/new.yaml", encoding="utf-8") as file:
            self.assertIn('  vgpr_spills: "<= 1"\n', file.read())


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1] + sys.argv[4:], verbosity=2, exit=False).result
    sys.exit(77 if len(result.skipped) == result.testsRun else not result.wasSuccessful())
