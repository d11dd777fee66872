/* digest.c - rocprofv3 digest: a summary of the run in a limited number of bytes.
 *
 * Everything that can be shown is an item; items are ordered by importance over all sections, and
 * as many of the first ones as fit are shown. The others are counted. The schema of the JSON is
 * docs/digest.schema.json; a change of meaning needs a new schema number. */
#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/grow.h"
#include "base/log.h"
#include "base/text.h"
#include "results/arguments.h"
#include "results/commands.h"
#include "results/findings.h"

#define SCHEMA "crocprof-digest-1"

enum { BYTES_LEAST = 2000, BYTES_USUAL = 8000, NAME_MAX_BYTES = 160, ROWS_MAX = 50 };

/* Item n of a section has the rank first + n * step; the lowest rank is the most important. */
typedef enum { FINDINGS, KERNELS, COUNTERS, COPIES, CALLS, SECTION_COUNT } section_t;

static const struct {
    const char *key, *heading;
    double first, step;
} sections[SECTION_COUNT] = {
    {"findings", "Findings", 0, 1},         {"kernels", "Kernels", 0.5, 1.2},
    {"counters", "Counters", 3, 0.4},       {"copies", "Copies", 2, 3},
    {"calls", "Calls of the host", 2.5, 3},
};

/* The commands that show more; each can be run as it is printed, in the same working directory. */
/* How a command names the input: as on this command line, or by its files. */
typedef enum { OF_WORDS, OF_FILES } input_t;

static const struct {
    const char *command, *of_two; /* `of_two`: appended if two words are one run */
    input_t input;
    bool counted; /* shown only if instructions were counted */
} commands[] = {
    {"rocprofv3 findings", "", OF_WORDS, false},
    {"rocprofv3 report", " --together", OF_WORDS, false},
    {"rocprofv3 annotate", "", OF_WORDS, true},
    {"rocpd summary -i", "", OF_FILES, false},
};
enum { COMMANDS = sizeof(commands) / sizeof(*commands), COMMAND_BYTES_MAX = 320 };

typedef struct {
    section_t section;
    double importance;
    char *text;
} item_t;

typedef struct {
    bool json;
    char *head; /* text of the part that is always shown */
    item_t *items;
    size_t count, by_section[SECTION_COUNT];
    char *commands[COMMANDS]; /* NULL: the command has nothing to show, or is too long */
    bool failed;
} digest_t;

/* ---- numbers and names ---- */

/* Writes a number with its unit and its class. */
static void put_number(FILE *f, double value, const char *unit, res_class_t class_)
{
    fprintf(f, "{\"value\": %.15g, \"unit\": \"%s\", \"class\": \"%s\"}", value, unit,
            res_class_names[class_]);
}

/* Writes a name; a long name is cut between characters of UTF-8. */
static void put_name(FILE *f, bool json, const char *name)
{
    char cut[NAME_MAX_BYTES + 4];
    size_t bytes = strlen(name);
    if (bytes > NAME_MAX_BYTES) {
        bytes = NAME_MAX_BYTES;
        while (bytes && ((unsigned char)name[bytes] & 0xc0) == 0x80)
            bytes--;
        snprintf(cut, sizeof(cut), "%.*s...", (int)bytes, name);
        name = cut;
    }
    if (json)
        base_put_json(f, name);
    else
        base_put(f, BASE_MARKDOWN, name);
}

/* ---- items ---- */

/* An item that is being written. */
typedef struct {
    digest_t *d;
    section_t section;
    char *text;
    size_t bytes;
    FILE *f;
} draft_t;

static FILE *begin(draft_t *i, digest_t *d, section_t section)
{
    *i = (draft_t){.d = d, .section = section};
    i->f = open_memstream(&i->text, &i->bytes);
    d->failed |= !i->f;
    return i->f;
}

static void end(draft_t *i)
{
    digest_t *d = i->d;
    const bool room = BASE_GROW_BY_ONE(d->items, d->count);
    if (fclose(i->f) != 0 || !room) {
        d->failed = true;
        free(i->text);
        return;
    }
    const size_t place = d->by_section[i->section]++;
    d->items[d->count++] =
        (item_t){i->section, sections[i->section].first + (double)place * sections[i->section].step,
                 i->text};
}

static void add_findings(digest_t *d, const res_findings_t *list)
{
    for (size_t n = 0; n < list->count && n < ROWS_MAX; n++) {
        const res_finding_t *row = &list->rows[n];
        draft_t item;
        FILE *f = begin(&item, d, FINDINGS);
        if (!f) return;
        if (d->json) {
            res_finding_json(f, row);
        } else {
            fprintf(f, "- **%s%s", row->title, row->subject[0] ? ": " : "");
            put_name(f, false, row->subject);
            fprintf(f, "** (%s", res_class_names[row->class_]);
            if (row->weight > 0) fprintf(f, ", up to %.1f %% of the run's time", 100 * row->weight);
            fputs("): ", f);
            base_put(f, BASE_MARKDOWN, row->text);
            fprintf(f, " %s", row->advice);
        }
        end(&item);
    }
}

/* Writes a value: one number if all dispatches have the same, else their mean and bounds. */
static void put_value(FILE *f, bool json, const res_value_t *v)
{
    char text[3][RES_SHOWN_BYTES];
    const double mean = v->dispatches ? v->total / (double)v->dispatches : 0;
    const double all[] = {mean, v->least, v->most};
    if (json) {
        fputs("{\"name\": ", f);
        base_put_json(f, v->name);
        fprintf(f,
                ", \"value\": %.15g, \"least\": %.15g, \"most\": %.15g, \"unit\": \"%s\", "
                "\"class\": \"%s\"}",
                mean, v->least, v->most, res_own_unit(v->measure), res_class_names[v->class_]);
        return;
    }
    for (int i = 0; i < 3; i++)
        res_shown(all[i], v->measure, text[i]);
    base_put(f, BASE_MARKDOWN, v->name);
    if (v->least == v->most)
        fprintf(f, " %s (%s)", text[0], res_class_names[v->class_]);
    else
        fprintf(f, " %s, %s to %s (%s)", text[0], text[1], text[2], res_class_names[v->class_]);
}

/* Returns whether a value is shown: it is not 0, and not just the number of dispatches. */
static bool is_shown(const res_value_t *v)
{
    return strcmp(v->name, "dispatches") != 0 && v->most != 0;
}

static void add_kernel(digest_t *d, const res_values_t *v, size_t kernel)
{
    const res_subject_t *k = &v->kernels[kernel];
    const res_value_t *time = res_value_find(v, kernel, "time");
    const res_value_t *calls = res_value_find(v, kernel, "dispatches");
    const res_class_t class_ = time ? time->class_ : RES_MEASURED;
    const char *before = d->json ? "" : "; ";
    char total[RES_SHOWN_BYTES], count[RES_SHOWN_BYTES];
    draft_t item;
    FILE *f = begin(&item, d, KERNELS);
    if (!f) return;
    fputs(d->json ? "{\"name\": " : "- **", f);
    put_name(f, d->json, k->label);
    if (d->json) {
        fputs(", \"calls\": ", f);
        put_number(f, calls ? calls->total : 0, "", RES_EXACT);
        fputs(", \"time\": ", f);
        put_number(f, (double)k->total_ns, "ns", class_);
        fputs(", \"share\": ", f);
        put_number(f, 100 * k->share, "%", class_);
        fputs(", \"values\": [", f);
    } else {
        fprintf(f, "**: %s call%s (exact), %s in all, %.1f %% of the time (%s)",
                res_shown(calls ? calls->total : 0, RES_PLAIN, count),
                calls && calls->total == 1 ? "" : "s",
                res_shown((double)k->total_ns, RES_TIME, total), 100 * k->share,
                res_class_names[class_]);
    }
    for (size_t i = k->first; i < k->first + k->count; i++) {
        if (!is_shown(&v->rows[i]) || v->rows[i].counter) continue;
        fputs(before, f);
        put_value(f, d->json, &v->rows[i]);
        before = d->json ? ", " : "; ";
    }
    if (d->json) fputs("]}", f);
    end(&item);
}

static void add_counters(digest_t *d, const res_values_t *v, size_t kernel)
{
    const res_subject_t *k = &v->kernels[kernel];
    for (size_t i = k->first; i < k->first + k->count; i++) {
        draft_t item;
        if (!v->rows[i].counter) continue;
        FILE *f = begin(&item, d, COUNTERS);
        if (!f) return;
        fputs(d->json ? "{\"kernel\": " : "- ", f);
        put_name(f, d->json, k->label);
        fputs(d->json ? ", \"counter\": " : ": ", f);
        put_value(f, d->json, &v->rows[i]);
        if (d->json) fputc('}', f);
        end(&item);
    }
}

static const char what[] = "digest";

/* Adds an item for each row of the statement: name, number, time and, for copies, bytes. */
static int add_rows(digest_t *d, res_run_t *r, section_t section, const char *sql)
{
    db_cursor_t c;
    db_rows(&c, r->db, sql, "");
    const bool bytes = sqlite3_column_count(c.s) > 3;
    while (db_next(&c)) {
        const double numbers[] = {db_real(&c, 1), db_real(&c, 2), bytes ? db_real(&c, 3) : 0};
        char text[3][RES_SHOWN_BYTES];
        draft_t item;
        FILE *f = begin(&item, d, section);
        if (!f) break;
        fputs(d->json ? "{\"name\": " : "- ", f);
        put_name(f, d->json, db_text(&c, 0));
        if (d->json) {
            fputs(", \"count\": ", f);
            put_number(f, numbers[0], "", RES_EXACT);
            fputs(", \"time\": ", f);
            put_number(f, numbers[1], "ns", RES_MEASURED);
            if (bytes) fputs(", \"moved\": ", f);
            if (bytes) put_number(f, numbers[2], "bytes", RES_EXACT);
            fputc('}', f);
        } else {
            fprintf(f, ": %s (exact), %s (measured)", res_shown(numbers[0], RES_PLAIN, text[0]),
                    res_shown(numbers[1], RES_TIME, text[1]));
            if (bytes) fprintf(f, ", %s (exact)", res_shown(numbers[2], RES_BYTES, text[2]));
        }
        end(&item);
    }
    return db_end(&c, what);
}

/* Adds the sums of a file's copies, by name, to temp.digest_copy. */
static int take_copies(const db_t *db, void *data)
{
    const res_run_t *r = data;
    db_cursor_t c, to;
    db_rows(&to, r->db, "INSERT INTO digest_copy VALUES (iif(?,?,NULL),?,?,?)", "");
    db_rows(&c, db,
            "SELECT name, COUNT(*), SUM(duration), SUM(size) FROM memory_copies GROUP BY name", "");
    while (db_next(&c)) {
        db_again(&to, "itiii", (int64_t)!db_null(&c, 0), db_text(&c, 0), db_int(&c, 1),
                 db_int(&c, 2), db_int(&c, 3));
        db_next(&to);
    }
    const int result = db_end(&c, what);
    return db_end(&to, what) == 0 ? result : -1;
}

static int add_copies(digest_t *d, res_run_t *r)
{
    if (db_run(r->db,
               "DROP TABLE IF EXISTS temp.digest_copy; CREATE TEMP TABLE digest_copy(name, count, "
               "time, bytes)",
               what) != 0 ||
        rocpd_each(&r->base, ROCPD_VIEWS, take_copies, r) != 0)
        return -1;
    return add_rows(d, r, COPIES,
                    "SELECT name, SUM(count), SUM(time), SUM(bytes) FROM digest_copy GROUP BY name "
                    "ORDER BY 3 DESC, 1 LIMIT 50");
}

/* ---- the digest ---- */

/* Makes the part that is always shown: which run it is, and how many records are lost. */
static int make_head(digest_t *d, res_run_t *r, const res_values_t *v)
{
    size_t bytes;
    char losses[256];
    db_cursor_t c;
    db_rows(&c, r->db,
            "SELECT MIN(P.command), COUNT(*), (SELECT MIN(hostname) FROM rocpd_info_node), (SELECT "
            "MAX(last) - MIN(first) FROM res_launch) FROM rocpd_info_process P",
            "");
    FILE *f = db_next(&c) ? open_memstream(&d->head, &bytes) : NULL;
    if (f) {
        const char *host = db_text(&c, 2);
        const double processes = db_real(&c, 1), span = db_real(&c, 3);
        const char *gpu = !v->software    ? ""
                          : v->model_time ? " in software, with model times"
                                          : " in software, with times of this host";
        char text[RES_SHOWN_BYTES];
        fputs(d->json ? "{\"schema\": \"" SCHEMA "\", \"run\": {\"command\": " : "# ", f);
        put_name(f, d->json, db_text(&c, 0));
        if (d->json) {
            fputs(", \"host\": ", f);
            put_name(f, true, host);
            fputs(", \"gpu\": ", f);
            put_name(f, true, v->gpu);
            fprintf(f, ", \"software_gpu\": %s, \"processes\": ", v->software ? "true" : "false");
            put_number(f, processes, "", RES_EXACT);
            fputs(", \"kernels\": ", f);
            put_number(f, (double)v->kernel_count, "", RES_EXACT);
            fputs(", \"span\": ", f);
            put_number(f, span, "ns", v->model_time ? RES_TIMING_MODEL : RES_MEASURED);
            fputs("}, \"losses\": {\"records\": ", f);
            put_number(f, (double)v->dropped, "", RES_EXACT);
            fputs(", \"damaged\": ", f);
            put_number(f, (double)v->damaged, "bytes", RES_EXACT);
            fputs(", \"names\": ", f);
            put_number(f, (double)v->names_lost, "", RES_EXACT);
            fputc('}', f);
        } else {
            res_losses_text(v, losses, sizeof(losses));
            fputs("\n\nOn ", f);
            put_name(f, false, v->gpu[0] ? v->gpu : "no GPU");
            fprintf(f, "%s, host ", gpu);
            put_name(f, false, host);
            fprintf(f,
                    "; %.0f process%s, %zu kernel%s (exact), from the first to the last %s (%s).\n",
                    processes, processes == 1 ? "" : "es", v->kernel_count,
                    base_plural(v->kernel_count), res_shown(span, RES_TIME, text),
                    v->model_time ? "timing model" : "measured");
            if (losses[0]) fprintf(f, "\n**Losses: %s.**\n", losses);
        }
        d->failed |= fclose(f) != 0;
    }
    return db_end(&c, what) == 0 && f ? 0 : -1;
}

/* Returns 1 if the run has counts of instructions, else 0; -1 after reporting the reason. */
static int has_counted(res_run_t *r)
{
    db_cursor_t c;
    if (!db_holds(r->db, DB_COUNTED)) return 0;
    db_rows(&c, r->db, "SELECT 1 FROM crocprof_counted LIMIT 1", "");
    const bool found = db_next(&c);
    return db_end(&c, what) == 0 ? found : -1;
}

/* Writes the input of a command. Without words a command reads the working directory. */
static void put_input(FILE *f, const res_run_t *r, const res_arguments_t *a, input_t input)
{
    if (input == OF_FILES) {
        res_put_paths(f, r);
        return;
    }
    if (!a->count) fputc('.', f);
    for (size_t i = 0; i < a->count; i++) {
        if (i) fputc(' ', f);
        base_put_word(f, a->words[i]);
    }
}

static int make_commands(digest_t *d, res_run_t *r, const res_arguments_t *a)
{
    const int counted = has_counted(r);
    for (size_t i = 0; counted >= 0 && i < COMMANDS; i++) {
        size_t bytes = 0;
        if (commands[i].counted && !counted) continue;
        FILE *f = open_memstream(&d->commands[i], &bytes);
        if (f) {
            fprintf(f, "%s%s ", commands[i].command, a->count == 2 ? commands[i].of_two : "");
            put_input(f, r, a, commands[i].input);
        }
        if (!f || fclose(f) != 0) {
            d->failed = true;
        } else if (bytes > COMMAND_BYTES_MAX) {
            free(d->commands[i]);
            d->commands[i] = NULL;
        }
    }
    return counted < 0 ? -1 : 0;
}

static int by_importance(const void *left, const void *right)
{
    const item_t *a = left, *b = right;
    if (a->importance != b->importance) return a->importance < b->importance ? -1 : 1;
    return (int)a->section - (int)b->section;
}

/* Writes those items of a section that are among the first `count` of all. Returns their number. */
static size_t put_section(const digest_t *d, FILE *f, section_t section, size_t count)
{
    size_t told = 0;
    if (d->json) fprintf(f, ", \"%s\": [", sections[section].key);
    for (size_t i = 0; i < count; i++) {
        if (d->items[i].section != section) continue;
        if (!told && !d->json) fprintf(f, "\n## %s\n\n", sections[section].heading);
        if (told && d->json) fputs(", ", f);
        fputs(d->items[i].text, f);
        if (!d->json) fputc('\n', f);
        told++;
    }
    if (d->json) fputc(']', f);
    return told;
}

/* Writes the digest with the first `count` items. */
static void put_all(const digest_t *d, FILE *f, size_t count)
{
    size_t left[SECTION_COUNT];
    fputs(d->head, f);
    for (int i = 0; i < SECTION_COUNT; i++)
        left[i] = d->by_section[i] - put_section(d, f, (section_t)i, count);
    fputs(d->json ? ", \"left_out\": {" : "\n## More\n\nLeft out: ", f);
    for (int i = 0; i < SECTION_COUNT; i++) {
        if (i) fputs(", ", f);
        if (d->json)
            fprintf(f, "\"%s\": %zu", sections[i].key, left[i]);
        else
            fprintf(f, "%zu %s", left[i], sections[i].key);
    }
    fputs(d->json ? "}, \"more\": [" : ".\n\n", f);
    const char *before = "";
    for (size_t i = 0; i < COMMANDS; i++) {
        if (!d->commands[i]) continue;
        fputs(d->json ? before : "    ", f);
        if (d->json)
            base_put_json(f, d->commands[i]);
        else
            fprintf(f, "%s\n", d->commands[i]);
        before = ", ";
    }
    if (d->json) fputs("]}\n", f);
}

static size_t size_of(const digest_t *d, size_t count, char **text)
{
    size_t bytes = 0;
    *text = NULL;
    FILE *f = open_memstream(text, &bytes);
    if (!f) return SIZE_MAX;
    put_all(d, f, count);
    return fclose(f) == 0 ? bytes : SIZE_MAX;
}

/* Writes as many of the first items as fit into `most` bytes: their number is found by bisection,
 * since more items never need less room. */
static int write_fitting(const digest_t *d, size_t most)
{
    size_t fits = 0, above = d->count + 1;
    char *text;
    while (above - fits > 1) {
        const size_t middle = fits + (above - fits) / 2;
        *(size_of(d, middle, &text) <= most ? &fits : &above) = middle;
        free(text);
    }
    const size_t bytes = size_of(d, fits, &text);
    if (text && bytes <= most) fwrite(text, 1, bytes, stdout);
    free(text);
    if (bytes <= most) return 0;
    base_error("--bytes %zu: the least that is told has %zu", most, bytes);
    return -1;
}

static int digest(res_run_t *r, const res_values_t *v, void *data)
{
    const res_arguments_t *a = data;
    digest_t d = {.json = a->format == RES_JSON};
    res_findings_t list = {0};
    int result = res_findings(r, v, &list);
    if (result == 0) result = make_head(&d, r, v);
    if (result == 0) result = make_commands(&d, r, a);
    if (result == 0) add_findings(&d, &list);
    for (size_t k = 0; result == 0 && k < v->kernel_count && k < ROWS_MAX; k++) {
        add_kernel(&d, v, k);
        add_counters(&d, v, k);
    }
    if (result == 0) result = add_copies(&d, r);
    if (result == 0)
        result =
            add_rows(&d, r, CALLS,
                     "SELECT name, SUM(calls), SUM(time_ns) FROM res_call WHERE category NOT LIKE "
                     "'MARKER%' GROUP BY name ORDER BY 3 DESC, 1 LIMIT 50");
    if (d.count) qsort(d.items, d.count, sizeof(*d.items), by_importance);
    if (d.failed) base_error("%s", strerror(ENOMEM));
    result = result == 0 && !d.failed ? write_fitting(&d, a->bytes) : -1;
    for (size_t i = 0; i < d.count; i++)
        free(d.items[i].text);
    for (size_t i = 0; i < COMMANDS; i++)
        free(d.commands[i]);
    free(d.items);
    free(d.head);
    res_findings_free(&list);
    return result == 0 ? RES_EXIT_KEPT : RES_EXIT_TROUBLE;
}

/* ---- the command ---- */

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0, "md or json (default md)", 0},
    {"bytes", 'b', "N", 0, "at most so many (default 8000, at least 2000)", 0},
    {0}};

int res_digest_command(int argc, char **argv)
{
    static char name[] = "rocprofv3 digest";
    res_arguments_t a = {.format = RES_MARKDOWN,
                         .bytes = BYTES_USUAL,
                         .bytes_least = BYTES_LEAST,
                         .formats = 1u << RES_MARKDOWN | 1u << RES_JSON,
                         .words_most = SIZE_MAX};
    res_arguments(&a, argc, argv, name, options, "[DIR|DB...]",
                  "A run in so many bytes, most important first: findings, kernels, counters, "
                  "copies, calls; every number with its unit and class.");
    return res_read_whole(a.words, a.count, digest, &a);
}
