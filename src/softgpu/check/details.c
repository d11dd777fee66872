/* details.c - see details.h: looks up the names, lines and allocations of a finding. */
#include "softgpu/check/details.h"

#include "base/kernel_name.h"
#include "base/text.h"
#include "softgpu/check/code.h"
#include "softgpu/check/group.h"
#include "softgpu/check/stray.h"
#include "softgpu/memory/code_object.h"
#include "softgpu/exec/exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const chk_sides[] = {"before", "inside", "after"}; /* ORDER: chk_side_t */

static void find_spot(chk_spot_t *s, const struct sg_memory *m, uint64_t kernel_object,
                      const uint32_t *words, uint32_t n_words)
{
    const isa_arch_t *arch = n_words ? chk_arch_of(m) : NULL;
    isa_inst_t decoded;
    char *symbol = kernel_object ? sg_kernel_name(m, kernel_object) : NULL;
    s->kernel = symbol ? base_kernel_name(symbol) : NULL;
    chk_where_code(m, s->pc, &s->code);
    if (symbol && s->code.symbol && strcmp(s->code.symbol, symbol) != 0)
        s->function = base_kernel_name(s->code.symbol);
    if (arch && isa_decode(arch, words, n_words, &decoded) > 0)
        isa_disassemble(arch, &decoded, s->instruction, sizeof s->instruction);
    free(symbol);
}

static void find_place(chk_details_t *t, uint64_t va)
{
    const chk_place_t *p = &t->place;
    t->has_place = chk_near(t->f.memory, va - t->f.behind, &t->place);
    if (!t->has_place && !t->more) t->more = chk_stray(va);
    if (!t->has_place && !t->more) t->has_place = chk_stray_place(va, &t->place);
    if (!t->has_place) return;
    t->side = va < p->begin ? CHK_BEFORE : va >= p->end ? CHK_AFTER : CHK_WITHIN;
    t->distance = t->side == CHK_BEFORE  ? p->begin - va
                  : t->side == CHK_AFTER ? va - p->end
                                         : va - p->begin;
    if (p->variable) {
        t->variable = base_kernel_name(p->variable);
        chk_where_variable(t->f.memory, p, &t->made);
    } else {
        chk_where_calls(&p->made, &t->made);
    }
    if (!p->live) chk_where_calls(&p->gone, &t->gone);
}

void chk_details_make(chk_details_t *t, const chk_finding_t *f)
{
    *t = (chk_details_t){.f = *f};
    const char *text = chk_kinds[f->kind].text;
    const int n = f->bytes ? asprintf(&t->message, "%s of %llu byte%s", text,
                                      (unsigned long long)f->bytes, base_plural(f->bytes))
                           : asprintf(&t->message, "%s", text);
    if (n < 0) t->message = NULL;
    t->at = (chk_spot_t){.pc = f->pc, .wave = f->wave, .lane = f->lane};
    memcpy(t->at.group, f->group, sizeof f->group);
    if (f->pc) find_spot(&t->at, f->memory, f->kernel_object, f->words, f->n_words);
    const chk_other_t *o = &f->other;
    t->other = (chk_spot_t){.pc = o->pc, .wave = o->wave, .lane = o->lane};
    memcpy(t->other.group, o->group, sizeof o->group);
    if (o->what && o->pc) find_spot(&t->other, f->memory, o->kernel_object, o->words, o->n_words);
    if (f->call && f->stack) chk_where_calls(f->stack, &t->call);
    if (o->call && o->stack) chk_where_calls(o->stack, &t->other_call);
    if (f->more) t->more = strdup(f->more);
    if (f->at_address) find_place(t, f->va);
}

void chk_details_free(chk_details_t *t)
{
    free(t->message);
    free(t->variable);
    free(t->at.kernel);
    free(t->at.function);
    free(t->other.kernel);
    free(t->other.function);
    chk_calls_free(&t->made);
    chk_calls_free(&t->gone);
    chk_calls_free(&t->call);
    chk_calls_free(&t->other_call);
    free(t->more);
}

/* Collects the calls of which the line is known; returns how many there are. */
static size_t lines_of(const chk_calls_t *calls, const char **file, uint32_t *line)
{
    size_t n = 0;
    for (uint32_t k = 0; k < calls->n; k++)
        if (calls->call[k].file) {
            file[n] = calls->call[k].file;
            line[n++] = calls->call[k].line;
        }
    return n;
}

void chk_details_subject(const chk_details_t *t, chk_details_subject_t *s)
{
    *s = (chk_details_subject_t){
        .subject = {.kind = t->f.kind, .kernel = t->at.kernel, .call = t->f.call}};
    const chk_code_t *c = &t->at.code;
    size_t n = c->n;
    for (uint32_t k = 0; k < n; k++) { /* the first line is the one that a suggested rule names */
        const uint32_t from = k == 0 ? c->own : k <= c->own ? k - 1 : k;
        s->file[k] = c->file[from];
        s->line[k] = c->line[from];
    }
    if (!t->at.pc) n = lines_of(&t->call, s->file, s->line);
    s->subject.at = (chk_lines_t){s->file, s->line, n};
    s->subject.made =
        (chk_lines_t){s->made_file, s->made_line, lines_of(&t->made, s->made_file, s->made_line)};
}
