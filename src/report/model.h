/* model.h - what a report knows of a run: structures that the reader (read.c) fills in and the
 * writer (pack.c) writes.
 *
 * Reader and writer use nothing of each other. Names are numbers of one list of texts; arrays grow;
 * if an allocation fails, `failed` is set.
 * */
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

/* The next row of an array, zeroed; NULL when out of memory. */
#define REP_NEXT(array)                                                                            \
    (BASE_GROW((array)->rows, (array)->count, &(array)->room)                                      \
         ? memset(&(array)->rows[(array)->count++], 0, sizeof(*(array)->rows))                     \
         : NULL)

typedef REP_ARRAY(uint64_t) rep_list_t;

/* ---- names ---- */

typedef struct {
    REP_ARRAY(char *) texts;
    out_numbers_t by_text;    /* by hash: number of the first text with it, plus one */
    REP_ARRAY(uint32_t) next; /* by text: number of the next one with the same hash, plus one */
} rep_names_t;

/* Number of the text; 0 for "", and also when out of memory: then *failed is set. */
uint32_t rep_name(rep_names_t *n, const char *text, bool *failed);

/* ---- what there is ---- */

typedef enum { REP_TIME_MEASURED, REP_TIME_HOST, REP_TIME_MODEL } rep_time_t;

typedef struct {
    char guid[64];
    uint64_t pid;
    uint32_t command, host, system;
    uint64_t begin, end; /* of the process */
    uint64_t dispatches;
    uint64_t dropped; /* records and names that were lost */
    uint64_t moment;  /* to be added to times of records to get the time of day, ns; 0: not known */
    uint32_t runtimes; /* files of the GPU runtimes */
    uint32_t settings; /* JSON, as the database has it */
    bool soft;         /* the GPU is softgpu */
    bool counted;      /* it has counters */
    bool pass;         /* only its counters are used */
    rep_time_t time;   /* which clock its kernels' times are on */
} rep_process_t;

typedef struct {
    uint32_t process;
    uint64_t id;
    uint32_t type, name, product, model, facts; /* facts: JSON, as the database has it */
    rep_time_t time;
} rep_agent_t;

/* One way in which a kernel was launched. */
typedef struct {
    uint32_t kernel, agent;
    uint32_t grid[3], group[3];
    uint64_t lds, scratch;
    uint32_t vgprs, agprs, sgprs;
    sum_t time;
} rep_launch_t;

typedef struct {
    uint32_t name, symbol; /* name: for people; no other kernel has it */
    sum_t time;
    rep_list_t durations;
    sum_t counted; /* only in processes with counters */
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

/* X(what is summed up by name, key in the page's data) */
#define REP_SUMS(X)                                                                                \
    X(CALLS, "calls")                                                                              \
    X(COPIES, "copies")                                                                            \
    X(MEMORY, "memory") /* allocations and what frees them */

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

/* An instruction of a kernel, with counts added up over processes. */
enum { REP_COUNTS_MAX = 96 };
typedef struct {
    uint32_t kernel, text, function;
    uint32_t file, line;         /* the user's line, into which it may have been inlined */
    uint32_t own_file, own_line; /* its own line, which may be in a header */
    uint32_t depth;              /* loops around it */
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
    uint64_t extra;                 /* launch of a kernel; bytes of a copy or an allocation */
    uint32_t track, name, category; /* category: of a call; of a kernel and a copy its stream */
    uint32_t link;                  /* index of the event that launched it, plus one */
    uint16_t lane;
} rep_event_t;

/* What a kernel took in a rank. */
typedef struct {
    uint32_t kernel;
    uint64_t calls, total;
} rep_rank_kernel_t;

/* A process of a job, with what a picture of all of them shows of it. Times are those of the job:
 * they can be compared. */
typedef struct {
    int64_t rank; /* -1: not known */
    uint64_t pid;
    uint32_t host, gpu, file;
    bool shown;    /* the timeline has its records */
    bool unclosed; /* it did not end in order */
    int64_t first, last;
    uint64_t kernel_ns, copy_ns, busy_ns, wait_ns, launches, bytes, dropped;
    unsigned shift;    /* bins of 2^shift ns */
    int64_t bin_first; /* when the first of them begins */
    size_t bins;
    uint8_t
        *parts; /* of the bins: with kernels, with copies, waiting; the kernels that fill most */
    REP_ARRAY(uint32_t) numbers; /* the kernels, by their numbers in `parts` */
    REP_ARRAY(rep_rank_kernel_t) kernels;
} rep_rank_t;

/* A database that was left out, and why (res_absence_words). */
typedef struct {
    uint32_t file, why;
} rep_absent_t;

/* Messages from some ranks to others (finding_waits.c). */
typedef struct {
    uint64_t sender, receiver, messages, bytes; /* the first rank of each group */
} rep_talk_t;

/* The ranks of a job; without any, the run is no job of several. */
typedef struct {
    REP_ARRAY(rep_rank_t) rows;
    REP_ARRAY(rep_absent_t) absents;
    rep_list_t missing; /* ranks that there should be */
    REP_ARRAY(rep_talk_t) talk;
    uint64_t talk_ranks; /* ranks of a group */
    uint64_t size;       /* how many there should be; 0: not known */
    uint64_t records;
    size_t slowest;    /* its number among `rows` */
    bool waits;        /* it is known when ranks wait for others */
    bool many;         /* the timeline has some of them; tables have the sums of all */
    const char *clock; /* how the worst of their clocks is known: res_clock_words */
    uint64_t clock_error_ns;
} rep_ranks_t;

typedef struct {
    const char *label;
    rep_ranks_t ranks;
    REP_ARRAY(char *) files;  /* databases */
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
    rep_list_t kernel_spans, copy_spans; /* begin and end of each, one after the other */
    out_numbers_t numbers;               /* index of each thing plus one, by its key */
    uint64_t begin, end;                 /* of the first record; of the last */
    uint64_t window_end;                 /* the timeline has the records that began before this */
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

/* The kernel of the symbol, made if it is new. Its symbol identifies it; names that are shown may
 * be the same for several. */
rep_kernel_t *rep_kernel(rep_run_t *r, uint32_t symbol, uint32_t name);
void rep_run_free(rep_run_t *r);
void rep_names_free(rep_names_t *n);

/* Time covered by at least one of the spans; sorts them. */
uint64_t rep_covered(rep_list_t *spans);

/* The duration that `percent` of the sorted durations do not exceed. */
uint64_t rep_percentile(const rep_list_t *sorted, unsigned percent);
void rep_sort(rep_list_t *list);

#endif
