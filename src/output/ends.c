/* ends.c - see ends.h. */
#include "output/ends.h"

#include <stdlib.h>

#include "base/grow.h"

static bool before(const out_end_t *a, const out_end_t *b)
{
    return a->ns != b->ns ? a->ns < b->ns : a->number > b->number;
}

bool out_ends_add(out_ends_t *e, uint64_t ns, uint64_t value)
{
    if (!BASE_GROW(e->rows, e->count, &e->room)) return false;
    out_end_t added = {ns, value, e->added++};
    size_t at = e->count++;
    for (; at && before(&added, &e->rows[(at - 1) / 2]); at = (at - 1) / 2)
        e->rows[at] = e->rows[(at - 1) / 2];
    e->rows[at] = added;
    return true;
}

bool out_ends_take(out_ends_t *e, uint64_t ns, out_end_t *end)
{
    if (!e->count || e->rows[0].ns > ns) return false;
    *end = e->rows[0];
    out_end_t last = e->rows[--e->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < e->count; at = child) {
        if (child + 1 < e->count && before(&e->rows[child + 1], &e->rows[child])) child++;
        if (!before(&e->rows[child], &last)) break;
        e->rows[at] = e->rows[child];
    }
    e->rows[at] = last;
    return true;
}

void out_ends_free(out_ends_t *e)
{
    free(e->rows);
    *e = (out_ends_t){0};
}
