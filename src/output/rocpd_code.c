/* rocpd_code.c - this project's own tables in a database, with the cost of each instruction of the
 * kernels.
 *
 * They are apart because AMD's schema has no such tables. Their names begin with crocprof_, and
 * they are only made if instructions were counted. Columns follow the public list of counts. */
#include "output/rocpd.h"

#include <stdlib.h>

#include "base/file.h"
#include "insight/frames.h"
#include "insight/sources.h"
#include "output/instructions.h"
#include "output/own_tables.h"
#include "trace/instructions.h"

#define COUNT_TYPE(name, unit, meaning) ", \"" #name "\" INTEGER"
#define COUNT_NAME(name, unit, meaning) ", \"" #name "\""
#define COUNT_MARK(name, unit, meaning) ",?"
#define LANES_TYPE(name)                ", \"" #name "\" INTEGER"
#define LANES_NAME(name)                ", \"" #name "\""
#define LANES_MARK(name)                ",?"
#define COUNTS(X, LANES)                                                                           \
    SOFTGPU_INSTRUCTION_COUNTS(X) INS_BY_LANES(LANES) SOFTGPU_INSTRUCTION_MODEL(X)

static const char *const table_names[] = {
#define X(id, name) name,
    OUT_OWN_TABLES(X)
#undef X
};

static const struct {
    const char *types, *names, *marks;
} tables[] = {
    [OUT_OWN_COUNTED] =
        {"kernel_id INTEGER, dispatch_id INTEGER, range TEXT, dispatches INTEGER, waves INTEGER, "
         "lost INTEGER, modelled INTEGER",
         "kernel_id, dispatch_id, range, dispatches, waves, lost, modelled", "?,?,?,?,?,?,?"},
    [OUT_OWN_KERNEL_CODE] =
        {"kernel_id INTEGER, code_object_id INTEGER, gpu TEXT, vgpr_spills INTEGER, sgpr_spills "
         "INTEGER, group_size_max INTEGER, wave_items INTEGER, lds_bytes INTEGER, scratch_bytes "
         "INTEGER, file TEXT, "
         "line "
         "INTEGER, parameters JSONB DEFAULT '[]'",
         "kernel_id, code_object_id, gpu, vgpr_spills, sgpr_spills, group_size_max, wave_items, "
         "lds_bytes, scratch_bytes, file, line, parameters",
         "?,?,?,?,?,?,?,?,?,?,?,?"},
    [OUT_OWN_INSTRUCTION] = {"kernel_id INTEGER, dispatch_id INTEGER, range TEXT, code_object_id "
                             "INTEGER, address INTEGER, "
                             "code TEXT, text TEXT, function TEXT, file TEXT, line INTEGER, "
                             "user_file TEXT, user_line INTEGER, inlined JSONB, block INTEGER, "
                             "loop INTEGER, loop_depth INTEGER" COUNTS(COUNT_TYPE, LANES_TYPE),
                             "kernel_id, dispatch_id, range, code_object_id, address, code, text, "
                             "function, file, line, "
                             "user_file, user_line, inlined, block, loop, loop_depth" COUNTS(
                                 COUNT_NAME, LANES_NAME),
                             "?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?" COUNTS(COUNT_MARK, LANES_MARK)},
    [OUT_OWN_SOURCE] = {"path TEXT, text TEXT", "path, text", "?,?"},
};

static sqlite3_stmt *make_table(rocpd_t *r, out_own_table_t which)
{
    sqlite3_stmt *insert = NULL;
    char *sql = sqlite3_mprintf(
        "CREATE TABLE \"%w%w\" (id INTEGER PRIMARY KEY, guid TEXT NOT NULL DEFAULT %Q, %s); CREATE "
        "VIEW \"%w\" AS SELECT * FROM \"%w%w\"",
        table_names[which], r->uuid, r->guid, tables[which].types, table_names[which],
        table_names[which], r->uuid);
    rocpd_run_sql(r, sql);
    sqlite3_free(sql);
    sql = sqlite3_mprintf("INSERT INTO \"%w%w\" (%s) VALUES (%s)", table_names[which], r->uuid,
                          tables[which].names, tables[which].marks);
    rocpd_prepare(r, sql, &insert);
    sqlite3_free(sql);
    return insert;
}

static void text_if(rocpd_t *r, const char *text)
{
    rocpd_text(r, *text ? text : NULL);
}

/* Binds the dispatch or the range to which the counts belong, if they were counted separately. */
static void put_group(rocpd_t *r, const ins_set_t *set, uint64_t group, const char *range)
{
    rocpd_int_if(r, set->by == TRACE_COUNTED_BY_DISPATCH, group);
    text_if(r, range);
}

static void write_counted(rocpd_t *r, const ins_set_t *set)
{
    sqlite3_stmt *insert = make_table(r, OUT_OWN_COUNTED);
    for (size_t k = 0; k < set->kernel_count && !r->failed; k++) {
        const ins_kernel_t *n = &set->kernels[k];
        rocpd_begin_with(r, insert);
        rocpd_int(r, n->kernel);
        put_group(r, set, n->group, n->range);
        rocpd_int(r, n->dispatches);
        rocpd_int(r, n->waves);
        rocpd_int(r, n->lost);
        rocpd_int(r, set->level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL);
        rocpd_end(r);
    }
    sqlite3_finalize(insert);
}

static const char *parameters_text(rocpd_t *r, const dis_kernel_t *notes)
{
    out_json_t j = rocpd_list(r);
    out_json_parameters(&j, notes);
    return rocpd_list_text(r, &j);
}

static void write_kernel_code(rocpd_t *r, const ins_set_t *set)
{
    sqlite3_stmt *insert = make_table(r, OUT_OWN_KERNEL_CODE);
    for (size_t k = 0; k < set->fact_count && !r->failed; k++) {
        const ins_code_facts_t *f = &set->facts[k];
        const char *parameters = parameters_text(r, &f->notes);
        rocpd_begin_with(r, insert);
        rocpd_int(r, f->kernel);
        rocpd_int(r, f->object);
        text_if(r, f->gpu);
        rocpd_int_if(r, f->noted, f->notes.vgpr_spills);
        rocpd_int_if(r, f->noted, f->notes.sgpr_spills);
        rocpd_int_if(r, f->noted, f->notes.group_size_max);
        rocpd_int_if(r, f->noted && f->notes.wave_items, f->notes.wave_items);
        rocpd_int_if(r, f->noted, f->notes.group_bytes);
        rocpd_int_if(r, f->noted, f->notes.private_bytes);
        text_if(r, f->file);
        rocpd_int_if(r, f->line, f->line);
        rocpd_text(r, parameters);
        rocpd_end(r);
    }
    sqlite3_finalize(insert);
}

/* Returns the functions inlined at the instruction as text; NULL if there are none. */
static const char *inlined_text(rocpd_t *r, const ins_instruction_t *i)
{
    if (!i->inlined_count) return NULL;
    out_json_t j = rocpd_list(r);
    out_json_inlined(&j, i);
    return rocpd_list_text(r, &j);
}

static void put_counts(rocpd_t *r, const softgpu_instruction_counts_t *n, bool modelled)
{
    unsigned lanes = 0;
#define EXACT(name, unit, meaning) rocpd_int(r, n->name);
#define LANES(name)                rocpd_int(r, n->by_lanes[lanes++]);
#define MODEL(name, unit, meaning) rocpd_int_if(r, modelled, n->name);
    SOFTGPU_INSTRUCTION_COUNTS(EXACT)
    INS_BY_LANES(LANES)
    SOFTGPU_INSTRUCTION_MODEL(MODEL)
#undef EXACT
#undef LANES
#undef MODEL
}

static void write_instructions(rocpd_t *r, const ins_set_t *set)
{
    const bool modelled = set->level >= SOFTGPU_INSTRUCTION_MODEL_LEVEL;
    sqlite3_stmt *insert = make_table(r, OUT_OWN_INSTRUCTION);
    for (size_t k = 0; k < set->count && !r->failed; k++) {
        const ins_instruction_t *i = &set->items[k];
        const ins_frame_t at = ins_frame(i, i->user_level);
        const char *inlined = inlined_text(r, i);
        char code[32] = "";
        for (uint32_t w = 0, n = 0; w < i->n_words; w++)
            n +=
                (uint32_t)snprintf(code + n, sizeof(code) - n, "%s%08x", w ? " " : "", i->words[w]);
        rocpd_begin_with(r, insert);
        rocpd_int(r, i->kernel);
        put_group(r, set, i->group, i->range);
        rocpd_int(r, i->object);
        rocpd_int(r, i->address);
        rocpd_text(r, code);
        rocpd_text(r, i->text);
        text_if(r, i->function);
        text_if(r, i->file);
        rocpd_int_if(r, i->line, i->line);
        text_if(r, at.file);
        rocpd_int_if(r, at.line, at.line);
        rocpd_text(r, inlined);
        rocpd_int(r, i->block);
        rocpd_int_if(r, i->depth, i->loop);
        rocpd_int(r, i->depth);
        put_counts(r, &i->counts, modelled);
        rocpd_end(r);
    }
    sqlite3_finalize(insert);
}

typedef struct {
    rocpd_t *r;
    sqlite3_stmt *insert;
} embedder_t;

static bool embed(void *to, const char *path)
{
    embedder_t *e = to;
    char *text = ins_source_read(path, e->r->job->config->source_paths);
    if (!text) return true;
    rocpd_begin_with(e->r, e->insert);
    rocpd_text(e->r, path);
    rocpd_text(e->r, text);
    rocpd_end(e->r);
    free(text);
    return !e->r->failed;
}

static void write_sources(rocpd_t *r, const ins_set_t *set)
{
    embedder_t e = {r, make_table(r, OUT_OWN_SOURCE)};
    if (!r->failed && !ins_sources_each(set, embed, &e)) rocpd_no_memory(r);
    sqlite3_finalize(e.insert);
}

void rocpd_write_code(rocpd_t *r)
{
    const ins_set_t *set = r->job->instructions;
    if (!set) return;
    write_counted(r, set);
    write_kernel_code(r, set);
    write_instructions(r, set);
    if (r->job->config->embed_sources) write_sources(r, set);
}
