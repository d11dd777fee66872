/* rocprof.c - the command of ROC Profiler's first generation, using librocprofiler64 and its tool.
 *
 * The program runs once for each pmc line of the input; the results are joined by the dispatch
 * index. What happens inside the program is in src/v1/tool. Tracing is left to rocprofv3. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rocprofiler/rocprofiler.h>

#include "base/arguments.h"
#include "base/file.h"
#include "base/grow.h"
#include "base/program.h"
#include "base/text.h"
#include "cli/gpu.h"
#include "cli/launch.h"
#include "trace/names.h"

enum { RUNS_MAX = 256, FIXED = 20, KERNEL = 20, BEGIN = 17, END = 18 }; /* columns of a line */

typedef struct {
    char *request; /* XML; NULL: the user's own file */
    char **names;  /* names of the metrics */
    size_t name_count;
} run_t;

typedef struct {
    uint64_t index;
    unsigned process;        /* number of the process in the run */
    char *fields[FIXED + 1]; /* of the first run; the last one is the kernel's name */
    char **values;           /* of all runs */
} row_t;

static run_t runs[RUNS_MAX];
static unsigned run_count;
static size_t value_count;
static row_t *rows;
static size_t row_count;
static const char *output, *input, *data_directory, *temporary;
static bool timestamps, statistics, basenames;
static char range[256], kernels[1024], gpus[256];

static int fail(const char *what, const char *value, const char *why)
{
    fprintf(stderr, "rocprof: error: %s%s%s%s%s\n", what, value ? " '" : "", value ? value : "",
            value ? "': " : ": ", why);
    return 1;
}

static int out_of_memory(void)
{
    return fail("rocprof", NULL, strerror(ENOMEM));
}

/* ---- input ---- */

static bool add_words(run_t *run, char *text)
{
    char *rest = NULL;
    for (char *word = strtok_r(text, " ,\t\r\n", &rest); word;
         word = strtok_r(NULL, " ,\t\r\n", &rest))
        if (!base_add_text(&run->names, &run->name_count, word)) return false;
    return true;
}

/* Copies the value, or refuses it if it is too long. */
static int take_value(const char *where, const char *value, char *to, size_t room)
{
    char why[64];
    snprintf(why, sizeof why, "it is longer than %zu characters", room - 1);
    return (size_t)snprintf(to, room, "%s", value) < room ? 0 : fail(input, where, why);
}

/* Reads lines such as "pmc : A B", "range: 0:3", "gpu: 0", "kernel: scale add"; # begins a
 * comment. */
static int read_text(char *text)
{
    int result = 0;
    unsigned number = 0;
    for (char *line; !result && (line = strsep(&text, "\n"));) {
        char where[64];
        snprintf(where, sizeof where, "line %u", ++number);
        line[strcspn(line, "#\r\n")] = 0;
        char *colon = strchr(line, ':'), *key = line + strspn(line, " \t");
        if (!*key) continue;
        size_t length = strcspn(key, " \t:");
        char *value = colon ? colon + 1 + strspn(colon + 1, " \t") : key;
        key[length] = 0;
        if (!colon)
            result = fail(input, where, "'keyword: values' is expected");
        else if (!strcmp(key, "pmc") && run_count == RUNS_MAX)
            result = fail(input, where, "more than 256 pmc lines");
        else if (!strcmp(key, "pmc"))
            result = add_words(&runs[run_count++], value) ? 0 : out_of_memory();
        else if (!strcmp(key, "range"))
            result = take_value(where, value, range, sizeof range);
        else if (!strcmp(key, "gpu"))
            result = take_value(where, value, gpus, sizeof gpus);
        else if (!strcmp(key, "kernel"))
            result = take_value(where, value, kernels, sizeof kernels);
        else
            result = fail(input, where, "pmc, range, gpu or kernel is expected");
    }
    return result;
}

/* Reads only the names; the rest of an XML file is read by the tool. */
static int read_xml(char *text)
{
    int result = *text ? 0 : fail("input", input, "it is empty");
    run_t *run = &runs[run_count++];
    for (char *at = text; !result && at && (at = strstr(at, "<metric")); at += 7) {
        char *name = strstr(at, "name="), *end = strchr(at, '>');
        if (!name || !end || name > end) continue;
        name += 5 + (name[5] == '"');
        char *copy = strndup(name, strcspn(name, "\">"));
        char *stop = copy && name[-1] != '"' ? strpbrk(copy, " \t\n") : NULL;
        if (stop) *stop = 0;
        if (!copy || !add_words(run, copy)) result = out_of_memory();
        free(copy);
    }
    return result;
}

static int read_input(void)
{
    enum { BYTES_MAX = 64 << 20 };
    size_t bytes;
    char *content = input ? base_file_read(input, BYTES_MAX, &bytes) : NULL;
    if (!input) run_count = 1; /* only times are measured */
    if (!content) return input ? fail("input", input, strerror(errno)) : 0;
    const char *dot = strrchr(input, '.');
    bool xml = dot && !strcmp(dot, ".xml"), text = dot && !strcmp(dot, ".txt");
    int result = xml    ? read_xml(content)
                 : text ? read_text(content)
                        : fail("input", input, "its name must end in .txt or .xml");
    free(content);
    if (!result && !run_count) run_count = 1;
    for (unsigned i = 0; i < run_count && !xml && !result; i++) {
        char *names = NULL;
        size_t size = 0;
        FILE *request = open_memstream(&names, &size);
        if (!request) return out_of_memory();
        fprintf(request, "<metric name=\"");
        for (unsigned k = 0; k < runs[i].name_count; k++)
            fprintf(request, "%s%s", k ? "," : "", runs[i].names[k]);
        fprintf(request, "\" range=\"%s\" gpu_index=\"%s\" kernel=\"%s\"></metric>\n", range, gpus,
                kernels);
        fclose(request);
        runs[i].request = names;
    }
    return result;
}

/* ---- results ---- */

static row_t *find_row(uint64_t index, unsigned process)
{
    for (size_t i = row_count; i--;)
        if (rows[i].index == index && rows[i].process == process) return &rows[i];
    if (!BASE_GROW_BY_ONE(rows, row_count)) return NULL;
    rows[row_count] = (row_t){.index = index, .process = process};
    rows[row_count].values = calloc(value_count + 1, sizeof(char *));
    return rows[row_count].values ? &rows[row_count++] : NULL;
}

/* Reads a line that the tool has written: fixed fields, kernel, values, separated by tabs. */
static int take_line(char *line, unsigned process, size_t first_value, size_t values)
{
    line[strcspn(line, "\n")] = 0;
    row_t *row = find_row(strtoull(line, NULL, 10), process);
    if (!row) return out_of_memory();
    bool fresh = !row->fields[0];
    char *rest = line;
    for (unsigned i = 0; i < FIXED + 1 + values && rest; i++) {
        char *field = strdup(strsep(&rest, "\t"));
        if (!field) return out_of_memory();
        if (i > FIXED)
            row->values[first_value + i - FIXED - 1] = field;
        else if (fresh)
            row->fields[i] = field;
        else
            free(field);
    }
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the files that the processes of a run have written, one for each process. */
typedef struct {
    char **names;
    size_t count;
    bool failed; /* a process could not count, and has logged why */
} left_t;

static int find_left(const char *folder, left_t *left)
{
    int result = 0;
    DIR *directory = base_file_folder(folder);
    if (!directory) return fail("results", folder, strerror(errno));
    for (struct dirent *e; !result && (e = readdir(directory));) {
        if (strstr(e->d_name, "_results.txt"))
            result = base_add_text(&left->names, &left->count, e->d_name) ? 0 : out_of_memory();
        if (!strstr(e->d_name, "_failed")) continue;
        left->failed = true;
        unlinkat(dirfd(directory), e->d_name, 0);
    }
    closedir(directory);
    if (left->count) qsort(left->names, left->count, sizeof *left->names, compare_names);
    return result;
}

/* Reads and removes the files of a run. Returns 1 if a process could not count. */
static int take_results(const char *folder, size_t first_value, size_t values)
{
    char *line = NULL, path[4200];
    left_t left = {0};
    size_t size = 0;
    int result = find_left(folder, &left);
    for (unsigned i = 0; i < left.count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, left.names[i]);
        FILE *file = base_file_stream(path, "re");
        if (!file) result |= fail("results", path, strerror(errno));
        while (!result && file && getline(&line, &size, file) >= 0)
            result = take_line(line, i, first_value, values);
        if (!result && !feof(file)) result = out_of_memory();
        if (file) fclose(file);
        unlink(path);
        free(left.names[i]);
    }
    free(left.names);
    free(line);
    return result | left.failed;
}

static int compare_rows(const void *a, const void *b)
{
    const row_t *x = a, *y = b;
    if (x->process != y->process) return x->process < y->process ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static uint64_t duration(const row_t *row)
{
    return strtoull(row->fields[END], NULL, 10) - strtoull(row->fields[BEGIN], NULL, 10);
}

static char *kernel_name(const row_t *row)
{
    return basenames ? trace_kernel_name(row->fields[KERNEL], TRACE_NAMES_TRUNCATED)
                     : strdup(row->fields[KERNEL]);
}

static int write_rows(const char *path)
{
    FILE *file = base_file_stream(path, "we");
    if (!file) return fail("output", path, strerror(errno));
    fputs(
        "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,"
        "sgpr,wave_size,sig,obj",
        file);
    for (unsigned i = 0; i < run_count; i++)
        for (unsigned k = 0; k < runs[i].name_count; k++)
            fprintf(file, ",%s", runs[i].names[k]);
    if (timestamps) fputs(",DispatchNs,BeginNs,EndNs,CompleteNs", file);
    if (statistics) fputs(",DurationNs", file);
    fputc('\n', file);
    for (size_t i = 0; i < row_count; i++) {
        const row_t *row = &rows[i];
        char *name = kernel_name(row);
        fprintf(file, "%zu,\"%s\"", i, name ? name : "");
        free(name);
        for (unsigned k = 1; k < 16; k++)
            fprintf(file, ",%s", row->fields[k]);
        for (unsigned k = 0; k < value_count; k++)
            fprintf(file, ",%s", row->values[k] ? row->values[k] : "");
        for (unsigned k = 16; timestamps && k < FIXED; k++)
            fprintf(file, ",%s", row->fields[k]);
        if (statistics) fprintf(file, ",%llu", (unsigned long long)duration(row));
        fputc('\n', file);
    }
    return ferror(file) | fclose(file) ? fail("output", path, "it is not complete") : 0;
}

typedef struct {
    char *name;
    uint64_t calls, total;
} statistic_t;

static int compare_statistics(const void *a, const void *b)
{
    const statistic_t *x = a, *y = b;
    if (x->total != y->total) return x->total > y->total ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Writes "x.stats.csv" for "x.csv". */
static int write_statistics(const char *path)
{
    statistic_t *list = calloc(row_count + 1, sizeof *list);
    size_t count = 0;
    uint64_t all = 0;
    char *name = NULL;
    if (!list || asprintf(&name, "%.*s.stats.csv", (int)strlen(path) - 4, path) < 0)
        return out_of_memory();
    for (size_t i = 0; i < row_count; i++) {
        char *kernel = kernel_name(&rows[i]);
        size_t at = 0;
        while (kernel && at < count && strcmp(list[at].name, kernel) != 0)
            at++;
        if (!kernel) continue;
        if (at == count)
            list[count++].name = kernel;
        else
            free(kernel);
        list[at].calls++;
        list[at].total += duration(&rows[i]);
        all += duration(&rows[i]);
    }
    qsort(list, count, sizeof *list, compare_statistics);
    FILE *file = base_file_stream(name, "we");
    if (file) fputs("\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n", file);
    for (size_t i = 0; file && i < count; i++)
        fprintf(file, "\"%s\",%llu,%llu,%llu,%.10g\n", list[i].name,
                (unsigned long long)list[i].calls, (unsigned long long)list[i].total,
                (unsigned long long)(list[i].total / list[i].calls),
                all ? 100.0 * (double)list[i].total / (double)all : 0);
    int result = 0;
    if (!file)
        result = fail("output", name, strerror(errno));
    else if (ferror(file) | fclose(file))
        result = fail("output", name, "it is not complete");
    for (size_t i = 0; i < count; i++)
        free(list[i].name);
    free(list);
    free(name);
    return result;
}

/* ---- the program ---- */

static int prepare(const char *root, bool soft)
{
    char path[4 * PATH_MAX], *preload = getenv("LD_PRELOAD"),
                             *libraries = getenv("LD_LIBRARY_PATH");
    snprintf(path, sizeof path, "%s/lib/rocprofiler/librocprof-tool.so", root);
    if (access(path, R_OK)) return fail("installation", path, strerror(errno));
    setenv("ROCP_TOOL_LIB", path, 1);
    const char *before = getenv("HSA_TOOLS_LIB");
    snprintf(path, sizeof path, "%s%slibrocprofiler64.so.1", before ? before : "",
             before ? " " : "");
    setenv("HSA_TOOLS_LIB", path, 1);
    snprintf(path, sizeof path, "%s/lib%s%s", root, libraries ? ":" : "",
             libraries ? libraries : "");
    setenv("LD_LIBRARY_PATH", path, 1);
    if (soft && !cli_on_soft_gpu()) {
        size_t used = 0;
        for (const char *const *file = cli_soft_gpu_libraries(); *file; file++)
            used += (size_t)snprintf(path + used, sizeof path - used, "%s/%s:", root, *file);
        snprintf(path + used, sizeof path - used, "%s", preload ? preload : "");
        setenv("LD_PRELOAD", path, 1);
    }
    if (timestamps) setenv("ROCP_TIMESTAMP_ON", "1", 1);
    return 0;
}

static int run_program(char **program, unsigned number, size_t first_value)
{
    char folder[] = "/tmp/rocprof-XXXXXX", named[4096], path[4096], request[4200], why[512];
    pid_t pid;
    char *where = folder;
    if (temporary || data_directory) {
        snprintf(named, sizeof named, "%s/rocprof-XXXXXX", temporary ? temporary : data_directory);
        where = named;
    }
    if (!mkdtemp(where)) return fail("temporary directory", where, strerror(errno));
    snprintf(request, sizeof request, "%s/input%u.xml", where, number);
    if (runs[number].request) {
        FILE *file = base_file_stream(request, "we");
        if (!file || fputs(runs[number].request, file) < 0 || fclose(file))
            return fail("temporary file", request, strerror(errno));
    }
    setenv("ROCP_INPUT", runs[number].request ? request : input ? input : "", 1);
    setenv("ROCP_OUTPUT_DIR", where, 1);
    int status = cli_find_program(program[0], path, sizeof path, why, sizeof why);
    if (!status) {
        *why = 0;
        status = cli_run(path, program, getenv("LD_PRELOAD"), NULL, &pid, why, sizeof why);
    }
    if (status && *why) fprintf(stderr, "rocprof: error: %s\n", why);
    if (take_results(where, first_value, runs[number].name_count) && !status) status = 1;
    unlink(request);
    rmdir(where);
    return status;
}

/* ---- lists ---- */

static hsa_status_t print_metric(const rocprofiler_info_data_t info, void *data)
{
    const bool *derived = data;
    if (*derived != (info.metric.expr != NULL)) return HSA_STATUS_SUCCESS;
    printf("\n  gpu-agent%u : %s", info.agent_index, info.metric.name);
    if (!*derived && info.metric.instances > 1) printf("[0-%u]", info.metric.instances - 1);
    printf(" : %s\n", info.metric.description);
    if (*derived)
        printf("      %s = %s\n", info.metric.name, info.metric.expr);
    else
        printf("      block %s has %u counters\n", info.metric.block_name,
               info.metric.block_counters);
    return HSA_STATUS_SUCCESS;
}

/* If the software GPU is to be used, runs this program again with it preloaded. */
static int list(bool derived, bool soft, const char *root, char **argv)
{
    const char *text = "";
    if (soft && !cli_on_soft_gpu()) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof path, "%s/" CLI_SOFT_GPU_LIBRARY, root);
        setenv("LD_PRELOAD", path, 1);
        execv("/proc/self/exe", argv);
        return fail("rocprof", NULL, strerror(errno));
    }
    if (hsa_init()) return fail("HSA", NULL, "no runtime, or no GPU");
    if (rocprofiler_iterate_info(NULL, ROCPROFILER_INFO_KIND_METRIC, print_metric, &derived)) {
        rocprofiler_error_string(&text);
        return fail("metrics", NULL, text);
    }
    fflush(stdout);
    return 1; /* AMD's command returns 1, too */
}

/* ---- options ---- */

static const char usage[] =
    "usage: rocprof [options] program [arguments]\n"
    "  -i FILE.txt|FILE.xml   what to count: lines 'pmc: NAME...', each a run of the program;\n"
    "                         range: FIRST:END, gpu: INDEX..., kernel: PART-OF-NAME...\n"
    "  -o FILE.csv            output, default the input's name, or results.csv\n"
    "  -m FILE                definitions of metrics, besides the built-in ones\n"
    "  -d DIR, -t DIR         where temporary files go\n"
    "  --list-basic, --list-derived   hardware counters, derived metrics; exit status 1\n"
    "  --timestamp on|off     times of each kernel\n"
    "  --stats                times, and FILE.stats.csv by kernel\n"
    "  --basenames on|off     names of kernels without arguments and namespaces\n"
    "  --ctx-limit N          kernels in flight at most\n"
    "  --parallel-kernels     kernels that are counted may run at the same time\n"
    "  --gpu auto|real|soft   which GPU, default auto\n"
    "  --version, -h\n"
    "Traces: rocprofv3.\n";

static const char *gpu;
static enum { NOTHING, BASIC, DERIVED } list_what;

/* ---- options without a value: each function carries out its option, and returns the exit status
 * of the program, or -1 if the program is to go on ---- */

static int print_usage(void)
{
    fputs(usage, stdout);
    return 1; /* AMD's command returns 1, too */
}

static int print_version(void)
{
    printf("rocprof: ROC Profiler %u.%u\n", rocprofiler_version_major(),
           rocprofiler_version_minor());
    return 0;
}

static int list_basic(void)
{
    list_what = BASIC;
    return -1;
}

static int list_derived(void)
{
    list_what = DERIVED;
    return -1;
}

static int with_statistics(void)
{
    statistics = timestamps = true;
    return -1;
}

static bool ignored;

/* An option takes a word (for `text`, or for the variable), is on or off (`truth`), or has a
 * function (`act`); or the variable becomes 1. */
static const struct {
    const char *name; /* "": the option has only the letter */
    char letter;
    const char **text;
    bool *truth;
    int (*act)(void);
    const char *variable;
    bool alone; /* the variable needs no word */
} options[] = {
    {"", 'i', .text = &input},
    {"", 'o', .text = &output},
    {"", 'd', .text = &data_directory},
    {"", 't', .text = &temporary},
    {"", 'm', .variable = "ROCP_METRICS"},
    {"", 'h', .act = print_usage},
    {"gpu", 0, .text = &gpu},
    {"ctx-limit", 0, .variable = "ROCP_OUTSTANDING_MAX"},
    {"parallel-kernels", 0, .variable = "ROCP_K_CONCURRENT", .alone = true},
    {"verbose", 0, .variable = "ROCP_VERBOSE_MODE", .alone = true},
    {"timestamp", 0, .truth = &timestamps},
    {"basenames", 0, .truth = &basenames},
    {"ctx-wait", 0, .truth = &ignored},
    {"obj-tracking", 0, .truth = &ignored},
    {"version", 0, .act = print_version},
    {"list-basic", 0, .act = list_basic},
    {"list-derived", 0, .act = list_derived},
    {"stats", 0, .act = with_statistics},
};

/* Handles an option. Returns the exit status, or -1 to go on. */
static int take_option(size_t row, base_arguments_t *a)
{
    const char *const *words, *variable = options[row].variable;
    const bool alone = options[row].act || options[row].alone;
    const size_t count =
        base_arguments_words(a, alone ? BASE_TAKES_NOTHING : BASE_TAKES_ONE, &words);
    if (alone && count) return fail("option", a->word, "it takes no value");
    if (!alone && !count) return fail("option", a->word, "it needs a value");
    if (options[row].act) return options[row].act();
    if (options[row].text) *options[row].text = *words;
    if (variable) setenv(variable, alone ? "1" : *words, 1);
    if (!options[row].truth) return -1;
    *options[row].truth = !strcmp(*words, "on");
    return *options[row].truth || !strcmp(*words, "off")
               ? -1
               : fail(a->word, *words, "on or off is expected");
}

/* Reads the options. Returns the exit status, or -1 to go on; *at is then the index of the
 * program. */
static int read_options(int argc, char **argv, int *at)
{
    base_arguments_t a = {.argc = argc, .argv = argv, .next = 1};
    int status = -1;
    while (status < 0 && base_arguments_next(&a)) {
        size_t row = 0;
        if (!a.option) {
            *at = a.next - 1;
            return -1;
        }
        while (row < sizeof options / sizeof *options &&
               !base_arguments_are(&a, options[row].name, options[row].letter))
            row++;
        if (row < sizeof options / sizeof *options)
            status = take_option(row, &a);
        else if (strstr(a.word, "-trace") || strstr(a.word, "roctx"))
            status = fail("option", a.word, "traces are rocprofv3's: rocprofv3 --help");
        else
            status = fail("option", a.word, "it is unknown: rocprof -h");
    }
    *at = argc;
    return status;
}

/* Returns the output's name; by default it is made from the input's. */
static char *output_name(void)
{
    char *name = NULL;
    const char *base = input ? base_last_part(input) : NULL;
    if (output)
        name = strdup(output);
    else if (asprintf(&name, "%.*s.csv", base ? (int)strlen(base) - 4 : 7,
                      base ? base : "results") < 0)
        name = NULL;
    return name;
}

static int run(int argc, char **argv)
{
    char root[PATH_MAX], why[512] = "";
    int at, status = read_options(argc, argv, &at), result = 0;
    if (status >= 0) return status;
    if (output && (strlen(output) < 5 || strcmp(output + strlen(output) - 4, ".csv")))
        return fail("output", output, "its name must end in .csv");
    if (cli_find_root(root, NULL, why, sizeof why)) return fail("rocprof", NULL, why);
    int soft = cli_choose_gpu("rocprof", gpu, why, sizeof why);
    if (soft < 0) return fail("rocprof", NULL, why);
    if (list_what) return list(list_what == DERIVED, soft, root, argv);
    if (!argv[at]) return fail("rocprof", NULL, "no program is given: rocprof -h");
    if (read_input() || prepare(root, soft)) return 1;
    for (unsigned i = 0; i < run_count; i++)
        value_count += runs[i].name_count;
    status = 0;
    size_t first = 0;
    for (unsigned i = 0; i < run_count && !status; i++) {
        status = run_program(argv + at, i, first);
        first += runs[i].name_count;
    }
    if (row_count) qsort(rows, row_count, sizeof *rows, compare_rows);
    char *name = output_name();
    if (!name) return out_of_memory();
    result = write_rows(name);
    if (!result && statistics) result = write_statistics(name);
    free(name);
    return status ? status : result;
}

int main(int argc, char **argv)
{
    base_program_begin("rocprof", "ROCPROFILER_LOG_LEVEL", CLI_EXIT_SETUP);
    return run(argc, argv);
}
