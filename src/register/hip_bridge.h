/* hip_bridge.h - what the files of librocprofiler-hip-bridge share.
 *
 * hip_bridge.c fills the tables and registers them, hip_library.c finds HIP and handles programs
 * that look functions up by name, and scripts/gen-hip-bridge.py generates the trampolines. */
#ifndef CROCPROF_REGISTER_HIP_BRIDGE_H
#define CROCPROF_REGISTER_HIP_BRIDGE_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum { BRIDGE_runtime, BRIDGE_compiler, BRIDGE_TABLES } bridge_table_t;

enum {
#define BRIDGE_ROW(id, table, position, name, step)
#define BRIDGE_TABLE(table, all) BRIDGE_SIZE_##table = all,
#define BRIDGE_SYMBOLS(count)    BRIDGE_SYMBOL_COUNT = count,
#include "hip_bridge_rows.inc"
#undef BRIDGE_ROW
#undef BRIDGE_TABLE
#undef BRIDGE_SYMBOLS
    BRIDGE_ROWS = BRIDGE_SIZE_runtime - 1 + BRIDGE_SIZE_compiler - 1
};

/* A symbol that programs may call; the array is sorted by name. A row of hip-table.tsv may list
 * several symbols: the one with the lowest preference that HIP defines is the row's function. */
typedef struct {
    const char *name;
    void *trampoline;
    uint32_t row, preference;
} bridge_symbol_t;

/* ORDER: the ids of rows. */
extern void *bridge_real[BRIDGE_ROWS];    /* HIP's functions; null if it lacks one */
extern void *bridge_native[BRIDGE_ROWS];  /* functions of a table that HIP itself registered */
extern void *const bridge_pass_entries[]; /* generated: jump to bridge_real */
extern void *const bridge_late_entries[]; /* generated: gates in front of bridge_native */
extern const bridge_symbol_t bridge_symbols[BRIDGE_SYMBOL_COUNT];

extern const char bridge_hip_file[]; /* the beginning of the file name of HIP's library */

/* Calls the loader's own dlsym, since this library defines another one. */
void *bridge_dlsym_real(void *handle, const char *name);

typedef struct {
    void *handle;     /* NULL: HIP is not loaded. It is never closed, since its functions are in
                       * tables */
    uint32_t version; /* 10000 * major + 100 * minor + patch */
    bool registers;   /* this HIP calls librocprofiler-register itself */
} bridge_library_t;

/* Returns the HIP library that the program's calls would reach without this library. */
bridge_library_t bridge_find_hip(void);

/* To be called once HIP is loaded, perhaps after this library's constructor: hides the functions
 * that HIP lacks (base/hide.h). */
void bridge_hide(void);

/* Returns true once HIP has registered a table of its own. */
bool bridge_has_native(void);

/* Returns the function to put into bridge_real for `name`: `function` itself, or, if it returns
 * addresses of HIP functions (hipGetProcAddress), a wrapper that returns trampolines instead, so
 * that calls through them are traced. */
void *bridge_wrap_lookup(const char *name, void *function);

#pragma GCC visibility pop

#endif
