/* handles.h - objects of the second interface, and the handles that stand for them.
 *
 * Packets of every kind are such an object: commands, in memory that the caller's callbacks have
 * allocated. A wrong or stale handle is refused. */
#ifndef CROCPROF_AQLPROFILE_HANDLES_H
#define CROCPROF_AQLPROFILE_HANDLES_H

#include <aqlprofile-sdk/aql_profile_v2.h>

/* ---- memory ---- */

typedef struct {
    aqlprofile_memory_alloc_callback_t alloc;
    aqlprofile_memory_dealloc_callback_t dealloc;
    aqlprofile_memory_copy_t copy; /* NULL: the host may write to memory from `alloc` */
    void *userdata;
} aql_memory_t;

/* Sets *ptr to NULL when it fails. `what` names the memory in the message, here and below. */
hsa_status_t aql_memory_get(const aql_memory_t *memory, uint64_t bytes, const char *what,
                            aqlprofile_buffer_desc_flags_t flags, void **ptr);
hsa_status_t aql_memory_copy(const aql_memory_t *memory, void *to, const void *from, uint64_t bytes,
                             const char *what);
/* Frees memory; NULL is allowed. */
void aql_memory_free(const aql_memory_t *memory, void *ptr);

/* ---- objects ---- */

typedef struct aql_object aql_object_t;

typedef struct {
    const char *text;    /* purpose of the packets, for messages */
    const char *packets; /* name of the argument that receives the packets */
    size_t bytes;        /* size of an object */
    bool copies;         /* the caller must give a copy callback */
    /* frees the object's memory except for its commands; or NULL */
    void (*release)(aql_object_t *object);
} aql_kind_t;

/* The first member of every object. */
struct aql_object {
    const aql_kind_t *kind;
    aql_memory_t memory;
    void *commands;
};

/* Makes a zeroed object. Fails if one of the caller's pointers is NULL. */
hsa_status_t aql_object_begin(const aql_kind_t *kind, const aqlprofile_handle_t *handle,
                              const void *packets, const aql_memory_t *memory,
                              aql_object_t **object);
/* Copies the commands to memory that the GPU can read. */
hsa_status_t aql_object_write(aql_object_t *object, const uint32_t *words, uint32_t count,
                              const char *what, aqlprofile_memory_hint_t hint);
/* Gives the object a handle that no other object has had. If `status` is an error, destroys the
 * object. */
hsa_status_t aql_object_end(aql_object_t *object, hsa_status_t status, aqlprofile_handle_t *handle);

/* Returns the object, or NULL with a message. The object stays valid until the caller removes it: a
 * handle belongs to one thread at a time. */
aql_object_t *aql_object_get(aqlprofile_handle_t handle, const aql_kind_t *kind);
/* Destroys the object; does nothing if the handle does not belong to an object of this kind. */
void aql_object_remove(aqlprofile_handle_t handle, const aql_kind_t *kind);

#endif
