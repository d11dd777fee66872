/* code_object.c - finds code objects (ELF) in GPU memory, and the names of their kernels.
 *
 * The loader copies a code object's segments unchanged, so its ELF header and dynamic symbols are
 * in memory before the kernel descriptors. The program may have overwritten them: offsets are
 * checked before they are used. */
#include "softgpu/memory/code_object.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif

enum { PAGE = 4096 };

/* A code object in memory; offsets are its virtual addresses. */
typedef struct {
    const uint8_t *bytes;
    uint64_t size;
} image_t;

/* The host address of `size` bytes of the image; NULL if they are not all in it, or not aligned as
 * ELF demands. */
static const void *part(const image_t *image, uint64_t at, uint64_t size, uintptr_t alignment)
{
    if (at > image->size || size > image->size - at) return NULL;
    const uint8_t *begin = image->bytes + at;
    return (uintptr_t)begin % alignment ? NULL : begin;
}

static bool is_code_object(const image_t *image)
{
    const Elf64_Ehdr *head = part(image, 0, sizeof *head, _Alignof(Elf64_Ehdr));
    return head && !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
           head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_machine == EM_AMDGPU &&
           head->e_phentsize == sizeof(Elf64_Phdr);
}

/* The program headers of a code object; NULL: they are not in the image. */
static const Elf64_Phdr *segments(const image_t *image, unsigned *n)
{
    const Elf64_Ehdr *head = part(image, 0, sizeof *head, _Alignof(Elf64_Ehdr));
    *n = head->e_phnum;
    return part(image, head->e_phoff, (uint64_t)*n * sizeof(Elf64_Phdr), _Alignof(Elf64_Phdr));
}

static const Elf64_Phdr *dynamic_segment(const image_t *image)
{
    unsigned n;
    const Elf64_Phdr *p = segments(image, &n);
    for (unsigned i = 0; p && i < n; i++)
        if (p[i].p_type == PT_DYNAMIC) return &p[i];
    return NULL;
}

typedef struct {
    const Elf64_Sym *symbols;
    uint64_t n_symbols;
    const char *strings;
    uint64_t strings_size;
} symbols_t;

static bool find_symbols(const image_t *image, symbols_t *out)
{
    const Elf64_Phdr *segment = dynamic_segment(image);
    uint64_t table = 0, strings = 0, strings_size = 0, hash = 0;
    if (!segment) return false;
    const Elf64_Dyn *d = part(image, segment->p_vaddr, segment->p_memsz, _Alignof(Elf64_Dyn));
    for (uint64_t i = 0; d && i < segment->p_memsz / sizeof *d && d[i].d_tag != DT_NULL; i++) {
        uint64_t value = d[i].d_un.d_val;
        if (d[i].d_tag == DT_SYMTAB) table = value;
        if (d[i].d_tag == DT_STRTAB) strings = value;
        if (d[i].d_tag == DT_STRSZ) strings_size = value;
        if (d[i].d_tag == DT_HASH) hash = value;
    }
    const uint32_t *counts =
        part(image, hash, 2 * sizeof *counts, _Alignof(uint32_t)); /* nbucket, nchain */
    if (!table || !strings || !hash || !counts) return false;
    out->n_symbols = counts[1];
    out->symbols = part(image, table, out->n_symbols * sizeof(Elf64_Sym), _Alignof(Elf64_Sym));
    out->strings = part(image, strings, strings_size, 1);
    out->strings_size = strings_size;
    return out->symbols && out->strings;
}

/* The name of the kernel whose descriptor is at `at`, of *length characters; NULL: there is no
 * symbol for it. */
static const char *name_in(const image_t *image, uint64_t at, size_t *length)
{
    symbols_t s;
    if (!find_symbols(image, &s)) return NULL;
    for (uint64_t i = 0; i < s.n_symbols; i++) {
        const Elf64_Sym *symbol = &s.symbols[i];
        if (symbol->st_value != at || symbol->st_name >= s.strings_size) continue;
        const char *name = s.strings + symbol->st_name;
        const size_t all = strnlen(name, s.strings_size - symbol->st_name);
        *length = base_kernel_length(name, all);
        if (*length < all) return name;
    }
    return NULL;
}

/* Finds the code object that holds the address: the nearest one that begins before it, in the same
 * extent. */
static bool image_around(const sg_memory_t *m, uint64_t va, image_t *image, uint64_t *begin)
{
    const sg_extent_t *e = sg_memory_find(m, va);
    uint64_t at = va & ~(uint64_t)(PAGE - 1);
    for (; e && at >= e->begin; at -= PAGE) {
        *image = (image_t){e->host + (at - e->begin), e->end - at};
        if (!is_code_object(image)) continue;
        *begin = at;
        return true;
    }
    return false;
}

const void *sg_code_object(const sg_memory_t *m, uint64_t va, uint64_t *begin, uint64_t *bytes)
{
    image_t image;
    if (!image_around(m, va, &image, begin)) return NULL;
    *bytes = image.size;
    return image.bytes;
}

bool sg_code_at(const sg_extent_t *e, uint64_t va, uint64_t *begin, uint64_t *end)
{
    const image_t image = {e->host, e->end - e->begin};
    unsigned n;
    const Elf64_Phdr *p = is_code_object(&image) ? segments(&image, &n) : NULL;
    *begin = e->begin;
    *end = e->end;
    for (unsigned i = 0; p && i < n; i++) {
        const uint64_t from = e->begin + p[i].p_vaddr, to = from + p[i].p_memsz;
        if (p[i].p_type != PT_LOAD || !(p[i].p_flags & PF_X) || to < from) continue;
        if (va >= from && va < to) {
            *begin = from;
            *end = to;
            return true;
        }
        if (to <= va && to > *begin) *begin = to;
        if (from > va && from < *end) *end = from;
    }
    return false;
}

char *sg_kernel_name(const sg_memory_t *m, uint64_t descriptor)
{
    char unnamed[32];
    uint64_t begin;
    image_t image;
    if (image_around(m, descriptor, &image, &begin)) {
        size_t length;
        const char *name = name_in(&image, descriptor - begin, &length);
        if (name) return strndup(name, length);
    }
    snprintf(unnamed, sizeof unnamed, "kernel_at_0x%llx", (unsigned long long)descriptor);
    return strdup(unnamed);
}
