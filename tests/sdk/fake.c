/* fake.c - see fake.h. */
#include "fake.h"

#include <string.h>

fake_table_t fake_hip, fake_hip_compiler;
int failures;

static hipError_t real_malloc(void **pointer, size_t size)
{
    *pointer = (void *)(uintptr_t)(0x1000 + size);
    return hipSuccess;
}

static hipError_t real_get_last_error(void)
{
    return (hipError_t)7;
}

static hipError_t real_free(void *pointer)
{
    (void)pointer;
    fake_hipGetLastError();
    return hipSuccess;
}

static const char *real_error_string(hipError_t error)
{
    (void)error;
    return "fake error";
}

static hipChannelFormatDesc real_channel_desc(int x, int y, int z, int w, hipChannelFormatKind f)
{
    return (hipChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = f};
}

static hipError_t real_launch(const void *function, dim3 blocks, dim3 threads, void **arguments,
                              size_t shared, hipStream_t stream)
{
    (void)function, (void)arguments, (void)shared, (void)stream;
    return (hipError_t)(blocks.x * blocks.y * blocks.z + threads.x * threads.y * threads.z);
}

/* One stream at a time has an address, so that a new one comes where an old one was. */
static hipError_t real_stream_create(hipStream_t *stream)
{
    static int storage;
    if (!stream) return hipErrorInvalidValue;
    *stream = (hipStream_t)(void *)&storage;
    return hipSuccess;
}

static hipError_t real_stream_destroy(hipStream_t stream)
{
    return stream ? hipSuccess : hipErrorInvalidHandle;
}

static int unregistered;

static void real_unregister(void **modules)
{
    (void)modules;
    unregistered++;
}

hipError_t fake_hipMalloc(void **pointer, size_t size)
{
    return ((hipError_t(*)(void **, size_t))FAKE_ENTRY(&fake_hip, hipMalloc))(pointer, size);
}

hipError_t fake_hipFree(void *pointer)
{
    return ((hipError_t(*)(void *))FAKE_ENTRY(&fake_hip, hipFree))(pointer);
}

hipError_t fake_hipGetLastError(void)
{
    return ((hipError_t(*)(void))FAKE_ENTRY(&fake_hip, hipGetLastError))();
}

const char *fake_hipGetErrorString(hipError_t error)
{
    return ((const char *(*)(hipError_t))FAKE_ENTRY(&fake_hip, hipGetErrorString))(error);
}

hipChannelFormatDesc fake_hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f)
{
    return ((hipChannelFormatDesc(*)(int, int, int, int, hipChannelFormatKind))FAKE_ENTRY(
        &fake_hip, hipCreateChannelDesc))(x, y, z, w, f);
}

hipError_t fake_hipLaunchKernel(const void *function, dim3 blocks, dim3 threads, void **arguments,
                                size_t shared, hipStream_t stream)
{
    return ((hipError_t(*)(const void *, dim3, dim3, void **, size_t, hipStream_t))FAKE_ENTRY(
        &fake_hip, hipLaunchKernel))(function, blocks, threads, arguments, shared, stream);
}

hipError_t fake_hipStreamCreate(hipStream_t *stream)
{
    return ((hipError_t(*)(hipStream_t *))FAKE_ENTRY(&fake_hip, hipStreamCreate))(stream);
}

hipError_t fake_hipStreamDestroy(hipStream_t stream)
{
    return ((hipError_t(*)(hipStream_t))FAKE_ENTRY(&fake_hip, hipStreamDestroy))(stream);
}

void fake_hipUnregisterFatBinary(void **modules)
{
    ((void (*)(void **))FAKE_ENTRY(&fake_hip_compiler, __hipUnregisterFatBinary))(modules);
}

void fake_fill(void)
{
    fake_hip.size = sizeof fake_hip;
    fake_hip_compiler.size = 80;
    FAKE_ENTRY(&fake_hip, hipMalloc) = (void *)real_malloc;
    FAKE_ENTRY(&fake_hip, hipFree) = (void *)real_free;
    FAKE_ENTRY(&fake_hip, hipGetLastError) = (void *)real_get_last_error;
    FAKE_ENTRY(&fake_hip, hipGetErrorString) = (void *)real_error_string;
    FAKE_ENTRY(&fake_hip, hipCreateChannelDesc) = (void *)real_channel_desc;
    FAKE_ENTRY(&fake_hip, hipLaunchKernel) = (void *)real_launch;
    FAKE_ENTRY(&fake_hip, hipStreamCreate) = (void *)real_stream_create;
    FAKE_ENTRY(&fake_hip, hipStreamDestroy) = (void *)real_stream_destroy;
    FAKE_ENTRY(&fake_hip_compiler, __hipUnregisterFatBinary) = (void *)real_unregister;
}
