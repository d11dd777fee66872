/* gpus.h - what is known of each GPU: waves, registers, LDS, caches, peak rates; and of products.
 *
 * Facts only, from the tables of share/gpus, of which each member is a column; their first lines
 * say what the columns mean. Right above base, so that whatever depends on the GPU asks its row
 * instead of its name. A GPU that has no row is traced like any other: whoever needs a fact refuses
 * it by name. */
#ifndef CROCPROF_GPUS_GPUS_H
#define CROCPROF_GPUS_GPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    GPUS_AGPRS_NONE,
    GPUS_AGPRS_OWN,    /* in a file of their own, as many as VGPRs */
    GPUS_AGPRS_UNIFIED /* behind the VGPRs in one file */
} gpus_agprs_t;

/* Types of operands, in the order of the columns of rates.tsv: X(id, column). M_: of matrices. */
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

/* Registers of a SIMD for waves of one size; all 0: the GPU has no such waves. */
typedef struct {
    uint32_t vgprs;   /* of a SIMD */
    uint32_t granule; /* in which a wave gets them */
    uint32_t encoded; /* in which the kernel's descriptor counts them */
} gpus_registers_t;

typedef struct {
    const char *name;   /* "gfx90a" */
    const char *family; /* whose packets and registers program its counters; NULL: none are known */
    const char *blocks; /* the GPU whose counter blocks it has; NULL: none are known */
    const char *generic; /* the target whose code it runs besides its own; NULL: none */
    uint32_t target;     /* the driver's gfx_target_version; 0: a name for code alone */
    uint32_t xccs;       /* at most */
    uint32_t wave;       /* lanes of a wave, unless the kernel has chosen another size */
    uint32_t slots;      /* waves that a SIMD holds */
    uint32_t simds;      /* of a compute unit */
    uint32_t cus;        /* compute units of a unit, which places workgroups and has the LDS */
    gpus_registers_t wave64, wave32;
    gpus_agprs_t agprs;
    uint32_t sgprs; /* of a SIMD; 0: each wave has sgpr_granule of its own, they limit nothing */
    uint32_t sgpr_granule;
    uint32_t lds, lds_group, lds_granule;       /* bytes: of a unit, that a workgroup can have */
    uint32_t barriers;                          /* workgroups of more than one wave in a unit */
    uint32_t vector_line, scalar_line, l2_line; /* bytes of a line of the caches */
    uint32_t drm_family;                        /* the kernel's AMDGPU_FAMILY_* */
    uint32_t rates[GPUS_TYPE_COUNT];            /* operations of a compute unit in a clock */
    struct {
        uint32_t l1, lds; /* bytes in a clock, of a compute unit; 0: not known */
        uint32_t l2;      /* of an XCC */
        uint32_t memory;  /* bits of a wire in a clock of the driver's mem_clk_max */
    } speed;
} gpus_arch_t;

typedef struct {
    const char *name;    /* as command lines have it: "mi300x" */
    const char *product; /* as people call it */
    const gpus_arch_t *arch;
    uint32_t xccs, engines, arrays, units; /* engines and units of all XCCs, arrays of an engine */
    uint32_t clock_mhz;                    /* at most */
    uint32_t memory_gb;                    /* 0: shared with the processor */
    double bandwidth;                      /* of memory, bytes a nanosecond (GB/s); 0: not known */
} gpus_product_t;

/* The row of an architecture. The name may go on behind a colon ("gfx90a:sramecc+:xnack-"). NULL:
 * there is none. */
const gpus_arch_t *gpus_find(const char *name);
size_t gpus_count(void);
const gpus_arch_t *gpus_at(size_t index); /* NULL if index >= gpus_count() */

/* How many units there are of so many compute units, and what a unit is called. A GPU without a row
 * has units of one compute unit. */
uint32_t gpus_units(const char *gpu, uint32_t compute_units);
const char *gpus_unit_name(const char *gpu);

/* The registers that waves of that many lanes have; NULL if the GPU has no such waves. */
const gpus_registers_t *gpus_registers(const gpus_arch_t *arch, uint32_t wave);

/* What a kernel takes of a SIMD. */
typedef struct {
    uint32_t wave; /* lanes */
    uint32_t vgprs, agprs, sgprs;
} gpus_kernel_t;

/* Reads words of a kernel's descriptor: compute_pgm_rsrc1, compute_pgm_rsrc3,
 * kernel_code_properties (LLVM's AMDGPU usage, "Kernel Descriptor"). */
gpus_kernel_t gpus_kernel(const gpus_arch_t *arch, uint32_t rsrc1, uint32_t rsrc3,
                          uint32_t properties);

/* A product by its own name, or the one that stands for its architecture ("gfx942"); case does not
 * matter. NULL: there is none. */
const gpus_product_t *gpus_product(const char *name);
size_t gpus_product_count(void);
const gpus_product_t *gpus_product_at(size_t index); /* NULL beyond the last */

/* The most operations in a second, in units of 10^9; 0: the GPU has none of that type. */
double gpus_peak(const gpus_product_t *product, gpus_type_t type);
const char *gpus_type_name(gpus_type_t type); /* "m_f16" */

#endif
