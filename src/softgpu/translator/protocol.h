/* protocol.h - what libsoftgpu, in the user's program, asks softgpu-translator, and the answers.
 *
 * Both are of one build, and speak over a pair of sockets, one end of which is softgpu-translator's
 * standard input. It begins with a greeting; then each request has one reply. */
#ifndef SOFTGPU_TRANSLATOR_PROTOCOL_H
#define SOFTGPU_TRANSLATOR_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum {
    TRANSLATOR_MAGIC = 0x4c584753,
    TRANSLATOR_LIBRARIES = 4,    /* that softgpu-translator can keep */
    TRANSLATOR_MOST = 256 << 20, /* bytes behind a request or a reply */
    TRANSLATOR_PATH = 240,       /* bytes of a path, with its zero */
    TRANSLATOR_CPU = 16,         /* bytes of a processor's name, with its zero */
    TRANSLATOR_LESS = 1          /* LLVM's number of a level of code generation */
};

#define TRANSLATOR_PROGRAM "softgpu-translator" /* in the folder of libsoftgpu.so */

/* A file of LLVM's library, and its state. It has the same state on other machines that have
 * installed the same package, and in containers. */
typedef struct {
    uint64_t size, mtime;
    char path[TRANSLATOR_PATH];
} translator_llvm_t;

/* Looks at the file of f->path; false if there is none. */
static inline bool translator_look_at(translator_llvm_t *f)
{
    struct stat st;
    if (!*f->path || stat(f->path, &st) != 0) return false;
    f->size = (uint64_t)st.st_size;
    f->mtime = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
    return true;
}

/* The greeting: softgpu-translator's process id, and the library of LLVM that it has loaded. An
 * empty path: there is no LLVM, and softgpu-translator ends. Magic number and version are read
 * first: of another build the rest may have another size. */
typedef struct {
    uint32_t magic, version;
    uint64_t process;
    translator_llvm_t llvm;
} translator_hello_t;

typedef enum {
    TRANSLATOR_LIBRARY, /* behind it: bitcode. Reply: the names of its functions, each with a zero
                         */
    TRANSLATOR_COMPILE  /* behind it: passes with a zero, LLVM's assembly. Reply: an object file */
} translator_kind_t;

/* A request; so many bytes follow it. */
typedef struct {
    uint32_t kind;    /* translator_kind_t */
    uint32_t library; /* by which number the bitcode is kept, or with which code is linked */
    uint64_t bytes;
    uint64_t level;           /* of a library's code generation */
    char cpu[TRANSLATOR_CPU]; /* LLVM's name of the processor that a library is for */
} translator_request_t;

/* A reply; so many bytes follow it: if it has failed, those of a text that says why. */
typedef struct {
    uint64_t failed, bytes;
    uint64_t time_e6; /* microseconds of processor time since the last reply */
} translator_reply_t;

/* Translations on disk depend on the build of libsoftgpu. So TRANSLATOR_CHANGES goes up when
 * softgpu-translator makes other code of the same request. */
enum { TRANSLATOR_CHANGES = 1 };
#define TRANSLATOR_VERSION                                                                         \
    ((uint32_t)(TRANSLATOR_CHANGES << 24 | sizeof(translator_hello_t) << 12 |                      \
                sizeof(translator_request_t) << 6 | sizeof(translator_reply_t)))

#endif
