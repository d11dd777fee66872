/* profile.h - the profile of a GPU: its ids, shape, caches, clocks and memory.
 *
 * Read from share/softgpu/<name>.profile ("key value" lines, # comments). The topology files, the
 * device's limits and HW_ID follow from it. */
#ifndef SOFTGPU_PROFILE_PROFILE_H
#define SOFTGPU_PROFILE_PROFILE_H

#include <stdint.h>
#include <stddef.h>

/* One row for each key of a profile file: name, default, lowest and highest value. For numbers that
 * are in HW_ID, the architecture's fields may have a lower limit. */
#define SG_PROFILE_KEYS(X)                                                                         \
    /* selects the row of isa/arch.c; other numbers are refused */                                 \
    X(gfx_target_version, 90010, 1, 999999)                                                        \
    X(vendor_id, 0x1002, 0, 0xffff)                                                                \
    X(device_id, 0x740f, 0, 0xffff)                                                                \
    X(subsystem_device, 0x0c34, 0, 0xffff)                                                         \
    /* with the device id, libdrm's key to the marketing name */                                   \
    X(pci_revision, 2, 0, 0xff)                                                                    \
    X(external_revision, 0x3d, 0, 0xff) /* among the GPUs of the driver's family */                \
    X(asic_revision, 1, 0, 15)                                                                     \
    X(mec_firmware, 78, 0, 0xffff)                                                                 \
    X(sdma_firmware, 8, 0, 0xffff)                                                                 \
    X(gpus, 1, 1,                                                                                  \
      8) /* GPUs that the driver shows for one product: dies with memory of their own */           \
    X(num_xcc, 1, 1,                                                                               \
      8) /* accelerator dies that work as one GPU; the shape below is that of each */              \
    X(shader_engines, 8, 1, 32)                                                                    \
    X(arrays_per_engine, 1, 1, 2)                                                                  \
    X(cus_per_array, 1, 1, 16)                                                                     \
    X(cus, 0, 0, 1024) /* compute units of all dies, if fewer than the shape has places */         \
    X(simds_per_cu, 4, 1, 4)                                                                       \
    X(waves_per_simd, 8, 1, 40)                                                                    \
    X(lds_kb, 64, 1, 160)                                                                          \
    X(scratch_slots_per_cu, 32, 1, 64)                                                             \
    X(l1_vector_kb, 16, 1, 1024)                                                                   \
    X(l1_scalar_kb, 16, 1, 1024)                                                                   \
    X(l1_instruction_kb, 32, 1, 1024)                                                              \
    X(l2_kb, 8192, 64, 1048576)                                                                    \
    X(l2_channels, 32, 1, 128)                                                                     \
    X(mall_kb, 0, 0, 1048576) /* the GPU's memory-side cache, which all L2s share; 0: none */      \
    X(vram_mb, 8192, 64, 1048576)                                                                  \
    X(apu, 0, 0, 1) /* 1: its memory is that of the host, and vram_mb is ignored */                \
    X(host_xgmi, 0, 0,                                                                             \
      1) /* 1: XGMI links it with the processor, whose caches it keeps coherent */                 \
    X(engine_clock_mhz, 1700, 1, 10000)                                                            \
    X(memory_clock_mhz, 1600, 1, 10000)                                                            \
    X(memory_width_bits, 4096, 32, 16384)                                                          \
    X(sdma_engines, 2, 0, 16)                                                                      \
    X(sdma_xgmi_engines, 3, 0, 16)                                                                 \
    X(sdma_queues_per_engine, 8, 1, 64)                                                            \
    X(cp_queues, 24, 1, 128)                                                                       \
    X(num_gws, 64, 0, 64)                                                                          \
    /* slots of each block of performance counters, if more than the product has */                \
    X(counter_slots, 1024, 0, 1024)                                                                \
    /* the cache model, docs/counter-model.md; latencies in clocks from issue to data */           \
    X(l1_vector_ways, 64, 1, 128)                                                                  \
    X(l1_scalar_ways, 4, 1, 128)                                                                   \
    X(l1_instruction_ways, 4, 1, 128)                                                              \
    X(l1_shared_cus, 2, 1, 16)                                                                     \
    /* scalar and instruction caches that a die has more, as units that shared one are off */      \
    X(l1_spare_caches, 0, 0, 64)                                                                   \
    /* 1: look-ups of one line of 128 bytes of the vector L1, one after the other, take its tags   \
       for one clock */                                                                            \
    X(l1_tags_by_line, 0, 0, 1)                                                                    \
    X(l1_store_clocks, 2, 1, 16) /* for which a store's request takes the port to L2 */            \
    X(l1_code_ahead, 1, 1, 64)   /* lines of code that are read ahead of one that is fetched */    \
    X(gl1_kb, 0, 0, 1024)        /* the cache of a shader array in front of L2; 0: none */         \
    X(gl1_ways, 16, 1, 128)                                                                        \
    X(l2_ways, 16, 1, 128)                                                                         \
    X(l2_writeback_ways, 8, 0, 128)                                                                \
    X(l2_reads_whole, 0, 0, 1) /* 1: one transaction reads both halves of a line of L2 */          \
    X(l2_interleave, 256, 128, 4096)                                                               \
    /* 1: bits of an address above those that number channel and set change both, as on MI300 */   \
    X(l2_hash, 0, 0, 1)                                                                            \
    X(utcl1_entries, 32, 1, 128)                                                                   \
    X(utcl1_pending, 10, 0, 1000) /* look-ups of a page after its miss that have to wait, too */   \
    X(utcl1_miss_latency, 100, 0, 100000)                                                          \
    /* translations that all compute units share; 0: walks of the page table do not use the L2 */  \
    X(utcl2_entries, 512, 0, 65536)                                                                \
    X(lds_latency, 64, 1, 100000)                                                                  \
    X(l1_vector_latency, 120, 1, 100000)                                                           \
    X(l1_scalar_latency, 50, 1, 100000)                                                            \
    X(l1_instruction_latency, 16, 1, 100000)                                                       \
    X(gl1_latency, 160, 1, 100000)                                                                 \
    X(l2_latency, 220, 1, 100000)                                                                  \
    X(vram_latency, 800, 1, 100000)                                                                \
    /* of what is in the MALL, from l2_latency to vram_latency; 0: not known, no model of it */    \
    X(mall_latency, 0, 0, 100000)                                                                  \
    X(vram_write_latency, 720, 1, 100000)                                                          \
    X(host_latency, 2300, 1, 100000)                                                               \
    /* clocks between two reads of one uncached line of the host */                                \
    X(uncached_turn, 350, 0, 100000)                                                               \
    /* the timing model, docs/counters.md */                                                       \
    X(wave_launch_clocks, 4, 1, 100000)                                                            \
    X(model_time, 0, 0, 1)                                                                         \
    X(packet_clocks, 5500, 1, 1000000)                                                             \
    /* of these, the clocks in which parts of the command processor are busy or wait */            \
    X(cp_decode_clocks, 7500, 0, 1000000)                                                          \
    X(cp_stall_clocks, 4800, 0, 1000000)                                                           \
    X(cp_translation_clocks, 650, 0, 1000000)                                                      \
    X(cp_page_table_clocks, 760, 0, 1000000)                                                       \
    X(cpc_memory_clocks, 160, 0, 1000000)                                                          \
    X(cpf_memory_clocks, 1000, 0, 1000000)                                                         \
    /* between two samples of a level of SQ */                                                     \
    X(level_sample_clocks, 112, 1, 100000)                                                         \
                                                                                                   \
    X(memory_bytes_per_clock, 900, 1, 100000)                                                      \
    X(memory_write_bytes_per_clock, 700, 1, 100000)

/* Dword address of the counter registers for `counter_slots`, higher than any register of hardware:
 * three in a row for each slot of each block. Blocks have the numbers of the AQL profile library.
 * Packets reach those of blocks below 16 alone: SET_UCONFIG_REG ends at 0x1bfff. */
enum { SG_COUNTER_REGISTERS = 0x10000 };

/* The shape of the MALL, the same of all GPUs: its bytes are those of `mall_kb`. */
enum { SG_MALL_WAYS = 16, SG_MALL_LINE = 64 };

typedef struct {
    char name[64];           /* "mi210" */
    char marketing_name[64]; /* "AMD Instinct MI210" */
    char runtime[64]; /* the first release that supports the GPU, if not all do: "ROCm 6.0" */
#define SG_PROFILE_FIELD(key, def, lo, hi) uint32_t key;
    SG_PROFILE_KEYS(SG_PROFILE_FIELD)
#undef SG_PROFILE_FIELD
    /* shader_engines and cus_per_array of the product, before sg_profile_set_cus() reduced them */
    uint32_t most_engines, most_array_cus;
} sg_profile_t;

/* Reads a profile file over the defaults. The key "product" sets the facts of share/gpus about a
 * product and its architecture; "like" reads another profile of the same folder first. 0, or -1
 * with file, line, value and limit in `error`. */
int sg_profile_read(const char *path, sg_profile_t *out, char *error, size_t error_size);

/* The same for a name ("mi210", looked up as DIRECTORY/mi210.profile) or, if it has a slash, a
 * path. The error for an unknown name lists the known ones. */
int sg_profile_load(const char *name, const char *directory, sg_profile_t *out, char *error,
                    size_t error_size);

/* Sets *names to the names of the profiles in a folder, sorted, with NULL after the last. Returns
 * how many there are, or -1. The caller frees them. */
int sg_profile_names(const char *directory, char ***names);
void sg_profile_names_free(char **names);

/* Number of compute units. */
uint32_t sg_profile_cus(const sg_profile_t *p);
/* Number of shader engines of all dies; those of one die come after those of the die before it. */
static inline uint32_t sg_profile_engines(const sg_profile_t *p)
{
    return p->num_xcc * p->shader_engines;
}
/* Places for compute units in a die, which the numbers of units count: in some arrays the last may
 * be empty. */
uint32_t sg_profile_places(const sg_profile_t *p);
/* Number of compute units of one array of a die: where places are empty, those of whole workgroup
 * processors are. */
uint32_t sg_profile_array_cus(const sg_profile_t *p, uint32_t engine, uint32_t array);

typedef struct {
    uint32_t xcc, engine, array, cu; /* each within the one before */
} sg_profile_at_t;
/* The place of a compute unit, as they are taken in turns: over the XCCs first, then over the
 * shader engines, over an engine's arrays, and over the units of an array. */
sg_profile_at_t sg_profile_locate(const sg_profile_t *p, uint32_t turn);

/* Reshapes the GPU to `cus` compute units: as many shader engines of a die, up to the product's, as
 * divide the number (a power of two), so that scratch waves spread evenly. A number that no such
 * shape has is that of the product's shape with some places empty, if it is large enough. 0, or -1
 * with `error`. */
int sg_profile_set_cus(sg_profile_t *p, uint32_t cus, char *error, size_t error_size);

/* Reduces the GPU to one of the parts into which `mode` partitions it: "spx" (the whole GPU),
 * "dpx", "tpx", "qpx" or "cpx" (a part for each die). Returns the number of parts, or 0 with
 * `error`. */
uint32_t sg_profile_partition(sg_profile_t *p, const char *mode, char *error, size_t error_size);

#endif
