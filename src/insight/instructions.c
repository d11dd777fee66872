/* instructions.c - see instructions.h. It reads and sums rows of the store; join.c adds their
 * texts, lines and functions. */
#include "insight/instructions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insight/join.h"
#include "trace/instructions.h"

enum { INS_COUNTS = sizeof(softgpu_instruction_counts_t) / sizeof(uint64_t) };

bool ins_any(const out_model_t *m)
{
    return m->instruction_count > 0;
}

/* ---- rows ---- */

/* Returns a column of a row. A store of another version may have fewer columns, or more. */
static uint64_t column(const trace_table_t *t, uint64_t row, unsigned which)
{
    return which < t->columns ? trace_table_row(t, row)[which] : 0;
}

static void read_row(const trace_table_t *t, uint64_t row, ins_instruction_t *to)
{
    const uint64_t code = column(t, row, TRACE_INSTRUCTION_CODE);
    uint64_t *counts = (uint64_t *)&to->counts;
    memset(to, 0, sizeof(*to));
    to->kernel = column(t, row, TRACE_INSTRUCTION_KERNEL);
    to->object = t->owner;
    to->address = column(t, row, TRACE_INSTRUCTION_ADDRESS);
    to->n_words = (uint32_t)column(t, row, TRACE_INSTRUCTION_WORDS);
    if (to->n_words > 3) to->n_words = 3;
    to->words[0] = (uint32_t)code;
    to->words[1] = (uint32_t)(code >> 32);
    to->words[2] = (uint32_t)column(t, row, TRACE_INSTRUCTION_CODE_END);
    to->group = column(t, row, TRACE_INSTRUCTION_GROUP);
    for (unsigned k = 0; k < INS_COUNTS; k++)
        counts[k] = column(t, row, TRACE_INSTRUCTION_COUNTS + k);
}

static int by_place(const void *a, const void *b)
{
    const ins_instruction_t *x = a, *y = b;
    if (x->kernel != y->kernel) return x->kernel < y->kernel ? -1 : 1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->object != y->object) return x->object < y->object ? -1 : 1;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return memcmp(x->words, y->words, sizeof(x->words));
}

static void add(softgpu_instruction_counts_t *to, const softgpu_instruction_counts_t *from)
{
    for (unsigned k = 0; k < INS_COUNTS; k++)
        ((uint64_t *)to)[k] += ((const uint64_t *)from)[k];
}

/* Sums adjacent rows of the same instruction. */
static void join(ins_set_t *set)
{
    size_t kept = 0;
    if (set->count) qsort(set->items, set->count, sizeof(*set->items), by_place);
    for (size_t i = 0; i < set->count; i++) {
        if (kept && !by_place(&set->items[kept - 1], &set->items[i]))
            add(&set->items[kept - 1].counts, &set->items[i].counts);
        else
            set->items[kept++] = set->items[i];
    }
    set->count = kept;
}

static bool read_rows(const out_model_t *m, ins_set_t *set)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < m->instruction_count; i++)
        rows += m->instructions[i]->rows;
    set->items = calloc(rows + 1, sizeof(*set->items));
    if (!set->items) return false;
    for (size_t i = 0; i < m->instruction_count; i++)
        for (uint64_t row = 0; row < m->instructions[i]->rows; row++)
            read_row(m->instructions[i], row, &set->items[set->count++]);
    join(set);
    return true;
}

/* The last row of kernel 0 says whether all counts were written (trace/instructions.h). Counts of a
 * dispatch are written when it ends, and ins_load() leaves it out if they are not whole. */
bool ins_unfinished(const out_model_t *m)
{
    bool unfinished = false;
    for (size_t i = 0; i < m->counted_kernel_count; i++)
        for (uint64_t row = 0; row < m->counted_kernels[i]->rows; row++)
            if (!column(m->counted_kernels[i], row, TRACE_COUNTED_KERNEL))
                unfinished = !column(m->counted_kernels[i], row, TRACE_COUNTED_DISPATCHES) &&
                             column(m->counted_kernels[i], row, TRACE_COUNTED_BY) !=
                                 TRACE_COUNTED_BY_DISPATCH;
    return unfinished;
}

typedef struct {
    ins_kernel_t of;
    uint64_t told; /* number of rows read before */
} told_t;

static int by_id(const ins_kernel_t *x, const ins_kernel_t *y)
{
    if (x->kernel != y->kernel) return x->kernel < y->kernel ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

static int by_id_and_time(const void *a, const void *b)
{
    const told_t *x = a, *y = b;
    const int ids = by_id(&x->of, &y->of);
    return ids ? ids : (x->told > y->told) - (x->told < y->told);
}

/* Reads the rows of kernels. From the rows of kernel 0, the level and the kind of sums are kept. */
static size_t read_told(const out_model_t *m, ins_set_t *set, told_t *told)
{
    size_t n = 0;
    for (size_t i = 0; i < m->counted_kernel_count; i++) {
        const trace_table_t *t = m->counted_kernels[i];
        for (uint64_t row = 0; row < t->rows; row++) {
            const uint64_t kernel = column(t, row, TRACE_COUNTED_KERNEL);
            if (kernel) {
                told[n] = (told_t){{kernel, column(t, row, TRACE_COUNTED_DISPATCHES),
                                    column(t, row, TRACE_COUNTED_WAVES),
                                    column(t, row, TRACE_COUNTED_LOST),
                                    column(t, row, TRACE_COUNTED_GROUP), ""},
                                   n};
                n++;
            } else {
                set->level = column(t, row, TRACE_COUNTED_LEVEL);
                set->by = column(t, row, TRACE_COUNTED_BY);
            }
        }
    }
    return n;
}

/* Reads the kernels. A kernel's numbers are written again whenever a code object is unloaded: the
 * last row is valid. */
static bool read_kernels(const out_model_t *m, ins_set_t *set)
{
    uint64_t rows = 0;
    for (size_t i = 0; i < m->counted_kernel_count; i++)
        rows += m->counted_kernels[i]->rows;
    told_t *told = calloc(rows + 1, sizeof(*told));
    set->kernels = calloc(rows + 1, sizeof(*set->kernels));
    if (!told || !set->kernels) {
        free(told);
        return false;
    }
    const size_t n = read_told(m, set, told);
    if (n) qsort(told, n, sizeof(*told), by_id_and_time);
    for (size_t k = 0; k < n; k++) {
        if (k + 1 < n && !by_id(&told[k].of, &told[k + 1].of)) continue;
        set->kernels[set->kernel_count++] = told[k].of;
        set->lost += told[k].of.lost;
    }
    free(told);
    return true;
}

/* Leaves out the instructions of dispatches whose end was not recorded, because the process was
 * killed while its rows were being written: the row of a dispatch itself is the last. */
static void leave_out_parts(ins_set_t *set)
{
    size_t kept = 0, k = 0;
    if (set->by != TRACE_COUNTED_BY_DISPATCH) return;
    for (size_t i = 0; i < set->count; i++) {
        const ins_kernel_t of = {.kernel = set->items[i].kernel, .group = set->items[i].group};
        while (k < set->kernel_count && by_id(&set->kernels[k], &of) < 0)
            k++;
        if (k < set->kernel_count && by_id(&set->kernels[k], &of) == 0)
            set->items[kept++] = set->items[i];
    }
    set->count = kept;
}

uint64_t ins_clocks(const softgpu_instruction_counts_t *n)
{
    return n->issue + n->wait_code + n->wait_vector + n->wait_scalar + n->wait_lds +
           n->wait_barrier + n->wait_matrix + n->wait_sleep + n->wait_bandwidth + n->stall_valu +
           n->stall_scalar + n->stall_lds + n->stall_vector;
}

int ins_load(const out_model_t *model, const char *store, ins_set_t *set, char *why,
             size_t why_bytes)
{
    *set = (ins_set_t){0};
    bool good = read_rows(model, set) && read_kernels(model, set);
    if (good) leave_out_parts(set);
    good = good && ins_join(set, model, store);
    if (good) return 0;
    ins_free(set);
    snprintf(why, why_bytes, "%s: %s", store, strerror(ENOMEM));
    return -1;
}

void ins_free(ins_set_t *set)
{
    ins_join_free(set);
    free(set->items);
    free(set->kernels);
    *set = (ins_set_t){0};
}
