/* handles.h - numbers for objects, so that a wrong or stale number is refused and not followed.
 *
 * Apart because every kind of packets of the second interface is such an object. */
#ifndef CROCPROF_AQLPROFILE_HANDLES_H
#define CROCPROF_AQLPROFILE_HANDLES_H

#include <hsa/hsa.h>
#include <stdint.h>

typedef enum { AQL_HANDLE_COUNTERS = 1, AQL_HANDLE_TRACE, AQL_HANDLE_MARKER } aql_handle_kind_t;

/* First member of every object. */
typedef struct aql_handle {
    aql_handle_kind_t kind;
    void (*destroy)(struct aql_handle *object);
} aql_handle_t;

/* Gives the object a number that no other has had. */
hsa_status_t aql_handle_add(aql_handle_t *object, uint64_t *handle);
/* The object, or NULL with a message. It stays until the caller removes it: a handle belongs to one
 * thread at a time. */
aql_handle_t *aql_handle_get(uint64_t handle, aql_handle_kind_t kind);
/* Destroys the object; does nothing if there is none of this kind by that number. */
void aql_handle_remove(uint64_t handle, aql_handle_kind_t kind);

#endif
