/* mishap.c - preloaded into rocprofv3 itself: what befalls it at one exact moment.
 *
 * MISHAP names it. Apart from the fake SDK, which is loaded into the program. */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "late-int": Ctrl-C right after the first directory was removed, which is a store's: the last
 * thing that its conversion does. */
__attribute__((visibility("default"))) int rmdir(const char *path)
{
    static int (*real)(const char *);
    const char *mishap = getenv("MISHAP");
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "rmdir");
    int result = real(path);
    if (result == 0 && mishap && strcmp(mishap, "late-int") == 0) raise(SIGINT);
    return result;
}
