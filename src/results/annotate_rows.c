/* annotate_rows.c - groups instructions by line, block or function into rows, hottest first or in
 * order.
 *
 * For each way of grouping there is a comparison: instructions that compare equal form one row. */
#include <stdlib.h>
#include <string.h>

#include "results/annotate.h"

typedef int (*compare_t)(const void *a, const void *b);

static const ins_instruction_t *item(const void *at)
{
    return *(const ins_instruction_t *const *)at;
}

static int by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_address(const void *a, const void *b)
{
    const int objects = by_number(item(a)->object, item(b)->object);
    return objects ? objects : by_number(item(a)->address, item(b)->address);
}

ins_frame_t ann_place(const ins_instruction_t *i, ann_lines_t lines)
{
    return ins_frame(i, lines == ANN_USER_LINES ? i->user_level : 0);
}

static int by_place(const ins_frame_t *a, const ins_frame_t *b)
{
    const int files = strcmp(a->file, b->file);
    return files ? files : by_number(a->line, b->line);
}

static int by_user_line(const void *a, const void *b)
{
    const ins_frame_t x = ann_place(item(a), ANN_USER_LINES),
                      y = ann_place(item(b), ANN_USER_LINES);
    return by_place(&x, &y);
}

static int by_line(const void *a, const void *b)
{
    const ins_frame_t x = ins_frame(item(a), 0), y = ins_frame(item(b), 0);
    return by_place(&x, &y);
}

static __thread size_t below; /* argument of a comparison: number of levels below the user's line */

static int by_inlined(const void *a, const void *b)
{
    const ins_frame_t x = ins_frame(item(a), item(a)->user_level - below),
                      y = ins_frame(item(b), item(b)->user_level - below);
    const int places = by_place(&x, &y);
    return places ? places : strcmp(x.function, y.function);
}

static int by_block(const void *a, const void *b)
{
    const int objects = by_number(item(a)->object, item(b)->object);
    return objects ? objects : by_number(item(a)->block, item(b)->block);
}

const char *ann_function(const ins_instruction_t *i)
{
    return i->inlined_count && *i->inlined[0].function ? i->inlined[0].function : i->function;
}

static int by_function(const void *a, const void *b)
{
    return strcmp(ann_function(item(a)), ann_function(item(b)));
}

/* ORDER: ann_by_t */
static const compare_t parts[] = {by_line, by_address, by_block, by_function};

static __thread compare_t part; /* argument of a comparison: the comparison that forms rows */

static int by_part_and_address(const void *a, const void *b)
{
    const int parts_differ = part(a, b);
    return parts_differ ? parts_differ : by_address(a, b);
}

static int by_weight(const void *a, const void *b)
{
    const ann_row_t *x = a, *y = b;
    const int weights = by_number(y->weight, x->weight);
    return weights ? weights : by_address(x->items, y->items);
}

uint64_t ann_weight(const softgpu_instruction_counts_t *n, bool modelled)
{
    return modelled ? ins_clocks(n) : n->issued + n->lines + n->lds_clocks;
}

static void add(softgpu_instruction_counts_t *to, const softgpu_instruction_counts_t *from)
{
    for (size_t k = 0; k < sizeof(*to) / sizeof(uint64_t); k++)
        ((uint64_t *)to)[k] += ((const uint64_t *)from)[k];
}

static bool make_room(ann_rows_t *r, size_t count)
{
    *r = (ann_rows_t){.items = calloc(count + 1, sizeof(*r->items)),
                      .rows = calloc(count + 1, sizeof(*r->rows))};
    if (r->items && r->rows) return true;
    ann_rows_free(r);
    return false;
}

/* Makes rows of the first `count` items. */
static void group(ann_rows_t *r, size_t count, compare_t how, bool modelled, ann_sort_t sort)
{
    part = how;
    if (count) qsort(r->items, count, sizeof(*r->items), by_part_and_address);
    for (size_t i = 0; i < count; i++) {
        if (!i || part(&r->items[i - 1], &r->items[i]) != 0)
            r->rows[r->count++].items = &r->items[i];
        ann_row_t *row = &r->rows[r->count - 1];
        row->count++;
        add(&row->sum, &r->items[i]->counts);
    }
    for (size_t i = 0; i < r->count; i++) {
        r->rows[i].weight = ann_weight(&r->rows[i].sum, modelled);
        r->weight += r->rows[i].weight;
    }
    if (sort == ANN_SORT_HOT && r->count) qsort(r->rows, r->count, sizeof(*r->rows), by_weight);
}

bool ann_rows_make(ann_rows_t *r, const ann_kernel_t *k, ann_by_t by, ann_lines_t lines,
                   ann_sort_t sort)
{
    if (!make_room(r, k->count)) return false;
    for (size_t i = 0; i < k->count; i++)
        r->items[i] = &k->items[i];
    group(r, k->count, by == ANN_BY_LINE && lines == ANN_USER_LINES ? by_user_line : parts[by],
          k->modelled, sort);
    return true;
}

bool ann_rows_beneath(ann_rows_t *r, const ann_row_t *row, size_t depth, bool modelled)
{
    size_t count = 0;
    if (!make_room(r, row->count)) return false;
    for (size_t i = 0; i < row->count; i++)
        if (row->items[i]->user_level >= depth) r->items[count++] = row->items[i];
    below = depth;
    group(r, count, by_inlined, modelled, ANN_SORT_HOT);
    return true;
}

void ann_rows_free(ann_rows_t *r)
{
    free(r->items);
    free(r->rows);
    *r = (ann_rows_t){0};
}
