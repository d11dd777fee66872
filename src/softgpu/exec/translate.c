/* translate.c - which code is translated, and how a wave runs it.
 *
 * The hooks are handlers of slots, so that the plain run loop knows nothing of all this: a branch
 * back gets a handler that counts, so does an instruction to which waves come from code that is not
 * translated, and an entry of translated code gets one that runs it. One thread translates at a
 * time (one that does nothing else, or the one that comes to hot code) while others interpret.
 * Running translated code takes no lock. */
#include "softgpu/exec/translate_internal.h"
#include "softgpu/exec/translate_object.h"

#include "base/log.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

typedef struct region region_t;

/* A slot where waves enter a region, and the next entry at the same slot: that of a region for
 * another MODE or EXEC. */
typedef struct entry {
    region_t *region;
    uint32_t number;
    _Atomic(const struct entry *) next;
} entry_t;

/* A translated loop or stretch. */
struct region {
    isa_translated_t *run;
    isa_object_t code;
    isa_wanted_t wanted;
    bool masked;            /* isa_plan_t */
    _Atomic(uint16_t) heat; /* how often lanes were left to the handlers, of NaNs for a good part */
    _Atomic(bool) put_off;  /* a translation for NaNs, as that of a slot */
    uint64_t full;          /* the set of all lanes */
    region_t *next;         /* of the page */
    entry_t *entry;         /* all of them */
};

enum {
    ENTRIES = 8, /* at a slot, at most: of two MODEs, each with all lanes and without, each counted
                    and not */
    NEVER = UINT16_MAX, /* of `heat`: waves are not counted at the slot any more */
    HEAT_MOST = NEVER - 1
};

/* What the translator knows of a page. By slot: how often a branch back was taken, waves came to
 * the slot, or no entry there took them; the first entry that is there; whether waves come there
 * from code that is not translated; whether the code was hot once, but neither kept on disk nor
 * worth a translation then. */
typedef struct isa_page_loops {
    _Atomic(uint16_t) heat[ISA_PAGE_SLOTS];
    _Atomic(const entry_t *) entry[ISA_PAGE_SLOTS];
    _Atomic(bool) head[ISA_PAGE_SLOTS];
    _Atomic(bool) put_off[ISA_PAGE_SLOTS];
    region_t *regions; /* under the lock */
} isa_page_loops_t;

typedef isa_translate_counts_t counts_t;

/* What is to be translated, and where waves were counted until then: at the slot, whose handler was
 * `counting`, or, if that is NULL, by the slot's heat; or, if `region` is not NULL, by its. */
typedef struct {
    isa_wanted_t wanted;
    unsigned slot;
    isa_handler_t *counting;
    region_t *region;
} task_t;

static isa_translate_t mode_now;
static unsigned after = ISA_TRANSLATE_AFTER;
/* Whether code is being translated, or waits for that. The thread that does it alone changes
 * entries, and writes NEVER to a slot's heat. No wave waits for it. */
static _Atomic(bool) translating;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the variables below */
static uint64_t loops[ISA_REFUSALS];
static uint64_t kept; /* stretches whose code was on disk */
static uint64_t nans; /* stretches that were translated anew for NaNs */
static uint64_t most_ms = ISA_TRANSLATE_MS;
static bool aside, helper_runs; /* translating is a thread's of its own; whether there is one */
static task_t task;             /* of that thread, */
static bool has_task;           /* which waits until it has one */
static uint64_t made_so_far;    /* pieces of code that were compiled */
static pthread_cond_t has_work = PTHREAD_COND_INITIALIZER;
static const task_t *at_work; /* what is being translated; NULL once its page has been freed */

static void take_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
    pthread_mutex_unlock(&lock);
}

static isa_page_loops_t *loops_of(isa_page_t *page)
{
    return __atomic_load_n(&page->loops, __ATOMIC_ACQUIRE);
}

/* Lets waves be counted again, from `heat` on, where they were before the task was given. */
static void give_back(const task_t *t, unsigned heat)
{
    isa_page_t *page = t->wanted.page;
    if (t->region) {
        atomic_store(&t->region->heat, (uint16_t)heat);
        return;
    }
    isa_handler_t *own = isa_own_handler(page, &page->slots[t->slot]);
    atomic_store(&loops_of(page)->heat[t->slot], (uint16_t)heat);
    if (t->counting) atomic_compare_exchange_strong(&page->slots[t->slot].fn, &own, t->counting);
}

/* In a forked child, which has neither of the threads that may be translating: what waits to be
 * translated, or is being translated, is found hot again. */
static void begin_child(void)
{
    if (has_task) give_back(&task, after - 1);
    if (at_work) give_back(at_work, after - 1);
    has_task = helper_runs = false;
    at_work = NULL;
    pthread_cond_init(&has_work, NULL);
    atomic_store(&translating, false);
    isa_process_after_fork(true);
    give_lock();
}

static void before_fork(void)
{
    take_lock();
    isa_process_before_fork();
}

static void after_fork(void)
{
    isa_process_after_fork(false);
    give_lock();
}

/* Registers handlers for fork, too: a child must not inherit the lock, or `translating`, in the
 * hands of a thread that it does not have. */
static void set_up(void)
{
    isa_process_setup();
    pthread_atfork(before_fork, after_fork, begin_child);
}

void isa_translate_setup(isa_translate_t how, unsigned hot)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    mode_now = how;
    after = hot < 1 ? 1 : hot > HEAT_MOST ? HEAT_MOST : hot;
    if (how) pthread_once(&once, set_up);
}

void isa_translate_aside(bool wanted)
{
    take_lock();
    aside = wanted;
    give_lock();
}

void isa_translate_keep(uint64_t bytes)
{
    take_lock();
    isa_kept_setup(bytes);
    give_lock();
}

isa_translate_t isa_translate_mode(void)
{
    return mode_now;
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
        "translated",
        "the core has no library",
        "softgpu-translator does not run",
        "there is no LLVM",
        "the time for translating is used up",
        "it is too long",
        "it reaches over a page of code, or has branches into instructions",
        "MODE is uncommon",
        "none of its instructions is translated",
        "LLVM has failed",
    };
    return why < ISA_REFUSALS ? text[why] : "";
}

isa_translate_stats_t isa_translate_stats(void)
{
    isa_translate_stats_t s = {.seconds_e6 = 0};
    take_lock();
    memcpy(s.loops, loops, sizeof loops);
    s.kept = kept;
    s.nans = nans;
    s.seconds_e6 = isa_share_spent();
    give_lock();
    for (const counts_t *c = isa_translate_all_counts(); c; c = c->next) {
        s.entries += atomic_load_explicit(&c->entries, memory_order_relaxed);
        s.instructions += atomic_load_explicit(&c->instructions, memory_order_relaxed);
        s.declined += atomic_load_explicit(&c->declined, memory_order_relaxed);
        s.verified += atomic_load_explicit(&c->verified, memory_order_relaxed);
        s.rests += atomic_load_explicit(&c->rests, memory_order_relaxed);
    }
    return s;
}

/* ---- translating ---- */

/* Begins to translate: false if another thread does so, which is looked at first, since waves may
 * ask often then. */
static bool begin_translating(void)
{
    if (atomic_load_explicit(&translating, memory_order_relaxed)) return false;
    return !atomic_exchange_explicit(&translating, true, memory_order_acquire);
}

static void end_translating(void)
{
    atomic_store_explicit(&translating, false, memory_order_release);
}

/* Under the lock: plans the code, for which the library is open, and writes it as LLVM's assembly,
 * which is to be freed. NULL: `made` says why there is none. */
static char *text_of(const isa_wanted_t *wanted, const isa_library_t *library, isa_made_t *made)
{
    isa_plan_t *plan = malloc(sizeof *plan);
    char *text = NULL;
    made->why = ISA_REFUSED_FAILED;
    if (!plan) return NULL;
    *plan = (isa_plan_t){.page = wanted->page,
                         .mode = wanted->mode,
                         .masked = wanted->masked,
                         .calls = wanted->calls,
                         .nans = wanted->nans,
                         .bucket = wanted->bucket};
    const isa_refused_t why = isa_plan_make(plan, wanted->first, wanted->last);
    if (why)
        made->why = why;
    else
        text = isa_emit(plan, library);
    made->masked = plan->masked;
    for (unsigned k = 0; text && k < plan->n; k++)
        if (plan->step[k].enters)
            made->entry[made->n++] = (uint16_t)isa_slot_index(wanted->page, plan->step[k].i->pc);
    free(plan);
    return text;
}

/* Makes the code of what is at work. Called under the lock, which is given up while other code may
 * wait for it: what is at work may then end with its page. */
static void make(const task_t *t, isa_made_t *made)
{
    const isa_library_t *library = isa_library_for(t->wanted.page->core);
    char *text = NULL;
    *made = (isa_made_t){.why = ISA_REFUSED_NOT};
    if (!library)
        made->why = ISA_REFUSED_CORE;
    else if (isa_share_spent() / 1000 >= most_ms)
        made->why = ISA_REFUSED_TIME;
    if (made->why) return;
    give_lock();
    made->why = isa_compiler_open(library); /* may take a tenth of a second */
    take_lock();
    if (at_work && !made->why) text = text_of(&t->wanted, library, made);
    if (!text) return;
    base_trace("translated from 0x%llx on:\n%s",
               (unsigned long long)t->wanted.page->slots[t->wanted.first].pc, text);
    give_lock();
    made->object = isa_compiler_compile(library, text, &made->size);
    free(text);
    take_lock();
    made->why = made->object ? ISA_REFUSED_NOT : ISA_REFUSED_FAILED;
}

static bool takes(const region_t *r, const isa_wave_t *w)
{
    return w->mode == r->wanted.mode && r->wanted.bucket == isa_buckets_of(w) &&
           (r->masked || w->exec == r->full);
}

/* The first entry at the slot that takes the wave; NULL if there is none. */
static const entry_t *entry_for(const isa_page_loops_t *here, unsigned slot, const isa_wave_t *w)
{
    const entry_t *e = atomic_load_explicit(&here->entry[slot], memory_order_acquire);
    while (e && !takes(e->region, w))
        e = atomic_load_explicit(&e->next, memory_order_acquire);
    return e;
}

/* Whether two regions take the same waves. */
static bool are_equal(const region_t *a, const region_t *b)
{
    return a->wanted.mode == b->wanted.mode && a->masked == b->masked &&
           a->wanted.bucket == b->wanted.bucket;
}

/* Under the lock: takes away the slot's entry for the same waves as the region's, and returns
 * how many are left. A wave that looks for an entry at this moment may still find that one, which
 * lives as long as the page, and goes on from there. */
static unsigned remove_equal(isa_page_loops_t *here, unsigned slot, const region_t *region)
{
    _Atomic(const entry_t *) *link = &here->entry[slot];
    unsigned left = 0;
    for (const entry_t *e = atomic_load(link); e; e = atomic_load(link)) {
        if (are_equal(e->region, region)) {
            atomic_store_explicit(link, atomic_load(&e->next), memory_order_release);
            continue;
        }
        link = &((entry_t *)e)->next;
        left++;
    }
    return left;
}

/* Under the lock: adds an entry at the slot, if there is room, in place of an equal one: of nested
 * loops, the outer one is translated last. Regions for a full EXEC come first, since others take
 * their waves, too, and are slower. */
static void add_entry(isa_page_loops_t *here, unsigned slot, entry_t *entry)
{
    const unsigned left = remove_equal(here, slot, entry->region);
    _Atomic(const entry_t *) *link = &here->entry[slot];
    if (left < ENTRIES) {
        for (const entry_t *e = atomic_load(link); e; e = atomic_load(&e->next))
            if (entry->region->masked && !e->region->masked) link = &((entry_t *)e)->next;
        atomic_store_explicit(&entry->next, atomic_load(link), memory_order_relaxed);
        atomic_store_explicit(link, entry, memory_order_release);
    }
    atomic_store_explicit(&here->heat[slot], left + 1 < ENTRIES ? 0 : NEVER, memory_order_relaxed);
}

/* Under the lock: waves that come to the entries run the region from now on. */
static void publish(region_t *r, const isa_wanted_t *wanted, const isa_made_t *made)
{
    isa_page_loops_t *here = loops_of(wanted->page);
    r->next = here->regions;
    here->regions = r;
    for (uint32_t n = 0; n < made->n; n++) {
        const unsigned slot = made->entry[n];
        entry_t *entry = &r->entry[n];
        *entry = (entry_t){.region = r, .number = n};
        add_entry(here, slot, entry);
        atomic_store_explicit(&wanted->page->slots[slot].fn, isa_slot_translated,
                              memory_order_release);
    }
}

/* Under the lock: the region of what was made, NULL on failure. */
static region_t *load_region(const isa_wanted_t *wanted, const isa_made_t *made)
{
    region_t *r = calloc(1, sizeof *r);
    entry_t *entry = calloc(made->n, sizeof *entry);
    isa_object_t code = {0};
    if (!r || !entry || !isa_object_load(&code, made->object, made->size, ISA_TRANSLATED)) {
        free(r);
        free(entry);
        return NULL;
    }
    *r = (region_t){.code = code,
                    .wanted = *wanted,
                    .masked = made->masked,
                    .full = isa_page_full(wanted->page),
                    .entry = entry};
    memcpy(&r->run, &code.run, sizeof r->run);
    return r;
}

/* Under the lock: puts the region in place of its entries; NULL: counts why there is none. */
static void put_in_place(const isa_wanted_t *wanted, const isa_made_t *made, region_t *r)
{
    const isa_page_t *page = wanted->page;
    const unsigned long long from = page->slots[wanted->first].pc,
                             to = page->slots[wanted->last].pc;
    if (r) {
        publish(r, wanted, made);
        nans += wanted->nans;
        base_trace("translated 0x%llx to 0x%llx", from, to);
        return;
    }
    const char *reason = isa_translate_reason(made->why);
    if (wanted->nans) { /* the code that was there stays */
        base_info("code at 0x%llx is not translated for NaNs: %s", from, reason);
        return;
    }
    loops[made->why]++;
    base_info("code at 0x%llx is interpreted: %s", from, reason);
}

/* Under the lock: loads the code, and puts it in place. It is counted and kept only if it loads. */
static void finish(const isa_wanted_t *wanted, isa_made_t *made)
{
    region_t *r = made->why ? NULL : load_region(wanted, made);
    if (!made->why && !r) made->why = ISA_REFUSED_FAILED;
    if (r) loops[ISA_REFUSED_NOT]++;
    isa_kept_write(wanted, made);
    put_in_place(wanted, made, r);
}

/* Makes code, and puts it in place, unless its page ends meanwhile. Called under the lock, which is
 * given up in between. */
static void carry_out(const task_t *t, isa_made_t *made)
{
    const uint64_t begin = isa_share_now();
    at_work = t;
    make(t, made);
    if (at_work) finish(&t->wanted, made);
    at_work = NULL;
    isa_share_spend(begin);
    if (made->object) isa_share_expect(++made_so_far);
    free(made->object);
}

/* Under the lock: takes code that was kept, and puts it in place; false if none was, or if it does
 * not load. */
static bool take_kept(const isa_wanted_t *wanted, isa_made_t *made)
{
    const uint64_t begin = isa_share_now();
    bool found = isa_kept_read(wanted, made);
    region_t *r = found && !made->why ? load_region(wanted, made) : NULL;
    if (found && !made->why) found = r != NULL;
    if (r) kept++;
    if (found) put_in_place(wanted, made, r);
    free(made->object);
    isa_share_spend(begin);
    return found;
}

/* The thread that translates. */
static void *help(void *unused)
{
    static isa_made_t made;
    static task_t taken;
    take_lock();
    for (;;) {
        while (!has_task)
            pthread_cond_wait(&has_work, &lock);
        taken = task;
        has_task = false;
        carry_out(&taken, &made);
        end_translating();
    }
    return unused;
}

/* Under the lock: whether there is a thread that translates; makes it if there is none. It takes no
 * signals. */
static bool has_helper(void)
{
    pthread_t thread;
    sigset_t all, before;
    if (helper_runs) return true;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    helper_runs = pthread_create(&thread, NULL, help, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!helper_runs) return false;
    pthread_setname_np(thread, "sg-translate");
    pthread_detach(thread);
    return true;
}

/* Lets the task's code be interpreted until the waves have run for longer. */
static void put_off(const task_t *t)
{
    atomic_store(t->region ? &t->region->put_off : &loops_of(t->wanted.page)->put_off[t->slot],
                 true);
    give_back(t, 0);
}

/* Under the lock: gives the task to the thread that translates; false if that does not take it. */
static bool give_away(const task_t *t)
{
    if (!aside || !has_helper()) return false;
    task = *t;
    has_task = true;
    pthread_cond_signal(&has_work);
    return true;
}

/* Under the lock: takes the task's code from disk, puts it off, or translates it, if nobody else is
 * to. True: nothing is left to do. */
static bool settle(const task_t *t, isa_made_t *made)
{
    if (take_kept(&t->wanted, made)) return true;
    if (isa_library_for(t->wanted.page->core) && !isa_share_allows()) {
        put_off(t);
        return true;
    }
    if (give_away(t)) return false;
    carry_out(t, made);
    return true;
}

/* Puts the task's code in place of its entries, now or later. The caller has begun. */
static void translate(const task_t *t)
{
    isa_made_t *made = calloc(1, sizeof *made);
    take_lock();
    if (!made || settle(t, made)) end_translating();
    give_lock();
    free(made);
}

static isa_wanted_t wanted_for(const isa_wave_t *w, isa_page_t *page, unsigned first, unsigned last)
{
    return (isa_wanted_t){.page = page,
                          .first = first,
                          .last = last,
                          .mode = w->mode,
                          .masked = w->exec != isa_page_full(page),
                          .calls = mode_now != ISA_TRANSLATE_VERIFY,
                          .bucket = isa_buckets_of(w)};
}

/* The loop from slot `first` to the branch in slot `last`, which was counted. */
static void translate_loop(const isa_wave_t *w, isa_page_t *page, unsigned first, unsigned last)
{
    isa_plan_decode(page, first, last);
    translate(&(task_t){wanted_for(w, page, first, last), last, isa_slot_counted, NULL});
}

/* The stretch from a slot on; `counting`: as in task_t. */
static void translate_stretch(const isa_wave_t *w, isa_page_t *page, unsigned first,
                              isa_handler_t *counting)
{
    const isa_reach_t reach = isa_plan_reach(page, first);
    /* waves come to the code behind a stretch that is long, or may by a branch from before it */
    if (reach.goes_on)
        isa_translate_arrived(page, &page->slots[reach.last + page->slots[reach.last].dwords]);
    translate(&(task_t){wanted_for(w, page, first, reach.last), first, counting, NULL});
}

/* ---- slots ---- */

/* Branches back, and those into another page. */
static bool is_watched_branch(const isa_inst_t *i, unsigned at)
{
    return i->imm < 0 || at + i->dwords + (unsigned)i->imm >= ISA_PAGE_SLOTS;
}

/* Whether waves end at the instruction, so that none come to the one behind it. */
static bool ends_waves(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    return row->marks & ISA_IS_LEAVES && row->klass != ISA_CLASS_BRANCH;
}

/* The page's data, made if there are none; NULL if memory runs out. The caller holds the cache's
 * lock. */
static isa_page_loops_t *make_loops(isa_page_t *page)
{
    isa_page_loops_t *here = loops_of(page);
    if (here) return here;
    here = calloc(1, sizeof *here);
    __atomic_store_n(&page->loops, here, __ATOMIC_RELEASE);
    return here;
}

/* Lets waves be counted that come to a decoded slot with the instruction's own handler. */
static void count_at(isa_page_t *page, isa_inst_t *slot)
{
    isa_handler_t *own = isa_own_handler(page, slot);
    if (slot->op && !isa_is_branch(slot))
        atomic_compare_exchange_strong(&slot->fn, &own, isa_slot_entered);
}

void isa_translate_decoded(isa_page_t *page, isa_inst_t *slot, isa_handler_t *fn)
{
    const unsigned at = isa_slot_index(page, slot->pc);
    const bool own = mode_now && fn == isa_own_handler(page, slot);
    isa_page_loops_t *here = own ? make_loops(page) : NULL;
    if (here && isa_plan_goes_on_behind(slot) && !ends_waves(slot) &&
        at + slot->dwords < ISA_PAGE_SLOTS)
        atomic_store_explicit(&here->head[at + slot->dwords], true, memory_order_relaxed);
    if (here && isa_is_branch(slot) && is_watched_branch(slot, at)) fn = isa_slot_counted;
    atomic_store(&slot->fn, fn);
    /* behind the store: isa_translate_arrived() sets `head` first and then looks at `fn` */
    if (here && atomic_load(&here->head[at])) count_at(page, slot);
}

void isa_translate_arrived(isa_page_t *page, const isa_inst_t *i)
{
    isa_page_loops_t *here = loops_of(page);
    if (!here) return;
    const unsigned at = isa_slot_index(page, i->pc);
    if (at >= ISA_PAGE_SLOTS || atomic_load_explicit(&here->head[at], memory_order_relaxed)) return;
    atomic_store(&here->head[at], true);
    isa_inst_t *slot = &page->slots[at];
    if (atomic_load(&slot->fn) != isa_slot_undecoded) count_at(page, slot);
}

static void free_region(region_t *r)
{
    isa_object_free(&r->code);
    free(r->entry);
    free(r);
}

void isa_translate_forget(isa_page_t *page)
{
    isa_page_loops_t *here = loops_of(page);
    if (!here) return;
    take_lock();
    if (has_task && task.wanted.page == page) {
        has_task = false;
        end_translating();
    }
    if (at_work && at_work->wanted.page == page) at_work = NULL;
    for (region_t *r = here->regions, *next; r; r = next) {
        next = r->next;
        free_region(r);
    }
    give_lock();
    free(here);
    __atomic_store_n(&page->loops, NULL, __ATOMIC_RELAXED);
}

/* Whether code whose heat is `n` and which was put off has to wait for longer: it is counted anew
 * then. */
static bool has_to_wait(_Atomic(uint16_t) *heat, const _Atomic(bool) *put_off, uint16_t n)
{
    if (!atomic_load_explicit(put_off, memory_order_relaxed) || isa_share_allows()) return false;
    atomic_compare_exchange_strong(heat, &n, 0);
    return true;
}

/* Counts waves, one or `more`. From the nth time on the caller begins to translate, unless another
 * thread does so, or the code has to wait: true if it has begun. Threads that count at once may
 * lose a few. */
static bool has_counted(_Atomic(uint16_t) *heat, const _Atomic(bool) *put_off, uint32_t more)
{
    uint16_t n = atomic_load_explicit(heat, memory_order_relaxed);
    if (n == NEVER) return false;
    if (more >= after || n + more >= after)
        return !has_to_wait(heat, put_off, n) && begin_translating();
    atomic_compare_exchange_strong(heat, &n, (uint16_t)(n + more));
    return false;
}

/* Counts a wave at a slot. */
static bool has_begun(isa_page_t *page, unsigned slot)
{
    isa_page_loops_t *here = loops_of(page);
    return has_counted(&here->heat[slot], &here->put_off[slot], 1);
}

/* The same at a slot whose handler is `counting`. True to one caller: the slot has its own handler
 * again. */
static bool is_hot(isa_page_t *page, const isa_inst_t *i, isa_handler_t *counting)
{
    const unsigned at = isa_slot_index(page, i->pc);
    if (!has_begun(page, at)) return false;
    if (atomic_compare_exchange_strong(&page->slots[at].fn, &counting, isa_own_handler(page, i)))
        return true;
    end_translating();
    return false;
}

/* The branch does its work; where it goes back for the nth time, its loop is translated. */
void isa_slot_counted(isa_wave_t *w, const isa_inst_t *i)
{
    isa_page_t *page = w->page;
    isa_own_handler(page, i)(w, i);
    if (w->watched) return;
    if (w->page != page && w->ip) isa_translate_arrived(w->page, w->ip);
    if (w->stop || w->page != page || w->ip > i || !is_hot(page, i, isa_slot_counted)) return;
    const unsigned last = isa_slot_index(page, i->pc), first = isa_slot_index(page, w->ip->pc);
    if (entry_for(loops_of(page), first, w))
        end_translating();
    else
        translate_loop(w, page, first, last);
}

/* Where waves come to for the nth time, the code from here on is translated. */
void isa_slot_entered(isa_wave_t *w, const isa_inst_t *i)
{
    isa_page_t *page = w->page;
    if (!w->watched && is_hot(page, i, isa_slot_entered)) {
        translate_stretch(w, page, isa_slot_index(page, i->pc), isa_slot_entered);
        if (atomic_load(&page->slots[isa_slot_index(page, i->pc)].fn) == isa_slot_translated) {
            isa_slot_translated(w, i);
            return;
        }
    }
    isa_own_handler(page, i)(w, i);
}

/* None of the slot's entries has been translated for the wave's MODE and EXEC. When that has
 * happened often enough (has_begun()), the code from here on is translated for these, too, unless
 * another thread has meanwhile done so, or has found that it cannot be. */
static void declined(isa_wave_t *w, isa_page_t *page, unsigned slot)
{
    isa_page_loops_t *here = loops_of(page);
    if (!has_begun(page, slot)) return;
    if (entry_for(here, slot, w) || atomic_load(&here->heat[slot]) == NEVER) {
        end_translating();
        return;
    }
    atomic_store(&here->heat[slot], NEVER);
    translate_stretch(w, page, slot, NULL);
}

/* The region counts its first instruction, which the loop has counted, too, now or when it was
 * first tried. */
static void begin_counted(isa_wave_t *w, const isa_inst_t *i, const region_t *r)
{
    isa_counter_t *c = w->counter;
    isa_uncount(c, w, i);
    if (c->code == r) return;
    isa_counter_settle(c);
    c->code = r;
}

/* Whether waves come to the region at the slot: to the code of an outer loop no longer. */
static bool is_entered(const isa_page_loops_t *here, unsigned slot, const region_t *r)
{
    const entry_t *e = atomic_load_explicit(&here->entry[slot], memory_order_acquire);
    while (e && e->region != r)
        e = atomic_load_explicit(&e->next, memory_order_acquire);
    return e;
}

/* The wave has run n instructions of the region, which it has entered at the slot, and has left
 * lanes to the handlers. If a good part of its time went there in segments that code for NaNs may
 * not leave, as when a NaN stays in a sum, and if lanes have been left often enough, the same code
 * is translated for NaNs, in place of the region's, unless another thread has meanwhile done so, or
 * other code has taken the region's place. */
static void count_rests(isa_wave_t *w, unsigned slot, region_t *r, uint64_t n)
{
    enum { PART = 16 }; /* a handler takes some ten times as long as translated code */
    counts_t *c = isa_translate_counts();
    const bool many = w->rest_nans && (uint64_t)w->rest_nans * PART >= n;
    const uint32_t times = w->rests;
    if (c) isa_translate_add(&c->rests, times);
    w->rests = w->rest_nans = 0;
    if (!many || !has_counted(&r->heat, &r->put_off, times)) return;
    if (atomic_load(&r->heat) == NEVER || !is_entered(loops_of(r->wanted.page), slot, r)) {
        end_translating();
        return;
    }
    task_t t = {.wanted = r->wanted, .slot = r->wanted.first, .region = r};
    t.wanted.nans = true;
    atomic_store(&r->heat, NEVER);
    translate(&t);
}

void isa_slot_translated(isa_wave_t *w, const isa_inst_t *i)
{
    isa_page_t *page = w->page;
    if (w->watched) { /* translated code reports no instruction, and counts by buckets alone */
        isa_own_handler(page, i)(w, i);
        return;
    }
    const unsigned slot = isa_slot_index(page, i->pc);
    const entry_t *entry = entry_for(loops_of(page), slot, w);
    counts_t *c = isa_translate_counts();
    if (!entry) {
        declined(w, page, slot);
        isa_own_handler(page, i)(w, i);
        if (c) isa_translate_add(&c->declined, 1);
        return;
    }
    region_t *r = entry->region;
    const bool again = w->repeats; /* the first instruction is tried again: it has been counted */
    if (w->counter) begin_counted(w, i, r);
    const bool verify = mode_now == ISA_TRANSLATE_VERIFY && !r->wanted.calls;
    const uint64_t n =
        verify ? isa_translate_verify(w, i, r->run, entry->number) : r->run(w, entry->number);
    if (w->rests) count_rests(w, slot, r, n);
    if (!c) return;
    isa_translate_add(&c->entries, 1);
    isa_translate_add(&c->instructions, n - again);
    if (verify) isa_translate_add(&c->verified, n);
}
