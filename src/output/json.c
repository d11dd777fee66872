/* json.c - see json.h. */
#include "output/json.h"

#include <math.h>
#include <string.h>

void out_json_escaped(out_file_t *f, const char *text)
{
    /* The fast path: most texts are short and need no escapes. */
    char *at = out_reserve(f, OUT_RESERVE_MAX), *end = at + OUT_RESERVE_MAX - 1;
    *at++ = '"';
    for (char c; at < end && (c = *text) >= ' ' && c < 0x7f && c != '"' && c != '\\'; text++)
        *at++ = c;
    out_commit(f, at);
    out_escaped(f, BASE_JSON, text);
    out_char(f, '"');
}

static void begin_value(out_json_t *j, const char *key)
{
    size_t bytes = key ? strlen(key) : 0;
    out_commit(j->f, out_json_key(j, out_reserve(j->f, bytes + OUT_JSON_AROUND), key, bytes));
}

void out_json_text(out_json_t *j, const char *key, const char *value)
{
    begin_value(j, key);
    out_json_escaped(j->f, value);
}

void out_json_pair(out_json_t *j, const char *name, const char *value)
{
    begin_value(j, NULL);
    out_json_escaped(j->f, name);
    out_char(j->f, ':');
    out_json_escaped(j->f, value);
}

void out_json_signed(out_json_t *j, const char *key, int64_t value)
{
    begin_value(j, key);
    out_signed(j->f, value);
}

/* JSON has no infinities and no NaN. Numbers have sixteen digits and a decimal point, as AMD's tool
 * writes them. */
void out_json_double(out_json_t *j, const char *key, double value)
{
    begin_value(j, key);
    if (!isfinite(value))
        out_text(j->f, "null");
    else if (value == floor(value) && fabs(value) < 1e15)
        out_format(j->f, "%.1f", value);
    else
        out_format(j->f, "%.16g", value);
}

void out_json_bool(out_json_t *j, const char *key, bool value)
{
    begin_value(j, key);
    out_text(j->f, value ? "true" : "false");
}
