/* smi.c - descriptors from which management tools read what happens to a GPU.
 *
 * A reader writes a mask of events (8 bytes) and then reads lines of text, one event each, without
 * waiting; poll() waits. Of the driver's events there is one that a software GPU has: a memory
 * fault. A reader is gone when its end is closed, which the next event or reader finds out. */
#include "softgpu/kfd/kfd.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TASK_NAME_BYTES = 16 };

typedef struct reader {
    base_kept_t socket;
    uint32_t gpu;
    uint64_t mask; /* bit n - 1: event n */
    struct reader *next;
} reader_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static reader_t *readers;

/* Under the lock. Whose end the program has closed hears nothing more, either. */
static void drop_the_gone(void)
{
    for (reader_t **link = &readers; *link;) {
        reader_t *r = *link;
        struct pollfd fd = {.fd = base_kept(&r->socket)};
        if (fd.fd >= 0 && (poll(&fd, 1, 0) != 1 || !(fd.revents & POLLHUP))) {
            link = &r->next;
            continue;
        }
        *link = r->next;
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
    drop_the_gone();
    r->next = readers;
    readers = r;
    pthread_mutex_unlock(&lock);
    return 0;
}

void kfd_smi_memory_fault(const kfd_gpu_t *gpu)
{
    char name[TASK_NAME_BYTES + 1] = "", line[64];
    FILE *f = base_file_stream("/proc/self/comm", "re"); /* the process's, not this thread's */
    if (f) {
        if (!fgets(name, sizeof(name), f)) name[0] = '\0';
        fclose(f);
    }
    name[strcspn(name, "\n")] = '\0';
    int n =
        snprintf(line, sizeof(line), "%x %x:%s\n", KFD_SMI_EVENT_VMFAULT, (unsigned)getpid(), name);
    pthread_mutex_lock(&lock);
    drop_the_gone();
    for (reader_t *r = readers; r; r = r->next) {
        uint64_t mask;
        int fd = r->socket.fd; /* just looked at */
        while (recv(fd, &mask, sizeof(mask), MSG_DONTWAIT) == sizeof(mask))
            r->mask = mask;
        if (r->gpu == gpu->index && r->mask & 1ull << (KFD_SMI_EVENT_VMFAULT - 1))
            send(fd, line, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL); /* full: it is lost */
    }
    pthread_mutex_unlock(&lock);
}

void kfd_smi_forget(void)
{
    pthread_mutex_init(&lock, NULL); /* the parent may have held it */
    for (reader_t *r = readers; r; r = r->next)
        base_kept_close(&r->socket);
    readers = NULL;
}
