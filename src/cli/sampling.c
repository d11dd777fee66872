/* sampling.c - see sampling.h. Apart from the parser, which looks at one option at a time. */
#include "cli/sampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/settings.h"

#define REFUSE(...) (snprintf(why, why_bytes, __VA_ARGS__), -1)

static const cli_option_id_t together[] = {CLI_PC_SAMPLING_METHOD, CLI_PC_SAMPLING_UNIT,
                                           CLI_PC_SAMPLING_INTERVAL};

enum { COUNT = sizeof(together) / sizeof(*together) };

int cli_sampling_check(const cli_command_t *c, char *why, size_t why_bytes)
{
    int given = 0, missing = 0;
    for (int i = 0; i < COUNT; i++) {
        const bool is = c->values[together[i]];
        given += is;
        if (!is) missing = i;
    }
    if (!given) return 0;
    if (given < COUNT)
        return REFUSE("--pc-sampling-method, -unit and -interval need each other: --%s is missing",
                      trace_settings[together[missing]].name);
    if (!cli_is_on(c, CLI_PC_SAMPLING_BETA_ENABLED) &&
        !trace_setting_on(TRACE_SET_PC_SAMPLING_BETA_ENABLED))
        /* scripts look for the first three words, as AMD's rocprofv3 prints them */
        return REFUSE("PC sampling unavailable: it needs --pc-sampling-beta-enabled");
    const char *interval = c->values[CLI_PC_SAMPLING_INTERVAL];
    if (strspn(interval, "0") == strlen(interval))
        return REFUSE("--pc-sampling-interval: '%s': no interval", interval);
    const char *mode = c->values[CLI_REPLAY_MODE];
    if (mode && strcmp(mode, "kernel") == 0)
        return REFUSE("--replay-mode kernel and PC sampling exclude each other");
    return 0;
}
