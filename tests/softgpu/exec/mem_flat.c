/* mem_flat.c - every FLAT, GLOBAL and SCRATCH instruction against the byte-wise model.
 *
 * Each instruction runs in all its address forms, with several patterns of addresses and EXEC
 * masks, on every core. Faults, swizzling and concurrency are checked by hand at the end. */
#include "mem_ops.h"

#include <pthread.h>

enum { SCRATCH_AT = 4096, SCRATCH_LANE = 128 }; /* the wave's scratch crosses the extents' border */
enum { ADDR = 0, DATA = 4, DST = 12, SADDR = 6 };

typedef enum { GLOBAL_V, GLOBAL_S, FLAT, SCRATCH_V, SCRATCH_S, FORMS } form_t;
typedef enum {
    SIDE_BY_SIDE,
    ACROSS,
    SHUFFLED,
    ALIGNED,
    UNALIGNED,
    UNIFORM,
    NEAR_BORDER,
    PATTERNS
} pattern_t;
typedef enum { IN_MEMORY, IN_LDS, IN_SCRATCH } space_t;

typedef struct {
    form_t form;
    const rig_access_t *x;
    char bank; /* of data and destination */
    int dst;   /* -1: none */
    int imm;
} test_t;

/* Where each lane's element is: the model's view of the addresses. */
typedef struct {
    space_t space[64];
    uint32_t offset[64]; /* in that space */
    uint32_t bytes;
} places_t;

static uint8_t *place(rig_t *r, const void *how, unsigned l, unsigned k)
{
    const places_t *p = how;
    const uint32_t o = p->offset[l] + k;
    switch (p->space[l]) {
    case IN_LDS: return p->offset[l] + p->bytes <= RIG_LDS ? &r->want.lds[o] : NULL;
    case IN_SCRATCH: return &r->want.mem[SCRATCH_AT + o / 4 * 256 + l * 4 + o % 4];
    default: return &r->want.mem[o];
    }
}

static void add_line(rig_program_t *p, const test_t *t)
{
    static const char *const prefix[] = {"global", "global", "flat", "scratch", "scratch"};
    const rig_access_t *x = t->x;
    char data[16], dst[16] = "", vaddr[16], saddr[16] = "off", operands[128];
    rig_regs(data, t->bank, DATA, rig_data_rows(x));
    rig_regs(vaddr, 'v', ADDR, t->form == GLOBAL_V || t->form == FLAT ? 2 : 1);
    if (t->form == GLOBAL_S) rig_regs(saddr, 's', SADDR, 2);
    if (t->form == SCRATCH_S) rig_regs(saddr, 's', SADDR, 1);
    if (t->form == SCRATCH_S) strcpy(vaddr, "off");
    if (t->dst >= 0) rig_regs(dst, t->bank, (unsigned)t->dst, rig_rows(x));
    if (x->kind == 'L')
        sprintf(operands, "%s, %s", dst, vaddr);
    else
        sprintf(operands, "%s%s%s, %s", dst, *dst ? ", " : "", vaddr, data);
    rig_add(p, "%s_%s %s%s%s%s offset:%d%s", prefix[t->form], x->name, operands,
            t->form == FLAT ? "" : ", ", t->form == FLAT ? "" : saddr, "", t->imm,
            x->kind == 'A' && t->dst >= 0 ? " glc" : "");
}

static uint32_t space_size(space_t s)
{
    return s == IN_MEMORY ? RIG_MEM : s == IN_LDS ? RIG_LDS : SCRATCH_LANE;
}

static void choose_places(rig_t *r, const test_t *t, pattern_t pattern, places_t *p)
{
    const rig_access_t *x = t->x;
    const uint32_t unit = x->kind == 'A' || x->bytes < 4 ? x->bytes : 4;
    const bool scratch = t->form == SCRATCH_V || t->form == SCRATCH_S;
    uint32_t shared = rig_random(r);
    p->bytes = x->bytes;
    for (unsigned l = 0; l < 64; l++) {
        space_t s = scratch ? IN_SCRATCH : IN_MEMORY;
        const bool mixed = t->form == FLAT && pattern >= SHUFFLED && shared % 3;
        if (mixed) s = (space_t)(rig_random(r) % (pattern == NEAR_BORDER ? 2 : 3));
        /* mixed lanes stay clear of the scratch: the order between the spaces is not defined */
        const uint32_t size = mixed && s == IN_MEMORY ? SCRATCH_AT : space_size(s);
        const uint32_t room = size - x->bytes + 1;
        uint32_t o;
        switch (pattern) {
        case SIDE_BY_SIDE:
            o = scratch ? shared % room / unit * unit : shared % 4096 / unit * unit + l * x->bytes;
            break;
        case ACROSS:
            o = scratch ? 64 / unit * unit : RIG_EXTENT - 32 * x->bytes + l * x->bytes;
            break;
        case SHUFFLED: o = (l * 37 % 64) * x->bytes % room / unit * unit; break;
        case ALIGNED: o = rig_random(r) % room / unit * unit; break;
        case UNALIGNED: o = rig_random(r) % room; break;
        case UNIFORM: o = shared % room / unit * unit; break;
        default: o = (s == IN_MEMORY ? RIG_EXTENT - 8 : 8) + rig_random(r) % 8; break;
        }
        if (t->form == SCRATCH_S) o = l ? p->offset[0] : o;
        if (s == IN_LDS && rig_random(r) % 8 == 0)
            o = (RIG_LDS + 32 - rig_random(r) % 64) / unit * unit;
        if (x->kind == 'A') o = o / unit * unit;
        p->space[l] = s;
        p->offset[l] = o;
    }
}

/* Puts registers in place so that the instruction forms these addresses. */
static void set_addresses(rig_t *r, const test_t *t, const places_t *p)
{
    static const uint64_t base[] = {RIG_VA, RIG_SHARED, RIG_PRIVATE};
    const uint64_t sbase = RIG_VA - 0x1000 - (uint64_t)(int64_t)t->imm;
    r->wave.flat_scratch = RIG_VA + SCRATCH_AT;
    r->wave.sgpr[SADDR] = t->form == SCRATCH_S ? p->offset[0] - (uint32_t)t->imm : (uint32_t)sbase;
    r->wave.sgpr[SADDR + 1] = (uint32_t)(sbase >> 32);
    for (unsigned l = 0; l < 64; l++) {
        uint64_t va = base[p->space[l]] + p->offset[l] - (uint64_t)(int64_t)t->imm;
        /* a register of the aperture itself; the sum within it has 32 bits */
        if (p->space[l] != IN_MEMORY) va = base[p->space[l]] | (uint32_t)va;
        switch (t->form) {
        case GLOBAL_V:
        case FLAT:
            r->want.v[ADDR][l] = (uint32_t)va;
            r->want.v[ADDR + 1][l] = (uint32_t)(va >> 32);
            break;
        case GLOBAL_S: r->want.v[ADDR][l] = p->offset[l] + 0x1000; break;
        case SCRATCH_V: r->want.v[ADDR][l] = p->offset[l] - (uint32_t)t->imm; break;
        default: break;
        }
    }
}

static uint64_t choose_exec(rig_t *r, unsigned turn)
{
    const uint64_t random = rig_random(r) | (uint64_t)rig_random(r) << 32;
    switch (turn) {
    case 0: return UINT64_MAX;
    case 1: return random;
    case 2: return UINT64_C(1) << random % 64;
    default: return 0;
    }
}

static void check(rig_t *r, const void *test, const isa_inst_t *i, const char *text)
{
    const test_t *t = test;
    uint32_t(*bank)[64] = t->bank == 'v' ? r->want.v : r->want.a;
    for (unsigned pattern = 0; pattern < PATTERNS; pattern++) {
        if (pattern >= UNALIGNED && pattern != UNIFORM && t->x->kind == 'A') continue;
        for (unsigned turn = 0; turn < 4; turn++) {
            places_t p;
            char name[300];
            snprintf(name, sizeof name, "%s: %s, pattern %u, EXEC %u", r->core->name, text, pattern,
                     turn);
            rig_fill(r);
            rig_prepare_data(r, t->x, bank, DATA);
            choose_places(r, t, (pattern_t)pattern, &p);
            set_addresses(r, t, &p);
            r->wave.exec = choose_exec(r, turn);
            rig_load(r);
            rig_model(r, t->x, r->wave.exec, place, &p, bank, DATA, t->dst);
            rig_run(r, i, name);
            rig_compare(r, name);
        }
    }
}

enum { MAX_TESTS = 2000 };
static test_t tests[MAX_TESTS];
static unsigned n_tests;
static rig_program_t program;
static unsigned random_imm = 1;

static void add(form_t form, const rig_access_t *x, char bank, int dst)
{
    random_imm = random_imm * 1103515245 + 12345;
    const int imm = (int)(random_imm >> 8) % 4096 * (form != FLAT && random_imm >> 30 ? -1 : 1);
    tests[n_tests] = (test_t){form, x, bank, dst, imm};
    add_line(&program, &tests[n_tests++]);
}

static int setup(void **state)
{
    for (unsigned form = 0; form < FORMS; form++) {
        for (unsigned k = 0; k < RIG_MOVES; k++) {
            const bool load = rig_moves[k].kind == 'L';
            add((form_t)form, &rig_moves[k], 'v', load ? DST : -1);
            add((form_t)form, &rig_moves[k], 'a', load ? DST : -1);
            if (load) add((form_t)form, &rig_moves[k], 'v', ADDR);
        }
        if (form >= SCRATCH_V) continue;
        for (unsigned k = 0; k < RIG_ATOMICS - (form == FLAT ? RIG_NOT_FLAT : 0); k++) {
            add((form_t)form, &rig_atomics[k], 'v', -1);
            add((form_t)form, &rig_atomics[k], 'v', DST);
            add((form_t)form, &rig_atomics[k], 'v', DATA);
            add((form_t)form, &rig_atomics[k], 'a', DST);
        }
    }
    rig_assemble(&program);
    *state = &program;
    return 0;
}

static void every_instruction_agrees_with_the_model(void **state)
{
    (void)state;
    rig_every(&program, tests, sizeof tests[0], check);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++) /* loads into LDS are mem_gpus.c's */
        rig_met[op] |= isa_table[op].fmt != ISA_FMT_MUBUF && isa_table[op].mods & ISA_M_LDS;
    rig_check_coverage(1u << ISA_FMT_FLAT | 1u << ISA_FMT_GLOBAL | 1u << ISA_FMT_SCRATCH);
}

/* ---- by hand ---- */

typedef struct {
    rig_t *r;
    rig_program_t p;
} hand_t;

static void hand_begin(hand_t *h, const char *text)
{
    memset(h, 0, sizeof *h);
    h->r = rig_create(NULL);
    rig_add(&h->p, "%s", text);
    rig_assemble(&h->p);
    rig_fill(h->r);
    h->r->wave.exec = UINT64_MAX;
}

static void hand_run(hand_t *h)
{
    rig_load(h->r);
    rig_run(h->r, h->p.inst, h->p.line[0]);
}

static void hand_end(hand_t *h)
{
    rig_destroy(h->r);
    rig_free(&h->p);
}

static void set_va(hand_t *h, unsigned l, uint64_t va)
{
    h->r->want.v[0][l] = (uint32_t)va;
    h->r->want.v[1][l] = (uint32_t)(va >> 32);
}

static void scratch_dwords_of_neighbours_are_neighbours(void **state)
{
    (void)state;
    hand_t h;
    hand_begin(&h, "scratch_store_dwordx2 off, v[4:5], s6 offset:12");
    h.r->wave.flat_scratch = RIG_VA + 0x100;
    h.r->wave.sgpr[6] = 4; /* bytes 16..23 of each lane */
    hand_run(&h);
    assert_int_equal(h.r->wave.stop, ISA_RUN);
    for (unsigned l = 0; l < 64; l++) {
        uint32_t dwords[2];
        memcpy(&dwords[0], h.r->low + 0x100 + 16 * 64 + 4 * l, 4);
        memcpy(&dwords[1], h.r->low + 0x100 + 20 * 64 + 4 * l, 4);
        assert_int_equal(dwords[0], h.r->want.v[4][l]);
        assert_int_equal(dwords[1], h.r->want.v[5][l]);
    }
    hand_end(&h);
}

/* Which gfx90a's encoding cannot say, other GPUs' can: a VGPR and an SGPR, whose sum is the
 * address. */
static void scratch_has_two_addresses(void **state)
{
    (void)state;
    hand_t h;
    hand_begin(&h, "scratch_store_dword v0, v4, off offset:12");
    h.p.inst->flags |= ISA_F_SADDR;
    h.p.inst->src[2] = (isa_operand_t){.kind = ISA_OPK_SGPR, .reg = 6, .bits = 32};
    h.r->wave.flat_scratch = RIG_VA + 0x100;
    h.r->wave.sgpr[6] = 20;
    for (unsigned l = 0; l < 64; l++)
        h.r->want.v[0][l] = l % 2 ? 32 : 0; /* byte 32 or 64 of each lane */
    hand_run(&h);
    assert_int_equal(h.r->wave.stop, ISA_RUN);
    for (unsigned l = 0; l < 64; l++) {
        uint32_t dword;
        memcpy(&dword, h.r->low + 0x100 + (l % 2 ? 64 : 32) * 64 + 4 * l, 4);
        assert_int_equal(dword, h.r->want.v[4][l]);
    }
    hand_end(&h);
}

typedef struct {
    const char *text;
    uint64_t va; /* of lane 5, all others are fine */
    bool lane_active;
    uint64_t fault; /* 0: none */
    uint32_t flags;
} fault_row_t;

static void faults_name_the_address_and_the_kind(void **state)
{
    (void)state;
    const uint64_t end = RIG_VA + RIG_MEM;
    static const char load[] = "global_load_dword v8, v[0:1], off";
    static const char load4[] = "flat_load_dwordx4 v[8:11], v[0:1]";
    static const char store[] = "global_store_dwordx2 v[0:1], v[4:5], off";
    static const char byte[] = "flat_store_byte v[0:1], v4";
    static const char atomic[] = "global_atomic_add v[0:1], v4, off";
    static const char atomic2[] = "flat_atomic_add_x2 v[0:1], v[4:5]";
    const fault_row_t rows[] = {
        {load, 0, true, UINT64_MAX, ISA_FAULT_READ}, /* address 0 itself, see below */
        {load, end, true, end, ISA_FAULT_READ},
        {load, end, false, 0, 0},
        {load, end - 4, true, 0, 0},
        {load, end - 2, true, end, ISA_FAULT_READ},
        {load4, end - 12, true, end, ISA_FAULT_READ},
        {load4, RIG_VA - 4, true, RIG_VA - 4, ISA_FAULT_READ},
        {load4, UINT64_C(0xffff800000000000), true, UINT64_C(0xffff800000000000), ISA_FAULT_READ},
        {store, end - 4, true, end, ISA_FAULT_WRITE},
        {store, RIG_READ_ONLY + 8, true, RIG_READ_ONLY + 8, ISA_FAULT_WRITE | ISA_FAULT_RDONLY},
        {store, RIG_READ_ONLY + 8, false, 0, 0},
        {load, RIG_READ_ONLY + 8, true, 0, 0},
        {byte, RIG_READ_ONLY + 9, true, RIG_READ_ONLY + 9, ISA_FAULT_WRITE | ISA_FAULT_RDONLY},
        {byte, end, true, end, ISA_FAULT_WRITE},
        {atomic, end, true, end, ISA_FAULT_WRITE},
        {atomic, RIG_VA + 2, true, RIG_VA + 2, ISA_FAULT_READ | ISA_FAULT_WRITE},
        {atomic2, RIG_VA + 4, true, RIG_VA + 4, ISA_FAULT_READ | ISA_FAULT_WRITE},
        {atomic, RIG_READ_ONLY, true, RIG_READ_ONLY, ISA_FAULT_WRITE | ISA_FAULT_RDONLY},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        hand_t h;
        hand_begin(&h, rows[k].text);
        for (unsigned l = 0; l < 64; l++)
            set_va(&h, l, RIG_VA + 64 * l);
        set_va(&h, 5, rows[k].va);
        if (!rows[k].lane_active) h.r->wave.exec &= ~(UINT64_C(1) << 5);
        hand_run(&h);
        assert_int_equal(h.r->wave.stop, rows[k].fault ? ISA_STOP_MEMORY : ISA_RUN);
        if (rows[k].fault) {
            assert_int_equal(h.r->wave.fault_addr, rows[k].fault == UINT64_MAX ? 0 : rows[k].fault);
            assert_int_equal(h.r->wave.fault_flags, rows[k].flags);
        }
        hand_end(&h);
    }
}

static void lanes_beyond_lds_read_zero_through_flat(void **state)
{
    (void)state;
    hand_t h;
    hand_begin(&h, "flat_load_dword v8, v[0:1]");
    for (unsigned l = 0; l < 64; l++)
        set_va(&h, l, RIG_SHARED + RIG_LDS - 128 + 4 * l);
    hand_run(&h);
    assert_int_equal(h.r->wave.stop, ISA_RUN);
    for (unsigned l = 0; l < 64; l++) {
        uint32_t want = 0;
        if (l < 32) memcpy(&want, h.r->lds + RIG_LDS - 128 + 4 * l, 4);
        assert_int_equal(h.r->rows[8][l], want);
    }
    hand_end(&h);
}

typedef struct {
    const char *text;
    uint64_t va;    /* lane 0's */
    uint64_t fault; /* 0: the LDS or scratch is read at `offset` */
    bool lds;
    uint32_t offset;
} aperture_row_t;

/* The register decides: an offset neither leads into an aperture nor out of it. */
static void apertures_are_told_by_the_register_alone(void **state)
{
    (void)state;
    static const char plain[] = "flat_load_dword v8, v[0:1]";
    static const char far_[] = "flat_load_dword v8, v[0:1] offset:64";
    const aperture_row_t rows[] = {
        {plain, RIG_SHARED + 16, 0, true, 16},
        {far_, RIG_SHARED, 0, true, 64},
        {far_, RIG_SHARED - 48, RIG_SHARED + 16, true, 0},
        {far_, RIG_SHARED + 0xfffffff0, 0, true, 48}, /* 32 bits of LDS address */
        {far_, RIG_PRIVATE, 0, false, 64},
        {far_, RIG_PRIVATE - 48, RIG_PRIVATE + 16, false, 0},
        {far_, RIG_PRIVATE + 0xfffffff0, 0, false, 48},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        hand_t h;
        hand_begin(&h, rows[k].text);
        h.r->wave.flat_scratch = RIG_VA;
        h.r->wave.exec = 1;
        set_va(&h, 0, rows[k].va);
        hand_run(&h);
        assert_int_equal(h.r->wave.stop, rows[k].fault ? ISA_STOP_MEMORY : ISA_RUN);
        if (rows[k].fault) {
            assert_int_equal(h.r->wave.fault_addr, rows[k].fault);
        } else {
            uint32_t want;
            memcpy(&want, rows[k].lds ? h.r->lds + rows[k].offset : h.r->low + rows[k].offset * 64,
                   4);
            assert_int_equal(h.r->rows[8][0], want);
        }
        hand_end(&h);
    }
}

/* The sums of scratch are of 32 bits, as those of the buffers that compilers use in its place. */
static void scratch_offsets_wrap_at_32_bits(void **state)
{
    (void)state;
    static const char *const texts[] = {"scratch_load_dword v8, v0, off offset:96",
                                        "scratch_load_dword v8, off, s6 offset:96"};
    for (unsigned k = 0; k < 2; k++) {
        hand_t h;
        hand_begin(&h, texts[k]);
        h.r->wave.flat_scratch = RIG_VA;
        h.r->wave.sgpr[6] = 0u - 64;
        for (unsigned l = 0; l < 64; l++)
            h.r->want.v[0][l] = 0u - 64;
        hand_run(&h);
        assert_int_equal(h.r->wave.stop, ISA_RUN);
        for (unsigned l = 0; l < 64; l++) {
            uint32_t want;
            memcpy(&want, h.r->low + 32 * 64 + 4 * l, 4);
            assert_int_equal(h.r->rows[8][l], want);
        }
        hand_end(&h);
    }
}

/* A global address of a scalar base: the register's offset is unsigned, the instruction's signed.
 */
static void global_offsets_extend_by_their_kind(void **state)
{
    (void)state;
    hand_t h;
    hand_begin(&h, "global_load_dword v8, v0, s[6:7] offset:-16");
    const uint64_t base = RIG_VA - 0xffffff00;
    h.r->wave.sgpr[6] = (uint32_t)base;
    h.r->wave.sgpr[7] = (uint32_t)(base >> 32);
    for (unsigned l = 0; l < 64; l++)
        h.r->want.v[0][l] = 0xffffff00 + 16 + 4 * (l % 32);
    hand_run(&h);
    assert_int_equal(h.r->wave.stop, ISA_RUN);
    for (unsigned l = 0; l < 64; l++) {
        uint32_t want;
        memcpy(&want, h.r->low + 4 * (l % 32), 4);
        assert_int_equal(h.r->rows[8][l], want);
    }
    hand_end(&h);
}

/* An extent that was unmapped must not be used from the wave's cache. */
static void an_unmapped_extent_faults_at_once(void **state)
{
    (void)state;
    hand_t h;
    hand_begin(&h, "global_load_dword v8, v[0:1], off");
    for (unsigned l = 0; l < 64; l++)
        set_va(&h, l, RIG_VA + RIG_EXTENT + 4 * l);
    hand_run(&h);
    assert_int_equal(h.r->wave.stop, ISA_RUN);
    assert_int_equal(sg_memory_unmap(h.r->memory, RIG_VA + RIG_EXTENT, RIG_EXTENT), 0);
    rig_run(h.r, h.p.inst, h.p.line[0]);
    assert_int_equal(h.r->wave.stop, ISA_STOP_MEMORY);
    assert_int_equal(h.r->wave.fault_addr, RIG_VA + RIG_EXTENT);
    hand_end(&h);
}

enum { THREADS = 3, TURNS = 3000 };

static void *add_many(void *arg)
{
    hand_t *h = arg;
    for (unsigned k = 0; k < TURNS; k++)
        rig_run(h->r, h->p.inst, h->p.line[0]);
    return NULL;
}

static void atomics_of_several_waves_lose_nothing(void **state)
{
    (void)state;
    const float total_f32 = 64 * THREADS * TURNS;
    const double total_f64 = 64 * THREADS * TURNS;
    const struct {
        const char *text;
        uint32_t data[2];
        uint64_t value;
        const void *want;
    } rows[] = {
        {"global_atomic_add v[0:1], v4, off", {3, 0}, UINT64_C(3) * 64 * THREADS * TURNS, NULL},
        {"flat_atomic_inc_x2 v[0:1], v[4:5]",
         {UINT32_MAX, UINT32_MAX},
         UINT64_C(64) * THREADS * TURNS,
         NULL},
        {"global_atomic_add_f32 v[0:1], v4, off", {0x3f800000, 0}, 4, &total_f32},
        {"global_atomic_add_f64 v[0:1], v[4:5], off", {0, 0x3ff00000}, 8, &total_f64},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        hand_t h[THREADS];
        pthread_t thread[THREADS];
        static uint64_t shared[512] __attribute__((aligned(4096)));
        memset(shared, 0, sizeof shared);
        for (unsigned n = 0; n < THREADS; n++) {
            hand_begin(&h[n], rows[k].text);
            assert_int_equal(sg_memory_map(h[n].r->memory, 0x10000, 4096, shared, SG_MEM_WRITABLE),
                             0);
            for (unsigned l = 0; l < 64; l++) {
                set_va(&h[n], l, 0x10008);
                h[n].r->want.v[4][l] = rows[k].data[0];
                h[n].r->want.v[5][l] = rows[k].data[1];
            }
            rig_load(h[n].r);
        }
        for (unsigned n = 0; n < THREADS; n++)
            pthread_create(&thread[n], NULL, add_many, &h[n]);
        for (unsigned n = 0; n < THREADS; n++)
            pthread_join(thread[n], NULL);
        if (rows[k].want)
            assert_memory_equal(&shared[1], rows[k].want, rows[k].value);
        else
            assert_int_equal(shared[1], rows[k].value);
        for (unsigned n = 0; n < THREADS; n++)
            hand_end(&h[n]);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test_setup_teardown(every_instruction_agrees_with_the_model, setup,
                                        rig_release),
        cmocka_unit_test(scratch_dwords_of_neighbours_are_neighbours),
        cmocka_unit_test(scratch_has_two_addresses),
        cmocka_unit_test(faults_name_the_address_and_the_kind),
        cmocka_unit_test(lanes_beyond_lds_read_zero_through_flat),
        cmocka_unit_test(apertures_are_told_by_the_register_alone),
        cmocka_unit_test(scratch_offsets_wrap_at_32_bits),
        cmocka_unit_test(global_offsets_extend_by_their_kind),
        cmocka_unit_test(an_unmapped_extent_faults_at_once),
        cmocka_unit_test(atomics_of_several_waves_lose_nothing),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(all, NULL, NULL);
}
