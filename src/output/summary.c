/* summary.c - see summary.h. Widths and number formats are those of rocprofv3's tables. */
#include "output/summary.h"

#include "base/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 40, DOMAIN_WIDTH = 12, WIDTH = 15, PERCENT_WIDTH = 13 };

void out_stat_float(char *text, size_t bytes, double value)
{
    snprintf(text, bytes, value > 0.01 ? "%.6f" : "%.8e", value);
}

void out_stat_percentage(char *text, size_t bytes, double value)
{
    snprintf(text, bytes, value >= 1 ? "%.2f" : value > 0.01 ? "%.4f" : "%.3e", value);
}

void out_stats_csv(out_file_t *f, const sums_t *stats)
{
    const sum_t whole = sums_whole(stats);
    char mean[64], percent[64], deviation[64];
    out_text(f, "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\",\"MinNs\","
                "\"MaxNs\",\"StdDev\"\n");
    for (size_t i = 0; i < stats->count; i++) {
        const sum_t *r = &stats->rows[i].sum;
        out_stat_float(mean, sizeof(mean), sum_mean(r));
        out_stat_percentage(percent, sizeof(percent), 100 * sum_share(r, &whole));
        out_stat_float(deviation, sizeof(deviation), sum_deviation(r));
        out_quoted(f, stats->rows[i].name);
        out_format(f, ",%llu,%llu,%s,%s,%llu,%llu,%s\n", (unsigned long long)r->count,
                   (unsigned long long)r->total, mean, percent, (unsigned long long)r->least,
                   (unsigned long long)r->most, deviation);
    }
}

int out_domain_stats_csv(out_file_t *f, const sums_t stats[OUT_DOMAIN_COUNT])
{
    int result = -1;
    sums_t domains = {0};
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++) {
        if (!stats[i].count) continue;
        const sum_t sum = sums_whole(&stats[i]);
        if (sums_merge(&domains, i, out_domains[i].name, &sum) != 0) goto out;
    }
    sums_sort(&domains);
    out_stats_csv(f, &domains);
    result = 0;
out:
    sums_free(&domains);
    return result;
}

/* ---- tables on a terminal ---- */

enum { COLUMNS = 9, CELL_BYTES = 40 };

static void put(void *to, const char *text)
{
    out_text(to, text);
}

static void line(out_file_t *f, const char *indent, const base_column_t shape[COLUMNS],
                 const char *const cells[COLUMNS])
{
    static const base_frame_t frame = {"| ", " | ", " |\n"};
    out_text(f, indent);
    base_table_line(shape, COLUMNS, cells, &frame, put, f);
}

static void header(out_file_t *f, const out_config_t *c, const char *indent,
                   const base_column_t shape[COLUMNS])
{
    static const char *const titles[] = {"DURATION (%s)", "AVERAGE (%s)", "MIN (%s)", "MAX (%s)"};
    char timed[4][CELL_BYTES];
    base_column_t centred[COLUMNS];
    for (size_t i = 0; i < 4; i++)
        snprintf(timed[i], sizeof timed[i], titles[i], c->unit);
    for (size_t i = 0; i < COLUMNS; i++)
        centred[i] = (base_column_t){shape[i].width, BASE_CENTRE};
    line(f, indent, centred,
         (const char *const[]){"NAME", "DOMAIN", "CALLS", timed[0], timed[1], "PERCENT (INC)",
                               timed[2], timed[3], "STDDEV"});
    out_text(f, indent);
    for (size_t i = 0; i < COLUMNS; i++) {
        out_text(f, i ? "-|-" : "|-");
        for (size_t n = 0; n < shape[i].width; n++)
            out_char(f, '-');
    }
    out_text(f, "-|\n");
}

/* Writes a time in the table's unit: nanoseconds as integers, other units as the shortest decimal
 * number from which the value can be restored. */
static void time_cell(char text[CELL_BYTES], const out_config_t *c, sum_total_t ns)
{
    const double value = (double)ns / (double)c->unit_ns;
    if (c->unit_ns == 1) snprintf(text, CELL_BYTES, "%llu", (unsigned long long)ns);
    for (int digits = 15; c->unit_ns != 1 && digits <= 17; digits++) {
        snprintf(text, CELL_BYTES, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
}

static void row(out_file_t *f, const out_config_t *c, const char *indent,
                const base_column_t shape[COLUMNS], const sum_row_t *r, const sum_t *whole)
{
    const double unit = (double)c->unit_ns;
    char calls[CELL_BYTES], total[CELL_BYTES], mean[CELL_BYTES], percent[CELL_BYTES],
        least[CELL_BYTES], most[CELL_BYTES], deviation[CELL_BYTES];
    snprintf(calls, sizeof calls, "%llu", (unsigned long long)r->sum.count);
    snprintf(mean, sizeof mean, "%.3e", sum_mean(&r->sum) / unit);
    snprintf(percent, sizeof percent, "%.6f", 100 * sum_share(&r->sum, whole));
    snprintf(deviation, sizeof deviation, "%.3e", sum_deviation(&r->sum) / unit);
    time_cell(total, c, r->sum.total);
    time_cell(least, c, r->sum.least);
    time_cell(most, c, r->sum.most);
    line(f, indent, shape,
         (const char *const[]){r->name, out_domains[r->group].name, calls, total, mean, percent,
                               least, most, deviation});
}

/* Writes one table of the domains whose bits are set. */
static int table(out_file_t *f, const out_config_t *c, const char *indent, const char *label,
                 const sums_t stats[OUT_DOMAIN_COUNT], unsigned domains)
{
    int result = -1;
    sums_t all = {0};
    base_column_t shape[COLUMNS] = {
        {NAME_WIDTH, BASE_LEFT}, {DOMAIN_WIDTH, BASE_LEFT}, {WIDTH, BASE_RIGHT},
        {WIDTH, BASE_RIGHT},     {WIDTH, BASE_RIGHT},       {PERCENT_WIDTH, BASE_RIGHT},
        {WIDTH, BASE_RIGHT},     {WIDTH, BASE_RIGHT},       {WIDTH, BASE_RIGHT},
    };
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++) {
        if (!(domains & 1u << i) || !stats[i].count) continue;
        for (size_t j = 0; j < stats[i].count; j++) {
            const sum_row_t *r = &stats[i].rows[j];
            if (sums_merge(&all, i, r->name, &r->sum) != 0) goto out;
            base_column_fit(&shape[0], r->name);
        }
        base_column_fit(&shape[1], out_domains[i].name);
    }
    result = 0;
    if (!all.count) goto out;
    sums_sort(&all);
    const sum_t whole = sums_whole(&all);
    out_format(f, "\n%sROCPROFV3 %s:\n\n", indent, label);
    header(f, c, indent, shape);
    for (size_t i = 0; i < all.count; i++)
        row(f, c, indent, shape, &all.rows[i], &whole);
    out_char(f, '\n');
out:
    sums_free(&all);
    return result;
}

static int group_table(out_file_t *f, const out_config_t *c, const char *indent,
                       const trace_pattern_t *group, const sums_t stats[OUT_DOMAIN_COUNT])
{
    char label[256] = "";
    unsigned domains = 0;
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++) {
        if (!stats[i].count || !trace_pattern_matches(group, out_domains[i].name)) continue;
        size_t used = strlen(label);
        snprintf(label + used, sizeof(label) - used, "%s%s", domains ? " + " : "",
                 out_domains[i].name);
        domains |= 1u << i;
    }
    size_t used = strlen(label);
    snprintf(label + used, sizeof(label) - used, " SUMMARY");
    return domains ? table(f, c, indent, label, stats, domains) : 0;
}

int out_summaries(out_file_t *f, const out_config_t *c, const sums_t stats[OUT_DOMAIN_COUNT],
                  const char *indent)
{
    char label[64];
    int result = 0;
    for (int i = 0; c->summary_per_domain && i < OUT_DOMAIN_COUNT; i++) {
        snprintf(label, sizeof(label), "%s SUMMARY", out_domains[i].name);
        result |= table(f, c, indent, label, stats, 1u << i);
    }
    for (int i = 0; i < c->group_count; i++)
        result |= group_table(f, c, indent, c->groups[i], stats);
    if (c->summary) result |= table(f, c, indent, "SUMMARY", stats, (1u << OUT_DOMAIN_COUNT) - 1);
    return result;
}
