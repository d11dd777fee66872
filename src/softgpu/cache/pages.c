/* pages.c - pages, frames and translation buffers.
 *
 * A fragment of memory gets the next free frames at the first access to one of its pages, and keeps
 * them: physical addresses depend on the order of accesses, never on the addresses of the program's
 * memory. */
#include "softgpu/cache/model.h"

#include "softgpu/memory/memory.h"

#include <stdlib.h>

enum {
    FIRST_SIZE = 4096,
    LARGEST_FRAGMENT = 9, /* 2 MiB */
    NO_FRAGMENT = UINT8_MAX
};

/* The fragment of `va`: the largest aligned block around it that lies in the extent. */
static uint8_t fragment_of(const sg_extent_t *e, uint64_t va)
{
    uint8_t fragment = LARGEST_FRAGMENT;
    for (; fragment; fragment--) {
        const uint64_t bytes = (uint64_t)SGC_PAGE << fragment, first = va & ~(bytes - 1);
        if (first >= e->begin && first + bytes <= e->end) break;
    }
    return fragment;
}

sgc_page_t sgc_page_of_memory(void *user, uint64_t va)
{
    const sg_extent_t *e = sg_memory_find(user, va);
    const uint32_t flags = e ? e->flags : 0;
    const bool coherent = flags & SG_MEM_COHERENT, host = flags & SG_MEM_HOST;
    if (host) return (sgc_page_t){coherent ? SGC_UC : SGC_NC, false, 0};
    return (sgc_page_t){coherent ? SGC_CC : SGC_RW, true, e ? fragment_of(e, va) : 0};
}

static sgc_page_t all_local(void *user, uint64_t va)
{
    (void)user, (void)va;
    return (sgc_page_t){SGC_RW, true, 0};
}

bool sgc_pages_init(sgc_pages_t *p, sgc_page_fn_t *page, void *user)
{
    p->page = page ? page : all_local;
    p->user = user;
    p->size = FIRST_SIZE;
    p->slot = calloc(p->size, sizeof *p->slot);
    return p->slot != NULL;
}

static sgc_mapping_t *place_of(const sgc_pages_t *p, uint64_t page)
{
    uint64_t at = sgc_pages_hash(page);
    for (;; at++) {
        sgc_mapping_t *m = &p->slot[at & (p->size - 1)];
        if (!m->page || m->page == page + 1) return m;
    }
}

static bool grow(sgc_pages_t *p)
{
    sgc_pages_t bigger = *p;
    bigger.size = 2 * p->size;
    bigger.slot = calloc(bigger.size, sizeof *bigger.slot);
    if (!bigger.slot) return false;
    for (uint64_t k = 0; k < p->size; k++)
        if (p->slot[k].page) *place_of(&bigger, p->slot[k].page - 1) = p->slot[k];
    free(p->slot);
    *p = bigger;
    return true;
}

/* The entry of a page, which is made if there is none. NULL: out of memory. */
static sgc_mapping_t *mapping_of(sgc_pages_t *p, uint64_t page)
{
    sgc_mapping_t *m = place_of(p, page);
    if (m->page) return m;
    if (2 * p->used >= p->size && !grow(p) && p->used + 1 >= p->size) {
        p->lost++;
        return NULL;
    }
    m = place_of(p, page);
    m->page = page + 1;
    m->to.page.fragment = NO_FRAGMENT;
    p->used++;
    return m;
}

sgc_frame_t sgc_pages_search(sgc_pages_t *p, uint64_t page)
{
    const sgc_page_t what = p->page(p->user, page * SGC_PAGE);
    const uint32_t size = UINT32_C(1) << what.fragment, index = (uint32_t)page & (size - 1);
    sgc_mapping_t *first = mapping_of(p, page - index);
    if (!first) return (sgc_frame_t){.page = what};
    if (first->to.page.fragment != what.fragment) { /* a new page, or one that was remapped */
        first->to.frame = (p->frames + size - 1) / size * size;
        first->to.page = what;
        p->frames = first->to.frame + size;
    }
    const sgc_frame_t to = {.frame = first->to.frame + index, .page = what, .known = true};
    sgc_mapping_t *m = mapping_of(p, page);
    if (m) m->to = to;
    return to;
}

void sgc_pages_forget_types(sgc_pages_t *p)
{
    for (uint64_t k = 0; k < p->size; k++)
        p->slot[k].to.known = false;
}

/* ---- translation buffers ---- */

/* A read of 64 bytes of the page table, which is in the GPU's own memory. It goes through a channel
 * of L2, which does not cache it. The model has no address of the table: the fragment's number
 * selects the channel. */
static void read_table(sgc_t *t, uint32_t xcc, uint32_t fragment)
{
    sgc_tcc_counts_t *c = &t->channel[xcc * t->channels + fragment % t->channels].count;
    c->by_type[SGC_UC][SGC_READ]++;
    c->ea_rdreq[true]++;
    c->ea_rd_uncached_32b += SGC_LINE / 32;
    t->tallies.l2_requests++;
    t->tallies.below++;
}

void sgc_translate(sgc_t *t, uint32_t xcc, sgc_frame_t f)
{
    const ways_t *shared = &t->xcc[xcc].utcl2;
    const uint32_t fragment = f.frame >> f.page.fragment, first = fragment << f.page.fragment;
    uint32_t old;
    if (!t->profile.utcl2_entries) return;
    ways_use(shared, ways_set(shared, fragment), first, &old);
    if (old != first) read_table(t, xcc, fragment);
}

bool sgc_tlb_init(sgc_tlb_t *b, unsigned entries)
{
    return ways_init(&b->ways, 1, entries);
}

void sgc_tlb_free(sgc_tlb_t *b)
{
    ways_free(&b->ways);
}

void sgc_tlb_clear(sgc_tlb_t *b)
{
    ways_clear(&b->ways);
    b->last = 0;
}
