/* kfd.c - reads the kernel driver's events: page faults, migrations and evictions of queues.
 *
 * The driver gives a descriptor for each GPU. When a mask of events has been written to it, it
 * yields lines of text. A thread of this library reads them. A thread that needs all events so far
 * requests a "round" of that thread over all descriptors. lines.c interprets the lines. */
#include "sdk/kfd/kfd.h"

#include "base/driver.h"
#include "base/file.h"
#include "base/log.h"
#include "sdk/agent/agent.h"
#include "sdk/core/registration.h"
#include "sdk/core/services.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* AMDKFD_IOC_SMI_EVENTS of linux/kfd_ioctl.h, which is not included because it needs headers of
 * libdrm. */
typedef struct {
    uint32_t gpu, descriptor;
} kfd_smi_events_t;
#define KFD_SMI_EVENTS _IOWR('K', 0x1f, kfd_smi_events_t)

/* The first interface, 1.10, whose SMI events have what the records need (linux/kfd_ioctl.h). */
enum { FIRST_MAJOR = 1, FIRST_MINOR = 10 };

enum { GPUS_MAX = 64, TEXT_BYTES = 8192, LOOK_MS = 500 };

typedef struct {
    base_kept_t file; /* BASE_KEPT_NONE: the program has closed the descriptor */
    size_t used;      /* bytes of `text`, an unfinished line */
    char text[TEXT_BYTES];
} source_t;

static struct {
    bool running;
    pthread_t thread;
    int bell; /* an eventfd: writing to it requests a round, or the thread's end */
    _Atomic bool stop;
    _Atomic uint32_t asked, done; /* `asked`: number of the last round requested; `done`: of the
                                   * last round completed, a futex */
    unsigned count;
    source_t sources[GPUS_MAX];
} reader = {.bell = -1};

static bool is_too_old(int domain)
{
    /* with an old driver the number of lost events is zero, too, since it reports none */
    if (domain < SDK_DOMAIN_KFD_EVENT_PAGE_MIGRATE || domain > SDK_DOMAIN_KFD_QUEUE ||
        domain == SDK_DOMAIN_KFD_EVENT_DROPPED_EVENTS)
        return false;
    base_driver_version_t version;
    int fd = base_driver_open(&version);
    if (fd < 0) return false;
    close(fd);
    return (version.major || version.minor) &&
           (version.major < FIRST_MAJOR ||
            (version.major == FIRST_MAJOR && version.minor < FIRST_MINOR));
}

/* ---- the thread ---- */

/* Takes all whole lines out of `text`. Some drivers end a line with a zero byte before the line
 * feed. */
static void take_lines(source_t *s)
{
    char *line = s->text, *end = s->text + s->used;
    for (char *at; (at = memchr(line, '\n', (size_t)(end - line))); line = at + 1) {
        *at = 0;
        sdk_kfd_line(line);
    }
    s->used = (size_t)(end - line);
    /* no valid line is this long: the data is damaged */
    if (s->used == sizeof s->text) s->used = 0;
    memmove(s->text, line, s->used);
}

static void read_source(source_t *s)
{
    while (s->file.fd >= 0) {
        int fd = base_kept(&s->file);
        if (fd < 0) {
            s->file = BASE_KEPT_NONE;
            base_warning("the program has closed a descriptor that is not its own: the driver's "
                         "events of a GPU are read no more");
            return;
        }
        ssize_t n = read(fd, s->text + s->used, sizeof s->text - s->used);
        if (n <= 0) return;
        s->used += (size_t)n;
        take_lines(s);
    }
}

static void round_done(uint32_t number)
{
    atomic_store(&reader.done, number);
    syscall(SYS_futex, &reader.done, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void *reader_main(void *argument)
{
    struct pollfd files[1 + GPUS_MAX];
    (void)argument;
    prctl(PR_SET_NAME, "rocprofiler-kfd");
    while (!atomic_load(&reader.stop)) {
        eventfd_t rings;
        files[0] = (struct pollfd){.fd = reader.bell, .events = POLLIN};
        for (unsigned i = 0; i < reader.count; i++)
            files[1 + i] = (struct pollfd){.fd = reader.sources[i].file.fd, .events = POLLIN};
        if (poll(files, 1 + reader.count, -1) < 0 && errno != EINTR) break;
        if (files[0].revents & POLLIN) eventfd_read(reader.bell, &rings);
        uint32_t asked = atomic_load(&reader.asked);
        for (unsigned i = 0; i < reader.count; i++)
            read_source(&reader.sources[i]);
        round_done(asked);
    }
    round_done(atomic_load(&reader.asked));
    return NULL;
}

static void look(void)
{
    struct timespec patience = {.tv_nsec = LOOK_MS * 1000000};
    if (!reader.running || pthread_equal(reader.thread, pthread_self())) return;
    uint32_t mine = atomic_fetch_add(&reader.asked, 1) + 1, done;
    eventfd_write(reader.bell, 1);
    while ((int32_t)((done = atomic_load(&reader.done)) - mine) < 0)
        if (syscall(SYS_futex, &reader.done, FUTEX_WAIT_PRIVATE, done, &patience, NULL, 0) != 0 &&
            errno == ETIMEDOUT)
            return;
}

/* ---- begin and end ---- */

static void open_sources(int kfd)
{
    size_t count;
    uint64_t mask = sdk_kfd_wanted();
    const rocprofiler_agent_v0_t *const *agents = sdk_agents(&count);
    for (size_t i = 0; i < count && reader.count < GPUS_MAX; i++) {
        kfd_smi_events_t events = {.gpu = (uint32_t)agents[i]->gpu_id};
        if (agents[i]->type != ROCPROFILER_AGENT_TYPE_GPU) continue;
        int fd =
            ioctl(kfd, KFD_SMI_EVENTS, &events) == 0 ? base_file_own((int)events.descriptor) : -1;
        if (fd < 0 || write(fd, &mask, sizeof mask) != (ssize_t)sizeof mask) {
            base_warning("the driver does not tell of events of GPU %u: %s", events.gpu,
                         strerror(errno));
            if (fd >= 0) close(fd);
            continue;
        }
        fcntl(fd, F_SETFL, O_NONBLOCK);
        source_t *s = &reader.sources[reader.count++];
        s->file = base_keep(fd);
        s->used = 0;
    }
}

static void close_all(void)
{
    for (unsigned i = 0; i < reader.count; i++)
        base_kept_close(&reader.sources[i].file);
    if (reader.bell >= 0) close(reader.bell);
    reader.bell = -1;
    reader.count = 0;
    sdk_kfd_lines_forget();
}

static void start(void)
{
    uint64_t mask = sdk_kfd_wanted();
    if (!mask) return;
    if (reader.running) { /* a tool that has attached needs further events */
        for (unsigned i = 0; i < reader.count; i++) {
            int fd = base_kept(&reader.sources[i].file);
            if (fd >= 0 && write(fd, &mask, sizeof mask) < 0)
                base_warning("events of the driver: %s", strerror(errno));
        }
        return;
    }
    base_driver_version_t version;
    int kfd = base_driver_open(&version);
    if (kfd < 0) return;
    open_sources(kfd);
    close(kfd);
    if (!reader.count) return;
    reader.bell = base_file_own(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
    int error =
        reader.bell < 0 ? errno : sdk_internal_thread_start(&reader.thread, reader_main, NULL);
    reader.running = error == 0;
    if (!error) return;
    base_warning("the driver's events are not read: %s", strerror(error));
    close_all();
}

static void stop(void)
{
    if (!reader.running) return;
    bool from_within = pthread_equal(reader.thread, pthread_self());
    atomic_store(&reader.stop, true);
    eventfd_write(reader.bell, 1);
    reader.running = false;
    if (from_within) { /* a tool finalises inside its buffer callback, on this thread */
        pthread_detach(reader.thread);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    if (pthread_timedjoin_np(reader.thread, NULL, &until) == 0)
        close_all();
    else
        pthread_detach(reader.thread); /* a buffer callback has not returned */
}

static void forked(void)
{
    if (reader.running) close_all();
    reader.running = false;
}

SDK_SERVICE(kfd) = {
    .at = {[SDK_AT_BEGIN] = start,
           [SDK_AT_STOP] = look,
           [SDK_AT_LOOK] = look,
           [SDK_AT_END] = stop,
           [SDK_AT_FORK] = forked},
    .refuses = is_too_old,
};
