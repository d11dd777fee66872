/* text.h - small functions on strings that several rooms use.
 *
 * They allocate nothing and do not depend on the locale. */
#ifndef CROCPROF_BASE_TEXT_H
#define CROCPROF_BASE_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool base_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && memcmp(text + n - m, end, m) == 0;
}

static inline bool base_begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The symbol of a kernel's descriptor is the kernel's name with this ending. */
#define BASE_DESCRIPTOR ".kd"

/* Returns the length of the kernel's name in a symbol of `length` characters: without the ending of
 * a descriptor, if the symbol has it and a name before it. */
static inline size_t base_kernel_length(const char *symbol, size_t length)
{
    const size_t ending = sizeof BASE_DESCRIPTOR - 1;
    const bool has = length > ending && !memcmp(symbol + length - ending, BASE_DESCRIPTOR, ending);
    return has ? length - ending : length;
}

/* Returns the last component of a path. */
static inline const char *base_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns the ending of a noun that follows the number n: "" or "s". */
static inline const char *base_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Returns the FNV-1a hash of the first `length` bytes. */
static inline uint32_t base_hash(const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

/* The same with 64 bits; `hash` is BASE_HASH64, or an earlier result to be continued. */
#define BASE_HASH64 UINT64_C(0xcbf29ce484222325)
static inline uint64_t base_hash64(uint64_t hash, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
