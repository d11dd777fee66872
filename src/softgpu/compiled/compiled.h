/* compiled.h - results of the compiler that HIP loads (libamd_comgr), kept on disk.
 *
 * HIP 5 compiles its own kernels, which fill and copy memory, from source in each process. That
 * takes longer than everything else that a small program does. An action of the compiler whose
 * inputs are all at hand is a function of them: its results are read from a file if the same inputs
 * have been compiled before, and written to one if not. */
#ifndef SOFTGPU_COMPILED_COMPILED_H
#define SOFTGPU_COMPILED_COMPILED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *sg_compiled_find_t(void *library, const char *name); /* dlsym() */

/* What stands in for `function`, which the loaded library libamd_comgr has under this name: a
 * function of the same type, or `function` itself. That is so for most names; and for all of them
 * if results are not to be kept (SOFTGPU_COMPILED, any AMD_COMGR_ variable, no folder of the user's
 * own) and for a second library. `find` is the loader's. */
void *sg_compiled_function(sg_compiled_find_t *find, void *library, const char *name,
                           void *function);

/* ---- store.c: a folder of files, each of one action's results ---- */

/* What identifies the inputs of an action. */
typedef struct {
    uint64_t low, high;
} sg_compiled_key_t;

/* A growing sequence of bytes; `bad` once there was no memory. */
typedef struct {
    char *bytes;
    size_t size, room;
    bool bad;
} sg_compiled_bytes_t;

/* `size` bytes more at the end, which the caller fills; NULL if `bad`. */
char *sg_compiled_more(sg_compiled_bytes_t *bytes, size_t size);
void sg_compiled_add(sg_compiled_bytes_t *bytes, const void *from, size_t size);

/* Opens the folder in which results are kept, and makes it if it is not there. False: there is
 * none, or others than the user may write in it. */
bool sg_compiled_open(void);

/* What was kept under this key, which the caller frees. NULL: nothing, or the file is damaged. */
char *sg_compiled_read(sg_compiled_key_t key, size_t *size);

/* Keeps these bytes, and removes the oldest files if there are more bytes than the folder may hold.
 * Nothing is told of a failure: the program does not depend on it. Processes may read and write the
 * folder at once, and be killed while they do. */
void sg_compiled_write(sg_compiled_key_t key, const void *bytes, size_t size);

/* The most bytes that the folder holds. */
enum { SG_COMPILED_MOST = 256 << 20 };

#endif
