/* att.c - see att.h. It is apart from the parser, which handles one option at a time. */
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

/* Counters of the activity of all units, which the viewer's summary shows. */
static const char activity[] =
    "SQ_BUSY_CU_CYCLES SQ_VALU_MFMA_BUSY_CYCLES SQ_ACTIVE_INST_VALU SQ_ACTIVE_INST_LDS "
    "SQ_ACTIVE_INST_VMEM SQ_ACTIVE_INST_FLAT SQ_ACTIVE_INST_SCA SQ_ACTIVE_INST_MISC";

bool cli_att_is_on(const cli_command_t *c)
{
    return cli_is_on(c, CLI_ATT) || cli_is_on(c, CLI_ATT_NO_INTERCEPT);
}

int cli_att_check(const cli_command_t *c, char *why, size_t why_bytes)
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
