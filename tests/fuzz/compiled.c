/* compiled.c - fuzz target: a file of a kept result that holds any bytes at all gives that result,
 * or has the compiler run.
 *
 * The first byte says whether the others are the whole file or what stands behind a header that is
 * right. The compiler is one whose action has one result; its data objects, which are checked when
 * they are made of a file, live until the end of the input. */
#include "softgpu/compiled/compiled.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "folder.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void amd_comgr_get_version(size_t *major, size_t *minor); /* of the library that is the compiler */

enum {
    MOST = 24, /* data objects at once: the next is refused */
    NAME = 16,
    COMPILE = 2,
    BITCODE = 6,
    OPENCL = 2,
    HEADER = 40, /* magic, key, size and checksum */
    SIZE_AT = 24,
    CHECKSUM_AT = 32
};

/* ---- the compiler ---- */

static struct {
    int kind;
    char *name, *bytes;
    size_t size;
    bool added;
} objects[MOST];
static uint64_t count; /* data objects; the number of one is its place + 1 */
static unsigned actions;

static int make_data(int kind, uint64_t *data)
{
    if (count == MOST) return 1;
    memset(&objects[count], 0, sizeof *objects);
    objects[count].kind = kind;
    *data = ++count;
    return 0;
}

static int set_data(uint64_t data, size_t size, const char *bytes)
{
    char *kept = size ? malloc(size) : NULL;
    if (!kept) return 1;
    objects[data - 1].bytes = memcpy(kept, bytes, size);
    objects[data - 1].size = size;
    return 0;
}

static int set_name(uint64_t data, const char *name)
{
    return (objects[data - 1].name = strdup(name)) ? 0 : 1;
}

static int add_data(uint64_t set, uint64_t data)
{
    (void)set;
    if (!objects[data - 1].bytes || !objects[data - 1].name) abort();
    objects[data - 1].added = true;
    return 0;
}

static int count_data(uint64_t set, int kind, size_t *n)
{
    *n = 0;
    for (size_t i = 0; set && i < count; i++)
        *n += objects[i].added && objects[i].kind == kind;
    return 0;
}

static int find_data(uint64_t set, int kind, size_t index, uint64_t *data)
{
    (void)set;
    for (*data = 1; *data <= count; ++*data)
        if (objects[*data - 1].added && objects[*data - 1].kind == kind && index-- == 0) return 0;
    return 1;
}

static int copy(const char *from, size_t bytes, size_t *size, char *to)
{
    if (to) memcpy(to, from, bytes);
    *size = bytes;
    return 0;
}

static int get_data(uint64_t data, size_t *size, char *bytes)
{
    return copy(objects[data - 1].bytes, objects[data - 1].size, size, bytes);
}

static int get_name(uint64_t data, size_t *size, char *name)
{
    return copy(objects[data - 1].name, strlen(objects[data - 1].name) + 1, size, name);
}

static int act(int action, uint64_t info, uint64_t from, uint64_t to)
{
    uint64_t data;
    (void)action, (void)info, (void)from;
    actions++;
    return make_data(BITCODE, &data) || set_data(data, 4, "BC\xc0\xde") ||
           set_name(data, "result") || add_data(to, data);
}

static int get_isa_name(uint64_t info, size_t *size, char *name)
{
    (void)info;
    return copy("gfx90a", sizeof "gfx90a", size, name);
}

static int get_language(uint64_t info, int *language)
{
    (void)info;
    *language = OPENCL;
    return 0;
}

static int get_logging(uint64_t info, bool *logging)
{
    (void)info;
    *logging = false;
    return 0;
}

static int count_options(uint64_t info, size_t *n)
{
    (void)info;
    *n = 0;
    return 0;
}

static int get_option(uint64_t info, size_t index, size_t *size, char *text)
{
    (void)info, (void)index;
    return copy("", 1, size, text);
}

static int release(uint64_t any)
{
    (void)any;
    return 0;
}

static int set_text(uint64_t info, const char *text)
{
    (void)info, (void)text;
    return 0;
}

static void *find(void *library, const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } all[] = {
#define FUNCTION(name, function) {"amd_comgr_" name, (void (*)(void))(function)},
        FUNCTION("get_version", amd_comgr_get_version) FUNCTION("do_action", act)
            FUNCTION("create_data",
                     make_data) FUNCTION("set_data", set_data) FUNCTION("set_data_name", set_name)
                FUNCTION("data_set_add", add_data) FUNCTION("release_data", release)
                    FUNCTION("get_data", get_data) FUNCTION("get_data_name", get_name) FUNCTION(
                        "action_data_count", count_data) FUNCTION("action_data_get_data", find_data)
                        FUNCTION("action_info_get_isa_name",
                                 get_isa_name) FUNCTION("action_info_get_language", get_language)
                            FUNCTION("action_info_get_logging", get_logging) FUNCTION(
                                "action_info_get_option_list_count", count_options)
                                FUNCTION("action_info_get_option_list_item",
                                         get_option) FUNCTION("action_info_set_isa_name", set_text)
                                    FUNCTION("action_info_set_working_directory_path",
                                             set_text) FUNCTION("destroy_action_info", release)
                                        FUNCTION("destroy_data_set",
                                                 release) FUNCTION("data_set_remove", release)
                                            FUNCTION("action_info_set_language", release)
                                                FUNCTION("action_info_set_options", release)
                                                    FUNCTION("action_info_set_option_list", release)
                                                        FUNCTION("action_info_set_logging", release)
#undef FUNCTION
    };
    void *found = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0) memcpy(&found, &all[i].function, sizeof found);
    (void)library;
    return found;
}

/* ---- a kept result ---- */

static int (*do_action)(int action, uint64_t info, uint64_t from, uint64_t to);
static char path[PATH_MAX];
static uint8_t header[HEADER];

static void forget_objects(void)
{
    for (; count; count--) {
        free(objects[count - 1].name);
        free(objects[count - 1].bytes);
    }
}

/* The action with no inputs, which has one description and so one key. */
static int compile(void)
{
    const uint64_t info = 1, from = 0, to = 1;
    forget_objects();
    return do_action(COMPILE, info, from, to);
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
    void *function;
    int (*describe)(uint64_t, const char *);
    folder_make();
    if (setenv("SOFTGPU_COMPILED", folder, 1) != 0) abort();
    function = sg_compiled_function(find, NULL, "amd_comgr_do_action", NULL);
    memcpy(&do_action, &function, sizeof function);
    function = sg_compiled_function(find, NULL, "amd_comgr_action_info_set_isa_name", NULL);
    memcpy(&describe, &function, sizeof function);
    if (!do_action || !describe || describe(1, "gfx90a") != 0 || compile() != 0) abort();
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strstr(e->d_name, ".comgr")) snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
    if (dir) closedir(dir);
    FILE *f = fopen(path, "rb");
    if (!f || fread(header, 1, HEADER, f) != HEADER) abort();
    fclose(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!do_action) begin();
    if (!size) return 0;
    const uint8_t *rest = data + 1;
    const uint64_t bytes = size - 1, checksum = XXH3_64bits(rest, bytes);
    memcpy(header + SIZE_AT, &bytes, sizeof bytes);
    memcpy(header + CHECKSUM_AT, &checksum, sizeof checksum);
    const bool whole = data[0] & 1;
    write_file(header, whole ? HEADER : 0, rest, bytes);
    const unsigned before = actions;
    const int status = compile();
    /* A file that is right stands for the compiler, which refuses nothing but too many objects. One
     * that is wrong has been replaced: the next action finds the result. */
    if (actions == before) {
        if (status != 0 && count != MOST) abort();
        for (size_t i = 0; status == 0 && i < count; i++)
            if (!objects[i].added) abort();
    } else if (status != 0 || count != 1 || compile() != 0 || actions != before + 1 || count != 1 ||
               objects[0].size != 4 || strcmp(objects[0].name, "result") != 0) {
        abort();
    }
    forget_objects();
    return 0;
}
