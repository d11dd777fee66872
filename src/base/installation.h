/* installation.h - the folder of the installation that the running code is of.
 *
 * Apart because an installation may be moved: no path is built in, all are found from where the
 * code lies. The one place that knows how bin, lib and what is beside them hang together. */
#ifndef CROCPROF_BASE_INSTALLATION_H
#define CROCPROF_BASE_INSTALLATION_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* What separates the words of LD_PRELOAD, where nothing can be quoted. */
#define BASE_PRELOAD_SEPARATORS " \t\n:"

/* For programs: the folder above that of this program, which is bin. If its path has blanks or
 * colons, a path without them that leads there, see below. False with a line in `why`. */
bool base_installation(char root[PATH_MAX], char *why, size_t why_bytes);

/* Libraries are preloaded by path, and LD_PRELOAD takes no path with blanks or colons. Such a path
 * is replaced by that of a symbolic link to it in a folder for temporary files. The link is made if
 * it is not there, and is not removed: processes that outlive the program may still start others.
 * The link is the user's own; that of somebody else is not used. `root` remains as it is if no link
 * can be made. */
void base_plain_path(char root[PATH_MAX]);

/* dlopen, lazily and locally, of another project's library that is not linked. A bundle has
 * libraries of its own, of names that no program asks for, in lib/crocprof: these first, so that
 * what the program gets by `name` remains the system's. NULL: there is none. */
void *base_outside(const char *name);

#endif
