/* code_show.c - rocprofv3 code on a terminal: a table of the kernels, and for each kernel the
 * composition of its code. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"
#include "results/code.h"
#include "results/grid.h"

/* NAME_SHOWN: most bytes of a name in the table, since the name of a template's instance can be
 * very long. */
enum { SHARES_SHOWN = 5, NAME_SHOWN = 90 };

/* ---- the table ---- */

static void put_spills(res_grid_t *g, const dis_kernel_row_t *row)
{
    if (row->vgpr_spills && row->sgpr_spills)
        res_grid_cell(g, "%u VGPRs, %u SGPRs", row->vgpr_spills, row->sgpr_spills);
    else if (row->vgpr_spills || row->sgpr_spills)
        res_grid_cell(g, "%u %s", row->vgpr_spills ? row->vgpr_spills : row->sgpr_spills,
                      row->vgpr_spills ? "VGPRs" : "SGPRs");
    else
        res_grid_cell(g, "0");
}

static void put_name(res_grid_t *g, const char *name)
{
    size_t n = strlen(name);
    const bool cut = n > NAME_SHOWN;
    if (cut) n = NAME_SHOWN;
    /* not inside a character of UTF-8 */
    while (cut && n && ((unsigned char)name[n] & 0xc0) == 0x80)
        n--;
    res_grid_cell(g, "%.*s%s", (int)n, name, cut ? "..." : "");
}

static void put_row(res_grid_t *g, const code_kernel_t *k, bool files)
{
    const dis_kernel_row_t *row = &k->row;
    char limiter[RES_CODE_TEXT_BYTES], bytes[RES_SHOWN_BYTES];
    res_code_limiter(k, limiter);
    put_name(g, k->name);
    res_grid_cell(g, "%s", k->target);
    res_grid_cell(g, "%u", k->arch_vgprs);
    res_grid_cell(g, "%u", row->agprs);
    res_grid_cell(g, "%u", row->sgprs);
    put_spills(g, row);
    res_grid_cell(g, "%s", res_shown(row->lds_bytes, RES_PLAIN, bytes));
    res_grid_cell(g, "%s%s", res_shown(row->scratch_bytes, RES_PLAIN, bytes),
                  row->dynamic_stack ? " or more" : "");
    res_grid_cell(g, "%u", k->group_size);
    if (k->occupancy.known)
        res_grid_cell(g, "%u of %u", k->occupancy.waves, k->occupancy.waves_max);
    else
        res_grid_cell(g, "?");
    res_grid_cell(g, "%s", k->occupancy.known ? limiter : "not known");
    res_grid_cell(g, "%s",
                  row->code_bytes ? res_shown((double)row->code_bytes, RES_PLAIN, bytes) : "?");
    if (files) res_grid_cell(g, "%s", k->file);
}

static bool show_table(FILE *f, const code_set_t *set)
{
    static const char *const heads[] = {
        "Kernel",         "GPU",    ">VGPRs", ">AGPRs",     ">SGPRs",      ">Spills", ">LDS bytes",
        ">Scratch bytes", ">Group", ">Waves", "Limited by", ">Code bytes", "File"};
    const size_t columns = sizeof(heads) / sizeof(*heads);
    bool files = false;
    res_grid_t g;
    for (size_t i = 1; i < set->count; i++)
        files |= set->kernels[i].file != set->kernels[0].file;
    res_grid_begin(&g, heads, columns - !files);
    for (size_t i = 0; i < set->count; i++)
        put_row(&g, &set->kernels[i], files);
    const bool good = !g.failed;
    if (good) res_grid_text(&g, f);
    res_grid_free(&g);
    return good;
}

/* ---- a kernel ---- */

static void put_key(FILE *f, const char *key)
{
    fprintf(f, "  %-12s", key);
}

static void put_occupancy(FILE *f, const code_kernel_t *k)
{
    char limiter[RES_CODE_TEXT_BYTES], advice[RES_CODE_TEXT_BYTES];
    const ins_occupancy_t *o = &k->occupancy;
    put_key(f, "occupancy");
    if (!o->known) {
        fprintf(f, "not known for %s\n", k->gpu);
        return;
    }
    res_code_limiter(k, limiter);
    res_code_advice(k, advice);
    fprintf(f, "%u of %u waves on a SIMD, in workgroups of %u, limited by %s%s%s\n", o->waves,
            o->waves_max, k->group_size, limiter, *advice ? "; " : "", advice);
}

static void put_resources(FILE *f, const code_kernel_t *k)
{
    const dis_kernel_row_t *row = &k->row;
    put_key(f, "registers");
    fprintf(f, "%u VGPRs, %u AGPRs, %u SGPRs", k->arch_vgprs, row->agprs, row->sgprs);
    if (k->occupancy.known) fprintf(f, "; a wave takes %u VGPRs", k->occupancy.vgprs);
    fprintf(f, "; spilled VGPRs %u, SGPRs %u\n", row->vgpr_spills, row->sgpr_spills);
    put_key(f, "memory");
    fprintf(f, "%u bytes of LDS, %u%s of scratch, %u of arguments\n", row->lds_bytes,
            row->scratch_bytes, row->dynamic_stack ? " or more" : "", row->argument_bytes);
    put_key(f, "launch");
    if (row->group_size_fixed)
        fprintf(f, "%u work-items", row->group_size_fixed);
    else
        fprintf(f, "up to %u work-items", row->group_size_max);
    fprintf(f, " in waves of %u\n", row->wave_items);
}

/* Writes the classes with at least one instruction, the most frequent first. */
static void put_mix(FILE *f, const code_mix_t *mix)
{
    bool told[CODE_CLASS_COUNT] = {false};
    const char *between = "";
    for (;;) {
        int most = -1;
        for (int c = 0; c < CODE_CLASS_COUNT; c++)
            if (!told[c] && mix->of[c] && (most < 0 || mix->of[c] > mix->of[most])) most = c;
        if (most < 0) break;
        told[most] = true;
        fprintf(f, "%s%s %u", between, code_class_texts[most], mix->of[most]);
        between = ", ";
    }
    fputc('\n', f);
}

static void put_hot(FILE *f, const double hot[CODE_CLASS_COUNT])
{
    bool told[CODE_CLASS_COUNT] = {false};
    for (unsigned n = 0; n < SHARES_SHOWN; n++) {
        int most = -1;
        for (int c = 0; c < CODE_CLASS_COUNT; c++)
            if (!told[c] && (most < 0 || hot[c] > hot[most])) most = c;
        if (most < 0 || hot[most] < 0.005) break;
        told[most] = true;
        fprintf(f, "%s%s %.0f %%", n ? ", " : "", code_class_texts[most], 100 * hot[most]);
    }
    fputs(", if every loop has ten rounds\n", f);
}

static void put_spill_counts(FILE *f, const code_spills_t *s)
{
    const struct {
        uint32_t count;
        const char *text;
    } parts[] = {{s->stores, "stores"},
                 {s->reloads, "reloads"},
                 {s->lane_writes, "writes to lanes"},
                 {s->lane_reads, "reads of lanes"}};
    const char *between = "";
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        if (!parts[i].count) continue;
        fprintf(f, "%s%s %u", between, parts[i].text, parts[i].count);
        between = ", ";
    }
}

static bool any_spill(const code_spills_t *s)
{
    return s->stores || s->reloads || s->lane_writes || s->lane_reads;
}

static void put_loop(FILE *f, const code_loop_t *l)
{
    code_mix_t memory = {0};
    put_key(f, "loop");
    fprintf(f, "%*s0x%" PRIx64, (int)(l->depth < 8 ? 2 * (l->depth - 1) : 14), "", l->address);
    if (l->file) {
        fputs(" ", f);
        base_put(f, BASE_TERMINAL, base_last_part(l->file));
        fprintf(f, ":%u", l->first_line);
        if (l->last_line != l->first_line) fprintf(f, "-%u", l->last_line);
    }
    fprintf(f, ": %u instructions", l->mix.all);
    for (int c = 0; c < CODE_CLASS_COUNT; c++)
        if (code_class_is_memory((code_class_t)c) || c == CODE_MATRIX || c == CODE_BARRIER)
            memory.of[c] = l->mix.of[c];
    bool any = false;
    for (int c = 0; c < CODE_CLASS_COUNT; c++)
        any |= memory.of[c];
    if (any) {
        fputs(": ", f);
        put_mix(f, &memory);
    } else {
        fputs(", no memory\n", f);
    }
    if (!any_spill(&l->spills)) return;
    put_key(f, "");
    fprintf(f, "%*sof them spills: ", (int)(l->depth < 8 ? 2 * l->depth : 16), "");
    put_spill_counts(f, &l->spills);
    fputc('\n', f);
}

static void put_line(const res_code_view_t *v, const code_line_t *l)
{
    put_key(v->f, any_spill(&l->spills) ? "spills" : "line");
    base_put(v->f, BASE_TERMINAL, base_last_part(l->file));
    fprintf(v->f, ":%u: ", l->line);
    if (any_spill(&l->spills)) put_spill_counts(v->f, &l->spills);
    if (any_spill(&l->spills) && l->depth) fputs(", in a loop", v->f);
    if (any_spill(&l->spills) && v->lines) fputs("; ", v->f);
    if (v->lines)
        put_mix(v->f, &l->mix);
    else
        fputc('\n', v->f);
    if (!v->lines) return;
    const char *text = v->source(v->from, l->file, l->line);
    text += strspn(text, " \t");
    if (!*text) return;
    put_key(v->f, "");
    base_put(v->f, BASE_TERMINAL, text);
    fputc('\n', v->f);
}

static void put_body(const res_code_view_t *v, const code_kernel_t *k)
{
    FILE *f = v->f;
    const code_body_t *b = &k->body;
    put_key(f, "code");
    fprintf(f, "%" PRIu64 " bytes", k->row.code_bytes);
    if (!b->known) {
        fprintf(f, "; %s\n", b->why);
        return;
    }
    fprintf(f, ", %u instructions, %zu loop%s", b->mix.all, b->loop_count,
            base_plural(b->loop_count));
    if (b->calls)
        fprintf(f, ", %u call%s of functions that are not looked at", b->calls,
                base_plural(b->calls));
    if (b->unreadable) fprintf(f, ", %u dwords that are no instruction", b->unreadable);
    fputc('\n', f);
    put_key(f, "mix");
    put_mix(f, &b->mix);
    put_key(f, "hot");
    put_hot(f, b->hot);
    for (size_t i = 0; i < b->matrix_count; i++) {
        put_key(f, "matrix");
        fprintf(f, "%s %u\n", b->matrix[i].name, b->matrix[i].count);
    }
    for (size_t i = 0; i < b->loop_count; i++)
        put_loop(f, &b->loops[i]);
    if (any_spill(&b->spills)) {
        put_key(f, "spills");
        put_spill_counts(f, &b->spills);
        fputs(b->line_count ? " in all\n" : "; no source lines: compile with -gline-tables-only\n",
              f);
    }
    for (size_t i = 0; i < b->line_count; i++)
        if (v->lines || any_spill(&b->lines[i].spills)) put_line(v, &b->lines[i]);
    if (v->lines && !b->line_count) {
        put_key(f, "line");
        fputs("no source lines: compile with -gline-tables-only\n", f);
    }
}

void res_code_details(const res_code_view_t *v, const code_kernel_t *k)
{
    base_put(v->f, BASE_TERMINAL, k->name);
    fprintf(v->f, "  %s\n", k->target);
    put_resources(v->f, k);
    put_occupancy(v->f, k);
    put_body(v, k);
}

bool res_code_text(const res_code_view_t *v, const code_set_t *set)
{
    if (!show_table(v->f, set)) return false;
    for (size_t i = 0; v->details && i < set->count; i++) {
        fputc('\n', v->f);
        res_code_details(v, &set->kernels[i]);
    }
    return true;
}
