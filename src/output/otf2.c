/* otf2.c - see otf2.h. It writes locations, regions and metrics, and the archive around them.
 *
 * Names and structure are those of AMD's writer; metrics for counters are added. Definitions are
 * written at the end, when all are known. Only names, and regions that have not ended, are kept in
 * memory. */
#include "output/otf2.h"

#include <errno.h>
#include <fcntl.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "output/ends.h"
#include "output/launches.h"
#include "output/live.h"
#include "output/otf2_mpi.h"
#include "model/numbers.h"
#include "trace/store.h"

/* Chunk sizes of AMD's writer. */
enum { EVENT_CHUNK = 1 << 20, DEFINITION_CHUNK = 4 << 20, CATEGORY = 0, GRAPH_EXEC, GRAPH_NODE };

typedef enum { ON_THREAD, ON_COPY, ON_MEMORY, ON_COMPUTE, ON_EVENTS, ON_BARRIER } kind_t;

typedef struct {
    uint32_t name, group;
    OTF2_LocationType type;
    OTF2_EvtWriter *writer;
    uint64_t events;
    out_ends_t ends; /* ends of regions that have been entered */
} location_t;

typedef struct {
    uint32_t name;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
} region_t;

typedef struct {
    uint32_t name, class_name; /* `name`: of the group; `class_name`: of the system tree node */
    OTF2_LocationGroupType type;
    uint32_t clock, clock_name; /* text of the node's property "clock"; 0: it has none */
} group_t;

typedef struct {
    uint32_t name, description;
} metric_t;

/* An array that grows, with a table of the index of each element. */
typedef struct {
    void *rows;
    size_t count;
    out_numbers_t places;
} list_t;

/* A cache of regions by the address of their name, which does not change while a process is being
 * added. */
typedef struct {
    const char *name; /* NULL: the entry is empty */
    uint32_t role, domain, number;
} recent_t;

enum { RECENT = 256 };

/* A buffer of the library. */
typedef struct chunk {
    struct chunk *next;
    uint64_t bytes; /* bytes that follow this head */
    _Alignas(64) char data[];
} chunk_t;

struct out_otf2 {
    OTF2_Archive *archive;
    chunk_t *chunks; /* chunks for events that are not in use */
    uint32_t chunk_count;
    recent_t recent[RECENT];
    uint32_t categories[OUT_DOMAIN_COUNT]; /* number of the domain's text, plus 1; 0: not defined
                                            * yet */
    OTF2_AttributeList *attributes;
    char path[PATH_MAX], temporary[PATH_MAX], name[NAME_MAX + 1];
    list_t texts, regions, locations, groups, nodes, metrics;
    size_t closed; /* number of locations, all of earlier processes, whose event files are closed */
    otf2_mpi_t mpi;
    uint64_t first_ns, last_ns, realtime_ns;
    uint32_t process; /* number, from 1, of the process whose records are being added */
    uint32_t node, process_group;
    out_model_t *model;
    out_launches_t launches;
    const char *failure; /* the first failure */
};

static void fail(out_otf2_t *o, const char *what)
{
    if (!o->failure) o->failure = what;
}

static void check(out_otf2_t *o, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS) fail(o, OTF2_Error_GetDescription(code));
}

/* Adds a row at index list->count - 1. Returns NULL when out of memory. */
static void *append(out_otf2_t *o, list_t *list, size_t unit)
{
    if (!base_grow_by_one(&list->rows, list->count, unit)) {
        fail(o, strerror(ENOMEM));
        return NULL;
    }
    return (char *)list->rows + list->count++ * unit;
}

/* ---- definitions ---- */

/* Returns the number of a text. Texts are looked up by content, since two processes, or two
 * kernels, may have the same name. If two texts have the same hash, the later one takes the next
 * free number. */
static uint32_t text_of(out_otf2_t *o, const char *text)
{
    uint64_t hash = out_hash(text), place;
    for (; (place = out_numbers_get(&o->texts.places, hash)); hash++)
        if (strcmp(((char **)o->texts.rows)[place - 1], text) == 0) return (uint32_t)place - 1;
    char *copy = strdup(text), **row = copy ? append(o, &o->texts, sizeof(*row)) : NULL;
    if (!row || !out_numbers_set(&o->texts.places, hash, o->texts.count)) {
        fail(o, strerror(ENOMEM));
        if (!row) free(copy);
        return 0;
    }
    *row = copy;
    return (uint32_t)o->texts.count - 1;
}

static uint32_t find_region(out_otf2_t *o, const char *name, OTF2_RegionRole role,
                            out_domain_t domain)
{
    static const OTF2_Paradigm paradigms[OUT_DOMAIN_COUNT] = {
#define DOMAIN(id, type, shape, category, slices, paradigm, ...)                                   \
    [OUT_##id] = OTF2_PARADIGM_##paradigm,
#include "trace/kinds.def"
    };
    const OTF2_Paradigm paradigm = paradigms[domain];
    uint32_t text = text_of(o, name);
    uint64_t key = out_mix((uint64_t)role << 8 | paradigm) ^ text;
    uint64_t place = out_numbers_get(&o->regions.places, key);
    if (place) return (uint32_t)place - 1;
    region_t *row = append(o, &o->regions, sizeof(*row));
    if (!row) return 0;
    *row = (region_t){text, role, paradigm};
    if (!out_numbers_set(&o->regions.places, key, o->regions.count)) fail(o, strerror(ENOMEM));
    return (uint32_t)o->regions.count - 1;
}

static uint32_t region_of(out_otf2_t *o, const char *name, OTF2_RegionRole role,
                          out_domain_t domain)
{
    recent_t *r = &o->recent[out_mix((uintptr_t)name ^ domain) % RECENT];
    if (r->name != name || r->role != role || r->domain != domain)
        *r = (recent_t){name, role, domain, find_region(o, name, role, domain)};
    return r->number;
}

static uint32_t category_of(out_otf2_t *o, out_domain_t domain)
{
    uint32_t *place = &o->categories[domain];
    if (!*place) *place = text_of(o, out_domains[domain].category) + 1;
    return *place - 1;
}

static uint32_t group_of(out_otf2_t *o, const out_agent_t *agent)
{
    if (!agent) return o->process_group;
    uint64_t key = out_mix(o->process) ^ agent->record->id;
    uint64_t place = out_numbers_get(&o->groups.places, key);
    return place ? (uint32_t)place - 1 : o->process_group;
}

static uint32_t add_group(out_otf2_t *o, const char *name, OTF2_LocationGroupType type)
{
    group_t *row = append(o, &o->groups, sizeof(*row));
    if (row) *row = (group_t){.name = text_of(o, name), .class_name = o->node, .type = type};
    return (uint32_t)o->groups.count - 1;
}

static void name_location(const out_otf2_t *o, kind_t kind, uint32_t tid, uint64_t agent_id,
                          uint64_t queue, char *name, size_t room)
{
    static const char *const what[] = {[ON_COPY] = "Copy to",
                                       [ON_MEMORY] = "Memory Operation at",
                                       [ON_COMPUTE] = "Compute on",
                                       [ON_BARRIER] = "Events of"};
    const out_agent_t *a = out_model_find_agent(o->model, agent_id);
    int n = snprintf(name, room, "Thread %u", tid);
    if (kind == ON_THREAD) return;
    if (kind == ON_EVENTS)
        snprintf(name, room, "%s", out_kind_text(o->model, (uint32_t)queue));
    else if (a)
        n += snprintf(name + n, room - (size_t)n, ", %s %s %s-%lld", what[kind], out_agent_type(a),
                      a->word, (long long)a->number);
    else
        n += snprintf(name + n, room - (size_t)n, ", %s UNK 0", what[kind]);
    if (kind == ON_COMPUTE || kind == ON_BARRIER)
        snprintf(name + n, room - (size_t)n, ", Queue %llu", (unsigned long long)queue);
}

/* Returns the location, which is made if necessary; it is valid until the next call. Returns NULL
 * when out of memory. */
static location_t *location_of(out_otf2_t *o, kind_t kind, uint32_t tid, uint64_t agent,
                               uint64_t queue)
{
    char name[128];
    uint64_t key = out_mix(out_mix(out_mix(o->process << 3 | kind) ^ tid) ^ agent) ^ queue;
    uint64_t place = out_numbers_get(&o->locations.places, key);
    if (place) return (location_t *)o->locations.rows + place - 1;
    location_t *row = append(o, &o->locations, sizeof(*row));
    if (!row) return NULL;
    name_location(o, kind, tid, agent, queue, name, sizeof(name));
    bool thread = kind == ON_THREAD || kind == ON_EVENTS;
    *row = (location_t){
        .name = text_of(o, name),
        .group = thread ? o->process_group : group_of(o, out_model_find_agent(o->model, agent)),
        .type = thread ? OTF2_LOCATION_TYPE_CPU_THREAD : OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
        .writer = OTF2_Archive_GetEvtWriter(o->archive, o->locations.count)};
    if (!row->writer) fail(o, "an event file cannot be written");
    if (!out_numbers_set(&o->locations.places, key, o->locations.count)) fail(o, strerror(ENOMEM));
    return row->writer ? row : NULL;
}

static uint32_t metric_of(out_otf2_t *o, uint64_t counter)
{
    uint32_t name = text_of(o, out_model_counter(o->model, counter));
    uint64_t place = out_numbers_get(&o->metrics.places, name + 1u);
    if (place) return (uint32_t)place - 1;
    metric_t *row = append(o, &o->metrics, sizeof(*row));
    if (!row) return 0;
    *row = (metric_t){name, text_of(o, "hardware counter of a kernel dispatch")};
    if (!out_numbers_set(&o->metrics.places, name + 1u, o->metrics.count))
        fail(o, strerror(ENOMEM));
    return (uint32_t)o->metrics.count - 1;
}

/* ---- events ---- */

static void leave_until(out_otf2_t *o, location_t *l, uint64_t ns)
{
    out_end_t end;
    while (out_ends_take(&l->ends, ns, &end)) {
        const uint32_t call = (uint32_t)(end.value >> 32); /* of MPI: it has events at its end */
        if (call) otf2_mpi_ends(&o->mpi, l->writer, call, &l->events);
        check(o, OTF2_EvtWriter_Leave(l->writer, NULL, end.ns, (OTF2_RegionRef)end.value));
        l->events++;
    }
}

static void enter(out_otf2_t *o, location_t *l, const trace_timed_t *r, uint32_t region,
                  out_domain_t domain)
{
    uint64_t call = 0;
    leave_until(o, l, r->start);
    check(o, OTF2_AttributeList_AddStringRef(o->attributes, CATEGORY, category_of(o, domain)));
    check(o, OTF2_EvtWriter_Enter(l->writer, o->attributes, r->start, region));
    l->events++;
    if (trace_type(r->head) == TRACE_MPI)
        call =
            otf2_mpi_begins(&o->mpi, l->writer, (uint64_t)(l - (location_t *)o->locations.rows) + 1,
                            (const trace_mpi_t *)r, &l->events);
    if (!out_ends_add(&l->ends, r->end > r->start ? r->end : r->start, region | call << 32))
        fail(o, strerror(ENOMEM));
}

/* Adds attributes of the graph to the next event. */
static void add_node(out_otf2_t *o, trace_node_t node)
{
    if (!node.graph) return;
    check(o, OTF2_AttributeList_AddUint64(o->attributes, GRAPH_EXEC, node.graph));
    check(o, OTF2_AttributeList_AddUint64(o->attributes, GRAPH_NODE, node.node));
}

static void write_call(out_otf2_t *o, out_domain_t domain, const trace_timed_t *r)
{
    const bool event = out_domains[domain].shape == OUT_EVENT;
    if (out_is_point(domain, r)) return;
    location_t *l = location_of(o, event ? ON_EVENTS : ON_THREAD, trace_thread(r->head), 0,
                                event ? trace_kind(r->head) : 0);
    if (!l) return;
    uint32_t region =
        region_of(o, out_domains[domain].key(o->model, r), OTF2_REGION_ROLE_FUNCTION, domain);
    enter(o, l, r, region, domain);
}

static void write_transfer(out_otf2_t *o, out_domain_t domain, const trace_timed_t *r)
{
    const bool copy = out_domains[domain].shape == OUT_COPY;
    uint64_t agent =
        copy ? ((const trace_copy_t *)r)->destination : ((const trace_allocation_t *)r)->agent;
    location_t *l = location_of(o, copy ? ON_COPY : ON_MEMORY, trace_thread(r->head), agent, 0);
    if (!l) return;
    uint32_t region =
        region_of(o, out_domains[domain].key(o->model, r),
                  copy ? OTF2_REGION_ROLE_DATA_TRANSFER : OTF2_REGION_ROLE_ALLOCATE, domain);
    if (copy) add_node(o, trace_node(r));
    enter(o, l, r, region, domain);
}

static void write_launch(void *to, out_launch_t *launch)
{
    out_otf2_t *o = to;
    const trace_dispatch_t *d = &launch->dispatch;
    const trace_timed_t *r = (const trace_timed_t *)d;
    location_t *l = location_of(o, ON_COMPUTE, trace_thread(d->head), d->agent, d->queue);
    if (!l) return;
    uint32_t region = region_of(o, out_domains[OUT_KERNEL_DISPATCH].key(o->model, r),
                                OTF2_REGION_ROLE_FUNCTION, OUT_KERNEL_DISPATCH);
    add_node(o, launch->node);
    enter(o, l, r, region, OUT_KERNEL_DISPATCH);
    out_launch_sum(launch);
    for (size_t i = 0; i < launch->count; i++) {
        OTF2_Type type = OTF2_TYPE_DOUBLE;
        OTF2_MetricValue value = {.floating_point = launch->values[i].value};
        check(o, OTF2_EvtWriter_Metric(l->writer, NULL, d->start,
                                       metric_of(o, launch->values[i].counter), 1, &type, &value));
        l->events++;
    }
}

static void write_graph(out_otf2_t *o, const trace_timed_t *r)
{
    location_t *l = location_of(o, ON_THREAD, trace_thread(r->head), 0, 0);
    if (l)
        enter(o, l, r, region_of(o, OUT_GRAPH_NAME, OTF2_REGION_ROLE_FUNCTION, OUT_HIP_GRAPH),
              OUT_HIP_GRAPH);
}

static void write_barrier(out_otf2_t *o, const trace_barrier_t *b)
{
    const trace_timed_t *r = (const trace_timed_t *)b;
    location_t *l = location_of(o, ON_BARRIER, trace_thread(b->head), b->agent, b->queue);
    const char *name = out_model_operation(o->model, trace_kind(b->head), trace_operation(b->head));
    if (l)
        enter(o, l, r, region_of(o, name, OTF2_REGION_ROLE_BARRIER, OUT_HIP_EVENT), OUT_HIP_EVENT);
}

static void write_record(out_otf2_t *o, out_domain_t domain, const trace_timed_t *r)
{
    switch (out_domains[domain].shape) {
    case OUT_CALL:
    case OUT_RANGE:
    case OUT_EVENT: write_call(o, domain, r); return;
    case OUT_LAUNCH:
        if (!out_launches_add(&o->launches, domain, r)) fail(o, strerror(ENOMEM));
        return;
    case OUT_COPY:
    case OUT_ALLOCATION: write_transfer(o, domain, r); return;
    case OUT_GRAPH: write_graph(o, r); return;
    case OUT_BARRIER: write_barrier(o, (const trace_barrier_t *)r); return;
    case OUT_SCRATCH:
    case OUT_SAMPLE:
    case OUT_READINGS: return;
    }
}

/* Begins a process: a node of its program below that of its host, a group of its threads, and a
 * group for each agent. */
static void begin_process(out_otf2_t *o, out_job_t *job)
{
    out_model_t *m = job->model;
    char *command = strdup(out_model_info(m, TRACE_INFO_COMMAND));
    if (command) command[strcspn(command, " ")] = 0;
    const char *program = command && *command ? command : "process";
    o->model = m;
    o->process++;
    memset(o->recent, 0, sizeof(o->recent));
    group_t *node = append(o, &o->nodes, sizeof(*node));
    if (node)
        *node = (group_t){.name = text_of(o, program),
                          .class_name = text_of(o, out_model_info(m, TRACE_INFO_HOST)),
                          .clock = job->clock ? text_of(o, job->clock) : 0,
                          .clock_name = job->clock ? text_of(o, "clock") : 0};
    o->node = (uint32_t)o->nodes.count - 1;
    o->process_group = add_group(o, program, OTF2_LOCATION_GROUP_TYPE_PROCESS);
    for (size_t i = 0; i < m->agent_count; i++) {
        const trace_agent_t *a = m->agents[i].record;
        add_group(o, (const char *)a + a->text_offset, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR);
        if (!out_numbers_set(&o->groups.places, out_mix(o->process) ^ a->id, o->groups.count))
            fail(o, strerror(ENOMEM));
    }
    uint64_t first = job->source->first_ns, last = job->source->last_ns;
    if (first && (!o->first_ns || first < o->first_ns)) o->first_ns = first;
    if (last > o->last_ns) o->last_ns = last;
    if (!o->realtime_ns) o->realtime_ns = m->header.realtime_ns;
    free(command);
}

/* Ends the event files of the process's locations, each of which has had a buffer until now. */
static void close_locations(out_otf2_t *o)
{
    for (location_t *l = o->locations.rows; o->closed < o->locations.count; o->closed++) {
        leave_until(o, &l[o->closed], UINT64_MAX);
        out_ends_free(&l[o->closed].ends);
        l[o->closed].ends = (out_ends_t){0};
        check(o, OTF2_Archive_CloseEvtWriter(o->archive, l[o->closed].writer));
    }
}

int out_otf2_add(out_otf2_t *o, out_job_t *job)
{
    begin_process(o, job);
    out_source_all(job->source);
    for (const trace_timed_t *r; !o->failure && (r = out_source_next(job->source));) {
        out_launches_use(&o->launches, r, write_launch, o);
        write_record(o, out_source_taken(job->source), r);
    }
    out_launches_use(&o->launches, NULL, write_launch, o);
    close_locations(o);
    if (job->source->failed) return -1;
    if (!o->failure) return 0;
    snprintf(job->why, job->why_bytes, "%s: %s", o->path, o->failure);
    return -1;
}

/* ---- the archive ---- */

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* The library clears a whole buffer of 1 MB for each location. A buffer that is used again already
 * has its pages. */
static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **own,
                      uint64_t bytes)
{
    out_otf2_t *o = data;
    chunk_t *chunk = bytes == EVENT_CHUNK ? o->chunks : NULL;
    (void)type, (void)location;
    if (chunk) {
        o->chunks = chunk->next;
        o->chunk_count--;
    } else if (!(chunk = aligned_alloc(_Alignof(chunk_t), sizeof(*chunk) + bytes))) {
        return NULL;
    }
    chunk->bytes = bytes;
    chunk->next = *own;
    *own = chunk;
    return chunk->data;
}

static void release(void *data, OTF2_FileType type, OTF2_LocationRef location, void **own,
                    bool final)
{
    enum { KEPT = 16 };
    out_otf2_t *o = data;
    (void)type, (void)location, (void) final;
    for (chunk_t *chunk; (chunk = *own);) {
        *own = chunk->next;
        if (chunk->bytes != EVENT_CHUNK || o->chunk_count == KEPT) {
            free(chunk);
            continue;
        }
        chunk->next = o->chunks;
        o->chunks = chunk;
        o->chunk_count++;
    }
}

/* Ignores messages of the library, since the status codes of its functions are enough. */
static OTF2_ErrorCode on_error(void *data, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)data, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

static bool make_temporary(out_otf2_t *o, const char *path, char *why, size_t why_bytes)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int bytes = slash ? (int)(slash - path) : 1;
    char directory[PATH_MAX];
    snprintf(directory, sizeof(directory), "%.*s", bytes, slash ? path : ".");
    snprintf(o->path, sizeof(o->path), "%s", path);
    snprintf(o->name, sizeof(o->name), "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
    bool fits = snprintf(o->temporary, sizeof(o->temporary), "%s/.rocprofv3-XXXXXX", directory) <
                (int)sizeof(o->temporary);
    if (fits && trace_make_directories(directory) == 0 && mkdtemp(o->temporary)) return true;
    snprintf(why, why_bytes, "%s: %s", directory, strerror(fits ? errno : ENAMETOOLONG));
    return false;
}

out_otf2_t *out_otf2_begin(const char *path, char *why, size_t why_bytes)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
    static const OTF2_MemoryCallbacks memory = {allocate, release};
    out_otf2_t *o = calloc(1, sizeof(*o));
    if (!o) {
        snprintf(why, why_bytes, "%s: %s", path, strerror(ENOMEM));
        return NULL;
    }
    if (!make_temporary(o, path, why, why_bytes)) {
        free(o);
        return NULL;
    }
    OTF2_Error_RegisterCallback(on_error, NULL);
    o->attributes = OTF2_AttributeList_New();
    o->archive = OTF2_Archive_Open(o->temporary, o->name, OTF2_FILEMODE_WRITE, EVENT_CHUNK,
                                   DEFINITION_CHUNK, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!o->archive || !o->attributes) {
        snprintf(why, why_bytes, "%s: the archive cannot be made in %s", path, o->temporary);
        out_otf2_end(o, false, NULL, 0);
        return NULL;
    }
    check(o, OTF2_Archive_SetFlushCallbacks(o->archive, &flush, NULL));
    check(o, OTF2_Archive_SetMemoryCallbacks(o->archive, &memory, o));
    check(o, OTF2_Archive_SetSerialCollectiveCallbacks(o->archive));
    check(o, OTF2_Archive_SetCreator(o->archive, "rocprofv3"));
    check(o, OTF2_Archive_OpenEvtFiles(o->archive));
    text_of(o, ""); /* number 0 */
    return o;
}

static void define_texts(out_otf2_t *o, OTF2_GlobalDefWriter *w)
{
    static const struct {
        const char *name, *what;
        OTF2_Type type;
    } attributes[] = {
        [CATEGORY] = {"category", "tracing category", OTF2_TYPE_STRING},
        [GRAPH_EXEC] = {"graph_exec_id", "graph that has launched it", OTF2_TYPE_UINT64},
        [GRAPH_NODE] = {"graph_node_id", "place in its launch", OTF2_TYPE_UINT64}};
    enum { ATTRIBUTES = sizeof(attributes) / sizeof(*attributes) };
    uint32_t names[ATTRIBUTES], whats[ATTRIBUTES];
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        names[i] = text_of(o, attributes[i].name);
        whats[i] = text_of(o, attributes[i].what);
    }
    char **texts = o->texts.rows;
    for (size_t i = 0; i < o->texts.count; i++)
        check(o, OTF2_GlobalDefWriter_WriteString(w, (OTF2_StringRef)i, texts[i]));
    for (size_t i = 0; i < ATTRIBUTES; i++)
        check(o, OTF2_GlobalDefWriter_WriteAttribute(w, (OTF2_AttributeRef)i, names[i], whats[i],
                                                     attributes[i].type));
}

static void define_places(out_otf2_t *o, OTF2_GlobalDefWriter *w)
{
    const group_t *nodes = o->nodes.rows, *groups = o->groups.rows;
    const location_t *locations = o->locations.rows;
    for (uint32_t i = 0; i < o->nodes.count; i++)
        check(o, OTF2_GlobalDefWriter_WriteSystemTreeNode(w, i, nodes[i].name, nodes[i].class_name,
                                                          OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t i = 0; i < o->nodes.count; i++)
        if (nodes[i].clock)
            check(o, OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(
                         w, i, nodes[i].clock_name, OTF2_TYPE_STRING,
                         (OTF2_AttributeValue){.stringRef = nodes[i].clock}));
    for (uint32_t i = 0; i < o->groups.count; i++)
        check(o, OTF2_GlobalDefWriter_WriteLocationGroup(w, i, groups[i].name, groups[i].type,
                                                         groups[i].class_name,
                                                         OTF2_UNDEFINED_LOCATION_GROUP));
    for (uint32_t i = 0; i < o->locations.count; i++)
        check(o, OTF2_GlobalDefWriter_WriteLocation(w, i + 1u, locations[i].name, locations[i].type,
                                                    locations[i].events, locations[i].group));
}

static void define_events(out_otf2_t *o, OTF2_GlobalDefWriter *w)
{
    const region_t *regions = o->regions.rows;
    const metric_t *metrics = o->metrics.rows;
    for (uint32_t i = 0; i < o->regions.count; i++)
        check(o, OTF2_GlobalDefWriter_WriteRegion(w, i, regions[i].name, regions[i].name, 0,
                                                  regions[i].role, regions[i].paradigm,
                                                  OTF2_REGION_FLAG_NONE, 0, 0, 0));
    for (uint32_t i = 0; i < o->metrics.count; i++) {
        OTF2_MetricMemberRef member = i;
        check(o, OTF2_GlobalDefWriter_WriteMetricMember(
                     w, i, metrics[i].name, metrics[i].description, OTF2_METRIC_TYPE_OTHER,
                     OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0, 0));
        check(o, OTF2_GlobalDefWriter_WriteMetricClass(w, i, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
                                                       OTF2_RECORDER_KIND_ABSTRACT));
    }
}

static uint32_t number_text(void *data, const char *name)
{
    return text_of(data, name);
}

/* Ranks of the job whose records are not in the archive have a location without events, since
 * messages and communicators refer to them. */
static const char missing_rank[] = "rank that is not in this archive";

static void define_mpi(out_otf2_t *o, OTF2_GlobalDefWriter *w)
{
    if (!o->mpi.count) return;
    const uint32_t name = text_of(o, missing_rank), missing = otf2_mpi_missing(&o->mpi);
    for (uint32_t i = 0; i < missing; i++)
        check(o, OTF2_GlobalDefWriter_WriteLocation(w, o->locations.count + i + 1u, name,
                                                    OTF2_LOCATION_TYPE_CPU_THREAD, 0,
                                                    o->process_group));
    otf2_mpi_define(&o->mpi, w, o->locations.count + 1, number_text, o, true);
    check(o, o->mpi.error);
}

/* Copies the first location's file of definitions, which has some 20 bytes, to another location. */
static void copy_local(out_otf2_t *o, size_t location)
{
    char path[2 * PATH_MAX + 32];
    size_t bytes;
    snprintf(path, sizeof(path), "%s/%s/1.def", o->temporary, o->name);
    char *text = base_file_read(path, 1 << 16, &bytes);
    snprintf(path, sizeof(path), "%s/%s/%zu.def", o->temporary, o->name, location);
    const int fd = text ? base_file_open(path, O_CREAT | O_EXCL | O_WRONLY, 0666) : -1;
    if (fd < 0 || write(fd, text, bytes) != (ssize_t)bytes) fail(o, strerror(errno));
    if (fd >= 0) close(fd);
    free(text);
}

/* Each location needs a file of local definitions, which is empty. The files have the same bytes,
 * so the first one is copied: for each file that the library writes, it clears 4 MB. */
static void define_locally(out_otf2_t *o, size_t locations)
{
    check(o, OTF2_Archive_OpenDefFiles(o->archive));
    if (locations) {
        OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(o->archive, 1);
        if (!w)
            fail(o, "a definition file cannot be written");
        else
            check(o, OTF2_Archive_CloseDefWriter(o->archive, w));
    }
    for (size_t i = 2; i <= locations && !o->failure; i++)
        copy_local(o, i);
    check(o, OTF2_Archive_CloseDefFiles(o->archive));
}

/* Writes the definitions. The event files have been closed before. */
static void write_definitions(out_otf2_t *o)
{
    const uint32_t missing = otf2_mpi_missing(&o->mpi);
    close_locations(o);
    for (uint32_t i = 0; i < missing; i++) { /* they need event files, too, which are empty */
        OTF2_EvtWriter *empty = OTF2_Archive_GetEvtWriter(o->archive, o->locations.count + i + 1);
        if (empty) check(o, OTF2_Archive_CloseEvtWriter(o->archive, empty));
        if (!empty) fail(o, "an event file cannot be written");
    }
    check(o, OTF2_Archive_CloseEvtFiles(o->archive));
    define_locally(o, o->locations.count + missing);
    OTF2_GlobalDefWriter *w = OTF2_Archive_GetGlobalDefWriter(o->archive);
    if (!w) {
        fail(o, "the definitions cannot be written");
        return;
    }
    if (o->mpi.count) { /* names need numbers before they are written */
        otf2_mpi_define(&o->mpi, w, 0, number_text, o, false);
        text_of(o, missing_rank);
    }
    check(o, OTF2_GlobalDefWriter_WriteClockProperties(w, 1000000000, o->first_ns,
                                                       o->last_ns - o->first_ns, o->realtime_ns));
    define_texts(o, w);
    define_places(o, w);
    define_events(o, w);
    define_mpi(o, w);
}

/* Gives the files their names, the anchor file last: a reader that sees it finds the other
 * files. */
static void give_names(out_otf2_t *o)
{
    static const char *const ends[] = {"", ".def", ".otf2"};
    int bytes = (int)(strlen(o->path) - strlen(".otf2"));
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends) && !o->failure; i++) {
        char from[2 * PATH_MAX], to[PATH_MAX + 8];
        snprintf(from, sizeof(from), "%s/%s%s", o->temporary, o->name, ends[i]);
        snprintf(to, sizeof(to), "%.*s%s", bytes, o->path, ends[i]);
        if (i == 0 && trace_remove(to) != 0 && errno != ENOENT) fail(o, strerror(errno));
        if (!o->failure && rename(from, to) != 0) fail(o, strerror(errno));
    }
}

static void remove_temporary(out_otf2_t *o)
{
    char events[2 * PATH_MAX];
    snprintf(events, sizeof(events), "%s/%s", o->temporary, o->name);
    trace_remove(events);
    trace_remove(o->temporary);
}

int out_otf2_end(out_otf2_t *o, bool keep, char *why, size_t why_bytes)
{
    list_t *const lists[] = {&o->texts,  &o->regions, &o->locations,
                             &o->groups, &o->nodes,   &o->metrics};
    if (o->archive) write_definitions(o);
    if (o->archive) check(o, OTF2_Archive_Close(o->archive));
    if (o->attributes) OTF2_AttributeList_Delete(o->attributes);
    if (keep && !o->failure) give_names(o);
    remove_temporary(o);
    bool failed = keep && o->failure;
    if (failed) snprintf(why, why_bytes, "%s: %s", o->path, o->failure);
    for (size_t i = 0; i < o->texts.count; i++)
        free(((char **)o->texts.rows)[i]);
    for (size_t i = 0; i < o->locations.count; i++)
        out_ends_free(&((location_t *)o->locations.rows)[i].ends);
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        free(lists[i]->rows);
        free(lists[i]->places.rows);
    }
    for (chunk_t *chunk; (chunk = o->chunks);) {
        o->chunks = chunk->next;
        free(chunk);
    }
    out_launches_free(&o->launches);
    otf2_mpi_free(&o->mpi);
    free(o);
    return failed ? -1 : 0;
}

int out_otf2_write(out_job_t *job, const char *path)
{
    out_otf2_t *o = out_otf2_begin(path, job->why, job->why_bytes);
    if (!o) return -1;
    o->mpi.alone = true;
    if (out_otf2_add(o, job) == 0) return out_otf2_end(o, true, job->why, job->why_bytes);
    out_otf2_end(o, false, NULL, 0);
    return -1;
}
