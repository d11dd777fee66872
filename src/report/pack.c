/* pack.c - see pack.h. */
#include "report/pack.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "counters/counters.h"
#include "gpus/gpus.h"
#include "insight/occupancy.h"
#include "output/json.h"

/* LOGARITHMIC_FROM: if the longest duration is this many times the shortest, the bins are
 * logarithmic. */
enum { HISTOGRAM_BINS = 40, LOGARITHMIC_FROM = 20 };

typedef struct {
    out_json_t j;
    rep_bytes_t columns;
    const rep_names_t *names;
} pack_t;

/* ---- bytes ---- */

static void put_byte(rep_bytes_t *b, uint8_t byte)
{
    uint8_t *row = b->failed ? NULL : REP_NEXT(b);
    if (row)
        *row = byte;
    else
        b->failed = true;
}

/* Writes a number in LEB128. */
static void put_number(rep_bytes_t *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(b, (uint8_t)(value | 0x80));
    put_byte(b, (uint8_t)value);
}

/* Writes a signed number in zigzag form. */
static void put_difference(rep_bytes_t *b, int64_t difference)
{
    uint64_t bits = (uint64_t)difference;
    put_number(b, bits << 1 ^ (uint64_t)(difference >> 63));
}

/* ---- records ---- */

/* Writes the columns of events; starts are relative to the beginning of the run. */
static void put_events(pack_t *p, const rep_lane_t *lane, const rep_run_t *run)
{
    const rep_event_t *e = run->events.rows + lane->first;
    rep_bytes_t *b = &p->columns;
    uint64_t before = run->begin;
    for (size_t i = 0; i < lane->count; before = e[i++].start)
        put_number(b, e[i].start - before);
    for (size_t i = 0; i < lane->count; i++)
        put_number(b, e[i].end - e[i].start);
    for (size_t i = 0; i < lane->count; i++)
        put_number(b, e[i].name);
    for (size_t i = 0; i < lane->count; i++)
        put_number(b, e[i].extra);
    for (size_t i = 0; i < lane->count; i++)
        put_number(b, e[i].category);
    for (size_t i = 0; i < lane->count; i++)
        put_difference(b, (int64_t)e[i].link - (i ? (int64_t)e[i - 1].link : 0));
}

static void put_level(pack_t *p, const rep_level_t *level, const rep_run_t *run)
{
    const rep_rect_t *r = level->rects.rows;
    size_t count = level->rects.count;
    rep_bytes_t *b = &p->columns;
    uint64_t before = run->begin;
    for (size_t i = 0; i < count; before = r[i++].start)
        put_number(b, r[i].start - before);
    for (size_t i = 0; i < count; i++)
        put_number(b, r[i].end - r[i].start);
    for (size_t i = 0; i < count; i++)
        put_number(b, r[i].count);
    for (size_t i = 0; i < count; i++)
        put_number(b, r[i].event - (i ? r[i - 1].event : 0));
}

static void put_lane(pack_t *p, const rep_lane_t *lane, const rep_run_t *run)
{
    out_json_t *j = &p->j;
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "lane", lane->lane);
    out_json_unsigned(j, "first", lane->first);
    out_json_unsigned(j, "count", lane->count);
    out_json_unsigned(j, "at", p->columns.count);
    put_events(p, lane, run);
    out_json_begin(j, "levels", '[');
    for (unsigned l = 0; l < lane->level_count; l++) {
        out_json_begin(j, NULL, '{');
        out_json_unsigned(j, "shift", lane->levels[l].shift);
        out_json_unsigned(j, "count", lane->levels[l].rects.count);
        out_json_unsigned(j, "at", p->columns.count);
        put_level(p, &lane->levels[l], run);
        out_json_end(j, '}');
    }
    out_json_end(j, ']');
    out_json_end(j, '}');
}

static void put_tracks(pack_t *p, const rep_part_t *part)
{
    static const char *const kinds[] = {[REP_HOST] = "host",
                                        [REP_QUEUE] = "queue",
                                        [REP_COPIES] = "copies",
                                        [REP_MEMORY] = "memory"};
    out_json_t *j = &p->j;
    size_t lane = 0;
    out_json_begin(j, "tracks", '[');
    for (size_t i = 0; i < part->run.tracks.count; i++) {
        const rep_track_t *t = &part->run.tracks.rows[i];
        out_json_begin(j, NULL, '{');
        out_json_text(j, "kind", kinds[t->kind]);
        out_json_unsigned(j, "process", t->process);
        out_json_unsigned(j, "id", t->id);
        out_json_unsigned(j, "name", t->name);
        out_json_unsigned(j, "agent", t->agent);
        out_json_begin(j, "lanes", '[');
        for (; lane < part->lanes.count && part->lanes.rows[lane].track == i; lane++)
            put_lane(p, &part->lanes.rows[lane], &part->run);
        out_json_end(j, ']');
        out_json_end(j, '}');
    }
    out_json_end(j, ']');
}

/* ---- ranks ---- */

static void put_rank_kernels(pack_t *p, const rep_rank_t *r)
{
    for (size_t i = 0; i < r->numbers.count; i++)
        put_number(&p->columns, r->numbers.rows[i]);
    for (size_t i = 0; i < r->kernels.count; i++) {
        put_number(&p->columns, r->kernels.rows[i].kernel);
        put_number(&p->columns, r->kernels.rows[i].calls);
        put_number(&p->columns, r->kernels.rows[i].total);
    }
}

/* Writes a rank as an array; its times are relative to the job's beginning. */
static void put_rank(pack_t *p, const rep_rank_t *r, int64_t begin)
{
    out_json_t *j = &p->j;
    const size_t at = p->columns.count;
    for (size_t i = 0; i < 4 * r->bins; i++)
        put_byte(&p->columns, r->parts[i]);
    const size_t kernels = p->columns.count;
    put_rank_kernels(p, r);
    const int64_t numbers[] = {r->rank,
                               (int64_t)r->pid,
                               r->host,
                               r->gpu,
                               r->file,
                               r->shown,
                               r->bins ? r->first - begin : 0,
                               r->bins ? r->last - begin : 0,
                               (int64_t)r->kernel_ns,
                               (int64_t)r->copy_ns,
                               (int64_t)r->busy_ns,
                               (int64_t)r->wait_ns,
                               (int64_t)r->launches,
                               (int64_t)r->bytes,
                               (int64_t)r->dropped,
                               r->unclosed,
                               r->shift,
                               r->bins ? r->bin_first - begin : 0,
                               (int64_t)r->bins,
                               (int64_t)at,
                               (int64_t)kernels,
                               (int64_t)r->numbers.count,
                               (int64_t)r->kernels.count};
    out_json_begin(j, NULL, '[');
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        out_json_signed(j, NULL, numbers[i]);
    out_json_end(j, ']');
}

static void put_ranks(pack_t *p, const rep_ranks_t *ranks)
{
    out_json_t *j = &p->j;
    const rep_rank_t *rows = ranks->rows.rows;
    int64_t begin = INT64_MAX, end = INT64_MIN;
    if (!ranks->rows.count) return;
    for (size_t i = 0; i < ranks->rows.count; i++) {
        if (rows[i].bins && rows[i].first < begin) begin = rows[i].first;
        if (rows[i].bins && rows[i].last > end) end = rows[i].last;
    }
    out_json_begin(j, "ranks", '{');
    out_json_bool(j, "many", ranks->many);
    out_json_text(j, "clock", ranks->clock);
    out_json_unsigned(j, "clockError", ranks->clock_error_ns);
    out_json_bool(j, "waits", ranks->waits);
    out_json_unsigned(j, "slowest", ranks->slowest);
    out_json_unsigned(j, "size", ranks->size);
    out_json_unsigned(j, "span", end > begin ? (uint64_t)end - (uint64_t)begin : 0);
    out_json_begin(j, "rows", '[');
    for (size_t i = 0; i < ranks->rows.count; i++)
        put_rank(p, &rows[i], begin);
    out_json_end(j, ']');
    out_json_begin(j, "absents", '[');
    for (size_t i = 0; i < ranks->absents.count; i++) {
        out_json_begin(j, NULL, '[');
        out_json_unsigned(j, NULL, ranks->absents.rows[i].file);
        out_json_unsigned(j, NULL, ranks->absents.rows[i].why);
        out_json_end(j, ']');
    }
    out_json_end(j, ']');
    out_json_unsigned(j, "talkRanks", ranks->talk_ranks);
    out_json_begin(j, "talk", '[');
    for (size_t i = 0; i < ranks->talk.count; i++) {
        const rep_talk_t *t = &ranks->talk.rows[i];
        const uint64_t numbers[] = {t->sender, t->receiver, t->messages, t->bytes};
        out_json_begin(j, NULL, '[');
        for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
            out_json_unsigned(j, NULL, numbers[k]);
        out_json_end(j, ']');
    }
    out_json_end(j, ']');
    out_json_begin(j, "missing", '[');
    for (size_t i = 0; i < ranks->missing.count; i++)
        out_json_unsigned(j, NULL, ranks->missing.rows[i]);
    out_json_end(j, ']');
    out_json_end(j, '}');
}

/* Writes an array; `put` writes one of its elements. */
#define PUT_LIST(j, key, array, put)                                                               \
    do {                                                                                           \
        out_json_begin(j, key, '[');                                                               \
        for (size_t i_ = 0; i_ < (array)->count; i_++)                                             \
            put(j, &(array)->rows[i_]);                                                            \
        out_json_end(j, ']');                                                                      \
    } while (0)

/* ---- facts ---- */

static void put_process(out_json_t *j, const rep_process_t *r)
{
    static const char *const times[] = {[REP_TIME_MEASURED] = "measured",
                                        [REP_TIME_HOST] = "host",
                                        [REP_TIME_MODEL] = "timing-model"};
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "pid", r->pid);
    out_json_unsigned(j, "command", r->command);
    out_json_unsigned(j, "host", r->host);
    out_json_unsigned(j, "system", r->system);
    out_json_unsigned(j, "begin", r->begin);
    out_json_unsigned(j, "end", r->end);
    out_json_unsigned(j, "moment", r->moment);
    out_json_unsigned(j, "runtimes", r->runtimes);
    out_json_unsigned(j, "settings", r->settings);
    out_json_unsigned(j, "dispatches", r->dispatches);
    out_json_unsigned(j, "dropped", r->dropped);
    out_json_bool(j, "soft", r->soft);
    out_json_bool(j, "counted", r->counted);
    out_json_bool(j, "pass", r->pass);
    out_json_text(j, "time", times[r->time]);
    out_json_end(j, '}');
}

/* Writes the agent's peak rates per clock, by the name of their roof; {} if none are known. */
static void put_sheet(out_json_t *j, const char *gpu)
{
    static const struct {
        const char *roof;
        gpus_type_t type;
    } rates[] = {{"f64", GPUS_TYPE_F64},        {"f32", GPUS_TYPE_F32},
                 {"f16", GPUS_TYPE_F16},        {"mfma_f64", GPUS_TYPE_M_F64},
                 {"mfma_f32", GPUS_TYPE_M_F32}, {"mfma_xf32", GPUS_TYPE_M_XF32},
                 {"mfma_f16", GPUS_TYPE_M_F16}, {"mfma_bf16", GPUS_TYPE_M_BF16},
                 {"mfma_f8", GPUS_TYPE_M_F8},   {"mfma_i8", GPUS_TYPE_M_I8},
                 {"mfma_f4", GPUS_TYPE_M_F4}};
    const gpus_arch_t *g = gpus_find(gpu);
    out_json_begin(j, "sheet", '{');
    for (size_t i = 0; g && i < sizeof(rates) / sizeof(*rates); i++)
        if (g->rates[rates[i].type]) out_json_unsigned(j, rates[i].roof, g->rates[rates[i].type]);
    if (g && g->speed.l1) out_json_unsigned(j, "l1", g->speed.l1);
    if (g && g->speed.lds) out_json_unsigned(j, "lds", g->speed.lds);
    if (g && g->speed.l2) out_json_unsigned(j, "l2", g->speed.l2);
    out_json_end(j, '}');
    if (g) out_json_unsigned(j, "transfers", g->speed.memory);
    if (g) out_json_unsigned(j, "wave", g->wave);
}

static void put_agent(pack_t *p, const rep_agent_t *a)
{
    out_json_t *j = &p->j;
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "process", a->process);
    out_json_unsigned(j, "id", a->id);
    out_json_unsigned(j, "type", a->type);
    out_json_unsigned(j, "name", a->name);
    out_json_unsigned(j, "product", a->product);
    out_json_unsigned(j, "model", a->model);
    out_json_unsigned(j, "facts", a->facts);
    put_sheet(j, p->names->texts.rows[a->name]);
    out_json_end(j, '}');
}

static void put_histogram(out_json_t *j, const rep_kernel_t *k)
{
    uint64_t bins[HISTOGRAM_BINS] = {0};
    double least = (double)k->time.least, most = (double)k->time.most;
    bool logarithmic = k->time.least && most > (double)LOGARITHMIC_FROM * least;
    double from = logarithmic ? log(least) : least, to = logarithmic ? log(most) : most;
    for (size_t i = 0; i < k->durations.count; i++) {
        double d = (double)k->durations.rows[i], at = logarithmic ? log(d) : d;
        int bin = to > from ? (int)((at - from) / (to - from) * (double)HISTOGRAM_BINS) : 0;
        bins[bin < HISTOGRAM_BINS ? bin : HISTOGRAM_BINS - 1]++;
    }
    out_json_bool(j, "logarithmic", logarithmic);
    out_json_begin(j, "histogram", '[');
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        out_json_unsigned(j, NULL, bins[i]);
    out_json_end(j, ']');
}

static void put_kernel(out_json_t *j, rep_kernel_t *k)
{
    rep_sort(&k->durations);
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "name", k->name);
    out_json_unsigned(j, "calls", k->time.count);
    out_json_signed(j, "total", sum_total(&k->time));
    out_json_signed(j, "least", k->time.least);
    out_json_signed(j, "most", k->time.most);
    out_json_unsigned(j, "p50", rep_percentile(&k->durations, 50));
    out_json_unsigned(j, "p95", rep_percentile(&k->durations, 95));
    out_json_unsigned(j, "countedCalls", k->counted.count);
    out_json_signed(j, "countedTotal", sum_total(&k->counted));
    if (k->time.count) put_histogram(j, k);
    out_json_end(j, '}');
}

/* Writes the limit of the waves of the kernel that a SIMD can hold, their number, and that of its
 * slots. If the waves are not known, writes why in place of the limit, and no numbers; if the
 * launch has no agent, nothing. */
static void put_occupancy(pack_t *p, const rep_run_t *run, const rep_launch_t *l)
{
    char limiter[128];
    const ins_resources_t r = {.arch_vgprs = l->vgprs,
                               .accum_vgprs = l->agprs,
                               .sgprs = l->sgprs,
                               .lds_bytes = (uint32_t)l->lds,
                               .group_size = l->group[0] * l->group[1] * l->group[2]};
    if (l->agent >= run->agents.count) return;
    const char *gpu = p->names->texts.rows[run->agents.rows[l->agent].name];
    const ins_occupancy_t o = ins_occupancy(gpu, (ins_waves_t){l->wave, l->whole_wgp}, &r);
    ins_occupancy_limiter(gpu, &o, limiter, sizeof(limiter));
    out_json_text(&p->j, NULL, limiter);
    if (!o.known) return;
    out_json_unsigned(&p->j, NULL, o.waves);
    out_json_unsigned(&p->j, NULL, o.waves_max);
}

static void put_launch(pack_t *p, const rep_run_t *run, const rep_launch_t *l)
{
    out_json_t *j = &p->j;
    const uint64_t values[] = {
        l->kernel,  l->agent,    l->grid[0],    l->grid[1],
        l->grid[2], l->group[0], l->group[1],   l->group[2],
        l->lds,     l->scratch,  l->vgprs,      l->agprs,
        l->sgprs,   l->wave,     l->time.count, (uint64_t)sum_total(&l->time)};
    out_json_begin(j, NULL, '[');
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        out_json_unsigned(j, NULL, values[i]);
    put_occupancy(p, run, l);
    out_json_end(j, ']');
}

/* Returns the class of a counter. On a real GPU every counter is measured; for softgpu, the
 * definitions have the class. */
static const char *class_of(const rep_counter_t *c, const ctr_catalogue_t *catalogue,
                            const char *name)
{
    const ctr_counter_t *found = NULL;
    if (!c->soft) return "measured";
    if (catalogue) found = ctr_catalogue_find(catalogue, name, strlen(name));
    return found ? ctr_class_name(found->value_class) : "";
}

static ctr_catalogue_t *catalogue_of(const char *gfx)
{
    ctr_error_t error;
    ctr_catalogue_t *catalogue = NULL;
    ctr_definitions_t *definitions = ctr_definitions_create();
    if (definitions && ctr_definitions_add_builtin(definitions) == CTR_OK &&
        ctr_catalogue_create(definitions, gfx, CTR_GENERATION_SDK, 1, NULL, NULL, &catalogue,
                             &error) != CTR_OK)
        catalogue = NULL;
    ctr_definitions_destroy(definitions);
    return catalogue;
}

static void put_counters(pack_t *p, const rep_run_t *run)
{
    out_json_t *j = &p->j;
    uint32_t gfx = 0;
    ctr_catalogue_t *catalogue = NULL;
    out_json_begin(j, "counters", '[');
    for (size_t i = 0; i < run->counters.count; i++) {
        const rep_counter_t *c = &run->counters.rows[i];
        if (c->soft && c->gfx != gfx) {
            ctr_catalogue_destroy(catalogue);
            catalogue = catalogue_of(p->names->texts.rows[c->gfx]);
            gfx = c->gfx;
        }
        out_json_begin(j, NULL, '{');
        out_json_unsigned(j, "name", c->name);
        out_json_unsigned(j, "description", c->description);
        out_json_unsigned(j, "block", c->block);
        out_json_unsigned(j, "expression", c->expression);
        out_json_text(j, "class", class_of(c, catalogue, p->names->texts.rows[c->name]));
        out_json_end(j, '}');
    }
    out_json_end(j, ']');
    ctr_catalogue_destroy(catalogue);
}

static void put_values(out_json_t *j, const rep_run_t *run)
{
    out_json_begin(j, "values", '[');
    for (size_t i = 0; i < run->values.count; i++) {
        const rep_value_t *v = &run->values.rows[i];
        out_json_begin(j, NULL, '[');
        out_json_unsigned(j, NULL, v->kernel);
        out_json_unsigned(j, NULL, v->counter);
        out_json_unsigned(j, NULL, v->sum.count);
        out_json_double(j, NULL, v->sum.total);
        out_json_double(j, NULL, v->sum.least);
        out_json_double(j, NULL, v->sum.most);
        out_json_end(j, ']');
    }
    out_json_end(j, ']');
}

static void put_instruction(out_json_t *j, const rep_run_t *run, const rep_instruction_t *i)
{
    const uint64_t facts[] = {i->kernel, i->address, i->text,     i->function, i->file,
                              i->line,   i->depth,   i->own_file, i->own_line};
    out_json_begin(j, NULL, '[');
    for (size_t f = 0; f < sizeof(facts) / sizeof(*facts); f++)
        out_json_unsigned(j, NULL, facts[f]);
    for (size_t c = 0; c < run->count_names; c++)
        out_json_unsigned(j, NULL, i->counts[c]);
    out_json_end(j, ']');
}

static void put_source(out_json_t *j, const rep_source_t *s)
{
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "path", s->path);
    out_json_unsigned(j, "text", s->text);
    out_json_end(j, '}');
}

static void put_finding(out_json_t *j, const rep_finding_t *f)
{
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "rule", f->rule);
    out_json_unsigned(j, "title", f->title);
    out_json_unsigned(j, "subject", f->subject);
    out_json_unsigned(j, "kernel", f->kernel);
    out_json_unsigned(j, "text", f->text);
    out_json_unsigned(j, "advice", f->advice);
    out_json_unsigned(j, "more", f->more);
    out_json_unsigned(j, "kind", f->kind);
    out_json_double(j, "weight", f->weight);
    out_json_end(j, '}');
}

static void put_code(out_json_t *j, const rep_run_t *run)
{
    out_json_begin(j, "counts", '[');
    for (size_t c = 0; c < run->count_names; c++)
        out_json_unsigned(j, NULL, run->counts[c]);
    out_json_end(j, ']');
    out_json_begin(j, "instructions", '[');
    for (size_t i = 0; i < run->instructions.count; i++)
        put_instruction(j, run, &run->instructions.rows[i]);
    out_json_end(j, ']');
    PUT_LIST(j, "sources", &run->sources, put_source);
}

static void put_sums(out_json_t *j, const char *key, const rep_sum_t *rows, size_t count)
{
    out_json_begin(j, key, '[');
    for (size_t i = 0; i < count; i++) {
        const sum_t *s = &rows[i].time;
        const uint64_t values[] = {rows[i].name,           rows[i].category,   s->count,
                                   (uint64_t)sum_total(s), (uint64_t)s->least, (uint64_t)s->most,
                                   rows[i].bytes};
        out_json_begin(j, NULL, '[');
        for (size_t v = 0; v < sizeof(values) / sizeof(*values); v++)
            out_json_unsigned(j, NULL, values[v]);
        out_json_end(j, ']');
    }
    out_json_end(j, ']');
}

static void put_text(out_json_t *j, char *const *text)
{
    out_json_text(j, NULL, *text);
}

static void put_run(pack_t *p, rep_part_t *part)
{
    rep_run_t *run = &part->run;
    out_json_t *j = &p->j;
    out_json_begin(j, NULL, '{');
    out_json_text(j, "label", run->label ? run->label : "");
    PUT_LIST(j, "files", &run->files, put_text);
    PUT_LIST(j, "traces", &run->traces, put_text);
    out_json_unsigned(j, "begin", run->begin);
    out_json_unsigned(j, "end", run->end);
    if (run->window_end < run->end) out_json_unsigned(j, "windowEnd", run->window_end);
    out_json_unsigned(j, "records", run->records);
    out_json_unsigned(j, "kernelTime", rep_covered(&run->kernel_spans));
    out_json_unsigned(j, "copyTime", rep_covered(&run->copy_spans));
    PUT_LIST(j, "processes", &run->processes, put_process);
    out_json_begin(j, "agents", '[');
    for (size_t i = 0; i < run->agents.count; i++)
        put_agent(p, &run->agents.rows[i]);
    out_json_end(j, ']');
    PUT_LIST(j, "kernels", &run->kernels, put_kernel);
    out_json_begin(j, "launches", '[');
    for (size_t i = 0; i < run->launches.count; i++)
        put_launch(p, run, &run->launches.rows[i]);
    out_json_end(j, ']');
    put_counters(p, run);
    put_values(j, run);
    put_code(j, run);
    PUT_LIST(j, "findings", &run->findings, put_finding);
#define X(id, name) put_sums(j, name, run->sums[REP_SUM_##id].rows, run->sums[REP_SUM_##id].count);
    REP_SUMS(X)
#undef X
    put_ranks(p, &run->ranks);
    put_tracks(p, part);
    out_json_end(j, '}');
}

static void put_roofs(out_json_t *j, const rep_request_t *request)
{
    static const char *const names[] = {
#define X(name) [REP_ROOF_##name] = #name,
        REP_ROOFS(X)
#undef X
    };
    out_json_begin(j, "roofs", '{');
    for (int i = 0; i < REP_ROOF_COUNT; i++)
        if (request->roofs[i] > 0) out_json_double(j, names[i], request->roofs[i]);
    out_json_end(j, '}');
}

/* ---- the packed data ---- */

static bool compress_parts(rep_bytes_t *to, const char *json, size_t json_bytes,
                           const rep_bytes_t *columns)
{
    const uint8_t length[4] = {(uint8_t)json_bytes, (uint8_t)(json_bytes >> 8),
                               (uint8_t)(json_bytes >> 16), (uint8_t)(json_bytes >> 24)};
    const struct {
        const void *data;
        size_t bytes;
    } pieces[] = {{length, 4}, {json, json_bytes}, {columns->rows, columns->count}};
    z_stream z = {0};
    enum { GZIP = 16 };
    size_t all = 4 + json_bytes + columns->count;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    to->room = deflateBound(&z, all);
    to->rows = malloc(to->room);
    bool done = to->rows && all <= UINT32_MAX;
    z.next_out = to->rows;
    z.avail_out = (uInt)to->room;
    for (size_t i = 0; done && i < sizeof(pieces) / sizeof(*pieces); i++) {
        z.next_in = (Bytef *)(uintptr_t)pieces[i].data;
        z.avail_in = (uInt)pieces[i].bytes;
        done = deflate(&z, i == 2 ? Z_FINISH : Z_NO_FLUSH) != Z_STREAM_ERROR;
    }
    to->count = z.total_out;
    deflateEnd(&z);
    return done;
}

bool rep_pack(rep_bytes_t *to, rep_part_t *parts, size_t count, const rep_names_t *names,
              const rep_request_t *request)
{
    size_t bytes = 0;
    pack_t p = {.j = {.f = out_file_memory()}, .names = names};
    out_json_t *j = &p.j;
    if (!j->f) return false;
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "version", 1);
    out_json_text(j, "program", "crocprof " CROCPROF_VERSION);
    out_json_unsigned(j, "made", (uint64_t)time(NULL));
    out_json_begin(j, "runs", '[');
    for (size_t i = 0; i < count; i++)
        put_run(&p, &parts[i]);
    out_json_end(j, ']');
    put_roofs(j, request);
    PUT_LIST(j, "names", &names->texts, put_text);
    out_json_end(j, '}');
    const char *json = out_file_memory_bytes(j->f, &bytes);
    bool done = json && !p.columns.failed && compress_parts(to, json, bytes, &p.columns);
    out_file_abandon(j->f);
    free(p.columns.rows);
    return done;
}
