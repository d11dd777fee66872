/* gpus.c - what the checks say of instructions that gfx90a does not have, and of workgroups of 32
 * waves, in kernels of gfx942, gfx950, gfx1030, gfx1100 and gfx1201 that run on the device without
 * a runtime.
 *
 * HIP of this system may not know these GPUs: kernels are assembled, and words stand for
 * instructions that the assembler may not know. A report is read from the file that the checks
 * write.
 */
#include "rig.h"

#include "asm.h"
#include "softgpu/check/init.h"
#include "softgpu/check/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { GFX942 = 90402, GFX950 = 90500, GFX1030 = 100300, GFX1100 = 110000, GFX1201 = 120001 };

static char report[] = "/tmp/crocprof-check-gpus-XXXXXX";

/* Of each kernel: the program's memory, of which nobody has written more than prepare() writes. */
enum { MEMORY_BYTES = 1024 };
static void (*prepare)(uint32_t *memory);

/* The memory to which s[0:1] point. An earlier rig's memory of the same address may be what the
 * checker looks at to see what the host writes: that is written as well. */
static uint64_t make_memory(rig_t *r)
{
    const chk_stack_t nowhere = {0};
    chk_bytes_memo_t memo = {0};
    const uint64_t va = rig_alloc(r, MEMORY_BYTES);
    if (!prepare) return va;
    assert_int_not_equal(chk_place_add(va, MEMORY_BYTES, "hipMalloc", 0, &nowhere), 0);
    chk_bytes_made(va, MEMORY_BYTES);
    chk_bytes_t *watched = chk_bytes_find(&memo, va);
    assert_non_null(watched);
    prepare(rig_ptr(r, va));
    prepare((uint32_t *)(void *)watched->host);
    return va;
}

static void end_memory(uint64_t va)
{
    const chk_stack_t nowhere = {0};
    chk_place_t p;
    if (!prepare) return;
    assert_true(chk_place_at(va, &p));
    chk_place_end(va, p.serial, "hipFree", &nowhere, false);
    chk_bytes_going(va, MEMORY_BYTES);
}

/* Runs one workgroup; what has been written of it, in a buffer of the function. */
static const char *told(uint32_t gpu, const char *text, uint32_t waves)
{
    static char found[1 << 16];
    const bool narrow = gpu >= GFX1030, later = gpu >= GFX1100;
    const uint32_t lanes = narrow ? 32 : 64;
    const rig_kernel_t how = {.rsrc2 = 1, .properties = narrow ? 1 << 10 : 0}; /* waves of 32 */
    rig_queue_t q;
    asm_set_gpu(later ? "gfx1100" : narrow ? "gfx1030" : "gfx942");
    assert_int_equal(truncate(report, 0), 0);
    rig_t *r = rig_create_gpu(gpu, 1, 1);
    assert_true(rig_aql(r, &q));
    const uint64_t signal = rig_signal(r, 1), memory = make_memory(r);
    q.descriptor->compute_tmpring_size = 64 | (later ? 4u : 1u) << 12; /* 64 waves of 1 KiB */
    q.descriptor->scratch_backing_memory_location = rig_alloc(r, 64 << 10);
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = rig_kernel(r, text, &how),
                                       .args = memory,
                                       .signal = signal,
                                       .lds = 4096,
                                       .scratch = 16,
                                       .grid = {lanes * waves},
                                       .group = {lanes * waves}});
    if (!rig_wait(r, signal, 0)) fail_msg("%s", r->error_text);
    assert_int_equal(r->faults + r->errors, 0);
    rig_close(&q); /* which waits until the dispatch has been reported */
    end_memory(memory);
    rig_destroy(r);
    FILE *f = fopen(report, "r");
    assert_non_null(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    return found;
}

static void says(const char *report_of, const char *part)
{
    if (!strstr(report_of, part)) fail_msg("no \"%s\" in \"%s\"", part, report_of);
}

/* Lane 5 does not write its eight bytes of LDS, which are elements 4 to 7 of the second row of a
 * matrix of 16 bits: read as columns, lanes 4 to 7 lack the second element of theirs. */
#define MATRIX(leave_out, half)                                                                    \
    "v_and_b32 v0, 0x3ff, v0\n"                                                                    \
    "v_lshlrev_b32 v1, 3, v0\n"                                                                    \
    "v_mov_b32 v2, 1\n"                                                                            \
    "v_mov_b32 v3, 1\n"                                                                            \
    "s_mov_b64 s[6:7], exec\n" leave_out "ds_write_b64 v1, v[2:3]\n"                               \
    "s_mov_b64 exec, s[6:7]\n"                                                                     \
    "s_waitcnt lgkmcnt(0)\n"                                                                       \
    ".long 0xd9c60000, 0x02000001\n" /* ds_read_b64_tr_b16 v[2:3], v1 */                           \
    "s_waitcnt lgkmcnt(0)\n"                                                                       \
    "v_and_b32 v2, " half ", v2\n"                                                                 \
    "v_cmp_eq_u32 vcc, 0, v2\n"                                                                    \
    "s_and_saveexec_b64 s[6:7], vcc\n"                                                             \
    "s_endpgm\n"

static void loads_that_transpose(void **state)
{
    (void)state;
    const char *found = told(GFX950, MATRIX("s_bitset0_b32 exec_lo, 5\n", "0xffff0000"), 1);
    says(found, "a condition of what nobody has written, lane 4 of wave 0");
    says(found, "4 lanes of this wave");
    assert_string_equal(told(GFX950, MATRIX("", "0xffff0000"), 1), "");
}

/* A wave reads LDS into which another has a load from its scratch bring data. */
#define FROM_SCRATCH(barrier)                                                                      \
    "v_and_b32 v0, 0x3ff, v0\n"                                                                    \
    "v_readfirstlane_b32 s6, v0\n"                                                                 \
    "s_cmp_lg_u32 s6, 0\n"                                                                         \
    "s_cbranch_scc1 other\n"                                                                       \
    "s_mov_b32 m0, 0\n"                                                                            \
    "v_mov_b32 v1, 7\n"                                                                            \
    "scratch_store_dword off, v1, off\n"                                                           \
    "s_waitcnt vmcnt(0)\n"                                                                         \
    "scratch_load_lds_dword off, off\n"                                                            \
    "s_waitcnt vmcnt(0)\n"                                                                         \
    "other:\n" barrier "s_cmp_eq_u32 s6, 0\n"                                                      \
    "s_cbranch_scc1 end\n"                                                                         \
    "v_subrev_u32 v0, 64, v0\n"                                                                    \
    "v_lshlrev_b32 v0, 2, v0\n"                                                                    \
    "ds_read_b32 v1, v0\n"                                                                         \
    "s_waitcnt lgkmcnt(0)\n"                                                                       \
    "end:\n"                                                                                       \
    "s_endpgm\n"

static void loads_from_scratch_into_lds(void **state)
{
    (void)state;
    says(told(GFX942, FROM_SCRATCH(""), 2), "race in LDS");
    assert_string_equal(told(GFX942, FROM_SCRATCH("s_barrier\n"), 2), "");
}

/* One wave stores in LDS or in memory, and another reads that. */
#define FAR_WAVES(storing, store, barrier, loading, load)                                          \
    "v_and_b32 v0, 0x3ff, v0\n"                                                                    \
    "v_readfirstlane_b32 s6, v0\n"                                                                 \
    "s_lshr_b32 s6, s6, 5\n"                                                                       \
    "v_mov_b32 v1, 0\n"                                                                            \
    "v_mov_b32 v2, 7\n"                                                                            \
    "s_cmp_eq_u32 s6, " storing "\n"                                                               \
    "s_cbranch_scc0 other\n" store "other:\n" barrier "s_cmp_eq_u32 s6, " loading "\n"             \
    "s_cbranch_scc0 end\n" load "end:\n"                                                           \
    "s_endpgm\n"

/* Of 32 waves only the last bit of the number tells these two apart. */
#define IN_LDS(barrier)                                                                            \
    FAR_WAVES("1", "ds_write_b32 v1, v2\n s_waitcnt lgkmcnt(0)\n", barrier, "17",                  \
              "ds_read_b32 v3, v1\n s_waitcnt lgkmcnt(0)\n")
#define IN_MEMORY(barrier)                                                                         \
    FAR_WAVES("1", "global_store_dword v1, v2, s[0:1]\n s_waitcnt_vscnt null, 0x0\n", barrier,     \
              "17", "global_load_dword v3, v1, s[0:1]\n s_waitcnt vmcnt(0)\n")

/* The last of them stores, and waits or does not. */
#define FROM_THE_LAST(wait)                                                                        \
    FAR_WAVES("31", "ds_write_b32 v1, v2\n" wait, "s_barrier\n", "0",                              \
              "ds_read_b32 v3, v1\n s_waitcnt lgkmcnt(0)\n")

static void workgroups_of_32_waves(void **state)
{
    (void)state;
    if (!asm_knows_gpu("gfx1030")) skip();
    const char *found = told(GFX1030, IN_LDS(""), 32);
    says(found, "race in LDS");
    says(found, "wave 1,");
    says(found, "wave 17");
    assert_string_equal(told(GFX1030, IN_LDS("s_barrier\n"), 32), "");
    found = told(GFX1030, IN_MEMORY(""), 32);
    says(found, "error: race of 4 bytes");
    says(found, "wave 1,");
    says(found, "wave 17");
    assert_string_equal(told(GFX1030, IN_MEMORY("s_barrier\n"), 32), "");
    assert_string_equal(told(GFX1030, FROM_THE_LAST("s_waitcnt lgkmcnt(0)\n"), 32), "");
    found = told(GFX1030, FROM_THE_LAST(""), 32);
    says(found, "read of LDS that has not been written");
    says(found, "outstanding, wave 31");
}

/* A wave stores in `n` dwords and does not wait; another one reads the first of them. */
#define STORES(n)                                                                                  \
    FAR_WAVES("1", ".rept " n "\n ds_store_b32 v1, v2\n v_add_nc_u32 v1, 4, v1\n .endr\n",         \
              "s_barrier\n", "0", "ds_load_b32 v3, v1\n s_waitcnt lgkmcnt(0)\n")

/* Of 64 the first has returned when the last is issued: the counter goes to 63. */
static void as_many_as_are_counted(void **state)
{
    (void)state;
    assert_string_equal(told(GFX1100, STORES("64"), 2), "");
    says(told(GFX1100, STORES("63"), 2), "read of LDS that has not been written");
}

#define GO_ON_BY(compare) compare "\n s_and_b32 exec_lo, exec_lo, vcc_lo\n s_endpgm\n"

/* Two operations of one instruction read before either writes; one of them reads v11, which nobody
 * has written. */
#define EXCHANGED(look)                                                                            \
    "v_mov_b32 v10, 1\n v_dual_mov_b32 v10, v11 :: v_dual_mov_b32 v11, v10\n" GO_ON_BY(            \
        "v_cmp_eq_u32 vcc_lo, 1, " look)

static void pairs_of_operations(void **state)
{
    (void)state;
    /* first what is right: a finding at the same place would not be told again */
    assert_string_equal(told(GFX1100, EXCHANGED("v11"), 1), "");
    says(told(GFX1100, EXCHANGED("v10"), 1), "the wave has never written v11");
}

/* v_mov_b16 v10.l, 1.0; v_cvt_f32_f16 v11, v10.l or v10.h: half of the register is written. */
#define LOWER_HALF(convert)                                                                        \
    ".long 0x7e1438f2, " convert "\n" GO_ON_BY("v_cmp_eq_f32 vcc_lo, 1.0, v11")

static void halves_of_registers(void **state)
{
    (void)state;
    assert_string_equal(told(GFX1100, LOWER_HALF("0x7e16170a"), 1), "");
    says(told(GFX1100, LOWER_HALF("0x7e16178a"), 1), "the wave has never written v10");
}

/* 16 lanes of v11 are not written, and no lane of v12, which is written over. */
#define WRITTEN_OVER                                                                               \
    "s_mov_b32 exec_lo, 0xffff\n v_mov_b32 v11, 1\n s_mov_b32 exec_lo, -1\n"                       \
    "v_mov_b32 v12, v11\n" GO_ON_BY("v_cmp_eq_u32 vcc_lo, 1, v12")

static void source_of_a_copy(void **state)
{
    (void)state;
    const char *found = told(GFX1100, WRITTEN_OVER, 1);
    says(found, "16 lanes of this wave");
    says(found, "the wave has never written v11");
}

/* Four lanes are on, among which v11 is moved to v12 by one lane: the first of them keeps v12,
 * which nobody has written, until 0 is written there. */
#define MOVED_BY_A_LANE(before)                                                                    \
    before "s_mov_b32 exec_lo, 15\n"                                                               \
           "v_mov_b32_dpp v12, v11 row_shr:1 row_mask:0xf bank_mask:0xf\n"                         \
           "s_mov_b32 exec_lo, 1\n v_mov_b32 v12, 0\n s_mov_b32 exec_lo, 15\n" GO_ON_BY(           \
               "v_cmp_eq_u32 vcc_lo, 1, v12")

static void source_of_a_move_between_lanes(void **state)
{
    (void)state;
    /* v11 is written in all other lanes */
    const char *found =
        told(GFX1100, MOVED_BY_A_LANE("s_mov_b32 exec_lo, ~15\n v_mov_b32 v11, 1\n"), 1);
    says(found, "3 lanes of this wave");
    says(found, "the wave has never written v11");
    /* or in these lanes alone, with v10; a finding at the same place would not be told again */
    found =
        told(GFX1100, MOVED_BY_A_LANE("s_nop 0\n s_mov_b32 exec_lo, 15\n v_mov_b32 v11, v10\n"), 1);
    says(found, "3 lanes of this wave");
    says(found, "the wave has never written v10");
}

/* Each of two waves stores in LDS and reads what the other has stored. Words are instructions that
 * the assembler may not know. */
#define EXCHANGE(first, second, third) EXCHANGE_AND(first, second, third, LDS_HAS_COME)
#define EXCHANGE_AND(first, second, third, then)                                                   \
    "v_and_b32 v0, 0x3ff, v0\n"                                                                    \
    "v_lshlrev_b32 v1, 2, v0\n"                                                                    \
    "v_xor_b32 v2, 0x80, v1\n"                                                                     \
    "ds_store_b32 v1, v0\n" first second third "ds_load_b32 v3, v2\n" then "s_endpgm\n"
#define LDS_HAS_COME ".long 0xbfc60000\n" /* s_wait_dscnt 0 */
#define SIGNAL       ".long 0xbe804ec1\n" /* s_barrier_signal -1 */
#define SIGNAL_FIRST ".long 0xbe804fc1\n" /* s_barrier_signal_isfirst -1 */
#define WAIT         ".long 0xbf94ffff\n" /* s_barrier_wait -1 */

static void split_barriers(void **state)
{
    (void)state;
    assert_string_equal(told(GFX1201, EXCHANGE(LDS_HAS_COME, SIGNAL, WAIT), 2), "");
    assert_string_equal(told(GFX1201, EXCHANGE(LDS_HAS_COME, SIGNAL_FIRST, WAIT), 2), "");
    says(told(GFX1201, EXCHANGE(LDS_HAS_COME, "", ""), 2), "race in LDS");
    says(told(GFX1201, EXCHANGE(LDS_HAS_COME, "", SIGNAL), 2), "race in LDS");
    says(told(GFX1201, EXCHANGE(SIGNAL, LDS_HAS_COME, WAIT), 2),
         "s_wait_dscnt before s_barrier_signal waits for it");
    says(told(GFX1201, EXCHANGE(SIGNAL, WAIT, ""), 2), "read of LDS that has not been written");
}

/* The waves then store where the other has read: that has to have returned at the signal. */
#define STORE_AGAIN(first, second)                                                                 \
    EXCHANGE_AND(LDS_HAS_COME, SIGNAL, WAIT, first second WAIT "ds_store_b32 v1, v0\n")

static void reads_before_split_barriers(void **state)
{
    (void)state;
    assert_string_equal(told(GFX1201, STORE_AGAIN(LDS_HAS_COME, SIGNAL), 2), "");
    says(told(GFX1201, STORE_AGAIN(SIGNAL, LDS_HAS_COME), 2),
         "write to LDS that may come too early");
}

/* image_sample_lz of a descriptor of zeros, to v20 and to v22: words, as above. */
#define SAMPLED(wait)                                                                              \
    "s_mov_b64 s[16:17], 0\n s_mov_b64 s[18:19], 0\n s_mov_b64 s[20:21], 0\n"                      \
    "s_mov_b64 s[22:23], 0\n s_mov_b64 s[24:25], 0\n s_mov_b64 s[26:27], 0\n"                      \
    "v_mov_b32 v8, 0\n v_mov_b32 v9, 0\n"                                                          \
    ".long 0xe447c001, 0x0c002014, 0x00000908\n"                                                   \
    ".long 0xe447c001, 0x0c002016, 0x00000908\n" wait "v_mov_b32 v1, v20\n s_endpgm\n"

static void waits_for_samples(void **state)
{
    (void)state;
    assert_string_equal(told(GFX1201, SAMPLED(".long 0xbfc20001\n"), 1), "");
    assert_string_equal(told(GFX1201, SAMPLED(".long 0xbf8a0000\n"), 1), ""); /* s_wait_idle */
    says(told(GFX1201, SAMPLED(""), 1),
         "v20 is read; of 2 operations outstanding 1 came after its own: s_wait_samplecnt 0x1 "
         "waits for it");
}

/* Wave 1 ends in front of the barrier at which wave 0 waits, or comes to another one; or both go on
 * in the same way. */
#define APART(here, there) APART_AND(here "s_endpgm\n", there, "")
#define APART_AND(here, there, then)                                                               \
    "v_and_b32 v0, 0x3ff, v0\n"                                                                    \
    "v_readfirstlane_b32 s6, v0\n"                                                                 \
    "s_cmp_lg_u32 s6, 0\n"                                                                         \
    "s_cbranch_scc1 other\n" here "s_branch both\n"                                                \
    "other:\n" there "both:\n" then "s_endpgm\n"

static void waves_at_split_barriers(void **state)
{
    (void)state;
    says(told(GFX1201, APART(SIGNAL WAIT, ""), 2), "waves have ended while others wait");
    says(told(GFX1201, APART(SIGNAL WAIT, SIGNAL WAIT), 2), "waves wait at different barriers");
    says(told(GFX1201, SIGNAL "s_nop 0\n" APART(WAIT, WAIT), 2),
         "waves wait at different barriers");
    assert_string_equal(told(GFX1201, APART_AND(SIGNAL, SIGNAL, WAIT), 2), "");
    /* wave 1 signals for the second time before wave 0 has waited for the first, or itself has */
    assert_string_equal(told(GFX1201, APART_AND("", "", SIGNAL WAIT SIGNAL WAIT), 2), "");
    assert_string_equal(told(GFX1201, APART_AND(SIGNAL WAIT, SIGNAL, SIGNAL WAIT), 2), "");
}

/* ---- direct loads from LDS ---- */

#define DIRECT(m0)                                                                                 \
    "s_mov_b32 m0, " m0 "\n .long 0xce100004\n .long 0xbfc40000\n" /* ds_direct_load v4 */
#define STORE_AT(offset)                                                                           \
    "v_mov_b32 v1, " offset "\n v_mov_b32 v2, 1\n ds_store_b8 v1, v2\n" LDS_HAS_COME

static void direct_loads(void **state)
{
    (void)state;
    const char *condition = "a condition of what nobody has written";
    assert_string_equal(
        told(GFX1201, STORE_AT("0x40") DIRECT("0x40") GO_ON_BY("v_cmp_eq_u32 vcc_lo, 1, v4"), 1),
        "");
    says(told(GFX1201, DIRECT("0x40") GO_ON_BY("v_cmp_eq_u32 vcc_lo, 1, v4"), 1), condition);
    /* a signed byte, beside one that is written; of a dword, the bytes that are not */
    says(told(GFX1201,
              STORE_AT("0x41") DIRECT("0x40040") "v_and_b32 v4, 0x80000000, v4\n" GO_ON_BY(
                  "v_cmp_eq_u32 vcc_lo, 0, v4"),
              1),
         condition);
    assert_string_equal(told(GFX1201,
                             STORE_AT("0x41")
                                 DIRECT("0x20040") "v_and_b32 v4, 0xff00, v4\n" GO_ON_BY(
                                     "v_cmp_eq_u32 vcc_lo, 0x100, v4"),
                             1),
                        "");
    /* of a quad of which one lane is on, all get it */
    says(told(GFX1201,
              "s_mov_b32 exec_lo, 1\n" DIRECT("0x40") "s_mov_b32 exec_lo, 8\n" GO_ON_BY(
                  "v_cmp_eq_u32 vcc_lo, 1, v4"),
              1),
         "nobody has written, lane 3 of wave 0");
}

#define STORED_DIRECT(barrier)                                                                     \
    FAR_WAVES("1", "ds_store_b32 v1, v2\n" LDS_HAS_COME, barrier, "0", DIRECT("0x20000"))

static void races_of_direct_loads(void **state)
{
    (void)state;
    says(told(GFX1201, STORED_DIRECT(""), 2), "race in LDS");
    assert_string_equal(told(GFX1201, STORED_DIRECT(SIGNAL WAIT), 2), "");
}

/* Wave 1 has stored in LDS, wave 0 loads that directly and is past the next barrier; wave 1 then
 * stores there again. */
#define LATE_DIRECT(wait, barrier, store)                                                          \
    LATE(".long 0xce100004\n", LDS_HAS_COME, wait, barrier, store)
#define LATE_11(load, wait, store)                                                                 \
    LATE(load "\n", "s_waitcnt lgkmcnt(0)\n", wait, "s_barrier\n", store)
#define LATE(load, stored, wait, barrier, store)                                                   \
    "v_and_b32 v0, 0x3ff, v0\n v_readfirstlane_b32 s6, v0\n v_mov_b32 v1, 0\n v_mov_b32 v2, 7\n"   \
    "s_mov_b32 m0, 0x20000\n s_cmp_eq_u32 s6, 0\n s_cbranch_scc1 first\n"                          \
    "ds_store_b32 v1, v2\n" stored "first:\n" barrier                                              \
    "s_cmp_eq_u32 s6, 0\n s_cbranch_scc0 second\n" load wait "second:\n" barrier                   \
    "s_cmp_eq_u32 s6, 0\n s_cbranch_scc1 end\n ds_store_b32 v1, v2 " store "\n"                    \
    "end:\n s_endpgm\n"

static void direct_loads_at_barriers(void **state)
{
    (void)state;
    assert_string_equal(
        told(GFX1201, LATE_DIRECT(".long 0xbfc40000 ; s_wait_expcnt 0\n", SIGNAL WAIT, ""), 2), "");
    assert_string_equal(told(GFX1201, LATE_DIRECT("", SIGNAL WAIT, "offset:4"), 2), "");
    const char *found = told(GFX1201, LATE_DIRECT("", SIGNAL WAIT, ""), 2);
    says(found, "write to LDS that may come too early");
    says(found, "the read was outstanding when its wave came to the barrier: s_wait_expcnt before "
                "s_barrier_signal waits for it");
    /* a wait for LDS does not count it */
    says(told(GFX1201, LATE_DIRECT(LDS_HAS_COME, SIGNAL WAIT, ""), 2), "s_wait_expcnt before");
}

static void direct_loads_at_barriers_of_gfx11(void **state)
{
    (void)state;
    const char *direct = "the read was outstanding when its wave came to the barrier: s_waitcnt "
                         "expcnt before s_barrier waits for it";
#define DIRECT_11 "lds_direct_load v4"
    assert_string_equal(told(GFX1100, LATE_11(DIRECT_11, "s_waitcnt expcnt(0)\n", ""), 2), "");
    assert_string_equal(told(GFX1100, LATE_11(DIRECT_11, "", "offset:4"), 2), "");
    const char *found = told(GFX1100, LATE_11(DIRECT_11, "", ""), 2);
    says(found, "write to LDS that may come too early");
    says(found, direct);
    says(told(GFX1100, LATE_11(DIRECT_11, "s_waitcnt lgkmcnt(0)\n", ""), 2), direct);
    /* another load than a direct one; in front of it s_nop, so that nothing is told of the place
     * yet */
    says(told(GFX1100, LATE_11(".fill 9, 4, 0xbf800000\n ds_load_b32 v4, v1", "", ""), 2),
         "the read was outstanding when its wave came to the barrier: s_waitcnt before s_barrier");
}

/* ---- loads of memory that transpose ---- */

/* 16 bytes for each lane, of which those of lane 5 are not written. */
static void write_but_lane_5(uint32_t *memory)
{
    for (unsigned k = 0; k < MEMORY_BYTES / 4; k++)
        if (k / 4 != 5) memory[k] = 0x10001;
}

/* global_load_tr_b128 v[4:7], v1, s[0:1]: lanes 0 to 7 get half of v6 from lane 5. */
#define TILE(mask)                                                                                 \
    "v_and_b32 v0, 0x3ff, v0\n v_lshlrev_b32 v1, 4, v0\n"                                          \
    ".long 0xee15c000, 0x00000004, 0x00000001\n .long 0xbfc00000\n"                                \
    "v_and_b32 v6, " mask ", v6\n" GO_ON_BY("v_cmp_lt_u32 vcc_lo, 0, v6")

static void loads_of_tiles(void **state)
{
    (void)state;
    prepare = write_but_lane_5;
    assert_string_equal(told(GFX1201, TILE("0xffff"), 1), "");
    says(told(GFX1201, TILE("0xffff0000"), 1), "8 lanes of this wave");
    prepare = NULL;
}

/* ---- nodes of trees ---- */

static unsigned unwritten_dword; /* of the node */

/* A node with four children, whose boxes are the same: everything from -1 to 1. */
static void write_node(uint32_t *memory)
{
    enum { CHILDREN = 4, MINUS_1 = (int)0xbf800000, PLUS_1 = 0x3f800000 };
    for (unsigned k = 0; k < 32; k++) {
        if (k == unwritten_dword) continue;
        memory[k] = k < CHILDREN             ? 8 * (k + 1)
                    : (k - CHILDREN) % 6 < 3 ? (uint32_t)MINUS_1
                                             : PLUS_1;
    }
}

/* image_bvh_intersect_ray of a ray from the middle of the boxes on, and a look at a result. */
#define MEETS(result) MEETS_FROM("", result)
#define MEETS_FROM(origins, result)                                                                \
    "s_lshr_b64 s[4:5], s[0:1], 8\n s_mov_b32 s6, 1\n s_mov_b32 s7, 0x80000000\n"                  \
    "v_mov_b32 v9, 5\n v_mov_b32 v10, 4.0\n"                                                       \
    "v_mov_b32 v11, 0\n v_mov_b32 v12, 0\n v_mov_b32 v13, 0\n"                                     \
    "v_mov_b32 v14, 1.0\n v_mov_b32 v15, 1.0\n v_mov_b32 v16, 1.0\n"                               \
    "v_mov_b32 v17, 1.0\n v_mov_b32 v18, 1.0\n v_mov_b32 v19, 1.0\n" origins                       \
    "image_bvh_intersect_ray v[20:23], v[9:24], s[4:7]\n s_waitcnt vmcnt(0)\n" GO_ON_BY(           \
        "v_cmp_ne_u32 vcc_lo, -1, " result)

static const char *met(unsigned unwritten, const char *text)
{
    unwritten_dword = unwritten;
    return told(GFX1030, text, 1);
}

static void nodes_of_trees(void **state)
{
    enum { NAME_0 = 0, NAME_3 = 3, LOW_3 = 22, FLAGS = 28, BEHIND = 29, ALL = 32 };
    const char *condition = "a condition of what nobody has written";
    (void)state;
    if (!asm_knows_gpu("gfx1030")) skip();
    prepare = write_node;
    assert_string_equal(met(ALL, MEETS("v20")), "");
    assert_string_equal(met(BEHIND, MEETS("v23")), "");
    assert_string_equal(met(FLAGS, MEETS("v23")), ""); /* this GPU has none */
    assert_string_equal(met(LOW_3, MEETS("v20")), "");
    assert_string_equal(met(NAME_3, MEETS("v20")), "");
    says(met(LOW_3, MEETS("v23")), condition);
    says(met(NAME_0, "s_nop 0\n" MEETS("v20")), condition);
    /* 16 rays meet no box, so that the name has no effect: it still has on the rays behind them */
    says(met(NAME_0, "s_nop 0\n s_nop 0\n" MEETS_FROM("s_mov_b32 exec_lo, 0xffff\n"
                                                      "v_mov_b32 v11, 0x42c80000\n"
                                                      "s_mov_b32 exec_lo, -1\n",
                                                      "v20")),
         "16 lanes of this wave");
    prepare = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_that_transpose),
                                       cmocka_unit_test(pairs_of_operations),
                                       cmocka_unit_test(halves_of_registers),
                                       cmocka_unit_test(source_of_a_copy),
                                       cmocka_unit_test(source_of_a_move_between_lanes),
                                       cmocka_unit_test(workgroups_of_32_waves),
                                       cmocka_unit_test(as_many_as_are_counted),
                                       cmocka_unit_test(loads_from_scratch_into_lds),
                                       cmocka_unit_test(split_barriers),
                                       cmocka_unit_test(waves_at_split_barriers),
                                       cmocka_unit_test(waits_for_samples),
                                       cmocka_unit_test(reads_before_split_barriers),
                                       cmocka_unit_test(direct_loads),
                                       cmocka_unit_test(races_of_direct_loads),
                                       cmocka_unit_test(direct_loads_at_barriers),
                                       cmocka_unit_test(direct_loads_at_barriers_of_gfx11),
                                       cmocka_unit_test(loads_of_tiles),
                                       cmocka_unit_test(nodes_of_trees)};
    if (!asm_available() || !asm_takes_gpu("gfx942") || !asm_knows_gpu("gfx1100")) return 77;
    const int file = mkstemp(report);
    if (file < 0) return 1;
    close(file);
    setenv("SOFTGPU_CHECK", "init,race,sync,hazard", 1);
    setenv("SOFTGPU_CHECK_OUTPUT", report, 1);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(report);
    return failed;
}
