/* code_files.c - rocprofv3 code for programs and browsers: CSV, JSON, HTML. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "results/code.h"

enum { SCHEMA = 1 }; /* of the JSON; it must change if a key changes its meaning */

static void put_number(FILE *f, const code_kernel_t *k, const res_code_number_t *n,
                       const char *unknown)
{
    double value;
    if (res_code_number(k, n, &value))
        fprintf(f, "%.0f", value);
    else
        fputs(unknown, f);
}

/* ---- CSV ---- */

static void put_text(FILE *f, const char *text)
{
    fputc('"', f);
    base_put(f, BASE_CSV, text);
    fputc('"', f);
}

bool res_code_csv(const res_code_view_t *v, const code_set_t *set)
{
    char text[RES_CODE_TEXT_BYTES];
    fputs("file,gpu,target,kernel,symbol", v->f);
    for (size_t n = 0; n < res_code_number_count; n++)
        fprintf(v->f, ",%s", res_code_numbers[n].name);
    fputs(",limited_by,next_step\n", v->f);
    for (size_t i = 0; i < set->count; i++) {
        const code_kernel_t *k = &set->kernels[i];
        const char *const texts[] = {k->file, k->gpu, k->target, k->name, k->row.symbol};
        for (size_t t = 0; t < sizeof(texts) / sizeof(*texts); t++) {
            if (t) fputc(',', v->f);
            put_text(v->f, texts[t]);
        }
        for (size_t n = 0; n < res_code_number_count; n++) {
            fputc(',', v->f);
            put_number(v->f, k, &res_code_numbers[n], "");
        }
        res_code_limiter(k, text);
        fputc(',', v->f);
        put_text(v->f, text);
        res_code_advice(k, text);
        fputc(',', v->f);
        put_text(v->f, text);
        fputc('\n', v->f);
    }
    return true;
}

/* ---- JSON ---- */

static void put_pair(FILE *f, const char *key, const char *text)
{
    fprintf(f, "\"%s\":", key);
    base_put_json(f, text);
}

static void put_mix(FILE *f, const code_mix_t *mix)
{
    const char *between = "";
    fputs("\"mix\":{", f);
    for (int c = 0; c < CODE_CLASS_COUNT; c++) {
        if (!mix->of[c]) continue;
        fprintf(f, "%s\"%s\":%u", between, code_class_keys[c], mix->of[c]);
        between = ",";
    }
    fputc('}', f);
}

static void put_spills(FILE *f, const code_spills_t *s)
{
    fprintf(f, "\"spills\":{\"stores\":%u,\"reloads\":%u,\"lane_writes\":%u,\"lane_reads\":%u}",
            s->stores, s->reloads, s->lane_writes, s->lane_reads);
}

static void put_loops(FILE *f, const code_body_t *b)
{
    fputs(",\"loops\":[", f);
    for (size_t i = 0; i < b->loop_count; i++) {
        const code_loop_t *l = &b->loops[i];
        fprintf(f, "%s{\"address\":%" PRIu64 ",\"depth\":%u,\"instructions\":%u,", i ? "," : "",
                l->address, l->depth, l->mix.all);
        put_mix(f, &l->mix);
        fputc(',', f);
        put_spills(f, &l->spills);
        if (l->file) {
            fputc(',', f);
            put_pair(f, "file", l->file);
            fprintf(f, ",\"first_line\":%u,\"last_line\":%u", l->first_line, l->last_line);
        }
        fputc('}', f);
    }
    fputc(']', f);
}

static void put_lines(const res_code_view_t *v, const code_body_t *b)
{
    fputs(",\"lines\":[", v->f);
    for (size_t i = 0; i < b->line_count; i++) {
        const code_line_t *l = &b->lines[i];
        fputs(i ? ",{" : "{", v->f);
        put_pair(v->f, "file", l->file);
        fprintf(v->f, ",\"line\":%u,\"depth\":%u,\"instructions\":%u,", l->line, l->depth,
                l->mix.all);
        put_mix(v->f, &l->mix);
        fputc(',', v->f);
        put_spills(v->f, &l->spills);
        if (v->lines) {
            fputc(',', v->f);
            put_pair(v->f, "text", v->source(v->from, l->file, l->line));
        }
        fputc('}', v->f);
    }
    fputc(']', v->f);
}

static void put_body(const res_code_view_t *v, const code_body_t *b)
{
    FILE *f = v->f;
    const char *between = "";
    if (!b->known) {
        fputc(',', f);
        put_pair(f, "not_read", b->why);
        return;
    }
    fprintf(f, ",\"unreadable\":%u,", b->unreadable);
    put_mix(f, &b->mix);
    fputs(",\"hot\":{", f);
    for (int c = 0; c < CODE_CLASS_COUNT; c++) {
        if (b->hot[c] <= 0) continue;
        fprintf(f, "%s\"%s\":%.4f", between, code_class_keys[c], b->hot[c]);
        between = ",";
    }
    fputs("},\"matrix_instructions\":{", f);
    for (size_t i = 0; i < b->matrix_count; i++) {
        fputs(i ? "," : "", f);
        base_put_json(f, b->matrix[i].name);
        fprintf(f, ":%u", b->matrix[i].count);
    }
    fputs("},", f);
    put_spills(f, &b->spills);
    put_loops(f, b);
    put_lines(v, b);
}

static void put_kernel(const res_code_view_t *v, const code_kernel_t *k)
{
    FILE *f = v->f;
    char text[RES_CODE_TEXT_BYTES];
    fputc('{', f);
    put_pair(f, "file", k->file);
    fputc(',', f);
    put_pair(f, "gpu", k->gpu);
    fputc(',', f);
    put_pair(f, "target", k->target);
    fputc(',', f);
    put_pair(f, "kernel", k->name);
    fputc(',', f);
    put_pair(f, "symbol", k->row.symbol);
    fputs(",\"numbers\":{", f);
    for (size_t n = 0; n < res_code_number_count; n++) {
        const res_code_number_t *number = &res_code_numbers[n];
        if (number->of_class) continue; /* these are in "mix" */
        fprintf(f, "%s\"%s\":", n ? "," : "", number->name);
        put_number(f, k, number, "null");
    }
    fputs("},", f);
    res_code_limiter(k, text);
    put_pair(f, "limited_by", text);
    fputc(',', f);
    res_code_advice(k, text);
    put_pair(f, "next_step", text);
    fprintf(f, ",\"dynamic_stack\":%s", k->row.dynamic_stack ? "true" : "false");
    put_body(v, &k->body);
    fputc('}', f);
}

bool res_code_json(const res_code_view_t *v, const code_set_t *set)
{
    fprintf(v->f, "{\"schema\":%d,\"kernels\":[", SCHEMA);
    for (size_t i = 0; i < set->count; i++) {
        fputs(i ? ",\n" : "\n", v->f);
        put_kernel(v, &set->kernels[i]);
    }
    fputs("\n]}\n", v->f);
    return true;
}

/* ---- HTML ---- */

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; script-src 'unsafe-inline'\"><title>Code of "
    "kernels</title>\n"
    "<style>\n"
    "body{font:14px system-ui,sans-serif;margin:1.5em}\n"
    "table{border-collapse:collapse}th,td{padding:.2em .6em;text-align:right;border-bottom:1px "
    "solid #ccc}\n"
    "th{position:sticky;top:0;background:#fff;cursor:pointer}.t{text-align:left}.bad{color:#b00;"
    "font-weight:bold}\n"
    "pre{margin:.3em 1em}\n"
    "@media(prefers-color-scheme:dark){body,th{background:#111;color:#ddd}.bad{color:#f77}}\n"
    "</style></head><body>\n<h1>Code of kernels</h1>\n";

/* A click on a column's head sorts by it; a second click reverses the order. */
static const char page_script[] =
    "<script>\n"
    "document.querySelectorAll('th').forEach((th,c)=>th.onclick=()=>{\n"
    "const body=th.closest('table').tBodies[0],up=th.dataset.up=th.dataset.up?'':'1';\n"
    "const key=r=>r.cells[c].dataset.v??r.cells[c].textContent;\n"
    "[...body.rows].sort((a,b)=>{const x=key(a),y=key(b),n=x-y;\n"
    "return (isNaN(n)?x.localeCompare(y):n)*(up?1:-1)}).forEach(r=>body.append(r))})\n"
    "</script>\n";

static void put_cell(FILE *f, const char *text)
{
    fputs("<td class=\"t\">", f);
    base_put(f, BASE_HTML, text);
    fputs("</td>", f);
}

static void put_html_row(FILE *f, const code_kernel_t *k)
{
    char text[RES_CODE_TEXT_BYTES];
    fputs("<tr>", f);
    put_cell(f, k->name);
    put_cell(f, k->target);
    for (size_t n = 0; n < res_code_number_count; n++) {
        const res_code_number_t *number = &res_code_numbers[n];
        double value;
        if (number->of_class) continue;
        const bool known = res_code_number(k, number, &value);
        const bool bad = known && value > 0 && strstr(number->name, "spill");
        fputs(bad ? "<td class=\"bad\">" : "<td>", f);
        put_number(f, k, number, "");
        fputs("</td>", f);
    }
    res_code_limiter(k, text);
    put_cell(f, text);
    res_code_advice(k, text);
    put_cell(f, text);
    put_cell(f, k->file);
    fputs("</tr>\n", f);
}

/* Writes the details of the kernel in the form for a terminal. */
static bool put_details(const res_code_view_t *v, const code_kernel_t *k)
{
    char *text = NULL;
    size_t bytes = 0;
    res_code_view_t view = *v;
    view.f = open_memstream(&text, &bytes);
    if (view.f) res_code_details(&view, k);
    const bool good = view.f && fclose(view.f) == 0;
    if (good) {
        fputs("<details><summary>", v->f);
        base_put(v->f, BASE_HTML, k->name);
        fprintf(v->f, " (%s)</summary><pre>", k->target);
        base_put(v->f, BASE_HTML, text);
        fputs("</pre></details>\n", v->f);
    }
    free(text);
    return good;
}

bool res_code_html(const res_code_view_t *v, const code_set_t *set)
{
    fputs(page_head, v->f);
    fputs("<table><thead><tr><th class=\"t\">kernel</th><th class=\"t\">gpu</th>", v->f);
    for (size_t n = 0; n < res_code_number_count; n++)
        if (!res_code_numbers[n].of_class) fprintf(v->f, "<th>%s</th>", res_code_numbers[n].name);
    fputs("<th class=\"t\">limited_by</th><th class=\"t\">next_step</th><th class=\"t\">file</th>"
          "</tr></thead><tbody>\n",
          v->f);
    for (size_t i = 0; i < set->count; i++)
        put_html_row(v->f, &set->kernels[i]);
    fputs("</tbody></table>\n", v->f);
    for (size_t i = 0; i < set->count; i++)
        if (!put_details(v, &set->kernels[i])) return false;
    fputs(page_script, v->f);
    fputs("</body></html>\n", v->f);
    return true;
}
