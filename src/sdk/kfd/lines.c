/* lines.c - converts the driver's lines of text to records.
 *
 * Each event is a record of its own kind. Migrations, page faults and evictions of queues are in
 * addition one record from start to end. The format of lines is in linux/kfd_ioctl.h, in the
 * comments at enum kfd_smi_event. Addresses in them are numbers of pages. */
#include "sdk/kfd/kfd.h"

#include "base/log.h"
#include "sdk/agent/agent.h"
#include "sdk/core/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

enum { PAGE = 4096, PENDING_MAX = 65536 };

/* Numbers of the driver's events. Older drivers lack the higher ones. */
enum {
    MIGRATE_START = 5,
    MIGRATE_END = 6,
    FAULT_START = 7,
    FAULT_END = 8,
    QUEUE_EVICTION = 9,
    QUEUE_RESTORE = 10,
    UNMAP_FROM_GPU = 11,
    DROPPED = 14
};

#define BIT(event) (UINT64_C(1) << ((event)-1))

/* The contents of a line; each event sets some of the fields. GPU ids are the driver's; 0 is the
 * host. */
typedef struct {
    uint64_t ns, begin, end;
    uint32_t pid, gpu, to, prefetched, preferred;
    int32_t operation, error;
} event_t;

/* An event that has begun and not ended. */
typedef struct {
    unsigned number;
    event_t event;
} pending_t;

static struct {
    pending_t *rows;
    size_t count, room;
} pending;

static bool wants(sdk_domain_t single, sdk_domain_t paired)
{
    return sdk_domain_asked_for(single) || sdk_domain_asked_for(paired);
}

uint64_t sdk_kfd_wanted(void)
{
    uint64_t mask = 0;
    if (wants(SDK_DOMAIN_KFD_EVENT_PAGE_MIGRATE, SDK_DOMAIN_KFD_PAGE_MIGRATE))
        mask |= BIT(MIGRATE_START) | BIT(MIGRATE_END);
    if (wants(SDK_DOMAIN_KFD_EVENT_PAGE_FAULT, SDK_DOMAIN_KFD_PAGE_FAULT))
        mask |= BIT(FAULT_START) | BIT(FAULT_END);
    if (wants(SDK_DOMAIN_KFD_EVENT_QUEUE, SDK_DOMAIN_KFD_QUEUE))
        mask |= BIT(QUEUE_EVICTION) | BIT(QUEUE_RESTORE);
    if (sdk_domain_asked_for(SDK_DOMAIN_KFD_EVENT_UNMAP_FROM_GPU)) mask |= BIT(UNMAP_FROM_GPU);
    /* the driver can lose events only if it was asked for others */
    if (mask && sdk_domain_asked_for(SDK_DOMAIN_KFD_EVENT_DROPPED_EVENTS)) mask |= BIT(DROPPED);
    return mask;
}

/* Returns the agent of a driver's id: 0 is the first CPU; handle 0 if there is none. */
static rocprofiler_agent_id_t agent_of(uint32_t gpu)
{
    size_t count;
    const rocprofiler_agent_v0_t *const *agents = sdk_agents(&count);
    for (size_t i = 0; i < count; i++)
        if (gpu ? agents[i]->gpu_id == gpu : agents[i]->type == ROCPROFILER_AGENT_TYPE_CPU)
            return agents[i]->id;
    return (rocprofiler_agent_id_t){.handle = 0};
}

static void emit(sdk_domain_t domain, int32_t operation, void *record, size_t size)
{
    sdk_operation_t it = {.plan = sdk_plan(domain, operation)};
    rocprofiler_user_data_t none;
    if (it.plan) sdk_operation_record(&it, record, size, &none);
}

/* ---- starts and ends ---- */

static void note_begin(unsigned number, const event_t *e, sdk_domain_t paired)
{
    if (!sdk_domain_asked_for(paired)) return;
    if (pending.count >= PENDING_MAX || !BASE_GROW(pending.rows, pending.count, &pending.room)) {
        const sdk_plan_t *plan = sdk_plan(paired, e->operation);
        if (plan) sdk_operation_lost(plan);
        return;
    }
    pending.rows[pending.count++] = (pending_t){number, *e};
}

/* Takes the latest matching start out of the list; returns false if there is none. */
static bool take_begin(unsigned number, const event_t *end, event_t *start)
{
    for (size_t i = pending.count; i-- > 0;) {
        const pending_t *p = &pending.rows[i];
        if (p->number != number || p->event.pid != end->pid || p->event.gpu != end->gpu ||
            p->event.to != end->to || p->event.begin != end->begin || p->event.end != end->end)
            continue;
        *start = p->event;
        pending.rows[i] = pending.rows[--pending.count];
        return true;
    }
    return false;
}

static uint64_t later(const event_t *a, const event_t *b)
{
    return a->ns > b->ns ? a->ns : b->ns;
}

void sdk_kfd_lines_forget(void)
{
    free(pending.rows);
    memset(&pending, 0, sizeof pending);
}

/* ---- migrations ---- */

#define MIGRATED(e, op)                                                                            \
    .operation = (op), .pid = (e)->pid, .start_address.handle = (e)->begin,                        \
    .end_address.handle = (e)->end, .src_agent = agent_of((e)->gpu),                               \
    .dst_agent = agent_of((e)->to), .prefetch_agent = agent_of((e)->prefetched),                   \
    .preferred_agent = agent_of((e)->preferred), .error_code = (e)->error

static void migrate_record(const event_t *e)
{
    rocprofiler_buffer_tracing_kfd_event_page_migrate_record_t r = {
        .size = sizeof r,
        .timestamp = e->ns,
        MIGRATED(e, (rocprofiler_kfd_event_page_migrate_operation_t)e->operation)};
    emit(SDK_DOMAIN_KFD_EVENT_PAGE_MIGRATE, e->operation, &r, sizeof r);
}

static void read_pages(event_t *e, uint64_t start, uint64_t pages)
{
    e->begin = start * PAGE;
    e->end = (start + pages) * PAGE;
}

static bool migrate_start(const char *text, event_t *e)
{
    uint64_t start, pages;
    if (sscanf(text,
               "%" SCNu64 " -%" SCNu32 " @%" SCNx64 "(%" SCNx64 ") %" SCNx32 "->%" SCNx32
               " %" SCNx32 ":%" SCNx32 " %" SCNd32,
               &e->ns, &e->pid, &start, &pages, &e->gpu, &e->to, &e->prefetched, &e->preferred,
               &e->operation) != 9 ||
        e->operation < 0 || e->operation >= ROCPROFILER_KFD_PAGE_MIGRATE_LAST)
        return false;
    read_pages(e, start, pages);
    migrate_record(e);
    note_begin(MIGRATE_START, e, SDK_DOMAIN_KFD_PAGE_MIGRATE);
    return true;
}

/* Lines of older drivers lack the error. */
static bool migrate_end(const char *text, event_t *e)
{
    uint64_t start, pages;
    int32_t trigger;
    event_t begun;
    if (sscanf(text,
               "%" SCNu64 " -%" SCNu32 " @%" SCNx64 "(%" SCNx64 ") %" SCNx32 "->%" SCNx32
               " %" SCNd32 " %" SCNd32,
               &e->ns, &e->pid, &start, &pages, &e->gpu, &e->to, &trigger, &e->error) < 7)
        return false;
    read_pages(e, start, pages);
    e->operation = ROCPROFILER_KFD_EVENT_PAGE_MIGRATE_END;
    bool known = take_begin(MIGRATE_START, e, &begun);
    if (known) {
        e->prefetched = begun.prefetched;
        e->preferred = begun.preferred;
    }
    migrate_record(e);
    if (!known) return true;
    rocprofiler_buffer_tracing_kfd_page_migrate_record_t r = {
        .size = sizeof r,
        .start_timestamp = begun.ns,
        .end_timestamp = later(e, &begun),
        MIGRATED(e, (rocprofiler_kfd_page_migrate_operation_t)begun.operation)};
    emit(SDK_DOMAIN_KFD_PAGE_MIGRATE, begun.operation, &r, sizeof r);
    return true;
}

/* ---- page faults ---- */

static bool fault(const char *text, event_t *e, char *what)
{
    uint64_t page;
    if (sscanf(text, "%" SCNu64 " -%" SCNu32 " @%" SCNx64 "(%" SCNx32 ") %c", &e->ns, &e->pid,
               &page, &e->gpu, what) != 5)
        return false;
    read_pages(e, page, 0);
    return true;
}

static void fault_record(const event_t *e)
{
    rocprofiler_buffer_tracing_kfd_event_page_fault_record_t r = {
        .size = sizeof r,
        .operation = (rocprofiler_kfd_event_page_fault_operation_t)e->operation,
        .timestamp = e->ns,
        .pid = e->pid,
        .agent_id = agent_of(e->gpu),
        .address.handle = e->begin};
    emit(SDK_DOMAIN_KFD_EVENT_PAGE_FAULT, e->operation, &r, sizeof r);
}

static bool fault_start(const char *text, event_t *e)
{
    char what;
    if (!fault(text, e, &what)) return false;
    e->operation = what == 'W'   ? ROCPROFILER_KFD_EVENT_PAGE_FAULT_START_WRITE_FAULT
                   : what == 'R' ? ROCPROFILER_KFD_EVENT_PAGE_FAULT_START_READ_FAULT
                                 : ROCPROFILER_KFD_EVENT_PAGE_FAULT_START;
    fault_record(e);
    /* The operation of the paired record: fault for reading or writing, whose page was migrated or
     * updated. */
    e->operation = what == 'W' ? ROCPROFILER_KFD_PAGE_FAULT_WRITE_FAULT_MIGRATED
                               : ROCPROFILER_KFD_PAGE_FAULT_READ_FAULT_MIGRATED;
    note_begin(FAULT_START, e, SDK_DOMAIN_KFD_PAGE_FAULT);
    return true;
}

static bool fault_end(const char *text, event_t *e)
{
    char what;
    event_t begun;
    if (!fault(text, e, &what)) return false;
    bool updated = what == 'U';
    e->operation = updated ? ROCPROFILER_KFD_EVENT_PAGE_FAULT_END_PAGE_UPDATED
                           : ROCPROFILER_KFD_EVENT_PAGE_FAULT_END_PAGE_MIGRATED;
    fault_record(e);
    if (!take_begin(FAULT_START, e, &begun)) return true;
    rocprofiler_buffer_tracing_kfd_page_fault_record_t r = {
        .size = sizeof r,
        .operation = (rocprofiler_kfd_page_fault_operation_t)(begun.operation + updated),
        .start_timestamp = begun.ns,
        .end_timestamp = later(e, &begun),
        .pid = e->pid,
        .agent_id = agent_of(e->gpu),
        .address.handle = e->begin};
    emit(SDK_DOMAIN_KFD_PAGE_FAULT, (int32_t)r.operation, &r, sizeof r);
    return true;
}

/* ---- queues ---- */

static void queue_record(const event_t *e)
{
    rocprofiler_buffer_tracing_kfd_event_queue_record_t r = {
        .size = sizeof r,
        .operation = (rocprofiler_kfd_event_queue_operation_t)e->operation,
        .timestamp = e->ns,
        .pid = e->pid,
        .agent_id = agent_of(e->gpu)};
    emit(SDK_DOMAIN_KFD_EVENT_QUEUE, e->operation, &r, sizeof r);
}

static bool queue_eviction(const char *text, event_t *e)
{
    if (sscanf(text, "%" SCNu64 " -%" SCNu32 " %" SCNx32 " %" SCNd32, &e->ns, &e->pid, &e->gpu,
               &e->operation) != 4 ||
        e->operation < 0 || e->operation >= ROCPROFILER_KFD_QUEUE_LAST)
        return false;
    queue_record(e);
    note_begin(QUEUE_EVICTION, e, SDK_DOMAIN_KFD_QUEUE);
    return true;
}

/* A restore that failed will be tried again: the queue stays evicted. */
static bool queue_restore(const char *text, event_t *e)
{
    char what = 0;
    event_t begun;
    if (sscanf(text, "%" SCNu64 " -%" SCNu32 " %" SCNx32 " %c", &e->ns, &e->pid, &e->gpu, &what) <
        3)
        return false;
    bool again = what == 'R';
    e->operation = again ? ROCPROFILER_KFD_EVENT_QUEUE_RESTORE_RESCHEDULED
                         : ROCPROFILER_KFD_EVENT_QUEUE_RESTORE;
    queue_record(e);
    if (again || !take_begin(QUEUE_EVICTION, e, &begun)) return true;
    rocprofiler_buffer_tracing_kfd_queue_record_t r = {
        .size = sizeof r,
        .operation = (rocprofiler_kfd_queue_operation_t)begun.operation,
        .start_timestamp = begun.ns,
        .end_timestamp = later(e, &begun),
        .pid = e->pid,
        .agent_id = agent_of(e->gpu)};
    emit(SDK_DOMAIN_KFD_QUEUE, begun.operation, &r, sizeof r);
    return true;
}

/* ---- the rest ---- */

static bool unmap_from_gpu(const char *text, event_t *e)
{
    uint64_t start, pages;
    if (sscanf(text, "%" SCNu64 " -%" SCNu32 " @%" SCNx64 "(%" SCNx64 ") %" SCNx32 " %" SCNd32,
               &e->ns, &e->pid, &start, &pages, &e->gpu, &e->operation) != 6 ||
        e->operation < 0 || e->operation >= ROCPROFILER_KFD_EVENT_UNMAP_FROM_GPU_LAST)
        return false;
    read_pages(e, start, pages);
    rocprofiler_buffer_tracing_kfd_event_unmap_from_gpu_record_t r = {
        .size = sizeof r,
        .operation = (rocprofiler_kfd_event_unmap_from_gpu_operation_t)e->operation,
        .timestamp = e->ns,
        .pid = e->pid,
        .agent_id = agent_of(e->gpu),
        .start_address.handle = e->begin,
        .end_address.handle = e->end};
    emit(SDK_DOMAIN_KFD_EVENT_UNMAP_FROM_GPU, e->operation, &r, sizeof r);
    return true;
}

static bool dropped(const char *text, event_t *e)
{
    uint32_t count;
    if (sscanf(text, "%" SCNu64 " -%" SCNu32 " %" SCNu32, &e->ns, &e->pid, &count) != 3)
        return false;
    rocprofiler_buffer_tracing_kfd_event_dropped_events_record_t r = {
        .size = sizeof r,
        .operation = ROCPROFILER_KFD_EVENT_DROPPED_EVENTS,
        .timestamp = e->ns,
        .pid = e->pid,
        .count = count};
    emit(SDK_DOMAIN_KFD_EVENT_DROPPED_EVENTS, r.operation, &r, sizeof r);
    return true;
}

void sdk_kfd_line(const char *line)
{
    static const struct {
        unsigned number;
        bool (*read)(const char *text, event_t *e);
    } events[] = {{MIGRATE_START, migrate_start},   {MIGRATE_END, migrate_end},
                  {FAULT_START, fault_start},       {FAULT_END, fault_end},
                  {QUEUE_EVICTION, queue_eviction}, {QUEUE_RESTORE, queue_restore},
                  {UNMAP_FROM_GPU, unmap_from_gpu}, {DROPPED, dropped}};
    static bool told;
    unsigned number;
    int used = 0;
    event_t e = {0};
    if (sscanf(line, "%x%n", &number, &used) != 1) return;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (events[i].number != number || events[i].read(line + used, &e) || told) continue;
        told = true;
        base_warning("an event of the driver is not understood and left out: %s", line);
    }
}
