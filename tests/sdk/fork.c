/* fork.c - a traced program forks, one scenario per process.
 *
 * The program is its own tool. Children check their own records and tell by their exit status; a
 * child that hangs ends by an alarm. Usage: fork SCENARIO. */
#include "fake.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    const char *name;
    void (*run)(void);
} scenario_t;

static const scenario_t *scenario;
static rocprofiler_context_id_t context;
static rocprofiler_buffer_id_t buffer;
static _Atomic size_t delivered, callbacks, threads_made;
static uint64_t delivered_thread; /* of the last record */
static size_t finalized;
static pid_t fork_in_callback; /* a child's id, or -1: fork at the next callback */
static bool in_child, expect_finalize;
static pthread_mutex_t tool_lock = PTHREAD_MUTEX_INITIALIZER; /* a tool's own state */

static void collect(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                    rocprofiler_record_header_t **headers, size_t count, void *data, uint64_t lost)
{
    (void)from, (void)id, (void)data;
    CHECK_EQ(lost, 0);
    pthread_mutex_lock(&tool_lock);
    delivered += count;
    if (count) {
        const rocprofiler_buffer_tracing_hip_api_record_t *r = headers[count - 1]->payload;
        delivered_thread = r->thread_id;
    }
    pthread_mutex_unlock(&tool_lock);
}

static void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                    void *data)
{
    (void)user, (void)data;
    if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER) return;
    pthread_mutex_lock(&tool_lock);
    callbacks++;
    pthread_mutex_unlock(&tool_lock);
    if (fork_in_callback == -1) fork_in_callback = fork();
}

static void on_thread(rocprofiler_runtime_library_t library, void *data)
{
    (void)library, (void)data;
    threads_made++;
}

static int initialize(rocprofiler_client_finalize_t f, void *data)
{
    (void)f, (void)data;
    OK(rocprofiler_at_internal_thread_create(on_thread, NULL, 0, NULL));
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, 1 << 16, 1 << 13, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                 collect, NULL, &buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, NULL, 0, buffer));
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, NULL, 0, on_call, NULL));
    OK(rocprofiler_start_context(context));
    return 0;
}

static void finalize(void *data)
{
    (void)data;
    finalized++;
    if (in_child && !expect_finalize) _exit(5);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *text,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    (void)version, (void)text, (void)priority;
    id->name = "fork";
    static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, finalize, NULL};
    return &result;
}

static void call(size_t times)
{
    for (size_t i = 0; i < times; i++)
        fake_hipGetLastError();
}

static void join_child(pid_t child, int expected)
{
    int status = 0;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), expected);
}

static pid_t make_child(void)
{
    pid_t child = fork();
    if (child) return child;
    in_child = true;
    alarm(30);
    failures = 0;
    delivered = callbacks = threads_made = 0;
    return 0;
}

/* The child's records are the child's alone, its threads are there when they are needed, and its
 * tool is finalised. */
static void traced_child(void)
{
    call(10);
    CHECK_EQ(threads_made, 0);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(delivered, 10);
    CHECK_EQ(callbacks, 10);
    CHECK_EQ(delivered_thread, getpid());
    int active = 0;
    OK(rocprofiler_context_is_active(context, &active));
    CHECK_EQ(active, 1);
    call(1000); /* past the watermark */
    CHECK_EQ(threads_made, 1);
    for (int i = 0; i < 1000 && delivered < 100; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    CHECK(delivered >= 100);
    OK(rocprofiler_stop_context(context));
    call(5);
    OK(rocprofiler_start_context(context));
    rocprofiler_user_data_t value = {.value = 77};
    OK(rocprofiler_pop_external_correlation_id(context, (uint64_t)getpid(), &value));
    CHECK_EQ(value.value, 5);
    /* a child's child */
    pid_t grandchild = make_child();
    if (!grandchild) {
        call(3);
        OK(rocprofiler_flush_buffer(buffer));
        CHECK_EQ(delivered, 3);
        _exit(failures ? 1 : 43);
    }
    join_child(grandchild, 43);
    expect_finalize = true;
    exit(failures ? 1 : 42);
}

static void traced_run(void)
{
    call(7);
    rocprofiler_user_data_t value = {.value = 5};
    OK(rocprofiler_push_external_correlation_id(context, (uint64_t)gettid(), value));
    pid_t child = make_child();
    if (!child) traced_child();
    join_child(child, 42);
    call(1);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(delivered, 8);
}

/* The library has started, no runtime has: the child's runtime is traced. */
static void before_run(void)
{
    OK(rocprofiler_force_configure(rocprofiler_configure));
    pid_t child = make_child();
    CHECK_EQ(fake_register(), 0);
    call(4);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(delivered, 4);
    expect_finalize = true;
    if (!child) exit(failures ? 1 : 42);
    join_child(child, 42);
}

/* A child that uses no runtime ends without the tool's finalize function. */
static void idle_run(void)
{
    call(2);
    pid_t child = make_child();
    if (!child) exit(42);
    join_child(child, 42);
}

/* A fork inside a callback: the child is silent, whatever the tool's state is. */
static void inside_run(void)
{
    fork_in_callback = -1;
    call(1);
    pid_t child = fork_in_callback;
    if (!child) {
        in_child = true;
        alarm(30);
        delivered = callbacks = 0;
        call(100000);
        CHECK_EQ(rocprofiler_flush_buffer(buffer), ROCPROFILER_STATUS_ERROR_FINALIZED);
        CHECK_EQ(rocprofiler_start_context(context), ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED);
        OK(rocprofiler_stop_context(context));
        CHECK_EQ(delivered + callbacks, 0);
        exit(failures ? 1 : 42);
    }
    join_child(child, 42);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(delivered, 1);
}

/* Forks while other threads trace and the library's thread delivers: no child hangs or loses a
 * record, and the parent's records are all there. */
enum { TRACERS = 3, FORKS = 200 };
static _Atomic bool stop;
static _Atomic size_t made_calls;

static void *trace(void *argument)
{
    while (!stop) {
        call(100);
        made_calls += 100;
    }
    return argument;
}

static void storm_run(void)
{
    pthread_t threads[TRACERS];
    for (int i = 0; i < TRACERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, trace, NULL), 0);
    int traced = 0, forks = FORKS;
    const char *divisor = getenv("STRESS_DIVISOR");
    if (divisor) forks /= atoi(divisor);
    for (int i = 0; i < forks; i++) {
        pid_t child = make_child();
        if (!child) {
            call(50);
            rocprofiler_status_t status = rocprofiler_flush_buffer(buffer);
            if (status == ROCPROFILER_STATUS_ERROR_FINALIZED) _exit(delivered ? 1 : 43);
            CHECK_EQ(delivered, 50);
            expect_finalize = true;
            if (i % 2) exit(failures ? 1 : 42);
            _exit(failures ? 1 : 42);
        }
        int status = 0;
        CHECK_EQ(waitpid(child, &status, 0), child);
        CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 42 || WEXITSTATUS(status) == 43));
        traced += WEXITSTATUS(status) == 42;
    }
    stop = true;
    for (int i = 0; i < TRACERS; i++)
        pthread_join(threads[i], NULL);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(delivered, made_calls);
    CHECK(traced > forks * 8 / 10); /* a thread may sit in a callback for long when cores are few */
    printf("%d of %d children traced, %zu calls in the parent\n", traced, forks, made_calls);
}

/* A lock of the runtime's own, held in most calls and needed by every child to end. */
static pthread_mutex_t runtime_lock = PTHREAD_MUTEX_INITIALIZER;

static hipError_t locked_free(void *pointer)
{
    (void)pointer;
    pthread_mutex_lock(&runtime_lock);
    fake_hipGetLastError();
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    fake_hipGetLastError();
    pthread_mutex_unlock(&runtime_lock);
    return hipSuccess;
}

static void *use_runtime(void *unused)
{
    while (!stop) {
        fake_hipFree(NULL);
        made_calls += 3;
    }
    return unused;
}

static void runtime_run(void)
{
    enum { CHILDREN = 100 };
    pthread_t threads[TRACERS];
    void *tables[1] = {&fake_hip};
    int ended = 0;
    fake_fill();
    FAKE_ENTRY(&fake_hip, hipFree) = (void *)locked_free;
    CHECK_EQ(rocprofiler_set_api_table("hip", 60200, 0, tables, 1), 0);
    for (int i = 0; i < TRACERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, use_runtime, NULL), 0);
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = make_child();
        if (!child) _exit(pthread_mutex_trylock(&runtime_lock) == 0 ? 42 : 43);
        int status = 0;
        CHECK_EQ(waitpid(child, &status, 0), child);
        ended += WIFEXITED(status) && WEXITSTATUS(status) == 42;
    }
    stop = true;
    for (int i = 0; i < TRACERS; i++)
        pthread_join(threads[i], NULL);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(delivered, made_calls);
    CHECK(ended >
          CHILDREN / 2); /* none without the wait; a call may take long when cores are few */
    printf("%d of %d children found the runtime free\n", ended, CHILDREN);
}

static const scenario_t scenarios[] = {
    {"traced", traced_run}, {"before", before_run}, {"idle", idle_run},
    {"inside", inside_run}, {"storm", storm_run},   {"runtime", runtime_run},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (argc == 2 && !strcmp(argv[1], scenarios[i].name)) scenario = &scenarios[i];
    if (!scenario) return 2;
    alarm(100);
    bool registers = scenario->run == before_run || scenario->run == runtime_run;
    if (!registers) CHECK_EQ(fake_register(), 0);
    scenario->run();
    return failures != 0;
}
