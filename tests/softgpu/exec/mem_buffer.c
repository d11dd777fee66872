/* mem_buffer.c - untyped buffer instructions against the addressing rules, byte by byte.
 *
 * Every instruction runs in its four address forms over random descriptors: linear and swizzled,
 * with and without the lane number in the index, with limits that cut off some lanes. */
#include "mem_ops.h"

enum { VADDR = 0, DATA = 4, DST = 12, SRSRC = 8, SOFFSET = 20, M0 = ISA_CODE_M0 };

typedef struct {
    const rig_access_t *x;
    bool idxen, offen, const_soffset;
    char bank;
    bool returns;
    uint32_t imm;
} test_t;

typedef struct {
    uint32_t base, stride, records, index_stride; /* base: offset in the rig's memory */
    bool swizzle, add_tid;
    uint32_t soffset;
    uint32_t index[64], offset[64]; /* per lane, complete */
    uint32_t bytes;
    enum { PRIVATE, RAW, STRUCTURED } kind; /* no range check, one in bytes, one in records */
    bool whole;                             /* range check for the whole element, not each dword */
} config_t;

static uint32_t address(const config_t *c, unsigned l, uint32_t offset)
{
    if (!c->swizzle) return c->base + c->soffset + c->index[l] * c->stride + offset;
    const uint32_t is = c->index_stride, major = c->index[l] / is, minor = c->index[l] % is;
    return c->base + c->soffset + (major * c->stride + offset / 4 * 4) * is + minor * 4 +
           offset % 4;
}

static uint8_t *place(rig_t *r, const void *how, unsigned l, unsigned k)
{
    const config_t *c = how;
    if (c->kind == STRUCTURED) {
        if (c->index[l] >= c->records) return NULL;
    } else if (c->kind == RAW) {
        const uint32_t first = c->whole ? 0 : k / 4 * 4;
        const uint32_t piece = c->whole || c->bytes < 4 ? c->bytes : 4;
        const uint32_t limit = c->records > c->soffset ? c->records - c->soffset : 0;
        if (c->offset[l] + first + piece > limit) return NULL;
    }
    return &r->want.mem[address(c, l, c->offset[l] + k)];
}

static void choose_config(rig_t *r, const test_t *t, config_t *c)
{
    const uint32_t unit = t->x->kind == 'A' ? 8 : 1;
    memset(c, 0, sizeof *c);
    c->bytes = t->x->bytes;
    c->whole = t->x->kind == 'A';
    c->base = rig_random(r) % 128 * 4 / unit * unit;
    c->soffset = t->const_soffset ? 64 : rig_random(r) % 256 * 4 / unit * unit;
    c->add_tid = rig_random(r) & 1;
    c->swizzle = t->imm <= 16 && (rig_random(r) & 1);
    const bool indexed = t->idxen || c->add_tid;
    c->index_stride = indexed ? 8u << rig_random(r) % 4 : 8;
    c->stride = rig_random(r) % 4 ? 48 : 32;
    if (!t->idxen && !c->swizzle && rig_random(r) % 2) c->stride = 0;
    const uint32_t turn = rig_random(r), small = rig_random(r) % 17 / unit * unit;
    /* a register's offset that is negative, and the instruction's that makes it positive again */
    const bool wraps = t->offen && turn >> 8 & 1;
    for (unsigned l = 0; l < 64; l++) {
        const uint32_t perm = (turn & 1 ? l : l * 27 + turn) % 64;
        c->index[l] = t->idxen ? (c->add_tid ? turn % 8 : perm) : 0;
        if (c->add_tid) c->index[l] += l;
        /* lanes stay apart: by their index, inside the record, or by 16 bytes of offset */
        uint32_t v = t->offen ? perm * 16 : 0;
        if (t->offen && indexed && c->stride)
            v = t->imm > 16 ? small : small > t->imm ? small - t->imm : 0;
        c->offset[l] = wraps ? v : v + t->imm;
    }
    c->kind = c->add_tid && !t->idxen ? PRIVATE : t->idxen && c->stride ? STRUCTURED : RAW;
    c->records =
        c->kind == STRUCTURED ? rig_random(r) % 80 : c->soffset + rig_random(r) % (t->imm + 1100);
    if (rig_random(r) % 3 == 0) c->records = 0x10000;
}

static void set_registers(rig_t *r, const test_t *t, const config_t *c)
{
    const uint64_t base = RIG_VA + c->base;
    const unsigned shift = (unsigned)__builtin_ctz(c->index_stride) - 3;
    uint32_t *d = &r->wave.sgpr[SRSRC];
    d[0] = (uint32_t)base;
    d[1] = (uint32_t)(base >> 32) | c->stride << 16 | (uint32_t)c->swizzle << 31;
    d[2] = c->records;
    d[3] = shift << 21 | (uint32_t)c->add_tid << 23;
    r->wave.sgpr[SOFFSET] = c->soffset;
    for (unsigned l = 0; l < 64; l++) {
        if (t->idxen) r->want.v[VADDR][l] = c->index[l] - (c->add_tid ? l : 0);
        if (t->offen) r->want.v[VADDR + t->idxen][l] = c->offset[l] - t->imm;
    }
}

static uint64_t choose_exec(rig_t *r, unsigned turn)
{
    if (turn % 8 == 7) return 0;
    return turn & 1 ? rig_random(r) | (uint64_t)rig_random(r) << 32 : UINT64_MAX;
}

static void check(rig_t *r, const void *test, const isa_inst_t *i, const char *text)
{
    const test_t *t = test;
    uint32_t(*bank)[64] = t->bank == 'v' ? r->want.v : r->want.a;
    const int dst = t->x->kind == 'L' ? DST : t->returns ? DATA : -1;
    for (unsigned turn = 0; turn < 24; turn++) {
        config_t c;
        char name[300];
        rig_fill(r);
        rig_prepare_data(r, t->x, bank, DATA);
        choose_config(r, t, &c);
        set_registers(r, t, &c);
        r->wave.exec = choose_exec(r, turn);
        snprintf(name, sizeof name,
                 "%s: %s (turn %u, stride %u, swizzle %u by %u, lane %u, "
                 "records 0x%x, soffset 0x%x, lane 1 at 0x%x)",
                 r->core->name, text, turn, c.stride, c.swizzle, c.index_stride, c.add_tid,
                 c.records, c.soffset, c.offset[1]);
        rig_load(r);
        rig_model(r, t->x, r->wave.exec, place, &c, bank, DATA, dst);
        rig_run(r, i, name);
        rig_compare(r, name);
    }
}

enum { MAX_TESTS = 1500 };
static test_t tests[MAX_TESTS];
static unsigned n_tests;
static rig_program_t program;

static void add(const rig_access_t *x, unsigned form, char bank, bool returns, uint32_t imm,
                bool const_soffset)
{
    test_t *t = &tests[n_tests++];
    char data[16], vaddr[16] = "off";
    *t = (test_t){x, form & 1, form >> 1 & 1, const_soffset, bank, returns, imm};
    rig_regs(data, bank, x->kind == 'L' ? DST : DATA, rig_data_rows(x));
    if (form) rig_regs(vaddr, 'v', VADDR, form == 3 ? 2 : 1);
    rig_add(&program, "buffer_%s %s, %s, s[8:11], %s%s%s offset:%u%s", x->name, data, vaddr,
            const_soffset ? "64" : "s20", t->idxen ? " idxen" : "", t->offen ? " offen" : "", imm,
            returns ? " glc" : "");
}

static int setup(void **state)
{
    for (unsigned form = 0; form < 4; form++) {
        for (unsigned k = 0; k < RIG_MOVES; k++) {
            add(&rig_moves[k], form, 'v', false, k * 123 % 4096, false);
            add(&rig_moves[k], form, 'v', false, k % 16, k & 1);
            add(&rig_moves[k], form, 'a', false, 0, false);
        }
        for (unsigned k = 0; k < RIG_ATOMICS; k++) {
            add(&rig_atomics[k], form, 'v', false, k * 123 % 4096 & ~7u, k & 1);
            add(&rig_atomics[k], form, 'v', true, 8, false);
            add(&rig_atomics[k], form, 'a', true, 0, false);
        }
    }
    rig_assemble(&program);
    *state = &program;
    return 0;
}

static void every_instruction_agrees_with_the_rules(void **state)
{
    (void)state;
    rig_every(&program, tests, sizeof tests[0], check);
}

/* ---- by hand ---- */

/* The descriptor that ROCr makes for a queue's scratch (gfx9), as a kernel's spill uses it. */
static void spills_go_to_the_waves_scratch(void **state)
{
    (void)state;
    rig_t *r = rig_create(NULL);
    rig_fill(r);
    const uint64_t base = RIG_VA;
    r->wave.sgpr[0] = (uint32_t)base;
    r->wave.sgpr[1] = (uint32_t)(base >> 32) | 0x80000000; /* swizzle */
    r->wave.sgpr[2] = 0x2000;
    r->wave.sgpr[3] = 4u << 12 | 4u << 15 | 1u << 19 | 3u << 21 | 1u << 23;
    r->wave.sgpr[33] = 0x1000; /* the wave's offset */
    r->wave.exec = UINT64_MAX;
    rig_run_text(r, "buffer_store_dword v4, off, s[0:3], s33 offset:20");
    for (unsigned l = 0; l < 64; l++)
        memcpy(r->want.mem + 0x1000 + 20 * 64 + 4 * l, &r->want.v[4][l], 4);
    rig_compare(r, "spill");
    rig_run_text(r, "buffer_load_dword v7, off, s[0:3], s33 offset:20");
    memcpy(r->want.v[7], r->want.v[4], sizeof r->want.v[7]);
    rig_compare(r, "reload");
    for (unsigned l = 0; l < 64; l++)
        r->want.v[0][l] = 4 * (l % 8) + l % 4;
    rig_run_text(r, "buffer_store_byte v4, v0, s[0:3], s33 offen offset:1");
    for (unsigned l = 0; l < 64; l++) {
        const uint32_t o = r->want.v[0][l] + 1;
        r->want.mem[0x1000 + o / 4 * 256 + l * 4 + o % 4] = (uint8_t)r->want.v[4][l];
    }
    rig_compare(r, "byte in an array");
    rig_destroy(r);
}

/* `a[20 - s]` on a private array: the register holds -4 * s, the instruction 80 and the array's
 * place. The descriptor's size means nothing for scratch; with one value in all lanes, and with
 * several, of each size. */
static void private_offsets_wrap_at_32_bits(void **state)
{
    (void)state;
    enum { PLACE = 16 };
    static const struct {
        const char *load, *store;
        unsigned bytes;
    } rows[] = {
        {"buffer_load_dword v12", "buffer_store_dword v4", 4},
        {"buffer_load_dwordx2 v[12:13]", "buffer_store_dwordx2 v[4:5]", 8},
        {"buffer_load_dwordx4 v[12:15]", "buffer_store_dwordx4 v[4:7]", 16},
        {"buffer_load_ubyte v12", "buffer_store_byte v4", 1},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        for (unsigned spread = 0; spread < 2; spread++) {
            char text[128];
            rig_t *r = rig_create(NULL);
            rig_fill(r);
            r->wave.sgpr[0] = (uint32_t)RIG_VA;
            r->wave.sgpr[1] = (uint32_t)(RIG_VA >> 32) | 0x80000000;
            r->wave.sgpr[2] = 0; /* no byte at all */
            r->wave.sgpr[3] = 4u << 12 | 4u << 15 | 1u << 19 | 3u << 21 | 1u << 23;
            r->wave.sgpr[33] = 0x400;
            r->wave.exec = UINT64_MAX;
            uint32_t at[64];
            for (unsigned l = 0; l < 64; l++) {
                const uint32_t index = spread ? l % 20 : 7;
                r->want.v[0][l] = 0u - 4 * index;
                at[l] = PLACE + 4 * (20 - index);
            }
            snprintf(text, sizeof text, "%s, v0, s[0:3], s33 offen offset:%d", rows[k].store,
                     PLACE + 80);
            rig_run_text(r, text);
            for (unsigned l = 0; l < 64; l++)
                for (unsigned b = 0; b < rows[k].bytes; b++)
                    r->want.mem[0x400 + (at[l] + b) / 4 * 256 + 4 * l + b % 4] =
                        (uint8_t)(r->want.v[4 + b / 4][l] >> 8 * (b % 4));
            rig_compare(r, text);
            snprintf(text, sizeof text, "%s, v0, s[0:3], s33 offen offset:%d", rows[k].load,
                     PLACE + 80);
            rig_run_text(r, text);
            for (unsigned l = 0; l < 64; l++) {
                if (rows[k].bytes < 4) r->want.v[12][l] = r->want.v[4][l] & 0xff;
                for (unsigned c = 0; c < rows[k].bytes / 4; c++)
                    r->want.v[12 + c][l] = r->want.v[4 + c][l];
            }
            rig_compare(r, text);
            rig_destroy(r);
        }
}

/* Which lanes a limit lets through, by what the descriptor says. */
static void limits_count_bytes_or_records_or_nothing(void **state)
{
    (void)state;
    enum { SWIZZLE = 1, TID = 2 };
    static const struct {
        const char *address;
        unsigned how, stride, records;
        uint32_t step, soffset; /* lane l gives the register step * l */
        unsigned inside;        /* this many of the first lanes are in range */
    } rows[] = {
        {"v0, s[8:11], s20 offen", 0, 0, 64, 8, 0, 8},
        {"v0, s[8:11], s20 offen", 0, 0, 64, 8, 32, 4},
        {"v0, s[8:11], s20 offen", 0, 0, 64, 8, 512, 0},
        {"v0, s[8:11], s20 offen offset:16", 0, 0, 576, 8, 512, 6},
        {"v0, s[8:11], s20 offen", 0, 0, 4162, 8, 4096, 8}, /* half a dword is none */
        {"v0, s[8:11], s20 offen", 0, 16, 64, 8, 0, 8},     /* a stride without an index */
        {"v0, s[8:11], s20 offen", SWIZZLE, 16, 64, 8, 0, 8},
        {"v0, s[8:11], s20 idxen", 0, 16, 40, 1, 256, 40},
        {"v0, s[8:11], s20 idxen offset:64", 0, 16, 40, 1, 0, 40}, /* beyond its record */
        {"v0, s[8:11], s20 idxen", SWIZZLE, 16, 40, 1, 0, 40},
        {"v0, s[8:11], s20 idxen offset:8", 0, 0, 12, 1, 0, 64}, /* without a stride: bytes */
        {"v0, s[8:11], s20 idxen offset:8", 0, 0, 11, 1, 0, 0},
        {"v0, s[8:11], s20 idxen offset:8", 0, 0, 14, 1, 4, 0},
        {"v0, s[8:11], s20 idxen", TID, 16, 40, 1, 0, 20}, /* twice the lane */
        {"v0, s[8:11], s20 offen", TID, 16, 0, 4, 0, 64},
        {"off, s[8:11], s20 offset:16", TID | SWIZZLE, 16, 0, 0, 64, 64},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char text[128];
        rig_t *r = rig_create(NULL);
        rig_fill(r);
        memset(r->want.mem, 0x5a, RIG_MEM);
        r->wave.exec = UINT64_MAX;
        r->wave.sgpr[8] = (uint32_t)RIG_VA;
        r->wave.sgpr[9] = (uint32_t)(RIG_VA >> 32) | rows[k].stride << 16 |
                          (uint32_t)(rows[k].how & SWIZZLE) << 31;
        r->wave.sgpr[10] = rows[k].records;
        r->wave.sgpr[11] = rows[k].how & TID ? 1u << 23 : 0;
        r->wave.sgpr[20] = rows[k].soffset;
        for (unsigned l = 0; l < 64; l++) {
            r->want.v[0][l] = rows[k].step * l;
            r->want.v[12][l] = l < rows[k].inside ? 0x5a5a5a5a : 0;
        }
        snprintf(text, sizeof text, "buffer_load_dword v12, %s", rows[k].address);
        rig_run_text(r, text);
        rig_compare(r, text);
        rig_destroy(r);
    }
}

/* Dwords of an element are checked one by one and their offsets do not wrap: an element whose
 * first dword lies 4 bytes before 0 has nothing in range. */
static void dwords_beyond_the_last_offset_are_outside(void **state)
{
    (void)state;
    rig_t *r = rig_create(NULL);
    rig_fill(r);
    r->wave.exec = UINT64_MAX;
    r->wave.sgpr[8] = (uint32_t)RIG_VA;
    r->wave.sgpr[9] = (uint32_t)(RIG_VA >> 32);
    r->wave.sgpr[10] = 0x1000;
    r->wave.sgpr[11] = 0;
    for (unsigned l = 0; l < 64; l++) {
        r->want.v[0][l] = l % 2 ? 0u - 4 : 0x1000 - 8;
        for (unsigned c = 0; c < 4; c++)
            r->want.v[12 + c][l] = 0;
        if (l % 2 == 0)
            for (unsigned c = 0; c < 2; c++)
                memcpy(&r->want.v[12 + c][l], r->want.mem + 0x1000 - 8 + 4 * c, 4);
    }
    rig_run_text(r, "buffer_load_dwordx4 v[12:15], v0, s[8:11], 0 offen");
    rig_compare(r, "buffer_load_dwordx4");
    rig_destroy(r);
}

static void transfers_with_lds_use_m0(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned bytes;
        bool sign;
    } rows[] = {
        {"buffer_load_dword off, s[8:11], 0 offset:12 lds", 4, false},
        {"buffer_load_ubyte off, s[8:11], 0 offset:12 lds", 1, false},
        {"buffer_load_sbyte off, s[8:11], 0 offset:12 lds", 1, true},
        {"buffer_load_ushort off, s[8:11], 0 offset:12 lds", 2, false},
        {"buffer_load_sshort off, s[8:11], 0 offset:12 lds", 2, true},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        rig_t *r = rig_create(NULL);
        rig_fill(r);
        r->wave.exec = 0xffffffff0fffffff;
        r->wave.sgpr[M0] = 0x70000 | (RIG_LDS - 12 - 48 * 4); /* lanes 48.. miss the LDS */
        r->wave.sgpr[8] = (uint32_t)RIG_VA;
        r->wave.sgpr[9] = (uint32_t)(RIG_VA >> 32) | 8 << 16;
        r->wave.sgpr[10] = 0x1000;
        r->wave.sgpr[11] = 1u << 23; /* lane number, stride 8 */
        rig_run_text(r, rows[k].text);
        for (unsigned l = 0; l < 48; l++) {
            uint32_t v = 0;
            memcpy(&v, r->want.mem + 12 + 8 * l, rows[k].bytes);
            if (rows[k].sign && rows[k].bytes == 1) v = (uint32_t)(int32_t)(int8_t)v;
            if (rows[k].sign && rows[k].bytes == 2) v = (uint32_t)(int32_t)(int16_t)v;
            if (r->wave.exec >> l & 1) memcpy(r->want.lds + RIG_LDS - 192 + 4 * l, &v, 4);
        }
        rig_compare(r, rows[k].text);
        rig_destroy(r);
    }
    rig_t *r = rig_create(NULL);
    rig_fill(r);
    r->wave.exec = UINT64_MAX;
    r->wave.sgpr[M0] = 64;
    r->wave.sgpr[8] = (uint32_t)RIG_VA;
    r->wave.sgpr[9] = (uint32_t)(RIG_VA >> 32) | 8 << 16;
    r->wave.sgpr[10] = 0x1000;
    r->wave.sgpr[11] = 1u << 23;
    rig_run_text(r, "buffer_store_lds_dword s[8:11], 0 offset:16 lds");
    for (unsigned l = 0; l < 64; l++)
        memcpy(r->want.mem + 16 + 8 * l, r->want.lds + 80 + 4 * l, 4);
    rig_compare(r, "buffer_store_lds_dword");
    rig_destroy(r);
}

static void cache_operations_change_nothing(void **state)
{
    (void)state;
    static const char *const texts[] = {"buffer_wbl2", "buffer_invl2", "buffer_wbinvl1",
                                        "buffer_wbinvl1_vol"};
    for (unsigned k = 0; k < 4; k++) {
        rig_t *r = rig_create(NULL);
        rig_fill(r);
        r->wave.exec = UINT64_MAX;
        rig_run_text(r, texts[k]);
        rig_compare(r, texts[k]);
        rig_destroy(r);
    }
}

/* All but the instructions with a format, which mem_format.c has. */
static void all_of_them_were_met(void **state)
{
    (void)state;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        const char *name = isa_table[op].mnemonic;
        if (name && strstr(name, "_format_")) rig_met[op] = true;
    }
    rig_check_coverage(1u << ISA_FMT_MUBUF);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test_setup_teardown(every_instruction_agrees_with_the_rules, setup,
                                        rig_release),
        cmocka_unit_test(spills_go_to_the_waves_scratch),
        cmocka_unit_test(private_offsets_wrap_at_32_bits),
        cmocka_unit_test(limits_count_bytes_or_records_or_nothing),
        cmocka_unit_test(dwords_beyond_the_last_offset_are_outside),
        cmocka_unit_test(transfers_with_lds_use_m0),
        cmocka_unit_test(cache_operations_change_nothing),
        cmocka_unit_test(all_of_them_were_met),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(all, NULL, NULL);
}
