/* main.c - softgpu: runs a program on the software GPU.
 *
 * Options become environment variables, which kfd/config.c, the device and the checker read; the
 * stub goes into LD_PRELOAD; then this process executes the program, or, with --error-exitcode,
 * waits for it. A new option is a row of softgpu/profile/options.def. */
#include "base/file.h"
#include "base/installation.h"
#include "base/program.h"
#include "base/words.h"
#include "softgpu/check/options.h"
#include "softgpu/check/sarif_file.h"
#include "softgpu/check/sink.h"
#include "softgpu/cli/coverage.h"
#include "softgpu/profile/options.h"
#include "softgpu/profile/profile.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, EXIT_SETUP = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

/* KEY_LIST_PROFILES is the older name of --list-gpus */
enum { KEY_LIST_GPUS = 'L', KEY_LIST_PROFILES = 256, KEY_COVERAGE, MORE_OPTIONS = 3 };
static char output[1 << 16];

typedef struct {
    char **program;
    bool check_output; /* --check-output is given */
} command_t;

static void check_number(struct argp_state *state, const sg_option_t *o, const char *value)
{
    uint64_t n;
    if (!base_number(value, o->least, o->most, &n))
        argp_error(state, "--%s: \"%s\" is not a number from %u to %u", o->name, value, o->least,
                   o->most);
}

static void check_choice(struct argp_state *state, const sg_option_t *o, const char *value)
{
    char list[128];
    size_t n = 0;
    for (const char *const *word = o->words; *word; word++) {
        if (strcmp(*word, value) == 0) return;
        const char *before = word == o->words ? "" : word[1] ? ", " : " and ";
        const int more = snprintf(list + n, sizeof(list) - n, "%s%s", before, *word);
        n += more > 0 && n + (size_t)more < sizeof(list) ? (size_t)more : 0;
    }
    argp_error(state, "--%s: \"%s\" is none of %s", o->name, value, list);
}

/* Absolute path of `name`, which is relative to the root of the installation. 0, or -1 after a
 * message. */
static int find_part(const char *name, char path[PATH_MAX])
{
    char root[PATH_MAX], why[PATH_MAX + 64];
    if (!base_installation(root, why, sizeof(why))) {
        fprintf(stderr, "softgpu: %s\n", why);
        return -1;
    }
    if (snprintf(path, PATH_MAX, "%s/%s", root, name) < PATH_MAX && access(path, F_OK) == 0)
        return 0;
    fprintf(stderr, "softgpu: %s/%s: %s\n", root, name, strerror(errno));
    return -1;
}

/* The same for a library that is to be preloaded. */
static int find_library(const char *name, char path[PATH_MAX])
{
    if (find_part(name, path) != 0) return -1;
    if (!strpbrk(path, BASE_PRELOAD_SEPARATORS)) return 0;
    fprintf(stderr,
            "softgpu: %s: a library that is preloaded must have no blank or colon in its path, and "
            "no link to it "
            "could be made in TMPDIR, /tmp, /var/tmp or /dev/shm: install elsewhere\n",
            path);
    return -1;
}

static void list_gpus(void)
{
    char directory[PATH_MAX], error[PATH_MAX + 1024], **names;
    sg_profile_t profile;
    if (find_part("share/softgpu", directory) != 0) exit(EXIT_SETUP);
    if (sg_profile_names(directory, &names) < 0) {
        fprintf(stderr, "softgpu: %s: %s\n", directory, strerror(errno));
        exit(EXIT_SETUP);
    }
    for (char **name = names; *name; name++) {
        const bool good = sg_profile_load(*name, directory, &profile, error, sizeof(error)) == 0;
        printf("%-12s %s\n", *name, good ? profile.marketing_name : error);
    }
    sg_profile_names_free(names);
    exit(0);
}

/* Makes or empties a file to which the program's processes append. False with errno. */
static bool begin_file(const char *name)
{
    const int fd = base_file_open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd >= 0) close(fd);
    return fd >= 0;
}

/* The variable gets an absolute path, since the program's processes may change their folder. */
static error_t begin_trace_file(struct argp_state *state, const char *name)
{
    char path[PATH_MAX];
    if (!begin_file(name) || !realpath(name, path)) {
        argp_failure(state, EXIT_SETUP, errno, "--trace-file %s", name);
        return EINVAL;
    }
    return setenv(sg_options[SG_OPTION_TRACE_FILE].variable, path, 1) == 0 ? 0 : errno;
}

/* The variable of a GPU gets an absolute path, too, if it is a profile's and no name. */
static error_t set_variable(sg_option_id_t id, const char *value)
{
    const bool is_profile = (id == SG_OPTION_GPU || id == SG_OPTION_PROFILE) && strchr(value, '/');
    char *whole = is_profile ? base_file_whole_path(value) : NULL;
    const bool set = (!is_profile || whole) &&
                     setenv(sg_options[id].variable, is_profile ? whole : value, 1) == 0;
    const int error = set ? 0 : errno;
    free(whole);
    return error;
}

/* The checker reads the values of its options itself, and refuses wrong ones. */
static error_t set_option(command_t *command, struct argp_state *state, sg_option_id_t id,
                          const char *value)
{
    const sg_option_t *o = &sg_options[id];
    if (!value || (id == SG_OPTION_CHECK && !*value)) value = o->alone;
    if (id == SG_OPTION_TRACE_FILE) return begin_trace_file(state, value);
    if (id == SG_OPTION_OUTPUT) command->check_output = true;
    if (o->most && id != SG_OPTION_STATUS) check_number(state, o, value);
    if (o->words[0]) check_choice(state, o, value);
    if (o->instead) unsetenv(o->instead);
    return set_variable(id, value);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    command_t *command = state->input;
    if (key == ARGP_KEY_ARG) { /* the first word that is no option begins the program */
        command->program = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    }
    if (key == KEY_LIST_GPUS || key == KEY_LIST_PROFILES) list_gpus();
    if (key == KEY_COVERAGE) exit(coverage(state->argc - state->next, state->argv + state->next));
    if (key == ARGP_KEY_NO_ARGS) argp_error(state, "no program is given");
    for (int id = 0; id < SG_OPTION_COUNT; id++)
        if (sg_options[id].letter && sg_options[id].letter == key)
            return set_option(command, state, (sg_option_id_t)id, value);
    return ARGP_ERR_UNKNOWN;
}

/* Fills in argp's table: the rows of sg_options, and the options that print a text and end. */
static void fill_options(struct argp_option options[SG_OPTION_COUNT + MORE_OPTIONS + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < SG_OPTION_COUNT; i++) {
        const sg_option_t *o = &sg_options[i];
        const bool optional = o->alone && o->argument;
        if (!o->name) continue;
        options[count++] = (struct argp_option){.name = o->name,
                                                .key = o->letter,
                                                .arg = o->argument,
                                                .flags = optional ? OPTION_ARG_OPTIONAL : 0,
                                                .doc = o->help};
    }
    options[count++] =
        (struct argp_option){.name = "coverage",
                             .key = KEY_COVERAGE,
                             .doc = "Say which instructions are executed, of all GPUs, or of "
                                    "the code objects in the files that follow, and end"};
    options[count++] = (struct argp_option){
        .name = "list-gpus", .key = KEY_LIST_GPUS, .doc = "List the names for --gpu and end"};
    options[count] = (struct argp_option){
        .name = "list-profiles", .key = KEY_LIST_PROFILES, .doc = "The same as --list-gpus"};
}

/* Adds the stub after the libraries that are preloaded already. In a sanitized build the
 * sanitizer's runtime comes first. It reports neither leaks nor races by default: the program and
 * AMD's runtimes do not free their globals, and a race detector does not see them synchronise,
 * since they are not instrumented. */
static int add_preload(const char *stub)
{
    static const char runtime[] = SOFTGPU_SANITIZER_RUNTIME;
    const char *old = getenv("LD_PRELOAD");
    char *value;
    if (!old) old = "";
    if (runtime[0]) {
        setenv("ASAN_OPTIONS", "detect_leaks=0", 0);
        setenv("TSAN_OPTIONS", "report_bugs=0", 0);
    }
    if (asprintf(&value, "%s%s%s%s%s", runtime, runtime[0] ? ":" : "", old, *old ? ":" : "", stub) <
        0)
        return -1;
    int result = setenv("LD_PRELOAD", value, 1);
    free(value);
    return result;
}

/* Adds the checker's library in front of all other preloaded libraries, so that it gets the calls
 * as the program makes them. A variable makes ROCr map each allocation by itself, so that accesses
 * between two allocations fault. */
static int add_check(void)
{
    char library[PATH_MAX], *value;
    const char *old = getenv("LD_PRELOAD");
    if (find_library("lib/softgpu/libsoftgpu-check.so", library) != 0) return EXIT_SETUP;
    if (asprintf(&value, "%s%s%s", library, old && *old ? ":" : "", old ? old : "") < 0)
        return EXIT_SETUP;
    int result =
        setenv("LD_PRELOAD", value, 1) == 0 && setenv("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1", 1) == 0
            ? 0
            : EXIT_SETUP;
    free(value);
    return result;
}

/* ---- --error-exitcode ---- */

static volatile pid_t child;

static void pass_on(int number)
{
    if (child > 0) kill(child, number);
}

/* Waits for the program and ends with its status or signal; or with `status` if the checker has
 * written to the file, which it does when it has findings. */
static void wait_for_it(int status, const char *name)
{
    static const int numbers[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2};
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    struct stat st = {0};
    int how;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        /* a terminal sends these two signals to the program as well */
        action.sa_handler = numbers[i] == SIGINT || numbers[i] == SIGQUIT ? SIG_IGN : pass_on;
        sigaction(numbers[i], &action, NULL);
    }
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        continue;
    const bool wrong = stat(name, &st) == 0 && st.st_size > 0;
    unlink(name);
    if (wrong) _exit(status);
    if (!WIFSIGNALED(how)) _exit(WEXITSTATUS(how));
    signal(WTERMSIG(how), SIG_DFL);
    kill(getpid(), WTERMSIG(how));
    _exit(128 + WTERMSIG(how));
}

/* Forks. Returns in the child, which is to become the program; this process waits for it. */
static void run_beside(int status)
{
    static char name[] = "/tmp/softgpu-errors-XXXXXX";
    const int fd = mkstemp(name);
    if (fd >= 0) close(fd);
    if (fd >= 0 && setenv(SOFTGPU_CHECK_COUNT, name, 1) == 0) child = fork();
    if (fd < 0 || child < 0) {
        fprintf(stderr, "softgpu: --error-exitcode: %s\n", strerror(errno));
        exit(EXIT_SETUP);
    }
    if (child) wait_for_it(status, name);
}

/* Replaces %pid% in the name of the checker's output by the id of this process, so that each of
 * several launchers has its own file. */
static int number_output(void)
{
    static const char key[] = "%pid%";
    const char *variable = chk_variables[CHK_VARIABLE_OUTPUT], *at = getenv(variable), *next;
    char *name = NULL;
    size_t bytes;
    if (!at || !strstr(at, key)) return 0;
    FILE *f = open_memstream(&name, &bytes);
    if (!f) return EXIT_SETUP;
    for (; (next = strstr(at, key)); at = next + strlen(key))
        fprintf(f, "%.*s%d", (int)(next - at), at, (int)getpid());
    fputs(at, f);
    const int result = fclose(f) == 0 && setenv(variable, name, 1) == 0 ? 0 : EXIT_SETUP;
    free(name);
    return result;
}

/* Makes a file name absolute, since the program may change its folder. */
static int name_from_root(unsigned variable)
{
    const char *name = getenv(chk_variables[variable]);
    if (!name || !*name) return 0;
    char *path = base_file_whole_path(name);
    if (!path) return EXIT_SETUP;
    const int result = setenv(chk_variables[variable], path, 1) == 0 ? 0 : EXIT_SETUP;
    free(path);
    return result;
}

/* Writes a report without findings, so that there is one even if the program crashes early. */
static int begin_report(chk_format_t format)
{
    const char *name = getenv(chk_variables[CHK_VARIABLE_OUTPUT]);
    if (format == CHK_SARIF ? chk_sarif_begin(name) : begin_file(name)) return 0;
    fprintf(stderr, "softgpu: --check-output %s: %s\n", name, strerror(errno));
    return EXIT_SETUP;
}

/* Sets up the checker, if an option or the user's environment enables it. `begin`: makes the file
 * of the report, too. */
static int set_check(bool begin)
{
    chk_options_t check;
    char why[1024], first[16];
    if (!chk_options_read(&check, why, sizeof(why))) {
        fprintf(stderr, "softgpu: %s\n", why);
        return EXIT_USAGE;
    }
    const bool wanted = check.families;
    const int status = check.status;
    const chk_format_t format = check.format;
    chk_options_free(&check);
    if (!wanted) return 0;
    if (number_output() != 0 || name_from_root(CHK_VARIABLE_OUTPUT) != 0 ||
        name_from_root(CHK_VARIABLE_SUPPRESSIONS) != 0) {
        fprintf(stderr, "softgpu: the names of the check's files: %s\n", strerror(errno));
        return EXIT_SETUP;
    }
    if (begin && begin_report(format) != 0) return EXIT_SETUP;
    if (add_check() != 0) return EXIT_SETUP;
    if (status) run_beside(status);
    snprintf(first, sizeof(first), "%d", (int)getpid());
    return setenv(SOFTGPU_CHECK_FIRST, first, 1) == 0 ? 0 : EXIT_SETUP;
}

int main(int argc, char **argv)
{
    struct argp_option options[SG_OPTION_COUNT + MORE_OPTIONS + 1] = {0};
    const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "PROGRAM [ARGUMENT...]",
        .doc = "Runs PROGRAM with a software AMD GPU in place of the amdgpu driver: ROCm runtimes "
               "find a gfx90a, or what --gpu names, and need no hardware.\v"
               "The exit status is PROGRAM's; 125 if the GPU cannot be set up, 126 if PROGRAM "
               "cannot be executed, 127 if it is not found."};
    command_t command = {.program = NULL};
    char stub[PATH_MAX];
    fill_options(options);
    argp_program_version = "softgpu " CROCPROF_VERSION;
    argp_err_exit_status = EXIT_USAGE;
    base_program_begin("softgpu", sg_options[SG_OPTION_LOG].variable, EXIT_SETUP);
    /* Lists and help are buffered and written at the end, so that errno is that of the write. */
    setvbuf(stdout, output, _IOFBF, sizeof(output));
    int refused = argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &command);
    if (!refused && find_library("lib/softgpu/libsoftgpu-preload.so", stub) != 0) return EXIT_SETUP;
    const int unchecked = refused ? 0 : set_check(command.check_output);
    if (unchecked) return unchecked;
    if (!refused && add_preload(stub) != 0) refused = ENOMEM;
    if (refused) {
        fprintf(stderr, "softgpu: cannot set up the GPU: %s\n", strerror(refused));
        return EXIT_SETUP;
    }
    execvp(command.program[0], command.program);
    int error = errno;
    fprintf(stderr, "softgpu: %s: %s\n", command.program[0], strerror(error));
    return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
