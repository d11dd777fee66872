/* topology.c - agents from the files that the kernel driver shows in sysfs.
 *
 * It works before any runtime is loaded. There is one table row per property; values that follow
 * from several properties are computed in derive_*(). A file that is missing or hidden leaves its
 * fields zero; so does one that cannot be read for another reason, but that is reported. */
#include "sdk/agent/agent.h"

#include "base/env.h"
#include "base/log.h"
#include "base/file.h"
#include "gpus/gpus.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { ENTRIES_MAX = 4096 }; /* most parts of one kind of a node; an MI300X has some 600 caches */

typedef struct {
    const char *name;
    uint16_t offset, size;
} field_t;

#define FIELD(type, name, member)                                                                  \
    {                                                                                              \
        name, offsetof(type, member), sizeof(((type *)0)->member)                                  \
    }
#define AGENT(member) FIELD(rocprofiler_agent_v0_t, #member, member)
#define BANK(member)  FIELD(rocprofiler_agent_mem_bank_t, #member, member)
#define CACHE(member) FIELD(rocprofiler_agent_cache_t, #member, member)
#define LINK(member)  FIELD(rocprofiler_agent_io_link_t, #member, member)

static const field_t agent_fields[] = {
    AGENT(cpu_cores_count),
    AGENT(simd_count),
    AGENT(mem_banks_count),
    AGENT(caches_count),
    AGENT(io_links_count),
    AGENT(cpu_core_id_base),
    AGENT(simd_id_base),
    AGENT(max_waves_per_simd),
    AGENT(lds_size_in_kb),
    AGENT(gds_size_in_kb),
    AGENT(num_gws),
    AGENT(wave_front_size),
    AGENT(num_xcc),
    AGENT(array_count),
    AGENT(simd_arrays_per_engine),
    AGENT(cu_per_simd_array),
    AGENT(simd_per_cu),
    AGENT(max_slots_scratch_cu),
    AGENT(gfx_target_version),
    AGENT(vendor_id),
    AGENT(device_id),
    AGENT(location_id),
    AGENT(domain),
    AGENT(drm_render_minor),
    AGENT(hive_id),
    AGENT(num_sdma_engines),
    AGENT(num_sdma_xgmi_engines),
    AGENT(num_sdma_queues_per_engine),
    AGENT(num_cp_queues),
    AGENT(max_engine_clk_ccompute),
    AGENT(max_engine_clk_fcompute),
    AGENT(local_mem_size),
    AGENT(fw_version),
    AGENT(sdma_fw_version),
    AGENT(capability),
    FIELD(rocprofiler_agent_v0_t, "unique_id", uuid),
    {0},
};
static const field_t bank_fields[] = {BANK(heap_type), BANK(size_in_bytes), BANK(flags),
                                      BANK(width),     BANK(mem_clk_max),   {0}};
static const field_t cache_fields[] = {CACHE(processor_id_low),
                                       CACHE(level),
                                       CACHE(size),
                                       CACHE(cache_line_size),
                                       CACHE(cache_lines_per_tag),
                                       CACHE(association),
                                       CACHE(latency),
                                       CACHE(type),
                                       {0}};
static const field_t link_fields[] = {LINK(type),
                                      LINK(version_major),
                                      LINK(version_minor),
                                      LINK(node_from),
                                      LINK(node_to),
                                      LINK(weight),
                                      LINK(min_latency),
                                      LINK(max_latency),
                                      LINK(min_bandwidth),
                                      LINK(max_bandwidth),
                                      LINK(recommended_transfer_size),
                                      LINK(flags),
                                      {0}};

/* ---- files ---- */

/* The files that could not be read since sdk_topology_read() began, for one report of all of
 * them. */
static struct {
    unsigned count;
    char first[640];
} lost;

static void lose(const char *what, int error)
{
    if (lost.count++ == 0) snprintf(lost.first, sizeof lost.first, "%s: %s", what, strerror(error));
}

static FILE *open_file(const char *path)
{
    FILE *file = base_file_stream(path, "re");
    if (!file && errno != ENOENT && errno != EACCES && errno != EPERM) lose(path, errno);
    return file;
}

static FILE *open_in(const char *directory, const char *name)
{
    char path[512];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, name) >= sizeof path) {
        lose(path, ENAMETOOLONG);
        return NULL;
    }
    return open_file(path);
}

static void *allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);
    if (!memory) lose("agents", ENOMEM);
    return memory;
}

/* Copies the low bytes of the number (the host is little-endian); a field wider than 8 bytes keeps
 * zero in the rest. */
static void set_field(void *object, const field_t *field, uint64_t value)
{
    size_t size = field->size < sizeof value ? field->size : sizeof value;
    if (size < sizeof value && value >> (8 * size))
        base_info("topology property %s=%llu does not fit into %zu bytes", field->name,
                  (unsigned long long)value, size);
    else
        memcpy((char *)object + field->offset, &value, size);
}

/* Reads lines of the form "name number". Returns false if the file is missing or empty. */
static bool read_properties(const char *directory, const field_t *fields, void *object)
{
    FILE *file = open_in(directory, "properties");
    if (!file) return false;
    char name[64];
    unsigned long long value;
    bool any = false;
    while (fscanf(file, "%63s %llu", name, &value) == 2) {
        any = true;
        for (const field_t *f = fields; f->name; f++)
            if (strcmp(f->name, name) == 0) set_field(object, f, value);
    }
    if (ferror(file)) lose(directory, EIO);
    fclose(file);
    return any;
}

/* Reads the first line without its newline; empty if there is none. */
static void read_line(const char *directory, const char *name, char *line, int size)
{
    line[0] = 0;
    FILE *file = open_in(directory, name);
    if (!file) return;
    if (!fgets(line, size, file)) line[0] = 0;
    line[strcspn(line, "\n")] = 0;
    fclose(file);
}

/* Reads the entries 0 to count-1 of a sub-folder into a new array; NULL if count is 0, or far above
 * what any driver reports. */
static void *read_array(const char *node, const char *kind, uint32_t *count, const field_t *fields,
                        size_t size)
{
    if (*count > ENTRIES_MAX) {
        char what[512];
        snprintf(what, sizeof what, "%.400s: %u %s, limit %d", node, *count, kind, ENTRIES_MAX);
        lose(what, E2BIG);
        *count = 0;
    }
    if (!*count) return NULL;
    char *array = allocate(*count, size);
    if (!array) *count = 0;
    for (uint32_t i = 0; i < *count; i++) {
        char directory[512];
        snprintf(directory, sizeof directory, "%s/%s/%u", node, kind, i);
        read_properties(directory, fields, array + i * size);
    }
    return array;
}

/* ---- names ---- */

static const char *keep(const char *text)
{
    char *copy = allocate(1, strlen(text) + 1);
    return copy ? strcpy(copy, text) : "";
}

/* Makes a name such as "gfx90a": major version in decimal, minor version and stepping in
 * hexadecimal. */
static const char *gfx_name(uint32_t version)
{
    char name[32];
    snprintf(name, sizeof name, "gfx%u%x%x", version / 10000, version / 100 % 100, version % 100);
    return keep(name);
}

/* Looks up the product in libdrm's list, which has lines "device, revision, name". Since the
 * topology has no revision, the first line with the device id is taken: the names of products with
 * the same device id differ only in their last words. */
static const char *product_name(uint32_t device)
{
    FILE *file = open_file("/usr/share/libdrm/amdgpu.ids");
    char line[256], name[200];
    unsigned id, revision;
    const char *found = NULL;
    while (file && !found && fgets(line, sizeof line, file))
        if (sscanf(line, "%x, %x, %199[^\n]", &id, &revision, name) == 3 && id == device)
            found = keep(name + strspn(name, " \t"));
    if (file) fclose(file);
    return found ? found : "unknown";
}

/* Names the agent after the processor whose APIC id is the first of the node, or else the first
 * processor. */
static void name_cpu(rocprofiler_agent_v0_t *agent)
{
    char line[512], text[256], name[256] = "", wanted[256] = "";
    unsigned family = 0, wanted_family = 0, apic = 0;
    FILE *file = open_file("/proc/cpuinfo");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "model name : %255[^\n]", text) == 1) memcpy(name, text, sizeof name);
        sscanf(line, "cpu family : %u", &family);
        if (sscanf(line, "apicid : %u", &apic) == 1 &&
            (!*wanted || apic == agent->cpu_core_id_base)) {
            memcpy(wanted, name, sizeof wanted);
            wanted_family = family;
            if (apic == agent->cpu_core_id_base) break;
        }
    }
    if (file) fclose(file);
    agent->name = agent->product_name = keep(wanted);
    agent->family_id = wanted_family;
}

/* ---- agents ---- */

#define WORKGROUP_MAX 1024 /* fixed limits of the HSA runtime */
#define FIRMWARE_BITS 0x3ff

static void derive_gpu(rocprofiler_agent_v0_t *a)
{
    a->name = gfx_name(a->gfx_target_version);
    a->product_name = product_name(a->device_id);
    a->vendor_name = "AMD";
    const gpus_arch_t *arch = gpus_find(a->name);
    if (arch) a->family_id = arch->drm_family;
    a->fw_version.Value &= FIRMWARE_BITS;
    a->sdma_fw_version.Value &= FIRMWARE_BITS;
    a->workgroup_max_size = WORKGROUP_MAX;
    a->workgroup_max_dim = (rocprofiler_dim3_t){WORKGROUP_MAX, WORKGROUP_MAX, WORKGROUP_MAX};
    a->grid_max_size = UINT32_MAX;
    a->grid_max_dim = (rocprofiler_dim3_t){INT32_MAX, UINT16_MAX, UINT16_MAX};
    if (a->simd_per_cu) a->cu_count = a->simd_count / a->simd_per_cu;
}

static void derive_cpu(rocprofiler_agent_v0_t *a)
{
    a->cu_count = a->cpu_cores_count;
    a->vendor_name = "CPU";
    name_cpu(a);
}

static void derive_common(rocprofiler_agent_v0_t *a)
{
    if (!a->num_xcc) a->num_xcc = 1;
    a->max_waves_per_cu = a->simd_per_cu * a->max_waves_per_simd;
    if (a->simd_arrays_per_engine) a->num_shader_banks = a->array_count / a->simd_arrays_per_engine;
    if (a->num_shader_banks && a->simd_per_cu)
        a->cu_per_engine = a->simd_count / a->simd_per_cu / a->num_shader_banks;
}

static rocprofiler_agent_v0_t *read_agent(const char *node)
{
    rocprofiler_agent_v0_t *a = allocate(1, sizeof *a);
    char line[256];
    if (!a) return NULL;
    a->size = sizeof *a;
    if (!read_properties(node, agent_fields, a)) {
        free(a);
        return NULL;
    }
    a->name = a->vendor_name = a->product_name = "";
    read_line(node, "name", line, sizeof line);
    a->model_name = keep(line);
    read_line(node, "gpu_id", line, sizeof line);
    a->gpu_id = strtoull(line, NULL, 10);
    a->type = a->cpu_cores_count ? ROCPROFILER_AGENT_TYPE_CPU
              : a->simd_count    ? ROCPROFILER_AGENT_TYPE_GPU
                                 : ROCPROFILER_AGENT_TYPE_NONE;
    if (a->type == ROCPROFILER_AGENT_TYPE_GPU) derive_gpu(a);
    if (a->type == ROCPROFILER_AGENT_TYPE_CPU) derive_cpu(a);
    derive_common(a);
    a->mem_banks =
        read_array(node, "mem_banks", &a->mem_banks_count, bank_fields, sizeof *a->mem_banks);
    a->caches = read_array(node, "caches", &a->caches_count, cache_fields, sizeof *a->caches);
    a->io_links =
        read_array(node, "io_links", &a->io_links_count, link_fields, sizeof *a->io_links);
    return a;
}

static uint32_t count_nodes(const char *root)
{
    DIR *directory = base_file_folder(root);
    uint32_t nodes = 0;
    while (directory) {
        const struct dirent *entry = readdir(directory);
        if (!entry) break;
        char *end;
        unsigned long number = strtoul(entry->d_name, &end, 10);
        if (end != entry->d_name && !*end && number >= nodes) nodes = (uint32_t)number + 1;
    }
    if (directory) closedir(directory);
    return nodes;
}

/* Handles begin at a number that differs between processes, so that tools cannot mistake them for
 * indices. */
static uint64_t first_handle(void)
{
    uint16_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) number = 4096;
    return 255u + number % (UINT16_MAX - 255u);
}

const rocprofiler_agent_v0_t *const *sdk_topology_read(const char *root, size_t *count)
{
    *count = 0;
    lost.count = 0;
    uint32_t nodes = count_nodes(root);
    const rocprofiler_agent_v0_t **agents = nodes ? allocate(nodes, sizeof *agents) : NULL;
    sdk_visible_t visible = {base_env("ROCR_VISIBLE_DEVICES"), base_env("HIP_VISIBLE_DEVICES"),
                             base_env("CUDA_VISIBLE_DEVICES")};
    int32_t of_type[ROCPROFILER_AGENT_TYPE_LAST] = {0};
    uint64_t handle = first_handle();
    for (uint32_t node = 0; agents && node < nodes; node++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%u", root, node);
        rocprofiler_agent_v0_t *a = read_agent(path);
        if (!a) continue; /* an empty file: the driver hides the node from this process */
        a->node_id = node;
        a->logical_node_id = (int32_t)*count;
        a->logical_node_type_id = of_type[a->type]++;
        a->id.handle = handle + *count;
        sdk_agent_set_visibility(a, &visible);
        agents[(*count)++] = a;
    }
    if (lost.count)
        base_warning("agents are not complete: %s%s", lost.first,
                     lost.count > 1 ? ", and more" : "");
    return agents;
}
