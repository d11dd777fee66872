/* asks.c - a library that calls HIP when it is loaded, and knows whether HIP has some functions:
 * the program is linked with it, or opens it when HIP has been called. */
#include <stddef.h>

int hipInit(unsigned flags) __attribute__((weak));
int hipGraphUpload(void) __attribute__((weak));
int hipStreamBeginCaptureToGraph(void) __attribute__((weak));

__attribute__((constructor)) static void call_first(void)
{
    if (hipInit) hipInit(1);
}

__attribute__((visibility("default"))) int lacked(void);
__attribute__((visibility("default"))) int has_upload(void);

int has_upload(void)
{
    return hipGraphUpload != NULL;
}

int lacked(void)
{
    return hipInit && !hipGraphUpload && !hipStreamBeginCaptureToGraph;
}
