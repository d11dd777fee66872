/* options.c - see options.h: the table, made from options.def. */
#include "softgpu/profile/options.h"

#include <stddef.h>

const sg_option_t sg_options[SG_OPTION_COUNT] = {
#define OPTION(id, letter_, name_, argument_, variable_, ...)                                      \
    {.name = name_,                                                                                \
     .letter = letter_,                                                                            \
     .argument = argument_,                                                                        \
     .variable = variable_,                                                                        \
     .help = __VA_ARGS__},
#define CHECK OPTION
#define VARIABLE(id, variable_, argument_, ...)                                                    \
    {.variable = variable_, .argument = argument_, .help = __VA_ARGS__},
#include "softgpu/profile/options.def"
};
