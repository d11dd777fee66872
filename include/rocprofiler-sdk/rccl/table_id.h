/* Tables of RCCL. */
#ifndef ROCPROFILER_SDK_RCCL_TABLE_ID_H_
#define ROCPROFILER_SDK_RCCL_TABLE_ID_H_

/** Dispatch tables of RCCL; LAST is one past the last. */
typedef enum {
    ROCPROFILER_RCCL_TABLE_ID_NONE = -1,
    ROCPROFILER_RCCL_TABLE_ID = 0,
    ROCPROFILER_RCCL_TABLE_ID_LAST
} rocprofiler_rccl_table_id_t;

#endif
