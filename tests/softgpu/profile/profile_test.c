/* profile_test.c - profile files: what they say is read, what is wrong with them is named. */
#include "softgpu/profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
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
    read_text("name x\nlds_kb 65\n", &p, ":2: lds_kb: 65 is outside 1 to 64");
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
        "90010 (gfx90a), 90402 (gfx942), 90500 (gfx950)");
    read_text("name x\nwaves_per_simd 16\n", &p, NULL);
    read_text("name x\nwaves_per_simd 17\n", &p,
              ": waves_per_simd: 17 is more than HW_ID of gfx90a has numbers for, which is 16");
    read_text("name x\nshader_engines 9\n", &p,
              ": shader_engines: 9 is more than HW_ID of gfx90a has numbers for, which is 8");
    read_text("name x\n\nnum_xcc 8\n", &p, ":3: num_xcc: 8 is not supported, only 1 is");
    memset(line + 5, 'x', 600);
    read_text(line, &p, ":1: the line is longer than 510 characters");
    line[5 + 64] = '\0';
    strcat(line, "\n");
    read_text(
        line, &p,
        ":1: name: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\" has 64 "
        "characters, the limit is 63");
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
        cmocka_unit_test(names_a_missing_file),
        cmocka_unit_test(reshapes_to_any_number_of_cus),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
