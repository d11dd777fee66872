/* newer.h - the parts of the driver's interface that are younger than the kernel headers of the
 * oldest supported distribution, or that AMD's own driver has beyond them.
 *
 * Layouts and numbers only; the names say which ioctl they belong to. A newer ioctl's structure is
 * a declaration here. */
#ifndef SOFTGPU_KFD_NEWER_H
#define SOFTGPU_KFD_NEWER_H

#include <stdint.h>

enum {
    KFD_NR_EXPORT_DMABUF = 0x24,  /* from 1.12 on */
    KFD_NR_RUNTIME_ENABLE = 0x25, /* from 1.13 on, DBG_TRAP too */
    KFD_NR_DBG_TRAP = 0x26,
    KFD_NR_IPC_IMPORT = 0x80, /* AMD's own driver's */
    KFD_NR_IPC_EXPORT = 0x81,
    KFD_NR_RLC_SPM = 0x84
};

enum { KFD_SMI_EVENT_DROPPED = 14 /* from 6.x kernels on */ };

enum { KFD_QUEUE_TYPE_SDMA_BY_ENGINE = 4 /* from 1.17 on; the engine is named, all are alike */ };

struct kfd_export_dmabuf_args {
    uint64_t handle;    /* in */
    uint32_t flags;     /* in: O_CLOEXEC */
    uint32_t dmabuf_fd; /* out */
};

enum { KFD_SPM_ACQUIRE, KFD_SPM_RELEASE, KFD_SPM_SET_BUFFER }; /* operations of RLC_SPM */

struct kfd_spm_args {
    uint64_t dest_buf;
    uint32_t buf_size, op;
    uint32_t timeout; /* in: ms, out: what is left of them */
    uint32_t gpu_id;
    uint32_t bytes_copied, has_data_loss; /* out: of the buffer before */
};

enum { KFD_SPM_VERSION = 4 /* 0.4: major in the highest byte */ };

/* What a buffer begins with when it comes back. */
struct kfd_spm_header {
    uint32_t version, bytes_copied, has_data_loss, reserved[5];
};

struct kfd_ipc_export_args {
    uint64_t handle;          /* in */
    uint32_t share_handle[4]; /* out */
    uint32_t gpu_id, flags;   /* in; the flags are the importer's answer */
};

struct kfd_ipc_import_args {
    uint64_t handle;          /* out */
    uint64_t va_addr;         /* in */
    uint64_t mmap_offset;     /* out */
    uint32_t share_handle[4]; /* in */
    uint32_t gpu_id;          /* in */
    uint32_t flags;           /* out */
};

#endif
