/* variables.c - finds a code object's variables and constants, and the ranges between them that are
 * certainly unused.
 *
 * A file of its own because of the conditions for an unused range: all contents of the section have
 * symbols, and the room between two of them is no larger than alignment explains. If in doubt, the
 * range counts as used. Section headers have been checked when the object was opened. */
#include "disasm/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct dis_data {
    dis_symbol_t *variables;
    dis_range_t *gaps;
    size_t variable_count, gap_count;
};

/* State while the object is read. */
typedef struct {
    const dis_object_t *object;
    Elf64_Ehdr header;
    Elf64_Shdr names;   /* of sections */
    bool is_complete;   /* the symbol table has local symbols, too */
    Elf64_Sym *symbols; /* symbols in sections of variables, sorted by section, address and size */
    size_t symbol_count;
    dis_data_t *data;
} reader_t;

/* True for sections in which compilers put variables and constants, each with a symbol, and nothing
 * else. Other sections are tables of the linker, or sections that the program's source names. */
static bool has_variables(const reader_t *r, const Elf64_Shdr *s)
{
    static const char *const names[] = {".data", ".bss", ".rodata"};
    const char *name =
        r->names.sh_type == SHT_STRTAB ? dis_text(r->object, &r->names, s->sh_name) : NULL;
    for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return s->sh_flags & SHF_ALLOC;
    return false;
}

/* ---- symbols ---- */

static int by_place(const void *a, const void *b)
{
    const Elf64_Sym *x = a, *y = b;
    if (x->st_shndx != y->st_shndx) return x->st_shndx < y->st_shndx ? -1 : 1;
    if (x->st_value != y->st_value) return x->st_value < y->st_value ? -1 : 1;
    return x->st_size < y->st_size ? -1 : x->st_size > y->st_size;
}

/* True for a symbol of an object that occupies memory. */
static bool is_place(const Elf64_Sym *s)
{
    return ELF64_ST_TYPE(s->st_info) != STT_SECTION && ELF64_ST_TYPE(s->st_info) != STT_FILE;
}

static int by_address(const void *a, const void *b)
{
    const dis_symbol_t *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return x->size < y->size ? -1 : x->size > y->size;
}

/* True for the name of a kernel's descriptor, "k.kd". */
static bool is_descriptor(const char *name)
{
    const size_t length = strlen(name);
    return base_kernel_length(name, length) < length;
}

static bool read_symbols(reader_t *r, const Elf64_Shdr *table)
{
    const dis_object_t *o = r->object;
    Elf64_Shdr section, strings;
    const size_t count = table->sh_size / sizeof(Elf64_Sym);
    if (!dis_section(o, &r->header, table->sh_link, &strings) || strings.sh_type != SHT_STRTAB)
        return true;
    r->symbols = calloc(count + 1, sizeof *r->symbols);
    r->data->variables = calloc(count + 1, sizeof *r->data->variables);
    if (!r->symbols || !r->data->variables) return false;
    for (size_t i = 0; i < count; i++) {
        Elf64_Sym s;
        memcpy(&s, o->elf + table->sh_offset + i * sizeof s, sizeof s);
        if (!s.st_shndx || !is_place(&s) || !dis_section(o, &r->header, s.st_shndx, &section) ||
            !has_variables(r, &section))
            continue;
        r->symbols[r->symbol_count++] = s;
        const char *name = dis_text(o, &strings, s.st_name);
        if (ELF64_ST_TYPE(s.st_info) == STT_OBJECT && s.st_size && name && *name &&
            !is_descriptor(name))
            r->data->variables[r->data->variable_count++] =
                (dis_symbol_t){name, s.st_value, s.st_size};
    }
    qsort(r->symbols, r->symbol_count, sizeof *r->symbols, by_place);
    qsort(r->data->variables, r->data->variable_count, sizeof *r->data->variables, by_address);
    return true;
}

/* ---- gaps ---- */

static void add_gap(reader_t *r, uint64_t begin, uint64_t end)
{
    if (begin < end) r->data->gaps[r->data->gap_count++] = (dis_range_t){begin, end};
}

/* Adds [begin, end) as a gap if it is padding before the object at `end`: smaller than the
 * alignment of `end` and than `most`, the section's alignment, and all zero. */
static void add_padding(reader_t *r, uint64_t begin, uint64_t end, uint64_t most)
{
    uint64_t bytes = 0;
    const uint64_t alignment = end & -end;
    if (end <= begin || end - begin >= alignment || end - begin >= most) return;
    const uint8_t *in_file = dis_bytes(r->object, begin, &bytes);
    for (uint64_t i = 0; in_file && i < bytes && i < end - begin; i++)
        if (in_file[i]) return;
    add_gap(r, begin, end);
}

/* Adds the padding between the variables of a section. After a symbol without a size no range is
 * certainly unused. */
static void read_section(reader_t *r, unsigned index, const Elf64_Shdr *s)
{
    uint64_t at = s->sh_addr;
    bool known = true;
    for (size_t i = 0; i < r->symbol_count; i++) {
        const Elf64_Sym *symbol = &r->symbols[i];
        const uint64_t begin = symbol->st_value, end = begin + symbol->st_size;
        if (symbol->st_shndx != index || begin < at) {
            if (symbol->st_shndx == index && end > at) at = end;
            continue;
        }
        if (known) add_padding(r, at, begin, s->sh_addralign);
        known = symbol->st_size;
        at = end;
    }
}

/* Adds the padding between the end of a section and the next loaded section. */
static void read_behind_section(reader_t *r, const Elf64_Shdr *s)
{
    const uint64_t end = s->sh_addr + s->sh_size;
    Elf64_Shdr next = {.sh_addr = UINT64_MAX}, other;
    for (unsigned i = 1; i < r->header.e_shnum; i++)
        if (dis_section(r->object, &r->header, i, &other) && other.sh_flags & SHF_ALLOC &&
            other.sh_addr >= end && other.sh_addr < next.sh_addr)
            next = other;
    if (next.sh_addr != UINT64_MAX) add_padding(r, end, next.sh_addr, next.sh_addralign);
}

static bool segment_has_variables(const reader_t *r, const Elf64_Phdr *p)
{
    for (size_t i = 0; i < r->data->variable_count; i++)
        if (r->data->variables[i].address - p->p_vaddr < p->p_memsz) return true;
    return false;
}

/* Adds the gaps before and after segments that have variables; false: the segments are not sorted,
 * so gaps cannot be determined. */
static bool read_segments(reader_t *r)
{
    uint64_t end = 0;
    bool first = true, before = false;
    for (unsigned i = 0; i < r->header.e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, r->object->elf + r->header.e_phoff + i * sizeof p, sizeof p);
        if (p.p_type != PT_LOAD || !p.p_memsz) continue;
        if ((!first && p.p_vaddr < end) || p.p_vaddr + p.p_memsz < p.p_vaddr) return false;
        const bool here = segment_has_variables(r, &p);
        if (!first && (before || here)) add_gap(r, end, p.p_vaddr);
        end = p.p_vaddr + p.p_memsz;
        before = here;
        first = false;
    }
    if (before) add_gap(r, end, UINT64_MAX);
    return true;
}

static int by_begin(const void *a, const void *b)
{
    const dis_range_t *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Sorts the gaps and joins those that overlap: padding after a section may also lie between two
 * segments. */
static void sort_gaps(dis_data_t *d)
{
    size_t count = 0;
    qsort(d->gaps, d->gap_count, sizeof *d->gaps, by_begin);
    for (size_t i = 0; i < d->gap_count; i++) {
        dis_range_t *last = count ? &d->gaps[count - 1] : NULL, gap = d->gaps[i];
        if (!last || gap.begin > last->end)
            d->gaps[count++] = gap;
        else if (gap.end > last->end)
            last->end = gap.end;
    }
    d->gap_count = count;
}

static bool read_gaps(reader_t *r)
{
    Elf64_Shdr s;
    /* at most one gap before each symbol, one after each section, and two around segments */
    r->data->gaps =
        calloc(r->symbol_count + r->header.e_shnum + r->header.e_phnum + 1u, sizeof *r->data->gaps);
    if (!r->data->gaps) return false;
    if (!read_segments(r)) {
        r->data->gap_count = 0;
        return true;
    }
    for (unsigned i = 1; r->is_complete && i < r->header.e_shnum; i++) {
        if (!dis_section(r->object, &r->header, i, &s) || !has_variables(r, &s)) continue;
        read_section(r, i, &s);
        read_behind_section(r, &s);
    }
    sort_gaps(r->data);
    return true;
}

static bool read_data(reader_t *r)
{
    Elf64_Shdr s, table = {0};
    for (unsigned i = 1; i < r->header.e_shnum; i++) {
        if (!dis_section(r->object, &r->header, i, &s)) continue;
        if (s.sh_type == SHT_SYMTAB || (s.sh_type == SHT_DYNSYM && !table.sh_type)) table = s;
    }
    r->is_complete = table.sh_type == SHT_SYMTAB;
    if (!dis_section(r->object, &r->header, r->header.e_shstrndx, &r->names)) r->names.sh_type = 0;
    return (!table.sh_type || read_symbols(r, &table)) && read_gaps(r);
}

/* The variables of an object, found at the first call. NULL: out of memory. */
static const dis_data_t *data_of(dis_object_t *o)
{
    if (o->data) return o->data;
    reader_t r = {.object = o, .data = calloc(1, sizeof *r.data)};
    if (!(o->data = r.data)) return NULL;
    dis_header(o, &r.header);
    const bool good = read_data(&r);
    free(r.symbols);
    if (!good) dis_data_free(o);
    return o->data;
}

void dis_data_free(dis_object_t *o)
{
    if (!o->data) return;
    free(o->data->variables);
    free(o->data->gaps);
    free(o->data);
    o->data = NULL;
}

const dis_symbol_t *dis_object_variables(dis_object_t *o, size_t *count)
{
    const dis_data_t *d = data_of(o);
    *count = d ? d->variable_count : 0;
    return d ? d->variables : NULL;
}

const dis_range_t *dis_object_gaps(dis_object_t *o, size_t *count)
{
    const dis_data_t *d = data_of(o);
    *count = d ? d->gap_count : 0;
    return d ? d->gaps : NULL;
}
