/* ranks.c - see ranks.h. A new launcher is a row. */
#include "trace/ranks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which AMD's rocprofv3 looks; those that it does not know come last. */
static const struct {
    const char *rank, *size;
} launchers[] = {
    {"PBS_NODENUM", "PBS_O_TASKNUM"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
    {"PMI_RANK", "PMI_SIZE"}, /* MPICH, Intel MPI */
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MPI_RANKID", "MPI_NRANKS"},
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"MPI_RANK", "MPI_SIZE"},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    {"PMIX_RANK", NULL}, /* PMIx tells the size by a call only */
};

enum { LAUNCHER_COUNT = sizeof(launchers) / sizeof(*launchers) };

/* A whole number that is not negative, or -1. */
static long number_in(const char *text)
{
    char *end;
    if (!text || !*text || strspn(text, "0123456789") != strlen(text)) return -1;
    long value = strtol(text, &end, 10);
    return *end ? -1 : value;
}

static trace_rank_t read_rank(const char *rank, const char *size, const char *(*env)(const char *))
{
    return (trace_rank_t){.rank_name = rank,
                          .size_name = size,
                          .rank = rank ? number_in(env(rank)) : -1,
                          .size = size ? number_in(env(size)) : -1};
}

trace_rank_t trace_rank(const char *rank, const char *size, const char *(*env)(const char *name))
{
    if (rank && *rank) return read_rank(rank, size, env);
    for (int whole = 1; whole >= 0; whole--)
        for (int i = 0; i < LAUNCHER_COUNT; i++) {
            trace_rank_t found = read_rank(launchers[i].rank, launchers[i].size, env);
            if (found.rank >= 0 && (found.size >= 0 || !whole)) return found;
        }
    return (trace_rank_t){.rank = -1, .size = -1};
}
