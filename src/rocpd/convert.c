/* convert.c - rocpd convert: files of other formats.
 *
 * CSV files are made by statements about the views, with the columns of AMD's files. The other
 * formats are written by the writers of rocprofv3, from records that store.c makes from the rows:
 * traces and archives of several processes are one file, JSON is one file for each process. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/pool.h"
#include "output/convert.h"
#include "output/instructions.h"
#include "output/otf2.h"
#include "rocpd/clocks.h"
#include "rocpd/commands.h"
#include "rocpd/counted.h"
#include "rocpd/store.h"
#include "trace/settings.h"
#include "trace/store.h"

/* ---- CSV ---- */

#define TIMES "{start} AS Start_Timestamp, {end} AS End_Timestamp"
#define ORDER " ORDER BY guid, start, \"end\" DESC"

/* X(key in an agent's JSON object, column) */
#define AGENT_COLUMNS(X)                                                                           \
    X("cpu_cores_count", Cpu_Cores_Count)                                                          \
    X("simd_count", Simd_Count)                                                                    \
    X("cpu_core_id_base", Cpu_Core_Id_Base)                                                        \
    X("simd_id_base", Simd_Id_Base)                                                                \
    X("max_waves_per_simd", Max_Waves_Per_Simd)                                                    \
    X("lds_size_in_kb", Lds_Size_In_Kb)                                                            \
    X("gds_size_in_kb", Gds_Size_In_Kb)                                                            \
    X("num_gws", Num_Gws)                                                                          \
    X("wave_front_size", Wave_Front_Size)                                                          \
    X("num_xcc", Num_Xcc)                                                                          \
    X("cu_count", Cu_Count)                                                                        \
    X("array_count", Array_Count)                                                                  \
    X("num_shader_banks", Num_Shader_Banks)                                                        \
    X("simd_arrays_per_engine", Simd_Arrays_Per_Engine)                                            \
    X("cu_per_simd_array", Cu_Per_Simd_Array)                                                      \
    X("simd_per_cu", Simd_Per_Cu)                                                                  \
    X("max_slots_scratch_cu", Max_Slots_Scratch_Cu)                                                \
    X("gfx_target_version", Gfx_Target_Version)                                                    \
    X("vendor_id", Vendor_Id)                                                                      \
    X("device_id", Device_Id)                                                                      \
    X("location_id", Location_Id)                                                                  \
    X("domain", Domain)                                                                            \
    X("drm_render_minor", Drm_Render_Minor)                                                        \
    X("num_sdma_engines", Num_Sdma_Engines)                                                        \
    X("num_sdma_xgmi_engines", Num_Sdma_Xgmi_Engines)                                              \
    X("num_sdma_queues_per_engine", Num_Sdma_Queues_Per_Engine)                                    \
    X("num_cp_queues", Num_Cp_Queues)                                                              \
    X("max_engine_clk_ccompute", Max_Engine_Clk_Ccompute)                                          \
    X("max_engine_clk_fcompute", Max_Engine_Clk_Fcompute)                                          \
    X("sdma_fw_version.uCodeSDMA", Sdma_Fw_Version)                                                \
    X("fw_version.uCode", Fw_Version)                                                              \
    X("capability.HotPluggable", Cap_HotPluggable)                                                 \
    X("capability.HSAMMUPresent", Cap_HSAMMUPresent)                                               \
    X("capability.SharedWithGraphics", Cap_SharedWithGraphics)                                     \
    X("capability.QueueSizePowerOfTwo", Cap_QueueSizePowerOfTwo)                                   \
    X("capability.QueueSize32bit", Cap_QueueSize32bit)                                             \
    X("capability.QueueIdleEvent", Cap_QueueIdleEvent)                                             \
    X("capability.VALimit", Cap_VALimit)                                                           \
    X("capability.WatchPointsSupported", Cap_WatchPointsSupported)                                 \
    X("capability.WatchPointsTotalBits", Cap_WatchPointsTotalBits)                                 \
    X("capability.DoorbellType", Cap_DoorbellType)                                                 \
    X("capability.AQLQueueDoubleMap", Cap_AQLQueueDoubleMap)                                       \
    X("capability.DebugTrapSupported", Cap_DebugTrapSupported)                                     \
    X("capability.WaveLaunchTrapOverrideSupported", Cap_WaveLaunchTrapOverrideSupported)           \
    X("capability.WaveLaunchModeSupported", Cap_WaveLaunchModeSupported)                           \
    X("capability.PreciseMemoryOperationsSupported", Cap_PreciseMemoryOperationsSupported)         \
    X("capability.DEPRECATED_SRAM_EDCSupport", Cap_DEPRECATED_SRAM_EDCSupport)                     \
    X("capability.Mem_EDCSupport", Cap_Mem_EDCSupport)                                             \
    X("capability.RASEventNotify", Cap_RASEventNotify)                                             \
    X("capability.ASICRevision", Cap_ASICRevision)                                                 \
    X("capability.SRAM_EDCSupport", Cap_SRAM_EDCSupport)                                           \
    X("capability.SVMAPISupported", Cap_SVMAPISupported)                                           \
    X("capability.CoherentHostAccess", Cap_CoherentHostAccess)                                     \
    X("capability.DebugSupportedFirmware", Cap_DebugSupportedFirmware)                             \
    X("capability.PreciseALUOperationsSupported", Cap_PreciseALUOperationsSupported)               \
    X("capability.PerQueueResetSupported", Cap_PerQueueResetSupported)                             \
    X("cu_per_engine", Cu_Per_Engine)                                                              \
    X("max_waves_per_cu", Max_Waves_Per_Cu)                                                        \
    X("workgroup_max_size", Workgroup_Max_Size)                                                    \
    X("family_id", Family_Id)                                                                      \
    X("grid_max_size", Grid_Max_Size)                                                              \
    X("local_mem_size", Local_Mem_Size)                                                            \
    X("hive_id", Hive_Id)                                                                          \
    X("gpu_id", Gpu_Id)                                                                            \
    X("workgroup_max_dim.x", Workgroup_Max_Dim_X)                                                  \
    X("workgroup_max_dim.y", Workgroup_Max_Dim_Y)                                                  \
    X("workgroup_max_dim.z", Workgroup_Max_Dim_Z)                                                  \
    X("grid_max_dim.x", Grid_Max_Dim_X)                                                            \
    X("grid_max_dim.y", Grid_Max_Dim_Y)                                                            \
    X("grid_max_dim.z", Grid_Max_Dim_Z)

/* The CSV files. fill_in() replaces words in braces: {agent} and similar ones by the label of an
 * agent, {graph} and {kernel} by columns. Files about tables that older schemas do not have are
 * left out without a message. */
static const struct {
    const char *file, *view, *sql;
} tables[] = {
    {"agent_info", "rocpd_info_agent",
     "SELECT guid AS Guid, absolute_index AS Node_Id, logical_index AS Logical_Node_Id, "
     "type AS Agent_Type, "
#define X(place, column) "JSON_EXTRACT(extdata, '$." place "') AS " #column ", "
     AGENT_COLUMNS(X)
#undef X
         "name AS Name, vendor_name AS Vendor_Name, product_name AS Product_Name, model_name AS "
         "Model_Name FROM rocpd_info_agent ORDER BY guid, id"},
    {"kernel_trace", "kernels",
     "SELECT guid AS Guid, 'KERNEL_DISPATCH' AS Kind, {agent} AS Agent_Id, queue_id AS Queue_Id, "
     "stream_id AS Stream_Id, {graph}tid AS Thread_Id, dispatch_id AS Dispatch_Id, kernel_id AS "
     "Kernel_Id, {kernel} AS Kernel_Name, stack_id AS Correlation_Id, " TIMES
     ", duration AS Duration, lds_size AS Lds_Block_Size, scratch_size AS Scratch_Size, "
     "vgpr_count AS Vgpr_Count, accum_vgpr_count AS Accum_Vgpr_Count, sgpr_count AS Sgpr_Count, "
     "workgroup_x AS Workgroup_Size_X, workgroup_y AS Workgroup_Size_Y, "
     "workgroup_z AS Workgroup_Size_Z, grid_x AS Grid_Size_X, grid_y AS Grid_Size_Y, "
     "grid_z AS Grid_Size_Z FROM kernels" ORDER},
    {"memory_copy_trace", "memory_copies",
     "SELECT guid AS Guid, 'MEMORY_COPY' AS Kind, name AS Direction, stream_id AS Stream_Id, "
     "{graph}{src_agent} AS Source_Agent_Id, {dst_agent} AS Destination_Agent_Id, stack_id AS "
     "Correlation_Id, " TIMES " FROM memory_copies" ORDER},
    {"graph_launch_trace", "graph_launches",
     "SELECT guid AS Guid, 'Graph Launch' AS Kind, {agent} AS Agent_Id, queue_id AS Queue_Id, tid "
     "AS Thread_Id, stack_id AS Correlation_Id, " TIMES
     ", duration AS Duration, graph_exec_id AS Graph_Exec_Id, kernel_dispatch_count AS "
     "Kernel_Dispatch_Count FROM graph_launches" ORDER},
    {"hip_event_trace", "hip_events",
     "SELECT guid AS Guid, 'HIP_EVENT' AS Kind, name AS Operation, {agent} AS Agent_Id, queue_id "
     "AS Queue_Id, stream_id AS Stream_Id, tid AS Thread_Id, printf('0x%016llx', "
     "hip_event_handle) AS Event_Handle, source_queue_id AS Source_Queue_Id, stack_id AS "
     "Correlation_Id, " TIMES ", duration AS Duration FROM hip_events" ORDER},
    {"memory_allocation_trace", "memory_allocations",
     "SELECT guid AS Guid, 'MEMORY_ALLOCATION' AS Kind, CASE level WHEN 'SCRATCH' THEN "
     "'SCRATCH_MEMORY_' WHEN 'VIRTUAL' THEN 'MEMORY_ALLOCATION_VMEM_' ELSE 'MEMORY_ALLOCATION_' "
     "END || CASE type WHEN 'ALLOC' THEN 'ALLOCATE' ELSE type END AS Operation, CASE type WHEN "
     "'ALLOC' THEN {agent} ELSE '' END AS Agent_Id, size AS Allocation_Size, printf('0x%016llx', "
     "address) AS Address, stack_id AS Correlation_Id, " TIMES " FROM memory_allocations" ORDER},
    {"counter_collection_trace", "counters_collection",
     "SELECT guid AS Guid, correlation_id AS Correlation_Id, dispatch_id AS Dispatch_Id, {agent} "
     "AS Agent_Id, queue_id AS Queue_Id, pid AS Process_Id, tid AS Thread_Id, grid_size AS "
     "Grid_Size, kernel_id AS Kernel_Id, kernel_name AS Kernel_Name, workgroup_size AS "
     "Workgroup_Size, lds_block_size AS Lds_Block_Size, scratch_size AS Scratch_Size, vgpr_count "
     "AS Vgpr_Count, accum_vgpr_count AS Accum_Vgpr_Count, sgpr_count AS Sgpr_Count, counter_name "
     "AS Counter_Name, value AS Counter_Value, " TIMES " FROM counters_collection" ORDER},
    {"spm_counter_collection_trace", "spm_counters",
     "SELECT guid AS Guid, correlation_id AS Correlation_Id, dispatch_id AS Dispatch_Id, {agent} "
     "AS Agent_Id, queue_id AS Queue_Id, pid AS Process_Id, tid AS Thread_Id, grid_size AS "
     "Grid_Size, kernel_id AS Kernel_Id, kernel_name AS Kernel_Name, workgroup_size AS "
     "Workgroup_Size, lds_block_size AS Lds_Block_Size, scratch_size AS Scratch_Size, vgpr_count "
     "AS Vgpr_Count, accum_vgpr_count AS Accum_Vgpr_Count, sgpr_count AS Sgpr_Count, "
     "printf('%s[XCC: %d, SE: %d, Instance: %d]', counter_name, xcc, shader_engine, instance) AS "
     "Counter_Name, value AS Counter_Value, timestamp AS Timestamp FROM spm_counters ORDER BY "
     "guid, timestamp"},
    {"scratch_memory_trace", "scratch_memory",
     "SELECT guid AS Guid, 'SCRATCH_MEMORY' AS Kind, 'SCRATCH_MEMORY_' || operation AS Operation, "
     "{agent} AS Agent_Id, queue_id AS Queue_Id, tid AS Thread_Id, alloc_flags AS "
     "Alloc_Flags, " TIMES " FROM scratch_memory" ORDER},
    {"regions_trace", "regions",
     "SELECT guid AS Guid, category AS Domain, name AS Function, pid AS Process_Id, tid AS "
     "Thread_Id, stack_id AS Correlation_Id, " TIMES " FROM regions" ORDER},
};

static void put_label(sqlite3_str *sql, const char *index, const char *end)
{
    if (strcasecmp(index, "type-relative") == 0)
        sqlite3_str_appendf(sql, "(%.*sagent_type || ' ' || %.*sagent_type_index)",
                            (int)(strlen(end) - 5), end, (int)(strlen(end) - 5), end);
    else
        sqlite3_str_appendf(sql, "('Agent ' || %.*sagent_%s_index)", (int)(strlen(end) - 5), end,
                            strcasecmp(index, "absolute") == 0 ? "abs" : "log");
}

/* Returns the statement with its words in braces replaced. */
static char *fill_in(const db_t *db, const rocpd_options_t *o, const rocpd_clocks_t *clocks,
                     int table)
{
    const char *index = rocpd_word(o, ROCPD_AGENT_INDEX, "relative"), *at = tables[table].sql;
    bool graph = db_has(db, tables[table].view, "graph_exec_id");
    sqlite3_str *sql = sqlite3_str_new(db->handle);
    for (const char *brace; (brace = strchr(at, '{')); at = strchr(brace, '}') + 1) {
        char word[32];
        sqlite3_str_append(sql, at, (int)(brace - at));
        snprintf(word, sizeof(word), "%.*s", (int)strcspn(brace + 1, "}"), brace + 1);
        if (strcmp(word, "graph") == 0) {
            if (graph)
                sqlite3_str_appendall(
                    sql, "graph_exec_id AS Graph_Exec_Id, graph_node_id AS Graph_Node_Id, ");
        } else if (strcmp(word, "start") == 0 || strcmp(word, "end") == 0) {
            sqlite3_str_appendf(sql, clocks->any ? "rocpd_time(guid, \"%w\")" : "\"%w\"", word);
        } else if (strcmp(word, "kernel") == 0) {
            sqlite3_str_appendall(sql, rocpd_given(o, ROCPD_KERNEL_RENAME)
                                           ? "COALESCE(NULLIF(region, ''), name)"
                                           : "name");
        } else {
            put_label(sql, index, word);
        }
    }
    sqlite3_str_appendall(sql, at);
    return sqlite3_str_finish(sql);
}

static const char *base_name(const rocpd_options_t *o)
{
    const char *env = getenv("ROCPD_OUTPUT_NAME");
    return rocpd_word(o, ROCPD_OUTPUT_FILE, env && *env ? env : "out");
}

/* ---- outputs: either all are written, or none ---- */

/* A file is first made in the temporary directory, and moved to its place when all files are
 * complete. */
typedef struct {
    char *from, *to;
    bool told; /* its name has been printed */
} output_t;

typedef struct {
    output_t *files;
    size_t count;
    const char *directory;
} outputs_t;

/* Adds an output. Returns the temporary path at which the file for `path` is to be made; NULL after
 * reporting the reason. */
static const char *add_output(outputs_t *l, const char *path, bool told)
{
    output_t f = {.told = told, .to = BASE_GROW_BY_ONE(l->files, l->count) ? strdup(path) : NULL};
    if (!f.to || asprintf(&f.from, "%s/output-%zu", l->directory, l->count) < 0) {
        base_error("%s", strerror(ENOMEM));
        free(f.to);
        return NULL;
    }
    l->files[l->count++] = f;
    return f.from;
}

/* Removes an output from the list, since it would be empty. */
static void drop_output(outputs_t *l, size_t which)
{
    free(l->files[which].from);
    free(l->files[which].to);
    l->files[which] = (output_t){0};
}

static int place_outputs(const outputs_t *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const output_t *f = &l->files[i];
        if (!f->from) continue;
        if (rename(f->from, f->to) != 0) {
            base_error("%s: %s", f->to, strerror(errno));
            return -1;
        }
        if (f->told) printf("%s\n", f->to);
    }
    return 0;
}

static void free_outputs(outputs_t *l)
{
    for (size_t i = 0; i < l->count; i++)
        drop_output(l, i);
    free(l->files);
}

enum { CSV_COUNT = sizeof(tables) / sizeof(*tables) };

/* The CSV files that are being written; each process or file adds its rows. */
typedef struct {
    const rocpd_options_t *o;
    const rocpd_clocks_t *clocks;
    outputs_t *to;
    struct {
        out_file_t *f; /* NULL: no database has had the table */
        size_t output; /* its index in `to` */
        long long rows;
    } files[CSV_COUNT];
} csv_t;

static int begin_csv(csv_t *csv, int table)
{
    char name[NAME_MAX], path[PATH_MAX], why[512];
    snprintf(name, sizeof(name), "%s_%s.csv", base_name(csv->o), tables[table].file);
    if (rocpd_output(csv->o, name, path, sizeof(path)) != 0) return -1;
    const char *at = add_output(csv->to, path, false);
    if (!at) return -1;
    csv->files[table].output = csv->to->count - 1;
    csv->files[table].f = out_file_open(at, why, sizeof(why));
    if (csv->files[table].f) return 0;
    base_error("%s", why);
    return -1;
}

static int add_csv(const db_t *db, void *data)
{
    csv_t *csv = data;
    int result = csv->clocks->any ? rocpd_clocks_function(csv->clocks, db) : 0;
    for (int i = 0; i < CSV_COUNT && result == 0; i++) {
        if (!db_has(db, tables[i].view, "guid")) continue; /* only newer schemas have the view */
        if (!csv->files[i].f) result = begin_csv(csv, i);
        char *sql = fill_in(db, csv->o, csv->clocks, i);
        if (!sql && result == 0) {
            base_error("%s", strerror(ENOMEM));
            result = -1;
        }
        if (result == 0) result = rocpd_append_csv(db, sql, csv->files[i].f, &csv->files[i].rows);
        sqlite3_free(sql);
    }
    return result;
}

/* Closes the files; those without rows are not kept. */
static int end_csv(csv_t *csv, int result)
{
    for (int i = 0; i < CSV_COUNT; i++) {
        out_file_t *f = csv->files[i].f;
        char why[512];
        if (!f) continue;
        if (result != 0 || !csv->files[i].rows) {
            out_file_abandon(f);
            drop_output(csv->to, csv->files[i].output);
        } else if (out_file_close(f, why, sizeof(why)) != 0) {
            base_error("%s", why);
            result = -1;
        }
    }
    return result;
}

/* Writes how the times of processes of several nodes were converted. */
static int write_clocks(const rocpd_clocks_t *clocks, const rocpd_options_t *o, outputs_t *to)
{
    char name[NAME_MAX], path[PATH_MAX], why[512];
    snprintf(name, sizeof(name), "%s_clocks.csv", base_name(o));
    if (rocpd_output(o, name, path, sizeof(path)) != 0) return -1;
    const char *at = add_output(to, path, false);
    out_file_t *f = at ? out_file_open(at, why, sizeof(why)) : NULL;
    if (!at) return -1;
    if (f) rocpd_clocks_csv(clocks, f);
    if (f && out_file_close(f, why, sizeof(why)) == 0) return 0;
    base_error("%s", why);
    return -1;
}

static int write_csv(rocpd_base_t *b, const rocpd_options_t *o, const rocpd_clocks_t *clocks,
                     outputs_t *to)
{
    csv_t csv = {.o = o, .clocks = clocks, .to = to};
    const int result = end_csv(&csv, rocpd_each(b, ROCPD_VIEWS_BY_GUID, add_csv, &csv));
    return result == 0 && clocks->any ? write_clocks(clocks, o, to) : result;
}

/* ---- the writers of rocprofv3 ---- */

typedef struct {
    const rocpd_options_t *o;
    rocpd_base_t *base;
    const out_config_t *config;
    const db_t *db;        /* narrowed to the process */
    rocpd_clocks_t clocks; /* maps of all processes */
    char clock[256];       /* describes the conversion of the current process's times */
    rocpd_process_t *processes, process;
    size_t number, count;          /* index of the current process; number of processes */
    unsigned workers;              /* number of workers that make processes' files */
    bool told_cut;                 /* it has been reported that texts were cut */
    bool json, pftrace, otf2, csv; /* `csv`: only files of instructions, since SQL makes the
                                    * others */
    out_file_t *trace;             /* trace of all processes */
#ifdef CROCPROF_OTF2
    out_otf2_t *archive;
#endif
    char directory[PATH_MAX]; /* the temporary directory */
    outputs_t outputs;        /* all outputs except for those of all processes together */
} work_t;

static bool wants(const rocpd_options_t *o, const char *format)
{
    for (size_t i = 0; i < o->values[ROCPD_FORMAT].count; i++) {
        const char *word = o->values[ROCPD_FORMAT].words[i];
        if (strcasecmp(word, "perfetto") == 0) word = "pftrace";
        if (strcasecmp(word, format) == 0) return true;
    }
    return false;
}

static bool is_of(trace_setting_id_t id, const char *name)
{
    return strcmp(trace_settings[id].variable, name) == 0;
}

/* Returns the values that the writers would otherwise read from ROCPROF_* variables. */
static const char *variable(const void *from, const char *name)
{
    const rocpd_options_t *o = from;
    if (is_of(TRACE_SET_AGENT_INDEX, name)) return rocpd_word(o, ROCPD_AGENT_INDEX, NULL);
    if (is_of(TRACE_SET_OUTPUT_FORMAT, name))
        return wants(o, "json") ? "json" : "pftrace"; /* for JSON, statistics are needed */
    if (is_of(TRACE_SET_GROUP_BY_QUEUE, name))
        return rocpd_given(o, ROCPD_GROUP_BY_QUEUE) ? "1" : NULL;
    return NULL;
}

/* Writes the path of an output: <output>_<name>, with a number if there are several processes. */
static int path_of(const work_t *w, const char *name, const char *end, char path[PATH_MAX])
{
    char file[NAME_MAX], number[16] = "";
    if (w->count > 1) snprintf(number, sizeof(number), "_%zu", w->number);
    snprintf(file, sizeof(file), "%s_%s%s.%s", base_name(w->o), name, number, end);
    return rocpd_output(w->o, file, path, PATH_MAX);
}

/* Writes the path of a part: a worker writes each output of a process to a file in the temporary
 * directory, which has this name and the process's number. The calling process then takes these
 * files, process by process. */
static int part_of(const work_t *w, const char *what, char path[PATH_MAX + 40])
{
    return snprintf(path, PATH_MAX + 40, "%s/%s-%zu", w->directory, what, w->number);
}

static int write_json(work_t *w, out_job_t *job)
{
    char part[PATH_MAX + 40];
    part_of(w, "json", part);
    return out_json_write(job, part);
}

static int write_instructions(work_t *w, out_job_t *job)
{
    char part[PATH_MAX + 40];
    part_of(w, "counts", part);
    out_file_t *f = out_file_open(part, job->why, job->why_bytes);
    if (f) out_instructions_csv(f, job->model, job->instructions);
    return f ? out_file_close(f, job->why, job->why_bytes) : -1;
}

static int write_trace(work_t *w, out_job_t *job)
{
    char part[PATH_MAX + 40];
    part_of(w, "trace", part);
    return out_pftrace_write(job, part);
}

/* Reads the process's counts of instructions for the job that is about to be written. */
static int add_counts(work_t *w, out_job_t *job, ins_set_t *set)
{
    bool any;
    if (rocpd_counted_read(w->db, w->process.guid, set, &any) != 0) return -1;
    job->instructions = any ? set : NULL;
    return 0;
}

static int write_with_counts(work_t *w, out_job_t *job)
{
    ins_set_t set;
    int result = add_counts(w, job, &set);
    if (result == 0 && w->json) result = write_json(w, job);
    if (result == 0 && w->csv && job->instructions) result = write_instructions(w, job);
    if (job->instructions) ins_free(&set);
    job->instructions = NULL;
    return result;
}

/* Process id and times are taken from the database, since the temporary store has those of this
 * program. */
static void set_process(work_t *w, out_job_t *job)
{
    trace_segment_header_t *h = &job->model->header;
    h->pid = w->process.pid;
    h->boottime_ns = trace_clock_map(&w->process.clock, w->process.begin);
    h->closed_ns = trace_clock_map(&w->process.clock, w->process.end);
    if (!w->clocks.any) return;
    trace_clock_say(&w->process.clock, w->clock, sizeof(w->clock));
    job->clock = w->clock;
}

/* Called in a worker, with the process's records. */
static int write_parts(void *taker, out_job_t *job)
{
    work_t *w = taker;
    set_process(w, job);
    if ((w->json || w->csv) && write_with_counts(w, job) != 0) return -1;
    return w->pftrace ? write_trace(w, job) : 0;
}

#ifdef CROCPROF_OTF2
/* The same in the process that has the archive. */
static int add_to_archive(void *taker, out_job_t *job)
{
    work_t *w = taker;
    set_process(w, job);
    return out_otf2_add(w->archive, job);
}
#endif

/* Passes the records of the process's store to `take`. */
static int convert_store(work_t *w, const char *store, int (*take)(void *taker, out_job_t *job))
{
    char why[1024] = "";
    out_result_t result;
    out_conversion_t c = {.config = w->config,
                          .take = take,
                          .taker = w,
                          .stop = &db_interrupted,
                          .threads = w->workers > 1 ? 1 : 0};
    const int status = out_convert(&c, store, &result, why, sizeof(why));
    if (status != 0 && *why) base_error("%s", why);
    if (status == 0 && result.cut_texts && !w->told_cut)
        base_warning("%llu texts are too long for a record: what is left of them ends with '%s'",
                     (unsigned long long)result.cut_texts, TRACE_CUT);
    return status;
}

/* Runs in a worker: makes the store of a process, and all of its outputs but its part of the
 * archive. Writes the number of rows that were left out to `to`. */
static int make_process(void *data, size_t number, FILE *to)
{
    work_t *w = data;
    char store[PATH_MAX + 40];
    const bool parts = w->json || w->csv || w->pftrace;
    w->number = number;
    w->process = w->processes[number];
    part_of(w, "store", store);
    if (mkdir(store, 0700) != 0) {
        base_error("%s: %s", store, strerror(errno));
        return -1;
    }
    w->db = rocpd_narrow(w->base, w->process.guid);
    int status = w->db ? rocpd_store_write(w->db, &w->process, store, base_name(w->o),
                                           rocpd_given(w->o, ROCPD_KERNEL_RENAME))
                       : -1;
    w->told_cut = false;
    if (status == 0 && parts) status = convert_store(w, store, write_parts);
    if (!w->otf2 || status != 0) trace_remove(store);
    fwrite(&w->process.left_out, sizeof(w->process.left_out), 1, to);
    return status;
}

/* Moves a part to its place among the outputs. A process without counts has no part for these. */
static int place_part(work_t *w, const char *what, const char *name, const char *end, bool told)
{
    char part[PATH_MAX + 40], path[PATH_MAX];
    struct stat st;
    part_of(w, what, part);
    if (stat(part, &st) != 0) return 0;
    if (path_of(w, name, end, path) != 0) return -1;
    const char *at = add_output(&w->outputs, path, told);
    if (!at || rename(part, at) == 0) return at ? 0 : -1;
    base_error("%s: %s", part, strerror(errno));
    return -1;
}

/* Appends a process's trace to that of all processes: Perfetto traces can be concatenated. */
static int append_trace(work_t *w)
{
    char part[PATH_MAX + 40], why[PATH_MAX + 128] = "";
    part_of(w, "trace", part);
    const int result = out_copy(w->trace, part, why, sizeof(why));
    if (result != 0) base_error("%s", why);
    unlink(part);
    return result;
}

/* Adds the process to the archive. */
static int append_records(work_t *w)
{
    int result = 0;
#ifdef CROCPROF_OTF2
    char store[PATH_MAX + 40];
    part_of(w, "store", store);
    w->told_cut = w->json || w->csv || w->pftrace;
    result = convert_store(w, store, add_to_archive);
    trace_remove(store);
#endif
    return result;
}

/* Takes the files that a worker has made for a process. */
static int take_process(void *data, size_t number, const char *bytes, size_t count)
{
    work_t *w = data;
    int result = 0;
    w->number = number;
    w->process = w->processes[number];
    if (count == sizeof(w->process.left_out)) memcpy(&w->process.left_out, bytes, count);
    if (w->json) result = place_part(w, "json", "results", "json", true);
    if (result == 0 && w->csv) result = place_part(w, "counts", "instruction_counts", "csv", false);
    if (result == 0 && w->pftrace) result = append_trace(w);
    if (result == 0 && w->otf2) result = append_records(w);
    if (w->process.left_out)
        base_warning("%llu rows are of kinds that only CSV shows; they are left out",
                     (unsigned long long)w->process.left_out);
    return result;
}

static const char *name_process(const void *data, size_t number)
{
    const work_t *w = data;
    return rocpd_file_of(w->base, w->processes[number].guid);
}

/* Reads the processes of the only file, before the views are narrowed to one of them. */
static int read_processes(const db_t *db, rocpd_process_t **list, size_t *count)
{
    bool room = true;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT guid, pid, COALESCE(init, 0), COALESCE(fini, 0) FROM rocpd_info_process ORDER "
            "BY guid",
            "");
    while (room && db_next(&c) && (room = BASE_GROW_BY_ONE(*list, *count))) {
        rocpd_process_t *p = &(*list)[(*count)++];
        *p = (rocpd_process_t){
            .pid = (uint32_t)db_int(&c, 1), .begin = db_uint(&c, 2), .end = db_uint(&c, 3)};
        snprintf(p->guid, sizeof(p->guid), "%s", db_text(&c, 0));
    }
    if (!room) base_error("reading processes: %s", strerror(ENOMEM));
    return db_end(&c, "reading processes") == 0 && room ? 0 : -1;
}

/* The same for several files. */
static int take_processes(rocpd_base_t *b, rocpd_process_t **list, size_t *count)
{
    if (rocpd_find_places(b) != 0) return -1;
    for (; *count < b->place_count; (*count)++) {
        const rocpd_place_t *place = &b->places[*count];
        if (!BASE_GROW_BY_ONE(*list, *count)) {
            base_error("reading processes: %s", strerror(ENOMEM));
            return -1;
        }
        (*list)[*count] =
            (rocpd_process_t){.pid = place->pid, .begin = place->begin, .end = place->end};
        snprintf((*list)[*count].guid, sizeof((*list)->guid), "%s", place->guid);
    }
    return 0;
}

/* Converts all processes: workers read the databases, and this process writes the files of all
 * processes together. */
static int convert_processes(work_t *w)
{
    const bool single = w->base->files->count == 1;
    int result = single ? read_processes(&w->base->db, &w->processes, &w->count)
                        : take_processes(w->base, &w->processes, &w->count);
    for (size_t i = 0; result == 0 && i < w->count; i++)
        w->processes[i].clock = *rocpd_clocks_of(&w->clocks, w->processes[i].guid);
    rocpd_let_go(w->base);
    w->workers = single ? 1 : rocpd_workers(w->o, w->count);
    const base_pool_t pool = {.count = w->count,
                              .workers = w->workers,
                              .ahead = 4u * w->workers,
                              .work = make_process,
                              .take = take_process,
                              .name = name_process,
                              .data = w,
                              .stop = &db_interrupted};
    if (result == 0) result = base_pool_run(&pool);
    free(w->processes);
    return result;
}

/* Begins the files of all processes together, before the first process; they are closed or removed
 * after the last. */
static int begin_files(work_t *w)
{
    char name[NAME_MAX], path[PATH_MAX], why[512] = "";
    int result = 0;
    if (w->pftrace) {
        snprintf(name, sizeof(name), "%s_results.pftrace", base_name(w->o));
        if (rocpd_output(w->o, name, path, sizeof(path)) != 0) return -1;
        w->trace = out_file_open(path, why, sizeof(why));
        result = w->trace ? 0 : -1;
    }
#ifdef CROCPROF_OTF2
    if (w->otf2 && result == 0) {
        snprintf(name, sizeof(name), "%s_results.otf2", base_name(w->o));
        if (rocpd_output(w->o, name, path, sizeof(path)) != 0) return -1;
        w->archive = out_otf2_begin(path, why, sizeof(why));
        result = w->archive ? 0 : -1;
    }
#endif
    if (result != 0) base_error("%s", why);
    return result;
}

static int end_files(work_t *w, int result)
{
    char why[512] = "";
    if (result != 0)
        out_file_abandon(w->trace);
    else if (w->trace && out_file_close(w->trace, why, sizeof(why)) != 0)
        result = -1;
#ifdef CROCPROF_OTF2
    if (w->archive && out_otf2_end(w->archive, result == 0, why, sizeof(why)) != 0) result = -1;
#endif
    if (*why) base_error("%s", why);
    return result;
}

static bool wants_counts(const rocpd_base_t *b, const rocpd_options_t *o)
{
    return wants(o, "csv") && db_holds(&b->db, DB_INSTRUCTIONS);
}

/* Makes the files that rocprofv3's writers write. */
static int write_others(work_t *w, rocpd_base_t *b)
{
    char why[512];
    out_config_t config;
    int result = out_config_read(&config, variable, w->o, why, sizeof(why));
    if (result != 0) base_error("%s", why);
    if (result == 0) result = begin_files(w);
    w->base = b;
    w->config = &config;
    if (result == 0) result = convert_processes(w);
    if (db_interrupted) result = -1;
    result = end_files(w, result);
    out_config_free(&config);
    return result;
}

static int convert(work_t *w, rocpd_base_t *b)
{
    int result = 0;
    w->outputs.directory = w->directory;
    result = rocpd_clocks_begin(&w->clocks, b);
    if (result == 0 && wants(w->o, "csv")) result = write_csv(b, w->o, &w->clocks, &w->outputs);
    if (result == 0 && (w->csv || w->json || w->pftrace || w->otf2)) result = write_others(w, b);
    if (result == 0 && db_interrupted) {
        base_error("interrupted: nothing is written");
        result = -1;
    }
    if (result == 0) result = place_outputs(&w->outputs);
    free_outputs(&w->outputs);
    rocpd_clocks_end(&w->clocks);
    return result;
}

int rocpd_convert(const rocpd_options_t *o, const rocpd_files_t *f)
{
    rocpd_base_t base;
    int result = rocpd_open(&base, f, o);
    if (result != 0) return result;
    work_t w = {.o = o,
                .csv = wants_counts(&base, o),
                .json = wants(o, "json"),
                .pftrace = wants(o, "pftrace"),
                .otf2 = wants(o, "otf2")};
    result = rocpd_output(o, ".rocprofv3-XXXXXX", w.directory, sizeof(w.directory));
    if (result == 0 && !mkdtemp(w.directory)) {
        base_error("%s: %s", w.directory, strerror(errno));
        result = -1;
    } else if (result == 0) {
        result = convert(&w, &base);
        trace_remove(w.directory);
    }
    rocpd_close(&base);
    return result;
}
