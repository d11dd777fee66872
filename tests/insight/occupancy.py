"""Occupancy as this project computes it beside what LLVM prints: occupancy.py UNIT_TEST CLANG

LLVM does not ask whether registers have room for whole workgroups: those of other sizes than one, two
or four waves have few registers here. Before LLVM 20 it did not spread a workgroup over the SIMDs where
LDS or barriers hold a kernel back: older ones are asked of registers alone."""
import itertools
import re
import subprocess
import sys

program, clang = sys.argv[1:]
GPUS = ("gfx90a", "gfx906", "gfx908", "gfx1010", "gfx1030")
VGPRS, GROUPS = (20, 40, 65, 96, 104, 130, 200), (64, 128, 256, 320, 1024)
version = subprocess.run([clang, "--version"], capture_output=True, text=True).stdout
SPREADS = int(re.search(r"version (\d+)", version).group(1)) >= 20
LDS = (0, 3000, 20000, 65536) if SPREADS else (0,)


def sizes(gpu):
    """Waves of 32 (gfx10): groups of four waves. Of smaller ones, LLVM does not ask how many fit before version 20."""
    if gpu.startswith("gfx1"):
        yield from ((vgprs, 0, 128, 0) for vgprs in (*VGPRS, 50, 60, 80, 112))
        return
    for n, (vgprs, group, lds) in enumerate(itertools.product(VGPRS, GROUPS, LDS)):
        if group in (64, 256) or (SPREADS and (group == 128 or vgprs == 20)):
            yield vgprs, n % 50 if group <= 256 and n % 3 == 0 else 0, group, lds


def source(gpu):
    """Kernels of all sizes; a register with a number makes all below it the kernel's."""
    for n, (vgprs, agprs, group, lds) in enumerate(sizes(gpu)):
        body = f'__asm volatile("v_mov_b32 v{vgprs - 1}, 0" ::: "v{vgprs - 1}");'
        if agprs and gpu != "gfx906":
            body += f'__asm volatile("v_accvgpr_write_b32 a{agprs - 1}, 0" ::: "a{agprs - 1}");'
        if lds:
            body += f"local int s[{lds // 4}]; s[p[0]] = 1; __builtin_amdgcn_s_barrier(); p[1] = s[p[2]];"
        yield (f"__attribute__((amdgpu_flat_work_group_size({group}, {group}))) "
               f"kernel void k{group}_{n}(global int *p) {{ {body} p[0] = 1; }}\n")


def of(text, name):
    return int(re.search(rf"^; {name}: (\d+)", text, re.M).group(1))


for gpu in GPUS:
    done = subprocess.run([clang, "--target=amdgcn-amd-amdhsa", f"-mcpu={gpu}", "-O1", "-S", "-nogpulib", "-x", "cl",
                           "-", "-o", "-"], input="".join(source(gpu)), capture_output=True, text=True, timeout=100)
    if done.returncode:
        print(f"{clang} cannot compile for {gpu}: {done.stderr[:300]}")
        sys.exit(77)
    kernels = []
    for part in re.split(r"^(?=k\d+_\d+:)", done.stdout, flags=re.M)[1:]:
        agprs = of(part, "NumAgprs") if "; NumAgprs" in part else 0
        sgprs = of(part, "TotalNumSgprs" if "; TotalNumSgprs" in part else "NumSgprs")
        kernels.append((of(part, "NumVgprs"), agprs, sgprs, of(part, "LDSByteSize"),
                        int(part[1:part.index("_")]), of(part, "Occupancy")))
    asked = "".join(" ".join(map(str, k[:5])) + "\n" for k in kernels)
    told = subprocess.run([program, gpu], input=asked, capture_output=True, text=True, timeout=100).stdout.split()
    wrong = [(k, int(t)) for k, t in zip(kernels, told) if int(t) != k[5]]
    if wrong or len(told) != len(kernels) or len(kernels) != len(list(sizes(gpu))):
        sys.exit(f"{gpu}: {len(kernels)} kernels, {len(told)} answers; sizes with LLVM's waves, ours: {wrong}")
    if len({k[5] for k in kernels}) < 4:
        sys.exit(f"{gpu}: the kernels do not differ")
