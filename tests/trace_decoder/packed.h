/* packed.h - thread traces of gfx10, gfx11 and gfx12 made by hand: each function writes one token.
 *
 * Bits are written here as docs/att.md has them, without what the decoder knows. A token's first
 * argument behind the stream is the time since the token before. */
#ifndef TESTS_TRACE_DECODER_PACKED_H
#define TESTS_TRACE_DECODER_PACKED_H

#include "stream.h"

#include <stdint.h>
#include <string.h>

typedef struct {
    stream_t s;
    uint64_t bits;
    unsigned generation; /* 10, 11 or 12 */
} packed_t;

/* Where a wave is. */
typedef struct {
    unsigned array, unit, simd, slot;
} where_t;

static inline void bits(packed_t *p, uint64_t token, unsigned count)
{
    for (unsigned i = 0; i < count; i++, p->bits++)
        p->s.bytes[p->bits / 8] |= (uint8_t)((i < 64 ? token >> i & 1 : 0) << p->bits % 8);
    p->s.size = (p->bits + 7) / 8;
}

/* The first token: the traced SIMD and unit. `more`: other bits of it. */
static inline void begin(packed_t *p, unsigned generation, where_t w, uint64_t more)
{
    const uint64_t version = generation == 10 ? 2 : generation == 11 ? 3 : 4;
    memset(p, 0, sizeof *p);
    p->generation = generation;
    bits(p, 0x11 | version << 7 | w.simd << 13 | w.unit << 15 | w.array << 19 | more, 64);
}

static inline void pad(packed_t *p)
{
    bits(p, 0, 4);
}

/* 4 to 19 clocks. */
static inline void wait_for(packed_t *p, unsigned clocks)
{
    bits(p, 8 | (clocks - 4) << 4, 8);
}

/* A time stamp: clocks that have passed; with `lost`, some tokens before it were. */
static inline void passed(packed_t *p, uint64_t clocks, unsigned lost)
{
    switch (p->generation) {
    case 10: bits(p, 1 | 1u << 14 | clocks << 16, 64); break; /* tells no losses */
    case 11: bits(p, 1 | lost << 8 | clocks << 12, 48); break;
    default: bits(p, 1 | lost << 8 | clocks << 12, 64);
    }
}

/* A time stamp: the GPU's clock. */
static inline void real(packed_t *p, uint64_t clock)
{
    switch (p->generation) {
    case 10: bits(p, 1 | 2u << 14 | clock << 16, 64); break;
    case 11: bits(p, 1 | 1u << 9 | clock << 12, 48); break;
    default: bits(p, 1 | 1u << 7 | clock << 12, 64);
    }
}

/* Of the first engine's pipe. */
static inline void reg(packed_t *p, unsigned delta, unsigned pipe, unsigned compute,
                       unsigned address, uint32_t word)
{
    bits(p,
         9 | delta << 4 | pipe << 7 | compute << 15 | (uint64_t)address << 16 |
             (uint64_t)word << 32,
         64);
}

/* A marker; on gfx10 with the bit of compute registers. */
static inline void user_mark(packed_t *p, uint32_t word)
{
    reg(p, 0, 0, p->generation == 10, 0xc342, word);
}

static inline void mark_field(packed_t *p, unsigned field, uint32_t word)
{
    user_mark(p, 4 | field << 8);
    user_mark(p, word);
}

static inline void mark_object(packed_t *p, uint32_t id, uint64_t address, uint64_t size)
{
    user_mark(p, 0x434f5200);
    user_mark(p, 524801);
    mark_field(p, 2, (uint32_t)address);
    mark_field(p, 3, (uint32_t)(address >> 32));
    mark_field(p, 1, (uint32_t)size);
    mark_field(p, 4, (uint32_t)(size >> 32));
    mark_field(p, 0, id << 2);
}

static inline void entry(packed_t *p, unsigned pipe, uint64_t address)
{
    reg(p, 0, pipe, 1, 0x0c, (uint32_t)(address >> 8));
    reg(p, 0, pipe, 1, 0x0d, (uint32_t)(address >> 40));
}

/* Of waves of 32 lanes, or of 64. */
static inline void dispatch(packed_t *p, unsigned delta, unsigned pipe, unsigned lanes)
{
    bits(p, 0x71 | delta << 7 | pipe << 14 | 2u << 18 | 1u << 20 | (uint64_t)(lanes == 32) << 35,
         64);
}

static inline void event_token(packed_t *p, unsigned delta, unsigned pipe, unsigned number,
                               unsigned bottom)
{
    bits(p, 0x61 | delta << 8 | bottom << 11 | pipe << 14 | number << 18, 24);
}

static inline void misc_bits(packed_t *p, unsigned delta, unsigned what)
{
    bits(p, 0x51 | delta << 7 | what << 16, 24);
}

/* What a start says of lanes: all 32, all 64; or that a context was saved, or restored. */
enum { LANES_32 = 96 + 31, LANES_64 = 63, SAVED = 66, RESTORED = 68 };

static inline void starts(packed_t *p, unsigned delta, where_t w, unsigned pipe, unsigned lanes)
{
    if (p->generation == 12)
        bits(p,
             0x0c | delta << 5 | w.array << 7 | w.simd << 8 | w.unit << 10 | w.slot << 15 |
                 pipe << 20 | (uint64_t)lanes << 25,
             32);
    else
        bits(p,
             0x0c | delta << 5 | w.array << 7 | w.simd << 8 | w.unit << 10 | w.slot << 13 |
                 pipe << 21 | (uint64_t)lanes << 25,
             32);
}

static inline void ends(packed_t *p, unsigned delta, where_t w)
{
    bits(p, 0x15 | delta << 5 | w.array << 8 | w.simd << 9 | w.unit << 11 | w.slot << 15, 20);
}

static inline void inst_kind(packed_t *p, unsigned delta, unsigned slot, unsigned kind)
{
    if (p->generation == 12)
        bits(p, 2 | delta << 3 | slot << 7 | kind << 12, 20);
    else
        bits(p, 2 | delta << 4 | slot << 8 | kind << 13, 20);
}

static inline void valu(packed_t *p, unsigned delta, unsigned slot)
{
    bits(p, 3 | delta << 3 | slot << 7, 12);
}

static inline void immed(packed_t *p, unsigned delta, unsigned slot)
{
    bits(p, 13 | delta << 4 | slot << 7, 12);
}

static inline void immeds(packed_t *p, unsigned delta, unsigned slots)
{
    bits(p, 4 | delta << 5 | slots << 8, 24);
}

static inline void readies(packed_t *p, unsigned delta, unsigned slots)
{
    bits(p, 0x14 | delta << 5 | slots << 8, 24);
}

static inline void goes_to(packed_t *p, unsigned delta, unsigned slot, uint64_t address)
{
    const uint64_t token = 0x21 | delta << 8 | slot << 11 | address / 4 << 16;
    bits(p, token, p->generation == 12 ? 72 : 64);
}

static inline void data_token(packed_t *p, unsigned delta, where_t w, uint32_t word)
{
    if (p->generation == 12)
        bits(p,
             0x06 | delta << 7 | w.array << 10 | w.simd << 11 | w.unit << 13 | w.slot << 17 |
                 (uint64_t)word << 22,
             56);
    else
        bits(p,
             0x06 | delta << 5 | w.array << 8 | w.simd << 9 | w.unit << 11 | w.slot << 15 |
                 (uint64_t)word << 20,
             52);
}

static inline void data_short(packed_t *p, unsigned delta, where_t w, uint32_t byte, unsigned more)
{
    if (p->generation == 12)
        bits(p,
             0x46 | delta << 7 | w.array << 10 | w.simd << 11 | w.unit << 13 | w.slot << 17 |
                 byte << 22 | more << 30,
             32);
    else
        bits(p,
             0x16 | delta << 5 | w.array << 8 | w.simd << 9 | w.unit << 11 | more << 14 |
                 w.slot << 15 | byte << 20,
             28);
}

#endif
