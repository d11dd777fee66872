// opencl.h - runs OpenCL C kernels compiled offline through HIP's modules and compares what they
// write with words computed on the host. A program is called with code objects, one for each
// optimisation level, and does all of its comparisons with each.
// What may be changed: whatever the programs beside it need; results stay words of 64 bits.
#pragma once
#include "../programs/twin.h"

#include <hip/hip_ext.h>

#include <functional>
#include <string>

struct module {
    hipModule_t handle;
    std::string name;
    size_t words = 0, wrong = 0;
    explicit module(const char *path)
    {
        name = path;
        name = name.substr(name.rfind('/') + 1);
        name = name.substr(0, name.rfind('.'));
        HIP(hipModuleLoad(&handle, path));
    }
    ~module() { (void)hipModuleUnload(handle); }

    // Launches `kernel` with these arguments on global[] items in groups of local[].
    void launch(const char *kernel, std::vector<char> arguments, const uint32_t (&global)[3],
                const uint32_t (&local)[3], size_t shared = 0)
    {
        hipFunction_t function;
        hipError_t error = hipModuleGetFunction(&function, handle, kernel);
        if (error != hipSuccess) {
            std::printf("%s: no kernel %s: %s\n", name.c_str(), kernel, hipGetErrorString(error));
            std::exit(2);
        }
        size_t size = arguments.size();
        void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments.data(),
                          HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
        HIP(hipExtModuleLaunchKernel(function, global[0], global[1], global[2], local[0], local[1],
                                     local[2], shared, nullptr, nullptr, config));
        HIP(hipDeviceSynchronize());
    }

    // One result word, number `word` of the item that was made of `operand`.
    void expect(const char *kernel, uint64_t operand, size_t word, uint64_t got, uint64_t want)
    {
        words++;
        if (got != want && wrong++ < 8)
            std::printf("%s: %s: word %zu for %llx is %llx, expected %llx\n", name.c_str(), kernel,
                        word, (unsigned long long)operand, (unsigned long long)got,
                        (unsigned long long)want);
    }
    // To be called after every kind of comparison: the line of the output.
    void report(const char *what)
    {
        std::printf("%s: %s: %zu words, %zu wrong\n", name.c_str(), what, words, wrong);
        if (wrong) wrong_total = 1;
        words = wrong = 0;
    }
};

// Memory of the GPU that holds words.
struct memory {
    uint64_t *data;
    size_t count;
    explicit memory(const std::vector<uint64_t> &host) : count(host.size())
    {
        HIP(hipMalloc(&data, count * 8));
        HIP(hipMemcpy(data, host.data(), count * 8, hipMemcpyHostToDevice));
    }
    explicit memory(size_t n) : memory(std::vector<uint64_t>(n, 0xa5a5a5a5a5a5a5a5ull)) {}
    memory(const memory &) = delete;
    ~memory() { (void)hipFree(data); }
    std::vector<uint64_t> host() const
    {
        std::vector<uint64_t> out(count);
        HIP(hipMemcpy(out.data(), data, count * 8, hipMemcpyDeviceToHost));
        return out;
    }
};

// Arguments as a kernel's argument block has them: each at its own alignment.
template <typename... T> std::vector<char> arguments(T... values)
{
    std::vector<char> out;
    (void)std::initializer_list<int>{(
        [&] {
            out.resize((out.size() + sizeof values - 1) / sizeof values * sizeof values);
            out.insert(out.end(), (const char *)&values, (const char *)(&values + 1));
        }(),
        0)...};
    return out;
}

enum { GROUP = 64 };

static inline std::vector<uint64_t> random_words(const char *name, size_t n)
{
    std::vector<uint64_t> words(n);
    uint64_t state = 0;
    for (const char *c = name; *c; c++)
        state = scramble(state + (unsigned char)*c);
    for (auto &w : words)
        w = state = scramble(state);
    return words;
}

// What most kernels do: words in, words out, one item after the other.
static inline std::vector<uint64_t> run_items(module &m, const char *kernel,
                                              const std::vector<uint64_t> &in, size_t items,
                                              size_t out_words)
{
    memory from(in), to(items * out_words);
    m.launch(kernel, arguments(from.data, to.data), {(uint32_t)items, 1, 1}, {GROUP, 1, 1});
    return to.host();
}

static inline int for_modules(int argc, char **argv, const std::function<void(module &)> &compare)
{
    for (int i = 1; i < argc; i++) {
        module m(argv[i]);
        compare(m);
    }
    return wrong_total;
}
