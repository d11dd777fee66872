/* request.c - see request.h: two rings, one of the program's last calls and one of the moves that
 * those calls have given to copy engines. One lock guards both. */
#include "softgpu/check/request.h"

#include "softgpu/check/fork.h"

#include <pthread.h>

enum {
    CALLS = 4096, /* equal to the number of dispatches and copies that race_run.c records */
    LATEST = 256, /* how many of the last calls are searched for an address */
    MOVES = 256
};

typedef struct {
    chk_span_t to, from;
    uint64_t left; /* bytes that are still to be moved */
    uint64_t number;
} move_t;

static struct {
    pthread_mutex_t lock;
    chk_request_t call[CALLS]; /* by number, modulo CALLS */
    uint64_t latest;           /* the number of the last call */
    move_t move[MOVES];        /* a ring */
    uint64_t moves;            /* number of moves so far */
} requests = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local uint64_t now;

void chk_request_fork(chk_fork_t when)
{
    chk_fork_mutex(&requests.lock, when);
}

void chk_request_begin(const chk_request_t *call)
{
    pthread_mutex_lock(&requests.lock);
    const uint64_t number = ++requests.latest;
    chk_request_t *at = &requests.call[number % CALLS];
    *at = *call;
    at->number = number;
    at->outer = now;
    pthread_mutex_unlock(&requests.lock);
    now = number;
}

uint64_t chk_request_now(void)
{
    return now;
}

static bool is_empty(const chk_span_t *s)
{
    return s->begin == s->end;
}

static bool launches(const chk_request_t *c)
{
    return is_empty(&c->to) && is_empty(&c->from);
}

/* Under the lock: the call `k` before the last one, or NULL. */
static const chk_request_t *before_latest(uint64_t k)
{
    return k < requests.latest && k < LATEST ? &requests.call[(requests.latest - k) % CALLS] : NULL;
}

/* Under the lock: the call of that number; NULL: the ring no longer holds it. */
static const chk_request_t *call_of(uint64_t number)
{
    const chk_request_t *c = &requests.call[number % CALLS];
    return number && c->number == number ? c : NULL;
}

void chk_request_end(void)
{
    pthread_mutex_lock(&requests.lock);
    const chk_request_t *c = call_of(now);
    now = c ? c->outer : 0;
    pthread_mutex_unlock(&requests.lock);
}

/* Whether the call's own addresses do not say what it does: a runtime made it, or it launches a
 * graph, whose copies were recorded when the graph was built. */
static bool is_opaque(const chk_request_t *c)
{
    return c->outer || launches(c);
}

/* ---- copy engines ---- */

void chk_request_move(chk_span_t to, chk_span_t from, uint64_t bytes)
{
    pthread_mutex_lock(&requests.lock);
    requests.move[requests.moves++ % MOVES] = (move_t){to, from, bytes, now};
    pthread_mutex_unlock(&requests.lock);
}

static bool fits(const chk_span_t *span_to, const chk_span_t *span_from, uint64_t to, uint64_t from)
{
    return chk_span_holds(span_to, to) &&
           (from ? chk_span_holds(span_from, from) : is_empty(span_from));
}

/* Under the lock: the call of the oldest unfinished move between these addresses; takes `bytes` off
 * the move. */
static uint64_t take_of_move(uint64_t to, uint64_t from, uint64_t bytes)
{
    for (uint64_t k = requests.moves > MOVES ? requests.moves - MOVES : 0; k < requests.moves;
         k++) {
        move_t *m = &requests.move[k % MOVES];
        if (!m->left || !fits(&m->to, &m->from, to, from)) continue;
        m->left -= bytes < m->left ? bytes : m->left;
        return m->number;
    }
    return 0;
}

/* Under the lock: the latest call by the program itself that writes at `to` and reads at `from`. */
static uint64_t with_both_sides(uint64_t to, uint64_t from)
{
    const chk_request_t *c;
    for (uint64_t k = 0; (c = before_latest(k)); k++)
        if (!c->outer && fits(&c->to, &c->from, to, from)) return c->number;
    return 0;
}

uint64_t chk_request_mover(uint64_t to, uint64_t from, uint64_t bytes)
{
    pthread_mutex_lock(&requests.lock);
    const uint64_t number = take_of_move(to, from, bytes);
    const chk_request_t *c = call_of(number);
    const uint64_t likely = c && !is_opaque(c) ? 0 : with_both_sides(to, from);
    pthread_mutex_unlock(&requests.lock);
    return likely ? likely : number;
}

/* ---- questions ---- */

bool chk_request_find(uint64_t number, chk_request_t *out)
{
    pthread_mutex_lock(&requests.lock);
    const chk_request_t *c = call_of(number);
    if (c) *out = *c;
    pthread_mutex_unlock(&requests.lock);
    return c;
}

bool chk_request_latest(uint64_t va, chk_request_t *out)
{
    const chk_request_t *c;
    pthread_mutex_lock(&requests.lock);
    for (uint64_t k = 0; (c = before_latest(k)); k++)
        if (chk_span_holds(&c->to, va) || chk_span_holds(&c->from, va)) break;
    if (c) *out = *c;
    pthread_mutex_unlock(&requests.lock);
    return c;
}

static const chk_span_t *side_of(const chk_request_t *c, bool writes)
{
    return writes ? &c->to : &c->from;
}

/* Under the lock: the latest call by the program itself, other than `beside`, that writes or reads
 * at `va`. */
static const chk_request_t *latest_of(uint64_t va, bool writes, uint64_t beside)
{
    const chk_request_t *c;
    for (uint64_t k = 0; (c = before_latest(k)); k++)
        if (c->number != beside && !c->outer && chk_span_holds(side_of(c, writes), va)) break;
    return c;
}

bool chk_request_name(uint64_t number, uint64_t va, bool writes, uint64_t beside,
                      chk_request_t *out)
{
    pthread_mutex_lock(&requests.lock);
    const chk_request_t *c = call_of(number);
    const chk_span_t *span = c ? side_of(c, writes) : NULL;
    if (!c || is_opaque(c) || !(is_empty(span) || chk_span_holds(span, va))) {
        const chk_request_t *likely = latest_of(va, writes, beside);
        if (likely) c = likely;
    }
    if (c && c->outer) c = call_of(c->outer);
    if (c) *out = *c;
    pthread_mutex_unlock(&requests.lock);
    return c;
}
