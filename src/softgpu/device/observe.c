/* observe.c - counts of the instructions that kernels execute, and the report of --stats.
 *
 * A box's counts are added to its run's when the box leaves the run, and the run's to its kernel's
 * when the run completes. In between, the threads that run waves share no counts. */
#include "softgpu/device/observe.h"

#include "base/env.h"
#include "base/lines.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOP = 8 /* instructions that the report names */ };

static struct {
    pthread_once_t once;
    bool stats;
    bool translated;   /* sg_observe_translated() */
    const char *trace; /* kernels whose names contain this are traced; NULL: none */
    base_lines_t lines;
    pthread_mutex_t write_lock;
    pthread_mutex_t lock; /* guards the list of kernels */
    sg_seen_t *kernels, **tail;
} state = {.once = PTHREAD_ONCE_INIT,
           .write_lock = PTHREAD_MUTEX_INITIALIZER,
           .lock = PTHREAD_MUTEX_INITIALIZER};

/* A forked child does not report its parent's kernels. It initialises the locks anew, since threads
 * of the parent may have held them. */
static void in_forked_child(void)
{
    pthread_mutex_init(&state.write_lock, NULL);
    pthread_mutex_init(&state.lock, NULL);
    state.kernels = NULL;
    state.tail = &state.kernels;
}

static void read_options(void)
{
    state.tail = &state.kernels;
    state.trace = base_env("SOFTGPU_TRACE");
    state.stats = base_env_bool("SOFTGPU_STATS", false);
    if (!state.trace && !state.stats) return;
    pthread_atfork(NULL, NULL, in_forked_child);
    base_lines_open(&state.lines, "SOFTGPU_TRACE_FILE", "trace and statistics go");
}

void sg_observe_translated(bool translated)
{
    state.translated = translated;
}

bool sg_observe_wanted(void)
{
    pthread_once(&state.once, read_options);
    return state.trace || state.stats;
}

void sg_observe_write(const char *text, size_t length)
{
    pthread_mutex_lock(&state.write_lock);
    base_lines_write(&state.lines, text, length);
    pthread_mutex_unlock(&state.write_lock);
}

/* ---- runs and boxes ---- */

/* The entry of the kernel of that name. Takes over `name`, which is on the heap, or frees it. NULL:
 * out of memory. */
static sg_seen_t *kernel_named(char *name)
{
    sg_seen_t *k;
    if (!name) return NULL;
    pthread_mutex_lock(&state.lock);
    for (k = state.kernels; k && strcmp(k->name, name);)
        k = k->next;
    if (!k && (k = calloc(1, sizeof *k))) {
        k->name = name;
        name = NULL;
        *state.tail = k;
        state.tail = &k->next;
    }
    pthread_mutex_unlock(&state.lock);
    free(name);
    return k;
}

void sg_observe_begin(sg_run_t *run, uint64_t kernel_object, uint64_t packet)
{
    sg_observed_t *o = run->observed;
    if (!run->device->observed) return;
    if (!o) {
        o = run->observed = calloc(1, sizeof *o);
        if (!o) {
            base_error("no memory to observe dispatch %llu", (unsigned long long)packet);
            return;
        }
        pthread_mutex_init(&o->lock, NULL);
    }
    memset(&o->tally, 0, sizeof o->tally);
    memset(&o->ran, 0, sizeof o->ran);
    o->spread = (sg_spread_t){0};
    o->waves = 0;
    o->packet = packet;
    o->kernel = kernel_named(sg_kernel_name(run->device->memory, kernel_object));
    if (!o->kernel) base_error("no memory to observe dispatch %llu", (unsigned long long)packet);
    o->trace = state.trace && o->kernel && strstr(o->kernel->name, state.trace);
}

void sg_observed_free(sg_observed_t *o)
{
    if (o) pthread_mutex_destroy(&o->lock);
    free(o);
}

void sg_sight_free(sg_sight_t *s)
{
    if (s) sg_trace_free(s->trace);
    free(s);
}

static void after(isa_subscriber_t *subscriber, isa_watch_t *watch, isa_wave_t *w,
                  const isa_inst_t *i)
{
    sg_sight_t *s = (sg_sight_t *)subscriber;
    s->tally.runs[i->op]++;
    s->tally.lanes[i->op] += isa_lane_count(watch->exec);
    if (s->traced) sg_trace_instruction(s, w, i, i->pc);
}

static sg_sight_t *make_sight(sg_box_t *b)
{
    static const uint8_t wants[ISA_OP_COUNT] = {[0 ... ISA_OP_COUNT - 1] = ISA_WANTS_AFTER};
    sg_sight_t *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->box = b;
    s->subscriber = (isa_subscriber_t){.wants = wants, .after = after};
    return s;
}

void sg_observe_start(sg_box_t *b)
{
    sg_sight_t *s = b->sight ? b->sight : (b->sight = make_sight(b));
    bool trace = b->run->observed->trace;
    if (s) {
        s->waves += b->group.n_waves;
        s->traced = trace && sg_trace_start(s);
    }
    if (!s || (trace && !s->traced))
        base_error("no memory to observe a workgroup of dispatch %llu",
                   (unsigned long long)b->run->observed->packet);
}

void sg_observe_watch(sg_box_t *b, isa_watch_t *watch)
{
    if (b->sight && (!b->run->unwatched || watch->interrupt))
        isa_watch_add(watch, &b->sight->subscriber);
}

bool sg_observe_needs_no_watch(const sg_run_t *run)
{
    return run->observed && !run->observed->trace && !run->counted && !run->census &&
           !run->checked && state.translated;
}

isa_stop_t sg_observe_run(const sg_box_t *b, isa_wave_t *w, int32_t slice, isa_ran_t *ran)
{
    return ran ? isa_translate_run(w, slice, ran) : b->run->core->run(w, slice);
}

isa_ran_t *sg_observe_ran(const sg_box_t *b)
{
    return b->run->unwatched && b->sight ? &b->sight->ran : NULL;
}

static void add_tally(sg_tally_by_op_t *to, const sg_tally_by_op_t *from, uint64_t times)
{
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
        to->runs[op] += times * from->runs[op];
        to->lanes[op] += times * from->lanes[op];
    }
}

void sg_observe_leave(sg_box_t *b, uint64_t times)
{
    sg_sight_t *s = b->sight;
    sg_observed_t *o = b->run->observed;
    if (!s) return;
    pthread_mutex_lock(&o->lock);
    add_tally(&o->tally, &s->tally, times);
    isa_ran_add(&o->ran, &s->ran, times);
    o->waves += times * s->waves;
    pthread_mutex_unlock(&o->lock);
    memset(&s->tally, 0, sizeof s->tally);
    memset(&s->ran, 0, sizeof s->ran);
    s->waves = 0;
}

void sg_observe_helped(sg_run_t *run, const isa_ran_t *ran)
{
    sg_observed_t *o = run->observed;
    pthread_mutex_lock(&o->lock);
    isa_ran_add(&o->ran, ran, 1);
    pthread_mutex_unlock(&o->lock);
}

void sg_observe_spread(sg_run_t *run, const sg_spread_t *counts)
{
    sg_observed_t *o = run->observed;
    pthread_mutex_lock(&o->lock);
    sg_spread_add(&o->spread, counts);
    pthread_mutex_unlock(&o->lock);
}

void sg_observe_end(sg_run_t *run, uint64_t end_ts)
{
    sg_observed_t *o = run->observed;
    sg_seen_t *k = o->kernel;
    if (!state.stats || !k) return;
    pthread_mutex_lock(&state.lock);
    k->dispatches++;
    k->waves += o->waves;
    k->ns += end_ts - run->start_ts;
    if (k->lanes < run->core->lanes) k->lanes = run->core->lanes;
    add_tally(&k->tally, &o->tally, 1);
    isa_ran_add(&k->ran, &o->ran, 1);
    sg_spread_add(&k->spread, &o->spread);
    pthread_mutex_unlock(&state.lock);
}

/* ---- the report ---- */

static bool has_lanes(unsigned klass)
{
    return klass >= ISA_CLASS_VALU && klass != ISA_CLASS_GWS;
}

typedef struct {
    uint64_t runs, lanes;
} sum_t;

/* Sums by class, and in the last element for all classes: runs of all instructions, but lanes of
 * vector instructions only. Returns the runs of vector instructions. */
static uint64_t sum_classes(const sg_tally_by_op_t *t, sum_t by_class[ISA_CLASS_COUNT + 1])
{
    sum_t *all = &by_class[ISA_CLASS_COUNT];
    uint64_t vector = 0;
    memset(by_class, 0, (ISA_CLASS_COUNT + 1) * sizeof *by_class);
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        unsigned klass = isa_table[op].klass;
        by_class[klass].runs += t->runs[op];
        by_class[klass].lanes += t->lanes[op];
        all->runs += t->runs[op];
        if (!has_lanes(klass)) continue;
        all->lanes += t->lanes[op];
        vector += t->runs[op];
    }
    return vector;
}

static double share(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double mean(uint64_t sum, uint64_t n)
{
    return n ? (double)sum / (double)n : 0;
}

/* The instructions that have run most often, each with its share of `all`. */
static void report_top(FILE *f, const uint64_t runs[ISA_OP_COUNT], uint64_t all)
{
    bool named[ISA_OP_COUNT] = {false};
    for (unsigned k = 0; k < TOP; k++) {
        unsigned best = 0;
        for (unsigned op = 1; op < ISA_OP_COUNT; op++)
            if (!named[op] && runs[op] > (best ? runs[best] : 0)) best = op;
        if (!best) break;
        named[best] = true;
        fprintf(f, "%s %s %.1f %%", k ? "," : "", isa_table[best].mnemonic, share(runs[best], all));
    }
    fprintf(f, "\n");
}

/* ---- how much ran translated ---- */

static uint64_t sum_without(const isa_ran_t *ran)
{
    uint64_t sum = 0;
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        sum += ran->without[op];
    return sum;
}

static void report_part(FILE *f, const char *what, uint64_t n, uint64_t all)
{
    if (n) fprintf(f, "    %s: %llu, %.1f %%\n", what, (unsigned long long)n, share(n, all));
}

/* `watched`: instructions that observers have seen, all interpreted; `all` includes them. */
static void report_ran(FILE *f, const isa_ran_t *ran, uint64_t watched, uint64_t all)
{
    const uint64_t without = sum_without(ran);
    fprintf(f, "  translated: %llu wave instructions, %.1f %%\n",
            (unsigned long long)ran->translated, share(ran->translated, all));
    if (all == ran->translated) return;
    fprintf(f, "  interpreted, of all:\n");
    report_part(f, "in code that was not hot, or that was not translated", ran->cold, all);
    report_part(f, "with another EXEC or MODE than translated code", ran->declined, all);
    report_part(f, "for observers or a debugger", watched, all);
    report_part(f, "instructions without a translation", without, all);
    if (!without) return;
    fprintf(f, "      of these:");
    report_top(f, ran->without, without);
}

/* ---- how many workgroups ran on several threads ---- */

static void report_spread(FILE *f, const sg_spread_t *s)
{
    if (s->groups)
        fprintf(f,
                "  spread over threads: %llu workgroups in %llu rounds; helpers ran waves %llu "
                "times of %llu\n",
                (unsigned long long)s->groups, (unsigned long long)s->rounds,
                (unsigned long long)s->helped, (unsigned long long)s->turns);
    for (unsigned why = 1; why < SG_ALONES; why++)
        if (s->alone[why])
            fprintf(f, "  on one thread each while others were idle: %llu workgroups, %s\n",
                    (unsigned long long)s->alone[why], sg_alone_text((sg_alone_t)why));
}

/* ---- kernels ---- */

/* `lanes`: of the kernel's waves. */
static void report_classes(FILE *f, const sg_tally_by_op_t *tally, unsigned lanes)
{
    sum_t sum[ISA_CLASS_COUNT + 1];
    const uint64_t vector = sum_classes(tally, sum), all = sum[ISA_CLASS_COUNT].runs;
    fprintf(f, "  %.2f of %u lanes active in vector instructions\n",
            mean(sum[ISA_CLASS_COUNT].lanes, vector), lanes);
    fprintf(f, "  %-14s %16s %8s %8s\n", "class", "instructions", "share", "lanes");
    for (unsigned c = 0; c < ISA_CLASS_COUNT; c++) {
        if (!sum[c].runs) continue;
        fprintf(f, "  %-14s %16llu %6.1f %%", isa_class_name((isa_class_t)c),
                (unsigned long long)sum[c].runs, share(sum[c].runs, all));
        if (has_lanes(c)) fprintf(f, " %8.2f", mean(sum[c].lanes, sum[c].runs));
        fprintf(f, "\n");
    }
    fprintf(f, "  most frequent:");
    report_top(f, tally->runs, all);
}

static void report_kernel(FILE *f, const sg_seen_t *k)
{
    const isa_ran_t *ran = &k->ran;
    uint64_t watched = 0;
    for (unsigned op = 1; op < ISA_OP_COUNT; op++)
        watched += k->tally.runs[op];
    const uint64_t all = watched + ran->translated + ran->cold + ran->declined + sum_without(ran);
    fprintf(f, "kernel %s\n", k->name);
    fprintf(f, "  %llu dispatches, %llu waves, %llu wave instructions in %.3f ms\n",
            (unsigned long long)k->dispatches, (unsigned long long)k->waves,
            (unsigned long long)all, (double)k->ns / 1e6);
    fprintf(f, "  %.2f million wave instructions per second\n",
            k->ns ? (double)all * 1e3 / (double)k->ns : 0);
    if (state.translated) report_ran(f, ran, watched, all);
    report_spread(f, &k->spread);
    if (watched || !state.translated) report_classes(f, &k->tally, k->lanes);
}

/* What the translator has done, for all kernels together. */
static void report_translator(FILE *f)
{
    const isa_translate_stats_t s = isa_translate_stats();
    fprintf(f, "translator\n  %llu stretches of code translated in %.1f ms, %llu taken from disk\n",
            (unsigned long long)s.loops[ISA_REFUSED_NOT], (double)s.seconds_e6 / 1e3,
            (unsigned long long)s.kept);
    if (s.rests)
        fprintf(f,
                "  %llu times lanes with NaNs or other rare cases were left to the handlers; %llu "
                "stretches translated anew for NaNs\n",
                (unsigned long long)s.rests, (unsigned long long)s.nans);
    for (unsigned why = 1; why < ISA_REFUSALS; why++)
        if (s.loops[why])
            fprintf(f, "  %llu not: %s\n", (unsigned long long)s.loops[why],
                    isa_translate_reason((isa_refused_t)why));
}

/* Logs the translator's statistics (--log info). Waves with a subscriber are interpreted, not
 * translated. */
static void report_translated(void)
{
    const isa_translate_stats_t s = isa_translate_stats();
    uint64_t loops = 0;
    for (unsigned why = 0; why < ISA_REFUSALS; why++)
        loops += s.loops[why];
    if (loops)
        base_info(
            "translated %llu loops in %.1f ms: %llu instructions in %llu entries, %llu entries "
            "left to the interpreter, %llu instructions verified",
            (unsigned long long)s.loops[ISA_REFUSED_NOT], (double)s.seconds_e6 / 1e3,
            (unsigned long long)s.instructions, (unsigned long long)s.entries,
            (unsigned long long)s.declined, (unsigned long long)s.verified);
    for (unsigned why = 1; why < ISA_REFUSALS; why++)
        if (s.loops[why])
            base_info("%llu loops are interpreted: %s", (unsigned long long)s.loops[why],
                      isa_translate_reason((isa_refused_t)why));
}

/* Logs how many workgroups of all kernels ran on several threads. */
static void log_spread(void)
{
    const sg_spread_t s = sg_team_totals();
    if (s.groups)
        base_info("%llu workgroups on several threads: %llu turns of waves, %llu by helpers",
                  (unsigned long long)s.groups, (unsigned long long)s.turns,
                  (unsigned long long)s.helped);
}

void sg_observe_report(void)
{
    char *text = NULL;
    size_t length = 0;
    report_translated();
    log_spread();
    pthread_once(&state.once, read_options);
    if (!state.stats) return;
    pthread_mutex_lock(&state.lock);
    FILE *f = state.kernels ? open_memstream(&text, &length) : NULL;
    if (f) {
        fprintf(f, "softgpu statistics of process %d\n", (int)getpid());
        for (const sg_seen_t *k = state.kernels; k; k = k->next)
            if (k->dispatches) report_kernel(f, k);
        if (state.translated) report_translator(f);
        fclose(f);
    }
    pthread_mutex_unlock(&state.lock);
    if (text) sg_observe_write(text, length);
    free(text);
}
