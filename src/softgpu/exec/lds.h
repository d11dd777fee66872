/* lds.h - what the instructions that access LDS share: addresses and the checks before an access.
 *
 * Every load from LDS calls isa_ds_reads(), every store isa_ds_waits(), and every operation that
 * does both to an element isa_alone(), whatever the instruction's format. */
#ifndef SOFTGPU_EXEC_LDS_H
#define SOFTGPU_EXEC_LDS_H

#include "softgpu/exec/address.h"
#include "softgpu/exec/handler.h"
#include "softgpu/exec/mem_block.h"
#include "softgpu/exec/mem_lanes.h"

/* False for an instruction of the global data share, which this device does not have: the wave is
 * then stopped. */
static inline bool isa_ds_ready(isa_wave_t *w, const isa_inst_t *i)
{
    if (__builtin_expect(!(i->flags & ISA_F_GDS), 1)) return true;
    isa_stop_unsupported(w, i, "no global data share");
    return false;
}

/* Some kernels lack a barrier between the loads of all waves and a store that replaces what they
 * load (rocSOLVER 6.4: potf2, syevj). On hardware they work, since waves advance at about the same
 * speed. Here a wave may run until the next barrier before another wave gets a turn. So the first
 * store of a wave that has loaded from LDS since the last barrier stops the wave (ISA_STOP_STEP)
 * until the other waves of the workgroup have run as far; then the stores come one wave after the
 * other, since the device lets the workgroup's waves run on one thread from then on. Atomic
 * operations do not wait, nor do stores of waves that have not loaded. */
enum { ISA_LDS_READ = 1, ISA_LDS_WAITS = 2, ISA_LDS_WAITED = 3 }; /* lds_turn; 0: none of these */

static inline void isa_ds_reads(isa_wave_t *w)
{
    w->lds_turn |= ISA_LDS_READ; /* does not change ISA_LDS_WAITED: a wave waits once */
}

static inline void isa_ds_barrier(isa_wave_t *w)
{
    w->lds_turn = 0;
}

/* Whether *i is a store that will stop the wave as described above. */
bool isa_ds_lets_go_first(isa_wave_t *w, const isa_inst_t *i);

bool isa_ds_wait_or_go(isa_wave_t *w, const isa_inst_t *i);

/* Every store calls this first. True: the wave has been stopped, and the store has to return; it
 * will be tried again. */
static inline bool isa_ds_waits(isa_wave_t *w, const isa_inst_t *i)
{
    const uint8_t turn = w->lds_turn;
    if (__builtin_expect(turn != ISA_LDS_READ && turn != ISA_LDS_WAITS, 1)) return false;
    return isa_ds_wait_or_go(w, i);
}

/* Fills in *a for the active lanes whose `bytes` bytes at ADDR + offset (a sum of 32 bits, which
 * wraps) lie in the workgroup's LDS. Returns the other active lanes, which load 0 and store
 * nothing. */
uint64_t isa_ds_addresses(isa_wave_t *w, const isa_inst_t *i, uint32_t offset, uint32_t bytes,
                          isa_lanes_t *a);

/* The LDS side of a transfer between memory and LDS, an element of `bytes` bytes for each lane.
 * Lanes of `exec` whose element lies beyond the LDS are left out. */
static inline void isa_lds_side(const isa_wave_t *w, const isa_inst_t *i, uint64_t exec,
                                uint32_t bytes, isa_lanes_t *a)
{
    isa_address_lds_side(a->va, w, (uint32_t)i->imm, bytes);
    a->lds = true;
    a->dword_step = 4;
    a->exec = exec & ~isa_lanes_outside(a->va, exec, bytes, w->group->lds_bytes);
}

/* Elements of LDS: that of lane l is at base + at[l]. */
typedef struct {
    uint8_t *base;
    const uint32_t *at;
} isa_ds_elements_t;

/* Sets room[l] to addr[l] + offset (a sum of 32 bits), or to 0 for inactive lanes. Whether none is
 * above the limit. */
bool isa_ds_sums_in_range(const uint32_t *addr, uint32_t offset, uint32_t limit, uint64_t exec,
                          uint32_t *restrict room);

/* The fast path for accesses of which every active lane is in range: finds the elements of
 * `bytes` bytes at ADDR + offset. What `at` has for inactive lanes means nothing. It is the
 * register ADDR itself, or `room` where a sum wraps. False: an active lane's element is out of
 * range, the workgroup's LDS is smaller than an element, or the instruction is one of the global
 * data share. */
ISA_BLOCK bool isa_ds_in_range(isa_wave_t *w, const isa_inst_t *i, uint32_t offset, uint32_t bytes,
                               uint32_t *restrict room, isa_ds_elements_t *out)
{
    const uint32_t *addr = isa_row_of(w, &i->src[0])[0];
    if (bytes > w->group->lds_bytes || (i->flags & ISA_F_GDS)) return false;
    const uint32_t limit = w->group->lds_bytes - bytes;
    if (offset <= limit && isa_row_within(addr, 0, limit - offset, w->exec)) {
        *out = (isa_ds_elements_t){w->group->lds + offset, addr};
        return true;
    }
    *out = (isa_ds_elements_t){w->group->lds, room};
    return isa_ds_sums_in_range(addr, offset, limit, w->exec, room);
}

#endif
