/* traced.c - what tools see of markers, one scenario per process: traced SCENARIO.
 *
 * The program is its own tool, found by its exported rocprofiler_configure. The marker library is
 * the real one and comes to the SDK by librocprofiler-register, as in any program. */
#include <rocprofiler-sdk-roctx/api_trace.h>
#include <rocprofiler-sdk-roctx/roctx.h>
#include <rocprofiler-sdk/external_correlation.h>
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);                \
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);                                    \
        }                                                                                          \
    } while (0)
#define CHECK_EQ(a, b)                                                                             \
    do {                                                                                           \
        long long a_ = (long long)(a), b_ = (long long)(b);                                        \
        if (a_ != b_) {                                                                            \
            fprintf(stderr, "%s:%d: %s is %lld, %s is %lld\n", __FILE__, __LINE__, #a, a_, #b,     \
                    b_);                                                                           \
            __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);                                    \
        }                                                                                          \
    } while (0)
#define OK(call) CHECK_EQ(call, ROCPROFILER_STATUS_SUCCESS)

typedef rocprofiler_callback_tracing_marker_api_data_t data_t;
typedef rocprofiler_buffer_tracing_marker_api_record_t record_t;

static rocprofiler_context_id_t context, control;
static rocprofiler_buffer_id_t buffer;

static bool has_message(const rocprofiler_callback_tracing_record_t *r)
{
    if (r->kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API)
        return r->operation != ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxGetThreadId;
    return r->kind == ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API &&
           (r->operation == ROCPROFILER_MARKER_CORE_API_ID_roctxMarkA ||
            r->operation == ROCPROFILER_MARKER_CORE_API_ID_roctxRangePushA ||
            r->operation == ROCPROFILER_MARKER_CORE_API_ID_roctxRangeStartA);
}

/* ---- Callbacks, written down as text ---- */

static char story[8192];
static uint64_t ids[64], first_tid;
static int id_count;

/* Correlation ids in the order in which they are met; 0 stays 0. */
static int plain_id(uint64_t id)
{
    if (!id) return 0;
    for (int i = 0; i < id_count; i++)
        if (ids[i] == id) return i + 1;
    ids[id_count++] = id;
    return id_count;
}

static void tell(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                 void *data)
{
    (void)data;
    const char *name = "?";
    const data_t *payload = record.payload;
    CHECK_EQ(payload->size, sizeof *payload);
    rocprofiler_query_callback_tracing_kind_operation_name(record.kind, record.operation, &name,
                                                           NULL);
    bool enter = record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
    if (enter) {
        CHECK_EQ(user->value, 0);
        user->value = record.correlation_id.internal;
    }
    CHECK_EQ(user->value, record.correlation_id.internal);
    CHECK_EQ(record.thread_id, first_tid);
    char line[160];
    const char *message = has_message(&record) ? payload->args.roctxMarkA.message : "";
    int n = snprintf(line, sizeof line, "%s%s %s", enter ? "+" : "-", name, message);
    if (!enter && strstr(name, "Start") == NULL && strstr(name, "Process") == NULL)
        n += snprintf(line + n, sizeof line - (size_t)n, " =%d", payload->retval.int32_t_retval);
    snprintf(line + n, sizeof line - (size_t)n, " %d<%d\n",
             plain_id(record.correlation_id.internal), plain_id(record.correlation_id.ancestor));
    strncat(story, line, sizeof story - strlen(story) - 1);
}

static void expect(const char *text)
{
    if (strcmp(story, text) != 0) {
        fprintf(stderr, "got:\n%sexpected:\n%s", story, text);
        failures++;
    }
    story[0] = 0;
}

static void follow(rocprofiler_callback_tracing_kind_t kind)
{
    OK(rocprofiler_configure_callback_tracing_service(context, kind, NULL, 0, tell, NULL));
}

static void functions_init(void)
{
    follow(ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_API);
    follow(ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API);
    follow(ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API);
}

static void functions_run(void)
{
    roctx_thread_id_t tid = 0;
    roctxMark("m");
    roctxRangePush("p");
    roctxRangePop();
    roctxRangeStop(roctxRangeStart("s"));
    roctxGetThreadId(&tid);
    roctxProfilerPause(0);
    roctxProfilerResume(0);
    roctxNameOsThread("t");
    roctxNameHipDevice("d", 3);
    CHECK_EQ(tid, first_tid);
    expect("+roctxMarkA m 1<0\n-roctxMarkA m =0 1<0\n"
           "+roctxRangePushA p 2<0\n-roctxRangePushA p =0 2<0\n"
           "+roctxRangePop  3<0\n-roctxRangePop  =0 3<0\n"
           "+roctxRangeStartA s 4<0\n-roctxRangeStartA s 4<0\n"
           "+roctxRangeStop  5<0\n-roctxRangeStop  =0 5<0\n"
           "+roctxGetThreadId  6<0\n-roctxGetThreadId  =0 6<0\n"
           "+roctxProfilerPause  7<0\n-roctxProfilerPause  =0 7<0\n"
           "+roctxProfilerResume  8<0\n-roctxProfilerResume  =0 8<0\n"
           "+roctxNameOsThread  9<0\n-roctxNameOsThread  =0 9<0\n"
           "+roctxNameHipDevice  10<0\n-roctxNameHipDevice  =0 10<0\n");
}

static void ranges_init(void)
{
    follow(ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API);
}

static void *stop_elsewhere(void *data)
{
    roctxRangeStop(*(roctx_range_id_t *)data);
    return NULL;
}

static void ranges_run(void)
{
    char passing[] = "outer"; /* the program's text changes before the range ends */
    CHECK_EQ(roctxRangePush(passing), 0);
    memcpy(passing, "XXXXX", 5);
    CHECK_EQ(roctxRangePush("inner"), 1);
    roctxMark("m");
    CHECK_EQ(roctxRangePop(), 1);
    CHECK_EQ(roctxRangePop(), 0);
    CHECK_EQ(roctxRangePop(), -1);
    expect("+roctxThreadRangeA outer 1<0\n+roctxThreadRangeA inner 2<1\n"
           "+roctxMarkA m 3<2\n-roctxMarkA m =0 3<2\n"
           "-roctxThreadRangeA inner =1 2<1\n-roctxThreadRangeA outer =0 1<0\n");
    id_count = 0;
    roctx_range_id_t a = roctxRangeStart("a"), b = roctxRangeStart("b");
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, stop_elsewhere, &a), 0);
    pthread_join(thread, NULL);
    roctxRangeStop(a);
    roctxRangeStop(b);
    expect("+roctxProcessRangeA a 1<0\n+roctxProcessRangeA b 2<0\n"
           "-roctxProcessRangeA a 1<0\n-roctxProcessRangeA b 2<0\n");
    /* ends match begins although the context ran for a part of them only */
    id_count = 0;
    roctxRangePush("seen");
    OK(rocprofiler_stop_context(context));
    roctxRangePush("unseen");
    OK(rocprofiler_start_context(context));
    roctxRangePush("late");
    roctxRangePop();
    roctxRangePop();
    roctxRangePop();
    expect("+roctxThreadRangeA seen 1<0\n+roctxThreadRangeA late 2<1\n"
           "-roctxThreadRangeA late =2 2<1\n-roctxThreadRangeA seen =0 1<0\n");
}

/* ---- Buffers ---- */

enum { OPEN = 5000, KEPT_MAX = 20000, NESTED = 100 };

static record_t kept[KEPT_MAX];
static size_t kept_count;

static void keep(rocprofiler_context_id_t c, rocprofiler_buffer_id_t b,
                 rocprofiler_record_header_t **headers, size_t count, void *data, uint64_t lost)
{
    (void)c, (void)b, (void)data;
    CHECK_EQ(lost, 0);
    for (size_t i = 0; i < count && kept_count < KEPT_MAX; i++) {
        CHECK_EQ(headers[i]->category, ROCPROFILER_BUFFER_CATEGORY_TRACING);
        kept[kept_count++] = *(record_t *)headers[i]->payload;
    }
}

static void buffered_init(void)
{
    OK(rocprofiler_create_buffer(context, 1 << 16, 1 << 15, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                 keep, NULL, &buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API, NULL, 0, buffer));
    rocprofiler_tracing_operation_t pause = ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerPause;
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_MARKER_CONTROL_API, &pause, 1, buffer));
}

static void *nest(void *data)
{
    (void)data;
    for (int i = 0; i < NESTED; i++)
        CHECK_EQ(roctxRangePush("n"), i);
    for (int i = 0; i < NESTED; i++)
        roctxRangePop();
    return NULL;
}

/* More ranges open at once than there are slots, ended by another thread than began them. */
static void *stop_all(void *data)
{
    roctx_range_id_t *open = data;
    for (int i = OPEN - 1; i >= 0; i -= 2)
        roctxRangeStop(open[i]);
    for (int i = 0; i < OPEN; i += 2)
        roctxRangeStop(open[i]);
    return NULL;
}

static void buffered_run(void)
{
    static roctx_range_id_t open[OPEN];
    pthread_t threads[4];
    roctxMark("m");
    roctxProfilerPause(0);
    roctxProfilerResume(0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, nest, NULL), 0);
    for (int i = 0; i < OPEN; i++)
        open[i] = roctxRangeStart("o");
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ(pthread_create(&threads[0], NULL, stop_all, open), 0);
    pthread_join(threads[0], NULL);
    roctxRangeStop(open[0]);
    OK(rocprofiler_flush_buffer(buffer));
    size_t marks = 0, pauses = 0, thread_ranges = 0, process_ranges = 0;
    for (size_t i = 0; i < kept_count; i++) {
        const record_t *r = &kept[i];
        CHECK_EQ(r->size, sizeof *r);
        CHECK(r->start_timestamp && r->start_timestamp <= r->end_timestamp);
        if (r->kind == ROCPROFILER_BUFFER_TRACING_MARKER_CONTROL_API) {
            pauses++;
            continue;
        }
        CHECK_EQ(r->kind, ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API);
        marks += r->operation == ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxMarkA;
        if (r->operation == ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA) {
            thread_ranges++;
            CHECK(r->thread_id != first_tid);
        }
        if (r->operation == ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxProcessRangeA) {
            process_ranges++;
            CHECK_EQ(r->thread_id, first_tid);
        }
    }
    CHECK_EQ(marks, 1);
    CHECK_EQ(pauses, 1);
    CHECK_EQ(thread_ranges, 4 * NESTED);
    CHECK_EQ(process_ranges, OPEN);
}

/* Far more ranges than anybody expects: none is lost, and beginning and ending one takes the same
 * time however many are open (with a list of them this took minutes). */
enum { DEEP = 70000, CROWD = 100000 };

static size_t deep_count, crowd_count, dropped;

static void count_ranges(rocprofiler_context_id_t c, rocprofiler_buffer_id_t b,
                         rocprofiler_record_header_t **headers, size_t count, void *data,
                         uint64_t lost)
{
    (void)c, (void)b, (void)data;
    dropped += lost;
    for (size_t i = 0; i < count; i++) {
        const record_t *r = headers[i]->payload;
        deep_count += r->operation == ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxThreadRangeA;
        crowd_count += r->operation == ROCPROFILER_MARKER_CORE_RANGE_API_ID_roctxProcessRangeA;
    }
}

static void crowd_init(void)
{
    OK(rocprofiler_create_buffer(context, 1 << 16, 1 << 15, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                 count_ranges, NULL, &buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_MARKER_CORE_RANGE_API, NULL, 0, buffer));
}

static void crowd_run(void)
{
    static roctx_range_id_t open[CROWD];
    for (int i = 0; i < DEEP; i++)
        roctxRangePush("deep");
    for (int i = 0; i < DEEP; i++)
        roctxRangePop();
    for (int i = 0; i < CROWD; i++)
        open[i] = roctxRangeStart("crowd");
    for (int i = 0; i < CROWD; i++)
        roctxRangeStop(open[i]);
    for (int i = 0; i < CROWD; i++)
        roctxRangeStop(open[i]); /* none of them is open */
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(deep_count, DEEP);
    CHECK_EQ(crowd_count, CROWD);
    CHECK_EQ(dropped, 0);
}

/* Threads end each other's ranges: every one must be reported once. */
enum { TRADERS = 4, TRADES = 4000, PLACES = 8 };

static _Atomic roctx_range_id_t places[PLACES];

static void *trade(void *data)
{
    unsigned place = (unsigned)(uintptr_t)data;
    for (int i = 0; i < TRADES; i++) {
        roctx_range_id_t other =
            atomic_exchange(&places[place++ % PLACES], roctxRangeStart("traded"));
        if (other) roctxRangeStop(other);
    }
    return NULL;
}

static int by_correlation(const void *a, const void *b)
{
    uint64_t x = ((const record_t *)a)->correlation_id.internal;
    uint64_t y = ((const record_t *)b)->correlation_id.internal;
    return x < y ? -1 : x > y;
}

static void exchange_run(void)
{
    pthread_t threads[TRADERS];
    for (uintptr_t i = 0; i < TRADERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, trade, (void *)(3 * i)), 0);
    for (int i = 0; i < TRADERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < PLACES; i++)
        roctxRangeStop(places[i]);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(kept_count, TRADERS * TRADES);
    qsort(kept, kept_count, sizeof *kept, by_correlation);
    for (size_t i = 1; i < kept_count; i++)
        CHECK(kept[i - 1].correlation_id.internal != kept[i].correlation_id.internal);
}

/* ---- Pause and resume as tools are told to do it ---- */

static void on_control(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                       void *data)
{
    (void)user, (void)data;
    data_t *payload = record.payload;
    if (record.operation == ROCPROFILER_MARKER_CONTROL_API_ID_roctxProfilerPause) {
        CHECK_EQ(payload->args.roctxProfilerPause.tid, 0);
        if (record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER) OK(rocprofiler_stop_context(context));
    } else if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT) {
        OK(rocprofiler_start_context(context));
    }
}

static void pause_init(void)
{
    ranges_init();
    OK(rocprofiler_create_context(&control));
    OK(rocprofiler_configure_callback_tracing_service(
        control, ROCPROFILER_CALLBACK_TRACING_MARKER_CONTROL_API, NULL, 0, on_control, NULL));
    OK(rocprofiler_start_context(control));
}

static void pause_run(void)
{
    roctxMark("a");
    roctxProfilerPause(0);
    roctxMark("b");
    roctxProfilerResume(0);
    roctxMark("c");
    expect("+roctxMarkA a 1<0\n-roctxMarkA a =0 1<0\n+roctxMarkA c 2<0\n-roctxMarkA c =0 2<0\n");
}

/* ---- Tables ---- */

static const roctxCoreApiTable_t *seen_core;
static roctxCoreApiTable_t original;
static int tables_seen, replaced_calls;

static int replaced_push(const char *message)
{
    replaced_calls++;
    return 100 + original.roctxRangePushA_fn(message);
}

static int refusing_pause(roctx_thread_id_t tid)
{
    return tid ? 5 : 0;
}

static void on_table(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
                     void **tables, uint64_t count, void *data)
{
    (void)data;
    CHECK_EQ(version, ROCTX_VERSION);
    CHECK_EQ(instance, 0);
    CHECK_EQ(count, 1);
    tables_seen |= (int)type;
    if (type == ROCPROFILER_MARKER_CORE_TABLE) {
        roctxCoreApiTable_t *core = tables[0];
        CHECK_EQ(core->size, sizeof *core);
        seen_core = core;
        original = *core;
        core->roctxRangePushA_fn = replaced_push;
    }
    if (type == ROCPROFILER_MARKER_CONTROL_TABLE)
        ((roctxControlApiTable_t *)tables[0])->roctxProfilerPause_fn = refusing_pause;
}

static void intercept_init(void)
{
    ranges_init();
    OK(rocprofiler_at_intercept_table_registration(on_table,
                                                   ROCPROFILER_MARKER_CORE_TABLE |
                                                       ROCPROFILER_MARKER_CONTROL_TABLE |
                                                       ROCPROFILER_MARKER_NAME_TABLE,
                                                   NULL));
}

static void intercept_run(void)
{
    CHECK_EQ(roctxRangePush("x"), 100);
    CHECK_EQ(roctxRangePop(), 0);
    CHECK_EQ(replaced_calls, 1);
    CHECK(seen_core);
    CHECK_EQ(roctxProfilerPause(0), 0);
    CHECK_EQ(roctxProfilerPause(9), 5);
    CHECK_EQ(tables_seen, ROCPROFILER_MARKER_CORE_TABLE | ROCPROFILER_MARKER_CONTROL_TABLE |
                              ROCPROFILER_MARKER_NAME_TABLE);
    expect("+roctxThreadRangeA x 1<0\n-roctxThreadRangeA x =0 1<0\n");
}

/* ---- Argument texts ---- */

static char arguments[512];

static int gather(rocprofiler_callback_tracing_kind_t kind,
                  rocprofiler_tracing_operation_t operation, uint32_t number,
                  const void *const address, int32_t indirections, const char *type,
                  const char *name, const char *value, int32_t followed, void *data)
{
    (void)kind, (void)operation, (void)address, (void)data;
    char line[128];
    snprintf(line, sizeof line, "%u %s %s=%s *%d/%d\n", number, type, name, value, indirections,
             followed);
    strncat(arguments, line, sizeof arguments - strlen(arguments) - 1);
    return 0;
}

static void list_arguments(rocprofiler_callback_tracing_record_t record,
                           rocprofiler_user_data_t *user, void *data)
{
    (void)user, (void)data;
    if (record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT)
        OK(rocprofiler_iterate_callback_tracing_kind_operation_args(record, gather, 1, NULL));
}

static void arguments_init(void)
{
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, NULL, 0, list_arguments,
        NULL));
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_MARKER_NAME_API, NULL, 0, list_arguments, NULL));
}

static void arguments_run(void)
{
    roctxMark("m");
    roctxRangePush("p");
    roctxRangePop();
    roctxRangeStop(roctxRangeStart("s"));
    roctxNameHipDevice("d", 3);
    static const char *const expected =
        "0 const char* message=m *1/0\n0 const char* message=p *1/0\n"
        "0 const char* message=s *1/0\n0 const char* name=d *1/0\n1 int device_id=3 *0/0\n";
    if (strcmp(arguments, expected) != 0) {
        fprintf(stderr, "got:\n%sexpected:\n%s", arguments, expected);
        failures++;
    }
}

/* ---- External ids: asked for once, when a range begins, with the id that it has to its end ----
 */

static uint64_t asked_ids[8], told_ids[8];
static int asked, told;

static int give_id(rocprofiler_thread_id_t tid, rocprofiler_context_id_t id,
                   rocprofiler_external_correlation_id_request_kind_t kind,
                   rocprofiler_tracing_operation_t operation, uint64_t internal,
                   rocprofiler_user_data_t *external, void *data)
{
    (void)operation, (void)data;
    CHECK_EQ(tid, first_tid);
    CHECK_EQ(id.handle, context.handle);
    CHECK_EQ(kind, ROCPROFILER_EXTERNAL_CORRELATION_REQUEST_MARKER_CORE_RANGE_API);
    external->value = internal + 1000000;
    if (asked < 8) asked_ids[asked++] = internal;
    return 0;
}

static void check_id(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                     void *data)
{
    (void)user, (void)data;
    CHECK_EQ(record.correlation_id.external.value, record.correlation_id.internal + 1000000);
    if (told < 8) told_ids[told++] = record.correlation_id.internal;
}

static void external_init(void)
{
    OK(rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_MARKER_CORE_RANGE_API, NULL, 0, check_id, NULL));
    OK(rocprofiler_configure_external_correlation_id_request_service(context, NULL, 0, give_id,
                                                                     NULL));
}

static void external_run(void)
{
    roctxRangePush("outer");
    roctx_range_id_t id = roctxRangeStart("process");
    roctxRangePop();
    roctxRangeStop(id);
    CHECK_EQ(asked, 2);
    CHECK_EQ(told, 4);
    CHECK_EQ(told_ids[0], asked_ids[0]);
    CHECK_EQ(told_ids[1], asked_ids[1]);
    CHECK_EQ(told_ids[2], asked_ids[0]);
    CHECK_EQ(told_ids[3], asked_ids[1]);
}

/* ---- Scenarios ---- */

static const struct {
    const char *name;
    void (*initialize)(void);
    void (*run)(void);
} scenarios[] = {
    {"functions", functions_init, functions_run},
    {"ranges", ranges_init, ranges_run},
    {"buffered", buffered_init, buffered_run},
    {"pause", pause_init, pause_run},
    {"intercept", intercept_init, intercept_run},
    {"arguments", arguments_init, arguments_run},
    {"external", external_init, external_run},
    {"exchange", buffered_init, exchange_run},
    {"crowd", crowd_init, crowd_run},
};

enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static int chosen = -1;

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    OK(rocprofiler_create_context(&context));
    scenarios[chosen].initialize();
    OK(rocprofiler_start_context(context));
    roctxMark("a tool that is being initialised may call"); /* and must not wait for itself */
    return 0;
}

ROCPROFILER_EXPORT rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t version, const char *text, uint32_t priority,
                      rocprofiler_client_id_t *id)
{
    static rocprofiler_tool_configure_result_t result = {.size = sizeof result,
                                                         .initialize = initialize};
    (void)version, (void)text, (void)priority;
    id->name = "traced";
    return &result;
}

int main(int argc, char **argv)
{
    for (int i = 0; argc == 2 && i < SCENARIOS; i++)
        if (strcmp(argv[1], scenarios[i].name) == 0) chosen = i;
    if (chosen < 0) return 2;
    first_tid = (uint64_t)syscall(SYS_gettid);
    scenarios[chosen].run();
    int ready = 0;
    rocprofiler_is_initialized(&ready);
    CHECK_EQ(ready, 1);
    if (!failures) puts("passed");
    return failures != 0;
}
