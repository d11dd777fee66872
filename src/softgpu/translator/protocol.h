/* protocol.h - what libsoftgpu asks the program softgpu-translator, and the answers. Both run on
 * one machine and are of one build; they speak over a pair of sockets, which is the program's
 * standard input. The program begins with a greeting; then each request has one reply. */
#ifndef SOFTGPU_TRANSLATOR_PROTOCOL_H
#define SOFTGPU_TRANSLATOR_PROTOCOL_H

#include <stdint.h>

/* TRANSLATOR_VERSION has to change when the program makes other code of the same request, since
 * translations on disk depend on it through libsoftgpu alone. */
enum {
    TRANSLATOR_MAGIC = 0x4c584753,
    TRANSLATOR_VERSION = 1,
    TRANSLATOR_LIBRARIES = 4,    /* that the program can hold */
    TRANSLATOR_MOST = 256 << 20, /* bytes behind a request or a reply */
    TRANSLATOR_PATH = 240,       /* bytes of a path, with its zero */
    TRANSLATOR_CPU = 16          /* bytes of a processor's name, with its zero */
};

#define TRANSLATOR_PROGRAM "softgpu-translator" /* in the folder of libsoftgpu.so */

/* The library of LLVM that was loaded, and the state of its file then. An empty path: there is no
 * LLVM, and the program has ended. */
typedef struct {
    uint32_t magic, version;
    uint64_t process; /* the program's process id */
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
    char cpu[TRANSLATOR_CPU]; /* of a library: LLVM's name of the processor */
} translator_request_t;

/* A reply; so many bytes follow it: if it has failed, those of a text that says why. */
typedef struct {
    uint64_t failed, bytes;
    uint64_t time_e6; /* microseconds of processor time since the last reply */
} translator_reply_t;

#endif
