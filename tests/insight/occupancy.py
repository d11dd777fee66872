"""Occupancy as this project computes it beside what LLVM prints: occupancy.py UNIT_TEST CLANG GPU...

GPUs with waves of two sizes and with pairs of compute units (WGP) are asked of each size, with a workgroup on
both units of a pair and on one. LLVM does not ask whether registers have room for whole workgroups: those of other sizes than one, two
or four waves have few registers here. Before LLVM 20 it did not spread a workgroup over the SIMDs where
LDS or barriers hold a kernel back: older ones are asked of registers alone. Before LLVM 16 it knew gfx1100 with
two thirds of its registers."""
import itertools
import re
import subprocess
import sys

program, clang, *GPUS = sys.argv[1:]
VGPRS, GROUPS = (20, 40, 65, 96, 104, 130, 200), (64, 128, 256, 320, 1024)
version = subprocess.run([clang, "--version"], capture_output=True, text=True).stdout
RELEASE = int(re.search(r"version (\d+)", version).group(1))
SPREADS = RELEASE >= 20
LDS = (0, 3000, 20000, 65536) if SPREADS else (0,)


def sizes(gpu, wave, whole):
    """Of GPUs with pairs, groups of a wave for each SIMD. Of smaller ones, LLVM does not ask how many fit before
    version 20."""
    if gpu.startswith("gfx1"):
        for vgprs, lds in itertools.product((*VGPRS, 50, 60, 80, 112), LDS):
            yield vgprs, 0, (4 if whole else 2) * wave, lds
        return
    for n, (vgprs, group, lds) in enumerate(itertools.product(VGPRS, GROUPS, LDS)):
        if group in (64, 256) or (SPREADS and (group == 128 or vgprs == 20)):
            yield vgprs, n % 50 if group <= 256 and n % 3 == 0 else 0, group, lds


def ways(gpu):
    """Sizes of waves, whether a workgroup has a whole pair of units, and the compiler's options for both."""
    if not gpu.startswith("gfx1"):
        yield 64, 0, []
        return
    # of two waves each, gfx1010's unit has slots for more groups than it has barriers, of which LLVM does not ask before
    for wave, whole in itertools.product((32, 64), (1, 0) if SPREADS or gpu != "gfx1010" else (1,)):
        yield wave, whole, [f"-m{'no-' if wave == 32 else ''}wavefrontsize64", f"-m{'no-' if whole else ''}cumode"]


def source(gpu, wave, whole):
    """Kernels of all sizes; a register with a number makes all below it the kernel's."""
    for n, (vgprs, agprs, group, lds) in enumerate(sizes(gpu, wave, whole)):
        body = f'__asm volatile("v_mov_b32 v{vgprs - 1}, 0" ::: "v{vgprs - 1}");'
        if agprs and gpu != "gfx906":
            body += f'__asm volatile("v_accvgpr_write_b32 a{agprs - 1}, 0" ::: "a{agprs - 1}");'
        if lds:
            body += f"local int s[{lds // 4}]; s[p[0]] = 1; __builtin_amdgcn_s_barrier(); p[1] = s[p[2]];"
        yield (f"__attribute__((amdgpu_flat_work_group_size({group}, {group}))) "
               f"kernel void k{group}_{n}(global int *p) {{ {body} p[0] = 1; }}\n")


def of(text, name):
    return int(re.search(rf"^; {name}: (\d+)", text, re.M).group(1))


if "gfx1100" in GPUS and RELEASE < 16:
    print(f"{clang} does not know gfx1100's registers")
    sys.exit(77)
for gpu, (wave, whole, options) in ((gpu, way) for gpu in GPUS for way in ways(gpu)):
    done = subprocess.run([clang, "--target=amdgcn-amd-amdhsa", f"-mcpu={gpu}", *options, "-O1", "-S", "-nogpulib",
                           "-x", "cl", "-", "-o", "-"], input="".join(source(gpu, wave, whole)), capture_output=True, text=True,
                          timeout=100)
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
    told = subprocess.run([program, gpu, str(wave), str(whole)], input=asked, capture_output=True, text=True,
                          timeout=100).stdout.split()
    wrong = [(k, int(t)) for k, t in zip(kernels, told) if int(t) != k[5]]
    way = f"{gpu} {' '.join(options)}"
    if wrong or len(told) != len(kernels) or len(kernels) != len(list(sizes(gpu, wave, whole))):
        sys.exit(f"{way}: {len(kernels)} kernels, {len(told)} answers; sizes with LLVM's waves, ours: {wrong}")
    if len({k[5] for k in kernels}) < 4:
        sys.exit(f"{way}: the kernels do not differ")
