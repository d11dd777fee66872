/* code.h - what the files of rocprofv3 code share: the numbers of a kernel's code by name, and the
 * writers.
 *
 * The names are those of CSV columns, of JSON's keys and of the quantities of budgets. A new number
 * is a row of code_values.c. */
#ifndef CROCPROF_RESULTS_CODE_H
#define CROCPROF_RESULTS_CODE_H

#include <stdio.h>

#include "code/kernels.h"
#include "results/values.h"

/* Whether less of it is better, or more, or neither. */
typedef enum { RES_LESS, RES_MORE, RES_NEITHER } res_better_t;

typedef struct {
    const char *name;
    res_measure_t measure;
    res_better_t better;
    bool of_body;  /* known once the instructions were read */
    bool of_class; /* a number of instructions of one class */
    double (*get)(const code_kernel_t *k);
} res_code_number_t;

extern const res_code_number_t res_code_numbers[];
extern const size_t res_code_number_count;

/* False: it is not known of this kernel. */
bool res_code_number(const code_kernel_t *k, const res_code_number_t *number, double *value);

/* What limits the occupancy, and what the next step up needs; "" if not known. */
enum { RES_CODE_TEXT_BYTES = 200 };
void res_code_limiter(const code_kernel_t *k, char text[RES_CODE_TEXT_BYTES]);
void res_code_advice(const code_kernel_t *k, char text[RES_CODE_TEXT_BYTES]);

/* The numbers as those of a run, so that budgets are kept to in the same way. False without memory.
 */
bool res_code_values(const code_set_t *set, res_values_t *v);
/* Whether a budget's quantity of this name needs the instructions. */
bool res_code_needs_body(const char *name);

/* What is shown. `source` finds the text of a line, "" if it cannot be read. */
typedef struct {
    FILE *f;
    bool details; /* of each kernel, and not only a line */
    bool lines;   /* of the source, in the details */
    const char *(*source)(void *from, const char *file, uint32_t line);
    void *from;
} res_code_view_t;

/* code_show.c, code_files.c: writers. False without memory. */
typedef bool res_code_write_t(const res_code_view_t *view, const code_set_t *set);
res_code_write_t res_code_text, res_code_csv, res_code_json, res_code_html;

/* code_show.c: what a terminal shows of one kernel. */
void res_code_details(const res_code_view_t *view, const code_kernel_t *k);

/* code_compare.c: shows what differs between two builds. Returns the exit status. */
int res_code_compare(FILE *f, const code_set_t *before, const code_set_t *after, bool details);

#endif
