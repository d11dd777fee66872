/* pc_sampling.c - where the waves of all GPUs are every so many microseconds.
 *
 * To be enabled by ROCPROFILER_PC_SAMPLING_BETA_ENABLED=1. A sample names its dispatch, and its
 * place as an offset in a code object; the five most frequent places are printed at the end. Where
 * nothing can be sampled (older drivers and runtimes) the tool says so and the program runs. */
#include "sample.h"

static const char sample_name[] = "sampling tool";
enum { INTERVAL = 20 /* us */, PLACES = 1024, TOP = 5, IDS = 4096 };

typedef struct {
    rocprofiler_pc_t pc;
    uint64_t samples;
} place_t;

static place_t places[PLACES];
static size_t place_count;
static uint64_t samples, lost, without_dispatch, outside, late;
static uint64_t retired[IDS]; /* the last id of each remainder that no record has any more */

static void count(const rocprofiler_pc_sampling_record_host_trap_v0_t *sample)
{
    size_t i = 0;
    samples++;
    without_dispatch += sample->dispatch_id == 0;
    outside += sample->pc.code_object_id == 0;
    late += sample->correlation_id.internal &&
            retired[sample->correlation_id.internal % IDS] == sample->correlation_id.internal;
    while (i < place_count && memcmp(&places[i].pc, &sample->pc, sizeof sample->pc))
        i++;
    if (i == PLACES) return;
    if (i == place_count) places[place_count++] = (place_t){sample->pc, 0};
    places[i].samples++;
}

static void retire(const rocprofiler_buffer_tracing_correlation_id_retirement_record_t *record)
{
    retired[record->internal_correlation_id % IDS] = record->internal_correlation_id;
}

static void on_records(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t n, void *data,
                       uint64_t drop_count)
{
    (void)from, (void)id, (void)data;
    lost += drop_count;
    for (size_t i = 0; i < n; i++)
        if (headers[i]->category == ROCPROFILER_BUFFER_CATEGORY_PC_SAMPLING &&
            headers[i]->kind == ROCPROFILER_PC_SAMPLING_RECORD_HOST_TRAP_V0_SAMPLE)
            count(headers[i]->payload);
        else if (headers[i]->category == ROCPROFILER_BUFFER_CATEGORY_TRACING)
            retire(headers[i]->payload);
}

static rocprofiler_status_t on_ways(const rocprofiler_pc_sampling_configuration_t *ways, size_t n,
                                    void *data)
{
    const rocprofiler_agent_t *agent = data;
    for (size_t i = 0; i < n; i++)
        if (ways[i].method == ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP)
            REQUIRE(rocprofiler_configure_pc_sampling_service(context, agent->id, ways[i].method,
                                                              ways[i].unit, INTERVAL, buffer, 0));
    return ROCPROFILER_STATUS_SUCCESS;
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
                                      size_t n, void *data)
{
    (void)version, (void)data;
    for (size_t i = 0; i < n; i++) {
        rocprofiler_agent_t *agent = (rocprofiler_agent_t *)agents[i];
        if (agent->type == ROCPROFILER_AGENT_TYPE_GPU)
            REQUIRE(rocprofiler_query_pc_sampling_agent_configurations(agent->id, on_ways, agent));
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static void sample_start(void)
{
    sample_buffer(on_records);
    REQUIRE(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_CORRELATION_ID_RETIREMENT, NULL, 0, buffer));
    REQUIRE(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
                                               sizeof(rocprofiler_agent_t), NULL));
}

static int by_samples(const void *a, const void *b)
{
    const place_t *x = a, *y = b;
    return (x->samples < y->samples) - (x->samples > y->samples);
}

static void sample_end(void)
{
    fprintf(stderr,
            "%s: %" PRIu64 " samples, %" PRIu64 " lost, %" PRIu64 " of no dispatch that is known, "
            "%" PRIu64 " outside of all code objects, %" PRIu64 " of retired ids\n",
            sample_name, samples, lost, without_dispatch, outside, late);
    qsort(places, place_count, sizeof *places, by_samples);
    for (size_t i = 0; i < place_count && i < TOP; i++)
        fprintf(stderr, "%s: %8" PRIu64 " at 0x%" PRIx64 " of code object %" PRIu64 "\n",
                sample_name, places[i].samples, places[i].pc.code_object_offset,
                places[i].pc.code_object_id);
}
