/* run.c - see run.h. The variables are copied as they are: only the readers of a setting interpret
 * its value. */
#include "trace/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "trace/store.h"

struct trace_run {
    size_t count;
    char **lines;
};

static void write_line(FILE *f, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", f);
        else if (*text == '\\')
            fputs("\\\\", f);
        else
            fputc(*text, f);
    }
    fputc('\n', f);
}

int trace_run_write(const char *directory)
{
    char path[PATH_MAX];
    trace_join(path, sizeof(path), directory, TRACE_RUN_FILE);
    int fd = base_file_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (!f) {
        if (fd >= 0) close(fd);
        return -1;
    }
    base_file_limit_t limit;
    base_file_limit_begin(&limit, false);
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, "ROCPROF_", 8) == 0) write_line(f, *variable);
    int failed = ferror(f);
    if (fclose(f) != 0) failed = 1;
    base_file_limit_end(&limit);
    return failed ? -1 : 0;
}

int trace_run_add(const char *directory, const char *name, const char *value)
{
    char path[PATH_MAX], *line = NULL;
    trace_join(path, sizeof(path), directory, TRACE_RUN_FILE);
    const int bytes = asprintf(&line, "%s=%s\n", name, value);
    if (bytes < 0) return -1;
    const int fd = base_file_open(path, O_WRONLY | O_APPEND | O_NOFOLLOW, 0);
    base_file_limit_t limit;
    base_file_limit_begin(&limit, false);
    const bool whole = fd >= 0 && write(fd, line, (size_t)bytes) == bytes;
    base_file_limit_end(&limit);
    const int error = errno;
    if (fd >= 0) close(fd);
    free(line);
    errno = error;
    return whole ? 0 : -1;
}

static void unescape(char *line)
{
    char *to = line;
    for (; *line && *line != '\n'; line++) {
        if (*line == '\\' && line[1]) {
            line++;
            *to++ = *line == 'n' ? '\n' : *line;
        } else {
            *to++ = *line;
        }
    }
    *to = 0;
}

trace_run_t *trace_run_read(const char *directory)
{
    char path[PATH_MAX], *line = NULL;
    size_t room = 0;
    trace_join(path, sizeof(path), directory, TRACE_RUN_FILE);
    trace_run_t *run = calloc(1, sizeof(*run));
    int fd = run ? base_file_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0) : -1;
    FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
    if (!f) {
        if (fd >= 0) close(fd);
        goto fail;
    }
    while (getline(&line, &room, f) >= 0) {
        unescape(line);
        if (!base_add_text(&run->lines, &run->count, line)) goto fail;
    }
    if (!feof(f)) goto fail; /* getline() has failed, for lack of memory for example */
    free(line);
    fclose(f);
    return run;
fail:
    free(line);
    if (f) fclose(f);
    trace_run_free(run);
    return NULL;
}

const char *trace_run_value(const void *run, const char *name)
{
    const trace_run_t *r = run;
    size_t bytes = strlen(name);
    for (size_t i = 0; i < r->count; i++)
        if (strncmp(r->lines[i], name, bytes) == 0 && r->lines[i][bytes] == '=')
            return r->lines[i] + bytes + 1;
    return NULL;
}

void trace_run_free(trace_run_t *run)
{
    if (!run) return;
    for (size_t i = 0; i < run->count; i++)
        free(run->lines[i]);
    free(run->lines);
    free(run);
}
