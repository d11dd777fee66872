/* settings.c - see settings.h. */
#include "trace/settings.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/env.h"
#include "base/words.h"

#define GENERAL  "General"
#define OUTPUT   "Input and output"
#define ALL      "Aggregate tracing"
#define BASIC    "Basic tracing"
#define GRANULAR "Granular tracing"
#define AFTER    "Post-processing"
#define COUNTERS "Counter collection"
#define SUMMARY  "Summary"
#define NAMING   "Kernel naming"
#define FILTER   "Filtering"
#define DISPLAY  "Display"
#define ADVANCED "Advanced"
#define PERFETTO "Perfetto"
#define ATTACH   "Attaching"
#define SAMPLING "PC sampling"
#define ATT      "Thread traces"

/* The names of OUT_FORMATS (output/format.h), which this room is not allowed to read. */
#ifdef CROCPROF_OTF2
#define FORMATS "csv json otf2 pftrace rocpd callgrind html"
#else
#define FORMATS "csv json pftrace rocpd callgrind html"
#endif

#define MANY (UINT64_C(1) << 40)

/* The options that --runtime-trace and --sys-trace have in common, apart from those for functions
 * of HIP and HSA. */
#define BOTH_TRACES                                                                                \
    "marker-trace kernel-trace memory-copy-trace memory-allocation-trace scratch-memory-trace "    \
    "rccl-trace rocdecode-trace rocjpeg-trace rocshmem-trace hipfile-trace ompt-trace kfd-trace"

const trace_setting_t trace_settings[TRACE_SET_COUNT] = {
#define OPTION(id, name_, form_, group_, ...)                                                      \
    {.name = name_, .form = TRACE_FORM_##form_, .group = group_, .help = __VA_ARGS__},
#define VARIABLE(id, variable_, form_, ...)                                                        \
    {.variable = variable_, .form = TRACE_FORM_##form_, .help = __VA_ARGS__},
#include "trace/settings.def"
};

const trace_rule_t trace_rules[] = {
#define RULE(relation, options, others, reason) {TRACE_##relation, options, others, reason},
#include "trace/settings.def"
};

const size_t trace_rule_count = sizeof(trace_rules) / sizeof(*trace_rules);

bool trace_setting_traces(trace_setting_id_t id)
{
    static const char *const headings[] = {ALL, BASIC, GRANULAR};
    const char *group = trace_settings[id].group;
    for (size_t i = 0; group && i < sizeof(headings) / sizeof(*headings); i++)
        if (strcmp(group, headings[i]) == 0) return true;
    return false;
}

const char *trace_setting_default(trace_setting_id_t id)
{
    const trace_setting_t *s = &trace_settings[id];
    if (s->fallback) return s->fallback;
    if (s->form == TRACE_FORM_NOT) return "yes";
    return s->form == TRACE_FORM_BOOL || s->form == TRACE_FORM_PARTS ? "no" : "";
}

static const char *value_here(const void *from, const char *name)
{
    (void)from;
    return base_env(name);
}

const trace_variables_t trace_environment = {value_here, NULL};

const char *trace_setting_given_in(const trace_variables_t *v, trace_setting_id_t id)
{
    const char *name = trace_settings[id].variable;
    const char *value = name ? v->value(v->from, name) : NULL;
    return value && *value ? value : NULL;
}

const char *trace_setting_in(const trace_variables_t *v, trace_setting_id_t id)
{
    const char *value = trace_setting_given_in(v, id);
    return value ? value : trace_setting_default(id);
}

bool trace_setting_on_in(const trace_variables_t *v, trace_setting_id_t id)
{
    const bool on = base_truth(trace_setting_in(v, id)) != 0;
    return on != (trace_settings[id].form == TRACE_FORM_NOT);
}

const char *trace_setting_given(trace_setting_id_t id)
{
    return trace_setting_given_in(&trace_environment, id);
}

const char *trace_setting(trace_setting_id_t id)
{
    return trace_setting_in(&trace_environment, id);
}

bool trace_setting_on(trace_setting_id_t id)
{
    return trace_setting_on_in(&trace_environment, id);
}

uint64_t trace_setting_number(trace_setting_id_t id)
{
    const trace_setting_t *s = &trace_settings[id];
    uint64_t otherwise = 0;
    base_number(trace_setting_default(id), 0, INT64_MAX, &otherwise);
    /* a default of 0 means that a feature is off; users may write 0, too, although it is below
     * `least` */
    const uint64_t least = otherwise < s->least ? otherwise : s->least;
    return (uint64_t)base_env_int(s->variable, (int64_t)otherwise, (int64_t)least,
                                  s->most ? (int64_t)s->most : INT64_MAX);
}

int trace_word_among(const char *list, const char *word, size_t bytes, const char **found)
{
    int place = 0;
    for (const char *at = list; *at; at += strspn(at, " "), place++) {
        const size_t length = strcspn(at, " ");
        if (length == bytes && strncasecmp(at, word, bytes) == 0) {
            if (found) *found = at;
            return place;
        }
        at += length;
    }
    return -1;
}

int trace_setting_choice(trace_setting_id_t id)
{
    const char *value = trace_setting(id);
    return trace_word_among(trace_settings[id].words, value, strlen(value), NULL);
}

int trace_setting_set(trace_setting_id_t id, const char *value)
{
    return setenv(trace_settings[id].variable, value, 1);
}
