/* topology_test.c - what is believed of a driver's node about counters beyond the product's. */
#include "aqlprofile/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char root[] = "/tmp/aql-topology-XXXXXX";

static void put_node(unsigned number, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%u", root, number);
    mkdir(path, 0700);
    strcat(path, "/properties");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_node(unsigned number)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%u/properties", root, number);
    unlink(path);
    *strrchr(path, '/') = 0;
    rmdir(path);
}

static const aql_block_t sq = {.name = "SQ",
                               .id = 6,
                               .slots = 2,
                               .registers =
                                   (aql_registers_t[]){{.select = 0xd9c0}, {.select = 0xd9c1}}};

/* The product's slots keep their registers, the others have three each in the node's. */
static void test_wide(void **state)
{
    (void)state;
    put_node(0, "cpu_cores_count 8\nlocation_id 0\n");
    put_node(1, "location_id 768\ndomain 1\ncounter_slots 100\ncounter_registers 65536\n");
    aql_agent_t agent = {.wide = aql_wide_at(root, 1, 768)};
    assert_int_equal(agent.wide.slots, 100);
    assert_int_equal(aql_wide_of_node(root, 1).registers, 65536);
    assert_int_equal(aql_block_slots(&agent, &sq), 100);
    assert_int_equal(aql_slot_registers(&agent, &sq, 0, 1).select, 0xd9c1);
    const aql_registers_t r = aql_slot_registers(&agent, &sq, 0, 2);
    assert_int_equal(r.select, 65536 + (6 * 100 + 2) * 3);
    assert_int_equal(r.low, r.select + 1);
    assert_int_equal(r.high, r.select + 2);
}

/* A real GPU's node, another's, none. */
static void test_product(void **state)
{
    (void)state;
    put_node(0, "location_id 0\n");
    put_node(1, "location_id 768\ndomain 1\nsimd_count 416\n");
    const aql_agent_t agent = {.wide = aql_wide_at(root, 1, 768)};
    assert_int_equal(agent.wide.slots, 0);
    assert_int_equal(aql_block_slots(&agent, &sq), 2);
    assert_int_equal(aql_wide_at(root, 0, 768).slots, 0);
    assert_int_equal(aql_wide_of_node(root, 7).slots, 0);
}

/* Registers that no packet reaches, or that a product has, are none. */
static void test_nonsense(void **state)
{
    static const char *const texts[] = {
        "counter_slots 1025\ncounter_registers 65536\n",
        "counter_slots 100\n",
        "counter_slots 100\ncounter_registers 55000\n",
        "counter_slots 1024\ncounter_registers 65537\n", /* the last would be one too far */
        "counter_slots 100\ncounter_registers 4294967295\n",
        "counter_slots 18446744073709551615\ncounter_registers 65536\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put_node(1, texts[i]);
        assert_int_equal(aql_wide_of_node(root, 1).slots, 0);
    }
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    remove_node(0);
    remove_node(1);
    return rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wide), cmocka_unit_test(test_product),
                                       cmocka_unit_test(test_nonsense)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
