/* ranks.c - see ranks.h. */
#include "cli/ranks.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/ranks.h"

#define REFUSE(...) (snprintf(why, why_bytes, __VA_ARGS__), -1)

static int read_rank(const char **at, long *rank)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)**at)) return -1;
    *rank = strtol(*at, &end, 10);
    *at = end;
    return errno ? -1 : 0;
}

typedef struct {
    long most; /* highest rank in the list */
    bool has;  /* the wanted rank is in the list */
} found_t;

/* Reads numbers and ranges separated by commas, such as 0-3,8. */
static int read_list(const char *list, long wanted, found_t *found, char *why, size_t why_bytes)
{
    *found = (found_t){.most = -1};
    for (const char *at = list, *word;; at++) {
        long first, last;
        word = at;
        int bad = read_rank(&at, &first);
        last = first;
        if (!bad && *at == '-') {
            at++;
            bad = read_rank(&at, &last);
        }
        if (bad || (*at && *at != ','))
            return REFUSE("--profile-mpi-ranks %s: '%.*s': ranks are numbers from 0 and ranges of "
                          "them, as 0-3,8",
                          list, (int)strcspn(word, ","), word);
        if (first > last)
            return REFUSE("--profile-mpi-ranks %s: %ld-%ld ends before it begins", list, first,
                          last);
        if (last > found->most) found->most = last;
        found->has |= first <= wanted && wanted <= last;
        if (!*at) return 0;
    }
}

int cli_ranks_check(const cli_command_t *c, char *why, size_t why_bytes)
{
    const char *list = c->values[CLI_PROFILE_MPI_RANKS];
    found_t found;
    return list ? read_list(list, -1, &found, why, why_bytes) : 0;
}

int cli_ranks_select(const cli_command_t *c, char *why, size_t why_bytes)
{
    const char *list = c->values[CLI_PROFILE_MPI_RANKS];
    found_t found;
    const char *rank = c->values[CLI_MPI_WORLD_RANK_VARIABLE];
    const char *size = c->values[CLI_MPI_WORLD_SIZE_VARIABLE];
    if (!rank) {
        rank = trace_setting_given(TRACE_SET_MPI_WORLD_RANK_VARIABLE);
        size = trace_setting_given(TRACE_SET_MPI_WORLD_SIZE_VARIABLE);
    }
    trace_rank_t here = trace_rank(rank, size, &trace_environment);
    if (list && read_list(list, here.rank, &found, why, why_bytes) != 0) return -1;
    if (list && here.size >= 0 && found.most >= here.size)
        return REFUSE("--profile-mpi-ranks %s: there is no rank %ld, %s is %ld", list, found.most,
                      here.size_name, here.size);
    if (list && here.rank >= 0 && !found.has) {
        snprintf(why, why_bytes, "rank %ld (%s) is not among %s: not profiled", here.rank,
                 here.rank_name, list);
        return 0;
    }
    if (here.rank >= 0 &&
        ((here.rank_name && trace_setting_set(TRACE_SET_MPI_WORLD_RANK_VARIABLE, here.rank_name)) ||
         (here.size_name && trace_setting_set(TRACE_SET_MPI_WORLD_SIZE_VARIABLE, here.size_name))))
        return REFUSE("setting the environment: %s", strerror(errno));
    return 1;
}
