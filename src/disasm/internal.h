/* internal.h - an open code object, for the files of this room.
 *
 * elf.c reads the file, lines.c its table of source lines, comgr.c has the disassembler. Everything
 * in the file is checked before it is used: it comes from the profiled program. */
#ifndef CROCPROF_DISASM_INTERNAL_H
#define CROCPROF_DISASM_INTERNAL_H

#include "disasm/disasm.h"

typedef struct {
    uint64_t address, offset, size; /* in memory, in the file */
} dis_segment_t;

/* Where source lines begin; the one with line 0 ends what came before. */
typedef struct {
    uint64_t address;
    uint32_t file, line; /* file: index into the object's names */
    size_t order;        /* in the tables: of one address the last says what holds */
} dis_row_t;

typedef struct {
    const uint8_t *data; /* NULL: no such section */
    uint64_t size;
} dis_section_t;

struct dis_object {
    uint8_t *elf;
    uint64_t size;
    char gpu[16];
    dis_segment_t *segments;
    size_t segment_count;
    dis_symbol_t *symbols;
    size_t symbol_count;
    dis_section_t line, line_str, str;

    bool lines_read;
    dis_row_t *rows;
    size_t row_count, row_room;
    char **files;
    size_t file_count, file_room;

    uint64_t comgr; /* handle of the disassembler, 0: not made yet */
};

/* The bytes at an address, and how many there are; NULL: none. */
const uint8_t *dis_bytes(const dis_object_t *o, uint64_t address, uint64_t *size);

/* Fills rows and files. What cannot be read is left out. */
void dis_lines_read(dis_object_t *o);
void dis_lines_free(dis_object_t *o);

void dis_comgr_free(dis_object_t *o);

#endif
