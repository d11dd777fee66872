/* smi.c - descriptors from which management tools read the events of a GPU.
 *
 * A reader writes a mask of events (8 bytes) and then reads lines of text, one for each event,
 * without waiting; poll() waits. Of the driver's events a software GPU has memory faults, and
 * migration and unmapping of shared virtual memory. A reader that has closed its end is removed at
 * the next event or when the next reader comes. */
#include "softgpu/kfd/kfd.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { TASK_NAME_BYTES = 16 };

typedef struct reader {
    base_kept_t socket;
    uint32_t gpu;
    uint64_t mask; /* bit n - 1: event n */
    uint32_t
        lost; /* events for which there was no room and that have not been reported as lost yet */
    struct reader *next;
} reader_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static reader_t *_Atomic readers;

/* Under the lock. Removes from the list, and returns, the readers that have closed their end or
 * whose socket the program has closed. The caller frees them without the lock: the program's own
 * free() may unmap memory, which raises an event here. */
static reader_t *take_closed(void)
{
    reader_t *gone = NULL, *kept = NULL;
    for (reader_t *r = readers, *next; r; r = next) {
        struct pollfd fd = {.fd = base_kept(&r->socket)};
        bool over = fd.fd < 0 || (poll(&fd, 1, 0) == 1 && fd.revents & POLLHUP);
        reader_t **list = over ? &gone : &kept;
        next = r->next;
        r->next = *list;
        *list = r;
    }
    readers = kept;
    return gone;
}

static void free_readers(reader_t *r)
{
    for (reader_t *next; r; r = next) {
        next = r->next;
        base_kept_close(&r->socket);
        free(r);
    }
}

int kfd_smi_open(kfd_gpu_t *gpu, int *fd)
{
    int pair[2];
    reader_t *r = calloc(1, sizeof(*r));
    if (!r) return -ENOMEM;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) {
        int error = -errno;
        free(r);
        return error;
    }
    *fd = fcntl(pair[0], F_DUPFD_CLOEXEC, 3);
    int error = *fd < 0 ? -errno : 0;
    close(pair[0]);
    int own = base_file_own(pair[1]);
    if (error == 0 && own < 0) {
        error = -errno;
        close(*fd);
    }
    r->socket = base_keep(own);
    r->gpu = gpu->index;
    if (error != 0) {
        base_kept_close(&r->socket);
        free(r);
        return error;
    }
    pthread_mutex_lock(&lock);
    reader_t *gone = take_closed();
    r->next = readers;
    readers = r;
    pthread_mutex_unlock(&lock);
    free_readers(gone);
    return 0;
}

static bool wants(reader_t *r, const kfd_gpu_t *gpu, unsigned event)
{
    uint64_t mask;
    while (recv(r->socket.fd, &mask, sizeof(mask), MSG_DONTWAIT) == sizeof(mask))
        r->mask = mask;
    return r->gpu == gpu->index && r->mask & KFD_SMI_EVENT_MASK_FROM_INDEX(event);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool give(const reader_t *r, const char *line, int bytes)
{
    return send(r->socket.fd, line, (size_t)bytes, MSG_DONTWAIT | MSG_NOSIGNAL) == bytes;
}

/* Writes an event's line to a reader. If events were lost, a line with their number comes first. */
static void write_line(reader_t *r, const char *line, int bytes)
{
    char before[KFD_SMI_EVENT_MSG_SIZE];
    if (r->lost) {
        int n = snprintf(before, sizeof(before), "%x %" PRIu64 " -%d %u\n", KFD_SMI_EVENT_DROPPED,
                         now_ns(), (int)getpid(), r->lost);
        if (give(r, before, n)) r->lost = 0;
    }
    if (r->lost || !give(r, line, bytes)) r->lost++;
}

/* Writes an event to all readers that want it: its number and the given text. */
__attribute__((format(printf, 3, 4))) static void raise_event(const kfd_gpu_t *gpu, unsigned event,
                                                              const char *format, ...)
{
    char line[KFD_SMI_EVENT_MSG_SIZE];
    va_list args;
    int n = snprintf(line, sizeof(line), "%x ", event);
    va_start(args, format);
    n += vsnprintf(line + n, sizeof(line) - (size_t)n, format, args);
    va_end(args);
    pthread_mutex_lock(&lock);
    reader_t *gone = take_closed();
    for (reader_t *r = readers; r; r = r->next)
        if (wants(r, gpu, event)) write_line(r, line, n);
    pthread_mutex_unlock(&lock);
    free_readers(gone);
}

/* Whether there is a reader; costs one load. */
static bool is_read(void)
{
    return atomic_load_explicit(&readers, memory_order_relaxed) != NULL;
}

void kfd_smi_memory_fault(const kfd_gpu_t *gpu)
{
    char name[TASK_NAME_BYTES + 1];
    if (!is_read()) return;
    base_file_line("/proc/self/comm", name, sizeof(name)); /* the process's, not this thread's */
    raise_event(gpu, KFD_SMI_EVENT_VMFAULT, "%x:%s\n", (unsigned)getpid(), name);
}

void kfd_smi_migrate(const kfd_gpu_t *gpu, bool begins, const kfd_smi_migration_t *m)
{
    enum { NO_ERROR = 0 };
    if (!is_read()) return;
    uint64_t start = m->begin / KFD_PAGE, pages = (m->end - m->begin) / KFD_PAGE;
    if (begins)
        raise_event(gpu, KFD_SMI_EVENT_MIGRATE_START,
                    "%" PRIu64 " -%d @%" PRIx64 "(%" PRIx64 ") %x->%x %x:%x %d\n", now_ns(),
                    (int)getpid(), start, pages, m->from, m->to, m->prefetched, m->preferred,
                    KFD_MIGRATE_TRIGGER_PREFETCH);
    else
        raise_event(gpu, KFD_SMI_EVENT_MIGRATE_END,
                    "%" PRIu64 " -%d @%" PRIx64 "(%" PRIx64 ") %x->%x %d %d\n", now_ns(),
                    (int)getpid(), start, pages, m->from, m->to, KFD_MIGRATE_TRIGGER_PREFETCH,
                    NO_ERROR);
}

void kfd_smi_unmapped(const kfd_gpu_t *gpu, uint64_t begin, uint64_t end)
{
    if (!is_read()) return;
    raise_event(gpu, KFD_SMI_EVENT_UNMAP_FROM_GPU,
                "%" PRIu64 " -%d @%" PRIx64 "(%" PRIx64 ") %x %d\n", now_ns(), (int)getpid(),
                begin / KFD_PAGE, (end - begin) / KFD_PAGE, gpu->gpu_id,
                KFD_SVM_UNMAP_TRIGGER_UNMAP_FROM_CPU);
}

void kfd_smi_forget(void)
{
    pthread_mutex_init(&lock, NULL); /* the parent may have held it */
    for (reader_t *r = readers; r; r = r->next)
        base_kept_close(&r->socket);
    readers = NULL; /* not freed: the allocator may be in any state after a fork */
}
