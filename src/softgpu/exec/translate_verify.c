/* translate_verify.c - SOFTGPU_TRANSLATE=verify: runs a loop or a stretch of code translated, from
 * one of its entries on, and interpreted, and compares the results.
 *
 * The only handlers that such code calls are those of vector instructions and of loads from LDS,
 * for lanes that a segment leaves to them (translate_rest.c). These handlers change neither memory
 * nor LDS, and do not stop the wave, so that a copy of the wave can run the code again. What is
 * compared is all that such instructions change: vector and scalar registers, SCC, MODE, where the
 * wave goes on, its slice, why it has stopped, whether it has loaded from LDS (lds.h), and counts
 * by buckets. */
#include "softgpu/exec/translate_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 120 /* bytes of the text that names a difference */ };

/* A wave, its registers, and what counts its instructions. */
typedef struct {
    isa_wave_t wave;
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    isa_counter_t counter;
} copy_t;

static void copy_wave(copy_t *c, const isa_wave_t *w)
{
    c->wave = *w;
    memcpy(c->rows, w->vgpr, sizeof c->rows);
    c->wave.vgpr = c->rows;
    if (!w->counter) return;
    c->counter = *w->counter;
    c->wave.counter = &c->counter;
}

/* The first sum in which two counters differ, as text; false if they are the same. What is counted
 * of some accesses alone is no part of it: these are calls. */
static bool count_differently(char *text, size_t room, const isa_counter_t *a,
                              const isa_counter_t *b)
{
    for (unsigned k = 0; k < 2 * ISA_BUCKETS; k++)
        if (a->runs[k] != b->runs[k] || a->lanes[k] != b->lanes[k]) {
            snprintf(text, room,
                     "bucket %u: %" PRIu64 " runs, %" PRIu64 " lanes, not %" PRIu64 ", %" PRIu64, k,
                     a->runs[k], a->lanes[k], b->runs[k], b->lanes[k]);
            return true;
        }
    return false;
}

/* The first register in which two waves differ, as text; false if they are the same. */
static bool differ(char *text, size_t room, const isa_wave_t *a, const isa_wave_t *b)
{
    for (unsigned r = 0; r < ISA_VGPR_ROWS; r++)
        for (unsigned l = 0; l < ISA_LANES; l++)
            if (a->vgpr[r][l] != b->vgpr[r][l]) {
                snprintf(text, room, "v%u lane %u: %08x, not %08x", r, l, a->vgpr[r][l],
                         b->vgpr[r][l]);
                return true;
            }
    for (unsigned s = 0; s < ISA_SCALARS; s++)
        if (a->sgpr[s] != b->sgpr[s]) {
            snprintf(text, room, "s%u: %08x, not %08x", s, a->sgpr[s], b->sgpr[s]);
            return true;
        }
    if (a->scc == b->scc && a->mode == b->mode && a->ip == b->ip && a->budget == b->budget &&
        a->stop == b->stop && a->lds_turn == b->lds_turn)
        return a->counter && count_differently(text, room, a->counter, b->counter);
    snprintf(text, room, "SCC %u, MODE %x, slice %d, stop %u, LDS %u", a->scc, a->mode,
             (int)a->budget, a->stop, a->lds_turn);
    return true;
}

static void interpret(isa_wave_t *w, uint64_t n)
{
    while (n--) {
        const isa_inst_t *i = w->ip;
        w->ip = i + i->dwords;
        if (w->counter) isa_count(w->counter, w, i);
        isa_own_handler(w->page, i)(w, i);
    }
}

/* Finds the last of n instructions that changes the state in which translated code differs; `what`
 * names that state. */
static const isa_inst_t *find(copy_t *again, const isa_wave_t *before, uint64_t n,
                              const isa_wave_t *translated, const char *what)
{
    char now[TEXT], then[TEXT];
    const isa_inst_t *found = before->ip;
    copy_wave(again, before);
    snprintf(then, sizeof then, "%s", what);
    while (n--) {
        const isa_inst_t *i = again->wave.ip;
        interpret(&again->wave, 1);
        if (!differ(now, sizeof now, translated, &again->wave)) now[0] = '\0';
        if (strcmp(now, then)) found = i;
        memcpy(then, now, sizeof then);
    }
    return found;
}

uint64_t isa_translate_verify(isa_wave_t *w, const isa_inst_t *head, isa_translated_t *run,
                              uint32_t entry)
{
    char text[TEXT];
    copy_t *before = aligned_alloc(64, sizeof *before), *other = aligned_alloc(64, sizeof *other);

    if (!before || !other) {
        free(before);
        free(other);
        return run(w, entry);
    }
    w->ip = head;
    copy_wave(before, w);
    const uint64_t n = run(w, entry);
    if (w->counter) isa_counter_settle(w->counter);
    copy_wave(other, &before->wave);
    interpret(&other->wave, n);
    if (differ(text, sizeof text, w, &other->wave)) {
        const isa_inst_t *i = find(other, &before->wave, n, w, text);
        isa_stop_unsupported(w, i, text);
    }
    free(before);
    free(other);
    return n;
}
