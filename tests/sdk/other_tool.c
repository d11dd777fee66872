/* other_tool.c - a tool library that reports its place among several: name, priority, calls seen.
 *
 * Built twice, with another TOOL_NAME each. */
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Atomic unsigned calls; /* a thread beside the callbacks may end the tool */
static uint32_t place;
static rocprofiler_client_id_t *client;
static rocprofiler_context_id_t context;
static rocprofiler_client_finalize_t finalizer;

static void *end_beside(void *unused)
{
    finalizer(*client);
    return unused;
}

static void on_call(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t *user,
                    void *data)
{
    (void)user, (void)data;
    calls += record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER;
    /* asked to: it pauses; late enough for another to be ending, which is none of its concern */
    if (calls == 30 && getenv("RESTART_" TOOL_NAME)) {
        rocprofiler_stop_context(context);
        rocprofiler_start_context(context);
    }
    /* asked to: this tool ends early, inside a callback of its own or beside it */
    const char *how = getenv("END_EARLY_" TOOL_NAME);
    if (calls != 5 || !how) return;
    pthread_t thread;
    if (strcmp(how, "thread") != 0)
        finalizer(*client);
    else if (!pthread_create(&thread, NULL, end_beside, NULL))
        pthread_detach(thread);
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)data;
    finalizer = finalize;
    rocprofiler_create_context(&context);
    rocprofiler_configure_callback_tracing_service(
        context, ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API, NULL, 0, on_call, NULL);
    rocprofiler_start_context(context);
    fprintf(stderr, "%s: initialised\n", TOOL_NAME);
    return 0;
}

static void finalize(void *data)
{
    (void)data;
    const char *how = getenv("END_EARLY_" TOOL_NAME);
    if (how && !strcmp(how, "thread")) usleep(700000); /* the program ends meanwhile */
    fprintf(stderr, "%s: place %u, %u calls\n", TOOL_NAME, place, calls);
    if (how && !strcmp(how, "exit")) exit(0);
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *text,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    (void)version, (void)text;
    client = id;
    place = priority;
    static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, finalize, NULL};
    fprintf(stderr, "%s: configured\n", TOOL_NAME);
    return getenv("REFUSE_" TOOL_NAME) ? NULL : &result;
}
