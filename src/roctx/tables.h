/* tables.h - what librocprofiler-sdk-roctx and libroctx64 share: the tables that calls go through.
 *
 * Both libraries may be in one process. They use one set of tables, so that nesting levels, range
 * ids and tools are the same through whichever library a call comes. Change both libraries
 * together. */
#ifndef CROCPROF_ROCTX_TABLES_H
#define CROCPROF_ROCTX_TABLES_H

#include <rocprofiler-sdk-roctx/api_trace.h>

typedef struct {
    const roctxCoreApiTable_t *core;
    const roctxControlApiTable_t *control;
    const roctxNameApiTable_t *name;
} roctx_tables_t;

/* The tables that every call uses. Until the first call these are tables whose entries register the
 * real tables and call again; from then on they are the registered ones. Nothing here is freed. */
extern roctx_tables_t roctx_tables_ ROCTX_API;

#endif
