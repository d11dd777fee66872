/* test_tables.c - layouts of the runtime's tables, the kernel map, register counts.
 *
 * Offsets are checked against literal numbers, not against the generated header. */
#include "fake_hsa.h"
#include "hsa/code_objects.h"
#include "hsa/kernel_map.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_offsets(void **state)
{
    (void)state;
    assert_int_equal(offsetof(hsax_core_table_t, hsa_queue_create_fn), 72);
    assert_int_equal(offsetof(hsax_core_table_t, hsa_executable_freeze_fn), 704);
    assert_int_equal(offsetof(hsax_amd_ext_table_t, hsa_amd_queue_intercept_create_fn), 312);
    assert_int_equal(hsax_amd_ext_offset(312, 608), 312);
    assert_int_equal(hsax_amd_ext_offset(312, 400), 296);
    assert_int_equal(hsax_amd_ext_offset(136, 400),
                     136);                              /* async_copy stood before the insertion */
    assert_int_equal(hsax_amd_ext_offset(144, 400), 0); /* on_engine: not in ROCr 1.5 */
    assert_int_equal(hsax_amd_ext_offset(432, 400), 392); /* queue_cu_get_mask: last of the old */
    assert_int_equal(hsax_amd_ext_offset(600, 600), 0);   /* beyond the runtime's own size */
}

static hsa_status_t hook(hsa_queue_t *queue)
{
    (void)queue;
    return HSA_STATUS_ERROR;
}

static void check_save_and_hook(bool old)
{
    hsax_api_table_t *table = fake_table(old);
    assert_true(hsax_tables_save(table));
    assert_ptr_equal(hsax.core.hsa_queue_create_fn, table->core->hsa_queue_create_fn);
    void *in_table;
    memcpy(&in_table, (char *)table->amd_ext + (old ? 296 : 312), sizeof in_table);
    assert_ptr_equal(hsax.amd_ext.hsa_amd_queue_intercept_create_fn, in_table);
    assert_null(hsax.amd_ext.hsa_amd_memory_async_copy_on_engine_fn);
    assert_true(HSAX_HOOK_CORE(table, hsa_queue_destroy, hook));
    assert_ptr_equal(table->core->hsa_queue_destroy_fn, hook);
    assert_ptr_not_equal(hsax.core.hsa_queue_destroy_fn, hook);
    assert_int_equal(HSAX_HOOK_AMD_EXT(table, hsa_amd_memory_async_copy_on_engine, hook), !old);
    assert_false(hsax_tables_save(table)); /* carries a hook */
    table->core->hsa_queue_destroy_fn = hsax.core.hsa_queue_destroy_fn;
    assert_true(hsax_tables_save(table)); /* started anew */
}

static void test_save_old(void **state)
{
    (void)state;
    check_save_and_hook(true);
}

static void test_save_new(void **state)
{
    (void)state;
    check_save_and_hook(false);
}

static atomic_bool reading = true;

static void *read_map(void *data)
{
    (void)data;
    long wrong = 0;
    while (atomic_load(&reading))
        for (uint64_t i = 1; i <= 20000; i += 7) {
            uint64_t id = hsax_kernel_id(i * 64);
            wrong += id != 0 && id != i;
        }
    return (void *)wrong;
}

static void test_kernel_map(void **state)
{
    (void)state;
    pthread_t thread;
    void *wrong;
    assert_int_equal(hsax_kernel_id(64), 0);
    pthread_create(&thread, NULL, read_map, NULL);
    for (uint64_t i = 1; i <= 20000; i++)
        assert_true(hsax_kernel_map_set(i * 64, i));
    for (uint64_t i = 1; i <= 20000; i++)
        assert_int_equal(hsax_kernel_id(i * 64), i);
    for (uint64_t i = 2; i <= 20000; i += 2)
        hsax_kernel_map_set(i * 64, 0);
    atomic_store(&reading, false);
    pthread_join(thread, &wrong);
    assert_null(wrong);
    assert_int_equal(hsax_kernel_id(64), 1);
    assert_int_equal(hsax_kernel_id(128), 0);
    assert_true(hsax_kernel_map_set(128, 77)); /* the same address, another kernel */
    assert_int_equal(hsax_kernel_id(128), 77);
}

/* A descriptor of 64 bytes: entry offset at 16, rsrc3 at 44, rsrc1 at 48, properties at 56. */
static void set32(unsigned char *descriptor, size_t at, uint32_t value)
{
    memcpy(descriptor + at, &value, sizeof value);
}

static void test_registers(void **state)
{
    (void)state;
    unsigned char d[64] = {0};
    hsax_kernel_t k = {0};
    set32(d, 16, 0x1240);
    set32(d, 44, 7);           /* accum offset: (7 + 1) * 4 = 32 */
    set32(d, 48, 5 | 4u << 6); /* (5 + 1) * 8 = 48 VGPRs in all; (4 / 2 + 1) * 16 = 48 SGPRs */
    hsax_kernel_registers("gfx90a", d, &k);
    assert_int_equal(k.arch_vgprs, 32);
    assert_int_equal(k.accum_vgprs, 16);
    assert_int_equal(k.sgprs, 48);
    assert_int_equal(k.entry_offset, 0x1240);
    hsax_kernel_registers("gfx908", d, &k);
    assert_int_equal(k.arch_vgprs, 24);
    assert_int_equal(k.accum_vgprs, 24);
    hsax_kernel_registers("gfx906", d, &k);
    assert_int_equal(k.arch_vgprs, 24);
    assert_int_equal(k.accum_vgprs, 0);
    set32(d, 56, 1 << 10); /* wave32 */
    hsax_kernel_registers("gfx1100", d, &k);
    assert_int_equal(k.arch_vgprs, 48);
    assert_int_equal(k.sgprs, 128);
    assert_int_equal(k.wave, 32);
    assert_false(k.whole_wgp);
    set32(d, 48, 5 | 1u << 29); /* on a whole WGP */
    hsax_kernel_registers("gfx1100", d, &k);
    assert_true(k.whole_wgp);
    hsax_kernel_registers("gfx1399", d, &k); /* of which nothing is known */
    assert_int_equal(k.arch_vgprs, 0);
    assert_int_equal(k.sgprs, 0);
    assert_int_equal(k.wave, 0);
    assert_false(k.whole_wgp);
    assert_int_equal(k.entry_offset, 0x1240);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets),   cmocka_unit_test(test_save_old),
        cmocka_unit_test(test_save_new),  cmocka_unit_test(test_kernel_map),
        cmocka_unit_test(test_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
