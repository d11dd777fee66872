/* threads.c - see threads.h. The threads are in a hash table that is replaced by a larger one when
 * it grows. Other threads may still be reading the old table, so it is kept: all old tables
 * together are as large as the new one. */
#include "tool/threads.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

typedef struct table {
    size_t size, count; /* `size` is a power of two; at most half of it is used */
    struct table *older;
    uint32_t tids[]; /* 0: unused */
} table_t;

static table_t *current;

/* Returns the thread's row in the table, or the unused row where it belongs. */
static uint32_t *place(table_t *t, uint32_t tid)
{
    for (size_t at = tid;; at++) {
        uint32_t *slot = &t->tids[at & (t->size - 1)];
        uint32_t there = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (!there || there == tid) return slot;
    }
}

bool tool_thread_known(uint32_t tid)
{
    table_t *t = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    return t && __atomic_load_n(place(t, tid), __ATOMIC_RELAXED) == tid;
}

void tool_thread_add(uint32_t tid)
{
    table_t *old = current;
    if (!old || 2 * old->count >= old->size) {
        size_t size = old ? 2 * old->size : 64;
        table_t *t = calloc(1, sizeof(*t) + size * sizeof(*t->tids));
        if (!t) return;
        *t = (table_t){.size = size, .older = old};
        for (size_t i = 0; old && i < old->size; i++)
            if (old->tids[i]) *place(t, old->tids[i]) = old->tids[i];
        t->count = old ? old->count : 0;
        __atomic_store_n(&current, t, __ATOMIC_RELEASE);
    }
    current->count++;
    __atomic_store_n(place(current, tid), tid, __ATOMIC_RELAXED);
}

void tool_threads_clear(void)
{
    for (size_t i = 0; current && i < current->size; i++)
        __atomic_store_n(&current->tids[i], 0, __ATOMIC_RELAXED);
    if (current) current->count = 0;
}

bool tool_thread_name(uint32_t tid, char name[TOOL_THREAD_NAME])
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/task/%u/comm", tid);
    int fd = base_file_open(path, O_RDONLY, 0);
    if (fd < 0) return false;
    ssize_t bytes = read(fd, name, TOOL_THREAD_NAME - 1);
    close(fd);
    name[bytes > 0 ? bytes : 0] = 0;
    name[strcspn(name, "\n")] = 0;
    return *name;
}

void tool_threads_alive(void (*each)(uint32_t tid, const char *name))
{
    char name[TOOL_THREAD_NAME];
    DIR *tasks = base_file_folder("/proc/self/task");
    if (!tasks) return;
    for (struct dirent *e; (e = readdir(tasks));) {
        uint32_t tid = (uint32_t)strtoul(e->d_name, NULL, 10);
        if (tid && tool_thread_known(tid) && tool_thread_name(tid, name)) each(tid, name);
    }
    closedir(tasks);
}
