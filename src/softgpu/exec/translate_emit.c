/* translate_emit.c - LLVM's assembly of planned code: scalar instructions, branches, handlers.
 *
 * Scalar registers are variables of the function, which LLVM keeps in the host's registers; they
 * are stored to the wave where the code is left, and for a handler those that it reads. What has
 * run is counted when EXEC is about to change, and before all that may stop the wave. */
#include "softgpu/exec/translate_emit.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- addresses ----
 *
 * The text has no address in it, so that the code can be kept on disk and loaded by another
 * process: slots are found from the wave's page, handlers from its core. */

#define AT_WAVE(member) (unsigned)offsetof(isa_wave_t, member)

/* A slot of the page. */
unsigned isa_emit_slot(isa_emitter_t *e, isa_text_t *t, const isa_inst_t *slot)
{
    const unsigned p = isa_emit_fresh(e);
    const char *page = (const char *)e->plan->page;
    isa_put(t, "  %%p%u = getelementptr i8, ptr %%page, i64 %llu\n", p,
            (unsigned long long)((const char *)slot - page));
    return p;
}

/* The instruction's own handler (isa_own_handler()). */
unsigned isa_emit_handler(isa_emitter_t *e, isa_text_t *t, const isa_inst_t *i)
{
    const unsigned fn = isa_emit_fresh(e);
    if (i->fmt == ISA_FMT_VOPD) {
        isa_put(t, "  %%q%u = getelementptr i8, ptr %%core, i64 %zu\n", fn,
                offsetof(isa_core_t, dual));
    } else {
        isa_put(t, "  %%q%u = getelementptr ptr, ptr %%handlers, i64 %u\n", fn, (unsigned)i->op);
    }
    isa_put(t, "  %%f%u = load ptr, ptr %%q%u\n", fn, fn);
    return fn;
}

/* Finds the page, the core and its table of handlers, once for the function. */
static void put_bases(isa_text_t *t)
{
    isa_put(t, "  %%wp = getelementptr i8, ptr %%w, i64 %u\n  %%page = load ptr, ptr %%wp\n",
            AT_WAVE(page));
    isa_put(t, "  %%pc = getelementptr i8, ptr %%page, i64 %zu\n  %%core = load ptr, ptr %%pc\n",
            offsetof(isa_page_t, core));
    isa_put(t,
            "  %%ch = getelementptr i8, ptr %%core, i64 %zu\n  %%handlers = load ptr, ptr %%ch\n",
            offsetof(isa_core_t, handlers));
}

/* Stores a constant of `bits` bits to a member of the wave. */
static void store_member(isa_emitter_t *e, isa_text_t *t, unsigned offset, unsigned bits,
                         uint64_t value)
{
    const unsigned p = isa_emit_fresh(e);
    isa_put(t, "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n  store i%u %llu, ptr %%p%u\n", p,
            offset, bits, (unsigned long long)value, p);
}

/* Sets where the wave goes on. */
static void store_ip(isa_emitter_t *e, isa_text_t *t, const isa_inst_t *slot)
{
    const unsigned p = isa_emit_fresh(e), at = isa_emit_slot(e, t, slot);
    isa_put(t, "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n  store ptr %%p%u, ptr %%p%u\n", p,
            AT_WAVE(ip), at, p);
}

static unsigned member_of(unsigned scalar)
{
    return scalar == ISA_EMIT_SCC ? AT_WAVE(scc) : AT_WAVE(sgpr) + 4 * scalar;
}

/* ---- scalar registers: variables of the function ----
 *
 * A pair that is only used as a pair is one variable of 64 bits, so are VCC and EXEC; every other
 * register is a variable of its own. */

enum { NAME = 16 };

/* The variable's name is that of the pair's first register. */
static bool is_wide(const isa_emitter_t *e, unsigned scalar)
{
    return scalar <= ISA_CODE_EXEC + 1 && e->wide[scalar & ~1u];
}

/* Called when it is known how registers are used. */
static void choose_wide(isa_emitter_t *e)
{
    for (unsigned s = 0; s <= ISA_CODE_EXEC; s += 2) {
        const bool used = e->used[s] || e->used[s + 1];
        e->wide[s] = s == ISA_CODE_VCC || s == ISA_CODE_EXEC
                         ? used
                         : used && !e->single[s] && !e->single[s + 1];
        if (!e->wide[s]) continue;
        e->used[s] = e->used[s + 1] = true;
        e->written[s] = e->written[s + 1] = e->written[s] || e->written[s + 1];
    }
}

/* The place of a register: its variable, or a half of its pair's. Writes what that needs to `t`. */
static const char *place_of(isa_emitter_t *e, isa_text_t *t, unsigned scalar, char *name)
{
    if (is_wide(e, scalar) && scalar & 1) {
        const unsigned p = isa_emit_fresh(e);
        isa_put(t, "  %%p%u = getelementptr i8, ptr %%s%u, i64 4\n", p, scalar - 1);
        snprintf(name, NAME, "%%p%u", p);
    } else {
        snprintf(name, NAME, "%%s%u", scalar);
    }
    return name;
}

static unsigned read_one(isa_emitter_t *e, isa_text_t *t, unsigned scalar)
{
    char name[NAME];
    const char *place = place_of(e, t, scalar, name);
    const unsigned v = isa_emit_fresh(e);
    e->used[scalar] = true;
    isa_put(t, "  %%t%u = load i32, ptr %s\n", v, place);
    return v;
}

static void write_one(isa_emitter_t *e, isa_text_t *t, unsigned scalar, unsigned value)
{
    char name[NAME];
    e->used[scalar] = e->written[scalar] = true;
    e->stored[scalar] = false;
    isa_put(t, "  store i32 %%t%u, ptr %s\n", value, place_of(e, t, scalar, name));
}

unsigned isa_emit_read(isa_emitter_t *e, isa_text_t *t, unsigned scalar)
{
    e->single[scalar] = true;
    return read_one(e, t, scalar);
}

void isa_emit_write(isa_emitter_t *e, isa_text_t *t, unsigned scalar, unsigned value)
{
    e->single[scalar] = true;
    write_one(e, t, scalar, value);
}

/* A pair as 64 bits. */
unsigned isa_emit_read_pair(isa_emitter_t *e, isa_text_t *t, unsigned scalar)
{
    const unsigned d = isa_emit_fresh(e);
    if (is_wide(e, scalar) && !(scalar & 1)) {
        isa_put(t, "  %%t%u = load i64, ptr %%s%u\n", d, scalar);
        return d;
    }
    const unsigned low = read_one(e, t, scalar), high = read_one(e, t, scalar + 1);
    const unsigned a = isa_emit_fresh(e), b = isa_emit_fresh(e), c = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = zext i32 %%t%u to i64\n  %%t%u = zext i32 %%t%u to i64\n", a, low, b,
            high);
    isa_put(t, "  %%t%u = shl i64 %%t%u, 32\n  %%t%u = or i64 %%t%u, %%t%u\n", c, b, d, a, c);
    return d;
}

void isa_emit_write_pair(isa_emitter_t *e, isa_text_t *t, unsigned scalar, unsigned value)
{
    if (is_wide(e, scalar) && !(scalar & 1)) {
        e->written[scalar] = e->written[scalar + 1] = true;
        e->stored[scalar] = e->stored[scalar + 1] = false;
        isa_put(t, "  store i64 %%t%u, ptr %%s%u\n", value, scalar);
        return;
    }
    const unsigned low = isa_emit_fresh(e), shifted = isa_emit_fresh(e), high = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = trunc i64 %%t%u to i32\n  %%t%u = lshr i64 %%t%u, 32\n", low, value,
            shifted, value);
    isa_put(t, "  %%t%u = trunc i64 %%t%u to i32\n", high, shifted);
    write_one(e, t, scalar, low);
    write_one(e, t, scalar + 1, high);
}

/* A set of lanes, which in waves of 32 lanes is one register, as 64 bits. */
unsigned isa_emit_read_mask(isa_emitter_t *e, isa_text_t *t, unsigned scalar)
{
    if (isa_page_lanes(e->plan->page) == 64) return isa_emit_read_pair(e, t, scalar);
    const unsigned v = isa_emit_read(e, t, scalar), wide = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = zext i32 %%t%u to i64\n", wide, v);
    return wide;
}

void isa_emit_write_mask(isa_emitter_t *e, isa_text_t *t, unsigned scalar, unsigned value)
{
    if (isa_page_lanes(e->plan->page) == 64) {
        isa_emit_write_pair(e, t, scalar, value);
        return;
    }
    const unsigned low = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = trunc i64 %%t%u to i32\n", low, value);
    isa_emit_write(e, t, scalar, low);
}

/* The address of a register in the wave. */
unsigned isa_emit_member(isa_emitter_t *e, isa_text_t *t, unsigned s)
{
    const unsigned p = isa_emit_fresh(e);
    isa_put(t, "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n", p, member_of(s));
    return p;
}

/* Whether registers s and s + 1, the first of which is even, are stored at once: handlers read
 * pairs by one load of 64 bits, to which the host could not forward two stores of 32. */
static bool stores_both(const isa_emitter_t *e, unsigned s)
{
    return !(s & 1) && s <= ISA_CODE_EXEC && e->used[s] && e->used[s + 1];
}

/* Stores a register that the code writes to the wave, or (`both`) a pair. What the block has stored
 * since it was written last is there already; ways out (`tail`) belong to no block. */
static void store_unit(isa_emitter_t *e, isa_text_t *t, unsigned s, bool both)
{
    const unsigned last = s + both;
    if (!e->written[s] && !e->written[last]) return;
    if (t == &e->code && e->stored[s] && e->stored[last]) return;
    const unsigned v = both ? isa_emit_read_pair(e, t, s) : read_one(e, t, s);
    isa_put(t, "  store i%u %%t%u, ptr %%p%u\n", both ? 64 : 32, v, isa_emit_member(e, t, s));
    if (t == &e->code) e->stored[s] = e->stored[last] = true;
}

void isa_emit_save(isa_emitter_t *e, unsigned first, unsigned n)
{
    /* in the wave EXEC is the set of lanes that are left: the plan makes calls of what reads it */
    e->rest.failed |= first + n > ISA_CODE_EXEC;
    for (unsigned s = first; s < first + n; s++) {
        const bool both = s + 1 < first + n && stores_both(e, s);
        const unsigned last = s + both;
        if ((e->written[s] && !e->stored[s]) || (e->written[last] && !e->stored[last])) {
            const unsigned v =
                both ? isa_emit_read_pair(e, &e->before, s) : read_one(e, &e->before, s);
            isa_put(&e->rest, "  store i%u %%t%u, ptr %%p%u\n", both ? 64 : 32, v,
                    isa_emit_member(e, &e->rest, s));
        }
        s = last;
    }
}

static void store_scalars(isa_emitter_t *e, isa_text_t *t, unsigned first, unsigned n)
{
    for (unsigned s = first; s < first + n && s <= ISA_EMIT_SCC; s++) {
        if (s & 1 && is_wide(e, s)) s--; /* a half of a variable: both are stored */
        const bool both = stores_both(e, s);
        store_unit(e, t, s, both);
        s += both;
    }
}

/* Loads a register that the code uses. */
static void load_scalar(isa_emitter_t *e, isa_text_t *t, unsigned s)
{
    char name[NAME];
    if (!e->used[s]) return;
    const unsigned p = isa_emit_member(e, t, s), v = isa_emit_fresh(e);
    isa_put(t, "  %%v%u = load i32, ptr %%p%u\n", v, p);
    isa_put(t, "  store i32 %%v%u, ptr %s\n", v, place_of(e, t, s, name));
    e->stored[s] = true;
}

static void load_pair(isa_emitter_t *e, isa_text_t *t, unsigned s)
{
    const unsigned p = isa_emit_member(e, t, s), v = isa_emit_fresh(e);
    isa_put(t, "  %%v%u = load i64, ptr %%p%u\n  store i64 %%v%u, ptr %%s%u\n", v, p, v, s);
    e->stored[s] = e->stored[s + 1] = true;
}

static void load_scalars(isa_emitter_t *e, isa_text_t *t, unsigned first, unsigned n)
{
    for (unsigned s = first; s < first + n && s <= ISA_EMIT_SCC; s++) {
        const bool pair = is_wide(e, s) && !(s & 1) && s + 1 < first + n;
        if (pair)
            load_pair(e, t, s++);
        else
            load_scalar(e, t, s);
    }
}

/* ---- scalar instructions ---- */

static void store_wide(isa_emitter_t *e, unsigned x, unsigned offset, const char *value)
{
    const unsigned p = isa_emit_fresh(e);
    isa_put(&e->before,
            "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n  store i64 %s, ptr %%p%u\n", p, x,
            offset, value, p);
}

/* Stores a scalar operand as 64 bits. */
static void store_operand(isa_emitter_t *e, unsigned x, unsigned offset, const isa_operand_t *o)
{
    char value[32];
    if (o->kind == ISA_OPK_NONE) return;
    if (o->kind == ISA_OPK_CONST) {
        snprintf(value, sizeof value, "%llu", (unsigned long long)o->k);
    } else if (o->bits == 64) {
        snprintf(value, sizeof value, "%%t%u", isa_emit_read_pair(e, &e->before, o->reg));
    } else {
        const unsigned v = isa_emit_read(e, &e->before, o->reg), wide = isa_emit_fresh(e);
        isa_put(&e->before, "  %%t%u = zext i32 %%t%u to i64\n", wide, v);
        snprintf(value, sizeof value, "%%t%u", wide);
    }
    store_wide(e, x, offset, value);
}

static unsigned load_field(isa_emitter_t *e, unsigned x, unsigned offset, unsigned bits)
{
    const unsigned p = isa_emit_fresh(e), v = isa_emit_fresh(e);
    isa_put(&e->before, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x, offset);
    isa_put(&e->before, "  %%t%u = load i%u, ptr %%p%u\n", v, bits, p);
    return v;
}

static void emit_scalar(isa_emitter_t *e, const isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    const isa_row_desc_t *row = &isa_table[i->op];
    char name[ISA_LIBRARY_NAME], value[32];
    isa_emit_settle(e, &i->dst);
    isa_emit_settle(e, &i->src[0]);
    isa_emit_settle(e, &i->src[1]);
    isa_known_lose(e->known, i);
    const unsigned x = isa_emit_fresh(e);
    isa_put(&e->entry, "  %%x%u = alloca [%u x i8], align 8\n", x, (unsigned)ISA_SCALAR_BYTES);
    store_operand(e, x, ISA_SCALAR_DST, &i->dst);
    store_operand(e, x, ISA_SCALAR_SRC, &i->src[0]);
    store_operand(e, x, ISA_SCALAR_SRC + 8, &i->src[1]);
    if (row->reads & ISA_REG_EXEC) {
        snprintf(value, sizeof value, "%%t%u", isa_emit_read_pair(e, &e->before, ISA_CODE_EXEC));
        store_wide(e, x, ISA_SCALAR_EXEC, value);
    }
    const unsigned scc = isa_emit_read(e, &e->before, ISA_EMIT_SCC), p = isa_emit_fresh(e);
    isa_put(&e->before,
            "  %%p%u = getelementptr i8, ptr %%x%u, i64 %d\n  store i32 %%t%u, ptr %%p%u\n", p, x,
            ISA_SCALAR_SCC, scc, p);
    const unsigned q = isa_emit_fresh(e);
    isa_put(&e->before,
            "  %%p%u = getelementptr i8, ptr %%x%u, i64 %d\n  store i32 %d, ptr %%p%u\n", q, x,
            ISA_SCALAR_IMM, i->imm, q);
    isa_put(&e->before, "  call void @%s(ptr %%x%u)\n",
            isa_library_name(name, i, ISA_FUNCTION_SCALAR), x);
    if (i->dst.kind == ISA_OPK_SGPR && i->dst.bits == 64)
        isa_emit_write_pair(e, &e->before, i->dst.reg, load_field(e, x, ISA_SCALAR_DST, 64));
    else if (i->dst.kind == ISA_OPK_SGPR)
        isa_emit_write(e, &e->before, i->dst.reg, load_field(e, x, ISA_SCALAR_DST, 32));
    if (row->writes & ISA_REG_EXEC)
        isa_emit_write_pair(e, &e->before, ISA_CODE_EXEC, load_field(e, x, ISA_SCALAR_EXEC, 64));
    if (row->writes & ISA_REG_SCC)
        isa_emit_write(e, &e->before, ISA_EMIT_SCC, load_field(e, x, ISA_SCALAR_SCC, 32));
}

/* ---- exits, handlers, branches ---- */

/* The way out: `more` instructions have run since the count was last brought up to date. */
static void put_out(isa_emitter_t *e, isa_text_t *t, unsigned more)
{
    isa_emit_sums(e, t, more);
    const unsigned v = isa_emit_fresh(e);
    isa_put(t, "  %%c%u = load i64, ptr %%count\n  %%r%u = add i64 %%c%u, %u\n", v, v, v, more);
    isa_put(t, "  store i64 %%r%u, ptr %%count\n  br label %%out\n", v);
}

/* Where all ways out end. */
static void put_return(isa_emitter_t *e, isa_text_t *t)
{
    isa_put(t, "out:\n");
    store_scalars(e, t, 0, ISA_EMIT_SCC + 1);
    isa_put(t, "  %%gout = load i32, ptr %%budget\n  store i32 %%gout, ptr %%wb\n");
    isa_put(t, "  %%rout = load i64, ptr %%count\n  ret i64 %%rout\n");
}

/* Leaves the code: the wave goes on at `slot`. */
static void put_leave(isa_emitter_t *e, isa_text_t *t, const isa_inst_t *slot, unsigned more)
{
    store_ip(e, t, slot);
    put_out(e, t, more);
}

/* What handlers do with scalar registers. */
typedef enum {
    TAKES_ANY,    /* reads and writes any */
    TAKES_SOURCE, /* reads those of its operands, FLAT_SCRATCH, M0, VCC and EXEC, writes none */
    TAKES_RESULT, /* reads as above, writes those of its destination */
    TAKES_VECTOR  /* reads as above, writes those of its destinations, and VCC */
} takes_t;

static takes_t takes(const isa_inst_t *i)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    for (unsigned n = 0; n < 4; n++) /* SCC or VCCZ, perhaps: a buffer's offset */
        if (i->src[n].kind == ISA_OPK_SPECIAL) return TAKES_ANY;
    if (i->fmt == ISA_FMT_VOPD || isa_plan_ends_turn(i)) return TAKES_SOURCE;
    if (row->klass == ISA_CLASS_SMEM_RD) return TAKES_RESULT;
    if (row->klass == ISA_CLASS_VALU && !isa_plan_writes_exec(i) && !(row->marks & ISA_IS_MOVREL))
        return TAKES_VECTOR;
    return row->memory.unit == ISA_UNIT_VECTOR || row->memory.unit == ISA_UNIT_LDS ||
                   row->klass == ISA_CLASS_MFMA
               ? TAKES_SOURCE
               : TAKES_ANY;
}

/* Both halves of a pair of which the code writes one become variables, so that they are stored at
 * once. */
static void store_registers(isa_emitter_t *e, const isa_operand_t *o)
{
    const unsigned n = (o->bits + 31u) / 32u;
    if (o->kind != ISA_OPK_SGPR) return;
    for (unsigned s = o->reg & ~1u; n > 1 && s < o->reg + n && s <= ISA_CODE_EXEC; s += 2)
        if (e->written[s] || e->written[s + 1]) e->used[s] = e->used[s + 1] = true;
    store_scalars(e, &e->code, o->reg, n);
}

/* Stores what the handler may read, and what is loaded behind it: a handler that stops the wave may
 * have written nothing. */
static void store_for(isa_emitter_t *e, const isa_inst_t *i)
{
    const takes_t how = takes(i);
    if (how == TAKES_ANY) {
        store_scalars(e, &e->code, 0, ISA_EMIT_SCC + 1);
        return;
    }
    for (unsigned n = 0; n < 4; n++)
        store_registers(e, &i->src[n]);
    if (how == TAKES_RESULT || how == TAKES_VECTOR) store_registers(e, &i->dst);
    if (how == TAKES_VECTOR) store_registers(e, &i->dst2);
    store_scalars(e, &e->code, ISA_CODE_FLAT_SCRATCH, 2);
    store_scalars(e, &e->code, ISA_CODE_VCC, 2);
    store_scalars(e, &e->code, ISA_CODE_M0, 1);
    store_scalars(e, &e->code, ISA_CODE_EXEC, 2);
}

static void load_registers(isa_emitter_t *e, const isa_operand_t *o)
{
    if (o->kind == ISA_OPK_SGPR) load_scalars(e, &e->code, o->reg, (o->bits + 31u) / 32u);
}

/* Loads what it may have written. */
static void load_behind(isa_emitter_t *e, const isa_inst_t *i)
{
    const takes_t how = takes(i);
    if (how == TAKES_ANY) load_scalars(e, &e->code, 0, ISA_EMIT_SCC + 1);
    if (how == TAKES_RESULT || how == TAKES_VECTOR) load_registers(e, &i->dst);
    if (how != TAKES_VECTOR) return;
    load_registers(e, &i->dst2);
    load_scalars(e, &e->code, ISA_CODE_VCC, 2);
}

/* Brings the count of instructions that have run up to date: n more have, or are about to. */
static void add_count(isa_emitter_t *e, unsigned n)
{
    const unsigned v = isa_emit_fresh(e);
    isa_put(&e->code, "  %%c%u = load i64, ptr %%count\n  %%d%u = add i64 %%c%u, %u\n", v, v, v, n);
    isa_put(&e->code, "  store i64 %%d%u, ptr %%count\n", v);
    isa_emit_sums(e, &e->code, n);
    e->counted = 0;
}

/* Counts what there is to count of the access besides its run. */
static void put_count_access(isa_emitter_t *e, unsigned slot)
{
    const unsigned fn = isa_emit_fresh(e);
    isa_put(&e->code, "  %%q%u = getelementptr i8, ptr %%core, i64 %zu\n", fn,
            offsetof(isa_core_t, count_access));
    isa_put(&e->code, "  %%f%u = load ptr, ptr %%q%u\n  call void %%f%u(ptr %%w, ptr %%p%u)\n", fn,
            fn, fn, slot);
}

static void emit_call(isa_emitter_t *e, const isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    const unsigned k = isa_emit_fresh(e);
    isa_emit_close(e);
    isa_known_forget(e->known);
    add_count(e, e->counted + 1);
    store_for(e, i);
    store_ip(e, &e->code, i + i->dwords);
    const unsigned slot = isa_emit_slot(e, &e->code, i), fn = isa_emit_handler(e, &e->code, i);
    if (e->plan->bucket && !isa_count_is_plain(i)) put_count_access(e, slot);
    isa_put(&e->code, "  call void %%f%u(ptr %%w, ptr %%p%u)\n", fn, slot);
    load_behind(e, i);
    isa_put(&e->code,
            "  %%p%u = getelementptr i8, ptr %%w, i64 %u\n  %%t%u = load i32, ptr %%p%u\n", k,
            AT_WAVE(stop), k, k);
    isa_put(&e->code, "  %%z%u = icmp eq i32 %%t%u, 0\n", k, k);
    isa_put(&e->code, "  br i1 %%z%u, label %%on%u, label %%stop%u, !prof !0\non%u:\n", k, k, k, k);
    isa_put(&e->tail, "stop%u:\n", k);
    put_out(e, &e->tail, 0);
}

/* The condition of a branch, as a value of one bit. */
static unsigned condition(isa_emitter_t *e, unsigned op)
{
    const bool scc = op == ISA_OP_s_cbranch_scc0 || op == ISA_OP_s_cbranch_scc1;
    const bool vcc = op == ISA_OP_s_cbranch_vccz || op == ISA_OP_s_cbranch_vccnz;
    const bool zero =
        op == ISA_OP_s_cbranch_scc0 || op == ISA_OP_s_cbranch_vccz || op == ISA_OP_s_cbranch_execz;
    const unsigned v = scc ? isa_emit_read(e, &e->code, ISA_EMIT_SCC)
                           : isa_emit_read_mask(e, &e->code, vcc ? ISA_CODE_VCC : ISA_CODE_EXEC);
    const unsigned c = isa_emit_fresh(e);
    isa_put(&e->code, "  %%t%u = icmp %s i%d %%t%u, 0\n", c, zero ? "eq" : "ne", scc ? 32 : 64, v);
    return c;
}

/* Emits a branch; a taken one is counted against the wave's slice. */
static void emit_branch(isa_emitter_t *e, const isa_step_t *s)
{
    const isa_inst_t *i = s->i, *to = i + i->dwords + i->imm;
    const unsigned k = isa_emit_fresh(e);
    isa_emit_close(e);
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
}

static void emit_dual(isa_emitter_t *e, const isa_step_t *s)
{
    const isa_halves_t h = isa_plan_halves(e->plan->page, s->i);
    isa_emit_chunk(e, &h.half[0]);
    isa_emit_chunk(e, &h.half[1]);
}

/* An instruction that changes EXEC is counted before it does. */
static void emit_new_exec(isa_emitter_t *e, const isa_step_t *s)
{
    isa_emit_close(e);
    add_count(e, e->counted + 1);
    emit_scalar(e, s);
}

static void emit_step(isa_emitter_t *e, const isa_step_t *s)
{
    e->ran[e->counted] = s->i;
    switch (s->kind) {
    case ISA_STEP_SCALAR:
        if (isa_plan_writes_exec(s->i)) {
            emit_new_exec(e, s);
            return;
        }
        emit_scalar(e, s);
        break;
    case ISA_STEP_CHUNK: isa_emit_chunk(e, s); break;
    case ISA_STEP_DUAL: emit_dual(e, s); break;
    case ISA_STEP_LANE: isa_emit_move_lane(e, s->i); break;
    case ISA_STEP_CALL: emit_call(e, s); return;
    case ISA_STEP_BRANCH: emit_branch(e, s); return;
    default: break;
    }
    e->counted++;
}

static void emit_steps(isa_emitter_t *e)
{
    const isa_plan_t *plan = e->plan;
    e->counted = 0;
    for (unsigned k = 0; k < plan->n; k++) {
        const isa_step_t *s = &plan->step[k];
        if (s->leads) {
            isa_emit_close(e);
            if (e->counted) add_count(e, e->counted);
            if (k) isa_put(&e->code, "  br label %%i%u\n", k);
            isa_put(&e->code, "i%u:\n", k);
            memset(e->stored, 0, sizeof e->stored);
            isa_known_forget(e->known);
        }
        if (s->kind != ISA_STEP_LEAVE) {
            emit_step(e, s);
            continue;
        }
        isa_emit_close(e);
        put_leave(e, &e->code, s->i, e->counted);
        e->counted = 0;
        isa_put(&e->code, "unreached%u:\n", isa_emit_fresh(e));
    }
    isa_emit_close(e);
    const isa_inst_t *last = plan->step[plan->n - 1].i;
    put_leave(e, &e->code, last + last->dwords, e->counted);
    put_return(e, &e->tail);
}

/* Writes the whole function. The first pass finds the scalar registers that it writes, the second
 * one those that it uses; each, which NaNs need no test. */
static void emit_function(isa_emitter_t *e)
{
    for (int round = 0; round < 3; round++) {
        e->entry.size = e->code.size = e->tail.size = e->tables.size = 0;
        e->next = e->groups = 0;
        e->pace.segment = 0;
        isa_emit_begin_nans(e);
        emit_steps(e);
        if (round == 1) choose_wide(e);
    }
}

/* Operation n % 2 of step n / 2, if that step is of the kind; else NULL. A step that is no VOPD
 * instruction has operation 0 alone. */
static const isa_inst_t *operation(const isa_plan_t *plan, unsigned n, isa_step_kind_t kind)
{
    const isa_step_t *s = &plan->step[n / 2];
    if (s->kind == ISA_STEP_DUAL && kind == ISA_STEP_CHUNK)
        return isa_plan_halves(plan->page, s->i).half[n % 2].i;
    return s->kind == kind && n % 2 == 0 ? s->i : NULL;
}

/* Declares the functions of one kind that the plan's steps of a kind call. */
static void declare(isa_text_t *t, const isa_plan_t *plan, isa_step_kind_t step,
                    isa_function_t kind)
{
    char name[ISA_LIBRARY_NAME];
    bool declared[ISA_OP_COUNT] = {false};
    for (unsigned n = 0; n < 2 * plan->n; n++) {
        const isa_inst_t *i = operation(plan, n, step);
        if (!i || declared[isa_table[i->op].body]) continue;
        declared[isa_table[i->op].body] = true;
        if (isa_compiler_has(isa_library_name(name, i, kind)))
            isa_put(t, "declare void @%s(ptr)\n", name);
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

static void put_all(isa_emitter_t *e, isa_text_t *t)
{
    declare(t, e->plan, ISA_STEP_SCALAR, ISA_FUNCTION_SCALAR);
    declare(t, e->plan, ISA_STEP_CHUNK, ISA_FUNCTION_CHUNK);
    declare(t, e->plan, ISA_STEP_CHUNK, ISA_FUNCTION_QUICK);
    isa_emit_declare_reads(t);
    isa_emit_declare_sums(e, t);
    isa_put(t, "declare void @" ISA_EMIT_WIDEN "(ptr, ptr)\n");
    isa_move(t, &e->tables);
    isa_put(t, "define i64 @translated(ptr noundef %%w, i32 %%entry) #0 {\n");
    for (unsigned s = 0; s <= ISA_EMIT_SCC; s++)
        if (e->used[s] && !(s & 1 && is_wide(e, s)))
            isa_put(t, "  %%s%u = alloca i%u\n", s, is_wide(e, s) ? 64u : 32u);
    isa_put(t, "  %%count = alloca i64\n  %%budget = alloca i32\n  %%left = alloca i64\n");
    isa_move(t, &e->entry);
    isa_put(t, "  store i64 0, ptr %%count\n");
    isa_put(t, "  %%wr = getelementptr i8, ptr %%w, i64 %u\n  %%rows = load ptr, ptr %%wr\n",
            AT_WAVE(vgpr));
    put_bases(t);
    isa_emit_find_sums(e, t);
    isa_put(t, "  %%wb = getelementptr i8, ptr %%w, i64 %u\n  %%b0 = load i32, ptr %%wb\n",
            AT_WAVE(budget));
    isa_put(t, "  store i32 %%b0, ptr %%budget\n");
    load_scalars(e, t, 0, ISA_EMIT_SCC + 1);
    put_entries(e->plan, t);
    isa_move(t, &e->code);
    isa_move(t, &e->tail);
    isa_put(t,
            "}\nattributes #0 = { nounwind \"target-cpu\"=\"%s\" \"min-legal-vector-width\"=\"%u\" "
            "\"prefer-vector-width\"=\"%u\" }\nattributes #1 = { noinline }\n",
            e->library->cpu, e->library->bits, e->library->bits);
    isa_put(t, "!0 = !{!\"branch_weights\", i32 1000, i32 1}\n"
               "!1 = !{!\"branch_weights\", i32 1, i32 1000}\n");
}

char *isa_emit(const isa_plan_t *plan, const isa_library_t *library)
{
    isa_emitter_t *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    isa_text_t all = {0};
    e->plan = plan;
    e->library = library;
    e->known = isa_known_new(plan);
    if (!e->known) {
        free(e);
        return NULL;
    }
    emit_function(e);
    put_all(e, &all);
    isa_text_t *const parts[] = {&e->entry,       &e->code,        &e->tail,        &e->before,
                                 &e->begin,       &e->end,         &e->tables,      &e->way[0].text,
                                 &e->way[1].text, &e->way[2].text, &e->way[3].text, &e->rest};
    for (unsigned k = 0; k < sizeof parts / sizeof *parts; k++) {
        all.failed |= parts[k]->failed;
        free(parts[k]->at);
    }
    free(e->known);
    free(e);
    if (!all.failed) return all.at;
    free(all.at);
    return NULL;
}
