/* valu_agree.c - the cores of all host variants do the same, bit for bit.
 *
 * Every vector instruction of vectors.tsv, in each form listed there and in random variations of
 * its bits, runs from one state on all cores; the whole states of the waves must then be equal. In
 * the same way those of GPUs that keep halves of registers run with ISA_MOD_KEEP and as they are.
 */
#include "valu_rig.h"

#include "isa/table.h"

enum { VARIATIONS = 24, ACC = 256 };

typedef struct {
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    uint32_t sgpr[ISA_SCALARS];
    uint32_t scc, mode, stop;
} state_t;

static state_t start, after[3];

static void fill_state(uint64_t seed)
{
    static const type_t types[] = {u32, f32, pf16, f64, p16};
    rig.random = seed;
    for (unsigned r = 0; r < ISA_VGPR_ROWS; r += 2) {
        const type_t t = types[rig_random() % 5];
        for (int l = 0; l < 64; l++) {
            const uint64_t x = any_value(t), y = type_wide(t) ? x >> 32 : any_value(t);
            start.rows[r][l] = (uint32_t)x;
            start.rows[r + 1][l] = (uint32_t)y;
        }
    }
    for (unsigned k = 0; k < ISA_SCALARS; k++)
        start.sgpr[k] = (uint32_t)any_value(k & 1 ? u32 : f32);
    start.scc = 0;
}

static bool vector_op(const isa_inst_t *i)
{
    return i->fmt >= ISA_FMT_VOP1 && i->fmt <= ISA_FMT_VOP3P;
}

static void run_on(const isa_core_t *core, const isa_inst_t *i, state_t *s)
{
    isa_wave_t *w = &rig.wave;
    memcpy(s, &start, sizeof start);
    memcpy(w->sgpr, s->sgpr, sizeof s->sgpr);
    w->vgpr = s->rows;
    w->mode = s->mode;
    w->scc = s->scc;
    w->stop = 0;
    if (core->handlers[i->op]) core->handlers[i->op](w, i);
    memcpy(s->sgpr, w->sgpr, sizeof s->sgpr);
    s->stop = w->stop;
    s->scc = w->scc;
    s->mode = w->mode;
}

static void compare(const isa_core_t *const *core, unsigned n, const isa_inst_t *i)
{
    char text[160];
    for (unsigned c = 1; c < n; c++) {
        if (!memcmp(&after[0], &after[c], sizeof after[0])) continue;
        isa_disassemble(ASM_ARCH, i, text, sizeof text);
        for (unsigned r = 0; r < ISA_VGPR_ROWS; r++)
            for (int l = 0; l < 64; l++)
                if (after[0].rows[r][l] != after[c].rows[r][l])
                    fail_msg("%s: row %u lane %d: %s 0x%08x, %s 0x%08x (mode 0x%x)", text, r, l,
                             core[0]->name, after[0].rows[r][l], core[c]->name, after[c].rows[r][l],
                             start.mode);
        fail_msg("%s: %s and %s differ in scalars", text, core[0]->name, core[c]->name);
    }
}

/* Lane modes of all kinds; register indexing now and then. */
static void random_mode(unsigned k)
{
    start.mode = k & 1 ? PLAIN_MODE : (uint32_t)rig_random() & 0x3ff;
    if (k % 12 == 7) start.mode |= 1u << 27;
    const uint64_t exec = k % 3 == 0 ? UINT64_MAX : rig_random();
    start.sgpr[ISA_CODE_EXEC] = (uint32_t)exec;
    start.sgpr[ISA_CODE_EXEC + 1] = (uint32_t)(exec >> 32);
}

/* Those that are built and that this machine can run. */
static unsigned find_cores(const isa_core_t *core[3])
{
    static const char *const names[] = {"base", "avx2", "avx512"};
    unsigned n = 0;
    for (unsigned c = 0; c < 3; c++)
        if ((core[n] = isa_core_by_name(names[c]))) n++;
    return n;
}

/* The words of a line of vectors*.tsv, if it has a vector instruction. */
static bool vector_words(const char *line, uint32_t words[3])
{
    const char *text = strchr(line, '\t');
    memset(words, 0, 3 * sizeof *words);
    if (line[0] == '#' || !text || strncmp(text + 1, "v_", 2)) return false;
    for (unsigned k = 0; k < (unsigned)(text - line) / 2 && k < 12; k++) {
        unsigned byte;
        sscanf(line + 2 * k, "%2x", &byte);
        words[k / 4] |= byte << 8 * (k % 4);
    }
    return true;
}

static void set_up(const isa_arch_t *arch)
{
    rig.dispatch = (isa_dispatch_t){
        .arch = arch, .shared_base = UINT64_C(1) << 48, .private_base = UINT64_C(2) << 48};
    rig.group.dispatch = &rig.dispatch;
    rig.wave = (isa_wave_t){.group = &rig.group, .page = &no_code, .acc_offset = ACC};
    fill_state(1);
}

static void cores_agree(void **unused)
{
    const isa_core_t *core[3];
    const unsigned n = find_cores(core);
    unsigned runs = 0;
    char line[256];
    (void)unused;
    FILE *f = fopen(ISA_TEST_DATA "/vectors.tsv", "r");
    assert_non_null(f);
    const char *wish = getenv("VALU_TEST_ROUNDS");
    const unsigned variations = VARIATIONS * (wish ? (unsigned)atoi(wish) : 1);
    set_up(ASM_ARCH);
    while (fgets(line, sizeof line, f)) {
        uint32_t words[3];
        if (!vector_words(line, words)) continue;
        if (!(++runs % 16)) fill_state(runs);
        for (unsigned k = 0; k < variations; k++) {
            uint32_t varied[3] = {words[0], words[1], words[2]};
            isa_inst_t i = {.op = 0};
            /* bits of the second dword are operands and modifiers; in the first, register fields */
            if (k > 2) varied[1] ^= (uint32_t)(rig_random() & rig_random());
            if (k > 8) varied[0] ^= (uint32_t)rig_random() & (words[0] >> 31 ? 0x7cffu : 0x1ffe00u);
            if (isa_decode(ASM_ARCH, varied, 3, &i) <= 0 || !vector_op(&i)) continue;
            random_mode(k);
            for (unsigned c = 0; c < n; c++)
                run_on(core[c], &i, &after[c]);
            compare(core, n, &i);
        }
    }
    fclose(f);
    assert_true(runs > 900);
}

/* An instruction whose result is a half of a register by its row, and which keeps the other half. */
static void check_other_half(const isa_core_t *core, const isa_inst_t *i, const char *gpu)
{
    const uint32_t other = i->flags & ISA_F_DSTSEL ? 0xffff : 0xffff0000;
    char text[160];
    for (unsigned k = 0; k < 4; k++) {
        random_mode(k);
        start.mode &= ~(1u << 27);
        run_on(core, i, &after[0]);
        isa_disassemble(rig.dispatch.arch, i, text, sizeof text);
        for (unsigned l = 0; l < ISA_LANES; l++)
            if ((after[0].rows[i->dst.reg][l] ^ start.rows[i->dst.reg][l]) & other)
                fail_msg("%s: %s: the other half is not kept", gpu, text);
    }
}

/* An instruction that is decoded without ISA_MOD_KEEP does what it does with it, so that none lacks
 * it that leaves a half of its register as it was. Most are decoded without. Where rows have results
 * of 16 bits, one with ISA_MOD_KEEP leaves the other half as it was. */
static void check_kept(const isa_core_t *core, const char *gpu, const char *path)
{
    const isa_arch_t *arch = isa_arch_named(gpu);
    const bool halves = arch && arch->formats->halves; /* so that rows have types of results */
    unsigned kept = 0, others = 0;
    char line[256], text[160];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_non_null(arch);
    set_up(arch);
    while (fgets(line, sizeof line, f)) {
        uint32_t words[3];
        isa_inst_t i = {.op = 0};
        if (!vector_words(line, words)) continue;
        if (isa_decode(arch, words, 3, &i) <= 0 || !vector_op(&i) || !isa_is_row(&i.dst)) continue;
        if (i.dst.mods & ISA_MOD_KEEP) {
            kept++;
            if (halves) check_other_half(core, &i, gpu);
            continue;
        }
        others++;
        /* it keeps the other half from gfx11 on, and makes it 0 on gfx10 */
        if (i.op == ISA_OP_v_sat_pk_u8_i16) continue;
        for (unsigned k = 0; k < 4; k++) {
            isa_inst_t keeps = i;
            keeps.dst.mods |= ISA_MOD_KEEP;
            random_mode(k);
            start.mode &= ~(1u << 27); /* indexing of registers, which gfx9 alone has */
            run_on(core, &i, &after[0]);
            run_on(core, &keeps, &after[1]);
            isa_disassemble(arch, &i, text, sizeof text);
            if (memcmp(&after[0], &after[1], sizeof after[0])) fail_msg("%s: %s", gpu, text);
        }
    }
    fclose(f);
    assert_true(kept > 0 && others > kept);
}

static void halves_are_kept(void **unused)
{
    const isa_core_t *core[3];
    (void)unused;
    assert_true(find_cores(core) > 0);
    check_kept(core[0], "gfx1030", ISA_TEST_DATA "/vectors_gfx1030.tsv");
    check_kept(core[0], "gfx1100", ISA_TEST_DATA "/vectors_gfx1100.tsv");
    check_kept(core[0], "gfx1151", ISA_TEST_DATA "/vectors_gfx1151.tsv");
    check_kept(core[0], "gfx1201", ISA_TEST_DATA "/vectors_gfx1201.tsv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cores_agree),
                                       cmocka_unit_test(halves_are_kept)};
    if (find_cores((const isa_core_t *[3]){0}) < 2) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
