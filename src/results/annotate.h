/* annotate.h - what the files of rocprofv3 annotate share: rows of a kernel, rules, texts.
 *
 * A row is a group of instructions, by line, block or function; a rule makes a sentence about a row
 * whose counts show a problem. Only annotate.c, which has the command, reads databases. */
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

/* A kernel and the facts about it. */
typedef struct {
    const char *name, *range; /* `range`: the ROCTx range or dispatch whose counts these are, or
                               * "" */
    const ins_set_t *set;
    const ins_instruction_t *items; /* its instructions, in the set */
    size_t count;
    const ins_kernel_t *counted;
    const ins_code_facts_t *facts; /* may be NULL */
    const char *gpu;
    ins_resources_t resources;
    ins_waves_t waves;
    uint32_t scratch_bytes;
    bool modelled;
} ann_kernel_t;

/* The line to which an instruction is counted: the user's, or its own, which may be in a header. */
typedef enum { ANN_USER_LINES, ANN_HEADER_LINES } ann_lines_t;

/* A row of the output: instructions that are shown together. */
typedef struct {
    const ins_instruction_t **items; /* sorted by address */
    size_t count;
    softgpu_instruction_counts_t sum;
    uint64_t weight;
} ann_row_t;

typedef struct {
    const ins_instruction_t **items; /* all instructions, row by row */
    ann_row_t *rows;
    size_t count;
    uint64_t weight;
} ann_rows_t;

/* annotate_rows.c: makes the rows of a kernel. Returns false without memory. */
bool ann_rows_make(ann_rows_t *r, const ann_kernel_t *k, ann_by_t by, ann_lines_t lines,
                   ann_sort_t sort);
/* Makes the rows beneath a row of the user's lines: one for each function that was inlined `depth`
 * levels below the user's line, most work first. Instructions that are not inlined so deeply are
 * left out. */
bool ann_rows_beneath(ann_rows_t *r, const ann_row_t *row, size_t depth, bool modelled);
/* Returns the source line to which the instruction is counted. */
ins_frame_t ann_place(const ins_instruction_t *i, ann_lines_t lines);
void ann_rows_free(ann_rows_t *r);
/* Returns the work that the counts represent: the model's clocks, or else the sum of issues, cache
 * lines and clocks of LDS. */
uint64_t ann_weight(const softgpu_instruction_counts_t *n, bool modelled);
/* Returns the source function from which the instruction comes: the innermost inlined one. */
const char *ann_function(const ins_instruction_t *i);

/* annotate_rules.c: writes the sentence of the rule whose problem costs most in this row, and sets
 * *where to the instruction with the problem; returns false if no rule applies. `nth` is 0 for the
 * first sentence, 1 for the next one of another kind, and so on. */
enum { ANN_SENTENCE_BYTES = 160 };
bool ann_finding(const ann_kernel_t *k, const ann_row_t *row, unsigned nth,
                 char text[ANN_SENTENCE_BYTES], const ins_instruction_t **where);

/* annotate_show.c: shows a kernel. `source` returns the text of a line, "" if it cannot be read.
 * `limit` is the most rows. */
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
