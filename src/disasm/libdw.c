/* libdw.c - see libdw.h: loads libdw and finds scopes in its trees. */
#include "disasm/libdw.h"

#include "base/installation.h"
#include "base/symbol.h"

#include <pthread.h>

static struct {
    pthread_once_t once;
    dis_libdw_t table;
    bool there;
} loaded = {.once = PTHREAD_ONCE_INIT};

static void load(void)
{
    void *library = base_outside("libdw.so.1");
#define X(name) &&base_symbol(library, #name, &loaded.table.name)
    loaded.there = library DIS_LIBDW(X) && loaded.table.elf_version(EV_CURRENT) != EV_NONE;
#undef X
}

const dis_libdw_t *dis_libdw(void)
{
    pthread_once(&loaded.once, load);
    return loaded.there ? &loaded.table : NULL;
}

enum { NAMESPACES_MAX = 32 }; /* nesting of namespaces that is followed */

static bool find_scope(const dis_libdw_t *dw, Dwarf_Die *die, Dwarf_Addr address, unsigned depth)
{
    do {
        Dwarf_Die child;
        const int tag = dw->dwarf_tag(die);
        const bool scope = tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
                           tag == DW_TAG_lexical_block;
        if (scope && dw->dwarf_haspc(die, address) > 0) return true;
        if (tag == DW_TAG_namespace && depth < NAMESPACES_MAX &&
            dw->dwarf_child(die, &child) == 0 && find_scope(dw, &child, address, depth + 1)) {
            *die = child;
            return true;
        }
    } while (dw->dwarf_siblingof(die, die) == 0);
    return false;
}

bool dis_scope_find(const dis_libdw_t *dw, Dwarf_Die *die, Dwarf_Addr address)
{
    return find_scope(dw, die, address, 0);
}
