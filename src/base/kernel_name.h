/* kernel_name.h - kernel names as the source has them.
 *
 * The demangler is that of libstdc++, loaded at the first call. Without libstdc++, which is logged
 * once, names stay as they are. Any thread may call this, but not while it holds a lock that
 * another thread may take inside the dynamic loader: the first call loads a library. */
#ifndef CROCPROF_BASE_KERNEL_NAME_H
#define CROCPROF_BASE_KERNEL_NAME_H

/* Converts "_Z4axpyPf.kd" to "axpy(float*)". Returns a new string, NULL when out of memory. */
char *base_kernel_name(const char *symbol);

#endif
