/* pool.c - pools of records, and the stacks of external ids, whose records precede some others.
 *
 * A buffer has records from its beginning and their texts from its end. When they meet, the buffer
 * is given to the callback while the second one is filled. If that is full as well, its writer
 * waits for the callback. */
#include "roctracer/internal.h"

#include <pthread.h>
#include <stdlib.h>

struct rtr_pool {
    roctracer_properties_t properties;
    pthread_mutex_t lock;     /* guards the buffer that is filled */
    pthread_mutex_t delivery; /* guards the callback and the other buffer; taken before `lock` */
    char *buffers[2];
    int filled;    /* index of the buffer that is being filled */
    size_t used;   /* bytes of records in that buffer */
    size_t text;   /* offset at which its texts begin */
    unsigned held; /* number of users, under pools_lock; an open pool counts as one */
    rtr_pool_t *next;
};

static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static rtr_pool_t *pools; /* list of the open pools */
static rtr_pool_t *default_pool;

static char *get_memory(const roctracer_properties_t *properties)
{
    char *memory = NULL;
    if (properties->alloc_fun)
        properties->alloc_fun(&memory, properties->buffer_size, properties->alloc_arg);
    else
        memory = malloc(properties->buffer_size);
    return memory;
}

static void put_memory(const roctracer_properties_t *properties, char *memory)
{
    if (!memory) return;
    if (properties->alloc_fun)
        properties->alloc_fun(&memory, 0, properties->alloc_arg);
    else
        free(memory);
}

static void destroy(rtr_pool_t *pool)
{
    for (int i = 0; i < 2; i++)
        put_memory(&pool->properties, pool->buffers[i]);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->delivery);
    free(pool);
}

rtr_pool_t *rtr_hold(roctracer_pool_t *wanted)
{
    pthread_mutex_lock(&pools_lock);
    rtr_pool_t *found = wanted ? wanted : default_pool;
    rtr_pool_t *pool = pools;
    while (pool && pool != found)
        pool = pool->next;
    if (pool) pool->held++;
    pthread_mutex_unlock(&pools_lock);
    return pool;
}

void rtr_release(rtr_pool_t *pool)
{
    pthread_mutex_lock(&pools_lock);
    bool last = --pool->held == 0;
    pthread_mutex_unlock(&pools_lock);
    if (last) destroy(pool);
}

/* Passes the contents of the buffer to the callback. */
static void deliver(rtr_pool_t *pool)
{
    pthread_mutex_lock(&pool->delivery);
    pthread_mutex_lock(&pool->lock);
    char *full = pool->buffers[pool->filled];
    size_t used = pool->used;
    pool->filled = !pool->filled;
    pool->used = 0;
    pool->text = pool->properties.buffer_size;
    pthread_mutex_unlock(&pool->lock);
    if (used && pool->properties.buffer_callback_fun)
        pool->properties.buffer_callback_fun(full, full + used,
                                             pool->properties.buffer_callback_arg);
    pthread_mutex_unlock(&pool->delivery);
}

/* Returns false if the record does not fit now. A text larger than a buffer is cut. */
static bool put(rtr_pool_t *pool, const activity_record_t *record, const char *text, size_t length)
{
    size_t most = pool->properties.buffer_size - sizeof *record;
    if (length > most) length = most;
    if (pool->text - pool->used < sizeof *record + length) return false;
    char *buffer = pool->buffers[pool->filled];
    activity_record_t *at = (activity_record_t *)(void *)(buffer + pool->used);
    *at = *record;
    pool->used += sizeof *record;
    if (!length) return true;
    pool->text -= length;
    memcpy(buffer + pool->text, text, length);
    buffer[pool->text + length - 1] = '\0';
    at->kernel_name = buffer + pool->text;
    return true;
}

void rtr_write(rtr_pool_t *pool, const activity_record_t *record, const char *text)
{
    size_t length = text ? strlen(text) + 1 : 0;
    while (true) {
        pthread_mutex_lock(&pool->lock);
        bool done = put(pool, record, text, length);
        pthread_mutex_unlock(&pool->lock);
        if (done) return;
        deliver(pool);
    }
}

RTR_API roctracer_status_t roctracer_open_pool_expl(const roctracer_properties_t *properties,
                                                    roctracer_pool_t **handle)
{
    if (!properties || properties->buffer_size < sizeof(activity_record_t))
        return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
                         "a pool needs properties and a buffer of at least %zu bytes",
                         sizeof(activity_record_t));
    rtr_pool_t *pool = calloc(1, sizeof *pool);
    if (!pool) return rtr_error(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION, "no memory for a pool");
    pool->properties = *properties;
    pool->text = properties->buffer_size;
    pool->held = 1;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_mutex_init(&pool->delivery, NULL);
    for (int i = 0; i < 2; i++)
        pool->buffers[i] = get_memory(properties);
    if (!pool->buffers[0] || !pool->buffers[1]) {
        destroy(pool);
        return rtr_error(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION,
                         "no memory for two buffers of %zu bytes", properties->buffer_size);
    }
    pthread_mutex_lock(&pools_lock);
    bool second = !handle && default_pool;
    if (!second) {
        pool->next = pools;
        pools = pool;
        if (handle)
            *handle = pool;
        else
            default_pool = pool;
    }
    pthread_mutex_unlock(&pools_lock);
    if (!second) return ROCTRACER_STATUS_SUCCESS;
    destroy(pool);
    return rtr_error(ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED,
                     "the default pool is open already");
}

RTR_API roctracer_status_t roctracer_open_pool(const roctracer_properties_t *properties)
{
    return roctracer_open_pool_expl(properties, NULL);
}

RTR_API roctracer_status_t roctracer_flush_activity_expl(roctracer_pool_t *handle)
{
    rtr_pool_t *pool = rtr_hold(handle);
    if (!pool) return ROCTRACER_STATUS_SUCCESS;
    rtr_collect();
    deliver(pool);
    rtr_release(pool);
    return ROCTRACER_STATUS_SUCCESS;
}

RTR_API roctracer_status_t roctracer_flush_activity(void)
{
    return roctracer_flush_activity_expl(NULL);
}

RTR_API roctracer_status_t roctracer_close_pool_expl(roctracer_pool_t *handle)
{
    rtr_pool_t *pool = rtr_hold(handle);
    if (!pool) return ROCTRACER_STATUS_SUCCESS;
    rtr_collect();
    rtr_forget_pool(pool);
    pthread_mutex_lock(&pools_lock);
    rtr_pool_t **link = &pools;
    while (*link && *link != pool)
        link = &(*link)->next;
    bool closes = *link; /* false: another thread closes it */
    if (closes) {
        *link = pool->next;
        pool->held--;
    }
    if (default_pool == pool) default_pool = NULL;
    pthread_mutex_unlock(&pools_lock);
    deliver(pool);
    rtr_release(pool);
    return ROCTRACER_STATUS_SUCCESS;
}

RTR_API roctracer_status_t roctracer_close_pool(void)
{
    return roctracer_close_pool_expl(NULL);
}

RTR_API roctracer_pool_t *roctracer_default_pool_expl(roctracer_pool_t *pool)
{
    pthread_mutex_lock(&pools_lock);
    roctracer_pool_t *before = default_pool;
    if (pool) default_pool = pool;
    pthread_mutex_unlock(&pools_lock);
    return before;
}

RTR_API roctracer_pool_t *roctracer_default_pool(void)
{
    return roctracer_default_pool_expl(NULL);
}

RTR_API roctracer_status_t roctracer_next_record(const activity_record_t *record,
                                                 const activity_record_t **next)
{
    if (!record || !next)
        return rtr_error(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT, "a pointer is null");
    *next = record + 1;
    return ROCTRACER_STATUS_SUCCESS;
}

/* External ids: each thread that has any has a stack, which is freed when the thread ends. */
typedef struct {
    size_t count, room;
    activity_correlation_id_t ids[];
} id_stack_t;

static pthread_key_t stack_key;
static pthread_once_t stack_once = PTHREAD_ONCE_INIT;
static bool stack_fails;

static void make_key(void)
{
    stack_fails = pthread_key_create(&stack_key, free) != 0;
}

static id_stack_t *own_stack(void)
{
    pthread_once(&stack_once, make_key);
    return stack_fails ? NULL : pthread_getspecific(stack_key);
}

bool rtr_external_id(activity_correlation_id_t *id)
{
    id_stack_t *stack = own_stack();
    if (!stack || !stack->count) return false;
    *id = stack->ids[stack->count - 1];
    return true;
}

RTR_API roctracer_status_t
roctracer_activity_push_external_correlation_id(activity_correlation_id_t id)
{
    id_stack_t *stack = own_stack();
    if (!stack || stack->count == stack->room) {
        size_t room = stack ? 2 * stack->room : 16;
        id_stack_t *larger =
            stack_fails ? NULL : realloc(stack, sizeof *larger + room * sizeof larger->ids[0]);
        if (!larger)
            return rtr_error(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION, "no memory for an id");
        if (!stack) larger->count = 0;
        larger->room = room;
        /* this may fail for a thread's first id */
        bool kept = pthread_setspecific(stack_key, larger) == 0;
        if (!kept) {
            free(larger);
            return rtr_error(ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION, "no memory for an id");
        }
        stack = larger;
    }
    stack->ids[stack->count++] = id;
    return ROCTRACER_STATUS_SUCCESS;
}

RTR_API roctracer_status_t
roctracer_activity_pop_external_correlation_id(activity_correlation_id_t *last_id)
{
    id_stack_t *stack = own_stack();
    bool empty = !stack || !stack->count;
    activity_correlation_id_t id = empty ? 0 : stack->ids[--stack->count];
    if (last_id) *last_id = id;
    if (!empty) return ROCTRACER_STATUS_SUCCESS;
    return rtr_error(ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID,
                     "this thread has no external correlation id");
}
