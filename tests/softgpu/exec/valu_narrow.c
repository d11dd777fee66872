/* valu_narrow.c - cores for waves of 32 lanes do in their lanes what those for 64 do, bit for bit.
 *
 * Every vector instruction of vectors.tsv, and random variations of it, runs from one state on a
 * core of either kind: on the wide one with no lane active from lane 32 on. In the lanes of the
 * narrow wave all must be equal, but sets of lanes in SGPRs, which take one SGPR there. What lanes
 * do across lane 32 is tested by its own numbers. */
#include "valu_rig.h"

#include "isa/table.h"

enum { VARIATIONS = 16, ACC = 256, NARROW = 32 };

typedef struct {
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    uint32_t sgpr[ISA_SCALARS];
    uint32_t scc, mode, stop;
} state_t;

static state_t start, wide, slim;
static const isa_core_t *core, *narrow;

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
}

static void run_on(const isa_core_t *c, const isa_inst_t *i, state_t *s)
{
    isa_wave_t *w = &rig.wave;
    rig.dispatch.narrow = c->lanes == NARROW;
    memcpy(s, &start, sizeof start);
    memcpy(w->sgpr, s->sgpr, sizeof s->sgpr);
    w->vgpr = s->rows;
    w->mode = s->mode;
    w->scc = s->scc;
    w->stop = 0;
    c->handlers[i->op](w, i);
    memcpy(s->sgpr, w->sgpr, sizeof s->sgpr);
    s->stop = w->stop;
    s->scc = w->scc;
    s->mode = w->mode;
}

/* The first of the pair that gets a set of lanes; ISA_SCALARS: there is none. */
static unsigned mask_of(const isa_inst_t *i)
{
    return i->dst2.kind == ISA_OPK_SGPR ? i->dst2.reg : ISA_SCALARS;
}

static void compare(const isa_inst_t *i)
{
    char text[160];
    const unsigned mask = mask_of(i);
    isa_disassemble(ASM_ARCH, i, text, sizeof text);
    for (unsigned r = 0; r < ISA_VGPR_ROWS; r++)
        for (int l = 0; l < NARROW; l++)
            if (wide.rows[r][l] != slim.rows[r][l])
                fail_msg("%s: row %u lane %d: 0x%08x of 64 lanes, 0x%08x of 32 (mode 0x%x)", text,
                         r, l, wide.rows[r][l], slim.rows[r][l], start.mode);
    for (unsigned k = 0; k < ISA_SCALARS; k++) {
        const uint32_t want = k == mask + 1 ? start.sgpr[k] : wide.sgpr[k];
        if (slim.sgpr[k] != want)
            fail_msg("%s: SGPR %u: 0x%08x, not 0x%08x", text, k, slim.sgpr[k], want);
    }
    if (slim.stop != wide.stop || slim.scc != wide.scc)
        fail_msg("%s: stop %u, not %u, or SCC", text, slim.stop, wide.stop);
}

/* Whether lanes read others that a wave of 32 lanes does not have. */
static bool crosses(const isa_inst_t *i)
{
    const unsigned ctrl = i->dpp_ctrl;
    if (i->op == ISA_OP_v_readlane_b32 || i->op == ISA_OP_v_writelane_b32) return true;
    return i->flags & ISA_F_DPP && ctrl >= 0x130 && ctrl < 0x150 && ctrl != 0x140 && ctrl != 0x141;
}

static void lanes_agree(void **unused)
{
    unsigned runs = 0;
    char line[256];
    (void)unused;
    FILE *f = fopen(ISA_TEST_DATA "/vectors.tsv", "r");
    assert_non_null(f);
    fill_state(1);
    while (fgets(line, sizeof line, f)) {
        const char *text = strchr(line, '\t');
        uint32_t words[3] = {0};
        if (line[0] == '#' || !text || strncmp(text + 1, "v_", 2)) continue;
        for (unsigned k = 0; k < (unsigned)(text - line) / 2 && k < 12; k++) {
            unsigned byte;
            sscanf(line + 2 * k, "%2x", &byte);
            words[k / 4] |= byte << 8 * (k % 4);
        }
        if (!(++runs % 16)) fill_state(runs);
        for (unsigned k = 0; k < VARIATIONS; k++) {
            uint32_t varied[3] = {words[0], words[1], words[2]};
            isa_inst_t i = {.op = 0};
            if (k > 2) varied[1] ^= (uint32_t)(rig_random() & rig_random());
            if (k > 8) varied[0] ^= (uint32_t)rig_random() & (words[0] >> 31 ? 0x7cffu : 0x1ffe00u);
            if (isa_decode(ASM_ARCH, varied, 3, &i) <= 0 || i.fmt < ISA_FMT_VOP1 ||
                i.fmt > ISA_FMT_VOP3P || crosses(&i) || !narrow->handlers[i.op])
                continue;
            start.mode = k & 1 ? PLAIN_MODE : (uint32_t)rig_random() & 0x3ff;
            start.sgpr[ISA_CODE_EXEC] = k % 3 == 0 ? UINT32_MAX : (uint32_t)rig_random();
            start.sgpr[ISA_CODE_EXEC + 1] = start.sgpr[ISA_EXEC_HI_32] = 0;
            run_on(core, &i, &wide);
            run_on(narrow, &i, &slim);
            compare(&i);
        }
    }
    fclose(f);
    assert_true(runs > 900);
}

/* ---- across lanes: everything wraps at 32 ---- */

static isa_inst_t decoded(const char *text)
{
    uint32_t *words;
    isa_inst_t i = {.op = 0};
    const size_t n = asm_words(text, &words);
    assert_true(n > 0);
    assert_true(isa_decode(ASM_ARCH, words, (unsigned)n, &i) > 0);
    free(words);
    return i;
}

static void run_text(const char *text)
{
    const isa_inst_t i = decoded(text);
    start.mode = PLAIN_MODE;
    run_on(narrow, &i, &slim);
    assert_int_equal(slim.stop, 0);
}

static void lane_numbers_wrap(void **unused)
{
    (void)unused;
    fill_state(7);
    start.sgpr[ISA_CODE_EXEC] = UINT32_MAX;
    start.sgpr[ISA_CODE_EXEC + 1] = 0;
    start.sgpr[3] = 37;
    run_text("v_readlane_b32 s4, v1, s3");
    assert_int_equal(slim.sgpr[4], start.rows[1][5]);
    run_text("v_writelane_b32 v1, 17, s3");
    assert_int_equal(slim.rows[1][5], 17);
    for (unsigned l = 0; l < 64; l++)
        start.rows[2][l] = 4 * (l + 40);
    run_text("ds_bpermute_b32 v5, v2, v1");
    for (unsigned l = 0; l < NARROW; l++)
        assert_int_equal(slim.rows[5][l], start.rows[1][(l + 8) % NARROW]);
    run_text("ds_permute_b32 v5, v2, v1");
    for (unsigned l = 0; l < NARROW; l++)
        assert_int_equal(slim.rows[5][(l + 8) % NARROW], start.rows[1][l]);
    run_text("v_mov_b32_dpp v5, v1 wave_rol:1 row_mask:0xf bank_mask:0xf");
    for (unsigned l = 0; l < NARROW; l++)
        assert_int_equal(slim.rows[5][l], start.rows[1][(l + 1) % NARROW]);
    for (unsigned l = 0; l < 64; l++)
        start.rows[3][l] = UINT32_MAX;
    run_text("v_mbcnt_hi_u32_b32 v5, v3, v1");
    for (unsigned l = 0; l < NARROW; l++)
        assert_int_equal(slim.rows[5][l], start.rows[1][l]);
}

/* A compare writes one SGPR, not the next one; VCC_HI is a register like any other. */
static void sets_of_lanes_are_one_dword(void **unused)
{
    (void)unused;
    fill_state(9);
    start.sgpr[ISA_CODE_EXEC] = 0x0ff0ff0f;
    start.sgpr[ISA_CODE_EXEC + 1] = 0;
    start.sgpr[7] = 0x12345678;
    start.sgpr[ISA_CODE_VCC] = 0xff;
    start.sgpr[ISA_CODE_VCC + 1] = 0x9abcdef0;
    run_text("v_cmp_eq_u32_e64 s[6:7], v1, v1");
    assert_int_equal(slim.sgpr[6], 0x0ff0ff0f);
    assert_int_equal(slim.sgpr[7], 0x12345678);
    run_text("v_cmp_ne_u32_e32 vcc, v1, v1");
    assert_int_equal(slim.sgpr[ISA_CODE_VCC], 0);
    assert_int_equal(slim.sgpr[ISA_CODE_VCC + 1], 0x9abcdef0);
    run_text("v_cndmask_b32 v5, v1, v2, vcc");
    for (unsigned l = 0; l < NARROW; l++) {
        const uint32_t want = start.rows[l < 8 ? 2 : 1][l];
        if (start.sgpr[ISA_CODE_EXEC] >> l & 1) assert_int_equal(slim.rows[5][l], want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_agree),
        cmocka_unit_test(lane_numbers_wrap),
        cmocka_unit_test(sets_of_lanes_are_one_dword),
    };
    core = isa_core_select();
    narrow = core ? isa_core_narrow(core) : NULL;
    if (!narrow) return 1;
    rig.dispatch = (isa_dispatch_t){
        .arch = ASM_ARCH, .shared_base = UINT64_C(1) << 48, .private_base = UINT64_C(2) << 48};
    rig.group.dispatch = &rig.dispatch;
    rig.wave = (isa_wave_t){.group = &rig.group, .page = &no_code, .acc_offset = ACC};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
