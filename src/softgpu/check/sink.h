/* sink.h - what the calls of the program tell the checker: libsoftgpu-check.so finds the table.
 *
 * The library stands in front of HIP and HSA; it knows their functions and nothing of the device.
 */
#ifndef SOFTGPU_CHECK_SINK_H
#define SOFTGPU_CHECK_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOFTGPU_CHECK_VERSION = 1 };

/* Variable with the name of a file to which every process adds a byte for each error. */
#define SOFTGPU_CHECK_COUNT "SOFTGPU_CHECK_COUNT"

/* Name of the function of type softgpu_check_fn_t that the preloaded stub exports. */
#define SOFTGPU_CHECK_SYMBOL "softgpu_check"

/* All functions are thread-safe, take the caller's stack and keep nothing but `call`, a literal. */
typedef struct softgpu_check_api {
    unsigned version; /* SOFTGPU_CHECK_VERSION of the library */

    /* Memory was given out. What a runtime gets and divides is told again, part by part. */
    void (*made)(uint64_t begin, uint64_t bytes, const char *call);

    /* Memory is about to be taken back: a number for gone(), 0: there is nothing known of it.
     * `report`: tell what cannot be taken back. */
    uint64_t (*going)(uint64_t begin, const char *call, bool report);
    void (*gone)(uint64_t begin, uint64_t number, const char *call);

    /* A code object's file, whole. */
    void (*code)(const void *elf, size_t bytes);
} softgpu_check_api_t;

/* NULL: nothing is checked. */
typedef const softgpu_check_api_t *softgpu_check_fn_t(unsigned version);

#endif
