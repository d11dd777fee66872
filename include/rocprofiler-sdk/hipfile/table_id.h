/* Tables of hipFile. */
#ifndef ROCPROFILER_SDK_HIPFILE_TABLE_ID_H_
#define ROCPROFILER_SDK_HIPFILE_TABLE_ID_H_

/** Dispatch tables of hipFile; LAST is one past the last. */
typedef enum {
    ROCPROFILER_HIPFILE_TABLE_ID_NONE = -1,
    ROCPROFILER_HIPFILE_TABLE_ID_CORE = 0,
    ROCPROFILER_HIPFILE_TABLE_ID_LAST
} rocprofiler_hipfile_table_id_t;

#endif
