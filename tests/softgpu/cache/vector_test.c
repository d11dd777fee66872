/* vector_test.c - accesses, look-ups and requests of vector memory instructions, by pattern.
 *
 * Expected numbers are worked out from docs/counter-model.md in the comment beside them: quads of
 * 4 lanes make accesses, quarters of 16 lanes make look-ups of 64-byte lines; where elements are
 * wider than a dword, lanes make accesses and quads look-ups. */
#include "rig.h"

typedef struct {
    const char *text;
    uint64_t from, step;
    unsigned accesses, lookups;
} pattern_t;

/* Full EXEC, a cold cache. */
static const pattern_t patterns[] = {
    /* unit stride: a quad's 4, 8, 16 bytes are in one line: 16 accesses. A quarter has 16, 32, 64
     * bytes: 1 line. Wide: each lane an access, each quad's 32 or 64 bytes a look-up */
    {"global_load_ubyte v2, v[0:1], off", 0, 1, 16, 4},
    {"global_load_ushort v2, v[0:1], off", 0, 2, 16, 4},
    {"global_load_dword v2, v[0:1], off", 0, 4, 16, 4},
    {"global_load_dwordx2 v[2:3], v[0:1], off", 0, 8, 64, 16},
    {"global_load_dwordx4 v[2:5], v[0:1], off", 0, 16, 64, 16},
    /* 12 bytes: of 16 lanes those at 60 and at 120 cross a line: 18 accesses; of their quads, at 0,
     * 48, 96, 144, those at 48 and 96: 6 look-ups */
    {"global_load_dwordx3 v[2:4], v[0:1], off", 0, 12, 72, 24},
    /* two doubles apart: quads span 64 bytes; half a line off, two lines each */
    {"global_load_dwordx2 v[2:3], v[0:1], off", 0, 16, 64, 16},
    {"global_load_dwordx2 v[2:3], v[0:1], off", 32, 16, 64, 32},
    /* half a line off: every quarter (64 bytes) lies in 2 lines; no quad (16 bytes) does */
    {"global_load_dword v2, v[0:1], off", 32, 4, 16, 8},
    /* one byte off: each quarter's last lane reaches into the next line, and so does its quad */
    {"global_load_dword v2, v[0:1], off", 1, 4, 20, 8},
    /* stride 2: quads span 32 bytes, quarters 128 */
    {"global_load_dword v2, v[0:1], off", 0, 8, 16, 8},
    /* stride 4: quads span 64, quarters 256 */
    {"global_load_dword v2, v[0:1], off", 0, 16, 16, 16},
    /* stride 8: quads span two lines */
    {"global_load_dword v2, v[0:1], off", 0, 32, 32, 32},
    /* a line for each lane */
    {"global_load_dword v2, v[0:1], off", 0, 64, 64, 64},
    {"global_load_dword v2, v[0:1], off", 0, 4096, 64, 64},
    /* broadcast: each quarter looks the line up */
    {"global_load_dword v2, v[0:1], off", 0, 0, 16, 4},
    /* backwards is as good as forwards */
    {"global_load_dword v2, v[0:1], off", 252, (uint64_t)-4, 16, 4},
    {"flat_load_dword v2, v[0:1]", 0, 4, 16, 4},
    {"global_load_dword v2, v[0:1], off offset:-64", 64, 4, 16, 4},
};

static void counts_patterns(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        const pattern_t *p = &patterns[k];
        rig_reset(r);
        rig_stride(r, p->from, p->step);
        rig_do(r, p->text);
        if (GET(r, TCP_TOTAL_READ) != p->accesses || GET(r, TCP_TOTAL_CACHE_ACCESSES) != p->lookups)
            fail_msg("%s from %llu step %lld: %llu accesses, %llu look-ups, not %u, %u", p->text,
                     (unsigned long long)p->from, (long long)p->step,
                     (unsigned long long)GET(r, TCP_TOTAL_READ),
                     (unsigned long long)GET(r, TCP_TOTAL_CACHE_ACCESSES), p->accesses, p->lookups);
        EXPECT(r, TCP_TOTAL_ACCESSES, p->accesses);
        EXPECT(r, TA_TOTAL_WAVEFRONTS, 1);
        EXPECT(r, TA_FLAT_READ_WAVEFRONTS, 1);
        EXPECT(r, TD_COALESCABLE_WAVEFRONT, p->accesses == 16);
        /* what is more than one for each quarter it waits for, too */
        EXPECT(r, TA_TA_BUSY, p->lookups + (p->lookups - 4));
        assert_int_equal(r->cost.vmem_issue, p->lookups);
        rig_invariants(r);
    }
    rig_destroy(r);
}

/* 256 bytes are 4 lines of L1 and 2 of L2: 4 requests, which L2 takes as 2 reads of 128 bytes; for
 * each it reads 64 bytes twice. */
static void misses_then_hits(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_stride(r, 0, 4);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_TCC_READ_REQ, 4);
    EXPECT(r, TCP_TCC_RW_READ_REQ, 4);
    EXPECT(r, TCC_REQ, 2);
    EXPECT(r, TCC_READ, 2);
    EXPECT(r, TCC_HIT, 0);
    EXPECT(r, TCC_MISS, 2);
    EXPECT(r, TCC_EA_RDREQ, 4);
    EXPECT(r, TCC_EA_RDREQ_DRAM, 4);
    EXPECT(r, TCP_UTCL1_REQUEST, 4);
    /* the three behind the miss of the page wait for it: neither hits nor misses */
    EXPECT(r, TCP_UTCL1_TRANSLATION_MISS, 1);
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 0);
    /* the first line waits for memory and for its translation, in the first clock */
    assert_int_equal(r->cost.latency, 800 + 100);

    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 8);
    EXPECT(r, TCP_TCC_READ_REQ, 4);
    EXPECT(r, TCC_REQ, 2);
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 0); /* 4 more of the ten that wait */
    /* 4 look-ups, one a clock: the last begins 3 later */
    assert_int_equal(r->cost.latency, r->profile.l1_vector_latency + 3);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 1);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 5);
    rig_invariants(r);
    rig_destroy(r);
}

/* The other quarters of a broadcast find the line that the first has missed. */
static void broadcast_misses_once(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_stride(r, 100, 0);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_TCC_READ_REQ, 1);
    EXPECT(r, TCC_MISS, 1);
    EXPECT(r, TCC_EA_RDREQ, 2);
    rig_destroy(r);
}

static void partial_exec(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_stride(r, 0, 4);
    /* lanes 0 and 1 share a quad and a line; lane 20 is alone in its quad and quarter */
    r->wave.exec = 3 | UINT64_C(1) << 20;
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_TOTAL_READ, 2);
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 2);
    EXPECT(r, TCP_TCC_READ_REQ, 2);
    /* every second lane: all quads and quarters, half the lanes */
    rig_reset(r);
    r->wave.exec = UINT64_C(0x5555555555555555);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_TOTAL_READ, 16);
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 4);
    /* no lane: the address unit sees nothing */
    rig_reset(r);
    r->wave.exec = 0;
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TA_TOTAL_WAVEFRONTS, 0);
    EXPECT(r, TCP_TOTAL_ACCESSES, 0);
    rig_destroy(r);
}

/* 16 KiB of L1 hold 256 lines: 64 instructions of 256 bytes. */
static void read_again(rig_t *r, unsigned instructions)
{
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned k = 0; k < instructions; k++) {
            rig_stride(r, 256 * k, 4);
            rig_do(r, "global_load_dword v2, v[0:1], off");
        }
    rig_invariants(r);
}

static void fits_l1_or_not(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    read_again(r, 64);
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 2 * 256);
    EXPECT(r, TCP_TCC_READ_REQ, 256); /* the second pass finds all of it */
    rig_reset(r);
    read_again(r, 80);
    /* 320 lines in 4 sets of 64 ways: 80 for each set, and the oldest goes always: nothing is found
     * the second time */
    EXPECT(r, TCP_TCC_READ_REQ, 2 * 320);
    /* L2 holds it: two reads of it are one request, of which the first pass misses all */
    EXPECT(r, TCC_MISS, 160);
    EXPECT(r, TCC_HIT, 160);
    EXPECT(r, TCC_EA_RDREQ, 320);
    rig_destroy(r);
}

static void stores_go_through(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_stride(r, 0, 4);
    rig_do(r, "global_store_dword v[0:1], v2, off");
    EXPECT(r, TCP_TOTAL_WRITE, 16);
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 4);
    EXPECT(r, TCP_TCC_WRITE_REQ, 4);
    EXPECT(r, TCC_WRITE, 4);
    EXPECT(r, TCC_EA_RDREQ, 0); /* a write reads nothing from memory */
    /* the line is not in L1 */
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_TCC_READ_REQ, 4);
    /* but in L2, where whole halves have been written: nothing to read */
    EXPECT(r, TCC_EA_RDREQ, 0);
    EXPECT(r, TCC_HIT, 2 + 2);
    /* now it is in L1, and a store leaves it there */
    rig_do(r, "global_store_dword v[0:1], v2, off");
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_TCC_READ_REQ, 4);
    EXPECT(r, TCP_TCC_WRITE_REQ, 8);
    /* bytes: the 4 quarters write parts of one line: 4 look-ups, one request */
    rig_reset(r);
    rig_stride(r, 0, 1);
    rig_do(r, "global_store_byte v[0:1], v2, off");
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 4);
    EXPECT(r, TCP_TCC_WRITE_REQ, 1);
    rig_invariants(r);
    rig_destroy(r);
}

static void atomics_pass_l1(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_stride(r, 0, 4);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    rig_do(r, "global_atomic_add v[0:1], v2, off");
    rig_do(r, "global_atomic_add v3, v[0:1], v2, off glc");
    EXPECT(r, TCP_TOTAL_ATOMIC_WITHOUT_RET, 16);
    EXPECT(r, TCP_TOTAL_ATOMIC_WITH_RET, 16);
    EXPECT(r, TCP_TCC_ATOMIC_WITHOUT_RET_REQ, 4);
    EXPECT(r, TCP_TCC_ATOMIC_WITH_RET_REQ, 4);
    EXPECT(r, TCP_TCC_RW_ATOMIC_REQ, 8);
    EXPECT(r, TCC_ATOMIC, 8);
    EXPECT(r, TCC_EA_ATOMIC, 0); /* done in L2 */
    /* L1's copies are gone: 4 reads before, 4 now */
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_TCC_READ_REQ, 8);
    EXPECT(r, TA_FLAT_ATOMIC_WAVEFRONTS, 2);
    EXPECT(r, TD_ATOMIC_WAVEFRONT, 2);
    rig_invariants(r);
    rig_destroy(r);
}

/* GLC loads go past L1 and leave nothing there; SLC marks requests as streaming. */
static void policies(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_stride(r, 0, 4);
    rig_do(r, "global_load_dword v2, v[0:1], off glc");
    rig_do(r, "global_load_dword v2, v[0:1], off glc");
    EXPECT(r, TCP_TCC_READ_REQ, 8);
    rig_do(r, "global_load_dword v2, v[0:1], off slc");
    EXPECT(r, TCP_TCC_READ_REQ, 12);
    EXPECT(r, TCC_STREAMING_REQ, 2);
    rig_do(r, "buffer_wbinvl1");
    EXPECT(r, TCP_TOTAL_WRITEBACK_INVALIDATES, 1);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_TCC_READ_REQ, 16);
    rig_destroy(r);
}

/* Where cache bits are a scope, a load passes L1 with sc1: that of a workgroup (sc0) need not. */
static void scopes(void **state)
{
    static const struct {
        uint16_t flags;
        unsigned requests; /* of two loads of 256 bytes */
    } cases[] = {{0, 4}, {ISA_F_GLC, 4}, {ISA_F_SC1, 8}, {ISA_F_GLC | ISA_F_SC1, 8}};
    (void)state;
    isa_arch_t arch = *ASM_ARCH;
    arch.scope_bits = true;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rig_t *r = rig_create();
        sgc_destroy(r->model);
        r->model = sgc_create(&arch, &r->profile, rig_page, r);
        assert_non_null(r->model);
        isa_inst_t load = *rig_inst(r, "global_load_dword v2, v[0:1], off");
        load.flags |= cases[k].flags;
        isa_watch_t watch = {.seen = &r->seen};
        rig_stride(r, 0, 4);
        for (unsigned n = 0; n < 2; n++)
            sgc_before(r->model, 0, &watch, &r->wave, &load);
        EXPECT(r, TCP_TCC_READ_REQ, cases[k].requests);
        /* scalar loads have the one bit */
        rig_set_s64(r, 4, RIG_VA);
        for (unsigned n = 0; n < 2; n++)
            rig_do(r, "s_load_dword s0, s[4:5], 0x0 glc");
        EXPECT(r, SQC_DCACHE_MISSES, 2);
        rig_destroy(r);
    }
}

/* Uncached pages stay out of L2: what L1 does not have comes from memory. */
static void uncached_pages(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    r->page = (sgc_page_t){SGC_UC, false, 0};
    rig_stride(r, 0, 4);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_TCC_UC_READ_REQ, 4);
    rig_do(r, "global_load_dword v2, v[0:1], off glc");
    EXPECT(r, TCP_TCC_UC_READ_REQ, 8);
    EXPECT(r, TCC_UC_REQ, 8);
    EXPECT(r, TCC_MISS, 8);
    EXPECT(r, TCC_EA_RDREQ, 8);
    EXPECT(r, TCC_EA_RDREQ_DRAM, 0);
    EXPECT(r, TCC_EA_RD_UNCACHED_32B, 16);
    rig_do(r, "global_store_dword v[0:1], v2, off");
    EXPECT(r, TCC_EA_WRREQ, 4);
    EXPECT(r, TCC_EA_WRREQ_64B, 4);
    EXPECT(r, TCC_EA_WR_UNCACHED_32B, 8);
    rig_do(r, "global_atomic_add v[0:1], v2, off");
    EXPECT(r, TCC_EA_ATOMIC, 4);
    EXPECT(r, TCC_EA_WRREQ, 8);
    rig_invariants(r);
    rig_destroy(r);
}

/* Scratch: lane l's dword k is at 256 * k + 4 * l. */
static void scratch_and_flat(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    r->wave.flat_scratch = RIG_VA;
    for (unsigned l = 0; l < ISA_LANES; l++)
        r->rows[0][l] = 16;
    /* one offset in all lanes: 4 dwords, each 64 bytes of a quarter: 4 lines per quarter, and 4 per
     * quad */
    rig_do(r, "scratch_load_dwordx4 v[2:5], v0, off");
    EXPECT(r, TCP_TOTAL_READ, 64);
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 16);
    EXPECT(r, TCP_TCC_READ_REQ, 16);
    /* the same through the private aperture finds them all */
    for (unsigned l = 0; l < ISA_LANES; l++)
        rig_address(r, 0, l, RIG_PRIVATE + 16);
    rig_do(r, "flat_load_dwordx4 v[2:5], v[0:1]");
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 32);
    EXPECT(r, TCP_TCC_READ_REQ, 16);
    /* half of the lanes in LDS, half in memory: two pipes */
    rig_reset(r);
    for (unsigned l = 0; l < ISA_LANES; l++)
        rig_address(r, 0, l, l < 32 ? RIG_SHARED + 4 * l : RIG_VA + 4 * l);
    rig_do(r, "flat_load_dword v2, v[0:1]");
    EXPECT(r, TCP_TOTAL_READ, 8);
    EXPECT(r, SQ_LDS_IDX_ACTIVE, 2);
    assert_int_equal(r->cost.lds_issue, 2);
    assert_int_equal(r->cost.vmem_issue, 2);
    for (unsigned l = 0; l < ISA_LANES; l++)
        rig_address(r, 0, l, RIG_SHARED + 4 * l);
    rig_do(r, "flat_load_dword v2, v[0:1]");
    EXPECT(r, TA_FLAT_READ_WAVEFRONTS, 2);
    EXPECT(r, TCP_TOTAL_READ, 8);
    rig_destroy(r);
}

/* A buffer of 256 bytes: lanes out of range access nothing. */
static void buffers(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_set_s64(r, 8, RIG_VA);
    r->wave.sgpr[10] = 128;
    r->wave.sgpr[11] = 0x00024fac;
    for (unsigned l = 0; l < ISA_LANES; l++)
        r->rows[0][l] = 4 * l;
    rig_do(r, "buffer_load_dword v2, v0, s[8:11], 0 offen");
    EXPECT(r, TCP_TOTAL_READ, 8); /* 32 lanes */
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 2);
    EXPECT(r, TA_BUFFER_READ_WAVEFRONTS, 1);
    EXPECT(r, TA_FLAT_WAVEFRONTS, 0);
    EXPECT(r, TA_BUFFER_TOTAL_CYCLES, 2);
    EXPECT(r, TA_BUFFER_COALESCED_READ_CYCLES, 2);
    rig_do(r, "buffer_store_dword v2, v0, s[8:11], 0 offen");
    EXPECT(r, TA_BUFFER_WRITE_WAVEFRONTS, 1);
    EXPECT(r, TA_BUFFER_COALESCED_WRITE_CYCLES, 2);
    rig_invariants(r);
    rig_destroy(r);
}

/* 16 lines 256 bytes apart are all on one of the 4 tag banks: 16 clocks instead of 4. */
static void tag_conflicts(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_stride(r, 0, 256);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_READ_TAGCONFLICT_STALL_CYCLES, 4 * 12);
    rig_reset(r);
    rig_stride(r, 0, 64);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_READ_TAGCONFLICT_STALL_CYCLES, 0);
    rig_destroy(r);
}

/* 32 translations: 33 pages in turn never find theirs again. */
static void translations(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    for (unsigned pages = 32; pages <= 33; pages++) {
        rig_reset(r);
        for (unsigned pass = 0; pass < 2; pass++)
            for (unsigned k = 0; k < pages; k++) {
                rig_stride(r, 4096 * k, 0);
                rig_do(r, "global_load_dword v2, v[0:1], off");
            }
        EXPECT(r, TCP_UTCL1_REQUEST, 2 * pages * 4);
        EXPECT(r, TCP_UTCL1_TRANSLATION_MISS, pages == 32 ? 32 : 66);
    }
    rig_destroy(r);
}

static sgc_page_t fragments(void *user, uint64_t va)
{
    (void)user;
    return (sgc_page_t){SGC_RW, true, va < RIG_VA + (2 << 20) ? 9 : 4};
}

/* A translation serves a fragment: 2 MiB, and 64 KiB above. */
static void large_pages(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    sgc_destroy(r->model);
    r->model = sgc_create(ASM_ARCH, &r->profile, fragments, NULL);
    for (unsigned k = 0; k < 512 + 64; k++) { /* from behind: the first page met is not the first */
        rig_stride(r, 4096 * ((512 + 64 - 1) - k), 0);
        rig_do(r, "global_load_dword v2, v[0:1], off");
    }
    EXPECT(r, TCP_UTCL1_TRANSLATION_MISS, 1 + 64 * 4096 / 65536);
    /* ten look-ups come behind a miss, of three broadcasts */
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 4 * (512 + 64) - 11 * 5);
    rig_invariants(r);
    rig_destroy(r);
}

/* A miss and the ten look-ups behind it: a double for each lane makes 16, 5 of which hit. */
static void waits_for_translation(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_stride(r, 0, 8);
    rig_do(r, "global_load_dwordx2 v[2:3], v[0:1], off");
    EXPECT(r, TCP_UTCL1_REQUEST, 16);
    EXPECT(r, TCP_UTCL1_TRANSLATION_MISS, 1);
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 5);
    rig_do(r, "global_load_dwordx2 v[2:3], v[0:1], off");
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 5 + 16);
    /* two misses one after the other, behind each of which ten wait: three of the same broadcast,
     * then seven of 12 look-ups, and seven of 8; none of the next dispatch does */
    for (unsigned k = 1; k <= 2; k++) {
        rig_stride(r, k * 4096, 0);
        rig_do(r, "global_load_dword v2, v[0:1], off");
    }
    for (unsigned k = 0; k < 3; k++)
        rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_UTCL1_TRANSLATION_MISS, 3);
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 5 + 16 + 5);
    rig_stride(r, 4096, 0);
    for (unsigned k = 0; k < 2; k++)
        rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 5 + 16 + 5 + 1);
    sgc_begun(r->model);
    rig_stride(r, 0, 8);
    rig_do(r, "global_load_dwordx2 v[2:3], v[0:1], off");
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 5 + 16 + 5 + 1 + 5);
    rig_destroy(r);
}

/* 128 pages in turn, each load a miss and three look-ups that wait: what is left of the ten is
 * dropped with the page's entry. Of 16 look-ups of the newest page, or of one that is 20 older,
 * seven wait. */
static void waits_for_own_page(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    for (unsigned k = 0; k < 8 * 128; k++) {
        rig_stride(r, k % 128 * 4096, 0);
        rig_do(r, "global_load_dword v2, v[0:1], off");
    }
    EXPECT(r, TCP_UTCL1_TRANSLATION_MISS, 8 * 128);
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 0);
    for (unsigned page = 127; page >= 107; page -= 20) {
        rig_stride(r, page * 4096, 0);
        for (unsigned k = 0; k < 4; k++)
            rig_do(r, "global_load_dword v2, v[0:1], off");
    }
    EXPECT(r, TCP_UTCL1_TRANSLATION_MISS, 8 * 128);
    EXPECT(r, TCP_UTCL1_TRANSLATION_HIT, 2 * (16 - 7));
    rig_destroy(r);
}

/* A wave copies a double for each lane, as measured: half of the look-ups of the load find the line
 * that the one before has asked for, half of the requests go with the one before. */
static void doubles(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    rig_stride(r, 0, 8);
    rig_do(r, "global_load_dwordx2 v[2:3], v[0:1], off");
    EXPECT(r, TCP_TCC_READ_REQ, 8);
    EXPECT(r, TCC_READ, 4);
    EXPECT(r, TCC_MISS, 4);
    EXPECT(r, TCC_EA_RDREQ, 8);
    rig_stride(r, 4096, 8);
    rig_do(r, "global_store_dwordx2 v[0:1], v[2:3], off");
    EXPECT(r, TCP_TOTAL_WRITE, 64);
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 32);
    EXPECT(r, TCP_TCC_WRITE_REQ, 8);
    EXPECT(r, TCC_WRITE, 8);
    EXPECT(r, TCC_MISS, 4 + 4); /* the first half of each line */
    EXPECT(r, TCC_HIT, 4);
    EXPECT(r, TD_COALESCABLE_WAVEFRONT, 0);
    rig_invariants(r);
    rig_destroy(r);
}

/* Each compute unit has an L1 of its own and counts for itself. */
static void compute_units(void **state)
{
    (void)state;
    sg_profile_t p = rig_profile();
    p.cus_per_array = 4;
    rig_t *r = rig_create_profile(&p);
    rig_stride(r, 0, 4);
    for (r->cu = 0; r->cu < 32; r->cu++)
        for (unsigned k = 0; k <= r->cu; k++)
            rig_do(r, "global_load_dword v2, v[0:1], off");
    for (unsigned se = 0; se < 8; se++)
        for (unsigned n = 0; n < 4; n++) {
            assert_int_equal(sgc_value(r->model, SGC_TCP, se, n, EVENT(TCP_TOTAL_READ)),
                             16 * (4 * se + n + 1));
            assert_int_equal(sgc_value(r->model, SGC_TCP, se, n, EVENT(TCP_TCC_READ_REQ)), 4);
        }
    EXPECT(r, TCP_TOTAL_READ, 16 * (32 * 33 / 2));
    EXPECT(r, TCC_MISS, 2);
    /* out of range is 0 */
    assert_int_equal(sgc_value(r->model, SGC_TCP, 8, 0, EVENT(TCP_TOTAL_READ)), 0);
    assert_int_equal(sgc_value(r->model, SGC_TCP, 0, 4, EVENT(TCP_TOTAL_READ)), 0);
    assert_int_equal(sgc_value(r->model, SGC_TCC, 0, 32, EVENT(TCC_REQ)), 0);
    assert_int_equal(sgc_value(r->model, SGC_TCP, 0, 0, 999), 0);
    assert_false(sgc_counts(ASM_ARCH, SGC_TCP, 999));
    assert_false(sgc_zero(ASM_ARCH, SGC_TCP, 999));
    /* a row without a count */
    assert_false(sgc_counts(ASM_ARCH, SGC_SQ, EVENT(SQC_TC_STALL)));
    assert_true(sgc_zero(ASM_ARCH, SGC_SQ, EVENT(SQC_TC_STALL)));
    assert_int_equal(sgc_value(r->model, SGC_SQ, 0, 0, EVENT(SQC_TC_STALL)), 0);
    /* both halves of a line below L2 at once: counted, and never done on this GPU */
    EXPECT(r, TCC_BUBBLE, 0);
    rig_destroy(r);
}

/* Clocks of waiting are counted once, however many instructions wait. */
static void waits_once(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    r->profile.utcl1_miss_latency = 0;
    rig_reset(r);
    /* two loads of one line each, at clock 0: the second enters the pipe 4 clocks later */
    rig_stride(r, 0, 0);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    rig_stride(r, 4096, 0);
    rig_do(r, "global_load_dword v2, v[0:1], off");
    /* 800 clocks to memory from 0 and from 4 */
    EXPECT(r, TD_TD_BUSY, 804);
    EXPECT(r, TCP_GATE_EN2, 804);
    /* waiting begins when L1's own pipe is through: 120 + 3 */
    EXPECT(r, TCP_PENDING_STALL_CYCLES, 804 - 123);
    EXPECT(r, TCP_TCP_LATENCY, 2 * 800);
    /* found, from 8: 120 + 3 clocks, all of them while the others wait */
    rig_do(r, "global_load_dword v2, v[0:1], off");
    EXPECT(r, TD_TD_BUSY, 804);
    EXPECT(r, TCP_PENDING_STALL_CYCLES, 804 - 123);
    rig_destroy(r);
}

/* ---- images: every texel of a filter is an access of its own ---- */

/* Rows of 64 texels of 4 bytes, in T# and S# of gfx9: one line is 16 of them. */
static void picture(rig_t *r, bool linear)
{
    const uint32_t t[8] = {(uint32_t)(RIG_VA >> 8),
                           (uint32_t)(RIG_VA >> 40) | 4u << 20 | 7u << 26, /* 32 bits, FLOAT */
                           63 | 63 << 14,
                           4 | 5 << 3 | 6 << 6 | 7 << 9 | 9u << 28, /* 2D */
                           63 << 13,
                           0,
                           0,
                           0};
    const uint32_t s[4] = {2 | 2 << 3 | 1 << 15, 0xfff << 12, linear ? 1 << 20 | 1 << 22 : 0, 0};
    memcpy(&r->wave.sgpr[16], t, sizeof t);
    memcpy(&r->wave.sgpr[24], s, sizeof s);
}

static uint32_t as_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void images(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    picture(r, false);
    for (unsigned l = 0; l < ISA_LANES; l++) {
        r->rows[0][l] = l;
        r->rows[1][l] = 3;
    }
    /* a row: as loads side by side */
    rig_do(r, "image_load v2, v[0:1], s[16:23] dmask:0x1 unorm");
    EXPECT(r, TCP_TOTAL_READ, 16);
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 4);
    EXPECT(r, TA_TOTAL_WAVEFRONTS, 1);
    EXPECT(r, TA_FLAT_WAVEFRONTS, 0);
    EXPECT(r, TA_BUFFER_WAVEFRONTS, 0);
    EXPECT(r, TD_LOAD_WAVEFRONT, 1);
    EXPECT(r, TCC_READ, 2);
    rig_do(r, "image_store v2, v[0:1], s[16:23] dmask:0x1 unorm");
    EXPECT(r, TCP_TOTAL_WRITE, 16);
    EXPECT(r, TD_STORE_WAVEFRONT, 1);
    EXPECT(r, TCC_WRITE, 4);
    /* what is out of range goes nowhere: 16 lanes stay, a quarter of one line */
    rig_reset(r);
    for (unsigned l = 0; l < ISA_LANES; l++)
        r->rows[0][l] = l < 16 ? l : 64 + l;
    rig_do(r, "image_load v2, v[0:1], s[16:23] dmask:0x1 unorm");
    EXPECT(r, TCP_TOTAL_READ, 4);
    EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 1);
    rig_do(r, "image_atomic_add v2, v[0:1], s[16:23] dmask:0x1 unorm glc");
    EXPECT(r, TCP_TOTAL_ATOMIC_WITH_RET, 4);
    EXPECT(r, TD_ATOMIC_WAVEFRONT, 1);
    /* sizes are not in memory */
    rig_reset(r);
    rig_do(r, "image_get_resinfo v[2:5], v0, s[16:23] dmask:0xf unorm");
    EXPECT(r, TCP_TOTAL_ACCESSES, 0);
    EXPECT(r, TA_TOTAL_WAVEFRONTS, 1);
    /* between four texels: four times the accesses; in the middle of one the filter takes one */
    picture(r, true);
    for (unsigned half = 0; half < 2; half++) {
        rig_reset(r);
        for (unsigned l = 0; l < ISA_LANES; l++) {
            r->rows[0][l] = as_bits((float)(l % 48) + (half ? 0.5f : 1));
            r->rows[1][l] = as_bits(half ? 3.5f : 4);
        }
        r->wave.exec = UINT64_C(0xffffffffffff); /* 48 lanes: 3 quarters */
        rig_do(r, "image_sample v[2:5], v[0:1], s[16:23], s[24:27] dmask:0xf");
        EXPECT(r, TCP_TOTAL_READ, half ? 12 : 4 * 12 + 2 * 3);
        EXPECT(r, TA_TOTAL_WAVEFRONTS, 1);
        EXPECT(r, TD_LOAD_WAVEFRONT, 1);
        r->wave.exec = ~UINT64_C(0);
    }
    rig_destroy(r);
}

/* Tells the model of an instruction of gfx1030. */
static void do_gfx1030(rig_t *r, uint32_t low, uint32_t high)
{
    isa_watch_t watch = {.seen = &r->seen};
    isa_inst_t i;
    const uint32_t words[2] = {low, high};
    assert_int_equal(isa_decode(r->dispatch.arch, words, 2, &i), 2);
    r->cost = sgc_before(r->model, r->cu, &watch, &r->wave, &i);
}

/* A level of detail is computed from coordinates: no texel is read, where a sample reads a row of
 * them. Descriptors are gfx1030's, as few GPUs have that instruction. */
static void levels_of_detail(void **state)
{
    (void)state;
    rig_t *r = rig_create();
    picture(r, false);
    const uint32_t t[4] = {(uint32_t)(RIG_VA >> 8),
                           (uint32_t)(RIG_VA >> 40) | 22u << 20 | 3u << 30, /* 32 bits, FLOAT */
                           15 | 63 << 14, 4 | 5 << 3 | 6 << 6 | 7 << 9 | 9u << 28};
    memcpy(&r->wave.sgpr[16], t, sizeof t);
    memset(&r->wave.sgpr[20], 0, sizeof t);
    r->dispatch.arch = isa_arch_named("gfx1030");
    for (unsigned l = 0; l < ISA_LANES; l++) {
        r->rows[0][l] = as_bits((float)l + 0.5f);
        r->rows[1][l] = as_bits(3.5f);
    }
    /* image_get_lod v[2:3], v[0:1], s[16:23], s[24:27] dmask:0x3 dim:SQ_RSRC_IMG_2D */
    do_gfx1030(r, 0xf1800308, 0x00c40200);
    EXPECT(r, TCP_TOTAL_ACCESSES, 0);
    EXPECT(r, TA_TOTAL_WAVEFRONTS, 1);
    /* image_sample_lz v2, v[0:1], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D */
    do_gfx1030(r, 0xf09c0108, 0x00c40200);
    EXPECT(r, TCP_TOTAL_READ, 16);
    rig_destroy(r);
}

/* A ray reads its node 16 bytes at a time: one of halves of floats has 64 bytes, one of floats 128.
 * Each lane has a node of its own here. What is no node of a tree is not read. */
static void rays(void **state)
{
    enum { LAST_NODE = 1 << 16, TREE = 8, BOX_16 = 4, BOX_32 = 5, NO_NODE = 7 };
    static const struct {
        uint32_t type, lookups, lines; /* of each lane */
    } rows[] = {{BOX_16, 4, 1}, {BOX_32, 8, 2}, {NO_NODE, 0, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        rig_t *r = rig_create();
        const uint32_t tree[4] = {(uint32_t)(RIG_VA >> 8), (uint32_t)(RIG_VA >> 40), LAST_NODE,
                                  (uint32_t)TREE << 28};
        memcpy(&r->wave.sgpr[4], tree, sizeof tree);
        r->dispatch.arch = isa_arch_named("gfx1030");
        r->wave.exec = UINT64_C(0xffffffff);
        for (unsigned l = 0; l < ISA_LANES; l++) /* the number of the 64 bytes where it begins */
            r->rows[0][l] = 2 * l << 3 | rows[k].type;
        /* image_bvh_intersect_ray v[30:33], v[0:10], s[4:7] */
        do_gfx1030(r, 0xf1989f01, 0x00011e00);
        EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, 32 * rows[k].lookups);
        EXPECT(r, TCP_TCC_READ_REQ, 32 * rows[k].lines);
        EXPECT(r, TA_TOTAL_WAVEFRONTS, 1);
        rig_destroy(r);
    }
}

int main(void)
{
    if (!asm_available()) return 77;
    const struct CMUnitTest tests[] = {
        RIG_TEST(counts_patterns),
        RIG_TEST(misses_then_hits),
        RIG_TEST(broadcast_misses_once),
        RIG_TEST(partial_exec),
        RIG_TEST(fits_l1_or_not),
        RIG_TEST(stores_go_through),
        RIG_TEST(atomics_pass_l1),
        RIG_TEST(policies),
        RIG_TEST(uncached_pages),
        RIG_TEST(scratch_and_flat),
        RIG_TEST(buffers),
        RIG_TEST(tag_conflicts),
        RIG_TEST(translations),
        RIG_TEST(compute_units),
        RIG_TEST(waits_once),
        RIG_TEST(large_pages),
        RIG_TEST(doubles),
        RIG_TEST(waits_for_translation),
        RIG_TEST(images),
        RIG_TEST(scopes),
        RIG_TEST(waits_for_own_page),
        RIG_TEST(levels_of_detail),
        RIG_TEST(rays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
