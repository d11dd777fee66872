/* names.h - kernel names in the form that --truncate-kernels and --mangled-kernels ask for.
 *
 * The writers of output files and the tool library must agree on them: kernel filters match the
 * names that the files show. */
#ifndef CROCPROF_TRACE_NAMES_H
#define CROCPROF_TRACE_NAMES_H

typedef enum { TRACE_NAMES_DEMANGLED, TRACE_NAMES_MANGLED, TRACE_NAMES_TRUNCATED } trace_names_t;

/* Returns a new string, which the caller frees, or NULL when out of memory. The descriptor suffix
 * ".kd" stays with mangled names only, as in rocprofv3's files. */
char *trace_kernel_name(const char *symbol, trace_names_t form);

#endif
