/* arch.c - the rows of the GPUs: each is found by its number and its name, and has everything that
 * is read of it. */
#include "isa/arch.h"
#include "isa/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void each_is_found(void **state)
{
    (void)state;
    const isa_arch_t *a;
    size_t n = 0;
    for (; (a = isa_arch_at(n)); n++) {
        assert_ptr_equal(isa_arch_find(a->gfx_target_version), a);
        assert_ptr_equal(isa_arch_named(a->name), a);
        if (n < ISA_ARCH_COUNT) assert_ptr_equal(a, &isa_archs[a->index]);
    }
    assert_int_equal(n, ISA_ARCH_COUNT + 13);
    assert_null(isa_arch_at(n + 1));
    assert_string_equal(isa_arch_find(90010)->name, "gfx90a");
    assert_string_equal(isa_arch_find(90402)->name, "gfx942");
    assert_null(isa_arch_find(90401));
    assert_null(isa_arch_find(0)); /* a CPU's */
    assert_null(isa_arch_named("gfx9"));
}

/* LLVM's features of such GPUs (AMDGPU.td) differ in the number of registers, and in errors of the
 * hardware that compilers go around. */
static void siblings_have_its_instructions(void **state)
{
    static const struct {
        const char *gpu, *like;
        uint32_t vgprs; /* of a SIMD */
    } rows[] = {
        {"gfx1031", "gfx1030", 512}, {"gfx1032", "gfx1030", 512}, {"gfx1033", "gfx1030", 512},
        {"gfx1034", "gfx1030", 512}, {"gfx1035", "gfx1030", 512}, {"gfx1036", "gfx1030", 512},
        {"gfx1101", "gfx1100", 768}, {"gfx1102", "gfx1100", 512}, {"gfx1103", "gfx1100", 512},
        {"gfx1150", "gfx1151", 512}, {"gfx1152", "gfx1151", 512}, {"gfx1153", "gfx1151", 512},
        {"gfx1200", "gfx1201", 768}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const isa_arch_t *a = isa_arch_named(rows[i].gpu), *like = isa_arch_named(rows[i].like);
        assert_int_equal(a->index, like->index);
        assert_ptr_equal(a->codes, like->codes);
        assert_ptr_equal(a->formats, like->formats);
        assert_int_equal(a->simd_vgprs, rows[i].vgprs);
        assert_int_not_equal(a->gfx_target_version, like->gfx_target_version);
    }
}

/* Whether one instruction waits for all counters. */
static bool has_waitcnt(const isa_arch_t *a)
{
    for (unsigned code = 0; code < ISA_OPCODES; code++)
        if (isa_op_by_code(a, ISA_FMT_SOPP, code) == ISA_OP_s_waitcnt) return true;
    return false;
}

static bool has_hwreg(const isa_arch_t *a, unsigned id)
{
    for (unsigned number = 0; number < a->hwregs; number++)
        if (a->formats->hwregs[number].id == id) return true;
    return false;
}

/* A field lies in the register, and the fields of a register do not overlap. */
static void take(uint32_t *register_bits, isa_bits_t b)
{
    const uint32_t mask = isa_bits_put(b, UINT32_MAX);
    assert_in_range(b.bits, 1, 31);
    assert_in_range(b.shift + b.bits, 1, 32);
    assert_int_equal(*register_bits & mask, 0);
    *register_bits |= mask;
}

static void fields_do_not_overlap(void **state)
{
    (void)state;
    for (const isa_arch_t *a = isa_archs; a < isa_archs + ISA_ARCH_COUNT; a++) {
        uint32_t wait = 0, id = 0, pc = 0, wave = 0;
        if (has_waitcnt(a)) {
            take(&wait, a->waitcnt.vm[0]);
            take(&wait, a->waitcnt.vm[1]);
            take(&wait, a->waitcnt.exp);
            take(&wait, a->waitcnt.lgkm);
            const isa_waits_t all = isa_waits(a, wait);
            assert_memory_equal(&all, &a->waits_most, sizeof all);
        }
        take(&id, a->hw_id.slot);
        take(&id, a->hw_id.simd);
        take(&id, a->hw_id.cu);
        take(&id, a->hw_id.sh);
        take(&id, a->hw_id.se);
        take(&pc, a->ttmp.pc_high);
        assert_int_equal(!a->ttmp.trap_id.bits, !a->ttmp.host.bits);
        if (a->ttmp.host.bits) {
            take(&pc, a->ttmp.trap_id);
            take(&pc, a->ttmp.host);
        } else { /* then a register says that the driver caused the trap */
            assert_true(has_hwreg(a, ISA_HWREG_WAVE_EXCP_FLAG_PRIV));
        }
        take(&wave, a->ttmp.wave_in_group);
        const bool shared = a->ttmp.packet == a->ttmp.wave;
        if (shared) take(&wave, a->ttmp.packet_index);
        if (a->ttmp.no_scratch.bits || !shared) take(&wave, a->ttmp.no_scratch);
    }
}

static void arrays_are_large_enough(void **state)
{
    enum { TTMPS = ISA_CODE_M0 - ISA_CODE_TTMP };
    (void)state;
    for (const isa_arch_t *a = isa_archs; a < isa_archs + ISA_ARCH_COUNT; a++) {
        assert_in_range(a->simd_vgprs, 1, ISA_SIMD_VGPRS);
        assert_in_range(a->group_lds, 64 << 10, ISA_GROUP_LDS);
        assert_in_range(1u << a->m0_lds.bits, a->group_lds, 2 * ISA_GROUP_LDS);
        assert_true(a->vgpr_granule && a->lds_granule);
        assert_true(a->formats->scopes || (a->cache_bits[0] && a->cache_bits[1]));
        assert_true(!a->memory_fields.flat_sc1.bits || a->cache_bits[2]);
        for (unsigned axis = 0; axis < 3; axis++) {
            assert_in_range(a->launch.item[axis].vgpr, 0, ISA_ID_ROWS - 1);
            assert_in_range(1u << a->launch.item[axis].bits.bits, 1024, 1024); /* of a workgroup */
        }
        assert_true(a->vector_line && a->scalar_line && a->l2_line);
        assert_in_range(1u << a->hw_id.simd.bits, ISA_UNIT_SIMDS, 32);
        assert_in_range(a->ttmp.pc, 0, TTMPS - 2);
        assert_in_range(a->ttmp.tma, 0, TTMPS - 2);
        assert_in_range(a->ttmp.group, 0, TTMPS - 3);
        assert_in_range(a->ttmp.packet, 0, TTMPS - 1);
        assert_in_range(a->ttmp.wave, 0, TTMPS - 1);
        assert_in_range(a->ttmp.status, 0, TTMPS - 1);
    }
}

/* Every GPU ends its kernels. */
static void each_has_instructions(void **state)
{
    (void)state;
    for (const isa_arch_t *a = isa_archs; a < isa_archs + ISA_ARCH_COUNT; a++) {
        unsigned code = 0;
        while (code < ISA_OPCODES && isa_op_by_code(a, ISA_FMT_SOPP, code) != ISA_OP_s_endpgm)
            code++;
        assert_in_range(code, 1, 0x7f);
    }
}

static void messages_name_them(void **state)
{
    char text[512], cut[8];
    (void)state;
    isa_arch_list(text, sizeof text);
    assert_non_null(strstr(text, "90010 (gfx90a)"));
    assert_non_null(strstr(text, "120000 (gfx1200)")); /* the last */
    isa_arch_list(cut, sizeof cut);
    assert_string_equal(cut, "90008 (");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_found),           cmocka_unit_test(fields_do_not_overlap),
        cmocka_unit_test(arrays_are_large_enough), cmocka_unit_test(each_has_instructions),
        cmocka_unit_test(messages_name_them),      cmocka_unit_test(siblings_have_its_instructions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
