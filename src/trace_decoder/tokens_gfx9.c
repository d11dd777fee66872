/* tokens_gfx9.c - the stream of gfx9: tokens of 2 to 8 bytes, and when each was written.
 *
 * It is apart because only here the lengths of tokens and the rules of time matter. The bytes are
 * untrusted: an incomplete token ends the stream. */
#include "trace_decoder/decoder.h"

#include <string.h>

static const uint8_t lengths[16] = {2, 8, 8, 4, 2, 6, 2, 2, 2, 2, 2, 8, 6, 4, 8, 6};

enum { CYCLES = 4 /* CYCLES: the unit of a token's time difference */ };

static bool read(const dec_stream_t *s, uint64_t at, dec_token_t *token)
{
    if (at >= s->size) return false;
    const unsigned type = s->data[at] & 15;
    if (s->size - at < lengths[type]) return false;
    *token = (dec_token_t){.at = at, .type = (dec_type_t)type};
    memcpy(&token->bits, s->data + at, lengths[type]);
    return true;
}

static bool is_reset(const dec_token_t *t)
{
    return t->type == DEC_MISC && dec_bits(t->bits, 15, 13) == DEC_MISC_RESET;
}

/* Handles a reset: the time is then that of the next timestamp, which may follow other tokens. The
 * trace's first timestamp counts as 4 clocks after the time at the reset; it determines `base`,
 * which is subtracted from all others. */
static void reset(dec_stream_t *s)
{
    dec_token_t ahead;
    for (uint64_t at = s->at; read(s, at, &ahead) && !is_reset(&ahead); at += lengths[ahead.type]) {
        if (ahead.type != DEC_TIMESTAMP) continue;
        const int64_t stamp = (int64_t)dec_bits(ahead.bits, 63, 16);
        if (!s->based) s->base = stamp - s->now + CYCLES;
        s->based = true;
        if (stamp > s->base) s->now = (stamp - s->base) & ~INT64_C(3);
        return;
    }
}

bool dec_stream_next(dec_stream_t *s, dec_token_t *token)
{
    if (!read(s, s->at, token)) return false;
    s->at += lengths[token->type];
    if (token->type == DEC_MISC)
        s->now += CYCLES * (int64_t)dec_bits(token->bits, 11, 4);
    else if (token->type != DEC_TIMESTAMP)
        s->now += CYCLES * (int64_t)dec_bits(token->bits, 4, 4);
    if (!s->untimed && is_reset(token)) reset(s);
    token->time = s->now;
    return true;
}
