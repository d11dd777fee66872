/* pieces.h - bytes that are the same in every record of an operation, made once.
 *
 * Each format has its own pieces, and finding one costs no more than two loads. They live as long
 * as the writer of the file. */
#ifndef CROCPROF_OUTPUT_PIECES_H
#define CROCPROF_OUTPUT_PIECES_H

#include <stddef.h>
#include <string.h>

#include "trace/format.h"

typedef struct {
    char *bytes; /* NULL: not made yet */
    size_t count;
} out_piece_t;

typedef struct {
    out_piece_t *kinds[TRACE_KIND_MAX + 1]; /* arrays indexed by operation, made when needed */
} out_pieces_t;

/* Keeps a copy of the bytes. Returns NULL when out of memory. */
const out_piece_t *out_piece_keep(out_pieces_t *p, trace_head_t head, const void *bytes,
                                  size_t count);

/* Returns the piece of a record's kind and operation; NULL if there is none yet. */
static inline const out_piece_t *out_piece_find(const out_pieces_t *p, trace_head_t head)
{
    const out_piece_t *kind = p->kinds[trace_kind(head)];
    if (__builtin_expect(!kind, 0)) return NULL;
    const out_piece_t *piece = &kind[trace_operation(head)];
    return __builtin_expect(piece->bytes != NULL, 1) ? piece : NULL;
}

/* Writes a short piece, and up to OUT_PIECE_STEP - 1 meaningless bytes after it; returns the end of
 * the piece. */
enum { OUT_PIECE_STEP = 64 };
static inline char *out_piece_put(char *at, const out_piece_t *piece)
{
    for (size_t i = 0; i < piece->count; i += OUT_PIECE_STEP)
        memcpy(at + i, piece->bytes + i, OUT_PIECE_STEP);
    return at + piece->count;
}

void out_pieces_free(out_pieces_t *p);

#endif
