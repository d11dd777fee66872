/* errors.c - the messages of this room, in one form: "origin:line:column: text".
 *
 * They are apart so that the readers and the compiler report errors in the same way. */
#include "base/log.h"
#include "counters/internal.h"

#include <stdio.h>
#include <string.h>

/* Makes a message one line, even if a text from a file contains line breaks. */
static void clean(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127) *text = ' ';
}

static void fill(ctr_error_t *error, ctr_status_t status, const char *origin, uint32_t line,
                 uint32_t column, const char *format, va_list arguments)
{
    int used = 0;
    error->status = status;
    error->line = line;
    error->column = column;
    error->text[0] = '\0';
    if (origin && line)
        used = snprintf(error->text, sizeof(error->text), "%.200s:%u:%u: ", origin, line, column);
    else if (origin)
        used = snprintf(error->text, sizeof(error->text), "%.200s: ", origin);
    vsnprintf(error->text + used, sizeof(error->text) - (size_t)used, format, arguments);
    clean(error->text);
}

ctr_status_t ctr_fail(ctr_error_t *error, ctr_status_t status, const char *origin, uint32_t line,
                      uint32_t column, const char *format, ...)
{
    va_list arguments;
    if (!error) return status;
    va_start(arguments, format);
    fill(error, status, origin, line, column, format, arguments);
    va_end(arguments);
    return status;
}

void ctr_say(const ctr_reporter_t *reporter, ctr_status_t status, uint32_t line, uint32_t column,
             const char *format, ...)
{
    ctr_error_t error;
    va_list arguments;
    va_start(arguments, format);
    fill(&error, status, reporter->origin, line, column, format, arguments);
    va_end(arguments);
    if (reporter->function)
        reporter->function(&error, reporter->user);
    else
        base_warning("%s", error.text);
}
