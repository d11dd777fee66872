/* ping.h - how far the clock of another node is from ours: rank 0 answers, the others ask.
 *
 * An exchange has four moments: the question is sent (ours), received (rank 0's), the answer is
 * sent (rank 0's), received (ours). No answer comes before it was sent, so that each exchange
 * bounds the difference of the clocks from both sides. All exchanges bound it together: the fastest
 * questions from above, the fastest answers from below. What is between is the error, and no guess.
 *
 * Datagrams, since a lost one costs less than a thousand connections to rank 0 do. Every call has a
 * limit of time. The clock is CLOCK_BOOTTIME, that of records. */
#ifndef CROCPROF_TRACE_PING_H
#define CROCPROF_TRACE_PING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/clocks.h"

enum { TRACE_PING_ADDRESSES = 1024 }; /* room for the text of the addresses */

typedef struct trace_ping_server trace_ping_server_t;

/* Begins to answer, in a thread that has all signals blocked and allocates nothing. `port` is that
 * to listen at, 0 for any. NULL with a line in `why`. */
trace_ping_server_t *trace_ping_serve(uint64_t token, uint16_t port, char *why, size_t why_bytes);

/* Where it can be asked: addresses of this node as HOST:PORT, separated by blanks. */
void trace_ping_where(const trace_ping_server_t *s, char text[TRACE_PING_ADDRESSES]);

/* The name under which estimates are kept that are relative to this server's clock. */
uint64_t trace_ping_reference(const trace_ping_server_t *s);

/* Waits, at most for `ns`, until all ranks of other nodes that have asked at their beginning have
 * asked at their end; then ends the thread. */
void trace_ping_stop(trace_ping_server_t *s, uint64_t ns);

typedef struct {
    uint64_t token;
    long rank;
    bool end;          /* of the program, not the beginning */
    uint64_t until_ns; /* CLOCK_MONOTONIC: when to give up */
} trace_ping_t;

/* Asks the first of these addresses that answers. 0 with the estimate, of which the error is 0 on
 * rank 0's own node; -1 with a line in `why`, and *gone if nobody can be there any more. */
int trace_ping_ask(const trace_ping_t *ping, const char *addresses, trace_clock_point_t *found,
                   bool *gone, char *why, size_t why_bytes);

#endif
