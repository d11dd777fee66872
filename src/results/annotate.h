/* annotate.h - what rocprofv3 annotate shows, between its files: rows of a kernel, rules, texts.
 *
 * Rows are instructions put together by what was asked for; rules say a sentence of those whose
 * counts allow it; nothing here knows of databases but the file of the command. */
#ifndef CROCPROF_RESULTS_ANNOTATE_H
#define CROCPROF_RESULTS_ANNOTATE_H

#include <stdio.h>

#include "insight/frames.h"
#include "insight/occupancy.h"

typedef enum {
    ANN_BY_LINE,
    ANN_BY_INSTRUCTION,
    ANN_BY_BLOCK,
    ANN_BY_FUNCTION,
    ANN_BY_AUTO
} ann_by_t;
typedef enum { ANN_SORT_HOT, ANN_SORT_ORDER, ANN_SORT_AUTO } ann_sort_t;

/* A kernel, and what is known of it. */
typedef struct {
    const char *name, *range; /* range: "" or what its counts are kept apart by */
    const ins_set_t *set;
    const ins_instruction_t *items; /* in the set */
    size_t count;
    const ins_kernel_t *counted;
    const ins_code_facts_t *facts; /* may be NULL */
    const char *gpu;
    ins_resources_t resources;
    uint32_t scratch_bytes;
    bool modelled;
} ann_kernel_t;

/* Whose line an instruction is put to: the user's, or its own, in whatever header. */
typedef enum { ANN_USER_LINES, ANN_HEADER_LINES } ann_lines_t;

/* What is put together to one row. */
typedef struct {
    const ins_instruction_t **items; /* by address */
    size_t count;
    softgpu_instruction_counts_t sum;
    uint64_t weight;
} ann_row_t;

typedef struct {
    const ins_instruction_t **items; /* all, by row */
    ann_row_t *rows;
    size_t count;
    uint64_t weight;
} ann_rows_t;

/* annotate_rows.c. False without memory. */
bool ann_rows_make(ann_rows_t *r, const ann_kernel_t *k, ann_by_t by, ann_lines_t lines,
                   ann_sort_t sort);
/* What stands beneath a row of the user's lines: what of it was inlined `depth` levels below the
 * user's place, most work first. Instructions that are not so deep are left out. */
bool ann_rows_beneath(ann_rows_t *r, const ann_row_t *row, size_t depth, bool modelled);
/* The place that the instruction is put to. */
ins_frame_t ann_place(const ins_instruction_t *i, ann_lines_t lines);
void ann_rows_free(ann_rows_t *r);
/* How much of the kernel's work it is: the model's clocks, or else issues, lines of memory and
 * clocks of LDS together. */
uint64_t ann_weight(const softgpu_instruction_counts_t *n, bool modelled);
/* The function that it comes from in the source: the innermost that was inlined. */
const char *ann_function(const ins_instruction_t *i);

/* annotate_rules.c: the sentence of the rule that costs most here, and where; false: none applies.
 * `nth`: 0 for the first, 1 for the next one of another kind, and so on. */
enum { ANN_SENTENCE_BYTES = 160 };
bool ann_finding(const ann_kernel_t *k, const ann_row_t *row, unsigned nth,
                 char text[ANN_SENTENCE_BYTES], const ins_instruction_t **where);

/* annotate_show.c: the whole of a kernel. `source` finds the text of a line, "" if it is not to be
 * had. `limit`: rows at most. */
typedef struct {
    FILE *f;
    bool colour, isa;
    ann_lines_t lines;
    ann_by_t by;
    ann_sort_t sort;
    uint64_t limit;
    const char *(*source)(void *from, const char *file, uint32_t line);
    void *from;
} ann_view_t;
bool ann_show(const ann_view_t *v, const ann_kernel_t *k);

#endif
