/* topology.c - counters beyond those of the product, which an agent's node in the driver's topology
 * may list.
 *
 * A software GPU can have more counters than a chip. Its node then has the number of counters of
 * each block, and the numbers of their registers. A real GPU's node has neither: then only the
 * tables made from share/aqlprofile apply. */
#include "aqlprofile/internal.h"

#include "base/file.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
    SLOTS_MAX = 1024, /* slots of a block; softgpu has no more */
    OF_A_SLOT = 3,    /* registers of a slot: select, low, high */
    OUTER_BLOCKS = 16 /* blocks below this number: packets do not reach the registers of the rest */
};
#define REGISTERS_END 0x1c000u /* SET_UCONFIG_REG cannot set registers from this number on */

typedef struct {
    uint64_t location, domain, slots, registers;
} node_t;

static bool read_node(const char *root, uint32_t number, node_t *node)
{
    static const struct {
        const char *name;
        size_t offset;
    } fields[] = {{"location_id", offsetof(node_t, location)},
                  {"domain", offsetof(node_t, domain)},
                  {"counter_slots", offsetof(node_t, slots)},
                  {"counter_registers", offsetof(node_t, registers)}};
    char path[512], name[64];
    unsigned long long value;
    snprintf(path, sizeof path, "%s/%u/properties", root, number);
    FILE *file = base_file_stream(path, "re");
    memset(node, 0, sizeof *node);
    if (!file) return false;
    while (fscanf(file, "%63s %llu", name, &value) == 2)
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            if (!strcmp(fields[i].name, name))
                memcpy((char *)node + fields[i].offset, &(uint64_t){value}, sizeof(uint64_t));
    fclose(file);
    return true;
}

/* Reads the additional counters; numbers that do not fit into packets are ignored. */
static aql_wide_t wide_of(const node_t *node)
{
    const uint64_t registers = node->slots * OF_A_SLOT * OUTER_BLOCKS;
    if (!node->slots || node->slots > SLOTS_MAX || node->registers < AQL_REGISTERS_END ||
        node->registers > REGISTERS_END || registers > REGISTERS_END - node->registers)
        return (aql_wide_t){0};
    return (aql_wide_t){(uint32_t)node->slots, (uint32_t)node->registers};
}

aql_wide_t aql_wide_of_node(const char *root, uint32_t number)
{
    node_t node;
    return read_node(root, number, &node) ? wide_of(&node) : (aql_wide_t){0};
}

aql_wide_t aql_wide_at(const char *root, uint32_t domain, uint32_t location)
{
    node_t node;
    for (uint32_t number = 0; read_node(root, number, &node); number++)
        if (node.location == location && node.domain == domain) return wide_of(&node);
    return (aql_wide_t){0};
}

uint32_t aql_block_slots(const aql_agent_t *agent, const aql_block_t *block)
{
    const bool wide = agent->wide.slots > block->slots && block->id < OUTER_BLOCKS;
    return wide ? agent->wide.slots : block->slots;
}

/* Returns the registers of a slot; the product's own slots keep their registers. */
aql_registers_t aql_slot_registers(const aql_agent_t *agent, const aql_block_t *block,
                                   uint32_t instance, uint32_t slot)
{
    const uint32_t own = block->kind & AQL_BLOCK_OWN ? instance * block->slots : 0;
    if (slot < block->slots) return block->registers[own + slot];
    const uint32_t first =
        agent->wide.registers + (block->id * agent->wide.slots + slot) * OF_A_SLOT;
    return (aql_registers_t){
        .select = first, .control = block->registers->control, .low = first + 1, .high = first + 2};
}
