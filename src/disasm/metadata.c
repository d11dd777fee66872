/* metadata.c - reads the compiler's notes on kernels: register spills, the workgroup's size,
 * parameters.
 *
 * The notes are MessagePack in an ELF note. The data is untrusted: every length is checked against
 * the bytes left, and nesting against a limit. */
#include "base/grow.h"
#include "disasm/internal.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTE_METADATA = 32, DEPTH_MAX = 16 };

/* The bytes that have not been read yet. */
typedef struct {
    const uint8_t *at, *end;
} pack_t;

typedef enum { PACK_OTHER, PACK_NUMBER, PACK_TEXT, PACK_LIST, PACK_MAP } pack_kind_t;

typedef struct {
    pack_kind_t kind;
    uint64_t
        number; /* the value; for a list its number of elements, for a map its number of pairs */
    const char *text;
    size_t length;
} item_t;

/* ---- MessagePack ---- */

static bool take(pack_t *p, size_t bytes, const uint8_t **data)
{
    if (bytes > (size_t)(p->end - p->at)) return false;
    *data = p->at;
    p->at += bytes;
    return true;
}

static bool take_number(pack_t *p, size_t bytes, uint64_t *value)
{
    const uint8_t *data;
    if (!take(p, bytes, &data)) return false;
    for (*value = 0; bytes; bytes--)
        *value = *value << 8 | *data++;
    return true;
}

static bool take_text(pack_t *p, uint64_t length, item_t *item)
{
    const uint8_t *data;
    if (length > (size_t)(p->end - p->at) || !take(p, length, &data)) return false;
    *item = (item_t){.kind = PACK_TEXT, .text = (const char *)data, .length = length};
    return true;
}

static bool take_other(pack_t *p, uint64_t bytes, item_t *item)
{
    const bool good = take_text(p, bytes, item);
    item->kind = PACK_OTHER;
    return good;
}

/* Types by their first byte: a value or length of `bytes` bytes follows, then `more` bytes of data
 * in addition to that length. */
static const struct {
    uint8_t first, last, kind, bytes, more;
} forms[] = {
    {0xc0, 0xc1, PACK_OTHER, 0, 0},  {0xc4, 0xc4, PACK_OTHER, 1, 0},
    {0xc5, 0xc5, PACK_OTHER, 2, 0},  {0xc6, 0xc6, PACK_OTHER, 4, 0},
    {0xc7, 0xc7, PACK_OTHER, 1, 1},  {0xc8, 0xc8, PACK_OTHER, 2, 1},
    {0xc9, 0xc9, PACK_OTHER, 4, 1},  {0xca, 0xca, PACK_OTHER, 0, 4},
    {0xcb, 0xcb, PACK_OTHER, 0, 8},  {0xcc, 0xcc, PACK_NUMBER, 1, 0},
    {0xcd, 0xcd, PACK_NUMBER, 2, 0}, {0xce, 0xce, PACK_NUMBER, 4, 0},
    {0xcf, 0xcf, PACK_NUMBER, 8, 0}, {0xd0, 0xd0, PACK_OTHER, 0, 1},
    {0xd1, 0xd1, PACK_OTHER, 0, 2},  {0xd2, 0xd2, PACK_OTHER, 0, 4},
    {0xd3, 0xd3, PACK_OTHER, 0, 8},  {0xd4, 0xd4, PACK_OTHER, 0, 2},
    {0xd5, 0xd5, PACK_OTHER, 0, 3},  {0xd6, 0xd6, PACK_OTHER, 0, 5},
    {0xd7, 0xd7, PACK_OTHER, 0, 9},  {0xd8, 0xd8, PACK_OTHER, 0, 17},
    {0xd9, 0xd9, PACK_TEXT, 1, 0},   {0xda, 0xda, PACK_TEXT, 2, 0},
    {0xdb, 0xdb, PACK_TEXT, 4, 0},   {0xdc, 0xdc, PACK_LIST, 2, 0},
    {0xdd, 0xdd, PACK_LIST, 4, 0},   {0xde, 0xde, PACK_MAP, 2, 0},
    {0xdf, 0xdf, PACK_MAP, 4, 0},
};

static bool next_long(pack_t *p, uint8_t first, item_t *item)
{
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (first < forms[i].first || first > forms[i].last) continue;
        if (!take_number(p, forms[i].bytes, &value)) return false;
        if (forms[i].kind == PACK_TEXT) return take_text(p, value, item);
        if (forms[i].kind == PACK_OTHER) return take_other(p, value + forms[i].more, item);
        *item = (item_t){.kind = forms[i].kind, .number = value};
        return true;
    }
    return false;
}

/* Reads the next value; for a list or map, only its head. */
static bool next_item(pack_t *p, item_t *item)
{
    const uint8_t *first;
    if (!take(p, 1, &first)) return false;
    *item = (item_t){.kind = PACK_NUMBER, .number = *first};
    if (*first < 0x80) return true;
    if (*first == 0xc2 || *first == 0xc3) { /* false and true: 0 and 1 */
        item->number = *first & 1;
        return true;
    }
    if (*first >= 0xe0) { /* a negative number, which the notes on kernels do not use */
        item->kind = PACK_OTHER;
        return true;
    }
    if (*first >= 0xc0) return next_long(p, *first, item);
    if (*first >= 0xa0) return take_text(p, *first & 0x1f, item);
    *item = (item_t){.kind = *first >= 0x90 ? PACK_LIST : PACK_MAP, .number = *first & 0xf};
    return true;
}

/* Skips the contents of the item that was read last. */
static bool skip(pack_t *p, const item_t *item, unsigned depth)
{
    uint64_t left = item->kind == PACK_MAP ? 2 * item->number : item->number;
    item_t inner;
    if (item->kind != PACK_LIST && item->kind != PACK_MAP) return true;
    for (; left; left--)
        if (depth == DEPTH_MAX || !next_item(p, &inner) || !skip(p, &inner, depth + 1))
            return false;
    return true;
}

static bool is_text(const item_t *item, const char *text)
{
    return item->kind == PACK_TEXT && item->length == strlen(text) &&
           memcmp(item->text, text, item->length) == 0;
}

/* Looks up a key in the map at `p`; `p` is then after the value, or after its head if the value is
 * a list or map. */
static bool find(pack_t *p, const char *key, item_t *value)
{
    item_t map, name;
    if (!next_item(p, &map) || map.kind != PACK_MAP) return false;
    for (uint64_t left = map.number; left; left--) {
        if (!next_item(p, &name) || !skip(p, &name, 0) || !next_item(p, value)) return false;
        if (is_text(&name, key)) return true;
        if (!skip(p, value, 0)) return false;
    }
    return false;
}

/* ---- the note ---- */

static bool find_in_notes(const uint8_t *at, uint64_t size, pack_t *p)
{
    while (size >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr n;
        memcpy(&n, at, sizeof n);
        const uint64_t name = (n.n_namesz + UINT64_C(3)) & ~UINT64_C(3);
        const uint64_t text = (n.n_descsz + UINT64_C(3)) & ~UINT64_C(3);
        at += sizeof n;
        size -= sizeof n;
        if (name > size || n.n_descsz > size - name) return false;
        if (n.n_type == NOTE_METADATA && n.n_namesz == sizeof "AMDGPU" &&
            memcmp(at, "AMDGPU", sizeof "AMDGPU") == 0) {
            *p = (pack_t){at + name, at + name + n.n_descsz};
            return true;
        }
        if (text > size - name) return false;
        at += name + text;
        size -= name + text;
    }
    return false;
}

/* dis_object_open has checked that the program headers lie inside the file. */
static bool find_metadata(const dis_object_t *o, pack_t *p)
{
    Elf64_Ehdr header;
    dis_header(o, &header);
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr s;
        memcpy(&s, o->elf + header.e_phoff + i * sizeof s, sizeof s);
        if (s.p_type == PT_NOTE && s.p_offset <= o->size && s.p_filesz <= o->size - s.p_offset &&
            find_in_notes(o->elf + s.p_offset, s.p_filesz, p))
            return true;
    }
    return false;
}

/* ---- kernels ---- */

static void copy_text(char *to, size_t room, const item_t *from)
{
    snprintf(to, room, "%.*s",
             from->kind == PACK_TEXT && from->length < 4096 ? (int)from->length : 0,
             from->kind == PACK_TEXT ? from->text : "");
}

static uint32_t number_of(pack_t map, const char *key)
{
    item_t value;
    const bool good = find(&map, key, &value) && value.kind == PACK_NUMBER;
    return good && value.number <= UINT32_MAX ? (uint32_t)value.number : 0;
}

static void read_parameter(pack_t map, dis_parameter_t *to)
{
    pack_t again = map;
    item_t value;
    *to = (dis_parameter_t){.offset = number_of(map, ".offset"), .size = number_of(map, ".size")};
    if (find(&again, ".name", &value)) copy_text(to->name, sizeof to->name, &value);
    again = map;
    if (find(&again, ".type_name", &value)) copy_text(to->type, sizeof to->type, &value);
    again = map;
    if (find(&again, ".value_kind", &value)) copy_text(to->kind, sizeof to->kind, &value);
}

/* The compiler adds parameters of its own after those of the source; the first of them ends the
 * list. */
static void read_parameters(pack_t map, dis_kernel_t *k)
{
    static const char hidden[] = "hidden_";
    item_t list, item;
    if (!find(&map, ".args", &list) || list.kind != PACK_LIST) return;
    for (uint64_t left = list.number; left && k->parameter_count < DIS_PARAMETERS_MAX; left--) {
        const pack_t one = map;
        dis_parameter_t *p = &k->parameters[k->parameter_count];
        if (!next_item(&map, &item) || !skip(&map, &item, 0)) return;
        read_parameter(one, p);
        if (strncmp(p->kind, hidden, sizeof hidden - 1) == 0) return;
        k->parameter_count++;
    }
}

static void read_kernel(pack_t map, dis_kernel_t *k)
{
    *k = (dis_kernel_t){.vgpr_spills = number_of(map, ".vgpr_spill_count"),
                        .sgpr_spills = number_of(map, ".sgpr_spill_count"),
                        .group_bytes = number_of(map, ".group_segment_fixed_size"),
                        .private_bytes = number_of(map, ".private_segment_fixed_size"),
                        .group_size_max = number_of(map, ".max_flat_workgroup_size")};
    read_parameters(map, k);
}

bool dis_object_kernel(const dis_object_t *o, const char *symbol, dis_kernel_t *kernel)
{
    pack_t p, map;
    item_t list, item, name;
    if (!find_metadata(o, &p) || !find(&p, "amdhsa.kernels", &list) || list.kind != PACK_LIST)
        return false;
    for (uint64_t left = list.number; left; left--) {
        map = p;
        pack_t again = p;
        if (!next_item(&p, &item) || !skip(&p, &item, 0)) return false;
        if (!find(&again, ".symbol", &name) || !is_text(&name, symbol)) continue;
        read_kernel(map, kernel);
        return true;
    }
    return false;
}

/* ---- all kernels ---- */

/* Numbers in the notes, and the members of a kernel's row for them. */
static const struct {
    const char *key;
    size_t at;
} numbers[] = {
    {".vgpr_count", offsetof(dis_kernel_row_t, vgprs)},
    {".agpr_count", offsetof(dis_kernel_row_t, agprs)},
    {".sgpr_count", offsetof(dis_kernel_row_t, sgprs)},
    {".vgpr_spill_count", offsetof(dis_kernel_row_t, vgpr_spills)},
    {".sgpr_spill_count", offsetof(dis_kernel_row_t, sgpr_spills)},
    {".group_segment_fixed_size", offsetof(dis_kernel_row_t, lds_bytes)},
    {".private_segment_fixed_size", offsetof(dis_kernel_row_t, scratch_bytes)},
    {".kernarg_segment_size", offsetof(dis_kernel_row_t, argument_bytes)},
    {".max_flat_workgroup_size", offsetof(dis_kernel_row_t, group_size_max)},
    {".wavefront_size", offsetof(dis_kernel_row_t, wave_items)},
    {".uses_dynamic_stack", offsetof(dis_kernel_row_t, dynamic_stack)},
};

static void take_number_of_row(dis_kernel_row_t *row, const item_t *key, const item_t *value)
{
    const uint32_t number = value->number <= UINT32_MAX ? (uint32_t)value->number : UINT32_MAX;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is_text(key, numbers[i].key))
            memcpy((char *)row + numbers[i].at, &number, sizeof number);
}

/* The number of work-items that the kernel must be launched with: the product of the list's three
 * numbers; 0 if the list has not three numbers. */
static uint32_t fixed_size(pack_t list, const item_t *head)
{
    uint64_t product = head->number == 3;
    item_t size;
    for (uint64_t left = product ? head->number : 0; left; left--) {
        if (!next_item(&list, &size) || size.kind != PACK_NUMBER || size.number > UINT16_MAX)
            return 0;
        product *= size.number;
        if (product > UINT32_MAX) return 0;
    }
    return (uint32_t)product;
}

/* Reads one kernel's map, whose head has been read. False: the notes are damaged, or out of
 * memory. */
static bool read_row(pack_t *p, uint64_t pairs, dis_kernel_row_t *row)
{
    item_t key, value;
    for (; pairs; pairs--) {
        if (!next_item(p, &key) || !skip(p, &key, 0) || !next_item(p, &value)) return false;
        if (value.kind == PACK_NUMBER) take_number_of_row(row, &key, &value);
        if (value.kind == PACK_LIST && is_text(&key, ".reqd_workgroup_size"))
            row->group_size_fixed = fixed_size(*p, &value);
        if (value.kind == PACK_TEXT) {
            char **to = is_text(&key, ".name")     ? &row->name
                        : is_text(&key, ".symbol") ? &row->symbol
                                                   : NULL;
            if (to && !*to && !(*to = strndup(value.text, value.length))) return false;
        }
        if (!skip(p, &value, 0)) return false;
    }
    return row->name && row->symbol;
}

bool dis_notes_rows(const dis_object_t *o, dis_kernel_row_t **rows, size_t *count)
{
    pack_t p;
    item_t list, item;
    *rows = NULL;
    *count = 0;
    if (!find_metadata(o, &p)) return true;
    if (!find(&p, "amdhsa.kernels", &list)) return true;
    bool good = list.kind == PACK_LIST;
    for (uint64_t left = good ? list.number : 0; good && left; left--) {
        good = next_item(&p, &item) && item.kind == PACK_MAP && BASE_GROW_BY_ONE(*rows, *count);
        if (!good) break;
        dis_kernel_row_t *row = &(*rows)[(*count)++];
        *row = (dis_kernel_row_t){0};
        good = read_row(&p, item.number, row);
    }
    if (good) return true;
    dis_kernels_free(*rows, *count);
    *rows = NULL;
    *count = 0;
    return false;
}
