/* runtime.c - counts the program's calls of hsa_init and hsa_shut_down, as the runtime does.
 *
 * The runtime passes its table within the first hsa_init, which is therefore not seen here. */
#include "hsa/runtime.h"

#include "base/log.h"
#include "hsa/agents.h"
#include "hsa/collect.h"

#include <stdatomic.h>

#define SHUT_DOWN_PATIENCE_MS 1000

static atomic_int references;
static atomic_bool up;
static void (*before_down)(void);

bool hsax_runtime_up(void)
{
    return atomic_load(&up);
}

static hsa_status_t init(void)
{
    hsa_status_t status = hsax.core.hsa_init_fn();
    if (status == HSA_STATUS_SUCCESS) atomic_fetch_add(&references, 1);
    return status;
}

static hsa_status_t shut_down(void)
{
    if (atomic_fetch_sub(&references, 1) == 1 && !hsax_forked()) {
        uint64_t lost = hsax_collect_shut_down(SHUT_DOWN_PATIENCE_MS);
        if (lost)
            base_warning("%llu GPU operations had not finished when HSA was shut down",
                         (unsigned long long)lost);
        if (before_down) before_down();
        atomic_store(&up, false);
    }
    return hsax.core.hsa_shut_down_fn();
}

bool hsax_runtime_start(const hsax_api_table_t *table, void (*down)(void))
{
    if (!hsax_tables_save(table)) return false;
    atomic_store(&references, 1);
    before_down = down;
    hsax_collect_init();
    if (!hsax_agents_load()) return false;
    HSAX_HOOK_CORE(table, hsa_init, init);
    HSAX_HOOK_CORE(table, hsa_shut_down, shut_down);
    atomic_store(&up, true);
    return true;
}
