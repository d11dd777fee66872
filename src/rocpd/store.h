/* store.h - writes the rows of one process of a database as a trace store.
 *
 * With rows turned back into records, all formats that rocprofv3 writes can be made from databases,
 * too, by the same code. */
#ifndef CROCPROF_ROCPD_STORE_H
#define CROCPROF_ROCPD_STORE_H

#include <stdint.h>

#include "db/db.h"
#include "trace/clocks.h"

typedef struct {
    char guid[64];
    uint32_t pid;
    uint64_t begin, end;     /* of the process, ns */
    trace_clock_map_t clock; /* by which times are changed */
    uint64_t left_out;       /* number of rows of kinds that no format can have */
} rocpd_process_t;

/* Writes the store into the directory, which has to exist. `name`: the name of output files.
 * `rename`: kernels get the names of their ranges. 0, or -1 with the reason told. */
int rocpd_store_write(const db_t *db, rocpd_process_t *p, const char *directory, const char *name,
                      int rename);

#endif
