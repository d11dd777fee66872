/* session.c - see session.h. It prepares the program's run: directories, libraries, environment. */
#include "cli/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/installation.h"
#include "base/log.h"
#include "cli/gpu.h"
#include "cli/launch.h"
#include "output/config.h"
#include "output/file.h"
#include "trace/keys.h"
#include "trace/run.h"
#include "trace/store.h"

/* The libraries that may be preloaded. ORDER: LD_PRELOAD, after the software GPU's libraries. The
 * bridges register tables for a HIP or RCCL that does not register itself, and otherwise have no
 * effect. The marker library is for programs linked to an older one, which does not register. */
static const struct {
    const char *file;
    enum { ALWAYS, TRACE, MARKERS, RCCL, MPI } when;
} libraries[] = {
    {"lib/librocprofiler-hip-bridge.so", ALWAYS}, /* also for tools that the program brings */
    {"lib/librocprofiler-mpi-bridge.so", MPI},
    {"lib/librocprofiler-rccl-bridge.so", RCCL},
    {CLI_TOOL_LIBRARY, TRACE},
    {"lib/librocprofiler-sdk.so.1", TRACE},
    {"lib/librocprofiler-sdk-roctx.so.1", MARKERS},
    {"lib/librocprofiler-register.so.0", ALWAYS},
};

enum { LIBRARY_COUNT = sizeof(libraries) / sizeof(*libraries) };

/* The library has no path, because ROCr splits the list at blanks; it is preloaded, so its name is
 * enough. */
#define REGISTER_LIBRARY "librocprofiler-register.so.0"

#define KOKKOS_LIBRARY "lib/rocprofiler-sdk/librocprofiler-sdk-tool-kokkosp.so.1"

/* Makes the path of a library of the SDK, of which an installation may have several versions. */
static int name_library(const cli_session_t *s, const cli_command_t *c, const char *file,
                        char path[2 * PATH_MAX], char *why, size_t why_bytes)
{
    const char *version = c->values[CLI_SDK_VERSION];
    struct stat st;
    char target[PATH_MAX];
    if (!version) version = c->values[CLI_SDK_SOVERSION];
    trace_join(path, 2 * PATH_MAX, s->root, file);
    char *suffix = strstr(path + strlen(s->root), ".so.1");
    if (version && suffix)
        snprintf(suffix, 2 * PATH_MAX - (size_t)(suffix - path), ".so.%s", version);
    if (stat(path, &st) != 0) {
        snprintf(why, why_bytes, "%s: %s: %s", path, strerror(errno),
                 version && suffix ? "no such version is installed"
                                   : "the installation is incomplete");
        return -1;
    }
    ssize_t n = cli_is_on(c, CLI_READLINK) ? readlink(path, target, sizeof(target) - 1) : -1;
    if (cli_is_on(c, CLI_REALPATH) && realpath(path, target)) {
        snprintf(path, 2 * PATH_MAX, "%s", target);
    } else if (n > 0) {
        target[n] = 0;
        char *name = target[0] == '/' ? path : strrchr(path, '/') + 1;
        snprintf(name, 2 * PATH_MAX - (size_t)(name - path), "%s", target);
    }
    return 0;
}

static int append(char **list, const char *separator, const char *word)
{
    char *longer = NULL;
    int n = asprintf(&longer, "%s%s%s", *list ? *list : "", *list && **list ? separator : "", word);
    if (n < 0) return -1;
    free(*list);
    *list = longer;
    return 0;
}

/* Adds a library to LD_PRELOAD. Blanks and colons separate the list and cannot be quoted, so a path
 * must not contain them. */
static int add_library(cli_session_t *s, const cli_command_t *c, const char *file, char *why,
                       size_t why_bytes)
{
    char path[2 * PATH_MAX];
    if (name_library(s, c, file, path, why, why_bytes) != 0) return -1;
    if (strpbrk(path, BASE_PRELOAD_SEPARATORS)) {
        snprintf(why, why_bytes,
                 "%s: a library that is preloaded must have no blank or colon in "
                 "its path, and no link to it could be made in TMPDIR, /tmp, /var/tmp or /dev/shm: "
                 "install elsewhere",
                 path);
        return -1;
    }
    if (append(&s->preload, ":", path) == 0) return 0;
    snprintf(why, why_bytes, "%s", strerror(ENOMEM));
    return -1;
}

static int add_soft_gpu(cli_session_t *s, const cli_command_t *c, char *why, size_t why_bytes)
{
    for (const char *const *file = cli_soft_gpu_libraries(); *file; file++)
        if (add_library(s, c, *file, why, why_bytes) != 0) return -1;
    return 0;
}

static int make_preload(cli_session_t *s, const cli_command_t *c, bool soft, bool trace, char *why,
                        size_t why_bytes)
{
    const char *before = getenv("LD_PRELOAD"), *first = c->values[CLI_PRELOAD];
    if (!first) first = trace_setting_given(TRACE_SET_PRELOADED);
    s->preload = first ? strdup(first) : NULL;
    for (char *at = s->preload; at && *at; at++)
        if (*at == '\n') *at = ':';
    if ((first && !s->preload) || (before && *before && append(&s->preload, ":", before) != 0)) {
        snprintf(why, why_bytes, "%s", strerror(ENOMEM));
        return -1;
    }
    bool markers = cli_is_on(c, CLI_MARKER_TRACE) || cli_is_on(c, CLI_KERNEL_RENAME) ||
                   cli_is_on(c, CLI_SELECTED_REGIONS);
    markers = markers && !cli_is_on(c, CLI_SUPPRESS_MARKER_PRELOAD);
    if (soft && add_soft_gpu(s, c, why, why_bytes) != 0) return -1;
    for (int i = 0; i < LIBRARY_COUNT; i++) {
        bool needed = libraries[i].when == MARKERS ? trace && markers
                      : libraries[i].when == RCCL  ? cli_is_on(c, CLI_RCCL_TRACE)
                      : libraries[i].when == MPI   ? cli_is_on(c, CLI_MPI_TRACE)
                                                   : trace || libraries[i].when == ALWAYS;
        if (needed && add_library(s, c, libraries[i].file, why, why_bytes) != 0) return -1;
    }
    return 0;
}

static int add_variable(const char *name, const char *separator, const char *word)
{
    const char *before = getenv(name);
    char *list = before ? strdup(before) : NULL;
    int result = before && !list ? -1 : append(&list, separator, word);
    if (result == 0) result = setenv(name, list, 1);
    free(list);
    return result;
}

/* Sets the variables by which runtimes of all versions find rocprofv3's tool (with `trace`) and
 * other tools. */
static int set_discovery(const cli_session_t *s, const cli_command_t *c, bool trace, char *why,
                         size_t why_bytes)
{
    char tool[2 * PATH_MAX], lib[PATH_MAX + 8];
    if (name_library(s, c, CLI_TOOL_LIBRARY, tool, why, why_bytes) != 0) return -1;
    snprintf(lib, sizeof(lib), "%s/lib", s->root);
    if ((!trace || add_variable("ROCP_TOOL_LIBRARIES", ":", tool) == 0) &&
        add_variable("HSA_TOOLS_LIB", " ", REGISTER_LIBRARY) == 0 &&
        add_variable("LD_LIBRARY_PATH", ":", lib) == 0)
        return 0;
    snprintf(why, why_bytes, "setting the environment: %s", strerror(errno));
    return -1;
}

/* Makes the output directory absolute, because the program may change its working directory. Keys
 * (%...%) are replaced later, by each process. Each pass has the directory `below`. `plain` gets
 * the part before the first key: the run directory is made there. */
static int resolve_names(char plain[PATH_MAX], const cli_command_t *c, const char *below, char *why,
                         size_t why_bytes)
{
    int result = -1;
    char text[PATH_MAX], directory[2 * PATH_MAX];
    const char *given = trace_setting_given(TRACE_SET_OUTPUT_DIRECTORY);
    const char *name = trace_setting_given(TRACE_SET_OUTPUT_FILE);
    trace_keys_t *keys = trace_keys_current();
    if (!keys) {
        snprintf(why, why_bytes, "%s", strerror(ENOMEM));
        return -1;
    }
    char problem[512];
    if (c->program) trace_keys_of_command(keys, c->program);
    if (!given) given = ".";
    if (trace_keys_expand(keys, given, text, sizeof(text), problem, sizeof(problem)) != 0) {
        snprintf(why, why_bytes, "output directory '%s': %s", given, problem);
        goto out;
    }
    if (!*keys->cwd && text[0] != '/') {
        snprintf(why, why_bytes,
                 "the working directory has no name (was it removed?): choose an output directory, "
                 "from the root on, with -d");
        goto out;
    }
    if (text[0] == '/' || out_is_stream(text))
        snprintf(directory, sizeof(directory), "%s", given);
    else if (strcmp(given, ".") == 0)
        snprintf(directory, sizeof(directory), "%s", keys->cwd);
    else
        trace_join(directory, sizeof(directory), keys->cwd, given);
    if (*below && !out_is_stream(text)) {
        size_t used = strlen(directory);
        snprintf(directory + used, sizeof(directory) - used, "/%s", below);
    }
    if (name && trace_keys_expand(keys, name, text, sizeof(text), problem, sizeof(problem)) != 0) {
        snprintf(why, why_bytes, "output file '%s': %s", name, problem);
        goto out;
    }
    size_t bytes = strcspn(directory, "%{$");
    if (directory[bytes])
        while (bytes > 0 && directory[bytes - 1] != '/')
            bytes--;
    const char *base = directory;
    if (out_is_stream(directory) || bytes == 0) {
        base = keys->cwd;
        bytes = strlen(base);
    }
    if (bytes >= PATH_MAX) bytes = PATH_MAX - 1;
    memcpy(plain, base, bytes);
    plain[bytes] = 0;
    result = trace_setting_set(TRACE_SET_OUTPUT_DIRECTORY, directory);
out:
    trace_keys_free(keys);
    return result;
}

/* Makes <base>/.rocprofv3/<pid>-<n>. That also tests whether the output directory is writable. */
static int make_run(cli_session_t *s, const cli_command_t *c, const char *below, char *why,
                    size_t why_bytes)
{
    char base[PATH_MAX], runs[2 * PATH_MAX];
    const char *temporary = trace_setting_given(TRACE_SET_TMPDIR);
    if (resolve_names(base, c, below, why, why_bytes) != 0) return -1;
    snprintf(s->shared, sizeof(s->shared), "%s", base);
    if (temporary && (trace_make_directories(temporary) != 0 || !realpath(temporary, base))) {
        snprintf(why, why_bytes, "ROCPROF_TMPDIR: %s: %s", temporary, strerror(errno));
        return -1;
    }
    char problem[3 * PATH_MAX];
    int made = trace_runs_create(base, runs, sizeof(runs), problem, sizeof(problem));
    if (made == 0 && trace_store_create(runs, s->run, sizeof(s->run)) != 0) {
        snprintf(problem, sizeof(problem), "%s", strerror(errno));
        rmdir(runs); /* this fails if other runs are there */
        made = -1;
    }
    if (made != 0) {
        snprintf(why, why_bytes, "cannot write to output directory %s: %s; choose another with -d",
                 base, problem);
        s->run[0] = 0;
        return -1;
    }
    if (access(s->run, W_OK) == 0 && trace_run_write(s->run) == 0) return 0;
    snprintf(why, why_bytes, "%s: %s", s->run, strerror(errno));
    return -1;
}

/* Refuses wrong values before the program runs. */
static int check_config(char *why, size_t why_bytes)
{
    out_config_t config;
    int result = out_config_read(&config, trace_environment.value, NULL, why, why_bytes);
    out_config_free(&config);
    return result;
}

/* Finds the installation, and whether the software GPU must be preloaded: returns 1 or 0, or -1. */
static int choose_gpu(cli_session_t *s, const cli_command_t *c, char *why, size_t why_bytes)
{
    memset(s, 0, sizeof(*s));
    if (cli_find_root(s->root, c->values[CLI_ROCM_ROOT], why, why_bytes) != 0) return -1;
    if (c->values[CLI_PID]) return 0; /* the process is already running */
    int soft = cli_choose_gpu("rocprofv3", c->values[CLI_GPU], why, why_bytes);
    return soft > 0 && cli_on_soft_gpu() ? 0 : soft;
}

int cli_session_prepare_bare(cli_session_t *s, const cli_command_t *c, char *why, size_t why_bytes)
{
    const char *before = getenv("LD_PRELOAD");
    int soft = choose_gpu(s, c, why, why_bytes);
    if (soft < 0) return CLI_EXIT_SETUP;
    if (soft && before && *before && append(&s->preload, ":", before) != 0) return CLI_EXIT_SETUP;
    return soft && add_soft_gpu(s, c, why, why_bytes) != 0 ? CLI_EXIT_SETUP : 0;
}

/* Makes Kokkos load the library that turns its hooks into markers. */
static int add_kokkos(const cli_session_t *s, const cli_command_t *c, char *why, size_t why_bytes)
{
    char path[2 * PATH_MAX];
    if (name_library(s, c, KOKKOS_LIBRARY, path, why, why_bytes) != 0) return -1;
    if (add_variable("KOKKOS_TOOLS_LIBS", ";", path) == 0) return 0;
    snprintf(why, why_bytes, "setting the environment: %s", strerror(errno));
    return -1;
}

int cli_session_prepare(cli_session_t *s, const cli_command_t *c, const char *below, char *why,
                        size_t why_bytes)
{
    bool trace = cli_records(c), starts = !c->values[CLI_PID];
    memset(s, 0, sizeof(*s));
    if (check_config(why, why_bytes) != 0) return CLI_EXIT_USAGE;
    int soft = choose_gpu(s, c, why, why_bytes);
    if (soft < 0) return CLI_EXIT_SETUP;
    if (cli_is_on(c, CLI_INSTRUCTION_COUNTS) && !soft && !cli_on_soft_gpu()) {
        snprintf(
            why, why_bytes,
            "--instruction-counts: only the software GPU counts each instruction (--gpu soft); "
            "on this one --att traces them, and --pc-sampling samples where they are");
        return CLI_EXIT_SETUP;
    }
    if (starts && make_preload(s, c, soft, trace, why, why_bytes) != 0) return CLI_EXIT_SETUP;
    if (!trace) {
        /* setting these variables is enough: the program may bring a tool of its own */
    } else if (cli_is_on(c, CLI_ECHO)) {
        char base[PATH_MAX];
        if (resolve_names(base, c, below, why, why_bytes) != 0) return CLI_EXIT_SETUP;
    } else if (make_run(s, c, below, why, why_bytes) != 0 ||
               trace_setting_set(TRACE_SET_STORE_DIRECTORY, s->run) != 0) {
        return CLI_EXIT_SETUP;
    }
    if (starts && cli_is_on(c, CLI_KOKKOS_TRACE) && add_kokkos(s, c, why, why_bytes) != 0)
        return CLI_EXIT_SETUP;
    return !starts || set_discovery(s, c, trace, why, why_bytes) == 0 ? 0 : CLI_EXIT_SETUP;
}

/* Returns true if the file or directory is gone. */
static bool removed(const char *path, int result)
{
    if (result == 0 || errno == ENOENT) return true;
    base_warning("%s: %s", path, strerror(errno));
    return false;
}

bool cli_has_stores(const char *run)
{
    char **left = trace_list(run);
    if (!left) return !removed(run, -1); /* a directory that cannot be read may contain records */
    bool any = left[0] && (left[1] || strcmp(left[0], TRACE_RUN_FILE) != 0);
    trace_list_free(left);
    return any;
}

static void remove_run(char *run)
{
    char file[PATH_MAX + 16];
    trace_join(file, sizeof(file), run, TRACE_RUN_FILE);
    if (!removed(file, unlink(file)) || !removed(run, rmdir(run))) return;
    *strrchr(run, '/') = 0;
    int result = rmdir(run);
    if (result == 0 || errno != ENOTEMPTY) removed(run, result); /* other runs may be there */
}

void cli_session_end(cli_session_t *s)
{
    if (s->run[0] && !cli_has_stores(s->run)) remove_run(s->run);
    free(s->preload);
    memset(s, 0, sizeof(*s));
}
