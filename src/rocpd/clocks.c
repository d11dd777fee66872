/* clocks.c - see clocks.h. It looks up processes; trace/clocks.c computes the maps. */
#include "rocpd/clocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "rocpd/one_clock.h"

static const char *guid_of(const void *data, size_t place)
{
    return ((const rocpd_base_t *)data)->places[place].guid;
}

static size_t file_of(const void *data, size_t place)
{
    return ((const rocpd_base_t *)data)->places[place].file;
}

static int no_memory(void)
{
    base_error("reading clocks: %s", strerror(ENOMEM));
    return -1;
}

int rocpd_clocks_begin(rocpd_clocks_t *c, rocpd_base_t *b)
{
    *c = (rocpd_clocks_t){.base = b};
    if (rocpd_find_places(b) != 0) return -1;
    const size_t count = b->place_count;
    trace_clock_facts_t *facts = calloc(count + 1, sizeof(*facts));
    c->maps = calloc(count + 1, sizeof(*c->maps));
    for (size_t i = 0; facts && i < count; i++) {
        facts[i] = b->places[i].clock;
        facts[i].last_ns = b->places[i].end;
    }
    const rocpd_processes_t processes = {b->files, count, facts, guid_of, file_of, b};
    const int any = facts && c->maps ? rocpd_one_clock(&processes, c->maps) : no_memory();
    free(facts);
    c->any = any > 0;
    if (any >= 0) return 0;
    rocpd_clocks_end(c);
    return -1;
}

void rocpd_clocks_end(rocpd_clocks_t *c)
{
    free(c->maps);
    *c = (rocpd_clocks_t){0};
}

const trace_clock_map_t *rocpd_clocks_of(const rocpd_clocks_t *c, const char *guid)
{
    static const trace_clock_map_t none = {.source = TRACE_CLOCK_SAME};
    const rocpd_place_t *place = c->any ? rocpd_find_place(c->base, guid) : NULL;
    return place ? &c->maps[place - c->base->places] : &none;
}

void rocpd_clocks_say(const rocpd_clocks_t *c, char *text, size_t bytes)
{
    size_t changed = 0;
    uint64_t error_ns = 0;
    bool bounded = true, contradicted = false, by_mpi = false;
    for (size_t i = 0; i < c->base->place_count; i++) {
        const trace_clock_map_t *m = &c->maps[i];
        changed += m->source != TRACE_CLOCK_SAME && m->source != TRACE_CLOCK_ALONE;
        bounded &= trace_clock_bounded(m);
        contradicted |= m->contradicted;
        by_mpi |= m->source == TRACE_CLOCK_MPI;
        if (m->error_ns > error_ns) error_ns = m->error_ns;
    }
    char error[64] = "as far off as NTP lets it be";
    if (bounded) snprintf(error, sizeof(error), "%.1f us off at most", (double)error_ns * 1e-3);
    snprintf(text, bytes, "times of %zu of %zu processes are changed to one clock, %s%s%s", changed,
             c->base->place_count, error, by_mpi ? " by calls of MPI" : "",
             contradicted ? " (calls of MPI contradict each other: they fit no line)" : "");
}

static void time_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    const rocpd_clocks_t *c = sqlite3_user_data(context);
    (void)count;
    if (sqlite3_value_type(values[1]) == SQLITE_NULL) return; /* the result is NULL */
    const char *guid = (const char *)sqlite3_value_text(values[0]);
    const uint64_t ns = (uint64_t)sqlite3_value_int64(values[1]);
    const trace_clock_map_t *map = rocpd_clocks_of(c, guid ? guid : "");
    sqlite3_result_int64(context, (sqlite3_int64)trace_clock_map(map, ns));
}

int rocpd_clocks_function(const rocpd_clocks_t *c, const db_t *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    db_spoil(db);
    if (sqlite3_create_function(db->handle, "rocpd_time", 2, flags, (void *)(uintptr_t)c,
                                time_function, NULL, NULL) == SQLITE_OK)
        return 0;
    base_error("clocks: %s", sqlite3_errmsg(db->handle));
    return -1;
}

void rocpd_clocks_csv(const rocpd_clocks_t *c, out_file_t *f)
{
    out_text(f, "\"Guid\",\"Rank\",\"Clock\",\"At\",\"Offset_Ns\",\"Drift_Ppm\",\"Error_Ns\"\n");
    for (size_t i = 0; i < c->base->place_count; i++) {
        const rocpd_place_t *p = &c->base->places[i];
        const trace_clock_map_t *m = &c->maps[i];
        char line[512], what[256], error[32] = "";
        trace_clock_say(m, what, sizeof(what));
        if (trace_clock_bounded(m))
            snprintf(error, sizeof(error), "%llu", (unsigned long long)m->error_ns);
        snprintf(line, sizeof(line), "\"%s\",%ld,\"%s\",%llu,%lld,%.6f,%s\n", p->guid,
                 p->clock.rank, what, (unsigned long long)m->at_ns, (long long)m->offset_ns,
                 m->drift * 1e6, error);
        out_text(f, line);
    }
}
