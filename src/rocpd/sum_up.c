/* sum_up.c - see sum_up.h. */
#include "rocpd/sum_up.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/text.h"
#include "output/file.h"
#include "rocpd/base.h"
#include "rocpd/ranks.h"
#include "rocpd/rows.h"
#include "rocpd/stored.h"

static const char magic[] = "CROCSUM\n"; /* MAGIC bytes, without the final zero */
enum { MAGIC = sizeof(magic) - 1, VERSION = 2, HEAD = 24, CHECKSUM = 8 };

/* ---- files of sums ---- */

static uint64_t get_number(const char *at, int bytes)
{
    uint64_t number = 0;
    while (bytes--)
        number = number << 8 | (uint8_t)at[bytes];
    return number;
}

static void put_number(FILE *f, uint64_t number, int bytes)
{
    for (; bytes; bytes--, number >>= 8)
        putc((int)(number & 0xff), f);
}

static bool is_sums(const char *path)
{
    char head[MAGIC];
    const int fd = base_file_open(path, O_RDONLY | O_NONBLOCK, 0);
    const bool is = fd >= 0 && read(fd, head, sizeof(head)) == sizeof(head) &&
                    memcmp(head, magic, sizeof(head)) == 0;
    if (fd >= 0) close(fd);
    return is;
}

/* Describes what is wrong with a file of sums; NULL if it is valid. */
static const char *problem_of(const char *bytes, size_t count)
{
    if (count < HEAD + CHECKSUM) return "is cut: it ends in its head";
    if (get_number(bytes + 8, 4) != VERSION) return "is of another version of rocprofv3 reduce";
    const uint64_t body = get_number(bytes + 16, 8);
    if (body > count - HEAD - CHECKSUM) return "is cut: it has fewer bytes than its head says";
    if (body < count - HEAD - CHECKSUM) return "has more bytes than its head says";
    const char *end = bytes + count - CHECKSUM;
    return base_hash64(BASE_HASH64, bytes, count - CHECKSUM) == get_number(end, 8)
               ? NULL
               : "is damaged: its checksum is that of other bytes";
}

/* Describes why bytes cannot be added to sums with this form of kernels' names; NULL if they
 * can. */
static const char *problem_with(const char *bytes, size_t count, uint32_t names)
{
    const char *problem = problem_of(bytes, count);
    if (!problem && get_number(bytes + HEAD, 4) != names)
        problem = "has names of kernels in another form (--mangled-kernels, --truncate-kernels, "
                  "--kernel-rename): these sums cannot be added";
    return problem;
}

int rocpd_sums_add(rocpd_partial_t *p, const char *bytes, size_t count, const char *from)
{
    rocpd_partial_t part = {0};
    const char *problem = problem_with(bytes, count, p->names);
    int result = problem ? -1 : 0;
    if (problem)
        base_error("%s %s", from, problem);
    else if (rocpd_partial_get(&part, bytes + HEAD, count - HEAD - CHECKSUM) != 0) {
        base_error("%s: its sums cannot be read", from);
        result = -1;
    } else if (rocpd_partial_add(p, &part, ROCPD_ONCE) != 0)
        result = rocpd_rows_no_memory();
    rocpd_partial_free(&part);
    return result;
}

/* Writes the sums in a file to `to`. Returns 0, or -1 after reporting the reason. */
static int copy_sums(const char *path, uint32_t names, FILE *to)
{
    enum { MOST = 1 << 30 };
    size_t count = 0;
    char *bytes = base_file_read(path, MOST, &count);
    const char *problem = bytes ? problem_with(bytes, count, names) : strerror(errno);
    if (problem)
        base_error("%s %s", path, problem);
    else
        fwrite(bytes + HEAD, 1, count - HEAD - CHECKSUM, to);
    free(bytes);
    return problem ? -1 : 0;
}

char *rocpd_sums_bytes(const rocpd_partial_t *p, size_t *count)
{
    char *body = NULL, *whole = NULL;
    size_t bytes = 0, before = 0;
    FILE *f = open_memstream(&body, &bytes);
    bool good = f && rocpd_partial_put(p, f) == 0;
    if (f && fclose(f) != 0) good = false;
    f = good ? open_memstream(&whole, count) : NULL;
    if (f) {
        fwrite(magic, 1, MAGIC, f);
        put_number(f, VERSION, 4);
        put_number(f, 0, 4);
        put_number(f, bytes, 8);
        fwrite(body, 1, bytes, f);
        good = fflush(f) == 0;
        before = HEAD + bytes;
        put_number(f, good ? base_hash64(BASE_HASH64, whole, before) : 0, 8);
        if (fclose(f) != 0) good = false;
    }
    free(body);
    if (f && good) return whole;
    free(whole);
    return NULL;
}

int rocpd_sums_write(const rocpd_partial_t *p, const char *path)
{
    char why[PATH_MAX + 256];
    size_t count = 0;
    char *bytes = rocpd_sums_bytes(p, &count);
    out_file_t *f = bytes ? out_file_open(path, why, sizeof(why)) : NULL;
    if (!bytes) snprintf(why, sizeof(why), "%s: %s", path, strerror(ENOMEM));
    if (f) out_bytes(f, bytes, count);
    free(bytes);
    if (f && out_file_close(f, why, sizeof(why)) == 0) return 0;
    base_error("%s", why);
    return -1;
}

/* ---- all files ---- */

typedef struct {
    const rocpd_options_t *options;
    const rocpd_files_t *files; /* all files */
    rocpd_files_t databases;    /* those of the files that are databases */
    size_t *places;             /* of each file: its number among the databases + 1, or 0 */
    rocpd_base_t base;          /* opened from the databases; the first one that can be read
                                 * determines the views */
    rocpd_rows_t rows;
    bool based; /* `base` is open */
    rocpd_how_t how;
    bool forgiving;
    rocpd_partial_t *whole;
    rocpd_partial_t file; /* sums of the file that is being read */
} work_t;

static int read_into(const db_t *db, void *data)
{
    work_t *w = data;
    rocpd_partial_t part = {0};
    int result = rocpd_rows_read(&w->rows, db, &part);
    if (result == 0 && w->how == ROCPD_ONCE) result = rocpd_ranks_read(db, &part);
    if (result == 0 && rocpd_partial_add(&w->file, &part, ROCPD_APART) != 0)
        result = rocpd_rows_no_memory();
    rocpd_partial_free(&part);
    return result;
}

/* Reads a database by its own views, which takes longer to open. */
static int read_alone(work_t *w, char *path)
{
    work_t alone = {.options = w->options, .how = w->how, .file = w->file};
    const rocpd_files_t one = {.paths = &path, .count = 1};
    if (rocpd_open_apart(&alone.base, &one, w->options) != 0) return -1;
    int result = rocpd_rows_find(&alone.rows, &alone.base.db, w->options);
    if (result == 0) result = rocpd_use(&alone.base, 0, alone.rows.all_known, read_into, &alone);
    rocpd_rows_free(&alone.rows);
    rocpd_close(&alone.base);
    w->file = alone.file;
    return result;
}

static int read_store(work_t *w, const char *path)
{
    rocpd_stored_t stored;
    int result = rocpd_stored_begin(&stored, path);
    if (result == 0) result = read_alone(w, stored.database);
    rocpd_stored_end(&stored);
    return result;
}

static int read_database(work_t *w, size_t number)
{
    char *path = w->files->paths[number];
    int result = ROCPD_OTHER_VERSION;
    if (w->how == ROCPD_ONCE && rocpd_is_store(path)) return read_store(w, path);
    if (w->based)
        result = rocpd_use(&w->base, w->places[number] - 1, w->rows.all_known, read_into, w);
    return result == ROCPD_OTHER_VERSION ? read_alone(w, path) : result;
}

/* Runs in a worker: reads a file and writes its sums to `to`. */
static int read_file(void *data, size_t number, FILE *to)
{
    work_t *w = data;
    const uint32_t names = w->whole->names;
    if (is_sums(w->files->paths[number])) {
        const int copied = copy_sums(w->files->paths[number], names, to);
        return w->forgiving ? 0 : copied;
    }
    w->file = (rocpd_partial_t){.names = names};
    int result = read_database(w, number);
    if (result == 0 && rocpd_partial_put(&w->file, to) != 0) result = rocpd_rows_no_memory();
    rocpd_partial_free(&w->file);
    return w->forgiving && !db_interrupted ? 0 : result;
}

static int take_sums(void *data, size_t number, const char *bytes, size_t count)
{
    work_t *w = data;
    rocpd_partial_t part = {0};
    int result = 0;
    if (!count && w->forgiving) {
        w->whole->absent++;
    } else if (rocpd_partial_get(&part, bytes, count) != 0) {
        base_error("%s: its sums cannot be read", w->files->paths[number]);
        result = -1;
    } else if (rocpd_partial_add(w->whole, &part, w->how) != 0) {
        result = rocpd_rows_no_memory();
    }
    rocpd_partial_free(&part);
    return result;
}

static const char *name_file(const void *data, size_t number)
{
    const work_t *w = data;
    return w->files->paths[number];
}

/* Returns whether a database can be read; nothing is reported. */
static bool is_sound(const char *path)
{
    char why[DB_WHY_BYTES];
    db_t db;
    if (db_open(&db, path, why) != 0) return false;
    const bool sound = db_has(&db, "rocpd_metadata", "tag");
    db_close(&db);
    return sound;
}

/* Lists the databases, with the first that can be read before all others. */
static int list_databases(work_t *w)
{
    const size_t count = w->files->count;
    char **paths = w->databases.paths = calloc(count + 1, sizeof(*paths));
    w->places = calloc(count + 1, sizeof(*w->places));
    if (!paths || !w->places) return rocpd_rows_no_memory();
    bool found = !w->forgiving;
    for (size_t i = 0; i < count; i++) {
        char *path = w->files->paths[i];
        if (is_sums(path) || (w->how == ROCPD_ONCE && rocpd_is_store(path))) continue;
        size_t place = w->databases.count++;
        paths[place] = path;
        w->places[i] = place + 1;
        if (found || !is_sound(path)) continue;
        found = true;
        for (size_t before = 0; before < i; before++)
            if (w->places[before] == 1) w->places[before] = place + 1;
        paths[place] = paths[0];
        paths[0] = path;
        w->places[i] = 1;
    }
    w->based = found && w->databases.count;
    return 0;
}

static int read_all(work_t *w)
{
    const base_pool_t pool = {.count = w->files->count,
                              .workers = rocpd_workers(w->options, w->files->count),
                              .work = read_file,
                              .take = take_sums,
                              .name = name_file,
                              .data = w,
                              .stop = &db_interrupted};
    w->whole->names = rocpd_rows_names(w->options);
    if (!w->based) return base_pool_run(&pool);
    if (rocpd_open_apart(&w->base, &w->databases, w->options) != 0) return -1;
    w->base.any_version = w->how == ROCPD_ONCE;
    int result = rocpd_rows_find(&w->rows, &w->base.db, w->options);
    if (result == 0) result = base_pool_run(&pool);
    rocpd_rows_free(&w->rows);
    rocpd_close(&w->base);
    return result;
}

int rocpd_sum_up(const rocpd_files_t *f, const rocpd_options_t *o, rocpd_how_t how, bool forgiving,
                 rocpd_partial_t *whole)
{
    work_t w = {.options = o, .files = f, .how = how, .forgiving = forgiving, .whole = whole};
    int result = list_databases(&w);
    if (result == 0) result = read_all(&w);
    free(w.databases.paths);
    free(w.places);
    return result;
}
