/* check_options.c - fuzz target: any values of the checker's variables are options or refused.
 *
 * Values end in a zero byte; the first byte of each says whether the others are the value or choose
 * pieces of values. A refusal names option and variable. Without families nothing is kept; what is
 * accepted is in its limits, and the same when it is read again. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "softgpu/check/kinds.h"
#include "softgpu/check/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const pieces[] = {
    "memory", "init", "race", "sync",  "hazard", "leaks", "all",       ",",    "0",     "api",
    "1",      "2",    "5",    "6",     "-",      " ",     "text",      "json", "sarif", "strict",
    "^k",     "(",    ")",    "[a-z]", "[",      "|",     "/dev/null", "/",
};

enum { PIECES = sizeof(pieces) / sizeof(*pieces), LONGEST = 16, VALUE_MAX = 100 };

/* A repetition of repetitions takes the C library's expressions minutes and gigabytes, and a device
 * may have rules without an end: neither is made of raw bytes. */
static char raw(uint8_t byte)
{
    return memchr("{*+/", byte, 4) ? 'x' : (char)byte;
}

/* setenv() keeps every value that it is given, and there are millions: the text is put there
 * itself. */
static void set(int k, const uint8_t *data, size_t size)
{
    static char texts[CHK_VARIABLE_COUNT][64 + VALUE_MAX * LONGEST + 1];
    char *at = texts[k] + snprintf(texts[k], 64, "%s=", chk_variables[k]);
    for (size_t i = 1; i < size && i < VALUE_MAX; i++)
        if (*data & 1)
            *at++ = raw(data[i]);
        else
            at = stpcpy(at, pieces[data[i] % PIECES]);
    *at = 0;
    if (putenv(texts[k]) != 0) abort();
}

static void expect(bool truth)
{
    if (!truth) abort();
}

/* True: accepted. */
static bool look_at(chk_options_t *o, char *why, size_t room)
{
    memset(why, 'x', room);
    const bool good = chk_options_read(o, why, room);
    if (!good) {
        bool named = false;
        expect(memchr(why, 0, room) && strncmp(why, "--", 2) == 0);
        for (int k = 0; k < CHK_VARIABLE_COUNT; k++)
            named = named || strstr(why, chk_variables[k]);
        expect(named);
    }
    unsigned known = 0;
    for (unsigned k = 0; k < CHK_FAMILY_COUNT; k++)
        known |= chk_families[k].bit;
    expect(!(o->families & ~known) && o->status >= 0 && o->status <= 255);
    expect(o->families || (!o->has_kernel && !o->rules && !o->status));
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[2048], short_why[16];
    chk_options_t o, again;
    for (int k = 0; k < CHK_VARIABLE_COUNT; k++) {
        const uint8_t *end = size ? memchr(data, 0, size) : NULL;
        const size_t bytes = end ? (size_t)(end - data) : size;
        unsetenv(chk_variables[k]);
        if (bytes) set(k, data, bytes);
        data += bytes + !!end;
        size -= bytes + !!end;
    }
    const bool good = look_at(&o, why, sizeof why);
    memset(short_why, 'x', sizeof short_why);
    expect(chk_options_read(&again, short_why, sizeof short_why) == good);
    expect(good || !strncmp(short_why, why, sizeof short_why - 1));
    expect(again.families == o.families && again.status == o.status && again.strict == o.strict &&
           again.format == o.format && again.has_kernel == o.has_kernel);
    chk_options_free(&again);
    chk_options_free(&o);
    chk_options_free(&o); /* of nothing */
    return 0;
}
