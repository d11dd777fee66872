/* att.h - files of a store besides its segments: thread traces and the code they refer to. */
#ifndef CROCPROF_TRACE_ATT_H
#define CROCPROF_TRACE_ATT_H

#include <inttypes.h>

/* Agent, shader engine, and the dispatch or what else the trace is of. */
#define TRACE_ATT_DATA_FORMAT "att-%" PRIu64 "-%" PRId64 "-%" PRIu64 ".raw"
#define TRACE_ATT_DATA_SCAN   "att-%" SCNu64 "-%" SCNd64 "-%" SCNu64 ".raw"
/* Code object. */
#define TRACE_ATT_CODE_FORMAT "code-%" PRIu64 ".elf"

#endif
