/* sarif_file.h - the SARIF document of a run as a file. The file is a whole document at any time,
 * even if processes are killed.
 *
 * The document has a line for each process and for each finding. A process that reports a finding
 * reads the file, replaces its own earlier lines, and renames a new file over it. The launcher
 * makes the first file. This header needs no part of the device. */
#ifndef SOFTGPU_CHECK_SARIF_FILE_H
#define SOFTGPU_CHECK_SARIF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CHK_SARIF_ROOT "%SRCROOT%"

/* The lines of one program. A process that executes another program counts as two. */
typedef struct {
    const char *mark;       /* members that mark the lines of this program: */
    const char *invocation; /* begins with CHK_SARIF_LINE and the mark, */
    const char *results;    /* and so does each of these lines, with a comma between two */
} chk_sarif_lines_t;

#define CHK_SARIF_LINE "{\"properties\":{"

/* Writes a document without findings, which replaces any existing file; its paths are relative to
 * the current folder. False with errno, and the file is unchanged; ENOTSUP: it is no regular
 * file. */
bool chk_sarif_begin(const char *name);

/* Replaces this program's lines; makes the document if there is none. False with errno, and the
 * file is unchanged; EEXIST: the file is no SARIF document of the checker. */
bool chk_sarif_replace(const char *name, const chk_sarif_lines_t *lines);

/* The folder that the document's paths are relative to, with a slash at its end: as the document
 * says, or the current one; "" if unknown. */
void chk_sarif_root(const char *name, char *root, size_t room);

/* Writes a path, escaped as in a URI. */
void chk_sarif_put_path(FILE *f, const char *path);

#endif
