/* fleet.h - the program whose ranks bench_fleet makes, and one rank of it as a trace store.
 *
 * fleet.c has the command line, the folders and the processes that make ranks side by side;
 * fleet_rank.c knows what the program does and when. */
#ifndef CROCPROF_BENCH_FLEET_H
#define CROCPROF_BENCH_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a job is like; every field is an option of bench_fleet. */
typedef struct {
    uint32_t ranks, records, per_node;
    double imbalance;     /* 0.05: ranks take up to 5 % more or less time for a kernel */
    int64_t slow_rank;    /* -1: none */
    double slow;          /* how many times as long its slow kernel takes */
    int64_t late_rank;    /* -1: none */
    double late_ms;       /* how much later it begins */
    int64_t copy_rank;    /* -1: none */
    double copy;          /* how many times as long its copies take */
    int64_t host_rank;    /* -1: none */
    double host_ms;       /* how much longer it computes itself in each step */
    bool mpi;             /* the exchange is calls of MPI */
    double drift_ppm;     /* clocks of nodes run up to so much faster or slower */
    double clock_ms;      /* times of day of nodes differ by up to so much */
    double boots_s;       /* nodes were booted at moments that differ by up to so much */
    uint64_t seed;        /* another seed, other numbers */
    const uint64_t *ends; /* of each step: when the last rank has arrived, fleet_ends() */
} fleet_job_t;

/* Who a rank is. */
typedef struct {
    uint32_t rank, node, local;
    uint32_t pid, parent;
    char host[32], machine[40];
} fleet_rank_t;

fleet_rank_t fleet_rank(const fleet_job_t *job, uint32_t rank);

/* When the last rank arrives at the end of each step; NULL without memory. */
uint64_t *fleet_ends(const fleet_job_t *job);

/* Writes the rank's store into the empty folder `store`, as the tool library does in a process
 * whose outputs go to `directory` and are called `name`. 0, or -1 with a line in `why`. */
int fleet_store(const fleet_job_t *job, const fleet_rank_t *r, const char *store,
                const char *directory, const char *name, char *why, size_t why_bytes);

#endif
