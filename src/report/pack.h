/* pack.h - packs runs into the bytes that the page unpacks.
 *
 * The format: the length of the JSON in four bytes, little-endian; the JSON; columns of records. A
 * column is LEB128 numbers one after the other. Columns of the events of a lane: starts (each as
 * the difference to the one before), lengths, names, extras, categories, links (index of an event
 * plus one; signed differences, zigzag). Columns of a level: starts (differences), lengths, counts,
 * longest events (differences). Columns of a rank: of its bins, a byte each, parts
 * with kernels, with copies, waiting, and the numbers of the kernels that fill most; then the
 * kernels of these numbers plus one, and the kernel, calls and total of each of its kernels. The
 * JSON says where each column begins. page/data.js reads all of this. */
#ifndef CROCPROF_REPORT_PACK_H
#define CROCPROF_REPORT_PACK_H

#include "report/lanes.h"
#include "report/model.h"
#include "report/report.h"

typedef struct {
    uint8_t *rows;
    size_t count, room;
    bool failed; /* out of memory */
} rep_bytes_t;

typedef struct {
    rep_run_t run;
    rep_lanes_t lanes;
} rep_part_t;

/* Writes the bytes of all parts, gzipped. Returns false when out of memory. */
bool rep_pack(rep_bytes_t *to, rep_part_t *parts, size_t count, const rep_names_t *names,
              const rep_request_t *request);

#endif
