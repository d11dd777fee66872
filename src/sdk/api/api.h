/* api.h - tracing of API calls: what the generated wrappers and their installers share.
 *
 * If no context follows an operation, its wrapper costs one load and one branch. Otherwise the
 * wrapper has a frame on its stack from sdk_api_enter to sdk_api_exit, around the call of the saved
 * function. */
#ifndef CROCPROF_SDK_API_H
#define CROCPROF_SDK_API_H

#include "sdk/core/service.h"

struct sdk_thread;

/* A traced call that has not returned yet. */
typedef struct {
    const sdk_plan_t *plan;
    struct sdk_thread *thread; /* NULL: no memory for the thread, the call is not traced */
    uint64_t internal;
    uint64_t begin; /* as read from the clock, see core/clock.h */
    /* Adjacent, like the two members of the thread that they save: compilers move both with one
     * wide load, and that is slow right after two separate stores (no store forwarding). */
    uint64_t ancestor, outer;
    rocprofiler_user_data_t user[SDK_SERVICES_MAX];
    /* External ids that contexts have supplied on request; written only if the plan has such
     * contexts. */
    rocprofiler_user_data_t callback_external[SDK_SERVICES_MAX], buffer_external[SDK_SERVICES_MAX];
} sdk_frame_t;

/* Before the call: assigns the correlation id, runs ENTER callbacks, notes the time. `payload` is
 * the domain's callback payload with the arguments filled in, if the plan needs one. */
void sdk_api_enter(sdk_frame_t *frame, const sdk_plan_t *plan, void *payload);

/* After the call: notes the time, runs EXIT callbacks, writes records. */
void sdk_api_exit(sdk_frame_t *frame, void *payload);

/* How many copies of a runtime can be traced: each copy has a table of its own. */
enum { SDK_INSTANCES = 2 };

/* One row per operation of a domain, in the order of operations. Generated. */
typedef struct {
    const char *name;
    void *wrappers[SDK_INSTANCES];
    void **saved;        /* where the wrappers find the functions that they call */
    uint32_t offset;     /* byte offset in the runtime's table */
    uint32_t old_offset; /* in the table of ROCr 1.5; 0: not in it */
} sdk_api_row_t;

extern const sdk_api_row_t sdk_api_hsa_core[], sdk_api_hsa_amd_ext[], sdk_api_hsa_image_ext[],
    sdk_api_hsa_finalize_ext[], sdk_api_hip_runtime[], sdk_api_hip_compiler[],
    sdk_api_marker_core[], sdk_api_marker_control[], sdk_api_marker_name[], sdk_api_rccl_api[],
    sdk_api_rocdecode_api[], sdk_api_rocjpeg_api[], sdk_api_rocshmem_api[], sdk_api_hipfile_api[];

/* Returns the index of a table in `wrapped`, which lists the tables that have wrappers; a table
 * that is not listed is added. If the list is full, it returns -1 and writes a warning that names
 * `what`. */
int sdk_api_place(void *wrapped[SDK_INSTANCES], void *table, const char *what);

/* Replaces the function at the offset by the row's wrapper, unless the table has no function there
 * or already has the wrapper. */
void sdk_api_wrap(const sdk_api_row_t *row, uint32_t offset, void *table, size_t size,
                  int instance);

/* The same for functions of the HIP runtime's table; their offsets are looked up by name. */
void sdk_api_wrap_hip(const sdk_api_row_t *rows, unsigned count, void *table, int instance);

/* Copies the address of the HIP runtime's function for an operation to `function`, which points to
 * a function pointer. Nothing is copied if that pointer is set already, or if the table is older
 * than the function. */
void sdk_api_hip_function(const void *table, uint32_t operation, void *function);

/* Put wrappers into a runtime's tables for the operations that some context follows. A table that
 * already has them is left alone; a table beyond SDK_INSTANCES is not traced, with a warning. */
void sdk_api_install_hsa(void *container);
/* The same for a domain with one table whose first member is its size. */
void sdk_api_install_sized(sdk_domain_t domain, void *table);

/* One argument of an operation, and how it is written as text. Generated; used by args.c. */
typedef struct {
    const char *type, *name;
    uint16_t offset, size; /* in the argument union */
    uint8_t format;        /* sdk_argument_format_t */
    uint8_t indirections;  /* number of asterisks in the type */
    uint8_t target;        /* format of the value that a pointer points to; 0: do not follow the
                            * pointer */
    uint8_t texts;         /* of an enumeration: index in sdk_value_texts */
} sdk_argument_t;

/* Replaces the program's strings among the arguments of a record by copies that are never freed. */
void sdk_args_keep_strings(int domain, int32_t operation, void *arguments);

/* Names of the values of an enumeration. */
typedef struct {
    int32_t value;
    const char *text;
} sdk_value_text_t;

typedef struct {
    const char *prefix; /* printed before the number of a value without a name */
    const sdk_value_text_t *values;
    uint32_t count;
} sdk_value_texts_t;

extern const sdk_value_texts_t sdk_value_texts[];

typedef struct {
    const sdk_argument_t *arguments;
    uint32_t count;
} sdk_argument_list_t;

extern const sdk_argument_list_t sdk_args_hsa_core[], sdk_args_hsa_amd_ext[],
    sdk_args_hsa_image_ext[], sdk_args_hsa_finalize_ext[], sdk_args_hip_runtime[],
    sdk_args_hip_compiler[], sdk_args_marker_core[], sdk_args_marker_control[],
    sdk_args_marker_name[], sdk_args_marker_core_range[], sdk_args_rccl_api[],
    sdk_args_rocdecode_api[], sdk_args_rocjpeg_api[], sdk_args_rocshmem_api[],
    sdk_args_hipfile_api[], sdk_args_ompt_event[];

#endif
