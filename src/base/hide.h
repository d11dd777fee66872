/* hide.h - hides those functions of an interposing library that the runtime behind it lacks.
 *
 * A program that asks by a weak reference or by dlsym() whether a function exists must get the same
 * answer as without the library. The code does not ask the loader to open, find or initialise
 * anything and takes no lock but that of dl_iterate_phdr(), so that constructors may call it. */
#ifndef CROCPROF_BASE_HIDE_H
#define CROCPROF_BASE_HIDE_H

/* The loader finds no more those of the calling library's functions that the runtime lacks. A file
 * of the runtime has a name that begins with `runtime`, its functions names that begin with one of
 * `prefixes`, which end with a null. Nothing happens while the process has no such runtime. */
void base_hide(const char *runtime, const char *const *prefixes);

/* The same, and weak references that the loader has bound to such a function are null, in all
 * libraries that the process has; without a runtime, those to any of the functions. Only for a
 * constructor: the program knows its answers once main runs. */
void base_hide_at_start(const char *runtime, const char *const *prefixes);

#endif
