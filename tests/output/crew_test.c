/* crew_test.c - files are the same however many threads render them, and where no thread can be
 * made; memory does not grow with them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/convert.h"
#include "output/crew.h"
#include "trace/store.h"
#include "trace/writer.h"

enum {
    API = 5,
    API_WITH_VALUES = 21,
    MARKER = 7,
    KFD = 25,
    RECORDS = 20000,
    NAMED = 30,      /* operations; later ones have none */
    LONGEST = 70000, /* of a value: more than a batch holds */
    ARGUMENTS = 2
};

static char directory[64], store[80];
static const char *formats = "csv,json,pftrace";

static trace_writer_t *open_writer(const char *name, uint32_t contents)
{
    char why[256];
    trace_writer_t *w = trace_writer_open(store, name, contents, 0, why, sizeof(why));
    if (!w) fail_msg("%s", why);
    return w;
}

static void put_text(trace_writer_t *w, trace_head_t head, const char *text)
{
    assert_true(trace_writer_put_texts(w, &head, sizeof(head), &text, 1));
}

static void put_names(trace_writer_t *w)
{
    static const char *const facts[][2] = {{TRACE_INFO_DIRECTORY, "/"}, {TRACE_INFO_NAME, "x"}};
    char text[64];
    for (size_t i = 0; i < 2; i++) {
        trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
        assert_true(trace_writer_put_texts(w, &head, sizeof(head), facts[i], 2));
    }
    put_text(w, trace_head(TRACE_KIND, API, 0, 0, 0), "HIP_RUNTIME_API");
    put_text(w, trace_head(TRACE_KIND, MARKER, 0, 0, 0), "MARKER_CORE_API");
    for (uint32_t i = 0; i < NAMED; i++) {
        snprintf(text, sizeof(text), "hip\"%u", i);
        put_text(w, trace_head(TRACE_OPERATION, API, i, 0, 0), text);
        trace_signature_t s = {.head = trace_head(TRACE_SIGNATURE, API_WITH_VALUES, i, 0, 0),
                               .count = ARGUMENTS};
        const char *texts[] = {"int", "a", "char *", "b\\"};
        assert_true(trace_writer_put_texts(w, &s, sizeof(s), texts, 2 * ARGUMENTS));
        trace_text_t t = {.head = trace_head(TRACE_TEXT, 0, 0, 0, 0), .id = i + 1};
        const char *own = text;
        assert_true(trace_writer_put_texts(w, &t, sizeof(t), &own, 1));
    }
}

static void put_call_with_values(trace_writer_t *w, const trace_api_t *plain, uint32_t i)
{
    static char values[LONGEST + 16];
    size_t longest = i == RECORDS / 2 ? LONGEST : i % 40;
    size_t bytes = (size_t)snprintf(values, 16, "%u", i) + 1;
    memset(values + bytes, "x\"\n"[i % 3], longest);
    bytes += longest;
    do
        values[bytes++] = 0;
    while (bytes % 8);
    trace_call_t call = {
        .call = {.head = trace_head(TRACE_API, API_WITH_VALUES, i % NAMED, 9, sizeof(call) + bytes),
                 .start = plain->start,
                 .end = plain->end,
                 .correlation = plain->correlation,
                 .ancestor = plain->correlation - 1},
        .result = i,
        .count = ARGUMENTS,
        .has_result = 1};
    assert_true(trace_writer_put_parts(w, &call, sizeof(call), values, bytes));
}

/* Of every form, so that what formats write once, or in turns, comes between the calls. */
static void put_record(trace_writer_t *w, uint32_t i, uint32_t segment)
{
    uint64_t start = 1000000000u + 97u * i + segment, id = 2u * i + segment + 1;
    uint32_t thread = 7 + i % 5;
    trace_api_t call = {trace_head(TRACE_API, API, i % 40, thread, sizeof(call)), start, start + 60,
                        id};
    trace_dispatch_t d = {.head = trace_head(TRACE_DISPATCH, 11, 2, thread, sizeof(d)),
                          .start = start,
                          .end = start + 500,
                          .correlation = id,
                          .agent = 1,
                          .kernel = i % 3,
                          .dispatch = id,
                          .stream = i % 2};
    trace_copy_t copy = {.head = trace_head(TRACE_COPY, 10, i % 5, thread, sizeof(copy)),
                         .start = start,
                         .end = start + 900,
                         .correlation = id,
                         .bytes = i};
    trace_allocation_t given = {.head = trace_head(TRACE_ALLOCATION, 16, 1, thread, sizeof(given)),
                                .start = start,
                                .end = start,
                                .agent = 1,
                                .address = 4096u * (i + 1),
                                .bytes = i};
    trace_marker_t marker = {.head =
                                 trace_head(TRACE_MARKER, MARKER, i % 2, thread, sizeof(marker)),
                             .start = start,
                             .end = start + i % 3,
                             .correlation = id,
                             .text = i % (NAMED + 5)};
    trace_api_t event = {trace_head(TRACE_API, KFD, 1, 0, sizeof(event)), start, start + i % 2, 0};
    const void *forms[] = {&d, &copy, &given, &marker, &event};
    if (i % 16 < 5)
        assert_true(trace_writer_put(w, forms[i % 16]));
    else if (i % 4 == 1)
        put_call_with_values(w, &call, i);
    else
        assert_true(trace_writer_put(w, &call));
}

static void put_segments(uint32_t records)
{
    for (uint32_t segment = 0; segment < 2; segment++) {
        char name[32], path[128];
        snprintf(name, sizeof(name), TRACE_RECORDS_FORMAT, segment);
        assert_int_equal(trace_join(path, sizeof(path), store, name), 0);
        unlink(path); /* of fewer or more records */
        trace_writer_t *w = open_writer(name, TRACE_CONTENTS_RECORDS);
        for (uint32_t i = 0; i < records; i++)
            put_record(w, i, segment);
        trace_writer_close(w);
    }
}

static int make_store(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/crew-test-XXXXXX");
    if (!mkdtemp(directory)) return -1;
    snprintf(store, sizeof(store), "%s/store", directory);
    if (mkdir(store, 0700) != 0) return -1;
    trace_writer_t *w = open_writer(TRACE_META_FILE, TRACE_CONTENTS_META);
    put_names(w);
    trace_writer_close(w);
    put_segments(RECORDS);
    return 0;
}

static int remove_store(void **state)
{
    (void)state;
    return trace_remove(directory);
}

static const char *chosen_formats(const void *from, const char *name)
{
    (void)from;
    return strcmp(name, "ROCPROF_OUTPUT_FORMAT") == 0 ? formats : NULL;
}

static out_result_t convert(unsigned threads, const char *to)
{
    char why[512] = "";
    out_config_t config;
    out_result_t result;
    out_conversion_t c = {.config = &config, .threads = threads, .directory = to};
    assert_int_equal(out_config_read(&config, chosen_formats, NULL, why, sizeof(why)), 0);
    if (out_convert(&c, store, &result, why, sizeof(why)) != 0) fail_msg("%s", why);
    out_conversion_free(&c);
    out_config_free(&config);
    return result;
}

static char *whole(const char *folder, const char *name, size_t *bytes)
{
    char path[512], *data;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("%s: %s", path, strerror(errno));
    struct stat st;
    assert_int_equal(fstat(fileno(f), &st), 0);
    assert_true(st.st_blocks * 512 < st.st_size + (1 << 20)); /* nothing allocated is left */
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *bytes, f), *bytes);
    fclose(f);
    return data;
}

static void assert_same_files(const char *one, const char *other)
{
    unsigned files = 0;
    DIR *d = opendir(one);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) {
        size_t bytes, others;
        if (*e->d_name == '.') continue;
        char *a = whole(one, e->d_name, &bytes), *b = whole(other, e->d_name, &others);
        if (bytes != others || memcmp(a, b, bytes) != 0) fail_msg("%s differs", e->d_name);
        files++;
        free(a);
        free(b);
    }
    closedir(d);
    assert_int_equal(files, 9); /* seven tables, JSON, pftrace */
}

static void the_same_files_with_any_number(void **state)
{
    (void)state;
    static const unsigned counts[] = {2, 3, OUT_CREW_MAX, 0};
    char one[96], several[96];
    snprintf(one, sizeof(one), "%s/one", directory);
    convert(1, one);
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        snprintf(several, sizeof(several), "%s/%u", directory, counts[i]);
        convert(counts[i], several);
        assert_same_files(one, several);
    }
}

/* ---- memory ---- */

/* Of a process that writes the format, in MB. */
static double peak_mb(const char *format, const char *to)
{
    int status;
    struct rusage use;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        formats = format;
        convert(OUT_CREW_MAX, to);
        _exit(0);
    }
    assert_int_equal(wait4(child, &status, 0, &use), child);
    assert_int_equal(status, 0);
    return (double)use.ru_maxrss / 1024;
}

static void memory_does_not_grow(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* their own memory does */
#endif
    static const char *const each[] = {"csv", "json", "pftrace", "rocpd"};
    enum { FORMATS = sizeof(each) / sizeof(*each), LONGER = 8 };
    /* records are 20 MB more; a small database does not fill SQLite's cache of 8 */
    const double most = 64, growth = 12;
    double peaks[FORMATS];
    char to[96];
    snprintf(to, sizeof(to), "%s/memory", directory);
    for (int i = 0; i < FORMATS; i++)
        peaks[i] = peak_mb(each[i], to);
    put_segments(LONGER * RECORDS);
    for (int i = 0; i < FORMATS; i++) {
        const double peak = peak_mb(each[i], to);
        if (peak > most || peak > peaks[i] + growth)
            fail_msg("%s: %.1f MB, %.1f of more records", each[i], peaks[i], peak);
    }
    put_segments(RECORDS);
}

/* ---- damage ---- */

/* Nothing behind the first damage counts, whichever part of the segment a thread has looked at. */
static void damaged_segments(void **state)
{
    (void)state;
    char path[128], one[96], several[96];
    uint64_t whole_cut = 0;
    snprintf(path, sizeof(path), "%s/" TRACE_RECORDS_FORMAT, store, 0);
    for (int damage = 0; damage < 3; damage++) {
        int fd = open(path, O_RDWR);
        struct stat st;
        assert_true(fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 3 * TRACE_WINDOW_BYTES);
        if (damage == 1) /* what was committed is gone */
            assert_int_equal(ftruncate(fd, st.st_size - TRACE_WINDOW_BYTES / 2), 0);
        if (damage == 2) { /* and a record before is none */
            uint64_t none = 0;
            assert_int_equal(pwrite(fd, &none, 8, TRACE_HEADER_BYTES + TRACE_WINDOW_BYTES), 8);
        }
        close(fd);
        snprintf(one, sizeof(one), "%s/damage%d-one", directory, damage);
        snprintf(several, sizeof(several), "%s/damage%d-several", directory, damage);
        out_result_t a = convert(1, one), b = convert(OUT_CREW_MAX, several);
        assert_int_equal(a.cut, b.cut);
        assert_true(damage ? a.cut > whole_cut : !a.cut);
        assert_memory_equal(&a.counts, &b.counts, sizeof(a.counts));
        assert_same_files(one, several);
        whole_cut = a.cut;
    }
}

/* ---- the crew alone ---- */

enum { NUMBERS = 30000 };

typedef struct {
    uint64_t taken, sum, next; /* next: behind what was written */
    unsigned begun, ended, refused;
    _Atomic unsigned taking, writing; /* threads that are at it */
    _Atomic bool together;
    /* until others have rendered as much, the first batch is being rendered, or written */
    unsigned render_until, write_until;
    _Atomic unsigned rendered;
    _Atomic bool in_vain;
} tally_t;

typedef struct {
    tally_t *tally;
    uint64_t from, to, sum;
    bool at_first;
} counter_t;

static void *begin_counter(void *to)
{
    tally_t *tally = to;
    if (tally->begun == tally->refused) return NULL;
    counter_t *c = calloc(1, sizeof(*c));
    assert_non_null(c);
    tally->begun++;
    c->tally = tally;
    return c;
}

static void end_counter(void *parcel)
{
    ((counter_t *)parcel)->tally->ended++;
    free(parcel);
}

/* Batches of several sizes. */
static bool take_numbers(void *parcel)
{
    counter_t *c = parcel;
    tally_t *t = c->tally;
    t->together |= t->taking++;
    c->from = t->taken;
    t->taken += 1 + t->taken % 7;
    if (t->taken > NUMBERS) t->taken = NUMBERS;
    c->to = t->taken;
    t->taking--;
    return c->from < c->to;
}

/* Takes milliseconds, unless they never do. */
static void wait_for_others(tally_t *tally, unsigned batches)
{
    for (int i = 0; i < 2000 && tally->rendered < batches; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    tally->in_vain |= tally->rendered < batches;
}

static void render_numbers(void *parcel, bool first)
{
    counter_t *c = parcel;
    if (first) wait_for_others(c->tally, c->tally->render_until);
    c->at_first = first;
    c->sum = 0;
    for (uint64_t n = c->from; n < c->to; n++)
        c->sum += n;
    c->tally->rendered += !first;
}

static void write_numbers(void *parcel)
{
    counter_t *c = parcel;
    c->tally->together |= c->tally->writing++;
    if (!c->from) wait_for_others(c->tally, c->tally->write_until);
    if (c->from != c->tally->next || c->at_first != !c->from) c->tally->sum = UINT64_MAX / 2;
    c->tally->next = c->to;
    c->tally->sum += c->sum;
    c->tally->writing--;
}

static void count_numbers(tally_t *tally, unsigned workers)
{
    const out_crew_work_t work = {begin_counter,  end_counter,   take_numbers,
                                  render_numbers, write_numbers, tally};
    assert_true(out_crew_run(&work, workers));
    assert_int_equal(tally->next, NUMBERS);
    assert_int_equal(tally->sum, (uint64_t)NUMBERS * (NUMBERS - 1) / 2);
    assert_int_equal(tally->ended, tally->begun);
    assert_false(tally->together);
    assert_false(tally->in_vain);
}

static void batches_in_order(void **state)
{
    (void)state;
    for (unsigned workers = 1; workers <= OUT_CREW_MAX; workers++) {
        /* others are done before the first one */
        tally_t tally = {.refused = UINT_MAX, .render_until = workers - 1};
        count_numbers(&tally, workers);
        assert_true(tally.begun >= workers);
    }
    for (unsigned parcels = 1; parcels <= 3; parcels++) {
        tally_t tally = {.refused = parcels};
        count_numbers(&tally, 3);
        assert_int_equal(tally.begun, parcels);
    }
}

/* A turn that is long in coming keeps nobody from work. */
static void nobody_waits(void **state)
{
    (void)state;
    for (unsigned workers = 2; workers <= OUT_CREW_MAX; workers++) {
        tally_t rendering = {.refused = UINT_MAX, .render_until = workers + 1};
        tally_t writing = {.refused = UINT_MAX, .write_until = workers + 1};
        count_numbers(&rendering, workers);
        count_numbers(&writing, workers);
    }
}

static void nobody_and_nothing(void **state)
{
    (void)state;
    tally_t tally = {.refused = 0};
    const out_crew_work_t work = {begin_counter,  end_counter,   take_numbers,
                                  render_numbers, write_numbers, &tally};
    assert_false(out_crew_run(&work, 2)); /* no parcel for anybody */
    tally = (tally_t){.refused = UINT_MAX, .taken = NUMBERS};
    assert_true(out_crew_run(&work, 2));
    assert_int_equal(tally.next, 0);
    assert_int_equal(tally.ended, tally.begun);
    assert_int_equal(out_crew_size(1, UINT64_MAX), 1);
    assert_int_equal(out_crew_size(2, OUT_CREW_LEAST_RECORDS - 1), 1);
    assert_int_equal(out_crew_size(2, OUT_CREW_LEAST_RECORDS), 2);
    assert_int_equal(out_crew_size(100, UINT64_MAX), OUT_CREW_MAX);
    /* one CPU: one thread */
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
        if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
    assert_int_equal(out_crew_size(0, UINT64_MAX), 1);
    assert_int_equal(sched_setaffinity(0, sizeof(before), &before), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_does_not_grow), cmocka_unit_test(the_same_files_with_any_number),
        cmocka_unit_test(damaged_segments),     cmocka_unit_test(batches_in_order),
        cmocka_unit_test(nobody_waits),         cmocka_unit_test(nobody_and_nothing),
    };
    return cmocka_run_group_tests(tests, make_store, remove_store);
}
