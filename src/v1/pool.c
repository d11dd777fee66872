/* pool.c - contexts that are made in advance and reused, so that a dispatch needs no open and no
 * close.
 *
 * An entry is free, fetched (by the program), or flying (a kernel uses one of its groups). */
#include "v1/v1.h"

#include <stdlib.h>
#include <string.h>

typedef struct v1_pool v1_pool_t;

typedef struct v1_entry {
    v1_context_t *context;
    v1_pool_t *pool;
    struct v1_entry *next_free;
    bool fetched;
    void *payload;
} v1_entry_t;

struct v1_pool {
    v1_pool_t *next;
    v1_entry_t *entries, *free;
    uint32_t count;
    uint32_t flying; /* number of entries that a kernel uses, or whose handler runs */
    rocprofiler_pool_handler_t handler;
    void *handler_arg;
    char *payloads;
};

static v1_pool_t *pools; /* list of all open pools */

static v1_pool_t *find(const char *function, const rocprofiler_pool_t *handle)
{
    pthread_mutex_lock(&v1_lock);
    v1_pool_t *pool = pools;
    while (pool && pool != handle)
        pool = pool->next;
    pthread_mutex_unlock(&v1_lock);
    if (!pool) v1_invalid("%s: %p is no open pool", function, handle);
    return pool;
}

static void free_pool(v1_pool_t *pool)
{
    for (uint32_t i = 0; pool->entries && i < pool->count; i++) {
        v1_context_t *context = pool->entries[i].context;
        if (!context) continue;
        context->entry = NULL;
        rocprofiler_close(context);
    }
    free(pool->entries);
    free(pool->payloads);
    free(pool);
}

hsa_status_t rocprofiler_pool_open(hsa_agent_t agent, rocprofiler_feature_t *features,
                                   uint32_t feature_count, rocprofiler_pool_t **pool, uint32_t mode,
                                   rocprofiler_pool_properties_t *properties)
{
    if (!pool || !properties || !properties->num_entries)
        return v1_invalid("%s: %s", __func__,
                          !pool         ? "pool is NULL"
                          : !properties ? "properties are NULL"
                                        : "num_entries is 0");
    if (mode & ROCPROFILER_MODE_STANDALONE)
        return v1_invalid("%s: mode STANDALONE is not for pools: their contexts are for kernels",
                          __func__);
    size_t payload = ((size_t)properties->payload_bytes + 15) & ~(size_t)15;
    v1_pool_t *p = calloc(1, sizeof *p);
    hsa_status_t status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (!p) goto fail;
    p->count = properties->num_entries;
    p->handler = properties->handler;
    p->handler_arg = properties->handler_arg;
    p->entries = calloc(p->count, sizeof *p->entries);
    p->payloads = calloc(p->count, payload + 1);
    if (!p->entries || !p->payloads) goto fail;
    for (uint32_t i = 0; i < p->count; i++) {
        v1_entry_t *e = &p->entries[i];
        status = v1_context_open(__func__, agent, features, feature_count, true, &e->context, mode,
                                 NULL);
        if (status) {
            e->context = NULL;
            free_pool(p);
            return status;
        }
        e->context->entry = e;
        e->pool = p;
        e->payload = p->payloads + i * payload;
        e->next_free = p->free;
        p->free = e;
    }
    pthread_mutex_lock(&v1_lock);
    p->next = pools;
    pools = p;
    pthread_mutex_unlock(&v1_lock);
    *pool = p;
    return HSA_STATUS_SUCCESS;
fail:
    if (p) free_pool(p);
    return v1_error(status, "%s: no memory for %u entries", __func__, properties->num_entries);
}

/* ---- entries ---- */

hsa_status_t rocprofiler_pool_fetch(rocprofiler_pool_t *pool, rocprofiler_pool_entry_t *entry)
{
    v1_pool_t *p = find(__func__, pool);
    if (!p) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!entry) return v1_null(__func__, "entry");
    uint64_t deadline = v1_deadline();
    pthread_mutex_lock(&v1_lock);
    while (!p->free && v1_wait(deadline)) {
    }
    v1_entry_t *e = p->free;
    if (e) {
        p->free = e->next_free;
        e->fetched = true;
    }
    pthread_mutex_unlock(&v1_lock);
    if (!e)
        return v1_failed("%s: all %u entries stayed in use for %llu ns", __func__, p->count,
                         (unsigned long long)v1_settings.timeout);
    *entry = (rocprofiler_pool_entry_t){e->context, e->payload};
    return HSA_STATUS_SUCCESS;
}

static bool is_flying(const v1_entry_t *e)
{
    for (uint32_t i = 0; i < e->context->group_count; i++)
        if (e->context->groups[i].state == V1_FLYING) return true;
    return false;
}

/* To be called with v1_lock held. */
static void put_back(v1_entry_t *e)
{
    e->fetched = false;
    e->next_free = e->pool->free;
    e->pool->free = e;
    pthread_cond_broadcast(&v1_changed);
}

hsa_status_t rocprofiler_pool_release(rocprofiler_pool_entry_t *entry)
{
    if (!entry) return v1_null(__func__, "entry");
    v1_context_t *context = v1_context_find(__func__, entry->context);
    if (!context) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const char *wrong = NULL;
    pthread_mutex_lock(&v1_lock);
    v1_entry_t *e = context->entry;
    if (!e)
        wrong = "the context is of no pool";
    else if (!e->fetched)
        wrong = "the entry is not fetched";
    else if (is_flying(e))
        wrong = "a kernel still has the entry";
    else
        put_back(e);
    pthread_mutex_unlock(&v1_lock);
    return wrong ? v1_invalid("%s: %s", __func__, wrong) : HSA_STATUS_SUCCESS;
}

void v1_entry_flies(v1_entry_t *e)
{
    pthread_mutex_lock(&v1_lock);
    e->pool->flying++;
    pthread_mutex_unlock(&v1_lock);
}

void v1_entry_ready(v1_entry_t *e, bool lost)
{
    v1_pool_t *p = e->pool;
    rocprofiler_pool_entry_t entry = {e->context, e->payload};
    if (p->handler && !lost) p->handler(&entry, p->handler_arg);
    pthread_mutex_lock(&v1_lock);
    if (p->handler && e->fetched) put_back(e);
    p->flying--;
    pthread_cond_broadcast(&v1_changed);
    pthread_mutex_unlock(&v1_lock);
}

hsa_status_t rocprofiler_pool_iterate(rocprofiler_pool_t *pool,
                                      hsa_status_t (*callback)(rocprofiler_pool_entry_t *entry,
                                                               void *data),
                                      void *data)
{
    v1_pool_t *p = find(__func__, pool);
    if (!p) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!callback) return v1_null(__func__, "callback");
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (uint32_t i = 0; i < p->count && !status; i++) {
        pthread_mutex_lock(&v1_lock);
        bool fetched = p->entries[i].fetched;
        pthread_mutex_unlock(&v1_lock);
        rocprofiler_pool_entry_t entry = {p->entries[i].context, p->entries[i].payload};
        if (fetched) status = callback(&entry, data);
    }
    return status;
}

hsa_status_t rocprofiler_pool_flush(rocprofiler_pool_t *pool)
{
    v1_pool_t *p = find(__func__, pool);
    if (!p) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint64_t deadline = v1_deadline();
    pthread_mutex_lock(&v1_lock);
    while (p->flying && v1_life() && v1_wait(deadline)) {
    }
    uint32_t left = p->flying;
    pthread_mutex_unlock(&v1_lock);
    return left ? v1_failed("%s: %u kernels have not completed", __func__, left)
                : HSA_STATUS_SUCCESS;
}

hsa_status_t rocprofiler_pool_close(rocprofiler_pool_t *pool)
{
    v1_pool_t *p = find(__func__, pool);
    if (!p) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = rocprofiler_pool_flush(pool);
    if (status) return status;
    pthread_mutex_lock(&v1_lock);
    v1_pool_t **link = &pools;
    while (*link && *link != p)
        link = &(*link)->next;
    bool ours = *link;
    if (ours) *link = p->next;
    pthread_mutex_unlock(&v1_lock);
    if (ours) free_pool(p);
    return HSA_STATUS_SUCCESS;
}
