/* selection.c - see selection.h. The texts are arguments of the functions: the environment is not
 * read here. */
#include "trace/selection.h"

#include "base/instance.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define REFUSE(...) (snprintf(why, why_bytes, __VA_ARGS__), -1)

static const char separators[] = " \t\r,;";

bool trace_wants_counter(const char *wanted, const char *name, bool constant)
{
    if (strcmp(wanted, "all") != 0) return strcmp(wanted, name) == 0;
    return !constant && strcmp(name, "SQ_ACCUM_PREV") != 0 &&
           strcmp(name, "SQ_ACCUM_PREV_HIRES") != 0;
}

char *trace_instance_expression(const char *name)
{
    char *text = NULL;
    size_t bytes = strlen(name), base = base_instance_at(name, bytes);
    if (base == bytes ||
        asprintf(&text, "select(%.*s,[DIMENSION_INSTANCE=%s])", (int)base, name, name + base) < 0)
        return NULL;
    return text;
}

/* Reads a number and returns the end of its digits. A number that is too large for an int becomes
 * the largest int. */
static const char *read_device(int *device, const char *at, const char *end)
{
    for (*device = 0; at < end && isdigit((unsigned char)*at); at++)
        *device = *device > (INT_MAX - 9) / 10 ? INT_MAX : *device * 10 + (*at - '0');
    return at;
}

/* Reads NAME or NAME:device=N; the name may name one instance, as NAME[3]. */
static int read_wanted(trace_wanted_t *w, const char *word, size_t bytes, char *why,
                       size_t why_bytes)
{
    static const char qualifier[] = ":device=";
    size_t name = strcspn(word, ":");
    if (name > bytes) name = bytes;
    w->device = TRACE_ALL_DEVICES;
    if (name < bytes) {
        const char *at = word + name, *end = word + bytes;
        bool known =
            bytes - name > strlen(qualifier) && strncmp(at, qualifier, strlen(qualifier)) == 0;
        at += strlen(qualifier);
        if (known) at = read_device(&w->device, at, end);
        if (!known || at != end)
            return REFUSE("counter '%.*s': only :device=NUMBER may follow a name", (int)bytes,
                          word);
    }
    for (size_t i = 0; i < base_instance_at(word, name); i++)
        if (!isalnum((unsigned char)word[i]) && word[i] != '_')
            return REFUSE("counter '%.*s': a name has letters, digits and underscores", (int)bytes,
                          word);
    if (!name) return REFUSE("counter '%.*s': the name is missing", (int)bytes, word);
    w->name = strndup(word, name);
    return w->name ? 0 : REFUSE("%s", strerror(ENOMEM));
}

static int add_wanted(trace_set_t *s, const char *word, size_t bytes, char *why, size_t why_bytes)
{
    if (!BASE_GROW_BY_ONE(s->counters, s->count)) return REFUSE("%s", strerror(ENOMEM));
    trace_wanted_t *w = &s->counters[s->count];
    if (read_wanted(w, word, bytes, why, why_bytes) != 0) return -1;
    for (size_t i = 0; i < s->count; i++)
        if (s->counters[i].device == w->device && strcmp(s->counters[i].name, w->name) == 0) {
            free(w->name);
            return 0;
        }
    s->count++;
    return 0;
}

/* Adds a word to a set; "device=N" selects a further GPU for the counter before it, as in
 * NAME:device=0,device=1. */
static int add_word(trace_set_t *s, const char *word, size_t bytes, char *why, size_t why_bytes)
{
    static const char device[] = "device=";
    const trace_wanted_t *last = s->count ? &s->counters[s->count - 1] : NULL;
    if (!last || last->device == TRACE_ALL_DEVICES || strncmp(word, device, strlen(device)) != 0)
        return add_wanted(s, word, bytes, why, why_bytes);
    char *whole;
    int length = asprintf(&whole, "%s:%.*s", last->name, (int)bytes, word);
    if (length < 0) return REFUSE("%s", strerror(ENOMEM));
    int result = add_wanted(s, whole, (size_t)length, why, why_bytes);
    free(whole);
    return result;
}

static int read_set(trace_sets_t *s, const char *line, size_t bytes, char *why, size_t why_bytes)
{
    if (!BASE_GROW_BY_ONE(s->sets, s->count)) return REFUSE("%s", strerror(ENOMEM));
    trace_set_t *set = &s->sets[s->count++];
    *set = (trace_set_t){0};
    const char *end = line + bytes;
    while (line < end) {
        size_t gap = strspn(line, separators);
        line = gap < (size_t)(end - line) ? line + gap : end;
        size_t word = strcspn(line, separators);
        if (word > (size_t)(end - line)) word = (size_t)(end - line);
        if (word && add_word(set, line, word, why, why_bytes) != 0) return -1;
        line += word;
    }
    return set->count ? 0 : REFUSE("a set of counters is empty");
}

static int read_sets(trace_sets_t *s, const char *begin, const char *text, char *why,
                     size_t why_bytes)
{
    *s = (trace_sets_t){0};
    for (const char *next; text && *text; text = next) {
        size_t line = strcspn(text, "\n"), bytes = strcspn(text, "\n#");
        next = text + line + (text[line] == '\n');
        size_t gap = strspn(text, separators);
        if (gap >= bytes) continue;
        text += gap;
        bytes -= gap;
        const size_t skip = strlen(begin);
        if (strncmp(text, begin, skip) != 0)
            return REFUSE("'%.*s': a set of counters begins with %s", (int)bytes, text, begin);
        if (read_set(s, text + skip, bytes - skip, why, why_bytes) != 0) return -1;
    }
    return 0;
}

int trace_sets_read(trace_sets_t *s, const char *text, char *why, size_t why_bytes)
{
    return read_sets(s, "pmc:", text, why, why_bytes);
}

int trace_streams_read(trace_sets_t *s, const char *text, char *why, size_t why_bytes)
{
    return read_sets(s, "spm:", text, why, why_bytes);
}

void trace_sets_free(trace_sets_t *s)
{
    for (size_t i = 0; i < s->count; i++) {
        for (size_t j = 0; j < s->sets[i].count; j++)
            free(s->sets[i].counters[j].name);
        free(s->sets[i].counters);
    }
    free(s->sets);
    *s = (trace_sets_t){0};
}

static int read_expression(trace_pattern_t **to, const char *text, const char *option, char *why,
                           size_t why_bytes)
{
    char problem[512];
    if (!text || !*text) return 0;
    *to = trace_pattern_make(text, strlen(text), false, problem, sizeof(problem));
    return *to ? 0 : REFUSE("--%s: %s", option, problem);
}

static int read_number(const char **at, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)**at)) return -1;
    errno = 0;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return errno || !*number ? -1 : 0;
}

static int read_ranges(trace_selection_t *s, const char *text, char *why, size_t why_bytes)
{
    static const char gaps[] = " \t\n,[]";
    const char *at = text ? text : "";
    for (at += strspn(at, gaps); *at; at += strspn(at, gaps)) {
        trace_range_t range;
        const char *word = at;
        int bad = read_number(&at, &range.first);
        range.last = range.first;
        if (!bad && *at == '-') {
            at++;
            bad = read_number(&at, &range.last);
        }
        if (bad || range.last < range.first || (*at && !strchr(gaps, *at)))
            return REFUSE("--kernel-iteration-range: '%.*s': iterations are numbers from 1 and "
                          "ranges of them, as [1-3,5]",
                          (int)strcspn(word, gaps), word);
        if (!BASE_GROW_BY_ONE(s->ranges, s->range_count)) return REFUSE("%s", strerror(ENOMEM));
        s->ranges[s->range_count++] = range;
    }
    return 0;
}

int trace_selection_read(trace_selection_t *s, const char *include, const char *exclude,
                         const char *ranges, char *why, size_t why_bytes)
{
    memset(s, 0, sizeof(*s));
    if (read_expression(&s->include, include, "kernel-include-regex", why, why_bytes) != 0 ||
        read_expression(&s->exclude, exclude, "kernel-exclude-regex", why, why_bytes) != 0)
        return -1;
    return read_ranges(s, ranges, why, why_bytes);
}

void trace_selection_free(trace_selection_t *s)
{
    trace_pattern_free(s->include);
    trace_pattern_free(s->exclude);
    free(s->ranges);
    memset(s, 0, sizeof(*s));
}

bool trace_selects_kernel(const trace_selection_t *s, const char *name)
{
    if (s->include && !trace_pattern_matches(s->include, name)) return false;
    return !s->exclude || !trace_pattern_matches(s->exclude, name);
}

bool trace_selects_iteration(const trace_selection_t *s, uint64_t iteration)
{
    for (size_t i = 0; i < s->range_count; i++)
        if (iteration >= s->ranges[i].first && iteration <= s->ranges[i].last) return true;
    return !s->range_count;
}
