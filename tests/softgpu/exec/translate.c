/* translate.c - code runs translated and interpreted: every register, the place, the slice and the
 * reason of each stop are the same, bit by bit.
 *
 * Every vector and scalar instruction of LLVM's list of encodings is in a loop, and random ones of
 * them are, with random EXEC, MODE and registers (NaNs with payloads, denormals, infinities). */
#include "translate_lines.h"

#include "softgpu/exec/code_idle.h"

static const char *const hosts[] = {"avx2", "avx512"};
enum { HOSTS = 2 };

/* With which lanes, and for which, code runs: some; all, translated for any; all, translated for
 * them alone. */
typedef enum { SOME_LANES, ALL_OF_ANY, ALL_LANES, WAYS } way_t;

/* So many instructions of the list are in one loop: a longer segment has no loop over chunks for a
 * full EXEC (WHOLE_AT_MOST of translate_segment.c). */
enum { AT_ONCE = 16 };

static void try_instructions(pair_t *p, unsigned first, way_t way, const char *host)
{
    static const char *const names[] = {"some lanes", "all lanes, translated for any EXEC",
                                        "all lanes"};
    static const line_t set_exec = {{0xbefe017e}, 1}; /* s_mov_b64 exec, exec */
    const line_t *body[1 + AT_ONCE];
    before_t b;
    char what[80];
    unsigned n = 0;
    if (way == ALL_OF_ANY) body[n++] = &set_exec;
    for (unsigned k = first; k < first + AT_ONCE && k < n_lines; k++)
        body[n++] = &lines[k];
    snprintf(what, sizeof what, "%s, lines from %u on, %s", host, first, names[way]);
    make_state(&b, way != SOME_LANES, 0x2f0 | (random32() & 0x100));
    put_loop(p, body, n, gfx9_flow);
    run_pair(p, &b, RIG_SLICE, what);
}

/* Each instruction is in a loop with its neighbours, each way on each host in a long test.
 * Otherwise two hosts share the first two ways, as LLVM takes most of the time. */
static void every_instruction(void **state)
{
    const bool all_ways = getenv("TRANSLATE_LOOPS");
    const bool shared = !all_ways && isa_core_by_name(hosts[0]) && isa_core_by_name(hosts[1]);
    (void)state;
    for (unsigned h = 0; h < HOSTS; h++) {
        if (!isa_core_by_name(hosts[h])) continue;
        pair_t p = make_pair(hosts[h]);
        const uint64_t begin = translated_instructions();
        for (unsigned first = 0; first < n_lines; first += AT_ONCE)
            for (unsigned way = 0; way < (all_ways ? WAYS : ALL_LANES); way++)
                if (!shared || way != (first / AT_ONCE + h) % 2)
                    try_instructions(&p, first, way, hosts[h]);
        assert_true(translated_instructions() - begin > 2 * n_lines);
        free_pair(&p);
    }
}

/* Random instructions, their registers moved together so that they use each other's results, in
 * short slices, and then once more with all of them counted. */
static void random_loops(void **state)
{
    const char *wanted = getenv("TRANSLATE_LOOPS");
    const unsigned loops = wanted ? (unsigned)atoi(wanted) : 16;
    (void)state;
    for (unsigned h = 0; h < HOSTS; h++) {
        if (!isa_core_by_name(hosts[h])) continue;
        pair_t p = make_pair(hosts[h]);
        for (unsigned k = 0; k < loops; k++) {
            line_t moved[BODY];
            const line_t *body[BODY];
            before_t b;
            char what[64];
            seed = k + 1;
            const unsigned n = 1 + random32() % BODY;
            for (unsigned j = 0; j < n; j++) {
                moved[j] = lines[random32() % n_lines];
                body[j] = &moved[j];
            }
            static const uint32_t modes[] = {0x2f0, 0xf0, 0x3f0, 0x2c0, 0x2f5};
            make_state(&b, random32() & 1, modes[random32() % 5]);
            snprintf(what, sizeof what, "%s, loop %u", hosts[h], k);
            put_loop(&p, body, n, gfx9_flow);
            run_pair(&p, &b, k % 3 ? RIG_SLICE : 1, what);
            counted = true;
            run_pair(&p, &b, k % 3 ? RIG_SLICE : 1, what);
            counted = false;
        }
        free_pair(&p);
    }
}

/* ---- programs ---- */

typedef struct {
    const char *text;
    bool full;
} program_t;

static const program_t programs[] = {
    /* lanes part and come together, masks in scalar registers, an inner loop */
    {"outer: v_cmp_gt_u32 vcc, v1, v2\n s_and_saveexec_b64 s[4:5], vcc\n s_cbranch_execz skip\n"
     "v_add_u32 v3, v3, v1\n v_cmp_lt_i32 s[6:7], v3, v2\n v_cndmask_b32 v4, v3, v1, s[6:7]\n"
     "skip: s_or_b64 exec, exec, s[4:5]\n s_movk_i32 s9, 3\n"
     "inner: v_fma_f32 v5, v5, -v6, |v7|\n v_mul_f32 v6, 0.5, v6\n v_fma_f64 v[10:11], v[12:13], "
     "-v[14:15], 1.0\n"
     "s_sub_u32 s9, s9, 1\n s_cmp_lg_u32 s9, 0\n s_cbranch_scc1 inner\n"
     "v_addc_co_u32 v8, vcc, v8, v1, vcc\n v_mad_u64_u32 v[16:17], s[10:11], v1, v2, v[18:19]\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 outer\n s_endpgm\n",
     false},
    /* registers that overlap, scalars that change between vector instructions */
    {"again: v_mov_b32 v1, s3\n s_add_u32 s3, s3, s98\n v_add_u32 v2, s3, v1\n"
     "v_lshlrev_b64 v[2:3], 3, v[0:1]\n v_add_f64 v[4:5], v[2:3], v[4:5]\n"
     "s_lshl_b64 s[4:5], s[4:5], 1\n v_mov_b32 v5, s5\n v_readfirstlane_b32 s6, v2\n"
     "v_mov_b32 v6, s6\n v_mbcnt_lo_u32_b32 v7, -1, v7\n"
     "v_pk_fma_f32 v[8:9], v[2:3], v[4:5], v[6:7]\n"
     "v_pk_fma_f32 v[10:11], v[12:13], v[14:15], s[6:7] op_sel:[1,0,0] op_sel_hi:[0,1,1] "
     "neg_lo:[1,0,0] neg_hi:[0,1,1]\n"
     "v_pk_add_f32 v[16:17], v[10:11], v[18:19] neg_lo:[1,0] neg_hi:[0,0]\n"
     "v_pk_mov_b32 v[12:13], v[12:13], v[12:13] op_sel:[1,0]\n"
     "v_pk_mov_b32 v[18:19], v[20:21], s[6:7] op_sel:[1,1]\n"
     "v_xor_b32_sdwa v20, v4, sext(v5) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 "
     "src1_sel:BYTE_2\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     true},
    /* a loop that leaves in the middle, with its conditions from lanes */
    {"again: v_cmp_eq_u32 vcc, 0, v1\n s_cbranch_vccnz out\n v_lshrrev_b32 v1, 7, v1\n s_branch "
     "again\n"
     "out: v_mov_b32 v2, 5\n s_endpgm\n",
     true},
    /* LDS and its waits, a barrier, sleep */
    {"v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v1, 2, v1\n"
     "again: ds_read_b32 v2, v1\n s_waitcnt lgkmcnt(0)\n v_add_u32 v2, v2, v1\n ds_write_b32 v1, "
     "v2 offset:4\n"
     "s_barrier\n ds_add_u32 v1, v2\n s_sleep 1\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     true},
    /* memory, and in the end a fault: s[0:1] walks from the data over its end */
    {"v_mov_b32 v1, 0\n s_mov_b32 s0, 0x20000\n s_mov_b32 s1, 0x7ffe\n s_movk_i32 s98, 100\n"
     "again: global_load_dword v2, v1, s[0:1]\n s_load_dwordx2 s[4:5], s[0:1], 0x0\n s_waitcnt "
     "vmcnt(0)\n"
     "v_add_u32 v2, s4, v2\n v_add_u32 v3, 1, v3\n global_store_dword v1, v3, s[0:1]\n s_add_u32 "
     "s0, s0, 0x400\n"
     "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
     true},
    /* an instruction that is illegal in the middle of a loop, behind a branch that is taken once */
    {"again: v_add_u32 v1, v1, v1\n s_cmp_eq_u32 s98, 1\n s_cbranch_scc1 bad\n back: s_sub_u32 "
     "s98, s98, 1\n"
     "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n bad: .long 0xffffffff\n",
     true},
    /* MODE changes */
    {"again: v_add_f32 v1, v1, v2\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\n v_add_f32 v1, "
     "v1, v2\n"
     "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, "
     "0\n"
     "s_cbranch_scc1 again\n s_endpgm\n",
     true},
};

static void run_programs(void)
{
    static const int32_t slices[] = {RIG_SLICE, 0, 1, 2, 5};
    for (unsigned h = 0; h < HOSTS; h++) {
        if (!isa_core_by_name(hosts[h])) continue;
        pair_t p = make_pair(hosts[h]);
        for (unsigned k = 0; k < sizeof programs / sizeof *programs; k++) {
            const uint64_t begin = translated_instructions();
            put_pair(&p, programs[k].text);
            for (unsigned s = 0; s < sizeof slices / sizeof *slices; s++) {
                before_t b;
                seed = 7 * k + s;
                make_state(&b, programs[k].full, 0x2f0);
                memset(p.interpreted->lds, 3, sizeof p.interpreted->lds);
                memset(p.translated->lds, 3, sizeof p.translated->lds);
                memset(p.interpreted->data, 5, sizeof p.interpreted->data);
                memset(p.translated->data, 5, sizeof p.translated->data);
                run_pair(&p, &b, slices[s], programs[k].text);
            }
            if (translated_instructions() == begin)
                fail_msg("not translated: %s", programs[k].text);
        }
        free_pair(&p);
    }
}

static void whole_programs(void **state)
{
    (void)state;
    run_programs();
}

/* ---- stretches: code without loops ---- */

#define LOADS_FROM_LDS                                                                             \
    "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v2, 2, v1\n"     \
    "v_lshlrev_b32 v3, 3, v1\n v_mov_b32 v4, 16\n v_mul_u32_u24 v5, 0x3f1, v1\n v_and_b32 v6, "    \
    "0x3ff, v5\n ds_read_b32 v10, v2 offset:8\n ds_read_b64 v[12:13], v3\n ds_read_b64 v[14:15], " \
    "v3 offset:4\n ds_read2_b32 v[16:17], v2 offset0:1 offset1:200\n"                              \
    "ds_read2_b64 v[18:21], v4 offset0:1 offset1:3\n ds_read2_b32 v[22:23], v4 offset1:255\n"      \
    "ds_read2st64_b32 v[24:25], v2 offset0:1 offset1:3\n ds_read2st64_b64 v[36:39], v3 "           \
    "offset1:1\n"                                                                                  \
    "ds_read_b32 v26, v5\n ds_read_b64 v[28:29], v6\n ds_read_b32 v6, v6 offset:3\n"               \
    "ds_read2_b32 v[34:35], v3 offset0:128 offset1:64\n v_xor_b32 v7, -1, v2\n"                    \
    "ds_read_b32 v7, v7 offset:1\n v_sub_u32 v8, 0x3fd, v2\n ds_read_b64 v[40:41], v8\n"           \
    "s_waitcnt lgkmcnt(0)\n v_add_u32 v9, v10, v12\n ds_read_b32 v11, v8\n v_add_u32 v10, v11, "   \
    "v9\n v_add_f32 v42, v10, v11\n s_endpgm\n"

#define READS_OF_LANES                                                                             \
    "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v2, 2, v1\n"     \
    "v_xor_b32 v3, 64, v2\n v_mul_u32_u24 v4, 0x125, v1\n v_add_u32 v5, 20, v2\n"                  \
    "ds_bpermute_b32 v10, v2, v30\n ds_bpermute_b32 v11, v5, v31\n ds_bpermute_b32 v12, v3, v32\n" \
    "ds_bpermute_b32 v13, v4, v33\n ds_bpermute_b32 v14, v2, v34 offset:252\n"                     \
    "v_add_u32 v34, v14, v13\n ds_bpermute_b32 v34, v5, v34\n ds_bpermute_b32 v35, v3, v34\n"      \
    "v_add_f32 v34, v34, v35\n ds_bpermute_b32 v36, v36, v35\n v_add_f32 v36, v36, v34\n"          \
    "ds_bpermute_b32 v37, v5, v37\n v_mul_f32 v37, v37, v36\n s_waitcnt lgkmcnt(0)\n s_endpgm\n"

static const program_t straight[] = {
    /* waves come in three times: at the begin, behind the barrier, at the store that waits */
    {"v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v1, 2, v1\n"
     "v_add_f32 v2, v3, v4\n ds_write_b32 v1, v2\n s_barrier\n ds_read_b32 v5, v1 offset:8\n"
     "s_waitcnt lgkmcnt(0)\n v_fma_f32 v2, v5, v2, v3\n ds_write_b32 v1, v2 offset:4\n"
     "s_add_u32 s4, s5, s6\n v_add_co_u32 v6, vcc, s4, v7\n v_addc_co_u32 v7, vcc, v7, v8, vcc\n"
     "s_endpgm\n",
     true},
    /* lanes part and come together; what the others have must stay */
    {"v_cmp_gt_f32 vcc, v1, v2\n s_and_saveexec_b64 s[4:5], vcc\n s_cbranch_execz none\n"
     "v_rcp_f32 v3, v1\n v_div_scale_f32 v4, s[6:7], v2, v2, v1\n v_div_fmas_f32 v5, v3, v4, v1\n"
     "v_div_fixup_f32 v6, v5, v2, v1\n v_add_f64 v[8:9], v[10:11], v[12:13]\n"
     "v_mul_f64 v[10:11], v[8:9], v[12:13]\n v_max_f32 v7, v3, v6\n"
     "none: s_xor_b64 exec, exec, s[4:5]\n v_mul_f32 v3, v3, v3\n v_pk_mul_f32 v[14:15], v[2:3], "
     "v[4:5]\n"
     "s_mov_b64 exec, s[4:5]\n v_add_u32 v1, v2, v3\n s_endpgm\n",
     false},
    /* memory, scalars that a load brings, a fault in the end */
    {"v_mov_b32 v1, 0\n s_mov_b32 s0, 0x20000\n s_mov_b32 s1, 0x7ffe\n s_movk_i32 s6, 64\n"
     "s_add_u32 s7, s6, 1\n s_load_dwordx4 s[4:7], s[0:1], 0x10\n s_waitcnt lgkmcnt(0)\n"
     "s_add_u32 s8, s7, s4\n v_add_u32 v2, s8, v2\n global_store_dword v1, v2, s[0:1]\n"
     "s_mov_b32 s1, 0\n s_add_u32 s9, s8, s8\n global_load_dword v3, v1, s[0:1]\n s_endpgm\n",
     true},
    /* SCC as a buffer's offset: byte 1, then byte 0 */
    {"s_mov_b32 s8, 0x20000\n s_mov_b32 s9, 0x7ffe\n s_movk_i32 s10, 64\n s_mov_b32 s11, 0x27000\n"
     "v_mov_b32 v1, 0\n v_mov_b32 v2, 0x4030201\n global_store_dword v1, v2, s[8:9]\n"
     "s_cmp_eq_u32 s98, s98\n buffer_load_ubyte v3, off, s[8:11], src_scc\n"
     "s_cmp_lg_u32 s98, s98\n buffer_load_ubyte v4, off, s[8:11], src_scc\n s_endpgm\n",
     true},
    /* and VCCZ */
    {"s_mov_b32 s8, 0x20000\n s_mov_b32 s9, 0x7ffe\n s_movk_i32 s10, 64\n s_mov_b32 s11, 0x27000\n"
     "v_mov_b32 v1, 0\n v_mov_b32 v2, 0x4030201\n global_store_dword v1, v2, s[8:9]\n"
     "s_mov_b64 vcc, 0\n buffer_load_ubyte v3, off, s[8:11], src_vccz\n"
     "s_mov_b64 vcc, 1\n buffer_load_ubyte v4, off, s[8:11], src_vccz\n s_endpgm\n",
     true},
    /* handlers that fault by what VCC, and EXEC, have just become: at 0x4000, at lane 5's 0x5000 */
    {"v_add_u32 v1, v1, v2\n v_add_u32 v2, v2, v3\n v_add_u32 v3, v3, v4\n v_add_u32 v4, v4, v5\n"
     "v_add_u32 v5, v5, v6\n v_add_u32 v6, v6, v7\n v_add_u32 v1, v1, v3\n v_add_u32 v2, v2, v4\n"
     "v_add_u32 v3, v3, v5\n v_add_u32 v4, v4, v6\n s_lshl_b64 exec, exec, 1\n s_mov_b64 vcc, 64\n"
     "s_lshl_b64 vcc, vcc, 8\n s_load_dword s4, vcc, 0x0\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
     true},
    {"v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v1, 12, v1\n"
     "v_add_u32 v2, v2, v3\n v_add_u32 v3, v3, v4\n v_add_u32 v4, v4, v5\n v_add_u32 v2, v2, v4\n"
     "v_add_u32 v3, v3, v5\n v_add_u32 v4, v4, v6\n v_add_u32 v5, v5, v7\n s_mov_b64 s[0:1], 0\n"
     "s_not_b64 vcc, vcc\n s_lshl_b64 exec, exec, 5\n global_load_dword v6, v1, s[0:1]\n"
     "s_waitcnt vmcnt(0)\n s_endpgm\n",
     true},
    /* a fault of a load whose destination has been written: s4 stays 7 */
    {"v_add_u32 v1, v1, v2\n v_add_u32 v2, v2, v3\n v_add_u32 v3, v3, v4\n v_add_u32 v4, v4, v5\n"
     "v_add_u32 v5, v5, v6\n v_add_u32 v6, v6, v7\n v_add_u32 v1, v1, v3\n v_add_u32 v2, v2, v4\n"
     "v_add_u32 v3, v3, v5\n v_add_u32 v4, v4, v6\n s_movk_i32 s4, 7\n s_mov_b64 s[0:1], 0\n"
     "s_load_dword s4, s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
     true},
    /* loads from LDS side by side, of one element for all lanes, and of scattered elements, of
       which some are unaligned, or beyond LDS in part or as a whole */
    {"v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v2, 2, v1\n"
     "ds_write_b32 v2, v30\n ds_write_b32 v2, v31 offset:256\n ds_write_b32 v2, v32 offset:512\n"
     "ds_write_b32 v2, v33 offset:768\n" LOADS_FROM_LDS,
     true},
    {LOADS_FROM_LDS, false},
    /* lanes that read from neighbours, from the next vector, from anywhere, what is written next */
    {READS_OF_LANES, true},
    {READS_OF_LANES, false},
};

/* A program that begins a few instructions before the end of the first page of code, behind a jump
 * to it. */
static void put_far(rig_t *r, const char *text)
{
    enum { FAR = ISA_PAGE_SLOTS - 5 };
    r->code[0] = 0xbf820000 | (FAR - 1); /* s_branch */
    rig_assemble(r, FAR, text);
}

/* Waves run as often as it takes until all of a program is translated, and then once more. */
static void run_stretches(pair_t *p, const program_t *program, unsigned k, const char *how)
{
    static const int32_t slices[] = {RIG_SLICE, RIG_SLICE, RIG_SLICE, RIG_SLICE, 0, 1};
    uint64_t begin = 0;
    for (unsigned n = 0; n < sizeof slices / sizeof *slices; n++) {
        before_t b;
        char what[600];
        seed = 11 * k + n;
        make_state(&b, program->full, 0x2f0);
        memset(p->interpreted->lds, 3, sizeof p->interpreted->lds);
        memset(p->translated->lds, 3, sizeof p->translated->lds);
        snprintf(what, sizeof what, "%s, round %u: %s", how, n, program->text);
        begin = translated_instructions();
        run_pair(p, &b, slices[n], what);
        /* the device says where waves begin */
        isa_translate_setup(ISA_TRANSLATE_ON, 1);
        assert_false(isa_code_idle(p->translated->cache, p->translated->core, RIG_CODE));
    }
    if (translated_instructions() - begin < 8) fail_msg("not translated: %s", program->text);
}

static void run_all_stretches(void)
{
    for (unsigned h = 0; h < HOSTS; h++) {
        if (!isa_core_by_name(hosts[h])) continue;
        pair_t p = make_pair(hosts[h]);
        p.interpreted->group.n_waves = p.translated->group.n_waves = 2; /* stores to LDS wait */
        for (unsigned k = 0; k < sizeof straight / sizeof *straight; k++) {
            put_pair(&p, straight[k].text);
            run_stretches(&p, &straight[k], k, hosts[h]);
            put_far(p.interpreted, straight[k].text);
            put_far(p.translated, straight[k].text);
            run_stretches(&p, &straight[k], k, "over a page's end");
        }
        free_pair(&p);
    }
}

static void stretches(void **state)
{
    (void)state;
    run_all_stretches();
}

/* ---- counts by buckets ---- */

/* The same code, counted: whatever stops a wave in the middle of code that is counted at once, and
 * what is tried again, every bucket has what it has interpreted. */
static void counted_code(void **state)
{
    (void)state;
    counted = true;
    run_programs();
    run_all_stretches();
    counted = false;
}

/* Accesses of which more is counted than their runs: FLAT ones in LDS (v[2:3]), of which the store
 * waits for another wave, in memory (v[4:5]) and in both (v[6:7]), with no lane active, and atomic
 * operations of buffers that return data, and that do not. */
static const char accesses[] =
    "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v2, 2, v1\n"
    "v_mov_b32 v3, 0x10000\n v_add_u32 v4, 0x20000, v2\n v_mov_b32 v5, 0x7ffe\n"
    "v_cmp_gt_u32 vcc, 9, v1\n v_cndmask_b32 v6, v2, v4, vcc\n v_cndmask_b32 v7, v3, v5, vcc\n"
    "s_mov_b32 s8, 0x20000\n s_mov_b32 s9, 0x7ffe\n s_movk_i32 s10, 256\n s_mov_b32 s11, "
    "0x27000\n"
    "again: flat_load_dword v10, v[2:3]\n flat_load_dword v11, v[4:5]\n"
    "flat_load_dword v12, v[6:7]\n v_add_u32 v13, v10, v11\n flat_store_dword v[2:3], v13\n"
    "buffer_atomic_add v13, v2, s[8:11], 0 offen glc\n v_add_u32 v14, v13, v12\n"
    "buffer_atomic_add v14, v2, s[8:11], 0 offen\n buffer_load_dword v15, v2, s[8:11], 0 offen "
    "glc\n"
    "s_mov_b64 s[4:5], exec\n s_mov_b64 exec, 0\n flat_load_dword v16, v[2:3]\n"
    "v_add_u32 v17, v1, v1\n s_mov_b64 exec, s[4:5]\n s_waitcnt vmcnt(0)\n"
    "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n";

static void counted_accesses(void **state)
{
    pair_t p = make_pair("avx2");
    (void)state;
    assert_int_equal(p.translated->group.n_waves, 2);
    put_pair(&p, accesses);
    counted = true;
    uint64_t begin = 0;
    for (unsigned n = 0; n < 3; n++) {
        before_t b;
        make_state(&b, n != 1, 0x2f0);
        begin = translated_instructions();
        const isa_counter_t c = run_pair(&p, &b, n < 2 ? RIG_SLICE : 1, accesses);
        assert_int_equal(c.flat_lds_only, 2 * ROUNDS);
        assert_int_equal(c.buffer_returns, ROUNDS);
        isa_translate_setup(ISA_TRANSLATE_ON, 1);
        isa_code_idle(p.translated->cache, p.translated->core, RIG_CODE);
    }
    assert_true(translated_instructions() - begin > 15 * ROUNDS);
    counted = false;
    free_pair(&p);
}

/* Code that counts is not run by waves that nobody counts, nor by those that others count by other
 * buckets, nor the other way round: each has code of its own at the same place. A translated loop
 * ends before s_endpgm, a stretch behind it. */
static void counted_apart(void **state)
{
    static const char text[] = "again: v_add_f32 v1, v1, v2\n v_cmp_gt_u32 vcc, v1, v3\n"
                               "v_cndmask_b32 v4, v1, v2, vcc\n s_sub_u32 s98, s98, 1\n"
                               "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n";
    static const uint8_t one_bucket[ISA_OP_COUNT];
    enum { ALL = 6 * ROUNDS + 1 };
    pair_t p = make_pair("avx2");
    rig_t *r = p.translated;
    uint64_t begin = 0;
    (void)state;
    put_pair(&p, text);
    for (unsigned n = 0; n < 9; n++) {
        before_t b;
        make_state(&b, true, 0x2f0);
        begin = translated_instructions();
        counted = n % 3 == 1;
        if (n % 3 < 2) {
            run_pair(&p, &b, RIG_SLICE, text);
            isa_translate_setup(ISA_TRANSLATE_ON, 1);
        } else {
            isa_counter_t c = {.bucket = one_bucket};
            isa_watch_t watch = {.counter = &c};
            set_state(r, &b);
            assert_true(r->core->set_pc(&r->wave, RIG_CODE));
            assert_int_equal(r->core->run_watched(&r->wave, RIG_SLICE, &watch), ISA_STOP_END);
            assert_int_equal(c.runs[0], ALL);
            assert_int_equal(c.lanes[0], 64 * ALL);
        }
        isa_code_idle(r->cache, r->core, RIG_CODE);
        if (n > 5) assert_in_range(translated_instructions() - begin, ALL - 1, ALL);
    }
    counted = false;
    free_pair(&p);
}

/* Where code is translated for one MODE or for a full EXEC, and waves come with another, it is
 * translated for theirs, too: in the fourth round no wave is sent back to the interpreter. */
static void every_wave_is_taken(void **state)
{
    static const char loop[] = "again: v_add_f32 v1, v1, v2\n s_sub_u32 s98, s98, 1\n "
                               "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n";
    static const struct {
        const char *begin;
        bool full[4];
    } cases[] = {
        /* a stretch in another MODE than the loop's that follows it */
        {"v_add_f32 v3, v1, v2\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\n",
         {true, true, true, true}},
        /* waves with all lanes, and others */
        {"v_add_f32 v3, v1, v2\n", {false, true, false, false}},
        {"v_add_f32 v3, v1, v2\n", {true, false, true, false}},
        /* MODE changes inside the loop, whose head is the first of these lines */
        {"again: v_add_f32 v1, v1, v2\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\n"
         "v_add_f32 v1, v1, v2\n v_add_f32 v1, v1, v1\n"
         "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\n s_sub_u32 s98, s98, 1\n"
         "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
         {true, true, true, true}},
    };
    (void)state;
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) {
        pair_t p = make_pair("avx2");
        char text[600];
        isa_translate_stats_t begin = {0};
        const bool has_loop = strstr(cases[k].begin, "again") != NULL;
        snprintf(text, sizeof text, "%s%s", cases[k].begin, has_loop ? "" : loop);
        put_pair(&p, text);
        for (unsigned n = 0; n < 4; n++) {
            before_t b;
            make_state(&b, cases[k].full[n], 0x2f0);
            begin = isa_translate_stats();
            run_pair(&p, &b, RIG_SLICE, text);
            isa_translate_setup(ISA_TRANSLATE_ON, 1);
            isa_code_idle(p.translated->cache, p.translated->core, RIG_CODE);
        }
        const isa_translate_stats_t end = isa_translate_stats();
        assert_int_equal(end.declined - begin.declined, 0);
        assert_true(end.entries > begin.entries);
        assert_true(end.instructions - begin.instructions > ROUNDS);
        free_pair(&p);
    }
}

/* A store to LDS that lets another wave go first is tried again, interpreted or from an entry on,
 * and counts once: however the code runs, a wave runs its 14 instructions. */
static void counted_once(void **state)
{
    enum { INSTRUCTIONS = 14, RUNS = 6 };
    pair_t p = make_pair("avx2");
    rig_t *r = p.translated;
    isa_ran_t ran = {0};
    (void)state;
    assert_int_equal(r->group.n_waves, 2);
    rig_assemble(r, 0, straight[0].text);
    isa_translate_setup(ISA_TRANSLATE_ON, 1);
    for (unsigned n = 0; n < RUNS; n++) {
        const uint64_t begin = translated_instructions();
        before_t b;
        unsigned stops = 0;
        ran = (isa_ran_t){0};
        make_state(&b, true, 0x2f0);
        set_state(r, &b);
        assert_true(r->core->set_pc(&r->wave, RIG_CODE));
        isa_code_idle(r->cache, r->core, RIG_CODE);
        while (isa_translate_run(&r->wave, RIG_SLICE, &ran) != ISA_STOP_END)
            stops++;
        uint64_t all = ran.translated + ran.cold + ran.declined;
        for (unsigned op = 0; op < ISA_OP_COUNT; op++)
            all += ran.without[op];
        assert_int_equal(stops, 2); /* the barrier, the store */
        assert_int_equal(all, INSTRUCTIONS);
        assert_int_equal(ran.translated, translated_instructions() - begin);
    }
    assert_int_equal(ran.translated, INSTRUCTIONS);
    free_pair(&p);
}

/* A loop that goes back into the literal of an instruction, which begins before the loop's end and
 * reaches over it, is refused: what is behind the end would decide what it does. */
static void overlapping(void **state)
{
    static const char text[] = "s_branch inner\n"
                               "again: .long 0xbe8500ff\n" /* s_mov_b32 s5, and its literal: */
                               "inner: .long 0xbf85fffe\n" /* s_cbranch_scc1 again */
                               "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n"
                               "s_cbranch_scc1 inner\n s_endpgm\n";
    pair_t p = make_pair("avx2");
    before_t b;
    (void)state;
    make_state(&b, true, 0x2f0);
    b.scc = 1;
    const uint64_t begin = isa_translate_stats().loops[ISA_REFUSED_SHAPE];
    put_pair(&p, text);
    run_pair(&p, &b, RIG_SLICE, text);
    assert_int_equal(isa_translate_stats().loops[ISA_REFUSED_SHAPE] - begin, 1);
    free_pair(&p);
}

/* Rounds of nested loops, the outermost first. */
typedef struct {
    uint32_t n[3];
} rounds_t;

/* Runs a wave with all lanes in some MODE, and returns what the run adds to the statistics. */
static isa_translate_stats_t run_in_mode(pair_t *p, uint32_t mode, rounds_t rounds,
                                         const char *text)
{
    before_t b;
    make_state(&b, true, mode);
    b.sgpr[COUNTER] = rounds.n[0];
    b.sgpr[12] = rounds.n[1];
    b.sgpr[13] = rounds.n[2];
    const isa_translate_stats_t begin = isa_translate_stats();
    run_pair(p, &b, RIG_SLICE, text);
    isa_code_idle(p->translated->cache, p->translated->core, RIG_CODE);
    isa_translate_stats_t s = isa_translate_stats();
    s.entries -= begin.entries;
    s.instructions -= begin.instructions;
    s.declined -= begin.declined;
    return s;
}

/* Code for an inner loop alone gives way to that for an outer loop: the inner loop has room for the
 * code of another MODE, in the first wave that comes with it. */
static void nested_loops(void **state)
{
    static const char text[] =
        "v_add_f32 v3, v1, v2\n outer: s_mov_b32 s9, s12\n middle: s_mov_b32 s10, s13\n"
        "inner: v_add_f32 v1, v1, v2\n s_sub_u32 s10, s10, 1\n s_cmp_lg_u32 s10, 0\n"
        "s_cbranch_scc1 inner\n s_sub_u32 s9, s9, 1\n s_cmp_lg_u32 s9, 0\n s_cbranch_scc1 middle\n"
        "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 outer\n s_endpgm\n";
    enum { LONG = 100 };
    const rounds_t all = {{5, 5, 5}}, inner = {{1, 1, LONG}};
    pair_t p = make_pair("avx2");
    (void)state;
    put_pair(&p, text);
    hot = 3;
    for (unsigned n = 0; n < 5; n++)
        run_in_mode(&p, 0x2f0, all, text);
    isa_translate_stats_t s = run_in_mode(&p, 0xf0, inner, text);
    assert_true(s.instructions > 3 * LONG); /* of 4 */
    for (unsigned n = 0; n < 4; n++)
        s = run_in_mode(&p, 0xf0, inner, text);
    assert_int_equal(s.declined, 0);
    assert_true(s.instructions > 4 * LONG);
    hot = 1;
    free_pair(&p);
}

/* A place has entries for four MODEs; waves with others are interpreted. */
static void many_modes(void **state)
{
    static const uint32_t modes[] = {0x2f0, 0xf0, 0x3f0, 0x1f0, 0x2c0, 0x2f5};
    enum { MODES = sizeof modes / sizeof *modes, ENTRIES = 4 };
    static const char text[] = "again: v_add_f32 v1, v1, v2\n v_mul_f64 v[4:5], v[4:5], v[6:7]\n"
                               "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n"
                               "s_cbranch_scc1 again\n s_endpgm\n";
    pair_t p = make_pair("avx2");
    (void)state;
    put_pair(&p, text);
    for (unsigned n = 0; n < 3; n++)
        for (unsigned m = 0; m < MODES; m++) {
            const isa_translate_stats_t s = run_in_mode(&p, modes[m], (rounds_t){{ROUNDS}}, text);
            if (n < 2) continue;
            assert_int_equal(s.entries != 0, m < ENTRIES);
            assert_int_equal(s.declined != 0, m >= ENTRIES);
        }
    free_pair(&p);
}

/* ---- other code ---- */

/* An empty kernel does nothing wherever it is: behind another one's end, or where waves are counted
 * that come to it. */
static void empty_kernels(void **state)
{
    rig_t *r = rig_create();
    (void)state;
    r->core = isa_core_by_name("avx2");
    isa_translate_setup(ISA_TRANSLATE_ON, 1000);
    rig_assemble(r, 0, "s_endpgm\n s_endpgm\n s_barrier\n s_endpgm\n");
    assert_true(isa_code_idle(r->cache, r->core, RIG_CODE));
    assert_true(isa_code_idle(r->cache, r->core, RIG_CODE + 4));
    assert_false(isa_code_idle(r->cache, r->core, RIG_CODE + 8));
    assert_true(isa_code_idle(r->cache, r->core, RIG_CODE + 12));
    rig_destroy(r);
}

/* With verify, all that is translated runs both ways. */
static void verified(void **state)
{
    pair_t p = make_pair("avx2");
    (void)state;
    for (unsigned k = 0; k < sizeof straight / sizeof *straight; k++) {
        const isa_translate_stats_t begin = isa_translate_stats();
        rig_assemble(p.translated, 0, straight[k].text);
        for (unsigned n = 0; n < 4; n++) {
            before_t b;
            make_state(&b, straight[k].full, 0x2f0);
            isa_translate_setup(ISA_TRANSLATE_VERIFY, 1);
            isa_code_invalidate(p.translated->cache);
            isa_code_quiesce(p.translated->cache);
            set_state(p.translated, &b);
            assert_true(p.translated->core->set_pc(&p.translated->wave, RIG_CODE));
            isa_code_idle(p.translated->cache, p.translated->core, RIG_CODE);
            isa_stop_t stop;
            while ((stop = p.translated->core->run(&p.translated->wave, RIG_SLICE)) ==
                       ISA_STOP_BARRIER ||
                   stop == ISA_STOP_STEP) {
            }
            assert_string_equal(p.translated->wave.message, "");
            assert_int_not_equal(stop, ISA_STOP_UNSUPPORTED);
        }
        const isa_translate_stats_t end = isa_translate_stats();
        assert_true(end.verified > begin.verified);
        assert_int_equal(end.verified - begin.verified, end.instructions - begin.instructions);
    }
    free_pair(&p);
}

/* The program's instructions but the last, s_endpgm; each ends in a new line. */
static unsigned length_of(const char *text)
{
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n - 1;
}

/* Runs the program until all of it is translated for such an EXEC, and then once more: each
 * instruction of it that is no call runs both ways. */
static void verify_all(rig_t *r, const char *text, bool full)
{
    const unsigned all = length_of(text) - calls_on(r->core, text);
    uint64_t n = 0;
    before_t b;
    make_state(&b, full, 0x2f0);
    for (unsigned round = 0; round < 3; round++) {
        n = run_verified(r, &b, text);
        /* the device says where waves begin */
        assert_false(isa_code_idle(r->cache, r->core, RIG_CODE));
    }
    if (n != all)
        fail_msg("%s: %u instructions verified of %u: %s", r->core->name, (unsigned)n, all, text);
}

/* Loads from LDS and reads of lanes are no calls, but where calls_on() says so, whether waves with
 * all lanes come first, so that there is code for these alone, or others. */
static void try_reads(const isa_core_t *core, const char *text)
{
    for (unsigned full = 0; full < 2; full++) {
        rig_t *r = rig_create();
        r->core = core;
        rig_assemble(r, 0, text);
        for (unsigned k = 0; k < sizeof r->lds; k++)
            r->lds[k] = (uint8_t)(37 * k + (k >> 8));
        verify_all(r, text, full);
        verify_all(r, text, !full);
        rig_destroy(r);
    }
}

static void reads_verified(void **state)
{
    static const char *const texts[] = {LOADS_FROM_LDS, READS_OF_LANES};
    (void)state;
    for (unsigned h = 0; h < HOSTS; h++)
        for (unsigned k = 0; k < sizeof texts / sizeof *texts; k++)
            if (isa_core_by_name(hosts[h])) try_reads(isa_core_by_name(hosts[h]), texts[k]);
    counted = true; /* and the counts are compared, too */
    try_reads(isa_core_by_name("avx2"), texts[0]);
    counted = false;
}

/* Code that is written anew runs as it is now. */
static void changed_code(void **state)
{
    static const char *const texts[] = {"again: v_add_u32 v1, 1, v1\n s_sub_u32 s98, s98, 1\n "
                                        "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n",
                                        "again: v_add_u32 v1, 2, v1\n s_sub_u32 s98, s98, 1\n "
                                        "s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n"};
    rig_t *r = rig_create();
    before_t b;
    (void)state;
    r->core = isa_core_by_name("avx2");
    make_state(&b, true, 0x2f0);
    isa_translate_setup(ISA_TRANSLATE_ON, 1);
    for (unsigned k = 0; k < 4; k++) {
        set_state(r, &b);
        assert_int_equal(rig_run(r, texts[k & 1]), ISA_STOP_END);
        assert_int_equal(r->rows[1][5], b.row[1][5] + ROUNDS * (1 + (k & 1)));
    }
    rig_destroy(r);
}

int main(void)
{
    if (!asm_available()) return 77;
    isa_translate_limit(UINT64_MAX);
    if (!translates_here()) return 77;
    read_lines(ISA_TEST_DATA "/vectors.tsv", ASM_ARCH, 64, 1000);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_instruction),
                                       cmocka_unit_test(random_loops),
                                       cmocka_unit_test(whole_programs),
                                       cmocka_unit_test(stretches),
                                       cmocka_unit_test(counted_code),
                                       cmocka_unit_test(counted_accesses),
                                       cmocka_unit_test(counted_apart),
                                       cmocka_unit_test(every_wave_is_taken),
                                       cmocka_unit_test(counted_once),
                                       cmocka_unit_test(overlapping),
                                       cmocka_unit_test(nested_loops),
                                       cmocka_unit_test(many_modes),
                                       cmocka_unit_test(empty_kernels),
                                       cmocka_unit_test(verified),
                                       cmocka_unit_test(reads_verified),
                                       cmocka_unit_test(changed_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
