/* partial.c - see partial.h. The form in bytes, with all numbers little-endian:
 *
 *   names: u32; absent: u64
 *   texts: u32 count, then of each u32 bytes and the bytes; sorted
 *   processes: u32 count, then of each u32 text of its guid, u64 process id, u32 each: text of its
 *              host, of its GPUs, of its schema's version, plus 1, or 0; u64 rank, u64 ranks, u32
 *              copies, u32 unclosed; sorted by guid and process id
 *   sums: u32 count, then of each u32 view or category, u32 text of its name, u32 rows, and of each
 *         row u32 process, u32 text of its name plus 1 or 0 for NULL, u64 count, u64 least, u64
 *         most, and two numbers of 128 bits: total, sum of squares; sorted by all of these */
#include "rocpd/partial.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* ---- in memory ---- */

static void free_facts(rocpd_facts_t *f)
{
    free(f->host);
    free(f->gpus);
    free(f->version);
}

void rocpd_partial_free(rocpd_partial_t *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->sums[i].name);
        sums_free(&p->sums[i].rows);
    }
    for (size_t i = 0; i < p->fact_count; i++)
        free_facts(&p->facts[i]);
    free(p->sums);
    free(p->facts);
    sums_free(&p->processes);
    *p = (rocpd_partial_t){0};
}

rocpd_sums_t *rocpd_partial_sums(rocpd_partial_t *p, rocpd_of_t of, const char *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->sums[i].of == of && strcmp(p->sums[i].name, name) == 0) return &p->sums[i];
    char *copy = BASE_GROW_BY_ONE(p->sums, p->count) ? strdup(name) : NULL;
    if (!copy) return NULL;
    p->sums[p->count] = (rocpd_sums_t){.of = of, .name = copy};
    return &p->sums[p->count++];
}

int rocpd_partial_process(rocpd_partial_t *p, int pid, const char *guid)
{
    const sum_row_t *row = sums_row_copied(&p->processes, pid, guid);
    if (!row) return -1;
    const size_t number = (size_t)(row - p->processes.rows);
    while (p->fact_count <= number) {
        if (!BASE_GROW_BY_ONE(p->facts, p->fact_count)) return -1;
        p->facts[p->fact_count++] = (rocpd_facts_t){.rank = -1, .ranks = -1, .copies = 1};
    }
    return (int)number;
}

int rocpd_partial_say(char **fact, const char *text)
{
    if (!*fact && text) *fact = strdup(text);
    return *fact || !text ? 0 : -1;
}

static int copy_facts(rocpd_facts_t *to, const rocpd_facts_t *from)
{
    free_facts(to);
    *to = *from;
    to->host = to->gpus = to->version = NULL;
    return rocpd_partial_say(&to->host, from->host) == 0 &&
                   rocpd_partial_say(&to->gpus, from->gpus) == 0 &&
                   rocpd_partial_say(&to->version, from->version) == 0
               ? 0
               : -1;
}

/* Adds the rows of one view or category; `numbers` has the number in `p` of each process, or -1 for
 * a process that is left out. */
static int add_sums(rocpd_partial_t *p, const rocpd_sums_t *part, const int *numbers)
{
    rocpd_sums_t *to = rocpd_partial_sums(p, part->of, part->name);
    if (!to) return -1;
    for (size_t i = 0; i < part->rows.count; i++) {
        const sum_row_t *from = &part->rows.rows[i];
        if (numbers[from->group / 2] < 0) continue;
        const int group = 2 * numbers[from->group / 2] + from->group % 2;
        sum_row_t *row = sums_row_copied(&to->rows, group, from->name);
        if (!row) return -1;
        sum_merge(&row->sum, &from->sum);
    }
    return 0;
}

/* ---- copies of a process ---- */

/* Copies a single process. Returns 0, or -1 without memory. */
static int take_one(rocpd_partial_t *to, const rocpd_partial_t *from, int process)
{
    int *numbers = malloc((from->processes.count + 1) * sizeof(*numbers));
    if (!numbers) return -1;
    for (size_t i = 0; i < from->processes.count; i++)
        numbers[i] = -1;
    const sum_row_t *row = &from->processes.rows[process];
    numbers[process] = rocpd_partial_process(to, row->group, row->name);
    int result = numbers[process] < 0 ? -1 : copy_facts(to->facts, &from->facts[process]);
    for (size_t i = 0; result == 0 && i < from->count; i++)
        result = add_sums(to, &from->sums[i], numbers);
    free(numbers);
    return result;
}

/* Returns the number of records that were summed, and in `bytes` a text of the whole process, which
 * decides between two copies with the same number. */
static uint64_t weigh(const rocpd_partial_t *p, int process, char **bytes, size_t *count)
{
    rocpd_partial_t one = {0};
    uint64_t records = 0;
    FILE *f = open_memstream(bytes, count);
    if (f && take_one(&one, p, process) == 0) {
        one.facts->copies = 1;
        rocpd_partial_put(&one, f);
    }
    for (size_t i = 0; i < one.count; i++)
        records += sums_whole(&one.sums[i].rows).count;
    if (f) fclose(f);
    rocpd_partial_free(&one);
    return records;
}

/* Returns whether the copy of a process in `b` is kept rather than that in `a`. */
static bool is_better(const rocpd_partial_t *a, int in_a, const rocpd_partial_t *b, int in_b)
{
    char *bytes[2] = {NULL, NULL};
    size_t counts[2] = {0, 0};
    if (a->facts[in_a].unclosed != b->facts[in_b].unclosed) return a->facts[in_a].unclosed;
    const uint64_t of_a = weigh(a, in_a, &bytes[0], &counts[0]);
    const uint64_t of_b = weigh(b, in_b, &bytes[1], &counts[1]);
    bool better = of_b > of_a;
    if (of_a == of_b && bytes[0] && bytes[1])
        better = counts[0] != counts[1] ? counts[1] > counts[0]
                                        : memcmp(bytes[1], bytes[0], counts[0]) > 0;
    free(bytes[0]);
    free(bytes[1]);
    return better;
}

/* Removes the rows of a process. Returns 0, or -1 without memory. */
static int clear_process(rocpd_partial_t *p, int process)
{
    for (size_t i = 0; i < p->count; i++) {
        sums_t kept = {0}, *rows = &p->sums[i].rows;
        for (size_t row = 0; row < rows->count; row++) {
            const sum_row_t *from = &rows->rows[row];
            if (from->group / 2 == process) continue;
            sum_row_t *to = sums_row_copied(&kept, from->group, from->name);
            if (!to) {
                sums_free(&kept);
                return -1;
            }
            to->sum = from->sum;
        }
        sums_free(rows);
        *rows = kept;
    }
    return 0;
}

/* Adds a process of the part unless a better copy of it is there already. *number becomes -1 if the
 * copy that is there stays. Returns 0, or -1 without memory. */
static int add_once(rocpd_partial_t *p, const rocpd_partial_t *part, int process, int *number)
{
    const size_t before = p->processes.count;
    const sum_row_t *row = &part->processes.rows[process];
    const int place = *number = rocpd_partial_process(p, row->group, row->name);
    if (place < 0) return -1;
    if ((size_t)place >= before) return copy_facts(&p->facts[place], &part->facts[process]);
    const uint32_t copies = p->facts[place].copies + part->facts[process].copies;
    int result = 0;
    if (!is_better(p, place, part, process))
        *number = -1;
    else if ((result = clear_process(p, place)) == 0)
        result = copy_facts(&p->facts[place], &part->facts[process]);
    p->facts[place].copies = copies;
    return result;
}

/* Returns the number that a process of the part has in `p`, where it is added if it is new. */
static int add_process(rocpd_partial_t *p, const rocpd_partial_t *part, int process,
                       rocpd_how_t how, int *number)
{
    const sum_row_t *row = &part->processes.rows[process];
    if (how == ROCPD_ONCE) return add_once(p, part, process, number);
    if (how == ROCPD_TOGETHER) {
        *number = rocpd_partial_process(p, 0, "");
        return *number < 0 ? -1 : 0;
    }
    const size_t before = p->processes.count;
    *number = rocpd_partial_process(p, row->group, row->name);
    if (*number < 0) return -1;
    return (size_t)*number < before ? 0 : copy_facts(&p->facts[*number], &part->facts[process]);
}

int rocpd_partial_add(rocpd_partial_t *p, const rocpd_partial_t *part, rocpd_how_t how)
{
    const size_t processes = part->processes.count;
    int *numbers = calloc(processes + 1, sizeof(*numbers)), result = numbers ? 0 : -1;
    for (size_t i = 0; result == 0 && i < processes; i++)
        result = add_process(p, part, (int)i, how, &numbers[i]);
    for (size_t i = 0; result == 0 && i < part->count; i++)
        result = add_sums(p, &part->sums[i], numbers);
    p->absent += part->absent;
    free(numbers);
    return result;
}

/* ---- as bytes ---- */

static void put_number(FILE *f, uint64_t number, int bytes)
{
    for (; bytes; bytes--, number >>= 8)
        putc_unlocked((int)(number & 0xff), f);
}

static void put_wide(FILE *f, sum_squares_t number)
{
    put_number(f, (uint64_t)number, 8);
    put_number(f, (uint64_t)(number >> 64), 8);
}

/* The parts that are written, in their order. */
typedef struct {
    const rocpd_partial_t *p;
    const char **texts;
    size_t text_count;
    uint32_t *processes, *places; /* numbers of the processes in sorted order; position of each
                                   * process in that order */
    const rocpd_sums_t **sums;
} writing_t;

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static uint32_t text_number(const writing_t *w, const char *text)
{
    const char **found = bsearch(&text, w->texts, w->text_count, sizeof(*w->texts), by_text);
    return (uint32_t)(found - w->texts);
}

static int by_process(const void *a, const void *b, void *data)
{
    const rocpd_partial_t *p = data;
    const sum_row_t *x = &p->processes.rows[*(const uint32_t *)a];
    const sum_row_t *y = &p->processes.rows[*(const uint32_t *)b];
    const int guids = strcmp(x->name, y->name);
    return guids ? guids : (x->group > y->group) - (x->group < y->group);
}

static int by_name(const void *a, const void *b)
{
    const rocpd_sums_t *x = *(const rocpd_sums_t *const *)a, *y = *(const rocpd_sums_t *const *)b;
    return x->of != y->of ? (int)x->of - (int)y->of : strcmp(x->name, y->name);
}

typedef struct {
    uint32_t process, text; /* as written */
    const sum_t *sum;
} row_t;

static int by_row(const void *a, const void *b)
{
    const row_t *x = a, *y = b;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    return (x->text > y->text) - (x->text < y->text);
}

/* Sorts texts, processes, views and categories. */
static bool sort_all(writing_t *w)
{
    const rocpd_partial_t *p = w->p;
    size_t most = p->count + 4 * p->processes.count + 1, n = 0;
    for (size_t i = 0; i < p->count; i++)
        most += p->sums[i].rows.count;
    w->texts = calloc(most, sizeof(*w->texts));
    w->processes = calloc(p->processes.count + 1, sizeof(*w->processes));
    w->places = calloc(p->processes.count + 1, sizeof(*w->places));
    w->sums = calloc(p->count + 1, sizeof(*w->sums));
    if (!w->texts || !w->processes || !w->places || !w->sums) return false;
    for (size_t i = 0; i < p->count; i++) {
        w->sums[i] = &p->sums[i];
        w->texts[n++] = p->sums[i].name;
        for (size_t row = 0; row < p->sums[i].rows.count; row++)
            w->texts[n++] = p->sums[i].rows.rows[row].name;
    }
    for (size_t i = 0; i < p->processes.count; i++) {
        w->processes[i] = (uint32_t)i;
        w->texts[n++] = p->processes.rows[i].name;
        const rocpd_facts_t *facts = &p->facts[i];
        const char *const said[] = {facts->host, facts->gpus, facts->version};
        for (size_t j = 0; j < sizeof(said) / sizeof(*said); j++)
            if (said[j]) w->texts[n++] = said[j];
    }
    qsort(w->texts, n, sizeof(*w->texts), by_text);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(w->texts[i], w->texts[w->text_count - 1]) != 0)
            w->texts[w->text_count++] = w->texts[i];
    qsort_r(w->processes, p->processes.count, sizeof(*w->processes), by_process,
            (void *)(uintptr_t)p);
    for (uint32_t i = 0; i < p->processes.count; i++)
        w->places[w->processes[i]] = i;
    qsort(w->sums, p->count, sizeof(*w->sums), by_name);
    return true;
}

static bool put_sums(const writing_t *w, const rocpd_sums_t *s, FILE *f)
{
    row_t *rows = calloc(s->rows.count + 1, sizeof(*rows));
    if (!rows) return false;
    for (size_t i = 0; i < s->rows.count; i++) {
        const sum_row_t *row = &s->rows.rows[i];
        rows[i] = (row_t){w->places[row->group / 2],
                          row->group % 2 ? 0 : text_number(w, row->name) + 1, &row->sum};
    }
    qsort(rows, s->rows.count, sizeof(*rows), by_row);
    put_number(f, s->of, 4);
    put_number(f, text_number(w, s->name), 4);
    put_number(f, s->rows.count, 4);
    for (size_t i = 0; i < s->rows.count; i++) {
        const sum_t *sum = rows[i].sum;
        put_number(f, rows[i].process, 4);
        put_number(f, rows[i].text, 4);
        put_number(f, sum->count, 8);
        put_number(f, (uint64_t)sum->least, 8);
        put_number(f, (uint64_t)sum->most, 8);
        put_wide(f, (sum_squares_t)sum->total);
        put_wide(f, sum->squares);
    }
    free(rows);
    return true;
}

static void put_process(const writing_t *w, uint32_t number, FILE *f)
{
    const sum_row_t *row = &w->p->processes.rows[number];
    const rocpd_facts_t *facts = &w->p->facts[number];
    const char *const said[] = {facts->host, facts->gpus, facts->version};
    put_number(f, text_number(w, row->name), 4);
    put_number(f, (uint64_t)(int64_t)row->group, 8);
    for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
        put_number(f, said[i] ? text_number(w, said[i]) + 1 : 0, 4);
    put_number(f, (uint64_t)facts->rank, 8);
    put_number(f, (uint64_t)facts->ranks, 8);
    put_number(f, facts->copies, 4);
    put_number(f, facts->unclosed, 4);
}

static bool put_all(const writing_t *w, FILE *f)
{
    const rocpd_partial_t *p = w->p;
    bool good = true;
    put_number(f, p->names, 4);
    put_number(f, p->absent, 8);
    put_number(f, w->text_count, 4);
    for (size_t i = 0; i < w->text_count; i++) {
        const size_t bytes = strlen(w->texts[i]);
        put_number(f, bytes, 4);
        fwrite(w->texts[i], 1, bytes, f);
    }
    put_number(f, p->processes.count, 4);
    for (size_t i = 0; i < p->processes.count; i++)
        put_process(w, w->processes[i], f);
    put_number(f, p->count, 4);
    for (size_t i = 0; good && i < p->count; i++)
        good = put_sums(w, w->sums[i], f);
    return good;
}

int rocpd_partial_put(const rocpd_partial_t *p, FILE *f)
{
    writing_t w = {.p = p};
    const bool good = sort_all(&w) && put_all(&w, f);
    free(w.texts);
    free(w.processes);
    free(w.places);
    free(w.sums);
    return good ? 0 : -1;
}

/* ---- from bytes ---- */

/* The state of reading. If the bytes were not written by rocpd_partial_put(), `bad` is set, and all
 * further numbers are 0. */
typedef struct {
    const char *at, *end;
    bool bad;
    char **texts;
    uint64_t text_count;
} reading_t;

static uint64_t get_number(reading_t *r, int bytes)
{
    uint64_t number = 0;
    if (r->end - r->at < bytes) r->bad = true;
    if (r->bad) return 0;
    for (int i = bytes; i-- > 0;)
        number = number << 8 | (uint8_t)r->at[i];
    r->at += bytes;
    return number;
}

static sum_squares_t get_wide(reading_t *r)
{
    const uint64_t low = get_number(r, 8), high = get_number(r, 8);
    return (sum_squares_t)high << 64 | low;
}

/* Reads a count of elements that take at least `each` bytes. */
static uint64_t get_count(reading_t *r, uint64_t each)
{
    const uint64_t count = get_number(r, 4);
    if (count * each > (uint64_t)(r->end - r->at)) r->bad = true;
    return r->bad ? 0 : count;
}

static const char *get_text(reading_t *r, uint64_t number)
{
    if (number >= r->text_count) r->bad = true;
    return r->bad ? "" : r->texts[number];
}

static void get_texts(reading_t *r)
{
    const uint64_t count = get_count(r, 4);
    r->texts = calloc(count + 1, sizeof(*r->texts));
    if (!r->texts) r->bad = true;
    while (!r->bad && r->text_count < count) {
        const uint64_t bytes = get_count(r, 1);
        char *text = r->bad ? NULL : strndup(r->at, bytes);
        if (!text) r->bad = true;
        if (text) r->texts[r->text_count++] = text;
        r->at += r->bad ? 0 : bytes;
    }
}

static void get_facts(reading_t *r, rocpd_facts_t *f)
{
    char **const said[] = {&f->host, &f->gpus, &f->version};
    for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
        const uint64_t number = get_number(r, 4);
        if (number && rocpd_partial_say(said[i], get_text(r, number - 1)) != 0) r->bad = true;
    }
    f->rank = (int64_t)get_number(r, 8);
    f->ranks = (int64_t)get_number(r, 8);
    f->copies = (uint32_t)get_number(r, 4);
    f->unclosed = (uint32_t)get_number(r, 4);
    if (f->unclosed > 1) r->bad = true;
}

static void get_processes(reading_t *r, rocpd_partial_t *p)
{
    enum { BYTES = 48 };
    for (uint64_t count = get_count(r, BYTES), i = 0; i < count && !r->bad; i++) {
        const char *guid = get_text(r, get_number(r, 4));
        const int pid = (int)(int64_t)get_number(r, 8);
        /* sorted and without duplicates, so that the numbers of processes are indices of this
         * list */
        if (r->bad || rocpd_partial_process(p, pid, guid) != (int)i)
            r->bad = true;
        else
            get_facts(r, &p->facts[i]);
    }
}

static void get_row(reading_t *r, const rocpd_partial_t *p, sums_t *rows)
{
    const uint64_t process = get_number(r, 4);
    const uint64_t text = get_number(r, 4);
    sum_t sum = {.count = get_number(r, 8)};
    sum.least = (int64_t)get_number(r, 8);
    sum.most = (int64_t)get_number(r, 8);
    sum.total = (sum_total_t)get_wide(r);
    sum.squares = get_wide(r);
    const char *name = text ? get_text(r, text - 1) : "";
    if (process >= p->processes.count) r->bad = true;
    sum_row_t *row = r->bad ? NULL : sums_row_copied(rows, (int)(2 * process + !text), name);
    if (row)
        sum_merge(&row->sum, &sum);
    else
        r->bad = true;
}

static void get_sums(reading_t *r, rocpd_partial_t *p)
{
    for (uint64_t count = get_count(r, 12), i = 0; i < count && !r->bad; i++) {
        const uint64_t of = get_number(r, 4);
        const char *name = get_text(r, get_number(r, 4));
        const uint64_t rows = get_count(r, 64);
        if (of > ROCPD_OF_CATEGORY) r->bad = true;
        rocpd_sums_t *s = r->bad ? NULL : rocpd_partial_sums(p, (rocpd_of_t)of, name);
        if (!s) r->bad = true;
        for (uint64_t row = 0; s && row < rows && !r->bad; row++)
            get_row(r, p, &s->rows);
    }
}

int rocpd_partial_get(rocpd_partial_t *p, const char *bytes, size_t count)
{
    reading_t r = {.at = bytes, .end = bytes + count};
    p->names = (uint32_t)get_number(&r, 4);
    p->absent = get_number(&r, 8);
    get_texts(&r);
    get_processes(&r, p);
    get_sums(&r, p);
    for (uint64_t i = 0; i < r.text_count; i++)
        free(r.texts[i]);
    free(r.texts);
    return r.bad || r.at != r.end ? -1 : 0;
}
