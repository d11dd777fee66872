/* waves_gfx10.c - the history of a wave of gfx10 and later, from the tokens of its slot:
 * instructions, stalls and states.
 *
 * A token stands for an instruction that was issued in its clock, and has its kind. WAVE_READY
 * means that a wave has an instruction that could be issued; until the instruction is issued, the
 * wave is stalled. The meaning of a token's kind is a row of a table here; stitch.c finds the
 * addresses of instructions when the wave is over. */
#include "trace_decoder/decoder.h"

#define CATEGORY(x) ROCPROFILER_THREAD_TRACE_DECODER_INST_##x
#define STATE(x)    ROCPROFILER_THREAD_TRACE_DECODER_WSTATE_##x

/* ---- kinds ---- */

#define KINDS(first, last, category, cycles)                                                       \
    {                                                                                              \
        first, last, CATEGORY(category), cycles, 0, 0                                              \
    }
#define KIND(number, category, cycles) KINDS(number, number, category, cycles)
#define RATED(number, cycles, rate)                                                                \
    {                                                                                              \
        number, number, CATEGORY(VALU), cycles, DEC_RATE_##rate, 0                                 \
    }
#define MEANS(number, category, meaning)                                                           \
    {                                                                                              \
        number, number, CATEGORY(category), 1, 0, DEC_KIND_##meaning                               \
    }
#define OTHERS(first, last, category, cycles)                                                      \
    {                                                                                              \
        first, last, CATEGORY(category), cycles, 0, DEC_KIND_OTHER                                 \
    }
#define NO_MORE                                                                                    \
    {                                                                                              \
        1, 0, 0, 0, 0, 0                                                                           \
    }

#define SCALAR                                                                                     \
    KIND(0, SALU, 1), KIND(1, SMEM, 1), KIND(2, SMEM, 1), KIND(3, JUMP, 1), KIND(4, NEXT, 1),      \
        MEANS(5, SALU, TO_PC), MEANS(6, CONTEXT, TRAP), KIND(7, SALU, 1), KIND(8, CONTEXT, 1),     \
        KIND(9, MESSAGE, 1), KIND(18, VALU, 1), MEANS(19, IMMED, BARRIER),                         \
        MEANS(117, CONTEXT, RETURN)
/* LDS: reads, writes of 1 to 5 cycles; buffers; samples, reads and writes of images */
#define MEMORY                                                                                     \
    KIND(41, LDS, 1), KINDS(42, 46, LDS, 1), KINDS(47, 48, VMEM, 1), KINDS(49, 54, VMEM, 1),       \
        KINDS(55, 66, VMEM, 1), KINDS(68, 71, VMEM, 1), KINDS(72, 78, VMEM, 2),                    \
        KINDS(103, 104, BVH, 8), KINDS(105, 106, BVH, 11), KIND(110, LDS, 1), KIND(111, LDS, 1)
/* flat; global, with the address in vector registers and a scalar one, or in vector registers */
#define GLOBAL_GFX11                                                                               \
    KIND(28, FLAT, 2), KINDS(29, 32, FLAT, 3), KINDS(33, 34, VMEM, 1), KINDS(35, 40, VMEM, 1)
#define OTHERS_GFX11 OTHERS(80, 84, LDS, 1), OTHERS(85, 89, FLAT, 2), OTHERS(119, 119, LDS, 6)
/* those that write the mask of lanes */
#define MASKS_GFX11 KIND(114, SALU, 1), KIND(115, VALU, 1), KIND(116, VALU, 2)

const dec_kind_t dec_kinds_gfx10[] = {
    SCALAR,
    MEMORY,
    KIND(10, VALU, 1),
    KIND(11, VALU, 4),
    RATED(12, 1, DOUBLE),
    RATED(13, 2, DOUBLE),
    RATED(14, 4, DOUBLE),
    RATED(15, 16, DOUBLE),
    RATED(16, 1, DOUBLE),
    RATED(17, 1, DOUBLE),
    KIND(30, FLAT, 1),
    KINDS(31, 34, FLAT, 2),
    KIND(35, VMEM, 1),
    KINDS(36, 40, VMEM, 1),
    /* unit and number of cycles are not known */
    {79, 102, CATEGORY(NONE), 0, 0, DEC_KIND_OTHER},
    KIND(112, SALU, 1),
    KIND(113, SALU, 1),
    NO_MORE,
};

const dec_kind_t dec_kinds_gfx11[] = {
    SCALAR,
    MEMORY,
    GLOBAL_GFX11,
    OTHERS_GFX11,
    MASKS_GFX11,
    RATED(10, 1, DOUBLE),
    KIND(11, VALU, 4),
    KIND(12, VALU, 1),
    KIND(13, VALU, 2),
    KIND(14, VALU, 4),
    RATED(15, 1, DOUBLE),
    KIND(16, VALU, 1),
    KIND(17, VALU, 1),
    OTHERS(90, 101, VMEM, 1),
    KIND(112, SALU, 1),
    KIND(113, SALU, 1),
    KIND(118, LDS, 6),
    NO_MORE,
};

const dec_kind_t dec_kinds_gfx12[] = {
    SCALAR,
    MEMORY,
    GLOBAL_GFX11,
    OTHERS_GFX11,
    MASKS_GFX11,
    KIND(10, VALU, 1),
    KIND(11, VALU, 4),
    KIND(12, VALU, 1),
    KIND(13, VALU, 2),
    KIND(14, VALU, 4),
    KIND(15, VALU, 16),
    KIND(118, BVH, 6),
    OTHERS(120, 120, LDS, 10),
    KIND(121, BVH, 10),
    KIND(122, MESSAGE, 1), /* a signal to a barrier */
    KIND(135, SALU, 1),    /* allocates registers; tries or releases a lock */
    KIND(136, SALU, 1),
    KIND(137, SALU, 1),
    KIND(138, MESSAGE, 1), /* joins a barrier */
    KIND(140, VALU, 8),    /* matrices */
    KIND(141, VALU, 16),
    KIND(142, VALU, 32),
    KIND(143, VALU, 64),
    RATED(146, 1, DOUBLE),
    RATED(147, 1, DERATED),
    KIND(150, SMEM, 1), /* prefetches of code and of constants */
    KIND(151, SMEM, 1),
    KIND(152, SALU, 3),
    KIND(153, VALU, 1),
    KIND(155, SALU, 2),
    KIND(156, SALU, 5),
    OTHERS(188, 221, VMEM, 1),
    KINDS(222, 255, VMEM, 1), /* stores of blocks */
    NO_MORE,
};

/* ---- states ---- */

/* Changes the wave's state from `time` on; an earlier time counts as now. */
static void become(dec_wave_t *w, int state, int64_t time)
{
    if (time > w->state_begin) {
        dec_wave_spend(w, w->state, time - w->state_begin);
        w->state_begin = time;
    }
    w->state = state;
}

static int64_t end_of(const dec_inst_t *i)
{
    return i->time + i->duration;
}

/* Ends the wait at a barrier, if that was the wave's last instruction: it has waited there until
 * now. */
static void leave_barrier(dec_wave_t *w, int64_t time)
{
    if (!w->at_barrier) return;
    w->at_barrier = false;
    dec_inst_t *i = &w->insts[w->inst_count - 1];
    become(w, STATE(WAIT), end_of(i));
    become(w, STATE(EXEC), time + 1);
    i->category = CATEGORY(MESSAGE);
    i->duration = dec_cycles(time - i->time);
    if (i->stall > (uint32_t)i->duration) i->stall = dec_stall(i->duration) & 0xffffff;
}

/* ---- tokens ---- */

void dec_wave_ready(dec_wave_t *w, int64_t time)
{
    leave_barrier(w, time - 1);
    become(w, STATE(STALL), time);
}

/* Adds an instruction that was issued now: it begins when the wave has begun to stall for it. */
static void issue(dec_wave_t *w, unsigned category, int64_t cycles, int64_t time)
{
    const int64_t begin = w->state == STATE(STALL) && w->state_begin < time ? w->state_begin : time;
    dec_wave_add(w, begin, category, cycles + time - begin, time - begin);
    become(w, STATE(EXEC), time);
}

/* Adds an instruction that is complete when issued: the wave has waited for it since the end of the
 * instruction before. */
static void pass(dec_wave_t *w, int64_t time)
{
    int64_t begin = time;
    if (w->inst_count && end_of(&w->insts[w->inst_count - 1]) < time)
        begin = end_of(&w->insts[w->inst_count - 1]);
    dec_wave_add(w, begin, CATEGORY(IMMED), time - begin + 1, time - begin);
    become(w, STATE(WAIT), begin);
    become(w, STATE(EXEC), time + 1);
}

void dec_wave_immediate(dec_wave_t *w, int64_t time)
{
    leave_barrier(w, time);
    if (w->trap == DEC_RUNS) pass(w, time);
}

/* The wave has returned from the trap handler, to an address in a later token. */
static void come_back(dec_wave_t *w, int64_t time)
{
    dec_wave_enter(w, w->inst_count, 0);
    w->trap = DEC_RUNS;
    dec_inst_t *i = w->inst_count ? &w->insts[w->inst_count - 1] : NULL;
    if (i && i->category == CATEGORY(CONTEXT) && time >= end_of(i))
        i->duration = dec_cycles(time + 1 - i->time);
}

void dec_wave_run(dec_wave_t *w, const dec_kind_t *kind, int64_t cycles, bool barrier_long,
                  int64_t time)
{
    leave_barrier(w, time);
    if (kind->meaning == DEC_KIND_RETURN) {
        come_back(w, time);
        return;
    }
    if (w->trap != DEC_RUNS) return;
    switch (kind->meaning) {
    case DEC_KIND_TRAP:
        dec_wave_add(w, time, CATEGORY(CONTEXT), 1, 0);
        w->trap = DEC_TRAP_READY;
        w->was_trapped = true;
        return;
    case DEC_KIND_BARRIER:
        pass(w, time);
        w->at_barrier = barrier_long && w->inst_count;
        return;
    default: issue(w, kind->category, cycles, time);
    }
    if (kind->meaning == DEC_KIND_TO_PC) dec_wave_enter(w, w->inst_count, 0);
}

void dec_wave_go(dec_wave_t *w, int64_t time, uint64_t address)
{
    leave_barrier(w, time);
    dec_wave_pc(w, address);
}

/* ---- contexts ---- */

static void count_context(dec_wave_t *w)
{
    if (w->contexts < UINT8_MAX) w->contexts++;
    w->trap = DEC_TRAP_READY;
    w->was_trapped = true;
    w->at_barrier = false;
}

void dec_wave_save(dec_wave_t *w, int64_t time)
{
    count_context(w);
    dec_wave_add(w, time, CATEGORY(CONTEXT), 1, 0);
}

void dec_wave_restore(dec_wave_t *w, int64_t time)
{
    dec_inst_t *i = w->inst_count ? &w->insts[w->inst_count - 1] : NULL;
    count_context(w);
    if (i && i->category == CATEGORY(CONTEXT) && time >= end_of(i))
        i->duration = dec_cycles(time + 1 - i->time);
}

/* The wave's s_endpgm has no token: it fills the time between the last instruction and the wave's
 * end. */
void dec_wave_finish(dec_wave_t *w, int64_t time)
{
    become(w, STATE(EMPTY), time);
    w->end = time;
    w->over = true;
    w->at_barrier = false;
    if (!w->inst_count || w->trap != DEC_RUNS) return;
    const int64_t last = end_of(&w->insts[w->inst_count - 1]);
    if (last < time) dec_wave_add(w, last, CATEGORY(MESSAGE), time - last, 0);
}
