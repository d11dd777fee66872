// marked.hip - a program whose every marker, kernel and copy is known: what whole.py expects of it.
// With the argument "deep" it does nothing but launch in a range that is in 300 others, one in the
// other, and once they are closed. With "marks" it does nothing but launch after marks. With "pause" it pauses tracing for a part; with "regions" it resumes it for one, with
// "nested" for one with another inside that ends before the part does.
#include MARKER_HEADER

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#define DO(call)                                                                                   \
    do {                                                                                           \
        if ((call) != hipSuccess) {                                                                \
            std::fprintf(stderr, "%s failed\n", #call);                                            \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

__global__ void add(float *x, float y)
{
    x[threadIdx.x] += y;
}

__global__ void scale(float *x, float y)
{
    x[threadIdx.x] *= y;
}

static float *device;

static int launch(void (*kernel)(float *, float))
{
    kernel<<<1, 64>>>(device, 2);
    return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}

#ifdef ROCTX_IS_ROCPROFILER_SDK
static void control(bool resume)
{
    if (resume)
        roctxProfilerResume(0);
    else
        roctxProfilerPause(0);
}
#else
static void control(bool) {}
#endif

static int launch_deep()
{
    for (int i = 0; i <= 300; i++)
        roctxRangePush(("range " + std::to_string(i)).c_str());
    if (launch(scale)) return 1;
    for (int i = 300; i > 20; i--)
        roctxRangePop();
    if (launch(add)) return 1;
    for (int i = 0; i <= 20; i++)
        roctxRangePop();
    return launch(add);
}

// After a mark outside of ranges, on this thread and others.
static int launch_marked_outside()
{
    if (launch(scale)) return 1;
    roctxMark("first");
    int failed = launch(add);
    std::thread([&failed] {
        failed |= launch(scale);
        roctxMark("theirs");
        failed |= launch(add);
    }).join();
    return failed || launch(add);
}

// A pop ends the last mark in its range if there is one.
static int launch_marked_inside()
{
    roctxRangePush("around");
    roctxRangePush("range");
    if (launch(add)) return 1;
    roctxMark("one");
    roctxMark("two");
    if (launch(add)) return 1;
    roctxRangePop();
    if (launch(add)) return 1;
    roctxRangePush("later");
    if (launch(add)) return 1;
    roctxRangePop();
    if (launch(add)) return 1;
    roctxRangePop();
    if (launch(add)) return 1;
    roctxMark("");
    return launch(scale);
}

static int launch_marked_deep()
{
    for (int i = 0; i < 40; i++)
        roctxRangePush(("level " + std::to_string(i)).c_str());
    roctxMark("deep");
    for (int i = 0; i < 40; i++) {
        if (i % 39 == 0 && launch(add)) return 1;
        roctxRangePop();
    }
    return launch(add);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    float host[64] = {};
    bool nested = !std::strcmp(mode, "nested"), pause = !std::strcmp(mode, "pause");
    bool regions = nested || !std::strcmp(mode, "regions");
    DO(hipMalloc(reinterpret_cast<void **>(&device), sizeof host));
    if (!std::strcmp(mode, "deep")) return launch_deep();
    if (!std::strcmp(mode, "marks"))
        return launch_marked_outside() || launch_marked_inside() || launch_marked_deep();
    roctxMark("begin");
    roctxRangePush("outer");
    roctxRangePush("in \"quotes\", with comma");
    DO(hipMemcpy(device, host, sizeof host, hipMemcpyHostToDevice));
    roctxRangePop();
    if (launch(scale)) return 1;
    if (regions) control(true);
    if (nested) {
        control(true);
        control(false);
    }
    if (pause) control(false);
    roctxRangePush("inner");
    if (launch(add)) return 1;
    roctxRangePop();
    if (regions) control(false);
    if (pause) control(true);
    roctxRangePop();
    roctx_range_id_t id = roctxRangeStart("across threads");
    std::thread([id] { roctxRangeStop(id); }).join();
    if (launch(add)) return 1;
    DO(hipMemcpy(host, device, sizeof host, hipMemcpyDeviceToHost));
    DO(hipFree(device));
    roctxMark("end");
    return host[0] == 4 ? 0 : 1;
}
