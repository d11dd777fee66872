/* stand_in.h - tables that stand in for those of a runtime that does not register.
 *
 * Between the bridges and the registry of our librocprofiler-register only: AMD's library has no
 * such function, so a bridge refers to it weakly. */
#ifndef CROCPROF_REGISTER_STAND_IN_H
#define CROCPROF_REGISTER_STAND_IN_H

#include <rocprofiler-register/rocprofiler-register.h>

/* Called inside a registration: the runtime registers its own table after all. From when this
 * returns, a call through either table must be seen once. */
typedef void (*rocprofiler_register_native_func_t)(void *table);

/* Registers a table as rocprofiler_register_library_api_table does, and is answered as there. If
 * the runtime itself comes later, `native` gets its table, which is passed on to nobody else. If it
 * was there before, nothing happens: ROCP_REG_EXCESS_API_INSTANCES. */
rocprofiler_register_error_code_t
rocprofiler_register_stand_in(const char *name, uint32_t version, void *table,
                              rocprofiler_register_native_func_t native);

#endif
