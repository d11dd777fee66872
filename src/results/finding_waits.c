/* finding_waits.c - the results of rocprofv3 waits for a job, as tables that rules of findings and
 * the page read.
 *
 * f_wait, one row for each finding of waits.h:
 *   kind: a word of wts_kinds; rank: whom it is about, -1: no single one
 *   ns, share: time that others wait, and its share of the time of all ranks; text: the sentence
 *
 * res_talk, how much each rank sends to each other. Ranks are combined to at most RES_TALK_GROUPS
 * groups, so that a page of a thousand ranks stays small:
 *   sender, receiver: the first rank of a group each
 *   messages, bytes: all from one group to the other
 *   ranks: how many ranks a group has, the same in all rows
 *
 * Without calls of MPI or RCCL nothing is read, and the tables are empty. */
#include "results/findings.h"

#include <stdlib.h>

#include "base/log.h"
#include "results/gather.h"
#include "waits/waits.h"

static const char tables[] =
    "DROP TABLE IF EXISTS temp.f_wait; DROP TABLE IF EXISTS temp.res_talk; "
    "CREATE TEMP TABLE f_wait(kind, rank, ns, share, text); "
    "CREATE TEMP TABLE res_talk(sender, receiver, messages, bytes, ranks)";

/* Returns whether there are calls of MPI, or of RCCL, whose collectives count as MPI's; -1 for an
 * error. */
static int calls_mpi(const db_t *db)
{
    db_cursor_t c;
    db_rows(&c, db, "SELECT 1 FROM res_call WHERE category IN ('MPI_API', 'RCCL_API') LIMIT 1", "");
    const int there = db_next(&c);
    return db_end(&c, "findings") == 0 ? there : -1;
}

static int put_findings(const db_t *db, const wts_t *w)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < w->finding_count; i++) {
        const wts_finding_t *f = &w->findings[i];
        const int rank = f->rank < 0 ? -1 : w->ranks[f->rank].rank;
        result = db_runf(db, "findings", "INSERT INTO f_wait VALUES (%Q, %d, %lld, %!.9g, %Q)",
                         wts_kinds[f->kind], rank, (long long)f->ns, f->share, f->text);
    }
    return result;
}

/* Returns the number of ranks in a group. Ranks are numbered up to the highest that is there. */
static uint32_t ranks_per_group(const wts_t *w)
{
    uint32_t ranks = 1;
    for (size_t i = 0; i < w->rank_count; i++)
        if (w->ranks[i].rank >= 0 && (uint32_t)w->ranks[i].rank >= ranks)
            ranks = (uint32_t)w->ranks[i].rank + 1;
    return (ranks + RES_TALK_GROUPS - 1) / RES_TALK_GROUPS;
}

static int put_talk(const db_t *db, const wts_t *w)
{
    const uint32_t ranks = ranks_per_group(w); /* `rank / ranks` is the number of a rank's group */
    wts_pair_t *sums = calloc(RES_TALK_GROUPS * RES_TALK_GROUPS, sizeof(*sums));
    int result = sums ? 0 : -1;
    if (!sums) base_error("findings: no memory");
    for (size_t i = 0; sums && i < w->pair_count; i++) {
        const int32_t from = w->ranks[w->pairs[i].from].rank, to = w->ranks[w->pairs[i].to].rank;
        if (from < 0 || to < 0) continue;
        wts_pair_t *sum = &sums[(uint32_t)from / ranks * RES_TALK_GROUPS + (uint32_t)to / ranks];
        sum->messages += w->pairs[i].messages;
        sum->bytes += w->pairs[i].bytes;
    }
    for (uint32_t i = 0; result == 0 && i < RES_TALK_GROUPS * RES_TALK_GROUPS; i++)
        if (sums[i].messages)
            result = db_runf(db, "findings", "INSERT INTO res_talk VALUES (%u, %u, %lld, %lld, %u)",
                             i / RES_TALK_GROUPS * ranks, i % RES_TALK_GROUPS * ranks,
                             (long long)sums[i].messages, (long long)sums[i].bytes, ranks);
    free(sums);
    return result;
}

int res_finding_waits(res_run_t *r)
{
    wts_t w;
    if (db_run(r->db, tables, "findings") != 0) return -1;
    const int there = calls_mpi(r->db);
    if (there <= 0) return there;
    /* false: several runs of a rank are usual here, as with counters; one is read, without a word */
    int result = wts_read(&w, &r->files, false);
    if (result == 0) result = put_findings(r->db, &w);
    if (result == 0) result = put_talk(r->db, &w);
    wts_free(&w);
    return result;
}
