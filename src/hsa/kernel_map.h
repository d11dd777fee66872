/* kernel_map.h - from the kernel object in a packet to the kernel's id.
 *
 * Readers take no lock and never wait: a probe of a table that only grows. When it is full a larger
 * copy is published with one store. The old table is not freed, since a reader may be in it (all
 * old tables together are as large as the current one at most). The caller serialises writers. */
#ifndef CROCPROF_HSA_KERNEL_MAP_H
#define CROCPROF_HSA_KERNEL_MAP_H

#include <stdbool.h>
#include <stdint.h>

/* 0 if the kernel object is not known. */
uint64_t hsax_kernel_id(uint64_t kernel_object);

/* Sets the id of a kernel object; 0 forgets it. False when out of memory. */
bool hsax_kernel_map_set(uint64_t kernel_object, uint64_t id);

#endif
