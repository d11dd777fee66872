/* fake_hip.c - a libamdhip64.so.5 without a dispatch table, with functions that show whether
 * integer, stack and floating-point arguments arrive. */
#define EXPORT __attribute__((visibility("default")))
EXPORT int hipInit(unsigned flags);
EXPORT int hipGetDeviceCount(void);
EXPORT double hipMemcpy3DAsync(int a, int b, int c, int d, int e, int f, int g, int h, double x,
                               double y);

int hipInit(unsigned flags)
{
    return (int)flags + 1;
}

int hipGetDeviceCount(void)
{
    return 3;
}

double hipMemcpy3DAsync(int a, int b, int c, int d, int e, int f, int g, int h, double x, double y)
{
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * x + 10 * y;
}
