/* clock.c - the clock of one wave: the cost of each of its instructions if the wave is alone on its
 * compute unit.
 *
 * This is the issue model: instructions are issued in order, one after the other, and memory
 * instructions are in flight until s_waitcnt waits for them. schedule.c adds the clocks that the
 * wave waits because of other waves. */
#include "isa/table.h"
#include "isa/waits.h"
#include "softgpu/perf/model.h"

#include <string.h>

static void start_flight(sg_flight_t *f)
{
    f->first = f->n = 0;
}

void sg_wave_clock_start(sg_wave_clock_t *c, unsigned unit, uint8_t simd)
{
    memset(c, 0, offsetof(sg_wave_clock_t, vm));
    start_flight(&c->vm);
    start_flight(&c->vs);
    start_flight(&c->lgkm);
    start_flight(&c->km);
    start_flight(&c->samples);
    start_flight(&c->rays);
    start_flight(&c->direct);
    c->unit = unit;
    c->code = c->asked = ~UINT64_C(0);
    c->simd = simd;
}

void sg_wave_clock_wait(sg_wave_clock_t *c, uint64_t to, sg_wait_t what)
{
    if (to <= c->now) return;
    c->waited += to - c->now;
    if (c->by_wait) c->by_wait[what] += to - c->now;
    c->now = to;
}

/* ---- memory in flight ---- */

static void land(sg_wave_clock_t *c, sg_flight_t *f)
{
    c->lines -= f->lines[f->first];
    f->first = (uint8_t)((f->first + 1) % SG_FLIGHTS);
    f->n--;
}

/* Waits until at most `n` are in flight, and removes those that are done. */
static inline void await(sg_wave_clock_t *c, sg_flight_t *f, unsigned n)
{
    while (f->n && (f->n > n || f->done[f->first] <= c->now)) {
        sg_wave_clock_wait(c, f->done[f->first], f->wait[f->first]);
        land(c, f);
    }
}

static void take_off(sg_wave_clock_t *c, sg_flight_t *f, unsigned most, uint32_t latency,
                     sg_wait_t what, uint32_t lines)
{
    await(c, f, most - 1);
    uint64_t done = c->now + latency;
    if (f->n) {
        const uint64_t last = f->done[(f->first + f->n - 1) % SG_FLIGHTS];
        if (done < last) done = last;
    }
    f->done[(f->first + f->n) % SG_FLIGHTS] = done;
    f->wait[(f->first + f->n) % SG_FLIGHTS] = (uint8_t)what;
    f->lines[(f->first + f->n) % SG_FLIGHTS] = (uint16_t)lines;
    c->lines += lines;
    f->n++;
}

/* ---- code ---- */

/* The next SGC_FETCH bytes of code have been fetched ahead: the wave waits for them only if they
 * were not in the instruction cache. It waits for the fetch after a jump in any case. */
static void fetch(sg_wave_clock_t *c, const sg_clock_of_t *of, uint64_t pc)
{
    const uint64_t piece = pc / SGC_FETCH * SGC_FETCH;
    if (piece == c->code) return;
    const uint32_t latency = sgc_fetch(of->caches, c->unit, of->start + c->now, piece);
    const uint32_t ahead = piece == c->code + SGC_FETCH ? of->profile->l1_instruction_latency : 0;
    c->fetches++;
    c->fetch_level += latency;
    c->code = piece;
    if (latency > ahead) sg_wave_clock_wait(c, c->now + latency - ahead, SG_WAIT_CODE);
}

/* ---- instructions ---- */

/* The operations on vector memory with which that of row `op` is counted. */
static sg_flight_t *vector_flight(sg_wave_clock_t *c, const isa_arch_t *arch, unsigned op,
                                  bool stores)
{
    if (arch->samples_apart && isa_is_sample(&isa_table[op])) return &c->samples;
    if (arch->samples_apart && isa_tests_rays(&isa_table[op])) return &c->rays;
    return stores && arch->stores_apart ? &c->vs : &c->vm;
}

/* Remembers the most lines that the wave has had in flight; a load into `flight` has just begun.
 * Loads, samples and rays count together, so that those of the other kinds that are done are
 * removed. */
static void count_lines(sg_wave_clock_t *c, const isa_arch_t *arch, const sg_flight_t *flight)
{
    sg_flight_t *const together[] = {&c->vm, &c->samples, &c->rays};
    for (unsigned k = 0; arch->samples_apart && k < sizeof together / sizeof *together; k++)
        if (flight != together[k]) await(c, together[k], SG_FLIGHTS);
    if (c->lines > c->most_lines) c->most_lines = c->lines;
}

/* `stores`: the instruction returns no data. `lines`: how many it has requested from L2. */
static void memory(sg_wave_clock_t *c, const sgc_cost_t *cost, const isa_arch_t *arch, unsigned op,
                   bool stores, uint32_t lines)
{
    const isa_waits_t *most = &arch->waits_most;
    sg_flight_t *vector = vector_flight(c, arch, op, stores);
    c->pipe[SG_PIPE_VMEM] += cost->vmem_issue;
    c->pipe[SG_PIPE_LDS] += cost->lds_issue;
    c->pipe[SG_PIPE_SMEM] += cost->smem_issue;
    if (cost->vmem_issue) {
        if (c->asked == ~UINT64_C(0)) c->asked = c->now;
        take_off(c, vector, most->vm, cost->latency, SG_WAIT_VECTOR, stores ? 0 : lines);
        c->vmem_level += cost->latency;
        if (stores) {
            c->stored = true;
        } else {
            count_lines(c, arch, vector);
            c->load_level += cost->latency;
            c->loads++;
            c->loads_first += !c->stored;
        }
    }
    if (cost->lds_issue || cost->smem_issue) {
        sg_flight_t *scalar = arch->lds_apart ? &c->km : &c->lgkm;
        const bool direct = isa_table[op].fmt == ISA_FMT_LDSDIR;
        take_off(c,
                 direct            ? &c->direct
                 : cost->lds_issue ? &c->lgkm
                                   : scalar,
                 direct ? most->exp : most->lgkm, cost->latency,
                 cost->lds_issue ? SG_WAIT_LDS : SG_WAIT_SCALAR, 0);
        if (cost->lds_issue) c->lds_level += cost->latency;
        if (cost->smem_issue) c->smem_level += cost->latency;
    }
}

/* Of what expcnt counts, the model has direct loads from LDS alone: exports do not occur here, and
 * it does not wait for GDS and GWS. */
static void wait_for_memory(sg_wave_clock_t *c, const isa_arch_t *arch, isa_wait_limits_t limits)
{
    await(c, &c->vm, limits.loads);
    if (arch->stores_apart) await(c, &c->vs, limits.stores);
    await(c, &c->lgkm, limits.lds);
    if (arch->lds_apart) await(c, &c->km, limits.scalar);
    if (arch->samples_apart) await(c, &c->samples, limits.samples);
    if (arch->samples_apart) await(c, &c->rays, limits.rays);
    await(c, &c->direct, limits.exp);
}

static void park(sg_wave_clock_t *c)
{
    c->held = c->code;
    c->code = ~UINT64_C(0);
    c->parked = true;
}

void sg_wave_clock_unpark(sg_wave_clock_t *c, uint64_t to)
{
    c->code = c->held;
    c->parked = false;
    sg_wave_clock_wait(c, to, SG_WAIT_BARRIER);
}

void sg_wave_clock_step(sg_wave_clock_t *c, const sg_clock_of_t *of, isa_watch_t *watch,
                        const isa_wave_t *w, const isa_inst_t *i, const sg_traits_t *t)
{
    fetch(c, of, i->pc);
    switch ((isa_class_t)t->klass) {
    case ISA_CLASS_VALU:
        if (t->flow == SG_FLOW_INTERPOLATES) await(c, &c->direct, isa_wait_limits(of->arch, i).exp);
        c->pipe[SG_PIPE_VALU] += t->issue;
        break;
    case ISA_CLASS_MFMA:
        sg_wave_clock_wait(c, c->matrix_free, SG_WAIT_MATRIX);
        c->matrix_free = c->now + t->matrix;
        c->pipe[SG_PIPE_VALU] += t->issue;
        c->pipe[SG_PIPE_MATRIX] += t->matrix;
        break;
    case ISA_CLASS_SALU: c->pipe[SG_PIPE_SCALAR] += t->issue; break;
    case ISA_CLASS_BRANCH:
    case ISA_CLASS_GWS:
    case ISA_CLASS_MSG: break;
    case ISA_CLASS_INTERNAL:
        if (t->flow == SG_FLOW_WAIT) wait_for_memory(c, of->arch, isa_wait_limits(of->arch, i));
        if (t->flow == SG_FLOW_NOP) c->now += t->issue * isa_nop_count(i);
        if (t->flow == SG_FLOW_SLEEP)
            sg_wave_clock_wait(c, c->now + isa_sleep_clocks((uint32_t)i->imm), SG_WAIT_SLEEP);
        if (t->flow == SG_FLOW_PARK) park(c);
        break;
    default: {
        if (t->klass <= ISA_CLASS_SMEM_AT) {
            c->pipe[SG_PIPE_SCALAR] += t->issue;
            sgc_at(of->caches, of->start + c->now);
        }
        const uint64_t requests = of->tallies->requests;
        const sgc_cost_t cost = sgc_before(of->caches, c->unit, watch, w, i);
        memory(c, &cost, of->arch, i->op, t->flow == SG_FLOW_STORE,
               (uint32_t)(of->tallies->requests - requests));
        break;
    }
    }
    c->now += t->issue;
}
