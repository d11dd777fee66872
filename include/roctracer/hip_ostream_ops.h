/* hip_ostream_ops.h - structures of HIP as text: {field=value, ...}, for hipApiString() of HIP's
 * own <hip/amd_detail/hip_prof_str.h>, which writes the arguments of calls to a stream. For C++
 * only. */
#ifndef ROCTRACER_HIP_OSTREAM_OPS_H_
#define ROCTRACER_HIP_OSTREAM_OPS_H_

#ifdef __cplusplus
#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1 /* as in roctracer_hip.h: this header may be included first */
#endif
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#include <cstddef>
#include <iostream> /* AMD's header includes it, and programs rely on that */

namespace roctracer
{
namespace hip_support
{
template <typename T>
inline auto put_known(std::ostream &out, const T &value, int) -> decltype(out << value, void())
{
    out << value;
}
/** Writes a structure that has no row in the table below. */
template <typename T> inline void put_known(std::ostream &out, const T &, long)
{
    out << "{...}";
}

/** Writes one value; arrays as their elements in brackets. */
template <typename T> inline void put_value(std::ostream &out, const T &value)
{
    put_known(out, value, 0);
}
inline void put_value(std::ostream &out, unsigned char value)
{
    out << static_cast<unsigned>(value);
}
inline void put_value(std::ostream &out, char value)
{
    out << static_cast<int>(value);
}
template <typename T, std::size_t N> inline void put_value(std::ostream &out, const T (&values)[N])
{
    out << '[';
    for (std::size_t i = 0; i < N; ++i) {
        if (i) out << ", ";
        put_value(out, values[i]);
    }
    out << ']';
}

template <typename R, typename... A> inline void put_value(std::ostream &out, R (*function)(A...))
{
    out << reinterpret_cast<const void *>(function);
}

/** Writes the next of the names, which are separated by blanks, and its value. */
template <typename T>
inline const char *put_field(std::ostream &out, const char *names, const T &value)
{
    for (; *names && *names != ' '; ++names)
        out << *names;
    out << '=';
    put_value(out, value);
    if (*names != ' ') return names;
    out << ", ";
    return names + 1;
}

template <typename... T>
inline std::ostream &put_fields(std::ostream &out, const char *names, const T &...values)
{
    out << '{';
    const int in_order[] = {(names = put_field(out, names, values), 0)...};
    static_cast<void>(in_order);
    return out << '}';
}

namespace detail
{
/** The operator that HIP 6 and later call by its qualified name, for values of every type. */
template <typename T> inline std::ostream &operator<<(std::ostream &out, const T &value)
{
    put_value(out, value);
    return out;
}
} // namespace detail
} // namespace hip_support
} // namespace roctracer

/* A structure's row: its type, the names of its fields, and the fields of the value v. A structure
 * is listed after those that it contains. */
#define ROCTRACER_HIP_STREAM_(type, names, ...)                                                    \
    inline std::ostream &operator<<(std::ostream &out, const type &v)                              \
    {                                                                                              \
        return ::roctracer::hip_support::put_fields(out, names, __VA_ARGS__);                      \
    }

ROCTRACER_HIP_STREAM_(dim3, "x y z", v.x, v.y, v.z)
ROCTRACER_HIP_STREAM_(hipPos, "x y z", v.x, v.y, v.z)
ROCTRACER_HIP_STREAM_(hipExtent, "width height depth", v.width, v.height, v.depth)
ROCTRACER_HIP_STREAM_(hipPitchedPtr, "ptr pitch xsize ysize", v.ptr, v.pitch, v.xsize, v.ysize)
ROCTRACER_HIP_STREAM_(hipChannelFormatDesc, "x y z w f", v.x, v.y, v.z, v.w, v.f)
ROCTRACER_HIP_STREAM_(HIP_ARRAY_DESCRIPTOR, "Width Height Format NumChannels", v.Width, v.Height,
                      v.Format, v.NumChannels)
ROCTRACER_HIP_STREAM_(HIP_ARRAY3D_DESCRIPTOR, "Width Height Depth Format NumChannels Flags",
                      v.Width, v.Height, v.Depth, v.Format, v.NumChannels, v.Flags)
ROCTRACER_HIP_STREAM_(
    HIP_MEMCPY3D,
    "srcXInBytes srcY srcZ srcLOD srcMemoryType srcHost srcDevice srcArray srcPitch srcHeight "
    "dstXInBytes dstY dstZ dstLOD dstMemoryType dstHost dstDevice dstArray dstPitch dstHeight "
    "WidthInBytes Height Depth",
    v.srcXInBytes, v.srcY, v.srcZ, v.srcLOD, v.srcMemoryType, v.srcHost, v.srcDevice, v.srcArray,
    v.srcPitch, v.srcHeight, v.dstXInBytes, v.dstY, v.dstZ, v.dstLOD, v.dstMemoryType, v.dstHost,
    v.dstDevice, v.dstArray, v.dstPitch, v.dstHeight, v.WidthInBytes, v.Height, v.Depth)
ROCTRACER_HIP_STREAM_(
    hip_Memcpy2D,
    "srcXInBytes srcY srcMemoryType srcHost srcDevice srcArray srcPitch dstXInBytes dstY "
    "dstMemoryType dstHost dstDevice dstArray dstPitch WidthInBytes Height",
    v.srcXInBytes, v.srcY, v.srcMemoryType, v.srcHost, v.srcDevice, v.srcArray, v.srcPitch,
    v.dstXInBytes, v.dstY, v.dstMemoryType, v.dstHost, v.dstDevice, v.dstArray, v.dstPitch,
    v.WidthInBytes, v.Height)
ROCTRACER_HIP_STREAM_(hipMemcpy3DParms, "srcArray srcPos srcPtr dstArray dstPos dstPtr extent kind",
                      v.srcArray, v.srcPos, v.srcPtr, v.dstArray, v.dstPos, v.dstPtr, v.extent,
                      v.kind)
ROCTRACER_HIP_STREAM_(hipMemsetParams, "dst elementSize height pitch value width", v.dst,
                      v.elementSize, v.height, v.pitch, v.value, v.width)
ROCTRACER_HIP_STREAM_(
    hipMipmappedArray,
    "data desc type width height depth min_mipmap_level max_mipmap_level flags format", v.data,
    v.desc, v.type, v.width, v.height, v.depth, v.min_mipmap_level, v.max_mipmap_level, v.flags,
    v.format)
ROCTRACER_HIP_STREAM_(
    hipArrayMapInfo,
    "resourceType subresourceType memOperationType memHandleType offset deviceBitMask flags",
    v.resourceType, v.subresourceType, v.memOperationType, v.memHandleType, v.offset,
    v.deviceBitMask, v.flags)
ROCTRACER_HIP_STREAM_(hipResourceDesc, "resType", v.resType)
ROCTRACER_HIP_STREAM_(
    hipTextureDesc,
    "addressMode filterMode readMode sRGB borderColor normalizedCoords maxAnisotropy "
    "mipmapFilterMode mipmapLevelBias minMipmapLevelClamp maxMipmapLevelClamp",
    v.addressMode, v.filterMode, v.readMode, v.sRGB, v.borderColor, v.normalizedCoords,
    v.maxAnisotropy, v.mipmapFilterMode, v.mipmapLevelBias, v.minMipmapLevelClamp,
    v.maxMipmapLevelClamp)
ROCTRACER_HIP_STREAM_(
    textureReference,
    "normalized readMode filterMode addressMode channelDesc sRGB maxAnisotropy mipmapFilterMode "
    "mipmapLevelBias minMipmapLevelClamp maxMipmapLevelClamp textureObject numChannels format",
    v.normalized, v.readMode, v.filterMode, v.addressMode, v.channelDesc, v.sRGB, v.maxAnisotropy,
    v.mipmapFilterMode, v.mipmapLevelBias, v.minMipmapLevelClamp, v.maxMipmapLevelClamp,
    v.textureObject, v.numChannels, v.format)
ROCTRACER_HIP_STREAM_(hipExternalMemoryBufferDesc, "offset size flags", v.offset, v.size, v.flags)
ROCTRACER_HIP_STREAM_(hipExternalMemoryHandleDesc, "type fd size flags", v.type, v.handle.fd,
                      v.size, v.flags)
ROCTRACER_HIP_STREAM_(hipExternalSemaphoreHandleDesc, "type fd flags", v.type, v.handle.fd, v.flags)
ROCTRACER_HIP_STREAM_(hipExternalSemaphoreSignalParams, "fence key flags", v.params.fence.value,
                      v.params.keyedMutex.key, v.flags)
ROCTRACER_HIP_STREAM_(hipExternalSemaphoreWaitParams, "fence key timeoutMs flags",
                      v.params.fence.value, v.params.keyedMutex.key, v.params.keyedMutex.timeoutMs,
                      v.flags)
ROCTRACER_HIP_STREAM_(
    hipFuncAttributes,
    "binaryVersion cacheModeCA constSizeBytes localSizeBytes maxDynamicSharedSizeBytes "
    "maxThreadsPerBlock numRegs preferredShmemCarveout ptxVersion sharedSizeBytes",
    v.binaryVersion, v.cacheModeCA, v.constSizeBytes, v.localSizeBytes, v.maxDynamicSharedSizeBytes,
    v.maxThreadsPerBlock, v.numRegs, v.preferredShmemCarveout, v.ptxVersion, v.sharedSizeBytes)
ROCTRACER_HIP_STREAM_(hipHostNodeParams, "fn userData", reinterpret_cast<const void *>(v.fn),
                      v.userData)
ROCTRACER_HIP_STREAM_(hipIpcEventHandle_t, "reserved", v.reserved)
ROCTRACER_HIP_STREAM_(hipIpcMemHandle_t, "reserved", v.reserved)
ROCTRACER_HIP_STREAM_(hipMemPoolPtrExportData, "reserved", v.reserved)
ROCTRACER_HIP_STREAM_(hipUUID, "bytes", v.bytes)
ROCTRACER_HIP_STREAM_(hipKernelNodeParams,
                      "blockDim extra func gridDim kernelParams sharedMemBytes", v.blockDim,
                      v.extra, v.func, v.gridDim, v.kernelParams, v.sharedMemBytes)
ROCTRACER_HIP_STREAM_(hipLaunchParams, "func gridDim blockDim args sharedMem stream", v.func,
                      v.gridDim, v.blockDim, v.args, v.sharedMem, v.stream)
ROCTRACER_HIP_STREAM_(hipAccessPolicyWindow, "base_ptr hitProp hitRatio missProp num_bytes",
                      v.base_ptr, v.hitProp, v.hitRatio, v.missProp, v.num_bytes)
ROCTRACER_HIP_STREAM_(hipMemLocation, "type id", v.type, v.id)
ROCTRACER_HIP_STREAM_(hipMemAccessDesc, "location flags", v.location, v.flags)
ROCTRACER_HIP_STREAM_(hipMemAllocationProp, "type requestedHandleType location win32HandleMetaData",
                      v.type, v.requestedHandleType, v.location, v.win32HandleMetaData)
ROCTRACER_HIP_STREAM_(hipMemPoolProps, "allocType handleTypes location win32SecurityAttributes",
                      v.allocType, v.handleTypes, v.location, v.win32SecurityAttributes)
ROCTRACER_HIP_STREAM_(
    hipDeviceProp_t,
    "name totalGlobalMem sharedMemPerBlock regsPerBlock warpSize maxThreadsPerBlock maxThreadsDim "
    "maxGridSize multiProcessorCount major minor gcnArchName",
    static_cast<const char *>(v.name), v.totalGlobalMem, v.sharedMemPerBlock, v.regsPerBlock,
    v.warpSize, v.maxThreadsPerBlock, v.maxThreadsDim, v.maxGridSize, v.multiProcessorCount,
    v.major, v.minor, static_cast<const char *>(v.gcnArchName))
#if HIP_VERSION_MAJOR < 6
ROCTRACER_HIP_STREAM_(hipArray,
                      "data desc type width height depth Format NumChannels isDrv textureType",
                      v.data, v.desc, v.type, v.width, v.height, v.depth, v.Format, v.NumChannels,
                      v.isDrv, v.textureType)
ROCTRACER_HIP_STREAM_(hipKernelNodeAttrValue, "accessPolicyWindow cooperative",
                      v.accessPolicyWindow, v.cooperative)
ROCTRACER_HIP_STREAM_(hipPointerAttribute_t,
                      "memoryType device devicePointer hostPointer isManaged allocationFlags",
                      v.memoryType, v.device, v.devicePointer, v.hostPointer, v.isManaged,
                      v.allocationFlags)
#else
ROCTRACER_HIP_STREAM_(hipPointerAttribute_t,
                      "type device devicePointer hostPointer isManaged allocationFlags", v.type,
                      v.device, v.devicePointer, v.hostPointer, v.isManaged, v.allocationFlags)
#endif
#undef ROCTRACER_HIP_STREAM_
#endif
#endif
