/* report.c - collects findings: finds equal ones, decides when they are written, and counts them
 * for the summary.
 *
 * Equal findings are counted, and reported when the dispatch of the first one has ended. The report
 * is then about the first wave in the GPU's order, so that it is the same in every run. If a
 * dispatch does not end they are reported a second later. Names and lines are looked up only by the
 * thread that writes reports, under the lock; other threads only count. */
#include "softgpu/check/check.h"

#include "base/env.h"
#include "base/golden.h"
#include "base/lines.h"
#include "base/log.h"
#include "softgpu/check/code.h"
#include "softgpu/check/fork.h"
#include "softgpu/check/format.h"
#include "softgpu/check/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    DIFFERENT_MAX = 1000, /* different findings that are reported; further ones are only counted */
    SLOTS = 2048,         /* of the hash table, a power of two */
    WAIT_SECONDS = 1      /* for the end of the dispatch */
};

/* Findings that differ in no way that a report shows. */
typedef struct {
    chk_kind_t kind;
    uint64_t point, other, place;
    chk_sum_t sum; /* its member `different` is 1 */
    int rule;      /* the rule that suppresses it; set when it is reported */
    size_t id;     /* number among the findings that are not suppressed, from 1 on */
} equal_t;

/* The first of equal findings, until it is reported. */
typedef struct {
    chk_finding_t f;
    uint32_t words[3];
    char *more;
    chk_stack_t stack, other_stack;
    size_t equal;
} waiting_t;

enum { WAITING_MAX = 64 };

static struct {
    pthread_once_t once;
    chk_options_t options;
    base_lines_t lines;
    const chk_writer_t *writer;
    bool fork, used; /* fork: this process is a forked child; used: an instruction or call was
                        checked in it */
    bool refused;    /* the options are wrong */
    bool has_status, aborts;
    int status;
    pthread_mutex_t lock;
    equal_t equal[DIFFERENT_MAX];
    uint16_t slot[SLOTS];             /* index in `equal` + 1, by hash */
    chk_times_t times[DIFFERENT_MAX]; /* by the finding's id - 1 */
    size_t n, n_errors;
    uint64_t untold;
    waiting_t waiting[WAITING_MAX];
    size_t n_waiting;
    bool alarm; /* a thread is going to report the waiting findings */
} state = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- options ---- */

/* The child does not report the parent's findings. */
void chk_report_fork(chk_fork_t when)
{
    chk_fork_mutex(&state.lock, when);
    if (when != CHK_FORK_CHILD) return;
    memset(state.slot, 0, sizeof state.slot);
    state.n = state.n_errors = state.n_waiting = 0;
    state.untold = 0;
    state.alarm = state.used = false;
    state.fork = true;
    if (state.writer->forked) state.writer->forked();
}

void chk_ends(int status, bool aborts)
{
    state.status = status;
    state.has_status = !aborts;
    state.aborts = aborts;
}

static void keep_status(int status, void *nothing)
{
    (void)nothing;
    chk_ends(status, false);
}

static void read_options(void)
{
    static const chk_writer_t *const writers[] = {&chk_text_writer, &chk_json_writer,
                                                  &chk_sarif_writer}; /* ORDER: chk_format_t */
    char why[1024];
    state.refused = !chk_options_read(&state.options, why, sizeof why);
    if (state.refused) base_error("%s", why);
    if (!state.options.families) return;
    state.writer = writers[state.options.format];
    chk_fork_watch();
    on_exit(keep_status, NULL);
    base_lines_open(&state.lines, chk_variables[CHK_VARIABLE_OUTPUT], "findings go");
}

unsigned chk_wanted(void)
{
    pthread_once(&state.once, read_options);
    return state.options.families;
}

bool chk_strict(unsigned family)
{
    return state.options.strict & family;
}

bool chk_ready(void)
{
    const char *preloaded = base_env("LD_PRELOAD");
    pthread_once(&state.once, read_options);
    if (state.options.families && (!preloaded || !strstr(preloaded, "libsoftgpu-check.so")))
        base_warning("libsoftgpu-check.so is not preloaded: allocations are not known");
    return !state.refused;
}

bool chk_chooses(void)
{
    return state.options.has_kernel;
}

bool chk_chosen(const char *kernel)
{
    return !state.options.has_kernel || regexec(&state.options.kernel, kernel, 0, NULL, 0) == 0;
}

bool chk_among_others(void)
{
    const char *first = base_env(SOFTGPU_CHECK_FIRST);
    return state.fork || (first && strtol(first, NULL, 10) != getpid());
}

/* ---- reports ---- */

/* Counts an error for the launcher: appends one byte to a file whose size the launcher reads. */
static void count_for_launcher(void)
{
    const char *name = base_env(SOFTGPU_CHECK_COUNT);
    const int fd = name ? base_file_open(name, O_WRONLY | O_APPEND, 0) : -1;
    if (fd < 0) return;
    if (write(fd, "", 1) < 0) base_error("%s: %s", name, strerror(errno));
    close(fd);
}

static void write_one(const waiting_t *w)
{
    equal_t *e = &state.equal[w->equal];
    chk_details_t details;
    chk_details_subject_t subject;
    chk_details_make(&details, &w->f);
    chk_details_subject(&details, &subject);
    e->rule = chk_rules_find(state.options.rules, &subject.subject);
    if (e->rule == CHK_NO_RULE) {
        e->id = ++state.n_errors;
        chk_times_t *times = &state.times[e->id - 1];
        *times = (chk_times_t){e->id, e->sum.waves, e->sum.lanes};
        state.writer->finding(&state.lines, &details, times);
        count_for_launcher();
    }
    chk_details_free(&details);
}

/* Under the lock: writes all waiting findings. */
static void write_waiting(void)
{
    for (size_t k = 0; k < state.n_waiting; k++) {
        write_one(&state.waiting[k]);
        free(state.waiting[k].more);
    }
    state.n_waiting = 0;
}

void chk_flush(void)
{
    if (!chk_wanted()) return;
    pthread_mutex_lock(&state.lock);
    state.used = true;
    write_waiting();
    pthread_mutex_unlock(&state.lock);
}

static void *write_later(void *nothing)
{
    const struct timespec wait = {.tv_sec = WAIT_SECONDS};
    (void)nothing;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &wait, NULL);
    pthread_mutex_lock(&state.lock);
    state.alarm = false;
    write_waiting();
    pthread_mutex_unlock(&state.lock);
    return NULL;
}

/* Under the lock: starts the thread that reports later. It blocks all signals, so that it runs none
 * of the program's handlers. If it cannot be started, findings are reported at once. */
static void set_alarm(void)
{
    sigset_t all, before;
    pthread_t thread;
    if (state.alarm) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    state.alarm = pthread_create(&thread, NULL, write_later, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (state.alarm)
        pthread_detach(thread);
    else
        write_waiting();
}

/* ---- findings ---- */

static uint32_t hash_of(const equal_t *e)
{
    const uint64_t words[] = {e->kind, e->point, e->other, e->place};
    uint64_t hash = 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) /* multiplied by the golden ratio */
        hash = (hash ^ words[k]) * BASE_GOLDEN;
    return (uint32_t)(hash >> 40);
}

/* Finds the entry of equal findings, or makes one. NULL: the table is full. */
static equal_t *find_equal(const equal_t *e)
{
    uint32_t at = hash_of(e) % SLOTS;
    for (; state.slot[at]; at = (at + 1) % SLOTS) {
        equal_t *known = &state.equal[state.slot[at] - 1];
        if (known->kind == e->kind && known->point == e->point && known->other == e->other &&
            known->place == e->place)
            return known;
    }
    if (state.n == DIFFERENT_MAX) return NULL;
    state.equal[state.n] = *e;
    state.slot[at] = (uint16_t)++state.n;
    return &state.equal[state.n - 1];
}

/* Whether `a` comes first in the order in which the GPU numbers workgroups, and their waves. */
static bool is_earlier(const chk_finding_t *a, const chk_finding_t *b)
{
    for (unsigned k = 3; k-- > 0;)
        if (a->group[k] != b->group[k]) return a->group[k] < b->group[k];
    return a->wave < b->wave;
}

static void keep(waiting_t *w, const chk_finding_t *f, size_t equal)
{
    *w = (waiting_t){.f = *f, .equal = equal, .more = f->more ? strdup(f->more) : NULL};
    for (uint32_t k = 0; k < f->n_words && k < 3; k++)
        w->words[k] = f->words[k];
    if (f->stack) w->stack = *f->stack;
    w->f.words = w->words;
    w->f.more = w->more;
    w->f.stack = f->stack ? &w->stack : NULL;
    if (f->other.stack) w->other_stack = *f->other.stack;
    w->f.other.stack = f->other.stack ? &w->other_stack : NULL;
}

static void take(const chk_finding_t *f, const equal_t *like)
{
    const size_t before = state.n;
    equal_t *e = find_equal(like);
    size_t k = 0;
    if (!e) {
        state.untold++;
        return;
    }
    e->sum.different = 1;
    e->sum.waves++;
    e->sum.lanes += f->lanes;
    if (state.n > before) {
        if (state.n_waiting == WAITING_MAX) write_waiting();
        keep(&state.waiting[state.n_waiting++], f, (size_t)(e - state.equal));
        if (f->pc)
            set_alarm();
        else
            write_waiting(); /* at once, so that the finding stands at the right place in the
                                program's output */
        return;
    }
    while (k < state.n_waiting && &state.equal[state.waiting[k].equal] != e)
        k++;
    if (k == state.n_waiting || !is_earlier(f, &state.waiting[k].f)) return;
    free(state.waiting[k].more);
    keep(&state.waiting[k], f, (size_t)(e - state.equal));
}

/* A hash that identifies the origin of an access: the instruction, and the stack of the call for
 * which it was made. */
static uint64_t point_of(uint64_t pc, const chk_stack_t *s)
{
    uint64_t sum = pc;
    for (uint32_t k = 0; s && k < s->n; k++)
        sum = sum * 31 + (uintptr_t)s->at[k];
    return sum;
}

void chk_report(const chk_finding_t *f)
{
    chk_place_t near;
    if (!(chk_wanted() & chk_kinds[f->kind].family)) return;
    const equal_t like = {
        .kind = f->kind,
        .point = point_of(f->pc, f->stack),
        .other = f->other.what ? point_of(f->other.pc, f->other.stack) : 0,
        .place = f->at_address && chk_near(f->memory, f->va - f->behind, &near) ? near.serial : 0};
    pthread_mutex_lock(&state.lock);
    state.used = true;
    take(f, &like);
    pthread_mutex_unlock(&state.lock);
}

/* ---- the end ---- */

static void add(chk_sum_t *to, const chk_sum_t *from)
{
    to->different += from->different;
    to->waves += from->waves;
    to->lanes += from->lanes;
}

static void name_unused(const chk_sum_t *rule)
{
    for (size_t k = 0; k < chk_rules_count(state.options.rules); k++)
        if (!rule[k].different)
            base_info("%s: nothing was suppressed by \"%s\"",
                      chk_rule_place(state.options.rules, k),
                      chk_rule_text(state.options.rules, k));
}

void chk_summary(void)
{
    if (!chk_wanted()) return;
    pthread_mutex_lock(&state.lock);
    write_waiting();
    const size_t n_rules = chk_rules_count(state.options.rules);
    chk_sum_t *rule = calloc(n_rules + 1, sizeof *rule);
    chk_total_t total = {.errors = state.n_errors,
                         .untold = state.untold,
                         .rules = rule ? state.options.rules : NULL,
                         .rule = rule,
                         .times = state.times,
                         .aborts = state.aborts,
                         .has_status = state.has_status,
                         .status = state.status};
    for (size_t k = 0; k < state.n; k++) {
        const equal_t *e = &state.equal[k];
        if (e->rule != CHK_NO_RULE) {
            if (rule) add(&rule[e->rule], &e->sum);
            continue;
        }
        add(&total.kind[e->kind], &e->sum);
        state.times[e->id - 1] = (chk_times_t){e->id, e->sum.waves, e->sum.lanes};
    }
    /* a forked child that only starts another program has nothing to report */
    if (!state.fork || state.used) state.writer->summary(&state.lines, &total);
    if (rule) name_unused(rule);
    free(rule);
    pthread_mutex_unlock(&state.lock);
}
