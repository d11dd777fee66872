/* rocprofv3.c - the command: options, run, conversion, exit status. Each step has a file of its
 * own; here is only their order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/log.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "cli/session.h"

static void print_version(void)
{
    struct utsname u;
    uname(&u);
    printf("version: %s\nsystem: %s %s\narchitecture: %s\ncompiler: %s\n", CROCPROF_VERSION,
           u.sysname, u.release, u.machine, __VERSION__);
}

static bool level_is(const cli_command_t *c, const char *level)
{
    const char *given = c->values[CLI_LOG_LEVEL];
    return given &&
           (strcmp(given, level) == 0 || strcmp(given, "info") == 0 || strcmp(given, "trace") == 0);
}

static void print_config(const cli_command_t *c)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (c->values[i])
            fprintf(stderr, "rocprofv3: --%s %s\n", cli_options[i].name, c->values[i]);
}

static void print_environment(const cli_session_t *s, FILE *f, const char *prefix)
{
    static const char *const ours[] = {"ROCPROF_", "ROCPROFILER_",   "ROCP_",
                                       "ROCTX_",   "HSA_TOOLS_LIB=", "LD_LIBRARY_PATH="};
    for (char **v = environ; *v; v++)
        for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
            if (strncmp(*v, ours[i], strlen(ours[i])) == 0) fprintf(f, "%s%s\n", prefix, *v);
    if (s->preload) fprintf(f, "%sLD_PRELOAD=%s\n", prefix, s->preload);
}

static void echo(const cli_session_t *s, char **program)
{
    print_environment(s, stdout, "");
    for (char **word = program; *word; word++)
        printf("%s%s", word == program ? "" : " ", *word);
    putchar('\n');
}

/* What is wrong with the options together; NULL if nothing. */
static const char *conflict(const cli_command_t *c)
{
    if (!c->program) return "no program is given: rocprofv3 [options] -- program [arguments]";
    if (cli_is_on(c, CLI_STATS) && !cli_traces(c))
        return "--stats needs a tracing option (--sys-trace traces everything)";
    return NULL;
}

static int run(cli_command_t *c)
{
    char why[2 * PATH_MAX] = "", path[PATH_MAX];
    cli_session_t s = {0};
    pid_t pid;
    int status = cli_find_program(c->program[0], path, sizeof(path), why, sizeof(why));
    if (!status && cli_apply(c, why, sizeof(why)) != 0) status = CLI_EXIT_SETUP;
    if (!status) {
        base_log_init("rocprofv3", "ROCPROF_LOG_LEVEL");
        status = cli_session_prepare(&s, c, why, sizeof(why));
    }
    if (status) {
        base_error("%s", why);
        goto out;
    }
    if (level_is(c, "config")) print_config(c);
    if (level_is(c, "env")) print_environment(&s, stderr, "rocprofv3: ");
    if (cli_is_on(c, CLI_ECHO)) {
        echo(&s, c->program);
        goto out;
    }
    if (!cli_traces(c))
        base_warning(
            "no tracing option: the program runs untraced (--sys-trace traces everything)");
    status = cli_run(path, c->program, s.preload, &pid, why, sizeof(why));
    if (why[0])
        base_error("%s", why);
    else if (s.run[0])
        cli_convert_run(s.run, true);
    if (cli_interrupted) {
        base_warning("interrupted while converting; what is left: rocprofv3 convert %s", s.run);
        status = 128 + cli_interrupted;
    }
out:
    cli_session_end(&s);
    return status;
}

int main(int argc, char **argv)
{
    char why[1024];
    cli_command_t c;
    int status = 0;
    base_log_init("rocprofv3", "ROCPROF_LOG_LEVEL");
    if (argc > 1 && strcmp(argv[1], "convert") == 0) return cli_convert_command(argc - 2, argv + 2);
    if (cli_parse(&c, argc, argv, why, sizeof(why)) != 0) {
        base_error("%s", why);
        status = CLI_EXIT_USAGE;
    } else if (cli_is_on(&c, CLI_HELP)) {
        cli_print_help();
    } else if (cli_is_on(&c, CLI_VERSION)) {
        print_version();
    } else if (conflict(&c)) {
        base_error("%s", conflict(&c));
        status = CLI_EXIT_USAGE;
    } else {
        status = run(&c);
    }
    cli_command_free(&c);
    return status;
}
