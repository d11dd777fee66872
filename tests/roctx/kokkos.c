/* kokkos.c - a program that does with KOKKOS_TOOLS_LIBS what Kokkos does: opens the libraries and
 * calls the hooks that they have.
 *
 * Signatures are those of Kokkos' C interface. Without the variable it ends with 0 and does
 * nothing. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct space {
    char name[64];
};

struct settings {
    bool requires_global_fencing, padding[255];
};

static void *library;

static void *hook(const char *name)
{
    void *function = dlsym(library, name);
    if (!function) {
        fprintf(stderr, "no hook %s\n", name);
        exit(1);
    }
    return function;
}

/* A call of a hook by its name and the types of its parameters. */
#define CALL(name, types, ...)                                                                     \
    do {                                                                                           \
        void(*call_) types;                                                                        \
        void *found_ = hook("kokkosp_" #name);                                                     \
        memcpy(&call_, &found_, sizeof call_);                                                     \
        call_(__VA_ARGS__);                                                                        \
    } while (0)

static void loop(void)
{
    uint64_t id = 0;
    CALL(begin_parallel_for, (const char *, uint32_t, uint64_t *), "axpy", 1, &id);
    CALL(end_parallel_for, (uint64_t), id);
    CALL(begin_parallel_reduce, (const char *, uint32_t, uint64_t *), "dot", 1, &id);
    CALL(begin_fence, (const char *, uint32_t, uint64_t *), "inside dot", 1, &id);
    CALL(end_fence, (uint64_t), id);
    CALL(end_parallel_reduce, (uint64_t), id);
    CALL(begin_parallel_scan, (const char *, uint32_t, uint64_t *), "", 1, &id);
    CALL(end_parallel_scan, (uint64_t), id);
}

static void data(void)
{
    struct space host = {"Host"}, device = {"HIP"};
    CALL(allocate_data, (struct space, const char *, const void *, uint64_t), device, "x", NULL,
         4096);
    CALL(begin_deep_copy,
         (struct space, const char *, const void *, struct space, const char *, const void *,
          uint64_t),
         device, "x", NULL, host, "x_mirror", NULL, 4096);
    CALL(end_deep_copy, (void));
    CALL(dual_view_sync, (const char *, const void *, bool), "v", NULL, true);
    CALL(dual_view_modify, (const char *, const void *, bool), "v", NULL, false);
    CALL(deallocate_data, (struct space, const char *, const void *, uint64_t), device, "x", NULL,
         4096);
}

/* Overlapping, as ranges of a thread could not be. */
static void sections(void)
{
    uint32_t first = 0, second = 0;
    CALL(create_profile_section, (const char *, uint32_t *), "first", &first);
    CALL(create_profile_section, (const char *, uint32_t *), "second", &second);
    CALL(start_profile_section, (uint32_t), first);
    CALL(start_profile_section, (uint32_t), second);
    CALL(stop_profile_section, (uint32_t), first);
    CALL(destroy_profile_section, (uint32_t), second);
    CALL(destroy_profile_section, (uint32_t), first);
}

int main(void)
{
    const char *libraries = getenv("KOKKOS_TOOLS_LIBS");
    struct settings settings = {true, {0}};
    if (!libraries) return 0;
    library = dlopen(libraries, RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    CALL(init_library, (int, uint64_t, uint32_t, void *), 0, 20240906, 0, NULL);
    CALL(request_tool_settings, (uint32_t, struct settings *), 1, &settings);
    CALL(push_profile_region, (const char *), "region");
    loop();
    CALL(pop_profile_region, (void));
    data();
    sections();
    CALL(profile_event, (const char *), "event");
    CALL(finalize_library, (void));
    return settings.requires_global_fencing ? 1 : 0;
}
