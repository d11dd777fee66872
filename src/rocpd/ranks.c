/* ranks.c - see ranks.h. A fact of a database's metadata that is kept with sums is a row in
 * take(). */
#include "rocpd/ranks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "db/schema.h"
#include "rocpd/rows.h"
#include "trace/store.h"

/* ---- reading ---- */

static bool take(rocpd_facts_t *f, const char *tag, const char *value)
{
    if (strcmp(tag, "rank") == 0) f->rank = strtoll(value, NULL, 10);
    if (strcmp(tag, "ranks") == 0) f->ranks = strtoll(value, NULL, 10);
    if (strcmp(tag, TRACE_TAG_UNCLOSED) == 0) f->unclosed = strcmp(value, "0") != 0;
    return strcmp(tag, "schema_version") != 0 || rocpd_partial_say(&f->version, value) == 0;
}

static int read_metadata(const db_t *db, const char *guid, rocpd_facts_t *f)
{
    bool room = true;
    db_cursor_t c;
    db_metadata(&c, db, guid);
    while (room && db_next(&c))
        room = take(f, db_text(&c, 0), db_text(&c, 1));
    if (db_end(&c, "reading metadata") != 0) return -1;
    return room ? 0 : rocpd_rows_no_memory();
}

static int read_gpus(const db_t *db, const char *guid, rocpd_facts_t *f)
{
    bool room = true;
    db_cursor_t c;
    db_rows(&c, db,
            "SELECT group_concat(text, ', ') FROM (SELECT COUNT(*) || ' x ' || name AS text FROM "
            "rocpd_info_agent WHERE type = 'GPU' AND guid = ? GROUP BY name ORDER BY name)",
            "t", guid);
    if (db_next(&c) && !db_null(&c, 0)) room = rocpd_partial_say(&f->gpus, db_text(&c, 0)) == 0;
    if (db_end(&c, "reading agents") != 0) return -1;
    return room ? 0 : rocpd_rows_no_memory();
}

int rocpd_ranks_read(const db_t *db, rocpd_partial_t *part)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < part->processes.count; i++) {
        const char *guid = part->processes.rows[i].name;
        result = read_metadata(db, guid, &part->facts[i]);
        if (result == 0) result = read_gpus(db, guid, &part->facts[i]);
    }
    return result;
}

/* ---- reports ---- */

enum { TOLD = 8 }; /* the largest number of a kind that is listed; the others are only counted */

/* Writes "rank 5 (process 1234 on node7)". */
static void name_process(const rocpd_partial_t *p, size_t process, char *text, size_t bytes)
{
    const rocpd_facts_t *f = &p->facts[process];
    char rank[32] = "";
    if (f->rank >= 0) snprintf(rank, sizeof(rank), "rank %" PRId64 ", ", f->rank);
    snprintf(text, bytes, "%sprocess %d%s%s", rank, p->processes.rows[process].group,
             f->host ? " on " : "", f->host ? f->host : "");
}

static int by_rank(const void *a, const void *b, void *data)
{
    const rocpd_partial_t *p = data;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const int64_t ranks[2] = {p->facts[x].rank, p->facts[y].rank};
    const int pids[2] = {p->processes.rows[x].group, p->processes.rows[y].group};
    if (ranks[0] != ranks[1]) return ranks[0] < ranks[1] ? -1 : 1;
    return (pids[0] > pids[1]) - (pids[0] < pids[1]);
}

static void tell_processes(const rocpd_partial_t *p, bool (*is)(const rocpd_facts_t *),
                           const char *what)
{
    size_t count = 0, *those = calloc(p->processes.count + 1, sizeof(*those));
    for (size_t i = 0; those && i < p->processes.count; i++)
        if (is(&p->facts[i])) those[count++] = i;
    if (count) qsort_r(those, count, sizeof(*those), by_rank, (void *)(uintptr_t)p);
    for (size_t i = 0; i < count && i < TOLD; i++) {
        char name[256];
        name_process(p, those[i], name, sizeof(name));
        base_warning("%s %s", name, what);
    }
    if (count > TOLD) base_warning("%zu more of these: %s", count - TOLD, what);
    free(those);
}

static bool is_unclosed(const rocpd_facts_t *f)
{
    return f->unclosed;
}

static bool is_copied(const rocpd_facts_t *f)
{
    return f->copies > 1;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the ranks that are known, sorted; NULL without memory. */
static int64_t *list_ranks(const rocpd_partial_t *p, size_t *count, int64_t *most)
{
    int64_t *ranks = calloc(p->processes.count + 1, sizeof(*ranks));
    *count = 0;
    *most = 0;
    for (size_t i = 0; ranks && i < p->processes.count; i++) {
        if (p->facts[i].ranks > *most) *most = p->facts[i].ranks;
        if (p->facts[i].rank >= 0) ranks[(*count)++] = p->facts[i].rank;
    }
    if (ranks) qsort(ranks, *count, sizeof(*ranks), by_number);
    return ranks;
}

/* Appends "3, " or "5-7, "; appends nothing if there is no room. */
static void add_range(char *text, size_t bytes, int64_t first, int64_t last)
{
    const size_t used = strlen(text);
    if (bytes - used < 64)
        snprintf(text + used, bytes - used, "%s", base_ends_with(text, "...") ? "" : "...");
    else if (first == last)
        snprintf(text + used, bytes - used, "%s%" PRId64, used ? ", " : "", first);
    else
        snprintf(text + used, bytes - used, "%s%" PRId64 "-%" PRId64, used ? ", " : "", first,
                 last);
}

static void tell_ranks(const rocpd_partial_t *p, bool whole)
{
    size_t count, different = 0;
    int64_t most, next = 0;
    char missing[256] = "", twice[256] = "";
    int64_t *ranks = list_ranks(p, &count, &most);
    for (size_t i = 0; ranks && i < count; i++) {
        if (i && ranks[i] == ranks[i - 1]) {
            if (i < 2 || ranks[i - 2] != ranks[i])
                add_range(twice, sizeof(twice), ranks[i], ranks[i]);
            continue;
        }
        if (ranks[i] > next) add_range(missing, sizeof(missing), next, ranks[i] - 1);
        next = ranks[i] + 1;
        different++;
    }
    if (ranks && next < most) add_range(missing, sizeof(missing), next, most - 1);
    if (*twice) base_warning("several processes, or runs, each of rank %s", twice);
    if (whole && *missing && different)
        base_warning("%" PRId64 " of %" PRId64 " ranks are missing: %s",
                     (most > next ? most : next) - (int64_t)different, most > next ? most : next,
                     missing);
    free(ranks);
}

/* Reports a text that differs between processes: each value, and how often it occurs. */
static void report_different(const rocpd_partial_t *p, size_t place, const char *what)
{
    sums_t found = {0};
    for (size_t i = 0; i < p->processes.count; i++) {
        const char *text = *(char *const *)((const char *)&p->facts[i] + place);
        if (text) sums_add(&found, 0, text, 1);
    }
    sums_sort(&found);
    char line[1024] = "";
    for (size_t i = 0; found.count > 1 && i < found.count && i < TOLD; i++) {
        const size_t used = strlen(line);
        snprintf(line + used, sizeof(line) - used, "%s%s (%" PRIu64 " process%s)", i ? "; " : "",
                 found.rows[i].name, found.rows[i].sum.count,
                 found.rows[i].sum.count == 1 ? "" : "es");
    }
    if (*line) base_warning("processes have different %s: %s", what, line);
    sums_free(&found);
}

void rocpd_ranks_tell(const rocpd_partial_t *p, bool whole)
{
    tell_processes(
        p, is_unclosed,
        "did not end in order (killed, or left by _exit): its records are read as far as they go");
    tell_processes(p, is_copied, "was read more than once: it is counted once");
    tell_ranks(p, whole);
    report_different(p, offsetof(rocpd_facts_t, gpus), "GPUs");
    report_different(p, offsetof(rocpd_facts_t, version), "versions of the schema");
    if (p->absent)
        base_warning("%" PRIu64 " input%s could not be read, or did not come: the sums are without",
                     p->absent, base_plural(p->absent));
}
