/* sync_tool.c - a tool that waits for the whole GPU each time it is told of a finished kernel.
 *
 * It sits on the thread that completes the program's signals, so this hangs unless the library
 * completes them all the same. */
#include "../../tool.h"

#include <dlfcn.h>
#include <stdio.h>

static rocprofiler_context_id_t context;
static long completes;

static void on_dispatch(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                        void *data)
{
    (void)user;
    (void)data;
    if (record.operation != ROCPROFILER_KERNEL_DISPATCH_COMPLETE) return;
    int (*synchronize)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "hipDeviceSynchronize");
    if (synchronize && synchronize() == 0) completes++;
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize;
    (void)data;
    if (rocprofiler_create_context(&context) ||
        rocprofiler_configure_callback_tracing_service(
            context, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, NULL, 0, on_dispatch, NULL))
        return -1;
    return (int)rocprofiler_start_context(context);
}

static void finish(void *data)
{
    (void)data;
    printf("completes: %ld\n", completes);
    fflush(stdout);
}

TOOL("sync_tool", initialize, finish)
