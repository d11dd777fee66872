/* driver.h - the kernel driver of AMD's GPUs: its device, its version, its files in sysfs. */
#ifndef CROCPROF_BASE_DRIVER_H
#define CROCPROF_BASE_DRIVER_H

#include <stdint.h>

/* Programs that run on the software GPU find its device under the same path. */
#define BASE_DRIVER_DEVICE "/dev/kfd"

/* The folder with a folder for each node, that is, for each agent, named by its number from 0. */
#define BASE_DRIVER_NODES "/sys/class/kfd/kfd/topology/nodes"

/* The version of the driver's interface; 0.0 if the driver has not reported it. */
typedef struct {
    uint32_t major, minor;
} base_driver_version_t;

/* Opens the driver; the caller closes the descriptor. Returns -1 if there is no driver, or if it
 * may not be opened. */
int base_driver_open(base_driver_version_t *version);

#endif
