/* plans.c - what fits into a pass, how sets that do not fit are divided, slots, shapes, ids. */
#include "helpers.h"

static ctr_catalogue_t *catalogue;
static ctr_agent_t agent;

enum { WANTED_MAX = 32 };

/* Plans the counters named in a text; NULL after a refusal. */
static ctr_plan_t *plan_of(const char *names, size_t max_passes, ctr_error_t *error)
{
    const ctr_counter_t *wanted[WANTED_MAX];
    size_t count = 0;
    ctr_plan_t *plan = NULL;
    while (*names) {
        size_t length = strcspn(names, " ");
        wanted[count] = ctr_catalogue_find(catalogue, names, length);
        if (!wanted[count]) fail_msg("no counter %.*s", (int)length, names);
        count++;
        names += length + strspn(names + length, " ");
    }
    ctr_plan_create(catalogue, &agent, wanted, count, max_passes, &plan, error);
    return plan;
}

/* "SQ.0 SQ.1+ TCC.0 = A B | ...": events with slots (+: accumulated), then results. */
static const char *describe(const ctr_plan_t *plan)
{
    static char text[4096];
    size_t used = 0;
    for (size_t p = 0; p < ctr_plan_pass_count(plan); p++) {
        const ctr_pass_t *pass = ctr_plan_pass(plan, p);
        if (p) used += (size_t)snprintf(text + used, sizeof(text) - used, " | ");
        for (size_t e = 0; e < pass->event_count; e++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s.%u%s", e ? " " : "",
                                     pass->events[e].counter->name, pass->events[e].slot,
                                     pass->events[e].accumulate == CTR_ACCUMULATE_HIGH  ? "++"
                                     : pass->events[e].accumulate == CTR_ACCUMULATE_LOW ? "+"
                                                                                        : "");
        used += (size_t)snprintf(text + used, sizeof(text) - used, " =");
        for (size_t r = 0; r < pass->result_count; r++)
            used += (size_t)snprintf(text + used, sizeof(text) - used, " %s",
                                     pass->results[r].counter->name);
    }
    return text;
}

static const struct {
    const char *wanted, *plan;
} rows[] = {
    {"SQ_WAVES", "SQ_WAVES.0 = SQ_WAVES"},
    {"SQ_WAVES TCC_HIT SQ_WAVES", "SQ_WAVES.0 TCC_HIT.0 = SQ_WAVES TCC_HIT"},
    {"TCC_HIT_sum TCC_HIT L2CacheHit", "TCC_HIT.0 TCC_MISS.1 = TCC_HIT_sum TCC_HIT L2CacheHit"},
    {"SIMD_NUM simd_count", " = SIMD_NUM simd_count"},
    /* two names of one event are counted once, in one place */
    {"TCC_EA_WRREQ SQ_WAVES TCC_EA0_WRREQ",
     "TCC_EA_WRREQ.0 SQ_WAVES.0 = TCC_EA_WRREQ SQ_WAVES TCC_EA0_WRREQ"},
    /* six counters of TCC, four at once; the metric keeps its inputs together */
    {"TCC_REQ TCC_READ TCC_WRITE L2CacheHit TCC_ATOMIC",
     "TCC_REQ.0 TCC_READ.1 TCC_HIT.2 TCC_MISS.3 = TCC_REQ TCC_READ L2CacheHit | "
     "TCC_WRITE.0 TCC_ATOMIC.1 = TCC_WRITE TCC_ATOMIC"},
    /* the larger is placed first, the order of the request numbers the passes */
    {"TCC_REQ BANDWIDTH_EA",
     "TCC_REQ.0 = TCC_REQ | TCC_EA_WRREQ.0 TCC_EA_WRREQ_64B.1 TCC_EA_RDREQ_32B.2 TCC_EA_RDREQ.3 "
     "GRBM_GUI_ACTIVE.0 = BANDWIDTH_EA"},
    /* the accumulation takes the slot after its counter */
    {"SQ_WAVES MeanOccupancyPerCU SQ_LEVEL_WAVES",
     "SQ_WAVES.0 SQ_LEVEL_WAVES.1++ GRBM_GUI_ACTIVE.0 SQ_LEVEL_WAVES.3 = "
     "SQ_WAVES MeanOccupancyPerCU SQ_LEVEL_WAVES"},
    {"MeanOccupancyPerActiveCU MeanOccupancyPerCU",
     "SQ_LEVEL_WAVES.0+ SQ_BUSY_CU_CYCLES.2 SQ_LEVEL_WAVES.3++ GRBM_GUI_ACTIVE.0 = "
     "MeanOccupancyPerActiveCU MeanOccupancyPerCU"},
    /* as the first generation asks for it */
    {"SQ_WAVES SQ_INST_LEVEL_LDS SQ_ACCUM_PREV_HIRES SQ_INSTS_LDS",
     "SQ_WAVES.0 SQ_INST_LEVEL_LDS.1 SQ_ACCUM_PREV_HIRES.2 SQ_INSTS_LDS.3 = "
     "SQ_WAVES SQ_INST_LEVEL_LDS SQ_ACCUM_PREV_HIRES SQ_INSTS_LDS"},
    {"SQ_ACCUM_PREV_HIRES SQ_WAVES",
     "SQ_ACCUM_PREV_HIRES.0 SQ_WAVES.1 = SQ_ACCUM_PREV_HIRES SQ_WAVES"},
    {"LDSInsts SQ_INSTS_LDS SQ_ACCUM_PREV_HIRES",
     "SQ_INSTS_LDS.0 SQ_ACCUM_PREV_HIRES.1 SQ_INSTS_FLAT_LDS_ONLY.2 SQ_WAVES.3 = "
     "LDSInsts SQ_INSTS_LDS SQ_ACCUM_PREV_HIRES"},
    /* two of CPC per pass: five make three, other blocks go along */
    {"CPC_CPC_STAT_BUSY CPC_CPC_STAT_IDLE CPC_CPC_STAT_STALL CPC_CPC_TCIU_BUSY CPC_CPC_TCIU_IDLE "
     "SQ_WAVES",
     "CPC_CPC_STAT_BUSY.0 CPC_CPC_STAT_IDLE.1 SQ_WAVES.0 = CPC_CPC_STAT_BUSY CPC_CPC_STAT_IDLE "
     "SQ_WAVES | CPC_CPC_STAT_STALL.0 CPC_CPC_TCIU_BUSY.1 = CPC_CPC_STAT_STALL CPC_CPC_TCIU_BUSY | "
     "CPC_CPC_TCIU_IDLE.0 = CPC_CPC_TCIU_IDLE"},
};

static void passes_as_expected(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        ctr_error_t error = {0};
        ctr_plan_t *plan = plan_of(rows[i].wanted, 0, &error);
        if (!plan) fail_msg("%s: %s", rows[i].wanted, error.text);
        assert_string_equal(describe(plan), rows[i].plan);
        ctr_plan_destroy(plan);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    ctr_error_t error = {0};
    assert_null(plan_of("TCC_REQ TCC_READ TCC_WRITE L2CacheHit", 1, &error));
    assert_int_equal(error.status, CTR_TOO_MANY);
    assert_string_equal(error.text,
                        "5 counters of block TCC are wanted, 4 available; 2 passes would do, "
                        "limit 1: TCC_REQ TCC_READ L2CacheHit | TCC_WRITE");
    assert_null(plan_of("SQ_WAVES SQ_INSTS_VALU SQ_INSTS_SALU SQ_INSTS_SMEM SQ_INSTS_LDS "
                        "SQ_INSTS_FLAT MeanOccupancyPerCU SQ_INSTS_VMEM",
                        1, &error));
    assert_string_equal(error.text,
                        "9 counters of block SQ are wanted, 8 available; 2 passes would do, limit "
                        "1: SQ_WAVES SQ_INSTS_VALU SQ_INSTS_SALU SQ_INSTS_SMEM SQ_INSTS_LDS "
                        "SQ_INSTS_FLAT MeanOccupancyPerCU | SQ_INSTS_VMEM");
    ctr_plan_t *plan = plan_of("TCC_REQ TCC_READ TCC_WRITE L2CacheHit", 2, &error);
    assert_non_null(plan);
    ctr_plan_destroy(plan);
}

/* An agent may have more than its architecture, in some blocks or all. */
static void agents_have_slots_of_their_own(void **state)
{
    enum { TCC = 12, SQ = 6 };
    static const char nine[] = "TCC_REQ TCC_READ TCC_WRITE TCC_HIT TCC_MISS SQ_WAVES SQ_INSTS_VALU";
    ctr_error_t error = {0};
    (void)state;
    assert_null(plan_of(nine, 1, &error));
    agent.slots[TCC] = 5;
    ctr_plan_t *plan = plan_of(nine, 1, &error);
    assert_non_null(plan);
    assert_int_equal(ctr_plan_pass(plan, 0)->event_count, 7);
    ctr_plan_destroy(plan);
    agent.slots[SQ] = 1;
    assert_null(plan_of(nine, 1, &error));
    assert_string_equal(error.text,
                        "2 counters of block SQ are wanted, 1 available; 2 passes would do, limit "
                        "1: TCC_REQ TCC_READ TCC_WRITE TCC_HIT TCC_MISS SQ_WAVES | SQ_INSTS_VALU");
    memset(agent.slots, 0, sizeof agent.slots);
}

static void one_metric_too_large(void **state)
{
    (void)state;
    const ctr_counter_t *counter;
    ctr_plan_t *plan;
    ctr_error_t error = {0};
    const char *text = "reduce(TCC_HIT+TCC_MISS+TCC_REQ+TCC_READ+TCC_WRITE,sum)";
    ctr_catalogue_t *own = builtin_catalogue(CTR_GENERATION_SDK);
    assert_int_equal(ctr_catalogue_add(own, "LARGE", 5, text, strlen(text), "", 0, &counter, NULL),
                     CTR_OK);
    assert_int_equal(ctr_plan_create(own, &agent, &counter, 1, 0, &plan, &error), CTR_TOO_MANY);
    assert_string_equal(error.text, "LARGE needs 5 counters of block TCC at once, there are 4");
    /* and one of another catalogue */
    const ctr_counter_t *strange = ctr_catalogue_find(catalogue, "SQ_WAVES", 8);
    assert_int_equal(ctr_plan_create(own, &agent, &strange, 1, 0, &plan, &error), CTR_NOT_FOUND);
    assert_string_equal(error.text, "counter SQ_WAVES is not one of this agent's (gfx90a)");
    ctr_catalogue_destroy(own);
}

/* Everything at once: every counter exactly once, no pass over its slots, twice the same. */
static void all_counters_in_passes(void **state)
{
    (void)state;
    size_t count = ctr_catalogue_count(catalogue), results = 0;
    const ctr_counter_t **wanted = calloc(count, sizeof(*wanted));
    uint8_t *seen = calloc(count, 1);
    ctr_plan_t *plan, *again;
    for (size_t i = 0; i < count; i++)
        wanted[i] = ctr_catalogue_at(catalogue, i);
    assert_int_equal(ctr_plan_create(catalogue, &agent, wanted, count, 0, &plan, NULL), CTR_OK);
    assert_int_equal(ctr_plan_create(catalogue, &agent, wanted, count, 0, &again, NULL), CTR_OK);
    assert_int_equal(ctr_plan_pass_count(plan), ctr_plan_pass_count(again));
    /* 111 counters of SQ with their accumulations, 8 at once; 44 of TCC, 4 at once */
    assert_in_range(ctr_plan_pass_count(plan), 14, 24);
    for (size_t p = 0; p < ctr_plan_pass_count(plan); p++) {
        const ctr_pass_t *pass = ctr_plan_pass(plan, p), *other = ctr_plan_pass(again, p);
        uint32_t last = 0;
        assert_int_equal(pass->event_count, other->event_count);
        for (size_t e = 0; e < pass->event_count; e++) {
            const ctr_event_t *event = &pass->events[e];
            assert_true(event->slot + event->slots <= event->block->slots);
            assert_ptr_equal(event->counter, other->events[e].counter);
        }
        for (size_t r = 0; r < pass->result_count; r++) {
            const ctr_counter_t *counter = pass->results[r].counter;
            assert_int_equal(seen[counter->index]++, 0);
            assert_true(r == 0 || counter->index > last);
            last = counter->index;
            results++;
        }
        double *values = run_pass(pass, (const base_t[]){{0}}, true);
        free(values);
    }
    assert_int_equal(results, count);
    ctr_plan_destroy(plan);
    ctr_plan_destroy(again);
    free(wanted);
    free(seen);
}

static void instances_of_the_first_generation(void **state)
{
    (void)state;
    static const struct {
        const char *expression;
        uint32_t begin, end;
    } wanted[] = {{"TCC_HIT", 0, 1},
                  {"TCC_HIT[7]", 7, 8},
                  {"sum(TCC_HIT,16)", 0, 16},
                  {"TCC_HIT[3]+TCC_HIT[9]", 3, 10},
                  {"reduce(TCC_HIT,sum)", 0, 32}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        const ctr_counter_t *counter;
        ctr_plan_t *plan;
        ctr_catalogue_t *own = builtin_catalogue(CTR_GENERATION_V1);
        assert_int_equal(ctr_catalogue_add(own, "X", 1, wanted[i].expression,
                                           strlen(wanted[i].expression), "", 0, &counter, NULL),
                         CTR_OK);
        assert_int_equal(ctr_plan_create(own, &agent, &counter, 1, 1, &plan, NULL), CTR_OK);
        const ctr_event_t *event = &ctr_plan_pass(plan, 0)->events[0];
        assert_int_equal(event->instance_begin, wanted[i].begin);
        assert_int_equal(event->instance_end, wanted[i].end);
        ctr_plan_destroy(plan);
        ctr_catalogue_destroy(own);
    }
    /* a counter wanted by itself: instance 0 over all shader engines */
    ctr_catalogue_t *own = builtin_catalogue(CTR_GENERATION_V1);
    const ctr_counter_t *counter = ctr_catalogue_find(own, "TCP_GATE_EN1", 12);
    ctr_plan_t *plan;
    assert_int_equal(ctr_plan_create(own, &agent, &counter, 1, 1, &plan, NULL), CTR_OK);
    const ctr_pass_t *pass = ctr_plan_pass(plan, 0);
    assert_int_equal(pass->events[0].shape.extent[CTR_DIM_INSTANCE], 16);
    assert_int_equal(pass->events[0].instance_end, 1);
    double *values = run_pass(pass, (const base_t[]){{"TCP_GATE_EN1", 0, 5}, {0}}, true);
    assert_int_equal(pass->value_count, 1);
    assert_true(values[0] == 110);
    free(values);
    ctr_plan_destroy(plan);
    ctr_catalogue_destroy(own);
    /* a block that each WGP has one of has no dimension of instances, and is counted all the same
     */
    own = builtin_catalogue_of("gfx1100", CTR_GENERATION_V1);
    counter = ctr_catalogue_find(own, "SQ_WAVES", 8);
    assert_int_equal(ctr_plan_create(own, &agent, &counter, 1, 1, &plan, NULL), CTR_OK);
    pass = ctr_plan_pass(plan, 0);
    assert_int_equal(pass->events[0].shape.extent[CTR_DIM_INSTANCE], 0);
    assert_int_equal(pass->events[0].instance_begin, 0);
    assert_int_equal(pass->events[0].instance_end, 1);
    ctr_plan_destroy(plan);
    ctr_catalogue_destroy(own);
}

static void shapes_follow_the_agent(void **state)
{
    (void)state;
    ctr_shape_t shape;
    ctr_error_t error = {0};
    ctr_agent_t large = {.simd_count = 416,
                         .simd_per_cu = 4,
                         .cu_count = 104,
                         .array_count = 8,
                         .simd_arrays_per_engine = 1,
                         .num_shader_banks = 8,
                         .num_xcc = 1};
    const ctr_counter_t *waves = ctr_catalogue_find(catalogue, "SQ_WAVES", 8);
    const ctr_counter_t *tcp = ctr_catalogue_find(catalogue, "TCP_GATE_EN1", 12);
    const ctr_counter_t *tcc = ctr_catalogue_find(catalogue, "TCC_HIT", 7);
    assert_int_equal(ctr_counter_shape(catalogue, waves, &large, &shape, NULL), CTR_OK);
    assert_int_equal(shape.extent[CTR_DIM_SHADER_ENGINE], 8);
    assert_int_equal(shape.extent[CTR_DIM_INSTANCE], 1);
    assert_int_equal(shape.extent[CTR_DIM_XCC], 0);
    assert_int_equal(ctr_counter_shape(catalogue, tcp, &large, &shape, NULL), CTR_OK);
    assert_int_equal(shape.extent[CTR_DIM_INSTANCE], 14); /* 13 units in an engine, and one */
    assert_int_equal(ctr_counter_shape(catalogue, tcc, &large, &shape, NULL), CTR_OK);
    assert_int_equal(ctr_shape_size(&shape), 32);
    large.num_xcc = 2;
    assert_int_equal(ctr_counter_shape(catalogue, waves, &large, &shape, NULL), CTR_OK);
    assert_int_equal(shape.extent[CTR_DIM_XCC], 2);
    assert_int_equal(shape.extent[CTR_DIM_SHADER_ENGINE], 4);
    large.num_xcc = 65;
    assert_int_equal(ctr_counter_shape(catalogue, waves, &large, &shape, &error), CTR_TOO_MANY);
    assert_string_equal(error.text, "the agent has 65 of DIMENSION_XCC, limit 64");
    ctr_agent_t nothing = {0};
    assert_int_equal(ctr_counter_shape(catalogue, waves, &nothing, &shape, NULL), CTR_OK);
    assert_int_equal(ctr_shape_size(&shape), 1);
}

static void ids_hold_positions(void **state)
{
    (void)state;
    const ctr_shape_t shape = {
        .extent = {[CTR_DIM_XCC] = 2, [CTR_DIM_SHADER_ENGINE] = 4, [CTR_DIM_INSTANCE] = 16}};
    uint32_t at[CTR_DIM_COUNT];
    assert_int_equal(ctr_shape_size(&shape), 128);
    ctr_shape_position(&shape, 64 + 3 * 16 + 9, at);
    assert_int_equal(at[CTR_DIM_XCC], 1);
    assert_int_equal(at[CTR_DIM_SHADER_ENGINE], 3);
    assert_int_equal(at[CTR_DIM_INSTANCE], 9);
    assert_int_equal(ctr_shape_index(&shape, at), 64 + 3 * 16 + 9);
    at[CTR_DIM_SHADER_ENGINE] = 4;
    assert_true(ctr_shape_index(&shape, at) == SIZE_MAX);
    uint64_t id = ctr_instance_id(0x1234, &shape, 64 + 3 * 16 + 9);
    assert_true(id == (0x1234ull << 48 | 9ull << 36 | 3ull << 12 | 1));
    assert_int_equal(ctr_instance_counter(id), 0x1234);
    assert_int_equal(ctr_instance_position(id, CTR_DIM_INSTANCE), 9);
    assert_int_equal(ctr_instance_position(id, CTR_DIM_SHADER_ENGINE), 3);
    assert_int_equal(ctr_instance_position(id, CTR_DIM_XCC), 1);
    assert_int_equal(ctr_instance_position(id, CTR_DIM_WGP), 0);
    assert_true(ctr_instance_position(id, CTR_DIM_NONE) == (id & 0xffffffffffffull));
    assert_int_equal(ctr_instance_position(id, CTR_DIM_COUNT), 0);
    for (int dim = 1; dim < CTR_DIM_COUNT; dim++) {
        uint32_t one[CTR_DIM_COUNT] = {0};
        one[dim] = UINT32_MAX;
        id = ctr_instance_pack(7, one);
        assert_int_equal(ctr_instance_position(id, (ctr_dim_t)dim),
                         dim == CTR_DIM_INSTANCE ? 1023 : 63);
        assert_int_equal(ctr_instance_counter(id), 7);
    }
    assert_string_equal(ctr_dim_name(CTR_DIM_SHADER_ENGINE), "DIMENSION_SHADER_ENGINE");
    assert_null(ctr_dim_name(CTR_DIM_COUNT));
}

static int set_up(void **state)
{
    (void)state;
    catalogue = builtin_catalogue(CTR_GENERATION_SDK);
    agent = small_agent();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ctr_catalogue_destroy(catalogue);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(passes_as_expected),
                                       cmocka_unit_test(what_does_not_fit_is_refused),
                                       cmocka_unit_test(agents_have_slots_of_their_own),
                                       cmocka_unit_test(one_metric_too_large),
                                       cmocka_unit_test(all_counters_in_passes),
                                       cmocka_unit_test(instances_of_the_first_generation),
                                       cmocka_unit_test(shapes_follow_the_agent),
                                       cmocka_unit_test(ids_hold_positions)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
