/* mix_test.c - classes of instructions by their names: some by hand, for all GPUs, and all of the
 * instruction table, whose classes are from the manuals. */
#include "code/mix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "isa/table.h"

static void by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        code_class_t c;
        code_flow_t flow;
    } rows[] = {
        {"v_add_f32_e32 v1, v2, v3", CODE_VALU, CODE_RUNS_ON},
        {"v_dual_fmac_f32 v0, v1, v2 :: v_dual_mov_b32 v3, 0", CODE_VALU, CODE_RUNS_ON},
        {"v_exp_f32_e32 v1, v2", CODE_TRANS, CODE_RUNS_ON},
        {"v_s_rcp_f32 s1, s2", CODE_TRANS, CODE_RUNS_ON},
        {"v_sub_f32_e32 v1, v2, v3", CODE_VALU, CODE_RUNS_ON},
        {"v_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], a[0:15]", CODE_MATRIX, CODE_RUNS_ON},
        {"v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]", CODE_MATRIX, CODE_RUNS_ON},
        {"v_swmmac_f32_16x16x32_f16 v[0:7], v[8:11], v[16:23], v1", CODE_MATRIX, CODE_RUNS_ON},
        {"v_accvgpr_write_b32 a0, v1", CODE_ACC_MOVE, CODE_RUNS_ON},
        {"s_add_u32 s0, s1, s2", CODE_SALU, CODE_RUNS_ON},
        {"s_load_b128 s[0:3], s[4:5], 0x0", CODE_SMEM, CODE_RUNS_ON},
        {"s_buffer_load_dword s0, s[4:7], 0x0", CODE_SMEM, CODE_RUNS_ON},
        {"global_load_b64 v[0:1], v2, s[0:1]", CODE_VMEM_LOAD, CODE_RUNS_ON},
        {"tbuffer_store_format_x v0, v1, s[0:3], 0", CODE_VMEM_STORE, CODE_RUNS_ON},
        {"image_sample v0, v[1:2], s[0:7], s[8:11]", CODE_VMEM_LOAD, CODE_RUNS_ON},
        {"flat_atomic_add v[0:1], v2", CODE_VMEM_ATOMIC, CODE_RUNS_ON},
        {"buffer_gl1_inv", CODE_OTHER, CODE_RUNS_ON},
        {"ds_read2_b32 v[0:1], v2", CODE_LDS_LOAD, CODE_RUNS_ON},
        {"ds_load_b128 v[0:3], v4", CODE_LDS_LOAD, CODE_RUNS_ON},
        {"ds_store_b32 v0, v1", CODE_LDS_STORE, CODE_RUNS_ON},
        {"ds_bpermute_b32 v0, v1, v2", CODE_LANE, CODE_RUNS_ON},
        {"ds_add_u32 v0, v1", CODE_LDS_ATOMIC, CODE_RUNS_ON},
        {"scratch_load_b32 v0, off, s32", CODE_SCRATCH_LOAD, CODE_RUNS_ON},
        {"scratch_store_dword off, v0, s32", CODE_SCRATCH_STORE, CODE_RUNS_ON},
        {"s_waitcnt vmcnt(0)", CODE_WAIT, CODE_RUNS_ON},
        {"s_waitcnt_depctr 0xfff", CODE_WAIT, CODE_RUNS_ON},
        {"s_wait_loadcnt 0x0", CODE_WAIT, CODE_RUNS_ON},
        {"s_barrier_signal -1", CODE_BARRIER, CODE_RUNS_ON},
        {"s_delay_alu instid0(VALU_DEP_1)", CODE_OTHER, CODE_RUNS_ON},
        {"s_branch 65520", CODE_BRANCH, CODE_JUMPS},
        {"s_cbranch_scc1 65520", CODE_BRANCH, CODE_MAY_JUMP},
        {"s_setpc_b64 s[30:31]", CODE_BRANCH, CODE_LEAVES},
        {"s_swappc_b64 s[30:31], s[4:5]", CODE_BRANCH, CODE_CALLS},
        {"s_endpgm", CODE_BRANCH, CODE_LEAVES},
        {"s_code_end", CODE_OTHER, CODE_LEAVES},
        {"s_round_mode 0x0", CODE_SALU, CODE_RUNS_ON}, /* as s_setreg */
        {"export mrt0 v0, v1, v2, v3", CODE_OTHER, CODE_RUNS_ON},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const code_class_t c = code_class_of(rows[i].text);
        if (c != rows[i].c || code_flow_of(rows[i].text) != rows[i].flow)
            fail_msg("%s: %s, flow %d", rows[i].text, code_class_keys[c],
                     code_flow_of(rows[i].text));
    }
}

/* The classes that instructions of a class of the table may have here. */
static const uint32_t allowed[ISA_CLASS_COUNT] = {
    [ISA_CLASS_SALU] = 1u << CODE_SALU,
    [ISA_CLASS_BRANCH] = 1u << CODE_BRANCH,
    [ISA_CLASS_MSG] = 1u << CODE_BRANCH | 1u << CODE_OTHER,
    [ISA_CLASS_INTERNAL] = 1u << CODE_OTHER | 1u << CODE_WAIT | 1u << CODE_BARRIER,
    [ISA_CLASS_SMEM] = 1u << CODE_SMEM,
    [ISA_CLASS_SMEM_RD] = 1u << CODE_SMEM,
    [ISA_CLASS_SMEM_WR] = 1u << CODE_SMEM,
    [ISA_CLASS_SMEM_AT] = 1u << CODE_SMEM,
    [ISA_CLASS_VALU] = 1u << CODE_VALU | 1u << CODE_TRANS | 1u << CODE_ACC_MOVE | 1u << CODE_OTHER,
    [ISA_CLASS_MFMA] = 1u << CODE_MATRIX | 1u << CODE_ACC_MOVE,
    [ISA_CLASS_LDS] = 1u << CODE_LANE | 1u << CODE_OTHER,
    [ISA_CLASS_LDS_RD] = 1u << CODE_LDS_LOAD,
    [ISA_CLASS_LDS_WR] = 1u << CODE_LDS_STORE,
    [ISA_CLASS_LDS_AT] = 1u << CODE_LDS_ATOMIC,
    [ISA_CLASS_GWS] = 1u << CODE_OTHER,
    [ISA_CLASS_FLAT] = 1u << CODE_OTHER,
    [ISA_CLASS_FLAT_RD] = 1u << CODE_VMEM_LOAD,
    [ISA_CLASS_FLAT_WR] = 1u << CODE_VMEM_STORE,
    [ISA_CLASS_FLAT_AT] = 1u << CODE_VMEM_ATOMIC,
    [ISA_CLASS_VMEM] = 1u << CODE_OTHER,
    [ISA_CLASS_VMEM_RD] = 1u << CODE_VMEM_LOAD | 1u << CODE_SCRATCH_LOAD,
    [ISA_CLASS_VMEM_WR] = 1u << CODE_VMEM_STORE | 1u << CODE_SCRATCH_STORE,
    [ISA_CLASS_VMEM_AT] = 1u << CODE_VMEM_ATOMIC,
};

static void as_the_table(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 1; i < ISA_OP_COUNT; i++) {
        const isa_row_desc_t *row = &isa_table[i];
        const code_class_t c = code_class_of(row->mnemonic);
        if (allowed[row->klass] & 1u << c) continue;
        wrong++;
        printf("%s: %s, in the table %s\n", row->mnemonic, code_class_keys[c],
               isa_class_name((isa_class_t)row->klass));
    }
    assert_int_equal(wrong, 0);
}

/* Leaving and jumping are marks of the table, too. */
static void flows(void **state)
{
    (void)state;
    for (size_t i = 1; i < ISA_OP_COUNT; i++) {
        const isa_row_desc_t *row = &isa_table[i];
        const code_flow_t flow = code_flow_of(row->mnemonic);
        const bool stays = flow != CODE_JUMPS && flow != CODE_LEAVES;
        if (stays == !(row->marks & ISA_IS_LEAVES)) continue;
        fail_msg("%s: flow %d", row->mnemonic, flow);
    }
}

static void words(void **state)
{
    (void)state;
    static const char text[] = "buffer_load_dword v1, off, s[0:3], 0 offset:4";
    static const char *const parts[] = {"buffer_load_dword", "v1", "off", "s[0:3]", "0",
                                        "offset:4",          "",   ""};
    char word[CODE_WORD_BYTES];
    for (unsigned i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        assert_string_equal(code_word(text, i, word), parts[i]);
    memset(word, 'x', sizeof(word));
    assert_int_equal(
        strlen(code_word("a_name_that_is_longer_than_any_instruction_of_any_gpu_has", 0, word)),
        CODE_WORD_BYTES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(as_the_table),
                                       cmocka_unit_test(flows), cmocka_unit_test(words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
