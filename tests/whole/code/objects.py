"""Code objects for the tests of rocprofv3 code: assembled, so that every number in them is known."""
import functools
import os
import struct
import subprocess
import sys
import unittest

ROCPROFV3, CLANG, LLVM = sys.argv[1:4]

# Lines are counted in the tests: the first one is line 1.
SCALE = """.text
.globl scale
.p2align 8
.type scale,@function
scale:
  s_load_dwordx2 s[4:5], s[4:5], 0x0
  s_mov_b32 s6, 0
  v_mov_b32 v1, 0
  v_writelane_b32 v40, s6, 0
outer:
  s_mov_b32 s7, 0
inner:
  global_load_dword v2, v0, s[4:5]
  buffer_load_dword v3, off, s[0:3], 0 offset:4
  s_waitcnt vmcnt(0)
  v_mul_f32 v2, v2, v3
  v_exp_f32 v2, v2
  v_mfma_f32_4x4x1f32 a[0:3], v2, v2, a[0:3]
  ds_write_b32 v1, v2
  s_add_u32 s7, s7, 1
  s_cmp_lt_u32 s7, 8
  s_cbranch_scc1 inner
  buffer_store_dword v2, off, s[0:3], 0 offset:4
  v_readlane_b32 s8, v40, 0
  s_add_u32 s6, s6, 1
  s_cmp_lt_u32 s6, s8
  s_cbranch_scc1 outer
  s_barrier
  global_store_dword v0, v2, s[4:5]
  s_endpgm
.Lend_scale:
.size scale, .Lend_scale - scale
"""
PLAIN = """.text
.globl NAME
.p2align 8
.type NAME,@function
NAME:
  s_endpgm
.Lend_NAME:
.size NAME, .Lend_NAME - NAME
"""
DESCRIPTOR = """.rodata
.p2align 6
.amdhsa_kernel NAME
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 8
  MORE
.end_amdhsa_kernel
"""
# what the notes have unless a kernel says otherwise
NOTES = {"vgpr_count": 32, "sgpr_count": 16, "agpr_count": 0, "vgpr_spill_count": 0, "sgpr_spill_count": 0,
         "group_segment_fixed_size": 0, "private_segment_fixed_size": 0, "kernarg_segment_size": 8,
         "kernarg_segment_align": 8, "max_flat_workgroup_size": 1024, "wavefront_size": 64}
SCALE_NOTES = {"vgpr_count": 76, "agpr_count": 4, "sgpr_count": 32, "vgpr_spill_count": 1, "sgpr_spill_count": 1,
               "group_segment_fixed_size": 4096, "private_segment_fixed_size": 8}


assembled = {}  # the code object of a text for a GPU: LLVM takes longer to start than to assemble


@functools.cache
def llvm():
    """Assembler and linker of clang's own LLVM, or None: without debug information they alone make the same file in half the
    time. The place of clang's headers, LLVM/lib/clang/VERSION, tells which LLVM that is: CLANG may be ccache, and
    -print-prog-name prefers an llvm-mc of another LLVM in the folder from which clang was started."""
    headers = subprocess.run([CLANG, "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
    tools = [os.path.normpath(os.path.join(headers, "../../../bin", name)) for name in ("llvm-mc", "ld.lld")]
    return tools if all(os.access(tool, os.X_OK) for tool in tools) else None


def clang(folder, text, gpu, name, flags=()):
    """Assembles to folder/name. Flags may ask for debug information, which has the folder's name in it."""
    path, key = os.path.join(folder, name), (text, gpu)
    if not flags and key in assembled:
        return write(folder, name, assembled[key])
    with open(path + ".s", "w", encoding="utf-8") as file:
        file.write(text)
    commands = [[CLANG, "--target=amdgcn-amd-amdhsa", f"-mcpu={gpu}", *flags, name + ".s", "-o", name]]
    if not flags and llvm():
        assembler, linker = llvm()
        commands = [[assembler, "-triple=amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-filetype=obj", name + ".s", "-o", name + ".o"],
                    [linker, "--no-undefined", "-shared", name + ".o", "-o", name]]
    for words in commands:
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise unittest.SkipTest(f"{words[0]} makes no code object of {gpu}: {done.stderr[:500]}")
    if not flags:
        assembled[key] = read(path)
    return path


def assembly(kernels, gpu):
    """kernels: [(name, code, notes)]; the codes come first, so that their lines are known."""
    unified = gpu in ("gfx90a", "gfx940")
    text = "".join(code for _, code, _ in kernels)
    for name, _, notes in kernels:
        more = ".amdhsa_accum_offset 8" if unified else ""
        if notes.get("wavefront_size") == 32:
            more = f".amdhsa_wavefront_size32 1\n  .amdhsa_workgroup_processor_mode {notes.get('wgp', 1)}"
        text += DESCRIPTOR.replace("NAME", name).replace("MORE", more)
    text += ".amdgpu_metadata\n---\namdhsa.version: [1, 1]\namdhsa.kernels:\n"
    for name, _, notes in kernels:
        text += f"  - .name: {name}\n    .symbol: {name}.kd\n"
        for key, value in {**NOTES, **{k: v for k, v in notes.items() if k != "wgp"}}.items():
            text += f"    .{key}: {value}\n"
    return text + "...\n.end_amdgpu_metadata\n"


def scale(folder, name="scale.co", gpu="gfx90a", **notes):
    return clang(folder, assembly([("scale", SCALE, {**SCALE_NOTES, **notes})], gpu), gpu, name, ["-g"])


def plain(folder, name, kernels, gpu="gfx90a"):
    """kernels: {name: notes}"""
    return clang(folder, assembly([(k, PLAIN.replace("NAME", k), n) for k, n in kernels.items()], gpu), gpu, name)


def bundle(parts):
    """parts: {id: bytes}"""
    head, place = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(parts)), 4096
    body = b""
    for name, data in parts.items():
        head += struct.pack("<QQQ", place + len(body), len(data), len(name)) + name.encode()
        body += data + bytes(-len(data) % 4096)
    return head + bytes(place - len(head)) + body


def write(folder, name, data):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def run(*words, cwd=None):
    """(status, output, errors) of rocprofv3 with these words."""
    done = subprocess.run([ROCPROFV3, *words], capture_output=True, text=True, timeout=100, cwd=cwd, check=False)
    return done.returncode, done.stdout, done.stderr
