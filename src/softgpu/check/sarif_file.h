/* sarif_file.h - the SARIF document of a run as a file: whole at any time, whoever is killed.
 *
 * A line for each process and for each finding. Whoever has something to say reads it, puts his own
 * lines in place of those he wrote before, and renames a new file over it. The launcher begins it.
 * Needs nothing of the device. */
#ifndef SOFTGPU_CHECK_SARIF_FILE_H
#define SOFTGPU_CHECK_SARIF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CHK_SARIF_ROOT "%SRCROOT%"

/* What a program has to say now: a process that becomes another program is two of them. */
typedef struct {
    const char *mark;       /* members that no other program's lines have: */
    const char *invocation; /* begins with CHK_SARIF_LINE and the mark, */
    const char *results;    /* as do these lines, with a comma before each but the first */
} chk_sarif_lines_t;

#define CHK_SARIF_LINE "{\"properties\":{"

/* A document in which nothing has been found, in place of whatever is there; paths in it are below
 * the current folder. False with errno, and the file is as it was; ENOTSUP: it is none. */
bool chk_sarif_begin(const char *name);

/* The same, with EEXIST for a file that holds something else; makes the document if there is none.
 */
bool chk_sarif_replace(const char *name, const chk_sarif_lines_t *lines);

/* The folder that the paths of the document are below, with a slash behind it: that of the one
 * which is there, or the current one; "": there is none. */
void chk_sarif_root(const char *name, char *root, size_t room);

/* A path as a part of a URI. */
void chk_sarif_put_path(FILE *f, const char *path);

#endif
