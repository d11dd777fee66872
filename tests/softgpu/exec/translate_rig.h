/* translate_rig.h - two rigs that run the same code, one interpreted and one translated, from
 * random states, and the comparison of all that the code changes.
 *
 * For tests of the translator; what they run is theirs. `seed` and `hot` are variables of this
 * file: each program of tests has its own, so only one of the program's sources may include it. */
#ifndef TESTS_ISA_TRANSLATE_RIG_H
#define TESTS_ISA_TRANSLATE_RIG_H

#include "code_rig.h"

#include "softgpu/exec/code.h"
#include "softgpu/exec/translate.h"
#include "softgpu/exec/watch.h"

enum {
    COUNTER =
        98, /* the scalar register that counts a loop's rounds; SCC is kept in the one before */
    ROUNDS = 4
};

/* ---- random state ---- */

static uint64_t seed = 1;

static inline uint32_t random32(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) ^ (uint32_t)(seed >> 11);
}

/* Bits that are special as numbers of some type. */
static inline uint32_t random_bits(void)
{
    static const uint32_t special[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                       0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x7fa00001,
                                       0x00000001, 0x807fffff, 0x7ff00000, 0x7ff80000, 0x3ff00000,
                                       0xfff00001, 0x00007c00, 0x7e017c01, 0xffffffff, 0x7fffffff,
                                       31,         64,         0x4b800000, 0x00010001};
    const uint32_t r = random32();
    if (r % 4 == 0) return special[random32() % (sizeof special / sizeof *special)];
    return r % 4 == 1   ? random32() % 256
           : r % 4 == 2 ? 0x3f000000 + random32() % 0x1000000
                        : random32();
}

typedef struct {
    uint32_t row[64][64], sgpr[ISA_CODE_EXEC + 2], scc, mode;
    uint64_t exec;
} before_t;

static inline void make_state(before_t *b, bool full, uint32_t mode)
{
    for (unsigned r = 0; r < 64; r++)
        for (unsigned l = 0; l < 64; l++)
            b->row[r][l] = random_bits();
    for (unsigned s = 0; s < ISA_CODE_EXEC + 2; s++)
        b->sgpr[s] = random_bits();
    b->scc = random32() & 1;
    b->mode = mode;
    b->exec = full ? UINT64_MAX : random32() | (uint64_t)random32() << 32;
    b->sgpr[COUNTER] = ROUNDS;
    b->sgpr[COUNTER - 1] = 0;
}

/* The set of all lanes of the core's waves. */
static inline uint64_t lanes_of(const isa_core_t *core)
{
    return UINT64_MAX >> (64 - core->lanes);
}

static inline void set_state(rig_t *r, const before_t *b)
{
    r->wave = (isa_wave_t){.group = &r->group, .vgpr = r->rows, .acc_offset = 32};
    for (unsigned row = 0; row < ISA_VGPR_ROWS; row++)
        memcpy(r->rows[row], b->row[row % 64], sizeof r->rows[row]);
    memcpy(r->wave.sgpr, b->sgpr, sizeof b->sgpr);
    r->wave.scc = b->scc;
    r->wave.mode = b->mode;
    r->wave.exec = b->exec & lanes_of(r->core);
    if (r->core->lanes == 32) r->wave.sgpr[ISA_EXEC_HI_32] = (uint32_t)(b->exec >> 32);
}

/* ---- running both ways ---- */

static inline void assert_same(const rig_t *a, const rig_t *b, const char *what)
{
    const isa_wave_t *x = &a->wave, *y = &b->wave;
    for (unsigned r = 0; r < ISA_VGPR_ROWS; r++)
        for (unsigned l = 0; l < 64; l++)
            if (a->rows[r][l] != b->rows[r][l])
                fail_msg("%s: v%u lane %u: %08x interpreted, %08x translated", what, r, l,
                         a->rows[r][l], b->rows[r][l]);
    for (unsigned s = 0; s < ISA_SCALARS; s++)
        if (x->sgpr[s] != y->sgpr[s])
            fail_msg("%s: s%u: %08x interpreted, %08x translated", what, s, x->sgpr[s], y->sgpr[s]);
    if (x->scc != y->scc || x->mode != y->mode || x->stop != y->stop || x->budget != y->budget ||
        isa_wave_pc(x) != isa_wave_pc(y) || x->fault_addr != y->fault_addr ||
        x->repeats != y->repeats || x->lds_turn != y->lds_turn || strcmp(x->message, y->message))
        fail_msg("%s: SCC %u %u, MODE %x %x, stop %u %u, slice %d %d, at %llx %llx, %s %s", what,
                 x->scc, y->scc, x->mode, y->mode, x->stop, y->stop, (int)x->budget, (int)y->budget,
                 (unsigned long long)isa_wave_pc(x), (unsigned long long)isa_wave_pc(y), x->message,
                 y->message);
    assert_memory_equal(a->lds, b->lds, sizeof a->lds);
    assert_memory_equal(a->data, b->data, sizeof a->data);
}

typedef struct {
    rig_t *interpreted, *translated;
} pair_t;

static inline pair_t make_pair(const char *core)
{
    pair_t p = {rig_create(), rig_create()};
    p.interpreted->core = p.translated->core = isa_core_by_name(core);
    return p;
}

/* Makes the rig one of another GPU, whose waves have as many lanes as those of the core. */
static inline void set_gpu(rig_t *r, const isa_arch_t *arch, const isa_core_t *core)
{
    isa_code_destroy(r->cache);
    r->cache = isa_code_create(arch, r->memory);
    assert_non_null(r->cache);
    r->core = core;
    r->dispatch.arch = arch;
    r->dispatch.code = r->cache;
    r->dispatch.narrow = core->lanes == 32;
}

/* Assembles the program in both rigs. */
static inline void put_pair(pair_t *p, const char *text)
{
    rig_assemble(p->interpreted, 0, text);
    rig_assemble(p->translated, 0, text);
}

static inline void free_pair(pair_t *p)
{
    rig_destroy(p->interpreted);
    rig_destroy(p->translated);
}

/* Waves or branches that come to code, then it is translated. */
static unsigned hot = 1;

/* Whether run_pair() has instructions counted by buckets. */
static bool counted;

/* Operations of neighbouring numbers, which are often of one kind, are in different buckets. */
static inline const uint8_t *all_buckets(void)
{
    static uint8_t bucket[ISA_OP_COUNT];
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        bucket[op] = (uint8_t)(op * 7 % ISA_BUCKETS);
    return bucket;
}

static inline isa_stop_t run_slice(rig_t *r, int32_t slice, isa_counter_t *counter)
{
    isa_watch_t watch = {.counter = counter};
    return counted ? r->core->run_watched(&r->wave, slice, &watch) : r->core->run(&r->wave, slice);
}

static inline void assert_same_counts(const isa_counter_t *a, const isa_counter_t *b,
                                      const char *what)
{
    for (unsigned k = 0; k < 2 * ISA_BUCKETS; k++)
        if (a->runs[k] != b->runs[k] || a->lanes[k] != b->lanes[k])
            fail_msg("%s: bucket %u: %d runs, %d lanes interpreted, %d, %d translated", what, k,
                     (int)a->runs[k], (int)a->lanes[k], (int)b->runs[k], (int)b->lanes[k]);
    if (a->flat_lds_only != b->flat_lds_only || a->buffer_returns != b->buffer_returns)
        fail_msg("%s: FLAT in LDS %d interpreted, %d translated, atomics that return %d, %d", what,
                 (int)a->flat_lds_only, (int)b->flat_lds_only, (int)a->buffer_returns,
                 (int)b->buffer_returns);
}

/* Runs the code of both rigs from one state, in slices of so many branches, and compares behind
 * each stop. Returns the counts, if any. */
static inline isa_counter_t run_pair(pair_t *p, const before_t *b, int32_t slice, const char *what)
{
    rig_t *const rig[2] = {p->interpreted, p->translated};
    isa_counter_t counter[2] = {{.bucket = all_buckets()}, {.bucket = all_buckets()}};
    for (unsigned k = 0; k < 2; k++) {
        isa_code_invalidate(rig[k]->cache);
        isa_code_quiesce(rig[k]->cache);
        set_state(rig[k], b);
        assert_true(rig[k]->core->set_pc(&rig[k]->wave, RIG_CODE));
    }
    for (unsigned stops = 0; stops < 1000; stops++) {
        isa_translate_setup(ISA_TRANSLATE_OFF, 1);
        const isa_stop_t stop = run_slice(rig[0], slice, &counter[0]);
        isa_translate_setup(ISA_TRANSLATE_ON, hot);
        run_slice(rig[1], slice, &counter[1]);
        assert_same(rig[0], rig[1], what);
        if (stops % 2) { /* what is settled later counts as well */
            isa_counter_settle(&counter[1]);
            assert_same_counts(&counter[0], &counter[1], what);
        }
        if (stop == ISA_STOP_YIELD || stop == ISA_STOP_BARRIER || stop == ISA_STOP_STEP) continue;
        isa_counter_settle(&counter[1]);
        assert_same_counts(&counter[0], &counter[1], what);
        return counter[1];
    }
    fail_msg("%s: no end", what);
    return counter[1];
}

static inline uint64_t translated_instructions(void)
{
    return isa_translate_stats().instructions;
}

/* Whether loops are translated; says so if not. */
static inline bool translates_here(void)
{
    static const char text[] = "again: s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n"
                               "s_cbranch_scc1 again\n s_endpgm\n";
    pair_t p = make_pair("avx2");
    if (p.translated->core) {
        before_t b;
        make_state(&b, true, 0x2f0);
        put_pair(&p, text);
        run_pair(&p, &b, RIG_SLICE, text);
    }
    free_pair(&p);
    if (translated_instructions()) return true;
    fprintf(stderr, "nothing is translated here: no library, or no LLVM\n");
    return false;
}

/* How many instructions of the text are calls in code for the core, and in code for others are not:
 * with AVX-512 loads of two elements from LDS. */
static inline unsigned calls_on(const isa_core_t *core, const char *text)
{
    unsigned n = 0;
    if (strcmp(core->name, "avx512")) return 0;
    for (const char *c = text; (c = strstr(c, "ds_read2")); c++)
        n++;
    return n;
}

/* Runs the wave, translated without calls of handlers, and counted, if `counted` is set; returns
 * how many instructions have run both ways. */
static inline uint64_t run_verified(rig_t *r, const before_t *b, const char *what)
{
    const uint64_t begin = isa_translate_stats().verified;
    isa_translate_setup(ISA_TRANSLATE_VERIFY, 1);
    set_state(r, b);
    assert_true(r->core->set_pc(&r->wave, RIG_CODE));
    isa_counter_t counter = {.bucket = all_buckets()};
    const isa_stop_t stop = run_slice(r, RIG_SLICE, &counter);
    if (stop != ISA_STOP_END) fail_msg("%s: stop %u, %s", what, stop, r->wave.message);
    return isa_translate_stats().verified - begin;
}

#endif
