/* census_test.c - counts of single instructions, through the functions that profilers have.
 *
 * Expected numbers are written beside the instructions; lines of memory are counted again from a
 * map of the bytes that the lanes ask for. */
#include "rig.h"

#include "asm.h"
#include "softgpu/instruction_counts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#undef stop /* a macro of cmocka 2, and a member of the interface */

enum { MOST = 256, WAVES = 4 };

/* malloc() fails for this number of bytes, if it is not 0. */
static _Atomic size_t no_memory_of;
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    if (!bytes || bytes != no_memory_of) return __real_malloc(bytes);
    errno = ENOMEM;
    return NULL;
}

typedef struct {
    unsigned n_kernels, n;
    unsigned n_ends, n_at_end; /* of kernels; instructions when the last of them was told */
    softgpu_counted_kernel_t kernel[8];
    softgpu_instruction_t instruction[MOST];
} seen_t;

static void see_kernel(const softgpu_counted_kernel_t *k, void *user)
{
    seen_t *s = user;
    assert_true(k->size >= sizeof *k && s->n_kernels < 8);
    s->kernel[s->n_kernels++] = *k;
}

static void see_instruction(const softgpu_instruction_t *i, void *user)
{
    seen_t *s = user;
    assert_true(i->size >= sizeof *i && s->n < MOST && s->n_kernels);
    if (s->n && s->n_kernels == 1) assert_true(i->address > s->instruction[s->n - 1].address);
    s->instruction[s->n++] = *i;
}

static void see_end(void *user)
{
    seen_t *s = user;
    s->n_ends++;
    assert_int_equal(s->n_ends, s->n_kernels);
    s->n_at_end = s->n;
}

static softgpu_instruction_visitor_t visitor_of(seen_t *s)
{
    return (softgpu_instruction_visitor_t){.size = sizeof(softgpu_instruction_visitor_t),
                                           .kernel = see_kernel,
                                           .instruction = see_instruction,
                                           .user = s,
                                           .end = see_end};
}

static const softgpu_instruction_counts_api_t *api(void)
{
    const softgpu_instruction_counts_api_t *a = sg_census_api(SOFTGPU_INSTRUCTION_COUNTS_VERSION);
    assert_non_null(a);
    assert_true(a->size >= sizeof *a);
    return a;
}

/* Everything that was counted, which is then forgotten. */
static seen_t *take(void)
{
    seen_t *s = calloc(1, sizeof *s);
    assert_non_null(s);
    const softgpu_instruction_visitor_t v = visitor_of(s);
    assert_int_equal(api()->read(&(softgpu_instruction_range_t){.forget = true}, &v), 0);
    return s;
}

static void run(rig_queue_t *q, uint64_t kernel, uint64_t memory, uint32_t lds)
{
    rig_t *r = q->rig;
    const uint64_t args = rig_alloc(r, 16), signal = rig_signal(r, 1);
    memcpy(rig_ptr(r, args), &memory, sizeof memory);
    rig_dispatch(q, &(rig_dispatch_t){.kernel = kernel,
                                      .signal = signal,
                                      .args = args,
                                      .grid = {WAVES * 64},
                                      .group = {2 * 64},
                                      .lds = lds});
    assert_true(rig_wait(r, signal, 0));
}

/* What a line of text should come to for WAVES waves, in the order of the public counts. */
typedef struct {
    const char *text;
    uint64_t issued, lanes, bytes, lines, needed, atomics, lds_bytes, lds_clocks, lds_needed, taken,
        not_taken, divergent, lds_accesses;
} line_t;

static void check_line(const softgpu_instruction_counts_t *n, const line_t *l)
{
    const uint64_t expected[] = {l->issued,     l->lanes,      l->bytes,        l->lines,
                                 l->needed,     l->atomics,    l->lds_accesses, l->lds_bytes,
                                 l->lds_clocks, l->lds_needed, l->taken,        l->not_taken,
                                 l->divergent};
    static const char *const name[] = {
#define NAME(name, unit, meaning) #name,
        SOFTGPU_INSTRUCTION_COUNTS(NAME)
#undef NAME
    };
    const uint64_t got[] = {
#define VALUE(name, unit, meaning) n->name,
        SOFTGPU_INSTRUCTION_COUNTS(VALUE)
#undef VALUE
    };
    _Static_assert(sizeof got == sizeof expected, "a column for each count");
    for (unsigned k = 0; k < sizeof got / sizeof *got; k++)
        if (got[k] != expected[k])
            fail_msg("%s: %s is %llu, expected %llu", l->text, name[k], (unsigned long long)got[k],
                     (unsigned long long)expected[k]);
    uint64_t times = 0;
    for (unsigned k = 0; k < 9; k++)
        times += n->by_lanes[k];
    assert_int_equal(times, n->issued);
}

/* Assembles the lines, runs them, and compares each with its expectation. */
static void check_lines(const line_t *lines, unsigned n, uint64_t memory_bytes, uint32_t lds)
{
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const uint64_t memory = rig_alloc(r, memory_bytes);
    char *text = calloc(n, 96);
    assert_non_null(text);
    for (unsigned k = 0; k < n; k++) {
        strcat(text, lines[k].text);
        strcat(text, "\n");
    }
    const uint64_t kernel = rig_kernel(r, text, NULL);
    assert_int_equal(api()->start(NULL), 0);
    run(&q, kernel, memory, lds);
    assert_int_equal(api()->stop(), 0);
    run(&q, kernel, memory, lds); /* is not counted */
    seen_t *s = take();
    assert_int_equal(s->n_kernels, 1);
    assert_int_equal(s->kernel[0].kernel_object, kernel);
    assert_int_equal(s->kernel[0].dispatches, 1);
    assert_int_equal(s->kernel[0].waves, WAVES);
    assert_int_equal(s->kernel[0].lost, 0);
    assert_int_equal(s->n, n);
    for (unsigned k = 0; k < n; k++)
        check_line(&s->instruction[k].counts, &lines[k]);
    free(text);
    free(s);
    rig_close(&q);
    rig_destroy(r);
}

#define ALL(text)                                                                                  \
    {                                                                                              \
        text, 4, 256, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0                                              \
    }
#define NONE                0, 0, 0, 0, 0, 0, 0, 0, 0
#define RAN(waves, lanes)   waves, lanes, NONE, 0, 0
#define SPLIT(waves, lanes) waves, lanes, NONE, waves, 0

/* Four waves of 64 lanes; v0 is the lane's number within two waves, so each pair has 0..127. */
static void test_flow(void **state)
{
    (void)state;
    const line_t lines[] = {
        ALL("v_and_b32 v0, 63, v0"),
        ALL("s_movk_i32 s8, 3"),
        /* three rounds; the branch back is taken twice */
        {"again: v_cmp_gt_u32 vcc, 20, v0", RAN(12, 768)},
        {"s_and_saveexec_b64 s[10:11], vcc", SPLIT(12, 768)}, /* 20 of 64 */
        {"s_cbranch_execz 0", 12, 240, 0, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0},
        {"v_add_u32 v1, 1, v1", RAN(12, 240)},
        {"s_xor_b64 exec, exec, s[10:11]", RAN(12, 240)}, /* the others: no subset */
        {"v_add_u32 v2, 1, v2", RAN(12, 528)},
        {"s_mov_b64 exec, 0", RAN(12, 528)}, /* all lanes go: nothing is split */
        {"v_add_u32 v3, 1, v3", RAN(12, 0)},
        {"s_or_b64 exec, exec, s[10:11]", RAN(12, 0)},
        {"s_sub_u32 s8, s8, 1", RAN(12, 768)},
        {"s_cmp_lg_u32 s8, 0", RAN(12, 768)},
        {"s_cbranch_scc1 again", 12, 768, 0, 0, 0, 0, 0, 0, 0, 8, 4, 0, 0},
        {"s_branch 0", 4, 256, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0},
        ALL("s_endpgm"),
    };
    check_lines(lines, sizeof lines / sizeof *lines, 4096, 0);
}

static void test_memory(void **state)
{
    (void)state;
    const line_t lines[] = {
        {"s_load_dwordx2 s[8:9], s[0:1], 0x0", 4, 256, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
        ALL("v_and_b32 v0, 63, v0"),
        ALL("v_lshlrev_b32 v1, 2, v0"),
        ALL("v_lshlrev_b32 v2, 7, v0"),
        ALL("v_mov_b32 v3, 0"),
        ALL("s_waitcnt lgkmcnt(0)"),
        /* 64 dwords in a row: 4 lines of 64 bytes; from byte 4 on they reach into a fifth */
        {"global_load_dword v4, v1, s[8:9]", 4, 256, 1024, 16, 16, 0, 0, 0, 0, 0, 0, 0, 0},
        {"global_load_dword v4, v1, s[8:9] offset:4", 4, 256, 1024, 20, 16, 0, 0, 0, 0, 0, 0, 0, 0},
        /* 128 bytes apart: a line for each lane */
        {"global_load_dword v4, v2, s[8:9]", 4, 256, 1024, 256, 16, 0, 0, 0, 0, 0, 0, 0, 0},
        /* two dwords every 4 bytes overlap: 260 bytes, of 512 that were asked for */
        {"global_load_dwordx2 v[4:5], v1, s[8:9]", 4, 256, 2048, 20, 20, 0, 0, 0, 0, 0, 0, 0, 0},
        /* all of them the same dword */
        {"global_load_dword v4, v3, s[8:9]", 4, 256, 1024, 4, 4, 0, 0, 0, 0, 0, 0, 0, 0},
        {"global_atomic_add v3, v0, s[8:9]", 4, 256, 1024, 4, 4, 256, 0, 0, 0, 0, 0, 0, 0},
        {"s_mov_b64 exec, 0xff", SPLIT(4, 256)},
        {"global_store_dword v2, v0, s[8:9]", 4, 32, 128, 32, 4, 0, 0, 0, 0, 0, 0, 0, 0},
        {"s_mov_b64 exec, 0", RAN(4, 32)},
        {"global_store_dword v2, v0, s[8:9]", RAN(4, 0)},
        {"s_endpgm", RAN(4, 0)},
    };
    check_lines(lines, sizeof lines / sizeof *lines, 64 * 128 + 64, 0);
}

static void test_lds(void **state)
{
    (void)state;
    const line_t lines[] = {
        ALL("v_and_b32 v0, 63, v0"),
        ALL("v_lshlrev_b32 v1, 2, v0"),
        ALL("v_lshlrev_b32 v2, 3, v0"),
        ALL("v_lshlrev_b32 v3, 7, v0"),
        ALL("v_mov_b32 v4, 0"),
        /* 32 banks serve 32 lanes a clock */
        {"ds_write_b32 v1, v0", 4, 256, 0, 0, 0, 0, 1024, 8, 8, 0, 0, 0, 4},
        /* every second bank: two dwords in each */
        {"ds_read_b32 v5, v2", 4, 256, 0, 0, 0, 0, 1024, 16, 8, 0, 0, 0, 4},
        /* 32 dwords apart: all in one bank, a clock for each lane */
        {"ds_read_b32 v5, v3", 4, 256, 0, 0, 0, 0, 1024, 256, 8, 0, 0, 0, 4},
        /* the same dword for all: one clock for each half */
        {"ds_read_b32 v5, v4", 4, 256, 0, 0, 0, 0, 1024, 8, 8, 0, 0, 0, 4},
        /* 16 lanes of 8 bytes a clock */
        {"ds_read_b64 v[6:7], v2", 4, 256, 0, 0, 0, 0, 2048, 16, 16, 0, 0, 0, 4},
        /* atomics of one dword: one after the other */
        {"ds_add_u32 v4, v0", 4, 256, 0, 0, 0, 256, 1024, 256, 8, 0, 0, 0, 4},
        /* two elements, of which the second is as far from lane to lane */
        {"ds_read2_b32 v[6:7], v1 offset1:64", 4, 256, 0, 0, 0, 0, 2048, 16, 16, 0, 0, 0, 8},
        {"ds_swizzle_b32 v5, v0 offset:0x041f", 4, 256, 0, 0, 0, 0, 0, 8, 8, 0, 0, 0, 0},
        ALL("s_waitcnt lgkmcnt(0)"),
        ALL("s_barrier"),
        ALL("s_endpgm"),
    };
    check_lines(lines, sizeof lines / sizeof *lines, 64, 64 * 128);
}

/* Lines that the elements of lanes from..63 are in, from a map of every byte. */
static unsigned lines_by_map(unsigned from, unsigned first, unsigned step, unsigned bytes)
{
    static uint8_t asked[64 * 64 + 256];
    unsigned lines = 0;
    memset(asked, 0, sizeof asked);
    for (unsigned lane = from; lane < 64; lane++)
        memset(&asked[first + lane * step], 1, bytes);
    for (unsigned line = 0; line < sizeof asked; line += 64)
        lines += memchr(&asked[line], 1, 64) != NULL;
    return lines;
}

/* Elements of 1 to 16 bytes, 0 to 64 bytes apart, from any place in a line: once as they are and
 * once with a lane left out, which goes another way inside. */
static void test_strides(void **state)
{
    static const struct {
        const char *load;
        unsigned bytes;
    } width[] = {{"ubyte", 1}, {"ushort", 2}, {"dword", 4}, {"dwordx2", 8}, {"dwordx4", 16}};
    (void)state;
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const uint64_t memory = rig_alloc(r, 64 * 64 + 256);
    for (unsigned k = 0; k < 5; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "s_load_dwordx4 s[8:11], s[0:1], 0x0\n"
                 "v_and_b32 v0, 63, v0\n"
                 "s_waitcnt lgkmcnt(0)\n"
                 "v_mul_lo_u32 v1, v0, s10\n"
                 "global_load_%s v[4%s], v1, s[8:9]\n"
                 "s_mov_b64 exec, -2\n"
                 "global_load_%s v[4%s], v1, s[8:9]\n"
                 "s_endpgm\n",
                 width[k].load,
                 k == 3   ? ":5"
                 : k == 4 ? ":7"
                          : "",
                 width[k].load,
                 k == 3   ? ":5"
                 : k == 4 ? ":7"
                          : "");
        const uint64_t kernel = rig_kernel(r, text, NULL);
        for (unsigned step = 0; step <= 64; step += k < 2 ? 1u : 4u)
            for (unsigned first = 0; first < 64; first += step % 3 ? 20 : 4) {
                const uint64_t args = rig_alloc(r, 16), signal = rig_signal(r, 1);
                memcpy(rig_ptr(r, args), (uint64_t[]){memory + first, step}, 16);
                assert_int_equal(api()->start(NULL), 0);
                rig_dispatch(&q, &(rig_dispatch_t){.kernel = kernel,
                                                   .signal = signal,
                                                   .args = args,
                                                   .grid = {64},
                                                   .group = {64}});
                assert_true(rig_wait(r, signal, 0));
                assert_int_equal(api()->stop(), 0);
                seen_t *s = take();
                assert_int_equal(s->n, 8);
                assert_int_equal(s->instruction[4].counts.lines,
                                 lines_by_map(0, first, step, width[k].bytes));
                assert_int_equal(s->instruction[6].counts.lines,
                                 lines_by_map(1, first, step, width[k].bytes));
                free(s);
            }
    }
    rig_close(&q);
    rig_destroy(r);
}

static bool only_that(const softgpu_counted_dispatch_t *d, uint64_t *group, void *user)
{
    (void)group;
    return d->kernel_object == *(uint64_t *)user;
}

static const char short_text[] = "v_mov_b32 v1, 0\ns_endpgm\n";

static void test_reading(void **state)
{
    (void)state;
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    uint64_t kernel[3];
    for (unsigned k = 0; k < 3; k++)
        kernel[k] = rig_kernel(r, short_text, NULL);
    softgpu_instruction_options_t options = {
        .size = sizeof options, .wanted = only_that, .user = &kernel[1]};
    assert_null(sg_census_api(SOFTGPU_INSTRUCTION_COUNTS_VERSION + 1));
    assert_int_equal(api()->stop(), EINVAL);
    assert_int_equal(api()->start(&options), 0);
    assert_int_equal(api()->start(&options), EBUSY);
    for (unsigned k = 0; k < 3; k++)
        run(&q, kernel[k], 0, 0);
    assert_int_equal(api()->stop(), 0);
    options.level = SOFTGPU_INSTRUCTION_MODEL_LEVEL + 1;
    assert_int_equal(api()->start(&options), EINVAL);
    options.level = SOFTGPU_INSTRUCTION_EXACT_LEVEL;
    options.size = 8;
    assert_int_equal(api()->start(&options), EINVAL);

    /* sums over both times; kernel 2 ended first after kernel 1 */
    assert_int_equal(api()->start(NULL), 0);
    for (unsigned k = 3; k-- > 1;)
        run(&q, kernel[k], 0, 0);
    assert_int_equal(api()->stop(), 0);
    seen_t s = {0};
    softgpu_instruction_visitor_t v = visitor_of(&s);
    assert_int_equal(api()->read(NULL, &v), 0);
    assert_int_equal(s.n_kernels, 2);
    assert_int_equal(s.kernel[0].kernel_object, kernel[1]);
    assert_int_equal(s.kernel[0].dispatches, 2);
    assert_int_equal(s.kernel[1].kernel_object, kernel[2]);
    assert_int_equal(s.n, 4);
    assert_int_equal(s.n_ends, 2);
    assert_int_equal(s.n_at_end, 4);
    v.size = offsetof(softgpu_instruction_visitor_t, end); /* as profilers were built before */
    memset(&s, 0, sizeof s);
    assert_int_equal(api()->read(NULL, &v), 0);
    assert_int_equal(s.n, 4);
    assert_int_equal(s.n_ends, 0);
    v.size = sizeof v;
    assert_int_equal(s.instruction[0].counts.issued, 2 * WAVES);
    assert_int_equal(s.instruction[2].counts.issued, WAVES);

    /* the first instruction of kernel 1 goes; then the rest of it, and nothing else */
    const uint64_t first = s.instruction[0].address;
    softgpu_instruction_range_t range = {first, first + 4, true};
    memset(&s, 0, sizeof s);
    assert_int_equal(api()->read(&range, &v), 0);
    assert_int_equal(s.n, 1);
    range.end += 4;
    memset(&s, 0, sizeof s);
    assert_int_equal(api()->read(&range, &v), 0);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.instruction[0].address, first + 4);
    seen_t *rest = take();
    assert_int_equal(rest->n_kernels, 1);
    assert_int_equal(rest->kernel[0].kernel_object, kernel[2]);
    free(rest);
    rest = take();
    assert_int_equal(rest->n_kernels, 0);
    free(rest);
    v.size = 8;
    assert_int_equal(api()->read(NULL, &v), EINVAL);
    rig_close(&q);
    rig_destroy(r);
}

/* A kernel without statements: some 2^26 workgroups of 64 items, and one of 32 at the edge. Kernels
 * before and after it count once. */
static void test_empty_kernel(void **state)
{
    static const uint64_t full = (UINT64_C(1) << 26) - 1;
    (void)state;
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const uint64_t empty = rig_kernel(r, "s_endpgm\n", NULL),
                   other = rig_kernel(r, short_text, NULL), signal = rig_signal(r, 1);
    assert_int_equal(api()->start(NULL), 0);
    run(&q, other, 0, 0);
    rig_dispatch(&q, &(rig_dispatch_t){.kernel = empty,
                                       .signal = signal,
                                       .grid = {(uint32_t)(64 * full + 32)},
                                       .group = {64}});
    assert_true(rig_wait(r, signal, 0));
    run(&q, other, 0, 0);
    assert_int_equal(api()->stop(), 0);
    seen_t *s = take();
    assert_int_equal(s->n_kernels, 2);
    for (unsigned k = 0, at = 0; k < 2; at += s->kernel[k++].kernel_object == empty ? 1 : 2) {
        const softgpu_instruction_counts_t *n = &s->instruction[at].counts;
        const bool is_empty = s->kernel[k].kernel_object == empty;
        assert_int_equal(s->kernel[k].waves, is_empty ? full + 1 : 2 * WAVES);
        assert_int_equal(n->issued, is_empty ? full + 1 : 2 * WAVES);
        assert_int_equal(n->lanes, is_empty ? 64 * full + 32 : 2 * 64 * WAVES);
        assert_int_equal(n->by_lanes[8], is_empty ? full : 2 * WAVES);
        assert_int_equal(n->by_lanes[4], is_empty);
    }
    free(s);
    rig_close(&q);
    rig_destroy(r);
}

static void test_each_dispatch(void **state)
{
    (void)state;
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const uint64_t kernel = rig_kernel(r, short_text, NULL);
    seen_t s = {0};
    const softgpu_instruction_visitor_t v = visitor_of(&s);
    assert_int_equal(api()->start(&(softgpu_instruction_options_t){
                         .size = sizeof(softgpu_instruction_options_t), .each_dispatch = &v}),
                     0);
    for (unsigned k = 0; k < 3; k++) {
        run(&q, kernel, 0, 0); /* told before its signal */
        assert_int_equal(s.n_kernels, k + 1);
        assert_int_equal(s.kernel[k].dispatches, 1);
        assert_int_equal(s.kernel[k].waves, WAVES);
        assert_true(s.kernel[k].start_ns && s.kernel[k].end_ns >= s.kernel[k].start_ns);
        assert_int_equal(s.instruction[2 * k].counts.issued, WAVES);
        assert_int_equal(s.n_ends, k + 1);
        assert_int_equal(s.n_at_end, 2 * (k + 1));
    }
    assert_int_equal(api()->stop(), 0);
    seen_t *rest = take();
    assert_int_equal(rest->n_kernels, 0);
    free(rest);
    rig_close(&q);
    rig_destroy(r);
}

/* Without memory to sort a kernel's instructions, counts can be read later; of a dispatch that is
 * told when it ends it is said that they are lost. Neither looks whole. */
static void test_no_memory(void **state)
{
    enum { INSTRUCTIONS = 38 };
    char text[1024];
    size_t used = 0;
    (void)state;
    for (unsigned k = 1; k < INSTRUCTIONS; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "v_mov_b32 v1, 0\n");
    snprintf(text + used, sizeof text - used, "s_endpgm\n");
    rig_t *r = rig_create(2);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const uint64_t kernel = rig_kernel(r, text, NULL);
    seen_t s = {0};
    const softgpu_instruction_visitor_t v = visitor_of(&s);
    assert_int_equal(api()->start(NULL), 0);
    run(&q, kernel, 0, 0);
    assert_int_equal(api()->stop(), 0);
    no_memory_of = (INSTRUCTIONS + 1) * sizeof(void *);
    assert_int_equal(api()->read(&(softgpu_instruction_range_t){.forget = true}, &v), ENOMEM);
    no_memory_of = 0;
    assert_int_equal(s.n_kernels + s.n + s.n_ends, 0);
    seen_t *later = take();
    assert_int_equal(later->n, INSTRUCTIONS);
    free(later);

    const softgpu_instruction_options_t options = {.size = sizeof options, .each_dispatch = &v};
    assert_int_equal(api()->start(&options), 0);
    for (unsigned k = 0; k < 3; k++) {
        no_memory_of = k == 1 ? (INSTRUCTIONS + 1) * sizeof(void *) : 0;
        run(&q, kernel, 0, 0);
        no_memory_of = 0;
        assert_int_equal(s.n_kernels, k + 1);
        assert_int_equal(s.n_ends, k + 1);
        assert_int_equal(s.kernel[k].lost, k == 1);
        assert_int_equal(s.n, INSTRUCTIONS * (k ? k : 1));
    }
    assert_int_equal(api()->stop(), 0);
    rig_close(&q);
    rig_destroy(r);
}

/* ---- caches and clocks ---- */

/* What the model makes of a line of text for one wave; what is left out is 0. */
typedef struct {
    const char *text;
    softgpu_instruction_counts_t n;
} modelled_t;

static void check_model(const modelled_t *lines, unsigned n)
{
    rig_t *r = rig_create(2);
    rig_queue_t q;
    char text[1024] = "";
    assert_true(rig_aql(r, &q));
    for (unsigned k = 0; k < n; k++)
        strcat(strcat(text, lines[k].text), "\n");
    const softgpu_instruction_options_t options = {.size = sizeof options,
                                                   .level = SOFTGPU_INSTRUCTION_MODEL_LEVEL};
    const uint64_t kernel = rig_kernel(r, text, NULL), memory = rig_alloc(r, 4096),
                   args = rig_alloc(r, 16), signal = rig_signal(r, 1);
    memcpy(rig_ptr(r, args), &memory, sizeof memory);
    assert_int_equal(api()->start(&options), 0);
    rig_dispatch(
        &q, &(rig_dispatch_t){
                .kernel = kernel, .signal = signal, .args = args, .grid = {64}, .group = {64}});
    assert_true(rig_wait(r, signal, 0));
    assert_int_equal(api()->stop(), 0);
    seen_t *s = take();
    assert_int_equal(s->n, n);
    for (unsigned k = 0; k < n; k++) {
#define CHECK(name, unit, meaning)                                                                 \
    if (s->instruction[k].counts.name != lines[k].n.name)                                          \
        fail_msg("%s: " #name " is %llu, expected %llu", lines[k].text,                            \
                 (unsigned long long)s->instruction[k].counts.name,                                \
                 (unsigned long long)lines[k].n.name);
        SOFTGPU_INSTRUCTION_MODEL(CHECK)
#undef CHECK
    }
    free(s);
    rig_close(&q);
    rig_destroy(r);
}

/* The example of docs/counters.md. The code comes from memory: two lines of 64 bytes in one line of
 * L2, which misses. */
static void test_clocks(void **state)
{
    (void)state;
    const modelled_t lines[] = {
        {"v_mov_b32 v1, 1.0",
         {.l2_misses = 1, /* an entry of the page table */
          .memory_bytes = 64,
          .code_fetches = 1,
          .code_misses = 1,
          .code_l2_misses = 1,
          .wait_code = 800,
          .issue = 4}},
        {"v_rcp_f32 v1, v1", {.issue = 16}},
        {"v_mul_lo_u32 v1, v1, v1", {.issue = 4}},
        {"s_nop 3", {.issue = 16}},
        {"s_sleep 1", {.issue = 4, .wait_sleep = 64}},
        {"s_endpgm", {.issue = 4}},
    };
    check_model(lines, sizeof lines / sizeof *lines);
}

/* The example of docs/counter-model.md: 4 lines of 64 bytes, 2 of L2. */
static void test_caches(void **state)
{
    (void)state;
    const modelled_t lines[] = {
        /* 6 instructions of 32 bytes */
        {"s_load_dwordx2 s[8:9], s[0:1], 0x0",
         {.l2_misses =
              2, /* its line, and the page table's entry of all memory here, for its code */
          .memory_bytes = 128 + 64,
          .scalar_misses = 1,
          .code_fetches = 1,
          .code_misses = 1,
          .code_l2_misses = 1,
          .latency = 800,
          .issue = 4,
          .wait_code = 800}},
        {"v_lshlrev_b32 v1, 2, v0", {.issue = 4}},
        {"s_nop 0", {.issue = 4}},
        /* asked for at 0, there at 800; three instructions have gone by */
        {"s_waitcnt lgkmcnt(0)", {.issue = 4, .wait_scalar = 800 - 12}},
        /* the translation of the first is missed, which takes 100 */
        {"global_load_dword v2, v1, s[8:9]",
         {.l1_misses = 4,
          .tlb_misses = 1,
          .l2_misses = 2,
          .memory_bytes = 256,
          .latency = 900,
          .issue = 4}},
        {"s_nop 0", {.issue = 4}},
        /* the next 32 bytes of code are there: asked for ahead */
        {"s_waitcnt vmcnt(0)", {.code_fetches = 1, .issue = 4, .wait_vector = 900 - 8}},
        {"v_add_u32 v2, 1, v2", {.issue = 4}},
        /* L1 writes through; all of it is in L2 */
        {"global_store_dword v1, v2, s[8:9]",
         {.l1_misses = 4, .l2_hits = 4, .latency = 223, .issue = 4}},
        /* L1 has it, the last look-up is the fourth */
        {"global_load_dword v2, v1, s[8:9]", {.l1_hits = 4, .latency = 123, .issue = 4}},
        {"s_nop 1", {.issue = 8}},
        {"s_endpgm", {.issue = 4}},
    };
    check_model(lines, sizeof lines / sizeof *lines);
}

/* Two waves on each of two units read LDS, each 32 times for 64 clocks, as all lanes meet in one
 * bank: the pipe is through with the first after 2048 clocks, with the other after 4096. */
static void test_contention(void **state)
{
    (void)state;
    enum { PIPE = 32 * 64, UNITS = 2, SLEEP = 5 };
    static const char text[] = "v_lshlrev_b32 v1, 7, v0\n"
                               "v_and_b32 v1, 0x1fff, v1\n"
                               "s_movk_i32 s9, 32\n"
                               ".fill 4, 4, 0xbf800000\n"
                               "again: ds_read_b32 v2, v1\n" /* at 32: one piece of code */
                               "s_sub_u32 s9, s9, 1\n"
                               "s_cmp_lg_u32 s9, 0\n"
                               "s_cbranch_scc1 again\n"
                               "v_readfirstlane_b32 s8, v0\n"
                               "s_cmp_eq_u32 s8, 0\n"
                               "s_cbranch_scc1 on\n"
                               "s_sleep 5\n" /* the second of the two */
                               "on: s_barrier\n"
                               "s_endpgm\n";
    rig_t *r = rig_create(UNITS);
    rig_queue_t q;
    assert_true(rig_aql(r, &q));
    const softgpu_instruction_options_t options = {.size = sizeof options,
                                                   .level = SOFTGPU_INSTRUCTION_MODEL_LEVEL};
    assert_int_equal(api()->start(&options), 0);
    run(&q, rig_kernel(r, text, NULL), 0, 8192);
    assert_int_equal(api()->stop(), 0);
    seen_t *s = take();
    uint64_t stalls = 0, alone = 0, barrier = 0;
    for (unsigned k = 0; k < s->n; k++) {
        const softgpu_instruction_counts_t *n = &s->instruction[k].counts;
        const bool reads = n->lds_clocks != 0;
        stalls += n->stall_lds;
        alone += n->issue + n->wait_code + n->wait_lds + n->wait_barrier + n->wait_sleep;
        if (reads) assert_true(n->stall_lds > 0);
        if (!reads) assert_int_equal(n->stall_lds, 0);
        barrier += n->wait_barrier;
        assert_true(!n->wait_barrier || s->instruction[k].words[0] == 0xbf8a0000);
    }
    assert_int_equal(barrier, UNITS * (4 + 64 * SLEEP));
    assert_int_equal(stalls, UNITS * (PIPE + 2 * PIPE) - alone);
    free(s);
    rig_close(&q);
    rig_destroy(r);
}

static bool in_turns(const softgpu_counted_dispatch_t *d, uint64_t *group, void *user)
{
    unsigned *n = user;
    assert_int_equal(d->grid[0], WAVES * 64);
    assert_int_equal(d->workgroup[0], 128);
    *group = 10 + (*n)++ % 2;
    return true;
}

static void test_groups(void **state)
{
    (void)state;
    rig_t *r = rig_create(2);
    rig_queue_t q;
    unsigned turns = 0;
    seen_t s = {0};
    const softgpu_instruction_visitor_t v = visitor_of(&s);
    assert_true(rig_aql(r, &q));
    const uint64_t kernel = rig_kernel(r, short_text, NULL);
    assert_int_equal(
        api()->start(&(softgpu_instruction_options_t){
            .size = sizeof(softgpu_instruction_options_t), .wanted = in_turns, .user = &turns}),
        0);
    for (unsigned k = 0; k < 3; k++)
        run(&q, kernel, 0, 0);
    assert_int_equal(api()->stop(), 0);
    assert_int_equal(api()->read(&(softgpu_instruction_range_t){.forget = true}, &v), 0);
    assert_int_equal(s.n_kernels, 2);
    for (unsigned k = 0; k < 2; k++) {
        assert_int_equal(s.kernel[k].kernel_object, kernel);
        assert_int_equal(s.kernel[k].group, 10 + k);
        assert_int_equal(s.kernel[k].dispatches, 2 - k);
        assert_int_equal(s.instruction[2 * k].counts.issued, (2 - k) * WAVES);
    }
    rig_close(&q);
    rig_destroy(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flow),      cmocka_unit_test(test_memory),
        cmocka_unit_test(test_lds),       cmocka_unit_test(test_strides),
        cmocka_unit_test(test_reading),   cmocka_unit_test(test_each_dispatch),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_caches),    cmocka_unit_test(test_contention),
        cmocka_unit_test(test_groups),    cmocka_unit_test(test_empty_kernel),
    };
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
