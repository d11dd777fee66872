/* selection.h - which counters are collected, and of which dispatches.
 *
 * rocprofv3, which refuses bad texts before the program starts, and the tool library, which follows
 * them, both use this. The texts are the values of the variables ROCPROF_COUNTERS,
 * ROCPROF_COUNTER_GROUPS and ROCPROF_KERNEL_FILTER_*. */
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

/* Counters of one pass. */
typedef struct {
    trace_wanted_t *counters;
    size_t count;
} trace_set_t;

typedef struct {
    trace_set_t *sets;
    size_t count;
} trace_sets_t;

/* Reads one set from each line "pmc: NAME NAME:device=N ..."; names are separated by blanks, commas
 * or semicolons, # begins a comment. A name that comes twice counts once. 0, or -1 with a line in
 * `why`. Free with trace_sets_free either way. */
int trace_sets_read(trace_sets_t *s, const char *text, char *why, size_t why_bytes);
/* The same for the variable ROCPROF_SPM_COUNTERS, whose lines begin with spm: instead. */
int trace_streams_read(trace_sets_t *s, const char *text, char *why, size_t why_bytes);
void trace_sets_free(trace_sets_t *s);

typedef struct {
    uint64_t first, last;
} trace_range_t;

typedef struct {
    trace_pattern_t *include, *exclude; /* NULL: no limit */
    trace_range_t *ranges;              /* none: every iteration */
    size_t range_count;
} trace_selection_t;

/* `include` and `exclude` are expressions that match a part of a kernel's name (pattern.h);
 * `ranges` are numbers and pairs of numbers, as "[1-3,5]", from 1. NULL and "" mean no limit. 0, or
 * -1 with a line in `why` that names the option. Free with trace_selection_free either way. */
int trace_selection_read(trace_selection_t *s, const char *include, const char *exclude,
                         const char *ranges, char *why, size_t why_bytes);
void trace_selection_free(trace_selection_t *s);

bool trace_selects_kernel(const trace_selection_t *s, const char *name);
bool trace_selects_iteration(const trace_selection_t *s, uint64_t iteration);

/* Whether a set's name `wanted` names the counter. "all" names every counter except constants and
 * the two counters that only add up others that were asked for just before them. */
bool trace_wants_counter(const char *wanted, const char *name, bool constant);

/* For a name like TCC_HIT[3], which is one instance of a counter: the expression that computes it,
 * which the caller frees. NULL: the name is not of that kind, or out of memory. */
char *trace_instance_expression(const char *name);

#endif
