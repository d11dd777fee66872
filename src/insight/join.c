/* join.c - see join.h. softgpu's disassembler makes the texts from the words that were executed,
 * and blocks and loops follow from these words, too: they need neither the code object nor a
 * library. Lines, functions and facts come from the code object, if it was kept. */
#include "insight/join.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "insight/blocks.h"
#include "insight/frames.h"
#include "model/code.h"
#include "isa/isa.h"
#include "trace/agent-fields.h"
#include "trace/instructions.h"
#include "trace/reader.h"
#include "trace/store.h"

struct ins_code {
    uint64_t id;
    dis_object_t *object; /* NULL: the code object was not kept, or cannot be read */
};

/* ---- code objects ---- */

static dis_object_t *object_of(ins_set_t *set, const char *store, uint64_t id)
{
    for (size_t i = 0; i < set->code_count; i++)
        if (set->codes[i].id == id) return set->codes[i].object;
    if (!BASE_GROW_BY_ONE(set->codes, set->code_count)) return NULL;
    set->codes[set->code_count] = (ins_code_t){id, out_code_object_open(store, id)};
    return set->codes[set->code_count++].object;
}

/* ---- GPUs ---- */

static const isa_arch_t *arch_of_agent(const out_agent_t *a)
{
    return a ? isa_arch_find((uint32_t)out_agent_value(a, TRACE_AGENT_Gfx_Target_Version)) : NULL;
}

/* Returns the GPU of an instruction: the one that its code object names; if that was not kept, the
 * one on which the object was loaded; for code in no object, the process's first GPU. Returns NULL
 * if softgpu does not support it. */
static const isa_arch_t *arch_of(const out_model_t *m, const dis_object_t *object, uint64_t id)
{
    const isa_arch_t *arch = NULL;
    if (object) return isa_arch_named(dis_object_gpu(object));
    for (size_t i = 0; i < m->code_object_count; i++)
        if (m->code_objects[i]->id == id)
            return arch_of_agent(out_model_find_agent(m, m->code_objects[i]->agent));
    for (size_t i = 0; !arch && i < m->agent_count; i++)
        arch = arch_of_agent(&m->agents[i]);
    return arch;
}

/* ---- instructions ---- */

void *ins_keep(ins_set_t *set, const void *data, size_t bytes)
{
    void *copy = BASE_GROW_BY_ONE(set->kept, set->kept_count) ? malloc(bytes) : NULL;
    if (copy) set->kept[set->kept_count++] = memcpy(copy, data, bytes);
    return copy;
}

/* Adjacent instructions mostly come from the same inlined functions: then they share the list. */
static bool join_inlined(ins_set_t *set, ins_instruction_t *i, const ins_instruction_t *last,
                         dis_object_t *object)
{
    dis_inlined_t list[INS_INLINED_MAX];
    const size_t count = dis_object_inlined(object, i->address, list, INS_INLINED_MAX);
    const size_t bytes = count * sizeof(*list);
    i->inlined_count = count;
    if (!count) return true;
    if (last && last->object == i->object && last->inlined_count == count &&
        memcmp(last->inlined, list, bytes) == 0)
        i->inlined = last->inlined;
    else
        i->inlined = ins_keep(set, list, bytes);
    return i->inlined;
}

static bool describe(ins_set_t *set, ins_instruction_t *i, const ins_instruction_t *last,
                     dis_object_t *object)
{
    isa_inst_t decoded;
    i->function = i->file = "";
    if (i->arch && isa_decode(i->arch, i->words, i->n_words, &decoded) > 0)
        isa_disassemble(i->arch, &decoded, i->text, sizeof(i->text));
    else
        snprintf(i->text, sizeof(i->text), ".long 0x%08x", i->words[0]);
    if (!object) return true;
    const dis_symbol_t *symbol = dis_object_symbol_at(object, i->address);
    if (symbol) i->function = symbol->name;
    if (!dis_object_line(object, i->address, &i->file, &i->line)) i->file = "";
    if (!join_inlined(set, i, last, object)) return false;
    i->user_level = ins_user_level(i, dis_object_unit(object, i->address));
    return true;
}

/* In one object, the name of a function always has the same pointer. */
static bool same_function(const ins_instruction_t *a, const ins_instruction_t *b)
{
    return a->kernel == b->kernel && a->group == b->group && a->object == b->object &&
           a->function == b->function;
}

static bool find_blocks(ins_instruction_t *first, size_t count, ins_step_t *steps)
{
    for (size_t k = 0; k < count; k++) {
        steps[k] = (ins_step_t){.address = first[k].address};
        ins_step_decode(&steps[k], first[k].arch, first[k].words, first[k].n_words);
    }
    if (!ins_blocks_find(steps, count)) return false;
    for (size_t k = 0; k < count; k++) {
        first[k].block = steps[k].block;
        first[k].loop = steps[k].loop;
        first[k].depth = steps[k].depth;
    }
    return true;
}

static bool find_all_blocks(ins_set_t *set)
{
    ins_step_t *steps = calloc(set->count + 1, sizeof(*steps));
    bool good = steps;
    for (size_t i = 0, n; good && i < set->count; i += n) {
        for (n = 1; i + n < set->count && same_function(&set->items[i], &set->items[i + n]); n++)
            ;
        good = find_blocks(&set->items[i], n, steps);
    }
    free(steps);
    return good;
}

/* ---- kernels ---- */

static const dis_symbol_t *find_symbol(const dis_object_t *object, const char *name, size_t length)
{
    size_t count;
    const dis_symbol_t *symbols = dis_object_symbols(object, &count);
    for (size_t i = 0; i < count; i++)
        if (strlen(symbols[i].name) == length && memcmp(symbols[i].name, name, length) == 0)
            return &symbols[i];
    return NULL;
}

/* Finds the kernel's line. Its first instruction may belong to an inlined function: then the
 * outermost frame has the line. */
static void find_kernel_line(ins_code_facts_t *f, dis_object_t *object, uint64_t address)
{
    dis_inlined_t list[INS_INLINED_MAX];
    ins_instruction_t first = {.function = "", .file = "", .inlined = list};
    if (!dis_object_line(object, address, &first.file, &first.line)) first.file = "";
    first.inlined_count = dis_object_inlined(object, address, list, INS_INLINED_MAX);
    const ins_frame_t frame = ins_frame(&first, first.inlined_count);
    f->file = frame.file;
    f->line = frame.line;
}

static void describe_kernel(ins_code_facts_t *f, const char *name, dis_object_t *object)
{
    const size_t length = base_kernel_length(name, strlen(name));
    const dis_symbol_t *symbol = find_symbol(object, name, length);
    f->gpu = dis_object_gpu(object);
    f->noted = dis_object_kernel(object, name, &f->notes);
    if (!symbol) return;
    find_kernel_line(f, object, symbol->address);
    dis_object_parameters(object, symbol->address, &f->notes);
}

/* Makes the facts about each kernel. The set's kernels are sorted by id; a kernel with several
 * groups occurs several times. */
static bool describe_kernels(ins_set_t *set, const out_model_t *m, const char *store)
{
    set->facts = calloc(set->kernel_count + 1, sizeof(*set->facts));
    if (!set->facts) return false;
    for (size_t k = 0; k < set->kernel_count; k++) {
        const trace_kernel_t *record = out_model_kernel(m, set->kernels[k].kernel)->record;
        if (k && set->kernels[k - 1].kernel == set->kernels[k].kernel) continue;
        if (record->id != set->kernels[k].kernel) continue;
        dis_object_t *object = object_of(set, store, record->code_object);
        ins_code_facts_t *f = &set->facts[set->fact_count++];
        *f = (ins_code_facts_t){
            .kernel = record->id, .object = record->code_object, .gpu = "", .file = ""};
        if (object) describe_kernel(f, trace_record_text(&record->head, 0), object);
    }
    return true;
}

const ins_code_facts_t *ins_facts_of(const ins_set_t *set, uint64_t kernel)
{
    for (size_t k = 0; k < set->fact_count; k++)
        if (set->facts[k].kernel == kernel) return &set->facts[k];
    return NULL;
}

static const char *range_of(const ins_set_t *set, const out_model_t *m, uint64_t group)
{
    const char *text = set->by == TRACE_COUNTED_BY_RANGE && group ? out_model_text(m, group) : NULL;
    return text ? text : "";
}

bool ins_join(ins_set_t *set, const out_model_t *model, const char *store)
{
    for (size_t k = 0; k < set->kernel_count; k++)
        set->kernels[k].range = range_of(set, model, set->kernels[k].group);
    for (size_t i = 0; i < set->count; i++) {
        ins_instruction_t *item = &set->items[i];
        dis_object_t *object = object_of(set, store, item->object);
        item->range = range_of(set, model, item->group);
        item->arch = arch_of(model, object, item->object);
        if (!describe(set, item, i ? item - 1 : NULL, object)) return false;
    }
    return find_all_blocks(set) && describe_kernels(set, model, store);
}

void ins_join_free(ins_set_t *set)
{
    for (size_t i = 0; i < set->code_count; i++)
        dis_object_close(set->codes[i].object);
    for (size_t i = 0; i < set->kept_count; i++)
        free(set->kept[i]);
    free(set->kept);
    free(set->codes);
    free(set->facts);
}
