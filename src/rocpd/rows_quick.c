/* rows_quick.c - see rows.h. The views of the schema join each record with six or more tables. Here
 * SQLite joins records only with their events; names, processes, threads and agents are few, so
 * they are read first and looked up by their ids.
 *
 * The row of the sums to which a record belongs follows from the record's ids, of which a program
 * has few combinations: for each combination a place_t keeps that row. As in the views, a record
 * counts only if all of its ids exist, with the same guid. */
#include <stdlib.h>
#include <string.h>

#include "base/golden.h"
#include "base/grow.h"
#include "model/numbers.h"
#include "rocpd/rows.h"
#include "trace/names.h"

enum { KEYS_MAX = 6, PLACES = 4096 };

/* Values by guid and id. */
typedef struct {
    out_numbers_t *guids; /* for each guid: number of the value + 1, by id */
    size_t guid_count;
    char **texts; /* the values: texts, NULL for NULL */
    int64_t *numbers;
    size_t count, number_count;
} lookup_t;

/* The sum to which records with these ids belong. */
typedef struct {
    int64_t keys[KEYS_MAX];
    bool used, left_out, marker;
    int process;
    size_t sums, row; /* indices in the partial; for a marker only the first */
} place_t;

typedef struct {
    const db_t *db;
    const rocpd_rows_t *rows;
    rocpd_partial_t *to;
    char **guids;
    size_t guid_count, last; /* `last`: number of the last row's guid */
    lookup_t strings, processes, threads, agents, kernels;
    place_t *places;
    sums_t extdata;  /* JSON texts of markers; only the names are used */
    char **messages; /* the message in each of them, or NULL */
    size_t message_count;
    bool odd, no_memory;
} quick_t;

/* ---- names, processes, threads, agents ---- */

/* Returns the number of the guid in the row's first column, from 1; 0 for NULL. */
static int64_t guid_of(quick_t *q, const db_cursor_t *c)
{
    if (db_null(c, 0)) return 0;
    const char *guid = db_text(c, 0);
    if (q->last < q->guid_count && strcmp(q->guids[q->last], guid) == 0)
        return (int64_t)q->last + 1;
    for (q->last = 0; q->last < q->guid_count; q->last++)
        if (strcmp(q->guids[q->last], guid) == 0) return (int64_t)q->last + 1;
    if (!base_add_text(&q->guids, &q->guid_count, guid)) q->no_memory = true;
    return (int64_t)q->last + 1;
}

/* Returns an id; a value that is not a whole number makes the database odd. */
static int64_t id_in(quick_t *q, const db_cursor_t *c, int column, bool *null)
{
    const int type = db_type(c, column);
    *null = type == SQLITE_NULL;
    if (type != SQLITE_INTEGER && type != SQLITE_NULL) q->odd = true;
    return *null ? INT64_MIN : db_int(c, column);
}

static void add_value(quick_t *q, lookup_t *l, int64_t guid, int64_t id, const db_cursor_t *c)
{
    while (l->guid_count <= (size_t)guid && !q->no_memory)
        if (BASE_GROW_BY_ONE(l->guids, l->guid_count))
            l->guids[l->guid_count++] = (out_numbers_t){0};
        else
            q->no_memory = true;
    if (q->no_memory || !BASE_GROW_BY_ONE(l->texts, l->count) ||
        !BASE_GROW_BY_ONE(l->numbers, l->number_count)) {
        q->no_memory = true;
        return;
    }
    char *text = db_null(c, 2) ? NULL : strdup(db_text(c, 2));
    if (!text && !db_null(c, 2)) q->no_memory = true;
    l->texts[l->count++] = text;
    l->numbers[l->number_count++] = db_int(c, 2);
    if (out_numbers_get(&l->guids[guid], (uint64_t)id))
        q->odd = true; /* the views show such records twice */
    else if (!out_numbers_set(&l->guids[guid], (uint64_t)id, l->count))
        q->no_memory = true;
}

/* Reads a table of guids, ids and values. */
static int load(quick_t *q, lookup_t *l, const char *sql)
{
    db_cursor_t c;
    for (db_rows(&c, q->db, sql, ""); !q->no_memory && db_next(&c);) {
        bool null;
        const int64_t guid = guid_of(q, &c), id = id_in(q, &c, 1, &null);
        if (guid && !null) add_value(q, l, guid, id, &c);
    }
    return db_end(&c, "summing up records");
}

/* Returns the value's number, or -1. */
static int64_t look_up(const lookup_t *l, int64_t guid, int64_t id)
{
    if ((size_t)guid >= l->guid_count || id == INT64_MIN) return -1;
    return (int64_t)out_numbers_get(&l->guids[guid], (uint64_t)id) - 1;
}

static void forget(lookup_t *l)
{
    for (size_t i = 0; i < l->guid_count; i++)
        free(l->guids[i].rows);
    for (size_t i = 0; i < l->count; i++)
        free(l->texts[i]);
    free(l->guids);
    free(l->texts);
    free(l->numbers);
}

/* ---- places ---- */

/* Notes the sum for a name, which may be NULL. */
static void set_place(quick_t *q, place_t *p, rocpd_of_t of, const char *sums_name,
                      const char *name)
{
    rocpd_sums_t *sums = rocpd_partial_sums(q->to, of, sums_name);
    const sum_row_t *row =
        sums ? sums_row_copied(&sums->rows, 2 * p->process + !name, name ? name : "") : NULL;
    if (!row) {
        q->no_memory = true;
        return;
    }
    p->sums = (size_t)(sums - q->to->sums);
    p->row = (size_t)(row - sums->rows.rows);
}

/* The keys of all records begin with their guid, process and thread. */
enum { GUID, PROCESS, THREAD, COMMON };

/* Notes the process; if there is no such process or thread, the record is left out. */
static bool set_process(quick_t *q, place_t *p)
{
    const int64_t guid = p->keys[GUID];
    const int64_t process = look_up(&q->processes, guid, p->keys[PROCESS]);
    p->left_out = process < 0 || look_up(&q->threads, guid, p->keys[THREAD]) < 0;
    if (p->left_out) return false;
    p->process =
        rocpd_partial_process(q->to, (int)q->processes.numbers[process], q->guids[guid - 1]);
    if (p->process < 0) q->no_memory = true;
    return p->process >= 0;
}

/* Returns the name of a kernel in the selected form; `range` is the id of its range. */
static const char *kernel_name(const quick_t *q, int64_t kernel, int64_t range)
{
    const char *of_range = q->strings.texts[range];
    if (q->rows->names & ROCPD_NAMES_RENAMED && of_range && *of_range) return of_range;
    return q->kernels.texts[kernel];
}

static void place_kernel(quick_t *q, place_t *p)
{
    enum { KERNEL = COMMON, RANGE, AGENT };
    const int64_t guid = p->keys[GUID];
    const int64_t kernel = look_up(&q->kernels, guid, p->keys[KERNEL]);
    const int64_t range = look_up(&q->strings, guid, p->keys[RANGE]);
    p->left_out = kernel < 0 || range < 0 || look_up(&q->agents, guid, p->keys[AGENT]) < 0;
    if (!p->left_out && set_process(q, p))
        set_place(q, p, ROCPD_OF_VIEW, "kernels", kernel_name(q, kernel, range));
}

static void place_copy(quick_t *q, place_t *p)
{
    enum { NAME = COMMON, TO, FROM };
    const int64_t guid = p->keys[GUID], name = look_up(&q->strings, guid, p->keys[NAME]);
    p->left_out = name < 0 || look_up(&q->agents, guid, p->keys[TO]) < 0 ||
                  look_up(&q->agents, guid, p->keys[FROM]) < 0;
    if (!p->left_out && set_process(q, p))
        set_place(q, p, ROCPD_OF_VIEW, "memory_copies", q->strings.texts[name]);
}

static void place_region(quick_t *q, place_t *p)
{
    enum { NAME = COMMON, CATEGORY };
    const int64_t guid = p->keys[GUID], name = look_up(&q->strings, guid, p->keys[NAME]);
    const int64_t number = look_up(&q->strings, guid, p->keys[CATEGORY]);
    const char *category = number < 0 ? NULL : q->strings.texts[number];
    p->left_out = !category;
    if (!category) return;
    /* a category gets sums even if none of its records counts */
    const rocpd_sums_t *sums = rocpd_partial_sums(q->to, ROCPD_OF_CATEGORY, category);
    if (!sums) q->no_memory = true;
    p->left_out = !sums || name < 0;
    if (p->left_out || !set_process(q, p)) return;
    p->sums = (size_t)(sums - q->to->sums);
    p->marker = sqlite3_strlike("marker\\_%", category, '\\') == 0;
    if (!p->marker) set_place(q, p, ROCPD_OF_CATEGORY, category, q->strings.texts[name]);
}

/* ---- texts of markers ---- */

/* Returns the member "message" of a JSON text; NULL if there is none. A text that is not JSON makes
 * the database odd, so that the views report it with SQLite's message. */
static char *extract(quick_t *q, const char *extdata)
{
    db_cursor_t c;
    char *message = NULL;
    db_rows(&c, q->db, "SELECT JSON_EXTRACT(?1, '$.message') WHERE JSON_VALID(?1)", "t", extdata);
    const bool valid = db_next(&c), some = valid && !db_null(&c, 0);
    if (some) message = strdup(db_text(&c, 0));
    if (db_end(&c, "summing up records") != 0 || !valid) q->odd = true;
    if (some && !message) q->no_memory = true;
    return message;
}

/* The same with a cache. */
static const char *message_of(quick_t *q, const char *extdata)
{
    const sum_row_t *row = sums_row_copied(&q->extdata, 0, extdata);
    const size_t number = row ? (size_t)(row - q->extdata.rows) : 0;
    if (!row || (number == q->message_count && !BASE_GROW_BY_ONE(q->messages, number))) {
        q->no_memory = true;
        return NULL;
    }
    if (number == q->message_count) q->messages[q->message_count++] = extract(q, extdata);
    return q->messages[number];
}

/* Returns the sum of a marker, whose name is its text, or else that of its call. */
static sum_row_t *marker_row(quick_t *q, const place_t *p, const db_cursor_t *c, int extdata)
{
    const char *name = db_null(c, extdata) ? NULL : message_of(q, db_text(c, extdata));
    if (!name) {
        const int64_t number = look_up(&q->strings, p->keys[GUID], p->keys[COMMON]);
        name = q->strings.texts[number];
    }
    return sums_row_copied(&q->to->sums[p->sums].rows, 2 * p->process + !name, name ? name : "");
}

/* ---- records ---- */

/* The columns of each kind of record. The ids stand after the guid, in the order of the place's
 * keys; the columns of the event follow. */
enum { START = DB_RECORD_REST, END, IDS };

#define NUMBER(column)                                                                             \
    {                                                                                              \
        .name = column                                                                             \
    }
#define TEXT(column)                                                                               \
    {                                                                                              \
        .name = column, .text = true                                                               \
    }
#define RECORD                                                                                     \
    TEXT("guid"), NUMBER("event_id"), NUMBER("start"), NUMBER("end"), NUMBER("pid"), NUMBER("tid")
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const db_wanted_t kernel_columns[] = {RECORD, NUMBER("kernel_id"), NUMBER("region_name_id"),
                                             NUMBER("agent_id")};
static const db_wanted_t copy_columns[] = {RECORD, NUMBER("name_id"), NUMBER("dst_agent_id"),
                                           NUMBER("src_agent_id")};
static const db_wanted_t region_columns[] = {RECORD, NUMBER("name_id")};
static const db_wanted_t event_columns[] = {TEXT("guid"), NUMBER("category_id"), TEXT("extdata")};

typedef struct {
    const char *view;
    db_records_t records;
    int keys;    /* number of keys of its places */
    int extdata; /* column with the text of a marker, or 0 */
    void (*place)(quick_t *q, place_t *p);
} table_t;

#define OF(from, columns, of_event)                                                                \
    {                                                                                              \
        .table = (from), .record = (columns), .records = COUNT(columns), .event = event_columns,   \
        .events = (of_event)                                                                       \
    }

static const table_t tables[] = {
    {"kernels", OF("rocpd_kernel_dispatch", kernel_columns, 1), 6, 0, place_kernel},
    {"memory_copies", OF("rocpd_memory_copy", copy_columns, 1), 6, 0, place_copy},
};
static const table_t regions = {"regions", OF("rocpd_region", region_columns, 3), 5, 9,
                                place_region};

enum { TABLES = COUNT(tables) };

/* Returns the place of a record; a place that was kept for other ids is replaced. */
static place_t *place_of(quick_t *q, const table_t *t, const db_cursor_t *c)
{
    int64_t keys[KEYS_MAX] = {guid_of(q, c)};
    uint64_t hash = (uint64_t)keys[0];
    bool null;
    for (int i = 1; i < t->keys; i++) {
        const int column = IDS + i - 1;
        keys[i] = id_in(q, c, column + (column >= (int)t->records.records), &null);
        hash = (hash ^ (uint64_t)keys[i]) * BASE_GOLDEN;
        hash ^= hash >> 29;
    }
    place_t *p = &q->places[hash % PLACES];
    if (p->used && memcmp(p->keys, keys, sizeof(keys)) == 0) return p;
    *p = (place_t){.used = true};
    memcpy(p->keys, keys, sizeof(keys));
    t->place(q, p);
    return p;
}

/* Computes the duration of a record. Returns false if it has none; one that is not the difference
 * of two whole numbers makes the database odd. */
static bool get_duration(quick_t *q, const db_cursor_t *c, int64_t *ns)
{
    bool no_start, no_end;
    const int64_t start = id_in(q, c, START, &no_start), end = id_in(q, c, END, &no_end);
    if (no_start || no_end) return false;
    if (__builtin_sub_overflow(end, start, ns)) q->odd = true;
    return true;
}

static int read_table(quick_t *q, const table_t *t)
{
    db_cursor_t c;
    memset(q->places, 0, PLACES * sizeof(*q->places));
    for (db_records(&c, q->db, &t->records, NULL); !q->odd && !q->no_memory && db_next(&c);) {
        int64_t ns;
        if (!get_duration(q, &c, &ns)) continue;
        const place_t *p = place_of(q, t, &c);
        if (p->left_out || q->no_memory) continue;
        sum_row_t *row =
            p->marker ? marker_row(q, p, &c, t->extdata) : &q->to->sums[p->sums].rows.rows[p->row];
        if (row)
            sum_add(&row->sum, ns);
        else
            q->no_memory = true;
    }
    return db_end(&c, "summing up records");
}

/* ---- a database ---- */

/* Views that mostly have no rows: rocpd_rows_quick() reads them if their tables are empty. */
static const struct {
    const char *view, *sql;
} rare[] = {
    {"memory_allocations", "SELECT 1 FROM rocpd_memory_allocate LIMIT 1"},
    {"scratch_memory", "SELECT 1 FROM rocpd_memory_allocate LIMIT 1"},
    {"graph_launches", "SELECT 1 FROM rocpd_graph_launch LIMIT 1"},
    {"hip_events", "SELECT 1 FROM rocpd_hip_event LIMIT 1"},
};

static int has_no_rows(const db_t *db, const char *sql)
{
    db_cursor_t c;
    db_rows(&c, db, sql, "");
    const bool none = !db_next(&c);
    return db_end(&c, "summing up records") == 0 ? none : -1;
}

static const rocpd_source_t *find_view(const rocpd_rows_t *r, const char *view)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->views[i].view && strcmp(r->views[i].name, view) == 0) return &r->views[i];
    return NULL;
}

int rocpd_rows_are_quick(const db_t *db, const rocpd_source_t *view)
{
    if (!view->view) return 0;
    for (size_t i = 0; i < TABLES; i++)
        if (strcmp(tables[i].view, view->name) == 0) return 1;
    for (size_t i = 0; i < sizeof(rare) / sizeof(*rare); i++)
        if (strcmp(rare[i].view, view->name) == 0) return has_no_rows(db, rare[i].sql);
    return 0;
}

/* Reads the tables to which records refer. */
static int load_all(quick_t *q)
{
    static const char *const shown = "SELECT guid, id, display_name FROM rocpd_info_kernel_symbol";
    static const char *const symbols = "SELECT guid, id, kernel_name FROM rocpd_info_kernel_symbol";
    const uint32_t form = q->rows->names & ~ROCPD_NAMES_RENAMED;
    if (load(q, &q->strings, "SELECT guid, id, string FROM rocpd_string") != 0 ||
        load(q, &q->processes, "SELECT guid, id, pid FROM rocpd_info_process") != 0 ||
        load(q, &q->threads, "SELECT guid, id, NULL FROM rocpd_info_thread") != 0 ||
        load(q, &q->agents, "SELECT guid, id, NULL FROM rocpd_info_agent") != 0 ||
        load(q, &q->kernels, form == ROCPD_NAMES_SHOWN ? shown : symbols) != 0)
        return -1;
    for (size_t i = 0; form == ROCPD_NAMES_TRUNCATED && i < q->kernels.count; i++) {
        char **text = &q->kernels.texts[i];
        char *name = *text ? trace_kernel_name(*text, TRACE_NAMES_TRUNCATED) : NULL;
        if (name) free(*text);
        if (name) *text = name;
    }
    return 0;
}

static int read_all(quick_t *q)
{
    int result = load_all(q);
    for (size_t i = 0; result == 0 && i < TABLES; i++)
        if (find_view(q->rows, tables[i].view)) result = read_table(q, &tables[i]);
    if (result == 0 && q->rows->regions.view) result = read_table(q, &regions);
    return result;
}

int rocpd_rows_quick(const rocpd_rows_t *r, const db_t *db, rocpd_partial_t *to)
{
    quick_t q = {.db = db, .rows = r, .to = to, .places = calloc(PLACES, sizeof(place_t))};
    if (!r->regions.view && !find_view(r, "kernels")) {
        free(q.places);
        return 0;
    }
    const int result = q.places ? read_all(&q) : rocpd_rows_no_memory();
    lookup_t *const lookups[] = {&q.strings, &q.processes, &q.threads, &q.agents, &q.kernels};
    for (size_t i = 0; i < sizeof(lookups) / sizeof(*lookups); i++)
        forget(lookups[i]);
    for (size_t i = 0; i < q.guid_count; i++)
        free(q.guids[i]);
    for (size_t i = 0; i < q.message_count; i++)
        free(q.messages[i]);
    sums_free(&q.extdata);
    free(q.guids);
    free(q.messages);
    free(q.places);
    if (q.no_memory) return rocpd_rows_no_memory();
    return result != 0 ? -1 : q.odd;
}
