/* handler.c - what docs/softgpu.md promises of handlers, as far as running them shows it.
 *
 * An instruction is copied out of its slot before each step and executed from the copy: nothing may
 * depend on where the decoded instruction lies. Then every handler is run once, to see what it does
 * to MODE and to the host's float mode. */
#include "code_rig.h"

#include "softgpu/exec/code.h"
#include "softgpu/exec/fpu.h"
#include "isa/table.h"

#include <xmmintrin.h>

/* Runs the wave as the run loop does, but from copies that are overwritten behind each step. */
static isa_stop_t run_copies(isa_wave_t *w)
{
    isa_inst_t copy;
    w->stop = ISA_RUN;
    w->budget = RIG_SLICE;
    while (!w->stop) {
        const isa_inst_t *slot = w->ip;
        isa_handler_t *fn = atomic_load(&slot->fn);
        w->ip = slot + slot->dwords;
        if (fn == isa_slot_undecoded || fn == isa_slot_behind) {
            fn(w, slot);
            continue;
        }
        memcpy(&copy, slot, sizeof copy);
        fn(w, &copy);
        memset(&copy, 0x55, sizeof copy);
    }
    return w->stop;
}

/* What can be told of the wave behind a stop. */
typedef struct {
    isa_stop_t stop;
    uint64_t pc, exec, fault_addr;
    uint32_t sgpr[ISA_CODE_ZERO], scc, mode, fault_flags, trap_id, row[ISA_LANES];
    bool repeats;
    char message[sizeof((isa_wave_t *)0)->message];
} state_t;

static void begin(rig_t *r)
{
    memset(r->rows, 0, sizeof r->rows);
    memset(r->lds, 0, sizeof r->lds);
    r->wave = (isa_wave_t){.group = &r->group,
                           .vgpr = r->rows,
                           .acc_offset = r->dispatch.acc_offset,
                           .mode = 0x2f0,
                           .exec = ISA_ALL_LANES};
    assert_true(r->core->set_pc(&r->wave, RIG_CODE));
}

/* Runs until anything but a yield stops the wave, at most `tries` times. */
static void run(rig_t *r, bool copies, unsigned tries, state_t *s)
{
    isa_wave_t *w = &r->wave;
    begin(r);
    do
        s->stop = copies ? run_copies(w) : r->core->run(w, RIG_SLICE);
    while ((s->stop == ISA_STOP_STEP || s->stop == ISA_STOP_YIELD || s->stop == ISA_STOP_BARRIER) &&
           --tries);
    s->pc = isa_wave_pc(w);
    s->exec = w->exec;
    s->fault_addr = w->fault_addr;
    s->fault_flags = w->fault_flags;
    s->trap_id = w->trap_id;
    s->scc = w->scc;
    s->mode = w->mode;
    s->repeats = w->repeats;
    memcpy(s->sgpr, w->sgpr, sizeof s->sgpr);
    memcpy(s->row, r->rows[1], sizeof s->row);
    memcpy(s->message, w->message, sizeof s->message);
}

static void copies_are_the_same(void **state)
{
    static const struct {
        const char *text;
        isa_stop_t stop;
    } programs[] = {
        {"s_getpc_b64 s[0:1]\n s_call_b64 s[2:3], over\n s_trap 5\n over: s_getpc_b64 s[4:5]\n"
         "s_endpgm\n",
         ISA_STOP_END},
        {"s_movk_i32 s9, 5\n again: s_sub_u32 s9, s9, 1\n s_cbranch_scc0 again\n s_branch out\n"
         "s_trap 1\n out: s_getpc_b64 s[0:1]\n s_add_u32 s0, s0, 12\n s_addc_u32 s1, s1, 0\n"
         "s_swappc_b64 s[2:3], s[0:1]\n s_trap 2\n s_endpgm\n",
         ISA_STOP_TRAP},
        {"s_mov_b64 s[8:9], 7\n s_cbranch_i_fork s[8:9], away\n s_mov_b32 s20, 1\n"
         "s_cbranch_join s21\n away: s_add_u32 s22, s22, 1\n s_cbranch_join s21\n s_endpgm\n",
         ISA_STOP_END},
        {"s_icache_inv\n s_nop 0\n s_nop 0\n s_trap 7\n s_endpgm\n", ISA_STOP_TRAP},
        {"s_nop 0\n s_sethalt 1\n s_endpgm\n", ISA_STOP_UNSUPPORTED},
        {"s_nop 0\n .long 0xffffffff\n", ISA_STOP_ILLEGAL},
        {"v_mov_b32 v2, 0\n v_mov_b32 v3, 1\n global_load_dword v1, v[2:3], off offset:8\n"
         "s_endpgm\n",
         ISA_STOP_MEMORY},
        {"v_mbcnt_lo_u32_b32 v2, -1, 0\n v_mbcnt_hi_u32_b32 v2, -1, v2\n"
         "v_lshlrev_b32 v2, 2, v2\n ds_read_b32 v1, v2\n ds_write_b32 v2, v2 offset:4\n"
         "s_barrier\n ds_read_b32 v1, v2\n s_sleep 1\n s_endpgm\n",
         ISA_STOP_END},
        {"v_mov_b32 v2, 1\n ds_gws_init v2 gds\n ds_gws_barrier v2 gds\n s_endpgm\n",
         ISA_STOP_YIELD}, /* nobody else comes */
        {"v_mov_b32 v2, 0x3f800000\n v_add_f32 v1, -v2, v2 clamp\n"
         "v_add_f32_sdwa v1, v2, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD "
         "src1_sel:DWORD\n v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xa bank_mask:0x3\n"
         "v_pk_add_f16 v1, v1, v2 op_sel:[1,0] neg_hi:[0,1]\n s_endpgm\n",
         ISA_STOP_END},
    };
    isa_gws_t gws = {{0}};
    rig_t *r = rig_create();
    (void)state;
    r->dispatch.gws = &gws;
    for (unsigned k = 0; k < sizeof programs / sizeof *programs; k++) {
        rig_assemble(r, 0, programs[k].text);
        for (unsigned c = 0; c < RIG_CORES; c++) {
            state_t there, copied;
            r->core = isa_core_by_name(rig_cores[c]);
            if (!r->core) continue;
            memset(&there, 0, sizeof there);
            memset(&copied, 0, sizeof copied);
            memset(&gws, 0, sizeof gws);
            run(r, false, 5, &there);
            memset(&gws, 0, sizeof gws);
            run(r, true, 5, &copied);
            assert_int_equal(there.stop, programs[k].stop);
            assert_memory_equal(&there, &copied, sizeof there);
        }
    }
    rig_destroy(r);
}

/* ---- every handler ---- */

/* An instruction of the row whose operands are registers. */
static isa_inst_t plain(unsigned op)
{
    const isa_row_desc_t *row = &isa_table[op];
    isa_inst_t i = {.op = (uint16_t)op, .fmt = row->fmt, .dwords = 1, .pc = RIG_CODE};
    const bool vector = row->fmt >= ISA_FMT_VOP1;
    const uint8_t kind = vector ? ISA_OPK_VGPR : ISA_OPK_SGPR;
    i.dst = (isa_operand_t){.kind = kind, .bits = 32, .reg = 16};
    i.dst2 = (isa_operand_t){.kind = ISA_OPK_SGPR, .bits = 64, .reg = 40};
    for (unsigned n = 0; n < 4; n++)
        i.src[n] = (isa_operand_t){.kind = kind,
                                   .bits = 32,
                                   .sel = row->fmt == ISA_FMT_VOP3P ? 2 : 6,
                                   .reg = (uint16_t)(4 * n)};
    /* matrix instructions take as many registers as their sources have */
    for (const isa_field_t *f = row->fields; f < row->fields + ISA_MAX_FIELDS && f->role; f++)
        if (vector && f->role >= ISA_ROLE_SRC0 && f->role <= ISA_ROLE_SRC2 && f->bits > 32)
            i.src[f->role - ISA_ROLE_SRC0].bits = f->bits;
    if (row->fmt >= ISA_FMT_MUBUF) /* resources, and an offset */
        for (unsigned n = 2; n < 4; n++)
            i.src[n] = (isa_operand_t){.kind = ISA_OPK_SGPR, .bits = 128, .reg = (uint16_t)(8 * n)};
    return i;
}

/* MODE changes only where the table says so and in branches, both of which end a block of
 * instructions; the host's float mode is the same behind every handler, whatever MODE says. */
static void modes_are_known(void **state)
{
    static const uint32_t modes[] = {0x2f0, 0x3ff, 0x2f0 & ~0xf0u, 0x2f5};
    rig_t *r = rig_create();
    unsigned ran = 0;
    (void)state;
    rig_assemble(r, 0, "s_nop 0\n s_nop 0\n s_endpgm\n");
    for (unsigned c = 0; c < RIG_CORES; c++) {
        r->core = isa_core_by_name(rig_cores[c]);
        for (unsigned op = 1; r->core && op < ISA_OP_COUNT; op++) {
            const isa_row_desc_t *row = &isa_table[op];
            isa_handler_t *fn = r->core->handlers[op];
            const bool ends = row->writes & ISA_REG_MODE || row->klass == ISA_CLASS_BRANCH;
            for (unsigned m = 0; fn && m < sizeof modes / sizeof *modes; m++) {
                const isa_inst_t i = plain(op);
                begin(r);
                memset(r->wave.sgpr, 0, sizeof r->wave.sgpr);
                r->wave.exec = 0x5555;
                r->wave.mode = modes[m];
                r->wave.ip++;
                _mm_setcsr(ISA_HOST_FLOAT_MODE);
                fn(&r->wave, &i);
                if ((_mm_getcsr() & ~0x3fu) != ISA_HOST_FLOAT_MODE)
                    fail_msg("%s leaves the float mode %04x", row->mnemonic, _mm_getcsr());
                if (r->wave.mode != modes[m] && !ends)
                    fail_msg("%s changes MODE, which its row does not say", row->mnemonic);
                ran++;
            }
        }
    }
    assert_true(ran > 4000);
    rig_destroy(r);
}

/* What the table says of an instruction that does nothing: it has s_nop's handler, and the wave and
 * its registers are as they were. */
static void nothing_is_done(void **state)
{
    rig_t *r = rig_create();
    isa_wave_t *was = malloc(sizeof *was);
    uint8_t *rows = calloc(1, sizeof r->rows);
    unsigned ran = 0;
    (void)state;
    rig_assemble(r, 0, "s_nop 0\n s_nop 0\n s_endpgm\n");
    r->core = isa_core_select();
    for (unsigned op = 1; op < ISA_OP_COUNT; op++) {
        isa_inst_t i = plain(op);
        i.imm = 1;
        if (!isa_does_nothing(&i)) continue;
        if (r->core->handlers[op] != r->core->handlers[ISA_OP_s_nop])
            fail_msg("%s has another handler than s_nop", isa_table[op].mnemonic);
        begin(r);
        memset(r->wave.sgpr, 0xa5, sizeof r->wave.sgpr);
        memcpy(was, &r->wave, sizeof *was);
        r->core->handlers[op](&r->wave, &i);
        if (memcmp(was, &r->wave, sizeof *was) != 0 || memcmp(rows, r->rows, sizeof r->rows) != 0)
            fail_msg("%s does something", isa_table[op].mnemonic);
        ran++;
    }
    assert_true(ran > 20);
    free(rows);
    free(was);
    rig_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_are_the_same),
                                       cmocka_unit_test(modes_are_known),
                                       cmocka_unit_test(nothing_is_done)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
