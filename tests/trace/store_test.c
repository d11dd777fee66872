/* store_test.c - the trace store: what is written is read, whatever happened in between. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "trace/process.h"
#include "trace/reader.h"
#include "trace/run.h"
#include "trace/store.h"
#include "trace/writer.h"

static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/store-test-XXXXXX");
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    return trace_remove(directory);
}

static trace_writer_t *open_writer(const char *name)
{
    char why[256] = "";
    trace_writer_t *w =
        trace_writer_open(directory, name, TRACE_CONTENTS_RECORDS, 7, why, sizeof(why));
    if (!w) fail_msg("%s", why);
    return w;
}

static trace_reader_t *open_reader(const char *name)
{
    char path[128], why[256] = "";
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    trace_reader_t *r = trace_reader_open(path, why, sizeof(why));
    if (!r) fail_msg("%s", why);
    return r;
}

static trace_api_t api_record(uint32_t number)
{
    return (trace_api_t){.head =
                             trace_head(TRACE_API, 5, number & 0xfff, 4194303, sizeof(trace_api_t)),
                         .start = number,
                         .end = number + 10ull,
                         .correlation = ~(uint64_t)number};
}

static void put_numbers(trace_writer_t *w, uint32_t from, uint32_t count)
{
    for (uint32_t i = from; i < from + count; i++) {
        trace_api_t record = api_record(i);
        assert_true(trace_writer_put(w, &record));
    }
}

/* Reads records numbered from `from` and returns how many there were. */
static uint32_t count_numbers(trace_reader_t *r, uint32_t from)
{
    uint32_t n = from;
    for (const trace_head_t *head; (head = trace_reader_next(r)); n++) {
        const trace_api_t *record = (const trace_api_t *)head, expected = api_record(n);
        assert_memory_equal(record, &expected, sizeof(expected));
        assert_int_equal(trace_thread(*head), 4194303);
        assert_int_equal(trace_operation(*head), n & 0xfff);
        assert_int_equal(trace_kind(*head), 5);
    }
    return n - from;
}

static void round_trip_over_many_windows(void **state)
{
    (void)state;
    enum { COUNT = 100000 }; /* 3.2 MB, 13 windows */
    trace_writer_t *w = open_writer("a.seg");
    put_numbers(w, 0, COUNT);
    trace_writer_count(w, COUNT + 5, 3, 2);
    trace_writer_close(w);
    trace_reader_t *r = open_reader("a.seg");
    const trace_segment_header_t *h = trace_reader_header(r);
    assert_int_equal(h->counts.received, COUNT + 5);
    assert_int_equal(h->counts.written, COUNT);
    assert_int_equal(h->counts.dropped, 3);
    assert_int_equal(h->counts.filtered, 2);
    assert_int_equal(h->segment, 7);
    assert_int_equal(h->pid, getpid());
    assert_true(h->closed_ns >= h->boottime_ns && h->boottime_ns > 0);
    assert_int_equal(count_numbers(r, 0), COUNT);
    assert_int_equal(trace_reader_cut(r), 0);
    trace_reader_close(r);
}

/* A writer that gathers windows in memory leaves the same records; a file that may not grow is a
 * failure that is told. */
static void gathered_windows_are_read(void **state)
{
    enum { RECORDS = 3 * TRACE_WINDOW_BYTES / (int)sizeof(trace_api_t) + 17 };
    const struct rlimit none = {TRACE_HEADER_BYTES, TRACE_HEADER_BYTES};
    (void)state;
    trace_writer_t *w = open_writer("gathered.seg");
    trace_writer_gather(w);
    put_numbers(w, 0, RECORDS);
    assert_true(trace_writer_flush(w));
    trace_writer_close(w);
    trace_reader_t *r = open_reader("gathered.seg");
    assert_int_equal(count_numbers(r, 0), RECORDS);
    assert_int_equal(trace_reader_cut(r), 0);
    trace_reader_close(r);
    const pid_t child = fork();
    if (!child) {
        w = open_writer("small.seg");
        trace_writer_gather(w);
        put_numbers(w, 0, 5);
        setrlimit(RLIMIT_FSIZE, &none);
        _exit(!trace_writer_flush(w) && trace_writer_failure(w) ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Readers that go on where the one before stopped see each record once: within a window, at its end
 * with and without a gap, over several. */
static void growing_file_is_read_on(void **state)
{
    (void)state;
    static const uint32_t steps[] = {0, 1, 7000, 0, 1191, 1, 20000, 3, 8192, 8192};
    trace_writer_t *w = open_writer("grows.seg");
    uint64_t place = 0;
    uint32_t read = 0;
    for (size_t i = 0; i < 2 * sizeof(steps) / sizeof(*steps); i++) {
        const uint32_t count = steps[i % (sizeof(steps) / sizeof(*steps))];
        put_numbers(w, read, count);
        trace_reader_t *r = open_reader("grows.seg");
        trace_reader_from(r, place);
        assert_int_equal(count_numbers(r, read), count);
        assert_int_equal(trace_reader_cut(r), 0);
        place = trace_reader_place(r);
        trace_reader_close(r);
        read += count;
    }
    trace_writer_close(w);
}

/* Records of odd sizes leave gaps at the window's end. */
static void records_never_cross_windows(void **state)
{
    (void)state;
    enum { COUNT = 40000 };
    trace_writer_t *w = open_writer("b.seg");
    for (int i = 0; i < COUNT; i++) {
        char name[200];
        const char *texts[] = {name};
        trace_head_t head = trace_head(TRACE_OPERATION, 1, (uint32_t)i & 0xfff, 1, sizeof(head));
        snprintf(name, sizeof(name), "%0*d", 1 + i % 150, i);
        assert_true(trace_writer_put_texts(w, &head, sizeof(head), texts, 1));
    }
    trace_writer_close(w);
    trace_reader_t *r = open_reader("b.seg");
    int i = 0;
    for (const trace_head_t *head; (head = trace_reader_next(r)); i++) {
        assert_int_equal(atoi(trace_record_text(head, 0)), i);
        assert_int_equal(strlen(trace_record_text(head, 0)),
                         snprintf(NULL, 0, "%0*d", 1 + i % 150, i));
        assert_string_equal(trace_record_text(head, 1), "");
    }
    assert_int_equal(i, COUNT);
    trace_reader_close(r);
}

/* A function's arguments have two texts each. */
static void many_texts_are_one_record(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    char names[COUNT][8];
    const char *texts[COUNT];
    trace_signature_t s = {.head = trace_head(TRACE_SIGNATURE, 1, 2, 0, sizeof(s)),
                           .count = COUNT / 2};
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "%d", i);
        texts[i] = names[i];
    }
    trace_writer_t *w = open_writer("texts.seg");
    assert_true(trace_writer_put_texts(w, &s, sizeof(s), texts, COUNT));
    trace_writer_close(w);
    trace_reader_t *r = open_reader("texts.seg");
    const trace_head_t *head = trace_reader_next(r);
    assert_non_null(head);
    for (unsigned i = 0; i < COUNT; i++)
        assert_string_equal(trace_record_text(head, i), names[i]);
    trace_reader_close(r);
}

static void too_large_is_refused_and_counted(void **state)
{
    (void)state;
    trace_writer_t *w = open_writer("c.seg");
    trace_head_t empty = trace_head(TRACE_API, 0, 0, 0, 0);
    assert_false(trace_writer_put(w, &empty));
    put_numbers(w, 0, 1);
    assert_int_equal(trace_writer_counts(w).dropped, 1);
    assert_int_equal(trace_writer_counts(w).written, 1);
    assert_non_null(trace_writer_failure(w));
    char *huge = malloc(1 << 20);
    memset(huge, 'x', (1 << 20) - 1);
    huge[(1 << 20) - 1] = 0;
    const char *texts[] = {huge};
    trace_head_t head = trace_head(TRACE_KIND, 3, 0, 0, sizeof(head));
    assert_true(trace_writer_put_texts(w, &head, sizeof(head), texts, 1)); /* cut, not lost */
    free(huge);
    trace_writer_close(w);
}

/* A signature has two texts for each argument. */
static void a_record_of_many_texts(void **state)
{
    (void)state;
    enum { COUNT = 64, LONG = 100000 };
    static char huge[LONG + 1];
    const char *texts[COUNT];
    memset(huge, 'x', LONG);
    for (int i = 0; i < COUNT; i++)
        texts[i] = i == 5 || i == 7 ? huge : i % 2 ? "int" : NULL;
    trace_writer_t *w = open_writer("many.seg");
    trace_signature_t signature = {.head = trace_head(TRACE_SIGNATURE, 3, 0, 0, sizeof(signature)),
                                   .count = COUNT / 2};
    assert_true(trace_writer_put_texts(w, &signature, sizeof(signature), texts, COUNT));
    trace_writer_close(w);
    trace_reader_t *r = open_reader("many.seg");
    const trace_head_t *record = trace_reader_next(r);
    assert_int_equal(trace_reader_header(r)->cut_texts, 1);
    assert_int_equal(strlen(trace_record_text(record, 5)), LONG);
    const char *cut = trace_record_text(record, 7);
    assert_true(strlen(cut) > 30000 && strcmp(cut + strlen(cut) - 6, TRACE_CUT) == 0);
    for (unsigned i = 0; i < COUNT; i++)
        if (i != 5 && i != 7) assert_string_equal(trace_record_text(record, i), i % 2 ? "int" : "");
    trace_reader_close(r);
}

/* Known without /proc, too: whether a store is finished must not depend on it. */
static void processes_that_are_gone(void **state)
{
    (void)state;
    uint64_t start = 1;
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    struct rlimit limit, none;
    getrlimit(RLIMIT_NOFILE, &limit);
    none = (struct rlimit){0, limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    int gone = trace_process_start(child, &start), there = trace_process_start(getppid(), &start);
    setrlimit(RLIMIT_NOFILE, &limit);
    assert_int_equal(gone, 0);
    assert_int_equal(there, -1);
    assert_int_equal(start, 0);
}

static void *stay(void *arg)
{
    (void)arg;
    for (;;)
        pause();
    return NULL;
}

static char state_of(pid_t pid)
{
    char path[64], state = 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1) state = 0;
    if (f) fclose(f);
    return state;
}

/* Linux calls the first thread a zombie as soon as it has ended, even while others still run. */
static void processes_without_their_first_thread(void **state)
{
    (void)state;
    uint64_t start, after;
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, stay, NULL) == 0) pthread_exit(NULL);
        _exit(1);
    }
    while (waitpid(child, NULL, WNOHANG) == 0 && state_of(child) != 'Z')
        usleep(1000);
    int runs = trace_process_start(child, &start);
    kill(child, SIGKILL);
    siginfo_t end;
    int waited = waitid(P_PID, (id_t)child, &end, WEXITED | WNOWAIT);
    int ended = trace_process_start(child, &after);
    waitpid(child, NULL, 0);
    assert_int_equal(runs, 0);
    assert_int_not_equal(start, 0);
    assert_int_equal(waited, 0);
    assert_int_equal(ended, 0);
    assert_int_equal(after, 0);
}

/* Stands in for the C library's, and counts how often the disk is asked for space. */
static _Atomic unsigned times_asked; /* by several threads */
int fallocate(int fd, int mode, off_t offset, off_t bytes)
{
    times_asked++;
    return (int)syscall(SYS_fallocate, fd, mode, offset, bytes);
}

/* The file limit is what a full disk looks like from here. Full, it is asked again every 10 ms, not
 * for each record; the clock of that has steps of 4 ms. Space that has come back is used. */
static void full_disk_is_an_error_not_a_signal(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        struct rlimit limit = {300 * 1024, 16 << 20};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        char why[256];
        trace_writer_t *w =
            trace_writer_open(directory, "d.seg", TRACE_CONTENTS_RECORDS, 0, why, sizeof(why));
        int written = 0, refused = 0;
        errno = 0; /* the program's */
        const uint64_t begin = base_clock_ns(CLOCK_MONOTONIC);
        times_asked = 0;
        for (uint32_t i = 0; i < 20000; i++) {
            trace_api_t record = api_record(i);
            if (trace_writer_put(w, &record))
                written++;
            else
                refused++;
        }
        /* 200 ms and more pass if it is not asked again */
        const unsigned asked = times_asked;
        for (int tries = 0; tries < 200 && times_asked == asked; tries++, usleep(1000)) {
            trace_api_t record = api_record(0);
            refused += !trace_writer_put(w, &record);
        }
        trace_counts_t counts = trace_writer_counts(w);
        bool right = times_asked > asked && written == 8192 && refused >= 20000 - 8192 &&
                     trace_writer_failure(w) && counts.written == 8192 &&
                     counts.dropped == (uint64_t)refused && !errno;
        const uint64_t took_ms = (base_clock_ns(CLOCK_MONOTONIC) - begin) / 1000000;
        right &= times_asked <= 3 + took_ms / 6;
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_FSIZE, &limit);
        /* the writer asks for the file again after some milliseconds */
        trace_api_t record = api_record(8192);
        bool again = false;
        for (int tries = 0; tries < 5000 && !again; tries++, usleep(1000))
            again = trace_writer_put(w, &record);
        right &= again;
        trace_writer_close(w);
        _exit(right ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    trace_reader_t *r = open_reader("d.seg");
    assert_int_equal(count_numbers(r, 0), 8193); /* one window of 32-byte records, and one more */
    trace_reader_close(r);
}

/* How many pages from the writer's place on, up to where it is ready, are in memory; all of them,
 * before a record has come there. */
static size_t ready_pages(const trace_writer_t *w)
{
    const trace_place_t *at = (const trace_place_t *)w;
    enum { PAGE = 4096 };
    char *first = (char *)(((uintptr_t)at->next + PAGE - 1) / PAGE * PAGE);
    size_t pages = (size_t)(at->end - first) / PAGE;
    unsigned char there[TRACE_WINDOW_BYTES / PAGE] = {0};
    assert_int_equal((uintptr_t)at->end % PAGE, 0);
    assert_int_equal(mincore(first, pages * PAGE, there), 0);
    for (size_t i = 0; i < pages; i++)
        assert_true(there[i] & 1);
    return pages;
}

/* A record costs no page fault, and a thread with few records few pages. */
static void pages_are_ready_before_the_records(void **state)
{
    (void)state;
    trace_writer_t *w = open_writer("p.seg");
    size_t most = 0;
    for (uint32_t done = 0; done < 40000; done += 50) {
        put_numbers(w, done, 50);
        size_t pages = ready_pages(w);
        assert_true(pages * 4096 <= (done + 50) * sizeof(trace_api_t) + 8192);
        if (pages > most) most = pages;
    }
    assert_true(most >= TRACE_WINDOW_BYTES / 4096 / 2);
    trace_writer_close(w);
    trace_reader_t *r = open_reader("p.seg");
    assert_int_equal(count_numbers(r, 0), 40000);
    trace_reader_close(r);
}

static void killed_writer_loses_nothing(void **state)
{
    (void)state;
    enum { COUNT = 12345 };
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        trace_writer_t *w = open_writer("e.seg");
        put_numbers(w, 0, COUNT);
        char byte = 1;
        if (write(ready[1], &byte, 1) != 1) _exit(1);
        pause();
        _exit(0);
    }
    char byte;
    assert_int_equal(read(ready[0], &byte, 1), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    trace_reader_t *r = open_reader("e.seg");
    assert_int_equal(trace_reader_header(r)->closed_ns, 0);
    assert_int_equal(trace_reader_header(r)->counts.written, COUNT);
    assert_int_equal(count_numbers(r, 0), COUNT);
    assert_int_equal(trace_reader_cut(r), 0);
    trace_reader_close(r);
}

static void torn_tail_is_cut_and_told(void **state)
{
    (void)state;
    char path[128];
    trace_writer_t *w = open_writer("f.seg");
    put_numbers(w, 0, 1000);
    trace_writer_close(w);
    snprintf(path, sizeof(path), "%s/f.seg", directory);
    assert_int_equal(truncate(path, TRACE_HEADER_BYTES + 500 * 32 + 13), 0);
    trace_reader_t *r = open_reader("f.seg");
    assert_int_equal(count_numbers(r, 0), 500);
    assert_int_equal(trace_reader_cut(r), 500 * 32);
    trace_reader_close(r);

    /* A head that claims more than there is, in the middle. */
    int fd = open(path, O_WRONLY);
    trace_head_t bad = trace_head(TRACE_API, 0, 0, 0, TRACE_WORDS_MAX * 8);
    assert_int_equal(pwrite(fd, &bad, sizeof(bad), TRACE_HEADER_BYTES + 100 * 32), sizeof(bad));
    close(fd);
    r = open_reader("f.seg");
    assert_int_equal(count_numbers(r, 0), 100);
    assert_int_equal(trace_reader_cut(r), 900 * 32);
    trace_reader_close(r);
}

static void foreign_files_are_refused(void **state)
{
    (void)state;
    char path[128], why[256] = "";
    snprintf(path, sizeof(path), "%s/g.seg", directory);
    FILE *f = fopen(path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("no segment", f);
    fclose(f);
    assert_null(trace_reader_open(path, why, sizeof(why)));
    assert_non_null(strstr(why, "not a trace segment"));
    assert_int_equal(truncate(path, 3), 0);
    assert_null(trace_reader_open(path, why, sizeof(why)));
    assert_non_null(strstr(why, "too short"));
}

enum { WRITERS = 4, PER_WRITER = 200000 };

static void *write_many(void *number)
{
    char name[32];
    snprintf(name, sizeof(name), "w%d.seg", *(int *)number);
    trace_writer_t *w = open_writer(name);
    put_numbers(w, (uint32_t) * (int *)number * PER_WRITER, PER_WRITER);
    trace_writer_close(w);
    return NULL;
}

static long resident_kb(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
    fclose(f);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void four_writers_at_once(void **state)
{
    (void)state;
    pthread_t threads[WRITERS];
    int numbers[WRITERS];
    long before = resident_kb();
    for (int i = 0; i < WRITERS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, write_many, &numbers[i]);
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
        /* 25 MB went through; only stacks and the like may stay. Race detectors shadow each byte.
         */
#ifdef __SANITIZE_THREAD__
    const long limit = 5 * 25000;
#else
    const long limit = 4096;
#endif
    assert_true(resident_kb() - before < limit);
    for (int i = 0; i < WRITERS; i++) {
        char name[32];
        snprintf(name, sizeof(name), "w%d.seg", i);
        trace_reader_t *r = open_reader(name);
        assert_int_equal(count_numbers(r, (uint32_t)i * PER_WRITER), PER_WRITER);
        trace_reader_close(r);
    }
}

static void settings_survive_odd_characters(void **state)
{
    (void)state;
    setenv("ROCPROF_A", "line\none\\two\\n", 1);
    setenv("ROCPROF_B", "", 1);
    setenv("OTHER_C", "x", 1);
    assert_int_equal(trace_run_write(directory), 0);
    trace_run_t *run = trace_run_read(directory);
    assert_non_null(run);
    assert_string_equal(trace_run_value(run, "ROCPROF_A"), "line\none\\two\\n");
    assert_string_equal(trace_run_value(run, "ROCPROF_B"), "");
    assert_null(trace_run_value(run, "OTHER_C"));
    assert_null(trace_run_value(run, "ROCPROF"));
    trace_run_free(run);
}

static void stores_of_one_process_are_numbered(void **state)
{
    (void)state;
    char run[128], first[256], second[256], expected[256];
    snprintf(run, sizeof(run), "%s/runs", directory);
    assert_int_equal(trace_store_create(run, first, sizeof(first)), 0);
    assert_int_equal(trace_store_create(run, second, sizeof(second)), 0);
    snprintf(expected, sizeof(expected), "%s/%d-1", run, (int)getpid());
    assert_string_equal(second, expected);
    char **list = trace_list(run);
    assert_string_equal(list[0], strrchr(first, '/') + 1);
    assert_null(list[2]);
    trace_list_free(list);
}

/* What is removed may have been exchanged for a link by whoever owns the directory above. */
static void removal_follows_no_link(void **state)
{
    (void)state;
    char victim[128], inner[160], precious[192], link[128], store[128];
    snprintf(victim, sizeof(victim), "%s/victim", directory);
    snprintf(inner, sizeof(inner), "%s/inner", victim);
    snprintf(precious, sizeof(precious), "%s/precious", inner);
    snprintf(link, sizeof(link), "%s/link", directory);
    snprintf(store, sizeof(store), "%s/store", directory);
    assert_int_equal(mkdir(victim, 0700), 0);
    assert_int_equal(mkdir(inner, 0700), 0);
    close(open(precious, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    assert_int_equal(symlink(victim, link), 0);
    assert_int_equal(trace_remove(link), -1);
    assert_int_equal(access(precious, F_OK), 0);
    /* one inside goes, and not what it leads to */
    assert_int_equal(mkdir(store, 0700), 0);
    snprintf(inner, sizeof(inner), "%s/link", store);
    assert_int_equal(symlink(victim, inner), 0);
    assert_int_equal(trace_remove(store), 0);
    assert_int_equal(access(store, F_OK), -1);
    assert_int_equal(access(precious, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_over_many_windows),
        cmocka_unit_test(gathered_windows_are_read),
        cmocka_unit_test(growing_file_is_read_on),
        cmocka_unit_test(records_never_cross_windows),
        cmocka_unit_test(many_texts_are_one_record),
        cmocka_unit_test(too_large_is_refused_and_counted),
        cmocka_unit_test(a_record_of_many_texts),
        cmocka_unit_test(processes_that_are_gone),
        cmocka_unit_test(processes_without_their_first_thread),
        cmocka_unit_test(full_disk_is_an_error_not_a_signal),
        cmocka_unit_test(pages_are_ready_before_the_records),
        cmocka_unit_test(killed_writer_loses_nothing),
        cmocka_unit_test(torn_tail_is_cut_and_told),
        cmocka_unit_test(foreign_files_are_refused),
        cmocka_unit_test(four_writers_at_once),
        cmocka_unit_test(settings_survive_odd_characters),
        cmocka_unit_test(stores_of_one_process_are_numbered),
        cmocka_unit_test(removal_follows_no_link),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
