/* agents.h - the agents that the HSA runtime shows, and which driver node each of them is.
 *
 * Filled once when the runtime is up; read without a lock afterwards. */
#ifndef CROCPROF_HSA_AGENTS_H
#define CROCPROF_HSA_AGENTS_H

#include <hsa/hsa.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    hsa_agent_t agent;
    uint32_t node; /* position among the driver's readable nodes */
    bool gpu;
    char name[64]; /* "gfx90a" */
} hsax_agent_t;

/* Lists the CPU and GPU agents anew. False with a message if the runtime refuses. */
bool hsax_agents_load(void);

/* How many there are; hsax_agent_at(i) for i below that. */
unsigned hsax_agent_count(void);
const hsax_agent_t *hsax_agent_at(unsigned index);

/* NULL if the runtime did not show such an agent. */
const hsax_agent_t *hsax_agent_find(hsa_agent_t agent);

/* The first CPU agent, NULL if there is none. */
const hsax_agent_t *hsax_agent_host(void);

#endif
