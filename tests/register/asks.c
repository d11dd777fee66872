/* asks.c - a library that the program opens when HIP has been called: does HIP have the functions?
 */
#include <stddef.h>

int hipInit(unsigned flags) __attribute__((weak));
int hipGraphUpload(void) __attribute__((weak));

__attribute__((visibility("default"))) int lacked(void);
int lacked(void)
{
    return hipInit && !hipGraphUpload;
}
