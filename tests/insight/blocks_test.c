/* Blocks and loops of small graphs, one instruction of four bytes a letter: where they lead is
 * drawn in each case, and what is found was worked out by hand. */
#include "insight/blocks.h"
#include "isa/arch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* An instruction: '.' goes on, 'e' ends, 'b' always branches, 'c' may; to the place of the digit
 * or letter in the same column of `to` (0 to 9, then A to Z), '!' out of the function. */
typedef struct {
    const char *kinds, *to;
    const char *depths; /* of each instruction */
    const char *blocks; /* 'x' where one begins */
    const char *loops;  /* the loop's first instruction */
} case_t;

static const case_t cases[] = {
    {"...e", "    ", "0000", "x...", "    "},
    /* a loop of one block, and a branch past it */
    {".c.c.e", " 4 2  ", "001100", "x.x.x.", "  22  "},
    /* two nested loops, the inner one of one block */
    {"...c.c.e", "   2 1  ", "01221100", "xxx.x.x.", " 12211  "},
    /* two branches back to one header are one loop */
    {"..c.c.e", "  1 1  ", "0111100", "xx.x.x.", " 1111  "},
    /* a loop that is left in its middle */
    {"..c.b.e", "  5 1  ", "0111100", "xx.x.x.", " 1111  "},
    /* two ways into it: neither end dominates the other, no loop */
    {"c..c.c.e", "4  6 2  ", "00000000", "xxx.x.x.", "        "},
    /* to itself */
    {".ce", " 1 ", "010", "xxx", " 1 "},
    /* what comes after an end is entered from elsewhere: a loop of its own */
    {".e.ce", "   2 ", "00110", "x.x.x", "  22 "},
    /* targets that are not there */
    {".c.e", " !  ", "0000", "x.x.", "    "},
    {"", "", "", "", ""},
};

static uint64_t place(char c)
{
    const int number = c >= 'A' ? c - 'A' + 10 : c - '0';
    return c == '!' ? 3 : 0x1000 + 4 * (uint64_t)number;
}

static void by_hand(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
        const case_t *c = &cases[k];
        const size_t n = strlen(c->kinds);
        ins_step_t steps[16] = {0};
        char depths[17] = "", blocks[17] = "", loops[17] = "";
        for (size_t i = 0; i < n; i++)
            steps[i] = (ins_step_t){.address = 0x1000 + 4 * i,
                                    .bytes = 4,
                                    .branches = strchr("bc", c->kinds[i]) != NULL,
                                    .falls = strchr(".c", c->kinds[i]) != NULL,
                                    .target = place(c->to[i])};
        assert_true(ins_blocks_find(steps, n));
        for (size_t i = 0; i < n; i++) {
            depths[i] = (char)('0' + steps[i].depth);
            blocks[i] = steps[i].block == steps[i].address ? 'x' : '.';
            loops[i] = steps[i].depth ? (char)('0' + (steps[i].loop - 0x1000) / 4) : ' ';
            if (i && blocks[i] == '.') assert_int_equal(steps[i].block, steps[i - 1].block);
        }
        assert_string_equal(blocks, c->blocks);
        assert_string_equal(depths, c->depths);
        assert_string_equal(loops, c->loops);
    }
}

/* What was not executed is a gap: nothing runs over it. */
static void gaps(void **state)
{
    (void)state;
    ins_step_t steps[3] = {{.address = 0, .bytes = 8, .falls = true},
                           {.address = 8, .bytes = 4, .falls = true},
                           {.address = 16, .bytes = 4, .branches = true, .target = 8}};
    assert_true(ins_blocks_find(steps, 3));
    assert_int_equal(steps[1].block, 8);
    assert_int_equal(steps[2].block, 16);
}

static void words(void **state)
{
    static const struct {
        uint32_t word;
        bool branches, falls;
        uint64_t target;
    } of[] = {
        {0xbf820003, true, false, 0x110}, /* s_branch 3 */
        {0xbf84fffe, true, true, 0xfc},   /* s_cbranch_scc0 -2 */
        {0xbf88ffff, true, true, 0x100},  /* s_cbranch_execz -1 */
        {0xbf810000, false, false, 0},    /* s_endpgm */
        {0xbf9b0000, false, false, 0},    /* s_endpgm_saved */
        {0xbe801d1e, false, false, 0},    /* s_setpc_b64 s[30:31] */
        {0xbe801e1e, false, true, 0},     /* s_swappc_b64 s[0:1], s[30:31], which is a call */
        {0xbe801f1e, false, false, 0},    /* s_rfe_b64 s[30:31] */
        {0x7e000280, false, true, 0},     /* v_mov_b32 v0, 0 */
        {0xffffffff, false, true, 0},     /* nothing */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
        ins_step_t s = {.address = 0x100};
        ins_step_decode(&s, &isa_archs[ISA_ARCH_gfx90a], &of[i].word, 1);
        assert_int_equal(s.branches, of[i].branches);
        assert_int_equal(s.falls, of[i].falls);
        assert_int_equal(s.bytes, 4);
        if (s.branches) assert_int_equal(s.target, of[i].target);
    }
}

/* Random branches: it ends, and everything that is said of a loop is consistent. */
static void at_random(void **state)
{
    enum { COUNT = 3000 };
    ins_step_t *steps = calloc(COUNT, sizeof(*steps));
    (void)state;
    assert_non_null(steps);
    srand(16);
    for (int round = 0; round < 20; round++) {
        for (unsigned i = 0; i < COUNT; i++)
            steps[i] = (ins_step_t){.address = 4 * i,
                                    .bytes = 4,
                                    .branches = rand() % 3 == 0,
                                    .falls = rand() % 5 != 0,
                                    .target = 4 * ((uint64_t)rand() % (COUNT + 9))};
        assert_true(ins_blocks_find(steps, COUNT));
        for (unsigned i = 0; i < COUNT; i++) {
            assert_true(steps[i].block <= steps[i].address);
            if (steps[i].depth) assert_true(steps[steps[i].loop / 4].depth >= 1);
            if (steps[i].depth) assert_int_equal(steps[steps[i].loop / 4].block, steps[i].loop);
        }
    }
    free(steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(gaps),
                                       cmocka_unit_test(words), cmocka_unit_test(at_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
