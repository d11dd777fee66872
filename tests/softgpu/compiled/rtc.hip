// rtc.hip - a program that has HIP compile a kernel from source, and that gets an error for a wrong one: by libamd_comgr
// itself, whatever stands in for it. What else opens the compiler gets the one that HIP has.
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <dlfcn.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

static const char source[] = "extern \"C\" __global__ void fill(int *out, int value)\n"
                             "{\n    out[threadIdx.x] = value + threadIdx.x;\n}\n";

// The code of the source; empty: it was refused, and the log names the line.
static std::vector<char> compile(const char *text)
{
    hiprtcProgram program;
    size_t size = 0;
    std::vector<char> code;
    if (hiprtcCreateProgram(&program, text, "fill.hip", 0, nullptr, nullptr) != HIPRTC_SUCCESS) return code;
    const hiprtcResult result = hiprtcCompileProgram(program, 0, nullptr);
    hiprtcGetProgramLogSize(program, &size);
    std::string log(size, '\0');
    if (size) hiprtcGetProgramLog(program, &log[0]);
    if (result == HIPRTC_SUCCESS) {
        hiprtcGetCodeSize(program, &size);
        code.resize(size);
        hiprtcGetCode(program, code.data());
    } else if (log.find("error: use of undeclared identifier 'nothing'") == std::string::npos) {
        printf("rtc: %d, log: %s\n", result, log.c_str());
    }
    hiprtcDestroyProgram(&program);
    return code;
}

static int run(int value)
{
    const std::vector<char> code = compile(source);
    hipModule_t module;
    hipFunction_t fill;
    int *out, found[64] = {}, wrong = 0;
    if (code.empty() || hipModuleLoadData(&module, code.data()) != hipSuccess ||
        hipModuleGetFunction(&fill, module, "fill") != hipSuccess || hipMalloc(&out, sizeof found) != hipSuccess)
        return 64;
    void *arguments[] = {&out, &value};
    if (hipModuleLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr) != hipSuccess ||
        hipMemcpy(found, out, sizeof found, hipMemcpyDeviceToHost) != hipSuccess)
        return 64;
    for (int i = 0; i < 64; i++)
        wrong += found[i] != value + i;
    return wrong;
}

// Whether HIP's compiler is found by its name, before it has compiled anything for this program.
static bool is_found()
{
    int *memory;
    if (hipMalloc(&memory, 64) != hipSuccess || hipMemset(memory, 0, 64) != hipSuccess) return false;
    void *library = dlopen("libamd_comgr.so.2", RTLD_LAZY | RTLD_NOLOAD);
    return HIP_VERSION_MAJOR > 5 || (library && dlsym(library, "amd_comgr_create_disassembly_info"));
}

int main()
{
    const bool found = is_found();
    int wrong[2] = {64, 64};
    wrong[0] = run(1000);
    std::thread other([&] { wrong[1] = run(2000); }); // not at the same time, which crashes HIP 5.2 anywhere
    other.join();
    const bool refused = compile("__global__ void fill(int *out) { *out = nothing; }").empty();
    printf("rtc: %d and %d wrong, %s, %s\n", wrong[0], wrong[1], refused ? "refused" : "not refused",
           found ? "found" : "not found");
    return wrong[0] || wrong[1] || !refused || !found;
}
