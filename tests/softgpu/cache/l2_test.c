/* l2_test.c - channels, capacity, write-back and fences of L2.
 *
 * 8 MiB in 32 channels of 16 ways and 128 sets; 256 bytes in a row belong to one channel. */
#include "rig.h"

#include "softgpu/cache/l2.h"
#include "softgpu/cache/queue.h"

#define LOAD  "global_load_dword v2, v[0:1], off"
#define STORE "global_store_dword v[0:1], v2, off"

/* The model has lines of one or two times SGC_LINE bytes, of the scalar caches of one. */
static void lines_are_the_gpus(void **state)
{
    (void)state;
    for (const isa_arch_t *a = isa_archs; a < isa_archs + ISA_ARCH_COUNT; a++) {
        assert_in_range(a->vector_line / SGC_LINE, 1, 2);
        assert_in_range(a->l2_line / SGC_LINE, 1, 2);
        assert_int_equal(a->vector_line % SGC_LINE + a->l2_line % SGC_LINE, 0);
        assert_int_equal(a->scalar_line, SGC_LINE);
    }
}

static void touch(rig_t *r, const char *text, uint64_t from, uint64_t bytes)
{
    for (uint64_t at = from; at < from + bytes; at += 256) {
        rig_stride(r, at, 4);
        rig_do(r, text);
    }
}

static rig_t *rig_of_lines(isa_arch_t *arch, uint32_t vector_line, uint32_t l2_line)
{
    const sg_profile_t p = rig_profile();
    return rig_of_lines_in(&p, arch, vector_line, l2_line);
}

/* A dword, its neighbour in the other half of 128 bytes, then 256 bytes in a row elsewhere: how
 * many requests L1 makes and L2 gets, how many it has not, and how many times 64 bytes it reads. */
static void lines_of_other_sizes(void **state)
{
    static const struct {
        uint32_t vector, l2;
        uint32_t made[3], requests[3], misses[3], reads[3]; /* after each of the three */
    } cases[] = {
        {64, 128, {1, 2, 6}, {1, 2, 4}, {1, 1, 3}, {2, 2, 6}},
        {64, 64, {1, 2, 6}, {1, 2, 6}, {1, 2, 6}, {1, 2, 6}},
        {128, 128, {1, 1, 3}, {1, 1, 3}, {1, 1, 3}, {2, 2, 6}},
        {128, 64, {2, 2, 6}, {2, 2, 6}, {2, 2, 6}, {2, 2, 6}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        isa_arch_t arch;
        rig_t *r = rig_of_lines(&arch, cases[k].vector, cases[k].l2);
        for (unsigned n = 0; n < 3; n++) {
            rig_stride(r, n < 2 ? 64 * n : 1024, n < 2 ? 0 : 4);
            rig_do(r, LOAD);
            EXPECT(r, TCP_TCC_READ_REQ, cases[k].made[n]);
            EXPECT(r, TCC_REQ, cases[k].requests[n]);
            EXPECT(r, TCC_MISS, cases[k].misses[n]);
            EXPECT(r, TCC_EA_RDREQ, cases[k].reads[n]);
        }
        rig_destroy(r);
    }
}

/* Both halves of a line that are asked for together are one transaction, if the profile says so. */
static void whole_lines(void **state)
{
    (void)state;
    sg_profile_t p = rig_profile();
    p.l2_reads_whole = 1;
    rig_t *r = rig_create_profile(&p);
    rig_stride(r, 0, 4);
    rig_do(r, LOAD);
    EXPECT(r, TCC_EA_RDREQ, 2);
    EXPECT(r, TCC_BUBBLE, 2);
    rig_stride(r, 1024, 0);
    rig_do(r, LOAD); /* asks for one half, and both are read */
    EXPECT(r, TCC_EA_RDREQ, 4);
    EXPECT(r, TCC_BUBBLE, 2);
    rig_destroy(r);
}

/* Units of a shader array read through one GL1, of lines of 128 bytes. 256 bytes in a row are two
 * of them: so many reads of L2 unless GL1 has them. */
static void shared_by_an_array(void **state)
{
    enum { GLV_INV = 1 << 8, GL1_INV = 1 << 9 };
    static const struct {
        const char *text;
        unsigned cu, scope, gcr;  /* before it: a fence, or a packet's word */
        unsigned reads, requests; /* of L2; L1's, for the reads of lines that it does not have */
    } steps[] = {
        {LOAD, 0, 0, 0, 2, 2},
        {LOAD, 1, 0, 0, 2, 4},                   /* of the same array */
        {LOAD, 2, 0, 0, 4, 6},                   /* of another */
        {STORE, 1, 0, 0, 4, 6},                  /* drops the lines from GL1, not from others' L1 */
        {LOAD, 0, 0, 0, 4, 6},                   /* which has them still */
        {LOAD, 0, 0, GLV_INV, 6, 8},             /* and now has not */
        {LOAD, 1, 0, GLV_INV, 6, 10},            /* unit 0 has brought them back to GL1 */
        {LOAD, 1, 1, 0, 8, 12},                  /* a fence to the agent empties both */
        {LOAD, 0, 0, 0, 8, 14},                  /* unit 1 has read them */
        {LOAD, 0, 0, GLV_INV | GL1_INV, 10, 16}, /* as the fence */
    };
    (void)state;
    isa_arch_t arch;
    rig_t *r = rig_of_lines(&arch, 128, 128);
    r->profile.gl1_kb = 128;
    r->profile.cus_per_array = 2;
    sgc_destroy(r->model);
    r->model = sgc_create(&arch, &r->profile, rig_page, r);
    assert_non_null(r->model);
    rig_stride(r, 0, 4);
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        r->cu = steps[k].cu;
        sgc_acquire(r->model, steps[k].scope);
        sgc_flush(r->model, sgc_gcr_actions(steps[k].gcr));
        rig_do(r, steps[k].text);
        if (GET(r, TCC_READ) != steps[k].reads || GET(r, TCP_TCC_READ_REQ) != steps[k].requests)
            fail_msg("step %zu: %u reads, %u requests", k, (unsigned)GET(r, TCC_READ),
                     (unsigned)GET(r, TCP_TCC_READ_REQ));
    }
    rig_destroy(r);
}

/* Each XCC has an L2 of its own: units of one find what others of the same have read. */
static void l2_of_each_xcc(void **state)
{
    enum { XCCS = 3, CUS = 8 }; /* units of an XCC */
    (void)state;
    sg_profile_t p = rig_profile();
    p.num_xcc = XCCS;
    rig_t *r = rig_create_profile(&p);
    rig_stride(r, 0, 4);
    for (unsigned xcc = 0; xcc < XCCS; xcc++)
        for (unsigned unit = 0; unit < 2; unit++) {
            r->cu = xcc * CUS + unit;
            rig_do(r, LOAD);
        }
    for (unsigned xcc = 0; xcc < XCCS; xcc++) {
        assert_int_equal(sgc_value(r->model, SGC_TCC, xcc, 0, EVENT(TCC_REQ)), 4);
        assert_int_equal(sgc_value(r->model, SGC_TCC, xcc, 0, EVENT(TCC_MISS)), 2);
    }
    assert_int_equal(sgc_value(r->model, SGC_TCC, XCCS, 0, EVENT(TCC_REQ)), 0);
    r->cu = 0;
    rig_do(r, STORE);
    sgc_flush(r->model, SGC_WB_L2);
    for (unsigned xcc = 0; xcc < XCCS; xcc++)
        assert_int_equal(sgc_value(r->model, SGC_TCC, xcc, 0, EVENT(TCC_WRITEBACK)), xcc ? 0 : 2);
    rig_destroy(r);
}

/* Dirty lines of 64 bytes are written back, and replaced, one by one. */
static void narrow_lines_are_written_back(void **state)
{
    (void)state;
    isa_arch_t arch;
    rig_t *r = rig_of_lines(&arch, 64, 64);
    rig_stride(r, 0, 4);
    rig_do(r, STORE);
    EXPECT(r, TCC_REQ, 4);
    EXPECT(r, TCC_EA_WRREQ, 0);
    sgc_flush(r->model, SGC_WB_L2);
    EXPECT(r, TCC_EA_WRREQ, 4);
    EXPECT(r, TCC_EA_WRREQ_64B, 4);
    EXPECT(r, TCC_WRITEBACK, 4);
    EXPECT(r, TCC_EA_RDREQ, 0);
    rig_destroy(r);
}

/* 8 KiB in a row give each of 32 channels 256 bytes: 2 requests, of a line each. */
static void channels(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    touch(r, LOAD, 0, 8192);
    for (unsigned n = 0; n < 32; n++) {
        assert_int_equal(sgc_value(r->model, SGC_TCC, 0, n, EVENT(TCC_REQ)), 2);
        assert_int_equal(sgc_value(r->model, SGC_TCC, 0, n, EVENT(TCC_MISS)), 2);
        assert_int_equal(sgc_value(r->model, SGC_TCA, 0, n, EVENT(TCA_BUSY)), 2);
    }
    /* lanes 8 KiB apart: all in the first page's channel */
    rig_reset(r);
    for (unsigned k = 0; k < 8; k++) {
        rig_stride(r, 8192 * k, 0);
        rig_do(r, LOAD);
    }
    /* pages are numbered as they are met: the second page met is frame 1, half way round */
    assert_int_equal(sgc_value(r->model, SGC_TCC, 0, 0, EVENT(TCC_REQ)), 4);
    assert_int_equal(sgc_value(r->model, SGC_TCC, 0, 16, EVENT(TCC_REQ)), 4);
    rig_destroy(r);
}

/* The L2 of an XCC of MI300: 4 MiB in 16 channels, of which addresses are hashed. */
static sg_profile_t hashed_profile(void)
{
    sg_profile_t p = rig_profile();
    p.l2_kb = 4096;
    p.l2_channels = 16;
    p.l2_hash = 1;
    return p;
}

/* Each bit of an address from 7 on, and the lower bit of the number that it changes, or 0: so the
 * table of docs/counter-model.md. */
static void hashed_bits(void **state)
{
    enum { LEAST = 7 };
    static const uint8_t changed[] = {0, 0, 0,  0,  0,  8,  9,  10, 8, 9,  10, 11, 14, 12, 13,
                                      8, 9, 10, 11, 14, 12, 13, 8,  9, 10, 11, 14, 12, 13};
    (void)state;
    for (unsigned n = 0; n < sizeof changed; n++) {
        const uint32_t tag = UINT32_C(1) << n;
        assert_int_equal(l2_index(true, tag), changed[n] ? tag | 1u << (changed[n] - LEAST) : tag);
        assert_int_equal(l2_index(false, tag), tag);
    }
}

/* The channel of each power of two: bits 8 to 11 number it, higher ones change these bits. A line
 * is written back by the channel that has it. */
static void hashed_channels(void **state)
{
    enum { LEAST = 7, BITS = 16, FRAGMENT = 2 << 20 };
    static const uint8_t channel[BITS] = {0, 1, 2, 4, 8, 1, 2, 4, 1, 2, 4, 8, 0, 0, 0, 1};
    (void)state;
    const sg_profile_t p = hashed_profile();
    for (unsigned bit = 0; bit < BITS; bit++) {
        rig_t *r = rig_create_profile(&p);
        const uint64_t at = UINT64_C(1) << (LEAST + bit);
        uint64_t before[16];
        r->page.fragment = 9;
        for (uint64_t first = 0; first <= at; first += FRAGMENT) { /* places are by first use */
            rig_stride(r, first, 0);
            rig_do(r, LOAD);
        }
        for (unsigned n = 0; n < 16; n++)
            before[n] = sgc_value(r->model, SGC_TCC, 0, n, EVENT(TCC_REQ));
        rig_stride(r, at, 0);
        rig_do(r, STORE);
        for (unsigned n = 0; n < 16; n++)
            assert_int_equal(sgc_value(r->model, SGC_TCC, 0, n, EVENT(TCC_REQ)) - before[n],
                             n == channel[bit]);
        sgc_flush(r->model, SGC_WB_L2);
        for (unsigned n = 0; n < 16; n++)
            assert_int_equal(sgc_value(r->model, SGC_TCC, 0, n, EVENT(TCC_WRITEBACK)),
                             n == channel[bit]);
        rig_destroy(r);
    }
}

/* Of 8 MiB that are copied, an XCC of eight has 2 KiB of every 16. Each channel was measured to
 * have 1024 writes on MI300X, and L2 to push out nothing; without the hash half the channels have
 * all, and an eighth of the sets. */
static void hashed_sets(void **state)
{
    enum { SIZE = 8 << 20, GROUP = 2048, XCCS = 8 };
    (void)state;
    for (unsigned hash = 0; hash < 2; hash++) {
        sg_profile_t p = hashed_profile();
        p.l2_hash = hash;
        rig_t *r = rig_create_profile(&p);
        r->page.fragment = 9;
        for (uint64_t at = 0; at < 2 * SIZE; at += XCCS * GROUP)
            touch(r, at < SIZE ? LOAD : STORE, at, GROUP);
        for (unsigned n = 0; n < 16; n++)
            assert_int_equal(sgc_value(r->model, SGC_TCC, 0, n, EVENT(TCC_WRITE)), hash    ? 1024
                                                                                   : n < 8 ? 2048
                                                                                           : 0);
        assert_int_equal(GET(r, TCC_NORMAL_EVICT) == 0, hash);
        assert_int_equal(GET(r, TCC_NORMAL_WRITEBACK) == 0, hash);
        rig_invariants(r);
        rig_destroy(r);
    }
}

/* Places without a unit have no vector L1 that is emptied: 38 units of 4 engines with 10 places. */
static void places_without_units(void **state)
{
    (void)state;
    sg_profile_t p = rig_profile();
    p.shader_engines = 4;
    p.cus_per_array = 10;
    p.cus = 38;
    rig_t *r = rig_create_profile(&p);
    sgc_flush(r->model, SGC_INV_L1);
    EXPECT(r, TCP_TOTAL_WRITEBACK_INVALIDATES, 38);
    rig_destroy(r);
}

/* L1 holds nothing of what is read a whole pass later, so L2 sees all. */
static void capacity(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    const uint64_t size = UINT64_C(8) << 20;
    touch(r, LOAD, 0, size);
    EXPECT(r, TCC_MISS, size / 128);
    EXPECT(r, TCC_HIT, 0);
    EXPECT(r, TCC_EA_RDREQ, size / 64);
    touch(r, LOAD, 0, size);
    EXPECT(r, TCC_MISS, size / 128); /* it fits */
    EXPECT(r, TCC_HIT, size / 128);
    EXPECT(r, TCC_NORMAL_EVICT, 0);
    rig_invariants(r);
    /* one and a half times as much in the same order: the oldest line of a set is always the one
     * that comes next, so nothing is ever found */
    rig_reset(r);
    const uint64_t more = size / 2 * 3;
    touch(r, LOAD, 0, more);
    touch(r, LOAD, 0, more);
    EXPECT(r, TCC_MISS, 2 * more / 128);
    EXPECT(r, TCC_NORMAL_EVICT, 2 * more / 128 - size / 128);
    EXPECT(r, TCC_EA_WRREQ, 0);
    rig_invariants(r);
    rig_destroy(r);
}

static void writes_back(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    touch(r, STORE, 0, 4096);
    EXPECT(r, TCC_WRITE, 64);
    EXPECT(r, TCC_EA_WRREQ, 0);
    sgc_release(r->model, 1); /* of an agent: L2 is the agent's */
    EXPECT(r, TCC_EA_WRREQ, 0);
    sgc_release(r->model, 2);
    EXPECT(r, TCC_WRITEBACK, 32);
    EXPECT(r, TCC_ALL_TC_OP_WB_WRITEBACK, 32);
    EXPECT(r, TCC_EA_WRREQ, 64);
    EXPECT(r, TCC_EA_WRREQ_64B, 64);
    EXPECT(r, TCC_EA_WRREQ_DRAM, 64);
    EXPECT(r, TCC_EA_WRREQ_LEVEL, 64 * 500);
    sgc_release(r->model, 2); /* nothing is dirty any more */
    EXPECT(r, TCC_WRITEBACK, 32);
    touch(r, LOAD, 0, 4096); /* and all of it is still there */
    EXPECT(r, TCC_EA_RDREQ, 0);

    /* one dword: 32 bytes go to memory */
    rig_reset(r);
    rig_stride(r, 0, 0);
    r->wave.exec = 1;
    rig_do(r, STORE);
    sgc_release(r->model, 2);
    EXPECT(r, TCC_EA_WRREQ, 1);
    EXPECT(r, TCC_EA_WRREQ_64B, 0);
    /* a read of it has to fill both halves: the one was only written in part */
    rig_do(r, LOAD);
    EXPECT(r, TCC_MISS, 2);
    EXPECT(r, TCC_EA_RDREQ, 2);
    EXPECT(r, TCC_EA_RDREQ_LEVEL, 2 * 580);
    rig_invariants(r);
    r->wave.exec = ~UINT64_C(0);

    /* of 16 lines of a set the 8 that were used last stay dirty: of 12 MiB written 4 */
    rig_reset(r);
    touch(r, STORE, 0, UINT64_C(12) << 20);
    EXPECT(r, TCC_NORMAL_EVICT, (UINT64_C(4) << 20) / 128);
    EXPECT(r, TCC_NORMAL_WRITEBACK, (UINT64_C(8) << 20) / 128);
    EXPECT(r, TCC_EA_WRREQ_64B, (UINT64_C(8) << 20) / 64);
    rig_destroy(r);
}

/* A line is written back when the 8th other one of its set is used after it, and stays. Each touch
 * is of two sets. */
static void writes_back_early(void **state)
{
    (void)state;
    enum { SET = 512 << 10, PAIR = 256 }; /* from a set's line to the next; two sets at once */
    rig_t *r = rig_create();
    r->page.fragment = 9; /* so that memory lies in order however it is touched */
    touch(r, STORE, 0, PAIR);
    for (uint64_t n = 1; n < 8; n++)
        touch(r, LOAD, n * SET, PAIR);
    EXPECT(r, TCC_NORMAL_WRITEBACK, 0);
    touch(r, STORE, 0, PAIR); /* the newest again */
    for (uint64_t n = 1; n < 8; n++)
        touch(r, STORE, n * SET, PAIR);
    EXPECT(r, TCC_NORMAL_WRITEBACK, 0);
    touch(r, LOAD, 8 * SET, PAIR);
    EXPECT(r, TCC_NORMAL_WRITEBACK, 2);
    EXPECT(r, TCC_EA_WRREQ_64B, 4);
    EXPECT(r, TCC_NORMAL_EVICT, 0);
    const uint64_t reads = GET(r, TCC_EA_RDREQ);
    touch(r, LOAD, 0, PAIR); /* L2 has it, clean; 1 is the one that is too old now */
    EXPECT(r, TCC_EA_RDREQ, reads);
    EXPECT(r, TCC_NORMAL_WRITEBACK, 4);
    sgc_release(r->model, 2);
    EXPECT(r, TCC_ALL_TC_OP_WB_WRITEBACK, 12);
    EXPECT(r, TCC_WRITEBACK, 16);

    /* none early: only what gives way */
    sg_profile_t p = r->profile;
    p.l2_writeback_ways = 0;
    rig_destroy(r);
    r = rig_create_profile(&p);
    r->page.fragment = 9;
    for (uint64_t n = 0; n < 17; n++)
        touch(r, STORE, n * SET, PAIR);
    EXPECT(r, TCC_NORMAL_WRITEBACK, 2);
    EXPECT(r, TCC_NORMAL_EVICT, 2);
    rig_destroy(r);
}

/* What is not RW may have been changed by others: an acquire of the system drops it. */
static void acquires(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    touch(r, LOAD, 0, 4096);
    r->page = (sgc_page_t){SGC_NC, false, 0};
    touch(r, LOAD, 4096, 4096);
    touch(r, STORE, 8192, 256);
    EXPECT(r, TCC_EA_RDREQ, 128);
    EXPECT(r, TCC_EA_RDREQ_DRAM, 64);
    EXPECT(r, TCC_NC_REQ, 32 + 4);
    sgc_acquire(r->model, 2);
    EXPECT(r, TCC_ALL_TC_OP_INV_EVICT, 32 + 2);
    EXPECT(r, TCC_EA_WRREQ, 4); /* the dirty ones first */
    EXPECT(r, TCP_TOTAL_WRITEBACK_INVALIDATES, 8);
    touch(r, LOAD, 0, 4096); /* L1 is empty, L2 has it */
    EXPECT(r, TCC_EA_RDREQ, 128);
    touch(r, LOAD, 4096, 4096);
    EXPECT(r, TCC_EA_RDREQ, 128 + 64);
    rig_invariants(r);
    rig_destroy(r);
}

/* ACQUIRE_MEM as the profiler sends it: TC, TCL1, TC_WB, SH_ICACHE, SH_KCACHE: all is empty. */
static void acquire_mem(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    touch(r, STORE, 0, 256);
    rig_set_s64(r, 4, RIG_VA + 4096);
    rig_do(r, "s_load_dword s0, s[4:5], 0x0");
    sgc_fetch(r->model, 0, 0, RIG_VA + 8192);
    sgc_flush(r->model, sgc_coher_actions(1u << 23 | 1u << 22 | 1u << 18 | 1u << 29 | 1u << 27));
    EXPECT(r, TCC_EA_WRREQ, 4);
    EXPECT(r, TCC_ALL_TC_OP_WB_WRITEBACK, 2);
    /* what was stored, the scalar's line, and the one that the fetch has read: two lines of 64 */
    EXPECT(r, TCC_ALL_TC_OP_INV_EVICT, 2 + 1 + 1);
    const uint64_t misses = GET(r, TCC_MISS);
    rig_do(r, "s_load_dword s0, s[4:5], 0x0");
    sgc_fetch(r->model, 0, 0, RIG_VA + 8192);
    touch(r, LOAD, 0, 256);
    EXPECT(r, TCC_MISS, misses + 1 + 1 + 2);
    rig_invariants(r);
    rig_destroy(r);
}

/* Values do not depend on where memory is mapped: the same pages in the same order elsewhere. */
static void places(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    uint64_t first[32], at[2] = {0, UINT64_C(0x123457000)};
    for (unsigned pass = 0; pass < 2; pass++) {
        rig_reset(r);
        touch(r, LOAD, at[pass], 40960);
        touch(r, STORE, at[pass] + 0x100000, 12288);
        for (unsigned n = 0; n < 32; n++) {
            const uint64_t v = sgc_value(r->model, SGC_TCC, 0, n, EVENT(TCC_REQ));
            if (pass) assert_int_equal(v, first[n]);
            first[n] = v;
        }
    }
    rig_destroy(r);
}

static const sgc_late_t nobody_late;

/* What those who come at random wait for each other: work * work / 2 (clocks - work). */
static void queues(void **state)
{
    (void)state;
    assert_int_equal(sgc_queue(0, 100), 0);
    assert_int_equal(sgc_queue(50, 100), 25);
    assert_int_equal(sgc_queue(90, 100), 100); /* 405, but no more than there are clocks */
    assert_int_equal(sgc_queue(100, 100), 100);
    assert_int_equal(sgc_queue(0, 0), 0);

    /* A wave loads 512 bytes, 8 lines: 2 channels read 4 halves each, TD has 8 clocks of data. */
    rig_t *r = rig_create();
    rig_stride(r, 0, 8);
    sgc_begun(r->model);
    rig_do(r, "global_load_dwordx2 v[2:3], v[0:1], off");
    const sgc_late_t late = {.waves = 12, .clocks = 24, .loads = 1};
    assert_int_equal(sgc_unit_ended(r->model, 0, 24, &late),
                     16 + 12); /* look-ups, and beyond quarters */
    sgc_ended(r->model, 6, 6);
    EXPECT(r, TCP_TD_TCP_STALL_CYCLES, 0);      /* there are no stores for wide loads to meet */
    EXPECT(r, TD_SPI_STALL, 8 * 12 / (24 * 4)); /* 4 SIMDs */
    EXPECT(r, TCP_TCR_TCP_STALL_CYCLES, 8 / 4);
    EXPECT(r, TCC_TAG_STALL, 2 * (5 * 4 / 8));
    /* 4 reads are 3 clocks of credits, rounded down */
    EXPECT(r, TCC_EA_RDREQ_DRAM_CREDIT_STALL, 2 * (3 * 3 / (2 * (6 - 3))));
    EXPECT(r, TCC_EA_WRREQ_STALL, 0);
    /* the next dispatch stores them, and a fence writes them back before it ends */
    sgc_begun(r->model);
    rig_do(r, "global_store_dwordx2 v[0:1], v[2:3], off");
    sgc_release(r->model, 2);
    sgc_ended(r->model, 6, 6);
    EXPECT(r, TCC_EA_WRREQ_STALL, 2 * (4 * 4 / (2 * (6 - 4))));
    EXPECT(r, TCC_EA_WRREQ_DRAM_CREDIT_STALL, GET(r, TCC_EA_WRREQ_STALL));
    EXPECT(r, TA_DATA_STALLED_BY_TC_CYCLES, 12 + 2 * 8); /* and 8 requests of two clocks */
    sgc_unit_ended(r->model, 0, 24, &late);
    EXPECT(r, TCP_TCR_TCP_STALL_CYCLES, (8 + 6 * 8) / 4);
    rig_destroy(r);
}

/* Data comes for 8 clocks on each of four units. On one of 4 SIMDs a wave that starts in one of 24
 * clocks meets 1/12 of a clock of it: one wave on each unit 4/12 together, four waves on each
 * 16/12. Waves that start before any has ended, and so before data comes, meet none. Where there
 * are fewer clocks than data takes, data comes in each of them: a wave meets 1/4 of a clock. Each
 * dispatch counts the same as the one before. */
static void starts_meet_data(void **state)
{
    (void)state;
    static const struct {
        sgc_late_t late;
        unsigned stalls;
    } rows[] = {
        {{.waves = 1, .clocks = 24}, 0},  {{.waves = 4, .clocks = 24}, 1},
        {{.waves = 12, .clocks = 24}, 4}, {{.waves = 12, .clocks = 48}, 2},
        {{.waves = 0, .clocks = 24}, 0},  {{.waves = 0, .clocks = 0}, 0},
        {{.waves = 1, .clocks = 1}, 1},   {{.waves = 12, .clocks = 4}, 12},
    };
    enum { UNITS = 4, DISPATCHES = 3 };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rig_t *r = rig_create();
        rig_stride(r, 0, 8);
        for (unsigned n = 1; n <= DISPATCHES; n++) {
            sgc_begun(r->model);
            for (r->cu = 0; r->cu < UNITS; r->cu++)
                rig_do(r, "global_load_dwordx2 v[2:3], v[0:1], off");
            for (unsigned cu = 0; cu < UNITS; cu++)
                sgc_unit_ended(r->model, cu, 100, &rows[k].late);
            EXPECT(r, TD_SPI_STALL, n * rows[k].stalls);
        }
        rig_destroy(r);
    }
}

/* Every fourth load of wide elements meets a store, of those that a store can have come before and
 * of as many as there are stores. A load of dwords meets none. */
static void loads_meet_stores(void **state)
{
    (void)state;
    static const struct {
        unsigned loads, stores, alone, met;
    } rows[] = {{16, 16, 0, 4},  {16, 16, 8, 2}, {16, 16, 12, 1}, {16, 16, 13, 0},
                {16, 16, 16, 0}, {16, 32, 4, 3}, {16, 8, 0, 2},   {16, 8, 4, 2},
                {16, 8, 12, 1},  {16, 0, 0, 0},  {0, 16, 0, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const sgc_late_t late = {.loads = rows[k].loads, .alone = rows[k].alone};
        rig_t *r = rig_create();
        rig_stride(r, 0, 8);
        for (unsigned turn = 1; turn <= 2; turn++) {
            sgc_begun(r->model);
            for (unsigned n = 0; n < rows[k].loads; n++)
                rig_do(r, "global_load_dwordx2 v[2:3], v[0:1], off");
            for (unsigned n = 0; n < rows[k].stores; n++)
                rig_do(r, "global_store_dwordx2 v[0:1], v[2:3], off");
            sgc_unit_ended(r->model, 0, 1000, &late);
            EXPECT(r, TCP_TD_TCP_STALL_CYCLES, turn * rows[k].met);
        }
        rig_do(r, "global_load_dword v2, v[0:1], off");
        rig_do(r, "global_store_dword v[0:1], v2, off");
        sgc_unit_ended(r->model, 0, 1000, &late);
        EXPECT(r, TCP_TD_TCP_STALL_CYCLES, 2 * rows[k].met);
        rig_destroy(r);
    }
}

/* The port of a vector L1 with lines of 128 bytes has no clocks of its own. The other one's are 14
 * for 8 reads and 8 writes of 64 bytes. How long a write and its data take either is the
 * profile's. The address unit has 16 look-ups and 12 late clocks of each instruction, and those of
 * data: in all of these but one for each write other waves wait. */
static void port_of_wide_lines(void **state)
{
    (void)state;
    isa_arch_t arch;
    static const struct {
        unsigned line, store_clocks;
    } rows[] = {{64, 2}, {64, 1}, {128, 2}, {128, 1}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const unsigned line = rows[k].line, data = 12 + 8 * rows[k].store_clocks;
        sg_profile_t p = rig_profile();
        assert_int_equal(p.l1_store_clocks, 2);
        p.l1_store_clocks = rows[k].store_clocks;
        rig_t *r = rig_of_lines_in(&p, &arch, line, 128);
        rig_stride(r, 0, 8);
        sgc_begun(r->model);
        rig_do(r, "global_load_dwordx2 v[2:3], v[0:1], off");
        rig_do(r, "global_store_dwordx2 v[0:1], v[2:3], off");
        const uint64_t waited = sgc_unit_ended(r->model, 0, 100, &nobody_late);
        assert_int_equal(waited, 2 * (16 + 12) + 12 + 8);
        EXPECT(r, TCP_TCC_READ_REQ, 512 / line);
        EXPECT(r, TCP_TCR_TCP_STALL_CYCLES, line == 64 ? (8 * 1 + 8 * 6) / 4 : 0);
        EXPECT(r, TA_DATA_STALLED_BY_TC_CYCLES, data);
        EXPECT(r, TA_TA_BUSY, 2 * (16 + 12) + data);
        rig_destroy(r);
    }
}

/* Clocks for which tags hold the address unit up: beyond four quarters look-ups, or changes of the
 * line of 128 bytes from one look-up to the next. */
static void tags_of_wide_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned from, step; /* of the lanes' addresses */
        unsigned lookups, by_lookup, by_line, written;
    } rows[] = {
        /* 512 bytes in a row: a look-up for each four lanes, 8 lines of 64, 4 of 128 bytes */
        {"global_load_dwordx2 v[2:3], v[0:1], off", 0, 8, 16, 12, 0, 0},
        {"global_store_dwordx2 v[0:1], v[2:3], off", 0, 8, 16, 12, 0, 8},
        /* every second four lanes lie in two lines of 64 bytes, all of them in 5 of 128 */
        {"global_load_dwordx2 v[2:3], v[0:1], off", 8, 8, 24, 20, 1, 0},
        /* 1024 bytes in a row: a line of 64 for each four lanes, 8 of 128 bytes */
        {"global_load_dwordx4 v[2:5], v[0:1], off", 0, 16, 16, 12, 4, 0},
        /* a line for each lane is looked up by itself, whatever its length */
        {"global_load_dword v2, v[0:1], off", 0, 256, 64, 60, 60, 0},
    };
    isa_arch_t arch;
    for (size_t k = 0; k < 2 * sizeof rows / sizeof *rows; k++) {
        sg_profile_t p = rig_profile();
        p.l1_tags_by_line = k % 2;
        p.l1_store_clocks = 1;
        rig_t *r = rig_of_lines_in(&p, &arch, 128, 128);
        const unsigned late = k % 2 ? rows[k / 2].by_line : rows[k / 2].by_lookup;
        const unsigned written = rows[k / 2].written, data = written ? late + written : 0;
        const unsigned busy = rows[k / 2].lookups + late + data;
        rig_stride(r, rows[k / 2].from, rows[k / 2].step);
        sgc_begun(r->model);
        rig_do(r, rows[k / 2].text);
        EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, rows[k / 2].lookups);
        EXPECT(r, TA_ADDR_STALLED_BY_TC_CYCLES, late);
        EXPECT(r, TA_DATA_STALLED_BY_TC_CYCLES, data);
        EXPECT(r, TA_TA_BUSY, busy);
        assert_int_equal(sgc_unit_ended(r->model, 0, 1000, &nobody_late), busy);
        rig_destroy(r);
    }
}

/* Of 50 clocks in which a unit is busy with a load, its data comes in 16, one for each look-up. */
static void data_comes(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_stride(r, 0, 8);
    sgc_begun(r->model);
    rig_do(r, "global_load_dwordx2 v[2:3], v[0:1], off");
    sgc_unit_ended(r->model, 0, 50, &nobody_late);
    EXPECT(r, TD_TD_BUSY, 50);
    EXPECT(r, TD_TC_STALL, 50 - 16);
    EXPECT(r, TCP_PENDING_STALL_CYCLES, 50 - 16);
    rig_destroy(r);
}

/* A share of 1 - exp(-sum / clocks), rounded to the nearest: e is 2.718281828459. */
static void any_under_way(void **state)
{
    (void)state;
    static const struct {
        uint64_t sum, clocks, any;
    } rows[] = {
        {5, 0, 0},
        {0, 100, 0},
        {1, 1000000, 1},
        {1000000, 1000000000000, 1000000},             /* 999,999.5 and a little */
        {500000000000, 1000000000000, 393469340287},   /* 0.39346934028737 */
        {1000000000000, 1000000000000, 632120558829},  /* 0.63212055882856 */
        {10000000000000, 1000000000000, 999954600070}, /* 0.99995460007024 */
        {63, 1, 1},
        {64, 1, 1},
        {UINT64_MAX, 1000, 1000},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        assert_int_equal(sgc_any(rows[k].sum, rows[k].clocks), rows[k].any);
}

/* Each of two channels reads 4 times 64 bytes, which take 580 clocks each below L2, 2320 together:
 * 2320 / T are under way on average, and one is for T (1 - exp(-2320 / T)) clocks of T. A channel
 * that has served nothing is not busy. */
static void busy_channels(void **state)
{
    (void)state;
    static const struct {
        uint64_t clocks, busy;
    } rows[] = {{6, 6}, {2320, 1467}, {23200, 2208}}; /* 1466.52, 2207.77 */
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rig_t *r = rig_create();
        rig_stride(r, 0, 8);
        sgc_begun(r->model);
        rig_do(r, "global_load_dwordx2 v[2:3], v[0:1], off");
        sgc_ended(r->model, rows[k].clocks, 1);
        EXPECT(r, TCC_BUSY, 2 * rows[k].busy);
        sgc_begun(r->model);
        sgc_ended(r->model, 100, 100);
        EXPECT(r, TCC_BUSY, 2 * rows[k].busy);
        rig_destroy(r);
    }
}

int main(void)
{
    if (!asm_available()) return 77;
    const struct CMUnitTest tests[] = {RIG_TEST(channels),
                                       RIG_TEST(hashed_bits),
                                       RIG_TEST(hashed_channels),
                                       RIG_TEST(hashed_sets),
                                       RIG_TEST(places_without_units),
                                       RIG_TEST(capacity),
                                       RIG_TEST(writes_back),
                                       RIG_TEST(writes_back_early),
                                       RIG_TEST(acquires),
                                       RIG_TEST(acquire_mem),
                                       RIG_TEST(places),
                                       RIG_TEST(queues),
                                       RIG_TEST(starts_meet_data),
                                       RIG_TEST(loads_meet_stores),
                                       RIG_TEST(port_of_wide_lines),
                                       RIG_TEST(tags_of_wide_lines),
                                       RIG_TEST(data_comes),
                                       RIG_TEST(any_under_way),
                                       RIG_TEST(busy_channels),
                                       RIG_TEST(lines_of_other_sizes),
                                       RIG_TEST(narrow_lines_are_written_back),
                                       RIG_TEST(whole_lines),
                                       RIG_TEST(l2_of_each_xcc),
                                       RIG_TEST(shared_by_an_array),
                                       RIG_TEST(lines_are_the_gpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
