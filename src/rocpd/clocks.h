/* clocks.h - one clock for the processes of several nodes, see trace/clocks.h: read from all
 * databases of a command, used by what it writes. */
#ifndef CROCPROF_ROCPD_CLOCKS_H
#define CROCPROF_ROCPD_CLOCKS_H

#include "output/file.h"
#include "rocpd/base.h"
#include "trace/clocks.h"

typedef struct {
    const rocpd_base_t *base;
    trace_clock_map_t *maps; /* of base->places */
    bool any;                /* some of them change times; if not, nothing is to be done */
} rocpd_clocks_t;

/* 0, or -1 with the reason told. The base must stay until the end. */
int rocpd_clocks_begin(rocpd_clocks_t *c, rocpd_base_t *b);
void rocpd_clocks_end(rocpd_clocks_t *c);

/* The map of a process; one that changes nothing if there is no such process. */
const trace_clock_map_t *rocpd_clocks_of(const rocpd_clocks_t *c, const char *guid);

/* What was changed, in words: the worst map of all. */
void rocpd_clocks_say(const rocpd_clocks_t *c, char *text, size_t bytes);

/* Lets statements of the database call rocpd_time(guid, ns). `c` must stay as long as they run. 0,
 * or -1 with the reason told. */
int rocpd_clocks_function(const rocpd_clocks_t *c, const db_t *db);

/* Writes the table of all processes' maps as CSV. */
void rocpd_clocks_csv(const rocpd_clocks_t *c, out_file_t *f);

#endif
