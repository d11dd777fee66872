/* database.c - fuzz target: databases with rows of any contents, and tables amiss, for rocpd,
 * rocprofv3 annotate and report.
 *
 * The first byte chooses the command. Each further line is SQL, run on an empty database of our
 * schema, whose tables have the suffix _0: what fails is left out, so a cut line costs no others.
 * A line "schema NAME TEXT" puts TEXT into the schema as that of the view NAME, whatever it is:
 * nothing of it may be run, so a file beside the database, which such a text can name, stays as it
 * is. */
#include "folder.h"

#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "base/log.h"
#include "report/report.h"
#include "results/commands.h"
#include "rocpd/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char rocpd_schema[];

enum { TEXT_MAX = 100000, STEPS_MAX = 200000 };

static char path[80];
static unsigned char *empty; /* the file without rows */
static sqlite3_int64 empty_bytes;

/* Tables of instructions, with some of the columns. */
static const char own[] =
    "CREATE TABLE crocprof_counted_0 (id INTEGER PRIMARY KEY, guid TEXT DEFAULT '0', kernel_id "
    "INTEGER, dispatch_id INTEGER, range TEXT, dispatches INTEGER, waves INTEGER, lost INTEGER, "
    "modelled INTEGER); CREATE TABLE crocprof_kernel_code_0 (id INTEGER PRIMARY KEY, guid TEXT "
    "DEFAULT '0', kernel_id INTEGER, gpu TEXT, vgpr_spills INTEGER, file TEXT, line INTEGER, "
    "parameters TEXT); CREATE TABLE crocprof_instruction_0 (id INTEGER PRIMARY KEY, guid TEXT "
    "DEFAULT '0', kernel_id INTEGER, dispatch_id INTEGER, range TEXT, code_object_id INTEGER, "
    "address INTEGER, code TEXT, text TEXT, function TEXT, file TEXT, line INTEGER, inlined TEXT, "
    "user_file TEXT, user_line INTEGER, "
    "block INTEGER, loop INTEGER, loop_depth INTEGER, issued INTEGER, lanes INTEGER, lines "
    "INTEGER, lines_needed INTEGER, lds_clocks INTEGER, lds_clocks_needed INTEGER, divergent "
    "INTEGER, wait_lds INTEGER); CREATE VIEW crocprof_counted AS SELECT * FROM crocprof_counted_0; "
    "CREATE VIEW "
    "crocprof_kernel_code AS SELECT * FROM crocprof_kernel_code_0; CREATE VIEW "
    "crocprof_instruction AS SELECT * FROM crocprof_instruction_0;";

/* The schema with the suffix and the text of a run in it, in place: {uuid} and {guid} are longer.
 */
static char *schema(void)
{
    char *text = strdup(rocpd_schema), *to = text;
    if (!text) abort();
    for (const char *at = text; *at;) {
        bool uuid = strncmp(at, "{uuid}", 6) == 0, guid = strncmp(at, "{guid}", 6) == 0;
        if (uuid) *to++ = '_';
        *to++ = uuid || guid ? '0' : *at;
        at += uuid || guid ? 6 : 1;
    }
    *to = 0;
    return text;
}

static void make_empty(void)
{
    sqlite3 *db;
    char *text = schema();
    if (sqlite3_open(":memory:", &db) != SQLITE_OK ||
        sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db, own, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(db,
                     "INSERT INTO rocpd_metadata_0 (tag, value) VALUES ('schema_version', '3'), "
                     "('uuid', '_0'), ('guid', '0')",
                     NULL, NULL, NULL) != SQLITE_OK)
        abort();
    empty = sqlite3_serialize(db, "main", &empty_bytes, 0);
    sqlite3_close(db);
    free(text);
    if (!empty) abort();
}

static const char victim_text[] = "what nobody may change";

static void leave_victim(void)
{
    char name[100];
    snprintf(name, sizeof(name), "%s.victim", folder);
    remove(name);
}

static void make_victim(void)
{
    char name[100];
    snprintf(name, sizeof(name), "%s.victim", folder);
    if (atexit(leave_victim) != 0) abort();
    FILE *f = fopen(name, "w");
    if (!f || fputs(victim_text, f) < 0 || fclose(f) != 0) abort();
}

static void look_at_victim(void)
{
    char name[100], text[sizeof(victim_text) + 1] = "";
    snprintf(name, sizeof(name), "%s.victim", folder);
    FILE *f = fopen(name, "r");
    if (!f || !fgets(text, sizeof(text), f) || strcmp(text, victim_text) != 0) abort();
    fclose(f);
}

static void begin(void)
{
    folder_make();
    if (!freopen("/dev/null", "w", stdout)) abort();
    snprintf(path, sizeof(path), "%s/x.db", folder);
    base_log_to("/dev/null");
    make_empty();
    make_victim();
}

static int permit(void *user, int action, const char *a, const char *b, const char *c,
                  const char *d)
{
    (void)user, (void)a, (void)b, (void)c, (void)d;
    static const int good[] = {SQLITE_INSERT,    SQLITE_UPDATE,    SQLITE_DELETE,
                               SQLITE_SELECT,    SQLITE_READ,      SQLITE_DROP_TABLE,
                               SQLITE_DROP_VIEW, SQLITE_DROP_INDEX};
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        if (good[i] == action) return SQLITE_OK;
    return SQLITE_DENY;
}

/* "NAME TEXT": VICTIM in the text stands for the file beside. */
static void put_schema(sqlite3 *db, char *line)
{
    char *name = strsep(&line, " ");
    sqlite3_stmt *s = NULL;
    if (!line) return;
    char *sql =
        sqlite3_mprintf("INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES "
                        "('view', ?1, ?1, 0, replace(?2, 'VICTIM', '%q.victim'))",
                        folder);
    sqlite3_exec(db, "PRAGMA writable_schema = ON", NULL, NULL, NULL);
    if (sqlite3_prepare_v2(db, "DELETE FROM sqlite_master WHERE name = ?1", -1, &s, NULL) ==
        SQLITE_OK) {
        sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
        sqlite3_step(s);
    }
    sqlite3_finalize(s);
    if (sql && sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
        sqlite3_bind_text(s, 2, line, -1, SQLITE_STATIC);
        sqlite3_step(s);
        sqlite3_finalize(s);
    }
    sqlite3_free(sql);
}

static int enough(void *steps)
{
    return --*(int *)steps < 0;
}

static void put_rows(const uint8_t *data, size_t size)
{
    sqlite3 *db;
    int steps = STEPS_MAX / 1000;
    FILE *f = fopen(path, "w");
    if (!f || fwrite(empty, 1, (size_t)empty_bytes, f) != (size_t)empty_bytes || fclose(f) != 0)
        abort();
    char *text = strndup((const char *)data, size), *rest = text;
    if (!text || sqlite3_open(path, &db) != SQLITE_OK) abort();
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, TEXT_MAX);
    sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN", NULL, NULL,
                 NULL);
    sqlite3_progress_handler(db, 1000, enough, &steps);
    for (char *line; (line = strsep(&rest, "\n"));) {
        const bool schema_line = strncmp(line, "schema ", 7) == 0;
        sqlite3_set_authorizer(db, schema_line ? NULL : permit, NULL);
        if (schema_line)
            put_schema(db, line + 7);
        else
            sqlite3_exec(db, line, NULL, NULL, NULL);
    }
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_progress_handler(db, 0, NULL, NULL);
    sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(db);
    free(text);
}

/* A timeline of few records, so that windows are cut too. */
static void write_report(void)
{
    char page[100], *paths[] = {path};
    rep_request_t q = {.run_count = 1, .events = 4};
    q.runs[0] = (rep_input_t){.label = "x", .paths = paths, .count = 1};
    snprintf(page, sizeof(page), "%s/x.html", folder);
    rep_write(&q, page);
    folder_clear(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const words[][10] = {
        {"convert", "-f", "csv"},
        {"convert", "-f", "json"},
        {"convert", "-f", "pftrace"},
        {"convert", "-f", "otf2"},
        {"convert", "-f", "json", "pftrace", "--kernel-rename", "--start", "10%", "--end", "90%"},
        {"summary", "--domain-summary", "--summary-by-rank"},
        {"query", "--query", "SELECT * FROM regions_and_samples", "--format", "html"},
        {"merge"},
        {"annotate"},
        {"annotate", "--by", "instruction", "--color", "always"},
        {"annotate", "--by", "block", "--isa", "--sort", "hot"},
        {"report"},
    };
    /* ORDER: rocpd_command_t */
    static int (*const commands[ROCPD_COMMAND_COUNT])(const rocpd_options_t *,
                                                      const rocpd_files_t *) = {
        rocpd_convert, rocpd_query, rocpd_summary, rocpd_merge, rocpd_package};
    char *argv[20] = {(char *)(uintptr_t) "rocpd"};
    rocpd_options_t options;
    rocpd_files_t files = {0};
    int argc = 1, status;
    if (!size) return 0;
    if (!*folder) begin();
    put_rows(data + 1, size - 1);
    for (const char *const *w = words[data[0] % (sizeof(words) / sizeof(*words))]; *w; w++)
        argv[argc++] = (char *)(uintptr_t)*w;
    if (strcmp(argv[1], "annotate") == 0) {
        argv[argc++] = path;
        argv[argc] = NULL;
        res_annotate_command(argc - 1, argv + 1);
        look_at_victim();
        return 0;
    }
    if (strcmp(argv[1], "report") == 0) {
        write_report();
        look_at_victim();
        return 0;
    }
    argv[argc++] = (char *)(uintptr_t) "-d";
    argv[argc++] = folder;
    argv[argc++] = (char *)(uintptr_t) "-i";
    argv[argc++] = path;
    if (rocpd_options_read(&options, argc, argv, &status) != 0) abort();
    if (rocpd_files_find(&files, &options) == 0) commands[options.command](&options, &files);
    rocpd_files_free(&files);
    rocpd_options_free(&options);
    folder_clear(folder);
    look_at_victim();
    return 0;
}
