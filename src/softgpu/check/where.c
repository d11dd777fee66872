/* where.c - translates the return addresses of a stack to source lines of the program.
 *
 * Debug information is read with libdw, if it is installed. */
#include "softgpu/check/check.h"

#include "base/kernel_name.h"
#include "base/text.h"
#include "disasm/libdw.h"
#include "softgpu/check/fork.h"
#include "softgpu/check/sink.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool chk_is_system(const char *file)
{
    return !strncmp(file, "/usr/", 5) || !strncmp(file, "/opt/rocm", 9);
}

enum { SCOPES_MAX = 256 }; /* inlined functions nested in each other */

/* Only one thread at a time uses libdw: the objects that it returns belong to shared handles. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void chk_where_fork(chk_fork_t when)
{
    chk_fork_mutex(&lock, when);
}

static bool call_place(const dis_libdw_t *dw, Dwarf_Die *unit, Dwarf_Die *inlined,
                       const char **file, int *line)
{
    Dwarf_Attribute at;
    Dwarf_Word in = 0, number = 0;
    Dwarf_Files *files;
    if (dw->dwarf_tag(inlined) != DW_TAG_inlined_subroutine ||
        dw->dwarf_getsrcfiles(unit, &files, NULL) != 0 ||
        !dw->dwarf_attr(inlined, DW_AT_call_file, &at) || dw->dwarf_formudata(&at, &in) != 0 ||
        !dw->dwarf_attr(inlined, DW_AT_call_line, &at) || dw->dwarf_formudata(&at, &number) != 0)
        return false;
    *file = dw->dwarf_filesrc(files, in, NULL, NULL);
    *line = (int)number;
    return *file;
}

static bool add_call(chk_calls_t *calls, const char *file, int line)
{
    chk_call_t *c = &calls->call[calls->n];
    if (!(c->file = strdup(file))) return false;
    c->line = (uint32_t)line;
    calls->n++;
    return true;
}

/* The functions that are inlined at the address, outermost first. */
static uint32_t inlined_at(const dis_libdw_t *dw, Dwarf_Die *unit, Dwarf_Addr address,
                           Dwarf_Die inlined[CHK_CALLS])
{
    Dwarf_Die die = *unit, child;
    uint32_t n = 0;
    for (unsigned depth = 0; depth < SCOPES_MAX && n < CHK_CALLS; depth++, die = child) {
        if (dw->dwarf_child(&die, &child) != 0 || !dis_scope_find(dw, &child, address)) break;
        if (dw->dwarf_tag(&child) == DW_TAG_inlined_subroutine) inlined[n++] = child;
    }
    return n;
}

/* Adds the line of an address, and the lines that called the functions inlined there. For functions
 * in system headers only the caller is added. Line 0 is ignored: compilers assign it to merged
 * code. */
static bool add_lines(const dis_libdw_t *dw, Dwarf_Die *unit, Dwarf_Addr address,
                      chk_calls_t *calls)
{
    Dwarf_Line *row = dw->dwarf_getsrc_die(unit, address);
    const char *file = row ? dw->dwarf_linesrc(row, NULL, NULL) : NULL;
    Dwarf_Die inlined[CHK_CALLS];
    int line = 0;
    if (!file || dw->dwarf_lineno(row, &line) != 0) return false;
    const uint32_t before = calls->n;
    bool good = !line || chk_is_system(file) || add_call(calls, file, line);
    for (uint32_t k = inlined_at(dw, unit, address, inlined); k-- > 0 && good;)
        if (calls->n < CHK_CALLS && call_place(dw, unit, &inlined[k], &file, &line) &&
            !chk_is_system(file))
            good = add_call(calls, file, line);
    if (calls->n == before && file && line) add_call(calls, file, line);
    return calls->n > before;
}

/* Adds the lines of a return address; the call is just before it. */
static bool add_frame(const dis_libdw_t *dw, Dwfl *d, const void *at, chk_calls_t *calls)
{
    const Dwarf_Addr address = (Dwarf_Addr)(uintptr_t)at - 1;
    Dwarf_Addr bias = 0;
    Dwfl_Module *module = dw->dwfl_addrmodule(d, address);
    for (Dwarf_Die *unit = NULL; module && (unit = dw->dwfl_module_nextcu(module, unit, &bias));)
        if (dw->dwarf_haspc(unit, address - bias) > 0)
            return add_lines(dw, unit, address - bias, calls);
    return false;
}

/* Whether the object belongs to the program, and not to a runtime, a profiler or the checker. */
static bool is_program(const char *object)
{
    static const char *const others[] = {"/libsoftgpu",  "/libamdhip64", "/libhsa-runtime",
                                         "/librocprof",  "/libc.so",     "/libstdc++",
                                         "/libhsa-amd-", "/libroctx",    "/libroctracer"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strstr(object, others[k])) return false;
    return true;
}

bool chk_called_by_program(const chk_stack_t *s)
{
    Dl_info object = {0};
    uint32_t k = 0;
    while (k < s->n && dladdr((const char *)s->at[k] - 1, &object) && object.dli_fname &&
           strstr(object.dli_fname, "/libsoftgpu"))
        k++;
    return k < s->n && object.dli_fname && is_program(object.dli_fname);
}

bool chk_made_by_program(const chk_place_t *p)
{
    return !(p->flags & SOFTGPU_CHECK_INNER) &&
           (!strncmp(p->call, "hip", 3) || chk_called_by_program(&p->made));
}

/* The function at a return address, by its name in the source, or NULL. `d`: debug information,
 * which also names static functions; may be NULL. */
static char *function_at(const dis_libdw_t *dw, Dwfl *d, const Dl_info *object, const void *at,
                         size_t *offset)
{
    const Dwarf_Addr address = (Dwarf_Addr)(uintptr_t)at - 1;
    Dwfl_Module *module = d ? dw->dwfl_addrmodule(d, address) : NULL;
    GElf_Off from = 0;
    GElf_Sym symbol;
    const char *name =
        module ? dw->dwfl_module_addrinfo(module, address, &from, &symbol, NULL, NULL, NULL) : NULL;
    *offset = from + 1;
    if (!name && (name = object->dli_sname))
        *offset = (size_t)((const char *)at - (const char *)object->dli_saddr);
    return name ? base_kernel_name(name) : NULL;
}

/* Adds a frame without a line: its function, or its offset in its object. False: the callers of
 * this frame say nothing useful. */
static bool add_symbol(const dis_libdw_t *dw, Dwfl *d, const Dl_info *object, const void *at,
                       chk_calls_t *calls)
{
    chk_call_t *c = &calls->call[calls->n];
    const char *file = base_last_part(object->dli_fname);
    size_t offset = 0;
    char *name = function_at(dw, d, object, at, &offset);
    const bool named = name;
    if (!named) offset = (size_t)((const char *)at - (const char *)object->dli_fbase);
    if (named ? strcmp(name, "_start") == 0 : calls->n > 0) {
        free(name);
        return false;
    }
    const int n = name ? asprintf(&c->place, "%s+0x%zx in %s", name, offset, file)
                       : asprintf(&c->place, "0x%zx in %s", offset, file);
    free(name);
    if (n < 0)
        c->place = NULL;
    else
        calls->n++;
    return named && n >= 0;
}

void chk_where_calls(const chk_stack_t *s, chk_calls_t *calls)
{
    static char *path;
    *calls = (chk_calls_t){0};
    pthread_mutex_lock(&lock);
    const dis_libdw_t *dw =
        dis_libdw(); /* under the lock, so that no fork happens while the library is being loaded */
    const Dwfl_Callbacks callbacks = {.find_elf = dw ? dw->dwfl_linux_proc_find_elf : NULL,
                                      .find_debuginfo =
                                          dw ? dw->dwfl_standard_find_debuginfo : NULL,
                                      .debuginfo_path = &path};
    Dwfl *d = dw ? dw->dwfl_begin(&callbacks) : NULL;
    const bool lines = d && dw->dwfl_linux_proc_report(d, getpid()) == 0 &&
                       dw->dwfl_report_end(d, NULL, NULL) == 0;
    const void *first = NULL; /* the object of the first frame without a line */
    for (uint32_t k = 0; k < s->n && calls->n < CHK_CALLS; k++) {
        Dl_info object = {0};
        const char *at = (const char *)s->at[k] - 1;
        if (!dladdr(at, &object) || !object.dli_fname || !is_program(object.dli_fname)) continue;
        if (!first && lines && add_frame(dw, d, s->at[k], calls)) continue;
        /* a frame of another object, which has called that of the program, says nothing useful */
        if (calls->n && first != object.dli_fbase) break;
        first = object.dli_fbase;
        if (!add_symbol(dw, lines ? d : NULL, &object, s->at[k], calls)) break;
    }
    if (d) dw->dwfl_end(d);
    pthread_mutex_unlock(&lock);
}

void chk_calls_free(chk_calls_t *calls)
{
    for (uint32_t k = 0; k < calls->n; k++) {
        free(calls->call[k].file);
        free(calls->call[k].place);
    }
    calls->n = 0;
}

void chk_stack_take(chk_stack_t *s)
{
    const int n = backtrace(s->at, CHK_FRAMES);
    s->n = n > 0 ? (uint32_t)n : 0;
}
