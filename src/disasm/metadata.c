/* metadata.c - reads the compiler's notes on kernels: register spills, the workgroup's size,
 * parameters.
 *
 * The notes are MessagePack (pack.h). The data is untrusted: nesting is checked against a limit. */
#include "base/grow.h"
#include "disasm/internal.h"
#include "disasm/pack.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Skips the contents of the item that was read last. */
static bool skip(dis_pack_t *p, const dis_item_t *item, unsigned depth)
{
    uint64_t left = item->kind == DIS_PACK_MAP ? 2 * item->number : item->number;
    dis_item_t inner;
    if (item->kind != DIS_PACK_LIST && item->kind != DIS_PACK_MAP) return true;
    for (; left; left--)
        if (depth == DIS_PACK_DEPTH_MAX || !dis_pack_next(p, &inner) || !skip(p, &inner, depth + 1))
            return false;
    return true;
}

static bool is_text(const dis_item_t *item, const char *text)
{
    return item->kind == DIS_PACK_TEXT && item->length == strlen(text) &&
           memcmp(item->text, text, item->length) == 0;
}

/* Looks up a key in the map at `p`; `p` is then after the value, or after its head if the value is
 * a list or map. */
static bool find(dis_pack_t *p, const char *key, dis_item_t *value)
{
    dis_item_t map, name;
    if (!dis_pack_next(p, &map) || map.kind != DIS_PACK_MAP) return false;
    for (uint64_t left = map.number; left; left--) {
        if (!dis_pack_next(p, &name) || !skip(p, &name, 0) || !dis_pack_next(p, value))
            return false;
        if (is_text(&name, key)) return true;
        if (!skip(p, value, 0)) return false;
    }
    return false;
}

static bool find_metadata(const dis_object_t *o, dis_pack_t *p)
{
    dis_pack_find(o->elf, o->size, p);
    return p->at;
}

/* ---- kernels ---- */

static void copy_text(char *to, size_t room, const dis_item_t *from)
{
    snprintf(to, room, "%.*s",
             from->kind == DIS_PACK_TEXT && from->length < 4096 ? (int)from->length : 0,
             from->kind == DIS_PACK_TEXT ? from->text : "");
}

static uint32_t number_of(dis_pack_t map, const char *key)
{
    dis_item_t value;
    const bool good = find(&map, key, &value) && value.kind == DIS_PACK_NUMBER;
    return good && value.number <= UINT32_MAX ? (uint32_t)value.number : 0;
}

uint32_t dis_wave_items(uint32_t number)
{
    return number == 32 || number == 64 ? number : 0;
}

static void read_parameter(dis_pack_t map, dis_parameter_t *to)
{
    dis_pack_t again = map;
    dis_item_t value;
    *to = (dis_parameter_t){.offset = number_of(map, ".offset"), .size = number_of(map, ".size")};
    if (find(&again, ".name", &value)) copy_text(to->name, sizeof to->name, &value);
    again = map;
    if (find(&again, ".type_name", &value)) copy_text(to->type, sizeof to->type, &value);
    again = map;
    if (find(&again, ".value_kind", &value)) copy_text(to->kind, sizeof to->kind, &value);
}

/* The compiler adds parameters of its own after those of the source; the first of them ends the
 * list. */
static void read_parameters(dis_pack_t map, dis_kernel_t *k)
{
    static const char hidden[] = "hidden_";
    dis_item_t list, item;
    if (!find(&map, ".args", &list) || list.kind != DIS_PACK_LIST) return;
    for (uint64_t left = list.number; left && k->parameter_count < DIS_PARAMETERS_MAX; left--) {
        const dis_pack_t one = map;
        dis_parameter_t *p = &k->parameters[k->parameter_count];
        if (!dis_pack_next(&map, &item) || !skip(&map, &item, 0)) return;
        read_parameter(one, p);
        if (strncmp(p->kind, hidden, sizeof hidden - 1) == 0) return;
        k->parameter_count++;
    }
}

static void read_kernel(dis_pack_t map, dis_kernel_t *k)
{
    *k = (dis_kernel_t){.vgpr_spills = number_of(map, ".vgpr_spill_count"),
                        .sgpr_spills = number_of(map, ".sgpr_spill_count"),
                        .group_bytes = number_of(map, ".group_segment_fixed_size"),
                        .private_bytes = number_of(map, ".private_segment_fixed_size"),
                        .group_size_max = number_of(map, ".max_flat_workgroup_size"),
                        .wave_items = dis_wave_items(number_of(map, ".wavefront_size"))};
    read_parameters(map, k);
}

bool dis_object_kernel(const dis_object_t *o, const char *symbol, dis_kernel_t *kernel)
{
    dis_pack_t p, map;
    dis_item_t list, item, name;
    if (!find_metadata(o, &p) || !find(&p, "amdhsa.kernels", &list) || list.kind != DIS_PACK_LIST)
        return false;
    for (uint64_t left = list.number; left; left--) {
        map = p;
        dis_pack_t again = p;
        if (!dis_pack_next(&p, &item) || !skip(&p, &item, 0)) return false;
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

static void take_number_of_row(dis_kernel_row_t *row, const dis_item_t *key,
                               const dis_item_t *value)
{
    const uint32_t number = value->number <= UINT32_MAX ? (uint32_t)value->number : UINT32_MAX;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is_text(key, numbers[i].key))
            memcpy((char *)row + numbers[i].at, &number, sizeof number);
}

/* The number of work-items that the kernel must be launched with: the product of the list's three
 * numbers; 0 if the list has not three numbers. */
static uint32_t fixed_size(dis_pack_t list, const dis_item_t *head)
{
    uint64_t product = head->number == 3;
    dis_item_t size;
    for (uint64_t left = product ? head->number : 0; left; left--) {
        if (!dis_pack_next(&list, &size) || size.kind != DIS_PACK_NUMBER ||
            size.number > UINT16_MAX)
            return 0;
        product *= size.number;
        if (product > UINT32_MAX) return 0;
    }
    return (uint32_t)product;
}

/* Reads one kernel's map, whose head has been read. False: the notes are damaged, or out of
 * memory. */
static bool read_row(dis_pack_t *p, uint64_t pairs, dis_kernel_row_t *row)
{
    dis_item_t key, value;
    for (; pairs; pairs--) {
        if (!dis_pack_next(p, &key) || !skip(p, &key, 0) || !dis_pack_next(p, &value)) return false;
        if (value.kind == DIS_PACK_NUMBER) take_number_of_row(row, &key, &value);
        if (value.kind == DIS_PACK_LIST && is_text(&key, ".reqd_workgroup_size"))
            row->group_size_fixed = fixed_size(*p, &value);
        if (value.kind == DIS_PACK_TEXT) {
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
    dis_pack_t p;
    dis_item_t list, item;
    *rows = NULL;
    *count = 0;
    if (!find_metadata(o, &p)) return true;
    if (!find(&p, "amdhsa.kernels", &list)) return true;
    bool good = list.kind == DIS_PACK_LIST;
    for (uint64_t left = good ? list.number : 0; good && left; left--) {
        good = dis_pack_next(&p, &item) && item.kind == DIS_PACK_MAP &&
               BASE_GROW_BY_ONE(*rows, *count);
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
