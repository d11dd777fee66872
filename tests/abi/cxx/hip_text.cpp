/* Arguments of HIP calls as text, by HIP's own hipApiString() and the stream operators for its structures. */
#define HIP_PROF_HIP_API_STRING 1
#include <roctracer/roctracer_hip.h>

#include <cstdlib>
#include <sstream>

namespace
{
void print(hip_api_id_t call, const hip_api_data_t &data)
{
    char *text = const_cast<char *>(hipApiString(call, &data));
    std::cout << text << '\n';
    std::free(text);
}

void print_calls()
{
    hip_api_data_t data = {};
    data.args.__hipPushCallConfiguration.gridDim = dim3(4, 5, 6);
    data.args.__hipPushCallConfiguration.blockDim = dim3(64);
    data.args.__hipPushCallConfiguration.sharedMem = 128;
    data.args.__hipPushCallConfiguration.stream = nullptr;
    print(HIP_API_ID___hipPushCallConfiguration, data);

    hipMemcpy3DParms copy = {};
    copy.srcPos = {1, 2, 3};
    copy.extent = {16, 8, 1};
    copy.kind = hipMemcpyDeviceToHost;
    data = {};
    data.args.hipMemcpy3D.p = &copy;
    data.args.hipMemcpy3D.p__val = copy;
    print(HIP_API_ID_hipMemcpy3D, data);
}

void print_structures()
{
    hipDeviceProp_t device = {};
    std::ostringstream text;
    device.name[0] = 'x';
    device.maxThreadsDim[1] = 1024;
    text << device;
    std::cout << text.str() << '\n';
    hipUUID id = {};
    id.bytes[2] = 7;
    hipHostNodeParams node = {};
    std::cout << id << '\n' << node << '\n';
}
} // namespace

int main()
{
    print_calls();
    print_structures();
    return 0;
}
