/* launches.c - see launches.h. */
#include "output/launches.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void out_launches_use(out_launches_t *l, const trace_timed_t *next,
                      void (*use)(void *to, out_launch_t *launch), void *to)
{
    if (!l->count || (next && next->start == l->rows[0].dispatch.start)) return;
    for (size_t i = 0; i < l->count; i++) {
        use(to, &l->rows[i]);
        l->rows[i].count = 0;
    }
    l->count = 0;
}

/* Makes room for `need` elements; the new ones are zero. */
static bool grow(void *rows, size_t need, size_t *room, size_t unit)
{
    size_t to = *room ? *room : 8;
    if (need <= *room) return true;
    while (to < need)
        to *= 2;
    if (!base_resize(rows, to, unit)) return false;
    memset(*(char **)rows + *room * unit, 0, (to - *room) * unit);
    *room = to;
    return true;
}

static out_launch_t *find(out_launches_t *l, const trace_dispatch_t *d)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->rows[i].dispatch.dispatch == d->dispatch) return &l->rows[i];
    if (!grow(&l->rows, l->count + 1, &l->room, sizeof(*l->rows))) return NULL;
    memcpy(&l->rows[l->count].dispatch, d, sizeof(*d));
    l->rows[l->count].node = (trace_node_t){0};
    return &l->rows[l->count++];
}

bool out_launches_add(out_launches_t *l, out_domain_t domain, const trace_timed_t *record)
{
    out_launch_t *launch = find(l, (const trace_dispatch_t *)record);
    if (launch && domain == OUT_KERNEL_DISPATCH) launch->node = trace_node(record);
    if (!launch || domain != OUT_COUNTER_COLLECTION) return launch;
    const trace_counters_t *c = (const trace_counters_t *)record;
    if (!grow(&launch->values, launch->count + c->count, &launch->room, sizeof(*launch->values)))
        return false;
    for (uint64_t i = 0; i < c->count; i++)
        launch->values[launch->count++] = trace_values(c)[i];
    return true;
}

void out_launches_free(out_launches_t *l)
{
    for (size_t i = 0; i < l->room; i++)
        free(l->rows[i].values);
    free(l->rows);
}

void out_launch_sum(out_launch_t *launch)
{
    size_t kept = 0;
    for (size_t i = 0; i < launch->count; i++) {
        const trace_value_t v = launch->values[i];
        size_t at = 0;
        while (at < kept && launch->values[at].counter != v.counter)
            at++;
        if (at < kept)
            launch->values[at].value += v.value;
        else
            launch->values[kept++] = v;
    }
    launch->count = kept;
}
