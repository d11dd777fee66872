/* compiled_test.c - results of the compiler that are kept, against a compiler that counts its
 * actions. */
#include "softgpu/compiled/compiled.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    COMPILE = 2,
    LIBRARIES,
    LINK,
    CODEGEN = 6,
    OPENCL = 2,
    HIP = 4,
    SOURCE = 1,
    BITCODE = 6,
    EXECUTABLE = 8
};

typedef struct data data_t;
typedef struct {
    data_t *all[8];
    size_t count;
} set_t;
typedef struct {
    char isa[32], options[2][32];
    size_t option_count;
    int language;
} info_t;

static void *library;
static char folder[] = "/tmp/crocprof-compiled-XXXXXX";

/* HIP's way to a function: by the loader, from which the stub has what stands in for it. */
static void get(const char *name, void *slot)
{
    void *function = dlsym(library, name);
    assert_non_null(function);
    function = sg_compiled_function(dlsym, library, name, function);
    memcpy(slot, &function, sizeof function);
}

static int actions(void)
{
    return *(int *)dlsym(library, "fake_actions");
}

/* Descriptions are known by their addresses. */
static info_t *described(info_t *info, int language, const char *option)
{
    int (*set_isa)(info_t *, const char *);
    *info = (info_t){.language = language, .option_count = *option != '\0'};
    strcpy(info->options[0], option);
    get("amd_comgr_action_info_set_isa_name", &set_isa);
    assert_int_equal(set_isa(info, "amdgcn-amd-amdhsa--gfx90a"), 0);
    return info;
}

static set_t set_of(int kind, const char *name, const char *text)
{
    int (*create)(int, data_t **), (*name_it)(data_t *, const char *),
        (*fill)(data_t *, size_t, const char *);
    int (*put)(set_t *, data_t *);
    set_t set = {0};
    data_t *data;
    get("amd_comgr_create_data", &create);
    get("amd_comgr_set_data_name", &name_it);
    get("amd_comgr_set_data", &fill);
    get("amd_comgr_data_set_add", &put);
    create(kind, &data);
    name_it(data, name);
    fill(data, strlen(text), text);
    put(&set, data);
    return set;
}

/* The contents of the one result of this kind; "" if there is none. */
static const char *result_of(set_t *set, int kind)
{
    static char text[256];
    int (*take)(set_t *, int, size_t, data_t **), (*count)(set_t *, int, size_t *);
    int (*read)(data_t *, size_t *, char *);
    size_t n = 0, size = sizeof text;
    data_t *data;
    get("amd_comgr_action_data_count", &count);
    get("amd_comgr_action_data_get_data", &take);
    get("amd_comgr_get_data", &read);
    memset(text, 0, sizeof text);
    count(set, kind, &n);
    if (n != 1) return "";
    take(set, kind, 0, &data);
    read(data, &size, NULL);
    assert_in_range(size, 1, sizeof text - 1);
    read(data, &size, text);
    return text;
}

/* Runs the action once; says whether the compiler has executed it. */
static bool runs(int action, info_t *info, set_t *from, set_t *to, int status)
{
    int (*act)(int, info_t *, set_t *, set_t *);
    get("amd_comgr_do_action", &act);
    const int before = actions();
    *to = (set_t){0};
    assert_int_equal(act(action, info, from, to), status);
    return actions() != before;
}

/* Runs the action twice: both results are right. True if the second was kept. */
static bool keeps(int action, info_t *info, set_t *from, int kind)
{
    set_t first, second;
    char text[256];
    assert_true(runs(action, info, from, &first, 0));
    snprintf(text, sizeof text, "%s", result_of(&first, kind));
    bool again = runs(action, info, from, &second, 0);
    assert_string_equal(result_of(&second, kind), text);
    return !again;
}

static void test_steps_of_own_kernels(void **state)
{
    (void)state;
    info_t info, none;
    set_t source = set_of(SOURCE, "source", "kernel void fill();"),
          linked = set_of(BITCODE, "linked", "BC");
    described(&info, OPENCL, "");
    described(&none, 0, ""); /* the later steps do not say their language */
    assert_true(keeps(COMPILE, &info, &source, BITCODE));
    assert_true(keeps(LINK, &info, &linked, BITCODE));
    assert_true(keeps(CODEGEN, &none, &linked, EXECUTABLE));
    assert_false(keeps(LIBRARIES, &info, &linked, EXECUTABLE)); /* reads files */
}

static void test_every_input_counts(void **state)
{
    (void)state;
    info_t info;
    set_t to, source = set_of(SOURCE, "source", "a"), text = set_of(SOURCE, "source", "b");
    set_t name = set_of(SOURCE, "sourcf", "a"), kind = set_of(BITCODE, "source", "a");
    described(&info, OPENCL, "");
    assert_true(runs(COMPILE, &info, &source, &to, 0));
    assert_true(runs(COMPILE, &info, &text, &to, 0));
    assert_true(runs(COMPILE, &info, &name, &to, 0));
    assert_true(runs(COMPILE, &info, &kind, &to, 0));
    assert_true(runs(LINK, &info, &kind, &to, 0));
    assert_true(runs(COMPILE, described(&info, OPENCL - 1, ""), &source, &to, 0));
    assert_true(runs(COMPILE, described(&info, OPENCL, "-O3"), &source, &to, 0));
    assert_true(runs(COMPILE, described(&info, OPENCL, "-O2"), &source, &to, 0));
    strcpy(described(&info, OPENCL, "")->isa, "amdgcn-amd-amdhsa--gfx908");
    assert_true(runs(COMPILE, &info, &source, &to, 0));
    assert_false(runs(COMPILE, described(&info, OPENCL, ""), &source, &to, 0));
}

static void test_what_is_the_compilers_alone(void **state)
{
    (void)state;
    info_t info, unknown;
    int (*destroy)(info_t *);
    set_t to, wrong = set_of(SOURCE, "source", "wrong"),
              include = set_of(SOURCE, "source", "#include \"x\"");
    set_t source = set_of(SOURCE, "source", "hip"), linked = set_of(BITCODE, "linked", "hip");
    assert_false(keeps(COMPILE, described(&info, HIP, ""), &source, BITCODE));
    /* of what was compiled last */
    assert_false(keeps(CODEGEN, described(&info, 0, ""), &linked, EXECUTABLE));
    assert_false(keeps(COMPILE, described(&info, OPENCL, ""), &include, BITCODE));
    assert_false(keeps(COMPILE, described(&info, OPENCL, "-I."), &source, BITCODE));
    assert_true(runs(COMPILE, described(&info, OPENCL, ""), &wrong, &to, 1));
    assert_true(runs(COMPILE, &info, &wrong, &to, 1)); /* a failure is not kept */
    get("amd_comgr_destroy_action_info", &destroy);
    destroy(described(&unknown, OPENCL, ""));
    unknown.language = OPENCL;
    /* to ask for its target would be a crash */
    assert_false(keeps(COMPILE, &unknown, &source, BITCODE));
}

/* The path of the one file in the folder. */
static void only_file(char path[PATH_MAX])
{
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.') snprintf(path, PATH_MAX, "%s/%.200s", folder, e->d_name);
    closedir(dir);
}

static void empty_folder(void)
{
    char path[PATH_MAX];
    DIR *dir = opendir(folder);
    for (struct dirent *e; (e = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
        if (e->d_name[0] != '.') unlink(path);
    }
    closedir(dir);
}

/* A file that was cut anywhere, or of which one byte is another, is not used, and is written anew.
 */
static void test_damaged_files(void **state)
{
    (void)state;
    char path[PATH_MAX] = "", bytes[512];
    info_t info;
    set_t to, source = set_of(SOURCE, "source", "damaged");
    described(&info, OPENCL, "");
    empty_folder();
    assert_true(runs(COMPILE, &info, &source, &to, 0));
    only_file(path);
    FILE *f = fopen(path, "r");
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    assert_in_range(size, 60, sizeof bytes - 1);
    for (size_t at = 0; at < size; at++)
        for (int cut = 0; cut < 2; cut++) {
            f = fopen(path, "w");
            bytes[at] ^= 1;
            assert_int_equal(fwrite(bytes, 1, cut ? at : size, f), cut ? at : size);
            bytes[at] ^= 1;
            fclose(f);
            assert_true(runs(COMPILE, &info, &source, &to, 0));
            assert_string_equal(
                result_of(&to, BITCODE),
                "action 2 language 2 isa amdgcn-amd-amdhsa--gfx90a: source=damaged");
            assert_false(runs(COMPILE, &info, &source, &to, 0));
        }
}

/* The oldest go when there are more bytes than the folder may hold; files of others stay. */
static void test_limit(void **state)
{
    (void)state;
    char path[PATH_MAX], other[PATH_MAX];
    info_t info;
    set_t to, source = set_of(SOURCE, "source", "limit");
    described(&info, OPENCL, "");
    empty_folder();
    snprintf(path, sizeof path, "%s/old.comgr", folder);
    snprintf(other, sizeof other, "%s/notes", folder);
    fclose(fopen(path, "w"));
    fclose(fopen(other, "w"));
    assert_int_equal(truncate(path, SG_COMPILED_MOST), 0);
    assert_true(runs(COMPILE, &info, &source, &to, 0));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(access(other, F_OK), 0);
    assert_false(runs(COMPILE, &info, &source, &to, 0));
}

/* Last: from here on nothing is kept any more. */
static void test_working_directory(void **state)
{
    (void)state;
    int (*set_directory)(info_t *, const char *);
    info_t info;
    set_t source = set_of(SOURCE, "source", "elsewhere");
    described(&info, OPENCL, "");
    assert_true(keeps(COMPILE, &info, &source, BITCODE));
    get("amd_comgr_action_info_set_working_directory_path", &set_directory);
    assert_int_equal(set_directory(&info, "/tmp"), 0);
    assert_false(keeps(COMPILE, &info, &source, BITCODE));
}

int main(int argc, char **argv)
{
    if (argc != 2 || !mkdtemp(folder)) return 2;
    library = dlopen(argv[1], RTLD_NOW);
    setenv("SOFTGPU_COMPILED", folder, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_of_own_kernels),
        cmocka_unit_test(test_every_input_counts),
        cmocka_unit_test(test_what_is_the_compilers_alone),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_working_directory),
    };
    int failed = library ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    char path[PATH_MAX];
    empty_folder();
    snprintf(path, sizeof path, "%s", folder);
    rmdir(path);
    return failed;
}
