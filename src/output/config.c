/* config.c - see config.h. Reads and checks values; a new setting is a field and a few lines here.
 */
#include "output/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/words.h"
#include "output/format.h"

typedef struct {
    out_variable_t variable;
    const void *from;
    char *why;
    size_t why_bytes;
} source_t;

static const char *value_of(const source_t *s, const char *name)
{
    const char *v = s->variable(s->from, name);
    return v && *v ? v : NULL;
}

static bool bool_of(const source_t *s, const char *name, bool otherwise)
{
    const char *v = value_of(s, name);
    return v ? base_truth(v) != 0 : otherwise;
}

static const char *const units[] = {"nsec", "usec", "msec", "sec"};

static int read_unit(out_config_t *c, const source_t *s)
{
    const char *v = value_of(s, "ROCPROF_STATS_SUMMARY_UNITS");
    if (!v) v = "nsec";
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        if (strcasecmp(v, units[i]) != 0) continue;
        strcpy(c->unit, units[i]);
        c->unit_ns = base_unit_ns(units[i]);
        return 0;
    }
    snprintf(s->why, s->why_bytes,
             "ROCPROF_STATS_SUMMARY_UNITS is '%s': choose sec, msec, usec or nsec", v);
    return -1;
}

static int read_agent_index(out_config_t *c, const source_t *s)
{
    static const char *const names[] = {
        [OUT_AGENT_RELATIVE] = "relative",
        [OUT_AGENT_ABSOLUTE] = "absolute",
        [OUT_AGENT_TYPE_RELATIVE] = "type-relative",
    };
    const char *v = value_of(s, "ROCPROF_AGENT_INDEX");
    for (int i = 0; i < 3; i++) {
        if (v && strcasecmp(v, names[i]) != 0) continue;
        c->agent_index = (out_agent_index_t)i;
        return 0;
    }
    snprintf(s->why, s->why_bytes,
             "ROCPROF_AGENT_INDEX is '%s': choose absolute, relative or type-relative", v);
    return -1;
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
    const char *at = value_of(s, "ROCPROF_STATS_SUMMARY_GROUPS");
    while (at && *at) {
        const char *end = strstr(at, OUT_GROUP_SEPARATOR);
        size_t bytes = end ? (size_t)(end - at) : strlen(at);
        if (bytes && add_group(c, s, at, bytes) != 0) return -1;
        at = end ? end + strlen(OUT_GROUP_SEPARATOR) : NULL;
    }
    return 0;
}

static int read_minimum(out_config_t *c, const source_t *s)
{
    const char *v = value_of(s, "ROCPROF_MINIMUM_OUTPUT_BYTES");
    if (!v || base_number(v, 0, UINT64_MAX, &c->minimum_bytes)) return 0;
    snprintf(s->why, s->why_bytes, "ROCPROF_MINIMUM_OUTPUT_BYTES is '%s': a whole number is needed",
             v);
    return -1;
}

static const char *const format_names[] = {
#define X(name, file, writer) #name,
    OUT_FORMATS(X)
#undef X
};

bool out_config_writes(const out_config_t *c, const char *format)
{
    unsigned formats = c->formats ? c->formats : 1u << OUT_FORMAT_rocpd;
    for (int i = 0; i < OUT_FORMAT_COUNT; i++)
        if (strcmp(format_names[i], format) == 0) return formats & 1u << i;
    return false;
}

/* Splits the list as AMD's tool does. rocprofv3 refuses unknown formats itself. If a program ran
 * without rocprofv3, they are reported when its store is converted, and the default is written. */
static void read_formats(out_config_t *c, const source_t *s)
{
    static const char gaps[] = " \t,;:";
    const char *v = value_of(s, "ROCPROF_OUTPUT_FORMAT");
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
    source_t s = {variable, from, why, why_bytes};
    *c = (out_config_t){.variable = variable, .from = from};
    c->stats = bool_of(&s, "ROCPROF_STATS", false);
    c->group_by_queue = bool_of(&s, "ROCPROF_GROUP_BY_QUEUE", false);
    c->config_file = bool_of(&s, "ROCPROF_OUTPUT_CONFIG_FILE", false);
    c->embed_sources = bool_of(&s, "ROCPROF_EMBED_SOURCES", false);
    c->source_paths = value_of(&s, "ROCPROF_SOURCE_PATH");
    const char *mode = value_of(&s, "ROCPROF_BENCHMARK_MODE");
    c->benchmark = mode && strcasecmp(mode, "none") != 0;
    c->summary = bool_of(&s, "ROCPROF_STATS_SUMMARY", false);
    c->summary_per_domain = bool_of(&s, "ROCPROF_STATS_SUMMARY_PER_DOMAIN", false);
    const char *output = value_of(&s, "ROCPROF_STATS_SUMMARY_OUTPUT");
    snprintf(c->summary_output, sizeof(c->summary_output), "%s", output ? output : "stderr");
    c->names = bool_of(&s, "ROCPROF_TRUNCATE_KERNELS", false)  ? TRACE_NAMES_TRUNCATED
               : bool_of(&s, "ROCPROF_DEMANGLE_KERNELS", true) ? TRACE_NAMES_DEMANGLED
                                                               : TRACE_NAMES_MANGLED;
    read_formats(c, &s);
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
