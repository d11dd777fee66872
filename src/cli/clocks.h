/* clocks.h - --sync-clocks: this node's clock against rank 0's, before the program starts and when
 * it has ended.
 *
 * It is rocprofv3 that asks and answers, so that nothing of it is in the program. Nothing here
 * fails: where no estimate is to be had, a line says so, and the run goes on. */
#ifndef CROCPROF_CLI_CLOCKS_H
#define CROCPROF_CLI_CLOCKS_H

#include "cli/options.h"
#include "cli/session.h"

/* Before a run of the program: rank 0 begins to answer, the others ask. The estimate becomes a
 * setting of the run. */
void cli_clocks_begin(const cli_session_t *s, const cli_command_t *c);

/* When the program of the run has ended. */
void cli_clocks_end(const cli_session_t *s, const cli_command_t *c);

/* After the last run: rank 0 waits for those that still have to ask, and leaves nothing behind. */
void cli_clocks_finish(void);

#endif
