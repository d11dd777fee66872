/* object.h - what the dynamic loader's tables say of a library that the process has.
 *
 * They are read without asking the loader: inside dl_iterate_phdr nothing may be called that takes
 * another lock of the loader's, and constructors may read them. */
#ifndef CROCPROF_BASE_OBJECT_H
#define CROCPROF_BASE_OBJECT_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uintptr_t base;
    const ElfW(Phdr) * parts;
    unsigned part_count;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *hash; /* NULL: it has none, and its definitions are not known */
    struct {
        const ElfW(Rela) * first;
        size_t bytes, plain; /* the first of them, which name no symbol */
    } places[2];
} base_object_t;

/* Of what dl_iterate_phdr tells. False: what is needed of it is not there. */
bool base_object_read(base_object_t *o, const struct dl_phdr_info *info);

/* The part of such a type that an address lies in; NULL: none. */
const ElfW(Phdr) * base_object_part(const base_object_t *o, uint32_t type, uintptr_t at);

/* How many symbols it has; it has a hash table. */
uint32_t base_object_symbols(const base_object_t *o);

/* The first of such a name, whatever its version, that it does not only use; NULL: none. */
const ElfW(Sym) * base_object_definition(const base_object_t *o, const char *name);

#endif
