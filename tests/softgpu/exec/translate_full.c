/* translate_full.c - small loops, all of which is translated, and such as call handlers: NaNs and
 * other rare operands in some lanes, with any EXEC, run translated as interpreted.
 *
 * Apart from translate.c, which has random operands: here each loop is about one thing, in some
 * chunk, in active lanes and in others. */
#include "translate_rig.h"

static const char *const hosts[] = {"avx2", "avx512"};
enum { HOSTS = 2 };

/* Lanes where v2, and v[4:5] as a double, are signalling NaNs, and active lanes. */
typedef struct {
    uint64_t nan, exec;
} lanes_t;

static const lanes_t lane_cases[] = {
    {0, UINT64_MAX},
    {UINT64_MAX, UINT64_MAX},
    {0x10, UINT64_MAX},                                 /* in one chunk */
    {0x0000100000000000, UINT64_MAX},                   /* in a middle one, of eight */
    {0x8000000000000000, UINT64_MAX},                   /* in the last one */
    {0x0000100000000200, UINT64_C(0xffffefffffffdff)},  /* in inactive lanes alone */
    {0x0000100000000200, UINT64_C(0x0000100000000200)}, /* in active ones alone */
    {0xff, UINT64_C(0xff)},                             /* most chunks have no active lane */
    {0xff, UINT64_C(0xffffffffffffff00)},               /* one has none, with all NaNs in it */
    {UINT64_MAX, UINT64_C(0x00000000ff000000)},
};

/* Operands that have no estimate, which make_lanes() brings: each is in all lanes. */
static const uint32_t rare_operands[] = {0, 0x7f800000, 0x7f000000, 1};
#define OF_RARE_OPERANDS(name)                                                                     \
    name " v6, s30\n " name " v7, s31\n " name " v8, s32\n " name " v9, s33\n"

/* Four times these, with one instruction before them and one behind, are too long for a loop of
 * their own for a full EXEC. */
#define FOUR                                                                                       \
    "v_add_f32 v6, v6, v2\n v_mul_f32 v7, v6, v1\n v_add_u32 v8, v7, v8\n v_xor_b32 v9, v8, v7\n"

/* A chain, each of whose instructions needs the one before: chunks of these run abreast. */
#define CHAIN                                                                                      \
    "v_add_f32 v6, v6, v2\n v_mul_f32 v6, v6, v1\n v_fma_f32 v6, v6, v1, v2\n v_xor_b32 v6, 1, "   \
    "v6\n"

/* Each line is an instruction. */
static const char *const loops[] = {
    /* a mask that the same segment reads */
    "v_add_f32 v6, v1, v2\n v_cmp_lt_f32 vcc, v1, v6\n v_cndmask_b32 v7, v1, v2, vcc\n"
    "v_cmp_u_f32 s[4:5], v6, v6\n v_cndmask_b32 v8, v6, v1, s[4:5]\n v_mul_f32 v9, v7, v8\n",
    /* operations that change no number, but quiet a NaN; each alone, since one NaN that is noted is
     * enough for the others */
    "v_mul_f64 v[6:7], v[4:5], 1.0\n",
    "v_mul_f64 v[6:7], v[4:5], -1.0\n",
    "v_add_f64 v[6:7], v[4:5], neg(0)\n",
    "v_fma_f64 v[6:7], v[4:5], 1.0, neg(0)\n",
    "v_div_fmas_f64 v[6:7], v[4:5], 1.0, neg(0)\n",
    "v_mul_f32 v6, -1.0, v2\n",
    /* such a NaN that the next result shows; and ones that it does not: of a maximum, of a half, of
     * a double's dword, of the other number of a pair, of a row that has been written since */
    "v_mul_f32 v6, -1.0, v2\n v_add_f32 v7, v6, v1\n v_mul_f64 v[8:9], v[4:5], -1.0\n"
    "v_fma_f64 v[10:11], v[14:15], v[8:9], v[8:9]\n v_fmac_f64 v[8:9], v[14:15], v[14:15]\n",
    "v_mul_f32 v6, -1.0, v2\n v_max_f32 v7, v6, v1\n",
    "v_mul_f32 v6, -1.0, v2\n v_add_f32_sdwa v7, v6, v1 dst_sel:DWORD src0_sel:WORD_0 "
    "src1_sel:DWORD\n",
    "v_mul_f32 v6, -1.0, v2\n v_fma_mix_f32 v7, v6, v1, v1 op_sel_hi:[1,0,0]\n",
    "v_mul_f64 v[6:7], v[4:5], -1.0\n v_add_f32 v8, v6, v1\n",
    "v_pk_mul_f32 v[6:7], v[2:3], -1.0 op_sel:[1,0] op_sel_hi:[0,0]\n v_add_f32 v8, v6, v1\n",
    "v_pk_mul_f32 v[6:7], v[2:3], -1.0 op_sel:[1,0] op_sel_hi:[0,0]\n"
    "v_pk_add_f32 v[8:9], v[6:7], v[0:1] op_sel:[0,1] op_sel_hi:[0,1]\n",
    "v_mul_f32 v6, -1.0, v2\n v_mov_b32 v7, v6\n v_mov_b32 v6, v1\n v_add_f32 v8, v6, v1\n",
    "v_mul_f64 v[6:7], v[4:5], -1.0\n v_mov_b32 v8, v7\n v_mov_b32 v7, 0\n"
    "v_add_f64 v[10:11], v[6:7], v[14:15]\n",
    "v_mul_f64 v[6:7], v[4:5], -1.0\n v_mov_b32 v6, 0\n v_add_f64 v[10:11], v[6:7], v[14:15]\n",
    /* VCC besides three sources */
    "v_cmp_lt_u32 vcc, v10, v11\n v_div_fmas_f32 v6, v1, v2, 1.0\n v_div_fmas_f32 v7, v1, v2, v8\n"
    "v_div_fmas_f64 v[12:13], v[4:5], v[14:15], 0.5\n"
    "v_div_fmas_f64 v[16:17], v[14:15], v[14:15], -4.0\n",
    "s_mov_b32 vcc_lo, 0x0f\n s_mov_b32 vcc_hi, 0x40080000\n"
    "v_div_fmas_f64 v[12:13], v[14:15], v[14:15], vcc\n",
    /* code for any EXEC, that is full: the loop for that finds the NaNs, in some chunk */
    "s_mov_b64 exec, s[22:23]\n v_add_f32 v6, v1, v2\n v_cmp_u_f32 vcc, v6, v6\n"
    "v_cndmask_b32 v7, v1, v6, vcc\n v_mul_f64 v[8:9], v[4:5], 1.0\n",
    /* divisions of random numbers: scaled, refined, scaled back, replaced */
    "v_div_scale_f32 v6, vcc, v10, v10, v11\n v_div_scale_f32 v7, vcc, v11, v10, v11\n"
    "v_rcp_f32 v8, v6\n v_div_fmas_f32 v8, v8, v7, v1\n v_div_fixup_f32 v9, v8, v10, v11\n"
    "v_rsq_f32 v12, v9\n v_rcp_iflag_f32 v13, v12\n v_ldexp_f32 v13, v13, v16\n",
    "v_div_scale_f64 v[6:7], vcc, v[10:11], v[10:11], v[12:13]\n"
    "v_div_scale_f64 v[8:9], vcc, v[12:13], v[10:11], v[12:13]\n"
    "v_div_fmas_f64 v[16:17], v[6:7], v[8:9], v[12:13]\n"
    "v_div_fixup_f64 v[18:19], v[16:17], v[10:11], v[12:13]\n",
    /* each alone: one lane that another instruction notes is enough for all lanes near it */
    OF_RARE_OPERANDS("v_rcp_f32"),
    OF_RARE_OPERANDS("v_rcp_iflag_f32"),
    OF_RARE_OPERANDS("v_rsq_f32"),
    /* a mask of the first instructions, for the last one */
    "s_mov_b64 exec, s[22:23]\n v_cmp_u_f32 vcc, v2, v6\n" FOUR FOUR FOUR FOUR
    "v_cndmask_b32 v10, v9, v10, vcc\n",
    CHAIN CHAIN CHAIN "v_cmp_lt_f32 vcc, v6, v1\n v_cndmask_b32 v6, v6, v1, vcc\n",
    "v_fma_f64 v[6:7], v[6:7], v[4:5], v[6:7]\n v_add_f64 v[6:7], v[6:7], v[4:5]\n" CHAIN CHAIN,
    /* halves that are widened, of vector and scalar registers and constants, with signs */
    "v_fma_mix_f32 v6, v10, v11, v2 op_sel:[1,0,0] op_sel_hi:[1,1,0]\n"
    "v_fma_mix_f32 v7, -v10, |s24|, v6 op_sel:[0,1,0] op_sel_hi:[0,1,1]\n"
    "v_fma_mixlo_f16 v8, v10, 0.5, -v11 op_sel_hi:[1,0,1]\n"
    "v_fma_mix_f32 v9, v10, 0.5, -4.0 op_sel:[0,0,1] op_sel_hi:[1,1,1]\n"
    "v_fma_mixhi_f16 v8, v7, v12, |v11| op_sel:[0,0,1] op_sel_hi:[0,0,1]\n",
    /* single lanes: the first active one, ones beyond the last, those of a wave without any */
    "v_readfirstlane_b32 s4, v10\n v_add_u32 v10, s4, v11\n v_readlane_b32 s5, v10, 64\n"
    "v_writelane_b32 v10, s4, s4\n v_readlane_b32 vcc_hi, v10, s5\n v_writelane_b32 v11, 3, m0\n"
    "s_mov_b64 s[8:9], exec\n s_mov_b64 exec, 0\n v_readfirstlane_b32 s6, v10\n"
    "v_writelane_b32 v12, vcc_hi, 12\n s_mov_b64 exec, s[8:9]\n v_xor_b32 v12, s6, v12\n",
    /* packed halves */
    "v_pk_fma_f16 v6, v10, v11, v12\n v_pk_add_f16 v7, v6, v13\n v_pk_mul_f16 v8, v7, v10\n"
    "v_dot2_f32_f16 v9, v8, v10, v2\n",
    /* lanes read a row that the segment changes; its loop for a full EXEC ends at a NaN */
    "s_mov_b64 exec, s[22:23]\n ds_bpermute_b32 v6, v10, v11\n v_add_f32 v7, v1, v2\n"
    "v_add_u32 v11, v6, v11\n",
    /* lanes and masks that are known when the code is translated, beside a NaN */
    "v_mbcnt_lo_u32_b32 v6, -1, 0\n v_mbcnt_hi_u32_b32 v6, -1, v6\n v_cmp_lt_u32 vcc, 20, v6\n"
    "v_addc_co_u32 v7, vcc, v6, v6, vcc\n v_lshlrev_b32 v10, 2, v6\n v_xor_b32 v10, 4, v10\n"
    "ds_bpermute_b32 v12, v10, v12\n v_mul_f32 v8, -1.0, v2\n v_cndmask_b32 v9, v1, v8, vcc\n"
    "v_add_u32 v11, v7, v12\n",
    /* loads from LDS, in it and beyond, and masks that are written twice, for lanes behind a NaN;
     * the NaN is one of a half, which no function computes */
    "v_lshrrev_b32 v10, 15, v10\n ds_read_b32 v6, v10 offset:1\n ds_read_b64 v[8:9], v10\n"
    "v_pk_add_f16 v7, v2, v2\n v_add_u32 v11, v6, v11\n v_add_u32 v11, v9, v11\n",
    "v_cmp_lt_u32 s[4:5], v10, v11\n v_cndmask_b32 v6, v1, v2, s[4:5]\n v_mul_f32 v7, -1.0, v2\n"
    "v_cmp_gt_u32 s[4:5], v10, v12\n v_cmp_u_f32 vcc, v7, v7\n v_cndmask_b32 v8, v7, v1, s[4:5]\n"
    "v_addc_co_u32 v9, vcc, v8, v6, vcc\n v_cndmask_b32 v10, v9, v10, vcc\n",
    /* scalar registers that change between instructions, and masks, for lanes behind a NaN */
    "v_mul_f32 v6, -1.0, v2\n s_mov_b32 s4, 0x40000000\n v_fma_f32 v7, v1, s4, v10\n"
    "s_add_u32 s4, s4, s98\n v_cmp_lt_u32 s[6:7], s4, v10\n v_add_u32 v8, s4, v10\n"
    "s_not_b64 s[8:9], s[22:23]\n v_cndmask_b32 v9, v6, v8, s[8:9]\n"
    "v_cndmask_b32 v11, v8, v9, s[6:7]\n",
};

/* The same, but in each round of these so many handlers are called, or more. */
static const struct {
    const char *text;
    unsigned calls;
} loops_with_calls[] = {
    /* a conversion that undoes the one before it, and quiets a NaN */
    {"v_cvt_f64_f32 v[6:7], v2\n v_cvt_f32_f64 v8, v[6:7]\n", 1},
    /* halves of VCC that handlers and scalar instructions write, and handlers that read it */
    {"s_getreg_b32 vcc_lo, hwreg(HW_REG_MODE)\n v_cndmask_b32 v6, v1, v2, vcc\n"
     "s_not_b64 vcc, vcc\n"
     "v_cndmask_b32_dpp v7, v1, v2, vcc quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n"
     "s_load_dword vcc_hi, s[26:27], 0x0\n s_waitcnt lgkmcnt(0)\n s_add_u32 vcc_hi, vcc_hi, s98\n"
     "v_cndmask_b32_dpp v8, v1, v2, vcc quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n",
     4},
    /* two ways come together, and only on the one that is not taken a handler reads VCC before */
    {"s_not_b64 vcc, vcc\n s_cbranch_scc1 both\n"
     "v_cndmask_b32_dpp v7, v1, v2, vcc quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n"
     "both: v_cndmask_b32_dpp v8, v2, v1, vcc quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf\n",
     1},
    /* a pair of which handlers write halves */
    {"s_load_dword s4, s[26:27], 0x4\n s_waitcnt lgkmcnt(0)\n v_cndmask_b32 v6, v1, v2, s[4:5]\n"
     "s_not_b64 s[4:5], s[4:5]\n s_load_dword s5, s[26:27], 0x8\n s_waitcnt lgkmcnt(0)\n"
     "s_xor_b64 s[4:5], s[4:5], s[6:7]\n v_cndmask_b32 v7, v1, v2, s[4:5]\n",
     2},
    /* EXEC as a source and as a mask behind a NaN that leaves lanes to the handlers, which the code
     * writes or does not */
    {"s_mov_b64 exec, s[22:23]\n v_mul_f32 v6, -1.0, v2\n v_mov_b32 v7, exec_lo\n"
     "v_add_u32 v8, v8, v10\n",
     1},
    {"v_mul_f32 v6, -1.0, v2\n v_and_b32 v7, exec_hi, v10\n v_add_u32 v8, v8, v10\n", 1},
    {"s_mov_b64 exec, s[22:23]\n v_mul_f32 v6, -1.0, v2\n v_cndmask_b32 v7, v1, v2, exec\n"
     "v_add_u32 v8, v8, v10\n",
     1},
    {"v_mul_f32 v6, -1.0, v2\n v_cndmask_b32 v7, v1, v2, exec\n v_add_u32 v8, v8, v10\n", 1},
    {"v_mul_f32 v6, -1.0, v2\n v_add_f64 v[12:13], exec, v[14:15]\n v_add_u32 v8, v8, v10\n", 1},
    /* EXEC changes as a pair and by half, between handlers that read it */
    {"s_mov_b64 s[8:9], exec\n s_xor_b32 exec_lo, exec_lo, s98\n ds_swizzle_b32 v6, v2 "
     "offset:0x401f\n s_lshl_b64 exec, exec, 1\n ds_swizzle_b32 v7, v1 offset:0x041f\n"
     "v_add_u32 v8, v7, v6\n s_mov_b64 exec, s[8:9]\n ds_swizzle_b32 v9, v8 offset:0x401f\n",
     3},
};

/* Assembles the program around a loop, for a wave whose s[20:21] are the lanes with NaNs and whose
 * s[22:23] are the active ones. Returns how many instructions the loop has. */
static unsigned put_full_loop(rig_t *r, const char *loop)
{
    char text[1200];
    unsigned n = 3;
    snprintf(text, sizeof text,
             "v_mov_b32 v1, 1.0\n v_mov_b32 v2, 2.0\n v_mov_b32 v4, 0\n v_mov_b32 v5, 2.0\n"
             "s_mov_b64 exec, s[20:21]\n v_mov_b32 v2, 0x7fa00001\n v_mov_b32 v4, 1\n"
             "v_mov_b32 v5, 0x7ff00000\n s_mov_b64 exec, s[22:23]\n"
             "again: %ss_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n"
             "s_endpgm\n",
             loop);
    rig_assemble(r, 0, text);
    for (; *loop; loop++)
        n += *loop == '\n';
    return n;
}

static void make_lanes(before_t *b, const lanes_t *lanes)
{
    make_state(b, true, 0x2f0);
    memcpy(&b->sgpr[20], &lanes->nan, 8);
    memcpy(&b->sgpr[22], &lanes->exec, 8);
    memcpy(&b->sgpr[26], &(uint64_t){RIG_DATA}, 8);
    memcpy(&b->sgpr[30], rare_operands, sizeof rare_operands);
}

enum { LANE_CASES = sizeof lane_cases / sizeof *lane_cases };

static void try_full_loop(const char *host, const char *loop)
{
    pair_t p = make_pair(host);
    rig_t *alone = rig_create();
    const unsigned n = put_full_loop(p.interpreted, loop);
    memcpy(p.translated->code, p.interpreted->code, sizeof p.translated->code);
    memcpy(alone->code, p.interpreted->code, sizeof alone->code);
    alone->core = isa_core_by_name(host);
    for (unsigned k = 0; k < LANE_CASES; k++) {
        before_t b;
        char what[600];
        make_lanes(&b, &lane_cases[k]);
        snprintf(what, sizeof what, "%s, lanes %u: %s", host, k, loop);
        counted = (k + n) % 2; /* each loop in half of the cases */
        /* where slices end early, code for NaNs runs, too */
        run_pair(&p, &b, k / 2 % 2 ? 1 : RIG_SLICE, what);
        isa_code_invalidate(alone->cache); /* code for NaNs takes the place of other code */
        isa_code_quiesce(alone->cache);
        run_verified(alone, &b, what);
        const uint64_t verified = run_verified(alone, &b, what);
        if (verified != (uint64_t)n * ROUNDS)
            fail_msg("%s: %u instructions verified of %u", what, (unsigned)verified, n * ROUNDS);
    }
    counted = false;
    rig_destroy(alone);
    free_pair(&p);
}

/* All instructions of these loops are translated, none is a call. */
static void full_loops(void **state)
{
    (void)state;
    for (unsigned h = 0; h < HOSTS; h++)
        for (unsigned k = 0; k < sizeof loops / sizeof *loops; k++)
            if (isa_core_by_name(hosts[h])) try_full_loop(hosts[h], loops[k]);
}

/* Runs the wave twice; returns how many instructions of the second time were translated. A rig that
 * has run code with calls of handlers keeps it. */
static uint64_t run_twice(rig_t *r, const before_t *b, isa_translate_t how, const char *what)
{
    uint64_t begin = 0;
    for (unsigned n = 0; n < 2; n++) {
        begin = translated_instructions();
        isa_translate_setup(how, 1);
        set_state(r, b);
        assert_true(r->core->set_pc(&r->wave, RIG_CODE));
        const isa_stop_t stop = r->core->run(&r->wave, RIG_SLICE);
        if (stop != ISA_STOP_END) fail_msg("%s: stop %u, %s", what, stop, r->wave.message);
    }
    return translated_instructions() - begin;
}

static void try_loop_with_calls(const char *host, const char *loop, unsigned calls)
{
    pair_t p = make_pair(host);
    rig_t *alone = rig_create();
    before_t b;
    put_full_loop(p.interpreted, loop);
    memcpy(p.translated->code, p.interpreted->code, sizeof p.translated->code);
    memcpy(alone->code, p.interpreted->code, sizeof alone->code);
    alone->core = isa_core_by_name(host);
    for (unsigned k = 0; k < 16; k++)
        p.interpreted->data[k] = p.translated->data[k] = (uint8_t)(37 * k + 0x95);
    for (unsigned k = 0; k < LANE_CASES; k++) {
        char what[900];
        const uint64_t begin = translated_instructions();
        make_lanes(&b, &lane_cases[k]);
        snprintf(what, sizeof what, "%s, lanes %u: %s", host, k, loop);
        run_pair(&p, &b, RIG_SLICE, what);
        if (translated_instructions() == begin) fail_msg("%s: not translated", what);
    }
    /* code that calls no handler is left in front of each call */
    const uint64_t all = run_twice(p.translated, &b, ISA_TRANSLATE_ON, loop),
                   others = run_twice(alone, &b, ISA_TRANSLATE_VERIFY, loop);
    if (all < others + calls * ROUNDS)
        fail_msg("%s: %u instructions translated, %u of them no calls: %s", host, (unsigned)all,
                 (unsigned)others, loop);
    rig_destroy(alone);
    free_pair(&p);
}

static void loops_that_call(void **state)
{
    (void)state;
    for (unsigned h = 0; h < HOSTS; h++)
        for (unsigned k = 0; k < sizeof loops_with_calls / sizeof *loops_with_calls; k++)
            if (isa_core_by_name(hosts[h]))
                try_loop_with_calls(hosts[h], loops_with_calls[k].text, loops_with_calls[k].calls);
}

/* Divisions as compilers write them, of vector registers. */
#define DIVIDE32(num, den)                                                                         \
    "v_div_scale_f32 v6, s[4:5], " den ", " den ", " num "\n v_div_scale_f32 v7, vcc, " num        \
    ", " den ", " num "\n v_rcp_f32 v8, v6\n v_fma_f32 v9, -v6, v8, 1.0\n"                         \
    "v_fma_f32 v8, v9, v8, v8\n v_mul_f32 v9, v7, v8\n v_fma_f32 v12, -v6, v9, v7\n"              \
    "v_fma_f32 v9, v12, v8, v9\n v_fma_f32 v12, -v6, v9, v7\n v_div_fmas_f32 v12, v12, v8, v9\n"  \
    "v_div_fixup_f32 v13, v12, " den ", " num "\n"
#define DIVIDE64(num, den)                                                                         \
    "v_div_scale_f64 v[6:7], s[4:5], " den ", " den ", " num "\n"                                  \
    "v_div_scale_f64 v[8:9], vcc, " num ", " den ", " num "\n v_rcp_f64 v[12:13], v[6:7]\n"        \
    "v_fma_f64 v[14:15], -v[6:7], v[12:13], 1.0\n"                                                 \
    "v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"                                           \
    "v_mul_f64 v[14:15], v[8:9], v[12:13]\n v_fma_f64 v[8:9], -v[6:7], v[14:15], v[8:9]\n"         \
    "v_div_fmas_f64 v[14:15], v[8:9], v[12:13], v[14:15]\n"                                        \
    "v_div_fixup_f64 v[16:17], v[14:15], " den ", " num "\n"
/* v10, or v[10:11], is 0 in the lanes with NaNs, and 1.0 in the others. */
#define ZERO32 "v_cndmask_b32 v10, v1, 0, s[20:21]\n"
#define ZERO64                                                                                     \
    "v_mov_b32 v10, 0\n v_mov_b32 v11, 0x3ff00000\n v_cndmask_b32 v11, v11, 0, s[20:21]\n"
#define ONE64 "v_mov_b32 v10, 0\n v_mov_b32 v11, 0x3ff00000\n"

/* Loops with NaNs in some chunk that stay there: functions of the library compute all of these but
 * the last ones, of halves. */
static const struct {
    const char *text;
    bool anew; /* the code is translated anew for NaNs */
} loops_with_nans[] = {
    {"v_add_f32 v6, v1, v2\n v_mul_f32 v7, v6, v1\n v_fma_f32 v8, v7, v6, v1\n"
     "v_sub_f32 v9, v1, v2\n v_exp_f32 v10, v9\n v_mac_f32 v10, v9, v1\n",
     true},
    {"s_mov_b64 exec, s[22:23]\n v_mul_f64 v[6:7], v[4:5], 1.0\n v_fract_f64 v[8:9], v[6:7]\n"
     "v_fmac_f64 v[8:9], v[6:7], v[4:5]\n v_pk_add_f32 v[10:11], v[2:3], v[0:1]\n"
     "v_cmp_u_f32 vcc, v10, v11\n v_cndmask_b32 v12, v10, v1, vcc\n",
     true},
    {ZERO32 DIVIDE32("v10", "v1"), true},
    {ZERO32 DIVIDE32("v1", "v10"), true},
    {ZERO32 DIVIDE32("v10", "v10"), true},
    {DIVIDE32("v2", "v1"), true},
    {DIVIDE32("v1", "v2"), true},
    {DIVIDE32("v2", "v2"), true},
    {ZERO64 DIVIDE64("v[10:11]", "v[4:5]"), true},
    {ZERO64 DIVIDE64("v[4:5]", "v[10:11]"), true},
    {ZERO64 DIVIDE64("v[10:11]", "v[10:11]"), true},
    {ONE64 DIVIDE64("v[4:5]", "v[10:11]"), true},
    {ONE64 DIVIDE64("v[10:11]", "v[4:5]"), true},
    /* a great denominator, with which a NaN is not scaled */
    {"v_mov_b32 v10, 0x70000000\n" DIVIDE32("v2", "v10"), true},
    {"s_mov_b64 exec, s[22:23]\n v_rsq_f32 v6, v2\n v_rcp_iflag_f32 v7, v2\n v_rcp_f32 v8, 0\n",
     true},
    {"v_mov_b32 v11, 0x7d01\n v_cndmask_b32 v10, 0, v11, s[20:21]\n"
     "v_fma_mix_f32 v6, v1, -v10, v2 op_sel_hi:[0,1,0]\n",
     true},
    {"v_ldexp_f32 v6, v2, v10\n v_mul_legacy_f32 v7, v2, v1\n", true},
    {"v_pk_add_f16 v6, v2, v2\n v_add_f16 v7, v2, v2\n", false},
};

static void try_nans(const char *host, unsigned k, const lanes_t *lanes)
{
    const char *loop = loops_with_nans[k].text;
    pair_t p = make_pair(host);
    before_t b;
    const isa_translate_stats_t begin = isa_translate_stats();
    put_full_loop(p.interpreted, loop);
    memcpy(p.translated->code, p.interpreted->code, sizeof p.translated->code);
    make_lanes(&b, lanes);
    counted = k % 2;
    run_pair(&p, &b, 1, loop); /* a slice ends behind the second round */
    counted = false;
    const isa_translate_stats_t end = isa_translate_stats();
    const unsigned rests = (unsigned)(end.rests - begin.rests), anew = loops_with_nans[k].anew;
    /* the first round is interpreted, the second one finds NaNs */
    if (end.nans - begin.nans != anew || rests != (anew ? 1 : ROUNDS - 1))
        fail_msg("%s: %u times lanes were left, %u translations: %s", host, rests,
                 (unsigned)(end.nans - begin.nans), loop);
    free_pair(&p);
}

static void nans_that_stay(void **state)
{
    (void)state;
    for (unsigned h = 0; h < HOSTS; h++)
        for (unsigned k = 0; k < sizeof loops_with_nans / sizeof *loops_with_nans; k++)
            for (unsigned n = 1; n < 5 && isa_core_by_name(hosts[h]); n++)
                try_nans(hosts[h], k, &lane_cases[n]);
}

int main(void)
{
    if (!asm_available()) return 77;
    isa_translate_limit(UINT64_MAX);
    if (!translates_here()) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_loops),
                                       cmocka_unit_test(loops_that_call),
                                       cmocka_unit_test(nans_that_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
