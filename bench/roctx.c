/* roctx.c - what a marker costs: without a tool, with one that does not follow, followed.
 *
 * The program is its own tool; without one it runs itself again, since a process either has a tool
 * or has none. Figures are ns per call, loop and call included: the best of several rounds.
 * usage: bench_roctx [--json FILE] [million calls per loop] */
#include <rocprofiler-sdk-roctx/roctx.h>
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include "sink.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, THREADS = 2 };

static rocprofiler_context_id_t by_callback, by_buffer;
static rocprofiler_buffer_id_t buffer;
static uint64_t calls = 2000000;

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    rocprofiler_create_context(&by_callback);
    rocprofiler_create_context(&by_buffer);
    rocprofiler_configure_callback_tracing_service(
        by_callback, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, NULL, 0, on_callback,
        NULL);
    rocprofiler_create_buffer(by_buffer, 8 << 20, 4 << 20, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                              on_buffer, NULL, &buffer);
    rocprofiler_configure_buffer_tracing_service(
        by_buffer, ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API, NULL, 0, buffer);
    return 0;
}

ROCPROFILER_EXPORT rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t version, const char *text, uint32_t priority,
                      rocprofiler_client_id_t *id)
{
    static rocprofiler_tool_configure_result_t result = {.size = sizeof result,
                                                         .initialize = initialize};
    (void)version, (void)text, (void)priority;
    id->name = "bench_roctx";
    return getenv("BENCH_ROCTX_BARE") ? NULL : &result;
}

/* ---- Loops ---- */

static void mark(void)
{
    roctxMark("marker");
}

static void nested(void)
{
    roctxRangePush("range");
    roctxRangePop();
}

static void process(void)
{
    roctxRangeStop(roctxRangeStart("range"));
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *run(void *data)
{
    void (*once)(void) = *(void (**)(void))data;
    for (uint64_t i = 0; i < calls; i++)
        once();
    return NULL;
}

static double best(void (*once)(void), int threads)
{
    double least = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t others[THREADS];
        uint64_t begin = now();
        for (int i = 1; i < threads; i++)
            pthread_create(&others[i], NULL, run, &once);
        run(&once);
        for (int i = 1; i < threads; i++)
            pthread_join(others[i], NULL);
        double each = (double)(now() - begin) / (double)calls;
        if (each < least) least = each;
    }
    return least;
}

static const struct {
    const char *name;
    void (*once)(void);
} loops[] = {{"mark", mark}, {"push_pop", nested}, {"start_stop", process}};

enum { LOOPS = 3, MODES = 4 };

static const char *const modes[MODES] = {"no_tool", "not_followed", "callback", "buffered"};

static void measure(double figures[LOOPS], int threads)
{
    for (int i = 0; i < LOOPS; i++)
        figures[i] = best(loops[i].once, threads);
}

static int bare(void)
{
    double figures[LOOPS];
    measure(figures, 1);
    return printf("%f %f %f\n", figures[0], figures[1], figures[2]) < 0;
}

static void ask_bare(const char *self, double figures[LOOPS])
{
    char command[4200];
    snprintf(command, sizeof command, "BENCH_ROCTX_BARE=1 '%s' %llu", self,
             (unsigned long long)(calls / 1000000));
    FILE *pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%lf %lf %lf", &figures[0], &figures[1], &figures[2]) != LOOPS)
        figures[0] = figures[1] = figures[2] = 0;
    if (pipe) pclose(pipe);
}

static void write_json(const char *path, double figures[MODES][LOOPS], double two)
{
    FILE *f = fopen(path, "w");
    if (!f) return;
    fputs("{", f);
    for (int m = 0; m < MODES; m++)
        for (int i = 0; i < LOOPS; i++)
            fprintf(f, "\"%s_%s_ns\": %.2f, ", loops[i].name, modes[m], figures[m][i]);
    fprintf(f, "\"mark_buffered_two_threads_ns\": %.2f, \"dropped\": %llu}\n", two,
            (unsigned long long)dropped);
    fclose(f);
}

int main(int argc, char **argv)
{
    const char *json = argc > 2 && strcmp(argv[1], "--json") == 0 ? argv[2] : NULL;
    int next = json ? 3 : 1;
    if (argc > next) calls = strtoull(argv[next], NULL, 10) * 1000000;
    if (!calls) return 2;
    if (getenv("BENCH_ROCTX_BARE")) return bare();
    double figures[MODES][LOOPS];
    ask_bare(argv[0], figures[0]);
    measure(figures[1], 1);
    rocprofiler_start_context(by_callback);
    measure(figures[2], 1);
    rocprofiler_stop_context(by_callback);
    rocprofiler_start_context(by_buffer);
    measure(figures[3], 1);
    double two = best(mark, THREADS);
    rocprofiler_stop_context(by_buffer);
    rocprofiler_flush_buffer(buffer);
    printf("%-12s", "ns per call");
    for (int m = 0; m < MODES; m++)
        printf("%14s", modes[m]);
    for (int i = 0; i < LOOPS; i++) {
        printf("\n%-12s", loops[i].name);
        for (int m = 0; m < MODES; m++)
            printf("%14.1f", figures[m][i]);
    }
    printf("\nmark, buffered, on %d threads at once: %.1f; %llu records delivered, %llu dropped\n",
           THREADS, two, (unsigned long long)delivered, (unsigned long long)dropped);
    if (json) write_json(json, figures, two);
    return 0;
}
