/* compiled.c - fuzz target: a file of a cached result that holds any bytes at all gives that
 * result, or has the compiler run.
 *
 * The first byte says whether the others are the whole file or what stands behind a header that is
 * right. The compiler is one whose action has one result. */
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

sg_compiled_key_t sg_compiler_key(void)
{
    return (sg_compiled_key_t){1, 2};
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*path) begin();
    if (!size) return 0;
    const uint8_t *rest = data + 1;
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
