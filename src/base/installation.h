/* installation.h - the folder of the installation to which the running code belongs.
 *
 * An installation may be moved, so no path is built in: all paths are derived from the file of the
 * running code. This is the only place that knows the layout of bin, lib and the folders beside
 * them. */
#ifndef CROCPROF_BASE_INSTALLATION_H
#define CROCPROF_BASE_INSTALLATION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The characters that separate the words of LD_PRELOAD, which has no quoting. */
#define BASE_PRELOAD_SEPARATORS " \t\n:"

/* Sets `path` to that of the running program: from /proc, or, if there is no /proc, from the name
 * by which the program was started. Returns false with errno on failure. */
bool base_program_path(char path[PATH_MAX]);

/* For programs: sets `root` to the parent of the program's folder, which is bin. If its path has
 * blanks or colons, `root` is another path to the same folder, see below. Returns false with a line
 * in `why` on failure. */
bool base_installation(char root[PATH_MAX], char *why, size_t why_bytes);

/* Libraries are preloaded by path, and LD_PRELOAD takes no path with blanks or colons. Such a path
 * is replaced by that of a symbolic link to it in a folder for temporary files. The link is made if
 * it does not exist, and is never removed: processes that outlive the program may start others that
 * need it. Only a link that belongs to this user is used. `root` is not changed if no link can be
 * made. */
void base_plain_path(char root[PATH_MAX]);

/* dlopen, lazily and locally, of another project's library that is not linked. A bundle has copies
 * of such libraries in lib/crocprof, under names that no program loads: these are tried first, so
 * that the program still gets the system's library by `name`. Returns NULL if there is no such
 * library. */
void *base_outside(const char *name);

#endif
