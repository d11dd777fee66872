/* att.h - files of a store besides its segments: thread traces and the code they refer to. */
#ifndef CROCPROF_TRACE_ATT_H
#define CROCPROF_TRACE_ATT_H

#include <inttypes.h>

/* Name of the file with a thread trace: id of the agent, number of the shader engine, and id of the
 * dispatch or of whatever else was traced. */
#define TRACE_ATT_DATA_FORMAT "att-%" PRIu64 "-%" PRId64 "-%" PRIu64 ".raw"
#define TRACE_ATT_DATA_SCAN   "att-%" SCNu64 "-%" SCNd64 "-%" SCNu64 ".raw"
/* Name of the copy of a code object, by the code object's id. */
#define TRACE_ATT_CODE_FORMAT "code-%" PRIu64 ".elf"

#endif
