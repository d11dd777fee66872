/* stats.c - see stats.h. Computes only; whoever prints the numbers chooses the columns. */
#include "output/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/numbers.h"

/* Names may occur in two domains: a kernel may be named after its marker range. */
static bool is_same(const out_stat_t *a, const out_stat_t *b)
{
    return a->domain == b->domain && strcmp(a->name, b->name) == 0;
}

static size_t find_slot(const out_stats_t *s, const out_stat_t *row)
{
    size_t at = (size_t)out_hash(row->name) & (s->slot_count - 1);
    while (s->slots[at] && !is_same(&s->rows[s->slots[at] - 1], row))
        at = (at + 1) & (s->slot_count - 1);
    return at;
}

/* Enlarges the hash table so that it stays at most half full. */
static int make_room(out_stats_t *s)
{
    if (s->count < s->room) return 0;
    size_t room = s->room ? s->room * 2 : 64;
    out_stat_t *rows = realloc(s->rows, room * sizeof(*rows));
    if (!rows) return -1;
    s->rows = rows;
    uint32_t *slots = calloc(room * 2, sizeof(*slots));
    if (!slots) return -1;
    free(s->slots);
    s->slots = slots;
    s->slot_count = room * 2;
    s->room = room;
    for (size_t i = 0; i < s->count; i++)
        s->slots[find_slot(s, &rows[i])] = (uint32_t)i + 1;
    return 0;
}

out_stat_t *out_stats_row(out_stats_t *s, int domain, const char *name)
{
    /* usually a name has the same address as before */
    uint32_t *recent =
        &s->recent[out_mix(out_key(name)) % (sizeof(s->recent) / sizeof(*s->recent))];
    out_stat_t *have = *recent ? &s->rows[*recent - 1] : NULL;
    if (have && have->name == name && have->domain == domain) return have;
    if (make_room(s) != 0) return NULL;
    out_stat_t row = {.name = name, .domain = domain, .min = UINT64_MAX};
    size_t slot = find_slot(s, &row);
    if (!s->slots[slot]) {
        s->rows[s->count++] = row;
        s->slots[slot] = (uint32_t)s->count;
    }
    *recent = s->slots[slot];
    return &s->rows[*recent - 1];
}

int out_stats_merge(out_stats_t *s, const out_stat_t *row)
{
    out_stat_t *have = out_stats_row(s, row->domain, row->name);
    if (!have) return -1;
    have->calls += row->calls;
    have->total += row->total;
    have->squares += row->squares;
    if (row->min < have->min) have->min = row->min;
    if (row->max > have->max) have->max = row->max;
    return 0;
}

int out_stats_add(out_stats_t *s, int domain, const char *name, uint64_t duration)
{
    out_stat_t *row = out_stats_row(s, domain, name);
    if (row) out_stat_add(row, duration);
    return row ? 0 : -1;
}

static int by_total(const void *a, const void *b)
{
    const out_stat_t *x = a, *y = b;
    if (x->total != y->total) return x->total > y->total ? -1 : 1;
    int names = strcmp(x->name, y->name);
    return names ? names : x->domain - y->domain;
}

void out_stats_sort(out_stats_t *s)
{
    memset(s->recent, 0, sizeof(s->recent));
    if (s->count) qsort(s->rows, s->count, sizeof(*s->rows), by_total);
}

out_stat_t out_stats_total(const out_stats_t *s)
{
    out_stat_t sum = {.name = "", .min = s->count ? UINT64_MAX : 0};
    for (size_t i = 0; i < s->count; i++) {
        const out_stat_t *r = &s->rows[i];
        sum.calls += r->calls;
        sum.total += r->total;
        sum.squares += r->squares;
        if (r->min < sum.min) sum.min = r->min;
        if (r->max > sum.max) sum.max = r->max;
    }
    return sum;
}

void out_stats_free(out_stats_t *s)
{
    free(s->rows);
    free(s->slots);
    *s = (out_stats_t){0};
}

double out_stat_mean(const out_stat_t *row)
{
    return row->calls ? (double)row->total / (double)row->calls : 0;
}

double out_stat_percent(const out_stat_t *row, uint64_t total)
{
    return total ? (double)row->total / (double)total * 100 : 0;
}

/* (n * squares - total^2) / (n * (n - 1)), in integers as long as these can hold it: if the terms
 * were rounded before the subtraction, small deviations of long times would be lost. */
double out_stat_deviation(const out_stat_t *row)
{
    if (row->calls < 2) return 0;
    long double n = (long double)row->calls, spread;
    out_squares_t scaled, square = (out_squares_t)row->total * row->total;
    if (!__builtin_mul_overflow(row->squares, row->calls, &scaled))
        spread = scaled > square ? (long double)(scaled - square) : 0;
    else
        spread = (long double)row->squares * n - (long double)square;
    return spread > 0 ? (double)sqrtl(spread / (n * (n - 1))) : 0;
}

void out_stat_float(char *text, size_t bytes, double value)
{
    snprintf(text, bytes, value > 0.01 ? "%.6f" : "%.8e", value);
}

void out_stat_percentage(char *text, size_t bytes, double value)
{
    snprintf(text, bytes, value >= 1 ? "%.2f" : value > 0.01 ? "%.4f" : "%.3e", value);
}
