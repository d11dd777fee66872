/* mem_lds.c - every LDS instruction against the byte-wise model, on every core.
 *
 * Loads, stores and atomics share one table-driven test; exchanges between lanes, counters and the
 * rules for addresses out of range have tests of their own below it. */
#include "mem_ops.h"

enum { ADDR = 0, DATA0 = 4, DATA1 = 8, DST = 12, M0 = ISA_CODE_M0 };

INT_OPS(op_rsub, d0 - old)
INT_OPS(op_mskor, (old & ~d0) | d1)
INT_OPS(op_cmpst, old == d0 ? d1 : old)
INT_OP(op_wrap, 32, old >= d0 ? old - d0 : old + d1)

static uint64_t op_condxchg(uint64_t old, uint64_t d0, uint64_t d1)
{
    (void)d1;
    uint64_t now = 0;
    for (unsigned k = 0; k < 64; k += 32) {
        const uint32_t have = (uint32_t)(old >> k), data = (uint32_t)(d0 >> k);
        now |= (uint64_t)(data >> 31 ? data & 0x7fffffff : have) << k;
    }
    return now;
}

/* MODE of the test keeps denormals. */
static uint64_t op_fcmpst32(uint64_t old, uint64_t d0, uint64_t d1)
{
    return bits_float(old) == bits_float(d0) ? d1 : old;
}

static uint64_t op_fcmpst64(uint64_t old, uint64_t d0, uint64_t d1)
{
    return bits_double(old) == bits_double(d0) ? d1 : old;
}

static uint64_t op_fadd32(uint64_t old, uint64_t d0, uint64_t d1)
{
    (void)d1;
    const float a = bits_float(old), b = bits_float(d0), sum = a + b;
    uint32_t bits;
    memcpy(&bits, &sum, 4);
    if (isnan(a)) return (uint32_t)old | 0x400000;
    if (isnan(b)) return (uint32_t)d0 | 0x400000;
    return isnan(sum) ? 0x7fc00000 : bits;
}

static uint64_t op_fmin32(uint64_t old, uint64_t d0, uint64_t d1)
{
    (void)d1;
    const float a = bits_float(old), b = bits_float(d0);
    if (isnan(a)) return d0;
    if (isnan(b)) return old;
    return a == b ? (signbit(a) ? old : d0) : a < b ? old : d0;
}

static uint64_t op_fmax32(uint64_t old, uint64_t d0, uint64_t d1)
{
    (void)d1;
    const float a = bits_float(old), b = bits_float(d0);
    if (isnan(a)) return d0;
    if (isnan(b)) return old;
    return a == b ? (signbit(a) ? d0 : old) : a > b ? old : d0;
}

typedef struct {
    rig_access_t x;  /* x.name is the whole mnemonic */
    unsigned unit;   /* of the two offsets; 0: one 16-bit offset */
    unsigned n_data; /* data operands */
    bool returns;
} row_t;

#define MOVE(name, kind, bytes, extend, shift, half)                                               \
    {                                                                                              \
        {name, kind, bytes, extend, shift, half, NULL}, 0, (kind) == 'S', (kind) == 'L'            \
    }
#define MOVE2(name, kind, bytes, unit)                                                             \
    {                                                                                              \
        {name, kind, bytes, ZERO, 0, false, NULL}, unit, (kind) == 'S' ? 2 : 0, (kind) == 'L'      \
    }
#define ATOMIC(plain, rtn, bytes, n_data, op)                                                      \
    {{plain, 'A', bytes, ZERO, 0, false, op}, 0, n_data, false},                                   \
    {                                                                                              \
        {rtn, 'A', bytes, ZERO, 0, false, op}, 0, n_data, true                                     \
    }
#define RETURNING(rtn, bytes, n_data, op)                                                          \
    {                                                                                              \
        {rtn, 'A', bytes, ZERO, 0, false, op}, 0, n_data, true                                     \
    }
#define EXCHANGE2(rtn, bytes, unit)                                                                \
    {                                                                                              \
        {rtn, 'X', bytes, ZERO, 0, false, NULL}, unit, 2, true                                     \
    }

static const row_t rows[] = {
    MOVE("ds_read_b32", 'L', 4, ZERO, 0, false),
    MOVE("ds_read_b64", 'L', 8, ZERO, 0, false),
    MOVE("ds_read_b96", 'L', 12, ZERO, 0, false),
    MOVE("ds_read_b128", 'L', 16, ZERO, 0, false),
    MOVE("ds_read_u8", 'L', 1, ZERO, 0, false),
    MOVE("ds_read_i8", 'L', 1, SIGN, 0, false),
    MOVE("ds_read_u16", 'L', 2, ZERO, 0, false),
    MOVE("ds_read_i16", 'L', 2, SIGN, 0, false),
    MOVE("ds_read_u8_d16", 'L', 1, ZERO, 0, true),
    MOVE("ds_read_u8_d16_hi", 'L', 1, ZERO, 16, true),
    MOVE("ds_read_i8_d16", 'L', 1, SIGN, 0, true),
    MOVE("ds_read_i8_d16_hi", 'L', 1, SIGN, 16, true),
    MOVE("ds_read_u16_d16", 'L', 2, ZERO, 0, true),
    MOVE("ds_read_u16_d16_hi", 'L', 2, ZERO, 16, true),
    MOVE("ds_write_b8", 'S', 1, ZERO, 0, false),
    MOVE("ds_write_b16", 'S', 2, ZERO, 0, false),
    MOVE("ds_write_b8_d16_hi", 'S', 1, ZERO, 16, false),
    MOVE("ds_write_b16_d16_hi", 'S', 2, ZERO, 16, false),
    MOVE("ds_write_b32", 'S', 4, ZERO, 0, false),
    MOVE("ds_write_b64", 'S', 8, ZERO, 0, false),
    MOVE("ds_write_b96", 'S', 12, ZERO, 0, false),
    MOVE("ds_write_b128", 'S', 16, ZERO, 0, false),
    MOVE2("ds_read2_b32", 'L', 4, 4),
    MOVE2("ds_read2_b64", 'L', 8, 8),
    MOVE2("ds_read2st64_b32", 'L', 4, 256),
    MOVE2("ds_read2st64_b64", 'L', 8, 512),
    MOVE2("ds_write2_b32", 'S', 4, 4),
    MOVE2("ds_write2_b64", 'S', 8, 8),
    MOVE2("ds_write2st64_b32", 'S', 4, 256),
    MOVE2("ds_write2st64_b64", 'S', 8, 512),
    ATOMIC("ds_add_u32", "ds_add_rtn_u32", 4, 1, op_add32),
    ATOMIC("ds_sub_u32", "ds_sub_rtn_u32", 4, 1, op_sub32),
    ATOMIC("ds_rsub_u32", "ds_rsub_rtn_u32", 4, 1, op_rsub32),
    ATOMIC("ds_inc_u32", "ds_inc_rtn_u32", 4, 1, op_inc32),
    ATOMIC("ds_dec_u32", "ds_dec_rtn_u32", 4, 1, op_dec32),
    ATOMIC("ds_min_i32", "ds_min_rtn_i32", 4, 1, op_smin32),
    ATOMIC("ds_max_i32", "ds_max_rtn_i32", 4, 1, op_smax32),
    ATOMIC("ds_min_u32", "ds_min_rtn_u32", 4, 1, op_umin32),
    ATOMIC("ds_max_u32", "ds_max_rtn_u32", 4, 1, op_umax32),
    ATOMIC("ds_and_b32", "ds_and_rtn_b32", 4, 1, op_and32),
    ATOMIC("ds_or_b32", "ds_or_rtn_b32", 4, 1, op_or32),
    ATOMIC("ds_xor_b32", "ds_xor_rtn_b32", 4, 1, op_xor32),
    ATOMIC("ds_mskor_b32", "ds_mskor_rtn_b32", 4, 2, op_mskor32),
    ATOMIC("ds_cmpst_b32", "ds_cmpst_rtn_b32", 4, 2, op_cmpst32),
    ATOMIC("ds_cmpst_f32", "ds_cmpst_rtn_f32", 4, 2, op_fcmpst32),
    ATOMIC("ds_min_f32", "ds_min_rtn_f32", 4, 1, op_fmin32),
    ATOMIC("ds_max_f32", "ds_max_rtn_f32", 4, 1, op_fmax32),
    ATOMIC("ds_add_f32", "ds_add_rtn_f32", 4, 1, op_fadd32),
    RETURNING("ds_wrxchg_rtn_b32", 4, 1, op_swap32),
    RETURNING("ds_wrap_rtn_b32", 4, 2, op_wrap32),
    ATOMIC("ds_add_u64", "ds_add_rtn_u64", 8, 1, op_add64),
    ATOMIC("ds_sub_u64", "ds_sub_rtn_u64", 8, 1, op_sub64),
    ATOMIC("ds_rsub_u64", "ds_rsub_rtn_u64", 8, 1, op_rsub64),
    ATOMIC("ds_inc_u64", "ds_inc_rtn_u64", 8, 1, op_inc64),
    ATOMIC("ds_dec_u64", "ds_dec_rtn_u64", 8, 1, op_dec64),
    ATOMIC("ds_min_i64", "ds_min_rtn_i64", 8, 1, op_smin64),
    ATOMIC("ds_max_i64", "ds_max_rtn_i64", 8, 1, op_smax64),
    ATOMIC("ds_min_u64", "ds_min_rtn_u64", 8, 1, op_umin64),
    ATOMIC("ds_max_u64", "ds_max_rtn_u64", 8, 1, op_umax64),
    ATOMIC("ds_and_b64", "ds_and_rtn_b64", 8, 1, op_and64),
    ATOMIC("ds_or_b64", "ds_or_rtn_b64", 8, 1, op_or64),
    ATOMIC("ds_xor_b64", "ds_xor_rtn_b64", 8, 1, op_xor64),
    ATOMIC("ds_mskor_b64", "ds_mskor_rtn_b64", 8, 2, op_mskor64),
    ATOMIC("ds_cmpst_b64", "ds_cmpst_rtn_b64", 8, 2, op_cmpst64),
    ATOMIC("ds_cmpst_f64", "ds_cmpst_rtn_f64", 8, 2, op_fcmpst64),
    ATOMIC("ds_min_f64", "ds_min_rtn_f64", 8, 1, op_min_f64),
    ATOMIC("ds_max_f64", "ds_max_rtn_f64", 8, 1, op_max_f64),
    ATOMIC("ds_add_f64", "ds_add_rtn_f64", 8, 1, op_add_f64),
    RETURNING("ds_wrxchg_rtn_b64", 8, 1, op_swap64),
    RETURNING("ds_condxchg32_rtn_b64", 8, 1, op_condxchg),
    EXCHANGE2("ds_wrxchg2_rtn_b32", 4, 4),
    EXCHANGE2("ds_wrxchg2st64_rtn_b32", 4, 256),
    EXCHANGE2("ds_wrxchg2_rtn_b64", 8, 8),
    EXCHANGE2("ds_wrxchg2st64_rtn_b64", 8, 512),
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

typedef struct {
    const row_t *row;
    char bank;
    int dst;
    unsigned offset[2]; /* in bytes; the second only where there are two */
} test_t;

enum { MAX_TESTS = 400 };
static test_t tests[MAX_TESTS];
static unsigned n_tests;
static rig_program_t program;

static unsigned dst_rows(const row_t *row)
{
    return rig_rows(&row->x) * (row->unit ? 2 : 1);
}

static void add(const row_t *row, char bank, int dst, unsigned seed)
{
    test_t *t = &tests[n_tests++];
    char text[64] = "", part[32];
    *t = (test_t){row, bank, row->returns ? dst : -1, {seed * 37 % 900, 0}};
    if (row->x.kind == 'A' || row->x.kind == 'X') t->offset[0] &= ~7u;
    if (row->unit)
        for (unsigned n = 0; n < 2; n++)
            t->offset[n] = row->unit * (seed * (n + 3) % (n + 4));
    if (row->returns) sprintf(text, "%s, ", rig_regs(part, bank, (unsigned)dst, dst_rows(row)));
    strcat(text, "v0");
    for (unsigned n = 0; n < row->n_data; n++) {
        strcat(text, ", ");
        strcat(text, rig_regs(part, bank, n ? DATA1 : DATA0, rig_rows(&row->x)));
    }
    if (row->unit)
        rig_add(&program, "%s %s offset0:%u offset1:%u", row->x.name, text,
                t->offset[0] / row->unit, t->offset[1] / row->unit);
    else
        rig_add(&program, "%s %s offset:%u", row->x.name, text, t->offset[0]);
}

static int setup(void **state)
{
    for (unsigned k = 0; k < N_ROWS; k++) {
        add(&rows[k], 'v', DST, k);
        add(&rows[k], 'a', DST, k + 7);
        if (rows[k].returns) add(&rows[k], 'v', rows[k].x.kind == 'L' ? ADDR : DATA0, k + 3);
    }
    rig_assemble(&program);
    *state = &program;
    return 0;
}

typedef struct {
    uint32_t at[64]; /* LDS address of each lane's element */
    uint32_t bytes;
} places_t;

static uint8_t *place(rig_t *r, const void *how, unsigned l, unsigned k)
{
    const places_t *p = how;
    return (uint64_t)p->at[l] + p->bytes <= RIG_LDS ? &r->want.lds[p->at[l] + k] : NULL;
}

/* The address register's values; the sum with the offset lies in LDS, or sometimes does not. */
static void choose_addresses(rig_t *r, const test_t *t, unsigned pattern, uint32_t *addr)
{
    const uint32_t bytes = t->row->x.bytes, offset = t->offset[0];
    const bool aligned = t->row->x.kind == 'A' || t->row->x.kind == 'X' || pattern == 1;
    for (unsigned l = 0; l < 64; l++) {
        uint32_t at = rig_random(r) % (RIG_LDS - bytes + 1);
        if (pattern == 0) at = l * bytes + 16;
        if (pattern == 2) at = 320;
        if (pattern == 3 && rig_random(r) % 4 == 0) at = RIG_LDS - 20 + rig_random(r) % 40;
        if (pattern == 3 && rig_random(r) % 16 == 0) at = rig_random(r);
        if (aligned) at = at / bytes * bytes;
        addr[l] = at - offset;
        if (aligned) addr[l] &= ~(bytes - 1);
    }
}

static void model(rig_t *r, const test_t *t)
{
    const row_t *row = t->row;
    const unsigned n = rig_rows(&row->x);
    uint32_t(*bank)[64] = t->bank == 'v' ? r->want.v : r->want.a;
    places_t p[2];
    for (unsigned k = 0; k < 2; k++) {
        p[k].bytes = row->x.bytes;
        for (unsigned l = 0; l < 64; l++)
            p[k].at[l] = r->want.v[ADDR][l] + t->offset[k];
    }
    if (row->x.kind == 'X') {
        /* as two swaps per lane, one after the other */
        const rig_access_t swap = {
            "swap", 'A', row->x.bytes, ZERO, 0, false, row->x.bytes == 4 ? op_swap32 : op_swap64};
        static uint32_t data[8][64], old[4][64], both[16][64];
        memcpy(data, bank[DATA0], 4 * sizeof data[0]);
        memcpy(data + 4, bank[DATA1], 4 * sizeof data[0]);
        for (unsigned l = 0; l < 64; l++)
            for (unsigned k = 0; k < 2; k++) {
                memcpy(both, data + 4 * k, 4 * sizeof data[0]);
                rig_model(r, &swap, r->wave.exec & UINT64_C(1) << l, place, &p[k], both, 0, 8);
                for (unsigned c = 0; c < n; c++)
                    old[k * n + c][l] = both[8 + c][l];
            }
        for (unsigned l = 0; l < 64; l++)
            for (unsigned c = 0; c < 2 * n; c++)
                if (r->wave.exec >> l & 1) bank[t->dst + (int)c][l] = old[c][l];
    } else if (row->unit) {
        rig_model(r, &row->x, r->wave.exec, place, &p[0], bank, DATA0, t->dst);
        rig_model(r, &row->x, r->wave.exec, place, &p[1], bank, DATA1, t->dst + (int)n);
    } else if (row->n_data == 2) {
        /* rig_model wants the operands side by side: in rows that nothing else uses */
        memcpy(bank[RIG_ROWS - 4], bank[DATA0], n * sizeof bank[0]);
        memcpy(bank[RIG_ROWS - 4 + n], bank[DATA1], n * sizeof bank[0]);
        rig_model(r, &row->x, r->wave.exec, place, &p[0], bank, RIG_ROWS - 4, t->dst);
    } else {
        rig_model(r, &row->x, r->wave.exec, place, &p[0], bank, DATA0, t->dst);
    }
}

/* Operands of floats and compares: from memory's own values or from a few special ones. */
static void prepare_data(rig_t *r, const test_t *t, uint32_t (*bank)[64])
{
    rig_access_t like = t->row->x;
    if (strstr(like.name, "cmpst")) like.name = "cmpswap_f32";
    rig_prepare_data(r, &like, bank, DATA0);
    memcpy(r->want.lds, r->want.mem, RIG_LDS);
    if (t->row->n_data == 2 && t->row->x.kind == 'A')
        for (unsigned c = 0; c < 4; c++)
            memcpy(bank[RIG_ROWS - 4 + c], bank[20 + c], sizeof bank[0]);
}

/* Lanes that are not active have any address, in LDS or not, which need not be aligned. */
static void spoil_inactive(rig_t *r, bool inside)
{
    for (unsigned l = 0; l < 64; l++)
        if (!(r->wave.exec >> l & 1))
            r->want.v[ADDR][l] = inside ? rig_random(r) % (RIG_LDS - 64) : rig_random(r);
}

static void check(rig_t *r, const void *test, const isa_inst_t *i, const char *text)
{
    const test_t *t = test;
    uint32_t(*bank)[64] = t->bank == 'v' ? r->want.v : r->want.a;
    for (unsigned pattern = 0; pattern < 5; pattern++)
        for (unsigned turn = 0; turn < 4; turn++) {
            char name[300];
            uint32_t spare[4][64];
            snprintf(name, sizeof name, "%s: %s, pattern %u, EXEC %u", r->core->name, text, pattern,
                     turn);
            rig_fill(r);
            prepare_data(r, t, bank);
            choose_addresses(r, t, pattern, r->want.v[ADDR]);
            r->wave.exec = turn == 0   ? UINT64_MAX
                           : turn == 1 ? 0
                                       : rig_random(r) | (uint64_t)rig_random(r) << 32;
            if (turn == 3) spoil_inactive(r, pattern & 1);
            rig_load(r);
            memcpy(spare, bank[RIG_ROWS - 4], sizeof spare);
            model(r, t);
            memcpy(bank[RIG_ROWS - 4], spare, sizeof spare);
            rig_run(r, i, name);
            rig_compare(r, name);
        }
}

static void every_access_agrees_with_the_model(void **state)
{
    (void)state;
    rig_every(&program, tests, sizeof tests[0], check);
}

/* ---- two elements side by side, which may be loaded as one ---- */

typedef struct {
    const char *text;
    char bank;
    unsigned dst, dwords, offset0, offset1; /* offsets in bytes */
} side_t;

static const side_t sides[] = {
    {"ds_read2_b32 v[12:13], v0 offset0:3 offset1:4", 'v', 12, 1, 12, 16},
    {"ds_read2_b32 v[0:1], v0 offset0:3 offset1:4", 'v', 0, 1, 12, 16},
    {"ds_read2_b32 a[12:13], v0 offset0:3 offset1:4", 'a', 12, 1, 12, 16},
    {"ds_read2_b32 v[12:13], v0 offset0:4 offset1:3", 'v', 12, 1, 16, 12},
    {"ds_read2_b64 v[12:15], v0 offset0:3 offset1:4", 'v', 12, 2, 24, 32},
    {"ds_read2_b64 v[0:3], v0 offset0:3 offset1:4", 'v', 0, 2, 24, 32},
    {"ds_read2_b64 a[12:15], v0 offset0:3 offset1:4", 'a', 12, 2, 24, 32},
    {"ds_read2_b64 v[12:15], v0 offset0:4 offset1:3", 'v', 12, 2, 32, 24},
};
enum { SIDES = sizeof sides / sizeof sides[0] };

/* Where lane l's nearer element is: as far from the next lane's as both elements are long, or as
 * one is; both elements the last bytes of LDS, for lane 0 or for all. */
static uint32_t near_place(unsigned way, unsigned l, uint32_t bytes)
{
    switch (way) {
    case 0: return 2 * bytes * l;
    case 1: return bytes * l;
    case 2: return RIG_LDS - 2 * bytes * (l + 1);
    default: return RIG_LDS - 2 * bytes;
    }
}

static void run_side(rig_t *r, const side_t *t, const isa_inst_t *i, unsigned way, uint64_t exec)
{
    char name[200];
    const unsigned near = t->offset0 < t->offset1 ? t->offset0 : t->offset1;
    uint32_t(*bank)[64] = t->bank == 'v' ? r->want.v : r->want.a, at[64];
    snprintf(name, sizeof name, "%s: %s, way %u, EXEC %llx", r->core->name, t->text, way,
             (unsigned long long)exec);
    rig_fill(r);
    for (unsigned l = 0; l < 64; l++)
        r->want.v[ADDR][l] = at[l] = near_place(way, l, 4 * t->dwords) - near;
    r->wave.exec = exec;
    rig_load(r);
    for (unsigned l = 0; l < 64; l++)
        for (unsigned k = 0; k < t->dwords && exec >> l & 1; k++) {
            memcpy(&bank[t->dst + k][l], &r->want.lds[at[l] + t->offset0 + 4 * k], 4);
            memcpy(&bank[t->dst + t->dwords + k][l], &r->want.lds[at[l] + t->offset1 + 4 * k], 4);
        }
    rig_run(r, i, name);
    rig_compare(r, name);
}

static void check_side(rig_t *r, const void *test, const isa_inst_t *i, const char *text)
{
    static const uint64_t masks[] = {UINT64_MAX, UINT64_C(0x7fffffffffffeff0), 0};
    (void)text;
    for (unsigned way = 0; way < 4; way++)
        for (unsigned k = 0; k < 3; k++)
            run_side(r, test, i, way, masks[k]);
}

static void two_elements_side_by_side(void **state)
{
    rig_program_t p = {0};
    (void)state;
    for (unsigned k = 0; k < SIDES; k++)
        rig_add(&p, "%s", sides[k].text);
    rig_assemble(&p);
    rig_every(&p, sides, sizeof sides[0], check_side);
    rig_free(&p);
}

/* ---- one instruction at a time ---- */

static void swizzle_takes_lanes_by_its_four_modes(void **state)
{
    (void)state;
    /* Lane sources written out for lanes 0..3 and 32..35, from the instruction's description. */
    static const struct {
        const char *text;
        uint8_t source[8];
    } rows_[] = {
        {"ds_swizzle_b32 v12, v4 offset:0x80e4", {0, 1, 2, 3, 32, 33, 34, 35}},     /* quad 0123 */
        {"ds_swizzle_b32 v12, v4 offset:0x801b", {3, 2, 1, 0, 35, 34, 33, 32}},     /* quad 3210 */
        {"ds_swizzle_b32 v12, v4 offset:0x041f", {1, 0, 3, 2, 33, 32, 35, 34}},     /* xor 1 */
        {"ds_swizzle_b32 v12, v4 offset:0x7c1f", {31, 30, 29, 28, 63, 62, 61, 60}}, /* xor 31 */
        {"ds_swizzle_b32 v12, v4 offset:0x00bc", {5, 5, 5, 5, 37, 37, 37, 37}}, /* and 28 or 5 */
        {"ds_swizzle_b32 v12, v4 offset:0x0000", {0, 0, 0, 0, 32, 32, 32, 32}}, /* lane 0 to all */
        {"ds_swizzle_b32 v12, v4 offset:0xc060", {3, 4, 5, 6, 35, 36, 37, 38}}, /* rotate by 3 */
        {"ds_swizzle_b32 v12, v4 offset:0xc460", {29, 30, 31, 0, 61, 62, 63, 32}}, /* and back */
        {"ds_swizzle_b32 v12, v4 offset:0xc03c", {1, 2, 3, 0, 33, 34, 35, 32}},   /* inside fours */
        {"ds_swizzle_b32 v12, v4 offset:0xe000", {0, 16, 8, 24, 32, 48, 40, 56}}, /* bit reversal */
        {"ds_swizzle_b32 v12, v4 offset:0xe01f", {0, 1, 2, 3, 32, 33, 34, 35}},
        {"ds_swizzle_b32 v12, v4 offset:0xe010", {0, 8, 4, 12, 32, 40, 36, 44}}, /* within 16 */
    };
    static const uint8_t lanes[8] = {0, 1, 2, 3, 32, 33, 34, 35};
    for (size_t k = 0; k < sizeof rows_ / sizeof rows_[0]; k++) {
        rig_t *r = rig_create(NULL);
        rig_fill(r);
        r->wave.exec = ~(UINT64_C(1) << 37 | UINT64_C(1) << 1); /* two sources are inactive */
        rig_run_text(r, rows_[k].text);
        for (unsigned n = 0; n < 8; n++) {
            const unsigned from = rows_[k].source[n];
            uint32_t want = from == 37 || from == 1 ? 0 : r->want.v[4][from];
            if (lanes[n] == 1) want = r->want.v[12][1];
            assert_int_equal(r->rows[12][lanes[n]], want);
        }
        rig_destroy(r);
    }
}

static void permutes_push_and_pull(void **state)
{
    (void)state;
    rig_t *r = rig_create(NULL);
    rig_fill(r);
    r->wave.exec = UINT64_MAX & ~UINT64_C(0x10);
    for (unsigned l = 0; l < 64; l++)
        r->want.v[0][l] = 4 * (l * 5 % 64) + 256 * l + l % 4 - 8;
    rig_run_text(r, "ds_bpermute_b32 v12, v0, v4 offset:8");
    for (unsigned l = 0; l < 64; l++) {
        const unsigned from = l * 5 % 64;
        if (l == 4)
            assert_int_equal(r->rows[12][l], r->want.v[12][l]);
        else
            assert_int_equal(r->rows[12][l], from == 4 ? 0 : r->want.v[4][from]);
    }
    rig_run_text(r, "ds_permute_b32 v12, v0, v4 offset:8");
    for (unsigned l = 0; l < 64; l++) {
        const unsigned from = l * 13 % 64; /* 5 * 13 = 1 modulo 64 */
        if (l == 4)
            assert_int_equal(r->rows[12][l], r->want.v[12][l]);
        else
            assert_int_equal(r->rows[12][l], from == 4 ? 0 : r->want.v[4][from]);
    }
    /* several lanes push to one: the last wins; nobody pushes: 0; onto the own source */
    for (unsigned l = 0; l < 64; l++)
        r->want.v[0][l] = 4 * (l / 2);
    rig_run_text(r, "ds_permute_b32 v4, v0, v4");
    for (unsigned l = 0; l < 64; l++)
        if (l != 4) assert_int_equal(r->rows[4][l], l < 32 ? r->want.v[4][2 * l + 1] : 0);
    rig_destroy(r);
}

/* The exchanges of sums over a wave: lane + n within groups of lanes, and lane ^ n. */
static unsigned partner(unsigned l, unsigned group, unsigned n, bool flips)
{
    if (flips) return l ^ n;
    return l % group + n < group ? l + n : l;
}

typedef struct {
    unsigned group, n;
    bool flips;
} exchange_t;

/* `gpu`: one whose waves of 64 lanes are permuted within halves, or NULL: the rig's. */
static void exchange(const rig_program_t *p, const char *core, const char *gpu, exchange_t x)
{
    rig_t *r = rig_create(core);
    if (!r) return;
    if (gpu) r->dispatch.arch = isa_arch_named(gpu);
    assert_non_null(r->dispatch.arch);
    rig_fill(r);
    r->wave.exec = x.n & 1 ? UINT64_MAX : UINT64_MAX & ~(UINT64_C(1) << 41);
    for (unsigned l = 0; l < 64; l++)
        r->want.v[0][l] = 4 * partner(l, x.group, x.n, x.flips) - 36;
    rig_load(r);
    rig_run(r, p->inst, p->line[0]);
    for (unsigned l = 0; l < 64; l++) {
        const unsigned any = partner(l, x.group, x.n, x.flips);
        const unsigned from = gpu ? (any & 31) | (l & 32) : any;
        const uint32_t read = r->wave.exec >> from & 1 ? r->want.v[4][from] : 0;
        assert_int_equal(r->rows[12][l], r->wave.exec >> l & 1 ? read : r->want.v[12][l]);
    }
    rig_destroy(r);
}

static void exchanges_of_neighbours(void **state)
{
    rig_program_t p = {0};
    (void)state;
    rig_add(&p, "ds_bpermute_b32 v12, v0, v4 offset:36");
    rig_assemble(&p);
    for (unsigned c = 0; c < RIG_CORES; c++)
        for (unsigned n = 1; n < 64; n++) {
            exchange(&p, rig_cores[c], NULL, (exchange_t){64, n, true});
            exchange(&p, rig_cores[c], NULL, (exchange_t){64, n, false});
            exchange(&p, rig_cores[c], NULL, (exchange_t){8, n % 8, false});
            exchange(&p, rig_cores[c], "gfx1030", (exchange_t){64, n, n & 1});
        }
    rig_free(&p);
}

static void counters_move_by_the_number_of_lanes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int sign;
    } rows_[] = {{"ds_append v12 offset:16", 1}, {"ds_consume v12 offset:16", -1}};
    for (unsigned k = 0; k < 2; k++) {
        rig_t *r = rig_create(NULL);
        rig_fill(r);
        r->wave.exec = 0xf0f;
        r->wave.sgpr[M0] = 0xabcd0000 | 48;
        rig_run_text(r, rows_[k].text);
        uint32_t was, now;
        memcpy(&was, r->want.lds + 64, 4);
        memcpy(&now, r->lds + 64, 4);
        assert_int_equal(now, was + (uint32_t)(8 * rows_[k].sign));
        for (unsigned l = 0; l < 64; l++)
            assert_int_equal(r->rows[12][l], r->wave.exec >> l & 1 ? was : r->want.v[12][l]);
        rig_destroy(r);
    }
}

static void addtid_uses_m0_and_the_lane(void **state)
{
    (void)state;
    rig_t *r = rig_create(NULL);
    rig_fill(r);
    r->wave.exec = ~UINT64_C(2);
    r->wave.sgpr[M0] = 0x50000 | (RIG_LDS - 32 * 4 - 8); /* lanes 32.. are out of range */
    rig_run_text(r, "ds_read_addtid_b32 v12 offset:8");
    for (unsigned l = 0; l < 64; l++) {
        uint32_t want = 0;
        if (l < 32) memcpy(&want, r->lds + RIG_LDS - 128 + 4 * l, 4);
        assert_int_equal(r->rows[12][l], l == 1 ? r->want.v[12][1] : want);
    }
    rig_run_text(r, "ds_write_addtid_b32 v4 offset:8");
    for (unsigned l = 0; l < 32; l++)
        if (l != 1) memcpy(r->want.lds + RIG_LDS - 128 + 4 * l, &r->want.v[4][l], 4);
    rig_compare(r, "ds_write_addtid_b32");
    rig_run_text(r, "ds_nop");
    rig_compare(r, "ds_nop");
    rig_destroy(r);
}

/* A sum is of 32 bits: compilers index from behind with a negative register and a large offset. It
 * is not of 16: what lies beyond 64 KiB is out of range and not at the beginning. */
static void sums_have_32_bits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t addr;
        int at; /* -1: out of range */
    } rows_[] = {
        {"ds_read_b32 v12, v0 offset:65532", 0u - 65532 + 64, 64},
        {"ds_read_b32 v12, v0 offset:65532", 4, -1},
        {"ds_read_b32 v12, v0", 0x10000, -1},
        {"ds_read_b32 v12, v0", 0xfffffffc, -1},
        {"ds_read_u8 v12, v0 offset:65535", 0u - 65535 + 3, 3},
        {"ds_read_u8 v12, v0 offset:65535", 1, -1},
        {"ds_read2_b32 v[12:13], v0 offset0:255 offset1:255", 0u - 1020 + 32, 32},
        {"ds_read2st64_b32 v[12:13], v0 offset0:255 offset1:255", 0u - 255 * 256 + 12, 12},
        {"ds_read2st64_b64 v[12:15], v0 offset0:255 offset1:255", 0u - 255 * 512 + 8, 8},
    };
    for (size_t k = 0; k < sizeof rows_ / sizeof rows_[0]; k++)
        for (unsigned full = 0; full < 2; full++) {
            rig_t *r = rig_create(NULL);
            uint32_t want = 0;
            rig_fill(r);
            r->wave.exec = full ? UINT64_MAX : UINT64_C(1) << 40;
            for (unsigned l = 0; l < 64; l++)
                r->want.v[0][l] = rows_[k].addr;
            if (rows_[k].at >= 0) memcpy(&want, r->want.lds + rows_[k].at, 4);
            if (strstr(rows_[k].text, "u8")) want &= 0xff;
            rig_run_text(r, rows_[k].text);
            assert_int_equal(r->wave.stop, ISA_RUN);
            if (r->rows[12][40] != want)
                fail_msg("%s: 0x%x, not 0x%x", rows_[k].text, r->rows[12][40], want);
            rig_destroy(r);
        }
}

static void denormals_follow_mode(void **state)
{
    (void)state;
    static const struct {
        uint32_t mode, memory, data, want;
    } rows_[] = {
        {0xf0, 3, 4, 7},
        {0xc0, 3, 4, 0},
        {0xd0, 3, 4, 0},
        {0xe0, 3, 4, 0},
        {0xe0, 0x00800000, 0x80800001, 0x80000001},
        {0xc0, 0x00800000, 0x80800001, 0x80000000},
    };
    for (size_t k = 0; k < sizeof rows_ / sizeof rows_[0]; k++) {
        rig_t *r = rig_create(NULL);
        rig_fill(r);
        r->wave.mode = rows_[k].mode;
        r->wave.exec = 1;
        r->want.v[0][0] = 64;
        r->want.v[4][0] = rows_[k].data;
        memcpy(r->want.lds + 64, &rows_[k].memory, 4);
        rig_run_text(r, "ds_add_f32 v0, v4");
        uint32_t now;
        memcpy(&now, r->lds + 64, 4);
        assert_int_equal(now, rows_[k].want);
        rig_destroy(r);
    }
}

static void misaligned_atomics_fault_in_the_shared_aperture(void **state)
{
    (void)state;
    rig_t *r = rig_create(NULL);
    rig_fill(r);
    r->wave.exec = 2;
    r->want.v[0][1] = 102;
    rig_run_text(r, "ds_add_u32 v0, v4 offset:4");
    assert_int_equal(r->wave.stop, ISA_STOP_MEMORY);
    assert_int_equal(r->wave.fault_addr, RIG_SHARED + 106);
    rig_destroy(r);
}

/* Waves are rigs here; instructions run one at a time, so every order is the test's own. */
typedef struct {
    char wave;
    const char *text;
    uint32_t data;
    bool waits;
} step_t;

static void global_sync_steps(const step_t *steps, size_t n)
{
    static const isa_inst_t slots[2]; /* those of the instruction; one that waits is tried again */
    isa_gws_t gws = {0};
    rig_t *r[3];
    for (unsigned k = 0; k < 3; k++) {
        r[k] = rig_create(NULL);
        r[k]->dispatch.gws = &gws;
        r[k]->wave.sgpr[M0] = 60u << 16;
        r[k]->wave.exec = UINT64_C(1) << 40;
    }
    for (size_t k = 0; k < n; k++) {
        rig_t *on = r[steps[k].wave - 'a'];
        on->want.v[4][40] = steps[k].data;
        on->wave.ip = slots + 2;
        rig_run_text(on, steps[k].text);
        assert_int_equal(on->wave.stop, steps[k].waits ? ISA_STOP_YIELD : ISA_RUN);
        assert_int_equal(on->wave.repeats, steps[k].waits);
    }
    for (unsigned k = 0; k < 3; k++)
        rig_destroy(r[k]);
}

static void global_barriers_and_semaphores_hold_waves(void **state)
{
    (void)state;
    static const char init[] = "ds_gws_init v4 offset:7 gds", p[] = "ds_gws_sema_p offset:7 gds";
    static const char barrier[] = "ds_gws_barrier v4 offset:7 gds";
    const step_t barriers[] = {
        {'a', init, 2, false},    {'a', barrier, 2, true},  {'b', barrier, 2, true},
        {'a', barrier, 2, true},  {'c', barrier, 2, false}, {'c', barrier, 2, true},
        {'b', barrier, 2, false}, {'b', barrier, 2, true},  {'a', barrier, 2, false},
        {'a', barrier, 2, false}, {'b', barrier, 2, false}, {'c', barrier, 2, false},
    };
    const step_t semaphores[] = {
        {'a', init, 1, false},
        {'a', p, 0, false},
        {'b', p, 0, true},
        {'c', p, 0, true},
        {'a', "ds_gws_sema_v offset:7 gds", 0, false},
        {'c', p, 0, false},
        {'b', p, 0, true},
        {'c', "ds_gws_sema_release_all offset:7 gds", 0, false},
        {'b', p, 0, false},
        {'b', p, 0, true},
        {'a', "ds_gws_sema_br v4 offset:7 gds", 2, false},
        {'b', p, 0, false},
        {'c', p, 0, false},
        {'c', p, 0, true},
        {'a', "ds_gws_sema_v offset:6 gds", 0, false},
        {'c', p, 0, true}, /* another resource */
    };
    global_sync_steps(barriers, sizeof barriers / sizeof barriers[0]);
    global_sync_steps(semaphores, sizeof semaphores / sizeof semaphores[0]);
}

static void all_of_them_were_met(void **state)
{
    (void)state;
    rig_check_coverage(1u << ISA_FMT_DS);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test_setup_teardown(every_access_agrees_with_the_model, setup, rig_release),
        cmocka_unit_test(two_elements_side_by_side),
        cmocka_unit_test(swizzle_takes_lanes_by_its_four_modes),
        cmocka_unit_test(permutes_push_and_pull),
        cmocka_unit_test(exchanges_of_neighbours),
        cmocka_unit_test(counters_move_by_the_number_of_lanes),
        cmocka_unit_test(addtid_uses_m0_and_the_lane),
        cmocka_unit_test(sums_have_32_bits),
        cmocka_unit_test(denormals_follow_mode),
        cmocka_unit_test(misaligned_atomics_fault_in_the_shared_aperture),
        cmocka_unit_test(global_barriers_and_semaphores_hold_waves),
        cmocka_unit_test(all_of_them_were_met),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(all, NULL, NULL);
}
