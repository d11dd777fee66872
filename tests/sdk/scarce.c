/* scarce.c - the SDK where memory runs out: what cannot be traced is told, never forgotten.
 *
 * usage: scarce plans | threads. The allocator of this program fails on demand; that of the SDK is
 * the same one. "plans": each allocation that starting and stopping a context makes fails once.
 * "threads": calls of a thread for which there is no memory are counted as dropped. */
#include "fake.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

/* The failing thread's: allocations to let pass before one fails; below 0: none does. */
static __thread long pass = -1;
static __thread bool all; /* not one, but all from then on */
static __thread unsigned failed;

static rocprofiler_context_id_t context;
static bool during; /* what others see while one fails: whether the context is active */

static bool is_active(void)
{
    int active = 0;
    OK(rocprofiler_context_is_active(context, &active));
    return active;
}

static bool fails(void)
{
    if (pass < 0 || (pass > 0 && pass--)) return false;
    if (!all) {
        pass = -1;
        during = is_active();
    }
    failed++;
    errno = ENOMEM;
    return true;
}

ROCPROFILER_EXPORT void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

ROCPROFILER_EXPORT void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

ROCPROFILER_EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails() ? NULL : __libc_memalign(alignment, bytes);
}

enum { CALLS = 100 };

static rocprofiler_buffer_id_t buffer;
static uint64_t delivered, dropped;

static void on_buffer(rocprofiler_context_id_t from, rocprofiler_buffer_id_t id,
                      rocprofiler_record_header_t **headers, size_t count, void *data,
                      uint64_t lost)
{
    (void)from, (void)id, (void)headers, (void)data;
    delivered += count;
    dropped += lost;
}

static int initialize(rocprofiler_client_finalize_t finalize, void *data)
{
    (void)finalize, (void)data;
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, 1 << 16, 1 << 15, ROCPROFILER_BUFFER_POLICY_LOSSLESS,
                                 on_buffer, NULL, &buffer));
    OK(rocprofiler_configure_buffer_tracing_service(
        context, ROCPROFILER_BUFFER_TRACING_HIP_RUNTIME_API, NULL, 0, buffer));
    return 0;
}

rocprofiler_tool_configure_result_t *rocprofiler_configure(uint32_t version, const char *text,
                                                           uint32_t priority,
                                                           rocprofiler_client_id_t *id)
{
    (void)version, (void)text, (void)priority, (void)id;
    static rocprofiler_tool_configure_result_t result = {sizeof result, initialize, NULL, NULL};
    return &result;
}

/* The call as often as it takes until nothing fails in it; every failure is told and changes
 * nothing, at no moment. The number of failures. */
static unsigned insist(rocprofiler_status_t (*call)(rocprofiler_context_id_t))
{
    bool before = is_active();
    unsigned count = 0;
    for (;; count++) {
        failed = 0;
        pass = 1;
        rocprofiler_status_t status = call(context);
        pass = -1;
        if (!failed) {
            OK(status);
            return count;
        }
        CHECK_EQ(status, ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES);
        CHECK_EQ(is_active(), before);
        CHECK_EQ(during, before);
    }
}

static void call_often(void)
{
    for (int i = 0; i < CALLS; i++)
        fake_hipGetLastError();
}

static void run_plans(void)
{
    CHECK(insist(rocprofiler_start_context) > 10); /* one plan an operation */
    CHECK(is_active());
    call_often();
    insist(rocprofiler_stop_context);
    CHECK(!is_active());
    call_often();
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(delivered, CALLS);
    CHECK_EQ(dropped, 0);
}

static void *without_memory(void *unused)
{
    (void)unused;
    all = true;
    pass = 0;
    call_often();
    pass = -1;
    return NULL;
}

static void run_threads(void)
{
    pthread_t thread;
    OK(rocprofiler_start_context(context));
    call_often();
    CHECK_EQ(pthread_create(&thread, NULL, without_memory, NULL), 0);
    pthread_join(thread, NULL);
    OK(rocprofiler_flush_buffer(buffer));
    CHECK_EQ(delivered, CALLS);
    CHECK_EQ(dropped, CALLS);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    CHECK_EQ(fake_register(), 0);
    if (strcmp(argv[1], "plans") == 0)
        run_plans();
    else if (strcmp(argv[1], "threads") == 0)
        run_threads();
    else
        return 2;
    if (!failures) puts("passed");
    return failures != 0;
}
