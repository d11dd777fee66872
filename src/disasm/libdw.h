/* libdw.h - libdw, which reads debug information: one table of its functions for all who ask it.
 *
 * Loaded when it is asked for: few runs need lines, and it need not be installed. A function more
 * is a row here. */
#ifndef CROCPROF_DISASM_LIBDW_H
#define CROCPROF_DISASM_LIBDW_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

#define DIS_LIBDW(X)                                                                               \
    X(elf_version)                                                                                 \
    X(elf_memory)                                                                                  \
    X(elf_end)                                                                                     \
    X(dwarf_attr)                                                                                  \
    X(dwarf_attr_integrate)                                                                        \
    X(dwarf_begin_elf)                                                                             \
    X(dwarf_child)                                                                                 \
    X(dwarf_diename)                                                                               \
    X(dwarf_end)                                                                                   \
    X(dwarf_filesrc)                                                                               \
    X(dwarf_formaddr)                                                                              \
    X(dwarf_formref_die)                                                                           \
    X(dwarf_formstring)                                                                            \
    X(dwarf_formudata)                                                                             \
    X(dwarf_getlocation)                                                                           \
    X(dwarf_getlocation_attr)                                                                      \
    X(dwarf_getsrc_die)                                                                            \
    X(dwarf_getsrcfiles)                                                                           \
    X(dwarf_haspc)                                                                                 \
    X(dwarf_lineno)                                                                                \
    X(dwarf_linesrc)                                                                               \
    X(dwarf_nextcu)                                                                                \
    X(dwarf_offdie)                                                                                \
    X(dwarf_siblingof)                                                                             \
    X(dwarf_tag)                                                                                   \
    X(dwfl_addrmodule)                                                                             \
    X(dwfl_begin)                                                                                  \
    X(dwfl_end)                                                                                    \
    X(dwfl_linux_proc_find_elf)                                                                    \
    X(dwfl_linux_proc_report)                                                                      \
    X(dwfl_module_addrinfo)                                                                        \
    X(dwfl_module_nextcu)                                                                          \
    X(dwfl_report_end)                                                                             \
    X(dwfl_standard_find_debuginfo)

typedef struct {
#define X(name) __typeof__(&name) name;
    DIS_LIBDW(X)
#undef X
} dis_libdw_t;

/* NULL: it is not there. Any thread. */
const dis_libdw_t *dis_libdw(void);

/* The first scope among `die` and those behind it whose code has the address, in `die` afterwards:
 * a function, an inlined one or a block. Namespaces are looked into. */
bool dis_scope_find(const dis_libdw_t *dw, Dwarf_Die *die, Dwarf_Addr address);

#endif
