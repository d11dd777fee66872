/* waves_gfx9.c - the history of a wave of gfx9, from the tokens of its slot: instructions, stalls
 * and states.
 *
 * An ISSUE token means that an instruction was issued; some clocks later an INST token has its
 * kind, in the order of issue. An instruction that is complete when issued has no INST token.
 * stitch.c finds the addresses of instructions when the wave is over. */
#include "trace_decoder/decoder.h"

#include <stdlib.h>

#include "base/grow.h"

enum { CYCLE = 4 };
enum { ISSUE_STALLED = 1, ISSUE_INST = 2, ISSUE_IMMEDIATE = 3 };
enum { CONTEXTS_MAX = 255, STALL_MAX = (1 << 24) - 1 };

#define CATEGORY(x) ROCPROFILER_THREAD_TRACE_DECODER_INST_##x
#define STATE(x)    ROCPROFILER_THREAD_TRACE_DECODER_WSTATE_##x

enum {
    KIND_PC = 7,
    KIND_REPLAY_FIRST = 19,
    KIND_REPLAY_LAST = 24,
    KIND_TRAP = 29,
};

/* Indexed by the kind in an INST token. `delay`: delay of the token, in quarters of CYCLE; whole
 * CYCLEs of it are subtracted from the time. */
static const struct {
    uint8_t category, delay;
} kinds[32] = {
    [0] = {CATEGORY(SMEM), 5},     [1] = {CATEGORY(SALU), 5},
    [2] = {CATEGORY(VMEM), 0},     [3] = {CATEGORY(VMEM), 0},
    [4] = {CATEGORY(FLAT), 0},     [5] = {CATEGORY(VALU), 2},
    [6] = {CATEGORY(LDS), 1},      [KIND_PC] = {CATEGORY(SALU), 0},
    [8] = {CATEGORY(LDS), 1},      [12] = {CATEGORY(JUMP), 1},
    [13] = {CATEGORY(NEXT), 1},    [14] = {CATEGORY(FLAT), 0},
    [15] = {CATEGORY(MESSAGE), 1}, [16] = {CATEGORY(SMEM), 5},
    [17] = {CATEGORY(SALU), 5},    [18] = {CATEGORY(VALU), 2},
    [28] = {CATEGORY(VALU), 2},    [KIND_TRAP] = {CATEGORY(CONTEXT), 0},
};

/* Indexed by kind - KIND_REPLAY_FIRST: the kind of instruction that such a token replays. */
static const uint8_t replays[] = {0, 16, 2, 3, 14, 4};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- states ---- */

/* Subtracts cycles from the last state if it is `state`. */
static void take_state(dec_wave_t *w, int state, int64_t cycles)
{
    dec_state_t *last = w->state_count ? &w->states[w->state_count - 1] : NULL;
    if (!last || last->type != state) return;
    last->duration = dec_cycles(last->duration - cycles);
    if (!last->duration) w->state_count--;
}

/* ---- tokens ---- */

/* Cuts an instruction, which ends at the latest when the next one begins. */
static void cut_before(dec_inst_t *i, int64_t time)
{
    if (time >= i->time + i->duration) return;
    i->duration = dec_cycles(later(time - i->time, CYCLE));
    if (i->stall > (uint32_t)i->duration) i->stall = (uint32_t)i->duration & STALL_MAX;
}

/* Adds an instruction that is complete when issued, such as s_waitcnt: the wave has waited for it
 * since the end of the instruction before. */
static void immediate(dec_wave_t *w, int64_t time)
{
    int64_t begin = time;
    if (w->inst_count && w->insts[w->inst_count - 1].category != DEC_OPEN) {
        dec_inst_t *last = &w->insts[w->inst_count - 1];
        cut_before(last, time);
        if (last->time + last->duration < time) begin = last->time + last->duration;
    }
    const int64_t cycles = CYCLE + time - begin;
    dec_wave_add(w, begin, CATEGORY(IMMED), cycles, cycles);
    dec_wave_spend(w, w->state, begin - w->state_begin);
    dec_wave_spend(w, STATE(WAIT), cycles);
    w->state_begin = begin + cycles;
    w->state = STATE(EXEC);
}

void dec_wave_issue(dec_wave_t *w, unsigned code, int64_t time)
{
    const int state = w->state;
    if (w->trap != DEC_RUNS) return;
    if (code == ISSUE_IMMEDIATE) {
        immediate(w, time);
        return;
    }
    if (code == ISSUE_STALLED) {
        w->state = STATE(STALL);
        if (BASE_GROW(w->stalls, w->stall_count, &w->stall_room))
            w->stalls[w->stall_count++] = time;
        else
            w->lost = true;
    } else if (code == ISSUE_INST) {
        w->state = STATE(EXEC);
        if (!BASE_GROW(w->issued, w->issued_count, &w->issued_room))
            w->lost = true;
        else if (dec_wave_add(w, time, DEC_OPEN, 0, 0))
            w->issued[w->issued_count++] = w->inst_count - 1;
    }
    dec_wave_spend(w, state, time - w->state_begin);
    w->state_begin = later(time, w->state_begin);
}

/* Handles a replay token: the memory instruction has lasted until now. The replay itself is not an
 * instruction. */
static void replay(dec_wave_t *w, size_t index, unsigned kind, int64_t time)
{
    size_t *of = &w->last_of[replays[kind - KIND_REPLAY_FIRST]];
    if (*of && *of - 1 < index) {
        dec_inst_t *i = &w->insts[*of - 1];
        const int32_t before = i->duration;
        i->duration = dec_cycles(later(before, time + CYCLE - i->time));
        i->stall = dec_stall((int64_t)i->stall + i->duration - before) & STALL_MAX;
    }
    *of = 0;
}

/* Assigns stalls that began before the instruction was issued to it: it begins with the last of
 * them, but not before the end of the instruction before. */
static void take_stalls(dec_wave_t *w, size_t index)
{
    dec_inst_t *i = &w->insts[index];
    int64_t begin = INT64_MIN;
    int64_t before = index ? w->insts[index - 1].time + w->insts[index - 1].duration : 0;
    for (; w->stall_first < w->stall_count && w->stalls[w->stall_first] < i->time; w->stall_first++)
        begin = later(w->stalls[w->stall_first], before);
    if (begin == INT64_MIN || begin > i->time) return;
    if (w->stall_first == w->stall_count) w->stall_first = w->stall_count = 0;
    i->stall = dec_stall(i->time - begin) & STALL_MAX;
    i->duration = dec_cycles(later(i->time + i->duration - begin, CYCLE));
    i->time = begin;
}

void dec_wave_inst(dec_wave_t *w, unsigned kind, int64_t time, unsigned *phase)
{
    enum { PHASES = 4 };
    if (w->trap == DEC_TRAP_RETURNS && kind == KIND_PC) {
        dec_wave_enter(w, w->inst_count, 0); /* an INST_PC token with the address follows */
        w->trap = DEC_RUNS;
        if (w->inst_count && w->insts[w->inst_count - 1].category == CATEGORY(CONTEXT)) {
            dec_inst_t *trap = &w->insts[w->inst_count - 1];
            trap->duration = dec_cycles(time + CYCLE - trap->time);
        }
        return;
    }
    if (w->trap != DEC_RUNS || w->issued_first == w->issued_count) return;
    const size_t index = w->issued[w->issued_first++];
    if (w->issued_first == w->issued_count) w->issued_first = w->issued_count = 0;
    dec_inst_t *i = &w->insts[index];
    if (w->inst_count >= 2) {
        const dec_inst_t *last = &w->insts[w->inst_count - 2];
        if (i->time < last->time + last->duration) ++*phase;
    }
    if (index) cut_before(&w->insts[index - 1], i->time);
    if (kind >= KIND_REPLAY_FIRST && kind <= KIND_REPLAY_LAST) {
        replay(w, index, kind, time);
        i->category = DEC_GONE;
        return;
    }
    if (!kinds[kind].category) { /* kinds of graphics, and unknown ones */
        i->category = DEC_GONE;
        return;
    }
    w->last_of[kind] = index + 1;
    i->category = kinds[kind].category;
    const int64_t late = (((int64_t)*phase + w->simd) % PHASES + kinds[kind].delay) / PHASES;
    i->duration = dec_cycles(CYCLE + later(time - i->time - CYCLE * late, 0));
    if (kind == KIND_PC) dec_wave_enter(w, index + 1, 0);
    if (kind == KIND_TRAP) {
        w->trap = DEC_TRAP_RETURNS;
        w->was_trapped = true;
    }
    take_stalls(w, index);
}

void dec_wave_context(dec_wave_t *w, int64_t time)
{
    if (w->trap == DEC_TRAP_ASKED) {
        if (w->contexts < CONTEXTS_MAX) w->contexts++;
        w->trap = DEC_TRAP_READY;
        w->was_trapped = true;
        dec_wave_add(w, time, CATEGORY(CONTEXT), CYCLE, 0);
    } else if (w->trap == DEC_TRAP_READY) {
        w->trap = DEC_TRAP_RETURNS;
    }
}

/* Sets the times of the wave's last message, its s_endpgm. It begins where the instruction before
 * ends, or where the wave began to stall. It ends CYCLE after its issue, however late the token
 * with its kind is. */
static void end_message(dec_wave_t *w)
{
    dec_inst_t *i = w->inst_count ? &w->insts[w->inst_count - 1] : NULL;
    if (!i || i->category != CATEGORY(MESSAGE)) return;
    const int64_t issued = i->time + i->stall;
    size_t n = w->inst_count - 1;
    while (n && w->insts[n - 1].category == DEC_GONE)
        n--;
    if (n && !i->stall && w->insts[n - 1].category != DEC_OPEN) {
        const int64_t begin = w->insts[n - 1].time + w->insts[n - 1].duration;
        if (begin < i->time) i->time = begin;
    }
    i->duration = dec_cycles(issued + CYCLE - i->time);
    if (i->stall) {
        dec_wave_spend(w, STATE(STALL), CYCLE);
    } else {
        take_state(w, STATE(EXEC), issued - i->time);
        dec_wave_spend(w, STATE(WAIT), i->duration);
    }
    w->state_begin = issued + CYCLE;
}

void dec_wave_end(dec_wave_t *w, int64_t time)
{
    w->over = true;
    w->end = time;
    if (!w->inst_count || !w->state_count) return;
    end_message(w);
    dec_wave_spend(w, STATE(IDLE), w->end - w->state_begin);
}
