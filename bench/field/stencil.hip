// stencil - Jacobi steps on a 5-point grid, tiles with a rim in LDS, and the sum of the squared
// changes: lanes add up by shuffles, what these do not reach through LDS, workgroups by an atomic.
#include "field.h"

enum { SIDE = 1024, TILE_X = 64, TILE_Y = 8, GROUP = TILE_X * TILE_Y, STEPS = 4 };

extern "C" __global__ void __launch_bounds__(GROUP)
    field_stencil_step(float *to, const float *from, float *change)
{
    __shared__ float tile[TILE_Y + 2][TILE_X + 2];
    __shared__ float sums[GROUP / 32]; // of each part that shuffles add up
    const int x = (int)(blockIdx.x * TILE_X + threadIdx.x),
              y = (int)(blockIdx.y * TILE_Y + threadIdx.y);
    const int tx = (int)threadIdx.x + 1, ty = (int)threadIdx.y + 1;
    const int i = y * SIDE + x;
    tile[ty][tx] = from[i];
    if (tx == 1) tile[ty][0] = x > 0 ? from[i - 1] : 0;
    if (tx == TILE_X) tile[ty][TILE_X + 1] = x < SIDE - 1 ? from[i + 1] : 0;
    if (ty == 1) tile[0][tx] = y > 0 ? from[i - SIDE] : 0;
    if (ty == TILE_Y) tile[TILE_Y + 1][tx] = y < SIDE - 1 ? from[i + SIDE] : 0;
    __syncthreads();
    const float old = tile[ty][tx];
    float now = old;
    if (x > 0 && x < SIDE - 1 && y > 0 && y < SIDE - 1)
        now = 0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
    to[i] = now;
    float sum = (now - old) * (now - old);
    for (int d = FIELD_REACH / 2; d; d /= 2)
        sum += __shfl_down(sum, d);
    const int item = (int)(threadIdx.y * TILE_X + threadIdx.x);
    if (item % FIELD_REACH == 0) sums[item / FIELD_REACH] = sum;
    __syncthreads();
    if (item == 0) {
        for (int k = 1; k < GROUP / FIELD_REACH; k++)
            sum += sums[k];
        atomicAdd(change, sum);
    }
}

static std::vector<float> grid, result;
static float host_change;
static float *device_grid, *device_a, *device_b, *device_change;

static void prepare()
{
    field_random random(4);
    grid.resize(SIDE * SIDE);
    for (float &g : grid)
        g = (float)random.unit();
    device_grid = field_upload(grid);
    device_a = field_room<float>(grid.size());
    device_b = field_room<float>(grid.size());
    device_change = field_room<float>(1);
}

static void launch()
{
    const dim3 groups(SIDE / TILE_X, SIDE / TILE_Y), size(TILE_X, TILE_Y);
    field_demand(hipMemsetAsync(device_change, 0, sizeof(float), nullptr), "set");
    const float *from = device_grid;
    for (int step = 0; step < STEPS; step++) {
        float *to = step % 2 ? device_b : device_a;
        field_stencil_step<<<groups, size>>>(to, from, device_change);
        from = to;
    }
}

static void host()
{
    static std::vector<float> other;
    result = grid;
    other = grid;
    double change = 0;
    for (int step = 0; step < STEPS; step++) {
        float sum = 0;
        for (int y = 1; y < SIDE - 1; y++) {
            float row = 0;
            for (int x = 1; x < SIDE - 1; x++) {
                const float *p = &result[(size_t)y * SIDE + x];
                const float now = 0.25f * (p[-1] + p[1] + p[-SIDE] + p[SIDE]);
                row += (now - *p) * (now - *p);
                other[(size_t)y * SIDE + x] = now;
            }
            sum += row;
        }
        std::swap(result, other);
        change += sum;
    }
    host_change = (float)change;
}

static double error()
{
    const float change = field_download(device_change, 1)[0];
    return std::max(
        field_distance(field_download(STEPS % 2 ? device_a : device_b, result.size()), result),
        std::fabs((double)change - (double)host_change) / (double)host_change);
}

field_case field_stencil = {
    "5-point stencil", "tiles in LDS, sum by shuffles", prepare, launch, host, error, 1e-3, 0};
