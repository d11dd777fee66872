/* register.h - what the files of librocprofiler-register share.
 *
 * registry.c keeps the registrations and handles the runtimes' calls, tools.c finds tools and the
 * SDK, runtimes.c has the runtimes' names, and attach.c loads tools while the program runs. A new
 * runtime is one row in REG_RUNTIMES. */
#ifndef CROCPROF_REGISTER_REGISTER_H
#define CROCPROF_REGISTER_REGISTER_H

#include <rocprofiler-register/rocprofiler-register.h>

#include <stdbool.h>
#include <stdint.h>

/* name, base name of the library's file up to the version, lowest and highest major version.
 * ORDER: the row number is the library index of the registration handle. */
#define REG_RUNTIMES(X)                                                                            \
    X("hsa", "libhsa-runtime64.so.", '2', '9')                                                     \
    X("hip", "libamdhip64.so.", '6', '9')                                                          \
    X("roctx", "libroctx64.so.", '4', '9')                                                         \
    X("hip_compiler", "libamdhip64.so.", '6', '9')                                                 \
    X("rccl", "librccl.so.", '6', '9')                                                             \
    X("rocdecode", "librocdecode.so.", '0', '9')                                                   \
    X("rocjpeg", "librocjpeg.so.", '0', '9')                                                       \
    X("rocshmem", "librocshmem.so.", '0', '9')                                                     \
    X("hipfile", "libhipfile.so.", '0', '9')

enum { REG_INSTANCES_MAX = 8, REG_RUNTIME_COUNT = 9 };

/* Returns the library index of an exact name, -1 if it is unknown; reg_runtime_name is the
 * inverse. */
int reg_runtime_index(const char *name);
const char *reg_runtime_name(int index);

/* Returns true if this base name of a file is that of the runtime's library, in a version that
 * registers. */
bool reg_runtime_matches_file(int index, const char *base_name);

/* Returns true if the function's address lies in a loaded file that belongs to the runtime. */
bool reg_runtime_owns(int index, rocprofiler_register_import_func_t function);

/* To be called when the runtime has shut down: if it then registers the same table once more, the
 * table is passed on to the SDK once more. */
void reg_runtime_ended(const char *name);

typedef int (*reg_set_api_table_t)(const char *name, uint64_t lib_version, uint64_t lib_instance,
                                   void **tables, uint64_t num_tables);

/* ---- Attaching: attach.c ---- */

#define REG_ATTACH_THREAD "rocp-bg-attach"

/* Besides rocprofiler_register_error_code_t, the two functions called by ptrace return these two
 * codes of newer interfaces, and the SDK's status shifted left by REG_ATTACH_STATUS_SHIFT. */
enum { REG_INVALID_ARGUMENT = 8, REG_ATTACHMENT_NOT_AVAILABLE = 9, REG_ATTACH_STATUS_SHIFT = 8 };

/* Data of one call by ptrace (rocprofiler_register_attach_run). The attaching process writes it to
 * the stack of the waiting thread, together with that thread's registers; `done` becomes `token`
 * once `answer` is valid. ORDER: attach.c has the offsets in its assembly. */
typedef struct {
    uint64_t done, answer, token;
    uint64_t rip, rsp, rbx, rdi, rsi, rdx, r8, r9, r10;
} reg_attach_call_t;

/* Returns true if the program was started so that a tool may be attached while it runs. */
bool reg_attachable(void);

/* Starts, once, the thread that the attaching process searches for, in a process that is
 * attachable. */
void reg_attach_listen(void);

/* Returns a function of the SDK that reg_find_sdk has loaded; NULL if the SDK has none of that
 * name. */
void *reg_sdk_symbol(const char *name);

/* Searches for tools. If there are any, loads the SDK and returns its entry point, which is the
 * same from the first success on. Returns NULL if there is no tool, or if the SDK cannot be loaded,
 * which is logged once. */
reg_set_api_table_t reg_find_sdk(void);

#endif
