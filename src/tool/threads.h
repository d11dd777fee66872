/* threads.h - which threads have been seen, and what they are called.
 *
 * Names come from /proc. Only one thread at a time may call these functions, except where a comment
 * says otherwise. */
#ifndef CROCPROF_TOOL_THREADS_H
#define CROCPROF_TOOL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

enum { TOOL_THREAD_NAME = 16 }; /* of Linux, with its zero byte */

/* True if the thread is in the set: any thread may ask. */
bool tool_thread_known(uint32_t tid);
/* Adds the thread to the set. Without memory the thread stays out of it, and is unknown again. */
void tool_thread_add(uint32_t tid);
/* Empties the set, for another store. */
void tool_threads_clear(void);

/* Name of a thread of this process; false if there is no such thread any more. */
bool tool_thread_name(uint32_t tid, char name[TOOL_THREAD_NAME]);

/* Calls back for each thread of the set that still lives, with its name. */
void tool_threads_alive(void (*each)(uint32_t tid, const char *name));

#endif
