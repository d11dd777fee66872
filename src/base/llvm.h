/* llvm.h - opens libLLVM, whose name has its version in it. Inline, since softgpu-translator is
 * linked with nothing of ours. */
#ifndef CROCPROF_BASE_LLVM_H
#define CROCPROF_BASE_LLVM_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

/* Opens the library of the first version that is installed, from `first` to `last`, of which either
 * may be the greater one. Returns its handle; NULL if there is none. Sets `version`, which may be
 * NULL, to that version, or to 0. */
static inline void *base_llvm_open(unsigned first, unsigned last, unsigned *version)
{
    enum { WITH_DASH = 17 }; /* the last version whose library has a name like libLLVM-17.so.1 */
    for (unsigned v = first;; v = first < last ? v + 1 : v - 1) {
        char name[32];
        snprintf(name, sizeof name, v > WITH_DASH ? "libLLVM.so.%u.1" : "libLLVM-%u.so.1", v);
        void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (version) *version = library ? v : 0;
        if (library || v == last) return library;
    }
}

#endif
