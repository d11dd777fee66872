/* vcopy_die.c - the measured program on a GPU of any profile, without a runtime: what each counter
 * says.
 *
 * usage: silicon_vcopy PROFILE UNITS MODE ARGUMENTS FENCE < COUNTERS. UNITS are those of the whole
 * GPU (0: as many as PROFILE says), of which the first partition of that MODE (spx: all of it) is
 * used. The kernel's ARGUMENTS are in the memory of the host (uncached) or of the gpu. FENCE, in
 * hexadecimal, is the COHER_CNTL of an ACQUIRE_MEM packet over all of memory that the measuring
 * profiler sent when it had read the counters (0: none); counters have stopped then. A line of
 * COUNTERS is a name, the number of its block in the AQL profile library, its event and the event
 * of the level that it integrates, or -1. For each it prints the name and the sums over all
 * instances of all XCCs after each dispatch. It does what HIP and the profiler do around a kernel:
 * the kernel's packet acquires from the system and releases to it. */
#include "counting.h"

#include "asm.h"
#include "softgpu/device/internal.h"
#include "softgpu/perf/internal.h"

#include <hsa/hsa.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WAVES_OF_32 = 1 << 10 }; /* of kernel_code_properties */
enum { ELEMENTS = 1 << 20, GROUP = 256, DISPATCHES = 3, COUNTERS_MAX = 1024, MASKS = 0x0f0ff000 };
#define ARGUMENTS     UINT64_C(0x7f0000000000)
#define ALL_OF_MEMORY UINT64_C(0xffffffffff) /* in units of 256 bytes */

/* What compilers make of it: 20 instructions, of which counters say how many are of each kind. */
static const char text_of_gfx9[] = "s_load_dword s3, s[0:1], 0x2c\n"
                                   "s_load_dword s4, s[0:1], 0x18\n"
                                   "s_waitcnt lgkmcnt(0)\n"
                                   "s_and_b32 s3, s3, 0xffff\n"
                                   "s_mul_i32 s2, s2, s3\n"
                                   "v_add_u32 v0, s2, v0\n"
                                   "v_cmp_gt_i32 vcc, s4, v0\n"
                                   "s_and_saveexec_b64 s[2:3], vcc\n"
                                   "s_cbranch_execz done\n"
                                   "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
                                   "s_load_dwordx2 s[6:7], s[0:1], 0x10\n"
                                   "v_ashrrev_i32 v1, 31, v0\n"
                                   "v_lshlrev_b64 v[0:1], 3, v[0:1]\n"
                                   "s_waitcnt lgkmcnt(0)\n"
                                   "v_mov_b32 v3, s5\n"
                                   "v_add_co_u32 v2, vcc, s4, v0\n"
                                   "v_addc_co_u32 v3, vcc, v3, v1, vcc\n"
                                   "global_load_dwordx2 v[2:3], v[2:3], off\n"
                                   "v_mov_b32 v4, s7\n"
                                   "v_add_co_u32 v0, vcc, s6, v0\n"
                                   "v_addc_co_u32 v1, vcc, v4, v1, vcc\n"
                                   "s_waitcnt vmcnt(0)\n"
                                   "global_store_dwordx2 v[0:1], v[2:3], off\n"
                                   "done:\n"
                                   "s_endpgm\n";
static const char text_of_gfx94[] = "s_load_dword s3, s[0:1], 0x2c\n"
                                    "s_load_dword s4, s[0:1], 0x18\n"
                                    "s_waitcnt lgkmcnt(0)\n"
                                    "s_and_b32 s3, s3, 0xffff\n"
                                    "s_mul_i32 s2, s2, s3\n"
                                    "v_add_u32 v0, s2, v0\n"
                                    "v_cmp_gt_i32 vcc, s4, v0\n"
                                    "s_and_saveexec_b64 s[2:3], vcc\n"
                                    "s_cbranch_execz done\n"
                                    "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
                                    "s_load_dwordx2 s[6:7], s[0:1], 0x10\n"
                                    "v_ashrrev_i32 v1, 31, v0\n"
                                    "v_lshlrev_b64 v[0:1], 3, v[0:1]\n"
                                    "s_waitcnt lgkmcnt(0)\n"
                                    "v_lshl_add_u64 v[2:3], s[4:5], 0, v[0:1]\n"
                                    "global_load_dwordx2 v[2:3], v[2:3], off\n"
                                    "v_lshl_add_u64 v[0:1], s[6:7], 0, v[0:1]\n"
                                    "s_waitcnt vmcnt(0)\n"
                                    "global_store_dwordx2 v[0:1], v[2:3], off\n"
                                    "done:\n"
                                    "s_endpgm\n";

/* LLVM 21 makes this of it for gfx1151, in waves of 32 lanes: 25 instructions. */
static const char text_of_gfx11[] =
    "s_clause 0x1\n"
    "s_load_b32 s3, s[0:1], 0x2c\n"
    "s_load_b32 s4, s[0:1], 0x18\n"
    "s_waitcnt lgkmcnt(0)\n"
    "s_and_b32 s3, s3, 0xffff\n"
    "s_delay_alu instid0(SALU_CYCLE_1)\n"
    /* v_mad_u64_u32 v[0:1], null, s2, s3, v[0:1]: the assembler is asked for gfx1100, of which it
       refuses a destination that is a source, too; gfx1151 takes it */
    ".long 0xd6fe7c00, 0x04000602\n"
    "s_mov_b32 s2, exec_lo\n"
    "v_cmpx_gt_i32_e64 s4, v0\n"
    "s_cbranch_execz done\n"
    "s_load_b64 s[2:3], s[0:1], 0x0\n"
    "v_ashrrev_i32_e32 v1, 31, v0\n"
    "s_load_b64 s[0:1], s[0:1], 0x10\n"
    "s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)\n"
    "v_lshlrev_b64 v[0:1], 3, v[0:1]\n"
    "s_waitcnt lgkmcnt(0)\n"
    "v_add_co_u32 v2, vcc_lo, s2, v0\n"
    "s_delay_alu instid0(VALU_DEP_1) | instskip(SKIP_1) | instid1(VALU_DEP_1)\n"
    "v_add_co_ci_u32_e64 v3, null, s3, v1, vcc_lo\n"
    "v_add_co_u32 v0, vcc_lo, s0, v0\n"
    "v_add_co_ci_u32_e64 v1, null, s1, v1, vcc_lo\n"
    "global_load_b64 v[2:3], v[2:3], off\n"
    "s_waitcnt vmcnt(0)\n"
    "global_store_b64 v[0:1], v[2:3], off\n"
    "done:\n"
    "s_endpgm\n";

typedef struct {
    uint32_t version;
    const char *assembler, *text; /* for which GPU the text is assembled */
    bool narrow;                  /* waves of 32 lanes */
} kernel_t;

static const kernel_t kernels[] = {{90008, "gfx908", text_of_gfx9, false},
                                   {90010, "gfx90a", text_of_gfx9, false},
                                   {90402, "gfx942", text_of_gfx94, false},
                                   {90500, "gfx942", text_of_gfx94, false},
                                   {110503, "gfx1100", text_of_gfx11, true}};

typedef struct {
    char name[80];
    uint32_t outer, slot;
    int event, level;
    uint64_t value[DISPATCHES];
} wanted_t;

static wanted_t wanted[COUNTERS_MAX];
static unsigned n_wanted;

static void die(const char *what)
{
    fprintf(stderr, "silicon_vcopy: %s\n", what);
    exit(1);
}

static const kernel_t *kernel_of(uint32_t version)
{
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        if (kernels[k].version == version) return &kernels[k];
    die("there is no kernel for this GPU");
    return NULL;
}

static uint64_t load_kernel(rig_t *r, const kernel_t *kernel)
{
    const rig_kernel_t how = {.properties = kernel->narrow ? WAVES_OF_32 : 0};
    asm_set_gpu(kernel->assembler);
    return rig_kernel(r, kernel->text, &how);
}

/* ---- counters ---- */

/* Written without packets, which reach no such registers of blocks from 16 on. */
static uint32_t select_of(const sg_perf_t *p, const wanted_t *w)
{
    return SG_COUNTER_REGISTERS + 3 * (w->outer * p->profile.counter_slots + w->slot);
}

static uint32_t masked(const sg_perf_t *p, const wanted_t *w, int event)
{
    const bool sq = p->blocks->outer[w->outer] - 1 == SG_BLOCK_SQ;
    return (uint32_t)event | (sq ? MASKS : 0);
}

static void read_wanted(const sg_perf_t *p)
{
    uint32_t used[SG_OUTER_BLOCKS] = {0};
    wanted_t w;
    while (scanf("%79s %u %d %d", w.name, &w.outer, &w.event, &w.level) == 4) {
        if (n_wanted == COUNTERS_MAX) die("too many counters");
        if (w.outer >= SG_OUTER_BLOCKS || !p->blocks->outer[w.outer]) die("no such block");
        w.slot = used[w.outer];
        if (w.level >= 0) w.slot++; /* the slot before has the level */
        used[w.outer] = w.slot + 1;
        if (used[w.outer] > p->profile.counter_slots) die("too many counters of a block");
        wanted[n_wanted++] = w;
    }
}

static void program(sg_perf_t *p)
{
    enum { ALL = 0xff };
    sg_perf_write(p, ALL, REG_GRBM_GFX_INDEX, EVERYWHERE);
    sg_perf_write(p, ALL, REG_SQ_CTRL, (uint32_t)SQ_CTRL_ALL);
    sg_perf_write(p, ALL, REG_SQ_MASK, UINT32_MAX);
    for (unsigned k = 0; k < n_wanted; k++) {
        const uint32_t reg = select_of(p, &wanted[k]);
        if (wanted[k].level >= 0)
            sg_perf_write(p, ALL, reg - 3, masked(p, &wanted[k], wanted[k].level));
        sg_perf_write(p, ALL, reg, masked(p, &wanted[k], wanted[k].event));
    }
}

static uint64_t value_of(sg_perf_t *p, const wanted_t *w)
{
    const unsigned block = p->blocks->outer[w->outer] - 1u;
    const sg_bank_t *bank = &p->bank[block];
    const uint32_t engines = bank->engines / p->xccs, reg = select_of(p, w);
    uint64_t sum = 0;
    for (uint32_t x = 0; x < p->xccs; x++)
        for (uint32_t e = 0; e < engines; e++)
            for (uint32_t i = 0; i < bank->instances; i++) {
                sg_perf_write(p, 1u << x, REG_GRBM_GFX_INDEX, sg_perf_index_of(p, block, e, i));
                sum += sg_perf_read(p, 1u << x, reg + 1) |
                       (uint64_t)sg_perf_read(p, 1u << x, reg + 2) << 32;
            }
    return sum;
}

/* ---- the program ---- */

static void dispatch(counting_t *c, uint64_t kernel, uint64_t signal)
{
    enum { SYSTEM = 2 };
    hsa_kernel_dispatch_packet_t p = {.header = HSA_PACKET_TYPE_KERNEL_DISPATCH |
                                                1 << HSA_PACKET_HEADER_BARRIER |
                                                SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                                SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
                                      .setup = 1,
                                      .workgroup_size_x = GROUP,
                                      .workgroup_size_y = 1,
                                      .workgroup_size_z = 1,
                                      .grid_size_x = ELEMENTS,
                                      .grid_size_y = 1,
                                      .grid_size_z = 1,
                                      .kernel_object = kernel,
                                      .kernarg_address = (void *)(uintptr_t)ARGUMENTS,
                                      .completion_signal = {signal}};
    __atomic_store_n((int64_t *)&rig_signal_at(c->rig, signal)->value, 1, __ATOMIC_RELEASE);
    rig_submit(&c->queue, &p);
    if (!rig_wait(c->rig, signal, 0)) die("the kernel does not end");
}

/* The driver gives large allocations whole fragments of 2 MiB. */
static uint64_t array(rig_t *r)
{
    enum { FRAGMENT = 2 << 20 };
    return (rig_alloc(r, 8 * ELEMENTS + FRAGMENT) + FRAGMENT - 1) & ~(uint64_t)(FRAGMENT - 1);
}

static void give_arguments(rig_t *r, const char *memory, uint64_t from, uint64_t to)
{
    const bool on_host = !strcmp(memory, "host");
    const struct {
        uint64_t from, unused, to;
        int32_t n, filler[4];
        uint16_t block, rest;
    } arguments = {from, 0, to, ELEMENTS, {0}, GROUP, 0};
    void *host = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uint32_t flags = SG_MEM_WRITABLE | (on_host ? SG_MEM_HOST | SG_MEM_COHERENT : 0);
    if (host == MAP_FAILED || sg_memory_map(r->memory, ARGUMENTS, 4096, host, flags))
        die("no memory for arguments");
    memcpy(host, &arguments, sizeof arguments);
}

int main(int argc, char **argv)
{
    sg_profile_t profile;
    char error[512];
    if (argc != 6) die("usage: silicon_vcopy PROFILE UNITS MODE ARGUMENTS FENCE < COUNTERS");
    if (sg_profile_read(argv[1], &profile, error, sizeof error) != 0) die(error);
    const uint32_t units = (uint32_t)atoi(argv[2]);
    if (units && sg_profile_set_cus(&profile, units, error, sizeof error) != 0) die(error);
    const kernel_t *program_of_gpu = kernel_of(profile.gfx_target_version);
    if (!asm_available() || !asm_takes_gpu(program_of_gpu->assembler)) return 77;
    if (!sg_profile_partition(&profile, argv[3], error, sizeof error)) die(error);
    counting_t *c = counting_on(rig_create_profile(&profile));
    sg_perf_t *p = c->rig->device->perf;
    const uint64_t kernel = load_kernel(c->rig, program_of_gpu), signal = rig_signal(c->rig, 1),
                   from = array(c->rig), to = array(c->rig);
    double *data = rig_ptr(c->rig, from);
    for (int i = 0; i < ELEMENTS; i++)
        data[i] = i;
    const uint32_t fence = (uint32_t)strtoul(argv[5], NULL, 16);
    give_arguments(c->rig, argv[4], from, to);
    read_wanted(p);
    program(p);
    for (unsigned n = 0; n < DISPATCHES; n++) {
        counting_set(c, REG_CP_PERFMON_CNTL, 0);
        counting_set(c, REG_ENABLE, 1);
        counting_set(c, REG_CP_PERFMON_CNTL, 1);
        counting_flush_waves(c);
        counting_send(c);
        dispatch(c, kernel, signal);
        counting_set(c, REG_CP_PERFMON_CNTL, 2);
        counting_send(c);
        for (unsigned k = 0; k < n_wanted; k++)
            wanted[k].value[n] = value_of(p, &wanted[k]);
        if (!fence) continue;
        counting_acquire(c, fence, ALL_OF_MEMORY);
        counting_send(c);
    }
    if (memcmp(rig_ptr(c->rig, to), data, 8 * ELEMENTS)) die("the copy is wrong");
    for (unsigned k = 0; k < n_wanted; k++)
        printf("%s %llu %llu %llu\n", wanted[k].name, (unsigned long long)wanted[k].value[0],
               (unsigned long long)wanted[k].value[1], (unsigned long long)wanted[k].value[2]);
    return 0;
}
