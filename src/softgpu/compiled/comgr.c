/* comgr.c - actions of the compiler, whose results are cached, see compiled.h.
 *
 * An action takes a set of data objects and a description (target, language, options), and adds
 * data objects to another set. The key of an action is a hash of all of its inputs and of the
 * compiler's files. An action that may read other files is never cached: the compilation of a
 * source that includes any file. The actions that add the compiler's own headers and libraries to a
 * set, which are some megabytes, are put off until a function reads that set: only the logs of
 * these actions are cached. */
#include "softgpu/compiled/key.h"
#include "softgpu/compiled/objects.h"

#include <stdlib.h>
#include <string.h>

/* Values of amd_comgr.h in version 2 of its interface. Version 3 has other actions, and a cache of
 * its own (AMD_COMGR_CACHE). */
enum {
    LANGUAGE_OPENCL_1_2 = 1,
    LANGUAGE_OPENCL_2_0,
    ACTION_ADD_HEADERS = 1,
    ACTION_COMPILE,
    ACTION_ADD_LIBRARIES,
    ACTION_LINK,
    ACTION_CODEGEN = 6,
    ACTION_LINK_EXECUTABLE = 9
};

/* ---- inputs ---- */

static void hash_number(sg_key_hash_t *hash, uint64_t number)
{
    sg_key_add(hash, &number, sizeof number);
}

static void hash_sized(sg_key_hash_t *hash, const void *bytes, size_t size)
{
    hash_number(hash, size);
    sg_key_add(hash, bytes, size);
}

/* Whether the source may include another file. */
static bool includes(const sg_data_t *source)
{
    static const char *const words[] = {"include",  "embed",    "import",
                                        "__FILE__", "__DATE__", "__TIME"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(source->bytes, source->size, words[i], strlen(words[i]))) return true;
    return false;
}

static bool has_given_up(const sg_set_t *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->all[i]->given_up) return true;
    return false;
}

/* Adds the data objects of a set of inputs to the hash. False: what they are is not known, or a
 * source includes another file. Logs of earlier actions count only if `logs`. */
static bool hash_set(sg_key_hash_t *hash, const sg_set_t *set, bool logs)
{
    if (set->given_up) return false;
    if (set->addition) {
        hash_number(hash, 0); /* is no kind of data */
        sg_key_add(hash, &set->addition->key, sizeof set->addition->key);
        return !has_given_up(&set->addition->from);
    }
    for (size_t i = 0; i < set->count; i++) {
        const sg_data_t *d = set->all[i];
        if (d->kind == SG_LOG && !logs) continue;
        if (d->given_up || !d->name || !d->bytes) return false;
        if (d->kind == SG_SOURCE && includes(d)) return false;
        hash_number(hash, (uint64_t)d->kind);
        hash_sized(hash, d->name, strlen(d->name));
        hash_sized(hash, d->bytes, d->size);
    }
    return true;
}

/* Whether the option may make the compiler read or write a file of its own, or, as -g does, write
 * down the folder in which it runs. */
static bool names_file(const char *option)
{
    static const char *const words[] = {
        "-I",      "-i",          "@",        "-F",        "-B",    "--sysroot", "-M",
        "-T",      "-save-temps", "-fmodule", "-fprofile", "-g",    "-fplugin",  "-fpass-plugin",
        "-mlink-", "--config",    "--rocm",   "--hip",     "-load",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(option, words[i], strlen(words[i])) == 0) return true;
    return strchr(option, '/');
}

/* libamd_comgr crashes if it needs a target that was not set: such descriptions are its own. */
static bool hash_info(sg_key_hash_t *hash, const sg_info_t *info)
{
    if (info->given_up || !info->isa || !info->options) return false;
    const char *option = info->options;
    for (size_t i = 0; i < info->option_count; i++, option += strlen(option) + 1)
        if (names_file(option)) return false;
    hash_number(hash, (uint64_t)info->language);
    hash_number(hash, info->logging);
    hash_number(hash, info->option_count);
    hash_sized(hash, info->isa, strlen(info->isa));
    hash_sized(hash, info->options, info->option_bytes);
    return true;
}

/* ---- results ---- */

/* Appends a text or contents that `get` copies: first its size, then its bytes. */
#define ADD_SIZED(b, get, data)                                                                    \
    do {                                                                                           \
        size_t bytes = 0;                                                                          \
        if (get(data, &bytes, NULL) != 0) return false;                                            \
        const uint64_t size = bytes;                                                               \
        sg_compiled_add(b, &size, sizeof size);                                                    \
        char *to = sg_compiled_more(b, bytes);                                                     \
        if (!to || get(data, &bytes, to) != 0) return false;                                       \
    } while (0)

/* Appends a data object of libamd_comgr. */
static bool add_data(sg_compiled_bytes_t *b, int kind, data_t data)
{
    const sg_comgr_t *comgr = sg_comgr();
    const uint64_t which = (uint64_t)kind;
    sg_compiled_add(b, &which, sizeof which);
    ADD_SIZED(b, comgr->get_data_name, data);
    ADD_SIZED(b, comgr->get_data, data);
    return !b->bad;
}

/* Appends the data objects of a set of libamd_comgr, or the logs among them. */
static bool add_set(sg_compiled_bytes_t *b, set_t set, bool logs_only)
{
    const sg_comgr_t *comgr = sg_comgr();
    for (int kind = 1; kind < SG_KINDS; kind++) {
        size_t count = 0;
        if (logs_only && kind != SG_LOG) continue;
        if (comgr->action_data_count(set, kind, &count) != 0)
            continue; /* this version does not have the kind */
        for (size_t i = 0; i < count; i++) {
            data_t data;
            if (comgr->action_data_get_data(set, kind, i, &data) != 0) return false;
            const bool good = add_data(b, kind, data);
            comgr->release_data(data);
            if (!good) return false;
        }
    }
    return !b->bad;
}

/* A number or a text of `size` bytes at *at, which is advanced; NULL if fewer bytes are left. */
static const char *take(const char **at, const char *end, size_t size)
{
    if (size > (size_t)(end - *at)) return NULL;
    *at += size;
    return *at - size;
}

static const char *take_sized(const char **at, const char *end, uint64_t *size)
{
    const char *number = take(at, end, sizeof *size);
    if (!number) return NULL;
    memcpy(size, number, sizeof *size);
    return take(at, end, *size);
}

/* A data object in the form in which add_data() writes it. */
typedef struct {
    uint64_t kind, name_bytes, bytes;
    const char *name, *contents;
} kept_t;

static bool take_kept(const char **at, const char *end, kept_t *kept)
{
    const char *kind = take(at, end, sizeof kept->kind);
    kept->name = kind ? take_sized(at, end, &kept->name_bytes) : NULL;
    kept->contents = kept->name ? take_sized(at, end, &kept->bytes) : NULL;
    if (!kept->contents || !kept->name_bytes) return false;
    memcpy(&kept->kind, kind, sizeof kept->kind);
    return kept->kind && kept->kind < SG_KINDS && kept->name[kept->name_bytes - 1] == '\0';
}

/* Adds a data object whose contents are in the buffer. */
static bool add_kept(sg_set_t *set, sg_buffer_t *buffer, const kept_t *kept)
{
    sg_data_t *data = sg_data_new((int)kept->kind);
    if (!data) return false;
    data->buffer = sg_buffer_hold(buffer);
    data->bytes = kept->contents;
    data->size = kept->bytes;
    const bool good = sg_data_set_name(data, kept->name) && sg_set_add(set, data);
    sg_data_drop(data);
    return good;
}

/* Adds data objects to the set, from bytes that add_set() has written. False: the bytes are not
 * whole, or memory has run out; the set is empty then. */
static bool add_all_kept(sg_set_t *set, const char *bytes, size_t size)
{
    sg_buffer_t *buffer = sg_buffer_new(size);
    if (!buffer) return false;
    if (size) memcpy(buffer->bytes, bytes, size);
    const char *at = buffer->bytes, *end = at + size;
    kept_t kept;
    bool good = true;
    while (good && at < end)
        good = take_kept(&at, end, &kept) && add_kept(set, buffer, &kept);
    sg_buffer_drop(buffer);
    if (!good) sg_set_clear(set);
    return good;
}

/* ---- actions ---- */

/* Whether the action adds headers or libraries, which are part of the compiler. */
static bool is_addition(int action)
{
    return action == ACTION_ADD_HEADERS || action == ACTION_ADD_LIBRARIES;
}

/* Whether the action's results are cached: those of compiling, linking and generating code for
 * HIP's own kernels, which are written in OpenCL C. Steps after linking do not name the language,
 * so they count as steps of the code that the thread has linked last. */
static bool is_cached(int action, int language)
{
    static _Thread_local bool own;
    const bool opencl = language == LANGUAGE_OPENCL_1_2 || language == LANGUAGE_OPENCL_2_0;
    if (action == ACTION_COMPILE || action == ACTION_LINK) return own = opencl;
    if (is_addition(action)) return opencl;
    return (action == ACTION_CODEGEN || action == ACTION_LINK_EXECUTABLE) && own;
}

typedef struct {
    int action;
    const sg_info_t *info;
    const sg_set_t *from;
    sg_set_t *to;
    sg_compiled_key_t key;
} asked_t;

/* False: the action's results are not cached. */
static bool find_key(asked_t *a)
{
    if (!a->info || !a->from || !a->to) return false;
    /* what the language of a description is that was given up, is not known */
    if (!is_cached(a->action, a->info->given_up ? 0 : a->info->language)) return false;
    if (a->to->count || a->to->addition || a->to->given_up) return false;
    if (is_addition(a->action) && a->from->addition) return false;
    sg_key_hash_t hash;
    sg_key_begin(&hash, sg_compiler_key());
    hash_number(&hash, (uint64_t)a->action);
    /* an addition keeps the logs that it is given */
    if (!hash_info(&hash, a->info) || !hash_set(&hash, a->from, is_addition(a->action)))
        return false;
    a->key = sg_key_end(&hash);
    return true;
}

/* Gives the set the results of the action, which are `bytes`. False: it is still empty. */
static bool use(const asked_t *a, const char *bytes, size_t size)
{
    if (!add_all_kept(a->to, bytes, size)) return false;
    if (!is_addition(a->action)) return true;
    a->to->addition = sg_addition_new(a->action, a->info, a->from, a->key);
    if (!a->to->addition) sg_set_clear(a->to);
    return a->to->addition;
}

static bool use_kept(const asked_t *a)
{
    size_t size;
    char *bytes = sg_compiled_read(a->key, &size);
    const bool good = bytes && use(a, bytes, size);
    free(bytes);
    return good;
}

/* Has the compiler execute the action, and caches its results. Those of an action that fails are in
 * libamd_comgr's own set, for which ours is given up. */
static int execute(const asked_t *a)
{
    const sg_comgr_t *comgr = sg_comgr();
    const set_t to = sg_copy_set(a->to);
    sg_compiled_bytes_t results = {0};
    if (!to) return SG_NO_RESOURCES;
    const int status = sg_execute(a->action, a->info, a->from, to);
    const bool good = status == SG_SUCCESS && add_set(&results, to, is_addition(a->action));
    if (good) sg_compiled_write(a->key, results.bytes, results.size);
    if (good && use(a, results.bytes, results.size))
        comgr->destroy_data_set(to);
    else
        a->to->given_up = to;
    free(results.bytes);
    return status;
}

/* Has libamd_comgr execute the action on its own objects, in place of which it must not get 0. */
static int pass_on(int action, info_t info, set_t from, set_t to)
{
    const info_t description = sg_give_up_info(info);
    const set_t inputs = sg_give_up_set(from), results = sg_give_up_set(to);
    if ((info && !description) || (from && !inputs) || (to && !results)) return SG_NO_RESOURCES;
    return sg_comgr()->do_action(action, description, inputs, results);
}

int amd_comgr_do_action(int action, info_t info, set_t from, set_t to)
{
    asked_t asked = {action, sg_own(info), sg_own(from), sg_own(to), {0}};
    if (!find_key(&asked)) return pass_on(action, info, from, to);
    return use_kept(&asked) ? SG_SUCCESS : execute(&asked);
}
