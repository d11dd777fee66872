/* host_functions.h - host functions that the program has registered for its kernels with HIP. */
#ifndef CROCPROF_SDK_HOST_FUNCTIONS_H
#define CROCPROF_SDK_HOST_FUNCTIONS_H

#include <rocprofiler-sdk/rocprofiler.h>

#include <stdbool.h>

/* Fills in the host function that was registered last for the kernel with this symbol ("name.kd"),
 * with a new id, but without the ids of kernel and code object. Returns false if there is none,
 * because the program launches the kernel by other means. The text in `data` is never freed. */
bool sdk_host_function_find(
    const char *symbol,
    rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t *data);

/* Puts the hook into the HIP compiler table, if a context asks for host functions. */
void sdk_host_functions_install(void *compiler_table);

#endif
