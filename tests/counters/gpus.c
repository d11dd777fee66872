/* gpus.c - counters of GPUs other than gfx90a: dimensions, slots, what is refused.
 *
 * Dimensions are compared with some worked out by hand, and for every block of every product with
 * the places that the AQL profile library tells, since that is where the values come from. */
#include "helpers.h"

#include <aqlprofile-sdk/aql_profile_v2.h>

#include <math.h>

static ctr_catalogue_t *catalogue_of(const char *product, ctr_agent_t *agent)
{
    const gpus_product_t *found = gpus_product(product);
    if (!found) fail_msg("no product %s", product);
    *agent = ctr_agent_of_product(found);
    return builtin_catalogue_of(found->arch->name, CTR_GENERATION_SDK);
}

static void tell(const ctr_shape_t *shape, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int dim = CTR_DIM_XCC; dim < CTR_DIM_COUNT; dim++)
        if (shape->extent[dim])
            used += (size_t)snprintf(text + used, size - used, "%s%s=%u", used ? " " : "",
                                     ctr_dim_name((ctr_dim_t)dim) + strlen("DIMENSION_"),
                                     shape->extent[dim]);
}

static void dimensions_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *product, *block, *shape;
    } rows[] = {
        {"mi210", "SQ", "SHADER_ENGINE=8 INSTANCE=1"},
        {"mi210", "TCP", "SHADER_ENGINE=8 INSTANCE=14"}, /* 104 / 8 + 1 */
        {"mi300x", "SQ", "XCC=8 SHADER_ENGINE=4 INSTANCE=1"},
        {"mi300x", "TCC", "XCC=8 INSTANCE=16"},
        {"mi300x", "TCP", "XCC=8 SHADER_ENGINE=4 INSTANCE=11"}, /* 304 / 32, rounded up, + 1 */
        {"mi300x", "ATC", "AID=4 INSTANCE=1"},
        {"mi300a", "GRBM", "XCC=6 INSTANCE=1"},
        {"mi100", "ATC", "INSTANCE=1"},
        {"rx6900xt", "SQ", "SHADER_ENGINE=4 INSTANCE=1"},
        {"rx6900xt", "GL1C", "SHADER_ENGINE=4 SHADER_ARRAY=2 INSTANCE=8"},
        {"rx6900xt", "GL2C", "INSTANCE=32"},
        {"rx7900xtx", "SQ", "SHADER_ENGINE=6 SHADER_ARRAY=2 WGP=4"},
        {"rx7900xtx", "TA", "SHADER_ENGINE=6 INSTANCE=16"},
        {"krackan2", "SQ", "SHADER_ENGINE=1 SHADER_ARRAY=1 WGP=2"},
        {"rx9070xt", "TCP", "SHADER_ENGINE=4 SHADER_ARRAY=2 WGP=4 INSTANCE=2"},
        {"rx9060xt", "GL2C", "INSTANCE=16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ctr_agent_t agent;
        ctr_shape_t shape;
        char text[200];
        const ctr_counter_t *counter;
        ctr_catalogue_t *c = catalogue_of(rows[i].product, &agent);
        assert_int_equal(ctr_catalogue_event(c, rows[i].block, 1, &counter, NULL), CTR_OK);
        assert_int_equal(ctr_counter_shape(c, counter, &agent, &shape, NULL), CTR_OK);
        tell(&shape, text, sizeof text);
        if (strcmp(text, rows[i].shape) != 0)
            fail_msg("%s of %s: %s, expected %s", rows[i].block, rows[i].product, text,
                     rows[i].shape);
        ctr_catalogue_destroy(c);
    }
}

/* Every GPU whose counters are known has a catalogue, and its counters need no more than it has. */
static void rows_and_catalogues_agree(void **state)
{
    (void)state;
    size_t known = 0;
    ctr_definitions_t *definitions = ctr_definitions_create();
    assert_int_equal(ctr_definitions_add_builtin(definitions), CTR_OK);
    for (size_t i = 0; i < gpus_count(); i++) {
        ctr_error_t error = {0};
        ctr_catalogue_t *c;
        const gpus_arch_t *arch = gpus_at(i);
        ctr_status_t status = ctr_catalogue_create(definitions, arch->name, CTR_GENERATION_SDK, 0,
                                                   NULL, NULL, &c, &error);
        assert_int_equal(status, arch->blocks ? CTR_OK : CTR_NOT_FOUND);
        known += status == CTR_OK;
        if (status == CTR_OK && !gpus_product(arch->name)) fail_msg("no product of %s", arch->name);
        if (status != CTR_OK) assert_non_null(strstr(error.text, arch->name));
        ctr_catalogue_destroy(c);
    }
    assert_int_equal(known, 27);
    ctr_definitions_destroy(definitions);
}

static hsa_status_t note_extent(int position, int id, int extent, int coordinate, const char *name,
                                void *data)
{
    static const ctr_dim_t dims[] = {CTR_DIM_XCC,          CTR_DIM_AID, CTR_DIM_SHADER_ENGINE,
                                     CTR_DIM_SHADER_ARRAY, CTR_DIM_WGP, CTR_DIM_INSTANCE};
    (void)position, (void)coordinate, (void)name;
    ((ctr_shape_t *)data)->extent[dims[id]] = (uint16_t)extent;
    return HSA_STATUS_SUCCESS;
}

static void places_are_those_of_aqlprofile(void **state)
{
    (void)state;
    for (size_t i = 0; i < gpus_product_count(); i++) {
        const gpus_product_t *product = gpus_product_at(i);
        if (!product->arch->blocks) continue;
        ctr_agent_t agent;
        ctr_catalogue_t *c = catalogue_of(product->name, &agent);
        const aqlprofile_agent_info_t info = {product->arch->name, product->xccs, product->engines,
                                              product->units, product->arrays};
        aqlprofile_agent_handle_t handle;
        assert_int_equal(aqlprofile_register_agent(&handle, &info), HSA_STATUS_SUCCESS);
        for (uint32_t id = 0; id < CTR_BLOCK_IDS; id++) {
            ctr_shape_t shape, told = {0};
            const ctr_counter_t *counter = NULL;
            for (size_t j = 0; j < ctr_catalogue_count(c) && !counter; j++)
                if (ctr_catalogue_at(c, j)->block_id == id) counter = ctr_catalogue_at(c, j);
            if (!counter) continue;
            const aqlprofile_pmc_event_t event = {.block_name =
                                                      (hsa_ven_amd_aqlprofile_block_name_t)id};
            assert_int_equal(ctr_counter_shape(c, counter, &agent, &shape, NULL), CTR_OK);
            assert_int_equal(aqlprofile_iterate_event_coord(handle, event, 0, note_extent, &told),
                             HSA_STATUS_SUCCESS);
            char ours[200], theirs[200];
            tell(&shape, ours, sizeof ours);
            tell(&told, theirs, sizeof theirs);
            if (strcmp(ours, theirs) != 0)
                fail_msg("%s of %s: %s, the values have %s", counter->block, product->name, ours,
                         theirs);
        }
        ctr_catalogue_destroy(c);
    }
}

static void conflicts_are_of_the_gpu(void **state)
{
    (void)state;
    static const struct {
        const char *product, *names[5], *message;
    } rows[] = {
        {"rx7900xtx",
         {"GL2C_HIT", "GL2C_MISS", "GL2C_EA_RDREQ_32B", "GL2C_EA_RDREQ_64B", "GL2C_EA_RDREQ_96B"},
         "5 counters of block GL2C are wanted, 4 available; 2 passes would do, limit 1: GL2C_HIT "
         "GL2C_MISS GL2C_EA_RDREQ_32B GL2C_EA_RDREQ_64B | GL2C_EA_RDREQ_96B"},
        {"mi355x",
         {"CPC_TG_SEND", "CPC_CANE_BUSY", "CPC_ALWAYS_COUNT"},
         "3 counters of block CPC are wanted, 2 available; 2 passes would do, limit 1: CPC_TG_SEND "
         "CPC_CANE_BUSY | CPC_ALWAYS_COUNT"},
        {"rx9070xt",
         {"GRBM_COUNT", "GRBM_GUI_ACTIVE", "TA_TA_BUSY", "TA_BUFFER_LOAD_WAVEFRONTS",
          "TA_BUFFER_STORE_WAVEFRONTS"},
         "3 counters of block TA are wanted, 2 available; 2 passes would do, limit 1: GRBM_COUNT "
         "GRBM_GUI_ACTIVE TA_TA_BUSY TA_BUFFER_LOAD_WAVEFRONTS | TA_BUFFER_STORE_WAVEFRONTS"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ctr_agent_t agent;
        ctr_error_t error = {0};
        ctr_plan_t *plan;
        const ctr_counter_t *wanted[5];
        size_t count = 0;
        ctr_catalogue_t *c = catalogue_of(rows[i].product, &agent);
        for (; count < 5 && rows[i].names[count]; count++) {
            const char *name = rows[i].names[count];
            wanted[count] = ctr_catalogue_find(c, name, strlen(name));
            assert_non_null(wanted[count]);
        }
        assert_int_equal(ctr_plan_create(c, &agent, wanted, count, 1, &plan, &error), CTR_TOO_MANY);
        assert_string_equal(error.text, rows[i].message);
        assert_int_equal(ctr_plan_create(c, &agent, wanted, count, 0, &plan, &error), CTR_OK);
        assert_int_equal(ctr_plan_pass_count(plan), 2);
        ctr_plan_destroy(plan);
        ctr_catalogue_destroy(c);
    }
}

static void what_a_gpu_lacks_is_refused(void **state)
{
    (void)state;
    ctr_agent_t agent;
    ctr_error_t error = {0};
    const ctr_counter_t *counter;
    ctr_catalogue_t *c = catalogue_of("gfx1100", &agent);
    assert_int_equal(ctr_catalogue_event(c, "TCC", 1, &counter, &error), CTR_NOT_FOUND);
    assert_string_equal(error.text, "gfx1100 has no block TCC");
    assert_int_equal(ctr_catalogue_event(c, "GL2C", 260, &counter, &error), CTR_NOT_FOUND);
    assert_string_equal(error.text, "event 260 of block GL2C, its last is 259 on gfx1100");
    assert_int_equal(ctr_catalogue_instance(c, "GL2C_HIT[32]", &counter, &error), CTR_NOT_FOUND);
    assert_string_equal(error.text,
                        "instance 32 of counter GL2C_HIT, block GL2C has 32 on gfx1100");
    ctr_catalogue_destroy(c);
}

/* The one value of a derived counter when every event counts the same in all places; NAN if it has
 * several values. */
static double value_of(const ctr_catalogue_t *c, const ctr_agent_t *agent, const char *name)
{
    ctr_error_t error = {0};
    ctr_plan_t *plan;
    const ctr_counter_t *counter = ctr_catalogue_find(c, name, strlen(name));
    if (!counter || ctr_plan_create(c, agent, &counter, 1, 1, &plan, &error) != CTR_OK)
        fail_msg("%s: %s", name, error.text);
    const ctr_pass_t *pass = ctr_plan_pass(plan, 0);
    double *raw =
        calloc(pass->raw_count + pass->scratch_count + pass->value_count + 1, sizeof *raw);
    double *scratch = raw + pass->raw_count, *values = scratch + pass->scratch_count;
    for (size_t e = 0; e < pass->event_count; e++) {
        const ctr_event_t *event = &pass->events[e];
        const unsigned made = 37 * event->counter->event + 11 * event->counter->block_id +
                              5 * (unsigned)event->accumulate;
        for (size_t i = 0; i < ctr_shape_size(&event->shape); i++)
            raw[event->first + i] = made % 101 + 1;
    }
    ctr_evaluate(pass, raw, scratch, values);
    const double value = pass->value_count == 1 ? values[0] : NAN;
    free(raw);
    ctr_plan_destroy(plan);
    return value;
}

/* True for metrics that the first generation has as AMD has them: one value of a sum over engines
 * that is not added up, undivided. */
static bool is_undivided(const ctr_counter_t *counter)
{
    const char *end = strchr(counter->expression, ')');
    return strcmp(counter->name, "MemUnitStalled") == 0 ||
           (strncmp(counter->expression, "reduce(", 7) == 0 && end && !end[1] &&
            !strstr(counter->expression, "sum)"));
}

/* Expressions of the first generation, which knows sums over places alone, say the same. Arrays
 * have so many units that the blocks of units have as many instances as both read. */
static void both_generations_agree(void **state)
{
    (void)state;
    ctr_error_t error = {0};
    ctr_definitions_t *xml = ctr_definitions_create();
    assert_int_equal(
        ctr_definitions_add_file(xml, CTR_FORMAT_XML, COUNTERS_XML, NULL, NULL, &error), CTR_OK);
    for (size_t i = 0; i < gpus_product_count(); i++) {
        enum { UNITS = 15 };
        gpus_product_t product = *gpus_product_at(i);
        if (!product.arch->blocks) continue;
        product.units = UNITS * product.engines * product.arrays;
        if (product.arch->cus > 1) product.units += product.engines * product.arrays; /* even */
        const ctr_agent_t agent = ctr_agent_of_product(&product);
        ctr_catalogue_t *v1, *sdk = builtin_catalogue_of(product.arch->name, CTR_GENERATION_SDK);
        assert_int_equal(ctr_catalogue_create(xml, product.arch->name, CTR_GENERATION_V1, 0, NULL,
                                              NULL, &v1, &error),
                         CTR_OK);
        for (size_t k = 0; k < ctr_catalogue_count(sdk); k++) {
            const ctr_counter_t *counter = ctr_catalogue_at(sdk, k);
            if (counter->kind != CTR_DERIVED || is_undivided(counter)) continue;
            const double wanted = value_of(sdk, &agent, counter->name);
            const double found = value_of(v1, &agent, counter->name);
            if (!isnan(wanted) && fabs(wanted - found) > 1e-9 * fabs(wanted))
                fail_msg("%s of %s: %g, in the first generation %g", counter->name, product.name,
                         wanted, found);
        }
        ctr_catalogue_destroy(v1);
        ctr_catalogue_destroy(sdk);
    }
    ctr_definitions_destroy(xml);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimensions_by_hand),
        cmocka_unit_test(rows_and_catalogues_agree),
        cmocka_unit_test(places_are_those_of_aqlprofile),
        cmocka_unit_test(conflicts_are_of_the_gpu),
        cmocka_unit_test(both_generations_agree),
        cmocka_unit_test(what_a_gpu_lacks_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
