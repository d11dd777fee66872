/* model.h - what the files of the cache model share: its state, its counts, one request to L2.
 *
 * Apart because cache.h is for everybody. Every count is a plain number in the structure of the
 * unit that makes it; values.c alone knows which event it is. Names of counts are those of the
 * hardware's events without the block. */
#ifndef SOFTGPU_CACHE_MODEL_H
#define SOFTGPU_CACHE_MODEL_H

#include "softgpu/cache/cache.h"
#include "softgpu/cache/ops.h"
#include "softgpu/cache/reach.h"
#include "softgpu/cache/ways.h"
#include "softgpu/isa/wave.h"

#include <string.h>

/* The sizes that the rules are made of; everything else is in the profile. */
enum {
    SGC_L2_LINE = 128, /* two halves of SGC_LINE */
    SGC_PAGE = 4096,   /* unit of translation */
    SGC_PAGE_LINES = SGC_PAGE / SGC_LINE,
    SGC_QUAD = 4,     /* lanes that the address unit turns into one access, at best */
    SGC_QUARTER = 16, /* lanes whose lines are looked up together; of wide elements a quad's */
    SGC_DWORD = 4,    /* elements above it are wide */
    SGC_UTCL1_PENDING = 10,  /* look-ups after a miss of their page that still wait for it */
    SGC_SCALAR_PENDING = 30, /* requests for a scalar line on its way that are let in */
    SGC_DATA_BUS = 64,       /* bytes of loads that TD returns in a clock */
    SGC_WRITE_PORT = 2,      /* clocks in which the port to L2 takes a write and its data */
    SGC_ARRIVING = 4,        /* lines on their way to L2 that scalar caches know of */
    SGC_CODE_PENDING = 9,    /* the same for a line of code */
    SGC_LAST_CODE = 16,
    SGC_DISPATCH_BITS = 40,  /* clocks of a dispatch */
    SGC_UNCACHED_TURN = 350, /* clocks between two reads of one uncached line of the host */
    SGC_UTCL2_WAYS = 8,
    SGC_TAG_BANKS = 4, /* of the vector L1's tags, by line number */
    SGC_MTYPES = 4
};

/* ---- units ---- */

/* A page as the model knows it: frames are numbered in the order of their first use, so that
 * nothing depends on where the program's memory happened to be mapped. One word, to be copied. */
typedef struct {
    _Alignas(8) uint32_t frame;
    sgc_page_t page;
    bool known; /* the page's type has been asked since sgc_remap() */
} sgc_frame_t;

typedef struct {
    uint64_t page; /* address / SGC_PAGE + 1; 0: no entry */
    sgc_frame_t to;
} sgc_mapping_t;

typedef struct {
    sgc_mapping_t *slot; /* open addressing, a power of two */
    uint64_t size, used;
    uint32_t frames; /* given out; those of a fragment are aligned to its size */
    uint64_t lost;   /* pages without an entry since memory ran out: they share frame 0 */
    sgc_page_fn_t *page;
    void *user;
} sgc_pages_t;

/* A translation buffer: which frames were used last. */
typedef struct {
    ways_t ways;   /* tag: the first frame of a fragment */
    uint64_t last; /* page of the last look-up + 1: the newest entry */
    sgc_frame_t last_to;
} sgc_tlb_t;

/* Clocks during which something was going on, each counted once. */
typedef struct {
    uint64_t clocks, until;
    uint64_t seen; /* clocks, when a dispatch ended last */
} sgc_span_t;

typedef struct {
    uint64_t lds_bank_conflict, lds_addr_conflict, lds_unaligned_stall, lds_mem_violations,
        lds_atomic_return, lds_idx_active;
} sgc_sq_counts_t;

typedef struct {
    uint64_t ta_busy, held; /* of these, clocks that no wave waits for behind others */
    uint64_t total_wavefronts, buffer[4], flat[4]; /* all, reads, writes, atomics */
    uint64_t buffer_total_cycles, buffer_coalesced_read_cycles, buffer_coalesced_write_cycles;
    uint64_t addr_stalled_by_tc_cycles, data_stalled_by_tc_cycles;
} sgc_ta_counts_t;

typedef struct {
    uint64_t load_wavefront, atomic_wavefront, store_wavefront, coalescable_wavefront;
    uint64_t data; /* clocks that data of loads takes on its way to registers */
    uint64_t narrow, wide,
        stores; /* instructions: what returns data, by its elements; what does not */
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
    uint64_t free;  /* when the vector memory pipe takes the next instruction */
    ways_t l1;      /* tag: physical line */
    bool l1_filled; /* since it was emptied: each fence empties those of all units */
    sgc_tlb_t tlb;
    sgc_sq_counts_t sq;
    sgc_ta_counts_t ta;
    sgc_td_counts_t td;
    sgc_tcp_counts_t tcp;
    sgc_span_t td_busy, td_wait, tcp_busy, tcp_wait;
    uint32_t sqc; /* its scalar and instruction cache */
    uint64_t seen_ta,
        seen_port; /* when a dispatch ended last: ta_busy, what the port's stalls came to */
    sgc_td_counts_t seen_td; /* the same */
} sgc_cu_t;

typedef struct {
    uint64_t tc[4]; /* requests to L2: instructions, reads, writes, atomics */
    uint64_t icache_req, icache_hits, icache_misses, icache_duplicate;
    uint64_t dcache_req, dcache_hits, dcache_misses, dcache_duplicate, dcache_atomic, inflight;
    uint64_t dcache_shut; /* clocks that the data cache took no request */
} sgc_sqc_counts_t;

/* A line that has been asked for, and when it is there. */
typedef struct {
    uint32_t line;
    uint64_t at;
} sgc_arriving_t;

/* When a line of code was asked for and when it is there, since the model was made. */
typedef struct {
    uint64_t asked, there;
    uint32_t room; /* requests for it that are let in before */
} sgc_coming_t;

/* Scalar and instruction cache, shared by some compute units of an engine. */
typedef struct {
    ways_t data, code;
    sgc_frame_t *data_page; /* by slot of `data`: where it is written back to */
    uint64_t *dirty;        /* by slot of `data`: bytes written */
    uint64_t n_dirty;
    sgc_tlb_t data_tlb, code_tlb; /* not counted by any event */
    /* by the low bits of a line's number, as far as sets have them: the last that hit there + 1, or
     * 0. It is the newest of its set */
    struct {
        uint64_t line;
        sgc_coming_t coming;
    } last_code[SGC_LAST_CODE];
    unsigned last_mask;
    sgc_coming_t *code_coming; /* by slot of `code` */
    /* lines of data that have been read last, by the low bits of their numbers, and how many more
     * may ask for each before it is there */
    sgc_arriving_t data_arriving[SGC_ARRIVING];
    uint32_t data_room[SGC_ARRIVING];
    sgc_sqc_counts_t count;
} sgc_sqc_t;

typedef struct {
    uint64_t by_type[SGC_MTYPES][SGC_ACCESSES], hit, streaming;
    uint64_t writeback, normal_writeback, op_writeback, normal_evict, op_evict;
    /* transactions below L2: to the host's memory, to the GPU's own */
    uint64_t ea_wrreq[2], ea_atomic[2], ea_rdreq[2];
    uint64_t ea_wrreq_64b, ea_wr_uncached_32b, ea_rd_uncached_32b;
    uint64_t both; /* requests for two halves of a line */
    /* of dispatches that have ended, clocks */
    uint64_t busy, tag_stall, rd_stall[2], wr_stall[2];
} sgc_tcc_counts_t;

/* A line of L2, as small as it can be: there are many. */
typedef uint8_t sgc_l2_line_t;
enum {
    SGC_L2_VALID = 3,       /* bit h: half h holds what memory holds, and what was written since */
    SGC_L2_DIRTY = 60,      /* bit 2 + n: the n-th 32 bytes are newer than memory */
    SGC_L2_LOCAL = 1 << 6,  /* in the GPU's own memory, else in the host's */
    SGC_L2_SHARED = 1 << 7, /* not RW */
    SGC_L2_DIRTY_SHIFT = 2
};

typedef struct {
    sgc_tcc_counts_t count;
    sgc_tcc_counts_t seen; /* when a dispatch began last */
} sgc_channel_t;

static inline uint64_t sgc_requests(const sgc_tcc_counts_t *c)
{
    uint64_t n = 0;
    for (unsigned type = 0; type < SGC_MTYPES; type++)
        for (unsigned access = 0; access < SGC_ACCESSES; access++)
            n += c->by_type[type][access];
    return n;
}

/* The sets of all channels. Where all numbers are powers of two, as they should be, a set's place
 * is the low bits of its lines' tags: lines in a row are found in a row. Else one channel's sets
 * follow the other's. */
typedef struct {
    ways_t ways; /* tag: physical address / SGC_L2_LINE */
    sgc_l2_line_t *line;
    uint32_t sets;              /* of a channel */
    unsigned interleave;        /* lines in a row that one channel holds */
    int interleave_bits;        /* its logarithm; -1: not all are powers of two */
    uint32_t young;             /* the newest ways of a set: only these are dirty */
    uint32_t n_dirty, n_shared; /* lines that are dirty; that are not RW */
} sgc_l2_t;

enum { SGC_TOUCHED = 256 };

struct sgc {
    sg_profile_t profile;
    unsigned engines, engine_cus, cus, engine_sqcs, sqcs, channels;
    uint64_t now;  /* sgc_at() */
    uint64_t base; /* of the clocks of this dispatch among those of all */
    sgc_tallies_t tallies;
    sgc_reach_t *reach; /* sgc_reached() */
    /* the lines of L2 that scalar caches have had read last, in turns */
    sgc_arriving_t arriving[SGC_ARRIVING];
    unsigned arrivals;
    sgc_pages_t pages;
    ways_t utcl2;            /* tag: the first frame of a fragment, by its size */
    sgc_arriving_t uncached; /* the host's uncached line that was read last; when it may be again */
    sgc_cu_t *cu;
    sgc_sqc_t *sqc;
    sgc_channel_t *channel;
    sgc_l2_t l2;
    sgc_lds_memo_t lds_memo[SGC_LDS_MEMOS];
    /* which lines of a gang are there already: by line number, the gang that touched it */
    uint32_t gang, touched[SGC_TOUCHED];
};

/* ---- requests to L2 ---- */

/* l2.c: one request for a physical line of 64 bytes. `bytes`: which of them a write or an atomic
 * changes. Returns the clocks from issue until its data or its acknowledge is back. */
uint32_t sgc_l2_request(sgc_t *t, uint32_t line, sgc_page_t page, sgc_access_t access,
                        uint64_t bytes, bool stream);
/* Clocks that a transaction below L2 takes, of those of the whole way. */
uint32_t sgc_below_l2(const sgc_t *t, uint32_t all);
bool sgc_l2_init(sgc_t *t);
void sgc_l2_free(sgc_t *t);
void sgc_l2_write_back(sgc_t *t);
/* All lines, or only those that are not RW. */
void sgc_l2_invalidate(sgc_t *t, bool all);

/* ---- translations: pages.c ---- */

bool sgc_pages_init(sgc_pages_t *p, sgc_page_fn_t *page, void *user);
void sgc_pages_forget_types(sgc_pages_t *p);
sgc_frame_t sgc_pages_search(sgc_pages_t *p, uint64_t page);
/* A unit's own buffer has missed the page: the buffer that all units share has it, or reads the
 * page table. */
void sgc_translate(sgc_t *t, sgc_frame_t f);
bool sgc_tlb_init(sgc_tlb_t *b, unsigned entries);
void sgc_tlb_free(sgc_tlb_t *b);
void sgc_tlb_clear(sgc_tlb_t *b);

static inline uint64_t sgc_pages_hash(uint64_t page)
{
    return (page * UINT64_C(0x9e3779b97f4a7c15)) >> 20;
}

static inline sgc_mapping_t *sgc_pages_first(const sgc_pages_t *p, uint64_t page)
{
    return &p->slot[sgc_pages_hash(page) & (p->size - 1)];
}

/* Most pages are where their hash points to. */
static inline sgc_frame_t sgc_pages_find(sgc_pages_t *p, uint64_t page)
{
    const sgc_mapping_t *m = sgc_pages_first(p, page);
    return m->page == page + 1 && m->to.known ? m->to : sgc_pages_search(p, page);
}

/* Looks up a page that is not the last one, with a copy of b->ways. Whether it was there. */
static inline bool sgc_tlb_other(sgc_tlb_t *b, const ways_t *w, sgc_pages_t *p, uint64_t page)
{
    const sgc_frame_t f = sgc_pages_find(p, page);
    const uint32_t tag = f.frame >> f.page.fragment << f.page.fragment;
    uint32_t old;
    ways_use(w, 0, tag, &old);
    b->last = page + 1;
    b->last_to = f;
    return old == tag;
}

static inline sgc_frame_t sgc_tlb_find(sgc_tlb_t *b, sgc_pages_t *p, uint64_t page, bool *hit)
{
    *hit = b->last == page + 1 || sgc_tlb_other(b, &b->ways, p, page);
    return b->last_to;
}

/* Physical line of an address in the frame. */
static inline uint32_t sgc_line_of(sgc_frame_t f, uint64_t va)
{
    return f.frame * SGC_PAGE_LINES + (uint32_t)(va / SGC_LINE % SGC_PAGE_LINES);
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
void sgc_vector(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const isa_inst_t *i,
                const sgc_op_t *op, sgc_cost_t *cost);
void sgc_vector_invalidate(sgc_cu_t *cu);
/* memory.c: the part of the instruction that goes to memory, without LDS lanes. */
void sgc_memory_access(sgc_t *t, sgc_cu_t *cu, const isa_inst_t *i, const sgc_op_t *op,
                       sgc_lanes_t *a, sgc_cost_t *cost);
/* lds.c */
void sgc_lds(sgc_t *t, sgc_cu_t *cu, const isa_wave_t *w, const isa_inst_t *i, const sgc_op_t *op,
             sgc_cost_t *cost);
/* Lanes of *a (LDS offsets) in LDS of so many bytes. `flat`: of a FLAT instruction. */
void sgc_lds_access(sgc_t *t, sgc_cu_t *cu, const sgc_lanes_t *a, uint32_t size, const sgc_op_t *op,
                    bool flat, bool returns, sgc_cost_t *cost);
/* scalar.c */
void sgc_scalar(sgc_t *t, sgc_sqc_t *sqc, const isa_wave_t *w, const isa_inst_t *i,
                const sgc_op_t *op, sgc_cost_t *cost);
void sgc_scalar_write_back(sgc_t *t, sgc_sqc_t *sqc);
bool sgc_scalar_init(sgc_t *t);
void sgc_scalar_free(sgc_t *t);

/* A compute unit that there is. */
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
