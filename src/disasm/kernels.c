/* kernels.c - lists all kernels of a code object: joins the compiler's notes with the descriptors.
 *
 * A descriptor says where the kernel's code begins, which the symbols need not say, and how the
 * hardware is set up for it. Everything in it is checked before use. Source of the layout: LLVM's
 * user guide for AMDGPU, "Kernel Descriptor". */
#include "disasm/internal.h"

#include "base/text.h"
#include "gpus/gpus.h"

#include <stdlib.h>
#include <string.h>

enum {
    DESCRIPTOR_BYTES = 64,
    ENTRY_AT = 16, /* int64: distance from the descriptor to the first instruction */
    RSRC1_AT = 48, /* compute_pgm_rsrc1 */
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const dis_symbol_t *)a)->name, ((const dis_symbol_t *)b)->name);
}

/* The symbols whose names end like those of descriptors, sorted by name; the caller frees the list.
 * NULL: there are none, or out of memory. */
static dis_symbol_t *descriptors(const dis_object_t *o, size_t *count)
{
    Elf64_Ehdr header;
    Elf64_Shdr s, table = {0}, strings;
    dis_symbol_t *list = NULL;
    *count = 0;
    dis_header(o, &header);
    for (unsigned i = 0; i < header.e_shnum; i++)
        if (dis_section(o, &header, i, &s) &&
            (s.sh_type == SHT_SYMTAB || (s.sh_type == SHT_DYNSYM && !table.sh_type)))
            table = s;
    const size_t n = table.sh_size / sizeof(Elf64_Sym);
    if (!n || !dis_section(o, &header, table.sh_link, &strings) || strings.sh_type != SHT_STRTAB)
        return NULL;
    list = calloc(n, sizeof *list);
    for (size_t i = 0; list && i < n; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, o->elf + table.sh_offset + i * sizeof symbol, sizeof symbol);
        const char *name = dis_text(o, &strings, symbol.st_name);
        const size_t length = name ? strlen(name) : 0;
        if (symbol.st_shndx && base_kernel_length(name, length) < length)
            list[(*count)++] = (dis_symbol_t){name, symbol.st_value, symbol.st_size};
    }
    if (list) qsort(list, *count, sizeof *list, by_name);
    return list;
}

static void read_descriptor(const dis_object_t *o, dis_kernel_row_t *row, uint64_t address)
{
    uint64_t left, entry;
    uint32_t rsrc1;
    const uint8_t *bytes = dis_bytes(o, address, &left);
    if (!bytes || left < DESCRIPTOR_BYTES) return;
    memcpy(&entry, bytes + ENTRY_AT, sizeof entry);
    memcpy(&rsrc1, bytes + RSRC1_AT, sizeof rsrc1);
    row->described = true;
    const gpus_arch_t *gpu = gpus_find(o->gpu);
    row->whole_wgp = gpu && gpus_kernel(gpu, rsrc1, 0, 0).whole_wgp;
    row->code = address + entry;
    const uint8_t *code = dis_bytes(o, row->code, &left);
    const dis_symbol_t *symbol = dis_object_symbol_at(o, row->code);
    if (!code || !symbol || symbol->address != row->code) return;
    row->code_bytes = symbol->size < left ? symbol->size : left;
}

bool dis_object_kernels(const dis_object_t *o, dis_kernel_row_t **rows, size_t *count)
{
    size_t n;
    if (!dis_notes_rows(o, rows, count)) return false;
    dis_symbol_t *list = *count ? descriptors(o, &n) : NULL;
    for (size_t i = 0; list && i < *count; i++) {
        const dis_symbol_t key = {.name = (*rows)[i].symbol};
        const dis_symbol_t *found = bsearch(&key, list, n, sizeof *list, by_name);
        if (found) read_descriptor(o, &(*rows)[i], found->address);
    }
    free(list);
    return true;
}

void dis_kernels_free(dis_kernel_row_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(rows[i].name);
        free(rows[i].symbol);
    }
    free(rows);
}

const uint8_t *dis_object_bytes(const dis_object_t *object, uint64_t address, uint64_t *left)
{
    return dis_bytes(object, address, left);
}
