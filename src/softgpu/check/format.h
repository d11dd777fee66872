/* format.h - the formats of the report: a row of functions for each.
 *
 * All are called under the report's lock. What is written is whole at any time: a program may be
 * killed between two findings. */
#ifndef SOFTGPU_CHECK_FORMAT_H
#define SOFTGPU_CHECK_FORMAT_H

#include "base/lines.h"
#include "softgpu/check/options.h"
#include "softgpu/check/told.h"

/* Of a kind, or of what a rule has suppressed. */
typedef struct {
    uint64_t different, waves, lanes;
} chk_sum_t;

/* What there was, or has been so far. */
typedef struct {
    uint64_t errors;                /* different ones that were not suppressed */
    uint64_t untold;                /* findings for which there was no room */
    chk_sum_t kind[CHK_KIND_COUNT]; /* of those that were not suppressed */
    const chk_rules_t *rules;
    const chk_sum_t *rule;    /* by rule */
    const chk_times_t *times; /* of each error, by its id - 1 */
    bool aborts;              /* the process does */
    bool has_status;
    int status; /* of the process */
} chk_total_t;

typedef struct {
    /* The first of equal findings. */
    void (*finding)(base_lines_t *l, const chk_told_t *t, const chk_times_t *times);
    /* The process ends. */
    void (*summary)(base_lines_t *l, const chk_total_t *total);
    /* This process is a fork, and has written nothing. */
    void (*forked)(void);
} chk_writer_t;

extern const chk_writer_t chk_text_writer, chk_json_writer, chk_sarif_writer;

/* True: another process of the run may write, too: lines say whose they are. */
bool chk_among_others(void);

/* The lines of a finding, without "softgpu: error: ". */
void chk_text_write(FILE *f, const chk_told_t *t, const chk_times_t *times);

/* ---- json.c, for the formats that are JSON ---- */

/* The rule that suppresses the finding, between quotes. */
void chk_json_rule(FILE *f, const chk_told_t *t);

#endif
