/* tokens_gfx10.c - the streams of gfx10, gfx11 and gfx12: tokens of 4 to 72 bits without gaps, and
 * when each was written.
 *
 * It is apart because only here the beginnings and lengths of tokens matter. A new token, or one
 * that differs on a new GPU, is a row of a table here. The bytes are untrusted: an incomplete token
 * ends the stream, and bits that are no token are skipped. */
#include "trace_decoder/decoder.h"

#include <string.h>

/* ---- rows ---- */

/* ROW(name, type, prefix, bits of the prefix, bits of the token; then its fields, each with its
 * high and low bit). */
#define ROW(name, type, prefix, prefix_bits, bits, ...)                                            \
    {                                                                                              \
        name, DEC_##type, (prefix), (prefix_bits), (bits),                                         \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define DELTA(high, low)    [DEC_F_DELTA] = {(high), (low)}
#define F(field, high, low) [DEC_F_##field] = {(high), (low)}

/* Place of a wave: array, SIMD, unit, slot, which are adjacent except for unused bits. */
#define PLACE_GFX10(a) F(ARRAY, a, a), F(SIMD, (a) + 2, (a) + 1), F(UNIT, (a) + 5, (a) + 3)
#define PLACE_GFX12(a) F(ARRAY, a, a), F(SIMD, (a) + 2, (a) + 1), F(UNIT, (a) + 6, (a) + 3)

/* The tokens that all of these GPUs have. */
#define COMMON                                                                                     \
    ROW("PAD", PAD, 0x0, 4, 4, DELTA(0, 0)), ROW("HEADER", HEADER, 0x11, 7, 64, DELTA(0, 0)),      \
        ROW("TIME", TIME, 0x8, 4, 8, DELTA(7, 4)),                                                 \
        ROW("REG", WRITE, 0x9, 4, 64, DELTA(6, 4), F(PIPE, 8, 7), F(ENGINE, 10, 9),                \
            F(DROPPED, 11, 11), F(COMPUTE, 15, 15), F(ADDRESS, 31, 16), F(VALUE, 63, 32)),         \
        ROW("REG_INIT", LAUNCH, 0x71, 7, 64, DELTA(9, 7), F(PIPE, 15, 14), F(ENGINE, 17, 16),      \
            F(KIND, 19, 18), F(VALUE, 51, 20)),                                                    \
        ROW("EVENT", HAPPENED, 0x61, 8, 24, DELTA(10, 8), F(BOTTOM, 11, 11), F(PIPE, 15, 14),      \
            F(ENGINE, 17, 16), F(KIND, 23, 18)),                                                   \
        ROW("EVENT_SYNC", UNREPORTED, 0xe1, 8, 32, DELTA(10, 8)),                                  \
        ROW("MISC", STATE, 0x51, 7, 24, DELTA(15, 7), F(VALUE, 23, 16)),                           \
        ROW("VALU", VALU, 0x3, 3, 12, DELTA(5, 3), F(SLOT, 11, 7)),                                \
        ROW("IMMEDIATE_ONE", IMMEDIATE, 0xd, 4, 12, DELTA(6, 4), F(SLOT, 11, 7)),                  \
        ROW("IMMEDIATE", IMMEDIATES, 0x04, 5, 24, DELTA(7, 5), F(SLOTS, 23, 8)),                   \
        ROW("WAVE_READY", READY, 0x14, 5, 24, DELTA(7, 5), F(SLOTS, 23, 8)),                       \
        ROW("ALU_EXEC", UNREPORTED, 0xe, 4, 8, DELTA(5, 4)),                                       \
        ROW("VMEM_EXEC", UNREPORTED, 0xf, 4, 8, DELTA(5, 4))

/* Tokens that only gfx10 and gfx11 have in common. */
#define COMMON_GFX10                                                                               \
    ROW("INST", INSTRUCTION, 0x2, 3, 20, DELTA(6, 4), F(SLOT, 12, 8), F(KIND, 19, 13)),            \
        ROW("NEW_PC", GOES_TO, 0x21, 7, 64, DELTA(10, 8), F(SLOT, 15, 11), F(ADDRESS, 61, 16)),    \
        ROW("WAVE_START", BEGIN, 0x0c, 5, 32, DELTA(6, 5), PLACE_GFX10(7), F(SLOT, 17, 13),        \
            F(PIPE, 22, 21), F(ENGINE, 23, 23), F(LANES, 31, 25)),                                 \
        ROW("WAVE_START_EXT", BEGIN, 0x1c, 5, 48, DELTA(6, 5), PLACE_GFX10(7), F(SLOT, 17, 13),    \
            F(PIPE, 22, 21), F(ENGINE, 23, 23), F(LANES, 31, 25)),                                 \
        ROW("WAVE_ALLOC", UNREPORTED, 0x05, 5, 20, DELTA(7, 5)),                                   \
        ROW("WAVE_END", END, 0x15, 5, 20, DELTA(7, 5), PLACE_GFX10(8), F(SLOT, 19, 15)),           \
        ROW("SHADER_DATA", DATA, 0x06, 5, 52, DELTA(7, 5), PLACE_GFX10(8), F(MASKED, 14, 14),      \
            F(SLOT, 19, 15), F(VALUE, 51, 20)),                                                    \
        ROW("SHADER_DATA_SHORT", DATA_SHORT, 0x16, 5, 28, DELTA(7, 5), PLACE_GFX10(8),             \
            F(MASKED, 14, 14), F(SLOT, 19, 15), F(VALUE, 27, 20))

const dec_row_t dec_rows_gfx10[] = {
    COMMON,
    COMMON_GFX10,
    ROW("TIMESTAMP", STAMP, 0x01, 7, 64, F(KIND, 15, 14), F(VALUE, 63, 16)),
    ROW("UTIL_COUNTER", UNREPORTED, 0x31, 7, 64, DELTA(8, 7)),
    {0},
};

const dec_row_t dec_rows_gfx11[] = {
    COMMON,
    COMMON_GFX10,
    ROW("TIMESTAMP", STAMP, 0x01, 7, 48, F(KIND, 9, 8), F(VALUE, 47, 12)),
    ROW("UTIL_COUNTER", UNREPORTED, 0x31, 7, 48, DELTA(8, 7)),
    {0},
};

const dec_row_t dec_rows_gfx12[] = {
    COMMON,
    ROW("TIMESTAMP", STAMP, 0x01, 7, 64, F(KIND, 8, 7), F(VALUE, 63, 12)),
    ROW("UTIL_COUNTER", UNREPORTED, 0x31, 7, 48, DELTA(8, 7)),
    ROW("INST", INSTRUCTION, 0x2, 3, 20, DELTA(5, 3), F(SLOT, 11, 7), F(KIND, 19, 12)),
    /* eight bits of the address are after the first 64 bits; no address needs them */
    ROW("NEW_PC", GOES_TO, 0x21, 7, 72, DELTA(10, 8), F(SLOT, 15, 11), F(ADDRESS, 61, 16)),
    ROW("WAVE_START", BEGIN, 0x0c, 5, 32, DELTA(6, 5), PLACE_GFX12(7), F(SLOT, 19, 15),
        F(PIPE, 21, 20), F(ENGINE, 22, 22), F(LANES, 31, 25)),
    ROW("WAVE_START_EXT", BEGIN_LONG, 0x1c, 5, 40, DELTA(6, 5), PLACE_GFX12(7), F(SLOT, 19, 15),
        F(PIPE, 21, 20), F(ENGINE, 22, 22), F(LANES, 31, 25), F(UNGROUPED, 32, 32),
        F(GROUP, 37, 33)),
    ROW("WAVE_ALLOC", UNREPORTED, 0x05, 5, 24, DELTA(7, 5)),
    ROW("WAVE_END", END, 0x15, 5, 20, DELTA(7, 5), PLACE_GFX12(8), F(SLOT, 19, 15)),
    ROW("SHADER_DATA", DATA, 0x06, 7, 56, DELTA(9, 7), PLACE_GFX12(10), F(SLOT, 21, 17),
        F(VALUE, 53, 22), F(PRIVILEGED, 55, 54)),
    ROW("SHADER_DATA_SHORT", DATA_SHORT, 0x46, 7, 32, DELTA(9, 7), PLACE_GFX12(10), F(SLOT, 21, 17),
        F(VALUE, 29, 22), F(PRIVILEGED, 31, 30)),
    ROW("EXEC_COUNT_1", UNREPORTED, 0x66, 7, 24, DELTA(9, 7)),
    ROW("EXEC_COUNT_3", UNREPORTED, 0x16, 6, 48, DELTA(8, 6)),
    {0},
};

/* The words that follow a WAVE_START_EXT of gfx12, as long as the lowest bit is set; and a row for
 * unknown bits. */
static const dec_row_t more = {.name = "WAVE_START_MORE", .type = DEC_MORE, .bits = 8},
                       unknown = {.name = "UNKNOWN", .type = DEC_UNKNOWN, .bits = 4};

/* ---- reading ---- */

enum { BYTE = 8, WORD = 64, PREFIXES = 256 };

void dec_packed_begin(dec_packed_stream_t *s, const dec_format_t *format, const uint8_t *data,
                      uint64_t size)
{
    *s = (dec_packed_stream_t){.format = format, .data = data, .size = size * BYTE};
    for (size_t i = 0; format->rows[i].name; i++)
        for (unsigned first = format->rows[i].prefix; first < PREFIXES;
             first += 1u << format->rows[i].prefix_bits)
            s->look[first] = (uint8_t)(i + 1);
}

/* Returns the 64 bits from bit `at` on; those after the end are 0. */
static uint64_t window(const dec_packed_stream_t *s)
{
    const uint64_t byte = s->at / BYTE, left = s->size / BYTE - byte;
    const unsigned shift = (unsigned)(s->at % BYTE);
    uint64_t word = 0;
    memcpy(&word, s->data + byte, left < sizeof word ? left : sizeof word);
    if (!shift) return word;
    const uint64_t above = left > sizeof word ? s->data[byte + sizeof word] : 0;
    return word >> shift | above << (WORD - shift);
}

static const dec_row_t *row_of(const dec_packed_stream_t *s, uint64_t word)
{
    if (s->more && word & 1) return &more;
    const uint8_t index = s->look[word % PREFIXES];
    return index ? &s->format->rows[index - 1] : &unknown;
}

dec_stamp_t dec_packed_stamp(const dec_format_t *format, const dec_packed_t *token)
{
    return (dec_stamp_t)format->stamps[dec_field(token, DEC_F_KIND)];
}

/* Returns the clocks that have passed before the token. */
static uint64_t passed(const dec_format_t *format, const dec_packed_t *token)
{
    enum { TIME_LEAST = 4 /* clocks of a TIME token; other tokens report fewer */ };
    const dec_packed_type_t type = token->row->type;
    if (type == DEC_STAMP) {
        const dec_stamp_t stamp = dec_packed_stamp(format, token);
        return stamp == DEC_STAMP_TIME || stamp == DEC_STAMP_LOST ? dec_field(token, DEC_F_VALUE)
                                                                  : 0;
    }
    return dec_field(token, DEC_F_DELTA) + (type == DEC_TIME ? TIME_LEAST : 0);
}

bool dec_packed_next(dec_packed_stream_t *s, dec_packed_t *token)
{
    /* later than any trace, so that adding cycles to a time cannot overflow */
    const int64_t last = INT64_MAX / 4;
    if (s->at >= s->size) return false;
    *token = (dec_packed_t){.bits = window(s), .at = s->at};
    token->row = row_of(s, token->bits);
    if (token->row->bits > s->size - s->at) return false;
    if (token->row->bits < WORD) token->bits &= (UINT64_C(1) << token->row->bits) - 1;
    s->at += token->row->bits;
    if (token->row->type != DEC_MORE && token->row->type != DEC_PAD)
        s->more = token->row->type == DEC_BEGIN_LONG;
    const uint64_t clocks = passed(s->format, token);
    s->now = clocks < (uint64_t)(last - s->now) ? s->now + (int64_t)clocks : last;
    token->time = s->now;
    return true;
}
