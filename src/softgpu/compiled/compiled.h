/* compiled.h - a cache, on disk, for results of the compiler that HIP loads (libamd_comgr).
 *
 * HIP 5 compiles its own kernels, which fill and copy memory, from source in each process. That
 * takes longer than all other work of a small program. If all inputs of an action of the compiler
 * are known, its results depend only on them: they are read from a file if the same inputs have
 * been compiled before, and otherwise written to one. */
#ifndef SOFTGPU_COMPILED_COMPILED_H
#define SOFTGPU_COMPILED_COMPILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libsoftgpu-comgr.so stands in for libamd_comgr, and is opened in its place by HIP (preload/). It
 * has the same functions. What HIP asks at each start it knows without libamd_comgr, which takes
 * longer to load than all else: objects (objects.c), results that are cached (comgr.c), notes on
 * kernels (notes.c). For everything else it opens libamd_comgr (library.c). */

/* Whether the library stands in for the one that the code at the address `caller`, which is HIP's,
 * gets from dlopen("libamd_comgr.so.2"). False: results are not to be cached (SOFTGPU_COMPILED, any
 * AMD_COMGR_ variable, no folder that only the user can write); or it is not known which compiler
 * that is; or the program has loaded a libamd_comgr already. What the first call finds holds for
 * all; a call at the same time as the first returns false. `has_stderr`: the program was started
 * with a standard error. */
__attribute__((visibility("default"))) bool softgpu_comgr_stands_in(const void *caller,
                                                                    bool has_stderr);

/* ---- store.c: a folder of files, each of one action's results ---- */

/* The key of a cached result: a hash of all inputs of an action. */
typedef struct {
    uint64_t low, high;
} sg_compiled_key_t;

/* A growing sequence of bytes; `bad` is set once memory has run out. */
typedef struct {
    char *bytes;
    size_t size, room;
    bool bad;
} sg_compiled_bytes_t;

/* Appends `size` bytes, which the caller fills; NULL if `bad`. */
char *sg_compiled_more(sg_compiled_bytes_t *bytes, size_t size);
void sg_compiled_add(sg_compiled_bytes_t *bytes, const void *from, size_t size);

/* Opens the folder of cached results, and makes it if it is missing. False: there is none, or users
 * other than this one may write in it. */
bool sg_compiled_open(void);

/* From now on nothing is read from the folder or written to it, as before it was opened. */
void sg_compiled_close(void);

/* The cached results of this key, which the caller frees. NULL: there are none, or the file is
 * damaged. */
char *sg_compiled_read(sg_compiled_key_t key, size_t *size);

/* Caches these bytes, and removes the oldest files if the folder exceeds its limit. A failure is
 * not reported, since the program does not depend on the cache. Processes may read and write the
 * folder at the same time, and may be killed while they do. */
void sg_compiled_write(sg_compiled_key_t key, const void *bytes, size_t size);

/* The limit of the folder, in bytes. */
enum { SG_COMPILED_MOST = 256 << 20 };

/* ---- identity.c: which libamd_comgr it is; after softgpu_comgr_stands_in() ---- */

enum { SG_COMPILER_MAJOR = 2 };
sg_compiled_key_t sg_compiler_key(void); /* tells one compiler from another */
size_t sg_compiler_minor(void);          /* of its version */
/* Opens it by dlopen(); NULL: it cannot be opened. If it is another one by now, the folder is
 * closed: results are neither used nor cached from then on. */
void *sg_compiler_open(void);

#endif
