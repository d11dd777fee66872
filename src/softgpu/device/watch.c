/* watch.c - the doorbell watch: wakes sleeping queues when the program rings their doorbells.
 *
 * While all queues of the device sleep, the program's mapping of the doorbell page is
 * write-protected through userfaultfd, and the watch's thread sleeps until a store faults. It wakes
 * the queue, lifts the protection and reads all doorbells. While some queue is awake, protection
 * would cost each of its doorbell stores a fault, so the watch polls the doorbells of sleeping
 * queues instead. Without userfaultfd it always polls. A queue in `waiting` whose doorbell differs
 * from doorbell_seen is always woken. */
#include "softgpu/device/futex.h"
#include "softgpu/device/internal.h"

#include "base/file.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum {
    MAPPINGS_MAX = 8,
    FAULT_SPIN_NS = 200000,   /* the longest wait, after a fault, for the store that faulted */
    FAULT_LOOK_NS = 2000,     /* between two reads during that wait */
    FAULT_GRACE_NS = 3000000, /* time after a fault until the page is protected again */
    LOOK_NS = 50000,          /* between two polls while a queue is awake */
    LOOK_SLOW_NS = 200000,    /* between two polls, once it has polled for LOOK_SLOW_AFTER_NS */
    LOOK_SLOW_AFTER_NS = 20000000,
    FALLBACK_NS = 1000000, /* between two polls without userfaultfd, while all queues sleep */
    SAFETY_MS = 2000 /* between two polls under protection, for mappings that were not found */
};

typedef struct {
    uint64_t begin, bytes;
    uint64_t slot0; /* address of doorbell 0 */
} mapping_t;

struct sg_watch {
    sg_device_t *device;
    _Atomic uint32_t
        seq; /* futex: changes when a queue begins to wait, is created or is destroyed */
    _Atomic uint32_t changed; /* the program may have new mappings */
    int uffd;                 /* -1: userfaultfd is refused */
    bool exact;               /* faults are reported with their address, not only their page */
    mapping_t mapping[MAPPINGS_MAX];
    unsigned n_mappings;
    uint64_t fault_time; /* of the last fault */
};

/* ---- for queues ---- */

void sg_watch_add(sg_watch_t *w, sg_queue_t *q)
{
    if (atomic_load(&q->waiting)) return;
    atomic_store(&q->waiting, true);
    sg_futex_bump(&w->seq);
}

void sg_watch_remove(sg_watch_t *w, sg_queue_t *q)
{
    (void)w;
    if (atomic_load_explicit(&q->waiting, memory_order_relaxed)) atomic_store(&q->waiting, false);
}

void sg_watch_wait(sg_watch_t *w, sg_queue_t *q, uint32_t seen)
{
    sg_watch_add(w, q);
    sg_futex_wait(&q->wake, seen, q->device->doorbells ? 0 : FALLBACK_NS);
}

void sg_watch_changed(sg_watch_t *w)
{
    atomic_store(&w->changed, 1);
    sg_futex_bump(&w->seq);
}

/* ---- the doorbell mapping ---- */

/* Finds the program's writable mappings of the doorbell page, whatever their address. */
static void find_mappings(sg_watch_t *w)
{
    sg_device_t *d = w->device;
    char line[512];
    w->n_mappings = 0;
    FILE *maps = d->doorbell_file.inode ? base_file_stream("/proc/self/maps", "re") : NULL;
    while (maps && w->n_mappings < MAPPINGS_MAX && fgets(line, sizeof line, maps)) {
        unsigned long long begin, end, offset, inode;
        unsigned major_id, minor_id;
        char access[5];
        if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu", &begin, &end, access, &offset, &major_id,
                   &minor_id, &inode) != 7)
            continue;
        if (inode != d->doorbell_file.inode || access[1] != 'w' ||
            makedev(major_id, minor_id) != d->doorbell_file.device)
            continue;
        if (begin == (uintptr_t)d->doorbells || offset >= d->doorbell_offset + d->doorbell_bytes ||
            offset + (end - begin) <= d->doorbell_offset)
            continue;
        w->mapping[w->n_mappings++] =
            (mapping_t){begin, end - begin, begin - offset + d->doorbell_offset};
    }
    if (maps) fclose(maps);
}

static bool set_protection(const sg_watch_t *w, bool on)
{
    bool good = w->n_mappings > 0;
    for (unsigned i = 0; i < w->n_mappings; i++) {
        struct uffdio_writeprotect wp = {.range = {w->mapping[i].begin, w->mapping[i].bytes},
                                         .mode = on ? UFFDIO_WRITEPROTECT_MODE_WP : 0};
        good &= ioctl(w->uffd, UFFDIO_WRITEPROTECT, &wp) == 0;
    }
    return good;
}

static int open_userfaultfd(uint64_t features)
{
    struct uffdio_api api = {.api = UFFD_API, .features = features};
    int fd =
        base_file_own((int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY));
    if (fd >= 0 && ioctl(fd, UFFDIO_API, &api)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Opens userfaultfd. Linux 5.18 and later report the exact address of a fault. */
static void start_userfaultfd(sg_watch_t *w)
{
    const uint64_t needed = UFFD_FEATURE_PAGEFAULT_FLAG_WP | UFFD_FEATURE_WP_HUGETLBFS_SHMEM;
    w->uffd = open_userfaultfd(needed | UFFD_FEATURE_EXACT_ADDRESS);
    w->exact = w->uffd >= 0;
    if (!w->exact) w->uffd = open_userfaultfd(needed);
}

static bool is_userfaultfd(int fd)
{
    char link[32], name[32];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t n = fd < 0 ? -1 : readlink(link, name, sizeof(name));
    static const char right[] = "anon_inode:[userfaultfd]";
    return n == (ssize_t)sizeof(right) - 1 && memcmp(name, right, sizeof(right) - 1) == 0;
}

/* Whether the descriptor is still the watch's. A program that closes all its descriptors closes
 * this one, too, and may reuse its number: then a new one is made. */
static bool usable(sg_watch_t *w)
{
    if (w->uffd < 0 || is_userfaultfd(w->uffd)) return w->uffd >= 0;
    start_userfaultfd(w);
    atomic_store(&w->changed, 1);
    return w->uffd >= 0;
}

static bool protect(sg_watch_t *w)
{
    if (!usable(w)) return false;
    if (!atomic_exchange(&w->changed, 0) && set_protection(w, true)) return true;
    set_protection(w, false);
    find_mappings(w);
    for (unsigned i = 0; i < w->n_mappings; i++) {
        struct uffdio_register r = {.range = {w->mapping[i].begin, w->mapping[i].bytes},
                                    .mode = UFFDIO_REGISTER_MODE_WP};
        if (ioctl(w->uffd, UFFDIO_REGISTER, &r)) {
            w->n_mappings = 0;
            return false;
        }
    }
    if (set_protection(w, true)) return true;
    set_protection(w, false);
    return false;
}

/* ---- the thread ---- */

typedef struct {
    unsigned queues, waiting, woken;
} census_t;

/* Reads all doorbells: counts queues, and wakes those whose doorbell was rung. */
static census_t read_doorbells(sg_watch_t *w)
{
    census_t c = {0};
    pthread_mutex_lock(&w->device->lock);
    for (sg_queue_t *q = w->device->queues; q; q = q->next_queue) {
        c.queues++;
        if (!atomic_load(&q->waiting)) continue;
        if (sg_queue_doorbell(q) == atomic_load(&q->doorbell_seen)) {
            c.waiting++;
        } else {
            atomic_store(&q->waiting, false);
            sg_queue_notify(q);
            c.woken++;
        }
    }
    pthread_mutex_unlock(&w->device->lock);
    return c;
}

/* Wakes the queue whose doorbell is being stored to, or all queues if the address is unknown. */
static void wake_for(const sg_watch_t *w, uint64_t address)
{
    uint64_t slot = UINT64_MAX;
    for (unsigned i = 0; w->exact && i < w->n_mappings; i++)
        if (address - w->mapping[i].begin < w->mapping[i].bytes)
            slot = (address - w->mapping[i].slot0) / 8;
    pthread_mutex_lock(&w->device->lock);
    for (sg_queue_t *q = w->device->queues; q; q = q->next_queue) {
        if (slot != UINT64_MAX && slot != q->params.doorbell_slot) continue;
        atomic_store(&q->waiting, false);
        sg_queue_notify(q);
    }
    pthread_mutex_unlock(&w->device->lock);
}

static void answer_faults(sg_watch_t *w)
{
    struct uffd_msg message;
    while (read(w->uffd, &message, sizeof message) == (ssize_t)sizeof message)
        if (message.event == UFFD_EVENT_PAGEFAULT) wake_for(w, message.arg.pagefault.address);
}

/* All queues sleep: sleeps until the program stores to a doorbell. The queue is woken before the
 * store is let through. The queue's thread has slept and so gets a core at once, while this thread
 * may lose its core to the program's thread, which often spins. */
static void sleep_protected(sg_watch_t *w)
{
    struct pollfd p = {.fd = w->uffd, .events = POLLIN};
    if (!read_doorbells(w).woken && poll(&p, 1, SAFETY_MS) > 0) {
        w->fault_time = sg_device_clock();
        if (is_userfaultfd(w->uffd)) answer_faults(w);
    }
    if (!is_userfaultfd(w->uffd))
        return; /* the program has closed it meanwhile, which has removed the protection */
    set_protection(w, false);
    answer_faults(w);
}

static void nap(sg_watch_t *w, uint32_t seen, bool hot, uint64_t since)
{
    uint64_t now = sg_device_clock();
    if (now - w->fault_time < FAULT_SPIN_NS)
        sg_futex_wait(&w->seq, seen, FAULT_LOOK_NS); /* the thread that faulted needs a core too */
    else if (now - w->fault_time < FAULT_GRACE_NS || (hot && now - since < LOOK_SLOW_AFTER_NS))
        sg_futex_wait(&w->seq, seen, LOOK_NS);
    else
        sg_futex_wait(&w->seq, seen, hot ? LOOK_SLOW_NS : FALLBACK_NS);
}

static void *watch_main(void *arg)
{
    sg_watch_t *w = arg;
    uint64_t since = 0; /* when the watch began to poll */
    for (;;) {
        uint32_t seen = atomic_load(&w->seq);
        census_t c = read_doorbells(w);
        if (!c.waiting) {
            since = 0;
            if (!c.woken) sg_futex_wait(&w->seq, seen, 0);
            continue;
        }
        uint64_t now = sg_device_clock();
        if (!since) since = now;
        bool hot = c.waiting < c.queues;
        if (!hot && now - w->fault_time >= FAULT_GRACE_NS && protect(w)) {
            sleep_protected(w);
            since = 0;
        } else {
            nap(w, seen, hot, since);
        }
    }
    return NULL;
}

sg_watch_t *sg_watch_create(sg_device_t *d)
{
    pthread_t thread;
    sg_watch_t *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->device = d;
    start_userfaultfd(w);
    if (sg_thread_start(&thread, "sg-doorbells", watch_main, w)) {
        if (w->uffd >= 0) close(w->uffd);
        free(w);
        return NULL;
    }
    pthread_detach(thread);
    return w;
}
