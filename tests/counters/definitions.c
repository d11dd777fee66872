/* definitions.c - files and texts of all forms: what is read, what is refused, where and why. */
#include "helpers.h"

#include <unistd.h>

static ctr_catalogue_t *load(const char *text, ctr_generation_t generation, const char *gfx,
                             reports_t *reports)
{
    ctr_error_t error = {0};
    ctr_catalogue_t *catalogue = NULL;
    ctr_definitions_t *definitions = ctr_definitions_create();
    if (ctr_definitions_add_text(definitions, CTR_FORMAT_AUTO, text, strlen(text), "f", collect,
                                 reports, &error) != CTR_OK ||
        ctr_catalogue_create(definitions, gfx, generation, 100, collect, reports, &catalogue,
                             &error) != CTR_OK)
        collect(&error, reports);
    ctr_definitions_destroy(definitions);
    return catalogue;
}

static const ctr_counter_t *find(const ctr_catalogue_t *catalogue, const char *name)
{
    const ctr_counter_t *counter = ctr_catalogue_find(catalogue, name, strlen(name));
    if (!counter) fail_msg("no counter %s", name);
    return counter;
}

static void yaml_of_now(void **state)
{
    (void)state;
    reports_t reports = {0};
    ctr_catalogue_t *c = load("rocprofiler-sdk:\n"
                              "  counters-schema-version: 1\n"
                              "  counters:\n"
                              "  - name: MY_WAVES\n"
                              "    description: 'Waves: mine'\n"
                              "    properties: []\n"
                              "    definitions:\n"
                              "    - architectures: [gfx908, \"gfx90a\"]\n"
                              "      block: SQ\n"
                              "      event: 4\n"
                              "    - architectures:\n"
                              "      - gfx942\n"
                              "      block: SQ\n"
                              "      event: 5\n"
                              "  - name: TWICE\n"
                              "    description: two\n"
                              "    definitions:\n"
                              "    - architectures: [gfx90a]\n"
                              "      expression:\n"
                              "        2 * reduce(MY_WAVES,sum)\n",
                              CTR_GENERATION_SDK, "gfx90a:sramecc+:xnack-", &reports);
    assert_string_equal(reports.text, "");
    const ctr_counter_t *waves = find(c, "MY_WAVES"), *twice = find(c, "TWICE");
    assert_int_equal(waves->kind, CTR_HARDWARE);
    assert_string_equal(waves->block, "SQ");
    assert_string_equal(waves->description, "Waves: mine");
    assert_int_equal(waves->event, 4);
    assert_int_equal(waves->block_id, 6);
    assert_int_equal(waves->value_class, CTR_CLASS_EXACT); /* the class of that event */
    assert_int_equal(twice->kind, CTR_DERIVED);
    assert_string_equal(twice->expression, "2 * reduce(MY_WAVES,sum)");
    assert_int_equal(twice->value_class, CTR_CLASS_EXACT);
    assert_int_equal(twice->id, waves->id + 1);
    assert_ptr_equal(ctr_catalogue_by_id(c, twice->id), twice);
    assert_null(ctr_catalogue_by_id(c, 99));
    assert_int_equal(ctr_catalogue_at(c, 0)->id, 100);
    assert_int_equal(ctr_catalogue_at(c, 0)->kind, CTR_CONSTANT);
    ctr_agent_t agent = small_agent();
    ctr_plan_t *plan = NULL;
    assert_int_equal(ctr_plan_create(c, &agent, &twice, 1, 1, &plan, NULL), CTR_OK);
    assert_int_equal(ctr_plan_pass(plan, 0)->event_count, 1);
    assert_ptr_equal(ctr_plan_pass(plan, 0)->events[0].counter, waves);
    ctr_plan_destroy(plan);
    assert_string_equal(ctr_catalogue_similar(c, "my_wave"), "MY_WAVES");
    ctr_catalogue_destroy(c);
}

/* rocprof-compute defines a counter for each channel of L2, and names it as an instance. */
static void names_of_instances(void **state)
{
    (void)state;
    reports_t reports = {0};
    ctr_error_t error = {0};
    const ctr_counter_t *found = NULL;
    ctr_catalogue_t *c =
        load("TCC_HIT: {architectures: {gfx90a: {block: TCC, event: 17}}}\n"
             "TCC_HIT[2]: {architectures: {gfx90a: {expression: "
             "'select(TCC_HIT,[DIMENSION_XCC=[0], DIMENSION_INSTANCE=[7]])'}}}\n"
             "TWICE: {architectures: {gfx90a: {expression: '2*TCC_HIT[2]+TCC_HIT[3]'}}}\n"
             "DERIVED[40]: {architectures: {gfx90a: {expression: 'TWICE+1'}}}\n"
             "OF_DERIVED: {architectures: {gfx90a: {expression: 'DERIVED[40]'}}}\n"
             "SELF[1]: {architectures: {gfx90a: {expression: 'SELF[1]'}}}\n"
             "NONE: {architectures: {gfx90a: {expression: 'DERIVED[41]'}}}\n",
             CTR_GENERATION_SDK, "gfx90a", &reports);
    assert_string_equal(reports.text, "f:7:45: NONE: no counter or agent property \"DERIVED\", at "
                                      "character 1 of \"DERIVED[41]\"\n"
                                      "f:6:48: SELF[1]: is defined by itself, through SELF[1]\n");
    assert_int_equal(find(c, "TCC_HIT[2]")->kind, CTR_DERIVED);
    assert_false(ctr_is_instance(find(c, "TCC_HIT[2]")));
    assert_int_equal(ctr_catalogue_instance(c, "TCC_HIT[2]", &found, &error), CTR_OK);
    assert_ptr_equal(found, find(c, "TCC_HIT[2]")); /* the definition, not instance 2 */
    assert_int_equal(ctr_catalogue_instance(c, "TCC_HIT[3]", &found, &error), CTR_OK);
    assert_true(ctr_is_instance(found));
    const ctr_counter_t *wanted[] = {find(c, "TWICE"), find(c, "OF_DERIVED")};
    ctr_agent_t agent = small_agent();
    ctr_plan_t *plan = NULL;
    assert_int_equal(ctr_plan_create(c, &agent, wanted, 2, 1, &plan, &error), CTR_OK);
    const ctr_pass_t *pass = ctr_plan_pass(plan, 0);
    assert_int_equal(pass->event_count, 1);
    double raw[32], scratch[256], values[2] = {0};
    assert_int_equal(pass->raw_count, 32);
    assert_true(pass->scratch_count <= 256 && pass->value_count == 2);
    for (size_t i = 0; i < 32; i++)
        raw[i] = 100 + (double)i;
    ctr_evaluate(pass, raw, scratch, values);
    assert_true(values[0] == 2 * 107 + 103);
    assert_true(values[1] == 2 * 107 + 103 + 1);
    ctr_plan_destroy(plan);
    ctr_catalogue_destroy(c);
}

static void yaml_of_before(void **state)
{
    (void)state;
    reports_t reports = {0};
    ctr_catalogue_t *c = load("schema-version: 1\n"
                              "SQ_WAVES:\n"
                              "  architectures:\n"
                              "    gfx9/gfx906/gfx90a/gfx908:\n"
                              "      block: SQ\n"
                              "      event: 0x4\n"
                              "    gfx10:\n"
                              "      block: SQ\n"
                              "      event: 9\n"
                              "  description: Waves\n"
                              "HALF:\n"
                              "  architectures:\n"
                              "    gfx90a:\n"
                              "      expression: SQ_WAVES/2\n"
                              "      description: own words\n"
                              "  description: common words\n",
                              CTR_GENERATION_SDK, "gfx90a", &reports);
    assert_string_equal(reports.text, "");
    assert_int_equal(find(c, "SQ_WAVES")->event, 4);
    assert_string_equal(find(c, "HALF")->description, "own words");
    ctr_catalogue_destroy(c);
}

/* The form of the first generation's specification, and that of AMD's files. */
static void xml_of_both_kinds(void **state)
{
    (void)state;
    reports_t reports = {0};
    ctr_catalogue_t *c = load("\xef\xbb\xbf" /* UTF-8 */
                              "# comment <metric>\n"
                              "<gfx8>\n"
                              "  <metric name=L1_CYCLES_COUNTER block=L1 event=0 >\n"
                              "</gfx8>\n"
                              "<gfx9>\n"
                              "  <metric name=CYCLES block=TCP event=0 >\n"
                              "  <metric name=MISSES event=69 block=TCP ></metric>\n"
                              "</gfx9>\n"
                              "<!-- <global> -->\n"
                              "<global>\n"
                              "  <metric name=RATIO expr=CYCLES/ MISSES ></metric>\n"
                              "  <metric\n"
                              "    name=\"TIMES\"\n"
                              "    descr='more \"words\" than = one'\n"
                              "    expr=100*sum(CYCLES,16)/ (MISSES + 1)/SE_NUM\n"
                              "  ></metric>\n"
                              "</global>\n",
                              CTR_GENERATION_V1, "gfx90a", &reports);
    assert_string_equal(reports.text, "");
    assert_string_equal(find(c, "RATIO")->expression, "CYCLES/ MISSES");
    assert_string_equal(find(c, "TIMES")->description, "more \"words\" than = one");
    assert_string_equal(find(c, "TIMES")->expression, "100*sum(CYCLES,16)/ (MISSES + 1)/SE_NUM");
    assert_string_equal(find(c, "MISSES")->block, "TCP");
    assert_null(ctr_catalogue_find(c, "L1_CYCLES_COUNTER", 17));
    ctr_catalogue_destroy(c);
}

static void xml_sections_inherit(void **state)
{
    (void)state;
    reports_t reports = {0};
    ctr_catalogue_t *c =
        load("<gfx9_expr>\n"
             "  <metric name=\"A\" expr=1></metric>\n"
             "  <metric name=\"B\" expr=2></metric>\n"
             "</gfx9_expr>\n"
             "<gfx908_expr base=\"gfx9_expr\"><metric name=B expr=A+10></gfx908_expr>\n"
             "<gfx90a_expr base=\"gfx908_expr\"></gfx90a_expr>\n"
             "<gfx9 base=\"gfx9_expr\"></gfx9>\n"
             "<gfx90a base=\"gfx90a_expr\"/>\n"
             "<gfx90a><metric name=C block=SQ event=1/></gfx90a>\n",
             CTR_GENERATION_V1, "gfx90a", &reports);
    assert_string_equal(reports.text, "");
    assert_string_equal(find(c, "A")->expression, "1");
    assert_string_equal(find(c, "B")->expression, "A+10");
    assert_string_equal(find(c, "C")->block, "SQ");
    ctr_catalogue_destroy(c);
}

/* Each text and all that is to be said of it. */
static const struct {
    const char *gfx, *text, *reports;
} wrong[] = {
    {"gfx90a", "a: [1, 2\nb: 3\n", "f:2:2: did not find expected ',' or ']'\n"},
    {"gfx90a", "- a\n", "f:1:1: not a mapping; \"rocprofiler-sdk:\" is expected at the top\n"},
    {"gfx90a", "", "f: the text is empty\n"},
    {"gfx90a", "rocprofiler-sdk:\n  counter: []\n",
     "f:2:3: \"rocprofiler-sdk\" has no list \"counters\"\n"},
    {"gfx90a", "rocprofiler-sdk:\n  counters-schema-version: 2\n  counters: []\n",
     "f:2:28: counters-schema-version 2, known is 1\n"},
    {"gfx90a",
     "A:\n  architectures:\n    gfx90a:\n      block: SQ\n      event: many\n"
     "B:\n  architectures: {gfx90a: {expression: 1}}\n",
     "f:4:7: A: event \"many\" is not a number of 64 bits\n"},
    {"gfx90a",
     "A:\n  architectures:\n    gfx90a:\n      block: SQ\nB:\n  description: x\n"
     "C:\n  architectures: {gfx90a: {expression: 2, event: 3}}\n"
     "D:\n  architectures: {gfx90a: {}}\nE-E:\n  architectures: {gfx90a: {expression: 1}}\n"
     "'[3]': {architectures: {gfx90a: {expression: 1}}}\n"
     "'X[3]y': {architectures: {gfx90a: {expression: 1}}}\n"
     "'X[-1]': {architectures: {gfx90a: {expression: 1}}}\n"
     "F:\n  architectures: {gfx90a: {expression: 1}}\n",
     "f:4:7: A has no expression and no event\n"
     "f:6:3: B: no mapping \"architectures\"\n"
     "f:8:40: C has an expression and also a block or event\n"
     "f:10:27: D has no expression and no block\n"
     "f:12:40: counter name \"E-E\" is not made of 1 to 255 letters, digits and underscores, "
     "behind which [N] may stand\n"
     "f:13:46: counter name \"[3]\" is not made of 1 to 255 letters, digits and underscores, "
     "behind which [N] may stand\n"
     "f:14:48: counter name \"X[3]y\" is not made of 1 to 255 letters, digits and underscores, "
     "behind which [N] may stand\n"
     "f:15:48: counter name \"X[-1]\" is not made of 1 to 255 letters, digits and underscores, "
     "behind which [N] may stand\n"},
    {"gfx90a", "A: {architectures: {gfx90a/gfx90a: {expression: 1}}}\n",
     "f:1:49: A is defined before in this text for gfx90a; the first definition stays\n"},
    {"gfx90a",
     "A: {architectures: {gfx90a: {block: SQ, event: 338}}}\n"
     "B: {architectures: {gfx90a: {block: L9, event: 1}}}\n"
     "C: {architectures: {gfx90a: {expression: 1}}}\n",
     "f:1:29: A: event 338 of block SQ, the highest is 337\n"
     "f:2:29: B: block L9 is unknown on gfx90a\n"},
    {"gfx90a",
     "A: {architectures: {gfx90a: {expression: 'B+1'}}}\n"
     "B: {architectures: {gfx90a: {expression: 'C*2'}}}\n"
     "C: {architectures: {gfx90a: {expression: 'A'}}}\n"
     "D: {architectures: {gfx90a: {expression: 'D'}}}\n"
     "E: {architectures: {gfx90a: {expression: '1+missing'}}}\n"
     "F: {architectures: {gfx90a: {expression: '2*E'}}}\n"
     "G: {architectures: {gfx90a: {expression: '7'}}}\n",
     "f:5:42: E: no counter or agent property \"missing\", at character 3 of \"1+missing\"\n"
     "f:3:42: C: is defined by itself, through A\n"
     "f:2:42: B: C, which it uses, is left out\n"
     "f:1:42: A: B, which it uses, is left out\n"
     "f:4:42: D: is defined by itself, through D\n"
     "f:6:42: F: E, which it uses, is left out\n"},
    {"gfx90a",
     "A: {architectures: {gfx90a: {expression: 1}}}\n"
     "simd_count: {architectures: {gfx90a: {expression: 1}}}\n",
     "f:2:51: simd_count is the name of an agent property\n"},
    {"gfx1100", "A: {architectures: {gfx90a: {expression: 1}}}\n",
     "no counters are defined for architecture gfx1100\n"},
    {"gfx902",
     "A: {architectures: {gfx9: {block: SQ, event: 4}}}\n"
     "B: {architectures: {gfx9: {expression: 'reduce(A,sum)'}}}\n"
     "C: {architectures: {gfx9: {expression: simd_count}}}\n",
     "f:1:27: A: block SQ is unknown on gfx902\n"
     "f:2:40: B: A, which it uses, is left out\n"},
    {"gfx90a", "<gfx90a>\n  <metric name=A block=SQ>\n  <metric name=\"B\" expr=\"1>\n</gfx90a>\n",
     "f:2:3: A has no expression and no event\n"
     "f:3:20: the value of \"expr\" has no closing quote\n"
     "f:5:1: the text ends within <gfx90a>\n"
     "no counters are defined for architecture gfx90a\n"},
    {"gfx90a",
     "<metric name=A expr=1>\n<gfx90a>\n <metric name>\n <>\n <metric name=B expr=2>\n"
     "</gfx9>\n</gfx90a>\n<gfx90a",
     "f:1:1: metric \"A\" outside any section such as <gfx9>\n"
     "f:3:10: attribute \"name\" without '='\n"
     "f:4:2: '<' without a name after it\n"
     "f:6:1: </gfx9> closes nothing\n"
     "f:8:1: <gfx90a has no closing '>'\n"},
    {"gfx90a", "#include \"x.xml\"\n<gfx90a><metric name=B expr=2>\n</gfx90a>\n#include\n",
     "f:1:1: \"x.xml\" cannot be included: this text is not a file\n"
     "f:4:1: #include without a name in quotes\n"},
    {"gfx90a", "<gfx9 base=\"gfx8\"></gfx9>\n <gfx90a base=gfx9 >\n<metric name=B expr=2></gfx90a>",
     "f:1:1: gfx9 takes over \"gfx8\", of which this text defines nothing\n"},
};

static void one_wrong_entry_loses_no_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        reports_t reports = {0};
        ctr_catalogue_t *c = load(wrong[i].text, CTR_GENERATION_SDK, wrong[i].gfx, &reports);
        if (strcmp(reports.text, wrong[i].reports) != 0)
            fail_msg("text %zu:\n%s\nsays:\n%s\nexpected:\n%s", i, wrong[i].text, reports.text,
                     wrong[i].reports);
        ctr_catalogue_destroy(c);
    }
}

static void later_texts_replace(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "SQ_WAVES: {architectures: {gfx90a: {block: SQ, event: 5}}}\n"
        "MINE: {architectures: {gfx90a: {expression: 'SQ_WAVES*2'}}}\n",
        "<gfx9><metric name=MINE expr=3></gfx9>"};
    ctr_catalogue_t *c, *plain = builtin_catalogue(CTR_GENERATION_SDK);
    reports_t reports = {0};
    ctr_definitions_t *d = ctr_definitions_create();
    assert_int_equal(ctr_definitions_add_builtin(d), CTR_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(ctr_definitions_add_text(d, CTR_FORMAT_AUTO, texts[i], strlen(texts[i]),
                                                  "g", collect, &reports, NULL),
                         CTR_OK);
    assert_int_equal(
        ctr_catalogue_create(d, "gfx90a", CTR_GENERATION_SDK, 0, collect, &reports, &c, NULL),
        CTR_OK);
    assert_string_equal(reports.text, "");
    assert_int_equal(ctr_catalogue_count(c), ctr_catalogue_count(plain) + 1);
    assert_int_equal(find(c, "SQ_WAVES")->event, 5);
    assert_int_equal(find(c, "SQ_WAVES")->index, find(plain, "SQ_WAVES")->index);
    assert_string_equal(find(c, "MINE")->expression, "3");
    ctr_definitions_destroy(d);
    ctr_catalogue_destroy(c);
    ctr_catalogue_destroy(plain);
}

static void put_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void files_and_includes(void **state)
{
    (void)state;
    char directory[] = "/tmp/counters-XXXXXX", a[64], b[64], expected[256];
    ctr_error_t error = {0};
    ctr_catalogue_t *c;
    reports_t reports = {0};
    ctr_definitions_t *d = ctr_definitions_create();
    assert_non_null(mkdtemp(directory));
    snprintf(a, sizeof(a), "%s/a.xml", directory);
    snprintf(b, sizeof(b), "%s/b.xml", directory);
    put_file(a, "# first\n#include \"b.xml\"\n<gfx90a><metric name=A expr=B*2></gfx90a>\n");
    put_file(b, "<gfx90a>\n<metric name=B expr=21>\n<metric name=B expr=22>\n</gfx90a>\n");
    assert_int_equal(ctr_definitions_add_file(d, CTR_FORMAT_AUTO, a, collect, &reports, &error),
                     CTR_OK);
    snprintf(expected, sizeof(expected),
             "%s:3:21: B is defined before in this text for gfx90a; "
             "the first definition stays\n",
             b);
    assert_string_equal(reports.text, expected);
    assert_int_equal(
        ctr_catalogue_create(d, "gfx90a", CTR_GENERATION_V1, 0, collect, &reports, &c, NULL),
        CTR_OK);
    assert_string_equal(find(c, "B")->expression, "21");
    unlink(b);
    assert_int_equal(ctr_definitions_add_file(d, CTR_FORMAT_AUTO, a, collect, &reports, &error),
                     CTR_BAD_FILE);
    snprintf(expected, sizeof(expected), "%s: No such file or directory", b);
    assert_string_equal(error.text, expected);
    assert_int_equal(ctr_definitions_add_file(d, CTR_FORMAT_AUTO, directory, NULL, NULL, &error),
                     CTR_BAD_FILE);
    unlink(a);
    rmdir(directory);
    ctr_catalogue_destroy(c);
    ctr_definitions_destroy(d);
}

static void added_counters(void **state)
{
    (void)state;
    ctr_error_t error = {0};
    const ctr_counter_t *counter = NULL;
    ctr_catalogue_t *c = builtin_catalogue(CTR_GENERATION_V1);
    const ctr_counter_t *first = ctr_catalogue_at(c, 0);
    assert_int_equal(ctr_catalogue_add(c, "SQ_WAVES", 8, "1", 1, "", 0, &counter, &error),
                     CTR_DUPLICATE);
    assert_string_equal(error.text, "counter SQ_WAVES exists already");
    assert_int_equal(ctr_catalogue_add(c, "9LIVES", 6, "1", 1, "", 0, &counter, &error),
                     CTR_BAD_TEXT);
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof(name), "ADDED_%d", i);
        assert_int_equal(
            ctr_catalogue_add(c, name, strlen(name), "SQ_WAVES+1", 10, "d", 1, &counter, &error),
            CTR_OK);
        assert_int_equal(counter->id, ctr_catalogue_count(c) - 1);
    }
    assert_ptr_equal(ctr_catalogue_at(c, 0), first);
    assert_string_equal(find(c, "ADDED_7")->expression, "SQ_WAVES+1");
    /* instances by name */
    assert_int_equal(ctr_catalogue_instance(c, "TCC_HIT[31]", &counter, &error), CTR_OK);
    assert_string_equal(counter->name, "TCC_HIT[31]");
    const ctr_counter_t *again = NULL;
    assert_int_equal(ctr_catalogue_instance(c, "TCC_HIT[31]", &again, &error), CTR_OK);
    assert_ptr_equal(again, counter);
    assert_int_equal(ctr_catalogue_instance(c, "SQ_WAVES", &again, &error), CTR_OK);
    assert_int_equal(ctr_catalogue_instance(c, "TCC_HIT[32]", &again, &error), CTR_NOT_FOUND);
    assert_string_equal(error.text, "instance 32 of counter TCC_HIT, block TCC has 32 on gfx90a");
    static const char *const bad[] = {"TCC_HIT[",    "TCC_HIT[]",     "TCC_HIT[1", "TCC_HIT[1]x",
                                      "TCC_HIT[-1]", "FETCH_SIZE[0]", "[1]",       ""};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_int_equal(ctr_catalogue_instance(c, bad[i], &again, &error), CTR_NOT_FOUND);
    assert_int_equal(ctr_catalogue_instance(c, "tcc_hit", &again, &error), CTR_NOT_FOUND);
    assert_string_equal(error.text, "no counter \"tcc_hit\" on gfx90a; is it TCC_HIT?");
    ctr_catalogue_destroy(c);
}

/* Definitions above one another, written from below and from above: 256 levels over a number. */
static void chains_are_limited(void **state)
{
    (void)state;
    enum { LEVELS = 300, LINE = 80 };
    char *text = calloc(LEVELS, LINE);
    for (int up = 0; up < 2; up++) {
        reports_t reports = {0};
        size_t used = 0;
        for (int i = 0; i < LEVELS; i++) {
            int level = up ? i : LEVELS - 1 - i;
            char expression[32] = "1";
            if (level) snprintf(expression, sizeof(expression), "L%d+1", level - 1);
            used += (size_t)snprintf(text + used, LINE,
                                     "L%d: {architectures: {gfx90a: {expression: "
                                     "'%s'}}}\n",
                                     level, expression);
        }
        ctr_catalogue_t *c = load(text, CTR_GENERATION_SDK, "gfx90a", &reports);
        assert_non_null(strstr(reports.text, ": 257 definitions above one another, limit 256\n"));
        assert_non_null(c);
        ctr_agent_t agent = small_agent();
        for (size_t i = 0; i < ctr_catalogue_count(c); i++) {
            ctr_plan_t *plan = NULL;
            const ctr_counter_t *counter = ctr_catalogue_at(c, i);
            assert_int_equal(ctr_plan_create(c, &agent, &counter, 1, 1, &plan, NULL), CTR_OK);
            double *values = run_pass(ctr_plan_pass(plan, 0), (const base_t[]){{0}}, true);
            if (counter->name[0] == 'L') assert_true(values[0] == atoi(counter->name + 1) + 1);
            free(values);
            ctr_plan_destroy(plan);
        }
        assert_non_null(ctr_catalogue_find(c, "L256", 4));
        assert_null(ctr_catalogue_find(c, "L257", 4));
        ctr_catalogue_destroy(c);
    }
    free(text);
}

static void count_suggestions(const ctr_error_t *error, void *user)
{
    *(size_t *)user += strstr(error->text, "; is it A?") != NULL;
}

/* Each suggestion looks at all names, so a file in which all are wrong gets a hundred of them. */
static void suggestions_are_limited(void **state)
{
    (void)state;
    enum { WRONG = 120, LINE = 70 };
    char *text = calloc(WRONG + 1, LINE);
    size_t suggestions = 0;
    ctr_catalogue_t *c;
    ctr_definitions_t *d = ctr_definitions_create();
    size_t used = (size_t)snprintf(text, LINE, "A: {architectures: {gfx90a: {expression: 1}}}\n");
    for (int i = 0; i < WRONG; i++)
        used += (size_t)snprintf(text + used, LINE,
                                 "W_%d: {architectures: {gfx90a: {expression: a}}}"
                                 "\n",
                                 i);
    assert_int_equal(
        ctr_definitions_add_text(d, CTR_FORMAT_YAML, text, used, "f", NULL, NULL, NULL), CTR_OK);
    assert_int_equal(ctr_catalogue_create(d, "gfx90a", CTR_GENERATION_SDK, 0, count_suggestions,
                                          &suggestions, &c, NULL),
                     CTR_OK);
    assert_int_equal(suggestions, 100);
    ctr_catalogue_destroy(c);
    ctr_definitions_destroy(d);
    free(text);
}

/* gfx90a takes over s0, that s1 ... Beyond 32 sections they are left out, which is said. */
static void sections_are_limited(void **state)
{
    (void)state;
    enum { SECTIONS = 40, LINE = 70 };
    for (int sections = 30; sections <= 31; sections++) {
        reports_t reports = {0};
        char *text = calloc(SECTIONS, LINE);
        size_t used =
            (size_t)snprintf(text, LINE, "<gfx90a base=s0><metric name=A expr=1></gfx90a>");
        for (int i = 0; i < sections; i++)
            used +=
                (size_t)snprintf(text + used, LINE, "<s%d base=s%d><metric name=M%d expr=1></s%d>",
                                 i, i + 1 < sections ? i + 1 : 0, i, i);
        ctr_catalogue_t *c = load(text, CTR_GENERATION_V1, "gfx90a", &reports);
        assert_string_equal(
            reports.text,
            sections == 30
                ? ""
                : "f: more than 32 sections apply to gfx90a; those beyond are left out\n");
        assert_non_null(ctr_catalogue_find(c, "M29", 3));
        ctr_catalogue_destroy(c);
        free(text);
    }
}

static void ids_end(void **state)
{
    (void)state;
    ctr_error_t error = {0};
    ctr_catalogue_t *c;
    ctr_definitions_t *d = ctr_definitions_create();
    ctr_definitions_add_builtin(d);
    assert_int_equal(
        ctr_catalogue_create(d, "gfx90a", CTR_GENERATION_SDK, 65300, NULL, NULL, &c, &error),
        CTR_TOO_MANY);
    assert_null(c);
    assert_non_null(strstr(error.text, "from id 65300 on, ids end at 65535"));
    ctr_definitions_destroy(d);
}

/* YAML that goes deep would keep libyaml busy for hours. */
static void depth_is_limited(void **state)
{
    (void)state;
    enum { DEPTH = 300000 };
    reports_t reports = {0};
    char *text = malloc(2 * DEPTH + 16);
    assert_non_null(text);
    memcpy(text, "A:\n ", 4);
    memset(text + 4, '[', DEPTH);
    memset(text + 4 + DEPTH, ']', DEPTH);
    text[4 + 2 * DEPTH] = 0;
    assert_null(load(text, CTR_GENERATION_SDK, "gfx90a", &reports));
    assert_string_equal(reports.text, "f:2:1: nested deeper than 64 levels\n");
    free(text);
}

/* XML declares nothing and expands nothing: an entity is a text like any other. */
static void entities_stay_texts(void **state)
{
    (void)state;
    reports_t reports = {0};
    ctr_catalogue_t *c = load("<!DOCTYPE gfx90a SYSTEM \"file:///etc/passwd\">\n<gfx90a>"
                              "<metric name=A expr=1 descr=\"&lol; &amp;\"></metric></gfx90a>",
                              CTR_GENERATION_SDK, "gfx90a", &reports);
    assert_non_null(c);
    assert_string_equal(find(c, "A")->description, "&lol; &amp;");
    ctr_catalogue_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(depth_is_limited),
                                       cmocka_unit_test(entities_stay_texts),
                                       cmocka_unit_test(yaml_of_now),

                                       cmocka_unit_test(names_of_instances),
                                       cmocka_unit_test(yaml_of_before),
                                       cmocka_unit_test(xml_of_both_kinds),
                                       cmocka_unit_test(xml_sections_inherit),
                                       cmocka_unit_test(one_wrong_entry_loses_no_other),
                                       cmocka_unit_test(later_texts_replace),
                                       cmocka_unit_test(files_and_includes),
                                       cmocka_unit_test(added_counters),
                                       cmocka_unit_test(chains_are_limited),
                                       cmocka_unit_test(suggestions_are_limited),
                                       cmocka_unit_test(sections_are_limited),
                                       cmocka_unit_test(ids_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
