/* sqtt_gfx10.c - the streams of gfx10, gfx11 and gfx12: registers, and events as their tokens.
 *
 * Tokens of 4 to 72 bits follow one another without gaps, the lowest bit first; docs/att.md has all
 * of them. A new GPU's tokens are rows of the tables here. A token has the clocks since the token
 * before it; most instructions have one, which is of the clock in which they are issued. */
#include "isa/table.h"
#include "softgpu/perf/sqtt_internal.h"

#include <string.h>

/* ---- tokens ---- */

typedef enum {
    T_HEADER,
    T_TIME,
    T_STAMP,
    T_REG,
    T_LAUNCH,
    T_EVENT,
    T_BEGIN,
    T_END,
    T_INST,
    T_VALU,
    T_IMMEDIATE,
    T_READY,
    T_PC,
    T_DATA,
    T_DATA_SHORT,
    TOKENS
} token_t;

typedef enum {
    F_DELTA,
    F_ARRAY,
    F_SIMD,
    F_UNIT,
    F_SLOT,
    F_LANES,
    F_KIND,
    F_VALUE,
    F_ADDRESS,
    F_COMPUTE,
    F_WAITS, /* waits at barriers are left out */
    FIELDS
} field_t;

typedef struct sg_sqtt_row {
    uint8_t prefix, bits;
    struct {
        uint8_t high, low; /* high 0: the token does not have the field */
    } field[FIELDS];
} row_t;

#define F(field, high, low) [F_##field] = {(high), (low)}
#define PLACE(at)           F(ARRAY, at, at), F(SIMD, (at) + 2, (at) + 1), F(UNIT, (at) + 5, (at) + 3)
#define PLACE_GFX12(at)     F(ARRAY, at, at), F(SIMD, (at) + 2, (at) + 1), F(UNIT, (at) + 6, (at) + 3)
#define COMMON                                                                                     \
    [T_TIME] = {0x08, 8, {F(DELTA, 7, 4)}},                                                        \
    [T_REG] = {0x09,                                                                               \
               64,                                                                                 \
               {F(DELTA, 6, 4), F(COMPUTE, 15, 15), F(ADDRESS, 31, 16), F(VALUE, 63, 32)}},        \
    [T_LAUNCH] = {0x71, 64, {F(DELTA, 9, 7), F(KIND, 19, 18), F(VALUE, 51, 20)}},                  \
    [T_EVENT] = {0x61, 24, {F(DELTA, 10, 8), F(KIND, 23, 18)}},                                    \
    [T_VALU] = {0x03, 12, {F(DELTA, 5, 3), F(SLOT, 11, 7)}},                                       \
    [T_IMMEDIATE] = {0x0d, 12, {F(DELTA, 6, 4), F(SLOT, 11, 7)}},                                  \
    [T_READY] = {0x14, 24, {F(DELTA, 7, 5), F(VALUE, 23, 8)}}
#define COMMON_GFX10                                                                               \
    COMMON,                                                                                        \
        [T_HEADER] = {0x11,                                                                        \
                      64,                                                                          \
                      {F(SIMD, 14, 13), F(UNIT, 17, 15), F(KIND, 12, 7), F(VALUE, 30, 28)}},       \
        [T_BEGIN] = {0x0c, 32, {F(DELTA, 6, 5), PLACE(7), F(SLOT, 17, 13), F(LANES, 31, 25)}},     \
        [T_END] = {0x15, 20, {F(DELTA, 7, 5), PLACE(8), F(SLOT, 19, 15)}},                         \
        [T_INST] = {0x02, 20, {F(DELTA, 6, 4), F(SLOT, 12, 8), F(KIND, 19, 13)}},                  \
        [T_PC] = {0x21, 64, {F(DELTA, 10, 8), F(SLOT, 15, 11), F(ADDRESS, 61, 16)}},               \
        [T_DATA] = {0x06, 52, {F(DELTA, 7, 5), PLACE(8), F(SLOT, 19, 15), F(VALUE, 51, 20)}},      \
        [T_DATA_SHORT] = {0x16, 28, {F(DELTA, 7, 5), PLACE(8), F(SLOT, 19, 15), F(VALUE, 27, 20)}}

/* Kinds of stamps: the value is a number of clocks since the token before. */
static const row_t rows_gfx10[TOKENS] = {
    COMMON_GFX10, [T_STAMP] = {0x01, 64, {F(KIND, 15, 14), F(VALUE, 63, 16)}}};
static const row_t rows_gfx11[TOKENS] = {
    COMMON_GFX10, [T_STAMP] = {0x01, 48, {F(KIND, 9, 8), F(VALUE, 47, 12)}}};
/* A stamp of kind 0 tells clocks here, too. The address has bits after the first 64, which are 0.
 */
static const row_t rows_gfx12[TOKENS] = {
    COMMON,
    [T_HEADER] = {0x11,
                  64,
                  {F(SIMD, 14, 13), F(UNIT, 18, 15), F(KIND, 12, 7), F(VALUE, 30, 28),
                   F(WAITS, 59, 59)}},
    [T_STAMP] = {0x01, 64, {F(KIND, 8, 7), F(VALUE, 63, 12)}},
    [T_BEGIN] = {0x0c, 32, {F(DELTA, 6, 5), PLACE_GFX12(7), F(SLOT, 19, 15), F(LANES, 31, 25)}},
    [T_END] = {0x15, 20, {F(DELTA, 7, 5), PLACE_GFX12(8), F(SLOT, 19, 15)}},
    [T_INST] = {0x02, 20, {F(DELTA, 5, 3), F(SLOT, 11, 7), F(KIND, 19, 12)}},
    [T_PC] = {0x21, 72, {F(DELTA, 10, 8), F(SLOT, 15, 11), F(ADDRESS, 61, 16)}},
    [T_DATA] = {0x06, 56, {F(DELTA, 9, 7), PLACE_GFX12(10), F(SLOT, 21, 17), F(VALUE, 53, 22)}},
    [T_DATA_SHORT] = {
        0x46, 32, {F(DELTA, 9, 7), PLACE_GFX12(10), F(SLOT, 21, 17), F(VALUE, 29, 22)}}};

static unsigned width(const row_t *row, field_t field)
{
    return row->field[field].high ? row->field[field].high - row->field[field].low + 1u : 0;
}

/* The field with this value, of which bits beyond its width are cut off. */
static uint64_t put(const row_t *row, field_t field, uint64_t value)
{
    const unsigned bits = width(row, field);
    return bits ? (value & ((UINT64_C(1) << bits) - 1)) << row->field[field].low : 0;
}

/* ---- the buffer ---- */

enum { NIBBLE = 4, BYTE = 8, WORD = 64 };

/* Writes a token, whose bits after the first 64 are 0. One that does not fit is never cut: the
 * trace ends before it. */
static bool append(sg_sqtt_engine_t *e, uint64_t token, unsigned bits)
{
    if (sg_sqtt_room(e) * BYTE + (e->half ? NIBBLE : 0) < bits) {
        e->full = true;
        return false;
    }
    for (unsigned at = 0; at < bits; at += NIBBLE) {
        const uint8_t nibble = at < WORD ? token >> at & 15 : 0;
        if (e->half)
            e->host[e->written - 1] |= (uint8_t)(nibble << NIBBLE);
        else
            e->host[e->written++] = nibble;
        e->half = !e->half;
    }
    return true;
}

/* Writes tokens of time, until at most `most` clocks are left for the next token, and returns
 * these. */
static uint32_t advance(const sg_sqtt_format_t *f, sg_sqtt_engine_t *e, uint64_t time,
                        uint32_t most)
{
    enum { TIME_LEAST = 4, TIME_MOST = 19, TIMES = 2 };
    uint64_t clocks = time > e->now ? time - e->now : 0;
    const row_t *stamp = &f->rows[T_STAMP], *step = &f->rows[T_TIME];
    while (clocks > TIMES * TIME_MOST + most) {
        const uint64_t all = (UINT64_C(1) << width(stamp, F_VALUE)) - 1,
                       some = clocks < all ? clocks : all;
        const uint64_t token =
            stamp->prefix | put(stamp, F_KIND, f->stamp) | put(stamp, F_VALUE, some);
        if (!append(e, token, stamp->bits)) return 0;
        e->now += some;
        clocks -= some;
    }
    while (clocks > most && clocks >= TIME_LEAST) {
        const uint64_t some = clocks < TIME_MOST ? clocks : TIME_MOST;
        if (!append(e, step->prefix | put(step, F_DELTA, some - TIME_LEAST), step->bits)) break;
        e->now += some;
        clocks -= some;
    }
    return (uint32_t)clocks;
}

/* ---- events ---- */

static token_t token_of(const sg_sqtt_event_t *v)
{
    static const uint8_t tokens[] = {[SG_SQTT_WAVE_START] = T_BEGIN,
                                     [SG_SQTT_WAVE_END] = T_END,
                                     [SG_SQTT_INST] = T_INST,
                                     [SG_SQTT_PC] = T_PC,
                                     [SG_SQTT_DATA] = T_DATA,
                                     [SG_SQTT_REGISTER] = T_REG,
                                     [SG_SQTT_EVENT] = T_EVENT,
                                     [SG_SQTT_LAUNCH] = T_LAUNCH,
                                     [SG_SQTT_READY] = T_READY,
                                     [SG_SQTT_VALU] = T_VALU,
                                     [SG_SQTT_MARK] = T_REG,
                                     [SG_SQTT_IMMEDIATE] = T_IMMEDIATE,
                                     [SG_SQTT_DATA_SHORT] = T_DATA_SHORT};
    return (token_t)tokens[v->kind];
}

/* The token of an event, without its time. */
static uint64_t fields_of(const row_t *row, const sg_sqtt_event_t *v)
{
    enum { DISPATCH = 2, OF_32_LANES = 96 };
    const uint64_t where = row->prefix | put(row, F_ARRAY, v->array) | put(row, F_SIMD, v->simd) |
                           put(row, F_UNIT, v->place) | put(row, F_SLOT, v->slot);
    switch ((sg_sqtt_kind_t)v->kind) {
    case SG_SQTT_WAVE_START:
        return where | put(row, F_LANES, v->value - 1 + (v->type ? OF_32_LANES : 0));
    case SG_SQTT_INST: return where | put(row, F_KIND, v->type);
    case SG_SQTT_PC: return where | put(row, F_ADDRESS, v->value / 4);
    case SG_SQTT_DATA:
    case SG_SQTT_DATA_SHORT: return where | put(row, F_VALUE, v->value);
    case SG_SQTT_REGISTER:
        return row->prefix | put(row, F_COMPUTE, 1) | put(row, F_ADDRESS, v->type) |
               put(row, F_VALUE, v->value);
    case SG_SQTT_MARK:
        return row->prefix | put(row, F_ADDRESS, SG_SQTT_USERDATA_0 + v->type) |
               put(row, F_VALUE, v->value);
    case SG_SQTT_LAUNCH:
        return row->prefix | put(row, F_KIND, DISPATCH) | put(row, F_VALUE, v->value);
    case SG_SQTT_EVENT: return row->prefix | put(row, F_KIND, v->value);
    case SG_SQTT_READY: return row->prefix | put(row, F_VALUE, UINT64_C(1) << v->slot);
    default: return where;
    }
}

/* The stream's first token: whose instructions are in it. */
static void begin(const sg_sqtt_t *s, sg_sqtt_engine_t *e)
{
    const sg_sqtt_format_t *f = s->format;
    const row_t *row = &f->rows[T_HEADER];
    const sg_sqtt_target_t target = f->target(e);
    append(e,
           row->prefix | put(row, F_KIND, f->version) | put(row, F_UNIT, target.place) |
               put(row, F_SIMD, (uint32_t)__builtin_ctz(target.simds)) |
               put(row, F_VALUE, s->f64_rate + 1) | put(row, F_WAITS, 1),
           row->bits);
    e->begun = true;
}

static void put_event(const sg_sqtt_t *s, sg_sqtt_engine_t *e, const sg_sqtt_event_t *v)
{
    const row_t *row = &s->format->rows[token_of(v)];
    if (!(s->format->kinds(e) >> v->kind & 1)) return;
    if (!e->begun) begin(s, e);
    const uint32_t most = (1u << width(row, F_DELTA)) - 1,
                   clocks = advance(s->format, e, v->time, most);
    if (append(e, fields_of(row, v) | put(row, F_DELTA, clocks), row->bits)) e->now += clocks;
}

/* ---- masks ---- */

/* Bits of the token mask, which leave tokens out; registers are told if some group of them is. */
enum {
    NO_VALU = 1 << 2,
    NO_READY = 1 << 3,
    NO_WAVES = 1 << 4,
    NO_IMMEDIATE = 1 << 5,
    NO_EVENTS = 1 << 7,
    NO_INST = 1 << 8,
    REGISTERS = 0xff << 16
};

#define K(kind) (UINT32_C(1) << SG_SQTT_##kind)

static uint32_t kinds_of(const sg_sqtt_engine_t *e)
{
    static const struct {
        uint32_t without, kinds;
    } rows[] = {{NO_WAVES, K(WAVE_START) | K(WAVE_END)},
                {NO_VALU, K(VALU)},
                {NO_READY | NO_INST, K(READY)},
                {NO_IMMEDIATE | NO_INST, K(IMMEDIATE)},
                {NO_EVENTS, K(EVENT)},
                {NO_INST, K(INST) | K(PC) | K(DATA) | K(DATA_SHORT)}};
    uint32_t kinds = e->token_mask & REGISTERS ? K(REGISTER) | K(MARK) | K(LAUNCH) : 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!(e->token_mask & rows[i].without)) kinds |= rows[i].kinds;
    return kinds;
}

/* The trace is on, and has waves of compute. */
static bool is_on(const sg_sqtt_engine_t *e)
{
    enum { MODE = 3, ON = 1, COMPUTE = 1 << 16 };
    return (e->mode & MODE) == ON && e->mask & COMPUTE;
}

static sg_sqtt_target_t target(const sg_sqtt_engine_t *e)
{
    enum { SIMD = 3, UNIT_SHIFT = 4, UNIT = 15 };
    return (sg_sqtt_target_t){e->mask >> UNIT_SHIFT & UNIT, 1u << (e->mask & SIMD)};
}

/* ---- instructions ---- */

/* Kinds of instructions by their numbers in tokens. Numbers of memory instructions tell clocks,
 * too: these are for one, as the model has it. */
enum {
    KIND_SALU = 0,
    KIND_SMEM = 1,
    KIND_JUMP = 3,
    KIND_NEXT = 4,
    KIND_TO_PC = 5,
    KIND_TRAP = 6,
    KIND_MESSAGE = 9,
    KIND_TRANSCENDENTAL = 11,
    KIND_BARRIER = 19,
    KIND_SIGNAL = 122, /* to a barrier */
    KIND_LDS_LOAD = 41,
    KIND_LDS_STORE = 42,
    KIND_BUFFER_LOAD = 47,
    KIND_BUFFER_STORE = 49,
    KIND_RETURN = 117
};

enum { MATRIX_CLOCKS = 8 }; /* of the first kind of matrix instructions */

/* Numbers that differ between GPUs. FLAT instructions take more than one clock there: the numbers
 * are for the fewest, which are beside them. `matrix` is for matrix instructions of
 * MATRIX_CLOCKS, and the numbers behind it for twice as many each; 0: these have a token that tells
 * no kind. `ready`: clocks from that in which a wave is ready to that of the token. */
typedef struct sg_sqtt_numbers {
    uint8_t f64, global_load, global_store;
    uint8_t flat_load, flat_load_clocks, flat_store, flat_store_clocks;
    uint8_t matrix, ready;
} numbers_t;

static const numbers_t numbers_gfx10 = {12, 35, 36, 30, 1, 31, 2, 0, 1},
                       numbers_gfx11 = {10, 33, 35, 28, 2, 29, 3, 0, 1},
                       numbers_gfx12 = {146, 33, 35, 28, 2, 29, 3, 140, 0};

typedef enum { OF_NOTHING, OF_ISSUE, OF_KIND, OF_VALU } leaves_t;

static int kind_of_memory(const numbers_t *n, const isa_inst_t *i, bool stores)
{
    switch ((isa_fmt_t)i->fmt) {
    case ISA_FMT_FLAT: return stores ? n->flat_store : n->flat_load;
    case ISA_FMT_GLOBAL:
    case ISA_FMT_SCRATCH: return stores ? n->global_store : n->global_load;
    default: return stores ? KIND_BUFFER_STORE : KIND_BUFFER_LOAD;
    }
}

/* Whether the instruction does nothing for a wave without active lanes. One that writes scalar
 * registers is done for all lanes. */
static bool is_skipped(const isa_inst_t *i, const isa_wave_t *w)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    const bool for_lanes =
        row->klass > ISA_CLASS_SMEM_AT && !isa_is_cache_operation(row->memory.kind);
    return !w->exec && for_lanes && i->dst.kind != ISA_OPK_SGPR && i->op != ISA_OP_v_writelane_b32;
}

/* What a vector instruction leaves: one of a clock has a token that tells no kind. */
static leaves_t vector(const numbers_t *n, const isa_row_desc_t *row, int *kind)
{
    enum { CLOCKS = 4 /* of most instructions, in the table */ };
    const bool f64 = isa_is_f64(row->math.kind);
    *kind = f64 ? n->f64 : KIND_TRANSCENDENTAL;
    return f64 || row->math.clocks > CLOCKS ? OF_KIND : OF_VALU;
}

/* The instruction is complete when it is issued; s_barrier has a kind, and waits until the wave's
 * next token. Waits at barriers of gfx12 are left out, as drivers ask for. */
static leaves_t internal(const isa_inst_t *i, int *kind)
{
    *kind = KIND_BARRIER;
    switch (i->op) {
    case ISA_OP_s_barrier: return OF_KIND;
    case ISA_OP_s_barrier_wait:
    case ISA_OP_s_wait_alu:
    case ISA_OP_s_delay_alu:
    case ISA_OP_s_singleuse_vdst: return OF_NOTHING;
    default: return OF_ISSUE;
    }
}

static leaves_t matrix(const numbers_t *n, const isa_row_desc_t *row, int *kind)
{
    enum { MOST = 3 };
    int twice = 0;
    while (twice < MOST && row->math.clocks > MATRIX_CLOCKS << twice)
        twice++;
    *kind = n->matrix + twice;
    return n->matrix ? OF_KIND : OF_VALU;
}

static bool is_signal(const isa_inst_t *i)
{
    return i->op == ISA_OP_s_barrier_signal || i->op == ISA_OP_s_barrier_signal_isfirst;
}

static leaves_t leaves(const numbers_t *n, const isa_inst_t *i, int *kind)
{
    const isa_row_desc_t *row = &isa_table[i->op];
    *kind = KIND_SIGNAL;
    if (is_signal(i)) return OF_KIND;
    switch ((isa_class_t)row->klass) {
    case ISA_CLASS_SALU: *kind = KIND_SALU; break;
    case ISA_CLASS_BRANCH: *kind = i->fmt == ISA_FMT_SOPP ? KIND_NEXT : KIND_TO_PC; break;
    case ISA_CLASS_MSG:
        *kind = KIND_MESSAGE;
        if (i->op == ISA_OP_s_endpgm) return OF_NOTHING; /* until the wave's end */
        if (i->op == ISA_OP_s_ttracedata_imm) return OF_ISSUE;
        break;
    case ISA_CLASS_INTERNAL: return internal(i, kind);
    case ISA_CLASS_SMEM:
    case ISA_CLASS_SMEM_RD:
    case ISA_CLASS_SMEM_WR:
    case ISA_CLASS_SMEM_AT: *kind = KIND_SMEM; break;
    case ISA_CLASS_VALU: return vector(n, row, kind);
    case ISA_CLASS_MFMA: return matrix(n, row, kind);
    case ISA_CLASS_FLAT:
    case ISA_CLASS_FLAT_RD:
    case ISA_CLASS_VMEM:
    case ISA_CLASS_VMEM_RD: *kind = kind_of_memory(n, i, false); break;
    case ISA_CLASS_FLAT_WR:
    case ISA_CLASS_FLAT_AT:
    case ISA_CLASS_VMEM_WR:
    case ISA_CLASS_VMEM_AT: *kind = kind_of_memory(n, i, true); break;
    case ISA_CLASS_LDS_WR:
    case ISA_CLASS_LDS_AT: *kind = KIND_LDS_STORE; break;
    default: *kind = KIND_LDS_LOAD;
    }
    return OF_KIND;
}

/* The clocks for which the decoder takes an instruction of that kind to last; 0: for no longer than
 * the model does. */
static uint32_t clocks_of(const numbers_t *n, const isa_inst_t *i, int kind)
{
    if (isa_table[i->op].klass == ISA_CLASS_MFMA)
        return (uint32_t)MATRIX_CLOCKS << (kind - n->matrix);
    if (i->fmt != ISA_FMT_FLAT) return 0;
    return kind == n->flat_store ? n->flat_store_clocks : n->flat_load_clocks;
}

/* A wave that waits for its unit is told to be ready, in the clock in which it became so or in the
 * next. */
static void tell(sg_sqtt_told_t *told, const sg_sqtt_format_t *f, const isa_wave_t *w,
                 const isa_inst_t *i, uint64_t begin, uint64_t issued, uint64_t end)
{
    const numbers_t *n = f->numbers;
    int kind = 0;
    const leaves_t what = is_skipped(i, w) ? OF_ISSUE : leaves(n, i, &kind);
    const bool returns = i->op == ISA_OP_s_rfe_b64;
    (void)end;
    if (returns) kind = KIND_RETURN;
    if (what >= OF_KIND && issued > begin)
        sg_sqtt_tell(told, begin + n->ready, SG_SQTT_READY, 0, SG_TELLS_TIME);
    if (i->op == ISA_OP_s_ttracedata) sg_sqtt_tell(told, issued, SG_SQTT_DATA, 0, SG_TELLS_DATA);
    if (i->op == ISA_OP_s_ttracedata_imm)
        sg_sqtt_tell(told, issued, SG_SQTT_DATA_SHORT, 0, SG_TELLS_CONSTANT);
    if (what == OF_ISSUE) sg_sqtt_tell(told, issued, SG_SQTT_IMMEDIATE, 0, SG_TELLS_TIME);
    if (what == OF_VALU) sg_sqtt_tell(told, issued, SG_SQTT_VALU, 0, SG_TELLS_TIME);
    if (what == OF_KIND)
        sg_sqtt_tell(told, issued, SG_SQTT_INST, kind,
                     kind == KIND_NEXT ? SG_TELLS_BRANCH : SG_TELLS_TIME);
    const uint32_t clocks = what == OF_KIND ? clocks_of(n, i, kind) : 0;
    if (clocks) sg_sqtt_tell_clocks(told, issued, clocks);
    if (what == OF_KIND && (kind == KIND_TO_PC || returns))
        sg_sqtt_tell(told, issued, SG_SQTT_PC, 0, SG_TELLS_TARGET);
}

static void tell_trap(sg_sqtt_told_t *told, uint64_t begin)
{
    sg_sqtt_tell(told, begin, SG_SQTT_INST, KIND_TRAP, SG_TELLS_TIME);
}

/* ---- the formats ---- */

#define COMMON_FORMAT                                                                              \
    .status_error = 1 << 24, .restarts = true, .slots = 16, .least = 1, .taken = KIND_JUMP,        \
    .launches = true, .is_on = is_on, .target = target, .kinds = kinds_of, .put = put_event,       \
    .tell = tell, .tell_trap = tell_trap

const sg_sqtt_format_t sg_sqtt_gfx10 = {
    COMMON_FORMAT,
    .registers = {{0x2340, SG_TRACE_BASE},
                  {0x2341, SG_TRACE_SIZE_AND_HIGH},
                  {0x2344, SG_TRACE_WRITTEN},
                  {0x2345, SG_TRACE_MASK},
                  {0x2346, SG_TRACE_TOKENS},
                  {0x2347, SG_TRACE_MODE},
                  {0x2348, SG_TRACE_STATUS},
                  {0x2349, SG_TRACE_KEPT}},
    .version = 2,
    .stamp = 1,
    .rows = rows_gfx10,
    .numbers = &numbers_gfx10,
};

const sg_sqtt_format_t sg_sqtt_gfx11 = {
    COMMON_FORMAT,
    .registers = {{0xd9e8, SG_TRACE_BASE},
                  {0xd9e9, SG_TRACE_SIZE_AND_HIGH},
                  {0xd9ec, SG_TRACE_MODE},
                  {0xd9ed, SG_TRACE_MASK},
                  {0xd9ee, SG_TRACE_TOKENS},
                  {0xd9ef, SG_TRACE_WRITTEN},
                  {0xd9f4, SG_TRACE_STATUS},
                  {0xd9fa, SG_TRACE_KEPT}},
    .version = 3,
    .written_from_zero = true,
    .rows = rows_gfx11,
    .numbers = &numbers_gfx11,
};

const sg_sqtt_format_t sg_sqtt_gfx12 = {
    COMMON_FORMAT,
    .registers = {{0xd9e6, SG_TRACE_SIZE},
                  {0xd9e7, SG_TRACE_BASE},
                  {0xd9e8, SG_TRACE_BASE_HIGH},
                  {0xd9ec, SG_TRACE_MODE},
                  {0xd9ed, SG_TRACE_MASK},
                  {0xd9ee, SG_TRACE_TOKENS},
                  {0xd9ef, SG_TRACE_WRITTEN},
                  {0xd9f4, SG_TRACE_STATUS},
                  {0xd9fa, SG_TRACE_KEPT}},
    .version = 4,
    .rows = rows_gfx12,
    .numbers = &numbers_gfx12,
};
