/* fleet.c - bench_fleet: makes what a job of many ranks leaves, without the job: a store or a
 * database of each rank.
 *
 * Stores are written by the tool library's writer and databases by rocprofv3's conversion, so that
 * what reads them cannot tell them from those of a real job. Ranks are made side by side by as many
 * processes as there are CPUs. */
#include "fleet.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/convert.h"
#include "trace/run.h"
#include "trace/store.h"

enum { WORKERS_MOST = 64 };

typedef struct {
    fleet_job_t job;
    const char *directory;
    bool stores, databases; /* what is made; both is possible */
    bool flat;              /* all files in one folder */
    uint32_t workers;
} fleet_t;

/* ---- one rank ---- */

static const char *variable(const void *from, const char *name)
{
    (void)from;
    return strcmp(name, "ROCPROF_OUTPUT_FORMAT") == 0 ? "rocpd" : NULL;
}

static int convert(const char *store, char *why, size_t why_bytes)
{
    out_config_t config;
    out_result_t result;
    out_conversion_t c = {.config = &config, .threads = 1};
    int status = out_config_read(&config, variable, NULL, why, why_bytes);
    if (status == 0) status = out_convert(&c, store, &result, why, why_bytes);
    out_conversion_free(&c);
    out_config_free(&config);
    return status;
}

/* Makes the folder of a store in that of its run. */
static int make_store(const char *run, const char *store, char *why, size_t why_bytes)
{
    if (trace_make_directories(store) == 0 && trace_run_write(run) == 0) return 0;
    snprintf(why, why_bytes, "%s: %s", store, strerror(errno));
    return -1;
}

static int make_rank(const fleet_t *f, uint32_t rank)
{
    char directory[PATH_MAX], name[32], run[PATH_MAX + 64], store[PATH_MAX + 96];
    char why[PATH_MAX + 512] = "";
    const fleet_rank_t r = fleet_rank(&f->job, rank);
    if (f->flat) {
        snprintf(directory, sizeof(directory), "%s", f->directory);
        snprintf(name, sizeof(name), "rank-%06u", rank);
    } else {
        trace_join(directory, sizeof(directory), f->directory, r.host);
        snprintf(name, sizeof(name), "%u", r.pid);
    }
    snprintf(run, sizeof(run), "%s/%s/%u-0", directory, TRACE_RUNS_DIRECTORY, r.parent);
    snprintf(store, sizeof(store), "%s/%u-0", run, r.pid);
    int result = make_store(run, store, why, sizeof(why));
    if (result == 0) result = fleet_store(&f->job, &r, store, directory, name, why, sizeof(why));
    if (result == 0 && f->databases) result = convert(store, why, sizeof(why));
    if (!f->stores) trace_remove(store);
    if (result != 0) fprintf(stderr, "bench_fleet: rank %u: %s\n", rank, why);
    return result;
}

/* Removes the folders of stores that are not kept; those of other ranks are not empty yet. */
static void remove_runs(const fleet_t *f)
{
    for (uint32_t rank = 0; rank < f->job.ranks; rank += f->flat ? f->job.ranks : f->job.per_node) {
        char path[PATH_MAX];
        const fleet_rank_t r = fleet_rank(&f->job, rank);
        snprintf(path, sizeof(path), "%s/%s%s%s", f->directory, f->flat ? "" : r.host,
                 f->flat ? "" : "/", TRACE_RUNS_DIRECTORY);
        trace_remove(path);
    }
}

/* ---- all ranks ---- */

/* The ranks of one process: every workers'th. */
static int work(const fleet_t *f, uint32_t worker)
{
    int result = 0;
    for (uint32_t rank = worker; result == 0 && rank < f->job.ranks; rank += f->workers)
        result = make_rank(f, rank);
    return result;
}

static int make_all(const fleet_t *f)
{
    pid_t children[WORKERS_MOST];
    uint32_t count = 0;
    int result = 0;
    for (; count < f->workers; count++) {
        children[count] = fork();
        if (children[count] == 0) _exit(work(f, count) == 0 ? 0 : 1);
        if (children[count] < 0) {
            fprintf(stderr, "bench_fleet: fork: %s\n", strerror(errno));
            result = -1;
            break;
        }
    }
    while (count) {
        int status;
        if (waitpid(children[--count], &status, 0) < 0 || status != 0) result = -1;
    }
    if (!f->stores) remove_runs(f);
    return result;
}

/* ---- the command line ---- */

static const struct argp_option options[] = {
    {"ranks", 'r', "N", 0, "ranks of the job (default 64)", 0},
    {"records", 'n', "N", 0, "records of each rank (default 10000)", 0},
    {"per-node", 'p', "N", 0, "ranks of each node (default 8)", 0},
    {"make", 'm', "WHAT", 0, "databases (default), stores or both", 0},
    {"flat", 'f', NULL, 0,
     "all files in DIR, named rank-NNNNNN; else in a folder for each node, named after the process",
     0},
    {"imbalance", 'i', "PERCENT", 0,
     "a rank takes up to so much more or less time for a kernel (default 3)", 0},
    {"slow-rank", 's', "RANK[:TIMES]", 0,
     "the kernel 'forces' takes so many times as long there (1.3)", 0},
    {"late-rank", 'l', "RANK[:MS]", 0, "this rank begins so many milliseconds later (80)", 0},
    {"slow-copy", 'C', "RANK[:TIMES]", 0, "copies take so many times as long there (8)", 0},
    {"slow-host", 'H', "RANK[:MS]", 0,
     "this rank computes so many milliseconds longer by itself in each step (0.4)", 0},
    {"mpi", 'M', NULL, 0, "the exchange is calls of MPI, which are records, too", 0},
    {"drift", 'd', "PPM", 0, "clocks of nodes run up to so much faster or slower (default 0)", 0},
    {"clocks", 'c', "MS", 0, "times of day of nodes differ by up to so much (default 0)", 0},
    {"boots", 'b', "SECONDS", 0,
     "nodes were booted at moments that differ by up to so much (default 0)", 0},
    {"seed", 'S', "N", 0, "other numbers for another seed (default 1)", 0},
    {"workers", 'w', "N", 0, "processes that make ranks (default: one for each CPU)", 0},
    {0}};

static double number(struct argp_state *state, int key, const char *word, double least, double most)
{
    char *end;
    const double value = strtod(word, &end);
    if (end == word || *end || !(value >= least && value <= most))
        argp_error(state, "-%c %s: a number from %g to %g is expected", key, word, least, most);
    return value;
}

/* Reads RANK[:VALUE]. */
static int64_t rank_and(struct argp_state *state, int key, const char *word, double *value)
{
    char *end;
    const long rank = strtol(word, &end, 10);
    if (end == word || rank < 0 || (*end && *end != ':'))
        argp_error(state, "-%c %s: RANK or RANK:VALUE is expected", key, word);
    if (*end) *value = number(state, key, end + 1, 0, 1e9);
    return rank;
}

static error_t take(int key, char *word, struct argp_state *state)
{
    fleet_t *f = state->input;
    fleet_job_t *j = &f->job;
    switch (key) {
    case 'r': j->ranks = (uint32_t)number(state, key, word, 1, 1 << 20); return 0;
    case 'n': j->records = (uint32_t)number(state, key, word, 0, 1 << 28); return 0;
    case 'p': j->per_node = (uint32_t)number(state, key, word, 1, 1024); return 0;
    case 'w': f->workers = (uint32_t)number(state, key, word, 1, WORKERS_MOST); return 0;
    case 'm':
        f->stores = strcmp(word, "stores") == 0 || strcmp(word, "both") == 0;
        f->databases = strcmp(word, "databases") == 0 || strcmp(word, "both") == 0;
        if (!f->stores && !f->databases)
            argp_error(state, "-m %s: databases, stores or both is expected", word);
        return 0;
    case 'f': f->flat = true; return 0;
    case 'i': j->imbalance = number(state, key, word, 0, 90) / 100; return 0;
    case 's': j->slow_rank = rank_and(state, key, word, &j->slow); return 0;
    case 'l': j->late_rank = rank_and(state, key, word, &j->late_ms); return 0;
    case 'C': j->copy_rank = rank_and(state, key, word, &j->copy); return 0;
    case 'H': j->host_rank = rank_and(state, key, word, &j->host_ms); return 0;
    case 'M': j->mpi = true; return 0;
    case 'd': j->drift_ppm = number(state, key, word, 0, 1e5); return 0;
    case 'c': j->clock_ms = number(state, key, word, 0, 1e7); return 0;
    case 'b': j->boots_s = number(state, key, word, 0, 800000); return 0;
    case 'S': j->seed = (uint64_t)number(state, key, word, 0, 1e15); return 0;
    case ARGP_KEY_ARG:
        if (f->directory) argp_usage(state);
        f->directory = word;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_usage(state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const char help[] =
    "Makes what a job of many ranks leaves in DIR: a database of each rank, a store, or both."
    "\vThe job is a program of molecular dynamics on MI250X under srun. A step has six launches "
    "and "
    "kernels, a copy to the host, a wait for it, and ranges of ROCTx around the step and around an "
    "exchange that ends when the last rank has arrived: 17 records. With --mpi the exchange is a "
    "message to each neighbour in a ring and an MPI_Allreduce: 23 records, and two for the whole "
    "rank. What is left of a rank's records are short calls before the first step.";

int main(int argc, char **argv)
{
    static const struct argp command = {options, take, "DIR", help, NULL, NULL, NULL};
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    fleet_t f = {.job = {.ranks = 64,
                         .records = 10000,
                         .per_node = 8,
                         .imbalance = 0.03,
                         .slow_rank = -1,
                         .slow = 1.3,
                         .late_rank = -1,
                         .late_ms = 80,
                         .copy_rank = -1,
                         .copy = 8,
                         .host_rank = -1,
                         .host_ms = 0.4,
                         .seed = 1},
                 .databases = true,
                 .workers = cpus < 1              ? 1
                            : cpus > WORKERS_MOST ? WORKERS_MOST
                                                  : (uint32_t)cpus};
    if (argp_parse(&command, argc, argv, 0, NULL, &f) != 0) return 1;
    char *whole = trace_make_directories(f.directory) == 0 ? realpath(f.directory, NULL) : NULL;
    uint64_t *ends = whole ? fleet_ends(&f.job) : NULL;
    if (!ends) {
        fprintf(stderr, "bench_fleet: %s: %s\n", f.directory, strerror(errno));
        return 1;
    }
    f.directory = whole; /* a store names its directory by its whole path */
    f.job.ends = ends;
    const int result = make_all(&f);
    free(ends);
    free(whole);
    return result == 0 ? 0 : 1;
}
