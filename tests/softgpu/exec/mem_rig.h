/* mem_rig.h - a bench for memory instructions: one wave, some memory, and a plain model of both.
 *
 * The model works byte by byte on arrays and knows no extents, blocks or host pointers. A test sets
 * the state up, lets instruction and model run from it, and compares everything. Included by the
 * mem_*.c programs; add instructions to their tables, not here. */
#ifndef TESTS_ISA_MEM_RIG_H
#define TESTS_ISA_MEM_RIG_H

#include "../../isa/asm.h"
#include "softgpu/memory/memory.h"
#include "softgpu/exec/exec.h"
#include "isa/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    RIG_EXTENT = 8192, /* bytes of each of the two adjacent extents */
    RIG_MEM = 2 * RIG_EXTENT,
    RIG_LDS = 2048,
    RIG_ROWS = 32, /* rows looked at: this many VGPRs and this many AGPRs */
    RIG_ACC = 64   /* unified row of a0 */
};
#define RIG_VA        UINT64_C(0x7f1234560000)
#define RIG_READ_ONLY (RIG_VA + 0x100000)
#define RIG_FINE      (RIG_VA + 0x200000) /* the first extent, as fine-grained memory */
#define RIG_SHARED    (UINT64_C(1) << 48)
#define RIG_PRIVATE   (UINT64_C(2) << 48)

/* All that an instruction may change. */
typedef struct {
    uint8_t mem[RIG_MEM];
    uint8_t lds[RIG_LDS];
    uint32_t v[RIG_ROWS][64], a[RIG_ROWS][64];
} rig_state_t;

typedef struct {
    const isa_core_t *core;
    sg_memory_t *memory;
    isa_dispatch_t dispatch;
    isa_group_t group;
    isa_wave_t wave;
    isa_page_t *no_page;
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    _Alignas(64) uint8_t lds[RIG_LDS];
    _Alignas(4096) uint8_t low[RIG_EXTENT], between[4096], high[RIG_EXTENT], read_only[4096];
    rig_state_t want;
    uint64_t random;
} rig_t;

static inline uint32_t rig_random(rig_t *r)
{
    r->random = r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(r->random >> 32);
}

static const char *const rig_cores[] = {"base", "avx2", "avx512"};
enum { RIG_CORES = sizeof rig_cores / sizeof rig_cores[0] };

/* NULL: with the first core that is built and that this machine can run. */
static inline rig_t *rig_create(const char *core)
{
    const isa_core_t *c = core ? isa_core_by_name(core) : NULL;
    for (size_t i = 0; !core && !c && i < RIG_CORES; i++)
        c = isa_core_by_name(rig_cores[i]);
    if (!c) return NULL;
    rig_t *r = aligned_alloc(4096, (sizeof *r + 4095) / 4096 * 4096);
    memset(r, 0, sizeof *r);
    r->core = c;
    r->random = 1;
    r->memory = sg_memory_create();
    /* the host addresses of the two extents are not adjacent */
    assert_int_equal(sg_memory_map(r->memory, RIG_VA, RIG_EXTENT, r->low, SG_MEM_WRITABLE), 0);
    assert_int_equal(
        sg_memory_map(r->memory, RIG_VA + RIG_EXTENT, RIG_EXTENT, r->high, SG_MEM_WRITABLE), 0);
    assert_int_equal(sg_memory_map(r->memory, RIG_READ_ONLY, 4096, r->read_only, 0), 0);
    assert_int_equal(
        sg_memory_map(r->memory, RIG_FINE, RIG_EXTENT, r->low, SG_MEM_WRITABLE | SG_MEM_COHERENT),
        0);
    r->dispatch = (isa_dispatch_t){.arch = ASM_ARCH,
                                   .memory = r->memory,
                                   .shared_base = RIG_SHARED,
                                   .private_base = RIG_PRIVATE,
                                   .acc_offset = RIG_ACC,
                                   .n_vgpr = 128};
    r->group =
        (isa_group_t){.dispatch = &r->dispatch, .lds = r->lds, .lds_bytes = RIG_LDS, .n_waves = 1};
    r->wave.group = &r->group;
    r->wave.vgpr = r->rows;
    r->wave.acc_offset = RIG_ACC;
    r->wave.mode = 0xf0; /* keep denormals, round to nearest even */
    return r;
}

static inline void rig_destroy(rig_t *r)
{
    if (!r) return;
    sg_memory_destroy(r->memory);
    free(r);
}

/* Random memory and registers; the model starts from the same. */
static inline void rig_fill(rig_t *r)
{
    for (unsigned k = 0; k < RIG_MEM; k++)
        r->want.mem[k] = (uint8_t)rig_random(r);
    for (unsigned k = 0; k < RIG_LDS; k++)
        r->want.lds[k] = (uint8_t)rig_random(r);
    for (unsigned n = 0; n < RIG_ROWS; n++)
        for (unsigned l = 0; l < 64; l++) {
            r->want.v[n][l] = rig_random(r);
            r->want.a[n][l] = rig_random(r);
        }
}

static inline void rig_load(rig_t *r)
{
    memcpy(r->low, r->want.mem, RIG_EXTENT);
    memcpy(r->high, r->want.mem + RIG_EXTENT, RIG_EXTENT);
    memcpy(r->lds, r->want.lds, RIG_LDS);
    memcpy(r->rows, r->want.v, sizeof r->want.v);
    memcpy(r->rows + RIG_ACC, r->want.a, sizeof r->want.a);
}

static inline void rig_compare_rows(const uint32_t (*want)[64], const isa_row_t *have, char bank,
                                    const char *text)
{
    for (unsigned n = 0; n < RIG_ROWS; n++)
        for (unsigned l = 0; l < 64; l++)
            if (want[n][l] != have[n][l])
                fail_msg("%s: %c%u lane %u is 0x%08x, not 0x%08x", text, bank, n, l, have[n][l],
                         want[n][l]);
}

static inline void rig_compare_bytes(const uint8_t *want, const uint8_t *have, unsigned n,
                                     const char *what, const char *text)
{
    for (unsigned k = 0; k < n; k++)
        if (want[k] != have[k])
            fail_msg("%s: %s byte 0x%x is 0x%02x, not 0x%02x", text, what, k, have[k], want[k]);
}

/* The state after the instruction against the model's. */
static inline void rig_compare(rig_t *r, const char *text)
{
    if (r->wave.stop)
        fail_msg("%s: stopped for %u at 0x%llx: %s", text, r->wave.stop,
                 (unsigned long long)r->wave.fault_addr, r->wave.message);
    if (memcmp(r->want.v, r->rows, sizeof r->want.v))
        rig_compare_rows(r->want.v, r->rows, 'v', text);
    if (memcmp(r->want.a, r->rows + RIG_ACC, sizeof r->want.a))
        rig_compare_rows(r->want.a, r->rows + RIG_ACC, 'a', text);
    rig_compare_bytes(r->want.mem, r->low, RIG_EXTENT, "memory", text);
    rig_compare_bytes(r->want.mem + RIG_EXTENT, r->high, RIG_EXTENT, "upper memory", text);
    rig_compare_bytes(r->want.lds, r->lds, RIG_LDS, "LDS", text);
}

/* Runs one decoded instruction. */
static inline void rig_run(rig_t *r, const isa_inst_t *i, const char *text)
{
    isa_handler_t *fn = r->core->handlers[i->op];
    if (!fn)
        fail_msg("%s: %s has no handler in core %s", text, isa_table[i->op].mnemonic,
                 r->core->name);
    r->wave.stop = ISA_RUN;
    fn(&r->wave, i);
}

/* ---- many instructions from one run of the assembler ---- */

typedef struct {
    char *text; /* lines */
    size_t used, room;
    isa_inst_t *inst;
    char **line; /* text of each instruction */
    unsigned n;
} rig_program_t;

static inline void rig_add(rig_program_t *p, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (p->used + (size_t)n + 2 > p->room) {
        p->room = 2 * p->room + 4096;
        p->text = realloc(p->text, p->room);
    }
    memcpy(p->text + p->used, line, (size_t)n);
    p->used += (size_t)n;
    p->text[p->used++] = '\n';
    p->text[p->used] = 0;
    p->line = realloc(p->line, (p->n + 1) * sizeof *p->line);
    p->line[p->n++] = strdup(line);
}

static inline void rig_assemble(rig_program_t *p)
{
    uint32_t *words = NULL;
    const size_t n = asm_words(p->text, &words);
    size_t at = 0;
    assert_true(n > 0);
    p->inst = calloc(p->n, sizeof *p->inst);
    for (unsigned k = 0; k < p->n; k++) {
        const int size = isa_decode(ASM_ARCH, words + at, (unsigned)(n - at), &p->inst[k]);
        if (size <= 0) fail_msg("%s does not decode", p->line[k]);
        at += (size_t)size;
    }
    assert_int_equal(at, n);
    free(words);
}

static inline void rig_free(rig_program_t *p)
{
    for (unsigned k = 0; k < p->n; k++)
        free(p->line[k]);
    free(p->line);
    free(p->text);
    free(p->inst);
    memset(p, 0, sizeof *p);
}

/* Teardown of a test whose setup left its program in *state. */
static inline int rig_release(void **state)
{
    rig_free(*state);
    return 0;
}

static bool rig_met[ISA_OP_COUNT]; /* by rig_every and rig_run_text */

/* Whether instruction and model agree on a rig, in every way that the test asks for. */
typedef void rig_check_t(rig_t *r, const void *test, const isa_inst_t *i, const char *text);

/* Every instruction of the program, with its element of `tests`, on every core. */
static inline void rig_every(const rig_program_t *p, const void *tests, size_t size,
                             rig_check_t *check)
{
    for (unsigned c = 0; c < RIG_CORES; c++) {
        rig_t *r = rig_create(rig_cores[c]);
        for (unsigned k = 0; r && k < p->n; k++) {
            check(r, (const char *)tests + k * size, &p->inst[k], p->line[k]);
            rig_met[p->inst[k].op] = true;
        }
        rig_destroy(r);
    }
}

/* Runs `text` on a filled rig; the caller has changed r->want before and compares after. */
static inline void rig_run_text(rig_t *r, const char *text)
{
    rig_program_t p = {0};
    rig_add(&p, "%s", text);
    rig_assemble(&p);
    rig_met[p.inst->op] = true;
    rig_load(r);
    rig_run(r, p.inst, text);
    rig_free(&p);
}

/* Every instruction of these formats that the rig's GPU has must have been met. */
static inline void rig_check_coverage(unsigned formats)
{
    unsigned missing = 0;
    for (unsigned fmt = 0; fmt < ISA_FMT_COUNT; fmt++)
        for (unsigned code = 0; formats >> fmt & 1 && code < ISA_OPCODES; code++) {
            const unsigned op = isa_op_by_code(ASM_ARCH, (isa_fmt_t)fmt, code);
            if (op == ISA_OP_NONE || rig_met[op]) continue;
            fprintf(stderr, "not tested: %s\n", isa_table[op].mnemonic);
            missing++;
        }
    assert_int_equal(missing, 0);
}

/* ---- the model ---- */

/* Expected bytes behind byte k of lane l's element: NULL where the access is out of range. */
typedef uint8_t *rig_place_t(rig_t *r, const void *how, unsigned l, unsigned k);

typedef struct {
    const char *name; /* suffix of the mnemonic */
    char kind;        /* L load, S store, A atomic */
    unsigned bytes;   /* in memory */
    enum { ZERO, SIGN } extend;
    unsigned shift; /* half of the register: 0 or 16 */
    bool half;      /* 16-bit destination */
    uint64_t (*op)(uint64_t old, uint64_t d0, uint64_t d1);
} rig_access_t;

static inline unsigned rig_rows(const rig_access_t *x)
{
    return (x->bytes + 3) / 4;
}

static inline uint64_t rig_get(rig_t *r, rig_place_t *place, const void *how, unsigned l,
                               unsigned from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned k = 0; k < bytes; k++) {
        const uint8_t *p = place(r, how, l, from + k);
        value |= (uint64_t)(p ? *p : 0) << 8 * k;
    }
    return value;
}

static inline void rig_put(rig_t *r, rig_place_t *place, const void *how, unsigned l, unsigned from,
                           unsigned bytes, uint64_t value)
{
    for (unsigned k = 0; k < bytes; k++) {
        uint8_t *p = place(r, how, l, from + k);
        if (p) *p = (uint8_t)(value >> 8 * k);
    }
}

static inline uint32_t rig_widen(const rig_access_t *x, uint32_t raw)
{
    if (x->extend == SIGN)
        raw = (uint32_t)((int32_t)(raw << (32 - 8 * x->bytes)) >> (32 - 8 * x->bytes));
    if (x->half) raw = (raw & 0xffff) << x->shift;
    return raw;
}

/* What the access does to the expected state. `data` and `dst` are first rows in `bank`; dst < 0:
 * nothing is returned. Atomics take the operand for `op` as the encoding lays it out. */
static inline void rig_model(rig_t *r, const rig_access_t *x, uint64_t exec, rig_place_t *place,
                             const void *how, uint32_t (*bank)[64], int data, int dst)
{
    for (unsigned l = 0; l < 64; l++) {
        if (!(exec >> l & 1)) continue;
        if (x->kind == 'L') {
            uint32_t got[4];
            for (unsigned k = 0; 4 * k < x->bytes; k++) {
                const unsigned part = x->bytes - 4 * k < 4 ? x->bytes - 4 * k : 4;
                got[k] = (uint32_t)rig_get(r, place, how, l, 4 * k, part);
            }
            if (x->bytes < 4) got[0] = rig_widen(x, got[0]);
            for (unsigned k = 0; k < rig_rows(x); k++)
                bank[dst + (int)k][l] = got[k];
        } else if (x->kind == 'S') {
            for (unsigned k = 0; k < x->bytes; k++)
                rig_put(r, place, how, l, k, 1,
                        bank[data + (int)(k / 4)][l] >> (8 * (k % 4) + x->shift));
        } else {
            uint64_t d[2];
            for (unsigned n = 0; n < 2; n++) {
                const unsigned row = (unsigned)data + n * rig_rows(x);
                d[n] = bank[row][l];
                if (x->bytes == 8) d[n] |= (uint64_t)bank[row + 1][l] << 32;
            }
            const uint64_t old = rig_get(r, place, how, l, 0, x->bytes);
            rig_put(r, place, how, l, 0, x->bytes, x->op(old, d[0], d[1]));
            for (unsigned k = 0; dst >= 0 && k < rig_rows(x); k++)
                bank[dst + (int)k][l] = (uint32_t)(old >> 32 * k);
        }
    }
}

/* "v[4:7]", "a4": n registers from `first`, in 16 characters at most. */
static inline const char *rig_regs(char *buf, char bank, unsigned first, unsigned n)
{
    if (n == 1)
        snprintf(buf, 16, "%c%u", bank, first);
    else
        snprintf(buf, 16, "%c[%u:%u]", bank, first & 255, (first + n - 1) & 255);
    return buf;
}

#endif
