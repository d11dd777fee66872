/* gpus_test.c - rows of GPUs and products: some by hand, and what has to hold for all of them.
 *
 * Peaks are those of AMD's data sheets. The facts that softgpu's architectures have, too, must be
 * the same there. */
#include "gpus/gpus.h"
#include "isa/arch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void gpus_are_found(void **state)
{
    (void)state;
    const gpus_arch_t *a = gpus_find("gfx90a:sramecc+:xnack-");
    assert_non_null(a);
    assert_string_equal(a->name, "gfx90a");
    assert_int_equal(a->agprs, GPUS_AGPRS_UNIFIED);
    assert_int_equal(gpus_registers(a, 64)->vgprs, 512);
    assert_null(gpus_registers(a, 32));
    assert_null(gpus_registers(a, 16));
    const gpus_registers_t *r = gpus_registers(gpus_find("gfx1100"), 32);
    assert_int_equal(r->vgprs, 1536);
    assert_int_equal(r->granule, 24);
    assert_int_equal(r->encoded, 8);
    static const char *const unknown[] = {"",        "gfx",    "gfx9",   "gfx90",
                                          "gfx90aa", "GFX90A", ":gfx90a"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_null(gpus_find(unknown[i]));
    assert_null(gpus_at(gpus_count()));
    assert_null(gpus_product_at(gpus_product_count()));
    assert_null(gpus_product("nonsense"));
    assert_string_equal(gpus_product("MI300X")->arch->name, "gfx942");
    assert_string_equal(gpus_product("gfx942")->name, "mi300x");
    assert_null(gpus_find("gfx803")->blocks);
}

static void peaks_are_those_of_data_sheets(void **state)
{
    (void)state;
    static const struct {
        const char *product;
        gpus_type_t type;
        double teraflops;
    } rows[] = {
        {"mi210", GPUS_TYPE_F64, 22.6},       {"mi210", GPUS_TYPE_M_F16, 181.0},
        {"mi100", GPUS_TYPE_M_F32, 46.1},     {"mi100", GPUS_TYPE_M_BF16, 92.3},
        {"mi300x", GPUS_TYPE_F64, 81.7},      {"mi300x", GPUS_TYPE_F32, 163.4},
        {"mi300x", GPUS_TYPE_M_F16, 1307.4},  {"mi300x", GPUS_TYPE_M_F8, 2614.9},
        {"mi355x", GPUS_TYPE_M_F64, 78.6},    {"mi355x", GPUS_TYPE_M_F4, 10066.3},
        {"mi25", GPUS_TYPE_F16, 24.6},        {"rx7900xtx", GPUS_TYPE_F32, 61.4},
        {"rx9070xt", GPUS_TYPE_M_F16, 194.6}, {"rx9070xt", GPUS_TYPE_M_XF32, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const double peak = gpus_peak(gpus_product(rows[i].product), rows[i].type) / 1000;
        if (peak < rows[i].teraflops - 0.1 || peak > rows[i].teraflops + 0.1)
            fail_msg("%s %s: %.2f, the data sheet has %.1f", rows[i].product,
                     gpus_type_name(rows[i].type), peak, rows[i].teraflops);
    }
    assert_null(gpus_type_name(GPUS_TYPE_COUNT));
}

/* Words of descriptors, and what compilers print of such kernels. */
static void kernels_are_read(void **state)
{
    (void)state;
    enum { WAVE32 = 1 << 10, WGP = 1 << 29 };
    static const struct {
        const char *gpu;
        uint32_t rsrc1, rsrc3, properties, wave, vgprs, agprs, sgprs;
        bool whole_wgp;
    } rows[] = {
        {"gfx803", 5 | 4 << 6, 7, 0, 64, 24, 0, 48, false},
        {"gfx906", 5 | 4 << 6 | WGP, 7, WAVE32, 64, 24, 0, 48, false}, /* neither is there */
        {"gfx908", 5 | 4 << 6, 7, 0, 64, 24, 24, 48, false},
        {"gfx90a", 5 | 4 << 6, 7, 0, 64, 32, 16, 48, false}, /* 48 in all, AGPRs from 32 on */
        {"gfx950", 63 | 12 << 6, 63, 0, 64, 256, 256, 112, false},
        {"gfx942", 0, 63, 0, 64, 256, 0, 16, false}, /* an offset beyond what is allocated */
        {"gfx1030", 5 | 15 << 6 | WGP, 0, 0, 64, 24, 0, 128, true},
        {"gfx1100", 5, 0, WAVE32, 32, 48, 0, 128, false},
        {"gfx1201", 31 | WGP, 7, WAVE32, 32, 256, 0, 128, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const gpus_kernel_t k =
            gpus_kernel(gpus_find(rows[i].gpu), rows[i].rsrc1, rows[i].rsrc3, rows[i].properties);
        if (k.wave != rows[i].wave || k.vgprs != rows[i].vgprs || k.agprs != rows[i].agprs ||
            k.sgprs != rows[i].sgprs || k.whole_wgp != rows[i].whole_wgp)
            fail_msg("%s: waves of %u, %u + %u VGPRs, %u SGPRs, whole WGP %d", rows[i].gpu, k.wave,
                     k.vgprs, k.agprs, k.sgprs, k.whole_wgp);
    }
}

static void check_registers(const gpus_arch_t *a, const gpus_registers_t *r, uint32_t lanes)
{
    if (!r->vgprs) return;
    /* a granule is a whole number of what descriptors count, or descriptors count finer */
    if (r->vgprs % r->granule || (r->granule % r->encoded && r->encoded % r->granule))
        fail_msg("%s: %u VGPRs for waves of %u in granules of %u, counted by %u", a->name, r->vgprs,
                 lanes, r->granule, r->encoded);
}

static void all_rows_can_be(void **state)
{
    (void)state;
    for (size_t i = 0; i < gpus_count(); i++) {
        const gpus_arch_t *a = gpus_at(i);
        char name[32];
        snprintf(name, sizeof name, "gfx%u%x%x", a->target / 10000, a->target / 100 % 100,
                 a->target % 100);
        if (a->target) assert_string_equal(a->name, name);
        assert_non_null(gpus_registers(a, a->wave));
        check_registers(a, &a->wave64, 64);
        check_registers(a, &a->wave32, 32);
        assert_true(a->slots && a->simds && a->cus && a->barriers && a->rates[GPUS_TYPE_F32]);
        assert_true(a->lds_group <= a->lds && a->lds % a->lds_granule == 0);
        assert_int_equal(a->lds_group * a->cus, a->lds);
        assert_true(!a->blocks == !a->family && (!a->blocks || gpus_find(a->blocks)));
    }
    for (size_t i = 0; i < gpus_product_count(); i++) {
        const gpus_product_t *p = gpus_product_at(i);
        if (p->units % p->arch->cus || p->engines % p->xccs || p->units < p->engines * p->arrays)
            fail_msg("%s: %u units of %u engines", p->name, p->units, p->engines);
        assert_ptr_equal(gpus_product(p->name), p);
    }
}

/* What a thread trace is of: one of the units of a shader array. */
static void units_are_counted(void **state)
{
    static const struct {
        const char *gpu;
        uint32_t compute_units, units;
        const char *name;
    } rows[] = {
        {"gfx90a", 14, 14, "compute unit"},
        {"gfx950", 1, 1, "compute unit"},
        {"gfx1036", 2, 1, "workgroup processor"}, /* an array of one */
        {"gfx1100", 16, 8, "workgroup processor"},
        {"gfx1103", 3, 2, "workgroup processor"}, /* one of them is half off */
        {"gfx1201", 0, 0, "workgroup processor"},
        {"gfx9999", 7, 7, "compute unit"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(gpus_units(rows[i].gpu, rows[i].compute_units), rows[i].units);
        assert_string_equal(gpus_unit_name(rows[i].gpu), rows[i].name);
    }
}

static void softgpu_says_the_same(void **state)
{
    (void)state;
    const isa_arch_t *soft;
    for (size_t i = 0; (soft = isa_arch_at(i)); i++) {
        const gpus_arch_t *a = gpus_find(soft->name);
        assert_non_null(a);
        assert_int_equal(a->target, soft->gfx_target_version);
        assert_int_equal(a->drm_family, soft->drm_family);
        assert_int_equal(gpus_registers(a, 64)->vgprs, soft->simd_vgprs);
        assert_int_equal(gpus_registers(a, soft->lanes)->encoded, soft->vgpr_granule);
        assert_int_equal(a->lds_group, soft->group_lds);
        assert_int_equal(a->lds_granule, soft->lds_granule);
        assert_int_equal(a->vector_line, soft->vector_line);
        assert_int_equal(a->scalar_line, soft->scalar_line);
        assert_int_equal(a->l2_line, soft->l2_line);
        assert_int_equal(a->cus, isa_arch_unit_cus(soft));
        assert_int_equal(a->simds * a->cus, ISA_UNIT_SIMDS);
        assert_in_range(a->slots, 1, ISA_SIMD_SLOTS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpus_are_found),        cmocka_unit_test(peaks_are_those_of_data_sheets),
        cmocka_unit_test(kernels_are_read),      cmocka_unit_test(all_rows_can_be),
        cmocka_unit_test(softgpu_says_the_same), cmocka_unit_test(units_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
