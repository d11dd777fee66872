/* rccl.c - collectives of RCCL: the host only starts them, and they wait for each other on the
 * GPUs. So their times are those of their kernels; without kernels, as in a trace of calls alone,
 * those of the calls. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/internal.h"

static const trace_mpi_function_t functions[] = {
#define FUNCTION(name, operation) {name, TRACE_MPI_COLLECTIVE, TRACE_MPI_OP_##operation},
    FUNCTION("ncclAllReduce", ALLREDUCE)          /* */
    FUNCTION("ncclBroadcast", BCAST)              /* */
    FUNCTION("ncclReduce", REDUCE)                /* */
    FUNCTION("ncclAllGather", ALLGATHER)          /* */
    FUNCTION("ncclReduceScatter", REDUCE_SCATTER) /* */
    FUNCTION("ncclAllToAll", ALLTOALL)            /* */
    FUNCTION("ncclAllToAllv", ALLTOALLV)          /* */
    FUNCTION("ncclGather", GATHER)                /* */
    FUNCTION("ncclScatter", SCATTER)              /* */
#undef FUNCTION
};

const trace_mpi_function_t *wts_rccl_find(const char *name)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    return NULL;
}

static void note(wts_rccl_t *k, wts_rows_t *rows, uint64_t call)
{
    if (call && !out_numbers_get(&k->by_call, call) &&
        !out_numbers_set(&k->by_call, call, k->count))
        rows->failed = true;
}

/* Finds the kernels of each call: a kernel belongs to the call that has launched it, or to the one
 * around that launch. */
int wts_rccl_read(wts_rccl_t *k, wts_rows_t *rows, const db_t *db, const char *guid,
                  const trace_clock_map_t *clock)
{
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT 1 FROM rocpd_info_kernel_symbol WHERE guid = ? AND display_name LIKE '%nccl%' "
            "LIMIT 1",
            "t", guid);
    const bool any = db_next(&c);
    if (db_end(&c, "reading kernels of RCCL") != 0) return -1;
    if (!any) return 0;
    db_rows(&c, db,
            "SELECT K.start, K.\"end\", E.stack_id, E.parent_stack_id FROM "
            "rocpd_info_kernel_symbol S JOIN rocpd_kernel_dispatch K ON K.kernel_id = S.id AND "
            "K.guid = S.guid JOIN rocpd_event E ON E.id = K.event_id AND E.guid = K.guid WHERE "
            "S.guid = ? AND S.display_name LIKE '%nccl%' ORDER BY K.start",
            "t", guid);
    while (!rows->failed && db_next(&c)) {
        if (!BASE_GROW(k->rows, k->count, &k->room)) {
            rows->failed = true;
            break;
        }
        k->rows[k->count++] = (wts_time_span_t){trace_clock_map(clock, db_uint(&c, 0)),
                                                trace_clock_map(clock, db_uint(&c, 1))};
        note(k, rows, db_uint(&c, 2));
        note(k, rows, db_uint(&c, 3));
    }
    return db_end(&c, "reading kernels of RCCL");
}

void wts_rccl_free(wts_rccl_t *k)
{
    free(k->rows);
    free(k->by_call.rows);
}

void wts_rccl_time(const wts_rccl_t *k, uint64_t call, trace_mpi_t *record)
{
    const uint64_t place = out_numbers_get(&k->by_call, call);
    if (!place || k->rows[place - 1].end < k->rows[place - 1].start) return;
    record->call.start = k->rows[place - 1].start;
    record->call.end = k->rows[place - 1].end;
}
