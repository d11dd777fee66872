/* selects.c - see selects.h. */
#include "tool/selects.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"
#include "trace/names.h"
#include "trace/selection.h"
#include "trace/settings.h"

enum { BLOCK_KERNELS = 1024, BLOCKS_MAX = 4096 };

/* The runs of a kernel are counted twice: when they are launched, and when they begin. */
typedef enum { LAUNCHED, BEGUN, WHENS } when_t;

typedef struct {
    bool known, selected;
    uint64_t iterations[WHENS];
} kernel_t;

static struct {
    trace_selection_t selection;
    trace_names_t names;
    kernel_t *kernels[BLOCKS_MAX]; /* blocks of kernels, by kernel id; a block is set once and never
                                    * removed */
    pthread_mutex_t lock;          /* taken to set a block */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool tool_selects_read(char *why, size_t why_bytes)
{
    state.names = trace_setting_on(TRACE_SET_TRUNCATE_KERNELS)  ? TRACE_NAMES_TRUNCATED
                  : trace_setting_on(TRACE_SET_MANGLED_KERNELS) ? TRACE_NAMES_MANGLED
                                                                : TRACE_NAMES_DEMANGLED;
    return trace_selection_read(
               &state.selection, trace_setting_given(TRACE_SET_KERNEL_INCLUDE_REGEX),
               trace_setting_given(TRACE_SET_KERNEL_EXCLUDE_REGEX),
               trace_setting_given(TRACE_SET_KERNEL_ITERATION_RANGE), why, why_bytes) == 0;
}

static kernel_t *find_kernel(uint64_t id, bool make)
{
    if (id / BLOCK_KERNELS >= BLOCKS_MAX) return NULL;
    kernel_t **slot = &state.kernels[id / BLOCK_KERNELS];
    kernel_t *block = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (!block && make) {
        pthread_mutex_lock(&state.lock);
        block = *slot ? *slot : calloc(BLOCK_KERNELS, sizeof(*block));
        __atomic_store_n(slot, block, __ATOMIC_RELEASE);
        pthread_mutex_unlock(&state.lock);
    }
    return block ? &block[id % BLOCK_KERNELS] : NULL;
}

void tool_selects_kernel(
    const rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t *k)
{
    kernel_t *kernel = find_kernel(k->kernel_id, true);
    char *name = kernel ? trace_kernel_name(k->kernel_name, state.names) : NULL;
    if (!name) {
        base_warning("what is selected by names and numbers leaves %s out: no memory, or too many "
                     "kernels",
                     k->kernel_name);
        return;
    }
    bool selected = trace_selects_kernel(&state.selection, name);
    free(name);
    kernel->selected = selected;
    __atomic_store_n(&kernel->known, true, __ATOMIC_RELEASE);
}

/* Counts a run of the kernel, on any agent, and returns whether it is selected. */
static bool selects(uint64_t id, when_t when)
{
    kernel_t *kernel = find_kernel(id, false);
    if (!kernel || !__atomic_load_n(&kernel->known, __ATOMIC_ACQUIRE))
        return !state.selection.include && !state.selection.range_count;
    if (!kernel->selected) return false;
    uint64_t iteration = __atomic_add_fetch(&kernel->iterations[when], 1, __ATOMIC_RELAXED);
    return trace_selects_iteration(&state.selection, iteration);
}

bool tool_selects(uint64_t id)
{
    return selects(id, LAUNCHED);
}

bool tool_selects_begun(uint64_t id)
{
    return selects(id, BEGUN);
}

void tool_selects_again(void)
{
    for (size_t i = 0; i < BLOCKS_MAX; i++)
        for (size_t j = 0; state.kernels[i] && j < BLOCK_KERNELS; j++)
            for (unsigned when = 0; when < WHENS; when++)
                __atomic_store_n(&state.kernels[i][j].iterations[when], 0, __ATOMIC_RELAXED);
}
