/* api.c - what tracing costs a call: not traced, by callback, buffered; one thread and two.
 *
 * The traced function is an empty one in a table of the program's own, registered as "hip". Every
 * figure is the difference to the same loop through an unwrapped table, measured in turn with it in
 * the same run. With --tool FILE that tool library is loaded, with the environment as it is, and
 * what it costs is measured instead. usage: bench_api [--json FILE] [--tool FILE] [million calls
 * per loop] */
#include "../tests/tool.h"

#include "sdk/offsets.h"
#include "sink.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

int rocprofiler_set_api_table(const char *name, uint64_t lib_version, uint64_t lib_instance,
                              void **tables, uint64_t num_tables);

enum { ROUNDS = 5, THREADS_MAX = 2 };

typedef struct {
    size_t size;
    void *entries[520];
} table_t;

static table_t wrapped, plain;
static rocprofiler_context_id_t by_callback, by_buffer;
static rocprofiler_buffer_id_t buffer;
static uint64_t calls = 10000000;
static bool with_tool;

static __attribute__((noinline)) hipError_t empty(hipStream_t stream)
{
    __asm__ volatile("" : : "r"(stream));
    return hipSuccess;
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    rocprofiler_tracing_operation_t operation = ROCPROFILER_HIP_RUNTIME_API_ID_hipStreamSynchronize;
    if (with_tool) return 0;
    rocprofiler_create_context(&by_callback);
    rocprofiler_create_context(&by_buffer);
    rocprofiler_create_buffer(by_buffer, 8 << 20, 1 << 20, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                              on_buffer, NULL, &buffer);
    rocprofiler_configure_callback_tracing_service(by_callback,
                                                   ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API,
                                                   &operation, 1, on_callback, NULL);
    rocprofiler_configure_buffer_tracing_service(
        by_buffer, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, &operation, 1, buffer);
    return 0;
}

TOOL("bench_api", initialize, NULL)

static uint64_t now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The kernel's part of the calling thread's CPU time. */
static uint64_t system_now(void)
{
    struct rusage use;
    getrusage(RUSAGE_THREAD, &use);
    return (uint64_t)use.ru_stime.tv_sec * 1000000000u + (uint64_t)use.ru_stime.tv_usec * 1000u;
}

typedef struct {
    table_t *table;
    pthread_barrier_t *start;
    double cpu_ns, system_ns;
} loop_t;

static void *run_loop(void *argument)
{
    loop_t *loop = argument;
    typedef hipError_t (*function_t)(hipStream_t);
    void *volatile *entry =
        (void *volatile *)(void *)((char *)loop->table + SDK_OFFSET_hipStreamSynchronize);
    pthread_barrier_wait(loop->start);
    uint64_t cpu = now(CLOCK_THREAD_CPUTIME_ID), system = system_now();
    for (uint64_t i = 0; i < calls; i++)
        ((function_t)*entry)(NULL);
    loop->cpu_ns = (double)(now(CLOCK_THREAD_CPUTIME_ID) - cpu) / (double)calls;
    loop->system_ns = (double)(system_now() - system) / (double)calls;
    return NULL;
}

/* ns per call of CPU time: the calling threads' own, mean over the threads, what of it the kernel
 * took, and that of the whole process. */
typedef struct {
    double own, system, process;
} cost_t;

static cost_t measure(table_t *table, int threads)
{
    uint64_t begin = now(CLOCK_PROCESS_CPUTIME_ID);
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, (unsigned)threads);
    pthread_t ids[THREADS_MAX];
    loop_t loops[THREADS_MAX];
    for (int i = 0; i < threads; i++) {
        loops[i] = (loop_t){.table = table, .start = &start};
        pthread_create(&ids[i], NULL, run_loop, &loops[i]);
    }
    cost_t cost = {0};
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        cost.own += loops[i].cpu_ns / threads;
        cost.system += loops[i].system_ns / threads;
    }
    pthread_barrier_destroy(&start);
    cost.process = (double)(now(CLOCK_PROCESS_CPUTIME_ID) - begin) / (double)calls / threads;
    return cost;
}

typedef struct {
    const char *name;
    rocprofiler_context_id_t *context;
} bench_mode_t;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const char *json_path = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--json") && i + 1 < argc)
            json_path = argv[++i];
        else if (!strcmp(argv[i], "--tool") && i + 1 < argc)
            with_tool = !setenv("ROCP_TOOL_LIBRARIES", argv[++i], 1);
        else
            calls = strtoull(argv[i], NULL, 10) * 1000000;
    }
    if (!calls) return 2;
    wrapped.size = plain.size = sizeof wrapped;
    *(void **)(void *)((char *)&wrapped + SDK_OFFSET_hipStreamSynchronize) = (void *)empty;
    *(void **)(void *)((char *)&plain + SDK_OFFSET_hipStreamSynchronize) = (void *)empty;
    void *tables[1] = {&wrapped};
    if (rocprofiler_set_api_table("hip", 60200, 0, tables, 1)) return 1;
    static const bench_mode_t own[] = {
        {"not traced", NULL}, {"callback", &by_callback}, {"buffered", &by_buffer}};
    static const bench_mode_t tools[] = {{"tool", NULL}};
    const bench_mode_t *modes = with_tool ? tools : own;
    size_t mode_count = with_tool ? sizeof tools / sizeof *tools : sizeof own / sizeof *own;
    FILE *json = json_path ? fopen(json_path, "w") : NULL;
    if (json)
        fprintf(json, "{\"benchmark\": \"api\", \"calls\": %llu, \"results\": [",
                (unsigned long long)calls);
    printf("%-12s %8s %14s %14s %14s %14s %14s %8s\n", "mode", "threads", "plain ns/call",
           "traced ns/call", "difference ns", "the kernel's", "of the process", "speed-up");
    bool first = true;
    double alone[sizeof own / sizeof *own] = {0}; /* ns of a traced call, one thread */
    for (int threads = 1; threads <= THREADS_MAX; threads++)
        for (size_t m = 0; m < mode_count; m++) {
            double base[ROUNDS], cost[ROUNDS], kernel[ROUNDS], all[ROUNDS];
            for (int r = 0; r < ROUNDS; r++) {
                cost_t bare = measure(&plain, threads);
                if (modes[m].context) rocprofiler_start_context(*modes[m].context);
                cost_t traced = measure(&wrapped, threads);
                base[r] = bare.own;
                cost[r] = traced.own - bare.own;
                kernel[r] = traced.system - bare.system;
                all[r] = traced.process - bare.process;
                if (modes[m].context) rocprofiler_stop_context(*modes[m].context);
            }
            qsort(base, ROUNDS, sizeof *base, compare);
            qsort(cost, ROUNDS, sizeof *cost, compare);
            qsort(kernel, ROUNDS, sizeof *kernel, compare);
            qsort(all, ROUNDS, sizeof *all, compare);
            double median = cost[ROUNDS / 2], from = base[ROUNDS / 2];
            if (threads == 1) alone[m] = from + median;
            /* throughput in threads' own CPU time: what it is on as many idle cores */
            double speedup = threads * alone[m] / (from + median);
            printf("%-12s %8d %14.2f %14.2f %14.2f %14.2f %14.2f %8.2f\n", modes[m].name, threads,
                   from, from + median, median, kernel[ROUNDS / 2], all[ROUNDS / 2], speedup);
            if (json)
                fprintf(json,
                        "%s\n  {\"mode\": \"%s\", \"threads\": %d, \"plain_ns\": %.3f, "
                        "\"added_ns\": %.3f, \"system_ns\": %.3f, \"process_ns\": %.3f, "
                        "\"speedup\": %.3f}",
                        first ? "" : ",", modes[m].name, threads, from, median, kernel[ROUNDS / 2],
                        all[ROUNDS / 2], speedup);
            first = false;
        }
    if (!with_tool) rocprofiler_flush_buffer(buffer);
    uint64_t expected = with_tool ? 0 : calls * ROUNDS * (1 + 2);
    printf("records: %llu expected, %llu delivered, %llu dropped\n", (unsigned long long)expected,
           (unsigned long long)delivered, (unsigned long long)dropped);
    if (json) {
        fprintf(json,
                "\n], \"records_expected\": %llu, \"records_delivered\": %llu, "
                "\"records_dropped\": %llu}\n",
                (unsigned long long)expected, (unsigned long long)delivered,
                (unsigned long long)dropped);
        fclose(json);
    }
    return delivered + dropped == expected ? 0 : 1;
}
