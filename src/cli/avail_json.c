/* avail_json.c - the results of rocprofv3-avail as JSON for other programs.
 *
 * It is apart because the text has the layout of AMD's command, while the JSON is crocprof's own.
 * Every result is one object with a member "gpus". Later versions may add members, but rename
 * none. */
#include "cli/avail_json.h"

#include <string.h>

static json_t *dims_of(rocprofiler_dim3_t d)
{
    return json_pack("[I, I, I]", (json_int_t)d.x, (json_int_t)d.y, (json_int_t)d.z);
}

static json_t *properties_of(const rocprofiler_agent_v0_t *a)
{
    json_t *j = json_object();
#define NUMBER(field) json_object_set_new(j, #field, json_integer((json_int_t)a->field));
    AVAIL_PROPERTIES(NUMBER)
    AVAIL_NODE_PROPERTIES(NUMBER)
#undef NUMBER
    json_object_set_new(j, "workgroup_max_dim", dims_of(a->workgroup_max_dim));
    json_object_set_new(j, "grid_max_dim", dims_of(a->grid_max_dim));
    json_object_set_new(j, "vendor_name", json_string(a->vendor_name));
    json_object_set_new(j, "model_name", json_string(a->model_name));
    return j;
}

/* Adds the facts about a product that a driver does not report: MHz, GB, GB/s, and the most
 * operations of each type in a second, by 10^9. Unknown facts are left out. */
static void put_product(json_t *j, const gpus_product_t *p)
{
    json_t *peaks = json_object();
    json_object_set_new(j, "clock_mhz", json_integer((json_int_t)p->clock_mhz));
    if (p->memory_gb) json_object_set_new(j, "memory_gb", json_integer((json_int_t)p->memory_gb));
    if (p->bandwidth > 0) json_object_set_new(j, "bandwidth_gb_s", json_real(p->bandwidth));
    for (gpus_type_t type = 0; type < GPUS_TYPE_COUNT; type++)
        if (gpus_peak(p, type) > 0)
            json_object_set_new(peaks, gpus_type_name(type), json_real(gpus_peak(p, type)));
    json_object_set_new(j, "peak_gop_s", peaks);
}

json_t *avail_json_gpu(const avail_gpu_t *gpu, bool properties)
{
    const rocprofiler_agent_v0_t *a = gpu->agent;
    json_t *j = json_object();
    json_object_set_new(j, "index", json_integer(a->logical_node_type_id));
    json_object_set_new(j, "name", json_string(a->name));
    json_object_set_new(j, "product", json_string(a->product_name));
    if (properties) json_object_set_new(j, "properties", properties_of(a));
    if (properties && gpu->product) put_product(j, gpu->product);
    return j;
}

json_t *avail_json_names(const avail_gpu_t *gpu)
{
    json_t *j = json_array();
    for (size_t i = 0; i < gpu->count; i++)
        json_array_append_new(j, json_string(gpu->counters[i]->name));
    return j;
}

json_t *avail_json_counter(const avail_gpu_t *gpu, const rocprofiler_counter_info_v1_t *c)
{
    const char *class = avail_class(gpu, c->name);
    json_t *j = json_object(), *dims = json_object();
    json_object_set_new(j, "name", json_string(c->name));
    json_object_set_new(j, "description", json_string(c->description));
    json_object_set_new(j, "kind",
                        json_string(c->is_constant  ? "constant"
                                    : c->is_derived ? "derived"
                                                    : "hardware"));
    if (*c->block) json_object_set_new(j, "block", json_string(c->block));
    if (*c->expression) json_object_set_new(j, "expression", json_string(c->expression));
    for (uint64_t i = 0; i < c->dimensions_count; i++)
        json_object_set_new(dims, c->dimensions[i]->name,
                            json_integer((json_int_t)c->dimensions[i]->instance_size));
    json_object_set_new(j, "dimensions", dims);
    json_object_set_new(j, "spm", json_boolean(avail_streams(gpu, c)));
    if (*class) json_object_set_new(j, "class", json_string(class));
    return j;
}

json_t *avail_json_passes(const ctr_plan_t *plan)
{
    json_t *passes = json_array();
    for (size_t i = 0; i < ctr_plan_pass_count(plan); i++) {
        const ctr_pass_t *pass = ctr_plan_pass(plan, i);
        json_t *names = json_array();
        for (size_t k = 0; k < pass->result_count; k++)
            json_array_append_new(names, json_string(pass->results[k].counter->name));
        json_array_append_new(passes, names);
    }
    return passes;
}

int avail_json_print(json_t *gpus)
{
    json_t *root = json_object();
    int status = json_object_set_new(root, "gpus", gpus);
    if (status == 0) status = json_dumpf(root, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(root);
    return status;
}
