/* ranks.c - see ranks.h. A new launcher is a row. */
#include "trace/ranks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Slurm is the first row: it counts the tasks of a job step, whatever the tasks start. The rows
 * behind it are in the order in which AMD's rocprofv3 looks for them; launchers that AMD's does not
 * know are the last rows. */
enum { SLURM };
static const struct {
    const char *rank, *size;
} launchers[] = {
    [SLURM] = {"SLURM_PROCID", "SLURM_NTASKS"},
    {"PBS_NODENUM", "PBS_O_TASKNUM"},
    {"PMI_RANK", "PMI_SIZE"}, /* MPICH, Intel MPI */
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MPI_RANKID", "MPI_NRANKS"},
    {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"MPI_RANK", "MPI_SIZE"},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE"},
    {"PMIX_RANK", NULL}, /* a process learns the size from PMIx by a call only */
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

static long number_of(const trace_variables_t *v, const char *name)
{
    return name ? number_in(v->value(v->from, name)) : -1;
}

static trace_rank_t read_rank(const char *rank, const char *size, const trace_variables_t *v)
{
    return (trace_rank_t){.rank_name = rank,
                          .size_name = size,
                          .rank = number_of(v, rank),
                          .size = number_of(v, size)};
}

/* Slurm's rank. If Slurm does not say the size, it comes from another launcher. */
static trace_rank_t of_slurm(const trace_variables_t *v)
{
    trace_rank_t found = read_rank(launchers[SLURM].rank, launchers[SLURM].size, v);
    for (int i = 0; found.rank >= 0 && found.size < 0 && i < LAUNCHER_COUNT; i++) {
        const trace_rank_t other = read_rank(launchers[i].rank, launchers[i].size, v);
        if (other.rank < 0 || other.size < 0) continue;
        found.size = other.size;
        found.size_name = other.size_name;
    }
    return found;
}

trace_rank_t trace_rank(const char *rank, const char *size, const trace_variables_t *v)
{
    if (rank && *rank) return read_rank(rank, size, v);
    const trace_rank_t slurm = of_slurm(v);
    if (slurm.rank >= 0) return slurm;
    for (int whole = 1; whole >= 0; whole--)
        for (int i = 0; i < LAUNCHER_COUNT; i++) {
            trace_rank_t found = read_rank(launchers[i].rank, launchers[i].size, v);
            if (found.rank >= 0 && (found.size >= 0 || !whole)) return found;
        }
    return (trace_rank_t){.rank = -1, .size = -1};
}

trace_rank_t trace_rank_told(const trace_variables_t *v)
{
    return trace_rank(trace_setting_given_in(v, TRACE_SET_MPI_WORLD_RANK_VARIABLE),
                      trace_setting_given_in(v, TRACE_SET_MPI_WORLD_SIZE_VARIABLE), v);
}
