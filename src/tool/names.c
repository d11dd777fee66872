/* names.c - see names.h. The bits say what is in the store, so that each name is written once. */
#include "tool/names.h"

#include <errno.h>
#include <stdlib.h>

#include "tool/fields.h"
#include "tool/threads.h"
#include "trace/mpi.h"

enum { ROW_WORDS = (TRACE_OPERATION_MAX + 1) / 64 };

/* A bit for each kind and operation whose name, or signature, is in the store. A bit is set under
 * the sink's lock and read without it. */
static struct {
    uint64_t kinds[(TRACE_KIND_MAX + 1) / 64];
    uint64_t *operations[TRACE_KIND_MAX + 1];
    uint64_t *signatures[TRACE_KIND_MAX + 1];
} written;

static void clear_bits(uint64_t *bits, size_t words)
{
    for (size_t i = 0; bits && i < words; i++)
        __atomic_store_n(&bits[i], 0, __ATOMIC_RELAXED);
}

/* The bits are cleared, not freed: threads that record late may still read them. */
void tool_names_forget(void)
{
    clear_bits(written.kinds, sizeof(written.kinds) / sizeof(*written.kinds));
    for (size_t i = 0; i <= TRACE_KIND_MAX; i++) {
        clear_bits(written.operations[i], ROW_WORDS);
        clear_bits(written.signatures[i], ROW_WORDS);
    }
    tool_threads_clear();
}

/* The next two functions know the names of one kind that is not the SDK's. */
enum {
    OWN_KINDS = 0
#define KIND_OWN(...) +1
#include "trace/kinds.def"
};
_Static_assert(OWN_KINDS == 1, "a further kind of our own needs its names here, its records in "
                               "rocpd/store.c, and a number beside TRACE_KIND_MPI_API");

static void put_kind(trace_writer_t *meta, trace_head_t of)
{
    const char *name = NULL;
    uint32_t kind = trace_kind(of);
    trace_head_t head = trace_head(TRACE_KIND, kind, 0, 0, sizeof(head));
    if (kind == TRACE_KIND_MPI_API)
        name = TRACE_MPI_KIND_NAME;
    else
        rocprofiler_query_buffer_tracing_kind_name((rocprofiler_buffer_tracing_kind_t)kind, &name,
                                                   NULL);
    if (name) trace_writer_put_texts(meta, &head, sizeof(head), &name, 1);
}

static void put_operation(trace_writer_t *meta, trace_head_t of)
{
    const char *name = NULL;
    uint32_t kind = trace_kind(of), operation = trace_operation(of);
    trace_head_t head = trace_head(TRACE_OPERATION, kind, operation, 0, sizeof(head));
    const trace_mpi_function_t *mpi =
        kind == TRACE_KIND_MPI_API ? trace_mpi_function(operation) : NULL;
    if (mpi)
        name = mpi->name;
    else
        rocprofiler_query_buffer_tracing_kind_operation_name(
            (rocprofiler_buffer_tracing_kind_t)kind, (rocprofiler_tracing_operation_t)operation,
            &name, NULL);
    if (name) trace_writer_put_texts(meta, &head, sizeof(head), &name, 1);
}

static void set_bit(uint64_t *bits, uint32_t index)
{
    __atomic_fetch_or(&bits[index / 64], UINT64_C(1) << index % 64, __ATOMIC_RELEASE);
}

/* Unless the bit is set, calls `put`, which writes the name for the bit, and then sets the bit. */
static void put_once(trace_writer_t *meta, uint64_t *bits, uint32_t index, trace_head_t head,
                     void (*put)(trace_writer_t *meta, trace_head_t head))
{
    if (bits[index / 64] >> index % 64 & 1) return;
    put(meta, head);
    set_bit(bits, index);
}

/* Returns the bits of a kind's operations, which are made if they are not there; NULL without
 * memory: then names are missing in the store. */
static uint64_t *row_of(trace_writer_t *meta, uint64_t *rows[], uint32_t kind)
{
    uint64_t *row = rows[kind];
    if (!row) row = calloc(ROW_WORDS, sizeof(*row));
    if (!row) trace_writer_lose(meta, "name of an operation", ENOMEM);
    __atomic_store_n(&rows[kind], row, __ATOMIC_RELEASE);
    return row;
}

/* May be called by any thread, without the lock. */
static bool has_bit(uint64_t *const rows[], uint32_t kind, uint32_t operation)
{
    const uint64_t *row = __atomic_load_n(&rows[kind], __ATOMIC_ACQUIRE);
    return row && __atomic_load_n(&row[operation / 64], __ATOMIC_ACQUIRE) >> operation % 64 & 1;
}

void tool_names_put_thread(trace_writer_t *meta, uint32_t tid, const char *name)
{
    trace_head_t head = trace_head(TRACE_THREAD, 0, 0, tid, sizeof(head));
    trace_writer_put_texts(meta, &head, sizeof(head), &name, 1);
}

void tool_names_put(trace_writer_t *meta, trace_head_t head)
{
    char name[TOOL_THREAD_NAME];
    uint32_t kind = trace_kind(head), operation = trace_operation(head), tid = trace_thread(head);
    put_once(meta, written.kinds, kind, head, put_kind);
    uint64_t *bits = row_of(meta, written.operations, kind);
    if (bits) put_once(meta, bits, operation, head, put_operation);
    if (!tid || tool_thread_known(tid)) return;
    tool_thread_add(tid);
    if (tool_thread_name(tid, name)) tool_names_put_thread(meta, tid, name);
}

bool tool_names_has(trace_head_t head)
{
    return has_bit(written.operations, trace_kind(head), trace_operation(head)) &&
           tool_thread_known(trace_thread(head));
}

static int add_argument(rocprofiler_buffer_tracing_kind_t kind,
                        rocprofiler_tracing_operation_t operation, uint32_t number,
                        const void *const address, int32_t indirections, const char *type,
                        const char *name, const char *value, void *data)
{
    tool_signature_t *s = data;
    (void)kind, (void)operation, (void)number, (void)address, (void)indirections, (void)value;
    s->texts[2 * s->record.count] = type;
    s->texts[2 * s->record.count + 1] = name;
    return ++s->record.count == TRACE_ARGUMENTS_MAX;
}

bool tool_names_has_signature(trace_head_t head)
{
    return has_bit(written.signatures, trace_kind(head), trace_operation(head));
}

tool_signature_t tool_signature_begin(trace_head_t head)
{
    return (tool_signature_t){.record.head =
                                  trace_head(TRACE_SIGNATURE, trace_kind(head),
                                             trace_operation(head), 0, sizeof(trace_signature_t))};
}

tool_signature_t tool_signature_of(trace_head_t head, const rocprofiler_record_header_t *from)
{
    tool_signature_t s = tool_signature_begin(head);
    tool_fields_each(from, add_argument, &s);
    return s;
}

void tool_names_put_signature(trace_writer_t *meta, const tool_signature_t *s)
{
    const trace_head_t head = s->record.head;
    uint64_t *bits = row_of(meta, written.signatures, trace_kind(head));
    if (!bits || tool_names_has_signature(head)) return;
    trace_writer_put_texts(meta, &s->record, sizeof(s->record), s->texts, 2 * s->record.count);
    set_bit(bits, trace_operation(head));
}

static void put_callback_name(trace_writer_t *meta, trace_head_t head, const char *name)
{
    trace_writer_put_texts(meta, &head, sizeof(head), &name, 1);
}

static int put_callback_operation(rocprofiler_callback_tracing_kind_t kind,
                                  rocprofiler_tracing_operation_t operation, void *data)
{
    const char *name;
    if (rocprofiler_query_callback_tracing_kind_operation_name(kind, operation, &name, NULL) ==
        ROCPROFILER_STATUS_SUCCESS)
        put_callback_name(
            data, trace_head(TRACE_CALLBACK_OPERATION, kind, (uint32_t)operation, 0, 0), name);
    return 0;
}

static void put_callback_names(trace_writer_t *meta)
{
    const char *name;
    for (uint32_t i = 0; i < ROCPROFILER_CALLBACK_TRACING_LAST; i++) {
        rocprofiler_callback_tracing_kind_t kind = (rocprofiler_callback_tracing_kind_t)i;
        if (rocprofiler_query_callback_tracing_kind_name(kind, &name, NULL) ==
            ROCPROFILER_STATUS_SUCCESS)
            put_callback_name(meta, trace_head(TRACE_CALLBACK_KIND, i, 0, 0, 0), name);
        rocprofiler_iterate_callback_tracing_kind_operations(kind, put_callback_operation, meta);
    }
}

static int put_buffer_operation(rocprofiler_buffer_tracing_kind_t kind,
                                rocprofiler_tracing_operation_t operation, void *data)
{
    tool_names_put(data, trace_head(0, kind, (uint32_t)operation, 0, 0));
    return 0;
}

void tool_names_put_all(trace_writer_t *meta)
{
    for (uint32_t kind = 0; kind < ROCPROFILER_BUFFER_TRACING_LAST; kind++)
        rocprofiler_iterate_buffer_tracing_kind_operations((rocprofiler_buffer_tracing_kind_t)kind,
                                                           put_buffer_operation, meta);
    put_callback_names(meta);
}
