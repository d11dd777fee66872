/* names.c - the names of the values in a sample.
 *
 * The texts are constants; tools print them unchanged. */
#include <rocprofiler-sdk/pc_sampling.h>

#include "base/sampling_names.h"

const char *rocprofiler_get_pc_sampling_instruction_type_name(
    rocprofiler_pc_sampling_instruction_type_t instruction_type)
{
    static const char *const names[ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_LAST] = {
#define X(name) [ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_##name] = BASE_SAMPLING_TYPE_TEXT(name)
        BASE_SAMPLING_TYPES(X)
#undef X
    };
    return (unsigned)instruction_type < ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE_LAST
               ? names[instruction_type]
               : NULL;
}

const char *rocprofiler_get_pc_sampling_instruction_not_issued_reason_name(
    rocprofiler_pc_sampling_instruction_not_issued_reason_t not_issued_reason)
{
    static const char *const names[ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_LAST] = {
#define X(name)                                                                                    \
    [ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_##name] = BASE_SAMPLING_REASON_TEXT(name)
        BASE_SAMPLING_REASONS(X)
#undef X
    };
    return (unsigned)not_issued_reason < ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_LAST
               ? names[not_issued_reason]
               : NULL;
}
