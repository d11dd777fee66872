/* formats.c - see sampling.h: for which GPUs samples can be read, and the fields of the registers
 * in the samples.
 *
 * The fields come from AMD's register headers and driver; gfx12's HW_ID and gfx950's bit of long
 * instructions are as AMD's SDK reads them. Only gfx90a's host traps have been compared with a real
 * GPU. */
#include "sdk/pc_sampling/sampling.h"

#define VERSION(major, minor) ((major) << 16 | (minor))
#define HOST_TRAP             ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP
#define STOCHASTIC            ROCPROFILER_PC_SAMPLING_METHOD_STOCHASTIC

/* {shift, bits}. ORDER: sdk_pcs_place_t. */
#define GFX9_PLACE                                                                                 \
    {                                                                                              \
        {0, 4}, {4, 2}, {6, 2}, {8, 4}, {12, 1}, {13, 3}, {16, 4}, {20, 4}, {24, 3},               \
        {                                                                                          \
            30, 2                                                                                  \
        }                                                                                          \
    }
#define GFX12_PLACE                                                                                \
    {                                                                                              \
        {0, 5}, {14, 2}, {20, 2}, {10, 4}, {16, 1}, {18, 2}, {23, 5}, {28, 4}, {5, 4},             \
        {                                                                                          \
            17, 1                                                                                  \
        }                                                                                          \
    }

static const sdk_pcs_format_t formats[] = {
    {90010, 90010, {[HOST_TRAP] = VERSION(0, 1)}, GFX9_PLACE, false},
    {90400, 90402, {[HOST_TRAP] = VERSION(0, 3), [STOCHASTIC] = VERSION(1, 3)}, GFX9_PLACE, false},
    {90500, 90500, {[HOST_TRAP] = VERSION(1, 2), [STOCHASTIC] = VERSION(1, 4)}, GFX9_PLACE, true},
    {120000, 120001, {[HOST_TRAP] = VERSION(1, 5)}, GFX12_PLACE, false},
};

const sdk_pcs_format_t *sdk_pcs_format(const rocprofiler_agent_v0_t *agent)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (agent->gfx_target_version >= formats[i].first &&
            agent->gfx_target_version <= formats[i].last)
            return &formats[i];
    return NULL;
}

rocprofiler_pc_sampling_hw_id_v0_t sdk_pcs_place(const sdk_pcs_format_t *format, uint32_t word)
{
    uint64_t v[SDK_PCS_PLACES];
    for (size_t i = 0; i < SDK_PCS_PLACES; i++)
        v[i] = word >> format->place[i].shift & ((1u << format->place[i].bits) - 1);
    rocprofiler_pc_sampling_hw_id_v0_t id = {0};
    id.wave_id = v[SDK_PCS_WAVE] & 0x7f;
    id.simd_id = v[SDK_PCS_SIMD] & 3;
    id.pipe_id = v[SDK_PCS_PIPE] & 15;
    id.cu_or_wgp_id = v[SDK_PCS_UNIT] & 15;
    id.shader_array_id = v[SDK_PCS_ARRAY] & 1;
    id.shader_engine_id = v[SDK_PCS_ENGINE] & 0x1f;
    id.workgroup_id = v[SDK_PCS_GROUP] & 0x7f;
    id.vm_id = v[SDK_PCS_VM] & 0x3f;
    id.queue_id = v[SDK_PCS_QUEUE] & 15;
    id.microengine_id = v[SDK_PCS_MICROENGINE] & 3;
    return id;
}
