/* fake_device.h - what a test sees of the device it stands in for. */
#ifndef TESTS_SOFTGPU_FAKE_DEVICE_H
#define TESTS_SOFTGPU_FAKE_DEVICE_H

#include "softgpu/device/device.h"

struct sg_queue {
    sg_queue_params_t params;
    void *user;
    uint32_t mask, mask_bits;
};

typedef struct {
    sg_host_ops_t ops; /* of the device made last */
    unsigned n_devices, n_queues, n_invalidations;
    uint64_t *doorbells;
    sg_queue_t *last_queue;
    /* streaming counters: what is in the rings, and whether more would have been */
    bool spm_open;
    struct {
        bool lost;
        size_t waiting;
        uint8_t next; /* of a sequence of bytes */
    } spm[8];         /* of each XCC */
    uint64_t tba, tma;
    uint64_t interval; /* of host traps, in microseconds */
    int no_traps;      /* error of their start */
    uint64_t clocks;   /* between snapshots */
    bool old_handler;  /* the trap handler does not know them */
    bool old_traps;    /* the trap handler does not sample in host traps */
} fake_device_t;

extern fake_device_t fake;

#endif
