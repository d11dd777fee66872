/* front.c - the program rocprofv3. It becomes the program of a rank that --ranks plainly leaves out
 * (left_out.h); for everything else it becomes the launcher, libexec/rocprofv3, which is all of
 * rocprofv3 (rocprofv3.c) and does not know that this program was before it.
 *
 * It has no C library, whose start would take longer than all that is done here: front_library.c
 * has the few functions that it needs. Nothing is written but the stack. */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/driver.h"
#include "cli/front.h"
#include "cli/launch.h"
#include "cli/left_out.h"
#include "cli/search.h"

/* Seen from the folder of this program. */
#define LAUNCHER "../libexec/rocprofv3"

/* What the kernel has put on the stack of a new program. */
typedef struct {
    int argc;
    char **argv, **environment;
    const Elf64_auxv_t *more; /* ends with a row of type AT_NULL */
} start_t;

/* Returns a row of the kernel's; 0 if there is none of this type. */
static unsigned long find_row(const start_t *s, unsigned long type)
{
    for (const Elf64_auxv_t *row = s->more; row->a_type != AT_NULL; row++)
        if (row->a_type == type) return row->a_un.a_val;
    return 0;
}

/* Puts `file` in the place of the last part of `path`. Returns false if that is too long. */
static bool put_beside(char path[PATH_MAX], const char *file)
{
    size_t folder = strlen(path);
    const size_t bytes = strlen(file) + 1;
    while (folder && path[folder - 1] != '/')
        folder--;
    if (folder + bytes > PATH_MAX) return false;
    memcpy(path + folder, file, bytes);
    return true;
}

/* Follows the links that `path` is. */
static bool follow(char path[PATH_MAX])
{
    enum { LINKS_MOST = 40 }; /* as the kernel has it */
    char target[PATH_MAX];
    for (int i = 0; i < LINKS_MOST; i++) {
        const ssize_t bytes = readlink(path, target, sizeof(target) - 1);
        if (bytes < 0) return true;
        target[bytes] = 0;
        if (*target == '/')
            memcpy(path, target, (size_t)bytes + 1);
        else if (!put_beside(path, target))
            return false;
    }
    return false;
}

/* Finds the launcher from the file of this program: where /proc is not mounted, from the path by
 * which the program was started. */
static bool find_launcher(const start_t *s, char path[PATH_MAX])
{
    const ssize_t bytes = readlink("/proc/self/exe", path, PATH_MAX - 1);
    if (bytes > 0) {
        path[bytes] = 0;
        return put_beside(path, LAUNCHER);
    }
    const char *started = (const char *)find_row(s, AT_EXECFN);
    if (!started || strlen(started) >= PATH_MAX) return false;
    memcpy(path, started, strlen(started) + 1);
    return follow(path) && put_beside(path, LAUNCHER);
}

/* Returns only if the program cannot be executed. The launcher then says why. */
static void become(char **program, char **environment)
{
    char path[PATH_MAX];
    const char *places = cli_variable(environment, "PATH");
    if (cli_search(program[0], places, path, sizeof(path)) == CLI_SEARCH_FOUND)
        execve(path, program, environment);
}

/* Returns only if the launcher cannot be executed: the number of the system's error. */
static int hand_over(const start_t *s, char path[PATH_MAX])
{
    if (find_launcher(s, path)) return -execve(path, s->argv, s->environment);
    memcpy(path, LAUNCHER, sizeof(LAUNCHER));
    return ENOENT;
}

/* Returns a text for an error number. For a number that is not in the table, the text is written to
 * `number`. */
static const char *say(int error, char number[32])
{
    static const struct {
        int error;
        const char *words;
    } known[] = {{ENOENT, "the installation is incomplete"},
                 {EACCES, "permission denied"},
                 {E2BIG, "arguments and environment are too long"},
                 {ENOMEM, "there is no memory"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (known[i].error == error) return known[i].words;
    char digits[16];
    size_t used = sizeof("error ") - 1, count = 0;
    memcpy(number, "error ", used);
    for (; error > 0 && count < sizeof(digits); error /= 10)
        digits[count++] = (char)('0' + error % 10);
    while (count)
        number[used++] = digits[--count];
    number[used] = 0;
    return number;
}

static void complain(const char *path, int error)
{
    char line[PATH_MAX + 128], number[32];
    const char *const parts[] = {"rocprofv3: error: ", path,
                                 " cannot be started: ", say(error, number), "\n"};
    size_t used = 0;
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        memcpy(line + used, parts[i], strlen(parts[i]));
        used += strlen(parts[i]);
    }
    front_write(STDERR_FILENO, line, used);
}

void front_begin(long *stack)
{
    start_t s = {.argc = (int)*stack, .argv = (char **)(stack + 1)};
    char path[PATH_MAX];
    s.environment = s.argv + s.argc + 1;
    char **behind = s.environment;
    while (*behind)
        behind++;
    s.more = (const Elf64_auxv_t *)(behind + 1);
    /* a program with more rights than its caller ignores the caller's environment: env.h */
    char **program = find_row(&s, AT_SECURE) ? NULL : cli_left_out(s.argc, s.argv, s.environment);
    /* without a GPU the program would get the software GPU */
    if (program && access(BASE_DRIVER_DEVICE, F_OK) == 0) become(program, s.environment);
    complain(path, hand_over(&s, path));
    front_exit(CLI_EXIT_SETUP);
}
