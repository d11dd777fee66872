/* Counters: which ones an agent has, what they count, and what the ids of their values mean. */
#ifndef ROCPROFILER_SDK_COUNTERS_H_
#define ROCPROFILER_SDK_COUNTERS_H_

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

#include <rocprofiler-sdk/deprecated/counters.h>

ROCPROFILER_EXTERN_C_INIT

/** Information on a counter. Texts belong to the library and stay valid; they are never null, and
 * empty if they do not apply. */
typedef struct rocprofiler_counter_info_v0_t {
    rocprofiler_counter_id_t id;
    const char *name;
    const char *description;
    const char *block;       /**< hardware block; empty for derived counters */
    const char *expression;  /**< how it is computed; empty for hardware counters */
    uint8_t is_constant : 1; /**< a property of the agent, not counted */
    uint8_t is_derived : 1;  /**< computed from other counters */
} rocprofiler_counter_info_v0_t;

/** The position of a value in one dimension. */
typedef struct rocprofiler_counter_dimension_info_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    const char *dimension_name;
    size_t index; /**< position, from 0 */
} rocprofiler_counter_dimension_info_t;

/** One of the values that a counter gives: its id in records and its position in each dimension. */
typedef struct rocprofiler_counter_record_dimension_instance_info_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_counter_instance_id_t instance_id;
    uint64_t counter_id; /**< handle of the counter */
    uint64_t dimensions_count;
    const rocprofiler_counter_dimension_info_t **dimensions;
} rocprofiler_counter_record_dimension_instance_info_t;

/** Information on a counter as in version 0, with its dimensions and every value that it can
 * have. */
typedef struct rocprofiler_counter_info_v1_t {
    uint64_t size; /**< bytes of this structure as the library knows it */
    rocprofiler_counter_id_t id;
    const char *name;
    const char *description;
    const char *block;       /**< hardware block; empty for derived counters */
    const char *expression;  /**< how it is computed; empty for hardware counters */
    uint8_t is_constant : 1; /**< a property of the agent, not counted */
    uint8_t is_derived : 1;  /**< computed from other counters */
    uint64_t dimensions_count;
    const rocprofiler_counter_record_dimension_info_t **dimensions;
    uint64_t dimensions_instances_count;
    const rocprofiler_counter_record_dimension_instance_info_t **dimensions_instances;
} rocprofiler_counter_info_v1_t;

/** Called with the counters of an agent. The array is valid during the call.
 * @return the result of rocprofiler_iterate_agent_supported_counters */
typedef rocprofiler_status_t (*rocprofiler_available_counters_cb_t)(
    rocprofiler_agent_id_t agent_id, rocprofiler_counter_id_t *counters, size_t num_counters,
    void *user_data);

/** Returns the counter to which a value belongs. Any thread.
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT counter_id is null */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_query_record_counter_id(rocprofiler_counter_instance_id_t id,
                                    rocprofiler_counter_id_t *counter_id) ROCPROFILER_API;

/** Returns the position of a value in a dimension: 0 if the counter does not have the dimension.
 * Any thread.
 * @param dim the id of rocprofiler_counter_record_dimension_info_t; 0: all dimensions, packed
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND there is no such dimension
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT pos is null */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_query_record_dimension_position(rocprofiler_counter_instance_id_t id,
                                            rocprofiler_counter_dimension_id_t dim,
                                            size_t *pos) ROCPROFILER_API;

/** Describes a counter. Any thread.
 * @param version the structure to which info points: rocprofiler_counter_info_v0_t or _v1_t. What
 * the structure points to stays valid until the process ends.
 * @retval ROCPROFILER_STATUS_SUCCESS written
 * @retval ROCPROFILER_STATUS_ERROR_COUNTER_NOT_FOUND no such counter
 * @retval ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI no such version
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT info is null
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES no memory */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_query_counter_info(rocprofiler_counter_id_t counter_id,
                                                    rocprofiler_counter_info_version_id_t version,
                                                    void *info) ROCPROFILER_API;

/** Calls cb once with all counters of an agent. Does not need the HSA runtime. Any thread.
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such agent
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED there are no definitions of counters
 * for such agents
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT no callback
 * @return else what cb returned */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_iterate_agent_supported_counters(rocprofiler_agent_id_t agent_id,
                                             rocprofiler_available_counters_cb_t cb,
                                             void *user_data) ROCPROFILER_API;

/** Creates a derived counter for all agents of one architecture, from an expression as in a
 * definition file. Iterations and configurations after the call include it; a name that is already
 * in use is refused. The call is slow, so that callbacks of dispatches should not make it. Any
 * thread.
 * @param name_len,expr_len,description_len bytes without a zero at the end
 * @param description may be null
 * @param counter_id the handle is written here
 * @retval ROCPROFILER_STATUS_SUCCESS made
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT a null pointer, an empty or impossible name, or
 * one that exists already
 * @retval ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND no such agent, or there are no definitions of
 * its counters
 * @retval ROCPROFILER_STATUS_ERROR_AST_GENERATION_FAILED the expression is wrong; a line on
 * standard error says why */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_create_counter(const char *name, size_t name_len, const char *expr, size_t expr_len,
                           const char *description, size_t description_len,
                           rocprofiler_agent_id_t agent,
                           rocprofiler_counter_id_t *counter_id) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
