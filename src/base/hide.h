/* hide.h - hides those functions of an interposing library that the runtime behind it lacks.
 *
 * A program that tests by a weak reference or by dlsym() whether a function exists must get the
 * same result as without the library. The code does not make the loader open, find or initialise
 * anything and takes no lock but that of dl_iterate_phdr(), so that constructors may call it. */
#ifndef CROCPROF_BASE_HIDE_H
#define CROCPROF_BASE_HIDE_H

/* Makes the loader no longer find those functions of the calling library that the runtime lacks.
 * The runtime is the library whose file name begins with `runtime`; only functions whose names
 * begin with one of `prefixes` (the list ends with NULL) are considered. The call has no effect
 * while the process has not loaded the runtime. */
void base_hide(const char *runtime, const char *const *prefixes);

/* As base_hide, and weak references in all loaded libraries that the loader has bound to such a
 * function become null; if the runtime is not loaded, weak references to any of the functions do.
 * Only a constructor may call this: once main runs, the program may have tested the references. */
void base_hide_at_start(const char *runtime, const char *const *prefixes);

#endif
