/* clocks.c - fuzz target: any texts at all are taken as what databases say about clocks, and a plan
 * is made of them without harm.
 *
 * The input is lines. The first character of a line says which process of four, on three nodes, it
 * is about, and the second one which fact it is. What the plan says has to be in order: processes
 * of one node have one map, which makes no clock run much faster or slower. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/clocks_mpi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PROCESSES = 4, KEPT = 40 };

static void take(trace_clock_facts_t *f, char what, const char *text, trace_clock_ends_t *ends,
                 uint32_t process)
{
    trace_clock_day_t *day = what == 'l' || what == 'L' ? &f->last : &f->first;
    switch (what) {
    case 'b': trace_clock_read(text, &f->begin); break;
    case 'e': trace_clock_read(text, &f->end); break;
    case 'd':
    case 'l':
        if (sscanf(text, "%" SCNu64 " %" SCNu64, &day->boottime_ns, &day->realtime_ns) != 2)
            *day = (trace_clock_day_t){0};
        break;
    case 'D':
    case 'L': day->error_ns = trace_clock_read_ntp(text); break;
    case 't': f->last_ns = strtoull(text, NULL, 10); break;
    default:
        f->has_mpi = true;
        if (!trace_clock_ends_add(ends, process, text, KEPT)) abort();
    }
}

static void check(const trace_clock_map_t *maps)
{
    char text[256];
    if (maps[0].source != maps[1].source || maps[0].at_ns != maps[1].at_ns ||
        maps[0].offset_ns != maps[1].offset_ns || maps[0].drift != maps[1].drift)
        abort();
    for (int i = 0; i < PROCESSES; i++) {
        const trace_clock_map_t *m = &maps[i];
        if (!(m->drift > -0.01 && m->drift < 0.01)) abort();
        trace_clock_say(m, text, sizeof(text));
        if (trace_clock_map(m, m->at_ns) != m->at_ns + (uint64_t)m->offset_ns &&
            m->source != TRACE_CLOCK_SAME && m->source != TRACE_CLOCK_ALONE)
            abort();
        (void)trace_clock_map(m, 0);
        (void)trace_clock_map(m, UINT64_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    trace_clock_facts_t facts[PROCESSES];
    trace_clock_map_t maps[PROCESSES];
    trace_clock_ends_t ends = {0};
    char *text = malloc(size + 1), *rest = text;
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = 0;
    for (uint32_t i = 0; i < PROCESSES; i++) {
        facts[i] = (trace_clock_facts_t){.rank = (long)i};
        snprintf(facts[i].boot, sizeof(facts[i].boot), "node %u", i / 2 + i / 3);
    }
    /* rows of a process have to come together */
    for (uint32_t process = 0; process < PROCESSES; process++) {
        memcpy(text, data, size);
        rest = text;
        for (char *line; (line = strsep(&rest, "\n"));)
            if (*line == (char)('0' + process) && line[1])
                take(&facts[process], line[1], line + 2, &ends, process);
    }
    if (ends.count > PROCESSES * KEPT) abort();
    trace_clock_wants_ends(facts, PROCESSES);
    if (trace_clock_plan_by(facts, PROCESSES, &ends, maps) < 0) abort();
    check(maps);
    trace_clock_ends_free(&ends);
    free(text);
    return 0;
}
