/* fake_register.c - registers the fake runtime with the SDK directly; apart because programs that
 * register through librocprofiler-register must not be linked with the SDK. */
#include "fake.h"

int fake_register(void)
{
    fake_fill();
    void *runtime[1] = {&fake_hip}, *compiler[1] = {&fake_hip_compiler};
    return rocprofiler_set_api_table("hip", 60200, 0, runtime, 1) |
           rocprofiler_set_api_table("hip_compiler", 60200, 0, compiler, 1);
}
