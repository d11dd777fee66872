/* catalogue_test.c - counters of several GPUs of one architecture: each has the dimensions of its
 * own agent.
 *
 * The room of catalogues stands alone here; the only thing that it asks of others is an agent. */
#include "sdk/agent/agent.h"
#include "sdk/catalogue/catalogue.h"

#include <rocprofiler-sdk/experimental/counters.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Two MI300X, an MI300A, and a GPU of which nothing is known. */
static const rocprofiler_agent_v0_t agents[] = {
#define MI300(number, engines, units)                                                              \
    .id = {number}, .type = ROCPROFILER_AGENT_TYPE_GPU, .name = "gfx942",                          \
    .num_xcc = (engines) / 4, .num_shader_banks = (engines), .array_count = (engines),             \
    .simd_arrays_per_engine = 1, .cu_count = (units), .simd_count = 4 * (units), .simd_per_cu = 4
    {MI300(11, 32, 304)},
    {MI300(12, 32, 304), .location_id = 7},
    {MI300(13, 24, 228)},
    {.id = {14}, .type = ROCPROFILER_AGENT_TYPE_GPU, .name = "gfx1399"},
#undef MI300
};
enum { AGENTS = sizeof agents / sizeof *agents };

const rocprofiler_agent_v0_t *sdk_agent_find(rocprofiler_agent_id_t id)
{
    for (size_t i = 0; i < AGENTS; i++)
        if (agents[i].id.handle == id.handle) return &agents[i];
    return NULL;
}

static rocprofiler_status_t find_counter(rocprofiler_agent_id_t agent,
                                         rocprofiler_counter_id_t *ids, size_t count, void *data)
{
    rocprofiler_counter_info_v1_t *found = data;
    (void)agent;
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_info_v1_t info;
        assert_int_equal(
            rocprofiler_query_counter_info(ids[i], ROCPROFILER_COUNTER_INFO_VERSION_1, &info),
            ROCPROFILER_STATUS_SUCCESS);
        if (strcmp(info.name, "TCC_HIT") == 0) *found = info;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_counter_info_v1_t counter_of(size_t agent)
{
    rocprofiler_counter_info_v1_t found = {0};
    assert_int_equal(
        rocprofiler_iterate_agent_supported_counters(agents[agent].id, find_counter, &found),
        ROCPROFILER_STATUS_SUCCESS);
    assert_non_null(found.name);
    return found;
}

static void dimensions_are_the_agents(void **state)
{
    (void)state;
    static const size_t xccs[] = {8, 8, 6};
    rocprofiler_counter_info_v1_t counters[3];
    for (size_t i = 0; i < 3; i++) {
        counters[i] = counter_of(i);
        assert_int_equal(counters[i].dimensions_count, 2);
        assert_string_equal(counters[i].dimensions[0]->name, "DIMENSION_XCC");
        assert_int_equal(counters[i].dimensions[0]->instance_size, xccs[i]);
        assert_int_equal(counters[i].dimensions_instances_count, 16 * xccs[i]);
    }
    assert_int_equal(counters[0].id.handle, counters[1].id.handle);
    assert_int_not_equal(counters[0].id.handle, counters[2].id.handle);
}

static void unknown_gpus_have_none(void **state)
{
    (void)state;
    rocprofiler_counter_info_v1_t found;
    assert_int_equal(
        rocprofiler_iterate_agent_supported_counters(agents[3].id, find_counter, &found),
        ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimensions_are_the_agents),
        cmocka_unit_test(unknown_gpus_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
