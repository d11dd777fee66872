/* stress.c - buffers and contexts under load: every record made is delivered or counted as dropped.
 *
 * Usage: stress SCENARIO. The operation count of each thread is known, so the sums are exact. */
#include "fake.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <sys/resource.h>
#include <unistd.h>

enum { THREADS = 8, BUFFERS = 4 };

static const char *scenario;
static rocprofiler_client_finalize_t finalizer;
static rocprofiler_client_id_t *client;
static rocprofiler_context_id_t contexts[BUFFERS];
static rocprofiler_buffer_id_t buffers[BUFFERS];
static _Atomic uint64_t delivered[BUFFERS], dropped[BUFFERS], callbacks_entered, callbacks_left;
static _Atomic uint64_t nested_calls, disorder;
static _Atomic int busy_answers;
static _Atomic bool over;
static _Atomic bool ending, ended;
static bool call_inside, flush_inside, flush_others, end_inside;
static __thread int depth;

static uint64_t scale(uint64_t n)
{
    const char *text = getenv("STRESS_DIVISOR"); /* sanitizers are slow */
    uint64_t divisor = text ? strtoull(text, NULL, 10) : 1;
    return n / (divisor ? divisor : 1);
}

/* Records of a thread must come in the order of their ends: the fake call has no nesting here. */
static void check_order(uint64_t index, const rocprofiler_buffer_tracing_hip_api_record_t *r)
{
    enum { SLOTS = 4096 };
    static uint64_t last[BUFFERS][SLOTS];
    uint64_t *end = &last[index][r->thread_id % SLOTS];
    if (call_inside) return; /* calls in callbacks are made by delivering threads, in between */
    if (r->end_timestamp < *end || r->start_timestamp > r->end_timestamp) disorder++;
    *end = r->end_timestamp;
}

static void on_buffer(rocprofiler_context_id_t context, rocprofiler_buffer_id_t id,
                      rocprofiler_record_header_t **headers, size_t count, void *data,
                      uint64_t drop_count)
{
    (void)context;
    uint64_t index = (uint64_t)(uintptr_t)data;
    delivered[index] += count;
    dropped[index] += drop_count;
    for (size_t i = 0; i < count; i++)
        check_order(index, headers[i]->payload);
    if (call_inside && depth < 2 && !over) {
        depth++;
        for (int i = 0; i < 3; i++) {
            nested_calls++;
            fake_hipGetLastError();
        }
        depth--;
    }
    if (ended) disorder++; /* nothing may come after the finalize function */
    if (end_inside && delivered[index] > 2000 && !atomic_exchange(&ending, true))
        finalizer(*client);
    if (flush_inside && rocprofiler_flush_buffer(id) == ROCPROFILER_STATUS_ERROR_BUFFER_BUSY)
        busy_answers++;
    if (flush_others)
        for (int i = 0; i < BUFFERS; i++)
            if (buffers[i].handle) rocprofiler_flush_buffer(buffers[i]);
}

static void on_callback(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                        void *data)
{
    (void)data;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) {
        user->value = record.correlation_id.internal;
        callbacks_entered++;
    } else {
        CHECK_EQ(user->value, record.correlation_id.internal);
        callbacks_left++;
    }
}

static void add_buffer(int index, size_t size, size_t watermark, rocprofiler_buffer_policy_t policy)
{
    OK(rocprofiler_create_context(&contexts[index]));
    OK(rocprofiler_create_buffer(contexts[index], size, watermark, policy, on_buffer,
                                 (void *)(uintptr_t)index, &buffers[index]));
    OK(rocprofiler_configure_buffer_tracing_service(
        contexts[index], ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, NULL, 0, buffers[index]));
    OK(rocprofiler_start_context(contexts[index]));
}

static int initialize(rocprofiler_client_finalize_t f, void *data)
{
    (void)data;
    finalizer = f;
    const rocprofiler_buffer_policy_t LOSSLESS = ROCPROFILER_BUFFER_POLICY_LOSSLESS;
    const rocprofiler_buffer_policy_t DISCARD = ROCPROFILER_BUFFER_POLICY_DISCARD;
    if (!strcmp(scenario, "one_page")) {
        add_buffer(0, 4096, 2048, LOSSLESS);
        add_buffer(1, 4096, 4096, DISCARD);
    } else if (!strcmp(scenario, "large")) {
        add_buffer(0, 64 << 20, 32 << 20, LOSSLESS);
        add_buffer(1, 64 << 20, 1 << 20, DISCARD);
    } else {
        add_buffer(0, 65536, 32768, LOSSLESS);
        add_buffer(1, 65536, 32768, DISCARD);
        add_buffer(2, 4096, 100, LOSSLESS);
        rocprofiler_callback_thread_t own = {0};
        OK(rocprofiler_create_callback_thread(&own));
        OK(rocprofiler_assign_callback_thread(buffers[2], own));
    }
    if (!strcmp(scenario, "toggle")) {
        OK(rocprofiler_create_context(&contexts[3]));
        OK(rocprofiler_configure_callback_tracing_service(
            contexts[3], ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, NULL, 0, on_callback, NULL));
    }
    end_inside = !strcmp(scenario, "ends_inside");
    call_inside = !strcmp(scenario, "calls_inside");
    flush_inside = flush_others = !strcmp(scenario, "flushes");
    return 0;
}

/* exit() while threads trace, from a thread that traces: the sums are unknown, but nothing comes
 * afterwards and nothing hangs. */
static void finalize(void *data)
{
    (void)data;
    ended = true;
    if (disorder) _exit(1);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *text,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    (void)version, (void)text, (void)priority;
    static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, finalize, NULL};
    client = id;
    return &result;
}

static void *call_many(void *argument)
{
    for (uint64_t n = *(uint64_t *)argument; n; n--)
        fake_hipGetLastError();
    return NULL;
}

static void *flush_often(void *argument)
{
    (void)argument;
    while (!over)
        for (int i = 0; i < BUFFERS; i++)
            if (buffers[i].handle) OK(rocprofiler_flush_buffer(buffers[i]));
    return NULL;
}

static void *toggle(void *argument)
{
    rocprofiler_context_id_t *context = argument;
    while (!over) {
        OK(rocprofiler_start_context(*context));
        OK(rocprofiler_stop_context(*context));
    }
    return NULL;
}

/* `generations` times 8 threads of n calls each; the number of calls made. */
static uint64_t run_threads(uint64_t generations, uint64_t n)
{
    pthread_t threads[THREADS];
    for (uint64_t g = 0; g < generations; g++) {
        for (int i = 0; i < THREADS; i++)
            CHECK_EQ(pthread_create(&threads[i], NULL, call_many, &n), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    return generations * THREADS * n;
}

static void check_sums(uint64_t calls)
{
    /* callbacks that run make their last calls while these are still traced */
    over = true;
    for (int i = 0; i < BUFFERS; i++)
        if (buffers[i].handle) OK(rocprofiler_flush_buffer(buffers[i]));
    finalizer(*client);
    for (int i = 0; i < BUFFERS; i++) {
        if (!buffers[i].handle) continue;
        printf("buffer %d: %llu delivered, %llu dropped, %llu made\n", i,
               (unsigned long long)delivered[i], (unsigned long long)dropped[i],
               (unsigned long long)(calls + nested_calls));
        CHECK_EQ(delivered[i] + dropped[i], calls + nested_calls);
    }
    CHECK_EQ(dropped[0], 0);
    CHECK_EQ(dropped[2], 0);
    CHECK_EQ(disorder, 0);
}

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * 4;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    scenario = argv[1];
    CHECK_EQ(fake_register(), 0);
    pthread_t helper[2];
    uint64_t calls = 0;
    if (!strcmp(scenario, "churn")) {
        calls = run_threads(scale(50) + 1, 100);
        long before = resident_kib();
        calls += run_threads(scale(500), 100);
        CHECK(resident_kib() - before < 512 || getenv("STRESS_DIVISOR"));
    } else if (!strcmp(scenario, "toggle")) {
        /* callbacks come and go; ENTER and EXIT stay in pairs, buffers lose nothing */
        CHECK_EQ(pthread_create(&helper[0], NULL, toggle, &contexts[3]), 0);
        calls = run_threads(1, scale(400000));
        over = true;
        pthread_join(helper[0], NULL);
        CHECK_EQ(callbacks_entered, callbacks_left);
    } else if (!strcmp(scenario, "flushes")) {
        CHECK_EQ(pthread_create(&helper[0], NULL, flush_often, NULL), 0);
        CHECK_EQ(pthread_create(&helper[1], NULL, flush_often, NULL), 0);
        calls = run_threads(2, scale(100000));
        over = true;
        pthread_join(helper[0], NULL);
        pthread_join(helper[1], NULL);
        CHECK(busy_answers > 0);
    } else if (!strcmp(scenario, "exits") || end_inside) {
        uint64_t n = scale(2000000);
        for (int i = 0; i < THREADS; i++) {
            pthread_t thread;
            CHECK_EQ(pthread_create(&thread, NULL, call_many, &n), 0);
            pthread_detach(thread);
        }
        while (delivered[0] < 10000 && !ended)
            sched_yield();
        if (end_inside)
            while (!ended)
                sched_yield();
        exit(failures != 0 || disorder);
    } else {
        calls = run_threads(2, scale(200000));
    }
    check_sums(calls);
    return failures != 0;
}
