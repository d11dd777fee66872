/* place.h - where the process runs: the machine, and its rank in a parallel program.
 *
 * Apart from the sink, which knows where facts go and not what they are. */
#ifndef CROCPROF_TOOL_PLACE_H
#define CROCPROF_TOOL_PLACE_H

#include "trace/keys.h"

/* Calls `put` for each fact that is known. */
void tool_place_put(const trace_keys_t *keys, void (*put)(const char *name, const char *value));

/* The same for what is known at the orderly end alone. */
void tool_place_put_end(void (*put)(const char *name, const char *value));

#endif
