/* coverage.c - softgpu --coverage: counts the instructions of GPUs and of code objects that softgpu
 * executes or refuses.
 *
 * Code objects are found by their ELF headers at any place in a file, so that programs, libraries
 * and bundles need no unpacking, except for compressed ones. */
#include "softgpu/cli/coverage.h"

#include "base/file.h"
#include "disasm/disasm.h"
#include "isa/isa.h"
#include "isa/table.h"
#include "softgpu/exec/exec.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOOD = 0, MISSING = 1, UNREADABLE = 125, MACHINE_AMDGPU = 224 };

static bool is_executed(unsigned op)
{
    const isa_core_t *core = isa_core_select();
    return core && core->handlers[op];
}

/* ---- GPUs ---- */

static void mark(const isa_arch_t *arch, bool has[ISA_OP_COUNT])
{
    for (unsigned fmt = 0; fmt < ISA_FMT_COUNT; fmt++)
        for (unsigned code = 0; code < ISA_OPCODES; code++)
            has[isa_op_by_code(arch, (isa_fmt_t)fmt, code)] = true;
    has[ISA_OP_NONE] = false;
}

static void print_gpu(const isa_arch_t *arch)
{
    bool has[ISA_OP_COUNT] = {false};
    unsigned all = 0, executed = 0;
    const char *gap = "";
    mark(arch, has);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        all += has[op];
        executed += has[op] && is_executed(op);
    }
    printf("| %s | %u | %u | ", arch->name, all, executed);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        if (!has[op] || is_executed(op)) continue;
        printf("%s`%s`", gap, isa_table[op].mnemonic);
        gap = ", ";
    }
    printf("%s |\n", *gap ? "" : "-");
}

static void print_gpus(void)
{
    printf("| GPU | instructions | executed | not executed |\n|---|---|---|---|\n");
    for (unsigned k = 0; k < ISA_ARCH_COUNT; k++)
        print_gpu(&isa_archs[k]);
}

/* ---- code objects ---- */

typedef struct {
    const isa_arch_t *arch;
    uint64_t runs[ISA_OP_COUNT]; /* number of times that each is in the code */
    uint64_t unknown;            /* dwords that are no instruction */
} code_t;

static void count_function(code_t *c, const dis_object_t *object, const dis_symbol_t *f)
{
    for (uint64_t at = 0; at + 4 <= f->size;) {
        uint64_t left;
        uint32_t words[ISA_MAX_DWORDS] = {0};
        isa_inst_t inst;
        const uint8_t *bytes = dis_object_bytes(object, f->address + at, &left);
        if (!bytes || left < 4) return;
        if (left > f->size - at) left = f->size - at;
        const unsigned n = left / 4 < ISA_MAX_DWORDS ? (unsigned)(left / 4) : ISA_MAX_DWORDS;
        memcpy(words, bytes, 4 * (size_t)n);
        const int size = isa_decode(c->arch, words, n, &inst);
        if (size > 0)
            c->runs[inst.op]++;
        else
            c->unknown++;
        at += 4 * (uint64_t)(size > 0 ? size : 1);
    }
}

static const code_t *sorting;

static int more_first(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    const uint64_t m = sorting->runs[x], n = sorting->runs[y];
    if (m != n) return m < n ? 1 : -1;
    return strcmp(isa_table[x].mnemonic, isa_table[y].mnemonic);
}

/* Prints the instructions of a code object; returns whether softgpu executes all of them. */
static bool print_code(const char *file, const char *target, const code_t *c)
{
    unsigned ops[ISA_OP_COUNT], n = 0, missing = 0;
    uint64_t all = 0;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        if (!c->runs[op]) continue;
        ops[n++] = op;
        all += c->runs[op];
        missing += !is_executed(op);
    }
    sorting = c;
    qsort(ops, n, sizeof *ops, more_first);
    printf("%s: %s: %llu instructions of %u kinds, %u kinds not executed", file, target,
           (unsigned long long)all, n, missing);
    if (c->unknown) printf(", %llu words are no instruction", (unsigned long long)c->unknown);
    printf("\n");
    for (unsigned k = 0; k < n; k++)
        printf("%10llu  %s%s\n", (unsigned long long)c->runs[ops[k]], isa_table[ops[k]].mnemonic,
               is_executed(ops[k]) ? "" : "  not executed");
    return !missing;
}

static int check_object(const char *file, const uint8_t *elf, size_t size)
{
    dis_object_t *object;
    size_t functions;
    char target[DIS_TARGET_BYTES];
    int status = GOOD;
    if (dis_object_open(elf, size, &object) != DIS_GOOD) {
        fprintf(stderr, "softgpu: --coverage: %s: the code object cannot be read\n", file);
        return UNREADABLE;
    }
    code_t *c = calloc(1, sizeof *c);
    dis_object_target(object, target);
    const dis_symbol_t *f = dis_object_symbols(object, &functions);
    if (c) c->arch = isa_arch_named(dis_object_gpu(object));
    if (c && !c->arch) printf("%s: %s: a GPU whose instructions are not known\n", file, target);
    for (size_t k = 0; c && c->arch && k < functions; k++)
        count_function(c, object, &f[k]);
    if (!c)
        status = UNREADABLE;
    else if (c->arch && !print_code(file, target, c))
        status = MISSING;
    free(c);
    dis_object_close(object);
    return status;
}

/* Bytes of the code object at `p`; 0: there is none. */
static size_t object_size(const uint8_t *p, size_t left)
{
    Elf64_Ehdr h;
    if (left < sizeof h || memcmp(p, ELFMAG, SELFMAG) != 0) return 0;
    memcpy(&h, p, sizeof h);
    if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != MACHINE_AMDGPU) return 0;
    const uint64_t sections = (uint64_t)h.e_shnum * h.e_shentsize;
    return h.e_shoff <= left && sections <= left - h.e_shoff ? (size_t)(h.e_shoff + sections) : 0;
}

static int check_file(const char *file)
{
    enum { MOST = 1 << 30 };
    size_t size = 0;
    unsigned objects = 0;
    int status = GOOD;
    uint8_t *bytes = (uint8_t *)base_file_read(file, MOST, &size);
    if (!bytes) {
        fprintf(stderr, "softgpu: --coverage: %s: %m\n", file);
        return UNREADABLE;
    }
    for (size_t at = 0; at < size;) {
        const uint8_t *p = memchr(bytes + at, ELFMAG0, size - at);
        if (!p) break;
        at = (size_t)(p - bytes);
        const size_t n = object_size(p, size - at);
        const int found = n ? check_object(file, p, n) : GOOD;
        if (found > status) status = found;
        objects += n != 0;
        at += n ? n : 1;
    }
    free(bytes);
    if (objects) return status;
    fprintf(stderr, "softgpu: --coverage: %s: no code object in it that is not compressed\n", file);
    return UNREADABLE;
}

int coverage(int count, char *const *files)
{
    int status = GOOD;
    if (!count) print_gpus();
    for (int k = 0; k < count; k++) {
        const int found = check_file(files[k]);
        if (found > status) status = found;
    }
    return status;
}
