/* Tables of rocSHMEM. */
#ifndef ROCPROFILER_SDK_ROCSHMEM_TABLE_ID_H_
#define ROCPROFILER_SDK_ROCSHMEM_TABLE_ID_H_

/** Dispatch tables of rocSHMEM; LAST is one past the last. */
typedef enum {
    ROCPROFILER_ROCSHMEM_TABLE_ID_NONE = -1,
    ROCPROFILER_ROCSHMEM_TABLE_ID_CORE = 0,
    ROCPROFILER_ROCSHMEM_TABLE_ID_LAST
} rocprofiler_rocshmem_table_id_t;

#endif
