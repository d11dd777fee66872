/* threads.h - the set of threads that have made a record, and their names.
 *
 * Names come from /proc. Only one thread at a time may call these functions, except where a comment
 * says otherwise. */
#ifndef CROCPROF_TOOL_THREADS_H
#define CROCPROF_TOOL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

enum { TOOL_THREAD_NAME = 16 }; /* size of a thread's name in Linux, with its zero byte */

/* Returns whether the thread is in the set. Any thread may call this. */
bool tool_thread_known(uint32_t tid);
/* Adds the thread to the set. Without memory the thread is not added. */
void tool_thread_add(uint32_t tid);
/* Empties the set, for another store. */
void tool_threads_clear(void);

/* Reads the name of a thread of this process; returns false if the thread has ended. */
bool tool_thread_name(uint32_t tid, char name[TOOL_THREAD_NAME]);

/* Calls `each` for each thread of the set that still lives, with its name. */
void tool_threads_alive(void (*each)(uint32_t tid, const char *name));

#endif
