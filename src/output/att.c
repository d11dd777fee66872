/* att.c - writes the output of --att for a process: raw traces, code objects, and the decoder's
 * results. Each agent and dispatch gets a folder for the viewer and a file of statistics. */
#include "output/att.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/grow.h"
#include "base/log.h"
#include "trace/att.h"
#include "trace/store.h"

/* A raw trace of the store. */
typedef struct {
    uint64_t agent, id;
    int64_t engine;
    char *name;
} raw_t;

typedef struct {
    raw_t *items;
    size_t count;
} raws_t;

static int by_place(const void *a, const void *b)
{
    const raw_t *x = a, *y = b;
    if (x->agent != y->agent) return x->agent < y->agent ? -1 : 1;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->engine < y->engine ? -1 : x->engine > y->engine;
}

static void free_raws(raws_t *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->items[i].name);
    free(r->items);
}

/* Lists the raw traces of a store. Returns false if there is no memory, or the store cannot be
 * read. */
static bool list_raws(const char *store, raws_t *raws)
{
    char **names = trace_list(store);
    *raws = (raws_t){0};
    for (char **name = names; name && *name; name++) {
        raw_t raw;
        if (sscanf(*name, TRACE_ATT_DATA_SCAN, &raw.agent, &raw.engine, &raw.id) != 3) continue;
        raw.name = BASE_GROW_BY_ONE(raws->items, raws->count) ? strdup(*name) : NULL;
        if (!raw.name) {
            trace_list_free(names);
            return false;
        }
        raws->items[raws->count++] = raw;
    }
    trace_list_free(names);
    if (raws->count) qsort(raws->items, raws->count, sizeof(*raws->items), by_place);
    return names;
}

static void raw_path(const char *prefix, const raw_t *raw, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s_%" PRIu64 "_shader_engine_%" PRId64 "_%" PRIu64 ".att", prefix,
             raw->agent, raw->engine, raw->id);
}

/* Returns the name of the GPU on which a code object was loaded. */
static const char *gpu_of(const out_model_t *model, const trace_code_object_t *object)
{
    const out_agent_t *agent = out_model_find_agent(model, object->agent);
    const char *name = agent ? (const char *)agent->record + agent->record->text_offset : "";
    return *name ? name : "gpu";
}

static void code_path(const out_model_t *model, const char *prefix,
                      const trace_code_object_t *object, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s_%s_code_object_id_%" PRIu64 ".out", prefix, gpu_of(model, object),
             object->id);
}

/* The path of the code object's file in the store. */
static bool code_in_store(const char *store, const trace_code_object_t *object, char path[PATH_MAX])
{
    char name[64];
    snprintf(name, sizeof(name), TRACE_ATT_CODE_FORMAT, object->id);
    return trace_join(path, PATH_MAX, store, name) == 0 && access(path, F_OK) == 0;
}

void out_att_names(const out_model_t *model, const char *store, const char *prefix, bool code,
                   void (*put)(const char *path, void *user), void *user)
{
    char path[PATH_MAX];
    raws_t raws;
    for (size_t i = 0; code && i < model->code_object_count; i++) {
        if (!code_in_store(store, model->code_objects[i], path)) continue;
        code_path(model, prefix, model->code_objects[i], path);
        put(path, user);
    }
    if (code || !list_raws(store, &raws)) return;
    for (size_t i = 0; i < raws.count; i++) {
        raw_path(prefix, &raws.items[i], path);
        put(path, user);
    }
    free_raws(&raws);
}

/* ---- files that are copied ---- */

static bool stopped(const out_att_job_t *job)
{
    if (!job->stop || !*job->stop) return false;
    snprintf(job->why, job->why_bytes, "conversion was interrupted");
    return true;
}

static int cannot_read(const out_att_job_t *job, const char *path)
{
    snprintf(job->why, job->why_bytes, "%s: %s", path, strerror(errno));
    return -1;
}

static int write_file(out_att_job_t *job, const char *path, const char *data, size_t size)
{
    out_file_t *f = out_file_open(path, job->why, job->why_bytes);
    if (!f) return -1;
    out_bytes(f, data, size);
    if (out_file_close(f, job->why, job->why_bytes) != 0) return -1;
    ++*job->files;
    return 0;
}

static int write_code(out_att_job_t *job, out_att_code_t *code)
{
    int result = 0;
    for (size_t i = 0; i < job->model->code_object_count && result == 0; i++) {
        const trace_code_object_t *object = job->model->code_objects[i];
        char path[PATH_MAX];
        size_t size;
        if (!code_in_store(job->store, object, path)) continue;
        char *data = base_file_read(path, SIZE_MAX, &size);
        if (!data) return cannot_read(job, path);
        code_path(job->model, job->prefix, object, path);
        result = write_file(job, path, data, size);
        out_att_code_add(code, object->id, data, size);
        free(data);
    }
    return result;
}

/* ---- decoding ---- */

typedef struct {
    out_att_job_t *job;
    const out_decoder_t *decoder; /* NULL: there is no decoder library */
    out_att_code_t *code;
} decoding_t;

/* All callbacks of a version 1 decoder get one pointer, to this struct. */
typedef struct {
    out_att_code_t *code;
    out_att_view_t *view;
    uint8_t *data;
    uint64_t size;
} first_t;

static uint64_t first_data(uint8_t **data, uint64_t *size, void *user)
{
    first_t *f = user;
    *data = f->data;
    *size = f->size;
    f->size = 0;
    return *size;
}

static rocprofiler_thread_trace_decoder_status_t
first_take(rocprofiler_thread_trace_decoder_record_type_t type, void *records, uint64_t count,
           void *user)
{
    return out_att_view_take(type, records, count, ((first_t *)user)->view);
}

static rocprofiler_thread_trace_decoder_status_t
first_isa(char *text, uint64_t *bytes, uint64_t *size, out_att_pc_t pc, void *user)
{
    return out_att_isa(text, bytes, size, pc, ((first_t *)user)->code);
}

static rocprofiler_thread_trace_decoder_status_t parse(const decoding_t *d, out_att_view_t *view,
                                                       char *data, size_t size)
{
    rocprof_trace_decoder_handle_t handle;
    first_t first = {d->code, view, (uint8_t *)data, size};
    if (!d->decoder->create || d->decoder->create(&handle))
        return d->decoder->parse_data(first_data, first_take, first_isa, &first);
    rocprofiler_thread_trace_decoder_status_t status =
        d->decoder->set_isa(handle, out_att_isa, d->code);
    if (!status) status = d->decoder->parse(handle, data, size, out_att_view_take, view);
    d->decoder->destroy(handle);
    return status;
}

static void tell_infos(const decoding_t *d, const char *folder, unsigned infos)
{
    for (uint32_t i = 1; i < 32; i++)
        if (infos >> i & 1)
            base_warning("%s: %s", folder,
                         d->decoder->info_string((rocprofiler_thread_trace_decoder_info_t)i));
}

/* Maps a raw trace into memory. Decoders need it as a whole, and it may be as long as its buffer
 * was; the kernel can drop pages of a mapped file when memory is short. The store of a process that
 * has ended does not change. A version 1 decoder may write to the trace, so it gets a private
 * mapping. Returns NULL with errno on failure; an empty file is not mapped. */
static char *map_raw(const decoding_t *d, const char *path, size_t *size)
{
    static char nothing[1];
    struct stat st = {0};
    const int protection = d->decoder->create ? PROT_READ : PROT_READ | PROT_WRITE;
    const int fd = base_file_open(path, O_RDONLY, 0);
    void *data = fd >= 0 && fstat(fd, &st) == 0 ? nothing : MAP_FAILED;
    if (data == nothing && st.st_size)
        data = mmap(NULL, (size_t)st.st_size, protection, MAP_PRIVATE, fd, 0);
    const int failure = errno;
    if (fd >= 0) close(fd);
    errno = failure;
    *size = (size_t)st.st_size;
    return data == MAP_FAILED ? NULL : data;
}

/* Decodes a trace into the view. */
static int decode_raw(const decoding_t *d, const raw_t *raw, const char *path, out_att_view_t *view)
{
    size_t size;
    char name[PATH_MAX], *data = map_raw(d, path, &size);
    if (!data) return cannot_read(d->job, path);
    out_att_view_engine(view, raw->engine);
    const rocprofiler_thread_trace_decoder_status_t status = parse(d, view, data, size);
    raw_path(d->job->prefix, raw, name);
    if (stopped(d->job)) {
        if (size) munmap(data, size);
        return -1;
    }
    if (status) base_error("%s: %s", name, d->decoder->status_string(status));
    if (size) munmap(data, size);
    return 0;
}

static int copy_raw(out_att_job_t *job, const raw_t *raw, const char *from)
{
    char path[PATH_MAX];
    raw_path(job->prefix, raw, path);
    out_file_t *f = out_file_open(path, job->why, job->why_bytes);
    if (!f) return -1;
    if (out_copy(f, from, job->why, job->why_bytes) != 0) {
        out_file_abandon(f);
        return -1;
    }
    if (out_file_close(f, job->why, job->why_bytes) != 0) return -1;
    ++*job->files;
    return 0;
}

static int take_raw(const decoding_t *d, const raw_t *raw, out_att_view_t *view)
{
    char path[PATH_MAX];
    if (stopped(d->job) || trace_join(path, sizeof(path), d->job->store, raw->name) != 0) return -1;
    if (copy_raw(d->job, raw, path) != 0) return -1;
    return view ? decode_raw(d, raw, path, view) : 0;
}

/* Chooses names for the files of a dispatch, since another process of the run may have used the
 * usual ones. */
static void choose_folder(const out_att_job_t *job, const raw_t *raw, char name[128],
                          char path[PATH_MAX])
{
    int n =
        snprintf(name, 128, "ui_output_agent_%" PRIu64 "_dispatch_%" PRIu64, raw->agent, raw->id);
    snprintf(path, PATH_MAX, "%s/%s", job->directory, name);
    if (job->claim(job->claimer, path)) return;
    snprintf(name + n, 128 - (size_t)n, "_%u", job->model->header.pid);
    snprintf(path, PATH_MAX, "%s/%s", job->directory, name);
}

/* Removes the folder, since the viewer cannot use it if a file is missing. */
static int give_up(out_att_view_t *view, const char *folder)
{
    out_att_view_drop(view);
    trace_remove(folder);
    return -1;
}

/* Decodes the raw traces of one agent and dispatch. */
static int take_batch(const decoding_t *d, const raw_t *raws, size_t count)
{
    out_att_job_t *job = d->job;
    char name[128], folder[PATH_MAX], stats[PATH_MAX];
    int result = 0;
    choose_folder(job, raws, name, folder);
    snprintf(stats, sizeof(stats), "%s/stats_%s.csv", job->directory, name);
    out_att_view_t *view = d->decoder ? out_att_view_begin(d->code, folder, job->stop) : NULL;
    if (d->decoder && !view) {
        snprintf(job->why, job->why_bytes, "%s", strerror(ENOMEM));
        return -1;
    }
    for (size_t i = 0; i < count && result == 0; i++)
        result = take_raw(d, &raws[i], view);
    if (!view) return result;
    if (result != 0) return give_up(view, folder);
    tell_infos(d, folder, out_att_view_infos(view));
    const char *counters =
        trace_setting_given_in(&job->config->variables, TRACE_SET_ATT_PERFCOUNTERS);
    if (out_att_code_json(d->code, folder, job->why, job->why_bytes) != 0 ||
        out_att_sources(d->code, folder, job->why, job->why_bytes) != 0 ||
        out_att_stats(d->code, stats, job->why, job->why_bytes) != 0)
        return give_up(view, folder);
    result = out_att_view_end(view, counters, job->why, job->why_bytes);
    if (d->code->no_memory) {
        snprintf(job->why, job->why_bytes, "%s", strerror(ENOMEM));
        result = -1;
    }
    if (result != 0) trace_remove(folder);
    if (result == 0) *job->files += 2; /* the folder and the statistics */
    out_att_code_clear(d->code);
    return result;
}

int out_att_write(out_att_job_t *job)
{
    raws_t raws;
    out_att_code_t code = {0};
    out_decoder_t decoder = {0};
    char path[PATH_MAX], why[PATH_MAX];
    if (!list_raws(job->store, &raws)) {
        snprintf(job->why, job->why_bytes, "%s: %s", job->store, strerror(errno));
        return -1;
    }
    if (!raws.count) return 0;
    const char *paths = trace_setting_given_in(&job->config->variables, TRACE_SET_ATT_LIBRARY_PATH);
    bool decodes = out_decoder_find(paths, path, why, sizeof(why)) &&
                   out_decoder_open(&decoder, path, why, sizeof(why));
    if (!decodes) base_error("thread traces are not decoded: %s", why);
    const decoding_t d = {job, decodes ? &decoder : NULL, &code};
    int result = write_code(job, &code);
    for (size_t i = 0, n; i < raws.count && result == 0; i += n) {
        for (n = 1; i + n < raws.count && raws.items[i + n].agent == raws.items[i].agent &&
                    raws.items[i + n].id == raws.items[i].id;)
            n++;
        result = take_batch(&d, &raws.items[i], n);
    }
    if (code.unknown)
        base_error("thread traces have no instructions' places: neither libamd_comgr nor libLLVM "
                   "is here that disassembles %s",
                   code.unknown);
    out_att_code_free(&code);
    out_decoder_close(&decoder);
    free_raws(&raws);
    return result;
}
