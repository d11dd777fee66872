/* main.c - softgpu: runs a program on the software GPU.
 *
 * Apart from the device because it knows nothing of it: options become environment variables
 * (config.c and the device read them), the stub goes into LD_PRELOAD, the program is executed in
 * place. An option more is a row of `options`. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, EXIT_SETUP = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

enum {
    KEY_PROFILE = 'p',
    KEY_CUS = 'c',
    KEY_GPUS = 'g',
    KEY_CORE = 'C',
    KEY_THREADS = 't',
    KEY_LOG = 'l'
};

static const struct argp_option options[] = {
    {"profile", KEY_PROFILE, "NAME", 0,
     "GPU to be: a name in share/softgpu, or the path of a profile (default mi210)", 0},
    {"cus", KEY_CUS, "N", 0, "Number of compute units (default: the profile's)", 0},
    {"gpus", KEY_GPUS, "N", 0, "Number of GPUs, 1 to 8 (default 1)", 0},
    {"core", KEY_CORE, "NAME", 0,
     "Executor core: base, avx2 or avx512 (default: the best this host has)", 0},
    {"threads", KEY_THREADS, "N", 0, "Worker threads (default: one for each core)", 0},
    {"log", KEY_LOG, "LEVEL", 0, "What to report on stderr: none, error, warning, info or trace",
     0},
    {0}};

/* ORDER: the same keys as in `options`. */
static const struct {
    int key;
    const char *name, *variable;
    unsigned long lowest, highest; /* both 0: no number */
} variables[] = {
    {KEY_PROFILE, "--profile", "SOFTGPU_PROFILE", 0, 0},
    {KEY_CUS, "--cus", "SOFTGPU_CUS", 1, 1024},
    {KEY_GPUS, "--gpus", "SOFTGPU_GPUS", 1, 8},
    {KEY_CORE, "--core", "SOFTGPU_CORE", 0, 0},
    {KEY_THREADS, "--threads", "SOFTGPU_THREADS", 1, 1024},
    {KEY_LOG, "--log", "SOFTGPU_LOG", 0, 0},
};

typedef struct {
    char **program;
} command_t;

static void check_number(struct argp_state *state, size_t row, const char *value)
{
    char *end;
    errno = 0;
    unsigned long n = strtoul(value, &end, 10);
    if (end == value || *end != '\0' || *value == '-' || errno || n < variables[row].lowest ||
        n > variables[row].highest)
        argp_error(state, "%s: \"%s\" is not a number from %lu to %lu", variables[row].name, value,
                   variables[row].lowest, variables[row].highest);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    command_t *command = state->input;
    if (key == ARGP_KEY_ARG) { /* the first word that is no option begins the program */
        command->program = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    }
    if (key == ARGP_KEY_NO_ARGS) argp_error(state, "no program is given");
    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
        if (variables[i].key == key) {
            if (variables[i].highest) check_number(state, i, value);
            return setenv(variables[i].variable, value, 1) == 0 ? 0 : errno;
        }
    return ARGP_ERR_UNKNOWN;
}

/* The stub's absolute path, from where this program lies: bin/softgpu and lib/softgpu. */
static int find_stub(char path[PATH_MAX])
{
    char self[PATH_MAX], beside[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n < 0) return -1;
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash) return -1;
    *slash = '\0';
    snprintf(beside, sizeof(beside), "%s/../lib/softgpu/libsoftgpu-preload.so", self);
    if (!realpath(beside, path)) {
        fprintf(stderr, "softgpu: %s: %s\n", beside, strerror(errno));
        return -1;
    }
    return 0;
}

/* Adds the stub behind what is preloaded already. In a sanitized build the runtime goes first; by
 * default leaks and races are not reported then, because the program and AMD's runtimes never free
 * their globals and are not instrumented: a race detector does not see them synchronise. */
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

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "PROGRAM [ARGUMENT...]",
        .doc = "Runs PROGRAM with a software AMD GPU in place of the amdgpu driver: ROCm runtimes "
               "find a gfx90a and need no hardware.\v"
               "The exit status is PROGRAM's; 125 if the GPU cannot be set up, 126 if PROGRAM "
               "cannot be executed, 127 if it is not found."};
    command_t command = {NULL};
    char stub[PATH_MAX];
    argp_program_version = "softgpu " CROCPROF_VERSION;
    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &command);

    if (find_stub(stub) != 0 || add_preload(stub) != 0) return EXIT_SETUP;
    execvp(command.program[0], command.program);
    int error = errno;
    fprintf(stderr, "softgpu: %s: %s\n", command.program[0], strerror(error));
    return error == ENOENT || error == ENOTDIR ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
