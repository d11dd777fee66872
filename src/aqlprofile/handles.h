/* handles.h - objects of the second interface, and the numbers that stand for them.
 *
 * Apart because every kind of packets is such an object: commands in memory that the caller's
 * callbacks gave. A wrong or stale number is refused and not followed. */
#ifndef CROCPROF_AQLPROFILE_HANDLES_H
#define CROCPROF_AQLPROFILE_HANDLES_H

#include <aqlprofile-sdk/aql_profile_v2.h>

/* ---- memory ---- */

typedef struct {
    aqlprofile_memory_alloc_callback_t alloc;
    aqlprofile_memory_dealloc_callback_t dealloc;
    aqlprofile_memory_copy_t copy; /* NULL: the host may write what alloc gives */
    void *userdata;
} aql_memory_t;

/* NULL at *ptr when it fails. `what` is for the message, here and below. */
hsa_status_t aql_memory_get(const aql_memory_t *memory, uint64_t bytes, const char *what,
                            aqlprofile_buffer_desc_flags_t flags, void **ptr);
hsa_status_t aql_memory_copy(const aql_memory_t *memory, void *to, const void *from, uint64_t bytes,
                             const char *what);
/* Does nothing for NULL. */
void aql_memory_free(const aql_memory_t *memory, void *ptr);

/* ---- objects ---- */

typedef struct aql_object aql_object_t;

typedef struct {
    const char *text;                      /* of what its packets are, for messages */
    const char *packets;                   /* name of the argument that receives them */
    size_t bytes;                          /* of an object */
    bool copies;                           /* the caller has to give a way to copy */
    void (*release)(aql_object_t *object); /* what an object has besides its commands; or NULL */
} aql_kind_t;

/* First member of every object. */
struct aql_object {
    const aql_kind_t *kind;
    aql_memory_t memory;
    void *commands;
};

/* A zeroed object, unless one of the pointers that its caller was given is NULL. */
hsa_status_t aql_object_begin(const aql_kind_t *kind, const aqlprofile_handle_t *handle,
                              const void *packets, const aql_memory_t *memory,
                              aql_object_t **object);
/* Puts the commands where the GPU finds them. */
hsa_status_t aql_object_write(aql_object_t *object, const uint32_t *words, uint32_t count,
                              const char *what, aqlprofile_memory_hint_t hint);
/* Gives the object a number that no other has had; or destroys it if it is not well. */
hsa_status_t aql_object_end(aql_object_t *object, hsa_status_t status, aqlprofile_handle_t *handle);

/* The object, or NULL with a message. It stays until the caller removes it: a handle belongs to one
 * thread at a time. */
aql_object_t *aql_object_get(aqlprofile_handle_t handle, const aql_kind_t *kind);
/* Destroys the object; does nothing if there is none of this kind by that number. */
void aql_object_remove(aqlprofile_handle_t handle, const aql_kind_t *kind);

#endif
