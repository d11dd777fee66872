/* place.c - decides which workgroups fit on the modelled GPU at once, and assigns their waves to
 * wave slots.
 *
 * This is the occupancy model: wave slots, registers and LDS of each unit, which is a compute unit
 * or, from gfx10 on, a workgroup processor, and the scratch slots of each queue. All functions are
 * called under the pool's lock. */
#include "softgpu/device/internal.h"

#include <stdlib.h>
#include <string.h>

enum { BEYOND_MAX = 64 }; /* workgroups that may be in flight without room on the modelled GPU */

typedef struct {
    uint64_t slots[ISA_UNIT_SIMDS]; /* bit set of occupied wave slots */
    uint32_t vgprs[ISA_UNIT_SIMDS];
    uint32_t lds;
} unit_t;

struct sg_place_model {
    uint32_t n_units, unit_cus, n_simds, waves_per_simd, simd_vgprs, lds_bytes;
    uint32_t wave_slots; /* of all units */
    uint32_t turn;       /* unit to try first */
    uint64_t taken;      /* places taken: workgroups in flight */
    uint32_t n_beyond;   /* those of them that are on no unit */
    unit_t unit[];
};

sg_place_model_t *sg_place_model_create(const sg_device_t *d)
{
    const sg_profile_t *profile = &d->profile;
    const uint32_t n = sg_profile_cus(profile);
    sg_place_model_t *m = calloc(1, sizeof *m + n * sizeof(unit_t));
    if (!m) return NULL;
    m->n_units = n / isa_arch_unit_cus(d->arch);
    m->n_simds = profile->simds_per_cu * isa_arch_unit_cus(d->arch);
    m->waves_per_simd = profile->waves_per_simd;
    m->simd_vgprs = d->arch->simd_vgprs;
    m->lds_bytes = (profile->lds_kb << 10) * isa_arch_unit_cus(d->arch);
    m->unit_cus = isa_arch_unit_cus(d->arch);
    m->wave_slots = m->n_units * m->n_simds * m->waves_per_simd;
    return m;
}

static bool masked_out(const sg_queue_t *q, uint32_t cu)
{
    if (!atomic_load_explicit(&q->cu_masked, memory_order_acquire)) return false;
    return !sg_queue_has_cu(q, cu);
}

/* The SIMD with the most room for one wave, or -1. */
static int roomiest_simd(const sg_place_model_t *m, const unit_t *u, uint32_t vgprs)
{
    int best = -1;
    uint32_t fewest = m->waves_per_simd;
    for (uint32_t s = 0; s < m->n_simds; s++) {
        uint32_t waves = (uint32_t)__builtin_popcountll(u->slots[s]);
        if (waves < fewest && u->vgprs[s] + vgprs <= m->simd_vgprs) {
            fewest = waves;
            best = (int)s;
        }
    }
    return best;
}

static void leave_unit(unit_t *u, const sg_place_t *p, uint32_t n_waves)
{
    u->lds -= p->lds;
    for (uint32_t i = 0; i < n_waves; i++) {
        u->slots[p->simd[i]] &= ~(UINT64_C(1) << p->slot[i]);
        u->vgprs[p->simd[i]] -= p->vgprs;
    }
}

static bool enter_unit(const sg_place_model_t *m, unit_t *u, sg_place_t *p)
{
    if (u->lds + p->lds > m->lds_bytes) return false;
    u->lds += p->lds;
    for (uint32_t i = 0; i < p->n_waves; i++) {
        int s = roomiest_simd(m, u, p->vgprs);
        if (s < 0) {
            leave_unit(u, p, i);
            return false;
        }
        p->simd[i] = (uint8_t)s;
        p->slot[i] = (uint8_t)__builtin_ctzll(~u->slots[s]);
        u->slots[s] |= UINT64_C(1) << p->slot[i];
        u->vgprs[s] += p->vgprs;
    }
    return true;
}

static void give_scratch(sg_queue_t *q, const sg_place_t *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        q->scratch_used[p->scratch[i] / 64] &= ~(UINT64_C(1) << p->scratch[i] % 64);
}

static bool take_scratch(sg_queue_t *q, sg_place_t *p)
{
    uint32_t found = 0;
    for (uint32_t word = 0; word * 64 < q->scratch_slots && found < p->n_waves; word++) {
        uint64_t unused = ~q->scratch_used[word];
        for (; unused && found < p->n_waves; unused &= unused - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(unused);
            if (slot >= q->scratch_slots) break;
            q->scratch_used[word] |= UINT64_C(1) << slot % 64;
            p->scratch[found++] = (uint16_t)slot;
        }
    }
    if (found == p->n_waves) return true;
    give_scratch(q, p, found);
    return false;
}

static bool take_unit(sg_place_model_t *m, const sg_queue_t *q, sg_place_t *p)
{
    for (uint32_t k = 0; k < m->n_units; k++) {
        uint32_t i = (m->turn + k) % m->n_units;
        if (masked_out(q, i * m->unit_cus) || !enter_unit(m, &m->unit[i], p)) continue;
        p->unit = (int32_t)i;
        m->turn = i + 1;
        return true;
    }
    return false;
}

/* Whether the queue has as many waves in flight as the GPU has wave slots. This limit holds even
 * for workgroups without room on the model, since runtimes rely on it: HIP's buffer for printf has
 * one packet for each wave slot of the GPU, and a wave that finds no free packet takes one that
 * another wave is writing. */
static bool too_many_waves(const sg_place_model_t *m, const sg_run_t *run)
{
    return run->queue->waves && run->queue->waves + run->waves > m->wave_slots;
}

bool sg_place_take(sg_place_model_t *m, sg_run_t *run, bool beyond, sg_place_t *p)
{
    p->unit = -1;
    memset(p->slot, 0, sizeof p->slot);
    p->n_waves = run->waves;
    p->vgprs = sg_run_rows(run);
    p->lds = run->lds_bytes;
    p->has_scratch = run->scratch_wave_bytes != 0;
    if (too_many_waves(m, run)) return false;
    if (p->has_scratch && !take_scratch(run->queue, p)) return false;
    if (!take_unit(m, run->queue, p)) {
        if (run->resident && !(beyond && m->n_beyond < BEYOND_MAX)) {
            if (p->has_scratch) give_scratch(run->queue, p, p->n_waves);
            return false;
        }
        m->n_beyond++;
    }
    run->resident++;
    run->queue->waves += p->n_waves;
    m->taken++;
    return true;
}

void sg_place_give(sg_place_model_t *m, sg_run_t *run, const sg_place_t *p)
{
    if (p->unit >= 0) {
        leave_unit(&m->unit[p->unit], p, p->n_waves);
    } else {
        m->n_beyond--;
    }
    if (p->has_scratch) give_scratch(run->queue, p, p->n_waves);
    run->resident--;
    run->queue->waves -= p->n_waves;
    m->taken--;
}

bool sg_place_all_free(const sg_place_model_t *m)
{
    return m->taken == 0;
}
