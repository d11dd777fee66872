/* rocpd_info.c - writes the rows of a database about machine, process, agents, code and counters.
 *
 * Each has one row, which is written before any record refers to it. The size depends on the
 * program, not on the length of the run. */
#include "output/objects.h"
#include "output/rocpd.h"
#include "output/settings.h"

#include <string.h>
#include <unistd.h>

#include "trace/agent-fields.h"
#include "trace/reader.h"
#include "trace/store.h"

static void write_node(rocpd_t *r)
{
    static const char *const keys[] = {TRACE_INFO_SYSTEM,  TRACE_INFO_HOST,     TRACE_INFO_RELEASE,
                                       TRACE_INFO_VERSION, TRACE_INFO_HARDWARE, TRACE_INFO_DOMAIN};
    const char *machine = out_machine(r->job->model);
    uint64_t hash = out_machine_hash(r->job->model);
    r->nid = (int64_t)hash;
    rocpd_begin(r, ROCPD_NODE);
    rocpd_int(r, hash);
    rocpd_int(r, hash);
    rocpd_text(r, machine);
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        rocpd_text(r, out_model_info(r->job->model, keys[i]));
    rocpd_end(r);
}

static const char *environment_of(rocpd_t *r)
{
    out_json_t j = rocpd_object(r);
    out_environment_members(&j, r->job->model);
    return rocpd_object_text(r, &j);
}

static const char *settings_of(rocpd_t *r)
{
    out_json_t j = rocpd_object(r);
    out_settings_members(&j, r->job->config, r->job->model, OUT_SETTINGS_ALL);
    return rocpd_object_text(r, &j);
}

static void write_process(rocpd_t *r)
{
    const out_model_t *m = r->job->model;
    const trace_segment_header_t *h = &m->header;
    const out_source_t *s = r->job->source;
    long ticks = sysconf(_SC_CLK_TCK);
    uint64_t start = ticks > 0 ? h->process_start * (1000000000u / (uint64_t)ticks) : 0;
    uint64_t end = h->closed_ns > s->last_ns ? h->closed_ns : s->last_ns;
    rocpd_begin(r, ROCPD_PROCESS);
    rocpd_int(r, (uint64_t)r->pid);
    rocpd_int(r, (uint64_t)r->nid);
    rocpd_int(r, (uint64_t)r->ppid);
    rocpd_int(r, (uint64_t)r->pid);
    rocpd_int(r, start);
    rocpd_int(r, end);
    rocpd_int(r, start);
    rocpd_int(r, end);
    rocpd_text(r, out_model_info(m, TRACE_INFO_COMMAND));
    const char *text = environment_of(r);
    /* the text is copied because settings_of uses the same buffer */
    char *environment = text ? strdup(text) : NULL;
    if (!environment) rocpd_no_memory(r);
    rocpd_text(r, environment);
    rocpd_text(r, settings_of(r));
    rocpd_end(r);
    free(environment);
}

static void write_threads(rocpd_t *r)
{
    const out_source_t *s = r->job->source;
    bool main_seen = false;
    for (size_t i = 0; i < s->thread_count || !main_seen; i++) {
        bool listed = i < s->thread_count;
        uint64_t tid = listed ? s->threads[i] : (uint64_t)r->pid;
        if (!listed) main_seen = true;
        if (listed && tid == (uint64_t)r->pid) main_seen = true;
        rocpd_begin(r, ROCPD_THREAD);
        rocpd_int(r, tid);
        rocpd_int(r, (uint64_t)r->nid);
        rocpd_int(r, (uint64_t)r->ppid);
        rocpd_int(r, (uint64_t)r->pid);
        rocpd_int(r, tid);
        rocpd_text(r, out_model_thread(r->job->model, (uint32_t)tid));
        rocpd_end(r);
        if (!listed) break;
    }
}

static const char *agent_object(rocpd_t *r, const out_agent_t *a)
{
    out_json_t j = rocpd_object(r);
    if (a) out_object_agent(&j, a);
    return rocpd_object_text(r, &j);
}

static void write_agents(rocpd_t *r)
{
    const out_model_t *m = r->job->model;
    for (size_t i = 0; i < m->agent_count; i++) {
        const out_agent_t *a = &m->agents[i];
        const char *texts[TRACE_AGENT_TEXT_COUNT]; /* name, vendor, product, model */
        const char *text = (const char *)a->record + a->record->text_offset;
        for (int t = 0; t < TRACE_AGENT_TEXT_COUNT; t++, text += strlen(text) + 1)
            texts[t] = text;
        rocpd_begin(r, ROCPD_AGENT);
        rocpd_int(r, out_agent_value(a, TRACE_AGENT_Node_Id));
        rocpd_int(r, (uint64_t)r->nid);
        rocpd_int(r, (uint64_t)r->pid);
        rocpd_text(r, out_agent_type(a));
        rocpd_int(r, out_agent_value(a, TRACE_AGENT_Node_Id));
        rocpd_int(r, out_agent_value(a, TRACE_AGENT_Logical_Node_Id));
        rocpd_int(r, (uint64_t)(int64_t)a->record->type_index);
        rocpd_int(r, out_agent_value(a, TRACE_AGENT_Device_Id));
        rocpd_text(r, texts[0]);
        rocpd_text(r, texts[3]);
        rocpd_text(r, texts[1]);
        rocpd_text(r, texts[2]);
        rocpd_text(r, texts[2]);
        rocpd_text(r, agent_object(r, a));
        rocpd_end(r);
    }
}

static void put_agent(rocpd_t *r, uint64_t agent)
{
    const out_agent_t *a = out_model_find_agent(r->job->model, agent);
    rocpd_int_if(r, a, a ? out_agent_value(a, TRACE_AGENT_Node_Id) : 0);
}

static void write_code_objects(rocpd_t *r)
{
    const out_model_t *m = r->job->model;
    for (size_t i = 0; i < m->code_object_count; i++) {
        const trace_code_object_t *c = m->code_objects[i];
        out_json_t j = rocpd_object(r);
        out_object_code_object(&j, c);
        rocpd_begin(r, ROCPD_CODE_OBJECT);
        rocpd_int(r, c->id);
        rocpd_int(r, (uint64_t)r->nid);
        rocpd_int(r, (uint64_t)r->pid);
        put_agent(r, c->agent);
        rocpd_text(r, trace_record_text(&c->head, 0));
        rocpd_int(r, c->load_base);
        rocpd_int(r, c->load_size);
        rocpd_int(r, (uint64_t)c->load_delta);
        rocpd_text(r, rocpd_object_text(r, &j));
        rocpd_end_unless_taken(r); /* a forked child's store repeats the parent's agents */
    }
}

static void write_kernels(rocpd_t *r)
{
    const out_model_t *m = r->job->model;
    for (size_t i = 0; i < m->kernel_count; i++) {
        const trace_kernel_t *k = m->kernels[i].record;
        out_json_t j = rocpd_object(r);
        out_object_kernel(&j, &m->kernels[i]);
        if (k->wave_items) {
            out_json_unsigned(&j, "wave_size", k->wave_items);
            out_json_unsigned(&j, "wgp_mode", k->whole_wgp);
        }
        rocpd_begin(r, ROCPD_KERNEL);
        rocpd_int(r, k->id);
        rocpd_int(r, (uint64_t)r->nid);
        rocpd_int(r, (uint64_t)r->pid);
        rocpd_int(r, k->code_object);
        rocpd_text(r, trace_record_text(&k->head, 0));
        rocpd_text(r, m->kernels[i].name);
        rocpd_int(r, k->object);
        rocpd_int(r, k->kernarg_bytes);
        rocpd_int(r, k->kernarg_alignment);
        rocpd_int(r, k->group_bytes);
        rocpd_int(r, k->private_bytes);
        rocpd_int(r, k->sgprs);
        rocpd_int(r, k->vgprs);
        rocpd_int(r, k->agprs);
        rocpd_text(r, rocpd_object_text(r, &j));
        rocpd_end_unless_taken(r);
    }
}

static void write_counters(rocpd_t *r)
{
    const out_model_t *m = r->job->model;
    for (size_t i = 0; i < m->counter_count; i++) {
        const trace_counter_t *c = m->counters[i];
        const out_agent_t *a = out_model_find_agent(m, c->agent);
        const char *name = trace_record_text(&c->head, 0);
        rocpd_begin(r, ROCPD_PMC);
        rocpd_int(r, c->id);
        rocpd_int(r, (uint64_t)r->nid);
        rocpd_int(r, (uint64_t)r->pid);
        put_agent(r, c->agent);
        rocpd_text(r, a ? out_agent_type(a) : NULL);
        rocpd_text(r, name);
        rocpd_text(r, name);
        rocpd_text(r, trace_record_text(&c->head, 1));
        rocpd_text(r, "rocm");
        rocpd_text(r, "ABS");
        rocpd_text(r, trace_record_text(&c->head, 2));
        rocpd_text(r, trace_record_text(&c->head, 3));
        rocpd_int(r, c->constant);
        rocpd_int(r, c->derived);
        rocpd_int(r, c->streams);
        rocpd_text(r, agent_object(r, a));
        /* groups of counters measured in turn may contain a counter twice */
        rocpd_end_unless_taken(r);
    }
}

/* Returns true at the first call for each id. */
static bool first_time(rocpd_t *r, const char *what, uint64_t id)
{
    uint64_t key = out_mix(out_key(what)) ^ id;
    if (out_numbers_get(&r->unknown, key)) return false;
    if (!out_numbers_set(&r->unknown, key, 1)) rocpd_no_memory(r);
    return true;
}

uint64_t rocpd_agent(rocpd_t *r, uint64_t agent)
{
    static const char what[] = "unknown agent";
    const out_agent_t *a = out_model_find_agent(r->job->model, agent);
    if (a) return out_agent_value(a, TRACE_AGENT_Node_Id);
    if (!first_time(r, what, agent)) return agent;
    rocpd_begin(r, ROCPD_AGENT);
    rocpd_int(r, agent);
    rocpd_int(r, (uint64_t)r->nid);
    rocpd_int(r, (uint64_t)r->pid);
    for (int i = 0; i < 5; i++) /* type to uuid */
        rocpd_null(r);
    for (int i = 0; i < 5; i++) /* names */
        rocpd_text(r, what);
    rocpd_text(r, "{}");
    rocpd_end_unless_taken(r);
    return agent;
}

void rocpd_kernel(rocpd_t *r, uint64_t kernel)
{
    static const char what[] = "unknown kernel";
    const out_kernel_t *k = out_model_kernel(r->job->model, kernel);
    if (k->record->id == kernel && kernel) return;
    if (!first_time(r, what, kernel)) return;
    if (first_time(r, "", 0)) {
        rocpd_begin(r, ROCPD_CODE_OBJECT);
        rocpd_int(r, 0);
        rocpd_int(r, (uint64_t)r->nid);
        rocpd_int(r, (uint64_t)r->pid);
        for (int i = 0; i < 5; i++) /* agent to load_delta */
            rocpd_null(r);
        rocpd_text(r, "{}");
        rocpd_end_unless_taken(r);
    }
    rocpd_begin(r, ROCPD_KERNEL);
    rocpd_int(r, kernel);
    rocpd_int(r, (uint64_t)r->nid);
    rocpd_int(r, (uint64_t)r->pid);
    rocpd_int(r, 0);
    rocpd_text(r, what);
    rocpd_text(r, what);
    for (int i = 0; i < 8; i++) /* kernel_object to accum_vgpr_count */
        rocpd_null(r);
    rocpd_text(r, "{}");
    rocpd_end_unless_taken(r);
}

void rocpd_write_info(rocpd_t *r)
{
    rocpd_string(r, ""); /* kernels outside of ranges refer to the empty text */
    write_node(r);
    write_process(r);
    write_threads(r);
    write_agents(r);
    write_code_objects(r);
    write_kernels(r);
    write_counters(r);
}
