/* init_memory.c - which bytes of a place count as written: after stores of waves, writes of the
 * host that nobody tells of, copies; by hand. */
#include "softgpu/check/init.h"
#include "softgpu/device/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <cmocka.h>

enum { BYTES = 1 << 16, PLACE = 4000, SECOND = 1 << 13 };

static uint8_t *host;
static uint64_t base; /* the GPU's address of it is another */
static sg_memory_t *memory;

static void give(uint64_t offset, const char *call)
{
    const chk_stack_t nowhere = {0};
    assert_int_not_equal(chk_place_add(base + offset, PLACE, call, 0, &nowhere), 0);
    chk_bytes_made(base + offset, PLACE);
}

static chk_bytes_t *place_at(uint64_t offset)
{
    chk_bytes_memo_t memo = {0};
    return chk_bytes_find(&memo, base + offset);
}

/* Of 16 bytes from there, those that nobody has written. */
static uint32_t unwritten(uint64_t offset)
{
    chk_bytes_t *b = place_at(offset);
    assert_non_null(b);
    return chk_bytes_unwritten(b, base + offset, 16);
}

static int set_up(void **unused)
{
    (void)unused;
    give(0, "hipMalloc");
    give(SECOND, "hipMalloc");
    return 0;
}

static void nothing_is_written_at_first(void **unused)
{
    (void)unused;
    assert_int_equal(unwritten(0), 0xffff);
    assert_int_equal(unwritten(PLACE - 16), 0xffff);
    assert_null(place_at(PLACE));
    assert_null(place_at(SECOND - 1));
    assert_false(chk_bytes_whole(place_at(0), base, 16));
}

static void other_memory_counts_as_written(void **unused)
{
    (void)unused;
    give(0, "hipHostMalloc");
    assert_null(place_at(0));
    give(0, "hipMalloc");
    assert_int_equal(unwritten(0), 0xffff);
}

static void stores_write_their_bytes(void **unused)
{
    (void)unused;
    chk_bytes_write(place_at(0), base + 3, 2);
    assert_int_equal(unwritten(0), 0xffff & ~0x18);
    assert_true(chk_bytes_has(place_at(0), base + 3, 2));
    assert_false(chk_bytes_has(place_at(0), base + 2, 2));
    /* from one word of bits to the next */
    chk_bytes_write(place_at(0), base + 60, 8);
    assert_true(chk_bytes_has(place_at(0), base + 60, 8));
    assert_false(chk_bytes_has(place_at(0), base + 61, 8));
    assert_true(chk_bytes_whole(place_at(0), base + 60, 8));
    assert_false(chk_bytes_whole(place_at(0), base + 60, 9));
    /* not beyond the end */
    chk_bytes_write(place_at(0), base + PLACE - 4, 64);
    assert_int_equal(unwritten(PLACE - 16), 0x0fff);
    assert_int_equal(unwritten(SECOND), 0xffff);
}

static void the_host_writes_unseen(void **unused)
{
    (void)unused;
    host[8] ^= 1;
    assert_int_equal(unwritten(0), 0xf0ff);
    host[8] ^= 1; /* has been seen: what is there now is the host's */
    assert_int_equal(unwritten(0), 0xf0ff);
}

static void undefined_values_stay_undefined(void **unused)
{
    static const uint8_t data[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    (void)unused;
    chk_bytes_write(place_at(0), base, 16);
    chk_bytes_store(place_at(0), base + 4, data, 8, 0x3c);
    memcpy(host + 4, data, sizeof data);
    assert_int_equal(unwritten(0), 0x3c << 4);
    /* until the host writes there */
    host[5] = 77;
    assert_int_equal(unwritten(0), 0x30 << 4);
}

/* What stays unwritten beside a byte that is stored is not the host's doing. */
static void neighbours_stay_unwritten(void **unused)
{
    static const uint8_t data[1] = {9};
    (void)unused;
    chk_bytes_store(place_at(0), base + 5, data, 1, 0);
    host[5] = 9;
    assert_int_equal(unwritten(0), 0xffff & ~0x20);
}

static void copies_carry_it_along(void **unused)
{
    (void)unused;
    chk_bytes_write(place_at(0), base, 6);
    /* to another place in a dword */
    chk_bytes_transfer(memory, base, base + SECOND + 1, 12);
    memmove(host + SECOND + 1, host, 12);
    assert_int_equal(unwritten(SECOND), 0xffff & ~(0x3f << 1));
    /* what is in no place is written, and so is a fill */
    chk_bytes_transfer(memory, base + PLACE + 100, base + SECOND, 8);
    chk_bytes_transfer(memory, 0, base + SECOND + 12, 4);
    assert_int_equal(unwritten(SECOND), 0x0f00);
}

static void what_is_given_again_is_nobodys(void **unused)
{
    (void)unused;
    chk_bytes_write(place_at(0), base, PLACE);
    assert_int_equal(unwritten(0), 0);
    chk_bytes_going(base, PLACE);
    assert_null(place_at(0));
    give(0, "hipMalloc");
    assert_int_equal(unwritten(0), 0xffff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_is_written_at_first, set_up),
        cmocka_unit_test_setup(other_memory_counts_as_written, set_up),
        cmocka_unit_test_setup(stores_write_their_bytes, set_up),
        cmocka_unit_test_setup(the_host_writes_unseen, set_up),
        cmocka_unit_test_setup(undefined_values_stay_undefined, set_up),
        cmocka_unit_test_setup(neighbours_stay_unwritten, set_up),
        cmocka_unit_test_setup(copies_carry_it_along, set_up),
        cmocka_unit_test_setup(what_is_given_again_is_nobodys, set_up),
    };
    host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory = sg_memory_create();
    base = UINT64_C(1) << 33;
    if (host == MAP_FAILED || !memory ||
        sg_memory_map(memory, base, BYTES, host, SG_MEM_WRITABLE) != 0)
        return 1;
    chk_memory_add(memory);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sg_memory_destroy(memory);
    munmap(host, BYTES);
    return failed;
}
