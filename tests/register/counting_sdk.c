/* counting_sdk.c - an SDK that counts the calls through each table of HIP that it is given.
 *
 * Two tables are counted together, so a call that is seen in both counts twice. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"

#define EXPORT __attribute__((visibility("default")))
enum { TABLES = 2 };
EXPORT int counting_tables;
EXPORT uint64_t counting_size, counting_version;
EXPORT void *counting_first;
EXPORT _Atomic int counting_seen[NATIVE_FUNCTIONS];
EXPORT int rocprofiler_set_api_table(const char *, uint64_t, uint64_t, void **, uint64_t);

static int (*set_device[TABLES])(int);
static int (*record[TABLES])(void *, void *, unsigned);
static int (*get_proc_address[TABLES])(const char *, void **, int, uint64_t, void *);

#define WRAPPERS(t)                                                                                \
    static int set_device_##t(int device)                                                          \
    {                                                                                              \
        atomic_fetch_add(&counting_seen[NATIVE_SET_DEVICE], 1);                                    \
        return set_device[t](device);                                                              \
    }                                                                                              \
    static int record_##t(void *event, void *stream, unsigned flags)                               \
    {                                                                                              \
        atomic_fetch_add(&counting_seen[NATIVE_RECORD], 1);                                        \
        return record[t](event, stream, flags);                                                    \
    }                                                                                              \
    static int get_proc_address_##t(const char *name, void **function, int version,                \
                                    uint64_t flags, void *status)                                  \
    {                                                                                              \
        atomic_fetch_add(&counting_seen[NATIVE_GET_PROC_ADDRESS], 1);                              \
        return get_proc_address[t](name, function, version, flags, status);                        \
    }
WRAPPERS(0)
WRAPPERS(1)

static void wrap(void **table, unsigned at, void *saved, void *wrapper)
{
    if (!table[at]) return;
    memcpy(saved, &table[at], sizeof table[at]);
    __atomic_store_n(&table[at], wrapper, __ATOMIC_RELEASE);
}

int rocprofiler_set_api_table(const char *name, uint64_t version, uint64_t instance, void **tables,
                              uint64_t count)
{
    (void)instance, (void)count;
    if (strcmp(name, "hip") != 0 || counting_tables == TABLES) return 0;
    int t = counting_tables++;
    void **table = tables[0];
    if (t == 0) {
        counting_first = table;
        counting_size = (uint64_t)(uintptr_t)table[0];
        counting_version = version;
    }
    wrap(table, NATIVE_AT_SET_DEVICE, &set_device[t],
         t ? (void *)set_device_1 : (void *)set_device_0);
    wrap(table, NATIVE_AT_RECORD, &record[t], t ? (void *)record_1 : (void *)record_0);
    wrap(table, NATIVE_AT_GET_PROC_ADDRESS, &get_proc_address[t],
         t ? (void *)get_proc_address_1 : (void *)get_proc_address_0);
    return 0;
}
