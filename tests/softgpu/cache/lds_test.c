/* lds_test.c - clocks and conflicts of LDS instructions, for known strides.
 *
 * 32 banks of 4 bytes; a phase has 32 lanes up to 4 bytes, 16 for 8, 8 for 16. A phase takes as
 * many clocks as its fullest bank has different dwords; all above one are conflicts. */
#include "rig.h"

/* v0 of lane l = from + l * step */
static void offsets(rig_t *r, uint32_t from, uint32_t step)
{
    for (unsigned l = 0; l < ISA_LANES; l++)
        r->rows[0][l] = from + l * step;
}

typedef struct {
    const char *text;
    uint32_t step; /* bytes between lanes */
    unsigned active, conflict;
} stride_t;

static const stride_t strides[] = {
    /* stride in dwords s: 32 lanes use 32 / gcd(s, 32) banks, gcd(s, 32) dwords in each */
    {"ds_read_b32 v2, v0", 4 * 1, 2, 0},
    {"ds_read_b32 v2, v0", 4 * 2, 4, 2},
    {"ds_read_b32 v2, v0", 4 * 4, 8, 6},
    {"ds_read_b32 v2, v0", 4 * 8, 16, 14},
    {"ds_read_b32 v2, v0", 4 * 16, 32, 30},
    {"ds_read_b32 v2, v0", 4 * 32, 64, 62},
    {"ds_read_b32 v2, v0", 4 * 33, 2, 0},
    {"ds_read_b32 v2, v0", 4 * 3, 2, 0},
    {"ds_read_b32 v2, v0", 0, 2, 0}, /* broadcast of one dword */
    {"ds_write_b32 v0, v2", 4 * 2, 4, 2},
    {"ds_read_u8 v2, v0", 1, 2, 0}, /* 4 lanes share a dword */
    {"ds_read_u16 v2, v0", 2, 2, 0},
    /* 4 phases of 16 lanes: 32 dwords on 32 banks */
    {"ds_read_b64 v[2:3], v0", 8, 4, 0},
    /* 16 bytes apart: dwords 4 l and 4 l + 1: lanes l and l + 8 meet: 2 in each used bank */
    {"ds_read_b64 v[2:3], v0", 16, 8, 4},
    {"ds_write_b64 v0, v[2:3]", 128, 64, 60},
    /* 8 phases of 8 lanes */
    {"ds_read_b128 v[2:5], v0", 16, 8, 0},
    {"ds_read_b128 v[2:5], v0", 32, 16, 8},
    {"ds_write_b128 v0, v[2:5]", 128, 64, 56},
    /* 8 lanes of 3 dwords: 24 dwords in a row */
    {"ds_read_b96 v[2:4], v0", 12, 8, 0},
    /* two reads of 4 bytes: 2 phases each; 8 bytes apart: 2 conflicts each */
    {"ds_read2_b32 v[2:3], v0 offset0:0 offset1:1", 8, 8, 4},
    {"ds_read2st64_b32 v[2:3], v0 offset0:0 offset1:1", 4, 4, 0},
    {"ds_read2_b64 v[2:5], v0 offset0:0 offset1:1", 16, 16, 8},
    {"ds_write2_b64 v0, v[2:3], v[4:5] offset0:0 offset1:16", 8, 8, 0},
    /* two exchanges of 4 bytes, 256 bytes apart: of the same banks, but one after the other */
    {"ds_wrxchg2st64_rtn_b32 v[2:3], v0, v4, v5 offset0:0 offset1:1", 4, 4, 0},
    {"ds_wrxchg2st64_rtn_b64 v[2:5], v0, v[6:7], v[8:9] offset0:0 offset1:1", 8, 8, 0},
};

static void counts_strides(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    for (size_t k = 0; k < sizeof strides / sizeof *strides; k++) {
        const stride_t *s = &strides[k];
        rig_reset(r);
        offsets(r, 0, s->step);
        rig_do(r, s->text);
        const uint64_t active = GET(r, SQ_LDS_IDX_ACTIVE), conflict = GET(r, SQ_LDS_BANK_CONFLICT);
        if (active != s->active || conflict != s->conflict)
            fail_msg("%s, %u bytes apart: %llu clocks, %llu conflicts, not %u, %u", s->text,
                     s->step, (unsigned long long)active, (unsigned long long)conflict, s->active,
                     s->conflict);
        assert_int_equal(r->cost.lds_issue, s->active);
        EXPECT(r, SQ_LDS_ADDR_CONFLICT, 0);
        EXPECT(r, TA_TOTAL_WAVEFRONTS, 0);
        rig_invariants(r);
    }
    rig_destroy(r);
}

/* The figures that AMD's own example measures on MI250: one work-item takes 2 clocks, and each one
 * more on the same bank adds a conflict. */
static void as_measured(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    offsets(r, 0, 128);
    for (unsigned lanes = 1; lanes <= 20; lanes++) {
        rig_reset(r);
        r->wave.exec = (UINT64_C(1) << lanes) - 1;
        rig_do(r, "ds_read_b32 v2, v0");
        EXPECT(r, SQ_LDS_IDX_ACTIVE, 2 + lanes - 1);
        EXPECT(r, SQ_LDS_BANK_CONFLICT, lanes - 1);
    }
    rig_destroy(r);
}

/* Atomics on one dword take turns; on dwords of one bank they conflict like reads. */
static void atomics(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    offsets(r, 0, 4);
    rig_do(r, "ds_add_u32 v0, v2");
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 2);
    EXPECT(r, SQ_LDS_ATOMIC_RETURN, 0);
    rig_do(r, "ds_add_rtn_u32 v3, v0, v2");
    EXPECT(r, SQ_LDS_ATOMIC_RETURN, 2);
    rig_reset(r);
    offsets(r, 0, 0);
    rig_do(r, "ds_add_u32 v0, v2"); /* 32 turns in each of 2 phases */
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 64);
    EXPECT(r, SQ_LDS_ADDR_CONFLICT, 62);
    EXPECT(r, SQ_LDS_BANK_CONFLICT, 0);
    rig_reset(r);
    offsets(r, 0, 128);
    rig_do(r, "ds_add_rtn_u32 v3, v0, v2");
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 64);
    EXPECT(r, SQ_LDS_ADDR_CONFLICT, 0);
    EXPECT(r, SQ_LDS_BANK_CONFLICT, 62);
    rig_reset(r);
    offsets(r, 0, 8);
    rig_do(r, "ds_add_rtn_u64 v[4:5], v0, v[2:3]");
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 4);
    EXPECT(r, SQ_LDS_ATOMIC_RETURN, 4);
    rig_destroy(r);
}

static void violations(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    r->group.lds_bytes = 128; /* 32 lanes fit */
    offsets(r, 0, 4);
    rig_do(r, "ds_read_b32 v2, v0");
    EXPECT(r, SQ_LDS_MEM_VIOLATIONS, 32);
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 2);
    r->wave.exec = 0xff; /* 8 lanes that fit */
    rig_do(r, "ds_read_b32 v2, v0");
    EXPECT(r, SQ_LDS_MEM_VIOLATIONS, 32);
    rig_destroy(r);
}

/* An unaligned flat access costs each phase a clock more; its dwords lie in two banks each. */
static void unaligned(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    for (unsigned l = 0; l < ISA_LANES; l++)
        rig_address(r, 0, l, RIG_SHARED + 2 + 4 * l);
    rig_do(r, "flat_load_dword v2, v[0:1]");
    /* 33 dwords of a phase: bank 0 has 2 */
    EXPECT(r, SQ_LDS_BANK_CONFLICT, 2);
    EXPECT(r, SQ_LDS_UNALIGNED_STALL, 2);
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 2 + 2 + 2);
    rig_destroy(r);
}

static void others(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_do(r, "ds_bpermute_b32 v2, v0, v1");
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 2);
    rig_do(r, "ds_append v2");
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 3);
    rig_do(r, "ds_read_addtid_b32 v2");
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 5);
    rig_do(r, "v_add_f32 v2, v0, v1");
    rig_do(r, "ds_nop");
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 5);
    assert_int_equal(r->cost.lds_issue, 0);
    rig_destroy(r);
}

/* ---- lanes anywhere, against the rule written once more ---- */

enum { LDS_BYTES = 4096, BANKS = 32, PATTERNS = 400, TURNS = 4 };

typedef struct {
    const char *text;
    uint32_t bytes, lanes; /* of an element; of a phase */
    bool atomic;
} access_t;

static const access_t accesses[] = {
    {"ds_read_u8 v2, v0", 1, 32, false},        {"ds_read_b32 v2, v0", 4, 32, false},
    {"ds_write_b64 v0, v[2:3]", 8, 16, false},  {"ds_read_b128 v[2:5], v0", 16, 8, false},
    {"ds_add_rtn_u32 v3, v0, v2", 4, 32, true}, {"ds_add_u64 v0, v[2:3]", 8, 16, true},
};

static bool inside(const rig_t *r, const access_t *x, unsigned l)
{
    return r->wave.exec >> l & 1 && r->rows[0][l] + (uint64_t)x->bytes <= LDS_BYTES;
}

/* Lanes of the phase that use the dword. */
static unsigned users(const rig_t *r, const access_t *x, unsigned first, uint32_t dword)
{
    unsigned n = 0;
    for (unsigned l = first; l < first + x->lanes; l++)
        n += inside(r, x, l) && r->rows[0][l] / 4 <= dword &&
             (r->rows[0][l] + x->bytes - 1) / 4 >= dword;
    return n;
}

static unsigned phase_clocks(const rig_t *r, const access_t *x, unsigned first)
{
    unsigned load[BANKS] = {0}, most = 1;
    for (uint32_t dword = 0; dword < LDS_BYTES / 4; dword++) {
        const unsigned n = users(r, x, first, dword);
        load[dword % BANKS] += x->atomic ? n : n > 0;
    }
    for (unsigned b = 0; b < BANKS; b++)
        if (load[b] > most) most = load[b];
    return most;
}

static void expect_rule(rig_t *r, const access_t *x)
{
    unsigned clocks = 0;
    for (unsigned first = 0; first < ISA_LANES; first += x->lanes)
        clocks += phase_clocks(r, x, first);
    rig_do(r, x->text);
    if (r->cost.lds_issue != clocks)
        fail_msg("%s, exec %llx, first lanes at %u, %u, %u: %u clocks, not %u", x->text,
                 (unsigned long long)r->wave.exec, r->rows[0][0], r->rows[0][1], r->rows[0][2],
                 r->cost.lds_issue, clocks);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Lanes at random, in small groups, or beyond LDS, elements aligned as the hardware wants them. */
static void random_lanes(rig_t *r, const access_t *x, uint32_t *seed)
{
    const uint32_t room = next_random(seed) % 8 ? LDS_BYTES / 2 : 2 * LDS_BYTES;
    const unsigned group = 1u << next_random(seed) % 4;
    uint32_t at = 0;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        if (l % group == 0) at = next_random(seed) % room / x->bytes * x->bytes;
        r->rows[0][l] = at;
    }
}

/* The same lanes again and again, moved as a whole, some of them switched off, one of them moved:
 * what is known of an access must not be taken for what another costs. */
static void lanes_anywhere(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    uint32_t seed = 1;
    r->group.lds_bytes = LDS_BYTES;
    for (unsigned n = 0; n < PATTERNS; n++) {
        const access_t *x = &accesses[n % (sizeof accesses / sizeof *accesses)];
        random_lanes(r, x, &seed);
        for (unsigned turn = 0; turn < TURNS; turn++) {
            const uint32_t by = next_random(&seed) % 600 / x->bytes * x->bytes;
            r->wave.exec = ~UINT64_C(0);
            expect_rule(r, x);
            for (unsigned l = 0; l < ISA_LANES; l++)
                r->rows[0][l] += turn % 2 ? by : -by;
            expect_rule(r, x);
            r->wave.exec = turn == 3 ? 0 : (uint64_t)next_random(&seed) << 24 ^ next_random(&seed);
            expect_rule(r, x);
            r->rows[0][next_random(&seed) % ISA_LANES] += x->bytes;
            expect_rule(r, x);
        }
    }
    rig_destroy(r);
}

int main(void)
{
    if (!asm_available()) return 77;
    const struct CMUnitTest tests[] = {RIG_TEST(counts_strides), RIG_TEST(as_measured),
                                       RIG_TEST(atomics),        RIG_TEST(violations),
                                       RIG_TEST(unaligned),      RIG_TEST(others),
                                       RIG_TEST(lanes_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
