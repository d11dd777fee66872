/* cut.c - cuts a range out of a part of a long trace, as a trace of its own.
 *
 * It is apart from scan.c because it writes: the word before the trace, tokens that set the
 * registers as they were before the range, and the unchanged range. */
#include "trace_decoder/decoder.h"

/* ---- writing ---- */

/* Writes while there is room, and counts all bits, so that the caller gets the size needed. */
typedef struct {
    const dec_format_t *format;
    uint8_t *out;
    uint64_t bits, room; /* `room` is in bytes */
} writer_t;

enum { BYTE = 8, NIBBLE = 4, WORD = 64 };

/* Appends bits; the lengths of all tokens are multiples of half a byte. */
static void put(writer_t *w, uint64_t value, unsigned bits)
{
    for (; bits; bits -= NIBBLE, value >>= NIBBLE, w->bits += NIBBLE) {
        const uint64_t byte = w->bits / BYTE;
        if (byte >= w->room) continue;
        if (w->bits % BYTE)
            w->out[byte] = (uint8_t)(w->out[byte] | (value & 15) << NIBBLE);
        else
            w->out[byte] = value & 15;
    }
}

static void put_range(writer_t *w, const uint8_t *data, uint64_t begin, uint64_t end)
{
    for (uint64_t at = begin; at < end; at += NIBBLE)
        put(w, data[at / BYTE] >> at % BYTE, NIBBLE);
}

static const dec_row_t *row_of(const dec_format_t *format, dec_packed_type_t type)
{
    const dec_row_t *row = format->rows;
    while (row->type != type)
        row++;
    return row;
}

/* Writes a token of gfx10 or later for the write of a register. */
static void put_write(writer_t *w, const dec_write_t *write)
{
    const dec_row_t *row = row_of(w->format, DEC_WRITE);
    const struct {
        dec_field_t field;
        uint64_t value;
    } fields[] = {{DEC_F_ENGINE, write->engine},
                  {DEC_F_PIPE, write->pipe},
                  {DEC_F_COMPUTE, write->compute},
                  {DEC_F_ADDRESS, write->number},
                  {DEC_F_VALUE, write->word}};
    uint64_t token = row->prefix;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        token |= fields[i].value << row->fields[fields[i].field].low;
    put(w, token, row->bits);
}

static void put_mark(writer_t *w, uint32_t word)
{
    enum { USERDATA_2 = 0xc342 };
    const uint64_t token =
        DEC_REG | 1u << 7 | 3u << 10 | 1u << 15 | (uint64_t)USERDATA_2 << 16 | (uint64_t)word << 32;
    if (w->format->bytes)
        put(w, token, WORD);
    else
        put_write(w, &(dec_write_t){.number = USERDATA_2, .word = word});
}

static void put_register(writer_t *w, unsigned engine, unsigned pipe, unsigned number,
                         uint32_t value)
{
    enum { BITS = 48 };
    const uint64_t raw_engine = engine ? 0 : 1;
    const uint64_t token = DEC_REG_CS | (uint64_t)pipe << 5 | raw_engine << 7 |
                           (uint64_t)number << 9 | (uint64_t)value << 16;
    if (w->format->bytes)
        put(w, token, BITS);
    else
        put_write(w, &(dec_write_t){.engine = (uint8_t)engine,
                                    .pipe = (uint8_t)pipe,
                                    .compute = true,
                                    .number = (uint16_t)number,
                                    .word = value});
}

static void put_ranges(writer_t *w, const dec_registers_t *r)
{
    enum { FIELD = 4, TAIL = 0, BEFORE = 2 };
    static const uint32_t fields[] = {1, 4, 2, 3, 5, 6}; /* sizes, addresses, ids */
    for (size_t i = 0; i < r->range_count; i++) {
        const dec_range_t *range = &r->ranges[i];
        if (!range->loaded) continue;
        const uint32_t words[] = {(uint32_t)range->size,    (uint32_t)(range->size >> 32),
                                  (uint32_t)range->address, (uint32_t)(range->address >> 32),
                                  (uint32_t)range->id,      (uint32_t)(range->id >> 32)};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
            put_mark(w, FIELD | fields[k] << 8);
            put_mark(w, words[k]);
        }
        put_mark(w, FIELD | TAIL << 8);
        put_mark(w, BEFORE);
    }
}

/* Writes tokens that set the registers, as if they had just been written. */
static void put_state(writer_t *w, const dec_registers_t *r)
{
    enum { OP_AGENT = 6 };
    const uint32_t start = 0x434f5200, version = 524801;
    if (r->rocm) {
        put_mark(w, start);
        put_mark(w, version);
        put_mark(w, OP_AGENT | (uint32_t)(r->clock_hertz / 1000) << 12);
        put_mark(w, OP_AGENT | 1 << 8 | (uint32_t)r->counter_interval << 12);
        put_ranges(w, r);
    }
    for (unsigned i = 0; i < DEC_ENGINES * DEC_PIPES; i++) {
        const unsigned engine = i / DEC_PIPES, pipe = i % DEC_PIPES;
        const dec_pipe_t *p = &r->pipe[engine][pipe];
        const struct {
            unsigned number;
            uint32_t value;
        } values[] = {{0x07, p->threads[0]},
                      {0x08, p->threads[1]},
                      {0x09, p->threads[2]},
                      {0x0e, (uint32_t)p->packet},
                      {0x0f, (uint32_t)(p->packet >> 32)},
                      {0x0c, (uint32_t)(p->entry >> 8)},
                      {0x0d, (uint32_t)(p->entry >> 40)},
                      {0x12, p->rsrc1},
                      {0x13, p->rsrc2}};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            if (values[k].value) put_register(w, engine, pipe, values[k].number, values[k].value);
    }
}

static void put_header(writer_t *w, const dec_header_t *h)
{
    const uint64_t of_bytes = 0x11 | (uint64_t)h->format->version << 13 | 0xfu << 16 |
                              (uint64_t)h->unit << 20 | (uint64_t)h->engine << 26;
    put(w, h->format->bytes ? of_bytes : h->word, WORD);
}

/* ---- the range ---- */

/* The tokens of either kind of stream, one after the other, with their positions. */
typedef struct {
    const dec_format_t *format;
    dec_stream_t bytes;
    dec_packed_stream_t packed;
} walk_t;

/* Returns where the next token begins, in bits. */
static uint64_t place_of(const walk_t *w)
{
    return w->format->bytes ? w->bytes.at * BYTE : w->packed.at;
}

/* Passes over a token, and applies its register write. Returns false if there is no token. */
static bool step(walk_t *w, dec_registers_t *registers, dec_status_t *status)
{
    uint64_t value;
    dec_token_t token;
    dec_packed_t packed;
    dec_change_t change = DEC_NOTHING;
    if (w->format->bytes) {
        if (!dec_stream_next(&w->bytes, &token)) return false;
        change = dec_registers_take(registers, &token, &value);
    } else {
        if (!dec_packed_next(&w->packed, &packed)) return false;
        const dec_write_t write = dec_packed_write(&packed);
        if (packed.row->type == DEC_WRITE) change = dec_registers_write(registers, &write, &value);
    }
    if (change == DEC_LOST_MEMORY) *status = DEC_NO_MEMORY;
    return *status == DEC_SUCCESS;
}

/* Goes to the first token that begins in the byte `to`, or to the end. */
static dec_status_t go_to(walk_t *w, uint64_t to, dec_registers_t *registers)
{
    dec_status_t status = DEC_SUCCESS;
    while (place_of(w) / BYTE < to && step(w, registers, &status)) {
    }
    if (status == DEC_SUCCESS && place_of(w) / BYTE != to) status = DEC_INVALID;
    return status;
}

dec_status_t dec_cut(const dec_chunk_t *chunk, const uint8_t *data, uint64_t begin, uint64_t end,
                     uint8_t *out, uint64_t *size)
{
    dec_registers_t before, behind;
    walk_t walk = {.format = chunk->header.format};
    uint64_t first = 0;
    dec_status_t status = dec_registers_copy(&before, &chunk->before);
    if (walk.format->bytes)
        walk.bytes = dec_chunk_stream(chunk, data, end);
    else
        dec_packed_begin(&walk.packed, walk.format, data, chunk->size);
    if (status == DEC_SUCCESS) status = go_to(&walk, begin, &before);
    if (status == DEC_SUCCESS) first = place_of(&walk);
    if (status == DEC_SUCCESS) status = dec_registers_copy(&behind, &before);
    if (status == DEC_SUCCESS) {
        status = go_to(&walk, end, &behind);
        dec_registers_free(&behind);
    }
    if (status == DEC_SUCCESS) {
        writer_t w = {.format = walk.format, .out = out, .room = out ? *size : 0};
        put_header(&w, &chunk->header);
        put_state(&w, &before);
        put_range(&w, data, first, place_of(&walk));
        *size = (w.bits + BYTE - 1) / BYTE;
        if (*size > w.room) status = DEC_NO_MEMORY;
    }
    dec_registers_free(&before);
    return status;
}
