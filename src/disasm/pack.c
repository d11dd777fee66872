/* pack.c - MessagePack, and the ELF notes in which the compiler writes it, see pack.h. */
#include "disasm/pack.h"

#include <elf.h>
#include <string.h>

enum { NOTE_METADATA = 32, MACHINE_AMDGPU = 224, ALIGNMENT = 4 };

/* ---- MessagePack ---- */

static bool take(dis_pack_t *p, size_t bytes, const uint8_t **data)
{
    if (bytes > (size_t)(p->end - p->at)) return false;
    *data = p->at;
    p->at += bytes;
    return true;
}

static bool take_number(dis_pack_t *p, size_t bytes, uint64_t *value)
{
    const uint8_t *data;
    if (!take(p, bytes, &data)) return false;
    for (*value = 0; bytes; bytes--)
        *value = *value << 8 | *data++;
    return true;
}

static bool take_text(dis_pack_t *p, uint64_t length, dis_item_t *item)
{
    const uint8_t *data;
    if (length > (size_t)(p->end - p->at) || !take(p, length, &data)) return false;
    *item = (dis_item_t){.kind = DIS_PACK_TEXT, .text = (const char *)data, .length = length};
    return true;
}

static bool take_other(dis_pack_t *p, uint64_t bytes, dis_item_t *item)
{
    const bool good = take_text(p, bytes, item);
    item->kind = DIS_PACK_OTHER;
    return good;
}

/* Types by their first byte: a value or length of `bytes` bytes follows, then `more` bytes of data
 * in addition to that length. */
static const struct {
    uint8_t first, last, kind, bytes, more;
} forms[] = {
    {0xc0, 0xc1, DIS_PACK_OTHER, 0, 0},  {0xc4, 0xc4, DIS_PACK_OTHER, 1, 0},
    {0xc5, 0xc5, DIS_PACK_OTHER, 2, 0},  {0xc6, 0xc6, DIS_PACK_OTHER, 4, 0},
    {0xc7, 0xc7, DIS_PACK_OTHER, 1, 1},  {0xc8, 0xc8, DIS_PACK_OTHER, 2, 1},
    {0xc9, 0xc9, DIS_PACK_OTHER, 4, 1},  {0xca, 0xca, DIS_PACK_OTHER, 0, 4},
    {0xcb, 0xcb, DIS_PACK_OTHER, 0, 8},  {0xcc, 0xcc, DIS_PACK_NUMBER, 1, 0},
    {0xcd, 0xcd, DIS_PACK_NUMBER, 2, 0}, {0xce, 0xce, DIS_PACK_NUMBER, 4, 0},
    {0xcf, 0xcf, DIS_PACK_NUMBER, 8, 0}, {0xd0, 0xd0, DIS_PACK_OTHER, 0, 1},
    {0xd1, 0xd1, DIS_PACK_OTHER, 0, 2},  {0xd2, 0xd2, DIS_PACK_OTHER, 0, 4},
    {0xd3, 0xd3, DIS_PACK_OTHER, 0, 8},  {0xd4, 0xd4, DIS_PACK_OTHER, 0, 2},
    {0xd5, 0xd5, DIS_PACK_OTHER, 0, 3},  {0xd6, 0xd6, DIS_PACK_OTHER, 0, 5},
    {0xd7, 0xd7, DIS_PACK_OTHER, 0, 9},  {0xd8, 0xd8, DIS_PACK_OTHER, 0, 17},
    {0xd9, 0xd9, DIS_PACK_TEXT, 1, 0},   {0xda, 0xda, DIS_PACK_TEXT, 2, 0},
    {0xdb, 0xdb, DIS_PACK_TEXT, 4, 0},   {0xdc, 0xdc, DIS_PACK_LIST, 2, 0},
    {0xdd, 0xdd, DIS_PACK_LIST, 4, 0},   {0xde, 0xde, DIS_PACK_MAP, 2, 0},
    {0xdf, 0xdf, DIS_PACK_MAP, 4, 0},
};

static bool next_long(dis_pack_t *p, uint8_t first, dis_item_t *item)
{
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (first < forms[i].first || first > forms[i].last) continue;
        if (!take_number(p, forms[i].bytes, &value)) return false;
        if (forms[i].kind == DIS_PACK_TEXT) return take_text(p, value, item);
        if (forms[i].kind == DIS_PACK_OTHER) return take_other(p, value + forms[i].more, item);
        *item = (dis_item_t){.kind = forms[i].kind, .number = value};
        return true;
    }
    return false;
}

bool dis_pack_next(dis_pack_t *p, dis_item_t *item)
{
    const uint8_t *first;
    if (!take(p, 1, &first)) return false;
    *item = (dis_item_t){.kind = DIS_PACK_NUMBER, .number = *first};
    if (*first < 0x80) return true;
    if (*first == 0xc2 || *first == 0xc3) { /* false and true: 0 and 1 */
        item->number = *first & 1;
        return true;
    }
    if (*first >= 0xe0) { /* a negative number, which the notes on kernels do not use */
        item->kind = DIS_PACK_OTHER;
        return true;
    }
    if (*first >= 0xc0) return next_long(p, *first, item);
    if (*first >= 0xa0) return take_text(p, *first & 0x1f, item);
    *item =
        (dis_item_t){.kind = *first >= 0x90 ? DIS_PACK_LIST : DIS_PACK_MAP, .number = *first & 0xf};
    return true;
}

/* ---- notes ---- */

enum { DAMAGED = 2 }; /* so many notes more are there if one cannot be read */

/* Counts the notes of AMD's in a segment; sets *pack to the first that has MessagePack. */
static unsigned count_notes(const uint8_t *at, uint64_t size, dis_pack_t *pack)
{
    unsigned count = 0;
    while (size >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr n;
        memcpy(&n, at, sizeof n);
        const uint64_t name = (n.n_namesz + UINT64_C(3)) & ~UINT64_C(3);
        const uint64_t text = (n.n_descsz + UINT64_C(3)) & ~UINT64_C(3);
        at += sizeof n;
        size -= sizeof n;
        if (name > size || n.n_descsz > size - name) return count + DAMAGED;
        count += n.n_namesz >= 3 && memcmp(at, "AMD", 3) == 0;
        if (!pack->at && n.n_type == NOTE_METADATA && n.n_namesz == sizeof "AMDGPU" &&
            memcmp(at, "AMDGPU", sizeof "AMDGPU") == 0)
            *pack = (dis_pack_t){at + name, at + name + n.n_descsz};
        if (text > size - name) return count + DAMAGED;
        at += name + text;
        size -= name + text;
    }
    return size ? count + DAMAGED : count;
}

static bool within(uint64_t offset, uint64_t count, uint64_t each, uint64_t size)
{
    return offset <= size && count * each <= size - offset;
}

static bool is_code_object(const Elf64_Ehdr *header, uint64_t size)
{
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == MACHINE_AMDGPU &&
           header->e_phentsize == sizeof(Elf64_Phdr) &&
           within(header->e_phoff, header->e_phnum, sizeof(Elf64_Phdr), size) &&
           (!header->e_shnum || header->e_shentsize == sizeof(Elf64_Shdr)) &&
           within(header->e_shoff, header->e_shnum, sizeof(Elf64_Shdr), size);
}

unsigned dis_pack_find(const uint8_t *elf, uint64_t size, dis_pack_t *pack)
{
    Elf64_Ehdr header;
    unsigned count = 0;
    *pack = (dis_pack_t){0};
    if (size < sizeof header) return 0;
    memcpy(&header, elf, sizeof header);
    if (!is_code_object(&header, size)) return 0;
    if (header.e_ident[EI_DATA] != ELFDATA2LSB) count = DAMAGED;
    /* then LLVM reads the number of sections in the first one */
    if (header.e_shoff && !header.e_shnum) count = DAMAGED;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr s;
        memcpy(&s, elf + header.e_phoff + i * sizeof s, sizeof s);
        if (s.p_type != PT_NOTE) continue;
        if (s.p_align != ALIGNMENT) count += DAMAGED;
        if (within(s.p_offset, s.p_filesz, 1, size))
            count += count_notes(elf + s.p_offset, s.p_filesz, pack);
        else
            count += DAMAGED;
    }
    return count;
}
