/* model.h - what the files of the cache model share: its state, its counts, one request to L2.
 *
 * Every count is a plain number in the structure of the unit that counts it; values.c maps counts
 * to the hardware's events. Most counts have the name of the event, without its block. */
#ifndef SOFTGPU_CACHE_MODEL_H
#define SOFTGPU_CACHE_MODEL_H

#include "base/golden.h"
#include "softgpu/cache/cache.h"
#include "softgpu/cache/ops.h"
#include "softgpu/cache/reach.h"
#include "softgpu/cache/ways.h"
#include "softgpu/exec/wave.h"

#include <string.h>

/* Numbers that docs/counter-model.md's rules use and that are the same for every GPU; those that
 * differ are in the profile. */
enum {
    SGC_PAGE = 4096, /* unit of translation */
    SGC_PAGE_LINES = SGC_PAGE / SGC_LINE,
    SGC_QUAD = 4,     /* the most lanes that the address unit combines into one access */
    SGC_QUARTER = 16, /* lanes of a gang, whose lines are looked up together; 4 if they are wide */
    SGC_DWORD = 4,    /* elements of more bytes are wide */
    SGC_SCALAR_PENDING =
        30,            /* further requests that a cache accepts for a line that is being fetched */
    SGC_DATA_BUS = 64, /* bytes of loads that TD returns in a clock */
    SGC_ARRIVING = 4,  /* lines on their way to L2 that are recorded for scalar caches */
    SGC_CODE_PENDING = 9, /* further requests that the instruction cache accepts for a line that it
                             reads ahead */
    SGC_CODE_ALL = INT32_MAX, /* the same of a line that a wave has missed: as many as come */
    SGC_LAST_CODE = 16,
    SGC_DISPATCH_BITS = 40, /* a dispatch has less than 1 << 40 clocks */
    SGC_UTCL2_WAYS = 8,
    SGC_TAG_BANKS = 4, /* banks of the vector L1's tags; a line's number selects one */
    SGC_MTYPES = 4
};

/* ---- units ---- */

/* The mapping of a page. Frames, the physical pages, are numbered in the order of first use, so
 * that no count depends on where the program's memory happens to be. */
typedef struct {
    _Alignas(8) uint32_t frame;
    sgc_page_t page;
    bool known; /* the page has been described since sgc_remap() */
} sgc_frame_t;

typedef struct {
    uint64_t page; /* address / SGC_PAGE + 1; 0: no entry */
    sgc_frame_t to;
} sgc_mapping_t;

typedef struct {
    sgc_mapping_t *slot; /* open addressing, a power of two */
    uint64_t size, used;
    uint32_t frames; /* frames in use; those of a fragment are aligned to its size */
    uint64_t
        lost; /* pages without an entry, since the host was out of memory: they share frame 0 */
    sgc_page_fn_t *page;
    void *user;
} sgc_pages_t;

/* A translation buffer (TLB). */
typedef struct {
    ways_t ways;   /* tag: the first frame of a fragment */
    uint64_t last; /* page of the last look-up + 1: the newest entry */
    sgc_frame_t last_to;
    uint32_t slot; /* of `ways`: that entry's */
} sgc_tlb_t;

/* Clocks, up to `until`, during which a unit was busy, or waited; each is counted once. */
typedef struct {
    uint64_t clocks, until;
    uint64_t seen; /* value of `clocks` when the last dispatch ended */
} sgc_span_t;

typedef struct {
    uint64_t lds_bank_conflict, lds_addr_conflict, lds_unaligned_stall, lds_mem_violations,
        lds_atomic_return, lds_idx_active;
} sgc_sq_counts_t;

typedef struct {
    uint64_t ta_busy, held; /* held: the clocks of ta_busy in which no wave waits for other waves */
    uint64_t total_wavefronts, buffer[4], flat[4]; /* [4]: all, reads, writes, atomics */
    uint64_t buffer_total_cycles, buffer_coalesced_read_cycles, buffer_coalesced_write_cycles;
    uint64_t addr_stalled_by_tc_cycles, data_stalled_by_tc_cycles;
} sgc_ta_counts_t;

typedef struct {
    uint64_t load_wavefront, atomic_wavefront, store_wavefront, coalescable_wavefront;
    /* of loads and atomics that return: clocks in which TD sends data to registers, SGC_DATA_BUS
       bytes in each; and clocks in which TD gets data from the vector L1, that of a look-up in
       each, whose line lanes may use only a part of */
    uint64_t data, lookups;
    uint64_t narrow, wide; /* instructions that return data, by the width of its elements */
    uint64_t stores;       /* instructions that return no data */
    uint64_t held_tcp, spi_stall;
} sgc_td_counts_t;

typedef struct {
    uint64_t tagconflict[3];          /* read, write, atomic */
    uint64_t state_read, accesses[4]; /* read, write, atomic returning and not */
    uint64_t writeback_invalidates;
    uint64_t utcl1_miss, utcl1_hit, cache_accesses, latency, read_latency, write_latency;
    uint64_t tcc_atomic_ret;
    uint64_t port_stall;
    uint64_t by_type[SGC_MTYPES][SGC_ACCESSES]; /* requests to L2 */
} sgc_tcp_counts_t;

typedef struct {
    uint64_t free;  /* clock at which the vector memory pipe accepts the next instruction */
    ways_t l1;      /* tag: physical line >> sgc.l1_wide */
    bool l1_filled; /* a line has been filled since L1 was last emptied; if false, a fence need not
                       empty it again */
    sgc_tlb_t tlb;
    /* indexed by slot of `tlb`: further look-ups that come too soon after the entry's miss to hit;
       and the sum of these numbers */
    uint32_t *tlb_pending, pending;
    sgc_sq_counts_t sq;
    sgc_ta_counts_t ta;
    sgc_td_counts_t td;
    sgc_tcp_counts_t tcp;
    sgc_span_t td_busy, td_wait, tcp_busy, tcp_wait;
    uint32_t sqc;   /* index of its scalar and instruction cache in sgc.sqc */
    uint32_t array; /* shader array, whose GL1 it uses; of all engines */
    uint32_t xcc;   /* whose L2 it uses */
    bool there;     /* the place has a unit: in some arrays the last ones are empty */
    /* at the end of the last dispatch: ta_busy without `held`; clocks waited for the port; `td` */
    uint64_t seen_ta, seen_port;
    sgc_td_counts_t seen_td;
} sgc_cu_t;

typedef struct {
    uint64_t tc[4]; /* requests to L2: instructions, reads, writes, atomics */
    uint64_t icache_req, icache_hits, icache_misses, icache_duplicate;
    uint64_t dcache_req, dcache_hits, dcache_misses, dcache_duplicate, dcache_atomic, inflight;
    uint64_t dcache_shut; /* clocks in which the data cache accepted no request */
} sgc_sqc_counts_t;

/* A line that has been requested, and the clock at which it arrives. */
typedef struct {
    uint32_t line;
    uint64_t at;
} sgc_arriving_t;

/* When a line of code was requested and when it arrives, in clocks since the model was made. */
typedef struct {
    uint64_t asked, there;
    uint32_t room; /* further requests that the cache accepts for it before it arrives */
} sgc_coming_t;

/* GL1 of a shader array: gl1.h. */
typedef struct {
    ways_t ways; /* tag: that of L2's line */
    bool filled; /* a line has been filled since it was last emptied; if false, it need not be
                    emptied again */
} sgc_gl1_t;

/* Scalar and instruction cache, shared by some compute units of an engine. */
typedef struct {
    uint32_t xcc, array; /* whose L2 and whose GL1 it uses */
    ways_t data, code;
    sgc_frame_t *data_page; /* indexed by slot of `data`: the page of the line */
    uint64_t *dirty;        /* indexed by slot of `data`: bit n, byte n has been written */
    uint64_t n_dirty;
    sgc_tlb_t data_tlb, code_tlb; /* not counted by any event */
    /* Indexed by the low bits of a line's number, which are bits of its set's: the line that last
     * hit there + 1, or 0. That line is the newest of its set, so another hit changes nothing. */
    struct {
        uint64_t line;
        sgc_coming_t coming;
    } last_code[SGC_LAST_CODE];
    unsigned last_mask;
    sgc_coming_t *code_coming; /* indexed by slot of `code` */
    /* Indexed by the low bits of a line's number: the line that was read last, and how many further
     * requests for it the cache accepts before it arrives. */
    sgc_arriving_t data_arriving[SGC_ARRIVING];
    uint32_t data_room[SGC_ARRIVING];
    sgc_sqc_counts_t count;
} sgc_sqc_t;

typedef struct {
    uint64_t by_type[SGC_MTYPES][SGC_ACCESSES], hit, streaming;
    uint64_t writeback, normal_writeback, op_writeback, normal_evict, op_evict;
    /* transactions below L2: [0] to the host's memory, [1] to the GPU's own. ORDER: values.c adds
       up each of these and the next one */
    uint64_t ea_wrreq[2], ea_wrreq_64b[2];  /* 64b: those of ea_wrreq that write 64 bytes, not 32 */
    uint64_t ea_rdreq[2], ea_read_whole[2]; /* whole: those of ea_rdreq that read both halves of a
                                               line */
    uint64_t ea_atomic[2], at_pieces[2];    /* at_pieces: their pieces of 32 bytes */
    uint64_t ea_mall;                       /* those of ea_rdreq[1] whose data was in the MALL */
    uint64_t ea_wr_uncached_32b, ea_rd_uncached_32b;
    uint64_t both; /* requests for both halves of a line */
    /* in clocks; counted when a dispatch ends */
    uint64_t busy, tag_stall, rd_stall[2], wr_stall[2];
} sgc_tcc_counts_t;

/* A line of L2: a single byte, so that all lines fit into the host's caches. */
typedef uint8_t sgc_l2_line_t;
enum {
    SGC_L2_VALID = 3,       /* bit h: all of half h is valid; a line of SGC_LINE bytes has half 0 */
    SGC_L2_DIRTY = 60,      /* bit 2 + n: the n-th 32 bytes are newer than memory */
    SGC_L2_LOCAL = 1 << 6,  /* in the GPU's own memory, else in the host's */
    SGC_L2_SHARED = 1 << 7, /* the page's type is not RW */
    SGC_L2_DIRTY_SHIFT = 2
};

typedef struct {
    sgc_tcc_counts_t count;
    sgc_tcc_counts_t seen; /* value of `count` when the last dispatch began */
} sgc_channel_t;

static inline uint64_t sgc_requests(const sgc_tcc_counts_t *c)
{
    uint64_t n = 0;
    for (unsigned type = 0; type < SGC_MTYPES; type++)
        for (unsigned access = 0; access < SGC_ACCESSES; access++)
            n += c->by_type[type][access];
    return n;
}

/* The sets of all channels are in one array, the L2 of one XCC after that of another. If the sizes
 * of an L2 are powers of two, as on real GPUs, a line's set is the low bits of l2_index(), so that
 * consecutive lines are in different sets of the array. Otherwise an L2 has the sets of one
 * channel after those of another. */
typedef struct {
    ways_t ways;   /* tag: physical address / bytes of a line */
    uint32_t wide; /* 1: a line is two of SGC_LINE bytes, its halves; 0: it is one */
    sgc_l2_line_t *line;
    uint32_t sets;              /* of a channel */
    uint32_t all_sets;          /* of the L2 of an XCC */
    unsigned interleave;        /* number of consecutive lines in the same channel */
    int interleave_bits;        /* its logarithm; -1: not all sizes are powers of two */
    bool hash;                  /* l2_index() is not the tag: higher bits change channel and set */
    uint32_t young;             /* how many of a set's newest lines may be dirty */
    uint32_t n_dirty, n_shared; /* lines that are dirty; that are not RW */
} sgc_l2_t;

enum { SGC_TOUCHED = 256 };

/* State that the units of an XCC share, besides the lines of L2. */
typedef struct {
    ways_t utcl2; /* tag: the first frame of a fragment, by its size */
    /* a ring buffer: the L2 lines that the scalar and instruction caches have requested last */
    sgc_arriving_t arriving[SGC_ARRIVING];
    unsigned arrivals;
} sgc_xcc_t;

struct sgc {
    sg_profile_t profile;
    const isa_arch_t *arch;  /* the profile's */
    bool scopes;             /* isa_formats_t.scopes */
    uint32_t fresh_flags[2]; /* without scopes: ISA_F_* of scalar and of vector loads that have to
                                find out what is behind the first-level cache */
    unsigned xccs, engines, engine_cus, cus, xcc_sqcs, sqcs; /* engines: of all XCCs */
    unsigned channels;                                       /* of an XCC */
    uint64_t now;                                            /* sgc_at() */
    uint64_t base; /* clocks from the making of the model to the begin of this dispatch */
    sgc_tallies_t tallies;
    double spi_rest;  /* what spi_stall() of the dispatch's last unit is rounded down by */
    uint32_t l1_wide; /* 1: a line of the vector L1 is two of SGC_LINE bytes; 0: it is one */
    sgc_pages_t pages;
    sgc_xcc_t *xcc;
    sgc_arriving_t
        uncached; /* the uncached line of the host that was read last; when it can be read again */
    sgc_cu_t *cu;
    sgc_sqc_t *sqc;
    sgc_gl1_t *gl1; /* [arrays], or NULL: the GPU has none */
    unsigned arrays;
    sgc_channel_t *channel;
    sgc_l2_t l2;
    ways_t mall; /* tag: physical line of 64 bytes; without sets: no MALL (mall.h) */
    /* Indexed by low bits of a line's number: the number of the last gang that had a line there. In
     * most cases it shows that a line is new in its gang, without a search. */
    uint32_t gang, touched[SGC_TOUCHED];
};

/* ---- requests to L2 ---- */

/* l2.c: one request for a physical line of 64 bytes to the L2 of the XCC. `bytes`: bit n if a write
 * or an atomic changes byte n. Returns the clocks from issue until the data or the acknowledgement
 * is back. */
uint32_t sgc_l2_request(sgc_t *t, uint32_t xcc, uint32_t line, sgc_page_t page, sgc_access_t access,
                        uint64_t bytes, bool stream);
/* The part of a latency of `all` clocks that is spent below L2. */
uint32_t sgc_below_l2(const sgc_t *t, uint32_t all);
/* Transactions with the host's memory, n[0], and with the GPU's own, n[1], times the clocks that
 * each takes below L2. */
uint64_t sgc_in_flight(const sgc_t *t, const uint64_t n[2], bool writes);
/* The same of all reads of a channel, of which the MALL serves some sooner. */
uint64_t sgc_reads_in_flight(const sgc_t *t, const sgc_tcc_counts_t *c);
bool sgc_l2_init(sgc_t *t);
void sgc_l2_free(sgc_t *t);
void sgc_l2_write_back(sgc_t *t);
/* Invalidates all lines, or only those of pages that are not RW. */
void sgc_l2_invalidate(sgc_t *t, bool all);

/* ---- translations: pages.c ---- */

bool sgc_pages_init(sgc_pages_t *p, sgc_page_fn_t *page, void *user);
void sgc_pages_forget_types(sgc_pages_t *p);
sgc_frame_t sgc_pages_search(sgc_pages_t *p, uint64_t page);
/* A unit's own translation buffer has missed: looks the page up in the one that all units of the
 * XCC share (UTCL2), and in the page table if it misses too. */
void sgc_translate(sgc_t *t, uint32_t xcc, sgc_frame_t f);
bool sgc_tlb_init(sgc_tlb_t *b, unsigned entries);
void sgc_tlb_free(sgc_tlb_t *b);
void sgc_tlb_clear(sgc_tlb_t *b);

static inline uint64_t sgc_pages_hash(uint64_t page)
{
    return (page * BASE_GOLDEN) >> 20;
}

static inline sgc_mapping_t *sgc_pages_first(const sgc_pages_t *p, uint64_t page)
{
    return &p->slot[sgc_pages_hash(page) & (p->size - 1)];
}

/* The entry of a page. Most entries are in the first slot for their hash. */
static inline sgc_frame_t sgc_pages_find(sgc_pages_t *p, uint64_t page)
{
    const sgc_mapping_t *m = sgc_pages_first(p, page);
    return m->page == page + 1 && m->to.known ? m->to : sgc_pages_search(p, page);
}

/* Looks up a page that is not b->last; `w`: a copy of b->ways. Returns whether the buffer had
 * it. */
static inline bool sgc_tlb_other(sgc_tlb_t *b, const ways_t *w, sgc_pages_t *p, uint64_t page)
{
    const sgc_frame_t f = sgc_pages_find(p, page);
    const uint32_t tag = f.frame >> f.page.fragment << f.page.fragment;
    uint32_t old;
    b->slot = ways_use(w, 0, tag, &old);
    b->last = page + 1;
    b->last_to = f;
    return old == tag;
}

static inline sgc_frame_t sgc_tlb_find(sgc_tlb_t *b, sgc_pages_t *p, uint64_t page, bool *hit)
{
    *hit = b->last == page + 1 || sgc_tlb_other(b, &b->ways, p, page);
    return b->last_to;
}

/* Number of the physical line of an address in a page mapped to the frame. */
static inline uint32_t sgc_line_of(sgc_frame_t f, uint64_t va)
{
    return f.frame * SGC_PAGE_LINES + (uint32_t)(va / SGC_LINE % SGC_PAGE_LINES);
}

/* Whether a load has to find out what is behind the first-level cache, whatever that has. */
static inline bool sgc_is_fresh(const sgc_t *t, const isa_inst_t *i, const sgc_op_t *op)
{
    if (op->access != SGC_READ) return false;
    if (t->scopes) return isa_scope(i) != ISA_SCOPE_CU;
    return i->flags & t->fresh_flags[op->unit == ISA_UNIT_VECTOR];
}

/* ---- the pipes ---- */

static inline void sgc_span_add(sgc_span_t *s, uint64_t from, uint64_t to)
{
    if (from < s->until) from = s->until;
    if (to <= from) return;
    s->clocks += to - from;
    s->until = to;
}

/* vector.c */
void sgc_vector(sgc_t *t, sgc_cu_t *cu, isa_watch_t *watch, const isa_wave_t *w,
                const isa_inst_t *i, const sgc_op_t *op, sgc_cost_t *cost);
void sgc_vector_invalidate(sgc_cu_t *cu);
void sgc_gl1_invalidate(sgc_gl1_t *g); /* cache.c */
/* memory.c: the lanes of an instruction that access memory or scratch, not LDS. */
void sgc_memory_access(sgc_t *t, sgc_cu_t *cu, const isa_inst_t *i, const sgc_op_t *op,
                       sgc_lanes_t *a, sgc_cost_t *cost);
/* lds.c */
void sgc_lds(sgc_t *t, sgc_cu_t *cu, isa_watch_t *watch, const isa_wave_t *w, const isa_inst_t *i,
             const sgc_op_t *op, sgc_cost_t *cost);
/* Lanes whose addresses are offsets in the wave's LDS. `flat`: of a FLAT instruction. */
void sgc_lds_access(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const sgc_lanes_t *a,
                    const sgc_op_t *op, bool flat, bool returns, sgc_cost_t *cost);
/* scalar.c */
void sgc_scalar(sgc_t *t, sgc_sqc_t *sqc, const isa_wave_t *w, const isa_inst_t *i,
                const sgc_op_t *op, sgc_cost_t *cost);
void sgc_scalar_write_back(sgc_t *t, sgc_sqc_t *sqc);
bool sgc_scalar_init(sgc_t *t);
void sgc_scalar_free(sgc_t *t);

/* The number of an existing compute unit: a number out of range wraps. */
static inline unsigned sgc_unit(const sgc_t *t, unsigned cu)
{
    return cu < t->cus ? cu : cu % t->cus;
}

static inline void sgc_forget_code(sgc_sqc_t *q)
{
    memset(q->last_code, 0, sizeof q->last_code);
}

static inline sgc_sqc_t *sgc_sqc_of(const sgc_t *t, unsigned cu)
{
    return t->sqc + t->cu[cu].sqc;
}

#endif
