/* pages.c - see pages.h: the memory of a device node, by memfd or System V shared memory. */
#include "softgpu/kfd/pages.h"

#include "base/file.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int id_of(const kfd_pages_t *pages)
{
    return (int)pages->segment - 1;
}

static void keep_to_ourselves(void *memory, uint64_t bytes)
{
    madvise(memory, bytes, MADV_DONTFORK);
    madvise(memory, bytes, MADV_DONTDUMP);
}

static int create_file(const char *name, uint64_t bytes, kfd_pages_t *pages)
{
    base_file_limit_t limit;
    int fd = base_file_own(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (fd < 0) return -errno;
    base_file_limit_begin(&limit, true);
    int error = ftruncate(fd, (off_t)bytes) == 0 ? 0 : -errno;
    base_file_limit_end(&limit);
    if (error != 0) {
        close(fd);
        return error;
    }
    /* a process that maps the file can rely on its size */
    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    *pages = (kfd_pages_t){.fd = fd};
    return 0;
}

/* The segment is marked for removal at once, and lives as long as a process has mapped it. Until
 * then other processes of the same user can map it by its id. */
static int create_segment(uint64_t bytes, kfd_pages_t *pages)
{
    int fd = base_file_own(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (fd < 0) return -errno;
    int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | SHM_NORESERVE | 0600);
    void *base = id < 0 ? MAP_FAILED : shmat(id, NULL, 0);
    int error = base == MAP_FAILED ? -errno : 0;
    if (id >= 0) shmctl(id, IPC_RMID, NULL);
    if (error != 0) {
        close(fd);
        return error;
    }
    keep_to_ourselves(base, bytes);
    *pages = (kfd_pages_t){.fd = fd, .segment = (uint32_t)id + 1, .base = base};
    return 0;
}

int kfd_pages_create(const char *name, uint64_t bytes, kfd_pages_t *pages)
{
    int error = create_file(name, bytes, pages);
    if (error != -EFBIG) return error;
    error = create_segment(bytes, pages);
    if (error != 0)
        base_error("the limit on the size of files (ulimit -f) does not allow a file of %llu bytes "
                   "for the GPU's memory, and the system no shared memory in its place",
                   (unsigned long long)bytes);
    return error;
}

/* shmat() attaches the whole segment only. So this function reserves addresses as mmap() would, and
 * moves a mapping of the wanted part of the segment there. */
static void *map_segment(const kfd_pages_t *pages, uint64_t offset, void *address, uint64_t bytes,
                         int protection, int flags)
{
    const int where = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE | MAP_32BIT);
    char *all = shmat(id_of(pages), NULL, 0);
    if (all == MAP_FAILED) return MAP_FAILED;
    void *place =
        mmap(address, bytes, PROT_NONE, where | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *p = place;
    if (place != MAP_FAILED)
        p = mremap(all + offset, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
    if (p != MAP_FAILED && mprotect(p, bytes, protection) != 0) p = MAP_FAILED;
    int error = errno;
    if (p == MAP_FAILED && place != MAP_FAILED) syscall(SYS_munmap, place, bytes);
    shmdt(all);
    errno = error;
    return p;
}

void *kfd_pages_map(const kfd_pages_t *pages, uint64_t offset, void *address, uint64_t bytes,
                    int protection, int flags)
{
    if (pages->segment) return map_segment(pages, offset, address, bytes, protection, flags);
    return mmap(address, bytes, protection, flags, pages->fd, (off_t)offset);
}

void *kfd_pages_alias(const kfd_pages_t *pages, uint64_t offset, uint64_t bytes)
{
    if (pages->base) return pages->base + offset;
    void *p = kfd_pages_map(pages, offset, NULL, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_NORESERVE);
    if (p == MAP_FAILED) return NULL;
    keep_to_ourselves(p, bytes);
    return p;
}

uint64_t kfd_pages_sound(const kfd_pages_t *pages)
{
    struct shmid_ds segment;
    struct stat st;
    if (pages->segment)
        return shmctl(id_of(pages), IPC_STAT, &segment) == 0 && segment.shm_perm.cuid == geteuid()
                   ? segment.shm_segsz
                   : 0;
    int seals = fcntl(pages->fd, F_GET_SEALS);
    return seals >= 0 && seals & F_SEAL_SHRINK && syscall(SYS_fstat, pages->fd, &st) == 0
               ? (uint64_t)st.st_size
               : 0;
}
