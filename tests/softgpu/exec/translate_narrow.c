/* translate_narrow.c - waves of GPUs that have 32 lanes run translated and interpreted, also with
 * 64 lanes: all that they change is the same, bit by bit.
 *
 * These tests have what differs from gfx90a: masks of lanes in one scalar register, EXEC_HI as any
 * register, instructions of two operations, results of 16 bits that leave their register's other
 * half. The instructions of LLVM's lists are in loops, as in translate.c. */
#include "translate_lines.h"

typedef struct {
    const char *name, *list;
    unsigned least; /* lines of the list that loops can have */
    flow_t flow;
} gpu_t;

#define LIST(name) #name, ISA_TEST_DATA "/vectors_" #name ".tsv"
#define FLOW_GFX11                                                                                 \
    {                                                                                              \
        0xbfa20000, 0xbfb00000                                                                     \
    }
static const gpu_t gfx1030 = {LIST(gfx1030), 1000, {0xbf850000, 0xbf810000}},
                   gfx1100 = {LIST(gfx1100), 1000, FLOW_GFX11},
                   gfx1151 = {LIST(gfx1151), 500, FLOW_GFX11},
                   gfx1201 = {LIST(gfx1201), 1000, FLOW_GFX11};

/* The core for waves of 32 or 64 lanes on a kind of host; NULL if there is none here. */
static const isa_core_t *core_for(const char *host, unsigned lanes)
{
    const isa_core_t *core = isa_core_by_name(host);
    return core && lanes == 32 ? isa_core_narrow(core) : core;
}

static pair_t make_pair_of(const gpu_t *gpu, const isa_core_t *core)
{
    pair_t p = {rig_create(), rig_create()};
    const isa_arch_t *arch = isa_arch_named(gpu->name);
    assert_non_null(arch);
    set_gpu(p.interpreted, arch, core);
    set_gpu(p.translated, arch, core);
    return p;
}

static pair_t make_narrow_pair(const gpu_t *gpu)
{
    const isa_core_t *core = core_for("avx2", 32);
    assert_int_equal(core->lanes, 32);
    return make_pair_of(gpu, core);
}

static bool can_translate(void)
{
    if (!isa_core_by_name("avx2")) return false;
    pair_t p = make_narrow_pair(&gfx1030);
    before_t b;
    make_state(&b, true, 0x2f0);
    put_loop(&p, NULL, 0, gfx1030.flow);
    run_pair(&p, &b, RIG_SLICE, "an empty loop");
    free_pair(&p);
    return translated_instructions() > 0;
}

/* Random instructions of a list, with all lanes and with some, in one of the usual MODEs. */
static void run_loop(pair_t *p, const gpu_t *gpu, unsigned k)
{
    static const uint32_t modes[] = {0x2f0, 0xf0, 0x3f0};
    const line_t *body[BODY];
    before_t b;
    char what[64];
    seed = k + 1;
    for (unsigned j = 0; j < BODY; j++)
        body[j] = &lines[random32() % n_lines];
    make_state(&b, k & 1, modes[random32() % 3]);
    snprintf(what, sizeof what, "%s, loop %u", gpu->name, k);
    put_loop(p, body, BODY, gpu->flow);
    counted = k / 2 % 2;
    run_pair(p, &b, k % 3 ? RIG_SLICE : 1, what);
    counted = false;
}

static void run_loops(const gpu_t *gpu, const isa_core_t *core, unsigned usual)
{
    const char *wanted = getenv("TRANSLATE_LOOPS");
    const unsigned loops = wanted ? (unsigned)atoi(wanted) : usual;
    if (!core) return;
    pair_t p = make_pair_of(gpu, core);
    const uint64_t begin = translated_instructions();
    read_lines(gpu->list, isa_arch_named(gpu->name), core->lanes, gpu->least);
    for (unsigned k = 0; k < loops; k++)
        run_loop(&p, gpu, k);
    assert_true(translated_instructions() - begin > loops * BODY);
    free_pair(&p);
}

enum { MANY = 20, SOME = 8 };

static void loops_of_gfx1030(void **state)
{
    (void)state;
    run_loops(&gfx1030, core_for("avx2", 32), MANY);
}

static void loops_of_gfx1100(void **state)
{
    (void)state;
    run_loops(&gfx1100, core_for("avx2", 32), MANY);
}

static void loops_of_later_gpus(void **state)
{
    (void)state;
    run_loops(&gfx1151, core_for("avx2", 32), SOME);
    run_loops(&gfx1201, core_for("avx2", 32), SOME);
}

static void rare_lanes_stop_no_wave(void **state)
{
    static const gpu_t *const gpus[] = {&gfx1030, &gfx1100, &gfx1201};
    (void)state;
    for (unsigned k = 0; k < sizeof gpus / sizeof *gpus; k++) {
        pair_t p = make_narrow_pair(gpus[k]);
        read_lines(gpus[k]->list, isa_arch_named(gpus[k]->name), 32, gpus[k]->least);
        assert_none_stops(&p, gpus[k]->flow, 500);
        free_pair(&p);
    }
}

static const char *const hosts[] = {"avx2", "avx512"};
enum { HOSTS = 2 };

static void loops_of_64_lanes(void **state)
{
    (void)state;
    for (unsigned h = 0; h < HOSTS; h++) {
        run_loops(&gfx1030, core_for(hosts[h], 64), SOME);
        run_loops(&gfx1100, core_for(hosts[h], 64), SOME);
    }
}

/* ---- programs ---- */

typedef struct {
    const gpu_t *gpu;
    const char *text;
    bool calls; /* there are handlers that have to be called: not all of it runs both ways */
} program_t;

static const program_t programs[] = {
    /* masks of one register beside others that must stay, lanes that part, VCCZ of VCC_LO alone */
    {&gfx1030,
     "s_mov_b32 vcc_hi, 0x1234\n s_movk_i32 s5, 77\n"
     "again: v_cmp_gt_u32 vcc_lo, v1, v2\n s_and_saveexec_b32 s4, vcc_lo\n"
     "v_add_nc_u32 v3, v3, v1\n v_cmp_lt_i32 s6, v3, v2\n v_cndmask_b32 v4, v3, v1, s6\n"
     "s_or_b32 exec_lo, exec_lo, s4\n s_mov_b32 vcc_lo, 0\n s_cbranch_vccnz bad\n"
     "v_add_co_u32 v5, vcc_lo, v5, v1\n v_add_co_ci_u32 v6, vcc_lo, v6, v2, vcc_lo\n"
     "v_add_co_u32 v7, s8, v7, v1\n v_add_co_ci_u32 v8, s9, v8, v2, s8\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n"
     "bad: v_mov_b32 v9, 1\n s_endpgm\n",
     false},
    /* a mask that is written beside one that is waited for, and pairs over both */
    {&gfx1030,
     "again: v_cmp_gt_u32 s4, v1, v2\n v_cmp_lt_f32 s5, v1, v3\n v_cndmask_b32 v4, v1, v2, s4\n"
     "v_cndmask_b32 v5, v1, v2, s5\n s_not_b64 s[4:5], s[4:5]\n v_cndmask_b32 v6, v1, v2, s5\n"
     "v_cmp_eq_u32 s4, v4, v5\n s_add_u32 s5, s4, s5\n v_cndmask_b32 v7, v1, v2, s4\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     false},
    /* EXEC as a pair that it is not: its high half is a register, SCC is of the low one */
    {&gfx1030,
     "s_movk_i32 exec_hi, 99\n s_mov_b32 s10, exec_lo\n"
     "again: s_mov_b64 s[4:5], exec\n s_mov_b64 s[6:7], 0xff\n s_orn2_saveexec_b64 s[8:9], s[6:7]\n"
     "v_add_nc_u32 v1, v1, v2\n s_andn1_wrexec_b64 s[12:13], s[6:7]\n v_add_nc_u32 v3, v3, v2\n"
     "s_mov_b32 exec_lo, 0xf0f0\n v_mov_b32 v4, exec_hi\n s_xor_b64 exec, exec, s[4:5]\n"
     "v_add_nc_u32 v5, v5, v2\n s_mov_b32 exec_lo, s10\n s_add_u32 s14, exec_hi, s14\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     true},
    /* single lanes: the first active one, ones beyond the last, those of a wave without any */
    {&gfx1030,
     "again: v_readfirstlane_b32 s4, v10\n v_add_nc_u32 v10, s4, v11\n v_readlane_b32 s5, v10, 37\n"
     "v_writelane_b32 v10, s4, s5\n v_readlane_b32 vcc_hi, v10, s4\n v_writelane_b32 v11, 3, m0\n"
     "s_mov_b32 s8, exec_lo\n s_mov_b32 exec_lo, 0\n v_readfirstlane_b32 s6, v10\n"
     "v_add_nc_u32 v12, s5, v12\n v_writelane_b32 v12, vcc_hi, 12\n s_mov_b32 exec_lo, s8\n"
     "v_xor_b32 v12, s6, v12\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     false},
    /* EXEC as a source and as a mask behind lanes that have a NaN, and are left to the handlers */
    {&gfx1030,
     "s_mov_b32 s10, exec_lo\n v_mov_b32 v2, 2.0\n s_mov_b32 s4, 0x7fa00001\n"
     "v_writelane_b32 v2, s4, 17\n"
     "again: v_mul_f32 v6, -1.0, v2\n v_add_nc_u32 v7, exec_lo, v10\n v_add_nc_u32 v8, v8, v10\n"
     "s_and_b32 exec_lo, s10, 0xffff7fff\n v_mul_f32 v6, -1.0, v2\n v_mov_b32 v9, exec_lo\n"
     "v_add_nc_u32 v11, v11, v10\n s_mov_b32 exec_lo, s10\n v_mul_f32 v12, -1.0, v2\n"
     "v_cndmask_b32 v13, v1, v10, exec_lo\n v_add_nc_u32 v14, v14, v10\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     true},
    /* operations of two in one instruction, in both orders, and a mask of one register that is
     * written twice, for lanes that are left to the handlers */
    {&gfx1100,
     "v_mov_b32 v2, 2.0\n s_mov_b32 s4, 0x7fa00001\n v_writelane_b32 v2, s4, 17\n"
     "again: v_dual_mul_f32 v4, -1.0, v2 :: v_dual_add_f32 v5, v1, v3\n"
     "v_dual_mov_b32 v6, v5 :: v_dual_fmac_f32 v5, v4, v2\n v_cmp_gt_f32 vcc_lo, v4, v5\n"
     "v_dual_cndmask_b32 v8, v4, v5 :: v_dual_mov_b32 v9, s4\n v_cmp_lt_f32 vcc_lo, v6, v5\n"
     "v_dual_cndmask_b32 v10, v4, v5 :: v_dual_lshlrev_b32 v11, 3, v2\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     false},
    /* handlers that read and write masks; exchanges between lanes; LDS */
    {&gfx1030,
     "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v1, 2, v1\n"
     "again: s_not_b32 vcc_lo, vcc_lo\n ds_read_b32 v2, v1\n s_waitcnt lgkmcnt(0)\n"
     "v_cndmask_b32_dpp v6, v1, v2, vcc_lo quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n"
     "v_readlane_b32 vcc_lo, v1, 3\n v_cndmask_b32 v7, v1, v2, vcc_lo\n v_cmpx_gt_u32 v1, v7\n"
     "ds_bpermute_b32 v8, v1, v6\n v_add_nc_u32 v2, v2, v8\n s_mov_b32 exec_lo, -1\n"
     "ds_write_b32 v1, v2 offset:4\n s_barrier\n v_readfirstlane_b32 s4, v2\n v_add_nc_u32 v9, s4, "
     "v2\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     true},
    /* memory, and in the end a fault */
    {&gfx1030,
     "v_mov_b32 v1, 0\n s_mov_b32 s0, 0x20000\n s_mov_b32 s1, 0x7ffe\n s_movk_i32 s98, 100\n"
     "again: global_load_dword v2, v1, s[0:1]\n s_load_dwordx2 s[4:5], s[0:1], 0x0\n s_waitcnt "
     "vmcnt(0)\n v_add_nc_u32 v2, s4, v2\n v_add_nc_u32 v3, 1, v3\n"
     "global_store_dword v1, v3, s[0:1]\n s_add_u32 s0, s0, 0x400\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     true},
    /* two operations in one instruction: apart, the second first, each reading what the other
     * writes, at the head of a loop and behind a barrier */
    {&gfx1100,
     "again: v_dual_mul_f32 v4, v4, v2 :: v_dual_add_f32 v5, v1, v3\n"
     "v_dual_mov_b32 v6, v5 :: v_dual_fmac_f32 v5, v4, v2\n"
     "v_cmp_gt_f32 vcc_lo, v4, v5\n v_dual_cndmask_b32 v8, v4, v5 :: v_dual_mov_b32 v9, s4\n"
     "v_dual_max_f32 v10, v4, v5 :: v_dual_lshlrev_b32 v11, 3, v2\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     false},
    {&gfx1100,
     "again: v_dual_mov_b32 v6, v7 :: v_dual_mov_b32 v7, v6\n s_barrier\n"
     "v_dual_subrev_f32 v4, v6, v2 :: v_dual_add_nc_u32 v7, v1, v7\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     true},
    /* pairs that are called, behind scalar registers that they read and that were just written */
    {&gfx1100,
     "again: s_add_u32 s4, s4, s98\n v_dual_add_f32 v6, s4, v7 :: v_dual_mul_f32 v7, s4, v6\n"
     "s_not_b32 vcc_lo, vcc_lo\n v_dual_cndmask_b32 v9, v7, v2 :: v_dual_mov_b32 v2, v9\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     true},
};

/* Loads from LDS, whose dwords are all different, side by side and scattered, of which some are
 * beyond LDS in part or as a whole. */
#define LOADS_FROM_LDS                                                                             \
    "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_lshlrev_b32 v2, 5, v1\n v_lshlrev_b32 v3, 3, v1\n"           \
    "v_mul_u32_u24 v4, 0x29, v1\n ds_write_b128 v2, v[30:33]\n"                                    \
    "ds_write_b128 v2, v[34:37] offset:16\n"                                                       \
    "again: ds_read_b64 v[6:7], v3\n ds_read_b64 v[8:9], v4 offset:9\n"                            \
    "ds_read2_b32 v[10:11], v3 offset0:1 offset1:200\n"                                            \
    "ds_read2_b64 v[12:15], v3 offset0:96 offset1:97\n"                                            \
    "ds_read2_b32 v[16:17], v4 offset0:3 offset1:250\n"                                            \
    "ds_read2st64_b32 v[18:19], v4 offset0:1 offset1:3\n ds_read_b32 v20, v4 offset:1\n"           \
    "s_waitcnt lgkmcnt(0)\n v_add_nc_u32 v5, v6, v9\n v_add_nc_u32 v21, v11, v14\n"                \
    "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n"

/* A number that is a NaN in some lanes: these are left to the handlers, with all that is beside it.
 */
#define SOME_NANS "v_add_f16 v29, v14, v14\n"

/* Reads of lanes' registers from neighbours, from the other half, from anywhere, and of a register
 * that the loop has just changed; without and with lanes that are left to the handlers. */
#define READS_OF_LANES(others)                                                                     \
    "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v2, 2, v1\n"     \
    "v_xor_b32 v3, 0x80, v2\n v_mul_u32_u24 v4, 0x125, v1\n"                                       \
    "again: ds_bpermute_b32 v10, v2, v30 offset:4\n ds_bpermute_b32 v11, v3, v31\n"                \
    "ds_bpermute_b32 v12, v4, v32 offset:252\n v_add_nc_u32 v30, v10, v11\n" others                \
    "ds_bpermute_b32 v31, v3, v30\n" others                                                        \
    "ds_bpermute_b32 v31, v4, v31\n v_add_nc_u32 v32, v31, v12\n" others                           \
    "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n"

/* The same where the lanes are known when the loop is translated. */
#define READS_OF_KNOWN_LANES(others)                                                               \
    "again: v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v2, 2, "  \
    "v1\n"                                                                                         \
    "v_xor_b32 v3, 0x80, v2\n v_mul_u32_u24 v4, 0x125, v1\n v_sub_nc_u32 v5, 0xfc, v2\n"           \
    "v_mad_u16 v27, v1, 3, 7\n v_add_nc_u16 v28, v1, v1\n"                                         \
    "ds_bpermute_b32 v10, v2, v30 offset:4\n ds_bpermute_b32 v11, v3, v31\n"                       \
    "ds_bpermute_b32 v12, v4, v32 offset:252\n v_add_nc_u32 v30, v10, v11\n" others                \
    "ds_bpermute_b32 v31, v5, v30\n v_add_nc_u32 v30, v31, v12\n" others                           \
    "ds_bpermute_b32 v31, v5, v31\n v_add_nc_u32 v32, v31, v12\n" others                           \
    "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n"

enum { PROGRAMS = sizeof programs / sizeof *programs };

static void run_program(const program_t *q, unsigned k)
{
    static const int32_t slices[] = {RIG_SLICE, RIG_SLICE, 1};
    pair_t p = make_narrow_pair(q->gpu);
    const uint64_t begin = translated_instructions();
    put_pair(&p, q->text);
    for (unsigned s = 0; s < sizeof slices / sizeof *slices; s++) {
        before_t b;
        seed = 7 * k + s;
        make_state(&b, s != 1, 0x2f0);
        memset(p.interpreted->lds, 3, sizeof p.interpreted->lds);
        memset(p.translated->lds, 3, sizeof p.translated->lds);
        memset(p.interpreted->data, 5, sizeof p.interpreted->data);
        memset(p.translated->data, 5, sizeof p.translated->data);
        run_pair(&p, &b, slices[s], q->text);
    }
    if (translated_instructions() - begin < 8 * ROUNDS) fail_msg("not translated: %s", q->text);
    free_pair(&p);
}

static void whole_programs(void **state)
{
    (void)state;
    for (unsigned k = 0; k < PROGRAMS; k++) {
        asm_set_gpu(programs[k].gpu->name);
        run_program(&programs[k], k);
    }
}

/* The instructions of a loop's round: those from "again:" on, each of which ends in a new line. */
static unsigned round_of(const char *text)
{
    static const char back[] = "s_cbranch_scc1 again\n";
    const char *behind = strstr(text, back) + strlen(back);
    unsigned n = 0;
    for (const char *c = strstr(text, "again:"); c < behind; c++)
        n += *c == '\n';
    return n;
}

/* Translates the program without calls, and runs it again: all instructions of its loop run both
 * ways. The rig has not run it with calls. */
static void verify(rig_t *r, const before_t *b, const char *text)
{
    run_verified(r, b, text);
    const uint64_t n = run_verified(r, b, text);
    const unsigned all = (round_of(text) - calls_on(r->core, text)) * ROUNDS;
    if (n != all) fail_msg("%u instructions verified of %u: %s", (unsigned)n, all, text);
}

/* Programs without calls run both ways. */
static void programs_verified(void **state)
{
    (void)state;
    for (unsigned k = 0; k < PROGRAMS; k++) {
        if (programs[k].calls) continue;
        pair_t p = make_narrow_pair(programs[k].gpu);
        before_t b;
        make_state(&b, k & 1, 0x2f0);
        asm_set_gpu(programs[k].gpu->name);
        rig_assemble(p.translated, 0, programs[k].text);
        verify(p.translated, &b, programs[k].text);
        free_pair(&p);
    }
}

/* Runs the program both ways with all lanes and with some, all of its loop translated. */
static void try_lanes(const gpu_t *gpu, const isa_core_t *core, const char *text)
{
    if (!core) return;
    pair_t p = make_pair_of(gpu, core), alone = make_pair_of(gpu, core);
    asm_set_gpu(gpu->name);
    put_pair(&p, text);
    put_pair(&alone, text);
    for (unsigned full = 0; full < 2; full++) {
        before_t b;
        make_state(&b, full, 0x2f0);
        run_pair(&p, &b, RIG_SLICE, text);
        verify(alone.translated, &b, text);
    }
    free_pair(&p);
    free_pair(&alone);
}

/* The cores for waves of 64 lanes read from other lanes' registers each in their own way. */
static void lanes_and_lds(void **state)
{
    static const struct {
        const gpu_t *gpu;
        const char *text;
    } cases[] = {{&gfx1030, LOADS_FROM_LDS},
                 {&gfx1030, READS_OF_LANES("")},
                 {&gfx1100, READS_OF_LANES("")},
                 {&gfx1100, READS_OF_LANES(SOME_NANS)},
                 {&gfx1030, READS_OF_KNOWN_LANES("")},
                 {&gfx1100, READS_OF_KNOWN_LANES("")},
                 {&gfx1100, READS_OF_KNOWN_LANES(SOME_NANS)}};
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        try_lanes(cases[k].gpu, core_for("avx2", 32), cases[k].text);
        for (unsigned h = 0; h < HOSTS; h++)
            try_lanes(cases[k].gpu, core_for(hosts[h], 64), cases[k].text);
    }
}

/* ---- results of 16 bits ---- */

enum { FIRST_RESULT = 3, LAST_RESULT = 7 };
static const char of_16_bits[] =
    "again: v_add_f16 v3, v1, v2\n v_add_nc_u16 v4, v1, v2\n v_fmac_f16 v5, v1, v2\n"
    "v_mul_f16 v6, v5, v3\n v_sub_nc_u16 v7, v4, v1\n"
    "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n";

/* Upper halves of results, and lanes that are not active, are what they were. */
static void assert_kept(const rig_t *r, const before_t *b)
{
    for (unsigned reg = FIRST_RESULT; reg <= LAST_RESULT; reg++)
        for (unsigned l = 0; l < r->core->lanes; l++) {
            const bool active = b->exec >> l & 1;
            const uint32_t now = r->rows[reg][l], then = b->row[reg][l];
            if (now >> 16 != then >> 16 || (!active && now != then))
                fail_msg("v%u lane %u: %08x, was %08x", reg, l, now, then);
        }
}

static void try_halves(const gpu_t *gpu, const isa_core_t *core)
{
    if (!core) return;
    pair_t p = make_pair_of(gpu, core), alone = make_pair_of(gpu, core);
    asm_set_gpu(gpu->name);
    put_pair(&p, of_16_bits);
    put_pair(&alone, of_16_bits);
    for (unsigned full = 0; full < 2; full++) {
        before_t b;
        make_state(&b, full, 0x2f0);
        for (unsigned r = 0; r < 64; r++)
            for (unsigned l = 0; l < 64; l++)
                b.row[r][l] |= 0xa5010000;
        run_pair(&p, &b, RIG_SLICE, of_16_bits);
        assert_kept(p.translated, &b);
        verify(alone.translated, &b, of_16_bits);
        assert_kept(alone.translated, &b);
    }
    free_pair(&p);
    free_pair(&alone);
}

/* The library has them: no handler is called, whatever the size of the wave. */
static void halves_verified(void **state)
{
    const gpu_t *const gpus[] = {&gfx1030, &gfx1100};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        try_halves(gpus[k], core_for("avx2", 32));
        for (unsigned h = 0; h < HOSTS; h++)
            try_halves(gpus[k], core_for(hosts[h], 64));
    }
}

int main(void)
{
    if (!asm_available()) return 77;
    isa_translate_limit(UINT64_MAX);
    if (!can_translate()) {
        fprintf(stderr, "nothing is translated here: no library, or no LLVM\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_gfx1030),       cmocka_unit_test(loops_of_gfx1100),
        cmocka_unit_test(loops_of_later_gpus),    cmocka_unit_test(loops_of_64_lanes),
        cmocka_unit_test(whole_programs),         cmocka_unit_test(programs_verified),
        cmocka_unit_test(lanes_and_lds),          cmocka_unit_test(halves_verified),
        cmocka_unit_test(rare_lanes_stop_no_wave)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
