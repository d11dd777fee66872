/* where.c - from addresses to the program's text: instructions to lines of kernels, return
 * addresses to lines of the program.
 *
 * Lines of kernels need the files of code objects, of which the loader leaves only what is loaded:
 * the program's calls bring them (sink.h). Debug information is read by libdw, if it is there. */
#include "softgpu/check/check.h"

#include "disasm/disasm.h"
#include "softgpu/device/names.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- kernels ---- */

typedef struct code {
    struct code *next;
    dis_object_t *object;
    const void *loaded; /* a copy of what the loader copies first: the first segment's bytes */
    size_t loaded_bytes;
} code_t;

static struct {
    pthread_mutex_t lock;
    code_t *first;
} codes = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* How much of the file's begin is loaded as it is. */
static size_t loaded_bytes(const void *elf, size_t bytes)
{
    Elf64_Ehdr head;
    if (bytes < sizeof head) return 0;
    memcpy(&head, elf, sizeof head);
    for (unsigned i = 0; i < head.e_phnum; i++) {
        Elf64_Phdr p;
        const uint64_t at = head.e_phoff + (uint64_t)i * sizeof p;
        if (head.e_phentsize != sizeof p || at > bytes || bytes - at < sizeof p) return 0;
        memcpy(&p, (const char *)elf + at, sizeof p);
        if (p.p_type == PT_LOAD && !p.p_offset) return p.p_filesz < bytes ? p.p_filesz : bytes;
    }
    return 0;
}

void chk_code_add(const void *elf, size_t bytes)
{
    const size_t loaded = loaded_bytes(elf, bytes);
    code_t *c = loaded ? calloc(1, sizeof *c) : NULL;
    void *copy = c ? malloc(loaded) : NULL;
    if (!copy || dis_object_open(elf, bytes, &c->object) != DIS_GOOD) {
        free(copy);
        free(c);
        return;
    }
    c->loaded = memcpy(copy, elf, loaded);
    c->loaded_bytes = loaded;
    pthread_mutex_lock(&codes.lock);
    c->next = codes.first;
    codes.first = c;
    pthread_mutex_unlock(&codes.lock);
}

/* " (inlined at FILE:LINE)" for each function around it that is gone. */
static void add_callers(dis_object_t *object, uint64_t address, char *line, size_t room)
{
    dis_inlined_t inlined[8];
    const size_t n = dis_object_inlined(object, address, inlined, sizeof inlined / sizeof *inlined);
    for (size_t k = 0; k < n; k++) {
        const size_t used = strlen(line);
        if (*inlined[k].file)
            snprintf(line + used, room - used, "%s %s%s%s:%u", k ? "," : " (inlined",
                     inlined[k].function, *inlined[k].function ? " at " : "at ", inlined[k].file,
                     inlined[k].line);
    }
    if (n) strncat(line, ")", room - strlen(line) - 1);
}

void chk_where_code(const sg_memory_t *m, uint64_t pc, char *function, size_t function_room,
                    char *line, size_t line_room)
{
    uint64_t begin = 0, bytes = 0;
    const void *image = sg_code_object(m, pc, &begin, &bytes);
    *function = *line = 0;
    if (!image) return;
    pthread_mutex_lock(&codes.lock);
    code_t *c = codes.first;
    while (c && (c->loaded_bytes > bytes || memcmp(c->loaded, image, c->loaded_bytes) != 0))
        c = c->next;
    if (c) {
        const char *file;
        uint32_t number;
        const dis_symbol_t *symbol = dis_object_symbol_at(c->object, pc - begin);
        if (symbol) snprintf(function, function_room, "%s", symbol->name);
        if (dis_object_line(c->object, pc - begin, &file, &number))
            snprintf(line, line_room, "%s:%u", file, number);
        add_callers(c->object, pc - begin, line, line_room);
    }
    pthread_mutex_unlock(&codes.lock);
}

/* ---- the program ---- */

#define FUNCTIONS(X)                                                                               \
    X(dwarf_attr)                                                                                  \
    X(dwarf_filesrc)                                                                               \
    X(dwarf_formudata)                                                                             \
    X(dwarf_getscopes)                                                                             \
    X(dwarf_getsrc_die)                                                                            \
    X(dwarf_getsrcfiles)                                                                           \
    X(dwarf_haspc)                                                                                 \
    X(dwarf_lineno)                                                                                \
    X(dwarf_linesrc)                                                                               \
    X(dwarf_tag)                                                                                   \
    X(dwfl_addrmodule)                                                                             \
    X(dwfl_begin)                                                                                  \
    X(dwfl_end)                                                                                    \
    X(dwfl_linux_proc_find_elf)                                                                    \
    X(dwfl_linux_proc_report)                                                                      \
    X(dwfl_module_nextcu)                                                                          \
    X(dwfl_report_end)                                                                             \
    X(dwfl_standard_find_debuginfo)

static struct {
    pthread_mutex_t lock;
    bool tried, there;
#define X(name) __typeof__(&name) name;
    FUNCTIONS(X)
#undef X
} dw = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool load(void)
{
    void *library = dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);
    bool all = library;
#define X(name)                                                                                    \
    if (all) {                                                                                     \
        void *address = dlsym(library, #name);                                                     \
        memcpy(&dw.name, &address, sizeof address);                                                \
        all = address;                                                                             \
    }
    FUNCTIONS(X)
#undef X
    return all;
}

/* Headers of the system and of ROCm: what is inlined from them was called by the program. */
static bool is_system(const char *file)
{
    return !strncmp(file, "/usr/", 5) || !strncmp(file, "/opt/rocm", 9);
}

static bool call_place(Dwarf_Die *unit, Dwarf_Die *inlined, const char **file, int *line)
{
    Dwarf_Attribute at;
    Dwarf_Word in = 0, number = 0;
    Dwarf_Files *files;
    if (dw.dwarf_tag(inlined) != DW_TAG_inlined_subroutine ||
        dw.dwarf_getsrcfiles(unit, &files, NULL) != 0 ||
        !dw.dwarf_attr(inlined, DW_AT_call_file, &at) || dw.dwarf_formudata(&at, &in) != 0 ||
        !dw.dwarf_attr(inlined, DW_AT_call_line, &at) || dw.dwarf_formudata(&at, &number) != 0)
        return false;
    *file = dw.dwarf_filesrc(files, in, NULL, NULL);
    *line = (int)number;
    return *file;
}

/* The line of an address in the unit, or where the program called what it was inlined from. */
static bool line_in(Dwarf_Die *unit, Dwarf_Addr address, char *text, size_t room)
{
    Dwarf_Line *row = dw.dwarf_getsrc_die(unit, address);
    const char *file = row ? dw.dwarf_linesrc(row, NULL, NULL) : NULL, *called;
    Dwarf_Die *scopes = NULL;
    int line = 0, call_line;
    if (!file || dw.dwarf_lineno(row, &line) != 0) return false;
    const int n = is_system(file) ? dw.dwarf_getscopes(unit, address, &scopes) : 0;
    for (int k = 0; k < n && is_system(file); k++)
        if (call_place(unit, &scopes[k], &called, &call_line)) {
            file = called;
            line = call_line;
        }
    snprintf(text, room, "%s:%d", file, line);
    free(scopes);
    return true;
}

/* "FILE:LINE" of a return address, whose call is just before it. */
static bool line_of(Dwfl *d, const void *at, char *text, size_t room)
{
    const Dwarf_Addr address = (Dwarf_Addr)(uintptr_t)at - 1;
    Dwarf_Addr bias = 0;
    Dwfl_Module *module = dw.dwfl_addrmodule(d, address);
    for (Dwarf_Die *unit = NULL; module && (unit = dw.dwfl_module_nextcu(module, unit, &bias));)
        if (dw.dwarf_haspc(unit, address - bias) > 0)
            return line_in(unit, address - bias, text, room);
    return false;
}

/* Runtimes, profilers and ourselves: nobody looks for an error there first. */
static bool is_program(const char *object)
{
    static const char *const others[] = {"/libsoftgpu",  "/libamdhip64", "/libhsa-runtime",
                                         "/librocprof",  "/libc.so",     "/libstdc++",
                                         "/libhsa-amd-", "/libroctx",    "/libroctracer"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strstr(object, others[k])) return false;
    return true;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void chk_where_call(const chk_stack_t *s, char *text, size_t room)
{
    static char *path;
    Dl_info object = {0};
    uint32_t k = 0;
    *text = 0;
    while (k < s->n && (!dladdr((char *)s->at[k] - 1, &object) || !object.dli_fname ||
                        !is_program(object.dli_fname)))
        k++;
    if (k == s->n) return;
    pthread_mutex_lock(&dw.lock);
    if (!dw.tried) dw.there = load();
    dw.tried = true;
    const Dwfl_Callbacks callbacks = {.find_elf = dw.dwfl_linux_proc_find_elf,
                                      .find_debuginfo = dw.dwfl_standard_find_debuginfo,
                                      .debuginfo_path = &path};
    Dwfl *d = dw.there ? dw.dwfl_begin(&callbacks) : NULL;
    const bool told = d && dw.dwfl_linux_proc_report(d, getpid()) == 0 &&
                      dw.dwfl_report_end(d, NULL, NULL) == 0 && line_of(d, s->at[k], text, room);
    if (d) dw.dwfl_end(d);
    pthread_mutex_unlock(&dw.lock);
    if (told) return;
    if (object.dli_sname)
        snprintf(text, room, "%s+0x%zx in %s", object.dli_sname,
                 (size_t)((char *)s->at[k] - (char *)object.dli_saddr),
                 last_part(object.dli_fname));
    else
        snprintf(text, room, "0x%zx in %s", (size_t)((char *)s->at[k] - (char *)object.dli_fbase),
                 last_part(object.dli_fname));
}

void chk_stack_take(chk_stack_t *s)
{
    const int n = backtrace(s->at, CHK_FRAMES);
    s->n = n > 0 ? (uint32_t)n : 0;
}
