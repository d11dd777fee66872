/* live.c - see live.h. A hash table with open addressing; a removed block's row stays occupied
 * until the table grows. */
#include "output/live.h"

#include "base/golden.h"

#include <stdlib.h>

enum { NEVER_USED = 0, TAKEN_BACK = 1, FIRST_ROOM = 256 }; /* addresses that no memory has */

static out_block_t *place(out_block_t *blocks, size_t room, uint64_t address)
{
    size_t at = (size_t)(address * BASE_GOLDEN >> 20) & (room - 1);
    while (blocks[at].address != NEVER_USED && blocks[at].address != address)
        at = (at + 1) & (room - 1);
    return &blocks[at];
}

static bool make_room(out_live_t *l)
{
    size_t live = 0, room = FIRST_ROOM;
    for (size_t i = 0; i < l->room; i++)
        live += l->blocks[i].address > TAKEN_BACK;
    while (room < 4 * live)
        room *= 2;
    out_block_t *blocks = calloc(room, sizeof(*blocks));
    if (!blocks) return false;
    for (size_t i = 0; i < l->room; i++)
        if (l->blocks[i].address > TAKEN_BACK)
            *place(blocks, room, l->blocks[i].address) = l->blocks[i];
    free(l->blocks);
    *l = (out_live_t){blocks, live, room};
    return true;
}

bool out_live_add(out_live_t *l, out_block_t block)
{
    if (block.address <= TAKEN_BACK) return true;
    if (2 * l->used >= l->room && !make_room(l)) return false;
    out_block_t *b = place(l->blocks, l->room, block.address);
    l->used += b->address == NEVER_USED;
    *b = block;
    return true;
}

bool out_live_take(out_live_t *l, uint64_t address, out_block_t *block)
{
    if (!l->room || address <= TAKEN_BACK) return false;
    out_block_t *b = place(l->blocks, l->room, address);
    if (b->address != address) return false;
    *block = *b;
    b->address = TAKEN_BACK;
    return true;
}

void out_live_free(out_live_t *l)
{
    free(l->blocks);
}
