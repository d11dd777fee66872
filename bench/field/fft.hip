// fft - double-precision FFTs of 512 points, as spectral codes have them: 64 lanes for each,
// eight points in a lane's registers, three passes of radix 8 with twiddles from sincospi and
// exchanges through LDS.
#include "field.h"

enum { POINTS = 512, BATCH = 2048, LANES = 64, RADIX = 8 };

struct pair {
    double x, y;
};

static __host__ __device__ inline pair plus(pair a, pair b)
{
    return {a.x + b.x, a.y + b.y};
}
static __host__ __device__ inline pair minus(pair a, pair b)
{
    return {a.x - b.x, a.y - b.y};
}
static __host__ __device__ inline pair times(pair a, pair b)
{
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
static __host__ __device__ inline pair turned(pair a)
{
    return {a.y, -a.x};
} // by -i

// v[k] becomes the k-th coefficient of eight points.
static __host__ __device__ inline void radix8(pair v[RADIX])
{
    const double r = 0.70710678118654752440;
    pair e[4], o[4], s, d, t;
    for (int k = 0; k < 4; k++) {
        e[k] = plus(v[k], v[k + 4]);
        o[k] = minus(v[k], v[k + 4]);
    }
    s = plus(e[0], e[2]), d = minus(e[0], e[2]);
    t = plus(e[1], e[3]);
    v[0] = plus(s, t), v[4] = minus(s, t);
    t = turned(minus(e[1], e[3]));
    v[2] = plus(d, t), v[6] = minus(d, t);
    o[1] = times(o[1], {r, -r});
    o[2] = turned(o[2]);
    o[3] = times(o[3], {-r, -r});
    s = plus(o[0], o[2]), d = minus(o[0], o[2]);
    t = plus(o[1], o[3]);
    v[1] = plus(s, t), v[5] = minus(s, t);
    t = turned(minus(o[1], o[3]));
    v[3] = plus(d, t), v[7] = minus(d, t);
}

// Stockham: pass by pass, `done` is the length of what is transformed already.
extern "C" __global__ void __launch_bounds__(LANES) field_fft_512(pair *to_data, const pair *data)
{
    __shared__ double re[POINTS], im[POINTS];
    const unsigned lane = threadIdx.x;
    const size_t mine = (size_t)blockIdx.x * POINTS + lane;
    pair v[RADIX];
    for (int k = 0; k < RADIX; k++)
        v[k] = data[mine + k * LANES];
    for (unsigned done = 1; done < POINTS; done *= RADIX) {
        const unsigned place = lane % done;
        for (int k = 1; k < RADIX; k++) {
            double s, c;
            sincospi(-2.0 * (double)(place * k) / (double)(done * RADIX), &s, &c);
            v[k] = times(v[k], {c, s});
        }
        radix8(v);
        const unsigned to = (lane - place) * RADIX + place;
        __syncthreads();
        for (int k = 0; k < RADIX; k++) {
            re[to + k * done] = v[k].x;
            im[to + k * done] = v[k].y;
        }
        __syncthreads();
        for (int k = 0; k < RADIX; k++)
            v[k] = {re[lane + k * LANES], im[lane + k * LANES]};
    }
    for (int k = 0; k < RADIX; k++)
        to_data[mine + k * LANES] = v[k];
}

static std::vector<pair> input, result;
static pair *device, *device_result;

static void prepare()
{
    field_random random(1);
    input.resize((size_t)POINTS * BATCH);
    for (pair &p : input)
        p = {random.unit() - 0.5, random.unit() - 0.5};
    device = field_upload(input);
    device_result = field_room<pair>(input.size());
}

static void launch()
{
    field_fft_512<<<BATCH, LANES>>>(device_result, device);
}

static void host()
{
    static std::vector<pair> table, other;
    table.resize(POINTS);
    other.resize(POINTS);
    for (int k = 0; k < POINTS; k++)
        table[k] = {std::cos(-2 * M_PI * k / POINTS), std::sin(-2 * M_PI * k / POINTS)};
    result = input;
    for (unsigned which = 0; which < BATCH; which++) {
        pair *from = result.data() + (size_t)which * POINTS, *to = other.data();
        for (unsigned done = 1; done < POINTS; done *= RADIX) {
            for (unsigned lane = 0; lane < LANES; lane++) {
                const unsigned place = lane % done;
                pair v[RADIX];
                for (unsigned k = 0; k < RADIX; k++)
                    v[k] = times(from[lane + k * LANES], table[place * k * (LANES / done)]);
                radix8(v);
                for (unsigned k = 0; k < RADIX; k++)
                    to[(lane - place) * RADIX + place + k * done] = v[k];
            }
            std::swap(from, to);
        }
        // an odd number of passes has left the result in the other array
        std::copy(from, from + POINTS, to);
    }
}

static double error()
{
    const std::vector<pair> got = field_download(device_result, input.size());
    std::vector<double> a, b;
    for (size_t k = 0; k < got.size(); k++) {
        a.push_back(got[k].x), a.push_back(got[k].y);
        b.push_back(result[k].x), b.push_back(result[k].y);
    }
    return field_distance(a, b);
}

field_case field_fft = {
    "f64 FFT", "512 points, radix 8, twiddles by sincospi", prepare, launch, host, error, 1e-13, 0};
