/* bins.h - what a process did when, in at most RES_BINS parts of its time: what a picture of a
 * thousand ranks is drawn of.
 *
 * A bin is 2^shift ns long and begins at a multiple of that, so that bins of several processes can
 * be laid over one another, and coarser ones are sums of finer ones. Apart from gather_part.c since
 * nothing but pictures needs them. */
#ifndef CROCPROF_RESULTS_BINS_H
#define CROCPROF_RESULTS_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RES_BINS = 512, RES_BIN_FULL = 255, RES_BIN_NO_KERNEL = 255 };

/* Parts of a bin's time, of RES_BIN_FULL. */
typedef struct {
    uint8_t kernel, copy; /* with a kernel, with a copy */
    uint8_t waiting;      /* without either, while the host waits for the GPU or for other ranks */
    uint8_t most;         /* the kernel that fills most of it: its number in the process, or
                             RES_BIN_NO_KERNEL */
} res_bin_t;

typedef struct {
    unsigned shift;
    int64_t first; /* number of the first bin: its time >> shift */
    size_t count;
    res_bin_t *rows;
} res_bins_t;

/* A kernel, a copy or a wait. */
typedef struct {
    int64_t start, end;
    uint8_t kernel; /* number of the kernel in the process, or RES_BIN_NO_KERNEL */
} res_piece_t;

/* Pieces of one kind, in the order of their beginnings; none covers time that an earlier one
 * covers. */
typedef struct {
    const res_piece_t *rows;
    size_t count;
} res_pieces_t;

/* Makes the bins from `first` to `last`. False without memory. To be freed either way. */
bool res_bins_make(res_bins_t *b, int64_t first, int64_t last, const res_pieces_t *kernels,
                   const res_pieces_t *copies, const res_pieces_t *waits);
void res_bins_free(res_bins_t *b);

/* Cuts from the pieces what the others cover; both are sorted and do not overlap. Writes what is
 * left to `to`, which has room for the number of both, and returns how many those are. */
size_t res_pieces_without(res_piece_t *to, const res_pieces_t *from, const res_pieces_t *others);

/* Time that they cover. */
int64_t res_pieces_time(const res_pieces_t *p);

#endif
