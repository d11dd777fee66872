/* llvm.c - disassembles by LLVM's C interface, if libamd_comgr is missing or older than the GPU.
 *
 * The newest installed version is loaded at the first use. For a GPU that it does not support, LLVM
 * silently takes another one; so a table has the first version that supports each GPU. */
#include "base/llvm.h"
#include "base/symbol.h"
#include "disasm/internal.h"

#include <pthread.h>
#include <string.h>

enum { NEWEST = 26, OLDEST = 13 };

/* The first version for each GPU. Source: LLVM's release notes, "Changes to the AMDGPU backend".
 * GPUs without a row are older than OLDEST. */
static const struct {
    char gpu[16];
    unsigned since;
} news[] = {
    {"gfx940", 15},        {"gfx941", 17},         {"gfx942", 17},          {"gfx950", 20},
    {"gfx9-generic", 19},  {"gfx9-4-generic", 20}, {"gfx10-1-generic", 19}, {"gfx10-3-generic", 19},
    {"gfx1036", 15},       {"gfx1100", 15},        {"gfx1101", 15},         {"gfx1102", 15},
    {"gfx1103", 15},       {"gfx1150", 17},        {"gfx1151", 17},         {"gfx1152", 19},
    {"gfx1153", 20},       {"gfx11-generic", 19},  {"gfx1200", 18},         {"gfx1201", 18},
    {"gfx12-generic", 19}, {"gfx1250", 21},        {"gfx1251", 22},         {"gfx12-5-generic", 23},
};

typedef void *create_fn_t(const char *triple, const char *cpu, void *data, int tags, void *operands,
                          void *symbols);
typedef void dispose_fn_t(void *context);
typedef size_t instruction_fn_t(void *context, uint8_t *bytes, uint64_t size, uint64_t address,
                                char *text, size_t room);

static create_fn_t *create;
static dispose_fn_t *dispose;
static instruction_fn_t *instruction;
static unsigned version;

static void load(void)
{
    static const char *const begins[] = {"LLVMInitializeAMDGPUTargetInfo",
                                         "LLVMInitializeAMDGPUTargetMC",
                                         "LLVMInitializeAMDGPUDisassembler"};
    void *library = base_llvm_open(NEWEST, OLDEST, &version);
    if (!library || !base_symbol(library, "LLVMDisasmDispose", &dispose) ||
        !base_symbol(library, "LLVMDisasmInstruction", &instruction))
        return;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        void (*begin)(void);
        if (!base_symbol(library, begins[i], &begin)) return;
        begin();
    }
    base_symbol(library, "LLVMCreateDisasmCPU", &create);
}

bool dis_llvm_begin(dis_object_t *o)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (o->llvm) return true;
    pthread_once(&once, load);
    for (size_t i = 0; i < sizeof news / sizeof *news; i++)
        if (strcmp(news[i].gpu, o->gpu) == 0 && version < news[i].since) return false;
    if (create) o->llvm = create("amdgcn-amd-amdhsa", o->gpu, NULL, 0, NULL, NULL);
    return o->llvm;
}

size_t dis_llvm_text(dis_object_t *o, uint64_t address, char *text, size_t room, uint64_t *bytes)
{
    uint64_t left;
    uint8_t copy[DIS_INSTRUCTION_BYTES_MAX];
    const uint8_t *at = dis_bytes(o, address, &left);
    if (!at || !room) return 0;
    const size_t size = left < sizeof copy ? (size_t)left : sizeof copy;
    memcpy(copy, at, size); /* the interface does not promise to leave the bytes unchanged */
    *bytes = instruction(o->llvm, copy, size, address, text, room);
    if (!*bytes || *bytes > left) return 0;
    const size_t blanks = strspn(text, " \t");
    memmove(text, text + blanks, strlen(text + blanks) + 1);
    return strlen(text);
}

void dis_llvm_free(dis_object_t *o)
{
    if (o->llvm) dispose(o->llvm);
}
