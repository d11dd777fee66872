/* test_agents.c - agents from a topology tree made here, visibility by environment.
 *
 * The numbers are an MI210's; what is derived from them was worked out by hand. */
#include "sdk/agent/agent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64] = "/tmp/crocprof-topology-XXXXXX";

static void put(const char *path, const char *text)
{
    char full[256], part[256];
    snprintf(full, sizeof full, "%s/%s", root, path);
    for (size_t i = strlen(root) + 1; full[i]; i++) {
        if (full[i] != '/') continue;
        memcpy(part, full, i);
        part[i] = 0;
        mkdir(part, 0700);
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_tree(void **state)
{
    (void)state;
    if (!mkdtemp(root)) return -1;
    put("0/properties", "cpu_cores_count 16\nsimd_count 0\nmem_banks_count 1\ncaches_count 0\n"
                        "io_links_count 1\ncpu_core_id_base 0\nsimd_id_base 0\n"
                        "max_waves_per_simd 0\nmax_engine_clk_ccompute 3400\n");
    put("0/gpu_id", "0\n");
    put("0/name", "\n");
    put("0/mem_banks/0/properties", "heap_type 0\nsize_in_bytes 68719476736\nflags 0\nwidth 64\n"
                                    "mem_clk_max 3200\n");
    put("0/io_links/0/properties", "type 2\nversion_major 0\nversion_minor 0\nnode_from 0\n"
                                   "node_to 2\nweight 20\nmin_latency 0\nmax_latency 0\n"
                                   "min_bandwidth 312\nmax_bandwidth 31504\n"
                                   "recommended_transfer_size 0\nflags 1\n");
    put("1/properties", ""); /* hidden from us */
    put("1/gpu_id", "1\n");
    put("2/properties",
        "cpu_cores_count 0\nsimd_count 416\nmem_banks_count 1\ncaches_count 2\nio_links_count 1\n"
        "cpu_core_id_base 0\nsimd_id_base 2147487744\nmax_waves_per_simd 8\nlds_size_in_kb 64\n"
        "gds_size_in_kb 0\nnum_gws 64\nwave_front_size 64\narray_count 8\n"
        "simd_arrays_per_engine 1\ncu_per_simd_array 14\nsimd_per_cu 4\nmax_slots_scratch_cu 32\n"
        "gfx_target_version 90010\nvendor_id 4098\ndevice_id 29711\nlocation_id 768\ndomain 0\n"
        "drm_render_minor 128\nhive_id 0\nnum_sdma_engines 2\nnum_sdma_xgmi_engines 3\n"
        "num_sdma_queues_per_engine 8\nnum_cp_queues 24\nmax_engine_clk_fcompute 1700\n"
        "local_mem_size 0\nfw_version 2113\ncapability 742951424\ndebug_prop 1495\n"
        "sdma_fw_version 1032\nunique_id 1311768467463790320\nnum_xcc 1\n");
    put("2/gpu_id", "51234\n");
    put("2/name", "aldebaran\n");
    put("2/mem_banks/0/properties", "heap_type 1\nsize_in_bytes 68702699520\nflags 0\nwidth 4096\n"
                                    "mem_clk_max 1600\n");
    put("2/caches/0/properties", "processor_id_low 2147487744\nlevel 1\nsize 16\n"
                                 "cache_line_size 64\ncache_lines_per_tag 1\nassociation 0\n"
                                 "latency 0\ntype 9\nsibling_map 1,0,0\n");
    put("2/caches/1/properties", "processor_id_low 2147487744\nlevel 2\nsize 8192\n"
                                 "cache_line_size 128\ncache_lines_per_tag 1\nassociation 0\n"
                                 "latency 0\ntype 9\n");
    put("2/io_links/0/properties", "type 2\nnode_from 2\nnode_to 0\nweight 20\nflags 1\n");
    return 0;
}

static int remove_tree(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

static void test_fields(void **state)
{
    (void)state;
    size_t count;
    const rocprofiler_agent_v0_t *const *agents = sdk_topology_read(root, &count);
    assert_int_equal(count, 2);
    const rocprofiler_agent_v0_t *c = agents[0], *g = agents[1];
    assert_int_equal(c->type, ROCPROFILER_AGENT_TYPE_CPU);
    assert_int_equal(c->size, sizeof *c);
    assert_int_equal(c->cu_count, 16);
    assert_int_equal(c->max_engine_clk_ccompute, 3400);
    assert_string_equal(c->vendor_name, "CPU");
    assert_string_equal(c->name, c->product_name);
    assert_int_equal(c->mem_banks[0].size_in_bytes, 68719476736);
    assert_int_equal(c->io_links[0].type, HSA_IOLINKTYPE_PCIEXPRESS);
    assert_int_equal(c->io_links[0].max_bandwidth, 31504);
    assert_int_equal(c->io_links[0].flags.LinkProperty, 1);
    assert_null(c->caches);

    assert_int_equal(g->type, ROCPROFILER_AGENT_TYPE_GPU);
    assert_int_equal(g->id.handle, c->id.handle + 1);
    assert_true(c->id.handle >= 255);
    assert_int_equal(g->node_id, 2);
    assert_int_equal(g->logical_node_id, 1);
    assert_int_equal(g->logical_node_type_id, 0);
    assert_string_equal(g->name, "gfx90a");
    assert_string_equal(g->vendor_name, "AMD");
    assert_string_equal(g->model_name, "aldebaran");
    assert_string_equal(g->product_name, "AMD Instinct MI210");
    assert_int_equal(g->gpu_id, 51234);
    assert_int_equal(g->family_id, 141);
    assert_int_equal(g->cu_count, 104);
    assert_int_equal(g->num_shader_banks, 8);
    assert_int_equal(g->cu_per_engine, 13);
    assert_int_equal(g->max_waves_per_cu, 32);
    assert_int_equal(g->simd_id_base, 2147487744u);
    assert_int_equal(g->vendor_id, 0x1002);
    assert_int_equal(g->device_id, 0x740f);
    assert_int_equal(g->fw_version.ui32.uCode, 2113 & 0x3ff);
    assert_int_equal(g->sdma_fw_version.uCodeSDMA, 1032 & 0x3ff);
    assert_int_equal(g->capability.Value, 742951424);
    assert_int_equal(g->workgroup_max_size, 1024);
    assert_int_equal(g->workgroup_max_dim.z, 1024);
    assert_int_equal(g->grid_max_dim.x, INT32_MAX);
    assert_int_equal(g->caches_count, 2);
    assert_int_equal(g->caches[1].size, 8192);
    assert_int_equal(g->caches[1].cache_line_size, 128);
    assert_int_equal(g->caches[0].type.ui32.HSACU, 1);
    const uint8_t uuid[16] = {0xf0, 0xde, 0xbc, 0x9a, 0x78, 0x56, 0x34, 0x12};
    assert_memory_equal(g->uuid.bytes, uuid, 16);
    assert_int_equal(g->num_xcc, 1);
    assert_true(g->runtime_visibility.hsa && g->runtime_visibility.hip);
}

static void test_no_topology(void **state)
{
    (void)state;
    size_t count = 7;
    assert_null(sdk_topology_read("/nonexistent/topology", &count));
    assert_int_equal(count, 0);
}

/* Reads the topology and keeps what is said of it. */
static size_t read_and_listen(char *said, size_t bytes)
{
    size_t count;
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    sdk_topology_read(root, &count);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    said[fread(said, 1, bytes - 1, file)] = 0;
    fclose(file);
    return count;
}

/* A node that is hidden is none; one that cannot be read is missed. */
static void test_losses_are_told(void **state)
{
    (void)state;
    char said[1024], path[128];
    assert_int_equal(read_and_listen(said, sizeof said), 2);
    assert_string_equal(said, "");
    snprintf(path, sizeof path, "%s/3", root);
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/properties");
    assert_int_equal(symlink("properties", path), 0);
    assert_int_equal(read_and_listen(said, sizeof said), 2);
    assert_non_null(strstr(said, "agents are not complete: "));
    assert_non_null(strstr(said, "/3/properties: Too many levels of symbolic links"));
    unlink(path);
}

static void test_visibility(void **state)
{
    (void)state;
    static const struct {
        int index;
        sdk_visible_t visible;
        bool hsa, hip;
    } cases[] = {
        {0, {NULL, NULL, NULL}, true, true},
        {1, {"0", NULL, NULL}, false, false},
        {1, {"0,1", NULL, NULL}, true, true},
        {1, {"GPU-123456789abcdef0", NULL, NULL}, true, true},
        {1, {"GPU-1", NULL, NULL}, false, false},
        {1, {NULL, "0", NULL}, true, false},
        {1, {NULL, NULL, "1"}, true, true},
        {1, {NULL, NULL, "0"}, true, false},
        {1, {NULL, "1", "0"}, true, true}, /* HIP's variable decides */
        /* HIP's list counts within ROCR's: GPU 1 is the first there. */
        {1, {"1,0", "0", NULL}, true, true},
        {0, {"1,0", "0", NULL}, true, false},
        {0, {"", "", ""}, true, true},
        {0, {"1", "0", NULL}, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rocprofiler_agent_v0_t agent = {.type = ROCPROFILER_AGENT_TYPE_GPU,
                                        .logical_node_type_id = cases[i].index};
        uint64_t id = 0x123456789abcdef0;
        memcpy(agent.uuid.bytes, &id, sizeof id);
        sdk_agent_set_visibility(&agent, &cases[i].visible);
        if (agent.runtime_visibility.hsa != cases[i].hsa ||
            agent.runtime_visibility.hip != cases[i].hip)
            fail_msg("case %zu: hsa %d hip %d", i, agent.runtime_visibility.hsa,
                     agent.runtime_visibility.hip);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_no_topology),
        cmocka_unit_test(test_losses_are_told),
        cmocka_unit_test(test_visibility),
    };
    return cmocka_run_group_tests(tests, make_tree, remove_tree);
}
