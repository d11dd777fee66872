/* tree.c - see tree.h: the tree, and the division of the inputs among the ranks. Sums are sent as
 * messages of MPI, here, or as files in the folder of the output, in tree_files.c. */
#include "rocpd/tree.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "mpi/messages.h"
#include "rocpd/rows.h"
#include "rocpd/sum_up.h"
#include "rocpd/tree_files.h"
#include "trace/keys.h"
#include "trace/ranks.h"

/* ---- ways to send sums ---- */

typedef struct {
    const char *name;
    /* Sets rank and size. Returns 0, or -1 after reporting the reason. */
    int (*begin)(rocpd_tree_t *t, const rocpd_options_t *o);
    /* Sends bytes to another rank. Returns 0, or -1 after reporting the reason. */
    int (*send)(rocpd_tree_t *t, long to, const char *bytes, size_t count);
    /* Returns the bytes from another rank, to be freed; NULL after reporting the reason. */
    char *(*receive)(rocpd_tree_t *t, long from, size_t *count);
    void (*end)(rocpd_tree_t *t);
} way_t;

struct rocpd_tree {
    const way_t *way;
    const char *output; /* or NULL */
    long rank, size;
    long share, shares; /* this rank's share of inputs that several ranks find */
    rocpd_tree_files_t files;
};

static int begin_mpi(rocpd_tree_t *t, const rocpd_options_t *o)
{
    (void)o;
    return mpi_messages_begin(trace_rank_told(&trace_environment).size, &t->rank, &t->size);
}

static int send_mpi(rocpd_tree_t *t, long to, const char *bytes, size_t count)
{
    (void)t;
    return mpi_messages_send(to, bytes, count);
}

static char *receive_mpi(rocpd_tree_t *t, long from, size_t *count)
{
    (void)t;
    return mpi_messages_receive(from, count);
}

static void end_mpi(rocpd_tree_t *t)
{
    (void)t;
    mpi_messages_end();
}

static int begin_files(rocpd_tree_t *t, const rocpd_options_t *o)
{
    const trace_rank_t here = trace_rank_told(&trace_environment);
    if (here.rank < 0 || here.size <= here.rank) {
        base_error("--tree files: no launcher tells rank and size (srun, mpirun, flux run: see "
                   "rocprofv3 --help, --mpi-world-rank-variable)");
        return -1;
    }
    t->rank = here.rank;
    t->size = here.size;
    return rocpd_tree_files_begin(&t->files, o, &here);
}

static int send_file(rocpd_tree_t *t, long to, const char *bytes, size_t count)
{
    (void)to; /* the receiver finds the file by the sender's rank */
    return rocpd_tree_files_send(&t->files, t->rank, bytes, count);
}

static char *receive_file(rocpd_tree_t *t, long from, size_t *count)
{
    return rocpd_tree_files_receive(&t->files, from, count);
}

static void end_nothing(rocpd_tree_t *t)
{
    (void)t;
}

static const way_t ways[] = {
    {"mpi", begin_mpi, send_mpi, receive_mpi, end_mpi},
    {"files", begin_files, send_file, receive_file, end_nothing},
};

static int find_shares(rocpd_tree_t *t, const rocpd_options_t *o)
{
    const trace_rank_t here = trace_rank_told(&trace_environment);
    t->share = t->rank;
    t->shares = t->size;
    if (!rocpd_given(o, ROCPD_NODE_LOCAL)) return 0;
    if (here.local_rank < 0 || here.local_rank >= here.local_size) {
        base_error("--node-local: the launcher does not tell the rank among those of the node, and "
                   "how many there are; -i with %%rank%% in it needs neither");
        return -1;
    }
    t->share = here.local_rank;
    t->shares = here.local_size;
    return 0;
}

rocpd_tree_t *rocpd_tree_begin(const rocpd_options_t *o)
{
    const char *name = rocpd_word(o, ROCPD_TREE, "");
    rocpd_tree_t *t = calloc(1, sizeof(*t));
    if (!t) {
        base_error("--tree %s: %s", name, strerror(ENOMEM));
        return NULL;
    }
    t->output = rocpd_word(o, ROCPD_OUTPUT, NULL);
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        if (strcmp(name, ways[i].name) == 0) t->way = &ways[i];
    if (t->way->begin(t, o) != 0) {
        free(t);
        return NULL;
    }
    if (find_shares(t, o) == 0) return t;
    rocpd_tree_end(t);
    return NULL;
}

void rocpd_tree_end(rocpd_tree_t *t)
{
    t->way->end(t);
    free(t);
}

/* ---- inputs ---- */

/* Finds the files for one word of --input. */
static int find_word(const char *word, rocpd_files_t *found)
{
    rocpd_options_t one = {.command = ROCPD_REDUCE};
    one.values[ROCPD_INPUT].words = &word;
    one.values[ROCPD_INPUT].count = 1;
    return rocpd_files_find(found, &one);
}

/* Returns whether the file is a part that another rank is writing, or the output of an earlier run:
 * both may match a wildcard. */
static bool is_output(const rocpd_tree_t *t, const char *path)
{
    const char *name = base_last_part(path);
    if (!t->output) return false;
    return strcmp(name, base_last_part(t->output)) == 0 ||
           (*t->files.name && base_begins_with(name, base_last_part(t->files.name)));
}

static int keep(const rocpd_tree_t *t, rocpd_files_t *found, bool shared, rocpd_files_t *own)
{
    long number = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (is_output(t, found->paths[i])) continue;
        if (shared && number++ % t->shares != t->share) continue;
        if (rocpd_files_add(own, found->paths[i]) != 0) return -1;
    }
    return 0;
}

static int add_word(const rocpd_tree_t *t, const trace_keys_t *keys, const char *word,
                    rocpd_files_t *own, uint64_t *absent)
{
    char path[PATH_MAX], why[512];
    rocpd_files_t found = {0};
    if (trace_keys_expand(keys, word, path, sizeof(path), why, sizeof(why)) != 0) {
        base_error("--input %s: %s", word, why);
        return -1;
    }
    /* if the word contains the rank, each rank finds its own inputs */
    const bool shared = !strstr(word, "%r") && !strstr(word, "{rank}"); /* %r, or %rank% */
    int result = 0;
    if (find_word(path, &found) != 0)
        *absent += !shared || t->share == 0;
    else
        result = keep(t, &found, shared, own);
    rocpd_files_free(&found);
    return result;
}

int rocpd_tree_files(const rocpd_tree_t *t, const rocpd_options_t *o, rocpd_files_t *own,
                     uint64_t *absent)
{
    int result = 0;
    trace_keys_t *keys = trace_keys_current();
    if (!keys) return rocpd_rows_no_memory();
    for (size_t i = 0; result == 0 && i < o->values[ROCPD_INPUT].count; i++)
        result = add_word(t, keys, o->values[ROCPD_INPUT].words[i], own, absent);
    trace_keys_free(keys);
    return result;
}

/* ---- the tree ---- */

/* Adds the sums of the ranks `from` to from + step - 1, which the rank `from` has added up. If that
 * rank does not send them, the sums of the ranks after it are received from these themselves.
 * Returns 0, or -1 after reporting the reason. */
static int take(rocpd_tree_t *t, rocpd_partial_t *p, long from, long step)
{
    char name[64];
    size_t count = 0;
    char *bytes = t->way->receive(t, from, &count);
    snprintf(name, sizeof(name), "the part of rank %ld", from);
    const int result = bytes ? rocpd_sums_add(p, bytes, count, name) : -1;
    free(bytes);
    if (result == 0) return 0;
    p->absent++;
    for (long behind = 1; behind < step; behind *= 2)
        if (from + behind < t->size && take(t, p, from + behind, behind) != 0) return -1;
    return 0;
}

int rocpd_tree_add(rocpd_tree_t *t, rocpd_partial_t *p)
{
    for (long step = 1; step < t->size; step *= 2) {
        if (t->rank & step) {
            size_t count = 0;
            char *bytes = rocpd_sums_bytes(p, &count);
            const int result =
                bytes ? t->way->send(t, t->rank - step, bytes, count) : rocpd_rows_no_memory();
            free(bytes);
            return result == 0 ? 1 : -1;
        }
        if (t->rank + step < t->size && take(t, p, t->rank + step, step) != 0) return -1;
    }
    return 0;
}
