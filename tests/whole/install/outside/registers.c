/* registers.c - the least a program does with librocprofiler-register. */
#include <rocprofiler-register/rocprofiler-register.h>

int main(void)
{
    rocprofiler_register_library_indentifier_t id = {0};
    return rocprofiler_register_library_api_table("hip", 0, 60200, 0, 0, &id) !=
           ROCP_REG_BAD_API_TABLE_LENGTH;
}
