/* config.c - see config.h. It reads and checks the values; a new one is a row of
 * trace/settings.def, and a field and a line here. */
#include "output/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/words.h"
#include "output/format.h"

typedef struct {
    const trace_variables_t *variables;
    char *why;
    size_t why_bytes;
} source_t;

static const char *value_of(const source_t *s, trace_setting_id_t id)
{
    return trace_setting_in(s->variables, id);
}

static bool is_on(const source_t *s, trace_setting_id_t id)
{
    return trace_setting_on_in(s->variables, id);
}

/* Writes "a, b or c" for "a b c". */
static void put_choices(const char *words, char *text, size_t bytes)
{
    size_t used = 0;
    while (*words && used < bytes) {
        const size_t length = strcspn(words, " ");
        const char *rest = words + length + strspn(words + length, " ");
        used += (size_t)snprintf(text + used, bytes - used, "%.*s%s", (int)length, words,
                                 !*rest              ? ""
                                 : strchr(rest, ' ') ? ", "
                                                     : " or ");
        words = rest;
    }
}

/* Returns the index of the value among the setting's words; -1 with a line in `why`. */
static int choice(const source_t *s, trace_setting_id_t id)
{
    const char *v = value_of(s, id), *words = trace_settings[id].words;
    const int place = trace_word_among(words, v, strlen(v), NULL);
    char choices[128];
    if (place >= 0) return place;
    put_choices(words, choices, sizeof(choices));
    snprintf(s->why, s->why_bytes, "%s is '%s': choose %s", trace_settings[id].variable, v,
             choices);
    return -1;
}

static int read_unit(out_config_t *c, const source_t *s)
{
    const char *v = value_of(s, TRACE_SET_SUMMARY_UNITS), *unit;
    if (choice(s, TRACE_SET_SUMMARY_UNITS) < 0) return -1;
    trace_word_among(trace_settings[TRACE_SET_SUMMARY_UNITS].words, v, strlen(v), &unit);
    snprintf(c->unit, sizeof(c->unit), "%.*s", (int)strlen(v), unit);
    c->unit_ns = base_unit_ns(c->unit);
    return 0;
}

static int read_agent_index(out_config_t *c, const source_t *s)
{
    /* ORDER: the setting's words */
    static const out_agent_index_t indices[] = {OUT_AGENT_ABSOLUTE, OUT_AGENT_RELATIVE,
                                                OUT_AGENT_TYPE_RELATIVE};
    const int place = choice(s, TRACE_SET_AGENT_INDEX);
    if (place < 0) return -1;
    c->agent_index = indices[place];
    return 0;
}

/* Adds a group for an expression, which must match the whole name of a domain. */
static int add_group(out_config_t *c, const source_t *s, const char *text, size_t bytes)
{
    char problem[512];
    if (c->group_count == OUT_GROUPS_MAX) {
        snprintf(s->why, s->why_bytes, "summary groups: at most %d expressions", OUT_GROUPS_MAX);
        return -1;
    }
    trace_pattern_t *group = trace_pattern_make(text, bytes, true, problem, sizeof(problem));
    if (!group) {
        snprintf(s->why, s->why_bytes, "summary group %s", problem);
        return -1;
    }
    c->groups[c->group_count++] = group;
    return 0;
}

static int read_groups(out_config_t *c, const source_t *s)
{
    const char *at = trace_setting_given_in(&c->variables, TRACE_SET_SUMMARY_GROUPS);
    const char *gap = trace_settings[TRACE_SET_SUMMARY_GROUPS].joined;
    while (at && *at) {
        const char *end = strstr(at, gap);
        size_t bytes = end ? (size_t)(end - at) : strlen(at);
        if (bytes && add_group(c, s, at, bytes) != 0) return -1;
        at = end ? end + strlen(gap) : NULL;
    }
    return 0;
}

static int read_minimum(out_config_t *c, const source_t *s)
{
    const char *v = value_of(s, TRACE_SET_MINIMUM_OUTPUT_DATA);
    if (base_number(v, 0, UINT64_MAX, &c->minimum_bytes)) return 0;
    snprintf(s->why, s->why_bytes, "%s is '%s': a whole number is needed",
             trace_settings[TRACE_SET_MINIMUM_OUTPUT_DATA].variable, v);
    return -1;
}

static const char *const format_names[] = {
#define X(name, file, writer) #name,
    OUT_FORMATS(X)
#undef X
};

bool out_config_writes(const out_config_t *c, const char *format)
{
    if (!c->formats) return strcmp(format, trace_setting_default(TRACE_SET_OUTPUT_FORMAT)) == 0;
    for (int i = 0; i < OUT_FORMAT_COUNT; i++)
        if (strcmp(format_names[i], format) == 0) return c->formats & 1u << i;
    return false;
}

/* Splits the list as AMD's tool does. rocprofv3 refuses unknown formats itself. If a program ran
 * without rocprofv3, they are reported when its store is converted, and the default is written. */
static void read_formats(out_config_t *c)
{
    static const char gaps[] = " \t,;:";
    const char *v = trace_setting_given_in(&c->variables, TRACE_SET_OUTPUT_FORMAT);
    for (size_t bytes; v && *(v += strspn(v, gaps)); v += bytes) {
        bytes = strcspn(v, gaps);
        for (int i = 0; i < OUT_FORMAT_COUNT; i++)
            if (strlen(format_names[i]) == bytes && strncasecmp(v, format_names[i], bytes) == 0)
                c->formats |= 1u << i;
    }
}

int out_config_read(out_config_t *c, out_variable_t variable, const void *from, char *why,
                    size_t why_bytes)
{
    source_t s = {&c->variables, why, why_bytes};
    *c = (out_config_t){.variables = {variable, from}};
    c->stats = is_on(&s, TRACE_SET_STATS);
    c->group_by_queue = is_on(&s, TRACE_SET_GROUP_BY_QUEUE);
    c->config_file = is_on(&s, TRACE_SET_OUTPUT_CONFIG);
    c->embed_sources = is_on(&s, TRACE_SET_EMBED_SOURCES);
    c->source_paths = trace_setting_given_in(&c->variables, TRACE_SET_SOURCE_PATH);
    c->benchmark = strcasecmp(value_of(&s, TRACE_SET_BENCHMARK_MODE), "none") != 0;
    c->summary = is_on(&s, TRACE_SET_SUMMARY);
    c->summary_per_domain = is_on(&s, TRACE_SET_SUMMARY_PER_DOMAIN);
    snprintf(c->summary_output, sizeof(c->summary_output), "%s",
             value_of(&s, TRACE_SET_SUMMARY_OUTPUT_FILE));
    c->names = is_on(&s, TRACE_SET_TRUNCATE_KERNELS)  ? TRACE_NAMES_TRUNCATED
               : is_on(&s, TRACE_SET_MANGLED_KERNELS) ? TRACE_NAMES_MANGLED
                                                      : TRACE_NAMES_DEMANGLED;
    read_formats(c);
    if (read_unit(c, &s) != 0 || read_agent_index(c, &s) != 0) return -1;
    if (read_minimum(c, &s) != 0) return -1;
    return read_groups(c, &s);
}

void out_config_free(out_config_t *c)
{
    for (int i = 0; i < c->group_count; i++)
        trace_pattern_free(c->groups[i]);
    c->group_count = 0;
}

bool out_config_summaries(const out_config_t *c)
{
    return c->summary || c->summary_per_domain || c->group_count;
}
