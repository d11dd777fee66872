/* registration.h - tools (clients) and the life of the library: configure, initialise, finalise. */
#ifndef CROCPROF_SDK_REGISTRATION_H
#define CROCPROF_SDK_REGISTRATION_H

#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/rocprofiler.h>

#include <pthread.h>
#include <stdbool.h>

/* Finds and initialises tools unless that has been done. Returns true if the library may be used,
 * false if another copy of it owns the process. On the thread that is initialising it returns at
 * once; other threads wait for that thread. */
bool sdk_initialize(void);

/* Returns the index of the tool whose initialize function is running on this thread; -1 if there is
 * none. */
int sdk_configuring_client(void);

/* Returns true until initialisation is over: tools may configure services only before that. */
bool sdk_configuration_open(void);

/* Returns true in a child that was forked while the library's locks could not be taken (inside a
 * tool's callback, or while tools were initialised or finalised): nothing is traced there. */
bool sdk_is_forked_child(void);

/* Returns true if a tool has been attached to this process, now or before. */
bool sdk_has_late_client(void);

/* Makes sdk_is_forked_child() true in this process, a forked child: nothing is traced there. */
void sdk_silence_child(void);

/* Registers the fork handlers, so that children of forks are traced (fork.c). To be called after
 * tools have registered their own handlers: handlers run in reverse order before a fork, so this
 * library's run before tools take locks for it. */
void sdk_fork_watch(void);

/* Returns true in a forked child in which nothing has been traced: tools are not finalised at its
 * end. */
bool sdk_fork_idle_child(void);

/* Returns a number that differs from process to process; it only makes handles hard to guess. */
uint64_t sdk_random(void);

/* Starts an internal thread with all signals blocked, and reports it to tools before and after.
 * Returns 0 or an error number. */
int sdk_internal_thread_start(pthread_t *thread, void *(*main)(void *), void *argument);

/* Reports to tracing services, then to tools, that a runtime has registered. */
void sdk_runtime_started(rocprofiler_runtime_initialization_operation_t runtime, uint64_t version,
                         uint64_t instance);

/* Returns true if the runtime has registered. */
bool sdk_runtime_has_started(rocprofiler_runtime_initialization_operation_t runtime);

/* Calls the tools' callbacks for a runtime's table. */
void sdk_intercept_table(rocprofiler_intercept_table_t type, uint64_t version, uint64_t instance,
                         void *table);

#endif
