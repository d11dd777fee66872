/* spm.h - streaming counters: samples of some counters at a fixed interval of clocks.
 *
 * Separate from the other counters because they have registers of their own, and a ring that the
 * driver reads; each XCC has its own. Samples are taken by the clock of the timing model, so
 * dispatches are modelled while streaming is on. docs/counters.md says what a sample shows of a
 * workgroup. */
#ifndef SOFTGPU_PERF_SPM_H
#define SOFTGPU_PERF_SPM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sg_spm sg_spm_t;
struct sg_perf;

sg_spm_t *sg_spm_create(uint32_t xcc);
void sg_spm_destroy(sg_spm_t *s);

/* ---- registers; under the lock of the registers ---- */

bool sg_spm_owns(uint32_t number);
void sg_spm_write(sg_spm_t *s, uint32_t number, uint32_t value);
uint32_t sg_spm_read(const sg_spm_t *s, uint32_t number);
/* CP_PERFMON_CNTL of the XCC has been written: its field for streaming counters starts or stops
 * them. */
void sg_spm_control(struct sg_perf *p, sg_spm_t *s, uint32_t value);
bool sg_spm_on(const sg_spm_t *s);

/* ---- dispatches, in all XCCs; under the model's lock ---- */

/* sg_spm_enter(): a dispatch begins; returns the clock. sg_spm_leave(): a dispatch has ended at
 * `end`. */
uint64_t sg_spm_enter(struct sg_perf *p);
void sg_spm_leave(struct sg_perf *p, uint64_t end);
/* Counts that were added since the last call belong to the clocks from `from` to `to`. */
void sg_spm_count(struct sg_perf *p, uint64_t from, uint64_t to);

/* ---- the driver; any thread ---- */

/* Makes an empty ring for samples; false if memory runs out. Without a ring samples are lost. */
bool sg_spm_open(sg_spm_t *s);
void sg_spm_close(sg_spm_t *s);
size_t sg_spm_waiting(sg_spm_t *s);
/* Takes at most `bytes` bytes from the ring; returns how many. *lost: whether samples have been
 * dropped since the last call because the ring was full. */
size_t sg_spm_take(sg_spm_t *s, void *to, size_t bytes, bool *lost);

#endif
