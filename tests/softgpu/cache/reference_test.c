/* reference_test.c - random instructions against a second model, written from the rules.
 *
 * The second model keeps every cache as a list in the order of use and every line as a set of
 * bytes; it knows no quick ways. Every event that it has must agree after every instruction. */
#include "rig.h"
#include "softgpu/cache/ways.h"

enum { PAGES = 64, LIST_MAX = 4096, INSTRUCTIONS = 4000 };

/* A set of a cache: newest first. */
typedef struct {
    uint64_t tag[128];
    unsigned n;
} list_t;

static bool list_take(list_t *s, uint64_t tag)
{
    for (unsigned k = 0; k < s->n; k++)
        if (s->tag[k] == tag) {
            memmove(&s->tag[k], &s->tag[k + 1], (s->n - k - 1) * sizeof *s->tag);
            s->n--;
            return true;
        }
    return false;
}

/* Puts the tag first; the oldest that no longer fits, or -1. */
static int64_t list_put(list_t *s, unsigned ways, uint64_t tag)
{
    int64_t old = -1;
    if (s->n == ways) old = (int64_t)s->tag[--s->n];
    memmove(&s->tag[1], &s->tag[0], s->n * sizeof *s->tag);
    s->tag[0] = tag;
    s->n++;
    return old;
}

typedef struct {
    bool valid[2], dirty[4];
} line_t;

typedef struct {
    sg_profile_t p;
    uint64_t frame_of[PAGES];
    unsigned frames;
    list_t *l1, tlb, *l2, *mall;
    unsigned l1_sets, l2_sets, mall_sets, l2_young; /* ways of a set that may be dirty */
    line_t *line;                                   /* by physical 128-byte line */
    uint64_t held, accesses, lookups, tlb_miss, reads, writes, atomics, hit, miss, rdreq, wrreq,
        wrreq64, evict, in_mall;
} ref_t;

/* Reads or writes 64 bytes of memory: whether the MALL has them, as it does afterwards. */
static bool ref_mall(ref_t *m, uint64_t line64)
{
    enum { WAYS = 16 };
    if (!m->mall_sets) return false;
    list_t *set = &m->mall[line64 % m->mall_sets];
    const bool there = list_take(set, line64);
    list_put(set, WAYS, line64);
    return there;
}

static void ref_write_back(ref_t *m, uint64_t tag)
{
    line_t *l = &m->line[tag];
    for (unsigned h = 0; h < 2; h++) {
        const unsigned n = l->dirty[2 * h] + l->dirty[2 * h + 1];
        m->wrreq += n > 0;
        m->wrreq64 += n == 2;
        if (n) ref_mall(m, 2 * tag + h);
    }
    memset(l->dirty, 0, sizeof l->dirty);
}

/* kind: r, w, a as below; b: a read of both halves. */
static void ref_l2(ref_t *m, uint64_t phys, char kind, const bool *bytes)
{
    const uint64_t lines = m->p.l2_interleave / 128, tag = phys / 128, half = phys / 64 % 2;
    const uint64_t channel = phys / m->p.l2_interleave % m->p.l2_channels;
    const uint64_t index = phys / m->p.l2_interleave / m->p.l2_channels * lines + tag % lines;
    list_t *set = &m->l2[channel * m->l2_sets + index % m->l2_sets];
    line_t *l = &m->line[tag];
    const bool there = list_take(set, tag);
    const int64_t old = list_put(set, m->p.l2_ways, tag);
    if (old >= 0) {
        m->evict++;
        ref_write_back(m, (uint64_t)old);
        memset(&m->line[old], 0, sizeof(line_t));
    }
    for (unsigned k = m->l2_young; k < set->n; k++)
        ref_write_back(m, set->tag[k]);
    const bool hit =
        there && (kind == 'w' || (kind == 'b' ? l->valid[0] && l->valid[1] : l->valid[half]));
    *(hit ? &m->hit : &m->miss) += 1;
    *(kind == 'w' ? &m->writes : kind == 'a' ? &m->atomics : &m->reads) += 1;
    if (!hit && kind != 'w')
        for (unsigned h = 0; h < 2; h++) {
            if (!l->valid[h]) m->in_mall += ref_mall(m, 2 * tag + h);
            m->rdreq += !l->valid[h];
            l->valid[h] = true;
        }
    if (kind == 'r' || kind == 'b') return;
    bool all = true;
    for (unsigned b = 0; b < 64; b++) {
        if (bytes[b]) l->dirty[2 * half + b / 32] = true;
        all &= bytes[b];
    }
    if (all) l->valid[half] = true;
}

/* Reads one after the other of two halves of a line are one. `held`: the last that was not asked.
 */
static void ref_ask_held(ref_t *m)
{
    if (m->held != UINT64_MAX) ref_l2(m, m->held, 'r', NULL);
    m->held = UINT64_MAX;
}

static void ref_read(ref_t *m, uint64_t phys)
{
    if (m->held != UINT64_MAX && (m->held ^ phys) == 64) {
        ref_l2(m, phys, 'b', NULL);
        m->held = UINT64_MAX;
        return;
    }
    ref_ask_held(m);
    m->held = phys;
}

/* Bytes of lane l's element, by address. */
static unsigned lane_bytes(const sg_profile_t *p, uint64_t va, unsigned bytes, bool swizzled,
                           uint64_t *out)
{
    (void)p;
    for (unsigned k = 0; k < bytes; k++)
        out[k] = swizzled ? (va & ~UINT64_C(3)) + (va % 4 + k) / 4 * 256 + (va + k) % 4 : va + k;
    return bytes;
}

static void ref_vector(ref_t *m, const uint64_t *va, uint64_t exec, unsigned bytes, bool swizzled,
                       char kind)
{
    bool pending_bytes[64];
    uint64_t pending = 0;
    bool any = false;
    /* lanes that look up together, and those of them that share an access */
    const bool wide = bytes > 4 && !swizzled;
    const unsigned gang = wide ? 4 : 16, joined = wide ? 1 : 4;
    for (unsigned q = 0; q < 64 / gang; q++) {
        uint64_t lines[128];
        bool written[128][64];
        unsigned n = 0;
        memset(written, 0, sizeof written);
        for (unsigned first = gang * q; first < gang * q + gang; first += joined) {
            bool seen[128] = {false};
            for (unsigned l = first; l < first + joined; l++) {
                if (!(exec >> l & 1)) continue;
                uint64_t at[16];
                lane_bytes(&m->p, va[l], bytes, swizzled, at);
                for (unsigned b = 0; b < bytes; b++) {
                    unsigned k = 0;
                    while (k < n && lines[k] != at[b] / 64)
                        k++;
                    if (k == n) lines[n++] = at[b] / 64;
                    seen[k] = true;
                    written[k][at[b] % 64] = true;
                }
            }
            for (unsigned k = 0; k < n; k++)
                m->accesses += seen[k];
        }
        for (unsigned k = 0; k < n; k++) {
            const uint64_t page = (lines[k] * 64 - RIG_VA) / 4096;
            m->lookups++;
            if (!list_take(&m->tlb, page)) {
                m->tlb_miss++;
                if (m->frame_of[page] == UINT64_MAX) m->frame_of[page] = m->frames++;
            }
            list_put(&m->tlb, m->p.utcl1_entries, page);
            const uint64_t phys = m->frame_of[page] * 4096 + lines[k] * 64 % 4096;
            list_t *set = &m->l1[phys / 64 % m->l1_sets];
            if (kind == 'r') {
                const bool hit = list_take(set, phys);
                list_put(set, m->p.l1_vector_ways, phys);
                if (!hit) ref_read(m, phys);
            } else if (kind == 'a') {
                list_take(set, phys);
                ref_l2(m, phys, 'a', written[k]);
            } else {
                if (any && pending != phys) ref_l2(m, pending, 'w', pending_bytes);
                if (!any || pending != phys) memset(pending_bytes, 0, sizeof pending_bytes);
                any = true;
                pending = phys;
                for (unsigned b = 0; b < 64; b++)
                    pending_bytes[b] |= written[k][b];
            }
        }
    }
    if (any) ref_l2(m, pending, 'w', pending_bytes);
    ref_ask_held(m);
}

static uint32_t random_state = 1;
static uint32_t rnd(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 4) * below >> 28);
}

static const struct {
    const char *text;
    unsigned bytes;
    char kind;
    bool swizzled;
} kinds[] = {
    {"global_load_ubyte v4, v[0:1], off", 1, 'r', false},
    {"global_load_ushort v4, v[0:1], off", 2, 'r', false},
    {"global_load_dword v4, v[0:1], off", 4, 'r', false},
    {"global_load_dwordx2 v[4:5], v[0:1], off", 8, 'r', false},
    {"global_load_dwordx3 v[4:6], v[0:1], off", 12, 'r', false},
    {"flat_load_dwordx4 v[4:7], v[0:1]", 16, 'r', false},
    {"global_store_byte v[0:1], v4, off", 1, 'w', false},
    {"global_store_dword v[0:1], v4, off", 4, 'w', false},
    {"global_store_dwordx4 v[0:1], v[4:7], off", 16, 'w', false},
    {"global_atomic_add v[0:1], v4, off", 4, 'a', false},
    {"global_atomic_add_x2 v[0:1], v[4:5], off", 8, 'a', false},
    {"flat_load_dwordx2 v[4:5], v[0:1]", 8, 'r', true},
    {"flat_store_dwordx4 v[0:1], v[4:7]", 16, 'w', true},
    {"flat_store_dword v[0:1], v4", 4, 'w', true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Addresses of all lanes: a stride, or scattered over a window. */
static void choose(rig_t *r, unsigned kind, uint64_t *va)
{
    const unsigned bytes = kinds[kind].bytes;
    const bool atomic = kinds[kind].kind == 'a', swizzled = kinds[kind].swizzled;
    static const uint32_t windows[] = {64, 512, 4096, 32768, 180000};
    const uint32_t window = windows[rnd(5)], align = atomic ? bytes : rnd(4) ? 4 : 1;
    const uint32_t step = rnd(2) ? bytes : rnd(3) ? rnd(40) * 4 : 0;
    const uint32_t base = rnd(180000) / (rnd(2) ? 64 : align) * (rnd(2) ? 64 : align);
    const bool stride = rnd(2);
    const uint32_t same = rnd(3000) / 4 * 4;
    for (unsigned l = 0; l < ISA_LANES; l++) {
        uint32_t at = stride ? base + l * step : base + rnd(window);
        at = at / align * align;
        if (atomic) at = at / bytes * bytes;
        if (swizzled) {
            /* an offset in the lane's scratch: often the same for all */
            const uint32_t offset = stride ? same : rnd(3000) / align * align;
            va[l] = RIG_VA + offset / 4 * 256 + 4 * l + offset % 4;
            rig_address(r, 0, l, RIG_PRIVATE + offset);
        } else {
            va[l] = RIG_VA + at % 250000 / (atomic ? bytes : 1) * (atomic ? bytes : 1);
            rig_address(r, 0, l, va[l]);
        }
    }
    r->wave.exec = rnd(2) ? ~UINT64_C(0) : (uint64_t)rnd(1u << 28) << 36 | rnd(1u << 28);
    if (rnd(8) == 0) r->wave.exec = UINT64_C(1) << rnd(64);
}

static void ref_init(ref_t *m, const sg_profile_t *p)
{
    memset(m, 0, sizeof *m);
    m->p = *p;
    m->held = UINT64_MAX;
    m->l1_sets = p->l1_vector_kb * 1024 / 64 / p->l1_vector_ways;
    m->l2_sets = p->l2_kb * 1024 / 128 / p->l2_channels / p->l2_ways;
    m->l2_young = p->l2_ways > p->l2_writeback_ways ? p->l2_ways - p->l2_writeback_ways : 1;
    m->mall_sets = p->mall_latency ? p->mall_kb * 1024 / 64 / 16 : 0;
    m->l1 = calloc(m->l1_sets, sizeof *m->l1);
    m->l2 = calloc((size_t)m->l2_sets * p->l2_channels, sizeof *m->l2);
    m->mall = calloc(m->mall_sets + 1, sizeof *m->mall);
    m->line = calloc(PAGES * 4096 / 128, sizeof *m->line);
    for (unsigned k = 0; k < PAGES; k++)
        m->frame_of[k] = UINT64_MAX;
}

static void ref_free(ref_t *m)
{
    free(m->l1);
    free(m->l2);
    free(m->mall);
    free(m->line);
}

static void agree(const sg_profile_t *p)
{
    static ref_t m;
    rig_t *r = rig_create_profile(p);
    ref_init(&m, p);
    r->wave.flat_scratch = RIG_VA;
    for (unsigned k = 0; k < INSTRUCTIONS; k++) {
        uint64_t va[64];
        const unsigned kind = rnd(KINDS);
        choose(r, kind, va);
        rig_do(r, kinds[kind].text);
        ref_vector(&m, va, r->wave.exec, kinds[kind].bytes, kinds[kind].swizzled, kinds[kind].kind);
        if (GET(r, TCP_TOTAL_ACCESSES) != m.accesses)
            fail_msg("instruction %u, %s", k, kinds[kind].text);
        EXPECT(r, TCP_TOTAL_ACCESSES, m.accesses);
        EXPECT(r, TCP_TOTAL_CACHE_ACCESSES, m.lookups);
        EXPECT(r, TCP_UTCL1_TRANSLATION_MISS, m.tlb_miss);
        EXPECT(r, TCC_READ, m.reads);
        EXPECT(r, TCC_WRITE, m.writes);
        EXPECT(r, TCC_ATOMIC, m.atomics);
        EXPECT(r, TCC_HIT, m.hit);
        EXPECT(r, TCC_MISS, m.miss);
        EXPECT(r, TCC_EA_RDREQ, m.rdreq);
        EXPECT(r, TCC_EA_WRREQ, m.wrreq);
        EXPECT(r, TCC_EA_WRREQ_64B, m.wrreq64);
        EXPECT(r, TCC_NORMAL_EVICT, m.evict);
        EXPECT(r, TCC_EA_RDREQ_LEVEL,
               m.rdreq * (p->vram_latency - p->l2_latency) -
                   m.in_mall * (p->vram_latency - p->mall_latency));
    }
    rig_invariants(r);
    assert_true(m.evict > 0 && m.hit > 0 && m.tlb_miss > 0);
    if (m.mall_sets) assert_in_range(m.in_mall, 1000, m.rdreq - 1000);
    ref_free(&m);
    rig_destroy(r);
}

/* Small caches, so that everything gives way often. */
static void small_caches(void **state)
{
    (void)state;
    sg_profile_t p = rig_profile();
    p.l1_vector_kb = 2;
    p.l1_vector_ways = 8;
    p.l2_kb = 64;
    p.l2_channels = 4;
    p.l2_ways = 4;
    p.l2_writeback_ways = 2;
    p.mall_kb = 128;
    p.mall_latency = 500;
    p.utcl1_entries = 6;
    agree(&p);
}

/* A number of channels and of ways that is no power of two. */
static void odd_caches(void **state)
{
    (void)state;
    sg_profile_t p = rig_profile();
    p.l1_vector_kb = 3;
    p.l1_vector_ways = 6;
    p.l2_kb = 120;
    p.l2_channels = 5;
    p.l2_ways = 3;
    p.l2_interleave = 512;
    p.utcl1_entries = 7;
    agree(&p);
}

/* The tag array on its own: finds, insertions and removals in any order. */
static void order_of_use(void **state)
{
    (void)state;
    static const unsigned sizes[] = {1, 2, 3, 5, 9, 15, 16, 17, 31, 32, 64, 128};
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const unsigned ways = sizes[s];
        list_t want[3] = {{{0}, 0}, {{0}, 0}, {{0}, 0}};
        ways_t c = {0};
        assert_true(ways_init(&c, 3, ways));
        for (unsigned k = 0; k < 20000; k++) {
            const uint32_t set = rnd(3), tag = rnd(2 * ways + 1);
            if (rnd(4) == 0) { /* without being used first */
                const int32_t any = ways_look(&c, set, tag);
                assert_int_equal(any >= 0, list_take(&want[set], tag));
                if (any >= 0) ways_remove(&c, (uint32_t)any);
                continue;
            }
            const bool there = list_take(&want[set], tag);
            const int32_t slot = ways_find(&c, set, tag);
            if (there != (slot >= 0)) fail_msg("%u ways, step %u", ways, k);
            if (there && rnd(4) == 0) {
                ways_remove(&c, (uint32_t)slot);
                continue;
            }
            if (!there) {
                uint32_t old;
                const uint32_t in = (uint32_t)ways_insert(&c, set, tag, &old);
                assert_int_equal(ways_tag(&c, in), tag);
                const int64_t gone = list_put(&want[set], ways, tag);
                assert_int_equal((int32_t)old, gone);
            } else {
                list_put(&want[set], ways, tag);
            }
        }
        ways_free(&c);
    }
}

int main(void)
{
    if (!asm_available()) return 77;
    const struct CMUnitTest tests[] = {RIG_TEST(order_of_use), RIG_TEST(small_caches),
                                       RIG_TEST(odd_caches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
