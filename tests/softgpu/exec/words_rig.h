/* words_rig.h - runs single instructions, given as words, on every core of any GPU.
 *
 * For tests of GPUs that llvm-mc 15 does not know: the words of an instruction are recorded, and
 * our disassembler has to give its text back. Code runs from GPU memory. */
#ifndef TESTS_ISA_WORDS_RIG_H
#define TESTS_ISA_WORDS_RIG_H

#include "isa/isa.h"
#include "isa/table.h"
#include "softgpu/exec/exec.h"
#include "softgpu/memory/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WORDS_CODE UINT64_C(0x7fff00010000)
#define WORDS_DATA UINT64_C(0x7ffe00020000)

enum { WORDS_LANES = 64, WORDS_MOST = 8 };

typedef struct {
    _Alignas(4096) uint32_t code[1024];
    _Alignas(4096) uint8_t data[4096];
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    _Alignas(64) uint8_t lds[4096];
    isa_dispatch_t dispatch;
    isa_group_t group;
    isa_wave_t wave;
    sg_memory_t *memory;
    isa_code_t *cache;
    const isa_core_t *core;
    uint64_t random;
} words_rig_t;

static words_rig_t *rig;

static inline uint32_t random32(void)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(rig->random >> 32);
}

static inline void words_begin(const char *gpu, const isa_core_t *core)
{
    rig = aligned_alloc(4096, (sizeof *rig + 4095) / 4096 * 4096);
    assert_non_null(rig);
    memset(rig, 0, sizeof *rig);
    rig->random = 1;
    rig->core = core;
    rig->memory = sg_memory_create();
    assert_int_equal(sg_memory_map(rig->memory, WORDS_CODE, sizeof rig->code, rig->code,
                                   SG_MEM_WRITABLE | SG_MEM_EXECUTABLE),
                     0);
    assert_int_equal(
        sg_memory_map(rig->memory, WORDS_DATA, sizeof rig->data, rig->data, SG_MEM_WRITABLE), 0);
    rig->dispatch.arch = isa_arch_named(gpu);
    assert_non_null(rig->dispatch.arch);
    rig->cache = isa_code_create(rig->dispatch.arch, rig->memory);
    assert_non_null(rig->cache);
    rig->dispatch.memory = rig->memory;
    rig->dispatch.code = rig->cache;
    rig->dispatch.narrow = core->lanes == 32;
    rig->group = (isa_group_t){
        .dispatch = &rig->dispatch, .n_waves = 1, .lds = rig->lds, .lds_bytes = sizeof rig->lds};
    rig->wave = (isa_wave_t){.group = &rig->group, .vgpr = rig->rows, .mode = 0xf0};
    rig->wave.exec = UINT64_MAX >> (64 - core->lanes);
}

static inline void words_end(void)
{
    isa_code_destroy(rig->cache);
    sg_memory_destroy(rig->memory);
    free(rig);
}

/* Each core that is built, for waves of 64 lanes and of 32. */
static inline void words_every_core(const char *gpu, void (*test)(void))
{
    static const char *const cores[] = {"base", "avx2", "avx512"};
    unsigned ran = 0;
    for (unsigned c = 0; c < sizeof cores / sizeof *cores; c++) {
        const isa_core_t *core = isa_core_by_name(cores[c]);
        if (!core) continue;
        for (unsigned narrow = 0; narrow < 2; narrow++) {
            words_begin(gpu, narrow ? isa_core_narrow(core) : core);
            test();
            words_end();
        }
        ran++;
    }
    assert_true(ran);
}

/* s_endpgm, which has another number since gfx11. */
static inline uint32_t words_endpgm(void)
{
    static const uint32_t endings[] = {0xbf810000, 0xbfb00000};
    for (unsigned k = 0;; k++) {
        isa_inst_t i = {.op = 0};
        assert_true(k < 2);
        if (isa_decode_lanes(rig->dispatch.arch, rig->core->lanes, &endings[k], 1, &i) == 1 &&
            !strcmp(isa_table[i.op].mnemonic, "s_endpgm"))
            return endings[k];
    }
}

/* The instruction's words, and the end of the kernel behind them. */
static inline void words_load(const char *text, const uint32_t *words, unsigned count)
{
    char ours[160];
    isa_inst_t i = {.op = 0};
    const int n = isa_decode_lanes(rig->dispatch.arch, rig->core->lanes, words, count, &i);
    if (n <= 0) fail_msg("%s: does not decode", text);
    isa_disassemble(rig->dispatch.arch, &i, ours, sizeof ours);
    assert_string_equal(ours, text);
    memcpy(rig->code, words, 4 * (size_t)n);
    rig->code[n] = words_endpgm();
    isa_code_invalidate(rig->cache);
}

static inline void words_run(const char *text)
{
    assert_true(rig->core->set_pc(&rig->wave, WORDS_CODE));
    if (rig->core->run(&rig->wave, 100) != ISA_STOP_END)
        fail_msg("%s: stopped: %s", text, rig->wave.message);
}

static inline void words_do(const char *text, const uint32_t *words, unsigned count)
{
    words_load(text, words, count);
    words_run(text);
}

#endif
