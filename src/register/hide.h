/* hide.h - what a bridge defines and the library behind it lacks is not there for programs.
 *
 * A program that asks by a weak reference or by dlsym whether a function exists must get the answer
 * that it gets without the bridge. `lacks` says it of a name that the calling library exports. */
#ifndef CROCPROF_REGISTER_HIDE_H
#define CROCPROF_REGISTER_HIDE_H

#include <stdbool.h>

typedef bool (*reg_lacks_t)(const char *name);

/* From now on the loader finds no such function in the calling library. */
void reg_hide(reg_lacks_t lacks);

/* Weak references that the loader has bound to such a function are null, in all libraries that the
 * process has. Only while no thread opens libraries: before main. */
void reg_unbind(reg_lacks_t lacks);

#endif
