// forks - a child made before HIP starts computes on its own; one made after does not disturb us.
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

__global__ void square(int *x) { x[threadIdx.x] *= x[threadIdx.x]; }

static size_t compute()
{
    std::vector<int> in(64);
    for (int i = 0; i < 64; i++) in[i] = i;
    device_array<int> d(in);
    square<<<1, 64>>>(d.data);
    auto out = d.host();
    size_t wrong = 0;
    for (int i = 0; i < 64; i++) wrong += out[i] != i * i;
    return wrong;
}

int main()
{
    pid_t child = fork();
    if (child == 0) std::_Exit(compute() ? 1 : 0);
    int status = -1;
    waitpid(child, &status, 0);
    report("fork before", 1, status != 0);
    report("parent", 64, compute());
    child = fork();
    if (child == 0) _exit(0);
    waitpid(child, &status, 0);
    report("fork after", 1, status != 0);
    report("parent again", 64, compute());
    return wrong_total;
}
