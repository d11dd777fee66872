/* clocks.c - see clocks.h. A new fact is a tag here and in src/output/rocpd.c. */
#include "db/clocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/schema.h"
#include "trace/clocks_mpi.h"

void db_clock_take(trace_clock_facts_t *f, const char *tag, const char *value)
{
    if (strcmp(tag, "boot_id") == 0)
        snprintf(f->boot, sizeof(f->boot), "%s", value);
    else if (strcmp(tag, "rank") == 0)
        f->rank = strtol(value, NULL, 10);
    else if (strcmp(tag, "clock_boottime_ns") == 0)
        f->first.boottime_ns = strtoull(value, NULL, 10);
    else if (strcmp(tag, "clock_realtime_ns") == 0)
        f->first.realtime_ns = strtoull(value, NULL, 10);
    else if (strcmp(tag, "clock_last") == 0 &&
             sscanf(value, "%" SCNu64 " %" SCNu64, &f->last.boottime_ns, &f->last.realtime_ns) != 2)
        f->last = (trace_clock_day_t){0};
    else if (strcmp(tag, TRACE_CLOCK_TAG_MPI) == 0)
        f->has_mpi = true;
    else if (strcmp(tag, TRACE_CLOCK_TAG_NTP) == 0)
        f->first.error_ns = trace_clock_read_ntp(value);
    else if (strcmp(tag, TRACE_CLOCK_TAG_NTP_LAST) == 0)
        f->last.error_ns = trace_clock_read_ntp(value);
    else if (strcmp(tag, TRACE_CLOCK_TAG_BEGIN) == 0)
        trace_clock_read(value, &f->begin);
    else if (strcmp(tag, TRACE_CLOCK_TAG_END) == 0)
        trace_clock_read(value, &f->end);
}

int db_clock_facts(const db_t *db, const char *guid, trace_clock_facts_t *facts)
{
    db_cursor_t c;
    *facts = (trace_clock_facts_t){.rank = -1};
    db_metadata(&c, db, guid);
    while (db_next(&c)) {
        char tag[64];
        snprintf(tag, sizeof(tag), "%s", db_text(&c, 0));
        db_clock_take(facts, tag, db_text(&c, 1));
    }
    return db_end(&c, "reading what is known of clocks");
}
