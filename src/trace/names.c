/* names.c - see names.h. Text in, text out. */
#include "trace/names.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

typedef char *(*demangle_t)(const char *mangled, char *buffer, size_t *bytes, int *status);

static demangle_t found;

static void look_up(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    if (library) *(void **)&found = dlsym(library, "__cxa_demangle");
    if (!found) base_warning("kernel names stay mangled: libstdc++.so.6 is not installed");
}

static demangle_t find_demangler(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_up);
    return found;
}

static char *demangle(const char *symbol)
{
    int status = 0;
    demangle_t function = strncmp(symbol, "_Z", 2) == 0 ? find_demangler() : NULL;
    char *name = function ? function(symbol, NULL, NULL, &status) : NULL;
    return name ? name : strdup(symbol);
}

/* Start of the bracket group that ends right before `end`, or `end` if there is none. */
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
    if (begin == end) return name; /* nothing but brackets: better the whole than nothing */
    size_t bytes = (size_t)(end - begin);
    memmove(name, begin, bytes);
    name[bytes] = 0;
    return name;
}

char *trace_kernel_name(const char *symbol, trace_names_t form)
{
    char *plain = strdup(symbol);
    if (!plain || form == TRACE_NAMES_MANGLED) return plain;
    size_t bytes = strlen(plain);
    if (bytes > 3 && strcmp(plain + bytes - 3, ".kd") == 0) plain[bytes - 3] = 0;
    char *name = demangle(plain);
    free(plain);
    return name && form == TRACE_NAMES_TRUNCATED ? truncate_name(name) : name;
}
