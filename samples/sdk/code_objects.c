/* code_objects.c - code objects, the kernels in them, and the host functions that launch those. */
#include "sample.h"

static const char sample_name[] = "code_objects tool";
static long loaded, unloaded, kernels, wrong;

static void on_code_object(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user_data, void *data)
{
    (void)data;
    bool load = record.phase == ROCPROFILER_CALLBACK_PHASE_LOAD;
    if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
        const rocprofiler_callback_tracing_code_object_load_data_t *object = record.payload;
        /* what is kept at the load is there at the unload */
        if (load) user_data->value = object->code_object_id;
        wrong += user_data->value != object->code_object_id;
        *(load ? &loaded : &unloaded) += 1;
    } else if (record.operation == ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER) {
        kernels += load;
    } else if (load) {
        const rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t *host =
            record.payload;
        fprintf(stderr, "%s: %s is launched by a host function%s\n", sample_name,
                host->device_function, host->kernel_id ? "" : ", but has no id");
    }
}

static void sample_start(void)
{
    sample_callbacks(ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, on_code_object);
}

static void sample_end(void)
{
    fprintf(stderr, "%s: %s kernels, all code objects %s, %ld wrong\n", sample_name,
            kernels ? "some" : "no", loaded == unloaded ? "unloaded" : "still there", wrong);
}
