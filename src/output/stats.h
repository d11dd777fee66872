/* stats.h - calls and durations by name, and the numbers that follow from them.
 *
 * Sums are exact integers; only mean, share and deviation are floating-point numbers. There is one
 * collection per domain; the statistics files and the summaries are both printed from it. */
#ifndef CROCPROF_OUTPUT_STATS_H
#define CROCPROF_OUTPUT_STATS_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 out_squares_t;

typedef struct {
    const char *name;
    int domain; /* two rows may have one name in different domains */
    uint64_t calls, total, min, max;
    out_squares_t squares;
} out_stat_t;

typedef struct {
    out_stat_t *rows;
    size_t count, room;
    uint32_t *slots; /* hash table by name: index of the row + 1 */
    size_t slot_count;
    uint32_t recent[1024]; /* by address of the name: index of a row that was added, + 1 */
} out_stats_t;

/* Adds one duration under `name`, which must live as long as the collection.
 * 0, or -1 when out of memory. */
int out_stats_add(out_stats_t *s, int domain, const char *name, uint64_t duration);

/* The row of a name; it is made, with no calls, if there is none. The pointer is valid until the
 * next row is made, the row's index until they are sorted. NULL when out of memory. */
out_stat_t *out_stats_row(out_stats_t *s, int domain, const char *name);

static inline void out_stat_add(out_stat_t *row, uint64_t duration)
{
    row->calls++;
    row->total += duration;
    row->squares += (out_squares_t)duration * duration;
    if (duration < row->min) row->min = duration;
    if (duration > row->max) row->max = duration;
}

/* Adds a whole row: it is merged with the row of the same name and domain, if there is one. */
int out_stats_merge(out_stats_t *s, const out_stat_t *row);

/* Sorts by total, the largest first, then by name. Afterwards rows may only be read. */
void out_stats_sort(out_stats_t *s);

out_stat_t out_stats_total(const out_stats_t *s);
void out_stats_free(out_stats_t *s);

double out_stat_mean(const out_stat_t *row);
double out_stat_percent(const out_stat_t *row, uint64_t total);
/* Sample standard deviation, 0 for a single call. */
double out_stat_deviation(const out_stat_t *row);

/* Write numbers as the statistics files have them. */
void out_stat_float(char *text, size_t bytes, double value);
void out_stat_percentage(char *text, size_t bytes, double value);

#endif
