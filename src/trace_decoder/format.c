/* format.c - the streams that the decoder supports, and the word by which each of them is
 * recognised.
 *
 * They are apart so that a GPU whose stream is like one of these needs only a row here.
 * tokens_gfx9.c and tokens_gfx10.c have the tokens. */
#include "trace_decoder/decoder.h"

#include <string.h>

/* The word before a trace of gfx9, which the profiler writes:
 *
 *  63      33  32     31:26   25   24:20   19:16   15:13      12:0
 *  0    double engine array target  SIMDs version of  0x11 or 0
 *       buffer               unit          the stream
 *
 * The first token of gfx10 and later, which the GPU writes:
 *
 *  59        35:33   31:28   19    18:15  14:13   12:7     6:0
 *  barriers  derated rate of array target SIMD    version  0x11
 *  left out  rate    double        unit           of the stream */
enum { FIRST = 0x11 };

#define OF_BYTES(number, lds)                                                                      \
    {                                                                                              \
        .version = (number), .generation = 9, .bytes = true, .vgpr_unit = 8, .sgpr_unit = 16,      \
        .lds_unit = (lds), .swaps = true, .barrier_twice = true, .parse = dec_run_parse_gfx9       \
    }

#define OF_GFX10(number)                                                                           \
    {                                                                                              \
        .version = (number), .generation = 10, .vgpr_unit = 8, .vgpr_unit64 = 4, .lds_unit = 512,  \
        .parse = dec_run_parse_gfx10, .skips_told = true, .rows = dec_rows_gfx10,                  \
        .kinds = dec_kinds_gfx10,                                                                  \
        .stamps = {DEC_STAMP_NOTHING, DEC_STAMP_TIME, DEC_STAMP_REAL, DEC_STAMP_NOTHING},          \
        .unit_bits = 3, .rate_bits = 4, .misc_lost = true, .ready_first = true,                    \
        .barrier_long = true                                                                       \
    }

static const dec_format_t formats[] = {
    OF_BYTES(4, 512),  /* gfx900 to gfx90a; MI300, too, in traces of AMD's aqlprofile */
    OF_BYTES(5, 512),  /* gfx942 */
    OF_BYTES(6, 1280), /* gfx950 */
    OF_GFX10(1),
    OF_GFX10(2), /* gfx1030 and later */
    {.version = 3,
     .generation = 11,
     .vgpr_unit = 8,
     .vgpr_unit64 = 4,
     .lds_unit = 512,
     .parse = dec_run_parse_gfx10,
     .skips_told = true,
     .rows = dec_rows_gfx11,
     .kinds = dec_kinds_gfx11,
     .stamps = {DEC_STAMP_TIME, DEC_STAMP_LOST, DEC_STAMP_REAL, DEC_STAMP_NOTHING},
     .unit_bits = 3,
     .rate_bits = 3,
     .ready_first = true,
     .barrier_long = true,
     .data_masked = true},
    {.version = 4,
     .generation = 12,
     .vgpr_unit = 8,
     .vgpr_unit64 = 4,
     .lds_unit = 512,
     .parse = dec_run_parse_gfx10,
     .skips_told = true,
     .rows = dec_rows_gfx12,
     .kinds = dec_kinds_gfx12,
     .stamps = {DEC_STAMP_TIME, DEC_STAMP_REAL, DEC_STAMP_LOST, DEC_STAMP_NOTHING},
     .unit_bits = 4,
     .rate_bits = 3,
     .barriers_told = true},
};

static const dec_format_t *find(bool bytes, uint64_t version)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].bytes == bytes && formats[i].version == version) return &formats[i];
    return NULL;
}

void dec_header_take(uint64_t word, dec_header_t *header)
{
    const dec_format_t *format = find(false, dec_bits(word, 12, 7));
    if (!format) return;
    const uint64_t unit = dec_bits(word, 14u + format->unit_bits, 15),
                   rate = dec_bits(word, 27u + format->rate_bits, 28);
    *header = (dec_header_t){.format = format,
                             .word = word,
                             .unit = (uint8_t)(unit + (dec_bits(word, 19, 19) ? DEC_ARRAY : 0)),
                             .simd = (uint8_t)dec_bits(word, 14, 13),
                             .rate = (uint16_t)(rate ? 1u << (rate - 1) : 1),
                             .derate = (uint8_t)(1u << dec_bits(word, 35, 33)),
                             .barriers_missing = format->barriers_told && dec_bits(word, 59, 59)};
}

bool dec_header_read(const uint8_t *data, uint64_t size, dec_header_t *header)
{
    uint64_t word;
    *header = (dec_header_t){0};
    if (size < sizeof word) return false;
    memcpy(&word, data, sizeof word);
    const uint64_t first = dec_bits(word, 12, 0);
    if (first == FIRST || !first) {
        header->format = find(true, dec_bits(word, 15, 13));
        header->unit = (uint8_t)dec_bits(word, 24, 20);
        header->engine = (uint8_t)dec_bits(word, 31, 26);
    } else if (dec_bits(word, 6, 0) == FIRST) {
        dec_header_take(word, header);
    }
    return header->format;
}
