/* race_site.c - how the race check classifies an instruction by the code around it, also after
 * other code has taken the place of that code. */
#include "softgpu/check/race.h"
#include "softgpu/memory/memory.h"
#include "softgpu/exec/code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

enum {
    LOAD = 0xdc508000, /* global_load_dword v2, v1, s[8:9] */
    LOAD_OPERANDS = 0x02080001,
    BACK = 0xbf85fffd,  /* s_cbranch_scc1 to the load */
    STORE = 0xdc708000, /* global_store_dword v3, v2, s[8:9] */
    STORE_OPERANDS = 0x00080203,
    MOVE = 0x7e020303,  /* v_mov_b32 v1, v3 */
    ROUND = 0xbf85fffb, /* s_cbranch_scc1 over four words to the load */
    NOP = 0xbf800000,
    END = 0xbf810000,
    /* of gfx1030, in words of which the last has the second register of the address */
    TEXEL = 0xf000110a, /* image_load v9, [v1, v3], s[16:23] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm */
    TEXEL_OPERANDS = 0x00040901,
    TEXEL_Y = 3,
    MOVE_Y = 0x7e060305,     /* v_mov_b32 v3, v5 */
    MOVE_OTHER = 0x7e040305, /* v_mov_b32 v2, v5: between the two, but no part of the address */
    BACK_3 = 0xbf85fffc,     /* s_cbranch_scc1 to a load of three words */
    ROUND_3 = 0xbf85fffa     /* over five words to the load */
};

static const uint64_t code_va = UINT64_C(1) << 32;
static const uint32_t once[] = {LOAD, LOAD_OPERANDS, NOP, END},
                      again[] = {LOAD, LOAD_OPERANDS, BACK, END},
                      within[] = {LOAD,          LOAD_OPERANDS, STORE, STORE_OPERANDS, ROUND, LOAD,
                                  LOAD_OPERANDS, BACK,          END},
                      elsewhere[] = {LOAD, LOAD_OPERANDS, MOVE, NOP, ROUND,
                                     LOAD, LOAD_OPERANDS, BACK, END};

static const uint32_t texel_elsewhere[] = {TEXEL, TEXEL_OPERANDS, TEXEL_Y, MOVE_Y, NOP, ROUND_3,
                                           TEXEL, TEXEL_OPERANDS, TEXEL_Y, BACK_3, END},
                      texel_within[] = {TEXEL, TEXEL_OPERANDS, TEXEL_Y, MOVE_OTHER, NOP, ROUND_3,
                                        TEXEL, TEXEL_OPERANDS, TEXEL_Y, BACK_3,     END};

typedef struct {
    sg_memory_t *memory;
    isa_code_t *code;
    const isa_core_t *core;
    uint32_t *host;
    isa_dispatch_t dispatch;
    isa_group_t group;
    isa_wave_t wave;
} rig_t;

/* The site of the first instruction. */
static const race_site_t *site_in(rig_t *r, const uint32_t *words, size_t bytes)
{
    memcpy(r->host, words, bytes);
    isa_code_invalidate(r->code);
    isa_page_t *page = isa_code_page(r->code, r->core, code_va);
    assert_non_null(page);
    isa_code_decode(page, 0);
    r->wave.page = page;
    return race_site(&r->wave, &page->slots[0], &sgc_ops_table[page->slots[0].op]);
}

static int set_up(void **state)
{
    static rig_t r;
    sgc_ops();
    r.core = isa_core_select();
    r.memory = sg_memory_create();
    r.host = mmap(NULL, ISA_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_non_null(r.core);
    assert_non_null(r.memory);
    assert_ptr_not_equal(r.host, MAP_FAILED);
    assert_int_equal(sg_memory_map(r.memory, code_va, ISA_PAGE_BYTES, r.host, SG_MEM_EXECUTABLE),
                     0);
    assert_non_null(r.code = isa_code_create(&isa_archs[ISA_ARCH_gfx90a], r.memory));
    r.dispatch =
        (isa_dispatch_t){.arch = &isa_archs[ISA_ARCH_gfx90a], .memory = r.memory, .code = r.code};
    r.group.dispatch = &r.dispatch;
    r.wave.group = &r.group;
    *state = &r;
    return 0;
}

static int tear_down(void **state)
{
    rig_t *r = *state;
    isa_code_destroy(r->code);
    sg_memory_destroy(r->memory);
    munmap(r->host, ISA_PAGE_BYTES);
    return 0;
}

static void test_other_code_at_the_same_place(void **state)
{
    rig_t *r = *state;
    const race_site_t *first = site_in(r, once, sizeof once);
    assert_false(first->waits);
    const race_site_t *second = site_in(r, again, sizeof again);
    assert_true(second->waits);
    assert_true(second->atomic);
    assert_int_not_equal(first->id, second->id);
    assert_false(first->waits); /* it is still what earlier accesses are told by */
    assert_ptr_equal(site_in(r, once, sizeof once), first);
    assert_ptr_equal(site_in(r, again, sizeof again), second);
}

/* A first round in front of a loop that waits, which leaves by the loop around both. */
static void test_waits_within_a_loop(void **state)
{
    assert_true(site_in(*state, within, sizeof within)->waits);
    assert_false(site_in(*state, elsewhere, sizeof elsewhere)->waits);
}

/* The address of an image in registers that do not follow one another. */
static void test_waits_for_a_texel(void **state)
{
    rig_t *r = *state;
    isa_code_t *gfx90a = r->code;
    assert_non_null(r->code = isa_code_create(&isa_archs[ISA_ARCH_gfx1030], r->memory));
    r->dispatch.arch = &isa_archs[ISA_ARCH_gfx1030];
    r->dispatch.code = r->code;
    assert_true(site_in(r, texel_within, sizeof texel_within)->waits);
    assert_false(site_in(r, texel_elsewhere, sizeof texel_elsewhere)->waits);
    isa_code_destroy(r->code);
    r->dispatch.code = r->code = gfx90a;
    r->dispatch.arch = &isa_archs[ISA_ARCH_gfx90a];
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_other_code_at_the_same_place),
                                       cmocka_unit_test(test_waits_within_a_loop),
                                       cmocka_unit_test(test_waits_for_a_texel)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
