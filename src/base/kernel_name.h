/* kernel_name.h - kernel names as the source has them.
 *
 * The demangler is libstdc++'s own, looked up when first needed; without it, which is told once,
 * names stay as they are. Any thread, but with no lock that is also taken while the loader's is
 * held: the first call loads a library. */
#ifndef CROCPROF_BASE_KERNEL_NAME_H
#define CROCPROF_BASE_KERNEL_NAME_H

/* "_Z4axpyPf.kd" -> "axpy(float*)": a new string, NULL when out of memory. */
char *base_kernel_name(const char *symbol);

#endif
