/* folder.h - a folder of a fuzz target's own, in memory where the system has such, gone at the end.
 *
 * Included by the targets whose readers take files: one for a process, emptied after each input. */
#ifndef TESTS_FUZZ_FOLDER_H
#define TESTS_FUZZ_FOLDER_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[64];

static int folder_remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    return at->level ? remove(path) : 0;
}

/* What is below a path goes, the path itself stays. */
static void folder_clear(const char *path)
{
    nftw(path, folder_remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void folder_leave(void)
{
    folder_clear(folder);
    rmdir(folder);
}

static void folder_make(void)
{
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof(folder), "%s/fuzz-XXXXXX", base);
    if (!mkdtemp(folder) || atexit(folder_leave) != 0) abort();
}

#endif
