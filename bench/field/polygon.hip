// polygon - which points lie in a polygon: a ray crosses edges or not, so lanes go different ways
// at every edge; the crossing point is a division.
#include "field.h"

enum { VERTICES = 360, POINTS = 8192, GROUP = 256 };

static __host__ __device__ inline bool inside(float2 p, const float2 *v)
{
    bool in = false;
    float2 before = v[VERTICES - 1];
    for (unsigned k = 0; k < VERTICES; k++) {
        const float2 here = v[k];
        if ((here.y > p.y) != (before.y > p.y)) {
            const float at = (before.x - here.x) * (p.y - here.y) / (before.y - here.y) + here.x;
            if (p.x < at) in = !in;
        }
        before = here;
    }
    return in;
}

extern "C" __global__ void __launch_bounds__(GROUP)
    field_polygon_points(uint8_t *in, const float2 *p, const float2 *v)
{
    const unsigned i = blockIdx.x * GROUP + threadIdx.x;
    in[i] = inside(p[i], v);
}

static std::vector<float2> vertex, point;
static std::vector<uint8_t> result;
static float2 *device_vertex, *device_point;
static uint8_t *device_in;

// A star, whose rays make many edges for some points and few for others.
static void prepare()
{
    field_random random(3);
    for (unsigned k = 0; k < VERTICES; k++) {
        const double turn = 2 * M_PI * k / VERTICES, r = k % 2 ? 1.0 : 0.4 + 0.3 * random.unit();
        vertex.push_back(make_float2((float)(r * std::cos(turn)), (float)(r * std::sin(turn))));
    }
    for (unsigned k = 0; k < POINTS; k++)
        point.push_back(
            make_float2((float)(2.2 * random.unit() - 1.1), (float)(2.2 * random.unit() - 1.1)));
    result.resize(POINTS);
    device_vertex = field_upload(vertex);
    device_point = field_upload(point);
    device_in = field_room<uint8_t>(POINTS);
}

static void launch()
{
    field_polygon_points<<<POINTS / GROUP, GROUP>>>(device_in, device_point, device_vertex);
}

static void host()
{
    for (unsigned k = 0; k < POINTS; k++)
        result[k] = inside(point[k], vertex.data());
}

// Points whose answers differ; rounding may turn one that lies on an edge.
static double error()
{
    const std::vector<uint8_t> got = field_download(device_in, POINTS);
    unsigned wrong = 0;
    for (unsigned k = 0; k < POINTS; k++)
        wrong += got[k] != result[k];
    return (double)wrong / POINTS;
}

field_case field_polygon = {
    "point in polygon", "360 edges, lanes diverge at each", prepare, launch, host, error, 1e-4, 0};
