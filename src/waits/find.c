/* find.c - the results for all ranks: how kernels and phases are spread over them, and the
 * findings. A finding must be larger than the random differences between equal ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/internal.h"

/* Smaller parts of the time of all ranks, and smaller delays each time, count as random. */
static const double least_share = 0.03, least_late_ns = 200000;
enum { LEAST_BARRIERS = 3, LEAST_TIMES = 3 };
/* If steps are short, shorter delays count, too, if one rank causes them regularly: at least this
 * long, at least this often, and with at least this part of the critical path. */
static const double least_regular_ns = 10000, regular_path = 0.67, regular_often = 0.5;
enum { REGULAR_TIMES = 10 };
/* Of equal ranks each comes last in an equal share of the collectives. A rank for which there is a
 * finding must come last more often than that by this share of the collectives. With few
 * collectives, it must also exceed the random frequency by this many standard deviations, which one
 * of twenty ranks does by chance. */
static const double more_often = 0.15, deviations = 2;

/* ---- spreads ---- */

typedef struct {
    const wts_time_t *(*time)(const wts_rank_t *r, size_t number);
    const wts_words_t *names;
} measured_t;

static const wts_time_t *kernel_time(const wts_rank_t *r, size_t number)
{
    static const wts_time_t none;
    return number < r->kernel_room ? &r->kernels[number] : &none;
}

static const wts_time_t *phase_time(const wts_rank_t *r, size_t number)
{
    static const wts_time_t none;
    return number < r->phase_room ? &r->phases[number] : &none;
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof(*values), by_number);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

static int by_most(const void *a, const void *b)
{
    const wts_spread_t *x = a, *y = b;
    return x->mean_ns < y->mean_ns ? 1 : x->mean_ns > y->mean_ns ? -1 : strcmp(x->name, y->name);
}

static wts_spread_t *spreads(const wts_t *w, measured_t m, double *values)
{
    wts_spread_t *rows = calloc(m.names->count + 1, sizeof(*rows));
    for (size_t n = 0; rows && n < m.names->count; n++) {
        wts_spread_t *s = &rows[n];
        *s = (wts_spread_t){.name = m.names->rows[n], .most = -1};
        for (size_t i = 0; i < w->rank_count; i++) {
            const wts_time_t *t = m.time(&w->ranks[i], n);
            values[i] = (double)t->ns;
            s->calls += t->count;
            s->mean_ns += values[i] / (double)w->rank_count;
            if (s->most >= 0 && values[i] <= s->most_ns) continue;
            s->most_ns = values[i];
            s->most = (int32_t)i;
        }
        s->median_ns = median_of(values, w->rank_count);
    }
    if (rows) qsort(rows, m.names->count, sizeof(*rows), by_most);
    return rows;
}

/* ---- texts ---- */

static void put_time(char *text, size_t room, double ns)
{
    if (ns >= 1e9)
        snprintf(text, room, "%.2f s", ns / 1e9);
    else if (ns >= 1e6)
        snprintf(text, room, "%.1f ms", ns / 1e6);
    else
        snprintf(text, room, "%.0f us", ns / 1e3);
}

typedef struct {
    double excess; /* how many ns above the median of all ranks */
    double ratio;
    char text[256];
} reason_t;

/* Finds the kernel or phase in which the rank exceeds the median of all ranks most. */
static void find_excess(const wts_t *w, uint32_t rank, const measured_t *m, const char *what,
                        double *values, reason_t *best)
{
    for (size_t n = 0; n < m->names->count; n++) {
        const wts_time_t *own = m->time(&w->ranks[rank], n);
        double counts = 0;
        for (size_t i = 0; i < w->rank_count; i++) {
            values[i] = (double)m->time(&w->ranks[i], n)->ns;
            counts += (double)m->time(&w->ranks[i], n)->count / (double)w->rank_count;
        }
        const double median = median_of(values, w->rank_count);
        const double excess = (double)own->ns - median;
        if (excess <= best->excess) continue;
        best->excess = excess;
        best->ratio = median > 0 ? (double)own->ns / median : 0;
        const bool often = (double)own->count > 1.05 * counts;
        if (median <= 0)
            snprintf(best->text, sizeof(best->text), "only it has %s %s", what, m->names->rows[n]);
        else
            snprintf(best->text, sizeof(best->text), "its %s %.160s takes %.2g x the median%s",
                     what, m->names->rows[n], best->ratio, often ? ", as it has more of them" : "");
    }
}

/* Describes what distinguishes the rank: the part of its time that exceeds the median most, if that
 * explains half of its delay. */
static void explain(const wts_t *w, uint32_t rank, const measured_t measured[2], double late_ns,
                    double *values, char *text, size_t room)
{
    const wts_rank_t *own = &w->ranks[rank];
    reason_t kernel = {0}, phase = {0};
    find_excess(w, rank, &measured[0], "kernel", values, &kernel);
    find_excess(w, rank, &measured[1], "time without MPI in the range", values, &phase);
    for (size_t i = 0; i < w->rank_count; i++)
        values[i] = (double)w->ranks[i].copies.ns;
    const double usual = median_of(values, w->rank_count);
    const double copies = (double)own->copies.ns - usual;
    for (size_t i = 0; i < w->rank_count; i++)
        values[i] = (double)(w->ranks[i].last - w->ranks[i].first - w->ranks[i].mpi_ns);
    const double host = median_of(values, w->rank_count);
    const double own_host = (double)(own->last - own->first - own->mpi_ns);
    if (kernel.excess > 0.5 * late_ns && kernel.excess >= copies)
        snprintf(text, room, "%s", kernel.text);
    else if (copies > 0.5 * late_ns && usual > 0)
        snprintf(text, room, "its copies take %.2g x the median", (double)own->copies.ns / usual);
    else if (copies > 0.5 * late_ns)
        snprintf(text, room, "it copies, and most others do not");
    else if (phase.excess > 0.5 * late_ns)
        snprintf(text, room, "%s", phase.text);
    else if (host > 0 && own_host > 1.05 * host)
        snprintf(text, room, "its time outside of MPI is %.2g x the median", own_host / host);
    else
        snprintf(text, room, "what it does differently is not in the trace");
}

/* ---- findings ---- */

static void add(wts_state_t *s, wts_kind_t kind, int32_t rank, uint64_t ns, const char *text)
{
    wts_t *w = s->w;
    char *copy = strdup(text);
    if (!copy || !BASE_GROW_BY_ONE(w->findings, w->finding_count)) {
        s->failed = true;
        free(copy);
        return;
    }
    w->findings[w->finding_count++] =
        (wts_finding_t){.kind = kind,
                        .rank = rank,
                        .ns = ns,
                        .share = w->total_ns ? (double)ns / (double)w->total_ns : 0,
                        .text = copy};
}

static bool matters(const wts_t *w, uint64_t ns, double each)
{
    return w->total_ns && (double)ns > least_share * (double)w->total_ns && each > least_late_ns;
}

/* The same for short delays, if the job waits for one rank repeatedly: `times` of `of` delays.
 * Delays below the error of the clocks of several nodes do not count. */
static bool matters_regularly(const wts_t *w, const wts_rank_t *r, uint64_t ns, double each,
                              uint64_t times, uint64_t of)
{
    return w->total_ns && (double)ns > least_share * (double)w->total_ns &&
           each > least_regular_ns && !w->clocks_guessed && each > 2 * (double)w->clock_error_ns &&
           times >= REGULAR_TIMES && (double)times >= regular_often * (double)of &&
           (double)r->path_ns >= regular_path * (double)w->path.ns;
}

/* Returns in how many collectives a rank must come last to do so more often than by chance. */
static double often(const wts_t *w)
{
    const double chance = 1.0 / (double)w->rank_count, count = (double)w->instances;
    const double spread = deviations * sqrt(chance * (1 - chance) / count);
    return (chance + (spread > more_often ? spread : more_often)) * count;
}

/* Returns whether a single rank causes the waits, or each rank keeps the others waiting from time
 * to time. */
static bool stands_out(const wts_t *w, uint64_t own, wts_cause_t cause)
{
    uint64_t all = 0;
    for (size_t i = 0; i < w->rank_count; i++)
        all += w->ranks[i].rooted_ns[cause];
    return (double)own > 1.5 * (double)all / (double)w->rank_count;
}

static void find_late(wts_state_t *s, uint32_t rank, const measured_t measured[2], double *values)
{
    const wts_t *w = s->w;
    const wts_rank_t *r = &w->ranks[rank];
    char text[640], late[32], reason[320];
    const double each = r->delays ? (double)r->delay_ns / (double)r->delays : 0;
    const uint64_t ns = r->rooted_ns[WTS_IN_COLLECTIVE];
    /* else other ranks come last, which wait for it */
    const bool itself = 2 * r->last_in >= r->delays;
    if (!matters(w, ns, each) && !matters_regularly(w, r, ns, each, r->delays, w->instances))
        return;
    if (!stands_out(w, ns, WTS_IN_COLLECTIVE)) return;
    if ((double)r->delay_first_ns > 0.8 * (double)r->delay_ns) {
        put_time(late, sizeof(late), (double)r->delay_first_ns);
        snprintf(text, sizeof(text),
                 "rank %d starts %s late: the others wait for it in their first collective",
                 r->rank, late);
        add(s, WTS_COLLECTIVE, (int32_t)rank, ns, text);
        return;
    }
    if (r->delays < LEAST_TIMES || (double)r->delays < often(w)) return;
    explain(w, rank, measured, (double)r->delay_ns, values, reason, sizeof(reason));
    put_time(late, sizeof(late), each);
    snprintf(text, sizeof(text), "rank %d %s %s%s in %s%llu collective%s%s: %s", r->rank,
             itself ? "arrives" : "keeps the others waiting", late, itself ? " late" : "",
             r->delays > 1 ? "each of " : "", (unsigned long long)r->delays,
             r->delays == 1 ? "" : "s", itself ? "" : ", through ranks that wait for it", reason);
    add(s, WTS_COLLECTIVE, (int32_t)rank, ns, text);
}

static void find_messages(wts_state_t *s, uint32_t rank, bool sends)
{
    const wts_t *w = s->w;
    const wts_rank_t *r = &w->ranks[rank];
    const uint64_t own = sends ? r->late_send_ns : r->late_receive_ns;
    const wts_cause_t cause = sends ? WTS_IN_RECEIVE : WTS_IN_SEND;
    const uint64_t ns = r->rooted_ns[cause];
    const uint64_t count = sends ? r->late_sends : r->late_receives;
    const double each = count ? (double)own / (double)count : 0;
    char text[640], late[32], all[32];
    if (!matters(w, ns, each) && !matters_regularly(w, r, ns, each, count, count)) return;
    if (!stands_out(w, ns, cause)) return;
    put_time(late, sizeof(late), each);
    put_time(all, sizeof(all), (double)ns);
    snprintf(text, sizeof(text), "rank %d %s %s late in %llu message%s: others wait %s for it",
             r->rank, sends ? "sends" : "begins to receive", late, (unsigned long long)count,
             count == 1 ? "" : "s", all);
    if (r->victim >= 0) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used, ", rank %d most of all",
                 w->ranks[r->victim].rank);
    }
    add(s, sends ? WTS_SENDER : WTS_RECEIVER, (int32_t)rank, ns, text);
}

/* Adds a finding for a phase in which one rank has more work than the others. Its cost is at most
 * the time for which the others have waited for that rank. */
static void find_phase(wts_state_t *s, const wts_spread_t *p)
{
    const wts_t *w = s->w;
    double lost = (p->most_ns - p->mean_ns) * (double)w->rank_count;
    char text[640], more[32];
    uint64_t awaited = 0;
    for (size_t i = 0; i < w->finding_count; i++) {
        const wts_finding_t *f = &w->findings[i];
        if (f->rank == p->most && f->kind != WTS_PHASE && f->ns > awaited) awaited = f->ns;
    }
    if (!awaited) return; /* no rank waits for it */
    if (lost > (double)awaited) lost = (double)awaited;
    if (p->median_ns <= 0 || p->most_ns < 1.15 * p->median_ns) return;
    if (!matters(w, (uint64_t)lost, p->most_ns - p->median_ns)) return;
    put_time(more, sizeof(more), p->most_ns - p->median_ns);
    snprintf(text, sizeof(text),
             "range %.160s: rank %d takes %.2g x the median without MPI, %s more in all", p->name,
             w->ranks[p->most].rank, p->most_ns / p->median_ns, more);
    add(s, WTS_PHASE, p->most, (uint64_t)lost, text);
}

static void find_barrier(wts_state_t *s, const wts_collective_t *c)
{
    char text[640], time[32], name[32];
    if (c->direct < LEAST_BARRIERS || 2 * c->direct < c->count || c->between) return;
    trace_mpi_communicator(c->communicator, name);
    put_time(time, sizeof(time), (double)c->direct_ns);
    snprintf(text, sizeof(text),
             "%s on %s stands right behind another collective %llu times in each rank and orders "
             "nothing more: %s of all ranks",
             c->function, name, (unsigned long long)c->direct, time);
    add(s, WTS_BARRIER, -1, c->direct_ns, text);
}

static int by_time(const void *a, const void *b)
{
    const wts_finding_t *x = a, *y = b;
    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : (int)x->kind - (int)y->kind;
}

static int by_total(const void *a, const void *b)
{
    const wts_collective_t *x = a, *y = b;
    return x->total_ns < y->total_ns ? 1 : x->total_ns > y->total_ns ? -1 : 0;
}

bool wts_find(wts_state_t *s)
{
    wts_t *w = s->w;
    const measured_t measured[2] = {{kernel_time, &w->names->kernels},
                                    {phase_time, &w->names->phases}};
    double *values = calloc(w->rank_count + 1, sizeof(*values));
    if (!values) return false;
    for (size_t i = 0; i < w->rank_count; i++) {
        w->total_ns += w->ranks[i].last - w->ranks[i].first;
        if (w->ranks[i].size > (int64_t)w->rank_count)
            w->missing = (uint64_t)w->ranks[i].size - w->rank_count;
    }
    w->kernels = spreads(w, measured[0], values);
    w->phases = spreads(w, measured[1], values);
    w->kernel_count = w->kernels ? w->names->kernels.count : 0;
    /* kernels that never ran are not counted */
    while (w->kernel_count && !w->kernels[w->kernel_count - 1].calls)
        w->kernel_count--;
    w->phase_count = w->phases ? w->names->phases.count : 0;
    for (uint32_t i = 0; i < w->rank_count; i++) {
        find_late(s, i, measured, values);
        find_messages(s, i, true);
        find_messages(s, i, false);
    }
    for (size_t i = 0; i < w->phase_count; i++)
        find_phase(s, &w->phases[i]);
    for (size_t i = 0; i < w->collective_count; i++)
        find_barrier(s, &w->collectives[i]);
    if (w->finding_count) qsort(w->findings, w->finding_count, sizeof(*w->findings), by_time);
    if (w->collective_count)
        qsort(w->collectives, w->collective_count, sizeof(*w->collectives), by_total);
    free(values);
    return w->kernels && w->phases && !s->failed;
}
