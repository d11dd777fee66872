/* share_test.c - memory that leaves its process: descriptors, DRM's handles, IPC handles.
 *
 * On a stand-in device, with forked children as the other processes. */
#include "fake_device.h"

#include "base/file.h"
#include "softgpu/kfd/bo.h"
#include "softgpu/kfd/kfd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libdrm/amdgpu_drm.h>
#include <libdrm/drm.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MB = 1 << 20, PAGE = 4096 };
#define RW            (1u << 31) /* KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE, without overflow */
#define EXPORT_DMABUF _IOWR('K', KFD_NR_EXPORT_DMABUF, struct kfd_export_dmabuf_args)
#define IPC_EXPORT    _IOWR('K', KFD_NR_IPC_EXPORT, struct kfd_ipc_export_args)
#define IPC_IMPORT    _IOWR('K', KFD_NR_IPC_IMPORT, struct kfd_ipc_import_args)

static kfd_process_t *process;

static int call(unsigned long request, void *argument)
{
    return kfd_ioctl(process, request, argument);
}

static int drm(unsigned long request, void *argument)
{
    return kfd_drm_ioctl(&process->gpus[0], request, argument);
}

static uint64_t alloc(uint64_t va, uint64_t size, uint32_t kind)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args args = {
        .va_addr = va, .size = size, .flags = kind | RW, .gpu_id = kfd_gpu_id(0)};
    assert_int_equal(call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args), 0);
    return args.handle;
}

static int free_memory(uint64_t handle)
{
    struct kfd_ioctl_free_memory_of_gpu_args args = {.handle = handle};
    return call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
}

static int map_gpu(uint64_t handle)
{
    uint32_t id = kfd_gpu_id(0);
    struct kfd_ioctl_map_memory_to_gpu_args args = {
        .handle = handle, .device_ids_array_ptr = (uintptr_t)&id, .n_devices = 1};
    return call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);
}

static int unmap_gpu(uint64_t handle)
{
    uint32_t id = kfd_gpu_id(0);
    struct kfd_ioctl_unmap_memory_from_gpu_args args = {
        .handle = handle, .device_ids_array_ptr = (uintptr_t)&id, .n_devices = 1};
    return call(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args);
}

static int export_memory(uint64_t handle)
{
    struct kfd_export_dmabuf_args args = {.handle = handle, .flags = O_CLOEXEC};
    int error = call(EXPORT_DMABUF, &args);
    return error ? error : (int)args.dmabuf_fd;
}

static int import_memory(int fd, uint64_t va, uint64_t *handle)
{
    struct kfd_ioctl_import_dmabuf_args args = {
        .va_addr = va, .gpu_id = kfd_gpu_id(0), .dmabuf_fd = (uint32_t)fd};
    int error = call(AMDKFD_IOC_IMPORT_DMABUF, &args);
    *handle = args.handle;
    return error;
}

static uint64_t available(void)
{
    struct kfd_ioctl_get_available_memory_args args = {.gpu_id = kfd_gpu_id(0)};
    assert_int_equal(call(AMDKFD_IOC_AVAILABLE_MEMORY, &args), 0);
    return args.available;
}

static uint32_t *seen_by_device(uint64_t va)
{
    return sg_memory_host(process->gpus[0].memory, va, 4, SG_MEM_WRITABLE);
}

static int address(uint32_t operation, uint32_t handle, uint64_t va, uint64_t offset, uint64_t size)
{
    struct drm_amdgpu_gem_va args = {.handle = handle,
                                     .operation = operation,
                                     .flags = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE,
                                     .va_address = va,
                                     .offset_in_bo = offset,
                                     .map_size = size};
    return drm(DRM_IOCTL_AMDGPU_GEM_VA, &args);
}

static int prime_import(int fd, uint32_t *handle)
{
    struct drm_prime_handle args = {.fd = fd};
    int error = drm(DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);
    *handle = args.handle;
    return error;
}

static int close_handle(uint32_t handle)
{
    struct drm_gem_close args = {.handle = handle};
    return drm(DRM_IOCTL_GEM_CLOSE, &args);
}

/* Runs `work` as another process with GPUs of its own, and returns its exit status. */
static int in_another_process(int (*work)(void *), void *argument)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        kfd_process_forget();
        kfd_tree_forget();
        process = kfd_process_get();
        _exit(process ? work(argument) : 99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static const uint64_t here = 0x10000000, there = 0x30000000;

static void a_descriptor_is_the_memory(void **state)
{
    (void)state;
    uint64_t buffer = alloc(here, 2 * MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM), same;
    assert_int_equal(map_gpu(buffer), 0);
    *seen_by_device(here + PAGE) = 77;
    int fd = export_memory(buffer);
    assert_true(fd > 2);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(kfd_bo_descriptor_size(fd), 2 * MB);

    struct kfd_ioctl_get_dmabuf_info_args info = {.dmabuf_fd = (uint32_t)fd, .metadata_size = 64};
    assert_int_equal(call(AMDKFD_IOC_GET_DMABUF_INFO, &info), 0);
    assert_int_equal(info.size, 2 * MB);
    assert_int_equal(info.gpu_id, kfd_gpu_id(0));
    assert_true(info.flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    assert_int_equal(info.metadata_size, 0);

    assert_int_equal(import_memory(fd, there, &same), 0);
    assert_int_equal(map_gpu(same), 0);
    assert_int_equal(*seen_by_device(there + PAGE), 77);

    /* mmap() of the descriptor itself */
    const int access = PROT_READ | PROT_WRITE;
    uint32_t *p = kfd_bo_map(process, fd, PAGE, NULL, PAGE, access, MAP_SHARED);
    assert_ptr_not_equal(p, MAP_FAILED);
    *p = 78;
    assert_int_equal(*seen_by_device(here + PAGE), 78);
    munmap(p, PAGE);
    assert_ptr_equal(kfd_bo_map(process, fd, PAGE, NULL, 2 * MB, access, MAP_SHARED), MAP_FAILED);
    assert_int_equal(errno, EINVAL);

    assert_int_equal(unmap_gpu(same), 0);
    assert_int_equal(free_memory(same), 0);
    assert_int_equal(unmap_gpu(buffer), 0);
    assert_int_equal(free_memory(buffer), 0);
    close(fd);
}

/* The owner may free what others hold: it stays as it is, and counts as used, until all are gone.
 */
static void memory_stays_while_held(void **state)
{
    (void)state;
    uint64_t before = available(), buffer = alloc(here, MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM), again;
    assert_int_equal(map_gpu(buffer), 0);
    *seen_by_device(here) = 5;
    int fd = export_memory(buffer), copy = dup(fd);
    assert_int_equal(unmap_gpu(buffer), 0);
    assert_int_equal(free_memory(buffer), 0);
    close(fd);
    assert_int_equal(before - available(), MB);
    assert_int_equal(import_memory(copy, there, &again), 0); /* back from the descriptor alone */
    assert_int_equal(map_gpu(again), 0);
    assert_int_equal(*seen_by_device(there), 5);
    assert_int_equal(unmap_gpu(again), 0);
    assert_int_equal(free_memory(again), 0);
    assert_int_equal(before - available(), MB);
    close(copy);
    assert_int_equal(available(), before);
}

static int change_the_memory(void *argument)
{
    uint64_t handle, twice;
    int fd = *(int *)argument;
    uint64_t before = available();
    if (import_memory(fd, there, &handle) != 0 || map_gpu(handle) != 0) return 1;
    uint32_t *p = seen_by_device(there);
    if (!p || *p != 1234) return 2;
    *p = 4321;
    if (import_memory(fd, there + MB, &twice) != 0 || map_gpu(twice) != 0) return 3;
    if (seen_by_device(there + MB) != p) return 4; /* one object, mapped once */
    if (available() != before) return 5;           /* it is not this process's memory */
    int onwards = export_memory(handle);           /* given on, it is still the first one's */
    if (kfd_bo_descriptor_size(onwards) != MB) return 6;
    if (unmap_gpu(handle) != 0 || free_memory(handle) != 0) return 7;
    *seen_by_device(there + MB) += 1;
    return 0;
}

static void processes_share_memory(void **state)
{
    (void)state;
    uint64_t before = available(), buffer = alloc(here, MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    assert_int_equal(map_gpu(buffer), 0);
    *seen_by_device(here) = 1234;
    int fd = export_memory(buffer);
    assert_int_equal(in_another_process(change_the_memory, &fd), 0);
    assert_int_equal(*seen_by_device(here), 4322);
    close(fd);
    assert_int_equal(unmap_gpu(buffer), 0);
    assert_int_equal(free_memory(buffer), 0);
    assert_int_equal(available(), before); /* the other's end has ended its leases */
}

/* Memory without an address, put at addresses by DRM: the runtimes' virtual memory management. */
static void memory_moves_between_addresses(void **state)
{
    (void)state;
    uint64_t before = available(), buffer = alloc(0, MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    uint32_t handle, same;
    assert_int_equal(map_gpu(buffer), -EINVAL);
    int fd = export_memory(buffer);
    assert_int_equal(prime_import(fd, &handle), 0);
    assert_int_equal(prime_import(fd, &same), 0);
    assert_int_equal(handle, same);
    close(fd);

    assert_int_equal(address(AMDGPU_VA_OP_MAP, handle, here, 0, MB), 0);
    assert_int_equal(address(AMDGPU_VA_OP_MAP, handle, there, MB / 2, MB / 2), 0);
    *seen_by_device(here + MB / 2 + 8) = 99;
    assert_int_equal(*seen_by_device(there + 8), 99);
    assert_int_equal(address(AMDGPU_VA_OP_MAP, handle, here, 0, PAGE), -EINVAL); /* it is taken */
    assert_int_equal(address(AMDGPU_VA_OP_MAP, handle, here + MB, PAGE, MB), -EINVAL);
    assert_int_equal(address(AMDGPU_VA_OP_MAP, handle, here + MB, 0, 100), -EINVAL);
    assert_int_equal(address(AMDGPU_VA_OP_UNMAP, handle, here + PAGE, 0, MB), -ENOENT);
    assert_int_equal(address(AMDGPU_VA_OP_UNMAP, handle, here, 0, MB), 0);
    assert_null(seen_by_device(here));
    assert_int_equal(*seen_by_device(there + 8), 99);

    /* a hole in the middle of what is left */
    assert_int_equal(address(AMDGPU_VA_OP_CLEAR, 0, there + MB / 8, 0, MB / 8), 0);
    assert_null(seen_by_device(there + MB / 8));
    assert_null(seen_by_device(there + MB / 4 - 4));
    assert_int_equal(*seen_by_device(there + 8), 99);
    assert_non_null(seen_by_device(there + MB / 4));
    *seen_by_device(there + MB / 4) = 17;
    /* and its end replaced by the object's beginning */
    assert_int_equal(address(AMDGPU_VA_OP_REPLACE, handle, there + MB / 4, 0, MB / 4), 0);
    assert_int_not_equal(*seen_by_device(there + MB / 4), 17);

    union drm_amdgpu_gem_mmap where = {.in = {.handle = handle}};
    assert_int_equal(drm(DRM_IOCTL_AMDGPU_GEM_MMAP, &where), 0);
    uint32_t *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, process->gpus[0].pages.fd,
                       (off_t)where.out.addr_ptr);
    assert_ptr_not_equal(p, MAP_FAILED);
    *p = 55;
    assert_int_equal(*seen_by_device(there + MB / 4), 55);
    munmap(p, PAGE);

    assert_int_equal(free_memory(buffer), 0);
    assert_int_equal(before - available(), MB); /* the handle keeps it */
    assert_int_equal(close_handle(handle), 0);
    assert_int_equal(close_handle(handle), -EINVAL);
    assert_null(seen_by_device(there + 8));
    assert_int_equal(available(), before);
}

static int reach_through_a_handle(void *argument)
{
    uint32_t handle;
    union drm_amdgpu_gem_mmap where;
    if (prime_import(*(int *)argument, &handle) != 0) return 1;
    where.in.handle = handle;
    if (drm(DRM_IOCTL_AMDGPU_GEM_MMAP, &where) != 0) return 2;
    /* what mmap() of the render node at this offset is made into */
    uint64_t offset = where.out.addr_ptr + PAGE;
    if (offset < SOFTGPU_IMPORT_WINDOW) return 3;
    const int node = process->gpus[0].pages.fd, access = PROT_READ | PROT_WRITE;
    uint32_t *p = kfd_bo_map(process, node, offset, NULL, PAGE, access, MAP_SHARED);
    if (p == MAP_FAILED || *p != 31) return 4;
    *p = 32;
    offset = where.out.addr_ptr;
    if (kfd_bo_map(process, node, offset, NULL, 2 * MB, access, MAP_SHARED) != MAP_FAILED) return 5;
    offset = 2 * SOFTGPU_IMPORT_WINDOW - PAGE;
    if (kfd_bo_map(process, node, offset, NULL, PAGE, access, MAP_SHARED) != MAP_FAILED) return 6;
    if (address(AMDGPU_VA_OP_MAP, handle, here, PAGE, PAGE) != 0) return 7;
    return *seen_by_device(here) == 32 ? 0 : 8;
}

/* Looks from within each call by which pages leave the table, as a running kernel may: how often
 * the first page or the last was not there. */
static unsigned misses;

int __real_sg_memory_unmap(sg_memory_t *m, uint64_t va, uint64_t size);
int __wrap_sg_memory_unmap(sg_memory_t *m, uint64_t va, uint64_t size);
int __wrap_sg_memory_unmap(sg_memory_t *m, uint64_t va, uint64_t size)
{
    const int error = __real_sg_memory_unmap(m, va, size);
    misses += !sg_memory_find(m, here) + !sg_memory_find(m, here + MB - PAGE);
    return error;
}

/* Pages beside those that are taken from a GPU are never out of reach. */
static void neighbours_stay_in_reach(void **state)
{
    (void)state;
    enum { ROUNDS = 200 };
    union drm_amdgpu_gem_create make = {.in = {.bo_size = MB, .domains = AMDGPU_GEM_DOMAIN_VRAM}};
    assert_int_equal(drm(DRM_IOCTL_AMDGPU_GEM_CREATE, &make), 0);
    const uint32_t handle = make.out.handle;
    assert_int_equal(address(AMDGPU_VA_OP_MAP, handle, here, 0, MB), 0);
    misses = 0;
    for (unsigned n = 0; n < ROUNDS; n++) {
        /* a hole, and from now on two mappings, of which the second gets one */
        const uint64_t at = MB / 2 + (uint64_t)(n % 64) * PAGE;
        assert_int_equal(address(AMDGPU_VA_OP_CLEAR, 0, here + at, 0, PAGE), 0);
        assert_null(seen_by_device(here + at));
        assert_int_equal(address(AMDGPU_VA_OP_MAP, handle, here + at, at, PAGE), 0);
    }
    assert_int_equal(misses, 0);
    for (uint64_t at = 0; at < MB; at += PAGE)
        assert_ptr_equal(seen_by_device(here + at), (uint8_t *)seen_by_device(here) + at);
    assert_int_equal(address(AMDGPU_VA_OP_CLEAR, 0, here, 0, MB), 0);
    assert_null(seen_by_device(here));
    assert_int_equal(close_handle(handle), 0);
}

static void memory_of_another_is_mapped_by_offset(void **state)
{
    (void)state;
    uint64_t buffer = alloc(here, MB, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
    assert_int_equal(map_gpu(buffer), 0);
    *seen_by_device(here + PAGE) = 31;
    int fd = export_memory(buffer);
    assert_int_equal(in_another_process(reach_through_a_handle, &fd), 0);
    assert_int_equal(*seen_by_device(here + PAGE), 32);
    close(fd);
    assert_int_equal(unmap_gpu(buffer), 0);
    assert_int_equal(free_memory(buffer), 0);
}

static int read_and_change_notes(void *argument)
{
    uint32_t handle;
    if (prime_import(*(int *)argument, &handle) != 0) return 1;
    struct drm_amdgpu_gem_metadata m = {.handle = handle,
                                        .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
    if (drm(DRM_IOCTL_AMDGPU_GEM_METADATA, &m) != 0 || m.data.data[0] != 0xabcd) return 2;
    m.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
    m.data.data[1] = 0x1111;
    return drm(DRM_IOCTL_AMDGPU_GEM_METADATA, &m) == 0 ? 0 : 3;
}

/* The newest runtimes mark shared memory so, and take none without its mark. */
static void all_users_see_an_objects_metadata(void **state)
{
    (void)state;
    uint32_t handle, room[64] = {0};
    uint64_t buffer = alloc(here, MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    int fd = export_memory(buffer); /* before there are any */
    assert_int_equal(prime_import(fd, &handle), 0);
    struct drm_amdgpu_gem_metadata m = {.handle = handle,
                                        .op = AMDGPU_GEM_METADATA_OP_GET_METADATA};
    assert_int_equal(drm(DRM_IOCTL_AMDGPU_GEM_METADATA, &m), 0);
    assert_int_equal(m.data.data_size_bytes, 0);
    m.op = AMDGPU_GEM_METADATA_OP_SET_METADATA;
    m.data.data_size_bytes = sizeof(m.data.data) + 4;
    assert_int_equal(drm(DRM_IOCTL_AMDGPU_GEM_METADATA, &m), -EINVAL);
    m.data.data_size_bytes = 8;
    m.data.data[0] = 0xabcd;
    assert_int_equal(drm(DRM_IOCTL_AMDGPU_GEM_METADATA, &m), 0);
    assert_int_equal(in_another_process(read_and_change_notes, &fd), 0);

    struct kfd_ioctl_get_dmabuf_info_args info = {.dmabuf_fd = (uint32_t)fd,
                                                  .metadata_ptr = (uintptr_t)room};
    assert_int_equal(call(AMDKFD_IOC_GET_DMABUF_INFO, &info), -EINVAL);
    assert_int_equal(info.metadata_size, 8);
    assert_int_equal(call(AMDKFD_IOC_GET_DMABUF_INFO, &info), 0);
    assert_int_equal(room[0], 0xabcd);
    assert_int_equal(room[1], 0x1111);
    close(fd);
    assert_int_equal(close_handle(handle), 0);
    assert_int_equal(free_memory(buffer), 0);

    /* the next owner finds none */
    buffer = alloc(here, MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    fd = export_memory(buffer);
    info = (struct kfd_ioctl_get_dmabuf_info_args){.dmabuf_fd = (uint32_t)fd};
    assert_int_equal(call(AMDKFD_IOC_GET_DMABUF_INFO, &info), 0);
    assert_int_equal(info.metadata_size, 0);
    close(fd);
    assert_int_equal(free_memory(buffer), 0);
}

static int open_by_name(void *argument)
{
    struct kfd_ipc_import_args args = {.va_addr = there, .gpu_id = kfd_gpu_id(0)};
    memcpy(args.share_handle, argument, sizeof(args.share_handle));
    if (call(IPC_IMPORT, &args) != 0) return 1;
    if (args.flags != 0x1234 || args.mmap_offset < SOFTGPU_IMPORT_WINDOW) return 2;
    if (map_gpu(args.handle) != 0 || *seen_by_device(there) != 61) return 3;
    *seen_by_device(there) = 62;
    args.share_handle[1] += 1000; /* no such object */
    return call(IPC_IMPORT, &args) == -EINVAL ? 0 : 4;
}

static void memory_is_opened_by_name(void **state)
{
    (void)state;
    struct stat st;
    char path[512];
    uint64_t buffer = alloc(here, MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    struct kfd_ipc_export_args args = {.handle = buffer, .gpu_id = kfd_gpu_id(0), .flags = 0x1234};
    assert_int_equal(map_gpu(buffer), 0);
    *seen_by_device(here) = 61;
    assert_int_equal(call(IPC_EXPORT, &args), 0);
    assert_int_equal(in_another_process(open_by_name, args.share_handle), 0);
    assert_int_equal(*seen_by_device(here), 62);

    /* for the owner alone */
    assert_int_equal(stat(kfd_tree_root(), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    snprintf(path, sizeof(path), "%s/ipc", kfd_tree_root());
    assert_int_equal(stat(path, &st), 0);
    assert_true(S_ISSOCK(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0600);

    assert_int_equal(unmap_gpu(buffer), 0);
    assert_int_equal(free_memory(buffer), 0);
    assert_int_equal(in_another_process(open_by_name, args.share_handle), 1);
    struct kfd_ipc_import_args nonsense = {.share_handle = {1, 2, 3, 4}, .gpu_id = kfd_gpu_id(0)};
    assert_int_equal(call(IPC_IMPORT, &nonsense), -EINVAL);
}

/* A message as a DMA-BUF has it, made by somebody else. */
static int forge(int file, uint64_t offset, uint64_t size, uint32_t gpu)
{
    struct {
        char magic[16];
        uint64_t offset, size, note_offset;
        uint32_t gpu, flags, ipc_flags, unused;
    } share = {"softgpu dma-buf", offset, size, 0, gpu, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, 0, 0};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec data = {&share, sizeof(share)};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    int pair[2], passed[2] = {file, file};
    assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(passed));
    memcpy(CMSG_DATA(&control.header), passed, sizeof(passed));
    assert_int_equal(sendmsg(pair[1], &message, 0), sizeof(share));
    close(pair[1]);
    return pair[0];
}

static void other_descriptors_are_refused(void **state)
{
    (void)state;
    uint64_t handle;
    int pair[2], file = memfd_create("other", MFD_ALLOW_SEALING);
    assert_int_equal(import_memory(-1, there, &handle), -EINVAL);
    assert_int_equal(import_memory(file, there, &handle), -EINVAL);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_int_equal(import_memory(pair[0], there, &handle), -EINVAL); /* and it does not wait */
    assert_int_equal(write(pair[1], "four", 4), 4);
    assert_int_equal(import_memory(pair[0], there, &handle), -EINVAL);
    char text[8];
    assert_int_equal(read(pair[0], text, sizeof(text)), 4); /* the program's own data stay */

    assert_int_equal(ftruncate(file, MB), 0);
    int forged = forge(file, 0, MB, 0);
    assert_int_equal(import_memory(forged, there, &handle), -EINVAL); /* it could shrink */
    assert_int_equal(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    assert_int_equal(import_memory(forged, there, &handle), 0);
    assert_int_equal(free_memory(handle), 0);
    close(forged);
    const struct {
        uint64_t offset, size;
        uint32_t gpu;
        int error;
    } wrong[] = {{0, 2 * MB, 0, -EINVAL},
                 {PAGE, MB, 0, -EINVAL},
                 {UINT64_MAX - PAGE + 1, PAGE, 0, -EINVAL},
                 {0, 100, 0, -EINVAL},
                 {8, PAGE, 0, -EINVAL},
                 {0, 0, 0, -EINVAL},
                 {0, MB, KFD_MAX_GPUS, -ENODEV},
                 {0, MB, 1, -ENODEV}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        forged = forge(file, wrong[i].offset, wrong[i].size, wrong[i].gpu);
        assert_int_equal(import_memory(forged, there, &handle), wrong[i].error);
        close(forged);
    }

    static _Alignas(4096) char own[PAGE]; /* the program's own memory is not the driver's to give */
    struct kfd_ioctl_alloc_memory_of_gpu_args user = {.va_addr = here,
                                                      .size = PAGE,
                                                      .flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | RW,
                                                      .mmap_offset = (uintptr_t)own,
                                                      .gpu_id = kfd_gpu_id(0)};
    assert_int_equal(call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &user), 0);
    assert_int_equal(export_memory(user.handle), -EINVAL);
    assert_int_equal(free_memory(user.handle), 0);
    assert_int_equal(export_memory(12345), -EINVAL);
    close(pair[0]);
    close(pair[1]);
    close(file);
}

static unsigned count_open(void)
{
    unsigned n = 0;
    DIR *d = opendir("/proc/self/fd");
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

/* In the place of a process that has exported memory: answers with more than one descriptor, or
 * with one and no byte. */
static void *answer_otherwise(void *listening)
{
    const int fds[2] = {0, 0};
    uint32_t serial;
    for (size_t round = 0; round < 2; round++) {
        int client = accept(*(int *)listening, NULL, NULL);
        if (recv(client, &serial, sizeof(serial), 0) == sizeof(serial))
            kfd_send_descriptors(client, "", 1 - round, fds, 2 - round);
        close(client);
    }
    return NULL;
}

static int import_from_an_impostor(void *unused)
{
    (void)unused;
    pthread_t thread;
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct kfd_ipc_export_args args = {.handle = alloc(here, MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM)};
    if (call(IPC_EXPORT, &args) != 0) return 1;
    int length = snprintf(at.sun_path, sizeof(at.sun_path), "%s/ipc", kfd_tree_root());
    if (length >= (int)sizeof(at.sun_path) || unlink(at.sun_path) != 0) return 2;
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, 1) != 0) return 3;
    if (pthread_create(&thread, NULL, answer_otherwise, &fd) != 0) return 4;
    unsigned before = count_open();
    int errors = 0;
    for (int round = 0; round < 2; round++) {
        struct kfd_ipc_import_args import = {.va_addr = there, .gpu_id = kfd_gpu_id(0)};
        memcpy(import.share_handle, args.share_handle, sizeof(import.share_handle));
        errors += call(IPC_IMPORT, &import) == -EINVAL;
    }
    pthread_join(thread, NULL);
    unsigned after = count_open();
    kfd_tree_remove();
    return errors != 2 ? 5 : after == before ? 0 : 10 + (int)(after - before);
}

static void wrong_answers_leave_nothing_open(void **state)
{
    (void)state;
    assert_int_equal(in_another_process(import_from_an_impostor, NULL), 0);
}

static void nothing_is_left_open(void **state)
{
    (void)state;
    uint64_t buffer = alloc(here, MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM), same;
    unsigned before = count_open();
    for (int i = 0; i < 20; i++) {
        int fd = export_memory(buffer);
        assert_true(fd > 2);
        assert_int_equal(import_memory(fd, there, &same), 0);
        close(fd);
        assert_int_equal(free_memory(same), 0);
    }
    assert_int_equal(free_memory(buffer), 0); /* and with it the owner's ends of the leases */
    assert_int_equal(count_open(), before);
}

/* Puts another file in the place of all descriptors but the program's own; how many. */
static int take_over(int mine, int taken[], int room)
{
    int n = 0;
    for (int fd = BASE_FILE_LOWEST; fd < BASE_FILE_LOWEST + 500; fd++)
        if (fd != mine && fcntl(fd, F_GETFD) >= 0 && n < room && dup2(mine, fd) == fd)
            taken[n++] = fd;
    return n;
}

static int close_what_is_not_ours(void *argument)
{
    enum { ROOM = 64 };
    struct kfd_ioctl_smi_events_args events = {.gpuid = kfd_gpu_id(0)};
    uint64_t own = alloc(here, MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM), other;
    struct kfd_ipc_export_args ipc = {.handle = own};
    int taken[ROOM], mine = memfd_create("the program's", 0);
    if (import_memory(*(int *)argument, there, &other) != 0 || export_memory(own) < 0) return 1;
    if (call(AMDKFD_IOC_SMI_EVENTS, &events) != 0 || call(IPC_EXPORT, &ipc) != 0) return 2;
    int n = take_over(mine, taken, ROOM);
    if (n < 5) return 3; /* the device, its GPU, two of the other's memory, a lease, a reader */
    if (free_memory(other) != 0 || free_memory(own) != 0) return 4;
    available(); /* which looks after the leases */
    fake.ops.memory_fault(fake.ops.user, 0x1000, 0);
    kfd_process_forget();
    for (int i = 0; i < n; i++)
        if (!base_file_is(taken[i], base_file_id(mine))) return 10 + i;
    return 0;
}

/* Programs close ranges of descriptors and use the numbers again: what is there then is theirs. */
static void descriptors_of_the_program_stay_open(void **state)
{
    (void)state;
    uint64_t buffer = alloc(here, MB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
    int fd = export_memory(buffer);
    assert_int_equal(in_another_process(close_what_is_not_ours, &fd), 0);
    close(fd);
    assert_int_equal(free_memory(buffer), 0);
}

static void readers_learn_of_memory_faults(void **state)
{
    (void)state;
    char text[64] = "";
    struct kfd_ioctl_smi_events_args args = {.gpuid = kfd_gpu_id(0)};
    uint64_t mask = 1ull << (KFD_SMI_EVENT_VMFAULT - 1);
    assert_int_equal(call(AMDKFD_IOC_SMI_EVENTS, &args), 0);
    int fd = (int)args.anon_fd;
    fake.ops.memory_fault(fake.ops.user, 0x1000, 0); /* before it has asked for any */
    assert_int_equal(write(fd, &mask, sizeof(mask)), sizeof(mask));
    assert_int_equal(read(fd, text, sizeof(text)), -1);
    assert_int_equal(errno, EAGAIN);
    fake.ops.memory_fault(fake.ops.user, 0x1000, 0);
    ssize_t n = read(fd, text, sizeof(text) - 1);
    assert_true(n > 0);
    unsigned event, pid;
    assert_int_equal(sscanf(text, "%x %x:", &event, &pid), 2);
    assert_int_equal(event, KFD_SMI_EVENT_VMFAULT);
    assert_int_equal(pid, getpid());
    close(fd);
    fake.ops.memory_fault(fake.ops.user, 0x1000, 0); /* to nobody */
    args.gpuid = 1;
    assert_int_equal(call(AMDKFD_IOC_SMI_EVENTS, &args), -EINVAL);
}

static void what_is_missing_is_refused_as_the_driver_does(void **state)
{
    (void)state;
    struct kfd_ioctl_criu_args criu = {0};
    assert_int_equal(call(AMDKFD_IOC_CRIU_OP, &criu), -EPERM);
    uint64_t debugger[4] = {0};
    assert_int_equal(call(_IOWR('K', KFD_NR_DBG_TRAP, uint64_t[4]), debugger), -ENODEV);
    struct kfd_ioctl_get_queue_wave_state_args waves = {0};
    assert_int_equal(call(AMDKFD_IOC_GET_QUEUE_WAVE_STATE, &waves), -EINVAL);
}

static int set_up(void **state)
{
    (void)state;
    process = kfd_process_get();
    return process ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    kfd_tree_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_descriptor_is_the_memory),
        cmocka_unit_test(memory_stays_while_held),
        cmocka_unit_test(processes_share_memory),
        cmocka_unit_test(memory_moves_between_addresses),
        cmocka_unit_test(neighbours_stay_in_reach),
        cmocka_unit_test(memory_of_another_is_mapped_by_offset),
        cmocka_unit_test(all_users_see_an_objects_metadata),
        cmocka_unit_test(memory_is_opened_by_name),
        cmocka_unit_test(other_descriptors_are_refused),
        cmocka_unit_test(nothing_is_left_open),
        cmocka_unit_test(wrong_answers_leave_nothing_open),
        cmocka_unit_test(descriptors_of_the_program_stay_open),
        cmocka_unit_test(readers_learn_of_memory_faults),
        cmocka_unit_test(what_is_missing_is_refused_as_the_driver_does),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
