/* ranks.c - see ranks.h. A new launcher is a row, a new fact of all launchers a column.
 *
 * The names of the variables come from the manuals of the launchers: Open MPI, MVAPICH, MPICH and
 * Intel MPI (Hydra), PMIx, Flux, Slurm, PBS, LSF, PyTorch's torchrun, Kubernetes' indexed jobs. */
#include "trace/ranks.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ORDER: from the innermost launcher to the outermost. An inner launcher is started by an outer
 * one, whose variables its processes inherit: mpirun in a batch script of Slurm finds the rank 0 of
 * that script. Launchers of MPI are inside of schedulers, and torchrun is inside of both. */
static const struct {
    const char *launcher;
    const char *rank, *size; /* NULL: the launcher sets no such variable */
    const char *local_rank, *local_size, *node, *job;
    bool generic; /* programs other than this launcher set these variables, too: they count only if
                   * rank and size are both set */
} launchers[] = {
    {.launcher = "torchrun",
     .rank = "RANK",
     .size = "WORLD_SIZE",
     .local_rank = "LOCAL_RANK",
     .local_size = "LOCAL_WORLD_SIZE",
     .node = "GROUP_RANK",
     .job = "TORCHELASTIC_RUN_ID",
     .generic = true},
    {.launcher = "Open MPI",
     .rank = "OMPI_COMM_WORLD_RANK",
     .size = "OMPI_COMM_WORLD_SIZE",
     .local_rank = "OMPI_COMM_WORLD_LOCAL_RANK",
     .local_size = "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {.launcher = "MVAPICH",
     .rank = "MV2_COMM_WORLD_RANK",
     .size = "MV2_COMM_WORLD_SIZE",
     .local_rank = "MV2_COMM_WORLD_LOCAL_RANK",
     .local_size = "MV2_COMM_WORLD_LOCAL_SIZE"},
    {.launcher = "MPICH",
     .rank = "PMI_RANK",
     .size = "PMI_SIZE",
     .local_rank = "MPI_LOCALRANKID",
     .local_size = "MPI_LOCALNRANKS"},
    /* a process can get the size from PMIx only by a call, not from a variable */
    {.launcher = "PMIx", .rank = "PMIX_RANK"},
    {.launcher = "MPI", .rank = "MPI_RANKID", .size = "MPI_NRANKS"},
    {.launcher = "MPI", .rank = "MPI_RANK", .size = "MPI_SIZE"},
    {.launcher = "Flux",
     .rank = "FLUX_TASK_RANK",
     .size = "FLUX_JOB_SIZE",
     .local_rank = "FLUX_TASK_LOCAL_ID",
     .job = "FLUX_JOB_ID"},
    {.launcher = "Slurm",
     .rank = "SLURM_PROCID",
     .size = "SLURM_NTASKS",
     .local_rank = "SLURM_LOCALID",
     .node = "SLURM_NODEID",
     .job = "SLURM_JOB_ID"},
    {.launcher = "PBS", .rank = "PBS_NODENUM", .size = "PBS_O_TASKNUM", .job = "PBS_JOBID"},
    {.launcher = "LSF", .job = "LSB_JOBID"},
    {.launcher = "MPI", .rank = "MPI_LOCALRANKID", .size = "MPI_LOCALNRANKS"},
    {.launcher = "Kubernetes", .rank = "JOB_COMPLETION_INDEX"},
};

enum { LAUNCHER_COUNT = sizeof(launchers) / sizeof(*launchers) };

static const trace_rank_t nothing = {
    .rank = -1, .size = -1, .local_rank = -1, .local_size = -1, .node = -1};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads a number; *at moves behind its digits. Returns -1 if there are none, or if the number is
 * larger than `most`. */
static long read_number(const char **at, long most)
{
    long value = 0;
    if (!is_digit(**at)) return -1;
    for (; is_digit(**at); ++*at) {
        const int digit = **at - '0';
        value = value < 0 || value > (most - digit) / 10 ? -1 : 10 * value + digit;
    }
    return value;
}

/* Reads a text that is a whole number; -1 if it is none. */
static long number_in(const char *text)
{
    if (!text) return -1;
    const long value = read_number(&text, LONG_MAX);
    return *text ? -1 : value;
}

static long number_of(const trace_variables_t *v, const char *name)
{
    return name ? number_in(v->value(v->from, name)) : -1;
}

/* Reads the rank and the size that the launcher has set. With `whole`, both must be set, unless the
 * launcher has no variable for the size. */
static bool read_launcher(int i, bool whole, const trace_variables_t *v, trace_rank_t *found)
{
    const long rank = number_of(v, launchers[i].rank), size = number_of(v, launchers[i].size);
    if (rank < 0 || (size < 0 && whole && launchers[i].size)) return false;
    if (launchers[i].generic && rank >= size) return false;
    *found = nothing;
    found->launcher = launchers[i].launcher;
    found->rank_name = launchers[i].rank;
    found->size_name = launchers[i].size;
    found->rank = rank;
    found->size = size;
    return true;
}

static void fill_in(long *fact, const trace_variables_t *v, const char *name)
{
    if (*fact < 0) *fact = number_of(v, name);
}

/* Adds the facts that are still missing from the launchers that give the process the same rank,
 * from launcher `first` outwards. */
static void add_facts(trace_rank_t *r, int first, const trace_variables_t *v)
{
    for (int i = first; r->rank >= 0 && i < LAUNCHER_COUNT; i++) {
        if (number_of(v, launchers[i].rank) != r->rank) continue;
        if (r->size < 0 && number_of(v, launchers[i].size) > r->rank) {
            r->size = number_of(v, launchers[i].size);
            r->size_name = launchers[i].size;
        }
        fill_in(&r->local_rank, v, launchers[i].local_rank);
        fill_in(&r->local_size, v, launchers[i].local_size);
        fill_in(&r->node, v, launchers[i].node);
    }
}

/* torchrun sets the id "none" for a job to which the user gave no id. */
static void add_job(trace_rank_t *r, const trace_variables_t *v)
{
    for (int i = LAUNCHER_COUNT - 1; i >= 0 && !r->job; i--) {
        const char *id = launchers[i].job ? v->value(v->from, launchers[i].job) : NULL;
        if (id && *id && strcmp(id, "none") != 0) r->job = id;
    }
}

static trace_rank_t of_launchers(const trace_variables_t *v)
{
    trace_rank_t found = nothing;
    for (int whole = 1; whole >= 0; whole--)
        for (int i = 0; i < LAUNCHER_COUNT; i++)
            if (read_launcher(i, whole, v, &found)) {
                add_facts(&found, i, v);
                return found;
            }
    return found;
}

trace_rank_t trace_rank(const char *rank, const char *size, const trace_variables_t *v)
{
    trace_rank_t found = nothing;
    if (rank && *rank) {
        found.rank_name = rank;
        found.size_name = size;
        found.rank = number_of(v, rank);
        found.size = number_of(v, size);
    } else {
        found = of_launchers(v);
    }
    add_job(&found, v);
    return found;
}

trace_rank_t trace_rank_told(const trace_variables_t *v)
{
    /* rocprofv3 has found these names in the environment of the launcher that started it; a
     * launcher that rocprofv3 has started in its turn is an inner one, so its variables come
     * first */
    if (trace_setting_on_in(v, TRACE_SET_MPI_VARIABLES_FOUND)) return trace_rank(NULL, NULL, v);
    return trace_rank(trace_setting_given_in(v, TRACE_SET_MPI_WORLD_RANK_VARIABLE),
                      trace_setting_given_in(v, TRACE_SET_MPI_WORLD_SIZE_VARIABLE), v);
}

static void put_number(void (*put)(const char *, const char *), const char *name, long number)
{
    char text[24];
    snprintf(text, sizeof(text), "%ld", number);
    if (number >= 0) put(name, text);
}

void trace_rank_each(const trace_rank_t *r, void (*put)(const char *name, const char *value))
{
#define PUT_TEXT(name, value)                                                                      \
    if (value) put(name, value);
#define PUT_NUMBER(name, value) put_number(put, name, value);
#define X(name, form, member)   PUT_##form(name, r->member)
    TRACE_RANK_FACTS(X)
#undef X
}

/* ---- lists of ranks ---- */

#define EVERY "every:"

trace_list_t trace_ranks_find(const char *list, long wanted, trace_ranks_t *found,
                              const char **wrong)
{
    *found = (trace_ranks_t){.most = -1, .least = LONG_MAX};
    for (const char *at = list;; at++) {
        *wrong = at;
        const char *end = at + strcspn(at, ",");
        const bool every = strncmp(at, EVERY, sizeof(EVERY) - 1) == 0;
        if (every) at += sizeof(EVERY) - 1;
        const long first = read_number(&at, INT_MAX);
        long last = first;
        if (!every && *at == '-') {
            at++;
            last = read_number(&at, INT_MAX);
        }
        if (first < 0 || last < 0 || at != end) return TRACE_LIST_NO_RANKS;
        if (every && first == 0) return TRACE_LIST_NO_STEP;
        if (first > last) return TRACE_LIST_BACKWARDS;
        if (!every && last > found->most) found->most = last;
        if (every || first < found->least) found->least = every ? 0 : first;
        if (wanted >= 0)
            found->has |= every ? wanted % first == 0 : first <= wanted && wanted <= last;
        if (!*at) return TRACE_LIST_RIGHT;
    }
}

#define REFUSE(...) (snprintf(why, why_bytes, "--ranks %s: " __VA_ARGS__), -1)

int trace_ranks_read(const char *list, long wanted, trace_ranks_t *found, char *why,
                     size_t why_bytes)
{
    const char *word;
    const trace_list_t result = trace_ranks_find(list, wanted, found, &word);
    const int bytes = result == TRACE_LIST_RIGHT ? 0 : (int)strcspn(word, ",");
    switch (result) {
    case TRACE_LIST_RIGHT: break;
    case TRACE_LIST_NO_RANKS:
        return REFUSE("'%.*s': ranks are numbers from 0 to %d, ranges of them and every:N, as "
                      "0-3,8,every:16",
                      list, bytes, word, INT_MAX);
    case TRACE_LIST_NO_STEP: return REFUSE("'%.*s': the least step is 1", list, bytes, word);
    case TRACE_LIST_BACKWARDS: return REFUSE("%.*s ends before it begins", list, bytes, word);
    }
    return 0;
}

bool trace_rank_left_out(const trace_variables_t *v)
{
    char why[256];
    trace_ranks_t listed;
    const char *list = trace_setting_given_in(v, TRACE_SET_PROFILE_MPI_RANKS);
    if (!list) return false;
    const long rank = trace_rank_told(v).rank;
    return rank >= 0 && trace_ranks_read(list, rank, &listed, why, sizeof(why)) == 0 && !listed.has;
}
