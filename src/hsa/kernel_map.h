/* kernel_map.h - maps the kernel object in a packet to the kernel's id.
 *
 * Readers take no lock and never wait, since the hash table only grows. When it is full, a larger
 * copy is published with one store. The old table is not freed, since a thread may still be reading
 * it (all old tables together are at most as large as the current one). The caller serialises
 * writers. */
#ifndef CROCPROF_HSA_KERNEL_MAP_H
#define CROCPROF_HSA_KERNEL_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the id of a kernel object; 0 if it is not known. */
uint64_t hsax_kernel_id(uint64_t kernel_object);

/* Sets the id of a kernel object; 0 removes it. Returns false when out of memory. */
bool hsax_kernel_map_set(uint64_t kernel_object, uint64_t id);

#endif
