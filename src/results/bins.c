/* bins.c - see bins.h. Times are summed in ns; only the finished bins are rounded. */
#include "results/bins.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t kernel, copy, waiting;
    uint64_t votes; /* the lead of the kernel in `most` */
    uint8_t most;
} filling_t;

/* Adds time to the kernel that leads in the bin. A kernel whose time is more than that of all
 * others together is certain to lead at the end, and this needs constant memory. */
static void vote(filling_t *f, uint8_t kernel, uint64_t time)
{
    if (f->most == kernel) {
        f->votes += time;
    } else if (f->votes >= time) {
        f->votes -= time;
    } else {
        f->votes = time - f->votes;
        f->most = kernel;
    }
}

typedef enum { KERNEL, COPY, WAIT } kind_t;

static void fill_piece(filling_t *rows, const res_bins_t *b, const res_piece_t *p, kind_t kind)
{
    const uint64_t base = (uint64_t)b->first << b->shift, whole = (uint64_t)b->count << b->shift;
    uint64_t from = (uint64_t)p->start - base;
    uint64_t to = (uint64_t)p->end - base;
    if (to > whole) to = whole;
    while (from < to) {
        filling_t *f = &rows[from >> b->shift];
        const uint64_t end = ((from >> b->shift) + 1) << b->shift;
        const uint64_t part = (end < to ? end : to) - from;
        *(kind == KERNEL ? &f->kernel : kind == COPY ? &f->copy : &f->waiting) += part;
        if (kind == KERNEL) vote(f, p->kernel, part);
        from += part;
    }
}

static void fill(filling_t *rows, const res_bins_t *b, const res_pieces_t *pieces, kind_t kind)
{
    for (size_t i = 0; i < pieces->count; i++)
        fill_piece(rows, b, &pieces->rows[i], kind);
}

/* Returns a part of the bin's time, which is at least 1 if the time is not 0. */
static uint8_t part_of(uint64_t time, unsigned shift)
{
    const double part = (double)time / (double)(1ull << shift) * (double)RES_BIN_FULL;
    return time && part < 1 ? 1 : (uint8_t)(part + 0.5);
}

bool res_bins_make(res_bins_t *b, int64_t first, int64_t last, const res_pieces_t *kernels,
                   const res_pieces_t *copies, const res_pieces_t *waits)
{
    const uint64_t length = last > first ? (uint64_t)last - (uint64_t)first : 0;
    *b = (res_bins_t){0};
    if (length >> 62) return true; /* such times are impossible, and no bins are made */
    while ((length >> b->shift) + 2 > RES_BINS)
        b->shift++;
    b->first = first >> b->shift;
    b->count = (size_t)(((first + (int64_t)length) >> b->shift) - b->first) + 1;
    filling_t *rows = calloc(b->count, sizeof(*rows));
    b->rows = rows ? calloc(b->count, sizeof(*b->rows)) : NULL;
    if (b->rows) {
        for (size_t i = 0; i < b->count; i++)
            rows[i].most = RES_BIN_NO_KERNEL;
        fill(rows, b, kernels, KERNEL);
        fill(rows, b, copies, COPY);
        fill(rows, b, waits, WAIT);
    }
    for (size_t i = 0; b->rows && i < b->count; i++)
        b->rows[i] = (res_bin_t){.kernel = part_of(rows[i].kernel, b->shift),
                                 .copy = part_of(rows[i].copy, b->shift),
                                 .waiting = part_of(rows[i].waiting, b->shift),
                                 .most = rows[i].most};
    free(rows);
    return b->rows;
}

void res_bins_free(res_bins_t *b)
{
    free(b->rows);
    *b = (res_bins_t){0};
}

size_t res_pieces_without(res_piece_t *to, const res_pieces_t *from, const res_pieces_t *others)
{
    size_t count = 0, other = 0;
    for (size_t i = 0; i < from->count; i++) {
        res_piece_t left = from->rows[i];
        while (other < others->count && others->rows[other].end <= left.start)
            other++;
        for (size_t at = other; at < others->count && others->rows[at].start < left.end; at++) {
            const res_piece_t *o = &others->rows[at];
            if (o->start > left.start) {
                to[count] = left;
                to[count++].end = o->start;
            }
            left.start = o->end;
            if (left.start >= left.end) break;
        }
        if (left.start < left.end) to[count++] = left;
    }
    return count;
}

int64_t res_pieces_time(const res_pieces_t *p)
{
    uint64_t time = 0;
    for (size_t i = 0; i < p->count; i++)
        time += (uint64_t)p->rows[i].end - (uint64_t)p->rows[i].start;
    return (int64_t)time;
}
