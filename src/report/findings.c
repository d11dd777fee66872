/* findings.c - see findings.h. The databases are opened here and again in read.c, because rules
 * read all processes at once, while a report reads one process after the other. */
#include "report/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "results/findings.h"

/* Returns the text of a finding followed by the texts of the findings beneath it; NULL without
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

int rep_find(rep_found_t *found, const rep_input_t *input)
{
    res_run_t *r = &found->databases;
    if (res_run_open(r, input->paths, input->count) != 0) return -1;
    r->whole = r->bins = true;
    if (res_values(r, &found->values) == 0) {
        if (res_findings(r, &found->values, &found->findings) == 0) return 0;
        res_values_free(&found->values);
    }
    res_run_close(r);
    return -1;
}

void rep_found_close(rep_found_t *found)
{
    res_findings_free(&found->findings);
    res_values_free(&found->values);
    res_run_close(&found->databases);
}

int rep_add_findings(rep_run_t *run, rep_names_t *names, const rep_found_t *found)
{
    for (size_t i = 0; i < found->findings.count; i++)
        add(run, names, &found->findings.rows[i]);
    if (!run->failed) return 0;
    base_error("out of memory");
    return -1;
}
