/* translate_layout.h - where the structures of the translator's library have their members: chunk.h
 * asserts it, and the files that write LLVM's assembly use it. */
#ifndef SOFTGPU_EXEC_TRANSLATE_LAYOUT_H
#define SOFTGPU_EXEC_TRANSLATE_LAYOUT_H

enum { ISA_CHUNK_ROWS = 4 /* of an operand, at most */, ISA_CHUNK_SOURCES = 3 };

/* isa_chunk_t begins with rows of as many dwords as a chunk has lanes: the result's, those of each
 * source, then the sets of lanes. */
enum {
    ISA_CHUNK_AT_SOURCES = ISA_CHUNK_ROWS,
    ISA_CHUNK_AT_SETS = ISA_CHUNK_AT_SOURCES + ISA_CHUNK_SOURCES * ISA_CHUNK_ROWS
};

/* ORDER: isa_chunk_t. */
typedef enum { ISA_SET_IN, ISA_SET_OUT, ISA_SET_ACTIVE, ISA_SET_RARE, ISA_SETS } isa_set_t;

/* Bytes behind the rows. */
enum { ISA_CHUNK_MODE = 0, ISA_CHUNK_MODS = 4, ISA_CHUNK_TAIL = 8 };

/* Offsets in isa_scalar_t, and its size. */
enum {
    ISA_SCALAR_DST = 0,
    ISA_SCALAR_SRC = 8,
    ISA_SCALAR_EXEC = 24,
    ISA_SCALAR_SCC = 32,
    ISA_SCALAR_IMM = 36,
    ISA_SCALAR_BYTES = 40
};

#endif
