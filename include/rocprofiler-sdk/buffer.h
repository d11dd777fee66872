/* Buffers: memory in which the library collects records, which it then delivers to the tool in
 * batches. */
#ifndef ROCPROFILER_SDK_BUFFER_H_
#define ROCPROFILER_SDK_BUFFER_H_

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/** Called by the library to deliver records. The headers and what they point to belong to the
 * library and are valid until the callback returns. Records of one thread arrive in the order in
 * which they were completed; records of different threads are in no particular order. One buffer is
 * delivered by one thread at a time: its callback thread, a thread that flushes it, or, with policy
 * LOSSLESS, a thread that has found it full. The callback may call functions of the runtimes; they
 * are traced like others. With a watermark of 0 each thread delivers its own records, several
 * threads at the same time.
 * @param context the context that the buffer was made for
 * @param buffer_id the buffer
 * @param headers type and address of each record
 * @param num_headers their number; 0 if the callback only reports lost records
 * @param data as given to rocprofiler_create_buffer
 * @param drop_count records of this buffer lost since the last callback: the sum over all callbacks
 * is the total */
typedef void (*rocprofiler_buffer_tracing_cb_t)(rocprofiler_context_id_t context,
                                                rocprofiler_buffer_id_t buffer_id,
                                                rocprofiler_record_header_t **headers,
                                                size_t num_headers, void *data,
                                                uint64_t drop_count);

/** Makes a buffer. Its memory is size bytes, rounded up to pages, and one page for each thread that
 * writes to it; no page of it is touched before it is used.
 * @param size bytes
 * @param watermark bytes in use at which delivery begins; at most size. With 0 the callback is
 * called for every record, by the thread that completed the record, before that thread continues,
 * so that nothing is left in the buffer if the process dies. Several threads may then be in the
 * callback at once, and its run time delays the program
 * @param policy what happens when the buffer is full; NONE means DISCARD
 * @param callback gets the records
 * @param callback_data passed to callback
 * @param buffer_id the handle is written here
 * @retval ROCPROFILER_STATUS_SUCCESS made
 * @retval ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT a null pointer, size 0, watermark above size,
 * or no such policy
 * @retval ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND no such context
 * @retval ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED not inside an initialize function
 * @retval ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES the process has 64 buffers already, or memory
 * is used up */
rocprofiler_status_t rocprofiler_create_buffer(rocprofiler_context_id_t context, size_t size,
                                               size_t watermark, rocprofiler_buffer_policy_t policy,
                                               rocprofiler_buffer_tracing_cb_t callback,
                                               void *callback_data,
                                               rocprofiler_buffer_id_t *buffer_id) ROCPROFILER_API;

/** Delivers the records of a buffer and closes it: later records are lost, so stop its contexts
 * first. Its memory is kept for late writers until the process ends. Any thread.
 * @retval ROCPROFILER_STATUS_SUCCESS closed
 * @retval ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND no such buffer
 * @retval ROCPROFILER_STATUS_ERROR_BUFFER_BUSY called from a buffer callback while the buffer is
 * being delivered; nothing is changed */
rocprofiler_status_t rocprofiler_destroy_buffer(rocprofiler_buffer_id_t buffer_id) ROCPROFILER_API;

/** Delivers all records that are complete when it is called, before it returns. That includes the
 * records of kernels and copies that the GPU has completed, unless the call comes from a buffer
 * callback, or tool code delays the SDK's report of them by more than 200 ms. Any thread.
 * @retval ROCPROFILER_STATUS_SUCCESS delivered
 * @retval ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND no such buffer
 * @retval ROCPROFILER_STATUS_ERROR_BUFFER_BUSY called from a buffer callback while the buffer is
 * being delivered: the delivering thread will deliver the new records, too
 * @retval ROCPROFILER_STATUS_ERROR_FINALIZED the library is finalised: nothing is left */
rocprofiler_status_t rocprofiler_flush_buffer(rocprofiler_buffer_id_t buffer_id) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
