/* subcommands.h - rocprofv3 WORD ...: commands that do not run a program. */
#ifndef CROCPROF_CLI_SUBCOMMANDS_H
#define CROCPROF_CLI_SUBCOMMANDS_H

typedef struct {
    const char *name, *arguments, *help;
    /* the arguments begin with the name; returns the exit status */
    int (*run)(int argc, char **argv);
} cli_subcommand_t;

extern const cli_subcommand_t cli_subcommands[]; /* ends with a row without a name */

/* Returns the subcommand of this name, or NULL. */
const cli_subcommand_t *cli_subcommand_find(const char *name);

#endif
