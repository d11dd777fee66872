/* by_name.c - programs that open HIP by themselves and look its functions up, with one error each,
 * and the same programs without the error: PROGRAM NAME [right]. Comments mark lines as in
 * corpus.h. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { N = 1000, GROUP = 256, TO_HOST = 2, NON_BLOCKING = 1 };

static struct {
    int (*hipMalloc)(void **at, size_t bytes);
    int (*hipFree)(void *at);
    int (*hipMemset)(void *at, int value, size_t bytes);
    int (*hipMemcpy)(void *to, const void *from, size_t bytes, int kind);
    int (*hipDeviceSynchronize)(void);
    int (*hipModuleLoad)(void **module, const char *file);
    int (*hipModuleGetFunction)(void **function, void *module, const char *name);
    int (*hipModuleLaunchKernel)(void *function, unsigned x, unsigned y, unsigned z,
                                 unsigned group_x, unsigned group_y, unsigned group_z, unsigned lds,
                                 void *stream, void **arguments, void **extra);
    int (*hipStreamCreateWithFlags)(void **stream, unsigned flags);
    int (*hipStreamWaitEvent)(void *stream, void *event, unsigned flags);
    int (*hipEventCreate)(void **event);
    int (*hipEventRecord)(void *event, void *stream);
} api;

static const struct {
    const char *name;
    void *to;
} functions[] = {
#define FUNCTION(name)                                                                             \
    {                                                                                              \
#name, &api.name                                                                           \
    }
    FUNCTION(hipMalloc),
    FUNCTION(hipFree),
    FUNCTION(hipMemset),
    FUNCTION(hipMemcpy),
    FUNCTION(hipDeviceSynchronize),
    FUNCTION(hipModuleLoad),
    FUNCTION(hipModuleGetFunction),
    FUNCTION(hipModuleLaunchKernel),
    FUNCTION(hipStreamCreateWithFlags),
    FUNCTION(hipStreamWaitEvent),
    FUNCTION(hipEventCreate),
    FUNCTION(hipEventRecord),
};

static bool right;
static void *kernel;

static bool find_functions(void)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
    void *hip = NULL;
    for (size_t i = 0; !hip && i < sizeof names / sizeof *names; i++)
        hip = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; hip && i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(hip, functions[i].name);
        if (!function) return false;
        memcpy(functions[i].to, &function, sizeof function);
    }
    return hip;
}

static void fill(int *to, int n, int value, void *stream)
{
    void *arguments[] = {&to, &n, &value};
    api.hipModuleLaunchKernel(kernel, (unsigned)(n + GROUP - 1) / GROUP, 1, 1, GROUP, 1, 1, 0,
                              stream, arguments, NULL);
}

static void write_behind(int *to)
{
    fill(to, right ? N : N + 10, 1, NULL);
    api.hipDeviceSynchronize();
}

static void copy(int *to)
{
    static int host[2 * N];
    api.hipMemcpy(host, to, (right ? N : N + 10) * sizeof *to, TO_HOST); // bug: copy
}

static void freed(int *to)
{
    void *other;
    if (!right) api.hipFree(to);
    fill(to, N, 1, NULL);
    api.hipDeviceSynchronize();
    if (right) api.hipFree(to);
    api.hipMalloc(&other, sizeof other);
    api.hipFree(other);
    if (!right) api.hipFree(other); // bug: freed
}

static void streams(int *to)
{
    void *one, *two, *event;
    api.hipStreamCreateWithFlags(&one, NON_BLOCKING);
    api.hipStreamCreateWithFlags(&two, NON_BLOCKING);
    api.hipEventCreate(&event);
    api.hipDeviceSynchronize();
    fill(to, N, 1, one);
    if (right) {
        api.hipEventRecord(event, one);
        api.hipStreamWaitEvent(two, event, 0);
    }
    fill(to, N, 2, two);
    api.hipDeviceSynchronize();
}

static const struct {
    const char *name;
    void (*run)(int *to);
} rows[] = {{"write", write_behind}, {"copy", copy}, {"freed", freed}, {"streams", streams}};

int main(int argc, char **argv)
{
    void *module, *to;
    right = argc > 2 && !strcmp(argv[2], "right");
    if (!find_functions() || api.hipModuleLoad(&module, MODULE) ||
        api.hipModuleGetFunction(&kernel, module, "fill"))
        return 2;
    if (api.hipMalloc(&to, N * sizeof(int))) return 2; // made: to
    api.hipMemset(to, 0, N * sizeof(int));
    api.hipDeviceSynchronize();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (argc > 1 && !strcmp(rows[i].name, argv[1])) {
            rows[i].run(to);
            puts("done");
            return 0;
        }
    fprintf(stderr, "%s: no such name\n", argc > 1 ? argv[1] : "no name");
    return 2;
}
