/* tables.h - what librocprofiler-sdk-roctx and libroctx64 share: the tables that calls go through.
 *
 * Both libraries may be in one process. There is one set of tables then, so that levels, numbers
 * and tools are the same whichever a call enters by. Change both libraries together. */
#ifndef CROCPROF_ROCTX_TABLES_H
#define CROCPROF_ROCTX_TABLES_H

#include <rocprofiler-sdk-roctx/api_trace.h>

typedef struct {
    const roctxCoreApiTable_t *core;
    const roctxControlApiTable_t *control;
    const roctxNameApiTable_t *name;
} roctx_tables_t;

/* Where every call begins. Until the first call these are tables whose entries register the
 * library and call again; from then on, the tables that were registered. Nothing here is freed. */
extern roctx_tables_t roctx_tables_ ROCTX_API;

#endif
