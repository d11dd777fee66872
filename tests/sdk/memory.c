/* memory.c - what tracing costs in resident memory: nothing that grows with the number of records.
 *
 * usage: memory constant [million records] | memory cost | memory [--json FILE]
 * "constant": threads trace, a tool drains; resident memory at the end is that of a tenth of the
 * way, apart from the buffer's own pages. "cost": a buffer that nobody drains takes its size and a
 * page for each thread. Without a scenario it is the benchmark: "constant" with 1000 million
 * records. */
#include "fake.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include <unistd.h>

enum { DRAINERS = 2, HOLDERS = 64, BUFFER_SIZE = 4 << 20, SLACK_KIB = 256 };

static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static rocprofiler_client_finalize_t finalizer;
static rocprofiler_client_id_t *client;
static bool hold;
static _Atomic bool let_go;
static _Atomic uint64_t delivered, dropped;
static pthread_barrier_t ready, go, full;

static void on_buffer(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                      rocprofiler_record_header_t **headers, size_t count, void *data,
                      uint64_t lost)
{
    (void)from, (void)id, (void)headers, (void)data;
    delivered += count;
    dropped += lost;
    while (hold && !let_go)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static int initialize(rocprofiler_client_finalize_t f, void *data)
{
    (void)data;
    finalizer = f;
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, BUFFER_SIZE, BUFFER_SIZE / 4,
                                 hold ? ROCPROFILER_BUFFER_POLICY_DISCARD
                                      : ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                 on_buffer, NULL, &buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, NULL, 0, buffer));
    OK(rocprofiler_start_context(context));
    return 0;
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *text,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    (void)version, (void)text, (void)priority;
    static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, NULL, NULL};
    client = id;
    return &result;
}

static long resident_kib(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void *call_many(void *count)
{
    for (uint64_t n = *(uint64_t *)count; n; n--)
        fake_hipGetLastError();
    return NULL;
}

static void trace(uint64_t calls)
{
    pthread_t threads[DRAINERS];
    uint64_t each = calls / DRAINERS;
    for (int i = 0; i < DRAINERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, call_many, &each), 0);
    for (int i = 0; i < DRAINERS; i++)
        pthread_join(threads[i], NULL);
}

/* The scheduler decides how far the writers run ahead of the tool, and so how many of the buffer's
 * pages they touch: the buffer may be full for the first time after the tenth. */
static void run_constant(uint64_t calls, const char *json_path)
{
    trace(calls / 10);
    OK(rocprofiler_flush_buffer(buffer));
    long early = resident_kib();
    trace(calls - calls / 10);
    OK(rocprofiler_flush_buffer(buffer));
    long late = resident_kib();
    finalizer(*client);
    printf("%llu million records: %ld KiB resident after a tenth, %ld KiB at the end\n",
           (unsigned long long)calls / 1000000, early, late);
    CHECK_EQ(delivered, calls);
    CHECK_EQ(dropped, 0);
    CHECK(late - early <= SLACK_KIB + BUFFER_SIZE / 1024);
    FILE *json = json_path ? fopen(json_path, "w") : NULL;
    if (!json) return;
    fprintf(json,
            "{\"benchmark\": \"memory\", \"records\": %llu, \"resident_kib_at_a_tenth\": %ld, "
            "\"resident_kib_at_the_end\": %ld}\n",
            (unsigned long long)calls, early, late);
    fclose(json);
}

/* Each fills what it can get and stays. The first call is made before the count begins: a thread's
 * own state and stack are not the buffer's. */
static void *fill(void *unused)
{
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&go);
    for (int i = 0; i < 2 * BUFFER_SIZE / 64 / HOLDERS; i++)
        fake_hipGetLastError();
    pthread_barrier_wait(&full);
    pthread_barrier_wait(&full);
    return unused;
}

static void run_cost(void)
{
    pthread_t threads[HOLDERS];
    pthread_barrier_init(&ready, NULL, HOLDERS + 1);
    pthread_barrier_init(&go, NULL, HOLDERS + 1);
    pthread_barrier_init(&full, NULL, HOLDERS + 1);
    for (int i = 0; i < HOLDERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, fill, NULL), 0);
    pthread_barrier_wait(&ready);
    long before = resident_kib();
    pthread_barrier_wait(&go);
    pthread_barrier_wait(&full);
    long cost = resident_kib() - before;
    /* a thread's state in the library: cursors of 64 buffers and ids of 64 contexts, and its first
     * use of stack and thread-local storage */
    long limit = BUFFER_SIZE / 1024 + HOLDERS * (4 + 16) + SLACK_KIB;
    printf("%d threads, a buffer of %d KiB: %ld KiB, limit %ld\n", HOLDERS, BUFFER_SIZE / 1024,
           cost, limit);
    CHECK(cost <= limit);
    CHECK(cost >= BUFFER_SIZE / 1024 * 3 / 4); /* it was full */
    let_go = true;
    pthread_barrier_wait(&full);
    for (int i = 0; i < HOLDERS; i++)
        pthread_join(threads[i], NULL);
    finalizer(*client);
    CHECK(dropped > 0);
    CHECK_EQ(delivered + dropped, (uint64_t)HOLDERS * (2 * BUFFER_SIZE / 64 / HOLDERS));
}

int main(int argc, char **argv)
{
    const char *scenario = argc > 1 ? argv[1] : "--json";
    hold = !strcmp(scenario, "cost");
    CHECK_EQ(fake_register(), 0);
    if (hold)
        run_cost();
    else if (!strcmp(scenario, "constant"))
        run_constant((argc > 2 ? strtoull(argv[2], NULL, 10) : 10) * 1000000, NULL);
    else
        run_constant(1000000000, argc > 2 ? argv[2] : NULL);
    return failures != 0;
}
