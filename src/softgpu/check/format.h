/* format.h - the formats of the report: a row of functions for each.
 *
 * All functions are called under the lock of report.c. After each call the output is complete,
 * since the program may be killed between two findings. */
#ifndef SOFTGPU_CHECK_FORMAT_H
#define SOFTGPU_CHECK_FORMAT_H

#include "base/lines.h"
#include "softgpu/check/options.h"
#include "softgpu/check/details.h"

/* Counts of findings: of one kind, or of those that one rule has suppressed. */
typedef struct {
    uint64_t different, waves, lanes;
} chk_sum_t;

/* Counts of the whole process, so far or at its end. */
typedef struct {
    uint64_t errors;                /* different findings that were not suppressed */
    uint64_t untold;                /* findings that were dropped because the table was full */
    chk_sum_t kind[CHK_KIND_COUNT]; /* by kind, of findings that were not suppressed */
    const chk_rules_t *rules;
    const chk_sum_t *rule;    /* by rule, of findings that it has suppressed */
    const chk_times_t *times; /* by error; index: its id - 1 */
    bool aborts;              /* the process ends by abort */
    bool has_status;
    int status; /* exit status of the process */
} chk_total_t;

typedef struct {
    /* Writes a finding, the first of its equals. */
    void (*finding)(base_lines_t *l, const chk_details_t *t, const chk_times_t *times);
    /* Writes the summary: the process ends. */
    void (*summary)(base_lines_t *l, const chk_total_t *total);
    /* Called in a forked child, which has written nothing yet. */
    void (*forked)(void);
} chk_writer_t;

extern const chk_writer_t chk_text_writer, chk_json_writer, chk_sarif_writer;

/* Whether another process of the run may write as well, so that each line has to name its
 * process. */
bool chk_among_others(void);

/* Writes the lines of a finding, without "softgpu: error: ". */
void chk_text_write(FILE *f, const chk_details_t *t, const chk_times_t *times);

/* ---- json.c: for the formats based on JSON ---- */

/* Writes the rule that would suppress the finding, as a JSON string. */
void chk_json_rule(FILE *f, const chk_details_t *t);

#endif
