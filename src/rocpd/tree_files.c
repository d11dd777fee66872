/* tree_files.c - see tree_files.h. Names of parts contain the id of the job's step, so that a file
 * that an earlier run has left is never taken for a part of this run. Each launcher that gives its
 * jobs ids is a row. */
#include "rocpd/tree_files.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/env.h"
#include "base/file.h"
#include "base/log.h"
#include "output/file.h"
#include "rocpd/rows.h"

/* Variables whose values together identify a step of a job, for each launcher by its name in
 * trace/ranks.c. */
static const struct {
    const char *launcher;
    const char *variables[2];
} ids[] = {
    {"Open MPI", {"PMIX_NAMESPACE"}},
    {"PMIx", {"PMIX_NAMESPACE"}},
    {"MPICH", {"PMI_JOBID"}},
    {"Flux", {"FLUX_JOB_ID"}},
    {"Slurm", {"SLURM_JOB_ID", "SLURM_STEP_ID"}},
};

/* Appends a value; characters that are not allowed in names become '_'. */
static void add_word(char *text, size_t bytes, const char *word)
{
    size_t used = strlen(text);
    if (used + 1 < bytes) text[used++] = '.';
    for (; *word && used + 1 < bytes; word++)
        text[used++] = isalnum((unsigned char)*word) || strchr("-_", *word) ? *word : '_';
    text[used] = 0;
}

static bool find_id(const trace_rank_t *here, char *text, size_t bytes)
{
    for (size_t i = 0; here->launcher && i < sizeof(ids) / sizeof(*ids); i++) {
        const char *first = base_env(ids[i].variables[0]);
        const char *name = ids[i].variables[1], *second = name ? base_env(name) : "";
        if (strcmp(here->launcher, ids[i].launcher) != 0 || !first || !second) continue;
        add_word(text, bytes, first);
        if (name) add_word(text, bytes, second);
        return true;
    }
    return false;
}

int rocpd_tree_files_begin(rocpd_tree_files_t *f, const rocpd_options_t *o,
                           const trace_rank_t *here)
{
    char id[256] = "", size[32];
    const char *output = rocpd_word(o, ROCPD_OUTPUT, NULL);
    const char *given = rocpd_word(o, ROCPD_TREE_ID, NULL);
    if (!output) {
        base_error("--tree files needs --output FILE: parts are beside it");
        return -1;
    }
    if (given) add_word(id, sizeof(id), given);
    if (!given && !find_id(here, id, sizeof(id))) {
        base_error("--tree files: %s gives its jobs no id: --tree-id WORD, another one for each "
                   "run, tells parts from those of other runs",
                   here->launcher ? here->launcher : "the launcher");
        return -1;
    }
    snprintf(size, sizeof(size), "%ld", here->size);
    add_word(id, sizeof(id), size);
    if ((size_t)snprintf(f->name, sizeof(f->name), "%s%s", output, id) + 32 > sizeof(f->name)) {
        base_error("%s: %s", output, strerror(ENAMETOOLONG));
        return -1;
    }
    f->seconds = strtod(rocpd_word(o, ROCPD_TREE_WAIT, "600"), NULL);
    f->until_ns = base_clock_ns(CLOCK_MONOTONIC) + (uint64_t)(f->seconds * 1e9);
    return 0;
}

static void name_part(const rocpd_tree_files_t *f, long rank, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.*s.%ld", PATH_MAX - 32, f->name, rank);
}

int rocpd_tree_files_send(const rocpd_tree_files_t *f, long rank, const char *bytes, size_t count)
{
    char path[PATH_MAX], why[PATH_MAX + 256];
    name_part(f, rank, path);
    out_file_t *file = out_file_open(path, why, sizeof(why));
    if (file) out_bytes(file, bytes, count);
    if (file && out_file_close(file, why, sizeof(why)) == 0) return 0;
    base_error("%s", why);
    return -1;
}

/* Opens the folder again: over NFS, a file that did not exist is only searched for again when its
 * folder is opened. */
static void reopen_folder(const char *path)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = 0;
    DIR *d = base_file_folder(slash ? folder : ".");
    if (d) closedir(d);
}

char *rocpd_tree_files_receive(const rocpd_tree_files_t *f, long rank, size_t *count)
{
    enum { MOST = 1 << 30, FIRST_NS = 1000000, LAST_NS = 200000000 };
    char path[PATH_MAX];
    name_part(f, rank, path);
    for (long pause = FIRST_NS;; pause = pause * 2 < LAST_NS ? pause * 2 : LAST_NS) {
        char *bytes = base_file_read(path, MOST, count);
        if (bytes) {
            unlink(path);
            return bytes;
        }
        if (errno != ENOENT && errno != ESTALE) {
            base_error("%s: %s", path, strerror(errno));
            return NULL;
        }
        if (base_clock_ns(CLOCK_MONOTONIC) >= f->until_ns || db_interrupted) break;
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        reopen_folder(path);
    }
    base_error("rank %ld has not given its sums within %g s (--tree-wait): they are left out", rank,
               f->seconds);
    return NULL;
}
