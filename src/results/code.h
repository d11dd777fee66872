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

/* Whether a lower number is better, or a higher one, or neither. */
typedef enum { RES_LESS, RES_MORE, RES_NEITHER } res_better_t;

typedef struct {
    const char *name;
    res_measure_t measure;
    res_better_t better;
    bool of_body;  /* known only if the instructions were read */
    bool of_class; /* the number of instructions of one class */
    double (*get)(const code_kernel_t *k);
} res_code_number_t;

extern const res_code_number_t res_code_numbers[];
extern const size_t res_code_number_count;

/* Computes a number; returns false if it is not known for this kernel. */
bool res_code_number(const code_kernel_t *k, const res_code_number_t *number, double *value);

/* Write what limits the occupancy, and what the next step up needs; "" if not known. */
enum { RES_CODE_TEXT_BYTES = 200 };
void res_code_limiter(const code_kernel_t *k, char text[RES_CODE_TEXT_BYTES]);
void res_code_advice(const code_kernel_t *k, char text[RES_CODE_TEXT_BYTES]);

/* Converts the numbers to those of a run, so that budgets are checked in the same way. Returns
 * false without memory. */
bool res_code_values(const code_set_t *set, res_values_t *v);
/* Returns whether a budget's quantity of this name needs the instructions. */
bool res_code_needs_body(const char *name);

/* The selection that is shown. `source` returns the text of a line, "" if it cannot be read. */
typedef struct {
    FILE *f;
    bool details; /* show details of each kernel, not only a line */
    bool lines;   /* show source lines in the details */
    const char *(*source)(void *from, const char *file, uint32_t line);
    void *from;
} res_code_view_t;

/* code_show.c, code_files.c: writers. They return false without memory. */
typedef bool res_code_write_t(const res_code_view_t *view, const code_set_t *set);
res_code_write_t res_code_text, res_code_csv, res_code_json, res_code_html;

/* code_show.c: writes the details of one kernel for a terminal. */
void res_code_details(const res_code_view_t *view, const code_kernel_t *k);

/* code_compare.c: shows the differences between two builds. Returns the exit status. */
int res_code_compare(FILE *f, const code_set_t *before, const code_set_t *after, bool details);

#endif
