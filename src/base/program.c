/* program.c - see program.h. */
#include "base/program.h"

#include "base/log.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail_the_write_instead(int number)
{
    (void)number;
}

/* If an earlier write has failed, other calls have overwritten errno since. */
static void check_output(int status, void *trouble)
{
    const bool failed = ferror(stdout);
    errno = 0;
    if (fflush(stdout) == 0 && !failed) return;
    base_error("standard output: %s", errno ? strerror(errno) : "not all of it could be written");
    _exit(status ? status : (int)(intptr_t)trouble);
}

void base_program_begin(const char *name, const char *variable, int trouble)
{
    /* This is a handler and not SIG_IGN because programs started by this one would inherit
     * SIG_IGN. */
    const struct sigaction handled = {.sa_handler = fail_the_write_instead, .sa_flags = SA_RESTART};
    struct sigaction before;
    base_log_init(name, variable);
    if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &handled, NULL);
    on_exit(check_output, (void *)(intptr_t)trouble);
}

int base_program_options(const struct argp *command, int argc, char **argv, void *input)
{
    const int error = argp_parse(command, argc, argv, 0, NULL, input);
    if (error == ENOMEM) base_error("the command line cannot be read: %s", strerror(error));
    return error;
}
