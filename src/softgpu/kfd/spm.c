/* spm.c - streaming counters (SPM): copies samples from the GPU's ring buffers to the program.
 *
 * Streaming counters have one user at a time. Each call that names a buffer returns the buffer that
 * the call before named. A buffer is divided evenly among the XCCs; each part has a header with the
 * number of its bytes. Samples that do not fit go to the next buffer. */
#include "isa/arch.h"
#include "softgpu/kfd/kfd.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* The user of a GPU's streaming counters; guarded by `lock`. */
typedef struct {
    bool acquired, started;
    uint8_t *buffer; /* the program's, to be filled; NULL: none */
    uint32_t part;   /* bytes of the buffer for each XCC, with its header */
} user_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static user_t users[KFD_MAX_GPUS];

static uint32_t xccs(void)
{
    return kfd_config()->profile.num_xcc;
}

static int acquire(kfd_gpu_t *gpu, user_t *user)
{
    if (!isa_arch_find(kfd_config()->profile.gfx_target_version)->streams) return -EINVAL;
    if (user->acquired) return -EBUSY;
    if (!sg_device_spm_open(gpu->device)) return -ENOMEM;
    *user = (user_t){.acquired = true};
    return 0;
}

static int release(kfd_gpu_t *gpu, user_t *user)
{
    if (!user->acquired) return -EINVAL;
    sg_device_spm_close(gpu->device);
    *user = (user_t){0};
    return 0;
}

/* Whether the samples of some XCC fill its part of the user's buffer. */
static bool is_full(const kfd_gpu_t *gpu, const user_t *user)
{
    for (uint32_t x = 0; x < xccs(); x++)
        if (sg_device_spm_waiting(gpu->device, x) >= user->part - sizeof(struct kfd_spm_header))
            return true;
    return false;
}

/* Waits until the user's buffer can be filled, for at most `ms` milliseconds. Returns how many of
 * them are left. */
static uint32_t wait_for_samples(const kfd_gpu_t *gpu, const user_t *user, uint32_t ms)
{
    while (ms && user->acquired && !is_full(gpu, user)) {
        pthread_mutex_unlock(&lock);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        pthread_mutex_lock(&lock);
        ms--;
    }
    return ms;
}

/* Fills the user's buffer and returns it to the program. */
static void fill(const kfd_gpu_t *gpu, user_t *user, struct kfd_spm_args *args)
{
    if (!user->buffer) return;
    for (uint32_t x = 0; x < xccs(); x++) {
        uint8_t *part = user->buffer + (size_t)x * user->part;
        struct kfd_spm_header header = {.version = KFD_SPM_VERSION};
        bool lost;
        header.bytes_copied = (uint32_t)sg_device_spm_take(gpu->device, x, part + sizeof(header),
                                                           user->part - sizeof(header), &lost);
        header.has_data_loss = lost;
        memcpy(part, &header, sizeof(header));
        args->bytes_copied += header.bytes_copied;
        args->has_data_loss |= header.has_data_loss;
    }
    user->buffer = NULL;
}

static int set_buffer(kfd_gpu_t *gpu, user_t *user, struct kfd_spm_args *args)
{
    enum { LINE = 32 };
    const uint32_t part = args->buf_size / xccs() / LINE * LINE;
    if (!user->acquired || part <= sizeof(struct kfd_spm_header)) return -EINVAL;
    if (user->buffer) args->timeout = wait_for_samples(gpu, user, args->timeout);
    if (!user->acquired) return -EINVAL;
    args->bytes_copied = args->has_data_loss = 0;
    fill(gpu, user, args);
    /* the first buffer starts a stream: samples of an earlier one are dropped */
    if (args->dest_buf && !user->started && !sg_device_spm_open(gpu->device)) return -ENOMEM;
    user->started = args->dest_buf;
    user->buffer = (uint8_t *)(uintptr_t)args->dest_buf;
    user->part = part;
    return 0;
}

int kfd_spm(kfd_process_t *p, struct kfd_spm_args *args)
{
    kfd_gpu_t *gpu = kfd_gpu_find(p, args->gpu_id);
    int error = -EINVAL;
    if (!gpu) return error;
    user_t *user = &users[gpu->index];
    pthread_mutex_lock(&lock);
    switch (args->op) {
    case KFD_SPM_ACQUIRE: error = acquire(gpu, user); break;
    case KFD_SPM_RELEASE: error = release(gpu, user); break;
    case KFD_SPM_SET_BUFFER: error = set_buffer(gpu, user, args); break;
    default: break;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

void kfd_spm_forget(void)
{
    pthread_mutex_init(&lock, NULL); /* the parent may have held it */
    memset(users, 0, sizeof(users));
}
