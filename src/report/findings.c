/* findings.c - see findings.h. The databases are opened a second time, since rules see all
 * processes at once, while a report reads one process after the other. */
#include "report/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "results/findings.h"

/* The text of a finding and, behind it, those of the findings that follow from it. NULL without
 * memory. */
static char *whole_text(const res_finding_t *f)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to) return NULL;
    fputs(f->text, to);
    if (f->also_count) fprintf(to, " The same of %zu more.", f->also_count);
    for (size_t i = 0; i < f->beneath_count; i++)
        fprintf(to, " So, too: %s", f->beneath[i].text);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

static void add(rep_run_t *run, rep_names_t *names, const res_finding_t *f)
{
    rep_finding_t *to = REP_NEXT(&run->findings);
    char *text = whole_text(f);
    if (!to || !text) {
        run->failed = true;
        free(text);
        return;
    }
    *to = (rep_finding_t){.rule = rep_name(names, f->rule, &run->failed),
                          .title = rep_name(names, f->title, &run->failed),
                          .subject = rep_name(names, f->subject, &run->failed),
                          .kernel = rep_name(names, f->kernel, &run->failed),
                          .text = rep_name(names, text, &run->failed),
                          .advice = rep_name(names, f->advice, &run->failed),
                          .more = rep_name(names, f->more, &run->failed),
                          .kind = rep_name(names, res_class_names[f->class_], &run->failed),
                          .weight = f->weight};
    free(text);
}

static int find(rep_run_t *run, rep_names_t *names, res_run_t *databases)
{
    res_values_t values;
    res_findings_t found;
    if (res_values(databases, &values) != 0) return -1;
    int result = res_findings(databases, &values, &found);
    if (result == 0) {
        for (size_t i = 0; i < found.count; i++)
            add(run, names, &found.rows[i]);
        res_findings_free(&found);
        if (run->failed) {
            base_error("out of memory");
            result = -1;
        }
    }
    res_values_free(&values);
    return result;
}

int rep_findings(rep_run_t *run, rep_names_t *names, const rep_input_t *input)
{
    res_run_t databases;
    if (res_run_open(&databases, input->paths, input->count) != 0) return -1;
    databases.whole = true;
    int result = find(run, names, &databases);
    res_run_close(&databases);
    return result;
}
