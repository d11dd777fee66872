/* intern.h - one copy of each text, which lasts as long as the process.
 *
 * It is for texts that are passed to a tool, which may keep the pointers until the process ends.
 * Any thread may call this, also in the child of a fork: there is no lock. */
#ifndef CROCPROF_BASE_INTERN_H
#define CROCPROF_BASE_INTERN_H

/* Returns the text in memory that is never freed or changed. Equal texts give the same pointer.
 * Returns NULL for NULL, and when out of memory. */
const char *base_intern(const char *text);

#endif
