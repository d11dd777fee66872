"""An installation whose SDK is the fake one and whose other libraries do nothing."""
import os


def make(directory, tool, sdk, empty):
    os.makedirs(directory + "/lib/softgpu")
    for target, name in ((tool, "librocprofiler-sdk-tool.so.1"), (sdk, "librocprofiler-sdk.so.1"),
                         (empty, "librocprofiler-register.so.0"), (empty, "librocprofiler-hip-bridge.so"), (empty, "librocprofiler-rccl-bridge.so"),
                         (empty, "librocprofiler-sdk-roctx.so.1"), (empty, "softgpu/libsoftgpu-preload.so")):
        os.symlink(target, f"{directory}/lib/{name}")
