/* json.h - JSON written front to back: values, commas and escapes, nothing else.
 *
 * Databases and JSON files share these functions, because they need the same objects. A key may be
 * NULL, for elements of arrays; otherwise it is a short constant that needs no escapes. For other
 * names there is out_json_pair. Text is assumed to be UTF-8; invalid bytes are written unchanged,
 * only control characters are escaped. */
#ifndef CROCPROF_OUTPUT_JSON_H
#define CROCPROF_OUTPUT_JSON_H

#include <string.h>

#include "output/digits.h"
#include "output/file.h"

typedef struct {
    out_file_t *f;
    bool comma; /* a comma is needed before the next value */
} out_json_t;

enum { OUT_JSON_AROUND = 4 }; /* characters around a key: comma, quotes, colon */

/* Writes comma and key into reserved room. It is inlined because keys are constants, so that their
 * lengths are constants, too. */
static inline __attribute__((always_inline)) char *out_json_key(out_json_t *j, char *at,
                                                                const char *key, size_t bytes)
{
    if (j->comma) *at++ = ',';
    j->comma = true;
    if (!key) return at;
    *at++ = '"';
    memcpy(at, key, bytes);
    at += bytes;
    *at++ = '"';
    *at++ = ':';
    return at;
}

/* `bracket` is { or [ */
static inline void out_json_begin(out_json_t *j, const char *key, char bracket)
{
    size_t bytes = key ? strlen(key) : 0;
    char *at = out_json_key(j, out_reserve(j->f, bytes + OUT_JSON_AROUND + 1), key, bytes);
    *at = bracket;
    out_commit(j->f, at + 1);
    j->comma = false;
}

static inline void out_json_end(out_json_t *j, char bracket) /* `bracket` is } or ] */
{
    out_char(j->f, bracket);
    j->comma = true;
}

static inline void out_json_unsigned(out_json_t *j, const char *key, uint64_t value)
{
    size_t bytes = key ? strlen(key) : 0;
    char *at = out_reserve(j->f, bytes + OUT_JSON_AROUND + OUT_DIGITS_MAX);
    out_commit(j->f, out_put_unsigned(out_json_key(j, at, key, bytes), value));
}

void out_json_text(out_json_t *j, const char *key, const char *value);
/* Writes the text between quotes, with escapes, and nothing else. */
void out_json_escaped(out_file_t *f, const char *text);
void out_json_pair(out_json_t *j, const char *name, const char *value);
void out_json_signed(out_json_t *j, const char *key, int64_t value);
void out_json_double(out_json_t *j, const char *key, double value);
void out_json_bool(out_json_t *j, const char *key, bool value);

/* Writes {"handle": value}. */
static inline void out_json_handle(out_json_t *j, const char *key, uint64_t value)
{
    out_json_begin(j, key, '{');
    out_json_unsigned(j, "handle", value);
    out_json_end(j, '}');
}

/* Copies a constant text into reserved room. */
#define OUT_PUT_WORD(at, text) ((char *)memcpy(at, text, sizeof(text) - 1) + sizeof(text) - 1)

#endif
