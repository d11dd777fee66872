/* intern.h - one copy of each text, which lasts as long as the process.
 *
 * For texts that are handed to a tool, which may keep the pointers until its very end. Any thread
 * may call, also in the child of a fork: there is no lock. */
#ifndef CROCPROF_BASE_INTERN_H
#define CROCPROF_BASE_INTERN_H

/* The text, in memory that is never freed or changed. Equal texts give the same pointer. NULL for
 * NULL, and when out of memory. */
const char *base_intern(const char *text);

#endif
