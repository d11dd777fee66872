/* fake.h - a runtime for tests: tables with a few known functions, registered like real ones.
 *
 * The functions do next to nothing, so what a tool sees of a call can be predicted exactly. */
#ifndef CROCPROF_TESTS_SDK_FAKE_H
#define CROCPROF_TESTS_SDK_FAKE_H

#include <rocprofiler-sdk/rocprofiler.h>
#include <rocprofiler-sdk/registration.h>

#include "sdk/offsets.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int rocprofiler_set_api_table(const char *name, uint64_t lib_version, uint64_t lib_instance,
                              void **tables, uint64_t num_tables);

/* The tables as the fake runtime calls through them; the first member is the size. */
typedef struct {
    size_t size;
    void *entries[520];
} fake_table_t;

extern fake_table_t fake_hip, fake_hip_compiler;

#define FAKE_ENTRY(table, function) (*(void **)(void *)((char *)(table) + SDK_OFFSET_##function))

/* Public functions of the fake runtime: each calls through the table. */
hipError_t fake_hipMalloc(void **pointer, size_t size); /* sets *pointer to 0x1000 + size */
hipError_t fake_hipFree(void *pointer);                 /* calls hipGetLastError inside */
hipError_t fake_hipGetLastError(void);                  /* returns 7 */
const char *fake_hipGetErrorString(hipError_t error);   /* "fake error" */
hipChannelFormatDesc fake_hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f);
hipError_t fake_hipLaunchKernel(const void *function, dim3 blocks, dim3 threads, void **arguments,
                                size_t shared, hipStream_t stream);
hipError_t fake_hipStreamCreate(hipStream_t *stream); /* an address; NULL fails */
hipError_t fake_hipStreamDestroy(hipStream_t stream);
void fake_hipUnregisterFatBinary(void **modules);

/* Fills the tables. */
void fake_fill(void);

/* Fills the tables and registers "hip" and "hip_compiler"; the answers of the library or-ed. */
int fake_register(void);

/* Counts failures; the program ends with 1 if there were any. */
extern int failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s: failed: %s\n", __FILE__, __LINE__, __func__, #condition);  \
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);                                    \
        }                                                                                          \
    } while (0)
#define CHECK_EQ(a, b)                                                                             \
    do {                                                                                           \
        long long a_ = (long long)(a), b_ = (long long)(b);                                        \
        if (a_ != b_) {                                                                            \
            fprintf(stderr, "%s:%d: %s: %s is %lld, %s is %lld\n", __FILE__, __LINE__, __func__,   \
                    #a, a_, #b, b_);                                                               \
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);                                    \
        }                                                                                          \
    } while (0)
#define OK(call) CHECK_EQ(call, ROCPROFILER_STATUS_SUCCESS)

#endif
