/* occupancy.c - see occupancy.h.
 *
 * Each limit has a function. The rules are those by which hardware places waves: the resources of a
 * wave are rounded up to granules, a workgroup is on one unit (occupancy.h), and its waves are
 * spread over the SIMDs of that. */
#include "insight/occupancy.h"

#include <stdio.h>
#include <string.h>

#include "gpus/gpus.h"

static const char *const names[] = {
#define X(id, name) name,
    INS_LIMITS(X)
#undef X
};

static uint64_t up(uint64_t value, uint64_t granule)
{
    return (value + granule - 1) / granule * granule;
}

static uint32_t down(uint32_t value, uint32_t granule)
{
    return value / granule * granule;
}

static uint64_t vgprs_of(const ins_unit_t *g, const ins_resources_t *r)
{
    const uint64_t arch = r->arch_vgprs, accum = r->accum_vgprs;
    const uint64_t both = g->unified && accum ? up(arch, 4) + accum : arch > accum ? arch : accum;
    return up(both ? both : 1, g->vgpr_granule);
}

/* Returns how many waves a unit holds in whole workgroups, if each SIMD can hold `simd_waves`. */
static uint32_t whole_groups(uint64_t simd_waves, const ins_unit_t *g, uint32_t group)
{
    const uint32_t waves = simd_waves < g->waves ? (uint32_t)simd_waves : g->waves;
    return down(g->simds * waves, group);
}

static void fill_limits(const ins_unit_t *g, const ins_resources_t *r, ins_occupancy_t *o)
{
    const uint32_t group = o->group_waves, all = g->simds * g->waves;
    const uint64_t sgprs = up(r->sgprs ? r->sgprs : 1, g->sgpr_granule);
    const uint64_t lds = up(r->lds_bytes, g->lds_granule);
    uint64_t by_lds = all, by_groups = all;
    if (r->group_size && lds) by_lds = g->lds / lds * group;
    if (r->group_size && group > 1) by_groups = (uint64_t)g->barriers * group;
    o->by_limit[INS_LIMIT_SLOTS] = down(all, group);
    o->by_limit[INS_LIMIT_VGPRS] = whole_groups(g->vgprs / vgprs_of(g, r), g, group);
    o->by_limit[INS_LIMIT_SGPRS] = whole_groups(g->sgprs ? g->sgprs / sgprs : g->waves, g, group);
    o->by_limit[INS_LIMIT_LDS] = by_lds < all ? (uint32_t)by_lds : all;
    o->by_limit[INS_LIMIT_GROUPS] = by_groups < all ? (uint32_t)by_groups : all;
}

static uint32_t simd_waves(const ins_unit_t *g, uint32_t unit_waves)
{
    return (unit_waves + g->simds - 1) / g->simds;
}

/* Sets the next step up: one more wave on each SIMD if there are slots for it, else one more
 * workgroup on the unit. */
static void fill_next(const ins_unit_t *g, ins_occupancy_t *o)
{
    const uint32_t group = o->group_waves;
    uint32_t groups = (g->simds * (o->waves + 1) + group - 1) / group;
    if (o->unit_waves == o->by_limit[INS_LIMIT_SLOTS]) return;
    if (groups * group > o->by_limit[INS_LIMIT_SLOTS]) groups = o->unit_waves / group + 1;
    const uint32_t wanted = groups * group, simd = simd_waves(g, wanted);
    const uint32_t barrier_waves = (wanted + g->barriers - 1) / g->barriers;
    const uint32_t values[INS_LIMIT_COUNT] = {
        [INS_LIMIT_VGPRS] = down(g->vgprs / simd, g->vgpr_granule),
        [INS_LIMIT_SGPRS] = down(g->sgprs / simd, g->sgpr_granule),
        [INS_LIMIT_LDS] = down(g->lds / groups, g->lds_granule),
        [INS_LIMIT_GROUPS] = barrier_waves * g->wave_items,
    };
    for (unsigned k = 0; k < INS_LIMIT_COUNT; k++)
        if (o->by_limit[k] < wanted) o->next[k] = values[k];
    o->next_waves = simd;
}

ins_occupancy_t ins_occupancy_on(const ins_unit_t *g, const ins_resources_t *r)
{
    ins_occupancy_t o = {.known = true};
    const uint64_t group = up(r->group_size ? r->group_size : 1, g->wave_items) / g->wave_items;
    o.waves_max = g->waves;
    o.unit_max = g->simds * g->waves;
    /* a workgroup that is larger than a unit never fits, however small its waves are */
    o.group_waves = group <= o.unit_max ? (uint32_t)group : o.unit_max + 1;
    o.vgprs = (uint32_t)vgprs_of(g, r);
    fill_limits(g, r, &o);
    o.unit_waves = o.by_limit[INS_LIMIT_SLOTS];
    for (unsigned k = 0; k < INS_LIMIT_COUNT; k++)
        if (o.by_limit[k] < o.unit_waves) o.unit_waves = o.by_limit[k];
    o.waves = simd_waves(g, o.unit_waves);
    for (unsigned k = 0; k < INS_LIMIT_COUNT; k++)
        if (o.by_limit[k] == o.unit_waves) o.limiters |= 1u << k;
    /* if all wave slots are used, no other limit matters */
    if (o.limiters & 1u << INS_LIMIT_SLOTS) o.limiters = 1u << INS_LIMIT_SLOTS;
    fill_next(g, &o);
    /* a limiter is what has to change for a SIMD to hold more waves; that includes a limit that
     * prevents one more workgroup on the unit, although it allows more waves on a SIMD */
    if (o.next_waves <= o.waves) return o;
    o.limiters = 0;
    for (unsigned k = 0; k < INS_LIMIT_COUNT; k++)
        if (o.next[k]) o.limiters |= 1u << k;
    return o;
}

ins_occupancy_t ins_occupancy(const char *gpu, ins_waves_t waves, const ins_resources_t *r)
{
    ins_unit_t unit;
    if (!ins_unit_find(gpu, waves.items, waves.whole_wgp, &unit)) return (ins_occupancy_t){0};
    return ins_occupancy_on(&unit, r);
}

/* ---- texts ---- */

static void append(char *text, size_t room, const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, room - used, "%s", more);
}

bool ins_occupancy_needs_waves(const char *gpu)
{
    const gpus_arch_t *arch = gpus_find(gpu);
    return arch && gpus_registers(arch, 32);
}

void ins_occupancy_limiter(const char *gpu, const ins_occupancy_t *o, char *text, size_t room)
{
    unsigned left = o->limiters;
    if (!room) return;
    *text = '\0';
    if (!o->known && ins_occupancy_needs_waves(gpu))
        snprintf(text, room, "not known: " INS_NO_WAVES);
    else if (!o->known)
        snprintf(text, room, "not known for %s", *gpu ? gpu : "this GPU");
    for (unsigned k = 0; k < INS_LIMIT_COUNT; k++) {
        if (!(o->limiters & 1u << k)) continue;
        left &= ~(1u << k);
        if (*text) append(text, room, left ? ", " : " and ");
        append(text, room, names[k]);
    }
}

static void put_need(char *text, size_t room, unsigned limit, uint32_t value)
{
    static const struct {
        const char *before, *after;
    } words[INS_LIMIT_COUNT] = {
        [INS_LIMIT_VGPRS] = {"", " VGPRs or fewer"},
        [INS_LIMIT_SGPRS] = {"", " SGPRs or fewer"},
        [INS_LIMIT_LDS] = {"", " bytes of LDS or fewer"},
        [INS_LIMIT_GROUPS] = {"workgroups of ", " work-items or more"},
    };
    char need[64];
    snprintf(need, sizeof(need), "%s%u%s", words[limit].before, value, words[limit].after);
    append(text, room, need);
}

void ins_occupancy_advice(const ins_occupancy_t *o, char *text, size_t room)
{
    const char *between = "";
    if (room) *text = '\0';
    if (!room || !o->next_waves) return;
    const uint32_t more = o->next_waves - o->waves;
    if (more > 1)
        snprintf(text, room, "%u waves more with ", more);
    else
        snprintf(text, room, "%s more with ", more ? "one wave" : "one workgroup");
    for (unsigned k = 0; k < INS_LIMIT_COUNT; k++) {
        if (!o->next[k]) continue;
        append(text, room, between);
        put_need(text, room, k, o->next[k]);
        between = " and ";
    }
}
