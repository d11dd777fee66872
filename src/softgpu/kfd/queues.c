/* queues.c - the ioctls for user-mode queues.
 *
 * This file gives a queue an id and a slot of the doorbell page; the device (device/) executes
 * it. */
#include "softgpu/kfd/kfd.h"

#include "base/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    uint32_t type;
    sg_queue_kind_t kind;
} kinds[] = {
    {KFD_IOC_QUEUE_TYPE_COMPUTE, SG_QUEUE_PM4},     {KFD_IOC_QUEUE_TYPE_COMPUTE_AQL, SG_QUEUE_AQL},
    {KFD_IOC_QUEUE_TYPE_SDMA, SG_QUEUE_SDMA},       {KFD_IOC_QUEUE_TYPE_SDMA_XGMI, SG_QUEUE_SDMA},
    {KFD_QUEUE_TYPE_SDMA_BY_ENGINE, SG_QUEUE_SDMA},
};

static bool kind_of(uint32_t type, sg_queue_kind_t *kind)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].type == type) {
            *kind = kinds[i].kind;
            return true;
        }
    return false;
}

static int take_slot(kfd_gpu_t *gpu, uint32_t *slot)
{
    for (uint32_t i = 0; i < KFD_DOORBELL_SLOTS / 64; i++)
        if (~gpu->doorbell_used[i]) {
            uint32_t bit = (uint32_t)__builtin_ctzll(~gpu->doorbell_used[i]);
            gpu->doorbell_used[i] |= 1ull << bit;
            *slot = 64 * i + bit;
            /* a value that is no packet index, so that ringing with index 0 is a change */
            gpu->doorbells[*slot] = UINT64_MAX;
            return 0;
        }
    return -ENOSPC;
}

static void give_slot(kfd_gpu_t *gpu, uint32_t slot)
{
    gpu->doorbell_used[slot / 64] &= ~(1ull << slot % 64);
}

/* A row for a new queue, entered in the table; NULL when memory runs out. */
static kfd_queue_t *new_row(kfd_process_t *p)
{
    size_t i = 0;
    while (i < p->n_queues && p->queues[i])
        i++;
    if (!BASE_GROW_ZEROS(p->queues, i, &p->n_queues)) return NULL;
    kfd_queue_t *row = calloc(1, sizeof(*row));
    if (row) {
        row->process = p;
        row->id = (uint32_t)i;
        p->queues[i] = row;
    }
    return row;
}

static kfd_queue_t *find(kfd_process_t *p, uint32_t id)
{
    return id < p->n_queues && p->queues[id] && p->queues[id]->queue ? p->queues[id] : NULL;
}

static int check_ring(uint64_t address, uint32_t bytes)
{
    bool power_of_two = bytes && (bytes & (bytes - 1)) == 0;
    return address && power_of_two && bytes >= KFD_MIN_QUEUE_RING_SIZE ? 0 : -EINVAL;
}

int kfd_queue_create(kfd_process_t *p, struct kfd_ioctl_create_queue_args *args)
{
    sg_queue_params_t params = {.ring_va = args->ring_base_address,
                                .ring_bytes = args->ring_size,
                                .read_ptr_va = args->read_pointer_address,
                                .write_ptr_va = args->write_pointer_address,
                                .priority = args->queue_priority,
                                .percent = args->queue_percentage};
    kfd_gpu_t *gpu = kfd_gpu_find(p, args->gpu_id);
    if (!gpu || !kind_of(args->queue_type, &params.kind) ||
        check_ring(args->ring_base_address, args->ring_size) != 0 || !args->read_pointer_address ||
        !args->write_pointer_address || args->queue_percentage > KFD_MAX_QUEUE_PERCENTAGE ||
        args->queue_priority > KFD_MAX_QUEUE_PRIORITY)
        return -EINVAL;

    pthread_mutex_lock(&p->lock);
    kfd_queue_t *row = new_row(p);
    int error = row ? take_slot(gpu, &params.doorbell_slot) : -ENOMEM;
    if (error == 0) {
        row->gpu = gpu;
        row->slot = params.doorbell_slot;
        row->save_area = args->ctx_save_restore_address;
        error = sg_queue_create(gpu->device, &params, row, &row->queue);
        if (error != 0) give_slot(gpu, row->slot);
    }
    if (error != 0 && row) {
        p->queues[row->id] = NULL;
        free(row);
    } else if (error == 0) {
        args->queue_id = row->id;
        args->doorbell_offset = kfd_doorbell_offset(gpu->index) | row->slot * sizeof(uint64_t);
    }
    pthread_mutex_unlock(&p->lock);
    return error;
}

/* The driver's exception for each bit of a queue's inactive signal. */
static const struct {
    uint32_t bit;
    uint8_t exception; /* bit number + 1 */
} exceptions[] = {
    {0x2, 16},        /* dispatch: dimensions */
    {0x4, 17},        /* dispatch: LDS */
    {0x8, 18},        /* dispatch: code */
    {0x20, 20},       /* packet */
    {0x40, 21},       /* dispatch: size of a workgroup */
    {0x80, 22},       /* dispatch: registers */
    {0x100, 23},      /* vendor's packet */
    {0x20000000, 6},  /* wave: aperture */
    {0x40000000, 4},  /* wave: illegal instruction */
    {0x80000000u, 1}, /* wave: abort */
};

void kfd_queue_exception(const kfd_queue_t *row, uint64_t code)
{
    sg_memory_t *memory = row->gpu->memory;
    struct kfd_save_area_header header;
    const void *at = sg_memory_host(memory, row->save_area, sizeof header, 0);
    if (!row->save_area || !at) return;
    memcpy(&header, at, sizeof header);
    uint64_t *reason =
        header.err_payload_addr % sizeof *reason
            ? NULL
            : sg_memory_host(memory, header.err_payload_addr, sizeof *reason, SG_MEM_WRITABLE);
    if (!header.err_payload_addr || !reason) return;
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++)
        if (code & exceptions[i].bit)
            __atomic_fetch_or(reason, UINT64_C(1) << (exceptions[i].exception - 1),
                              __ATOMIC_SEQ_CST);
    kfd_events_raise(row->process->events, header.err_event_id);
}

int kfd_queue_destroy(kfd_process_t *p, uint32_t id)
{
    pthread_mutex_lock(&p->lock);
    kfd_queue_t *row = find(p, id);
    sg_queue_t *queue = row ? row->queue : NULL;
    if (row) row->queue = NULL; /* find() no longer returns the row, which keeps its id and slot */
    pthread_mutex_unlock(&p->lock);
    if (!row) return -EINVAL;

    sg_queue_destroy(queue); /* waits for the queue's thread, so without the lock */

    pthread_mutex_lock(&p->lock);
    give_slot(row->gpu, row->slot);
    p->queues[row->id] = NULL;
    free(row);
    pthread_mutex_unlock(&p->lock);
    return 0;
}

int kfd_queue_update(kfd_process_t *p, const struct kfd_ioctl_update_queue_args *args)
{
    /* as in the driver, a ring address of 0 stops the queue */
    if ((args->ring_base_address && check_ring(args->ring_base_address, args->ring_size) != 0) ||
        args->queue_percentage > KFD_MAX_QUEUE_PERCENTAGE ||
        args->queue_priority > KFD_MAX_QUEUE_PRIORITY)
        return -EINVAL;
    pthread_mutex_lock(&p->lock);
    kfd_queue_t *row = find(p, args->queue_id);
    int error = row ? sg_queue_update(row->queue, args->ring_base_address, args->ring_size,
                                      args->ring_base_address ? args->queue_percentage : 0)
                    : -EINVAL;
    pthread_mutex_unlock(&p->lock);
    return error;
}

int kfd_queue_set_cu_mask(kfd_process_t *p, const struct kfd_ioctl_set_cu_mask_args *args)
{
    enum { MAX_BITS = 1024 }; /* the driver's limit as well */
    const uint32_t *mask = (const uint32_t *)(uintptr_t)args->cu_mask_ptr;
    if (args->num_cu_mask == 0 || args->num_cu_mask % 32 || !mask) return -EINVAL;
    uint32_t bits = args->num_cu_mask < MAX_BITS ? args->num_cu_mask : MAX_BITS;
    pthread_mutex_lock(&p->lock);
    kfd_queue_t *row = find(p, args->queue_id);
    int error = row ? sg_queue_set_cu_mask(row->queue, mask, bits) : -EINVAL;
    pthread_mutex_unlock(&p->lock);
    return error;
}

int kfd_queue_alloc_gws(kfd_process_t *p, struct kfd_ioctl_alloc_queue_gws_args *args)
{
    pthread_mutex_lock(&p->lock);
    const kfd_queue_t *row = find(p, args->queue_id);
    pthread_mutex_unlock(&p->lock);
    if (!row || args->num_gws > p->config->profile.num_gws) return -EINVAL;
    args->first_gws = 0;
    return 0;
}
