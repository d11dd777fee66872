/* ends.c - the two ends of messages: a hash table of ends whose other end has not been read yet.
 * The row of an end is unused again once the other end has been read. */
#include <stdlib.h>

#include "base/grow.h"
#include "waits/internal.h"

static size_t place_of(const wts_ends_t *t, uint64_t key, bool sends)
{
    size_t at = (size_t)key & (t->room - 1);
    while (t->rows[at].key && (t->rows[at].key != key || t->rows[at].sends != sends))
        at = (at + 1) & (t->room - 1);
    return at;
}

static bool grow(wts_ends_t *t)
{
    if (2 * (t->count + 1) <= t->room) return true;
    wts_ends_t more = {.room = t->room ? 2 * t->room : 1024, .count = t->count};
    more.rows = calloc(more.room, sizeof(*more.rows));
    if (!more.rows) return false;
    for (size_t i = 0; i < t->room; i++)
        if (t->rows[i].key)
            more.rows[place_of(&more, t->rows[i].key, t->rows[i].sends)] = t->rows[i];
    free(t->rows);
    *t = more;
    return true;
}

/* Removes a row, and moves up the rows after it that could not be found otherwise. */
static void take(wts_ends_t *t, size_t at)
{
    const size_t mask = t->room - 1;
    t->count--;
    for (size_t next = (at + 1) & mask; t->rows[next].key; next = (next + 1) & mask) {
        const size_t home = (size_t)t->rows[next].key & mask;
        if (((next - home) & mask) < ((next - at) & mask)) continue;
        t->rows[at] = t->rows[next];
        at = next;
    }
    t->rows[at].key = 0;
}

/* Returns how long a call from `from` to `end` has waited for an event at `until`. A call that has
 * ended earlier did not wait for the event, except within the error of the clocks. */
static uint64_t shorter(const wts_state_t *s, uint64_t from, uint64_t until, uint64_t end)
{
    if (until > end && until - end > s->w->clock_error_ns) return 0;
    if (until > end) until = end;
    return until > from ? until - from : 0;
}

/* Notes that a rank has waited `ns` for another one, and keeps the rank for which it has waited
 * longest. */
static void note_victim(wts_state_t *s, uint32_t waiting, uint32_t late, uint64_t ns)
{
    const uint64_t key = (uint64_t)late << 32 | waiting;
    uint64_t sum = out_numbers_get(&s->victims, key);
    if (sum)
        sum = out_numbers_place(&s->victims, key)->number += ns;
    else if (!out_numbers_set(&s->victims, key, sum = ns + 1))
        s->failed = true;
    wts_rank_t *rank = &s->w->ranks[late];
    if (sum > rank->victim_ns) {
        rank->victim_ns = sum;
        rank->victim = (int32_t)waiting;
    }
}

static void add_pair(wts_state_t *s, uint32_t from, uint32_t to, uint64_t bytes)
{
    wts_t *w = s->w;
    const uint64_t key = (uint64_t)from << 32 | to;
    uint64_t place = out_numbers_get(&s->pairs, key);
    if (!place) {
        if (!BASE_GROW(w->pairs, w->pair_count, &w->pair_room) ||
            !out_numbers_set(&s->pairs, key, w->pair_count + 1)) {
            s->failed = true;
            return;
        }
        w->pairs[w->pair_count++] = (wts_pair_t){.from = from, .to = to};
        place = w->pair_count;
    }
    w->pairs[place - 1].messages++;
    w->pairs[place - 1].bytes += bytes;
}

static void compare(wts_state_t *s, const wts_end_t *sent, const wts_end_t *came)
{
    const uint64_t sender = shorter(s, came->from, sent->post, came->to);
    const uint64_t receiver = shorter(s, sent->from, came->post, sent->to);
    wts_rank_t *from = &s->w->ranks[sent->rank], *to = &s->w->ranks[came->rank];
    add_pair(s, sent->rank, came->rank, sent->bytes ? sent->bytes : came->bytes);
    if (sent->rank == came->rank) return;
    if (sender) {
        to->sender_ns += sender;
        from->late_send_ns += sender;
        from->late_sends++;
        note_victim(s, came->rank, sent->rank, sender);
        wts_wait(s, came->rank,
                 (wts_wait_t){came->from, came->from + sender, sent->rank, WTS_IN_RECEIVE});
    }
    if (receiver) {
        from->receiver_ns += receiver;
        to->late_receive_ns += receiver;
        to->late_receives++;
        note_victim(s, sent->rank, came->rank, receiver);
        wts_wait(s, sent->rank,
                 (wts_wait_t){sent->from, sent->from + receiver, came->rank, WTS_IN_SEND});
    }
}

void wts_end(wts_state_t *s, const wts_end_t *end)
{
    wts_ends_t *t = &s->ends;
    if (!grow(t)) {
        s->failed = true;
        return;
    }
    const size_t other = place_of(t, end->key, !end->sends);
    if (t->rows[other].key) {
        const wts_end_t found = t->rows[other];
        take(t, other);
        compare(s, end->sends ? end : &found, end->sends ? &found : end);
    } else {
        t->rows[place_of(t, end->key, end->sends)] = *end;
        t->count++;
    }
}
