/* kfd.h - the types and functions that the files of the driver's front end share.
 *
 * One kfd_process_t holds the state that the kernel's driver keeps for a process: GPUs with their
 * memory, buffers, queues, events. It is made at the first use and anew in a forked child.
 * Functions return 0 or -errno, as the kernel's ioctl handlers do. Lock order: process, then
 * events. */
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
    KFD_FIRST_RENDER_MINOR = SOFTGPU_FIRST_RENDER_MINOR
};

/* ---- options (config.c) ---- */

typedef struct {
    sg_profile_t profile;
    uint32_t n_gpus;
    uint32_t minor_version; /* of the KFD interface, 1.x */
    bool svm;               /* shared virtual memory is offered to the runtimes */
} kfd_config_t;

/* The options, read once from the environment and the profile. NULL, after one line on stderr, if
 * one is wrong. */
const kfd_config_t *kfd_config(void);

/* Id of GPU `index`: any nonzero number is valid; this one is the same in every run. */
static inline uint32_t kfd_gpu_id(uint32_t index)
{
    return 40960 + index;
}
static inline uint32_t kfd_gpu_location(uint32_t index)
{
    return (SOFTGPU_FIRST_PCI_BUS + index) << 8;
}

/* ---- the private tree: a folder in place of the driver's files (tree.c, topology.c) ---- */

/* Path of this process's tree, made at the first call; NULL with errno if it cannot be made. */
const char *kfd_tree_root(void);
/* The folders in which a process makes its tree, if it can, by preference; NULL behind the last. */
const char *kfd_tree_base(unsigned k);
/* Removes the tree of this process, if it has one. */
void kfd_tree_remove(void);
/* In a forked child: forgets the tree, which is the parent's. */
void kfd_tree_forget(void);
/* Keeps the text of a file of the tree in memory. For when the disk is full or the size of files is
 * limited (ulimit -f). 0 or -errno. */
int kfd_tree_hold(int fd, const char *text, size_t bytes);
/* Opens the text that is kept in memory for the file at `path` in the tree: a pipe from which it
 * can be read once. -ENOENT: nothing is kept, the text is in the file. Else -errno. */
int kfd_tree_open_held(const char *path, int flags);
/* Bytes of the host's memory, and of a GPU's: an APU has no memory besides the host's. */
uint64_t kfd_host_memory(void);
uint64_t kfd_vram_bytes(const sg_profile_t *p);
/* Writes the whole topology below root. 0 or -errno. */
int kfd_topology_write(const char *root, const kfd_config_t *config);

/* ---- events (events.c) ---- */

typedef struct kfd_events kfd_events_t;

kfd_events_t *kfd_events_create(void);
/* The event page, which holds the mailboxes: the thunk allocated it; `page` is the device's
 * address of it. */
void kfd_events_set_page(kfd_events_t *e, uint64_t *page, size_t bytes);
/* Fills the answer of CREATE_EVENT: id, slot, trigger data, page offset. */
int kfd_event_create(kfd_events_t *e, struct kfd_ioctl_create_event_args *args);
int kfd_event_destroy(kfd_events_t *e, uint32_t id);
int kfd_event_set(kfd_events_t *e, uint32_t id);
int kfd_event_reset(kfd_events_t *e, uint32_t id);
/* Waits for events; `ages` says whether the caller's structure has last_event_age (interface 1.14
 * and later). */
int kfd_events_wait(kfd_events_t *e, struct kfd_ioctl_wait_events_args *args, bool ages);
/* An interrupt of the GPU for event `id`. Any thread may call it. Unknown ids are ignored, as by
 * the driver. */
void kfd_events_raise(kfd_events_t *e, uint32_t id);
/* Raises all memory events with this fault. False if the program has created none. */
bool kfd_events_memory_fault(kfd_events_t *e, const struct kfd_hsa_memory_exception_data *fault);

/* ---- state of a process ---- */

typedef struct kfd_gpu {
    uint32_t index, gpu_id;
    struct kfd_process *process;
    sg_device_t *device;
    sg_memory_t *memory;
    kfd_pages_t pages;   /* the render node: buffers in VRAM and system memory are ranges of it, and
                            the notes follow after them (bo.h) */
    uint8_t *alias;      /* the device's mapping of the memory in `pages` */
    uint8_t *notes;      /* the device's mapping of the notes */
    uint64_t file_bytes; /* of memory in `pages`: the offset at which the notes begin */
    kfd_ranges_t ranges; /* free ranges of that memory */
    uint64_t vram_bytes, vram_used;
    uint64_t system_bytes, system_used;
    uint64_t *doorbells; /* the device's alias of the doorbell page */
    uint8_t *mmio;       /* the page with the remapped HDP flush registers */
    uint64_t doorbell_used[KFD_DOORBELL_SLOTS / 64];
    dev_t file_dev;       /* with file_ino: identifies the render node's file if another process */
    ino_t file_ino;       /* passes a descriptor of it */
    struct kfd_gem *gems; /* DRM's handles: handle - 1 is the row */
    uint32_t n_gems;
    struct kfd_svm_extent *svm;      /* the program's own memory that is in the page table */
    struct kfd_pc_session *sampling; /* sessions of PC sampling */
    uint32_t last_session;           /* number of the newest session */
} kfd_gpu_t;

typedef struct kfd_buffer {
    uint64_t va, size;
    kfd_bo_t *bo;    /* VRAM or system memory; NULL: a device page or the program's own memory */
    uint8_t *host;   /* host address at which the device finds the bytes */
    uint32_t flags;  /* KFD_IOC_ALLOC_MEM_FLAGS_* */
    uint32_t gpu;    /* index of the owner */
    uint32_t mapped; /* bit i: mapped on GPU i */
    bool mailboxes;  /* it is the event page: mapped with SG_MEM_MAILBOXES */
    bool used;
} kfd_buffer_t;

typedef struct kfd_queue {
    struct kfd_process *process;
    kfd_gpu_t *gpu;
    sg_queue_t *queue; /* NULL: free row */
    uint32_t id, slot;
    uint64_t save_area; /* GPU address of the area for context switches; only its header is used */
} kfd_queue_t;

typedef struct kfd_process {
    pthread_mutex_t lock; /* guards everything below except events */
    const kfd_config_t *config;
    kfd_pages_t pages; /* /dev/kfd: doorbell and register pages are its ranges */
    uint32_t n_gpus;
    kfd_gpu_t gpus[KFD_MAX_GPUS];
    kfd_buffer_t *buffers; /* handle - 1 is the row */
    size_t n_buffers;
    uint64_t event_page;  /* handle of the buffer that is the event page, or 0 */
    kfd_queue_t **queues; /* row is the queue's id */
    size_t n_queues;
    kfd_bo_t *bos;                  /* all buffer objects */
    uint32_t last_serial, n_parked; /* parked: objects that only other processes still hold */
    kfd_ranges_t
        windows; /* offsets of render nodes that are assigned to memory of other processes */
    pthread_mutex_t svm_lock; /* guards svm and the GPUs' svm; may be taken under lock */
    struct kfd_svm_range *_Atomic svm;
    base_kept_t ipc_socket; /* on which other processes request memory */
    kfd_events_t *events;
} kfd_process_t;

/* runtime.c: false, after one line on stderr, if the program has loaded an HSA runtime that does
 * not support the GPU. */
bool kfd_runtime_knows(const sg_profile_t *p);

/* process.c: the state of the calling process, made if there is none yet. NULL, after one line on
 * stderr, if it cannot be made. */
kfd_process_t *kfd_process_get(void);
/* The state of the calling process, NULL if there is none yet. */
kfd_process_t *kfd_process_peek(void);
/* In a forked child: forgets the state, which is the parent's. The child's own is made at its first
 * use. */
void kfd_process_forget(void);
/* The device node to which a descriptor, or a file, refers. */
typedef enum { KFD_NODE_NONE, KFD_NODE_KFD, KFD_NODE_RENDER } kfd_node_t;
kfd_node_t kfd_node_of(int fd, uint32_t *gpu_index);
kfd_node_t kfd_node_of_file(const struct stat *st, uint32_t *gpu_index);
/* fstat() by the kernel. The stub replaces the C library's fstat() by one that shows the files of
 * nodes as device nodes. */
int kfd_fstat(int fd, struct stat *st);
/* Offsets of a GPU's doorbell page and register page in the pages of /dev/kfd. */
uint64_t kfd_doorbell_offset(uint32_t gpu);
uint64_t kfd_mmio_offset(uint32_t gpu);
kfd_gpu_t *kfd_gpu_find(kfd_process_t *p, uint32_t gpu_id);

/* ---- ioctls (ioctl.c has the table): 0 or -errno ---- */

int kfd_ioctl(kfd_process_t *p, unsigned long request, void *argument);
int kfd_drm_ioctl(kfd_gpu_t *gpu, unsigned long request, void *argument);
/* DRM's ioctls about memory; -ENOTTY if `number` is none of them. */
int kfd_gem_ioctl(kfd_gpu_t *gpu, unsigned number, void *argument);

int kfd_buffer_alloc(kfd_process_t *p, struct kfd_ioctl_alloc_memory_of_gpu_args *args);
int kfd_buffer_free(kfd_process_t *p, struct kfd_ioctl_free_memory_of_gpu_args *args);
int kfd_buffer_map(kfd_process_t *p, struct kfd_ioctl_map_memory_to_gpu_args *args);
int kfd_buffer_unmap(kfd_process_t *p, struct kfd_ioctl_unmap_memory_from_gpu_args *args);
int kfd_buffer_export(kfd_process_t *p, struct kfd_export_dmabuf_args *args);
int kfd_buffer_import(kfd_process_t *p, struct kfd_ioctl_import_dmabuf_args *args);
int kfd_buffer_dmabuf_info(kfd_process_t *p, struct kfd_ioctl_get_dmabuf_info_args *args);
/* Makes a buffer at `va` for an object. Takes over the caller's reference, even if it fails. Under
 * the process's lock. */
int kfd_buffer_adopt(kfd_process_t *p, kfd_bo_t *bo, uint64_t va, uint64_t *handle);
/* The buffer of a handle, or NULL. Under the process's lock. */
kfd_buffer_t *kfd_buffer_find(kfd_process_t *p, uint64_t handle);
/* The buffer is the event page from now on: its mappings get SG_MEM_MAILBOXES. Under the process's
 * lock. */
int kfd_buffer_set_mailboxes(kfd_process_t *p, kfd_buffer_t *b);
uint64_t kfd_vram_available(kfd_process_t *p, kfd_gpu_t *gpu);
/* Whether the program has mapped all of the host memory [begin, begin + bytes). */
bool kfd_is_mapped(uint64_t begin, uint64_t bytes);

/* ipc.c: IPC handles, by which another process opens memory of this one */
int kfd_ipc_export(kfd_process_t *p, struct kfd_ipc_export_args *args);
int kfd_ipc_import(kfd_process_t *p, struct kfd_ipc_import_args *args);

/* smi.c: descriptors from which management tools read the events of a GPU */
int kfd_smi_open(kfd_gpu_t *gpu, int *fd);
/* The following write events for readers. Any thread may call them; without a reader a call costs
 * one load. */
void kfd_smi_memory_fault(const kfd_gpu_t *gpu);
/* A range of shared virtual memory migrates; `from` and `to` are GPU ids, or 0 for the host. */
typedef struct {
    uint64_t begin, end;
    uint32_t from, to, prefetched, preferred;
} kfd_smi_migration_t;
void kfd_smi_migrate(const kfd_gpu_t *gpu, bool begins, const kfd_smi_migration_t *m);
/* Memory left the GPU's page table because the program unmapped it. */
void kfd_smi_unmapped(const kfd_gpu_t *gpu, uint64_t begin, uint64_t end);
void kfd_smi_forget(void);

/* spm.c: streaming counters */
int kfd_spm(kfd_process_t *p, struct kfd_spm_args *args);
void kfd_spm_forget(void);

/* sampling.c */
int kfd_set_trap_handler(kfd_process_t *p, const struct kfd_ioctl_set_trap_handler_args *args);
int kfd_pc_sample(kfd_process_t *p, struct kfd_pc_sample_args *args);

int kfd_queue_create(kfd_process_t *p, struct kfd_ioctl_create_queue_args *args);
/* Reports a queue's error to the runtime by an exception, if the runtime has enabled exceptions
 * instead of waiting for the queue's inactive signal; `code` is the value for that signal. */
void kfd_queue_exception(const kfd_queue_t *row, uint64_t code);
int kfd_queue_destroy(kfd_process_t *p, uint32_t id);
int kfd_queue_update(kfd_process_t *p, const struct kfd_ioctl_update_queue_args *args);
int kfd_queue_set_cu_mask(kfd_process_t *p, const struct kfd_ioctl_set_cu_mask_args *args);
int kfd_queue_alloc_gws(kfd_process_t *p, struct kfd_ioctl_alloc_queue_gws_args *args);

#endif
