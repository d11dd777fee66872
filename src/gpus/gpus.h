/* gpus.h - facts about each GPU: waves, registers, LDS, caches, peak rates; and about products.
 *
 * The facts come from the tables of share/gpus, of which each member is a column; the first lines
 * of the tables describe the columns. This room is directly above base, so that code which depends
 * on the GPU reads its row instead of testing its name. A GPU without a row is traced like any
 * other; only code that needs a fact about it reports that the GPU is not supported. */
#ifndef CROCPROF_GPUS_GPUS_H
#define CROCPROF_GPUS_GPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    GPUS_AGPRS_NONE,
    GPUS_AGPRS_OWN,    /* in a register file of their own, as many as VGPRs */
    GPUS_AGPRS_UNIFIED /* in the same file, after the VGPRs */
} gpus_agprs_t;

/* Ways in which the driver can sample program counters. HOST_TRAP: the driver sends waves into the
 * trap handler. STOCHASTIC: each compute unit does so by itself, at an interval in clocks, with a
 * snapshot of the wave's state. */
enum { GPUS_SAMPLING_HOST_TRAP = 1 << 0, GPUS_SAMPLING_STOCHASTIC = 1 << 1 };

/* One of these ways. The limits of its interval are in microseconds for host traps, in clocks for
 * stochastic sampling, and those of the driver's interface 1.5. */
typedef struct {
    uint32_t way; /* GPUS_SAMPLING_* */
    uint64_t least, most;
    bool power_of_two; /* the interval must be one */
} gpus_sampling_t;

/* Types of operands, in the order of the columns of rates.tsv: X(id, column). M_ stands for
 * matrices. */
#define GPUS_TYPES(X)                                                                              \
    X(F64, "f64")                                                                                  \
    X(F32, "f32")                                                                                  \
    X(F16, "f16")                                                                                  \
    X(I8, "i8")                                                                                    \
    X(M_F64, "m_f64")                                                                              \
    X(M_F32, "m_f32")                                                                              \
    X(M_XF32, "m_xf32")                                                                            \
    X(M_F16, "m_f16")                                                                              \
    X(M_BF16, "m_bf16")                                                                            \
    X(M_F8, "m_f8")                                                                                \
    X(M_I8, "m_i8")                                                                                \
    X(M_F4, "m_f4")

typedef enum {
#define X(id, name) GPUS_TYPE_##id,
    GPUS_TYPES(X)
#undef X
        GPUS_TYPE_COUNT
} gpus_type_t;

/* Registers of a SIMD for waves of one size; all members are 0 if the GPU has no such waves. */
typedef struct {
    uint32_t vgprs;   /* number of registers of a SIMD */
    uint32_t granule; /* granule in which they are allocated */
    uint32_t encoded; /* granule in which the kernel's descriptor counts them */
} gpus_registers_t;

typedef struct {
    const char *name;   /* "gfx90a" */
    const char *family; /* family of packets and registers that program its counters; NULL: none are
                         * known */
    const char *blocks; /* GPU with the same counter blocks; NULL: none are known */
    const char *generic; /* generic target whose code it runs, too; NULL: none */
    uint32_t target;     /* the driver's gfx_target_version; 0: a target of compilers that is no
                          * GPU */
    uint32_t xccs;       /* most XCCs */
    uint32_t wave;       /* lanes of a wave, unless the kernel has chosen another size */
    uint32_t slots;      /* wave slots of a SIMD */
    uint32_t simds;      /* SIMDs of a compute unit */
    uint32_t cus;        /* compute units of the unit that places workgroups and has the LDS */
    gpus_registers_t wave64, wave32;
    uint32_t sampling; /* set of GPUS_SAMPLING_* */
    gpus_agprs_t agprs;
    uint32_t sgprs; /* of a SIMD; 0: each wave has sgpr_granule registers of its own, which limit
                     * nothing */
    uint32_t sgpr_granule;
    uint32_t lds, lds_group, lds_granule;       /* in bytes: of a unit; the most of a workgroup;
                                                 * granule */
    uint32_t barriers;                          /* most workgroups with several waves on a unit */
    uint32_t vector_line, scalar_line, l2_line; /* size in bytes of a line of each cache */
    uint32_t drm_family;                        /* the kernel driver's AMDGPU_FAMILY_* */
    uint32_t rates[GPUS_TYPE_COUNT];            /* operations of a compute unit per clock */
    struct {
        uint32_t l1, lds; /* bytes per clock of a compute unit; 0: not known */
        uint32_t l2;      /* bytes per clock of an XCC */
        uint32_t memory;  /* bits per clock (the driver's mem_clk_max) on one wire of the bus */
    } speed;
} gpus_arch_t;

typedef struct {
    const char *name;    /* name in command lines: "mi300x" */
    const char *product; /* name for display */
    const gpus_arch_t *arch;
    uint32_t xccs, engines, arrays, units; /* engines and units of all XCCs, arrays of an engine */
    uint32_t clock_mhz;                    /* highest clock */
    uint32_t memory_gb;                    /* 0: shared with the processor */
    double bandwidth;                      /* of memory, in GB/s (bytes per ns); 0: not known */
} gpus_product_t;

/* Returns the row of an architecture; NULL if there is none. The name may be followed by features
 * ("gfx90a:sramecc+:xnack-"). */
const gpus_arch_t *gpus_find(const char *name);
size_t gpus_count(void);
const gpus_arch_t *gpus_at(size_t index); /* NULL if index >= gpus_count() */

/* Return how many units there are for a number of compute units, and what a unit is called. A GPU
 * without a row has units of one compute unit. */
uint32_t gpus_units(const char *gpu, uint32_t compute_units);
const char *gpus_unit_name(const char *gpu);

/* Returns the way of sampling with this index; NULL beyond the last, and if `arch` is NULL. */
const gpus_sampling_t *gpus_sampling(const gpus_arch_t *arch, size_t index);

/* Returns the registers for waves of this many lanes; NULL if the GPU has no such waves. */
const gpus_registers_t *gpus_registers(const gpus_arch_t *arch, uint32_t wave);

/* Resources of a kernel on a SIMD. */
typedef struct {
    uint32_t wave;  /* in lanes */
    bool whole_wgp; /* a workgroup may be on both compute units of a WGP (from gfx10 on) */
    uint32_t vgprs, agprs, sgprs;
} gpus_kernel_t;

/* Decodes words of a kernel's descriptor: compute_pgm_rsrc1, compute_pgm_rsrc3,
 * kernel_code_properties (LLVM's AMDGPU usage, "Kernel Descriptor"). */
gpus_kernel_t gpus_kernel(const gpus_arch_t *arch, uint32_t rsrc1, uint32_t rsrc3,
                          uint32_t properties);

/* Returns a product by its own name, or the representative of an architecture ("gfx942"); case does
 * not matter. Returns NULL if there is none. */
const gpus_product_t *gpus_product(const char *name);
size_t gpus_product_count(void);
const gpus_product_t *gpus_product_at(size_t index); /* NULL beyond the last */

/* Returns the most operations per second, in units of 10^9; 0 if the GPU has none of that type. */
double gpus_peak(const gpus_product_t *product, gpus_type_t type);
const char *gpus_type_name(gpus_type_t type); /* for example "m_f16" */

#endif
