/* kfd.h - events of the kernel driver. */
#ifndef CROCPROF_SDK_KFD_H
#define CROCPROF_SDK_KFD_H

#include <stdbool.h>

/* True if the domain is one of the driver's events and the driver that is there cannot tell of
 * them. Without a driver there are none, as there are no calls of a library that is not loaded. */
bool sdk_kfd_is_too_old(int domain);

#endif
