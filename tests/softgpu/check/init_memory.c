/* init_memory.c - which bytes of an allocation count as written: after stores of waves, after
 * writes of the host, which nobody announces, after copies; each set up by hand. */
#include "softgpu/check/init.h"
#include "softgpu/check/sink.h"
#include "softgpu/memory/guard.h"
#include "softgpu/memory/memory.h"

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

static void watch(const char *call, unsigned flags, bool wanted)
{
    const chk_stack_t nowhere = {0};
    chk_bytes_going(base, PLACE);
    assert_int_not_equal(chk_place_add(base, PLACE, call, flags, &nowhere), 0);
    chk_bytes_made(base, PLACE);
    assert_int_equal(place_at(0) != NULL, wanted);
}

/* Its end was told. */
static void end(void)
{
    const chk_stack_t nowhere = {0};
    chk_place_t p;
    assert_true(chk_place_at(base, &p));
    chk_place_end(base, p.serial, "hipFree", &nowhere, false);
    chk_bytes_going(base, PLACE);
}

/* What a pool gives out may still be in use where nobody has told that it is over. */
static void pools_are_watched_where_they_are_idle(void **unused)
{
    (void)unused;
    end();
    watch("hipMallocAsync", 0, true);
    assert_int_equal(unwritten(0), 0xffff);
    const uint32_t before = *(uint32_t *)host;
    *(uint32_t *)host = 5;
    watch("hipMallocAsync", 0, false);
    assert_int_equal(*(uint32_t *)host, 5);
    end();
    watch("hipMallocFromPoolAsync", 0, true);
    assert_int_equal(*(uint32_t *)host, before);
    end();
    watch("hsa_amd_memory_pool_allocate", SOFTGPU_CHECK_INNER, false); /* it asks for more */
    watch("hipMallocAsync", 0, true);
}

static void other_calls(void **unused)
{
    (void)unused;
    watch("hipMalloc3D", 0, true);
    watch("hipMemAllocPitch", 0, true);
    watch("hipMallocManaged", 0, false);
    watch("hsa_amd_memory_pool_allocate", 0, false); /* by nobody of the program's */
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

/* Lanes of one instruction: the memory is as before when all of them are told. */
static void lanes_share_a_dword(void **unused)
{
    static const uint8_t data[3] = {7, 8, 9};
    (void)unused;
    for (unsigned k = 0; k < 3; k++)
        chk_bytes_store(place_at(0), base + 4 + k, &data[k], 1, 0);
    memcpy(host + 4, data, sizeof data);
    assert_int_equal(unwritten(0), 0xffff & ~0x70);
    host[5] ^= 1; /* the host's own write is seen as ever */
    assert_int_equal(unwritten(0), 0xff0f);
}

/* What is copied to parts of dwords leaves the rest of them. */
static void copies_end_within_dwords(void **unused)
{
    (void)unused;
    memset(host + SECOND + PLACE + 100, 5, 16); /* is in no place */
    chk_bytes_transfer(memory, base + SECOND + PLACE + 100, base + 3, 6);
    memmove(host + 3, host + SECOND + PLACE + 100, 6);
    assert_int_equal(unwritten(0), 0xffff & ~(0x3f << 3));
    chk_bytes_transfer(memory, base + 3, base + SECOND + 1, 2);
    memmove(host + SECOND + 1, host + 3, 2);
    assert_int_equal(unwritten(SECOND), 0xffff & ~6);
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

/* Pages that are unmapped, of all the process. */
static unsigned unmapped;

int __real_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes);
int __wrap_munmap(void *at, size_t bytes)
{
    unmapped++;
    return __real_munmap(at, bytes);
}

/* The program takes away what a copy is about to read: the thread jumps out of it, and the place
 * that it was for can go all the same. */
static void copies_that_fault_keep_nothing(void **unused)
{
    (void)unused;
    enum { PAGE = 4096 };
    const uint64_t other = base + (UINT64_C(1) << 32);
    void *own = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(own, MAP_FAILED);
    assert_int_equal(sg_memory_map(memory, other, PAGE, own, SG_MEM_REGISTERED), 0);
    sg_guard_install();
    sg_guard_t g; /* as the thread of a queue has it */
    assert_true(sg_guard_enter(&g, memory));
    if (!sigsetjmp(g.back, 0)) {
        chk_bytes_transfer(memory, other, base + 1, 16);
        sg_guard_leave(&g);
    }
    unmapped = 0;
    chk_bytes_going(base, PLACE);
    assert_int_equal(unmapped, 2); /* its bits, and what it held */
    assert_int_equal(sg_memory_unmap(memory, other, PAGE), 0);
    munmap(own, PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_is_written_at_first, set_up),
        cmocka_unit_test_setup(other_memory_counts_as_written, set_up),
        cmocka_unit_test_setup(pools_are_watched_where_they_are_idle, set_up),
        cmocka_unit_test_setup(other_calls, set_up),
        cmocka_unit_test_setup(stores_write_their_bytes, set_up),
        cmocka_unit_test_setup(the_host_writes_unseen, set_up),
        cmocka_unit_test_setup(undefined_values_stay_undefined, set_up),
        cmocka_unit_test_setup(neighbours_stay_unwritten, set_up),
        cmocka_unit_test_setup(copies_carry_it_along, set_up),
        cmocka_unit_test_setup(lanes_share_a_dword, set_up),
        cmocka_unit_test_setup(copies_end_within_dwords, set_up),
        cmocka_unit_test_setup(what_is_given_again_is_nobodys, set_up),
        cmocka_unit_test_setup(copies_that_fault_keep_nothing, set_up),
    };
    host = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory = sg_memory_create();
    base = UINT64_C(1) << 33;
    if (host == MAP_FAILED || !memory ||
        sg_memory_map(memory, base, BYTES, host, SG_MEM_WRITABLE) != 0)
        return 1;
    chk_memory_add(memory, &isa_archs[ISA_ARCH_gfx90a]);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sg_memory_destroy(memory);
    munmap(host, BYTES);
    return failed;
}
