/* domain.h - the kinds of records that have a trace file, statistics and a part in summaries.
 *
 * There is one row per domain, from trace/kinds.def. Names, file names and headers are those of
 * rocprofv3. */
#ifndef CROCPROF_OUTPUT_DOMAIN_H
#define CROCPROF_OUTPUT_DOMAIN_H

#include "output/file.h"
#include "model/model.h"
#include "output/pieces.h"

typedef enum {
#define DOMAIN(id, ...) OUT_##id,
#include "trace/kinds.def"
    OUT_DOMAIN_COUNT
} out_domain_t;

/* A trace file while its rows are written. */
typedef struct {
    out_file_t *f;
    out_model_t *m;
    out_pieces_t pieces;
    out_file_t *memory; /* a file in memory in which texts are prepared */
} out_table_t;

void out_table_free(out_table_t *t); /* does not close the file */

/* The form of a domain's records, for writers that handle all domains. */
typedef enum {
    OUT_CALL,
    OUT_RANGE,  /* like a call, but may be a point in time */
    OUT_EVENT,  /* belongs to no thread: points in time, or periods that may overlap */
    OUT_LAUNCH, /* a kernel, or its counters */
    OUT_COPY,
    OUT_ALLOCATION,
    OUT_SCRATCH,
    OUT_SAMPLE,   /* a sample of a wave's program counter */
    OUT_READINGS, /* samples of counters of a kernel, which has a record of its own */
    OUT_GRAPH,    /* a launch of a graph, which lasts as long as the call */
    OUT_BARRIER   /* a barrier in a queue, between kernels */
} out_shape_t;

typedef struct {
    out_shape_t shape;
    const char *name;     /* in summaries and domain_stats.csv */
    const char *category; /* category of its slices in Perfetto and OTF2 traces */
    uint8_t slices;       /* number of the category in Perfetto's traces; 0: there are no slices */
    const char *trace;    /* end of the file name, without .csv */
    const char *stats;    /* as `trace`; NULL, like `key`, if the domain has no statistics */
    const char *columns;  /* of the trace file, separated by blanks */
    void (*row)(out_table_t *t, const trace_timed_t *r);
    /* Returns the name under which statistics count a record; it lives as long as the model. */
    const char *(*key)(out_model_t *m, const trace_timed_t *r);
    bool by_operation; /* `key` depends on kind and operation alone */
} out_domain_row_t;

extern const out_domain_row_t out_domains[OUT_DOMAIN_COUNT];

/* The domain, plus 1, of a type of records, and of a kind of API records; 0: none. The elements
 * after those for types belong to domains whose records have the type API; they are not used. */
extern const uint8_t out_domain_of_type[TRACE_TYPE_COUNT + OUT_DOMAIN_COUNT];
extern const uint8_t out_domain_of_kind[TRACE_KIND_MAX + 1];

/* Returns true for a point in time: a range without duration, or an event. */
bool out_is_point(out_domain_t domain, const trace_timed_t *r);

/* Writes the first line of the domain's trace file. */
void out_put_header(out_file_t *f, out_domain_t domain);

/* Returns the domain of a record; -1 for meta records and for kinds without a domain. */
static inline int out_domain_of(trace_head_t head)
{
    uint32_t type = trace_type(head);
    return (type == TRACE_API ? out_domain_of_kind[trace_kind(head)] : out_domain_of_type[type]) -
           1;
}

/* The name of every launch of a graph. */
#define OUT_GRAPH_NAME "Graph Execution"

/* Returns the name of a kind; if there is an extended kind, the name of that. */
const char *out_kind_text(const out_model_t *m, uint32_t kind);

#endif
