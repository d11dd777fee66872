/* sum.h - the one summation over records: count, total, least, most and deviation of their numbers.
 *
 * Numbers are added one by one, in constant memory and as exact integers: the sums of parts (of
 * threads, processes, ranks), merged in any order, equal the sum of the whole, bit by bit. Only
 * mean, share and deviation are floating-point numbers. Statistics files, rocpd's summaries,
 * findings and the report's page all print these sums. */
#ifndef CROCPROF_MODEL_SUM_H
#define CROCPROF_MODEL_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 sum_total_t;
__extension__ typedef unsigned __int128 sum_squares_t;

/* The sum of no numbers is all zero. */
typedef struct {
    uint64_t count;
    int64_t least, most;
    sum_total_t total;
    sum_squares_t squares;
} sum_t;

static inline void sum_add(sum_t *s, int64_t number)
{
    if (!s->count) s->least = s->most = number;
    if (number < s->least) s->least = number;
    if (number > s->most) s->most = number;
    s->count++;
    s->total += number;
    s->squares += (sum_squares_t)((sum_total_t)number * number);
}

/* Returns the total, or the nearest number that fits. */
static inline int64_t sum_total(const sum_t *s)
{
    return s->total > INT64_MAX ? INT64_MAX : s->total < INT64_MIN ? INT64_MIN : (int64_t)s->total;
}

/* Adds the numbers of another sum. */
void sum_merge(sum_t *s, const sum_t *part);

double sum_mean(const sum_t *s); /* 0 if there are no numbers */
/* Returns the sample standard deviation, with n - 1; 0 for a single number. */
double sum_deviation(const sum_t *s);
/* Returns the part's share of the whole, from 0 to 1; 0 if the whole is 0. */
double sum_share(const sum_t *part, const sum_t *whole);
/* Returns the share as a percentage, which is rounded only once and may differ in the last bit from
 * 100 times the share, which rocprofv3's statistics print; rocpd's summaries print this
 * percentage. */
double sum_percent(const sum_t *part, const sum_t *whole);

/* ---- numbers with fractions, such as values of counters ----
 *
 * The last bits of their total depend on the order in which they were added. */

typedef struct {
    uint64_t count;
    double total, least, most;
} sum_real_t;

static inline void sum_real_add(sum_real_t *s, double number)
{
    if (!s->count) s->least = s->most = number;
    if (number < s->least) s->least = number;
    if (number > s->most) s->most = number;
    s->count++;
    s->total += number;
}

/* ---- by name ---- */

typedef struct {
    sum_t sum;
    const char *name;
    int group;   /* two rows may have the same name in different groups */
    bool copied; /* the collection owns the name */
} sum_row_t;

typedef struct {
    sum_row_t *rows;
    size_t count, room;
    uint32_t *slots; /* hash table by name: index of the row + 1 */
    size_t slot_count;
    uint32_t recent[1024]; /* by address of the name: index + 1 of a row that was added recently */
} sums_t;

/* Returns the row of a name, which must live as long as the collection; if there is no row, an
 * empty one is made. The pointer is valid until the next row is made, the row's index until the
 * rows are sorted. Returns NULL when out of memory. */
sum_row_t *sums_row(sums_t *s, int group, const char *name);
/* The same for a name that need not outlive the call. */
sum_row_t *sums_row_copied(sums_t *s, int group, const char *name);

/* Adds a number under a name, which must live as long as the collection. Returns 0, or -1 when out
 * of memory. */
int sums_add(sums_t *s, int group, const char *name, int64_t number);

/* Merges a sum into that of such a name. Returns 0, or -1 when out of memory. */
int sums_merge(sums_t *s, int group, const char *name, const sum_t *part);

/* Sorts the rows by total, the largest first, then by name. Afterwards rows may only be read. */
void sums_sort(sums_t *s);

sum_t sums_whole(const sums_t *s);
void sums_free(sums_t *s);

#endif
