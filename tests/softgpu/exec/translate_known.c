/* translate_known.c - what the translator knows of lanes when it writes LLVM's assembly: the text
 * of a read of other lanes' registers shows it.
 *
 * Results do not show it, since a read whose lanes are not known is only slower. */
#include "translate_rig.h"

#include "softgpu/exec/code.h"
#include "softgpu/exec/translate_internal.h"

enum { MODE = 0x2f0 };

typedef struct {
    const char *gpu;
    unsigned lanes;
    const char *mask; /* VCC, as the assembler calls it, which takes gfx1030 for one of 32 lanes */
} wave_t;

static const wave_t waves[] = {
    {"gfx90a", 64, "vcc"}, {"gfx1030", 64, "vcc_lo"}, {"gfx1030", 32, "vcc_lo"}};
enum { WAVES = sizeof waves / sizeof *waves };

/* The numbers of lanes are in v1, four times these in v2. */
#define NUMBERS                                                                                    \
    "v_mbcnt_lo_u32_b32 v1, -1, 0\n v_mbcnt_hi_u32_b32 v1, -1, v1\n v_lshlrev_b32 v2, 2, v1\n"
#define READ "ds_bpermute_b32 v10, v3, v30\n s_endpgm\n"

static rig_t *rig_for(const wave_t *wave, const char *program)
{
    rig_t *r = rig_create();
    const isa_core_t *core = isa_core_by_name("avx2");
    asm_set_gpu(wave->gpu);
    set_gpu(r, isa_arch_named(wave->gpu), wave->lanes == 32 ? isa_core_narrow(core) : core);
    rig_assemble(r, 0, program);
    return r;
}

/* The function that the translator writes for the program, to be freed. */
static char *function_for(const wave_t *wave, const char *program)
{
    rig_t *r = rig_for(wave, program);
    isa_page_t *page = isa_code_page(r->cache, r->core, RIG_CODE);
    const isa_library_t *library = isa_library_for(r->core);
    assert_non_null(page);
    assert_int_equal(isa_compiler_open(library), ISA_REFUSED_NOT);
    const unsigned first = isa_slot_index(page, RIG_CODE), last = isa_plan_reach(page, first).last;
    isa_plan_t *plan = calloc(1, sizeof *plan);
    assert_non_null(plan);
    *plan = (isa_plan_t){.page = page, .mode = MODE, .calls = true};
    assert_int_equal(isa_plan_make(plan, first, last), ISA_REFUSED_NOT);
    char *text = isa_emit(plan, library);
    assert_non_null(text);
    free(plan);
    rig_destroy(r);
    char *function = strdup(strstr(text, "define i64 @translated("));
    free(text);
    return function;
}

/* Reads of lanes that are not known are gathered where a permutation does not reach them. */
static void expect(const wave_t *wave, const char *program, bool known)
{
    char *function = function_for(wave, program);
    const bool gathers = strstr(function, ".gather."),
               copies = strstr(function, "call void @offer(");
    if (known ? gathers || copies || !strstr(function, "@table") : !gathers)
        fail_msg("%s, %u lanes: %s%s, %s: %s", wave->gpu, wave->lanes, gathers ? "a gather" : "",
                 copies ? ", a copy" : "", known ? "known" : "not known", function);
    free(function);
}

static void numbers_are_known(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WAVES; k++)
        expect(&waves[k], NUMBERS "v_xor_b32 v3, 4, v2\n" READ, true);
}

/* A comparison's mask is, too, and what is chosen by it. */
static void masks_are_known(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WAVES; k++) {
        char program[400];
        snprintf(program, sizeof program,
                 NUMBERS "v_cmp_lt_u32 %s, 2, v1\n v_cndmask_b32 v3, 4, v2, %s\n" READ,
                 waves[k].mask, waves[k].mask);
        expect(&waves[k], program, true);
    }
}

/* A register that the code does not write, and one whose other half stays. */
static void others_are_not_known(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WAVES; k++)
        expect(&waves[k], NUMBERS "v_xor_b32 v3, v2, v31\n" READ, false);
    expect(&waves[1], NUMBERS "v_add_nc_u16 v3, v1, v2\n" READ, false);
    expect(&waves[2], NUMBERS "v_add_nc_u16 v3, v1, v2\n" READ, false);
}

int main(void)
{
    if (!asm_available()) return 77;
    isa_translate_limit(UINT64_MAX);
    if (!translates_here()) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_known),
                                       cmocka_unit_test(masks_are_known),
                                       cmocka_unit_test(others_are_not_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
