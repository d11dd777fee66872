/* model.h - a report's model of a run: structures that the reader (read.c) fills in and the writer
 * (pack.c) writes.
 *
 * Reader and writer do not use each other. Names are numbers of one list of texts; arrays grow; if
 * an allocation fails, `failed` is set. */
#ifndef CROCPROF_REPORT_MODEL_H
#define CROCPROF_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/grow.h"
#include "model/numbers.h"
#include "model/sum.h"

/* An array of T that grows. */
#define REP_ARRAY(T)                                                                               \
    struct {                                                                                       \
        T *rows;                                                                                   \
        size_t count, room;                                                                        \
    }

/* Returns the next row of an array, which is zeroed; NULL when out of memory. */
#define REP_NEXT(array)                                                                            \
    (BASE_GROW((array)->rows, (array)->count, &(array)->room)                                      \
         ? memset(&(array)->rows[(array)->count++], 0, sizeof(*(array)->rows))                     \
         : NULL)

typedef REP_ARRAY(uint64_t) rep_list_t;

/* ---- names ---- */

typedef struct {
    REP_ARRAY(char *) texts;
    out_numbers_t by_text;    /* by hash: number of the first text with the hash, plus one */
    REP_ARRAY(uint32_t) next; /* by text: number of the next one with the same hash, plus one */
} rep_names_t;

/* Returns the number of the text; 0 for "", and also when out of memory: then *failed is set. */
uint32_t rep_name(rep_names_t *n, const char *text, bool *failed);

/* ---- processes, agents, kernels ---- */

typedef enum { REP_TIME_MEASURED, REP_TIME_HOST, REP_TIME_MODEL } rep_time_t;

typedef struct {
    char guid[64];
    uint64_t pid;
    uint32_t command, host, system;
    uint64_t begin, end; /* of the process */
    uint64_t dispatches;
    uint64_t dropped;  /* number of records and names that were lost */
    uint64_t moment;   /* added to the time of a record this gives the time of day, in ns; 0: not
                        * known */
    uint32_t runtimes; /* paths of the GPU runtimes */
    uint32_t settings; /* JSON, as in the database */
    bool soft;         /* the GPU is softgpu */
    bool counted;      /* the process has counters */
    bool pass;         /* only its counters are used */
    rep_time_t time;   /* the clock of its kernels' times */
} rep_process_t;

typedef struct {
    uint32_t process;
    uint64_t id;
    uint32_t type, name, product, model, facts; /* `facts`: JSON, as in the database */
    rep_time_t time;
} rep_agent_t;

/* A way in which a kernel was launched: its sizes. */
typedef struct {
    uint32_t kernel, agent;
    uint32_t grid[3], group[3];
    uint64_t lds, scratch;
    uint32_t vgprs, agprs, sgprs;
    uint32_t wave; /* work-items of a wave; 0: not known */
    bool whole_wgp;
    sum_t time;
} rep_launch_t;

typedef struct {
    uint32_t name, symbol; /* `name`: for display; no other kernel has it */
    sum_t time;
    rep_list_t durations;
    sum_t counted; /* sum over processes with counters only */
} rep_kernel_t;

typedef struct {
    uint32_t name, description, block, expression, gfx;
    bool soft;
} rep_counter_t;

/* Values of a counter of a kernel. The value of a dispatch is the sum over the counter's
 * instances. */
typedef struct {
    uint32_t kernel, counter;
    sum_real_t sum;
} rep_value_t;

/* X(kind of records that are summed by name, key in the page's data) */
#define REP_SUMS(X)                                                                                \
    X(CALLS, "calls")                                                                              \
    X(COPIES, "copies")                                                                            \
    X(MEMORY, "memory") /* allocations and releases */

typedef enum {
#define X(id, name) REP_SUM_##id,
    REP_SUMS(X)
#undef X
        REP_SUM_COUNT
} rep_sums_t;

/* Sums over the records of one name. */
typedef struct {
    uint32_t name, category;
    sum_t time;
    uint64_t bytes;
} rep_sum_t;

/* An instruction of a kernel, with counts summed over processes. */
enum { REP_COUNTS_MAX = 96 };
typedef struct {
    uint32_t kernel, text, function;
    uint32_t file, line;         /* the user's line, into which the instruction may have been
                                  * inlined */
    uint32_t own_file, own_line; /* its own line, which may be in a header */
    uint32_t depth;              /* number of loops around it */
    uint64_t address;
    uint64_t counts[REP_COUNTS_MAX]; /* ORDER: names in the run's `counts` */
} rep_instruction_t;

typedef struct {
    uint32_t path, text;
} rep_source_t;

typedef struct {
    uint32_t rule, title, subject, kernel, text, advice, more;
    uint32_t kind; /* class of its numbers */
    double weight;
} rep_finding_t;

typedef enum { REP_HOST, REP_QUEUE, REP_COPIES, REP_MEMORY } rep_track_kind_t;

typedef struct {
    rep_track_kind_t kind;
    uint32_t process, name, agent;
    uint64_t id;
} rep_track_t;

typedef struct {
    uint64_t start, end;
    uint64_t extra;                 /* index of a kernel's launch; bytes of a copy or an
                                     * allocation */
    uint32_t track, name, category; /* `category`: category of a call; stream of a kernel or a
                                     * copy */
    uint32_t link;                  /* index of the event that launched it, plus one */
    uint16_t lane;
} rep_event_t;

/* The time of a kernel in a rank. */
typedef struct {
    uint32_t kernel;
    uint64_t calls, total;
} rep_rank_kernel_t;

/* A process of a job, with the numbers that a picture of all processes shows. Times are on the
 * job's common clock. */
typedef struct {
    int64_t rank; /* -1: not known */
    uint64_t pid;
    uint32_t host, gpu, file;
    bool shown;    /* the timeline has its records */
    bool unclosed; /* the process did not end in order */
    int64_t first, last;
    uint64_t kernel_ns, copy_ns, busy_ns, wait_ns, launches, bytes, dropped;
    unsigned shift;    /* bins are 2^shift ns long */
    int64_t bin_first; /* begin of the first bin */
    size_t bins;
    uint8_t *parts; /* for each bin: part with kernels, with copies, waiting; number of the kernel
                     * that takes most time */
    REP_ARRAY(uint32_t) numbers; /* the kernels, indexed by their numbers in `parts` */
    REP_ARRAY(rep_rank_kernel_t) kernels;
} rep_rank_t;

/* A database that was left out, and the reason (res_absence_words). */
typedef struct {
    uint32_t file, why;
} rep_absent_t;

/* Messages from a group of ranks to another (finding_waits.c). */
typedef struct {
    uint64_t sender, receiver, messages, bytes; /* `sender`, `receiver`: the first rank of each
                                                 * group */
} rep_talk_t;

/* The ranks of a job; if there are none, the run is not a job of several. */
typedef struct {
    REP_ARRAY(rep_rank_t) rows;
    REP_ARRAY(rep_absent_t) absents;
    rep_list_t missing; /* ranks of the job without data */
    REP_ARRAY(rep_talk_t) talk;
    uint64_t talk_ranks; /* number of ranks in a group */
    uint64_t size;       /* number of ranks of the job; 0: not known */
    uint64_t records;
    size_t slowest;    /* index in `rows` */
    bool waits;        /* it is known when ranks wait for others */
    bool many;         /* the timeline has only some of them; tables have the sums of all */
    const char *clock; /* how the worst of their clocks is known: res_clock_words */
    uint64_t clock_error_ns;
} rep_ranks_t;

typedef struct {
    const char *label;
    rep_ranks_t ranks;
    REP_ARRAY(char *) files;  /* paths of the databases */
    REP_ARRAY(char *) traces; /* ORDER: files. The pftrace in the same folder, or "" */
    REP_ARRAY(rep_process_t) processes;
    REP_ARRAY(rep_agent_t) agents;
    REP_ARRAY(rep_kernel_t) kernels;
    REP_ARRAY(rep_launch_t) launches;
    REP_ARRAY(rep_counter_t) counters;
    REP_ARRAY(rep_value_t) values;
    REP_ARRAY(rep_sum_t) sums[REP_SUM_COUNT];
    REP_ARRAY(rep_track_t) tracks;
    REP_ARRAY(rep_event_t) events;
    uint32_t counts[REP_COUNTS_MAX]; /* names of the counts of instructions */
    size_t count_names;
    REP_ARRAY(rep_instruction_t) instructions;
    REP_ARRAY(rep_source_t) sources;
    REP_ARRAY(rep_finding_t) findings;
    rep_list_t kernel_spans, copy_spans; /* begin and end of each, in turn */
    out_numbers_t numbers;               /* index of each row plus one, by its key */
    uint64_t begin, end;                 /* begin of the first record, end of the last */
    uint64_t window_end;                 /* the timeline has the records that began before this
                                          * time */
    uint64_t records;                    /* number of all records, in the timeline or not */
    bool failed;                         /* out of memory */
} rep_run_t;

/* Kinds of keys of `numbers`, for out_numbers_key(). */
typedef enum {
    REP_KEY_KERNEL = 1,
    REP_KEY_LAUNCH,
    REP_KEY_COUNTER,
    REP_KEY_VALUE,
    REP_KEY_SUM,
    REP_KEY_RANK_SUM,
    REP_KEY_TRACK,
    REP_KEY_INSTRUCTION
} rep_key_t;

/* Returns the kernel of the symbol, which is made if it is new. The symbol identifies it; several
 * kernels may have the same displayed name. */
rep_kernel_t *rep_kernel(rep_run_t *r, uint32_t symbol, uint32_t name);
void rep_run_free(rep_run_t *r);
void rep_names_free(rep_names_t *n);

/* Returns the time covered by at least one of the spans, which it sorts. */
uint64_t rep_covered(rep_list_t *spans);

/* Returns the duration that `percent` of the sorted durations do not exceed. */
uint64_t rep_percentile(const rep_list_t *sorted, unsigned percent);
void rep_sort(rep_list_t *list);

#endif
