/* mem_border.c - loads of some lanes where memory ends: what no active lane addresses is not there,
 * and of active lanes each one that addresses nothing is found.
 *
 * An extent, or LDS, is one page between two that the host cannot access: a load that goes over the
 * page's border ends this program. Every core is tried, in waves of 64 and of 32 lanes. */
#include "mem_rig.h"

#include <sys/mman.h>

enum { PAGE = 4096, MAPPED = 0x10000, ADDR = 0, DST = 12 };

/* Random bytes between two pages that cannot be accessed. */
static uint8_t *create_page(rig_t *r)
{
    uint8_t *three = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(three != MAP_FAILED);
    assert_int_equal(mprotect(three + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
    for (unsigned k = 0; k < PAGE; k++)
        three[PAGE + k] = (uint8_t)rig_random(r);
    return three + PAGE;
}

static void destroy_page(uint8_t *page)
{
    assert_int_equal(munmap(page - PAGE, 3 * PAGE), 0);
}

/* The set of all lanes of the core's waves. */
static uint64_t all_lanes(const rig_t *r)
{
    return UINT64_MAX >> (64 - r->core->lanes);
}

/* Each active lane loads the dword at begin + 4 * lane of the page. */
static void load(rig_t *r, const isa_inst_t *i, const char *text, const uint8_t *page,
                 uint64_t exec, int begin)
{
    memcpy(r->rows[DST], r->want.v[DST], sizeof r->rows[DST]);
    r->wave.exec = exec;
    for (unsigned l = 0; l < 64; l++)
        r->rows[ADDR][l] = exec >> l & 1 ? (uint32_t)(begin + 4 * (int)l) : rig_random(r);
    rig_run(r, i, text);
    assert_int_equal(r->wave.stop, ISA_RUN);
    for (unsigned l = 0; l < 64; l++) {
        uint32_t want = r->want.v[DST][l];
        if (exec >> l & 1) memcpy(&want, page + begin + 4 * (int)l, 4);
        if (r->rows[DST][l] != want)
            fail_msg("%s: %s from %d on, EXEC %016llx, lane %u: %08x, not %08x", r->core->name,
                     text, begin, (unsigned long long)exec, l, r->rows[DST][l], want);
    }
}

/* The first active lane's element begins where the page begins, or up to 35 bytes later; or that of
 * the last active lane ends as far before the page's end. */
static void load_at_borders(rig_t *r, const isa_inst_t *i, const char *text, const uint8_t *page)
{
    const int lanes = (int)r->core->lanes;
    for (int off = 0; off < 39 && off < lanes; off++)
        for (int shift = 0; shift < 36; shift++) {
            load(r, i, text, page, (UINT64_MAX << off) & all_lanes(r), shift - 4 * off);
            load(r, i, text, page, all_lanes(r) >> off, PAGE - 4 * (lanes - off) - shift);
        }
}

static void try_core(rig_t *r, const rig_program_t *p)
{
    uint8_t *page = create_page(r);
    assert_int_equal(sg_memory_map(r->memory, MAPPED, PAGE, page, 0), 0);
    r->group.lds = page;
    r->group.lds_bytes = PAGE;
    r->wave.sgpr[2] = MAPPED;
    rig_fill(r);
    for (unsigned k = 0; k < p->n; k++)
        load_at_borders(r, &p->inst[k], p->line[k], page);
    destroy_page(page);
}

/* Calls `each` for every core that this host can run. */
static void for_all_cores(const rig_program_t *p, void (*each)(rig_t *r, const rig_program_t *p))
{
    for (unsigned c = 0; c < 2 * RIG_CORES; c++) {
        rig_t *r = rig_create(rig_cores[c / 2]);
        if (r && c % 2) r->core = isa_core_narrow(r->core);
        if (r) each(r, p);
        rig_destroy(r);
    }
}

static void loads_of_some_lanes_touch_no_other_page(void **state)
{
    rig_program_t p = {0};
    (void)state;
    rig_add(&p, "global_load_dword v12, v0, s[2:3]");
    rig_add(&p, "ds_read_b32 v12, v0");
    rig_assemble(&p);
    for_all_cores(&p, try_core);
    rig_free(&p);
}

/* ---- faults of one lane among others ---- */

/* How the lane's address is wrong, and which instruction has it. */
static const struct {
    const char *text;
    uint64_t base;      /* added to the register by the instruction */
    uint32_t low, high; /* what the lane has more than the others */
} wrong[] = {
    {"global_load_dword v12, v0, s[2:3]", MAPPED, PAGE, 0},
    {"global_load_dword v12, v0, s[2:3]", MAPPED, UINT32_MAX - 1024, 0},
    {"global_load_dword v12, v[0:1], off", 0, PAGE, 0},
    {"global_load_dword v12, v[0:1], off", 0, 0, 1},
    {"global_load_dwordx2 v[12:13], v[0:1], off", 0, 0, 1},
};
enum { WRONG = sizeof wrong / sizeof *wrong };

/* All active lanes load from the page but one, which is not the first; what inactive lanes have
 * means nothing. */
static void one_faults(rig_t *r, const rig_program_t *p, unsigned k, uint64_t exec, unsigned lane)
{
    for (unsigned l = 0; l < 64; l++) {
        const bool active = exec >> l & 1;
        r->rows[ADDR][l] = active ? (uint32_t)(MAPPED - wrong[k].base) + 8 * l : rig_random(r);
        r->rows[ADDR + 1][l] = active ? 0 : rig_random(r);
    }
    r->rows[ADDR][lane] += wrong[k].low;
    r->rows[ADDR + 1][lane] += wrong[k].high;
    const uint64_t va = wrong[k].base + r->rows[ADDR][lane] + ((uint64_t)wrong[k].high << 32);
    r->wave.exec = exec;
    rig_run(r, &p->inst[k], p->line[k]);
    if (r->wave.stop != ISA_STOP_MEMORY || r->wave.fault_addr != va)
        fail_msg("%s: %s, EXEC %016llx: no fault of lane %u", r->core->name, p->line[k],
                 (unsigned long long)exec, lane);
}

static void each_lane_faults(rig_t *r, const rig_program_t *p)
{
    uint8_t *page = create_page(r);
    assert_int_equal(sg_memory_map(r->memory, MAPPED, PAGE, page, 0), 0);
    r->wave.sgpr[2] = MAPPED;
    for (unsigned k = 0; k < p->n; k++)
        for (unsigned lane = 1; lane < r->core->lanes; lane++) {
            const uint64_t some = (uint64_t)rig_random(r) << 32 | rig_random(r);
            one_faults(r, p, k, all_lanes(r), lane);
            one_faults(r, p, k, UINT64_C(1) << lane | 1, lane);
            one_faults(r, p, k, UINT64_C(1) << lane | 1 | (some & all_lanes(r)), lane);
        }
    destroy_page(page);
}

static void a_lane_that_addresses_nothing_faults(void **state)
{
    rig_program_t p = {0};
    (void)state;
    for (unsigned k = 0; k < WRONG; k++)
        rig_add(&p, wrong[k].text);
    rig_assemble(&p);
    for_all_cores(&p, each_lane_faults);
    rig_free(&p);
}

int main(void)
{
    if (!asm_available()) return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(loads_of_some_lanes_touch_no_other_page),
                                       cmocka_unit_test(a_lane_that_addresses_nothing_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
