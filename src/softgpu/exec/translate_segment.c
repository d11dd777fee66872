/* translate_segment.c - LLVM's assembly of vector instructions.
 *
 * Vector instructions that follow each other are a segment: a loop over chunks of lanes, in which
 * rows are values. What is scalar in a segment stands before that loop. */
#include "softgpu/exec/translate_emit.h"

#include <stdio.h>
#include <string.h>

enum {
    ROW_BYTES = 4 * ISA_ROW,
    CALLS_AT_MOST = 96, /* instructions of a segment */
    WHOLE_AT_MOST = 16, /* those of one that has a loop of its own for a full EXEC */
    BLENDED_AT_MOST = 8 /* rows for which that one's other loop does not ask for whole chunks */
};

/* ---- segments ---- */

/* Bytes of a row's part in a chunk. */
static unsigned vector_bytes(const isa_emitter_t *e)
{
    return 4 * e->library->chunk;
}

static unsigned vector_align(const isa_emitter_t *e)
{
    return e->library->bits / 8;
}

/* Offsets in isa_chunk_t. */
static unsigned at_source(const isa_emitter_t *e, unsigned n, unsigned r)
{
    return (ISA_CHUNK_AT_SOURCES + n * ISA_CHUNK_ROWS + r) * vector_bytes(e);
}

static unsigned at_set(const isa_emitter_t *e, isa_set_t set)
{
    return (ISA_CHUNK_AT_SETS + set) * vector_bytes(e);
}

static unsigned behind_rows(const isa_emitter_t *e, unsigned bytes)
{
    return at_set(e, ISA_SETS) + bytes;
}

static unsigned structure_bytes(const isa_emitter_t *e)
{
    return behind_rows(e, ISA_CHUNK_TAIL);
}

/* The chunk's bits of a 64-bit set of lanes. */
static unsigned chunk_bits(isa_emitter_t *e, isa_text_t *t, unsigned lanes)
{
    const unsigned shifted = isa_emit_fresh(e), bits = isa_emit_fresh(e),
                   masked = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = lshr i64 %%t%u, %%t%u\n  %%t%u = trunc i64 %%t%u to i32\n", shifted,
            lanes, e->now->lane, bits, shifted);
    isa_put(t, "  %%t%u = and i32 %%t%u, %u\n", masked, bits,
            (unsigned)isa_first_lanes(e->library->chunk));
    return masked;
}

/* A vector whose elements are 1, 2, 4... */
static unsigned lane_bits(isa_emitter_t *e)
{
    const unsigned v = isa_emit_fresh(e);
    isa_put(&e->before, "  %%t%u = add <%u x i32> zeroinitializer, <", v, e->library->chunk);
    for (unsigned l = 0; l < e->library->chunk; l++)
        isa_put(&e->before, "%si32 %u", l ? ", " : "", 1u << l);
    isa_put(&e->before, ">\n");
    return v;
}

/* The chunk's bits of a set of lanes as a vector of truth values. A host whose vectors know no
 * masks tests a bit in each element: LLVM would put a mask together bit by bit if the bits come
 * from a scalar register. */
static unsigned lanes_of(isa_emitter_t *e, isa_text_t *t, unsigned bits)
{
    const unsigned chunk = e->library->chunk, lanes = isa_emit_fresh(e);
    if (e->library->masks) {
        isa_put(t, "  %%t%u = bitcast i%u %%t%u to <%u x i1>\n", lanes, chunk, bits, chunk);
        return lanes;
    }
    const unsigned bit = lane_bits(e), one = isa_emit_fresh(e), all = isa_emit_fresh(e),
                   both = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = insertelement <%u x i32> poison, i32 %%t%u, i32 0\n", one, chunk, bits);
    isa_put(
        t,
        "  %%t%u = shufflevector <%u x i32> %%t%u, <%u x i32> poison, <%u x i32> zeroinitializer\n",
        all, chunk, one, chunk, chunk);
    isa_put(t, "  %%t%u = and <%u x i32> %%t%u, %%t%u\n", both, chunk, all, bit);
    isa_put(t, "  %%t%u = icmp eq <%u x i32> %%t%u, %%t%u\n", lanes, chunk, both, bit);
    return lanes;
}

/* The same as a row: negative where the bit is set. */
static unsigned row_of_lanes(isa_emitter_t *e, isa_text_t *t, unsigned bits)
{
    const unsigned chunk = e->library->chunk, lanes = lanes_of(e, t, bits), v = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = sext <%u x i1> %%t%u to <%u x i32>\n", v, chunk, lanes, chunk);
    return v;
}

/* The bits of such a row, of active lanes alone. */
static unsigned bits_of(isa_emitter_t *e, isa_text_t *t, unsigned row)
{
    const unsigned chunk = e->library->chunk, k = isa_emit_fresh(e);
    unsigned bits = isa_emit_fresh(e);
    isa_put(t, "  %%c%u = icmp slt <%u x i32> %%t%u, zeroinitializer\n", k, chunk, row);
    isa_put(t, "  %%e%u = bitcast <%u x i1> %%c%u to i%u\n", k, chunk, k, chunk);
    if (chunk < 32)
        isa_put(t, "  %%t%u = zext i%u %%e%u to i32\n", bits, chunk, k);
    else
        isa_put(t, "  %%t%u = add i32 %%e%u, 0\n", bits, k);
    if (!e->now->active) return bits;
    const unsigned active = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = and i32 %%t%u, %%t%u\n", active, bits, e->now->active);
    return active;
}

/* The address of row r's part in the chunk. */
static unsigned put_place(isa_emitter_t *e, unsigned r)
{
    const unsigned p = isa_emit_fresh(e);
    isa_put(&e->end, "  %%p%u = getelementptr i8, ptr %%t%u, i64 %u\n", p, e->now->base,
            r * ROW_BYTES);
    return p;
}

/* Stores a changed row; `lanes`: those that take the new value, 0: all of them. */
static void store_changed(isa_emitter_t *e, unsigned r, unsigned value, unsigned lanes)
{
    const unsigned chunk = e->library->chunk, p = put_place(e, r);
    if (lanes) {
        const unsigned old = isa_emit_fresh(e), picked = isa_emit_fresh(e);
        isa_put(&e->end, "  %%t%u = load <%u x i32>, ptr %%p%u, align %u\n", old, chunk, p,
                vector_align(e));
        isa_put(&e->end, "  %%t%u = select <%u x i1> %%t%u, <%u x i32> %%t%u, <%u x i32> %%t%u\n",
                picked, chunk, lanes, chunk, value, chunk, old);
        value = picked;
    }
    isa_put(&e->end, "  store <%u x i32> %%t%u, ptr %%p%u, align %u\n", chunk, value, p,
            vector_align(e));
}

static void store_all_changed(isa_emitter_t *e, const unsigned *value_of, unsigned lanes)
{
    for (unsigned r = 0; r < ISA_VGPR_ROWS; r++)
        if (e->changed[r]) store_changed(e, r, value_of[r], lanes);
}

/* A loop for a full EXEC saves some ten of the host's instructions in each chunk. In a long segment
 * these ten are little, and a second loop would take long to translate. */
bool isa_emit_is_short(const isa_emitter_t *e)
{
    return e->plan->masked && e->n <= WHOLE_AT_MOST;
}

static unsigned count_changed(const isa_emitter_t *e)
{
    unsigned n = 0;
    for (unsigned r = 0; r < ISA_VGPR_ROWS; r++)
        n += e->changed[r];
    return n;
}

/* Stores the rows that the segment has changed. Until then what inactive lanes have is of no
 * consequence: within a segment lanes do not see each other, and EXEC does not change. Of code for
 * any EXEC, most chunks have all lanes active, too. But in a loop for other EXECs than a full one,
 * the host often guesses wrong which chunks these are, which takes longer than to blend a few
 * rows. */
static void store_rows(isa_emitter_t *e)
{
    const unsigned *value_of = e->now->row, bits = e->now->active;
    const unsigned rows = count_changed(e);
    if (!bits || (isa_emit_is_short(e) && rows <= BLENDED_AT_MOST)) {
        store_all_changed(e, value_of, bits && rows ? lanes_of(e, &e->end, bits) : 0);
        return;
    }
    const unsigned k = isa_emit_fresh(e);
    isa_put(&e->end, "  %%c%u = icmp eq i32 %%t%u, %u\n", k, bits,
            (unsigned)isa_first_lanes(e->library->chunk));
    isa_put(&e->end, "  br i1 %%c%u, label %%whole%u, label %%parts%u\nwhole%u:\n", k, k, k, k);
    store_all_changed(e, value_of, 0);
    isa_put(&e->end, "  br label %%stored%u\nparts%u:\n", k, k);
    store_all_changed(e, value_of, lanes_of(e, &e->end, bits));
    isa_put(&e->end, "  br label %%stored%u\nstored%u:\n", k, k);
}

/* Adds the chunk's part of a lane mask, a row, to the bits in the mask's variable. */
static void collect_mask(isa_emitter_t *e, const isa_emit_mask_t *m, unsigned row)
{
    const unsigned wide = isa_emit_fresh(e), placed = isa_emit_fresh(e), old = isa_emit_fresh(e),
                   all = isa_emit_fresh(e), bits = bits_of(e, &e->end, row);
    isa_put(&e->end, "  %%t%u = zext i32 %%t%u to i64\n", wide, bits);
    isa_put(&e->end, "  %%t%u = shl i64 %%t%u, %%t%u\n", placed, wide, e->now->lane);
    isa_put(&e->end, "  %%t%u = load i64, ptr %%mask%u\n", old, m->variable);
    isa_put(&e->end, "  %%t%u = or i64 %%t%u, %%t%u\n", all, old, placed);
    isa_put(&e->end, "  store i64 %%t%u, ptr %%mask%u\n", all, m->variable);
}

/* Goes on behind the loop, with all lanes from the chunk on, if one of its active lanes has a rare
 * case (translate_rest.c); else to block `good`. `l`: number of the segment. */
static void test_rare(isa_emitter_t *e, const char *good, unsigned l)
{
    isa_text_t *t = &e->now->text;
    const unsigned k = isa_emit_fresh(e), bits = bits_of(e, t, e->now->rare);
    isa_put(t, "  %%f%u = icmp ne i32 %%t%u, 0\n", k, bits);
    isa_put(t, "  br i1 %%f%u, label %%rest%u, label %%%s%u, !prof !1\n%s%u:\n", k, l, good, l,
            good, l);
}

/* Both rows' lanes; 0: none. */
static unsigned either(isa_emitter_t *e, unsigned a, unsigned b)
{
    if (!a || !b) return a | b;
    const unsigned v = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%t%u = or <%u x i32> %%t%u, %%t%u\n", v, e->library->chunk, a, b);
    return v;
}

/* What comes after the chunks of `n` ways: rows and masks are stored. */
static void put_end(isa_emitter_t *e, isa_emit_way_t *way, unsigned n, const char *good, unsigned l)
{
    e->now = way;
    for (unsigned k = 1; k < n; k++)
        way->rare = either(e, way->rare, way[k].rare);
    if (way->rare) test_rare(e, good, l);
    for (unsigned k = 0; k < n; k++) {
        e->now = &way[k];
        for (unsigned m = 0; m < e->n_masks; m++)
            collect_mask(e, &e->mask[m], e->mask[m].row[e->now - e->way]);
        store_rows(e);
        isa_move(&way->text, &e->end);
    }
}

static void forget_segment(isa_emitter_t *e)
{
    for (unsigned k = 0; k < ISA_EMIT_WAYS; k++) {
        isa_emit_way_t *way = &e->way[k];
        memset(way->row, 0, sizeof way->row);
        way->active = way->active_row = way->rare = 0;
    }
    memset(e->changed, 0, sizeof e->changed);
    e->noted_nans = false;
    e->n = e->n_masks = e->n_offers = e->exec = 0;
}

/* isa_emit_is_short(). What has been written of the loop before the segment became long is thrown
 * away. */
static bool has_whole(isa_emitter_t *e)
{
    const bool has = isa_emit_is_short(e);
    if (e->plan->masked && !has) e->way[ISA_EMIT_WHOLE].text.size = 0;
    return has;
}

void isa_emit_close(isa_emitter_t *e)
{
    const unsigned l = isa_emit_fresh(e);
    const isa_emit_way_t *way = &e->way[ISA_EMIT_QUICK];
    isa_emit_offers(e);
    if (e->n && has_whole(e)) put_end(e, &e->way[ISA_EMIT_WHOLE], 1, "good", l);
    if (e->n) put_end(e, &e->way[ISA_EMIT_QUICK], e->abreast, "fine", l);
    const bool rare = way->rare;
    isa_move(&e->code, &e->before);
    if (!e->n) return;
    isa_emit_loops(e, l);
    isa_emit_close_rest(e, l, rare);
    isa_put(&e->code, "behind%u:\n", l);
    for (unsigned k = 0; k < e->n_masks; k++) {
        const unsigned v = isa_emit_fresh(e);
        isa_put(&e->code, "  %%t%u = load i64, ptr %%mask%u\n", v, e->mask[k].variable);
        isa_emit_write_mask(e, &e->code, (unsigned)e->mask[k].reg, v);
    }
    isa_emit_end_pace(e);
    forget_segment(e);
}

/* Begins a segment. */
static void open_segment(isa_emitter_t *e)
{
    if (e->n) return;
    isa_emit_way_t *way = e->now = e->way;
    for (unsigned k = 0; k < ISA_EMIT_WAYS; k++) {
        way[k].base = isa_emit_fresh(e);
        way[k].lane = isa_emit_fresh(e);
    }
    const unsigned abreast = e->pace.abreast[e->pace.segment];
    e->abreast = abreast && !e->plan->masked ? abreast : 1;
    if (!e->plan->masked) return;
    e->exec = isa_emit_read_mask(e, &e->before, ISA_CODE_EXEC);
    way->active = chunk_bits(e, &e->begin, e->exec);
}

/* The mask that the segment has written to scalar registers `reg` to `reg` + n - 1 or a part of
 * them; NULL if none. */
const isa_emit_mask_t *isa_emit_pending(const isa_emitter_t *e, unsigned reg, unsigned n)
{
    for (unsigned k = e->n_masks; k-- > 0;)
        if ((unsigned)e->mask[k].reg < reg + n &&
            reg < (unsigned)e->mask[k].reg + isa_emit_mask_size(e))
            return &e->mask[k];
    return NULL;
}

/* Ends the segment if it has written a mask that the operand reads or replaces. */
void isa_emit_settle(isa_emitter_t *e, const isa_operand_t *o)
{
    if (o->kind == ISA_OPK_SGPR && isa_emit_pending(e, o->reg, (o->bits + 31u) / 32u))
        isa_emit_close(e);
}

unsigned isa_emit_row(isa_emitter_t *e, unsigned r)
{
    if (e->now->row[r]) return e->now->row[r];
    const unsigned p = isa_emit_fresh(e), v = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%p%u = getelementptr i8, ptr %%t%u, i64 %u\n", p, e->now->base,
            r * ROW_BYTES);
    isa_put(&e->now->text, "  %%t%u = load <%u x i32>, ptr %%p%u, align %u\n", v, e->library->chunk,
            p, vector_align(e));
    return e->now->row[r] = v;
}

/* A vector of one scalar; `scalar` is an operand of LLVM's. */
static unsigned broadcast(isa_emitter_t *e, const char *scalar)
{
    const unsigned chunk = e->library->chunk, one = isa_emit_fresh(e), all = isa_emit_fresh(e);
    isa_put(&e->before, "  %%t%u = insertelement <%u x i32> poison, i32 %s, i32 0\n", one, chunk,
            scalar);
    isa_put(
        &e->before,
        "  %%t%u = shufflevector <%u x i32> %%t%u, <%u x i32> poison, <%u x i32> zeroinitializer\n",
        all, chunk, one, chunk, chunk);
    return all;
}

/* Row `r` of source operand `o`. */
static unsigned source_row(isa_emitter_t *e, const isa_operand_t *o, unsigned r)
{
    char scalar[32];
    if (o->kind == ISA_OPK_VGPR) return isa_emit_row(e, o->reg + r);
    if (o->kind == ISA_OPK_CONST)
        snprintf(scalar, sizeof scalar, "%u", (unsigned)(o->k >> 32 * r));
    else
        snprintf(scalar, sizeof scalar, "%%t%u", isa_emit_read(e, &e->before, o->reg + r));
    return broadcast(e, scalar);
}

/* Applies one of LLVM's operations to a row and a constant. */
static unsigned with_constant(isa_emitter_t *e, const char *operation, unsigned row, uint32_t k)
{
    char constant[16];
    snprintf(constant, sizeof constant, "%u", (unsigned)k);
    const unsigned all = broadcast(e, constant), v = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%t%u = %s <%u x i32> %%t%u, %%t%u\n", v, operation,
            e->library->chunk, row, all);
    return v;
}

/* Applies neg and abs to a row whose sign is bit 31. */
static unsigned with_sign(isa_emitter_t *e, unsigned row, unsigned mods)
{
    if (mods & ISA_MOD_ABS) row = with_constant(e, "and", row, 0x7fffffff);
    if (mods & ISA_MOD_NEG) row = with_constant(e, "xor", row, 0x80000000);
    return row;
}

/* The part of a row that an SDWA select names: 0 to 3 a byte, 4 and 5 a half, 6 all of it. */
static unsigned selected(isa_emitter_t *e, unsigned row, const isa_operand_t *o)
{
    const unsigned bits = o->sel < 4 ? 8 : 16, at = o->sel < 4 ? 8 * o->sel : 16 * (o->sel & 1);
    if (o->sel > 5) return row;
    row = with_constant(e, "shl", row, 32 - at - bits);
    return with_constant(e, o->mods & ISA_MOD_SEXT ? "ashr" : "lshr", row, 32 - bits);
}

static unsigned load_row(isa_emitter_t *e, unsigned x, unsigned offset)
{
    const unsigned p = isa_emit_fresh(e), v = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x, offset);
    isa_put(&e->now->text, "  %%t%u = load <%u x i32>, ptr %%p%u, align %u\n", v, e->library->chunk,
            p, vector_align(e));
    return v;
}

static void store_row(isa_emitter_t *e, unsigned x, unsigned offset, unsigned row)
{
    const unsigned p = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n", p, x, offset);
    isa_put(&e->now->text, "  store <%u x i32> %%t%u, ptr %%p%u, align %u\n", e->library->chunk,
            row, p, vector_align(e));
}

/* A source of v_fma_mix as a number of 32 bits: fpu_widen_row() makes it of a half. */
static unsigned mixed_row(isa_emitter_t *e, const isa_operand_t *o)
{
    unsigned row = source_row(e, o, 0);
    if (o->sel & 2) {
        const unsigned x = isa_emit_fresh(e);
        isa_put(&e->entry, "  %%x%u = alloca [%u x i8], align 64\n", x, vector_bytes(e));
        store_row(e, x, 0, o->sel & 1 ? with_constant(e, "lshr", row, 16) : row);
        isa_put(&e->now->text, "  call void @" ISA_EMIT_WIDEN "(ptr %%x%u, ptr %%x%u)\n", x, x);
        row = load_row(e, x, 0);
    }
    return with_sign(e, row, o->mods);
}

/* Row `r` of source operand `o` with the operand's modifiers. */
static unsigned modified_row(isa_emitter_t *e, const isa_inst_t *i, const isa_operand_t *o,
                             unsigned r)
{
    const bool last = r + 1 == o->bits / 32u;
    if (isa_plan_mixes(i)) return mixed_row(e, o);
    if (i->fmt == ISA_FMT_VOP3P && i->flags & ISA_F_SRCMOD)
        return with_sign(e, source_row(e, o, o->sel >> r & 1),
                         o->mods & (r ? ISA_MOD_ABS : ISA_MOD_NEG) ? ISA_MOD_NEG : 0);
    unsigned row = source_row(e, o, r);
    if (i->flags & ISA_F_SDWA) row = selected(e, row, o);
    return last ? with_sign(e, row, o->mods) : row;
}

/* ---- what is known ---- */

unsigned isa_emit_table(isa_emitter_t *e, const uint32_t *dwords)
{
    const unsigned table = isa_emit_fresh(e);
    isa_put(&e->tables, "@table%u = internal constant [%d x i32] [", table, (int)ISA_ROW);
    for (unsigned l = 0; l < ISA_ROW; l++)
        isa_put(&e->tables, "%si32 %u", l ? ", " : "", (unsigned)dwords[l]);
    isa_put(&e->tables, "], align 64\n");
    return table;
}

unsigned isa_emit_in_table(isa_emitter_t *e, unsigned table, unsigned ahead)
{
    const unsigned p = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%t%u = getelementptr [%d x i32], ptr @table%u, i64 0, i64 %%t%u\n",
            p, (int)ISA_ROW, table, e->now->lane);
    isa_put(&e->now->text, "  %%p%u = getelementptr i32, ptr %%t%u, i64 %u\n", p, p, ahead);
    return p;
}

unsigned isa_emit_from_table(isa_emitter_t *e, unsigned table, unsigned ahead, unsigned lanes)
{
    isa_text_t *t = &e->now->text;
    const unsigned p = isa_emit_in_table(e, table, ahead), v = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = load <%u x i32>, ptr %%p%u, align %u\n", v, lanes, p, vector_align(e));
    return v;
}

/* Whether all lanes have the same dword. */
static bool is_same(const uint32_t *row, unsigned lanes)
{
    return !memcmp(row, row + 1, (lanes - 1) * sizeof *row);
}

/* A row that is known: its number in a table, or, if all lanes have the same dword, as a value. */
typedef struct {
    unsigned table, value;
} known_row_t;

static known_row_t known_row(isa_emitter_t *e, unsigned r)
{
    const uint32_t *row = isa_known_row(e->known, r);
    char one[16];
    if (!is_same(row, isa_page_lanes(e->plan->page)))
        return (known_row_t){.table = isa_emit_table(e, row)};
    snprintf(one, sizeof one, "%u", (unsigned)row[0]);
    return (known_row_t){.value = broadcast(e, one)};
}

/* Writes a mask that is known to its scalar registers. */
static void put_known_mask(isa_emitter_t *e, unsigned reg)
{
    const unsigned all = isa_emit_fresh(e), v = isa_emit_fresh(e);
    const uint64_t mask = isa_known_mask(e->known, reg);
    isa_put(&e->before, "  %%t%u = add i64 0, %lld\n", all, (long long)mask);
    if (e->plan->masked) {
        const unsigned exec = isa_emit_read_mask(e, &e->before, ISA_CODE_EXEC);
        isa_put(&e->before, "  %%t%u = and i64 %%t%u, %%t%u\n", v, all, exec);
    }
    isa_emit_write_mask(e, &e->before, reg, e->plan->masked ? v : all);
}

/* ---- vector instructions ---- */

static void store_word(isa_emitter_t *e, unsigned x, unsigned offset, uint32_t value)
{
    const unsigned p = isa_emit_fresh(e);
    isa_put(&e->now->text,
            "  %%p%u = getelementptr i8, ptr %%x%u, i64 %u\n  store i32 %u, ptr %%p%u\n", p, x,
            offset, (unsigned)value, p);
}

static void store_sources(isa_emitter_t *e, const isa_step_t *s, unsigned x, unsigned n_sources)
{
    const isa_inst_t *i = s->i;
    for (unsigned n = 0; n < n_sources; n++) {
        const isa_operand_t *o = &i->src[n];
        const unsigned rows = o->kind == ISA_OPK_NONE ? 0 : o->bits / 32u;
        for (unsigned r = 0; r < rows; r++)
            store_row(e, x, at_source(e, n, r), modified_row(e, i, o, r));
    }
}

/* Makes the result's rows values of the segment. */
static void take_results(isa_emitter_t *e, const isa_inst_t *i, unsigned x, unsigned rows)
{
    for (unsigned r = 0; r < rows; r++) {
        e->changed[i->dst.reg + r] = true;
        e->now->row[i->dst.reg + r] = load_row(e, x, r * vector_bytes(e));
    }
}

/* The lane mask that the instruction reads, as a row: what the segment has written stays one. */
static unsigned mask_in(isa_emitter_t *e, int reg)
{
    const isa_emit_mask_t *m = isa_emit_pending(e, (unsigned)reg, isa_emit_mask_size(e));
    if (m) return m->row[e->now - e->way];
    isa_text_t *t = &e->now->text;
    return row_of_lanes(e, t, chunk_bits(e, t, isa_emit_read_mask(e, &e->before, (unsigned)reg)));
}

/* The active lanes as a row, which all instructions of a way share. */
static unsigned active_row(isa_emitter_t *e)
{
    isa_emit_way_t *way = e->now;
    if (!way->active_row)
        way->active_row =
            way->active ? row_of_lanes(e, &way->text, way->active) : broadcast(e, "-1");
    return way->active_row;
}

/* Lanes that need the handler, which a quick function has noted. */
static void take_rare(isa_emitter_t *e, unsigned x)
{
    const unsigned noted = load_row(e, x, at_set(e, ISA_SET_RARE)), all = isa_emit_fresh(e);
    if (e->now->rare)
        isa_put(&e->now->text, "  %%t%u = or <%u x i32> %%t%u, %%t%u\n", all, e->library->chunk,
                noted, e->now->rare);
    e->now->rare = e->now->rare ? all : noted;
}

/* v_pk_mov_b32: each row is one of a source's. */
static void move_rows(isa_emitter_t *e, const isa_inst_t *i)
{
    unsigned row[2];
    for (unsigned r = 0; r < 2; r++)
        row[r] = source_row(e, &i->src[r], i->src[r].sel & 1);
    for (unsigned r = 0; r < 2; r++) {
        e->now->row[i->dst.reg + r] = row[r];
        e->changed[i->dst.reg + r] = true;
    }
}

/* v_mbcnt of all lanes: adds to the source how many of the first 32 lanes, or of the others, are
 * before each lane. */
static void count_lanes(isa_emitter_t *e, const isa_inst_t *i, bool high)
{
    const unsigned chunk = e->library->chunk, first = isa_emit_fresh(e), one = isa_emit_fresh(e),
                   all = isa_emit_fresh(e), lane = isa_emit_fresh(e), less = isa_emit_fresh(e),
                   picked = isa_emit_fresh(e), sum = isa_emit_fresh(e);
    isa_text_t *t = &e->now->text;
    isa_put(t, "  %%t%u = trunc i64 %%t%u to i32\n", first, e->now->lane);
    isa_put(t, "  %%t%u = insertelement <%u x i32> poison, i32 %%t%u, i32 0\n", one, chunk, first);
    isa_put(
        t,
        "  %%t%u = shufflevector <%u x i32> %%t%u, <%u x i32> poison, <%u x i32> zeroinitializer\n",
        all, chunk, one, chunk, chunk);
    isa_put(t, "  %%t%u = add <%u x i32> %%t%u, <", lane, chunk, all);
    for (unsigned l = 0; l < chunk; l++)
        isa_put(t, "%si32 %u", l ? ", " : "", l);
    isa_put(t, ">\n");
    const unsigned limit = broadcast(e, "32");
    isa_put(t, "  %%t%u = icmp %s <%u x i32> %%t%u, %%t%u\n", less, high ? "ugt" : "ult", chunk,
            lane, limit);
    isa_put(t, "  %%t%u = select <%u x i1> %%t%u, <%u x i32> %%t%u, <%u x i32> %%t%u\n", picked,
            chunk, less, chunk, lane, chunk, limit);
    const unsigned before = high ? with_constant(e, "sub", picked, 32) : picked;
    isa_put(t, "  %%t%u = add <%u x i32> %%t%u, %%t%u\n", sum, chunk, before,
            modified_row(e, i, &i->src[1], 0));
    e->now->row[i->dst.reg] = sum;
    e->changed[i->dst.reg] = true;
}

/* Writes the instructions that are no function of the library. */
static bool put_without_function(isa_emitter_t *e, const isa_inst_t *i)
{
    switch (isa_table[i->op].body) {
    case ISA_OP_v_pk_mov_b32: move_rows(e, i); return true;
    case ISA_OP_v_mbcnt_lo_u32_b32: count_lanes(e, i, false); return true;
    case ISA_OP_v_mbcnt_hi_u32_b32: count_lanes(e, i, true); return true;
    default: return isa_emit_lanes(e, i);
    }
}

/* The structure in which a function takes its operands: one for each call, so that LLVM makes
 * values of it. */
static unsigned structure(isa_emitter_t *e)
{
    const unsigned x = isa_emit_fresh(e);
    isa_put(&e->entry, "  %%x%u = alloca [%u x i8], align 64\n", x, structure_bytes(e));
    return x;
}

/* Calls the function for the instruction, the way that is written now. */
static void call_chunk(isa_emitter_t *e, const isa_inst_t *i, unsigned x)
{
    char name[ISA_LIBRARY_NAME];
    const isa_function_t kind = isa_chunk_function(i, e->plan->nans);
    isa_put(&e->now->text, "  call void @%s(ptr %%x%u)\n", isa_library_name(name, i, kind), x);
    const bool notes = kind == ISA_FUNCTION_QUICK || isa_chunk_has_both(i);
    if (notes && !isa_emit_is_seen(e)) take_rare(e, x);
    e->noted_nans |= kind == ISA_FUNCTION_QUICK && !e->plan->nans && isa_chunk_has_both(i);
}

/* The instruction, the way that is written now. `m`: the mask that it writes, or NULL. */
static void put_chunk(isa_emitter_t *e, const isa_step_t *s, unsigned sources, isa_emit_mask_t *m)
{
    const isa_inst_t *i = s->i;
    if (put_without_function(e, i)) return;
    const unsigned x = structure(e), rows = i->dst.kind == ISA_OPK_VGPR ? i->dst.bits / 32u : 0;
    for (unsigned r = 0; r < rows; r++)
        store_row(e, x, r * vector_bytes(e), isa_emit_row(e, i->dst.reg + r));
    store_sources(e, s, x, sources);
    if (s->in >= 0) store_row(e, x, at_set(e, ISA_SET_IN), mask_in(e, s->in));
    store_row(e, x, at_set(e, ISA_SET_ACTIVE), active_row(e));
    store_word(e, x, behind_rows(e, ISA_CHUNK_MODE), e->plan->mode);
    /* a result of SDWA fills the register (valu_slow.c) */
    store_word(e, x, behind_rows(e, ISA_CHUNK_MODS), i->flags & ISA_F_SDWA ? 0u : i->dst.mods);
    call_chunk(e, i, x);
    take_results(e, i, x, rows);
    if (m) m->row[e->now - e->way] = load_row(e, x, at_set(e, ISA_SET_OUT));
}

/* A variable that collects the mask that the instruction writes. */
static isa_emit_mask_t new_mask(isa_emitter_t *e, int reg)
{
    const isa_emit_mask_t m = {.reg = reg, .variable = isa_emit_fresh(e)};
    isa_put(&e->entry, "  %%mask%u = alloca i64\n", m.variable);
    isa_put(&e->before, "  store i64 0, ptr %%mask%u\n", m.variable);
    return m;
}

/* The ways that an instruction is written now: the loop for a full EXEC is, as long as the segment
 * may have one (has_whole()). */
static unsigned ways(const isa_emitter_t *e)
{
    if (!e->plan->masked) return e->abreast;
    return e->n < WHOLE_AT_MOST ? ISA_EMIT_WHOLE + 1 : ISA_EMIT_QUICK + 1;
}

/* The instruction has been written the way that is written now. Chunks abreast are one text. */
static void end_way(isa_emitter_t *e)
{
    if (!e->plan->masked && e->now != e->way) isa_move(&e->way->text, &e->now->text);
}

/* Writes an instruction whose results are known. */
static void put_known(isa_emitter_t *e, const isa_step_t *s)
{
    const unsigned r = s->i->dst.reg;
    const bool row = s->i->dst.kind == ISA_OPK_VGPR;
    if (row && e->n == CALLS_AT_MOST) isa_emit_close(e);
    if (s->out >= 0 && isa_emit_pending(e, (unsigned)s->out, isa_emit_mask_size(e)))
        isa_emit_close(e);
    if (row) open_segment(e);
    if (row) isa_emit_rest(e, s); /* it may read the mask that is written now */
    if (s->out >= 0) put_known_mask(e, (unsigned)s->out);
    if (!row) return;
    const known_row_t known = known_row(e, r);
    for (unsigned k = 0; k < ways(e); k++) {
        e->now = &e->way[k];
        e->now->row[r] =
            known.table ? isa_emit_from_table(e, known.table, 0, e->library->chunk) : known.value;
        end_way(e);
    }
    e->changed[r] = true;
    e->n++;
}

/* Writes the instruction in a segment, each way. */
static void put_step(isa_emitter_t *e, const isa_step_t *s)
{
    const isa_inst_t *i = s->i;
    const unsigned sources = isa_plan_takes_mask(i) ? 2 : 3;
    for (unsigned n = 0; n < sources; n++)
        isa_emit_settle(e, &i->src[n]);
    const isa_emit_mask_t *in =
        s->in >= 0 ? isa_emit_pending(e, (unsigned)s->in, isa_emit_mask_size(e)) : NULL;
    if ((in && in->reg != s->in) || e->n_masks == ISA_EMIT_MASKS || e->n == CALLS_AT_MOST ||
        !isa_emit_offer_fits(e, i))
        isa_emit_close(e);
    open_segment(e);
    isa_emit_mask_t m = {0};
    if (s->out >= 0) m = new_mask(e, s->out);
    isa_emit_pass_nans(e, i);
    isa_emit_pace(e, i);
    for (unsigned k = 0, n = ways(e); k < n; k++) {
        e->now = &e->way[k];
        put_chunk(e, s, sources, s->out >= 0 ? &m : NULL);
        end_way(e);
    }
    isa_emit_rest(e, s);
    isa_emit_note_nans(e, i);
    e->n++;
    if (s->out >= 0) e->mask[e->n_masks++] = m;
}

void isa_emit_chunk(isa_emitter_t *e, const isa_step_t *s)
{
    if (isa_known_run(e->known, s)) {
        put_known(e, s);
        return;
    }
    put_step(e, s);
    isa_known_lose(e->known, s->i);
}
