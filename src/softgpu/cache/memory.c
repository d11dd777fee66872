/* memory.c - address unit, vector L1 and data return (TA, TCP, TD): lanes become accesses, accesses
 * look-ups, look-ups requests to L2.
 *
 * The rules are in docs/counter-model.md, "Vector memory". Lanes are looked up in gangs: a quarter
 * of the wave, or a quad if elements are wide. The rules have two implementations: one for lanes in
 * a row, where a gang's lines follow from its first address, and a general one, lane by lane. */
#include "softgpu/cache/gl1.h"
#include "softgpu/exec/address.h"

#define INLINE static inline __attribute__((always_inline))

/* A lane touches at most 4 dwords, or 5 that are unaligned. */
enum { QUARTERS = ISA_LANES / SGC_QUARTER, LOOKUPS_MAX = 5 * ISA_LANES };

/* One look-up of a line in the vector L1. */
typedef struct {
    uint64_t line;  /* address / 64 */
    uint64_t bytes; /* mask of the bytes that a store or an atomic changes */
    uint32_t physical;
    uint32_t at; /* clocks from the instruction's start until the look-up requests its line */
    sgc_page_t page;
} lookup_t;

/* The state of one instruction while it passes the units. */
typedef struct {
    sgc_t *t;
    sgc_cu_t *cu;
    const sgc_op_t *op;
    bool fresh, returns, stream; /* a load that bypasses L1; an atomic that returns a value; SLC */
    bool past;                   /* a load that bypasses GL1, too */
    bool wide;                   /* elements so wide that lanes do not share accesses */
    bool waits;                  /* the instruction waits for L2 */
    bool held; /* `read` is not requested yet: the next look-up may be the other half of its line */
    uint32_t accesses, quads, quarters, lookups, conflicts;
    uint32_t requests; /* to L2 */
    uint32_t latency;
    uint32_t pending; /* cu->pending, while the instruction makes its look-ups */
    uint32_t hits;    /* number of hits in the translation buffer */
    uint32_t last;    /* with l1_wide: the line that was last looked up in L1 */
    uint32_t lines;   /* with by_line: look-ups of another line of L1 than the look-up before */
    uint64_t line;    /* with by_line: that line of the look-up before, address / 128 */
    lookup_t *lookup;
    lookup_t *read;
} pass_t;

/* What does not change of the caches, copied where loops begin: the tag arrays of the compute unit
 * and of L2, and the kinds of the caches. */
typedef struct {
    ways_t l1, tlb;
    l2_view_t l2;
    sgc_gl1_t *gl1; /* of the unit's array, or NULL */
    uint32_t l1_wide;
    bool by_line; /* the profile's l1_tags_by_line */
} arrays_t;

INLINE arrays_t arrays_of(const pass_t *p)
{
    return (arrays_t){.l1 = p->cu->l1,
                      .tlb = p->cu->tlb.ways,
                      .l2 = l2_view_of(p->t, p->cu->xcc),
                      .gl1 = gl1_of(p->t, p->cu->array),
                      .l1_wide = p->t->l1_wide,
                      .by_line = p->t->profile.l1_tags_by_line};
}

/* Whether the caches are as those of gfx908 and gfx90a in all that set_usual() sets. */
INLINE bool is_usual(const arrays_t *w)
{
    return !w->l1.order && !w->tlb.order && w->l2.ways.order && !w->gl1 && !w->l1_wide &&
           !w->by_line && w->l2.wide && w->l2.interleave_bits >= 0 && !w->l2.hash;
}

/* Changes nothing where is_usual() is true, but the compiler then knows these members. */
INLINE void set_usual(arrays_t *w)
{
    w->l1.order = w->tlb.order = NULL;
    w->gl1 = NULL;
    w->l1_wide = 0;
    w->by_line = false;
    w->l2.wide = 1;
    w->l2.hash = false;
}

/* ---- look-ups ---- */

INLINE void slower(pass_t *p, uint32_t latency)
{
    if (latency > p->latency) p->latency = latency;
}

/* The look-ups that still wait for the entry that was looked up last. */
INLINE uint32_t *waiting(const pass_t *p)
{
    return &p->cu->tlb_pending[p->cu->tlb.slot];
}

/* A miss of an entry: the next look-ups of it wait, too, and none of the one that it replaces. */
static void await_translation(pass_t *p)
{
    p->cu->tcp.utcl1_miss++;
    p->t->tallies.tlb_misses++;
    p->pending += p->t->profile.utcl1_pending - *waiting(p);
    *waiting(p) = p->t->profile.utcl1_pending;
}

static void count_waiting(pass_t *p)
{
    const bool waits = *waiting(p);
    *waiting(p) -= waits;
    p->pending -= waits;
    p->hits += !waits;
}

INLINE void count_translation(pass_t *p, bool hit)
{
    if (__builtin_expect(!hit, 0))
        await_translation(p);
    else if (__builtin_expect(p->pending, 0))
        count_waiting(p);
    else
        p->hits++;
}

INLINE void count_line(pass_t *p, uint64_t line)
{
    p->lines += line != p->line;
    p->line = line;
}

/* Completes the k-th look-up, whose line is known. */
INLINE void translate(pass_t *p, const arrays_t *w, lookup_t *u, uint32_t k)
{
    const uint64_t page = u->line / SGC_PAGE_LINES;
    if (__builtin_expect(w->by_line, 0)) count_line(p, u->line >> 1);
    sgc_tlb_t *tlb = &p->cu->tlb;
    const bool hit = tlb->last == page + 1 || sgc_tlb_other(tlb, &w->tlb, &p->t->pages, page);
    count_translation(p, hit);
    if (__builtin_expect(!hit, 0)) sgc_translate(p->t, p->cu->xcc, tlb->last_to);
    u->at = k + (hit ? 0 : p->t->profile.utcl1_miss_latency);
    u->physical = sgc_line_of(tlb->last_to, u->line * SGC_LINE);
    u->page = tlb->last_to.page;
}

/* `line`: a physical line of 64 bytes; a line of L1 has one or two of these. */
INLINE void drop_from_l1(const arrays_t *w, uint32_t line)
{
    line >>= w->l1_wide;
    const int32_t slot = ways_look(&w->l1, ways_set(&w->l1, line), line);
    if (slot >= 0) ways_remove(&w->l1, (uint32_t)slot);
}

/* Looks the line up in L1 and fills it; returns whether L1 had it. A load that bypasses L1
 * (`fresh`) never hits and leaves no line there. */
INLINE bool in_l1(pass_t *p, const arrays_t *w, uint32_t line)
{
    uint32_t old;
    if (__builtin_expect(p->fresh, 0)) {
        drop_from_l1(w, line);
        return false;
    }
    if (__builtin_expect(w->l1_wide, 0)) { /* the other half has mostly been looked up before */
        line >>= 1;
        if (line == p->last) return true;
        p->last = line;
    }
    ways_use(&w->l1, ways_set(&w->l1, line), line, &old);
    return old == line;
}

/* Requests the look-up's line from L2. Returns the clocks that the request takes. */
INLINE uint32_t request_line(pass_t *p, const arrays_t *w, const lookup_t *u, sgc_access_t access,
                             uint64_t bytes)
{
    if (__builtin_expect(w->gl1 != NULL, 0)) {
        if (access == SGC_READ)
            return gl1_read(p->t, w->gl1, &w->l2, u->physical, u->page, p->past, p->stream);
        gl1_drop(p->t, w->gl1, u->physical);
    }
    return l2_request(p->t, &w->l2, u->physical, u->page, access, bytes, p->stream);
}

/* Counts `n` requests to L2 for memory as the look-up's, and adds their latency to *sum. `at`: when
 * the last of them is made. */
INLINE void count_requests(pass_t *p, const lookup_t *u, uint32_t n, uint32_t at,
                           sgc_access_t access, uint64_t *sum, uint32_t latency)
{
    p->cu->tcp.by_type[u->page.type][access] += n;
    p->requests += n;
    *sum += n * (uint64_t)latency;
    slower(p, at + latency);
}

INLINE void count_request(pass_t *p, const lookup_t *u, sgc_access_t access, uint64_t *sum,
                          uint32_t latency)
{
    count_requests(p, u, 1, u->at, access, sum, latency);
}

/* When the later one of the look-ups of both halves of an L2 line is made. */
INLINE uint32_t later_of(const lookup_t *u, const lookup_t *next)
{
    return next->at > u->at ? next->at : u->at;
}

INLINE void ask_held(pass_t *p, const arrays_t *w)
{
    const lookup_t *u = p->read;
    if (!p->held) return;
    p->held = false;
    p->waits = true;
    count_request(p, u, SGC_READ, &p->cu->tcp.read_latency, request_line(p, w, u, SGC_READ, 0));
}

/* One request for both halves of an L2 line, which is also a line of L1 if that has the same
 * length. */
INLINE void request_both(pass_t *p, const arrays_t *w, const lookup_t *u, const lookup_t *next)
{
    const uint32_t latency =
        w->gl1 ? gl1_read(p->t, w->gl1, &w->l2, u->physical, u->page, p->past, p->stream)
               : l2_read_both(p->t, &w->l2, u->physical, u->page, p->stream);
    p->waits = true;
    count_requests(p, u, 2 - w->l1_wide, later_of(u, next), SGC_READ, &p->cu->tcp.read_latency,
                   latency);
}

/* Holds a read back until the next one: if both are halves of one L2 line, one request reads
 * both. */
INLINE void request_read(pass_t *p, const arrays_t *w, const lookup_t *u)
{
    if (p->held && u->page.type != SGC_UC) {
        if (p->read->physical == u->physical)
            return; /* a load that bypasses L1: one request serves all look-ups of the line */
        if (p->read->physical == (u->physical ^ w->l2.wide)) {
            p->held = false;
            request_both(p, w, p->read, u);
            return;
        }
    }
    ask_held(p, w);
    *p->read = *u;
    p->held = true;
}

/* Continues a read after the look-up in L1; `had`: L1 had the line. */
INLINE void read_rest(pass_t *p, const arrays_t *w, const lookup_t *u, bool had)
{
    if (had) {
        slower(p, u->at + p->t->profile.l1_vector_latency);
        return;
    }
    request_read(p, w, u);
    if (__builtin_expect(w->l1_wide && !p->fresh, 0)) { /* the rest of the line is read, too */
        lookup_t rest = *u;
        rest.physical ^= 1;
        request_read(p, w, &rest);
    }
}

INLINE void read_line(pass_t *p, const arrays_t *w, const lookup_t *u)
{
    read_rest(p, w, u, in_l1(p, w, u->physical));
}

/* Reads both halves of an L2 line, each with a look-up of its own. */
INLINE void read_both(pass_t *p, const arrays_t *w, const lookup_t *u, const lookup_t *next)
{
    const bool first = in_l1(p, w, u->physical), second = in_l1(p, w, next->physical);
    if (!first && !second && u->page.type != SGC_UC) {
        ask_held(p, w);
        request_both(p, w, u, next);
        return;
    }
    read_rest(p, w, u, first);
    read_rest(p, w, next, second);
}

INLINE void write_line(pass_t *p, const arrays_t *w, const lookup_t *u, uint64_t bytes)
{
    count_request(p, u, SGC_WRITE, &p->cu->tcp.write_latency,
                  request_line(p, w, u, SGC_WRITE, bytes));
}

INLINE void write_both(pass_t *p, const arrays_t *w, const lookup_t *u, const lookup_t *next)
{
    if (u->page.type == SGC_UC) {
        write_line(p, w, u, ~UINT64_C(0));
        write_line(p, w, next, ~UINT64_C(0));
        return;
    }
    if (w->gl1) gl1_drop(p->t, w->gl1, u->physical);
    l2_write_both(p->t, &w->l2, u->physical, u->page, p->stream);
    count_requests(p, u, 2, later_of(u, next), SGC_WRITE, &p->cu->tcp.write_latency,
                   p->t->profile.l2_latency);
}

INLINE void change_line(pass_t *p, const arrays_t *w, const lookup_t *u)
{
    sgc_tcp_counts_t *c = &p->cu->tcp;
    drop_from_l1(w, u->physical);
    c->tcc_atomic_ret += p->returns;
    count_request(p, u, SGC_ATOMIC, p->returns ? &c->read_latency : &c->write_latency,
                  request_line(p, w, u, SGC_ATOMIC, u->bytes));
    p->waits |= p->returns;
}

/* ---- look-ups that are first collected in p->lookup, in the order of quarters and lanes ---- */

INLINE void add_lookup(pass_t *p, uint64_t line, uint64_t bytes)
{
    lookup_t *u = &p->lookup[p->lookups++];
    u->line = line;
    u->bytes = bytes;
}

/* Translates all look-ups before any is made in a cache; translations do not depend on the caches.
 * Lines that are far apart have their tags far apart in the host's memory, too: once all lines are
 * known, the host can prefetch the tags. */
INLINE void translate_all(pass_t *p, const arrays_t *w)
{
    enum { CLOSE = 16 }; /* for up to this many look-ups, prefetching does not pay */
    const bool far = p->lookups > CLOSE;
    uint32_t k = 0;
    for (const lookup_t *u = p->lookup, *end = u + p->lookups; far && u < end; u++)
        __builtin_prefetch(sgc_pages_first(&p->t->pages, u->line / SGC_PAGE_LINES));
    for (lookup_t *u = p->lookup, *end = u + p->lookups; u < end; u++) {
        translate(p, w, u, k++);
        if (far) l2_prefetch(p->t, &w->l2, l2_place(p->t, &w->l2, u->physical));
    }
}

INLINE void look_up_reads_in(pass_t *p, const arrays_t *w)
{
    translate_all(p, w);
    for (const lookup_t *u = p->lookup, *end = u + p->lookups; u < end; u++)
        read_line(p, w, u);
    ask_held(p, w);
}

static void look_up_reads(pass_t *p)
{
    arrays_t w = arrays_of(p);
    if (is_usual(&w)) {
        set_usual(&w);
        look_up_reads_in(p, &w);
    } else {
        look_up_reads_in(p, &w);
    }
}

static void look_up_writes(pass_t *p)
{
    const arrays_t w = arrays_of(p);
    translate_all(p, &w);
    for (lookup_t *u = p->lookup, *end = u + p->lookups; u < end; u++) {
        const uint32_t at = u->at; /* only the first look-up of a run can miss the page */
        uint64_t bytes = u->bytes;
        for (; u + 1 < end && u[1].line == u->line; u++)
            bytes |= u[1].bytes;
        if (u->at < at) u->at = at;
        write_line(p, &w, u, bytes);
    }
}

static void look_up_atomics(pass_t *p)
{
    const arrays_t w = arrays_of(p);
    translate_all(p, &w);
    for (const lookup_t *u = p->lookup, *end = u + p->lookups; u < end; u++)
        change_line(p, &w, u);
}

/* A bit for each of the bytes [from, to) of a line. */
INLINE uint64_t byte_mask(uint32_t from, uint32_t to)
{
    return (to - from == SGC_LINE ? ~UINT64_C(0) : (UINT64_C(1) << (to - from)) - 1) << from;
}

/* ---- lanes in a row ---- */

static uint32_t lines_in(uint64_t from, uint32_t bytes)
{
    return (uint32_t)((from + bytes - 1) / SGC_LINE - from / SGC_LINE) + 1;
}

/* Collects a look-up for each line from `at` to `end`. */
INLINE void add_row(pass_t *p, uint64_t at, uint64_t end)
{
    for (uint64_t line = at / SGC_LINE; line * SGC_LINE < end; line++) {
        const uint64_t begin = line * SGC_LINE;
        const uint32_t from = at > begin ? (uint32_t)(at - begin) : 0;
        const uint32_t to = end - begin < SGC_LINE ? (uint32_t)(end - begin) : SGC_LINE;
        add_lookup(p, line, byte_mask(from, to));
    }
}

/* Makes these look-ups at once, without collecting them: for reads, and for writes of whole lines.
 * The two halves of an L2 line are done together, in less of the host's time. */
INLINE void do_row(pass_t *p, const arrays_t *w, uint64_t at, uint64_t end, sgc_access_t access)
{
    const uint64_t last = (end - 1) / SGC_LINE;
    const uint64_t alone = !w->l2.wide; /* a line of L2 has no halves */
    for (uint64_t line = at / SGC_LINE; line <= last; line++) {
        lookup_t u = {.line = line};
        translate(p, w, &u, p->lookups++);
        if ((line | alone) & 1 || line == last) {
            if (access == SGC_READ)
                read_line(p, w, &u);
            else
                write_line(p, w, &u, ~UINT64_C(0));
            continue;
        }
        count_translation(p, true);
        const lookup_t next = {.at = p->lookups++, .physical = u.physical + 1, .page = u.page};
        line++;
        if (access == SGC_READ)
            read_both(p, w, &u, &next);
        else
            write_both(p, w, &u, &next);
    }
}

static uint32_t accesses_in_a_row(const sgc_lanes_t *a, bool wide)
{
    const uint32_t joined = wide ? 1 : SGC_QUAD, n = ISA_LANES / joined, pitch = joined * a->step;
    const uint32_t bytes = (joined - 1) * a->step + a->bytes;
    uint32_t accesses = 0;
    const bool divides = pitch && pitch <= SGC_LINE && !(pitch & (pitch - 1)); /* a line */
    if (divides && !(a->va[0] & (pitch - 1)) && a->bytes <= a->step) return n;
    const unsigned different = divides && n > SGC_LINE / pitch ? SGC_LINE / pitch : n;
    for (unsigned k = 0; k < different; k++) /* the next gangs lie in their lines as these do */
        accesses += lines_in(a->va[0] + k * pitch, bytes);
    return accesses * (n / different);
}

/* The gangs of even lanes. Since these are at most a line apart, they touch every line from a
 * gang's first byte to its last. Such lines fall on the banks in turn and never conflict. Writes
 * that use this have no gaps between the lanes. */
typedef struct {
    uint64_t first;        /* address */
    uint32_t n;            /* gangs */
    uint32_t pitch, bytes; /* from gang to gang; of a gang */
    bool whole;            /* all of them are one row of whole lines */
} rows_t;

static rows_t row_of_gangs(pass_t *p, const sgc_lanes_t *a)
{
    const uint32_t lanes = p->wide ? SGC_QUAD : SGC_QUARTER, pitch = lanes * a->step;
    p->quads = ISA_LANES / SGC_QUAD;
    p->quarters = QUARTERS;
    p->accesses = accesses_in_a_row(a, p->wide);
    return (rows_t){
        .first = a->va[0],
        .n = ISA_LANES / lanes,
        .pitch = pitch,
        .bytes = pitch - a->step + a->bytes,
        .whole = a->step == a->bytes && pitch % SGC_LINE == 0 && a->va[0] % SGC_LINE == 0,
    };
}

static void read_rows(pass_t *p, const rows_t *r)
{
    const arrays_t arrays = arrays_of(p);
    const unsigned n = r->whole ? 1 : r->n;
    const uint32_t bytes = r->whole ? r->n * r->pitch : r->bytes;
    for (uint64_t at = r->first, k = 0; k < n; k++, at += r->pitch)
        do_row(p, &arrays, at, at + bytes, SGC_READ);
    ask_held(p, &arrays);
}

static void write_rows(pass_t *p, const rows_t *r)
{
    const arrays_t arrays = arrays_of(p);
    do_row(p, &arrays, r->first, r->first + r->n * r->pitch, SGC_WRITE);
}

static void put_down_rows(pass_t *p, const rows_t *r)
{
    for (uint64_t at = r->first, k = 0; k < r->n; k++, at += r->pitch)
        add_row(p, at, at + r->bytes);
}

/* Accesses to swizzled memory, such as scratch, at the same offset in all lanes: for each dword of
 * the elements, the lanes' dwords are adjacent, and a line holds those of a quarter. */
static void spilled(pass_t *p, const sgc_lanes_t *a)
{
    const uint32_t dwords = (a->bytes + 3) / 4;
    p->quads = ISA_LANES / SGC_QUAD;
    p->quarters = ISA_LANES / SGC_QUARTER;
    p->accesses = p->quads * dwords;
    for (unsigned q = 0; q < p->quarters; q++) {
        uint32_t bank[SGC_TAG_BANKS] = {0}, most = 0;
        for (unsigned k = 0; k < dwords; k++) {
            const uint64_t line = (a->va[SGC_QUARTER * q] + (uint64_t)k * a->dword_step) / SGC_LINE;
            if (++bank[line % SGC_TAG_BANKS] > most) most = bank[line % SGC_TAG_BANKS];
            add_lookup(p, line, ~UINT64_C(0));
        }
        p->conflicts += most - (dwords + SGC_TAG_BANKS - 1) / SGC_TAG_BANKS;
    }
}

/* ---- the general case ---- */

/* The gang that is being looked up. Its look-ups are the distinct lines of its lanes. */
typedef struct {
    lookup_t *first, *end; /* its look-ups */
    lookup_t *joined;      /* first look-up added by the present lanes, which share accesses */
    uint32_t accesses; /* sum of the numbers of lines over all sets of lanes that share accesses */
    uint32_t banks;    /* for each tag bank the number of lines, in a byte: at most 80 */
    uint32_t number;   /* sgc.gang; once it has wrapped, some lines are searched needlessly */
    uint32_t *touched; /* sgc.touched */
    uint64_t seen[2]; /* a bit for each look-up before `joined` whose line these lanes touch, too */
} gang_t;

INLINE void add_line(gang_t *q, uint64_t line, uint64_t bytes)
{
    uint32_t *touched = &q->touched[line % SGC_TOUCHED];
    for (lookup_t *u = *touched == q->number ? q->first : q->end; u < q->end; u++) {
        if (u->line != line) continue;
        u->bytes |= bytes;
        if (u >= q->joined) return;
        const unsigned k = (unsigned)(u - q->first);
        const uint64_t index = UINT64_C(1) << k % 64;
        q->accesses += !(q->seen[k / 64] & index);
        q->seen[k / 64] |= index;
        return;
    }
    *touched = q->number;
    q->accesses++;
    q->banks += UINT32_C(1) << 8 * (line % SGC_TAG_BANKS);
    q->end->line = line;
    q->end++->bytes = bytes;
}

INLINE void add_bytes(gang_t *q, bool reads, uint64_t va, uint32_t bytes)
{
    const uint32_t from = va % SGC_LINE;
    if (__builtin_expect(from + bytes <= SGC_LINE, 1)) {
        add_line(q, va / SGC_LINE, reads ? 0 : byte_mask(from, from + bytes));
        return;
    }
    add_line(q, va / SGC_LINE, byte_mask(from, SGC_LINE));
    add_line(q, va / SGC_LINE + 1, byte_mask(0, from + bytes - SGC_LINE));
}

INLINE void add_lane(gang_t *q, bool reads, const sgc_lanes_t *a, unsigned l)
{
    if (a->dword_step == 4) {
        add_bytes(q, reads, a->va[l], a->bytes);
        return;
    }
    const uint32_t in_dword = a->va[l] & 3;
    uint64_t va = a->va[l];
    for (uint32_t left = a->bytes, part; left; left -= part) {
        part = 4 - (left == a->bytes ? in_dword : 0);
        if (part > left) part = left;
        add_bytes(q, reads, va, part);
        va = (va & ~UINT64_C(3)) + a->dword_step;
    }
}

/* Clocks of bank conflicts: the tag bank with the most lines decides. */
INLINE uint32_t conflicts(const gang_t *q)
{
    uint32_t most = 0;
    for (unsigned b = 0; b < SGC_TAG_BANKS; b++)
        if ((q->banks >> 8 * b & 255) > most) most = q->banks >> 8 * b & 255;
    return most - ((uint32_t)(q->end - q->first) + SGC_TAG_BANKS - 1) / SGC_TAG_BANKS;
}

/* Adds the lanes of a quad, one by one if their elements are wide. */
INLINE void add_quad(gang_t *q, bool reads, bool wide, const sgc_lanes_t *a, unsigned first)
{
    const unsigned lanes = a->exec >> first & 15;
    for (unsigned k = 0; k < SGC_QUAD; k++) {
        if (wide || !k) {
            q->seen[0] = q->seen[1] = 0;
            q->joined = q->end;
        }
        if (lanes == 15 && a->dword_step == 4)
            add_bytes(q, reads, a->va[first + k], a->bytes);
        else if (lanes >> k & 1)
            add_lane(q, reads, a, first + k);
    }
}

INLINE void scattered(pass_t *p, const sgc_lanes_t *a, bool reads, bool wide)
{
    const unsigned gang = wide ? SGC_QUAD : SGC_QUARTER;
    for (unsigned first = 0; first < ISA_LANES; first += gang) {
        if (first % SGC_QUARTER == 0) p->quarters += (a->exec >> first & 0xffff) != 0;
        if (!(a->exec >> first & ((1u << gang) - 1))) continue;
        lookup_t *const end = p->lookup + p->lookups;
        gang_t q = {.first = end, .end = end, .touched = p->t->touched};
        q.number = p->t->gang += 1;
        for (unsigned l = first; l < first + gang; l += SGC_QUAD) {
            if (!(a->exec >> l & 15)) continue;
            add_quad(&q, reads, wide, a, l);
            p->quads++;
        }
        p->lookups += (uint32_t)(q.end - q.first);
        p->accesses += q.accesses;
        p->conflicts += conflicts(&q);
    }
}

static void scattered_reads(pass_t *p, const sgc_lanes_t *a)
{
    if (p->wide)
        scattered(p, a, true, true);
    else
        scattered(p, a, true, false);
}

static void scattered_changes(pass_t *p, const sgc_lanes_t *a)
{
    if (p->wide)
        scattered(p, a, false, true);
    else
        scattered(p, a, false, false);
}

/* ---- the instruction ---- */

static void put_down(pass_t *p, const sgc_lanes_t *a)
{
    if (a->dword_step != 4 && a->bytes % 4 == 0 && a->va[0] % SGC_LINE == 0 &&
        a->dword_step % SGC_LINE == 0 && isa_address_side_by_side(a->va, a->exec, 4))
        spilled(p, a);
    else if (p->op->access == SGC_READ)
        scattered_reads(p, a);
    else
        scattered_changes(p, a);
}

static void walk(pass_t *p, sgc_lanes_t *a)
{
    const sgc_access_t access = (sgc_access_t)p->op->access;
    if (a->even && (access == SGC_READ || a->step == a->bytes)) {
        const rows_t r = row_of_gangs(p, a);
        if (access == SGC_READ) {
            read_rows(p, &r);
            return;
        }
        if (access == SGC_WRITE && r.whole) {
            write_rows(p, &r);
            return;
        }
        put_down_rows(p, &r);
    } else {
        sgc_lanes_spread(a);
        put_down(p, a);
    }
    switch (access) {
    case SGC_READ: look_up_reads(p); break;
    case SGC_WRITE: look_up_writes(p); break;
    default: look_up_atomics(p); break;
    }
}

static void count_accesses(pass_t *p)
{
    sgc_tcp_counts_t *c = &p->cu->tcp;
    c->accesses[p->op->access + (p->op->access == SGC_ATOMIC && !p->returns)] += p->accesses;
    c->cache_accesses += p->lookups;
    c->utcl1_hit += p->hits;
    p->t->tallies.lookups += p->lookups;
    p->t->tallies.requests += p->requests;
    c->tagconflict[p->op->access] += p->conflicts;
    c->latency += p->latency;
}

/* Clocks for which the address unit waits for the tags of the vector L1, which look up once for
 * each quarter in the time that its addresses take. By l1_tags_by_line, an assumption, a vector L1
 * with lines of 128 bytes moves such a line in a clock: look-ups that follow each other in one line
 * count once. */
static uint32_t tags_late(const pass_t *p)
{
    const uint32_t clocks = p->t->profile.l1_tags_by_line ? p->lines : p->lookups;
    return clocks > p->quarters ? clocks - p->quarters : 0;
}

static void count_pipes(pass_t *p, uint32_t bytes)
{
    sgc_cu_t *cu = p->cu;
    sgc_ta_counts_t *ta = &cu->ta;
    const uint32_t issue = p->lookups;
    const bool loads = p->op->access == SGC_READ,
               coalesced = !p->op->image && !p->wide && p->accesses == p->quads;
    const uint32_t stalled = tags_late(p);
    ta->ta_busy += issue + stalled;
    ta->addr_stalled_by_tc_cycles += stalled;
    cu->td.stores += !loads && !p->returns;
    if (!loads) { /* data of stores goes straight to L2's port; addresses of loads queue after the
                     tags */
        const uint32_t passed = p->t->profile.l1_store_clocks * p->requests;
        ta->ta_busy += stalled + passed;
        ta->held += passed - p->requests; /* meanwhile the next addresses are computed */
        ta->data_stalled_by_tc_cycles += stalled + passed;
    }
    cu->td.coalescable_wavefront += coalesced;
    if (p->op->buffer) {
        ta->buffer_total_cycles += issue;
        if (coalesced && loads) ta->buffer_coalesced_read_cycles += issue;
        if (coalesced && p->op->access == SGC_WRITE) ta->buffer_coalesced_write_cycles += issue;
    }

    const uint64_t start = cu->free;
    const uint64_t data = start + p->t->profile.l1_vector_latency + p->lookups - 1;
    const uint64_t end = start + p->latency;
    cu->free = start + issue;
    if (loads || p->returns) {
        cu->td.data += (bytes + SGC_DATA_BUS - 1) / SGC_DATA_BUS;
        cu->td.lookups += p->lookups;
        *(p->wide ? &cu->td.wide : &cu->td.narrow) += 1;
        sgc_span_add(&cu->td_busy, start, end);
        if (p->waits) {
            sgc_span_add(&cu->td_wait, data, end);
            sgc_span_add(&cu->tcp_wait, data, end);
        }
    }
    sgc_span_add(&cu->tcp_busy, start, loads || p->returns ? end : cu->free);
}

void sgc_memory_access(sgc_t *t, sgc_cu_t *cu, const isa_inst_t *i, const sgc_op_t *op,
                       sgc_lanes_t *a, sgc_cost_t *cost)
{
    lookup_t lookup[LOOKUPS_MAX], read;
    pass_t p = {.t = t,
                .cu = cu,
                .op = op,
                .stream = i->flags & ISA_F_SLC,
                .lookup = lookup,
                .read = &read,
                .last = WAYS_EMPTY,
                .line = UINT64_MAX};
    p.pending = cu->pending;
    p.past = i->flags & ISA_F_SC1;
    p.fresh = sgc_is_fresh(t, i, op);
    p.returns = op->access == SGC_ATOMIC && i->flags & ISA_F_GLC;
    /* swizzled memory is accessed dword by dword */
    p.wide = a->bytes > SGC_DWORD && a->dword_step == SGC_DWORD;
    cu->l1_filled = true;
    walk(&p, a);
    cu->pending = p.pending;
    count_accesses(&p);
    count_pipes(&p, isa_lane_count(a->exec) * a->bytes);
    cost->vmem_issue += p.lookups;
    if (p.latency > cost->latency) cost->latency = p.latency;
}
