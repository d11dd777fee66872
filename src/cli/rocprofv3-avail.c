/* rocprofv3-avail.c - the command: lists what this machine's GPUs, or a GPU that is named, can
 * count and sample, and checks which counters fit together. The layout is that of AMD's
 * rocprofv3-avail; on the software GPU the class of each counter is added. avail.c and
 * avail_product.c get the facts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rocprofiler-sdk/experimental/spm.h>
#include <rocprofiler-sdk/pc_sampling.h>

#include "base/arguments.h"
#include "base/driver.h"
#include "base/file.h"
#include "base/log.h"
#include "base/program.h"
#include "base/words.h"
#include "cli/avail_command.h"
#include "cli/avail_json.h"
#include "cli/gpu.h"
#include "cli/input.h"
#include "cli/launch.h"
#include "cli/options.h"
#include "trace/extra.h"
#include "trace/settings.h"

enum { EXIT_NOT_AVAILABLE = 1 };

static void print_help(void)
{
    fputs(
        "Usage: rocprofv3-avail [options] COMMAND ...\n\n"
        "What the GPUs of this machine can count and sample.\n\n"
        "  -h, --help                print this help\n"
        "  -d, --device N            only the GPU with this index\n"
        "  -E, --extra-counters FILE YAML with definitions of more counters\n"
        "      --gpu WORD            real, soft, or (auto) the software GPU where there is "
        "no " BASE_DRIVER_DEVICE ";\n"
        "                            or a GPU that this machine need not have, such as gfx1100 or "
        "mi300x;\n"
        "                            or the path of a profile, with a slash in it, that the "
        "software "
        "GPU is to be\n"
        "      --json                the answer as JSON\n\n"
        "Commands:\n"
        "  list                      GPUs and the names of their counters\n"
        "    --pmc [BOOL]            the same\n"
        "    --agent [BOOL]          GPUs and their basic properties\n"
        "    --pc-sampling [BOOL]    GPUs that can sample program counters\n"
        "  info                      basic properties of GPUs, and the names of their counters\n"
        "    --pmc [NAME ...]        what all counters, or those named, count; on the software "
        "GPU\n"
        "                            also how their values come about (Class)\n"
        "    --pc-sampling           ways of sampling, with the limits of the interval\n"
        "    --spm-config            limits of the interval between samples of counters\n"
        "  pmc-check NAME[:device=N[,device=N]] ...\n"
        "                            can these be collected together?\n"
        "    --quiet                 say only what is wrong\n"
        "    --spm                   can they be sampled together (rocprofv3 --spm)?\n\n"
        "Of a GPU that is named (--gpu gfx1100) counters, their conflicts and ways of sampling (by "
        "the\n"
        "interface 1.5 of AMD's driver) are told from tables; the first product of an architecture "
        "stands\n"
        "for it.\n\n"
        "Exit status: 0, 1 if a counter or a GPU does not exist or counters cannot be collected\n"
        "together, 2 for wrong options or definitions, 125 if the GPUs cannot be asked.\n",
        stdout);
}

/* ---- the command line ---- */

static int set_bool(bool *to, const base_arguments_t *a, const char *const *words, size_t count)
{
    const int value = count ? base_truth(words[0]) : 1;
    if (value < 0)
        return AVAIL_REFUSE("--%.*s: '%s' is no truth value", (int)a->bytes, a->name, words[0]);
    *to = value;
    return 0;
}

static int set_device(avail_options_t *o, const char *word)
{
    uint64_t number;
    if (!base_number(word, 0, 1000, &number))
        return AVAIL_REFUSE("--device needs the index of a GPU, not '%s'", word);
    o->device = (int)number;
    return 0;
}

static void append_name(char *text, size_t size, const char *name)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, " %s", name);
}

/* Lists the GPUs whose counters are known, and their products. */
static void list_known(char *archs, size_t archs_size, char *products, size_t products_size)
{
    *archs = *products = '\0';
    for (size_t i = 0; i < gpus_count(); i++)
        if (gpus_at(i)->blocks) append_name(archs, archs_size, gpus_at(i)->name);
    for (size_t i = 0; i < gpus_product_count(); i++)
        if (gpus_product_at(i)->arch->blocks)
            append_name(products, products_size, gpus_product_at(i)->name);
}

static int set_gpu(avail_options_t *o, const char *word)
{
    char archs[512], products[1024];
    o->gpu = word;
    o->product = gpus_product(word);
    if (o->product && o->product->arch->blocks) return 0;
    if (!strcmp(word, "auto") || !strcmp(word, "soft") || !strcmp(word, "real")) return 0;
    if (cli_is_profile(word)) return 0;
    list_known(archs, sizeof(archs), products, sizeof(products));
    if (o->product || gpus_find(word))
        return AVAIL_REFUSE("--gpu: no counters of %s are known; they are of:%s",
                            o->product ? o->product->arch->name : word, archs);
    return AVAIL_REFUSE(
        "--gpu: '%s' is none of: auto real soft, no GPU:%s, and no product:%s; the path of "
        "a profile has a slash in it",
        word, archs, products);
}

typedef enum {
    HELP,
    DEVICE,
    GPU,
    EXTRA_COUNTERS,
    JSON,
    LIST_PMC,
    LIST_AGENT,
    LIST_SAMPLING,
    INFO_PMC,
    INFO_SAMPLING,
    INFO_STREAMS,
    CHECK_QUIET,
    CHECK_STREAMS,
    OPTION_COUNT
} option_t;

/* ORDER: option_t. */
static const struct {
    const char *name;
    char letter;
    int command; /* the command to which the option belongs; AVAIL_NO_COMMAND: to all */
    base_takes_t takes;
} rows[OPTION_COUNT] = {
    {"help", 'h', AVAIL_NO_COMMAND, BASE_TAKES_NOTHING},
    {"device", 'd', AVAIL_NO_COMMAND, BASE_TAKES_ONE},
    {"gpu", 0, AVAIL_NO_COMMAND, BASE_TAKES_ONE},
    {"extra-counters", 'E', AVAIL_NO_COMMAND, BASE_TAKES_ONE},
    {"json", 0, AVAIL_NO_COMMAND, BASE_TAKES_NOTHING},
    {"pmc", 0, AVAIL_LIST, BASE_TAKES_TRUTH},
    {"agent", 0, AVAIL_LIST, BASE_TAKES_TRUTH},
    {"pc-sampling", 0, AVAIL_LIST, BASE_TAKES_TRUTH},
    {"pmc", 0, AVAIL_INFO, BASE_TAKES_SEVERAL},
    {"pc-sampling", 0, AVAIL_INFO,
     BASE_TAKES_SEVERAL}, /* AMD's command ignores further words, too */
    {"spm-config", 0, AVAIL_INFO, BASE_TAKES_NOTHING},
    {"quiet", 0, AVAIL_PMC_CHECK, BASE_TAKES_NOTHING},
    {"spm", 0, AVAIL_PMC_CHECK, BASE_TAKES_NOTHING},
};

static int set_option(avail_options_t *o, option_t option, const base_arguments_t *a,
                      const char *const *words, size_t count)
{
    if (rows[option].takes == BASE_TAKES_ONE && !count)
        return AVAIL_REFUSE("--%s needs a value", rows[option].name);
    switch (option) {
    case HELP: o->help = true; return 0;
    case DEVICE: return set_device(o, words[0]);
    case GPU: return set_gpu(o, words[0]);
    case EXTRA_COUNTERS: o->extra = words[0]; return 0;
    case JSON: o->as_json = true; return 0;
    case LIST_PMC: return set_bool(&o->pmc, a, words, count);
    case LIST_AGENT: return set_bool(&o->agent, a, words, count);
    case LIST_SAMPLING: return set_bool(&o->sampling, a, words, count);
    case INFO_PMC:
        o->pmc = true;
        for (size_t i = 0; i < count; i++)
            o->names[o->name_count++] = words[i];
        return 0;
    case INFO_SAMPLING: o->sampling = true; return 0;
    case INFO_STREAMS:
    case CHECK_STREAMS: o->streams = true; return 0;
    case CHECK_QUIET: o->quiet = true; return 0;
    case OPTION_COUNT: break;
    }
    return -1;
}

static int parse_option(avail_options_t *o, base_arguments_t *a)
{
    for (option_t i = 0; i < OPTION_COUNT; i++) {
        if (rows[i].command != AVAIL_NO_COMMAND && rows[i].command != (int)o->command) continue;
        if (!base_arguments_are(a, rows[i].name, rows[i].letter)) continue;
        const char *const *words;
        const size_t count = base_arguments_words(a, rows[i].takes, &words);
        return set_option(o, i, a, words, count);
    }
    return AVAIL_REFUSE("unknown option '%s': see --help", a->word);
}

static int parse(avail_options_t *o, int argc, char **argv)
{
    static const char *const commands[] = {"", "list", "info", "pmc-check"};
    for (base_arguments_t a = {.argc = argc, .argv = argv, .next = 1}; base_arguments_next(&a);) {
        if (a.option) {
            if (parse_option(o, &a) != 0) return -1;
        } else if (o->command == AVAIL_PMC_CHECK) {
            o->names[o->name_count++] = a.word;
        } else if (o->command != AVAIL_NO_COMMAND) {
            return AVAIL_REFUSE("'%s' has no place behind %s", a.word, commands[o->command]);
        } else {
            for (int i = AVAIL_LIST; i <= AVAIL_PMC_CHECK; i++)
                if (strcmp(a.word, commands[i]) == 0) o->command = i;
            if (!o->command) return AVAIL_REFUSE("'%s' is none of: list info pmc-check", a.word);
        }
    }
    if (o->command == AVAIL_PMC_CHECK && !o->name_count && !o->help)
        return AVAIL_REFUSE("pmc-check needs the names of counters");
    if (o->product && o->streams)
        return AVAIL_REFUSE(
            "--gpu %s: how counters can be sampled is asked of the GPU's driver, so of the "
            "GPUs of this machine alone",
            o->gpu);
    if (o->as_json && (o->sampling || (o->streams && o->command == AVAIL_INFO)))
        return AVAIL_REFUSE("--json: there is no such form of --pc-sampling and --spm-config");
    return 0;
}

/* Runs this program again with the software GPU preloaded, which must be in place before a library
 * looks for the driver. */
static int enter_gpu(const avail_options_t *o, char **argv)
{
    char why[PATH_MAX + 128], root[PATH_MAX], *preload = NULL;
    const char *before = getenv("LD_PRELOAD");
    if (o->product) return 0;
    int soft = cli_choose_gpu("rocprofv3-avail", o->gpu, why, sizeof(why));
    if (soft < 0) return AVAIL_REFUSE("%s", why);
    if (!soft || cli_on_soft_gpu()) return 0;
    if (cli_find_root(root, NULL, why, sizeof(why)) != 0) return AVAIL_REFUSE("%s", why);
    if (asprintf(&preload, "%s%s%s/" CLI_SOFT_GPU_LIBRARY, before ? before : "", before ? ":" : "",
                 root) < 0)
        return AVAIL_REFUSE("%s", strerror(ENOMEM));
    if (setenv("LD_PRELOAD", preload, 1) == 0) execv("/proc/self/exe", argv);
    return AVAIL_REFUSE("starting again on the software GPU: %s", strerror(errno));
}

static void print_field(const char *name, const char *value)
{
    printf("%-30s:\t%s\n", name, value);
}

static void print_number(const char *name, long long value)
{
    printf("%-30s:\t%lld\n", name, value);
}

static void print_dims(const char *name, rocprofiler_dim3_t d)
{
    printf("%-30s:\t%u, %u, %u\n", name, d.x, d.y, d.z);
}

/* Prints the properties that AMD's tool treats as basic. */
static void print_agent(const avail_gpu_t *gpu)
{
    const rocprofiler_agent_v0_t *a = gpu->agent;
    printf("GPU:%d\n\n", a->logical_node_type_id);
#define NUMBER(field) print_number(#field, (long long)a->field);
    AVAIL_PROPERTIES(NUMBER)
    print_dims("workgroup_max_dim", a->workgroup_max_dim);
    print_dims("grid_max_dim", a->grid_max_dim);
    print_field("name", a->name);
    print_field("vendor_name", a->vendor_name);
    print_field("product_name", a->product_name);
    print_field("model_name", a->model_name);
    AVAIL_NODE_PROPERTIES(NUMBER)
#undef NUMBER
}

/* Prints as many columns as fit into the terminal's width, or else 120. */
static void print_names(const avail_gpu_t *gpu)
{
    struct winsize w = {.ws_col = 0};
    size_t width = 0, line = 120, column = 0;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col)
        line = w.ws_col;
    for (size_t i = 0; i < gpu->count; i++) {
        size_t bytes = strlen(gpu->counters[i]->name);
        if (bytes > width) width = bytes;
    }
    size_t columns = line / (width + 1) ? line / (width + 1) : 1;
    printf("%-30s:\n\n", "PMC");
    for (size_t i = 0; i < gpu->count; i++) {
        column = i % columns + 1;
        bool last = column == columns || i + 1 == gpu->count;
        printf("%-*s%s", last ? 0 : (int)width, gpu->counters[i]->name, last ? "\n" : " ");
    }
}

static void print_counter(const avail_gpu_t *gpu, const rocprofiler_counter_info_v1_t *c)
{
    const char *class = avail_class(gpu, c->name);
    printf("%-20s:\t%s\n", "Counter_Name", c->name);
    printf("%-20s:\t%s\n", "Description", c->description);
    if (c->is_derived)
        printf("%-20s:\t%s\n", "Expression", c->expression);
    else if (!c->is_constant)
        printf("%-20s:\t%s\n", "Block", c->block);
    if (avail_streams(gpu, c)) printf("%-20s:\t%s\n", "SPM", "Supported");
    printf("%-20s:\t", "Dimensions");
    for (uint64_t i = 0; i < c->dimensions_count; i++) {
        const rocprofiler_counter_record_dimension_info_t *d = c->dimensions[i];
        printf("%s%s[0:%zu]", i ? "\t" : "", d->name, d->instance_size ? d->instance_size - 1 : 0);
    }
    putchar('\n');
    if (*class) printf("%-20s:\t%s\n", "Class", class);
    printf("\n\n");
}

/* Adds the GPU to a result in JSON. */
static void add_json(const avail_options_t *o, const avail_gpu_t *gpu, bool properties,
                     json_t *counters)
{
    json_t *j = avail_json_gpu(gpu, properties);
    if (counters) json_object_set_new(j, "counters", counters);
    json_array_append_new(o->gpus, j);
}

static void list(const avail_options_t *o, const avail_gpu_t *gpu)
{
    const bool names = o->pmc || !(o->agent || o->sampling);
    if (o->gpus) return add_json(o, gpu, o->agent, names ? avail_json_names(gpu) : NULL);
    if (names) {
        print_number("GPU", gpu->agent->logical_node_type_id);
        print_field("Name", gpu->agent->name);
        print_names(gpu);
        printf("\n\n");
    }
    if (o->agent) {
        print_agent(gpu);
        printf("\n\n");
    }
}

/* Prints the counter, or adds it to `counters`, unless that is NULL. */
static void show_counter(const avail_gpu_t *gpu, const rocprofiler_counter_info_v1_t *c,
                         json_t *counters)
{
    if (counters)
        json_array_append_new(counters, avail_json_counter(gpu, c));
    else
        print_counter(gpu, c);
}

/* Sets *known for names that this GPU has; the caller reports names that no GPU has. */
static void info(const avail_options_t *o, avail_gpu_t *gpu, bool *known)
{
    if (!o->pmc && o->gpus) return add_json(o, gpu, true, avail_json_names(gpu));
    if (!o->pmc && !o->sampling && !o->streams) {
        print_agent(gpu);
        print_names(gpu);
        printf("\n\n");
    }
    if (!o->pmc) return;
    json_t *counters = o->gpus ? json_array() : NULL;
    if (!o->gpus) printf("GPU:%d\nName:%s\n", gpu->agent->logical_node_type_id, gpu->agent->name);
    for (size_t i = 0; i < gpu->count && !o->name_count; i++)
        show_counter(gpu, gpu->counters[i], counters);
    for (size_t i = 0; i < o->name_count; i++) {
        const rocprofiler_counter_info_v1_t *c = avail_find(gpu, o->names[i]);
        if (!c) continue;
        known[i] = true;
        show_counter(gpu, c, counters);
    }
    if (counters) add_json(o, gpu, true, counters);
}

static void print_sampled(const avail_gpu_t *gpu, bool details)
{
    printf("%-8s:\t%d\n%-8s:\t%s\n", "GPU", gpu->agent->logical_node_type_id, "Name",
           gpu->agent->name);
    if (details) printf("%-8s:\n", "configs");
}

static rocprofiler_status_t
on_configurations(const rocprofiler_pc_sampling_configuration_t *configurations, size_t count,
                  void *data)
{
    static const char *const methods[] = {"none", "stochastic", "host_trap"};
    static const char *const units[] = {"none", "instructions", "cycles", "time"};
    const bool *details = data;
    for (size_t i = 0; i < count && *details; i++) {
        const rocprofiler_pc_sampling_configuration_t *c = &configurations[i];
        printf("%-8s:\t%s\n", "Method", c->method < 3 ? methods[c->method] : "unknown");
        printf("%-8s:\t%s\n", "Unit", c->unit < 4 ? units[c->unit] : "unknown");
        printf("%-8s:\t%llu\n", "Minimum_Interval", (unsigned long long)c->min_interval);
        printf("%-8s:\t%llu\n", "Maximum_Interval", (unsigned long long)c->max_interval);
        printf("%-8s:\t%s\n\n\n", "Flags",
               c->flags == ROCPROFILER_PC_SAMPLING_CONFIGURATION_FLAGS_INTERVAL_POW2
                   ? "interval pow2"
                   : "none");
    }
    return ROCPROFILER_STATUS_SUCCESS;
}

/* Prints how AMD's driver, with interface 1.5, can sample a GPU that was named, by the table of
 * GPUs. */
static void print_sampling_of(const avail_options_t *o, const avail_gpu_t *gpu)
{
    rocprofiler_pc_sampling_configuration_t ways[4];
    const gpus_sampling_t *s;
    size_t n = 0;
    for (; n < sizeof(ways) / sizeof(*ways) && (s = gpus_sampling(gpu->product->arch, n)); n++) {
        const bool traps = s->way == GPUS_SAMPLING_HOST_TRAP;
        ways[n] = (rocprofiler_pc_sampling_configuration_t){
            .size = sizeof(*ways),
            .method = traps ? ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP
                            : ROCPROFILER_PC_SAMPLING_METHOD_STOCHASTIC,
            .unit = traps ? ROCPROFILER_PC_SAMPLING_UNIT_TIME : ROCPROFILER_PC_SAMPLING_UNIT_CYCLES,
            .min_interval = s->least,
            .max_interval = s->most,
            .flags =
                s->power_of_two ? ROCPROFILER_PC_SAMPLING_CONFIGURATION_FLAGS_INTERVAL_POW2 : 0};
    }
    if (!n) {
        base_warning("AMD's driver cannot sample program counters of %s", gpu->agent->name);
        return;
    }
    bool details = o->command == AVAIL_INFO;
    print_sampled(gpu, details);
    on_configurations(ways, n, &details);
    printf("\n\n");
}

static void print_sampling(const avail_options_t *o, const avail_t *a)
{
    size_t found = 0;
    bool details = false;
    if (o->command == AVAIL_LIST) printf("Agents supporting PC Sampling\n\n");
    if (o->product && a->count) {
        print_sampling_of(o, &a->gpus[0]);
        return;
    }
    for (size_t i = 0; i < a->count; i++) {
        const rocprofiler_agent_v0_t *agent = a->gpus[i].agent;
        details = false;
        if (!avail_is_meant(o, &a->gpus[i]) ||
            rocprofiler_query_pc_sampling_agent_configurations(
                agent->id, on_configurations, &details) != ROCPROFILER_STATUS_SUCCESS)
            continue;
        found++;
        details = o->command == AVAIL_INFO;
        print_sampled(&a->gpus[i], details);
        rocprofiler_query_pc_sampling_agent_configurations(agent->id, on_configurations, &details);
        printf("\n\n");
    }
    if (!found)
        base_warning("no GPU of this machine, with its driver, can sample program counters");
}

static rocprofiler_status_t on_intervals(const rocprofiler_spm_available_configuration_t **all,
                                         size_t count, void *data)
{
    const rocprofiler_agent_v0_t *agent = data;
    printf("%-8s:\t%d\n%-8s:\t%s\n%-8s:\n", "GPU", agent->logical_node_type_id, "Name", agent->name,
           "configs");
    for (size_t i = 0; i < count; i++) {
        if (all[i]->type != ROCPROFILER_SPM_PARAMETER_TYPE_SAMPLE_INTERVAL_SCLK_CYCLES) continue;
        printf("%-8s:\t%s\n", "Unit", "sclk_cycles");
        printf("%-8s:\t%llu\n", "Minimum_Interval",
               (unsigned long long)all[i]->interval.min_interval);
        printf("%-8s:\t%llu\n", "Maximum_Interval",
               (unsigned long long)all[i]->interval.max_interval);
    }
    printf("\n\n");
    return ROCPROFILER_STATUS_SUCCESS;
}

static void print_streams(const avail_options_t *o, const avail_t *a)
{
    size_t found = 0;
    for (size_t i = 0; i < a->count; i++) {
        rocprofiler_agent_v0_t agent = *a->gpus[i].agent;
        if (avail_is_meant(o, &a->gpus[i]) && a->gpus[i].stream_count &&
            rocprofiler_spm_query_agent_configurations(agent.id, on_intervals, &agent) ==
                ROCPROFILER_STATUS_SUCCESS)
            found++;
    }
    if (!found) base_warning("no GPU of this machine can sample counters");
}

static int answer(const avail_t *a, const avail_options_t *o)
{
    int result = 0;
    bool *known = calloc(o->name_count + 1, sizeof(*known));
    if (!known) return AVAIL_REFUSE("%s", strerror(ENOMEM));
    if (o->device != AVAIL_ALL_GPUS && !avail_gpu(a, o->device))
        result = AVAIL_REFUSE("there is no GPU %d: this machine has %zu", o->device, a->count);
    else if (o->command == AVAIL_PMC_CHECK)
        result = avail_pmc_check(a, o);
    for (size_t i = 0; !result && i < a->count; i++) {
        if (!avail_is_meant(o, &a->gpus[i])) continue;
        if (o->command == AVAIL_LIST) list(o, &a->gpus[i]);
        if (o->command == AVAIL_INFO) info(o, &a->gpus[i], known);
    }
    if (!result && o->sampling) print_sampling(o, a);
    if (!result && o->command == AVAIL_INFO && o->streams) print_streams(o, a);
    for (size_t i = 0; !result && o->command == AVAIL_INFO && i < o->name_count; i++)
        if (!known[i]) {
            avail_refuse_name(a, o, o->names[i]);
            result = -1;
        }
    free(known);
    return result ? EXIT_NOT_AVAILABLE : 0;
}

/* Reads definitions from the command's own option, or those that rocprofv3 passes in a variable. */
static int read_extra(const avail_options_t *o, char **text, char *why, size_t why_bytes)
{
    size_t bytes;
    if (!o->extra) {
        *text = trace_extra_receive(why, why_bytes);
        return why[0] ? -1 : 0;
    }
    *text = base_file_text(o->extra, TRACE_EXTRA_MAX, &bytes, why, why_bytes);
    return *text && trace_setting_set(TRACE_SET_EXTRA_COUNTERS_FILE, o->extra) == 0 ? 0 : -1;
}

static int ask(const avail_options_t *o)
{
    char why[PATH_MAX + 256] = "";
    char *text = NULL;
    avail_t a = {0};
    int status = CLI_EXIT_SETUP;
    if (o->sampling) trace_setting_set(TRACE_SET_PC_SAMPLING_BETA_ENABLED, "on");
    if (o->streams) trace_setting_set(TRACE_SET_SPM_BETA_ENABLED, "on");
    if (read_extra(o, &text, why, sizeof(why)) != 0) {
        status = CLI_EXIT_USAGE;
        base_error("%s", why);
    } else if ((o->product ? avail_read_product(&a, o->product, text, why, sizeof(why))
                           : avail_read(&a, text, why, sizeof(why))) != 0) {
        if (why[0])
            base_error("%s", why);
        else
            status = CLI_EXIT_USAGE; /* wrong definitions, which the SDK has logged */
    } else if (!a.count) {
        base_error("there is no GPU");
    } else {
        status = answer(&a, o);
    }
    /* if the command was refused, the error message is the only output */
    const bool answered = o->gpus && (status == 0 || json_array_size(o->gpus));
    if (answered && avail_json_print(json_incref(o->gpus)) != 0) status = CLI_EXIT_SETUP;
    json_decref(o->gpus);
    avail_free(&a);
    free(text);
    return status;
}

int main(int argc, char **argv)
{
    avail_options_t o = {.device = AVAIL_ALL_GPUS,
                         .names = calloc((size_t)argc + 1, sizeof(char *))};
    int status = 0;
    base_program_begin("rocprofv3-avail", "ROCPROF_LOG_LEVEL", CLI_EXIT_SETUP);
    if (!o.names || parse(&o, argc, argv) != 0)
        status = CLI_EXIT_USAGE;
    else if (o.help || o.command == AVAIL_NO_COMMAND)
        print_help();
    else if (enter_gpu(&o, argv) != 0)
        status = CLI_EXIT_SETUP;
    else if (o.as_json && !(o.gpus = json_array()))
        status = CLI_EXIT_SETUP;
    else
        status = ask(&o);
    free(o.names);
    return status;
}
