/* att.c - see att.h. Apart from the parser, which looks at one option at a time. */
#include "cli/att.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "output/att.h"
#include "trace/settings.h"

#define REFUSE(...) (snprintf(why, why_bytes, __VA_ARGS__), -1)

/* Counters for the activity of all units, which the viewer's summary shows. */
static const char activity[] =
    "SQ_BUSY_CU_CYCLES SQ_VALU_MFMA_BUSY_CYCLES SQ_ACTIVE_INST_VALU SQ_ACTIVE_INST_LDS "
    "SQ_ACTIVE_INST_VMEM SQ_ACTIVE_INST_FLAT SQ_ACTIVE_INST_SCA SQ_ACTIVE_INST_MISC";

bool cli_att_is_on(const cli_command_t *c)
{
    return cli_is_on(c, CLI_ATT) || cli_is_on(c, CLI_ATT_NO_INTERCEPT);
}

static int check_values(const cli_command_t *c, char *why, size_t why_bytes)
{
    for (int i = CLI_ATT_LIBRARY_PATH; i <= CLI_ATT_NO_DETAIL; i++) {
        const trace_setting_t *s = &trace_settings[i];
        uint64_t number;
        if (c->values[i] && s->most && !base_number(c->values[i], s->least, s->most, &number))
            return REFUSE("--%s: %s is not from %" PRIu64 " to %" PRIu64, s->name, c->values[i],
                          s->least, s->most);
    }
    const char *gpus = c->values[CLI_ATT_GPU_INDEX];
    if (gpus && gpus[strspn(gpus, "0123456789, \n")])
        return REFUSE("--att-gpu-index: '%s' is no list of numbers", gpus);
    return 0;
}

/* Options that say how to trace need one that turns tracing on. */
static int check_need(const cli_command_t *c, char *why, size_t why_bytes)
{
    for (int i = CLI_ATT_LIBRARY_PATH; i <= CLI_ATT_NO_DETAIL; i++)
        if (i != CLI_ATT_LIBRARY_PATH && c->values[i] && strcmp(c->values[i], "0") != 0)
            return REFUSE("--%s needs --att", trace_settings[i].name);
    return 0;
}

static int exclude(const cli_command_t *c, cli_option_id_t one, cli_option_id_t other, char *why,
                   size_t why_bytes)
{
    const bool both = c->values[one] && strcmp(c->values[one], "0") != 0 && c->values[other] &&
                      strcmp(c->values[other], "0") != 0;
    if (!both) return 0;
    return REFUSE("--%s and --%s exclude each other", trace_settings[one].name,
                  trace_settings[other].name);
}

int cli_att_check(const cli_command_t *c, char *why, size_t why_bytes)
{
    static const cli_option_id_t pairs[][2] = {
        {CLI_ATT_ACTIVITY, CLI_ATT_PERFCOUNTERS},
        {CLI_ATT_ACTIVITY, CLI_ATT_PERFCOUNTER_CTRL},
        {CLI_ATT_ACTIVITY, CLI_PMC}, /* those in the trace also use counters of SQ */
        {CLI_ATT_ACTIVITY, CLI_PMC_GROUPS},
        {CLI_ATT_PERFCOUNTERS, CLI_PMC},
        {CLI_ATT_PERFCOUNTERS, CLI_PMC_GROUPS},
        {CLI_ATT, CLI_SPM}, /* each puts packets of its own around a dispatch */
        {CLI_ATT_NO_INTERCEPT, CLI_SPM},
        {CLI_ATT, CLI_PID},
        {CLI_ATT_NO_INTERCEPT, CLI_PID},
        {CLI_ATT_CONSECUTIVE_KERNELS, CLI_SELECTED_REGIONS},
        {CLI_ATT_CONSECUTIVE_KERNELS, CLI_COLLECTION_PERIOD},
        {CLI_ATT_CONSECUTIVE_KERNELS, CLI_ATT_NO_INTERCEPT},
    };
    if (check_values(c, why, why_bytes) != 0) return -1;
    if (!cli_att_is_on(c)) return check_need(c, why, why_bytes);
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        if (exclude(c, pairs[i][0], pairs[i][1], why, why_bytes) != 0) return -1;
    const bool named = c->values[CLI_ATT_PERFCOUNTERS], timed = c->values[CLI_ATT_PERFCOUNTER_CTRL];
    if (named != timed)
        return REFUSE("--att-perfcounters and --att-perfcounter-ctrl need each other");
    return 0;
}

int cli_att_check_decoder(const cli_command_t *c, char *why, size_t why_bytes)
{
    char path[PATH_MAX], joined[PATH_MAX];
    const char *given = c->values[CLI_ATT_LIBRARY_PATH];
    if (!cli_att_is_on(c) || cli_is_on(c, CLI_ATT_NO_INTERCEPT)) return 0;
    if (!given) given = trace_setting_given(TRACE_SET_ATT_LIBRARY_PATH);
    snprintf(joined, sizeof(joined), "%s", given ? given : "");
    for (char *at = joined; *at; at++)
        if (*at == '\n') *at = ':';
    return out_decoder_find(joined, path, why, why_bytes) ? 0 : -1;
}

int cli_att_set_activity(const char *period)
{
    if (trace_setting_set(TRACE_SET_ATT_PERFCOUNTERS, activity) != 0) return -1;
    return trace_setting_set(TRACE_SET_ATT_PERFCOUNTER_CTRL, period);
}
