/* annotate_rows.c - instructions put together by line, block or function, hottest first or in
 * order.
 *
 * Apart from what is shown of them. What is one row is a comparison for each way. */
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

static int by_line(const void *a, const void *b)
{
    const int files = strcmp(item(a)->file, item(b)->file);
    return files ? files : by_number(item(a)->line, item(b)->line);
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

static __thread compare_t part; /* of the sorting that is under way */

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

bool ann_rows_make(ann_rows_t *r, const ann_kernel_t *k, ann_by_t by, ann_sort_t sort)
{
    *r = (ann_rows_t){.items = calloc(k->count + 1, sizeof(*r->items)),
                      .rows = calloc(k->count + 1, sizeof(*r->rows))};
    if (!r->items || !r->rows) {
        ann_rows_free(r);
        return false;
    }
    for (size_t i = 0; i < k->count; i++)
        r->items[i] = &k->items[i];
    part = parts[by];
    if (k->count) qsort(r->items, k->count, sizeof(*r->items), by_part_and_address);
    for (size_t i = 0; i < k->count; i++) {
        if (!i || part(&r->items[i - 1], &r->items[i]) != 0)
            r->rows[r->count++].items = &r->items[i];
        ann_row_t *row = &r->rows[r->count - 1];
        row->count++;
        add(&row->sum, &r->items[i]->counts);
    }
    for (size_t i = 0; i < r->count; i++) {
        r->rows[i].weight = ann_weight(&r->rows[i].sum, k->modelled);
        r->weight += r->rows[i].weight;
    }
    if (sort == ANN_SORT_HOT && r->count) qsort(r->rows, r->count, sizeof(*r->rows), by_weight);
    return true;
}

void ann_rows_free(ann_rows_t *r)
{
    free(r->items);
    free(r->rows);
    *r = (ann_rows_t){0};
}
