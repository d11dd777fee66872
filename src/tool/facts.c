/* facts.c - see facts.h.
 *
 * It makes the store's records of objects that the SDK reports once each. The sink decides where
 * records go, this file what is in them. */
#include "tool/facts.h"

#include <stdlib.h>

#include "base/log.h"
#include "tool/sink.h"
#include "trace/agent-fields.h"

enum { TABLE_WORDS = TRACE_WORDS_MAX - sizeof(trace_table_t) / 8 };

/* Writes the rows behind the fixed part of a record; rows that do not fit go into further records.
 */
void tool_fact_table(uint32_t type, uint64_t owner, uint32_t part, uint32_t columns,
                     const uint64_t *numbers, uint64_t rows)
{
    uint64_t most = TABLE_WORDS / columns;
    for (uint64_t done = 0, some; done < rows; done += some) {
        some = rows - done < most ? rows - done : most;
        size_t bytes = some * columns * sizeof(*numbers);
        trace_table_t t = {.head = trace_head(type, 0, 0, 0, sizeof(t) + bytes),
                           .owner = owner,
                           .part = part,
                           .columns = columns,
                           .rows = some};
        tool_sink_rows(&t, numbers + done * columns);
    }
}

/* Writes the parts of which an agent can have several. There are few: each row is a record. */
static void put_agent_parts(const rocprofiler_agent_v0_t *a)
{
#define COLUMN(key, member, form) (uint64_t) row->member,
#define COLUMNS_BANK              TRACE_AGENT_BANK_FIELDS(COLUMN)
#define COLUMNS_CACHE             TRACE_AGENT_CACHE_FIELDS(COLUMN)
#define COLUMNS_LINK              TRACE_AGENT_LINK_FIELDS(COLUMN)
#define COLUMNS_VISIBLE           TRACE_AGENT_VISIBLE_FIELDS(COLUMN)
#define COLUMNS_UUID              *row,
#define X(part, count, first)                                                                      \
    for (uint64_t i = 0; i < (count); i++) {                                                       \
        __typeof__(&*(first)) row = (first) + i;                                                   \
        const uint64_t columns[] = {COLUMNS_##part};                                               \
        tool_fact_table(TRACE_AGENT_PARTS, a->id.handle, TRACE_AGENT_PART_##part,                  \
                        sizeof(columns) / sizeof(*columns), columns, 1);                           \
    }
    TRACE_AGENT_PARTS_LIST(X)
#undef X
#undef COLUMN
}

void tool_fact_agent(const rocprofiler_agent_v0_t *agent)
{
    struct {
        trace_agent_t agent;
        uint64_t values[TRACE_AGENT_FIELD_COUNT];
    } record = {.agent = {.head = trace_head(TRACE_AGENT, 0, 0, 0, sizeof(record)),
                          .id = agent->id.handle,
                          .type = agent->type == ROCPROFILER_AGENT_TYPE_GPU ? TRACE_AGENT_GPU
                                                                            : TRACE_AGENT_CPU,
                          .fields = TRACE_AGENT_FIELD_COUNT,
                          .type_index = agent->logical_node_type_id,
                          .text_offset = sizeof(record)},
                .values = {
#define X(column, member, form) (uint64_t) agent->member,
                    TRACE_AGENT_FIELDS(X)
#undef X
                }};
    const char *texts[] = {
#define X(column, member) agent->member,
        TRACE_AGENT_TEXTS(X)
#undef X
    };
    tool_sink_fact(&record, sizeof(record), texts, TRACE_AGENT_TEXT_COUNT);
    put_agent_parts(agent);
}

void tool_fact_code_object(const rocprofiler_callback_tracing_code_object_load_data_t *o)
{
    bool memory = o->storage_type == ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_MEMORY;
    trace_code_object_t record = {.head = trace_head(TRACE_CODE_OBJECT, 0, 0, 0, sizeof(record)),
                                  .id = o->code_object_id,
                                  .agent = o->agent_id.handle,
                                  .load_base = o->load_base,
                                  .load_size = o->load_size,
                                  .load_delta = o->load_delta,
                                  .memory_base = memory ? o->memory_base : 0,
                                  .memory_size = memory ? o->memory_size : 0};
    tool_sink_fact(&record, sizeof(record), &o->uri, 1);
}

/* Another library than ours may leave anything in what is padding in AMD's header; then neither is
 * known. */
static uint16_t wave_items_of(uint16_t wave_size)
{
    return wave_size == 32 || wave_size == 64 ? wave_size : 0;
}

void tool_fact_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *k)
{
    trace_kernel_t record = {.head = trace_head(TRACE_KERNEL, 0, 0, 0, sizeof(record)),
                             .id = k->kernel_id,
                             .code_object = k->code_object_id,
                             .object = k->kernel_object,
                             .address = k->kernel_address.handle,
                             .entry_offset = k->kernel_code_entry_byte_offset,
                             .kernarg_bytes = k->kernarg_segment_size,
                             .kernarg_alignment = k->kernarg_segment_alignment,
                             .group_bytes = k->group_segment_size,
                             .private_bytes = k->private_segment_size,
                             .sgprs = k->sgpr_count,
                             .vgprs = k->arch_vgpr_count,
                             .agprs = k->accum_vgpr_count,
                             .wave_items = wave_items_of(k->wave_size),
                             .whole_wgp = k->wgp_mode == 1};
    tool_sink_fact(&record, sizeof(record), &k->kernel_name, 1);
}

void tool_fact_host_function(
    const rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t *f)
{
#define DIM(d) {f->d.x, f->d.y, f->d.z}
    trace_host_function_t record = {.head =
                                        trace_head(TRACE_HOST_FUNCTION, 0, 0, 0, sizeof(record)),
                                    .id = f->host_function_id,
                                    .kernel = f->kernel_id,
                                    .code_object = f->code_object_id,
                                    .function = f->host_function.handle,
                                    .modules = f->modules.handle,
                                    .workgroup_size = f->workgroup_size,
                                    .thread_limit = f->thread_limit,
                                    .thread_ids = DIM(thread_ids),
                                    .block_ids = DIM(block_ids),
                                    .block_dims = DIM(block_dims),
                                    .grid_dims = DIM(grid_dims)};
#undef DIM
    tool_sink_fact(&record, sizeof(record), &f->device_function, 1);
}

/* Writes the ids of the counter's instances, which its values carry, and the position of each
 * instance in the dimensions. */
static void put_instances(const rocprofiler_counter_info_v1_t *c)
{
    uint32_t columns = 1 + (uint32_t)c->dimensions_count;
    uint64_t rows = c->dimensions_instances_count, *numbers = calloc(rows * columns + 1, 8);
    for (uint64_t i = 0; numbers && i < rows; i++) {
        const rocprofiler_counter_record_dimension_instance_info_t *instance =
            c->dimensions_instances[i];
        numbers[i * columns] = instance->instance_id;
        for (uint32_t d = 0; d + 1 < columns && d < instance->dimensions_count; d++)
            numbers[i * columns + 1 + d] = instance->dimensions[d]->index;
    }
    if (!numbers) base_warning("no places of the values of counter %s: no memory", c->name);
    if (numbers && columns <= TABLE_WORDS)
        tool_fact_table(TRACE_INSTANCES, c->id.handle, 0, columns, numbers, rows);
    free(numbers);
}

void tool_fact_counter(rocprofiler_agent_id_t agent, const rocprofiler_counter_info_v1_t *c,
                       bool streams)
{
    trace_counter_t record = {.head = trace_head(TRACE_COUNTER, 0, 0, 0, sizeof(record)),
                              .id = c->id.handle,
                              .agent = agent.handle,
                              .derived = c->is_derived,
                              .constant = c->is_constant,
                              .streams = streams};
    const char *texts[] = {c->name, c->description, c->block, c->expression};
    tool_sink_fact(&record, sizeof(record), texts, 4);
    for (uint64_t i = 0; i < c->dimensions_count; i++) {
        const rocprofiler_counter_record_dimension_info_t *d = c->dimensions[i];
        trace_dimension_t dimension = {.head =
                                           trace_head(TRACE_DIMENSION, 0, 0, 0, sizeof(dimension)),
                                       .counter = c->id.handle,
                                       .id = d->id,
                                       .size = d->instance_size};
        tool_sink_fact(&dimension, sizeof(dimension), &d->name, 1);
    }
    put_instances(c);
}
