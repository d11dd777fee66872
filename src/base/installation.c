/* installation.c - see installation.h. */
#include "base/installation.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

bool base_program_path(char path[PATH_MAX])
{
    const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (n > 0) {
        path[n] = 0;
        return true;
    }
    const char *started = (const char *)getauxval(AT_EXECFN);
    return started && realpath(started, path);
}

bool base_installation(char root[PATH_MAX], char *why, size_t why_bytes)
{
    if (!base_program_path(root)) {
        snprintf(why, why_bytes, "cannot find the installation: /proc/self/exe: %s",
                 strerror(errno));
        return false;
    }
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(root, '/');
        if (slash) *slash = 0;
    }
    base_plain_path(root);
    return true;
}

/* ---- a path without blanks ---- */

enum { LINKS_MOST = 8 }; /* most names to try while other users have them */

/* Returns whether no other user can replace a link in this folder. */
static bool is_safe(const char *folder)
{
    struct stat st;
    if (folder[strcspn(folder, BASE_PRELOAD_SEPARATORS)] || *folder != '/' ||
        stat(folder, &st) != 0)
        return false;
    const bool alone =
        !(st.st_mode & (S_IWGRP | S_IWOTH)) && (st.st_uid == geteuid() || st.st_uid == 0);
    return S_ISDIR(st.st_mode) && (alone || (st.st_mode & S_ISVTX));
}

/* Returns whether the link exists, belongs to this user and leads to `root`; makes the link if the
 * name is free. */
static bool make_link(const char *link, const char *root)
{
    char target[PATH_MAX];
    struct stat st;
    if (symlink(root, link) == 0) return true;
    if (errno != EEXIST || lstat(link, &st) != 0 || !S_ISLNK(st.st_mode) || st.st_uid != geteuid())
        return false;
    const ssize_t n = readlink(link, target, sizeof(target) - 1);
    if (n < 0) return false;
    target[n] = 0;
    return strcmp(target, root) == 0;
}

void base_plain_path(char root[PATH_MAX])
{
    const char *const folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"};
    char link[PATH_MAX];
    if (!root[strcspn(root, BASE_PRELOAD_SEPARATORS)]) return;
    const uint32_t hash = base_hash(root, strlen(root));
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        if (!folders[i] || !is_safe(folders[i])) continue;
        for (unsigned j = 0; j < LINKS_MOST; j++) {
            const int n = snprintf(link, sizeof(link), "%s/crocprof-%u-%08" PRIx32 "-%u",
                                   folders[i], (unsigned)geteuid(), hash, j);
            if (n < PATH_MAX && make_link(link, root)) {
                memcpy(root, link, (size_t)n + 1);
                return;
            }
        }
    }
}

/* ---- libraries of other projects ---- */

/* Finds the file of the code that is running here. */
static bool find_own_file(char path[PATH_MAX])
{
    Dl_info info;
    struct link_map *map;
    if (!dladdr1((void *)(uintptr_t)find_own_file, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return false;
    /* the loader uses an empty name for the program itself */
    if (!*map->l_name) return base_program_path(path);
    snprintf(path, PATH_MAX, "%s", map->l_name);
    return true;
}

/* ORDER: seen from bin and lib, then from a folder below lib. */
static const char *const places[] = {"../lib/crocprof/crocprof-", "../crocprof/crocprof-"};

static void *open_bundled(const char *name)
{
    char own[PATH_MAX], path[2 * PATH_MAX];
    if (!find_own_file(own)) return NULL;
    const int folder = (int)(base_last_part(own) - own);
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        snprintf(path, sizeof(path), "%.*s%s%s", folder, own, places[i], name);
        if (access(path, F_OK) != 0) continue;
        void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
        if (library) return library;
    }
    return NULL;
}

void *base_outside(const char *name)
{
    void *library = open_bundled(name);
    return library ? library : dlopen(name, RTLD_LAZY | RTLD_LOCAL);
}
