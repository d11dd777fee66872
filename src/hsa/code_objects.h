/* code_objects.h - the code objects that the loader has put on the GPUs, and their kernels.
 *
 * They are reported when an executable is frozen and before it is destroyed. Ids count from 1 and
 * are never used again. Callbacks run on the program's thread inside the freeze or destroy call,
 * without a lock of this library, except where `loaded` and hsax_code_objects_tell() say otherwise.
 * The pointers that they get are valid until `unloaded` has returned, texts as long as the
 * process. */
#ifndef CROCPROF_HSA_CODE_OBJECTS_H
#define CROCPROF_HSA_CODE_OBJECTS_H

#include "hsa/tables/tables.h"

typedef struct {
    uint64_t id;
    const char *name; /* as in the loader, with its ".kd"; valid as long as the process */
    uint64_t object;
    uint32_t kernarg_size, kernarg_alignment, group_size, private_size;
    uint32_t sgprs, arch_vgprs, accum_vgprs;
    uint32_t wave;  /* work-items of a wave; 0: not known */
    bool whole_wgp; /* a workgroup may be on both compute units of a WGP */
    int64_t entry_offset;
    void *client[2]; /* for the client's own use */
} hsax_kernel_t;

typedef struct hsax_code_object {
    struct hsax_code_object *next;
    uint64_t id;
    hsa_executable_t executable;
    hsa_loaded_code_object_t loaded;
    hsa_agent_t agent;
    const char *uri; /* valid as long as the process */
    uint64_t load_base, load_size;
    int64_t load_delta;
    uint32_t storage; /* 1 file, 2 memory */
    int file;
    uint64_t memory_base, memory_size;
    hsax_kernel_t *kernels;
    unsigned kernel_count;
    void *client[2];
} hsax_code_object_t;

typedef struct {
    /* Reports a code object. May be called again for an object, then under the list's lock: the
     * client reports the object to those of its own clients that have no report of it. */
    void (*loaded)(hsax_code_object_t *object);
    void (*unloaded)(hsax_code_object_t *object);
} hsax_code_object_client_t;

/* Puts the hooks into the runtime's table. `client` must stay valid. */
void hsax_code_objects_hook(const hsax_api_table_t *table, const hsax_code_object_client_t *client);

/* Calls `call` for each code object that is loaded now, under the list's lock: `call` must be short
 * and must not use this interface. */
void hsax_code_objects_each(void (*call)(const hsax_code_object_t *object, void *data), void *data);

/* Reports all code objects that are loaded now once more, as loaded or as unloaded, under the
 * list's lock. It is for a client whose own clients come and go. */
void hsax_code_objects_tell(bool loaded);

/* Reports everything still loaded as unloaded, once. Safe when nothing was hooked. */
void hsax_code_objects_finish(void);

/* Computes the register counts of a kernel on the agent called `gfx` ("gfx90a"), from the 64-byte
 * kernel descriptor (LLVM, AMDGPU code object format v3 and later). */
void hsax_kernel_registers(const char *gfx, const void *descriptor, hsax_kernel_t *kernel);

#endif
