/* follow.c - see follow.h. A store that has disappeared was converted; its records still count. */
#include "output/follow.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"
#include "model/numbers.h"
#include "trace/names.h"
#include "trace/process.h"
#include "trace/reader.h"
#include "trace/store.h"

typedef struct {
    char *path;
    uint64_t place; /* offset at which reading continues */
    trace_counts_t counts;
} segment_t;

typedef struct {
    char *path;
    segment_t *segments; /* the first one is meta.seg */
    size_t segment_count;
    out_numbers_t kernels; /* by id: index in `names`, plus 1 */
    uint64_t counted;      /* id of the dispatch of the last record with counters */
    uint32_t pid;
    uint64_t process_start;
    bool traced; /* the store has records of dispatches: those with counters are not counted
                  * again */
    bool closed, over;
} store_t;

struct out_follow {
    char *directory;
    store_t *stores;
    size_t store_count;
    out_followed_kernel_t *names; /* in the order of their first dispatch */
    size_t name_count;
    out_followed_t shown;
    bool failed;
};

/* Makes room for one more element, which is zeroed. */
static void *one_more(out_follow_t *f, void *rows, size_t count, size_t bytes)
{
    const bool grown = base_grow_by_one(rows, count, bytes);
    f->failed |= !grown;
    return grown ? memset(*(char **)rows + count * bytes, 0, bytes) : NULL;
}

out_follow_t *out_follow_begin(const char *directory)
{
    out_follow_t *f = calloc(1, sizeof(*f));
    if (f) f->directory = strdup(directory);
    if (f && f->directory) return f;
    free(f);
    return NULL;
}

/* ---- records ---- */

static uint64_t place_of(out_follow_t *f, const char *symbol)
{
    char *name = trace_kernel_name(symbol, TRACE_NAMES_DEMANGLED);
    for (size_t i = 0; name && i < f->name_count; i++) {
        if (strcmp(f->names[i].name, name) != 0) continue;
        free(name);
        return i + 1;
    }
    out_followed_kernel_t *k = name ? one_more(f, &f->names, f->name_count, sizeof(*k)) : NULL;
    if (!k) {
        f->failed = true;
        free(name);
        return 0;
    }
    k->name = name;
    return ++f->name_count;
}

static void take_dispatch(out_follow_t *f, store_t *s, const trace_dispatch_t *d)
{
    const uint64_t place = out_numbers_get(&s->kernels, d->kernel);
    if (!place || place > f->name_count) return;
    out_followed_kernel_t *k = &f->names[place - 1];
    const uint64_t time = d->end > d->start ? d->end - d->start : 0;
    k->calls++;
    k->total_ns += time;
    if (time > k->longest_ns) k->longest_ns = time;
}

static void take_record(out_follow_t *f, store_t *s, const trace_head_t *record)
{
    switch (trace_type(*record)) {
    case TRACE_KERNEL: {
        const uint64_t place = place_of(f, trace_record_text(record, 0));
        const uint64_t id = ((const trace_kernel_t *)record)->id;
        if (place && !out_numbers_get(&s->kernels, id) && !out_numbers_set(&s->kernels, id, place))
            f->failed = true;
        break;
    }
    case TRACE_DISPATCH:
        s->traced = true;
        take_dispatch(f, s, (const trace_dispatch_t *)record);
        break;
    case TRACE_COUNTERS: {
        const trace_dispatch_t *d = (const trace_dispatch_t *)record;
        if (!s->traced && d->dispatch != s->counted) take_dispatch(f, s, d);
        s->counted = d->dispatch;
        break;
    }
    default: break;
    }
}

static void read_segment(out_follow_t *f, store_t *s, segment_t *g)
{
    char why[PATH_MAX + 256];
    trace_reader_t *r = trace_reader_open(g->path, why, sizeof(why));
    if (!r) return; /* the file is just being made, or has been removed */
    const trace_segment_header_t *h = trace_reader_header(r);
    s->pid = h->pid;
    s->process_start = h->process_start;
    if (g == s->segments) s->closed = h->closed_ns != 0;
    g->counts = h->counts;
    trace_reader_from(r, g->place);
    for (const trace_head_t *record; (record = trace_reader_next(r));)
        take_record(f, s, record);
    g->place = trace_reader_place(r);
    trace_reader_close(r);
}

/* ---- files ---- */

static segment_t *segment_of(out_follow_t *f, store_t *s, const char *name)
{
    char path[PATH_MAX];
    if (trace_join(path, sizeof(path), s->path, name) != 0) return NULL;
    for (size_t i = 0; i < s->segment_count; i++)
        if (strcmp(s->segments[i].path, path) == 0) return &s->segments[i];
    segment_t *g = one_more(f, &s->segments, s->segment_count, sizeof(*g));
    if (!g || !(g->path = strdup(path))) {
        f->failed = true;
        return NULL;
    }
    s->segment_count++;
    return g;
}

static bool has_ended(const store_t *s)
{
    uint64_t start;
    if (s->closed || !s->pid) return s->closed;
    return trace_process_start((pid_t)s->pid, &start) == 0 && start != s->process_start;
}

/* Reads a store, names first, because dispatches are counted by name. */
static void read_store(out_follow_t *f, store_t *s)
{
    segment_t *meta = segment_of(f, s, TRACE_META_FILE);
    char **names = trace_list(s->path);
    s->over = !names || has_ended(s);
    if (meta && names) read_segment(f, s, meta);
    for (char **name = names; name && *name; name++) {
        const char *dot = strrchr(*name, '.');
        if (!dot || strcmp(dot, ".seg") != 0 || strcmp(*name, TRACE_META_FILE) == 0) continue;
        segment_t *g = segment_of(f, s, *name);
        if (g) read_segment(f, s, g);
    }
    trace_list_free(names);
}

static void add_store(out_follow_t *f, const char *path)
{
    struct stat st;
    char meta[PATH_MAX];
    for (size_t i = 0; i < f->store_count; i++)
        if (strcmp(f->stores[i].path, path) == 0) return;
    if (trace_join(meta, sizeof(meta), path, TRACE_META_FILE) != 0 || stat(meta, &st) != 0) return;
    store_t *s = one_more(f, &f->stores, f->store_count, sizeof(*s));
    if (!s || !(s->path = strdup(path)))
        f->failed = true;
    else
        f->store_count++;
}

static void add_run(out_follow_t *f, const char *run)
{
    char path[PATH_MAX];
    char **names = trace_list(run);
    for (char **name = names; name && *name; name++)
        if (trace_join(path, sizeof(path), run, *name) == 0) add_store(f, path);
    trace_list_free(names);
}

static void find_stores(out_follow_t *f)
{
    char runs[PATH_MAX], path[PATH_MAX];
    if (trace_join(runs, sizeof(runs), f->directory, TRACE_RUNS_DIRECTORY) != 0) return;
    char **names = trace_list(runs);
    for (char **name = names; name && *name; name++)
        if (trace_join(path, sizeof(path), runs, *name) == 0) add_run(f, path);
    if (!names) add_run(f, f->directory);
    trace_list_free(names);
}

/* ---- the result ---- */

static int longer(const void *left, const void *right)
{
    const out_followed_kernel_t *a = left, *b = right;
    if (a->total_ns != b->total_ns) return a->total_ns < b->total_ns ? 1 : -1;
    return strcmp(a->name, b->name);
}

static void add_up(out_follow_t *f)
{
    out_followed_t *to = &f->shown;
    f->failed |= !base_resize(&to->kernels, f->name_count + 1, sizeof(*to->kernels));
    if (f->failed) return;
    *to = (out_followed_t){.kernels = to->kernels, .processes = (unsigned)f->store_count};
    for (size_t i = 0; i < f->store_count; i++) {
        const store_t *s = &f->stores[i];
        to->ended += s->over;
        /* records in the first segment are names, not calls */
        for (size_t j = 1; j < s->segment_count; j++) {
            const trace_counts_t *n = &s->segments[j].counts;
            to->counts.received += n->received;
            to->counts.written += n->written;
            to->counts.dropped += n->dropped;
            to->counts.filtered += n->filtered;
        }
    }
    for (size_t i = 0; i < f->name_count; i++) {
        if (!f->names[i].calls) continue;
        to->kernels[to->kernel_count++] = f->names[i];
        to->calls += f->names[i].calls;
        to->total_ns += f->names[i].total_ns;
    }
    qsort(to->kernels, to->kernel_count, sizeof(*to->kernels), longer);
}

const out_followed_t *out_follow_look(out_follow_t *f)
{
    find_stores(f);
    for (size_t i = 0; i < f->store_count; i++)
        read_store(f, &f->stores[i]);
    if (!f->failed) add_up(f);
    return f->failed ? NULL : &f->shown;
}

void out_follow_end(out_follow_t *f)
{
    if (!f) return;
    for (size_t i = 0; i < f->store_count; i++) {
        store_t *s = &f->stores[i];
        for (size_t j = 0; j < s->segment_count; j++)
            free(s->segments[j].path);
        free(s->segments);
        free(s->kernels.rows);
        free(s->path);
    }
    for (size_t i = 0; i < f->name_count; i++)
        free(f->names[i].name);
    free(f->names);
    free(f->shown.kernels);
    free(f->stores);
    free(f->directory);
    free(f);
}
