/* steps.c - a program that says what it does: marks, nested ranges, a range across threads.
 *
 * No GPU needed. Run it under rocprofv3 --marker-trace, or with a tool of one's own:
 * ROCP_TOOL_LIBRARIES=.../libsample-markers.so steps */
#include <rocprofiler-sdk-roctx/roctx.h>

#include <pthread.h>
#include <stdio.h>

enum { STEPS = 3 };

static void *write_result(void *data)
{
    roctxNameOsThread("writer");
    roctxRangeStop(*(roctx_range_id_t *)data);
    return NULL;
}

int main(void)
{
    pthread_t writer;
    double value = 1;
    roctxRangePush("solve");
    for (int step = 0; step < STEPS; step++) {
        char text[32];
        snprintf(text, sizeof text, "step %d", step);
        roctxRangePush(text);
        value = (value + 2 / value) / 2;
        if (step == 1) roctxMark("half way");
        roctxRangePop();
    }
    roctxRangePop();

    /* what a profiler need not see */
    roctxProfilerPause(0);
    roctxMark("unseen");
    roctxProfilerResume(0);

    roctx_range_id_t output = roctxRangeStart("output");
    if (pthread_create(&writer, NULL, write_result, &output) != 0) return 1;
    pthread_join(writer, NULL);
    printf("%.6f\n", value);
    return 0;
}
