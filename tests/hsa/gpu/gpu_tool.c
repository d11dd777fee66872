/* gpu_tool.c - a tool that follows dispatches, copies and code objects in both ways, checks that
 * what it is told is consistent, and prints a summary that a test can compare. */
#include "../../tool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KERNELS 512
#define LINES   256

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    char name[64];
    bool loaded;
    uint32_t group_size;
} kernels[KERNELS];
static struct {
    char *text;
    int times;
} lines[LINES];
static int line_count;
static int wrong;
static long enters, exits, completes, dispatch_records, copy_enters, copy_exits, copy_records;
static long loads, unloads, kernel_loads, kernel_unloads, ms_per_complete;
static uint64_t started;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            if (wrong++ < 10)                                                                      \
                fprintf(stderr, "gpu_tool.c:%d: not so: %s\n", __LINE__, #condition);              \
        }                                                                                          \
    } while (0)

static uint64_t boot_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void add_line(const char *text)
{
    for (int i = 0; i < line_count; i++)
        if (strcmp(lines[i].text, text) == 0) {
            lines[i].times++;
            return;
        }
    EXPECT(line_count < LINES);
    if (line_count == LINES) return;
    lines[line_count].text = strdup(text);
    lines[line_count++].times = 1;
}

/* Ids of agents; GPU_TOOL_NO_AGENTS for a runtime whose agents the driver does not know. */
static bool known(rocprofiler_agent_id_t id)
{
    return id.handle != 0 || getenv("GPU_TOOL_NO_AGENTS");
}

static void check_times(uint64_t from, uint64_t to)
{
    EXPECT(from >= started && from < to && to <= boot_ns());
}

static const char *kernel_name(uint64_t id)
{
    return id < KERNELS && kernels[id].loaded ? kernels[id].name : "unknown";
}

static void describe(const char *how, const rocprofiler_kernel_dispatch_info_t *d)
{
    char text[256];
    const char *name = kernel_name(d->kernel_id);
    EXPECT(d->size == sizeof *d && known(d->agent_id) && d->queue_id.handle && d->dispatch_id);
    if (strncmp(name, "__amd", 5) == 0) return; /* the runtime's own */
    snprintf(text, sizeof text, "%s %s grid %u,%u,%u group %u,%u,%u lds %u", how, name,
             d->grid_size.x, d->grid_size.y, d->grid_size.z, d->workgroup_size.x,
             d->workgroup_size.y, d->workgroup_size.z, d->group_segment_size);
    add_line(text);
}

static void on_dispatch(const rocprofiler_callback_tracing_record_t *record,
                        rocprofiler_user_data_t *user)
{
    const rocprofiler_callback_tracing_kernel_dispatch_data_t *d = record->payload;
    uint64_t id = d->dispatch_info.dispatch_id;
    EXPECT(d->size == sizeof *d && record->correlation_id.internal);
    if (record->operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE) {
        if (ms_per_complete)
            nanosleep(&(struct timespec){.tv_nsec = ms_per_complete * 1000000}, NULL);
        completes++;
        EXPECT(user->value == id);
        check_times(d->start_timestamp, d->end_timestamp);
        describe("callback", &d->dispatch_info);
    } else if (record->phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        enters++;
        EXPECT(user->value == 0 && !d->start_timestamp);
        user->value = id;
    } else {
        exits++;
        EXPECT(user->value == id);
    }
}

static void on_copy(const rocprofiler_callback_tracing_record_t *record,
                    rocprofiler_user_data_t *user)
{
    const rocprofiler_callback_tracing_memory_copy_data_t *d = record->payload;
    EXPECT(d->size == sizeof *d && d->bytes && known(d->src_agent_id) && known(d->dst_agent_id));
    if (record->phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        copy_enters++;
        user->value = d->bytes;
    } else {
        copy_exits++;
        EXPECT(user->value == d->bytes);
        check_times(d->start_timestamp, d->end_timestamp);
    }
}

static void on_object(const rocprofiler_callback_tracing_record_t *record,
                      rocprofiler_user_data_t *user)
{
    bool load = record->phase == ROCPROFILER_CALLBACK_PHASE_LOAD;
    if (record->operation == ROCPROFILER_CODE_OBJECT_LOAD) {
        const rocprofiler_callback_tracing_code_object_load_data_t *d = record->payload;
        EXPECT(d->code_object_id && d->uri && d->load_base && d->load_size && known(d->agent_id));
        (*(load ? &loads : &unloads))++;
        if (load) user->value = d->code_object_id;
        EXPECT(user->value == d->code_object_id);
        return;
    }
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *d =
        record->payload;
    (*(load ? &kernel_loads : &kernel_unloads))++;
    EXPECT(d->kernel_id && d->kernel_object && d->code_object_id && d->kernarg_segment_alignment);
    EXPECT(d->sgpr_count && d->sgpr_count <= 128 && d->sgpr_count % 16 == 0);
    EXPECT(d->arch_vgpr_count && d->arch_vgpr_count + d->accum_vgpr_count <= 512);
    if (d->kernel_id >= KERNELS || !load) return;
    snprintf(kernels[d->kernel_id].name, sizeof kernels[0].name, "%s", d->kernel_name);
    kernels[d->kernel_id].loaded = true;
    if (strncmp(d->kernel_name, "_Z4tile", 7) == 0) EXPECT(d->group_segment_size == 1024);
}

static void on_callback(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                        void *data)
{
    (void)data;
    pthread_mutex_lock(&lock);
    if (record.kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH) on_dispatch(&record, user);
    if (record.kind == ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY) on_copy(&record, user);
    if (record.kind == ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT) on_object(&record, user);
    pthread_mutex_unlock(&lock);
}

static const char *const directions[] = {"none", "HtoH", "HtoD", "DtoH", "DtoD"};

static void on_records(rocprofiler_context_id_t ctx, rocprofiler_buffer_id_t id,
                       rocprofiler_record_header_t **headers, size_t count, void *data,
                       uint64_t dropped)
{
    (void)ctx;
    (void)id;
    (void)data;
    pthread_mutex_lock(&lock);
    EXPECT(dropped == 0);
    for (size_t i = 0; i < count; i++) {
        if (headers[i]->kind == ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH) {
            const rocprofiler_buffer_tracing_kernel_dispatch_record_t *r = headers[i]->payload;
            dispatch_records++;
            EXPECT(r->size == sizeof *r && r->correlation_id.internal && r->thread_id);
            EXPECT(r->operation == ROCPROFILER_KERNEL_DISPATCH_COMPLETE);
            check_times(r->start_timestamp, r->end_timestamp);
            describe("record", &r->dispatch_info);
        } else if (headers[i]->kind == ROCPROFILER_BUFFER_TRACING_MEMORY_COPY) {
            const rocprofiler_buffer_tracing_memory_copy_record_t *r = headers[i]->payload;
            char text[128];
            copy_records++;
            EXPECT(r->size == sizeof *r && r->correlation_id.internal && r->thread_id);
            EXPECT(r->src_address.value && r->dst_address.value);
            check_times(r->start_timestamp, r->end_timestamp);
            snprintf(text, sizeof text, "copy %s %llu", directions[r->operation],
                     (unsigned long long)r->bytes);
            add_line(text);
        }
    }
    pthread_mutex_unlock(&lock);
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize;
    (void)data;
    static const rocprofiler_callback_tracing_kind_t kinds[] = {
        ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH,
        ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY};
    started = boot_ns();
    const char *slow = getenv("GPU_TOOL_SLOW_MS");
    ms_per_complete = slow ? atol(slow) : 0;
    EXPECT(!rocprofiler_create_context(&context));
    for (int i = 0; i < 3; i++)
        EXPECT(!rocprofiler_configure_callback_tracing_service(context, kinds[i], NULL, 0,
                                                               on_callback, NULL));
    EXPECT(!rocprofiler_create_buffer(context, 65536, 32768, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                      on_records, NULL, &buffer));
    EXPECT(!rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, NULL, 0, buffer));
    EXPECT(!rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_MEMORY_COPY, NULL, 0, buffer));
    EXPECT(!rocprofiler_start_context(context));
    return 0;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b); /* text is the first member */
}

static void print_lines(void)
{
    qsort(lines, (size_t)line_count, sizeof *lines, compare);
    for (int i = 0; i < line_count; i++)
        printf("%d x %s\n", lines[i].times, lines[i].text);
}

static void finalize_tool(void *data)
{
    (void)data;
    rocprofiler_flush_buffer(buffer);
    pthread_mutex_lock(&lock);
    EXPECT(enters == exits);
    EXPECT(completes == enters && dispatch_records == completes);
    EXPECT(copy_enters == copy_exits && copy_records == copy_exits);
    EXPECT(loads == unloads && kernel_loads == kernel_unloads);
    if (getenv("GPU_TOOL_COUNTS"))
        printf("dispatches %ld copies %ld\n", dispatch_records, copy_records);
    else
        print_lines();
    printf("inconsistencies: %d\n", wrong);
    fflush(stdout);
    pthread_mutex_unlock(&lock);
}

TOOL("gpu_tool", initialize, finalize_tool)
