/* variables.c - gaps between the variables of a code object. There is none where symbols are
 * missing, where more room is free than alignment asks for, or where something lies. */
#include "disasm/disasm.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { GOT = 0x1800, DATA = 0x3000, BSS = 0x3040, END = 0x3200, DATA_BYTES = BSS - DATA };
enum {
    SECTION_NONE,
    SECTION_GOT,
    SECTION_DATA,
    SECTION_BSS,
    SECTION_SYMBOLS,
    SECTION_NAMES,
    SECTIONS
};
enum { A, B, C, D, SYMBOLS };

static const char texts[] = "\0.got\0.data\0.bss\0a\0b\0c\0d\0.mine\0.rodata\0k.kd";
enum {
    NAME_GOT = 1,
    NAME_DATA = 6,
    NAME_BSS = 12,
    NAME_A = 17,
    NAME_MINE = 25,
    NAME_RODATA = 31,
    NAME_KD = 39
};

typedef struct {
    Elf64_Ehdr head;
    Elf64_Phdr segment[3];
    Elf64_Shdr section[SECTIONS];
    Elf64_Sym symbol[SYMBOLS];
    char text[sizeof texts];
    uint8_t data[DATA_BYTES];
} file_t;

static Elf64_Phdr segment(uint64_t at, uint64_t offset, uint64_t in_file, uint64_t bytes)
{
    return (Elf64_Phdr){.p_type = PT_LOAD,
                        .p_flags = at ? PF_R | PF_W : PF_R,
                        .p_vaddr = at,
                        .p_offset = offset,
                        .p_filesz = in_file,
                        .p_memsz = bytes};
}

static Elf64_Shdr section(uint32_t name, uint64_t at, uint64_t end, uint64_t alignment)
{
    return (Elf64_Shdr){.sh_name = name,
                        .sh_type = SHT_NOBITS,
                        .sh_flags = SHF_ALLOC | SHF_WRITE,
                        .sh_addr = at,
                        .sh_size = end - at,
                        .sh_addralign = alignment};
}

static Elf64_Sym variable(unsigned k, uint16_t in, uint64_t at, uint64_t bytes)
{
    return (Elf64_Sym){.st_name = NAME_A + 2 * k,
                       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
                       .st_shndx = in,
                       .st_value = at,
                       .st_size = bytes};
}

/* 12 bytes between a and b, 16 between c and d, which is at a multiple of 32. */
static void make(file_t *f)
{
    memset(f, 0, sizeof *f);
    memcpy(f->text, texts, sizeof texts);
    memcpy(f->head.e_ident, ELFMAG, SELFMAG);
    f->head.e_ident[EI_CLASS] = ELFCLASS64;
    f->head.e_machine = 224; /* AMD's */
    f->head.e_flags = 0x3f;  /* gfx90a */
    f->head.e_phoff = offsetof(file_t, segment);
    f->head.e_phentsize = sizeof(Elf64_Phdr);
    f->head.e_phnum = 3;
    f->head.e_shoff = offsetof(file_t, section);
    f->head.e_shentsize = sizeof(Elf64_Shdr);
    f->head.e_shnum = SECTIONS;
    f->head.e_shstrndx = SECTION_NAMES;
    f->segment[0] = segment(0, 0, sizeof f->head, 0x800);
    f->segment[1] = segment(GOT, offsetof(file_t, data), 0, 0x70);
    f->segment[2] = segment(DATA, offsetof(file_t, data), sizeof f->data, END - DATA);
    f->section[SECTION_GOT] = section(NAME_GOT, GOT, GOT + 0x70, 8);
    f->section[SECTION_DATA] = section(NAME_DATA, DATA, BSS, 16);
    f->section[SECTION_BSS] = section(NAME_BSS, BSS, END, 64);
    f->section[SECTION_SYMBOLS] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                                               .sh_offset = offsetof(file_t, symbol),
                                               .sh_size = sizeof f->symbol,
                                               .sh_link = SECTION_NAMES};
    f->section[SECTION_NAMES] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = offsetof(file_t, text), .sh_size = sizeof f->text};
    f->symbol[A] = variable(A, SECTION_DATA, DATA, 20);
    f->symbol[B] = variable(B, SECTION_DATA, DATA + 0x20, 0x20);
    f->symbol[C] = variable(C, SECTION_BSS, BSS, 400);
    f->symbol[D] = variable(D, SECTION_BSS, BSS + 0x1a0, 0x20);
}

#define BEFORE                                                                                     \
    {                                                                                              \
        GOT + 0x70, DATA                                                                           \
    }
#define BETWEEN_AB                                                                                 \
    {                                                                                              \
        DATA + 20, DATA + 0x20                                                                     \
    }
#define BETWEEN_CD                                                                                 \
    {                                                                                              \
        BSS + 400, BSS + 0x1a0                                                                     \
    }
#define BEHIND                                                                                     \
    {                                                                                              \
        END, UINT64_MAX                                                                            \
    }

#define EXPECT(file, ...)                                                                          \
    do {                                                                                           \
        static const dis_range_t expected[] = {__VA_ARGS__};                                       \
        expect(file, expected, sizeof expected / sizeof *expected);                                \
    } while (0)

static void expect(const file_t *f, const dis_range_t *expected, size_t n)
{
    dis_object_t *o;
    size_t count;
    assert_int_equal(dis_object_open(f, sizeof *f, &o), DIS_GOOD);
    const dis_range_t *gaps = dis_object_gaps(o, &count);
    assert_int_equal(count, n);
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(gaps[k].begin, expected[k].begin);
        assert_int_equal(gaps[k].end, expected[k].end);
    }
    dis_object_close(o);
}

static void test_gaps(void **state)
{
    (void)state;
    file_t f;
    make(&f);
    EXPECT(&f, BEFORE, BETWEEN_AB, BETWEEN_CD, BEHIND);
    /* of two names for a place the longer one counts */
    f.symbol[D] = variable(D, SECTION_DATA, DATA, 0x20);
    EXPECT(&f, BEFORE, BEHIND);
}

static void test_symbols_are_missing(void **state)
{
    (void)state;
    file_t f;
    make(&f);
    f.section[SECTION_SYMBOLS].sh_type = SHT_DYNSYM;
    EXPECT(&f, BEFORE, BEHIND);
    make(&f);
    f.head.e_shnum = 0;
    expect(&f, NULL, 0);
    make(&f);
    f.section[SECTION_BSS].sh_name = NAME_MINE; /* who knows what is in it */
    EXPECT(&f, BEFORE, BETWEEN_AB, BEHIND);
    make(&f);
    f.symbol[D].st_shndx = 0; /* the end of a section is not the end of a variable */
    EXPECT(&f, BEFORE, BETWEEN_AB, BEHIND);
}

static void test_something_is_there(void **state)
{
    (void)state;
    file_t f;
    make(&f);
    f.data[DATA_BYTES / 2 - 1] = 1; /* the last byte in front of b */
    EXPECT(&f, BEFORE, BETWEEN_CD, BEHIND);
    make(&f);
    f.symbol[B].st_value = DATA + 28; /* 8 bytes, and it need only be at a multiple of 4 */
    EXPECT(&f, BEFORE, BETWEEN_CD, BEHIND);
    make(&f);
    f.section[SECTION_BSS].sh_addralign = 16; /* what is in it needs no more */
    EXPECT(&f, BEFORE, BETWEEN_AB, BEHIND);
    make(&f);
    f.symbol[D] = variable(D, SECTION_DATA, DATA + 20, 0); /* a label: how much is behind it? */
    f.symbol[D].st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);
    EXPECT(&f, BEFORE, BEHIND);
    make(&f);
    f.segment[1].p_memsz = DATA - GOT + 1; /* segments overlap */
    expect(&f, NULL, 0);
}

/* Constants are read as variables are; what kernels have there is read by nobody else. */
static void test_constants(void **state)
{
    (void)state;
    file_t f;
    make(&f);
    f.section[SECTION_GOT].sh_name = NAME_RODATA;
    f.symbol[D] = variable(D, SECTION_GOT, GOT, 0x70);
    EXPECT(&f, {0x800, GOT}, BEFORE, BETWEEN_AB, BEHIND);
    f.symbol[D].st_name = NAME_KD;
    EXPECT(&f, BEFORE, BETWEEN_AB, BEHIND);
    make(&f); /* nothing but constants */
    f.section[SECTION_GOT].sh_name = NAME_RODATA;
    memset(f.symbol, 0, sizeof f.symbol);
    f.symbol[D] = variable(D, SECTION_GOT, GOT, 0x70);
    EXPECT(&f, {0x800, GOT}, BEFORE);
}

/* Between two sections. */
static void test_sections(void **state)
{
    (void)state;
    file_t f;
    make(&f);
    f.symbol[B].st_size = 4;
    f.section[SECTION_DATA].sh_size = 0x24;
    EXPECT(&f, BEFORE, BETWEEN_AB, {DATA + 0x24, BSS}, BETWEEN_CD, BEHIND);
    f.section[SECTION_BSS].sh_addralign = 4;
    EXPECT(&f, BEFORE, BETWEEN_AB, BEHIND);
}

static void test_variables(void **state)
{
    (void)state;
    file_t f;
    dis_object_t *o;
    size_t count;
    make(&f);
    f.symbol[A].st_info = ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE);
    f.symbol[B] = variable(B, SECTION_BSS, BSS, 408); /* as c begins, and longer */
    assert_int_equal(dis_object_open(&f, sizeof f, &o), DIS_GOOD);
    const dis_symbol_t *v = dis_object_variables(o, &count);
    assert_int_equal(count, 3);
    assert_string_equal(v[0].name, "c");
    assert_string_equal(v[1].name, "b");
    assert_int_equal(v[1].size, 408);
    assert_string_equal(v[2].name, "d");
    const char *file;
    uint32_t line;
    assert_false(dis_object_variable_line(o, v[0].address, &file, &line));
    dis_object_close(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gaps),
                                       cmocka_unit_test(test_symbols_are_missing),
                                       cmocka_unit_test(test_something_is_there),
                                       cmocka_unit_test(test_constants),
                                       cmocka_unit_test(test_sections),
                                       cmocka_unit_test(test_variables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
