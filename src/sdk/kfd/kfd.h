/* kfd.h - events of the kernel driver: what kfd.c, which reads lines of text, and lines.c, which
 * knows their meaning, share. */
#ifndef CROCPROF_SDK_KFD_H
#define CROCPROF_SDK_KFD_H

#include <stdbool.h>
#include <stdint.h>

/* The mask of the driver's events that are needed for the kinds that contexts ask for; 0: none. */
uint64_t sdk_kfd_wanted(void);

/* Makes the wanted records from a line of the driver's, without its end. Called by one thread. */
void sdk_kfd_line(const char *line);

/* Forgets events that have begun and not ended. */
void sdk_kfd_lines_forget(void);

#endif
