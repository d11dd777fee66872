/* translate.c - the translator's hooks: decides which loops are translated, and runs a translated
 * loop for a wave.
 *
 * The hooks are handlers of slots, so that the plain run loop needs no code for them: a branch back
 * gets a handler that counts, and the head of a translated loop one that runs its code. One lock
 * guards translating; waves that run need none. */
#include "softgpu/exec/translate_internal.h"

#include "base/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A translated loop. */
typedef struct {
    isa_translated_t *run;
    void *code;
    uint32_t mode;
    bool masked, pure;
    unsigned first, last; /* slots */
} region_t;

/* The translator's data of a page: taken branches back and translated loops, by slot. */
struct isa_page_loops {
    _Atomic(uint16_t) heat[ISA_PAGE_SLOTS];
    _Atomic(region_t *) region[ISA_PAGE_SLOTS];
};

/* Counts of one thread, written only by that thread. */
typedef struct counts {
    _Atomic(uint64_t) entries, instructions, declined, verified;
    struct counts *next;
} counts_t;

static isa_translate_t mode_now;
static unsigned after = ISA_TRANSLATE_AFTER;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards LLVM and the variables below */
static uint64_t loops[ISA_REFUSALS];
static uint64_t time_e6; /* microseconds */
static uint64_t most_ms = ISA_TRANSLATE_MS;
static _Atomic(counts_t *) all_counts;
static _Thread_local counts_t *own_counts;

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
    pthread_mutex_unlock(&lock);
}

/* Registers handlers for fork: a child must not inherit the lock in the hands of a thread that it
 * does not have. */
static void register_fork_handler(void)
{
    pthread_atfork(take_lock, give_lock, give_lock);
}

void isa_translate_setup(isa_translate_t how, unsigned hot)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    mode_now = how;
    after = hot ? hot : 1;
    if (how) pthread_once(&once, register_fork_handler);
}

void isa_translate_limit(uint64_t milliseconds)
{
    take_lock();
    most_ms = milliseconds;
    give_lock();
}

const char *isa_translate_reason(isa_refused_t why)
{
    static const char *const text[ISA_REFUSALS] = {
        "translated",       "the core or the waves' size has no library",
        "there is no LLVM", "the time for translating is used up",
        "it is too long",   "it reaches over a page of code, or has branches into instructions",
        "MODE is uncommon", "it begins with an instruction that leaves it",
        "LLVM has failed",
    };
    return why < ISA_REFUSALS ? text[why] : "";
}

/* ---- counts ---- */

static counts_t *counts(void)
{
    if (own_counts) return own_counts;
    counts_t *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->next = atomic_load(&all_counts);
    while (!atomic_compare_exchange_weak(&all_counts, &c->next, c)) {
    }
    return own_counts = c;
}

static void add(_Atomic(uint64_t) *to, uint64_t n)
{
    atomic_store_explicit(to, atomic_load_explicit(to, memory_order_relaxed) + n,
                          memory_order_relaxed);
}

isa_translate_stats_t isa_translate_stats(void)
{
    isa_translate_stats_t s = {.seconds_e6 = 0};
    take_lock();
    memcpy(s.loops, loops, sizeof loops);
    s.seconds_e6 = time_e6;
    give_lock();
    for (counts_t *c = atomic_load(&all_counts); c; c = c->next) {
        s.entries += atomic_load_explicit(&c->entries, memory_order_relaxed);
        s.instructions += atomic_load_explicit(&c->instructions, memory_order_relaxed);
        s.declined += atomic_load_explicit(&c->declined, memory_order_relaxed);
        s.verified += atomic_load_explicit(&c->verified, memory_order_relaxed);
    }
    return s;
}

/* ---- translating ---- */

static uint64_t now_e6(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Under the lock: plans and compiles. */
static isa_refused_t make(region_t *r, isa_plan_t *plan, const isa_wave_t *w)
{
    const isa_library_t *library = isa_library_for(plan->page->core);
    if (!library) return ISA_REFUSED_CORE;
    if (time_e6 / 1000 >= most_ms) return ISA_REFUSED_TIME;
    if (!isa_llvm_load()) return ISA_REFUSED_LLVM;
    if (!isa_llvm_open(library)) return ISA_REFUSED_FAILED;
    isa_refused_t why = isa_plan_loop(plan, w, r->first, r->last);
    char *text = why ? NULL : isa_emit(plan, library);
    if (text) {
        base_trace("translated loop at 0x%llx:\n%s",
                   (unsigned long long)plan->page->slots[r->first].pc, text);
        r->run = isa_llvm_compile(text, &r->code);
    }
    free(text);
    isa_llvm_close();
    if (why) return why;
    r->mode = plan->mode;
    r->masked = plan->masked;
    r->pure = plan->pure;
    return r->run ? ISA_REFUSED_NOT : ISA_REFUSED_FAILED;
}

/* Makes the loop's code and installs it as the handler of the loop's head. */
static void translate(const isa_wave_t *w, isa_page_t *page, unsigned first, unsigned last)
{
    region_t *r = calloc(1, sizeof *r);
    isa_plan_t *plan = malloc(sizeof *plan);
    if (!r || !plan) {
        free(r);
        free(plan);
        return;
    }
    r->first = first;
    r->last = last;
    *plan = (isa_plan_t){.page = page};
    isa_plan_decode(page, first, last);
    take_lock();
    const uint64_t begin = now_e6();
    const isa_refused_t why = make(r, plan, w);
    time_e6 += now_e6() - begin;
    loops[why]++;
    if (why) {
        base_info("loop at 0x%llx is interpreted: %s", (unsigned long long)page->slots[first].pc,
                  isa_translate_reason(why));
        free(r);
    } else {
        atomic_store_explicit(&page->loops->region[first], r, memory_order_release);
        atomic_store_explicit(&page->slots[first].fn, isa_slot_translated, memory_order_release);
    }
    give_lock();
    free(plan);
}

/* ---- slots ---- */

isa_handler_t *isa_translate_decoded(isa_page_t *page, const isa_inst_t *slot, isa_handler_t *fn)
{
    if (!mode_now || fn != page->core->handlers[slot->op] || !isa_is_branch(slot) || slot->imm >= 0)
        return fn;
    if (!page->loops) page->loops = calloc(1, sizeof *page->loops);
    return page->loops ? isa_slot_counted : fn;
}

static void free_region(region_t *r)
{
    isa_llvm_free(r->code);
    free(r);
}

void isa_translate_forget(isa_page_t *page)
{
    if (!page->loops) return;
    take_lock();
    for (unsigned k = 0; k < ISA_PAGE_SLOTS; k++) {
        region_t *r = atomic_load_explicit(&page->loops->region[k], memory_order_relaxed);
        if (r) free_region(r);
    }
    give_lock();
    free(page->loops);
    page->loops = NULL;
}

/* Executes the branch; when it is taken back for the nth time, its loop is translated. Threads that
 * count at the same time may lose a few counts. */
void isa_slot_counted(isa_wave_t *w, const isa_inst_t *i)
{
    isa_page_t *page = w->page;
    page->core->handlers[i->op](w, i);
    if (w->watched || w->stop || w->page != page || w->ip > i) return;
    const unsigned last = isa_slot_index(page, i->pc), first = isa_slot_index(page, w->ip->pc);
    _Atomic(uint16_t) *heat = &page->loops->heat[last];
    const unsigned n = atomic_load_explicit(heat, memory_order_relaxed) + 1u;
    atomic_store_explicit(heat, (uint16_t)n, memory_order_relaxed);
    if (n < after) return;
    /* the thread that restores the plain handler is the one that translates */
    isa_handler_t *counted = isa_slot_counted;
    isa_inst_t *slot = &page->slots[last];
    if (atomic_compare_exchange_strong(&slot->fn, &counted, page->core->handlers[i->op]) &&
        atomic_load(&page->slots[first].fn) != isa_slot_translated)
        translate(w, page, first, last);
}

void isa_slot_translated(isa_wave_t *w, const isa_inst_t *i)
{
    isa_page_t *page = w->page;
    if (w->watched) { /* translated code tells of no instruction */
        page->core->handlers[i->op](w, i);
        return;
    }
    region_t *r = atomic_load_explicit(&page->loops->region[isa_slot_index(page, i->pc)],
                                       memory_order_acquire);
    counts_t *c = counts();
    if (w->mode != r->mode || (!r->masked && w->exec != ISA_ALL_LANES)) {
        page->core->handlers[i->op](w, i);
        if (c) add(&c->declined, 1);
        return;
    }
    const uint64_t n = mode_now == ISA_TRANSLATE_VERIFY && r->pure
                           ? isa_translate_verify(w, i, r->run)
                           : r->run(w);
    if (!c) return;
    add(&c->entries, 1);
    add(&c->instructions, n);
    if (mode_now == ISA_TRANSLATE_VERIFY && r->pure) add(&c->verified, n);
}
