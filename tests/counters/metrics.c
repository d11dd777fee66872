/* metrics.c - how many definitions each GPU has, and metrics of gfx90a computed by hand.
 *
 * Raw values are the same in every place: SQ counts in 2 shader engines, TCC in 32 instances, TA,
 * TCP and TD in 2 x 3 (the first generation reads 2 x 16), GRBM once. */
#include "helpers.h"

static const base_t bases[] = {{"SQ_WAVES", 0, 20},
                               {"SQ_INSTS_VALU", 0, 300},
                               {"SQ_THREAD_CYCLES_VALU", 0, 4800},
                               {"SQ_ACTIVE_INST_VALU", 0, 100},
                               {"SQ_WAVE_CYCLES", 0, 160},
                               {"SQ_LEVEL_WAVES", CTR_ACCUMULATE_HIGH, 6000},
                               {"SQ_LEVEL_WAVES", CTR_ACCUMULATE_LOW, 300},
                               {"SQ_BUSY_CU_CYCLES", 0, 60},
                               {"SQ_LDS_BANK_CONFLICT", 0, 10},
                               {"SQ_LDS_IDX_ACTIVE", 0, 35},
                               {"SQ_INSTS_VALU_FMA_F32", 0, 5},
                               {"SQ_INSTS_VALU_INT32", 0, 3},
                               {"SQ_INSTS_VALU_ADD_F32", 0, 2},
                               {"SQ_INSTS_VALU_MUL_F32", 0, 1},
                               {"SQ_INSTS_VALU_TRANS_F32", 0, 4},
                               {"SQ_INSTS_VALU_MFMA_MOPS_F32", 0, 2},
                               {"GRBM_GUI_ACTIVE", 0, 1000},
                               {"GRBM_COUNT", 0, 2000},
                               {"TCC_HIT", 0, 3},
                               {"TCC_MISS", 0, 1},
                               {"TCC_EA_RDREQ", 0, 10},
                               {"TCC_EA_RDREQ_32B", 0, 2},
                               {"TCC_EA_WRREQ", 0, 6},
                               {"TCC_EA_WRREQ_64B", 0, 4},
                               {"TA_TA_BUSY", 0, 250},
                               {"TCP_TCC_READ_REQ_LATENCY", 0, 600},
                               {"TCP_TCC_READ_REQ", 0, 5},
                               {"TCP_TCC_ATOMIC_WITH_RET_REQ", 0, 1},
                               {0}};

static const struct {
    const char *metric;
    double sdk, v1;
    size_t places; /* of the SDK's value; the first generation has one */
} metrics[] = {
    {"VALUInsts", 15, 15, 1},       /* 600 / 40 */
    {"VALUUtilization", 75, 75, 1}, /* 100 x 9600 / (200 x 64) */
    {"L2CacheHit", 75, 75, 1},      /* 100 x 96 / (96 + 32) */
    {"TCC_HIT_sum", 96, 96, 1},     /* 32 x 3 */
    {"FETCH_SIZE", 18, 18, 1},      /* (64 x 32 + (320 - 64) x 64) / 1024 */
    {"WRITE_SIZE", 10, 10, 1},      /* ((192 - 128) x 32 + 128 x 64) / 1024 */
    {"FetchSize", 18, 18, 1},
    {"MemWrites32B", 320, 320, 1},       /* 128 x 2 + 64 */
    {"BANDWIDTH_EA", 28.672, 28.672, 1}, /* 1024 x 28 / 1000 */
    {"GPUBusy", 50, 50, 1},
    {"OccupancyPercent", 1, 1, 1},         /* 400 x 320 / 1000 / 4 / 32 */
    {"MeanOccupancyPerCU", 3, 3, 1},       /* 12000 / 1000 / 4 */
    {"MeanOccupancyPerActiveCU", 5, 5, 1}, /* 600 / 120 */
    {"LdsBankConflict", 0.4, 0.4, 1},      /* 20 / (70 - 20) */
    {"WaveDuration", 32, 32, 1},           /* 4 x 320 / 40 */
    {"TA_BUSY_avr", 250, 500, 1},          /* v1: of sums over shader engines */
    {"MemUnitBusy", 25, 25, 1},
    {"vL1dReadFromL2Latency", 100, 100, 1}, /* 600 / (5 + 1) */
    {"TOTAL_32_OPS", 2304, 4608, 2},        /* 20 x 64 + 2 x 512 per shader engine */
    {"RDC_OPS_32_PER_SIMDCYCLE", 0.072, 0.144, 2},
    {"SIMD_NUM", 16, 16, 1},
    {"SE_NUM", 2, 2, 1},
    {"SALUInsts", 0, 0, 1}, /* nothing counted */
    {"EaRdLatency", 0, 0, 1},
};

static void check_metrics(const ctr_catalogue_t *catalogue, bool v1)
{
    ctr_agent_t agent = small_agent();
    for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++) {
        ctr_plan_t *plan;
        const char *name = metrics[i].metric;
        const ctr_counter_t *counter = ctr_catalogue_find(catalogue, name, strlen(name));
        assert_non_null(counter);
        assert_int_equal(ctr_plan_create(catalogue, &agent, &counter, 1, 1, &plan, NULL), CTR_OK);
        const ctr_pass_t *pass = ctr_plan_pass(plan, 0);
        double *values = run_pass(pass, bases, false);
        double expected = v1 ? metrics[i].v1 : metrics[i].sdk;
        assert_int_equal(pass->value_count, v1 ? 1 : metrics[i].places);
        for (size_t v = 0; v < pass->value_count; v++)
            if (values[v] < expected - 1e-12 || values[v] > expected + 1e-12)
                fail_msg("%s: value %zu is %.17g, expected %.17g", name, v, values[v], expected);
        free(values);
        ctr_plan_destroy(plan);
    }
}

static ctr_catalogue_t *from_file(const char *path, ctr_generation_t generation)
{
    ctr_error_t error = {0};
    reports_t reports = {0};
    ctr_catalogue_t *catalogue = NULL;
    ctr_definitions_t *definitions = ctr_definitions_create();
    if (ctr_definitions_add_file(definitions, CTR_FORMAT_AUTO, path, collect, &reports, &error) !=
            CTR_OK ||
        ctr_catalogue_create(definitions, "gfx90a", generation, 0, collect, &reports, &catalogue,
                             &error) != CTR_OK)
        fail_msg("%s", error.text);
    assert_string_equal(reports.text, "");
    ctr_definitions_destroy(definitions);
    return catalogue;
}

static void values_computed_by_hand(void **state)
{
    (void)state;
    ctr_catalogue_t *c = builtin_catalogue(CTR_GENERATION_SDK);
    check_metrics(c, false);
    ctr_catalogue_destroy(c);
}

static void files_give_the_same(void **state)
{
    (void)state;
    ctr_catalogue_t *c = builtin_catalogue(CTR_GENERATION_SDK);
    ctr_catalogue_t *yaml = from_file(COUNTERS_YAML, CTR_GENERATION_SDK);
    ctr_catalogue_t *xml = from_file(COUNTERS_XML, CTR_GENERATION_V1);
    assert_int_equal(ctr_catalogue_count(yaml), ctr_catalogue_count(c));
    assert_int_equal(ctr_catalogue_count(xml), ctr_catalogue_count(c));
    for (size_t i = 0; i < ctr_catalogue_count(c); i++) {
        const ctr_counter_t *a = ctr_catalogue_at(c, i);
        const ctr_counter_t *b = ctr_catalogue_find(yaml, a->name, strlen(a->name));
        const ctr_counter_t *x = ctr_catalogue_find(xml, a->name, strlen(a->name));
        if (!b || !x) fail_msg("%s is missing", a->name);
        assert_string_equal(b->expression, a->expression);
        assert_string_equal(b->description, a->description);
        assert_string_equal(b->block, a->block);
        assert_string_equal(x->block, a->block);
        assert_int_equal(b->event, a->event);
        assert_int_equal(x->event, a->event);
        assert_int_equal(b->value_class, a->value_class);
    }
    check_metrics(yaml, false);
    check_metrics(xml, true);
    ctr_catalogue_destroy(c);
    ctr_catalogue_destroy(yaml);
    ctr_catalogue_destroy(xml);
}

static const struct {
    const char *gfx;
    size_t hardware, derived; /* as counted in AMD's files */
} gpus[] = {{"gfx900", 28, 39},   {"gfx906", 33, 53},   {"gfx908", 248, 153}, {"gfx90a", 267, 220},
            {"gfx940", 266, 158}, {"gfx941", 266, 158}, {"gfx942", 269, 160}, {"gfx950", 429, 206},
            {"gfx1010", 45, 44},  {"gfx1030", 45, 44},  {"gfx1031", 45, 44},  {"gfx1032", 45, 44},
            {"gfx1100", 40, 40},  {"gfx1101", 40, 40},  {"gfx1102", 40, 40},  {"gfx1200", 36, 22},
            {"gfx1201", 36, 22}};

#define STANDING "A number that follows from the agent's properties"

static void all_definitions_are_built_in(void **state)
{
    (void)state;
    for (size_t g = 0; g < sizeof(gpus) / sizeof(*gpus); g++) {
        ctr_catalogue_t *c = builtin_catalogue_of(gpus[g].gfx, CTR_GENERATION_SDK);
        size_t kinds[3] = {0};
        for (size_t i = 0; i < ctr_catalogue_count(c); i++) {
            const ctr_counter_t *counter = ctr_catalogue_at(c, i);
            /* such as XCC_NUM, which stand by themselves where no definition has them */
            const bool by_itself = strcmp(counter->description, STANDING) == 0;
            kinds[counter->kind] += !by_itself;
            if (!counter->description[0]) fail_msg("%s of %s", counter->name, gpus[g].gfx);
        }
        assert_int_equal(kinds[CTR_HARDWARE], gpus[g].hardware);
        assert_int_equal(kinds[CTR_DERIVED], gpus[g].derived);
        ctr_catalogue_destroy(c);
    }
}

/* A metric has the weakest class of its inputs; agent properties weaken nothing. */
static void classes_of_metrics(void **state)
{
    (void)state;
    static const struct {
        const char *metric;
        ctr_class_t value_class;
    } wanted[] = {{"VALUInsts", CTR_CLASS_EXACT},           {"GDSInsts", CTR_CLASS_EXACT},
                  {"L2CacheHit", CTR_CLASS_CACHE_MODEL},    {"FETCH_SIZE", CTR_CLASS_CACHE_MODEL},
                  {"BANDWIDTH_EA", CTR_CLASS_TIMING_MODEL}, {"SE_NUM", CTR_CLASS_EXACT},
                  {"simd_count", CTR_CLASS_EXACT}};
    ctr_catalogue_t *c = builtin_catalogue(CTR_GENERATION_SDK);
    const ctr_counter_t *added;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
        const char *name = wanted[i].metric;
        const ctr_counter_t *counter = ctr_catalogue_find(c, name, strlen(name));
        if (!counter || counter->value_class != wanted[i].value_class) fail_msg("%s", name);
    }
    assert_int_equal(
        ctr_catalogue_add(c, "NEVER", 5, "SQ_INSTS_GDS*SE_NUM", 19, "", 0, &added, NULL), CTR_OK);
    assert_string_equal(ctr_class_name(added->value_class), "unavailable");
    assert_int_equal(ctr_catalogue_add(c, "EVER", 4, "2*SE_NUM+1", 10, "", 0, &added, NULL),
                     CTR_OK);
    assert_string_equal(ctr_class_name(added->value_class), "exact");
    ctr_catalogue_destroy(c);
}

/* Every counter can be had in one pass, and is evaluated at a shape that was foretold. */
static void every_counter_has_a_plan(void **state)
{
    (void)state;
    for (size_t g = 0; g < 2 * sizeof(gpus) / sizeof(*gpus); g++) {
        ctr_generation_t generation = g % 2 ? CTR_GENERATION_V1 : CTR_GENERATION_SDK;
        ctr_catalogue_t *c = builtin_catalogue_of(gpus[g / 2].gfx, generation);
        ctr_agent_t agent = small_agent();
        agent.num_xcc = gpus_find(gpus[g / 2].gfx)->xccs > 1 ? 2 : 1;
        for (size_t i = 0; i < ctr_catalogue_count(c); i++) {
            ctr_error_t error = {0};
            ctr_plan_t *plan;
            ctr_shape_t shape;
            const ctr_counter_t *counter = ctr_catalogue_at(c, i);
            if (ctr_plan_create(c, &agent, &counter, 1, 1, &plan, &error) != CTR_OK ||
                ctr_counter_shape(c, counter, &agent, &shape, &error) != CTR_OK)
                fail_msg("%s", error.text);
            const ctr_pass_t *pass = ctr_plan_pass(plan, 0);
            assert_int_equal(pass->result_count, 1);
            assert_memory_equal(&pass->results[0].shape, &shape, sizeof(shape));
            assert_int_equal(pass->value_count, ctr_shape_size(&shape));
            free(run_pass(pass, bases, true));
            ctr_plan_destroy(plan);
        }
        ctr_catalogue_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_computed_by_hand), cmocka_unit_test(files_give_the_same),
        cmocka_unit_test(all_definitions_are_built_in), cmocka_unit_test(classes_of_metrics),
        cmocka_unit_test(every_counter_has_a_plan)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
