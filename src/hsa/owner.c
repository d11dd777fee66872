/* owner.c - claims of GPUs (owner.h): a word for each agent, which changes only by
 * compare-and-exchange. So if two libraries claim an agent at the same time, one of them gets
 * it. */
#include "hsa/owner.h"

#include <stddef.h>

#define OWNER_SHIFT 32

/* Returns the agent's word; NULL if there are too many agents: then every claim succeeds. */
static _Atomic uint64_t *word_of(hsa_agent_t agent)
{
    for (int i = 0; i < HSAX_OWNERS_MAX; i++) {
        hsax_owner_slot_t *slot = &crocprof_counting_owners_1[i];
        uint64_t there = atomic_load(&slot->agent);
        if (there == 0 && atomic_compare_exchange_strong(&slot->agent, &there, agent.handle))
            return &slot->word;
        if (there == agent.handle) return &slot->word;
    }
    return NULL;
}

const char *hsax_owner_claim(hsa_agent_t agent, hsax_owner_t who)
{
    static const char *const names[] = {"another library", "librocprofiler-sdk",
                                        "librocprofiler64"};
    _Atomic uint64_t *word = word_of(agent);
    uint64_t seen = word ? atomic_load(word) : 0;
    while (word) {
        uint64_t owner = seen >> OWNER_SHIFT;
        if (seen && owner != who)
            return names[owner < sizeof names / sizeof *names ? owner : HSAX_OWNER_NONE];
        uint64_t claimed = seen ? seen + 1 : (uint64_t)who << OWNER_SHIFT | 1;
        if (atomic_compare_exchange_weak(word, &seen, claimed)) break;
    }
    return NULL;
}

void hsax_owner_release(hsa_agent_t agent, hsax_owner_t who)
{
    _Atomic uint64_t *word = word_of(agent);
    uint64_t seen = word ? atomic_load(word) : 0;
    /* else hsax_owner_release_all() has released the claims already */
    while (word && seen >> OWNER_SHIFT == who) {
        uint64_t left = (uint32_t)seen == 1 ? 0 : seen - 1;
        if (atomic_compare_exchange_weak(word, &seen, left)) return;
    }
}

void hsax_owner_release_all(hsax_owner_t who)
{
    for (int i = 0; i < HSAX_OWNERS_MAX; i++) {
        _Atomic uint64_t *word = &crocprof_counting_owners_1[i].word;
        uint64_t seen = atomic_load(word);
        while (seen >> OWNER_SHIFT == who && !atomic_compare_exchange_weak(word, &seen, 0))
            continue;
    }
}
