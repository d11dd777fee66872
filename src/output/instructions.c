/* instructions.c - counts of single instructions as a table, and for callgrind's viewers.
 *
 * Apart from csv.c because their rows are no records. Columns follow the public list of counts. */
#include "output/instructions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "trace/instructions.h"

/* ---- CSV ---- */

/* lds_clocks_needed as Lds_Clocks_Needed. */
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

void out_instructions_csv(out_file_t *f, const out_model_t *m, const ins_set_t *set)
{
    const bool modelled = set->level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL;
    out_text(f, "\"Kernel_Name\",");
    if (set->by == TRACE_COUNTED_BY_DISPATCH) out_text(f, "\"Dispatch_Id\",");
    if (set->by == TRACE_COUNTED_BY_RANGE) out_text(f, "\"Range\",");
    out_text(f, "\"Code_Object_Id\",\"Address\",\"Function\",\"Instruction\","
                "\"Source_File\",\"Source_Line\"");
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
    }
    out_json_begin(j, "parameters", '[');
    if (f) out_json_parameters(j, &f->notes);
    out_json_end(j, ']');
    out_json_end(j, '}');
}

static void put_instruction(out_json_t *j, const ins_set_t *set, const ins_instruction_t *i)
{
    const bool modelled = set->level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL;
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

/* ---- callgrind ---- */

/* Events: name, what people read, value of a count `n`; the last are of the model's level. */
#define EVENTS(X)                                                                                  \
    X(Ex, "waves that executed it", n->issued)                                                     \
    X(Lanes, "active lanes", n->lanes)                                                             \
    X(Lines, "lines of memory touched", n->lines)                                                  \
    X(MinLines, "lines of memory needed", n->lines_needed)                                         \
    X(Conflicts, "clocks of LDS conflicts", n->lds_clocks - n->lds_clocks_needed)                  \
    X(Divergent, "times that EXEC was split", n->divergent)                                        \
    X(L1Miss, "requests of L1 to L2", n->l1_misses)                                                \
    X(L2Miss, "requests that L2 had not", n->l2_misses)                                            \
    X(Cycles, "clocks of waves", clocks_of(n))

enum {
#define X(name, meaning, value) EVENT_##name,
    EVENTS(X)
#undef X
        EVENT_COUNT,
    EVENT_MODEL = EVENT_L1Miss
};

/* Issue, waits and stalls: how long waves were at it. */
static uint64_t clocks_of(const softgpu_instruction_counts_t *n)
{
    return n->issue + n->wait_code + n->wait_vector + n->wait_scalar + n->wait_lds +
           n->wait_barrier + n->wait_matrix + n->wait_sleep + n->wait_bandwidth + n->stall_valu +
           n->stall_scalar + n->stall_lds + n->stall_vector;
}

static unsigned events_of(const ins_set_t *set)
{
    return set->level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL ? EVENT_COUNT : EVENT_MODEL;
}

static void values_of(const softgpu_instruction_counts_t *n, uint64_t values[EVENT_COUNT])
{
#define X(name, meaning, value) values[EVENT_##name] = (value);
    EVENTS(X)
#undef X
}

static int by_function(const void *a, const void *b)
{
    const ins_instruction_t *x = *(const ins_instruction_t *const *)a;
    const ins_instruction_t *y = *(const ins_instruction_t *const *)b;
    if (x->object != y->object) return x->object < y->object ? -1 : 1;
    const int names = strcmp(x->function, y->function);
    if (names) return names;
    return (x->address > y->address) - (x->address < y->address);
}

static void put_hexadecimal(out_file_t *f, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "0x%llx", (unsigned long long)value);
    out_text(f, digits);
}

static void put_values(out_file_t *f, unsigned events, const uint64_t values[EVENT_COUNT])
{
    for (unsigned k = 0; k < events; k++) {
        out_char(f, ' ');
        out_unsigned(f, values[k]);
    }
    out_char(f, '\n');
}

static const char *named(const char *text)
{
    return *text ? text : "???";
}

static void put_name(out_file_t *f, const char *what, const char *name)
{
    out_text(f, what);
    out_text(f, name);
    out_char(f, '\n');
}

/* A line with the place of an instruction. */
static void put_place(out_file_t *f, const ins_instruction_t *i)
{
    put_hexadecimal(f, i->address);
    out_char(f, ' ');
    out_unsigned(f, i->line);
}

/* Branches lead to where their offset says; how often they were taken is known. */
static void put_jump(out_file_t *f, const ins_instruction_t *i)
{
    const uint64_t all = i->counts.taken + i->counts.not_taken;
    if (!all) return;
    const int64_t offset = (int16_t)(i->words[0] & 0xffff);
    out_text(f, "jcnd=");
    out_unsigned(f, i->counts.taken);
    out_char(f, '/');
    out_unsigned(f, all);
    out_char(f, ' ');
    put_hexadecimal(f, i->address + 4 + (uint64_t)(4 * offset));
    out_text(f, " 0\n");
    put_place(f, i);
    out_char(f, '\n');
}

static void put_header(out_file_t *f, const out_model_t *m, unsigned events,
                       const uint64_t totals[EVENT_COUNT])
{
    out_text(f, "# callgrind format\nversion: 1\ncreator: crocprof\npid: ");
    out_unsigned(f, m->header.pid);
    put_name(f, "\ncmd: ", out_model_info(m, "command"));
    out_text(f, "positions: instr line\n");
#define X(name, meaning, value)                                                                    \
    if (EVENT_##name < events) out_text(f, "event: " #name " : " meaning "\n");
    EVENTS(X)
#undef X
    out_text(f, "events:");
#define X(name, meaning, value)                                                                    \
    if (EVENT_##name < events) out_text(f, " " #name);
    EVENTS(X)
#undef X
    out_text(f, "\nsummary:");
    put_values(f, events, totals);
}

static void put_function(out_file_t *f, const ins_instruction_t *i, const char **file)
{
    out_text(f, "\nob=code object ");
    out_unsigned(f, i->object);
    *file = i->file;
    put_name(f, "\nfl=", named(i->file));
    put_name(f, "fn=", named(i->function));
}

void out_instructions_callgrind(out_file_t *f, const out_model_t *m, const ins_set_t *set)
{
    const unsigned events = events_of(set);
    uint64_t totals[EVENT_COUNT] = {0}, values[EVENT_COUNT];
    const char *file = "";
    const ins_instruction_t **sorted = malloc((set->count + 1) * sizeof(*sorted)), *last = NULL;
    if (!sorted) return out_no_memory(f);
    for (size_t k = 0; k < set->count; k++) {
        sorted[k] = &set->items[k];
        values_of(&set->items[k].counts, values);
        for (unsigned e = 0; e < EVENT_COUNT; e++)
            totals[e] += values[e];
    }
    qsort(sorted, set->count, sizeof(*sorted), by_function);
    put_header(f, m, events, totals);
    for (size_t k = 0; k < set->count; last = sorted[k++]) {
        const ins_instruction_t *i = sorted[k];
        if (!last || last->object != i->object || strcmp(last->function, i->function) != 0)
            put_function(f, i, &file);
        if (strcmp(file, i->file) != 0) put_name(f, "fi=", named(file = i->file));
        values_of(&i->counts, values);
        put_place(f, i);
        put_values(f, events, values);
        put_jump(f, i);
    }
    free(sorted);
}

int out_callgrind_write(out_job_t *job, const char *path)
{
    if (!job->instructions) return 0;
    out_file_t *f = out_file_open(path, job->why, job->why_bytes);
    if (f) out_instructions_callgrind(f, job->model, job->instructions);
    return f ? out_file_close(f, job->why, job->why_bytes) : -1;
}
