/* mem_order.c - which instructions wait for other waves of their workgroup: stores to LDS behind
 * loads from there, and atomic operations while several threads run the workgroup. Every
 * instruction of the table that some GPU has, on every core. */
#include "mem_rig.h"

/* isa_wave_t.lds_turn, of which lds.h is for handlers alone: the wave has loaded, and waits with a
 * store. */
enum { HAS_LOADED = 1, WAITS = 2 };

/* Runs an instruction whose operands are registers 0 or, where they are scalars, the constant -1,
 * which is the workgroup's barrier; and whatever the flags say. */
static isa_stop_t run_bare(rig_t *r, unsigned op, unsigned flags)
{
    static isa_inst_t slots[4];
    const isa_inst_t i = {.op = (uint16_t)op,
                          .dwords = 2,
                          .flags = (uint16_t)flags,
                          .src[0] = {.kind = ISA_OPK_CONST, .k = UINT64_MAX}};
    isa_wave_t *w = &r->wave;
    w->repeats = false;
    w->ip = slots + 2;
    rig_run(r, &i, isa_table[op].mnemonic);
    if (w->stop == ISA_STOP_STEP || w->stop == ISA_STOP_ALONE) {
        assert_true(w->repeats);
        assert_ptr_equal(w->ip, slots);
    }
    return w->stop;
}

/* Each row of the table that `chosen` chooses, on each core; returns how many there were. */
static unsigned every_row(bool (*chosen)(const isa_row_desc_t *row),
                          void (*check)(rig_t *r, unsigned op))
{
    unsigned n = 0;
    for (unsigned c = 0; c < RIG_CORES; c++) {
        rig_t *r = rig_create(rig_cores[c]);
        for (unsigned op = 1; r && op < ISA_OP_COUNT; op++) {
            if (!chosen(&isa_table[op]) || !r->core->handlers[op]) continue;
            check(r, op);
            n++;
        }
        rig_destroy(r);
    }
    return n;
}

/* Atomic operations, and what else lets a wave see in which order the waves of its workgroup have
 * come. */
static bool updates(const isa_row_desc_t *row)
{
    return !strncmp(row->mnemonic, "ds_gws_", 7) ||
           !strcmp(row->mnemonic, "s_barrier_signal_isfirst") ||
           !strcmp(row->mnemonic, "s_get_barrier_state") || row->klass == ISA_CLASS_SMEM_AT ||
           row->klass == ISA_CLASS_LDS_AT || row->klass == ISA_CLASS_FLAT_AT ||
           row->klass == ISA_CLASS_VMEM_AT;
}

static void stops_while_spread(rig_t *r, unsigned op)
{
    r->group.spread = true;
    if (run_bare(r, op, 0) != ISA_STOP_ALONE)
        fail_msg("%s, %s: not tried again alone", r->core->name, isa_table[op].mnemonic);
}

static void atomic_operations_wait_until_they_are_alone(void **state)
{
    (void)state;
    assert_true(every_row(updates, stops_while_spread) > 200);
}

static bool stores(const isa_row_desc_t *row)
{
    return row->klass == ISA_CLASS_LDS_WR ||
           (row->mods & ISA_M_LDS && row->memory.kind != ISA_ACCESS_FROM_LDS);
}

static void lets_others_go_first(rig_t *r, unsigned op)
{
    const unsigned flags = isa_table[op].mods & ISA_M_LDS ? ISA_F_LDS : 0;
    r->group.n_waves = 2;
    r->wave.lds_turn = HAS_LOADED;
    if (run_bare(r, op, flags) != ISA_STOP_STEP || r->wave.lds_turn != WAITS)
        fail_msg("%s, %s: does not wait", r->core->name, isa_table[op].mnemonic);
}

static void stores_behind_loads_let_others_go_first(void **state)
{
    (void)state;
    assert_true(every_row(stores, lets_others_go_first) > 30);
}

static bool loads(const isa_row_desc_t *row)
{
    return row->klass == ISA_CLASS_LDS_RD || row->memory.kind == ISA_ACCESS_FROM_LDS ||
           row->memory.kind == ISA_ACCESS_DIRECT;
}

static void is_noted(rig_t *r, unsigned op)
{
    r->wave.lds_turn = 0;
    r->wave.exec = 0;
    if (run_bare(r, op, 0) || r->wave.lds_turn != HAS_LOADED)
        fail_msg("%s, %s: not noted as a load", r->core->name, isa_table[op].mnemonic);
}

static void loads_are_noted(void **state)
{
    (void)state;
    assert_true(every_row(loads, is_noted) > 30);
}

/* What only the operands say: FLAT's addresses, LDS_DIRECT as a source. */
static void operands_in_lds(void **state)
{
    rig_program_t p = {0};
    (void)state;
    rig_add(&p, "flat_load_dword v8, v[0:1]");
    rig_add(&p, "flat_store_dword v[0:1], v8");
    rig_add(&p, "s_mov_b32 s4, s5");
    rig_add(&p, "flat_atomic_add v8, v[0:1], v8 glc");
    rig_assemble(&p);
    p.inst[2].src[0] =
        (isa_operand_t){.kind = ISA_OPK_SPECIAL, .reg = ISA_CODE_LDS_DIRECT, .bits = 32};
    for (unsigned c = 0; c < RIG_CORES; c++) {
        rig_t *r = rig_create(rig_cores[c]);
        if (!r) continue;
        r->group.n_waves = 2;
        r->wave.exec = UINT64_MAX;
        for (unsigned in_lds = 0; in_lds < 2; in_lds++) {
            const uint64_t va = in_lds ? RIG_SHARED : RIG_VA;
            for (unsigned l = 0; l < 64; l++) {
                r->rows[0][l] = (uint32_t)va + 4 * l;
                r->rows[1][l] = (uint32_t)(va >> 32);
            }
            r->wave.lds_turn = 0;
            rig_run(r, &p.inst[0], p.line[0]);
            assert_int_equal(r->wave.lds_turn, in_lds ? HAS_LOADED : 0);
            r->wave.lds_turn = HAS_LOADED;
            rig_run(r, &p.inst[1], p.line[1]);
            assert_int_equal(r->wave.stop, in_lds ? ISA_STOP_STEP : ISA_RUN);
            r->wave.lds_turn = 0;
            rig_run(r, &p.inst[3], p.line[3]);
            assert_int_equal(r->wave.lds_turn, 0); /* an atomic operation is no load */
        }
        r->wave.lds_turn = 0;
        rig_run(r, &p.inst[2], p.line[2]);
        assert_int_equal(r->wave.lds_turn, HAS_LOADED);
        rig_destroy(r);
    }
    rig_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atomic_operations_wait_until_they_are_alone),
        cmocka_unit_test(stores_behind_loads_let_others_go_first),
        cmocka_unit_test(loads_are_noted),
        cmocka_unit_test(operands_in_lds),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
