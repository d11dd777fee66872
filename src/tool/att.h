/* att.h - thread traces of kernels, for --att: raw traces and code objects into the store.
 *
 * They are decoded when the process has ended. Which kernels: selects.h; or whatever runs in the
 * program's regions, or from first to last. */
#ifndef CROCPROF_TOOL_ATT_H
#define CROCPROF_TOOL_ATT_H

#include <stdbool.h>

#include <rocprofiler-sdk/rocprofiler.h>

bool tool_att_wanted(void);

/* Reads the variables and asks for the services. `traced` may be paused by the program. False, with
 * the reason logged, if nothing can be traced. After the agents are known. */
bool tool_att_configure(rocprofiler_context_id_t traced);

void tool_att_agent(const rocprofiler_agent_v0_t *agent);
/* Its file goes into the store, for whatever refers to single instructions. */
void tool_att_code_object(const rocprofiler_callback_tracing_code_object_load_data_t *object);
/* That of a parent's store into its child's, both by their folders, if there is one. Takes no lock.
 */
void tool_att_inherit_code(const char *from, const char *to, uint64_t object);

/* The process ends: a trace of several kernels that runs yet ends too. */
void tool_att_stop(void);

#endif
