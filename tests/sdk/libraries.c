/* libraries.c - calls of libraries beside HIP and HSA: RCCL, rocDecode, rocJPEG, rocSHMEM, hipFile.
 *
 * A library of this name registers its table, as AMD's do; what a tool sees of known calls is
 * compared with what was passed and returned. */
#include "fake.h"

#include <rocprofiler-sdk/rccl.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

int failures;

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;

/* ---- The libraries ---- */

static ncclResult_t all_reduce(const void *send, void *receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, struct ncclComm *comm, hipStream_t stream)
{
    (void)send, (void)receive, (void)type, (void)op, (void)comm, (void)stream;
    return count == 77 ? ncclInvalidUsage : ncclSuccess;
}

/* The id goes by value, all of its 128 bytes. */
static ncclResult_t init_rank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
    (void)comm;
    return id.internal[127] == 'z' && ranks == 4 && rank == 3 ? ncclSuccess : ncclInternalError;
}

static rocDecStatus parse_video(RocdecVideoParser parser, RocdecSourceDataPacket *packet)
{
    (void)parser, (void)packet;
    return ROCDEC_DEVICE_INVALID;
}

static const char *jpeg_error(RocJpegStatus status)
{
    (void)status;
    return "fake jpeg";
}

static uint64_t signalled;

static void put_signal(void *to, const void *from, size_t count, uint64_t *at, uint64_t value,
                       int how, int pe, hipStream_t stream)
{
    (void)to, (void)from, (void)count, (void)how, (void)pe, (void)stream;
    *at = value;
}

static ssize_t write_file(hipFileHandle_t file, const void *from, size_t bytes, hoff_t at,
                          hoff_t offset)
{
    return file && from ? (ssize_t)(bytes - (size_t)at - (size_t)offset) : -1;
}

/* A result of two words. */
static hipFileError_t open_driver(void)
{
    return (hipFileError_t){hipFileDriverNotInitialized, hipErrorNoDevice};
}

static struct {
    size_t size;
    void *entries[40];
} rccl = {.size = 304}, decode = {.size = 136}, jpeg = {.size = 80}, shmem = {.size = 80},
  file = {.size = 256};

static int start(void)
{
    FAKE_ENTRY(&rccl, ncclAllReduce) = (void *)all_reduce;
    FAKE_ENTRY(&rccl, ncclCommInitRank) = (void *)init_rank;
    FAKE_ENTRY(&decode, rocDecParseVideoData) = (void *)parse_video;
    FAKE_ENTRY(&jpeg, rocJpegGetErrorName) = (void *)jpeg_error;
    FAKE_ENTRY(&shmem, putmem_signal_on_stream) = (void *)put_signal;
    FAKE_ENTRY(&file, hipFileWrite) = (void *)write_file;
    FAKE_ENTRY(&file, hipFileDriverOpen) = (void *)open_driver;
    void *tables[] = {&rccl, &decode, &jpeg, &shmem, &file};
    return rocprofiler_set_api_table("rccl", 22000, 0, tables, 1) |
           rocprofiler_set_api_table("rocdecode", 100, 0, tables + 1, 1) |
           rocprofiler_set_api_table("rocjpeg", 100, 0, tables + 2, 1) |
           rocprofiler_set_api_table("rocshmem", 100, 0, tables + 3, 1) |
           rocprofiler_set_api_table("hipfile", 300, 0, tables + 4, 1);
}

static void call(void)
{
    __typeof__(&all_reduce) reduce;
    __typeof__(&init_rank) init;
    __typeof__(&parse_video) parse;
    __typeof__(&jpeg_error) error;
    __typeof__(&put_signal) put;
    __typeof__(&write_file) to_file;
    __typeof__(&open_driver) open;
    ncclUniqueId id = {{0}};
    id.internal[127] = 'z';
    memcpy(&reduce, &FAKE_ENTRY(&rccl, ncclAllReduce), sizeof reduce);
    memcpy(&init, &FAKE_ENTRY(&rccl, ncclCommInitRank), sizeof init);
    memcpy(&parse, &FAKE_ENTRY(&decode, rocDecParseVideoData), sizeof parse);
    memcpy(&error, &FAKE_ENTRY(&jpeg, rocJpegGetErrorName), sizeof error);
    CHECK_EQ(reduce((void *)16, (void *)32, 77, ncclFloat32, ncclMax, NULL, NULL),
             ncclInvalidUsage);
    CHECK_EQ(init(NULL, 4, id, 3), ncclSuccess);
    CHECK_EQ(parse((void *)48, (void *)64), ROCDEC_DEVICE_INVALID);
    CHECK_EQ(strcmp(error(ROCJPEG_STATUS_SUCCESS), "fake jpeg"), 0);
    memcpy(&put, &FAKE_ENTRY(&shmem, putmem_signal_on_stream), sizeof put);
    memcpy(&to_file, &FAKE_ENTRY(&file, hipFileWrite), sizeof to_file);
    memcpy(&open, &FAKE_ENTRY(&file, hipFileDriverOpen), sizeof open);
    put((void *)16, (void *)32, 5, &signalled, 99, 2, 1, NULL);
    CHECK_EQ(signalled, 99);
    CHECK_EQ(to_file((void *)16, (void *)32, 1000, 100, 10), 890);
    const hipFileError_t result = open();
    CHECK_EQ(result.err, hipFileDriverNotInitialized);
    CHECK_EQ(result.hip_drv_err, hipErrorNoDevice);
}

/* ---- The tool ---- */

static int callbacks;
static char arguments[1024];

static int gather(rocprofiler_callback_tracing_kind_t kind,
                  rocprofiler_tracing_operation_t operation, uint32_t number, const void *at,
                  int32_t indirections, const char *type, const char *name, const char *value,
                  int32_t followed, void *data)
{
    (void)kind, (void)operation, (void)number, (void)at, (void)indirections, (void)type;
    (void)followed, (void)data;
    size_t used = strlen(arguments);
    snprintf(arguments + used, sizeof arguments - used, "%s=%s ", name, value);
    return 0;
}

static void check_reduce(const rocprofiler_callback_tracing_rccl_api_data_t *payload)
{
    CHECK_EQ(payload->size, 168);
    CHECK_EQ(payload->args.ncclAllReduce.count, 77);
    CHECK_EQ(payload->args.ncclAllReduce.op, ncclMax);
    CHECK_EQ(payload->retval.ncclResult_t_retval, ncclInvalidUsage);
}

static void check_init(const rocprofiler_callback_tracing_rccl_api_data_t *payload)
{
    CHECK_EQ(payload->args.ncclCommInitRank.commId.internal[127], 'z');
    CHECK_EQ(payload->args.ncclCommInitRank.myrank, 3);
}

static void on_callback(rocprofiler_callback_tracing_record_t r, rocprofiler_user_data_t *user,
                        void *data)
{
    (void)user, (void)data;
    callbacks++;
    if (r.phase != ROCPROFILER_CALLBACK_PHASE_EXIT) return;
    if (r.kind == ROCPROFILER_CALLBACK_TRACING_RCCL_API) {
        OK(rocprofiler_iterate_callback_tracing_kind_operation_args(r, gather, 0, NULL));
        if (r.operation == ROCPROFILER_RCCL_API_ID_ncclAllReduce)
            check_reduce(r.payload);
        else
            check_init(r.payload);
    } else if (r.kind == ROCPROFILER_CALLBACK_TRACING_ROCDECODE_API) {
        const rocprofiler_callback_tracing_rocdecode_api_data_t *payload = r.payload;
        CHECK_EQ(payload->size, 56);
        CHECK_EQ(payload->retval.rocDecStatus_retval, ROCDEC_DEVICE_INVALID);
    } else if (r.kind == ROCPROFILER_CALLBACK_TRACING_ROCSHMEM_API) {
        const rocprofiler_callback_tracing_rocshmem_api_data_t *payload = r.payload;
        CHECK_EQ(payload->size, 72);
        CHECK_EQ(payload->args.putmem_signal_on_stream.signal, 99);
    } else if (r.kind == ROCPROFILER_CALLBACK_TRACING_HIPFILE_API) {
        const rocprofiler_callback_tracing_hipfile_api_data_t *payload = r.payload;
        CHECK_EQ(payload->size, 72);
        if (r.operation == ROCPROFILER_HIPFILE_API_ID_hipFileWrite)
            CHECK_EQ(payload->retval.ssize_t_retval, 890);
        else
            CHECK_EQ(payload->retval.hipFileError_t_retval.hip_drv_err, hipErrorNoDevice);
    } else {
        const rocprofiler_callback_tracing_rocjpeg_api_data_t *payload = r.payload;
        CHECK_EQ(payload->size, 64);
        CHECK_EQ(strcmp(payload->retval.const_charp_retval, "fake jpeg"), 0);
    }
}

static int records[ROCPROFILER_BUFFER_TRACING_LAST];

static void check_ext(const rocprofiler_buffer_tracing_rocdecode_api_ext_record_t *r)
{
    CHECK_EQ(r->size, 112);
    CHECK_EQ((uintptr_t)r->args.rocDecParseVideoData.parser_handle, 48);
    CHECK_EQ((uintptr_t)r->args.rocDecParseVideoData.packet, 64);
    CHECK_EQ(r->retval.rocDecStatus_retval, ROCDEC_DEVICE_INVALID);
}

static void check_shmem(const rocprofiler_buffer_tracing_rocshmem_api_ext_record_t *r)
{
    CHECK_EQ(r->size, 128);
    CHECK_EQ(r->args.putmem_signal_on_stream.nelems, 5);
    CHECK_EQ(r->args.putmem_signal_on_stream.pe, 1);
}

static void check_file(const rocprofiler_buffer_tracing_hipfile_api_ext_record_t *r)
{
    CHECK_EQ(r->size, 128);
    if (r->operation != ROCPROFILER_HIPFILE_API_ID_hipFileWrite) return;
    CHECK_EQ(r->args.hipFileWrite.size, 1000);
    CHECK_EQ(r->args.hipFileWrite.buffer_offset, 10);
    CHECK_EQ(r->retval.ssize_t_retval, 890);
}

static void on_buffer(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                      rocprofiler_record_header_t **headers, size_t count, void *data,
                      uint64_t dropped)
{
    (void)from, (void)id, (void)data;
    CHECK_EQ(dropped, 0);
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_buffer_tracing_rccl_api_record_t *r = headers[i]->payload;
        records[r->kind]++;
        CHECK(r->start_timestamp && r->start_timestamp <= r->end_timestamp);
        if (r->kind == ROCPROFILER_BUFFER_TRACING_ROCDECODE_API_EXT)
            check_ext(headers[i]->payload);
        else if (r->kind == ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API_EXT)
            check_shmem(headers[i]->payload);
        else if (r->kind == ROCPROFILER_BUFFER_TRACING_HIPFILE_API_EXT)
            check_file(headers[i]->payload);
        else
            CHECK_EQ(r->size, sizeof *r);
    }
}

static void follow(rocprofiler_callback_tracing_kind_t callback,
                   rocprofiler_buffer_tracing_kind_t buffered)
{
    OK(rocprofiler_configure_callback_tracing_service(context, callback, NULL, 0, on_callback,
                                                      NULL));
    OK(rocprofiler_configure_buffer_tracing_service(context, buffered, NULL, 0, buffer));
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, 4096, 2048, ROCPROFILER_BUFFER_POLICY_LOSSLESS, on_buffer,
                                 NULL, &buffer));
    follow(ROCPROFILER_CALLBACK_TRACING_RCCL_API, ROCPROFILER_BUFFER_TRACING_RCCL_API);
    follow(ROCPROFILER_CALLBACK_TRACING_ROCDECODE_API, ROCPROFILER_BUFFER_TRACING_ROCDECODE_API);
    follow(ROCPROFILER_CALLBACK_TRACING_ROCJPEG_API, ROCPROFILER_BUFFER_TRACING_ROCJPEG_API);
    follow(ROCPROFILER_CALLBACK_TRACING_ROCSHMEM_API, ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API);
    follow(ROCPROFILER_CALLBACK_TRACING_HIPFILE_API, ROCPROFILER_BUFFER_TRACING_HIPFILE_API);
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_ROCDECODE_API_EXT, NULL, 0, buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API_EXT, NULL, 0, buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIPFILE_API_EXT, NULL, 0, buffer));
    OK(rocprofiler_start_context(context));
    return 0;
}

ROCPROFILER_EXPORT rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t version, const char *text, uint32_t priority,
                      rocprofiler_client_id_t *id)
{
    static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, NULL, NULL};
    (void)version, (void)text, (void)priority;
    id->name = "libraries";
    return &result;
}

int main(void)
{
    CHECK_EQ(start(), 0);
    call();
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(callbacks, 14);
    CHECK_EQ(records[ROCPROFILER_BUFFER_TRACING_RCCL_API], 2);
    CHECK_EQ(records[ROCPROFILER_BUFFER_TRACING_ROCDECODE_API], 1);
    CHECK_EQ(records[ROCPROFILER_BUFFER_TRACING_ROCDECODE_API_EXT], 1);
    CHECK_EQ(records[ROCPROFILER_BUFFER_TRACING_ROCJPEG_API], 1);
    CHECK_EQ(records[ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API], 1);
    CHECK_EQ(records[ROCPROFILER_BUFFER_TRACING_ROCSHMEM_API_EXT], 1);
    CHECK_EQ(records[ROCPROFILER_BUFFER_TRACING_HIPFILE_API], 2);
    CHECK_EQ(records[ROCPROFILER_BUFFER_TRACING_HIPFILE_API_EXT], 2);
    static const char expected[] = "sendbuff=0x10 recvbuff=0x20 count=77 datatype=7 op=2 "
                                   "comm=(null) stream=0x0 newcomm=(null) nranks=4 ";
    if (strncmp(arguments, expected, strlen(expected)) != 0 || !strstr(arguments, " myrank=3 ")) {
        fprintf(stderr, "arguments: %s\n", arguments);
        failures++;
    }
    return failures ? 1 : 0;
}
