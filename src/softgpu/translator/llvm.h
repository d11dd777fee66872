/* llvm.h - LLVM by its C interface: bitcode and assembly in, an object file out. */
#ifndef SOFTGPU_TRANSLATOR_LLVM_H
#define SOFTGPU_TRANSLATOR_LLVM_H

#include <stdbool.h>
#include <stddef.h>

/* A library of bitcode, whose bytes stay the caller's, and the processor it is for. */
typedef struct {
    const char *bitcode, *cpu;
    size_t bytes;
    int level;     /* of code generation */
    void *machine; /* LLVM's, made when it is first needed */
} llvm_library_t;

/* Loads LLVM; returns the path of its library, or NULL if there is none. */
const char *llvm_load(void);

/* The functions below return NULL on failure, and write a text to `why`; what they return is the
 * caller's, to be freed. */

/* The names of the library's functions, each with its zero; their bytes in *size. */
char *llvm_names(llvm_library_t *library, size_t *size, char *why, size_t why_bytes);

/* Compiles assembly with the library's functions that it calls, by these passes. */
char *llvm_compile(llvm_library_t *library, const char *passes, const char *text, size_t *size,
                   char *why, size_t why_bytes);

#endif
