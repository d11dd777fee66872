/* looked_up.c - what dlsym and dlvsym find in a runtime, with the checked calls preloaded and
 * without. Status 0: a program finds the same in both cases, except that the checked calls are in
 * LIBRARY. usage: PROGRAM FOLDER LIBRARY; FOLDER has the runtime and its wrapper (fake_runtime.c).
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int allocate_t(void **at, size_t bytes);
typedef int count_t(void);

static int failed;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "looked_up.c:%d: %s\n", __LINE__, #what);                              \
            failed = 1;                                                                            \
        }                                                                                          \
    } while (0)

static void *open_in(const char *folder, const char *file, int how)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return dlopen(path, RTLD_NOW | how);
}

static bool is_in(void *function, const char *library)
{
    Dl_info where;
    return function && dladdr(function, &where) && strstr(where.dli_fname, library);
}

/* Nothing but what failed last, and that once. */
static bool told_of(const char *one, const char *two)
{
    const char *text = dlerror();
    return text && strstr(text, one) && strstr(text, two) && !dlerror();
}

static int call(void *function, int *count)
{
    void *at = NULL;
    allocate_t *allocate;
    memcpy(&allocate, &function, sizeof function);
    const int status = function ? allocate(&at, 16) : -1;
    *count += status == 0;
    return status;
}

static int counted(void *library, const char *name)
{
    count_t *count;
    void *function = dlsym(library, name);
    memcpy(&count, &function, sizeof function);
    return function ? count() : -1;
}

/* A name that HIP has, one that it has not, and one that is nobody's; dlerror's answers are not
 * overwritten. */
static void ask(void *hip, const char *checked)
{
    CHECK(is_in(dlsym(hip, "hipMalloc"), checked));
    CHECK(is_in(dlvsym(hip, "hipMalloc", "hip_4.2"), checked));
    CHECK(is_in(dlsym(hip, "hipInit"), "libamdhip64"));
    CHECK(!dlvsym(hip, "hipMalloc", "hip_9") && told_of("libamdhip64", "hipMalloc, version hip_9"));
    CHECK(!dlsym(hip, "hipFreeAsync") && told_of("libamdhip64", "undefined symbol: hipFreeAsync"));
    CHECK(!dlsym(hip, "nobodys") && told_of("libamdhip64", "undefined symbol: nobodys"));
    CHECK(!dlsym(hip, "nobodys") && dlsym(hip, "hipMalloc") && !dlerror());
    CHECK(!dlsym(hip, "nobodys") && dlsym(RTLD_DEFAULT, "puts") && !dlerror());
}

/* A library of HIP's functions that calls HIP's own: by a handle, and as those that come next. */
static void ask_wrapper(void *wrapper, void *hip)
{
    int calls = 0;
    CHECK(is_in(dlsym(wrapper, "hipMalloc"), "wrapper"));
    const int before = counted(hip, "allocations");
    CHECK(call(dlsym(wrapper, "hipMalloc"), &calls) == 0);
    CHECK(calls == 1 && counted(hip, "allocations") == before + 1);
    CHECK(counted(wrapper, "next_is_hips") == 1);
}

/* If nothing is there any more, what is opened next comes elsewhere. */
static void occupy(void *place)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    (void)mmap((void *)((uintptr_t)place & -page), page, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    int calls = 0;
    void *const self = dlopen(NULL, RTLD_NOW);
    CHECK(!dlsym(RTLD_DEFAULT, "hipMalloc") && told_of("", "undefined symbol: hipMalloc"));
    CHECK(!dlsym(self, "hipMalloc") && told_of("", "undefined symbol: hipMalloc"));
    CHECK(!dlsym(RTLD_NEXT, "nobodys") && told_of(argv[0], "undefined symbol: nobodys"));
    void *hip = open_in(argv[1], "libamdhip64.so.5", RTLD_LOCAL);
    CHECK(hip);
    ask(hip, argv[2]);
    void *const found = dlsym(hip, "hipMalloc");
    CHECK(call(found, &calls) == 0 && counted(hip, "allocations") == calls);
    void *const place = dlsym(hip, "hipInit");
    CHECK(dlclose(hip) == 0);
    occupy(place);
    hip = open_in(argv[1], "libamdhip64.so.5", RTLD_LOCAL);
    CHECK(call(dlsym(hip, "hipMalloc"), &calls) == 0);
    CHECK(is_in(dlsym(hip, "hipMalloc"), argv[2]));
    ask_wrapper(open_in(argv[1], "libtest_wrapper.so", RTLD_LOCAL), hip);
    return failed;
}
