/* translate_object.c - see translate_object.h.
 *
 * Sections are put into one mapping, one behind the other, and after them a jump to each function
 * of the C library that LLVM may call, so that every displacement fits in 32 bits. Unwind tables
 * are left out: nothing unwinds through translated code, which handlers leave by siglongjmp() at
 * most. Everything that the file says is checked against the file's size. */
#include "softgpu/exec/translate_object.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SECTIONS = 4096,     /* at most */
    LARGEST = 16 << 20,  /* bytes of code and constants, at most */
    MOST_ALIGNED = 4096, /* of a section */
    STUB = 16,           /* bytes of a jump to another library */
    STUB_ADDRESS = 6     /* the instruction's bytes; the address follows */
};

/* Functions that LLVM calls in place of loads and stores. */
static const struct {
    const char *name;
    void *(*address)(void *, const void *, size_t);
} others[] = {{"memcpy", memcpy}, {"memmove", memmove}, {"memset", NULL}};
enum { OTHERS = sizeof others / sizeof *others };

typedef struct {
    const uint8_t *bytes;
    size_t size;
    unsigned n;
    Elf64_Shdr *section;
    size_t *place; /* in the mapping, or NOWHERE */
    uint8_t *at;
    size_t stubs, room; /* place of the jumps; size of the mapping */
} file_t;

static const size_t NOWHERE = SIZE_MAX;

static bool is_inside(const file_t *f, uint64_t offset, uint64_t bytes)
{
    return offset <= f->size && bytes <= f->size - offset;
}

/* The nth element of a table in a section; false if the section is shorter. */
static bool element(const file_t *f, const Elf64_Shdr *s, uint64_t n, void *to, size_t bytes)
{
    if (n >= s->sh_size / bytes) return false;
    memcpy(to, f->bytes + s->sh_offset + n * bytes, bytes);
    return true;
}

static bool read_sections(file_t *f)
{
    Elf64_Ehdr h;
    if (f->size < sizeof h) return false;
    memcpy(&h, f->bytes, sizeof h);
    if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 ||
        h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_type != ET_REL || h.e_machine != EM_X86_64)
        return false;
    f->n = h.e_shnum;
    if (!f->n || f->n > SECTIONS || h.e_shentsize != sizeof *f->section ||
        !is_inside(f, h.e_shoff, f->n * sizeof *f->section))
        return false;
    f->section = malloc(f->n * sizeof *f->section);
    f->place = malloc(f->n * sizeof *f->place);
    if (!f->section || !f->place) return false;
    memcpy(f->section, f->bytes + h.e_shoff, f->n * sizeof *f->section);
    for (unsigned k = 0; k < f->n; k++) {
        const Elf64_Shdr *s = &f->section[k];
        f->place[k] = NOWHERE;
        if (s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL &&
            !is_inside(f, s->sh_offset, s->sh_size))
            return false;
    }
    return true;
}

/* Finds a place for each section that the code needs. */
static bool place_sections(file_t *f)
{
    size_t end = 0;
    for (unsigned k = 0; k < f->n; k++) {
        const Elf64_Shdr *s = &f->section[k];
        if (!(s->sh_flags & SHF_ALLOC) || !s->sh_size || s->sh_type == SHT_X86_64_UNWIND) continue;
        const uint64_t aligned = s->sh_addralign ? s->sh_addralign : 1;
        if (s->sh_type != SHT_PROGBITS || s->sh_flags & (SHF_WRITE | SHF_TLS) ||
            aligned > MOST_ALIGNED || aligned & (aligned - 1) || s->sh_size > LARGEST)
            return false;
        end = (end + aligned - 1) & ~(size_t)(aligned - 1);
        f->place[k] = end;
        end += s->sh_size;
        if (end > LARGEST) return false;
    }
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    f->stubs = (end + STUB - 1) & ~(size_t)(STUB - 1);
    f->room = (f->stubs + OTHERS * STUB + page - 1) & ~(page - 1);
    return end > 0;
}

static void put_stub(uint8_t *at, unsigned n)
{
    static const uint8_t jump[STUB_ADDRESS] = {0xff, 0x25}; /* jmp *0(%rip) */
    uintptr_t to = (uintptr_t)others[n].address;
    if (!to) to = (uintptr_t)memset;
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &to, sizeof to);
}

static bool map(file_t *f)
{
    void *at = mmap(NULL, f->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return false;
    f->at = at;
    for (unsigned k = 0; k < f->n; k++)
        if (f->place[k] != NOWHERE)
            memcpy(f->at + f->place[k], f->bytes + f->section[k].sh_offset, f->section[k].sh_size);
    for (unsigned n = 0; n < OTHERS; n++)
        put_stub(f->at + f->stubs + n * STUB, n);
    return true;
}

/* ---- symbols ---- */

/* Whether this is the text at the offset of a table of strings. */
static bool is_text(const file_t *f, unsigned table, uint64_t offset, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    if (table >= f->n || f->section[table].sh_type != SHT_STRTAB) return false;
    const Elf64_Shdr *s = &f->section[table];
    return offset <= s->sh_size && bytes <= s->sh_size - offset &&
           !memcmp(f->bytes + s->sh_offset + offset, text, bytes);
}

static bool find_other(const file_t *f, unsigned table, uint64_t offset, uint64_t *value)
{
    for (unsigned n = 0; n < OTHERS; n++) {
        if (!is_text(f, table, offset, others[n].name)) continue;
        *value = (uintptr_t)f->at + f->stubs + n * STUB;
        return true;
    }
    return false;
}

/* The address of a symbol of the table of symbols `table`. */
static bool find_symbol(const file_t *f, unsigned table, uint64_t number, uint64_t *value)
{
    Elf64_Sym symbol;
    if (table >= f->n || f->section[table].sh_type != SHT_SYMTAB ||
        !element(f, &f->section[table], number, &symbol, sizeof symbol))
        return false;
    const unsigned in = symbol.st_shndx;
    if (in == SHN_UNDEF) return find_other(f, f->section[table].sh_link, symbol.st_name, value);
    if (in >= f->n || f->place[in] == NOWHERE || symbol.st_value > f->section[in].sh_size)
        return false;
    *value = (uintptr_t)f->at + f->place[in] + symbol.st_value;
    return true;
}

/* The function of that name, in a section with code. */
static bool find_function(const file_t *f, const char *name, uint64_t *value)
{
    for (unsigned k = 0; k < f->n; k++) {
        Elf64_Sym symbol;
        const Elf64_Shdr *s = &f->section[k];
        if (s->sh_type != SHT_SYMTAB) continue;
        for (uint64_t n = 0; element(f, s, n, &symbol, sizeof symbol); n++) {
            if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC ||
                !is_text(f, s->sh_link, symbol.st_name, name))
                continue;
            const unsigned in = symbol.st_shndx;
            return in < f->n && f->section[in].sh_flags & SHF_EXECINSTR &&
                   symbol.st_value < f->section[in].sh_size && find_symbol(f, k, n, value);
        }
    }
    return false;
}

/* ---- relocations ---- */

static bool relocate_one(const file_t *f, const Elf64_Shdr *table, const Elf64_Rela *r)
{
    const unsigned type = (unsigned)ELF64_R_TYPE(r->r_info), in = table->sh_info;
    const size_t bytes = type == R_X86_64_64 ? sizeof(uint64_t) : sizeof(uint32_t);
    uint64_t value;
    if (type != R_X86_64_64 && type != R_X86_64_PC32 && type != R_X86_64_PLT32) return false;
    if (r->r_offset > f->section[in].sh_size || bytes > f->section[in].sh_size - r->r_offset ||
        !find_symbol(f, table->sh_link, ELF64_R_SYM(r->r_info), &value))
        return false;
    uint8_t *const at = f->at + f->place[in] + r->r_offset;
    value += (uint64_t)r->r_addend;
    if (type != R_X86_64_64) value -= (uintptr_t)at;
    if (type != R_X86_64_64 && (int64_t)value != (int32_t)value) return false;
    memcpy(at, &value, bytes);
    return true;
}

static bool relocate(const file_t *f)
{
    for (unsigned k = 0; k < f->n; k++) {
        const Elf64_Shdr *s = &f->section[k];
        Elf64_Rela r;
        if (s->sh_type == SHT_REL) return false;
        if (s->sh_type != SHT_RELA) continue;
        if (s->sh_info >= f->n) return false;
        if (f->place[s->sh_info] == NOWHERE) continue; /* of a section that is left out */
        for (uint64_t n = 0; element(f, s, n, &r, sizeof r); n++)
            if (!relocate_one(f, s, &r)) return false;
    }
    return true;
}

bool isa_object_load(isa_object_t *object, const void *bytes, size_t size, const char *name)
{
    file_t f = {.bytes = bytes, .size = size};
    uint64_t run = 0;
    const bool good = read_sections(&f) && place_sections(&f) && map(&f) && relocate(&f) &&
                      find_function(&f, name, &run) &&
                      mprotect(f.at, f.room, PROT_READ | PROT_EXEC) == 0;
    free(f.section);
    free(f.place);
    *object = (isa_object_t){f.at, f.room, (uintptr_t)run};
    if (!good) isa_object_free(object);
    return good;
}

void isa_object_free(isa_object_t *object)
{
    if (object->at) munmap(object->at, object->size);
    *object = (isa_object_t){0};
}
