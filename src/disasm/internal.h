/* internal.h - an open code object, for the files of this room.
 *
 * elf.c reads the file, variables.c its variables, metadata.c the notes on kernels, lines.c source
 * lines by libdw (libdw.c), comgr.c disassembles. The file comes from the profiled program, so
 * everything in it is checked before use. */
#ifndef CROCPROF_DISASM_INTERNAL_H
#define CROCPROF_DISASM_INTERNAL_H

#include "disasm/disasm.h"

#include <elf.h>

typedef struct {
    uint64_t address, offset, size; /* in memory, in the file */
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
    dis_lines_t *lines; /* NULL: not looked for yet, or none */
    bool no_lines;      /* lines have been looked for and there are none, or they are in `lines` */
    dis_data_t *data;   /* NULL: not asked for yet, or no memory */
    uint64_t comgr;     /* handle of the disassembler, 0: not made yet */
};

/* The bytes of the file that are loaded at an address; *size is how many follow. NULL: none. */
const uint8_t *dis_bytes(const dis_object_t *o, uint64_t address, uint64_t *size);

/* Copies the ELF header. */
void dis_header(const dis_object_t *o, Elf64_Ehdr *header);
/* Copies the header of a section; false: there is none, or the section is not all in the file. */
bool dis_section(const dis_object_t *o, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *s);
/* A string of a string table that dis_section() has given; NULL if it has no end. */
const char *dis_text(const dis_object_t *o, const Elf64_Shdr *table, uint64_t at);

void dis_data_free(dis_object_t *o);

void dis_lines_free(dis_object_t *o);

void dis_comgr_free(dis_object_t *o);

#endif
