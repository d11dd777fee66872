/* sink.c - see sink.h. Opening, metadata, fork. records.c makes a record, and segments.c has the
 * segment to which a thread writes it. */
#include "tool/sink.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "tool/att.h"
#include "tool/files.h"
#include "tool/flush.h"
#include "tool/formats.h"
#include "tool/names.h"
#include "tool/place.h"
#include "tool/records.h"
#include "tool/segments.h"
#include "tool/texts.h"
#include "tool/threads.h"
#include "trace/keys.h"
#include "trace/mpi.h"
#include "trace/reader.h"
#include "trace/run.h"
#include "trace/settings.h"
#include "trace/store.h"
#include "trace/writer.h"

static struct {
    pthread_mutex_t lock; /* guards all members; the threads' segments need no lock */
    sigset_t signals;     /* signals that were blocked before the lock's holder took the lock */
    pid_t pid;            /* the process that opened the store; 0 if none is open */
    char directory[PATH_MAX];
    char own_run[PATH_MAX];        /* the run directory, if this process has made it; else "" */
    trace_writer_t *meta, *shared; /* shared: counters, and records of threads without a segment */
    bool prepared, failure_told;
    uint64_t from; /* see tool_sink_from */
} sink = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Signals are blocked while the lock is held: a handler that makes a record would wait for ever. */
static void lock_sink(void)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&sink.lock);
    sink.signals = before;
}

static void unlock_sink(void)
{
    sigset_t before = sink.signals;
    pthread_mutex_unlock(&sink.lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

bool tool_sink_path(const char *name, char path[PATH_MAX])
{
    lock_sink();
    const bool open = sink.meta && trace_join(path, PATH_MAX, sink.directory, name) == 0;
    unlock_sink();
    return open;
}

bool tool_sink_is_mine(void)
{
    return sink.pid && sink.pid == getpid();
}

/* Reports a failure, such as a full disk, once on the program's stderr; the store's headers have
 * it, too. To be called with the lock held. Returns false once it has been reported. */
static bool tell_failure_of(const trace_writer_t *writer)
{
    const char *failure = writer ? trace_writer_failure(writer) : NULL;
    if (!failure) return true;
    sink.failure_told = true;
    base_error("%s are lost: %s: %s", writer == sink.meta ? "names" : "records", sink.directory,
               failure);
    return false;
}

static void tell_failure(void)
{
    if (sink.failure_told) return;
    if (tell_failure_of(sink.meta) && tell_failure_of(sink.shared))
        tool_segments_each(tell_failure_of);
}

static void put_info(const char *key, const char *value)
{
    trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
    const char *texts[] = {key, value};
    trace_writer_put_texts(sink.meta, &head, sizeof(head), texts, 2);
}

/* Computes output directory and name of this process. rocprofv3 has checked them, but a variable in
 * them may have another value in this process. If the names are invalid, the defaults are taken. */
static void expand_names(const trace_keys_t *keys, char directory[PATH_MAX], char name[PATH_MAX])
{
    char why[PATH_MAX];
    const char *d = trace_setting(TRACE_SET_OUTPUT_DIRECTORY),
               *n = trace_setting(TRACE_SET_OUTPUT_FILE);
    if (trace_keys_expand(keys, d, directory, PATH_MAX, why, sizeof(why)) != 0) {
        base_warning("ROCPROF_OUTPUT_PATH: %s%s%s", why, *keys->cwd ? "; using " : "", keys->cwd);
        snprintf(directory, PATH_MAX, "%s", keys->cwd);
    }
    bool stream = strcasecmp(directory, "stdout") == 0 || strcasecmp(directory, "stderr") == 0;
    if (*directory != '/' && *keys->cwd && !stream) {
        snprintf(why, sizeof(why), "%s", directory);
        trace_join(directory, PATH_MAX, keys->cwd, why);
    }
    if (trace_keys_expand(keys, n, name, PATH_MAX, why, sizeof(why)) != 0) {
        base_warning("ROCPROF_OUTPUT_FILE_NAME: %s; using %d", why, (int)keys->pid);
        snprintf(name, PATH_MAX, "%d", (int)keys->pid);
    }
}

/* Finds the run directory: the one that rocprofv3 names, or one below the output directory if the
 * library was loaded without rocprofv3. */
static bool find_run(const trace_keys_t *keys, const char *output, char run[PATH_MAX], char *why,
                     size_t why_bytes)
{
    char runs[PATH_MAX];
    const char *told = trace_setting_given(TRACE_SET_STORE_DIRECTORY);
    const char *temporary = trace_setting_given(TRACE_SET_TMPDIR);
    if (told && strlen(told) < PATH_MAX) {
        strcpy(run, told);
        return true;
    }
    const char *base = temporary ? temporary : output;
    if (*base != '/') base = keys->cwd; /* the output is a standard stream, not a directory */
    if (*base != '/') {
        snprintf(why, why_bytes, "no output directory is known");
        return false;
    }
    if (trace_runs_create(base, runs, sizeof(runs), why, why_bytes) != 0) return false;
    int n = snprintf(run, PATH_MAX, "%s/%d-tool", runs, (int)getpid());
    if (n >= PATH_MAX || trace_make_directories(run) != 0 || trace_run_write(run) != 0) {
        snprintf(why, why_bytes, "%s: %s", run, strerror(n >= PATH_MAX ? ENAMETOOLONG : errno));
        return false;
    }
    strcpy(sink.own_run, run);
    return true;
}

static void put_facts(const trace_keys_t *keys, const char *directory, const char *name)
{
    char text[4096], number[16];
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < keys->argc && used < sizeof(text); i++)
        used +=
            (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "", keys->argv[i]);
    if (used >= sizeof(text)) strcpy(text + sizeof(text) - sizeof(TRACE_CUT), TRACE_CUT);
    snprintf(number, sizeof(number), "%d", (int)keys->ppid);
    put_info(TRACE_INFO_DIRECTORY, directory);
    put_info(TRACE_INFO_NAME, name);
    put_info(TRACE_INFO_COMMAND, text);
    put_info(TRACE_INFO_PARENT, number);
    tool_place_put(keys, put_info);
    for (char **variable = environ; variable && *variable; variable++)
        put_info(TRACE_INFO_VARIABLE, *variable);
}

static void before_fork(void)
{
    lock_sink();
}
static void after_fork(void)
{
    unlock_sink();
}

static void in_child(void)
{
    trace_writer_forget(sink.meta);
    trace_writer_forget(sink.shared);
    tool_segments_forget();
    sink.meta = sink.shared = NULL;
    sink.own_run[0] = 0; /* the parent makes the output files of this run */
    unlock_sink();
}

static void prepare_once(void)
{
    if (sink.prepared) return;
    tool_segments_init(&sink.lock);
    pthread_atfork(before_fork, after_fork, in_child);
    sink.prepared = true;
}

/* To be called with the lock held. */
static bool open_store(void)
{
    char output[PATH_MAX], name[PATH_MAX], run[PATH_MAX] = "", why[PATH_MAX + 128] = "", file[32];
    trace_keys_t *keys = trace_keys_current();
    sink.directory[0] = 0;
    if (!keys) {
        snprintf(why, sizeof(why), "%s", strerror(ENOMEM));
        goto fail;
    }
    expand_names(keys, output, name);
    if (!find_run(keys, output, run, why, sizeof(why))) goto fail;
    if (trace_store_create(run, sink.directory, sizeof(sink.directory)) != 0) {
        snprintf(why, sizeof(why), "%s: %s", run, strerror(errno));
        goto fail;
    }
    tool_names_forget();
    sink.meta = trace_writer_open(sink.directory, TRACE_META_FILE, TRACE_CONTENTS_META, 0, why,
                                  sizeof(why));
    if (!sink.meta) goto fail;
    put_facts(keys, output, name);
    snprintf(file, sizeof(file), TRACE_RECORDS_FORMAT, 0u);
    sink.shared =
        trace_writer_open(sink.directory, file, TRACE_CONTENTS_RECORDS, 0, why, sizeof(why));
    if (!sink.shared) goto fail;
    sink.failure_told = false;
    tell_failure();
    prepare_once();
    sink.pid = getpid();
    trace_keys_free(keys);
    return true;
fail:
    base_error("nothing is traced: %s", why);
    trace_writer_close(sink.meta);
    sink.meta = NULL;
    /* the message above has reported the failure, so the store is not needed */
    if (*sink.directory) trace_remove(sink.directory);
    trace_keys_free(keys);
    return false;
}

/* Copies to a child's store the agents, code objects with their files, kernels, counters and texts
 * of the parent's. */
static void copy_metadata(const char *from)
{
    char path[PATH_MAX + 16], why[PATH_MAX + 128];
    trace_join(path, sizeof(path), from, TRACE_META_FILE);
    trace_reader_t *r = trace_reader_open(path, why, sizeof(why));
    if (!r) {
        base_error("names that process %d took from its parent are lost: %s", (int)getpid(), why);
        trace_writer_lose(sink.meta, "names of the parent process", ENOENT);
        return;
    }
    for (const trace_head_t *record; (record = trace_reader_next(r));) {
        uint32_t type = trace_type(*record);
        if (type == TRACE_AGENT || type == TRACE_CODE_OBJECT || type == TRACE_KERNEL ||
            type == TRACE_HOST_FUNCTION || type == TRACE_TEXT || type == TRACE_COUNTER ||
            type == TRACE_AGENT_PARTS || type == TRACE_DIMENSION || type == TRACE_INSTANCES)
            trace_writer_put(sink.meta, record);
        if (type == TRACE_CODE_OBJECT)
            tool_att_inherit_code(from, sink.directory, ((const trace_code_object_t *)record)->id);
    }
    trace_reader_close(r);
}

/* Returns whether there is a store to write to. In a forked child, the first call opens one. To be
 * called with the lock held. */
static bool is_ready(void)
{
    if (!sink.pid) return false;
    if (sink.pid == getpid()) return true;
    char parent[PATH_MAX];
    memcpy(parent, sink.directory, sizeof(parent));
    sink.pid = 0;
    if (!open_store()) return false;
    copy_metadata(parent);
    tool_flush_start_in_child();
    return true;
}

/* Puts the signature of an operation into the store, unless it is there. */
static void keep_signature(const tool_signature_t *s)
{
    lock_sink();
    tool_names_put_signature(sink.meta, s);
    unlock_sink();
}

/* Puts the types and names of a call's arguments into the store, once for each operation. */
static void put_signature(trace_head_t head, const rocprofiler_record_header_t *from)
{
    if (tool_names_has_signature(head)) return;
    const tool_signature_t s = tool_signature_of(head, from);
    keep_signature(&s);
}

bool tool_sink_open(void)
{
    lock_sink();
    bool done = open_store();
    if (done && tool_formats_want("json")) tool_names_put_all(sink.meta);
    unlock_sink();
    return done;
}

void tool_sink_from(uint64_t ns)
{
    sink.from = ns;
}

/* A cache of heads whose names the thread has found in the store, by kind and operation. It is
 * emptied when the thread takes a segment of another store. */
enum { NAMED = 32 };
static __thread trace_head_t named[NAMED] __attribute__((tls_model("initial-exec")));

/* Takes a segment for the calling thread, if there is one. Returns false if there is no store. */
static bool begin_thread(void)
{
    char why[PATH_MAX + 128];
    if (tool_segment_interrupted())
        return true; /* the store of the interrupted record is being closed */
    memset(named, 0, sizeof(named));
    lock_sink();
    bool open = is_ready();
    if (open && !tool_segment_take(sink.directory, why, sizeof(why)) && *why)
        base_warning("threads share a segment of the trace from now on: %s", why);
    unlock_sink();
    return open;
}

static inline trace_head_t *name_place(trace_head_t head)
{
    return &named[(trace_operation(head) ^ trace_kind(head)) % NAMED];
}

static void need_names(trace_head_t head)
{
    if (*name_place(head) == head) return;
    if (tool_names_has(head)) {
        *name_place(head) = head;
        return;
    }
    lock_sink();
    tool_names_put(sink.meta, head);
    tell_failure();
    unlock_sink();
}

static bool need_thread(void)
{
    return __builtin_expect(tool_segment_mine(), 1) || begin_thread();
}

/* The slow path: for records in two parts, threads without a segment, full disks. */
static void put(const void *fixed, size_t fixed_bytes, const void *rest, size_t rest_bytes)
{
    bool mine;
    if (tool_segment_put(fixed, fixed_bytes, rest, rest_bytes, &mine)) return;
    lock_sink();
    if (is_ready()) {
        if (!mine) {
            trace_writer_put_parts(sink.shared, fixed, fixed_bytes, rest, rest_bytes);
            trace_writer_count(sink.shared, 1, 0, 0);
        }
        tell_failure();
    }
    unlock_sink();
}

static void count_cut(uint64_t texts)
{
    lock_sink();
    if (is_ready()) trace_writer_cut(sink.meta, texts);
    unlock_sink();
}

/* The fast path, which nearly all records take. If it returns false, nothing has been done. */
static inline __attribute__((always_inline)) bool put_call(const rocprofiler_record_header_t *from)
{
    if (!tool_record_is_call(from) || !tool_segment_mine()) return false;
    trace_api_full_t *place = tool_segment_reserve(sizeof(*place));
    if (__builtin_expect(!place, 0)) return false;
    tool_record_call(place, from);
    if (__builtin_expect(place->start < sink.from || *name_place(place->head) != place->head, 0)) {
        tool_segment_abandon();
        return false;
    }
    tool_segment_commit(place);
    return true;
}

static __attribute__((noinline)) void put_record(rocprofiler_record_header_t *from)
{
    tool_values_t its_values, *values = &its_values;
    tool_record_t elsewhere, *place = tool_segment_reserve(sizeof(*place));
    tool_record_t *record = place ? place : &elsewhere;
    if (!tool_record_translate(record, values, from) || record->timed.start < sink.from) {
        if (place) tool_segment_abandon();
        tool_sink_filtered(1);
        return;
    }
    need_names(record->head);
    if (__builtin_expect(place && !values->bytes, 1)) {
        tool_segment_commit(place);
        return;
    }
    if (values->bytes) put_signature(record->head, from);
    if (values->cut) count_cut(values->cut);
    if (place) {
        elsewhere = *place;
        tool_segment_abandon();
    }
    put(&elsewhere, tool_record_bytes(&elsewhere, values), values->text, values->bytes);
}

static __attribute__((noinline)) void put_records(rocprofiler_record_header_t **headers,
                                                  size_t count, uint64_t lost)
{
    if (lost) tool_sink_lost(lost);
    if (!count || !need_thread()) return;
    for (size_t i = 0; i < count; i++)
        if (!put_call(headers[i])) put_record(headers[i]);
}

void tool_sink_records(rocprofiler_record_header_t **headers, size_t count, uint64_t lost)
{
    if (__builtin_expect(count == 1 && !lost && put_call(*headers), 1)) return;
    put_records(headers, count, lost);
}

void tool_sink_marker(const trace_marker_t *marker)
{
    if (!need_thread()) return;
    if (marker->start < sink.from) {
        tool_sink_filtered(1);
        return;
    }
    need_names(marker->head);
    put(marker, sizeof(*marker), NULL, 0);
}

void tool_sink_mpi(const trace_mpi_t *call, const void *rest, size_t bytes)
{
    if (!need_thread()) return;
    if (call->call.start < sink.from) {
        tool_sink_filtered(1);
        return;
    }
    need_names(call->call.head);
    put(call, sizeof(*call), rest, bytes);
}

void tool_sink_call(const trace_call_t *call, const tool_values_t *values, const char *const *texts)
{
    if (!need_thread()) return;
    if (call->call.start < sink.from) {
        tool_sink_filtered(1);
        return;
    }
    need_names(call->call.head);
    if (values->count && !tool_names_has_signature(call->call.head)) {
        tool_signature_t s = tool_signature_begin(call->call.head);
        s.record.count = values->count;
        memcpy(s.texts, texts, 2 * values->count * sizeof(*texts));
        keep_signature(&s);
    }
    if (values->cut) count_cut(values->cut);
    put(call, sizeof(*call), values->text, values->bytes);
}

static void put_launch(const trace_dispatch_t *record, size_t bytes, const void *values,
                       size_t value_bytes)
{
    if (record->start < sink.from) {
        tool_sink_filtered(1);
        return;
    }
    lock_sink();
    if (is_ready()) {
        tool_names_put(sink.meta, record->head);
        trace_writer_put_parts(sink.shared, record, bytes, values, value_bytes);
        trace_writer_count(sink.shared, 1, 0, 0);
        tell_failure();
    }
    unlock_sink();
}

void tool_sink_counters(const trace_counters_t *record, const trace_value_t *values)
{
    put_launch(&record->dispatch, sizeof(*record), values, record->count * sizeof(*values));
}

void tool_sink_readings(const trace_readings_t *record, const trace_reading_t *samples)
{
    put_launch(&record->dispatch, sizeof(*record), samples, record->count * sizeof(*samples));
}

void tool_sink_filtered(uint64_t count)
{
    lock_sink();
    if (is_ready()) trace_writer_count(sink.shared, count, 0, count);
    unlock_sink();
}

void tool_sink_lost(uint64_t count)
{
    lock_sink();
    if (is_ready()) trace_writer_count(sink.shared, count, count, 0);
    unlock_sink();
}

/* To be called with the lock held. */
static void put_text(uint32_t number, const char *text)
{
    trace_text_t record = {.head = trace_head(TRACE_TEXT, 0, 0, 0, sizeof(record)), .id = number};
    trace_writer_put_texts(sink.meta, &record, sizeof(record), &text, 1);
}

void tool_sink_texts_again(void)
{
    lock_sink();
    if (is_ready()) tool_texts_each(put_text);
    unlock_sink();
}

uint32_t tool_sink_text(const char *text)
{
    uint32_t number = tool_text_find(text);
    if (number) return number;
    lock_sink();
    number = tool_text_find(text);
    if (!number && is_ready()) {
        number = tool_text_add(text);
        put_text(number, text);
        tell_failure();
    }
    unlock_sink();
    return number;
}

void tool_sink_fact(const void *record, size_t bytes, const char *const *texts, size_t count)
{
    lock_sink();
    if (is_ready()) {
        trace_writer_put_texts(sink.meta, record, bytes, texts, count);
        tell_failure();
    }
    unlock_sink();
}

void tool_sink_rows(const trace_table_t *table, const uint64_t *numbers)
{
    lock_sink();
    if (is_ready())
        trace_writer_put_parts(sink.meta, table, sizeof(*table), numbers,
                               table->rows * table->columns * sizeof(*numbers));
    unlock_sink();
}

typedef struct {
    char text[1024];
    size_t used;
} runtimes_t;

static int add_runtime(struct dl_phdr_info *info, size_t bytes, void *to)
{
    static const char *const names[] = {"libamdhip64.", "libhsa-runtime64.", "librccl.",
                                        "librocdecode."};
    runtimes_t *r = to;
    char path[PATH_MAX];
    (void)bytes;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strncmp(base_last_part(info->dlpi_name), names[i], strlen(names[i])) != 0) continue;
        const char *file = base_last_part(realpath(info->dlpi_name, path) ? path : info->dlpi_name);
        int n = snprintf(r->text + r->used, sizeof(r->text) - r->used, "%s%s", r->used ? ", " : "",
                         file);
        if (n > 0 && r->used + (size_t)n < sizeof(r->text)) r->used += (size_t)n;
    }
    return 0;
}

static void put_thread(uint32_t tid, const char *name)
{
    tool_names_put_thread(sink.meta, tid, name);
}

void tool_sink_close(bool ends)
{
    runtimes_t runtimes = {0};
    if (!tool_sink_is_mine()) return;
    /* takes the loader's lock, so the sink's lock is not held */
    dl_iterate_phdr(add_runtime, &runtimes);
    lock_sink();
    put_info(TRACE_INFO_RUNTIMES, runtimes.text);
    tool_place_put_end(put_info);
    tool_threads_alive(put_thread); /* a thread may have got its name after its first record */
    sink.pid = 0;
    tool_segments_close();
    trace_writer_close(sink.shared);
    trace_writer_close(sink.meta);
    sink.shared = sink.meta = NULL;
    unlock_sink();
    if (sink.own_run[0] && ends && tool_files_possible())
        tool_files_make(sink.own_run);
    else if (sink.own_run[0])
        base_warning("records are in %s; 'rocprofv3 convert %s' makes files of them", sink.own_run,
                     sink.own_run);
    sink.own_run[0] = 0;
}
