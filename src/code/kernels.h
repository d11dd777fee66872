/* kernels.h - kernels in code objects: their resources, and the composition of their code.
 *
 * Nothing is run. A set has the kernels of all requested files; a kernel that a fat binary contains
 * for three GPUs is in it three times. */
#ifndef CROCPROF_CODE_KERNELS_H
#define CROCPROF_CODE_KERNELS_H

#include "code/mix.h"
#include "disasm/disasm.h"
#include "insight/occupancy.h"
#include "trace/pattern.h"

/* Number of instructions, by class. */
typedef struct {
    uint32_t all, of[CODE_CLASS_COUNT];
} code_mix_t;

/* Number of instructions by which registers are spilled: VGPRs to scratch and back, SGPRs to lanes
 * of VGPRs and back. */
typedef struct {
    uint32_t stores, reloads, lane_writes, lane_reads;
} code_spills_t;

typedef struct {
    char *name;
    uint32_t count;
} code_named_t;

/* A line of the source: the user's, as returned by ins_user_level(). */
typedef struct {
    char *file;
    uint32_t line, depth; /* `depth`: number of loops around its innermost instruction */
    code_mix_t mix;
    code_spills_t spills;
} code_line_t;

/* A loop, without the loops inside it. */
typedef struct {
    uint64_t address; /* address of its first instruction */
    uint32_t depth;   /* 1: it is in no other loop */
    code_mix_t mix;
    code_spills_t spills;
    char *file; /* NULL: lines are not known */
    uint32_t first_line, last_line;
} code_loop_t;

/* The composition of a kernel's code. Functions that it calls are not included. */
typedef struct {
    bool known;
    char why[96];        /* why the code was not read; "" if reading was not requested */
    uint32_t unreadable; /* number of dwords that no disassembler recognises as an instruction */
    uint32_t calls;
    code_mix_t mix;
    double hot[CODE_CLASS_COUNT]; /* shares, if each loop has ten iterations; their sum is 1 */
    code_spills_t spills;
    code_named_t *matrix; /* matrix instructions, the most frequent first */
    code_loop_t *loops;   /* sorted by address */
    code_line_t *lines;   /* sorted by file and line; none without debug information */
    size_t matrix_count, loop_count, line_count;
} code_body_t;

typedef struct {
    const char *file;                       /* owned by the set */
    char gpu[16], target[DIS_TARGET_BYTES]; /* "gfx90a", "gfx90a:xnack-" */
    char *name;                             /* as in the source, with its arguments */
    dis_kernel_row_t row;                   /* symbol and numbers; the kernel owns its texts */
    uint32_t arch_vgprs;                    /* number of VGPRs without AGPRs */
    uint32_t group_size;                    /* number of work-items for which the occupancy is
                                             * computed */
    ins_occupancy_t occupancy;
    code_body_t body;
} code_kernel_t;

typedef struct {
    code_kernel_t *kernels; /* sorted by file in the given order, then in the order of the code
                             * objects */
    size_t count;
    char **files;
    size_t file_count;
    size_t objects;  /* number of code objects that were read */
    size_t left_out; /* number of kernels that were not requested */
    size_t troubles; /* number of files that could not be read, completely or in part; each was
                      * reported in a line */
} code_set_t;

typedef struct {
    const trace_pattern_t *kernel; /* NULL: all kernels */
    const char *gpu;     /* the architecture for which the occupancy is computed; NULL: the one of
                          * each code object */
    uint32_t group_size; /* 0: code_group_size() decides */
    bool bodies;         /* read instructions, too */
    bool lines;          /* read source lines, too */
} code_request_t;

/* Reads files and, at any depth, folders. Returns false without memory, which is reported. */
bool code_read(code_set_t *set, char *const *paths, size_t count, const code_request_t *request);
void code_free(code_set_t *set);

/* body.c: reads the instructions of a kernel, whose code object is open, and their source lines if
 * they are requested. Returns false without memory. */
bool code_body_read(code_body_t *body, dis_object_t *object, const dis_kernel_row_t *row,
                    bool lines);
void code_body_free(code_body_t *body);

#endif
