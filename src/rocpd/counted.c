/* counted.c - see counted.h. Columns are looked up by their names, since another version may have
 * other columns. */
#include "rocpd/counted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/log.h"
#include "base/text.h"
#include "insight/frames.h"
#include "rocpd/base.h"
#include "trace/instructions.h"

typedef struct {
    const db_t *db;
    ins_set_t *set;
    db_cursor_t frames;  /* elements of a list of inlined functions */
    char *chain;         /* the list that was read last */
    const char *last[4]; /* the last texts, since the next ones are mostly the same */
    unsigned turn;
    bool failed;         /* the reason has been reported */
    const char **ranges; /* texts of the ranges so far; a range's number is its index + 1 */
    size_t range_count;
} reader_t;

/* A row. `next` is the column at which the next search begins, since columns are looked up roughly
 * in their order. */
typedef struct {
    const db_cursor_t *rows;
    int next;
} row_t;

static const char what[] = "reading instructions";

/* SQL that yields the objects of the JSON list which is the only parameter. Elements that are not
 * objects count as empty ones, and a text that is not JSON counts as an empty list. */
#define OBJECTS                                                                                    \
    "(SELECT iif(type = 'object', value, '{}') AS value FROM json_each(iif(json_valid(?1), ?1, "   \
    "'[]')))"

static void no_memory(reader_t *r)
{
    if (!r->failed) base_error("%s: %s", what, strerror(ENOMEM));
    r->failed = true;
}

/* Returns the index of the column with this name; -1 if there is none. */
static int find(row_t *row, const char *name)
{
    const int count = sqlite3_column_count(row->rows->s);
    for (int i = 0; i < count; i++) {
        const int at = (row->next + i) % count;
        if (strcmp(sqlite3_column_name(row->rows->s, at), name) != 0) continue;
        row->next = at + 1;
        return at;
    }
    return -1;
}

static bool is_there(row_t *row, const char *name)
{
    const int i = find(row, name);
    return i >= 0 && !db_null(row->rows, i);
}

static uint64_t number(row_t *row, const char *name)
{
    const int i = find(row, name);
    return i < 0 ? 0 : db_uint(row->rows, i);
}

static uint32_t small(row_t *row, const char *name)
{
    const int i = find(row, name);
    return i < 0 ? 0 : db_small(row->rows, i);
}

static const char *raw_text(row_t *row, const char *name)
{
    const int i = find(row, name);
    return i < 0 ? "" : db_text(row->rows, i);
}

/* Returns a copy of the text that lives as long as the set. */
static const char *keep(reader_t *r, const char *text)
{
    if (!*text) return "";
    for (size_t i = 0; i < sizeof(r->last) / sizeof(*r->last); i++)
        if (r->last[i] && strcmp(r->last[i], text) == 0) return r->last[i];
    const char *copy = ins_keep(r->set, text, strlen(text) + 1);
    if (!copy) no_memory(r);
    if (copy) r->last[r->turn++ % (sizeof(r->last) / sizeof(*r->last))] = copy;
    return copy ? copy : "";
}

static const char *text(reader_t *r, row_t *row, const char *name)
{
    return keep(r, raw_text(row, name));
}

/* Makes room for one more element of an array. */
static bool grow(reader_t *r, void *list, size_t count, size_t bytes)
{
    const bool room = base_grow_by_one(list, count, bytes);
    if (!room) no_memory(r);
    return room;
}

/* ---- instructions ---- */

/* Reads the inlined functions from a JSON list, in its order; none if it is no list. */
static void read_inlined(reader_t *r, const char *json, ins_instruction_t *to)
{
    dis_inlined_t list[INS_INLINED_MAX];
    size_t count = 0;
    row_t row = {.rows = &r->frames};
    db_again(&r->frames, "t", json);
    while (count < INS_INLINED_MAX && db_next(&r->frames))
        list[count++] =
            (dis_inlined_t){text(r, &row, "function"), text(r, &row, "file"), small(&row, "line")};
    to->inlined = count ? ins_keep(r->set, list, count * sizeof(*list)) : NULL;
    to->inlined_count = to->inlined ? count : 0;
    if (count && !to->inlined) no_memory(r);
}

static void put_inlined(reader_t *r, const char *json, ins_instruction_t *to)
{
    const ins_instruction_t *before = r->set->count ? to - 1 : NULL;
    if (!*json) return;
    if (before && before->inlined && r->chain && strcmp(r->chain, json) == 0) {
        to->inlined = before->inlined;
        to->inlined_count = before->inlined_count;
        return;
    }
    free(r->chain);
    r->chain = strdup(json);
    read_inlined(r, json, to);
}

/* Reads an instruction's words, for example "d1190000 00020480". */
static void read_code(const char *code, ins_instruction_t *to)
{
    char *end;
    for (to->n_words = 0; *code && to->n_words < 3; code = end) {
        const unsigned long word = strtoul(code, &end, 16);
        if (end == code) return;
        to->words[to->n_words++] = (uint32_t)word;
    }
}

static void read_counts(row_t *row, softgpu_instruction_counts_t *n)
{
    unsigned lanes = 0;
#define COUNT(name, unit, meaning) n->name = number(row, #name);
#define LANES(name)                n->by_lanes[lanes++] = number(row, #name);
    SOFTGPU_INSTRUCTION_COUNTS(COUNT)
    INS_BY_LANES(LANES)
    SOFTGPU_INSTRUCTION_MODEL(COUNT)
#undef COUNT
#undef LANES
}

static uint64_t number_of_range(reader_t *r, const char *range)
{
    /* from the end, since mostly the last range comes again */
    for (size_t i = r->range_count; i-- > 0;)
        if (strcmp(r->ranges[i], range) == 0) return i + 1;
    if (!grow(r, &r->ranges, r->range_count, sizeof(*r->ranges))) return 0;
    r->ranges[r->range_count++] = range;
    return r->range_count;
}

/* Returns the row's group: the dispatch, or the number of the range. Texts of ranges are numbered
 * in the order of their first row. */
static uint64_t group_of(reader_t *r, row_t *row, const char **range)
{
    *range = text(r, row, "range");
    if (**range) {
        r->set->by = TRACE_COUNTED_BY_RANGE;
        return UINT64_C(1) << 32 | number_of_range(r, *range);
    }
    if (!is_there(row, "dispatch_id")) return 0;
    r->set->by = TRACE_COUNTED_BY_DISPATCH;
    return number(row, "dispatch_id");
}

/* Finds the level of the user's source line. It is computed if the database is of an older version
 * that lacks it, or if its line is none of the instruction's. */
static void find_user(row_t *row, ins_instruction_t *i)
{
    const uint32_t line = small(row, "user_line");
    i->user_level = line ? ins_level_at(i, raw_text(row, "user_file"), line) : SIZE_MAX;
    if (i->user_level > i->inlined_count) i->user_level = ins_user_level(i, NULL);
}

static void read_instruction(reader_t *r, row_t *row)
{
    if (!grow(r, &r->set->items, r->set->count, sizeof(*r->set->items))) return;
    ins_instruction_t *i = &r->set->items[r->set->count];
    memset(i, 0, sizeof(*i));
    i->kernel = number(row, "kernel_id");
    i->object = number(row, "code_object_id");
    i->address = number(row, "address");
    i->group = group_of(r, row, &i->range);
    read_code(raw_text(row, "code"), i);
    strncpy(i->text, raw_text(row, "text"), sizeof(i->text) - 1);
    i->function = text(r, row, "function");
    i->file = text(r, row, "file");
    i->line = small(row, "line");
    i->block = number(row, "block");
    i->loop = number(row, "loop");
    i->depth = small(row, "loop_depth");
    read_counts(row, &i->counts);
    put_inlined(r, raw_text(row, "inlined"), i);
    find_user(row, i);
    r->set->count++;
}

/* ---- kernels ---- */

static void read_kernel(reader_t *r, row_t *row)
{
    ins_set_t *set = r->set;
    if (!grow(r, &set->kernels, set->kernel_count, sizeof(*set->kernels))) return;
    ins_kernel_t *k = &set->kernels[set->kernel_count++];
    *k = (ins_kernel_t){.kernel = number(row, "kernel_id"),
                        .dispatches = number(row, "dispatches"),
                        .waves = number(row, "waves"),
                        .lost = number(row, "lost")};
    k->group = group_of(r, row, &k->range);
    set->lost += k->lost;
    if (number(row, "modelled")) set->level = SOFTGPU_INSTRUCTION_MODEL_LEVEL;
}

static void copy_text(char *to, size_t room, const char *from)
{
    strncpy(to, from, room - 1);
    to[room - 1] = '\0';
}

static void read_parameters(reader_t *r, const char *json, dis_kernel_t *notes)
{
    db_cursor_t c;
    row_t row = {.rows = &c};
    db_rows(&c, r->db,
            "SELECT value ->> '$.name' AS name, value ->> '$.type' AS type, value ->> '$.kind' AS "
            "kind, value ->> '$.offset' AS \"offset\", value ->> '$.size' AS size FROM " OBJECTS,
            "t", json);
    while (notes->parameter_count < DIS_PARAMETERS_MAX && db_next(&c)) {
        dis_parameter_t *p = &notes->parameters[notes->parameter_count++];
        copy_text(p->name, sizeof(p->name), raw_text(&row, "name"));
        copy_text(p->type, sizeof(p->type), raw_text(&row, "type"));
        copy_text(p->kind, sizeof(p->kind), raw_text(&row, "kind"));
        p->offset = small(&row, "offset");
        p->size = small(&row, "size");
    }
    if (db_end(&c, what) != 0) r->failed = true;
}

static void read_facts(reader_t *r, row_t *row)
{
    ins_set_t *set = r->set;
    if (!grow(r, &set->facts, set->fact_count, sizeof(*set->facts))) return;
    ins_code_facts_t *f = &set->facts[set->fact_count++];
    *f = (ins_code_facts_t){.kernel = number(row, "kernel_id"),
                            .object = number(row, "code_object_id"),
                            .gpu = text(r, row, "gpu"),
                            .file = text(r, row, "file"),
                            .line = small(row, "line"),
                            .noted = is_there(row, "vgpr_spills"),
                            .notes = {.vgpr_spills = small(row, "vgpr_spills"),
                                      .sgpr_spills = small(row, "sgpr_spills"),
                                      .group_size_max = small(row, "group_size_max"),
                                      .wave_items = dis_wave_items(small(row, "wave_items")),
                                      .group_bytes = small(row, "lds_bytes"),
                                      .private_bytes = small(row, "scratch_bytes")}};
    read_parameters(r, raw_text(row, "parameters"), &f->notes);
}

static const struct {
    const char *view, *sql;
    void (*read)(reader_t *r, row_t *row);
} tables[] = {
#define ROWS(view, order) view, "SELECT * FROM " view " WHERE guid = ? ORDER BY " order
    {ROWS("crocprof_counted", "kernel_id, dispatch_id, range"), read_kernel},
    {ROWS("crocprof_kernel_code", "kernel_id"), read_facts},
    {ROWS("crocprof_instruction", "kernel_id, dispatch_id, range, code_object_id, address"),
     read_instruction},
#undef ROWS
};

int rocpd_counted_read(const db_t *db, const char *guid, ins_set_t *set, bool *any)
{
    reader_t r = {.db = db, .set = set};
    *set = (ins_set_t){0};
    *any = true;
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        *any = *any && db_has(db, tables[i].view, "guid");
    if (!*any) return 0;
    db_rows(&r.frames, db,
            "SELECT value ->> '$.function' AS function, value ->> '$.file' AS file, value ->> "
            "'$.line' AS line FROM " OBJECTS,
            "t", "[]");
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && !r.failed; i++) {
        db_cursor_t c;
        row_t row = {.rows = &c};
        db_rows(&c, db, tables[i].sql, "t", guid);
        while (!r.failed && db_next(&c))
            tables[i].read(&r, &row);
        if (db_end(&c, what) != 0) r.failed = true;
    }
    *any = set->count || set->kernel_count;
    if (db_end(&r.frames, what) != 0) r.failed = true;
    free(r.chain);
    free(r.ranges);
    if (r.failed) ins_free(set);
    return r.failed ? -1 : 0;
}
