/* bins.h - the activity of a process in at most RES_BINS intervals of its time; pictures of a
 * thousand ranks are drawn from these.
 *
 * A bin is 2^shift ns long and begins at a multiple of that, so that bins of several processes can
 * be added, and coarser bins are sums of finer ones. They are apart from gather_part.c because only
 * pictures need them. */
#ifndef CROCPROF_RESULTS_BINS_H
#define CROCPROF_RESULTS_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RES_BINS = 512, RES_BIN_FULL = 255, RES_BIN_NO_KERNEL = 255 };

/* Parts of a bin's time, in units of 1/RES_BIN_FULL. */
typedef struct {
    uint8_t kernel, copy; /* time with a kernel, time with a copy */
    uint8_t waiting;      /* time without both, while the host waits for the GPU or for other
                           * ranks */
    uint8_t most;         /* number, in the process, of the kernel that takes most of it, or
                           * RES_BIN_NO_KERNEL */
} res_bin_t;

typedef struct {
    unsigned shift;
    int64_t first; /* number of the first bin: its time >> shift */
    size_t count;
    res_bin_t *rows;
} res_bins_t;

/* The interval of a kernel, a copy or a wait. */
typedef struct {
    int64_t start, end;
    uint8_t kernel; /* number of the kernel in the process, or RES_BIN_NO_KERNEL */
} res_piece_t;

/* Intervals of one kind, sorted by their begin; they do not overlap. */
typedef struct {
    const res_piece_t *rows;
    size_t count;
} res_pieces_t;

/* Makes the bins from `first` to `last`. Returns false without memory. To be freed in both
 * cases. */
bool res_bins_make(res_bins_t *b, int64_t first, int64_t last, const res_pieces_t *kernels,
                   const res_pieces_t *copies, const res_pieces_t *waits);
void res_bins_free(res_bins_t *b);

/* Writes to `to` the parts of the intervals `from` that the intervals `others` do not cover; both
 * are sorted and do not overlap. `to` needs room for the number of both. Returns the number of
 * parts. */
size_t res_pieces_without(res_piece_t *to, const res_pieces_t *from, const res_pieces_t *others);

/* Returns the time that the intervals cover. */
int64_t res_pieces_time(const res_pieces_t *p);

#endif
