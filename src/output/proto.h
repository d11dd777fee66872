/* proto.h - protobuf's wire format, written forwards into one growing buffer.
 *
 * It does not depend on traces. The length of a nested message is a varint of fixed width, which
 * every decoder accepts; it is filled in when the message ends. Lack of memory is noted in
 * `failed`; calls after that have no effect. */
#ifndef CROCPROF_OUTPUT_PROTO_H
#define CROCPROF_OUTPUT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/round.h"

typedef struct {
    uint8_t *data;
    size_t used, room;
    bool failed;
} proto_t;

enum {
    PROTO_VARINT = 0,
    PROTO_FIXED64 = 1,
    PROTO_BYTES = 2,
    PROTO_VARINT_MAX = 10,
    PROTO_NUMBER_MAX = 20, /* most bytes of a field with a number */
    PROTO_LENGTH_BYTES = 4 /* width of a nested message's length: enough for 2^28 - 1 bytes */
};

/* Makes room for `bytes` more. */
static inline bool proto_room(proto_t *p, size_t bytes)
{
    if (__builtin_expect(p->room - p->used >= bytes, 1)) return true;
    /* In whole pages: with them malloc() copies the bytes less often than with room of any size. */
    const size_t room = base_round_up(p->used + bytes, 4096);
    p->failed = p->failed || !BASE_RESERVE(p->data, room, &p->room);
    return !p->failed;
}

/* Spreads up to 56 bits into groups of seven bits, each in a byte of its own. */
static inline uint64_t proto_spread(uint64_t value)
{
    value = (value & 0x000000000fffffff) | (value & 0x00fffffff0000000) << 4;
    value = (value & 0x00003fff00003fff) | (value & 0x0fffc0000fffc000) << 2;
    return (value & 0x007f007f007f007f) | (value & 0x3f803f803f803f80) << 1;
}

/* Writes a varint. May overwrite PROTO_VARINT_MAX bytes, however short the number is. */
static inline uint8_t *proto_put_varint(uint8_t *at, uint64_t value)
{
    if (__builtin_expect(value >> 56, 0)) {
        for (; value >= 0x80; value >>= 7)
            *at++ = (uint8_t)(value | 0x80);
        *at = (uint8_t)value;
        return at + 1;
    }
    /* The number of bytes with the continuation bit. */
    unsigned more = (63u - (unsigned)__builtin_clzll(value | 1)) / 7;
    uint64_t bytes = proto_spread(value) | (0x8080808080808080 & ((UINT64_C(1) << 8 * more) - 1));
    memcpy(at, &bytes, sizeof(bytes)); /* the host is little-endian */
    return at + more + 1;
}

/* Writes a varint in exactly `bytes` bytes, at most eight, even if the number needs fewer. */
static inline void proto_put_wide(uint8_t *at, size_t bytes, uint64_t value)
{
    value = proto_spread(value) | (0x8080808080808080 & ((UINT64_C(1) << 8 * (bytes - 1)) - 1));
    memcpy(at, &value, bytes);
}

static inline uint8_t *proto_put_number(uint8_t *at, uint32_t field, uint64_t value)
{
    return proto_put_varint(proto_put_varint(at, field << 3 | PROTO_VARINT), value);
}

static inline void proto_number(proto_t *p, uint32_t field, uint64_t value)
{
    if (!proto_room(p, PROTO_NUMBER_MAX)) return;
    p->used = (size_t)(proto_put_number(p->data + p->used, field, value) - p->data);
}

/* A few short fields that are encoded once and written repeatedly. */
typedef struct {
    uint8_t data[3 * PROTO_NUMBER_MAX / 2]; /* proto_put_varint may overwrite more than it uses */
    uint8_t used;
} proto_fields_t;

static inline void proto_add_field(proto_fields_t *f, uint32_t field, uint64_t value)
{
    f->used = (uint8_t)(proto_put_number(f->data + f->used, field, value) - f->data);
}

static inline uint8_t *proto_put_fields(uint8_t *at, const proto_fields_t *f)
{
    /* copying all bytes is faster, since the size is constant */
    memcpy(at, f->data, sizeof(f->data));
    return at + f->used;
}

static inline void proto_copy(proto_t *p, const proto_fields_t *f)
{
    if (!proto_room(p, sizeof(f->data))) return;
    p->used = (size_t)(proto_put_fields(p->data + p->used, f) - p->data);
}

static inline uint8_t *proto_put_fixed64(uint8_t *at, uint32_t field, uint64_t value)
{
    at = proto_put_varint(at, field << 3 | PROTO_FIXED64);
    memcpy(at, &value, sizeof(value)); /* the host is little-endian */
    return at + sizeof(value);
}

static inline void proto_fixed64(proto_t *p, uint32_t field, uint64_t value)
{
    if (!proto_room(p, PROTO_NUMBER_MAX)) return;
    p->used = (size_t)(proto_put_fixed64(p->data + p->used, field, value) - p->data);
}

static inline void proto_double(proto_t *p, uint32_t field, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    proto_fixed64(p, field, bits);
}

static inline void proto_text(proto_t *p, uint32_t field, const char *text)
{
    size_t bytes = strlen(text);
    if (!proto_room(p, PROTO_NUMBER_MAX + bytes)) return;
    uint8_t *at = proto_put_varint(p->data + p->used, field << 3 | PROTO_BYTES);
    at = proto_put_varint(at, bytes);
    memcpy(at, text, bytes);
    p->used = (size_t)(at + bytes - p->data);
}

static inline uint8_t *proto_put_begin(uint8_t *at, uint32_t field)
{
    return proto_put_varint(at, field << 3 | PROTO_BYTES) + PROTO_LENGTH_BYTES;
}

/* Begins a nested message; the result is to be passed to proto_end. */
static inline size_t proto_begin(proto_t *p, uint32_t field)
{
    if (!proto_room(p, PROTO_NUMBER_MAX)) return 0;
    p->used = (size_t)(proto_put_begin(p->data + p->used, field) - p->data);
    return p->used;
}

static inline void proto_put_length(uint8_t *begun, size_t bytes)
{
    proto_put_wide(begun - PROTO_LENGTH_BYTES, PROTO_LENGTH_BYTES, bytes);
}

static inline void proto_end(proto_t *p, size_t begun)
{
    if (!p->failed) proto_put_length(p->data + begun, p->used - begun);
}

#endif
