/* translate_text.c - see translate_text.h. */
#include "softgpu/exec/translate_text.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/grow.h"

void isa_put(isa_text_t *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = t->failed ? -1 : vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) return;
    if (!BASE_RESERVE(t->at, t->size + (size_t)n + 1, &t->room)) {
        t->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(t->at + t->size, (size_t)n + 1, format, args);
    va_end(args);
    t->size += (size_t)n;
}

void isa_move(isa_text_t *to, isa_text_t *from)
{
    if (from->size) isa_put(to, "%s", from->at);
    from->size = 0;
}
