/* symbol.h - functions of libraries that are loaded at run time. */
#ifndef CROCPROF_BASE_SYMBOL_H
#define CROCPROF_BASE_SYMBOL_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Sets the function pointer at `slot`; false: the library has no such function, and it is NULL. ISO
 * C has no way from dlsym's pointer to a function's but through memory. */
static inline bool base_symbol(void *library, const char *name, void *slot)
{
    void *address = dlsym(library, name);
    memcpy(slot, &address, sizeof address);
    return address;
}

#endif
