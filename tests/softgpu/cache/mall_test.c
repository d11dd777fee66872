/* mall_test.c - the cache of memory behind the L2s: what fills it, and how long reads take.
 *
 * 256 KiB of 16 ways behind L2s of 64 KiB: 4096 lines of 64 bytes. How many reads it served follows
 * from TCC_EA_RDREQ_LEVEL, the sum of the clocks of all reads below L2. */
#include "rig.h"

#include <unistd.h>

#define LOAD  "global_load_dword v2, v[0:1], off"
#define STORE "global_store_dword v[0:1], v2, off"

enum {
    KB = 1024,
    SIZE = 256 * KB,
    XCC_CUS = 8, /* compute units of an XCC */
    L2_LATENCY = 200,
    MALL_LATENCY = 500,
    VRAM_LATENCY = 900,
    HOST_LATENCY = 2000
};

static sg_profile_t mall_profile(void)
{
    sg_profile_t p = rig_profile();
    p.l2_kb = 64;
    p.l2_channels = 2;
    p.mall_kb = SIZE / KB;
    p.l2_latency = L2_LATENCY;
    p.mall_latency = MALL_LATENCY;
    p.vram_latency = VRAM_LATENCY;
    p.host_latency = HOST_LATENCY;
    return p;
}

static rig_t *mall_rig(void)
{
    const sg_profile_t p = mall_profile();
    return rig_create_profile(&p);
}

static void touch(rig_t *r, const char *text, uint64_t from, uint64_t bytes)
{
    for (uint64_t at = from; at < from + bytes; at += 256) {
        rig_stride(r, at, 4);
        rig_do(r, text);
    }
}

/* What an XCC has read below L2. */
typedef struct {
    uint64_t reads, clocks;
} below_t;

static below_t below(const rig_t *r, unsigned xcc)
{
    below_t b = {0, 0};
    for (unsigned n = 0; n < r->profile.l2_channels; n++) {
        b.reads += sgc_value(r->model, SGC_TCC, xcc, n, EVENT(TCC_EA_RDREQ));
        b.clocks += sgc_value(r->model, SGC_TCC, xcc, n, EVENT(TCC_EA_RDREQ_LEVEL));
    }
    return b;
}

/* Since `before` the XCC has read so often from the MALL and from memory, and nothing else. */
static void expect_reads(const rig_t *r, unsigned xcc, below_t before, uint64_t mall,
                         uint64_t memory)
{
    const below_t now = below(r, xcc);
    assert_int_equal(now.reads - before.reads, mall + memory);
    assert_int_equal(now.clocks - before.clocks,
                     mall * (MALL_LATENCY - L2_LATENCY) + memory * (VRAM_LATENCY - L2_LATENCY));
}

static void empty_all(rig_t *r)
{
    sgc_flush(r->model, SGC_INV_L1 | SGC_INV_L2);
}

/* A stream as large as the MALL is there when it is read again. Of a stream half as large again,
 * each line has been pushed out before it is read again. */
static void streams(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        bool fits;
    } rows[] = {{SIZE, true}, {SIZE / 2 * 3, false}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rig_t *r = mall_rig();
        const uint64_t lines = rows[k].bytes / 64;
        below_t before = below(r, 0);
        touch(r, LOAD, 0, rows[k].bytes);
        expect_reads(r, 0, before, 0, lines);
        before = below(r, 0);
        touch(r, LOAD, 0, rows[k].bytes);
        expect_reads(r, 0, before, rows[k].fits ? lines : 0, rows[k].fits ? 0 : lines);
        rig_invariants(r);
        rig_destroy(r);
    }
}

/* A load ends sooner by the difference of the latencies, whatever has emptied the other caches. */
static void latency(void **state)
{
    (void)state;
    static const unsigned fences[] = {SGC_INV_L1 | SGC_INV_L2, SGC_INV_L1 | SGC_INV_L2_NC};
    rig_t *r = mall_rig();
    r->page.type = SGC_NC;
    touch(r, LOAD, 4 * KB - 256, 256); /* the page's translation is there now */
    touch(r, LOAD, 0, 256);
    const uint32_t of_memory = r->cost.latency;
    for (size_t k = 0; k < sizeof fences / sizeof *fences; k++) {
        sgc_flush(r->model, fences[k]);
        touch(r, LOAD, 0, 256);
        assert_int_equal(of_memory - r->cost.latency, VRAM_LATENCY - MALL_LATENCY);
    }
    sgc_release(r->model, 2);
    sgc_ended(r->model, 1000, 1000);
    sgc_begun(r->model);
    sgc_acquire(r->model, 2);
    touch(r, LOAD, 4 * KB - 256, 256);
    touch(r, LOAD, 0, 256);
    assert_int_equal(of_memory - r->cost.latency, VRAM_LATENCY - MALL_LATENCY);
    rig_destroy(r);
}

/* What one XCC has read or written the other finds, though it has an L2 of its own. */
static void shared_by_xccs(void **state)
{
    (void)state;
    sg_profile_t p = mall_profile();
    p.num_xcc = 2;
    rig_t *r = rig_create_profile(&p);
    const below_t none = {0, 0};
    touch(r, LOAD, 0, SIZE / 2);
    touch(r, STORE, SIZE / 2, SIZE / 2);
    sgc_flush(r->model, SGC_WB_L2);
    expect_reads(r, 0, none, 0, SIZE / 2 / 64);
    r->cu = XCC_CUS;
    touch(r, LOAD, 0, SIZE);
    expect_reads(r, 0, none, 0, SIZE / 2 / 64);
    expect_reads(r, 1, none, SIZE / 64, 0);
    rig_destroy(r);
}

/* Lines are there that L2 has written back: those that it has replaced, those that were too old to
 * be dirty, and those that a fence asked for. */
static void writes_fill(void **state)
{
    (void)state;
    enum { SETS = 32, WAYS = 16 };
    for (unsigned ways = 0; ways <= WAYS; ways += 8) {
        sg_profile_t p = mall_profile();
        p.l2_writeback_ways = ways;
        rig_t *r = rig_create_profile(&p);
        const below_t none = {0, 0};
        const uint64_t dirty = SETS * (ways < WAYS ? WAYS - ways : 1); /* lines of 128 bytes */
        touch(r, STORE, 0, SIZE);
        EXPECT(r, TCC_EA_WRREQ, SIZE / 64 - 2 * dirty);
        empty_all(r);
        EXPECT(r, TCC_EA_WRREQ, SIZE / 64);
        touch(r, LOAD, 0, SIZE);
        expect_reads(r, 0, none, SIZE / 64, 0);
        rig_destroy(r);
    }
}

/* One half of a line of L2 is there and the other is not: two reads, or one read of both, which
 * memory has to answer. `half`: the one that is there. */
static void half_there(uint32_t whole, unsigned half)
{
    sg_profile_t p = mall_profile();
    p.l2_reads_whole = whole;
    rig_t *r = rig_create_profile(&p);
    rig_stride(r, 64 * half, 0);
    rig_do(r, STORE);
    empty_all(r);
    const below_t none = {0, 0};
    touch(r, LOAD, 0, 256); /* two lines of L2 */
    expect_reads(r, 0, none, whole ? 0 : 1, whole ? 2 : 3);
    empty_all(r);
    touch(r, LOAD, 0, 256);
    expect_reads(r, 0, none, whole ? 2 : 5, whole ? 2 : 3);
    rig_destroy(r);
}

static void halves(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 4; k++)
        half_there(k & 1, k >> 1);
}

/* A load of one half reads the other one, too, and waits for the slower of both. */
static void waits_for_the_slower(void **state)
{
    (void)state;
    for (unsigned half = 0; half < 2; half++) {
        rig_t *r = mall_rig();
        rig_stride(r, 64 * half, 0);
        rig_do(r, STORE);
        empty_all(r);
        rig_do(r, LOAD);
        const uint32_t first = r->cost.latency;
        empty_all(r);
        rig_do(r, LOAD);
        assert_int_equal(first - r->cost.latency, VRAM_LATENCY - MALL_LATENCY);
        rig_destroy(r);
    }
}

/* A set has 16 lines. As many lines that are as far apart as the sets reach all stay. One more
 * pushes out the oldest one, which is the next to be read, and so on: none is found. */
static void ways(void **state)
{
    enum { WAYS = 16, REACH = SIZE / WAYS };
    (void)state;
    for (unsigned n = WAYS; n <= WAYS + 1; n++) {
        rig_t *r = mall_rig();
        r->page.fragment = 9; /* physical addresses are as far apart */
        below_t before = {0, 0};
        for (unsigned turn = 0; turn < 2; turn++) {
            before = below(r, 0);
            for (unsigned k = 0; k < n; k++) {
                rig_stride(r, k * REACH, 0);
                rig_do(r, LOAD);
            }
            empty_all(r);
        }
        expect_reads(r, 0, before, n == WAYS ? 2 * n : 0, n == WAYS ? 0 : 2 * n);
        rig_destroy(r);
    }
}

/* L2 keeps no line of uncached memory, and the MALL does. */
static void uncached(void **state)
{
    (void)state;
    rig_t *r = mall_rig();
    const below_t none = {0, 0};
    r->page.type = SGC_UC;
    touch(r, LOAD, 0, 256);
    expect_reads(r, 0, none, 0, 4);
    touch(r, STORE, 256, 256);
    sgc_flush(r->model, SGC_INV_L1);
    touch(r, LOAD, 0, 512);
    expect_reads(r, 0, none, 8, 4);
    rig_destroy(r);
}

/* The host's memory is not behind it. Without its latency, or its size, it has no model. */
static void not_there(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        sg_profile_t p = mall_profile();
        if (k == 1) p.mall_latency = 0;
        if (k == 2) p.mall_kb = 0;
        rig_t *r = rig_create_profile(&p);
        r->page.local = k > 0;
        const uint64_t each = (k ? VRAM_LATENCY : HOST_LATENCY) - L2_LATENCY;
        for (unsigned turn = 1; turn <= 2; turn++) {
            touch(r, STORE, 0, 256);
            empty_all(r);
            touch(r, LOAD, 0, 256);
            EXPECT(r, TCC_EA_RDREQ, 4 * turn);
            EXPECT(r, TCC_EA_RDREQ_LEVEL, 4 * turn * each);
        }
        rig_destroy(r);
    }
}

/* A part of the GPU has its share of the MALL: the lines of a sixth need not be a power of two. */
static void shares(void **state)
{
    (void)state;
    char error[256];
    sg_profile_t p = mall_profile();
    p.num_xcc = 6;
    p.cus = 6;
    assert_int_equal(sg_profile_partition(&p, "cpx", error, sizeof error), 6);
    assert_int_equal(p.mall_kb, 42);
    p.cus = 0;
    rig_t *r = rig_create_profile(&p);
    const uint64_t bytes = 40 * KB; /* whole pages, less than its 42 KiB */
    touch(r, LOAD, 0, bytes);
    empty_all(r);
    below_t before = below(r, 0);
    touch(r, LOAD, 0, bytes);
    expect_reads(r, 0, before, bytes / 64, 0);
    touch(r, LOAD, bytes, 2 * KB); /* as many as it has room for */
    empty_all(r);
    before = below(r, 0);
    touch(r, LOAD, 0, bytes + 2 * KB);
    expect_reads(r, 0, before, (bytes + 2 * KB) / 64, 0);
    touch(r, LOAD, 0, 3 * bytes);
    empty_all(r);
    before = below(r, 0);
    touch(r, LOAD, 0, bytes);
    expect_reads(r, 0, before, 0, bytes / 64);
    rig_destroy(r);
}

/* Misses of the scalar and of the instruction cache, and atomics that return, wait for the MALL as
 * loads do. */
static void other_readers(void **state)
{
    (void)state;
    rig_t *r = mall_rig();
    uint32_t took[2][3];
    touch(r, LOAD, 12 * KB - 256, 256); /* the unit has the page's translation then */
    for (unsigned turn = 0; turn < 2; turn++) {
        sgc_begun(r->model); /* of the dispatch before no line is on its way */
        touch(r, LOAD, 12 * KB - 256, 256);
        rig_set_s64(r, 4, RIG_VA);
        rig_do(r, "s_load_dword s0, s[4:5], 0x0");
        took[turn][0] = r->cost.latency;
        took[turn][1] = sgc_fetch(r->model, 0, 0, RIG_VA + 4 * KB);
        touch(r, "global_atomic_add v3, v[0:1], v2, off glc", 8 * KB, 256);
        took[turn][2] = r->cost.latency;
        sgc_flush(r->model, SGC_INV_L1 | SGC_INV_SCALAR | SGC_INV_INST | SGC_INV_L2);
    }
    for (unsigned k = 0; k < 3; k++)
        assert_int_equal(took[0][k] - took[1][k], VRAM_LATENCY - MALL_LATENCY);
    rig_destroy(r);
}

/* Lines of L2 as short as the MALL's: one read of each, by itself. */
static void short_lines(void **state)
{
    (void)state;
    const sg_profile_t p = mall_profile();
    const below_t none = {0, 0};
    isa_arch_t arch;
    rig_t *r = rig_of_lines_in(&p, &arch, 64, 64);
    touch(r, LOAD, 0, 512);
    expect_reads(r, 0, none, 0, 8);
    touch(r, STORE, 512, 256);
    empty_all(r);
    touch(r, LOAD, 0, 1024); /* the last four lines are new */
    expect_reads(r, 0, none, 12, 8 + 4);
    rig_destroy(r);
}

/* Its latency is between those of L2 and of memory: a profile that says otherwise is refused. */
static void between_l2_and_memory(void **state)
{
    (void)state;
    static const struct {
        unsigned latency;
        const char *error; /* its end, or NULL */
    } rows[] = {{0, NULL},
                {219, ": mall_latency: 219 is less than l2_latency, which is 220"},
                {220, NULL},
                {800, NULL},
                {801, ": mall_latency: 801 is more than vram_latency, which is 800"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        char path[] = "/tmp/mall_test.XXXXXX", error[256] = "";
        sg_profile_t p;
        const int file = mkstemp(path);
        assert_true(file >= 0);
        dprintf(file, "name x\nmall_latency %u\n", rows[k].latency);
        close(file);
        assert_int_equal(sg_profile_read(path, &p, error, sizeof error), rows[k].error ? -1 : 0);
        unlink(path);
        if (rows[k].error) assert_string_equal(error + strlen(path), rows[k].error);
    }
}

int main(void)
{
    if (!asm_available()) return 77;
    const struct CMUnitTest tests[] = {RIG_TEST(streams),
                                       RIG_TEST(latency),
                                       RIG_TEST(shared_by_xccs),
                                       RIG_TEST(writes_fill),
                                       RIG_TEST(halves),
                                       RIG_TEST(waits_for_the_slower),
                                       RIG_TEST(ways),
                                       RIG_TEST(uncached),
                                       RIG_TEST(not_there),
                                       RIG_TEST(shares),
                                       RIG_TEST(other_readers),
                                       RIG_TEST(short_lines),
                                       RIG_TEST(between_l2_and_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
