// copies - every direction, 2D with pitches, memset of all widths, registered and pageable memory,
// overlapping sizes around the runtime's staging limits.
#include "check.h"

int main()
{
    uint32_t seed = 43;
    size_t wrong = 0, checked = 0;
    for (size_t bytes : {size_t(1), size_t(3), size_t(4095), size_t(4097), size_t(65536), size_t(1 << 20), size_t(5 << 20) + 13}) {
        std::vector<unsigned char> in(bytes), out(bytes, 0xee);
        for (auto &x : in) x = (unsigned char)next_random(seed);
        device_array<unsigned char> a(in), b(bytes);
        HIP(hipMemcpy(b.data, a.data, bytes, hipMemcpyDeviceToDevice));
        HIP(hipMemcpyDtoH(out.data(), (hipDeviceptr_t)b.data, bytes));
        wrong += memcmp(in.data(), out.data(), bytes) != 0;
        checked++;
    }
    report("sizes", checked, wrong);

    const size_t width = 123, height = 37, pitch = 160;
    std::vector<unsigned char> in(pitch * height), out(width * height);
    for (auto &x : in) x = (unsigned char)next_random(seed);
    void *device;
    size_t device_pitch;
    HIP(hipMallocPitch(&device, &device_pitch, width, height));
    HIP(hipMemcpy2D(device, device_pitch, in.data(), pitch, width, height, hipMemcpyHostToDevice));
    HIP(hipMemcpy2D(out.data(), width, device, device_pitch, width, height, hipMemcpyDeviceToHost));
    wrong = 0;
    for (size_t y = 0; y < height; y++) wrong += memcmp(&in[y * pitch], &out[y * width], width) != 0;
    report("2D", height, wrong);
    HIP(hipFree(device));

    device_array<unsigned> words(1000);
    HIP(hipMemset(words.data, 0x5a, 4000));
    HIP(hipMemsetD32(words.data + 10, 0x01020304, 5));
    HIP(hipMemsetD16((hipDeviceptr_t)(words.data + 20), 0xbeef, 3));
    HIP(hipMemsetD8((hipDeviceptr_t)(words.data + 30), 0x77, 7));
    auto w = words.host();
    wrong = 0;
    for (unsigned i = 0; i < 1000; i++) {
        unsigned expected = 0x5a5a5a5a;
        if (i >= 10 && i < 15) expected = 0x01020304;
        if (i == 20) expected = 0xbeefbeef;
        if (i == 21) expected = 0x5a5abeef;
        if (i == 30) expected = 0x77777777;
        if (i == 31) expected = 0x5a777777;
        wrong += w[i] != expected;
    }
    report("memset", 1000, wrong);

    const size_t n = 3 << 20; // large enough to be pinned, not staged
    std::vector<int> big(n), back(n);
    for (size_t i = 0; i < n; i++) big[i] = (int)(i * 2654435761u);
    HIP(hipHostRegister(big.data(), n * sizeof(int), hipHostRegisterDefault));
    device_array<int> db(n);
    hipStream_t stream;
    HIP(hipStreamCreate(&stream));
    HIP(hipMemcpyAsync(db.data, big.data(), n * sizeof(int), hipMemcpyHostToDevice, stream));
    HIP(hipMemcpyAsync(back.data(), db.data, n * sizeof(int), hipMemcpyDeviceToHost, stream));
    HIP(hipStreamSynchronize(stream));
    wrong = memcmp(big.data(), back.data(), n * sizeof(int)) != 0;
    HIP(hipHostUnregister(big.data()));
    report("registered and pageable", 1, wrong);
    HIP(hipStreamDestroy(stream));
    return wrong_total;
}
