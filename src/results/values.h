/* values.h - everything that is known of a run's kernels as numbers: one row for each kernel and
 * quantity.
 *
 * Budgets, differences, findings and digests all begin here, so that a number has one name, one
 * unit and one class. A new quantity is a row of values.c. */
#ifndef CROCPROF_RESULTS_VALUES_H
#define CROCPROF_RESULTS_VALUES_H

#include "results/run.h"

/* How a number was come by: X(id, name). */
#define RES_CLASSES(X)                                                                             \
    X(EXACT, "exact")               /* follows from what was executed or compiled */               \
    X(CACHE_MODEL, "cache model")   /* of the software GPU */                                      \
    X(TIMING_MODEL, "timing model") /* of the software GPU */                                      \
    X(MEASURED, "measured")         /* by a clock, or by a GPU's own counters */

typedef enum {
#define X(id, name) RES_##id,
    RES_CLASSES(X)
#undef X
        RES_CLASS_COUNT
} res_class_t;

extern const char *const res_class_names[RES_CLASS_COUNT];

/* What a number counts. */
typedef enum { RES_PLAIN, RES_PERCENT, RES_BYTES, RES_TIME } res_measure_t;

typedef struct {
    char *name;          /* as databases show it; the whole if several are shown so */
    char *symbol;        /* what makes it one kernel */
    char *brief;         /* without its arguments */
    const char *label;   /* the shorter one that no other kernel has */
    uint64_t total_ns;   /* of all dispatches */
    double share;        /* of the time of all kernels */
    size_t first, count; /* its values */
} res_subject_t;

typedef struct {
    size_t kernel; /* place in `kernels` */
    char *name;
    res_class_t class_;
    res_measure_t measure;
    bool counter;        /* of --pmc or --instruction-counts: there are many */
    uint64_t dispatches; /* that have one; of "dispatches", processes */
    double total, least, most;
} res_value_t;

typedef struct {
    res_subject_t *kernels; /* by total time, then name */
    size_t kernel_count;
    res_value_t *rows; /* by kernel; what every kernel has first, then counters by name */
    size_t count;
    bool software, model_time;             /* the GPU, and the times of its kernels */
    uint64_t dropped, damaged, names_lost; /* records, bytes and names that are missing */
    uint64_t uncounted; /* dispatches of which counts of instructions are missing */
    char gpu[64];       /* architecture of the first GPU that ran a kernel; "" */
} res_values_t;

/* 0, or -1 with the reason told and nothing to free. */
int res_values(res_run_t *r, res_values_t *v);
void res_values_free(res_values_t *v);

/* Place of the kernel of this name; kernel_count if there is none. */
size_t res_kernel_place(const res_values_t *v, const char *name);

/* A kernel's value of this name, or NULL. */
const res_value_t *res_value_find(const res_values_t *v, size_t kernel, const char *name);

/* Why there is no such value: it was not collected, or nothing is called so. */
void res_value_missing(const res_values_t *v, const char *name, char *text, size_t room);

/* What is lost, as a sentence; "" if nothing is. */
void res_losses_text(const res_values_t *v, char *text, size_t room);

/* The number with its unit, for people: 1,234; 12.5 %; 48 KiB; 1.25 ms. */
enum { RES_SHOWN_BYTES = 48 };
const char *res_shown(double value, res_measure_t measure, char text[RES_SHOWN_BYTES]);

#endif
