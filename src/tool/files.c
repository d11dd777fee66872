/* files.c - see files.h. If the library was preloaded without rocprofv3, as rocprof-compute does
 * it, output files are written nevertheless: the tool starts rocprofv3 in a process of its own,
 * which makes them from the closed store.
 *
 * In a process that rocprofv3 has started, none of this is used. */
#include "tool/files.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"

extern char **environ;

/* Finds bin/rocprofv3 beside the folder of this library, after resolving symbolic links. */
static bool find_program(char path[PATH_MAX])
{
    Dl_info info;
    char library[PATH_MAX];
    if (!dladdr((void *)(uintptr_t)find_program, &info) || !realpath(info.dli_fname, library))
        return false;
    char *slash = strrchr(library, '/');
    *slash = 0;
    int n = snprintf(path, PATH_MAX, "%s/../bin/rocprofv3", library);
    return n < PATH_MAX && access(path, X_OK) == 0;
}

bool tool_files_possible(void)
{
    char path[PATH_MAX];
    return find_program(path);
}

/* Returns a copy of the environment without the variables that would load tools into the program;
 * NULL without memory. */
static char **environment(void)
{
    static const char *const without[] = {"LD_PRELOAD=", "HSA_TOOLS_LIB=", "ROCP_TOOL_LIBRARIES="};
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    char **copy = calloc(count + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++) {
        bool drop = false;
        for (size_t j = 0; j < sizeof(without) / sizeof(*without); j++)
            drop |= strncmp(environ[i], without[j], strlen(without[j])) == 0;
        if (!drop) copy[kept++] = environ[i];
    }
    return copy;
}

void tool_files_make(const char *run)
{
    char path[PATH_MAX];
    pid_t child = 0;
    char **variables = environment();
    char *words[] = {path, "convert", (char *)run, NULL};
    int failure = ENOENT;
    if (variables && find_program(path))
        failure = posix_spawn(&child, path, NULL, NULL, words, variables);
    free(variables);
    if (failure != 0) {
        base_warning("%s: %s; 'rocprofv3 convert %s' makes files of the records", path,
                     strerror(failure), run);
        return;
    }
    /* if another thread of the program waits for any child, it may get the status of this one: then
     * waitpid() fails here, and the child has ended as well */
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
}
