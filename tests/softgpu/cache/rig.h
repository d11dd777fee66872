/* rig.h - one wave with registers, and a cache model that is told of instructions; none is run.
 *
 * A test sets addresses, gives an instruction as text and reads events by name. Included by every
 * test of the model. */
#ifndef TESTS_SOFTGPU_CACHE_RIG_H
#define TESTS_SOFTGPU_CACHE_RIG_H

#include "asm.h"
#include "cache_events.h"
#include "softgpu/cache/cache.h"
#include "softgpu/cache/reach.h"
#include "softgpu/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define RIG_VA      UINT64_C(0x7f1200000000) /* of 4 KiB, as every mapping */
#define RIG_SHARED  (UINT64_C(1) << 48)
#define RIG_PRIVATE (UINT64_C(2) << 48)
enum {
    RIG_LDS = 65536,
    RIG_TEXTS = 64,
    RIG_PENDING = 10 /* look-ups that wait with the one that misses its page */
};

typedef struct {
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    _Alignas(64) isa_wave_t wave;
    isa_group_t group;
    isa_dispatch_t dispatch;
    sg_profile_t profile;
    sgc_t *model;
    sgc_page_t page; /* of all memory */
    sgc_seen_t seen;
    sgc_cost_t cost; /* of the last instruction */
    unsigned cu;     /* where the wave is */
    /* instructions that have been assembled */
    char *text[RIG_TEXTS];
    isa_inst_t inst[RIG_TEXTS];
    unsigned n_texts;
} rig_t;

static inline sgc_page_t rig_page(void *user, uint64_t va)
{
    (void)va;
    return ((rig_t *)user)->page;
}

/* The defaults: MI210 with one compute unit in each engine, and no reads of page tables, which have
 * tests of their own. */
static inline sg_profile_t rig_profile(void)
{
    sg_profile_t p = {.name = "test",
#define ROW(key, otherwise, lo, hi) .key = otherwise,
                      SG_PROFILE_KEYS(ROW)
#undef ROW
    };
    p.utcl2_entries = 0;
    return p;
}

static inline rig_t *rig_create_profile(const sg_profile_t *p)
{
    rig_t *r = aligned_alloc(64, (sizeof *r + 63) / 64 * 64);
    memset(r, 0, sizeof *r);
    r->profile = *p;
    r->page = (sgc_page_t){SGC_RW, true, 0};
    r->dispatch =
        (isa_dispatch_t){.arch = ASM_ARCH, .shared_base = RIG_SHARED, .private_base = RIG_PRIVATE};
    r->group = (isa_group_t){.dispatch = &r->dispatch, .lds_bytes = RIG_LDS, .n_waves = 1};
    r->wave.group = &r->group;
    r->wave.vgpr = r->rows;
    r->wave.acc_offset = 256;
    r->wave.exec = ~UINT64_C(0);
    r->model = sgc_create(ASM_ARCH, p, rig_page, r);
    assert_non_null(r->model);
    return r;
}

static inline rig_t *rig_create(void)
{
    const sg_profile_t p = rig_profile();
    return rig_create_profile(&p);
}

static inline void rig_destroy(rig_t *r)
{
    sgc_destroy(r->model);
    for (unsigned k = 0; k < r->n_texts; k++)
        free(r->text[k]);
    free(r);
}

/* A new model, registers stay. */
static inline void rig_reset(rig_t *r)
{
    sgc_destroy(r->model);
    r->model = sgc_create(ASM_ARCH, &r->profile, rig_page, r);
    assert_non_null(r->model);
}

/* A rig whose GPU has this profile, and lines of these sizes. */
static inline rig_t *rig_of_lines_in(const sg_profile_t *p, isa_arch_t *arch, uint32_t vector_line,
                                     uint32_t l2_line)
{
    rig_t *r = rig_create_profile(p);
    *arch = *ASM_ARCH;
    arch->vector_line = vector_line;
    arch->l2_line = l2_line;
    sgc_destroy(r->model);
    r->model = sgc_create(arch, &r->profile, rig_page, r);
    assert_non_null(r->model);
    return r;
}

static inline const isa_inst_t *rig_inst(rig_t *r, const char *text)
{
    for (unsigned k = 0; k < r->n_texts; k++)
        if (!strcmp(r->text[k], text)) return &r->inst[k];
    uint32_t *words;
    const size_t n = asm_words(text, &words);
    assert_true(n > 0 && r->n_texts < RIG_TEXTS);
    isa_inst_t *i = &r->inst[r->n_texts];
    assert_int_equal(isa_decode(ASM_ARCH, words, (unsigned)n, i), n);
    free(words);
    r->text[r->n_texts++] = strdup(text);
    return i;
}

/* Tells the model of an instruction. */
static inline void rig_do(rig_t *r, const char *text)
{
    isa_watch_t watch = {.seen = &r->seen};
    r->cost = sgc_before(r->model, r->cu, &watch, &r->wave, rig_inst(r, text));
}

/* v[reg:reg+1] of lane l = address */
static inline void rig_address(rig_t *r, unsigned reg, unsigned l, uint64_t va)
{
    r->rows[reg][l] = (uint32_t)va;
    r->rows[reg + 1][l] = (uint32_t)(va >> 32);
}

/* v[0:1] of lane l = RIG_VA + from + l * step */
static inline void rig_stride(rig_t *r, uint64_t from, uint64_t step)
{
    for (unsigned l = 0; l < ISA_LANES; l++)
        rig_address(r, 0, l, RIG_VA + from + l * step);
}

static inline void rig_set_s64(rig_t *r, unsigned reg, uint64_t value)
{
    r->wave.sgpr[reg] = (uint32_t)value;
    r->wave.sgpr[reg + 1] = (uint32_t)(value >> 32);
}

/* Sum over all engines and instances. */
static inline uint64_t rig_sum(const rig_t *r, sgc_block_t block, unsigned event)
{
    uint64_t sum = 0;
    const unsigned cus = r->profile.arrays_per_engine * r->profile.cus_per_array;
    if (block == SGC_TCC || block == SGC_TCA) {
        for (unsigned n = 0; n < r->profile.l2_channels; n++)
            sum += sgc_value(r->model, block, 0, n, event);
        return sum;
    }
    for (unsigned se = 0; se < r->profile.shader_engines; se++)
        for (unsigned n = 0; n < (block == SGC_SQ ? 1 : cus); n++)
            sum += sgc_value(r->model, block, se, n, event);
    return sum;
}

/* GET(r, TCP_TOTAL_READ): the block is the name's first part; SQC events belong to SQ. */
static inline uint64_t rig_get(const rig_t *r, const char *name, unsigned event)
{
    static const struct {
        const char *prefix;
        sgc_block_t block;
    } blocks[] = {{"TA_", SGC_TA},   {"TD_", SGC_TD},   {"TCP_", SGC_TCP},
                  {"TCA_", SGC_TCA}, {"TCC_", SGC_TCC}, {"SQ", SGC_SQ}};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        if (strncmp(name, blocks[k].prefix, strlen(blocks[k].prefix))) continue;
        if (!sgc_counts(ASM_ARCH, blocks[k].block, event)) fail_msg("%s is not counted", name);
        return rig_sum(r, blocks[k].block, event);
    }
    fail_msg("%s: no such block", name);
    return 0;
}
#define GET(r, name) rig_get(r, #name, EVENT(name))

#define EXPECT(r, name, value)                                                                     \
    do {                                                                                           \
        const uint64_t have_ = GET(r, name), want_ = (uint64_t)(value);                            \
        if (have_ != want_)                                                                        \
            fail_msg("%s:%d: %s is %llu, not %llu", __FILE__, __LINE__, #name,                     \
                     (unsigned long long)have_, (unsigned long long)want_);                        \
    } while (0)

/* What holds whatever ran. */
static inline void rig_invariants(rig_t *r)
{
    EXPECT(r, TCC_REQ, GET(r, TCC_HIT) + GET(r, TCC_MISS));
    EXPECT(r, TCC_REQ, GET(r, TCC_READ) + GET(r, TCC_WRITE) + GET(r, TCC_ATOMIC));
    EXPECT(r, TCC_REQ,
           GET(r, TCC_RW_REQ) + GET(r, TCC_NC_REQ) + GET(r, TCC_CC_REQ) + GET(r, TCC_UC_REQ));
    const uint64_t reads = GET(r, SQC_TC_INST_REQ) + GET(r, SQC_TC_DATA_READ_REQ);
    assert_in_range(GET(r, TCC_READ), reads + (GET(r, TCP_TCC_READ_REQ) + 1) / 2,
                    reads + GET(r, TCP_TCC_READ_REQ));
    EXPECT(r, TCC_WRITE, GET(r, TCP_TCC_WRITE_REQ) + GET(r, SQC_TC_DATA_WRITE_REQ));
    EXPECT(r, TCC_ATOMIC,
           GET(r, TCP_TCC_ATOMIC_WITH_RET_REQ) + GET(r, TCP_TCC_ATOMIC_WITHOUT_RET_REQ) +
               GET(r, SQC_TC_DATA_ATOMIC_REQ));
    EXPECT(r, TCP_TOTAL_ACCESSES,
           GET(r, TCP_TOTAL_READ) + GET(r, TCP_TOTAL_WRITE) + GET(r, TCP_TOTAL_ATOMIC_WITH_RET) +
               GET(r, TCP_TOTAL_ATOMIC_WITHOUT_RET));
    assert_in_range(GET(r, TCP_UTCL1_REQUEST),
                    GET(r, TCP_UTCL1_TRANSLATION_HIT) + GET(r, TCP_UTCL1_TRANSLATION_MISS),
                    GET(r, TCP_UTCL1_TRANSLATION_HIT) +
                        (1 + RIG_PENDING) * GET(r, TCP_UTCL1_TRANSLATION_MISS));
    EXPECT(r, TCP_VOLATILE, GET(r, TCP_TOTAL_ACCESSES));
    EXPECT(r, TCP_UTCL1_REQUEST, GET(r, TCP_TOTAL_CACHE_ACCESSES));
    EXPECT(r, TCP_TCC_READ_REQ,
           GET(r, TCP_TCC_RW_READ_REQ) + GET(r, TCP_TCC_NC_READ_REQ) + GET(r, TCP_TCC_CC_READ_REQ) +
               GET(r, TCP_TCC_UC_READ_REQ));
    EXPECT(r, SQC_DCACHE_REQ,
           GET(r, SQC_DCACHE_HITS) + GET(r, SQC_DCACHE_MISSES) +
               GET(r, SQC_DCACHE_MISSES_DUPLICATE));
    EXPECT(r, SQC_ICACHE_REQ,
           GET(r, SQC_ICACHE_HITS) + GET(r, SQC_ICACHE_MISSES) +
               GET(r, SQC_ICACHE_MISSES_DUPLICATE));
    assert_true(GET(r, TCP_TCC_READ_REQ) + GET(r, TCP_TCC_WRITE_REQ) +
                    GET(r, TCP_TCC_ATOMIC_WITH_RET_REQ) + GET(r, TCP_TCC_ATOMIC_WITHOUT_RET_REQ) <=
                GET(r, TCP_TOTAL_CACHE_ACCESSES));
    assert_true(GET(r, TCC_EA_WRREQ_64B) <= GET(r, TCC_EA_WRREQ));
    assert_true(GET(r, TCC_EA_RDREQ_DRAM) <= GET(r, TCC_EA_RDREQ));
    assert_true(GET(r, SQ_LDS_BANK_CONFLICT) + GET(r, SQ_LDS_ADDR_CONFLICT) <=
                GET(r, SQ_LDS_IDX_ACTIVE));
}

#define RIG_TEST(name) cmocka_unit_test(name)

#endif
