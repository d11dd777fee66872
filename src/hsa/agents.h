/* agents.h - the agents of the HSA runtime, and the driver node of each.
 *
 * The table is filled once when the runtime is up; afterwards it is read without a lock. */
#ifndef CROCPROF_HSA_AGENTS_H
#define CROCPROF_HSA_AGENTS_H

#include <hsa/hsa.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    hsa_agent_t agent;
    uint32_t node; /* index among the driver's readable nodes */
    bool gpu;
    char name[64]; /* "gfx90a" */
} hsax_agent_t;

/* Lists the CPU and GPU agents again. Returns false with a message if the runtime refuses. */
bool hsax_agents_load(void);

/* Returns the number of agents; hsax_agent_at(i) returns those below it. */
unsigned hsax_agent_count(void);
const hsax_agent_t *hsax_agent_at(unsigned index);

/* Returns the agent; NULL if the runtime has not shown it. */
const hsax_agent_t *hsax_agent_find(hsa_agent_t agent);

/* Returns the first CPU agent, NULL if there is none. */
const hsax_agent_t *hsax_agent_host(void);

#endif
