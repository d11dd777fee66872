/* kernels.h - kernels as their code objects have them: what they take, and what their code is made
 * of. Nothing is run.
 *
 * A set has the kernels of all files that were asked for; a kernel that a fat binary has for three
 * GPUs is in it three times. */
#ifndef CROCPROF_CODE_KERNELS_H
#define CROCPROF_CODE_KERNELS_H

#include "code/mix.h"
#include "disasm/disasm.h"
#include "insight/occupancy.h"
#include "trace/pattern.h"

/* Instructions, by class. */
typedef struct {
    uint32_t all, of[CODE_CLASS_COUNT];
} code_mix_t;

/* Instructions by which registers are spilled: VGPRs to scratch and back, SGPRs to lanes of VGPRs
 * and back. */
typedef struct {
    uint32_t stores, reloads, lane_writes, lane_reads;
} code_spills_t;

typedef struct {
    char *name;
    uint32_t count;
} code_named_t;

/* A line of the source: the user's, as ins_user_level() has it. */
typedef struct {
    char *file;
    uint32_t line, depth; /* depth: in how many loops its innermost instruction is */
    code_mix_t mix;
    code_spills_t spills;
} code_line_t;

/* A loop, without the loops in it. */
typedef struct {
    uint64_t address; /* of its first instruction */
    uint32_t depth;   /* 1: in no other loop */
    code_mix_t mix;
    code_spills_t spills;
    char *file; /* NULL: lines are not known */
    uint32_t first_line, last_line;
} code_loop_t;

/* What the code of a kernel is made of. Functions that it calls are not in it. */
typedef struct {
    bool known;
    char why[96];        /* why not; "" if nobody asked */
    uint32_t unreadable; /* dwords that no disassembler knows as an instruction */
    uint32_t calls;
    code_mix_t mix;
    double hot[CODE_CLASS_COUNT]; /* shares, if each loop has ten rounds; their sum is 1 */
    code_spills_t spills;
    code_named_t *matrix; /* matrix instructions, most often used first */
    code_loop_t *loops;   /* by address */
    code_line_t *lines;   /* by file and line; none without debug information */
    size_t matrix_count, loop_count, line_count;
} code_body_t;

typedef struct {
    const char *file;                       /* the set's */
    char gpu[16], target[DIS_TARGET_BYTES]; /* "gfx90a", "gfx90a:xnack-" */
    char *name;                             /* as in the source, with its arguments */
    dis_kernel_row_t row;                   /* symbol and numbers; its texts belong to the kernel */
    uint32_t arch_vgprs;                    /* VGPRs without AGPRs */
    uint32_t group_size;                    /* work-items for which the occupancy is */
    ins_occupancy_t occupancy;
    code_body_t body;
} code_kernel_t;

typedef struct {
    code_kernel_t *kernels; /* by file as they were given, then as the code objects have them */
    size_t count;
    char **files;
    size_t file_count;
    size_t objects;  /* code objects that were read */
    size_t left_out; /* kernels that were not asked for */
    size_t troubles; /* files that could not be read, wholly or in part, each told in a line */
} code_set_t;

typedef struct {
    const trace_pattern_t *kernel; /* NULL: all */
    const char *gpu;     /* an architecture, for which the occupancy is; NULL: each code's own */
    uint32_t group_size; /* 0: code_group_size() decides */
    bool bodies;         /* read instructions, too */
    bool lines;          /* and where they come from */
} code_request_t;

/* Reads files and, at any depth, folders. False without memory, which is told. */
bool code_read(code_set_t *set, char *const *paths, size_t count, const code_request_t *request);
void code_free(code_set_t *set);

/* body.c: reads the instructions of a kernel, whose object is open, and their source lines if they
 * are asked for. False without memory. */
bool code_body_read(code_body_t *body, dis_object_t *object, const dis_kernel_row_t *row,
                    bool lines);
void code_body_free(code_body_t *body);

#endif
