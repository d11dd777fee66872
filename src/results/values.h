/* values.h - all numbers about a run's kernels: one row for each kernel and quantity.
 *
 * Budgets, differences, findings and digests all use these, so that a number has the same name,
 * unit and class everywhere. A new quantity is a row of values.c. */
#ifndef CROCPROF_RESULTS_VALUES_H
#define CROCPROF_RESULTS_VALUES_H

#include "results/run.h"
#include "results/units.h"

/* How a number was obtained: X(id, name). */
#define RES_CLASSES(X)                                                                             \
    X(EXACT, "exact")               /* follows from the execution or the code */                   \
    X(CACHE_MODEL, "cache model")   /* of the software GPU */                                      \
    X(TIMING_MODEL, "timing model") /* of the software GPU */                                      \
    X(MEASURED, "measured")         /* by a clock, or by a real GPU's counters */

typedef enum {
#define X(id, name) RES_##id,
    RES_CLASSES(X)
#undef X
        RES_CLASS_COUNT
} res_class_t;

extern const char *const res_class_names[RES_CLASS_COUNT];

typedef struct {
    char *name;          /* as in databases; the whole name if several are shown the same */
    char *symbol;        /* kernels with the same symbol are one kernel */
    char *brief;         /* without its arguments */
    const char *label;   /* `brief` if no other kernel has it, else `name` */
    uint64_t total_ns;   /* total of all dispatches */
    double share;        /* share of the time of all kernels */
    size_t first, count; /* its values in `rows` */
} res_subject_t;

typedef struct {
    size_t kernel; /* index in `kernels` */
    char *name;
    res_class_t class_;
    res_measure_t measure;
    bool counter;        /* it is a counter of --pmc or a count of --instruction-counts */
    uint64_t dispatches; /* how many dispatches have the value; for the value "dispatches": number
                          * of processes */
    double total, least, most;
} res_value_t;

typedef struct {
    res_subject_t *kernels; /* sorted by total time, then name */
    size_t kernel_count;
    res_value_t *rows; /* sorted by kernel; first the quantities that every kernel has, then
                        * counters by name */
    size_t count;
    bool software, model_time; /* the GPU is softgpu; times of kernels come from its model */
    uint64_t dropped, damaged, names_lost; /* number of records, bytes and names that are missing */
    uint64_t uncounted; /* number of dispatches without complete counts of instructions */
    char gpu[64];       /* architecture of the first GPU that ran a kernel; or "" */
    char unread[96];    /* of code that was not run: why instructions could not be read; or "" */
} res_values_t;

/* Reads the values of the run. Returns 0, or -1 after reporting the reason, and then there is
 * nothing to free. */
int res_values(res_run_t *r, res_values_t *v);
void res_values_free(res_values_t *v);

/* Returns the index of the kernel of this name; kernel_count if there is none. */
size_t res_kernel_place(const res_values_t *v, const char *name);

/* Returns a kernel's value of this name, or NULL. */
const res_value_t *res_value_find(const res_values_t *v, size_t kernel, const char *name);

/* Writes why there is no such value: it was not collected, or there is no quantity of this name. */
void res_value_missing(const res_values_t *v, const char *name, char *text, size_t room);

/* Writes a sentence about the records that the run has lost; "" if none are lost. */
void res_losses_text(const res_values_t *v, char *text, size_t room);

#endif
