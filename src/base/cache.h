/* cache.h - folders of files on disk that can be made anew: results of compilers.
 *
 * Processes may use a folder at the same time, and may be killed while they do: a file has its name
 * only once it is whole, and whoever reads it checks it. Only the user may write in the folder, and
 * only files of the user's own are read. */
#ifndef CROCPROF_BASE_CACHE_H
#define CROCPROF_BASE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/* The folder `below` in that for caches by the XDG rules: $XDG_CACHE_HOME or ~/.cache. False: there
 * is no such folder, or its path is longer than `bytes` - 1. */
bool base_cache_path(char *path, size_t bytes, const char *below);

/* Makes the folder and missing folders above it, with access for the user only. False: it cannot be
 * made, it is another user's, or its mode has one of the bits `forbidden`. The path is absolute; it
 * is as before when the function returns. */
bool base_cache_open(char *folder, mode_t forbidden);

/* Returns the contents of the file of this name, as base_file_read() does. NULL also if it is a
 * link or no regular file, another user's, or one that others may write. */
char *base_cache_read(const char *folder, const char *name, size_t most, size_t *size);

/* Marks the file as used now, for base_cache_trim(). */
void base_cache_touch(const char *folder, const char *name);

/* Writes the parts to a file of this name, in place of one that has it. No failure is reported: the
 * file is then missing, or the old one. Returns whether it was written. */
bool base_cache_write(const char *folder, const char *name, const struct iovec *parts, int n);

/* If the files with `suffix` in their names have more than `most` bytes together, removes those
 * that were used first, by the times of their last change, until they have `leave` at most. Files
 * that a killed process has not finished count as well. Returns the bytes that are left. */
uint64_t base_cache_trim(const char *folder, const char *suffix, uint64_t most, uint64_t leave);

#endif
