/* intern.h - texts that last as long as the process, each once.
 *
 * For whatever hands texts to a tool, which may keep the pointers until its very end. Any thread,
 * without a lock: also in the child of a fork. */
#ifndef CROCPROF_BASE_INTERN_H
#define CROCPROF_BASE_INTERN_H

/* The text, in memory that is never freed or changed: the same pointer for equal texts (of two
 * threads that bring a text at the same time each may get its own). NULL for NULL, and without
 * memory. */
const char *base_intern(const char *text);

#endif
