/* fake_native_hip.c - a libamdhip64.so.6 with a dispatch table, which it registers or not.
 *
 * REGISTERS_AT: the call from which on the table is registered, through a library that it is linked
 * with (LINKED) or finds by itself. Every call is counted where it is carried out. */
#include <rocprofiler-register/rocprofiler-register.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "native.h"

#define EXPORT __attribute__((visibility("default")))
EXPORT int hipSetDevice(int device);
EXPORT int hipEventRecordWithFlags(void *event, void *stream, unsigned flags);
EXPORT int hipGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                             void *status);
EXPORT const char *hipApiName(uint32_t id);
EXPORT _Atomic int fake_hip_calls[NATIVE_FUNCTIONS];
EXPORT void *fake_hip_table[NATIVE_TABLE_SIZE];

static const char *api_name(uint32_t id)
{
    return id ? "another" : "hipApiName";
}

static int set_device(int device)
{
    atomic_fetch_add(&fake_hip_calls[NATIVE_SET_DEVICE], 1);
    return device + 1;
}

static int record(void *event, void *stream, unsigned flags)
{
    (void)event, (void)stream;
    atomic_fetch_add(&fake_hip_calls[NATIVE_RECORD], 1);
    return (int)flags + 1;
}

/* Addresses of exported functions, found without dlsym. */
static int get_proc_address(const char *name, void **function, int version, uint64_t flags,
                            void *status)
{
    (void)version, (void)flags, (void)status;
    atomic_fetch_add(&fake_hip_calls[NATIVE_GET_PROC_ADDRESS], 1);
    static const struct {
        const char *name;
        void (*function)(void);
    } known[] = {{"hipSetDevice", (void (*)(void))hipSetDevice},
                 {"hipGetProcAddress", (void (*)(void))hipGetProcAddress},
                 {"hipEventRecordWithFlags", (void (*)(void))hipEventRecordWithFlags}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0) {
            memcpy(function, &known[i].function, sizeof *function);
            return 0;
        }
    return 500;
}

#ifdef REGISTERS_AT
static uint32_t import_hip(void)
{
    return 60400;
}

static void register_table(void)
{
    rocprofiler_register_library_indentifier_t id;
    void *table = fake_hip_table;
    __typeof__(&rocprofiler_register_library_api_table) offer = NULL;
#ifdef LINKED
    offer = rocprofiler_register_library_api_table;
#else
    void *library = dlopen("librocprofiler-register.so.0", RTLD_NOLOAD | RTLD_LAZY);
    void *symbol = library ? dlsym(library, "rocprofiler_register_library_api_table") : NULL;
    memcpy(&offer, &symbol, sizeof offer);
#endif
    if (offer) offer("hip", import_hip, 60400, &table, 1, &id);
}
#endif

/* The table, after this call has been numbered: registration happens inside a call. */
static void **table_of_call(void)
{
    static _Atomic int initialised;
    if (!atomic_exchange(&initialised, 1)) {
        fake_hip_table[0] = (void *)sizeof fake_hip_table;
        fake_hip_table[NATIVE_AT_API_NAME] = (void *)api_name;
        fake_hip_table[NATIVE_AT_SET_DEVICE] = (void *)set_device;
        fake_hip_table[NATIVE_AT_RECORD] = (void *)record;
        fake_hip_table[NATIVE_AT_GET_PROC_ADDRESS] = (void *)get_proc_address;
    }
#ifdef REGISTERS_AT
    static _Atomic int calls;
    if (atomic_fetch_add(&calls, 1) == REGISTERS_AT) register_table();
#endif
    return fake_hip_table;
}

#define ENTRY(at, type) ((type)__atomic_load_n(&table_of_call()[at], __ATOMIC_ACQUIRE))

const char *hipApiName(uint32_t id)
{
    return ENTRY(NATIVE_AT_API_NAME, const char *(*)(uint32_t))(id);
}

int hipSetDevice(int device)
{
    return ENTRY(NATIVE_AT_SET_DEVICE, int (*)(int))(device);
}

int hipEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    return ENTRY(NATIVE_AT_RECORD, int (*)(void *, void *, unsigned))(event, stream, flags);
}

int hipGetProcAddress(const char *name, void **function, int version, uint64_t flags, void *status)
{
    return ENTRY(NATIVE_AT_GET_PROC_ADDRESS, int (*)(const char *, void **, int, uint64_t, void *))(
        name, function, version, flags, status);
}
