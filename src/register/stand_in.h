/* stand_in.h - tables that stand in for those of a runtime that does not register.
 *
 * Only the bridges and the registry of this project's librocprofiler-register use it. AMD's library
 * lacks the function, so the bridges refer to it weakly. */
#ifndef CROCPROF_REGISTER_STAND_IN_H
#define CROCPROF_REGISTER_STAND_IN_H

#include <rocprofiler-register/rocprofiler-register.h>

/* Called during a registration, if the runtime registers its own table after all. Once this
 * function has returned, a call through either table must be seen exactly once. */
typedef void (*rocprofiler_register_native_func_t)(void *table);

/* Registers a table as rocprofiler_register_library_api_table does, with the same results. If the
 * runtime itself registers later, `native` gets the runtime's table, which is not passed on to the
 * SDK. If the runtime has registered before, the call has no effect and returns
 * ROCP_REG_EXCESS_API_INSTANCES. */
rocprofiler_register_error_code_t
rocprofiler_register_stand_in(const char *name, uint32_t version, void *table,
                              rocprofiler_register_native_func_t native);

#endif
