/* valu_div.c - division as compilers write it: div_scale, rcp, refinement by fma, div_fmas,
 * div_fixup.
 *
 * The quotient must be the host's correctly rounded one for every pair of operands, denormals and
 * extremes included; that checks the three instructions together better than their definitions. */
#include "valu_rig.h"

static void run_program(const isa_core_t *core, const isa_inst_t *program, unsigned n)
{
    for (unsigned k = 0; k < n; k++)
        core->handlers[program[k].op](&rig.wave, &program[k]);
}

/* v2 / v4 in v10, as LLVM expands it for f32 with denormals. */
static const char text_f32[] = "v_div_scale_f32 v11, s[4:5], v4, v4, v2\n"
                               "v_div_scale_f32 v12, vcc, v2, v4, v2\n"
                               "v_rcp_f32 v13, v11\n"
                               "v_fma_f32 v14, -v11, v13, 1.0\n"
                               "v_fma_f32 v13, v14, v13, v13\n"
                               "v_mul_f32 v14, v12, v13\n"
                               "v_fma_f32 v15, -v11, v14, v12\n"
                               "v_fma_f32 v14, v15, v13, v14\n"
                               "v_fma_f32 v11, -v11, v14, v12\n"
                               "v_div_fmas_f32 v11, v11, v13, v14\n"
                               "v_div_fixup_f32 v10, v11, v4, v2\n";

/* v[2:3] / v[4:5] in v[10:11]. */
static const char text_f64[] = "v_div_scale_f64 v[12:13], s[4:5], v[4:5], v[4:5], v[2:3]\n"
                               "v_div_scale_f64 v[14:15], vcc, v[2:3], v[4:5], v[2:3]\n"
                               "v_rcp_f64 v[16:17], v[12:13]\n"
                               "v_fma_f64 v[18:19], -v[12:13], v[16:17], 1.0\n"
                               "v_fma_f64 v[16:17], v[16:17], v[18:19], v[16:17]\n"
                               "v_fma_f64 v[18:19], -v[12:13], v[16:17], 1.0\n"
                               "v_fma_f64 v[16:17], v[16:17], v[18:19], v[16:17]\n"
                               "v_mul_f64 v[18:19], v[14:15], v[16:17]\n"
                               "v_fma_f64 v[12:13], -v[12:13], v[18:19], v[14:15]\n"
                               "v_div_fmas_f64 v[12:13], v[12:13], v[16:17], v[18:19]\n"
                               "v_div_fixup_f64 v[10:11], v[12:13], v[4:5], v[2:3]\n";

static unsigned decode_all(const char *text, isa_inst_t *program)
{
    uint32_t *words;
    const size_t n = asm_words(text, &words);
    unsigned count = 0;
    size_t at = 0;
    assert_true(n > 0);
    while (at < n) {
        program[count] = (isa_inst_t){.op = 0};
        const int size = isa_decode(ASM_ARCH, words + at, (unsigned)(n - at), &program[count++]);
        assert_true(size > 0);
        at += (size_t)size;
    }
    free(words);
    return count;
}

/* Any exponents at all, so that scaling happens often. */
static uint64_t wild(type_t t)
{
    return rig_random() & 3 ? rig_random() : any_value(t);
}

static void quotients(const isa_core_t *core, type_t t, const char *text)
{
    isa_inst_t program[16];
    const unsigned n = decode_all(text, program);
    rig.random = UINT64_C(0x123456789abcdef);
    for (unsigned round = 0; round < 3000; round++) {
        for (unsigned reg = 2; reg <= 4; reg += 2)
            for (int l = 0; l < 64; l++) {
                const uint64_t x = wild(t);
                rig.rows[reg][l] = (uint32_t)x;
                if (t == f64) rig.rows[reg + 1][l] = (uint32_t)(x >> 32);
            }
        run_program(core, program, n);
        if (rig.wave.stop) fail_msg("stopped: %s", rig.wave.message);
        for (int l = 0; l < 64; l++) {
            const uint64_t a = get_row(rig.rows, 2, l, t), b = get_row(rig.rows, 4, l, t);
            const uint64_t have = get_row(rig.rows, 10, l, t);
            const uint64_t want =
                t == f32 ? of_f32(as_f32(a) / as_f32(b)) : of_f64(as_f64(a) / as_f64(b));
            if (have != want && !(is_nan(t, have) && is_nan(t, want)))
                fail_msg("%s: 0x%llx / 0x%llx is 0x%llx, not 0x%llx", core->name,
                         (unsigned long long)a, (unsigned long long)b, (unsigned long long)have,
                         (unsigned long long)want);
        }
    }
}

static void division(void **state)
{
    static const char *const cores[] = {"base", "avx2", "avx512"};
    (void)state;
    rig.group.dispatch = &rig.dispatch;
    rig.wave = (isa_wave_t){.group = &rig.group,
                            .vgpr = rig.rows,
                            .page = &no_code,
                            .mode = PLAIN_MODE,
                            .exec = UINT64_MAX};
    for (unsigned c = 0; c < 3; c++) {
        const isa_core_t *core = isa_core_by_name(cores[c]);
        if (!core) continue;
        quotients(core, f32, text_f32);
        quotients(core, f64, text_f64);
    }
}

static uint64_t fixup16(lane_t *x)
{
    const uint64_t q = x->a & 0xffff, den = x->b & 0xffff, num = x->c & 0xffff;
    const uint64_t sign = (den ^ num) & 0x8000;
    const float d = fabsf((float)as_f16(den)), n = fabsf((float)as_f16(num));
    if (is_nan(f16, num)) return quiet(f16, num);
    if (is_nan(f16, den)) return quiet(f16, den);
    if ((d == 0 && n == 0) || (isinf(d) && isinf(n))) return 0xfe00;
    if (d == 0 || isinf(n)) return sign | 0x7c00;
    if (isinf(d) || n == 0) return sign;
    return sign | (q & 0x7fff);
}

static const row_t half_rows[] = {
    {"v_div_fixup_f16 D, A, B, C", f16, {f16, f16, f16}, KEEP, fixup16},
    {"v_div_fixup_legacy_f16 D, A, B, C", f16, {f16, f16, f16}, 0, fixup16},
};

static void half_fixup(void **state)
{
    (void)state;
    test_rows(half_rows, sizeof half_rows / sizeof *half_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(half_fixup), cmocka_unit_test(division)};
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
