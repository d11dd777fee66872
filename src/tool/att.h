/* att.h - thread traces of kernels, for --att: raw traces and code objects into the store.
 *
 * Traces are decoded after the process has ended. What is traced is the kernels that selects.h
 * selects, or all kernels in regions that the program marks, or all kernels. */
#ifndef CROCPROF_TOOL_ATT_H
#define CROCPROF_TOOL_ATT_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_att_wanted(void);

/* Reads the variables and configures the services, once the agents are known. The program may pause
 * `traced`. Returns false, with the reason logged, if nothing can be traced. */
bool tool_att_configure(rocprofiler_context_id_t traced);

void tool_att_agent(const rocprofiler_agent_v0_t *agent);
/* Puts the code object's file into the store, for outputs that refer to single instructions. */
void tool_att_code_object(const rocprofiler_callback_tracing_code_object_load_data_t *object);
/* Puts the file of a code object, if there is one, from the parent's store (folder `from`) into the
 * store of its child (`to`). Takes no lock. */
void tool_att_inherit_code(const char *from, const char *to, uint64_t object);

/* To be called when the process ends: ends a trace of several kernels that is still running. */
void tool_att_stop(void);

#endif
