/* target.c - the facts about a process that are needed before it is stopped.
 *
 * It is apart because it only reads /proc and files. All reasons why a process cannot be attached
 * are found and reported here, except for ptrace being denied at the call itself. */
#include "rocattach/internal.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "register/register.h"

#define LIBRARY "librocprofiler-register.so"

/* ---- Permission for ptrace ---- */

/* Reads a number after a name in /proc/PID/status; -1 if that fails. */
static long status_number(pid_t pid, const char *name, const char *format)
{
    char path[64], line[256];
    long value = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = base_file_stream(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), format, &value);
    if (f) fclose(f);
    return value;
}

static int ptrace_scope(void)
{
    int scope = -1;
    FILE *f = base_file_stream("/proc/sys/kernel/yama/ptrace_scope", "r");
    if (f && fscanf(f, "%d", &scope) != 1) scope = -1;
    if (f) fclose(f);
    return scope;
}

/* ORDER: values of yama's ptrace_scope. With 0, the other rules have denied it. */
static const char *const scopes[] = {
    ("it cannot be debugged by you: it has more rights than you (set-user-ID, capabilities), or "
     "this container lacks CAP_SYS_PTRACE (docker run --cap-add=SYS_PTRACE)"),
    ("/proc/sys/kernel/yama/ptrace_scope is 1: only who started a program may trace it. Set it to "
     "0 (sudo sysctl kernel.yama.ptrace_scope=0), or run rocprofv3 as root, or have the program "
     "call prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY)"),
    ("/proc/sys/kernel/yama/ptrace_scope is 2: only root may trace. Run rocprofv3 as root, or set "
     "it to 0 (sudo sysctl kernel.yama.ptrace_scope=0)"),
    ("/proc/sys/kernel/yama/ptrace_scope is 3: nobody may trace until the machine is started again "
     "with another value. Start the program under 'rocprofv3 --' instead"),
};

void rat_denial_text(const rat_denial_t *d, char *text, size_t bytes)
{
    const int last = (int)(sizeof scopes / sizeof *scopes) - 1;
    if (d->tracer > 0)
        snprintf(text, bytes,
                 "process %d: ptrace is not permitted: it is being traced by process %d (a "
                 "debugger, strace, another profiler): end that first",
                 d->pid, d->tracer);
    else if (d->target_user >= 0 && d->user != 0 && d->target_user != d->user)
        snprintf(text, bytes,
                 "process %d: ptrace is not permitted: it is of user %ld, you are user %ld: run "
                 "rocprofv3 as that user or as root",
                 d->pid, d->target_user, d->user);
    else
        snprintf(text, bytes, "process %d: ptrace is not permitted: %s", d->pid,
                 scopes[d->scope < 0      ? 0
                        : d->scope < last ? d->scope
                                          : last]);
}

rocattach_status_t rat_target_denied(const rat_target_t *t)
{
    char text[RAT_WHY_BYTES];
    pid_t traced = t->thread ? t->thread : t->pid;
    const rat_denial_t facts = {.pid = t->pid,
                                .tracer = (int)status_number(traced, "TracerPid:", "%ld"),
                                .user = geteuid(),
                                .target_user = status_number(t->pid, "Uid:", "%*d %ld"),
                                .scope = ptrace_scope()};
    rat_denial_text(&facts, text, sizeof text);
    return rat_fail(ROCATTACH_STATUS_ERROR_PTRACE_OPERATION_NOT_PERMITTED, "%s", text);
}

static rocattach_status_t fail_at(pid_t pid, const char *what)
{
    if (errno == ENOENT || errno == ESRCH)
        return rat_fail(ROCATTACH_STATUS_ERROR_PTRACE_PROCESS_NOT_FOUND, "there is no process %d",
                        (int)pid);
    if (errno == EACCES || errno == EPERM) return rat_target_denied(&(rat_target_t){.pid = pid});
    return rat_fail(ROCATTACH_STATUS_ERROR, "process %d: %s: %s", (int)pid, what, strerror(errno));
}

/* ---- The program's file ---- */

static rocattach_status_t check_program(pid_t pid)
{
    char path[64];
    Elf64_Ehdr head;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
    int fd = base_file_open(path, O_RDONLY, 0);
    if (fd < 0) return fail_at(pid, path);
    ssize_t n = read(fd, &head, sizeof head);
    close(fd);
    if (n == sizeof head && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 &&
        head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_machine == EM_X86_64)
        return ROCATTACH_STATUS_SUCCESS;
    return rat_fail(ROCATTACH_STATUS_ERROR_NOT_SUPPORTED,
                    "process %d runs code of another architecture (ELF machine %u, %s), only "
                    "x86-64 can be attached",
                    (int)pid, n == sizeof head ? head.e_machine : 0,
                    head.e_ident[EI_CLASS] == ELFCLASS32 ? "32 bits" : "64 bits");
}

/* ---- The waiting thread ---- */

static bool is_waiting(pid_t pid, const char *thread)
{
    char path[300], name[32];
    snprintf(path, sizeof path, "/proc/%d/task/%s/comm", (int)pid, thread);
    return strcmp(base_file_line(path, name, sizeof name), REG_ATTACH_THREAD) == 0;
}

static rocattach_status_t find_thread(rat_target_t *t)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)t->pid);
    DIR *folder = base_file_folder(path);
    if (!folder) return fail_at(t->pid, path);
    for (struct dirent *e; !t->thread && (e = readdir(folder));)
        if (e->d_name[0] != '.' && is_waiting(t->pid, e->d_name)) t->thread = atoi(e->d_name);
    closedir(folder);
    if (t->thread) return ROCATTACH_STATUS_SUCCESS;
    return rat_fail(ROCATTACH_STATUS_ERROR,
                    "process %d cannot be attached: it has no thread " REG_ATTACH_THREAD
                    ". Start it with ROCP_TOOL_ATTACH=1 in its environment (with HIP before 6.1 "
                    "also under 'rocprofv3 --'), and wait until it has used the GPU",
                    (int)t->pid);
}

static FILE *open_of_thread(const rat_target_t *t, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)t->pid, (int)t->thread, name);
    return base_file_stream(path, "r");
}

bool rat_target_at_rest(const rat_target_t *t)
{
    long call = SYS_pause;
    FILE *f = open_of_thread(t, "syscall");
    if (f && fscanf(f, "%ld", &call) != 1) call = -1; /* the file says "running" */
    if (f) fclose(f);
    return call == SYS_pause;
}

uint64_t rat_target_stack(const rat_target_t *t, uint64_t address)
{
    char line[PATH_MAX + 128];
    uint64_t begin = address, from, to;
    FILE *f = open_of_thread(t, "maps");
    while (f && begin == address && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= address && address < to)
            begin = from;
    if (f) fclose(f);
    return begin;
}

const char *rat_target_doing(const rat_target_t *t)
{
    static _Thread_local char text[128];
    char state = '?';
    FILE *f = open_of_thread(t, "stat");
    if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1) state = '?';
    if (f) fclose(f);
    if (state == 'T')
        snprintf(text, sizeof text, "it is stopped: kill -CONT %d lets it go on", (int)t->pid);
    else if (state == 't')
        snprintf(text, sizeof text, "a debugger holds its thread %d", (int)t->thread);
    else if (rat_target_at_rest(t))
        snprintf(text, sizeof text, "its thread %d cannot run (is the process frozen?)",
                 (int)t->thread);
    else
        snprintf(text, sizeof text, "the tool is at work in its thread %d, or hangs there",
                 (int)t->thread);
    return text;
}

/* ---- The functions ---- */

typedef struct {
    const char *bytes;
    size_t size;
} image_t;

static const void *at(const image_t *image, uint64_t offset, uint64_t bytes)
{
    return offset <= image->size && bytes <= image->size - offset ? image->bytes + offset : NULL;
}

/* The same for a table of 64-bit numbers, which must be aligned. */
static const void *table_at(const image_t *image, uint64_t offset, uint64_t bytes)
{
    return offset % sizeof(uint64_t) ? NULL : at(image, offset, bytes);
}

/* Finds the address of the file's first byte in memory, from the first of its mappings. */
static bool find_mapping(pid_t pid, char path[PATH_MAX], uint64_t *begin)
{
    char maps[64], *line = NULL;
    size_t room = 0;
    bool found = false;
    snprintf(maps, sizeof maps, "/proc/%d/maps", (int)pid);
    FILE *f = base_file_stream(maps, "r");
    while (f && !found && getline(&line, &room, f) > 0) {
        uint64_t from, offset;
        int name = 0;
        const char *base = strrchr(line, '/');
        if (!base || strncmp(base + 1, LIBRARY, strlen(LIBRARY)) != 0) continue;
        if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %n", &from, &offset, &name) != 2 || !name ||
            offset)
            continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(path, PATH_MAX, "/proc/%d/root%s", (int)pid, line + name);
        *begin = from;
        found = true;
    }
    free(line);
    if (f) fclose(f);
    return found;
}

static image_t map_file(const char *path)
{
    image_t image = {NULL, 0};
    struct stat st;
    int fd = base_file_open(path, O_RDONLY, 0);
    if (fd < 0) return image;
    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) image = (image_t){bytes, (size_t)st.st_size};
    }
    close(fd);
    return image;
}

/* Returns the value of a dynamic symbol, 0 if the file does not define it. */
static uint64_t find_symbol(const image_t *image, const char *name)
{
    const Elf64_Ehdr *head = at(image, 0, sizeof *head);
    const Elf64_Shdr *sections =
        head ? table_at(image, head->e_shoff, (uint64_t)head->e_shnum * sizeof *sections) : NULL;
    for (unsigned i = 0; sections && i < head->e_shnum; i++) {
        const Elf64_Shdr *s = &sections[i];
        if (s->sh_type != SHT_DYNSYM || s->sh_link >= head->e_shnum) continue;
        const Elf64_Sym *symbols = table_at(image, s->sh_offset, s->sh_size);
        const Elf64_Shdr *texts = &sections[s->sh_link];
        const char *names = at(image, texts->sh_offset, texts->sh_size);
        if (!symbols || !names || !texts->sh_size || names[texts->sh_size - 1]) continue;
        for (uint64_t n = 0; n < s->sh_size / sizeof *symbols; n++)
            if (symbols[n].st_shndx != SHN_UNDEF && symbols[n].st_name < texts->sh_size &&
                strcmp(names + symbols[n].st_name, name) == 0)
                return symbols[n].st_value;
    }
    return 0;
}

static uint64_t first_address(const image_t *image)
{
    const Elf64_Ehdr *head = at(image, 0, sizeof *head);
    const Elf64_Phdr *parts =
        head ? table_at(image, head->e_phoff, (uint64_t)head->e_phnum * sizeof *parts) : NULL;
    for (unsigned i = 0; parts && i < head->e_phnum; i++)
        if (parts[i].p_type == PT_LOAD) return parts[i].p_vaddr - parts[i].p_offset;
    return 0;
}

static rocattach_status_t find_functions(rat_target_t *t)
{
    char path[PATH_MAX];
    uint64_t begin;
    if (!find_mapping(t->pid, path, &begin))
        return rat_fail(ROCATTACH_STATUS_ERROR, "process %d has no " LIBRARY " loaded",
                        (int)t->pid);
    image_t image = map_file(path);
    if (!image.bytes)
        return rat_fail(ROCATTACH_STATUS_ERROR, "%s: %s (was it replaced since process %d began?)",
                        path, strerror(errno), (int)t->pid);
    uint64_t attach = find_symbol(&image, "rocprofiler_register_attach");
    uint64_t detach = find_symbol(&image, "rocprofiler_register_detach");
    uint64_t base = begin - first_address(&image);
    uint64_t run = find_symbol(&image, "rocprofiler_register_attach_run");
    munmap((void *)(size_t)image.bytes, image.size);
    t->attach = base + attach;
    t->detach = base + detach;
    t->run = base + run;
    if (attach && detach && run) return ROCATTACH_STATUS_SUCCESS;
    return rat_fail(ROCATTACH_STATUS_ERROR,
                    "%s has not the functions that this rocprofv3 attaches by: start process %d "
                    "with the library of the same installation",
                    path, (int)t->pid);
}

rocattach_status_t rat_target_find(rat_target_t *t, pid_t pid)
{
    *t = (rat_target_t){.pid = pid};
    rocattach_status_t status = check_program(pid);
    if (status == ROCATTACH_STATUS_SUCCESS) status = find_thread(t);
    if (status == ROCATTACH_STATUS_SUCCESS) status = find_functions(t);
    return status;
}

/* ---- Descendants ---- */

static bool add_children(pid_t **pids, size_t *count, pid_t pid, const char *thread)
{
    char path[300];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)pid, thread);
    FILE *f = base_file_stream(path, "r");
    bool all = f || errno == ENOENT; /* ENOENT: the thread has just ended */
    while (f && all && fscanf(f, "%d", &child) == 1) {
        all = BASE_GROW_BY_ONE(*pids, *count);
        if (all) (*pids)[(*count)++] = child;
    }
    if (f) fclose(f);
    return all;
}

bool rat_add_descendants(pid_t **pids, size_t *count, pid_t pid)
{
    size_t next = *count;
    bool all = true;
    for (;; pid = (*pids)[next++]) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
        DIR *folder = base_file_folder(path);
        all &= folder || errno == ENOENT;
        for (struct dirent *e; folder && (e = readdir(folder));)
            if (e->d_name[0] != '.') all &= add_children(pids, count, pid, e->d_name);
        if (folder) closedir(folder);
        if (next == *count) return all;
    }
}
