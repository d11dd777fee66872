/* show.c - see show.h. A column of the ranks is a row of `columns`. */
#include "waits/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/table.h"
#include "trace/mpi.h"

enum { RANKS_SHOWN = 20, ROWS_SHOWN = 12, PATH_RANKS = 4, CELL = 40 };

/* ORDER: the columns of CSV files and JSON. */
static const struct {
    const char *name, *head; /* `head`: of the text, where times are in ms; NULL: the column is not
                              * in the text */
    size_t offset;
    enum { COUNT, BYTES, TIME } form;
} columns[] = {
#define COLUMN(member, head, form) {#member, head, offsetof(wts_rank_t, member), form},
    COLUMN(calls, "calls", COUNT)                     /* */
    COLUMN(mpi_ns, "in MPI", TIME)                    /* */
    COLUMN(collective_ns, "waits: collectives", TIME) /* */
    COLUMN(sender_ns, "late senders", TIME)           /* */
    COLUMN(receiver_ns, "late receivers", TIME)       /* */
    COLUMN(caused_ns, "awaited: collectives", TIME)   /* */
    COLUMN(late_send_ns, "sends late", TIME)          /* */
    COLUMN(late_receive_ns, "receives late", TIME)    /* */
    COLUMN(last_in, "last in", COUNT)                 /* */
    COLUMN(late_ns, NULL, TIME)                       /* */
    COLUMN(late_first_ns, NULL, TIME)                 /* */
    COLUMN(sent, NULL, BYTES)                         /* */
    COLUMN(received, NULL, BYTES)                     /* */
    COLUMN(root_ns, "cause of", TIME)                 /* */
    COLUMN(delays, NULL, COUNT)                       /* */
    COLUMN(delay_ns, NULL, TIME)                      /* */
    COLUMN(path_ns, "critical path", TIME)            /* */
#undef COLUMN
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static uint64_t value(const wts_rank_t *r, size_t column)
{
    uint64_t v;
    memcpy(&v, (const char *)r + columns[column].offset, sizeof(v));
    return v;
}

static int by_rank(const void *a, const void *b)
{
    const wts_rank_t *x = *(const wts_rank_t *const *)a, *y = *(const wts_rank_t *const *)b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Sorts ranks by the waits that they have caused in the end, the largest first. */
static int by_blame(const void *a, const void *b)
{
    const wts_rank_t *x = *(const wts_rank_t *const *)a, *y = *(const wts_rank_t *const *)b;
    return x->root_ns < y->root_ns ? 1 : x->root_ns > y->root_ns ? -1 : by_rank(a, b);
}

/* Returns the ranks in an order, to be freed; NULL without memory. */
static const wts_rank_t **in_order(const wts_t *w, int (*order)(const void *, const void *))
{
    const wts_rank_t **ranks = calloc(w->rank_count + 1, sizeof(*ranks));
    for (size_t i = 0; ranks && i < w->rank_count; i++)
        ranks[i] = &w->ranks[i];
    if (ranks) qsort(ranks, w->rank_count, sizeof(*ranks), order);
    return ranks;
}

/* ---- text ---- */

static void put(void *to, const char *text)
{
    fputs(text, to);
}

/* A function that writes a cell of a table; row -1 is the heading. */
typedef void (*cell_t)(const void *data, long row, size_t column, char text[CELL]);

static void put_table(FILE *f, size_t rows, size_t count, cell_t cell, const void *data)
{
    static const base_frame_t frame = {"  ", "  ", ""};
    base_column_t *shape = calloc(count, sizeof(*shape));
    char(*texts)[CELL] = calloc(count, sizeof(*texts));
    const char **cells = calloc(count, sizeof(*cells));
    for (int write = 0; shape && texts && cells && write < 2; write++)
        for (long row = -1; row < (long)rows; row++) {
            for (size_t i = 0; i < count; i++) {
                cell(data, row, i, texts[i]);
                cells[i] = texts[i];
                base_column_fit(&shape[i], texts[i]);
                shape[i].align = i ? BASE_RIGHT : BASE_LEFT;
            }
            if (!write) continue;
            base_table_line(shape, count, cells, &frame, put, f);
            fputc('\n', f);
        }
    free(shape);
    free(texts);
    free(cells);
}

static void put_ms(char text[CELL], double ns)
{
    snprintf(text, CELL, "%.3f", ns / 1e6);
}

static const int shown_columns[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 16};
enum { SHOWN = sizeof(shown_columns) / sizeof(*shown_columns) };

static void rank_cell(const void *data, long row, size_t column, char text[CELL])
{
    const wts_rank_t *const *ranks = data;
    if (!column && row < 0)
        snprintf(text, CELL, "rank");
    else if (!column)
        snprintf(text, CELL, "%d", ranks[row]->rank);
    else if (row < 0)
        snprintf(text, CELL, "%s", columns[shown_columns[column - 1]].head);
    else if (columns[shown_columns[column - 1]].form == TIME)
        put_ms(text, (double)value(ranks[row], (size_t)shown_columns[column - 1]));
    else
        snprintf(text, CELL, "%" PRIu64, value(ranks[row], (size_t)shown_columns[column - 1]));
}

static void collective_cell(const void *data, long row, size_t column, char text[CELL])
{
    static const char *const heads[] = {"collective", "communicator", "times",    "calls",
                                        "time",       "waiting",      "waiting %"};
    const wts_collective_t *c = (const wts_collective_t *)data + row;
    if (row < 0) {
        snprintf(text, CELL, "%s", heads[column]);
        return;
    }
    switch (column) {
    case 0: snprintf(text, CELL, "%s", c->function); return;
    case 1: trace_mpi_communicator(c->communicator, text); return;
    case 2: snprintf(text, CELL, "%" PRIu64, c->count); return;
    case 3: snprintf(text, CELL, "%" PRIu64, c->calls); return;
    case 4: put_ms(text, (double)c->total_ns); return;
    case 5: put_ms(text, (double)c->waiting_ns); return;
    default:
        snprintf(text, CELL, "%.1f",
                 c->total_ns ? 100 * (double)c->waiting_ns / (double)c->total_ns : 0);
    }
}

typedef struct {
    const wts_t *w;
    const wts_spread_t *rows;
    const char *what;
} spreads_t;

static void spread_cell(const void *data, long row, size_t column, char text[CELL])
{
    const spreads_t *d = data;
    const char *const heads[] = {d->what, "times", "median of ranks", "mean", "most", "in rank"};
    const wts_spread_t *s = d->rows + row;
    if (row < 0) {
        snprintf(text, CELL, "%s", heads[column]);
        return;
    }
    switch (column) {
    case 0: snprintf(text, CELL, "%.39s", s->name); return;
    case 1: snprintf(text, CELL, "%" PRIu64, s->calls); return;
    case 2: put_ms(text, s->median_ns); return;
    case 3: put_ms(text, s->mean_ns); return;
    case 4: put_ms(text, s->most_ns); return;
    default: snprintf(text, CELL, "%d", s->most < 0 ? -1 : d->w->ranks[s->most].rank);
    }
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static void part_cell(const void *data, long row, size_t column, char text[CELL])
{
    static const char *const heads[] = {"on the critical path", "", "times", "time", "%"};
    const wts_path_t *path = data;
    const wts_part_t *p = path->sums + row;
    if (row < 0) {
        snprintf(text, CELL, "%s", heads[column]);
        return;
    }
    switch (column) {
    case 0: snprintf(text, CELL, "%s", wts_part_kinds[p->kind]); return;
    case 1: snprintf(text, CELL, "%.39s", p->name); return;
    case 2: snprintf(text, CELL, "%" PRIu64, p->count); return;
    case 3: put_ms(text, (double)p->ns); return;
    default: snprintf(text, CELL, "%.1f", percent(p->ns, path->ns));
    }
}

static size_t at_most(size_t count, size_t most)
{
    return count < most ? count : most;
}

static void put_rest(FILE *f, size_t count, size_t shown)
{
    if (count > shown) fprintf(f, "  (%zu more: -f json)\n", count - shown);
    fputc('\n', f);
}

static int by_path(const void *a, const void *b)
{
    const wts_rank_t *x = *(const wts_rank_t *const *)a, *y = *(const wts_rank_t *const *)b;
    return x->path_ns < y->path_ns ? 1 : x->path_ns > y->path_ns ? -1 : by_rank(a, b);
}

/* Writes a line about the path: its length, and the ranks with the largest parts. */
static void put_path(FILE *f, const wts_t *w)
{
    const wts_path_t *p = &w->path;
    const wts_rank_t **ranks = in_order(w, by_path);
    fprintf(f, "critical path: %.3f ms, %" PRIu64 " change%s of the rank", (double)p->ns / 1e6,
            p->changes, p->changes == 1 ? "" : "s");
    for (size_t i = 0; ranks && i < at_most(w->rank_count, PATH_RANKS) && ranks[i]->path_ns; i++)
        fprintf(f, "%s rank %d %.1f %%", i ? "," : ";", ranks[i]->rank,
                percent(ranks[i]->path_ns, p->ns));
    fputs("\n\n", f);
    put_table(f, at_most(p->sum_count, ROWS_SHOWN), 5, part_cell, p);
    put_rest(f, p->sum_count, ROWS_SHOWN);
    free(ranks);
}

void wts_show_text(FILE *f, const wts_t *w)
{
    const wts_rank_t **ranks = in_order(w, by_blame);
    fprintf(f, "%zu rank%s", w->rank_count, w->rank_count == 1 ? "" : "s");
    if (w->missing) fprintf(f, " (%" PRIu64 " of the job have no database)", w->missing);
    if (w->unmatched) fprintf(f, ", %" PRIu64 " messages with one end here", w->unmatched);
    if (w->mapped) fprintf(f, ", clocks off by %.1f us at most", (double)w->clock_error_ns * 1e-3);
    if (w->clocks_by_mpi) fputs(" by calls of MPI", f);
    if (w->clocks_guessed) fputs(" where they were measured", f);
    fputs("; times are ms\n\n", f);
    for (size_t i = 0; i < w->finding_count; i++) {
        fprintf(f, "%zu. ", i + 1);
        base_put(f, BASE_TERMINAL, w->findings[i].text);
        fprintf(f, " (%s, %.1f %% of the time of all ranks)\n", wts_kinds[w->findings[i].kind],
                100 * w->findings[i].share);
    }
    if (!w->finding_count) fputs("no rank keeps the others waiting\n", f);
    fputc('\n', f);
    if (ranks) put_table(f, at_most(w->rank_count, RANKS_SHOWN), 1 + SHOWN, rank_cell, ranks);
    put_rest(f, w->rank_count, RANKS_SHOWN);
    if (w->path.sum_count) put_path(f, w);
    if (w->collective_count)
        put_table(f, at_most(w->collective_count, ROWS_SHOWN), 7, collective_cell, w->collectives);
    put_rest(f, w->collective_count, ROWS_SHOWN);
    const spreads_t phases = {w, w->phases, "range, without MPI"};
    if (w->phase_count) put_table(f, at_most(w->phase_count, ROWS_SHOWN), 6, spread_cell, &phases);
    const spreads_t kernels = {w, w->kernels, "kernel"};
    if (w->phase_count) put_rest(f, w->phase_count, ROWS_SHOWN);
    if (w->kernel_count)
        put_table(f, at_most(w->kernel_count, ROWS_SHOWN), 6, spread_cell, &kernels);
    free(ranks);
}

/* ---- CSV and JSON ---- */

void wts_show_csv(FILE *f, const wts_t *w)
{
    const wts_rank_t **ranks = in_order(w, by_rank);
    fputs("\"rank\",\"size\",\"file\",\"first\",\"last\"", f);
    for (size_t i = 0; i < COLUMNS; i++)
        fprintf(f, ",\"%s\"", columns[i].name);
    fputc('\n', f);
    for (size_t n = 0; ranks && n < w->rank_count; n++) {
        const wts_rank_t *r = ranks[n];
        fprintf(f, "%d,%d,\"", r->rank, r->size);
        base_put(f, BASE_CSV, r->file);
        fprintf(f, "\",%" PRIu64 ",%" PRIu64, r->first, r->last);
        for (size_t i = 0; i < COLUMNS; i++)
            fprintf(f, ",%" PRIu64, value(r, i));
        fputc('\n', f);
    }
    free(ranks);
}

static void put_json_text(FILE *f, const char *before, const char *text)
{
    fputs(before, f);
    base_put_json(f, text);
}

static void put_spreads(FILE *f, const char *key, const wts_t *w, const wts_spread_t *rows,
                        size_t count)
{
    fprintf(f, ",\n\"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        put_json_text(f, i ? ",\n  {\"name\": " : "\n  {\"name\": ", rows[i].name);
        fprintf(f,
                ", \"count\": %" PRIu64
                ", \"median_ns\": %.0f, \"mean_ns\": %.0f, \"most_ns\": %.0f, \"most_rank\": %d}",
                rows[i].calls, rows[i].median_ns, rows[i].mean_ns, rows[i].most_ns,
                rows[i].most < 0 ? -1 : w->ranks[rows[i].most].rank);
    }
    fputc(']', f);
}

static void put_json_parts(FILE *f, const char *key, const wts_t *w, const wts_part_t *parts,
                           size_t count)
{
    fprintf(f, ", \"%s\": [", key);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n  {" : "\n  {", f);
        if (parts[i].rank >= 0) fprintf(f, "\"rank\": %d, ", w->ranks[parts[i].rank].rank);
        fprintf(f, "\"kind\": \"%s\"", wts_part_kinds[parts[i].kind]);
        put_json_text(f, ", \"name\": ", parts[i].name);
        fprintf(f, ", \"count\": %" PRIu64 ", \"ns\": %" PRIu64 "}", parts[i].count, parts[i].ns);
    }
    fputc(']', f);
}

void wts_show_json(FILE *f, const wts_t *w)
{
    const wts_rank_t **ranks = in_order(w, by_rank);
    fprintf(f,
            "{\"total_ns\": %" PRIu64 ", \"missing\": %" PRIu64 ", \"unmatched\": %" PRIu64
            ",\n\"findings\": [",
            w->total_ns, w->missing, w->unmatched);
    for (size_t i = 0; i < w->finding_count; i++) {
        const wts_finding_t *x = &w->findings[i];
        put_json_text(f, i ? ",\n  {\"kind\": " : "\n  {\"kind\": ", wts_kinds[x->kind]);
        fprintf(f, ", \"rank\": %d, \"ns\": %" PRIu64 ", \"share\": %.6f",
                x->rank < 0 ? -1 : w->ranks[x->rank].rank, x->ns, x->share);
        put_json_text(f, ", \"text\": ", x->text);
        fputc('}', f);
    }
    fputs("],\n\"ranks\": [", f);
    for (size_t n = 0; ranks && n < w->rank_count; n++) {
        const wts_rank_t *r = ranks[n];
        fprintf(f, "%s\n  {\"rank\": %d, \"size\": %d", n ? "," : "", r->rank, r->size);
        put_json_text(f, ", \"file\": ", r->file);
        fprintf(f, ", \"first\": %" PRIu64 ", \"last\": %" PRIu64, r->first, r->last);
        for (size_t i = 0; i < COLUMNS; i++)
            fprintf(f, ", \"%s\": %" PRIu64, columns[i].name, value(r, i));
        fputc('}', f);
    }
    fputs("],\n\"collectives\": [", f);
    for (size_t i = 0; i < w->collective_count; i++) {
        const wts_collective_t *c = &w->collectives[i];
        char name[32];
        trace_mpi_communicator(c->communicator, name);
        fprintf(f,
                "%s\n  {\"function\": \"%s\", \"communicator\": \"%s\", \"count\": %" PRIu64
                ", \"calls\": %" PRIu64 ", \"total_ns\": %" PRIu64 ", \"waiting_ns\": %" PRIu64
                ", \"bytes\": %" PRIu64 "}",
                i ? "," : "", c->function, name, c->count, c->calls, c->total_ns, c->waiting_ns,
                c->bytes);
    }
    fputc(']', f);
    fputs(",\n\"messages\": [", f);
    for (size_t i = 0; i < w->pair_count; i++)
        fprintf(f,
                "%s\n  {\"from\": %d, \"to\": %d, \"count\": %" PRIu64 ", \"bytes\": %" PRIu64 "}",
                i ? "," : "", w->ranks[w->pairs[i].from].rank, w->ranks[w->pairs[i].to].rank,
                w->pairs[i].messages, w->pairs[i].bytes);
    fputc(']', f);
    fprintf(f, ",\n\"path\": {\"ns\": %" PRIu64 ", \"changes\": %" PRIu64, w->path.ns,
            w->path.changes);
    put_json_parts(f, "sums", w, w->path.sums, w->path.sum_count);
    put_json_parts(f, "parts", w, w->path.parts, w->path.part_count);
    fputc('}', f);
    put_spreads(f, "phases", w, w->phases, w->phase_count);
    put_spreads(f, "kernels", w, w->kernels, w->kernel_count);
    fputs("}\n", f);
    free(ranks);
}
