/* store_property.c - random lives of a trace store against a model of it: a list.
 *
 * Processes open segments, write in every way there is, fork, are killed at a moment of their own
 * or of their parent's choosing; tails are damaged; then the store is read, and converted. The
 * model is in shared memory, so that it outlives the processes. STORE_SEED=n repeats a failure. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "output/config.h"
#include "output/convert.h"
#include "trace/reader.h"
#include "trace/store.h"
#include "trace/writer.h"

enum { ROUNDS = 8, STEPS = 40, PROCESSES = 8, SEGMENTS = 5, RECORDS = 6000, WORDS = 600 };

/* What was written to a segment: numbers, from which the records follow. */
typedef struct {
    _Atomic uint32_t begun, done; /* a kill may come between the two */
    uint64_t dropped, filtered;
    uint32_t numbers[RECORDS];
    uint64_t ends[RECORDS]; /* behind the header */
} segment_model_t;

typedef struct {
    _Atomic bool opened;
    _Atomic uint32_t segments;
    segment_model_t segment[SEGMENTS];
} process_model_t;

static process_model_t *models;
static _Atomic uint32_t *process_count; /* shared, too */
static char directory[64];
static uint64_t seed;

static uint64_t random_number(uint64_t *state)
{
    *state ^= *state << 13; /* xorshift64 */
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static uint32_t below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(random_number(state) >> 33) % limit;
}

/* The record of a number: an API call, now and then with much behind it that no reader knows. */
static size_t make_record(uint32_t number, uint64_t words[WORDS])
{
    uint64_t state = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
    size_t least = sizeof(trace_api_t) / 8;
    size_t count = least + below(&state, number % 16 ? 6 : WORDS - (uint32_t)least + 1);
    for (size_t i = 1; i < count; i++)
        words[i] = random_number(&state) >> 1;
    words[0] = trace_head(TRACE_API, 5, number & 0xfff, number & 0xffff, count * 8);
    return count * 8;
}

static void told(const trace_writer_t *w, segment_model_t *m)
{
    m->ends[m->done] = ((const trace_place_t *)w)->header->committed;
    m->done = m->begun;
}

static void write_record(trace_writer_t *w, segment_model_t *m, uint32_t number, uint64_t *state)
{
    uint64_t words[WORDS];
    size_t bytes = make_record(number, words), fixed = 8 * (1 + below(state, (uint32_t)bytes / 8));
    if (m->done == RECORDS) return;
    bool put = true;
    void *place;
    m->numbers[m->done] = number;
    m->begun = m->done + 1;
    switch (below(state, 4)) {
    case 0: put = trace_writer_put(w, words); break;
    case 1:
        put = trace_writer_put_parts(w, words, fixed, (char *)words + fixed, bytes - fixed);
        break;
    default: /* after one that is given up half-way */
        place = trace_writer_reserve(w, sizeof(words));
        memset(place, 0x5a, below(state, sizeof(words)));
        place = trace_writer_reserve(w, sizeof(words));
        memcpy(place, words, bytes);
        trace_writer_commit(w, place);
        told(w, m);
        return;
    }
    if (!put) abort();
    trace_writer_count(w, 1, 0, 0);
    told(w, m);
}

static void store_of(char path[128], uint32_t process)
{
    snprintf(path, 128, "%s/p%u", directory, process);
}

static trace_writer_t *open_segment(const char *store, uint32_t number)
{
    char why[256], name[32];
    snprintf(name, sizeof(name), TRACE_RECORDS_FORMAT, number);
    return trace_writer_open(store, name, TRACE_CONTENTS_RECORDS, number, why, sizeof(why));
}

/* As the tool library does: names first, in a segment of their own. */
static void open_store(const char *store)
{
    char why[256];
    const char *facts[][2] = {{TRACE_INFO_DIRECTORY, store}, {TRACE_INFO_NAME, "x"}};
    if (mkdir(store, 0700) != 0) abort();
    trace_writer_t *w =
        trace_writer_open(store, TRACE_META_FILE, TRACE_CONTENTS_META, 0, why, sizeof(why));
    for (size_t i = 0; w && i < 2; i++) {
        trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
        trace_writer_put_texts(w, &head, sizeof(head), facts[i], 2);
    }
    trace_writer_close(w);
}

typedef struct {
    char store[128];
    process_model_t *model;
    trace_writer_t *writers[SEGMENTS];
    uint64_t state;
} process_t;

static void live(uint32_t number, uint64_t state, process_t *parent);

/* A child with a store of its own. How it ends is in its random numbers; now and then the parent
 * kills it whenever that may be. */
static void spawn(process_t *p)
{
    uint32_t number = atomic_fetch_add(process_count, 1);
    if (number >= PROCESSES) {
        atomic_fetch_sub(process_count, 1);
        return;
    }
    uint64_t state = random_number(&p->state) | 1;
    bool kill_it = below(&p->state, 3) == 0;
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        live(number, state, p);
        _exit(0);
    }
    if (kill_it) {
        usleep(below(&p->state, 3000));
        kill(child, SIGKILL);
    }
    while (waitpid(child, NULL, 0) != child) {
    }
}

static void step(process_t *p, uint32_t *next)
{
    uint32_t count = p->model->segments, which = count ? below(&p->state, count) : 0;
    trace_writer_t *w = p->writers[which];
    segment_model_t *m = &p->model->segment[which];
    switch (below(&p->state, 10)) {
    case 0:
        if (count == SEGMENTS) break;
        p->writers[count] = open_segment(p->store, count);
        if (!p->writers[count]) abort();
        p->model->segments = count + 1;
        break;
    case 1:
        if (!w || below(&p->state, 3)) break;
        trace_writer_close(w);
        p->writers[which] = NULL;
        break;
    case 2:
        if (w) trace_writer_lend(w);
        break;
    case 3:
        if (!w) break;
        m->dropped += 3;
        m->filtered += 2;
        trace_writer_count(w, 5, 3, 2);
        break;
    case 4: spawn(p); break;
    default:
        for (uint32_t i = below(&p->state, 400); w && i; i--)
            write_record(w, m, (*next)++, &p->state);
    }
}

static void live(uint32_t number, uint64_t state, process_t *parent)
{
    process_t p = {.model = &models[number], .state = state};
    uint32_t next = number << 24;
    for (int i = 0; parent && i < SEGMENTS; i++)
        trace_writer_forget(parent->writers[i]);
    store_of(p.store, number);
    open_store(p.store);
    p.model->opened = true;
    for (int i = 0; i < STEPS; i++)
        step(&p, &next);
    uint32_t end = below(&p.state, 3);
    if (parent && end == 0) kill(getpid(), SIGKILL);
    for (int i = 0; i < SEGMENTS; i++) {
        if (parent && end == 1) continue; /* leaves without a word */
        if (!p.writers[i]) continue;
        trace_writer_close(p.writers[i]);
    }
}

/* ---- What is found afterwards ---- */

static trace_reader_t *open_reader(const char *path)
{
    char why[256] = "";
    trace_reader_t *r = trace_reader_open(path, why, sizeof(why));
    if (!r) fail_msg("%s", why);
    return r;
}

/* How many records from the front are those of the model. */
static uint32_t count_right(trace_reader_t *r, const segment_model_t *m)
{
    uint64_t words[WORDS];
    for (uint32_t found = 0;; found++) {
        const trace_head_t *record = trace_reader_next(r);
        if (!record || found == m->begun) return found;
        size_t bytes = make_record(m->numbers[found], words);
        if (trace_words(*record) * 8u != bytes || memcmp(record, words, bytes) != 0) return found;
    }
}

/* All that was written, and nothing else; returns how much. */
static uint32_t check_whole(const char *path, const segment_model_t *m)
{
    trace_reader_t *r = open_reader(path);
    trace_segment_header_t h = *trace_reader_header(r);
    uint32_t found = count_right(r, m);
    assert_in_range(found, m->done, m->begun);
    assert_null(trace_reader_next(r));
    assert_int_equal(trace_reader_cut(r), 0);
    trace_reader_close(r);
    if (!h.closed_ns) return found;
    assert_int_equal(h.counts.written, found);
    assert_int_equal(h.counts.dropped, m->dropped);
    assert_int_equal(h.counts.filtered, m->filtered);
    assert_int_equal(h.counts.received, found + m->dropped + m->filtered);
    return found;
}

/* Whatever became of the file behind `intact` bytes of records, those are there. */
static void check_front(const char *path, const segment_model_t *m, uint64_t intact)
{
    uint32_t must = 0;
    while (must < m->done && m->ends[must] <= intact)
        must++;
    trace_reader_t *r = open_reader(path);
    uint32_t found = count_right(r, m);
    if (found < must) fail_msg("%s: %u of %u records in front of the damage", path, found, must);
    while (trace_reader_next(r)) {
    }
    trace_reader_close(r);
}

/* Cuts the file, or writes random bytes, behind a place of its records. How many bytes of records
 * are in front of it. */
static uint64_t damage(const char *path, uint64_t *state)
{
    struct stat st;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0 && fstat(fd, &st) == 0);
    uint64_t held = (uint64_t)st.st_size - TRACE_HEADER_BYTES;
    uint64_t intact = below(state, (uint32_t)held + 1);
    off_t from = (off_t)(TRACE_HEADER_BYTES + intact);
    if (below(state, 2)) {
        assert_int_equal(ftruncate(fd, from), 0);
    } else {
        for (int i = 0; i < 20; i++) {
            uint8_t byte = (uint8_t)random_number(state);
            off_t at = from + below(state, (uint32_t)(held - intact) + 1);
            assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        }
    }
    close(fd);
    return intact;
}

static const char *csv(const void *from, const char *name)
{
    (void)from;
    return strcmp(name, "ROCPROF_OUTPUT_FORMAT") == 0 ? "csv" : NULL;
}

static void check_conversion(const char *store, uint64_t found)
{
    char why[512] = "";
    out_config_t config;
    out_result_t result;
    out_conversion_t conversion = {.config = &config, .directory = store};
    assert_int_equal(out_config_read(&config, csv, NULL, why, sizeof(why)), 0);
    if (out_convert(&conversion, store, &result, why, sizeof(why)) != 0) fail_msg("%s", why);
    const trace_counts_t *c = &result.counts;
    assert_int_equal(c->written, found);
    assert_int_equal(c->received, c->written + c->dropped + c->filtered);
    assert_int_equal(result.cut, 0);
    out_conversion_free(&conversion);
    out_config_free(&config);
}

static void check_process(uint32_t number, uint64_t *state)
{
    char store[128], path[192];
    uint64_t found = 0;
    const process_model_t *p = &models[number];
    store_of(store, number);
    if (!p->opened) return; /* killed before it had a name */
    for (uint32_t i = 0; i < p->segments; i++) {
        snprintf(path, sizeof(path), "%s/records-%u.seg", store, i);
        found += check_whole(path, &p->segment[i]);
    }
    check_conversion(store, found);
    for (uint32_t i = 0; i < p->segments; i++) {
        snprintf(path, sizeof(path), "%s/records-%u.seg", store, i);
        if (below(state, 2)) check_front(path, &p->segment[i], damage(path, state));
    }
}

static void lives_of_a_store(void **unused)
{
    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        strcpy(directory, "/tmp/store-property-XXXXXX");
        assert_non_null(mkdtemp(directory));
        memset(models, 0, PROCESSES * sizeof(*models));
        *process_count = 1;
        live(0, random_number(&seed) | 1, NULL);
        while (wait(NULL) > 0) { /* children of children that were killed */
        }
        for (uint32_t i = 0; i < *process_count; i++)
            check_process(i, &seed);
        assert_int_equal(trace_remove(directory), 0);
    }
}

static void *shared(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

int main(void)
{
    const char *told = getenv("STORE_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed = told ? strtoull(told, NULL, 10) : (uint64_t)now.tv_nsec * 1000003 + (uint64_t)now.tv_sec;
    printf("STORE_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    seed |= 1;
    models = shared(PROCESSES * sizeof(*models));
    process_count = shared(sizeof(*process_count));
    if (!models || !process_count || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(lives_of_a_store)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
