/* names.h - kernel names as people want to read them.
 *
 * The demangler is libstdc++'s own, looked up when first needed: every program that holds mangled
 * names brings that library along. Without it names stay as they are. */
#ifndef CROCPROF_OUTPUT_NAMES_H
#define CROCPROF_OUTPUT_NAMES_H

typedef enum { OUT_NAMES_DEMANGLED, OUT_NAMES_MANGLED, OUT_NAMES_TRUNCATED } out_names_t;

/* A new string, or NULL when out of memory. The descriptor suffix ".kd" stays with mangled names
 * only, as in rocprofv3's files. */
char *out_kernel_name(const char *symbol, out_names_t form);

#endif
