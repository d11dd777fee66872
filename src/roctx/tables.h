/* tables.h - what librocprofiler-sdk-roctx and libroctx64 share: the tables through which calls go.
 *
 * Both libraries may be in one process. They use one set of tables, so that nesting levels, range
 * ids and tools do not depend on the library that a program calls. Both libraries must be changed
 * together. */
#ifndef CROCPROF_ROCTX_TABLES_H
#define CROCPROF_ROCTX_TABLES_H

#include <rocprofiler-sdk-roctx/api_trace.h>

typedef struct {
    const roctxCoreApiTable_t *core;
    const roctxControlApiTable_t *control;
    const roctxNameApiTable_t *name;
} roctx_tables_t;

/* The tables that every call uses. Until the first call their entries register the real tables and
 * call again; from then on they are the registered tables. Nothing is freed. */
extern roctx_tables_t roctx_tables_ ROCTX_API;

#endif
