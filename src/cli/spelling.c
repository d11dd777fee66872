/* spelling.c - see spelling.h. It calls functions of the C library that front_library.c has, and no
 * others. */
#include "cli/spelling.h"

#include "cli/options.h"

int cli_option_spelt(const base_arguments_t *a)
{
    for (int i = 0; i < CLI_OPTION_COUNT; i++) {
        const trace_setting_t *o = &trace_settings[i];
        if (base_arguments_are(a, o->name, o->letter)) return i;
        if (o->alias && base_arguments_are(a, o->alias, 0)) return i;
    }
    return -1;
}

base_takes_t cli_option_takes(trace_form_t form)
{
    switch (form) {
    case TRACE_FORM_BOOL:
    case TRACE_FORM_NOT: return BASE_TAKES_TRUTH;
    case TRACE_FORM_CHOICES:
    case TRACE_FORM_WORDS:
    case TRACE_FORM_GROUPS:
    case TRACE_FORM_PARTS: return BASE_TAKES_SEVERAL;
    default: return BASE_TAKES_ONE;
    }
}
