// crowd - twelve processes use the GPU at once, some of them are killed: each of the others computes as
// if it were alone.
#include "scene.h"

#include <csignal>
#include <utility>

__global__ void step(unsigned *x, unsigned add)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
    for (int k = 0; k < 50; k++) v = v * 1664525u + add + (unsigned)k;
    x[i] = v;
}

static int compute(unsigned me)
{
    const unsigned n = 4096;
    std::vector<unsigned> host(n);
    for (unsigned i = 0; i < n; i++) host[i] = i * me;
    device_array<unsigned> x(host);
    for (unsigned r = 0; r < 20; r++) step<<<n / 256, 256>>>(x.data, r + me);
    auto got = x.host();
    for (unsigned i = 0; i < n; i++) {
        unsigned v = host[i];
        for (unsigned r = 0; r < 20; r++)
            for (unsigned k = 0; k < 50; k++) v = v * 1664525u + r + me + k;
        if (v != got[i]) return 1;
    }
    return 0;
}

int main()
{
    const unsigned n = 12;
    std::vector<std::pair<pid_t, int>> children(n);
    for (unsigned i = 0; i < n; i++)
        children[i].first = scene_start([=] { return i % 4 == 3 ? (compute(i), pause()) : compute(i); }, &children[i].second);
    usleep(1000000); // whether they still compute or wait already, they are killed; both are right
    for (unsigned i = 3; i < n; i += 4) kill(children[i].first, SIGKILL);
    for (unsigned i = 0; i < n; i++) {
        scene_end end = scene_wait(children[i].first, children[i].second, 60);
        std::printf("process %u: status %d%s\n", i, end.status, end.out.c_str());
    }
    return 0;
}
