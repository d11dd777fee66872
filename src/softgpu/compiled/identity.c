/* identity.c - which compiler HIP would open, without opening it.
 *
 * The folder of cached results has a record of the files of which the compiler consisted when it
 * was opened last, for the same folders to search and the same loader's cache. As long as these
 * files are the same, it is the same compiler. */
#include "base/file.h"
#include "base/log.h"
#include "softgpu/compiled/objects.h"
#include "softgpu/profile/options.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "libamd_comgr.so.2"
enum { NEWEST_MINOR = 8 /* functions.h has all functions up to this version */ };

static struct {
    sg_compiled_key_t key;
    uint64_t minor;
    char path[PATH_MAX]; /* of libamd_comgr */
    void *library;       /* NULL: it has not been opened */
} compiler = {.path = NAME};

sg_compiled_key_t sg_compiler_key(void)
{
    return compiler.key;
}

size_t sg_compiler_minor(void)
{
    return compiler.minor;
}

void *sg_compiler_open(void)
{
    if (!compiler.library) compiler.library = dlopen(compiler.path, RTLD_LAZY);
    return compiler.library;
}

static sg_compiled_key_t hash(const sg_compiled_bytes_t *b)
{
    const XXH128_hash_t h = XXH3_128bits(b->bytes, b->size);
    return (sg_compiled_key_t){h.low64, h.high64};
}

/* ---- files ---- */

/* Appends what tells one state of a file or folder from another, and its path. False: there is no
 * such file. */
static bool add_file(sg_compiled_bytes_t *facts, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) return false;
    const uint64_t numbers[] = {(uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec,
                                (uint64_t)st.st_mtim.tv_nsec};
    sg_compiled_add(facts, numbers, sizeof numbers);
    sg_compiled_add(facts, path, strlen(path) + 1);
    return true;
}

/* Appends a loaded library that takes part in an action: a new build of any is another compiler. */
static int add_library(struct dl_phdr_info *info, size_t size, void *data)
{
    static const char *const parts[] = {"libamd_comgr", "libLLVM", "libclang", "liblld"};
    (void)size;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (info->dlpi_name && strstr(info->dlpi_name, parts[i]))
            return add_file(data, info->dlpi_name) ? 0 : 1;
    return 0;
}

/* Whether the files of the facts are as they were; *path is that of libamd_comgr. */
static bool are_same(const char *facts, size_t size, const char **path)
{
    enum { NUMBERS = 3 * sizeof(uint64_t) };
    const char *at = facts, *end = facts + size;
    sg_compiled_bytes_t now = {0};
    bool same = true;
    *path = NULL;
    while (same && at < end) {
        const char *name = end - at > NUMBERS ? at + NUMBERS : end;
        same = memchr(name, '\0', (size_t)(end - name)) && add_file(&now, name);
        if (!same) break;
        if (strstr(name, "libamd_comgr")) *path = name;
        at = name + strlen(name) + 1;
    }
    same = same && *path && now.size == size && memcmp(now.bytes, facts, size) == 0;
    free(now.bytes);
    return same;
}

/* ---- where it is searched ---- */

static bool is_in_folder(const char *folder, const char *name)
{
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

/* The folders that the loader searches for the caller; NULL: they are not known. */
static Dl_serinfo *folders_of(struct link_map *caller)
{
    Dl_serinfo size, *all;
    if (dlinfo(caller, RTLD_DI_SERINFOSIZE, &size) != 0) return NULL;
    all = calloc(1, size.dls_size);
    if (all && dlinfo(caller, RTLD_DI_SERINFOSIZE, all) == 0 &&
        dlinfo(caller, RTLD_DI_SERINFO, all) == 0)
        return all;
    free(all);
    return NULL;
}

/* The loader's own folders are the last; before them it looks into its cache. */
static size_t count_given(const Dl_serinfo *all)
{
    size_t count = all->dls_cnt;
    while (count && (strncmp(all->dls_serpath[count - 1].dls_name, "/lib", 4) == 0 ||
                     strncmp(all->dls_serpath[count - 1].dls_name, "/usr/lib", 8) == 0))
        count--;
    return count;
}

/* Sets compiler.path to the path or name of the file that dlopen() opens for the caller, and
 * appends to `facts` on what that depends. False: it is not known. */
static bool search(struct link_map *caller, sg_compiled_bytes_t *facts)
{
    Dl_serinfo *all = folders_of(caller);
    if (!all) return false;
    bool known = true;
    const size_t given = count_given(all);
    *compiler.path = '\0';
    for (size_t i = 0; i < all->dls_cnt; i++) {
        const char *folder = all->dls_serpath[i].dls_name;
        add_file(facts, folder);
        if (i >= given) continue;
        if (is_in_folder(folder, "glibc-hwcaps")) known = false;
        if (!*compiler.path && is_in_folder(folder, NAME))
            snprintf(compiler.path, sizeof compiler.path, "%s/" NAME, folder);
    }
    free(all);
    if (!*compiler.path) strcpy(compiler.path, NAME);
    sg_compiled_add(facts, compiler.path, strlen(compiler.path) + 1);
    add_file(facts, "/etc/ld.so.cache");
    return known && !facts->bad;
}

/* ---- the record ---- */

/* A record is the minor number of the version, and the facts about the files. */
static bool read_record(sg_compiled_key_t key)
{
    size_t size;
    const char *path;
    char *record = sg_compiled_read(key, &size);
    const bool good =
        record && size > sizeof compiler.minor &&
        are_same(record + sizeof compiler.minor, size - sizeof compiler.minor, &path) &&
        strlen(path) < sizeof compiler.path;
    if (good) {
        memcpy(&compiler.minor, record, sizeof compiler.minor);
        const sg_compiled_bytes_t facts = {.bytes = record + sizeof compiler.minor,
                                           .size = size - sizeof compiler.minor};
        compiler.key = hash(&facts);
        strcpy(compiler.path, path);
    }
    free(record);
    return good;
}

/* Opens the compiler, and writes a record of it if `key` is not NULL. */
static bool open_and_record(const sg_compiled_key_t *key)
{
    void (*version)(size_t *, size_t *);
    size_t major = 0, minor = 0;
    void *function = sg_compiler_open() ? dlsym(compiler.library, "amd_comgr_get_version") : NULL;
    if (!function) return false;
    memcpy(&version, &function, sizeof version);
    version(&major, &minor);
    compiler.minor = minor;
    sg_compiled_bytes_t record = {0}, facts = {0};
    bool good = major == SG_COMPILER_MAJOR && dl_iterate_phdr(add_library, &facts) == 0 &&
                facts.size && !facts.bad;
    if (good) {
        compiler.key = hash(&facts);
        sg_compiled_add(&record, &compiler.minor, sizeof compiler.minor);
        sg_compiled_add(&record, facts.bytes, facts.size);
        if (key && !record.bad) sg_compiled_write(*key, record.bytes, record.size);
    }
    free(facts.bytes);
    free(record.bytes);
    return good;
}

/* Whether variables are set that make the compiler print, or write files. */
static bool has_variables(void)
{
    for (char **v = environ; v && *v; v++)
        if (strncmp(*v, "AMD_COMGR_", 10) == 0) return true;
    return false;
}

static bool find(struct link_map *caller)
{
    sg_compiled_bytes_t loaded = {0}, facts = {0};
    if (has_variables() || !sg_compiled_open()) return false;
    /* parts of a compiler that the program has loaded itself may become parts of this one */
    const bool alone = dl_iterate_phdr(add_library, &loaded) == 0 && !loaded.size;
    free(loaded.bytes);
    bool good = search(caller, &facts);
    if (good) {
        const sg_compiled_key_t key = hash(&facts);
        good = (alone && read_record(key)) || open_and_record(alone ? &key : NULL);
    }
    free(facts.bytes);
    return good && compiler.minor <= NEWEST_MINOR;
}

bool softgpu_comgr_stands_in(const void *caller, bool has_stderr)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool tried, good;
    Dl_info info;
    void *map = NULL;
    if (!dladdr1(caller, &info, &map, RTLD_DL_LINKMAP) || !map || !info.dli_fname ||
        !strstr(info.dli_fname, "libamdhip64"))
        return false;
    pthread_mutex_lock(&lock);
    if (!tried) {
        base_log_init("softgpu", sg_options[SG_OPTION_LOG].variable);
        if (!has_stderr) base_log_set_stderr(false);
        good = find(map);
    }
    tried = true;
    pthread_mutex_unlock(&lock);
    return good;
}
