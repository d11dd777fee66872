/* tool.c - the library that `rocprof` loads into the program: it counts kernels and writes a line
 * for each.
 *
 * It uses the public interface alone, as any tool would. The request is AMD's XML in ROCP_INPUT
 * (<metric name=A,B range="2:5" gpu_index="0" kernel="scale add">); lines go to
 * ROCP_OUTPUT_DIR/PID_results.txt as kernels complete. src/cli/rocprof.c reads them. */
#include <rocprofiler/rocprofiler.h>

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/file.h"
#include "gpus/gpus.h"

enum { FEATURES_MAX = 512 };

typedef struct {
    char *words[FEATURES_MAX];
    unsigned count;
} list_t;

typedef struct {
    uint64_t index;
    rocprofiler_callback_data_t data; /* of its pointers only `record` is still valid */
    char *kernel;
    uint32_t grid, group, lds, scratch, vgprs, agprs, sgprs, wave;
    rocprofiler_feature_t features[];
} entry_t;

static list_t metrics, kernels, gpus;
static uint64_t range_begin, range_end = UINT64_MAX;
static FILE *file;
static uint64_t seen, open_count, limit;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Writes the message once, and makes the file PID_failed, which the command reads. */
static void complain_of(const char *what, const char *text)
{
    static atomic_bool told;
    const char *folder = base_env("ROCP_OUTPUT_DIR");
    char path[4096];
    if (atomic_exchange(&told, true)) return;
    fprintf(stderr, "rocprof: error: %s: %s\n", what, text);
    if (!folder) return;
    snprintf(path, sizeof path, "%s/%d_failed", folder, getpid());
    FILE *sign = base_file_stream(path, "we");
    if (sign) fclose(sign);
}

static void complain(const char *what)
{
    const char *text = "";
    rocprofiler_error_string(&text);
    complain_of(what, text);
}

/* ---- the request ---- */

static char *copy_of(const char *text, size_t length)
{
    char *copy = strndup(text, length);
    if (!copy) complain_of("the request", strerror(ENOMEM));
    return copy;
}

static void split(char *text, const char *separators, list_t *list)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, separators, &rest); word && list->count < FEATURES_MAX;
         word = strtok_r(NULL, separators, &rest)) {
        char *copy = copy_of(word, strlen(word));
        if (copy) list->words[list->count++] = copy;
    }
}

/* Returns the value of an attribute of the tag at `tag`, quoted or not; NULL if the tag does not
 * have it. */
static char *attribute(const char *tag, const char *name)
{
    const char *end = strchr(tag, '>');
    size_t length = strlen(name);
    for (const char *at = tag; (at = strstr(at, name)) && end && at < end; at += length) {
        if (!strchr(" \t\n", at[-1]) || at[length] != '=') continue;
        at += length + 1;
        if (*at == '"') return copy_of(at + 1, strcspn(at + 1, "\""));
        return copy_of(at, strcspn(at, " \t\n>"));
    }
    return NULL;
}

static void take(const char *tag, const char *name, list_t *list)
{
    char *value = attribute(tag, name);
    if (value) split(value, " ,\t\n", list);
    free(value);
}

static bool read_request(const char *path)
{
    enum { BYTES_MAX = 64 << 20 };
    size_t size;
    char *text = base_file_read(path, BYTES_MAX, &size);
    if (!text || !size) {
        fprintf(stderr, "rocprof: error: ROCP_INPUT=%s cannot be read\n", path);
        free(text);
        return false;
    }
    for (const char *tag = text; (tag = strstr(tag, "<metric"));) {
        tag += strlen("<metric");
        take(tag, "name", &metrics);
        take(tag, "kernel", &kernels);
        take(tag, "gpu_index", &gpus);
        char *range = attribute(tag, "range"), *end = NULL;
        if (range && *range) {
            range_begin = strtoull(range, &end, 10);
            range_end =
                *end == ':' ? end[1] ? strtoull(end + 1, NULL, 10) : UINT64_MAX : range_begin + 1;
        }
        free(range);
    }
    free(text);
    return true;
}

static bool wanted(const rocprofiler_callback_data_t *data, uint64_t index)
{
    bool kernel = !kernels.count, gpu = !gpus.count;
    for (unsigned i = 0; i < kernels.count && !kernel; i++)
        kernel = strstr(data->kernel_name, kernels.words[i]);
    for (unsigned i = 0; i < gpus.count && !gpu; i++)
        gpu = (uint32_t)atoi(gpus.words[i]) == data->agent_index;
    return kernel && gpu && index >= range_begin && index < range_end;
}

/* ---- kernels ---- */

/* Reads register counts and the size of waves from the kernel descriptor. They stay 0 for an
 * unknown GPU. */
static void read_descriptor(entry_t *e, const void *descriptor, hsa_agent_t agent)
{
    uint32_t rsrc3, rsrc1;
    uint16_t properties;
    char name[64] = "";
    memcpy(&rsrc3, (const char *)descriptor + 44, sizeof rsrc3);
    memcpy(&rsrc1, (const char *)descriptor + 48, sizeof rsrc1);
    memcpy(&properties, (const char *)descriptor + 56, sizeof properties);
    hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
    name[sizeof name - 1] = 0;
    const gpus_arch_t *arch = gpus_find(name);
    if (!arch) return;
    const gpus_kernel_t kernel = gpus_kernel(arch, rsrc1, rsrc3, properties);
    e->wave = kernel.wave;
    e->vgprs = kernel.vgprs;
    e->agprs = kernel.agprs;
    e->sgprs = kernel.sgprs;
}

static void write_line(const entry_t *e)
{
    const rocprofiler_dispatch_record_t none = {0}, *r = e->data.record ? e->data.record : &none;
    pthread_mutex_lock(&lock);
    open_count--;
    pthread_cond_broadcast(&changed);
    if (!file) {
        pthread_mutex_unlock(&lock);
        return;
    }
    base_file_limit_t before;
    base_file_limit_begin(&before, false);
    fprintf(file, "%" PRIu64 "\t%u\t%u\t%" PRIu64 "\t%d\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%u",
            e->index, e->data.agent_index, e->data.queue_id, e->data.queue_index, getpid(),
            e->data.thread_id, e->grid, e->group, e->lds, e->scratch, e->vgprs, e->agprs, e->sgprs,
            e->wave);
    fprintf(file,
            "\t0x%" PRIx64 "\t0x%" PRIx64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
            "\t%s",
            e->data.completion_signal.handle, e->data.kernel_object, r->dispatch, r->begin, r->end,
            r->complete, e->kernel);
    for (unsigned i = 0; i < metrics.count; i++) {
        const rocprofiler_data_t *d = &e->features[i].data;
        fprintf(file, "\t%.10f",
                d->kind == ROCPROFILER_DATA_KIND_DOUBLE ? d->result_double
                                                        : (double)d->result_int64);
    }
    fputc('\n', file);
    base_file_limit_end(&before);
    pthread_mutex_unlock(&lock);
}

static bool on_data(rocprofiler_group_t group, void *arg)
{
    entry_t *e = arg;
    if (metrics.count &&
        (rocprofiler_group_get_data(&group) || rocprofiler_get_metrics(group.context)))
        complain("results of a kernel");
    write_line(e);
    rocprofiler_close(group.context);
    free((void *)(uintptr_t)e->data.record);
    free(e->kernel);
    free(e);
    return true;
}

static entry_t *make_entry(const rocprofiler_callback_data_t *data, uint64_t index)
{
    const hsa_kernel_dispatch_packet_t *p = data->packet;
    entry_t *e = calloc(1, sizeof *e + metrics.count * sizeof *e->features);
    char *kernel = strdup(data->kernel_name);
    if (!e || !kernel) {
        complain_of("a kernel is not counted", strerror(ENOMEM));
        free(e);
        free(kernel);
        return NULL;
    }
    e->index = index;
    e->data = *data;
    e->kernel = kernel;
    e->grid = p->grid_size_x * p->grid_size_y * p->grid_size_z;
    e->group = (uint32_t)p->workgroup_size_x * p->workgroup_size_y * p->workgroup_size_z;
    e->lds = p->group_segment_size;
    e->scratch = p->private_segment_size;
    read_descriptor(e, data->kernel_code, data->agent);
    for (unsigned i = 0; i < metrics.count; i++)
        e->features[i].name = metrics.words[i];
    return e;
}

static hsa_status_t on_dispatch(const rocprofiler_callback_data_t *data, void *user,
                                rocprofiler_group_t *group)
{
    (void)user;
    rocprofiler_t *context = NULL;
    pthread_mutex_lock(&lock);
    uint64_t index = seen++;
    pthread_mutex_unlock(&lock);
    entry_t *e = wanted(data, index) ? make_entry(data, index) : NULL;
    /* the record is not freed, since the library writes to it later */
    if (!e) return HSA_STATUS_ERROR;
    rocprofiler_properties_t properties = {.handler = on_data, .handler_arg = e};
    hsa_status_t status = rocprofiler_open(data->agent, e->features, metrics.count, &context,
                                           ROCPROFILER_MODE_SINGLEGROUP, &properties);
    if (status) {
        complain("a kernel is not counted");
        free(e->kernel);
        free(e);
        return status;
    }
    pthread_mutex_lock(&lock);
    while (limit && open_count >= limit)
        pthread_cond_wait(&changed, &lock);
    open_count++;
    pthread_mutex_unlock(&lock);
    return rocprofiler_get_group(context, 0, group);
}

/* ---- begin and end ---- */

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *text = base_env(name);
    return text && *text ? strtoull(text, NULL, 0) : otherwise;
}

void OnLoadToolProp(rocprofiler_settings_t *settings)
{
    char path[4096];
    const char *input = base_env("ROCP_INPUT"), *folder = base_env("ROCP_OUTPUT_DIR");
    if (input && *input && !read_request(input)) return;
    limit = number("ROCP_OUTSTANDING_MAX", 0);
    settings->intercept_mode = 1;
    settings->timestamp_on = (uint32_t)number("ROCP_TIMESTAMP_ON", 0);
    settings->k_concurrent = (uint32_t)number("ROCP_K_CONCURRENT", 0);
    settings->timeout = number("ROCP_DATA_TIMEOUT", settings->timeout);
    settings->trace_size = (uint32_t)number("ROCP_TRACE_SIZE", settings->trace_size);
    snprintf(path, sizeof path, "%s/%d_results.txt", folder ? folder : ".", getpid());
    file = folder ? base_file_stream(path, "we") : stdout;
    rocprofiler_queue_callbacks_t callbacks = {.dispatch = on_dispatch};
    if (!file)
        fprintf(stderr, "rocprof: error: %s cannot be written\n", path);
    else if (rocprofiler_set_queue_callbacks(callbacks, NULL))
        complain("no kernel is counted");
}

void OnUnloadTool(void)
{
    rocprofiler_remove_queue_callbacks();
    pthread_mutex_lock(&lock);
    base_file_limit_t before;
    base_file_limit_begin(&before, false);
    if (file && ferror(file) | (file == stdout ? fflush(file) : fclose(file)))
        fputs("rocprof: error: results are lost\n", stderr);
    base_file_limit_end(&before);
    file = NULL;
    pthread_mutex_unlock(&lock);
}
