/* avail_check.c - rocprofv3-avail pmc-check: which counters each GPU is asked for, and whether they
 * fit together, by the SDK or, of a GPU that was named, by the tables. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/experimental/spm.h>

#include "cli/avail_command.h"
#include "cli/avail_json.h"
#include "trace/selection.h"
#include "trace/settings.h"

enum { PMC_MAX = 2048 };

bool avail_is_meant(const avail_options_t *o, const avail_gpu_t *gpu)
{
    return o->device == AVAIL_ALL_GPUS || o->device == gpu->agent->logical_node_type_id;
}

void avail_refuse_name(const avail_t *a, const avail_options_t *o, const char *name)
{
    const char *similar = NULL, *uncounted = NULL;
    bool counted = false;
    for (size_t i = 0; i < a->count && !similar; i++) {
        if (!avail_is_meant(o, &a->gpus[i])) continue;
        similar = avail_similar(&a->gpus[i], name);
        counted |= a->gpus[i].count > 0;
        if (!a->gpus[i].count) uncounted = a->gpus[i].agent->name;
    }
    if (uncounted && !counted)
        base_error("counter '%s' does not exist: no counters of %s are known", name, uncounted);
    else if (similar)
        base_error("counter '%s' does not exist: did you mean %s?", name, similar);
    else
        base_error("counter '%s' does not exist: 'rocprofv3-avail list' shows those that do", name);
}

/* Counters of one GPU that are checked together. */
typedef struct {
    rocprofiler_counter_id_t ids[PMC_MAX];
    const char *names[PMC_MAX];
    size_t count;
} together_t;

static void add_together(together_t *t, const rocprofiler_counter_info_v1_t *c)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->ids[i].handle == c->id.handle) return;
    if (t->count == PMC_MAX) return;
    t->ids[t->count] = c->id;
    t->names[t->count++] = c->name;
}

/* Reads "device=0,device=1" into one bit for each GPU. GPUs that the machine does not have are an
 * error; but in a check for rocprofv3 (--quiet) they are skipped with a warning, because the run
 * will skip them, too, as AMD's does. */
static int read_devices(const avail_t *a, const avail_options_t *o, const char *word,
                        const char *text, uint64_t *gpus)
{
    if (!*text) return AVAIL_REFUSE("'%s': NAME or NAME:device=N[,device=N...] is expected", word);
    for (*gpus = 0; *text; text += *text == ',') {
        char *end = NULL;
        size_t i = 0;
        long number = strncmp(text, "device=", 7) == 0 ? strtol(text + 7, &end, 10) : -1;
        if (!end || end == text + 7 || (*end && *end != ','))
            return AVAIL_REFUSE("'%s': NAME or NAME:device=N[,device=N...] is expected", word);
        while (i < a->count && a->gpus[i].agent->logical_node_type_id != number)
            i++;
        if (i < a->count)
            *gpus |= (uint64_t)1 << (i & 63);
        else if (o->quiet)
            base_warning("'%s': there is no GPU %.*s: it is passed over", word,
                         (int)(end - text) - 7, text + 7);
        else
            return AVAIL_REFUSE("'%s': there is no GPU %ld", word, number);
        text = end;
    }
    return 0;
}

/* Adds all counters of that name, or the instance of a counter. */
static bool add_named(avail_gpu_t *gpu, const char *name, together_t *t)
{
    const size_t before = t->count;
    for (size_t i = 0; i < gpu->count; i++)
        if (trace_wants_counter(name, gpu->counters[i]->name, gpu->counters[i]->is_constant))
            add_together(t, gpu->counters[i]);
    const rocprofiler_counter_info_v1_t *c = t->count > before ? NULL : avail_find(gpu, name);
    if (c) add_together(t, c);
    return c || t->count > before;
}

static int add_word(const avail_t *a, const avail_options_t *o, const char *word,
                    together_t *together)
{
    char name[256];
    size_t bytes = strcspn(word, ":");
    uint64_t gpus = 0;
    bool known = false;
    snprintf(name, sizeof(name), "%.*s", (int)bytes, word);
    if (word[bytes]) {
        if (read_devices(a, o, word, word + bytes + 1, &gpus) != 0) return -1;
        if (!gpus) return 0; /* all of its GPUs were skipped */
    }
    for (size_t i = 0; i < a->count; i++) {
        avail_gpu_t *gpu = &a->gpus[i];
        bool named = gpus & (uint64_t)1 << (i & 63);
        if (gpus ? !named : !avail_is_meant(o, gpu)) continue;
        const bool found = add_named(gpu, name, &together[i]);
        if (!found && named)
            return AVAIL_REFUSE("GPU %d (%s) has no counter '%s'", gpu->agent->logical_node_type_id,
                                gpu->agent->name, name);
        known |= found;
    }
    if (known) return 0;
    avail_refuse_name(a, o, name);
    return -1;
}

/* Makes a configuration of streaming counters with the interval of the run that rocprofv3
 * checks. */
static rocprofiler_status_t make_stream(const avail_gpu_t *gpu, together_t *t,
                                        rocprofiler_counter_config_id_t *config)
{
    rocprofiler_spm_parameters_t interval = {
        .size = sizeof(interval),
        .type = ROCPROFILER_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL_SCLK_CYCLES,
        .value = trace_setting_number(TRACE_SET_SPM_SAMPLE_INTERVAL)};
    rocprofiler_spm_parameters_t *parameters = &interval;
    return rocprofiler_spm_create_counter_config(gpu->agent->id, t->ids, t->count, &parameters,
                                                 interval.value ? 1 : 0, config);
}

/* Derived counters and constants cannot be sampled. */
static int check_streams(const avail_gpu_t *gpu, const together_t *t)
{
    for (size_t i = 0; i < t->count; i++) {
        const rocprofiler_counter_info_v1_t *c = NULL;
        for (size_t j = 0; j < gpu->count && !c; j++)
            if (gpu->counters[j]->id.handle == t->ids[i].handle) c = gpu->counters[j];
        if (!c || !avail_streams(gpu, c))
            return AVAIL_REFUSE(
                "GPU %d (%s): %s cannot be sampled: 'rocprofv3-avail info --pmc' tells "
                "of each counter",
                gpu->agent->logical_node_type_id, gpu->agent->name, t->names[i]);
    }
    return 0;
}

/* Makes the SDK check whether the GPU can collect these counters together. If not, `why` is the
 * SDK's text for its status; the SDK's log has the details. */
static int try_config(const avail_options_t *o, const avail_gpu_t *gpu, together_t *t,
                      const char **why)
{
    rocprofiler_counter_config_id_t config = {0};
    rocprofiler_status_t status =
        o->streams ? make_stream(gpu, t, &config)
                   : rocprofiler_create_counter_config(gpu->agent->id, t->ids, t->count, &config);
    *why = rocprofiler_get_status_string(status);
    if (status != ROCPROFILER_STATUS_SUCCESS) return -1;
    if (o->streams)
        rocprofiler_spm_destroy_counter_config(config);
    else
        rocprofiler_destroy_counter_config(config);
    return 0;
}

static int try_plan(const avail_gpu_t *gpu, const together_t *t, char *why, size_t why_bytes)
{
    ctr_plan_t *plan;
    const int status = avail_plan(gpu, t->ids, t->count, 1, &plan, why, why_bytes);
    ctr_plan_destroy(plan);
    return status;
}

/* Adds the counters to a result in JSON; for a GPU that was named, with passes that would be
 * sufficient. */
static void add_check(const avail_options_t *o, const avail_gpu_t *gpu, const together_t *t,
                      bool together)
{
    char why[32];
    ctr_plan_t *plan = NULL;
    json_t *j = avail_json_gpu(gpu, false), *names = json_array();
    for (size_t i = 0; i < t->count; i++)
        json_array_append_new(names, json_string(t->names[i]));
    json_object_set_new(j, "counters", names);
    json_object_set_new(j, "together", json_boolean(together));
    if (gpu->own && avail_plan(gpu, t->ids, t->count, 0, &plan, why, sizeof(why)) == 0)
        json_object_set_new(j, "passes", avail_json_passes(plan));
    ctr_plan_destroy(plan);
    json_array_append_new(o->gpus, j);
}

static int check_gpu(const avail_options_t *o, const avail_gpu_t *gpu, together_t *t)
{
    int index = gpu->agent->logical_node_type_id;
    if (!t->count) return 0;
    if (o->streams && check_streams(gpu, t) != 0) return -1;
    char planned[sizeof(((ctr_error_t *)0)->text)];
    const char *what = o->streams ? "sampled" : "collected", *why = planned;
    const int status =
        gpu->own ? try_plan(gpu, t, planned, sizeof(planned)) : try_config(o, gpu, t, &why);
    if (o->gpus) add_check(o, gpu, t, status == 0);
    if (status != 0)
        return AVAIL_REFUSE("GPU %d (%s): the counters cannot be %s together: %s", index,
                            gpu->agent->name, what, why);
    if (o->quiet || o->gpus) return 0;
    printf("Following input counters can be %s together on GPU:%d", what, index);
    for (size_t i = 0; i < t->count; i++)
        printf("\t%s", t->names[i]);
    putchar('\n');
    return 0;
}

int avail_pmc_check(const avail_t *a, const avail_options_t *o)
{
    int result = 0;
    together_t *together = calloc(a->count ? a->count : 1, sizeof(*together));
    if (!together) return AVAIL_REFUSE("%s", strerror(ENOMEM));
    for (size_t i = 0; i < o->name_count; i++)
        if (add_word(a, o, o->names[i], together) != 0) result = -1;
    for (size_t i = 0; result == 0 && i < a->count; i++)
        result = check_gpu(o, &a->gpus[i], &together[i]);
    free(together);
    return result;
}
