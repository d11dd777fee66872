/* catalogue_test.c - counters of several GPUs in one machine: each has those of its architecture,
 * with the dimensions of its own agent.
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

/* Two MI300X, an MI300A, a GPU of which nothing is known, a die of an MI250X and an RX 7900 XTX. */
static const rocprofiler_agent_v0_t agents[] = {
#define MI300(number, engines, units)                                                              \
    .id = {number}, .type = ROCPROFILER_AGENT_TYPE_GPU, .name = "gfx942",                          \
    .num_xcc = (engines) / 4, .num_shader_banks = (engines), .array_count = (engines),             \
    .simd_arrays_per_engine = 1, .cu_count = (units), .simd_count = 4 * (units), .simd_per_cu = 4
    {MI300(11, 32, 304)},
    {MI300(12, 32, 304), .location_id = 7},
    {MI300(13, 24, 228)},
    {.id = {14}, .type = ROCPROFILER_AGENT_TYPE_GPU, .name = "gfx1399"},
    {.id = {15},
     .type = ROCPROFILER_AGENT_TYPE_GPU,
     .name = "gfx90a",
     .num_xcc = 1,
     .num_shader_banks = 8,
     .array_count = 8,
     .simd_arrays_per_engine = 1,
     .cu_count = 110,
     .simd_count = 440,
     .simd_per_cu = 4},
    {.id = {16},
     .type = ROCPROFILER_AGENT_TYPE_GPU,
     .name = "gfx1100",
     .num_xcc = 1,
     .num_shader_banks = 6,
     .array_count = 12,
     .simd_arrays_per_engine = 2,
     .cu_count = 96,
     .simd_count = 192,
     .simd_per_cu = 2},
#undef MI300
};
enum { AGENTS = sizeof agents / sizeof *agents };

const rocprofiler_agent_v0_t *sdk_agent_find(rocprofiler_agent_id_t id)
{
    for (size_t i = 0; i < AGENTS; i++)
        if (agents[i].id.handle == id.handle) return &agents[i];
    return NULL;
}

typedef struct {
    const char *name;
    rocprofiler_counter_info_v1_t info;
} wanted_t;

static rocprofiler_status_t find_counter(rocprofiler_agent_id_t agent,
                                         rocprofiler_counter_id_t *ids, size_t count, void *data)
{
    wanted_t *wanted = data;
    (void)agent;
    for (size_t i = 0; i < count; i++) {
        rocprofiler_counter_info_v1_t info;
        assert_int_equal(
            rocprofiler_query_counter_info(ids[i], ROCPROFILER_COUNTER_INFO_VERSION_1, &info),
            ROCPROFILER_STATUS_SUCCESS);
        if (strcmp(info.name, wanted->name) == 0) wanted->info = info;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

/* Without a name: the agent has no such counter. */
static rocprofiler_counter_info_v1_t counter_of(size_t agent, const char *name)
{
    wanted_t wanted = {.name = name};
    assert_int_equal(
        rocprofiler_iterate_agent_supported_counters(agents[agent].id, find_counter, &wanted),
        ROCPROFILER_STATUS_SUCCESS);
    return wanted.info;
}

static void dimensions_are_the_agents(void **state)
{
    (void)state;
    static const size_t xccs[] = {8, 8, 6};
    rocprofiler_counter_info_v1_t counters[3];
    for (size_t i = 0; i < 3; i++) {
        counters[i] = counter_of(i, "TCC_HIT");
        assert_non_null(counters[i].name);
        assert_int_equal(counters[i].dimensions_count, 2);
        assert_string_equal(counters[i].dimensions[0]->name, "DIMENSION_XCC");
        assert_int_equal(counters[i].dimensions[0]->instance_size, xccs[i]);
        assert_int_equal(counters[i].dimensions_instances_count, 16 * xccs[i]);
    }
    assert_int_equal(counters[0].id.handle, counters[1].id.handle);
    assert_int_not_equal(counters[0].id.handle, counters[2].id.handle);
}

/* Two architectures, and what only one of them has. */
static void architectures_are_mixed(void **state)
{
    (void)state;
    static const char *const of_mi250[] = {"DIMENSION_SHADER_ENGINE"};
    static const char *const of_rx7900[] = {"DIMENSION_SHADER_ENGINE", "DIMENSION_SHADER_ARRAY",
                                            "DIMENSION_WGP"};
    static const size_t sizes_mi250[] = {8}, sizes_rx7900[] = {6, 2, 4}; /* 96 / 2 / 12 WGPs */
    enum { MI250 = 4, RX7900 = 5 };
    const rocprofiler_counter_info_v1_t waves[] = {counter_of(MI250, "SQ_WAVES"),
                                                   counter_of(RX7900, "SQ_WAVES")};
    assert_non_null(waves[0].name);
    assert_non_null(waves[1].name);
    assert_int_not_equal(waves[0].id.handle, waves[1].id.handle);
    for (size_t i = 0; i < sizeof of_mi250 / sizeof *of_mi250; i++) {
        assert_string_equal(waves[0].dimensions[i]->name, of_mi250[i]);
        assert_int_equal(waves[0].dimensions[i]->instance_size, sizes_mi250[i]);
    }
    assert_int_equal(waves[1].dimensions_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(waves[1].dimensions[i]->name, of_rx7900[i]);
        assert_int_equal(waves[1].dimensions[i]->instance_size, sizes_rx7900[i]);
    }
    assert_non_null(counter_of(MI250, "TCC_HIT").name);
    assert_null(counter_of(RX7900, "TCC_HIT").name);
    assert_non_null(counter_of(RX7900, "GL2C_HIT").name);
    assert_null(counter_of(MI250, "GL2C_HIT").name);
}

static void unknown_gpus_have_none(void **state)
{
    (void)state;
    wanted_t none = {.name = "SQ_WAVES"};
    assert_int_equal(
        rocprofiler_iterate_agent_supported_counters(agents[3].id, find_counter, &none),
        ROCPROFILER_STATUS_ERROR_AGENT_ARCH_NOT_SUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimensions_are_the_agents),
        cmocka_unit_test(architectures_are_mixed),
        cmocka_unit_test(unknown_gpus_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
