/* ping.h - measures how far the clock of another node is from ours: rank 0 answers, the other ranks
 * ask.
 *
 * An exchange has four moments: the question is sent (ours), received (rank 0's), the answer is
 * sent (rank 0's), received (ours). No answer comes before it was sent, so that each exchange
 * bounds the difference of the clocks from both sides. All exchanges bound it together: the fastest
 * questions from above, the fastest answers from below. The error that is reported is half the
 * distance of the two bounds, so it is proven and not estimated.
 *
 * The protocol uses datagrams, since losing one costs less than a thousand connections to rank 0
 * would. Every call has a time limit. The clock is CLOCK_BOOTTIME, as in all records. */
#ifndef CROCPROF_TRACE_PING_H
#define CROCPROF_TRACE_PING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/clocks.h"

enum {
    TRACE_PING_ADDRESSES = 1024, /* room for the text of the addresses */
    TRACE_PING_RANKS = 1 << 20,  /* the server does not wait for higher ranks */
};

typedef struct trace_ping_server trace_ping_server_t;

/* Starts the server: a thread that has all signals blocked and allocates nothing. `token`
 * identifies the run: datagrams with another one are ignored. `port` is where to listen, 0 for any
 * port. Returns NULL with a line in `why` if that fails. */
trace_ping_server_t *trace_ping_serve(uint64_t token, uint16_t port, char *why, size_t why_bytes);

/* Writes the addresses at which the server can be reached: those of this node as HOST:PORT,
 * separated by blanks. */
void trace_ping_where(const trace_ping_server_t *s, char text[TRACE_PING_ADDRESSES]);

/* Returns the id of this server's clock. Estimates that are relative to this clock carry it. */
uint64_t trace_ping_reference(const trace_ping_server_t *s);

/* What the server waits for before it stops. */
typedef struct {
    long ranks;    /* number of ranks that ask in the pass `pass` or in a later one */
    uint32_t pass; /* number of rank 0's last pass */
    uint64_t ns;   /* how long to wait at most */
    const volatile sig_atomic_t *stop; /* unless NULL: ends the wait when it is no longer 0 */
} trace_ping_wait_t;

/* Waits until the ranks have asked, and until every one of them that is on another node has also
 * asked at its end; then ends the thread and frees the server.
 * Returns how many of the ranks have not asked. */
long trace_ping_stop(trace_ping_server_t *s, const trace_ping_wait_t *wait);

typedef struct {
    uint64_t token;
    long rank;
    uint32_t pass;     /* number of the program's run, from 1 */
    bool end;          /* whether the program ends; else it begins */
    uint64_t until_ns; /* CLOCK_MONOTONIC: when to give up */
} trace_ping_t;

/* Measures against the first of these addresses that answers. Returns 0 with the estimate, whose
 * error is 0 on rank 0's own node; -1 with a line in `why`, and with *gone set if no process
 * listens at any of them any more. `why` keeps what it has, unless that is "", if the time was over
 * before the name of an address was found: then an earlier try has the better reason. */
int trace_ping_ask(const trace_ping_t *ping, const char *addresses, trace_clock_point_t *found,
                   bool *gone, char *why, size_t why_bytes);

#endif
