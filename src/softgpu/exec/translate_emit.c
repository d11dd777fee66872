/* translate_emit.c - writes LLVM's assembly for a planned loop.
 *
 * Scalar registers are variables of the function, which LLVM keeps in the host's registers; they
 * are stored to the wave before code outside the function may read them. Consecutive vector
 * instructions are a segment: a loop over chunks of lanes, in which rows are values. Scalar code of
 * a segment is placed before that loop. */
#include "softgpu/exec/translate_internal.h"

#include <stdarg.h>
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

typedef struct {
    char *at;
    size_t size, room;
    bool failed;
} text_t;

/* A lane mask that the segment has written: the variable that collects it, the chunk's bits. */
typedef struct {
    int reg;
    unsigned variable, bits;
} mask_t;

typedef struct {
    const isa_plan_t *plan;
    const isa_library_t *library;
    text_t entry, code, tail; /* variables; the blocks; the exits */
    text_t before, inside;    /* the segment: before its loop over chunks, and in it */
    unsigned next;            /* number of the next value or label */
    unsigned counted;         /* instructions since the block's begin */
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

static __attribute__((format(printf, 2, 3))) void put(text_t *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = t->failed ? -1 : vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) return;
    if (t->size + (size_t)n + 1 > t->room) {
        const size_t room = 2 * (t->size + (size_t)n + 4096);
        char *at = realloc(t->at, room);
        if (!at) {
            t->failed = true;
            return;
        }
        t->at = at;
        t->room = room;
    }
    va_start(args, format);
    vsnprintf(t->at + t->size, (size_t)n + 1, format, args);
    va_end(args);
    t->size += (size_t)n;
}

static void move(text_t *to, text_t *from)
{
    if (from->size) put(to, "%s", from->at);
    from->size = 0;
}

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
static void store_member(emitter_t *e, text_t *t, unsigned offset, unsigned bits, uint64_t value)
{
    const unsigned p = fresh(e);
    put(t, "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n  store i%u %llu, ptr %%p%u\n", p, offset,
        bits, (unsigned long long)value, p);
}

static unsigned member_of(unsigned scalar)
{
    return scalar == SCC ? AT_WAVE(scc) : AT_WAVE(sgpr) + 4 * scalar;
}

/* ---- scalar registers: variables of the function ---- */

static unsigned read_scalar(emitter_t *e, text_t *t, unsigned scalar)
{
    const unsigned v = fresh(e);
    e->used[scalar] = true;
    put(t, "  %%t%u = load i32, ptr %%s%u\n", v, scalar);
    return v;
}

static void write_scalar(emitter_t *e, text_t *t, unsigned scalar, unsigned value)
{
    e->used[scalar] = e->written[scalar] = true;
    put(t, "  store i32 %%t%u, ptr %%s%u\n", value, scalar);
}

/* Reads a pair of scalar registers as 64 bits. */
static unsigned read_pair(emitter_t *e, text_t *t, unsigned scalar)
{
    const unsigned low = read_scalar(e, t, scalar), high = read_scalar(e, t, scalar + 1);
    const unsigned a = fresh(e), b = fresh(e), c = fresh(e), d = fresh(e);
    put(t, "  %%t%u = zext i32 %%t%u to i64\n  %%t%u = zext i32 %%t%u to i64\n", a, low, b, high);
    put(t, "  %%t%u = shl i64 %%t%u, 32\n  %%t%u = or i64 %%t%u, %%t%u\n", c, b, d, a, c);
    return d;
}

static void write_pair(emitter_t *e, text_t *t, unsigned scalar, unsigned value)
{
    const unsigned low = fresh(e), shifted = fresh(e), high = fresh(e);
    put(t, "  %%t%u = trunc i64 %%t%u to i32\n  %%t%u = lshr i64 %%t%u, 32\n", low, value, shifted,
        value);
    put(t, "  %%t%u = trunc i64 %%t%u to i32\n", high, shifted);
    write_scalar(e, t, scalar, low);
    write_scalar(e, t, scalar + 1, high);
}

/* Stores the registers that the loop writes to the wave. */
static void flush(emitter_t *e, text_t *t)
{
    for (unsigned s = 0; s <= SCC; s++) {
        if (!e->written[s]) continue;
        const unsigned v = fresh(e);
        put(t, "  %%v%u = load i32, ptr %%s%u\n  %%p%u = getelementptr i8, ptr %%w, i64 %u\n", v, s,
            v, member_of(s));
        put(t, "  store i32 %%v%u, ptr %%p%u\n", v, v);
    }
}

/* Loads the registers that the loop uses. */
static void load_all(emitter_t *e, text_t *t)
{
    for (unsigned s = 0; s <= SCC; s++) {
        if (!e->used[s]) continue;
        const unsigned v = fresh(e);
        put(t, "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n  %%v%u = load i32, ptr %%p%u\n", v,
            member_of(s), v, v);
        put(t, "  store i32 %%v%u, ptr %%s%u\n", v, s);
    }
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

/* Ends the segment: its rows and lane masks are stored for the code after it. */
static void close_segment(emitter_t *e)
{
    const unsigned chunk = e->library->chunk, l = fresh(e);
    move(&e->code, &e->before);
    if (!e->n) return;
    put(&e->entry, "  %%lane%u = alloca i64\n", l);
    put(&e->code, "  store i64 0, ptr %%lane%u\n  br label %%chunk%u\nchunk%u:\n", l, l, l);
    put(&e->code, "  %%t%u = load i64, ptr %%lane%u\n", e->lane, l);
    put(&e->code, "  %%b%u = shl i64 %%t%u, 2\n  %%t%u = getelementptr i8, ptr %%rows, i64 %%b%u\n",
        l, e->lane, e->base, l);
    move(&e->code, &e->inside);
    for (unsigned r = 0; r < ISA_VGPR_ROWS; r++) {
        if (!e->changed[r]) continue;
        const unsigned p = fresh(e);
        put(&e->code, "  %%p%u = getelementptr i8, ptr %%t%u, i64 %u\n", p, e->base, r * ROW_BYTES);
        put(&e->code, "  store <%u x i32> %%t%u, ptr %%p%u, align %u\n", chunk, e->row[r], p,
            vector_align(e));
    }
    put(&e->code, "  %%n%u = add i64 %%t%u, %u\n  store i64 %%n%u, ptr %%lane%u\n", l, e->lane,
        chunk, l, l);
    put(&e->code, "  %%m%u = icmp ult i64 %%n%u, %d\n", l, l, ISA_LANES);
    put(&e->code, "  br i1 %%m%u, label %%chunk%u, label %%behind%u\nbehind%u:\n", l, l, l, l);
    for (unsigned k = 0; k < e->n_masks; k++) {
        const unsigned v = fresh(e);
        put(&e->code, "  %%t%u = load i64, ptr %%mask%u\n", v, e->mask[k].variable);
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
    put(&e->inside, "  %%p%u = getelementptr i8, ptr %%t%u, i64 %u\n", p, e->base, r * ROW_BYTES);
    put(&e->inside, "  %%t%u = load <%u x i32>, ptr %%p%u, align %u\n", v, e->library->chunk, p,
        vector_align(e));
    return e->row[r] = v;
}

/* A vector of one scalar; `scalar` is an operand of LLVM's. */
static unsigned broadcast(emitter_t *e, const char *scalar)
{
    const unsigned chunk = e->library->chunk, one = fresh(e), all = fresh(e);
    put(&e->before, "  %%t%u = insertelement <%u x i32> poison, i32 %s, i32 0\n", one, chunk,
        scalar);
    put(&e->before,
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
        put(&e->inside, "  %%t%u = and <%u x i32> %%t%u, %%t%u\n", v, chunk, row, mask);
        row = v;
    }
    snprintf(bits, sizeof bits, "%u", 0x80000000u);
    if (mods & ISA_MOD_NEG) {
        const unsigned mask = broadcast(e, bits), v = fresh(e);
        put(&e->inside, "  %%t%u = xor <%u x i32> %%t%u, %%t%u\n", v, chunk, row, mask);
        row = v;
    }
    return row;
}

/* The chunk's bits of a 64-bit set of lanes. */
static unsigned chunk_bits(emitter_t *e, unsigned lanes)
{
    const unsigned shifted = fresh(e), bits = fresh(e), masked = fresh(e);
    put(&e->inside, "  %%t%u = lshr i64 %%t%u, %%t%u\n  %%t%u = trunc i64 %%t%u to i32\n", shifted,
        lanes, e->lane, bits, shifted);
    put(&e->inside, "  %%t%u = and i32 %%t%u, %u\n", masked, bits,
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
    put(&e->inside, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x, offset);
    put(&e->inside, "  store <%u x i32> %%t%u, ptr %%p%u, align %u\n", e->library->chunk, row, p,
        vector_align(e));
}

static void store_word(emitter_t *e, unsigned x, unsigned offset, const char *value)
{
    const unsigned p = fresh(e);
    put(&e->inside, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n  store i32 %s, ptr %%p%u\n", p,
        x, offset, value, p);
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
        put(&e->inside, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x,
            r * vector_bytes(e));
        put(&e->inside, "  %%t%u = load <%u x i32>, ptr %%p%u, align %u\n", v, chunk, p,
            vector_align(e));
        e->changed[row] = true;
        if (!e->plan->masked) {
            e->row[row] = v;
            continue;
        }
        unsigned bits = exec_bits(e);
        const unsigned lanes = fresh(e), picked = fresh(e);
        if (chunk < 32) {
            const unsigned few = fresh(e);
            put(&e->inside, "  %%t%u = trunc i32 %%t%u to i%u\n", few, bits, chunk);
            bits = few;
        }
        put(&e->inside, "  %%t%u = bitcast i%u %%t%u to <%u x i1>\n", lanes, chunk, bits, chunk);
        put(&e->inside, "  %%t%u = select <%u x i1> %%t%u, <%u x i32> %%t%u, <%u x i32> %%t%u\n",
            picked, chunk, lanes, chunk, v, chunk, row_value(e, row));
        e->row[row] = picked;
    }
}

/* The lane mask that the instruction has written: kept as a value for the segment's own
 * instructions, and collected in a variable for later code. */
static void take_mask(emitter_t *e, int reg, unsigned x)
{
    const unsigned p = fresh(e), wide = fresh(e), placed = fresh(e), old = fresh(e), all = fresh(e);
    unsigned bits = fresh(e);
    put(&e->inside, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x, at_sets(e) + 4);
    put(&e->inside, "  %%t%u = load i32, ptr %%p%u\n", bits, p);
    if (e->plan->masked) {
        const unsigned active = exec_bits(e), both = fresh(e);
        put(&e->inside, "  %%t%u = and i32 %%t%u, %%t%u\n", both, bits, active);
        bits = both;
    }
    put(&e->entry, "  %%mask%u = alloca i64\n", p);
    put(&e->before, "  store i64 0, ptr %%mask%u\n", p);
    put(&e->inside, "  %%t%u = zext i32 %%t%u to i64\n", wide, bits);
    put(&e->inside, "  %%t%u = shl i64 %%t%u, %%t%u\n", placed, wide, e->lane);
    put(&e->inside, "  %%t%u = load i64, ptr %%mask%u\n", old, p);
    put(&e->inside, "  %%t%u = or i64 %%t%u, %%t%u\n", all, old, placed);
    put(&e->inside, "  store i64 %%t%u, ptr %%mask%u\n", all, p);
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
    put(&e->entry, "  %%x%u = alloca [%u x i8], align 64\n", x, at_sets(e) + 64);
    for (unsigned r = 0; r < rows; r++)
        store_row(e, x, r * vector_bytes(e), row_value(e, i->dst.reg + r));
    store_sources(e, s, x, sources);
    if (s->in >= 0) {
        snprintf(value, sizeof value, "%%t%u", mask_in(e, s->in));
        store_word(e, x, at_sets(e), value);
    }
    snprintf(value, sizeof value, "%u", e->plan->mode);
    store_word(e, x, at_sets(e) + 8, value);
    put(&e->inside, "  call void @%s(ptr %%x%u)\n", isa_library_name(name, i, false), x);
    e->n++;
    take_results(e, i, x, rows);
    if (s->out >= 0) take_mask(e, s->out, x);
}

/* ---- scalar instructions ---- */

static void store_wide(emitter_t *e, unsigned x, unsigned offset, const char *value)
{
    const unsigned p = fresh(e);
    put(&e->before, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n  store i64 %s, ptr %%p%u\n", p,
        x, offset, value, p);
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
        put(&e->before, "  %%t%u = zext i32 %%t%u to i64\n", wide, v);
        snprintf(value, sizeof value, "%%t%u", wide);
    }
    store_wide(e, x, offset, value);
}

static unsigned load_field(emitter_t *e, unsigned x, unsigned offset, unsigned bits)
{
    const unsigned p = fresh(e), v = fresh(e);
    put(&e->before, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x, offset);
    put(&e->before, "  %%t%u = load i%u, ptr %%p%u\n", v, bits, p);
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
    const unsigned x = fresh(e);
    put(&e->entry, "  %%x%u = alloca [%u x i8], align 8\n", x, (unsigned)SCALAR_BYTES);
    store_operand(e, x, AT_DST, &i->dst);
    store_operand(e, x, AT_SRC, &i->src[0]);
    store_operand(e, x, AT_SRC + 8, &i->src[1]);
    if (row->reads & ISA_REG_EXEC) {
        snprintf(value, sizeof value, "%%t%u", read_pair(e, &e->before, ISA_CODE_EXEC));
        store_wide(e, x, AT_EXEC, value);
    }
    const unsigned scc = read_scalar(e, &e->before, SCC), p = fresh(e);
    put(&e->before, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %d\n  store i32 %%t%u, ptr %%p%u\n",
        p, x, AT_SCC, scc, p);
    const unsigned q = fresh(e);
    put(&e->before, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %d\n  store i32 %d, ptr %%p%u\n", q,
        x, AT_IMM, i->imm, q);
    put(&e->before, "  call void @%s(ptr %%x%u)\n", isa_library_name(name, i, true), x);
    if (i->dst.kind == ISA_OPK_SGPR && i->dst.bits == 64)
        write_pair(e, &e->before, i->dst.reg, load_field(e, x, AT_DST, 64));
    else if (i->dst.kind == ISA_OPK_SGPR)
        write_scalar(e, &e->before, i->dst.reg, load_field(e, x, AT_DST, 32));
    if (row->writes & ISA_REG_EXEC)
        write_pair(e, &e->before, ISA_CODE_EXEC, load_field(e, x, AT_EXEC, 64));
    if (row->writes & ISA_REG_SCC) write_scalar(e, &e->before, SCC, load_field(e, x, AT_SCC, 32));
    e->exec = e->exec_bits = 0; /* EXEC may have changed */
}

/* ---- exits, handlers, branches ---- */

/* Returns how many instructions have run: those of earlier blocks and `more`. */
static void put_return(emitter_t *e, text_t *t, unsigned more)
{
    const unsigned v = fresh(e);
    put(t, "  %%c%u = load i64, ptr %%count\n  %%r%u = add i64 %%c%u, %u\n", v, v, v, more);
    put(t, "  %%g%u = load i32, ptr %%budget\n", v);
    put(t, "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n  store i32 %%g%u, ptr %%p%u\n", v,
        AT_WAVE(budget), v, v);
    put(t, "  ret i64 %%r%u\n", v);
}

/* Leaves the loop: the wave continues at `slot`. */
static void put_leave(emitter_t *e, text_t *t, const isa_inst_t *slot, unsigned more)
{
    flush(e, t);
    store_member(e, t, AT_WAVE(ip), 64, address(slot));
    put_return(e, t, more);
}

static void emit_call(emitter_t *e, const isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    const isa_row_desc_t *row = &isa_table[i->op];
    const unsigned k = fresh(e);
    close_segment(e);
    flush(e, &e->code);
    store_member(e, &e->code, AT_WAVE(ip), 64, address(i + i->dwords));
    put(&e->code,
        "  call void inttoptr (i64 %llu to ptr)(ptr %%w, ptr inttoptr (i64 %llu to ptr))\n",
        (unsigned long long)(uintptr_t)e->plan->page->core->handlers[i->op],
        (unsigned long long)address(i));
    put(&e->code, "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n  %%t%u = load i32, ptr %%p%u\n", k,
        AT_WAVE(stop), k, k);
    put(&e->code, "  %%z%u = icmp eq i32 %%t%u, 0\n", k, k);
    put(&e->code, "  br i1 %%z%u, label %%on%u, label %%stop%u, !prof !0\non%u:\n", k, k, k, k);
    put(&e->tail, "stop%u:\n", k);
    put_return(e, &e->tail, e->counted + 1);
    /* vector memory and LDS write no scalar register, matrix instructions neither */
    if (row->memory.unit == ISA_UNIT_VECTOR || row->memory.unit == ISA_UNIT_LDS ||
        row->klass == ISA_CLASS_MFMA)
        return;
    load_all(e, &e->code);
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
    put(&e->code, "  %%t%u = icmp %s i%d %%t%u, 0\n", c, zero ? "eq" : "ne", scc ? 32 : 64, v);
    return c;
}

static void add_count(emitter_t *e, unsigned n)
{
    const unsigned v = fresh(e);
    put(&e->code, "  %%c%u = load i64, ptr %%count\n  %%d%u = add i64 %%c%u, %u\n", v, v, v, n);
    put(&e->code, "  store i64 %%d%u, ptr %%count\n", v);
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
        put(&e->code, "  br i1 %%t%u, label %%taken%u, label %%next%u\n", c, k, k);
    } else {
        put(&e->code, "  br label %%taken%u\n", k);
    }
    put(&e->code, "taken%u:\n  %%g%u = load i32, ptr %%budget\n  %%h%u = sub i32 %%g%u, 1\n", k, k,
        k, k);
    put(&e->code, "  store i32 %%h%u, ptr %%budget\n  %%y%u = icmp slt i32 %%h%u, 0\n", k, k, k);
    if (s->to >= 0)
        put(&e->code, "  br i1 %%y%u, label %%yield%u, label %%i%d, !prof !1\n", k, k, s->to);
    else
        put(&e->code, "  br i1 %%y%u, label %%yield%u, label %%leave%u, !prof !1\n", k, k, k);
    put(&e->tail, "yield%u:\n", k);
    store_member(e, &e->tail, AT_WAVE(stop), 32, ISA_STOP_YIELD);
    put_leave(e, &e->tail, to, 0);
    if (s->to < 0) {
        put(&e->tail, "leave%u:\n", k);
        put_leave(e, &e->tail, to, 0);
    }
    put(&e->code, "next%u:\n", k);
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
            put(&e->code, "  br label %%i%u\ni%u:\n", k, k);
            e->counted = 0;
        }
        if (s->kind != ISA_STEP_LEAVE) {
            emit_step(e, s);
            continue;
        }
        close_segment(e);
        put_leave(e, &e->code, s->i, e->counted);
        put(&e->code, "unreached%u:\n", fresh(e));
    }
    close_segment(e);
    const isa_inst_t *last = plan->step[plan->n - 1].i;
    put_leave(e, &e->code, last + last->dwords, e->counted);
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

static void put_declarations(text_t *t, const isa_plan_t *plan)
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
        if (!again) put(t, "declare void @%s(ptr)\n", name);
    }
}

static void put_all(emitter_t *e, text_t *t)
{
    put_declarations(t, e->plan);
    put(t, "define i64 @translated(ptr noundef %%w) #0 {\n");
    for (unsigned s = 0; s <= SCC; s++)
        if (e->used[s]) put(t, "  %%s%u = alloca i32\n", s);
    put(t, "  %%count = alloca i64\n  %%budget = alloca i32\n");
    move(t, &e->entry);
    put(t, "  store i64 0, ptr %%count\n");
    put(t, "  %%wr = getelementptr i8, ptr %%w, i64 %u\n  %%rows = load ptr, ptr %%wr\n",
        AT_WAVE(vgpr));
    put(t, "  %%wb = getelementptr i8, ptr %%w, i64 %u\n  %%b0 = load i32, ptr %%wb\n",
        AT_WAVE(budget));
    put(t, "  store i32 %%b0, ptr %%budget\n");
    load_all(e, t);
    move(t, &e->code);
    move(t, &e->tail);
    put(t,
        "}\nattributes #0 = { nounwind \"target-cpu\"=\"%s\" \"min-legal-vector-width\"=\"%u\" "
        "\"prefer-vector-width\"=\"%u\" }\n",
        e->library->cpu, e->library->bits, e->library->bits);
    put(t, "!0 = !{!\"branch_weights\", i32 1000, i32 1}\n"
           "!1 = !{!\"branch_weights\", i32 1, i32 1000}\n");
}

char *isa_emit(const isa_plan_t *plan, const isa_library_t *library)
{
    emitter_t *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    text_t all = {0};
    e->plan = plan;
    e->library = library;
    emit_function(e);
    put_all(e, &all);
    text_t *const parts[] = {&e->entry, &e->code, &e->tail, &e->before, &e->inside};
    for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++) {
        all.failed |= parts[k]->failed;
        free(parts[k]->at);
    }
    free(e);
    if (!all.failed) return all.at;
    free(all.at);
    return NULL;
}
