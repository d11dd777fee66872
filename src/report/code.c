/* code.c - see code.h. Counts of the same instruction from several dispatches or processes are
 * summed, since a report is about kernels. */
#include "report/code.h"

#include <stdlib.h>
#include <string.h>

#include "db/schema.h"

typedef enum {
    ADDRESS,
    TEXT,
    FUNCTION,
    SOURCE_FILE,
    LINE,
    USER_FILE,
    USER_LINE,
    DEPTH,
    KERNEL,
    FACT_COUNT
} fact_t;

typedef struct {
    rep_run_t *run;
    rep_names_t *names;
    db_cursor_t rows;
    const out_numbers_t *symbols;
    int facts[FACT_COUNT];      /* column of each fact in the statement; -1: the database does not
                                 * have it */
    int counts[REP_COUNTS_MAX]; /* column of each count; -1: the database does not have it */
} reader_t;

/* Columns that are not counts, and the fact in each. */
static const struct {
    const char *name;
    int fact; /* -1: not used */
} known[] = {{"id", -1},
             {"guid", -1},
             {"kernel_id", KERNEL},
             {"dispatch_id", -1},
             {"range", -1},
             {"code_object_id", -1},
             {"address", ADDRESS},
             {"code", -1},
             {"text", TEXT},
             {"function", FUNCTION},
             {"file", SOURCE_FILE},
             {"line", LINE},
             {"user_file", USER_FILE},
             {"user_line", USER_LINE},
             {"inlined", -1},
             {"block", -1},
             {"loop", -1},
             {"loop_depth", DEPTH}};

static int known_column(const char *name)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].name, name) == 0) return (int)i;
    return -1;
}

/* Returns the number of a count in the run; REP_COUNTS_MAX if there are too many. */
static size_t count_column(reader_t *r, const char *name)
{
    rep_run_t *run = r->run;
    uint32_t number = rep_name(r->names, name, &run->failed);
    size_t i = 0;
    while (i < run->count_names && run->counts[i] != number)
        i++;
    if (i < REP_COUNTS_MAX && i == run->count_names) run->counts[run->count_names++] = number;
    return i;
}

static void find_columns(reader_t *r)
{
    for (int i = 0; i < FACT_COUNT; i++)
        r->facts[i] = -1;
    for (int i = 0; i < REP_COUNTS_MAX; i++)
        r->counts[i] = -1;
    for (int c = 0; c < sqlite3_column_count(r->rows.s); c++) {
        const char *name = sqlite3_column_name(r->rows.s, c);
        int i = name ? known_column(name) : -1;
        size_t count = i < 0 && name ? count_column(r, name) : REP_COUNTS_MAX;
        if (i >= 0 && known[i].fact >= 0) r->facts[known[i].fact] = c;
        if (count < REP_COUNTS_MAX) r->counts[count] = c;
    }
}

static uint64_t fact(const reader_t *r, fact_t which)
{
    return r->facts[which] < 0 ? 0 : db_uint(&r->rows, r->facts[which]);
}

static uint32_t name_at(const reader_t *r, int column)
{
    return rep_name(r->names, db_text(&r->rows, column), &r->run->failed);
}

static uint32_t text(const reader_t *r, fact_t which)
{
    return r->facts[which] < 0 ? 0 : name_at(r, r->facts[which]);
}

static void add_row(reader_t *r)
{
    rep_run_t *run = r->run;
    uint64_t symbol = out_numbers_get(r->symbols, fact(r, KERNEL));
    if (!symbol) return;
    uint64_t parts[] = {symbol - 1, fact(r, ADDRESS), text(r, TEXT)};
    uint64_t key = out_numbers_key(REP_KEY_INSTRUCTION, parts, 3);
    uint64_t found = out_numbers_get(&run->numbers, key);
    rep_instruction_t *i =
        found ? &run->instructions.rows[found - 1] : REP_NEXT(&run->instructions);
    if (!i || (!found && !out_numbers_set(&run->numbers, key, run->instructions.count))) {
        run->failed = true;
        return;
    }
    const bool user = fact(r, USER_LINE) != 0; /* databases of older versions do not have it */
    if (!found)
        *i = (rep_instruction_t){.kernel = (uint32_t)parts[0],
                                 .address = parts[1],
                                 .text = (uint32_t)parts[2],
                                 .function = text(r, FUNCTION),
                                 .file = text(r, user ? USER_FILE : SOURCE_FILE),
                                 .line = (uint32_t)fact(r, user ? USER_LINE : LINE),
                                 .own_file = text(r, SOURCE_FILE),
                                 .own_line = (uint32_t)fact(r, LINE),
                                 .depth = (uint32_t)fact(r, DEPTH)};
    for (size_t c = 0; c < run->count_names; c++)
        if (r->counts[c] >= 0) i->counts[c] += db_uint(&r->rows, r->counts[c]);
}

static void add_source(reader_t *r)
{
    rep_source_t *s = REP_NEXT(&r->run->sources);
    if (!s) {
        r->run->failed = true;
        return;
    }
    s->path = name_at(r, 0);
    s->text = name_at(r, 1);
}

static int each_row(reader_t *r, const db_t *db, const char *guid, const char *sql, bool columns,
                    void (*add)(reader_t *r))
{
    db_rows(&r->rows, db, sql, "t", guid);
    if (columns) find_columns(r);
    while (!r->run->failed && db_next(&r->rows))
        add(r);
    return db_end(&r->rows, "reading records") == 0 && !r->run->failed ? 0 : -1;
}

int rep_code_read(rep_run_t *run, rep_names_t *names, const db_t *db, const char *guid,
                  const out_numbers_t *symbols)
{
    reader_t r = {.run = run, .names = names, .symbols = symbols};
    if (each_row(&r, db, guid, "SELECT * FROM crocprof_instruction WHERE guid = ? ORDER BY id",
                 true, add_row) != 0)
        return -1;
    if (!db_holds(db, DB_SOURCES)) return 0;
    return each_row(&r, db, guid, "SELECT path, text FROM crocprof_source WHERE guid = ?", false,
                    add_source);
}
