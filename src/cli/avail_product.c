/* avail_product.c - counters of a GPU that this machine need not have, from the tables alone.
 *
 * It is apart from avail.c, which queries the SDK about the machine's own GPUs. Here the SDK's
 * structures are filled in as the SDK would do for such a GPU, so that both are printed alike. */
#include "cli/avail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <aqlprofile-sdk/aql_profile_v2.h>

#include "base/grow.h"
#include "base/log.h"
#include "trace/selection.h"

/* A counter with all arrays to which its description points, in one piece of memory. */
typedef struct {
    rocprofiler_counter_info_v1_t info; /* must be the first member, since pointers to it are
                                         * converted to pointers to the counter */
    rocprofiler_counter_record_dimension_info_t dimensions[CTR_DIM_COUNT];
    const rocprofiler_counter_record_dimension_info_t *list[CTR_DIM_COUNT];
} described_t;

static void describe_shape(described_t *d, const ctr_shape_t *shape)
{
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++) {
        if (!shape->extent[dim]) continue;
        const uint64_t at = d->info.dimensions_count++;
        d->dimensions[at] =
            (rocprofiler_counter_record_dimension_info_t){.name = ctr_dim_name((ctr_dim_t)dim),
                                                          .instance_size = shape->extent[dim],
                                                          .id = (uint64_t)dim};
        d->list[at] = &d->dimensions[at];
    }
    d->info.dimensions = d->list;
    d->info.dimensions_instances_count = ctr_shape_size(shape);
}

/* Notes the counter if the AQL profile library, which has the tables, can stream its event. */
static bool note_stream(avail_gpu_t *gpu, const ctr_counter_t *counter)
{
    const rocprofiler_agent_v0_t *a = gpu->agent;
    const aqlprofile_agent_info_t info = {.agent_gfxip = a->name,
                                          .xcc_num = a->num_xcc,
                                          .se_num = a->num_shader_banks,
                                          .cu_num = a->cu_count,
                                          .shader_arrays_per_se = a->simd_arrays_per_engine};
    const aqlprofile_pmc_event_t event = {
        .event_id = counter->event,
        .flags.raw = counter->event_flags,
        .block_name = (hsa_ven_amd_aqlprofile_block_name_t)counter->block_id};
    aqlprofile_agent_handle_t agent;
    if (counter->kind != CTR_HARDWARE || aqlprofile_register_agent(&agent, &info) ||
        !aqlprofile_spm_is_event_supported(agent, event))
        return true;
    if (!BASE_GROW_BY_ONE(gpu->streams, gpu->stream_count)) return false;
    gpu->streams[gpu->stream_count++].handle = counter->id;
    return true;
}

static bool add_counter(avail_gpu_t *gpu, const ctr_counter_t *counter)
{
    ctr_error_t error;
    ctr_shape_t shape;
    if (ctr_counter_shape(gpu->own, counter, &gpu->shape, &shape, &error) != CTR_OK) {
        base_warning("%s is left out: %s", counter->name, error.text);
        return true;
    }
    described_t *d = BASE_GROW_BY_ONE(gpu->counters, gpu->count) ? calloc(1, sizeof(*d)) : NULL;
    if (!d) return false;
    d->info = (rocprofiler_counter_info_v1_t){.size = sizeof(d->info),
                                              .id.handle = counter->id,
                                              .name = counter->name,
                                              .description = counter->description,
                                              .block = counter->block,
                                              .expression = counter->expression,
                                              .is_constant = counter->kind == CTR_CONSTANT,
                                              .is_derived = counter->kind == CTR_DERIVED};
    describe_shape(d, &shape);
    gpu->counters[gpu->count++] = &d->info;
    return note_stream(gpu, counter);
}

static bool add_agent(avail_gpu_t *gpu, const gpus_product_t *product)
{
    rocprofiler_agent_v0_t *a = calloc(1, sizeof(*a));
    if (!a) return false;
    gpu->agent = gpu->made = a;
    gpu->product = product;
    gpu->shape = ctr_agent_of_product(product);
/* Copies a field by value: fields have several sizes, and some are unions of bit-fields. The host
 * is little-endian. */
#define COPY(name) memcpy(&a->name, &gpu->shape.name, sizeof(a->name) < 8 ? sizeof(a->name) : 8);
    CTR_PROPERTIES(COPY)
#undef COPY
    a->size = sizeof(*a);
    a->type = ROCPROFILER_AGENT_TYPE_GPU;
    a->name = product->arch->name;
    a->product_name = product->product;
    a->vendor_name = "AMD";
    a->model_name = "";
    return true;
}

int avail_read_product(avail_t *a, const gpus_product_t *product, const char *extra, char *why,
                       size_t why_bytes)
{
    ctr_error_t error = {0};
    ctr_definitions_t *definitions = ctr_definitions_create();
    *a = (avail_t){.gpus = calloc(1, sizeof(*a->gpus)), .count = 1};
    bool made = definitions && a->gpus && add_agent(a->gpus, product) &&
                ctr_definitions_add_builtin(definitions) == CTR_OK;
    if (!a->gpus) a->count = 0;
    snprintf(why, why_bytes, "no memory for counters");
    if (made && extra &&
        ctr_definitions_add_text(definitions, CTR_FORMAT_YAML, extra, strlen(extra),
                                 "counter definitions", NULL, NULL, &error) != CTR_OK)
        made = false;
    if (made && ctr_catalogue_create(definitions, product->arch->name, CTR_GENERATION_SDK, 1, NULL,
                                     NULL, &a->gpus->own, &error) != CTR_OK)
        made = false;
    for (size_t i = 0; made && i < ctr_catalogue_count(a->gpus->own); i++)
        made = add_counter(a->gpus, ctr_catalogue_at(a->gpus->own, i));
    ctr_definitions_destroy(definitions);
    if (error.text[0]) snprintf(why, why_bytes, "%s", error.text);
    return made ? 0 : -1;
}

bool avail_add_instance(avail_gpu_t *gpu, const char *name, const char *expression)
{
    const ctr_counter_t *counter;
    return ctr_catalogue_add(gpu->own, name, strlen(name), expression, strlen(expression), "", 0,
                             &counter, NULL) == CTR_OK &&
           add_counter(gpu, counter);
}

int avail_plan(const avail_gpu_t *gpu, const rocprofiler_counter_id_t *ids, size_t count,
               size_t max_passes, ctr_plan_t **plan, char *why, size_t why_bytes)
{
    ctr_error_t error = {0};
    const ctr_counter_t **wanted = calloc(count + 1, sizeof(*wanted));
    ctr_status_t status = CTR_NO_MEMORY;
    *plan = NULL;
    snprintf(why, why_bytes, "no memory for a plan");
    for (size_t i = 0; wanted && i < count; i++)
        wanted[i] = ctr_catalogue_by_id(gpu->own, (uint32_t)ids[i].handle);
    if (wanted)
        status = ctr_plan_create(gpu->own, &gpu->shape, wanted, count, max_passes, plan, &error);
    if (error.text[0]) snprintf(why, why_bytes, "%s", error.text);
    free(wanted);
    return status == CTR_OK ? 0 : -1;
}
