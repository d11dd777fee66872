/* subcommands.h - rocprofv3 WORD ...: commands that do not run a program. */
#ifndef CROCPROF_CLI_SUBCOMMANDS_H
#define CROCPROF_CLI_SUBCOMMANDS_H

typedef struct {
    const char *name, *arguments, *help;
    int (*run)(int argc, char **argv); /* arguments from the name on; returns the exit status */
} cli_subcommand_t;

extern const cli_subcommand_t cli_subcommands[]; /* the last one has no name */

/* The subcommand of this name, or NULL. */
const cli_subcommand_t *cli_subcommand_find(const char *name);

#endif
