/* store.h - writes the rows of one process of a database as a trace store.
 *
 * From these records the writers of rocprofv3 can make all of their formats from a database,
 * too. */
#ifndef CROCPROF_ROCPD_STORE_H
#define CROCPROF_ROCPD_STORE_H

#include <stdint.h>

#include "db/db.h"
#include "trace/clocks.h"

typedef struct {
    char guid[64];
    uint32_t pid;
    uint64_t begin, end;     /* of the process, in ns */
    trace_clock_map_t clock; /* map by which times are converted */
    uint64_t left_out;       /* number of rows whose kinds no output format has */
} rocpd_process_t;

/* Writes the store into the directory, which has to exist. `name` is the name of output files; with
 * `rename`, kernels get the names of their ranges. Returns 0, or -1 after reporting the reason. */
int rocpd_store_write(const db_t *db, rocpd_process_t *p, const char *directory, const char *name,
                      int rename);

#endif
