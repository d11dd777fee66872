/* race_rows.c - words of the race check's shadow four at a time and one by one: with the same
 * random accesses both find the same races and leave the same words. Of two conflicting accesses
 * at the same moment one is found, unless both store one value. And bytes of a dword that several
 * workgroups write are known each by its own writer.
 *
 * The shadow of memory is static in race_global.c, which is therefore included here. */
#include "softgpu/check/race_global.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    GROUPS = 3, /* workgroups; the first is all of an earlier dispatch */
    WAVES = 2,
    STEPS = 100,
    PLAYS = 80,
    FOUND_MAX = 256,
    REGION = 8 << 10, /* half of it in one chunk, half in the next */
    LDS = 4 << 10
};

static const uint64_t va_base = (UINT64_C(9) << CHUNK_SHIFT) - REGION / 2;

typedef struct {
    unsigned step;
    chk_kind_t kind;
    race_access_t race;
} found_t;

/* What a play leaves behind; its words have owners from 0 on. */
typedef struct {
    found_t found[FOUND_MAX];
    unsigned n_found;
    uint64_t word[3 + PARTS][REGION / 4];
    struct {
        race_clock_t clock;
        uint64_t word[4][LDS / 4];
        uint32_t second_time;
    } group[GROUPS];
} outcome_t;

static struct {
    sg_memory_t *memory;
    uint8_t *host, lds[LDS];
    isa_dispatch_t dispatch;
    race_state_t state[GROUPS];
    isa_group_t group[GROUPS];
    isa_wave_t wave[GROUPS][WAVES];
    _Alignas(64) isa_row_t rows[4]; /* what a store stores */
    unsigned step;
    outcome_t *outcome; /* NULL: lanes are kept alone */
    uint64_t seed;
} t;

static _Thread_local uint64_t found_lanes;

void __wrap_race_report(const chk_group_t *g, chk_kind_t kind, const race_access_t *a,
                        uint32_t bytes, const char *more);
void __wrap_race_report(const chk_group_t *g, chk_kind_t kind, const race_access_t *a,
                        uint32_t bytes, const char *more)
{
    (void)g;
    (void)bytes;
    (void)more;
    found_lanes |= a->lanes;
    if (!t.outcome) return;
    assert_true(t.outcome->n_found < FOUND_MAX);
    t.outcome->found[t.outcome->n_found++] = (found_t){t.step, kind, *a};
}

static uint32_t any(uint32_t n)
{
    t.seed ^= t.seed << 13;
    t.seed ^= t.seed >> 7;
    t.seed ^= t.seed << 17;
    return (uint32_t)(t.seed >> 32) % n;
}

static uint64_t any_lanes(void)
{
    const uint64_t some = (uint64_t)any(UINT32_MAX) << 32 | any(UINT32_MAX);
    switch (any(4)) {
    case 0: return some | 1;
    case 1: return ~UINT64_C(0) >> any(64);
    case 2: return UINT64_C(1) << any(64);
    default: return ~UINT64_C(0);
    }
}

/* Addresses from `base` on, within so many bytes or a little beyond. */
static sgc_lanes_t any_access(uint64_t base, uint32_t room)
{
    static const uint8_t steps[] = {4, 4, 4, 8, 8, 16, 16, 0, 12, 64},
                         sizes[] = {4, 4, 4, 4, 8, 8, 12, 16, 1, 2};
    sgc_lanes_t a = {.bytes = sizes[any(sizeof sizes)],
                     .dword_step = 4,
                     .step = steps[any(sizeof steps)],
                     .even = true};
    const bool scattered = any(8) == 0;
    const uint32_t width = a.step * ISA_LANES;
    const uint32_t last = room > width ? room - width : 0;
    /* often the first or the last place, so that many meet */
    const uint32_t place = any(3) ? any(2) * last : any(room);
    a.va[0] = base + (place & ~3u) + (any(8) ? 0 : any(4));
    a.exec = any(3) ? ~UINT64_C(0) : any_lanes();
    if (a.exec == ~UINT64_C(0) && !scattered) return a;
    sgc_lanes_spread(&a);
    for (unsigned lane = 0; scattered && lane < ISA_LANES; lane++)
        a.va[lane] = base + 4 * any(room / 4);
    return a;
}

static void any_instruction(unsigned group, unsigned wave)
{
    static const race_site_t loads[] = {{.id = 1},
                                        {.id = 2},
                                        {.id = 3, .atomic = true},
                                        {.id = 4, .atomic = true, .waits = true},
                                        {.id = 5, .tries = true}},
                             stores[] = {{.id = 6}, {.id = 7}},
                             atomics[] = {{.id = 8, .rmw = true, .atomic = true},
                                          {.id = 9, .rmw = true, .atomic = true, .waits = true}};
    static const uint8_t kinds[] = {RACE_LOAD, RACE_LOAD,  RACE_LOAD,  RACE_LOAD, RACE_LOAD,
                                    RACE_LOAD, RACE_STORE, RACE_STORE, RACE_RMW};
    const race_kind_t kind = (race_kind_t)kinds[any(sizeof kinds)];
    const race_site_t *site = kind == RACE_LOAD    ? &loads[any(5)]
                              : kind == RACE_STORE ? &stores[any(2)]
                                                   : &atomics[any(2)];
    const isa_inst_t i = {.src[1] = {.kind = ISA_OPK_VGPR}, .flags = any(2) ? ISA_F_GLC : 0};
    race_state_t *s = &t.state[group];
    isa_wave_t *w = &t.wave[group][wave];
    for (unsigned r = 0; r < 4; r++)
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            t.rows[r][lane] = any(16) == 0;
    if (any(2)) {
        sgc_lanes_t a = any_access(0, LDS);
        race_lds(NULL, s, w, &i, site, kind, &a, 0);
    } else {
        sgc_lanes_t a = any_access(va_base, REGION);
        race_global(NULL, s, w, &i, site, kind, &a);
        race_step(s);
        if (s->meets) race_global_synchronise(s, w, &a);
    }
}

static void any_step(void)
{
    const unsigned group = any(GROUPS), wave = any(WAVES);
    race_state_t *s = &t.state[group];
    switch (any(24)) {
    case 0: race_clock_barrier(&s->clock); break;
    case 1: race_clock_wait(&s->clock, wave); break;
    default: any_instruction(group, wave);
    }
}

static void begin_group(unsigned k, uint64_t serial, uint64_t group)
{
    race_state_t *s = &t.state[k];
    memset(s, 0, sizeof *s);
    race_clock_begin(&s->clock, WAVES);
    race_run_enter(s, serial, group);
    t.group[k] =
        (isa_group_t){.dispatch = &t.dispatch, .lds = t.lds, .lds_bytes = LDS, .n_waves = WAVES};
    for (unsigned w = 0; w < WAVES; w++)
        t.wave[k][w] = (isa_wave_t){.vgpr = t.rows, .index_in_group = w, .group = &t.group[k]};
}

static uint64_t renumbered(uint64_t word, uint32_t first)
{
    return word ? word - ((uint64_t)first << RACE_OWNER_SHIFT) : 0;
}

static void keep_outcome(uint32_t first)
{
    outcome_t *o = t.outcome;
    for (unsigned k = 0; k < o->n_found; k++) {
        race_access_t *a = &o->found[k].race;
        if (o->found[k].kind != CHK_KIND_RACE_GLOBAL) continue;
        a->word = renumbered(a->word, first);
        a->other = renumbered(a->other, first);
    }
    for (unsigned k = 0; k < REGION / 4; k++) {
        const uint64_t va = va_base + 4 * k;
        chunk_t *c = chunk_of(va);
        const size_t d = va / 4 % CHUNK_DWORDS;
        o->word[0][k] = renumbered(get(&c->write[d]), first);
        o->word[1][k] = renumbered(get(&c->read[d]), first);
        if (get(&c->read[d]) & RACE_EXTRA) o->word[2][k] = renumbered(get(&c->second[d]), first);
        uint64_t parts[PARTS];
        load_parts(c, d, parts, get(&c->write[d]));
        for (unsigned p = 0; p < PARTS; p++)
            o->word[3 + p][k] = renumbered(parts[p], first);
    }
    for (unsigned k = 0; k < GROUPS; k++) {
        const race_state_t *s = &t.state[k];
        o->group[k].clock = s->clock;
        o->group[k].second_time = s->second_time;
        memcpy(o->group[k].word[0], s->lds.write, sizeof o->group[k].word[0]);
        memcpy(o->group[k].word[1], s->lds.read, sizeof o->group[k].word[1]);
        memcpy(o->group[k].word[2], s->second.write, sizeof o->group[k].word[2]);
        memcpy(o->group[k].word[3], s->second.read, sizeof o->group[k].word[3]);
    }
}

/* How a play begins: bits. */
enum {
    GAP = 1,     /* not all of the earlier dispatch, */
    UNKNOWN = 2, /* nothing of it is known to be before the other */
    LATE = 4     /* times are about to be used up */
};

static void play(uint64_t seed, bool rows, unsigned how, outcome_t *o)
{
    static uint64_t serial = 100;
    const chk_dispatch_t earlier = {.serial = ++serial, .groups = 1, .grid = {1, 1, 1}};
    const chk_dispatch_t d = {.serial = ++serial, .groups = GROUPS - 1, .grid = {GROUPS - 1, 1, 1}};
    memset(o, 0, sizeof *o);
    t.outcome = o;
    t.seed = seed;
    race_rows = rows;
    race_global_made(va_base, 2 * REGION); /* the last elements may reach beyond it */
    race_run_begin(&earlier);
    race_run_begin(&d);
    begin_group(0, earlier.serial, 0);
    const uint32_t first = t.state[0].owner;
    for (unsigned k = 1; k < GROUPS; k++) {
        begin_group(k, d.serial, k - 1);
        if (how & GAP) {
            t.state[k].floor = first - 1;
            t.state[k].before = first + (how & UNKNOWN ? 1 : 0);
            t.state[k].n_before = how & UNKNOWN ? 0 : 1;
        }
        if (how & LATE) t.state[k].clock.begin -= RACE_TIME_MAX - 3;
    }
    for (t.step = 0; t.step < STEPS; t.step++)
        any_step();
    keep_outcome(first);
    race_run_end(&earlier);
    race_run_end(&d);
}

static void assert_same(const outcome_t *a, const outcome_t *b)
{
    assert_int_equal(a->n_found, b->n_found);
    for (unsigned k = 0; k < a->n_found; k++) {
        const race_access_t *x = &a->found[k].race, *y = &b->found[k].race;
        assert_int_equal(a->found[k].step, b->found[k].step);
        assert_int_equal(a->found[k].kind, b->found[k].kind);
        assert_int_equal(x->kind, y->kind);
        assert_int_equal(x->word, y->word);
        assert_int_equal(x->lanes, y->lanes);
        assert_int_equal(x->va, y->va);
        assert_int_equal(x->other, y->other);
        assert_int_equal(x->other_is_read, y->other_is_read);
    }
    assert_memory_equal(a->word, b->word, sizeof a->word);
    assert_memory_equal(a->group, b->group, sizeof a->group);
}

static void test_same_outcome(void **unused)
{
    static outcome_t one_by_one, four;
    unsigned memory = 0, lds = 0;
    (void)unused;
    for (unsigned k = 0; k < PLAYS; k++) {
        const uint64_t seed = UINT64_C(0x9e3779b97f4a7c15) * (k + 1);
        play(seed, false, k, &one_by_one);
        play(seed, true, k, &four);
        for (unsigned n = 0; n < four.n_found; n++)
            *(four.found[n].kind == CHK_KIND_RACE_GLOBAL ? &memory : &lds) += 1;
        assert_same(&one_by_one, &four);
    }
    assert_true(memory > PLAYS);
    assert_true(lds > PLAYS);
}

/* ---- at the same moment ---- */

enum { ROUNDS = 500 };

typedef struct {
    race_kind_t kind[2]; /* of one and of the other */
    bool rows;
    uint32_t bytes;
    uint8_t step, off;
} meeting_t;

static struct {
    const meeting_t *meeting;
    _Atomic unsigned there; /* threads that have come to a round, of all rounds */
    _Atomic uint64_t found[ROUNDS];
} at;

/* Comes to where both have to be before they go on, as nearly at once as can be. */
static void come(unsigned n)
{
    atomic_fetch_add(&at.there, 1);
    for (unsigned k = 1; atomic_load(&at.there) < n; k++)
        if (k % 4096 == 0) sched_yield();
}

static void *accesses(void *which)
{
    static const race_site_t site = {.id = 1};
    const unsigned k = *(const unsigned *)which;
    const uint64_t chunk = va_base >> CHUNK_SHIFT << CHUNK_SHIFT;
    const isa_inst_t i = {.src[1] = {.kind = ISA_OPK_VGPR}};
    for (unsigned round = 0; round < ROUNDS; round++) {
        sgc_lanes_t a = {.bytes = at.meeting->bytes,
                         .dword_step = 4,
                         .step = at.meeting->step,
                         .even = true,
                         .exec = ~UINT64_C(0)};
        a.va[0] = va_base + round % 8 * 132 + at.meeting->off; /* also from one block to the next */
        found_lanes = 0;
        if (k == 0) race_global_made(chunk, 1 << CHUNK_SHIFT); /* its first pages come and go */
        come(4 * round + 2);
        race_global(NULL, &t.state[k + 1], &t.wave[k + 1][0], &i, &site, at.meeting->kind[k], &a);
        race_step(&t.state[k + 1]);
        atomic_fetch_or(&at.found[round], found_lanes);
        come(4 * round + 4);
    }
    return NULL;
}

static void test_one_sees_the_other(void **unused)
{
    static const meeting_t meetings[] = {
        {{RACE_STORE, RACE_LOAD}, true, 4, 4, 0},   {{RACE_STORE, RACE_STORE}, true, 4, 4, 0},
        {{RACE_STORE, RACE_LOAD}, false, 4, 4, 0},  {{RACE_STORE, RACE_STORE}, false, 4, 4, 0},
        {{RACE_STORE, RACE_LOAD}, false, 8, 12, 0}, {{RACE_STORE, RACE_LOAD}, false, 2, 4, 1}};
    static const unsigned which[] = {0, 1};
    (void)unused;
    t.outcome = NULL;
    for (unsigned r = 0; r < 4; r++)
        for (unsigned lane = 0; lane < ISA_LANES; lane++)
            t.rows[r][lane] = 0x01010101; /* not what is there */
    for (unsigned m = 0; m < sizeof meetings / sizeof *meetings; m++) {
        const chk_dispatch_t d = {.serial = m + 1, .groups = 2, .grid = {2, 1, 1}};
        pthread_t other;
        at.meeting = &meetings[m];
        atomic_store(&at.there, 0);
        race_rows = at.meeting->rows;
        race_run_begin(&d);
        for (unsigned k = 0; k < 2; k++)
            begin_group(k + 1, d.serial, k);
        memset(at.found, 0, sizeof at.found);
        assert_int_equal(pthread_create(&other, NULL, accesses, (void *)&which[1]), 0);
        accesses((void *)&which[0]);
        pthread_join(other, NULL);
        for (unsigned round = 0; round < ROUNDS; round++)
            assert_int_equal(at.found[round], ~UINT64_C(0));
        race_run_end(&d);
    }
}

/* ---- stores of one value ---- */

static uint32_t *late; /* what a store is about to change, NULL: nothing */

int __real_sched_yield(void);
int __wrap_sched_yield(void);
int __wrap_sched_yield(void)
{
    if (late) *late = t.rows[0][0];
    return __real_sched_yield();
}

static void store(unsigned group)
{
    static const race_site_t site = {.id = 2};
    const isa_inst_t i = {.src[1] = {.kind = ISA_OPK_VGPR}};
    sgc_lanes_t a = {.bytes = 4, .dword_step = 4, .exec = 1, .va[0] = va_base};
    race_global(NULL, &t.state[group], &t.wave[group][0], &i, &site, RACE_STORE, &a);
}

static void test_one_value(void **unused)
{
    const chk_dispatch_t d = {.serial = 1000, .groups = 2, .grid = {2, 1, 1}};
    uint32_t *host = (uint32_t *)(void *)t.host;
    (void)unused;
    t.outcome = NULL;
    t.rows[0][0] = 7;
    for (unsigned comes = 0; comes < 2; comes++) {
        race_global_made(va_base, REGION);
        race_run_begin(&d);
        for (unsigned k = 0; k < 2; k++)
            begin_group(k, d.serial, k);
        *host = 0;
        found_lanes = 0;
        late = comes ? host : NULL;
        store(0);
        if (!comes) race_step(&t.state[0]);
        store(1);
        assert_int_equal(found_lanes, !comes);
        race_run_end(&d);
    }
    late = NULL;
}

/* ---- bytes of one dword ---- */

/* An access of the group's first wave, by its first lane, or by all lanes to adjacent dwords.
 * Returns the lanes that are in a race. */
static uint64_t access(unsigned group, race_kind_t kind, uint64_t va, uint32_t bytes, uint64_t exec)
{
    static const race_site_t sites[] = {{.id = 1}, {.id = 2, .atomic = true}};
    const isa_inst_t i = {.src[1] = {.kind = ISA_OPK_VGPR}};
    race_state_t *s = &t.state[group];
    const bool flag = kind == RACE_LOAD && bytes == 1;
    sgc_lanes_t a = {.bytes = bytes,
                     .dword_step = 4,
                     .step = 4,
                     .even = exec == ~UINT64_C(0),
                     .exec = exec,
                     .va[0] = va};
    found_lanes = 0;
    race_global(NULL, s, &t.wave[group][0], &i, &sites[flag], kind, &a);
    race_step(s);
    if (s->meets) race_global_synchronise(s, &t.wave[group][0], &a);
    return found_lanes;
}

static chk_dispatch_t three_groups(void)
{
    static uint64_t serial = 2000;
    const chk_dispatch_t d = {.serial = ++serial, .groups = 3, .grid = {3, 1, 1}};
    t.outcome = NULL;
    t.rows[0][0] = 0x01010101; /* not what is there */
    memset(t.host, 0, REGION);
    race_global_made(va_base, REGION);
    race_run_begin(&d);
    for (unsigned k = 0; k < 3; k++)
        begin_group(k, d.serial, k);
    return d;
}

/* Two workgroups each store a value, wait, and set a flag of one byte; the flags are in one dword.
 * Another reads the flag that was set first, or none, and then the value. */
static void test_flags_of_bytes(void **unused)
{
    const uint64_t values = va_base + 64, flags = va_base;
    (void)unused;
    for (unsigned looks = 0; looks < 2; looks++) {
        const chk_dispatch_t d = three_groups();
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(access(k, RACE_STORE, values + 4 * k, 4, 1), 0);
            race_clock_wait(&t.state[k].clock, 0);
            assert_int_equal(access(k, RACE_STORE, flags + k, 1, 1), 0);
        }
        if (looks) assert_int_equal(access(2, RACE_LOAD, flags, 1, 1), 0);
        assert_int_equal(access(2, RACE_LOAD, values, 4, 1), !looks);
        race_run_end(&d);
    }
}

/* A byte's writer is known after another workgroup has written beside it. */
static void test_writers_of_bytes(void **unused)
{
    (void)unused;
    for (unsigned rows = 0; rows < 2; rows++) {
        const chk_dispatch_t d = three_groups();
        race_rows = rows;
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal(access(k, RACE_STORE, va_base + k, 1, 1), 0);
        assert_int_equal(access(1, RACE_STORE, va_base + 3, 1, 1), 0);
        assert_int_equal(access(2, RACE_STORE, va_base, 1, 1), 1);
        assert_int_equal(access(2, RACE_STORE, va_base + 1, 1, 1), 1);
        assert_int_equal(access(2, RACE_STORE, va_base + 2, 1, 1), 0);
        /* but for one byte of group 1, all are group 2's; then all */
        assert_int_equal(access(2, RACE_LOAD, va_base, 4, ~UINT64_C(0)), 1);
        race_clock_wait(&t.state[2].clock, 0);
        assert_int_equal(access(2, RACE_STORE, va_base + 3, 1, 1), 1);
        assert_int_equal(access(2, RACE_LOAD, va_base, 4, ~UINT64_C(0)), 0);
        race_run_end(&d);
    }
}

static int set_up(void **unused)
{
    (void)unused;
    sgc_ops();
    t.dispatch.arch = &isa_archs[ISA_ARCH_gfx90a];
    t.memory = t.dispatch.memory = sg_memory_create();
    t.host = map(REGION);
    return !t.memory || !t.host ||
           sg_memory_map(t.memory, va_base, REGION, t.host, SG_MEM_WRITABLE) != 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    sg_memory_destroy(t.memory);
    munmap(t.host, REGION);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_outcome), cmocka_unit_test(test_one_sees_the_other),
        cmocka_unit_test(test_one_value), cmocka_unit_test(test_flags_of_bytes),
        cmocka_unit_test(test_writers_of_bytes)};
    if (!__builtin_cpu_supports("avx2")) return 0;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
