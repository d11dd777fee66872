/* internal.h - an open code object, as the files of this room share it.
 *
 * elf.c reads the file, variables.c its variables, metadata.c the notes on kernels, kernels.c their
 * descriptors, lines.c source lines by libdw (libdw.c), comgr.c and llvm.c disassemble. The file
 * comes from the profiled program, so everything in it is checked before use. */
#ifndef CROCPROF_DISASM_INTERNAL_H
#define CROCPROF_DISASM_INTERNAL_H

#include "disasm/disasm.h"

#include <elf.h>

typedef struct {
    uint64_t address, offset, size; /* address in memory, offset in the file */
} dis_segment_t;

typedef struct dis_lines dis_lines_t; /* lines.c */
typedef struct dis_data dis_data_t;   /* variables.c */

struct dis_object {
    uint8_t *elf;
    uint64_t size;
    char gpu[16];
    dis_segment_t *segments;
    size_t segment_count;
    dis_symbol_t *symbols;
    size_t symbol_count;
    dis_lines_t *lines; /* NULL: not read yet, or there is none */
    bool no_lines;      /* lines have been read: they are in `lines`, or there are none */
    dis_data_t *data;   /* NULL: not read yet, or out of memory */
    uint64_t comgr;     /* handle of the disassembler, 0: not made yet */
    void *llvm;         /* the disassembler of llvm.c, NULL: not made yet */
};

/* The bytes of the file that are loaded at an address; *size is their number up to the end of the
 * segment. NULL: none. */
const uint8_t *dis_bytes(const dis_object_t *o, uint64_t address, uint64_t *size);

/* Copies the ELF header. */
void dis_header(const dis_object_t *o, Elf64_Ehdr *header);
/* Copies the header of a section; false: there is none, or the section is not all in the file. */
bool dis_section(const dis_object_t *o, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *s);
/* The string at `at` of the string table `table`, a result of dis_section(); NULL if it is not
 * terminated. */
const char *dis_text(const dis_object_t *o, const Elf64_Shdr *table, uint64_t at);

/* metadata.c: the kernels in the compiler's notes, without the facts of their descriptors; to be
 * freed by dis_kernels_free(). False: the notes are damaged, or there is no memory. */
bool dis_notes_rows(const dis_object_t *o, dis_kernel_row_t **rows, size_t *count);

void dis_data_free(dis_object_t *o);

void dis_lines_free(dis_object_t *o);

void dis_comgr_free(dis_object_t *o);

/* llvm.c: the disassembler by LLVM's C interface. False: there is none, or it does not support the
 * GPU. */
enum { DIS_INSTRUCTION_BYTES_MAX = 24 };
bool dis_llvm_begin(dis_object_t *o);
/* As dis_object_text(), after dis_llvm_begin(). */
size_t dis_llvm_text(dis_object_t *o, uint64_t address, char *text, size_t room, uint64_t *bytes);
void dis_llvm_free(dis_object_t *o);

#endif
