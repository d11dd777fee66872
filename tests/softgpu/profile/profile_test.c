/* profile_test.c - profile files: what they say is read, what is wrong with them is named. */
#include "softgpu/profile/profile.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/crocprof-profile-XXXXXX";

/* Reads `text` as a profile; expects the error to be "PATH<expected>", or success if NULL. */
static void read_text(const char *text, sg_profile_t *p, const char *expected)
{
    char error[512] = "", wanted[512];
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fputs(text, f) >= 0, 1);
    assert_int_equal(fclose(f), 0);
    int result = sg_profile_read(path, p, error, sizeof(error));
    if (!expected) {
        assert_string_equal(error, "");
        assert_int_equal(result, 0);
        return;
    }
    assert_int_equal(result, -1);
    snprintf(wanted, sizeof(wanted), "%s%s", path, expected);
    assert_string_equal(error, wanted);
}

static void reads_keys_over_defaults(void **state)
{
    (void)state;
    sg_profile_t p;
    read_text("# comment\n\nname  tiny\nmarketing_name A Card  # told\ndevice_id 0x740c\r\n"
              "cus_per_array\t3\n",
              &p, NULL);
    assert_string_equal(p.name, "tiny");
    assert_string_equal(p.marketing_name, "A Card");
    assert_int_equal(p.device_id, 0x740c);
    assert_int_equal(p.cus_per_array, 3);
    assert_int_equal(p.l2_kb, 8192);
    assert_int_equal(sg_profile_cus(&p), 24);
}

static void names_what_is_wrong(void **state)
{
    (void)state;
    sg_profile_t p;
    char line[1024] = "name ";
    read_text("name x\nlds_kb 161\n", &p, ":2: lds_kb: 161 is outside 1 to 160");
    read_text("name x\nlds_kb -1\n", &p, ":2: lds_kb: \"-1\" is not a whole number");
    read_text("name x\nlds_kb 6k\n", &p, ":2: lds_kb: \"6k\" is not a whole number");
    read_text("l2_kb 99999999999999999999999\n", &p,
              ":1: l2_kb: 99999999999999999999999 is outside 64 to 1048576");
    read_text("\ncu_count 3\n", &p, ":2: unknown key \"cu_count\"");
    read_text("name\n", &p, ":1: \"name\" has no value");
    read_text("lds_kb 64\n", &p, ": the key \"name\" is missing");
    read_text("name x\nshader_engines 5\nscratch_slots_per_cu 32\ncus_per_array 1\n", &p, NULL);
    read_text(
        "name x\ngfx_target_version 90401\n", &p,
        ":2: gfx_target_version: 90401 is no GPU that softgpu knows; it knows 90008 (gfx908), "
        "90010 (gfx90a), 90402 (gfx942), 90500 (gfx950), 100300 (gfx1030), 110000 (gfx1100), "
        "110501 (gfx1151), 120001 (gfx1201), 100301 (gfx1031), 100302 (gfx1032), 100303 "
        "(gfx1033), 100304 (gfx1034), 100305 (gfx1035), 100306 (gfx1036), 110001 (gfx1101), 110002 "
        "(gfx1102), 110003 (gfx1103), 110500 (gfx1150), 110502 (gfx1152), 110503 (gfx1153), 120000 "
        "(gfx1200)");
    read_text("name x\nlds_kb 65\n", &p,
              ": lds_kb: 65 is more than a workgroup of gfx90a can have, which is 64");
    read_text("name x\nwaves_per_simd 16\n", &p, NULL);
    read_text("name x\nwaves_per_simd 17\n", &p,
              ": waves_per_simd: 17 is more than HW_ID of gfx90a has numbers for, which is 16");
    read_text("name x\nshader_engines 9\n", &p,
              ": shader_engines: 9 is more than HW_ID of gfx90a has numbers for, which is 8");
    read_text("name x\n\nnum_xcc 9\n", &p, ":3: num_xcc: 9 is outside 1 to 8");
    read_text("product nope\n", &p, ":1: product: share/gpus has no product \"nope\"");
    read_text(
        "name x\nnum_xcc 8\ncus 9\n", &p,
        ": cus: 9 compute units cannot be shared out evenly over 8 XCCs with at most 8 shader "
        "engines with 1 arrays of at most 16 compute units each");
    read_text("name x\nl2_channels 16\nl2_hash 1\n", &p, NULL);
    read_text("name x\nl2_hash 1\n", &p,
              ": l2_channels: 32 is not supported with l2_hash, only 16 is");
    read_text("name x\nl2_channels 16\nl2_interleave 512\nl2_hash 1\n", &p,
              ": l2_interleave: 512 is not supported with l2_hash, only 256 is");
    read_text("name x\nl2_channels 16\nl2_kb 4097\nl2_hash 1\n", &p,
              ": l2_kb: 4097 is not supported with l2_hash, only 64 times a power of two is");
    read_text("name x\nl2_channels 16\nl2_kb 192\nl2_hash 1\n", &p,
              ": l2_kb: 192 is not supported with l2_hash, only 64 times a power of two is");
    read_text("name x\nmall_latency 800\nmall_kb 1024\n", &p, NULL);
    assert_int_equal(p.mall_latency, 800);
    read_text("name x\nmall_latency 801\n", &p,
              ": mall_latency: 801 is more than vram_latency, which is 800");
    read_text("name x\nvram_latency 100000\nmall_latency 100000\n", &p, NULL);
    read_text("name x\nmall_latency 100001\n", &p,
              ":2: mall_latency: 100001 is outside 0 to 100000");
    read_text("name x\nproduct mi350x\nl1_tags_by_line 1\n", &p, NULL);
    read_text("name x\nl1_tags_by_line 1\n", &p,
              ": l1_tags_by_line: lines of the vector L1 of gfx90a have 64 bytes, it needs 128");
    memset(line + 5, 'x', 600);
    read_text(line, &p, ":1: the line is longer than 510 characters");
    line[5 + 64] = '\0';
    strcat(line, "\n");
    read_text(
        line, &p,
        ":1: name: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" has 64 "
        "characters, the limit is 63");
}

/* Clocks for which a store's request takes the port to L2, in the profiles of the tree: 1 where the
 * vector L1 of gfx942 and gfx950 is twice as wide, 2 on all others. */
static void ships_clocks_of_stores(void **state)
{
    unsigned wide = 0, all = 0;
    (void)state;
    DIR *shipped = opendir(SHIPPED);
    assert_non_null(shipped);
    for (const struct dirent *e; (e = readdir(shipped));) {
        char name[64], error[512] = "";
        sg_profile_t p;
        if (sscanf(e->d_name, "%63[^.].profile", name) != 1) continue;
        sg_profile_load(name, SHIPPED, &p, error, sizeof error);
        assert_string_equal(error, "");
        const bool is_wide = p.gfx_target_version == 90402 || p.gfx_target_version == 90500;
        if (p.l1_store_clocks != (is_wide ? 1 : 2))
            fail_msg("%s: l1_store_clocks is %u", name, p.l1_store_clocks);
        wide += is_wide;
        all++;
    }
    closedir(shipped);
    assert_in_range(wide, 1, all - 1);
}

static void names_a_missing_file(void **state)
{
    (void)state;
    sg_profile_t p;
    char error[256];
    assert_int_equal(sg_profile_load("nope", "/nowhere", &p, error, sizeof(error)), -1);
    assert_string_equal(error, "/nowhere/nope.profile: No such file or directory");
    assert_int_equal(sg_profile_load("./nope", "/nowhere", &p, error, sizeof(error)), -1);
    assert_string_equal(error, "./nope: No such file or directory");
}

/* The facts of share/gpus, and what stands behind them in the file. */
static void takes_a_product(void **state)
{
    (void)state;
    sg_profile_t p;
    read_text("name x\nproduct mi250x\nengine_clock_mhz 1234\n", &p, NULL);
    assert_string_equal(p.marketing_name, "AMD Instinct MI250X, one of two dies");
    assert_int_equal(p.gfx_target_version, 90010);
    assert_int_equal(p.shader_engines, 8);
    assert_int_equal(p.cus_per_array, 14); /* 110 in 8 engines */
    assert_int_equal(p.engine_clock_mhz, 1234);
    assert_int_equal(p.l2_kb, 8192);
}

/* A number that does not divide is the product's shape with empty places, as products are. */
static void leaves_places_empty(void **state)
{
    (void)state;
    char error[256];
    sg_profile_t p;
    read_text("name x\nproduct mi250x\n", &p, NULL);
    assert_int_equal(sg_profile_set_cus(&p, 110, error, sizeof(error)), 0);
    assert_int_equal(sg_profile_cus(&p), 110);
    assert_int_equal(p.shader_engines * p.cus_per_array, 112);
    unsigned all = 0;
    for (unsigned engine = 0; engine < p.shader_engines; engine++) {
        const unsigned cus = sg_profile_array_cus(&p, engine, 0);
        assert_int_equal(cus, engine < 6 ? 14 : 13);
        all += cus;
    }
    assert_int_equal(all, 110);
    assert_int_equal(sg_profile_set_cus(&p, 113, error, sizeof(error)), -1);
}

/* Dies that work as one: each has the same shape, and partitions have some of them. */
static void shares_out_dies(void **state)
{
    (void)state;
    static const struct {
        const char *mode;
        unsigned xccs, parts, left;
    } rows[] = {{"spx", 8, 1, 8}, {"dpx", 8, 2, 4}, {"qpx", 8, 4, 2}, {"cpx", 8, 8, 1},
                {"cpx", 6, 6, 1}, {"tpx", 6, 3, 2}, {"tpx", 8, 0, 0}, {"dpx", 6, 0, 0},
                {"qpx", 6, 0, 0}, {"cpx", 1, 0, 0}, {"npx", 8, 0, 0}};
    char error[256], text[64];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sg_profile_t p;
        snprintf(text, sizeof(text), "name x\nnum_xcc %u\ncus %u\nmall_kb 4800\nvram_mb 4800\n",
                 rows[i].xccs, rows[i].xccs * 4);
        read_text(text, &p, NULL);
        assert_int_equal(p.shader_engines, 4);
        assert_int_equal(p.cus_per_array, 1);
        assert_int_equal(sg_profile_engines(&p), rows[i].xccs * 4);
        assert_int_equal(sg_profile_partition(&p, rows[i].mode, error, sizeof(error)),
                         rows[i].parts);
        if (!rows[i].parts) continue;
        assert_int_equal(p.num_xcc, rows[i].left);
        assert_int_equal(sg_profile_cus(&p), rows[i].left * 4);
        assert_int_equal(p.mall_kb, 4800 / rows[i].parts);
        assert_int_equal(p.vram_mb, 4800 / rows[i].parts);
    }
    assert_string_equal(error, "npx is none of spx, dpx, tpx, qpx and cpx");
}

/* Any number of compute units either spreads evenly or is refused. */
static void reshapes_to_any_number_of_cus(void **state)
{
    (void)state;
    static const struct {
        unsigned cus, engines;
    } rows[] = {{1, 1},   {2, 2},  {3, 1}, {6, 2},  {8, 8},  {12, 4},  {16, 8}, {104, 8},
                {128, 8}, {64, 8}, {0, 0}, {17, 0}, {34, 0}, {129, 0}, {136, 0}};
    char error[256];
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sg_profile_t p;
        read_text("name x\n", &p, NULL);
        int result = sg_profile_set_cus(&p, rows[i].cus, error, sizeof(error));
        assert_int_equal(result, rows[i].engines ? 0 : -1);
        if (result != 0) continue;
        assert_int_equal(sg_profile_cus(&p), rows[i].cus);
        assert_int_equal(p.shader_engines, rows[i].engines);
    }
    assert_string_equal(error,
                        "136 compute units cannot be shared out evenly over at most 8 shader "
                        "engines with 1 arrays of at most 16 compute units each");
}

static void has_whole_processors(const sg_profile_t *p, unsigned most, unsigned with_most)
{
    unsigned found = 0, all = 0;
    for (unsigned k = 0; k < p->shader_engines * p->arrays_per_engine; k++) {
        const unsigned cus = sg_profile_array_cus(p, k % p->shader_engines, k / p->shader_engines);
        assert_true(cus == most || cus == most - 2);
        assert_int_equal(cus == most, k < with_most);
        found += cus == most;
        all += cus;
    }
    assert_int_equal(found, with_most);
    assert_int_equal(all, sg_profile_cus(p));
}

/* Each compute unit has a place of its own, in an array that has it; pairs are whole. */
static void has_places(const sg_profile_t *p)
{
    bool taken[16][2][16] = {0};
    for (unsigned turn = 0; turn < sg_profile_cus(p); turn++) {
        const sg_profile_at_t at = sg_profile_locate(p, turn);
        assert_int_equal(at.xcc, 0);
        assert_true(at.cu < sg_profile_array_cus(p, at.engine, at.array));
        assert_false(taken[at.engine][at.array][at.cu]);
        taken[at.engine][at.array][at.cu] = true;
    }
    const sg_profile_at_t second = sg_profile_locate(p, 1);
    assert_int_equal(second.engine, 1);
    assert_int_equal(second.cu, 0);
}

/* Two compute units share the LDS of a workgroup processor, and are in the same array. */
static void keeps_workgroup_processors_whole(void **state)
{
    (void)state;
    char error[256];
    sg_profile_t p;
    read_text("name x\nproduct rx6800\n", &p, NULL);
    assert_int_equal(p.gfx_target_version, 100300);
    assert_int_equal(p.simds_per_cu, 2);
    assert_int_equal(p.waves_per_simd, 16);
    assert_int_equal(p.lds_kb, 64);
    assert_int_equal(sg_profile_set_cus(&p, 16, error, sizeof(error)), 0);
    assert_int_equal(p.shader_engines * p.arrays_per_engine, 8);
    assert_int_equal(p.cus_per_array, 2);
    assert_int_equal(sg_profile_set_cus(&p, 8, error, sizeof(error)), 0);
    assert_int_equal(p.cus_per_array, 2);
    assert_int_equal(sg_profile_set_cus(&p, 60, error, sizeof(error)), 0);
    assert_int_equal(sg_profile_cus(&p), 60);
    has_whole_processors(&p, 8, 6); /* 30 processors in 8 arrays of at most four */
    has_places(&p);
    assert_int_equal(sg_profile_set_cus(&p, 6, error, sizeof(error)), -1);
}

/* 84 units in 12 arrays are 42 workgroup processors: six arrays have four of them, six three. */
static void rounds_products_to_workgroup_processors(void **state)
{
    (void)state;
    sg_profile_t p;
    read_text("name x\nproduct rx7900xt\ncus 84\n", &p, NULL);
    assert_int_equal(p.shader_engines * p.arrays_per_engine, 12);
    assert_int_equal(p.cus_per_array, 8);
    has_whole_processors(&p, 8, 6);
    has_places(&p);
    read_text("name x\ngfx_target_version 110000\nsimds_per_cu 2\n", &p,
              ": cus_per_array: 1 is not a multiple of 2, which a workgroup processor has");
    read_text("name x\ngfx_target_version 110000\nsimds_per_cu 2\ncus_per_array 2\n", &p, NULL);
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_keys_over_defaults),
        cmocka_unit_test(names_what_is_wrong),
        cmocka_unit_test(ships_clocks_of_stores),
        cmocka_unit_test(names_a_missing_file),
        cmocka_unit_test(reshapes_to_any_number_of_cus),
        cmocka_unit_test(takes_a_product),
        cmocka_unit_test(leaves_places_empty),
        cmocka_unit_test(shares_out_dies),
        cmocka_unit_test(keeps_workgroup_processors_whole),
        cmocka_unit_test(rounds_products_to_workgroup_processors),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
