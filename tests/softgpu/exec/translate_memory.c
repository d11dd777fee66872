/* translate_memory.c - loads from memory in translated code: what they load, which lanes they leave
 * alone, and where they fault, as interpreted.
 *
 * Each program is a loop with random loads, alone and beside each other. What matters is in the
 * registers: places side by side, of one element, of a few lanes beside each other, anywhere,
 * unaligned, in two extents, beyond the end, with any EXEC. */
#include "translate_rig.h"

enum {
    LOADS = 5,          /* of a program at most */
    BEHIND_BYTES = 4096 /* of the extent behind the rig's data */
};

static _Alignas(4096) uint8_t behind[BEHIND_BYTES];

/* ---- random programs ---- */

static const struct {
    const char *name;
    unsigned rows;
} kinds[] = {{"dword", 1},        {"dwordx2", 2},      {"dwordx3", 3},   {"dwordx4", 4},
             {"ubyte", 1},        {"sbyte", 1},        {"ushort", 1},    {"sshort", 1},
             {"ubyte_d16", 1},    {"ubyte_d16_hi", 1}, {"sbyte_d16", 1}, {"short_d16", 1},
             {"short_d16_hi", 1}, {"sbyte_d16_hi", 1}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Rows of addresses: v2 is added to s[0:1], v[4:5] is a whole address. */
static int put_load(char *text, size_t room, unsigned dst)
{
    const unsigned k = random32() % 3 ? random32() % 4 : random32() % KINDS;
    const unsigned offset = random32() % 2 ? random32() % 64 : 0;
    char to[24];
    snprintf(to, sizeof to, kinds[k].rows > 1 ? "v[%u:%u]" : "v%u", dst, dst + kinds[k].rows - 1);
    switch (random32() % 4) {
    case 0:
        return snprintf(text, room, "global_load_%s %s, v[4:5], off offset:%u\n", kinds[k].name, to,
                        offset);
    case 1:
        return snprintf(text, room, "flat_load_%s %s, v[4:5] offset:%u\n", kinds[k].name, to,
                        offset);
    default:
        return snprintf(text, room, "global_load_%s %s, v2, s[0:1] offset:%u\n", kinds[k].name, to,
                        offset);
    }
}

/* Now and then a load writes the registers of another one, or of addresses. */
static unsigned random_row(void)
{
    return random32() % 8 ? 10 + 2 * (random32() % 10) : random32() % 2 ? 2 : 4;
}

static void make_program(char *text, size_t room)
{
    const unsigned n = 1 + random32() % LOADS;
    size_t at = (size_t)snprintf(text, room, "again: v_add_u32 v30, v10, v30\n");
    for (unsigned k = 0; k < n; k++) {
        at += (size_t)put_load(text + at, room - at, random_row());
        if (random32() % 4 == 0)
            at += (size_t)snprintf(text + at, room - at, "v_xor_b32 v31, v12, v31\n");
        if (random32() % 8 == 0)
            at += (size_t)snprintf(text + at, room - at, "s_add_u32 s0, s0, 4\n");
    }
    snprintf(text + at, room - at,
             "s_waitcnt vmcnt(0)\n v_add_f32 v30, v10, v12\n v_add_u32 v31, v14, v31\n"
             "s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n s_cbranch_scc1 again\n s_endpgm\n");
}

/* ---- random places ---- */

typedef enum { SIDE, ONE, BY_EIGHT, ANYWHERE, OVER_BORDER, OVER_END, OFF_ONE, PLACES } places_t;

/* Offsets from the begin of the data, behind which are those of `behind`. */
static uint32_t place_of(places_t places, unsigned l, uint32_t from, uint32_t step)
{
    enum { ALL = RIG_DATA_BYTES + BEHIND_BYTES };
    switch (places) {
    case SIDE: return from % 4096 + step * l;
    case ONE: return from % 4096;
    case BY_EIGHT: return (from * (l / 8 + 1)) % 4096 + step * l;
    case OVER_BORDER: return RIG_DATA_BYTES - 32 * step + step * l;
    case OVER_END: return ALL - 60 * step + step * l;
    case OFF_ONE: return from % 4096 + step * l + (l == 40 ? 1 : 0);
    default: return random32() % (RIG_DATA_BYTES - 128);
    }
}

static void make_places(before_t *b, places_t places)
{
    static const uint32_t steps[] = {4, 8, 16, 2, 1, 12};
    const uint32_t from = random32() & (random32() % 2 ? ~3u : ~0u);
    const uint32_t step = steps[random32() % 6];
    b->sgpr[0] = (uint32_t)RIG_DATA;
    b->sgpr[1] = (uint32_t)(RIG_DATA >> 32);
    for (unsigned l = 0; l < 64; l++) {
        const uint32_t at = place_of(places, l, from, step);
        b->row[2][l] = at;
        b->row[4][l] = (uint32_t)(RIG_DATA + at);
        b->row[5][l] = (uint32_t)(RIG_DATA >> 32);
    }
    if (random32() % 16 == 0) b->row[5][random32() % 64] = 1;
}

static uint64_t random_exec(void)
{
    switch (random32() % 6) {
    case 0: return UINT64_MAX;
    case 1: return UINT64_C(1) << random32() % 64;
    case 2: return UINT64_C(0xff00ff0f) << random32() % 32;
    case 3: return random32() % 4 ? UINT64_MAX << 5 : 0;
    case 4: return UINT64_C(5) << random32() % 60;
    default: return random32() | (uint64_t)random32() << 32;
    }
}

/* ---- tests ---- */

static void fill(pair_t *p)
{
    for (unsigned k = 0; k < RIG_DATA_BYTES; k++)
        p->interpreted->data[k] = p->translated->data[k] = (uint8_t)(random32() >> 3);
    for (unsigned k = 0; k < BEHIND_BYTES; k++)
        behind[k] = (uint8_t)(random32() >> 3);
}

/* Another extent follows the data, whose host memory does not. */
static pair_t make_memory(const char *core)
{
    pair_t p = make_pair(core);
    rig_t *const rig[2] = {p.interpreted, p.translated};
    for (unsigned k = 0; k < 2; k++)
        assert_int_equal(
            sg_memory_map(rig[k]->memory, RIG_DATA + RIG_DATA_BYTES, BEHIND_BYTES, behind, 0), 0);
    fill(&p);
    return p;
}

static void random_loads(void **state)
{
    static const char *const hosts[] = {"avx2", "avx512"};
    const char *wanted = getenv("TRANSLATE_LOOPS");
    const unsigned programs = wanted ? (unsigned)atoi(wanted) : 40;
    (void)state;
    for (unsigned h = 0; h < 2; h++) {
        if (!isa_core_by_name(hosts[h])) continue;
        pair_t p = make_memory(hosts[h]);
        const uint64_t begin = translated_instructions();
        for (unsigned n = 0; n < programs; n++) {
            char text[1024];
            seed = 1000 + n;
            make_program(text, sizeof text);
            put_pair(&p, text);
            for (unsigned k = 0; k < 2 * PLACES; k++) {
                before_t b;
                char what[1200];
                make_state(&b, true, 0x2f0);
                make_places(&b, k % PLACES);
                b.exec = k < 2 ? UINT64_MAX : random_exec();
                snprintf(what, sizeof what, "%s, places %u, EXEC %llx: %s", hosts[h], k % PLACES,
                         (unsigned long long)b.exec, text);
                counted = n % 2;
                run_pair(&p, &b, RIG_SLICE, what);
            }
        }
        counted = false;
        assert_true(translated_instructions() - begin > 10 * programs);
        free_pair(&p);
    }
}

/* In the second round, the first that is translated, the second of three loads faults: of that
 * round the first one's result is there, the third one's is not. */
static void fault_in_the_middle(void **state)
{
    enum { LANE = 37, FAR = 0x100000 };
    static const char text[] = "again: v_add_u32 v2, v7, v2\n v_add_u32 v3, v8, v3\n"
                               "global_load_dword v10, v2, s[0:1]\n"
                               "global_load_dword v11, v3, s[0:1]\n"
                               "global_load_dword v12, v2, s[0:1] offset:8\n"
                               "s_waitcnt vmcnt(0)\n s_sub_u32 s98, s98, 1\n s_cmp_lg_u32 s98, 0\n"
                               "s_cbranch_scc1 again\n s_endpgm\n";
    pair_t p = make_memory("avx2");
    before_t b;
    (void)state;
    make_state(&b, true, 0x2f0);
    make_places(&b, SIDE);
    for (unsigned l = 0; l < 64; l++) {
        b.row[7][l] = 4;
        b.row[2][l] = 4 * l - 4;
        b.row[8][l] = l == LANE ? FAR : 0;
        b.row[3][l] = 4 * l - b.row[8][l];
    }
    const uint64_t begin = translated_instructions();
    put_pair(&p, text);
    run_pair(&p, &b, RIG_SLICE, text);
    const rig_t *r = p.translated;
    uint32_t first, third;
    memcpy(&first, r->data + 4 * 63 + 4, 4);
    memcpy(&third, r->data + 4 * 63 + 8, 4); /* of the first round */
    assert_true(translated_instructions() > begin);
    assert_int_equal(r->wave.stop, ISA_STOP_MEMORY);
    assert_true(r->wave.fault_addr == RIG_DATA + 4 * LANE + FAR);
    assert_int_equal(r->rows[10][63], first);
    assert_int_equal(r->rows[12][63], third);
    free_pair(&p);
}

int main(void)
{
    if (!asm_available()) return 77;
    isa_translate_limit(UINT64_MAX);
    if (!translates_here()) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_loads),
                                       cmocka_unit_test(fault_in_the_middle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
