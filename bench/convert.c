/* convert.c - what the formats of rocprofv3 cost: nanoseconds for each record, memory at its peak.
 *
 * Makes the store of a made-up process (two threads' API calls, every tenth record a kernel) and
 * converts it in a process of its own for each format, so that one's memory is not another's; then
 * once to several formats, which read the store once. For a database, the rows of all its tables
 * are counted, too. Beside each figure stands the cost of the bytes alone: of writing as many by
 * write(2) and nothing else. The files of 10,000,000 records have up to 4.5 GB at a time.
 * bench_convert [--json FILE] [--records N] [--format NAME] [--arguments N] [--threads N]
 *               [--runs N] [--directory DIR]: calls have so many arguments, so many threads render
 * (0: as many as there are CPUs, up to four), the fastest of so many runs counts, files lie in DIR
 */
#include "output/convert.h"
#include "trace/store.h"
#include "trace/writer.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

static const struct {
    const char *name, *formats;
} rows[] = {
    {"csv", "csv"},
    {"json", "json"},
    {"pftrace", "pftrace"},
    {"rocpd", "rocpd"},
    {"texts", "csv,json,pftrace"},
};
enum {
    ROWS = sizeof(rows) / sizeof(*rows),
    OPERATIONS = 400,
    KERNELS = 20,
    ARGUMENTS_MAX = 12,
    API = 5,
    DISPATCH = 11
};

typedef struct {
    double ns;     /* of CPU time for each record, all phases of a conversion */
    double system; /* of these, the kernel's */
    double wall;
    double peak_mb; /* of resident memory */
    double file_mb; /* of all files */
    double write;   /* ns for each record that writing as many bytes took, wall */
    double rows;    /* of a database, a second */
} result_t;

static void put_text(trace_writer_t *w, trace_head_t head, const char *text)
{
    trace_writer_put_texts(w, &head, sizeof(head), &text, 1);
}

static void put_meta(const char *store, const char *directory)
{
    char why[256], text[64];
    const char *facts[][2] = {{TRACE_INFO_DIRECTORY, directory},
                              {TRACE_INFO_NAME, "bench"},
                              {TRACE_INFO_COMMAND, "bench"}};
    trace_writer_t *w =
        trace_writer_open(store, TRACE_META_FILE, TRACE_CONTENTS_META, 0, why, sizeof(why));
    if (!w) {
        fprintf(stderr, "bench_convert: %s\n", why);
        exit(1);
    }
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
        trace_head_t head = trace_head(TRACE_INFO, 0, 0, 0, sizeof(head));
        trace_writer_put_texts(w, &head, sizeof(head), facts[i], 2);
    }
    struct {
        trace_agent_t agent;
        uint64_t node;
    } gpu = {.agent = {.head = trace_head(TRACE_AGENT, 0, 0, 0, sizeof(gpu)),
                       .id = 1,
                       .type = TRACE_AGENT_GPU,
                       .fields = 1,
                       .text_offset = sizeof(gpu)},
             .node = 1};
    const char *texts[] = {"gfx90a", "AMD", "bench", ""};
    trace_writer_put_texts(w, &gpu, sizeof(gpu), texts, sizeof(texts) / sizeof(*texts));
    put_text(w, trace_head(TRACE_KIND, API, 0, 0, 0), "HIP_RUNTIME_API");
    put_text(w, trace_head(TRACE_KIND, DISPATCH, 0, 0, 0), "KERNEL_DISPATCH");
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        snprintf(text, sizeof(text), "hipFunctionOfSomeLength%u", i);
        put_text(w, trace_head(TRACE_OPERATION, API, i, 0, 0), text);
        trace_signature_t s = {.head = trace_head(TRACE_SIGNATURE, API, i, 0, sizeof(s)),
                               .count = ARGUMENTS_MAX};
        const char *names[2 * ARGUMENTS_MAX];
        for (int name = 0; name < 2 * ARGUMENTS_MAX; name++)
            names[name] = name % 2 ? "argument" : "void *";
        trace_writer_put_texts(w, &s, sizeof(s), names, 2 * ARGUMENTS_MAX);
    }
    for (uint64_t i = 1; i <= KERNELS; i++) {
        trace_kernel_t k = {.head = trace_head(TRACE_KERNEL, 0, 0, 0, sizeof(k)),
                            .id = i,
                            .code_object = 1,
                            .vgprs = 32};
        const char *name = text;
        snprintf(text, sizeof(text), "_Z%zukernel%02llu", strlen("kernel00"),
                 (unsigned long long)i);
        trace_writer_put_texts(w, &k, sizeof(k), &name, 1);
    }
    trace_writer_close(w);
}

/* A call with arguments, all of them pointers. */
static void put_call(trace_writer_t *w, const trace_api_t *plain, uint32_t arguments)
{
    char values[256];
    size_t bytes = 0;
    for (uint32_t i = 0; i < arguments; i++)
        bytes += (size_t)snprintf(values + bytes, sizeof(values) - bytes, "0x7f%010llx",
                                  (unsigned long long)(plain->start * (i + 1))) +
                 1;
    while (bytes % 8)
        values[bytes++] = 0;
    trace_call_t call = {
        .call = {.head = trace_head(TRACE_API, API, trace_operation(plain->head),
                                    trace_thread(plain->head), sizeof(call) + bytes),
                 .start = plain->start,
                 .end = plain->end,
                 .correlation = plain->correlation},
        .count = arguments,
        .has_result = 1};
    trace_writer_put_parts(w, &call, sizeof(call), values, bytes);
}

static void put_records(const char *store, uint64_t records, uint32_t arguments)
{
    char why[256];
    trace_writer_t *w =
        trace_writer_open(store, "records-0.seg", TRACE_CONTENTS_RECORDS, 0, why, sizeof(why));
    if (!w) {
        fprintf(stderr, "bench_convert: %s\n", why);
        exit(1);
    }
    for (uint64_t i = 1; i <= records; i++) {
        uint64_t start = 1000000000 + 1000 * i;
        trace_api_t call = {
            trace_head(TRACE_API, API, (uint32_t)(i % OPERATIONS), 100 + i % 2, sizeof(call)),
            start, start + 900, i};
        trace_dispatch_t d = {.head = trace_head(TRACE_DISPATCH, DISPATCH, 2, 100, sizeof(d)),
                              .start = start,
                              .end = start + 5000,
                              .correlation = i - 1,
                              .agent = 1,
                              .queue = 1,
                              .kernel = 1 + i % KERNELS,
                              .dispatch = i,
                              .stream = 1,
                              .workgroup = {256, 1, 1},
                              .grid = {65536, 1, 1}};
        if (i % 10 && arguments)
            put_call(w, &call, arguments);
        else
            trace_writer_put(w, i % 10 ? (const void *)&call : &d);
    }
    trace_writer_count(w, records, 0, 0);
    trace_writer_close(w);
}

static const char *variable(const void *from, const char *name)
{
    return strcmp(name, "ROCPROF_OUTPUT_FORMAT") == 0 ? from : NULL;
}

/* Runs in a child: the CPU time and the peak of memory of that process are measured. */
static int convert(const char *store, const char *to, const char *format, unsigned threads)
{
    char why[512];
    out_config_t config;
    out_result_t result;
    out_conversion_t c = {.config = &config, .directory = to, .threads = threads};
    if (out_config_read(&config, variable, format, why, sizeof(why)) == 0 &&
        out_convert(&c, store, &result, why, sizeof(why)) == 0)
        return 0;
    fprintf(stderr, "bench_convert: %s: %s\n", format, why);
    return 1;
}

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The rows of all tables of a database. */
static double count_rows(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *tables = NULL, *last = NULL;
    double count = 0;
    char text[256];
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
        sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &tables,
                           NULL);
    while (tables && sqlite3_step(tables) == SQLITE_ROW) {
        snprintf(text, sizeof(text), "SELECT count(*) FROM \"%s\"",
                 (const char *)sqlite3_column_text(tables, 0));
        if (sqlite3_prepare_v2(db, text, -1, &last, NULL) == SQLITE_OK &&
            sqlite3_step(last) == SQLITE_ROW)
            count += sqlite3_column_double(last, 0);
        sqlite3_finalize(last);
    }
    sqlite3_finalize(tables);
    sqlite3_close(db);
    return count;
}

/* Bytes of the directory's files. Adds the rows of the databases among them to *count. */
static uint64_t look_at_files(const char *directory, double *count)
{
    struct stat st;
    char path[4096];
    uint64_t bytes = 0;
    char **names = trace_list(directory);
    for (char **name = names; name && *name; name++) {
        const char *dot = strrchr(*name, '.');
        if (trace_join(path, sizeof(path), directory, *name) != 0 || stat(path, &st) != 0) continue;
        bytes += (uint64_t)st.st_size;
        if (dot && strcmp(dot, ".db") == 0) *count += count_rows(path);
    }
    trace_list_free(names);
    return bytes;
}

/* Seconds that writing a file of so many bytes takes if nothing else is to be done. */
static double write_alone(const char *path, uint64_t bytes)
{
    static char block[262144];
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (fd < 0) return 0;
    memset(block, 'x', sizeof(block));
    double begun = now();
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) != 0) begun = now();
    for (uint64_t done = 0; done < bytes;) {
        uint64_t left = bytes - done;
        ssize_t n = write(fd, block, left < sizeof(block) ? left : sizeof(block));
        if (n <= 0) break;
        done += (uint64_t)n;
    }
    const double took = now() - begun;
    close(fd);
    unlink(path);
    return took;
}

static bool measure(const char *store, const char *directory, int row, uint64_t records,
                    unsigned threads, result_t *r)
{
    struct rusage use;
    int status;
    char to[4096];
    double begun = now(), each = 1e9 / (double)records;
    if (trace_join(to, sizeof(to), directory, "files") != 0) return false;
    pid_t child = fork();
    if (child == 0) _exit(convert(store, to, rows[row].formats, threads));
    if (child < 0 || wait4(child, &status, 0, &use) < 0 || status != 0) return false;
    const double wall = now() - begun;
    const double user = seconds(use.ru_utime), system = seconds(use.ru_stime);
    double count = 0;
    const uint64_t bytes = look_at_files(to, &count);
    trace_remove(to);
    *r = (result_t){.ns = (user + system) * each,
                    .system = system * each,
                    .wall = wall * each,
                    .peak_mb = (double)use.ru_maxrss / 1024,
                    .file_mb = (double)bytes / 1e6,
                    .write = write_alone(to, bytes) * each,
                    .rows = count / wall};
    return true;
}

/* The fastest of several runs, which was disturbed least; likewise for the time of writing alone.
 * One run is enough if it takes more than five seconds. */
static bool measure_best(const char *store, const char *directory, int row, uint64_t records,
                         unsigned threads, uint64_t runs, result_t *best)
{
    const double enough = 5e9 / (double)records; /* five seconds */
    for (uint64_t i = 0; i < runs && (!i || best->wall < enough); i++) {
        result_t r;
        if (!measure(store, directory, row, records, threads, &r)) return false;
        const double write = i && best->write < r.write ? best->write : r.write;
        if (!i || r.wall < best->wall) *best = r;
        best->write = write;
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *json = NULL, *only = NULL;
    uint64_t records = 10000000, arguments = 0, threads = 0, runs = 3;
    const char *where = "/tmp";
    char directory[2048], store[4096];
    result_t results[ROWS];
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--json") == 0) json = argv[i + 1];
        if (strcmp(argv[i], "--format") == 0) only = argv[i + 1];
        if (strcmp(argv[i], "--arguments") == 0) arguments = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--threads") == 0) threads = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--records") == 0) records = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--runs") == 0) runs = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--directory") == 0) where = argv[i + 1];
    }
    char *whole = realpath(where, NULL); /* a store names its directory by its whole path */
    if (!whole) {
        perror(where);
        return 1;
    }
    snprintf(directory, sizeof(directory), "%s/bench-convert-XXXXXX", whole);
    free(whole);
    if (!records || !runs || !mkdtemp(directory)) return 1;
    if (trace_join(store, sizeof(store), directory, "store") != 0 || mkdir(store, 0700) != 0)
        return 1;
    put_meta(store, directory);
    if (arguments > ARGUMENTS_MAX) arguments = ARGUMENTS_MAX;
    put_records(store, records, (uint32_t)arguments);
    printf("%llu records, nine calls to a kernel, %llu arguments each\n",
           (unsigned long long)records, (unsigned long long)arguments);
    printf("%-10s %12s %12s %12s %14s %10s %10s %12s\n", "format", "ns a record", "system ns",
           "wall ns", "write alone ns", "peak MB", "file MB", "rows/s");
    for (int i = 0; i < ROWS; i++) {
        result_t *r = &results[i];
        if (only && strcmp(only, rows[i].name) != 0) continue;
        if (!measure_best(store, directory, i, records, (unsigned)threads, runs, r)) return 1;
        printf("%-10s %12.0f %12.0f %12.0f %14.0f %10.1f %10.1f", rows[i].name, r->ns, r->system,
               r->wall, r->write, r->peak_mb, r->file_mb);
        printf(r->rows > 0 ? " %12.0f\n" : "\n", r->rows);
    }
    trace_remove(directory);
    FILE *f = json && !only ? fopen(json, "w") : NULL;
    if (!f) return json != NULL;
    for (int i = 0; i < ROWS; i++)
        fprintf(
            f,
            "%s\"%s_ns\": %.1f, \"%s_wall_ns\": %.1f, \"%s_write_ns\": %.1f, \"%s_peak_mb\": %.1f",
            i ? ", " : "{", rows[i].name, results[i].ns, rows[i].name, results[i].wall,
            rows[i].name, results[i].write, rows[i].name, results[i].peak_mb);
    for (int i = 0; i < ROWS; i++)
        if (results[i].rows > 0)
            fprintf(f, ", \"%s_rows_a_second\": %.0f", rows[i].name, results[i].rows);
    fprintf(f, "}\n");
    return fclose(f) != 0;
}
