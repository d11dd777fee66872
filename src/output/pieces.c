/* pieces.c - see pieces.h. */
#include "output/pieces.h"

#include <stdlib.h>
#include <string.h>

const out_piece_t *out_piece_keep(out_pieces_t *p, trace_head_t head, const void *bytes,
                                  size_t count)
{
    out_piece_t **kind = &p->kinds[trace_kind(head)];
    if (!*kind) *kind = calloc(TRACE_OPERATION_MAX + 1, sizeof(**kind));
    if (!*kind) return NULL;
    out_piece_t *piece = &(*kind)[trace_operation(head)];
    /* out_piece_put reads this many bytes beyond the end */
    piece->bytes = calloc(1, count + OUT_PIECE_STEP);
    if (!piece->bytes) return NULL;
    memcpy(piece->bytes, bytes, count);
    piece->count = count;
    return piece;
}

void out_pieces_free(out_pieces_t *p)
{
    for (unsigned kind = 0; kind <= TRACE_KIND_MAX; kind++) {
        for (unsigned i = 0; p->kinds[kind] && i <= TRACE_OPERATION_MAX; i++)
            free(p->kinds[kind][i].bytes);
        free(p->kinds[kind]);
    }
}
