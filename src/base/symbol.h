/* symbol.h - functions of libraries that are loaded at run time. */
#ifndef CROCPROF_BASE_SYMBOL_H
#define CROCPROF_BASE_SYMBOL_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Sets the function pointer at `slot` to the library's function `name`; returns false, and sets
 * NULL, if there is none. The pointer is copied through memory because ISO C has no conversion from
 * dlsym's object pointer to a function pointer. */
static inline bool base_symbol(void *library, const char *name, void *slot)
{
    void *address = dlsym(library, name);
    memcpy(slot, &address, sizeof address);
    return address;
}

#endif
