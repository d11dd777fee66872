/* gather_rank.c - reads the facts about a rank from the metadata of its database: its number, its
 * losses, its clock (db/clocks.h). Each other fact is a line here. */
#include <stdlib.h>
#include <string.h>

#include "db/clocks.h"
#include "results/gather_part.h"
#include "trace/store.h"

void gather_rank_fact(gather_rank_t *r, const char *tag, const char *value)
{
    const uint64_t number = strtoull(value, NULL, 10);
    if (strcmp(tag, "rank") == 0) r->rank = (int64_t)number;
    if (strcmp(tag, "ranks") == 0) r->ranks = (int64_t)number;
    if (strcmp(tag, "records_dropped") == 0 || strcmp(tag, "names_lost") == 0) r->dropped += number;
    if (strcmp(tag, TRACE_TAG_UNCLOSED) == 0) r->unclosed = number != 0;
    db_clock_take(&r->clock, tag, value);
}
