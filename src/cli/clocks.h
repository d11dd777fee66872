/* clocks.h - --sync-clocks: measures this node's clock against rank 0's, before the program starts
 * and after it has ended.
 *
 * rocprofv3 does this itself, so that the program is not disturbed. No function here fails: if
 * there is no estimate, a message says so, and the run goes on. */
#ifndef CROCPROF_CLI_CLOCKS_H
#define CROCPROF_CLI_CLOCKS_H

#include <stdint.h>

#include "cli/options.h"
#include "cli/session.h"

/* To be called before a run of the program: rank 0 starts its server, the other ranks query it. The
 * estimate becomes a setting of the run. `pass` is the run's number, from 1. */
void cli_clocks_begin(const cli_session_t *s, const cli_command_t *c, uint32_t pass);

/* To be called when the program of the run has ended. */
void cli_clocks_end(const cli_session_t *s, const cli_command_t *c);

/* To be called after the last run, with rocprofv3's exit status: rank 0 waits for the ranks that
 * have not asked in its last pass, unless a signal has ended the program, and for those of other
 * nodes that have not yet asked at their end; then it removes its files. */
void cli_clocks_finish(int status);

#endif
