/* hazard_families.c - what families of GPUs have of their own: how gfx11 and gfx12 wait, and the
 * copies of SGPRs in gfx12's vector ALU. The rules that are rows of a table are in hazard_rules.c.
 */
#include "hazard_program.h"

#include "isa/table.h"

#include <string.h>

#define LOAD11(v) "global_load_b32 v" #v ", v[0:1], off\n"
#define MIXED(v)  "flat_load_b32 v" #v ", v[10:11]\n" /* some lanes are in LDS */

/* Where instructions of the vector ALU count: what does not, what a wait for all of their results
 * is, and that the results of the transcendental unit come in order. */
static void of_gfx11(void **state)
{
    static const struct {
        const char *text;
        unsigned n;
    } texts[] = {
        {"v_rcp_f32 v0, v1\n s_nop 7\n v_add_f32 v2, v0, v3", 1},
        {"v_rcp_f32 v0, v1\n s_delay_alu instid0(TRANS32_DEP_1)\n v_add_f32 v2, v0, v3", 1},
        {"v_rcp_f32 v0, v1\n s_waitcnt_depctr 0xfff\n v_add_f32 v2, v0, v3", 0},
        {"v_rcp_f32 v0, v1\n s_waitcnt_depctr 0xfffe\n v_add_f32 v2, v0, v3", 1},
        {"v_rcp_f32 v0, v1\n v_rcp_f32 v4, v1\n v_add_f32 v2, v0, v3", 1},
        {"v_rcp_f32 v0, v1\n v_rcp_f32 v4, v1\n v_rcp_f32 v5, v1\n v_add_f32 v2, v0, v3", 0},
        {"v_rcp_f32 v0, v1\n v_add_f32 v2, v4, v3", 0},
        {"v_rcp_f32 v0, v1\n v_fmaak_f32 v0, v2, v3, 0x3f800000", 0},
        {"v_rcp_f32 v0, v1\n global_store_b32 v[4:5], v0, off", 0},
        /* behind vector memory, LDS and exports VALU's results are there; scalar memory does not
         * wait for them */
        {"v_rcp_f32 v0, v1\n global_store_b32 v[4:5], v6, off\n v_add_f32 v2, v0, v3", 0},
        {"v_rcp_f32 v0, v1\n flat_load_b32 v9, v[4:5]\n v_add_f32 v2, v0, v3", 0},
        {"v_rcp_f32 v0, v1\n ds_store_b32 v4, v5\n v_add_f32 v2, v0, v3", 0},
        {"v_rcp_f32 v0, v1\n exp mrt0 v4, v4, v4, v4\n v_add_f32 v2, v0, v3", 0},
        {"v_rcp_f32 v0, v1\n s_load_b32 s4, s[0:1], 0x0\n v_add_f32 v2, v0, v3", 1},
        {"ds_store_b32 v4, v5\n v_rcp_f32 v0, v1\n v_add_f32 v2, v0, v3", 1},
        /* FLAT, which counts in both, comes in order, too */
        {"flat_load_b32 v2, v[0:1]\n flat_load_b32 v3, v[0:1]\n s_waitcnt vmcnt(1) lgkmcnt(1)\n"
         "v_mov_b32 v9, v2",
         0},
        {"flat_load_b32 v2, v[0:1]\n flat_load_b32 v3, v[0:1]\n s_waitcnt vmcnt(1) lgkmcnt(1)\n"
         "v_mov_b32 v9, v3",
         1},
        {"flat_load_b32 v2, v[12:13]\n flat_load_b32 v3, v[12:13]\n s_waitcnt lgkmcnt(1)\n"
         "v_mov_b32 v9, v2",
         0},
        {"flat_load_b32 v2, v[12:13]\n s_waitcnt vmcnt(0)\n v_mov_b32 v9, v2", 1},
        /* with lanes in both, both matter, in the order of each */
        {MIXED(2) "s_waitcnt vmcnt(0)\n" USE(2), 1},
        {MIXED(2) "s_waitcnt lgkmcnt(0)\n" USE(2), 1},
        {MIXED(2) "s_waitcnt lgkmcnt(0)\n s_waitcnt vmcnt(0)\n" USE(2), 0},
        {MIXED(2) MIXED(3) "s_waitcnt vmcnt(1) lgkmcnt(1)\n" USE(2), 0},
        {MIXED(2) MIXED(3) "s_waitcnt vmcnt(1) lgkmcnt(1)\n" USE(3), 1},
        {MIXED(2) MIXED(3) "s_waitcnt vmcnt(0) lgkmcnt(1)\n" USE(3), 1},
        {MIXED(2) LOAD11(3) "s_waitcnt vmcnt(1) lgkmcnt(0)\n" USE(2), 0},
        {MIXED(2) "ds_load_b32 v3, v0\n s_waitcnt vmcnt(0) lgkmcnt(1)\n" USE(2), 0},
        {MIXED(2) "flat_store_b32 v[10:11], v5\n s_waitcnt vmcnt(0) lgkmcnt(1)\n" USE(2), 0},
        /* a load may be written over by what comes behind it for sure */
        {LOAD11(2) "flat_load_b32 v2, v[0:1]\n s_waitcnt vmcnt(0)\n" USE(2), 0},
        {LOAD11(2) "flat_load_b32 v2, v[12:13]", 1},
        {LOAD11(2) MIXED(2), 1},
        {"flat_load_b32 v2, v[12:13]\n" LOAD11(2), 1},
        {"flat_load_b32 v2, v[12:13]\n ds_load_b32 v2, v0", 0},
        {"ds_load_b32 v2, v0\n flat_load_b32 v2, v[12:13]", 0},
        {"ds_load_b32 v2, v0\n flat_load_b32 v2, v[0:1]", 1},
        {MIXED(2) LOAD11(2), 1},
        {MIXED(2) "s_waitcnt lgkmcnt(0)\n" LOAD11(2), 0},
        {MIXED(2) "s_waitcnt vmcnt(0)\n" LOAD11(2), 1},
        {MIXED(2) "s_waitcnt vmcnt(0)\n ds_load_b32 v2, v0", 0},
        /* VCC and sums are read by both operations: all of their registers have room */
        {LOAD11(5) "v_dual_cndmask_b32 v5, v1, v2 :: v_dual_cndmask_b32 v6, v3, v4", 1},
        {LOAD11(6) "v_dual_cndmask_b32 v5, v1, v2 :: v_dual_cndmask_b32 v6, v3, v4", 1},
        {LOAD11(6) "v_dual_fmac_f32 v5, v1, v2 :: v_dual_fmac_f32 v6, v3, v4", 1},
        {"s_load_b32 vcc_lo, s[0:1], 0x0\n"
         "v_dual_cndmask_b32 v5, v1, v2 :: v_dual_mov_b32 v6, v3",
         1},
        {"flat_load_b32 v2, v[0:1]\n flat_store_b32 v[0:1], v5\n s_waitcnt vmcnt(0)\n"
         "v_mov_b32 v9, v2",
         0},
        {"ds_load_b32 v2, v0\n flat_load_b32 v3, v[0:1]\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v9, v2",
         0},
        {WMMA "\n" WMMA, 0}, /* the sum may be that of the one before */
        /* here VALU alone helps */
        {WMMA "\n s_waitcnt_depctr 0xfff\n"
              "v_wmma_f32_16x16x16_f16 v[40:47], v[0:7], v[24:31], v[40:47]",
         1},
        {WMMA "\n s_nop 7\n v_wmma_f32_16x16x16_f16 v[40:47], v[0:7], v[24:31], v[40:47]", 1},
    };
    programs_t *p = programs_create();
    (void)state;
    hazard_use(ISA_ARCH_gfx1100, "gfx1100", NULL);
    const isa_wave_t w = hazard_wave();
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        programs_add(p, texts[k].text);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const seen_t seen = programs_step(p, &w, true);
        if (seen.n != texts[k].n)
            fail_msg("%u, \"%s\" in %s", seen.n, seen_text(&seen), texts[k].text);
    }
    programs_free(p);
    hazard_use(ISA_ARCH_gfx90a, "gfx90a", NULL);
}

/* gfx12's counters, each with an instruction that waits for it; words stand for instructions that
 * the assembler may not know: loads to v2, v3 and, of LDS, v4, of a scalar to s4. */
#define LOAD_V2    ".long 0xee05007c, 2, 0\n"
#define LOAD_V3    ".long 0xee05007c, 3, 0\n"
#define LDS_V4     ".long 0xd8d80000, 0x04000000\n"
#define LOAD_S4    ".long 0xf4000100, 0xf8000000\n"
#define INVALIDATE ".long 0xee0ac07c, 0x80000, 0\n"
#define USE_V2     ".long 0x7e120302\n"
#define USE_V3     ".long 0x7e120303\n"
#define USE_V4     ".long 0x7e120304\n"
#define USE_S4     ".long 0xbe850004\n"
/* s_wait_loadcnt N, s_wait_dscnt 0 and so on; the last two: of memory and of LDS */
#define WAIT_LOADS(n)   ".long 0xbfc0000" #n "\n"
#define WAIT_LDS        ".long 0xbfc60000\n"
#define WAIT_SCALAR     ".long 0xbfc70000\n"
#define WAIT_LOADS_LDS  ".long 0xbfc80101\n" /* one of either may be left */
#define WAIT_STORES_LDS ".long 0xbfc90100\n"

static void of_gfx12(void **state)
{
    static const struct {
        const char *text;
        unsigned n;
        chk_flow_t flow;
    } texts[] = {
        {LOAD_V2 LOAD_V3 WAIT_LOADS(1) USE_V2, 0, 0},
        {LOAD_V2 LOAD_V3 WAIT_LOADS(1) USE_V3, 1, CHK_FLOW_VM},
        {LOAD_V2 LOAD_V3 WAIT_LOADS_LDS USE_V2, 0, 0},
        {LOAD_V2 LOAD_V3 WAIT_LOADS_LDS USE_V3, 1, CHK_FLOW_VM},
        {LOAD_V2 INVALIDATE WAIT_LOADS(1) USE_V2, 0, 0},
        {LOAD_V2 WAIT_LDS USE_V2, 1, CHK_FLOW_VM},
        {LOAD_V2 WAIT_STORES_LDS USE_V2, 1, CHK_FLOW_VM},
        {LDS_V4 WAIT_LDS USE_V4, 0, 0},
        {LDS_V4 WAIT_STORES_LDS USE_V4, 0, 0},
        {LDS_V4 WAIT_SCALAR USE_V4, 1, CHK_FLOW_LDS},
        {LDS_V4 WAIT_LOADS(0) USE_V4, 1, CHK_FLOW_LDS},
        {LOAD_S4 WAIT_SCALAR USE_S4, 0, 0},
        {LOAD_S4 WAIT_LDS USE_S4, 1, CHK_FLOW_ANY},
    };
    programs_t *p = programs_create();
    (void)state;
    hazard_use(ISA_ARCH_gfx1201, "gfx1201", "gfx1100");
    const isa_wave_t w = hazard_wave();
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        programs_add(p, texts[k].text);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const seen_t seen = programs_step(p, &w, true);
        if (seen.n != texts[k].n || (seen.n && seen.last.flow != texts[k].flow))
            fail_msg("%u found, flow %u, in\n%s", seen.n, seen.last.flow, texts[k].text);
    }
    programs_free(p);
    hazard_use(ISA_ARCH_gfx90a, "gfx90a", NULL);
}

/* SGPRs of which the vector ALU has a copy since it has read them, or their neighbours. */
#define WAIT_ALU(n) ".long 0xbf88" #n "\n"
#define DS_NOP      ".long 0xd8500000, 0\n"
#define READ        "v_mov_b32 v1, s4\n"
#define BY_SALU     "s_mov_b32 s4, 0\n"
#define BY_VALU     "v_readfirstlane_b32 s4, v2\n"
#define READ_VCC    "v_cndmask_b32 v3, v4, v5, vcc_lo\n"
#define VCC_BY_VALU "v_cmp_eq_u32 vcc_lo, v6, v7\n"
#define DS_NOPS_4   DS_NOP DS_NOP DS_NOP DS_NOP
#define READ_PAIR   "v_cmp_eq_u64 s8, s[4:5], v[6:7]\n"
#define SLEEP_S6    ".long 0xbe805806\n" /* s_sleep_var s6 */
#define MESSAGE_S4  ".long 0xbe844c80\n" /* s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL) */

typedef struct {
    const char *text, *wait; /* the field of s_wait_alu that is named; NULL: nothing is found */
} copies_t;

static void judge_copies(const copies_t *texts, size_t n, bool narrow)
{
    programs_t *p = programs_create();
    hazard_use(ISA_ARCH_gfx1201, "gfx1201", "gfx1100");
    const isa_wave_t w = hazard_wave();
    isa_dispatch_t dispatch = *w.group->dispatch;
    isa_group_t group = *w.group;
    isa_wave_t of_32_lanes = w;
    dispatch.narrow = true;
    group.dispatch = &dispatch;
    of_32_lanes.group = &group;
    for (size_t k = 0; k < n; k++)
        programs_add(p, texts[k].text);
    for (size_t k = 0; k < n; k++) {
        const seen_t seen = programs_step(p, narrow ? &of_32_lanes : &w, true);
        const char *wait = seen.n ? seen.last.wait : NULL;
        if (seen.n != (texts[k].wait != NULL) || (wait && strcmp(wait, texts[k].wait)) ||
            (seen.n && seen.last.kind != CHK_HAZARD_COPY))
            fail_msg("%u found, of %s, in\n%s", seen.n, wait ? wait : "another kind",
                     texts[k].text);
    }
    programs_free(p);
    hazard_use(ISA_ARCH_gfx90a, "gfx90a", NULL);
}

static void copies(void **state)
{
    static const copies_t texts[] = {
        {READ BY_SALU READ, "sa_sdst"},
        {"v_mov_b32 v1, s5\n" BY_SALU READ, "sa_sdst"},
        {"v_mov_b32 v1, s6\n" BY_SALU READ, NULL},
        {BY_SALU READ, NULL},
        {READ BY_SALU "s_mov_b32 s7, s4\n", "sa_sdst"},
        {READ BY_SALU "s_mov_b32 s7, s5\n", NULL},
        {READ BY_SALU WAIT_ALU(fffe) READ, NULL},
        {READ BY_SALU WAIT_ALU(f1fd) READ, "sa_sdst"},
        {READ BY_SALU LOAD_S4 WAIT_SCALAR READ, NULL}, /* scalar memory waits */
        {READ BY_SALU LOAD_V2 READ, "sa_sdst"},
        {READ BY_VALU READ, "va_sdst"},
        {READ BY_VALU WAIT_ALU(f1ff) READ, NULL},
        {READ BY_VALU WAIT_ALU(fffc) READ, "va_sdst"},
        {READ BY_VALU "s_mov_b32 s7, s4\n" READ, NULL}, /* SALU waits for VALU, */
        {READ BY_VALU "s_mov_b32 s7, s4\n" VCC_BY_VALU READ_VCC, NULL},
        {READ BY_VALU "s_mov_b32 s7, s6\n" READ, NULL}, /* whatever it reads, */
        {READ BY_VALU SLEEP_S6 READ, NULL},
        {READ BY_VALU "s_mov_b32 s7, 0\n" READ, "va_sdst"}, /* if it reads a register, */
        {READ BY_VALU "s_mov_b32 s7, m0\n" READ, "va_sdst"},
        {READ BY_VALU "s_mov_b32 s7, vcc_lo\n" READ, "va_sdst"}, /* VCC for VCC alone */
        {READ_VCC VCC_BY_VALU "s_mov_b32 s7, s6\n" READ_VCC, "va_vcc"},
        {READ_VCC VCC_BY_VALU "s_mov_b32 s7, vcc_hi\n" READ_VCC, NULL},
        {READ MESSAGE_S4 WAIT_SCALAR READ, "sa_sdst"},
        {READ_VCC VCC_BY_VALU READ_VCC, "va_vcc"},
        {READ_VCC VCC_BY_VALU WAIT_ALU(fffd) READ_VCC, NULL},
        {READ_VCC VCC_BY_VALU WAIT_ALU(f1fe) READ_VCC, "va_vcc"},
        {READ_VCC "s_mov_b32 vcc_lo, 0\n" READ_VCC, "sa_sdst"},
        {READ_VCC "s_mov_b32 vcc_lo, 0\n s_cbranch_vccz next\n next:\n", NULL}, /* another path */
        {READ_VCC "s_mov_b32 vcc_lo, 0\n s_mov_b32 s7, vcc_lo\n" READ_VCC, NULL},
        {READ BY_SALU READ READ, "sa_sdst"}, /* once */
        {READ DS_NOPS_4 DS_NOPS_4 BY_SALU READ, NULL},
        {READ DS_NOPS_4 USE(0) DS_NOPS_4 BY_SALU READ, "sa_sdst"},
        /* what they make it forget has not been written anew, either */
        {READ BY_SALU DS_NOPS_4 DS_NOPS_4 READ READ, NULL},
        {READ BY_VALU DS_NOPS_4 DS_NOPS_4 READ READ, NULL},
        /* a value of two registers is found once */
        {READ_PAIR "s_mov_b64 s[4:5], 0\n" READ_PAIR READ_PAIR, "sa_sdst"},
        {READ_PAIR "v_cmp_eq_u32 s4, v0, v1\n" READ_PAIR READ_PAIR, "va_sdst"},
        {READ_PAIR "s_mov_b32 s5, 0\n" READ_PAIR READ_PAIR, "sa_sdst"},
        {"v_cmp_eq_u64 s8, vcc, v[6:7]\n s_mov_b64 vcc, 0\n v_mov_b32 v1, vcc_lo\n"
         "v_mov_b32 v1, vcc_hi\n",
         "sa_sdst"},
        /* calls and returns do not look at their operands; functions begin with nothing */
        {"v_mov_b32 v1, s30\n s_swappc_b64 s[30:31], s[6:7]\n s_setpc_b64 s[30:31]\n", NULL},
        {"v_mov_b32 v1, s30\n s_swappc_b64 s[30:31], s[6:7]\n v_writelane_b32 v2, s30, 0\n", NULL},
        {"v_mov_b32 v1, s30\n s_mov_b32 s30, 0\n s_setpc_b64 s[30:31]\n", NULL},
        {"v_mov_b32 v1, s30\n s_call_b64 s[30:31], called\n called:\n s_mov_b32 s0, s30\n", NULL},
        {READ BY_SALU "s_setpc_b64 s[6:7]\n" READ, "sa_sdst"}, /* they wait for nothing */
    };
    (void)state;
    judge_copies(texts, sizeof texts / sizeof *texts, false);
}

/* In waves of 32 lanes VCC_HI is a register of its own, but a write to one half hides what is
 * outstanding of the other. */
static void copies_of_32_lanes(void **state)
{
    static const copies_t texts[] = {
        {READ DS_NOPS_4 BY_SALU READ, NULL},
        {READ DS_NOP DS_NOP DS_NOP BY_SALU READ, "sa_sdst"},
        {READ_VCC VCC_BY_VALU READ_VCC, "va_vcc"},
        {READ_VCC VCC_BY_VALU READ_VCC READ_VCC, "va_vcc"}, /* once */
        {READ_VCC VCC_BY_VALU "s_mov_b32 vcc_hi, 1\n" WAIT_ALU(fffe) READ_VCC, NULL},
        {READ_VCC VCC_BY_VALU "s_mov_b32 vcc_hi, 1\n" READ_VCC, NULL},
        {READ_VCC VCC_BY_VALU "s_mov_b32 vcc_hi, 1\n v_mov_b32 v1, vcc_hi\n", "sa_sdst"},
        {READ_VCC "s_mov_b32 vcc_hi, 1\n" VCC_BY_VALU READ_VCC, "va_vcc"},
        /* two operations of one instruction */
        {READ BY_SALU "v_dual_mov_b32 v1, s4 :: v_dual_mov_b32 v2, v3\n", "sa_sdst"},
        {READ BY_SALU "v_dual_mov_b32 v2, v3 :: v_dual_mov_b32 v1, s4\n", "sa_sdst"},
        {"v_dual_mov_b32 v1, s4 :: v_dual_mov_b32 v2, v3\n" BY_VALU READ, "va_sdst"},
        {READ_VCC VCC_BY_VALU "v_dual_cndmask_b32 v4, v1, v2 :: v_dual_mov_b32 v7, v3\n", "va_vcc"},
    };
    (void)state;
    judge_copies(texts, sizeof texts / sizeof *texts, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_gfx11),
        cmocka_unit_test(of_gfx12),
        cmocka_unit_test(copies),
        cmocka_unit_test(copies_of_32_lanes),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
