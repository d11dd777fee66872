/* pattern.h - regular expressions for names, with the syntax of ECMAScript.
 *
 * Only pattern.c uses the library that matches them (PCRE2). */
#ifndef CROCPROF_TRACE_PATTERN_H
#define CROCPROF_TRACE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct trace_pattern trace_pattern_t;

/* `whole`: the whole name has to match; else a part of it is enough. NULL, with a line in
 * `why` that names expression, problem and place, counted in bytes from 0. */
trace_pattern_t *trace_pattern_make(const char *text, size_t bytes, bool whole, char *why,
                                    size_t why_bytes);
void trace_pattern_free(trace_pattern_t *p);

/* Any thread may call this. If matching a name takes too many steps, the name counts as not
 * matched, and one warning says so. */
bool trace_pattern_matches(const trace_pattern_t *p, const char *name);

#endif
