/* translate_lanes.c - LLVM's assembly of loads from LDS and of reads of other lanes' registers.
 *
 * Like vector instructions, they are parts of a segment and cannot stop the wave: a lane whose
 * element is not in LDS loads 0. What they do is that of the handlers in lds.c, chunk by chunk.
 * Gathers and permutations are written once for AVX2 and once for AVX-512.
 * Moves of one lane's dword (valu_lane.c) stand between segments. */
#include "softgpu/exec/address.h"
#include "softgpu/exec/code.h"
#include "softgpu/exec/translate_emit.h"

#include <stddef.h>
#include <stdio.h>

/* ORDER: ISA_LDS_READ of lds.h, which only sources of the core can include. */
enum { LDS_READ = 1 };

/* ---- which instructions ---- */

/* A load from LDS: a lane's elements, whose offsets are in units of `unit` bytes. */
typedef struct {
    unsigned elements, dwords, unit;
} load_t;

/* Elements of more than two dwords are left to the handlers, which move each at once. */
static load_t load_of(const isa_inst_t *i)
{
    switch (isa_table[i->op].body) {
    case ISA_OP_ds_read_b32: return (load_t){1, 1, 1};
    case ISA_OP_ds_read_b64: return (load_t){1, 2, 1};
    case ISA_OP_ds_read2_b32: return (load_t){2, 1, 4};
    case ISA_OP_ds_read2_b64: return (load_t){2, 2, 8};
    case ISA_OP_ds_read2st64_b32: return (load_t){2, 1, 4 * 64};
    case ISA_OP_ds_read2st64_b64: return (load_t){2, 2, 8 * 64};
    default: return (load_t){0};
    }
}

static bool permutes(const isa_inst_t *i)
{
    return isa_table[i->op].body == ISA_OP_ds_bpermute_b32;
}

bool isa_plan_reads_lanes(const isa_library_t *library, const isa_inst_t *i)
{
    const unsigned elements = load_of(i).elements;
    if (i->flags & ISA_F_GDS || i->dst.kind != ISA_OPK_VGPR || i->src[0].kind != ISA_OPK_VGPR)
        return false;
    if (elements > 1) return library->pairs;
    return elements || (permutes(i) && i->src[1].kind == ISA_OPK_VGPR);
}

/* ---- values ---- */

/* Vectors of a chunk's lanes. `bits`: of an element. */
#define VECTOR      "<%u x i%u>"
#define OF(e, bits) (e)->library->chunk, (bits)

static unsigned spread(isa_emitter_t *e, isa_text_t *t, unsigned scalar)
{
    const unsigned chunk = e->library->chunk, one = isa_emit_fresh(e), all = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = insertelement " VECTOR " poison, i32 %%t%u, i32 0\n", one, OF(e, 32u),
            scalar);
    isa_put(t,
            "  %%t%u = shufflevector " VECTOR " %%t%u, " VECTOR
            " poison, <%u x i32> zeroinitializer\n",
            all, OF(e, 32u), one, OF(e, 32u), chunk);
    return all;
}

/* An operation on two vectors of dwords. */
static unsigned operate(isa_emitter_t *e, const char *operation, unsigned a, unsigned b)
{
    const unsigned v = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%t%u = %s " VECTOR " %%t%u, %%t%u\n", v, operation, OF(e, 32u), a,
            b);
    return v;
}

static unsigned both(isa_emitter_t *e, const char *operation, unsigned a, unsigned b)
{
    const unsigned v = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%t%u = %s " VECTOR " %%t%u, %%t%u\n", v, operation, OF(e, 1u), a, b);
    return v;
}

/* A vector of the same constant. */
static unsigned constant(isa_emitter_t *e, uint32_t k)
{
    const unsigned v = isa_emit_fresh(e);
    isa_put(&e->before, "  %%t%u = add i32 0, %u\n", v, (unsigned)k);
    return spread(e, &e->before, v);
}

/* 0, 1, 2... times `step`. */
static unsigned counting(isa_emitter_t *e, unsigned step)
{
    const unsigned v = isa_emit_fresh(e);
    isa_put(&e->before, "  %%t%u = add " VECTOR " zeroinitializer, <", v, OF(e, 32u));
    for (unsigned l = 0; l < e->library->chunk; l++)
        isa_put(&e->before, "%si32 %u", l ? ", " : "", l * step);
    isa_put(&e->before, ">\n");
    return v;
}

/* Element 0 of a vector. */
static unsigned first_of(isa_emitter_t *e, unsigned vector)
{
    const unsigned v = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%t%u = extractelement " VECTOR " %%t%u, i32 0\n", v, OF(e, 32u),
            vector);
    return v;
}

/* Goes to block `yes` if all elements are true, else to block `no`. */
static void branch_if_all(isa_emitter_t *e, unsigned lanes, unsigned yes, unsigned no)
{
    isa_text_t *t = &e->now->text;
    const unsigned chunk = e->library->chunk, bits = isa_emit_fresh(e), all = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = bitcast " VECTOR " %%t%u to i%u\n", bits, OF(e, 1u), lanes, chunk);
    isa_put(t, "  %%t%u = icmp eq i%u %%t%u, -1\n", all, chunk, bits);
    isa_put(t, "  br i1 %%t%u, label %%m%u, label %%m%u\n", all, yes, no);
}

static void begin_block(isa_emitter_t *e, unsigned label)
{
    isa_put(&e->now->text, "m%u:\n", label);
}

static void go_to(isa_emitter_t *e, unsigned label)
{
    isa_put(&e->now->text, "  br label %%m%u\n", label);
}

/* ---- memory ---- */

/* The address `offset` bytes (a number of 32 bits without a sign) behind `base`. */
static unsigned behind(isa_emitter_t *e, unsigned base, unsigned offset)
{
    const unsigned wide = isa_emit_fresh(e), p = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%t%u = zext i32 %%t%u to i64\n", wide, offset);
    isa_put(&e->now->text, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %%t%u\n", p, base, wide);
    return p;
}

/* Every second element of a vector of twice as many, from element `from` on. */
static unsigned every_second(isa_emitter_t *e, unsigned vector, unsigned from)
{
    const unsigned v = isa_emit_fresh(e), chunk = e->library->chunk;
    isa_text_t *t = &e->now->text;
    isa_put(t, "  %%t%u = shufflevector <%u x i32> %%t%u, <%u x i32> poison, <%u x i32> <", v,
            2 * chunk, vector, 2 * chunk, chunk);
    for (unsigned l = 0; l < chunk; l++)
        isa_put(t, "%si32 %u", l ? ", " : "", 2 * l + from);
    isa_put(t, ">\n");
    return v;
}

/* A vector for each dword of elements that follow each other in `all`. */
static void part(isa_emitter_t *e, unsigned all, unsigned dwords, unsigned *out)
{
    for (unsigned k = 0; k < dwords; k++)
        out[k] = dwords == 1 ? all : every_second(e, all, k);
}

/* Elements side by side from `p` on, a vector for each dword. */
static void load_side_by_side(isa_emitter_t *e, unsigned p, unsigned dwords, unsigned *out)
{
    const unsigned v = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%t%u = load <%u x i32>, ptr %%t%u, align 1\n", v,
            dwords * e->library->chunk, p);
    part(e, v, dwords, out);
}

/* The same element for all lanes. */
static void load_one(isa_emitter_t *e, unsigned p, unsigned dwords, unsigned *out)
{
    for (unsigned k = 0; k < dwords; k++) {
        const unsigned q = isa_emit_fresh(e), v = isa_emit_fresh(e);
        isa_put(&e->now->text, "  %%t%u = getelementptr i8, ptr %%t%u, i64 %u\n", q, p, 4 * k);
        isa_put(&e->now->text, "  %%t%u = load i32, ptr %%t%u, align 1\n", v, q);
        out[k] = spread(e, &e->now->text, v);
    }
}

/* Half a vector: elements from `from` on. */
static unsigned half_of(isa_emitter_t *e, unsigned vector, unsigned bits, unsigned from)
{
    const unsigned v = isa_emit_fresh(e), half = e->library->chunk / 2;
    isa_text_t *t = &e->now->text;
    isa_put(t, "  %%t%u = shufflevector " VECTOR " %%t%u, " VECTOR " poison, <%u x i32> <", v,
            OF(e, bits), vector, OF(e, bits), half);
    for (unsigned l = 0; l < half; l++)
        isa_put(t, "%si32 %u", l ? ", " : "", l + from);
    isa_put(t, ">\n");
    return v;
}

/* Four elements of 64 bits as eight dwords, by AVX2. */
static unsigned gather_four(isa_emitter_t *e, unsigned base, unsigned at, unsigned good,
                            unsigned from)
{
    const unsigned offset = half_of(e, at, 32, from), lanes = half_of(e, good, 1, from);
    const unsigned mask = isa_emit_fresh(e), v = isa_emit_fresh(e), dwords = isa_emit_fresh(e);
    isa_text_t *t = &e->now->text;
    isa_put(t, "  %%t%u = sext <4 x i1> %%t%u to <4 x i64>\n", mask, lanes);
    isa_put(t,
            "  %%t%u = call <4 x i64> @llvm.x86.avx2.gather.d.q.256(<4 x i64> zeroinitializer, ptr "
            "%%t%u, <4 x i32> %%t%u, <4 x i64> %%t%u, i8 1)\n",
            v, base, offset, mask);
    isa_put(t, "  %%t%u = bitcast <4 x i64> %%t%u to <8 x i32>\n", dwords, v);
    return dwords;
}

/* Elements by AVX-512. LLVM makes the host's gather of its own for such processors; for x86-64-v3
 * it would load one element at a time. */
static void gather_wide(isa_emitter_t *e, unsigned base, unsigned at, unsigned good,
                        unsigned dwords, unsigned *out)
{
    const unsigned places = isa_emit_fresh(e), v = isa_emit_fresh(e), all = isa_emit_fresh(e);
    const unsigned chunk = e->library->chunk, bits = 32 * dwords;
    isa_text_t *t = &e->now->text;
    isa_put(t, "  %%t%u = getelementptr i8, ptr %%t%u, " VECTOR " %%t%u\n", places, base,
            OF(e, 32u), at);
    isa_put(t,
            "  %%t%u = call " VECTOR
            " @llvm.masked.gather.v%ui%u.v%up0(<%u x ptr> %%t%u, i32 1, " VECTOR " %%t%u, " VECTOR
            " zeroinitializer)\n",
            v, OF(e, bits), chunk, bits, chunk, chunk, places, OF(e, 1u), good, OF(e, bits));
    isa_put(t, "  %%t%u = bitcast " VECTOR " %%t%u to <%u x i32>\n", all, OF(e, bits), v,
            dwords * chunk);
    part(e, all, dwords, out);
}

/* Elements at any offsets below 2^31; 0 where `good` is false. */
static void gather(isa_emitter_t *e, unsigned base, unsigned at, unsigned good, unsigned dwords,
                   unsigned *out)
{
    isa_text_t *t = &e->now->text;
    if (e->library->masks) {
        gather_wide(e, base, at, good, dwords, out);
        return;
    }
    if (dwords == 1) {
        const unsigned mask = isa_emit_fresh(e), v = out[0] = isa_emit_fresh(e);
        isa_put(t, "  %%t%u = sext <8 x i1> %%t%u to <8 x i32>\n", mask, good);
        isa_put(t,
                "  %%t%u = call <8 x i32> @llvm.x86.avx2.gather.d.d.256(<8 x i32> zeroinitializer, "
                "ptr %%t%u, <8 x i32> %%t%u, <8 x i32> %%t%u, i8 1)\n",
                v, base, at, mask);
        return;
    }
    const unsigned low = gather_four(e, base, at, good, 0),
                   high = gather_four(e, base, at, good, 4);
    const unsigned all = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = shufflevector <8 x i32> %%t%u, <8 x i32> %%t%u, <16 x i32> <", all, low,
            high);
    for (unsigned l = 0; l < 16; l++)
        isa_put(t, "%si32 %u", l ? ", " : "", l);
    isa_put(t, ">\n");
    part(e, all, 2, out);
}

/* ---- LDS ---- */

static unsigned load_member(isa_emitter_t *e, const char *from, size_t offset, const char *type)
{
    const unsigned p = isa_emit_fresh(e), v = isa_emit_fresh(e);
    isa_put(&e->before, "  %%p%u = getelementptr i8, ptr %s, i64 %zu\n", p, from, offset);
    isa_put(&e->before, "  %%t%u = load %s, ptr %%p%u\n", v, type, p);
    return v;
}

/* The workgroup's LDS: its address, and, for all lanes, how many offsets an element of `bytes`
 * bytes may have. */
typedef struct {
    unsigned base, offsets;
} lds_t;

static lds_t find_lds(isa_emitter_t *e, unsigned bytes)
{
    char group[16];
    lds_t lds;
    snprintf(group, sizeof group, "%%t%u",
             load_member(e, "%w", offsetof(isa_wave_t, group), "ptr"));
    lds.base = load_member(e, group, offsetof(isa_group_t, lds), "ptr");
    const unsigned size = load_member(e, group, offsetof(isa_group_t, lds_bytes), "i32");
    const unsigned less = isa_emit_fresh(e), none = isa_emit_fresh(e), n = isa_emit_fresh(e);
    isa_put(&e->before, "  %%t%u = sub i32 %%t%u, %u\n", less, size, bytes - 1);
    isa_put(&e->before, "  %%t%u = icmp ult i32 %%t%u, %u\n", none, size, bytes);
    isa_put(&e->before, "  %%t%u = select i1 %%t%u, i32 0, i32 %%t%u\n", n, none, less);
    lds.offsets = spread(e, &e->before, n);
    return lds;
}

/* isa_ds_reads(). */
static void note_read(isa_emitter_t *e)
{
    const size_t at = offsetof(isa_wave_t, lds_turn);
    const unsigned turn = load_member(e, "%w", at, "i8"), v = isa_emit_fresh(e);
    isa_put(&e->before, "  %%t%u = or i8 %%t%u, %d\n", v, turn, LDS_READ);
    isa_put(&e->before, "  %%p%u = getelementptr i8, ptr %%w, i64 %zu\n", v, at);
    isa_put(&e->before, "  store i8 %%t%u, ptr %%p%u\n", v, v);
}

/* Brings the values together that come from several blocks. */
static void join(isa_emitter_t *e, unsigned label, unsigned blocks, const unsigned *block,
                 unsigned values, unsigned (*value)[2], unsigned *out)
{
    isa_text_t *t = &e->now->text;
    begin_block(e, label);
    for (unsigned k = 0; k < values; k++) {
        out[k] = isa_emit_fresh(e);
        isa_put(t, "  %%t%u = phi " VECTOR, out[k], OF(e, 32u));
        for (unsigned b = 0; b < blocks; b++)
            isa_put(t, "%s [ %%t%u, %%m%u ]", b ? "," : "", value[b][k], block[b]);
        isa_put(t, "\n");
    }
}

/* Loads an element of each lane, at offset `at`: by one load of the host, if the elements are side
 * by side or the same one for all lanes. */
static void load_elements(isa_emitter_t *e, const lds_t *lds, unsigned at, unsigned dwords,
                          unsigned *out)
{
    enum { SIDE, OTHER, SAME, SCATTERED, BEHIND };
    unsigned label[BEHIND + 1], value[3][2];
    for (unsigned k = 0; k <= BEHIND; k++)
        label[k] = isa_emit_fresh(e);
    const unsigned good = operate(e, "icmp ult", at, lds->offsets), first = first_of(e, at);
    const unsigned firsts = spread(e, &e->now->text, first);
    const unsigned steps = operate(e, "add", firsts, counting(e, 4 * dwords));
    branch_if_all(e, both(e, "and", operate(e, "icmp eq", at, steps), good), label[SIDE],
                  label[OTHER]);
    begin_block(e, label[SIDE]);
    load_side_by_side(e, behind(e, lds->base, first), dwords, value[0]);
    go_to(e, label[BEHIND]);
    begin_block(e, label[OTHER]);
    branch_if_all(e, both(e, "and", operate(e, "icmp eq", at, firsts), good), label[SAME],
                  label[SCATTERED]);
    begin_block(e, label[SAME]);
    load_one(e, behind(e, lds->base, first), dwords, value[1]);
    go_to(e, label[BEHIND]);
    begin_block(e, label[SCATTERED]);
    gather(e, lds->base, at, good, dwords, value[2]);
    go_to(e, label[BEHIND]);
    join(e, label[BEHIND], 3, (const unsigned[]){label[SIDE], label[SAME], label[SCATTERED]},
         dwords, value, out);
}

static void set_row(isa_emitter_t *e, unsigned row, unsigned value)
{
    e->now->row[row] = value;
    e->changed[row] = true;
}

static void put_load(isa_emitter_t *e, const isa_inst_t *i, const load_t *load)
{
    const lds_t lds = find_lds(e, 4 * load->dwords);
    const unsigned address = isa_emit_row(e, i->src[0].reg);
    const uint32_t offset[2] = {load->elements == 1 ? isa_ds_offset16(i) : i->offset0 * load->unit,
                                i->offset1 * load->unit};
    unsigned value[2][2];
    note_read(e);
    for (unsigned n = 0; n < load->elements; n++)
        load_elements(e, &lds, operate(e, "add", address, constant(e, offset[n])), load->dwords,
                      value[n]);
    for (unsigned n = 0; n < load->elements; n++)
        for (unsigned k = 0; k < load->dwords; k++)
            set_row(e, i->dst.reg + n * load->dwords + k, value[n][k]);
}

/* ---- ds_bpermute_b32 ---- */

/* The function that copies a row: the dwords that lanes offer, 0 of inactive lanes. */
static const char offer[] =
    "define internal void @offer(ptr %row, i64 %exec, ptr %room) #1 {\n  br label %lane\nlane:\n"
    "  %l = phi i64 [ 0, %0 ], [ %next, %lane ]\n  %next = add i64 %l, 1\n"
    "  %shifted = lshr i64 %exec, %l\n  %bits = trunc i64 %shifted to i32\n"
    "  %bit = and i32 %bits, 1\n  %mask = sub i32 0, %bit\n"
    "  %from = getelementptr i32, ptr %row, i64 %l\n  %x = load i32, ptr %from\n"
    "  %y = and i32 %x, %mask\n  %to = getelementptr i32, ptr %room, i64 %l\n"
    "  store i32 %y, ptr %to\n  %more = icmp ult i64 %next, 64\n"
    "  br i1 %more, label %lane, label %done\ndone:\n  ret void\n}\n";

/* The function that reads other lanes' dwords for the lanes of a set: lane l has the number that
 * its address has in `bits`, and its own in `others`. Nothing is written before all is read. */
static const char permute_left[] =
    "define internal void @permute_left(ptr %to, ptr %at, ptr %from, i64 %lanes, i32 %offset, "
    "i32 %bits, i32 %others) #1 {\n  %room = alloca [64 x i32]\n  br label %read\nread:\n"
    "  %l = phi i64 [ 0, %0 ], [ %next, %read ]\n  %next = add i64 %l, 1\n"
    "  %p = getelementptr i32, ptr %at, i64 %l\n  %a = load i32, ptr %p\n"
    "  %sum = add i32 %a, %offset\n  %element = lshr i32 %sum, 2\n"
    "  %named = and i32 %element, %bits\n  %own = trunc i64 %l to i32\n"
    "  %kept = and i32 %own, %others\n  %lane = or i32 %named, %kept\n"
    "  %wide = zext i32 %lane to i64\n  %q = getelementptr i32, ptr %from, i64 %wide\n"
    "  %x = load i32, ptr %q\n  %r = getelementptr i32, ptr %room, i64 %l\n"
    "  store i32 %x, ptr %r\n  %more = icmp ult i64 %next, 64\n"
    "  br i1 %more, label %read, label %write\nwrite:\n"
    "  %k = phi i64 [ 0, %read ], [ %behind, %write ]\n  %behind = add i64 %k, 1\n"
    "  %shifted = lshr i64 %lanes, %k\n  %takes = trunc i64 %shifted to i1\n"
    "  %s = getelementptr i32, ptr %room, i64 %k\n  %new = load i32, ptr %s\n"
    "  %t = getelementptr i32, ptr %to, i64 %k\n  %old = load i32, ptr %t\n"
    "  %y = select i1 %takes, i32 %new, i32 %old\n  store i32 %y, ptr %t\n"
    "  %again = icmp ult i64 %behind, 64\n  br i1 %again, label %write, label %done\ndone:\n"
    "  ret void\n}\n";

void isa_emit_declare_reads(isa_text_t *t)
{
    isa_put(t, "declare i32 @llvm.cttz.i32(i32, i1)\ndeclare i64 @llvm.cttz.i64(i64, i1)\n"
               "declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)\n"
               "declare <8 x i32> @llvm.x86.avx2.gather.d.d.256(<8 x i32>, ptr, <8 x i32>, <8 x "
               "i32>, i8)\n"
               "declare <4 x i64> @llvm.x86.avx2.gather.d.q.256(<4 x i64>, ptr, <4 x i32>, <4 x "
               "i64>, i8)\n"
               "declare <8 x i32> @llvm.x86.avx2.permd(<8 x i32>, <8 x i32>)\n"
               "declare <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(<16 x i32>, <16 x i32>, <16 x "
               "i32>)\n"
               "declare <32 x i32> @llvm.masked.gather.v32i32.v32p0(<32 x ptr>, i32, <32 x i1>, "
               "<32 x i32>)\n"
               "declare <32 x i64> @llvm.masked.gather.v32i64.v32p0(<32 x ptr>, i32, <32 x i1>, "
               "<32 x i64>)\n");
    isa_put(t, "%s%s", offer, permute_left);
}

/* Where a row's dwords are that lanes offer: in the row itself, or in a copy if not all lanes are
 * active, or if the segment changes the row, which is known when it ends, before lanes of later
 * chunks read it. */
static void put_offer(isa_emitter_t *e, const isa_emit_offer_t *o)
{
    isa_text_t *t = &e->before;
    const unsigned v = o->variable;
    const bool copied = e->changed[o->row] && !o->ahead;
    isa_put(&e->entry, "  %%offer%u = alloca ptr\n  %%room%u = alloca [%d x i32], align 64\n", v, v,
            (int)ISA_ROW);
    isa_put(t, "  %%p%u = getelementptr i8, ptr %%rows, i64 %u\n", v,
            (unsigned)sizeof(isa_row_t) * o->row);
    isa_put(t, "  store ptr %%%s%u, ptr %%offer%u\n", copied ? "room" : "p", v, v);
    if (copied)
        isa_put(t,
                "  call void @llvm.memcpy.inline.p0.p0.i64(ptr align 64 %%room%u, ptr align 64 "
                "%%p%u, i64 %u, i1 false)\n",
                v, v, 4 * isa_page_lanes(e->plan->page));
    if (e->plan->masked) {
        const unsigned exec = isa_emit_read_mask(e, t, ISA_CODE_EXEC), full = isa_emit_fresh(e);
        isa_put(t, "  %%t%u = icmp eq i64 %%t%u, %lld\n", full, exec,
                (long long)isa_page_full(e->plan->page));
        isa_put(t, "  br i1 %%t%u, label %%offered%u, label %%copy%u, !prof !0\ncopy%u:\n", full, v,
                v, v);
        isa_put(t,
                "  call void @offer(ptr %%p%u, i64 %%t%u, ptr %%room%u)\n"
                "  store ptr %%room%u, ptr %%offer%u\n  br label %%offered%u\noffered%u:\n",
                v, exec, v, v, v, v, v);
    }
    isa_put(t, "  %%t%u = load ptr, ptr %%offer%u\n", v, v);
}

void isa_emit_offers(isa_emitter_t *e)
{
    for (unsigned k = 0; k < e->n_offers; k++)
        put_offer(e, &e->offer[k]);
}

bool isa_emit_offer_fits(const isa_emitter_t *e, const isa_inst_t *i)
{
    return !permutes(i) || (e->n_offers < ISA_EMIT_OFFERS && !e->changed[i->src[1].reg]);
}

/* Elements `lane`, modulo 8, of the vector that begins at element `first` of the row. */
static unsigned permuted(isa_emitter_t *e, unsigned row, unsigned first, unsigned lane)
{
    isa_text_t *t = &e->now->text;
    const unsigned v = isa_emit_fresh(e), out = isa_emit_fresh(e), p = isa_emit_fresh(e);
    const unsigned wide = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = zext i32 %%t%u to i64\n", wide, first);
    isa_put(t, "  %%t%u = getelementptr i32, ptr %%t%u, i64 %%t%u\n", p, row, wide);
    isa_put(t, "  %%t%u = load <8 x i32>, ptr %%t%u, align 32\n", v, p);
    isa_put(t, "  %%t%u = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %%t%u, <8 x i32> %%t%u)\n",
            out, v, lane);
    return out;
}

/* A quarter of the row. */
static unsigned quarter(isa_emitter_t *e, unsigned row, unsigned q)
{
    const unsigned p = isa_emit_fresh(e), v = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%t%u = getelementptr i32, ptr %%t%u, i64 %u\n", p, row,
            q * (unsigned)(ISA_ROW / 4));
    isa_put(&e->now->text, "  %%t%u = load <16 x i32>, ptr %%t%u, align 64\n", v, p);
    return v;
}

/* The row's dwords of 16 lanes, by AVX-512: from either half of the row. */
static unsigned picked(isa_emitter_t *e, const unsigned *row, unsigned lane)
{
    isa_text_t *t = &e->now->text;
    unsigned part[2];
    for (unsigned k = 0; k < 2; k++) {
        part[k] = isa_emit_fresh(e);
        isa_put(t,
                "  %%t%u = call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(<16 x i32> %%t%u, <16 "
                "x i32> %%t%u, <16 x i32> %%t%u)\n",
                part[k], row[2 * k], lane, row[2 * k + 1]);
    }
    const unsigned top = isa_emit_fresh(e), high = isa_emit_fresh(e), v = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = shl <16 x i32> %%t%u, <i32 26", top, lane); /* the bit of 32 lanes */
    for (unsigned l = 1; l < 16; l++)
        isa_put(t, ", i32 26");
    isa_put(t, ">\n  %%t%u = icmp slt <16 x i32> %%t%u, zeroinitializer\n", high, top);
    isa_put(t, "  %%t%u = select <16 x i1> %%t%u, <16 x i32> %%t%u, <16 x i32> %%t%u\n", v, high,
            part[1], part[0]);
    return v;
}

/* Two vectors as the one of a chunk of 32 lanes. */
static unsigned both_halves(isa_emitter_t *e, unsigned low, unsigned high)
{
    const unsigned v = isa_emit_fresh(e);
    isa_text_t *t = &e->now->text;
    isa_put(t, "  %%t%u = shufflevector <16 x i32> %%t%u, <16 x i32> %%t%u, <32 x i32> <", v, low,
            high);
    for (unsigned l = 0; l < 32; l++)
        isa_put(t, "%si32 %u", l ? ", " : "", l);
    isa_put(t, ">\n");
    return v;
}

/* The row's dwords of these lanes, by AVX-512, whose chunks have 32. Lanes are numbers in a row of
 * 64 lanes: no core for AVX-512 has waves of 32 (select.c says why). */
static unsigned exchanged_wide(isa_emitter_t *e, unsigned row, unsigned lane)
{
    unsigned part[4], half[2];
    for (unsigned q = 0; q < 4; q++)
        part[q] = quarter(e, row, q);
    for (unsigned h = 0; h < 2; h++)
        half[h] = picked(e, part, half_of(e, lane, 32, 16 * h));
    return both_halves(e, half[0], half[1]);
}

/* The row's dwords of these lanes. In most sums over a wave, all of a chunk's lanes read from one
 * chunk, or from it and the next one: these are loaded whole, because the host waits if it is to
 * load parts of two vectors that have just been stored. */
static unsigned exchanged(isa_emitter_t *e, unsigned row, unsigned lane)
{
    enum { NEAR, FAR, BEHIND };
    isa_text_t *t = &e->now->text;
    const unsigned all = isa_emit_fresh(e), scattered = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = shl " VECTOR " %%t%u, %%t%u\n", scattered, OF(e, 32u), lane,
            constant(e, 2));
    isa_put(t, "  %%t%u = icmp uge " VECTOR " %%t%u, zeroinitializer\n", all, OF(e, 32u), lane);
    unsigned label[BEHIND + 1], value[2][2], out, block[] = {0, 0};
    for (unsigned k = 0; k <= BEHIND; k++)
        label[k] = isa_emit_fresh(e);
    const unsigned group = operate(e, "and", lane, constant(e, ~(e->library->chunk - 1)));
    const unsigned first = first_of(e, group), moved = isa_emit_fresh(e), next = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = add i32 %%t%u, %u\n", moved, first, e->library->chunk);
    isa_put(t, "  %%t%u = and i32 %%t%u, %u\n", next, moved, isa_page_lanes(e->plan->page) - 1);
    const unsigned in_first = operate(e, "icmp eq", group, spread(e, t, first));
    const unsigned in_next = operate(e, "icmp eq", group, spread(e, t, next));
    branch_if_all(e, both(e, "or", in_first, in_next), label[NEAR], label[FAR]);
    begin_block(e, label[NEAR]);
    const unsigned a = permuted(e, row, first, lane), b = permuted(e, row, next, lane);
    value[0][0] = isa_emit_fresh(e);
    isa_put(t, "  %%t%u = select <8 x i1> %%t%u, <8 x i32> %%t%u, <8 x i32> %%t%u\n", value[0][0],
            in_first, a, b);
    go_to(e, label[BEHIND]);
    begin_block(e, label[FAR]);
    gather(e, row, scattered, all, 1, value[1]);
    go_to(e, label[BEHIND]);
    block[0] = label[NEAR], block[1] = label[FAR];
    join(e, label[BEHIND], 2, block, 1, value, &out);
    return out;
}

/* The number of each lane of the chunk. */
static unsigned own_lanes(isa_emitter_t *e)
{
    const unsigned first = isa_emit_fresh(e);
    isa_put(&e->now->text, "  %%t%u = trunc i64 %%t%u to i32\n", first, e->now->lane);
    return operate(e, "add", spread(e, &e->now->text, first), counting(e, 1));
}

/* The bits of a lane's number that an address gives; the others are those of the lane that reads,
 * as in permuted_bits() of lds.c. */
static uint32_t permuted_bits(const isa_emitter_t *e)
{
    const isa_page_t *page = e->plan->page;
    const uint32_t least = isa_code_arch(page->code)->lanes, lanes = isa_page_lanes(page);
    return (least < lanes ? least : lanes) - 1;
}

/* Elements of one vector of the host. */
static unsigned vector_lanes(const isa_emitter_t *e)
{
    return e->library->bits / 32;
}

/* If the lanes that the instruction reads from are known, and each of the host's vectors takes
 * dwords of two at most, writes tables of them. */
static void find_lanes(isa_emitter_t *e, const isa_inst_t *i, isa_emit_offer_t *o)
{
    const uint32_t bits = permuted_bits(e), vector = vector_lanes(e);
    const uint32_t *address = isa_known_row(e->known, i->src[0].reg);
    const unsigned lanes = isa_page_lanes(e->plan->page);
    uint32_t lane[ISA_ROW] = {0};
    isa_exchange_t x;
    for (uint32_t l = 0; address && l < lanes; l++)
        lane[l] = ((address[l] + isa_ds_offset16(i)) >> 2 & bits) | (l & ~bits & (lanes - 1));
    if (!address || !isa_known_exchange(&x, lane, lanes, vector, e->library->chunk)) return;
    for (unsigned l = 0; l < lanes; l++) /* vpermi2d reads on in the second vector */
        x.lane[l] |= !x.second[l] ? 0 : e->library->masks ? vector : 1u << 31;
    o->two = x.two;
    o->moves = x.moves;
    o->ahead = !x.back;
    o->lanes = isa_emit_table(e, x.lane);
    o->vectors = isa_emit_table(e, x.from);
}

/* A vector of the row, which table `vectors` names for the vector that begins at lane `at` of the
 * chunk. */
static unsigned named_vector(isa_emitter_t *e, const isa_emit_offer_t *o, unsigned at, bool second)
{
    isa_text_t *t = &e->now->text;
    const unsigned p = isa_emit_in_table(e, o->vectors, at + second);
    const unsigned from = isa_emit_fresh(e), v = isa_emit_fresh(e);
    isa_put(t, "  %%f%u = load i32, ptr %%p%u\n  %%t%u = zext i32 %%f%u to i64\n", p, p, from, p);
    isa_put(t, "  %%q%u = getelementptr i32, ptr %%t%u, i64 %%t%u\n", p, o->variable, from);
    isa_put(t, "  %%t%u = load <%u x i32>, ptr %%q%u, align %u\n", v, vector_lanes(e), p,
            4 * vector_lanes(e));
    return v;
}

/* The row's dwords of the known lanes, for one of the host's vectors. */
static unsigned known_vector(isa_emitter_t *e, const isa_emit_offer_t *o, unsigned at)
{
    isa_text_t *t = &e->now->text;
    const unsigned first = named_vector(e, o, at, false);
    if (o->moves) return first;
    const unsigned lane = isa_emit_from_table(e, o->lanes, at, vector_lanes(e));
    const unsigned second = o->two ? named_vector(e, o, at, true) : first, v = isa_emit_fresh(e);
    if (e->library->masks) {
        isa_put(t,
                "  %%t%u = call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(<16 x i32> %%t%u, <16 "
                "x i32> %%t%u, <16 x i32> %%t%u)\n",
                v, first, lane, second);
        return v;
    }
    isa_put(t, "  %%a%u = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %%t%u, <8 x i32> %%t%u)\n",
            v, first, lane);
    isa_put(t, "  %%b%u = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %%t%u, <8 x i32> %%t%u)\n",
            v, second, lane);
    isa_put(t, "  %%c%u = icmp slt <8 x i32> %%t%u, zeroinitializer\n", v, lane);
    isa_put(t, "  %%t%u = select <8 x i1> %%c%u, <8 x i32> %%b%u, <8 x i32> %%a%u\n", v, v, v, v);
    return v;
}

static unsigned exchanged_known(isa_emitter_t *e, const isa_emit_offer_t *o)
{
    const unsigned first = known_vector(e, o, 0);
    return e->library->masks ? both_halves(e, first, known_vector(e, o, 16)) : first;
}

static unsigned exchanged_unknown(isa_emitter_t *e, const isa_inst_t *i, unsigned row)
{
    const unsigned address =
        operate(e, "add", isa_emit_row(e, i->src[0].reg), constant(e, isa_ds_offset16(i)));
    const uint32_t bits = permuted_bits(e), lanes = isa_page_lanes(e->plan->page);
    unsigned lane =
        operate(e, "and", operate(e, "lshr", address, constant(e, 2)), constant(e, bits));
    if (bits + 1 < lanes)
        lane = operate(e, "or", lane, operate(e, "and", own_lanes(e), constant(e, ~bits)));
    return e->library->masks ? exchanged_wide(e, row, lane) : exchanged(e, row, lane);
}

static void put_permute(isa_emitter_t *e, const isa_inst_t *i)
{
    if (e->now == e->way) { /* all ways read the same */
        isa_emit_offer_t *new = &e->offer[e->n_offers++];
        *new = (isa_emit_offer_t){.row = i->src[1].reg, .variable = isa_emit_fresh(e)};
        find_lanes(e, i, new);
    }
    const isa_emit_offer_t *o = &e->offer[e->n_offers - 1];
    set_row(e, i->dst.reg, o->lanes ? exchanged_known(e, o) : exchanged_unknown(e, i, o->variable));
}

/* The row's address, among those that are left to the handlers. */
static unsigned put_row_left(isa_emitter_t *e, unsigned row)
{
    const unsigned p = isa_emit_fresh(e);
    isa_put(&e->rest, "  %%t%u = getelementptr i8, ptr %%rows, i64 %u\n", p,
            (unsigned)sizeof(isa_row_t) * row);
    return p;
}

bool isa_emit_rest_lanes(isa_emitter_t *e, const isa_inst_t *i)
{
    if (!permutes(i)) return false;
    const uint32_t bits = permuted_bits(e), lanes = isa_page_lanes(e->plan->page);
    const unsigned to = put_row_left(e, i->dst.reg), at = put_row_left(e, i->src[0].reg),
                   v = isa_emit_fresh(e);
    isa_put(&e->rest, "  %%t%u = load i64, ptr %%left\n", v);
    isa_put(&e->rest,
            "  call void @permute_left(ptr %%t%u, ptr %%t%u, ptr %%t%u, i64 %%t%u, i32 %u, i32 %u, "
            "i32 %u)\n",
            to, at, e->offer[e->n_offers - 1].variable, v, (unsigned)isa_ds_offset16(i),
            (unsigned)bits, (unsigned)(lanes - 1 - bits));
    return true;
}

bool isa_emit_lanes(isa_emitter_t *e, const isa_inst_t *i)
{
    const load_t load = load_of(i);
    if (load.elements)
        put_load(e, i, &load);
    else if (permutes(i))
        put_permute(e, i);
    e->pace.blocks |= load.elements || permutes(i);
    return load.elements || permutes(i);
}

/* ---- moves of one lane's dword ---- */

/* The value of a scalar source, between segments. */
static unsigned scalar_value(isa_emitter_t *e, const isa_operand_t *o)
{
    if (o->kind != ISA_OPK_CONST) return isa_emit_read(e, &e->code, o->reg);
    const unsigned v = isa_emit_fresh(e);
    isa_put(&e->code, "  %%t%u = add i32 0, %u\n", v, (unsigned)o->k);
    return v;
}

/* The number of the first active lane, 0 if there is none. */
static unsigned first_active(isa_emitter_t *e)
{
    const unsigned exec = isa_emit_read_mask(e, &e->code, ISA_CODE_EXEC), v = isa_emit_fresh(e);
    isa_put(&e->code, "  %%t%u = call i64 @llvm.cttz.i64(i64 %%t%u, i1 false)\n", v, exec);
    return v;
}

/* The address of a lane's dword; `lane`: its number modulo the lanes of a wave. */
static unsigned put_lane(isa_emitter_t *e, const isa_operand_t *row, unsigned lane)
{
    const unsigned in = isa_emit_fresh(e), p = isa_emit_fresh(e), q = isa_emit_fresh(e);
    isa_put(&e->code, "  %%t%u = and i64 %%t%u, %u\n", in, lane, isa_page_lanes(e->plan->page) - 1);
    isa_put(&e->code, "  %%t%u = getelementptr i8, ptr %%rows, i64 %u\n", p,
            (unsigned)sizeof(isa_row_t) * row->reg);
    isa_put(&e->code, "  %%t%u = getelementptr i32, ptr %%t%u, i64 %%t%u\n", q, p, in);
    return q;
}

void isa_emit_move_lane(isa_emitter_t *e, const isa_inst_t *i)
{
    const unsigned body = isa_table[i->op].body;
    isa_emit_close(e);
    isa_known_lose(e->known, i);
    unsigned lane;
    if (body == ISA_OP_v_readfirstlane_b32) {
        lane = first_active(e);
    } else {
        const unsigned number = scalar_value(e, &i->src[1]);
        isa_put(&e->code, "  %%t%u = zext i32 %%t%u to i64\n", lane = isa_emit_fresh(e), number);
    }
    if (body == ISA_OP_v_writelane_b32) {
        const unsigned value = scalar_value(e, &i->src[0]), p = put_lane(e, &i->dst, lane);
        isa_put(&e->code, "  store i32 %%t%u, ptr %%t%u\n", value, p);
        return;
    }
    const unsigned p = put_lane(e, &i->src[0], lane), v = isa_emit_fresh(e);
    isa_put(&e->code, "  %%t%u = load i32, ptr %%t%u\n", v, p);
    isa_emit_write(e, &e->code, i->dst.reg, v);
}
