/* driver.h - the kernel driver of AMD's GPUs: its device, its version, its files in sysfs. */
#ifndef CROCPROF_BASE_DRIVER_H
#define CROCPROF_BASE_DRIVER_H

#include <stdint.h>

/* Programs that the software GPU runs find it there, too. */
#define BASE_DRIVER_DEVICE "/dev/kfd"

/* A folder for each node, that is, for each agent, by number from 0. */
#define BASE_DRIVER_NODES "/sys/class/kfd/kfd/topology/nodes"

/* The version of the driver's interface; 0.0 if it has not said. */
typedef struct {
    uint32_t major, minor;
} base_driver_version_t;

/* Opens the driver; the caller closes. -1: there is none, or it may not be opened. */
int base_driver_open(base_driver_version_t *version);

#endif
