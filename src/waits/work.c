/* work.c - the GPU's operations for one rank, their order, and when the host waits for them. Only
 * the critical path needs single kernels and copies, so they are read for one rank after the other
 * and freed again. */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/sorted.h"
#include "waits/internal.h"

typedef struct {
    wts_work_t *k;
    wts_rows_t *rows;
    const db_t *db;
    const char *guid;
    const trace_clock_map_t *clock;
    out_numbers_t kernels; /* number of the name + 1, by kernel id */
} reading_t;

/* ---- calls ---- */

/* Returns whether the host waits in this call of HIP until the GPU has finished some work. */
static bool synchronizes(const char *name)
{
    return strstr(name, "Synchronize") ||
           (strncmp(name, "hipMemcpy", 9) == 0 && !strstr(name, "Async"));
}

wts_call_kind_t wts_call_kind(const char *name)
{
    const bool hip = strncmp(name, "hip", 3) == 0;
    return (wts_call_kind_t){.mpi = strncmp(name, "MPI_", 4) == 0 ? trace_mpi_find(name) : NULL,
                             .hip = hip,
                             .waits = hip ? synchronizes(name)
                                          : strncmp(name, "hsa_signal_wait", 15) == 0};
}

void wts_work_call(wts_work_t *k, wts_rows_t *rows, const wts_call_kind_t *kind, uint64_t stack,
                   uint64_t start, uint64_t end)
{
    if (kind->hip) {
        if (BASE_GROW(k->launches, k->launch_count, &k->launch_room))
            k->launches[k->launch_count++] = (wts_launch_t){stack, start};
        else
            rows->failed = true;
    }
    if ((!kind->mpi && !kind->waits) || end < start) return;
    if (BASE_GROW(k->calls, k->call_count, &k->call_room))
        k->calls[k->call_count++] =
            (wts_host_call_t){start, end, kind->mpi ? kind->mpi->name : NULL};
    else
        rows->failed = true;
}

static int read_names(reading_t *r)
{
    db_cursor_t c;
    db_rows(&c, r->db, "SELECT id, display_name FROM rocpd_info_kernel_symbol WHERE guid = ?", "t",
            r->guid);
    while (!r->rows->failed && db_next(&c)) {
        const int64_t name = wts_word(&r->rows->kernels, db_text(&c, 1));
        if (name < 0 || !out_numbers_set(&r->kernels, db_uint(&c, 0), (uint64_t)name + 1))
            r->rows->failed = true;
    }
    return db_end(&c, "reading kernels");
}

/* ---- kernels and copies ---- */

/* Sorts rows that are mostly in order. */
static void sort(void *rows, size_t count, size_t bytes, int (*order)(const void *, const void *))
{
    size_t i = 1;
    while (i < count && order((char *)rows + (i - 1) * bytes, (char *)rows + i * bytes) <= 0)
        i++;
    if (i < count) qsort(rows, count, bytes, order);
}

static int by_stack(const void *a, const void *b)
{
    const wts_launch_t *x = a, *y = b;
    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* Columns of a kernel or of a copy, which has no queue and no kernel; those of the event follow. */
enum { START = DB_RECORD_REST, END, STREAM, QUEUE, KERNEL, OF_KERNEL, OF_COPY = QUEUE };

static const db_wanted_t columns[] = {
    {.name = "guid", .text = true},   {.name = "event_id"},
    [START] = {.name = "start"},      [END] = {.name = "end"},
    [STREAM] = {.name = "stream_id"}, [QUEUE] = {.name = "queue_id"},
    [KERNEL] = {.name = "kernel_id"},
};
static const db_wanted_t event_columns[] = {{.name = "guid", .text = true}, {.name = "stack_id"}};
static const db_records_t kernels = {"rocpd_kernel_dispatch", columns, event_columns, OF_KERNEL, 2,
                                     .by_event = false};
static const db_records_t copies = {"rocpd_memory_copy", columns, event_columns, OF_COPY, 2,
                                    .by_event = false};

/* Reads operations. One that no call has launched counts as launched when it began. */
static int read_operations(reading_t *r, const db_records_t *which)
{
    const bool copy = which == &copies;
    const int stack = (int)which->records + 1;
    wts_work_t *k = r->k;
    db_cursor_t c;
    db_records(&c, r->db, which, r->guid);
    while (!r->rows->failed && db_next(&c)) {
        const wts_launch_t key = {.stack = db_uint(&c, stack)};
        const wts_launch_t *launch =
            key.stack && k->launch_count
                ? bsearch(&key, k->launches, k->launch_count, sizeof(key), by_stack)
                : NULL;
        wts_operation_t o = {.start = trace_clock_map(r->clock, db_uint(&c, START)),
                             .end = trace_clock_map(r->clock, db_uint(&c, END)),
                             .stream = db_uint(&c, STREAM),
                             .before = -1,
                             .name = WTS_IS_COPY};
        if (o.end < o.start) continue;
        o.launched = launch && launch->start < o.start ? launch->start : o.start;
        /* without HIP the queue replaces the stream */
        if (!o.stream) o.stream = ~(copy ? 0 : db_uint(&c, QUEUE));
        const uint64_t name = copy ? 0 : out_numbers_get(&r->kernels, db_uint(&c, KERNEL));
        if (!copy) o.name = name ? (int32_t)name - 1 : WTS_IS_NAMELESS;
        if (!BASE_GROW(k->operations, k->operation_count, &k->operation_room))
            r->rows->failed = true;
        else
            k->operations[k->operation_count++] = o;
    }
    return db_end(&c, copy ? "reading copies" : "reading kernels");
}

static int by_end(const void *a, const void *b)
{
    const wts_operation_t *x = a, *y = b;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

static int by_start(const void *a, const void *b)
{
    const wts_host_call_t *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Returns the number of operations that have ended until a moment. */
static size_t ended(const wts_work_t *k, uint64_t at)
{
    size_t i;
    BASE_SEARCH(i, k->operation_count, k->operations[i].end <= at);
    return i;
}

/* Finds for each operation the one before it in its stream. Only a limited number of operations
 * that ended later is searched, since a stream executes one operation after the other. */
static void order(wts_work_t *k)
{
    enum { LOOKED_AT = 256 };
    for (size_t i = 0; i < k->operation_count; i++) {
        wts_operation_t *o = &k->operations[i];
        size_t at = ended(k, o->start);
        if (at > i) at = i;
        for (unsigned n = 0; at-- && n < LOOKED_AT; n++)
            if (k->operations[at].stream == o->stream) {
                o->before = (int64_t)at;
                break;
            }
    }
}

int wts_work_read(wts_work_t *k, wts_rows_t *rows, const db_t *db, const char *guid,
                  const trace_clock_map_t *clock)
{
    reading_t r = {.k = k, .rows = rows, .db = db, .guid = guid, .clock = clock};
    int result = read_names(&r);
    sort(k->launches, k->launch_count, sizeof(*k->launches), by_stack);
    if (result == 0) result = read_operations(&r, &kernels);
    if (result == 0) result = read_operations(&r, &copies);
    sort(k->operations, k->operation_count, sizeof(*k->operations), by_end);
    sort(k->calls, k->call_count, sizeof(*k->calls), by_start);
    order(k);
    free(r.kernels.rows);
    return result;
}

void wts_work_free(wts_work_t *k)
{
    free(k->operations);
    free(k->calls);
    free(k->launches);
}

void wts_work_waits(const wts_work_t *k, wts_rows_t *rows)
{
    for (size_t i = 0; i < k->call_count; i++) {
        const wts_host_call_t *c = &k->calls[i];
        const size_t done = c->function ? 0 : ended(k, c->end);
        if (!done || k->operations[done - 1].end <= c->start) continue;
        const wts_operation_t *last = &k->operations[done - 1], *o = last;
        while (wts_follows(k, o))
            o = &k->operations[o->before];
        if (BASE_GROW(rows->gpu, rows->gpu_count, &rows->gpu_room))
            rows->gpu[rows->gpu_count++] = (wts_time_span_t){o->launched, last->end};
        else
            rows->failed = true;
    }
}
