/* waves.c - the data of a wave: lists of its instructions, states and places.
 *
 * It is apart because waves of all GPUs have the same lists; waves_gfx9.c and waves_gfx10.c fill
 * them in from tokens. A list that cannot grow marks the wave as lost. */
#include "trace_decoder/decoder.h"

#include <stdlib.h>

#include "base/grow.h"

enum { STALL_MAX = (1 << 24) - 1 };

int32_t dec_cycles(int64_t cycles)
{
    return cycles > INT32_MAX ? INT32_MAX : cycles < 0 ? 0 : (int32_t)cycles;
}

uint32_t dec_stall(int64_t cycles)
{
    return cycles > STALL_MAX ? STALL_MAX : cycles < 0 ? 0 : (uint32_t)cycles & STALL_MAX;
}

bool dec_wave_add(dec_wave_t *w, int64_t time, unsigned category, int64_t cycles, int64_t stall)
{
    if (!BASE_GROW(w->insts, w->inst_count, &w->inst_room)) {
        w->lost = true;
        return false;
    }
    w->insts[w->inst_count++] = (dec_inst_t){.category = category & 255,
                                             .duration = dec_cycles(cycles),
                                             .time = time,
                                             .stall = dec_stall(stall) & STALL_MAX};
    return true;
}

void dec_wave_enter(dec_wave_t *w, size_t index, uint64_t address)
{
    if (!BASE_GROW(w->entries, w->entry_count, &w->entry_room)) {
        w->lost = true;
        return;
    }
    w->entries[w->entry_count++] = (dec_entry_t){index, address};
}

void dec_wave_spend(dec_wave_t *w, int state, int64_t cycles)
{
    if (cycles <= 0) return;
    if (w->state_count && w->states[w->state_count - 1].type == state) {
        dec_state_t *last = &w->states[w->state_count - 1];
        last->duration = dec_cycles((int64_t)last->duration + cycles);
        return;
    }
    if (!BASE_GROW(w->states, w->state_count, &w->state_room)) {
        w->lost = true;
        return;
    }
    w->states[w->state_count++] = (dec_state_t){state, dec_cycles(cycles)};
}

dec_wave_t *dec_wave_begin(uint8_t simd, uint8_t slot, int64_t time, uint64_t entry)
{
    dec_wave_t *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    w->simd = simd;
    w->slot = slot;
    w->begin = w->end = w->state_begin = time;
    w->state = ROCPROFILER_THREAD_TRACE_DECODER_WSTATE_IDLE;
    dec_wave_enter(w, 0, entry);
    w->entry_wants = w->entry_count;
    return w;
}

void dec_wave_free(dec_wave_t *w)
{
    if (!w) return;
    free(w->insts);
    free(w->issued);
    free(w->stalls);
    free(w->entries);
    free(w->states);
    free(w);
}

void dec_wave_pc(dec_wave_t *w, uint64_t address)
{
    if (w->trap != DEC_RUNS) return;
    while (w->entry_wants < w->entry_count && w->entries[w->entry_wants].address)
        w->entry_wants++;
    if (w->entry_wants == w->entry_count) dec_wave_enter(w, w->inst_count, 0);
    if (w->entry_wants < w->entry_count) w->entries[w->entry_wants++].address = address;
}
