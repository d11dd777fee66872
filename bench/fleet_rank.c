/* fleet_rank.c - see fleet.h. The program computes in steps: six kernels, a copy to the host, and
 * an exchange that waits for the last rank. All times follow from the job's numbers, so that ranks
 * can be made one by one, in any order. */
#include "fleet.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rocprofiler-sdk/fwd.h>

#include "trace/agent-fields.h"
#include "trace/mpi.h"
#include "trace/store.h"
#include "trace/writer.h"

enum {
    CALLS = ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API,
    RANGES = ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API,
    COPIES = ROCPROFILER_BUFFER_TRACING_MEMORY_COPY,
    KERNELS = ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
    LAUNCHED = 2, /* operations: complete; device to host; roctxThreadRangeA */
    TO_HOST = ROCPROFILER_MEMORY_COPY_DEVICE_TO_HOST,
    RANGE = 2,
    CPU = 1, /* agents */
    GPU = 2,
    STEP_TEXT = 1,
    EXCHANGE_TEXT = 2,
    COPIED_BYTES = 1 << 20,
    DEVICES_PER_NODE = 8,
};

/* Their places are the operations' numbers. */
static const char *const calls[] = {"hipGetDevice", "hipLaunchKernel", "hipMemcpyAsync",
                                    "hipStreamSynchronize"};
enum { GET_DEVICE, LAUNCH, COPY_CALL, SYNCHRONIZE, CALL_COUNT };

static const char *const mpi[] = {"MPI_Init",    "MPI_Irecv",     "MPI_Isend",
                                  "MPI_Waitall", "MPI_Allreduce", "MPI_Finalize"};
enum { INIT, IRECV, ISEND, WAITALL, ALLREDUCE, FINALIZE, MPI_FUNCTIONS };

/* Times of one step in ns, before imbalance. */
static const struct {
    const char *name;
    uint32_t ns;
} kernels[] = {
    {"_Z14find_neighborsPK15HIP_vector_typeIfLj4EEPii", 180000},
    {"_Z6forcesPK15HIP_vector_typeIfLj4EEPKiPS0_i", 420000},
    {"_Z9constrainP15HIP_vector_typeIfLj4EEi", 40000},
    {"_Z9integrateP15HIP_vector_typeIfLj4EES1_fi", 65000},
    {"_Z4packPK15HIP_vector_typeIfLj4EEPfi", 22000},
    {"_Z6energyPK15HIP_vector_typeIfLj4EEPdi", 90000},
};
enum {
    KERNEL_COUNT = sizeof(kernels) / sizeof(*kernels),
    SLOW_KERNEL = 1,                         /* the one that takes longer on the slow rank */
    STEP_RECORDS = 2 + 2 * KERNEL_COUNT + 3, /* ranges; launches; a copy; waiting for it */
    MPI_STEP_RECORDS = 6,                    /* two receives, two sends; waiting for them; all */
    MPI_RECORDS = 2,                         /* MPI_Init, MPI_Finalize */
    HALO_BYTES = 16384,
    REDUCED_BYTES = 8,
    MPI_NS = 400, /* a call that waits for nothing, with what is between it and the next */
};

#define JOB_BEGINS 1767225600000000000 /* of the day, ns */
#define UP_TIME    864000000000000     /* of the nodes then, ns */

/* ---- numbers that look random ---- */

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

static uint64_t draw(const fleet_job_t *job, uint64_t what, uint64_t a, uint64_t b)
{
    return mix(mix(mix(job->seed + what) + a) + b);
}

/* From -1 to 1. */
static double lean(const fleet_job_t *job, uint64_t what, uint64_t a, uint64_t b)
{
    return (double)(draw(job, what, a, b) >> 11) / (double)(1ull << 52) - 1;
}

enum { OF_RANK = 1, OF_KERNEL, OF_DRIFT, OF_CLOCK, OF_BOOT, OF_MACHINE, OF_PID, OF_CALL };

/* ---- who ---- */

fleet_rank_t fleet_rank(const fleet_job_t *job, uint32_t rank)
{
    fleet_rank_t r = {.rank = rank, .node = rank / job->per_node, .local = rank % job->per_node};
    r.parent = 4000 + (uint32_t)(draw(job, OF_PID, r.node, 0) % 60000);
    r.pid = r.parent + 12 + 3 * r.local; /* srun's children, with a helper or two in between */
    snprintf(r.host, sizeof(r.host), "nid%06u", 1001 + r.node);
    snprintf(r.machine, sizeof(r.machine), "%016llx%016llx",
             (unsigned long long)draw(job, OF_MACHINE, r.node, 0),
             (unsigned long long)draw(job, OF_MACHINE, r.node, 1));
    return r;
}

/* ---- when: in ns since the job began, of a clock that is right ---- */

static uint64_t kernel_ns(const fleet_job_t *job, uint32_t rank, uint32_t step, uint32_t kernel)
{
    double ns = kernels[kernel].ns * (1 + job->imbalance * lean(job, OF_RANK, rank, kernel)) *
                (1 + 0.01 * lean(job, OF_KERNEL, (uint64_t)rank << 32 | step, kernel));
    if (rank == job->slow_rank && kernel == SLOW_KERNEL) ns *= job->slow;
    return (uint64_t)ns;
}

typedef struct {
    uint64_t start, end;
} span_t;

/* What happens in a step before the exchange. */
typedef struct {
    span_t launches[KERNEL_COUNT], kernels[KERNEL_COUNT], copy_call, copy, waiting;
    uint64_t arrival; /* at the exchange */
} step_t;

/* Computes a step that begins at `at`. */
static step_t play(const fleet_job_t *job, uint32_t rank, uint32_t step, uint64_t at)
{
    step_t s;
    uint64_t busy = 0; /* until when the GPU is */
    const uint64_t call_ns = 3500 + draw(job, OF_CALL, rank, step) % 1500;
    for (uint32_t k = 0; k < KERNEL_COUNT; k++) {
        s.launches[k] = (span_t){at + 500, at + 500 + call_ns};
        at = s.launches[k].end;
        const uint64_t start = at + 2500 > busy + 800 ? at + 2500 : busy + 800;
        s.kernels[k] = (span_t){start, start + kernel_ns(job, rank, step, k)};
        busy = s.kernels[k].end;
    }
    s.copy_call = (span_t){at + 400, at + 400 + 2 * call_ns};
    const double times = rank == job->copy_rank ? job->copy : 1;
    s.copy = (span_t){busy + 3000, busy + 3000 + (uint64_t)(COPIED_BYTES / 24 * times)};
    s.waiting = (span_t){s.copy_call.end + 600, s.copy.end + 4000};
    s.arrival = s.waiting.end;
    if (rank == job->host_rank) s.arrival += (uint64_t)(job->host_ms * 1e6);
    return s;
}

static uint32_t step_records(const fleet_job_t *job)
{
    return STEP_RECORDS + (job->mpi ? MPI_STEP_RECORDS : 0);
}

static uint32_t steps_of(const fleet_job_t *job)
{
    const uint32_t others = job->mpi ? MPI_RECORDS : 0;
    return job->records < others ? 0 : (job->records - others) / step_records(job);
}

/* When a rank begins its first step. */
static uint64_t begin_of(const fleet_job_t *job, uint32_t rank)
{
    const uint64_t late = rank == job->late_rank ? (uint64_t)(job->late_ms * 1e6) : 0;
    return 250000000 + draw(job, OF_CALL, rank, UINT64_MAX) % 2000000 + late;
}

static uint64_t step_begin(const fleet_job_t *job, uint32_t rank, uint32_t step)
{
    return step ? job->ends[step - 1] + 15000 : begin_of(job, rank);
}

uint64_t *fleet_ends(const fleet_job_t *job)
{
    const uint32_t steps = steps_of(job);
    uint64_t *ends = calloc(steps + 1, sizeof(*ends));
    fleet_job_t known = *job;
    known.ends = ends;
    for (uint32_t step = 0; ends && step < steps; step++)
        for (uint32_t rank = 0; rank < job->ranks; rank++) {
            const uint64_t end = play(&known, rank, step, step_begin(&known, rank, step)).arrival;
            if (end > ends[step]) ends[step] = end;
        }
    return ends;
}

/* A node's clocks. */
typedef struct {
    double rate;       /* of the one that counts from when the node was booted */
    int64_t boot, day; /* that clock at the job's begin; how wrong the time of day is */
} node_clock_t;

static node_clock_t clock_of(const fleet_job_t *job, uint32_t node)
{
    return (node_clock_t){.rate = 1 + job->drift_ppm * 1e-6 * lean(job, OF_DRIFT, node, 0),
                          .boot =
                              UP_TIME + (int64_t)(job->boots_s * 1e9 * lean(job, OF_BOOT, node, 0)),
                          .day = (int64_t)(job->clock_ms * 1e6 * lean(job, OF_CLOCK, node, 0))};
}

static uint64_t told(const node_clock_t *c, uint64_t at)
{
    return (uint64_t)(c->boot + (int64_t)((double)at * c->rate));
}

/* ---- the store: names ---- */

static void put_name(trace_writer_t *w, uint32_t type, uint32_t kind, uint32_t operation,
                     uint32_t thread, const char *text)
{
    const trace_head_t head = trace_head(type, kind, operation, thread, sizeof(head));
    trace_writer_put_texts(w, &head, sizeof(head), &text, 1);
}

static void put_info(trace_writer_t *w, const char *key, const char *value)
{
    const trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
    const char *texts[] = {key, value};
    trace_writer_put_texts(w, &head, sizeof(head), texts, 2);
}

/* A variable of the environment, as srun sets it. */
static void put_variable(trace_writer_t *w, const char *name, uint32_t value)
{
    char text[64];
    snprintf(text, sizeof(text), "%s=%u", name, value);
    put_info(w, TRACE_INFO_VARIABLE, text);
}

/* What relates the clock of a process to that of other nodes: the boot from which it counts, and
 * the time of day at the end, `end` behind the job's begin. Nodes that were all booted at one
 * moment have one clock, and need none of this. */
static void put_clock(trace_writer_t *w, const fleet_job_t *job, const fleet_rank_t *r,
                      const node_clock_t *c, uint64_t end)
{
    char text[64];
    const uint64_t seed = job->seed * 0x9e3779b97f4a7c15u + r->node;
    snprintf(text, sizeof(text), "%08x-%04x-4000-8000-%012llx", r->node + 1u,
             (unsigned)(seed & 0xffff), (unsigned long long)(seed >> 16));
    put_info(w, TRACE_INFO_BOOT, text);
    snprintf(text, sizeof(text), "%llu %llu", (unsigned long long)told(c, end),
             (unsigned long long)(JOB_BEGINS + (uint64_t)c->day + end));
    put_info(w, TRACE_INFO_LAST, text);
}

static void put_facts(trace_writer_t *w, const fleet_job_t *job, const fleet_rank_t *r,
                      const char *directory, const char *name)
{
    char parent[16], host[64];
    snprintf(parent, sizeof(parent), "%u", r->parent);
    snprintf(host, sizeof(host), "SLURMD_NODENAME=%s", r->host);
    const char *facts[][2] = {{TRACE_INFO_DIRECTORY, directory},
                              {TRACE_INFO_NAME, name},
                              {TRACE_INFO_COMMAND, "/home/user/bin/dynamics -i water.in"},
                              {TRACE_INFO_PARENT, parent},
                              {TRACE_INFO_MACHINE, r->machine},
                              {TRACE_INFO_SYSTEM, "Linux"},
                              {TRACE_INFO_HOST, r->host},
                              {TRACE_INFO_RELEASE, "6.1.0-28-amd64"},
                              {TRACE_INFO_VERSION, "#1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1"},
                              {TRACE_INFO_HARDWARE, "x86_64"},
                              {TRACE_INFO_DOMAIN, "(none)"},
                              {TRACE_INFO_VARIABLE, host}};
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
        put_info(w, facts[i][0], facts[i][1]);
    put_variable(w, "SLURM_JOB_ID", 4711042);
    put_variable(w, "SLURM_PROCID", r->rank);
    put_variable(w, "SLURM_NTASKS", job->ranks);
    put_variable(w, "SLURM_LOCALID", r->local);
    put_variable(w, "SLURM_NODEID", r->node);
    put_variable(w, "SLURM_NNODES", (job->ranks + job->per_node - 1) / job->per_node);
    put_variable(w, "ROCR_VISIBLE_DEVICES", r->local % DEVICES_PER_NODE);
}

static void put_agent(trace_writer_t *w, const fleet_rank_t *r, uint64_t id)
{
    static const char *const texts[][TRACE_AGENT_TEXT_COUNT] = {
        {"AMD EPYC 7A53 64-Core Processor", "CPU", "AMD EPYC 7A53 64-Core Processor", ""},
        {"gfx90a", "AMD", "AMD Instinct MI250X", "aldebaran"}};
    const bool gpu = id == GPU;
    struct {
        trace_agent_t agent;
        uint64_t values[TRACE_AGENT_FIELD_COUNT];
    } a = {.agent = {.head = trace_head(TRACE_AGENT, 0, 0, 0, sizeof(a)),
                     .id = id,
                     .type = gpu ? TRACE_AGENT_GPU : TRACE_AGENT_CPU,
                     .fields = TRACE_AGENT_FIELD_COUNT,
                     .text_offset = sizeof(a)}};
    a.values[TRACE_AGENT_Node_Id] = a.values[TRACE_AGENT_Logical_Node_Id] = id - 1;
    a.values[TRACE_AGENT_Agent_Type] = a.agent.type;
    if (gpu) {
        a.values[TRACE_AGENT_Simd_Count] = 440;
        a.values[TRACE_AGENT_Cu_Count] = 110;
        a.values[TRACE_AGENT_Wave_Front_Size] = 64;
        a.values[TRACE_AGENT_Max_Waves_Per_Simd] = 8;
        a.values[TRACE_AGENT_Simd_Per_Cu] = 4;
        a.values[TRACE_AGENT_Lds_Size_In_Kb] = 64;
        a.values[TRACE_AGENT_Num_Xcc] = 1;
        a.values[TRACE_AGENT_Gfx_Target_Version] = 90010;
        a.values[TRACE_AGENT_Location_Id] = 0xc100u + 0x500u * (r->local % DEVICES_PER_NODE);
        a.values[TRACE_AGENT_Gpu_Id] =
            1 + draw(&(fleet_job_t){0}, OF_MACHINE, r->node, r->local) % 65535;
    } else {
        a.values[TRACE_AGENT_Cpu_Cores_Count] = 64;
    }
    trace_writer_put_texts(w, &a, sizeof(a), texts[gpu], TRACE_AGENT_TEXT_COUNT);
}

static void put_code(trace_writer_t *w)
{
    const char *uri = "file:///home/user/bin/dynamics#offset=1052672&size=87040";
    const trace_code_object_t c = {.head = trace_head(TRACE_CODE_OBJECT, 0, 0, 0, sizeof(c)),
                                   .id = 1,
                                   .agent = GPU,
                                   .load_base = 0x7f0000000000,
                                   .load_size = 0x16000,
                                   .load_delta = 0x7f0000000000};
    trace_writer_put_texts(w, &c, sizeof(c), &uri, 1);
    for (uint32_t k = 0; k < KERNEL_COUNT; k++) {
        char name[128];
        const char *text = name;
        const trace_kernel_t kernel = {.head = trace_head(TRACE_KERNEL, 0, 0, 0, sizeof(kernel)),
                                       .id = k + 1,
                                       .code_object = 1,
                                       .object = 0x7f0000010000 + 0x100u * k,
                                       .kernarg_bytes = 32,
                                       .kernarg_alignment = 8,
                                       .sgprs = 32,
                                       .vgprs = 24 + 8 * k};
        snprintf(name, sizeof(name), "%s.kd", kernels[k].name);
        trace_writer_put_texts(w, &kernel, sizeof(kernel), &text, 1);
    }
}

static void put_names(trace_writer_t *w, uint32_t pid)
{
    static const char *const texts[] = {[STEP_TEXT] = "step", [EXCHANGE_TEXT] = "exchange"};
    static const struct {
        uint32_t kind;
        const char *name;
        uint32_t operation;
        const char *operation_name;
    } kinds[] = {{CALLS, "HIP_RUNTIME_API", GET_DEVICE, "hipGetDevice"},
                 {RANGES, "MARKER_CORE_RANGE_API", RANGE, "roctxThreadRangeA"},
                 {COPIES, "MEMORY_COPY", TO_HOST, "MEMORY_COPY_DEVICE_TO_HOST"},
                 {KERNELS, "KERNEL_DISPATCH", LAUNCHED, "KERNEL_DISPATCH_COMPLETE"}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        put_name(w, TRACE_KIND, kinds[i].kind, 0, 0, kinds[i].name);
        put_name(w, TRACE_OPERATION, kinds[i].kind, kinds[i].operation, 0, kinds[i].operation_name);
    }
    for (uint32_t i = 1; i < CALL_COUNT; i++)
        put_name(w, TRACE_OPERATION, CALLS, i, 0, calls[i]);
    put_name(w, TRACE_KIND, TRACE_KIND_MPI_API, 0, 0, TRACE_MPI_KIND_NAME);
    for (uint32_t i = 0; i < MPI_FUNCTIONS; i++)
        put_name(w, TRACE_OPERATION, TRACE_KIND_MPI_API, trace_mpi_number(trace_mpi_find(mpi[i])),
                 0, mpi[i]);
    put_name(w, TRACE_THREAD, 0, 0, pid, "dynamics");
    for (uint64_t i = STEP_TEXT; i <= EXCHANGE_TEXT; i++) {
        const trace_text_t t = {.head = trace_head(TRACE_TEXT, 0, 0, 0, sizeof(t)), .id = i};
        trace_writer_put_texts(w, &t, sizeof(t), &texts[i], 1);
    }
}

/* ---- the store: records ---- */

typedef struct {
    trace_writer_t *w;
    node_clock_t clock;
    uint32_t pid;
    uint64_t correlation, dispatch, requests;
} making_t;

static uint64_t put_call(making_t *m, uint32_t operation, span_t s)
{
    const trace_api_t call = {trace_head(TRACE_API, CALLS, operation, m->pid, sizeof(call)),
                              told(&m->clock, s.start), told(&m->clock, s.end), ++m->correlation};
    trace_writer_put(m->w, &call);
    return call.correlation;
}

static void put_range(making_t *m, uint64_t text, span_t s)
{
    const trace_marker_t range = {
        .head = trace_head(TRACE_MARKER, RANGES, RANGE, m->pid, sizeof(range)),
        .start = told(&m->clock, s.start),
        .end = told(&m->clock, s.end),
        .correlation = ++m->correlation,
        .text = text};
    trace_writer_put(m->w, &range);
}

static void put_kernel(making_t *m, uint32_t kernel, span_t s, uint64_t correlation)
{
    const trace_dispatch_t d = {
        .head = trace_head(TRACE_DISPATCH, KERNELS, LAUNCHED, m->pid, sizeof(d)),
        .start = told(&m->clock, s.start),
        .end = told(&m->clock, s.end),
        .correlation = correlation,
        .agent = GPU,
        .queue = 1,
        .kernel = kernel + 1,
        .dispatch = ++m->dispatch,
        .stream = 1,
        .workgroup = {256, 1, 1},
        .grid = {1u << 20, 1, 1}};
    trace_writer_put(m->w, &d);
}

static void put_copy(making_t *m, span_t s, uint64_t correlation)
{
    const trace_copy_t c = {.head = trace_head(TRACE_COPY, COPIES, TO_HOST, m->pid, sizeof(c)),
                            .start = told(&m->clock, s.start),
                            .end = told(&m->clock, s.end),
                            .correlation = correlation,
                            .source = GPU,
                            .destination = CPU,
                            .bytes = COPIED_BYTES,
                            .stream = 1};
    trace_writer_put(m->w, &c);
}

/* A call of MPI with what its arguments say, and the requests that it has seen complete. */
static void put_mpi(making_t *m, uint32_t function, span_t s, trace_mpi_t r,
                    const trace_mpi_done_t *done, uint32_t count)
{
    struct {
        trace_mpi_t call;
        trace_mpi_done_t done[4];
    } whole = {.call = r};
    const size_t bytes = sizeof(r) + count * sizeof(*done);
    if (count) memcpy(whole.done, done, count * sizeof(*done));
    whole.call.count = count;
    whole.call.call = (trace_api_full_t){
        .head = trace_head(TRACE_MPI, TRACE_KIND_MPI_API,
                           trace_mpi_number(trace_mpi_find(mpi[function])), m->pid, bytes),
        .start = told(&m->clock, s.start),
        .end = told(&m->clock, s.end),
        .correlation = ++m->correlation};
    trace_writer_put(m->w, &whole);
}

static trace_mpi_t of_world(const fleet_job_t *job, uint32_t rank)
{
    trace_mpi_t r = {TRACE_MPI_NO_NUMBERS};
    r.communicator = TRACE_MPI_WORLD;
    r.rank = (int32_t)rank;
    r.size = (int32_t)job->ranks;
    return r;
}

/* A message from and to each neighbour in a ring, by tag 0 to the one before, and a sum over all
 * ranks. */
static void put_exchange(making_t *m, const fleet_job_t *job, uint32_t rank, uint32_t step,
                         uint64_t arrival)
{
    const uint32_t peers[2] = {(rank + job->ranks - 1) % job->ranks, (rank + 1) % job->ranks};
    trace_mpi_done_t done[4];
    uint64_t at = arrival + MPI_NS, last = arrival;
    for (uint32_t i = 0; i < 4; i++, at += MPI_NS) {
        const bool sends = i >= 2;
        const uint32_t side = i % 2;
        const int32_t peer = (int32_t)peers[side], tag = (int32_t)(sends ? side : 1 - side);
        trace_mpi_t r = of_world(job, rank);
        r.request = ++m->requests;
        if (sends) {
            r.destination = peer;
            r.send_tag = tag;
            r.sent = HALO_BYTES;
        } else {
            r.source = peer;
            r.receive_tag = tag;
        }
        put_mpi(m, sends ? ISEND : IRECV, (span_t){at, at + MPI_NS / 2}, r, NULL, 0);
        done[i] = (trace_mpi_done_t){.request = r.request,
                                     .communicator = TRACE_MPI_WORLD,
                                     .bytes = HALO_BYTES,
                                     .peer = peer,
                                     .tag = tag,
                                     .kind = sends ? TRACE_MPI_SENDS : TRACE_MPI_RECEIVES};
    }
    for (uint32_t side = 0; side < 2; side++) {
        const uint64_t other =
            play(job, peers[side], step, step_begin(job, peers[side], step)).arrival;
        if (other > last) last = other;
    }
    trace_mpi_t wait = {TRACE_MPI_NO_NUMBERS}, all = of_world(job, rank);
    wait.received = (uint64_t)2 * HALO_BYTES;
    all.sent = all.received = REDUCED_BYTES;
    put_mpi(m, WAITALL, (span_t){at, last + 8 * (uint64_t)MPI_NS}, wait, done, 4);
    put_mpi(m, ALLREDUCE, (span_t){last + 9 * (uint64_t)MPI_NS, job->ends[step] + 11000}, all, NULL,
            0);
}

static void put_step(making_t *m, const fleet_job_t *job, uint32_t rank, uint32_t step)
{
    const uint64_t begin = step_begin(job, rank, step);
    const step_t s = play(job, rank, step, begin);
    uint64_t correlations[KERNEL_COUNT];
    for (uint32_t k = 0; k < KERNEL_COUNT; k++)
        correlations[k] = put_call(m, LAUNCH, s.launches[k]);
    const uint64_t copy = put_call(m, COPY_CALL, s.copy_call);
    put_call(m, SYNCHRONIZE, s.waiting);
    for (uint32_t k = 0; k < KERNEL_COUNT; k++)
        put_kernel(m, k, s.kernels[k], correlations[k]);
    put_copy(m, s.copy, copy);
    if (job->mpi) put_exchange(m, job, rank, step, s.arrival);
    put_range(m, EXCHANGE_TEXT, (span_t){s.arrival + 300, job->ends[step] + 12000});
    put_range(m, STEP_TEXT, (span_t){begin, job->ends[step] + 13000});
}

/* Steps, and before the first as many short calls as make up the number of records. */
static void put_records(making_t *m, const fleet_job_t *job, uint32_t rank)
{
    const uint32_t steps = steps_of(job), others = job->mpi ? MPI_RECORDS : 0;
    const uint64_t done = (uint64_t)steps * step_records(job) + others;
    const uint64_t end = steps ? job->ends[steps - 1] : begin_of(job, rank);
    for (uint64_t i = 0; i + done < job->records; i++)
        put_call(m, GET_DEVICE, (span_t){1000 + 1000 * i, 1400 + 1000 * i});
    if (job->mpi) put_mpi(m, INIT, (span_t){100000000, 200000000}, of_world(job, rank), NULL, 0);
    for (uint32_t step = 0; step < steps; step++)
        put_step(m, job, rank, step);
    if (job->mpi)
        put_mpi(m, FINALIZE, (span_t){end + 20000, end + 4000000}, of_world(job, rank), NULL, 0);
}

/* ---- the store ---- */

/* The writer has put this process and the present moment into the header. */
static int set_header(const char *store, const char *name, const fleet_rank_t *r,
                      const node_clock_t *c, uint64_t end, char *why, size_t why_bytes)
{
    char path[4096];
    trace_segment_header_t h;
    trace_join(path, sizeof(path), store, name);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    bool good = fd >= 0 && pread(fd, &h, sizeof(h), 0) == sizeof(h);
    if (good) {
        h.pid = r->pid;
        h.boottime_ns = h.monotonic_ns = told(c, 0);
        h.realtime_ns = (uint64_t)(JOB_BEGINS + c->day);
        h.process_start = h.boottime_ns / 10000000;
        h.closed_ns = told(c, end);
        good = pwrite(fd, &h, sizeof(h), 0) == sizeof(h);
    }
    if (fd >= 0) close(fd);
    if (!good) snprintf(why, why_bytes, "%s: its header cannot be changed", path);
    return good ? 0 : -1;
}

/* Closes a writer. 0, or -1 with a line in `why` if it has lost something. */
static int close_writer(trace_writer_t *w, char *why, size_t why_bytes)
{
    const char *failure = trace_writer_failure(w);
    const int result = failure ? -1 : 0;
    if (failure) snprintf(why, why_bytes, "%s", failure);
    trace_writer_close(w);
    return result;
}

static int write_meta(const fleet_job_t *job, const fleet_rank_t *r, const node_clock_t *clock,
                      uint64_t end, const char *store, const char *directory, const char *name,
                      char *why, size_t why_bytes)
{
    trace_writer_t *w =
        trace_writer_open(store, TRACE_META_FILE, TRACE_CONTENTS_META, 0, why, why_bytes);
    if (!w) return -1;
    put_facts(w, job, r, directory, name);
    if (job->boots_s > 0) put_clock(w, job, r, clock, end);
    put_agent(w, r, CPU);
    put_agent(w, r, GPU);
    put_code(w);
    put_names(w, r->pid);
    return close_writer(w, why, why_bytes);
}

static int write_records(const fleet_job_t *job, const fleet_rank_t *r, const char *store,
                         const char *name, const node_clock_t *clock, char *why, size_t why_bytes)
{
    making_t m = {.w = trace_writer_open(store, name, TRACE_CONTENTS_RECORDS, 0, why, why_bytes),
                  .clock = *clock,
                  .pid = r->pid};
    if (!m.w) return -1;
    put_records(&m, job, r->rank);
    trace_writer_count(m.w, job->records, 0, 0);
    return close_writer(m.w, why, why_bytes);
}

int fleet_store(const fleet_job_t *job, const fleet_rank_t *r, const char *store,
                const char *directory, const char *name, char *why, size_t why_bytes)
{
    const node_clock_t clock = clock_of(job, r->node);
    const uint32_t steps = steps_of(job);
    const uint64_t end = (steps ? job->ends[steps - 1] : begin_of(job, r->rank)) + 5000000;
    char records[32];
    snprintf(records, sizeof(records), TRACE_RECORDS_FORMAT, 0u);
    if (write_meta(job, r, &clock, end, store, directory, name, why, why_bytes) != 0 ||
        write_records(job, r, store, records, &clock, why, why_bytes) != 0)
        return -1;
    return set_header(store, TRACE_META_FILE, r, &clock, end, why, why_bytes) == 0
               ? set_header(store, records, r, &clock, end, why, why_bytes)
               : -1;
}
