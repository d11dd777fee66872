/* objects.h - the objects of a library that stands in for libamd_comgr (functions.h).
 *
 * The program's handles are those of our objects, with which the answers that are known are given.
 * An object about which something is asked that is not known is given up: libamd_comgr is opened,
 * an object of it is made that is equal, and everything from then on is passed on to that. Our
 * handles are odd numbers, libamd_comgr's are even: they are addresses. Handles that libamd_comgr
 * has returned are passed on to it. As with libamd_comgr, threads may do something at the same time
 * with different objects only. What differs for the program may be one data object here, which a
 * set and an addition to another one hold: that is given up atomically, and changed no more. */
#ifndef SOFTGPU_COMPILED_OBJECTS_H
#define SOFTGPU_COMPILED_OBJECTS_H

#include "disasm/pack.h"
#include "softgpu/compiled/compiled.h"
#include "softgpu/compiled/functions.h"

#include <stdatomic.h>

enum { SG_SUCCESS, SG_ERROR, SG_INVALID, SG_NO_RESOURCES }; /* values of amd_comgr_status_t */

/* values of amd_comgr_data_kind_t */
enum { SG_SOURCE = 1, SG_LOG = 5, SG_EXECUTABLE = 8, SG_KINDS = 0x11 };

/* ---- library.c ---- */

typedef struct {
#define FUNCTION(name, ...)                     int(*name) __VA_ARGS__;
#define FUNCTION_2(name, parameters, arguments) int(*name) parameters;
    SG_COMGR_ANSWERED(FUNCTION)
    SG_COMGR_PASSED_ON(FUNCTION_2)
#undef FUNCTION
#undef FUNCTION_2
} sg_comgr_t;

/* The functions of libamd_comgr, which is opened if it has not been. If that fails, they return
 * SG_ERROR. */
const sg_comgr_t *sg_comgr(void);

/* ---- handles ---- */

static inline uint64_t sg_own_handle(const void *object)
{
    return (uint64_t)(uintptr_t)object | 1;
}

/* Our object of the handle; NULL: the handle is libamd_comgr's. */
static inline void *sg_own(uint64_t handle)
{
    return handle & 1 ? (void *)(uintptr_t)(handle - 1) : NULL;
}

/* ---- objects.c ---- */

/* Bytes that several objects share. */
typedef struct {
    atomic_uint holders;
    char bytes[];
} sg_buffer_t;

sg_buffer_t *sg_buffer_new(size_t size); /* NULL: out of memory */
sg_buffer_t *sg_buffer_hold(sg_buffer_t *buffer);
void sg_buffer_drop(sg_buffer_t *buffer); /* of NULL: nothing */

typedef struct {
    atomic_uint holders;
    int kind;
    char *name;          /* NULL: not set */
    sg_buffer_t *buffer; /* the one that has `bytes` */
    const char *bytes;   /* NULL: not set */
    size_t size;
    _Atomic data_t given_up; /* libamd_comgr's object; 0: this one has not been given up */
} sg_data_t;

typedef struct {
    char *isa;     /* NULL: not set */
    char *options; /* one after the other, each with a final zero; NULL: not set */
    size_t option_count, option_bytes;
    int language;
    bool logging;
    info_t given_up;
} sg_info_t;

typedef struct sg_set {
    sg_data_t **all;
    size_t count;
    struct sg_addition *addition; /* NULL: there is none */
    set_t given_up;
} sg_set_t;

/* An action that adds the compiler's own headers or libraries to a set. It is executed when a
 * function reads more of the set than the logs, which are in the set already. */
typedef struct sg_addition {
    int action;
    sg_info_t info;
    sg_set_t from;
    sg_compiled_key_t key; /* of what is added */
} sg_addition_t;

/* The object of libamd_comgr for the object with this handle, which is given up. 0: none could be
 * made, and the object is as it was. */
data_t sg_give_up_data(data_t data);
set_t sg_give_up_set(set_t set);
info_t sg_give_up_info(info_t info);

/* An equal object of libamd_comgr, which the caller destroys. 0: none could be made, or an addition
 * to the set has failed; never an object that lacks something. */
set_t sg_copy_set(const sg_set_t *set);
info_t sg_copy_info(const sg_info_t *info);

/* Has libamd_comgr execute the action on such copies, and returns its status; SG_NO_RESOURCES: it
 * was not executed. */
int sg_execute(int action, const sg_info_t *info, const sg_set_t *from, set_t to);

/* Our object, unless it has been given up. */
sg_data_t *sg_own_data(data_t handle);

sg_data_t *sg_data_new(int kind);
void sg_data_drop(sg_data_t *data);
bool sg_data_set_name(sg_data_t *data, const char *name);

/* Adds the data object to the set, which holds it then; false: out of memory. */
bool sg_set_add(sg_set_t *set, sg_data_t *data);
void sg_set_clear(sg_set_t *set);

/* An addition for this action, with copies of what it needs; NULL: out of memory. */
sg_addition_t *sg_addition_new(int action, const sg_info_t *info, const sg_set_t *from,
                               sg_compiled_key_t key);

/* ---- notes.c ---- */

/* Reads the notes on kernels of a code object, which is in the buffer. False: they are not known,
 * and libamd_comgr is to be asked. */
bool sg_notes_read(sg_buffer_t *buffer, const char *bytes, size_t size, node_handle_t *root);

/* Writes a tree of libamd_comgr as MessagePack, and reads it. False: it has something unusual, or
 * memory has run out. */
bool sg_notes_write(node_handle_t root, sg_compiled_bytes_t *to);
bool sg_notes_take(sg_buffer_t *buffer, const char *bytes, size_t size, node_handle_t *root);

/* ---- answers.c ---- */

/* Whether the name of a target, as amdgcn-amd-amdhsa--gfx90a, is one that libamd_comgr takes. */
bool sg_target_is_known(const char *name);

#endif
