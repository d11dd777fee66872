/* sdma_test.c - SDMA packets against plain host code on a copy of the memory.
 *
 * Every packet ROCr sends is one row or one test; memory outside what a packet names must stay. */
#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

enum { AREA = 1 << 20 };

typedef struct {
    rig_t *rig;
    rig_queue_t q;
    uint64_t area;  /* GPU address; lies across the border of two extents */
    uint8_t *model; /* what the area should hold */
    uint64_t done;
    uint32_t fences;
    uint64_t random;
} bench_t;

static uint32_t random32(bench_t *b)
{
    b->random = b->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(b->random >> 32);
}

static void setup_gpu(bench_t *b, uint32_t gfx_target_version)
{
    memset(b, 0, sizeof *b);
    b->random = 1;
    b->rig = gfx_target_version ? rig_create_gpu(gfx_target_version, 1, 1) : rig_create(1);
    assert_true(rig_sdma(b->rig, &b->q));
    b->done = rig_alloc(b->rig, 4);
    b->area = RIG_VA + (32 << 20) - AREA / 2;
    b->model = malloc(AREA);
    uint8_t *real = rig_ptr(b->rig, b->area);
    for (uint32_t i = 0; i < AREA; i++)
        real[i] = b->model[i] = (uint8_t)random32(b);
}

static void setup(bench_t *b)
{
    setup_gpu(b, 0);
}

static void finish(bench_t *b)
{
    uint32_t *done = rig_ptr(b->rig, b->done);
    b->fences++;
    rig_sdma_write(&b->q, (uint32_t[]){5, (uint32_t)b->done, (uint32_t)(b->done >> 32), b->fences},
                   4);
    assert_true(rig_wait_word((_Atomic uint32_t *)done, b->fences));
    assert_memory_equal(rig_ptr(b->rig, b->area), b->model, AREA);
}

static void teardown(bench_t *b)
{
    rig_close(&b->q);
    free(b->model);
}

#define LO(va) ((uint32_t)(va))
#define HI(va) ((uint32_t)((va) >> 32))

static void test_copy_linear(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    for (int i = 0; i < 200; i++) {
        uint32_t bytes = 1 + random32(&b) % (i % 4 ? 3000 : AREA / 3);
        uint32_t from = random32(&b) % (AREA / 2 - bytes + 1),
                 to = AREA / 2 + random32(&b) % (AREA / 2 - bytes + 1);
        if (i & 1) {
            uint32_t t = from;
            from = to;
            to = t;
        }
        rig_sdma_write(&b.q,
                       (uint32_t[]){1, bytes - 1, 0, LO(b.area + from), HI(b.area + from),
                                    LO(b.area + to), HI(b.area + to)},
                       7);
        memcpy(b.model + to, b.model + from, bytes);
    }
    finish(&b);
    teardown(&b);
}

/* `pitch_at`: the first bit of the distance of rows. */
static void copy_rects(uint32_t gpu, uint32_t pitch_at)
{
    bench_t b;
    setup_gpu(&b, gpu);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t shift = i % 5, sp = 40 + random32(&b) % 20, dp = 40 + random32(&b) % 20;
        uint32_t ss = sp * 9, ds = dp * 9, w = 1 + random32(&b) % 20, h = 1 + random32(&b) % 8,
                 d = 1 + random32(&b) % 3;
        uint32_t sx = random32(&b) % 10, dx = random32(&b) % 10, sy = random32(&b) % 2,
                 dy = random32(&b) % 2, sz = random32(&b) % 2, dz = random32(&b) % 2;
        uint64_t from = AREA / 2 - 4096, to = AREA / 2 + 65536;
        uint64_t src = b.area + from, dst = b.area + to;
        rig_sdma_write(&b.q,
                       (uint32_t[]){1 | 4 << 8 | shift << 29, LO(src), HI(src), sx | sy << 16,
                                    sz | (sp - 1) << pitch_at, ss - 1, LO(dst), HI(dst),
                                    dx | dy << 16, dz | (dp - 1) << pitch_at, ds - 1,
                                    (w - 1) | (h - 1) << 16, d - 1},
                       13);
        uint32_t e = 1u << shift;
        for (uint32_t z = 0; z < d; z++)
            for (uint32_t y = 0; y < h; y++)
                for (uint32_t x = 0; x < w * e; x++)
                    b.model[to + ((dz + z) * ds + (dy + y) * dp + dx) * e + x] =
                        b.model[from + ((sz + z) * ss + (sy + y) * sp + sx) * e + x];
    }
    finish(&b);
    teardown(&b);
}

enum { GFX1201 = 120001 };

/* Offsets and sizes that only gfx12's packet has bits for, 16 along x and y and 14 along z. */
static void test_copy_large_rect(void **state)
{
    static const struct {
        uint32_t x, y, z, width, height, depth, pitch, slice;
    } rects[] = {{.x = 20000, .width = 65536, .height = 2, .depth = 1, .pitch = 65536, .slice = 1},
                 {.y = 16400, .width = 7, .height = 16390, .depth = 1, .pitch = 8, .slice = 1},
                 {.z = 2100, .width = 7, .height = 7, .depth = 2050, .pitch = 8, .slice = 64}};
    bench_t b;
    (void)state;
    setup_gpu(&b, GFX1201);
    for (size_t i = 0; i < sizeof rects / sizeof *rects; i++) {
        const uint32_t x = rects[i].x, y = rects[i].y, z = rects[i].z, w = rects[i].width,
                       h = rects[i].height, d = rects[i].depth, pitch = rects[i].pitch,
                       slice = rects[i].slice, first = x + y * pitch + z * slice;
        const uint64_t src = b.area, dst = b.area + AREA / 2;
        rig_sdma_write(&b.q,
                       (uint32_t[]){1 | 4 << 8, LO(src), HI(src), x | y << 16,
                                    z | (pitch - 1) << 16, slice - 1, LO(dst), HI(dst), x | y << 16,
                                    z | (pitch - 1) << 16, slice - 1, (w - 1) | (h - 1) << 16,
                                    d - 1},
                       13);
        for (uint32_t k = 0; k < d; k++)
            for (uint32_t row = 0; row < h; row++) {
                const uint32_t at = first + k * slice + row * pitch;
                memcpy(b.model + AREA / 2 + at, b.model + at, w);
            }
        finish(&b);
    }
    teardown(&b);
}

static void test_copy_rect(void **state)
{
    (void)state;
    copy_rects(0, 13);
    copy_rects(GFX1201, 16);
}

static void test_fill(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    for (int i = 0; i < 50; i++) {
        uint32_t dwords = 1 + random32(&b) % 20000, at = 4 * (random32(&b) % (AREA / 4 - dwords)),
                 value = random32(&b);
        uint64_t dst = b.area + at;
        rig_sdma_write(&b.q, (uint32_t[]){11 | 2u << 30, LO(dst), HI(dst), value, (dwords - 1) * 4},
                       5);
        for (uint32_t k = 0; k < dwords; k++)
            memcpy(b.model + at + 4 * k, &value, 4);
    }
    finish(&b);
    teardown(&b);
}

/* A submission as ROCr writes it: poll, times, flush, copy, decrement, mailbox, trap. */
static void test_submission(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    uint64_t dep = rig_alloc(b.rig, 8), times = rig_alloc(b.rig, 64), value = rig_alloc(b.rig, 8),
             box = rig_alloc(b.rig, 8);
    *(uint64_t *)rig_ptr(b.rig, dep) = 1;
    *(uint64_t *)rig_ptr(b.rig, value) = UINT64_C(0x100000000);
    const uint32_t packets[] = {
        8 | 3u << 28 | 1u << 31,
        LO(dep),
        HI(dep),
        0,
        0xffffffff,
        4 | 0xfffu << 16,
        13 | 2 << 8,
        LO(times),
        HI(times),
        8,
        0,
        0x80000000,
        0,
        0,
        0,
        1,
        99,
        0,
        LO(b.area),
        HI(b.area),
        LO(b.area + 5000),
        HI(b.area + 5000),
        13 | 2 << 8,
        LO(times + 32),
        HI(times + 32),
        10 | 47u << 25,
        LO(value),
        HI(value),
        0xffffffff,
        0xffffffff,
        0,
        0,
        0,
        5,
        LO(box),
        HI(box),
        321,
        6,
        321,
        2 << 16,
        0,
        0, /* NOP with two more dwords */
    };
    uint64_t before = sg_device_clock();
    rig_sdma_write(&b.q, packets, sizeof packets / 4);
    /* the packet waits, which has no event; 30 ms are long enough for the queue to stop polling */
    nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
    assert_int_equal(*(uint32_t *)rig_ptr(b.rig, box), 0);
    __atomic_store_n((uint64_t *)rig_ptr(b.rig, dep), 0, __ATOMIC_RELEASE);
    assert_true(rig_wait_word(&b.rig->raised[321], 1));
    memcpy(b.model + 5000, b.model, 100);
    finish(&b);
    const uint64_t *t = rig_ptr(b.rig, times);
    assert_true(before <= t[0] && t[0] <= t[4] && t[4] <= sg_device_clock());
    assert_int_equal(*(uint64_t *)rig_ptr(b.rig, value), 0xffffffff);
    assert_int_equal(*(uint32_t *)rig_ptr(b.rig, box), 321);
    teardown(&b);
}

static void test_poll_functions(void **state)
{
    static const struct {
        uint32_t function, reference, mask, before, after;
    } rows[] = {
        {1, 5, 0xff, 5, 4}, {2, 5, 0xff, 6, 5}, {3, 5, 0xff, 6, 0x105},
        {4, 5, 0xff, 5, 6}, {5, 5, 0xff, 4, 5}, {6, 5, 0xff, 5, 6},
    };
    bench_t b;
    (void)state;
    setup(&b);
    uint64_t cell = rig_alloc(b.rig, 4);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t mark = rig_alloc(b.rig, 4);
        *(uint32_t *)rig_ptr(b.rig, cell) = rows[i].before;
        rig_sdma_write(&b.q,
                       (uint32_t[]){8 | rows[i].function << 28 | 1u << 31, LO(cell), HI(cell),
                                    rows[i].reference, rows[i].mask, 0xfffu << 16, 5, LO(mark),
                                    HI(mark), 1},
                       10);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        assert_int_equal(*(uint32_t *)rig_ptr(b.rig, mark), 0);
        __atomic_store_n((uint32_t *)rig_ptr(b.rig, cell), rows[i].after, __ATOMIC_RELEASE);
        assert_true(rig_wait_word(rig_ptr(b.rig, mark), 1));
    }
    teardown(&b);
}

static void test_atomics(void **state)
{
    static const struct {
        uint32_t code;
        uint64_t before, source, compare, after;
    } rows[] = {
        {7, 0x1122334455667788, 9, 0, 0x1122334400000009},
        {39, 1, 0x1122334455, 0, 0x1122334455},
        {8, 5, 6, 5, 6},
        {8, 5, 6, 4, 5},
        {40, 1ull << 40, 6, 1ull << 40, 6},
        {40, 1, 6, 2, 1},
        {15, 0xffffffff, 2, 0, 1},
        {47, 0xffffffff, 2, 0, 0x100000001},
        {16, 5, 7, 0, 0xfffffffe},
        {48, 5, 7, 0, ~1ull},
    };
    bench_t b;
    (void)state;
    setup(&b);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t cell = rig_alloc(b.rig, 8);
        *(uint64_t *)rig_ptr(b.rig, cell) = rows[i].before;
        rig_sdma_write(&b.q,
                       (uint32_t[]){10 | rows[i].code << 25, LO(cell), HI(cell), LO(rows[i].source),
                                    HI(rows[i].source), LO(rows[i].compare), HI(rows[i].compare),
                                    0},
                       8);
        finish(&b);
        assert_int_equal(*(uint64_t *)rig_ptr(b.rig, cell), rows[i].after);
    }
    teardown(&b);
}

static void test_errors(void **state)
{
    static const struct {
        uint32_t dw[13], n;
        const char *text;
    } rows[] = {
        {{0x63}, 1, "unknown operation and sub-operation 0x63"},
        {{1 | 1 << 8, 0}, 2, "unknown operation"},
        {{10 | 99u << 25, LO(RIG_VA), HI(RIG_VA)}, 8, "atomic operation 0x63"},
        {{11, LO(RIG_VA), HI(RIG_VA), 0, 4}, 5, "fill of elements"},
        {{1, 3, 0}, 3, "not all written"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bench_t b;
        setup(&b);
        rig_sdma_write(&b.q, rows[i].dw, rows[i].n);
        assert_true(rig_wait_word(&b.rig->errors, 1));
        assert_int_equal(b.rig->error, SG_QUEUE_ERROR_PACKET);
        if (!strstr(b.rig->error_text, rows[i].text)) fail_msg("\"%s\"", b.rig->error_text);
        teardown(&b);
    }
}

static void test_fault(void **state)
{
    bench_t b;
    (void)state;
    setup(&b);
    uint64_t end = RIG_VA + (64 << 20);
    rig_sdma_write(
        &b.q, (uint32_t[]){1, 8191, 0, LO(b.area), HI(b.area), LO(end - 4096), HI(end - 4096)}, 7);
    assert_true(rig_wait_word(&b.rig->faults, 1));
    assert_int_equal(b.rig->fault_va, end);
    assert_int_equal(b.rig->fault_flags, 2);
    teardown(&b);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy_linear),     cmocka_unit_test(test_copy_rect),
        cmocka_unit_test(test_copy_large_rect), cmocka_unit_test(test_fill),
        cmocka_unit_test(test_submission),      cmocka_unit_test(test_poll_functions),
        cmocka_unit_test(test_atomics),         cmocka_unit_test(test_errors),
        cmocka_unit_test(test_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
