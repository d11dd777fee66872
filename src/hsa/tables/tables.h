/* tables.h - saved copies of the HSA runtime's function tables.
 *
 * Everything in src/hsa calls the runtime through `hsax`, never through the runtime's own table,
 * which contains wrappers of this library and of tools. The copies have the newest layout, whatever
 * layout the runtime has; functions that the runtime lacks are NULL. */
#ifndef CROCPROF_HSA_TABLES_H
#define CROCPROF_HSA_TABLES_H

#include "api/hsa_table.h"

#include <hsa/hsa_ven_amd_loader.h>

typedef struct {
    hsax_core_table_t core;
    hsax_amd_ext_table_t amd_ext;
    hsax_pc_sampling_ext_table_t pc_sampling;
    hsa_ven_amd_loader_1_01_pfn_t loader; /* the entries are NULL until hsax_loader_load()
                                           * succeeds */
} hsax_tables_t;

/* The runtime's own functions. Only hsax_tables_save() writes them. */
extern hsax_tables_t hsax;

/* Copies the entries of `table`. Returns true if they are the runtime's own; false, with nothing
 * changed, if they already have this library's hooks because the same table was passed before.
 * Callers must not run concurrently. */
bool hsax_tables_save(const hsax_api_table_t *table);

/* Returns the offset, within a table of `size` bytes, of the entry that has `offset` in the newest
 * AmdExtTable; 0 if that table lacks it. */
size_t hsax_amd_ext_offset(size_t offset, uint32_t size);

/* Replaces one entry, named by its offset in the newest layout. If the runtime lacks the function,
 * does nothing and returns false. */
bool hsax_hook_core(const hsax_api_table_t *table, size_t offset, void (*hook)(void));
bool hsax_hook_amd_ext(const hsax_api_table_t *table, size_t offset, void (*hook)(void));

#define HSAX_HOOK_CORE(table, function, hook)                                                      \
    hsax_hook_core(table, offsetof(hsax_core_table_t, function##_fn), (void (*)(void))(hook))
#define HSAX_HOOK_AMD_EXT(table, function, hook)                                                   \
    hsax_hook_amd_ext(table, offsetof(hsax_amd_ext_table_t, function##_fn), (void (*)(void))(hook))

/* Gets AMD's loader extension; returns false if the runtime has none. The runtime must be up. */
bool hsax_loader_load(void);

#endif
