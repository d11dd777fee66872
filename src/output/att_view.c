/* att_view.c - the folder that ROCprof Compute Viewer opens: waves, occupancy, counters, clocks.
 *
 * Waves are written as they arrive, everything else after the last engine. Names of files and keys
 * are the viewer's. It is apart from the code listing, which is used for several folders. */
#include "output/att.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define RECORD(x) ROCPROFILER_THREAD_TRACE_DECODER_RECORD_##x
#define GOOD      ROCPROFILER_THREAD_TRACE_DECODER_STATUS_SUCCESS
#define FAILED    ROCPROFILER_THREAD_TRACE_DECODER_STATUS_ERROR

enum { STATES = 5, SIMDS = 4, SLOTS = 64, ENGINES = 64 };

typedef struct {
    void *items;
    size_t count, room, size; /* `size`: of an item, in bytes */
} list_t;

/* A wave that has a file in the folder. */
typedef struct {
    int64_t engine, begin, end;
    uint32_t simd, slot, number;
} wave_t;

/* A change of the number of waves in a state: from this time on the number is higher by
 * `change`. */
typedef struct {
    int64_t time;
    int change;
} step_t;

/* The records of a shader engine. */
typedef struct {
    list_t occupancy, counters, clocks, data, events, others;
    uint32_t waves[SIMDS][SLOTS]; /* by SIMD and slot: how many waves have files */
} engine_t;

/* An event or a dispatch, in the order of the trace. */
typedef struct {
    bool dispatch;
    union {
        rocprofiler_thread_trace_decoder_event_t event;
        rocprofiler_thread_trace_decoder_dispatch_t launch;
    };
} happening_t;

struct out_att_view {
    out_att_code_t *code;
    const char *folder;
    const volatile sig_atomic_t *stop;
    engine_t *engines[ENGINES];
    unsigned engine, infos;
    uint64_t generation, frequency;
    list_t waves, steps[STATES];
    list_t kernels; /* elements are out_att_pc_t; index + 1 is the id in occupancy.json */
    bool no_memory;
    char why[PATH_MAX + 128];
};

static void add(out_att_view_t *v, list_t *l, const void *item)
{
    const bool room = base_grow(&l->items, l->count, &l->room, l->size);
    v->no_memory |= !room;
    if (room) memcpy((char *)l->items + l->count++ * l->size, item, l->size);
}

out_att_view_t *out_att_view_begin(out_att_code_t *code, const char *folder,
                                   const volatile sig_atomic_t *stop)
{
    out_att_view_t *v = calloc(1, sizeof(*v));
    if (!v) return NULL;
    v->code = code;
    v->folder = folder;
    v->stop = stop;
    v->waves.size = sizeof(wave_t);
    v->kernels.size = sizeof(out_att_pc_t);
    for (int i = 0; i < STATES; i++)
        v->steps[i].size = sizeof(step_t);
    return v;
}

void out_att_view_engine(out_att_view_t *v, int64_t engine)
{
    v->engine = (unsigned)engine % ENGINES;
    if (v->engines[v->engine]) return;
    engine_t *e = calloc(1, sizeof(*e));
    v->engines[v->engine] = e;
    v->no_memory |= !e;
    if (!e) return;
    e->occupancy.size = sizeof(rocprofiler_thread_trace_decoder_occupancy_t);
    e->counters.size = sizeof(rocprofiler_thread_trace_decoder_perfevent_t);
    e->clocks.size = sizeof(rocprofiler_thread_trace_decoder_realtime_t);
    e->data.size = sizeof(rocprofiler_thread_trace_decoder_shaderdata_t);
    e->events.size = sizeof(happening_t);
    e->others.size = sizeof(rocprofiler_thread_trace_decoder_inst_other_simd_t);
}

unsigned out_att_view_infos(const out_att_view_t *v)
{
    return v->infos;
}

static out_file_t *open_in(out_att_view_t *v, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", v->folder, name);
    return out_file_open(path, v->why, sizeof(v->why));
}

/* ---- waves ---- */

static void array_of(out_json_t *j, const int64_t *values, size_t count)
{
    out_json_begin(j, NULL, '[');
    for (size_t i = 0; i < count; i++)
        out_json_signed(j, NULL, values[i]);
    out_json_end(j, ']');
}

static void put_null(out_json_t *j, const char *key)
{
    out_format(j->f, "%s\"%s\":null", j->comma ? "," : "", key);
    j->comma = true;
}

static int64_t number_of(const out_att_line_t *line)
{
    return line ? line->number : 0;
}

static void put_instructions(out_att_view_t *v, out_json_t *j, const out_att_wave_t *w)
{
    if (!w->instructions_size) {
        put_null(j, "instructions");
        return;
    }
    out_json_begin(j, "instructions", '[');
    for (uint64_t i = 0; i < w->instructions_size; i++) {
        const rocprofiler_thread_trace_decoder_inst_t *n = &w->instructions_array[i];
        const int64_t values[] = {n->time, n->category, n->stall, n->duration,
                                  number_of(out_att_line(v->code, n->pc))};
        array_of(j, values, sizeof(values) / sizeof(*values));
    }
    out_json_end(j, ']');
}

/* Memory instructions that have not completed, by their lines; those of one counter complete in
 * order. */
typedef struct {
    uint32_t *lines;
    size_t first, count;
} flight_t;

/* Writes the instructions for which a wait has waited that leaves `left` outstanding. */
static void put_awaited(out_json_t *j, flight_t *f, int left)
{
    while (left >= 0 && f->count - f->first > (size_t)left) {
        const int64_t pair[] = {f->lines[f->first++], 0};
        array_of(j, pair, 2);
    }
}

static void put_waits(out_att_view_t *v, out_json_t *j, const out_att_wave_t *w)
{
    const uint64_t n = w->instructions_size;
    flight_t flights[OUT_ATT_COUNTERS] = {0};
    bool room = true, any = false;
    for (int k = 0; k < OUT_ATT_COUNTERS; k++) {
        flights[k].lines = calloc(n + 1, sizeof(uint32_t));
        room &= flights[k].lines != NULL;
    }
    for (uint64_t i = 0; i < n && room; i++) {
        const out_att_line_t *line = out_att_line(v->code, w->instructions_array[i].pc);
        for (int k = 0; line && line->events && k < OUT_ATT_COUNTERS; k++)
            if (line->events & out_att_counted(k, v->generation))
                flights[k].lines[flights[k].count++] = line->number;
        if (!line || !line->waits) continue;
        if (!any) out_json_begin(j, "waitcnt", '[');
        any = true;
        out_json_begin(j, NULL, '[');
        out_json_unsigned(j, NULL, line->number);
        out_json_begin(j, NULL, '[');
        for (int k = 0; k < OUT_ATT_COUNTERS; k++)
            put_awaited(j, &flights[k], line->left[k]);
        out_json_end(j, ']');
        out_json_end(j, ']');
    }
    v->no_memory |= !room;
    if (any)
        out_json_end(j, ']');
    else
        put_null(j, "waitcnt");
    for (int k = 0; k < OUT_ATT_COUNTERS; k++)
        free(flights[k].lines);
}

static bool put_wave(out_att_view_t *v, const out_att_wave_t *w, uint32_t number)
{
    char name[64];
    snprintf(name, sizeof(name), "se%u_sm%u_sl%u_wv%u.json", v->engine, w->simd, w->wave_id,
             number);
    out_file_t *f = open_in(v, name);
    if (!f) return false;
    out_json_t j = {.f = f};
    snprintf(name, sizeof(name), "SE%u", v->engine);
    out_json_begin(&j, NULL, '{');
    out_json_text(&j, "name", name);
    out_json_signed(&j, "duration", w->end_time - w->begin_time);
    out_json_unsigned(&j, "num_insts", w->instructions_size);
    out_json_unsigned(&j, "num_stitched", w->instructions_size);
    out_json_begin(&j, "wave", '{');
    const struct {
        const char *key;
        int64_t value;
    } values[] = {{"cu", w->cu},
                  {"id", number},
                  {"simd", w->simd},
                  {"slot", w->wave_id},
                  {"begin", w->begin_time},
                  {"end", w->end_time},
                  {"dispatcher", w->dispatcher},
                  {"workgroup_id", w->workgroup_id}};
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        out_json_signed(&j, values[i].key, values[i].value);
    put_instructions(v, &j, w);
    out_json_begin(&j, "timeline", '[');
    for (uint64_t i = 0; i < w->timeline_size; i++) {
        const int64_t pair[] = {w->timeline_array[i].type, w->timeline_array[i].duration};
        array_of(&j, pair, 2);
    }
    out_json_end(&j, ']');
    put_waits(v, &j, w);
    out_json_end(&j, '}');
    out_json_end(&j, '}');
    return out_file_close(f, v->why, sizeof(v->why)) == 0;
}

static void add_steps(out_att_view_t *v, const out_att_wave_t *w)
{
    int64_t time = w->begin_time;
    for (uint64_t i = 0; i < w->timeline_size; i++) {
        const rocprofiler_thread_trace_decoder_wave_state_t *s = &w->timeline_array[i];
        if (s->type >= 0 && s->type < STATES) {
            add(v, &v->steps[s->type], &(step_t){time, 1});
            add(v, &v->steps[s->type], &(step_t){time + s->duration, -1});
        }
        time += s->duration;
    }
}

static bool take_wave(out_att_view_t *v, const out_att_wave_t *w)
{
    enum { STATES_LEAST = 3 };
    out_att_count(v->code, w);
    add_steps(v, w);
    if (!w->instructions_size && w->timeline_size < STATES_LEAST) return true;
    uint32_t *next = &v->engines[v->engine]->waves[w->simd % SIMDS][w->wave_id % SLOTS];
    const wave_t wave = {v->engine, w->begin_time, w->end_time, w->simd, w->wave_id, *next};
    add(v, &v->waves, &wave);
    return put_wave(v, w, (*next)++);
}

/* ---- records ---- */

static void add_all(out_att_view_t *v, list_t *l, const void *records, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        add(v, l, (const char *)records + i * l->size);
}

rocprofiler_thread_trace_decoder_status_t
out_att_view_take(rocprofiler_thread_trace_decoder_record_type_t type, void *records,
                  uint64_t count, void *view)
{
    out_att_view_t *v = view;
    engine_t *e = v->engines[v->engine];
    bool good = e;
    happening_t h = {0};
    if (!good || (v->stop && *v->stop)) return FAILED;
    switch (type) {
    case RECORD(GFXIP): v->generation = (uintptr_t)records; break;
    case RECORD(WAVE):
        for (uint64_t i = 0; i < count && good; i++)
            good = take_wave(v, (const out_att_wave_t *)records + i);
        break;
    case RECORD(OCCUPANCY): add_all(v, &e->occupancy, records, count); break;
    case RECORD(PERFEVENT): add_all(v, &e->counters, records, count); break;
    case RECORD(REALTIME): add_all(v, &e->clocks, records, count); break;
    case RECORD(SHADERDATA): add_all(v, &e->data, records, count); break;
    case RECORD(INST_OTHER_SIMD): add_all(v, &e->others, records, count); break;
    case RECORD(RT_FREQUENCY): v->frequency = *(const uint64_t *)records; break;
    case RECORD(INFO):
        for (uint64_t i = 0; i < count; i++)
            v->infos |= 1u << (((const uint32_t *)records)[i] & 31);
        break;
    case RECORD(EVENT):
        for (uint64_t i = 0; i < count; i++) {
            h.event = ((const rocprofiler_thread_trace_decoder_event_t *)records)[i];
            add(v, &e->events, &h);
        }
        break;
    case RECORD(DISPATCH):
        for (uint64_t i = 0; i < count; i++) {
            h.dispatch = true;
            h.launch = ((const rocprofiler_thread_trace_decoder_dispatch_t *)records)[i];
            add(v, &e->events, &h);
        }
        break;
    default: break; /* records of other GPUs, or of newer decoders */
    }
    return good && !v->no_memory ? GOOD : FAILED;
}

/* ---- files ---- */

static bool close_json(out_att_view_t *v, out_json_t *j)
{
    out_json_end(j, '}');
    return out_file_close(j->f, v->why, sizeof(v->why)) == 0;
}

static bool open_json(out_att_view_t *v, out_json_t *j, const char *name)
{
    *j = (out_json_t){.f = open_in(v, name)};
    if (!j->f) return false;
    out_json_begin(j, NULL, '{');
    return true;
}

/* Returns the kernel's id in occupancy.json; 0 if it is unknown. */
static size_t kernel_id(out_att_view_t *v, out_att_pc_t pc)
{
    const out_att_pc_t *known = v->kernels.items;
    if (!pc.address && !pc.code_object_id) return 0;
    for (size_t i = 0; i < v->kernels.count; i++)
        if (known[i].address == pc.address && known[i].code_object_id == pc.code_object_id)
            return i + 1;
    add(v, &v->kernels, &pc);
    return v->kernels.count;
}

static const char *kernel_name(const out_att_view_t *v, size_t id, char *room, size_t room_bytes)
{
    if (!id) return "unknown";
    const out_att_pc_t pc = ((const out_att_pc_t *)v->kernels.items)[id - 1];
    const char *name = out_att_function(v->code, pc);
    if (name) return name;
    snprintf(room, room_bytes, "%llu / 0x%llx", (unsigned long long)pc.code_object_id,
             (unsigned long long)pc.address);
    return room;
}

static void put_occupancy(out_att_view_t *v, out_json_t *j, const engine_t *e)
{
    const rocprofiler_thread_trace_decoder_occupancy_t *o = e->occupancy.items;
    for (size_t i = 0; i < e->occupancy.count; i++, o++) {
        const int64_t values[] = {(int64_t)o->time, o->cu,        o->simd,
                                  o->wave_id,       o->start,     (int64_t)kernel_id(v, o->pc),
                                  o->me_id,         o->pipe_id,   o->is_ext,
                                  o->workgroup_id,  o->cluster_id};
        array_of(j, values, sizeof(values) / sizeof(*values));
    }
}

static void put_event(out_json_t *j, const rocprofiler_thread_trace_decoder_event_t *e)
{
    out_json_text(j, "kind", "event");
    out_json_signed(j, "time", e->time);
    out_json_unsigned(j, "type", e->type);
    out_json_unsigned(j, "me_id", e->me_id);
    out_json_unsigned(j, "pipe_id", e->pipe_id);
    out_json_unsigned(j, "flags", e->flags);
    out_json_unsigned(j, "payload", e->payload.raw);
    out_json_unsigned(j, "byte_offset", e->byte_offset);
}

static void put_dispatch(out_att_view_t *v, out_json_t *j,
                         const rocprofiler_thread_trace_decoder_dispatch_t *d)
{
    char room[64];
    const size_t id = kernel_id(v, d->entry_point);
    const struct {
        const char *key;
        uint64_t value;
    } values[] = {{"me_id", d->me_id},
                  {"pipe_id", d->pipe_id},
                  {"user_sgprs", d->user_sgprs},
                  {"flags", (unsigned)d->flags},
                  {"vgprs", d->vgprs},
                  {"sgprs", d->sgprs},
                  {"lds_size", d->lds_size},
                  {"thread_dim_x", d->thread_dim_x},
                  {"thread_dim_y", d->thread_dim_y},
                  {"thread_dim_z", d->thread_dim_z},
                  {"dispatch_pkt_addr", d->dispatch_pkt_addr},
                  {"byte_offset", d->byte_offset}};
    out_json_text(j, "kind", "dispatch");
    out_json_signed(j, "time", d->time);
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        out_json_unsigned(j, values[i].key, values[i].value);
    out_json_begin(j, "entry_point", '{');
    out_json_unsigned(j, "address", d->entry_point.address);
    out_json_unsigned(j, "code_object_id", d->entry_point.code_object_id);
    out_json_end(j, '}');
    out_json_unsigned(j, "kernel_id", id);
    out_json_text(j, "kernel_name", kernel_name(v, id, room, sizeof(room)));
}

static bool write_occupancy(out_att_view_t *v)
{
    char key[32];
    out_json_t j;
    if (!open_json(v, &j, "occupancy.json")) return false;
    out_json_text(&j, "version", "3.0.0");
    for (unsigned i = 0; i < ENGINES; i++) {
        if (!v->engines[i]) continue;
        snprintf(key, sizeof(key), "%u", i);
        out_json_begin(&j, key, '[');
        put_occupancy(v, &j, v->engines[i]);
        out_json_end(&j, ']');
    }
    out_json_begin(&j, "events", '{');
    for (unsigned i = 0; i < ENGINES; i++) {
        const happening_t *h = v->engines[i] ? v->engines[i]->events.items : NULL;
        if (!h) continue;
        snprintf(key, sizeof(key), "%u", i);
        out_json_begin(&j, key, '[');
        for (size_t k = 0; k < v->engines[i]->events.count; k++, h++) {
            out_json_begin(&j, NULL, '{');
            if (h->dispatch)
                put_dispatch(v, &j, &h->launch);
            else
                put_event(&j, &h->event);
            out_json_end(&j, '}');
        }
        out_json_end(&j, ']');
    }
    out_json_end(&j, '}');
    out_json_begin(&j, "dispatches", '{');
    for (size_t id = 0; id <= v->kernels.count; id++) {
        char room[64];
        snprintf(key, sizeof(key), "%zu", id);
        out_json_text(&j, key, kernel_name(v, id, room, sizeof(room)));
    }
    out_json_end(&j, '}');
    return close_json(v, &j);
}

static bool write_counters(out_att_view_t *v, unsigned engine)
{
    char name[64];
    out_json_t j;
    const list_t *l = &v->engines[engine]->counters;
    const rocprofiler_thread_trace_decoder_perfevent_t *p = l->items;
    if (!l->count) return true;
    snprintf(name, sizeof(name), "se%u_perfcounter.json", engine);
    if (!open_json(v, &j, name)) return false;
    out_json_begin(&j, "data", '[');
    for (size_t i = 0; i < l->count; i++, p++) {
        const int64_t values[] = {p->time,    p->events0, p->events1, p->events2,
                                  p->events3, p->CU,      p->bank};
        array_of(&j, values, sizeof(values) / sizeof(*values));
    }
    out_json_end(&j, ']');
    return close_json(v, &j);
}

static bool write_clocks(out_att_view_t *v)
{
    char key[16];
    out_json_t j;
    bool any = false;
    for (unsigned i = 0; i < ENGINES; i++)
        any |= v->engines[i] && v->engines[i]->clocks.count;
    if (!any) return true;
    if (!open_json(v, &j, "realtime.json")) return false;
    out_json_begin(&j, "metadata", '{');
    out_json_unsigned(&j, "frequency", v->frequency);
    out_json_end(&j, '}');
    for (unsigned i = 0; i < ENGINES; i++) {
        const list_t *l = v->engines[i] ? &v->engines[i]->clocks : NULL;
        const rocprofiler_thread_trace_decoder_realtime_t *r = l ? l->items : NULL;
        if (!r) continue;
        snprintf(key, sizeof(key), "SE%u", i);
        out_json_begin(&j, key, '[');
        for (size_t k = 0; k < l->count; k++, r++) {
            const int64_t values[] = {r->shader_clock, (int64_t)r->realtime_clock};
            array_of(&j, values, 2);
        }
        out_json_end(&j, ']');
    }
    return close_json(v, &j);
}

static bool write_data(out_att_view_t *v, unsigned engine)
{
    char name[64];
    out_json_t j;
    const list_t *l = &v->engines[engine]->data;
    const rocprofiler_thread_trace_decoder_shaderdata_t *s = l->items;
    if (!l->count) return true;
    snprintf(name, sizeof(name), "shaderdata_%u_0.json", engine);
    if (!open_json(v, &j, name)) return false;
    out_json_unsigned(&j, "records_count", l->count);
    out_json_begin(&j, "records", '[');
    for (size_t i = 0; i < l->count; i++, s++) {
        const int64_t values[] = {s->time, (int64_t)s->value, s->cu, s->simd, s->wave_id, s->flags};
        array_of(&j, values, sizeof(values) / sizeof(*values));
    }
    out_json_end(&j, ']');
    return close_json(v, &j);
}

static bool write_others(out_att_view_t *v, unsigned engine)
{
    static const char *const schema[] = {"time", "duration", "category"};
    char name[64];
    out_json_t j;
    const list_t *l = &v->engines[engine]->others;
    const rocprofiler_thread_trace_decoder_inst_other_simd_t *o = l->items;
    if (!l->count) return true;
    snprintf(name, sizeof(name), "other_simd_se%u_0.json", engine);
    if (!open_json(v, &j, name)) return false;
    out_json_text(&j, "type", "OTHER_SIMD_INSTRUCTIONS");
    out_json_signed(&j, "begin_time", o->time);
    out_json_signed(&j, "end_time", o[l->count - 1].time + o[l->count - 1].cycles);
    out_json_unsigned(&j, "wgp", o->wgp);
    out_json_unsigned(&j, "instructions_count", l->count);
    out_json_begin(&j, "instructions_schema", '[');
    for (size_t i = 0; i < sizeof(schema) / sizeof(*schema); i++)
        out_json_text(&j, NULL, schema[i]);
    out_json_end(&j, ']');
    out_json_begin(&j, "instructions", '[');
    for (size_t i = 0; i < l->count; i++, o++) {
        const int64_t values[] = {o->time, o->cycles, o->category};
        array_of(&j, values, sizeof(values) / sizeof(*values));
    }
    out_json_end(&j, ']');
    return close_json(v, &j);
}

static int by_time(const void *a, const void *b)
{
    const step_t *x = a, *y = b;
    return x->time < y->time ? -1 : x->time > y->time;
}

/* Writes how many waves were in the state over time: the running sums of the changes. */
static bool write_states(out_att_view_t *v, int state)
{
    char name[32];
    out_json_t j;
    const list_t *l = &v->steps[state];
    step_t *s = l->items;
    if (!l->count) return true;
    qsort(s, l->count, sizeof(*s), by_time);
    size_t n = 0;
    for (size_t i = 0; i < l->count; i++) { /* add changes at the same time */
        if (n && s[n - 1].time == s[i].time)
            s[n - 1].change += s[i].change;
        else
            s[n++] = s[i];
    }
    snprintf(name, sizeof(name), "wstates%d.json", state);
    if (!open_json(v, &j, name)) return false;
    out_json_text(&j, "name", name);
    out_json_begin(&j, "time", '[');
    for (size_t i = 0; i < n; i++)
        out_json_signed(&j, NULL, s[i].time);
    out_json_end(&j, ']');
    out_json_begin(&j, "state", '[');
    int64_t waves = 0;
    for (size_t i = 0; i < n; i++)
        out_json_signed(&j, NULL, waves += s[i].change);
    out_json_end(&j, ']');
    return close_json(v, &j);
}

/* ---- filenames.json ---- */

static int by_place(const void *a, const void *b)
{
    const wave_t *x = a, *y = b;
    const int64_t order[] = {x->engine - y->engine, (int64_t)x->simd - y->simd,
                             (int64_t)x->slot - y->slot, (int64_t)x->number - y->number};
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        if (order[i]) return order[i] < 0 ? -1 : 1;
    return 0;
}

static void begin_key(out_json_t *j, int64_t number, char bracket)
{
    char key[32];
    snprintf(key, sizeof(key), "%lld", (long long)number);
    out_json_begin(j, key, bracket);
}

static void put_wave_names(out_att_view_t *v, out_json_t *j)
{
    const wave_t *w = v->waves.items, *last = NULL;
    if (!v->waves.count) {
        put_null(j, "wave_filenames");
        return;
    }
    qsort(v->waves.items, v->waves.count, sizeof(*w), by_place);
    out_json_begin(j, "wave_filenames", '{');
    for (size_t i = 0; i < v->waves.count; i++, w++) {
        const bool engine = !last || last->engine != w->engine,
                   simd = engine || last->simd != w->simd, slot = simd || last->slot != w->slot;
        for (int ends = last ? engine + simd + slot : 0; ends; ends--)
            out_json_end(j, '}');
        if (engine) begin_key(j, w->engine, '{');
        if (simd) begin_key(j, w->simd, '{');
        if (slot) begin_key(j, w->slot, '{');
        char name[64];
        snprintf(name, sizeof(name), "se%lld_sm%u_sl%u_wv%u.json", (long long)w->engine, w->simd,
                 w->slot, w->number);
        begin_key(j, w->number, '[');
        out_json_text(j, NULL, name);
        out_json_signed(j, NULL, w->begin);
        out_json_signed(j, NULL, w->end);
        out_json_end(j, ']');
        last = w;
    }
    for (int ends = 0; ends < 3; ends++)
        out_json_end(j, '}');
    out_json_end(j, '}');
}

/* Writes the entry for an engine's file of records, with the times of the first and the last
 * record. */
static void put_name(out_json_t *j, unsigned engine, const char *name, int64_t begin, int64_t end)
{
    begin_key(j, engine, '[');
    out_json_begin(j, NULL, '[');
    out_json_text(j, NULL, name);
    out_json_signed(j, NULL, begin);
    out_json_signed(j, NULL, end);
    out_json_end(j, ']');
    out_json_end(j, ']');
}

static void put_data_names(out_att_view_t *v, out_json_t *j)
{
    out_json_begin(j, "shaderdata_filenames", '{');
    for (unsigned i = 0; i < ENGINES; i++) {
        const list_t *l = v->engines[i] ? &v->engines[i]->data : NULL;
        const rocprofiler_thread_trace_decoder_shaderdata_t *s = l ? l->items : NULL;
        char name[64];
        if (!s) continue;
        snprintf(name, sizeof(name), "shaderdata_%u_0.json", i);
        put_name(j, i, name, s->time, s[l->count - 1].time);
    }
    out_json_end(j, '}');
}

/* Writes the names of files that only gfx10 and later have; for older GPUs the key is missing. */
static void put_other_names(out_att_view_t *v, out_json_t *j)
{
    bool any = false;
    for (unsigned i = 0; i < ENGINES; i++) {
        const list_t *l = v->engines[i] ? &v->engines[i]->others : NULL;
        const rocprofiler_thread_trace_decoder_inst_other_simd_t *o = l ? l->items : NULL;
        char name[64];
        if (!o) continue;
        if (!any) out_json_begin(j, "other_simd_filenames", '{');
        any = true;
        snprintf(name, sizeof(name), "other_simd_se%u_0.json", i);
        put_name(j, i, name, o->time, o[l->count - 1].time + o[l->count - 1].cycles);
    }
    if (any) out_json_end(j, '}');
}

static void put_counter_names(out_json_t *j, const char *counters)
{
    char word[128];
    out_json_begin(j, "counter_names", '[');
    while (counters && *(counters += strspn(counters, " ,\n"))) {
        const size_t length = strcspn(counters, " ,\n"), name = strcspn(counters, " ,\n:");
        size_t i = 0;
        for (; i < name && i + 1 < sizeof(word); i++)
            word[i] = counters[i] >= 'a' && counters[i] <= 'z' ? (char)(counters[i] - 'a' + 'A')
                                                               : counters[i];
        word[i] = 0;
        out_json_text(j, NULL, word);
        counters += length;
    }
    out_json_end(j, ']');
}

static bool write_names(out_att_view_t *v, const char *counters)
{
    enum { LAST_VEGA = 9 };
    out_json_t j;
    if (!open_json(v, &j, "filenames.json")) return false;
    put_wave_names(v, &j);
    out_json_unsigned(&j, "gfxip", v->generation);
    out_json_text(&j, "gfxv", v->generation > LAST_VEGA ? "navi" : "vega");
    out_json_text(&j, "version", "3.0.0");
    out_json_unsigned(&j, "global_begin_time", 0);
    put_counter_names(&j, counters);
    put_data_names(v, &j);
    put_other_names(v, &j);
    out_json_bool(&j, "thread_trace", true);
    out_json_bool(&j, "pc_sampling", false);
    return close_json(v, &j);
}

int out_att_view_end(out_att_view_t *v, const char *counters, char *why, size_t why_bytes)
{
    bool good = !v->no_memory && write_occupancy(v) && write_clocks(v);
    for (unsigned i = 0; i < ENGINES && good; i++)
        if (v->engines[i]) good = write_counters(v, i) && write_data(v, i) && write_others(v, i);
    for (int i = 0; i < STATES && good; i++)
        good = write_states(v, i);
    /* must be last: this file makes the viewer take the folder for a trace */
    good = good && write_names(v, counters);
    if (!good) snprintf(why, why_bytes, "%s", *v->why ? v->why : strerror(ENOMEM));
    out_att_view_drop(v);
    return good ? 0 : -1;
}

void out_att_view_drop(out_att_view_t *v)
{
    for (unsigned i = 0; i < ENGINES; i++) {
        engine_t *e = v->engines[i];
        if (!e) continue;
        free(e->occupancy.items);
        free(e->counters.items);
        free(e->clocks.items);
        free(e->data.items);
        free(e->events.items);
        free(e->others.items);
        free(e);
    }
    for (int i = 0; i < STATES; i++)
        free(v->steps[i].items);
    free(v->waves.items);
    free(v->kernels.items);
    free(v);
}
