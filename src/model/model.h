/* model.h - what is known about one process besides its records: names, agents, kernels, facts.
 *
 * It is loaded from the store's meta segment before any record is read. Its size depends on the
 * program, not on the length of the run. The writers of all formats read it, and none changes
 * it. */
#ifndef CROCPROF_MODEL_MODEL_H
#define CROCPROF_MODEL_MODEL_H

#include <stdbool.h>

#include "model/numbers.h"
#include "trace/mpi.h"
#include "trace/names.h"
#include "trace/format.h"

typedef enum { OUT_AGENT_RELATIVE, OUT_AGENT_ABSOLUTE, OUT_AGENT_TYPE_RELATIVE } out_agent_index_t;

typedef struct {
    const trace_agent_t *record;
    char word[8];   /* Agent, CPU or GPU, */
    int64_t number; /* the number by which outputs refer to the agent */
    char label[32]; /* word and number, with a blank between them */
    char tag[32];   /* word and number, with a hyphen between them */
    /* tables of the parts of which the agent has several (caches, links and so on), one table for
     * each kind of part */
    const trace_table_t **parts;
    size_t part_count;
} out_agent_t;
/* Returns whether the times of the agent's kernels come from softgpu's model of time. */
bool out_agent_models_time(const out_agent_t *a);

typedef struct {
    const trace_kernel_t *record;
    char *name; /* in the form that the user has chosen */
} out_kernel_t;

typedef struct {
    const trace_host_function_t *record;
    char *name; /* name of its kernel, in that form */
} out_host_function_t;

typedef struct {
    const char **names;       /* by kind, TRACE_KIND_MAX + 1 of them */
    const char ***operations; /* by kind, then operation; a kind's row is NULL until needed */
} out_kinds_t;

typedef struct {
    trace_segment_header_t header;
    uint64_t cut;        /* bytes of the meta segment that could not be read */
    out_agent_t *agents; /* sorted by node id */
    size_t agent_count;
    out_kernel_t *kernels; /* sorted by kernel id */
    size_t kernel_count;
    out_host_function_t *host_functions; /* sorted by id */
    size_t host_function_count;
    const trace_code_object_t **code_objects;
    size_t code_object_count;
    const trace_counter_t **counters; /* sorted by id */
    size_t counter_count;
    const trace_dimension_t **dimensions; /* of counters, in the order of the store */
    size_t dimension_count;
    const trace_table_t **instances; /* of counters */
    size_t instance_count;
    const trace_table_t **instructions, **counted_kernels; /* trace/instructions.h */
    size_t instruction_count, counted_kernel_count;
    out_numbers_t threads; /* by thread id: index of the record with the thread's name */
    const char **texts;    /* by number; there are text_room of them; NULL: no text has the
                            * number */
    size_t text_room;
    out_kinds_t kinds, callback_kinds;
    const trace_signature_t ***signatures; /* by kind, then operation */
    const char **variables;                /* of the environment, each as NAME=VALUE */
    size_t variable_count;
    struct out_code *code;  /* instructions of the code objects: code.h */
    trace_head_t **records; /* all records; all pointers above point into them */
    size_t record_count, record_room;
} out_model_t;

/* Loads the model of a store. NULL, with a line in `why`, if the meta segment cannot be read at
 * all. */
out_model_t *out_model_load(const char *store, trace_names_t names, out_agent_index_t index,
                            char *why, size_t why_bytes);
void out_model_free(out_model_t *m);

/* These never return NULL: for an unknown number they return "" or a text with the number, which
 * the thread's next call may overwrite. Names of operations and kernels last as long as the model.
 * Any thread may call them. */
const char *out_model_info(const out_model_t *m, const char *key);
const char *out_model_kind(const out_model_t *m, uint32_t kind);
const char *out_model_operation(out_model_t *m, uint32_t kind, uint32_t operation);
const char *out_model_agent(const out_model_t *m, uint64_t id);
/* Returns the agent; NULL if the id is unknown. */
const out_agent_t *out_model_find_agent(const out_model_t *m, uint64_t id);
/* Returns "CPU", "GPU" or "UNK". */
const char *out_agent_type(const out_agent_t *a);
/* Returns the name of a thread; NULL if it has none. */
const char *out_model_thread(const out_model_t *m, uint32_t tid);

/* Iterates over the arguments of a call. */
typedef struct {
    const char *type, *name, *value; /* of the current argument */
    const char *values, *end;
    const trace_signature_t *signature;
    uint64_t count, next;
    trace_mpi_values_t mpi; /* used for a call of MPI, whose values are numbers */
} out_arguments_t;

/* Returns an iterator that stands before the first argument. `count` is the number of arguments,
 * except for a call of MPI. The iteration must be carried through to its end. */
out_arguments_t out_model_arguments(const out_model_t *m, const trace_timed_t *call);
/* Goes to the next argument; returns false at the end. */
bool out_arguments_next(out_arguments_t *a);
/* Returns the value of the next argument alone, for callers that know its type and name; NULL at
 * the end. It must not be mixed with out_arguments_next(). */
const char *out_arguments_value(out_arguments_t *a);

/* Returns the text of a marker; NULL for a number that is not known. */
const char *out_model_text(const out_model_t *m, uint64_t number);
const char *out_model_counter(const out_model_t *m, uint64_t id);
const out_kernel_t *out_model_kernel(const out_model_t *m, uint64_t id);

/* Returns the value of an agent's field, 0 if the store is older than the field. */
uint64_t out_agent_value(const out_agent_t *a, unsigned field);

#endif
