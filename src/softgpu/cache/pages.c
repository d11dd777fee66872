/* pages.c - pages, frames and translation buffers.
 *
 * A page gets the next free frame when the model first meets it, and keeps it: physical addresses
 * depend on the order of accesses, never on where the program's memory lies. */
#include "softgpu/cache/model.h"

#include "softgpu/device/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 4096 };

sgc_page_t sgc_page_of_memory(void *user, uint64_t va)
{
    const sg_extent_t *e = sg_memory_find(user, va);
    const uint32_t flags = e ? e->flags : 0;
    const bool coherent = flags & SG_MEM_COHERENT, host = flags & SG_MEM_HOST;
    if (host) return (sgc_page_t){coherent ? SGC_UC : SGC_NC, false};
    return (sgc_page_t){coherent ? SGC_CC : SGC_RW, true};
}

static sgc_page_t all_local(void *user, uint64_t va)
{
    (void)user, (void)va;
    return (sgc_page_t){SGC_RW, true};
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

sgc_frame_t sgc_pages_search(sgc_pages_t *p, uint64_t page)
{
    sgc_mapping_t *m = place_of(p, page);
    if (m->page && m->to.known) return m->to;
    if (!m->page) {
        if (2 * p->used >= p->size && !grow(p) && p->used + 1 >= p->size) {
            p->lost++;
            return (sgc_frame_t){.page = p->page(p->user, page * SGC_PAGE)};
        }
        m = place_of(p, page);
        m->page = page + 1;
        m->to.frame = (uint32_t)p->used++;
    }
    m->to.page = p->page(p->user, page * SGC_PAGE);
    m->to.known = true;
    return m->to;
}

void sgc_pages_forget_types(sgc_pages_t *p)
{
    for (uint64_t k = 0; k < p->size; k++)
        p->slot[k].to.known = false;
}

/* ---- translation buffers ---- */

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
