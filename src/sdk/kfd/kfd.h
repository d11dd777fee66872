/* kfd.h - events of the kernel driver: the functions by which kfd.c, which reads lines of text,
 * calls lines.c, which interprets them. */
#ifndef CROCPROF_SDK_KFD_H
#define CROCPROF_SDK_KFD_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the mask of the driver's events that the contexts' kinds need; 0: none. */
uint64_t sdk_kfd_wanted(void);

/* Makes the records that contexts follow from a line of the driver's, without its end. To be called
 * by one thread at a time. */
void sdk_kfd_line(const char *line);

/* Forgets events that have begun and not ended. */
void sdk_kfd_lines_forget(void);

#endif
