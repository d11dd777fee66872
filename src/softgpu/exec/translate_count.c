/* translate_count.c - counts of what waves run translated, and of what they run interpreted and
 * why: for --stats.
 *
 * A run loop of its own, so that the one of each core stays as small as it is. It is no observer:
 * translated code runs in it as it does without --stats. */
#include "softgpu/exec/fpu.h"
#include "softgpu/exec/translate_internal.h"

#include <immintrin.h>

/* Instructions that this thread has run in translated code, and those that an entry did not take.
 */
typedef struct {
    uint64_t translated, declined;
} seen_t;

static seen_t seen(const isa_translate_counts_t *c)
{
    return (seen_t){atomic_load_explicit(&c->instructions, memory_order_relaxed),
                    atomic_load_explicit(&c->declined, memory_order_relaxed)};
}

/* Counts an instruction that has run interpreted. With SOFTGPU_TRANSLATE=verify those that are left
 * to a handler count as cold, too. */
static void count_interpreted(isa_ran_t *ran, const isa_inst_t *i, bool declined)
{
    if (isa_plan_leaves(i))
        ran->without[i->op]++;
    else if (declined)
        ran->declined++;
    else
        ran->cold++;
}

isa_stop_t isa_translate_run(isa_wave_t *w, int32_t slice, isa_ran_t *ran)
{
    const isa_translate_counts_t *c = isa_translate_counts();
    if (!c) return w->page->core->run(w, slice); /* no memory: nothing is counted */
    seen_t before = seen(c);
    w->stop = ISA_RUN;
    w->budget = slice;
    w->watched = false;
    w->counter = NULL;
    _mm_setcsr(ISA_HOST_FLOAT_MODE);
    do {
        const isa_inst_t *i = w->ip;
        isa_handler_t *fn = atomic_load_explicit(&i->fn, memory_order_acquire);
        const bool again = w->repeats != 0;
        w->ip = i + __atomic_load_n(&i->dwords, __ATOMIC_RELAXED);
        fn(w, i);
        const seen_t now = seen(c);
        if (now.translated != before.translated)
            ran->translated += now.translated - before.translated;
        else if (!again && fn != isa_slot_undecoded && fn != isa_slot_behind)
            count_interpreted(ran, i, now.declined != before.declined);
        before = now;
    } while (!w->stop);
    return w->stop;
}

void isa_ran_add(isa_ran_t *to, const isa_ran_t *from, uint64_t times)
{
    to->translated += times * from->translated;
    to->cold += times * from->cold;
    to->declined += times * from->declined;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        to->without[op] += times * from->without[op];
}
