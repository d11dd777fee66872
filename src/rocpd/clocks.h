/* clocks.h - one clock for the processes of several nodes, see trace/clocks.h: the maps are
 * computed from all databases of a command and used for all of its outputs. */
#ifndef CROCPROF_ROCPD_CLOCKS_H
#define CROCPROF_ROCPD_CLOCKS_H

#include "output/file.h"
#include "rocpd/base.h"
#include "trace/clocks.h"

typedef struct {
    const rocpd_base_t *base;
    trace_clock_map_t *maps; /* in the order of base->places */
    bool any;                /* at least one map changes times; if not, no times are converted */
} rocpd_clocks_t;

/* Computes the maps. Returns 0, or -1 after reporting the reason. The base must stay open until the
 * end. */
int rocpd_clocks_begin(rocpd_clocks_t *c, rocpd_base_t *b);
void rocpd_clocks_end(rocpd_clocks_t *c);

/* Returns the map of a process; one that changes nothing if there is no such process. */
const trace_clock_map_t *rocpd_clocks_of(const rocpd_clocks_t *c, const char *guid);

/* Describes the conversion with the largest error of all. */
void rocpd_clocks_say(const rocpd_clocks_t *c, char *text, size_t bytes);

/* Lets statements of the database call rocpd_time(guid, ns). `c` must stay as long as they run.
 * Returns 0, or -1 after reporting the reason. */
int rocpd_clocks_function(const rocpd_clocks_t *c, const db_t *db);

/* Writes the table of all processes' maps as CSV. */
void rocpd_clocks_csv(const rocpd_clocks_t *c, out_file_t *f);

#endif
