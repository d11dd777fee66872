/* origin_test.c - kernels of graphs keep the graph, stream and range of their own launch, whatever
 * has been launched since. The SDK's part, which calls back at launches, is played here. */
#include "tool/origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static rocprofiler_external_correlation_id_request_cb_t on_request;
static rocprofiler_callback_tracing_cb_t on_graph;
static const rocprofiler_context_id_t context = {1};

rocprofiler_status_t rocprofiler_configure_external_correlation_id_request_service(
    rocprofiler_context_id_t of, const rocprofiler_external_correlation_id_request_kind_t *kinds,
    size_t count, rocprofiler_external_correlation_id_request_cb_t callback, void *data)
{
    (void)of, (void)kinds, (void)count, (void)data;
    on_request = callback;
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
    rocprofiler_context_id_t of, rocprofiler_callback_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t *operations, size_t count,
    rocprofiler_callback_tracing_cb_t callback, void *data)
{
    (void)of, (void)operations, (void)count, (void)data;
    if (kind == ROCPROFILER_CALLBACK_TRACING_HIP_GRAPH) on_graph = callback;
    return ROCPROFILER_STATUS_SUCCESS;
}

static uint64_t launch_kernel(void)
{
    rocprofiler_user_data_t external = {0};
    on_request(1, context, ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_KERNEL_DISPATCH, 0, 0,
               &external, NULL);
    return external.value;
}

/* Launches a graph of `nodes` kernels; returns the external id of the last one. */
static uint64_t launch_graph(uint64_t graph, unsigned nodes)
{
    rocprofiler_callback_tracing_hip_graph_data_t payload = {.size = sizeof payload,
                                                             .graph_exec_id = {.handle = graph}};
    rocprofiler_callback_tracing_record_t record = {.phase = ROCPROFILER_CALLBACK_PHASE_ENTER,
                                                    .payload = &payload};
    rocprofiler_user_data_t around = {0};
    uint64_t id = 0;
    on_graph(record, &around, NULL);
    while (nodes--)
        id = launch_kernel();
    record.phase = ROCPROFILER_CALLBACK_PHASE_EXIT;
    on_graph(record, &around, NULL);
    return id;
}

static void assert_origin(uint64_t external, uint64_t graph, uint64_t node)
{
    const tool_origin_t origin = tool_origin_of(external);
    assert_int_equal(origin.graph, graph);
    assert_int_equal(origin.node, node);
}

/* Work that is told long after its launch belongs to no other launch, not even after so many that
 * 23 bits do not count them. */
static void test_many_launches(void **state)
{
    (void)state;
    enum { KEPT = 1 << 17 };
    const uint64_t first = launch_graph(7, 3);
    assert_origin(first, 7, 3);
    for (unsigned i = 1; i < KEPT; i++)
        launch_graph(8, 1);
    assert_origin(first, 7, 3);
    for (unsigned i = KEPT; i < 1u << 23; i++)
        launch_graph(8, 1);
    const uint64_t last = launch_graph(9, 2);
    assert_origin(last, 9, 2);
    assert_origin(first, 0, 0);
    assert_true(first != last);
}

static void test_many_nodes(void **state)
{
    (void)state;
    enum { NUMBERS = (1 << 26) - 1 };
    const uint64_t last = launch_graph(10, NUMBERS);
    assert_origin(last, 10, NUMBERS);
    const uint64_t beyond = launch_graph(11, NUMBERS + 2), next = launch_graph(12, 1);
    assert_origin(beyond, 11, NUMBERS);
    assert_origin(next, 12, 1);
}

static int configure(void **state)
{
    (void)state;
    return tool_origin_configure(context, true) || tool_origin_follow_graphs(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_launches),
        cmocka_unit_test(test_many_nodes),
    };
    return cmocka_run_group_tests(tests, configure, NULL);
}
