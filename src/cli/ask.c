/* ask.c - see ask.h. It makes command lines of rocprofv3-avail and waits for the results. */
#include "cli/ask.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/driver.h"
#include "cli/gpu.h"
#include "cli/launch.h"

enum { WORDS_MAX = 2048 };

/* Puts the libraries of the chosen installation in front of all others. */
static void take_libraries(const char *root)
{
    char *list = NULL;
    const char *before = getenv("LD_LIBRARY_PATH");
    if (asprintf(&list, "%s/lib%s%s", root, before ? ":" : "", before ? before : "") < 0) return;
    setenv("LD_LIBRARY_PATH", list, 1);
    free(list);
}

/* Runs rocprofv3-avail with these words. Returns its exit status, or -1 with a line in `why`. */
static int run_avail(const cli_command_t *c, char **words, char *why, size_t why_bytes)
{
    char root[PATH_MAX], own[PATH_MAX], path[PATH_MAX + 32];
    if (cli_find_root(root, c->values[CLI_ROCM_ROOT], why, why_bytes) != 0 ||
        cli_find_root(own, NULL, why, why_bytes) != 0)
        return -1;
    snprintf(path, sizeof(path), "%s/bin/rocprofv3-avail", own);
    if (access(path, X_OK) != 0) {
        snprintf(why, why_bytes, "%s: %s: the installation is incomplete", path, strerror(errno));
        return -1;
    }
    words[0] = path;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        if (c->values[CLI_ROCM_ROOT]) take_libraries(root);
        execv(path, words);
        _exit(CLI_EXIT_NOT_EXECUTABLE);
    }
    int status = 0;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) < CLI_EXIT_NOT_EXECUTABLE)
        return WEXITSTATUS(status);
    if (pid < 0)
        snprintf(why, why_bytes, "cannot start %s: %s", path, strerror(errno));
    else if (WIFSIGNALED(status))
        snprintf(why, why_bytes, "%s was ended by signal %d", path, WTERMSIG(status));
    else
        snprintf(why, why_bytes, "cannot start %s", path);
    return -1;
}

/* Returns which GPU a running process uses: "soft" or "real"; NULL if that cannot be determined. */
static const char *gpu_of(const char *pid)
{
    char path[64], line[PATH_MAX + 128];
    snprintf(path, sizeof(path), "/proc/%.20s/maps", pid);
    FILE *maps = fopen(path, "re");
    bool soft = false;
    if (!maps) return NULL;
    while (!soft && fgets(line, sizeof(line), maps))
        soft = out_soft_gpu_named(line);
    fclose(maps);
    return soft                                                          ? "soft"
           : access(BASE_DRIVER_DEVICE, F_OK) == 0 && !cli_on_soft_gpu() ? "real"
                                                                         : NULL;
}

static int choose(const cli_command_t *c, char **gpu, char *why, size_t why_bytes)
{
    const char *word = c->values[CLI_GPU], *its = NULL;
    if (c->values[CLI_PID] && !cli_on_soft_gpu()) its = gpu_of(c->values[CLI_PID]);
    int soft = cli_choose_gpu("rocprofv3", its ? its : word, why, why_bytes);
    /* "auto" means the GPU that is there: the real one, or a software GPU that is already
     * preloaded. */
    *gpu = (char *)(soft > 0 ? "soft" : "auto");
    return soft < 0 ? -1 : 0;
}

static int ask_group(const cli_command_t *c, char *gpu, bool streams, char *group, char *why,
                     size_t why_bytes)
{
    char *words[WORDS_MAX + 1] = {NULL, (char *)"--gpu", gpu, (char *)"pmc-check",
                                  (char *)"--quiet"};
    size_t count = 5;
    if (streams) words[count++] = (char *)"--spm";
    for (char *word; (word = strsep(&group, " \n"));)
        if (*word && count < WORDS_MAX) words[count++] = word;
    int status = run_avail(c, words, why, why_bytes);
    return status < 0 ? CLI_EXIT_SETUP : status ? CLI_EXIT_USAGE : 0;
}

int cli_ask_counters(const cli_command_t *c, char *why, size_t why_bytes)
{
    int status = 0;
    char *gpu;
    if (choose(c, &gpu, why, why_bytes) != 0) return CLI_EXIT_SETUP;
    for (int i = CLI_PMC; status == 0 && i <= CLI_PMC_GROUPS; i++) {
        char *groups = c->values[i] ? strdup(c->values[i]) : NULL;
        for (char *rest = groups, *group; status == 0 && (group = strsep(&rest, "\n"));)
            status = ask_group(c, gpu, false, group, why, why_bytes);
        free(groups);
    }
    char *streams = cli_streams(c) ? strdup(c->values[CLI_SPM]) : NULL;
    if (streams && status == 0) status = ask_group(c, gpu, true, streams, why, why_bytes);
    free(streams);
    return status;
}

int cli_show_avail(const cli_command_t *c, char *why, size_t why_bytes)
{
    char *gpu;
    if (choose(c, &gpu, why, why_bytes) != 0) return CLI_EXIT_SETUP;
    char *extra = c->values[CLI_EXTRA_COUNTERS];
    char *words[] = {NULL,
                     (char *)"--gpu",
                     gpu,
                     (char *)"info",
                     (char *)"--pmc",
                     (char *)"--pc-sampling",
                     (char *)"--spm-config",
                     extra ? (char *)"-E" : NULL,
                     extra,
                     NULL};
    int status = run_avail(c, words, why, why_bytes);
    return status < 0 ? CLI_EXIT_SETUP : status;
}
