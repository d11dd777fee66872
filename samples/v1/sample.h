/* sample.h - what these samples share: checking a status, and printing features (section 5.6 of the
 * specification). */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <rocprofiler/rocprofiler.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Says why a call failed; true if it did not. */
static inline bool check(hsa_status_t status, const char *what)
{
    const char *text = "";
    if (status == HSA_STATUS_SUCCESS) return true;
    rocprofiler_error_string(&text);
    fprintf(stderr, "%s: status 0x%x: %s\n", what, status, text);
    return false;
}
#define CHECK(call) check(call, #call)

static inline void print_results(const rocprofiler_feature_t *feature, uint32_t feature_count)
{
    for (const rocprofiler_feature_t *p = feature; p < feature + feature_count; ++p) {
        printf("%d: %s", (int)(p - feature), p->name);
        switch (p->data.kind) {
        case ROCPROFILER_DATA_KIND_INT64:
            printf(" result_int64 (%" PRIu64 ")\n", p->data.result_int64);
            break;
        case ROCPROFILER_DATA_KIND_DOUBLE: /* derived metrics */
            printf(" result_double (%g)\n", p->data.result_double);
            break;
        case ROCPROFILER_DATA_KIND_BYTES:
            printf(" result_bytes ptr(%p)  size(%u) instance_count(%u)\n", p->data.result_bytes.ptr,
                   p->data.result_bytes.size, p->data.result_bytes.instance_count);
            break;
        default: printf(" bad result kind (%d)\n", p->data.kind);
        }
    }
}

#endif
