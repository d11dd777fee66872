/* register.h - what the files of librocprofiler-register share.
 *
 * registry.c keeps the registrations and answers the runtimes, tools.c finds tools and the SDK,
 * runtimes.c knows the runtimes' names, attach.c lets tools in while the program runs. A new
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

/* Library index of an exact name, -1 if unknown; reg_runtime_name is its inverse. */
int reg_runtime_index(const char *name);
const char *reg_runtime_name(int index);

/* True if the base name of a file is that of the runtime's library in a version that registers. */
bool reg_runtime_matches_file(int index, const char *base_name);

/* True if the function's address lies in a loaded file that belongs to the runtime. */
bool reg_runtime_owns(int index, rocprofiler_register_import_func_t function);

/* The runtime has shut down: a table that it registers once more is passed on once more. */
void reg_runtime_ended(const char *name);

typedef int (*reg_set_api_table_t)(const char *name, uint64_t lib_version, uint64_t lib_instance,
                                   void **tables, uint64_t num_tables);

/* ---- Attaching: attach.c ---- */

#define REG_ATTACH_THREAD "rocp-bg-attach"

/* What the functions called by ptrace answer besides rocprofiler_register_error_code_t: two codes
 * of newer interfaces; and the SDK's status, from this bit on. */
enum { REG_INVALID_ARGUMENT = 8, REG_ATTACHMENT_NOT_AVAILABLE = 9, REG_ATTACH_STATUS_SHIFT = 8 };

/* What rocprofiler_register_attach_run works with. Who attaches writes it to the stack of the
 * thread that waits, with the registers that the thread has there; `done` becomes `token` when
 * `answer` is valid.
 * ORDER: attach.c has the offsets in its assembly. */
typedef struct {
    uint64_t done, answer, token;
    uint64_t rip, rsp, rbx, rdi, rsi, rdx, r8, r9, r10;
} reg_attach_call_t;

/* True if the program was started so that tools may come while it runs. */
bool reg_attachable(void);

/* Starts the thread that who attaches looks for, once in a process that is attachable. */
void reg_attach_listen(void);

/* A function of the SDK that reg_find_sdk has found; NULL if it has none of that name. */
void *reg_sdk_symbol(const char *name);

/* Looks for tools; when there are any, returns the SDK's entry point (kept from the first success
 * on). NULL: no tool, or no SDK, which is reported once. */
reg_set_api_table_t reg_find_sdk(void);

#endif
