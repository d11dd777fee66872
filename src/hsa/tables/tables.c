/* tables.c - saves and hooks the runtime's tables (tables.h).
 *
 * Only this file handles the differences of layouts between releases. Rows of the tables are in
 * hsa-tables.tsv; nothing about single functions belongs here. */
#include "hsa/tables/tables.h"

#include "base/log.h"

#include <string.h>

hsax_tables_t hsax;

static const struct {
    uint16_t offset, old_offset;
} amd_ext_slots[] = {
#define SLOT(function, offset, old_offset) {offset, old_offset},
    HSAX_AMD_EXT_SLOTS(SLOT)
#undef SLOT
};

size_t hsax_amd_ext_offset(size_t offset, uint32_t size)
{
    if (size > HSAX_AMD_EXT_OLD_SIZE) return offset + sizeof(void *) <= size ? offset : 0;
    for (size_t i = 0; i < sizeof amd_ext_slots / sizeof *amd_ext_slots; i++) {
        if (amd_ext_slots[i].offset != offset) continue;
        size_t old = amd_ext_slots[i].old_offset;
        return old && old + sizeof(void *) <= size ? old : 0;
    }
    return 0;
}

static void copy_core(hsax_core_table_t *to, const hsax_core_table_t *from)
{
    size_t size = from->version.minor_id;
    memset(to, 0, sizeof *to);
    memcpy(to, from, size < sizeof *to ? size : sizeof *to);
}

static void copy_amd_ext(hsax_amd_ext_table_t *to, const hsax_amd_ext_table_t *from)
{
    memset(to, 0, sizeof *to);
    to->version = from->version;
    for (size_t i = 0; i < sizeof amd_ext_slots / sizeof *amd_ext_slots; i++) {
        size_t at = hsax_amd_ext_offset(amd_ext_slots[i].offset, from->version.minor_id);
        if (at)
            memcpy((char *)to + amd_ext_slots[i].offset, (const char *)from + at, sizeof(void *));
    }
}

static void copy_pc_sampling(hsax_pc_sampling_ext_table_t *to, const hsax_api_table_t *table)
{
    memset(to, 0, sizeof *to);
    if (table->version.minor_id <= offsetof(hsax_api_table_t, pc_sampling_ext) ||
        !table->pc_sampling_ext)
        return;
    const size_t size = table->pc_sampling_ext->version.minor_id;
    memcpy(to, table->pc_sampling_ext, size < sizeof *to ? size : sizeof *to);
}

bool hsax_tables_save(const hsax_api_table_t *table)
{
    static const hsax_api_table_t *saved_from;
    hsax_core_table_t core;
    copy_core(&core, table->core);
    /* A runtime that was shut down and started again resets its table to its own functions, so a
     * table that differs from the saved copy still has hooks. */
    if (saved_from == table && memcmp(&core, &hsax.core, sizeof core) != 0) return false;
    saved_from = table;
    hsax.core = core;
    copy_amd_ext(&hsax.amd_ext, table->amd_ext);
    copy_pc_sampling(&hsax.pc_sampling, table);
    memset(&hsax.loader, 0, sizeof hsax.loader);
    return true;
}

bool hsax_hook_core(const hsax_api_table_t *table, size_t offset, void (*hook)(void))
{
    if (offset + sizeof hook > table->core->version.minor_id) return false;
    memcpy((char *)table->core + offset, &hook, sizeof hook);
    return true;
}

bool hsax_hook_amd_ext(const hsax_api_table_t *table, size_t offset, void (*hook)(void))
{
    size_t at = hsax_amd_ext_offset(offset, table->amd_ext->version.minor_id);
    if (!at) return false;
    memcpy((char *)table->amd_ext + at, &hook, sizeof hook);
    return true;
}

bool hsax_loader_load(void)
{
    if (hsax.loader.hsa_ven_amd_loader_loaded_code_object_get_info) return true;
    if (!hsax.core.hsa_system_get_major_extension_table_fn) return false;
    hsa_status_t status = hsax.core.hsa_system_get_major_extension_table_fn(
        HSA_EXTENSION_AMD_LOADER, 1, sizeof hsax.loader, &hsax.loader);
    if (status == HSA_STATUS_SUCCESS) return true;
    base_error("the HSA runtime gives no loader extension (status 0x%x): no code objects", status);
    memset(&hsax.loader, 0, sizeof hsax.loader);
    return false;
}
