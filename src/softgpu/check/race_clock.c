/* race_clock.c - vector clocks of the waves of a workgroup: barriers, and atomic accesses to LDS.
 *
 * A wave's time advances only when another wave may synchronise with it, so that the owner bits of
 * an LDS shadow word suffice for many workgroups. When a workgroup has used up all times, its clock
 * stands still and later accesses count as ordered. */
#include "softgpu/check/race.h"

#include <string.h>

enum { ROOM = RACE_OWNERS / 2 }; /* past this time the next workgroup resets the clock */

static uint32_t next(race_clock_t *c)
{
    return c->now < RACE_OWNERS - 1 ? ++c->now : c->now;
}

static void synchronise_all(race_clock_t *c)
{
    c->barrier = c->now;
    const uint32_t now = next(c);
    for (unsigned w = 0; w < c->waves; w++)
        c->own[w] = now;
    c->ahead = 0;
}

bool race_clock_begin(race_clock_t *c, uint32_t waves)
{
    const bool again = c->now > ROOM;
    if (again) memset(c, 0, sizeof *c);
    c->waves = waves;
    c->begin = next(c);
    c->stored = 0;
    synchronise_all(c);
    return again;
}

void race_clock_barrier(race_clock_t *c)
{
    synchronise_all(c);
}

void race_clock_wait(race_clock_t *c, unsigned wave)
{
    if (!(c->stored >> wave & 1)) return;
    c->stored &= ~(1u << wave);
    c->done[wave] = c->own[wave];
    c->own[wave] = next(c);
}

static void join_known(race_clock_t *c, unsigned wave, unsigned other, uint32_t time)
{
    uint32_t *mine = c->known[wave];
    const uint32_t *theirs = c->known[other];
    if (wave == other) return;
    for (unsigned w = 0; w < c->waves; w++)
        if (theirs[w] > mine[w]) mine[w] = theirs[w];
    if (time > mine[other]) mine[other] = time;
    if (c->own[other] <= time) c->own[other] = next(c);
}

static race_meeting_t *meeting(race_clock_t *c, uint32_t dword)
{
    race_meeting_t *m = &c->meeting[dword % RACE_MEETINGS];
    if (m->time <= c->barrier) m->waves = 0;
    return m;
}

void race_clock_release(race_clock_t *c, unsigned wave, uint32_t dword)
{
    race_meeting_t *m = meeting(c, dword);
    m->time = c->met = c->now;
    m->waves |= 1u << wave;
    m->when[wave] = c->own[wave];
    c->ahead |= 1u << wave;
}

void race_clock_leave(race_clock_t *c, unsigned wave, uint32_t dword, uint32_t time)
{
    race_meeting_t *m = meeting(c, dword);
    const bool known = m->waves >> wave & 1 && m->when[wave] > time;
    m->time = c->met = c->now;
    m->waves |= 1u << wave;
    if (!known) m->when[wave] = time;
}

void race_clock_pass(race_clock_t *c, unsigned wave)
{
    if (!(c->ahead >> wave & 1)) return;
    c->ahead &= ~(1u << wave);
    c->own[wave] = next(c);
}

bool race_clock_gives_back(race_clock_t *c, unsigned wave, uint32_t dword, uint32_t time)
{
    const race_meeting_t *m = meeting(c, dword);
    return m->waves >> wave & 1 && m->when[wave] < time;
}

void race_clock_acquire(race_clock_t *c, unsigned wave, uint32_t dword)
{
    if (c->met <= c->barrier) return;
    const race_meeting_t *m = meeting(c, dword);
    for (uint32_t left = m->waves; left; left &= left - 1) {
        const unsigned other = (unsigned)__builtin_ctz(left);
        join_known(c, wave, other, m->when[other]);
    }
}

void race_clock_synchronise(race_clock_t *c, unsigned wave, unsigned other, uint32_t time)
{
    join_known(c, wave, other, time);
}
