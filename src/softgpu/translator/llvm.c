/* llvm.c - see llvm.h. The prototypes of the functions used are in this file, so that the build
 * does not need LLVM's headers; LLVM keeps this interface stable. */
#include "softgpu/translator/llvm.h"

#include "base/llvm.h"
#include "base/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST = 15, NEWEST = 19 };

static struct {
    void *(*context)(void);
    void (*set_diagnostics)(void *context, void (*handler)(void *, void *), void *data);
    int (*severity)(void *diagnostic);
    char *(*description)(void *diagnostic);
    void *(*buffer)(const char *data, size_t size, const char *name, int terminated);
    int (*parse_bitcode)(void *context, void *buffer, void **module);
    int (*parse_text)(void *context, void *buffer, void **module, char **message);
    int (*link)(void *to, void *from);
    void *(*first_function)(void *module);
    void *(*next_function)(void *function);
    const char *(*value_name)(void *value, size_t *length);
    int (*is_declaration)(void *function);
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
    void (*error_text_free)(char *text);
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
    {"LLVMContextSetDiagnosticHandler", &llvm.set_diagnostics},
    {"LLVMGetDiagInfoSeverity", &llvm.severity},
    {"LLVMGetDiagInfoDescription", &llvm.description},
    {"LLVMCreateMemoryBufferWithMemoryRange", &llvm.buffer},
    {"LLVMGetBitcodeModuleInContext2", &llvm.parse_bitcode},
    {"LLVMParseIRInContext", &llvm.parse_text},
    {"LLVMLinkModules2", &llvm.link},
    {"LLVMGetFirstFunction", &llvm.first_function},
    {"LLVMGetNextFunction", &llvm.next_function},
    {"LLVMGetValueName2", &llvm.value_name},
    {"LLVMIsDeclaration", &llvm.is_declaration},
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
    {"LLVMDisposeErrorMessage", &llvm.error_text_free},
    {"LLVMTargetMachineEmitToMemoryBuffer", &llvm.emit},
    {"LLVMGetBufferStart", &llvm.buffer_start},
    {"LLVMGetBufferSize", &llvm.buffer_size},
    {"LLVMDisposeMemoryBuffer", &llvm.buffer_free},
    {"LLVMDisposeMessage", &llvm.message_free},
};

static const char *const begins[] = {"LLVMInitializeX86TargetInfo", "LLVMInitializeX86Target",
                                     "LLVMInitializeX86TargetMC", "LLVMInitializeX86AsmPrinter"};

/* Values of LLVM's enumerations: code that is independent of its place, the small code model, a
 * file of the type object; a diagnostic that is an error. */
enum { INDEPENDENT = 2, SMALL = 3, OBJECT_FILE = 1, IS_ERROR = 0 };

static void *context;
static char *first_error; /* which note_error() has been told; to be freed by LLVM; NULL: none */

static bool load(void)
{
    void *handle = base_llvm_open(OLDEST, NEWEST, NULL);
    if (!handle) return false;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        if (!base_symbol(handle, functions[k].name, functions[k].slot)) return false;
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) {
        void (*begin)(void);
        if (!base_symbol(handle, begins[k], &begin)) return false;
        begin();
    }
    return true;
}

/* Instead of LLVM's own handler, which ends the process at an error. LLVM goes on behind some
 * errors, and says of the wrong code that it then makes that all is well. */
static void note_error(void *diagnostic, void *data)
{
    char **error = data;
    if (!*error && llvm.severity(diagnostic) == IS_ERROR) *error = llvm.description(diagnostic);
}

static void forget_error(void)
{
    if (first_error) llvm.message_free(first_error);
    first_error = NULL;
}

const char *llvm_load(void)
{
    Dl_info info;
    void *at;
    if (!load() || !(context = llvm.context())) return NULL;
    llvm.set_diagnostics(context, note_error, &first_error);
    memcpy(&at, &llvm.context, sizeof at);
    return dladdr(at, &info) ? info.dli_fname : NULL;
}

/* Copies LLVM's message, which may be NULL, and frees it. */
static void *fail(char *message, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "%s", message ? message : "no memory");
    if (message) llvm.message_free(message);
    return NULL;
}

/* The bitcode as a module. */
static void *open_library(const llvm_library_t *library, char *why, size_t why_bytes)
{
    void *module = NULL, *buffer = llvm.buffer(library->bitcode, library->bytes, "library", 0);
    if (buffer && !llvm.parse_bitcode(context, buffer, &module)) return module;
    snprintf(why, why_bytes, "the library's bitcode cannot be read");
    return NULL;
}

/* The names of a module's functions, each with its zero; NULL if out of memory. */
static char *names_in(void *module, size_t *size)
{
    char *names = NULL;
    FILE *f = open_memstream(&names, size);
    if (!f) return NULL;
    for (void *at = llvm.first_function(module); at; at = llvm.next_function(at)) {
        size_t length;
        const char *name = llvm.value_name(at, &length);
        if (!llvm.is_declaration(at)) fwrite(name, 1, length + 1, f);
    }
    return fclose(f) == 0 ? names : NULL;
}

char *llvm_names(llvm_library_t *library, size_t *size, char *why, size_t why_bytes)
{
    void *module = open_library(library, why, why_bytes);
    if (!module) return NULL;
    char *names = names_in(module, size);
    llvm.module_free(module);
    return names ? names : fail(NULL, why, why_bytes);
}

/* The machine for a library, whose module is open. */
static void *machine_for(llvm_library_t *library, void *module, char *why, size_t why_bytes)
{
    char *message = NULL;
    void *target;
    const char *triple = llvm.triple(module);
    if (library->machine) return library->machine;
    if (llvm.target(triple, &target, &message)) return fail(message, why, why_bytes);
    library->machine =
        llvm.machine(target, triple, library->cpu, "", library->level, INDEPENDENT, SMALL);
    return library->machine ? library->machine : fail(NULL, why, why_bytes);
}

/* Links the module with the library's functions that it calls. */
static bool link_with(llvm_library_t *library, void *module, char *why, size_t why_bytes)
{
    void *handlers = open_library(library, why, why_bytes);
    if (!handlers) return false;
    if (!machine_for(library, handlers, why, why_bytes)) {
        llvm.module_free(handlers);
        return false;
    }
    llvm.set_layout(module, llvm.layout(handlers));
    llvm.set_triple(module, llvm.triple(handlers));
    if (!llvm.link(module, handlers)) return true; /* `handlers` is freed in any case */
    snprintf(why, why_bytes, "the code and the library cannot be linked");
    return false;
}

/* The text as a module, linked. */
static void *module_of(llvm_library_t *library, const char *text, char *why, size_t why_bytes)
{
    char *message = NULL;
    void *module = NULL, *buffer = llvm.buffer(text, strlen(text), "code", 1);
    if (!buffer || llvm.parse_text(context, buffer, &module, &message))
        return fail(message, why, why_bytes);
    if (link_with(library, module, why, why_bytes)) return module;
    llvm.module_free(module);
    return NULL;
}

static bool optimise(void *module, const char *passes, void *machine, char *why, size_t why_bytes)
{
    void *options = llvm.pass_options();
    void *error = llvm.run_passes(module, passes, machine, options);
    llvm.pass_options_free(options);
    if (!error) return true;
    char *text = llvm.error_text(error);
    snprintf(why, why_bytes, "%s", text);
    llvm.error_text_free(text);
    return false;
}

/* The module as an object file. */
static char *object_of(void *module, void *machine, size_t *size, char *why, size_t why_bytes)
{
    char *message = NULL;
    void *buffer = NULL;
    if (llvm.emit(machine, module, OBJECT_FILE, &message, &buffer))
        return fail(message, why, why_bytes);
    *size = llvm.buffer_size(buffer);
    char *bytes = malloc(*size);
    if (bytes) memcpy(bytes, llvm.buffer_start(buffer), *size);
    llvm.buffer_free(buffer);
    return bytes ? bytes : fail(NULL, why, why_bytes);
}

char *llvm_compile(llvm_library_t *library, const char *passes, const char *text, size_t *size,
                   char *why, size_t why_bytes)
{
    char *bytes = NULL;
    forget_error();
    void *module = module_of(library, text, why, why_bytes);
    if (module && optimise(module, passes, library->machine, why, why_bytes))
        bytes = object_of(module, library->machine, size, why, why_bytes);
    if (module) llvm.module_free(module);
    if (!first_error) return bytes;
    snprintf(why, why_bytes, "%s", first_error);
    free(bytes);
    return NULL;
}
