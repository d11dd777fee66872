/* Tables of rocDecode. */
#ifndef ROCPROFILER_SDK_ROCDECODE_TABLE_ID_H_
#define ROCPROFILER_SDK_ROCDECODE_TABLE_ID_H_

/** Dispatch tables of rocDecode; LAST is one past the last. */
typedef enum {
    ROCPROFILER_ROCDECODE_TABLE_ID_NONE = -1,
    ROCPROFILER_ROCDECODE_TABLE_ID_CORE = 0,
    ROCPROFILER_ROCDECODE_TABLE_ID_LAST
} rocprofiler_rocdecode_table_id_t;

#endif
