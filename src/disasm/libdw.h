/* libdw.h - a table of libdw's functions, which read debug information, for all users of libdw.
 *
 * libdw is loaded at the first use: few runs need source lines, and it need not be installed. To
 * use another function, add a row. */
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
    X(dwarf_ranges)                                                                                \
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

/* NULL: libdw is not installed. Any thread. */
const dis_libdw_t *dis_libdw(void);

/* Moves `die` to the first scope among itself and its following siblings whose code contains the
 * address: a function, an inlined function or a block. Namespaces are searched, too. False:
 * none. */
bool dis_scope_find(const dis_libdw_t *dw, Dwarf_Die *die, Dwarf_Addr address);

#endif
