/* mix.c - see mix.h. The class is that of the first row whose text is the beginning of the
 * instruction's name, so a longer text must stand before a shorter one. */
#include "code/mix.h"

#include <stddef.h>
#include <string.h>

const char *const code_class_keys[CODE_CLASS_COUNT] = {
#define X(id, key, text) key,
    CODE_CLASSES(X)
#undef X
};

const char *const code_class_texts[CODE_CLASS_COUNT] = {
#define X(id, key, text) text,
    CODE_CLASSES(X)
#undef X
};

typedef struct {
    char begin[20];
    uint8_t value;
} row_t;

static const row_t classes[] = {
    {"v_mfma_ld_scale_b32", CODE_VALU}, /* loads the scales of the next instruction */
    {"v_mfma_", CODE_MATRIX},
    {"v_smfmac_", CODE_MATRIX},
    {"v_wmma_", CODE_MATRIX},
    {"v_swmmac_", CODE_MATRIX},
    {"v_accvgpr_", CODE_ACC_MOVE},
    {"v_exp_", CODE_TRANS},
    {"v_log_", CODE_TRANS},
    {"v_rcp_", CODE_TRANS},
    {"v_rsq_", CODE_TRANS},
    {"v_sqrt_", CODE_TRANS},
    {"v_sin_", CODE_TRANS},
    {"v_cos_", CODE_TRANS},
    {"v_s_", CODE_TRANS}, /* gfx12: on one value, in scalar registers */
    {"v_nop", CODE_OTHER},
    {"v_", CODE_VALU},
    {"s_waitcnt", CODE_WAIT},
    {"s_wait_", CODE_WAIT},
    {"s_barrier", CODE_BARRIER},
    {"s_get_barrier", CODE_BARRIER},
    {"s_branch", CODE_BRANCH},
    {"s_cbranch_", CODE_BRANCH},
    {"s_setpc_", CODE_BRANCH},
    {"s_swappc_", CODE_BRANCH},
    {"s_call_", CODE_BRANCH},
    {"s_rfe_", CODE_BRANCH},
    {"s_subvector_loop_", CODE_BRANCH},
    {"s_endpgm", CODE_BRANCH},
    {"s_load_", CODE_SMEM},
    {"s_store_", CODE_SMEM},
    {"s_buffer_", CODE_SMEM},
    {"s_scratch_", CODE_SMEM},
    {"s_atomic_", CODE_SMEM},
    {"s_atc_", CODE_SMEM},
    {"s_dcache_", CODE_SMEM},
    {"s_memtime", CODE_SMEM},
    {"s_memrealtime", CODE_SMEM},
    {"s_prefetch_", CODE_SMEM},
    {"s_gl1_inv", CODE_SMEM},
    {"s_nop", CODE_OTHER},
    {"s_sleep", CODE_OTHER},
    {"s_sendmsg", CODE_OTHER},
    {"s_trap", CODE_OTHER},
    {"s_clause", CODE_OTHER},
    {"s_delay_alu", CODE_OTHER},
    {"s_singleuse_", CODE_OTHER},
    {"s_alloc_vgpr", CODE_OTHER},
    {"s_setprio", CODE_OTHER},
    {"s_sethalt", CODE_OTHER},
    {"s_setkill", CODE_OTHER},
    {"s_wakeup", CODE_OTHER},
    {"s_icache_inv", CODE_OTHER},
    {"s_incperflevel", CODE_OTHER},
    {"s_decperflevel", CODE_OTHER},
    {"s_ttracedata", CODE_OTHER},
    {"s_code_end", CODE_OTHER},
    {"s_inst_prefetch", CODE_OTHER},
    {"s_set_inst_prefetch", CODE_OTHER},
    {"s_version", CODE_OTHER},
    {"s_", CODE_SALU},
    {"scratch_load_", CODE_SCRATCH_LOAD},
    {"scratch_store_", CODE_SCRATCH_STORE},
    {"global_load_", CODE_VMEM_LOAD},
    {"global_store_", CODE_VMEM_STORE},
    {"global_atomic_", CODE_VMEM_ATOMIC},
    {"flat_load_", CODE_VMEM_LOAD},
    {"flat_store_", CODE_VMEM_STORE},
    {"flat_atomic_", CODE_VMEM_ATOMIC},
    {"buffer_load_", CODE_VMEM_LOAD},
    {"buffer_store_", CODE_VMEM_STORE},
    {"buffer_atomic_", CODE_VMEM_ATOMIC},
    {"tbuffer_load_", CODE_VMEM_LOAD},
    {"tbuffer_store_", CODE_VMEM_STORE},
    {"image_store", CODE_VMEM_STORE},
    {"image_atomic_", CODE_VMEM_ATOMIC},
    {"image_", CODE_VMEM_LOAD},
    {"ds_read", CODE_LDS_LOAD},
    {"ds_load_", CODE_LDS_LOAD},
    {"ds_param_load", CODE_LDS_LOAD},
    {"ds_direct_load", CODE_LDS_LOAD},
    {"lds_", CODE_LDS_LOAD},
    {"ds_write", CODE_LDS_STORE},
    {"ds_store_", CODE_LDS_STORE},
    {"ds_permute_", CODE_LANE},
    {"ds_bpermute_", CODE_LANE},
    {"ds_swizzle_", CODE_LANE},
    {"ds_nop", CODE_OTHER},
    {"ds_gws_", CODE_OTHER},
    {"ds_bvh_stack_", CODE_OTHER}, /* pops from and pushes to a stack in LDS */
    {"ds_", CODE_LDS_ATOMIC},
};

/* Instructions that change the flow of control. Others have no row, except for some that no
 * compiler uses: they jump to an address in registers, or continue. */
static const row_t flows[] = {
    {"s_branch", CODE_JUMPS},
    {"s_cbranch_g_fork", CODE_RUNS_ON},
    {"s_cbranch_i_fork", CODE_MAY_JUMP},
    {"s_cbranch_join", CODE_RUNS_ON},
    {"s_cbranch_", CODE_MAY_JUMP},
    {"s_subvector_loop_", CODE_MAY_JUMP},
    {"s_setpc_", CODE_LEAVES},
    {"s_rfe_", CODE_LEAVES},
    {"s_endpgm", CODE_LEAVES},
    {"s_code_end", CODE_LEAVES},
    {"s_swappc_", CODE_CALLS},
    {"s_call_", CODE_CALLS},
};

static unsigned find(const row_t *rows, size_t count, const char *text, unsigned otherwise)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(text, rows[i].begin, strlen(rows[i].begin)) == 0) return rows[i].value;
    return otherwise;
}

code_class_t code_class_of(const char *text)
{
    return (code_class_t)find(classes, sizeof(classes) / sizeof(*classes), text, CODE_OTHER);
}

code_flow_t code_flow_of(const char *text)
{
    if (*text != 's') return CODE_RUNS_ON;
    return (code_flow_t)find(flows, sizeof(flows) / sizeof(*flows), text, CODE_RUNS_ON);
}

bool code_class_is_memory(code_class_t c)
{
    return c >= CODE_VMEM_LOAD && c <= CODE_SCRATCH_STORE && c != CODE_LANE;
}

const char *code_word(const char *text, unsigned index, char word[CODE_WORD_BYTES])
{
    static const char between[] = ", \t";
    text += strspn(text, between);
    for (; index && *text; index--) {
        text += strcspn(text, between);
        text += strspn(text, between);
    }
    const size_t length = strcspn(text, between);
    const size_t taken = length < CODE_WORD_BYTES ? length : CODE_WORD_BYTES - 1;
    memcpy(word, text, taken);
    word[taken] = '\0';
    return word;
}
