/* interface_test.c - both interfaces without a GPU: sizes, results, places, and every refusal.
 *
 * This program stands in for the HSA runtime, whose one function the library looks up. Results are
 * written to the buffers by hand. */
#include <aqlprofile-sdk/aql_profile_v2.h>
#include <hsa/hsa_ext_amd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INVALID HSA_STATUS_ERROR_INVALID_ARGUMENT
#define KNOWN                                                                                      \
    "gfx900, gfx906, gfx908, gfx90a, gfx940, gfx941, gfx942, gfx950, gfx1010, gfx1012, gfx1030, "  \
    "gfx1031, gfx1032, gfx1033, gfx1034, "                                                         \
    "gfx1035, gfx1036, gfx1100, gfx1101, gfx1102, gfx1103, gfx1150, gfx1151, gfx1152, gfx1153, "   \
    "gfx1200, gfx1201"

enum { GFX90A = 1, GFX803, NOBODY };

__attribute__((visibility("default"))) hsa_status_t
hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value);

/* One engine lacks units: 102 of 8 x 13. */
hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value)
{
    uint32_t *number = value;
    if (agent.handle == NOBODY) return HSA_STATUS_ERROR_INVALID_AGENT;
    switch ((int)attribute) {
    case HSA_AGENT_INFO_NAME: strcpy(value, agent.handle == GFX90A ? "gfx90a" : "gfx803"); break;
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT: *number = 102; break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES: *number = 8; break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE: *number = 1; break;
    default: return INVALID;
    }
    return HSA_STATUS_SUCCESS;
}

static const hsa_agent_t gfx90a = {GFX90A};

static void assert_message(const char *expected)
{
    const char *text = NULL;
    assert_int_equal(hsa_ven_amd_aqlprofile_error_string(&text), HSA_STATUS_SUCCESS);
    assert_string_equal(text, expected);
}

#define ASSERT_FAILS(call, status, message)                                                        \
    do {                                                                                           \
        assert_int_equal(call, status);                                                            \
        assert_message(message);                                                                   \
    } while (0)

#define V1(block, index, id)                                                                       \
    {                                                                                              \
        HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_##block, index, id                                       \
    }

/* ---- the first interface ---- */

static hsa_ven_amd_aqlprofile_profile_t profile_of(const hsa_ven_amd_aqlprofile_event_t *events,
                                                   uint32_t count)
{
    return (hsa_ven_amd_aqlprofile_profile_t){
        .agent = gfx90a, .events = events, .event_count = count};
}

static void allocate_buffers(hsa_ven_amd_aqlprofile_profile_t *profile)
{
    assert_int_equal(hsa_ven_amd_aqlprofile_start(profile, NULL), HSA_STATUS_SUCCESS);
    profile->command_buffer.ptr = calloc(1, profile->command_buffer.size);
    profile->output_buffer.ptr = calloc(1, profile->output_buffer.size);
}

static void free_buffers(hsa_ven_amd_aqlprofile_profile_t *profile)
{
    free(profile->command_buffer.ptr);
    free(profile->output_buffer.ptr);
}

static void test_versions(void **state)
{
    (void)state;
    assert_int_equal(hsa_ven_amd_aqlprofile_version_major(), 2);
    assert_int_equal(hsa_ven_amd_aqlprofile_version_minor(), 0);
    assert_int_equal(hsa_ven_amd_aqlprofile_error_string(NULL), INVALID);
}

static void test_validate(void **state)
{
    (void)state;
    static const struct {
        hsa_ven_amd_aqlprofile_event_t event;
        bool valid;
        const char *message;
    } cases[] = {
        {V1(SQ, 0, 4), true, NULL},
        {V1(TCC, 31, 295), true, NULL},
        {V1(SDMA, 0, 1), false, "gfx90a has no counters in block 25"},
        {{(hsa_ven_amd_aqlprofile_block_name_t)9999, 0, 1},
         false,
         "gfx90a has no counters in block 9999"},
        {V1(TCC, 32, 0), false, "TCC[32]: the block has 32 instances on gfx90a"},
        {V1(GRBM, 1, 0), false, "GRBM[1]: the block has 1 instance on gfx90a"},
        {V1(SQ, 0, 338), false, "SQ event 338: the block's highest event is 337 on gfx90a"},
    };
    bool valid;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        valid = !cases[i].valid;
        assert_int_equal(hsa_ven_amd_aqlprofile_validate_event(gfx90a, &cases[i].event, &valid),
                         HSA_STATUS_SUCCESS);
        assert_int_equal(valid, cases[i].valid);
        if (!valid) assert_message(cases[i].message);
    }
    const hsa_ven_amd_aqlprofile_event_t event = V1(SQ, 0, 4);
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_validate_event(gfx90a, NULL, &valid), INVALID,
                 "event is NULL");
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_validate_event(gfx90a, &event, NULL), INVALID,
                 "result is NULL");
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_validate_event((hsa_agent_t){GFX803}, &event, &valid),
                 HSA_STATUS_ERROR_INVALID_AGENT,
                 "gfx803 is not supported, counters are known for " KNOWN);
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_validate_event((hsa_agent_t){NOBODY}, &event, &valid),
                 HSA_STATUS_ERROR_INVALID_AGENT,
                 "the HSA runtime does not describe agent 0x3, status 0x1004");
}

static void test_sizes(void **state)
{
    (void)state;
    const hsa_ven_amd_aqlprofile_event_t events[] = {V1(SQ, 0, 4), V1(TCC, 5, 1), V1(TCP, 15, 2)};
    hsa_ven_amd_aqlprofile_profile_t profile = profile_of(events, 3);
    hsa_ext_amd_aql_pm4_packet_t packet;
    uint32_t size;
    assert_int_equal(hsa_ven_amd_aqlprofile_start(&profile, NULL), HSA_STATUS_SUCCESS);
    assert_int_equal(profile.output_buffer.size, (8 + 1 + 8) * 8);
    assert_int_equal(profile.command_buffer.size % 4096, 0);
    assert_int_equal(hsa_ven_amd_aqlprofile_get_info(
                         &profile, HSA_VEN_AMD_AQLPROFILE_INFO_COMMAND_BUFFER_SIZE, &size),
                     HSA_STATUS_SUCCESS);
    assert_int_equal(size, profile.command_buffer.size);
    assert_int_equal(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA_SIZE, &size),
        HSA_STATUS_SUCCESS);
    assert_int_equal(size, 136);

    allocate_buffers(&profile);
    profile.output_buffer.size = 128;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&profile, &packet), INVALID,
                 "output_buffer has 128 bytes, the profile needs 136");
    assert_int_equal(profile.output_buffer.size, 136);
    profile.command_buffer.size = 64;
    assert_int_equal(hsa_ven_amd_aqlprofile_start(&profile, &packet), INVALID);
    assert_int_equal(profile.command_buffer.size % 4096, 0);
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&profile, NULL), INVALID, "aql_start_packet is NULL");
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_stop(&profile, &packet), INVALID,
                 "the command buffer has not been prepared by start for this profile");
    assert_int_equal(hsa_ven_amd_aqlprofile_start(&profile, &packet), HSA_STATUS_SUCCESS);
    assert_int_equal(hsa_ven_amd_aqlprofile_stop(&profile, &packet), HSA_STATUS_SUCCESS);
    assert_int_equal(hsa_ven_amd_aqlprofile_read(&profile, &packet), HSA_STATUS_SUCCESS);
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_read(&profile, NULL), INVALID, "aql_read_packet is NULL");
    profile.event_count = 2;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_read(&profile, &packet), INVALID,
                 "the command buffer has not been prepared by start for this profile");
    profile.event_count = 3;

    hsa_ven_amd_aqlprofile_profile_t broken = profile;
    broken.output_buffer.ptr = NULL;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&broken, &packet), INVALID,
                 "output_buffer.ptr is NULL");
    broken = profile;
    broken.output_buffer.ptr = (char *)profile.output_buffer.ptr + 4;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&broken, &packet), INVALID,
                 "output_buffer is not aligned to 8 bytes");
    broken = profile;
    broken.command_buffer.ptr = NULL;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_stop(&broken, &packet), INVALID,
                 "command_buffer.ptr is NULL");
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(NULL, &packet), INVALID, "profile is NULL");
    broken = profile_of(NULL, 3);
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&broken, NULL), INVALID, "the profile has no events");
    broken = profile_of(events, 0);
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&broken, NULL), INVALID, "the profile has no events");
    broken.type = (hsa_ven_amd_aqlprofile_event_type_t)7;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&broken, NULL), INVALID,
                 "profile type 7 is neither counters nor a trace");
    for (int type = 0; type < 2; type++) {
        broken = profile_of(events, 2);
        broken.type = (hsa_ven_amd_aqlprofile_event_type_t)type;
        broken.parameter_count = 3;
        ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&broken, NULL), INVALID,
                     "parameters is NULL, parameter_count 3");
    }
    free_buffers(&profile);
}

static void test_too_many(void **state)
{
    (void)state;
    hsa_ven_amd_aqlprofile_event_t events[9] = {0};
    hsa_ven_amd_aqlprofile_profile_t profile = profile_of(events, 9);
    for (uint32_t i = 0; i < 9; i++)
        events[i] = (hsa_ven_amd_aqlprofile_event_t)V1(SQ, 0, i + 2);
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&profile, NULL), INVALID,
                 "SQ[0] counts 8 events at once on gfx90a, no room for event 10");
    profile.event_count = 8;
    assert_int_equal(hsa_ven_amd_aqlprofile_start(&profile, NULL), HSA_STATUS_SUCCESS);
    for (uint32_t i = 0; i < 9; i++) /* every instance has slots of its own */
        events[i] = (hsa_ven_amd_aqlprofile_event_t)V1(TD, i / 2, 3);
    profile.event_count = 9;
    assert_int_equal(hsa_ven_amd_aqlprofile_start(&profile, NULL), HSA_STATUS_SUCCESS);
    profile.event_count = UINT32_MAX;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&profile, NULL), INVALID,
                 "the profile has 4294967295 events, more than there are counters (at most 65536)");
    profile.event_count = 9;
    events[8].block_index = 1;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&profile, NULL), INVALID,
                 "TD[1] counts 2 events at once on gfx90a, no room for event 3");
}

typedef struct {
    uint32_t calls, stop_after;
    hsa_status_t stop_with;
    uint64_t sum;
    char places[512];
} seen_t;

static hsa_status_t see_data(hsa_ven_amd_aqlprofile_info_type_t type,
                             hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    seen_t *seen = data;
    char *end = seen->places + strlen(seen->places);
    assert_int_equal(type, HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA);
    sprintf(end, "%d[%u].%u #%u=%llu ", info->pmc_data.event.block_name,
            info->pmc_data.event.block_index, info->pmc_data.event.counter_id, info->sample_id,
            (unsigned long long)info->pmc_data.result);
    return ++seen->calls == seen->stop_after ? seen->stop_with : HSA_STATUS_SUCCESS;
}

static void test_results(void **state)
{
    (void)state;
    const hsa_ven_amd_aqlprofile_event_t events[] = {V1(TCC, 5, 1), V1(SQ, 0, 4)};
    hsa_ven_amd_aqlprofile_profile_t profile = profile_of(events, 2);
    seen_t seen = {0};
    allocate_buffers(&profile);
    for (uint64_t i = 0; i < 9; i++)
        ((uint64_t *)profile.output_buffer.ptr)[i] = 100 + i;
    assert_int_equal(hsa_ven_amd_aqlprofile_iterate_data(&profile, see_data, &seen),
                     HSA_STATUS_SUCCESS);
    assert_string_equal(seen.places,
                        "12[5].1 #0=100 6[0].4 #0=101 6[0].4 #1=102 6[0].4 #2=103 6[0].4 #3=104 "
                        "6[0].4 #4=105 6[0].4 #5=106 6[0].4 #6=107 6[0].4 #7=108 ");
    seen = (seen_t){.stop_after = 2, .stop_with = HSA_STATUS_INFO_BREAK};
    assert_int_equal(hsa_ven_amd_aqlprofile_iterate_data(&profile, see_data, &seen),
                     HSA_STATUS_SUCCESS);
    assert_int_equal(seen.calls, 2);
    seen = (seen_t){.stop_after = 2, .stop_with = HSA_STATUS_ERROR};
    assert_int_equal(hsa_ven_amd_aqlprofile_iterate_data(&profile, see_data, &seen),
                     HSA_STATUS_ERROR);
    assert_int_equal(seen.calls, 2);

    hsa_ven_amd_aqlprofile_info_data_t info = {.sample_id = 6, .pmc_data.event = events[1]};
    assert_int_equal(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA, &info),
        HSA_STATUS_SUCCESS);
    assert_int_equal(info.pmc_data.result, 107);
    info.sample_id = UINT32_MAX;
    assert_int_equal(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA, &info),
        HSA_STATUS_SUCCESS);
    assert_int_equal(info.pmc_data.result, 101 + 102 + 103 + 104 + 105 + 106 + 107 + 108);
    info.sample_id = 8;
    ASSERT_FAILS(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA, &info),
        INVALID, "the profile has no sample 8 of event 4 of block 6, instance 0");
    info = (hsa_ven_amd_aqlprofile_info_data_t){.sample_id = UINT32_MAX,
                                                .pmc_data.event = V1(TCC, 5, 2)};
    ASSERT_FAILS(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA, &info),
        INVALID, "the profile has no event 2 of block 12, instance 5");

    ASSERT_FAILS(hsa_ven_amd_aqlprofile_iterate_data(&profile, NULL, NULL), INVALID,
                 "callback is NULL");
    profile.output_buffer.size = 64;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_iterate_data(&profile, see_data, &seen), INVALID,
                 "output_buffer has 64 bytes, the profile's results have 72");
    free_buffers(&profile);
    profile.output_buffer.ptr = NULL;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_iterate_data(&profile, see_data, &seen), INVALID,
                 "output_buffer.ptr is NULL");
}

static void test_info(void **state)
{
    (void)state;
    const hsa_ven_amd_aqlprofile_event_t events[] = {V1(TCP, 5, 1)};
    hsa_ven_amd_aqlprofile_profile_t profile = profile_of(events, 1);
    uint32_t counters = 0;
    hsa_ven_amd_aqlprofile_id_query_t query = {.name = "TCC"};
    assert_int_equal(hsa_ven_amd_aqlprofile_get_info(
                         &profile, HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_COUNTERS, &counters),
                     HSA_STATUS_SUCCESS);
    assert_int_equal(counters, 4);
    assert_int_equal(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_ID, &query),
        HSA_STATUS_SUCCESS);
    assert_int_equal(query.id, HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCC);
    assert_int_equal(query.instance_count, 32);
    query.name = "tcc";
    ASSERT_FAILS(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_ID, &query),
        HSA_STATUS_ERROR, "gfx90a has no counters in a block named tcc");
    query.name = NULL;
    ASSERT_FAILS(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_ID, &query),
        INVALID, "the block's name is NULL");
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_get_info(&profile, 99, &query), INVALID,
                 "nothing is known by attribute 99");
    ASSERT_FAILS(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_ID, NULL),
        INVALID, "value is NULL");
    ASSERT_FAILS(
        hsa_ven_amd_aqlprofile_get_info(NULL, HSA_VEN_AMD_AQLPROFILE_INFO_BLOCK_ID, &query),
        INVALID, "profile is NULL");

    uint32_t commands[3];
    hsa_ext_amd_aql_pm4_packet_t packet;
    assert_int_equal(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_ENABLE_CMD, NULL),
        HSA_STATUS_SUCCESS);
    assert_int_equal(profile.command_buffer.size, sizeof commands);
    profile.command_buffer.ptr = commands;
    assert_int_equal(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_ENABLE_CMD, &packet),
        HSA_STATUS_SUCCESS);
    assert_int_equal(commands[2], 1);
    assert_int_equal(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_DISABLE_CMD, &packet),
        HSA_STATUS_SUCCESS);
    assert_int_equal(commands[2], 0);
    profile.command_buffer.size = 100;
    ASSERT_FAILS(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_DISABLE_CMD, &packet),
        HSA_STATUS_ERROR, "command_buffer has 100 bytes, the command exactly 12");
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_legacy_get_pm4(&packet, commands), HSA_STATUS_ERROR,
                 "queues of gfx8, which need PM4 blocks, are not supported");
}

/* ---- traces ---- */

static hsa_status_t see_trace(hsa_ven_amd_aqlprofile_info_type_t type,
                              hsa_ven_amd_aqlprofile_info_data_t *info, void *data)
{
    seen_t *seen = data;
    assert_int_equal(type, HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA);
    sprintf(seen->places + strlen(seen->places), "%u: %u bytes; ", info->sample_id,
            info->trace_data.size);
    return HSA_STATUS_SUCCESS;
}

/* The GPU's part is done by hand: status and pointer of each engine, 24 bytes into the commands. */
static void test_trace(void **state)
{
    (void)state;
    enum { SIZE = 2 << 20 };
    hsa_ven_amd_aqlprofile_parameter_t parameter = {0, 0};
    hsa_ven_amd_aqlprofile_profile_t profile = {.agent = gfx90a,
                                                .type = HSA_VEN_AMD_AQLPROFILE_EVENT_TYPE_TRACE,
                                                .parameters = &parameter,
                                                .parameter_count = 1};
    hsa_ext_amd_aql_pm4_packet_t packet;
    seen_t seen = {0};
    assert_int_equal(hsa_ven_amd_aqlprofile_start(&profile, NULL), HSA_STATUS_SUCCESS);
    assert_int_equal(profile.output_buffer.size, 0);
    profile.command_buffer.ptr = aligned_alloc(4096, profile.command_buffer.size);
    profile.output_buffer.ptr = aligned_alloc(4096, SIZE);
    profile.output_buffer.size = 300000;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&profile, &packet), INVALID,
                 "a trace of 2 shader engines takes from 516096 to 34359984128 bytes, not 300000");
    profile.output_buffer.size = SIZE;
    assert_int_equal(hsa_ven_amd_aqlprofile_start(&profile, &packet), HSA_STATUS_SUCCESS);
    uint32_t(*control)[8] = (void *)((char *)profile.command_buffer.ptr + 24);
    control[0][2] = 3;
    control[4][2] = 1000000;
    assert_int_equal(hsa_ven_amd_aqlprofile_iterate_data(&profile, see_trace, &seen),
                     HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    assert_string_equal(seen.places, "0: 96 bytes; 4: 921600 bytes; ");
    assert_message("the trace buffer of shader engine 4, 921600 bytes, was too small");
    hsa_ven_amd_aqlprofile_info_data_t info = {.sample_id = 4};
    ASSERT_FAILS(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA, &info),
        HSA_STATUS_ERROR_OUT_OF_RESOURCES,
        "the trace buffer of shader engine 4, 921600 bytes, was too small");
    assert_int_equal(info.trace_data.size, 921600);
    control[4][2] = 1;
    info.sample_id = 0;
    assert_int_equal(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA, &info),
        HSA_STATUS_SUCCESS);
    assert_int_equal(info.trace_data.size, 96);
    assert_ptr_equal(info.trace_data.ptr, profile.output_buffer.ptr);
    info.sample_id = 1;
    ASSERT_FAILS(
        hsa_ven_amd_aqlprofile_get_info(&profile, HSA_VEN_AMD_AQLPROFILE_INFO_TRACE_DATA, &info),
        INVALID, "shader engine 1 is not traced");
    control[0][0] = 1u << 28;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_iterate_data(&profile, see_trace, &seen),
                 HSA_STATUS_ERROR_EXCEPTION, "shader engine 0 could not reach its trace buffer");
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_read(&profile, &packet), HSA_STATUS_ERROR,
                 "a trace is not read, the stop packet ends it");

    static const struct {
        uint32_t name, value;
        const char *message;
    } wrong[] = {
        {0, 16, "trace parameter COMPUTE_UNIT_TARGET cannot be 0x10: 0 to 15"},
        {1, 4, "trace parameter VM_ID_MASK cannot be 0x4: 0 to 3"},
        {2, 0x10, "trace parameter MASK cannot be 0x10: bits 4 and 6 zero"},
        {3, 0x1000000, "trace parameter TOKEN_MASK cannot be 0x1000000: 24 bits"},
        {5, 0x300,
         "trace parameter SE_MASK cannot be 0x300: a bit for a shader engine of the agent"},
        {12, 1, "no trace parameter has number 12"},
        {99, 1, "no trace parameter has number 99"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        parameter.parameter_name = (hsa_ven_amd_aqlprofile_parameter_name_t)wrong[i].name;
        parameter.value = wrong[i].value;
        ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&profile, &packet), INVALID, wrong[i].message);
    }
    parameter.parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_COMPUTE_UNIT_TARGET;
    parameter.value = 3;
    profile.event_count = 1;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&profile, &packet), INVALID,
                 "streaming counters are not supported");
    profile.event_count = UINT32_MAX;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_start(&profile, &packet), INVALID,
                 "traces of sampled PCs are not supported");
    profile.command_buffer.size = 20;
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_att_marker(&profile, &packet, 1, 0), INVALID,
                 "command_buffer has 20 bytes, a marker needs 36");
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_att_marker(&profile, &packet, 1, 4), INVALID,
                 "a trace has channels 0 to 3, not 4");
    free_buffers(&profile);
}

static char places[512];

static hsa_status_t see_place(int position, int id, int extent, int coordinate, const char *name,
                              void *userdata)
{
    (void)userdata;
    sprintf(places + strlen(places), "%d: %s(%d) %d of %d; ", position, name, id, coordinate,
            extent);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t see_name(int id, const char *name)
{
    sprintf(places + strlen(places), "%d %s; ", id, name);
    return HSA_STATUS_SUCCESS;
}

static const char *place_v1(hsa_ven_amd_aqlprofile_event_t event, uint32_t sample)
{
    *places = 0;
    assert_int_equal(
        hsa_ven_amd_aqlprofile_iterate_event_coord(gfx90a, event, sample, see_place, NULL),
        HSA_STATUS_SUCCESS);
    return places;
}

static void test_dimensions(void **state)
{
    (void)state;
    *places = 0;
    assert_int_equal(hsa_ven_amd_aqlprofile_iterate_event_ids(see_name), HSA_STATUS_SUCCESS);
    assert_string_equal(places, "0 XCD; 1 AID; 2 SE; 3 SA; 4 WGP; 5 INSTANCE; ");
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_iterate_event_ids(NULL), INVALID, "callback is NULL");
    /* 102 units in 8 engines: 13 in the fullest, and one to spare */
    assert_string_equal(place_v1((hsa_ven_amd_aqlprofile_event_t)V1(TCP, 11, 1), 6),
                        "0: INSTANCE(5) 11 of 14; 1: SE(2) 6 of 8; ");
    assert_string_equal(place_v1((hsa_ven_amd_aqlprofile_event_t)V1(SQ, 0, 4), 7),
                        "0: INSTANCE(5) 0 of 1; 1: SE(2) 7 of 8; ");
    assert_string_equal(place_v1((hsa_ven_amd_aqlprofile_event_t)V1(TCC, 31, 1), 0),
                        "0: INSTANCE(5) 31 of 32; ");
    const hsa_ven_amd_aqlprofile_event_t tcc = V1(TCC, 31, 1);
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_iterate_event_coord(gfx90a, tcc, 1, see_place, NULL),
                 HSA_STATUS_ERROR_INVALID_INDEX, "TCC[31] has 1 samples, there is none 1");
    const hsa_ven_amd_aqlprofile_event_t tcp = V1(TCP, 15, 1);
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_iterate_event_coord(gfx90a, tcp, 1, see_place, NULL),
                 HSA_STATUS_ERROR_INVALID_INDEX,
                 "TCP on this agent has 14 instances x 8 results, there is no result 121");
    ASSERT_FAILS(hsa_ven_amd_aqlprofile_iterate_event_coord(gfx90a, tcp, 1, NULL, NULL), INVALID,
                 "callback is NULL");
}

/* ---- the second interface ---- */

static struct {
    uint64_t *results;
    int fail_at, allocations, frees;
    bool odd;
} heap;

static hsa_status_t allocate(void **ptr, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                             void *userdata)
{
    assert_ptr_equal(userdata, &heap);
    assert_true(flags.host_access && flags.device_access);
    if (++heap.allocations == heap.fail_at) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *ptr = malloc(size);
    if (flags.memory_hint == AQLPROFILE_MEMORY_HINT_DEVICE_UNCACHED) heap.results = *ptr;
    return HSA_STATUS_SUCCESS;
}

static void release(void *ptr, void *userdata)
{
    assert_ptr_equal(userdata, &heap);
    heap.frees++;
    free(ptr);
}

static hsa_status_t copy(void *dst, const void *src, size_t size, void *userdata)
{
    assert_ptr_equal(userdata, &heap);
    if (heap.odd) return HSA_STATUS_ERROR;
    memcpy(dst, src, size);
    return HSA_STATUS_SUCCESS;
}

static aqlprofile_agent_handle_t registered(void)
{
    aqlprofile_agent_handle_t agent = {0};
    const aqlprofile_agent_info_t info = {"gfx90a", 1, 8, 104, 1};
    assert_int_equal(aqlprofile_register_agent(&agent, &info), HSA_STATUS_SUCCESS);
    return agent;
}

static void test_agents(void **state)
{
    (void)state;
    aqlprofile_agent_handle_t a = registered(), b = {0}, c = {0};
    const aqlprofile_agent_info_v1_t same = {"gfx90a:xnack-", 1, 8, 104, 1, 0, 77};
    assert_int_equal(aqlprofile_register_agent_info(&b, &same, AQLPROFILE_AGENT_VERSION_V1),
                     HSA_STATUS_SUCCESS);
    assert_int_equal(a.handle, b.handle);
    ASSERT_FAILS(aqlprofile_register_agent_info(&c, &same, AQLPROFILE_AGENT_VERSION_LAST), INVALID,
                 "no agent description has version 3");
    aqlprofile_agent_info_t info = {"gfx9", 6, 24, 228, 1};
    ASSERT_FAILS(aqlprofile_register_agent(&c, &info), HSA_STATUS_ERROR_INVALID_AGENT,
                 "gfx9 is not supported, counters are known for " KNOWN);
    info.agent_gfxip = "gfx90a";
    ASSERT_FAILS(aqlprofile_register_agent(&c, &info), INVALID, "gfx90a has 1 XCC, not 6");
    info.se_num = 0;
    ASSERT_FAILS(aqlprofile_register_agent(&c, &info), INVALID,
                 "an agent of 0 shader engines (at most 32), 228 compute units and 1 shader arrays "
                 "per engine cannot be");
    info.agent_gfxip = NULL;
    ASSERT_FAILS(aqlprofile_register_agent(&c, &info), INVALID, "agent_gfxip is NULL");
    ASSERT_FAILS(aqlprofile_register_agent(&c, NULL), INVALID, "agent_info is NULL");
    ASSERT_FAILS(aqlprofile_register_agent(NULL, &info), INVALID, "agent_id is NULL");
    const aqlprofile_pmc_event_t event = {.block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ};
    bool valid = true;
    ASSERT_FAILS(aqlprofile_validate_pmc_event((aqlprofile_agent_handle_t){12345}, &event, &valid),
                 HSA_STATUS_ERROR_INVALID_AGENT, "no agent is registered as 0x3039");
    assert_false(valid);
}

static char values[512];

static hsa_status_t see_value(aqlprofile_pmc_event_t event, uint64_t id, uint64_t value,
                              void *userdata)
{
    (void)userdata;
    sprintf(values + strlen(values), "%d.%u @%llu=%llu ", event.block_name, event.event_id,
            (unsigned long long)id, (unsigned long long)value);
    return HSA_STATUS_SUCCESS;
}

static void test_packets(void **state)
{
    (void)state;
    const aqlprofile_agent_handle_t agent = registered();
    aqlprofile_pmc_event_t events[] = {
        {.block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCP, .block_index = 2, .event_id = 9},
        {.block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCC, .block_index = 7, .event_id = 1}};
    aqlprofile_pmc_profile_t profile = {agent, events, 2};
    aqlprofile_handle_t handle = {0};
    aqlprofile_pmc_aql_packets_t packets;
    uint32_t size = 0;
    memset(&heap, 0, sizeof heap);
    assert_int_equal(
        aqlprofile_pmc_create_packets(&handle, &packets, profile, allocate, release, copy, &heap),
        HSA_STATUS_SUCCESS);
    assert_int_equal(aqlprofile_get_pmc_info(&profile, AQLPROFILE_INFO_PMC_DATA_SIZE, &size),
                     HSA_STATUS_SUCCESS);
    assert_int_equal(size, 72);
    for (uint64_t i = 0; i < 9; i++)
        heap.results[i] = i + 1;
    assert_int_equal(aqlprofile_pmc_iterate_data(handle, see_value, NULL), HSA_STATUS_SUCCESS);
    assert_string_equal(values, "13.9 @16=1 13.9 @17=2 13.9 @18=3 13.9 @19=4 13.9 @20=5 13.9 @21=6 "
                                "13.9 @22=7 13.9 @23=8 12.1 @7=9 ");
    *places = 0;
    assert_int_equal(aqlprofile_iterate_event_coord(agent, events[0], 19, see_place, NULL),
                     HSA_STATUS_SUCCESS);
    assert_string_equal(places, "0: INSTANCE(5) 2 of 14; 1: SE(2) 3 of 8; ");
    ASSERT_FAILS(aqlprofile_pmc_iterate_data(handle, NULL, NULL), INVALID, "callback is NULL");
    aqlprofile_pmc_delete_packets(handle);
    assert_int_equal(heap.frees, 2);
    aqlprofile_pmc_delete_packets(handle); /* gone already */
    assert_int_equal(heap.frees, 2);
    ASSERT_FAILS(aqlprofile_pmc_iterate_data((aqlprofile_handle_t){7}, see_value, NULL), INVALID,
                 "0x7 is no handle of packets for counters");
    assert_int_equal(aqlprofile_pmc_iterate_data(handle, see_value, NULL), INVALID);

    /* the place is used again, the old handle still means nothing */
    aqlprofile_handle_t again = {0};
    assert_int_equal(
        aqlprofile_pmc_create_packets(&again, &packets, profile, allocate, release, copy, &heap),
        HSA_STATUS_SUCCESS);
    assert_int_not_equal(again.handle, handle.handle);
    assert_int_equal(aqlprofile_pmc_iterate_data(handle, see_value, NULL), INVALID);
    aqlprofile_pmc_delete_packets(again);
}

static void test_packets_refused(void **state)
{
    (void)state;
    aqlprofile_pmc_event_t events[3] = {
        {.block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TA, .block_index = 2, .event_id = 9}};
    events[1] = events[2] = events[0];
    aqlprofile_pmc_profile_t profile = {registered(), events, 3};
    aqlprofile_handle_t handle = {0};
    aqlprofile_pmc_aql_packets_t packets;
    memset(&heap, 0, sizeof heap);
#define CREATE                                                                                     \
    aqlprofile_pmc_create_packets(&handle, &packets, profile, allocate, release, copy, &heap)
    ASSERT_FAILS(CREATE, INVALID, "TA[2] counts 2 events at once on gfx90a, no room for event 9");
    profile.event_count = 1;
    events[0].flags.raw = 1;
    ASSERT_FAILS(CREATE, INVALID, "TA event 9: flags 0x1 are none of this block on gfx90a");
    events[0].block_index = 16;
    ASSERT_FAILS(CREATE, INVALID, "TA[16]: the block has 16 instances on gfx90a");
    profile.events = NULL;
    ASSERT_FAILS(CREATE, INVALID, "the profile has no events");
    profile.events = events;
    profile.agent.handle = 0;
    ASSERT_FAILS(CREATE, HSA_STATUS_ERROR_INVALID_AGENT, "no agent is registered as 0x0");
    assert_int_equal(heap.allocations, 0);

    profile.agent = registered();
    events[0].block_index = 0;
    events[0].flags.raw = 0;
    heap.fail_at = 2;
    ASSERT_FAILS(CREATE, HSA_STATUS_ERROR_OUT_OF_RESOURCES,
                 "the caller's allocator gave no 744 bytes for commands, status 0x1008");
    assert_int_equal(heap.frees, 1);
    heap.fail_at = 0;
    heap.odd = true;
    ASSERT_FAILS(CREATE, HSA_STATUS_ERROR, "the caller's copy of commands failed, status 0x1000");
    assert_int_equal(heap.frees, 3);
    ASSERT_FAILS(
        aqlprofile_pmc_create_packets(&handle, &packets, profile, NULL, release, copy, &heap),
        INVALID, "alloc_cb is NULL");
    ASSERT_FAILS(
        aqlprofile_pmc_create_packets(&handle, NULL, profile, allocate, release, copy, &heap),
        INVALID, "packets is NULL");

    /* eight accumulations of eight levels need sixteen slots */
    aqlprofile_pmc_event_t sums[8];
    for (uint32_t i = 0; i < 8; i++)
        sums[i] = (aqlprofile_pmc_event_t){.block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SQ,
                                           .event_id = 80 + i,
                                           .flags.sq_flags.accum = AQLPROFILE_ACCUMULATION_HI_RES};
    profile = (aqlprofile_pmc_profile_t){registered(), sums, 8};
    ASSERT_FAILS(
        CREATE, INVALID,
        "SQ[0] counts 8 events at once on gfx90a, no room for event 84 and what adds it up");
}

static void test_att_refused(void **state)
{
    (void)state;
    aqlprofile_handle_t handle = {0};
    aqlprofile_att_control_aql_packets_t packets;
    aqlprofile_att_parameter_t parameters[9];
    aqlprofile_att_profile_t profile = {gfx90a, parameters, 9};
    memset(&heap, 0, sizeof heap);
    for (int i = 0; i < 9; i++)
        parameters[i] = (aqlprofile_att_parameter_t){
            HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_PERFCOUNTER_NAME, {.value = 0xf0000004}};
#define CREATE_TRACE                                                                               \
    aqlprofile_att_create_packets(&handle, &packets, profile, allocate, release, copy, &heap)
    ASSERT_FAILS(CREATE_TRACE, INVALID,
                 "trace parameter PERFCOUNTER_NAME cannot be 0xf0000004: 8 counters");
    profile.parameter_count = 1;
    parameters[0].parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_MASK;
    ASSERT_FAILS(CREATE_TRACE, INVALID, "no trace parameter has number 2");
    parameters[0].parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_ATT_BUFFER_SIZE;
    parameters[0].value = 4096;
    ASSERT_FAILS(CREATE_TRACE, INVALID,
                 "a trace of 2 shader engines takes from 516096 to 34359984128 bytes, not 4096");
    profile.parameters = NULL;
    ASSERT_FAILS(CREATE_TRACE, INVALID, "parameters is NULL");
    profile.agent.handle = GFX803;
    ASSERT_FAILS(CREATE_TRACE, HSA_STATUS_ERROR_INVALID_AGENT,
                 "gfx803 is not supported, counters are known for " KNOWN);
    assert_int_equal(heap.allocations, 0);
    ASSERT_FAILS(aqlprofile_att_iterate_data(handle, NULL, NULL), INVALID, "callback is NULL");
    aqlprofile_att_delete_packets(handle);
}

static void test_questions(void **state)
{
    (void)state;
    const aqlprofile_pmc_event_t event = {.block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_SPI};
    aqlprofile_pmc_profile_t profile = {registered(), &event, 1};
    uint32_t counters = 0;
    hsa_ven_amd_aqlprofile_id_query_t query = {.name = "TCP"};
    assert_int_equal(aqlprofile_get_pmc_info(&profile, AQLPROFILE_INFO_BLOCK_ID, &query),
                     HSA_STATUS_SUCCESS);
    assert_int_equal(query.id, HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCP);
    assert_int_equal(query.instance_count, 14);
    assert_int_equal(aqlprofile_get_pmc_info(&profile, AQLPROFILE_INFO_BLOCK_COUNTERS, &counters),
                     HSA_STATUS_SUCCESS);
    assert_int_equal(counters, 6);
    query.name = "SDMA";
    ASSERT_FAILS(aqlprofile_get_pmc_info(&profile, AQLPROFILE_INFO_BLOCK_ID, &query), INVALID,
                 "gfx90a has no counters in a block named SDMA");
    ASSERT_FAILS(aqlprofile_get_pmc_info(&profile, AQLPROFILE_INFO_PMC_DATA, &query), INVALID,
                 "attribute 2 is not answered");
    ASSERT_FAILS(aqlprofile_get_pmc_info(NULL, AQLPROFILE_INFO_PMC_DATA, &query), INVALID,
                 "profile is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),    cmocka_unit_test(test_validate),
        cmocka_unit_test(test_sizes),       cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_results),     cmocka_unit_test(test_info),
        cmocka_unit_test(test_dimensions),  cmocka_unit_test(test_agents),
        cmocka_unit_test(test_packets),     cmocka_unit_test(test_packets_refused),
        cmocka_unit_test(test_questions),   cmocka_unit_test(test_trace),
        cmocka_unit_test(test_att_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
