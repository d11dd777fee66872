/* kokkosp.c - Kokkos' profiling hooks as ROCTx ranges and marks.
 *
 * Kokkos opens the libraries that KOKKOS_TOOLS_LIBS names and looks these functions up by name.
 * Work that begins and ends on one thread becomes a range of that thread, so that kernels can be
 * named after it. Sections may overlap, so they become ranges of the process. To handle another
 * hook, add a function here. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk-roctx/roctx.h>

#include "base/env.h"

#define HOOK __attribute__((visibility("default")))

/* Kokkos passes this structure by value. */
typedef struct {
    char name[64];
} space_t;

typedef struct {
    bool requires_global_fencing;
    bool padding[255];
} settings_t;

enum { TEXT_MAX = 1024 };

/* ---- Work on a thread ---- */

static void begin(const char *kind, const char *name, uint64_t *id)
{
    static uint64_t last;
    *id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    roctxRangePush(name && *name ? name : kind);
}

#define BEGIN_AND_END(what)                                                                        \
    HOOK void kokkosp_begin_##what(const char *name, uint32_t device, uint64_t *id);               \
    HOOK void kokkosp_end_##what(uint64_t id);                                                     \
    void kokkosp_begin_##what(const char *name, uint32_t device, uint64_t *id)                     \
    {                                                                                              \
        (void)device;                                                                              \
        begin("Kokkos::" #what, name, id);                                                         \
    }                                                                                              \
    void kokkosp_end_##what(uint64_t id)                                                           \
    {                                                                                              \
        (void)id;                                                                                  \
        roctxRangePop();                                                                           \
    }

BEGIN_AND_END(parallel_for)
BEGIN_AND_END(parallel_reduce)
BEGIN_AND_END(parallel_scan)
BEGIN_AND_END(fence)

HOOK void kokkosp_push_profile_region(const char *name);
void kokkosp_push_profile_region(const char *name)
{
    roctxRangePush(name ? name : "Kokkos::region");
}

HOOK void kokkosp_pop_profile_region(void);
void kokkosp_pop_profile_region(void)
{
    roctxRangePop();
}

HOOK void kokkosp_begin_deep_copy(space_t to, const char *to_name, const void *to_address,
                                  space_t from, const char *from_name, const void *from_address,
                                  uint64_t bytes);
void kokkosp_begin_deep_copy(space_t to, const char *to_name, const void *to_address, space_t from,
                             const char *from_name, const void *from_address, uint64_t bytes)
{
    char text[TEXT_MAX];
    (void)to_address, (void)from_address;
    snprintf(text, sizeof(text), "Kokkos::deep_copy %.64s %s <- %.64s %s, %llu bytes", to.name,
             to_name, from.name, from_name, (unsigned long long)bytes);
    roctxRangePush(text);
}

HOOK void kokkosp_end_deep_copy(void);
void kokkosp_end_deep_copy(void)
{
    roctxRangePop();
}

/* ---- Marks ---- */

HOOK void kokkosp_profile_event(const char *name);
void kokkosp_profile_event(const char *name)
{
    roctxMark(name ? name : "Kokkos::event");
}

static void mark_data(const char *what, const space_t *space, const char *name, uint64_t bytes)
{
    char text[TEXT_MAX];
    snprintf(text, sizeof(text), "Kokkos::%s %.64s %s, %llu bytes", what, space->name, name,
             (unsigned long long)bytes);
    roctxMark(text);
}

HOOK void kokkosp_allocate_data(space_t space, const char *name, const void *address,
                                uint64_t bytes);
void kokkosp_allocate_data(space_t space, const char *name, const void *address, uint64_t bytes)
{
    (void)address;
    mark_data("allocate", &space, name, bytes);
}

HOOK void kokkosp_deallocate_data(space_t space, const char *name, const void *address,
                                  uint64_t bytes);
void kokkosp_deallocate_data(space_t space, const char *name, const void *address, uint64_t bytes)
{
    (void)address;
    mark_data("deallocate", &space, name, bytes);
}

static void mark_view(const char *what, const char *name, bool device)
{
    char text[TEXT_MAX];
    snprintf(text, sizeof(text), "Kokkos::%s %s, %s", what, name, device ? "device" : "host");
    roctxMark(text);
}

HOOK void kokkosp_dual_view_sync(const char *name, const void *address, bool device);
void kokkosp_dual_view_sync(const char *name, const void *address, bool device)
{
    (void)address;
    mark_view("dual_view_sync", name, device);
}

HOOK void kokkosp_dual_view_modify(const char *name, const void *address, bool device);
void kokkosp_dual_view_modify(const char *name, const void *address, bool device)
{
    (void)address;
    mark_view("dual_view_modify", name, device);
}

/* ---- Sections: created once, started and stopped any number of times ---- */

enum { SECTIONS_MAX = 4096 };

static struct {
    char *name;
    roctx_range_id_t range; /* 0: the section is not running */
} sections[SECTIONS_MAX];
static uint32_t section_count;

/* When the table is full, a section gets the number SECTIONS_MAX and is not recorded. */
HOOK void kokkosp_create_profile_section(const char *name, uint32_t *id);
void kokkosp_create_profile_section(const char *name, uint32_t *id)
{
    uint32_t place = __atomic_load_n(&section_count, __ATOMIC_RELAXED);
    do
        if (place == SECTIONS_MAX) break;
    while (!__atomic_compare_exchange_n(&section_count, &place, place + 1, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
    if (place < SECTIONS_MAX) sections[place].name = strdup(name ? name : "Kokkos::section");
    *id = place;
}

HOOK void kokkosp_start_profile_section(uint32_t id);
void kokkosp_start_profile_section(uint32_t id)
{
    if (id < SECTIONS_MAX && sections[id].name)
        sections[id].range = roctxRangeStart(sections[id].name);
}

HOOK void kokkosp_stop_profile_section(uint32_t id);
void kokkosp_stop_profile_section(uint32_t id)
{
    if (id >= SECTIONS_MAX || !sections[id].range) return;
    roctxRangeStop(sections[id].range);
    sections[id].range = 0;
}

HOOK void kokkosp_destroy_profile_section(uint32_t id);
void kokkosp_destroy_profile_section(uint32_t id)
{
    if (id >= SECTIONS_MAX) return;
    kokkosp_stop_profile_section(id);
    free(sections[id].name);
    sections[id].name = NULL;
}

/* ---- The library itself ---- */

HOOK void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *device);
void kokkosp_init_library(int sequence, uint64_t version, uint32_t devices, void *device)
{
    (void)sequence, (void)version, (void)devices, (void)device;
}

HOOK void kokkosp_finalize_library(void);
void kokkosp_finalize_library(void) {}

/* Kokkos would add fences after kernels for tools that time them on the host. This tool needs none,
 * since kernels are timed on the GPU; fences are added only if the user requests them. */
HOOK void kokkosp_request_tool_settings(uint32_t version, settings_t *settings);
void kokkosp_request_tool_settings(uint32_t version, settings_t *settings)
{
    (void)version;
    settings->requires_global_fencing = base_env_bool("KOKKOS_TOOLS_GLOBALFENCES", false);
}
