/* expressions.c - every form of expression in both generations, with values computed by hand, and
 * what is wrong with wrong ones, where. */
#include "helpers.h"

static const base_t bases[] = {{"SQ_WAVES", 0, 10},
                               {"SQ_INSTS_VALU", 0, 40},
                               {"GRBM_GUI_ACTIVE", 0, 1000},
                               {"TCC_HIT", 0, 3},
                               {"TCC_MISS", 0, 1},
                               {"TCP_GATE_EN1", 0, 7},
                               {"SQ_LEVEL_WAVES", CTR_ACCUMULATE_NONE, 5},
                               {"SQ_LEVEL_WAVES", CTR_ACCUMULATE_LOW, 50},
                               {"SQ_LEVEL_WAVES", CTR_ACCUMULATE_HIGH, 500},
                               {0}};

typedef struct {
    const char *expression;
    size_t count;
    double values[8];
} row_t;

static const row_t sdk_rows[] = {
    {"2+3*4-6/2", 1, {11}},
    {"(2+3)*4", 1, {20}},
    {"10-3-2", 1, {5}},
    {"16/4/2", 1, {2}},
    {" 1.5e2 * 2 ", 1, {300}},
    {".5+25e-2", 1, {0.75}},
    {"-3+ +5", 1, {2}},
    {"2--3", 1, {5}},
    {"1/0", 1, {0}},
    {"SQ_WAVES", 2, {10, 110}},
    {"SQ_WAVES+SQ_INSTS_VALU", 2, {50, 250}},
    {"2*SQ_WAVES-1", 2, {19, 219}},
    {"SQ_WAVES/0", 2, {0, 0}},
    {"-SQ_WAVES", 2, {-10, -110}},
    {"GRBM_GUI_ACTIVE*SQ_WAVES", 2, {10000, 110000}},
    {"SQ_WAVES*TCP_GATE_EN1", 6, {70, 80, 90, 11770, 11880, 11990}},
    {"TCP_GATE_EN1-SQ_WAVES", 6, {-3, -2, -1, -3, -2, -1}},
    {"reduce(SQ_WAVES,sum)", 1, {120}},
    {"reduce(SQ_WAVES, min)", 1, {10}},
    {"reduce(SQ_WAVES,max)", 1, {110}},
    {"reduce(SQ_WAVES,avr)", 1, {60}},
    {"reduce(TCC_HIT,sum)", 1, {592}}, /* 32 x 3 + 0 + 1 + ... + 31 */
    {"reduce(TCC_HIT,avr)", 1, {18.5}},
    {"reduce(TCP_GATE_EN1,sum,[DIMENSION_INSTANCE])", 2, {24, 324}},
    {"reduce(TCP_GATE_EN1,avr,[DIMENSION_INSTANCE])", 2, {8, 108}},
    {"reduce(TCP_GATE_EN1,max,[DIMENSION_SHADER_ENGINE])", 3, {107, 108, 109}},
    {"reduce(TCP_GATE_EN1,sum,[DIMENSION_SHADER_ENGINE,DIMENSION_INSTANCE])", 1, {348}},
    {"reduce(TCP_GATE_EN1,sum,[DIMENSION_XCC])", 6, {7, 8, 9, 107, 108, 109}},
    {"reduce(reduce(TCP_GATE_EN1,sum,[SE]),max)", 1, {118}},
    {"reduce(SQ_WAVES*2+1,sum)", 1, {242}},
    {"select(TCP_GATE_EN1,[DIMENSION_SHADER_ENGINE=[1]])", 3, {107, 108, 109}},
    {"select(TCP_GATE_EN1,[DIMENSION_SHADER_ENGINE=[1],DIMENSION_INSTANCE=[2]])", 1, {109}},
    {"select(TCP_GATE_EN1,[DIMENSION_INSTANCE=[0,2]])", 4, {7, 9, 107, 109}},
    {"select(TCC_HIT, [DIMENSION_INSTANCE = [1:3, 30]])", 4, {4, 5, 6, 33}},
    {"select(TCC_HIT,[DIMENSION_XCC=[0],DIMENSION_INSTANCE=[31]])", 1, {34}},
    {"reduce(select(TCC_HIT,[DIMENSION_INSTANCE=[0:3]]),sum)", 1, {18}},
    {"accumulate(SQ_LEVEL_WAVES,HIGH_RES)", 2, {500, 600}},
    {"accumulate(SQ_LEVEL_WAVES, LOW_RES)", 2, {50, 150}},
    {"accumulate(SQ_LEVEL_WAVES,NONE)", 2, {5, 105}},
    {"accumulate(SQ_LEVEL_WAVES,HIGH_RES)/SQ_LEVEL_WAVES", 2, {100, 600.0 / 105}},
    {"sum(TCC_HIT,4)", 1, {18}},
    {"max(TCC_HIT,16)+min(TCC_HIT,16)", 1, {21}},
    {"avr(TCP_GATE_EN1,2)", 1, {115}},  /* (7 + 107 + 8 + 108) / 2 instances */
    {"sum(TCP_GATE_EN1,16)", 1, {348}}, /* this agent has three */
    {"TCC_HIT[5]", 1, {8}},
    {"TCP_GATE_EN1[1]", 2, {8, 108}},
    {"simd_count/simd_per_cu", 1, {4}},
    {"wave_front_size*SE_NUM", 1, {128}},
};

static const row_t v1_rows[] = {
    {"SQ_WAVES", 1, {120}}, /* added up over the shader engines */
    {"SQ_INSTS_VALU/SQ_WAVES", 1, {1.5}},
    {"TCC_HIT", 1, {3}},
    {"TCC_HIT[5]", 1, {8}},
    {"TCP_GATE_EN1[1]", 1, {116}},
    {"sum(TCC_HIT,16)", 1, {168}},
    {"100*sum(TCC_HIT,2)/(sum(TCC_HIT,2)+sum(TCC_MISS,2))", 1, {70}},
    {"max(TCP_GATE_EN1,16)", 1, {144}}, /* 7 + 107 + 2 x 15 */
    {"min(TCP_GATE_EN1,16)", 1, {114}},
    {"avr(TCP_GATE_EN1,16)", 1, {129}},
    {"400*SQ_WAVES/GRBM_GUI_ACTIVE/CU_NUM", 1, {12}},
    {"MAX_WAVE_SIZE", 1, {64}},
    {"reduce(SQ_WAVES,max)", 1, {110}}, /* the newer functions see all values */
    {"accumulate(SQ_LEVEL_WAVES,HIGH_RES)", 1, {1100}},
};

static void check_row(ctr_catalogue_t *catalogue, const row_t *row, int number)
{
    char name[32];
    ctr_error_t error = {0};
    ctr_agent_t agent = small_agent();
    const ctr_counter_t *counter = NULL;
    ctr_plan_t *plan = NULL;
    snprintf(name, sizeof(name), "TEST_%d", number);
    if (ctr_catalogue_add(catalogue, name, strlen(name), row->expression, strlen(row->expression),
                          "", 0, &counter, &error) != CTR_OK ||
        ctr_plan_create(catalogue, &agent, &counter, 1, 1, &plan, &error) != CTR_OK)
        fail_msg("%s: %s", row->expression, error.text);
    const ctr_pass_t *pass = ctr_plan_pass(plan, 0);
    double *values = run_pass(pass, bases, true);
    ctr_shape_t shape;
    assert_int_equal(ctr_counter_shape(catalogue, counter, &agent, &shape, NULL), CTR_OK);
    assert_memory_equal(&shape, &pass->results[0].shape, sizeof(shape));
    if (pass->value_count != row->count)
        fail_msg("%s: %zu values, expected %zu", row->expression, pass->value_count, row->count);
    for (size_t i = 0; i < row->count; i++)
        if (values[i] != row->values[i])
            fail_msg("%s: value %zu is %g, expected %g", row->expression, i, values[i],
                     row->values[i]);
    free(values);
    ctr_plan_destroy(plan);
}

static void values_of_both_generations(void **state)
{
    (void)state;
    ctr_catalogue_t *sdk = builtin_catalogue(CTR_GENERATION_SDK);
    ctr_catalogue_t *v1 = builtin_catalogue(CTR_GENERATION_V1);
    for (size_t i = 0; i < sizeof(sdk_rows) / sizeof(*sdk_rows); i++)
        check_row(sdk, &sdk_rows[i], (int)i);
    for (size_t i = 0; i < sizeof(v1_rows) / sizeof(*v1_rows); i++)
        check_row(v1, &v1_rows[i], (int)i);
    ctr_catalogue_destroy(sdk);
    ctr_catalogue_destroy(v1);
}

static const struct {
    const char *expression;
    unsigned column;
    const char *says;
} wrong[] = {
    {"", 1, "ends where a value is expected"},
    {"SQ_WAVES+", 10, "ends where a value is expected"},
    {"SQ_WAVES SQ_WAVES", 10, "after the end"},
    {"(SQ_WAVES", 10, "')' is missing at the end of the parenthesis"},
    {"SQ_WAVES)", 9, "')' after the end"},
    {"SQ_WAVE", 1, "no counter or agent property \"SQ_WAVE\"; is it SQ_WAVES?"},
    {"1+sq_waves", 3, "is it SQ_WAVES?"},
    {"NOTHING_LIKE_THIS_AT_ALL", 1, "no counter or agent property \"NOTHING_LIKE_THIS_AT_ALL\","},
    {"reduce(SQ_WAVES)", 16, "')' where reduce(expression, operation) needs ','"},
    {"reduce(SQ_WAVES,mean)", 17, "\"mean\" is no operation of reduce(); there are sum, min"},
    {"reduce(SQ_WAVES,sum,[SQ])", 22, "\"SQ\" is no dimension; there are DIMENSION_XCC"},
    {"reduce(SQ_WAVES,sum,DIMENSION_XCC)", 21, "'D' where"},
    {"reduce(SQ_WAVES,sum,[XCC],1)", 26, "','"},
    {"select(SQ_WAVES)", 16, "needs ','"},
    {"select(SQ_WAVES,[DIMENSION_XCC])", 31, "needs '='"},
    {"select(SQ_WAVES,[DIMENSION_XCC=[]])", 33, "position is not a whole number"},
    {"select(SQ_WAVES,[DIMENSION_XCC=[64]])", 33, "position 64 is outside 0 to 63"},
    {"select(SQ_WAVES,[DIMENSION_INSTANCE=[5:3]])", 40, "end of the range 3 is outside 5 to 1023"},
    {"accumulate(SQ_WAVES)", 20, "needs ','"},
    {"accumulate(SQ_WAVES,MIDDLE)", 21, "\"MIDDLE\" is no resolution; there are NONE, LOW_RES"},
    {"accumulate(TCC_HIT,LOW_RES)", 12, "not a hardware counter of block SQ"},
    {"accumulate(5,LOW_RES)", 12, "begins with the name of a counter"},
    {"sum(TCC_HIT)", 12, "a function of (counter, instances) needs ','"},
    {"sum(TCC_HIT,0)", 13, "number of instances 0 is outside 1 to 1024"},
    {"sum(TCC_HIT,16,2)", 15, "','"},
    {"mean(TCC_HIT,16)", 1, "\"mean\" is no function; there are reduce, select"},
    {"FETCH_SIZE[3]", 11, "\"FETCH_SIZE\" is derived and has no instances"},
    {"TCC_HIT[x]", 9, "instance is not a whole number"},
    {"TCC_HIT[99999]", 9, "instance 99999 is outside 0 to 1023"},
    {"1.5e", 4, "exponent without digits"},
    {".", 1, "'.' without digits"},
    {"1e999", 1, "number too large, limit 1e300"},
    {"1 $ 2", 3, "'$' after the end"},
    {"\x01", 1, "byte 0x01"},
};

static void errors_name_the_place(void **state)
{
    (void)state;
    ctr_catalogue_t *catalogue = builtin_catalogue(CTR_GENERATION_SDK);
    size_t before = ctr_catalogue_count(catalogue);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        ctr_error_t error = {0};
        const ctr_counter_t *counter;
        const char *text = wrong[i].expression;
        ctr_status_t status =
            ctr_catalogue_add(catalogue, "WRONG", 5, text, strlen(text), "", 0, &counter, &error);
        if (status != CTR_BAD_EXPRESSION && status != CTR_NOT_FOUND)
            fail_msg("\"%s\": status %d", text, status);
        if (error.column != wrong[i].column || !strstr(error.text, wrong[i].says))
            fail_msg("\"%s\": column %u (expected %u): %s", text, error.column, wrong[i].column,
                     error.text);
    }
    assert_int_equal(ctr_catalogue_count(catalogue), before);
    ctr_catalogue_destroy(catalogue);
}

static void nesting_is_limited(void **state)
{
    (void)state;
    char text[5000];
    ctr_error_t error = {0};
    const ctr_counter_t *counter;
    ctr_catalogue_t *catalogue = builtin_catalogue(CTR_GENERATION_SDK);
    memset(text, '(', sizeof(text));
    assert_int_equal(
        ctr_catalogue_add(catalogue, "DEEP", 4, text, sizeof(text), "", 0, &counter, &error),
        CTR_BAD_EXPRESSION);
    assert_non_null(strstr(error.text, "nested deeper than 100"));
    memset(text, '-', sizeof(text));
    assert_int_equal(
        ctr_catalogue_add(catalogue, "DEEP", 4, text, sizeof(text), "", 0, &counter, &error),
        CTR_BAD_EXPRESSION);
    assert_non_null(strstr(error.text, "nested deeper than 100"));
    /* definitions above one another: 256 at most, and those do compute */
    ctr_agent_t agent = small_agent();
    ctr_status_t status = CTR_OK;
    const ctr_counter_t *last = NULL;
    for (int i = 0; i < 400 && status == CTR_OK; i++) {
        char name[32], expression[32] = "1";
        snprintf(name, sizeof(name), "LEVEL_%d", i);
        if (i) snprintf(expression, sizeof(expression), "LEVEL_%d+LEVEL_%d", i - 1, i - 1);
        status = ctr_catalogue_add(catalogue, name, strlen(name), expression, strlen(expression),
                                   "", 0, &counter, &error);
        if (status == CTR_OK) last = counter;
    }
    assert_int_equal(status, CTR_TOO_MANY);
    assert_string_equal(error.text, "LEVEL_257: 257 definitions above one another, limit 256");
    ctr_plan_t *plan;
    assert_int_equal(ctr_plan_create(catalogue, &agent, &last, 1, 1, &plan, &error), CTR_OK);
    double *values = run_pass(ctr_plan_pass(plan, 0), bases, true);
    assert_true(values[0] == 0x1p256);
    free(values);
    ctr_plan_destroy(plan);
    ctr_catalogue_destroy(catalogue);
}

static void shapes_that_do_not_match(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"TCC_HIT+TCP_GATE_EN1", "MISMATCH: values with 32 and 3 positions of DIMENSION_INSTANCE "
                                 "cannot be combined; reduce() them first"},
        {"select(SQ_WAVES,[SE=[2]])", "MISMATCH: position 2 of DIMENSION_SHADER_ENGINE is "
                                      "selected, the agent has 2"},
        {"TCC_HIT[40]",
         "MISMATCH: position 40 of DIMENSION_INSTANCE is selected, the agent has 32"}};
    for (size_t i = 0; i < 3; i++) {
        ctr_error_t error = {0};
        ctr_agent_t agent = small_agent();
        ctr_shape_t shape;
        ctr_plan_t *plan;
        const ctr_counter_t *counter;
        ctr_catalogue_t *catalogue = builtin_catalogue(CTR_GENERATION_SDK);
        assert_int_equal(ctr_catalogue_add(catalogue, "MISMATCH", 8, rows[i][0], strlen(rows[i][0]),
                                           "", 0, &counter, &error),
                         CTR_OK);
        assert_int_equal(ctr_counter_shape(catalogue, counter, &agent, &shape, &error),
                         CTR_BAD_EXPRESSION);
        assert_string_equal(error.text, rows[i][1]);
        memset(&error, 0, sizeof(error));
        assert_int_equal(ctr_plan_create(catalogue, &agent, &counter, 1, 1, &plan, &error),
                         CTR_BAD_EXPRESSION);
        assert_string_equal(error.text, rows[i][1]);
        assert_null(plan);
        ctr_catalogue_destroy(catalogue);
    }
}

static void numbers_keep_fifteen_digits(void **state)
{
    (void)state;
    ctr_catalogue_t *catalogue = builtin_catalogue(CTR_GENERATION_SDK);
    const row_t row = {"0.1*10+1e-3*1000+123456789012345.5", 1, {123456789012347.5}};
    check_row(catalogue, &row, 0);
    ctr_catalogue_destroy(catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_both_generations), cmocka_unit_test(errors_name_the_place),
        cmocka_unit_test(nesting_is_limited), cmocka_unit_test(shapes_that_do_not_match),
        cmocka_unit_test(numbers_keep_fifteen_digits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
