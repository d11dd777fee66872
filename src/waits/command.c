/* command.c - rocprofv3 waits: its options. */
#include "waits/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/program.h"
#include "rocpd/files.h"
#include "waits/show.h"

enum { EXIT_USAGE = 2, EXIT_READ = 1 };

static const struct {
    const char *name;
    void (*show)(FILE *f, const wts_t *w);
} forms[] = {{"text", wts_show_text}, {"csv", wts_show_csv}, {"json", wts_show_json}};

typedef struct {
    char **paths;
    size_t count;
    const char *output;
    size_t form;
} asked_t;

static const struct argp_option options[] = {
    {"input", 'i', "DIR|DB", 0, "folder with databases, at any depth, or a database; repeatable",
     0},
    {"format", 'f', "FORMAT", 0, "text (default), csv: a line for each rank, or json", 0},
    {"output", 'o', "FILE", 0, "where it is written (standard output)", 0},
    {0}};

static error_t read_option(int key, char *word, struct argp_state *state)
{
    asked_t *a = state->input;
    switch (key) {
    case 'i':
    case ARGP_KEY_ARG:
        if (rocpd_files_search(&a->paths, &a->count, word) != 0) exit(EXIT_USAGE);
        return 0;
    case 'o': a->output = word; return 0;
    case 'f':
        for (a->form = 0; a->form < sizeof(forms) / sizeof(*forms); a->form++)
            if (strcmp(forms[a->form].name, word) == 0) return 0;
        base_error("--format %s: text, csv or json", word);
        exit(EXIT_USAGE);
    case ARGP_KEY_END:
        if (!a->count && rocpd_files_search(&a->paths, &a->count, ".") != 0) exit(EXIT_USAGE);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int show(const asked_t *a)
{
    const rocpd_files_t files = {.paths = a->paths, .count = a->count};
    wts_t w;
    int status = wts_read(&w, &files, true) == 0 ? 0 : EXIT_READ;
    FILE *f = NULL;
    if (!status && !w.rank_count) {
        base_error("no call of MPI or RCCL is in these databases: rocprofv3 --mpi-trace, "
                   "--rccl-trace record them");
        status = EXIT_READ;
    }
    if (!status) f = a->output ? base_file_stream(a->output, "w") : stdout;
    if (!status && !f) {
        base_error("%s: %s", a->output, strerror(errno));
        status = EXIT_READ;
    }
    if (f) forms[a->form].show(f, &w);
    if (f && (f == stdout ? fflush(f) : fclose(f)) != 0) {
        base_error("%s: %s", a->output ? a->output : "standard output", strerror(errno));
        status = EXIT_READ;
    }
    wts_free(&w);
    return status;
}

int wts_command(int argc, char **argv)
{
    static const struct argp parser = {
        .options = options,
        .parser = read_option,
        .args_doc = "[DIR|DB...]",
        .doc = "Who waits for whom: the databases of a job's ranks, traced with --mpi-trace or "
               "--rccl-trace, as one. Time "
               "in collectives is split in waiting for the last rank and doing; messages in late "
               "senders and late receivers; the slowest ranks are named, with what they do "
               "differently; and the critical path over ranks and GPUs is split by rank, kernel "
               "and function of MPI."};
    static char name[] = "rocprofv3 waits";
    asked_t a = {0};
    argv[0] = name;
    int status = EXIT_USAGE;
    if (base_program_options(&parser, argc, argv, &a) == 0) {
        qsort(a.paths, a.count, sizeof(*a.paths), by_path);
        status = show(&a);
    }
    for (size_t i = 0; i < a.count; i++)
        free(a.paths[i]);
    free(a.paths);
    return status;
}
