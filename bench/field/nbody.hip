// nbody - single-precision gravity with rsqrt over tiles in LDS, and a periodogram of the bodies
// with sincosf: the inner loops of particle codes and of spectral analysis.
#include "field.h"

enum { BODIES = 4096, TILE = 256, FREQUENCIES = 512, SAMPLES = 256 };

extern "C" __global__ void __launch_bounds__(TILE)
    field_nbody_forces(float4 *force, const float4 *body)
{
    __shared__ float4 tile[TILE];
    const unsigned i = blockIdx.x * TILE + threadIdx.x;
    const float4 at = body[i];
    float x = 0, y = 0, z = 0;
    for (unsigned first = 0; first < BODIES; first += TILE) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (unsigned k = 0; k < TILE; k++) {
            const float4 b = tile[k];
            const float dx = b.x - at.x, dy = b.y - at.y, dz = b.z - at.z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float strength = b.w * inverse * inverse * inverse;
            x += strength * dx, y += strength * dy, z += strength * dz;
        }
        __syncthreads();
    }
    force[i] = make_float4(x, y, z, 0);
}

extern "C" __global__ void __launch_bounds__(TILE)
    field_nbody_spectrum(float2 *power, const float4 *body)
{
    const unsigned f = blockIdx.x * TILE + threadIdx.x;
    const float frequency = 0.05f * (float)f;
    float re = 0, im = 0;
    for (unsigned k = 0; k < SAMPLES; k++) {
        float s, c;
        sincosf(frequency * body[k].x, &s, &c);
        re += body[k].w * c, im += body[k].w * s;
    }
    power[f] = make_float2(re, im);
}

static std::vector<float4> body, force;
static std::vector<float2> power;
static float4 *device_body, *device_force;
static float2 *device_power;

static void prepare()
{
    field_random random(2);
    body.resize(BODIES);
    for (float4 &b : body)
        b = make_float4((float)random.unit(), (float)random.unit(), (float)random.unit(),
                        0.5f + (float)random.unit());
    force.resize(BODIES);
    power.resize(FREQUENCIES);
    device_body = field_upload(body);
    device_force = field_room<float4>(BODIES);
    device_power = field_room<float2>(FREQUENCIES);
}

static void launch()
{
    field_nbody_forces<<<BODIES / TILE, TILE>>>(device_force, device_body);
    field_nbody_spectrum<<<FREQUENCIES / TILE, TILE>>>(device_power, device_body);
}

static void host()
{
    for (unsigned i = 0; i < BODIES; i++) {
        const float4 at = body[i];
        float x = 0, y = 0, z = 0;
        for (unsigned k = 0; k < BODIES; k++) {
            const float4 b = body[k];
            const float dx = b.x - at.x, dy = b.y - at.y, dz = b.z - at.z;
            const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
            const float strength = b.w * inverse * inverse * inverse;
            x += strength * dx, y += strength * dy, z += strength * dz;
        }
        force[i] = make_float4(x, y, z, 0);
    }
    for (unsigned f = 0; f < FREQUENCIES; f++) {
        const float frequency = 0.05f * (float)f;
        float re = 0, im = 0;
        for (unsigned k = 0; k < SAMPLES; k++) {
            re += body[k].w * std::cos(frequency * body[k].x);
            im += body[k].w * std::sin(frequency * body[k].x);
        }
        power[f] = make_float2(re, im);
    }
}

static double error()
{
    const std::vector<float4> got = field_download(device_force, BODIES);
    const std::vector<float2> got_power = field_download(device_power, FREQUENCIES);
    std::vector<float> a, b, c, d;
    for (size_t k = 0; k < got.size(); k++) {
        a.insert(a.end(), {got[k].x, got[k].y, got[k].z});
        b.insert(b.end(), {force[k].x, force[k].y, force[k].z});
    }
    for (size_t k = 0; k < got_power.size(); k++) {
        c.insert(c.end(), {got_power[k].x, got_power[k].y});
        d.insert(d.end(), {power[k].x, power[k].y});
    }
    return std::max(field_distance(a, b), field_distance(c, d));
}

field_case field_nbody = {
    "n-body", "gravity with rsqrt, periodogram with sincosf", prepare, launch, host, error, 1e-4,
    0};
