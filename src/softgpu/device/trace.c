/* trace.c - the lines of --trace: each executed instruction and the registers it has changed.
 *
 * After each instruction the wave's registers are compared with a copy from before it. So no table
 * of the registers that an instruction writes is needed, and no change can be missed. */
#include "softgpu/device/observe.h"

#include "base/zeros.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE_BYTES = 64 << 10, /* 32 rows of 64 values, which a matrix instruction writes, take 20 KB */
    LINE_END = 8           /* reserved for the end of a line that is too long */
};

typedef struct {
    uint32_t sgpr[ISA_SCALARS];
    uint32_t scc, mode;
    isa_row_t vgpr[ISA_VGPR_ROWS];
} copy_t;

struct sg_trace {
    size_t length;
    char line[LINE_BYTES];
    copy_t wave[ISA_GROUP_WAVES];
};

/* ---- text ---- */

static void text(sg_trace_t *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void text(sg_trace_t *t, const char *format, ...)
{
    size_t room = LINE_BYTES - LINE_END - t->length;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->line + t->length, room, format, args);
    va_end(args);
    t->length += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static void begin_line(sg_trace_t *t, const sg_box_t *b, const isa_wave_t *w)
{
    const sg_observed_t *o = b->run->observed;
    t->length = 0;
    text(t, "%s #%llu group %u,%u,%u wave %u ", o->kernel->name, (unsigned long long)o->packet,
         b->group.id[0], b->group.id[1], b->group.id[2], w->index_in_group);
}

static void end_line(sg_trace_t *t)
{
    if (t->length >= LINE_BYTES - LINE_END - 1) {
        memcpy(t->line + t->length, " ...", 4);
        t->length += 4;
    }
    t->line[t->length++] = '\n';
    sg_observe_write(t->line, t->length);
}

/* ---- registers ---- */

/* Writes a scalar register and its value. True if the register is half of a pair such as exec,
 * whose two registers are written together. */
static bool scalar_text(sg_trace_t *t, const isa_wave_t *w, unsigned code)
{
    static const struct {
        uint8_t code;
        const char *name;
    } pairs[] = {{ISA_CODE_FLAT_SCRATCH, "flat_scratch"},
                 {ISA_CODE_XNACK_MASK, "xnack_mask"},
                 {ISA_CODE_VCC, "vcc"},
                 {ISA_CODE_EXEC, "exec"}};
    for (unsigned k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (pairs[k].code == (code & ~1u)) {
            text(t, " %s=%08x%08x", pairs[k].name, w->sgpr[(code & ~1u) + 1], w->sgpr[code & ~1u]);
            return true;
        }
    if (code < ISA_CODE_FLAT_SCRATCH)
        text(t, " s%u=%08x", code, w->sgpr[code]);
    else if (code == ISA_CODE_M0)
        text(t, " m0=%08x", w->sgpr[code]);
    else if (code < ISA_CODE_M0)
        text(t, " ttmp%u=%08x", code - ISA_CODE_TTMP, w->sgpr[code]);
    return false;
}

/* Values of a row in the lanes of `mask`: one if all are the same, first and step if they grow
 * evenly from lane to lane, otherwise all of them. */
static void row_text(sg_trace_t *t, const uint32_t *row, uint64_t mask)
{
    unsigned first = (unsigned)__builtin_ctzll(mask);
    uint64_t rest = mask & (mask - 1);
    unsigned second = rest ? (unsigned)__builtin_ctzll(rest) : first;
    uint32_t step = 0;
    bool even = true;
    if (second != first) {
        uint32_t rise = row[second] - row[first];
        step = rise / (second - first);
        even = step * (second - first) == rise;
    }
    for (uint64_t left = rest; left && even; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctzll(left);
        even = row[l] == row[first] + step * (l - first);
    }
    if (even) {
        text(t, "%08x", row[first] - step * first);
        if (step) text(t, "%+d*lane", (int32_t)step);
        return;
    }
    for (uint64_t left = mask; left; left &= left - 1)
        text(t, "%s%08x", left == mask ? "[" : " ", row[__builtin_ctzll(left)]);
    text(t, "]");
}

static void vector_text(sg_trace_t *t, const isa_wave_t *w, unsigned row, uint64_t mask)
{
    const isa_vector_register_t v = isa_register_of_row(w, row);
    text(t, " %c%u=", v.file, v.number);
    row_text(t, w->vgpr[row], mask);
}

static uint64_t changed_lanes(const uint32_t *now, const uint32_t *old)
{
    uint64_t mask = 0;
    for (unsigned l = 0; l < ISA_LANES; l++)
        mask |= (uint64_t)(now[l] != old[l]) << l;
    return mask;
}

static void changes(sg_trace_t *t, const isa_wave_t *w, copy_t *old)
{
    const uint32_t rows = w->group->dispatch->n_vgpr;
    const uint64_t exec = old->sgpr[ISA_CODE_EXEC] | (uint64_t)old->sgpr[ISA_CODE_EXEC + 1] << 32;
    const uint64_t full = isa_dispatch_full(w->group->dispatch);
    size_t before = t->length;
    bool vector = false;

    text(t, " ;");
    for (unsigned code = 0; code < ISA_CODE_ZERO; code++) {
        if (w->sgpr[code] == old->sgpr[code]) continue;
        if (scalar_text(t, w, code)) /* a pair: the line has the change of the high half already */
            old->sgpr[code | 1] = w->sgpr[code | 1];
    }
    if (w->scc != old->scc) text(t, " scc=%u", w->scc);
    if (w->mode != old->mode) text(t, " mode=%06x", w->mode);
    for (unsigned row = 0; row < rows; row++) {
        if (!memcmp(w->vgpr[row], old->vgpr[row], sizeof(isa_row_t))) continue;
        const uint64_t mask = changed_lanes(w->vgpr[row], old->vgpr[row]) & full;
        memcpy(old->vgpr[row], w->vgpr[row], sizeof(isa_row_t));
        if (!mask) continue; /* lanes that the wave does not have */
        vector_text(t, w, row, mask & ~exec ? full : exec);
        vector = true;
    }
    if (vector && exec != full) text(t, " in lanes %016llx", (unsigned long long)exec);
    memcpy(old->sgpr, w->sgpr, sizeof old->sgpr);
    old->scc = w->scc;
    old->mode = w->mode;
    if (t->length == before + 2) t->length = before;
}

/* ---- the subscriber ---- */

static void why_stopped(sg_trace_t *t, const isa_wave_t *w)
{
    unsigned long long at = (unsigned long long)w->fault_addr;
    switch ((isa_stop_t)w->stop) {
    case ISA_STOP_MEMORY: text(t, " ; memory fault at 0x%llx", at); break;
    case ISA_STOP_ILLEGAL:
    case ISA_STOP_UNSUPPORTED: text(t, " ; %s", w->message); break;
    case ISA_STOP_TRAP: text(t, " ; trap %u", w->trap_id); break;
    default: break;
    }
}

/* Decodes the instruction at `pc` anew: in slots of the code cache, some registers have the numbers
 * of their places in the wave. False: its memory is gone, or holds something else now, which may
 * be seen by its opcode or length. */
static bool as_written(const sg_box_t *b, const isa_wave_t *w, uint64_t pc, const isa_inst_t *ran,
                       isa_inst_t *i)
{
    const isa_dispatch_t *d = w->group->dispatch;
    const unsigned lanes = isa_dispatch_full(d) >> 32 ? 64 : 32;
    uint32_t words[ISA_MAX_DWORDS];
    unsigned n = 0;
    for (; n < ISA_MAX_DWORDS; n++) {
        const void *code = sg_memory_host(b->run->device->memory, pc + 4 * n, sizeof *words, 0);
        if (!code) break;
        memcpy(&words[n], code, sizeof *words);
    }
    memset(i, 0, sizeof *i);
    return n && isa_decode_lanes(d->arch, lanes, words, n, i) > 0 && i->op == ran->op &&
           i->dwords == ran->dwords;
}

void sg_trace_instruction(sg_sight_t *s, const isa_wave_t *w, const isa_inst_t *i, uint64_t pc)
{
    sg_trace_t *t = s->trace;
    char assembly[256] = "(no instruction)";
    isa_inst_t written;
    if (i->op && as_written(s->box, w, pc, i, &written))
        isa_disassemble(w->group->dispatch->arch, &written, assembly, sizeof assembly);
    begin_line(t, s->box, w);
    text(t, "%llx: %s", (unsigned long long)pc, assembly);
    changes(t, w, &t->wave[w->index_in_group]);
    why_stopped(t, w);
    end_line(t);
}

enum { IDS = 5 }; /* SGPRs after the user registers: workgroup ids, info, scratch offset */

/* Clears the registers that no dispatch sets: a value that an earlier wave has left there would
 * hide a write of the same value. */
static void clear(const sg_box_t *b, isa_wave_t *w)
{
    for (unsigned code = b->run->n_user + IDS; code < ISA_CODE_FLAT_SCRATCH; code++)
        w->sgpr[code] = 0;
    for (uint32_t row = b->run->isa.last_id_row + 1; row < b->run->isa.n_vgpr; row++)
        memset(w->vgpr[row], 0, sizeof(isa_row_t));
}

static void start_line(sg_trace_t *t, const sg_box_t *b, const isa_wave_t *w)
{
    begin_line(t, b, w);
    text(t, "starts ; exec=%016llx", (unsigned long long)w->exec);
    for (unsigned code = 0; code < b->run->n_user + IDS; code++)
        scalar_text(t, w, code);
    if (w->exec) vector_text(t, w, 0, w->exec);
    end_line(t);
}

bool sg_trace_start(sg_sight_t *s)
{
    /* mapped, since it is large and pages that are never used cost nothing */
    if (!s->trace) s->trace = base_map_zeros(sizeof *s->trace);
    if (!s->trace) return false;
    for (unsigned i = 0; i < s->box->group.n_waves; i++) {
        isa_wave_t *w = s->box->wave[i];
        clear(s->box, w);
        copy_t *c = &s->trace->wave[i];
        memcpy(c->sgpr, w->sgpr, sizeof c->sgpr);
        memcpy(c->vgpr, w->vgpr, s->box->run->isa.n_vgpr * sizeof(isa_row_t));
        c->scc = w->scc;
        c->mode = w->mode;
        start_line(s->trace, s->box, w);
    }
    return true;
}

void sg_trace_free(sg_trace_t *t)
{
    if (t) munmap(t, sizeof *t);
}
