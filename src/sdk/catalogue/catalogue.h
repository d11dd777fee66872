/* catalogue.h - which counters the machine's agents have, for the services that use them.
 *
 * One catalogue for each architecture, read at the first query. The meaning of counters is computed
 * in src/counters. */
#ifndef CROCPROF_SDK_CATALOGUE_H
#define CROCPROF_SDK_CATALOGUE_H

#include "counters/counters.h"

#include <rocprofiler-sdk/rocprofiler.h>

/* Returns the catalogue of an agent's architecture, which lives as long as the process; NULL if
 * there is none. Takes the lock below. */
ctr_catalogue_t *sdk_counters_catalogue(const rocprofiler_agent_v0_t *agent);

/* While this lock is held, no counters are added. It must not be held while tool code runs. */
void sdk_counters_lock(void);
void sdk_counters_unlock(void);

/* Returns the counter with this handle, and its catalogue; NULL if there is none. To be called with
 * the lock held. */
const ctr_counter_t *sdk_counters_find(rocprofiler_counter_id_t id,
                                       const ctr_catalogue_t **catalogue);

/* Returns the agent's properties in the form that expressions use. */
ctr_agent_t sdk_counters_agent(const rocprofiler_agent_v0_t *agent);

/* Passes the counters for which `which` is true to the callback; NULL: all counters. */
rocprofiler_status_t sdk_counters_iterate(rocprofiler_agent_id_t agent_id,
                                          bool (*which)(const rocprofiler_agent_v0_t *,
                                                        const ctr_counter_t *),
                                          rocprofiler_available_counters_cb_t cb, void *user_data);

#endif
