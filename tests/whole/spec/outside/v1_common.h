/* v1_common.h - what the specification's examples write as <check status>, and section 5.6. */
#ifndef V1_COMMON_H
#define V1_COMMON_H

#include <rocprofiler/rocprofiler.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>

inline void check_status(hsa_status_t status)
{
    const char *text = nullptr;
    if (status == HSA_STATUS_SUCCESS) return;
    rocprofiler_error_string(&text);
    std::fprintf(stderr, "status 0x%x: %s\n", status, text ? text : "no text");
    std::_Exit(2);
}

/* Addresses and sizes are left to other tests; metrics that are computed have a case of their own. */
inline void print_results(rocprofiler_feature_t *feature, uint32_t feature_count)
{
    for (rocprofiler_feature_t *p = feature; p < feature + feature_count; ++p) {
        std::cout << (p - feature) << ": " << p->name;
        switch (p->data.kind) {
        case ROCPROFILER_DATA_KIND_INT64:
            std::cout << " result_int64 (" << p->data.result_int64 << ")" << std::endl;
            break;

        case ROCPROFILER_DATA_KIND_DOUBLE:
            std::cout << " result_double (" << p->data.result_double << ")" << std::endl;
            break;

        case ROCPROFILER_DATA_KIND_BYTES: {
            std::cout << " result_bytes " << (p->data.result_bytes.ptr ? "there" : "missing")
                      << " size " << (p->data.result_bytes.size ? "there" : "missing")
                      << " instance_count(" << p->data.result_bytes.instance_count << ")"
                      << std::endl;
            break;
        }
        default:
            std::cout << "bad result kind (" << p->data.kind << ")" << std::endl;
            std::abort();
        }
    }
}

inline hsa_status_t first_gpu(hsa_agent_t agent, void *data)
{
    hsa_device_type_t type;
    hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
    if (type != HSA_DEVICE_TYPE_GPU) return HSA_STATUS_SUCCESS;
    *static_cast<hsa_agent_t *>(data) = agent;
    return HSA_STATUS_INFO_BREAK;
}

#endif
