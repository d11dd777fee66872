/* repeat_tool.c - another tool of the runtime: each dispatch of the program runs eight times.
 *
 * Named in HSA_TOOLS_LIB after the registration library, its handler is called before ours and
 * hands over all eight in one call. Only the last completes the program's signal. */
#include "hsa/tables/tables.h"

#include <string.h>

enum { TIMES = 8 };

static void repeat(const void *data, uint64_t count, uint64_t index, void *queue,
                   hsax_packet_writer_t writer)
{
    (void)index, (void)queue;
    hsa_kernel_dispatch_packet_t packets[TIMES];
    memcpy(packets, data, sizeof *packets);
    if (count != 1 || (packets->header & 0xff) != HSA_PACKET_TYPE_KERNEL_DISPATCH) {
        writer(data, count);
        return;
    }
    for (int i = 0; i < TIMES; i++) {
        packets[i] = packets[0];
        if (i < TIMES - 1) packets[i].completion_signal.handle = 0;
    }
    memcpy(&packets[TIMES - 1], data, sizeof *packets);
    writer(packets, TIMES);
}

static hsa_status_t create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                           void (*callback)(hsa_status_t, hsa_queue_t *, void *), void *data,
                           uint32_t private_size, uint32_t group_size, hsa_queue_t **queue)
{
    hsa_status_t status = hsax.core.hsa_queue_create_fn(agent, size, type, callback, data,
                                                        private_size, group_size, queue);
    if (status == HSA_STATUS_SUCCESS)
        status = hsax.amd_ext.hsa_amd_queue_intercept_register_fn(*queue, repeat, NULL);
    return status;
}

__attribute__((visibility("default"))) bool OnLoad(const hsax_api_table_t *table, uint64_t version,
                                                   uint64_t failed, const char *const *names);

bool OnLoad(const hsax_api_table_t *table, uint64_t version, uint64_t failed,
            const char *const *names)
{
    (void)version, (void)failed, (void)names;
    return hsax_tables_save(table) && HSAX_HOOK_CORE(table, hsa_queue_create, create);
}
