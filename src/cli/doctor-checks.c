/* doctor-checks.c - the checks in the rows of doctor-table.c. They change nothing on the machine:
 * files that a check writes are removed again. A check reports its result; the row's severity
 * decides how bad a failure is. */
#include "cli/doctor.h"
#include "base/driver.h"

#include "base/file.h"
#include "base/text.h"
#include "gpus/gpus.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <rocprofiler-sdk/version.h>

void doctor_say(doctor_result_t *r, doctor_status_t status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->detail, sizeof(r->detail), format, args);
    va_end(args);
    r->status = status;
}

/* Returns the worst status that the row's severity allows. */
static doctor_status_t bad(const doctor_check_t *c)
{
    return strcmp(c->severity, "error") == 0 ? DOCTOR_FAIL : DOCTOR_WARN;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Copies the next of a list of paths separated by colons, cut to fit; returns false after the
 * last. */
static bool next_path(const char **list, char path[PATH_MAX])
{
    if (!*list) return false;
    *list += strspn(*list, ":");
    int bytes = (int)strcspn(*list, ":");
    snprintf(path, PATH_MAX, "%.*s", bytes, *list);
    *list += bytes;
    return bytes > 0;
}

/* ---- Programs ---- */

typedef struct {
    int status; /* exit status; 128 + signal; -1: not started; -2: timed out */
    char output[8192];
} run_t;

/* Runs the program argv[0] and reads its standard output and error. */
static void run(run_t *r, char *const *argv, int seconds)
{
    int pipes[2], status = 0;
    size_t used = 0;
    struct timespec end, now;
    *r = (run_t){.status = -1};
    if (pipe(pipes) != 0) return;
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(pipes[1]);
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += seconds;
    bool late = false;
    while (pid > 0 && !late) {
        struct pollfd input = {.fd = pipes[0], .events = POLLIN};
        char rest[4096];
        clock_gettime(CLOCK_MONOTONIC, &now);
        late = now.tv_sec >= end.tv_sec;
        if (poll(&input, 1, 200) <= 0) continue;
        bool full = used + 1 >= sizeof(r->output);
        ssize_t n = read(pipes[0], full ? rest : r->output + used,
                         full ? sizeof(rest) : sizeof(r->output) - 1 - used);
        if (n <= 0) break;
        if (!full) used += (size_t)n;
    }
    close(pipes[0]);
    if (late) kill(-pid, SIGKILL);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (pid > 0)
        r->status = late ? -2 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Reports "PATH ended with STATUS: last line of its output". */
static void say_failed(doctor_result_t *r, doctor_status_t status, const char *path,
                       const run_t *done)
{
    char text[sizeof(done->output)];
    memcpy(text, done->output, sizeof(text));
    size_t bytes = strlen(text);
    while (bytes && text[bytes - 1] == '\n')
        text[--bytes] = 0;
    const char *line = strrchr(text, '\n');
    if (done->status == -2)
        doctor_say(r, DOCTOR_FAIL, "%s has not ended in time", path);
    else
        doctor_say(r, status, "%s ended with %d: %s", path, done->status, line ? line + 1 : text);
}

/* ---- install ---- */

void doctor_root(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    struct stat st;
    char cache[PATH_MAX + 32];
    (void)c;
    snprintf(cache, sizeof(cache), "%s/CMakeCache.txt", d->root);
    if (stat(d->root, &st) != 0 || !S_ISDIR(st.st_mode))
        doctor_say(r, DOCTOR_FAIL, "%s is no directory", d->root);
    else
        doctor_say(r, DOCTOR_PASS, "%s (%s)", d->root,
                   exists(cache) ? "build tree" : "installation");
}

void doctor_own_file(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", d->root, c->argument);
    if (exists(path))
        doctor_say(r, DOCTOR_PASS, "%s", path);
    else
        doctor_say(r, bad(c), "%s: %s", path, strerror(errno));
}

void doctor_version(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char path[2 * PATH_MAX], real[PATH_MAX];
    unsigned major, minor;
    snprintf(path, sizeof(path), "%s/%s", d->root, c->argument);
    const char *suffix = realpath(path, real) ? strstr(real, ".so.") : NULL;
    if (!suffix || sscanf(suffix, ".so.%u.%u", &major, &minor) != 2)
        doctor_say(r, DOCTOR_SKIP, "%s does not tell its version", path);
    else if (major != ROCPROFILER_SDK_VERSION_MAJOR)
        doctor_say(r, DOCTOR_FAIL, "programs %s, library %s", d->version, suffix + 4);
    else if (minor != ROCPROFILER_SDK_VERSION_MINOR)
        doctor_say(r, DOCTOR_WARN, "programs %s, library %s", d->version, suffix + 4);
    else
        doctor_say(r, DOCTOR_PASS, "programs %s, library %s", d->version, suffix + 4);
}

static bool is_other_installation(const doctor_t *d, const char *directory, const char *below)
{
    char path[2 * PATH_MAX], real[PATH_MAX];
    snprintf(path, sizeof(path), "%s%s/librocprofiler-sdk.so.1", directory, below);
    return realpath(path, real) && strncmp(real, d->root, strlen(d->root)) != 0;
}

void doctor_mixed(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    static const char *const roots[] = {"ROCM_PATH", "ROCM_HOME", "ROCM_DIR"};
    const char *list = variable("LD_LIBRARY_PATH");
    char directory[PATH_MAX];
    doctor_say(r, DOCTOR_PASS, "no other one is named");
    while (next_path(&list, directory))
        if (is_other_installation(d, directory, ""))
            doctor_say(r, bad(c), "LD_LIBRARY_PATH has %s, another installation", directory);
    for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++)
        if (variable(roots[i]) && is_other_installation(d, variable(roots[i]), "/lib"))
            doctor_say(r, bad(c), "%s is %s, another installation", roots[i], variable(roots[i]));
}

void doctor_metrics(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char pattern[2 * PATH_MAX];
    glob_t found;
    const char *given = variable("ROCPROFILER_METRICS_PATH");
    snprintf(pattern, sizeof(pattern), "%s%s%s", given ? given : d->root, given ? "" : "/",
             given ? "" : c->argument);
    size_t length = strlen(pattern);
    snprintf(pattern + length, sizeof(pattern) - length, "/*.{xml,yaml}");
    int none = glob(pattern, GLOB_BRACE, NULL, &found);
    pattern[length] = 0;
    if (none)
        doctor_say(r, bad(c), "%s holds no counter definitions", pattern);
    else
        doctor_say(r, DOCTOR_PASS, "%s: %zu files", pattern, found.gl_pathc);
    if (!none) globfree(&found);
}

/* ---- driver ---- */

static bool has_kfd(void)
{
    return exists(BASE_DRIVER_DEVICE);
}

static bool without_kfd(doctor_result_t *r)
{
    if (!has_kfd()) doctor_say(r, DOCTOR_SKIP, "no " BASE_DRIVER_DEVICE);
    return !has_kfd();
}

void doctor_kfd(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char soft[2 * PATH_MAX];
    snprintf(soft, sizeof(soft), "%s/bin/softgpu", d->root);
    if (has_kfd())
        doctor_say(r, DOCTOR_PASS, BASE_DRIVER_DEVICE " is there");
    else if (exists(soft))
        doctor_say(r, DOCTOR_WARN,
                   "no " BASE_DRIVER_DEVICE ": programs are profiled on the software GPU");
    else
        doctor_say(r, bad(c), "no " BASE_DRIVER_DEVICE ", and no software GPU (%s)", soft);
}

void doctor_kfd_access(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    (void)d;
    if (without_kfd(r)) return;
    if (access(BASE_DRIVER_DEVICE, R_OK | W_OK) == 0)
        doctor_say(r, DOCTOR_PASS, "it can be read and written");
    else
        doctor_say(r, bad(c), BASE_DRIVER_DEVICE ": %s", strerror(errno));
}

/* Counts the render nodes, and those that this user may open. */
static size_t count_nodes(size_t *usable)
{
    glob_t found;
    *usable = 0;
    if (glob("/dev/dri/renderD*", 0, NULL, &found) != 0) return 0;
    for (size_t i = 0; i < found.gl_pathc; i++)
        *usable += access(found.gl_pathv[i], R_OK | W_OK) == 0;
    size_t count = found.gl_pathc;
    globfree(&found);
    return count;
}

void doctor_dri(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    size_t usable, count = count_nodes(&usable);
    (void)d;
    if (without_kfd(r)) return;
    doctor_say(r, count && usable == count ? DOCTOR_PASS : bad(c), "%zu of %zu can be used", usable,
               count);
}

void doctor_in_group(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    gid_t ids[256];
    const struct group *wanted = getgrnam(c->argument);
    int count = getgroups(sizeof(ids) / sizeof(*ids), ids);
    bool in = geteuid() == 0 || (wanted && getegid() == wanted->gr_gid);
    (void)d;
    if (without_kfd(r)) return;
    for (int i = 0; wanted && i < count; i++)
        in |= ids[i] == wanted->gr_gid;
    if (in)
        doctor_say(r, DOCTOR_PASS, geteuid() == 0 ? "root needs no group" : "yes");
    else
        doctor_say(r, bad(c), wanted ? "not a member of %s" : "there is no group %s", c->argument);
}

void doctor_module(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char line[256];
    (void)d;
    if (without_kfd(r)) return;
    if (exists("/sys/module/amdgpu"))
        doctor_say(r, DOCTOR_PASS, "loaded %s",
                   base_file_line("/sys/module/amdgpu/version", line, sizeof(line)));
    else
        doctor_say(r, getenv("LD_PRELOAD") ? DOCTOR_WARN : bad(c), "/sys/module/amdgpu: %s",
                   strerror(errno));
}

void doctor_topology(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    unsigned nodes = 0, gpus = 0, version = 0;
    char uncounted[32] = "", name[32]; /* a GPU whose counters are not known */
    (void)d;
    if (without_kfd(r)) return;
    for (;; nodes++) {
        char path[64], line[256];
        unsigned value, simds = 0, target = 0;
        snprintf(path, sizeof(path), BASE_DRIVER_NODES "/%u/properties", nodes);
        FILE *f = fopen(path, "re");
        if (!f) break;
        while (fgets(line, sizeof(line), f)) {
            if (sscanf(line, "simd_count %u", &value) == 1) simds = value;
            if (sscanf(line, "gfx_target_version %u", &value) == 1) target = value;
        }
        fclose(f);
        gpus += simds > 0;
        if (!simds) continue;
        version = target;
        snprintf(name, sizeof(name), "gfx%u%x%x", target / 10000, target / 100 % 100, target % 100);
        const gpus_arch_t *arch = gpus_find(name);
        if (!arch || !arch->blocks) memcpy(uncounted, name, sizeof(uncounted));
    }
    if (*uncounted)
        doctor_say(r, DOCTOR_WARN,
                   "%u GPU%s; %s is traced as any other, but its counters are not known and --pmc "
                   "is refused",
                   gpus, gpus == 1 ? "" : "s", uncounted);
    else if (gpus)
        doctor_say(r, DOCTOR_PASS, "%u GPU%s, gfx_target_version %u", gpus, gpus == 1 ? "" : "s",
                   version);
    else
        doctor_say(r, bad(c), BASE_DRIVER_NODES ": %u nodes, none with SIMDs", nodes);
}

/* ---- runtime ---- */

/* Searches one directory for the file, of any version. */
static bool find_in(const char *directory, const char *name, char path[PATH_MAX])
{
    char pattern[PATH_MAX + 64];
    glob_t found;
    snprintf(pattern, sizeof(pattern), "%s/%s*", directory, name);
    if (!*directory || glob(pattern, 0, NULL, &found) != 0) return false;
    snprintf(path, PATH_MAX, "%s", found.gl_pathv[0]);
    globfree(&found);
    return true;
}

/* Searches LD_LIBRARY_PATH, then where the dynamic loader searches by default and by its
 * configuration. */
static bool find_library(const doctor_t *d, const char *name, char path[PATH_MAX])
{
    static const char *const usual[] = {"/usr/local/lib",
                                        "/lib/x86_64-linux-gnu",
                                        "/usr/lib/x86_64-linux-gnu",
                                        "/lib64",
                                        "/usr/lib64",
                                        "/lib",
                                        "/usr/lib",
                                        "/opt/rocm/lib"};
    char directory[PATH_MAX + 8];
    glob_t files;
    bool found = false;
    const char *list = variable("LD_LIBRARY_PATH");
    snprintf(directory, sizeof(directory), "%s/lib", d->root);
    found = find_in(directory, name, path);
    while (!found && next_path(&list, directory))
        found = find_in(directory, name, path);
    for (size_t i = 0; !found && i < sizeof(usual) / sizeof(*usual); i++)
        found = find_in(usual[i], name, path);
    if (found || glob("/etc/ld.so.conf.d/*.conf", 0, NULL, &files) != 0) return found;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *f = fopen(files.gl_pathv[i], "re");
        while (!found && f && fgets(directory, sizeof(directory), f)) {
            directory[strcspn(directory, " \t\n#")] = 0;
            found = find_in(directory, name, path);
        }
        if (f) fclose(f);
    }
    globfree(&files);
    return found;
}

void doctor_library(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char path[PATH_MAX];
    if (find_library(d, c->argument, path))
        doctor_say(r, DOCTOR_PASS, "%s", path);
    else
        doctor_say(r, bad(c), "%s is nowhere the loader looks", c->argument);
}

int doctor_load(const char *path)
{
    if (dlopen(path, RTLD_NOW)) return 0;
    fprintf(stderr, "%s\n", dlerror());
    return 1;
}

/* Loads each library in a process of its own, so that constructors do not affect each other. */
void doctor_loads(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    static const struct {
        const char *name;
        bool required;
    } libraries[] = {{"librocprofiler-sdk.so.1", true}, {"librocprofiler-sdk-tool.so.1", true},
                     {"libhsa-runtime64.so", true},     {"libhsa-amd-aqlprofile64.so", true},
                     {"libamdhip64.so", false},         {"librocprofiler-sdk-roctx.so.1", false}};
    char self[PATH_MAX + 32], path[PATH_MAX];
    unsigned loaded = 0;
    (void)c;
    snprintf(self, sizeof(self), "%s/bin/rocprofv3-doctor", d->root);
    r->status = DOCTOR_PASS;
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
        if (!find_library(d, libraries[i].name, path)) continue;
        char *const argv[] = {(char *)"env",
                              (char *)"-u",
                              (char *)"LD_PRELOAD",
                              (char *)"ROCPROFILER_LIBRARY_CTOR=0",
                              (char *)"ROCPROFILER_LIBRARY_DTOR=0",
                              self,
                              (char *)"--load",
                              path,
                              NULL};
        run_t done;
        run(&done, argv, 30);
        loaded += done.status == 0;
        if (done.status != 0 && r->status != DOCTOR_FAIL)
            say_failed(r, libraries[i].required ? DOCTOR_FAIL : DOCTOR_WARN, path, &done);
    }
    if (r->status == DOCTOR_PASS)
        doctor_say(r, DOCTOR_PASS, "%u of %u found and loaded", loaded, 6u);
}

/* ---- counters ---- */

void doctor_perfmon(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    enum { SYS_ADMIN = 21, PERFMON = 38 };
    char line[256];
    unsigned long long effective = 0;
    FILE *f = fopen("/proc/self/status", "re");
    (void)d, (void)c;
    bool read = false;
    while (f && !read && fgets(line, sizeof(line), f))
        read = sscanf(line, "CapEff: %llx", &effective) == 1;
    if (f) fclose(f);
    doctor_say(r, read ? DOCTOR_PASS : DOCTOR_WARN, "CAP_PERFMON %s, CAP_SYS_ADMIN %s",
               effective >> PERFMON & 1 ? "yes" : "no", effective >> SYS_ADMIN & 1 ? "yes" : "no");
}

/* Returns true if a word of the process's command line is the name of a profiler. */
static bool is_profiler(const char *pid)
{
    static const char *const names[] = {"rocprofv3", "rocprofv2", "rocprof", "omniperf",
                                        "rocprofiler-compute"};
    char path[300], text[4096];
    snprintf(path, sizeof(path), "/proc/%s/cmdline", pid);
    FILE *f = fopen(path, "re");
    size_t bytes = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
    if (f) fclose(f);
    text[bytes] = 0;
    for (const char *word = text; word < text + bytes; word += strlen(word) + 1) {
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
            if (strcmp(base_last_part(word), names[i]) == 0) return true;
    }
    return false;
}

void doctor_other_profilers(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    (void)d;
    if (without_kfd(r)) return;
    doctor_say(r, DOCTOR_PASS, "none runs");
    DIR *folder = opendir("/proc");
    for (struct dirent *e; folder && (e = readdir(folder));) {
        int pid = atoi(e->d_name);
        /* except for the process that has started this one */
        if (pid > 0 && pid != getpid() && pid != getppid() && is_profiler(e->d_name))
            doctor_say(r, bad(c), "process %d looks like one", pid);
    }
    if (folder) closedir(folder);
}

/* Runs rocprofv3-avail; the check passes if a line of its output begins with `begin`. */
static void check_avail(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r, int seconds,
                        const char *option, const char *begin)
{
    char path[PATH_MAX + 32], at_line[64];
    run_t done;
    snprintf(path, sizeof(path), "%s/bin/rocprofv3-avail", d->root);
    snprintf(at_line, sizeof(at_line), "\n%s", begin);
    char *const argv[] = {path, (char *)"info", (char *)(size_t)option, NULL};
    run(&done, argv, seconds);
    bool any = strncmp(done.output, begin, strlen(begin)) == 0 || strstr(done.output, at_line);
    if (done.status == 0 && any)
        doctor_say(r, DOCTOR_PASS, "%s info%s%s lists them", path, option ? " " : "",
                   option ? option : "");
    else
        say_failed(r, bad(c), path, &done);
}

void doctor_counters(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    check_avail(d, c, r, 15, "--pmc", "Counter_Name");
}

/* ---- environ ---- */

void doctor_user(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    const char *behind = variable("SUDO_USER");
    (void)d;
    if (geteuid() == 0 && behind && strcmp(behind, "root") != 0)
        doctor_say(r, bad(c), "root on behalf of %s", behind);
    else
        doctor_say(r, DOCTOR_PASS, "user %u", (unsigned)geteuid());
}

void doctor_preload(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    static const char *const others[] = {"libroctracer",   "librocprofiler64", "libomnitrace",
                                         "librocprof-sys", "libtau",           "libscorep",
                                         "libpapi"};
    const char *value = variable("LD_PRELOAD");
    (void)d, (void)c;
    doctor_say(r, DOCTOR_PASS, value ? "%s" : "not set", value);
    for (size_t i = 0; value && i < sizeof(others) / sizeof(*others); i++)
        if (strstr(value, others[i]))
            doctor_say(r, DOCTOR_FAIL, "%s: another profiler's library (%s)", value, others[i]);
}

void doctor_hsa_tools(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    const char *value = variable("HSA_TOOLS_LIB");
    (void)d;
    doctor_say(r, !value || strstr(value, "librocprofiler-") ? DOCTOR_PASS : bad(c), "%s",
               value ? value : "not set");
}

void doctor_tool_libraries(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    const char *value = variable("ROCP_TOOL_LIBRARIES");
    char path[PATH_MAX];
    (void)d;
    doctor_say(r, DOCTOR_PASS, value ? "%s" : "not set", value);
    while (next_path(&value, path))
        if (strchr(path, '/') && !exists(path))
            doctor_say(r, bad(c), "%s: %s", path, strerror(errno));
}

/* Lists those variables that are set, as NAME=value, separated by blanks. */
static size_t list_variables(char *text, size_t bytes, const char *const *names, size_t count)
{
    size_t used = 0, found = 0;
    text[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const char *value = getenv(names[i]);
        if (!value || used >= bytes) continue;
        used += (size_t)snprintf(text + used, bytes - used, "%s%s=%s", found++ ? " " : "", names[i],
                                 value);
    }
    return found;
}

void doctor_visibility(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    static const char *const names[] = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                        "CUDA_VISIBLE_DEVICES"};
    char text[512];
    (void)d;
    if (list_variables(text, sizeof(text), names, 3))
        doctor_say(r, bad(c), "not all GPUs may be seen: %s", text);
    else
        doctor_say(r, DOCTOR_PASS, "all");
}

void doctor_gates(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    static const char *const names[] = {"ROCPROFILER_PC_SAMPLING_BETA_ENABLED",
                                        "ROCPROFILER_SPM_BETA_ENABLED"};
    char text[512];
    (void)d, (void)c;
    doctor_say(r, DOCTOR_PASS, "%s", list_variables(text, sizeof(text), names, 2) ? text : "off");
}

void doctor_variables(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    size_t used = 0;
    (void)d, (void)c;
    doctor_say(r, DOCTOR_PASS, "none");
    for (char **line = environ; *line && used < sizeof(r->detail); line++)
        if (strncmp(*line, "ROCP", 4) == 0)
            used += (size_t)snprintf(r->detail + used, sizeof(r->detail) - used, "%s%s",
                                     used ? " " : "", *line);
}

/* ---- container ---- */

static const char *container(void)
{
    const char *said = variable("container");
    if (exists("/.dockerenv")) return "docker";
    if (exists("/run/.containerenv")) return "podman";
    if (exists("/.singularity.d")) return "apptainer";
    return said;
}

void doctor_container(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    (void)d, (void)c;
    doctor_say(r, DOCTOR_PASS, "%s", container() ? container() : "none");
}

void doctor_passthrough(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    size_t usable;
    (void)d;
    if (!container())
        doctor_say(r, DOCTOR_PASS, "no container");
    else if (access(BASE_DRIVER_DEVICE, R_OK | W_OK) == 0 && count_nodes(&usable) && usable)
        doctor_say(r, DOCTOR_PASS, BASE_DRIVER_DEVICE " and %zu render nodes", usable);
    else
        doctor_say(r, bad(c), BASE_DRIVER_DEVICE " or /dev/dri/renderD* cannot be used here");
}

void doctor_virtual(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char line[256], word[4096];
    bool hypervisor = false;
    FILE *f = fopen("/proc/cpuinfo", "re");
    (void)d, (void)c;
    while (f && !hypervisor && fgets(word, sizeof(word), f))
        hypervisor = strncmp(word, "flags", 5) == 0 && strstr(word, " hypervisor");
    if (f) fclose(f);
    doctor_say(r, DOCTOR_PASS, "%s %s", hypervisor ? "yes" : "no",
               base_file_line("/sys/class/dmi/id/product_name", line, sizeof(line)));
}

/* ---- python ---- */

void doctor_python(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char code[128];
    run_t done;
    (void)d;
    snprintf(code, sizeof(code), "import %s, sys; print(sys.version.split()[0])", c->argument);
    char *const argv[] = {(char *)"python3", (char *)"-c", code, NULL};
    run(&done, argv, 30);
    done.output[strcspn(done.output, "\n")] = 0;
    if (done.status == 0)
        doctor_say(r, DOCTOR_PASS, "python3 %s", done.output);
    else
        doctor_say(r, bad(c), "python3 cannot import %s", c->argument);
}

void doctor_no_python(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    (void)d, (void)c;
    doctor_say(r, DOCTOR_SKIP, "no program of this installation is written in Python");
}

/* ---- filesystem ---- */

static const char *output_directory(void)
{
    const char *given = variable("ROCPROF_OUTPUT_PATH");
    return given ? given : ".";
}

static bool can_write(const char *directory)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof(path), "%s/.rocprofv3-doctor-XXXXXX", directory);
    int fd = mkstemp(path);
    if (fd < 0) return false;
    close(fd);
    unlink(path);
    return true;
}

void doctor_output(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    const char *directory = output_directory();
    struct stat st;
    (void)d;
    if (strpbrk(directory, "%$"))
        doctor_say(r, DOCTOR_SKIP, "%s has keys, which a program fills in", directory);
    else if (stat(directory, &st) != 0)
        doctor_say(r, DOCTOR_WARN, "%s: %s; it will be made", directory, strerror(errno));
    else if (can_write(directory))
        doctor_say(r, DOCTOR_PASS, "%s", directory);
    else
        doctor_say(r, bad(c), "%s: %s", directory, strerror(errno));
}

void doctor_space(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    const unsigned long long least = 100ull << 20, enough = 1ull << 30;
    struct statvfs fs;
    (void)d, (void)c;
    if (statvfs(output_directory(), &fs) != 0) {
        doctor_say(r, DOCTOR_SKIP, "%s: %s", output_directory(), strerror(errno));
        return;
    }
    unsigned long long room = (unsigned long long)fs.f_bavail * fs.f_frsize;
    doctor_say(r,
               room < least    ? DOCTOR_FAIL
               : room < enough ? DOCTOR_WARN
                               : DOCTOR_PASS,
               "%llu MiB are free", room >> 20);
}

void doctor_temporary(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    const char *directory = variable("TMPDIR") ? variable("TMPDIR") : "/tmp";
    (void)d;
    if (can_write(directory))
        doctor_say(r, DOCTOR_PASS, "%s", directory);
    else
        doctor_say(r, bad(c), "%s: %s", directory, strerror(errno));
}

/* ---- tools ---- */

void doctor_program(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof(path), "%s/bin/%s", d->root, c->argument);
    if (access(path, X_OK) == 0)
        doctor_say(r, DOCTOR_PASS, "%s", path);
    else
        doctor_say(r, bad(c), "%s: %s", path, strerror(errno));
}

void doctor_avail_runs(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char path[PATH_MAX + 32];
    run_t done;
    snprintf(path, sizeof(path), "%s/bin/rocprofv3-avail", d->root);
    char *const argv[] = {path, (char *)"--help", NULL};
    run(&done, argv, 10);
    if (done.status == 0)
        doctor_say(r, DOCTOR_PASS, "--help ends with 0");
    else
        say_failed(r, bad(c), path, &done);
}

/* ---- smoke ---- */

void doctor_smoke_avail(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    check_avail(d, c, r, 30, NULL, "GPU");
}

void doctor_smoke_run(const doctor_t *d, const doctor_check_t *c, doctor_result_t *r)
{
    char path[PATH_MAX + 32], directory[] = "/tmp/rocprofv3-doctor-XXXXXX";
    run_t done;
    if (!exists("/bin/true") || !mkdtemp(directory)) {
        doctor_say(r, DOCTOR_SKIP, "no /bin/true, or no temporary directory");
        return;
    }
    snprintf(path, sizeof(path), "%s/bin/rocprofv3", d->root);
    char *const argv[] = {path,         (char *)"--kernel-trace", (char *)"-d", directory,
                          (char *)"--", (char *)"/bin/true",      NULL};
    run(&done, argv, 30);
    rmdir(directory);
    if (done.status == 0)
        doctor_say(r, DOCTOR_PASS, "rocprofv3 --kernel-trace -- /bin/true ends with 0");
    else
        say_failed(r, has_kfd() ? DOCTOR_FAIL : bad(c), path, &done);
}
