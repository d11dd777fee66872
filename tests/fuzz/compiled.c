/* compiled.c - fuzz target: a file of a cached result that holds any bytes at all gives that
 * result, or has the compiler run; so it is with kept trees and records of a compiler.
 *
 * The first byte says what the others are: a whole file or what stands behind a header that is
 * right, a tree, or a record. The compiler is one whose action has one result. */
#include "softgpu/compiled/identity.c"
#include "softgpu/compiled/objects.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "folder.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    COMPILE = 2,
    BITCODE = 6,
    OPENCL = 2,
    HEADER = 40, /* magic, key, size and checksum */
    SIZE_AT = 24,
    CHECKSUM_AT = 32
};

/* ---- the compiler ---- */

static const char result[] = "BC\xc0\xde", name_of_result[] = "result";
static unsigned actions;
static bool added; /* the result, to the set */

static int act(int action, info_t info, set_t from, set_t to)
{
    (void)action, (void)info, (void)from, (void)to;
    actions++;
    added = true;
    return SG_SUCCESS;
}

static int count_data(set_t set, int kind, size_t *n)
{
    (void)set;
    *n = added && kind == BITCODE;
    return SG_SUCCESS;
}

static int find_data(set_t set, int kind, size_t index, data_t *data)
{
    (void)set, (void)kind, (void)index;
    *data = 2;
    return SG_SUCCESS;
}

static int copy(const char *from, size_t bytes, size_t *size, char *to)
{
    if (to) memcpy(to, from, bytes);
    *size = bytes;
    return SG_SUCCESS;
}

static int get_data(data_t data, size_t *size, char *bytes)
{
    (void)data;
    return copy(result, sizeof result - 1, size, bytes);
}

static int get_name(data_t data, size_t *size, char *name)
{
    (void)data;
    return copy(name_of_result, sizeof name_of_result, size, name);
}

static int make(uint64_t *any)
{
    added = false;
    *any = 2;
    return SG_SUCCESS;
}

static int keep(uint64_t any)
{
    (void)any;
    return SG_SUCCESS;
}

static int set_text(info_t info, const char *text)
{
    (void)info, (void)text;
    return SG_SUCCESS;
}

static int set_number(info_t info, int number)
{
    (void)info, (void)number;
    return SG_SUCCESS;
}

static int set_truth(info_t info, bool truth)
{
    (void)info, (void)truth;
    return SG_SUCCESS;
}

static int set_list(info_t info, const char **list, size_t count)
{
    (void)info, (void)list, (void)count;
    return SG_SUCCESS;
}

const sg_comgr_t *sg_comgr(void)
{
    static const sg_comgr_t comgr = {
        .release_data = keep,
        .get_data = get_data,
        .get_data_name = get_name,
        .create_data_set = make,
        .destroy_data_set = keep,
        .action_data_count = count_data,
        .action_data_get_data = find_data,
        .create_action_info = make,
        .destroy_action_info = keep,
        .action_info_set_isa_name = set_text,
        .action_info_set_language = set_number,
        .action_info_set_option_list = set_list,
        .action_info_set_logging = set_truth,
        .do_action = act,
    };
    return &comgr;
}

/* ---- a cached result ---- */

static char path[PATH_MAX];
static uint8_t header[HEADER];

/* Reads all data objects of the set to their ends, and returns how many there are. */
static size_t read_all(set_t set)
{
    size_t all = 0, count, size;
    for (int kind = 1; kind < SG_KINDS; kind++) {
        if (amd_comgr_action_data_count(set, kind, &count) != 0) abort();
        for (size_t i = 0; i < count; i++) {
            data_t data;
            char *bytes;
            if (amd_comgr_action_data_get_data(set, kind, i, &data) != 0) abort();
            if (amd_comgr_get_data(data, &size, NULL) != 0 || !(bytes = malloc(size + 1)) ||
                amd_comgr_get_data(data, &size, bytes) != 0)
                abort();
            free(bytes);
            if (amd_comgr_get_data_name(data, &size, NULL) != 0 || !size) abort();
            amd_comgr_release_data(data);
        }
        all += count;
    }
    return all;
}

/* The action with no inputs, which has one description and so one key: how many results it has. */
static size_t compile(void)
{
    info_t info;
    set_t from, to;
    if (amd_comgr_create_action_info(&info) || amd_comgr_create_data_set(&from) ||
        amd_comgr_create_data_set(&to) || amd_comgr_action_info_set_language(info, OPENCL) ||
        amd_comgr_action_info_set_option_list(info, NULL, 0) ||
        amd_comgr_action_info_set_isa_name(info, "gfx90a") ||
        amd_comgr_do_action(COMPILE, info, from, to))
        abort();
    const size_t results = read_all(to);
    amd_comgr_destroy_action_info(info);
    amd_comgr_destroy_data_set(from);
    amd_comgr_destroy_data_set(to);
    return results;
}

static void write_file(const void *head, size_t head_size, const void *rest, size_t rest_size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(head, 1, head_size, f) != head_size ||
        fwrite(rest, 1, rest_size, f) != rest_size || fclose(f) != 0)
        abort();
}

/* Makes the file by an action, for its name and its header. */
static void begin(void)
{
    folder_make();
    if (setenv("SOFTGPU_COMPILED", folder, 1) != 0 || !sg_compiled_open()) abort();
    if (!sg_target_is_known("gfx90a") || compile() != 1) abort();
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        struct stat st;
        if (!strstr(e->d_name, ".comgr") || fstatat(dirfd(dir), e->d_name, &st, 0) != 0) continue;
        /* the other file says that the target is known */
        if (st.st_size > HEADER + 1) snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    }
    if (dir) closedir(dir);
    FILE *f = fopen(path, "rb");
    if (!f || fread(header, 1, HEADER, f) != HEADER) abort();
    fclose(f);
}

static void read_node(node_handle_t node);

static int read_pair(node_handle_t name, node_handle_t value, void *user)
{
    read_node(name);
    read_node(value);
    (void)user;
    return SG_SUCCESS;
}

/* Reads the node to its end, and all nodes below it. */
static void read_node(node_handle_t node)
{
    size_t count = 0;
    int kind = 0;
    node_handle_t element;
    if (amd_comgr_get_metadata_kind(node, &kind) != 0) abort();
    if (amd_comgr_get_metadata_string(node, &count, NULL) == SG_SUCCESS) {
        char *text = malloc(count);
        if (!text || amd_comgr_get_metadata_string(node, &count, text) != 0 || text[count - 1])
            abort();
        free(text);
    } else if (amd_comgr_get_metadata_list_size(node, &count) == SG_SUCCESS) {
        for (size_t i = 0; i < count; i++) {
            if (amd_comgr_index_list_metadata(node, i, &element) != 0) abort();
            read_node(element);
            amd_comgr_destroy_metadata(element);
        }
    } else if (amd_comgr_iterate_map_metadata(node, read_pair, NULL) != SG_SUCCESS) {
        abort();
    }
}

static void read_tree(const char *bytes, size_t size)
{
    node_handle_t root;
    sg_buffer_t *buffer = sg_buffer_new(size);
    if (!buffer) return;
    if (size) memcpy(buffer->bytes, bytes, size);
    if (sg_notes_take(buffer, buffer->bytes, size, &root)) {
        read_node(root);
        amd_comgr_destroy_metadata(root);
    }
    sg_buffer_drop(buffer);
}

/* Facts that hold are of an absolute path. */
static void read_facts(const char *bytes, size_t size)
{
    const char *name = NULL;
    char *facts = malloc(size + 1);
    if (facts && size) memcpy(facts, bytes, size);
    if (facts && are_same(facts, size, &name) && (!name || *name != '/')) abort();
    free(facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*path) begin();
    if (!size) return 0;
    const uint8_t *rest = data + 1;
    if (data[0] == 'T') read_tree((const char *)rest, size - 1);
    if (data[0] == 'R') read_facts((const char *)rest, size - 1);
    if (data[0] == 'T' || data[0] == 'R') return 0;
    const uint64_t bytes = size - 1, checksum = XXH3_64bits(rest, bytes);
    memcpy(header + SIZE_AT, &bytes, sizeof bytes);
    memcpy(header + CHECKSUM_AT, &checksum, sizeof checksum);
    const bool whole = data[0] & 1;
    write_file(header, whole ? HEADER : 0, rest, bytes);
    const unsigned before = actions;
    const size_t results = compile();
    /* A file that is right stands for the compiler. One that is wrong has been replaced: the next
     * action finds the result. */
    if (actions != before && (results != 1 || compile() != 1 || actions != before + 1)) abort();
    return 0;
}
