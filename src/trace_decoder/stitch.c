/* stitch.c - finds the addresses of a wave's instructions, by walking along the code and the trace
 * together.
 *
 * The trace has the kind of each instruction, whether branches were taken, and the targets of jumps
 * through registers; the rest follows from the code. It is apart because it is the only part that
 * guesses. If the code's next instruction does not fit the trace, instructions are skipped that the
 * hardware may leave out of traces. If that does not help, the following instructions get no
 * address until the trace has one. */
#include "trace_decoder/decoder.h"

#define CATEGORY(x) ROCPROFILER_THREAD_TRACE_DECODER_INST_##x

static bool fits(const dec_inst_t *i, const dec_line_t *line, const dec_format_t *format)
{
    /* without active lanes the instruction is skipped, which some GPUs report by an immediate
     * token */
    if (format->skips_told && i->category == CATEGORY(IMMED) &&
        line->kind >= DEC_LINE_SKIPS_FIRST && line->kind <= DEC_LINE_SKIPS_LAST)
        return true;
    switch (line->kind) {
    case DEC_LINE_SMEM: return i->category == CATEGORY(SMEM);
    case DEC_LINE_SALU: return i->category == CATEGORY(SALU);
    /* tokens follow encodings: global and scratch memory have the FLAT encoding */
    case DEC_LINE_VMEM: return i->category == CATEGORY(VMEM) || i->category == CATEGORY(FLAT);
    case DEC_LINE_FLAT: return i->category == CATEGORY(FLAT);
    case DEC_LINE_LDS: /* ray tracing's stack is in LDS */
        return i->category == CATEGORY(LDS) || i->category == CATEGORY(BVH);
    case DEC_LINE_BVH: return i->category == CATEGORY(BVH) || i->category == CATEGORY(VMEM);
    case DEC_LINE_VALU: return i->category == CATEGORY(VALU);
    case DEC_LINE_BRANCH: return i->category == CATEGORY(NEXT) || i->category == CATEGORY(JUMP);
    case DEC_LINE_IMMEDIATE: return i->category == CATEGORY(IMMED);
    case DEC_LINE_MESSAGE:
    case DEC_LINE_BARRIER:
        return i->category == CATEGORY(IMMED) || i->category == CATEGORY(MESSAGE);
    default: return false;
    }
}

typedef struct {
    dec_wave_t *wave;
    dec_code_t *code;
    const dec_registers_t *registers;
    bool barriers_missing;
    bool no_memory;
} walk_t;

static bool line_at(walk_t *w, dec_pc_t pc, dec_line_t *line)
{
    const dec_line_t *found = dec_code_at(w->code, pc);
    if (!found) {
        w->no_memory = true;
        return false;
    }
    *line = *found;
    return line->known;
}

static bool next_line(walk_t *w, dec_line_t *line)
{
    return line_at(w, (dec_pc_t){line->next, line->pc.code_object_id}, line);
}

static bool passable(const dec_line_t *line)
{
    return line->kind == DEC_LINE_UNKNOWN || (line->kind == DEC_LINE_IMMEDIATE && !line->wait);
}

/* Swaps the categories of two tokens if then both fit: tokens of two instructions issued one after
 * the other to different units may be in reverse order. */
static bool fits_swapped(walk_t *w, size_t index, const dec_line_t *line)
{
    dec_inst_t *i = &w->wave->insts[index];
    dec_line_t next = *line;
    const dec_format_t *format = w->registers->format;
    if (!format->swaps || index + 1 >= w->wave->inst_count || line->kind == DEC_LINE_BRANCH)
        return false;
    if (i->category == CATEGORY(IMMED) || i[1].category == CATEGORY(IMMED)) return false;
    if (!fits(i + 1, line, format) || !next_line(w, &next) || !fits(i, &next, format)) return false;
    const uint32_t category = i->category;
    i->category = i[1].category;
    i[1].category = category & 255;
    return true;
}

/* Returns whether an instruction that waits at a barrier has left an immediate token, although such
 * tokens are left out: it has if there are more immediate tokens here than immediate instructions
 * follow in the code. */
static bool has_waited(walk_t *w, size_t index, const dec_line_t *line)
{
    enum { AHEAD_MAX = 16 };
    size_t tokens = 0, lines = 0;
    dec_line_t next = *line;
    while (index + tokens < w->wave->inst_count && tokens < AHEAD_MAX &&
           w->wave->insts[index + tokens].category == CATEGORY(IMMED))
        tokens++;
    for (int passed = 0; passed < AHEAD_MAX && next_line(w, &next); passed++) {
        if (next.kind == DEC_LINE_UNKNOWN) continue;
        if (next.kind != DEC_LINE_IMMEDIATE) break;
        lines += !next.meets;
    }
    return tokens > lines;
}

/* Moves `line` forward to an instruction of the code that fits; returns false if there is none. */
static bool match(walk_t *w, size_t index, dec_line_t *line)
{
    enum { PASSED_MAX = 64 };
    const dec_inst_t *i = &w->wave->insts[index];
    for (int passed = 0; passed < PASSED_MAX; passed++) {
        const bool absent = line->meets && w->barriers_missing && !has_waited(w, index, line);
        if (!absent && (fits(i, line, w->registers->format) || fits_swapped(w, index, line)))
            return true;
        if ((!absent && !passable(line)) || !next_line(w, line)) return false;
    }
    return false;
}

/* Returns the index of the last token of a barrier, which may leave two: a message when the wave
 * arrives, and another at the barrier's end. */
static size_t barrier_end(dec_wave_t *w, size_t index, const dec_line_t *line,
                          const dec_format_t *format)
{
    if (!format->barrier_twice || line->kind != DEC_LINE_BARRIER ||
        w->insts[index].category != CATEGORY(MESSAGE) || index + 1 >= w->inst_count ||
        w->insts[index + 1].category != CATEGORY(IMMED))
        return index;
    w->insts[index + 1].pc = line->pc;
    return index + 1;
}

/* Accounts for the scales of a matrix instruction of gfx950, which it loads first. That takes 4
 * clocks and has no token of its own: the instruction begins earlier, if the wave was idle then, or
 * else lasts longer as far as there is room. AMD's decoder does the same. */
static void load_scales(dec_wave_t *w, size_t index)
{
    enum { LOAD = 4 };
    dec_inst_t *i = &w->insts[index];
    const int64_t before = index ? i[-1].time + i[-1].duration : w->begin,
                  behind = index + 1 < w->inst_count ? i[1].time : w->end;
    const bool early = i->time > before;
    if (early) i->time -= LOAD;
    if (early || i->time + i->duration + LOAD <= behind) i->duration += LOAD;
    if (early && i->time + i->duration < behind) i->duration += LOAD;
}

static bool follow(walk_t *w, const dec_inst_t *i, dec_line_t *line)
{
    if (line->kind == DEC_LINE_BRANCH && i->category == CATEGORY(JUMP))
        return line->targeted &&
               line_at(w, (dec_pc_t){line->target, line->pc.code_object_id}, line);
    return next_line(w, line);
}

/* Removes entries that turned out not to be instructions. */
static void compact(dec_wave_t *w)
{
    size_t kept = 0, entry = 0;
    for (size_t i = 0; i < w->inst_count; i++) {
        for (; entry < w->entry_count && w->entries[entry].index <= i; entry++)
            w->entries[entry].index = kept;
        if (w->insts[i].category != DEC_GONE) w->insts[kept++] = w->insts[i];
    }
    for (; entry < w->entry_count; entry++)
        w->entries[entry].index = kept;
    w->inst_count = kept;
}

size_t dec_stitch(dec_wave_t *wave, dec_code_t *code, const dec_registers_t *registers,
                  bool barriers_missing)
{
    walk_t w = {
        .wave = wave, .code = code, .registers = registers, .barriers_missing = barriers_missing};
    dec_line_t line = {0};
    bool placed = false;
    size_t entry = 0, missing = 0;
    compact(wave);
    for (size_t i = 0; i < wave->inst_count && !w.no_memory; i++) {
        while (entry < wave->entry_count && wave->entries[entry].index <= i) {
            const uint64_t address = wave->entries[entry++].address;
            placed = address && line_at(&w, dec_place(registers, address), &line);
        }
        dec_inst_t *inst = &wave->insts[i];
        if (inst->category == CATEGORY(CONTEXT)) continue;
        if (inst->category == DEC_OPEN) inst->category = CATEGORY(NONE);
        placed = placed && match(&w, i, &line);
        if (!placed) {
            missing++;
            continue;
        }
        inst->pc = line.pc;
        if (line.scaled) load_scales(wave, i);
        const size_t last = barrier_end(wave, i, &line, registers->format);
        placed = follow(&w, inst, &line);
        i = last;
    }
    return w.no_memory ? SIZE_MAX : missing;
}
