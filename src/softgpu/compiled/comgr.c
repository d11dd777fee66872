/* comgr.c - the replacement for amd_comgr_do_action(), which caches results, see compiled.h.
 *
 * An action takes a set of data objects and a description (target, language, options), and adds
 * data objects to another set. The key of an action is a hash of all of its inputs and of the
 * compiler's files. An action that may read other files is never cached: the compilation of a
 * source that includes any file. The actions that add the compiler's own headers and libraries to a
 * set, which are some megabytes, are put off until a function reads that set: only the logs of
 * these actions are cached. */
#include "softgpu/compiled/compiled.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Values of amd_comgr.h in version 2 of its interface. Version 3 has other actions, and a cache of
 * its own (AMD_COMGR_CACHE). */
enum {
    VERSION = 2,
    LANGUAGE_OPENCL_1_2 = 1,
    LANGUAGE_OPENCL_2_0,
    DATA_SOURCE = 1,
    DATA_LOG = 5,
    DATA_KINDS = 0x11,
    ACTION_ADD_HEADERS = 1,
    ACTION_COMPILE = 2,
    ACTION_ADD_LIBRARIES,
    ACTION_LINK,
    ACTION_CODEGEN = 6,
    ACTION_LINK_EXECUTABLE = 9,
    OUT_OF_RESOURCES = 3 /* value of amd_comgr_status_t */
};

typedef uint64_t data_t, set_t, info_t; /* structs of one such member */
#define NOTHING UINT64_MAX              /* no handle */

/* FUNCTION(type, name, parameters): the functions of libamd_comgr that this file calls; an int of 0
 * means success */
#define FUNCTIONS(FUNCTION)                                                                        \
    FUNCTION(void, get_version, (size_t * major, size_t * minor))                                  \
    FUNCTION(int, get_data, (data_t, size_t *, char *))                                            \
    FUNCTION(int, get_data_name, (data_t, size_t *, char *))                                       \
    FUNCTION(int, create_data, (int kind, data_t *))                                               \
    FUNCTION(int, release_data, (data_t))                                                          \
    FUNCTION(int, action_info_get_isa_name, (info_t, size_t *, char *))                            \
    FUNCTION(int, action_info_get_language, (info_t, int *))                                       \
    FUNCTION(int, action_info_get_logging, (info_t, bool *))                                       \
    FUNCTION(int, action_info_get_option_list_count, (info_t, size_t *))                           \
    FUNCTION(int, action_info_get_option_list_item, (info_t, size_t, size_t *, char *))

/* FUNCTION(name, parameters, arguments, handle): the functions that read or change a set, a
 * description or a data object. Before each of them, the additions that use the handle and were put
 * off are executed; 0 stands for all additions. */
#define SETTLING(FUNCTION)                                                                         \
    FUNCTION(action_data_count, (set_t set, int kind, size_t *count), (set, kind, count),          \
             kind == DATA_LOG ? NOTHING : set)                                                     \
    FUNCTION(action_data_get_data, (set_t set, int kind, size_t index, data_t *data),              \
             (set, kind, index, data), kind == DATA_LOG ? NOTHING : set)                           \
    FUNCTION(data_set_add, (set_t set, data_t data), (set, data), set)                             \
    FUNCTION(data_set_remove, (set_t set, int kind), (set, kind), set)                             \
    FUNCTION(set_data, (data_t data, size_t size, const char *bytes), (data, size, bytes), 0)      \
    FUNCTION(set_data_name, (data_t data, const char *name), (data, name), 0)                      \
    FUNCTION(action_info_set_language, (info_t info, int language), (info, language), info)        \
    FUNCTION(action_info_set_options, (info_t info, const char *options), (info, options), info)   \
    FUNCTION(action_info_set_option_list, (info_t info, const char **options, size_t count),       \
             (info, options, count), info)                                                         \
    FUNCTION(action_info_set_logging, (info_t info, bool logging), (info, logging), info)

static struct {
    void *library;
    int (*act)(int action, info_t info, set_t from, set_t to);
    int (*set_isa_name)(info_t info, const char *name);
    int (*set_working_directory)(info_t info, const char *path);
    int (*destroy)(info_t info);
    int (*destroy_set)(set_t set);
#define FUNCTION(name, parameters, arguments, handle) int(*name) parameters;
    SETTLING(FUNCTION)
#undef FUNCTION
#define FUNCTION(type, name, parameters) type(*name) parameters;
    FUNCTIONS(FUNCTION)
#undef FUNCTION
    sg_compiled_key_t compiler; /* hash that identifies the compiler */
} comgr;

/* ---- what is put off ---- */

/* An action that is to add data to the set `to`, and the key of the data that it adds. HIP reads
 * the log of such an action at once, so the log is in the set already. The action needs its
 * description and the set `from` even after the program has destroyed them. */
typedef struct {
    int action;
    info_t info;
    set_t from, to; /* 0 in `to`: the entry is free */
    bool info_destroyed, from_destroyed;
    sg_compiled_key_t key;
} addition_t;

enum { ADDITIONS = 16 };
static addition_t additions[ADDITIONS];
static atomic_uint put_off; /* the number of entries in use */
static pthread_mutex_t additions_lock = PTHREAD_MUTEX_INITIALIZER;

/* False: all entries are in use. */
static bool put_off_addition(const addition_t *addition)
{
    size_t i = 0;
    pthread_mutex_lock(&additions_lock);
    while (i < ADDITIONS && additions[i].to)
        i++;
    if (i < ADDITIONS) additions[i] = *addition;
    if (i < ADDITIONS) put_off++;
    pthread_mutex_unlock(&additions_lock);
    return i < ADDITIONS;
}

/* end_addition(), make_up_for() and has() are called with the lock held. */
static void end_addition(addition_t *a)
{
    if (a->info_destroyed) comgr.destroy(a->info);
    if (a->from_destroyed) comgr.destroy_set(a->from);
    *a = (addition_t){0};
    put_off--;
}

/* Executes the action. Its caller has been told that it succeeded: if it fails now, the set stays
 * empty, and the action that reads the set fails. */
static void make_up_for(addition_t *a)
{
    comgr.data_set_remove(a->to, DATA_LOG);
    comgr.act(a->action, a->info, a->from, a->to);
    end_addition(a);
}

static bool has(const addition_t *a, uint64_t handle)
{
    return a->to && (!handle || handle == a->to || handle == a->from || handle == a->info);
}

static void settle(uint64_t handle)
{
    if (!atomic_load(&put_off)) return;
    pthread_mutex_lock(&additions_lock);
    for (addition_t *a = additions; a < additions + ADDITIONS; a++)
        if (has(a, handle)) make_up_for(a);
    pthread_mutex_unlock(&additions_lock);
}

/* Executes the additions to a set that is about to be read. */
static void fill(set_t set)
{
    if (!atomic_load(&put_off)) return;
    pthread_mutex_lock(&additions_lock);
    for (addition_t *a = additions; a < additions + ADDITIONS; a++)
        if (a->to && a->to == set) make_up_for(a);
    pthread_mutex_unlock(&additions_lock);
}

/* The key of the data that is to be added to the set; false if there is none. */
static bool key_of_added(set_t set, sg_compiled_key_t *key)
{
    bool found = false;
    pthread_mutex_lock(&additions_lock);
    for (const addition_t *a = additions; a < additions + ADDITIONS; a++)
        if (a->to && a->to == set) *key = a->key, found = true;
    pthread_mutex_unlock(&additions_lock);
    return found;
}

/* True if an addition still needs the description or set, which end_addition() destroys then. An
 * addition to a set that is destroyed is dropped. */
static bool destroyed_later(uint64_t handle)
{
    bool later = false;
    pthread_mutex_lock(&additions_lock);
    for (addition_t *a = additions; a < additions + ADDITIONS; a++) {
        if (!handle || !has(a, handle)) continue;
        if (a->to == handle)
            end_addition(a);
        else if (later) /* only one addition may destroy it in the end */
            make_up_for(a);
        else
            *(a->info == handle ? &a->info_destroyed : &a->from_destroyed) = later = true;
    }
    pthread_mutex_unlock(&additions_lock);
    return later;
}

static int destroy_set(set_t set)
{
    return destroyed_later(set) ? 0 : comgr.destroy_set(set);
}

#define FUNCTION(name, parameters, arguments, handle)                                              \
    static int settled_##name parameters                                                           \
    {                                                                                              \
        settle(handle);                                                                            \
        return comgr.name arguments;                                                               \
    }
SETTLING(FUNCTION)
#undef FUNCTION

/* ---- descriptions ---- */

/* libamd_comgr crashes if a text of a description is read that was not set. So results are cached
 * only for descriptions whose target was set through this file; and once any description has a
 * working directory, no more results are cached. */
static _Atomic info_t described[64];
static _Atomic bool elsewhere;

static void drop_description(info_t info)
{
    for (size_t i = 0; i < sizeof described / sizeof *described; i++) {
        info_t same = info;
        atomic_compare_exchange_strong(&described[i], &same, 0);
    }
}

static bool is_described(info_t info)
{
    bool found = false;
    for (size_t i = 0; i < sizeof described / sizeof *described; i++)
        found |= atomic_load(&described[i]) == info;
    return found && info && !atomic_load(&elsewhere);
}

static int set_isa_name(info_t info, const char *name)
{
    drop_description(info);
    settle(info);
    const int status = comgr.set_isa_name(info, name);
    for (size_t i = 0; status == 0 && name && *name && i < sizeof described / sizeof *described;
         i++) {
        info_t none = 0;
        if (atomic_compare_exchange_strong(&described[i], &none, info)) break;
    }
    return status;
}

static int set_working_directory(info_t info, const char *path)
{
    if (path && *path) atomic_store(&elsewhere, true);
    settle(info);
    return comgr.set_working_directory(info, path);
}

static int destroy(info_t info)
{
    drop_description(info);
    return destroyed_later(info) ? 0 : comgr.destroy(info);
}

/* ---- the identity of the compiler ---- */

/* Adds to the hash a library that takes part in an action: a new build of any is another
 * compiler. */
static int add_library(struct dl_phdr_info *info, size_t size, void *data)
{
    static const char *const parts[] = {"libamd_comgr", "libLLVM", "libclang", "liblld"};
    struct stat st;
    (void)size;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!info->dlpi_name || !strstr(info->dlpi_name, parts[i])) continue;
        if (stat(info->dlpi_name, &st) != 0) return 1;
        const uint64_t facts[] = {(uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec,
                                  (uint64_t)st.st_mtim.tv_nsec};
        sg_compiled_add(data, facts, sizeof facts);
        sg_compiled_add(data, info->dlpi_name, strlen(info->dlpi_name) + 1);
        return 0;
    }
    return 0;
}

static sg_compiled_key_t hash(const sg_compiled_bytes_t *b)
{
    const XXH128_hash_t h = XXH3_128bits(b->bytes, b->size);
    return (sg_compiled_key_t){h.low64, h.high64};
}

static bool hash_compiler(void)
{
    sg_compiled_bytes_t facts = {0};
    bool good = dl_iterate_phdr(add_library, &facts) == 0 && facts.size && !facts.bad;
    if (good) comgr.compiler = hash(&facts);
    free(facts.bytes);
    return good;
}

/* ---- inputs ---- */

/* Appends the result of `get`, a text or contents: first its size, then its bytes. */
#define ADD_SIZED(b, get, ...)                                                                     \
    do {                                                                                           \
        size_t bytes = 0;                                                                          \
        if (get(__VA_ARGS__, &bytes, NULL) != 0) return false;                                     \
        const uint64_t size = bytes;                                                               \
        sg_compiled_add(b, &size, sizeof size);                                                    \
        char *to = sg_compiled_more(b, bytes);                                                     \
        if (!to || get(__VA_ARGS__, &bytes, to) != 0) return false;                                \
    } while (0)

/* Whether the source, whose text begins at `at` in `b`, may include another file. */
static bool includes(const sg_compiled_bytes_t *b, size_t at)
{
    static const char *const words[] = {"include",  "embed",    "import",
                                        "__FILE__", "__DATE__", "__TIME"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(b->bytes + at, b->size - at, words[i], strlen(words[i]))) return true;
    return false;
}

/* Which data objects of a set. */
typedef enum { INPUTS, LOGS, RESULTS } part_t;

/* Appends the data objects of a set, or a part of them. False: memory has run out, or a source
 * includes another file. Logs of earlier actions are no inputs. */
static bool add_set(sg_compiled_bytes_t *b, set_t set, part_t part)
{
    for (int kind = 1; kind < DATA_KINDS; kind++) {
        size_t count = 0;
        if (part != RESULTS && (kind == DATA_LOG) != (part == LOGS)) continue;
        if (comgr.action_data_count(set, kind, &count) != 0)
            continue; /* this version does not have the kind */
        for (size_t i = 0; i < count; i++) {
            data_t data;
            const uint64_t which = (uint64_t)kind;
            if (comgr.action_data_get_data(set, kind, i, &data) != 0) return false;
            sg_compiled_add(b, &which, sizeof which);
            size_t at = b->size;
            /* the set's own reference keeps the object while it is read */
            comgr.release_data(data);
            ADD_SIZED(b, comgr.get_data_name, data);
            ADD_SIZED(b, comgr.get_data, data);
            if (kind == DATA_SOURCE && includes(b, at)) return false;
        }
    }
    return !b->bad;
}

/* Whether the option may make the compiler read or write a file of its own. */
static bool names_file(const char *option)
{
    static const char *const words[] = {"-I",        "-i", "@",           "-F",      "-B",
                                        "--sysroot", "-M", "-save-temps", "-fmodule"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(option, words[i], strlen(words[i])) == 0) return true;
    return false;
}

static bool add_info(sg_compiled_bytes_t *b, info_t info, int language)
{
    bool logging = false;
    size_t options = 0;
    if (comgr.action_info_get_logging(info, &logging) != 0 ||
        comgr.action_info_get_option_list_count(info, &options) != 0)
        return false;
    const uint64_t numbers[] = {(uint64_t)language, logging, options};
    sg_compiled_add(b, numbers, sizeof numbers);
    ADD_SIZED(b, comgr.action_info_get_isa_name, info);
    for (size_t i = 0; i < options; i++) {
        const size_t at = b->size + sizeof(uint64_t);
        ADD_SIZED(b, comgr.action_info_get_option_list_item, info, i);
        if (names_file(b->bytes + at)) return false;
    }
    return !b->bad;
}

/* ---- results ---- */

static bool is_empty(set_t set)
{
    for (int kind = 1; kind < DATA_KINDS; kind++) {
        size_t count = 0;
        if (comgr.action_data_count(set, kind, &count) == 0 && count) return false;
    }
    return true;
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

/* A data object in the form in which add_set() writes it. */
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
    return kept->kind < DATA_KINDS && kept->name[kept->name_bytes - 1] == '\0';
}

static bool add_kept(set_t set, const kept_t *kept)
{
    data_t data;
    if (comgr.create_data((int)kept->kind, &data) != 0) return false;
    /* set_data() refuses 0 bytes, and HIP reads an empty log like a text */
    const uint64_t bytes = kept->bytes ? kept->bytes : 1;
    bool good = comgr.set_data(data, bytes, kept->bytes ? kept->contents : "") == 0 &&
                comgr.set_data_name(data, kept->name) == 0 && comgr.data_set_add(set, data) == 0;
    comgr.release_data(data);
    return good;
}

/* Adds the cached results of the key to the set. False: there are none, and the set is unchanged.
 * *status is the action's status. */
static bool use_kept(sg_compiled_key_t key, set_t to, int *status)
{
    size_t size;
    char *bytes = sg_compiled_read(key, &size);
    const char *at = bytes, *end = bytes ? bytes + size : NULL;
    kept_t kept;
    bool whole = bytes;
    while (whole && at < end)
        whole = take_kept(&at, end, &kept);
    *status = 0;
    for (at = bytes; whole && *status == 0 && at < end;)
        *status = take_kept(&at, end, &kept) && add_kept(to, &kept) ? 0 : OUT_OF_RESOURCES;
    free(bytes);
    return whole;
}

/* Whether the action adds headers or libraries, which are part of the compiler. */
static bool is_addition(int action)
{
    return action == ACTION_ADD_HEADERS || action == ACTION_ADD_LIBRARIES;
}

/* Whether the action's results are cached: those of compiling, linking and generating code for
 * HIP's own kernels, which are written in OpenCL C. Steps after linking do not name the language,
 * so they count as steps of the code that the thread has linked last. Results of compiling HIP's
 * language are not cached: its callers read logs byte by byte, see add_kept(). */
static bool is_cached(int action, int language)
{
    static _Thread_local bool own;
    const bool opencl = language == LANGUAGE_OPENCL_1_2 || language == LANGUAGE_OPENCL_2_0;
    if (action == ACTION_COMPILE || action == ACTION_LINK) return own = opencl;
    if (is_addition(action)) return opencl;
    return (action == ACTION_CODEGEN || action == ACTION_LINK_EXECUTABLE) && own;
}

/* The key of an action whose results are cached; false if they are not. */
static bool key_of(int action, info_t info, set_t from, set_t to, sg_compiled_key_t *key)
{
    int language = 0;
    if (!is_described(info) || comgr.action_info_get_language(info, &language) != 0 ||
        !is_cached(action, language) || !is_empty(to))
        return false;
    sg_compiled_bytes_t inputs = {0};
    const uint64_t which = (uint64_t)action;
    sg_compiled_key_t added;
    sg_compiled_add(&inputs, &comgr.compiler, sizeof comgr.compiler);
    sg_compiled_add(&inputs, &which, sizeof which);
    bool known = add_info(&inputs, info, language);
    if (known && !is_addition(action) && key_of_added(from, &added)) {
        sg_compiled_add(&inputs, &(const uint64_t){0}, sizeof(uint64_t)); /* is no kind of data */
        sg_compiled_add(&inputs, &added, sizeof added);
    } else {
        fill(from);
        known = known && add_set(&inputs, from, INPUTS);
    }
    known = known && !inputs.bad;
    if (known) *key = hash(&inputs);
    free(inputs.bytes);
    return known;
}

static void empty(set_t set)
{
    for (int kind = 1; kind < DATA_KINDS; kind++)
        comgr.data_set_remove(set, kind); /* an error: this version does not have the kind */
}

/* Whether the results of the action are cached: its set then has them; of an addition the logs. */
static bool is_kept(const addition_t *a, int *result)
{
    if (!use_kept(a->key, a->to, result)) return false;
    if (!is_addition(a->action) || *result != 0 || put_off_addition(a)) return true;
    empty(a->to);
    return false;
}

static int act(int action, info_t info, set_t from, set_t to)
{
    int result;
    addition_t asked = {.action = action, .info = info, .from = from, .to = to};
    settle(to);
    const bool known = key_of(action, info, from, to, &asked.key), adds = is_addition(action);
    if (known && is_kept(&asked, &result)) return result;
    fill(from);
    sg_compiled_bytes_t results = {0};
    result = comgr.act(action, info, from, to);
    const bool good = known && result == 0 && add_set(&results, to, adds ? LOGS : RESULTS);
    if (good) sg_compiled_write(asked.key, results.bytes, results.size);
    free(results.bytes);
    if (!good || !adds) return result;
    /* The action that reads the set must have the same key as in the next process. */
    empty(to);
    return is_kept(&asked, &result) ? result : comgr.act(action, info, from, to);
}

/* ---- the replacement ---- */

/* Whether variables are set that make the compiler print, or write files. */
static bool has_variables(void)
{
    for (char **v = environ; v && *v; v++)
        if (strncmp(*v, "AMD_COMGR_", 10) == 0) return true;
    return false;
}

static const struct {
    const char *name;
    void *real; /* where to store the compiler's own function */
    void (*stand_in)(void);
} functions[] = {
    {"amd_comgr_do_action", &comgr.act, (void (*)(void))act},
    {"amd_comgr_action_info_set_isa_name", &comgr.set_isa_name, (void (*)(void))set_isa_name},
    {"amd_comgr_action_info_set_working_directory_path", &comgr.set_working_directory,
     (void (*)(void))set_working_directory},
    {"amd_comgr_destroy_action_info", &comgr.destroy, (void (*)(void))destroy},
    {"amd_comgr_destroy_data_set", &comgr.destroy_set, (void (*)(void))destroy_set},
#define FUNCTION(name, parameters, arguments, handle)                                              \
    {"amd_comgr_" #name, &comgr.name, (void (*)(void))settled_##name},
    SETTLING(FUNCTION)
#undef FUNCTION
};

static bool look_up(sg_compiled_find_t *find, void *library, const char *name, void *slot)
{
    void *address = find(library, name);
    memcpy(slot, &address, sizeof address);
    return address;
}

static bool load(sg_compiled_find_t *find, void *library)
{
    if (has_variables() || !sg_compiled_open()) return false;
    const struct {
        const char *name;
        void *slot;
    } others[] = {
#define FUNCTION(type, name, parameters) {"amd_comgr_" #name, &comgr.name},
        FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    bool all = true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        all &= look_up(find, library, others[i].name, others[i].slot);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        all &= look_up(find, library, functions[i].name, functions[i].real);
    size_t major = 0, minor;
    if (all) comgr.get_version(&major, &minor);
    if (major != VERSION) return false;
    comgr.library = library;
    return hash_compiler();
}

void *sg_compiled_function(sg_compiled_find_t *find, void *library, const char *name,
                           void *function)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool tried, good;
    size_t which = 0;
    while (which < sizeof functions / sizeof *functions && strcmp(functions[which].name, name) != 0)
        which++;
    if (which == sizeof functions / sizeof *functions) return function;
    pthread_mutex_lock(&lock);
    if (!tried) good = load(find, library);
    tried = true;
    if (good && comgr.library == library)
        memcpy(&function, &functions[which].stand_in, sizeof function);
    pthread_mutex_unlock(&lock);
    return function;
}
