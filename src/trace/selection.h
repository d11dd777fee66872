/* selection.h - which counters are collected, and of which dispatches.
 *
 * Both rocprofv3, which refuses malformed texts before the program starts, and the tool library,
 * which applies them, read the texts with these functions. The texts are the values of the
 * variables ROCPROF_COUNTERS, ROCPROF_COUNTER_GROUPS and ROCPROF_KERNEL_FILTER_*. */
#ifndef CROCPROF_TRACE_SELECTION_H
#define CROCPROF_TRACE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/pattern.h"

enum { TRACE_ALL_DEVICES = -1 };

typedef struct {
    char *name;
    int device; /* index among the GPUs, or TRACE_ALL_DEVICES */
} trace_wanted_t;

/* The counters of one pass. */
typedef struct {
    trace_wanted_t *counters;
    size_t count;
} trace_set_t;

typedef struct {
    trace_set_t *sets;
    size_t count;
} trace_sets_t;

/* Reads one set from each line "pmc: NAME NAME:device=N ..."; names are separated by blanks, commas
 * or semicolons, # begins a comment. A name that occurs twice is collected once. Returns 0, or -1
 * with a line in `why`; trace_sets_free() is to be called in both cases. */
int trace_sets_read(trace_sets_t *s, const char *text, char *why, size_t why_bytes);
/* The same for the variable ROCPROF_SPM_COUNTERS, whose lines begin with "spm:" instead. */
int trace_streams_read(trace_sets_t *s, const char *text, char *why, size_t why_bytes);
void trace_sets_free(trace_sets_t *s);

typedef struct {
    uint64_t first, last;
} trace_range_t;

typedef struct {
    trace_pattern_t *include, *exclude; /* NULL: all names */
    trace_range_t *ranges;              /* if there are none, every iteration is selected */
    size_t range_count;
} trace_selection_t;

/* `include` and `exclude` are expressions that match a part of a kernel's name (pattern.h);
 * `ranges` are numbers and pairs of numbers that count iterations from 1, as "[1-3,5]". NULL and ""
 * mean no limit. Returns 0, or -1 with a line in `why` that names the option;
 * trace_selection_free() is to be called in both cases. */
int trace_selection_read(trace_selection_t *s, const char *include, const char *exclude,
                         const char *ranges, char *why, size_t why_bytes);
void trace_selection_free(trace_selection_t *s);

bool trace_selects_kernel(const trace_selection_t *s, const char *name);
bool trace_selects_iteration(const trace_selection_t *s, uint64_t iteration);

/* Returns whether the name `wanted` in a set selects the counter `name`. "all" selects every
 * counter except constants and the two counters that only sum others which were selected directly
 * before them. */
bool trace_wants_counter(const char *wanted, const char *name, bool constant);

/* For a name like TCC_HIT[3], which selects one instance of a counter: returns the expression that
 * computes the value of that instance, which the caller frees. Returns NULL if the name has another
 * form, or when out of memory. */
char *trace_instance_expression(const char *name);

#endif
