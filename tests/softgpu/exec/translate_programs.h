/* translate_programs.h - small programs for both rigs: random loops, loops with all that stops
 * waves or parts lanes, stretches of code without loops.
 *
 * For tests of the translator that run all of them one way or another, besides translate_lines.h.
 */
#ifndef TESTS_ISA_TRANSLATE_PROGRAMS_H
#define TESTS_ISA_TRANSLATE_PROGRAMS_H

#include "translate_lines.h"

#include "softgpu/exec/code_idle.h"

static const char *const hosts[] = {"avx2", "avx512"};
enum { HOSTS = 2 };

/* Random instructions, their registers moved together so that they use each other's results, in
 * short slices. */
static inline void run_random_loops(unsigned loops)
{
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
        }
        free_pair(&p);
    }
}

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

static inline void run_programs(void)
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

/* ---- stretches: code without loops ---- */

/* From 1024 bytes: elements up to their end and one beyond it, addresses that wrap. */
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
    "ds_read_b32 v43, v2 offset:768\n ds_read_b32 v44, v2 offset:772\n v_add_u32 v45, -8, v2\n"    \
    "ds_read_b32 v46, v45 offset:12\n ds_read_b32 v47, v45\n ds_read_b32 v48, v4 offset:1004\n"    \
    "ds_read_b32 v49, v4 offset:1008\n ds_read_b64 v[50:51], v3 offset:512\n"                      \
    "ds_read_b64 v[52:53], v3 offset:520\n"                                                        \
    "s_waitcnt lgkmcnt(0)\n v_add_u32 v9, v10, v12\n ds_read_b32 v11, v8\n v_add_u32 v10, v11, "   \
    "v9\n v_add_f32 v42, v10, v11\n s_endpgm\n"

/* Whoever translates this does not know what v1 has. */
#define READS_OF_LANES                                                                             \
    "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_writelane_b32 v1, 0, 0\n"    \
    "v_lshlrev_b32 v2, 2, v1\n"                                                                    \
    "v_xor_b32 v3, 64, v2\n v_mul_u32_u24 v4, 0x125, v1\n v_add_u32 v5, 20, v2\n"                  \
    "ds_bpermute_b32 v10, v2, v30\n ds_bpermute_b32 v11, v5, v31\n ds_bpermute_b32 v12, v3, v32\n" \
    "ds_bpermute_b32 v13, v4, v33\n ds_bpermute_b32 v14, v2, v34 offset:252\n"                     \
    "v_add_u32 v34, v14, v13\n ds_bpermute_b32 v34, v5, v34\n ds_bpermute_b32 v35, v3, v34\n"      \
    "v_add_f32 v34, v34, v35\n ds_bpermute_b32 v36, v36, v35\n v_add_f32 v36, v36, v34\n"          \
    "ds_bpermute_b32 v37, v5, v37\n v_mul_f32 v37, v37, v36\n s_waitcnt lgkmcnt(0)\n s_endpgm\n"

/* Lanes that are known when the code is translated: sums as compilers make them, of lanes below and
 * above, and what is no longer known where EXEC, a mask or a row has changed. */
#define READS_OF_KNOWN_LANES                                                                       \
    "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_and_b32 v2, 63, v1\n"        \
    "v_cmp_gt_u32 vcc, 32, v2\n v_cndmask_b32 v3, 0, 1, vcc\n v_lshlrev_b32 v3, 5, v3\n"           \
    "v_add_lshl_u32 v3, v3, v1, 2\n ds_bpermute_b32 v10, v3, v30\n v_add_f32 v30, v30, v10\n"      \
    "v_cmp_ne_u32 vcc, 63, v2\n v_addc_co_u32 v4, vcc, 0, v1, vcc\n v_lshlrev_b32 v4, 2, v4\n"     \
    "ds_bpermute_b32 v11, v4, v30\n v_add_f32 v30, v30, v11\n v_add_co_u32 v5, vcc, -7, v1\n"      \
    "v_cndmask_b32 v16, v31, v32, vcc\n s_and_b64 s[4:5], vcc, s[6:7]\n"                           \
    "v_cndmask_b32 v17, v31, v32, s[4:5]\n v_add_u32 v6, -1, v1\n v_lshlrev_b32 v6, 2, v6\n"       \
    "ds_bpermute_b32 v12, v6, v31\n v_add_u32 v31, v31, v12\n v_sub_u32 v7, 63, v2\n"              \
    "v_lshlrev_b32 v7, 2, v7\n ds_bpermute_b32 v13, v7, v31\n v_xor_b32 v31, v31, v13\n"           \
    "v_mul_u32_u24 v8, 0x125, v1\n ds_bpermute_b32 v14, v8, v32\n v_add_u32 v32, v32, v14\n"       \
    "v_mov_b32 v9, 0x94\n ds_bpermute_b32 v15, v9, v33 offset:4\n v_xor_b32 v33, v33, v15\n"       \
    "v_cmp_gt_u32 vcc, 32, v2\n s_not_b64 vcc, vcc\n v_cndmask_b32 v22, 0, v1, vcc\n"              \
    "v_cmp_lt_f32 vcc, v30, v31\n v_cmp_gt_u32 vcc, 9, v2\n v_cndmask_b32 v26, v31, v30, vcc\n"    \
    "v_mad_u16 v27, v1, 3, 7\n v_mad_u16 v28, v1, 5, v27\n v_add_u16 v29, v1, v1\n"                \
    "v_mov_b32 v9, s6\n ds_bpermute_b32 v23, v9, v36\n v_writelane_b32 v3, s6, 3\n"                \
    "ds_bpermute_b32 v24, v3, v36\n s_mov_b64 s[8:9], exec\n s_lshl_b64 exec, exec, 9\n"           \
    "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_add_u32 v18, 8, v1\n"        \
    "v_lshlrev_b32 v18, 2, v18\n ds_bpermute_b32 v19, v18, v34\n v_add_u32 v34, v19, v34\n"        \
    "v_cmp_lt_u32 s[10:11], 20, v1\n s_mov_b64 exec, s[8:9]\n"                                     \
    "v_cndmask_b32 v20, v31, v32, s[10:11]\n ds_bpermute_b32 v21, v18, v35\n s_endpgm\n"

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
    {READS_OF_KNOWN_LANES, true},
    {READS_OF_KNOWN_LANES, false},
};

/* A program that begins a few instructions before the end of the first page of code, behind a jump
 * to it. */
static inline void put_far(rig_t *r, const char *text)
{
    enum { FAR = ISA_PAGE_SLOTS - 5 };
    r->code[0] = 0xbf820000 | (FAR - 1); /* s_branch */
    rig_assemble(r, FAR, text);
}

/* Waves run as often as it takes until all of a program is translated, and then once more. */
static inline void run_stretches(pair_t *p, const program_t *program, unsigned k, const char *how)
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

static inline void run_all_stretches(void)
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

/* The program's instructions but the last, s_endpgm; each ends in a new line. */
static inline unsigned length_of(const char *text)
{
    unsigned n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n - 1;
}

/* Runs the program until all of it is translated for such an EXEC, and then once more: each
 * instruction of it that is no call runs both ways. */
static inline void verify_all(rig_t *r, const char *text, bool full)
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
static inline void try_reads(const isa_core_t *core, const char *text)
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

#endif
