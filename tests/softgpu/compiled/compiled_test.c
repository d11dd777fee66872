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
    HEADERS = 1,
    COMPILE,
    LIBRARIES,
    LINK,
    CODEGEN = 6,
    OPENCL = 2,
    HIP = 4,
    SOURCE = 1,
    LOG = 5,
    BITCODE,
    EXECUTABLE = 8
};

typedef struct {
    int kind;
    char name[32];
    char *bytes;
    size_t size;
} data_t;
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
}

/* ---- headers and libraries ---- */

/* The addition is put off, and is done once when `look` has returned. */
static void assert_made_up_for(info_t *info, set_t *from, set_t *to,
                               void (*look)(info_t *, set_t *, set_t *))
{
    assert_false(runs(HEADERS, info, from, to, 0));
    const int before = actions();
    look(info, from, to);
    assert_int_equal(actions(), before + 1);
    look(info, from, to);
    assert_int_equal(actions(), before + 1);
}

static void count_it(info_t *info, set_t *from, set_t *to)
{
    int (*count)(set_t *, int, size_t *);
    size_t n = 0;
    (void)info, (void)from;
    get("amd_comgr_action_data_count", &count);
    assert_int_equal(count(to, EXECUTABLE, &n), 0);
    assert_int_equal(n, 1);
}

static void take_it(info_t *info, set_t *from, set_t *to)
{
    int (*take)(set_t *, int, size_t, data_t **);
    data_t *data = NULL;
    (void)info, (void)from;
    get("amd_comgr_action_data_get_data", &take);
    take(to, EXECUTABLE, 0, &data);
    assert_non_null(data);
}

static void add_to_it(info_t *info, set_t *from, set_t *to)
{
    int (*put)(set_t *, data_t *);
    (void)info;
    get("amd_comgr_data_set_add", &put);
    put(to, from->all[0]);
}

static void empty_what_it_takes(info_t *info, set_t *from, set_t *to)
{
    int (*remove_kind)(set_t *, int);
    (void)info, (void)to;
    get("amd_comgr_data_set_remove", &remove_kind);
    remove_kind(from, BITCODE);
}

static void change_contents(info_t *info, set_t *from, set_t *to)
{
    int (*fill)(data_t *, size_t, const char *);
    (void)info, (void)to;
    get("amd_comgr_set_data", &fill);
    fill(from->all[0], 3, "new");
}

static void rename_contents(info_t *info, set_t *from, set_t *to)
{
    int (*name_it)(data_t *, const char *);
    (void)info, (void)to;
    get("amd_comgr_set_data_name", &name_it);
    name_it(from->all[0], "new");
}

static void change_language(info_t *info, set_t *from, set_t *to)
{
    int (*set_language)(info_t *, int);
    (void)from, (void)to;
    get("amd_comgr_action_info_set_language", &set_language);
    set_language(info, OPENCL);
}

static void change_options(info_t *info, set_t *from, set_t *to)
{
    int (*set_options)(info_t *, const char *);
    (void)from, (void)to;
    get("amd_comgr_action_info_set_options", &set_options);
    set_options(info, "");
}

static void change_option_list(info_t *info, set_t *from, set_t *to)
{
    int (*set_list)(info_t *, const char **, size_t);
    (void)from, (void)to;
    get("amd_comgr_action_info_set_option_list", &set_list);
    set_list(info, NULL, 0);
}

static void change_logging(info_t *info, set_t *from, set_t *to)
{
    int (*set_logging)(info_t *, bool);
    (void)from, (void)to;
    get("amd_comgr_action_info_set_logging", &set_logging);
    set_logging(info, true);
}

static void change_target(info_t *info, set_t *from, set_t *to)
{
    int (*set_isa)(info_t *, const char *);
    (void)from, (void)to;
    get("amd_comgr_action_info_set_isa_name", &set_isa);
    set_isa(info, "amdgcn-amd-amdhsa--gfx90a");
}

static void test_additions_are_put_off(void **state)
{
    (void)state;
    static const char added[] = "action 3 language 2 isa amdgcn-amd-amdhsa--gfx90a: linked=BC";
    info_t info;
    set_t to, out, other = set_of(BITCODE, "linked", "other"),
                   linked = set_of(BITCODE, "linked", "BC");
    int (*destroy_set)(set_t *);
    char text[256], kept[256];
    get("amd_comgr_destroy_data_set", &destroy_set);
    described(&info, OPENCL, "");
    assert_true(runs(LIBRARIES, &info, &linked, &to, 0)); /* for its log */
    assert_true(runs(LINK, &info, &to, &out, 0));
    destroy_set(&to);
    assert_true(runs(LIBRARIES, &info, &other, &to, 0));
    destroy_set(&to);
    assert_true(runs(HEADERS, &info, &linked, &to, 0));
    destroy_set(&to);
    /* HIP asks for the log, which is there */
    assert_false(runs(LIBRARIES, &info, &linked, &to, 0));
    const int before = actions();
    result_of(&to, LOG);
    assert_int_equal(to.count, 1);
    assert_int_equal(actions(), before);
    assert_false(runs(LINK, &info, &to, &out, 0)); /* the first process's */
    snprintf(text, sizeof text,
             "action 4 language 2 isa amdgcn-amd-amdhsa--gfx90a: comgr.log= result=%s", added);
    assert_string_equal(result_of(&out, BITCODE), text);
    assert_string_equal(result_of(&to, EXECUTABLE), added);
    destroy_set(&to);
    /* what is linked with them is known, without anything's being added */
    assert_false(runs(LIBRARIES, &info, &linked, &to, 0));
    assert_false(runs(LINK, &info, &to, &out, 0));
    snprintf(kept, sizeof kept, "%s", result_of(&out, BITCODE));
    assert_string_equal(kept, text);
    assert_string_equal(result_of(&to, EXECUTABLE), added);
    destroy_set(&to);
    /* to something else, or other things */
    assert_false(runs(LIBRARIES, &info, &other, &to, 0));
    assert_true(runs(LINK, &info, &to, &out, 0));
    destroy_set(&to);
    assert_false(runs(HEADERS, &info, &linked, &to, 0));
    assert_true(runs(LINK, &info, &to, &out, 0));
    destroy_set(&to);
    /* of another language they are added at once */
    assert_true(runs(LIBRARIES, described(&info, HIP, ""), &linked, &to, 0));
}

static void test_additions_are_made_up_for(void **state)
{
    (void)state;
    static void (*const looks[])(info_t *, set_t *, set_t *) = {
        count_it,           take_it,         add_to_it,       empty_what_it_takes,
        change_contents,    rename_contents, change_language, change_options,
        change_option_list, change_logging,  change_target};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        info_t info;
        set_t to, linked = set_of(BITCODE, "linked", "BC");
        assert_made_up_for(described(&info, OPENCL, ""), &linked, &to, looks[i]);
        assert_string_equal(result_of(&to, EXECUTABLE),
                            "action 1 language 2 isa amdgcn-amd-amdhsa--gfx90a: linked=BC");
    }
}

/* A description and a set that were destroyed before what they are needed for. */
static void test_additions_outlive_what_they_need(void **state)
{
    (void)state;
    info_t info;
    set_t to[2], linked = set_of(BITCODE, "linked", "BC");
    int (*destroy_set)(set_t *), (*destroy)(info_t *);
    get("amd_comgr_destroy_data_set", &destroy_set);
    get("amd_comgr_destroy_action_info", &destroy);
    described(&info, OPENCL, "");
    assert_false(runs(LIBRARIES, &info, &linked, &to[0], 0));
    assert_false(runs(HEADERS, &info, &linked, &to[1], 0));
    assert_int_equal(destroy(&info), 0);
    assert_int_equal(destroy_set(&linked), 0);
    assert_string_equal(result_of(&to[0], EXECUTABLE),
                        "action 3 language 2 isa amdgcn-amd-amdhsa--gfx90a: linked=BC");
    assert_string_equal(result_of(&to[1], EXECUTABLE),
                        "action 1 language 2 isa amdgcn-amd-amdhsa--gfx90a: linked=BC");
    assert_int_equal(info.isa[0], '\0');
    assert_int_equal(linked.count, 0);
    /* whose result nobody wants */
    linked = set_of(BITCODE, "linked", "BC");
    described(&info, OPENCL, "");
    assert_false(runs(LIBRARIES, &info, &linked, &to[0], 0));
    const int before = actions();
    assert_int_equal(destroy(&info), 0);
    assert_int_not_equal(info.isa[0], '\0');
    assert_int_equal(destroy_set(&to[0]), 0);
    assert_int_equal(info.isa[0], '\0');
    assert_int_equal(actions(), before);
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
        cmocka_unit_test(test_additions_are_put_off),
        cmocka_unit_test(test_additions_are_made_up_for),
        cmocka_unit_test(test_additions_outlive_what_they_need),
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
