/* program.c - a program whose runtime registers as real ones do, through librocprofiler-register.
 *
 * usage: program [calls] [ms] ... makes so many hipMalloc and hipGetLastError calls, waits so long,
 * makes as many again, and says on stdout what came of it. Knows nothing of profilers. */
#include "fake.h"

#include <rocprofiler-register/rocprofiler-register.h>

#include <time.h>

uint32_t rocprofiler_register_import_hip(void);

uint32_t rocprofiler_register_import_hip(void)
{
    return 60200;
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 10;
    int ms = argc > 2 ? atoi(argv[2]) : 0;
    fake_fill();
    void *tables[1] = {&fake_hip};
    rocprofiler_register_library_indentifier_t id = {0};
    rocprofiler_register_error_code_t answer = rocprofiler_register_library_api_table(
        "hip", rocprofiler_register_import_hip, 60200, tables, 1, &id);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < calls; i++) {
            void *pointer;
            fake_hipMalloc(&pointer, 100);
            fake_hipGetLastError();
        }
        struct timespec wait = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
        if (!round) nanosleep(&wait, NULL);
    }
    printf("registered: %d\n", answer);
    return 0;
}
