/* team.h - the waves of one workgroup on several threads, while workers have nothing else to do. A
 * workgroup runs in rounds: in a round each of its waves runs once, until it has to wait, ends, or
 * has used its slice. With a team idle workers take waves of the round, too; when all have come
 * back, the next round begins. */
#ifndef SOFTGPU_DEVICE_TEAM_H
#define SOFTGPU_DEVICE_TEAM_H

#include "softgpu/exec/translate.h"
#include "softgpu/exec/wave.h"

#include <pthread.h>

/* Guarantees. A program whose waves order their loads and stores by barriers gives the same results
 * bit by bit as on one thread. Without barriers the waves see each other's plain loads and stores
 * as threads of the host do: a load may be done before an earlier store of the same wave has
 * reached the other waves, whether it waits for memory or not. Atomic operations, on memory and on
 * LDS, are never executed by two threads at once, and come in the order of the waves. If waves
 * fail, the one with the lowest number is reported. What is observed (counters, models, trace,
 * checker, PC sampling) stays on one thread. */

typedef struct sg_run sg_run_t;
typedef struct sg_box sg_box_t;
typedef struct sg_pool sg_pool_t;

/* Why the waves of a workgroup stay on one thread. */
typedef enum {
    SG_ALONE_NOT,      /* they may be spread */
    SG_ALONE_OFF,      /* SOFTGPU_SPREAD=0 */
    SG_ALONE_WATCHED,  /* observers want them one after the other */
    SG_ALONE_VERIFIED, /* the translator runs instructions twice, and nothing may change meanwhile
                        */
    SG_ALONE_ATOMIC,   /* found when one runs: an atomic operation, or another that depends on the
                          order of the waves */
    SG_ALONE_ORDER, /* found when one runs: a store to LDS behind a load of the same wave, without
                       a barrier */
    SG_ALONES
} sg_alone_t;

/* How workgroups that had workers to help them were run. */
typedef struct {
    uint64_t groups, rounds;   /* workgroups with a team, and their rounds with it */
    uint64_t turns, helped;    /* how often a wave ran in these, and how often of that by helpers */
    uint64_t alone[SG_ALONES]; /* workgroups whose waves stayed on one thread for this reason, from
                                  their start or, in part of `groups`, from some instruction on */
} sg_spread_t;

/* The team of a box. What has no other comment is its owner's. */
typedef struct {
    sg_box_t *next;    /* open teams; under the lock of sg_teams_t */
    uint32_t n_joined; /* helpers so far; under that lock */
    bool open;
    bool had_team;     /* the workgroup has had one: it is among counts.groups */
    bool refused;      /* the workgroup stays on one thread to its end: it is in counts.alone */
    bool had_turn;     /* the workgroup has used up a turn: it is a long one */
    uint32_t pause;    /* rounds that go without the team, the present one included */
    uint64_t round_ns; /* time of the last round */
    uint64_t own_ns;   /* of that, while the owner ran waves; then it waited for helpers */
    int32_t slice;     /* of the present round: written before `todo` */
    uint32_t why[ISA_GROUP_WAVES]; /* isa_stop_t of the waves of the round, by the threads that ran
                                      them, before `pending` */
    sg_spread_t counts;
    _Alignas(64) _Atomic uint32_t todo;    /* waves of the round that no thread has taken */
    _Alignas(64) _Atomic uint32_t pending; /* futex: waves of the round that have not come back */
    _Atomic uint32_t owner_waits;
    _Atomic uint32_t helped;               /* turns of waves that helpers have run */
    _Alignas(64) _Atomic uint32_t members; /* helpers; none touches the box after it has left */
    _Atomic uint32_t closing;
} sg_team_t;

/* The open teams of a pool. */
typedef struct {
    pthread_mutex_t lock;
    sg_box_t *first;
    _Atomic uint32_t n_open; /* a hint that is read without the lock */
} sg_teams_t;

/* Whether workgroups may be spread, from now on: true at first. */
void sg_team_allow(bool allowed);

/* The next waves are to be run by a team: whether the run's waves may be spread. If not, the
 * workgroup is refused, and stays on one thread. */
bool sg_team_allowed(sg_box_t *b);
/* Opens a team for a workgroup that is allowed one. */
void sg_team_open(sg_box_t *b);
/* Before anybody else may run the box, or the run may complete: no helper is left. For a box with
 * an open team. */
void sg_team_close(sg_box_t *b);
/* For an idle worker: helps a team that has waves to run, until there are none for a while or the
 * pool has other work. False: there was none. */
bool sg_team_help(sg_teams_t *all, sg_pool_t *p);

/* Runs a round of the box by its team: the waves of `todo`, each until it stops; b->team.why has
 * the reasons. The owner calls it. */
void sg_team_round(sg_box_t *b, uint32_t todo, int32_t slice);
/* A wave of the round has stopped for this reason: notes if the run's waves cannot be spread from
 * now on. True: that was why it stopped, and it can go on at once. */
bool sg_team_learn(sg_box_t *b, const isa_wave_t *w, isa_stop_t why);

/* The counts of all workgroups of this process whose teams have been closed or refused. */
sg_spread_t sg_team_totals(void);

/* Adds counts. */
void sg_spread_add(sg_spread_t *to, const sg_spread_t *from);
/* What keeps waves on one thread, in words that follow a count of workgroups. */
const char *sg_alone_text(sg_alone_t why);

#endif
