/* lacking.c - does HIP lack what it lacks behind all that stands before it? Status 0: it does. */
#include <dlfcn.h>

int hipStreamBeginCaptureToGraph(void) __attribute__((weak));
int lacked(void);

int main(void)
{
    if (hipStreamBeginCaptureToGraph) return 1;
    if (dlsym(RTLD_DEFAULT, "hipStreamBeginCaptureToGraph")) return 2;
    return lacked() ? 0 : 3;
}
