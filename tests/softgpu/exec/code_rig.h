/* code_rig.h - runs small programs from GPU memory: code pages, data pages, one wave, every core.
 *
 * For tests of scalar instructions, control flow and the code cache. The wave's scalar state is
 * public; a test sets it, runs, and compares it. */
#ifndef TESTS_ISA_CODE_RIG_H
#define TESTS_ISA_CODE_RIG_H

#include "../../isa/asm.h"

#include "softgpu/memory/memory.h"
#include "softgpu/exec/exec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RIG_CODE UINT64_C(0x7fff00010000)
#define RIG_DATA UINT64_C(0x7ffe00020000)

enum { RIG_CODE_BYTES = 5 * 4096, RIG_DATA_BYTES = 2 * 4096, RIG_SLICE = 1000000 };

typedef struct {
    _Alignas(4096) uint32_t code[RIG_CODE_BYTES / 4];
    _Alignas(4096) uint8_t data[RIG_DATA_BYTES];
    _Alignas(64) isa_row_t rows[ISA_VGPR_ROWS];
    uint8_t lds[1024];
    const isa_core_t *core;
    sg_memory_t *memory;
    isa_code_t *cache;
    isa_dispatch_t dispatch;
    isa_group_t group;
    isa_wave_t wave;
} rig_t;

static const char *const rig_cores[] = {"base", "avx2", "avx512"};
enum { RIG_CORES = 3 };

static inline rig_t *rig_create(void)
{
    rig_t *r = aligned_alloc(4096, (sizeof(*r) + 4095) / 4096 * 4096);
    assert_non_null(r);
    memset(r, 0, sizeof(*r));
    r->core = isa_core_select();
    r->memory = sg_memory_create();
    assert_int_equal(sg_memory_map(r->memory, RIG_CODE, RIG_CODE_BYTES, r->code,
                                   SG_MEM_WRITABLE | SG_MEM_EXECUTABLE),
                     0);
    assert_int_equal(sg_memory_map(r->memory, RIG_DATA, RIG_DATA_BYTES, r->data, SG_MEM_WRITABLE),
                     0);
    r->cache = isa_code_create(ASM_ARCH, r->memory);
    assert_non_null(r->cache);
    r->dispatch = (isa_dispatch_t){.arch = ASM_ARCH,
                                   .memory = r->memory,
                                   .code = r->cache,
                                   .n_vgpr = 64,
                                   .acc_offset = 32,
                                   .shared_base = UINT64_C(1) << 48,
                                   .private_base = UINT64_C(2) << 48,
                                   .engine_clock_mhz = 1700,
                                   .doorbell_id = 0x155};
    r->group = (isa_group_t){
        .dispatch = &r->dispatch, .lds = r->lds, .lds_bytes = sizeof(r->lds), .n_waves = 2};
    r->wave.group = &r->group;
    r->wave.vgpr = r->rows;
    r->wave.acc_offset = 32;
    r->wave.mode = 0x2f0;
    r->wave.exec = ~UINT64_C(0);
    return r;
}

static inline void rig_destroy(rig_t *r)
{
    isa_code_destroy(r->cache);
    sg_memory_destroy(r->memory);
    free(r);
}

/* Assembles `text` at RIG_CODE + 4 * at; returns the number of dwords. */
static inline size_t rig_assemble(rig_t *r, size_t at, const char *text)
{
    uint32_t *words;
    size_t n = asm_words(text, &words);
    assert_true(n > 0 && at + n <= RIG_CODE_BYTES / 4);
    memcpy(r->code + at, words, 4 * n);
    free(words);
    isa_code_invalidate(r->cache);
    return n;
}

static inline isa_stop_t rig_run_from(rig_t *r, uint64_t pc)
{
    if (!r->core->set_pc(&r->wave, pc)) return (isa_stop_t)r->wave.stop;
    return r->core->run(&r->wave, RIG_SLICE);
}

static inline isa_stop_t rig_run(rig_t *r, const char *text)
{
    rig_assemble(r, 0, text);
    return rig_run_from(r, RIG_CODE);
}

static inline uint64_t rig_s64(const rig_t *r, unsigned reg)
{
    return r->wave.sgpr[reg] | (uint64_t)r->wave.sgpr[reg + 1] << 32;
}

static inline void rig_set_s64(rig_t *r, unsigned reg, uint64_t value)
{
    r->wave.sgpr[reg] = (uint32_t)value;
    r->wave.sgpr[reg + 1] = (uint32_t)(value >> 32);
}

#endif
