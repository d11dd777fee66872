/* json.c - writes findings for programs to read: lines of JSON, as docs/check.schema.json describes
 * them.
 *
 * Each line is written by one call, so that processes may share a file, and a process that is
 * killed leaves no partial line. */
#include "softgpu/check/format.h"
#include "softgpu/check/json_text.h"

#include <stdlib.h>
#include <unistd.h>

#define SCHEMA "crocprof-check-1"

/* ---- text ---- */

void chk_json_rule(FILE *f, const chk_details_t *t)
{
    char *text = NULL;
    size_t bytes;
    chk_details_subject_t s;
    FILE *rule = open_memstream(&text, &bytes);
    chk_details_subject(t, &s);
    if (rule) chk_rule_write(rule, &s.subject);
    if (rule) fclose(rule);
    base_put_json(f, text ? text : "");
    free(text);
}

/* ---- parts of a finding ---- */

static void put_text(FILE *f, const char *key, const char *value)
{
    fprintf(f, ",\"%s\":", key);
    if (value)
        base_put_json(f, value);
    else
        fputs("null", f);
}

static void put_number(FILE *f, const char *key, uint64_t value)
{
    fprintf(f, ",\"%s\":%llu", key, (unsigned long long)value);
}

static void put_line(FILE *f, const char *file, uint32_t line)
{
    fputs("\"file\":", f);
    base_put_json(f, file);
    fprintf(f, ",\"line\":%u", line);
}

static void put_spot(FILE *f, const chk_spot_t *s)
{
    fprintf(f, "\"pc\":\"0x%llx\",\"group\":[%u,%u,%u],\"wave\":%u,\"lane\":%u",
            (unsigned long long)s->pc, s->group[0], s->group[1], s->group[2], s->wave, s->lane);
    put_text(f, "kernel", s->kernel);
    put_text(f, "function", s->function ? s->function : s->kernel);
    if (s->code.symbol) put_number(f, "offset", s->code.offset);
    put_text(f, "instruction", s->instruction);
    put_number(f, "own", s->code.own);
    fputs(",\"frames\":[", f);
    for (uint32_t k = 0; k < s->code.n; k++) {
        fputs(k ? ",{" : "{", f);
        put_line(f, s->code.file[k], s->code.line[k]);
        put_text(f, "function",
                 s->code.function[k] ? s->code.function[k]
                 : s->function       ? s->function
                                     : s->kernel);
        fputc('}', f);
    }
    fputc(']', f);
}

/* ,"frames":[...] */
static void put_frames(FILE *f, const char *key, const chk_calls_t *calls)
{
    fprintf(f, ",\"%s\":[", key);
    for (uint32_t k = 0; k < calls->n; k++) {
        const chk_call_t *c = &calls->call[k];
        fputs(k ? ",{" : "{", f);
        if (c->file) {
            put_line(f, c->file, c->line);
        } else {
            fputs("\"place\":", f);
            base_put_json(f, c->place);
        }
        fputc('}', f);
    }
    fputc(']', f);
}

/* "made":{"call":"hipMalloc","frames":[...]} */
static void put_call(FILE *f, const char *key, const char *call, const chk_calls_t *calls)
{
    fprintf(f, ",\"%s\":{\"call\":", key);
    base_put_json(f, call);
    put_frames(f, "frames", calls);
    fputc('}', f);
}

static void put_place(FILE *f, const chk_details_t *t)
{
    const chk_place_t *p = &t->place;
    fprintf(f, ",\"address\":\"0x%llx\"", (unsigned long long)t->f.va);
    if (!t->has_place) return;
    fprintf(f, ",\"allocation\":{\"address\":\"0x%llx\",\"bytes\":%llu,\"side\":\"%s\"",
            (unsigned long long)p->begin, (unsigned long long)(p->end - p->begin),
            chk_sides[t->side]);
    put_number(f, "distance", t->distance);
    if (t->variable) {
        put_text(f, "variable", t->variable);
        put_frames(f, "declared", &t->made);
    } else {
        put_call(f, "made", p->call, &t->made);
    }
    if (!p->live) put_call(f, "gone", p->gone_by, &t->gone);
    fputc('}', f);
}

/* ---- lines ---- */

static bool begun; /* the process has written its first line, which identifies it */

/* Begins a line, after the line about the process if it is the first. NULL: out of memory. */
static FILE *begin_line(char **text, size_t *bytes, const char *record)
{
    FILE *f = open_memstream(text, bytes);
    if (!f) return NULL;
    if (!begun) {
        fprintf(f, "{\"record\":\"process\",\"process\":%d,\"schema\":\"" SCHEMA "\"", getpid());
        put_text(f, "version", chk_version);
        fputs(",\"command\":", f);
        chk_json_command(f);
        fputs("}\n", f);
        begun = true;
    }
    fprintf(f, "{\"record\":\"%s\",\"process\":%d", record, getpid());
    return f;
}

static void end_line(base_lines_t *l, FILE *f, char **text, const size_t *bytes)
{
    fputs("}\n", f);
    if (fclose(f) == 0) base_lines_write(l, *text, *bytes);
    free(*text);
}

static void finding(base_lines_t *l, const chk_details_t *t, const chk_times_t *times)
{
    char *text = NULL;
    size_t bytes;
    const chk_kind_row_t *kind = &chk_kinds[t->f.kind];
    FILE *f = begin_line(&text, &bytes, "finding");
    if (!f) return;
    put_number(f, "id", times->id);
    put_text(f, "family", chk_family_name(kind->family));
    put_text(f, "kind", kind->name);
    put_text(f, "message", t->message);
    if (t->f.bytes) put_number(f, "bytes", t->f.bytes);
    if (t->at.pc) {
        put_number(f, "lanes", t->f.lanes);
        put_number(f, "waves", times->waves);
        fputs(",\"at\":{", f);
        put_spot(f, &t->at);
        fputc('}', f);
    }
    if (t->f.other.what) {
        fputs(",\"other\":{\"what\":", f);
        base_put_json(f, t->f.other.what);
        if (t->other.pc) {
            fputc(',', f);
            put_spot(f, &t->other);
        }
        if (t->f.other.call) put_call(f, "call", t->f.other.call, &t->other_call);
        fputc('}', f);
    }
    if (t->f.call) put_call(f, "call", t->f.call, &t->call);
    if (t->f.at_address) put_place(f, t);
    if (t->more) put_text(f, "note", t->more);
    fputs(",\"suppression\":", f);
    chk_json_rule(f, t);
    end_line(l, f, &text, &bytes);
}

static void put_sum(FILE *f, const chk_sum_t *s)
{
    fprintf(f, "\"different\":%llu,\"waves\":%llu,\"lanes\":%llu", (unsigned long long)s->different,
            (unsigned long long)s->waves, (unsigned long long)s->lanes);
}

static void summary(base_lines_t *l, const chk_total_t *total)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = begin_line(&text, &bytes, "summary");
    bool first = true;
    if (!f) return;
    put_number(f, "errors", total->errors);
    put_number(f, "untold", total->untold);
    if (total->has_status) fprintf(f, ",\"status\":%d", total->status);
    fputs(",\"kinds\":{", f);
    for (unsigned k = 0; k < CHK_KIND_COUNT; k++) {
        if (!total->kind[k].different) continue;
        fprintf(f, "%s\"%s\":{", first ? "" : ",", chk_kinds[k].name);
        put_sum(f, &total->kind[k]);
        fputc('}', f);
        first = false;
    }
    fputs("},\"findings\":[", f);
    for (uint64_t k = 0; k < total->errors; k++)
        fprintf(f, "%s{\"id\":%llu,\"waves\":%llu,\"lanes\":%llu}", k ? "," : "",
                (unsigned long long)total->times[k].id, (unsigned long long)total->times[k].waves,
                (unsigned long long)total->times[k].lanes);
    fputs("],\"suppressed\":[", f);
    first = true;
    for (size_t k = 0; k < chk_rules_count(total->rules); k++) {
        if (!total->rule[k].different) continue;
        fputs(first ? "{\"rule\":" : ",{\"rule\":", f);
        base_put_json(f, chk_rule_place(total->rules, k));
        put_text(f, "text", chk_rule_text(total->rules, k));
        fputc(',', f);
        put_sum(f, &total->rule[k]);
        fputc('}', f);
        first = false;
    }
    fputc(']', f);
    end_line(l, f, &text, &bytes);
}

static void forked(void)
{
    begun = false;
}

const chk_writer_t chk_json_writer = {.finding = finding, .summary = summary, .forked = forked};
