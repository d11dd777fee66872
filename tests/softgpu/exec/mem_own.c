/* mem_own.c - loads whose destination is or has the register of their address give what the same
 * loads give elsewhere: 1 to 4 dwords, all lanes or some, side by side, scattered or at one place,
 * on every core. */
#include "mem_rig.h"

enum { ELSEWHERE = 16, ROWS = 6 };

/* A load of `dwords` dwords with its address at `address`, into the registers from `own` on; %s is
 * the destination. The address's high dword, if there is one, is RIG_VA's. */
typedef struct {
    const char *text;
    unsigned dwords, address, own;
    bool memory;
} load_t;

#define DS(name, n, address, own)                                                                  \
    {                                                                                              \
        "ds_read_" name " %s, v" #address, n, address, own, false                                  \
    }
#define DS2(name, n, address, own, off)                                                            \
    {                                                                                              \
        "ds_read2_" name " %s, v" #address " offset1:" #off, n, address, own, false                \
    }
#define FLAT(kind, name, n, off, address, high, own)                                               \
    {                                                                                              \
        kind "_load_dword" name " %s, v[" #address ":" #high "]" off, n, address, own, true        \
    }
#define BUFFER(name, n, address, own)                                                              \
    {                                                                                              \
        "buffer_load_dword" name " %s, v" #address ", s[4:7], 0 offen", n, address, own, false     \
    }

static const load_t loads[] = {
    DS("b32", 1, 2, 2),
    DS("b64", 2, 2, 2),
    DS("b64", 2, 3, 2),
    DS("b96", 3, 2, 2),
    DS("b96", 3, 3, 2),
    DS("b96", 3, 4, 2),
    DS("b128", 4, 2, 2),
    DS("b128", 4, 3, 2),
    DS("b128", 4, 4, 2),
    DS("b128", 4, 5, 2),
    DS2("b32", 2, 2, 2, 1),
    DS2("b32", 2, 3, 2, 9),
    DS2("b64", 4, 2, 2, 1),
    DS2("b64", 4, 3, 2, 5),
    DS2("b64", 4, 5, 2, 5),
    FLAT("global", "", 1, ", off", 2, 3, 2),
    FLAT("global", "", 1, ", off", 2, 3, 3),
    FLAT("global", "x2", 2, ", off", 2, 3, 2),
    FLAT("global", "x2", 2, ", off", 4, 5, 4),
    FLAT("global", "x3", 3, ", off", 2, 3, 2),
    FLAT("global", "x3", 3, ", off", 4, 5, 2),
    FLAT("global", "x4", 4, ", off", 2, 3, 2),
    FLAT("global", "x4", 4, ", off", 4, 5, 2),
    FLAT("flat", "", 1, "", 2, 3, 2),
    FLAT("flat", "x4", 4, "", 2, 3, 2),
    FLAT("flat", "x4", 4, "", 4, 5, 2),
    BUFFER("", 1, 2, 2),
    BUFFER("x2", 2, 3, 2),
    BUFFER("x3", 3, 4, 2),
    BUFFER("x4", 4, 2, 2),
    BUFFER("x4", 4, 5, 2),
};
enum { LOADS = sizeof loads / sizeof *loads };

typedef enum { SIDE_BY_SIDE, SCATTERED, ONE_PLACE, OUTSIDE, WAYS } way_t;

static uint32_t offset_of(const load_t *x, way_t way, unsigned l)
{
    if (way == ONE_PLACE) return 48;
    if (way == SCATTERED) return l * 37 % 64 * 16;
    /* each fourth lane is beyond LDS or the buffer; memory has pages there */
    if (way == OUTSIDE && l % 4 == 1) return x->memory ? RIG_EXTENT + 16 * l : 0x100000 + 16 * l;
    return l * 4 * x->dwords;
}

static void set_up(rig_t *r, const load_t *x, way_t way, uint64_t exec)
{
    const uint32_t buffer[4] = {(uint32_t)RIG_VA, (uint32_t)(RIG_VA >> 32), RIG_EXTENT, 0x27000};
    rig_load(r);
    for (unsigned l = 0; l < 64; l++) {
        const uint64_t va = (x->memory ? RIG_VA : 0) + offset_of(x, way, l);
        r->rows[x->address][l] = (uint32_t)va;
        if (x->memory) r->rows[x->address + 1][l] = (uint32_t)(va >> 32);
    }
    memcpy(&r->wave.sgpr[4], buffer, sizeof buffer);
    r->wave.exec = exec;
}

static void agree(rig_t *r, const load_t *x, const isa_inst_t *own, const isa_inst_t *elsewhere,
                  const char *text)
{
    static const uint64_t execs[] = {UINT64_MAX, UINT64_C(0x0ffe00f0ff7fffef), UINT64_C(0xffff0000),
                                     UINT64_C(1) << 63, 0};
    static isa_row_t want[4], before[ROWS];
    for (way_t way = 0; way < WAYS; way++)
        for (unsigned e = 0; e < sizeof execs / sizeof *execs; e++) {
            set_up(r, x, way, execs[e]);
            memcpy(before, r->rows, sizeof before);
            rig_run(r, elsewhere, text);
            assert_int_equal(r->wave.stop, ISA_RUN);
            memcpy(want, r->rows + ELSEWHERE, sizeof want);
            memcpy(r->rows, before, sizeof before);
            rig_run(r, own, text);
            assert_int_equal(r->wave.stop, ISA_RUN);
            for (unsigned n = 0; n < ROWS; n++)
                for (unsigned l = 0; l < 64; l++) {
                    const bool loaded = n >= x->own && n < x->own + x->dwords && execs[e] >> l & 1;
                    const uint32_t is = loaded ? want[n - x->own][l] : before[n][l];
                    if (r->rows[n][l] != is)
                        fail_msg("%s, %s, way %u, EXEC 0x%llx: v%u lane %u is 0x%x, not 0x%x",
                                 r->core->name, text, way, (unsigned long long)execs[e], n, l,
                                 r->rows[n][l], is);
                }
        }
}

static void destination(char out[16], unsigned first, unsigned dwords)
{
    snprintf(out, 16, dwords > 1 ? "v[%u:%u]" : "v%u", first, first + dwords - 1);
}

static void own_and_elsewhere_agree(void **state)
{
    rig_program_t p = {0};
    (void)state;
    for (unsigned k = 0; k < LOADS; k++) {
        char own[16], elsewhere[16];
        destination(own, loads[k].own, loads[k].dwords);
        destination(elsewhere, ELSEWHERE, loads[k].dwords);
        rig_add(&p, loads[k].text, own);
        rig_add(&p, loads[k].text, elsewhere);
    }
    rig_assemble(&p);
    for (unsigned c = 0; c < RIG_CORES; c++) {
        rig_t *r = rig_create(rig_cores[c]);
        if (!r) continue;
        rig_fill(r);
        for (unsigned k = 0; k < LOADS; k++)
            agree(r, &loads[k], &p.inst[2 * k], &p.inst[2 * k + 1], p.line[2 * k]);
        rig_destroy(r);
    }
    rig_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(own_and_elsewhere_agree)};
    if (!asm_available()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
