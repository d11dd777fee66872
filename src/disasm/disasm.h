/* disasm.h - code objects as text: their instructions, symbols, source lines and kernels.
 *
 * A room of its own because the decoder of thread traces, the SDK and the offline writers all need
 * it. The disassembler is LLVM's, in libamd_comgr, which comes with HIP; source lines are read by
 * libdw. Both libraries are loaded at the first use. An object is used by one thread at a time. */
#ifndef CROCPROF_DISASM_DISASM_H
#define CROCPROF_DISASM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dis_object dis_object_t;

typedef enum {
    DIS_GOOD,
    DIS_NO_MEMORY,
    DIS_NO_ELF,         /* not a readable code object of an AMD GPU */
    DIS_NO_DISASSEMBLER /* libamd_comgr is missing, or must not be used */
} dis_status_t;

/* Opens a code object; the bytes are copied. *object is NULL on failure. */
dis_status_t dis_object_open(const void *elf, uint64_t size, dis_object_t **object);
void dis_object_close(dis_object_t *object);

/* Whether instructions can be disassembled: libamd_comgr can be loaded. */
bool dis_available(void);

/* The GPU for which the object was compiled, such as "gfx90a". */
const char *dis_object_gpu(const dis_object_t *object);

/* The same with the settings for which the code was compiled: "gfx90a:sramecc+:xnack-". Settings on
 * which the code does not depend are left out. */
enum { DIS_TARGET_BYTES = 40 };
void dis_object_target(const dis_object_t *object, char target[DIS_TARGET_BYTES]);

/* Whether instructions of the object's GPU can be disassembled: the libamd_comgr that was found may
 * be older than the GPU. If so, libLLVM is loaded, too, and used from here on. Only the project's
 * own programs may call this, not libraries in the user's program, which may have an LLVM of its
 * own. */
bool dis_object_disassembles(dis_object_t *object);

/* Writes the text of the instruction at an address of the file, cut to `room`; *bytes is the
 * instruction's length. Returns the length of the text without the final zero; 0: no instruction
 * there. */
size_t dis_object_text(dis_object_t *object, uint64_t address, char *text, size_t room,
                       uint64_t *bytes);

/* A function, a variable or a constant. */
typedef struct {
    const char *name;
    uint64_t address, size;
} dis_symbol_t;

/* The functions, sorted by address; they belong to the object. */
const dis_symbol_t *dis_object_symbols(const dis_object_t *object, size_t *count);
/* The function that contains the address, or NULL. */
const dis_symbol_t *dis_object_symbol_at(const dis_object_t *object, uint64_t address);

/* The file and line from which the address was compiled; false: unknown. `*file` belongs to the
 * object. */
bool dis_object_line(dis_object_t *object, uint64_t address, const char **file, uint32_t *line);

/* The main file of the compile unit that contains the address, as given to the compiler; NULL:
 * unknown. The text belongs to the object and equals the `file` that dis_object_line() gives for
 * this file. */
const char *dis_object_unit(dis_object_t *object, uint64_t address);

/* An inlined function, and the place of the call that it replaces; names belong to the object. */
typedef struct {
    const char *function, *file;
    uint32_t line;
} dis_inlined_t;

/* Lists the functions inlined at the address, the innermost first, at most `room` of them; returns
 * how many. Entry i has the place where its function was inlined into that of entry i + 1, the last
 * one into the function of the symbol. dis_object_line() has the place of the address itself. */
size_t dis_object_inlined(dis_object_t *object, uint64_t address, dis_inlined_t *list, size_t room);

/* The variables and constants, sorted by address and size. A stripped file has only the exported
 * ones. They belong to the object. */
const dis_symbol_t *dis_object_variables(dis_object_t *object, size_t *count);

/* A range of addresses of the object, relative to its load address. */
typedef struct {
    uint64_t begin, end;
} dis_range_t;

/* Ranges next to those variables that are certainly unused: sorted, without overlaps. The last one
 * may be the range after the whole object, up to UINT64_MAX. They belong to the object. */
const dis_range_t *dis_object_gaps(dis_object_t *object, size_t *count);

/* Where the variable at the address is declared; false: unknown. `*file` belongs to the object. */
bool dis_object_variable_line(dis_object_t *object, uint64_t address, const char **file,
                              uint32_t *line);

/* A parameter of a kernel. Texts are "" if unknown. */
typedef struct {
    char name[64], type[64], kind[32]; /* kind: global_buffer, by_value, ... */
    uint32_t offset, size;
} dis_parameter_t;

enum { DIS_PARAMETERS_MAX = 64 };

/* The compiler's notes on a kernel; values are 0 if unknown. */
typedef struct {
    uint32_t vgpr_spills, sgpr_spills, group_bytes, private_bytes;
    uint32_t group_size_max; /* work-items */
    uint32_t wave_items;     /* 32 or 64 */
    dis_parameter_t parameters[DIS_PARAMETERS_MAX];
    size_t parameter_count;
} dis_kernel_t;

/* The number, if waves can have so many work-items, or else 0: files may say anything. */
uint32_t dis_wave_items(uint32_t number);

/* The notes on the kernel whose descriptor is `symbol` ("k.kd"). False: there are none. */
bool dis_object_kernel(const dis_object_t *object, const char *symbol, dis_kernel_t *kernel);

/* A kernel, with facts from the compiler's notes and from its descriptor. The texts belong to the
 * row. Numbers are 0 if unknown. */
typedef struct {
    char *name, *symbol; /* name: the linker's symbol of the kernel; symbol: that of its descriptor
                            ("k.kd") */
    uint32_t vgprs;      /* includes the AGPRs if both are in one register file */
    uint32_t agprs, sgprs, vgpr_spills, sgpr_spills;
    uint32_t lds_bytes, scratch_bytes, argument_bytes;
    uint32_t group_size_max,
        group_size_fixed; /* work-items; fixed: the size that a launch must have */
    uint32_t wave_items;
    uint32_t dynamic_stack; /* 1: the kernel may need more scratch than scratch_bytes */
    bool described;         /* the descriptor was found: the members below are valid */
    bool whole_wgp;         /* a workgroup may be on both compute units of a WGP (from gfx10 on) */
    uint64_t code, code_bytes; /* address of the first instruction; 0 bytes: unknown */
} dis_kernel_row_t;

/* Lists the kernels in the order of the notes, to be freed by dis_kernels_free(). False: the notes
 * are damaged, or out of memory. An object without notes has no kernels. */
bool dis_object_kernels(const dis_object_t *object, dis_kernel_row_t **rows, size_t *count);
void dis_kernels_free(dis_kernel_row_t *rows, size_t count);

/* The bytes of the file that are loaded at an address; *left is their number up to the end of the
 * segment. NULL: none. */
const uint8_t *dis_object_bytes(const dis_object_t *object, uint64_t address, uint64_t *left);

/* Replaces names and types of the parameters by those in the source, from the debug information on
 * the function at the address. Names and types that it lacks are unchanged. */
void dis_object_parameters(dis_object_t *object, uint64_t address, dis_kernel_t *kernel);

#endif
