/* arguments.c - see arguments.h. */
#include "results/arguments.h"

#include <argp.h>
#include <stdlib.h>

#include "base/program.h"
#include "base/words.h"

static size_t number(struct argp_state *state, const char *option, const char *word, size_t least)
{
    uint64_t value = 0;
    if (!base_number(word, least, SIZE_MAX, &value))
        argp_error(state, "--%s %s: a number from %zu on is expected", option, word, least);
    return value;
}

static double share(struct argp_state *state, const char *word)
{
    char *end;
    const double value = strtod(word, &end);
    if (end == word || *end || !(value >= 0))
        argp_error(state, "--tolerance %s: a number of percents is expected", word);
    return value / 100;
}

static error_t take_option(int key, char *word, struct argp_state *state)
{
    res_arguments_t *a = state->input;
    switch (key) {
    case 'f': {
        const int format = res_format(word, a->formats);
        if (format < 0) exit(RES_EXIT_TROUBLE);
        a->format = (res_format_t)format;
        return 0;
    }
    case 'o': a->output = word; return 0;
    case 'u': a->update = true; return 0;
    case 'c': a->code = true; return 0;
    case 'T': a->times = true; return 0;
    case 't': a->tolerance = share(state, word); return 0;
    case 'n': a->limit = number(state, "limit", word, 0); return 0;
    case 'b': a->bytes = number(state, "bytes", word, a->bytes_least); return 0;
    case ARGP_KEY_ARGS:
        a->words = state->argv + state->next;
        a->count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        if (a->count < a->words_least || a->count > a->words_most) argp_usage(state);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

void res_arguments(res_arguments_t *a, int argc, char **argv, char *name,
                   const struct argp_option *options, const char *takes, const char *help)
{
    const struct argp command = {options, take_option, takes, help, NULL, NULL, NULL};
    argp_err_exit_status = RES_EXIT_TROUBLE;
    argv[0] = name; /* for help texts */
    if (base_program_options(&command, argc, argv, a) != 0) exit(RES_EXIT_TROUBLE);
}

static int read_run(char *const *paths, size_t count, bool whole, res_use_t use, void *data)
{
    res_run_t r;
    res_values_t v;
    int status = RES_EXIT_TROUBLE;
    if (res_run_open(&r, paths, count) != 0) return status;
    r.whole = whole;
    if (res_values(&r, &v) == 0) {
        status = use(&r, &v, data);
        res_values_free(&v);
    }
    res_run_close(&r);
    return status;
}

int res_read(char *const *paths, size_t count, res_use_t use, void *data)
{
    return read_run(paths, count, false, use, data);
}

int res_read_whole(char *const *paths, size_t count, res_use_t use, void *data)
{
    return read_run(paths, count, true, use, data);
}
