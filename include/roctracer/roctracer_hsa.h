/* roctracer_hsa.h - operations of HSA. Those of ACTIVITY_DOMAIN_HSA_API, and hsa_api_data_t that
 * their callbacks get, are in <roctracer/hsa_prof_str.h>. */
#ifndef ROCTRACER_HSA_H_
#define ROCTRACER_HSA_H_

#include "roctracer.h"

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <roctracer/hsa_prof_str.h>

/** Operations of ACTIVITY_DOMAIN_HSA_OPS. */
typedef enum {
    HSA_OP_ID_DISPATCH = 0,
    HSA_OP_ID_COPY = 1,
    HSA_OP_ID_BARRIER = 2,   /**< not written by this library */
    HSA_OP_ID_RESERVED1 = 3, /**< not written by this library */
    HSA_OP_ID_NUMBER = 4
} hsa_op_id_t;

/** What roctracer_set_properties takes for ACTIVITY_DOMAIN_HSA_OPS; not used. */
typedef struct {
    void *reserved1[4];
} hsa_ops_properties_t;

/** Operations of ACTIVITY_DOMAIN_HSA_EVT. */
typedef enum {
    HSA_EVT_ID_ALLOCATE = 0,
    HSA_EVT_ID_DEVICE = 1,
    HSA_EVT_ID_MEMCOPY = 2,
    HSA_EVT_ID_SUBMIT = 3,
    HSA_EVT_ID_KSYMBOL = 4,
    HSA_EVT_ID_CODEOBJ = 5,
    HSA_EVT_ID_NUMBER = 6
} hsa_evt_id_t;

/** The data of a callback of ACTIVITY_DOMAIN_HSA_EVT, in the member of its operation. */
__extension__ typedef struct {
    __extension__ union {
        struct {
            const void *ptr;
            size_t size; /**< 0: the memory is freed */
            hsa_amd_segment_t segment;
            hsa_amd_memory_pool_global_flag_t global_flag;
            int is_code;
        } allocate;
        struct {
            hsa_device_type_t type;
            uint32_t id;
            hsa_agent_t agent;
            const void *ptr; /**< memory to which the agent was given access */
        } device;
        struct {
            const void *dst;
            const void *src;
            size_t size;
        } memcopy;
        struct {
            const void *packet; /**< always null, as is queue: not reported by this library */
            const char *kernel_name;
            hsa_queue_t *queue;
            uint32_t device_type;
            uint32_t device_id;
        } submit;
        struct {
            uint64_t object;
            const char *name;
            uint32_t name_length;
            int unload;
        } ksymbol;
        struct {
            uint32_t storage_type;
            int storage_file;
            uint64_t memory_base;
            uint64_t memory_size;
            uint64_t load_base;
            uint64_t load_size;
            uint64_t load_delta;
            uint32_t uri_length; /**< without terminator */
            const char *uri;
            int unload;
        } codeobj;
    };
} hsa_evt_data_t;

#endif
