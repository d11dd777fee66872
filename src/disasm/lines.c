/* lines.c - source lines of addresses and the calls that were inlined there, by libdw.
 *
 * Loaded when it is asked for, as the disassembler is: only who reads a trace needs it. */
#include "disasm/internal.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(X)                                                                               \
    X(elf_version)                                                                                 \
    X(elf_memory)                                                                                  \
    X(elf_end)                                                                                     \
    X(dwarf_begin_elf)                                                                             \
    X(dwarf_end)                                                                                   \
    X(dwarf_nextcu)                                                                                \
    X(dwarf_offdie)                                                                                \
    X(dwarf_haspc)                                                                                 \
    X(dwarf_getsrc_die)                                                                            \
    X(dwarf_linesrc)                                                                               \
    X(dwarf_lineno)                                                                                \
    X(dwarf_lineaddr)                                                                              \
    X(dwarf_getscopes)                                                                             \
    X(dwarf_tag)                                                                                   \
    X(dwarf_diename)                                                                               \
    X(dwarf_attr_integrate)                                                                        \
    X(dwarf_formstring)                                                                            \
    X(dwarf_formudata)                                                                             \
    X(dwarf_getsrcfiles)                                                                           \
    X(dwarf_filesrc)

static struct {
#define X(name) __typeof__(&name) name;
    FUNCTIONS(X)
#undef X
    bool there;
} dw;

struct dis_lines {
    Elf *elf;
    Dwarf *dwarf;
    Dwarf_Die unit; /* that the last address was in */
    bool has_unit;
};

static void load(void)
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
    dw.there = all && dw.elf_version(EV_CURRENT) != EV_NONE;
}

bool dis_lines_available(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return dw.there;
}

/* NULL where there is nothing to be had, and then never again. */
static dis_lines_t *lines_of(dis_object_t *o)
{
    if (o->lines || o->no_lines) return o->lines;
    o->no_lines = true;
    dis_lines_t *l = dis_lines_available() ? calloc(1, sizeof *l) : NULL;
    if (!l) return NULL;
    l->elf = dw.elf_memory((char *)o->elf, o->size);
    l->dwarf = l->elf ? dw.dwarf_begin_elf(l->elf, DWARF_C_READ, NULL) : NULL;
    o->lines = l;
    if (l->dwarf) return l;
    dis_lines_free(o);
    return NULL;
}

void dis_lines_free(dis_object_t *o)
{
    if (!o->lines) return;
    if (o->lines->dwarf) dw.dwarf_end(o->lines->dwarf);
    if (o->lines->elf) dw.elf_end(o->lines->elf);
    free(o->lines);
    o->lines = NULL;
}

/* Whether l->unit is the unit of the address afterwards. */
static bool find_unit(dis_lines_t *l, uint64_t address)
{
    Dwarf_Off next = 0;
    size_t header;
    if (l->has_unit && dw.dwarf_haspc(&l->unit, address) > 0) return true;
    l->has_unit = false;
    for (Dwarf_Off at = 0;
         !l->has_unit && dw.dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL) == 0;
         at = next)
        l->has_unit = dw.dwarf_offdie(l->dwarf, at + header, &l->unit) &&
                      dw.dwarf_haspc(&l->unit, address) > 0;
    return l->has_unit;
}

bool dis_object_line(dis_object_t *o, uint64_t address, const char **file, uint32_t *line)
{
    dis_lines_t *l = lines_of(o);
    int number = 0;
    Dwarf_Line *row = l && find_unit(l, address) ? dw.dwarf_getsrc_die(&l->unit, address) : NULL;
    const char *name = row ? dw.dwarf_linesrc(row, NULL, NULL) : NULL;
    if (!name || dw.dwarf_lineno(row, &number) != 0 || number <= 0) return false;
    *file = name;
    *line = (uint32_t)number;
    return true;
}

static uint64_t number_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    Dwarf_Word value = 0;
    return dw.dwarf_attr_integrate(die, attribute, &a) && dw.dwarf_formudata(&a, &value) == 0
               ? value
               : 0;
}

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    return dw.dwarf_attr_integrate(die, attribute, &a) ? dw.dwarf_formstring(&a) : NULL;
}

/* Where an inlined function was called. */
static void call_of(dis_lines_t *l, Dwarf_Die *die, dis_frame_t *frame)
{
    Dwarf_Files *files;
    size_t count;
    const uint64_t file = number_of(die, DW_AT_call_file);
    frame->line = (uint32_t)number_of(die, DW_AT_call_line);
    if (dw.dwarf_getsrcfiles(&l->unit, &files, &count) == 0 && file < count)
        frame->file = dw.dwarf_filesrc(files, file, NULL, NULL);
}

size_t dis_object_inlined(dis_object_t *o, uint64_t address, dis_frame_t *frames, size_t room)
{
    dis_lines_t *l = lines_of(o);
    Dwarf_Die *scopes = NULL;
    size_t n = 0;
    if (!l || !find_unit(l, address)) return 0;
    const int count = dw.dwarf_getscopes(&l->unit, address, &scopes);
    for (int i = 0; i < count && n < room; i++) {
        if (dw.dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine) continue;
        const char *name = text_of(&scopes[i], DW_AT_linkage_name);
        if (!name) name = dw.dwarf_diename(&scopes[i]);
        frames[n] = (dis_frame_t){.function = name ? name : ""};
        call_of(l, &scopes[i], &frames[n]);
        if (!frames[n].file) frames[n].file = "";
        n++;
    }
    free(scopes);
    return n;
}
