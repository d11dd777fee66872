/* discovery.h - the search of the process for tools, and for another copy of this library. */
#ifndef CROCPROF_SDK_DISCOVERY_H
#define CROCPROF_SDK_DISCOVERY_H

#include <rocprofiler-sdk/registration.h>

#include <stdbool.h>

/* Gives each configure function to `add`, in the order in which tools are configured; a function
 * may come twice. Libraries that cannot be opened are reported and left out. */
void sdk_discover_tools(bool (*add)(rocprofiler_configure_func_t));

/* True if no other loaded library that offers this interface has begun to initialise; otherwise
 * says which two files contend. */
bool sdk_discover_owner(void);

#endif
