/* annotate_show.c - shows a kernel on a terminal: its head, its rows in columns, the problems of
 * the rows.
 *
 * Every text that comes from a file is written in the form BASE_TERMINAL, so that it cannot control
 * the terminal. */
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"
#include "results/annotate.h"

enum { FINDINGS_MAX = 2, CHAIN_BYTES = 4096 };

static const char *const bold = "\033[1m", *const hot = "\033[31m", *const dim = "\033[2m",
                         *const said = "\033[33m", *const plain = "\033[0m";

static void colour(const ann_view_t *v, const char *code)
{
    if (v->colour) fputs(code, v->f);
}

/* Writes a number as 1,234,567. */
static const char *grouped(uint64_t value, char text[32])
{
    char digits[24];
    const int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
    char *to = text;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return text;
}

static void put_plural(FILE *f, uint64_t n, const char *one, const char *end)
{
    char text[32];
    fprintf(f, "%s %s%s", grouped(n, text), one, n == 1 ? "" : end);
}

/* ---- head ---- */

static void put_parameters(const ann_view_t *v, const dis_kernel_t *notes)
{
    bool any = false;
    for (size_t i = 0; i < notes->parameter_count; i++)
        any |= notes->parameters[i].name[0] || notes->parameters[i].type[0];
    if (!any) return;
    fputs("  parameters: ", v->f);
    for (size_t i = 0; i < notes->parameter_count; i++) {
        const dis_parameter_t *p = &notes->parameters[i];
        const bool star = *p->type && p->type[strlen(p->type) - 1] == '*';
        if (i) fputs(", ", v->f);
        base_put(v->f, BASE_TERMINAL, p->type);
        if (*p->type && *p->name && !star) fputc(' ', v->f);
        base_put(v->f, BASE_TERMINAL, p->name);
    }
    fputc('\n', v->f);
}

static void put_resources(const ann_view_t *v, const ann_kernel_t *k)
{
    const ins_resources_t *r = &k->resources;
    char text[32];
    fprintf(v->f, "  %u VGPRs, %u AGPRs, %u SGPRs, ", r->arch_vgprs, r->accum_vgprs, r->sgprs);
    if (r->lds_bytes)
        fprintf(v->f, "%s bytes of LDS, ", grouped(r->lds_bytes, text));
    else
        fputs("no LDS, ", v->f);
    if (k->scratch_bytes)
        fprintf(v->f, "%s bytes of scratch", grouped(k->scratch_bytes, text));
    else
        fputs("no scratch", v->f);
    if (k->facts && k->facts->noted) {
        fputs(", ", v->f);
        put_plural(v->f, k->facts->notes.vgpr_spills, "spilled VGPR", "s");
        fputs(", ", v->f);
        put_plural(v->f, k->facts->notes.sgpr_spills, "spilled SGPR", "s");
    }
    if (r->group_size) fprintf(v->f, ", workgroups of %u", r->group_size);
    fputc('\n', v->f);
}

static void put_occupancy(const ann_view_t *v, const ann_kernel_t *k)
{
    const ins_occupancy_t o = ins_occupancy(k->gpu, k->waves, &k->resources);
    char limiter[64], advice[160];
    ins_occupancy_limiter(k->gpu, &o, limiter, sizeof(limiter));
    ins_occupancy_advice(&o, advice, sizeof(advice));
    if (!o.known) {
        fputs("  occupancy: ", v->f);
        base_put(v->f, BASE_TERMINAL, limiter);
        fputc('\n', v->f);
        return;
    }
    fprintf(v->f, "  occupancy: %u of %u waves on a SIMD, limited by %s%s%s\n", o.waves,
            o.waves_max, limiter, *advice ? ": " : "", advice);
}

static void put_head(const ann_view_t *v, const ann_kernel_t *k)
{
    colour(v, bold);
    base_put(v->f, BASE_TERMINAL, k->name);
    colour(v, plain);
    if (*k->range) {
        fputs("  in ", v->f);
        base_put(v->f, BASE_TERMINAL, k->range);
    }
    fputs("\n  ", v->f);
    put_plural(v->f, k->counted->dispatches, "dispatch", "es");
    fputs(", ", v->f);
    put_plural(v->f, k->counted->waves, "wave", "s");
    if (k->counted->lost) {
        fputs("; of ", v->f);
        put_plural(v->f, k->counted->lost, "dispatch", "es");
        fputs(" instructions are MISSING", v->f);
    }
    fputc('\n', v->f);
    put_resources(v, k);
    put_occupancy(v, k);
    if (k->facts) put_parameters(v, &k->facts->notes);
}

/* ---- columns ---- */

/* X(title, width, value of the counts n, whether the column is shown) */
#define COLUMNS(X)                                                                                 \
    X("Executed", 12, n->issued, true)                                                             \
    X("Lines", 11, n->lines, n->lines_needed)                                                      \
    X("Needed", 11, n->lines_needed, n->lines_needed)                                              \
    X("Conflicts", 11, n->lds_clocks - n->lds_clocks_needed, n->lds_clocks_needed)

#define MODEL_COLUMNS(X)                                                                           \
    X("Clocks", 13, ins_clocks(n), true)                                                           \
    X("L1 misses", 11, n->l1_misses, n->l1_hits + n->l1_misses)                                    \
    X("L2 misses", 11, n->l2_misses, n->l2_hits + n->l2_misses)

static void put_titles(const ann_view_t *v, const ann_kernel_t *k, const char *last)
{
    colour(v, dim);
    fprintf(v->f, "\n%6s", "Share");
#define X(title, width, value, there) fprintf(v->f, "%*s", width, title);
    COLUMNS(X)
    fprintf(v->f, "%7s", "Lanes");
    if (k->modelled) {
        MODEL_COLUMNS(X)
    }
#undef X
    fprintf(v->f, "  %s", last);
    colour(v, plain);
    fputc('\n', v->f);
}

static void put_cell(FILE *f, int width, uint64_t value, bool there)
{
    char text[32];
    fprintf(f, "%*s", width, there ? grouped(value, text) : "");
}

static void put_counts(const ann_view_t *v, const ann_kernel_t *k, const ann_row_t *row,
                       uint64_t all)
{
    const softgpu_instruction_counts_t *n = &row->sum;
    const double share = all ? 100.0 * (double)row->weight / (double)all : 0;
    const double lanes = n->issued ? (double)n->lanes / (double)n->issued : 0;
    if (share >= 10) colour(v, hot);
    fprintf(v->f, "%5.1f%%", share);
    if (share >= 10) colour(v, plain);
#define X(title, width, value, there) put_cell(v->f, width, value, there);
    COLUMNS(X)
    fprintf(v->f, "%7.1f", lanes);
    if (k->modelled) {
        MODEL_COLUMNS(X)
    }
#undef X
    fputs("  ", v->f);
}

/* Returns the width of the columns that put_counts() writes. */
static int indentation(const ann_kernel_t *k)
{
    int width = 6 + 7 + 2;
#define X(title, w, value, there) width += w;
    COLUMNS(X)
    if (k->modelled) {
        MODEL_COLUMNS(X)
    }
#undef X
    return width;
}

/* ---- rows ---- */

static void put_place(const ann_view_t *v, ins_frame_t at)
{
    if (!at.line) {
        fputs("(no line)", v->f);
        return;
    }
    base_put(v->f, BASE_TERMINAL, base_last_part(at.file));
    fprintf(v->f, ":%u", at.line);
}

static void put_source(const ann_view_t *v, ins_frame_t at)
{
    const char *text = at.line ? v->source(v->from, at.file, at.line) : "";
    while (*text == ' ' || *text == '\t')
        text++;
    if (!*text) return;
    fputs("  ", v->f);
    base_put(v->f, BASE_TERMINAL, text);
}

/* Writes "(square inlined at a.hip:12, from a.hip:20)", or, below the user's line, "(square
 * a.hip:3)". */
static void put_inlined(const ann_view_t *v, const ins_instruction_t *i)
{
    char chain[CHAIN_BYTES];
    if (v->lines == ANN_USER_LINES) {
        if (!i->user_level) return;
        ins_inlined_text(i, i->user_level, chain, sizeof(chain));
        fputs("  (", v->f);
        base_put(v->f, BASE_TERMINAL, chain);
        fputc(')', v->f);
        return;
    }
    for (size_t n = 0; n < i->inlined_count; n++) {
        fputs(n ? ", from " : "  (", v->f);
        if (!n) {
            base_put(v->f, BASE_TERMINAL, i->inlined[n].function);
            fputs(" inlined at ", v->f);
        }
        base_put(v->f, BASE_TERMINAL, base_last_part(i->inlined[n].file));
        fprintf(v->f, ":%u", i->inlined[n].line);
    }
    if (i->inlined_count) fputc(')', v->f);
}

static void put_loop(const ann_view_t *v, const ins_instruction_t *i)
{
    if (i->depth) fprintf(v->f, "  loop at 0x%llx, %u deep", (unsigned long long)i->loop, i->depth);
}

static void put_title(const ann_view_t *v, const ann_row_t *row)
{
    const ins_instruction_t *i = row->items[0];
    const ins_frame_t at = ann_place(i, v->lines), own = ins_frame(i, 0);
    switch (v->by) {
    case ANN_BY_LINE:
        put_place(v, at);
        put_source(v, at);
        break;
    case ANN_BY_INSTRUCTION:
        fprintf(v->f, "%*s%06llx  ", 2 * (int)(i->depth < 8 ? i->depth : 8), "",
                (unsigned long long)i->address);
        base_put(v->f, BASE_TERMINAL, i->text);
        break;
    case ANN_BY_BLOCK:
        fprintf(v->f, "%*sblock 0x%llx, %zu instruction%s", 2 * (int)(i->depth < 8 ? i->depth : 8),
                "", (unsigned long long)i->block, row->count, row->count == 1 ? "" : "s");
        put_loop(v, i);
        if (at.line) fputs("  ", v->f);
        if (at.line) put_place(v, at);
        break;
    default:
        base_put(v->f, BASE_TERMINAL, *ann_function(i) ? ann_function(i) : "(no name)");
        if (own.line) fputs("  ", v->f);
        if (own.line) put_place(v, own);
    }
}

static void put_findings(const ann_view_t *v, const ann_kernel_t *k, const ann_row_t *row)
{
    char text[ANN_SENTENCE_BYTES];
    const ins_instruction_t *where;
    for (unsigned n = 0; n < FINDINGS_MAX && ann_finding(k, row, n, text, &where); n++) {
        fprintf(v->f, "%*s", indentation(k), "");
        colour(v, said);
        fprintf(v->f, "^ %s", text);
        colour(v, plain);
        if (v->by != ANN_BY_INSTRUCTION) {
            fputs("   ", v->f);
            colour(v, dim);
            base_put(v->f, BASE_TERMINAL, where->text);
            if (v->by == ANN_BY_LINE && v->lines == ANN_USER_LINES && where->user_level) {
                fputs("  at ", v->f);
                put_place(v, ins_frame(where, 0));
            }
            colour(v, plain);
        }
        fputc('\n', v->f);
    }
}

static void put_instructions(const ann_view_t *v, const ann_kernel_t *k, const ann_row_t *row)
{
    for (size_t i = 0; i < row->count; i++) {
        ann_row_t one = {.items = row->items + i, .count = 1, .sum = row->items[i]->counts};
        one.weight = ann_weight(&one.sum, k->modelled);
        put_counts(v, k, &one, row->weight);
        fprintf(v->f, "    %06llx  ", (unsigned long long)row->items[i]->address);
        base_put(v->f, BASE_TERMINAL, row->items[i]->text);
        fputc('\n', v->f);
    }
}

/* ---- inlined functions ---- */

static void put_frame(const ann_view_t *v, ins_frame_t at)
{
    base_put(v->f, BASE_TERMINAL, *at.function ? at.function : "(no name)");
    if (!at.line) return;
    fputc(' ', v->f);
    put_place(v, at);
}

/* Shows the function that is `depth` levels below the user's line, and the functions inlined in it
 * as long as a single one has all instructions of the row. Returns the depth of the last one shown;
 * 0 without memory. */
static size_t put_frames(const ann_view_t *v, const ann_kernel_t *k, const ann_row_t *row,
                         size_t depth)
{
    const ins_instruction_t *i = row->items[0];
    ann_rows_t inner;
    for (;; depth++) {
        put_frame(v, ins_frame(i, i->user_level - depth));
        if (!ann_rows_beneath(&inner, row, depth + 1, k->modelled)) return 0;
        const bool one = inner.count == 1 && inner.rows[0].count == row->count;
        ann_rows_free(&inner);
        if (!one) break;
        fputs(" > ", v->f);
    }
    put_source(v, ins_frame(i, i->user_level - depth));
    fputc('\n', v->f);
    return depth;
}

static bool is_small(const ann_row_t *row, uint64_t all)
{
    return row->weight < all / 100 || 100 * (row->weight - all / 100) < all % 100;
}

/* Returns how many rows are so small that they are summed in one line; 0 if all rows were
 * requested. */
static size_t count_small(const ann_view_t *v, const ann_rows_t *rows, uint64_t all)
{
    size_t small = 0;
    for (size_t n = 0; n < rows->count && v->limit < UINT64_MAX; n++)
        small += is_small(&rows->rows[n], all);
    return small > 1 ? small : 0;
}

/* Shows the rows beneath a row of the user's lines. Returns false without memory. */
static bool put_beneath(const ann_view_t *v, const ann_kernel_t *k, const ann_row_t *row,
                        uint64_t all, size_t depth, int indent)
{
    ann_rows_t rows;
    bool good = ann_rows_beneath(&rows, row, depth, k->modelled);
    const size_t small = good ? count_small(v, &rows, all) : 0;
    for (size_t n = 0; good && n + small < rows.count; n++) { /* the small ones are the last */
        put_counts(v, k, &rows.rows[n], all);
        fprintf(v->f, "%*s", indent, "");
        const size_t last = put_frames(v, k, &rows.rows[n], depth);
        good = last && put_beneath(v, k, &rows.rows[n], all, last + 1, indent + 2);
    }
    if (good && small)
        fprintf(v->f, "%*s+ %zu of less than 1 %% (--limit 0 shows all)\n", indentation(k) + indent,
                "", small);
    ann_rows_free(&rows);
    return good;
}

/* ---- the whole kernel ---- */

/* Returns whether both instructions come from the same line of the source. */
static bool same_place(const ann_view_t *v, const ins_instruction_t *a, const ins_instruction_t *b)
{
    if (a->line != b->line || strcmp(a->file, b->file) != 0) return false;
    if (v->lines == ANN_HEADER_LINES) return true;
    char x[CHAIN_BYTES], y[CHAIN_BYTES];
    const ins_frame_t at = ann_place(a, v->lines);
    ins_inlined_text(a, a->user_level, x, sizeof(x));
    ins_inlined_text(b, b->user_level, y, sizeof(y));
    return ins_level_at(b, at.file, at.line) == b->user_level && strcmp(x, y) == 0;
}

/* Shows the source line before its first instruction. */
static void put_heading(const ann_view_t *v, const ann_kernel_t *k, const ins_instruction_t *i,
                        const ins_instruction_t *last)
{
    const ins_frame_t at = ann_place(i, v->lines);
    if (!at.line || (last && same_place(v, last, i))) return;
    colour(v, dim);
    fprintf(v->f, "%*s", indentation(k), "");
    put_place(v, at);
    put_source(v, at);
    put_inlined(v, i);
    colour(v, plain);
    fputc('\n', v->f);
}

static bool has_lines(const ann_kernel_t *k)
{
    for (size_t i = 0; i < k->count; i++)
        if (ann_place(&k->items[i], ANN_USER_LINES).line) return true;
    return false;
}

static bool put_rows(const ann_view_t *v, const ann_kernel_t *k, const ann_rows_t *rows)
{
    static const char *const titles[] = {"Source", "Instruction", "Block", "Function"};
    const ins_instruction_t *last = NULL;
    const uint64_t shown = rows->count < v->limit ? rows->count : v->limit;
    bool good = true;
    put_titles(v, k, titles[v->by]);
    for (uint64_t i = 0; good && i < shown; i++) {
        const ann_row_t *row = &rows->rows[i];
        if (v->by == ANN_BY_INSTRUCTION) put_heading(v, k, row->items[0], last);
        put_counts(v, k, row, rows->weight);
        put_title(v, row);
        fputc('\n', v->f);
        put_findings(v, k, row);
        if (v->by == ANN_BY_LINE && v->lines == ANN_USER_LINES)
            good = put_beneath(v, k, row, rows->weight, 1, 2);
        if (v->isa && v->by != ANN_BY_INSTRUCTION) put_instructions(v, k, row);
        last = row->items[0];
    }
    if (shown < rows->count)
        fprintf(v->f, "  %llu more (--limit 0 shows all)\n",
                (unsigned long long)(rows->count - shown));
    return good;
}

bool ann_show(const ann_view_t *view, const ann_kernel_t *k)
{
    ann_view_t v = *view;
    ann_rows_t rows;
    const bool lines = has_lines(k);
    if (v.by == ANN_BY_AUTO) v.by = lines ? ANN_BY_LINE : ANN_BY_BLOCK;
    if (v.sort == ANN_SORT_AUTO)
        v.sort = v.by == ANN_BY_LINE || v.by == ANN_BY_FUNCTION ? ANN_SORT_HOT : ANN_SORT_ORDER;
    if (!ann_rows_make(&rows, k, v.by, v.lines, v.sort)) return false;
    put_head(&v, k);
    const bool good = put_rows(&v, k, &rows);
    if (!lines)
        fputs("  no source lines: compile with -gline-tables-only, which changes no code\n", v.f);
    fputc('\n', v.f);
    ann_rows_free(&rows);
    return good;
}
