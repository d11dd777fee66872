/* gather_rank.c - reads the facts about a rank from the metadata of its database: its number, its
 * losses, its clock. Each such fact is a line here. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/gather_part.h"
#include "trace/clocks_mpi.h"
#include "trace/store.h"

void gather_rank_fact(gather_rank_t *r, const char *tag, const char *value)
{
    trace_clock_facts_t *f = &r->clock;
    const uint64_t number = strtoull(value, NULL, 10);
    if (strcmp(tag, "rank") == 0) r->rank = (int64_t)number;
    if (strcmp(tag, "ranks") == 0) r->ranks = (int64_t)number;
    if (strcmp(tag, "records_dropped") == 0 || strcmp(tag, "names_lost") == 0) r->dropped += number;
    if (strcmp(tag, TRACE_TAG_UNCLOSED) == 0) r->unclosed = number != 0;
    if (strcmp(tag, TRACE_INFO_BOOT) == 0) snprintf(f->boot, sizeof(f->boot), "%s", value);
    if (strcmp(tag, "clock_boottime_ns") == 0) f->first.boottime_ns = number;
    if (strcmp(tag, "clock_realtime_ns") == 0) f->first.realtime_ns = number;
    if (strcmp(tag, TRACE_INFO_LAST) == 0)
        sscanf(value, "%" SCNu64 " %" SCNu64, &f->last.boottime_ns, &f->last.realtime_ns);
    if (strcmp(tag, TRACE_CLOCK_TAG_MPI) == 0) f->has_mpi = true;
    if (strcmp(tag, TRACE_CLOCK_TAG_NTP) == 0) f->first.error_ns = trace_clock_read_ntp(value);
    if (strcmp(tag, TRACE_CLOCK_TAG_NTP_LAST) == 0) f->last.error_ns = trace_clock_read_ntp(value);
    if (strcmp(tag, TRACE_CLOCK_TAG_BEGIN) == 0) trace_clock_read(value, &f->begin);
    if (strcmp(tag, TRACE_CLOCK_TAG_END) == 0) trace_clock_read(value, &f->end);
}
