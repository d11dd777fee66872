/* translate_object.h - loads an object file of LLVM's, as it was compiled or as it was kept on
 * disk.
 *
 * Apart from translate_internal.h, so that the loader can be tested by itself. It needs no LLVM. */
#ifndef SOFTGPU_EXEC_TRANSLATE_OBJECT_H
#define SOFTGPU_EXEC_TRANSLATE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code in memory. */
typedef struct {
    void *at;    /* NULL: there is none */
    size_t size; /* of the mapping */
    uintptr_t run;
} isa_object_t;

/* Loads a relocatable ELF file for x86-64, whose function of this name is `run`. Sections that can
 * be written to, symbols of others but a few of the C library, and relocations that the loader does
 * not know are refused, as is a damaged file: false. The bytes are not needed afterwards. */
bool isa_object_load(isa_object_t *object, const void *bytes, size_t size, const char *name);
void isa_object_free(isa_object_t *object);

#endif
