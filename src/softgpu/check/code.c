/* code.c - see code.h: code objects' files, the source lines of their instructions, their
 * variables.
 *
 * GPU memory holds only the segments that the loader loads, so the files themselves come from the
 * program's calls (sink.h). Debug information is read with libdw, if it is installed. */
#include "softgpu/check/code.h"

#include "base/golden.h"
#include "base/sorted.h"
#include "disasm/disasm.h"
#include "softgpu/check/fork.h"
#include "softgpu/memory/code_object.h"

#include <elf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAGE_BYTES = 4096,
    ALIGNMENT_MAX = 256 /* the greatest alignment that variables usually have */
};

/* ---- files ---- */

typedef struct code {
    struct code *next;
    dis_object_t *object;
    const void *loaded; /* a copy of the bytes that the loader loads from the file's beginning */
    size_t loaded_bytes;
    const dis_symbol_t *variables;
    const dis_range_t *gaps;
    size_t n_variables, n_gaps;
} code_t;

/* Files are never removed from the list. */
static struct {
    pthread_mutex_t lock; /* held while a file is added or lines are found; a search of the list
                             takes no lock */
    _Atomic(code_t *) first;
} codes = {.lock = PTHREAD_MUTEX_INITIALIZER};

void chk_code_fork(chk_fork_t when)
{
    chk_fork_mutex(&codes.lock, when);
}

static code_t *first_code(void)
{
    return atomic_load_explicit(&codes.first, memory_order_acquire);
}

/* The code object of a loaded image; NULL: its file is not known. */
static code_t *code_of(const void *image, uint64_t bytes)
{
    code_t *c = first_code();
    while (c && (c->loaded_bytes > bytes || memcmp(c->loaded, image, c->loaded_bytes) != 0))
        c = c->next;
    return c;
}

/* How many bytes from the file's beginning are loaded unchanged. */
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
    c->variables = dis_object_variables(c->object, &c->n_variables);
    c->gaps = dis_object_gaps(c->object, &c->n_gaps);
    pthread_mutex_lock(&codes.lock);
    c->next = first_code();
    atomic_store_explicit(&codes.first, c, memory_order_release);
    pthread_mutex_unlock(&codes.lock);
}

/* ---- lines ---- */

bool chk_where_code(const sg_memory_t *m, uint64_t pc, chk_code_t *at)
{
    uint64_t begin = 0, bytes = 0;
    const void *image = pc ? sg_code_object(m, pc, &begin, &bytes) : NULL;
    at->symbol = NULL;
    at->n = at->own = 0;
    if (!image) return false;
    pthread_mutex_lock(&codes.lock);
    const code_t *c = code_of(image, bytes);
    if (c) {
        const dis_symbol_t *symbol = dis_object_symbol_at(c->object, pc - begin);
        dis_inlined_t inlined[CHK_FRAMES_OF_CODE - 1];
        const char *file;
        uint32_t line;
        if (symbol) {
            at->symbol = symbol->name;
            at->offset = pc - begin - symbol->address;
        }
        if (dis_object_line(c->object, pc - begin, &file, &line)) {
            at->file[0] = file;
            at->line[0] = line;
            at->n = 1;
        }
        const size_t n =
            at->n ? dis_object_inlined(c->object, pc - begin, inlined, CHK_FRAMES_OF_CODE - 1) : 0;
        size_t k = 0;
        for (; k < n && *inlined[k].file; k++) {
            at->function[k] = inlined[k].function;
            at->file[at->n] = inlined[k].file;
            at->line[at->n++] = inlined[k].line;
        }
        at->function[k] = k < n ? inlined[k].function : NULL;
        while (at->own < at->n && chk_is_system(at->file[at->own]))
            at->own++;
        if (at->own == at->n) at->own = 0;
    }
    pthread_mutex_unlock(&codes.lock);
    return at->n;
}

/* ---- variables ---- */

/* The code object at the start of a mapping. */
typedef struct {
    const code_t *code; /* NULL: there is none, or its file is not known */
    uint64_t begin, end;
} loaded_t;

/* The code object in the mapping of the address. Mappings of host memory are not read: the program
 * may have unmapped that memory. */
static loaded_t loaded_at(const sg_memory_t *m, uint64_t va)
{
    enum { KEPT = 16 };
    /* a cache: waves look up the same few images again and again; an image whose file is not known
     * yet is not cached */
    static _Thread_local struct {
        const sg_memory_t *m;
        uint64_t epoch;
        loaded_t loaded;
    } kept[KEPT];
    const uint64_t epoch = sg_memory_epoch(m);
    const sg_extent_t *e = sg_memory_find(m, va);
    if (!e || e->flags & (SG_MEM_REGISTERED | SG_MEM_SVM) || memcmp(e->host, ELFMAG, SELFMAG) != 0)
        return (loaded_t){0};
    const size_t k = e->begin / PAGE_BYTES * BASE_GOLDEN >> 60; /* below KEPT */
    loaded_t *known = &kept[k].loaded;
    if (kept[k].m == m && kept[k].epoch == epoch && known->begin == e->begin &&
        known->end == e->end)
        return *known;
    const loaded_t found = {code_of(e->host, e->end - e->begin), e->begin, e->end};
    if (found.code) {
        kept[k].m = m;
        kept[k].epoch = epoch;
        *known = found;
    }
    return found;
}

bool chk_code_is_at(const sg_memory_t *m, uint64_t va)
{
    return loaded_at(m, va).code;
}

static uint64_t end_of_gap(const void *of, size_t k)
{
    return ((const code_t *)of)->gaps[k].end;
}

bool chk_code_gap(const sg_memory_t *m, uint64_t va, chk_span_t *span)
{
    const loaded_t l = loaded_at(m, va);
    if (!l.code || !l.code->n_gaps) return false;
    const dis_range_t *gap = l.code->gaps;
    const uint64_t at = va - l.begin;
    const size_t k = chk_first_ending_after(l.code->n_gaps, at, end_of_gap, l.code);
    const bool inside = k < l.code->n_gaps && gap[k].begin <= at;
    uint64_t begin = k ? gap[k - 1].end : 0, end = k < l.code->n_gaps ? gap[k].begin : UINT64_MAX;
    if (inside) {
        begin = gap[k].begin;
        end = gap[k].end;
    }
    if (l.begin + begin > span->begin) span->begin = l.begin + begin;
    if (end < l.end - l.begin && l.begin + end < span->end) span->end = l.begin + end;
    return inside;
}

/* The last variable that begins at `at` or before it, the longest of several; if there is none, the
 * first variable; NULL: there are no variables. */
static const dis_symbol_t *variable_before(const code_t *c, uint64_t at)
{
    size_t k;
    BASE_SEARCH(k, c->n_variables, c->variables[k].address <= at);
    return c->n_variables ? &c->variables[k ? k - 1 : 0] : NULL;
}

bool chk_code_beyond(const sg_memory_t *m, uint64_t va, uint64_t bytes, uint64_t *bad)
{
    const loaded_t l = m ? loaded_at(m, va) : (loaded_t){0};
    chk_span_t span = {0, UINT64_MAX};
    *bad = va;
    if (!l.code) return false;
    for (size_t k = 0; k < l.code->n_variables; k++) {
        const dis_symbol_t *v = &l.code->variables[k];
        const uint64_t begin = l.begin + v->address;
        if (va - begin < v->size && begin + v->size > *bad) *bad = begin + v->size;
    }
    return *bad > va ? bytes > *bad - va : chk_code_gap(m, va, &span);
}

/* The variable that the address is in or next to, unless other contents of the code object are at
 * the address. */
static bool variable_near(const sg_memory_t *m, uint64_t va, chk_place_t *out)
{
    uint64_t mapped = va;
    chk_span_t span = {0, UINT64_MAX};
    while (!sg_memory_find(m, mapped) && va - mapped < CHK_NEAR_BYTES && mapped >= PAGE_BYTES)
        mapped -= PAGE_BYTES;
    const loaded_t l = loaded_at(m, mapped);
    const uint64_t at = va - l.begin;
    const dis_symbol_t *v = l.code ? variable_before(l.code, at) : NULL;
    if (!v) return false;
    if (at - v->address >= v->size && mapped == va && !chk_code_gap(m, va, &span)) return false;
    const uint64_t end = v->address + v->size;
    const bool has_next = v + 1 < l.code->variables + l.code->n_variables;
    if (has_next && at >= end + ALIGNMENT_MAX && v[1].address - at < at - end) v++;
    const uint64_t begin = l.begin + v->address;
    *out = (chk_place_t){.begin = begin,
                         .end = begin + v->size,
                         .serial = UINT64_C(1) << 63 |
                                   begin, /* differs from the serials of allocations */
                         .live = true,
                         .variable = v->name};
    return true;
}

bool chk_near(const sg_memory_t *m, uint64_t va, chk_place_t *out)
{
    chk_place_t variable;
    const bool has_place = chk_place_near(va, out);
    if (has_place && !chk_place_distance(out, va)) return true;
    if (!m || !variable_near(m, va, &variable)) return has_place;
    if (!has_place || chk_place_distance(&variable, va) <= chk_place_distance(out, va))
        *out = variable;
    return true;
}

/* The file's address of a managed variable. HIP keeps its value elsewhere: the symbol is that of a
 * pointer, and debug information has the symbol with ".managed" appended. */
static const code_t *find_managed(const char *symbol, uint64_t *address)
{
    const size_t length = strlen(symbol);
    for (const code_t *c = first_code(); c; c = c->next)
        for (size_t k = 0; k < c->n_variables; k++)
            if (!strncmp(c->variables[k].name, symbol, length) &&
                !strcmp(c->variables[k].name + length, ".managed")) {
                *address = c->variables[k].address;
                return c;
            }
    return NULL;
}

void chk_where_variable(const sg_memory_t *m, const chk_place_t *p, chk_calls_t *calls)
{
    const loaded_t l = m ? loaded_at(m, p->begin) : (loaded_t){0};
    uint64_t address = p->begin - l.begin;
    const code_t *c = l.code ? l.code : find_managed(p->variable, &address);
    const char *file;
    uint32_t line;
    calls->n = 0;
    pthread_mutex_lock(&codes.lock);
    if (c && dis_object_variable_line(c->object, address, &file, &line))
        calls->n = (calls->call[0] = (chk_call_t){.file = strdup(file), .line = line}).file != NULL;
    pthread_mutex_unlock(&codes.lock);
}
