/* elf.c - reads code objects as ELF files: segments, functions, the GPU for which they were
 * compiled.
 *
 * Offsets and sizes in the file are untrusted: each is checked against the file's size before
 * use. */
#include "disasm/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"

enum { MACHINE_AMDGPU = 224, FLAGS_MACH = 0xff };

/* Numbers of GPUs in the ELF header, from LLVM's user guide for AMDGPU (EF_AMDGPU_MACH). */
static const struct {
    uint8_t mach;
    char name[16];
} gpus[] = {
    {0x20, "gfx600"},         {0x21, "gfx601"},          {0x3a, "gfx602"},
    {0x22, "gfx700"},         {0x23, "gfx701"},          {0x24, "gfx702"},
    {0x25, "gfx703"},         {0x26, "gfx704"},          {0x3b, "gfx705"},
    {0x28, "gfx801"},         {0x29, "gfx802"},          {0x2a, "gfx803"},
    {0x3c, "gfx805"},         {0x2b, "gfx810"},          {0x2c, "gfx900"},
    {0x2d, "gfx902"},         {0x2e, "gfx904"},          {0x2f, "gfx906"},
    {0x30, "gfx908"},         {0x31, "gfx909"},          {0x32, "gfx90c"},
    {0x3f, "gfx90a"},         {0x40, "gfx940"},          {0x4b, "gfx941"},
    {0x4c, "gfx942"},         {0x4f, "gfx950"},          {0x51, "gfx9-generic"},
    {0x5f, "gfx9-4-generic"}, {0x33, "gfx1010"},         {0x34, "gfx1011"},
    {0x35, "gfx1012"},        {0x42, "gfx1013"},         {0x52, "gfx10-1-generic"},
    {0x36, "gfx1030"},        {0x37, "gfx1031"},         {0x38, "gfx1032"},
    {0x39, "gfx1033"},        {0x3e, "gfx1034"},         {0x3d, "gfx1035"},
    {0x45, "gfx1036"},        {0x53, "gfx10-3-generic"}, {0x41, "gfx1100"},
    {0x46, "gfx1101"},        {0x47, "gfx1102"},         {0x44, "gfx1103"},
    {0x43, "gfx1150"},        {0x4a, "gfx1151"},         {0x55, "gfx1152"},
    {0x58, "gfx1153"},        {0x54, "gfx11-generic"},   {0x48, "gfx1200"},
    {0x4e, "gfx1201"},        {0x59, "gfx12-generic"},   {0x49, "gfx1250"},
    {0x5a, "gfx1251"},        {0x5b, "gfx12-5-generic"},
};

static bool within(const dis_object_t *o, uint64_t offset, uint64_t size)
{
    return offset <= o->size && size <= o->size - offset;
}

const uint8_t *dis_bytes(const dis_object_t *o, uint64_t address, uint64_t *size)
{
    for (size_t i = 0; i < o->segment_count; i++) {
        const dis_segment_t *s = &o->segments[i];
        if (address - s->address >= s->size || address < s->address) continue;
        *size = s->size - (address - s->address);
        return o->elf + s->offset + (address - s->address);
    }
    return NULL;
}

static dis_status_t read_segments(dis_object_t *o, const Elf64_Ehdr *header)
{
    if (header->e_phentsize != sizeof(Elf64_Phdr) ||
        !within(o, header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr)))
        return DIS_NO_ELF;
    o->segments = calloc(header->e_phnum + 1u, sizeof *o->segments);
    if (!o->segments) return DIS_NO_MEMORY;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr p;
        memcpy(&p, o->elf + header->e_phoff + i * sizeof p, sizeof p);
        if (p.p_type != PT_LOAD || !p.p_filesz) continue;
        if (!within(o, p.p_offset, p.p_filesz)) return DIS_NO_ELF;
        o->segments[o->segment_count++] = (dis_segment_t){p.p_vaddr, p.p_offset, p.p_filesz};
    }
    return DIS_GOOD;
}

void dis_header(const dis_object_t *o, Elf64_Ehdr *header)
{
    memcpy(header, o->elf, sizeof *header);
}

bool dis_section(const dis_object_t *o, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *s)
{
    if (index >= header->e_shnum) return false;
    memcpy(s, o->elf + header->e_shoff + index * sizeof *s, sizeof *s);
    return s->sh_type == SHT_NOBITS || within(o, s->sh_offset, s->sh_size);
}

static int by_address(const void *a, const void *b)
{
    const dis_symbol_t *x = a, *y = b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return strcmp(x->name, y->name);
}

const char *dis_text(const dis_object_t *o, const Elf64_Shdr *table, uint64_t at)
{
    const char *text = (const char *)o->elf + table->sh_offset + at;
    return at < table->sh_size && memchr(text, '\0', table->sh_size - at) ? text : NULL;
}

static dis_status_t read_symbols(dis_object_t *o, const Elf64_Ehdr *header, const Elf64_Shdr *table)
{
    Elf64_Shdr strings;
    const size_t count = table->sh_size / sizeof(Elf64_Sym);
    if (!dis_section(o, header, table->sh_link, &strings) || strings.sh_type != SHT_STRTAB)
        return DIS_NO_ELF;
    o->symbols = calloc(count + 1, sizeof *o->symbols);
    if (!o->symbols) return DIS_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, o->elf + table->sh_offset + i * sizeof symbol, sizeof symbol);
        const char *name = dis_text(o, &strings, symbol.st_name);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_shndx || !name || !*name)
            continue;
        o->symbols[o->symbol_count++] = (dis_symbol_t){name, symbol.st_value, symbol.st_size};
    }
    qsort(o->symbols, o->symbol_count, sizeof *o->symbols, by_address);
    return DIS_GOOD;
}

static dis_status_t read_sections(dis_object_t *o, const Elf64_Ehdr *header)
{
    Elf64_Shdr s, symbols = {0};
    if (!header->e_shnum) return DIS_GOOD;
    if (header->e_shentsize != sizeof s || !within(o, header->e_shoff, header->e_shnum * sizeof s))
        return DIS_NO_ELF;
    for (unsigned i = 0; i < header->e_shnum; i++) {
        if (!dis_section(o, header, i, &s)) return DIS_NO_ELF;
        /* the full symbol table, or the exported symbols if the file is stripped */
        if (s.sh_type == SHT_SYMTAB || (s.sh_type == SHT_DYNSYM && !symbols.sh_type)) symbols = s;
    }
    return symbols.sh_type ? read_symbols(o, header, &symbols) : DIS_GOOD;
}

static dis_status_t read_file(dis_object_t *o)
{
    Elf64_Ehdr header;
    dis_status_t status;
    if (o->size < sizeof header) return DIS_NO_ELF;
    dis_header(o, &header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != MACHINE_AMDGPU)
        return DIS_NO_ELF;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        if (gpus[i].mach == (header.e_flags & FLAGS_MACH)) strcpy(o->gpu, gpus[i].name);
    if (!*o->gpu) return DIS_NO_ELF;
    status = read_segments(o, &header);
    return status ? status : read_sections(o, &header);
}

dis_status_t dis_object_open(const void *elf, uint64_t size, dis_object_t **object)
{
    dis_object_t *o = calloc(1, sizeof *o);
    *object = NULL;
    if (!o) return DIS_NO_MEMORY;
    o->elf = size ? malloc(size) : NULL;
    o->size = size;
    if (o->elf) memcpy(o->elf, elf, size);
    dis_status_t status = !size ? DIS_NO_ELF : o->elf ? read_file(o) : DIS_NO_MEMORY;
    if (status) {
        dis_object_close(o);
        return status;
    }
    *object = o;
    return DIS_GOOD;
}

void dis_object_close(dis_object_t *object)
{
    if (!object) return;
    dis_comgr_free(object);
    dis_llvm_free(object);
    dis_lines_free(object);
    dis_data_free(object);
    free(object->symbols);
    free(object->segments);
    free(object->elf);
    free(object);
}

const char *dis_object_gpu(const dis_object_t *object)
{
    return object->gpu;
}

/* Fields of the ELF header's flags, two bits each, from version 4 of code objects on: 2 and 3 are
 * off and on; otherwise the code runs with both. Source: LLVM's user guide, EF_AMDGPU_FEATURE_. */
static const struct {
    unsigned shift;
    const char *off, *on;
} settings[] = {{10, ":sramecc-", ":sramecc+"}, {8, ":xnack-", ":xnack+"}};

void dis_object_target(const dis_object_t *object, char target[DIS_TARGET_BYTES])
{
    enum { VERSION_4 = 2, OFF = 2, ON = 3 }; /* VERSION_4: its number in the header */
    Elf64_Ehdr header;
    dis_header(object, &header);
    strcpy(target, object->gpu);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const unsigned value = header.e_flags >> settings[i].shift & 3;
        if (header.e_ident[EI_ABIVERSION] < VERSION_4 || value < OFF) continue;
        strcat(target, value == ON ? settings[i].on : settings[i].off);
    }
}

const dis_symbol_t *dis_object_symbols(const dis_object_t *object, size_t *count)
{
    *count = object->symbol_count;
    return object->symbols;
}

const dis_symbol_t *dis_object_symbol_at(const dis_object_t *object, uint64_t address)
{
    size_t above;
    BASE_SEARCH(above, object->symbol_count, object->symbols[above].address <= address);
    if (!above) return NULL;
    const dis_symbol_t *s = &object->symbols[above - 1];
    return address - s->address < s->size ? s : NULL;
}
