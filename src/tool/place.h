/* place.h - where the process runs: the machine, and its rank in a parallel program.
 *
 * It is apart from the sink, which stores facts and does not collect them. */
#ifndef CROCPROF_TOOL_PLACE_H
#define CROCPROF_TOOL_PLACE_H

#include "trace/keys.h"

/* Calls `put` for each fact that is known. */
void tool_place_put(const trace_keys_t *keys, void (*put)(const char *name, const char *value));

/* Calls `put` for each fact that is known only at the orderly end. */
void tool_place_put_end(void (*put)(const char *name, const char *value));

#endif
