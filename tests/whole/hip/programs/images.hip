// images.hip - arrays, textures and surfaces: copies to and from arrays, every kind of array,
// element types, filters and address modes. Each result is computed on the host once more, from the
// definitions: what a texel is, where a filter looks, what an address mode makes of a coordinate.
#include "check.h"

// ---- one texture of each kind ----

struct shape {
    unsigned w, h, d; // d: depth, or layers
    bool layered;
};

static size_t texels(const shape &s)
{
    return (size_t)s.w * (s.h ? s.h : 1) * (s.d ? s.d : 1);
}

template <typename T> static hipMemcpy3DParms copy_of(const shape &s, std::vector<T> &host)
{
    hipMemcpy3DParms p = {};
    p.srcPtr = p.dstPtr = make_hipPitchedPtr(host.data(), s.w * sizeof(T), s.w, s.h ? s.h : 1);
    p.extent = make_hipExtent(s.w, s.h ? s.h : 1, s.d ? s.d : 1);
    return p;
}

template <typename T> struct image {
    shape s;
    hipArray *array = nullptr;
    image(const shape &of, const hipChannelFormatDesc &format, unsigned flags = 0) : s(of)
    {
        if (s.layered) flags |= hipArrayLayered;
        HIP(hipMalloc3DArray(&array, &format, make_hipExtent(s.w, s.h, s.d), flags));
    }
    ~image() { (void)hipFreeArray(array); }
    void fill(std::vector<T> &host)
    {
        hipMemcpy3DParms p = copy_of(s, host);
        p.dstPtr = {};
        p.dstArray = array;
        p.kind = hipMemcpyHostToDevice;
        HIP(hipMemcpy3D(&p));
    }
    std::vector<T> read()
    {
        std::vector<T> host(texels(s));
        hipMemcpy3DParms p = copy_of(s, host);
        p.srcPtr = {};
        p.srcArray = array;
        p.kind = hipMemcpyDeviceToHost;
        HIP(hipMemcpy3D(&p));
        return host;
    }
};

static hipResourceDesc resource_of(hipArray *array)
{
    hipResourceDesc r = {};
    r.resType = hipResourceTypeArray;
    r.res.array.array = array;
    return r;
}

struct sampled {
    hipTextureObject_t t = 0;
    bool refused = false; // HIP 6 knows that gfx90a has no linear filters of volumes and layers
    sampled(const hipResourceDesc &r, hipTextureFilterMode filter, hipTextureAddressMode mode,
            bool normalized, hipTextureReadMode read = hipReadModeElementType)
    {
        hipTextureDesc d = {};
        d.filterMode = filter;
        d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
        d.normalizedCoords = normalized;
        d.readMode = read;
        const hipError_t error = hipCreateTextureObject(&t, &r, &d, nullptr);
        refused = error == hipErrorNotSupported && filter == hipFilterModeLinear;
        if (!refused) HIP(error);
    }
    ~sampled() { (void)hipDestroyTextureObject(t); }
};

// The k-th coordinate of each of n samples; kinds: 1, 2, 3 dimensions, 4 layers of 2.
// HIP 5 has no copies to layers of 1.
template <typename T>
__global__ void sample(hipTextureObject_t t, int kind, const float *x, const float *y,
                       const float *z, int n, T *out)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    switch (kind) {
    case 1: out[k] = tex1D<T>(t, x[k]); break;
    case 2: out[k] = tex2D<T>(t, x[k], y[k]); break;
    case 3: out[k] = tex3D<T>(t, x[k], y[k], z[k]); break;
    default: out[k] = tex2DLayered<T>(t, x[k], y[k], (int)z[k]); break;
    }
}

// ---- the host's samples ----

static int place(hipTextureAddressMode mode, int at, int n)
{
    switch (mode) {
    case hipAddressModeWrap: return (at % n + n) % n;
    case hipAddressModeMirror: {
        const int m = (at % (2 * n) + 2 * n) % (2 * n);
        return m < n ? m : 2 * n - 1 - m;
    }
    case hipAddressModeClamp: return at < 0 ? 0 : at >= n ? n - 1 : at;
    default: return at < 0 || at >= n ? -1 : at;
    }
}

// One axis: up to two texels and the share of the second.
struct pick {
    int at[2];
    double share;
    pick(hipTextureAddressMode mode, double c, int n, bool linear)
    {
        if (linear) c -= 0.5;
        const double first = std::floor(c);
        share = linear ? c - first : 0;
        at[0] = place(mode, (int)first, n);
        at[1] = place(mode, (int)first + 1, n);
    }
};

static double host_sample(const std::vector<float> &v, const shape &s, int axes, const double c[3],
                          int layer, hipTextureAddressMode mode, bool linear)
{
    const int w = (int)s.w, h = s.h ? (int)s.h : 1, d = s.d ? (int)s.d : 1;
    const pick px(mode, c[0], w, linear), py(mode, axes > 1 ? c[1] : 0.5, h, linear && axes > 1),
        pz(mode, axes > 2 ? c[2] : 0.5, d, linear && axes > 2);
    double sum = 0;
    for (int k = 0; k < 8; k++) {
        const int a = k & 1, b = k >> 1 & 1, e = k >> 2;
        const double share = (a ? px.share : 1 - px.share) * (b ? py.share : 1 - py.share) *
                             (e ? pz.share : 1 - pz.share);
        const int x = px.at[a], y = py.at[b], z = axes > 2 ? pz.at[e] : layer;
        if (share == 0 || x < 0 || y < 0 || z < 0) continue;
        sum += share * v[(size_t)x + (size_t)w * ((size_t)y + (size_t)h * (size_t)z)];
    }
    return sum;
}

// ---- filters and address modes ----

static void check_samples(int kind, const shape &s)
{
    static const struct {
        hipTextureAddressMode mode;
        const char *name;
    } modes[] = {{hipAddressModeWrap, "wrap"},
                 {hipAddressModeClamp, "clamp"},
                 {hipAddressModeMirror, "mirror"},
                 {hipAddressModeBorder, "border"}};
    const int axes = kind > 3 ? 2 : kind, n = 1000;
    const unsigned size[3] = {s.w, s.h, s.d};
    std::vector<float> host(texels(s)), c[3];
    uint32_t random = 77;
    for (float &v : host)
        v = (float)(next_random(random) % 1000) / 8;
    image<float> im(s, hipCreateChannelDesc<float>());
    im.fill(host);
    for (auto &m : modes)
        for (int linear = 0; linear < 2; linear++)
            for (int normalized = 0; normalized < 2; normalized++) {
                // repetition is of coordinates from 0 to 1
                if (!normalized && (m.mode == hipAddressModeWrap || m.mode == hipAddressModeMirror))
                    continue;
                sampled t(resource_of(im.array), linear ? hipFilterModeLinear : hipFilterModePoint,
                          m.mode, normalized);
                char name[96];
                std::snprintf(name, sizeof name, "tex%dD%s, %s, %s, %s", axes,
                              kind > 3 ? "Layered" : "", m.name, linear ? "linear" : "point",
                              normalized ? "normalized" : "texels");
                if (t.refused) {
                    std::printf("%s: refused\n", name);
                    continue;
                }
                for (int k = 0; k < 3; k++) {
                    c[k].assign(n, 0);
                    for (float &v : c[k]) // 32nds of a texel, none between two for a nearest one
                        v = (float)(next_random(random) % (size[k] ? size[k] * 96 : 1)) / 32 +
                            (linear ? 0 : 1 / 64.0f) - (float)size[k];
                }
                std::vector<int> layer(n, 0);
                if (kind > 3)
                    for (int k = 0; k < n; k++)
                        c[2][k] = (float)(layer[k] = (int)(next_random(random) % s.d));
                std::vector<float> given[3] = {c[0], c[1], c[2]};
                for (int k = 0; k < axes; k++)
                    if (normalized)
                        for (float &v : given[k])
                            v /= (float)size[k];
                device_array<float> x(given[0]), y(given[1]), z(given[2]), out(n);
                sample<<<(n + 255) / 256, 256>>>(t.t, kind, x.data, y.data, z.data, n, out.data);
                const std::vector<float> got = out.host();
                size_t wrong = 0;
                for (int k = 0; k < n; k++) {
                    const double at[3] = {c[0][k], c[1][k], c[2][k]};
                    const double want = host_sample(host, s, axes, at, layer[k], m.mode, linear);
                    if (std::fabs(got[k] - want) > 1e-4) wrong++;
                }
                report(name, n, wrong);
            }
}

// ---- copies ----

template <typename T>
static void check_copies(const char *type, const shape &s, const hipChannelFormatDesc &format)
{
    std::vector<T> host(texels(s)), back;
    uint32_t random = 5;
    uint8_t *bytes = (uint8_t *)host.data();
    for (size_t k = 0; k < host.size() * sizeof(T); k++)
        bytes[k] = (uint8_t)next_random(random);
    image<T> im(s, format);
    im.fill(host);
    back = im.read();
    size_t wrong = 0;
    for (size_t k = 0; k < host.size(); k++)
        wrong += std::memcmp(&host[k], &back[k], sizeof(T)) != 0;
    char name[96];
    std::snprintf(name, sizeof name, "copies of %s, %ux%ux%u%s", type, s.w, s.h, s.d,
                  s.layered ? " layered" : "");
    report(name, host.size(), wrong);
}

// Rows with gaps, a rectangle in the middle, and the array read where nobody wrote.
static void check_rectangles()
{
    const unsigned w = 100, h = 70, pitch = 128;
    std::vector<uint32_t> whole(w * h), part(pitch * 20), back(w * h);
    hipChannelFormatDesc format = hipCreateChannelDesc<unsigned>();
    hipArray *array;
    HIP(hipMallocArray(&array, &format, w, h, 0));
    for (unsigned k = 0; k < w * h; k++)
        whole[k] = k;
    for (unsigned k = 0; k < part.size(); k++)
        part[k] = 0x1000000 + k;
    HIP(hipMemcpy2DToArray(array, 0, 0, whole.data(), w * 4, w * 4, h, hipMemcpyHostToDevice));
    HIP(hipMemcpy2DToArray(array, 13 * 4, 31, part.data(), pitch * 4, 50 * 4, 20,
                           hipMemcpyHostToDevice));
    HIP(hipMemcpy2DFromArray(back.data(), w * 4, array, 0, 0, w * 4, h, hipMemcpyDeviceToHost));
    size_t wrong = 0;
    for (unsigned y = 0; y < h; y++)
        for (unsigned x = 0; x < w; x++) {
            const bool inside = x >= 13 && x < 63 && y >= 31 && y < 51;
            const uint32_t want = inside ? 0x1000000 + (y - 31) * pitch + (x - 13) : y * w + x;
            wrong += back[y * w + x] != want;
        }
    report("rectangles to and from an array", w * h, wrong);
    std::vector<uint32_t> corner(30 * 10);
    HIP(hipMemcpy2DFromArray(corner.data(), 30 * 4, array, 60 * 4, 45, 30 * 4, 10,
                             hipMemcpyDeviceToHost));
    wrong = 0;
    for (unsigned k = 0; k < corner.size(); k++)
        wrong += corner[k] != back[(45 + k / 30) * w + 60 + k % 30];
    report("a rectangle from its middle", corner.size(), wrong);
    HIP(hipFreeArray(array));
}

// ---- element types ----

template <typename T, typename N>
static void check_normalized(const char *name, int top, const hipChannelFormatDesc &format)
{
    const int n = 256;
    std::vector<T> host(n);
    uint32_t random = 9;
    uint8_t *bytes = (uint8_t *)host.data();
    for (size_t k = 0; k < n * sizeof(T); k++)
        bytes[k] = (uint8_t)next_random(random);
    image<T> im({n, 0, 0, false}, format);
    im.fill(host);
    sampled t(resource_of(im.array), hipFilterModePoint, hipAddressModeClamp, false,
              hipReadModeNormalizedFloat);
    std::vector<float> c(n);
    for (int k = 0; k < n; k++)
        c[k] = (float)k + 0.5f;
    device_array<float> x(c);
    device_array<N> out(n);
    sample<<<1, 256>>>(t.t, 1, x.data, x.data, x.data, n, out.data);
    const std::vector<N> got = out.host();
    size_t wrong = 0;
    for (int k = 0; k < n; k++) {
        double want = (double)host[k].x / top;
        want = want < -1 ? -1 : want;
        wrong += std::fabs(got[k].x - want) > 1e-6;
    }
    report(name, n, wrong);
}

template <typename T> static void check_elements(const char *name)
{
    const int n = 256;
    std::vector<T> host(n);
    uint32_t random = 11;
    uint8_t *bytes = (uint8_t *)host.data();
    for (size_t k = 0; k < n * sizeof(T); k++)
        bytes[k] = (uint8_t)next_random(random);
    image<T> im({n, 0, 0, false}, hipCreateChannelDesc<T>());
    im.fill(host);
    sampled t(resource_of(im.array), hipFilterModePoint, hipAddressModeClamp, false);
    std::vector<float> c(n);
    for (int k = 0; k < n; k++)
        c[k] = (float)k + 0.5f;
    device_array<float> x(c);
    device_array<T> out(n);
    sample<<<1, 256>>>(t.t, 1, x.data, x.data, x.data, n, out.data);
    const std::vector<T> got = out.host();
    size_t wrong = 0;
    for (int k = 0; k < n; k++)
        wrong += std::memcmp(&got[k], &host[k], sizeof(T)) != 0;
    report(name, n, wrong);
}

// A texture over linear memory with a pitch.
static void check_pitched()
{
    const unsigned w = 60, h = 33;
    std::vector<float> host(w * h);
    for (unsigned k = 0; k < w * h; k++)
        host[k] = (float)k;
    void *memory;
    size_t pitch;
    HIP(hipMallocPitch(&memory, &pitch, w * 4, h));
    HIP(hipMemcpy2D(memory, pitch, host.data(), w * 4, w * 4, h, hipMemcpyHostToDevice));
    hipResourceDesc r = {};
    r.resType = hipResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = hipCreateChannelDesc<float>();
    r.res.pitch2D.width = w;
    r.res.pitch2D.height = h;
    r.res.pitch2D.pitchInBytes = pitch;
    {
        sampled t(r, hipFilterModePoint, hipAddressModeClamp, false);
        std::vector<float> cx(w * h), cy(w * h);
        for (unsigned k = 0; k < w * h; k++)
            cx[k] = (float)(k % w) + 0.25f, cy[k] = (float)(k / w) + 0.75f;
        device_array<float> x(cx), y(cy), out(w * h);
        sample<<<(w * h + 255) / 256, 256>>>(t.t, 2, x.data, y.data, y.data, w * h, out.data);
        const std::vector<float> got = out.host();
        size_t wrong = 0;
        for (unsigned k = 0; k < w * h; k++)
            wrong += got[k] != host[k];
        report("texture of memory with a pitch", w * h, wrong);
    }
    HIP(hipFree(memory));
}

// ---- surfaces: of floats, since HIP 5 stores integers as the bits of floats ----

__global__ void add_one(hipSurfaceObject_t from, hipSurfaceObject_t to, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w + 5 || y >= h + 5) return; // beyond the surface: reads 0, and writes nothing
    float4 v;
    surf2Dread(&v, from, x * 16, y);
    v.x += 1, v.y += 2, v.z += 3, v.w += 4;
    surf2Dwrite(v, to, x * 16, y);
}

__global__ void add_volume(hipSurfaceObject_t s, int w, int h, int d)
{
    const int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    float v;
    if (x >= w || y >= h || z >= d) return;
    surf3Dread(&v, s, x * 4, y, z);
    surf3Dwrite(v * 2 + 1, s, x * 4, y, z);
}

__global__ void add_line(hipSurfaceObject_t s, int w)
{
    const int x = threadIdx.x;
    float2 v;
    if (x >= w) return;
    surf1Dread(&v, s, x * 8);
    v.x += 7, v.y -= 7;
    surf1Dwrite(v, s, x * 8);
}

static hipSurfaceObject_t surface_of(hipArray *array)
{
    hipSurfaceObject_t s;
    const hipResourceDesc r = resource_of(array);
    HIP(hipCreateSurfaceObject(&s, &r));
    return s;
}

static void check_surfaces()
{
    const shape flat = {90, 50, 0, false}, volume = {40, 20, 9, false}, line = {100, 0, 0, false};
    {
        std::vector<float4> host(texels(flat));
        for (size_t k = 0; k < host.size(); k++)
            host[k] = make_float4((float)k, (float)k + 0.25f, -(float)k, 1 / (float)(k + 1));
        image<float4> from(flat, hipCreateChannelDesc<float4>()),
            to(flat, hipCreateChannelDesc<float4>());
        from.fill(host);
        hipSurfaceObject_t a = surface_of(from.array), b = surface_of(to.array);
        add_one<<<dim3(12, 7), dim3(8, 8)>>>(a, b, (int)flat.w, (int)flat.h);
        HIP(hipDeviceSynchronize());
        const std::vector<float4> got = to.read();
        size_t wrong = 0;
        for (size_t k = 0; k < host.size(); k++)
            wrong += got[k].x != host[k].x + 1 || got[k].y != host[k].y + 2 ||
                     got[k].z != host[k].z + 3 || got[k].w != host[k].w + 4;
        report("surfaces of two dimensions", host.size(), wrong);
        HIP(hipDestroySurfaceObject(a));
        HIP(hipDestroySurfaceObject(b));
    }
    {
        std::vector<float> host(texels(volume));
        for (size_t k = 0; k < host.size(); k++)
            host[k] = (float)k * 3 - 1000;
        image<float> im(volume, hipCreateChannelDesc<float>());
        im.fill(host);
        hipSurfaceObject_t s = surface_of(im.array);
        add_volume<<<dim3(volume.h, volume.d), 64>>>(s, (int)volume.w, (int)volume.h,
                                                     (int)volume.d);
        HIP(hipDeviceSynchronize());
        const std::vector<float> got = im.read();
        size_t wrong = 0;
        for (size_t k = 0; k < host.size(); k++)
            wrong += got[k] != host[k] * 2 + 1;
        report("surfaces of three dimensions", host.size(), wrong);
        HIP(hipDestroySurfaceObject(s));
    }
    {
        std::vector<float2> host(texels(line));
        for (size_t k = 0; k < host.size(); k++)
            host[k] = make_float2((float)k, (float)k / 4);
        image<float2> im(line, hipCreateChannelDesc<float2>());
        im.fill(host);
        hipSurfaceObject_t s = surface_of(im.array);
        add_line<<<1, 128>>>(s, (int)line.w);
        HIP(hipDeviceSynchronize());
        const std::vector<float2> got = im.read();
        size_t wrong = 0;
        for (size_t k = 0; k < host.size(); k++)
            wrong += got[k].x != host[k].x + 7 || got[k].y != host[k].y - 7;
        report("surfaces of one dimension", host.size(), wrong);
        HIP(hipDestroySurfaceObject(s));
    }
}

int main()
{
    const shape line = {77, 0, 0, false}, flat = {150, 90, 0, false}, volume = {33, 21, 18, false},
                flats = {70, 40, 6, true};
    check_copies<uint8_t>("uchar", flat, hipCreateChannelDesc<unsigned char>());
    check_copies<ushort2>("ushort2", flat, hipCreateChannelDesc<ushort2>());
    check_copies<float>("float", line, hipCreateChannelDesc<float>());
    check_copies<float>("float", volume, hipCreateChannelDesc<float>());
    check_copies<uint2>("uint2", flats, hipCreateChannelDesc<uint2>());
    check_copies<uint4>("uint4", volume, hipCreateChannelDesc<uint4>());
    check_copies<uint8_t>("uchar", volume, hipCreateChannelDesc<unsigned char>());
    check_copies<uint32_t>("unsigned", {1000, 700, 0, false}, hipCreateChannelDesc<unsigned>());
    check_rectangles();
    check_elements<unsigned char>("texels of unsigned char");
    check_elements<char4>("texels of char4");
    check_elements<short2>("texels of short2");
    check_elements<unsigned short>("texels of unsigned short");
    check_elements<int>("texels of int");
    check_elements<uint2>("texels of uint2");
    check_elements<int4>("texels of int4");
    // HIP 5's description of uchar4 says that it is signed
    check_normalized<uchar4, float4>(
        "texels of uchar4 as numbers up to 1", 255,
        hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned));
    check_normalized<char4, float4>("texels of char4 as numbers up to 1", 127,
                                    hipCreateChannelDesc<char4>());
    check_normalized<ushort2, float2>("texels of ushort2 as numbers up to 1", 65535,
                                      hipCreateChannelDesc<ushort2>());
    check_normalized<short1, float1>("texels of short as numbers up to 1", 32767,
                                     hipCreateChannelDesc<short1>());
    check_pitched();
    check_surfaces();
    check_samples(1, line);
    check_samples(2, flat);
    check_samples(3, volume);
    check_samples(4, flats);
    return wrong_total;
}
