/* pack.h - reads MessagePack, in which the compiler's notes on kernels are written.
 *
 * The data is untrusted: every length is checked against the bytes left. */
#ifndef CROCPROF_DISASM_PACK_H
#define CROCPROF_DISASM_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that have not been read yet. */
typedef struct {
    const uint8_t *at, *end;
} dis_pack_t;

typedef enum {
    DIS_PACK_OTHER,
    DIS_PACK_NUMBER,
    DIS_PACK_TEXT,
    DIS_PACK_LIST,
    DIS_PACK_MAP
} dis_pack_kind_t;

typedef struct {
    dis_pack_kind_t kind;
    uint64_t
        number; /* the value; for a list its number of elements, for a map its number of pairs */
    const char *text;
    size_t length;
} dis_item_t;

enum { DIS_PACK_DEPTH_MAX = 16 };

/* Reads the next value; for a list or map, only its head. False: the data is damaged. */
bool dis_pack_next(dis_pack_t *pack, dis_item_t *item);

/* Finds AMD's notes in a code object, which is an ELF file of `size` bytes, and returns their
 * number; 2 more if there are notes that cannot be read. *pack is the first that has notes on
 * kernels in MessagePack; `at` is NULL if none has. */
unsigned dis_pack_find(const uint8_t *elf, uint64_t size, dis_pack_t *pack);

#endif
