/* protocol.h - what libsoftgpu asks the program softgpu-translator, and the answers. Both run on
 * one machine and are of one build; they speak over a pair of sockets, which is the program's
 * standard input. The program begins with a greeting; then each request has one reply. */
#ifndef SOFTGPU_TRANSLATOR_PROTOCOL_H
#define SOFTGPU_TRANSLATOR_PROTOCOL_H

#include <stdint.h>

/* Translations on disk depend on the build of libsoftgpu. So TRANSLATOR_VERSION changes when
 * softgpu-translator makes other code of the same request. */
enum {
    TRANSLATOR_MAGIC = 0x4c584753,
    TRANSLATOR_VERSION = 1,
    TRANSLATOR_LIBRARIES = 4,    /* that softgpu-translator can keep */
    TRANSLATOR_MOST = 256 << 20, /* bytes behind a request or a reply */
    TRANSLATOR_PATH = 240,       /* bytes of a path, with its zero */
    TRANSLATOR_CPU = 16,         /* bytes of a processor's name, with its zero */
    TRANSLATOR_LESS = 1          /* LLVM's number of a level of code generation */
};

#define TRANSLATOR_PROGRAM "softgpu-translator" /* in the folder of libsoftgpu.so */

/* The greeting: softgpu-translator's process id, the library of LLVM that it has loaded, and the
 * state of that file then. An empty path: there is no LLVM, and softgpu-translator ends. */
typedef struct {
    uint32_t magic, version;
    uint64_t process;
    uint64_t size, mtime;
    char path[TRANSLATOR_PATH];
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

#endif
