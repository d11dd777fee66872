/* subcommands.h - rocprofv3 WORD ...: what does not run a program. */
#ifndef CROCPROF_CLI_SUBCOMMANDS_H
#define CROCPROF_CLI_SUBCOMMANDS_H

typedef struct {
    const char *name, *arguments, *help;
    int (*run)(int argc, char **argv); /* words from the name on; the exit status */
} cli_subcommand_t;

extern const cli_subcommand_t cli_subcommands[]; /* up to one without a name */

/* The one of this name, or NULL. */
const cli_subcommand_t *cli_subcommand_find(const char *name);

#endif
