/* subcommands.c - see subcommands.h. A new subcommand is a row; it reads its options itself. */
#include "cli/subcommands.h"

#include <stddef.h>
#include <string.h>

#include "cli/session.h"
#include "cli/watch.h"
#include "report/report.h"
#include "results/commands.h"
#include "rocpd/commands.h"
#include "waits/command.h"

const cli_subcommand_t cli_subcommands[] = {
    {"convert", "[-d DIR] DIR...", "files of the records that runs have left", cli_convert_command},
    {"annotate", "[--kernel RE] [DIR|DB...]", "what each line and instruction of the kernels cost",
     res_annotate_command},
    {"code", "FILE|DIR...",
     "what compilers made of kernels, without running them; of two inputs the differences",
     res_code_command},
    {"check", "BUDGET.yaml [DIR|DB]", "does a run, or code that is not run, keep to a budget?",
     res_check_command},
    {"diff", "BEFORE AFTER", "what differs between two runs", res_diff_command},
    {"report", "[-o FILE] [DIR|DB...]",
     "one page of what runs did, for any browser; of two inputs the differences", rep_command},
    {"findings", "[DIR|DB]", "what a run shows that is worth a look", res_findings_command},
    {"waits", "[-i] [DIR|DB...]", "who waits for whom in a job of many ranks (--mpi-trace)",
     wts_command},
    {"digest", "[DIR|DB]", "a run in so many bytes, most important first", res_digest_command},
    {"reduce", "-o FILE -i DIR|DB...",
     "sums of some ranks as a small file, to be added to those of others", rocpd_reduce_command},
    {"watch", "[DIR]", "kernels of a run that goes on, refreshed each second", cli_watch_command},
    {NULL, NULL, NULL, NULL},
};

const cli_subcommand_t *cli_subcommand_find(const char *name)
{
    for (const cli_subcommand_t *c = cli_subcommands; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}
