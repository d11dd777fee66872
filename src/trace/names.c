/* names.c - see names.h. */
#include "trace/names.h"

#include <string.h>

#include "base/kernel_name.h"

/* Returns the start of the bracket group that ends directly before `end`, or `end` if there is
 * none. */
static const char *skip_group(const char *begin, const char *end)
{
    static const char closing[] = ")>]", opening[] = "(<[";
    const char *kind = end > begin && end[-1] ? strchr(closing, end[-1]) : NULL;
    if (!kind) return end;
    char close = *kind, open = opening[kind - closing];
    int depth = 0;
    for (const char *at = end; at > begin; at--) {
        if (at[-1] == close) depth++;
        if (at[-1] == open && --depth == 0) return at - 1;
    }
    return end;
}

/* "void ns::Foo<int>::bar<4>(float*, int (int))" -> "bar" */
static char *truncate_name(char *name)
{
    const char *end = name + strlen(name);
    for (;;) {
        while (end > name && end[-1] == ' ')
            end--;
        const char *before = skip_group(name, end);
        if (before == end) break;
        end = before;
    }
    const char *begin = end;
    while (begin > name && begin[-1] != ' ' && begin[-1] != ':')
        begin--;
    if (begin == end) return name; /* the name has nothing but brackets: it stays as it is */
    size_t bytes = (size_t)(end - begin);
    memmove(name, begin, bytes);
    name[bytes] = 0;
    return name;
}

char *trace_kernel_name(const char *symbol, trace_names_t form)
{
    if (form == TRACE_NAMES_MANGLED) return strdup(symbol);
    char *name = base_kernel_name(symbol);
    return name && form == TRACE_NAMES_TRUNCATED ? truncate_name(name) : name;
}
