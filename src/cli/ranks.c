/* ranks.c - see ranks.h. trace/ranks.c reads the launchers' variables and lists of ranks. */
#include "cli/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "trace/ranks.h"

#define REFUSE(...) (snprintf(why, why_bytes, __VA_ARGS__), -1)

int cli_ranks_check(const cli_command_t *c, char *why, size_t why_bytes)
{
    const char *list = c->values[CLI_PROFILE_MPI_RANKS];
    trace_ranks_t found;
    return list ? trace_ranks_read(list, -1, &found, why, why_bytes) : 0;
}

/* Sets the names of the variables for rank and size as if they had been given by options, as AMD's
 * rocprofv3 does, and a variable which says that they were not. */
static int set_variables(const trace_rank_t *here, bool given)
{
    if (here->rank < 0) return 0;
    if (trace_setting_set(TRACE_SET_MPI_WORLD_RANK_VARIABLE, here->rank_name) != 0) return -1;
    if (here->size_name &&
        trace_setting_set(TRACE_SET_MPI_WORLD_SIZE_VARIABLE, here->size_name) != 0)
        return -1;
    return trace_setting_set(TRACE_SET_MPI_VARIABLES_FOUND, given ? "0" : "1");
}

int cli_ranks_select(const cli_command_t *c, char *why, size_t why_bytes)
{
    const char *list = c->values[CLI_PROFILE_MPI_RANKS];
    trace_ranks_t found;
    const char *rank = c->values[CLI_MPI_WORLD_RANK_VARIABLE];
    const char *size = c->values[CLI_MPI_WORLD_SIZE_VARIABLE];
    /* set by another rocprofv3 that runs this one */
    const bool outer = trace_setting_on(TRACE_SET_MPI_VARIABLES_FOUND);
    if (!rank && !outer) {
        rank = trace_setting_given(TRACE_SET_MPI_WORLD_RANK_VARIABLE);
        size = trace_setting_given(TRACE_SET_MPI_WORLD_SIZE_VARIABLE);
    }
    trace_rank_t here = trace_rank(rank, size, &trace_environment);
    if (list && trace_ranks_read(list, here.rank, &found, why, why_bytes) != 0) return -1;
    if (list && here.size >= 0 && found.most >= here.size)
        return REFUSE("--ranks %s: there is no rank %ld, %s is %ld", list, found.most,
                      here.size_name, here.size);
    if (list && here.rank >= 0 && !found.has) {
        snprintf(why, why_bytes, "rank %ld (%s) is not among %s: not profiled", here.rank,
                 here.rank_name, list);
        return 0;
    }
    if (set_variables(&here, rank != NULL) != 0)
        return REFUSE("setting the environment: %s", strerror(errno));
    return 1;
}
