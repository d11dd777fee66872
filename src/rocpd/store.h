/* store.h - the records of one process of a database as a trace store.
 *
 * Apart because it turns the way round that every other format goes: from rows back to records, so
 * that all formats that rocprofv3 writes can be written of databases, by the same code. */
#ifndef CROCPROF_ROCPD_STORE_H
#define CROCPROF_ROCPD_STORE_H

#include <sqlite3.h>
#include <stdint.h>

typedef struct {
    char guid[64];
    uint32_t pid;
    uint64_t begin, end; /* of the process, ns */
    uint64_t left_out;   /* rows of kinds that no format has a place for */
} rocpd_process_t;

/* Writes the store into the directory, which exists. `name`: of its files. `rename`: kernels get
 * the names of their ranges. 0, or -1 with the reason told. */
int rocpd_store_write(sqlite3 *db, rocpd_process_t *p, const char *directory, const char *name,
                      int rename);

#endif
