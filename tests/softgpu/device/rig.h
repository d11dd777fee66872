/* rig.h - a bench for the device without the runtime: memory, signals, queues and kernels by hand.
 *
 * GPU addresses differ from host addresses everywhere here, so a raw pointer used by mistake
 * faults. Kernels are assembled from text; without llvm-mc the programs skip themselves. */
#ifndef TESTS_DEVICE_RIG_H
#define TESTS_DEVICE_RIG_H

#include "softgpu/device/device.h"

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <stdatomic.h>

enum {
    RIG_SLOTS = 64,        /* packets of an AQL ring */
    RIG_SDMA_BYTES = 4096, /* of an SDMA ring */
    RIG_EVENTS = 4096,
    RIG_TIMEOUT_MS = 100000 /* less than the tests have */
};
#define RIG_VA       UINT64_C(0x7e0000000000)
#define RIG_UNMAPPED UINT64_C(0x7d0000001000)

typedef struct {
    sg_device_t *device;
    sg_memory_t *memory;
    uint8_t *host; /* of RIG_VA */
    uint64_t used;
    int doorbell_fd;
    _Atomic uint64_t *doorbells; /* as the program maps them */
    uint32_t next_slot;
    _Atomic uint32_t raised[RIG_EVENTS];
    _Atomic uint32_t faults, errors;
    void (*on_event)(void *user); /* or NULL: also called then, on the device's thread */
    void *on_event_user;
    uint64_t fault_va;
    uint32_t fault_flags;
    sg_queue_error_t error;
    char error_text[256];
} rig_t;

typedef struct {
    rig_t *rig;
    sg_queue_t *queue;
    uint64_t ring_va, descriptor_va, write, sdma_pointers_va;
    uint32_t slot;
    amd_queue_t *descriptor;
} rig_queue_t;

/* Kernels of rigs made from now on last as long as the model says; false at first. */
extern bool rig_model_time;
/* How many accelerator dies the GPUs have that are made from now on; their shape is that of each.
 */
extern uint32_t rig_xccs;

/* One engine of `cus` compute units, or as many engines of as many. */
rig_t *rig_create(uint32_t cus);
rig_t *rig_create_shaped(uint32_t engines, uint32_t cus);
/* The same of another GPU, by the driver's number of it. */
rig_t *rig_create_gpu(uint32_t gfx_target_version, uint32_t engines, uint32_t cus);
rig_t *rig_create_profile(const sg_profile_t *profile);
void rig_destroy(rig_t *r);

/* `bytes` of zeroed GPU memory, 256-byte aligned. */
uint64_t rig_alloc(rig_t *r, uint64_t bytes);
void *rig_ptr(const rig_t *r, uint64_t va);

uint64_t rig_signal(rig_t *r, int64_t value);
amd_signal_t *rig_signal_at(const rig_t *r, uint64_t va);
/* Waits until the signal's value is at most `value`; false after RIG_TIMEOUT_MS. */
bool rig_wait(const rig_t *r, uint64_t signal, int64_t value);
/* The same for any word. */
bool rig_wait_word(_Atomic uint32_t *word, uint32_t at_least);

/* A kernel that finds its arguments in s[0:1] and the workgroup ids in s2, s3, s4; `more` user
 * registers as bits of kernel_code_properties come before or after as the ABI says. */
typedef struct {
    uint32_t vgprs;      /* 0: 32 */
    uint16_t properties; /* added to the kernarg pointer */
    uint32_t user_sgprs; /* 0: 2 */
    uint32_t rsrc2;      /* added to the workgroup ids */
    uint32_t id_axes;    /* axes of work-item ids in v0; 0: all three */
} rig_kernel_t;
uint64_t rig_kernel(rig_t *r, const char *text, const rig_kernel_t *how);

bool rig_aql(rig_t *r, rig_queue_t *out);
bool rig_sdma(rig_t *r, rig_queue_t *out);
void rig_close(rig_queue_t *q);

/* Writes packet bytes behind the header, then the header, and rings. Waits for room. */
void rig_submit(rig_queue_t *q, const void *packet);

typedef struct {
    uint64_t kernel, args, signal;
    uint32_t grid[3], group[3]; /* 0 reads as 1 */
    uint32_t lds, scratch;
    bool barrier;
} rig_dispatch_t;
void rig_dispatch(rig_queue_t *q, const rig_dispatch_t *d);

/* Appends dwords to an SDMA ring and rings. */
void rig_sdma_write(rig_queue_t *q, const uint32_t *dwords, uint32_t n);

#endif
