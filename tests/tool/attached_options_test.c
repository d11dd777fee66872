/* attached_options_test.c - the tool's copy of its options at the first attach, when memory runs
 * out: the tool is not ready, and the copy is freed.
 *
 * The rest of the tool is replaced by functions that do nothing, since nothing is attached. */
#include "tool/attach.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tool/counting.h"
#include "tool/flush.h"
#include "tool/sink.h"

bool tool_counting_wanted(void)
{
    return false;
}
void tool_counting_again(void) {}
int tool_flush_start(rocprofiler_buffer_id_t buffer, void (*tick)(void))
{
    (void)buffer, (void)tick;
    return 0;
}
void tool_flush_stop(void) {}
bool tool_sink_open(void)
{
    return false;
}
void tool_sink_from(uint64_t ns)
{
    (void)ns;
}
void tool_sink_texts_again(void) {}
void tool_sink_close(bool ends)
{
    (void)ends;
}
rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context)
{
    (void)context;
    return ROCPROFILER_STATUS_ERROR;
}
rocprofiler_status_t rocprofiler_flush_buffer(rocprofiler_buffer_id_t buffer)
{
    (void)buffer;
    return ROCPROFILER_STATUS_ERROR;
}
rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t *ns)
{
    *ns = 0;
    return ROCPROFILER_STATUS_SUCCESS;
}
const char *rocprofiler_get_status_string(rocprofiler_status_t status)
{
    (void)status;
    return "";
}

/* ---- memory ---- */

static unsigned copies, fails_at;
static long alive;

static void *counted(void *memory)
{
    alive += memory != NULL;
    return memory;
}

char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__wrap_strdup(const char *text)
{
    return ++copies == fails_at ? NULL : counted(__real_strdup(text));
}

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes)
{
    return counted(__real_calloc(count, bytes));
}

void __real_free(void *memory);
void __wrap_free(void *memory);
void __wrap_free(void *memory)
{
    alive -= memory != NULL;
    __real_free(memory);
}

/* ---- test ---- */

static void a_copy_that_fails_is_freed(void **state)
{
    (void)state;
    enum { OPTIONS = 3 };
    const tool_attach_parts_t parts = {.selected = false};
    rocprofiler_client_id_t id = {.name = ""};
    const rocprofiler_tool_configure_attach_result_t *tool =
        rocprofiler_configure_attach(0, "", 0, &id);
    assert_int_equal(clearenv(), 0);
    setenv("ROCPROF_ONE", "1", 1);
    setenv("ROCPROF_TWO", "2", 1);
    setenv("OTHER", "", 1);
    setenv("ROCPROF_THREE", "3", 1);
    for (fails_at = 1; fails_at <= OPTIONS; fails_at++) {
        alive = 0;
        copies = 0;
        tool_attach_ready(&parts);
        assert_int_equal(alive, 0);
        assert_int_equal(tool->tool_attach(NULL, NULL, 0, NULL), -1);
    }
    copies = 0;
    tool_attach_ready(&parts);
    assert_int_equal(copies, OPTIONS);
    assert_int_equal(alive, OPTIONS + 1);
    assert_int_equal(tool->tool_attach(NULL, NULL, 0, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_copy_that_fails_is_freed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
