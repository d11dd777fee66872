/* turns.c - grants turns (turns.h).
 *
 * One lock serves all agents; it is taken only while dispatches are counted. Lock order: the
 * collector's, then this one. Only may_run() decides which turns exclude each other. */
#include "hsa/turns.h"

#include "base/log.h"
#include "hsa/lane.h"
#include "hsa/queues.h"
#include "hsa/tables/tables.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define AGENTS_MAX 64

typedef struct hsax_agent_turns {
    hsa_agent_t agent;
    unsigned running, exclusive; /* number of turns granted and not over; how many of them are
                                  * exclusive */
    unsigned waiting;            /* number of turns that wait behind gates */
    uint64_t last_ticket;
} hsax_agent_turns_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hsax_agent_turns_t agents[AGENTS_MAX];
static unsigned agent_count;
static hsax_gate_t *free_gates;
static atomic_uint not_over; /* number of turns of all agents; if 0, hsax_turns_busy() is one
                              * load */

/* Returns the agent's turns; NULL if there are too many agents. To be called with the lock held. */
static hsax_agent_turns_t *of_agent(hsa_agent_t agent, bool make)
{
    for (unsigned i = 0; i < agent_count; i++)
        if (agents[i].agent.handle == agent.handle) return &agents[i];
    if (!make || agent_count == AGENTS_MAX) return NULL;
    agents[agent_count].agent = agent;
    return &agents[agent_count++];
}

bool hsax_turns_busy(hsa_agent_t agent)
{
    if (!atomic_load_explicit(&not_over, memory_order_relaxed)) return false;
    pthread_mutex_lock(&lock);
    const hsax_agent_turns_t *turns = of_agent(agent, false);
    bool busy = turns && turns->running + turns->waiting;
    pthread_mutex_unlock(&lock);
    return busy;
}

/* Returns whether a turn may begin while others run. `own` are the turns of its own queue, whose
 * packets run in order anyway. */
static bool may_run(const hsax_agent_turns_t *turns, const hsax_lane_turns_t *own,
                    const hsax_turn_t *turn)
{
    if (turn->reported_first) return !turns->running;
    return turn->exclusive ? turns->running == own->running : turns->exclusive == own->exclusive;
}

static void grant(hsax_turn_t *turn, hsax_lane_turns_t *own)
{
    turn->granted = true;
    turn->agent->running++;
    turn->agent->exclusive += turn->exclusive;
    own->running++;
    own->exclusive += turn->exclusive;
}

static hsax_gate_t *make_gate(void)
{
    hsax_gate_t *gate = calloc(1, sizeof *gate);
    if (!gate) return NULL;
    if (hsax_make_signal(&gate->ready) && hsax_make_signal(&gate->go)) return gate;
    if (gate->ready.handle) hsax.core.hsa_signal_destroy_fn(gate->ready);
    free(gate);
    return NULL;
}

static void set(hsa_signal_t signal, int64_t value)
{
    __atomic_store_n(&hsax_signal_block(signal)->value, value, __ATOMIC_RELEASE);
}

static bool dropped(hsa_signal_t signal)
{
    return __atomic_load_n(&hsax_signal_block(signal)->value, __ATOMIC_ACQUIRE) < 1;
}

/* Takes a gate. To be called with the lock held, which it releases while signals are made. */
static hsax_gate_t *take_gate(void)
{
    hsax_gate_t *gate = free_gates;
    if (gate) {
        free_gates = gate->next;
        set(gate->ready, 1);
        set(gate->go, 1);
        return gate;
    }
    pthread_mutex_unlock(&lock);
    gate = make_gate();
    pthread_mutex_lock(&lock);
    return gate;
}

bool hsax_turn_take(hsax_item_t *item, bool exclusive, bool barred)
{
    hsax_lane_turns_t *own = &item->lane->turns;
    item->turn = (hsax_turn_t){.exclusive = exclusive,
                               .reported_first = item->wrap && item->wrap->reported_first};
    pthread_mutex_lock(&lock);
    hsax_agent_turns_t *turns = of_agent(hsax_lane_agent(item->lane), true);
    if (!turns) goto out;
    if (barred || turns->waiting || !may_run(turns, own, &item->turn)) {
        item->turn.gate = take_gate();
        if (!item->turn.gate) goto out;
        turns->waiting++;
        own->waiting++;
    }
    item->turn.ticket = ++turns->last_ticket;
    item->turn.agent = turns;
    atomic_fetch_add_explicit(&not_over, 1, memory_order_relaxed);
    if (!item->turn.gate) grant(&item->turn, own);
out:
    pthread_mutex_unlock(&lock);
    return item->turn.agent;
}

void hsax_turn_completed(hsax_item_t *item)
{
    if (!item->turn.reported_first) hsax_turn_end(item, true);
}

void hsax_turn_end(hsax_item_t *item, bool done)
{
    hsax_turn_t *turn = &item->turn;
    if (!turn->agent) return;
    hsax_lane_turns_t *own = &item->lane->turns;
    pthread_mutex_lock(&lock);
    if (turn->granted) {
        turn->agent->running--;
        turn->agent->exclusive -= turn->exclusive;
        own->running--;
        own->exclusive -= turn->exclusive;
    } else {
        turn->agent->waiting--;
        own->waiting--;
    }
    if (turn->gate && done) {
        turn->gate->next = free_gates;
        free_gates = turn->gate;
    }
    atomic_fetch_sub_explicit(&not_over, 1, memory_order_relaxed);
    turn->agent = NULL;
    turn->gate = NULL;
    pthread_mutex_unlock(&lock);
}

/* Returns the first waiting item of the lane, if the queue has reached its gate. */
static hsax_item_t *candidate(const hsax_lane_t *lane)
{
    if (!lane->turns.waiting) return NULL;
    for (hsax_item_t *item = lane->flying; item; item = item->next)
        if (item->turn.agent && !item->turn.granted)
            return dropped(item->turn.gate->ready) ? item : NULL;
    return NULL;
}

/* Returns the oldest candidate of an agent, of all lanes. */
static hsax_item_t *oldest(hsax_lane_t *lanes, const hsax_agent_turns_t *turns)
{
    hsax_item_t *found = NULL;
    for (hsax_lane_t *lane = lanes; lane; lane = lane->next) {
        hsax_item_t *item = candidate(lane);
        if (item && item->turn.agent == turns && (!found || item->turn.ticket < found->turn.ticket))
            found = item;
    }
    return found;
}

unsigned hsax_turns_serve(hsax_lane_t *lanes)
{
    unsigned opened = 0;
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < agent_count; i++) {
        hsax_agent_turns_t *turns = &agents[i];
        while (turns->waiting) {
            hsax_item_t *item = oldest(lanes, turns);
            if (!item || !may_run(turns, &item->lane->turns, &item->turn)) break;
            turns->waiting--;
            item->lane->turns.waiting--;
            grant(&item->turn, &item->lane->turns);
            set(item->turn.gate->go, 0);
            opened++;
        }
    }
    pthread_mutex_unlock(&lock);
    return opened;
}

void hsax_turns_shut_down(void)
{
    pthread_mutex_lock(&lock);
    for (hsax_gate_t *gate = free_gates, *next; gate; gate = next) {
        next = gate->next;
        hsax.core.hsa_signal_destroy_fn(gate->ready);
        hsax.core.hsa_signal_destroy_fn(gate->go);
        free(gate);
    }
    free_gates = NULL;
    agent_count = 0; /* a runtime that starts again may have other agents */
    pthread_mutex_unlock(&lock);
}

void hsax_turns_forked(void)
{
    pthread_mutex_init(&lock, NULL);
}
