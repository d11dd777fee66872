/* model.c - see model.h. It loads and looks up; the writers of the formats decide how a value is
 * printed. */
#include "model/model.h"

#include "model/code.h"
#include "model/softgpu.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/agent-fields.h"
#include "trace/reader.h"
#include "trace/store.h"

/* If the number of a text exceeds the number of records by more than this, the store is damaged: a
 * process has at most this many texts. */
enum { TEXTS_AHEAD = 1 << 20 };

uint64_t out_agent_value(const out_agent_t *a, unsigned field)
{
    return field < a->record->fields ? trace_agent_values(a->record)[field] : 0;
}

const char *out_agent_type(const out_agent_t *a)
{
    uint32_t type = a ? a->record->type : 0;
    return type == TRACE_AGENT_CPU ? "CPU" : type == TRACE_AGENT_GPU ? "GPU" : "UNK";
}

bool out_agent_models_time(const out_agent_t *a)
{
    enum { NAME, VENDOR, PRODUCT, MODEL };
    return out_model_time_named(trace_record_text(&a->record->head, MODEL));
}

static void label_agent(out_agent_t *a, out_agent_index_t index)
{
    const char *word = "Agent";
    if (index == OUT_AGENT_TYPE_RELATIVE) {
        word = a->record->type == TRACE_AGENT_GPU ? "GPU" : "CPU";
        a->number = a->record->type_index;
    } else {
        bool absolute = index == OUT_AGENT_ABSOLUTE;
        a->number = (int64_t)out_agent_value(a, absolute ? TRACE_AGENT_Node_Id
                                                         : TRACE_AGENT_Logical_Node_Id);
    }
    snprintf(a->word, sizeof(a->word), "%s", word);
    snprintf(a->label, sizeof(a->label), "%s %lld", word, (long long)a->number);
    snprintf(a->tag, sizeof(a->tag), "%s-%lld", word, (long long)a->number);
}

static int by_node(const void *a, const void *b)
{
    uint64_t x = out_agent_value(a, TRACE_AGENT_Node_Id);
    uint64_t y = out_agent_value(b, TRACE_AGENT_Node_Id);
    return x < y ? -1 : x > y;
}

static int by_kernel(const void *a, const void *b)
{
    uint64_t x = ((const out_kernel_t *)a)->record->id, y = ((const out_kernel_t *)b)->record->id;
    return x < y ? -1 : x > y;
}

static void *append_row(void *rows, size_t *count, size_t unit)
{
    if (!base_grow_by_one(&rows, *count, unit)) return NULL;
    ++*count;
    return rows;
}

static int add_agent(out_model_t *m, const trace_head_t *record, out_agent_index_t index)
{
    const trace_agent_t *a = (const trace_agent_t *)record;
    for (size_t i = 0; i < m->agent_count; i++)
        if (m->agents[i].record->id == a->id) return 0;
    out_agent_t *agents = append_row(m->agents, &m->agent_count, sizeof(*agents));
    if (!agents) return -1;
    m->agents = agents;
    out_agent_t *row = &agents[m->agent_count - 1];
    *row = (out_agent_t){.record = a};
    label_agent(row, index);
    return 0;
}

static int add_kernel(out_model_t *m, const trace_head_t *record, trace_names_t names)
{
    out_kernel_t *kernels = append_row(m->kernels, &m->kernel_count, sizeof(*kernels));
    if (!kernels) return -1;
    m->kernels = kernels;
    out_kernel_t *row = &kernels[m->kernel_count - 1];
    row->record = (const trace_kernel_t *)record;
    row->name = trace_kernel_name(trace_record_text(record, 0), names);
    return row->name ? 0 : -1;
}

static int by_host_function(const void *a, const void *b)
{
    const uint64_t x = ((const out_host_function_t *)a)->record->id,
                   y = ((const out_host_function_t *)b)->record->id;
    return x < y ? -1 : x > y;
}

static int add_host_function(out_model_t *m, const trace_head_t *record, trace_names_t names)
{
    out_host_function_t *rows =
        append_row(m->host_functions, &m->host_function_count, sizeof(*rows));
    if (!rows) return -1;
    m->host_functions = rows;
    out_host_function_t *row = &rows[m->host_function_count - 1];
    row->record = (const trace_host_function_t *)record;
    row->name = trace_kernel_name(trace_record_text(record, 0), names);
    return row->name ? 0 : -1;
}

static int by_counter(const void *a, const void *b)
{
    uint64_t x = (*(const trace_counter_t *const *)a)->id;
    uint64_t y = (*(const trace_counter_t *const *)b)->id;
    return x < y ? -1 : x > y;
}

static int add_counter(out_model_t *m, const trace_head_t *record)
{
    const trace_counter_t **rows = append_row(m->counters, &m->counter_count, sizeof(*rows));
    if (!rows) return -1;
    m->counters = rows;
    rows[m->counter_count - 1] = (const trace_counter_t *)record;
    return 0;
}

static int by_code_object(const void *a, const void *b)
{
    uint64_t x = (*(const trace_code_object_t *const *)a)->id;
    uint64_t y = (*(const trace_code_object_t *const *)b)->id;
    return x < y ? -1 : x > y;
}

static int add_code_object(out_model_t *m, const trace_head_t *record)
{
    const trace_code_object_t **rows =
        append_row(m->code_objects, &m->code_object_count, sizeof(*rows));
    if (!rows) return -1;
    m->code_objects = rows;
    rows[m->code_object_count - 1] = (const trace_code_object_t *)record;
    return 0;
}

static int add_operation(out_kinds_t *k, const trace_head_t *record)
{
    uint32_t kind = trace_kind(*record);
    const char **row = k->operations[kind];
    if (!row) row = calloc(TRACE_OPERATION_MAX + 1, sizeof(*row));
    if (!row) return -1;
    __atomic_store_n(&row[trace_operation(*record)], trace_record_text(record, 0),
                     __ATOMIC_RELEASE);
    __atomic_store_n(&k->operations[kind], row, __ATOMIC_RELEASE);
    return 0;
}

static int add_signature(out_model_t *m, const trace_head_t *record)
{
    uint32_t kind = trace_kind(*record);
    const trace_signature_t **row = m->signatures[kind];
    if (!row) row = m->signatures[kind] = calloc(TRACE_OPERATION_MAX + 1, sizeof(*row));
    if (!row) return -1;
    row[trace_operation(*record)] = (const trace_signature_t *)record;
    return 0;
}

/* If a thread is named more than once, the last name is valid. */
static int add_thread(out_model_t *m, const trace_head_t *record)
{
    uint32_t tid = trace_thread(*record);
    if (out_numbers_get(&m->threads, tid)) {
        out_numbers_place(&m->threads, tid)->number = m->record_count;
        return 0;
    }
    return out_numbers_set(&m->threads, tid, m->record_count) ? 0 : -1;
}

/* Groups of counters that are measured in turn may contain the same counter twice. */
static int add_dimension(out_model_t *m, const trace_head_t *record)
{
    const trace_dimension_t *d = (const trace_dimension_t *)record;
    for (size_t i = 0; i < m->dimension_count; i++)
        if (m->dimensions[i]->counter == d->counter && m->dimensions[i]->id == d->id) return 0;
    const trace_dimension_t **rows = append_row(m->dimensions, &m->dimension_count, sizeof(*rows));
    if (!rows) return -1;
    m->dimensions = rows;
    rows[m->dimension_count - 1] = d;
    return 0;
}

static int add_table(const trace_table_t ***tables, size_t *count, const trace_head_t *record)
{
    const trace_table_t **rows = append_row(*tables, count, sizeof(*rows));
    if (!rows) return -1;
    *tables = rows;
    rows[*count - 1] = (const trace_table_t *)record;
    return 0;
}

/* Returns false if the table repeats rows that the counter already has. */
static bool new_instances(const out_model_t *m, const trace_table_t *t)
{
    for (size_t i = 0; t->rows && i < m->instance_count; i++)
        if (m->instances[i]->owner == t->owner && m->instances[i]->rows &&
            *trace_table_row(m->instances[i], 0) == *trace_table_row(t, 0))
            return false;
    return t->rows;
}

/* Adds a table to the agent that owns it, whose record comes before. If the agent is not known, the
 * table is ignored. */
static int add_parts(out_model_t *m, const trace_head_t *record)
{
    const trace_table_t *t = (const trace_table_t *)record;
    for (size_t i = 0; i < m->agent_count; i++)
        if (m->agents[i].record->id == t->owner)
            return add_table(&m->agents[i].parts, &m->agents[i].part_count, record);
    return 0;
}

/* The numbers of texts count up from 1. When a tool attaches again to a process, the known
 * texts are written once more, in any order. A number far above the number of records means that
 * the store is damaged. */
static int add_text(out_model_t *m, const trace_head_t *record)
{
    uint64_t number = ((const trace_text_t *)record)->id;
    if (number > m->record_count && number > TEXTS_AHEAD) return 0;
    if (number >= m->text_room) {
        size_t room = m->text_room ? m->text_room : 64;
        while (room <= number)
            room *= 2;
        if (!base_resize(&m->texts, room, sizeof(*m->texts))) return -1;
        memset(m->texts + m->text_room, 0, (room - m->text_room) * sizeof(*m->texts));
        m->text_room = room;
    }
    m->texts[number] = trace_record_text(record, 0);
    return 0;
}

static int add_info(out_model_t *m, const trace_head_t *record)
{
    if (strcmp(trace_record_text(record, 0), TRACE_INFO_VARIABLE) != 0) return 0;
    const char **variables = append_row(m->variables, &m->variable_count, sizeof(*variables));
    if (!variables) return -1;
    m->variables = variables;
    variables[m->variable_count - 1] = trace_record_text(record, 1);
    return 0;
}

static trace_head_t *keep_record(out_model_t *m, const trace_head_t *record)
{
    size_t bytes = trace_words(*record) * 8u;
    trace_head_t *copy = malloc(bytes);
    trace_head_t **records =
        copy ? append_row(m->records, &m->record_count, sizeof(*records)) : NULL;
    if (!records) {
        free(copy);
        return NULL;
    }
    m->records = records;
    records[m->record_count - 1] = memcpy(copy, record, bytes);
    return copy;
}

static int add_record(out_model_t *m, const trace_head_t *record, trace_names_t names,
                      out_agent_index_t index)
{
    const trace_head_t *r = keep_record(m, record);
    if (!r) return -1;
    switch (trace_type(*r)) {
    case TRACE_KIND: m->kinds.names[trace_kind(*r)] = trace_record_text(r, 0); return 0;
    case TRACE_OPERATION: return add_operation(&m->kinds, r);
    case TRACE_CALLBACK_KIND:
        m->callback_kinds.names[trace_kind(*r)] = trace_record_text(r, 0);
        return 0;
    case TRACE_CALLBACK_OPERATION: return add_operation(&m->callback_kinds, r);
    case TRACE_SIGNATURE: return add_signature(m, r);
    case TRACE_THREAD: return add_thread(m, r);
    case TRACE_DIMENSION: return add_dimension(m, r);
    case TRACE_INSTANCES:
        if (!new_instances(m, (const trace_table_t *)r)) return 0;
        return add_table(&m->instances, &m->instance_count, r);
    case TRACE_INSTRUCTIONS: return add_table(&m->instructions, &m->instruction_count, r);
    case TRACE_COUNTED_KERNELS: return add_table(&m->counted_kernels, &m->counted_kernel_count, r);
    case TRACE_AGENT_PARTS: return add_parts(m, r);
    case TRACE_AGENT: return add_agent(m, r, index);
    case TRACE_KERNEL: return add_kernel(m, r, names);
    case TRACE_HOST_FUNCTION: return add_host_function(m, r, names);
    case TRACE_CODE_OBJECT: return add_code_object(m, r);
    case TRACE_COUNTER: return add_counter(m, r);
    case TRACE_TEXT: return add_text(m, r);
    case TRACE_INFO: return add_info(m, r);
    default: return 0;
    }
}

static bool make_kinds(out_kinds_t *k)
{
    k->names = calloc(TRACE_KIND_MAX + 1, sizeof(*k->names));
    k->operations = calloc(TRACE_KIND_MAX + 1, sizeof(*k->operations));
    return k->names && k->operations;
}

static void free_kinds(out_kinds_t *k)
{
    for (size_t i = 0; k->operations && i <= TRACE_KIND_MAX; i++)
        free(k->operations[i]);
    free(k->operations);
    free(k->names);
}

out_model_t *out_model_load(const char *store, trace_names_t names, out_agent_index_t index,
                            char *why, size_t why_bytes)
{
    char path[PATH_MAX];
    trace_reader_t *reader = NULL;
    out_model_t *m = calloc(1, sizeof(*m));
    if (m) m->signatures = calloc(TRACE_KIND_MAX + 1, sizeof(*m->signatures));
    if (!m || !m->signatures || !make_kinds(&m->kinds) || !make_kinds(&m->callback_kinds))
        goto memory;
    trace_join(path, sizeof(path), store, TRACE_META_FILE);
    reader = trace_reader_open(path, why, why_bytes);
    if (!reader) goto fail;
    m->header = *trace_reader_header(reader);
    for (const trace_head_t *r; (r = trace_reader_next(reader));)
        if (add_record(m, r, names, index) != 0) goto memory;
    m->cut = trace_reader_cut(reader);
    trace_reader_close(reader);
    m->code = out_code_open(m, store);
    if (!m->code) goto unread;
    if (m->agent_count) qsort(m->agents, m->agent_count, sizeof(*m->agents), by_node);
    if (m->kernel_count) qsort(m->kernels, m->kernel_count, sizeof(*m->kernels), by_kernel);
    if (m->host_function_count)
        qsort(m->host_functions, m->host_function_count, sizeof(*m->host_functions),
              by_host_function);
    if (m->code_object_count)
        qsort(m->code_objects, m->code_object_count, sizeof(*m->code_objects), by_code_object);
    if (m->counter_count) qsort(m->counters, m->counter_count, sizeof(*m->counters), by_counter);
    return m;
unread:
    reader = NULL;
memory:
    snprintf(why, why_bytes, "%s: %s", store, strerror(ENOMEM));
fail:
    trace_reader_close(reader);
    out_model_free(m);
    return NULL;
}

void out_model_free(out_model_t *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->kernel_count; i++)
        free(m->kernels[i].name);
    for (size_t i = 0; i < m->host_function_count; i++)
        free(m->host_functions[i].name);
    for (size_t i = 0; i < m->record_count; i++)
        free(m->records[i]);
    for (size_t i = 0; m->signatures && i <= TRACE_KIND_MAX; i++)
        free(m->signatures[i]);
    for (size_t i = 0; i < m->agent_count; i++)
        free(m->agents[i].parts);
    out_code_close(m->code);
    free_kinds(&m->kinds);
    free_kinds(&m->callback_kinds);
    free(m->signatures);
    free(m->dimensions);
    free(m->instances);
    free(m->instructions);
    free(m->counted_kernels);
    free(m->threads.rows);
    free(m->texts);
    free(m->variables);
    free(m->kernels);
    free(m->host_functions);
    free(m->counters);
    free(m->code_objects);
    free(m->agents);
    free(m->records);
    free(m);
}

const char *out_model_info(const out_model_t *m, const char *key)
{
    for (size_t i = 0; i < m->record_count; i++)
        if (trace_type(*m->records[i]) == TRACE_INFO &&
            strcmp(trace_record_text(m->records[i], 0), key) == 0)
            return trace_record_text(m->records[i], 1);
    return "";
}

static const char *unknown(const char *what, uint64_t number)
{
    static __thread char text[64];
    snprintf(text, sizeof(text), "unknown %s %llu", what, (unsigned long long)number);
    return text;
}

const char *out_model_kind(const out_model_t *m, uint32_t kind)
{
    const char *name = kind <= TRACE_KIND_MAX ? m->kinds.names[kind] : NULL;
    return name ? name : unknown("kind", kind);
}

static const char *known_operation(const out_model_t *m, uint32_t kind, uint32_t operation)
{
    const char **row = __atomic_load_n(&m->kinds.operations[kind], __ATOMIC_ACQUIRE);
    return row ? __atomic_load_n(&row[operation], __ATOMIC_ACQUIRE) : NULL;
}

/* Makes a name for an operation without one. Statistics use the address of a name as its identity,
 * so it must last as long as the model: it is kept as a record like those that were loaded. */
static const char *keep_operation(out_model_t *m, uint32_t kind, uint32_t operation)
{
    struct {
        trace_head_t head;
        char text[64];
    } made = {.head = trace_head(TRACE_OPERATION, kind, operation, 0, sizeof(made))};
    strcpy(made.text, unknown("operation", operation));
    trace_head_t *kept = keep_record(m, &made.head);
    if (!kept || add_operation(&m->kinds, kept) != 0) return "unknown operation";
    return trace_record_text(kept, 0);
}

static const char *make_operation(out_model_t *m, uint32_t kind, uint32_t operation)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const char *name = known_operation(m, kind, operation);
    if (!name) name = keep_operation(m, kind, operation);
    pthread_mutex_unlock(&lock);
    return name;
}

const char *out_model_operation(out_model_t *m, uint32_t kind, uint32_t operation)
{
    kind &= TRACE_KIND_MAX;
    operation &= TRACE_OPERATION_MAX;
    const char *name = known_operation(m, kind, operation);
    return name ? name : make_operation(m, kind, operation);
}

const out_agent_t *out_model_find_agent(const out_model_t *m, uint64_t id)
{
    for (size_t i = 0; i < m->agent_count; i++)
        if (m->agents[i].record->id == id) return &m->agents[i];
    return NULL;
}

const char *out_model_agent(const out_model_t *m, uint64_t id)
{
    const out_agent_t *a = out_model_find_agent(m, id);
    return a ? a->label : unknown("agent", id);
}

const char *out_model_counter(const out_model_t *m, uint64_t id)
{
    trace_counter_t record = {.id = id};
    const trace_counter_t *key = &record, **found = NULL;
    if (m->counter_count)
        found = bsearch(&key, m->counters, m->counter_count, sizeof(key), by_counter);
    return found ? trace_record_text(&(*found)->head, 0) : unknown("counter", id);
}

const char *out_model_thread(const out_model_t *m, uint32_t tid)
{
    uint64_t place = out_numbers_get(&m->threads, tid);
    return place ? trace_record_text(m->records[place - 1], 0) : NULL;
}

out_arguments_t out_model_arguments(const out_model_t *m, const trace_timed_t *call)
{
    out_arguments_t a = {0};
    const trace_signature_t **row = m->signatures[trace_kind(call->head)];
    if (trace_type(call->head) == TRACE_MPI) {
        a.mpi.record = (const trace_mpi_t *)call;
        return a;
    }
    a.values = trace_call_values(call, &a.end);
    a.signature = row ? row[trace_operation(call->head)] : NULL;
    if (!a.values || !a.signature) return a;
    a.count = ((const trace_call_t *)call)->count;
    if (a.count > a.signature->count) a.count = a.signature->count;
    /* The name begins one byte before the first text, because out_arguments_next() skips a text and
     * its zero byte. */
    a.name = (const char *)(a.signature + 1) - 1;
    return a;
}

const char *out_arguments_value(out_arguments_t *a)
{
    if (a->next == a->count) return NULL;
    const char *zero = memchr(a->values, 0, (size_t)(a->end - a->values));
    if (!zero) return NULL;
    a->next++;
    a->value = a->values;
    a->values = zero + 1;
    return a->value;
}

static bool next_of_mpi(out_arguments_t *a)
{
    if (!trace_mpi_next(&a->mpi)) {
        trace_mpi_values_free(&a->mpi);
        return false;
    }
    a->type = a->mpi.type;
    a->name = a->mpi.name;
    a->value = a->mpi.text;
    return true;
}

bool out_arguments_next(out_arguments_t *a)
{
    if (a->mpi.record) return next_of_mpi(a);
    bool first = !a->next;
    if (!out_arguments_value(a)) return false;
    a->type = first ? a->name + 1 : a->name + strlen(a->name) + 1;
    a->name = a->type + strlen(a->type) + 1;
    return true;
}

const char *out_model_text(const out_model_t *m, uint64_t number)
{
    return number < m->text_room ? m->texts[number] : NULL;
}

const out_kernel_t *out_model_kernel(const out_model_t *m, uint64_t id)
{
    static const trace_kernel_t nothing;
    static const out_kernel_t missing = {.record = &nothing, .name = "unknown kernel"};
    trace_kernel_t record = {.id = id};
    out_kernel_t key = {.record = &record};
    const out_kernel_t *found = NULL;
    if (m->kernel_count) found = bsearch(&key, m->kernels, m->kernel_count, sizeof(key), by_kernel);
    return found ? found : &missing;
}
