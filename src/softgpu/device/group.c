/* group.c - a workgroup in flight: its memory and the initial registers of its waves.
 *
 * A box holds the waves of one workgroup, their registers and the LDS. It is used again for later
 * workgroups, so that after a while a dispatch allocates nothing. */
#include "softgpu/cache/reach.h"
#include "softgpu/check/group.h"
#include "softgpu/exec/hwreg.h"
#include "softgpu/device/stall.h"

#include "base/zeros.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

enum {
    BOX_BYTES = (sizeof(sg_box_t) + 63) & ~(size_t)63,
    /* The rows of a wave, and 5 more so that the same register of neighbouring waves does not
     * always fall into the same cache set. */
    WAVE_ROWS = ISA_VGPR_ROWS + 5
};

#define GROUP_INFO_FIRST_WAVE 0x80000000u

static size_t registers_bytes(void)
{
    return (size_t)ISA_GROUP_WAVES * WAVE_ROWS * sizeof(isa_row_t);
}

/* Bytes of the one mapping that holds the box, its LDS, registers, counts, and the addresses of the
 * present instruction (sgc_seen). */
static size_t memory_bytes(void)
{
    return BOX_BYTES + ISA_GROUP_LDS + registers_bytes() + sg_perf_group_bytes() +
           sizeof(sgc_seen_t);
}

sg_box_t *sg_box_create(void)
{
    uint8_t *memory =
        base_map_zeros(memory_bytes()); /* mapped, not allocated: waves seldom use all registers */
    if (!memory) return NULL;
#ifdef __SANITIZE_ADDRESS__
    __lsan_register_root_region(memory, BOX_BYTES); /* idle boxes point to memory that is in use */
#endif
    sg_box_t *b = (sg_box_t *)memory;
    isa_row_t *rows = (isa_row_t *)(memory + BOX_BYTES + ISA_GROUP_LDS);

    b->counting = (sg_perf_group_t *)(memory + BOX_BYTES + ISA_GROUP_LDS + registers_bytes());
    b->seen = (sgc_seen_t *)((uint8_t *)b->counting + sg_perf_group_bytes());
    b->group.lds = memory + BOX_BYTES;
    b->group.waves = b->wave;
    for (unsigned i = 0; i < ISA_GROUP_WAVES; i++) {
        isa_wave_t *w = b->wave[i] = &b->waves[i];
        w->vgpr = rows + (size_t)i * WAVE_ROWS;
        w->group = &b->group;
        w->index_in_group = i;
    }
    return b;
}

void sg_box_destroy(sg_box_t *b)
{
    if (b) sg_sight_free(b->sight);
    if (b) chk_group_free(b->check);
    if (b) sg_stall_free(b->stall);
#ifdef __SANITIZE_ADDRESS__
    if (b) __lsan_unregister_root_region(b, BOX_BYTES);
#endif
    if (b) munmap(b, memory_bytes());
}

/* Units that the queue may use. */
static uint32_t allowed_units(const sg_queue_t *q, uint32_t n_units)
{
    uint32_t allowed = 0;
    if (!atomic_load_explicit(&q->cu_masked, memory_order_acquire)) return n_units;
    for (uint32_t unit = 0; unit < n_units; unit++)
        allowed += sg_queue_has_cu(q, unit);
    return allowed ? allowed : n_units;
}

uint32_t sg_units_in_turn(const sg_run_t *run)
{
    return allowed_units(run->queue, run->device->n_units);
}

/* The n-th unit that the queue may use; counting wraps at the last one. */
static uint32_t nth_unit(const sg_queue_t *q, uint32_t n_units, uint64_t n)
{
    const uint32_t allowed = allowed_units(q, n_units);
    n %= allowed;
    if (allowed == n_units) return (uint32_t)n;
    for (uint32_t unit = 0;; unit++) {
        if (sg_queue_has_cu(q, unit) && !n--) return unit;
        if (unit + 1 == n_units) return unit; /* the mask changed meanwhile */
    }
}

/* On GPUs that pass the workgroup's ids in trap temporaries: the registers of these ids and of the
 * wave's number. */
enum { TTMP_GROUP_X = 9, TTMP_GROUP_YZ = 7, TTMP_WAVE = 8, TTMP_WAVE_SHIFT = 25 };

/* Workgroups are dealt to the units by their number, in the order of sg_profile_locate(), which is
 * that of the driver's CU masks: workgroup n runs on XCC n mod their number. So a program gets the
 * same units in every run, whatever the timing of worker threads. */
static sg_location_t location_of(const sg_device_t *d, uint32_t turn)
{
    const sg_profile_t *p = &d->profile;
    const isa_arch_t *a = d->arch;
    const sg_profile_at_t at = sg_profile_locate(p, turn);
    const uint32_t array = at.engine * p->arrays_per_engine + at.array;
    const uint32_t hw_id = isa_bits_put(a->hw_id.cu, at.cu / isa_arch_unit_cus(a)) |
                           isa_bits_put(a->hw_id.sh, at.array) |
                           isa_bits_put(a->hw_id.se, at.engine);
    return (sg_location_t){.unit = at.xcc * sg_profile_places(p) + array * p->cus_per_array + at.cu,
                           .simd = at.cu % isa_arch_unit_cus(a) * p->simds_per_cu,
                           .place = isa_place(hw_id, at.xcc)};
}

bool sg_locate_units(sg_device_t *d)
{
    d->n_units = sg_profile_cus(&d->profile);
    d->locations = calloc(d->n_units, sizeof *d->locations);
    for (uint32_t turn = 0; d->locations && turn < d->n_units; turn++)
        d->locations[turn] = location_of(d, turn);
    return d->locations;
}

static const sg_location_t *locate(const sg_run_t *run, uint64_t id)
{
    const sg_device_t *d = run->device;
    return &d->locations[nth_unit(run->queue, d->n_units, id)];
}

/* The SIMD of a workgroup's first wave: the unit's workgroups begin where the one before ended. */
static uint32_t first_simd(const sg_run_t *run, const sg_location_t *at, uint64_t id)
{
    const sg_device_t *d = run->device;
    return at->simd + (uint32_t)(id / d->n_units * run->waves % d->profile.simds_per_cu);
}

uint32_t sg_unit_of(const sg_run_t *run, uint64_t id)
{
    return locate(run, id)->unit;
}

void sg_write_ids(const sg_run_t *run, isa_row_t *rows, uint32_t step, const uint32_t size[3],
                  uint32_t first)
{
    const isa_item_id_t *at = run->isa.arch->launch.item;
    uint32_t id[3] = {first % size[0], first / size[0] % size[1], first / size[0] / size[1]};
    for (uint32_t lane = 0; lane < ISA_LANES; lane++) {
        uint32_t value[ISA_ID_ROWS] = {0};
        for (uint32_t axis = 0; axis < run->id_axes; axis++)
            value[at[axis].vgpr] |= isa_bits_put(at[axis].bits, id[axis]);
        for (uint32_t r = 0; r <= run->isa.last_id_row; r++)
            rows[r * step][lane] = value[r];
        if (++id[0] < size[0]) continue;
        id[0] = 0;
        if (++id[1] < size[1]) continue;
        id[1] = 0;
        id[2]++;
    }
}

static void start_registers(const sg_box_t *b, const sg_run_t *run, isa_wave_t *w, unsigned i)
{
    unsigned n = run->n_user;
    memcpy(w->sgpr, run->user, sizeof run->user);
#pragma GCC unroll 3 /* so that each wave tests three constants */
    for (unsigned axis = 0; axis < 3; axis++)
        if (run->system & (uint32_t)SG_SYSTEM_ID_X << axis) w->sgpr[n++] = b->group.id[axis];
    if (run->isa.arch->launch.ids_in_ttmp) {
        w->ttmp[TTMP_GROUP_X] = b->group.id[0];
        w->ttmp[TTMP_GROUP_YZ] = (b->group.id[1] & 0xffff) | b->group.id[2] << 16;
        w->ttmp[TTMP_WAVE] = i << TTMP_WAVE_SHIFT;
    }
    if (run->system & SG_SYSTEM_INFO)
        w->sgpr[n++] = (i == 0 ? GROUP_INFO_FIRST_WAVE : 0) | b->group.n_waves;

    uint64_t offset = b->place.has_scratch ? b->place.scratch[i] * run->scratch_wave_bytes : 0;
    if (run->system & SG_SYSTEM_SCRATCH_OFFSET) w->sgpr[n++] = (uint32_t)offset;
    w->scratch_base = run->scratch_base + offset;
    w->scratch_bytes = (uint32_t)run->scratch_wave_bytes;
    w->scratch_register = w->scratch_base;
    if (!run->isa.arch->scratch_register) w->flat_scratch = w->scratch_base;
    w->vcc = 0;
    w->sgpr[ISA_EXEC_HI_32] = 0;
    w->xnack_mask = 0;
    w->m0 = 0;
    w->scc = 0;
    w->host_trapped = false;
    w->repeats = false;
    w->lds_turn = 0;
    w->barrier_turn = 0;
    w->nap = 0;
    w->privileged = false;
    w->until_interrupt = 0;
    w->snapshot = (isa_snapshot_t){.pc = 0};
    w->mode = run->isa.mode;
    w->acc_offset = run->isa.acc_offset;
}

bool sg_box_start(sg_box_t *b, sg_run_t *run, uint64_t id)
{
    uint32_t size[3], items = 1;
    b->run = run;
    b->group.dispatch = &run->isa;
    b->group.lds_bytes = run->lds_bytes;
    memset(&b->group.barrier, 0, sizeof b->group.barrier);
    b->group.id[0] = (uint32_t)(id % run->groups[0]);
    b->group.id[1] = (uint32_t)(id / run->groups[0] % run->groups[1]);
    b->group.id[2] = (uint32_t)(id / run->groups[0] / run->groups[1]);
    for (unsigned k = 0; k < 3; k++) {
        uint32_t rest = run->grid[k] - b->group.id[k] * run->size[k];
        size[k] = rest < run->size[k] ? rest : run->size[k];
        items *= size[k];
    }
    const uint32_t most = isa_dispatch_lanes(&run->isa);
    const isa_bits_t simd_bits = run->isa.arch->hw_id.simd, slot_bits = run->isa.arch->hw_id.slot;
    const uint32_t simds = run->device->profile.simds_per_cu * isa_arch_unit_cus(run->isa.arch);
    bool full = items == run->size[0] * run->size[1] * run->size[2];
    b->group.n_waves = (uint32_t)isa_wave_count(items, most);
    const sg_location_t *at = locate(run, id);
    uint32_t simd = first_simd(run, at, id);
    b->unit = at->unit;
    b->sleeping = b->ended = b->sleepy = 0;
    b->team.had_team = b->team.refused = b->team.had_turn = false;
    b->team.pause = 0;
    b->failed = NULL;

    for (unsigned i = 0; i < b->group.n_waves; i++) {
        isa_wave_t *w = b->wave[i];
        const uint32_t left = items - i * most;
        start_registers(b, run, w, i);
        w->hw_id =
            at->place | isa_bits_put(simd_bits, simd) | isa_bits_put(slot_bits, b->place.slot[i]);
        if (++simd == simds) simd = 0;
        w->exec = isa_first_lanes(left < most ? left : most);
        for (uint32_t r = 0; full && r <= run->isa.last_id_row; r++)
            memcpy(w->vgpr[r], run->ids[r][i], sizeof(isa_row_t));
        if (!full) sg_write_ids(run, w->vgpr, 1, size, i * most);
        if (!run->core->set_pc(w, run->isa.entry_pc)) {
            b->failed = w;
            return false;
        }
    }
    if (run->instrumented) sg_instrument_start(b, id);
    return true;
}
