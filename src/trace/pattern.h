/* pattern.h - regular expressions for names, with the syntax of ECMAScript.
 *
 * They are matched by PCRE2, which only pattern.c uses. */
#ifndef CROCPROF_TRACE_PATTERN_H
#define CROCPROF_TRACE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct trace_pattern trace_pattern_t;

/* Compiles an expression. With `whole` it must match the whole name, else a part of the name is
 * enough. Returns NULL with a line in `why` that names the expression, the problem and its place,
 * counted in bytes from 0. */
trace_pattern_t *trace_pattern_make(const char *text, size_t bytes, bool whole, char *why,
                                    size_t why_bytes);
void trace_pattern_free(trace_pattern_t *p);

/* May be called from any thread. If a match takes too many steps, the name counts as not matched,
 * and one warning says so. */
bool trace_pattern_matches(const trace_pattern_t *p, const char *name);

#endif
