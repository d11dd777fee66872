/* summary.c - see summary.h. Widths and number formats are those of rocprofv3's tables. */
#include "output/summary.h"

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

static void spaces(out_file_t *f, size_t count, char c)
{
    while (count--)
        out_char(f, c);
}

/* If the padding is odd, the larger half is behind the text. */
static void centred(out_file_t *f, const char *text, size_t width)
{
    size_t bytes = strlen(text), pad = width > bytes ? width - bytes : 0;
    spaces(f, pad / 2, ' ');
    out_text(f, text);
    spaces(f, pad - pad / 2, ' ');
}

static void left(out_file_t *f, const char *text, size_t width)
{
    size_t bytes = strlen(text);
    out_text(f, text);
    if (width > bytes) spaces(f, width - bytes, ' ');
}

static void header(out_file_t *f, const out_config_t *c, const char *indent, const size_t widths[9])
{
    char duration[32], average[32], least[32], most[32];
    snprintf(duration, sizeof(duration), "DURATION (%s)", c->unit);
    snprintf(average, sizeof(average), "AVERAGE (%s)", c->unit);
    snprintf(least, sizeof(least), "MIN (%s)", c->unit);
    snprintf(most, sizeof(most), "MAX (%s)", c->unit);
    const char *const titles[9] = {"NAME",          "DOMAIN", "CALLS", duration, average,
                                   "PERCENT (INC)", least,    most,    "STDDEV"};
    out_text(f, indent);
    for (int i = 0; i < 9; i++) {
        out_text(f, i ? " | " : "| ");
        centred(f, titles[i], widths[i]);
    }
    out_format(f, " |\n%s", indent);
    for (int i = 0; i < 9; i++) {
        out_text(f, i ? "-|-" : "|-");
        spaces(f, widths[i], '-');
    }
    out_text(f, "-|\n");
}

/* Writes a time in the table's unit: nanoseconds as integers, other units as the shortest decimal
 * number that gives the value back. */
static void time_cell(out_file_t *f, const out_config_t *c, sum_total_t ns)
{
    char text[40];
    if (c->unit_ns == 1) {
        snprintf(text, sizeof(text), "%llu", (unsigned long long)ns);
    } else {
        double value = (double)ns / (double)c->unit_ns;
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof(text), "%.*g", digits, value);
            if (strtod(text, NULL) == value) break;
        }
    }
    out_format(f, "%*s | ", WIDTH, text);
}

static void row(out_file_t *f, const out_config_t *c, const char *indent, const size_t widths[9],
                const sum_row_t *r, const sum_t *whole)
{
    double unit = (double)c->unit_ns;
    out_format(f, "%s| ", indent);
    left(f, r->name, widths[0]);
    out_text(f, " | ");
    left(f, out_domains[r->group].name, widths[1]);
    out_format(f, " | %*llu | ", WIDTH, (unsigned long long)r->sum.count);
    time_cell(f, c, r->sum.total);
    out_format(f, "%*.3e | %*.6f | ", WIDTH, sum_mean(&r->sum) / unit, PERCENT_WIDTH,
               100 * sum_share(&r->sum, whole));
    time_cell(f, c, r->sum.least);
    time_cell(f, c, r->sum.most);
    out_format(f, "%*.3e |\n", WIDTH, sum_deviation(&r->sum) / unit);
}

/* Writes one table of the domains whose bits are set. */
static int table(out_file_t *f, const out_config_t *c, const char *indent, const char *label,
                 const sums_t stats[OUT_DOMAIN_COUNT], unsigned domains)
{
    int result = -1;
    sums_t all = {0};
    size_t widths[9] = {NAME_WIDTH,    DOMAIN_WIDTH, WIDTH, WIDTH, WIDTH,
                        PERCENT_WIDTH, WIDTH,        WIDTH, WIDTH};
    for (int i = 0; i < OUT_DOMAIN_COUNT; i++) {
        if (!(domains & 1u << i) || !stats[i].count) continue;
        for (size_t j = 0; j < stats[i].count; j++) {
            const sum_row_t *r = &stats[i].rows[j];
            if (sums_merge(&all, i, r->name, &r->sum) != 0) goto out;
            if (strlen(r->name) > widths[0]) widths[0] = strlen(r->name);
        }
        if (strlen(out_domains[i].name) > widths[1]) widths[1] = strlen(out_domains[i].name);
    }
    result = 0;
    if (!all.count) goto out;
    sums_sort(&all);
    const sum_t whole = sums_whole(&all);
    out_format(f, "\n%sROCPROFV3 %s:\n\n", indent, label);
    header(f, c, indent, widths);
    for (size_t i = 0; i < all.count; i++)
        row(f, c, indent, widths, &all.rows[i], &whole);
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
