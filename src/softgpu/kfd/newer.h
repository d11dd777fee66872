/* newer.h - the parts of the driver's interface that the kernel headers of the oldest supported
 * distribution lack: they are newer, or only in AMD's out-of-tree driver.
 *
 * Only numbers and structures; their names say to which ioctl they belong. */
#ifndef SOFTGPU_KFD_NEWER_H
#define SOFTGPU_KFD_NEWER_H

#include <stdint.h>

enum {
    KFD_NR_EXPORT_DMABUF = 0x24,  /* from 1.12 on */
    KFD_NR_RUNTIME_ENABLE = 0x25, /* from 1.13 on, DBG_TRAP too */
    KFD_NR_DBG_TRAP = 0x26,
    KFD_NR_IPC_IMPORT = 0x80, /* this and the next numbers are only in AMD's out-of-tree driver */
    KFD_NR_IPC_EXPORT = 0x81,
    KFD_NR_RLC_SPM = 0x84,
    KFD_NR_PC_SAMPLE = 0x85 /* from 1.16 on */
};

enum { KFD_SMI_EVENT_DROPPED = 14 /* from 6.x kernels on */ };

/* From 1.17 on: the program chooses the SDMA engine. All engines are alike here. */
enum { KFD_QUEUE_TYPE_SDMA_BY_ENGINE = 4 };

struct kfd_export_dmabuf_args {
    uint64_t handle;    /* in */
    uint32_t flags;     /* in: O_CLOEXEC */
    uint32_t dmabuf_fd; /* out */
};

enum { KFD_SPM_ACQUIRE, KFD_SPM_RELEASE, KFD_SPM_SET_BUFFER }; /* operations of RLC_SPM */

struct kfd_spm_args {
    uint64_t dest_buf;
    uint32_t buf_size, op;
    uint32_t timeout; /* in: milliseconds; out: the remaining ones */
    uint32_t gpu_id;
    uint32_t bytes_copied, has_data_loss; /* out: of the buffer that the previous call named */
};

enum { KFD_SPM_VERSION = 4 /* 0.4: major in the highest byte */ };

/* The header at the start of a buffer that is returned to the program. */
struct kfd_spm_header {
    uint32_t version, bytes_copied, has_data_loss, reserved[5];
};

struct kfd_ipc_export_args {
    uint64_t handle;          /* in */
    uint32_t share_handle[4]; /* out */
    uint32_t gpu_id, flags;   /* in; the importer gets the flags back */
};

struct kfd_ipc_import_args {
    uint64_t handle;          /* out */
    uint64_t va_addr;         /* in */
    uint64_t mmap_offset;     /* out */
    uint32_t share_handle[4]; /* in */
    uint32_t gpu_id;          /* in */
    uint32_t flags;           /* out */
};

struct kfd_runtime_enable_args {
    uint64_t r_debug;
    uint32_t mode_mask;         /* in */
    uint32_t capabilities_mask; /* out */
};

/* The driver, not the runtime, makes core dumps of a GPU. */
enum { KFD_RUNTIME_CAPS_CORE_DUMP = 1u << 31 };

/* A bit of the topology's capability: the GPU has the debugger's firmware. Without it a runtime
 * does not call RUNTIME_ENABLE, and then has neither queue exceptions nor PC sampling. */
enum { KFD_CAP_DEBUG_FIRMWARE = 1 << 29 };

/* The header at the start of a queue's area for context switches. */
struct kfd_save_area_header {
    uint32_t wave_state[4];
    uint32_t debug_offset, debug_size;
    uint64_t err_payload_addr; /* address of the runtime's word for exceptions */
    uint32_t err_event_id;     /* the event that wakes the runtime */
    uint32_t reserved1;
};

/* ---- PC sampling ---- */

enum { KFD_PCS_QUERY, KFD_PCS_CREATE, KFD_PCS_DESTROY, KFD_PCS_START, KFD_PCS_STOP };
enum { KFD_PCS_METHOD_HOST_TRAP = 1, KFD_PCS_METHOD_STOCHASTIC = 2 };
enum { KFD_PCS_TYPE_US = 0, KFD_PCS_TYPE_CYCLES = 1, KFD_PCS_TYPE_INSTRUCTIONS = 2 };
/* Flag of a query: return all capabilities of the GPU, even while it is being sampled. */
enum { KFD_PCS_QUERY_ALL = 1 };

struct kfd_pc_sample_info {
    uint64_t interval; /* of a session; 0 in a query's answer about capabilities */
    uint64_t interval_min, interval_max;
    uint64_t flags; /* bit 0: intervals are powers of two */
    uint32_t method, type;
};

struct kfd_pc_sample_args {
    uint64_t sample_info_ptr; /* in: address of `num_sample_info` structures */
    uint32_t num_sample_info; /* in and out */
    uint32_t op, gpu_id;
    uint32_t trace_id; /* of a session */
    uint32_t flags;
    uint32_t version; /* out, of a query: the sampling interface, major << 16 | minor */
};

#endif
