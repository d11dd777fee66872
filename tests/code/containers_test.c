/* containers_test.c - code objects in each kind of container, and containers that lie about
 * themselves. The bytes are put together here, by the formats' documentation. */
#include "code/containers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <elf.h>

#include <cmocka.h>

enum { ROOM = 1 << 16, OBJECT_BYTES = 72 };

typedef struct {
    uint8_t bytes[ROOM];
    size_t size;
} buffer_t;

static void put(buffer_t *b, const void *bytes, size_t size)
{
    assert_true(size <= ROOM - b->size);
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
}

static void put_number(buffer_t *b, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++, value >>= 8) {
        const uint8_t byte = (uint8_t)value;
        put(b, &byte, 1);
    }
}

static void pad(buffer_t *b, size_t to)
{
    while (b->size % to)
        put_number(b, 0, 1);
}

/* An ELF header for a machine, and behind it eight bytes with a mark. */
static void put_object(buffer_t *b, uint16_t machine, const char *mark)
{
    Elf64_Ehdr header = {.e_ident = ELFMAG, .e_machine = machine};
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    put(b, &header, sizeof(header));
    put(b, mark, 8);
    assert_int_equal(sizeof(header) + 8, OBJECT_BYTES);
}

/* A bundle: the host's part, which is empty, a GPU's, and one of NVIDIA's. */
static void put_bundle(buffer_t *b, const char *mark)
{
    static const char *const ids[] = {"host-x86_64-unknown-linux--",
                                      "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-",
                                      "cuda-nvptx64-nvidia-cuda--sm_70"};
    const size_t begin = b->size;
    put(b, "__CLANG_OFFLOAD_BUNDLE__", 24);
    put_number(b, 3, 8);
    for (size_t i = 0; i < 3; i++) {
        put_number(b, 256, 8);
        put_number(b, i ? OBJECT_BYTES : 0, 8);
        put_number(b, strlen(ids[i]), 8);
        put(b, ids[i], strlen(ids[i]));
    }
    while (b->size < begin + 256)
        put_number(b, 0, 1);
    put_object(b, 224, mark);
}

static void put_packed(buffer_t *b, unsigned version, const char *mark)
{
    buffer_t plain = {.size = 0};
    uint8_t packed[4096];
    uLongf size = sizeof(packed);
    put_bundle(&plain, mark);
    assert_int_equal(compress(packed, &size, plain.bytes, plain.size), Z_OK);
    const size_t head = version == 1 ? 20 : version == 2 ? 24 : 32, wide = version == 3 ? 8 : 4;
    put(b, "CCOB", 4);
    put_number(b, version, 2);
    put_number(b, 0, 2); /* zlib */
    if (version > 1) put_number(b, head + size, wide);
    put_number(b, plain.size, wide);
    put_number(b, 0, 8); /* a hash, which is not checked */
    put(b, packed, size);
}

/* An ELF file for x86-64 with one section of this name, which has the bytes. */
static void put_host(buffer_t *b, const char *name, const buffer_t *code)
{
    char names[64] = "";
    const size_t begin = b->size;
    Elf64_Ehdr header = {.e_ident = ELFMAG,
                         .e_machine = EM_X86_64,
                         .e_shoff = sizeof(header),
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = 3,
                         .e_shstrndx = 1};
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    strcpy(names + 1, name);
    const uint64_t behind = sizeof(header) + 3 * sizeof(Elf64_Shdr);
    const Elf64_Shdr sections[3] = {
        {0},
        {.sh_type = SHT_STRTAB, .sh_offset = behind, .sh_size = sizeof(names)},
        {.sh_name = 1,
         .sh_type = SHT_PROGBITS,
         .sh_offset = behind + sizeof(names),
         .sh_size = code->size}};
    put(b, &header, sizeof(header));
    put(b, sections, sizeof(sections));
    put(b, names, sizeof(names));
    put(b, code->bytes, code->size);
    assert_int_equal(b->size - begin, behind + sizeof(names) + code->size);
}

static void put_member(buffer_t *b, const buffer_t *member)
{
    char head[61];
    snprintf(head, sizeof(head), "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", "a.o/", "0", "0", "0", "644",
             member->size);
    put(b, head, 60);
    put(b, member->bytes, member->size);
    if (member->size & 1) put(b, "\n", 1);
}

/* ---- what is found ---- */

typedef struct {
    char marks[256];
    size_t most; /* after so many the search is ended */
    size_t count;
} found_t;

static bool take(void *to, const uint8_t *elf, uint64_t size)
{
    found_t *f = to;
    assert_true(size >= OBJECT_BYTES);
    strncat(f->marks, (const char *)elf + sizeof(Elf64_Ehdr), 8);
    strcat(f->marks, " ");
    return ++f->count != f->most;
}

/* The search reads nothing behind the bytes: they end where their memory does. */
static void expect(const buffer_t *b, size_t size, const char *marks, const char *why)
{
    found_t f = {.most = SIZE_MAX};
    char got[CODE_WHY_BYTES];
    uint8_t *exact = malloc(size ? size : 1);
    assert_non_null(exact);
    memcpy(exact, b->bytes, size);
    code_find(exact, size, take, &f, got);
    free(exact);
    assert_string_equal(f.marks, marks);
    assert_string_equal(got, why);
}

static void each_container(void **state)
{
    (void)state;
    static buffer_t b, inner, member;
    put_object(&b, 224, "one.....");
    expect(&b, b.size, "one..... ", "");

    b.size = 0;
    put_bundle(&b, "bundle..");
    expect(&b, b.size, "bundle.. ", "");

    for (unsigned version = 1; version <= 3; version++) {
        b.size = 0;
        put_packed(&b, version, "packed..");
        expect(&b, b.size, "packed.. ", "");
    }

    /* several bundles behind each other, with padding before and between them */
    static const char *const names[] = {".hip_fatbin", "__CLANG_OFFLOAD_BUNDLE__hip-gfx90a"};
    for (size_t i = 0; i < 2; i++) {
        b.size = inner.size = 0;
        put_number(&inner, 0, 8);
        pad(&inner, 512);
        put_bundle(&inner, "first...");
        pad(&inner, 4096);
        put_packed(&inner, 2, "second..");
        put_packed(&inner, 1, "third...");
        put_bundle(&inner, "fourth..");
        put_host(&b, names[i], &inner);
        expect(&b, b.size, "first... second.. third... fourth.. ", "");
    }
    b.size = 0;
    put_host(&b, ".text", &inner);
    expect(&b, b.size, "", "");

    /* an archive, of which the second member has an odd size */
    b.size = member.size = inner.size = 0;
    put_object(&inner, 224, "member.1");
    put(&b, "!<arch>\n", 8);
    put_member(&b, &inner);
    put_host(&member, ".hip_fatbin", &inner);
    put_number(&member, 0, 1);
    put_member(&b, &member);
    put_member(&b, &inner);
    expect(&b, b.size, "member.1 member.1 member.1 ", "");

    /* offload binaries: head of 32 bytes, entry of 40, then texts and the image */
    b.size = 0;
    for (int i = 0; i < 2; i++) {
        put(&b, "\x10\xff\x10\xad", 4);
        put_number(&b, 1, 4);
        put_number(&b, 72 + OBJECT_BYTES, 8);
        put_number(&b, 32, 8);
        put_number(&b, 40, 8);
        put_number(&b, 0, 24);
        put_number(&b, 72, 8);
        put_number(&b, OBJECT_BYTES, 8);
        put_object(&b, 224, i ? "openmp.2" : "openmp.1");
    }
    expect(&b, b.size, "openmp.1 openmp.2 ", "");
}

static void what_is_wrong(void **state)
{
    (void)state;
    static buffer_t b, inner;
    put_bundle(&b, "bundle..");
    expect(&b, 28, "", "an offload bundle is cut off in its head");
    expect(&b, 100, "", "an offload bundle of 3 parts is cut off in the list of them");
    expect(&b, b.size - 1, "",
           "an offload bundle: part 1 has 72 bytes at 256, but only 327 are there");
    memset(b.bytes + 24, 0xff, 8);
    expect(&b, b.size, "", "an offload bundle of 18446744073709551615 parts: more than 1024");

    /* the bundle behind a bad one is found */
    b.size = 0;
    put_bundle(&b, "bad.....");
    memset(b.bytes + 32 + 24 + 27, 0xff, 8); /* place of the second part */
    put_bundle(&inner, "good....");
    put(&b, inner.bytes, inner.size);
    expect(
        &b, b.size, "good.... ",
        "an offload bundle: part 1 has 72 bytes at 18446744073709551615, but only 656 are there");

    b.size = 0;
    put_packed(&b, 2, "packed..");
    expect(&b, 6, "", "a compressed offload bundle is cut off in its head");
    expect(&b, 20, "", "a compressed offload bundle is cut off in its head");
    char text[128];
    snprintf(text, sizeof(text), "a compressed offload bundle of %zu bytes: only %zu are there",
             b.size, b.size - 1);
    expect(&b, b.size - 1, "", text);
    b.bytes[b.size - 6] ^= 0xff;
    expect(&b, b.size, "", "a compressed offload bundle: its zlib data is damaged");
    b.bytes[6] = 7;
    expect(&b, b.size, "", "a compressed offload bundle: method 7 is not known");
    b.bytes[4] = 9;
    expect(&b, b.size, "", "a compressed offload bundle of version 9: known are 1 to 3");
    b.bytes[4] = 2;
    b.bytes[6] = 0;
    memset(b.bytes + 12, 0xff, 4);
    snprintf(text, sizeof(text),
             "a compressed offload bundle: %zu bytes cannot unpack to 4294967295", b.size - 24);
    expect(&b, b.size, "", text);

    b.size = inner.size = 0;
    put_object(&inner, 224, "section.");
    put_host(&b, ".hip_fatbin", &inner);
    expect(&b, b.size - 1, "",
           "an ELF file: a section has 72 bytes at 320, but only 391 are there");
    expect(&b, 300, "", "an ELF file whose sections are cut off: 300 bytes are there");
    expect(&b, 100, "", "an ELF file whose sections are cut off: 100 bytes are there");
    expect(&b, 40, "", "an ELF file of 40 bytes: it is cut off");

    b.size = 0;
    put(&b, "!<arch>\n", 8);
    put_member(&b, &inner);
    expect(&b, b.size - 1, "", "an archive's member has 72 bytes, but only 71 are there");

    b.size = 0;
    put(&b, "\x10\xff\x10\xad", 4);
    put_number(&b, 0, 60);
    expect(&b, b.size, "", "an offload binary is cut off: 64 bytes are there");
}

/* Bundles in bundles end at a depth, and a search ends when it is told to. */
static void ends(void **state)
{
    (void)state;
    static buffer_t b, inner;
    put_object(&inner, 224, "deep....");
    for (int i = 0; i < 5; i++) {
        b.size = 0;
        put_host(&b, ".hip_fatbin", &inner);
        inner = b;
    }
    expect(&b, b.size, "", "containers in containers, more than 4 deep");
    b.size = 0;
    put_bundle(&b, "first...");
    put_bundle(&b, "second..");
    found_t f = {.most = 1};
    char why[CODE_WHY_BYTES];
    code_find(b.bytes, b.size, take, &f, why);
    assert_string_equal(f.marks, "first... ");
}

static bool count(void *to, const uint8_t *elf, uint64_t size)
{
    (void)elf, (void)size;
    ++*(size_t *)to;
    return true;
}

/* Parts of a bundle that are all the same one: they are not looked at for ever. */
static void overlaps(void **state)
{
    (void)state;
    enum { PARTS = 200, PLACE = 12000, OBJECT = 30000 };
    static buffer_t b;
    char why[CODE_WHY_BYTES];
    size_t found = 0;
    put(&b, "__CLANG_OFFLOAD_BUNDLE__", 24);
    put_number(&b, PARTS, 8);
    for (int i = 0; i < PARTS; i++) {
        put_number(&b, PLACE, 8);
        put_number(&b, OBJECT, 8);
        put_number(&b, 6, 8);
        put(&b, "amdgcn", 6);
    }
    while (b.size < PLACE)
        put_number(&b, 0, 1);
    put_object(&b, 224, "same....");
    while (b.size < PLACE + OBJECT)
        put_number(&b, 0, 1);
    code_find(b.bytes, b.size, count, &found, why);
    assert_string_equal(why, "parts that overlap, so that there would be no end of them");
    /* 16 * 42064 bytes less those of the file itself, 42064, in portions of 30064 */
    assert_int_equal(found, 20);
}

static void heads(void **state)
{
    (void)state;
    assert_true(code_may_contain((const uint8_t *)ELFMAG, 4));
    assert_true(code_may_contain((const uint8_t *)"__CLANG_OFFLOAD_BUNDLE__", 24));
    assert_false(code_may_contain((const uint8_t *)"__CLANG_OFFLOAD_BUNDLE__", 23));
    assert_false(code_may_contain((const uint8_t *)"{\"name\": 1}", 11));
    assert_false(code_may_contain((const uint8_t *)"", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_container),
                                       cmocka_unit_test(what_is_wrong), cmocka_unit_test(ends),
                                       cmocka_unit_test(overlaps), cmocka_unit_test(heads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
