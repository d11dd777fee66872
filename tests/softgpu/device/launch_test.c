/* launch_test.c - how waves start on GPUs that do it otherwise than gfx90a: the device takes
 * work-item ids and scratch from its architecture's descriptor.
 *
 * The descriptor is a copy of gfx90a's with other members, and the instructions are gfx90a's. */
#include "rig.h"

#include "asm.h"
#include "softgpu/device/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ITEMS = 6 * 5 * 7, GROUP_X = 4, GROUP_Y = 3, GROUP_Z = 2 };

/* A lane stores v0, v1, v2 and s5 at args[0] + 16 * its place, which the counter at args[1] gives.
 */
static const char record_text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                                  "s_waitcnt lgkmcnt(0)\n"
                                  "v_mov_b32 v10, 0\n"
                                  "v_mov_b32 v11, 1\n"
                                  "global_atomic_add v12, v10, v11, s[10:11] glc\n"
                                  "s_waitcnt vmcnt(0)\n"
                                  "v_lshlrev_b32 v12, 4, v12\n"
                                  "v_mov_b32 v3, s5\n"
                                  "global_store_dwordx4 v12, v[0:3], s[8:9]\n"
                                  "s_endpgm\n";

static int by_ids(const void *a, const void *b)
{
    return memcmp(a, b, 12);
}

static uint32_t (*launch(rig_t *r, const rig_kernel_t *how, const uint32_t group[3],
                         uint32_t scratch))[4]
{
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const uint64_t out = rig_alloc(r, 16 * ITEMS), counter = rig_alloc(r, 4);
    const uint64_t args = rig_alloc(r, 16), signal = rig_signal(r, 1);
    ((uint64_t *)rig_ptr(r, args))[0] = out;
    ((uint64_t *)rig_ptr(r, args))[1] = counter;
    q.descriptor->compute_tmpring_size = 64 | 1u << 12; /* 64 waves of 1 KiB */
    q.descriptor->scratch_backing_memory_location = rig_alloc(r, 64 << 10);
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = rig_kernel(r, record_text, how),
                                       .args = args,
                                       .signal = signal,
                                       .scratch = scratch,
                                       .grid = {6, 5, 7},
                                       .group = {group[0], group[1], group[2]}});
    assert_true(rig_wait(r, signal, 0));
    assert_int_equal(*(uint32_t *)rig_ptr(r, counter), ITEMS);
    rig_close(&q);
    return rig_ptr(r, out);
}

/* Ids in a register for each axis, as before gfx90a. Most workgroups are whole, those at the edges
 * of the grid are not. */
static void test_ids_in_three_registers(void **state)
{
    isa_arch_t arch = isa_archs[ISA_ARCH_gfx90a];
    rig_t *r = rig_create(2);
    const uint32_t group[3] = {GROUP_X, GROUP_Y, GROUP_Z};
    uint32_t want[ITEMS][3], n = 0;
    (void)state;
    for (uint8_t axis = 0; axis < 3; axis++)
        arch.launch.item[axis] = (isa_item_id_t){axis, {0, 10}};
    r->device->arch = &arch;
    uint32_t(*found)[4] = launch(r, &(rig_kernel_t){.id_axes = 3}, group, 0);
    for (uint32_t z = 0; z < 7; z++)
        for (uint32_t y = 0; y < 5; y++)
            for (uint32_t x = 0; x < 6; x++, n++) {
                want[n][0] = x % GROUP_X;
                want[n][1] = y % GROUP_Y;
                want[n][2] = z % GROUP_Z;
            }
    qsort(want, ITEMS, sizeof *want, by_ids);
    qsort(found, ITEMS, sizeof *found, by_ids);
    for (n = 0; n < ITEMS; n++)
        assert_memory_equal(found[n], want[n], sizeof *want);
    rig_destroy(r);
}

/* Bit 0 of compute_pgm_rsrc2 asks for the wave's offset in scratch behind the workgroup's ids, but
 * not where the hardware sets FLAT_SCRATCH: there the next register stays as it was. */
static void test_scratch_offset(void **state)
{
    enum { WAVE_BYTES = 1024 };
    const uint32_t all[3] = {6, 5, 7}; /* one workgroup of four waves */
    (void)state;
    for (unsigned has = 0; has < 2; has++) {
        isa_arch_t arch = isa_archs[ISA_ARCH_gfx90a];
        rig_t *r = rig_create(2);
        uint32_t most = 0;
        arch.launch.scratch_offset = has;
        r->device->arch = &arch;
        uint32_t(*found)[4] = launch(r, &(rig_kernel_t){.id_axes = 1, .rsrc2 = 1}, all, 16);
        for (unsigned n = 0; n < ITEMS; n++) {
            assert_int_equal(found[n][3] % WAVE_BYTES, 0);
            if (found[n][3] > most) most = found[n][3];
        }
        assert_int_equal(most, has ? 3 * WAVE_BYTES : 0);
        rig_destroy(r);
    }
}

/* AGPRs behind the VGPRs in the same file, or in one of their own behind all of these. */
static void test_where_agprs_begin(void **state)
{
    static const char text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                               "v_mov_b32 v1, 5\n"
                               "v_accvgpr_write_b32 a0, 7\n"
                               "v_mov_b32 v2, 0\n"
                               "s_nop 1\n"
                               "v_accvgpr_read_b32 v3, a0\n"
                               "v_add_u32 v3, v3, v4\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "global_store_dword v2, v3, s[8:9]\n"
                               "s_endpgm\n";
    (void)state;
    for (unsigned own = 0; own < 2; own++) {
        isa_arch_t arch = isa_archs[ISA_ARCH_gfx90a];
        rig_t *r = rig_create(1);
        rig_queue_t q;
        if (own) arch.acc_granule = 0;
        r->device->arch = &arch;
        assert_true(rig_aql(r, &q));
        const uint64_t out = rig_alloc(r, 4), args = rig_alloc(r, 16), signal = rig_signal(r, 1);
        *(uint64_t *)rig_ptr(r, args) = out;
        rig_dispatch(&q, &(rig_dispatch_t){
                             .kernel = rig_kernel(r, text, NULL), .args = args, .signal = signal});
        assert_true(rig_wait(r, signal, 0));
        /* a0 is v4 where the rig's kernels have it, at row 4; else v4 is a register of its own */
        assert_int_equal(*(uint32_t *)rig_ptr(r, out), own ? 7 : 14);
        rig_close(&q);
        rig_destroy(r);
    }
}

/* Workgroup n runs on XCC n mod 4, and there on engines and units in turn, which HW_ID numbers
 * within the XCC. */
static void test_xccs_in_turn(void **state)
{
    static const char text[] = "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                               "s_getreg_b32 s12, hwreg(20)\n"
                               "s_getreg_b32 s13, hwreg(HW_REG_HW_ID)\n"
                               "s_lshl_b32 s14, s2, 3\n"
                               "v_mov_b32 v0, s14\n"
                               "v_mov_b32 v2, s12\n"
                               "v_mov_b32 v3, s13\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "global_store_dwordx2 v0, v[2:3], s[8:9]\n"
                               "s_endpgm\n";
    enum { XCCS = 4, ENGINES = 2, CUS = 2, GROUPS = 40 };
    isa_arch_t arch = isa_archs[ISA_ARCH_gfx90a];
    rig_t *r = rig_create_shaped(ENGINES, CUS);
    rig_queue_t q;
    (void)state;
    arch.hwregs = ISA_HWREG_XCC_ID + 1;
    r->device->arch = &arch;
    r->device->profile.num_xcc = XCCS;
    assert_true(rig_aql(r, &q));
    const uint64_t out = rig_alloc(r, 8 * GROUPS), args = rig_alloc(r, 16),
                   signal = rig_signal(r, 1);
    *(uint64_t *)rig_ptr(r, args) = out;
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = rig_kernel(r, text, NULL),
                                       .args = args,
                                       .signal = signal,
                                       .grid = {GROUPS}});
    assert_true(rig_wait(r, signal, 0));
    const uint32_t(*found)[2] = rig_ptr(r, out);
    for (uint32_t n = 0; n < GROUPS; n++) {
        assert_int_equal(found[n][0], n % XCCS);
        assert_int_equal(isa_bits_get(arch.hw_id.se, found[n][1]), n / XCCS % ENGINES);
        assert_int_equal(isa_bits_get(arch.hw_id.cu, found[n][1]), n / XCCS / ENGINES % CUS);
        assert_int_equal(found[n][1] >> 16, 0);
    }
    rig_close(&q);
    rig_destroy(r);
}

/* Arguments that the command processor puts into user registers: `length` dwords from dword
 * `offset` on, behind the pointer to all of them. A kernel that wants some begins with 256 bytes
 * for command processors that do not: here they say so. Each workgroup stores s2, s3, s4 and its
 * id. */
static void arguments_in_registers(uint32_t gpu, uint16_t length, uint16_t offset)
{
    enum { GROUPS = 3, DWORDS = 8, ABSENT = 0x77, PRELOAD = 58 /* of a kernel's descriptor */ };
    static const char text[] = "s_mov_b32 s2, 0x77\n"
                               "s_mov_b32 s3, 0x77\n"
                               "s_mov_b32 s4, 0x77\n"
                               ".fill 58, 4, 0xbf800000\n" /* s_nop 0 */
                               "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                               "s_lshl_b32 s6, s5, 4\n"
                               "v_mov_b32 v4, s6\n"
                               "v_mov_b32 v0, s2\n"
                               "v_mov_b32 v1, s3\n"
                               "v_mov_b32 v2, s4\n"
                               "v_mov_b32 v3, s5\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "global_store_dwordx4 v4, v[0:3], s[8:9]\n"
                               "s_endpgm\n";
    rig_t *r = rig_create_gpu(gpu, 1, 1);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const uint64_t out = rig_alloc(r, 16 * GROUPS), args = rig_alloc(r, 4 * DWORDS);
    const uint64_t signal = rig_signal(r, 1);
    uint32_t *arg = rig_ptr(r, args), (*found)[4] = rig_ptr(r, out);
    memcpy(arg, &out, sizeof out);
    for (uint32_t k = 2; k < DWORDS; k++)
        arg[k] = 100 + k;
    const uint64_t kernel = rig_kernel(r, text, &(rig_kernel_t){.user_sgprs = 5});
    *(uint16_t *)((uint8_t *)rig_ptr(r, kernel) + PRELOAD) = (uint16_t)(length | offset << 7);
    rig_dispatch(
        &q, &(rig_dispatch_t){.kernel = kernel, .args = args, .signal = signal, .grid = {GROUPS}});
    assert_true(rig_wait(r, signal, 0));
    for (uint32_t g = 0; g < GROUPS; g++) {
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(found[g][k], !length ? ABSENT : k < length ? arg[offset + k] : 0);
        assert_int_equal(found[g][3], g);
    }
    rig_close(&q);
    rig_destroy(r);
}

static void test_preloaded_arguments(void **state)
{
    (void)state;
    static const uint32_t gpus[] = {90010, 90402, 90500};
    for (unsigned k = 0; k < 3; k++) {
        arguments_in_registers(gpus[k], 0, 0);
        arguments_in_registers(gpus[k], 3, 0);
        arguments_in_registers(gpus[k], 3, 5);
        arguments_in_registers(gpus[k], 2, 3);
    }
}

/* EXEC_HI of waves of 32 lanes is a register like any other, and a wave starts with 0 in it,
 * whatever earlier waves, of this dispatch or of another, have left there. */
static void test_exec_hi_of_narrow_waves(void **state)
{
    (void)state;
    enum { WAVE32 = 1 << 10, GROUPS = 64, LANES = 256, DISPATCHES = 2 };
    static const char text[] = "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                               "v_mov_b32 v0, 0\n"
                               "v_mov_b32 v1, exec_hi\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "global_atomic_or v0, v1, s[8:9]\n"
                               "v_mov_b32 v1, 1\n"
                               "global_atomic_add v0, v1, s[8:9] offset:4\n"
                               "s_mov_b32 exec_hi, 0x12345678\n"
                               "v_mov_b32 v1, exec_hi\n"
                               "global_atomic_or v0, v1, s[8:9] offset:8\n"
                               "s_endpgm\n";
    asm_set_gpu("gfx1030");
    rig_t *r = rig_create_gpu(100300, 1, 2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const uint64_t kernel = rig_kernel(r, text, &(rig_kernel_t){.properties = WAVE32});
    const uint64_t out = rig_alloc(r, 12), args = rig_alloc(r, 8);
    memcpy(rig_ptr(r, args), &out, sizeof out);
    for (unsigned k = 0; k < DISPATCHES; k++) {
        const uint64_t signal = rig_signal(r, 1);
        rig_dispatch(&q, &(rig_dispatch_t){.kernel = kernel,
                                           .args = args,
                                           .signal = signal,
                                           .grid = {GROUPS * LANES},
                                           .group = {LANES}});
        assert_true(rig_wait(r, signal, 0));
    }
    const uint32_t *found = rig_ptr(r, out);
    assert_int_equal(found[0], 0);
    assert_int_equal(found[1], DISPATCHES * GROUPS * LANES);
    assert_int_equal(found[2], 0x12345678);
    rig_close(&q);
    rig_destroy(r);
    asm_set_gpu("gfx90a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xccs_in_turn),        cmocka_unit_test(test_ids_in_three_registers),
        cmocka_unit_test(test_scratch_offset),      cmocka_unit_test(test_where_agprs_begin),
        cmocka_unit_test(test_preloaded_arguments), cmocka_unit_test(test_exec_hi_of_narrow_waves),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
