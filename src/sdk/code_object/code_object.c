/* code_object.c - code objects and their kernels as callbacks: LOAD and UNLOAD.
 *
 * It gets them from src/hsa/code_objects.c, even if only dispatches are followed, because these
 * need kernel ids. A context to which a load was reported gets the report of the unload, too, with
 * the same user data. */
#include "hsa/collect.h"
#include "hsa/runtime.h"
#include "sdk/agent/agent.h"
#include "sdk/code_object/host_functions.h"
#include "sdk/core/services.h"
#include "sdk/gpu/gpu.h"

#include <stdlib.h>

static void fill_object(const hsax_code_object_t *o,
                        rocprofiler_callback_tracing_code_object_load_data_t *data)
{
    *data = (rocprofiler_callback_tracing_code_object_load_data_t){
        .size = sizeof *data,
        .code_object_id = o->id,
        .hsa_agent = o->agent,
        .uri = o->uri,
        .load_base = o->load_base,
        .load_size = o->load_size,
        .load_delta = o->load_delta,
        .storage_type = (rocprofiler_code_object_storage_type_t)o->storage,
    };
    data->agent_id = sdk_agent_of_hsa(o->agent);
    if (data->storage_type == ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_FILE) {
        data->storage_file = o->file;
    } else {
        data->memory_base = o->memory_base;
        data->memory_size = o->memory_size;
    }
}

static void
fill_kernel(uint64_t code_object_id, const hsax_kernel_t *k,
            rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *data)
{
    *data = (rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t){
        .size = sizeof *data,
        .kernel_id = k->id,
        .code_object_id = code_object_id,
        .kernel_name = k->name,
        .kernel_object = k->object,
        .kernarg_segment_size = k->kernarg_size,
        .kernarg_segment_alignment = k->kernarg_alignment,
        .group_segment_size = k->group_size,
        .private_segment_size = k->private_size,
        .sgpr_count = k->sgprs,
        .arch_vgpr_count = k->arch_vgprs,
        .accum_vgpr_count = k->accum_vgprs,
        .wave_size = (uint16_t)k->wave,
        .wgp_mode = k->whole_wgp,
        .kernel_code_entry_byte_offset = k->entry_offset,
        .kernel_address = {.value = k->object + (uint64_t)k->entry_offset},
    };
}

/* A host function that has been reported to contexts. */
typedef struct {
    rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t data;
    void *operation;
} host_told_t;

/* Reports a load, unless that has been done before (then `told` is the earlier result). The result
 * is for report_unload(); it is NULL if no context follows the operation. */
static void *report_load(void *told, int32_t operation, void *data)
{
    const sdk_plan_t *plan = sdk_plan(SDK_DOMAIN_CODE_OBJECT, operation);
    if (told || !plan || !plan->callback_count) return told;
    sdk_operation_t *o = calloc(1, sizeof *o);
    if (!o) {
        sdk_operation_lost(plan);
        return NULL;
    }
    sdk_operation_begin_apart(o, plan);
    sdk_operation_callback(o, ROCPROFILER_CALLBACK_PHASE_LOAD, data);
    return o;
}

static void report_unload(void **told, void *data)
{
    if (!*told) return;
    sdk_operation_callback(*told, ROCPROFILER_CALLBACK_PHASE_UNLOAD, data);
    free(*told);
    *told = NULL;
}

/* Reports the host function after its kernel. The result is for unload_host(). */
static void *load_host(uint64_t code_object_id, const hsax_kernel_t *k)
{
    rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t data;
    const sdk_plan_t *plan =
        sdk_plan(SDK_DOMAIN_CODE_OBJECT, ROCPROFILER_CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER);
    if (!plan || !sdk_host_function_find(k->name, &data)) return NULL;
    data.kernel_id = k->id;
    data.code_object_id = code_object_id;
    host_told_t *told = calloc(1, sizeof *told);
    if (!told) {
        sdk_operation_lost(plan);
        return NULL;
    }
    told->data = data;
    told->operation =
        report_load(NULL, ROCPROFILER_CODE_OBJECT_HOST_KERNEL_SYMBOL_REGISTER, &told->data);
    return told;
}

static void unload_host(void **host)
{
    host_told_t *told = *host;
    if (!told) return;
    report_unload(&told->operation, &told->data);
    free(told);
    *host = NULL;
}

static void loaded(hsax_code_object_t *o)
{
    rocprofiler_callback_tracing_code_object_load_data_t object;
    rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t kernel;
    sdk_gpu_code_object(o, false);
    fill_object(o, &object);
    o->client[0] = report_load(o->client[0], ROCPROFILER_CODE_OBJECT_LOAD, &object);
    for (unsigned i = 0; i < o->kernel_count; i++) {
        fill_kernel(o->id, &o->kernels[i], &kernel);
        void **told = o->kernels[i].client;
        told[0] =
            report_load(told[0], ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER, &kernel);
        if (!told[1]) told[1] = load_host(o->id, &o->kernels[i]);
    }
}

/* Reports the unload of the kernels before that of their code object. */
static void unloaded(hsax_code_object_t *o)
{
    rocprofiler_callback_tracing_code_object_load_data_t object;
    rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t kernel;
    for (unsigned i = 0; i < o->kernel_count; i++) {
        unload_host(&o->kernels[i].client[1]);
        fill_kernel(o->id, &o->kernels[i], &kernel);
        report_unload(&o->kernels[i].client[0], &kernel);
    }
    fill_object(o, &object);
    report_unload(&o->client[0], &object);
    sdk_gpu_code_object(o, true);
}

/* For a tool that attaches: reports the code objects that are loaded and that have not been
 * reported to it. */
static rocprofiler_status_t started(sdk_context_t *context)
{
    if (sdk_attachable() && context->callbacks[ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT].callback &&
        hsax_runtime_up() && !hsax_forked())
        hsax_code_objects_tell(true);
    return ROCPROFILER_STATUS_SUCCESS;
}

static void detach(void)
{
    if (hsax_runtime_up() && !hsax_forked()) hsax_code_objects_tell(false);
}

static unsigned needs(void)
{
    return sdk_domain_configured(SDK_DOMAIN_CODE_OBJECT) ? SDK_GPU_CODE_OBJECTS : 0;
}

static void hook(const hsax_api_table_t *table, unsigned all_needs)
{
    static const hsax_code_object_client_t client = {loaded, unloaded};
    (void)all_needs;
    hsax_code_objects_hook(table, &client);
}

SDK_SERVICE(code_object) = {
    .at = {[SDK_AT_DETACH] = detach},
    .inside = {ROCPROFILER_HIP_COMPILER_TABLE, sdk_host_functions_install},
    .started = started,
    .gpu = &(const sdk_gpu_part_t){.needs = needs, .serves = SDK_GPU_CODE_OBJECTS, .hook = hook},
};
