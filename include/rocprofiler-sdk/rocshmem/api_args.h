/* Arguments and results of traced ROCSHMEM functions.
 * Written by scripts/gen-sdk-headers.py from src/sdk/tables/: change the tables, not this file. */
#ifndef ROCPROFILER_SDK_ROCSHMEM_API_ARGS_H_
#define ROCPROFILER_SDK_ROCSHMEM_API_ARGS_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/rocshmem/details/rocshmem.h>

#include <stddef.h>
#include <stdint.h>

ROCPROFILER_EXTERN_C_INIT

/** Arguments of a function without parameters: C has no empty structures. */
typedef struct rocprofiler_rocshmem_api_no_args
{
    char empty;
} rocprofiler_rocshmem_api_no_args;

/** The value that a traced function returned, in the member of its type. */
typedef union rocprofiler_rocshmem_api_retval_t
{
    rocprofiler_rocshmem_api_no_args no_retval;
} rocprofiler_rocshmem_api_retval_t;

/** Arguments of a traced ROCSHMEM call; the member is named after the function.
 * Pointers are the caller's: what they point to may be read during the callback only. */
typedef union rocprofiler_rocshmem_api_args_t
{
    struct
    {
        rocshmem_team_t team;
        void *dest;
        const void *source;
        size_t size;
        hipStream_t stream;
    } alltoallmem_on_stream;
    struct
    {
        hipStream_t stream;
    } barrier_all_on_stream;
    struct
    {
        rocshmem_team_t team;
        void *dest;
        const void *source;
        size_t nelems;
        int pe_root;
        hipStream_t stream;
    } broadcastmem_on_stream;
    struct
    {
        void *dest;
        const void *source;
        size_t nelems;
        int pe;
        hipStream_t stream;
    } getmem_on_stream;
    struct
    {
        void *dest;
        const void *source;
        size_t nelems;
        int pe;
        hipStream_t stream;
    } putmem_on_stream;
    struct
    {
        void *dest;
        const void *source;
        size_t nelems;
        uint64_t *sig_addr;
        uint64_t signal;
        int sig_op;
        int pe;
        hipStream_t stream;
    } putmem_signal_on_stream;
    struct
    {
        hipStream_t stream;
    } quiet_on_stream;
    struct
    {
        uint64_t *sig_addr;
        int cmp;
        uint64_t cmp_value;
        hipStream_t stream;
    } signal_wait_until_on_stream;
    struct
    {
        hipStream_t stream;
    } sync_all_on_stream;
} rocprofiler_rocshmem_api_args_t;

ROCPROFILER_EXTERN_C_FINI

#endif
