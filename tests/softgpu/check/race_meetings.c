/* race_meetings.c - what workgroups of a dispatch know of each other by atomic accesses: each wave
 * of a workgroup publishes what it knows itself, and another workgroup learns of that when it reads
 * the same address. */
#include "softgpu/check/race.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FLAG = 1 << 5, OTHER_FLAG = 1 << 9 }; /* slots */

/* Two workgroups of a dispatch. */
typedef struct {
    chk_dispatch_t dispatch;
    race_state_t *by, *reader;
} scene_t;

static race_state_t *enter(const chk_dispatch_t *d, uint64_t group)
{
    race_state_t *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);
    assert_non_null(s);
    memset(s, 0, sizeof *s);
    race_clock_begin(&s->clock, ISA_GROUP_WAVES);
    race_run_enter(s, d->serial, group);
    assert_non_null(s->run);
    return s;
}

static scene_t begin(void)
{
    static uint64_t serials;
    scene_t scene = {.dispatch = {.serial = ++serials, .groups = 2, .grid = {2, 1, 1}}};
    race_run_begin(&scene.dispatch);
    scene.by = enter(&scene.dispatch, 0);
    scene.reader = enter(&scene.dispatch, 1);
    return scene;
}

static void end(scene_t *scene)
{
    race_step_leave(scene->by);
    race_step_leave(scene->reader);
    race_run_end(&scene->dispatch);
    free(scene->by);
    free(scene->reader);
}

/* The word of the shadow that a store of the wave leaves. */
static uint64_t store(race_state_t *s, unsigned wave)
{
    const uint64_t time = race_clock_short(&s->clock, s->clock.own[wave]);
    s->clock.stored |= 1u << wave;
    return (uint64_t)s->owner << RACE_OWNER_SHIFT | (uint64_t)wave << RACE_WAVE_SHIFT |
           time << RACE_TIME_SHIFT;
}

/* The same, of a store that the wave waits for before it publishes. */
static uint64_t store_and_publish(race_state_t *s, unsigned wave, uint64_t slot)
{
    const uint64_t word = store(s, wave);
    race_clock_wait(&s->clock, wave);
    race_run_release(s, wave, slot);
    return word;
}

/* What HIP's printf does: a wave stores, waits and publishes, another wave of its workgroup
 * publishes something of its own, and then the first one's flag is read. */
static void another_wave_publishes_too(void **unused)
{
    (void)unused;
    scene_t scene = begin();
    const uint64_t word = store_and_publish(scene.by, 3, FLAG);
    store_and_publish(scene.by, 0, OTHER_FLAG);
    assert_false(race_run_ordered(scene.reader, 0, word, false));
    race_run_acquire(scene.reader, 0, FLAG);
    assert_true(race_run_ordered(scene.reader, 0, word, false));
    end(&scene);
}

/* The flag of a wave says nothing of what another one has stored. */
static void of_its_own_alone(void **unused)
{
    (void)unused;
    scene_t scene = begin();
    const uint64_t word = store_and_publish(scene.by, 3, FLAG);
    race_run_release(scene.by, 0, OTHER_FLAG);
    race_run_acquire(scene.reader, 0, OTHER_FLAG);
    assert_false(race_run_ordered(scene.reader, 0, word, false));
    end(&scene);
}

/* A store that its wave has not waited for is nobody's to know, however often is published. */
static void not_before_it_was_waited_for(void **unused)
{
    (void)unused;
    scene_t scene = begin();
    for (unsigned k = 0; k < 100; k++)
        store_and_publish(scene.by, k % 3, FLAG);
    const uint64_t word = store(scene.by, 3);
    race_run_release(scene.by, 3, FLAG);
    race_run_acquire(scene.reader, 0, FLAG);
    assert_false(race_run_ordered(scene.reader, 0, word, false));
    end(&scene);
}

/* Waves of one workgroup meet there as well, each for itself. */
static void waves_of_a_workgroup(void **unused)
{
    (void)unused;
    scene_t scene = begin();
    const uint64_t word = store_and_publish(scene.by, 3, FLAG);
    race_run_acquire(scene.reader, 0, FLAG); /* hands it on in place of the first */
    race_run_release(scene.reader, 0, FLAG);
    race_run_acquire(scene.by, 1, FLAG);
    race_run_acquire(scene.by, 2, OTHER_FLAG);
    assert_true(race_run_ordered(scene.by, 1, word, false));
    assert_false(race_run_ordered(scene.by, 2, word, false));
    assert_false(race_run_ordered(scene.by, 0, word, false));
    end(&scene);
}

/* The word that a read of the wave leaves. */
static uint64_t read_word(const race_state_t *s, unsigned wave)
{
    const uint64_t time = race_clock_short(&s->clock, s->clock.own[wave]);
    return (uint64_t)s->owner << RACE_OWNER_SHIFT | (uint64_t)wave << RACE_WAVE_SHIFT |
           time << RACE_TIME_SHIFT;
}

/* A release tells of the reads of its own wave, and not of those that another wave makes meanwhile.
 */
static void reads_beside_a_release(void **unused)
{
    (void)unused;
    scene_t scene = begin();
    const uint64_t own = read_word(scene.by, 0), other = read_word(scene.by, 1);
    race_run_release(scene.by, 0, FLAG);
    race_run_acquire(scene.reader, 0, FLAG);
    assert_true(race_run_ordered(scene.reader, 0, own, true));
    assert_false(race_run_ordered(scene.reader, 0, other, true));
    end(&scene);
}

/* The same of a flag that is stored plainly. */
static void reads_beside_a_flag(void **unused)
{
    (void)unused;
    scene_t scene = begin();
    const uint64_t own = read_word(scene.by, 0), other = read_word(scene.by, 1);
    race_run_synchronise(scene.reader, 0, store(scene.by, 0));
    assert_true(race_run_ordered(scene.reader, 0, own, true));
    assert_false(race_run_ordered(scene.reader, 0, other, true));
    end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_beside_a_release),       cmocka_unit_test(reads_beside_a_flag),
        cmocka_unit_test(another_wave_publishes_too),   cmocka_unit_test(of_its_own_alone),
        cmocka_unit_test(not_before_it_was_waited_for), cmocka_unit_test(waves_of_a_workgroup)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
