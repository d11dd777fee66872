/* schedule.c - computes when the workgroups of a dispatch run on their compute units, and how long
 * they take when they share these.
 *
 * The input is workgroups that have run, with the clocks of their waves as if each were alone.
 * They are placed in the order of their ids, whatever order they ended in, so that the result is
 * the same in every run. */
#include "softgpu/cache/queue.h"
#include "softgpu/perf/bandwidth.h"
#include "softgpu/perf/model.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

enum {
    PARTS = 1024,       /* parts of a clock in which the time of memory is counted */
    LINES_AT_ONCE = 400 /* lines that the loads of a compute unit can have in flight */
};

typedef struct {
    uint64_t end;
    uint64_t lines; /* the most that its loads have in flight */
    uint32_t lds;
    uint8_t waves[ISA_UNIT_SIMDS];
} resident_t;

typedef struct {
    resident_t *resident;
    uint32_t n; /* in the array */
    size_t room;
    uint32_t waves_on[ISA_UNIT_SIMDS], lds;  /* of the residents together */
    uint64_t lines;                          /* of the residents together */
    uint64_t free[ISA_UNIT_SIMDS][SG_PIPES]; /* when each pipe has served all waves so far */
    uint64_t covered;                        /* busy clocks have been counted up to this clock */
    uint64_t
        waited; /* clocks in which waves waited for memory have been counted up to this clock */
    /* of the dispatch */
    uint64_t groups, waiting; /* workgroups, clocks that all waves have waited */
    uint32_t abreast;         /* waves of the largest workgroup */
    uint64_t turned;          /* the earliest end of a workgroup; 0: none has ended */
    uint64_t late;            /* waves that start after it */
    uint64_t loads, alone;    /* loads of vector memory; those before any store: sgc_late_t */
    bool counted;             /* by SQ */
} unit_state_t;

typedef struct {
    uint64_t free; /* when the engine's launcher takes the next workgroup */
    uint64_t covered;
} engine_state_t;

struct sg_schedule {
    sg_perf_t *p;
    sg_perf_launch_t launch;
    uint32_t by_slots, by_vgprs;  /* waves for which a SIMD has slots, and registers */
    uint64_t next;                /* id */
    uint64_t granted, granted_to; /* when the workgroup with id granted_to - 1 got room; 0: none */
    sg_ran_t *early;
    uint64_t base; /* the GPU's clock when the dispatch began */
    bool begun;
    uint64_t placed[2]; /* begin and end of the last workgroup */
    uint64_t end;
    sg_bandwidth_t memory; /* in PARTS of a clock */
    sg_perf_contention_t contention;
    engine_state_t *engine;
    sg_sqtt_run_t *trace;
    unit_state_t unit[];
};

sg_schedule_t *sg_schedule_create(sg_perf_t *p, const sg_perf_launch_t *launch)
{
    sg_schedule_t *s = calloc(1, sizeof *s + p->n_units * sizeof(unit_state_t));
    if (!s) return NULL;
    s->engine = calloc(p->engines, sizeof *s->engine);
    if (!s->engine) {
        free(s);
        return NULL;
    }
    s->p = p;
    s->launch = *launch;
    s->by_slots = p->profile.waves_per_simd;
    s->by_vgprs = launch->vgprs ? p->arch->simd_vgprs / launch->vgprs : UINT32_MAX;
    s->trace = sg_sqtt_run_begin(p, p->trace, &launch->trace);
    return s;
}

void sg_schedule_begin(sg_schedule_t *s)
{
    s->base = sg_spm_enter(s->p);
    s->begun = true;
}

void sg_schedule_counted(sg_schedule_t *s)
{
    sg_spm_count(s->p, s->base + s->placed[0], s->base + s->placed[1]);
    if (s->trace) sg_sqtt_run_counted(s->trace, s->placed[0], s->placed[1]);
}

sg_sqtt_run_t *sg_schedule_trace(sg_schedule_t *s)
{
    return s->trace;
}

/* ---- room ---- */

static uint32_t most_on_simd(const sg_schedule_t *s)
{
    return s->by_slots < s->by_vgprs ? s->by_slots : s->by_vgprs;
}

static bool lacks_lds(const sg_schedule_t *s, const unit_state_t *u)
{
    return u->lds + s->launch.lds_bytes > (s->p->profile.lds_kb << 10) * s->p->unit_cus;
}

/* Whether the unit has room for the workgroup on the SIMDs on which its waves have run. A workgroup
 * fits on an empty unit: the device has checked that. */
static bool has_room(const sg_schedule_t *s, const unit_state_t *u, const sg_ran_t *ran)
{
    const uint32_t most = most_on_simd(s);
    uint32_t waves[ISA_UNIT_SIMDS];
    if (!u->n) return true;
    if (lacks_lds(s, u)) return false;
    memcpy(waves, u->waves_on, sizeof waves);
    for (uint32_t i = 0; i < ran->n_waves; i++)
        if (++waves[ran->wave[i].simd] > most) return false;
    return true;
}

/* Removes workgroups that have ended by `now` from the unit. */
static void leave(unit_state_t *u, uint64_t now)
{
    uint32_t kept = 0;
    for (uint32_t r = 0; r < u->n; r++) {
        const resident_t *one = &u->resident[r];
        if (one->end > now) {
            if (kept != r) u->resident[kept] = *one;
            kept++;
            continue;
        }
        u->lds -= one->lds;
        u->lines -= one->lines;
        for (unsigned k = 0; k < ISA_UNIT_SIMDS; k++)
            u->waves_on[k] -= one->waves[k];
    }
    u->n = kept;
}

static uint64_t first_end(const unit_state_t *u)
{
    uint64_t end = UINT64_MAX;
    for (uint32_t r = 0; r < u->n; r++)
        if (u->resident[r].end < end) end = u->resident[r].end;
    return end;
}

/* What all units of an engine that the dispatch uses lack for a workgroup. */
typedef struct {
    uint32_t no_slot, no_vgprs; /* SIMDs that have none for a single wave */
    uint32_t no_lds;            /* units */
    bool fits;                  /* on some unit */
    uint64_t until;             /* when the next workgroup of the engine ends */
} engine_lack_t;

static uint32_t simds_of_unit(const sg_schedule_t *s)
{
    return s->p->profile.simds_per_cu * s->p->unit_cus;
}

static void add_lacks(const sg_schedule_t *s, const unit_state_t *u, engine_lack_t *all)
{
    for (uint32_t k = 0; k < simds_of_unit(s); k++) {
        all->no_slot += u->waves_on[k] >= s->by_slots;
        all->no_vgprs += u->waves_on[k] >= s->by_vgprs;
    }
    all->no_lds += lacks_lds(s, u);
}

/* Whether a workgroup of so many waves fits on a unit whose SIMDs the launcher chooses. */
static bool has_places(const sg_schedule_t *s, const unit_state_t *u, uint32_t n_waves)
{
    const uint32_t most = most_on_simd(s);
    uint64_t places = 0;
    for (uint32_t k = 0; k < simds_of_unit(s); k++)
        places += u->waves_on[k] < most ? most - u->waves_on[k] : 0;
    return !u->n || (places >= n_waves && !lacks_lds(s, u));
}

/* Asks all units of the engine for a workgroup that has no room on its own. The dispatch uses the
 * units that it has given a workgroup: one waits only when all have some. */
static engine_lack_t engine_lacks(sg_schedule_t *s, const unit_state_t *own, const sg_ran_t *ran,
                                  uint64_t now)
{
    const uint32_t first = ran->unit / s->p->units_per_engine * s->p->units_per_engine;
    engine_lack_t all = {.until = UINT64_MAX};
    for (uint32_t k = 0; k < s->p->units_per_engine; k += s->p->unit_cus) {
        unit_state_t *u = &s->unit[first + k];
        if (!u->groups) continue;
        leave(u, now);
        add_lacks(s, u, &all);
        all.fits |= u != own && has_places(s, u, ran->n_waves);
        const uint64_t end = first_end(u);
        if (end < all.until) all.until = end;
    }
    return all;
}

static uint64_t share(uint64_t clocks, uint64_t part, uint64_t all)
{
    return (uint64_t)((double)clocks * (double)part / (double)all);
}

/* The part of the `clocks` for which a wave waits for memory in which it cannot issue its loads,
 * since the waves of the units that take workgroups together want more lines at once than these can
 * have in flight. A line is in flight for the share most / wanted of the time, and waits to be
 * requested for the rest. */
static uint64_t held_up(const sg_perf_t *p, uint64_t clocks, uint64_t wanted)
{
    const uint64_t most = (uint64_t)LINES_AT_ONCE * p->unit_cus;
    return wanted > most ? share(clocks, wanted - most, wanted) : 0;
}

/* Adds `clocks` in which the workgroup waits for its unit to the engine's sums. `fit`: those of
 * them in which it fits on some unit. Lacking resources count in the others alone. */
static void count_lack(sg_sums_t *sums, const engine_lack_t *all, uint64_t clocks, uint64_t fit)
{
    const uint64_t unfit = clocks - fit;
    sg_add_held(&sums->fixed[SG_T_BLOCKED], clocks);
    sg_add_held(&sums->fixed[SG_T_FIT], fit);
    sg_add_held(&sums->fixed[SG_T_UNFIT], unfit);
    sg_add_held(&sums->fixed[SG_T_UNFIT_WAVES], all->no_slot * unfit);
    sg_add_held(&sums->fixed[SG_T_UNFIT_VGPRS], all->no_vgprs * unfit);
    sg_add_held(&sums->fixed[SG_T_UNFIT_LDS], all->no_lds * unfit);
}

/* Returns when the unit has room for the workgroup, not before `now`, and adds the clocks that the
 * workgroup waits to the engine's sums. It is assumed that a real unit takes no more waves while
 * its loads cannot be issued, though it has room: the model has that unit full, and the share of
 * the clocks for which its loads are held up stands for those in which the workgroup fits. */
static uint64_t wait_for_room(sg_schedule_t *s, unit_state_t *u, const sg_ran_t *ran,
                              sg_sums_t *sums, uint64_t now)
{
    leave(u, now);
    while (!has_room(s, u, ran)) {
        const engine_lack_t all = engine_lacks(s, u, ran, now);
        const uint64_t clocks = all.until - now;
        count_lack(sums, &all, clocks, all.fits ? clocks : held_up(s->p, clocks, u->lines));
        now = all.until;
        leave(u, now);
    }
    return now;
}

/* ---- a workgroup ---- */

/* The length of the union of intervals: returns how much [start, end) adds to it. `covered` is its
 * end so far; no start is before an earlier one. */
static uint64_t cover(uint64_t *covered, uint64_t start, uint64_t end)
{
    const uint64_t from = *covered > start ? *covered : start;
    if (end <= from) return 0;
    *covered = end;
    return end - from;
}

/* The element of `free` for a pipe; pipes that all SIMDs of a compute unit share are those of its
 * first SIMD. */
static uint64_t *pipe_of(const sg_perf_t *p, unit_state_t *u, unsigned simd, unsigned pipe)
{
    const unsigned first = simd - simd % p->profile.simds_per_cu;
    return &u->free[pipe < SG_SIMD_PIPES ? simd : first][pipe];
}

/* Lets the wave wait for memory from `end` until `done`, and shares these clocks among vector and
 * scalar memory in the ratio of the clocks that these take if the wave is alone. `wanted`: lines
 * that the waves of its units want at once. */
static uint64_t wait_for_memory(sg_schedule_t *s, unit_state_t *u, const sg_ran_t *ran, uint32_t i,
                                uint64_t end, uint64_t done, uint64_t wanted, sg_sums_t *sums)
{
    const uint64_t vector = ran->wave[i].vector, all = vector + ran->wave[i].scalar;
    if (!all || done <= end) return end;
    const uint64_t held = held_up(s->p, done - end, wanted), waited = done - end - held;
    const uint64_t of_vector = share(waited, vector, all);
    sg_add_held(&sums->fixed[s->p->arch->address_stalls ? SG_T_STALL : SG_T_WAIT], held);
    sg_add_held(&sums->fixed[SG_T_WAIT], waited);
    s->contention.bandwidth += done - end;
    sg_add_held(&sums->fixed[SG_T_VMEM_LEVEL], of_vector);
    sg_add_held(&sums->fixed[SG_T_SMEM_LEVEL], waited - of_vector);
    u->waiting += waited;
    const uint64_t of_unit = cover(&u->waited, end, done);
    const sgc_stand_t stand = {.latency = of_vector,
                               .busy = vector ? of_unit : 0,
                               .stood = share(of_unit, ran->wave[i].loads, all),
                               .held = held_up(s->p, of_unit, wanted)};
    sgc_waited(s->p->caches, sg_perf_unit_of_simd(s->p, ran->unit, ran->wave[i].simd), &stand);
    return done;
}

/* When memory serves a workgroup; the earliest request is served first. */
typedef struct {
    uint64_t through; /* when memory has moved all of the workgroup's data */
    uint64_t later;   /* how much later that is than if no other workgroup used memory */
} turn_t;

static turn_t move(sg_schedule_t *s, const sg_ran_t *ran, uint64_t start)
{
    const sg_profile_t *p = &s->p->profile;
    const uint64_t takes = ran->below.read * PARTS / p->memory_bytes_per_clock +
                           ran->below.written * PARTS / p->memory_write_bytes_per_clock;
    const uint64_t asked = (start + ran->asked) * PARTS;
    const uint64_t through = sg_bandwidth_take(&s->memory, asked, takes);
    return (turn_t){through / PARTS, (through - takes - asked) / PARTS};
}

/* Returns when the wave ends: as late as the latest of its own clocks, of each pipe that it uses,
 * which serves all waves that came first, and of memory. The delay by memory is added to the wave's
 * own clocks, since these include only the latency of memory without other workgroups. */
static uint64_t run_wave(sg_schedule_t *s, unit_state_t *u, const sg_ran_t *ran, uint32_t i,
                         uint64_t start, turn_t memory, uint64_t wanted, sg_sums_t *sums)
{
    const uint64_t alone = start + ran->wave[i].clocks;
    const uint64_t answered =
        alone + memory.later > memory.through ? alone + memory.later : memory.through;
    uint64_t end = alone;
    unsigned last = SG_PIPES;
    for (unsigned pipe = 0; pipe < SG_PIPES; pipe++) {
        uint64_t *through = pipe_of(s->p, u, ran->wave[i].simd, pipe);
        if (!ran->wave[i].pipe[pipe]) continue;
        *through = (*through > start ? *through : start) + ran->wave[i].pipe[pipe];
        if (*through <= end) continue;
        end = *through;
        last = pipe;
    }
    sg_add_held(&sums->fixed[SG_T_STALL], end - alone);
    if (last < SG_PIPES) s->contention.stalls[last] += end - alone;
    if (last == SG_PIPE_LDS) sg_add_held(&sums->fixed[SG_T_STALL_LDS], end - alone);
    end = wait_for_memory(s, u, ran, i, end, answered, wanted, sums);
    sg_add_held(&sums->fixed[SG_T_WAVE_CLOCKS], end - start);
    return end;
}

static uint64_t lines_of(const sg_ran_t *ran)
{
    uint64_t lines = 0;
    for (uint32_t i = 0; i < ran->n_waves; i++)
        lines += ran->wave[i].lines;
    return lines;
}

static bool enter(unit_state_t *u, const sg_ran_t *ran, uint32_t lds, uint64_t end)
{
    if (!BASE_GROW(u->resident, u->n, &u->room)) return false;
    resident_t *r = &u->resident[u->n++];
    *r = (resident_t){.end = end, .lds = lds, .lines = lines_of(ran)};
    for (uint32_t i = 0; i < ran->n_waves; i++)
        r->waves[ran->wave[i].simd]++;
    u->lds += lds;
    u->lines += r->lines;
    for (unsigned k = 0; k < ISA_UNIT_SIMDS; k++)
        u->waves_on[k] += r->waves[k];
    return true;
}

/* Units that take workgroups together have one state, that of the first. */
static unit_state_t *unit_of(sg_schedule_t *s, const sg_ran_t *ran)
{
    return &s->unit[sg_perf_first_unit(s->p, ran->unit)];
}

static uint64_t grant(sg_schedule_t *s, const sg_ran_t *ran)
{
    const uint32_t units = s->p->units_per_engine, engine = ran->unit / units;
    return wait_for_room(s, unit_of(s, ran), ran, &s->p->units[engine * units].sums[ran->counted],
                         s->engine[engine].free);
}

static uint64_t launch_clocks(const sg_schedule_t *s, const sg_ran_t *ran)
{
    return (uint64_t)ran->n_waves * s->p->profile.wave_launch_clocks;
}

uint64_t sg_schedule_start(sg_schedule_t *s, const sg_ran_t *ran)
{
    uint64_t granted = s->engine[ran->unit / s->p->units_per_engine].free;
    if (ran->id == s->next) {
        granted = s->granted = grant(s, ran);
        s->granted_to = ran->id + 1;
    }
    return granted + launch_clocks(s, ran);
}

/* Places a workgroup. If the host is out of memory the workgroup takes up no room on its unit, and
 * the model continues. */
static void place(sg_schedule_t *s, const sg_ran_t *ran)
{
    sg_perf_t *p = s->p;
    const uint32_t engine = ran->unit / p->units_per_engine;
    unit_state_t *u = unit_of(s, ran);
    engine_state_t *e = &s->engine[engine];
    sg_sums_t *sums = &p->units[ran->unit].sums[ran->counted];
    sg_sums_t *first = &p->units[engine * p->units_per_engine].sums[ran->counted];
    const uint64_t granted = s->granted_to == ran->id + 1 ? s->granted : grant(s, ran);
    const uint64_t start = granted + launch_clocks(s, ran);
    const turn_t memory = move(s, ran, start);
    sg_sqtt_times_t times; /* set only for the n_waves waves */
    const uint64_t wanted = u->lines + lines_of(ran);
    uint64_t end = times.start = start;

    for (uint32_t i = 0; i < ran->n_waves; i++) {
        const uint64_t wave_end = run_wave(s, u, ran, i, start, memory, wanted, sums);
        if (wave_end > end) end = wave_end;
        times.alone[i] = ran->wave[i].clocks;
        times.end[i] = wave_end;
        times.simd[i] = ran->wave[i].simd;
    }
    if (ran->traced) sg_sqtt_place(s->trace, ran->traced, &times);
    u->groups++;
    u->waiting += ran->waited;
    u->counted = ran->counted;
    if (ran->n_waves > u->abreast) u->abreast = ran->n_waves;
    const bool late = u->turned && start >= u->turned;
    if (late) u->late += ran->n_waves;
    if (!u->turned || end < u->turned) u->turned = end;
    for (uint32_t i = 0; i < ran->n_waves; i++) {
        u->loads += ran->wave[i].n_loads;
        if (!late) u->alone += ran->wave[i].n_first;
    }
    e->free = start;
    sg_add_held(&first->fixed[SG_T_FIT], start - granted);
    sg_add_held(&first->fixed[SG_T_SE_BUSY], cover(&e->covered, start, end));
    sg_add_held(&sums->fixed[SG_T_BUSY], cover(&u->covered, start, end));
    enter(u, ran, s->launch.lds_bytes, end);
    if (end > s->end) s->end = end;
    s->placed[0] = start;
    s->placed[1] = end;
}

/* ---- the dispatch ---- */

static void place_early(sg_schedule_t *s, bool all)
{
    while (s->early && (all || s->early->id == s->next)) {
        sg_ran_t *ran = s->early;
        s->early = ran->next;
        s->next = ran->id + 1;
        place(s, ran);
        free(ran);
    }
}

static void keep(sg_schedule_t *s, const sg_ran_t *ran)
{
    sg_ran_t **at = &s->early, *copy = malloc(sizeof *copy);
    if (!copy) { /* out of memory: the workgroup is placed at once, out of order */
        place(s, ran);
        return;
    }
    while (*at && (*at)->id < ran->id)
        at = &(*at)->next;
    *copy = *ran;
    copy->next = *at;
    *at = copy;
}

void sg_schedule_add(sg_schedule_t *s, const sg_ran_t *ran)
{
    if (ran->id != s->next) {
        keep(s, ran);
        return;
    }
    place(s, ran);
    s->next++;
    place_early(s, false);
}

/* Moves clocks that waves have waited for the unit's address unit from SG_T_WAIT to SG_T_STALL. The
 * waves of a workgroup reach that unit together, so each waits for those before it; workgroups
 * reach it at random times. */
static void queue_up(sg_perf_t *p, uint32_t unit, const unit_state_t *u, uint64_t busy,
                     uint64_t clocks)
{
    if (!u->groups || !p->arch->address_stalls) return;
    const uint64_t own = busy * (u->abreast - 1) / 2;
    const uint64_t others = sgc_queue(busy, clocks) * u->abreast * (u->groups - 1) / u->groups;
    const uint64_t queued = own + others < u->waiting ? own + others : u->waiting;
    sg_sums_t *sums = &p->units[unit].sums[u->counted];
    sg_add_held(&sums->fixed[SG_T_STALL], queued);
    sg_add_held(&sums->fixed[SG_T_WAIT], -queued);
}

/* The share of one unit in the state of units that take workgroups together, whose waves are spread
 * evenly over them. Late waves that do not divide evenly are left to the last of them. */
static unit_state_t part_of(const sg_schedule_t *s, uint32_t unit)
{
    const uint32_t n = s->p->unit_cus, first = sg_perf_first_unit(s->p, unit);
    unit_state_t u = s->unit[first];
    u.late = (u.late + (unit - first)) / n;
    u.waiting /= n;
    u.abreast = (u.abreast + n - 1) / n;
    return u;
}

static void end_caches(sg_schedule_t *s, uint64_t at_work)
{
    sg_perf_t *p = s->p;
    for (uint32_t k = 0; k < p->n_units; k++) {
        const unit_state_t u = part_of(s, k);
        const sgc_late_t late = {.waves = u.late,
                                 .clocks = u.turned ? s->end - u.turned : 0,
                                 .loads = u.loads,
                                 .alone = u.alone};
        queue_up(p, k, &u, sgc_unit_ended(p->caches, k, s->end, &late), s->end);
    }
    sgc_ended(p->caches, s->end, at_work);
}

uint64_t sg_schedule_end(sg_schedule_t *s, sg_perf_contention_t *contention)
{
    sg_perf_t *p = s->p;
    uint64_t clocks;
    place_early(s, true);
    if (s->trace) sg_sqtt_run_counted(s->trace, 0, s->end);
    if (s->trace) sg_sqtt_run_end(s->trace, atomic_load(&p->device[SG_D_CLOCK]));
    sg_add(&p->device[SG_D_CLOCK], s->end);
    sg_add(&p->device[SG_D_WAVES], s->end);
    end_caches(s, (s->memory.busy + PARTS - 1) / PARTS);
    if (s->begun) {
        sg_spm_count(p, s->base, s->base + s->end);
        sg_spm_leave(p, s->base + s->end);
    }
    for (uint32_t k = 0; k < p->n_units; k++)
        free(s->unit[k].resident);
    clocks = s->end;
    *contention = s->contention;
    free(s->engine);
    free(s);
    return clocks;
}
