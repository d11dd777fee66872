/* driver.c - events of the kernel driver as records of every kind, from lines of text that stand
 * here: the descriptors of the driver's events are ours.
 *
 * Run on the software GPU, for its agents. `pieces`: lines come in parts, as the driver's do when
 * its buffer is read short. */
#include "fake.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int failures;

static int told[2]; /* a pipe in place of the driver's descriptor */
static uint32_t gpu;
static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static char seen[8192];
static uint64_t cpu_agent, gpu_agent;

#define SMI_EVENTS _IOWR('K', 0x1f, uint32_t[2])

/* In front of the C library's, and of the software GPU's. */
__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    int (*next)(int, unsigned long, ...);
    *(void **)&next = dlsym(RTLD_NEXT, "ioctl");
    if (request != SMI_EVENTS) return next(fd, request, argument);
    uint32_t *args = argument;
    gpu = args[0];
    if (pipe(told) != 0) return -1;
    args[1] = (uint32_t)told[0];
    return 0;
}

static uint64_t mask;

/* The mask is the first that is written, to the pipe's reading end. */
__attribute__((visibility("default"))) ssize_t write(int fd, const void *bytes, size_t count)
{
    ssize_t (*next)(int, const void *, size_t);
    *(void **)&next = dlsym(RTLD_NEXT, "write");
    if (fd != told[1] && count == sizeof mask && !mask && told[1]) {
        memcpy(&mask, bytes, sizeof mask);
        return (ssize_t)count;
    }
    return next(fd, bytes, count);
}

static char name_of(uint64_t agent)
{
    return agent == cpu_agent ? 'c' : agent == gpu_agent ? 'g' : agent ? '?' : '-';
}

#define SAY(...) snprintf(seen + strlen(seen), sizeof seen - strlen(seen), __VA_ARGS__)

#define MIGRATE(r)                                                                                 \
    SAY("pid %u %" PRIx64 "-%" PRIx64 " %c>%c %c:%c error %d\n", (r)->pid,                         \
        (r)->start_address.handle, (r)->end_address.handle, name_of((r)->src_agent.handle),        \
        name_of((r)->dst_agent.handle), name_of((r)->prefetch_agent.handle),                       \
        name_of((r)->preferred_agent.handle), (r)->error_code)

static void say(const rocprofiler_record_header_t *h)
{
    const rocprofiler_buffer_tracing_kfd_event_page_migrate_record_t *em = h->payload;
    const rocprofiler_buffer_tracing_kfd_event_page_fault_record_t *ef = h->payload;
    const rocprofiler_buffer_tracing_kfd_event_queue_record_t *eq = h->payload;
    const rocprofiler_buffer_tracing_kfd_event_unmap_from_gpu_record_t *eu = h->payload;
    const rocprofiler_buffer_tracing_kfd_event_dropped_events_record_t *ed = h->payload;
    const rocprofiler_buffer_tracing_kfd_page_migrate_record_t *pm = h->payload;
    const rocprofiler_buffer_tracing_kfd_page_fault_record_t *pf = h->payload;
    const rocprofiler_buffer_tracing_kfd_queue_record_t *pq = h->payload;
    const char *name = "";
    CHECK_EQ(em->kind, h->kind);
    OK(rocprofiler_query_buffer_tracing_kind_operation_name(
        (rocprofiler_buffer_tracing_kind_t)h->kind, (rocprofiler_tracing_operation_t)em->operation,
        &name, NULL));
    SAY("%s ", name + strlen("ROCPROFILER_KFD_"));
    switch (h->kind) {
    case ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_MIGRATE:
        CHECK_EQ(em->size, sizeof *em);
        SAY("@%" PRIu64 " ", em->timestamp);
        MIGRATE(em);
        break;
    case ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_FAULT:
        SAY("@%" PRIu64 " pid %u %c %" PRIx64 "\n", ef->timestamp, ef->pid,
            name_of(ef->agent_id.handle), ef->address.handle);
        break;
    case ROCPROFILER_BUFFER_TRACING_KFD_EVENT_QUEUE:
        SAY("@%" PRIu64 " pid %u %c\n", eq->timestamp, eq->pid, name_of(eq->agent_id.handle));
        break;
    case ROCPROFILER_BUFFER_TRACING_KFD_EVENT_UNMAP_FROM_GPU:
        SAY("@%" PRIu64 " pid %u %c %" PRIx64 "-%" PRIx64 "\n", eu->timestamp, eu->pid,
            name_of(eu->agent_id.handle), eu->start_address.handle, eu->end_address.handle);
        break;
    case ROCPROFILER_BUFFER_TRACING_KFD_EVENT_DROPPED_EVENTS:
        SAY("@%" PRIu64 " pid %u %u\n", ed->timestamp, ed->pid, ed->count);
        break;
    case ROCPROFILER_BUFFER_TRACING_KFD_PAGE_MIGRATE:
        CHECK_EQ(pm->size, sizeof *pm);
        SAY("@%" PRIu64 "-%" PRIu64 " ", pm->start_timestamp, pm->end_timestamp);
        MIGRATE(pm);
        break;
    case ROCPROFILER_BUFFER_TRACING_KFD_PAGE_FAULT:
        SAY("@%" PRIu64 "-%" PRIu64 " pid %u %c %" PRIx64 "\n", pf->start_timestamp,
            pf->end_timestamp, pf->pid, name_of(pf->agent_id.handle), pf->address.handle);
        break;
    case ROCPROFILER_BUFFER_TRACING_KFD_QUEUE:
        SAY("@%" PRIu64 "-%" PRIu64 " pid %u %c\n", pq->start_timestamp, pq->end_timestamp, pq->pid,
            name_of(pq->agent_id.handle));
        break;
    default: SAY("kind %u\n", h->kind);
    }
}

static void on_buffer(rocprofiler_context_id_t c, rocprofiler_buffer_id_t b,
                      rocprofiler_record_header_t **headers, size_t count, void *data,
                      uint64_t lost)
{
    (void)c, (void)b, (void)data;
    CHECK_EQ(lost, 0);
    for (size_t i = 0; i < count; i++)
        say(headers[i]);
}

static rocprofiler_status_t on_agents(rocprofiler_agent_version_t version, const void **agents,
                                      size_t count, void *data)
{
    (void)version, (void)data;
    for (size_t i = 0; i < count; i++) {
        const rocprofiler_agent_v0_t *a = agents[i];
        *(a->type == ROCPROFILER_AGENT_TYPE_GPU ? &gpu_agent : &cpu_agent) = a->id.handle;
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    OK(rocprofiler_query_available_agents(ROCPROFILER_AGENT_INFO_VERSION_0, on_agents,
                                          sizeof(rocprofiler_agent_v0_t), NULL));
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, 65536, 32768, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                 on_buffer, NULL, &buffer));
    for (int kind = ROCPROFILER_BUFFER_TRACING_KFD_EVENT_PAGE_MIGRATE;
         kind <= ROCPROFILER_BUFFER_TRACING_KFD_QUEUE; kind++)
        OK(rocprofiler_configure_buffer_tracing_service(
            context, (rocprofiler_buffer_tracing_kind_t)kind, NULL, 0, buffer));
    OK(rocprofiler_start_context(context));
    return 0;
}

static void finalize(void *data)
{
    (void)data;
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *runtime,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    static rocprofiler_tool_configure_result_t result = {
        .size = sizeof result, .initialize = initialize, .finalize = finalize};
    (void)version, (void)runtime, (void)priority;
    id->name = "driver";
    return &result;
}

/* G: the GPU's id. Lines that are no event, or a damaged one, are left out. */
static const char lines[] = "5 100 -7 @10(2) 0->G G:0 0\n"
                            "5 101 -8 @10(2) 0->G ffffffff:ffffffff 1\n"
                            "6 150 -7 @10(2) 0->G 0 0\n"
                            "6 160 -9 @10(2) 0->G 0\n"
                            "7 200 -7 @20(G) W\n"
                            "7 201 -7 @21(G) R\n"
                            "8 210 -7 @20(G) U\n"
                            "8 220 -7 @21(G) M\n"
                            "9 300 -7 G 1\n"
                            "a 310 -7 G R\n"
                            "a 320 -7 G 0\n"
                            "9 330 -7 G 0\n"
                            "a 340 -7 G \0\n" /* as some drivers end it */
                            "b 400 -7 @30(3) G 2\n"
                            "b 400 -7 @30(3) G 9\n"
                            "1 7:program\n"
                            "e 500 -7 12\n"
                            "5 nonsense\n";

static const char expected[] =
    "EVENT_PAGE_MIGRATE_PREFETCH @100 pid 7 10000-12000 c>g g:c error 0\n"
    "EVENT_PAGE_MIGRATE_PAGEFAULT_GPU @101 pid 8 10000-12000 c>g -:- error 0\n"
    "EVENT_PAGE_MIGRATE_END @150 pid 7 10000-12000 c>g g:c error 0\n"
    "PAGE_MIGRATE_PREFETCH @100-150 pid 7 10000-12000 c>g g:c error 0\n"
    "EVENT_PAGE_MIGRATE_END @160 pid 9 10000-12000 c>g c:c error 0\n"
    "EVENT_PAGE_FAULT_START_WRITE_FAULT @200 pid 7 g 20000\n"
    "EVENT_PAGE_FAULT_START_READ_FAULT @201 pid 7 g 21000\n"
    "EVENT_PAGE_FAULT_END_PAGE_UPDATED @210 pid 7 g 20000\n"
    "PAGE_FAULT_WRITE_FAULT_UPDATED @200-210 pid 7 g 20000\n"
    "EVENT_PAGE_FAULT_END_PAGE_MIGRATED @220 pid 7 g 21000\n"
    "PAGE_FAULT_READ_FAULT_MIGRATED @201-220 pid 7 g 21000\n"
    "EVENT_QUEUE_EVICT_USERPTR @300 pid 7 g\n"
    "EVENT_QUEUE_RESTORE_RESCHEDULED @310 pid 7 g\n"
    "EVENT_QUEUE_RESTORE @320 pid 7 g\n"
    "QUEUE_EVICT_USERPTR @300-320 pid 7 g\n"
    "EVENT_QUEUE_EVICT_SVM @330 pid 7 g\n"
    "EVENT_QUEUE_RESTORE @340 pid 7 g\n"
    "QUEUE_EVICT_SVM @330-340 pid 7 g\n"
    "EVENT_UNMAP_FROM_GPU_UNMAP_FROM_CPU @400 pid 7 g 30000-33000\n"
    "EVENT_DROPPED_EVENTS @500 pid 7 12\n";

int main(int argc, char **argv)
{
    bool pieces = argc > 1 && strcmp(argv[1], "pieces") == 0;
    OK(rocprofiler_force_configure(NULL));
    CHECK(gpu);
    CHECK_EQ(mask, UINT64_C(0x27f0)); /* bit n - 1: event n, 5 to 11 and 14 */
    for (size_t i = 0; i + 1 < sizeof lines; i++) {
        char text[16] = {lines[i]};
        size_t bytes = 1;
        if (lines[i] == 'G') bytes = (size_t)snprintf(text, sizeof text, "%" PRIx32, gpu);
        CHECK_EQ(write(told[1], text, bytes), bytes);
        if (pieces && i % 7 == 0) OK(rocprofiler_flush_buffer(buffer));
    }
    OK(rocprofiler_stop_context(context)); /* what was told before it counts */
    CHECK_EQ(write(told[1], "e 600 -7 1\n", 11), 11);
    OK(rocprofiler_flush_buffer(buffer));
    if (strcmp(seen, expected) != 0) fprintf(stderr, "%s", seen);
    CHECK(strcmp(seen, expected) == 0);
    return failures != 0;
}
