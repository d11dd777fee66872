/* text.c - writes findings as text for people. */
#include "base/log.h"
#include "base/text.h"
#include "softgpu/check/format.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void put_prefix(FILE *f)
{
    fputs("softgpu", f);
    if (chk_among_others()) fprintf(f, "[%d]", (int)getpid());
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

/* Names come from the program: control characters are replaced, since they might begin a line or
 * move the terminal's cursor. */
static void put_name(FILE *f, const char *name)
{
    for (; *name; name++)
        fputc(is_control(*name) ? '?' : *name, f);
}

/* A note has names in it, and may have more lines, which begin like those of a finding. */
static void put_note(FILE *f, const char *note)
{
    for (fputs("  ", f); *note; note++)
        fputc(is_control(*note) && strncmp(note, "\n  ", 3) != 0 ? '?' : *note, f);
    fputc('\n', f);
}

static void put_line(FILE *f, const char *file, uint32_t line)
{
    put_name(f, file);
    fprintf(f, ":%u", line);
}

static void put_call(FILE *f, const chk_call_t *c)
{
    if (c->file)
        put_line(f, c->file, c->line);
    else
        put_name(f, c->place);
}

/* Writes, for instance, " at app.cpp:52 (called at app.cpp:80)". */
static void put_calls(FILE *f, const chk_calls_t *calls)
{
    for (uint32_t k = 0; k < calls->n; k++) {
        fputs(k == 0 ? " at " : k == 1 ? " (called at " : ", ", f);
        put_call(f, &calls->call[k]);
    }
    if (calls->n > 1) fputc(')', f);
}

/* " hipMemcpy at app.cpp:52"; `call` NULL: writes nothing */
static void put_named(FILE *f, const char *call, const chk_calls_t *calls)
{
    if (!call) return;
    fprintf(f, "  %s", call);
    put_calls(f, calls);
    fputc('\n', f);
}

/* Writes, for instance, "  saxpy(float*, int) at saxpy.hip:14 (inlined into ...)", or "
 * saxpy(float*, int)+0x9c". */
static void put_spot(FILE *f, const chk_spot_t *s)
{
    const chk_code_t *c = &s->code;
    fputs("  ", f);
    if (s->kernel) put_name(f, s->kernel);
    if (s->function) {
        fputs(", in ", f);
        put_name(f, s->function);
    }
    if (!c->n && c->symbol) fprintf(f, "+0x%llx", (unsigned long long)c->offset);
    for (uint32_t k = 0; k < c->n; k++) {
        const char *in = c->function[k]; /* NULL: the function of the symbol */
        if (!in) in = s->function ? s->function : s->kernel;
        if (k) {
            fputs(k == 1 ? " (inlined into " : ", into ", f);
            put_name(f, in ? in : "it");
        }
        fputs(" at ", f);
        put_line(f, c->file[k], c->line[k]);
    }
    fputs(c->n > 1 ? ")\n" : "\n", f);
}

static void put_lane(FILE *f, const chk_spot_t *s, bool lane)
{
    if (lane)
        fprintf(f, ", lane %u of", s->lane);
    else
        fputc(',', f);
    fprintf(f, " wave %u, group (%u,%u,%u)\n", s->wave, s->group[0], s->group[1], s->group[2]);
}

static void put_place(FILE *f, const chk_details_t *t)
{
    const chk_place_t *p = &t->place;
    fprintf(f, "  address 0x%llx is ", (unsigned long long)t->f.va);
    if (!t->has_place) {
        fputs("in no allocation\n", f);
        return;
    }
    fprintf(f, "%llu byte%s %s the %llu byte%s ", (unsigned long long)t->distance,
            base_plural(t->distance), chk_sides[t->side], (unsigned long long)(p->end - p->begin),
            base_plural(p->end - p->begin));
    if (p->variable) {
        fputs("of the variable ", f);
        put_name(f, t->variable ? t->variable : p->variable);
    } else {
        fprintf(f, "that %s gave out", p->call);
    }
    put_calls(f, &t->made);
    if (!p->live) {
        fprintf(f, " and %s took back", p->gone_by);
        put_calls(f, &t->gone);
    }
    fputc('\n', f);
}

void chk_text_write(FILE *f, const chk_details_t *t, const chk_times_t *times)
{
    fputs(t->message ? t->message : chk_kinds[t->f.kind].text, f);
    if (t->at.pc) {
        put_lane(f, &t->at, t->f.lanes);
        put_spot(f, &t->at);
        if (*t->at.instruction) {
            fprintf(f, "    %-48s ", t->at.instruction);
            if (t->f.lanes)
                fprintf(f, "%u lane%s of this wave, ", t->f.lanes, base_plural(t->f.lanes));
            fprintf(f, "%llu wave%s so far\n", (unsigned long long)times->waves,
                    base_plural(times->waves));
        }
    } else {
        fputc('\n', f);
    }
    put_named(f, t->f.call, &t->call);
    if (t->f.at_address) put_place(f, t);
    if (t->f.other.what) {
        fprintf(f, "  %s", t->f.other.what);
        if (t->other.pc) {
            put_lane(f, &t->other, !t->f.other.whole_wave);
            put_spot(f, &t->other);
            if (*t->other.instruction) fprintf(f, "    %s\n", t->other.instruction);
        } else {
            fputc('\n', f);
        }
        put_named(f, t->f.other.call, &t->other_call);
    }
    if (t->more) put_note(f, t->more);
}

static void put_rule(FILE *f, const chk_details_t *t)
{
    chk_details_subject_t s;
    chk_details_subject(t, &s);
    fputs("  suppressed by: ", f);
    chk_rule_write(f, &s.subject);
    fputc('\n', f);
}

static void finding(base_lines_t *l, const chk_details_t *t, const chk_times_t *times)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return;
    put_prefix(f);
    fputs(": error: ", f);
    chk_text_write(f, t, times);
    if (base_log_level >= BASE_LOG_INFO) put_rule(f, t);
    if (fclose(f) == 0) base_lines_write(l, text, bytes);
    free(text);
}

static void put_sum(FILE *f, const chk_sum_t *s)
{
    fprintf(f, "%llu different, %llu time%s", (unsigned long long)s->different,
            (unsigned long long)s->waves, base_plural(s->waves));
    if (s->lanes) fprintf(f, ", %llu lane%s", (unsigned long long)s->lanes, base_plural(s->lanes));
}

static void summary(base_lines_t *l, const chk_total_t *total)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    if (!f) return;
    put_prefix(f);
    fprintf(f, ": %llu error%s", (unsigned long long)total->errors, base_plural(total->errors));
    if (total->untold)
        fprintf(f, ", and %llu finding%s for which there was no room",
                (unsigned long long)total->untold, base_plural(total->untold));
    fputc('\n', f);
    for (unsigned k = 0; k < CHK_KIND_COUNT; k++) {
        if (!total->kind[k].different) continue;
        put_prefix(f);
        fprintf(f, ":   %-20s ", chk_kinds[k].name);
        put_sum(f, &total->kind[k]);
        fputc('\n', f);
    }
    for (size_t k = 0; k < chk_rules_count(total->rules); k++) {
        if (!total->rule[k].different) continue;
        put_prefix(f);
        fprintf(f, ": suppressed by %s: ", chk_rule_place(total->rules, k));
        put_sum(f, &total->rule[k]);
        fputc('\n', f);
    }
    if (fclose(f) == 0) base_lines_write(l, text, bytes);
    free(text);
}

const chk_writer_t chk_text_writer = {.finding = finding, .summary = summary};
