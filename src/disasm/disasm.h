/* disasm.h - code objects as text: their instructions, by LLVM's disassembler, and their symbols.
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

#endif
