/* containers.c - see containers.h.
 *
 * Each container has a function that searches its parts; a part may be a container again, up to a
 * depth. The formats follow clang's documentation of (compressed) offload bundles, LLVM's
 * OffloadBinary, and the ELF and ar formats. */
#include "code/containers.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PARTS_MAX: far more than the number of GPUs. */
enum { MACHINE_AMDGPU = 224, DEPTH_MAX = 4, PARTS_MAX = 1024 };

/* Parts contain each other, so each byte is examined several times, but at most LOOKS times on
 * average: in a malicious file, overlapping parts could otherwise be examined for ever. Each part
 * costs PART_BYTES more. */
enum { LOOKS = 16, PART_BYTES = 64 };

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__", packed_magic[] = "CCOB";

typedef struct {
    const uint8_t *at;
    uint64_t size;
} bytes_t;

typedef struct {
    code_each_t *each;
    void *to;
    char *why;
    unsigned depth;
    uint64_t left; /* number of bytes that may still be examined */
    bool ended;
} search_t;

static void look(search_t *s, bytes_t b);

static void __attribute__((format(printf, 2, 3))) complain(search_t *s, const char *format, ...)
{
    va_list list;
    if (*s->why) return;
    va_start(list, format);
    vsnprintf(s->why, CODE_WHY_BYTES, format, list);
    va_end(list);
}

static bool begins(bytes_t b, const void *magic, size_t size)
{
    return b.size >= size && memcmp(b.at, magic, size) == 0;
}

/* Takes a part of the bytes; returns false if it is not completely inside. */
static bool part(bytes_t b, uint64_t offset, uint64_t size, bytes_t *to)
{
    if (offset > b.size || size > b.size - offset) return false;
    *to = (bytes_t){b.at + offset, size};
    return true;
}

static bool number(bytes_t b, uint64_t offset, size_t size, uint64_t *value)
{
    bytes_t n;
    *value = 0;
    if (!part(b, offset, size, &n)) return false;
    for (size_t i = size; i-- > 0;)
        *value = *value << 8 | n.at[i];
    return true;
}

/* ---- offload bundles ---- */

/* Returns whether an entry is for an AMD GPU: "hip-amdgcn-amd-amdhsa--gfx90a", "hipv4-amdgcn-...".
 * Other entries are for the host. */
static bool is_gpu(bytes_t id)
{
    return memmem(id.at, id.size, "amdgcn", strlen("amdgcn"));
}

/* Searches the parts of a bundle; returns the bundle's size. */
static uint64_t search_bundle(search_t *s, bytes_t b)
{
    const uint64_t head = sizeof(bundle_magic) - 1;
    uint64_t count, at = head + 8, end = at;
    if (!number(b, head, 8, &count)) {
        complain(s, "an offload bundle is cut off in its head");
        return b.size;
    }
    if (count > PARTS_MAX) {
        complain(s, "an offload bundle of %" PRIu64 " parts: more than %d", count, PARTS_MAX);
        return b.size;
    }
    for (uint64_t i = 0; i < count && !s->ended; i++) {
        uint64_t offset, size, length;
        bytes_t id, code;
        if (!number(b, at, 8, &offset) || !number(b, at + 8, 8, &size) ||
            !number(b, at + 16, 8, &length) || !part(b, at + 24, length, &id)) {
            complain(s, "an offload bundle of %" PRIu64 " parts is cut off in the list of them",
                     count);
            return b.size;
        }
        at += 24 + length;
        if (!size) continue; /* the host's entry */
        if (!part(b, offset, size, &code)) {
            complain(s,
                     "an offload bundle: part %" PRIu64 " has %" PRIu64 " bytes at %" PRIu64
                     ", but only %" PRIu64 " are there",
                     i, size, offset, b.size);
            continue;
        }
        if (offset + size > end) end = offset + size;
        if (is_gpu(id)) look(s, code);
    }
    return at > end ? at : end;
}

/* ---- compressed offload bundles ---- */

/* The heads of the versions: offsets and sizes of their numbers. The first version does not have
 * the size of the whole bundle. */
static const struct {
    uint64_t version, head;
    size_t bytes;             /* size of each number */
    uint64_t whole, unpacked; /* offsets; 0: the version does not have the number */
} packed_heads[] = {{1, 20, 4, 0, 8}, {2, 24, 4, 8, 12}, {3, 32, 8, 8, 16}};

/* Returns the number of bytes up to the next bundle, or all of them. They are searched in windows,
 * so that each byte is examined only a few times. */
static uint64_t up_to_bundle(bytes_t b)
{
    const uint64_t window = 1 << 20, overlap = sizeof(bundle_magic);
    for (uint64_t at = 0; at < b.size; at += window) {
        const uint64_t left = b.size - at, size = left < window ? left : window + overlap;
        const uint64_t bytes = size < left ? size : left;
        const uint8_t *next = memmem(b.at + at, bytes, bundle_magic, strlen(bundle_magic));
        const uint8_t *packed = memmem(b.at + at, bytes, packed_magic, strlen(packed_magic));
        if (!next || (packed && packed < next)) next = packed;
        if (next) return (uint64_t)(next - b.at);
    }
    return b.size;
}

static uint64_t look_at_packed(search_t *s, bytes_t b)
{
    uint64_t version, method, unpacked, whole = 0;
    bytes_t data;
    size_t h = 0;
    const size_t heads = sizeof(packed_heads) / sizeof(*packed_heads);
    if (!number(b, 4, 2, &version) || !number(b, 6, 2, &method)) {
        complain(s, "a compressed offload bundle is cut off in its head");
        return b.size;
    }
    while (h < heads && packed_heads[h].version != version)
        h++;
    if (h == heads) {
        complain(s, "a compressed offload bundle of version %" PRIu64 ": known are 1 to 3",
                 version);
        return b.size;
    }
    const uint64_t head = packed_heads[h].head;
    if (b.size < head || !number(b, packed_heads[h].unpacked, packed_heads[h].bytes, &unpacked) ||
        !number(b, packed_heads[h].whole, packed_heads[h].bytes, &whole)) {
        complain(s, "a compressed offload bundle is cut off in its head");
        return b.size;
    }
    if (!packed_heads[h].whole) /* it ends before the next bundle, or with the bytes */
        whole = head + up_to_bundle((bytes_t){b.at + head, b.size - head});
    if (whole < head || !part(b, head, whole - head, &data)) {
        complain(s, "a compressed offload bundle of %" PRIu64 " bytes: only %" PRIu64 " are there",
                 whole, b.size);
        return b.size;
    }
    if (method > CODE_ZSTD) {
        complain(s, "a compressed offload bundle: method %" PRIu64 " is not known", method);
        return whole;
    }
    char why[CODE_WHY_BYTES];
    uint8_t *bytes =
        code_unpack((code_packing_t)method, data.at, data.size, unpacked, why, sizeof(why));
    if (!bytes) complain(s, "a compressed offload bundle: %.200s", why);
    if (bytes) s->left += LOOKS * unpacked;
    if (bytes) look(s, (bytes_t){bytes, unpacked});
    free(bytes);
    return whole;
}

/* Searches bundles that follow each other, with padding between them. */
static void search_bundles(search_t *s, bytes_t b)
{
    while (b.size && !s->ended) {
        uint64_t taken;
        if (begins(b, bundle_magic, strlen(bundle_magic)))
            taken = search_bundle(s, b);
        else if (begins(b, packed_magic, strlen(packed_magic)))
            taken = look_at_packed(s, b);
        else
            taken = up_to_bundle(b);
        b.at += taken;
        b.size -= taken;
    }
}

/* ---- offload binaries ---- */

static const uint8_t binary_magic[] = {0x10, 0xff, 0x10, 0xad};

/* Searches one or several binaries that follow each other: a head (magic, version, size, offset of
 * the entry) and an entry (kinds, flags, texts, offset and size of the image). */
static void search_binaries(search_t *s, bytes_t b)
{
    while (begins(b, binary_magic, sizeof(binary_magic)) && !s->ended) {
        uint64_t whole, entry, offset, size;
        bytes_t image;
        if (!number(b, 8, 8, &whole) || whole > b.size || whole < 32 || !number(b, 16, 8, &entry) ||
            entry > whole || !number(b, entry + 24, 8, &offset) ||
            !number(b, entry + 32, 8, &size) || !part(b, offset, size, &image)) {
            complain(s, "an offload binary is cut off: %" PRIu64 " bytes are there", b.size);
            return;
        }
        look(s, image);
        const uint64_t next = (whole + 7) & ~UINT64_C(7);
        if (next > b.size) return;
        b.at += next;
        b.size -= next;
    }
}

/* ---- ELF files ---- */

/* Sections of object files, executables and libraries that contain code of GPUs. */
static const char *const sections[] = {".hip_fatbin", bundle_magic, ".llvm.offloading"};

static bool has_code(bytes_t names, uint64_t at)
{
    bytes_t name;
    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
        if (part(names, at, strlen(sections[i]), &name) &&
            memcmp(name.at, sections[i], name.size) == 0)
            return true;
    return false;
}

static bool section(bytes_t b, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *to)
{
    bytes_t s;
    if (!part(b, header->e_shoff + (uint64_t)index * sizeof(*to), sizeof(*to), &s)) return false;
    memcpy(to, s.at, sizeof(*to));
    return true;
}

/* Searches a section; there may be padding before its first bundle. */
static void search_section(search_t *s, bytes_t b)
{
    if (code_may_contain(b.at, b.size))
        look(s, b);
    else
        search_bundles(s, b);
}

static void look_at_host_file(search_t *s, bytes_t b, const Elf64_Ehdr *header)
{
    Elf64_Shdr names, one;
    bytes_t strings, code;
    if (!header->e_shnum) return;
    if (header->e_shentsize != sizeof(one) || header->e_shoff > b.size ||
        !section(b, header, header->e_shstrndx, &names) ||
        !part(b, names.sh_offset, names.sh_size, &strings)) {
        complain(s, "an ELF file whose sections are cut off: %" PRIu64 " bytes are there", b.size);
        return;
    }
    for (unsigned i = 0; i < header->e_shnum && !s->ended; i++) {
        if (!section(b, header, i, &one)) {
            complain(s, "an ELF file whose sections are cut off: %" PRIu64 " bytes are there",
                     b.size);
            return;
        }
        if (one.sh_type == SHT_NOBITS || !has_code(strings, one.sh_name)) continue;
        if (part(b, one.sh_offset, one.sh_size, &code))
            search_section(s, code);
        else
            complain(s,
                     "an ELF file: a section has %" PRIu64 " bytes at %" PRIu64
                     ", but only %" PRIu64 " are there",
                     (uint64_t)one.sh_size, (uint64_t)one.sh_offset, b.size);
    }
}

static void look_at_elf(search_t *s, bytes_t b)
{
    Elf64_Ehdr header;
    if (b.size < sizeof(header)) {
        complain(s, "an ELF file of %" PRIu64 " bytes: it is cut off", b.size);
        return;
    }
    memcpy(&header, b.at, sizeof(header));
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return;
    if (header.e_machine != MACHINE_AMDGPU)
        look_at_host_file(s, b, &header);
    else if (!s->each(s->to, b.at, b.size))
        s->ended = true;
}

/* ---- archives ---- */

static const char archive_magic[] = "!<arch>\n";

/* Searches an archive: a member has a head of 60 bytes, of which ten from 48 on are its size in
 * decimal; members begin at even offsets. */
static void search_archive(search_t *s, bytes_t b)
{
    enum { HEAD = 60, SIZE_AT = 48, DIGITS = 10 };
    uint64_t at = sizeof(archive_magic) - 1;
    bytes_t head, member;
    while (part(b, at, HEAD, &head) && !s->ended) {
        char digits[DIGITS + 1] = "";
        memcpy(digits, head.at + SIZE_AT, DIGITS);
        const uint64_t size = strtoull(digits, NULL, 10);
        if (!part(b, at + HEAD, size, &member)) {
            complain(s, "an archive's member has %" PRIu64 " bytes, but only %" PRIu64 " are there",
                     size, b.size - at - HEAD);
            return;
        }
        look(s, member);
        at += HEAD + size + (size & 1);
    }
}

/* ---- all of them ---- */

static const struct {
    const void *magic;
    size_t bytes;
    void (*look)(search_t *s, bytes_t b);
} containers[] = {
    {ELFMAG, SELFMAG, look_at_elf},
    {bundle_magic, sizeof(bundle_magic) - 1, search_bundles},
    {packed_magic, sizeof(packed_magic) - 1, search_bundles},
    {binary_magic, sizeof(binary_magic), search_binaries},
    {archive_magic, sizeof(archive_magic) - 1, search_archive},
};

_Static_assert(sizeof(bundle_magic) - 1 <= CODE_HEAD_BYTES, "the longest magic");

bool code_may_contain(const uint8_t *head, size_t size)
{
    for (size_t i = 0; i < sizeof(containers) / sizeof(*containers); i++)
        if (begins((bytes_t){head, size}, containers[i].magic, containers[i].bytes)) return true;
    return false;
}

static void look(search_t *s, bytes_t b)
{
    size_t i = 0;
    const size_t count = sizeof(containers) / sizeof(*containers);
    if (s->depth == DEPTH_MAX) {
        complain(s, "containers in containers, more than %d deep", DEPTH_MAX);
        return;
    }
    if (b.size + PART_BYTES > s->left) {
        complain(s, "parts that overlap, so that there would be no end of them");
        s->ended = true;
        return;
    }
    s->left -= b.size + PART_BYTES;
    s->depth++;
    while (i < count && !begins(b, containers[i].magic, containers[i].bytes))
        i++;
    if (i < count) containers[i].look(s, b);
    s->depth--;
}

void code_find(const uint8_t *data, uint64_t size, code_each_t *each, void *to,
               char why[CODE_WHY_BYTES])
{
    search_t s = {.each = each, .to = to, .why = why, .left = LOOKS * (size + PART_BYTES)};
    *why = '\0';
    look(&s, (bytes_t){data, size});
}
