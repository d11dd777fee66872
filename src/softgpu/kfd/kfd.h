/* kfd.h - the driver's front end: what its files share.
 *
 * One kfd_process_t stands for what the kernel keeps per process: GPUs with their memory, buffers,
 * queues, events. It is made at the first use and again in a forked child (entry.c). Functions
 * return 0 or -errno, as the kernel's ioctl handlers do. Lock order: process, then events. */
#ifndef SOFTGPU_KFD_KFD_H
#define SOFTGPU_KFD_KFD_H

#include "softgpu/device/device.h"
#include "softgpu/memory/guard.h"
#include "softgpu/kfd/bo.h"
#include "softgpu/kfd/newer.h"
#include "softgpu/kfd/pages.h"
#include "softgpu/kfd/range.h"
#include "softgpu/kfd/svm.h"
#include "softgpu/kfd/seam.h"
#include "softgpu/profile/profile.h"

#include <linux/kfd_ioctl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    KFD_MAX_GPUS = 8,
    KFD_DOORBELL_BYTES = 8192, /* two pages: 1024 slots of 8 bytes */
    KFD_DOORBELL_SLOTS = KFD_DOORBELL_BYTES / 8,
    KFD_PAGE = 4096,
    KFD_FIRST_RENDER_MINOR = SOFTGPU_FIRST_RENDER_MINOR,
    KFD_PCI_REVISION = 2 /* of the MI210: with the device id, libdrm's key to the marketing name */
};

/* ---- options (config.c) ---- */

typedef struct {
    sg_profile_t profile;
    uint32_t n_gpus;
    uint32_t minor_version; /* of the KFD interface, 1.x */
    bool svm;               /* offered to the runtimes */
} kfd_config_t;

/* From the environment and the profile, read once. NULL, after one line on stderr, if wrong. */
const kfd_config_t *kfd_config(void);

/* Ids of GPU `index`: any nonzero numbers do, these are stable. */
static inline uint32_t kfd_gpu_id(uint32_t index)
{
    return 40960 + index;
}
static inline uint32_t kfd_gpu_location(uint32_t index)
{
    return (SOFTGPU_FIRST_PCI_BUS + index) << 8;
}

/* ---- the private tree of files (tree.c, topology.c) ---- */

/* Name of this process's tree, made at the first call; NULL with errno if it cannot be made. */
const char *kfd_tree_root(void);
/* Removes the tree of this process, if it has one. */
void kfd_tree_remove(void);
/* In a forked child: the tree is the parent's, forget it. */
void kfd_tree_forget(void);
/* What a file of the tree cannot hold, because the disk is full or files are limited (ulimit -f),
 * memory does. 0 or -errno. */
int kfd_tree_hold(int fd, const char *text, size_t bytes);
/* Opens the text that is held for the file at `path` in the tree. A pipe from which it can be read
 * once, -errno, or -ENOENT: the file has it. */
int kfd_tree_open_held(const char *path, int flags);
/* Writes the whole topology below root. 0 or -errno. */
int kfd_topology_write(const char *root, const kfd_config_t *config);

/* ---- events (events.c) ---- */

typedef struct kfd_events kfd_events_t;

kfd_events_t *kfd_events_create(void);
void kfd_events_destroy(kfd_events_t *e);
/* The page of mailboxes that the thunk allocated, as the device's memory shows it. */
void kfd_events_set_page(kfd_events_t *e, uint64_t *page, size_t bytes);
/* Fills the answer of CREATE_EVENT: id, slot, trigger data, page offset. */
int kfd_event_create(kfd_events_t *e, struct kfd_ioctl_create_event_args *args);
int kfd_event_destroy(kfd_events_t *e, uint32_t id);
int kfd_event_set(kfd_events_t *e, uint32_t id);
int kfd_event_reset(kfd_events_t *e, uint32_t id);
/* Waits; `ages` says whether the caller knows last_event_age (interface 1.14 and later). */
int kfd_events_wait(kfd_events_t *e, struct kfd_ioctl_wait_events_args *args, bool ages);
/* An interrupt of the GPU for event `id`. Any thread; unknown ids are ignored, as the driver does.
 */
void kfd_events_raise(kfd_events_t *e, uint32_t id);
/* Raises all memory events with this fault. False if nobody has created one. */
bool kfd_events_memory_fault(kfd_events_t *e, const struct kfd_hsa_memory_exception_data *fault);

/* ---- state of a process ---- */

typedef struct kfd_gpu {
    uint32_t index, gpu_id;
    struct kfd_process *process;
    sg_device_t *device;
    sg_memory_t *memory;
    kfd_pages_t pages;   /* the render node: VRAM and system memory are its ranges */
    uint8_t *alias;      /* the memory in it, as the device sees it */
    uint8_t *notes;      /* what follows the memory */
    uint64_t file_bytes; /* the memory in it; the notes follow */
    kfd_ranges_t ranges; /* free ranges of the memory */
    uint64_t vram_bytes, vram_used;
    uint64_t system_bytes, system_used;
    uint64_t *doorbells; /* the device's alias of the doorbell page */
    uint8_t *mmio;       /* the page with the remapped HDP flush registers */
    uint64_t doorbell_used[KFD_DOORBELL_SLOTS / 64];
    dev_t file_dev; /* of the node: how one that comes from elsewhere is known to be this one */
    ino_t file_ino;
    struct kfd_gem *gems; /* DRM's handles: handle - 1 is the row */
    uint32_t n_gems;
    struct kfd_svm_extent *svm;      /* the program's own memory in the page table */
    struct kfd_pc_session *sampling; /* sessions of PC sampling */
    uint32_t last_session;           /* its number */
} kfd_gpu_t;

typedef struct kfd_buffer {
    uint64_t va, size;
    kfd_bo_t *bo;    /* of memory kinds; NULL: a device page or the program's own memory */
    uint8_t *host;   /* where the device finds the bytes */
    uint32_t flags;  /* KFD_IOC_ALLOC_MEM_FLAGS_* */
    uint32_t gpu;    /* index of the owner */
    uint32_t mapped; /* bit i: mapped on GPU i */
    bool mailboxes;  /* those of events are in it: SG_MEM_MAILBOXES where it is mapped */
    bool used;
} kfd_buffer_t;

typedef struct kfd_queue {
    struct kfd_process *process;
    kfd_gpu_t *gpu;
    sg_queue_t *queue; /* NULL: free row */
    uint32_t id, slot;
    uint64_t save_area; /* GPU address of where waves would be saved; its header is the runtime's */
} kfd_queue_t;

typedef struct kfd_process {
    pthread_mutex_t lock; /* guards everything below except events */
    const kfd_config_t *config;
    kfd_pages_t pages; /* /dev/kfd: doorbell and register pages are its ranges */
    uint32_t n_gpus;
    kfd_gpu_t gpus[KFD_MAX_GPUS];
    kfd_buffer_t *buffers; /* handle - 1 is the row */
    size_t n_buffers;
    uint64_t event_page;  /* handle of the buffer that holds it, or 0 */
    kfd_queue_t **queues; /* row is the queue's id */
    size_t n_queues;
    bool xnack;
    kfd_bo_t *bos; /* all buffer objects */
    uint32_t last_serial, n_parked;
    kfd_ranges_t windows;     /* offsets of render nodes that stand for memory of other processes */
    pthread_mutex_t svm_lock; /* guards svm and the GPUs' svm; may be taken under lock */
    struct kfd_svm_range *_Atomic svm;
    base_kept_t ipc_socket; /* where other processes ask for memory */
    kfd_events_t *events;
} kfd_process_t;

/* process.c: the state of the calling process, made if need be. NULL, after one line on stderr. */
kfd_process_t *kfd_process_get(void);
/* The same, NULL if there is none yet. */
kfd_process_t *kfd_process_peek(void);
/* In a forked child: the state is the parent's. The child starts anew at its first ioctl. */
void kfd_process_forget(void);
/* Which device is fd? */
typedef enum { KFD_NODE_NONE, KFD_NODE_KFD, KFD_NODE_RENDER } kfd_node_t;
kfd_node_t kfd_node_of(int fd, uint32_t *gpu_index);
kfd_node_t kfd_node_of_file(const struct stat *st, uint32_t *gpu_index);
/* fstat() of the kernel: the program's shows devices as device nodes. */
int kfd_fstat(int fd, struct stat *st);
/* Where the pages of a GPU lie in those of /dev/kfd. */
uint64_t kfd_doorbell_offset(uint32_t gpu);
uint64_t kfd_mmio_offset(uint32_t gpu);
kfd_gpu_t *kfd_gpu_find(kfd_process_t *p, uint32_t gpu_id);

/* ---- ioctls (ioctl.c, buffers.c, queues.c, sampling.c, drm.c): 0 or -errno ---- */

int kfd_ioctl(kfd_process_t *p, unsigned long request, void *argument);
int kfd_drm_ioctl(kfd_gpu_t *gpu, unsigned long request, void *argument);
/* The part of DRM that is about memory; -ENOTTY if `number` is none of it. */
int kfd_gem_ioctl(kfd_gpu_t *gpu, unsigned number, void *argument);

int kfd_buffer_alloc(kfd_process_t *p, struct kfd_ioctl_alloc_memory_of_gpu_args *args);
int kfd_buffer_free(kfd_process_t *p, struct kfd_ioctl_free_memory_of_gpu_args *args);
int kfd_buffer_map(kfd_process_t *p, struct kfd_ioctl_map_memory_to_gpu_args *args);
int kfd_buffer_unmap(kfd_process_t *p, struct kfd_ioctl_unmap_memory_from_gpu_args *args);
int kfd_buffer_export(kfd_process_t *p, struct kfd_export_dmabuf_args *args);
int kfd_buffer_import(kfd_process_t *p, struct kfd_ioctl_import_dmabuf_args *args);
int kfd_buffer_dmabuf_info(kfd_process_t *p, struct kfd_ioctl_get_dmabuf_info_args *args);
/* A buffer at `va` for an object; takes over the reference, also when it fails. Under the lock. */
int kfd_buffer_adopt(kfd_process_t *p, kfd_bo_t *bo, uint64_t va, uint64_t *handle);
/* The buffer of a handle, or NULL. Under the lock. */
kfd_buffer_t *kfd_buffer_find(kfd_process_t *p, uint64_t handle);
/* The buffer holds the mailboxes of events from now on: its mappings get SG_MEM_MAILBOXES. Under
 * the process's lock. 0 or a negative errno value. */
int kfd_buffer_set_mailboxes(kfd_process_t *p, kfd_buffer_t *b);
uint64_t kfd_vram_available(kfd_process_t *p, kfd_gpu_t *gpu);
/* Whether the program has all of its own memory there mapped. */
bool kfd_is_mapped(uint64_t begin, uint64_t bytes);

/* ipc.c: handles that other processes open by name */
int kfd_ipc_export(kfd_process_t *p, struct kfd_ipc_export_args *args);
int kfd_ipc_import(kfd_process_t *p, struct kfd_ipc_import_args *args);

/* smi.c: descriptors from which management tools read what happens to a GPU */
int kfd_smi_open(kfd_gpu_t *gpu, int *fd);
/* Events. Any thread; one load where nobody reads. */
void kfd_smi_memory_fault(const kfd_gpu_t *gpu);
/* A range of shared virtual memory goes from one place to another: GPU ids, or 0 for the host. */
typedef struct {
    uint64_t begin, end;
    uint32_t from, to, prefetched, preferred;
} kfd_smi_migration_t;
void kfd_smi_migrate(const kfd_gpu_t *gpu, bool begins, const kfd_smi_migration_t *m);
/* The GPU has lost memory because the program has unmapped it. */
void kfd_smi_unmapped(const kfd_gpu_t *gpu, uint64_t begin, uint64_t end);
void kfd_smi_forget(void);

/* spm.c: streaming counters */
int kfd_spm(kfd_process_t *p, struct kfd_spm_args *args);
void kfd_spm_forget(void);

/* sampling.c */
int kfd_set_trap_handler(kfd_process_t *p, const struct kfd_ioctl_set_trap_handler_args *args);
int kfd_pc_sample(kfd_process_t *p, struct kfd_pc_sample_args *args);

int kfd_queue_create(kfd_process_t *p, struct kfd_ioctl_create_queue_args *args);
/* Tells a runtime that wants to hear of them from the driver, and not from the queue's inactive
 * signal, of an error: `code` as that signal has it. */
void kfd_queue_exception(const kfd_queue_t *row, uint64_t code);
int kfd_queue_destroy(kfd_process_t *p, uint32_t id);
int kfd_queue_update(kfd_process_t *p, const struct kfd_ioctl_update_queue_args *args);
int kfd_queue_set_cu_mask(kfd_process_t *p, const struct kfd_ioctl_set_cu_mask_args *args);
int kfd_queue_alloc_gws(kfd_process_t *p, struct kfd_ioctl_alloc_queue_gws_args *args);

#endif
