/* identity.c - which compiler HIP would open, without opening it.
 *
 * The folder of cached results has a record of the files of which the compiler consisted when it
 * was opened last, for the same folders to search and the same loader's cache. As long as these
 * files are the same, it is the same compiler. */
#include "base/file.h"
#include "base/log.h"
#include "base/symbol.h"
#include "base/text.h"
#include "softgpu/compiled/key.h"
#include "softgpu/compiled/objects.h"
#include "softgpu/profile/options.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "libamd_comgr.so.2"
enum {
    NEWEST_MINOR = 4 /* of ROCm 5.2, with which this was tested; functions.h has all of them */
};

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

/* ---- files ---- */

/* Whether a file of this name takes part in an action: a new build of any is another compiler. */
static bool is_part(const char *name)
{
    static const char *const parts[] = {"libamd_comgr", "libLLVM", "libclang", "liblld"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (base_begins_with(name, parts[i])) return true;
    return false;
}

enum { NUMBERS = 6 };

/* Appends what tells one state of a file from another, and its path. False: there is no such file.
 */
static bool add_file(sg_compiled_bytes_t *facts, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) return false;
    const uint64_t numbers[NUMBERS] = {
        (uint64_t)st.st_size,         (uint64_t)st.st_ino,         (uint64_t)st.st_mtim.tv_sec,
        (uint64_t)st.st_mtim.tv_nsec, (uint64_t)st.st_ctim.tv_sec, (uint64_t)st.st_ctim.tv_nsec,
    };
    sg_compiled_add(facts, numbers, sizeof numbers);
    sg_compiled_add(facts, path, strlen(path) + 1);
    return true;
}

/* Appends a loaded library that takes part in an action. Not 0: what it is depends on the folder in
 * which the process runs, or its file is gone. */
static int add_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    if (!info->dlpi_name || !is_part(base_last_part(info->dlpi_name))) return 0;
    return *info->dlpi_name == '/' && add_file(data, info->dlpi_name) ? 0 : 1;
}

static bool add_loaded(sg_compiled_bytes_t *facts)
{
    return dl_iterate_phdr(add_library, facts) == 0 && !facts->bad;
}

/* Whether the files of the facts are as they were; *path is that of libamd_comgr. */
static bool are_same(const char *facts, size_t size, const char **path)
{
    const size_t numbers = NUMBERS * sizeof(uint64_t);
    const char *at = facts, *end = facts + size;
    sg_compiled_bytes_t now = {0};
    bool same = true;
    *path = NULL;
    while (same && at < end) {
        const char *name = (size_t)(end - at) > numbers ? at + numbers : end;
        same = memchr(name, '\0', (size_t)(end - name)) && *name == '/' && add_file(&now, name);
        if (!same) break;
        if (!*path && base_begins_with(base_last_part(name), "libamd_comgr.so")) *path = name;
        at = name + strlen(name) + 1;
    }
    same = same && *path && now.size == size && memcmp(now.bytes, facts, size) == 0;
    free(now.bytes);
    return same;
}

void *sg_compiler_open(void)
{
    sg_compiled_bytes_t facts = {0};
    if (compiler.library) return compiler.library;
    compiler.library = dlopen(compiler.path, RTLD_LAZY);
    /* files may have been replaced since the record was read */
    const bool known = add_loaded(&facts);
    const sg_compiled_key_t now = sg_key_of(facts.bytes, facts.size);
    if (!known || !sg_key_equal(now, compiler.key)) sg_compiled_close();
    free(facts.bytes);
    return compiler.library;
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

/* How many folders are searched before the loader's cache. The loader's own folders are the last,
 * and each is there once: the same name before them was given. */
static size_t count_given(const Dl_serinfo *all)
{
    static const char *const own[] = {
        "/lib",     "/lib/x86_64-linux-gnu",     "/lib64",
        "/usr/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64",
    };
    enum { OWN = sizeof own / sizeof *own };
    bool seen[OWN] = {false};
    size_t count = all->dls_cnt;
    for (; count; count--) {
        size_t i = 0;
        while (i < OWN && strcmp(own[i], all->dls_serpath[count - 1].dls_name) != 0)
            i++;
        if (i == OWN || seen[i]) break;
        seen[i] = true;
    }
    return count;
}

/* Appends which files in the folder may become parts of a compiler, in whatever order the folder
 * has them. Nothing else in it counts: the program may write there at every start. */
static void add_parts(sg_compiled_bytes_t *facts, const char *folder)
{
    uint64_t sum = 0;
    DIR *dir = base_file_folder(folder);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (is_part(e->d_name)) sum += sg_checksum(e->d_name, strlen(e->d_name));
    if (dir) closedir(dir);
    sg_compiled_add(facts, &sum, sizeof sum);
}

/* Sets compiler.path to the path or name of the file that dlopen() opens for the caller, and
 * appends to `facts` on what that depends. False: it is not known. */
static bool search(struct link_map *caller, sg_compiled_bytes_t *facts)
{
    Dl_serinfo *all = folders_of(caller);
    if (!all) return false;
    const size_t given = count_given(all);
    bool known = given < all->dls_cnt;
    *compiler.path = '\0';
    for (size_t i = 0; i < all->dls_cnt; i++) {
        const char *folder = all->dls_serpath[i].dls_name;
        const char here = is_in_folder(folder, NAME);
        sg_compiled_add(facts, folder, strlen(folder) + 1);
        sg_compiled_add(facts, &here, sizeof here);
        if (i >= given) continue;
        add_parts(facts, folder);
        if (is_in_folder(folder, "glibc-hwcaps")) known = false;
        if (!here || *compiler.path) continue;
        snprintf(compiler.path, sizeof compiler.path, "%s/" NAME, folder);
        if (*folder != '/') known = false; /* the process may go to another folder */
    }
    free(all);
    if (!*compiler.path) strcpy(compiler.path, NAME);
    sg_compiled_add(facts, compiler.path, strlen(compiler.path) + 1);
    add_file(facts, "/etc/ld.so.cache");
    return known && !facts->bad;
}

/* Whether the process has a libamd_comgr, which dlopen() would return wherever it came from. */
static bool is_loaded(void)
{
    void *library = dlopen(NAME, RTLD_LAZY | RTLD_NOLOAD);
    if (library) dlclose(library);
    return library;
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
        compiler.key = sg_key_of(facts.bytes, facts.size);
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
    compiler.library = dlopen(compiler.path, RTLD_LAZY);
    if (!compiler.library || !base_symbol(compiler.library, "amd_comgr_get_version", &version))
        return false;
    version(&major, &minor);
    compiler.minor = minor;
    sg_compiled_bytes_t record = {0}, facts = {0};
    const bool good = add_loaded(&facts) && facts.size && major == SG_COMPILER_MAJOR;
    if (good) {
        compiler.key = sg_key_of(facts.bytes, facts.size);
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
        if (base_begins_with(*v, "AMD_COMGR_")) return true;
    return false;
}

static bool find(struct link_map *caller)
{
    sg_compiled_bytes_t loaded = {0}, facts = {0};
    if (has_variables() || is_loaded() || !sg_compiled_open()) return false;
    /* parts of a compiler that the program has loaded itself may become parts of this one */
    const bool alone = add_loaded(&loaded) && !loaded.size;
    free(loaded.bytes);
    bool good = search(caller, &facts);
    if (good) {
        const sg_compiled_key_t key = sg_key_of(facts.bytes, facts.size);
        good = (alone && read_record(key)) || open_and_record(alone ? &key : NULL);
    }
    free(facts.bytes);
    return good && compiler.minor <= NEWEST_MINOR;
}

bool softgpu_comgr_stands_in(const void *caller, bool has_stderr)
{
    enum { UNKNOWN, BUSY, NO, YES };
    static atomic_int answer = UNKNOWN;
    int before = UNKNOWN;
    Dl_info info;
    void *map = NULL;
    if (!dladdr1(caller, &info, &map, RTLD_DL_LINKMAP) || !map) return false;
    /* no lock, which a child of a process with several threads could find held for ever */
    if (!atomic_compare_exchange_strong(&answer, &before, BUSY)) return before == YES;
    base_log_init("softgpu", sg_options[SG_OPTION_LOG].variable);
    if (!has_stderr) base_log_set_stderr(false);
    const bool good = find(map);
    atomic_store(&answer, good ? YES : NO);
    return good;
}
