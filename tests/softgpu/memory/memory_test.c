/* memory_test.c - the page table: mapping, look-up, errors, and look-ups against a writer.
 *
 * Apart because it links the page table alone. Expected owners of addresses are kept in a plain
 * array by page; add cases freely. */
#include "softgpu/memory/memory.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

#define PAGE UINT64_C(4096)
#define GIB  (UINT64_C(1) << 30)

static uint8_t *fake_host(uint64_t n)
{
    return (uint8_t *)(uintptr_t)(0x100000 + n * 0x1000);
}

static void find_returns_the_extent_that_holds_the_address(void **state)
{
    (void)state;
    sg_memory_t *m = sg_memory_create();
    /* one that fills slots of every level: unaligned start, several GiB, unaligned end */
    const uint64_t big = 7 * GIB - 3 * PAGE, big_size = 3 * GIB + 5 * PAGE;
    assert_int_equal(sg_memory_map(m, big, big_size, fake_host(0), SG_MEM_WRITABLE), 0);
    assert_int_equal(sg_memory_map(m, big - PAGE, PAGE, fake_host(1), 0), 0);
    assert_int_equal(sg_memory_map(m, big + big_size, PAGE, fake_host(2), SG_MEM_EXECUTABLE), 0);
    const struct {
        uint64_t va;
        uint8_t *host;
    } rows[] = {
        {big - PAGE - 1, NULL},
        {big - PAGE, fake_host(1)},
        {big - 1, fake_host(1)},
        {big, fake_host(0)},
        {big + 2 * GIB + 12345, fake_host(0)},
        {big + big_size - 1, fake_host(0)},
        {big + big_size, fake_host(2)},
        {big + big_size + PAGE, NULL},
        {0, NULL},
        {UINT64_MAX, NULL},
        {UINT64_C(1) << 48, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sg_extent_t *e = sg_memory_find(m, rows[i].va);
        assert_ptr_equal(e ? e->host : NULL, rows[i].host);
        if (e) assert_true(e->begin <= rows[i].va && rows[i].va < e->end);
    }
    sg_memory_destroy(m);
}

/* What the program unmaps of its own memory, in one piece or in several, is not there any more; the
 * rest is, and all of it goes with the extent. */
static void registered_memory_that_is_gone_leaves_the_table(void **state)
{
    enum { PAGES = 1600 }; /* with slots of 2 MB in between */
    static const struct {
        uint64_t begin, end;
    } holes[] = {{0, 3}, {700, 701}, {703, 1300}, {1599, 1600}};
    const uint64_t va = 5 * GIB - 7 * PAGE;
    bool gone[PAGES] = {false};
    (void)state;
    sg_memory_t *m = sg_memory_create();
    uint8_t *host = mmap(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(host, MAP_FAILED);
    assert_int_equal(sg_memory_map(m, va - PAGE, PAGE, fake_host(1), SG_MEM_WRITABLE), 0);
    assert_int_equal(sg_memory_map(m, va, PAGES * PAGE, host, SG_MEM_WRITABLE | SG_MEM_REGISTERED),
                     0);
    const sg_extent_t *whole = sg_memory_prove(m, va + 800 * PAGE);
    assert_non_null(whole);
    assert_int_equal(whole->end - whole->begin, PAGES * PAGE);
    for (size_t h = 0; h < sizeof holes / sizeof holes[0]; h++) {
        const uint64_t epoch = sg_memory_epoch(m);
        munmap(host + holes[h].begin * PAGE, (holes[h].end - holes[h].begin) * PAGE);
        for (uint64_t i = holes[h].begin; i < holes[h].end; i++)
            gone[i] = true;
        assert_null(sg_memory_host(m, va + holes[h].begin * PAGE, 8, 0));
        assert_null(sg_memory_prove(m, va + (holes[h].end - 1) * PAGE + 5));
        assert_int_not_equal(sg_memory_epoch(m), epoch);
        for (uint64_t i = 0; i < PAGES; i++) {
            const sg_extent_t *e = sg_memory_prove(m, va + i * PAGE);
            assert_int_equal(e == NULL, gone[i]);
            if (!e) continue;
            assert_ptr_equal(e->host + (va + i * PAGE - e->begin), host + i * PAGE);
            assert_int_equal(e->flags, SG_MEM_WRITABLE | SG_MEM_REGISTERED);
            assert_true(e->end <= va + PAGES * PAGE && !gone[(e->end - va) / PAGE - 1]);
        }
    }
    assert_int_equal(sg_memory_unmap(m, va + 3 * PAGE, 697 * PAGE), -ENOENT);
    assert_int_equal(sg_memory_unmap(m, va, PAGES * PAGE), 0);
    assert_int_equal(sg_memory_unmap(m, va, PAGES * PAGE), -ENOENT);
    for (uint64_t i = 0; i < PAGES; i++)
        assert_null(sg_memory_find(m, va + i * PAGE));
    assert_ptr_equal(sg_memory_host(m, va - PAGE, PAGE, 0), fake_host(1)); /* nobody looks here */
    assert_int_equal(sg_memory_map(m, va, PAGES * PAGE, fake_host(2), 0), 0);
    munmap(host, PAGES * PAGE);
    sg_memory_destroy(m);
}

static void host_needs_one_extent_and_the_flags(void **state)
{
    (void)state;
    sg_memory_t *m = sg_memory_create();
    uint8_t *host = fake_host(0);
    assert_int_equal(sg_memory_map(m, 0x10000, 2 * PAGE, host, SG_MEM_WRITABLE | SG_MEM_HOST), 0);
    assert_int_equal(sg_memory_map(m, 0x12000, PAGE, host + 2 * PAGE, 0), 0);
    assert_ptr_equal(sg_memory_host(m, 0x10010, 16, 0), host + 16);
    assert_ptr_equal(sg_memory_host(m, 0x10000, 2 * PAGE, SG_MEM_WRITABLE), host);
    assert_null(sg_memory_host(m, 0x10000, 2 * PAGE + 1, 0));
    assert_null(sg_memory_host(m, 0x10000, 8, SG_MEM_EXECUTABLE));
    assert_null(sg_memory_host(m, 0x12000, 8, SG_MEM_WRITABLE));
    assert_null(sg_memory_host(m, 0x13000, 1, 0));
    sg_memory_destroy(m);
}

/* A kernel may have looked an address up before the memory is unmapped, and access it afterwards:
 * the fault is the kernel's. */
static void host_addresses_stay_known_behind_an_unmap(void **state)
{
    const uint64_t first = 3 * GIB, second = 4 * GIB;
    uint64_t va = 0;
    (void)state;
    sg_memory_t *m = sg_memory_create();
    assert_false(sg_memory_behind(m, fake_host(3), &va));
    assert_int_equal(sg_memory_map(m, first, 2 * PAGE, fake_host(2), 0), 0);
    assert_int_equal(sg_memory_map(m, second, PAGE, fake_host(8), 0), 0);
    for (int unmapped = 0; unmapped < 3; unmapped++) {
        assert_true(sg_memory_behind(m, fake_host(3) + 20, &va));
        assert_int_equal(va, first + PAGE + 20);
        assert_true(sg_memory_behind(m, fake_host(8), &va));
        assert_int_equal(va, second);
        assert_false(sg_memory_behind(m, fake_host(4), &va));
        if (unmapped == 0) assert_int_equal(sg_memory_unmap(m, first, 2 * PAGE), 0);
        if (unmapped == 1) assert_int_equal(sg_memory_unmap(m, second, PAGE), 0);
    }
    sg_memory_destroy(m);
}

static void wrong_ranges_are_refused(void **state)
{
    (void)state;
    sg_memory_t *m = sg_memory_create();
    assert_int_equal(sg_memory_map(m, 4 * GIB, GIB, fake_host(0), 0), 0);
    const struct {
        uint64_t va, size;
    } bad[] = {
        {4 * GIB, GIB},
        {4 * GIB - PAGE, 2 * PAGE},
        {5 * GIB - PAGE, PAGE},
        {4 * GIB + PAGE, PAGE},
        {3 * GIB, 3 * GIB},
        {0, 512 * GIB},
        {0x10001, PAGE},
        {0x10000, 100},
        {0x10000, 0},
        {(UINT64_C(1) << 48) - PAGE, 2 * PAGE},
        {UINT64_C(1) << 50, PAGE},
        {PAGE, UINT64_MAX - PAGE + 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(sg_memory_map(m, bad[i].va, bad[i].size, fake_host(9), 0), -EINVAL);
    /* a refused range leaves nothing behind */
    assert_null(sg_memory_find(m, 3 * GIB));
    assert_null(sg_memory_find(m, 4 * GIB - PAGE));

    const uint64_t epoch = sg_memory_epoch(m);
    assert_int_equal(sg_memory_unmap(m, 4 * GIB, PAGE), -ENOENT);
    assert_int_equal(sg_memory_unmap(m, 4 * GIB + PAGE, GIB - PAGE), -ENOENT);
    assert_int_equal(sg_memory_unmap(m, 0, PAGE), -ENOENT);
    assert_int_equal(sg_memory_epoch(m), epoch);
    assert_int_equal(sg_memory_unmap(m, 4 * GIB, GIB), 0);
    assert_int_not_equal(sg_memory_epoch(m), epoch);
    assert_null(sg_memory_find(m, 4 * GIB));
    /* over the tables that the refused attempts left */
    assert_int_equal(sg_memory_map(m, 3 * GIB, 3 * GIB, fake_host(3), 0), 0);
    assert_ptr_equal(sg_memory_find(m, 6 * GIB - 1)->host, fake_host(3));
    assert_int_equal(sg_memory_unmap(m, 3 * GIB, 3 * GIB), 0);
    assert_null(sg_memory_find(m, 5 * GIB));
    sg_memory_destroy(m);
}

/* Random maps and unmaps over 2^12 pages around a 2 MiB boundary, checked against an array. */
static void random_maps_agree_with_an_array(void **state)
{
    (void)state;
    enum { PAGES = 4096 };
    const uint64_t base = 10 * GIB - 2000 * PAGE;
    static uint16_t owner[PAGES], size_of[PAGES];
    sg_memory_t *m = sg_memory_create();
    srand(1);
    for (int step = 0; step < 20000; step++) {
        const unsigned at = (unsigned)rand() % PAGES;
        if (owner[at]) {
            const unsigned first = owner[at] - 1u, n = size_of[first];
            assert_int_equal(sg_memory_unmap(m, base + first * PAGE, n * PAGE), 0);
            for (unsigned i = first; i < first + n; i++)
                owner[i] = 0;
        } else {
            unsigned n = 1 + (unsigned)rand() % (step % 7 ? 8 : 1200), free_pages = 0;
            if (n > PAGES - at) n = PAGES - at;
            while (free_pages < n && !owner[at + free_pages])
                free_pages++;
            const int rc = sg_memory_map(m, base + at * PAGE, n * PAGE, fake_host(at), 0);
            assert_int_equal(rc, free_pages == n ? 0 : -EINVAL);
            if (rc) continue;
            size_of[at] = (uint16_t)n;
            for (unsigned i = at; i < at + n; i++)
                owner[i] = (uint16_t)(at + 1);
        }
        if (step % 100) continue;
        for (unsigned i = 0; i < PAGES; i++) {
            const sg_extent_t *e = sg_memory_find(m, base + i * PAGE + 17);
            assert_ptr_equal(e ? e->host : NULL, owner[i] ? fake_host(owner[i] - 1u) : NULL);
        }
    }
    sg_memory_destroy(m);
}

typedef struct {
    sg_memory_t *m;
    _Atomic int stop;
    _Atomic unsigned wrong, seen;
} race_t;

static void *race_reader(void *arg)
{
    race_t *r = arg;
    unsigned n = 0;
    while (!atomic_load(&r->stop)) {
        const uint64_t va = GIB + (n++ % 1024) * PAGE;
        const sg_extent_t *e = sg_memory_find(r->m, va);
        if (!e) continue;
        atomic_fetch_add(&r->seen, 1);
        if (va < e->begin || va >= e->end || e->host != fake_host(e->begin / PAGE))
            atomic_fetch_add(&r->wrong, 1);
    }
    return NULL;
}

static void readers_see_whole_extents_while_a_writer_works(void **state)
{
    (void)state;
    race_t r = {.m = sg_memory_create()};
    pthread_t readers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&readers[i], NULL, race_reader, &r);
    for (int step = 0; step < 3000 || (!atomic_load(&r.seen) && step < 3000000); step++) {
        for (uint64_t p = 0; p < 1024; p += 128) {
            const uint64_t va = GIB + (p + step % 64) * PAGE;
            assert_int_equal(sg_memory_map(r.m, va, 64 * PAGE, fake_host(va / PAGE), 0), 0);
        }
        for (uint64_t p = 0; p < 1024; p += 128)
            assert_int_equal(sg_memory_unmap(r.m, GIB + (p + step % 64) * PAGE, 64 * PAGE), 0);
    }
    atomic_store(&r.stop, 1);
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    assert_int_equal(atomic_load(&r.wrong), 0);
    assert_true(atomic_load(&r.seen) > 0);
    sg_memory_destroy(r.m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find_returns_the_extent_that_holds_the_address),
        cmocka_unit_test(host_needs_one_extent_and_the_flags),
        cmocka_unit_test(host_addresses_stay_known_behind_an_unmap),
        cmocka_unit_test(wrong_ranges_are_refused),
        cmocka_unit_test(random_maps_agree_with_an_array),
        cmocka_unit_test(registered_memory_that_is_gone_leaves_the_table),
        cmocka_unit_test(readers_see_whole_extents_while_a_writer_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
