/* disasm.h - code objects as text: their instructions, by LLVM's disassembler, symbols, kernels.
 *
 * Apart because the decoder of thread traces, the SDK and the offline writers all need it, and
 * because the disassembler is libamd_comgr's, which HIP brings along, and the reader of source
 * lines libdw: both are loaded when they are first asked for. An object is read by one thread at a
 * time.
 */
#ifndef CROCPROF_DISASM_DISASM_H
#define CROCPROF_DISASM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct dis_object dis_object_t;

typedef enum {
    DIS_GOOD,
    DIS_NO_MEMORY,
    DIS_NO_ELF,         /* nothing that can be read as a code object of an AMD GPU */
    DIS_NO_DISASSEMBLER /* libamd_comgr is not there, or is not to be used */
} dis_status_t;

/* A copy of the file is kept. *object is NULL on failure. */
dis_status_t dis_object_open(const void *elf, uint64_t size, dis_object_t **object);
void dis_object_close(dis_object_t *object);

/* Without the need of an ELF file: whether instructions can be disassembled here. */
bool dis_available(void);

/* The GPU it was compiled for, "gfx90a". */
const char *dis_object_gpu(const dis_object_t *object);

/* The instruction at an address of the file: its text, cut to `room`, and its bytes. The length of
 * the text, without the final zero; 0: there is no instruction. */
size_t dis_object_text(dis_object_t *object, uint64_t address, char *text, size_t room,
                       uint64_t *bytes);

/* A function. Sorted by address. */
typedef struct {
    const char *name;
    uint64_t address, size;
} dis_symbol_t;

const dis_symbol_t *dis_object_symbols(const dis_object_t *object, size_t *count);
/* The function the address is in, or NULL. */
const dis_symbol_t *dis_object_symbol_at(const dis_object_t *object, uint64_t address);

/* The file and line that the address was compiled from; false: nothing says. `file` is the
 * object's. */
bool dis_object_line(dis_object_t *object, uint64_t address, const char **file, uint32_t *line);

/* The file that the compiler was given, whose compile unit has the address; NULL: nothing says. The
 * text belongs to the object and equals the `file` that dis_object_line() gives for this file. */
const char *dis_object_unit(dis_object_t *object, uint64_t address);

/* A function that was inlined, and where; names are the object's. */
typedef struct {
    const char *function, *file;
    uint32_t line;
} dis_inlined_t;

/* The functions that the address was inlined from, the innermost first, `room` of them at most.
 * The line of the address is in the first, where it was inlined in the second, and so on: the last
 * place is in the function of the symbol. Their number. */
size_t dis_object_inlined(dis_object_t *object, uint64_t address, dis_inlined_t *list, size_t room);

/* The variables and constants, sorted by address and size; those that are exported alone, where the
 * others' symbols were stripped. Names and lists are the object's. */
const dis_symbol_t *dis_object_variables(dis_object_t *object, size_t *count);

/* A range of the object as it is loaded. */
typedef struct {
    uint64_t begin, end;
} dis_range_t;

/* Where there is nothing, for sure, next to those variables: sorted, without overlaps. What is
 * behind the whole object, up to UINT64_MAX, is the last. */
const dis_range_t *dis_object_gaps(dis_object_t *object, size_t *count);

/* Where the variable at the address is declared; false: nothing says. `file` is the object's. */
bool dis_object_variable_line(dis_object_t *object, uint64_t address, const char **file,
                              uint32_t *line);

/* A parameter of a kernel: "" for what is not known. */
typedef struct {
    char name[64], type[64], kind[32]; /* kind: global_buffer, by_value, ... */
    uint32_t offset, size;
} dis_parameter_t;

enum { DIS_PARAMETERS_MAX = 64 };

/* What the compiler has noted of a kernel; 0 for what it has not. */
typedef struct {
    uint32_t vgpr_spills, sgpr_spills, group_bytes, private_bytes;
    uint32_t group_size_max; /* work-items */
    dis_parameter_t parameters[DIS_PARAMETERS_MAX];
    size_t parameter_count;
} dis_kernel_t;

/* The kernel of the symbol (k.kd). False: nothing is noted of it. */
bool dis_object_kernel(const dis_object_t *object, const char *symbol, dis_kernel_t *kernel);

/* Names and types of the parameters as the source has them, of the function at the address, in
 * place of what is there. */
void dis_object_parameters(dis_object_t *object, uint64_t address, dis_kernel_t *kernel);

#endif
