/* proto.h - protobuf's wire format, written forwards into one growing buffer.
 *
 * Apart because it knows nothing of traces. The length of a nested message is a varint of fixed
 * width, filled in when the message ends, which every decoder reads. Lack of memory is kept in
 * `failed`; until it is looked at all calls are harmless. */
#ifndef CROCPROF_OUTPUT_PROTO_H
#define CROCPROF_OUTPUT_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint8_t *data;
    size_t used, room;
    bool failed;
} proto_t;

enum {
    PROTO_VARINT = 0,
    PROTO_FIXED64 = 1,
    PROTO_BYTES = 2,
    PROTO_NUMBER_MAX = 20, /* bytes of a field with a number */
    PROTO_LENGTH_BYTES = 4 /* of a nested message: up to 2^28 - 1 bytes */
};

/* Room for `bytes` more. */
static inline bool proto_room(proto_t *p, size_t bytes)
{
    if (__builtin_expect(p->room - p->used >= bytes, 1)) return true;
    size_t room = p->room ? p->room : 4096;
    while (room - p->used < bytes)
        room *= 2;
    uint8_t *data = p->failed ? NULL : realloc(p->data, room);
    if (!data) {
        p->failed = true;
        return false;
    }
    p->data = data;
    p->room = room;
    return true;
}

static inline uint8_t *proto_put_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static inline void proto_number(proto_t *p, uint32_t field, uint64_t value)
{
    if (!proto_room(p, PROTO_NUMBER_MAX)) return;
    uint8_t *at = proto_put_varint(p->data + p->used, field << 3 | PROTO_VARINT);
    p->used = (size_t)(proto_put_varint(at, value) - p->data);
}

static inline void proto_fixed64(proto_t *p, uint32_t field, uint64_t value)
{
    if (!proto_room(p, PROTO_NUMBER_MAX)) return;
    uint8_t *at = proto_put_varint(p->data + p->used, field << 3 | PROTO_FIXED64);
    memcpy(at, &value, sizeof(value)); /* little endian, as this machine is */
    p->used = (size_t)(at + sizeof(value) - p->data);
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

/* Begins a nested message; what is returned is for proto_end. */
static inline size_t proto_begin(proto_t *p, uint32_t field)
{
    if (!proto_room(p, PROTO_NUMBER_MAX)) return 0;
    uint8_t *at = proto_put_varint(p->data + p->used, field << 3 | PROTO_BYTES);
    p->used = (size_t)(at + PROTO_LENGTH_BYTES - p->data);
    return p->used;
}

static inline void proto_end(proto_t *p, size_t begun)
{
    if (p->failed) return;
    size_t bytes = p->used - begun;
    uint8_t *at = p->data + begun - PROTO_LENGTH_BYTES;
    for (int i = 0; i < PROTO_LENGTH_BYTES; i++, bytes >>= 7)
        at[i] = (uint8_t)((bytes & 0x7f) | (i + 1 < PROTO_LENGTH_BYTES ? 0x80 : 0));
}

#endif
