/* decode.c - decoder and disassembler against LLVM.
 *
 * Golden rows of vectors.tsv first; then, where llvm-mc is installed, the same rows and variations
 * of them with random operand and modifier bits, compared line by line with its output. */
#include "asm.h"

#include "isa/isa.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_ROWS = 2000, VARIATIONS = 12 };

typedef struct {
    uint32_t words[3];
    unsigned size;
    char text[256];
} row_t;

static row_t rows[MAX_ROWS];
static unsigned n_rows;

static int read_rows(void **state)
{
    (void)state;
    char line[512];
    FILE *in = fopen(ISA_TEST_DATA "/vectors.tsv", "r");
    if (!in) return -1;
    while (fgets(line, sizeof(line), in)) {
        row_t *row = &rows[n_rows];
        char *tab = strchr(line, '\t');
        if (*line == '#' || !tab || n_rows == MAX_ROWS) continue;
        row->size = (unsigned)(tab - line) / 8;
        for (unsigned k = 0; k < 4 * row->size; k++) {
            unsigned byte = 0;
            sscanf(line + 2 * k, "%2x", &byte);
            row->words[k / 4] |= byte << 8 * (k % 4);
        }
        tab[strcspn(tab, "\n")] = 0;
        snprintf(row->text, sizeof(row->text), "%s", tab + 1);
        n_rows++;
    }
    fclose(in);
    return 0;
}

/* Our text, empty if it does not decode. */
static unsigned our_text(const uint32_t *words, unsigned n, char *text, size_t room)
{
    isa_inst_t inst;
    int size = isa_decode(ASM_ARCH, words, n, &inst);
    *text = 0;
    if (size > 0) assert_in_range(isa_disassemble(ASM_ARCH, &inst, text, room), 1, room - 1);
    return size > 0 ? (unsigned)size : 0;
}

static void golden(void **state)
{
    (void)state;
    unsigned failures = 0;
    char text[256];
    assert_int_equal(n_rows, 1864);
    for (unsigned r = 0; r < n_rows; r++) {
        unsigned size = our_text(rows[r].words, rows[r].size, text, sizeof(text));
        if (size == rows[r].size && !strcmp(text, rows[r].text)) continue;
        failures++;
        print_error("%08x %08x: '%s' (%u dwords), expected '%s'\n", rows[r].words[0],
                    rows[r].words[1], text, size, rows[r].text);
    }
    assert_int_equal(failures, 0);
}

/* Fields that not all GPUs have: as gfx90a reads them, and a GPU that has an address bit in SCRATCH
 * and a third cache bit, as later ones, and none for AGPRs, as earlier ones. */
static void fields_of_some_gpus(void **state)
{
    static const struct {
        uint32_t words[2];
        const char *gfx90a, *other; /* "": no instruction */
    } cases[] = {
        {{0xdc504000, 0x107f0004},
         "scratch_load_dword v16, v4, off",
         "scratch_load_dword v16, off, off"},
        {{0xdc506000, 0x107f0004}, "", "scratch_load_dword v16, v4, off"},
        {{0xdc504000, 0x10020004},
         "scratch_load_dword v16, off, s2",
         "scratch_load_dword v16, off, s2"},
        {{0xdc506000, 0x10020004}, "", "scratch_load_dword v16, v4, s2"},
        {{0xdc50a000, 0x107f0004}, "", ""}, /* the bit in GLOBAL */
        {{0xdc508000, 0x10ff0004},
         "global_load_dword a16, v[4:5], off",
         "global_load_dword v16, v[4:5], off"},
        {{0xda6c0000, 0x10000004}, "ds_read_b32 a16, v4", "ds_read_b32 v16, v4"},
        {{0xde738000, 0x007f0804},
         "global_store_dword v[4:5], v8, off glc slc",
         "global_store_dword v[4:5], v8, off sc0 nt sc1"},
        {{0xe050e000, 0x80021004},
         "buffer_load_dword v16, v4, s[8:11], 0 idxen glc",
         "buffer_load_dword v16, v4, s[8:11], 0 idxen sc0 sc1"},
        {{0xe0500000, 0x80821000},
         "buffer_load_dword a16, off, s[8:11], 0",
         "buffer_load_dword v16, off, s[8:11], 0"},
    };
    isa_arch_t other = *ASM_ARCH;
    (void)state;
    other.memory_fields = (isa_memory_fields_t){
        .scratch_vaddr = {13, 1}, .flat_sc1 = {25, 1}, .mubuf_sc1 = {15, 1}, .mtbuf_sc1 = {53, 1}};
    other.cache_bits[0] = "sc0";
    other.cache_bits[1] = "nt";
    other.cache_bits[2] = "sc1";
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char text[256];
        isa_inst_t inst;
        our_text(cases[k].words, 2, text, sizeof text);
        assert_string_equal(text, cases[k].gfx90a);
        const int size = isa_decode(&other, cases[k].words, 2, &inst);
        assert_int_equal(size, *cases[k].other ? 2 : 0);
        if (size) isa_disassemble(&other, &inst, text, sizeof text);
        if (size) assert_string_equal(text, cases[k].other);
    }
}

/* Too few words: -1, never a read behind them. */
static void truncated(void **state)
{
    (void)state;
    isa_inst_t inst;
    for (unsigned r = 0; r < n_rows; r++) {
        assert_int_equal(isa_decode(ASM_ARCH, rows[r].words, 0, &inst), -1);
        if (rows[r].size == 2) assert_int_equal(isa_decode(ASM_ARCH, rows[r].words, 1, &inst), -1);
    }
}

static uint32_t random_state = 12345;

static uint32_t random32(void)
{
    uint32_t x = random_state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return random_state = x;
}

/* Bits of the first dword that are no opcode, by its top bits: see the table of formats. */
static uint32_t free_bits(uint32_t word)
{
    if (word >> 25 == 0x3f) return 0x01fe01ff; /* VOP1 */
    if (word >> 25 == 0x3e || !(word >> 31))
        return word >> 25 == 0x3e ? 0x0001ffff : 0x01ffffff; /* VOPC, VOP2 */
    switch (word >> 23) {
    case 0x17d: return 0x007f00ff; /* SOP1 */
    case 0x17e:
    case 0x17f: return 0x0000ffff; /* SOPC, SOPP */
    case 0x1a7: return 0x0000ffff; /* VOP3P */
    default: break;
    }
    if (word >> 30 == 2) return 0x007fffff; /* SOP2, SOPK */
    switch (word >> 26) {
    case 0x30: return 0x0003ffff; /* SMEM */
    case 0x34: return 0x0000ffff; /* VOP3 */
    case 0x36: return 0x0201ffff; /* DS */
    case 0x37: return 0x00031fff; /* FLAT; the segment stays */
    case 0x38: return 0x00037fff; /* MUBUF */
    case 0x3c: return 0x0203ff00; /* MIMG */
    default: return 0x03f87fff;   /* MTBUF */
    }
}

/* A row with some of its free bits changed. Half of the variations change a few bits only, since
 * most encodings with many random bits are invalid. */
static void vary(const row_t *row, row_t *out)
{
    uint32_t mask = random32() & random32(), mask2 = random32() & random32();
    *out = *row;
    if (random32() & 1) {
        mask &= random32() & random32();
        mask2 &= random32() & random32();
    }
    out->words[0] ^= mask & free_bits(row->words[0]);
    out->words[1] ^= mask2;
    out->size = 2;
    if (row->size == 1 && random32() % 4 == 0) {
        /* SRC0 a literal, often one that prints as something else than hexadecimal */
        static const uint32_t literals[] = {
            0,          64,     65,     0xffffffff, 0xfffffff0, 0xffffffef, 0x3f800000, 0xc0800000,
            0x3e22f983, 0x3c00, 0x3118, 0xb800,     0xfff0,     0x13c00,    0x3ff00000, 0x10001};
        uint32_t source = row->words[0] >> 31 ? 0xff : 0x1ff;
        out->words[0] = (out->words[0] & ~source) | 0xff;
        if (random32() & 1) out->words[1] = literals[random32() % 16];
    }
}

/* LLVM's text differs on purpose for encodings that no assembler writes: modifiers it prints though
 * the operand has none, comments instead of operands. */
static bool known_difference(const char *llvm)
{
    static const char *const marks[] = {
        "/*",     /* invalid operand or DPP control */
        " scc",   /* cache bit that gfx90a assembly refuses */
        "sext(",  /* NEG bit on an integer operand of VOP3 */
        " abid:", /* of a shape with one block, where it means nothing */
        " cbsz:",
        "_mfma_f64_", /* no BLGP either */
        "v_dot2c_f32_f16_dpp",
        "v_cndmask_b32_dpp",
    };
    for (unsigned k = 0; k < sizeof(marks) / sizeof(*marks); k++)
        if (strstr(llvm, marks[k])) return true;
    return false;
}

/* The text is LLVM 15's. Others print some operands of odd encodings in other ways (a literal whose
 * upper half has no meaning, modifiers that do nothing): then only the operation is compared. */
static bool same_text(const char *ours, const char *llvm)
{
    static unsigned version;
    if (!version) version = asm_version();
    if (version == 15) return strcmp(ours, llvm) == 0;
    size_t length = strcspn(ours, " ");
    return strcspn(llvm, " ") == length && strncmp(ours, llvm, length) == 0;
}

/* Compares n rows with llvm-mc where both take them for instructions; returns how many differ. */
static unsigned compare(row_t *some, unsigned n, unsigned *both)
{
    unsigned failures = 0;
    uint32_t(*words)[3] = calloc(n, sizeof(*words));
    unsigned *sizes = calloc(n, sizeof(*sizes));
    assert_non_null(words);
    assert_non_null(sizes);
    for (unsigned k = 0; k < n; k++) {
        char text[256];
        unsigned size = our_text(some[k].words, some[k].size, text, sizeof(text));
        memcpy(words[k], some[k].words, sizeof(words[k]));
        snprintf(some[k].text, sizeof(some[k].text), "%s", text);
        sizes[k] = size ? size : some[k].size;
    }
    char *listing = asm_disassemble_rows((const uint32_t(*)[3])words, sizes, n);
    if (!listing && n > 1) { /* llvm-mc died on one of them: narrow down */
        free(sizes);
        free(words);
        return compare(some, n / 2, both) + compare(some + n / 2, n - n / 2, both);
    }
    if (!listing)
        print_message("llvm-mc dies on %08x %08x (%s)\n", words[0][0], words[0][1], some->text);
    char *line = listing ? listing : some->text;
    for (unsigned k = 0; listing && k < n; k++) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = 0;
        if (*line && *some[k].text) ++*both;
        if (*line && !same_text(some[k].text, line) && !known_difference(line)) {
            failures++;
            if (getenv("ISA_TEST_VERBOSE"))
                print_message("%08x %08x\t%s\t%s\n", words[k][0], words[k][1], some[k].text, line);
        }
        line = end + 1;
    }
    free(listing);
    free(sizes);
    free(words);
    return failures;
}

static void live_rows(void **state)
{
    (void)state;
    unsigned both = 0;
    static row_t copy[MAX_ROWS];
    if (!asm_available()) skip();
    memcpy(copy, rows, sizeof(rows));
    assert_int_equal(compare(copy, n_rows, &both), 0);
    assert_int_equal(both, n_rows);
}

static void live_variations(void **state)
{
    (void)state;
    unsigned both = 0, n = n_rows * VARIATIONS;
    if (!asm_available()) skip();
    row_t *some = calloc(n, sizeof(*some));
    assert_non_null(some);
    for (unsigned k = 0; k < n; k++) {
        isa_inst_t inst;
        /* What we refuse is not shown to llvm-mc, which dies on some of it. */
        do
            vary(&rows[k / VARIATIONS], &some[k]);
        while (isa_decode(ASM_ARCH, some[k].words, some[k].size, &inst) <= 0);
    }
    unsigned failures = compare(some, n, &both);
    print_message("%u variations, %u are instructions, %u differ\n", n, both, failures);
    free(some);
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden),          cmocka_unit_test(fields_of_some_gpus),
        cmocka_unit_test(truncated),       cmocka_unit_test(live_rows),
        cmocka_unit_test(live_variations),
    };
    const int failed = cmocka_run_group_tests(tests, read_rows, NULL);
    return failed || asm_available() ? failed : 77; /* skipped in part */
}
