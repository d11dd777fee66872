/* api.h - tracing of API calls: what the generated wrappers and their installers share.
 *
 * A wrapper whose operation nobody follows costs one load and one branch. Otherwise it carries a
 * frame on its stack from sdk_api_enter to sdk_api_exit, around the saved function. */
#ifndef CROCPROF_SDK_API_H
#define CROCPROF_SDK_API_H

#include "sdk/core/service.h"

struct sdk_thread;

/* A traced call under way. */
typedef struct {
    const sdk_plan_t *plan;
    struct sdk_thread *thread; /* NULL: no memory for the thread, the call is not traced */
    uint64_t internal;
    uint64_t begin; /* raw stamp */
    /* one after the other, like the two of the thread that they are kept for: compilers move both
     * at once, and a load of what two stores have written waits for these */
    uint64_t ancestor, outer;
    rocprofiler_user_data_t user[SDK_SERVICES_MAX];
    /* of services whose contexts were asked, if the plan has such; else not written */
    rocprofiler_user_data_t callback_external[SDK_SERVICES_MAX], buffer_external[SDK_SERVICES_MAX];
} sdk_frame_t;

/* Before the call: correlation id, ENTER callbacks, begin stamp. `payload` is the callback payload
 * of the domain with its arguments filled in if the plan needs one. */
void sdk_api_enter(sdk_frame_t *frame, const sdk_plan_t *plan, void *payload);

/* After the call: end stamp, EXIT callbacks, records. */
void sdk_api_exit(sdk_frame_t *frame, void *payload);

/* Of how many copies of a runtime the calls are traced: each copy has a table of its own. */
enum { SDK_INSTANCES = 2 };

/* One row per operation of a domain, in the order of operations; generated. */
typedef struct {
    const char *name;
    void *wrappers[SDK_INSTANCES];
    void **saved;        /* where the wrappers find the functions that they wrap */
    uint32_t offset;     /* in the runtime's table */
    uint32_t old_offset; /* in the table of ROCr 1.5; 0: not in it */
} sdk_api_row_t;

extern const sdk_api_row_t sdk_api_hsa_core[], sdk_api_hsa_amd_ext[], sdk_api_hsa_image_ext[],
    sdk_api_hsa_finalize_ext[], sdk_api_hip_runtime[], sdk_api_hip_compiler[],
    sdk_api_marker_core[], sdk_api_marker_control[], sdk_api_marker_name[], sdk_api_rccl_api[],
    sdk_api_rocdecode_api[], sdk_api_rocjpeg_api[], sdk_api_rocshmem_api[], sdk_api_hipfile_api[];

/* The place of a table among those that have wrappers; a new one gets a free place. -1, with a
 * warning that names `what`: there is none. */
int sdk_api_place(void *wrapped[SDK_INSTANCES], void *table, const char *what);

/* Puts the row's wrapper over the function at the offset, if the table has one there and has not
 * been given it before. */
void sdk_api_wrap(const sdk_api_row_t *row, uint32_t offset, void *table, size_t size,
                  int instance);

/* The same for functions of the HIP runtime, whose places in its table are those of their names. */
void sdk_api_wrap_hip(const sdk_api_row_t *rows, unsigned count, void *table, int instance);

/* What the HIP runtime's table has for an operation goes to `*function`, a pointer to a function;
 * it is kept if there is one already, or if the table is older than the function. */
void sdk_api_hip_function(const void *table, uint32_t operation, void *function);

/* Put wrappers into a runtime's table for those operations that some context asks for. A table
 * that has them already is left alone; a table too many is not traced and said so. */
void sdk_api_install_hsa(void *container);
/* A table whose first member is its size, of a domain that has one table. */
void sdk_api_install_sized(sdk_domain_t domain, void *table);
/* The three tables of ROCTx; ranges come on top of the core's. */
void sdk_api_install_marker(void **tables);
void sdk_marker_install_ranges(void *core_table);

/* One argument of an operation as text; generated tables, see args.c. */
typedef struct {
    const char *type, *name;
    uint16_t offset, size; /* in the argument union */
    uint8_t format;        /* sdk_argument_format_t */
    uint8_t indirections;  /* stars in the type */
    uint8_t target;        /* format of what a pointer points to, 0: not to be followed */
    uint8_t texts;         /* of an enumeration: its place in sdk_value_texts */
} sdk_argument_t;

/* Strings among the arguments of a record, the program's, become ones that stay. */
void sdk_args_keep_strings(int domain, int32_t operation, void *arguments);

/* Names of the values of an enumeration. */
typedef struct {
    int32_t value;
    const char *text;
} sdk_value_text_t;

typedef struct {
    const char *prefix; /* of values without a name */
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
