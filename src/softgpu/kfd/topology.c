/* topology.c - writes the files in which the driver describes the machine: one CPU node, then GPUs.
 *
 * The values follow from the profile and from the host. The names of the properties are those of
 * the kernel's topology folder; the thunk and rocminfo read many of them, so all must be
 * correct. */
#include "softgpu/kfd/kfd.h"
#include "softgpu/exec/wave.h"

#include "base/file.h"
#include "base/model_time.h"
#include "base/round.h"
#include "gpus/gpus.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kfd_sysfs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define TOPOLOGY "sys/devices/virtual/kfd/kfd/topology"

enum {
    TEXT_BYTES = 4096,        /* the thunk reads a page of each file at most */
    PCIE_WEIGHT = 20,         /* the driver's weight of a direct PCIe link */
    XGMI_WEIGHT = 15,         /* the same of a link between GPUs of one hive */
    INTRA_SOCKET_WEIGHT = 13, /* and of an APU's link to its processor */
    CU_SIMD_ID_BASE = 0x1000, /* with the top bit set: the driver's numbers for GPU cores */
    WATCH_POINTS_LOG2 = 2,
    PCI_CLASS_DISPLAY = 0x038000
};

/* Products have these ids from fuses. Any numbers are valid; 50f79 reads "softg". */
static const uint64_t first_unique_id = 0x50f7900000000000, hive_id = 0x50f7900000001000;

typedef struct {
    const char *root;
    char path[PATH_MAX];
    char text[TEXT_BYTES];
    size_t length;
    int error; /* the first -errno; later steps do nothing */
} writer_t;

/* Adds a line to the text that the next put() writes. */
__attribute__((format(printf, 2, 3))) static void line(writer_t *w, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(w->text + w->length, sizeof(w->text) - w->length, format, ap);
    va_end(ap);
    if (n < 0 || w->length + (size_t)n + 1 >= sizeof(w->text)) {
        w->error = w->error ? w->error : -EOVERFLOW;
        return;
    }
    w->length += (size_t)n;
    w->text[w->length++] = '\n';
}

static void property(writer_t *w, const char *name, uint64_t value)
{
    line(w, "%s %llu", name, (unsigned long long)value);
}

/* Makes the folder of w->path. Its parent mostly exists, so folders above are made only if this
 * fails. */
static int make_folders(writer_t *w)
{
    char *slash = strrchr(w->path + strlen(w->root) + 1, '/');
    if (!slash) return 0;
    *slash = '\0';
    int error = mkdir(w->path, 0700) == 0 ? 0 : -errno;
    if (error == -ENOENT) {
        error = make_folders(w);
        if (error == 0 && mkdir(w->path, 0700) != 0) error = -errno;
    }
    *slash = '/';
    return error == -EEXIST ? 0 : error;
}

static void set_path(writer_t *w, const char *format, va_list ap)
{
    int n = snprintf(w->path, sizeof(w->path), "%s/", w->root);
    int m = vsnprintf(w->path + n, sizeof(w->path) - (size_t)n, format, ap);
    if (m < 0 || (size_t)(n + m) >= sizeof(w->path)) w->error = w->error ? w->error : -ENAMETOOLONG;
}

/* Writes the text gathered so far as a file of the tree. */
__attribute__((format(printf, 2, 3))) static void put(writer_t *w, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    set_path(w, format, ap);
    va_end(ap);
    if (w->error) return;
    mode_t mode = w->length ? 0444 : 0666; /* a device is an empty file here */
    int fd = base_file_open(w->path, O_WRONLY | O_CREAT | O_EXCL, mode);
    if (fd < 0 && errno == ENOENT) {
        w->error = make_folders(w);
        fd = w->error ? -1 : base_file_open(w->path, O_WRONLY | O_CREAT | O_EXCL, mode);
    }
    int error = fd < 0 ? -errno : 0;
    if (fd >= 0 && write(fd, w->text, w->length) != (ssize_t)w->length)
        error = kfd_tree_hold(fd, w->text, w->length);
    if (!w->error) w->error = error;
    if (fd >= 0) close(fd);
    w->length = 0;
}

/* ---- the host ---- */

uint64_t kfd_host_memory(void)
{
    struct sysinfo info;
    return sysinfo(&info) == 0 ? (uint64_t)info.totalram * info.mem_unit : 0;
}

uint64_t kfd_vram_bytes(const sg_profile_t *p)
{
    const uint64_t bytes = p->apu ? kfd_host_memory() : (uint64_t)p->vram_mb << 20;
    return bytes & ~(uint64_t)(KFD_PAGE - 1);
}

/* The CPU's highest clock in MHz, or the current one if the host does not report the highest. */
static unsigned host_clock_mhz(void)
{
    char text[256];
    double value = 0;
    FILE *f = base_file_stream("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "re");
    if (f) {
        if (fscanf(f, "%lf", &value) == 1) value /= 1000;
        fclose(f);
        return (unsigned)value;
    }
    f = base_file_stream("/proc/cpuinfo", "re");
    if (!f) return 0;
    while (value == 0 && fgets(text, sizeof(text), f))
        if (strncmp(text, "cpu MHz", 7) == 0 && strchr(text, ':'))
            value = strtod(strchr(text, ':') + 1, NULL);
    fclose(f);
    return (unsigned)value;
}

/* Writes the processors from `first` to `last` as the kernel writes a set of them: 32 bits each,
 * the highest ones first. */
static void put_cpu_mask(writer_t *w, long first, long last, const char *folder)
{
    char text[TEXT_BYTES];
    size_t at = 0;
    for (long word = last / 32; word >= 0 && at + 16 < sizeof(text); word--) {
        uint32_t bits = 0;
        for (long cpu = 32 * word; cpu < 32 * (word + 1); cpu++)
            bits |= (uint32_t)(cpu >= first && cpu <= last) << cpu % 32;
        at += (size_t)snprintf(text + at, sizeof(text) - at, word ? "%08x," : "%08x", bits);
    }
    line(w, "%s", text);
    put(w, SOFTGPU_HOST_CPUS "/%s/shared_cpu_map", folder);
}

/* A cache of the host, from the C library, which reads CPUID; 0 for unknown values. */
typedef struct {
    unsigned level;
    const char *type;
    int size, ways, line; /* of sysconf() */
    bool shared;          /* all processors share it; otherwise each processor has its own */
} host_cache_t;

enum { LEAST_L1_BYTES = 32 << 10, USUAL_LINE_BYTES = 64 };

static long host_value(int name)
{
    const long value = sysconf(name);
    return value > 0 ? value : 0;
}

static void write_host_cache(writer_t *w, const host_cache_t *c, unsigned index, long bytes,
                             long cpu, long cpus)
{
    char folder[64], list[64];
    snprintf(folder, sizeof(folder), "cpu%ld/cache/index%u", cpu, index);
    snprintf(list, sizeof(list), c->shared && cpus > 1 ? "0-%ld" : "%ld",
             c->shared ? cpus - 1 : cpu);
    const struct {
        const char *name;
        long value;
    } numbers[] = {
        {"level", (long)c->level},
        {"coherency_line_size", host_value(c->line) ? host_value(c->line) : USUAL_LINE_BYTES},
        {"ways_of_associativity", host_value(c->ways)},
        {"physical_line_partition", 1}};
    for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++) {
        line(w, "%ld", numbers[k].value);
        put(w, SOFTGPU_HOST_CPUS "/%s/%s", folder, numbers[k].name);
    }
    line(w, "%s", c->type);
    put(w, SOFTGPU_HOST_CPUS "/%s/type", folder);
    line(w, "%ldK", bytes >> 10);
    put(w, SOFTGPU_HOST_CPUS "/%s/size", folder);
    line(w, "%s", list);
    put(w, SOFTGPU_HOST_CPUS "/%s/shared_cpu_list", folder);
    put_cpu_mask(w, c->shared ? 0 : cpu, c->shared ? cpus - 1 : cpu, folder);
}

/* The caches of the host's processors, if the host shows none (redirect.c). */
static void write_host_caches(writer_t *w)
{
    static const host_cache_t caches[] = {
        {1, "Data", _SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL1_DCACHE_ASSOC, _SC_LEVEL1_DCACHE_LINESIZE,
         false},
        {1, "Instruction", _SC_LEVEL1_ICACHE_SIZE, _SC_LEVEL1_ICACHE_ASSOC,
         _SC_LEVEL1_ICACHE_LINESIZE, false},
        {2, "Unified", _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL2_CACHE_ASSOC, _SC_LEVEL2_CACHE_LINESIZE,
         false},
        {3, "Unified", _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL3_CACHE_ASSOC, _SC_LEVEL3_CACHE_LINESIZE,
         true},
    };
    if (softgpu_host_shows_caches()) return;
    const long cpus = sysconf(_SC_NPROCESSORS_CONF);
    for (long cpu = 0; cpu < cpus; cpu++) {
        unsigned index = 0;
        for (size_t k = 0; k < sizeof(caches) / sizeof(*caches); k++) {
            /* the thunk requires at least one cache */
            const long bytes = host_value(caches[k].size) ? host_value(caches[k].size)
                               : k == 0                   ? LEAST_L1_BYTES
                                                          : 0;
            if (bytes) write_host_cache(w, &caches[k], index++, bytes, cpu, cpus);
        }
    }
}

/* ---- nodes ---- */

/* Types of links, with the driver's weights: to a card, between GPUs, within a package. */
typedef struct {
    unsigned type, weight;
} link_kind_t;
static const link_kind_t pcie_link = {HSA_IOLINK_TYPE_PCIEXPRESS, PCIE_WEIGHT},
                         xgmi_link = {HSA_IOLINK_TYPE_XGMI, XGMI_WEIGHT},
                         socket_link = {HSA_IOLINK_TYPE_XGMI, INTRA_SOCKET_WEIGHT};

static const link_kind_t *host_link(const sg_profile_t *p)
{
    return p->host_xgmi ? &socket_link : &pcie_link;
}

static void put_link(writer_t *w, unsigned from, unsigned index, unsigned to,
                     const link_kind_t *kind)
{
    property(w, "type", kind->type);
    property(w, "version_major", 0);
    property(w, "version_minor", 0);
    property(w, "node_from", from);
    property(w, "node_to", to);
    property(w, "weight", kind->weight);
    property(w, "min_latency", 0);
    property(w, "max_latency", 0);
    property(w, "min_bandwidth", 0);
    property(w, "max_bandwidth", 0);
    property(w, "recommended_transfer_size", 0);
    property(w, "flags", HSA_IOLINK_FLAGS_ENABLED);
    put(w, TOPOLOGY "/nodes/%u/io_links/%u/properties", from, index);
}

static void put_memory(writer_t *w, unsigned node, unsigned heap, uint64_t bytes, unsigned width,
                       unsigned clock_mhz)
{
    property(w, "heap_type", heap);
    property(w, "size_in_bytes", bytes);
    property(w, "flags", 0);
    property(w, "width", width);
    property(w, "mem_clk_max", clock_mhz);
    put(w, TOPOLOGY "/nodes/%u/mem_banks/0/properties", node);
}

static void put_node(writer_t *w, unsigned node, unsigned gpu_id, const char *name)
{
    put(w, TOPOLOGY "/nodes/%u/properties", node);
    line(w, "%u", gpu_id);
    put(w, TOPOLOGY "/nodes/%u/gpu_id", node);
    line(w, "%s", name);
    put(w, TOPOLOGY "/nodes/%u/name", node);
}

static void write_cpu_node(writer_t *w, const kfd_config_t *config)
{
    static const char *const zero[] = {"simd_count",
                                       "caches_count",
                                       "p2p_links_count",
                                       "cpu_core_id_base",
                                       "simd_id_base",
                                       "max_waves_per_simd",
                                       "lds_size_in_kb",
                                       "gds_size_in_kb",
                                       "num_gws",
                                       "wave_front_size",
                                       "array_count",
                                       "simd_arrays_per_engine",
                                       "cu_per_simd_array",
                                       "simd_per_cu",
                                       "max_slots_scratch_cu",
                                       "gfx_target_version",
                                       "vendor_id",
                                       "device_id",
                                       "location_id",
                                       "domain",
                                       "drm_render_minor",
                                       "hive_id",
                                       "num_sdma_engines",
                                       "num_sdma_xgmi_engines",
                                       "num_sdma_queues_per_engine",
                                       "num_cp_queues"};
    property(w, "cpu_cores_count", (uint64_t)get_nprocs());
    property(w, "mem_banks_count", 1);
    property(w, "io_links_count", config->n_gpus);
    for (size_t i = 0; i < sizeof(zero) / sizeof(zero[0]); i++)
        property(w, zero[i], 0);
    property(w, "max_engine_clk_ccompute", host_clock_mhz());
    put_node(w, 0, 0, "");
    put_memory(w, 0, HSA_MEM_HEAP_TYPE_SYSTEM, kfd_host_memory(), 64, 0);
    for (uint32_t i = 0; i < config->n_gpus; i++)
        put_link(w, 0, i, i + 1, host_link(&config->profile));
}

/* Bits of HSA_CAPABILITY. Those for debuggers are 0, since these cannot stop waves. */
static uint32_t capability(const kfd_config_t *config)
{
    return (config->svm ? HSA_CAP_SVMAPI_SUPPORTED : 0) | HSA_CAP_WATCH_POINTS_SUPPORTED |
           WATCH_POINTS_LOG2 << HSA_CAP_WATCH_POINTS_TOTALBITS_SHIFT |
           HSA_CAP_DOORBELL_TYPE_2_0 << HSA_CAP_DOORBELL_TYPE_TOTALBITS_SHIFT |
           (config->profile.host_xgmi ? HSA_CAP_FLAGS_COHERENTHOSTACCESS : 0) |
           HSA_CAP_MEM_EDCSUPPORTED | HSA_CAP_SRAM_EDCSUPPORTED | KFD_CAP_DEBUG_FIRMWARE |
           config->profile.asic_revision << HSA_CAP_ASIC_REVISION_SHIFT;
}

typedef struct {
    unsigned level, kb, line, ways, type, cus; /* cus of an XCC that share one; 0: all XCCs do */
} cache_kind_t;

enum {
    DATA_CACHE = HSA_CACHE_TYPE_DATA | HSA_CACHE_TYPE_HSACU,
    INSTRUCTION_CACHE = HSA_CACHE_TYPE_INSTRUCTION | HSA_CACHE_TYPE_HSACU,
    N_KINDS = 6
};

static void list_caches(const sg_profile_t *p, cache_kind_t kinds[N_KINDS])
{
    const isa_arch_t *arch = isa_arch_find(p->gfx_target_version);
    const cache_kind_t all[N_KINDS] = {
        {1, p->l1_vector_kb, arch->vector_line, p->l1_vector_ways, DATA_CACHE, 1},
        {1, p->l1_instruction_kb, arch->scalar_line, p->l1_instruction_ways, INSTRUCTION_CACHE,
         p->l1_shared_cus},
        {1, p->l1_scalar_kb, arch->scalar_line, p->l1_scalar_ways, DATA_CACHE, p->l1_shared_cus},
        {1, p->gl1_kb, arch->l2_line, p->gl1_ways, DATA_CACHE, p->cus_per_array},
        {2, p->l2_kb, arch->l2_line, p->l2_ways, DATA_CACHE, sg_profile_cus(p) / p->num_xcc},
        {3, p->mall_kb, SG_MALL_LINE, SG_MALL_WAYS, DATA_CACHE, 0},
    };
    memcpy(kinds, all, sizeof(all));
}

/* The number of caches of a kind in an XCC, or (`of_all`) in all XCCs. */
static unsigned count_caches(const cache_kind_t *kind, const sg_profile_t *p, bool of_all)
{
    const unsigned cus = sg_profile_cus(p) / p->num_xcc;
    if (!kind->kb) return 0;
    if (!kind->cus) return of_all;
    return (cus + kind->cus - 1) / kind->cus * (of_all ? p->num_xcc : 1);
}

static void put_cache(writer_t *w, unsigned node, unsigned index, const cache_kind_t *kind,
                      unsigned first_simd)
{
    property(w, "processor_id_low", 0x80000000u + CU_SIMD_ID_BASE + first_simd);
    property(w, "level", kind->level);
    property(w, "size", kind->kb);
    property(w, "cache_line_size", kind->line);
    property(w, "cache_lines_per_tag", 1);
    property(w, "association", kind->ways);
    property(w, "latency", 0);
    property(w, "type", kind->type);
    line(w, "sibling_map 1");
    put(w, TOPOLOGY "/nodes/%u/caches/%u/properties", node, index);
}

static void put_caches(writer_t *w, unsigned node, const sg_profile_t *p)
{
    const unsigned cus = sg_profile_cus(p) / p->num_xcc;
    cache_kind_t kinds[N_KINDS];
    unsigned cache = 0;
    list_caches(p, kinds);
    for (const cache_kind_t *kind = kinds; kind < kinds + N_KINDS; kind++) {
        const unsigned of_xcc = count_caches(kind, p, false), all = count_caches(kind, p, true);
        for (unsigned k = 0; k < all; k++) {
            const unsigned first =
                of_xcc ? k / of_xcc * cus + k % of_xcc * kind->cus : 0; /* its first unit */
            put_cache(w, node, cache++, kind, first * p->simds_per_cu);
        }
    }
}

/* The memory into which the driver saves the waves of an XCC when it takes a queue away. A real
 * driver refuses queues for which the runtime has set aside less; formulas as in its
 * kfd_queue.c. */
static void put_save_area(writer_t *w, const sg_profile_t *p)
{
    enum { HEADER = 40, TAIL = 8, SGPRS = 0x4000 };
    enum { HARDWARE = 0x1000 }; /* hardware registers of the waves of a unit */
    const isa_arch_t *arch = isa_arch_find(p->gfx_target_version);
    const uint32_t cus = sg_profile_cus(p) / p->num_xcc, by_cu = arch->save.cu_waves * cus,
                   by_engine = p->shader_engines * arch->save.engine_waves;
    const uint32_t waves = by_cu < by_engine || !by_engine ? by_cu : by_engine;
    const bool own_agprs = gpus_find(arch->name)->agprs == GPUS_AGPRS_OWN;
    const uint32_t rows = own_agprs ? 2 * arch->simd_vgprs : arch->simd_vgprs;
    const uint64_t vgprs = (uint64_t)p->simds_per_cu * rows * ISA_LANES * sizeof(uint32_t);
    const uint64_t unit = vgprs + SGPRS + (p->lds_kb << 10) + HARDWARE;
    uint64_t stack = base_round_up(HEADER + arch->save.wave_bytes * waves + TAIL, KFD_PAGE);
    if (arch->save.most && stack > arch->save.most) stack = arch->save.most;
    property(w, "cwsr_size", stack + base_round_up(cus * unit, KFD_PAGE));
    property(w, "ctl_stack_size", stack);
}

static void write_gpu_node(writer_t *w, const kfd_config_t *config, uint32_t index)
{
    const sg_profile_t *p = &config->profile;
    unsigned node = index + 1, cus = sg_profile_cus(p), n_caches = 0;
    cache_kind_t kinds[N_KINDS];
    list_caches(p, kinds);
    for (unsigned i = 0; i < N_KINDS; i++)
        n_caches += count_caches(&kinds[i], p, true);

    property(w, "cpu_cores_count", 0);
    property(w, "simd_count", cus * p->simds_per_cu);
    property(w, "mem_banks_count", 1);
    property(w, "caches_count", n_caches);
    property(w, "io_links_count", config->n_gpus); /* the CPU and every other GPU */
    property(w, "p2p_links_count", 0);
    property(w, "cpu_core_id_base", 0);
    property(w, "simd_id_base", 0x80000000u + CU_SIMD_ID_BASE);
    property(w, "max_waves_per_simd", p->waves_per_simd);
    property(w, "lds_size_in_kb", p->lds_kb);
    property(w, "gds_size_in_kb", 0);
    property(w, "num_gws", p->num_gws);
    property(w, "wave_front_size", isa_arch_find(p->gfx_target_version)->lanes);
    property(w, "array_count", sg_profile_engines(p) * p->arrays_per_engine);
    property(w, "simd_arrays_per_engine", p->arrays_per_engine);
    property(w, "cu_per_simd_array", p->cus_per_array);
    property(w, "simd_per_cu", p->simds_per_cu);
    property(w, "max_slots_scratch_cu", p->scratch_slots_per_cu);
    property(w, "gfx_target_version", p->gfx_target_version);
    property(w, "vendor_id", p->vendor_id);
    property(w, "device_id", p->device_id);
    property(w, "location_id", kfd_gpu_location(index));
    property(w, "domain", 0);
    property(w, "drm_render_minor", KFD_FIRST_RENDER_MINOR + index);
    property(w, "hive_id", config->n_gpus > 1 ? hive_id : 0);
    property(w, "num_sdma_engines", p->sdma_engines);
    property(w, "num_sdma_xgmi_engines", p->sdma_xgmi_engines);
    property(w, "num_sdma_queues_per_engine", p->sdma_queues_per_engine);
    property(w, "num_cp_queues", p->cp_queues);
    put_save_area(w, p);
    property(w, "max_engine_clk_fcompute", p->engine_clock_mhz);
    property(w, "local_mem_size", 0); /* as in the driver: memory is in mem_banks */
    property(w, "fw_version", p->mec_firmware);
    property(w, "capability", capability(config));
    property(w, "debug_prop", 0);
    property(w, "sdma_fw_version", p->sdma_firmware);
    property(w, "unique_id", first_unique_id + index);
    property(w, "num_xcc", p->num_xcc);
    property(w, "max_engine_clk_ccompute", host_clock_mhz());
    if (p->counter_slots) { /* softgpu's own two properties: more counters than products have */
        property(w, "counter_slots", p->counter_slots);
        property(w, "counter_registers", SG_COUNTER_REGISTERS);
    }
    char name[sizeof p->name + sizeof BASE_MODEL_TIME];
    snprintf(name, sizeof name, "%s%s", p->name, p->model_time ? BASE_MODEL_TIME : "");
    put_node(w, node, kfd_gpu_id(index), name);

    put_memory(w, node, HSA_MEM_HEAP_TYPE_FB_PUBLIC, kfd_vram_bytes(p), p->memory_width_bits,
               p->memory_clock_mhz);
    put_caches(w, node, p);
    put_link(w, node, 0, 0, host_link(p));
    for (uint32_t other = 0, link = 1; other < config->n_gpus; other++)
        if (other != index) put_link(w, node, link++, other + 1, &xgmi_link);
}

static void write_module(writer_t *w)
{
    line(w, "live");
    put(w, "sys/module/amdgpu/initstate");
    line(w, "1");
    put(w, "sys/module/amdgpu/refcnt");
}

static void write_devices(writer_t *w, const kfd_config_t *config)
{
    put(w, "dev/kfd"); /* empty files: open_device() in entry.c opens a device instead */
    for (uint32_t i = 0; i < config->n_gpus; i++) {
        put(w, "dev/dri/renderD%u", KFD_FIRST_RENDER_MINOR + i);
        put(w, "dev/dri/card%u", i);
    }
}

/* Makes the link PATH -> to. */
__attribute__((format(printf, 3, 4))) static void put_symlink(writer_t *w, const char *to,
                                                              const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    set_path(w, format, ap);
    va_end(ap);
    if (!w->error) w->error = make_folders(w);
    if (!w->error && symlink(to, w->path) != 0) w->error = -errno;
}

static void write_drm_node(writer_t *w, const char *slot, const char *name, unsigned minor_number)
{
    char folder[128], link[160];
    snprintf(folder, sizeof(folder), "sys/devices/pci0000:00/%s/drm/%s", slot, name);
    line(w, "%u:%u", SOFTGPU_DRM_MAJOR, minor_number);
    put(w, "%s/dev", folder);
    line(w, "MAJOR=%u", SOFTGPU_DRM_MAJOR);
    line(w, "MINOR=%u", minor_number);
    line(w, "DEVNAME=dri/%s", name);
    line(w, "DEVTYPE=drm_minor");
    put(w, "%s/uevent", folder);
    snprintf(link, sizeof(link), "../../../%s", slot);
    put_symlink(w, link, "%s/device", folder);
    put_symlink(w, "../../../../../class/drm", "%s/subsystem", folder);
    snprintf(link, sizeof(link), "../../%s", folder + sizeof("sys/") - 1);
    put_symlink(w, link, "sys/class/drm/%s", name);
    put_symlink(w, link, "sys/dev/char/%u:%u", SOFTGPU_DRM_MAJOR, minor_number);
}

/* Writes the files from which libdrm and its users find the PCI device of a render node. */
static void write_pci_device(writer_t *w, const kfd_config_t *config, uint32_t index)
{
    const sg_profile_t *p = &config->profile;
    char slot[32], device[64], name[32];
    snprintf(slot, sizeof(slot), "0000:%02x:00.0", kfd_gpu_location(index) >> 8);
    snprintf(device, sizeof(device), "sys/devices/pci0000:00/%s", slot);
    const struct {
        const char *name;
        unsigned digits, value;
    } ids[] = {{"vendor", 4, p->vendor_id},           {"device", 4, p->device_id},
               {"subsystem_vendor", 4, p->vendor_id}, {"subsystem_device", 4, p->subsystem_device},
               {"revision", 2, p->pci_revision},      {"class", 6, PCI_CLASS_DISPLAY}};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        line(w, "0x%0*x", (int)ids[i].digits, ids[i].value);
        put(w, "%s/%s", device, ids[i].name);
    }
    line(w, "DRIVER=amdgpu");
    line(w, "PCI_CLASS=%X", PCI_CLASS_DISPLAY);
    line(w, "PCI_ID=%04X:%04X", p->vendor_id, p->device_id);
    line(w, "PCI_SUBSYS_ID=%04X:%04X", p->vendor_id, p->subsystem_device);
    line(w, "PCI_SLOT_NAME=%s", slot);
    put(w, "%s/uevent", device);
    line(w, "0"); /* the topology has one CPU node */
    put(w, "%s/numa_node", device);
    put_symlink(w, "../../../bus/pci", "%s/subsystem", device);
    put_symlink(w, "../../../bus/pci/drivers/amdgpu", "%s/driver", device);

    /* libdrm identifies a GPU by the name of its primary node */
    snprintf(name, sizeof(name), "card%u", index);
    write_drm_node(w, slot, name, index);
    snprintf(name, sizeof(name), "renderD%u", KFD_FIRST_RENDER_MINOR + index);
    write_drm_node(w, slot, name, KFD_FIRST_RENDER_MINOR + index);
}

int kfd_topology_write(const char *root, const kfd_config_t *config)
{
    writer_t w = {.root = root};
    line(&w, "1");
    put(&w, TOPOLOGY "/generation_id");
    property(&w, "platform_oem", 0);
    property(&w, "platform_id", 0);
    property(&w, "platform_rev", 0);
    put(&w, TOPOLOGY "/system_properties");
    write_cpu_node(&w, config);
    write_host_caches(&w);
    for (uint32_t i = 0; i < config->n_gpus; i++)
        write_gpu_node(&w, config, i);
    write_module(&w);
    write_devices(&w, config);
    for (uint32_t i = 0; i < config->n_gpus; i++)
        write_pci_device(&w, config, i);
    put_symlink(&w, "../../devices/virtual/kfd/kfd", "sys/class/kfd/kfd");
    return w.error;
}
