/* one_clock.c - see one_clock.h. Workers read the rows of messages, one file at a time. */
#include "rocpd/one_clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/pool.h"
#include "db/schema.h"
#include "trace/clocks_mpi.h"

typedef struct {
    const rocpd_processes_t *p;
    uint32_t *order; /* processes with messages, sorted by file */
    size_t *firsts;  /* of each file that is read: index in `order` of its first process */
    size_t pieces;
    trace_clock_ends_t ends;
} reading_t;

static int by_file(const void *a, const void *b, void *data)
{
    const rocpd_processes_t *p = data;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const size_t left = p->file(p->data, x), right = p->file(p->data, y);
    if (left != right) return left < right ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool sort_processes(reading_t *r)
{
    const size_t count = r->p->count;
    r->order = malloc((count + 1) * sizeof(*r->order));
    r->firsts = malloc((count + 1) * sizeof(*r->firsts));
    if (!r->order || !r->firsts) return false;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (r->p->facts[i].has_mpi) r->order[used++] = (uint32_t)i;
    qsort_r(r->order, used, sizeof(*r->order), by_file, (void *)(uintptr_t)r->p);
    for (size_t i = 0; i < used; i++)
        if (!i || r->p->file(r->p->data, r->order[i]) != r->p->file(r->p->data, r->order[i - 1]))
            r->firsts[r->pieces++] = i;
    r->firsts[r->pieces] = used;
    return true;
}

static const char *path_of(const void *data, size_t piece)
{
    const reading_t *r = data;
    const uint32_t first = r->order[r->firsts[piece]];
    return r->p->files->paths[r->p->file(r->p->data, first)];
}

/* Writes the rows of a process: its number and a text each. No process has more rows than ends. */
static int read_process(const reading_t *r, const db_t *db, uint32_t process, FILE *to)
{
    db_cursor_t c;
    int rows = 0;
    db_metadata(&c, db, r->p->guid(r->p->data, process));
    while (db_next(&c)) {
        if (strcmp(db_text(&c, 0), TRACE_CLOCK_TAG_MPI) != 0) continue;
        if (strlen(db_text(&c, 1)) >= TRACE_CLOCK_ENDS_TEXT) continue;
        if (rows++ == TRACE_CLOCK_ENDS_MOST) break;
        fwrite(&process, sizeof(process), 1, to);
        fprintf(to, "%s%c", db_text(&c, 1), 0);
    }
    return db_end(&c, "reading messages of MPI");
}

static int read_file(void *data, size_t piece, FILE *to)
{
    const reading_t *r = data;
    db_t db;
    if (rocpd_files_open(&db, path_of(r, piece)) != 0) return -1;
    int result = 0;
    for (size_t i = r->firsts[piece]; result == 0 && i < r->firsts[piece + 1]; i++)
        result = read_process(r, &db, r->order[i], to);
    db_close(&db);
    return result;
}

static int no_memory(void)
{
    base_error("comparing clocks: %s", strerror(ENOMEM));
    return -1;
}

static int take_file(void *data, size_t piece, const char *result, size_t bytes)
{
    reading_t *r = data;
    const size_t most = trace_clock_ends_share(r->p->count);
    (void)piece;
    while (bytes > sizeof(uint32_t)) {
        uint32_t process;
        memcpy(&process, result, sizeof(process));
        const size_t used = sizeof(process) + strlen(result + sizeof(process)) + 1;
        if (!trace_clock_ends_add(&r->ends, process, result + sizeof(process), most))
            return no_memory();
        result += used;
        bytes -= used;
    }
    return 0;
}

static int read_messages(reading_t *r)
{
    if (!sort_processes(r)) return no_memory();
    const unsigned workers = base_pool_size(0, r->pieces);
    const base_pool_t pool = {.count = r->pieces,
                              .workers = workers,
                              .ahead = 4 * (size_t)workers,
                              .work = read_file,
                              .take = take_file,
                              .name = path_of,
                              .data = r,
                              .stop = &db_interrupted};
    return base_pool_run(&pool);
}

int rocpd_one_clock(const rocpd_processes_t *p, trace_clock_map_t *maps)
{
    reading_t r = {.p = p};
    int result = trace_clock_wants_ends(p->facts, p->count) ? read_messages(&r) : 0;
    if (result == 0) {
        result = trace_clock_plan_by(p->facts, p->count, &r.ends, maps);
        if (result < 0) no_memory();
    }
    trace_clock_ends_free(&r.ends);
    free(r.order);
    free(r.firsts);
    return result;
}
