/* pack.h - runs as the bytes that the page unpacks.
 *
 * Four bytes, little-endian: length of the JSON; the JSON; columns of records. A column is LEB128
 * numbers one after the other. Of the events of a lane: starts (each less the one before), lengths,
 * names, extras, categories, links (signed, zigzag, each less the one before; event plus one). Of a
 * level: starts (less the one before), lengths, counts, longest events (less the one before).
 * JSON says where each begins. page/data.js reads all of this. */
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

/* The bytes of all parts, gzipped. False when out of memory. */
bool rep_pack(rep_bytes_t *to, rep_part_t *parts, size_t count, const rep_names_t *names,
              const rep_request_t *request);

#endif
