/* gpus_test.c - GPUs that are not gfx90a: where results are in memory, where they were counted, how
 * a trace is read, and what is refused.
 *
 * The commands themselves are compared with recorded ones (streams.c). Here the runtime has one
 * agent, which each test describes; results are written by hand. */
#include <aqlprofile-sdk/aql_profile_v2.h>
#include <hsa/hsa_ext_amd.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define INVALID HSA_STATUS_ERROR_INVALID_ARGUMENT

enum { NUM_XCC = 0xa111, AGENT = 1 };

static aqlprofile_agent_info_t described;

__attribute__((visibility("default"))) hsa_status_t
hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value);

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, hsa_agent_info_t attribute, void *value)
{
    uint32_t *number = value;
    (void)agent;
    switch ((int)attribute) {
    case HSA_AGENT_INFO_NAME: strcpy(value, described.agent_gfxip); break;
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT: *number = described.cu_num; break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES: *number = described.se_num; break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
        *number = described.shader_arrays_per_se;
        break;
    case NUM_XCC: *number = described.xcc_num; break;
    default: return INVALID;
    }
    return HSA_STATUS_SUCCESS;
}

static aqlprofile_agent_handle_t agent_of(aqlprofile_agent_info_t info)
{
    aqlprofile_agent_handle_t agent = {0};
    described = info;
    assert_int_equal(aqlprofile_register_agent(&agent, &info), HSA_STATUS_SUCCESS);
    return agent;
}

static const aqlprofile_agent_info_t mi300 = {"gfx942", 8, 32, 304, 1},
                                     mi350 = {"gfx950", 8, 32, 256, 1},
                                     rx7900 = {"gfx1100", 1, 6, 96, 2},
                                     rx6800 = {"gfx1030", 1, 4, 60, 2},
                                     rx9070 = {"gfx1201", 1, 4, 64, 2};

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

/* ---- memory ---- */

static struct {
    uint64_t *results, result_bytes;
    uint32_t *control;
    char *data;
    int live;
} heap;

static hsa_status_t allocate(void **ptr, uint64_t size, aqlprofile_buffer_desc_flags_t flags,
                             void *userdata)
{
    (void)userdata;
    *ptr = aligned_alloc(4096, (size + 4095) & ~UINT64_C(4095));
    assert_non_null(*ptr);
    memset(*ptr, 0, size);
    heap.live++;
    if (flags.memory_hint == AQLPROFILE_MEMORY_HINT_DEVICE_UNCACHED) {
        heap.results = *ptr;
        heap.result_bytes = size;
    }
    if (flags.memory_hint == AQLPROFILE_MEMORY_HINT_HOST) heap.control = *ptr;
    if (!flags.host_access) heap.data = *ptr;
    return HSA_STATUS_SUCCESS;
}

static void release(void *ptr, void *userdata)
{
    (void)userdata;
    heap.live--;
    free(ptr);
}

static hsa_status_t copy(void *dst, const void *src, size_t size, void *userdata)
{
    (void)userdata;
    memcpy(dst, src, size);
    return HSA_STATUS_SUCCESS;
}

static const uint32_t *list_of(const hsa_ext_amd_aql_pm4_packet_t *packet, uint32_t *count)
{
    uint32_t words[16];
    memcpy(words, packet, sizeof words);
    *count = words[4] & 0xfffff;
    return (const uint32_t *)(uintptr_t)(words[2] | (uint64_t)words[3] << 32);
}

/* ---- counters ---- */

#define EVENT(block, index, id)                                                                    \
    {                                                                                              \
        .block_name = HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_##block, .block_index = index,             \
        .event_id = id                                                                             \
    }

static char seen[4096];

static hsa_status_t see_value(aqlprofile_pmc_event_t event, uint64_t id, uint64_t value,
                              void *userdata)
{
    (void)userdata;
    sprintf(seen + strlen(seen), "%d.%u@%llu=%llx ", event.block_name, event.event_id,
            (unsigned long long)id, (unsigned long long)value);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t see_place(int position, int id, int extent, int coordinate, const char *name,
                              void *userdata)
{
    (void)userdata, (void)id;
    sprintf(seen + strlen(seen), "%s%s %d of %d", position ? ", " : "", name, coordinate, extent);
    return HSA_STATUS_SUCCESS;
}

static const char *place(aqlprofile_agent_handle_t agent, aqlprofile_pmc_event_t event, uint64_t id)
{
    *seen = 0;
    assert_int_equal(aqlprofile_iterate_event_coord(agent, event, id, see_place, NULL),
                     HSA_STATUS_SUCCESS);
    return seen;
}

static const char *place_v1(hsa_ven_amd_aqlprofile_event_t event, uint32_t sample)
{
    *seen = 0;
    assert_int_equal(hsa_ven_amd_aqlprofile_iterate_event_coord((hsa_agent_t){AGENT}, event, sample,
                                                                see_place, NULL),
                     HSA_STATUS_SUCCESS);
    return seen;
}

/* Numbers the results from 1 on, and returns what is told of them. */
static const char *values_of(aqlprofile_agent_handle_t agent, const aqlprofile_pmc_event_t *events,
                             uint32_t count)
{
    aqlprofile_handle_t handle;
    aqlprofile_pmc_aql_packets_t packets;
    const aqlprofile_pmc_profile_t profile = {agent, events, count};
    *seen = 0;
    assert_int_equal(
        aqlprofile_pmc_create_packets(&handle, &packets, profile, allocate, release, copy, NULL),
        HSA_STATUS_SUCCESS);
    for (uint64_t i = 0; i < heap.result_bytes / 8; i++)
        heap.results[i] = i + 1 + (UINT64_C(7) << 32);
    assert_int_equal(aqlprofile_pmc_iterate_data(handle, see_value, NULL), HSA_STATUS_SUCCESS);
    aqlprofile_pmc_delete_packets(handle);
    assert_int_equal(heap.live, 0);
    return seen;
}

/* A made-up MI300 of two XCCs with two engines each. Blocks outside the XCCs come first. */
static void test_xccs(void **state)
{
    (void)state;
    const aqlprofile_agent_handle_t agent =
        agent_of((aqlprofile_agent_info_t){"gfx942", 2, 4, 40, 1});
    const aqlprofile_pmc_event_t events[] = {EVENT(SQ, 0, 4), EVENT(ATC, 3, 1), EVENT(TCC, 5, 1)};
    assert_string_equal(values_of(agent, events, 3),
                        "6.4@0=700000002 6.4@1=700000003 6.4@2=700000005 6.4@3=700000006 "
                        "21.1@3=700000001 12.1@5=700000004 12.1@21=700000007 ");
    assert_int_equal(heap.result_bytes, 7 * 8);
    assert_string_equal(place(agent, events[0], 3), "XCD 1 of 2, INSTANCE 0 of 1, SE 1 of 2");
    assert_string_equal(place(agent, events[1], 3), "AID 3 of 4, INSTANCE 0 of 1");
    assert_string_equal(place(agent, events[2], 21), "XCD 1 of 2, INSTANCE 5 of 16");
    const aqlprofile_pmc_event_t tcp = EVENT(TCP, 10, 1);
    assert_string_equal(place(agent_of(mi300), tcp, (3 * 11 + 10) * 4 + 2),
                        "XCD 3 of 8, INSTANCE 10 of 11, SE 2 of 4");
    assert_string_equal(
        place_v1((hsa_ven_amd_aqlprofile_event_t){HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCP, 10, 1},
                 3 * 4 + 2),
        "XCD 3 of 8, INSTANCE 10 of 11, SE 2 of 4");
}

/* The first interface reads instances that an MI300 lacks, since programs of its time ask for all.
 */
static void test_instances_that_lack(void **state)
{
    (void)state;
    const hsa_ven_amd_aqlprofile_event_t event = {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCP, 15, 1};
    hsa_ven_amd_aqlprofile_profile_t profile = {
        .agent = {AGENT}, .events = &event, .event_count = 1};
    uint32_t bytes = 0;
    agent_of(mi300);
    assert_int_equal(hsa_ven_amd_aqlprofile_get_info(
                         &profile, HSA_VEN_AMD_AQLPROFILE_INFO_PMC_DATA_SIZE, &bytes),
                     HSA_STATUS_SUCCESS);
    assert_int_equal(bytes, 32 * 8);
    ASSERT_FAILS(
        hsa_ven_amd_aqlprofile_iterate_event_coord((hsa_agent_t){AGENT}, event, 5, see_place, NULL),
        HSA_STATUS_ERROR_INVALID_INDEX,
        "TCP on this agent has 11 instances x 32 results, there is no result 353");
}

/* Each packet of a list is executed by all XCCs or by one, never cut in two by the end of a
 * PRED_EXEC. */
static uint32_t check_predicates(const uint32_t *words, uint32_t count, uint32_t *longest)
{
    enum { PRED_EXEC = 0x23, COPY_DATA = 0x40 };
    uint32_t at = 0, end = 0, copies = 0;
    *longest = 0;
    while (at < count) {
        const uint32_t opcode = words[at] >> 8 & 0xff, length = (words[at] >> 16 & 0x3fff) + 2;
        if (opcode == PRED_EXEC) {
            assert_true(at >= end);
            end = at + length + (words[at + 1] & 0x3fff);
            if (end - at - length > *longest) *longest = end - at - length;
            assert_int_equal(__builtin_popcount(words[at + 1] >> 24), 1);
        }
        if (at < end) assert_true(at + length <= end);
        copies += opcode == COPY_DATA && at < end;
        at += length;
    }
    assert_int_equal(at, count);
    return copies;
}

/* All that an MI300 can count at once is more than one PRED_EXEC holds for an XCC. */
static void test_long_lists(void **state)
{
    (void)state;
    enum {
        TCPS = 11,
        TCCS = 16,
        SLOTS = 4,
        TCAS = 32,
        EVENTS = (TCPS + TCCS + TCAS) * SLOTS + 22 + 22
    };
    static const struct {
        hsa_ven_amd_aqlprofile_block_name_t block;
        uint32_t instances, slots;
    } blocks[] = {{HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCP, TCPS, SLOTS},
                  {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCC, TCCS, SLOTS},
                  {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TCA, TCAS, SLOTS},
                  {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TA, TCPS, 2},
                  {HSA_VEN_AMD_AQLPROFILE_BLOCK_NAME_TD, TCPS, 2}};
    static aqlprofile_pmc_event_t events[EVENTS];
    uint32_t count = 0, longest, words;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (uint32_t instance = 0; instance < blocks[i].instances; instance++)
            for (uint32_t slot = 0; slot < blocks[i].slots; slot++)
                events[count++] = (aqlprofile_pmc_event_t){
                    .block_name = blocks[i].block, .block_index = instance, .event_id = slot};
    assert_int_equal(count, EVENTS);
    aqlprofile_handle_t handle;
    aqlprofile_pmc_aql_packets_t packets;
    const aqlprofile_pmc_profile_t profile = {
        agent_of((aqlprofile_agent_info_t){"gfx942", 1 + 1, 32, 304, 1}), events, count};
    assert_int_equal(
        aqlprofile_pmc_create_packets(&handle, &packets, profile, allocate, release, copy, NULL),
        HSA_STATUS_SUCCESS);
    const uint32_t *list = list_of(&packets.read_packet, &words);
    /* 16 engines of an XCC count for TCP, TA and TD; each result is two registers; two XCCs */
    const uint32_t results = (TCPS * (SLOTS + 4)) * 16 + (TCCS + TCAS) * SLOTS;
    assert_int_equal(check_predicates(list, words, &longest), results * 2 * 2);
    assert_true(longest > 0x1fff && longest <= 0x3fff);
    aqlprofile_pmc_delete_packets(handle);
}

static void test_wgps(void **state)
{
    (void)state;
    const aqlprofile_agent_handle_t agent =
        agent_of((aqlprofile_agent_info_t){"gfx1100", 1, 1, 6, 2});
    const aqlprofile_pmc_event_t sq = EVENT(SQ, 0, 4), ta = EVENT(TA, 1, 4),
                                 gl1a = EVENT(GL1A, 0, 4);
    /* of 32 bits: the upper half of a result is not written */
    assert_string_equal(values_of(agent, &sq, 1), "6.4@0=1 6.4@1=2 6.4@2=3 6.4@3=4 ");
    assert_string_equal(place(agent, sq, 3), "SE 0 of 1, SA 1 of 2, WGP 1 of 2");
    assert_string_equal(place(agent_of(rx7900), sq, 47), "SE 5 of 6, SA 1 of 2, WGP 3 of 4");
    assert_string_equal(place(agent_of(rx9070), ta, 32 + 8 + 4 + 1),
                        "INSTANCE 1 of 2, SE 1 of 4, SA 1 of 2, WGP 1 of 4");
    assert_string_equal(place(agent_of(rx9070), gl1a, 5), "INSTANCE 0 of 1, SE 2 of 4, SA 1 of 2");
}

/* The read list of gfx10 reads GRBM in any case: one result more, which no event has. */
static void test_read_in_any_case(void **state)
{
    (void)state;
    const aqlprofile_agent_handle_t agent =
        agent_of((aqlprofile_agent_info_t){"gfx1030", 1, 1, 20, 2});
    const aqlprofile_pmc_event_t sq = EVENT(SQ, 0, 4),
                                 both[] = {EVENT(SQ, 0, 4), EVENT(GRBM, 0, 2)};
    assert_string_equal(values_of(agent, &sq, 1), "6.4@0=700000001 ");
    assert_int_equal(heap.result_bytes, 16);
    assert_string_equal(values_of(agent, both, 2), "6.4@0=700000001 3.2@0=700000002 ");
    assert_int_equal(heap.result_bytes, 16);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const aqlprofile_agent_info_t *agent;
        aqlprofile_pmc_event_t event;
        const char *message;
    } cases[] = {
        {&rx6800, EVENT(TCC, 0, 1), "gfx1030 has no counters in block 12"},
        {&rx6800, EVENT(GL2C, 32, 1), "GL2C[32]: the block has 32 instances on gfx1030"},
        {&rx9070, EVENT(SQ, 0, 512), "SQ event 512: the block's highest event is 511 on gfx1201"},
        {&mi300, EVENT(TCP, 11, 1), "TCP[11]: the block has 11 instances on this gfx942"},
        {&mi300, EVENT(RPB, 4, 1), "RPB[4]: the block has 4 instances on gfx942"},
    };
    aqlprofile_agent_handle_t agent;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool valid = true;
        agent = agent_of(*cases[i].agent);
        assert_int_equal(aqlprofile_validate_pmc_event(agent, &cases[i].event, &valid),
                         HSA_STATUS_SUCCESS);
        assert_false(valid);
        assert_message(cases[i].message);
    }
    aqlprofile_pmc_event_t sum = EVENT(SQ, 0, 4);
    bool valid = true;
    sum.flags.sq_flags.accum = AQLPROFILE_ACCUMULATION_HI_RES;
    assert_int_equal(aqlprofile_validate_pmc_event(agent_of(mi300), &sum, &valid),
                     HSA_STATUS_SUCCESS);
    assert_true(valid);
    assert_int_equal(aqlprofile_validate_pmc_event(agent_of(rx9070), &sum, &valid),
                     HSA_STATUS_SUCCESS);
    assert_message("SQ event 4: flags 0x2 are none of this block on gfx1201");
    /* a partition of one XCC sees one of what is outside the XCCs */
    const aqlprofile_pmc_event_t atc = EVENT(ATC, 1, 1);
    agent = agent_of((aqlprofile_agent_info_t){"gfx942", 1, 4, 38, 1});
    assert_int_equal(aqlprofile_validate_pmc_event(agent, &atc, &valid), HSA_STATUS_SUCCESS);
    assert_message("ATC[1]: the block has 1 instance on gfx942");

    aqlprofile_agent_info_t info = {"gfx942", 16, 32, 304, 1};
    ASSERT_FAILS(aqlprofile_register_agent(&agent, &info), INVALID,
                 "gfx942 has 1 to 8 XCCs with as many engines each, not 16 with 32 engines");
    info.xcc_num = 5;
    ASSERT_FAILS(aqlprofile_register_agent(&agent, &info), INVALID,
                 "gfx942 has 1 to 8 XCCs with as many engines each, not 5 with 32 engines");
    info.xcc_num = 0;
    assert_int_equal(aqlprofile_register_agent(&agent, &info), INVALID);
    info = rx7900;
    info.xcc_num = 2;
    ASSERT_FAILS(aqlprofile_register_agent(&agent, &info), INVALID, "gfx1100 has 1 XCC, not 2");
}

/* ---- thread traces ---- */

enum { STATUS, COUNTER, WRITTEN, CONTROL_WORDS = 8, DATA = 1 << 20 };

static uint32_t engine_seen;
static uint64_t bytes_seen, first_seen;

static hsa_status_t see_trace(uint32_t engine, void *buffer, uint64_t bytes, void *userdata)
{
    (void)userdata;
    engine_seen = engine;
    bytes_seen = bytes;
    memcpy(&first_seen, buffer, sizeof first_seen);
    return HSA_STATUS_SUCCESS;
}

static aqlprofile_handle_t trace_of(const aqlprofile_agent_info_t *info, uint32_t engines,
                                    aqlprofile_att_control_aql_packets_t *packets)
{
    const aqlprofile_att_parameter_t parameters[] = {
        {.parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, .value = engines},
        {.parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_ATT_BUFFER_SIZE, .value = DATA}};
    aqlprofile_handle_t handle;
    agent_of(*info);
    assert_int_equal(aqlprofile_att_create_packets(
                         &handle, packets, (aqlprofile_att_profile_t){{AGENT}, parameters, 2},
                         allocate, release, copy, NULL),
                     HSA_STATUS_SUCCESS);
    return handle;
}

/* Where an engine stopped is an offset, or on gfx11 an address; gfx9 alone needs a word in front:
 * its GPU, engine 1, unit 0, all SIMDs. */
static void test_trace_lengths(void **state)
{
    (void)state;
    static const struct {
        const aqlprofile_agent_info_t *info;
        bool address;
        uint32_t version; /* 0: no word */
    } cases[] = {{&mi300, false, 5},
                 {&mi350, false, 6},
                 {&rx6800, false, 0},
                 {&rx7900, true, 0},
                 {&rx9070, false, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum { ENGINE = 1, BYTES = 4096 };
        aqlprofile_att_control_aql_packets_t packets;
        const aqlprofile_handle_t handle = trace_of(cases[i].info, 1 << ENGINE, &packets);
        char *begin = heap.data + 4096; /* engine 0 has a page */
        const uint64_t end = (cases[i].address ? (uintptr_t)begin : 0) + BYTES;
        heap.control[ENGINE * CONTROL_WORDS + WRITTEN] = (uint32_t)(end / 32) & 0x1fffffff;
        memset(begin, 0x55, BYTES);
        assert_int_equal(aqlprofile_att_iterate_data(handle, see_trace, NULL), HSA_STATUS_SUCCESS);
        assert_int_equal(engine_seen, ENGINE);
        assert_int_equal(bytes_seen, BYTES + (cases[i].version ? 8 : 0));
        assert_int_equal(first_seen, cases[i].version
                                         ? 0x11 | cases[i].version << 13 | 15 << 16 | 1 << 26
                                         : 0x5555555555555555);
        heap.control[ENGINE * CONTROL_WORDS + STATUS] = cases[i].version ? 1u << 28 : 1u << 24;
        ASSERT_FAILS(aqlprofile_att_iterate_data(handle, see_trace, NULL),
                     HSA_STATUS_ERROR_EXCEPTION,
                     "shader engine 1 could not reach its trace buffer");
        aqlprofile_att_delete_packets(handle);
        assert_int_equal(heap.live, 0);
    }
}

static bool writes(const uint32_t *words, uint32_t count, uint32_t reg, uint32_t value)
{
    for (uint32_t i = 2; i < count; i++)
        if (words[i - 2] == 0xc0017900 && words[i - 1] == reg - 0xc000 && words[i] == value)
            return true;
    return false;
}

/* Markers reach all engines that are traced: on gfx9 by the index of the one, or of all. */
static void test_trace_markers(void **state)
{
    (void)state;
    enum { GRBM_GFX_INDEX = 0xc200, USERDATA_2 = 0xc342, MARKER_WORDS = 6 };
    static const aqlprofile_agent_info_t mi100 = {"gfx908", 1, 8, 120, 1};
    for (uint32_t mask = 1; mask <= 3; mask += 2) {
        aqlprofile_att_control_aql_packets_t packets;
        const aqlprofile_handle_t handle = trace_of(&mi100, mask, &packets);
        uint32_t count, at = 0;
        const uint32_t *words = list_of(&packets.start_packet, &count);
        while (at + 3 < count && !(words[at] == 0xc0017900 && words[at + 1] == USERDATA_2 - 0xc000))
            at += (words[at] >> 16 & 0x3fff) + 2;
        assert_true(at + 3 < count);
        assert_int_equal(writes(words + at - 3, 3, GRBM_GFX_INDEX, 0xe0000000), mask == 3);
        aqlprofile_att_delete_packets(handle);
    }
}

static void test_trace_limits(void **state)
{
    (void)state;
    aqlprofile_att_parameter_t parameters[] = {
        {.parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_SE_MASK, .value = 1},
        {.parameter_name = HSA_VEN_AMD_AQLPROFILE_PARAMETER_NAME_ATT_BUFFER_SIZE,
         .value = (512u << 20) + (63 << 12)}};
    aqlprofile_att_control_aql_packets_t packets;
    aqlprofile_handle_t handle;
    agent_of(rx7900);
    ASSERT_FAILS(aqlprofile_att_create_packets(&handle, &packets,
                                               (aqlprofile_att_profile_t){{AGENT}, parameters, 2},
                                               allocate, release, copy, NULL),
                 INVALID,
                 "a trace of 1 shader engines takes from 389120 to 537124864 bytes, not 537128960");
    parameters[0].value = 0xffffffc0;
    ASSERT_FAILS(
        aqlprofile_att_create_packets(&handle, &packets,
                                      (aqlprofile_att_profile_t){{AGENT}, parameters, 2}, allocate,
                                      release, copy, NULL),
        INVALID,
        "trace parameter SE_MASK cannot be 0xffffffc0: a bit for a shader engine of the agent");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xccs),
        cmocka_unit_test(test_long_lists),
        cmocka_unit_test(test_instances_that_lack),
        cmocka_unit_test(test_wgps),
        cmocka_unit_test(test_read_in_any_case),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_trace_lengths),
        cmocka_unit_test(test_trace_markers),
        cmocka_unit_test(test_trace_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
