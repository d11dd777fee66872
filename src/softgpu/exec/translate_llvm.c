/* translate_llvm.c - calls LLVM by its C interface, and reads the library of bitcode.
 *
 * LLVM is loaded when the first loop is hot. The prototypes of the functions used are in this file,
 * so that the build does not need LLVM's headers; LLVM keeps this interface stable. One thread at a
 * time uses this file (translate.c holds a lock). */
#include "softgpu/exec/translate_internal.h"

#include "base/log.h"
#include "base/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the library, which the build makes from the handlers ---- */

#define LIBRARY(name)                                                                              \
    __asm__(".pushsection .rodata\n"                                                               \
            ".balign 16\n"                                                                         \
            "isa_bitcode_" #name ":\n"                                                             \
            ".incbin \"" ISA_LIBRARY_FOLDER "/translate_" #name ".bc\"\n"                          \
            "isa_bitcode_" #name "_behind:\n"                                                      \
            ".byte 0\n"                                                                            \
            ".popsection\n");                                                                      \
    extern const char isa_bitcode_##name[] __attribute__((visibility("hidden")));                  \
    extern const char isa_bitcode_##name##_behind[] __attribute__((visibility("hidden")));
#ifdef ISA_LIBRARY_FOLDER
LIBRARY(avx2)
LIBRARY(avx512)
#endif

static const isa_library_t libraries[] = {
#ifdef ISA_LIBRARY_FOLDER
    {"avx512", "x86-64-v4", 512, 32, true, false, isa_bitcode_avx512, isa_bitcode_avx512_behind},
    {"avx2", "x86-64-v3", 256, 8, false, true, isa_bitcode_avx2, isa_bitcode_avx2_behind},
    {"avx2_32", "x86-64-v3", 256, 8, false, true, isa_bitcode_avx2, isa_bitcode_avx2_behind},
#endif
    {0}};

const isa_library_t *isa_library_for(const isa_core_t *core)
{
    for (const isa_library_t *l = libraries; l->core; l++)
        if (!strcmp(l->core, core->name)) return l;
    return NULL;
}

/* ---- LLVM ---- */

enum {
    OLDEST = 15,
    NEWEST = 19,
    WITH_DASH = 17 /* the last version whose library has a name like libLLVM-17.so.1 */
};

static struct {
    void *(*context)(void);
    void (*context_free)(void *);
    void *(*buffer)(const char *data, size_t size, const char *name, int terminated);
    int (*parse_bitcode)(void *context, void *buffer, void **module);
    int (*parse_text)(void *context, void *buffer, void **module, char **message);
    int (*link)(void *to, void *from);
    void *(*function)(void *module, const char *name);
    const char *(*layout)(void *module);
    void (*set_layout)(void *module, const char *layout);
    const char *(*triple)(void *module);
    void (*set_triple)(void *module, const char *triple);
    void (*module_free)(void *module);
    int (*target)(const char *triple, void **target, char **message);
    void *(*machine)(void *target, const char *triple, const char *cpu, const char *features,
                     int level, int reloc, int model);
    void *(*pass_options)(void);
    void (*pass_options_free)(void *options);
    void *(*run_passes)(void *module, const char *passes, void *machine, void *options);
    char *(*error_text)(void *error);
    int (*emit)(void *machine, void *module, int type, char **message, void **buffer);
    const char *(*buffer_start)(void *buffer);
    size_t (*buffer_size)(void *buffer);
    void (*buffer_free)(void *buffer);
    void (*message_free)(char *message);
} llvm;

static const struct {
    const char *name;
    void *slot;
} functions[] = {
    {"LLVMContextCreate", &llvm.context},
    {"LLVMContextDispose", &llvm.context_free},
    {"LLVMCreateMemoryBufferWithMemoryRange", &llvm.buffer},
    {"LLVMGetBitcodeModuleInContext2", &llvm.parse_bitcode},
    {"LLVMParseIRInContext", &llvm.parse_text},
    {"LLVMLinkModules2", &llvm.link},
    {"LLVMGetNamedFunction", &llvm.function},
    {"LLVMGetDataLayoutStr", &llvm.layout},
    {"LLVMSetDataLayout", &llvm.set_layout},
    {"LLVMGetTarget", &llvm.triple},
    {"LLVMSetTarget", &llvm.set_triple},
    {"LLVMDisposeModule", &llvm.module_free},
    {"LLVMGetTargetFromTriple", &llvm.target},
    {"LLVMCreateTargetMachine", &llvm.machine},
    {"LLVMCreatePassBuilderOptions", &llvm.pass_options},
    {"LLVMDisposePassBuilderOptions", &llvm.pass_options_free},
    {"LLVMRunPasses", &llvm.run_passes},
    {"LLVMGetErrorMessage", &llvm.error_text},
    {"LLVMTargetMachineEmitToMemoryBuffer", &llvm.emit},
    {"LLVMGetBufferStart", &llvm.buffer_start},
    {"LLVMGetBufferSize", &llvm.buffer_size},
    {"LLVMDisposeMemoryBuffer", &llvm.buffer_free},
    {"LLVMDisposeMessage", &llvm.message_free},
};

static const char *const begins[] = {"LLVMInitializeX86TargetInfo", "LLVMInitializeX86Target",
                                     "LLVMInitializeX86TargetMC", "LLVMInitializeX86AsmPrinter"};

/* Values of LLVM's enumerations: the level of optimisation of code generation (less), code that is
 * independent of its place, the small code model, a file of the type object. */
enum { LESS = 1, INDEPENDENT = 2, SMALL = 3, OBJECT_FILE = 1 };

/* The passes that optimise a loop: they inline the library's functions, replace their structures by
 * values, and fold constants. */
static const char passes[] = "cgscc(inline),globaldce,function(sroa,early-cse<memssa>,instcombine,"
                             "simplifycfg,loop-mssa(licm),early-cse,dse,adce,simplifycfg)";

/* LLVM's target machine for a library's bitcode. */
typedef struct {
    const char *bitcode;
    void *machine;
} machine_t;

enum { MACHINES = 2 /* as many as there are bitcodes */ };

static struct {
    bool tried, loaded;
    isa_llvm_file_t file;              /* of the library that is loaded */
    void *context, *library, *machine; /* the last two: of the open library */
    machine_t machines[MACHINES];      /* those made so far, never freed */
} state;

bool isa_llvm_look_at(isa_llvm_file_t *f)
{
    struct stat st;
    if (!*f->path || stat(f->path, &st) != 0) return false;
    f->size = (uint64_t)st.st_size;
    f->mtime = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
    return true;
}

/* Notes the file's state now, since it may be replaced while the process runs. */
static void note_file(const char *path)
{
    isa_llvm_file_t f = {.size = 0};
    if (strlen(path) >= sizeof f.path) return;
    memcpy(f.path, path, strlen(path));
    if (isa_llvm_look_at(&f)) state.file = f;
}

static bool load(void)
{
    void *handle = NULL;
    for (unsigned version = OLDEST; !handle && version <= NEWEST; version++) {
        char name[32];
        snprintf(name, sizeof name, version > WITH_DASH ? "libLLVM.so.%u.1" : "libLLVM-%u.so.1",
                 version);
        handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    }
    if (!handle) return false;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (!base_symbol(handle, functions[k].name, functions[k].slot)) return false;
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) {
        void (*begin)(void);
        if (!base_symbol(handle, begins[k], &begin)) return false;
        begin();
    }
    Dl_info info;
    void *at;
    memcpy(&at, &llvm.context, sizeof at);
    if (dladdr(at, &info) && info.dli_fname) note_file(info.dli_fname);
    return true;
}

const isa_llvm_file_t *isa_llvm_file(void)
{
    return &state.file;
}

bool isa_llvm_load(void)
{
    if (state.tried) return state.loaded;
    state.tried = true;
    state.loaded = load() && (state.context = llvm.context()) != NULL;
    if (!state.loaded)
        base_info("no libLLVM from version %d on is installed: loops are interpreted", (int)OLDEST);
    return state.loaded;
}

static void *make_machine(const isa_library_t *library)
{
    const char *triple = llvm.triple(state.library);
    char *message;
    void *target;
    if (llvm.target(triple, &target, &message)) return NULL;
    return llvm.machine(target, triple, library->cpu, "", LESS, INDEPENDENT, SMALL);
}

/* The machine for the open library, made on the first call for its bitcode. NULL on failure. */
static void *machine_for(const isa_library_t *library)
{
    machine_t *m = state.machines, *const behind = m + MACHINES;
    while (m < behind && m->machine && m->bitcode != library->bitcode)
        m++;
    if (m == behind) return NULL;
    if (!m->machine) *m = (machine_t){library->bitcode, make_machine(library)};
    return m->machine;
}

bool isa_llvm_open(const isa_library_t *library)
{
    void *buffer = llvm.buffer(library->bitcode, (size_t)(library->behind - library->bitcode),
                               library->core, 0);
    if (!buffer || llvm.parse_bitcode(state.context, buffer, &state.library)) {
        state.library = NULL;
        return false;
    }
    state.machine = machine_for(library);
    if (!state.machine) isa_llvm_close();
    return state.machine != NULL;
}

void isa_llvm_close(void)
{
    if (state.library) llvm.module_free(state.library);
    state.library = NULL;
}

bool isa_llvm_has(const char *name)
{
    return llvm.function(state.library, name) != NULL;
}

/* The text as a module, with the library's functions that it calls. */
static void *module_of(const char *text)
{
    char *message = NULL;
    void *module = NULL, *library = state.library;
    void *buffer = llvm.buffer(text, strlen(text), "loop", 1);
    if (!buffer || llvm.parse_text(state.context, buffer, &module, &message)) {
        base_warning("translator: %s", message ? message : "no memory");
        return NULL;
    }
    llvm.set_layout(module, llvm.layout(library));
    llvm.set_triple(module, llvm.triple(library));
    state.library = NULL;
    if (!llvm.link(module, library)) return module;
    llvm.module_free(module);
    return NULL;
}

static bool optimise(void *module)
{
    void *options = llvm.pass_options();
    void *error = llvm.run_passes(module, passes, state.machine, options);
    llvm.pass_options_free(options);
    if (error) base_warning("translator: %s", llvm.error_text(error));
    return !error;
}

/* The module as an object file, on the heap. */
static void *object_of(void *module, size_t *size)
{
    char *message = NULL;
    void *buffer = NULL;
    if (llvm.emit(state.machine, module, OBJECT_FILE, &message, &buffer)) {
        base_warning("translator: %s", message ? message : "no memory");
        if (message) llvm.message_free(message);
        return NULL;
    }
    *size = llvm.buffer_size(buffer);
    void *bytes = malloc(*size);
    if (bytes) memcpy(bytes, llvm.buffer_start(buffer), *size);
    llvm.buffer_free(buffer);
    return bytes;
}

void *isa_llvm_compile(const char *text, size_t *size)
{
    void *module = module_of(text);
    if (!module) return NULL;
    void *bytes = optimise(module) ? object_of(module, size) : NULL;
    llvm.module_free(module);
    return bytes;
}
