/* traits.c - see traits.h: classes of arithmetic and issue costs of every instruction.
 *
 * The rules are those of docs/counters.md; a rule that changes here changes there. */
#include "softgpu/perf/traits.h"

#include "base/log.h"
#include "base/text.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool one_of(const char *s, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (starts(s, *prefixes)) return true;
    return false;
}

static const char *const adds[] = {"add_f", "sub_f", "subrev_f", "pk_add_f", NULL};
static const char *const muls[] = {"mul_f", "mul_legacy_f", "pk_mul_f", NULL};
static const char *const fmas[] = {"fma_",         "fmac_f",   "mac_f",     "mad_f",
                                   "mad_legacy_f", "madmk_f",  "madak_f",   "pk_fma",
                                   "div_fmas_f",   "dot2_f32", "dot2c_f32", NULL};
static const char *const trans[] = {"exp_", "log_", "rcp_", "rsq_", "sqrt_", "sin_", "cos_", NULL};
/* Data movement is no arithmetic. */
static const char *const moves[] = {"mov_",      "swap_",         "cndmask", "readlane",
                                    "writelane", "readfirstlane", "accvgpr", "pk_mov",
                                    "pack_",     "perm_",         "screen_", NULL};
/* Rows of a quarter of the rate. Multiplies of 32 bits are none of them: the documents say so, an
 * MI200 was measured to issue one every four clocks, and kernels of them to last no longer. */
static const char *const slow_integer[] = {"mad_u64_u32", "mad_i64_i32", "qsad", "mqsad", NULL};

/* The type a mnemonic ends in; mixed multiply-adds name the type of their result first. */
static int float_type(const char *m)
{
    if (starts(m, "dot2")) return 1;
    if (base_ends_with(m, "_f16")) return 0;
    if (base_ends_with(m, "_f32")) return 1;
    return base_ends_with(m, "_f64") ? 2 : -1;
}

static sg_math_t vector_math(const char *m)
{
    static const char *const int64[] = {"_i64", "_u64", NULL};
    static const char *const int32[] = {"_i32", "_u32", "_b32", "_i24", "_u24", NULL};
    const int type = float_type(m);
    if (starts(m, "cvt_")) return SG_MATH_CVT;
    if (type >= 0) {
        const unsigned first = SG_MATH_ADD_F16 + 4u * (unsigned)type;
        if (one_of(m, adds)) return first;
        if (one_of(m, muls)) return first + 1;
        if (one_of(m, fmas)) return first + 2;
        if (one_of(m, trans)) return first + 3;
    }
    if (starts(m, "mad_u64_u32") || starts(m, "mad_i64_i32")) return SG_MATH_INT64;
    if (one_of(m, moves)) return SG_MATH_NONE;
    for (unsigned k = 0; int64[k]; k++)
        if (base_ends_with(m, int64[k])) return SG_MATH_INT64;
    for (unsigned k = 0; int32[k]; k++)
        if (base_ends_with(m, int32[k])) return SG_MATH_INT32;
    return SG_MATH_NONE;
}

/* v_mfma_<result>_<M>x<N>x<K><input>: clocks by shape, operations 2*M*N*K*blocks. The number of
 * blocks and the clocks are those of AMD's matrix instruction calculator. */
static void matrix(const char *m, sg_traits_t *t)
{
    char *end;
    const char *shape = strchr(m + strlen("mfma_"), '_') + 1;
    const unsigned rows = (unsigned)strtoul(shape, &end, 10);
    const unsigned columns = (unsigned)strtoul(end + 1, &end, 10);
    const unsigned depth = (unsigned)strtoul(end + 1, &end, 10);
    const char *input = end;
    const bool f64 = starts(input, "f64");
    unsigned blocks, narrow; /* `narrow`: least depth of a variant with a single block */
    t->math = f64                     ? SG_MATH_MFMA_F64
              : starts(input, "f32")  ? SG_MATH_MFMA_F32
              : starts(input, "bf16") ? SG_MATH_MFMA_BF16
              : starts(input, "f16")  ? SG_MATH_MFMA_F16
                                      : SG_MATH_MFMA_I8;
    /* one block takes K of: f32 2 (32x32) or 4 (16x16), bf16 4 or 8, all others 8 or 16 */
    narrow = starts(input, "f32")                                     ? 2
             : starts(input, "bf16") && !base_ends_with(input, "_1k") ? 4
                                                                      : 8;
    if (rows == 16) narrow *= 2;
    if (f64)
        blocks = rows == 4 ? 4 : 1;
    else if (rows == 4)
        blocks = 16;
    else
        blocks = depth >= narrow ? 1 : rows == 32 ? 2 : 4;
    t->mops = (uint8_t)(2 * rows * columns * depth * blocks / 512);
    t->matrix = f64 ? (rows == 4 ? 16 : 32) : rows == 32 ? 64 : rows == 16 ? 32 : 8;
}

static uint8_t vector_issue(const char *m, uint8_t math)
{
    enum { FULL = 4, QUARTER = 16 };
    if (math == SG_MATH_TRANS_F16 || math == SG_MATH_TRANS_F32) return QUARTER;
    if (math == SG_MATH_TRANS_F64) return 2 * QUARTER;
    return one_of(m, slow_integer) ? QUARTER : FULL;
}

/* DMASK says how many there are of an image's store; most have all. */
enum { IMAGE_DWORDS = 4 };

/* Of the data that a lane sends, or a scalar load gets: as wide as the table's operand. Images have
 * no width of their own there, and what comes from LDS has no operand. */
static uint8_t dwords_of(const isa_row_desc_t *row)
{
    const bool scalar = row->klass == ISA_CLASS_SMEM_RD;
    const isa_field_t *data = isa_field(row, scalar ? ISA_ROLE_SDST : ISA_ROLE_VDATA);
    return data && row->fmt != ISA_FMT_MIMG ? (uint8_t)((data->bits + 31) / 32) : 1;
}

static uint8_t flow_of(unsigned op)
{
    switch (op) {
    case ISA_OP_s_endpgm:
    case ISA_OP_s_endpgm_saved:
    case ISA_OP_s_endpgm_ordered_ps_done: return SG_FLOW_END;
    case ISA_OP_s_waitcnt: return SG_FLOW_WAITCNT;
    case ISA_OP_s_nop: return SG_FLOW_NOP;
    case ISA_OP_s_sleep: return SG_FLOW_SLEEP;
    default: return SG_FLOW_PLAIN;
    }
}

sg_traits_t sg_traits_of(unsigned op)
{
    enum { ISSUE = 4 };
    const isa_row_desc_t *row = &isa_table[op];
    const char *m = row->mnemonic ? row->mnemonic : "";
    sg_traits_t t = {.klass = row->klass, .issue = ISSUE, .flow = flow_of(op)};
    switch ((isa_class_t)row->klass) {
    case ISA_CLASS_VALU:
        t.math = (uint8_t)vector_math(m + strlen("v_"));
        t.issue = vector_issue(m + strlen("v_"), t.math);
        break;
    case ISA_CLASS_MFMA: matrix(m + strlen("v_"), &t); break;
    case ISA_CLASS_SMEM: t.flow = strstr(m, "dcache") ? SG_FLOW_SCALAR_CACHE : SG_FLOW_PLAIN; break;
    case ISA_CLASS_SMEM_RD:
        t.dwords = strstr(m, "dword") ? dwords_of(row) : 0; /* not of the clocks */
        break;
    case ISA_CLASS_FLAT_WR:
    case ISA_CLASS_FLAT_AT:
    case ISA_CLASS_VMEM_WR:
    case ISA_CLASS_VMEM_AT: t.dwords = dwords_of(row); /* fall through */
    case ISA_CLASS_FLAT_RD:
    case ISA_CLASS_VMEM:
    case ISA_CLASS_VMEM_RD: t.format = row->fmt; break;
    default: break;
    }
    return t;
}

unsigned sg_buckets_fill(sg_buckets_t *to, unsigned room)
{
    unsigned merged = 0;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        const sg_traits_t t = sg_traits_of(op);
        unsigned b = 0;
        while (b < to->n && memcmp(&to->traits[b], &t, sizeof t))
            b++;
        if (b == room) {
            b--;
            merged++;
        }
        if (b == to->n) to->traits[to->n++] = t;
        to->bucket[op] = (uint8_t)b;
    }
    return merged;
}

static sg_buckets_t buckets;

/* The test of the table sees to it that there are enough. */
static void make(void)
{
    const unsigned merged = sg_buckets_fill(&buckets, ISA_BUCKETS);
    if (merged)
        base_error("%u instructions are counted as others are: there are more than %d kinds of "
                   "them, which is ISA_BUCKETS",
                   merged, ISA_BUCKETS);
}

const sg_buckets_t *sg_buckets(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make);
    return &buckets;
}
