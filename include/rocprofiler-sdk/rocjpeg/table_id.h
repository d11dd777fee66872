/* Tables of rocJPEG. */
#ifndef ROCPROFILER_SDK_ROCJPEG_TABLE_ID_H_
#define ROCPROFILER_SDK_ROCJPEG_TABLE_ID_H_

/** Dispatch tables of rocJPEG; LAST is one past the last. */
typedef enum {
    ROCPROFILER_ROCJPEG_TABLE_ID_NONE = -1,
    ROCPROFILER_ROCJPEG_TABLE_ID_CORE = 0,
    ROCPROFILER_ROCJPEG_TABLE_ID_LAST
} rocprofiler_rocjpeg_table_id_t;

#endif
