/* hazard_waits.c - every way to wait for a load, and what reads SCC before anything has set it. */
#include "hazard_program.h"

#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

/* ---- waits ---- */

#define LOAD(v)    "global_load_dword v" #v ", v[0:1], off\n"
#define LDS(v)     "ds_read_b32 v" #v ", v0\n"
#define LDS7       LDS(3) LDS(3) LDS(3) LDS(3) LDS(3) LDS(3) LDS(3)
#define SMEM(s)    "s_load_dword s" #s ", s[0:1], 0x0\n"
#define LOAD_32(v) "global_load_b32 v" #v ", v[0:1], off\n" /* as LOAD, of gfx11 */
#define FLAT(v)    "flat_load_dword v" #v ", v[10:11]\n"
#define LANES(k)   "s_mov_b64 exec, " #k "\n"

enum { NONE = -1 };

static const struct {
    const char *text;
    int kind; /* of what the last instruction has, or NONE */
    chk_flow_t flow;
    unsigned reg, behind;
} waits[] = {
    {LOAD(2) USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 0},
    {LOAD(2) LOAD(3) LOAD(4) USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 2},
    {LOAD(2) LOAD(3) "s_waitcnt vmcnt(1)\n" USE(2), .kind = NONE},
    {LOAD(2) LOAD(3) "s_waitcnt vmcnt(1)\n" USE(3), CHK_HAZARD_READ, CHK_FLOW_VM, 3, 0},
    {LOAD(2) LOAD(3) "s_waitcnt lgkmcnt(0)\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 1},
    {LOAD(2) "s_barrier\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 0},
    /* stores are counted with loads */
    {LOAD(2) "global_store_dword v[0:1], v5, off\n s_waitcnt vmcnt(1)\n" USE(2), .kind = NONE},
    {LOAD(2) "buffer_wbinvl1\n s_waitcnt vmcnt(1)\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 0},
    /* as address, as data, in part, as a lane, by a matrix instruction */
    {LOAD(1) LOAD(2), CHK_HAZARD_READ, CHK_FLOW_VM, 1, 0},
    {LOAD(5) "global_store_dword v[0:1], v5, off\n", CHK_HAZARD_READ, CHK_FLOW_VM, 5, 0},
    {"global_load_dwordx4 v[4:7], v[0:1], off\n" USE(6), CHK_HAZARD_READ, CHK_FLOW_VM, 6, 0},
    /* registers on both sides of a multiple of 64, of all registers (chk_regs_digest) */
    {"global_load_dwordx4 v[62:65], v[0:1], off\n" USE(65), CHK_HAZARD_READ, CHK_FLOW_VM, 65, 0},
    {LOAD(5) "v_readlane_b32 s5, v5, 0\n", CHK_HAZARD_READ, CHK_FLOW_VM, 5, 0},
    {"global_load_dwordx4 a[0:3], v[0:1], off\n v_mfma_f32_4x4x1f32 a[4:7], v2, v3, a[0:3]\n",
     CHK_HAZARD_READ, CHK_FLOW_VM, HAZARD_ACC_OFFSET, 0},
    {"ds_read2_b64 v[4:7], v0\n" USE(7), CHK_HAZARD_READ, CHK_FLOW_LDS, 7, 0},
    {"ds_add_rtn_u32 v2, v0, v1\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_LDS, 2, 0},
    {"ds_append v2\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_LDS, 2, 0},
    {"ds_swizzle_b32 v2, v0 offset:31\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_LDS, 2, 0},
    {"global_load_short_d16_hi v2, v[0:1], off\n v_mov_b32_sdwa v9, v2 src0_sel:WORD_0\n",
     CHK_HAZARD_READ, CHK_FLOW_VM, 2, 0},
    {"scratch_load_dword v2, off, s0\n v_mov_b32_dpp v9, v2 row_shr:1\n", CHK_HAZARD_READ,
     CHK_FLOW_VM, 2, 0},
    {"buffer_load_dwordx3 v[2:4], off, s[8:11], 0\n v_swap_b32 v9, v4\n", CHK_HAZARD_READ,
     CHK_FLOW_VM, 4, 0},
    {"global_load_dword a2, v[0:1], off\n v_accvgpr_read_b32 v9, a2\n", CHK_HAZARD_READ,
     CHK_FLOW_VM, HAZARD_ACC_OFFSET + 2, 0},
    /* written over; by another load of the same order it is not */
    {LOAD(2) "v_mov_b32 v2, 0\n", CHK_HAZARD_OVERWRITE, CHK_FLOW_VM, 2, 0},
    {LOAD(2) LOAD(2) "s_waitcnt vmcnt(0)\n" USE(2), .kind = NONE},
    {LOAD(2) LOAD(2) LOAD(3) "s_waitcnt vmcnt(2)\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 1},
    {LOAD(2) LDS(2), CHK_HAZARD_OVERWRITE, CHK_FLOW_VM, 2, 0},
    {LDS(2) LDS(2) "s_waitcnt lgkmcnt(0)\n" USE(2), .kind = NONE},
    {SMEM(4) SMEM(4), CHK_HAZARD_OVERWRITE, CHK_FLOW_ANY, CHK_REG_SCALAR + 4, 0},
    /* atomics return where they are asked to */
    {"global_atomic_add v[0:1], v3, off\n" USE(2), .kind = NONE},
    {"global_atomic_add v2, v[0:1], v3, off glc\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 0},
    /* LDS is in order, scalar loads are not, and both are one counter */
    {LDS(2) LDS(3) "s_waitcnt lgkmcnt(1)\n" USE(2), .kind = NONE},
    {LDS(2) LDS(3) "s_waitcnt lgkmcnt(1)\n" USE(3), CHK_HAZARD_READ, CHK_FLOW_LDS, 3, 0},
    /* no more than 15 are outstanding: the next one is issued when the first has returned */
    {LDS(2) LDS7 LDS7 USE(2), CHK_HAZARD_READ, CHK_FLOW_LDS, 2, 14},
    {LDS(2) LDS7 LDS7 LDS(3) USE(2), .kind = NONE},
    {"ds_bpermute_b32 v2, v0, v1\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_LDS, 2, 0},
    {SMEM(4) SMEM(5) "s_waitcnt lgkmcnt(1)\n s_mov_b32 s6, s4\n", CHK_HAZARD_READ, CHK_FLOW_ANY,
     CHK_REG_SCALAR + 4, 1},
    {SMEM(4) SMEM(5) "s_waitcnt lgkmcnt(0)\n s_mov_b32 s6, s4\n", .kind = NONE},
    {LDS(2) SMEM(4) "s_waitcnt lgkmcnt(1)\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_LDS, 2, 0},
    {SMEM(4) LDS(2) LDS(3) "s_waitcnt lgkmcnt(1)\n" USE(2), .kind = NONE},
    {"s_load_dwordx2 vcc, s[0:1], 0x0\n s_cbranch_vccz 0\n", CHK_HAZARD_READ, CHK_FLOW_ANY,
     CHK_REG_SCALAR + ISA_CODE_VCC, 0},
    {"s_load_dwordx2 vcc, s[0:1], 0x0\n v_cndmask_b32 v0, v1, v2, vcc\n", CHK_HAZARD_READ,
     CHK_FLOW_ANY, CHK_REG_SCALAR + ISA_CODE_VCC, 0},
    {"s_load_dwordx2 vcc, s[0:1], 0x0\n v_cmp_eq_u32 vcc, v1, v2\n", CHK_HAZARD_OVERWRITE,
     CHK_FLOW_ANY, CHK_REG_SCALAR + ISA_CODE_VCC, 0},
    {"s_load_dwordx2 s[4:5], s[0:1], 0x0\n s_setpc_b64 s[4:5]\n", CHK_HAZARD_READ, CHK_FLOW_ANY,
     CHK_REG_SCALAR + 4, 0},
    {"s_load_dwordx8 s[8:15], s[0:1], 0x0\n s_bfe_u32 s4, s15, 1\n", CHK_HAZARD_READ, CHK_FLOW_ANY,
     CHK_REG_SCALAR + 15, 0},
    {"s_load_dwordx8 s[28:35], s[0:1], 0x0\n s_mov_b32 s0, s35\n", CHK_HAZARD_READ, CHK_FLOW_ANY,
     CHK_REG_SCALAR + 35, 0},
    {"s_buffer_load_dwordx4 s[4:7], s[8:11], 0x0\n buffer_load_dword v2, off, s[4:7], 0\n",
     CHK_HAZARD_READ, CHK_FLOW_ANY, CHK_REG_SCALAR + 4, 0},
    {SMEM(4) "v_add_u32 v0, s4, v1\n", CHK_HAZARD_READ, CHK_FLOW_ANY, CHK_REG_SCALAR + 4, 0},
    {SMEM(4) "v_readlane_b32 s5, v0, s4\n", CHK_HAZARD_READ, CHK_FLOW_ANY, CHK_REG_SCALAR + 4, 0},
    {SMEM(4) "s_cmpk_eq_i32 s4, 1\n", CHK_HAZARD_READ, CHK_FLOW_ANY, CHK_REG_SCALAR + 4, 0},
    {SMEM(4) "s_setreg_b32 hwreg(HW_REG_MODE), s4\n", CHK_HAZARD_READ, CHK_FLOW_ANY,
     CHK_REG_SCALAR + 4, 0},
    {"s_load_dwordx2 flat_scratch, s[0:1], 0x0\n flat_load_dword v2, v[0:1]\n", CHK_HAZARD_READ,
     CHK_FLOW_ANY, CHK_REG_SCALAR + ISA_CODE_FLAT_SCRATCH, 0},
    {"s_load_dwordx2 flat_scratch, s[0:1], 0x0\n" LOAD(2), .kind = NONE},
    {"s_memtime s[4:5]\n s_mov_b32 s6, s5\n", CHK_HAZARD_READ, CHK_FLOW_ANY, CHK_REG_SCALAR + 5, 0},
    /* FLAT counts in both, of which that for LDS matters where lanes are there; nothing is in order
     * with it */
    {FLAT(2) "s_waitcnt vmcnt(0)\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_FLAT, 2, 0},
    {FLAT(2) "s_waitcnt lgkmcnt(0)\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_FLAT, 2, 0},
    {FLAT(2) "s_waitcnt lgkmcnt(0)\n s_waitcnt vmcnt(0)\n" USE(2), .kind = NONE},
    {FLAT(2) FLAT(3) "s_waitcnt vmcnt(1) lgkmcnt(1)\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_FLAT, 2,
     1},
    {"flat_load_dword v2, v[0:1]\n s_waitcnt vmcnt(0)\n" USE(2), .kind = NONE},
    {"flat_load_dword v2, v[0:1]\n" LOAD(3) "s_waitcnt vmcnt(1)\n" USE(2), CHK_HAZARD_READ,
     CHK_FLOW_FLAT_MEMORY, 2, 0},
    {LOAD(2) FLAT(3) "s_waitcnt vmcnt(1)\n" USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 0},
    /* but what FLAT reads of memory comes before what is loaded after it */
    {"flat_load_dword v2, v[0:1]\n" LOAD(2), .kind = NONE},
    {FLAT(2) "s_waitcnt lgkmcnt(0)\n" LOAD(2), .kind = NONE},
    {FLAT(2) "s_waitcnt vmcnt(0)\n" LOAD(2), CHK_HAZARD_OVERWRITE, CHK_FLOW_FLAT, 2, 0},
    {FLAT(2) LOAD(2), CHK_HAZARD_OVERWRITE, CHK_FLOW_FLAT, 2, 0},
    {FLAT(2) "s_waitcnt lgkmcnt(0)\n" LOAD(2) USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 0},
    /* of other lanes the register is not pending; of a register for each branch all are */
    {LANES(15) LOAD(2) LANES(48) USE(2), .kind = NONE},
    {LANES(15) LOAD(2) LANES(48) "v_mov_b32 v2, 0\n", .kind = NONE},
    {LANES(15) LOAD(2) LANES(0) USE(2), .kind = NONE},
    {LANES(15) LOAD(2) LANES(24) USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 0},
    {LANES(15) LOAD(2) LANES(48) "v_readlane_b32 s5, v2, 1\n", CHK_HAZARD_READ, CHK_FLOW_VM, 2, 0},
    {LANES(15) LOAD(2) LANES(48) "v_mfma_f32_4x4x1f32 a[4:7], v2, v3, a[0:3]\n", CHK_HAZARD_READ,
     CHK_FLOW_VM, 2, 0},
    {LANES(15) LOAD(2) LANES(48) LOAD(2) LANES(15) USE(2), CHK_HAZARD_READ, CHK_FLOW_VM, 2, 0},
    {LANES(15) LOAD(2) "s_waitcnt vmcnt(0)\n" LANES(48) LOAD(2) LANES(15) USE(2), .kind = NONE},
    {LANES(15) LOAD(4) LANES(48) LOAD(5) "v_add_f64 v[8:9], v[4:5], v[4:5]\n", CHK_HAZARD_READ,
     CHK_FLOW_VM, 5, 0},
    {LANES(0) SMEM(4) "s_mov_b32 s6, s4\n", CHK_HAZARD_READ, CHK_FLOW_ANY, CHK_REG_SCALAR + 4, 0},
    /* GWS reads its data late */
    {"ds_gws_init v2 gds\n v_mov_b32 v2, 0\n", CHK_HAZARD_OVERWRITE, CHK_FLOW_EXP, 2, 0},
    {"ds_gws_init v2 gds\n s_waitcnt expcnt(0)\n v_mov_b32 v2, 0\n", .kind = NONE},
    {"ds_gws_init v2 gds\n" USE(2), .kind = NONE},
};

static void loads(void **state)
{
    const isa_wave_t w = hazard_wave();
    programs_t *p = programs_create();
    (void)state;
    for (size_t k = 0; k < sizeof waits / sizeof *waits; k++)
        programs_add(p, waits[k].text);
    for (size_t k = 0; k < sizeof waits / sizeof *waits; k++) {
        const seen_t seen = programs_step(p, &w, true);
        if (waits[k].kind == NONE) {
            if (seen.n) fail_msg("found in\n%s", waits[k].text);
            continue;
        }
        if (seen.n != 1 || !seen.at_end || (int)seen.last.kind != waits[k].kind ||
            seen.last.flow != waits[k].flow || seen.last.reg != waits[k].reg ||
            seen.last.behind != waits[k].behind)
            fail_msg("%u found: kind %d, flow %u, register %u, %u behind, in\n%s", seen.n,
                     (int)seen.last.kind, seen.last.flow, seen.last.reg, seen.last.behind,
                     waits[k].text);
    }
    programs_free(p);
}

/* Without lanes a load has no result; which VGPRs the indexing mode means is not known. */
static void not_known(void **state)
{
    isa_wave_t w = hazard_wave();
    (void)state;
    w.exec = 0;
    assert_int_equal(program_step(LOAD(2) USE(2), &w, true).n, 0);
    assert_int_equal(program_step(SMEM(4) "s_mov_b32 s6, s4\n", &w, true).n, 1);
    w.exec = UINT64_MAX;
    w.mode = 1 << 27;
    assert_int_equal(program_step(LOAD(2) USE(2), &w, true).n, 0);
}

static void scc(void **state)
{
    isa_wave_t w = hazard_wave();
    (void)state;
    const seen_t seen = program_step("s_cselect_b32 s0, s1, s2\n", &w, false);
    assert_int_equal(seen.n, 1);
    assert_int_equal(seen.last.kind, CHK_HAZARD_UNSET);
    assert_int_equal(
        program_step("s_cselect_b32 s0, s1, s2\n s_addc_u32 s0, s0, s1\n", &w, false).n, 1);
    assert_int_equal(program_step("s_add_u32 s0, s0, s1\n s_addc_u32 s2, s2, s3\n", &w, false).n,
                     0);
}

/* ---- addresses of images in scattered registers ---- */

/* The first 64 VGPRs that gfx1030's instruction reads, as bits. */
static uint64_t read_by(const char *text, bool *left_out)
{
    const isa_wave_t w = hazard_wave();
    uint32_t *words = NULL;
    uint64_t bits = 0;
    isa_inst_t i;
    chk_use_t u;
    const size_t n = asm_words(text, &words);
    assert_int_equal(isa_decode(hazard_arch, words, (unsigned)n, &i), n);
    free(words);
    chk_use_describe(&u, &w, &i);
    for (unsigned k = 0; k < u.n_reads; k++)
        for (unsigned reg = u.regs[k].first; reg < (unsigned)u.regs[k].first + u.regs[k].n; reg++)
            if (reg < 64) bits |= UINT64_C(1) << reg;
    *left_out = u.left_out;
    return bits;
}

static void scattered(void **state)
{
    bool left_out;
    (void)state;
    if (!asm_knows_gpu("gfx1030")) skip();
    hazard_arch = isa_arch_named("gfx1030");
    asm_set_gpu("gfx1030");
    /* neighbours in any order are one group: 1, 3 to 5, 7, 9 */
    assert_int_equal(read_by("image_sample_d v[20:23], [v5, v3, v1, v4, v9, v7], s[16:23], "
                             "s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D",
                             &left_out),
                     1 << 1 | 7 << 3 | 1 << 7 | 1 << 9);
    assert_false(left_out);
    /* of six groups the first five */
    assert_int_equal(read_by("image_sample_d v[20:23], [v11, v9, v7, v5, v3, v1], s[16:23], "
                             "s[24:27] dmask:0xf dim:SQ_RSRC_IMG_2D",
                             &left_out),
                     1 << 1 | 1 << 3 | 1 << 5 | 1 << 7 | 1 << 9);
    assert_true(left_out);
    hazard_arch = ASM_ARCH;
    asm_set_gpu("gfx90a");
}

/* ---- what gfx12 counts apart: samples of images, rays, direct loads from LDS, answers ---- */

/* LLVM 22's words of image_sample_lz v20 (or v22), [v8, v9], s[16:23], s[24:27] dmask:0x1
 * dim:SQ_RSRC_IMG_2D, and of image_load v21, [v4, v5], s[16:23], the same. */
#define SAMPLE  ".long 0xe447c001, 0x0c002014, 0x00000908\n"
#define SAMPLE2 ".long 0xe447c001, 0x0c002016, 0x00000908\n"
#define IMAGE   ".long 0xd0400001, 0x00002015, 0x00000504\n"
/* image_bvh_dual_intersect_ray v[40:49], [v[0:1], v[11:12], v[3:5], v[6:8], v[9:10]], s[0:3];
 * image_bvh8_intersect_ray v[40:49], the same, but for the last group, v9; and
 * image_bvh_intersect_ray v[40:43], [v9, v10, v[11:13], v[14:16], v[17:19]], s[4:7]. */
#define DUAL  ".long 0xd3e00010, 0x09000028, 0x06030b00\n"
#define EIGHT ".long 0xd3e04010, 0x09000028, 0x06030b00\n"
#define RAY   ".long 0xd3c64010, 0x11000828, 0x0e0b0a09\n"
/* ds_direct_load v#; v_interp_p10_f32 v4, v1, v2, v3 wait_exp:# */
#define DIRECT(v)       ".long 0xce10000" #v "\n"
#define INTERPOLATE(n)  ".long 0xcd000" #n "04, 0x040e0501\n"
#define STATE           ".long 0xbe8350c1 ; s_get_barrier_state s3, -1\n"
#define MESSAGE         ".long 0xbe834c80 ; s_sendmsg_rtn_b32 s3, sendmsg(MSG_RTN_GET_DOORBELL)\n"
#define WAIT_LOADS(n)   ".long 0xbfc0000" #n " ; s_wait_loadcnt\n"
#define WAIT_SAMPLES(n) ".long 0xbfc2000" #n " ; s_wait_samplecnt\n"
#define WAIT_RAYS(n)    ".long 0xbfc3000" #n " ; s_wait_bvhcnt\n"
#define WAIT_EXP(n)     ".long 0xbfc4000" #n " ; s_wait_expcnt\n"
#define WAIT_LDS(n)     ".long 0xbfc6000" #n " ; s_wait_dscnt\n"
#define WAIT_ANSWER     ".long 0xbfc70000 ; s_wait_kmcnt\n"
/* ds_load_b32 v#, v0 */
#define LDS_12(v) ".long 0xd8d80000, 0x0" #v "000000\n"
#define WAIT_IDLE ".long 0xbf8a0000 ; s_wait_idle\n"

static void counted_apart(void **state)
{
    static const struct {
        const char *text;
        unsigned flow; /* CHK_FLOW_NONE: nothing is found */
        unsigned reg, behind;
    } rows[] = {
        {SAMPLE USE(20), CHK_FLOW_SAMPLES, 20, 0},
        {SAMPLE WAIT_LOADS(0) USE(20), CHK_FLOW_SAMPLES, 20, 0},
        {SAMPLE WAIT_SAMPLES(0) USE(20), .flow = CHK_FLOW_NONE},
        {SAMPLE SAMPLE2 WAIT_SAMPLES(1) USE(20), .flow = CHK_FLOW_NONE},
        {SAMPLE SAMPLE2 WAIT_SAMPLES(1) USE(22), CHK_FLOW_SAMPLES, 22, 0},
        /* counted in order, written in any */
        {SAMPLE SAMPLE, CHK_FLOW_SAMPLES, 20, 0},
        {SAMPLE WAIT_SAMPLES(0) SAMPLE WAIT_SAMPLES(0) USE(20), .flow = CHK_FLOW_NONE},
        {IMAGE IMAGE, CHK_FLOW_VM, 21, 0},
        {IMAGE WAIT_LOADS(0) IMAGE WAIT_LOADS(0) USE(21), .flow = CHK_FLOW_NONE},
        {LDS_12(2) LDS_12(2) WAIT_LDS(0) USE(2), .flow = CHK_FLOW_NONE},
        {IMAGE WAIT_SAMPLES(0) USE(21), CHK_FLOW_VM, 21, 0},
        {IMAGE WAIT_LOADS(0) USE(21), .flow = CHK_FLOW_NONE},
        {SAMPLE IMAGE SAMPLE2 WAIT_LOADS(0) USE(21), .flow = CHK_FLOW_NONE},
        {SAMPLE IMAGE SAMPLE2 WAIT_LOADS(0) USE(20), CHK_FLOW_SAMPLES, 20, 1},
        {SAMPLE IMAGE WAIT_IDLE USE(20) USE(21), .flow = CHK_FLOW_NONE},
        /* of rays results come, and origin and direction change where a tree is named */
        {DUAL USE(49), CHK_FLOW_RAYS, 49, 0},
        {DUAL USE(3), CHK_FLOW_RAYS, 3, 0},
        {DUAL "v_mov_b32 v8, 0\n", CHK_FLOW_RAYS, 8, 0},
        {EIGHT USE(5), CHK_FLOW_RAYS, 5, 0},
        {EIGHT DUAL, CHK_FLOW_RAYS, 3, 0},
        {DUAL USE(0) USE(9) USE(10) USE(11) USE(12), .flow = CHK_FLOW_NONE},
        {DUAL WAIT_LOADS(0) WAIT_SAMPLES(0) USE(40), CHK_FLOW_RAYS, 40, 0},
        {DUAL WAIT_RAYS(0) USE(3) USE(8) USE(40), .flow = CHK_FLOW_NONE},
        {RAY USE(43), CHK_FLOW_RAYS, 43, 0},
        {RAY EIGHT, CHK_FLOW_RAYS, 40, 0},
        {RAY USE(11) USE(14) USE(17), .flow = CHK_FLOW_NONE},
        /* direct loads are in order, and v_interp_* themselves wait for them */
        {DIRECT(1) USE(1), CHK_FLOW_EXP, 1, 0},
        {DIRECT(1) WAIT_LDS(0) USE(1), CHK_FLOW_EXP, 1, 0},
        {DIRECT(1) WAIT_EXP(0) USE(1), .flow = CHK_FLOW_NONE},
        {DIRECT(1) DIRECT(5) WAIT_EXP(1) USE(1), .flow = CHK_FLOW_NONE},
        {DIRECT(1) DIRECT(5) WAIT_EXP(1) USE(5), CHK_FLOW_EXP, 5, 0},
        {DIRECT(1) DIRECT(1) WAIT_EXP(0) USE(1), .flow = CHK_FLOW_NONE},
        {DIRECT(1) INTERPOLATE(0), .flow = CHK_FLOW_NONE},
        {DIRECT(1) INTERPOLATE(7), CHK_FLOW_EXP, 1, 0},
        {DIRECT(1) DIRECT(5) INTERPOLATE(1), .flow = CHK_FLOW_NONE},
        {DIRECT(5) DIRECT(2) INTERPOLATE(1), CHK_FLOW_EXP, 2, 0},
        /* answers come as scalar loads do */
        {STATE "s_mov_b32 s4, s3\n", CHK_FLOW_ANY, CHK_REG_SCALAR + 3, 0},
        {STATE WAIT_ANSWER "s_mov_b32 s4, s3\n", .flow = CHK_FLOW_NONE},
        {MESSAGE "s_mov_b32 s4, s3\n", CHK_FLOW_ANY, CHK_REG_SCALAR + 3, 0},
        {MESSAGE WAIT_ANSWER "s_mov_b32 s4, s3\n", .flow = CHK_FLOW_NONE},
    };
    (void)state;
    if (!asm_knows_gpu("gfx1100")) skip();
    hazard_arch = isa_arch_named("gfx1201");
    asm_set_gpu("gfx1100");
    const isa_wave_t w = hazard_wave();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const seen_t seen = program_step(rows[k].text, &w, true);
        const bool found = rows[k].flow != CHK_FLOW_NONE;
        if (seen.n != found ||
            (found && (!seen.at_end || seen.last.flow != rows[k].flow ||
                       seen.last.reg != rows[k].reg || seen.last.behind != rows[k].behind)))
            fail_msg("%u found: flow %u, register %u, %u behind, in\n%s", seen.n, seen.last.flow,
                     seen.last.reg, seen.last.behind, rows[k].text);
    }
    hazard_arch = ASM_ARCH;
    asm_set_gpu("gfx90a");
}

/* ---- kinds of vector memory that one counter counts ---- */

static void kinds(void **state)
{
#define TEXEL     "image_load v2, v[4:5], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D\n"
#define SAMPLE_10 "image_sample_lz v2, v[4:5], s[16:23], s[24:27] dmask:0x1 dim:SQ_RSRC_IMG_2D\n"
#define RAY_10    "image_bvh_intersect_ray v[2:5], v[16:31], s[4:7]\n"
    static const struct {
        const char *text;
        bool found; /* that the last instruction writes v2 too early */
    } rows[] = {
        {TEXEL TEXEL, false},
        {SAMPLE_10 SAMPLE_10, false},
        {RAY_10 RAY_10, false},
        {LOAD(2) TEXEL, false},
        {LOAD(2) SAMPLE_10, true},
        {SAMPLE_10 LOAD(2), true},
        {RAY_10 LOAD(2), true},
        {SAMPLE_10 "s_waitcnt vmcnt(0)\n" LOAD(2), false},
        {"flat_load_dword v2, v[0:1]\n" LOAD(2), false},
        {"flat_load_dword v2, v[0:1]\n" SAMPLE_10, true},
    };
    (void)state;
    if (!asm_knows_gpu("gfx1030")) skip();
    hazard_arch = isa_arch_named("gfx1030");
    asm_set_gpu("gfx1030");
    const isa_wave_t w = hazard_wave();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const seen_t seen = program_step(rows[k].text, &w, true);
        if (seen.n != rows[k].found ||
            (rows[k].found &&
             (!seen.at_end || seen.last.kind != CHK_HAZARD_OVERWRITE || seen.last.reg != 2)))
            fail_msg("%u found: register %u, in\n%s", seen.n, seen.last.reg, rows[k].text);
    }
    hazard_arch = ASM_ARCH;
    asm_set_gpu("gfx90a");
}

/* ---- halves of registers ---- */

#define LOAD_LOW(v)  "ds_load_u16_d16 v" #v ", v0\n"
#define LOAD_HIGH(v) "ds_load_u16_d16_hi v" #v ", v0\n"
#define WAITED       "s_waitcnt lgkmcnt(0)\n"
#define BUFFER(how)  "buffer_" how "_format_x v2, off, s[8:11], 0\n"

typedef struct {
    const char *text;
    int kind; /* or NONE */
    unsigned half, behind;
} half_t;

/* VALU may not touch a register of which a half is being loaded; a store may read the other half.
 */
static const half_t with_halves[] = {
    {LOAD_HIGH(2) "v_cvt_f32_f16 v9, v2\n", CHK_HAZARD_READ, CHK_HIGH, 0},
    {LOAD_LOW(2) "v_cvt_f32_f16 v9, v2\n", CHK_HAZARD_READ, CHK_LOW, 0},
    {LOAD_LOW(2) "v_fma_f16 v9, v2, v1, v1 op_sel:[1,0,0,0]\n", CHK_HAZARD_READ, CHK_LOW, 0},
    {LOAD_HIGH(2) WAITED "v_cvt_f32_f16 v9, v2\n", .kind = NONE},
    {LOAD_LOW(2) WAITED "v_fma_f16 v9, v2, v1, v1 op_sel:[1,0,0,0]\n", .kind = NONE},
    {LOAD_HIGH(2) LOAD_LOW(3) "s_waitcnt lgkmcnt(1)\n v_cvt_f32_f16 v9, v2\n", .kind = NONE},
    {LOAD_HIGH(2) "v_add_f16 v2, v1, v1\n", CHK_HAZARD_OVERWRITE, CHK_HIGH, 0},
    {LOAD_HIGH(2) "v_mov_b32 v9, v2\n", CHK_HAZARD_READ, CHK_HIGH, 0},
    {LOAD_HIGH(2) "ds_load_b32 v3, v2\n", CHK_HAZARD_READ, CHK_HIGH, 0},
    {LOAD_HIGH(2) "ds_store_b16 v0, v2\n", .kind = NONE},
    {LOAD_HIGH(2) "ds_store_b8 v0, v2\n", .kind = NONE},
    {LOAD_HIGH(2) "global_store_b16 v[0:1], v2, off\n", .kind = NONE},
    {LOAD_HIGH(2) "ds_store_b16_d16_hi v0, v2\n", CHK_HAZARD_READ, CHK_HIGH, 0},
    {LOAD_HIGH(2) "ds_store_b32 v0, v2\n", CHK_HAZARD_READ, CHK_HIGH, 0},
    {LOAD_LOW(2) "ds_store_b16_d16_hi v0, v2\n", .kind = NONE},
    {LOAD_LOW(2) "ds_store_b16 v0, v2\n", CHK_HAZARD_READ, CHK_LOW, 0},
    /* both halves, in order; of two loads the second is waited for */
    {LOAD_HIGH(2) LOAD_LOW(2) WAITED "v_mov_b32 v9, v2\n", .kind = NONE},
    {LOAD_HIGH(2) LOAD_LOW(2) "v_mov_b32 v9, v2\n", CHK_HAZARD_READ, CHK_WHOLE, 0},
    {LOAD_HIGH(2) LOAD_LOW(2) "ds_store_b16 v0, v2\n", CHK_HAZARD_READ, CHK_WHOLE, 0},
    {LOAD_HIGH(2) WAITED LOAD_LOW(2) "ds_store_b16 v0, v2\n", CHK_HAZARD_READ, CHK_LOW, 0},
    /* each half comes by itself; a load of it again is the one that counts */
    {LOAD_HIGH(2) LOAD_LOW(2) "s_waitcnt lgkmcnt(1)\n ds_store_b16_d16_hi v0, v2\n", .kind = NONE},
    {LOAD_HIGH(2) LOAD_LOW(2) "s_waitcnt lgkmcnt(1)\n ds_store_b16 v0, v2\n", CHK_HAZARD_READ,
     CHK_LOW, 0},
    {LOAD_HIGH(2) LOAD_LOW(2) "s_waitcnt lgkmcnt(1)\n v_mov_b32 v9, v2\n", CHK_HAZARD_READ, CHK_LOW,
     0},
    {LOAD_HIGH(2) LOAD_LOW(2) "ds_store_b16_d16_hi v0, v2\n", CHK_HAZARD_READ, CHK_WHOLE, 1},
    {LOAD_HIGH(2) LOAD_LOW(2) LOAD_HIGH(2) "s_waitcnt lgkmcnt(1)\n ds_store_b16_d16_hi v0, v2\n",
     CHK_HAZARD_READ, CHK_HIGH, 0},
    {LANES(15) LOAD_HIGH(2) LANES(48) LOAD_LOW(2) "ds_store_b16_d16_hi v0, v2\n", .kind = NONE},
    {LANES(15) LOAD_HIGH(2) LANES(48) LOAD_LOW(2) LANES(15) "ds_store_b16 v0, v2\n", .kind = NONE},
    {LANES(15) LOAD_HIGH(2) LANES(48) LOAD_HIGH(2) LANES(15) "ds_store_b16_d16_hi v0, v2\n",
     CHK_HAZARD_READ, CHK_HIGH, 0},
    {"ds_load_b32 v2, v0\n" LOAD_LOW(2) "ds_store_b16_d16_hi v0, v2\n", CHK_HAZARD_READ, CHK_WHOLE,
     0},
    /* of elements with a format, too, if it is one component */
    {BUFFER("load_d16") "ds_store_b16 v0, v2\n", CHK_HAZARD_READ, CHK_LOW, 0},
    {BUFFER("load_d16") "ds_store_b16_d16_hi v0, v2\n", .kind = NONE},
    {BUFFER("load_d16_hi") BUFFER("store_d16"), .kind = NONE},
    {BUFFER("load_d16_hi") BUFFER("store_d16_hi"), CHK_HAZARD_READ, CHK_HIGH, 0},
    {"tbuffer_load_d16_format_x v2, off, s[8:11], 0 format:22\n ds_store_b16_d16_hi v0, v2\n",
     .kind = NONE},
    {"buffer_load_d16_format_xy v2, off, s[8:11], 0\n ds_store_b16_d16_hi v0, v2\n",
     CHK_HAZARD_READ, CHK_WHOLE, 0},
    /* loads of different counters come in any order */
    {LOAD_HIGH(2) "global_load_d16_b16 v2, v[0:1], off\n", CHK_HAZARD_OVERWRITE, CHK_HIGH, 0},
    /* what is no D16 load fills the register */
    {"ds_load_u16 v2, v0\n ds_store_b16_d16_hi v0, v2\n", CHK_HAZARD_READ, CHK_WHOLE, 0},
};

/* gfx1201, with waits of its own. The words are LLVM 22's of global_load_d16_b16 v2, v[0:1], off
 * and of global_load_d16_hi_b16, the same. */
#define GLOBAL_LOW  ".long 0xee08007c, 0x00000002, 0x00000000\n"
#define GLOBAL_HIGH ".long 0xee08c07c, 0x00000002, 0x00000000\n"
static const half_t halves_of_gfx12[] = {
    {LOAD_HIGH(2) "v_cvt_f32_f16 v9, v2\n", CHK_HAZARD_READ, CHK_HIGH, 0},
    {LOAD_LOW(2) "v_cvt_f32_f16 v9, v2\n", CHK_HAZARD_READ, CHK_LOW, 0},
    {LOAD_HIGH(2) WAIT_LDS(0) "v_cvt_f32_f16 v9, v2\n", .kind = NONE},
    {LOAD_HIGH(2) WAIT_LOADS(0) "v_cvt_f32_f16 v9, v2\n", CHK_HAZARD_READ, CHK_HIGH, 0},
    {LOAD_HIGH(2) "v_add_f16 v2, v1, v1\n", CHK_HAZARD_OVERWRITE, CHK_HIGH, 0},
    {LOAD_HIGH(2) "ds_store_b16 v0, v2\n", .kind = NONE},
    {LOAD_HIGH(2) "ds_store_b16_d16_hi v0, v2\n", CHK_HAZARD_READ, CHK_HIGH, 0},
    {LOAD_HIGH(2) LOAD_LOW(2) WAIT_LDS(1) "ds_store_b16_d16_hi v0, v2\n", .kind = NONE},
    {LOAD_HIGH(2) LOAD_LOW(2) WAIT_LDS(1) "ds_store_b16 v0, v2\n", CHK_HAZARD_READ, CHK_LOW, 0},
    {LOAD_HIGH(2) LOAD_LOW(2) WAIT_LDS(0) "v_mov_b32 v9, v2\n", .kind = NONE},
    /* vector memory writes in any order, but each half of a register is safe from the other */
    {GLOBAL_HIGH GLOBAL_LOW WAIT_LOADS(0) USE(2), .kind = NONE},
    {GLOBAL_HIGH GLOBAL_HIGH, CHK_HAZARD_OVERWRITE, CHK_HIGH, 0},
    {GLOBAL_HIGH LOAD_LOW(2), CHK_HAZARD_OVERWRITE, CHK_HIGH, 0},
};

/* gfx1030: LLVM knows no halves there. */
static const half_t without_halves[] = {
    {"ds_read_u16_d16_hi v2, v0\n ds_write_b16 v0, v2\n", CHK_HAZARD_READ, CHK_WHOLE, 0},
    {"ds_read_u16_d16_hi v2, v0\n v_cvt_f32_f16 v9, v2\n", CHK_HAZARD_READ, CHK_WHOLE, 0},
};

static void check_halves(const char *gpu, const char *assembled, const half_t *rows, size_t n)
{
    if (!asm_knows_gpu(assembled)) skip();
    hazard_arch = isa_arch_named(gpu);
    asm_set_gpu(assembled);
    const isa_wave_t w = hazard_wave();
    for (size_t k = 0; k < n; k++) {
        const seen_t seen = program_step(rows[k].text, &w, true);
        const bool found = rows[k].kind != NONE;
        if (seen.n != found ||
            (found && (!seen.at_end || (int)seen.last.kind != rows[k].kind || seen.last.reg != 2 ||
                       seen.last.half != rows[k].half || seen.last.behind != rows[k].behind)))
            fail_msg("%s: %u found: kind %d, register %u, half %u, %u behind, in\n%s", gpu, seen.n,
                     (int)seen.last.kind, seen.last.reg, seen.last.half, seen.last.behind,
                     rows[k].text);
    }
    hazard_arch = ASM_ARCH;
    asm_set_gpu("gfx90a");
}

static void halves(void **state)
{
    (void)state;
    check_halves("gfx1100", "gfx1100", with_halves, sizeof with_halves / sizeof *with_halves);
    check_halves("gfx1151", "gfx1100", with_halves, sizeof with_halves / sizeof *with_halves);
    check_halves("gfx1201", "gfx1100", halves_of_gfx12,
                 sizeof halves_of_gfx12 / sizeof *halves_of_gfx12);
    check_halves("gfx1030", "gfx1030", without_halves,
                 sizeof without_halves / sizeof *without_halves);
}

/* ---- quads of lanes ---- */

/* A direct load writes all lanes of a quad, and v_interp_p10_f32 reads lane 1 of the first source,
 * its own lane of the second and lane 0 of the third, on or not. */
static void quads(void **state)
{
#define DIRECT_11 "lds_direct_load v2\n"
#define P10       "v_interp_p10_f32 v9, v2, v3, v4 wait_exp:7\n"
    static const struct {
        const char *text;
        unsigned reg; /* 0: nothing is found */
    } rows[] = {
        {LANES(1) DIRECT_11 LANES(8) USE(2), 2},
        {LANES(1) DIRECT_11 LANES(8) "v_mov_b32 v2, 0\n", 2},
        {LANES(1) DIRECT_11 LANES(16) USE(2), 0},
        {LANES(1) LOAD_32(2) LANES(8) DIRECT_11, 2},
        {LANES(16) LOAD_32(2) LANES(8) DIRECT_11, 0},
        {LANES(2) LOAD_32(2) LANES(8) P10, 2},
        {LANES(1) LOAD_32(2) LANES(8) P10, 0},
        {LANES(0x20) LOAD_32(2) LANES(8) P10, 0},
        {LANES(8) LOAD_32(3) LANES(8) P10, 3},
        {LANES(4) LOAD_32(3) LANES(8) P10, 0},
        {LANES(1) LOAD_32(4) LANES(8) P10, 4},
        {LANES(2) LOAD_32(4) LANES(8) P10, 0},
        {LANES(8) LOAD_32(9) LANES(8) P10, 9},
        {LANES(4) LOAD_32(9) LANES(8) P10, 0},
    };
    (void)state;
    if (!asm_knows_gpu("gfx1100")) skip();
    hazard_arch = isa_arch_named("gfx1100");
    asm_set_gpu("gfx1100");
    const isa_wave_t w = hazard_wave();
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const seen_t seen = program_step(rows[k].text, &w, true);
        const bool found = rows[k].reg != 0;
        if (seen.n != found || (found && (!seen.at_end || seen.last.reg != rows[k].reg)))
            fail_msg("%u found: register %u, in\n%s", seen.n, seen.last.reg, rows[k].text);
    }
    hazard_arch = ASM_ARCH;
    asm_set_gpu("gfx90a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads),     cmocka_unit_test(not_known),     cmocka_unit_test(scc),
        cmocka_unit_test(scattered), cmocka_unit_test(counted_apart), cmocka_unit_test(halves),
        cmocka_unit_test(quads),     cmocka_unit_test(kinds),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
