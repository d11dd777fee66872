/* ipc.c - the IPC handles of AMD's out-of-tree driver, by which ROCr 5 shares memory.
 *
 * A handle is 16 bytes that a program sends to another by any means, so it cannot carry a
 * descriptor: it names a process and an object. The exporting process answers on a socket in its
 * private tree, to processes of the same user only, with a DMA-BUF (bo.c). */
#include "softgpu/kfd/bo.h"
#include "softgpu/kfd/kfd.h"
#include "softgpu/kfd/newer.h"

#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { SUFFIX_BYTES = 6, HANDLE_TAG = 0x4753, SECONDS_TO_ANSWER = 10, BACKLOG = 64 };

/* The 16 bytes of a handle. */
typedef struct {
    uint32_t pid, serial;
    char suffix[SUFFIX_BYTES]; /* of the name of the process's folder */
    uint16_t tag;
} handle_t;
_Static_assert(sizeof(handle_t) == sizeof(((struct kfd_ipc_export_args *)0)->share_handle),
               "an IPC handle has 16 bytes");

/* The socket's address through the descriptor of its folder, since the socket's own path may be too
 * long for an address. */
static void address_in(struct sockaddr_un *address, int folder)
{
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    snprintf(address->sun_path, sizeof(address->sun_path), "/proc/self/fd/%d/ipc", folder);
}

static bool is_ours(int socket)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

static void set_patience(int socket)
{
    struct timeval t = {.tv_sec = SECONDS_TO_ANSWER};
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

/* ---- the exporter's side ---- */

static void answer(kfd_process_t *p, int client)
{
    uint32_t serial;
    int fd = -1;
    set_patience(client);
    if (!is_ours(client) || recv(client, &serial, sizeof(serial), 0) != sizeof(serial)) return;
    pthread_mutex_lock(&p->lock);
    kfd_bo_t *bo = kfd_bo_by_serial(p, serial);
    int error = bo ? kfd_bo_export(p, bo, &fd) : -EINVAL;
    pthread_mutex_unlock(&p->lock);
    if (error == 0) error = kfd_send_descriptors(client, "", 1, &fd, 1);
    if (error != 0) base_info("IPC: object %u is not given out: %s", serial, strerror(-error));
    if (fd >= 0) close(fd);
}

static void *serve(void *user)
{
    kfd_process_t *p = user;
    for (;;) {
        int client = base_file_own(accept4(base_kept(&p->ipc_socket), NULL, NULL, SOCK_CLOEXEC));
        if (client >= 0) {
            answer(p, client);
            close(client);
        } else if (errno != EINTR && errno != ECONNABORTED && errno != EMFILE && errno != ENFILE &&
                   errno != ENOMEM && errno != ENOBUFS) {
            return NULL;
        } else if (errno != EINTR && errno != ECONNABORTED) {
            usleep(10000); /* the process has no descriptor left, but may close one soon */
        }
    }
}

static int start_thread(kfd_process_t *p)
{
    pthread_t thread;
    pthread_attr_t detached;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&thread, &detached, serve, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
    if (error == 0) pthread_setname_np(thread, "sg-ipc");
    return -error;
}

/* Listens in the process's folder, from the first export on. Under the lock. */
static int start_serving(kfd_process_t *p)
{
    if (base_kept(&p->ipc_socket) >= 0) return 0;
    const char *root = kfd_tree_root();
    if (!root) return -errno;
    int folder = base_file_open(root, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    int fd = base_file_own(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    struct sockaddr_un address;
    address_in(&address, folder);
    int error = folder >= 0 && fd >= 0 ? 0 : -errno;
    if (error == 0) unlinkat(folder, "ipc", 0); /* left by a socket that the program has closed */
    /* fchmodat(): for the same user only, whatever the program's umask */
    if (error == 0 && (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
                       fchmodat(folder, "ipc", 0600, 0) != 0 || listen(fd, BACKLOG) != 0))
        error = -errno;
    if (error == 0) {
        p->ipc_socket = base_keep(fd);
        error = start_thread(p);
        if (error != 0) p->ipc_socket = BASE_KEPT_NONE;
    }
    if (folder >= 0) close(folder);
    if (error != 0 && fd >= 0) close(fd);
    return error;
}

int kfd_ipc_export(kfd_process_t *p, struct kfd_ipc_export_args *args)
{
    handle_t handle = {.pid = (uint32_t)getpid(), .tag = HANDLE_TAG};
    pthread_mutex_lock(&p->lock);
    kfd_buffer_t *b = kfd_buffer_find(p, args->handle);
    int error = b && b->bo ? start_serving(p) : -EINVAL;
    if (error == 0) {
        const char *root = kfd_tree_root();
        memcpy(handle.suffix, root + strlen(root) - SUFFIX_BYTES, SUFFIX_BYTES);
        b->bo->ipc_flags = args->flags;
        handle.serial = b->bo->serial;
        memcpy(args->share_handle, &handle, sizeof(handle));
    }
    pthread_mutex_unlock(&p->lock);
    return error;
}

/* ---- the importer's side ---- */

/* Opens the exporter's folder in `base`; -1 if it is not there, or is another user's. */
static int open_folder(const char *base, const handle_t *handle)
{
    char path[PATH_MAX];
    struct stat st;
    int n = snprintf(path, sizeof(path), "%s/softgpu-%u-%u-%.*s", base, (unsigned)getuid(),
                     handle->pid, SUFFIX_BYTES, handle->suffix);
    if (n < 0 || (size_t)n >= sizeof(path)) return -1;
    int fd = base_file_open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW, 0);
    if (fd >= 0 && (kfd_fstat(fd, &st) != 0 || st.st_uid != geteuid())) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static int find_folder(const handle_t *handle)
{
    int fd = -1;
    const char *base;
    for (unsigned k = 0; fd < 0 && (base = kfd_tree_base(k)) != NULL; k++)
        fd = open_folder(base, handle);
    return fd;
}

/* The one descriptor of the answer, or -errno. The control buffer has room for two because of its
 * alignment; further descriptors from the peer are closed. */
static int receive_descriptor(int socket)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    char one;
    struct iovec data = {&one, 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (n < 0) return -errno;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    if (!rights || rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS)
        return -EINVAL;
    int fds[sizeof(control.bytes) / sizeof(int)];
    size_t n_fds = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(fds, CMSG_DATA(rights), n_fds * sizeof(int));
    if (n == 1 && n_fds == 1) return fds[0];
    for (size_t i = 0; i < n_fds; i++)
        close(fds[i]);
    return -EINVAL;
}

/* Gets the DMA-BUF of a handle from the exporting process, or -errno. */
static int request_from_exporter(const handle_t *handle)
{
    struct sockaddr_un address;
    int folder = find_folder(handle);
    if (folder < 0) return -EINVAL;
    int fd = base_file_own(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    int got = fd < 0 ? -errno : -EINVAL;
    address_in(&address, folder);
    if (fd >= 0) {
        set_patience(fd);
        if (connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && is_ours(fd) &&
            send(fd, &handle->serial, sizeof(handle->serial), MSG_NOSIGNAL) ==
                sizeof(handle->serial))
            got = receive_descriptor(fd);
        close(fd);
    }
    close(folder);
    return got;
}

int kfd_ipc_import(kfd_process_t *p, struct kfd_ipc_import_args *args)
{
    handle_t handle;
    kfd_bo_t *bo = NULL;
    memcpy(&handle, args->share_handle, sizeof(handle));
    if (handle.tag != HANDLE_TAG) return -EINVAL;
    int fd = request_from_exporter(&handle); /* without the lock: if this process is the exporter,
                                                its serving thread needs the lock to answer */
    if (fd < 0) return fd;
    pthread_mutex_lock(&p->lock);
    int error = kfd_bo_import(p, fd, &bo);
    if (error == 0) {
        args->mmap_offset = bo->mmap_offset;
        args->flags = bo->ipc_flags;
        error = kfd_buffer_adopt(p, bo, args->va_addr, &args->handle);
    }
    pthread_mutex_unlock(&p->lock);
    close(fd);
    return error;
}
