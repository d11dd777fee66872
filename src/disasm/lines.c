/* lines.c - source lines of addresses, by libdw.
 *
 * Loaded when it is asked for, as the disassembler is: only who reads a trace needs it. */
#include "disasm/internal.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <pthread.h>
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
    X(dwarf_lineno)

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

static bool available(void)
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
    dis_lines_t *l = available() ? calloc(1, sizeof *l) : NULL;
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
