/* instructions.c - see instructions.h. Only this file calls the software GPU. Its functions have a
 * public header and are looked up at run time: without a software GPU there are none. */
#include "tool/instructions.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "softgpu/instruction_counts.h"
#include "tool/att.h"
#include "tool/counting.h"
#include "tool/facts.h"
#include "tool/launches.h"
#include "tool/selects.h"
#include "trace/format.h"
#include "trace/instructions.h"
#include "trace/settings.h"

enum { ROWS = 64 };

typedef struct {
    uint64_t id, base, size;
    int64_t delta;
} object_t;

typedef struct {
    uint64_t object, id; /* address of the kernel's descriptor, and kernel id */
} kernel_t;

/* A kernel that is being read, and rows of its instructions, which are collected and written as one
 * record. */
typedef struct {
    bool open;                   /* the kernel's own row is not written yet */
    softgpu_counted_kernel_t of; /* it has the group */
    uint64_t kernel, object;     /* ids; 0: not known */
    size_t count;
    uint64_t rows[ROWS][TRACE_INSTRUCTION_COLUMNS];
} rows_t;

static struct {
    const softgpu_instruction_counts_api_t *api;
    pthread_mutex_t lock; /* guards the two lists */
    object_t *objects;
    size_t object_count;
    kernel_t *kernels; /* in the order of their registration; of several with the same address, the
                        * last is valid */
    size_t kernel_count;
    trace_counted_by_t by;
    uint32_t level;
    bool launches;     /* the launch of each kernel that begins is looked up (launches.h) */
    rows_t rows;       /* rows of single dispatches */
    _Atomic bool ends; /* softgpu calls `end` */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool tool_instructions_wanted(void)
{
    return trace_setting_on(TRACE_SET_INSTRUCTION_COUNTS);
}

/* Returns the index of the value among the setting's words, which stand in the order of an
 * enumeration: SOFTGPU_INSTRUCTION_*_LEVEL, trace_counted_by_t. Any other value selects the
 * first. */
static unsigned choice(trace_setting_id_t id)
{
    const int place = trace_setting_choice(id);
    return place < 0 ? 0 : (unsigned)place;
}

static trace_counted_by_t summed_by(void)
{
    return (trace_counted_by_t)choice(TRACE_SET_INSTRUCTION_COUNTS_BY);
}

bool tool_instructions_by_range(void)
{
    return tool_instructions_wanted() && summed_by() == TRACE_COUNTED_BY_RANGE;
}

/* ---- what is loaded ---- */

/* Appends an element to a growing array. Returns false if there is no memory. */
static bool append(void *list, size_t *count, const void *element, size_t bytes)
{
    if (!base_grow_by_one(list, *count, bytes)) return false;
    memcpy(*(char **)list + (*count)++ * bytes, element, bytes);
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

/* Returns the id of the kernel with this descriptor; 0 if none is known. */
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
    const uint64_t row[TRACE_COUNTED_COLUMNS] = {
        [TRACE_COUNTED_KERNEL] = kernel,  [TRACE_COUNTED_DISPATCHES] = k->dispatches,
        [TRACE_COUNTED_WAVES] = k->waves, [TRACE_COUNTED_LOST] = k->lost,
        [TRACE_COUNTED_GROUP] = k->group, [TRACE_COUNTED_LEVEL] = state.level,
        [TRACE_COUNTED_BY] = state.by};
    tool_fact_table(TRACE_COUNTED_KERNELS, 0, 0, TRACE_COUNTED_COLUMNS, row, 1);
}

/* Puts the row of kernel 0 (trace/instructions.h): with `written`, all counts have been written;
 * else counting begins. */
static void put_whole(bool written)
{
    put_kernel(0, &(softgpu_counted_kernel_t){.dispatches = written});
}

/* ORDER: the kernel's row is the last, so that a store of a process that was killed has it only if
 * it has all of the kernel's instructions. */
static void close_kernel(rows_t *r)
{
    write_rows(r);
    if (r->open) put_kernel(r->kernel, &r->of);
    r->open = false;
}

/* A softgpu that does not call `end` is done with the kernel before. */
static void on_counted_kernel(const softgpu_counted_kernel_t *k, void *user)
{
    rows_t *r = user;
    close_kernel(r);
    r->open = true;
    r->of = *k;
    r->kernel = kernel_at(k->kernel_object);
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
    *to++ = r->of.group;
    memcpy(to, &i->counts, sizeof(i->counts));
}

static void on_kernel_end(void *user)
{
    close_kernel(user);
    atomic_store_explicit(&state.ends, true, memory_order_relaxed);
}

static void read_range(uint64_t first, uint64_t end)
{
    rows_t rows = {0};
    const softgpu_instruction_range_t range = {.first = first, .end = end, .forget = true};
    const softgpu_instruction_visitor_t visitor = {.size = sizeof(visitor),
                                                   .kernel = on_counted_kernel,
                                                   .instruction = on_instruction,
                                                   .user = &rows,
                                                   .end = on_kernel_end};
    const int error = state.api->read(&range, &visitor);
    close_kernel(&rows);
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

/* Decides whether the dispatch is counted, and under which group. Kernels that are in none of the
 * SDK's code objects are the runtime's own, for copies, and have no dispatch records either. A
 * kernel that begins without a launch is run again by the SDK for more counters. */
static bool is_selected(const softgpu_counted_dispatch_t *d, uint64_t *group, void *user)
{
    tool_launch_t launch = {.kernel = kernel_at(d->kernel_object)};
    (void)user;
    if (!launch.kernel) return false;
    memcpy(launch.grid, d->grid, sizeof(launch.grid));
    memcpy(launch.workgroup, d->workgroup, sizeof(launch.workgroup));
    if (state.launches && !tool_launches_take(&launch, d->queue)) return false;
    if (state.by == TRACE_COUNTED_BY_DISPATCH) *group = launch.dispatch;
    if (state.by == TRACE_COUNTED_BY_RANGE) *group = launch.range;
    return tool_selects_begun(launch.kernel);
}

/* Follows launches if counts are by dispatch or range: then it must be known to which launch a
 * kernel belongs that begins. */
static rocprofiler_status_t follow_launches(rocprofiler_context_id_t always)
{
    state.launches = state.by != TRACE_COUNTED_BY_KERNEL || trace_setting_on(TRACE_SET_REPLAY_MODE);
    return state.launches ? tool_launches_configure(always) : ROCPROFILER_STATUS_SUCCESS;
}

static int start_counting(void)
{
    static const softgpu_instruction_visitor_t each = {.size = sizeof(each),
                                                       .kernel = on_counted_kernel,
                                                       .instruction = on_instruction,
                                                       .user = &state.rows,
                                                       .end = on_kernel_end};
    const softgpu_instruction_options_t options = {
        .size = sizeof(options),
        .wanted = is_selected,
        .each_dispatch = state.by == TRACE_COUNTED_BY_DISPATCH ? &each : NULL,
        .level = state.level};
    return state.api ? state.api->start(&options) : ENOSYS;
}

bool tool_instructions_start(rocprofiler_context_id_t always)
{
    static const char failure[] = "instructions are not counted: %s";
    softgpu_instruction_counts_fn_t *find;
    void *symbol = dlsym(RTLD_DEFAULT, SOFTGPU_INSTRUCTION_COUNTS_SYMBOL);
    char why[512];
    if (!symbol) {
        base_error(failure, "only a software GPU can; --att traces them, and PC sampling samples "
                            "them");
        return false;
    }
    if (!tool_selects_read(why, sizeof(why))) {
        base_error(failure, why);
        return false;
    }
    state.by = summed_by();
    state.level = choice(TRACE_SET_INSTRUCTION_COUNTS_LEVEL);
    const rocprofiler_status_t status = follow_launches(always);
    if (status != ROCPROFILER_STATUS_SUCCESS) {
        base_error(failure, rocprofiler_get_status_string(status));
        return false;
    }
    memcpy(&find, &symbol, sizeof(find));
    state.api = find(SOFTGPU_INSTRUCTION_COUNTS_VERSION);
    const int error = start_counting();
    if (error) {
        base_error(failure, strerror(error));
        state.api = NULL;
        return false;
    }
    put_whole(false);
    return true;
}

void tool_instructions_stop(void)
{
    if (!state.api) return;
    state.api->stop();
    read_range(0, 0);
    /* else the rows are written, or softgpu's thread is about to write those of a last dispatch */
    if (!atomic_load_explicit(&state.ends, memory_order_relaxed)) close_kernel(&state.rows);
    put_whole(true);
}
