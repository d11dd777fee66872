/* spm.h - streaming counters: what some of the counters have counted, every so many clocks.
 *
 * Apart from the other counters because it has registers, a clock of its own and a ring that the
 * driver reads. Samples are taken on the timing model's clock, so a dispatch meanwhile is a
 * modelled one. What a sample is, and what it shows of a workgroup: docs/counters.md. */
#ifndef SOFTGPU_PERF_SPM_H
#define SOFTGPU_PERF_SPM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sg_spm sg_spm_t;
struct sg_perf;

sg_spm_t *sg_spm_create(void);
void sg_spm_destroy(sg_spm_t *s);

/* ---- registers; under the lock of the registers ---- */

bool sg_spm_owns(uint32_t number);
void sg_spm_write(sg_spm_t *s, uint32_t number, uint32_t value);
uint32_t sg_spm_read(const sg_spm_t *s, uint32_t number);
/* CP_PERFMON_CNTL has been written: starts or stops by its field for these counters. */
void sg_spm_control(struct sg_perf *p, uint32_t value);
bool sg_spm_on(const sg_spm_t *s);

/* ---- dispatches; under the model's lock ---- */

/* A dispatch begins; returns the clock. It ends at `end`. */
uint64_t sg_spm_enter(struct sg_perf *p);
void sg_spm_leave(struct sg_perf *p, uint64_t end);
/* What has been counted since the last call took place in the clocks from `from` to `to`. */
void sg_spm_count(struct sg_perf *p, uint64_t from, uint64_t to);

/* ---- the driver; any thread ---- */

/* A ring for samples, empty; false without memory. None: samples are lost. */
bool sg_spm_open(sg_spm_t *s);
void sg_spm_close(sg_spm_t *s);
size_t sg_spm_waiting(sg_spm_t *s);
/* Takes so many bytes at most; how many. *lost: samples found no room since the last call. */
size_t sg_spm_take(sg_spm_t *s, void *to, size_t bytes, bool *lost);

#endif
