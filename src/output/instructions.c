/* instructions.c - counts of single instructions as a table and in JSON.
 *
 * It is apart from csv.c because its rows are not records. Columns follow the public list of counts
 * (softgpu/instruction_counts.h). */
#include "output/instructions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insight/frames.h"
#include "output/format.h"
#include "trace/instructions.h"

enum { CHAIN_BYTES = 4096 };

/* ---- CSV ---- */

/* Writes lds_clocks_needed as Lds_Clocks_Needed. */
static void put_title(out_file_t *f, const char *name)
{
    bool first = true;
    out_text(f, ",\"");
    for (; *name; name++) {
        const bool capital = first && *name >= 'a' && *name <= 'z';
        out_char(f, capital ? (char)(*name - 'a' + 'A') : *name);
        first = *name == '_';
    }
    out_char(f, '"');
}

static void cell_text(out_file_t *f, const char *text)
{
    out_quoted(f, text);
    out_char(f, ',');
}

static void put_user(out_file_t *f, const ins_instruction_t *i)
{
    const ins_frame_t at = ins_frame(i, i->user_level);
    char chain[CHAIN_BYTES];
    ins_inlined_text(i, i->user_level, chain, sizeof(chain));
    out_char(f, ',');
    cell_text(f, at.file);
    out_cell(f, at.line, ',');
    out_quoted(f, chain);
}

void out_instructions_csv(out_file_t *f, const out_model_t *m, const ins_set_t *set)
{
    const bool modelled = set->level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL;
    out_text(f, "\"Kernel_Name\",");
    if (set->by == TRACE_COUNTED_BY_DISPATCH) out_text(f, "\"Dispatch_Id\",");
    if (set->by == TRACE_COUNTED_BY_RANGE) out_text(f, "\"Range\",");
    out_text(f, "\"Code_Object_Id\",\"Address\",\"Function\",\"Instruction\","
                "\"Source_File\",\"Source_Line\",\"User_File\",\"User_Line\",\"Inlined\"");
#define TITLE(name, unit, meaning) put_title(f, #name);
    SOFTGPU_INSTRUCTION_COUNTS(TITLE)
#define LANES(name) put_title(f, #name);
    INS_BY_LANES(LANES)
#undef LANES
    if (modelled) {
        SOFTGPU_INSTRUCTION_MODEL(TITLE)
    }
    out_char(f, '\n');
    for (size_t k = 0; k < set->count; k++) {
        const ins_instruction_t *i = &set->items[k];
        cell_text(f, out_model_kernel(m, i->kernel)->name);
        if (set->by == TRACE_COUNTED_BY_DISPATCH) out_cell(f, i->group, ',');
        if (set->by == TRACE_COUNTED_BY_RANGE) cell_text(f, i->range);
        out_cell(f, i->object, ',');
        out_cell(f, i->address, ',');
        cell_text(f, i->function);
        cell_text(f, i->text);
        cell_text(f, i->file);
        out_unsigned(f, i->line);
        put_user(f, i);
#define CELL(name, unit, meaning)                                                                  \
    out_char(f, ',');                                                                              \
    out_unsigned(f, i->counts.name);
        SOFTGPU_INSTRUCTION_COUNTS(CELL)
        for (size_t n = 0; n < sizeof(i->counts.by_lanes) / sizeof(*i->counts.by_lanes); n++) {
            out_char(f, ',');
            out_unsigned(f, i->counts.by_lanes[n]);
        }
        if (modelled) {
            SOFTGPU_INSTRUCTION_MODEL(CELL)
        }
        out_char(f, '\n');
    }
#undef TITLE
#undef CELL
}

/* ---- JSON ---- */

static void put_kernel(out_json_t *j, const ins_set_t *set, const ins_kernel_t *k)
{
    const ins_code_facts_t *f = ins_facts_of(set, k->kernel);
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "kernel_id", k->kernel);
    if (set->by == TRACE_COUNTED_BY_DISPATCH) out_json_unsigned(j, "dispatch_id", k->group);
    if (set->by == TRACE_COUNTED_BY_RANGE) out_json_text(j, "range", k->range);
    out_json_unsigned(j, "dispatches", k->dispatches);
    out_json_unsigned(j, "waves", k->waves);
    out_json_unsigned(j, "lost", k->lost);
    if (f && f->noted) {
        out_json_unsigned(j, "vgpr_spills", f->notes.vgpr_spills);
        out_json_unsigned(j, "sgpr_spills", f->notes.sgpr_spills);
        out_json_unsigned(j, "group_size_max", f->notes.group_size_max);
        if (f->notes.wave_items) out_json_unsigned(j, "wave_items", f->notes.wave_items);
    }
    out_json_begin(j, "parameters", '[');
    if (f) out_json_parameters(j, &f->notes);
    out_json_end(j, ']');
    out_json_end(j, '}');
}

static void put_instruction(out_json_t *j, const ins_set_t *set, const ins_instruction_t *i)
{
    const bool modelled = set->level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL;
    const ins_frame_t at = ins_frame(i, i->user_level);
    out_json_begin(j, NULL, '{');
    out_json_unsigned(j, "kernel_id", i->kernel);
    if (set->by == TRACE_COUNTED_BY_DISPATCH) out_json_unsigned(j, "dispatch_id", i->group);
    if (set->by == TRACE_COUNTED_BY_RANGE) out_json_text(j, "range", i->range);
    out_json_unsigned(j, "code_object_id", i->object);
    out_json_unsigned(j, "address", i->address);
    out_json_text(j, "text", i->text);
    out_json_text(j, "function", i->function);
    out_json_text(j, "file", i->file);
    out_json_unsigned(j, "line", i->line);
    out_json_text(j, "user_file", at.file);
    out_json_unsigned(j, "user_line", at.line);
    out_json_begin(j, "inlined", '[');
    out_json_inlined(j, i);
    out_json_end(j, ']');
    out_json_unsigned(j, "block", i->block);
    if (i->depth) out_json_unsigned(j, "loop", i->loop);
    out_json_unsigned(j, "loop_depth", i->depth);
#define MEMBER(name, unit, meaning) out_json_unsigned(j, #name, i->counts.name);
    SOFTGPU_INSTRUCTION_COUNTS(MEMBER)
    out_json_begin(j, "by_lanes", '[');
    for (size_t n = 0; n < sizeof(i->counts.by_lanes) / sizeof(*i->counts.by_lanes); n++)
        out_json_unsigned(j, NULL, i->counts.by_lanes[n]);
    out_json_end(j, ']');
    if (modelled) {
        SOFTGPU_INSTRUCTION_MODEL(MEMBER)
    }
#undef MEMBER
    out_json_end(j, '}');
}

void out_json_parameters(out_json_t *j, const dis_kernel_t *notes)
{
    for (size_t i = 0; i < notes->parameter_count; i++) {
        const dis_parameter_t *p = &notes->parameters[i];
        out_json_begin(j, NULL, '{');
        out_json_text(j, "name", p->name);
        out_json_text(j, "type", p->type);
        out_json_text(j, "kind", p->kind);
        out_json_unsigned(j, "offset", p->offset);
        out_json_unsigned(j, "size", p->size);
        out_json_end(j, '}');
    }
}

void out_json_inlined(out_json_t *j, const ins_instruction_t *i)
{
    for (size_t k = 0; k < i->inlined_count; k++) {
        out_json_begin(j, NULL, '{');
        out_json_text(j, "function", i->inlined[k].function);
        out_json_text(j, "file", i->inlined[k].file);
        out_json_unsigned(j, "line", i->inlined[k].line);
        out_json_end(j, '}');
    }
}

void out_instructions_json(out_json_t *j, const ins_set_t *set)
{
    out_json_begin(j, "kernels", '[');
    for (size_t k = 0; k < set->kernel_count; k++)
        put_kernel(j, set, &set->kernels[k]);
    out_json_end(j, ']');
    out_json_begin(j, "instructions", '[');
    for (size_t k = 0; k < set->count; k++)
        put_instruction(j, set, &set->items[k]);
    out_json_end(j, ']');
}
