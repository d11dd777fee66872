/* kernel_name.c - see kernel_name.h. Only this file looks for a demangler. */
#include "base/kernel_name.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/installation.h"
#include "base/log.h"
#include "base/text.h"

static char *(*demangle)(const char *mangled, char *buffer, size_t *bytes, int *status);

static void look_up(void)
{
    void *library = base_outside("libstdc++.so.6");
    if (library) *(void **)&demangle = dlsym(library, "__cxa_demangle");
    if (!demangle) base_warning("kernel names stay mangled: libstdc++.so.6 is not installed");
}

char *base_kernel_name(const char *symbol)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char *plain = strdup(symbol), *name = NULL;
    if (!plain) return NULL;
    plain[base_kernel_length(symbol, strlen(symbol))] = 0;
    if (strncmp(plain, "_Z", 2) == 0) {
        int status;
        pthread_once(&once, look_up);
        name = demangle ? demangle(plain, NULL, NULL, &status) : NULL;
    }
    if (!name) return plain;
    free(plain);
    return name;
}
