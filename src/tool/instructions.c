/* instructions.c - see instructions.h. The one file that knows the software GPU, and that only by
 * the public header of its functions; they are found at run time or not at all. */
#include "tool/instructions.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "base/log.h"
#include "softgpu/instruction_counts.h"
#include "tool/att.h"
#include "tool/counting.h"
#include "tool/facts.h"
#include "tool/selects.h"
#include "trace/format.h"
#include "trace/instructions.h"

enum { ROWS = 64 };

typedef struct {
    uint64_t id, base, size;
    int64_t delta;
} object_t;

typedef struct {
    uint64_t object, id; /* descriptor's address; kernel id */
} kernel_t;

static struct {
    const softgpu_instruction_counts_api_t *api;
    pthread_mutex_t lock; /* the two lists */
    object_t *objects;
    size_t object_count;
    kernel_t *kernels; /* in the order of their registration: the last of an address counts */
    size_t kernel_count;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What a reading writes. */
typedef struct {
    uint64_t kernel, object; /* ids, 0: not known */
    uint64_t group;
    size_t count;
    uint64_t rows[ROWS][TRACE_INSTRUCTION_COLUMNS];
} rows_t;

bool tool_instructions_wanted(void)
{
    return base_env_bool("ROCPROF_INSTRUCTION_COUNTS", false);
}

/* ---- what is loaded ---- */

/* Puts an element behind the others. False: no memory. */
static bool append(void *list, size_t *count, const void *element, size_t bytes)
{
    char **items = list;
    char *grown = realloc(*items, (*count + 1) * bytes);
    if (!grown) return false;
    memcpy(grown + *count * bytes, element, bytes);
    *items = grown;
    ++*count;
    return true;
}

void tool_instructions_object(const rocprofiler_callback_tracing_code_object_load_data_t *o)
{
    const object_t object = {o->code_object_id, o->load_base, o->load_size, o->load_delta};
    pthread_mutex_lock(&state.lock);
    const bool good = append(&state.objects, &state.object_count, &object, sizeof(object));
    pthread_mutex_unlock(&state.lock);
    if (!good) base_error("no memory: instructions of a code object are not counted");
}

void tool_instructions_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *k)
{
    const kernel_t kernel = {k->kernel_object, k->kernel_id};
    pthread_mutex_lock(&state.lock);
    const bool good = append(&state.kernels, &state.kernel_count, &kernel, sizeof(kernel));
    pthread_mutex_unlock(&state.lock);
    if (!good) base_error("no memory: instructions of %s are not counted", k->kernel_name);
}

/* 0: none is known. */
static uint64_t kernel_at(uint64_t object)
{
    uint64_t id = 0;
    pthread_mutex_lock(&state.lock);
    for (size_t i = state.kernel_count; i-- && !id;)
        if (state.kernels[i].object == object) id = state.kernels[i].id;
    pthread_mutex_unlock(&state.lock);
    return id;
}

static object_t object_at(uint64_t address)
{
    object_t found = {0};
    pthread_mutex_lock(&state.lock);
    for (size_t i = 0; i < state.object_count; i++)
        if (address - state.objects[i].base < state.objects[i].size) found = state.objects[i];
    pthread_mutex_unlock(&state.lock);
    return found;
}

/* ---- reading ---- */

static void write_rows(rows_t *r)
{
    if (r->count)
        tool_fact_table(TRACE_INSTRUCTIONS, r->object, 0, TRACE_INSTRUCTION_COLUMNS, r->rows[0],
                        r->count);
    r->count = 0;
}

static void put_kernel(uint64_t kernel, const softgpu_counted_kernel_t *k)
{
    const uint64_t row[TRACE_COUNTED_COLUMNS] = {[TRACE_COUNTED_KERNEL] = kernel,
                                                 [TRACE_COUNTED_DISPATCHES] = k->dispatches,
                                                 [TRACE_COUNTED_WAVES] = k->waves,
                                                 [TRACE_COUNTED_LOST] = k->lost,
                                                 [TRACE_COUNTED_GROUP] = k->group,
                                                 [TRACE_COUNTED_LEVEL] =
                                                     SOFTGPU_INSTRUCTION_EXACT_LEVEL,
                                                 [TRACE_COUNTED_BY] = TRACE_COUNTED_BY_KERNEL};
    tool_fact_table(TRACE_COUNTED_KERNELS, 0, 0, TRACE_COUNTED_COLUMNS, row, 1);
}

/* Counting begins, or all is written. */
static void put_whole(bool written)
{
    put_kernel(0, &(softgpu_counted_kernel_t){.dispatches = written});
}

static void on_counted_kernel(const softgpu_counted_kernel_t *k, void *user)
{
    rows_t *r = user;
    write_rows(r);
    r->kernel = kernel_at(k->kernel_object);
    r->group = k->group;
    put_kernel(r->kernel, k);
}

static void on_instruction(const softgpu_instruction_t *i, void *user)
{
    rows_t *r = user;
    const object_t object = object_at(i->address);
    if (object.id != r->object || r->count == ROWS) write_rows(r);
    r->object = object.id;
    uint64_t *to = r->rows[r->count++];
    *to++ = r->kernel;
    *to++ = i->address - (uint64_t)object.delta;
    *to++ = i->n_words;
    *to++ = i->words[0] | (uint64_t)i->words[1] << 32;
    *to++ = i->words[2];
    *to++ = r->group;
    memcpy(to, &i->counts, sizeof(i->counts));
}

static void read_range(uint64_t first, uint64_t end)
{
    rows_t rows = {0};
    const softgpu_instruction_range_t range = {.first = first, .end = end, .forget = true};
    const softgpu_instruction_visitor_t visitor = {.size = sizeof(visitor),
                                                   .kernel = on_counted_kernel,
                                                   .instruction = on_instruction,
                                                   .user = &rows};
    const int error = state.api->read(&range, &visitor);
    write_rows(&rows);
    if (error) base_error("counts of instructions are lost: %s", strerror(error));
}

void tool_instructions_unload(const rocprofiler_callback_tracing_code_object_load_data_t *o)
{
    if (!state.api) return;
    read_range(o->load_base, o->load_base + o->load_size);
    pthread_mutex_lock(&state.lock);
    for (size_t i = 0; i < state.object_count; i++)
        if (state.objects[i].id == o->code_object_id)
            state.objects[i--] = state.objects[--state.object_count];
    pthread_mutex_unlock(&state.lock);
}

/* ---- begin and end ---- */

/* A launch is one of its kernel's runs for who comes first; counters and traces do. Kernels that
 * nobody loaded are the runtime's own, for copies: they have no dispatch records either. */
static bool is_selected(const softgpu_counted_dispatch_t *d, uint64_t *group, void *user)
{
    const uint64_t kernel = kernel_at(d->kernel_object);
    (void)group, (void)user;
    if (!kernel) return false;
    return tool_counting_wanted() || tool_att_wanted() ? tool_selects_name(kernel)
                                                       : tool_selects(kernel);
}

bool tool_instructions_start(void)
{
    static const softgpu_instruction_options_t options = {.size = sizeof(options),
                                                          .wanted = is_selected};
    softgpu_instruction_counts_fn_t *find;
    void *symbol = dlsym(RTLD_DEFAULT, SOFTGPU_INSTRUCTION_COUNTS_SYMBOL);
    char why[512];
    if (!symbol) {
        base_error("instructions are not counted: only a software GPU can; --att traces them, and "
                   "PC sampling samples them");
        return false;
    }
    if (!tool_selects_read(why, sizeof(why))) {
        base_error("instructions are not counted: %s", why);
        return false;
    }
    memcpy(&find, &symbol, sizeof(find));
    const softgpu_instruction_counts_api_t *api = find(SOFTGPU_INSTRUCTION_COUNTS_VERSION);
    const int error = api ? api->start(&options) : ENOSYS;
    if (error) {
        base_error("instructions are not counted: %s", strerror(error));
        return false;
    }
    state.api = api;
    put_whole(false);
    return true;
}

void tool_instructions_stop(void)
{
    if (!state.api) return;
    state.api->stop();
    read_range(0, 0);
    put_whole(true);
}
