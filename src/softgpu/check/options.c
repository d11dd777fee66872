/* options.c - see options.h: reads the environment variables of the checker's options. */
#include "softgpu/check/options.h"

#include "base/env.h"
#include "base/words.h"
#include "softgpu/profile/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const chk_variables[CHK_VARIABLE_COUNT] = {
#define OPTION(...)
#define CHECK(id, letter, option, argument, variable, ...) variable,
#define VARIABLE(...)
#include "softgpu/profile/options.def"
};

static const char *const options[CHK_VARIABLE_COUNT] = {
#define OPTION(...)
#define CHECK(id, letter, option, ...) "--" option,
#define VARIABLE(...)
#include "softgpu/profile/options.def"
};

/* ORDER: chk_format_t */
static const char *const formats[] = {"text", "json", "sarif"};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

/* Where the reason for a refusal is written; it begins with the option's name. */
typedef struct {
    char *why;
    size_t room;
} told_t;

__attribute__((format(printf, 3, 4))) static bool refuse(const told_t *t, int which,
                                                         const char *format, ...)
{
    va_list words;
    const int n = snprintf(t->why, t->room, "%s (%s): ", options[which], chk_variables[which]);
    va_start(words, format);
    if (n >= 0 && (size_t)n < t->room) vsnprintf(t->why + n, t->room - (size_t)n, format, words);
    va_end(words);
    return false;
}

/* The variable's value, or NULL if it is not set or empty. */
static const char *value_of(int which)
{
    const char *value = base_env(chk_variables[which]);
    return value && *value ? value : NULL;
}

static unsigned family_of(const char *name, size_t bytes)
{
    unsigned all = 0;
    for (unsigned k = 0; k < CHK_FAMILY_COUNT; k++) {
        all |= chk_families[k].bit & ~CHK_NOT_IN_ALL;
        if (strlen(chk_families[k].name) == bytes && !strncmp(chk_families[k].name, name, bytes))
            return chk_families[k].bit;
    }
    return bytes == 3 && !strncmp(name, "all", 3) ? all : 0;
}

/* Reads names between commas; "1" stands for the default families. */
static bool read_families(const told_t *t, unsigned *families, const char *text)
{
    *families = CHK_MEMORY | CHK_SYNC;
    if (strcmp(text, "1") == 0) return true;
    *families = 0;
    if (strcmp(text, "0") == 0) return true;
    for (size_t bytes; *text; text += bytes + (text[bytes] == ',')) {
        bytes = strcspn(text, ",");
        const unsigned family = family_of(text, bytes);
        if (!family) {
            char known[128] = "";
            for (unsigned k = 0; k < CHK_FAMILY_COUNT; k++) {
                strcat(known, chk_families[k].name);
                strcat(known, k + 1 < CHK_FAMILY_COUNT ? ", " : " and all");
            }
            return refuse(t, CHK_VARIABLE_CHECK, "\"%.*s\" is none of %s", (int)bytes, text, known);
        }
        *families |= family;
    }
    return true;
}

static bool read_kernel(const told_t *t, chk_options_t *o)
{
    char problem[128];
    o->kernel_text = value_of(CHK_VARIABLE_KERNEL);
    if (!o->kernel_text) return true;
    const int error = regcomp(&o->kernel, o->kernel_text, REG_EXTENDED | REG_NOSUB);
    o->has_kernel = !error;
    if (!error) return true;
    regerror(error, &o->kernel, problem, sizeof problem);
    return refuse(t, CHK_VARIABLE_KERNEL, "\"%s\": %s", o->kernel_text, problem);
}

static bool read_format(const told_t *t, chk_options_t *o)
{
    const char *value = value_of(CHK_VARIABLE_FORMAT);
    unsigned k = 0;
    while (value && k < FORMAT_COUNT && strcmp(formats[k], value) != 0)
        k++;
    if (k == FORMAT_COUNT)
        return refuse(t, CHK_VARIABLE_FORMAT, "\"%s\" is none of text, json and sarif", value);
    o->format = (chk_format_t)k;
    return o->format != CHK_SARIF || value_of(CHK_VARIABLE_OUTPUT) ||
           refuse(t, CHK_VARIABLE_FORMAT, "sarif is one document: --check-output (%s) says where",
                  chk_variables[CHK_VARIABLE_OUTPUT]);
}

static bool read_rules(const told_t *t, chk_options_t *o)
{
    char problem[512];
    const char *name = value_of(CHK_VARIABLE_SUPPRESSIONS);
    if (!name || (o->rules = chk_rules_read(name, problem, sizeof problem))) return true;
    return refuse(t, CHK_VARIABLE_SUPPRESSIONS, "%s", problem);
}

static bool read_status(const told_t *t, chk_options_t *o)
{
    const sg_option_t *row = &sg_options[SG_OPTION_STATUS];
    const char *value = value_of(CHK_VARIABLE_STATUS);
    uint64_t n;
    if (!value) return true;
    if (!base_number(value, row->least, row->most, &n))
        return refuse(t, CHK_VARIABLE_STATUS, "\"%s\" is not a number from %u to %u", value,
                      row->least, row->most);
    o->status = (int)n;
    return true;
}

static bool read_strict(const told_t *t, chk_options_t *o)
{
    static const struct {
        unsigned variable, family;
    } rows[] = {{CHK_VARIABLE_INIT, CHK_INIT},
                {CHK_VARIABLE_HAZARD, CHK_HAZARD},
                {CHK_VARIABLE_API, CHK_API}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const char *value = value_of(rows[k].variable);
        if (value && strcmp(value, "strict") != 0)
            return refuse(t, rows[k].variable, "\"%s\" is not strict, which is all there is",
                          value);
        if (value) o->strict |= rows[k].family;
    }
    return true;
}

bool chk_options_read(chk_options_t *o, char *why, size_t room)
{
    const told_t t = {why, room};
    const char *check = value_of(CHK_VARIABLE_CHECK);
    *o = (chk_options_t){0};
    const bool good = (!check || read_families(&t, &o->families, check)) && read_kernel(&t, o) &&
                      read_format(&t, o) && read_rules(&t, o) && read_status(&t, o) &&
                      read_strict(&t, o);
    if (good && o->families) return true;
    chk_options_free(o);
    return good;
}

void chk_options_free(chk_options_t *o)
{
    if (o->has_kernel) regfree(&o->kernel);
    chk_rules_free(o->rules);
    *o = (chk_options_t){0};
}
