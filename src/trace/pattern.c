/* pattern.c - see pattern.h. PCRE2 is configured to read expressions as std::regex does.
 *
 * Bytes are characters, as for std::regex over char: names of kernels need not be valid UTF-8. */
#include "trace/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* The most backtracking steps of one match, about a tenth of a second. */
enum { STEPS_MAX = 1000000 };

struct trace_pattern {
    pcre2_code *code;
    pcre2_match_context *limits;
    atomic_bool told;
    char text[];
};

/* The options that make PCRE2 follow ECMAScript where Perl differs from it: [] and [^] are classes,
 * $ matches only at the very end, \u and \x take hex digits, and a reference to a group that has
 * not matched matches the empty string. */
static const uint32_t ecmascript =
    PCRE2_ALLOW_EMPTY_CLASS | PCRE2_DOLLAR_ENDONLY | PCRE2_ALT_BSUX | PCRE2_MATCH_UNSET_BACKREF;

trace_pattern_t *trace_pattern_make(const char *text, size_t bytes, bool whole, char *why,
                                    size_t why_bytes)
{
    int error;
    size_t offset;
    char problem[160];
    trace_pattern_t *p = calloc(1, sizeof(*p) + bytes + 1);
    if (p) p->limits = pcre2_match_context_create(NULL);
    if (!p || !p->limits) {
        snprintf(why, why_bytes, "%s", strerror(ENOMEM));
        goto fail;
    }
    memcpy(p->text, text, bytes);
    pcre2_set_match_limit(p->limits, STEPS_MAX);
    uint32_t ends = whole ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0;
    p->code = pcre2_compile((PCRE2_SPTR)text, bytes, ecmascript | ends, &error, &offset, NULL);
    if (p->code) return p;
    pcre2_get_error_message(error, (PCRE2_UCHAR *)problem, sizeof(problem));
    snprintf(why, why_bytes, "'%s': %s at offset %zu", p->text, problem, offset);
fail:
    trace_pattern_free(p);
    return NULL;
}

void trace_pattern_free(trace_pattern_t *p)
{
    if (!p) return;
    pcre2_code_free(p->code);
    pcre2_match_context_free(p->limits);
    free(p);
}

static void tell(const trace_pattern_t *p, const char *name, int error)
{
    char problem[160];
    atomic_bool *told = (atomic_bool *)&p->told;
    if (atomic_exchange(told, true)) return;
    pcre2_get_error_message(error, (PCRE2_UCHAR *)problem, sizeof(problem));
    base_warning("'%s' is taken not to match '%s', perhaps others: %s", p->text, name, problem);
}

bool trace_pattern_matches(const trace_pattern_t *p, const char *name)
{
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    int result = data ? pcre2_match(p->code, (PCRE2_SPTR)name, strlen(name), 0, 0, data, p->limits)
                      : PCRE2_ERROR_NOMEMORY;
    pcre2_match_data_free(data);
    if (result < 0 && result != PCRE2_ERROR_NOMATCH) tell(p, name, result);
    return result >= 0;
}
