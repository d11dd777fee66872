/* leaks.c - reports memory that the program has not freed when it ends. Not a part (part.h), since
 * it looks at no instruction. */
#include "softgpu/check/leaks.h"

#include "base/grow.h"
#include "base/text.h"
#include "softgpu/check/check.h"
#include "softgpu/check/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All leaked allocations of one call at one place in the program. */
typedef struct {
    const char *call;
    chk_stack_t made;
    uint64_t serial; /* of the first of them */
    uint64_t bytes, count;
} leak_t;

typedef struct {
    leak_t *leak;
    size_t n, room;
    bool lost; /* out of memory: some allocations are missing */
} leaks_t;

/* No leaks are: memory that a runtime allocates for itself, and host memory that the GPU may use.
 * Both live as long as the process. */
static bool is_leak(const chk_place_t *p)
{
    return p->live && !p->gone_by && !(p->flags & SOFTGPU_CHECK_HOST) && chk_made_by_program(p);
}

static void add_leak(const chk_place_t *p, void *to)
{
    leaks_t *l = to;
    if (!is_leak(p)) return;
    const bool room = BASE_GROW(l->leak, l->n, &l->room);
    l->lost |= !room;
    if (room) l->leak[l->n++] = (leak_t){p->call, p->made, p->serial, p->end - p->begin, 1};
}

static int by_stack(const void *a, const void *b)
{
    const leak_t *x = a, *y = b;
    if (x->made.n != y->made.n) return x->made.n < y->made.n ? -1 : 1;
    const int differ = memcmp(x->made.at, y->made.at, x->made.n * sizeof *x->made.at);
    return differ ? differ : strcmp(x->call, y->call);
}

/* Largest first, then oldest first. */
static int by_bytes(const void *a, const void *b)
{
    const leak_t *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->serial < y->serial ? -1 : 1;
}

static void join(leaks_t *l)
{
    size_t n = 0;
    qsort(l->leak, l->n, sizeof *l->leak, by_stack);
    for (size_t k = 0; k < l->n; k++) {
        leak_t *last = n ? &l->leak[n - 1] : NULL;
        if (!last || by_stack(last, &l->leak[k]) != 0) {
            l->leak[n++] = l->leak[k];
            continue;
        }
        last->bytes += l->leak[k].bytes;
        last->count++;
        if (l->leak[k].serial < last->serial) last->serial = l->leak[k].serial;
    }
    l->n = n;
    qsort(l->leak, l->n, sizeof *l->leak, by_bytes);
}

void chk_leaks(void)
{
    leaks_t l = {0};
    if (!(chk_wanted() & CHK_LEAKS)) return;
    chk_places_each(add_leak, &l);
    if (l.n) join(&l);
    for (size_t k = 0; k < l.n; k++) {
        char more[160];
        const leak_t *leak = &l.leak[k];
        snprintf(more, sizeof more, "%llu allocation%s that nobody has given back%s",
                 (unsigned long long)leak->count, base_plural(leak->count),
                 l.lost ? "; there are more, and no memory to look at them" : "");
        const chk_finding_t f = {.kind = CHK_KIND_LEAK,
                                 .bytes = leak->bytes,
                                 .call = leak->call,
                                 .stack = &leak->made,
                                 .more = more};
        chk_report(&f);
    }
    free(l.leak);
}
