/* translate_emit.c - LLVM's assembly of planned code.
 *
 * Scalar registers are variables of the function, which LLVM keeps in the host's registers; they
 * are stored to the wave where the code is left, and for a handler those that it reads. Vector
 * instructions that follow each other are a segment: a loop over chunks of lanes, in which rows are
 * values. What is scalar in a segment stands before that loop. */
#include "softgpu/exec/translate_internal.h"
#include "softgpu/exec/translate_text.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SCALARS = ISA_CODE_EXEC + 2, /* registers with codes up to EXEC's, and SCC after them */
    SCC = SCALARS,
    MASKS = 32, /* lane masks that a segment writes, at most */
    ROW_BYTES = 4 * ISA_ROW,
    CALLS_AT_MOST = 96 /* instructions of a segment */
};

/* A lane mask that the segment has written: the variable that collects it, the chunk's bits. */
typedef struct {
    int reg;
    unsigned variable, bits;
} mask_t;

typedef struct {
    const isa_plan_t *plan;
    const isa_library_t *library;
    isa_text_t entry, code, tail; /* variables; the blocks; the ways out */
    isa_text_t before, inside;    /* the segment: before its loop over chunks, and in it */
    unsigned next;                /* number of the next value or label */
    unsigned counted;             /* instructions since the block's begin */
    bool used[SCALARS + 1], written[SCALARS + 1];
    /* the current segment */
    unsigned n;                  /* instructions */
    unsigned row[ISA_VGPR_ROWS]; /* the value of each row, 0: not loaded */
    bool changed[ISA_VGPR_ROWS]; /* the row has to be stored */
    unsigned base, lane;         /* the chunk's first lane: its address in row 0, its number */
    unsigned exec, exec_bits;    /* EXEC's value, its bits of the chunk; 0: none yet */
    unsigned n_masks;
    mask_t mask[MASKS];
} emitter_t;

static unsigned fresh(emitter_t *e)
{
    return ++e->next;
}

/* ---- addresses ---- */

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

#define AT_WAVE(member) (unsigned)offsetof(isa_wave_t, member)

/* Stores a constant of `bits` bits to a member of the wave. */
static void store_member(emitter_t *e, isa_text_t *t, unsigned offset, unsigned bits,
                         uint64_t value)
{
    const unsigned p = fresh(e);
    isa_put(t, "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n  store i%u %llu, ptr %%p%u\n", p,
            offset, bits, (unsigned long long)value, p);
}

static unsigned member_of(unsigned scalar)
{
    return scalar == SCC ? AT_WAVE(scc) : AT_WAVE(sgpr) + 4 * scalar;
}

/* ---- scalar registers: variables of the function ---- */

static unsigned read_scalar(emitter_t *e, isa_text_t *t, unsigned scalar)
{
    const unsigned v = fresh(e);
    e->used[scalar] = true;
    isa_put(t, "  %%t%u = load i32, ptr %%s%u\n", v, scalar);
    return v;
}

static void write_scalar(emitter_t *e, isa_text_t *t, unsigned scalar, unsigned value)
{
    e->used[scalar] = e->written[scalar] = true;
    isa_put(t, "  store i32 %%t%u, ptr %%s%u\n", value, scalar);
}

/* A pair as 64 bits. */
static unsigned read_pair(emitter_t *e, isa_text_t *t, unsigned scalar)
{
    const unsigned low = read_scalar(e, t, scalar), high = read_scalar(e, t, scalar + 1);
    const unsigned a = fresh(e), b = fresh(e), c = fresh(e), d = fresh(e);
    isa_put(t, "  %%t%u = zext i32 %%t%u to i64\n  %%t%u = zext i32 %%t%u to i64\n", a, low, b,
            high);
    isa_put(t, "  %%t%u = shl i64 %%t%u, 32\n  %%t%u = or i64 %%t%u, %%t%u\n", c, b, d, a, c);
    return d;
}

static void write_pair(emitter_t *e, isa_text_t *t, unsigned scalar, unsigned value)
{
    const unsigned low = fresh(e), shifted = fresh(e), high = fresh(e);
    isa_put(t, "  %%t%u = trunc i64 %%t%u to i32\n  %%t%u = lshr i64 %%t%u, 32\n", low, value,
            shifted, value);
    isa_put(t, "  %%t%u = trunc i64 %%t%u to i32\n", high, shifted);
    write_scalar(e, t, scalar, low);
    write_scalar(e, t, scalar + 1, high);
}

/* Stores a register that the code writes to the wave. */
static void store_scalar(emitter_t *e, isa_text_t *t, unsigned s)
{
    const unsigned v = fresh(e);
    if (!e->written[s]) return;
    isa_put(t, "  %%v%u = load i32, ptr %%s%u\n  %%p%u = getelementptr i8, ptr %%w, i64 %u\n", v, s,
            v, member_of(s));
    isa_put(t, "  store i32 %%v%u, ptr %%p%u\n", v, v);
}

/* Loads one that it uses. */
static void load_scalar(emitter_t *e, isa_text_t *t, unsigned s)
{
    const unsigned v = fresh(e);
    if (!e->used[s]) return;
    isa_put(t, "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n  %%v%u = load i32, ptr %%p%u\n", v,
            member_of(s), v, v);
    isa_put(t, "  store i32 %%v%u, ptr %%s%u\n", v, s);
}

static void store_scalars(emitter_t *e, isa_text_t *t, unsigned first, unsigned n)
{
    for (unsigned s = first; s < first + n && s <= SCC; s++)
        store_scalar(e, t, s);
}

static void load_scalars(emitter_t *e, isa_text_t *t, unsigned first, unsigned n)
{
    for (unsigned s = first; s < first + n && s <= SCC; s++)
        load_scalar(e, t, s);
}

/* ---- segments ---- */

/* Bytes of a row's part in a chunk. */
static unsigned vector_bytes(const emitter_t *e)
{
    return 4 * e->library->chunk;
}

static unsigned vector_align(const emitter_t *e)
{
    return e->library->bits / 8;
}

/* The chunk's bits of a 64-bit set of lanes. */
static unsigned chunk_bits(emitter_t *e, unsigned lanes)
{
    const unsigned shifted = fresh(e), bits = fresh(e), masked = fresh(e);
    isa_put(&e->inside, "  %%t%u = lshr i64 %%t%u, %%t%u\n  %%t%u = trunc i64 %%t%u to i32\n",
            shifted, lanes, e->lane, bits, shifted);
    isa_put(&e->inside, "  %%t%u = and i32 %%t%u, %u\n", masked, bits,
            (unsigned)isa_first_lanes(e->library->chunk));
    return masked;
}

static unsigned exec_bits(emitter_t *e)
{
    if (!e->exec) {
        e->exec = read_pair(e, &e->before, ISA_CODE_EXEC);
        e->exec_bits = chunk_bits(e, e->exec);
    }
    return e->exec_bits;
}

/* A vector whose elements are 1, 2, 4... */
static unsigned lane_bits(emitter_t *e)
{
    const unsigned v = fresh(e);
    isa_put(&e->before, "  %%t%u = add <%u x i32> zeroinitializer, <", v, e->library->chunk);
    for (unsigned l = 0; l < e->library->chunk; l++)
        isa_put(&e->before, "%si32 %u", l ? ", " : "", 1u << l);
    isa_put(&e->before, ">\n");
    return v;
}

/* EXEC's bits of the chunk as a vector: inactive lanes keep what their registers had. A host whose
 * vectors know no masks tests a bit in each element: LLVM would put a mask together bit by bit. */
static unsigned active_lanes(emitter_t *e)
{
    const unsigned chunk = e->library->chunk, bits = exec_bits(e), lanes = fresh(e);
    if (e->library->bits == 512) {
        isa_put(&e->inside, "  %%t%u = bitcast i%u %%t%u to <%u x i1>\n", lanes, chunk, bits,
                chunk);
        return lanes;
    }
    const unsigned bit = lane_bits(e), one = fresh(e), all = fresh(e), both = fresh(e);
    isa_put(&e->inside, "  %%t%u = insertelement <%u x i32> poison, i32 %%t%u, i32 0\n", one, chunk,
            bits);
    isa_put(
        &e->inside,
        "  %%t%u = shufflevector <%u x i32> %%t%u, <%u x i32> poison, <%u x i32> zeroinitializer\n",
        all, chunk, one, chunk, chunk);
    isa_put(&e->inside, "  %%t%u = and <%u x i32> %%t%u, %%t%u\n", both, chunk, all, bit);
    isa_put(&e->inside, "  %%t%u = icmp eq <%u x i32> %%t%u, %%t%u\n", lanes, chunk, both, bit);
    return lanes;
}

/* Stores the rows that the segment has changed. Until then what inactive lanes have is of no
 * consequence: within a segment lanes do not see each other, and EXEC does not change. */
static void store_rows(emitter_t *e)
{
    const unsigned chunk = e->library->chunk, align = vector_align(e);
    unsigned lanes = 0;
    for (unsigned r = 0; r < ISA_VGPR_ROWS; r++) {
        unsigned value = e->row[r];
        if (!e->changed[r]) continue;
        if (e->plan->masked && !lanes) lanes = active_lanes(e);
        const unsigned p = fresh(e), old = fresh(e), picked = fresh(e);
        isa_put(&e->inside, "  %%p%u = getelementptr i8, ptr %%t%u, i64 %u\n", p, e->base,
                r * ROW_BYTES);
        if (lanes) {
            isa_put(&e->inside, "  %%t%u = load <%u x i32>, ptr %%p%u, align %u\n", old, chunk, p,
                    align);
            isa_put(&e->inside,
                    "  %%t%u = select <%u x i1> %%t%u, <%u x i32> %%t%u, <%u x i32> %%t%u\n",
                    picked, chunk, lanes, chunk, value, chunk, old);
            value = picked;
        }
        isa_put(&e->inside, "  store <%u x i32> %%t%u, ptr %%p%u, align %u\n", chunk, value, p,
                align);
    }
}

/* The rows and lane masks are known to whoever comes behind the segment. */
static void close_segment(emitter_t *e)
{
    const unsigned chunk = e->library->chunk, l = fresh(e);
    if (e->n) store_rows(e);
    isa_move(&e->code, &e->before);
    if (!e->n) return;
    isa_put(&e->entry, "  %%lane%u = alloca i64\n", l);
    isa_put(&e->code, "  store i64 0, ptr %%lane%u\n  br label %%chunk%u\nchunk%u:\n", l, l, l);
    isa_put(&e->code, "  %%t%u = load i64, ptr %%lane%u\n", e->lane, l);
    isa_put(&e->code,
            "  %%b%u = shl i64 %%t%u, 2\n  %%t%u = getelementptr i8, ptr %%rows, i64 %%b%u\n", l,
            e->lane, e->base, l);
    isa_move(&e->code, &e->inside);
    isa_put(&e->code, "  %%n%u = add i64 %%t%u, %u\n  store i64 %%n%u, ptr %%lane%u\n", l, e->lane,
            chunk, l, l);
    isa_put(&e->code, "  %%m%u = icmp ult i64 %%n%u, %d\n", l, l, ISA_LANES);
    isa_put(&e->code, "  br i1 %%m%u, label %%chunk%u, label %%behind%u\nbehind%u:\n", l, l, l, l);
    for (unsigned k = 0; k < e->n_masks; k++) {
        const unsigned v = fresh(e);
        isa_put(&e->code, "  %%t%u = load i64, ptr %%mask%u\n", v, e->mask[k].variable);
        write_pair(e, &e->code, (unsigned)e->mask[k].reg, v);
    }
    memset(e->row, 0, sizeof e->row);
    memset(e->changed, 0, sizeof e->changed);
    e->n = e->n_masks = e->exec = e->exec_bits = 0;
}

static void open_segment(emitter_t *e)
{
    if (e->n) return;
    e->base = fresh(e);
    e->lane = fresh(e);
}

/* The mask that the segment has written to scalar registers `reg` to `reg` + n - 1 or a part of
 * them; NULL if none. */
static const mask_t *pending(const emitter_t *e, unsigned reg, unsigned n)
{
    for (unsigned k = e->n_masks; k-- > 0;)
        if ((unsigned)e->mask[k].reg < reg + n && reg < (unsigned)e->mask[k].reg + 2)
            return &e->mask[k];
    return NULL;
}

/* Ends the segment if it has written a mask that the operand reads or replaces. */
static void settle(emitter_t *e, const isa_operand_t *o)
{
    if (o->kind == ISA_OPK_SGPR && pending(e, o->reg, (o->bits + 31u) / 32u)) close_segment(e);
}

static unsigned row_value(emitter_t *e, unsigned r)
{
    if (e->row[r]) return e->row[r];
    const unsigned p = fresh(e), v = fresh(e);
    isa_put(&e->inside, "  %%p%u = getelementptr i8, ptr %%t%u, i64 %u\n", p, e->base,
            r * ROW_BYTES);
    isa_put(&e->inside, "  %%t%u = load <%u x i32>, ptr %%p%u, align %u\n", v, e->library->chunk, p,
            vector_align(e));
    return e->row[r] = v;
}

/* A vector of one scalar; `scalar` is an operand of LLVM's. */
static unsigned broadcast(emitter_t *e, const char *scalar)
{
    const unsigned chunk = e->library->chunk, one = fresh(e), all = fresh(e);
    isa_put(&e->before, "  %%t%u = insertelement <%u x i32> poison, i32 %s, i32 0\n", one, chunk,
            scalar);
    isa_put(
        &e->before,
        "  %%t%u = shufflevector <%u x i32> %%t%u, <%u x i32> poison, <%u x i32> zeroinitializer\n",
        all, chunk, one, chunk, chunk);
    return all;
}

/* Row `r` of source operand `o`. */
static unsigned source_row(emitter_t *e, const isa_operand_t *o, unsigned r)
{
    char scalar[32];
    if (o->kind == ISA_OPK_VGPR) return row_value(e, o->reg + r);
    if (o->kind == ISA_OPK_CONST)
        snprintf(scalar, sizeof scalar, "%u", (unsigned)(o->k >> 32 * r));
    else
        snprintf(scalar, sizeof scalar, "%%t%u", read_scalar(e, &e->before, o->reg + r));
    return broadcast(e, scalar);
}

/* Applies neg and abs to a row whose sign is bit 31. */
static unsigned with_sign(emitter_t *e, unsigned row, unsigned mods)
{
    const unsigned chunk = e->library->chunk;
    char bits[16];
    snprintf(bits, sizeof bits, "%u", 0x7fffffffu);
    if (mods & ISA_MOD_ABS) {
        const unsigned mask = broadcast(e, bits), v = fresh(e);
        isa_put(&e->inside, "  %%t%u = and <%u x i32> %%t%u, %%t%u\n", v, chunk, row, mask);
        row = v;
    }
    snprintf(bits, sizeof bits, "%u", 0x80000000u);
    if (mods & ISA_MOD_NEG) {
        const unsigned mask = broadcast(e, bits), v = fresh(e);
        isa_put(&e->inside, "  %%t%u = xor <%u x i32> %%t%u, %%t%u\n", v, chunk, row, mask);
        row = v;
    }
    return row;
}

/* ---- vector instructions ---- */

/* Offsets in isa_chunk_t. */
static unsigned at_source(const emitter_t *e, unsigned n, unsigned r)
{
    return (4 * (n + 1) + r) * vector_bytes(e);
}

static unsigned at_sets(const emitter_t *e)
{
    return 16 * vector_bytes(e);
}

static void store_row(emitter_t *e, unsigned x, unsigned offset, unsigned row)
{
    const unsigned p = fresh(e);
    isa_put(&e->inside, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x, offset);
    isa_put(&e->inside, "  store <%u x i32> %%t%u, ptr %%p%u, align %u\n", e->library->chunk, row,
            p, vector_align(e));
}

static void store_word(emitter_t *e, unsigned x, unsigned offset, const char *value)
{
    const unsigned p = fresh(e);
    isa_put(&e->inside,
            "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n  store i32 %s, ptr %%p%u\n", p, x,
            offset, value, p);
}

static void store_sources(emitter_t *e, const isa_step_t *s, unsigned x, unsigned n_sources)
{
    const isa_inst_t *i = s->i;
    for (unsigned n = 0; n < n_sources; n++) {
        const isa_operand_t *o = &i->src[n];
        const unsigned rows = o->kind == ISA_OPK_NONE ? 0 : o->bits / 32u;
        for (unsigned r = 0; r < rows; r++) {
            unsigned row = source_row(e, o, r);
            if (r + 1 == rows && o->mods) row = with_sign(e, row, o->mods);
            store_row(e, x, at_source(e, n, r), row);
        }
    }
}

/* Makes the result's rows values of the segment. */
static void take_results(emitter_t *e, const isa_inst_t *i, unsigned x, unsigned rows)
{
    const unsigned chunk = e->library->chunk;
    for (unsigned r = 0; r < rows; r++) {
        const unsigned p = fresh(e), v = fresh(e), row = i->dst.reg + r;
        isa_put(&e->inside, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x,
                r * vector_bytes(e));
        isa_put(&e->inside, "  %%t%u = load <%u x i32>, ptr %%p%u, align %u\n", v, chunk, p,
                vector_align(e));
        e->changed[row] = true;
        e->row[row] = v;
    }
}

/* The lane mask that the instruction has written: kept as a value for the segment's own
 * instructions, and collected in a variable for later code. */
static void take_mask(emitter_t *e, int reg, unsigned x)
{
    const unsigned p = fresh(e), wide = fresh(e), placed = fresh(e), old = fresh(e), all = fresh(e);
    unsigned bits = fresh(e);
    isa_put(&e->inside, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x, at_sets(e) + 4);
    isa_put(&e->inside, "  %%t%u = load i32, ptr %%p%u\n", bits, p);
    if (e->plan->masked) {
        const unsigned active = exec_bits(e), both = fresh(e);
        isa_put(&e->inside, "  %%t%u = and i32 %%t%u, %%t%u\n", both, bits, active);
        bits = both;
    }
    isa_put(&e->entry, "  %%mask%u = alloca i64\n", p);
    isa_put(&e->before, "  store i64 0, ptr %%mask%u\n", p);
    isa_put(&e->inside, "  %%t%u = zext i32 %%t%u to i64\n", wide, bits);
    isa_put(&e->inside, "  %%t%u = shl i64 %%t%u, %%t%u\n", placed, wide, e->lane);
    isa_put(&e->inside, "  %%t%u = load i64, ptr %%mask%u\n", old, p);
    isa_put(&e->inside, "  %%t%u = or i64 %%t%u, %%t%u\n", all, old, placed);
    isa_put(&e->inside, "  store i64 %%t%u, ptr %%mask%u\n", all, p);
    e->mask[e->n_masks++] = (mask_t){reg, p, bits};
}

/* The chunk's bits of the mask that the instruction reads. */
static unsigned mask_in(emitter_t *e, int reg)
{
    const mask_t *m = pending(e, (unsigned)reg, 2);
    if (m) return m->bits;
    return chunk_bits(e, read_pair(e, &e->before, (unsigned)reg));
}

static void emit_chunk(emitter_t *e, const isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    char name[ISA_LIBRARY_NAME], value[32];
    const bool mask = s->in >= 0 && i->src[2].kind != ISA_OPK_VGPR;
    const unsigned sources = mask ? 2 : 3;
    for (unsigned n = 0; n < sources; n++)
        settle(e, &i->src[n]);
    const mask_t *in = s->in >= 0 ? pending(e, (unsigned)s->in, 2) : NULL;
    if ((in && in->reg != s->in) || e->n_masks == MASKS || e->n == CALLS_AT_MOST) close_segment(e);
    open_segment(e);
    const unsigned x = fresh(e), rows = i->dst.kind == ISA_OPK_VGPR ? i->dst.bits / 32u : 0;
    isa_put(&e->entry, "  %%x%u = alloca [%u x i8], align 64\n", x, at_sets(e) + 64);
    for (unsigned r = 0; r < rows; r++)
        store_row(e, x, r * vector_bytes(e), row_value(e, i->dst.reg + r));
    store_sources(e, s, x, sources);
    if (s->in >= 0) {
        snprintf(value, sizeof value, "%%t%u", mask_in(e, s->in));
        store_word(e, x, at_sets(e), value);
    }
    snprintf(value, sizeof value, "%u", e->plan->mode);
    store_word(e, x, at_sets(e) + 8, value);
    snprintf(value, sizeof value, "-1");
    if (e->plan->masked) snprintf(value, sizeof value, "%%t%u", exec_bits(e));
    store_word(e, x, at_sets(e) + 12, value);
    isa_put(&e->inside, "  call void @%s(ptr %%x%u)\n", isa_library_name(name, i, false), x);
    e->n++;
    take_results(e, i, x, rows);
    if (s->out >= 0) take_mask(e, s->out, x);
}

/* ---- scalar instructions ---- */

static void store_wide(emitter_t *e, unsigned x, unsigned offset, const char *value)
{
    const unsigned p = fresh(e);
    isa_put(&e->before,
            "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n  store i64 %s, ptr %%p%u\n", p, x,
            offset, value, p);
}

/* Stores a scalar operand as 64 bits. */
static void store_operand(emitter_t *e, unsigned x, unsigned offset, const isa_operand_t *o)
{
    char value[32];
    if (o->kind == ISA_OPK_NONE) return;
    if (o->kind == ISA_OPK_CONST) {
        snprintf(value, sizeof value, "%llu", (unsigned long long)o->k);
    } else if (o->bits == 64) {
        snprintf(value, sizeof value, "%%t%u", read_pair(e, &e->before, o->reg));
    } else {
        const unsigned v = read_scalar(e, &e->before, o->reg), wide = fresh(e);
        isa_put(&e->before, "  %%t%u = zext i32 %%t%u to i64\n", wide, v);
        snprintf(value, sizeof value, "%%t%u", wide);
    }
    store_wide(e, x, offset, value);
}

static unsigned load_field(emitter_t *e, unsigned x, unsigned offset, unsigned bits)
{
    const unsigned p = fresh(e), v = fresh(e);
    isa_put(&e->before, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x, offset);
    isa_put(&e->before, "  %%t%u = load i%u, ptr %%p%u\n", v, bits, p);
    return v;
}

/* Offsets in isa_scalar_t. */
enum { AT_DST = 0, AT_SRC = 8, AT_EXEC = 24, AT_SCC = 32, AT_IMM = 36, SCALAR_BYTES = 40 };

static void emit_scalar(emitter_t *e, const isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    const isa_row_desc_t *row = &isa_table[i->op];
    char name[ISA_LIBRARY_NAME], value[32];
    settle(e, &i->dst);
    settle(e, &i->src[0]);
    settle(e, &i->src[1]);
    if (isa_plan_writes_exec(i)) close_segment(e); /* a segment has one EXEC */
    const unsigned x = fresh(e);
    isa_put(&e->entry, "  %%x%u = alloca [%u x i8], align 8\n", x, (unsigned)SCALAR_BYTES);
    store_operand(e, x, AT_DST, &i->dst);
    store_operand(e, x, AT_SRC, &i->src[0]);
    store_operand(e, x, AT_SRC + 8, &i->src[1]);
    if (row->reads & ISA_REG_EXEC) {
        snprintf(value, sizeof value, "%%t%u", read_pair(e, &e->before, ISA_CODE_EXEC));
        store_wide(e, x, AT_EXEC, value);
    }
    const unsigned scc = read_scalar(e, &e->before, SCC), p = fresh(e);
    isa_put(&e->before,
            "  %%p%u = getelementptr i8, ptr %%x%u, i64 %d\n  store i32 %%t%u, ptr %%p%u\n", p, x,
            AT_SCC, scc, p);
    const unsigned q = fresh(e);
    isa_put(&e->before,
            "  %%p%u = getelementptr i8, ptr %%x%u, i64 %d\n  store i32 %d, ptr %%p%u\n", q, x,
            AT_IMM, i->imm, q);
    isa_put(&e->before, "  call void @%s(ptr %%x%u)\n", isa_library_name(name, i, true), x);
    if (i->dst.kind == ISA_OPK_SGPR && i->dst.bits == 64)
        write_pair(e, &e->before, i->dst.reg, load_field(e, x, AT_DST, 64));
    else if (i->dst.kind == ISA_OPK_SGPR)
        write_scalar(e, &e->before, i->dst.reg, load_field(e, x, AT_DST, 32));
    if (row->writes & ISA_REG_EXEC)
        write_pair(e, &e->before, ISA_CODE_EXEC, load_field(e, x, AT_EXEC, 64));
    if (row->writes & ISA_REG_SCC) write_scalar(e, &e->before, SCC, load_field(e, x, AT_SCC, 32));
}

/* ---- exits, handlers, branches ---- */

/* The way out: `more` instructions have run since the count was last brought up to date. */
static void put_out(emitter_t *e, isa_text_t *t, unsigned more)
{
    const unsigned v = fresh(e);
    isa_put(t, "  %%c%u = load i64, ptr %%count\n  %%r%u = add i64 %%c%u, %u\n", v, v, v, more);
    isa_put(t, "  store i64 %%r%u, ptr %%count\n  br label %%out\n", v);
}

/* Where all ways out end. */
static void put_return(emitter_t *e, isa_text_t *t)
{
    isa_put(t, "out:\n");
    store_scalars(e, t, 0, SCC + 1);
    isa_put(t, "  %%gout = load i32, ptr %%budget\n  store i32 %%gout, ptr %%wb\n");
    isa_put(t, "  %%rout = load i64, ptr %%count\n  ret i64 %%rout\n");
}

/* Leaves the code: the wave goes on at `slot`. */
static void put_leave(emitter_t *e, isa_text_t *t, const isa_inst_t *slot, unsigned more)
{
    store_member(e, t, AT_WAVE(ip), 64, address(slot));
    put_out(e, t, more);
}

/* What handlers do with scalar registers. */
typedef enum {
    TAKES_ANY,    /* reads and writes any */
    TAKES_SOURCE, /* reads those of its operands, FLAT_SCRATCH, M0 and EXEC, writes none */
    TAKES_RESULT  /* reads as above, writes those of its destination */
} takes_t;

static takes_t takes(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    for (unsigned n = 0; n < 4; n++) /* SCC or VCCZ, perhaps: a buffer's offset */
        if (i->src[n].kind == ISA_OPK_SPECIAL) return TAKES_ANY;
    if (row->klass == ISA_CLASS_SMEM_RD) return TAKES_RESULT;
    return row->memory.unit == ISA_UNIT_VECTOR || row->memory.unit == ISA_UNIT_LDS ||
                   row->klass == ISA_CLASS_MFMA
               ? TAKES_SOURCE
               : TAKES_ANY;
}

/* Stores what the handler may read. */
static void store_for(emitter_t *e, const isa_inst_t *i)
{
    if (takes(i) == TAKES_ANY) {
        store_scalars(e, &e->code, 0, SCC + 1);
        return;
    }
    for (unsigned n = 0; n < 4; n++)
        if (i->src[n].kind == ISA_OPK_SGPR)
            store_scalars(e, &e->code, i->src[n].reg, (i->src[n].bits + 31u) / 32u);
    store_scalars(e, &e->code, ISA_CODE_FLAT_SCRATCH, 2);
    store_scalars(e, &e->code, ISA_CODE_M0, 1);
    store_scalars(e, &e->code, ISA_CODE_EXEC, 2);
}

/* Loads what it may have written. */
static void load_behind(emitter_t *e, const isa_inst_t *i)
{
    if (takes(i) == TAKES_ANY) load_scalars(e, &e->code, 0, SCC + 1);
    if (takes(i) == TAKES_RESULT && i->dst.kind == ISA_OPK_SGPR)
        load_scalars(e, &e->code, i->dst.reg, (i->dst.bits + 31u) / 32u);
}

static void emit_call(emitter_t *e, const isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    const unsigned k = fresh(e);
    close_segment(e);
    store_for(e, i);
    store_member(e, &e->code, AT_WAVE(ip), 64, address(i + i->dwords));
    isa_put(&e->code,
            "  call void inttoptr (i64 %llu to ptr)(ptr %%w, ptr inttoptr (i64 %llu to ptr))\n",
            (unsigned long long)(uintptr_t)e->plan->page->core->handlers[i->op],
            (unsigned long long)address(i));
    load_behind(e, i);
    isa_put(&e->code,
            "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n  %%t%u = load i32, ptr %%p%u\n", k,
            AT_WAVE(stop), k, k);
    isa_put(&e->code, "  %%z%u = icmp eq i32 %%t%u, 0\n", k, k);
    isa_put(&e->code, "  br i1 %%z%u, label %%on%u, label %%stop%u, !prof !0\non%u:\n", k, k, k, k);
    isa_put(&e->tail, "stop%u:\n", k);
    put_out(e, &e->tail, e->counted + 1);
}

/* The condition of a branch, as a value of one bit. */
static unsigned condition(emitter_t *e, unsigned op)
{
    const bool scc = op == ISA_OP_s_cbranch_scc0 || op == ISA_OP_s_cbranch_scc1;
    const bool vcc = op == ISA_OP_s_cbranch_vccz || op == ISA_OP_s_cbranch_vccnz;
    const bool zero =
        op == ISA_OP_s_cbranch_scc0 || op == ISA_OP_s_cbranch_vccz || op == ISA_OP_s_cbranch_execz;
    const unsigned v = scc ? read_scalar(e, &e->code, SCC)
                           : read_pair(e, &e->code, vcc ? ISA_CODE_VCC : ISA_CODE_EXEC);
    const unsigned c = fresh(e);
    isa_put(&e->code, "  %%t%u = icmp %s i%d %%t%u, 0\n", c, zero ? "eq" : "ne", scc ? 32 : 64, v);
    return c;
}

static void add_count(emitter_t *e, unsigned n)
{
    const unsigned v = fresh(e);
    isa_put(&e->code, "  %%c%u = load i64, ptr %%count\n  %%d%u = add i64 %%c%u, %u\n", v, v, v, n);
    isa_put(&e->code, "  store i64 %%d%u, ptr %%count\n", v);
}

/* Emits a branch; a taken one is counted against the wave's slice. */
static void emit_branch(emitter_t *e, const isa_step_t *s)
{
    const isa_inst_t *i = s->i, *to = i + i->dwords + i->imm;
    const unsigned k = fresh(e);
    close_segment(e);
    add_count(e, e->counted + 1);
    if (i->op != ISA_OP_s_branch) {
        const unsigned c = condition(e, i->op);
        isa_put(&e->code, "  br i1 %%t%u, label %%taken%u, label %%next%u\n", c, k, k);
    } else {
        isa_put(&e->code, "  br label %%taken%u\n", k);
    }
    isa_put(&e->code, "taken%u:\n  %%g%u = load i32, ptr %%budget\n  %%h%u = sub i32 %%g%u, 1\n", k,
            k, k, k);
    isa_put(&e->code, "  store i32 %%h%u, ptr %%budget\n  %%y%u = icmp slt i32 %%h%u, 0\n", k, k,
            k);
    if (s->to >= 0)
        isa_put(&e->code, "  br i1 %%y%u, label %%yield%u, label %%i%d, !prof !1\n", k, k, s->to);
    else
        isa_put(&e->code, "  br i1 %%y%u, label %%yield%u, label %%leave%u, !prof !1\n", k, k, k);
    isa_put(&e->tail, "yield%u:\n", k);
    store_member(e, &e->tail, AT_WAVE(stop), 32, ISA_STOP_YIELD);
    put_leave(e, &e->tail, to, 0);
    if (s->to < 0) {
        isa_put(&e->tail, "leave%u:\n", k);
        put_leave(e, &e->tail, to, 0);
    }
    isa_put(&e->code, "next%u:\n", k);
    e->counted = 0;
}

static void emit_step(emitter_t *e, const isa_step_t *s)
{
    switch (s->kind) {
    case ISA_STEP_SCALAR: emit_scalar(e, s); break;
    case ISA_STEP_CHUNK: emit_chunk(e, s); break;
    case ISA_STEP_CALL: emit_call(e, s); break;
    case ISA_STEP_BRANCH: emit_branch(e, s); return;
    default: break;
    }
    e->counted++;
}

static void emit_steps(emitter_t *e)
{
    const isa_plan_t *plan = e->plan;
    e->counted = 0;
    for (unsigned k = 0; k < plan->n; k++) {
        const isa_step_t *s = &plan->step[k];
        if (s->leads) {
            close_segment(e);
            if (e->counted) add_count(e, e->counted);
            if (k) isa_put(&e->code, "  br label %%i%u\n", k);
            isa_put(&e->code, "i%u:\n", k);
            e->counted = 0;
        }
        if (s->kind != ISA_STEP_LEAVE) {
            emit_step(e, s);
            continue;
        }
        close_segment(e);
        put_leave(e, &e->code, s->i, e->counted);
        isa_put(&e->code, "unreached%u:\n", fresh(e));
    }
    close_segment(e);
    const isa_inst_t *last = plan->step[plan->n - 1].i;
    put_leave(e, &e->code, last + last->dwords, e->counted);
    put_return(e, &e->tail);
}

/* Writes the whole function. The first pass finds the scalar registers that it uses. */
static void emit_function(emitter_t *e)
{
    for (int round = 0; round < 2; round++) {
        e->entry.size = e->code.size = e->tail.size = 0;
        e->next = 0;
        emit_steps(e);
    }
}

static void put_declarations(isa_text_t *t, const isa_plan_t *plan)
{
    char name[ISA_LIBRARY_NAME], other[ISA_LIBRARY_NAME];
    for (unsigned k = 0; k < plan->n; k++) {
        const isa_step_t *s = &plan->step[k];
        bool again = s->kind != ISA_STEP_SCALAR && s->kind != ISA_STEP_CHUNK;
        isa_library_name(name, s->i, s->kind == ISA_STEP_SCALAR);
        for (unsigned n = 0; n < k && !again; n++)
            again =
                plan->step[n].kind == s->kind &&
                !strcmp(isa_library_name(other, plan->step[n].i, s->kind == ISA_STEP_SCALAR), name);
        if (!again) isa_put(t, "declare void @%s(ptr)\n", name);
    }
}

/* Goes to the step where the wave enters. */
static void put_entries(const isa_plan_t *plan, isa_text_t *t)
{
    unsigned n = 0;
    isa_put(t, "  switch i32 %%entry, label %%never [");
    for (unsigned k = 0; k < plan->n; k++)
        if (plan->step[k].enters) isa_put(t, " i32 %u, label %%i%u", n++, k);
    isa_put(t, " ]\nnever:\n  unreachable\n");
}

static void put_all(emitter_t *e, isa_text_t *t)
{
    put_declarations(t, e->plan);
    isa_put(t, "define i64 @translated(ptr noundef %%w, i32 %%entry) #0 {\n");
    for (unsigned s = 0; s <= SCC; s++)
        if (e->used[s]) isa_put(t, "  %%s%u = alloca i32\n", s);
    isa_put(t, "  %%count = alloca i64\n  %%budget = alloca i32\n");
    isa_move(t, &e->entry);
    isa_put(t, "  store i64 0, ptr %%count\n");
    isa_put(t, "  %%wr = getelementptr i8, ptr %%w, i64 %u\n  %%rows = load ptr, ptr %%wr\n",
            AT_WAVE(vgpr));
    isa_put(t, "  %%wb = getelementptr i8, ptr %%w, i64 %u\n  %%b0 = load i32, ptr %%wb\n",
            AT_WAVE(budget));
    isa_put(t, "  store i32 %%b0, ptr %%budget\n");
    load_scalars(e, t, 0, SCC + 1);
    put_entries(e->plan, t);
    isa_move(t, &e->code);
    isa_move(t, &e->tail);
    isa_put(t,
            "}\nattributes #0 = { nounwind \"target-cpu\"=\"%s\" \"min-legal-vector-width\"=\"%u\" "
            "\"prefer-vector-width\"=\"%u\" }\n",
            e->library->cpu, e->library->bits, e->library->bits);
    isa_put(t, "!0 = !{!\"branch_weights\", i32 1000, i32 1}\n"
               "!1 = !{!\"branch_weights\", i32 1, i32 1000}\n");
}

char *isa_emit(const isa_plan_t *plan, const isa_library_t *library)
{
    emitter_t *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    isa_text_t all = {0};
    e->plan = plan;
    e->library = library;
    emit_function(e);
    put_all(e, &all);
    isa_text_t *const parts[] = {&e->entry, &e->code, &e->tail, &e->before, &e->inside};
    for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++) {
        all.failed |= parts[k]->failed;
        free(parts[k]->at);
    }
    free(e);
    if (!all.failed) return all.at;
    free(all.at);
    return NULL;
}
