/* kfd.h - events of the kernel driver: what stands between the reader (kfd.c) and what its lines
 * mean (lines.c). */
#ifndef CROCPROF_SDK_KFD_H
#define CROCPROF_SDK_KFD_H

#include <stdbool.h>
#include <stdint.h>

/* The events that the kinds need which any context has asked for: what a descriptor of the driver's
 * is told; 0: none. */
uint64_t sdk_kfd_wanted(void);

/* A line of the driver's, without its end, becomes the records that are wanted. One thread. */
void sdk_kfd_line(const char *line);

/* Forgets what has begun and not ended. */
void sdk_kfd_lines_forget(void);

#endif
