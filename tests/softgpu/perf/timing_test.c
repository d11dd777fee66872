/* timing_test.c - the timing model, worked out by hand from docs/counters.md.
 *
 * Profile: fetch of code from memory 560 clocks, from the instruction cache 30; LDS 64; a wave is
 * launched in 4 clocks. Each kernel here lies in one 64-byte line of code unless it says more. */
#include "counting.h"

#include "asm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum {
    COLD = 800, /* the first fetch */
    WARM = 16,  /* every other one that is not the next piece */
    ACCUM_LOW = 1,
    BUSY_CYCLES = 3,
    LEVEL_WAVES = 5,
    BUSY_CU = 13,
    LEVEL_LDS = 69,
    WAVE_CYCLES = 74,
    WAIT_ANY = 85,
    WAIT_INST_ANY = 88,
    WAIT_INST_LDS = 91,
    IFETCH = 115,
    ACCUM_HIGH = 185,
    /* of SPI, whose arbiter looks every fourth clock */
    NO_ALLOC = 79,
    NO_ALLOC_CSN = 85,
    RES_STALL = 91,
    SIMD_FULL = 103,
    VGPR_FULL = 109,
    LDS_FULL = 120
};

static uint64_t kernel(counting_t *c, const char *text)
{
    return rig_kernel(c->rig, text, NULL);
}

/* One wave alone: costs by class, a nop and a sleep. */
static void test_issue(void **state)
{
    static const char text[] = "v_mov_b32 v1, 1.0\n"        /* 4 */
                               "v_rcp_f32 v1, v1\n"         /* 16 */
                               "v_mul_lo_u32 v1, v1, v1\n"  /* 4 */
                               "v_rcp_f64 v[2:3], v[2:3]\n" /* 32 */
                               "s_nop 3\n"                  /* 4 + 12 */
                               "s_sleep 1\n"                /* 4, waits 64 */
                               "s_mov_b32 s8, 0\n"          /* 4 */
                               "s_endpgm\n";                /* 4 */
    static const unsigned events[] = {WAVE_CYCLES, WAIT_ANY, WAIT_INST_ANY, BUSY_CYCLES, IFETCH};
    uint64_t out[5];
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {64}, .group = {64}};
    counting_sq(c, &d, 1, events, 5, out);
    const uint64_t clocks = COLD + 4 + 16 + 4 + 32 + 16 + 68 + 4 + 4;
    assert_int_equal(out[0], clocks / 4);
    assert_int_equal(out[1], (COLD + 64) / 4);
    assert_int_equal(out[2], 0);
    assert_int_equal(out[3], clocks);
    assert_int_equal(out[4], 2); /* 36 bytes: two pieces, the second fetched ahead */
}

/* Data is waited for where s_waitcnt asks for it, from the instruction's issue on. */
static void test_latency(void **state)
{
    static const char text[] = "v_mov_b32 v1, 0\n"      /* 4 */
                               "ds_read_b32 v2, v1\n"   /* at x: 4 */
                               "v_mov_b32 v3, 0\n"      /* 4 */
                               "s_waitcnt lgkmcnt(0)\n" /* until x + 64: waits 56; 4 */
                               "ds_read_b32 v2, v1\n"   /* 4 */
                               "s_waitcnt vmcnt(0)\n"   /* nothing to wait for: 4 */
                               "s_endpgm\n";            /* 4 */
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {64}, .group = {64}, .lds = 1024};
    counting_want(c, SQ, WAVE_CYCLES);
    counting_want(c, SQ, WAIT_ANY);
    counting_want(c, SQ, LEVEL_LDS);
    counting_want(c, SQ, ACCUM_HIGH);
    counting_want(c, SQ, LEVEL_LDS);
    counting_want(c, SQ, ACCUM_LOW);
    counting_want(c, SQ, ACCUM_HIGH); /* integrates ACCUM_LOW, which is no level */
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    assert_int_equal(counting_value(c, 0, 0, 0), (COLD + 4 + 64 + 4 + 4 + 4 + 4) / 4);
    assert_int_equal(counting_value(c, 1, 0, 0), (COLD + 56) / 4);
    assert_int_equal(counting_value(c, 2, 0, 0), 2 * 64 / 112); /* a sample every 112 clocks */
    assert_int_equal(counting_value(c, 3, 0, 0), 2 * 64);
    assert_int_equal(counting_value(c, 5, 0, 0), 2 * 64 / 4);
    assert_int_equal(counting_value(c, 6, 0, 0), 0);
}

/* The next line has been read ahead, that of a jump has not. */
static void test_fetch(void **state)
{
    static const char text[] = "s_branch far\n" /* 4 */
                               ".fill 40, 4, 0xbf800000\n"
                               "far: s_nop 0\n"           /* dword 41, in line 2 at 36 */
                               ".fill 8, 4, 0xbf800000\n" /* to the end of line 3 - 3 */
                               "s_endpgm\n";
    static const unsigned events[] = {WAVE_CYCLES, IFETCH};
    uint64_t out[2];
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {64}, .group = {64}};
    counting_sq(c, &d, 1, events, 2, out);
    /* line 0, a jump to line 2 (dwords 32 to 47), which nobody has asked for, then line 3 in
     * sequence: dwords 48 to 50. It has been read ahead and came with line 2, the other half of a
     * line of L2. */
    assert_int_equal(out[1], 3);
    assert_int_equal(out[0], (COLD + 4 + COLD + 9 * 4 + 4) / 4);
}

/* Five waves on four SIMDs: the fifth shares the first one's vector unit. */
static void test_shared_simd(void **state)
{
    static const char text[] = ".fill 7, 4, 0xbf800000\n"
                               "s_movk_i32 s8, 150\n"
                               "again:\n" /* at 32: one piece of code */
                               "v_add_u32 v1, v1, v1\n"
                               "v_add_u32 v1, v1, v1\n"
                               "v_add_u32 v1, v1, v1\n"
                               "v_add_u32 v1, v1, v1\n"
                               "v_add_u32 v1, v1, v1\n"
                               "s_sub_u32 s8, s8, 1\n"
                               "s_cmp_lg_u32 s8, 0\n"
                               "s_cbranch_scc1 again\n"
                               "s_endpgm\n";
    static const unsigned events[] = {WAVE_CYCLES, WAIT_INST_ANY, WAIT_INST_LDS, BUSY_CYCLES,
                                      BUSY_CU};
    uint64_t out[5];
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {5 * 64}, .group = {5 * 64}};
    counting_sq(c, &d, 1, events, 5, out);
    const uint64_t own = 8 * 4 + 150 * 8 * 4 + 4; /* of a wave without fetches */
    const uint64_t vector = 150 * 5 * 4;          /* clocks of the vector unit */
    const uint64_t last = 2 * vector;             /* when it is through with waves 0 and 4 */
    assert_true(last > COLD + own); /* all of them ask for code that the first has missed */
    assert_int_equal(out[0], (4 * (COLD + own) + last) / 4);
    assert_int_equal(out[1], (last - COLD - own) / 4);
    assert_int_equal(out[2], 0);
    assert_int_equal(out[3], last);
    assert_int_equal(out[4], last);
}

/* Wave 0 sleeps, wave 1 waits for it at the barrier. */
static void test_barrier(void **state)
{
    static const char text[] = "v_readfirstlane_b32 s8, v0\n" /* 4 */
                               "s_cmp_lt_u32 s8, 64\n"        /* 4 */
                               "s_cbranch_scc0 over\n"        /* 4 */
                               "s_sleep 10\n"                 /* waits 640; 4 */
                               "over: s_barrier\n"            /* 4 */
                               "s_endpgm\n";                  /* 4 */
    static const unsigned events[] = {WAVE_CYCLES, WAIT_ANY};
    uint64_t out[2];
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {128}, .group = {128}};
    counting_sq(c, &d, 1, events, 2, out);
    const uint64_t arrives = COLD + 12 + 644 + 4, other = COLD + 12 + 4;
    assert_int_equal(out[0], 2 * (arrives + 4) / 4);
    assert_int_equal(out[1], (COLD + 640 + COLD + arrives - other) / 4);
}

/* The matrix unit takes one instruction at a time; vector instructions may run beside it. */
static void test_matrix_unit(void **state)
{
    static const char text[] =
        "v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[0:3]\n" /* 4; busy 32 */
        "v_mov_b32 v2, 0\n"                              /* 4 */
        "v_mfma_f32_16x16x4f32 a[0:3], v0, v1, a[0:3]\n" /* waits 24; 4; busy 32 */
        "s_endpgm\n";                                    /* 4 */
    static const unsigned events[] = {BUSY_CYCLES, WAIT_ANY, 72};
    uint64_t out[3];
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {64}, .group = {64}};
    counting_sq(c, &d, 1, events, 3, out);
    /* the wave ends when the matrix unit is through with it: 64 clocks from its start are less */
    assert_int_equal(out[0], COLD + 4 + 4 + 24 + 4 + 4);
    assert_int_equal(out[1], (COLD + 24) / 4);
    assert_int_equal(out[2], 64);
}

/* 40 KiB of LDS: one workgroup at a time. */
static void test_room(void **state)
{
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {
        .kernel = kernel(c, "s_endpgm\n"), .grid = {3 * 64}, .group = {64}, .lds = 40 << 10};
    counting_want(c, SPI, NO_ALLOC);
    counting_want(c, SPI, LDS_FULL);
    counting_want(c, SPI, SIMD_FULL);
    counting_want(c, SPI, 48); /* busy */
    counting_want(c, GRBM, 2); /* GUI_ACTIVE */
    counting_want(c, GRBM, 0); /* GRBM_COUNT */
    counting_want(c, SQ, BUSY_CYCLES);
    counting_want(c, TCP, 0); /* GATE_EN1 */
    counting_want(c, SPI, RES_STALL);
    counting_want(c, SPI, NO_ALLOC_CSN);
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    /* launched 0 to 4, runs to 4 + 800 + 4 = 808; the next launched to 812, runs to 812 + 20 = 832;
     * the last launched to 836, runs to 856. The arbiter looks every fourth clock. */
    const uint64_t blocked = ((808 - 4) + (832 - 812)) / 4;
    assert_int_equal(counting_value(c, 0, 0, 0), blocked);
    assert_int_equal(counting_value(c, 1, 0, 0), blocked);
    assert_int_equal(counting_value(c, 2, 0, 0), 0);
    assert_int_equal(counting_value(c, 3, 0, 0), 804 + 20 + 20);
    /* and the packet that started counting and that of the dispatch */
    assert_int_equal(counting_value(c, 4, 0, 0), 856 + 2 * 5500);
    assert_int_equal(counting_value(c, 5, 0, 0), 856 + 2 * 5500);
    assert_int_equal(counting_value(c, 6, 0, 0), 804 + 20 + 20);
    assert_int_equal(counting_value(c, 7, 0, 0),
                     856); /* until the last wave ends: packets need no vector L1 */
    /* there is one unit, so that nothing fits while a workgroup waits; each launch takes 4 clocks
     */
    assert_int_equal(counting_value(c, 8, 0, 0), blocked);
    assert_int_equal(counting_value(c, 9, 0, 0), 3 * 4 / 4);
}

/* Two units, each with LDS for one workgroup, which take these in turn. Workgroup 0 is busy for 640
 * clocks on the first, and the one that follows it there waits for it. The other unit is free for
 * most of that time: a workgroup would fit there, but is not its. */
static void test_fits_elsewhere(void **state)
{
    static const char text[] = "s_cmp_eq_u32 s2, 0\n"      /* 4; s2: the workgroup */
                               "s_cbranch_scc0 over\n"     /* 4 */
                               ".fill 10, 4, 0xbf80000f\n" /* s_nop 15: 64 each */
                               "over: s_endpgm\n";         /* 4 */
    (void)state;
    counting_t *c = counting_create(1, 2);
    rig_dispatch_t d = {
        .kernel = kernel(c, text), .grid = {3 * 64}, .group = {64}, .lds = 40 << 10};
    counting_want(c, SPI, NO_ALLOC);
    counting_want(c, SPI, NO_ALLOC_CSN);
    counting_want(c, SPI, RES_STALL);
    counting_want(c, SPI, LDS_FULL);
    counting_want(c, SPI, SIMD_FULL);
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    /* launched to 4 and 8, and both have their code at 804 */
    const uint64_t first = 804 + 8 + 640 + 4, second = 804 + 12;
    assert_int_equal(counting_value(c, 0, 0, 0), (first - 8) / 4);
    assert_int_equal(counting_value(c, 1, 0, 0), (first - second + 3 * 4) / 4);
    assert_int_equal(counting_value(c, 2, 0, 0), (second - 8) / 4);
    assert_int_equal(counting_value(c, 3, 0, 0), 2 * (second - 8) / 4);
    assert_int_equal(counting_value(c, 4, 0, 0), 0);
}

/* A wave that wants 512 lines at once of a unit that can have 400 in flight is held up for 112 of
 * 512 clocks: so long the next workgroup fits, as the model has it, and is not launched. */
static void test_held_up(void **state)
{
    enum { LOADS = 8, LINE = 64, AT_ONCE = 400 };
    char text[1024];
    int n;
    (void)state;
    counting_t *c = counting_create(1, 1);
    const uint64_t data = rig_alloc(c->rig, 2 * LOADS * 64 * LINE);
    n = snprintf(text, sizeof text,
                 "v_mov_b32 v3, 0x%x\n"
                 "s_lshl_b32 s2, s2, 15\n"
                 "s_add_u32 s2, s2, 0x%x\n"
                 "v_lshlrev_b32 v2, 6, v0\n"
                 "v_add_u32 v2, s2, v2\n",
                 (unsigned)(data >> 32), (unsigned)data);
    for (unsigned k = 0; k < LOADS; k++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "global_load_dword v4, v[2:3], off\n"
                      "v_add_u32 v2, 0x1000, v2\n");
    snprintf(text + n, sizeof text - (size_t)n, "s_waitcnt vmcnt(0)\ns_endpgm\n");
    rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {128}, .group = {64}, .lds = 40 << 10};
    counting_want(c, SPI, NO_ALLOC);
    counting_want(c, SPI, NO_ALLOC_CSN);
    counting_want(c, SPI, RES_STALL);
    counting_want(c, SPI, LDS_FULL);
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    const uint64_t waits = counting_value(c, 0, 0, 0);
    assert_true(waits > 200);
    assert_in_range(counting_value(c, 2, 0, 0), waits * AT_ONCE / (LOADS * 64),
                    waits * AT_ONCE / (LOADS * 64) + 1);
    assert_int_equal(counting_value(c, 3, 0, 0), counting_value(c, 2, 0, 0));
    assert_in_range(counting_value(c, 1, 0, 0), waits - counting_value(c, 2, 0, 0) + 2 - 1,
                    waits - counting_value(c, 2, 0, 0) + 2);
}

/* 33 waves for 32 slots: the last workgroup waits until the first ends. None of the four SIMDs has
 * a slot meanwhile, though the workgroup is a single wave. */
static void test_wave_slots(void **state)
{
    (void)state;
    counting_t *c = counting_create(1, 1);
    rig_dispatch_t d = {
        .kernel = kernel(c, "s_sleep 10\ns_endpgm\n"), .grid = {33 * 64}, .group = {64}};
    counting_want(c, SPI, RES_STALL);
    counting_want(c, SPI, SIMD_FULL);
    counting_want(c, SPI, VGPR_FULL);
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    /* waves by themselves: 648 clocks and the fetch. Workgroup k starts at 4k + 4; the first asks
     * for code at 4, all of them wait for it until 804 and end at 804 + 648 = 1452. The last asks
     * for room at 128. */
    assert_int_equal(counting_value(c, 0, 0, 0), (1452 - 128) / 4);
    assert_int_equal(counting_value(c, 1, 0, 0), 4 * (1452 - 128) / 4);
    assert_int_equal(counting_value(c, 2, 0, 0), 0);
}

/* Workgroups of five waves, on one unit, each of which begins on the SIMD where the one before has
 * ended. The last one waits until the others end: of the SIMDs some have no slot, or no registers,
 * for a single wave, and one has a slot where the workgroup would put two. */
static void test_simds_without_room(void **state)
{
    static const struct {
        uint32_t vgprs, fit; /* workgroups that fit */
        uint32_t no_slot, no_vgprs;
    } rows[] = {
        {0, 6, 2, 0},   /* 8 slots: 8, 8, 7 and 7 waves, and two on the third SIMD do not fit */
        {128, 3, 0, 3}, /* registers for 4: 4, 4, 4 and 3 waves, and two on the fourth do not fit */
    };
    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        counting_t *c = counting_create(1, 1);
        const rig_dispatch_t d = {.kernel = rig_kernel(c->rig, "s_sleep 10\ns_endpgm\n",
                                                       &(rig_kernel_t){.vgprs = rows[k].vgprs}),
                                  .grid = {(rows[k].fit + 1) * 5 * 64},
                                  .group = {5 * 64}};
        counting_want(c, SPI, NO_ALLOC);
        counting_want(c, SPI, RES_STALL);
        counting_want(c, SPI, SIMD_FULL);
        counting_want(c, SPI, VGPR_FULL);
        counting_start(c);
        counting_dispatch(c, &d);
        counting_stop(c);
        /* From its turn, behind the launches of the others, until these end. Of the first one the
         * waves ask for code at 20, and all have it at 820. */
        const uint64_t waits = (820 + 648 - rows[k].fit * 5 * 4) / 4;
        assert_int_equal(counting_value(c, 0, 0, 0), waits);
        assert_int_equal(counting_value(c, 1, 0, 0), waits);
        assert_int_equal(counting_value(c, 2, 0, 0), rows[k].no_slot * waits);
        assert_int_equal(counting_value(c, 3, 0, 0), rows[k].no_vgprs * waits);
    }
}

/* Two units are full, and the next workgroup is for the first SIMD of the first unit. Workgroup 3,
 * on the second SIMD of the second unit, ends at once: from then on the waiting one fits there,
 * though it would be on another SIMD. */
static void test_fits_on_another_simd(void **state)
{
    enum { SLOTS = 2 * 32 };
    static const char text[] = "s_cmp_eq_u32 s2, 3\n"      /* 4; s2: the workgroup */
                               "s_cbranch_scc1 over\n"     /* 4 */
                               ".fill 10, 4, 0xbf80000f\n" /* s_nop 15: 64 each */
                               "over: s_endpgm\n";         /* 4 */
    (void)state;
    counting_t *c = counting_create(1, 2);
    const rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {(SLOTS + 1) * 64}, .group = {64}};
    counting_want(c, SPI, NO_ALLOC);
    counting_want(c, SPI, NO_ALLOC_CSN);
    counting_want(c, SPI, RES_STALL);
    counting_want(c, SPI, SIMD_FULL);
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    /* all have their code at 804; the last one asks when the others are launched */
    const uint64_t asks = SLOTS * 4, third = 804 + 12, others = 804 + 8 + 640 + 4;
    assert_int_equal(counting_value(c, 0, 0, 0), (others - asks) / 4);
    assert_int_equal(counting_value(c, 1, 0, 0), (others - third) / 4 + SLOTS + 1);
    assert_int_equal(counting_value(c, 2, 0, 0), (third - asks) / 4);
    assert_int_equal(counting_value(c, 3, 0, 0), 8 * (third - asks) / 4);
}

/* Adds 1 to *args[0], then spins until it is args[1]: workgroups that need each other. */
static const char meet_text[] = "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                                "v_mov_b32 v1, 0\n"
                                "v_mov_b32 v2, 1\n"
                                "s_mov_b64 exec, 1\n"
                                "s_waitcnt lgkmcnt(0)\n"
                                "global_atomic_add v1, v2, s[8:9]\n"
                                "again: global_load_dword v3, v1, s[8:9] glc\n"
                                "s_waitcnt vmcnt(0)\n"
                                "v_readfirstlane_b32 s14, v3\n"
                                "s_cmp_lt_u32 s14, s10\n"
                                "s_cbranch_scc1 again\n"
                                "s_endpgm\n";

static uint64_t meeting(counting_t *c, uint64_t n)
{
    uint64_t args = rig_alloc(c->rig, 16), cell = rig_alloc(c->rig, 4);
    memcpy(rig_ptr(c->rig, args), (uint64_t[]){cell, n}, 16);
    return args;
}

/* The same values whatever the number of workers, also of a kernel that waits for its own. */
static void test_same_every_time(void **state)
{
    static const unsigned events[] = {WAVE_CYCLES, WAIT_ANY, WAIT_INST_ANY, BUSY_CYCLES, BUSY_CU,
                                      25,          96,       IFETCH};
    uint64_t first[8], out[8];
    (void)state;
    for (unsigned round = 0; round < 4; round++) {
        setenv("SOFTGPU_THREADS", (const char *[]){"1", "2", "3", "2"}[round], 1);
        counting_t *c = counting_create(2, 2);
        rig_dispatch_t d = {.kernel = kernel(c, meet_text),
                            .args = meeting(c, 40),
                            .grid = {40 * 64},
                            .group = {64}};
        counting_sq(c, &d, 2, events, 8, round ? out : first);
        if (round) assert_memory_equal(first, out, sizeof out);
    }
    unsetenv("SOFTGPU_THREADS");
}

/* A counter that tells clocks in fours, or samples of a level, drops the last part of its own
 * clocks alone: what ran before does not make it more. */
static void test_same_after_others(void **state)
{
    enum { ROUNDS = 6, SAMPLE = 112 /* clocks from one to the next */ };
    static const char text[] = "v_mov_b32 v1, 0\n"
                               "ds_read_b32 v2, v1\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "ds_read_b32 v2, v1\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "ds_read_b32 v2, v1\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "s_endpgm\n";
    static const unsigned events[] = {LEVEL_LDS};
    (void)state;
    counting_t *c = counting_create(1, 1);
    const rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {64}, .group = {64}, .lds = 1024};
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t samples;
        counting_sq(c, &d, 1, events, 1, &samples);
        assert_int_equal(samples, 3 * 64 / SAMPLE);
    }
}

/* Two modelled dispatches that wait for each other both get on. */
static void test_dispatches_overlap(void **state)
{
    (void)state;
    counting_t *c = counting_create(1, 1);
    uint64_t signal = rig_signal(c->rig, 2);
    rig_dispatch_t d = {.kernel = kernel(c, meet_text),
                        .args = meeting(c, 2),
                        .signal = signal,
                        .grid = {64},
                        .group = {64}};
    counting_want(c, SQ, 4);
    counting_want(c, SQ, WAVE_CYCLES);
    counting_start(c);
    rig_dispatch(&c->queue, &d);
    rig_dispatch(&c->queue, &d);
    assert_true(rig_wait(c->rig, signal, 0));
    counting_stop(c);
    assert_int_equal(counting_value(c, 0, 0, 0), 2);
    assert_true(counting_value(c, 1, 0, 0) > 0);
}

/* Lines that miss L2 in one more dispatch. */
static uint64_t more_misses(counting_t *c, const rig_dispatch_t *d)
{
    uint64_t before = counting_sum(c, 0, 1, 32);
    counting_dispatch(c, d);
    return counting_sum(c, 0, 1, 32) - before;
}

/* ACQUIRE_MEM empties L2 if it means all of memory, not for a small buffer. */
static void test_acquire(void **state)
{
    enum { TC = 1 << 23, TCL1 = 1 << 22, MISS = 19, TABLE = 1 /* an entry of the page table */ };
    static const char text[] = "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                               "v_lshlrev_b32 v1, 2, v0\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "global_load_dword v2, v1, s[8:9]\n"
                               "s_endpgm\n";
    (void)state;
    counting_t *c = counting_create(1, 1);
    uint64_t args = rig_alloc(c->rig, 8), data = rig_alloc(c->rig, 256);
    memcpy(rig_ptr(c->rig, args), &data, 8);
    rig_dispatch_t d = {.kernel = kernel(c, text), .args = args, .grid = {64}, .group = {64}};
    counting_want(c, TCC, MISS);
    counting_start(c);
    const uint64_t cold = more_misses(c, &d);
    assert_true(cold > TABLE);
    assert_int_equal(more_misses(c, &d), TABLE);
    counting_acquire(c, TC | TCL1, 16);
    counting_send(c);
    assert_int_equal(more_misses(c, &d), TABLE);
    counting_acquire(c, TC | TCL1, UINT64_C(0xffffffffff));
    counting_send(c);
    /* code and kernel arguments stay in their own caches: the two lines of data miss */
    assert_int_equal(more_misses(c, &d), 256 / 128 + TABLE);
}

/* A modelled dispatch that faults ends its queue as any other does. */
static void test_fault(void **state)
{
    static const char text[] = "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "v_mov_b32 v1, 0\n"
                               "global_load_dword v2, v1, s[8:9]\n"
                               "s_endpgm\n";
    (void)state;
    counting_t *c = counting_create(2, 2);
    uint64_t args = rig_alloc(c->rig, 8), unmapped = RIG_UNMAPPED;
    memcpy(rig_ptr(c->rig, args), &unmapped, 8);
    rig_dispatch_t d = {.kernel = kernel(c, text), .args = args, .grid = {64 * 64}, .group = {64}};
    counting_want(c, SQ, WAVE_CYCLES);
    counting_start(c);
    rig_dispatch(&c->queue, &d);
    assert_true(rig_wait_word(&c->rig->faults, 1));
    assert_int_equal(c->rig->fault_va & ~UINT64_C(4095), RIG_UNMAPPED & ~UINT64_C(4095));
    rig_close(&c->queue);
}

/* Two waves come to the address unit at once, with 4 look-ups each: the second waits 4 clocks for
 * it, of those that it waits anyway. */
static void test_queue(void **state)
{
    static const char text[] = "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
                               "v_lshlrev_b32 v1, 2, v0\n"
                               "s_waitcnt lgkmcnt(0)\n"
                               "global_load_dword v2, v1, s[8:9]\n"
                               "s_waitcnt vmcnt(0)\n"
                               "s_endpgm\n";
    static const unsigned events[] = {WAVE_CYCLES, WAIT_ANY, WAIT_INST_ANY};
    uint64_t out[3];
    (void)state;
    counting_t *c = counting_create(1, 1);
    uint64_t args = rig_alloc(c->rig, 8), data = rig_alloc(c->rig, 512);
    memcpy(rig_ptr(c->rig, args), &data, 8);
    rig_dispatch_t d = {.kernel = kernel(c, text), .args = args, .grid = {128}, .group = {128}};
    counting_sq(c, &d, 1, events, 3, out);
    assert_int_equal(out[2], 4 / 4);
    assert_int_equal(out[1] + out[2], out[0] - 2 * 6 * 4 / 4);
}

/* What `groups` workgroups of a wave, each of which loads 256 bytes of its own, count on one unit
 * of a new GPU: the clocks until the last one ends, and those of their data that met a wave's
 * launch. */
static void load_once(unsigned groups, uint64_t out[2])
{
    char text[256];
    counting_t *c = counting_create(1, 1);
    const uint64_t data = rig_alloc(c->rig, 96 * 256);
    snprintf(text, sizeof text,
             "v_mov_b32 v3, 0x%x\n"
             "s_lshl_b32 s2, s2, 8\n"
             "s_add_u32 s2, s2, 0x%x\n"
             "v_lshlrev_b32 v2, 2, v0\n"
             "v_add_u32 v2, s2, v2\n"
             "global_load_dword v4, v[2:3], off\n"
             "s_waitcnt vmcnt(0)\n"
             "s_endpgm\n",
             (unsigned)(data >> 32), (unsigned)data);
    rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {groups * 64}, .group = {64}};
    counting_want(c, GRBM, 11); /* SPI_BUSY */
    counting_want(c, TD, 18);   /* SPI_STALL */
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    out[0] = counting_value(c, 0, 0, 0);
    out[1] = counting_value(c, 1, 0, 0);
}

/* 32 waves start before any of them has data. When the first has ended, 64 more start, and meet the
 * 4 clocks of data of each of the 96 on one of 4 SIMDs at random. The first one to end is not the
 * first one to start, which waits 100 clocks for the translation. */
static void test_starts(void **state)
{
    uint64_t one[2], full[2], more[2];
    (void)state;
    load_once(1, one);
    load_once(32, full);
    load_once(96, more);
    assert_int_equal(one[1], 0);
    assert_int_equal(full[1], 0);
    assert_int_equal(more[1], 96 * 4 * 64 / (4 * (more[0] - (one[0] - 100))));
    assert_true(more[1] > 0);
}

/* Clocks for which data of 8 bytes for each lane meets acknowledgements of stores, of `groups`
 * workgroups of a wave on one unit of a new GPU. */
static uint64_t meets_stores(unsigned groups, const char *body)
{
    char text[1024];
    counting_t *c = counting_create(1, 1);
    const uint64_t data = rig_alloc(c->rig, 96 * 512);
    snprintf(text, sizeof text,
             "v_mov_b32 v3, 0x%x\n"
             "s_lshl_b32 s2, s2, 9\n"
             "s_add_u32 s2, s2, 0x%x\n"
             "v_lshlrev_b32 v2, 3, v0\n"
             "v_add_u32 v2, s2, v2\n"
             "%s"
             "s_endpgm\n",
             (unsigned)(data >> 32), (unsigned)data, body);
    rig_dispatch_t d = {.kernel = kernel(c, text), .grid = {groups * 64}, .group = {64}};
    counting_want(c, TCP, 7); /* TD_TCP_STALL_CYCLES */
    counting_start(c);
    counting_dispatch(c, &d);
    counting_stop(c);
    return counting_value(c, 0, 0, 0);
}

/* A load meets the acknowledgement of a store only if one can have come before it. The model
 * assumes that waves which start together load before any of them stores: of 96 waves the first 32
 * do, and the other 64 start when some have ended. A wave's loads after its own store meet it, too.
 * By the same assumption the loads of 32 waves of which every second one only stores meet nothing,
 * although a store may come first on a real unit; of the 64 that follow, 32 loads do. */
static void test_meets_stores(void **state)
{
#define LOAD  "global_load_dwordx2 v[4:5], v[2:3], off\ns_waitcnt vmcnt(0)\n"
#define STORE "global_store_dwordx2 v[2:3], v[4:5], off\n"
/* by the bit of the address that numbers the workgroups */
#define LOAD_OR_STORE "s_bitcmp1_b32 s2, 9\ns_cbranch_scc1 store\n" LOAD "s_endpgm\nstore: " STORE
    (void)state;
    assert_int_equal(meets_stores(32, LOAD STORE), 0);
    assert_int_equal(meets_stores(96, LOAD STORE), 64 / 4);
    assert_int_equal(meets_stores(96, LOAD LOAD LOAD), 0);
    assert_int_equal(meets_stores(32, LOAD STORE LOAD STORE), 32 / 4);
    assert_int_equal(meets_stores(32, LOAD_OR_STORE), 0);
    assert_int_equal(meets_stores(96, LOAD_OR_STORE), 32 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_issue),
        cmocka_unit_test(test_latency),
        cmocka_unit_test(test_fetch),
        cmocka_unit_test(test_shared_simd),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_matrix_unit),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_fits_elsewhere),
        cmocka_unit_test(test_held_up),
        cmocka_unit_test(test_wave_slots),
        cmocka_unit_test(test_simds_without_room),
        cmocka_unit_test(test_fits_on_another_simd),
        cmocka_unit_test(test_same_every_time),
        cmocka_unit_test(test_same_after_others),
        cmocka_unit_test(test_dispatches_overlap),
        cmocka_unit_test(test_acquire),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_meets_stores),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
