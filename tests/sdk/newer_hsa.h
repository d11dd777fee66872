/* newer_hsa.h - what ROCr 7.2's headers have more than those of 5.2, as far as wrappers name it.
 *
 * Included before a generated file: as if the headers were new. Headers that say their version are
 * taken as they are. */
#include <hsa/hsa.h>

#if !__has_include(<hsa/hsa_api_trace_version.h>)
#define HSA_AMD_EXT_API_TABLE_MAJOR_VERSION 2
#define HSA_AMD_EXT_API_TABLE_STEP_VERSION  8

#include <stdint.h>

typedef struct {
    uint64_t handle;
} hsa_amd_vmem_alloc_handle_t;
typedef struct {
    union {
        void *handle;
        int fd;
        uint8_t pad[8];
    };
} hsa_amd_ais_file_handle_t;
typedef struct {
    hsa_access_permission_t permissions;
    hsa_agent_t agent_handle;
} hsa_amd_memory_access_desc_t;
typedef struct {
    uint32_t modes[3];
} hsa_ext_sampler_descriptor_v2_t;
typedef enum { MEMORY_TYPE } hsa_amd_memory_type_t;
typedef enum { SDMA_ENGINE } hsa_amd_sdma_engine_id_t;
typedef enum { QUEUE_INFO } hsa_queue_info_attribute_t;
#endif
