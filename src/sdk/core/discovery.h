/* discovery.h - searches the process for tools, and for another copy of this library. */
#ifndef CROCPROF_SDK_DISCOVERY_H
#define CROCPROF_SDK_DISCOVERY_H

#include <rocprofiler-sdk/experimental/registration.h>

#include <stdbool.h>

/* Gives each configure function to `add`, in the order in which tools are configured; a function
 * may come twice. Libraries that cannot be opened are reported and left out. */
void sdk_discover_tools(bool (*add)(rocprofiler_configure_func_t));

/* The same for the libraries in ROCP_TOOL_LIBRARIES alone: tools that are attached. */
void sdk_discover_listed(bool (*add)(rocprofiler_configure_func_t));

/* rocprofiler_configure_attach of the library that has this configure function; NULL if it has
 * none. */
typedef rocprofiler_tool_configure_attach_result_t *(*sdk_configure_attach_t)(
    uint32_t, const char *, uint32_t, rocprofiler_client_id_t *);
sdk_configure_attach_t sdk_discover_attach(rocprofiler_configure_func_t configure);

/* True if no other loaded library that offers this interface has begun to initialise; otherwise
 * says which two files contend. */
bool sdk_discover_owner(void);

/* Asks librocprofiler-register, if it is loaded, to pass on the runtimes that registered before a
 * tool was there. */
void sdk_discover_registered(void);

/* True if runtimes have registered already. Safe in a constructor. */
bool sdk_discover_late(void);

/* At the end of a process in which nothing started this library: writes one line if there are a
 * tool and a runtime, since that was probably not intended. `late`: what sdk_discover_late() said
 * when this library was loaded. */
void sdk_discover_unused(bool late);

/* At the end of a process that was traced: one line for each runtime that is loaded, has services
 * configured, has not registered and has nothing that would register it. */
void sdk_discover_unregistered(void);

#endif
