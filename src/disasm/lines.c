/* lines.c - reads debug information about addresses with libdw: source lines, variables, inlined
 * functions, parameters. */
#include "base/grow.h"
#include "base/sorted.h"
#include "disasm/internal.h"
#include "disasm/libdw.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const dis_libdw_t *dw; /* set once available() has returned true */

/* A cache of the last answer. Each beginning and end of a scope in a function is a bound, and
 * inlined functions are the same from one bound to the next, so that neighbouring addresses have
 * the same answer. */
enum { INLINED_KEPT = 32 };
typedef struct {
    unsigned asked; /* number of look-ups in this function: the second one collects the bounds */
    uint64_t *bounds;
    size_t bound_count;
    uint64_t from, to; /* addresses of the last answer; none if they are equal */
    dis_inlined_t list[INLINED_KEPT];
    size_t count;
} kept_t;

struct dis_lines {
    Elf *elf;
    Dwarf *dwarf;
    Dwarf_Die unit; /* the unit of the last address */
    bool has_unit;
    const char *primary; /* file name of the unit, NULL: unknown */
    Dwarf_Die function;  /* the function of the last address, in `unit` */
    bool has_function;
    kept_t kept; /* of `function` */
};

static void load(void)
{
    dw = dis_libdw();
}

static bool available(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return dw;
}

/* The lines of an object, read at the first call. NULL: there is no debug information, and later
 * calls do not try again. */
static dis_lines_t *lines_of(dis_object_t *o)
{
    if (o->lines || o->no_lines) return o->lines;
    o->no_lines = true;
    dis_lines_t *l = available() ? calloc(1, sizeof *l) : NULL;
    if (!l) return NULL;
    l->elf = dw->elf_memory((char *)o->elf, o->size);
    l->dwarf = l->elf ? dw->dwarf_begin_elf(l->elf, DWARF_C_READ, NULL) : NULL;
    o->lines = l;
    if (l->dwarf) return l;
    dis_lines_free(o);
    return NULL;
}

static void forget_kept(kept_t *k)
{
    free(k->bounds);
    *k = (kept_t){0};
}

void dis_lines_free(dis_object_t *o)
{
    if (!o->lines) return;
    forget_kept(&o->lines->kept);
    if (o->lines->dwarf) dw->dwarf_end(o->lines->dwarf);
    if (o->lines->elf) dw->elf_end(o->lines->elf);
    free(o->lines);
    o->lines = NULL;
}

/* ---- attributes ---- */

static uint64_t number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (!dw->dwarf_attr_integrate(die, name, &attribute) ||
        dw->dwarf_formudata(&attribute, &value) != 0)
        return 0;
    return value;
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    const char *text =
        dw->dwarf_attr(die, name, &attribute) ? dw->dwarf_formstring(&attribute) : NULL;
    return text ? text : "";
}

/* A file by its number in the unit (in DWARF 5 numbers begin at 0); NULL: there is none. */
static const char *file_of(Dwarf_Die *unit, uint64_t number)
{
    Dwarf_Files *files;
    size_t count;
    if (dw->dwarf_getsrcfiles(unit, &files, &count) != 0 || number >= count) return NULL;
    return dw->dwarf_filesrc(files, number, NULL, NULL);
}

/* The file of the unit, as line tables name it. The unit's name is the path in the compiler's
 * command, relative to the folder in which the compiler ran, but files of line tables have absolute
 * paths. */
static const char *primary_of(Dwarf_Die *unit)
{
    const char *name = text_of(unit, DW_AT_name), *folder = text_of(unit, DW_AT_comp_dir);
    const size_t length = *name == '/' ? 0 : strlen(folder);
    Dwarf_Files *files;
    size_t count;
    if (!*name || dw->dwarf_getsrcfiles(unit, &files, &count) != 0) return NULL;
    for (size_t i = 0; i < count; i++) {
        const char *file = dw->dwarf_filesrc(files, i, NULL, NULL);
        if (!file || strncmp(file, folder, length) != 0) continue;
        if (strcmp(file + length + (length && file[length] == '/'), name) == 0) return file;
    }
    return NULL;
}

/* ---- lines ---- */

/* Makes l->unit the unit that contains the address; false: there is none. */
static bool find_unit(dis_lines_t *l, uint64_t address)
{
    Dwarf_Off next = 0;
    size_t header;
    if (l->has_unit && dw->dwarf_haspc(&l->unit, address) > 0) return true;
    l->has_unit = l->has_function = false;
    forget_kept(&l->kept);
    for (Dwarf_Off at = 0;
         !l->has_unit && dw->dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL) == 0;
         at = next)
        l->has_unit = dw->dwarf_offdie(l->dwarf, at + header, &l->unit) &&
                      dw->dwarf_haspc(&l->unit, address) > 0;
    l->primary = l->has_unit ? primary_of(&l->unit) : NULL;
    return l->has_unit;
}

const char *dis_object_unit(dis_object_t *o, uint64_t address)
{
    dis_lines_t *l = lines_of(o);
    return l && find_unit(l, address) ? l->primary : NULL;
}

bool dis_object_line(dis_object_t *o, uint64_t address, const char **file, uint32_t *line)
{
    dis_lines_t *l = lines_of(o);
    int number = 0;
    Dwarf_Line *row = l && find_unit(l, address) ? dw->dwarf_getsrc_die(&l->unit, address) : NULL;
    const char *name = row ? dw->dwarf_linesrc(row, NULL, NULL) : NULL;
    if (!name || dw->dwarf_lineno(row, &number) != 0 || number <= 0) return false;
    *file = name;
    *line = (uint32_t)number;
    return true;
}

/* ---- variables ---- */

enum { DEPTH_MAX = 256 }; /* nesting of scopes */

/* Whether the variable's location is that address and nothing else. AMD's compilers append the
 * address space (DW_OP_xderef). */
static bool is_at(Dwarf_Die *variable, uint64_t address)
{
    Dwarf_Attribute location, indirect;
    Dwarf_Op *op;
    size_t ops;
    Dwarf_Addr at = 0;
    if (!dw->dwarf_attr(variable, DW_AT_location, &location) ||
        dw->dwarf_getlocation(&location, &op, &ops) != 0 || !ops ||
        (ops > 1 && op[ops - 1].atom != DW_OP_xderef))
        return false;
    if (op->atom == DW_OP_addr) return op->number == address;
    return op->atom == DW_OP_addrx && dw->dwarf_getlocation_attr(&location, op, &indirect) == 0 &&
           dw->dwarf_formaddr(&indirect, &at) == 0 && at == address;
}

/* Finds the variable at the address, in the scope and the scopes inside it. */
static bool find_variable(Dwarf_Die *scope, uint64_t address, Dwarf_Die *found, unsigned depth)
{
    Dwarf_Die child;
    if (depth == DEPTH_MAX || dw->dwarf_child(scope, &child) != 0) return false;
    do {
        const int tag = dw->dwarf_tag(&child);
        if (tag == DW_TAG_variable && is_at(&child, address)) {
            *found = child;
            return true;
        }
        if ((tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block) &&
            find_variable(&child, address, found, depth + 1))
            return true;
    } while (dw->dwarf_siblingof(&child, &child) == 0);
    return false;
}

bool dis_object_variable_line(dis_object_t *o, uint64_t address, const char **file, uint32_t *line)
{
    dis_lines_t *l = lines_of(o);
    Dwarf_Off next = 0;
    Dwarf_Die unit, variable;
    size_t header;
    bool found = false;
    for (Dwarf_Off at = 0;
         l && !found && dw->dwarf_nextcu(l->dwarf, at, &next, &header, NULL, NULL, NULL) == 0;
         at = next)
        found = dw->dwarf_offdie(l->dwarf, at + header, &unit) &&
                find_variable(&unit, address, &variable, 0);
    const uint64_t number = found ? number_of(&variable, DW_AT_decl_line) : 0;
    if (!number || number > UINT32_MAX) return false;
    *file = file_of(&unit, number_of(&variable, DW_AT_decl_file));
    *line = (uint32_t)number;
    return *file;
}

/* ---- functions ---- */

/* Makes l->function the function that contains the address; false: there is none. */
static bool find_function(dis_lines_t *l, uint64_t address)
{
    if (!find_unit(l, address)) return false;
    if (l->has_function && dw->dwarf_haspc(&l->function, address) > 0) return true;
    forget_kept(&l->kept);
    l->has_function =
        dw->dwarf_child(&l->unit, &l->function) == 0 && dis_scope_find(dw, &l->function, address);
    return l->has_function;
}

static dis_inlined_t describe_inlined(dis_lines_t *l, Dwarf_Die *die)
{
    const uint64_t line = number_of(die, DW_AT_call_line);
    const char *function = dw->dwarf_diename(die),
               *name = file_of(&l->unit, number_of(die, DW_AT_call_file));
    return (dis_inlined_t){function ? function : "", name ? name : "",
                           name && line <= UINT32_MAX ? (uint32_t)line : 0};
}

/* Adds the bounds of a scope and of those in it. False: out of memory. */
static bool add_bounds(kept_t *k, Dwarf_Die *scope, unsigned depth)
{
    Dwarf_Die child;
    Dwarf_Addr base, begin, end;
    ptrdiff_t at = 0;
    while ((at = dw->dwarf_ranges(scope, at, &base, &begin, &end)) > 0) {
        if (!BASE_GROW_BY_ONE(k->bounds, k->bound_count)) return false;
        k->bounds[k->bound_count++] = begin;
        if (!BASE_GROW_BY_ONE(k->bounds, k->bound_count)) return false;
        k->bounds[k->bound_count++] = end;
    }
    if (depth == DEPTH_MAX || dw->dwarf_child(scope, &child) != 0) return true;
    do {
        if (!add_bounds(k, &child, depth + 1)) return false;
    } while (dw->dwarf_siblingof(&child, &child) == 0);
    return true;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Caches an answer with the range of addresses, around this one, for which it is the same. */
static void keep(dis_lines_t *l, uint64_t address, const dis_inlined_t *list, size_t count)
{
    kept_t *k = &l->kept;
    k->from = k->to = 0;
    if (count > INLINED_KEPT || ++k->asked < 2) return;
    if (k->asked == 2) {
        if (!add_bounds(k, &l->function, 0)) k->bound_count = 0;
        if (k->bound_count) qsort(k->bounds, k->bound_count, sizeof *k->bounds, by_number);
    }
    size_t above;
    BASE_SEARCH(above, k->bound_count, k->bounds[above] <= address);
    if (!above || above == k->bound_count) return;
    k->from = k->bounds[above - 1];
    k->to = k->bounds[above];
    k->count = count;
    memcpy(k->list, list, count * sizeof *list);
}

size_t dis_object_inlined(dis_object_t *o, uint64_t address, dis_inlined_t *list, size_t room)
{
    dis_lines_t *l = lines_of(o);
    Dwarf_Die die, child;
    size_t count = 0;
    const kept_t *k = l ? &l->kept : NULL;
    if (k && address - k->from < k->to - k->from && k->count <= room) {
        memcpy(list, k->list, k->count * sizeof *list);
        return k->count;
    }
    if (!room || !l || !find_function(l, address)) return 0;
    die = l->function;
    for (int depth = 0; depth < DEPTH_MAX; depth++, die = child) {
        if (dw->dwarf_child(&die, &child) != 0 || !dis_scope_find(dw, &child, address)) break;
        if (dw->dwarf_tag(&child) != DW_TAG_inlined_subroutine) continue;
        /* if the list is full, the outermost one is dropped */
        memmove(list + 1, list, (count < room ? count : room - 1) * sizeof *list);
        list[0] = describe_inlined(l, &child);
        if (count < room) count++;
    }
    if (count < room) keep(l, address, list, count); /* the list is whole */
    return count;
}

static void append(char *text, size_t room, const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, room - used, "%s", more);
}

/* Writes a type in C's notation, for instance "const float *". */
static void describe_type(Dwarf_Die *of, char *text, size_t room)
{
    Dwarf_Die types[8];
    Dwarf_Attribute attribute;
    size_t count = 0;
    const char *name = NULL;
    *text = '\0';
    for (Dwarf_Die *at = of; count < sizeof types / sizeof *types && !name; at = &types[count++]) {
        if (!dw->dwarf_attr_integrate(at, DW_AT_type, &attribute) ||
            !dw->dwarf_formref_die(&attribute, &types[count]))
            break;
        name = dw->dwarf_diename(&types[count]);
    }
    for (size_t i = count; i-- > 0;)
        if (dw->dwarf_tag(&types[i]) == DW_TAG_const_type && i + 1 == count - (name != NULL))
            append(text, room, "const ");
    const int last = count ? dw->dwarf_tag(&types[count - 1]) : 0;
    if (!name && last != DW_TAG_pointer_type && last != DW_TAG_const_type) return;
    append(text, room, name ? name : "void");
    for (size_t i = count; i-- > 0;)
        if (dw->dwarf_tag(&types[i]) == DW_TAG_pointer_type)
            append(text, room, text[strlen(text) - 1] == '*' ? "*" : " *");
}

void dis_object_parameters(dis_object_t *o, uint64_t address, dis_kernel_t *kernel)
{
    dis_lines_t *l = lines_of(o);
    Dwarf_Die die;
    size_t k = 0;
    if (!l || !find_function(l, address) || dw->dwarf_child(&l->function, &die) != 0) return;
    do {
        const char *name = dw->dwarf_diename(&die);
        if (dw->dwarf_tag(&die) != DW_TAG_formal_parameter) continue;
        if (k == kernel->parameter_count) return;
        dis_parameter_t *p = &kernel->parameters[k++];
        if (name) snprintf(p->name, sizeof p->name, "%s", name);
        describe_type(&die, p->type, sizeof p->type);
    } while (dw->dwarf_siblingof(&die, &die) == 0);
}
