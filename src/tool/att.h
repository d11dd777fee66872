/* att.h - thread traces of kernels, for --att: raw traces and code objects into the store.
 *
 * They are decoded when the process has ended. Traced are the kernels that selects.h selects, or
 * whatever runs in regions that the program marks, or whatever runs at all. */
#ifndef CROCPROF_TOOL_ATT_H
#define CROCPROF_TOOL_ATT_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_att_wanted(void);

/* Reads the variables and asks for the services, once the agents are known. `traced` may be paused
 * by the program. False, with the reason logged, if nothing can be traced. */
bool tool_att_configure(rocprofiler_context_id_t traced);

void tool_att_agent(const rocprofiler_agent_v0_t *agent);
/* Puts the code object's file into the store, for whatever refers to single instructions. */
void tool_att_code_object(const rocprofiler_callback_tracing_code_object_load_data_t *object);
/* Puts the file of a code object, if there is one, from the parent's store (folder `from`) into the
 * store of its child (`to`). Takes no lock. */
void tool_att_inherit_code(const char *from, const char *to, uint64_t object);

/* To be called when the process ends: ends a trace of several kernels that is still running. */
void tool_att_stop(void);

#endif
