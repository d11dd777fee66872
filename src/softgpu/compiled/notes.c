/* notes.c - the compiler's notes on kernels, as libamd_comgr gives them: a tree of maps, lists and
 * texts, which its functions on metadata read.
 *
 * The notes are in the code object. A code object in which anything is unusual is not read here:
 * libamd_comgr is asked instead. */
#include "disasm/pack.h"
#include "softgpu/compiled/objects.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_STRING = 1, KIND_MAP, KIND_LIST }; /* values of amd_comgr_metadata_kind_t */

typedef struct node {
    struct tree *tree;
    const char *text; /* of KIND_STRING, in the code object; NULL: it is `digits` */
    size_t length;
    struct node *inner; /* the elements of a list; the keys and values of a map, by turns */
    size_t count;       /* elements or pairs */
    int kind;
    char digits[24];
} node_t;

typedef struct tree {
    atomic_uint handles; /* the program's handles of nodes of this tree */
    sg_buffer_t *buffer; /* the code object */
    node_t root;
} tree_t;

/* ---- reading ---- */

static size_t inner_count(const node_t *node)
{
    return node->kind == KIND_MAP ? 2 * node->count : node->count;
}

static void free_inner(node_t *node)
{
    for (size_t i = 0; node->inner && i < inner_count(node); i++)
        free_inner(&node->inner[i]);
    free(node->inner);
}

static void drop_tree(tree_t *tree)
{
    if (atomic_fetch_sub(&tree->handles, 1) != 1) return;
    free_inner(&tree->root);
    sg_buffer_drop(tree->buffer);
    free(tree);
}

/* The order in which libamd_comgr goes through a map. */
static int by_key(const void *a, const void *b)
{
    const node_t *x = a, *y = b;
    const int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

/* False: a key is no text, or there twice. */
static bool sort_map(node_t *map)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->inner[2 * i].kind != KIND_STRING || !map->inner[2 * i].text) return false;
    qsort(map->inner, map->count, 2 * sizeof *map->inner, by_key);
    for (size_t i = 1; i < map->count; i++)
        if (by_key(&map->inner[2 * i - 2], &map->inner[2 * i]) == 0) return false;
    return true;
}

static bool read_node(tree_t *tree, dis_pack_t *pack, node_t *node, unsigned depth);

static bool read_inner(tree_t *tree, dis_pack_t *pack, node_t *node, unsigned depth)
{
    /* each element takes a byte at least */
    if (depth == DIS_PACK_DEPTH_MAX || node->count > (size_t)(pack->end - pack->at)) return false;
    node->inner = calloc(inner_count(node) + 1, sizeof *node->inner);
    for (size_t i = 0; node->inner && i < inner_count(node); i++)
        if (!read_node(tree, pack, &node->inner[i], depth + 1)) return false;
    return node->inner && (node->kind == KIND_LIST || sort_map(node));
}

static bool read_node(tree_t *tree, dis_pack_t *pack, node_t *node, unsigned depth)
{
    dis_item_t item;
    *node = (node_t){.tree = tree, .kind = KIND_STRING};
    if (!dis_pack_next(pack, &item) || item.kind == DIS_PACK_OTHER) return false;
    if (item.kind == DIS_PACK_TEXT) {
        node->text = item.text;
        node->length = item.length;
    } else if (item.kind == DIS_PACK_NUMBER) {
        node->length = (size_t)snprintf(node->digits, sizeof node->digits, "%" PRIu64, item.number);
    } else {
        node->kind = item.kind == DIS_PACK_MAP ? KIND_MAP : KIND_LIST;
        node->count = item.number;
        return read_inner(tree, pack, node, depth);
    }
    return true;
}

static bool read_tree(sg_buffer_t *buffer, dis_pack_t pack, node_handle_t *root)
{
    tree_t *tree = calloc(1, sizeof *tree);
    if (!tree) return false;
    tree->buffer = sg_buffer_hold(buffer);
    tree->handles = 1;
    if (!read_node(tree, &pack, &tree->root, 0) || tree->root.kind != KIND_MAP ||
        pack.at != pack.end) {
        drop_tree(tree);
        return false;
    }
    *root = sg_own_handle(&tree->root);
    return true;
}

bool sg_notes_read(sg_buffer_t *buffer, const char *bytes, size_t size, node_handle_t *root)
{
    dis_pack_t pack;
    return dis_pack_find((const uint8_t *)bytes, size, &pack) == 1 && pack.at &&
           read_tree(buffer, pack, root);
}

bool sg_notes_take(sg_buffer_t *buffer, const char *bytes, size_t size, node_handle_t *root)
{
    const uint8_t *at = (const uint8_t *)bytes;
    return read_tree(buffer, (dis_pack_t){at, at + size}, root);
}

/* ---- writing ---- */

/* Appends the head of a text, list or map in its form with a length of 32 bits. */
static void write_head(sg_compiled_bytes_t *to, int kind, size_t length)
{
    static const uint8_t first[] = {[KIND_STRING] = 0xdb, [KIND_MAP] = 0xdf, [KIND_LIST] = 0xdd};
    const uint8_t head[] = {first[kind], (uint8_t)(length >> 24), (uint8_t)(length >> 16),
                            (uint8_t)(length >> 8), (uint8_t)length};
    sg_compiled_add(to, head, sizeof head);
}

static bool write_text(node_handle_t node, sg_compiled_bytes_t *to)
{
    size_t size = 0;
    if (sg_comgr()->get_metadata_string(node, &size, NULL) != SG_SUCCESS) return false;
    write_head(to, KIND_STRING, size - 1);
    char *text = sg_compiled_more(to, size);
    if (!text || sg_comgr()->get_metadata_string(node, &size, text) != SG_SUCCESS) return false;
    to->size--; /* the final zero */
    return true;
}

static bool write_list(node_handle_t node, sg_compiled_bytes_t *to)
{
    size_t count = 0;
    node_handle_t element;
    if (sg_comgr()->get_metadata_list_size(node, &count) != SG_SUCCESS) return false;
    write_head(to, KIND_LIST, count);
    for (size_t i = 0; i < count; i++) {
        if (sg_comgr()->index_list_metadata(node, i, &element) != SG_SUCCESS) return false;
        const bool good = sg_notes_write(element, to);
        sg_comgr()->destroy_metadata(element);
        if (!good) return false;
    }
    return true;
}

static int write_pair(node_handle_t key, node_handle_t value, void *to)
{
    if (!sg_notes_write(key, to) || !sg_notes_write(value, to))
        ((sg_compiled_bytes_t *)to)->bad = true;
    return SG_SUCCESS;
}

bool sg_notes_write(node_handle_t node, sg_compiled_bytes_t *to)
{
    int kind = 0;
    size_t count = 0;
    if (sg_comgr()->get_metadata_kind(node, &kind) != SG_SUCCESS) return false;
    if (kind == KIND_STRING) return write_text(node, to);
    if (kind == KIND_LIST) return write_list(node, to);
    if (kind != KIND_MAP || sg_comgr()->get_metadata_map_size(node, &count) != SG_SUCCESS)
        return false;
    write_head(to, KIND_MAP, count);
    return sg_comgr()->iterate_map_metadata(node, write_pair, to) == SG_SUCCESS && !to->bad;
}

/* ---- nodes ---- */

/* A handle of the node for the program. */
static node_handle_t hold(node_t *node)
{
    atomic_fetch_add(&node->tree->handles, 1);
    return sg_own_handle(node);
}

int amd_comgr_destroy_metadata(node_handle_t handle)
{
    node_t *node = sg_own(handle);
    if (!node) return sg_comgr()->destroy_metadata(handle);
    drop_tree(node->tree);
    return SG_SUCCESS;
}

int amd_comgr_get_metadata_kind(node_handle_t handle, int *kind)
{
    const node_t *node = sg_own(handle);
    if (!node) return sg_comgr()->get_metadata_kind(handle, kind);
    if (!kind) return SG_INVALID;
    *kind = node->kind;
    return SG_SUCCESS;
}

int amd_comgr_get_metadata_string(node_handle_t handle, size_t *size, char *text)
{
    const node_t *node = sg_own(handle);
    if (!node) return sg_comgr()->get_metadata_string(handle, size, text);
    if (node->kind != KIND_STRING || !size) return SG_INVALID;
    if (!text) {
        *size = node->length + 1;
        return SG_SUCCESS;
    }
    memcpy(text, node->text ? node->text : node->digits,
           *size < node->length ? *size : node->length);
    if (*size > node->length) text[node->length] = '\0';
    return SG_SUCCESS;
}

int amd_comgr_get_metadata_map_size(node_handle_t handle, size_t *size)
{
    const node_t *node = sg_own(handle);
    if (!node) return sg_comgr()->get_metadata_map_size(handle, size);
    if (node->kind != KIND_MAP || !size) return SG_INVALID;
    *size = node->count;
    return SG_SUCCESS;
}

int amd_comgr_get_metadata_list_size(node_handle_t handle, size_t *size)
{
    const node_t *node = sg_own(handle);
    if (!node) return sg_comgr()->get_metadata_list_size(handle, size);
    if (node->kind != KIND_LIST || !size) return SG_INVALID;
    *size = node->count;
    return SG_SUCCESS;
}

int amd_comgr_iterate_map_metadata(node_handle_t handle, take_pair_t *take, void *user)
{
    const node_t *node = sg_own(handle);
    if (!node) return sg_comgr()->iterate_map_metadata(handle, take, user);
    if (node->kind != KIND_MAP || !take) return SG_INVALID;
    /* libamd_comgr ignores what the program's function returns, too */
    for (size_t i = 0; i < node->count; i++)
        take(sg_own_handle(&node->inner[2 * i]), sg_own_handle(&node->inner[2 * i + 1]), user);
    return SG_SUCCESS;
}

int amd_comgr_metadata_lookup(node_handle_t handle, const char *key, node_handle_t *value)
{
    const node_t *node = sg_own(handle);
    if (!node) return sg_comgr()->metadata_lookup(handle, key, value);
    if (node->kind != KIND_MAP || !key || !value) return SG_INVALID;
    const size_t length = strlen(key);
    for (size_t i = 0; i < node->count; i++) {
        const node_t *name = &node->inner[2 * i];
        if (name->length != length || memcmp(name->text, key, length) != 0) continue;
        *value = hold(&node->inner[2 * i + 1]);
        return SG_SUCCESS;
    }
    return SG_ERROR;
}

int amd_comgr_index_list_metadata(node_handle_t handle, size_t index, node_handle_t *value)
{
    const node_t *node = sg_own(handle);
    if (!node) return sg_comgr()->index_list_metadata(handle, index, value);
    if (node->kind != KIND_LIST || !value || index >= node->count) return SG_INVALID;
    *value = hold(&node->inner[index]);
    return SG_SUCCESS;
}
