/* discovery.h - searches the process for tools, and for another copy of this library. */
#ifndef CROCPROF_SDK_DISCOVERY_H
#define CROCPROF_SDK_DISCOVERY_H

#include <rocprofiler-sdk/experimental/registration.h>

#include <stdbool.h>

/* Passes each configure function to `add`, in the order in which tools are configured; a function
 * may be passed twice. Libraries that cannot be opened are reported and left out. */
void sdk_discover_tools(bool (*add)(rocprofiler_configure_func_t));

/* The same for the libraries in ROCP_TOOL_LIBRARIES alone: these are the tools that an attachment
 * brings. */
void sdk_discover_listed(bool (*add)(rocprofiler_configure_func_t));

/* Returns the function rocprofiler_configure_attach of the library that has this configure
 * function; NULL if it has none. */
typedef rocprofiler_tool_configure_attach_result_t *(*sdk_configure_attach_t)(
    uint32_t, const char *, uint32_t, rocprofiler_client_id_t *);
sdk_configure_attach_t sdk_discover_attach(rocprofiler_configure_func_t configure);

/* Returns false, and writes a message that names both files, if another loaded library with this
 * interface has begun to initialise. */
bool sdk_discover_owner(void);

/* Asks librocprofiler-register, if it is loaded, to pass on the runtimes that registered before
 * there was a tool. */
void sdk_discover_registered(void);

/* Returns whether runtimes have registered already. May be called in a constructor. */
bool sdk_discover_late(void);

/* At the end of a process that has not initialised this library: writes one line if there are both
 * a tool and a runtime, since the tool was probably meant to run. `late`: what sdk_discover_late()
 * returned when this library was loaded. */
void sdk_discover_unused(bool late);

/* At the end of a process that was traced: writes one line for each loaded runtime for which
 * services are configured but which has not registered and has no library that would register
 * it. */
void sdk_discover_unregistered(void);

#endif
