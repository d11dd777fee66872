/* copies.h - asynchronous memory copies, from the call to the end of the transfer.
 *
 * A copy that the client wants runs with a signal of the collector's. The program's signal is
 * completed last, and the time of the copy can be queried for it as if the GPU had used it. */
#ifndef CROCPROF_HSA_COPIES_H
#define CROCPROF_HSA_COPIES_H

#include "hsa/collect.h"
#include "hsa/tables/tables.h"

typedef struct {
    hsa_agent_t dst_agent, src_agent;
    bool dst_gpu, src_gpu;
    void *dst;
    const void *src;
    uint64_t bytes;
} hsax_copy_t;

typedef struct {
    size_t client_size; /* of hsax_item_t.client, for the client's own use */
    bool (*wanted)(void);
    /* Called before the runtime gets the copy, on the program's thread. Returns false if the client
     * does not want this copy. */
    bool (*begin)(hsax_item_t *item, const hsax_copy_t *copy);
    /* Called after the runtime has got the copy, on the same thread. */
    void (*submitted)(hsax_item_t *item);
    /* One of these two is called, on the collector thread: the copy is done, or will not be
     * reported. */
    void (*complete)(hsax_item_t *item);
    void (*lost)(hsax_item_t *item);
    /* Called if the runtime refuses the copy, on the program's thread, instead of all of the
     * above. */
    void (*refused)(hsax_item_t *item);
} hsax_copy_client_t;

/* Puts the hooks into the runtime's table. `client` must stay valid. */
void hsax_copies_hook(const hsax_api_table_t *table, const hsax_copy_client_t *client);

/* Returns how many copies were not reported because there was no signal for them. */
uint64_t hsax_copies_missed(void);

#endif
