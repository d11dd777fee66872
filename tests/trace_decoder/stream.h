/* stream.h - thread traces made by hand: each function writes one token of gfx9.
 *
 * Bits are written here as the tables of the format have them, without what the decoder knows. */
#ifndef TESTS_TRACE_DECODER_STREAM_H
#define TESTS_TRACE_DECODER_STREAM_H

#include <stdint.h>
#include <string.h>

typedef struct {
    uint8_t bytes[8192];
    uint64_t size;
} stream_t;

static inline void put(stream_t *s, uint64_t token, unsigned bytes)
{
    memcpy(s->bytes + s->size, &token, bytes);
    s->size += bytes;
}

/* Compute unit 1 is traced, of shader engine 2. */
static inline void header(stream_t *s)
{
    s->size = 0;
    put(s, 0x11 | 4u << 13 | 15u << 16 | 1u << 20 | UINT64_C(2) << 26, 8);
}

/* Passes `units` of 4 clocks, at most 255. */
static inline void pass(stream_t *s, unsigned units)
{
    put(s, units << 4, 2);
}

static inline void misc(stream_t *s, unsigned type)
{
    put(s, type << 13, 2);
}

static inline void stamp(stream_t *s, uint64_t clock)
{
    put(s, 1 | clock << 16, 8);
}

static inline void user_data(stream_t *s, unsigned number, uint32_t word)
{
    put(s,
        2 | 1u << 7 | 3u << 10 | 1u << 15 | (uint64_t)(0xc340 + number) << 16 |
            (uint64_t)word << 32,
        8);
}

static inline void compute_register(stream_t *s, unsigned number, uint32_t word)
{
    put(s, 15 | 1u << 7 | (uint64_t)number << 9 | (uint64_t)word << 16, 6);
}

static inline void rocm(stream_t *s)
{
    user_data(s, 2, 0x434f5200);
    user_data(s, 2, 524801);
}

static inline void mark(stream_t *s, unsigned field, uint32_t word)
{
    user_data(s, 2, 4 | field << 8);
    user_data(s, 2, word);
}

static inline void code_object(stream_t *s, uint32_t id, uint64_t address, uint64_t size)
{
    mark(s, 2, (uint32_t)address);
    mark(s, 3, (uint32_t)(address >> 32));
    mark(s, 1, (uint32_t)size);
    mark(s, 4, (uint32_t)(size >> 32));
    mark(s, 0, id << 2);
}

static inline void kernel(stream_t *s, uint64_t entry)
{
    compute_register(s, 0x0c, (uint32_t)(entry >> 8));
    compute_register(s, 0x0d, (uint32_t)(entry >> 40));
    compute_register(s, 0x00, 1);
}

/* Of SIMD 0 to 3, slot 0 to 9. */
static inline void wave_start(stream_t *s, unsigned unit, unsigned simd, unsigned slot,
                              unsigned lanes)
{
    put(s, 3 | unit << 6 | slot << 10 | simd << 14 | lanes << 22, 4);
}

static inline void wave_end(stream_t *s, unsigned unit, unsigned simd, unsigned slot)
{
    put(s, 6 | unit << 6 | slot << 10 | simd << 14, 2);
}

enum { STALLED = 1, ISSUED = 2, IMMEDIATE = 3 };

static inline void issue(stream_t *s, unsigned simd, unsigned slot, unsigned code)
{
    put(s, 13 | simd << 5 | (uint64_t)code << (8 + 2 * slot), 4);
}

enum {
    SMEM_RD = 0,
    SALU_32 = 1,
    VMEM_RD = 2,
    FLAT_WR = 4,
    VALU_32 = 5,
    LDS = 6,
    SET_PC = 7,
    JUMP = 12,
    NEXT = 13,
    FLAT_RD = 14,
    MESSAGE = 15,
    VALU_64 = 18,
    REPLAY_FLAT_RD = 23,
    MATRIX = 28,
    TO_TRAP = 29
};

static inline void inst(stream_t *s, unsigned simd, unsigned slot, unsigned kind)
{
    put(s, 10 | slot << 5 | simd << 9 | kind << 11, 2);
}

static inline void inst_pc(stream_t *s, unsigned simd, unsigned slot, uint64_t address)
{
    put(s, 11 | slot << 5 | simd << 9 | address / 4 << 16, 8);
}

/* Of SIMD 0, slot 0: issued and told at once, or immediate; 4 clocks. */
static inline void run(stream_t *s, unsigned kind)
{
    pass(s, 1);
    issue(s, 0, 0, ISSUED);
    inst(s, 0, 0, kind);
}

static inline void immediate(stream_t *s)
{
    pass(s, 1);
    issue(s, 0, 0, IMMEDIATE);
}

#endif
