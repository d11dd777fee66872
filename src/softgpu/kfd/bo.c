/* bo.c - buffer objects, and their export to and import from other processes.
 *
 * A DMA-BUF is one end of a socket pair in which one message stays queued. The message has the
 * memory's place in a file and carries two descriptors: the GPU's file and a lease, the writing end
 * of a pipe. A process that gets the DMA-BUF peeks at the message and leaves it in the queue. When
 * the last holder has closed the lease, even by a crash, the kernel hangs up the pipe, and the
 * owner may free the memory. */
#include "softgpu/kfd/bo.h"
#include "softgpu/kfd/kfd.h"

#include "base/file.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/round.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LARGE_PAGE = 2 << 20, N_PASSED = 2 };

static const char share_magic[16] = "softgpu dma-buf";

/* The message of a DMA-BUF; its descriptors are the file and the lease. */
typedef struct {
    char magic[sizeof(share_magic)];
    uint64_t offset, size, note_offset;
    uint32_t gpu, flags, ipc_flags, segment; /* segment: as in kfd_pages_t */
} share_t;

static void close_fd(int fd)
{
    if (fd >= 0) close(fd);
}

/* ---- memory ---- */

/* Whether the allocation is in VRAM. An APU has one memory, to which all allocations belong. */
static bool in_vram(const kfd_gpu_t *gpu, uint32_t flags)
{
    return flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM || gpu->process->config->profile.apu;
}

static uint64_t *used_of(kfd_gpu_t *gpu, uint32_t flags)
{
    return in_vram(gpu, flags) ? &gpu->vram_used : &gpu->system_used;
}

static void enter(kfd_process_t *p, kfd_bo_t *bo)
{
    bo->references = 1;
    bo->serial = ++p->last_serial ? p->last_serial : ++p->last_serial;
    bo->next = p->bos;
    bo->self = &p->bos;
    if (bo->next) bo->next->self = &bo->next;
    p->bos = bo;
}

static void leave(kfd_bo_t *bo)
{
    *bo->self = bo->next;
    if (bo->next) bo->next->self = bo->self;
}

/* The GPU's file. -1 if the program has closed the descriptor, whose number may be another file's
 * by now. */
static int file_of(kfd_process_t *p, const kfd_bo_t *bo)
{
    uint32_t gpu;
    if (bo->foreign) return base_kept(&bo->file);
    int fd = p->gpus[bo->gpu].pages.fd;
    return kfd_node_of(fd, &gpu) == KFD_NODE_RENDER ? fd : -1;
}

void kfd_bo_write_notes(kfd_bo_t *bo, const void *notes, size_t bytes)
{
    memcpy(bo->notes, notes, bytes);
    bo->noted = true;
}

static void release_own(kfd_process_t *p, kfd_bo_t *bo)
{
    kfd_gpu_t *gpu = &p->gpus[bo->gpu];
    if (bo->noted)
        memset(bo->notes, 0, KFD_BO_NOTE_BYTES); /* the next object in these pages finds zeros */
    /* frees the pages, so that the next owner reads zeros; madvise() and not fallocate(), since the
     * program may have closed the descriptor, whose number may be another file's by now */
    madvise(bo->host, bo->size, MADV_REMOVE);
    kfd_ranges_give(&gpu->ranges, bo->offset, bo->size);
    *used_of(gpu, bo->flags) -= bo->size;
}

static uint8_t *page_of(uint8_t *address)
{
    return address - (uintptr_t)address % KFD_PAGE;
}

static void release_foreign(kfd_process_t *p, kfd_bo_t *bo)
{
    /* directly, not through the stub's munmap(): this mapping is not the program's */
    syscall(SYS_munmap, bo->host, bo->size);
    syscall(SYS_munmap, page_of(bo->notes), KFD_PAGE);
    kfd_ranges_give(&p->windows, bo->mmap_offset, bo->size);
    base_kept_close(&bo->file);
    base_kept_close(&bo->lease);
}

static void release(kfd_process_t *p, kfd_bo_t *bo)
{
    if (bo->foreign)
        release_foreign(p, bo);
    else
        release_own(p, bo);
    leave(bo);
    free(bo->leases);
    free(bo);
}

/* Removes the leases that have ended. True if one is left. If the program has closed this process's
 * end of a pipe, the end of that lease cannot be detected, and it counts as held for ever. */
static bool is_leased(kfd_bo_t *bo)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < bo->n_leases; i++) {
        struct pollfd lease = {.fd = base_kept(&bo->leases[i])};
        if (poll(&lease, 1, 0) == 1 && lease.revents & (POLLHUP | POLLERR))
            base_kept_close(&bo->leases[i]);
        else
            bo->leases[n++] = bo->leases[i];
    }
    bo->n_leases = n;
    return n > 0;
}

void kfd_bo_sweep(kfd_process_t *p)
{
    for (kfd_bo_t *bo = p->n_parked ? p->bos : NULL, *next; bo; bo = next) {
        next = bo->next;
        if (bo->references || is_leased(bo)) continue;
        p->n_parked--;
        release(p, bo);
    }
}

int kfd_bo_create(kfd_gpu_t *gpu, uint32_t flags, uint64_t size, kfd_bo_t **out)
{
    bool vram = in_vram(gpu, flags);
    uint64_t limit = vram ? gpu->vram_bytes : gpu->system_bytes, *used = used_of(gpu, flags);
    kfd_bo_sweep(gpu->process);
    if (size == 0) return -EINVAL;
    if (size > limit - *used) {
        base_info("GPU %u: no room for %llu bytes of %s memory: %llu of %llu are in use",
                  gpu->index, (unsigned long long)size, vram ? "video" : "system",
                  (unsigned long long)*used, (unsigned long long)limit);
        return -ENOMEM;
    }
    size = base_round_up(size, KFD_PAGE);
    kfd_bo_t *bo = calloc(1, sizeof(*bo));
    if (!bo) return -ENOMEM;
    *bo = (kfd_bo_t){.gpu = gpu->index, .flags = flags, .size = size};
    int error = kfd_ranges_take(&gpu->ranges, size, size >= LARGE_PAGE ? LARGE_PAGE : KFD_PAGE,
                                &bo->offset);
    if (error != 0) {
        free(bo);
        return error;
    }
    *used += size;
    bo->mmap_offset = bo->offset;
    bo->note_offset = gpu->file_bytes + kfd_bo_all_notes(bo->offset);
    bo->host = gpu->alias + bo->offset;
    bo->notes = gpu->notes + kfd_bo_all_notes(bo->offset);
    enter(gpu->process, bo);
    *out = bo;
    return 0;
}

void kfd_bo_put(kfd_process_t *p, kfd_bo_t *bo)
{
    if (--bo->references) return;
    if (is_leased(bo))
        p->n_parked++;
    else
        release(p, bo);
}

kfd_bo_t *kfd_bo_by_serial(kfd_process_t *p, uint32_t serial)
{
    for (kfd_bo_t *bo = p->bos; bo; bo = bo->next)
        if (bo->serial == serial && bo->references) return bo;
    return NULL;
}

/* ---- export ---- */

/* A new lease: returns the writing end of the pipe, which is to be passed on, or -errno. */
static int new_lease(kfd_bo_t *bo)
{
    int ends[2];
    is_leased(bo); /* removes leases that have ended */
    if (!BASE_GROW_BY_ONE(bo->leases, bo->n_leases)) return -ENOMEM;
    if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
    ends[0] = base_file_own(ends[0]);
    if (ends[0] < 0) {
        int error = -errno;
        close(ends[1]);
        return error;
    }
    bo->leases[bo->n_leases++] = base_keep(ends[0]);
    return ends[1];
}

int kfd_send_descriptors(int socket, const void *bytes, size_t n_bytes, const int *fds, size_t n)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(N_PASSED * sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec data = {(void *)(uintptr_t)bytes, n_bytes};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(n * sizeof(int))};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(rights), fds, n * sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)n_bytes ? 0 : -errno;
}

int kfd_bo_export(kfd_process_t *p, kfd_bo_t *bo, int *fd)
{
    share_t share = {.offset = bo->offset,
                     .size = bo->size,
                     .note_offset = bo->note_offset,
                     .gpu = bo->gpu,
                     .flags = bo->flags,
                     .ipc_flags = bo->ipc_flags,
                     .segment = bo->foreign ? bo->segment : p->gpus[bo->gpu].pages.segment};
    int pair[2], own_lease = -1;
    memcpy(share.magic, share_magic, sizeof(share.magic));
    if (!bo->foreign) {
        own_lease = new_lease(bo);
        if (own_lease < 0) return own_lease;
        bo->noted = true;
    }
    int passed[N_PASSED] = {file_of(p, bo), bo->foreign ? base_kept(&bo->lease) : own_lease};
    int error = socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) == 0 ? 0 : -errno;
    if (error == 0) {
        error = kfd_send_descriptors(pair[1], &share, sizeof(share), passed, N_PASSED);
        *fd = error == 0 ? fcntl(pair[0], F_DUPFD_CLOEXEC, 3) : -1;
        if (error == 0 && *fd < 0) error = -errno;
        close(pair[0]);
        close(pair[1]);
    }
    close_fd(own_lease);
    return error;
}

/* ---- import ---- */

/* Reads the message of a DMA-BUF and, if fds is not NULL, the descriptors that it carries. 0 or
 * -EINVAL. */
static int peek_share(int fd, share_t *share, int fds[N_PASSED])
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(N_PASSED * sizeof(int))];
    } control;
    struct iovec data = {share, sizeof(*share)};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    ssize_t n = recvmsg(fd, &message, MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *rights = n < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (!rights || rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS)
        return -EINVAL;
    int got[N_PASSED] = {-1, -1};
    size_t n_got = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(got, CMSG_DATA(rights), n_got * sizeof(int));
    bool good = n == sizeof(*share) && n_got == N_PASSED && !(message.msg_flags & MSG_CTRUNC) &&
                memcmp(share->magic, share_magic, sizeof(share_magic)) == 0;
    for (size_t i = 0; i < N_PASSED; i++) {
        if (good && fds)
            fds[i] = base_file_own(got[i]);
        else
            close_fd(got[i]);
    }
    if (good && fds && (fds[0] < 0 || fds[1] < 0)) {
        close_fd(fds[0]);
        close_fd(fds[1]);
        return -EMFILE;
    }
    return good ? 0 : -EINVAL;
}

static bool is_sound(const kfd_pages_t *pages, const share_t *share)
{
    uint64_t all = kfd_pages_sound(pages);
    return all >= KFD_PAGE && share->size && share->size % KFD_PAGE == 0 &&
           share->offset % KFD_PAGE == 0 && share->offset <= all &&
           share->size <= all - share->offset && share->note_offset % KFD_BO_NOTE_BYTES == 0 &&
           share->note_offset <= all - KFD_BO_NOTE_BYTES;
}

/* An object of this process that is the same memory. */
static kfd_bo_t *find_same(kfd_process_t *p, const struct stat *st, const share_t *share)
{
    for (kfd_bo_t *bo = p->bos; bo; bo = bo->next) {
        const kfd_gpu_t *gpu = &p->gpus[bo->gpu];
        dev_t dev = bo->foreign ? bo->file.file.device : gpu->file_dev;
        ino_t ino = bo->foreign ? bo->file.file.inode : gpu->file_ino;
        if (ino == st->st_ino && dev == st->st_dev && bo->offset == share->offset) return bo;
    }
    return NULL;
}

static int map_foreign(kfd_bo_t *bo, const kfd_pages_t *pages)
{
    uint64_t in_page = bo->note_offset % KFD_PAGE;
    bo->host = kfd_pages_alias(pages, bo->offset, bo->size);
    if (!bo->host) return -errno;
    bo->notes = kfd_pages_alias(pages, bo->note_offset - in_page, KFD_PAGE);
    int error = bo->notes ? 0 : -errno;
    if (error != 0) syscall(SYS_munmap, bo->host, bo->size);
    bo->notes += in_page;
    return error;
}

static int adopt(kfd_process_t *p, const share_t *share, const int fds[N_PASSED], kfd_bo_t **out)
{
    kfd_bo_t *bo = calloc(1, sizeof(*bo));
    if (!bo) return -ENOMEM;
    *bo = (kfd_bo_t){.gpu = share->gpu,
                     .flags = share->flags,
                     .ipc_flags = share->ipc_flags,
                     .size = share->size,
                     .offset = share->offset,
                     .note_offset = share->note_offset,
                     .foreign = true,
                     .segment = share->segment,
                     .file = base_keep(fds[0]),
                     .lease = base_keep(fds[1])};
    int error = kfd_ranges_take(&p->windows, bo->size, KFD_PAGE, &bo->mmap_offset);
    if (error == 0) {
        error = map_foreign(bo, &(kfd_pages_t){.fd = fds[0], .segment = share->segment});
        if (error != 0) kfd_ranges_give(&p->windows, bo->mmap_offset, bo->size);
    }
    if (error != 0) {
        free(bo);
        return error;
    }
    enter(p, bo);
    *out = bo;
    return 0;
}

int kfd_bo_import(kfd_process_t *p, int fd, kfd_bo_t **out)
{
    share_t share;
    struct stat st;
    int fds[N_PASSED], error = peek_share(fd, &share, fds);
    if (error != 0) return error;
    const kfd_pages_t pages = {.fd = fds[0], .segment = share.segment};
    if (kfd_fstat(fds[0], &st) != 0 || !is_sound(&pages, &share))
        error = -EINVAL;
    else if (share.gpu >= p->n_gpus)
        error = -ENODEV;
    kfd_bo_t *same = error == 0 ? find_same(p, &st, &share) : NULL;
    if (same) {
        if (same->references++ == 0) p->n_parked--; /* until now only other processes held it */
        *out = same;
    } else if (error == 0) {
        error = adopt(p, &share, fds, out);
        if (error == 0) return 0; /* the object keeps both descriptors */
    }
    close(fds[0]);
    close(fds[1]);
    return error;
}

int64_t kfd_bo_descriptor_size(int fd)
{
    share_t share;
    return peek_share(fd, &share, NULL) == 0 ? (int64_t)share.size : -EINVAL;
}

/* Finds the memory of another process to which `*offset` of a render node is assigned
 * (SOFTGPU_IMPORT_WINDOW), and converts *offset to an offset in *pages. */
static int find_window(const kfd_process_t *p, uint64_t *offset, uint64_t bytes, kfd_pages_t *pages)
{
    for (const kfd_bo_t *bo = p->bos; bo; bo = bo->next) {
        if (!bo->foreign || *offset < bo->mmap_offset || *offset - bo->mmap_offset >= bo->size)
            continue;
        uint64_t at = *offset - bo->mmap_offset;
        if (bytes > base_round_up(bo->size - at, KFD_PAGE)) return -EINVAL;
        *offset = bo->offset + at;
        *pages = (kfd_pages_t){.fd = base_kept(&bo->file), .segment = bo->segment};
        return pages->fd < 0 ? -EBADF : 0;
    }
    return -EINVAL;
}

/* Finds the pages of a DMA-BUF. The caller closes *opened, unless it is -1. */
static int find_shared(int fd, uint64_t *offset, uint64_t bytes, kfd_pages_t *pages, int *opened)
{
    share_t share;
    int fds[N_PASSED];
    if (peek_share(fd, &share, fds) != 0) return -ENODEV;
    close(fds[1]);
    *opened = fds[0];
    *pages = (kfd_pages_t){.fd = fds[0], .segment = share.segment};
    if (*offset > share.size || bytes > share.size - *offset || !is_sound(pages, &share))
        return -EINVAL;
    *offset += share.offset;
    return 0;
}

void *kfd_bo_map(kfd_process_t *p, int fd, uint64_t offset, void *address, uint64_t bytes,
                 int protection, int flags)
{
    uint32_t gpu;
    kfd_pages_t pages;
    int opened = -1, error = 0;
    kfd_node_t node = kfd_node_of(fd, &gpu);
    if (node == KFD_NODE_NONE) {
        error = find_shared(fd, &offset, bytes, &pages, &opened);
    } else if (offset >= SOFTGPU_IMPORT_WINDOW) {
        error = node == KFD_NODE_RENDER ? find_window(p, &offset, bytes, &pages) : -EINVAL;
    } else {
        pages = node == KFD_NODE_RENDER ? p->gpus[gpu].pages : p->pages;
        if (!pages.segment) error = -ENODEV;
    }
    void *at = MAP_FAILED;
    if (error == 0)
        at = kfd_pages_map(&pages, offset, address, bytes, protection, flags);
    else
        errno = -error;
    error = errno;
    close_fd(opened);
    errno = error;
    return at;
}

void kfd_bo_forget(kfd_process_t *p)
{
    for (kfd_bo_t *bo = p->bos; bo; bo = bo->next) {
        base_kept_close(&bo->file);
        base_kept_close(&bo->lease);
        for (uint32_t i = 0; i < bo->n_leases; i++)
            base_kept_close(&bo->leases[i]);
    }
}
