/* mem_format.c - typed buffer elements: what loads make of bytes and stores of components.
 *
 * Rows are written by hand from the definitions of the formats: bytes in memory on one side, 32-bit
 * components on the other. Each row runs through MTBUF, MUBUF and the d16 forms that apply. */
#include "mem_rig.h"

#include <math.h>

enum { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 7 };
enum { LOAD = 1, STORE = 2, BOTH = 3 };
enum { DST = 12, DATA = 4, SRSRC = 8 };

static uint32_t f(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

typedef struct {
    unsigned dfmt, nfmt, n, bytes; /* n components */
    uint8_t memory[16];
    uint32_t value[4];
    unsigned ways;
} row_t;

static row_t rows[80];
static unsigned n_rows;

static row_t *row(unsigned ways, unsigned dfmt, unsigned nfmt, unsigned n, unsigned bytes,
                  const char *hex, uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    row_t *r = &rows[n_rows++];
    *r = (row_t){dfmt, nfmt, n, bytes, {0}, {x, y, z, w}, ways};
    for (unsigned k = 0; k < bytes; k++)
        sscanf(hex + 2 * k, "%2hhx", &r->memory[k]);
    return r;
}

static void make_rows(void)
{
    /* 8 bits, all meanings */
    row(BOTH, 1, UNORM, 1, 1, "ff", f(1), 0, 0, 0);
    row(BOTH, 1, UNORM, 1, 1, "33", f(0.2f), 0, 0, 0);
    row(BOTH, 1, SNORM, 1, 1, "81", f(-1), 0, 0, 0);
    row(LOAD, 1, SNORM, 1, 1, "80", f(-1), 0, 0, 0);
    row(BOTH, 1, SNORM, 1, 1, "7f", f(1), 0, 0, 0);
    row(BOTH, 1, USCALED, 1, 1, "c8", f(200), 0, 0, 0);
    row(BOTH, 1, SSCALED, 1, 1, "c8", f(-56), 0, 0, 0);
    row(BOTH, 1, UINT, 1, 1, "c8", 200, 0, 0, 0);
    row(BOTH, 1, SINT, 1, 1, "c8", 0xffffffc8, 0, 0, 0);
    /* 16 bits */
    row(BOTH, 2, UNORM, 1, 2, "ffff", f(1), 0, 0, 0);
    row(BOTH, 2, FLOAT, 1, 2, "003c", f(1), 0, 0, 0);
    row(BOTH, 2, FLOAT, 1, 2, "0100", 0x33800000, 0, 0, 0); /* 2^-24, a denormal */
    row(BOTH, 2, FLOAT, 1, 2, "00fc", f(-INFINITY), 0, 0, 0);
    row(BOTH, 2, SINT, 1, 2, "0080", 0xffff8000, 0, 0, 0);
    /* pairs */
    row(BOTH, 3, UINT, 2, 2, "0180", 1, 128, 0, 0);
    row(BOTH, 5, SINT, 2, 4, "ffff0180", 0xffffffff, 0xffff8001, 0, 0);
    row(BOTH, 5, FLOAT, 2, 4, "00c00042", f(-2), f(3), 0, 0);
    row(BOTH, 11, UINT, 2, 8, "7856341200efcdab", 0x12345678, 0xabcdef00, 0, 0);
    row(BOTH, 11, FLOAT, 2, 8, "0000803f0000c07f", f(1), 0x7fc00000, 0, 0);
    /* 32 */
    row(BOTH, 4, UINT, 1, 4, "efbeadde", 0xdeadbeef, 0, 0, 0);
    row(BOTH, 4, FLOAT, 1, 4, "01000080", 0x80000001, 0, 0, 0);
    /* three components in a dword: 1 in each (10_11_11: 11 bits low) */
    row(BOTH, 6, UINT, 3, 4, "01084000", 1, 1, 1, 0);
    row(BOTH, 6, UINT, 3, 4, "ff070080", 2047, 0, 512, 0);
    row(BOTH, 7, UINT, 3, 4, "01042000", 1, 1, 1, 0);
    row(BOTH, 7, UINT, 3, 4, "ff030080", 1023, 0, 1024, 0);
    /* unsigned small floats: 11 bits 0x3c0 = 1.0, 0x400 = 2.0, 10 bits 0x1c0 = 0.5 */
    row(BOTH, 6, FLOAT, 3, 4, "c0032070", f(1), f(2), f(0.5f), 0);
    row(STORE, 6, FLOAT, 3, 4, "00002070", f(-3), f(2), f(0.5f), 0); /* no negative numbers */
    row(LOAD, 6, FLOAT, 3, 4, "c0070000", f(INFINITY), 0, 0, 0);
    /* four components: 2_10_10_10 has 10 bits low, 10_10_10_2 two */
    row(BOTH, 9, UINT, 4, 4, "010000c0", 1, 0, 0, 3);
    row(BOTH, 9, UNORM, 4, 4, "ff030040", f(1), 0, 0, f(1 / 3.0f));
    row(BOTH, 9, SNORM, 4, 4, "01060a48", f(-511 / 511.0f), f(-383 / 511.0f), f(128 / 511.0f),
        f(1));
    row(BOTH, 8, UINT, 4, 4, "070000c0", 3, 1, 0, 768);
    row(BOTH, 10, UINT, 4, 4, "01020304", 1, 2, 3, 4);
    row(BOTH, 10, UNORM, 4, 4, "00ff3300", 0, f(1), f(0.2f), 0);
    row(BOTH, 10, SINT, 4, 4, "ff807f01", 0xffffffff, 0xffffff80, 127, 1);
    row(BOTH, 12, FLOAT, 4, 8, "003c00400042007c", f(1), f(2), f(3), f(INFINITY));
    row(BOTH, 12, UINT, 4, 8, "010002000300ffff", 1, 2, 3, 65535);
    row(BOTH, 13, UINT, 3, 12, "010000000200000003000000", 1, 2, 3, 0);
    row(BOTH, 14, UINT, 4, 16, "0100000002000000030000000400008f", 1, 2, 3, 0x8f000004);
    row(BOTH, 14, FLOAT, 4, 16, "0000803f0000004000004040ffffffff", f(1), f(2), f(3), 0xffffffff);
    /* stores round to nearest and keep to the range */
    row(STORE, 1, UNORM, 1, 1, "ff", f(7), 0, 0, 0);
    row(STORE, 1, UNORM, 1, 1, "00", f(-1), 0, 0, 0);
    row(STORE, 1, UNORM, 1, 1, "80", f(0.501f), 0, 0, 0);
    row(STORE, 1, UNORM, 1, 1, "00", 0x7fc00000, 0, 0, 0);
    row(STORE, 1, SNORM, 1, 1, "81", f(-9), 0, 0, 0);
    row(STORE, 1, SSCALED, 1, 1, "80", f(-1e9f), 0, 0, 0);
    row(STORE, 1, UINT, 1, 1, "ff", 1000, 0, 0, 0);
    row(STORE, 1, SINT, 1, 1, "80", 0xffff0000, 0, 0, 0);
    row(STORE, 2, FLOAT, 1, 2, "007c", f(1e9f), 0, 0, 0);
}

/* Runs `text`; MTBUF with the row's format, which is not in the text: so few texts are assembled.
 */
static void run_text(rig_t *r, const row_t *t, const char *text)
{
    static rig_program_t known[64];
    unsigned k = 0;
    while (known[k].n && strcmp(known[k].line[0], text))
        k++;
    assert_true(k < 63);
    if (!known[k].n) {
        rig_add(&known[k], "%s", text);
        rig_assemble(&known[k]);
    }
    isa_inst_t i = known[k].inst[0];
    if (t && i.fmt == ISA_FMT_MTBUF) i.mtbuf_format = (uint16_t)(t->dfmt | t->nfmt << 4);
    rig_met[i.op] = true;
    rig_load(r);
    rig_run(r, &i, text);
}

static void set_descriptor(rig_t *r, uint32_t word3, uint32_t records)
{
    r->wave.sgpr[SRSRC] = (uint32_t)RIG_VA;
    r->wave.sgpr[SRSRC + 1] = (uint32_t)(RIG_VA >> 32);
    r->wave.sgpr[SRSRC + 2] = records;
    r->wave.sgpr[SRSRC + 3] = word3;
}

static const char *const suffix[] = {"", "x", "xy", "xyz", "xyzw"};

static bool is_integer(const row_t *t)
{
    return t->nfmt == UINT || t->nfmt == SINT;
}

/* What a d16 component of this value is; d16 rows are compared where 16 bits hold the value. */
static bool half_of(const row_t *t, unsigned c, uint32_t *half)
{
    static const struct {
        float value;
        uint32_t half;
    } exact[] = {{0, 0},        {1, 0x3c00},        {-1, 0xbc00},       {2, 0x4000},
                 {-2, 0xc000},  {3, 0x4200},        {0.5f, 0x3800},     {200, 0x5a40},
                 {-56, 0xd300}, {INFINITY, 0x7c00}, {-INFINITY, 0xfc00}};
    *half = t->value[c] & 0xffff;
    if (is_integer(t))
        return t->nfmt == SINT ? (int32_t)t->value[c] == (int16_t)t->value[c]
                               : t->value[c] <= 0xffff;
    for (size_t k = 0; k < sizeof exact / sizeof exact[0]; k++)
        if (t->value[c] == f(exact[k].value)) {
            *half = exact[k].half;
            return true;
        }
    return false;
}

/* Component c as loads deliver it: missing ones are 0, the fourth 1. */
static uint32_t component(const row_t *t, unsigned c)
{
    if (c < t->n) return t->value[c];
    return c < 3 ? 0 : is_integer(t) ? 1 : f(1);
}

static void check_load(rig_t *r, const row_t *t, unsigned n, bool typed)
{
    char text[128];
    char dst[16];
    snprintf(text, sizeof text, "%s_load_format_%s %s, v0, s[8:11], 0 offen offset:8",
             typed ? "tbuffer" : "buffer", suffix[n], rig_regs(dst, 'v', DST, n));
    rig_fill(r);
    /* component selects of MUBUF: x, y, z, w */
    set_descriptor(r, typed ? 0 : 4 | 5 << 3 | 6 << 6 | 7 << 9 | t->nfmt << 12 | t->dfmt << 15,
                   0x1000);
    r->wave.exec = 0x8000000000000005;
    for (unsigned l = 0; l < 64; l++) {
        r->want.v[0][l] = 16 * l;
        memcpy(r->want.mem + 16 * l + 8, t->memory, t->bytes);
    }
    r->want.v[0][2] = 0x1000; /* out of range: zeros */
    run_text(r, t, text);
    for (unsigned c = 0; c < n; c++) {
        r->want.v[DST + c][0] = r->want.v[DST + c][63] = component(t, c);
        r->want.v[DST + c][2] = 0;
    }
    rig_compare(r, text);
}

static void check_store(rig_t *r, const row_t *t, bool typed)
{
    char text[128];
    char data[16];
    snprintf(text, sizeof text, "%s_store_format_%s %s, v0, s[8:11], 0 offen offset:8",
             typed ? "tbuffer" : "buffer", suffix[t->n], rig_regs(data, 'v', DATA, t->n));
    rig_fill(r);
    set_descriptor(r, typed ? 0 : t->nfmt << 12 | t->dfmt << 15, 0x1000);
    r->wave.exec = 0x8000000000000005;
    for (unsigned l = 0; l < 64; l++) {
        r->want.v[0][l] = 16 * l;
        for (unsigned c = 0; c < t->n; c++)
            r->want.v[DATA + c][l] = t->value[c];
    }
    r->want.v[0][2] = 0x1000 - 8; /* out of range: dropped */
    run_text(r, t, text);
    memcpy(r->want.mem + 8, t->memory, t->bytes);
    memcpy(r->want.mem + 16 * 63 + 8, t->memory, t->bytes);
    rig_compare(r, text);
}

static void check_d16(rig_t *r, const row_t *t, bool typed, bool store, bool high)
{
    char text[128];
    char regs[16];
    uint32_t packed[2] = {0, 0};
    for (unsigned c = 0; c < t->n; c++) {
        uint32_t half;
        if (!half_of(t, c, &half)) return;
        packed[c / 2] |= half << (c & 1 || high ? 16 : 0);
    }
    if (high && (t->n != 1 || typed)) return;
    snprintf(text, sizeof text, "%s_%s_format_d16_%s%s %s, off, s[8:11], 0 offset:8",
             typed ? "tbuffer" : "buffer", store ? "store" : "load", high ? "hi_" : "",
             suffix[t->n], rig_regs(regs, 'v', store ? DATA : DST, (t->n + 1) / 2));
    rig_fill(r);
    set_descriptor(r, typed ? 0 : 4 | 5 << 3 | 6 << 6 | 7 << 9 | t->nfmt << 12 | t->dfmt << 15,
                   0x1000);
    r->wave.exec = 2;
    if (!store) memcpy(r->want.mem + 8, t->memory, t->bytes);
    for (unsigned k = 0; store && k < (t->n + 1) / 2; k++)
        r->want.v[DATA + k][1] = packed[k];
    run_text(r, t, text);
    for (unsigned k = 0; !store && k < (t->n + 1) / 2; k++)
        r->want.v[DST + k][1] = packed[k];
    if (store) memcpy(r->want.mem + 8, t->memory, t->bytes);
    rig_compare(r, text);
}

static void elements_convert_as_their_formats_say(void **state)
{
    (void)state;
    make_rows();
    rig_t *r = rig_create(NULL);
    for (unsigned k = 0; k < n_rows; k++)
        for (unsigned typed = 0; typed < 2; typed++) {
            if (rows[k].ways & LOAD) {
                check_load(r, &rows[k], rows[k].n, typed);
                if (rows[k].n != 4) check_load(r, &rows[k], 4, typed);
                check_d16(r, &rows[k], typed, false, false);
                check_d16(r, &rows[k], typed, false, true);
            }
            if (rows[k].ways & STORE) check_store(r, &rows[k], typed);
            if (rows[k].ways == BOTH) {
                check_d16(r, &rows[k], typed, true, false);
                check_d16(r, &rows[k], typed, true, true);
            }
        }
    rig_destroy(r);
}

static void descriptors_select_components(void **state)
{
    (void)state;
    char text[128];
    rig_t *r = rig_create(NULL);
    snprintf(text, sizeof text, "buffer_load_format_xyzw v[12:15], off, s[8:11], 0");
    rig_fill(r);
    memcpy(r->want.mem, "\x01\x02\x03\x04", 4);
    set_descriptor(r, 6 | 1 << 3 | 0 << 6 | 4 << 9 | UINT << 12 | 10 << 15, 0x1000);
    r->wave.exec = 1;
    run_text(r, NULL, text);
    r->want.v[12][0] = 3; /* z, one, zero, x */
    r->want.v[13][0] = 1;
    r->want.v[14][0] = 0;
    r->want.v[15][0] = 1;
    rig_compare(r, text);
    rig_destroy(r);
}

/* A store puts each component where a load would take it from. */
static void stores_undo_the_selection(void **state)
{
    (void)state;
    static const char text[] = "buffer_store_format_xyzw v[12:15], off, s[8:11], 0";
    rig_t *r = rig_create(NULL);
    rig_fill(r);
    set_descriptor(r, 6 | 5 << 3 | 4 << 6 | 7 << 9 | UINT << 12 | 10 << 15, 0x1000);
    r->wave.exec = 1;
    for (unsigned c = 0; c < 4; c++)
        r->want.v[12 + c][0] = 1 + c;
    run_text(r, NULL, text);
    memcpy(r->want.mem, "\x03\x02\x01\x04", 4);
    rig_compare(r, text);
    rig_destroy(r);
}

/* Selected ones are delivered even where nothing is read; lane 1 is out of range. */
static void loads_out_of_range_deliver_the_selected_ones(void **state)
{
    (void)state;
    static const char text[] = "buffer_load_format_xyzw v[12:15], v0, s[8:11], 0 offen";
    static const char half[] = "buffer_load_format_d16_xy v12, v0, s[8:11], 0 offen";
    rig_t *r = rig_create(NULL);
    rig_fill(r);
    memcpy(r->want.mem, "\x01\x02\x03\x04", 4);
    set_descriptor(r, 4 | 1 << 3 | 6 << 6 | 7 << 9 | UINT << 12 | 10 << 15, 4);
    r->wave.exec = 3;
    r->want.v[0][0] = 0;
    r->want.v[0][1] = 4;
    run_text(r, NULL, text);
    const uint32_t inside[4] = {1, 1, 3, 4}, outside[4] = {0, 1, 0, 0};
    for (unsigned c = 0; c < 4; c++) {
        r->want.v[12 + c][0] = inside[c];
        r->want.v[12 + c][1] = outside[c];
    }
    rig_compare(r, text);
    set_descriptor(r, 4 | 1 << 3 | 6 << 6 | 7 << 9 | UNORM << 12 | 10 << 15, 4);
    r->want.mem[0] = 0xff;
    run_text(r, NULL, half);
    r->want.v[12][0] = 0x3c003c00;
    r->want.v[12][1] = 0x3c000000;
    rig_compare(r, half);
    rig_destroy(r);
}

/* With the lane number in the index, instructions without a format take four bits of the stride
 * from where the others have their format: a stride of 16 with UINT of 8_8_8_8. */
static void the_lane_number_leaves_formats_alone(void **state)
{
    (void)state;
    static const char *const texts[] = {"buffer_load_format_xyzw v[12:15], off, s[8:11], 0",
                                        "tbuffer_load_format_xyzw v[12:15], off, s[8:11], 0"};
    for (unsigned k = 0; k < 2; k++) {
        const row_t bytes = {.dfmt = 10, .nfmt = UINT};
        rig_t *r = rig_create(NULL);
        rig_fill(r);
        set_descriptor(r, 4 | 5 << 3 | 6 << 6 | 7 << 9 | UINT << 12 | 10 << 15 | 1 << 23, 0);
        r->wave.sgpr[SRSRC + 1] |= 16 << 16;
        r->wave.exec = UINT64_MAX;
        run_text(r, &bytes, texts[k]);
        for (unsigned l = 0; l < 64; l++)
            for (unsigned c = 0; c < 4; c++)
                r->want.v[12 + c][l] = r->want.mem[16 * l + c];
        rig_compare(r, texts[k]);
        rig_destroy(r);
    }
}

static void all_of_them_were_met(void **state)
{
    (void)state;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        const char *name = isa_table[op].mnemonic;
        if (name && !strstr(name, "_format_")) rig_met[op] = true;
    }
    rig_check_coverage(1u << ISA_FMT_MUBUF | 1u << ISA_FMT_MTBUF);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(elements_convert_as_their_formats_say),
        cmocka_unit_test(descriptors_select_components),
        cmocka_unit_test(stores_undo_the_selection),
        cmocka_unit_test(loads_out_of_range_deliver_the_selected_ones),
        cmocka_unit_test(the_lane_number_leaves_formats_alone),
        cmocka_unit_test(all_of_them_were_met),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(all, NULL, NULL);
}
