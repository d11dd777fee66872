/* sum.c - see sum.h. It only computes; the code that prints the numbers chooses columns and
 * digits. */
#include "model/sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "model/numbers.h"

void sum_merge(sum_t *s, const sum_t *part)
{
    if (!part->count) return;
    if (!s->count || part->least < s->least) s->least = part->least;
    if (!s->count || part->most > s->most) s->most = part->most;
    s->count += part->count;
    s->total += part->total;
    s->squares += part->squares;
}

double sum_mean(const sum_t *s)
{
    return s->count ? (double)s->total / (double)s->count : 0;
}

double sum_share(const sum_t *part, const sum_t *whole)
{
    return whole->total ? (double)part->total / (double)whole->total : 0;
}

double sum_percent(const sum_t *part, const sum_t *whole)
{
    return whole->total ? 100 * (double)part->total / (double)whole->total : 0;
}

/* Computes (n * squares - total^2) / (n * (n - 1)) in integers as long as these can hold it: if the
 * terms were rounded before the subtraction, small deviations of long times would be lost. */
double sum_deviation(const sum_t *s)
{
    if (s->count < 2) return 0;
    long double n = (long double)s->count, total = (long double)s->total, spread;
    const sum_squares_t size = (sum_squares_t)(s->total < 0 ? -s->total : s->total);
    sum_squares_t scaled, square;
    if (__builtin_mul_overflow(s->squares, s->count, &scaled) ||
        __builtin_mul_overflow(size, size, &square))
        spread = (long double)s->squares * n - total * total;
    else
        spread = scaled > square ? (long double)(scaled - square) : 0;
    return spread > 0 ? (double)sqrtl(spread / (n * (n - 1))) : 0;
}

/* ---- by name ---- */

/* A name may occur in two groups, since a kernel may be named after its marker range. */
static size_t find_slot(const sums_t *s, int group, const char *name)
{
    size_t at = (size_t)out_hash(name) & (s->slot_count - 1);
    for (; s->slots[at]; at = (at + 1) & (s->slot_count - 1)) {
        const sum_row_t *row = &s->rows[s->slots[at] - 1];
        if (row->group == group && strcmp(row->name, name) == 0) break;
    }
    return at;
}

/* Enlarges the hash table so that it stays at most half full. */
static int make_room(sums_t *s)
{
    if (s->count < s->room) return 0;
    const size_t room = s->room ? s->room * 2 : 64;
    if (!BASE_RESIZE(s->rows, room)) return -1;
    uint32_t *slots = calloc(room * 2, sizeof(*slots));
    if (!slots) return -1;
    free(s->slots);
    s->slots = slots;
    s->slot_count = room * 2;
    s->room = room;
    for (size_t i = 0; i < s->count; i++)
        s->slots[find_slot(s, s->rows[i].group, s->rows[i].name)] = (uint32_t)i + 1;
    return 0;
}

static sum_row_t *find_row(sums_t *s, int group, const char *name, bool copied)
{
    if (make_room(s) != 0) return NULL;
    uint32_t *slot = &s->slots[find_slot(s, group, name)];
    if (!*slot) {
        const char *kept = copied ? strdup(name) : name;
        if (!kept) return NULL;
        s->rows[s->count++] = (sum_row_t){.name = kept, .group = group, .copied = copied};
        *slot = (uint32_t)s->count;
    }
    return &s->rows[*slot - 1];
}

sum_row_t *sums_row(sums_t *s, int group, const char *name)
{
    /* a name usually has the same address as the last time */
    uint32_t *recent =
        &s->recent[out_mix(out_key(name)) % (sizeof(s->recent) / sizeof(*s->recent))];
    sum_row_t *row = *recent ? &s->rows[*recent - 1] : NULL;
    if (row && row->name == name && row->group == group) return row;
    row = find_row(s, group, name, false);
    if (row) *recent = (uint32_t)(row - s->rows) + 1;
    return row;
}

sum_row_t *sums_row_copied(sums_t *s, int group, const char *name)
{
    return find_row(s, group, name, true);
}

int sums_add(sums_t *s, int group, const char *name, int64_t number)
{
    sum_row_t *row = sums_row(s, group, name);
    if (row) sum_add(&row->sum, number);
    return row ? 0 : -1;
}

int sums_merge(sums_t *s, int group, const char *name, const sum_t *part)
{
    sum_row_t *row = sums_row(s, group, name);
    if (row) sum_merge(&row->sum, part);
    return row ? 0 : -1;
}

static int by_total(const void *a, const void *b)
{
    const sum_row_t *x = a, *y = b;
    if (x->sum.total != y->sum.total) return x->sum.total > y->sum.total ? -1 : 1;
    const int names = strcmp(x->name, y->name);
    return names ? names : x->group - y->group;
}

void sums_sort(sums_t *s)
{
    memset(s->recent, 0, sizeof(s->recent));
    if (s->count) qsort(s->rows, s->count, sizeof(*s->rows), by_total);
}

sum_t sums_whole(const sums_t *s)
{
    sum_t whole = {0};
    for (size_t i = 0; i < s->count; i++)
        sum_merge(&whole, &s->rows[i].sum);
    return whole;
}

void sums_free(sums_t *s)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].copied) free((char *)(uintptr_t)s->rows[i].name);
    free(s->rows);
    free(s->slots);
    *s = (sums_t){0};
}
