/* fake_sdk.h - an SDK without a runtime behind it: the test program says what happened.
 *
 * Stands in for librocprofiler-sdk so that tool library, rocprofv3 and formats can be tested with
 * records whose every field is known. The functions are weak: without rocprofv3 they are absent. */
#ifndef CROCPROF_TESTS_FAKE_SDK_H
#define CROCPROF_TESTS_FAKE_SDK_H

#include <stdint.h>

#define FAKE __attribute__((visibility("default"), weak))

/* Finds the tool and lets it initialise, as a runtime's registration would. */
FAKE void fake_start(void);

/* Each adds a record if the tool wants the kind. Times in ns. */
FAKE void fake_api(uint32_t kind, int32_t operation, uint64_t thread, uint64_t correlation,
                   uint64_t start, uint64_t end);
FAKE void fake_dispatch(uint64_t thread, uint64_t correlation, uint64_t dispatch, uint64_t kernel,
                        uint64_t start, uint64_t end);
FAKE void fake_copy(int32_t operation, uint64_t thread, uint64_t correlation, uint64_t start,
                    uint64_t end);

FAKE void fake_allocation(int32_t operation, uint64_t thread, uint64_t correlation,
                          uint64_t address, uint64_t bytes, uint64_t start, uint64_t end);
FAKE void fake_scratch(int32_t operation, uint64_t thread, uint64_t bytes, uint64_t start,
                       uint64_t end);

/* A kernel of code object 1 with numbers derived from its id. */
FAKE void fake_kernel(uint64_t id, const char *name);
/* A code object in memory. */
FAKE void fake_object(uint64_t id, const void *data, uint64_t bytes);

/* How often contexts were started and stopped. */
FAKE int fake_starts(void);
FAKE int fake_stops(void);

/* What the next delivery reports as lost. */
FAKE void fake_lose(uint64_t records);

/* Delivers a record of a kind that nobody has asked for. */
FAKE void fake_unknown(void);

#endif
