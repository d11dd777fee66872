/* mem_later.c - memory instructions that no GPU of the gfx9 family has, and descriptors of buffers
 * as gfx10 and gfx11 have them.
 *
 * The words of a row are llvm-mc 15's for its text, which our disassembler has to give back. What
 * memory holds afterwards is worked out element by element, from AMD's manuals of RDNA 2 and
 * RDNA 3. Every core of waves of 64 lanes that is built is tested. */
#include "mem_rig.h"

#include "isa/isa.h"

#include <math.h>

typedef struct {
    const char *text;
    uint32_t words[2];
} test_t;

static isa_inst_t decoded_of(rig_t *r, const char *gpu, const test_t *t)
{
    char ours[128];
    isa_inst_t i = {.op = 0};
    r->dispatch.arch = isa_arch_named(gpu);
    assert_non_null(r->dispatch.arch);
    if (isa_decode_lanes(r->dispatch.arch, 64, t->words, 2, &i) <= 0)
        fail_msg("%s: no instruction", t->text);
    isa_disassemble(r->dispatch.arch, &i, ours, sizeof ours);
    assert_string_equal(ours, t->text);
    return i;
}

static isa_inst_t decoded(rig_t *r, const test_t *t)
{
    return decoded_of(r, "gfx1030", t);
}

/* A core's rig with random state. */
typedef void check_t(rig_t *r);

static void on_every_core(check_t *check)
{
    unsigned tested = 0;
    for (unsigned c = 0; c < RIG_CORES; c++) {
        rig_t *r = rig_create(rig_cores[c]);
        if (!r) continue;
        check(r);
        rig_destroy(r);
        tested++;
    }
    assert_true(tested);
}

/* ---- atomic operations: v[4:5] or s[12:15] and v6 are addresses, v[8:11] data, v[20:21] results
 * ---- */

typedef enum { MIN32, MAX32, SWAP32, MIN64, MAX64, SWAP64, CLAMPED } kind_t;

static const struct {
    test_t test;
    kind_t kind;
} atomics[] = {
    {{"global_atomic_fmin v20, v[4:5], v8, off glc", {0xdcfd8000, 0x147d0804}}, MIN32},
    {{"global_atomic_fmax v[4:5], v8, off", {0xdd008000, 0x007d0804}}, MAX32},
    {{"global_atomic_fcmpswap v20, v[4:5], v[8:9], off glc", {0xdcf98000, 0x147d0804}}, SWAP32},
    {{"global_atomic_fmin_x2 v[20:21], v[4:5], v[8:9], off glc", {0xdd7d8000, 0x147d0804}}, MIN64},
    {{"global_atomic_fmax_x2 v[4:5], v[8:9], off", {0xdd808000, 0x007d0804}}, MAX64},
    {{"global_atomic_fcmpswap_x2 v[4:5], v[8:11], off", {0xdd788000, 0x007d0804}}, SWAP64},
    {{"flat_atomic_fmin v20, v[4:5], v8 glc", {0xdcfd0000, 0x147d0804}}, MIN32},
    {{"buffer_atomic_fmax v8, v6, s[12:15], 0 offen", {0xe1001000, 0x80030806}}, MAX32},
    {{"global_atomic_csub v20, v[4:5], v8, off glc", {0xdcd18000, 0x147d0804}}, CLAMPED},
};

static uint64_t operand(rig_t *r, kind_t kind)
{
    static const float some[] = {0, -0.0f, 1, -1, 2.5f, -1e30f, 1e30f, INFINITY, -INFINITY, 3};
    const uint32_t k = rig_random(r) >> 8;
    const float f = some[k % 10];
    const double d = (double)f;
    uint64_t bits = 0;
    if (kind == CLAMPED) return k % 7;
    if (kind < MIN64)
        memcpy(&bits, &f, sizeof f);
    else
        memcpy(&bits, &d, sizeof d);
    return bits;
}

static double value(uint64_t bits, bool wide)
{
    double d;
    float f;
    const uint32_t low = (uint32_t)bits;
    memcpy(&d, &bits, sizeof d);
    memcpy(&f, &low, sizeof f);
    return wide ? d : (double)f;
}

/* -0 is less than +0. */
static bool below(uint64_t x, uint64_t y, bool wide)
{
    const double a = value(x, wide), b = value(y, wide);
    return a < b || (a == 0 && b == 0 && signbit(a) && !signbit(b));
}

static uint64_t expected(kind_t kind, uint64_t m, uint64_t d0, uint64_t d1)
{
    const bool wide = kind >= MIN64;
    switch (kind) {
    case MIN32:
    case MIN64: return below(d0, m, wide) ? d0 : m;
    case MAX32:
    case MAX64: return below(m, d0, wide) ? d0 : m;
    case SWAP32:
    case SWAP64: return value(m, wide) == value(d1, wide) ? d0 : m;
    default: return m < d0 ? 0 : m - d0;
    }
}

static void set_descriptor(rig_t *r, uint32_t word1, uint32_t word3)
{
    r->wave.sgpr[12] = (uint32_t)RIG_VA;
    r->wave.sgpr[13] = (uint32_t)(RIG_VA >> 32) | word1;
    r->wave.sgpr[14] = RIG_MEM;
    r->wave.sgpr[15] = word3;
}

enum { RAW = 3 << 28, FORMAT = 12 }; /* word 3: bounds in bytes; the format's first bit */

static void set_data(rig_t *r, unsigned l, kind_t kind)
{
    const bool wide = kind >= MIN64 && kind != CLAMPED;
    for (unsigned n = 0; n < 2; n++) {
        const uint64_t x = operand(r, kind);
        r->want.v[8 + n * (wide ? 2 : 1)][l] = (uint32_t)x;
        if (wide) r->want.v[9 + 2 * n][l] = (uint32_t)(x >> 32);
    }
}

static void check_atomics(rig_t *r)
{
    for (unsigned k = 0; k < sizeof atomics / sizeof *atomics; k++) {
        const test_t *t = &atomics[k].test;
        const kind_t kind = atomics[k].kind;
        const bool wide = kind >= MIN64 && kind != CLAMPED;
        const unsigned bytes = wide ? 8 : 4;
        const isa_inst_t i = decoded(r, t);
        rig_fill(r);
        for (unsigned l = 0; l < 64; l++) {
            const uint32_t at = 8 * ((l * 29) % 48); /* some lanes share an element */
            const uint64_t m = operand(r, kind);
            r->want.v[4][l] = (uint32_t)(RIG_VA + at);
            r->want.v[5][l] = (uint32_t)((RIG_VA + at) >> 32);
            r->want.v[6][l] = at;
            set_data(r, l, kind);
            memcpy(r->want.mem + at, &m, bytes);
        }
        set_descriptor(r, 0, RAW);
        rig_load(r);
        r->wave.exec = UINT64_C(0xffffffff7fffffff);
        for (unsigned l = 0; l < 64; l++) {
            uint8_t *p = r->want.mem + r->want.v[6][l];
            uint64_t m = 0, d[2];
            if (!(r->wave.exec >> l & 1)) continue;
            for (unsigned n = 0; n < 2; n++)
                d[n] = wide ? r->want.v[8 + 2 * n][l] | (uint64_t)r->want.v[9 + 2 * n][l] << 32
                            : r->want.v[8 + n][l];
            memcpy(&m, p, bytes);
            if (i.flags & ISA_F_GLC && i.dst.reg == 20) {
                r->want.v[20][l] = (uint32_t)m;
                if (wide) r->want.v[21][l] = (uint32_t)(m >> 32);
            }
            m = expected(kind, m, d[0], d[1]);
            memcpy(p, &m, bytes);
        }
        rig_run(r, &i, t->text);
        rig_compare(r, t->text);
    }
}

static void atomics_are_exact(void **state)
{
    (void)state;
    on_every_core(check_atomics);
}

/* ---- compare-and-swap of LDS as gfx11 has it: the new value comes before the comparand ---- */

static const struct {
    test_t test;
    kind_t kind;
} stores[] = {
    {{"ds_cmpstore_b32 v6, v8, v9", {0xd8400000, 0x00090806}}, MIN32},
    {{"ds_cmpstore_rtn_b32 v20, v6, v8, v9", {0xd8c00000, 0x14090806}}, MIN32},
    {{"ds_cmpstore_rtn_f32 v20, v6, v8, v9", {0xd8c40000, 0x14090806}}, SWAP32},
    {{"ds_cmpstore_b64 v6, v[8:9], v[10:11]", {0xd9400000, 0x000a0806}}, MIN64},
    {{"ds_cmpstore_rtn_b64 v[20:21], v6, v[8:9], v[10:11]", {0xd9c00000, 0x140a0806}}, MIN64},
    {{"ds_cmpstore_rtn_f64 v[20:21], v6, v[8:9], v[10:11]", {0xd9c40000, 0x140a0806}}, SWAP64},
};

/* Kinds MIN* stand for numbers that are compared bit by bit, SWAP* for floating-point ones. */
static void store_model(rig_t *r, kind_t kind, bool returns, unsigned l)
{
    const bool wide = kind >= MIN64;
    uint8_t *p = r->want.lds + r->want.v[6][l];
    uint64_t m = 0, d[2];
    memcpy(&m, p, wide ? 8 : 4);
    for (unsigned n = 0; n < 2; n++)
        d[n] = wide ? r->want.v[8 + 2 * n][l] | (uint64_t)r->want.v[9 + 2 * n][l] << 32
                    : r->want.v[8 + n][l];
    if (returns) r->want.v[20][l] = (uint32_t)m;
    if (returns && wide) r->want.v[21][l] = (uint32_t)(m >> 32);
    const bool same =
        kind == SWAP32 || kind == SWAP64 ? value(m, wide) == value(d[1], wide) : m == d[1];
    if (same) memcpy(p, &d[0], wide ? 8 : 4);
}

static void check_stores(rig_t *r)
{
    for (unsigned k = 0; k < sizeof stores / sizeof *stores; k++) {
        const test_t *t = &stores[k].test;
        const kind_t kind = stores[k].kind;
        const isa_inst_t i = decoded_of(r, "gfx1100", t);
        rig_fill(r);
        for (unsigned l = 0; l < 64; l++) {
            const uint64_t m = operand(r, kind);
            r->want.v[6][l] = 8 * ((l * 29) % 48);
            set_data(r, l, kind);
            memcpy(r->want.lds + r->want.v[6][l], &m, kind >= MIN64 ? 8 : 4);
        }
        rig_load(r);
        r->wave.exec = UINT64_C(0xffffffff7fffffff);
        for (unsigned l = 0; l < 64; l++)
            if (r->wave.exec >> l & 1) store_model(r, kind, i.dst.reg == 20, l);
        rig_run(r, &i, t->text);
        rig_compare(r, t->text);
    }
}

static void stores_have_the_new_value_first(void **state)
{
    (void)state;
    on_every_core(check_stores);
}

/* ---- a dword for each lane ---- */

static void check_lanes(rig_t *r)
{
    static const test_t load = {"global_load_dword_addtid v20, s[2:3] offset:64",
                                {0xdc588040, 0x14020000}},
                        store = {"global_store_dword_addtid v8, s[2:3] offset:-4",
                                 {0xdc5c8ffc, 0x00020800}};
    const uint64_t base = RIG_VA + 512;
    isa_inst_t i = decoded(r, &load);
    rig_fill(r);
    rig_load(r);
    r->wave.sgpr[2] = (uint32_t)base;
    r->wave.sgpr[3] = (uint32_t)(base >> 32);
    r->wave.exec = UINT64_C(0xfffffff3ffffffff);
    for (unsigned l = 0; l < 64; l++)
        if (r->wave.exec >> l & 1) memcpy(&r->want.v[20][l], r->want.mem + 512 + 64 + 4 * l, 4);
    rig_run(r, &i, load.text);
    rig_compare(r, load.text);
    i = decoded(r, &store);
    for (unsigned l = 0; l < 64; l++)
        if (r->wave.exec >> l & 1) memcpy(r->want.mem + 512 - 4 + 4 * l, &r->want.v[8][l], 4);
    rig_run(r, &i, store.text);
    rig_compare(r, store.text);
}

static void lanes_are_addresses(void **state)
{
    (void)state;
    on_every_core(check_lanes);
}

/* ---- buffers ---- */

/* One number says format and type: 8_8_8_8_UINT is 60, 16_16_UNORM 23, 32_FLOAT 22. */
static void check_formats(rig_t *r)
{
    static const test_t bytes = {"tbuffer_load_format_xyzw v[20:23], v6, s[12:15], 0 "
                                 "format:[BUF_FMT_8_8_8_8_UINT] offen",
                                 {0xe9e31000, 0x80031406}},
                        pair = {"buffer_load_format_xy v[20:21], v6, s[12:15], 0 offen",
                                {0xe0041000, 0x80031406}};
    isa_inst_t i = decoded(r, &bytes);
    rig_fill(r);
    for (unsigned l = 0; l < 64; l++)
        r->want.v[6][l] = 4 * l;
    rig_load(r);
    r->wave.exec = UINT64_MAX;
    set_descriptor(r, 0, RAW | 23 << FORMAT | (4 | 5 << 3 | 6 << 6 | 7 << 9));
    for (unsigned l = 0; l < 64; l++)
        for (unsigned c = 0; c < 4; c++)
            r->want.v[20 + c][l] = r->want.mem[4 * l + c];
    rig_run(r, &i, bytes.text);
    rig_compare(r, bytes.text);
    i = decoded(r, &pair);
    for (unsigned l = 0; l < 64; l++)
        for (unsigned c = 0; c < 2; c++) {
            uint16_t raw;
            memcpy(&raw, r->want.mem + 4 * l + 2 * c, 2);
            const float f = (float)raw / 65535.0f;
            memcpy(&r->want.v[20 + c][l], &f, 4);
        }
    rig_run(r, &i, pair.text);
    rig_compare(r, pair.text);
}

/* gfx11 numbers the formats anew: 8_8_8_8_UINT is 46, 8_8_8_8_UNORM 42. */
static void check_later_formats(rig_t *r)
{
    static const test_t bytes = {"tbuffer_load_format_xyzw v[20:23], v6, s[12:15], 0 "
                                 "format:[BUF_FMT_8_8_8_8_UINT] offen",
                                 {0xe9718000, 0x80431406}},
                        parts = {"buffer_load_format_xyzw v[20:23], v6, s[12:15], 0 offen",
                                 {0xe00c0000, 0x80431406}};
    isa_inst_t i = decoded_of(r, "gfx1100", &bytes);
    rig_fill(r);
    for (unsigned l = 0; l < 64; l++)
        r->want.v[6][l] = 4 * l;
    rig_load(r);
    r->wave.exec = UINT64_MAX;
    set_descriptor(r, 0, RAW | 42 << FORMAT | (4 | 5 << 3 | 6 << 6 | 7 << 9));
    for (unsigned l = 0; l < 64; l++)
        for (unsigned c = 0; c < 4; c++)
            r->want.v[20 + c][l] = r->want.mem[4 * l + c];
    rig_run(r, &i, bytes.text);
    rig_compare(r, bytes.text);
    i = decoded_of(r, "gfx1100", &parts);
    for (unsigned l = 0; l < 64; l++)
        for (unsigned c = 0; c < 4; c++) {
            const float f = (float)r->want.mem[4 * l + c] / 255.0f;
            memcpy(&r->want.v[20 + c][l], &f, 4);
        }
    rig_run(r, &i, parts.text);
    rig_compare(r, parts.text);
}

static void formats_are_one_number(void **state)
{
    (void)state;
    on_every_core(check_formats);
    on_every_core(check_later_formats);
}

/* The four ways in which a descriptor limits a buffer of records of 16 bytes. */
static void check_bounds(rig_t *r)
{
    enum { STRIDE = 16, RECORDS = 40 };
    static const test_t load = {"buffer_load_dword v20, v[6:7], s[12:15], 0 idxen offen",
                                {0xe0303000, 0x80031406}};
    const isa_inst_t i = decoded(r, &load);
    for (unsigned bounds = 0; bounds < 4; bounds++) {
        rig_fill(r);
        for (unsigned l = 0; l < 64; l++) {
            r->want.v[6][l] = l;          /* index */
            r->want.v[7][l] = l % 7 * 4u; /* offset */
        }
        rig_load(r);
        r->wave.exec = UINT64_MAX;
        set_descriptor(r, STRIDE << 16, bounds << 28);
        r->wave.sgpr[14] = RECORDS;
        for (unsigned l = 0; l < 64; l++) {
            const unsigned offset = l % 7 * 4;
            const bool inside = bounds == 0   ? l < RECORDS && offset + 4 <= STRIDE
                                : bounds == 1 ? l < RECORDS
                                : bounds == 2 ? true
                                              : offset + 4 <= RECORDS;
            r->want.v[20][l] = 0;
            if (inside) memcpy(&r->want.v[20][l], r->want.mem + STRIDE * l + offset, 4);
        }
        rig_run(r, &i, load.text);
        rig_compare(r, load.text);
    }
}

static void descriptors_say_their_bounds(void **state)
{
    (void)state;
    on_every_core(check_bounds);
}

/* ---- exchanges: of a wave of 64 lanes, within halves ---- */

static void check_exchanges(rig_t *r)
{
    static const test_t back = {"ds_bpermute_b32 v20, v6, v8 offset:4", {0xdacc0004, 0x14000806}},
                        forth = {"ds_permute_b32 v20, v6, v8", {0xdac80000, 0x14000806}};
    isa_inst_t i = decoded(r, &back);
    rig_fill(r);
    rig_load(r);
    r->wave.exec = UINT64_C(0xfffffff37fffffff);
    for (unsigned l = 0; l < 64; l++) {
        const unsigned from = ((r->want.v[6][l] + 4) / 4 % 32) | (l & 32);
        const uint32_t value = r->wave.exec >> from & 1 ? r->want.v[8][from] : 0;
        if (r->wave.exec >> l & 1) r->want.v[20][l] = value;
    }
    rig_run(r, &i, back.text);
    rig_compare(r, back.text);
    i = decoded(r, &forth);
    for (unsigned l = 0; l < 64; l++)
        r->want.v[6][l] = 4 * ((l * 7 + 3) % 32); /* another lane for each of a half */
    rig_load(r);
    for (unsigned l = 0; l < 64; l++)
        if (r->wave.exec >> l & 1) r->want.v[20][l] = 0;
    for (unsigned l = 0; l < 64; l++) {
        const unsigned to = (l * 7 + 3) % 32 + (l & 32);
        if (r->wave.exec >> l & 1 && r->wave.exec >> to & 1) r->want.v[20][to] = r->want.v[8][l];
    }
    rig_run(r, &i, forth.text);
    rig_compare(r, forth.text);
}

static void exchanges_are_within_halves(void **state)
{
    (void)state;
    on_every_core(check_exchanges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomics_are_exact),
        cmocka_unit_test(stores_have_the_new_value_first),
        cmocka_unit_test(lanes_are_addresses),
        cmocka_unit_test(formats_are_one_number),
        cmocka_unit_test(descriptors_say_their_bounds),
        cmocka_unit_test(exchanges_are_within_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
