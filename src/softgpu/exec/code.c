/* code.c - the cache of decoded code pages.
 *
 * Readers of the hash table take no lock: a page is freed only when no wave is in flight. A page
 * keeps the words from which it was decoded. After an invalidation they are compared with memory,
 * and only a page that has changed is decoded anew. The old page is retired: it stays allocated
 * until isa_code_quiesce() frees it. */
#include "softgpu/exec/code.h"

#include "softgpu/exec/translate.h"
#include "softgpu/memory/memory.h"
#include "isa/table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS = 4096,
    FEW_PAGES = 64 /* about 8 MB: up to this many pages, isa_code_crowded() is false */
};

struct isa_code {
    const isa_arch_t *arch;
    struct sg_memory *memory;
    pthread_mutex_t lock; /* guards the chains, the retired list and all decoding */
    isa_page_t *retired;
    _Atomic(unsigned) n_pages;    /* in chains and the retired list; written under the lock */
    _Atomic(unsigned) crowd;      /* with more pages than this, isa_code_crowded() is true */
    _Atomic(uint64_t) generation; /* increased by isa_code_invalidate */
    _Atomic(isa_page_t *) buckets[BUCKETS];
};

isa_code_t *isa_code_create(const isa_arch_t *arch, struct sg_memory *memory)
{
    isa_code_t *code = calloc(1, sizeof(*code));
    if (!code) return NULL;
    code->arch = arch;
    code->memory = memory;
    atomic_init(&code->generation, 1);
    atomic_init(&code->crowd, FEW_PAGES);
    if (pthread_mutex_init(&code->lock, NULL)) {
        free(code);
        return NULL;
    }
    return code;
}

static void free_slots(isa_page_t *page)
{
    for (isa_dual_t *pair = page->pairs, *next; pair; pair = next) {
        next = pair->next;
        free(pair);
    }
    free(page);
}

static void free_page(isa_code_t *code, isa_page_t *page)
{
    isa_translate_forget(page);
    free_slots(page);
    atomic_fetch_sub_explicit(&code->n_pages, 1, memory_order_relaxed);
}

static void free_retired(isa_code_t *code)
{
    while (code->retired) {
        isa_page_t *page = code->retired;
        code->retired = page->retired_next;
        free_page(code, page);
    }
}

void isa_code_destroy(isa_code_t *code)
{
    if (!code) return;
    for (unsigned b = 0; b < BUCKETS; b++) {
        isa_page_t *page = atomic_load_explicit(&code->buckets[b], memory_order_relaxed);
        while (page) {
            isa_page_t *next = atomic_load_explicit(&page->next, memory_order_relaxed);
            free_page(code, page);
            page = next;
        }
    }
    free_retired(code);
    pthread_mutex_destroy(&code->lock);
    free(code);
}

void isa_code_invalidate(isa_code_t *code)
{
    atomic_fetch_add_explicit(&code->generation, 1, memory_order_acq_rel);
}

const isa_arch_t *isa_code_arch(const isa_code_t *code)
{
    return code->arch;
}

/* ---- slots ---- */

void isa_stop_illegal(isa_wave_t *w, const isa_inst_t *i)
{
    isa_stop(w, ISA_STOP_ILLEGAL);
    w->fault_addr = i->pc;
    snprintf(w->message, sizeof(w->message), "illegal instruction 0x%08x at 0x%llx",
             *isa_inst_words(w, i), (unsigned long long)w->fault_addr);
}

void isa_stop_unsupported(isa_wave_t *w, const isa_inst_t *i, const char *why)
{
    isa_stop(w, ISA_STOP_UNSUPPORTED);
    w->fault_addr = i->pc;
    snprintf(w->message, sizeof(w->message), "%s at 0x%llx is not executed here%s%s",
             isa_table[i->op].mnemonic, (unsigned long long)w->fault_addr, why ? ": " : "",
             why ? why : "");
}

static void unsupported(isa_wave_t *w, const isa_inst_t *i)
{
    isa_stop_unsupported(w, i, NULL);
}

void isa_slot_undecoded(isa_wave_t *w, const isa_inst_t *i)
{
    isa_code_decode(w->page, isa_slot_index(w->page, i->pc));
    w->ip = i;
}

/* The handler of slots after the page: the wave has run past the page's end. */
void isa_slot_behind(isa_wave_t *w, const isa_inst_t *i)
{
    if (w->page->core->set_pc(w, i->pc)) isa_translate_arrived(w->page, w->ip);
}

/* The handler of an instruction whose later dwords are not mapped. */
static void cut_off(isa_wave_t *w, const isa_inst_t *i)
{
    w->ip = i;
    isa_mem_fault(w, w->page->va + ISA_PAGE_BYTES, ISA_FAULT_READ | ISA_FAULT_EXEC);
}

/* Renumbers operands whose registers have another place in the wave: EXEC_HI of a wave of 32 lanes,
 * and NULL, to which a pair can be written. */
static void move_operands(isa_inst_t *i, unsigned lanes)
{
    isa_operand_t *const all[] = {&i->dst,    &i->dst2,   &i->src[0],
                                  &i->src[1], &i->src[2], &i->src[3]};
    for (unsigned k = 0; k < sizeof all / sizeof *all; k++) {
        if (all[k]->kind != ISA_OPK_SGPR) continue;
        if (all[k]->reg == ISA_CODE_EXEC + 1 && lanes == 32) all[k]->reg = ISA_EXEC_HI_32;
        if (all[k]->reg == ISA_CODE_NULL) all[k]->reg = ISA_NULL_SINK;
    }
}

/* The handler of a pair for which memory ran out. */
static void no_pair(isa_wave_t *w, const isa_inst_t *i)
{
    isa_stop_unsupported(w, i, "no memory for its two operations");
}

static bool reads(const isa_inst_t *half, unsigned vgpr)
{
    for (unsigned k = 0; k < 3; k++)
        if (half->src[k].kind == ISA_OPK_VGPR && half->src[k].reg == vgpr) return true;
    return false;
}

static isa_dual_order_t order_of(const isa_dual_t *pair)
{
    const bool second_reads = reads(&pair->half[1], pair->half[0].dst.reg);
    const bool first_reads = reads(&pair->half[0], pair->half[1].dst.reg);
    if (!second_reads) return ISA_DUAL_FIRST_FIRST;
    return first_reads ? ISA_DUAL_ASIDE : ISA_DUAL_SECOND_FIRST;
}

/* Under the lock: makes the two operations of *inst, and returns the handler that runs both. */
static isa_handler_t *take_pair(isa_page_t *page, isa_inst_t *inst, uint64_t pc)
{
    isa_dual_t *pair = aligned_alloc(_Alignof(isa_dual_t), sizeof *pair);
    if (!pair) return no_pair;
    inst->pc = pc;
    for (unsigned k = 0; k < 2; k++) {
        isa_inst_t *half = &pair->half[k];
        isa_decode_half(inst, k, half);
        isa_handler_t *fn = page->core->handlers[half->op];
        atomic_init(&half->fn, fn ? fn : unsupported);
    }
    pair->order = order_of(pair);
    if (pair->order == ISA_DUAL_ASIDE) pair->half[0].dst.reg = ISA_DUAL_ROW;
    pair->next = page->pairs;
    page->pairs = pair;
    inst->dst.k = (uintptr_t)pair;
    return page->core->dual;
}

void isa_code_decode(isa_page_t *page, unsigned index)
{
    isa_inst_t *slot = &page->slots[index];
    pthread_mutex_lock(&page->code->lock);
    if (atomic_load_explicit(&slot->fn, memory_order_relaxed) == isa_slot_undecoded) {
        isa_inst_t inst;
        isa_handler_t *fn = isa_stop_illegal;
        memset(&inst, 0, sizeof(inst));
        int size = isa_decode_lanes(page->code->arch, page->core->lanes, &page->words[index],
                                    page->n_words - index, &inst);
        if (size > 0)
            fn = page->core->handlers[inst.op] ? page->core->handlers[inst.op] : unsupported;
        else if (size < 0)
            fn = cut_off;
        move_operands(&inst, page->core->lanes);
        if (size > 0 && inst.fmt == ISA_FMT_VOPD) fn = take_pair(page, &inst, slot->pc);
        __atomic_store_n(&slot->op, inst.op, __ATOMIC_RELAXED);
        slot->fmt = inst.fmt;
        __atomic_store_n(&slot->dwords, inst.dwords, __ATOMIC_RELAXED);
        memcpy(&slot->flags, &inst.flags, sizeof(inst) - offsetof(isa_inst_t, flags));
        isa_translate_decoded(page, slot, fn);
    }
    pthread_mutex_unlock(&page->code->lock);
}

/* ---- pages ---- */

static unsigned bucket_of(const isa_core_t *core, uint64_t va)
{
    uint64_t h =
        (va / ISA_PAGE_BYTES + (uintptr_t)core) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
    return (unsigned)(h >> 52);
}

/* Reads the page of code at `va`, and the dwords of the next page that may belong to its last
 * instruction. Returns the number of dwords, 0 if the page is not mapped for execution. Extents are
 * whole pages of 4 KiB. */
static unsigned read_words(const isa_code_t *code, uint64_t va, uint32_t *words)
{
    unsigned n = 0;
    while (n < ISA_PAGE_SLOTS + ISA_PAGE_TAIL) {
        uint64_t at = va + 4 * (uint64_t)n;
        const sg_extent_t *extent = sg_memory_prove(code->memory, at);
        if (!extent || !(extent->flags & SG_MEM_EXECUTABLE)) break;
        const uint32_t *host =
            (const uint32_t *)(const void *)(extent->host + (at - extent->begin));
        uint64_t left = (extent->end - at) / 4;
        for (; left && n < ISA_PAGE_SLOTS + ISA_PAGE_TAIL; left--)
            words[n++] = __atomic_load_n(host++, __ATOMIC_RELAXED);
    }
    return n < ISA_PAGE_SLOTS ? 0 : n;
}

static isa_page_t *new_page(isa_code_t *code, const isa_core_t *core, uint64_t va,
                            const uint32_t *words, unsigned n_words, uint64_t generation)
{
    static _Atomic(uint64_t) serial;
    isa_page_t *page = aligned_alloc(_Alignof(isa_page_t), sizeof(*page));
    if (!page) return NULL;
    memset(page, 0, sizeof(*page));
    atomic_fetch_add_explicit(&code->n_pages, 1, memory_order_relaxed);
    page->va = va;
    page->serial = atomic_fetch_add_explicit(&serial, 1, memory_order_relaxed) + 1;
    page->code = code;
    page->core = core;
    page->n_words = n_words;
    memcpy(page->words, words, n_words * sizeof(*words));
    atomic_init(&page->generation, generation);
    for (unsigned k = 0; k < ISA_PAGE_SLOTS + ISA_PAGE_TAIL; k++) {
        page->slots[k].pc = va + 4 * k;
        atomic_init(&page->slots[k].fn, k < ISA_PAGE_SLOTS ? isa_slot_undecoded : isa_slot_behind);
    }
    return page;
}

/* Under the lock: brings the chain's page of `va` up to date, or makes it. */
static isa_page_t *refresh(isa_code_t *code, const isa_core_t *core, uint64_t va)
{
    uint32_t words[ISA_PAGE_SLOTS + ISA_PAGE_TAIL];
    uint64_t generation = atomic_load_explicit(&code->generation, memory_order_acquire);
    _Atomic(isa_page_t *) *link = &code->buckets[bucket_of(core, va)];
    isa_page_t *page;
    while ((page = atomic_load_explicit(link, memory_order_relaxed)) != NULL &&
           (page->va != va || page->core != core))
        link = &page->next;

    unsigned n = read_words(code, va, words);
    if (page && n == page->n_words && !memcmp(words, page->words, n * sizeof(*words))) {
        atomic_store_explicit(&page->generation, generation, memory_order_release);
        return page;
    }
    isa_page_t *fresh = n ? new_page(code, core, va, words, n, generation) : NULL;
    if (page) {
        isa_page_t *rest = atomic_load_explicit(&page->next, memory_order_relaxed);
        atomic_store_explicit(link, rest, memory_order_release);
        page->retired_next = code->retired;
        code->retired = page;
    }
    if (fresh) {
        _Atomic(isa_page_t *) *head = &code->buckets[bucket_of(core, va)];
        atomic_init(&fresh->next, atomic_load_explicit(head, memory_order_relaxed));
        atomic_store_explicit(head, fresh, memory_order_release);
    }
    return fresh;
}

isa_page_t *isa_code_page(isa_code_t *code, const isa_core_t *core, uint64_t va)
{
    va &= ~(uint64_t)(ISA_PAGE_BYTES - 1);
    uint64_t generation = atomic_load_explicit(&code->generation, memory_order_acquire);
    isa_page_t *page =
        atomic_load_explicit(&code->buckets[bucket_of(core, va)], memory_order_acquire);
    while (page && (page->va != va || page->core != core))
        page = atomic_load_explicit(&page->next, memory_order_acquire);
    if (page && atomic_load_explicit(&page->generation, memory_order_acquire) == generation)
        return page;
    pthread_mutex_lock(&code->lock);
    page = refresh(code, core, va);
    pthread_mutex_unlock(&code->lock);
    return page;
}

bool isa_code_crowded(const isa_code_t *code)
{
    return atomic_load_explicit(&code->n_pages, memory_order_relaxed) >
           atomic_load_explicit(&code->crowd, memory_order_relaxed);
}

void isa_code_quiesce(isa_code_t *code)
{
    pthread_mutex_lock(&code->lock);
    free_retired(code);
    for (unsigned b = 0; b < BUCKETS; b++) {
        _Atomic(isa_page_t *) *link = &code->buckets[b];
        isa_page_t *page;
        while ((page = atomic_load_explicit(link, memory_order_relaxed)) != NULL) {
            if (sg_memory_find(code->memory, page->va)) {
                link = &page->next;
                continue;
            }
            atomic_store_explicit(link, atomic_load_explicit(&page->next, memory_order_relaxed),
                                  memory_order_relaxed);
            free_page(code, page);
        }
    }
    atomic_store_explicit(
        &code->crowd, 2 * atomic_load_explicit(&code->n_pages, memory_order_relaxed) + FEW_PAGES,
        memory_order_relaxed);
    pthread_mutex_unlock(&code->lock);
}

uint64_t isa_wave_pc(const isa_wave_t *w)
{
    return w->ip ? w->ip->pc : 0;
}
