/* compiled_test.c - the library that stands in for libamd_comgr, with a compiler behind it that
 * counts its actions. */
#include "softgpu/compiled/objects.h"

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
    BITCODE = 6,
    EXECUTABLE = 8
};

#define SOURCE SG_SOURCE
#define LOG    SG_LOG
#define TARGET "amdgcn-amd-amdhsa--gfx90a"

static sg_comgr_t comgr;
static const int *executed, *objects;
static int *failing;   /* the how many next call of the compiler fails; 0: none */
static unsigned asked; /* how often a function of the compiler was wanted */
static char folder[] = "/tmp/crocprof-compiled-XXXXXX";

/* ---- in place of identity.c and library.c ---- */

const sg_comgr_t *sg_comgr(void)
{
    asked++;
    return &comgr;
}

sg_compiled_key_t sg_compiler_key(void)
{
    return (sg_compiled_key_t){1, 2};
}

static void find_compiler(void *library)
{
    void *found;
#define FUNCTION(name, ...)                                                                        \
    found = dlsym(library, "amd_comgr_" #name);                                                    \
    memcpy(&comgr.name, &found, sizeof found);
    SG_COMGR_ANSWERED(FUNCTION)
    SG_COMGR_PASSED_ON(FUNCTION)
#undef FUNCTION
    executed = dlsym(library, "fake_actions");
    objects = dlsym(library, "fake_objects");
    failing = dlsym(library, "fake_failing");
}

/* ---- what HIP does ---- */

static int actions(void)
{
    return *executed;
}

static info_t described(int language, const char *option)
{
    info_t info;
    assert_int_equal(amd_comgr_create_action_info(&info), 0);
    assert_int_equal(amd_comgr_action_info_set_language(info, language), 0);
    assert_int_equal(amd_comgr_action_info_set_option_list(info, &option, *option != '\0'), 0);
    assert_int_equal(amd_comgr_action_info_set_logging(info, true), 0);
    assert_int_equal(amd_comgr_action_info_set_isa_name(info, TARGET), 0);
    return info;
}

static set_t set_of(int kind, const char *name, const char *text)
{
    set_t set;
    data_t data;
    assert_int_equal(amd_comgr_create_data_set(&set), 0);
    assert_int_equal(amd_comgr_create_data(kind, &data), 0);
    assert_int_equal(amd_comgr_set_data(data, strlen(text), text), 0);
    assert_int_equal(amd_comgr_set_data_name(data, name), 0);
    assert_int_equal(amd_comgr_data_set_add(set, data), 0);
    assert_int_equal(amd_comgr_release_data(data), 0);
    return set;
}

/* The first data object of the kind, whose one handle the caller releases. */
static data_t first_of(set_t set, int kind)
{
    data_t data = 0;
    amd_comgr_action_data_get_data(set, kind, 0, &data);
    return data;
}

/* The contents of the one result of this kind; "" if there is none. */
static const char *result_of(set_t set, int kind)
{
    static char text[256];
    size_t n = 0, size = 0;
    memset(text, 0, sizeof text);
    amd_comgr_action_data_count(set, kind, &n);
    if (n != 1) return "";
    data_t data = first_of(set, kind);
    assert_int_equal(amd_comgr_get_data(data, &size, NULL), 0);
    assert_in_range(size, 0, sizeof text - 1);
    assert_int_equal(amd_comgr_get_data(data, &size, text), 0);
    amd_comgr_release_data(data);
    return text;
}

/* Runs the action once; says whether the compiler has executed it. */
static bool runs(int action, info_t info, set_t from, set_t *to, int status)
{
    const int before = actions();
    assert_int_equal(amd_comgr_create_data_set(to), 0);
    assert_int_equal(amd_comgr_do_action(action, info, from, *to), status);
    return actions() != before;
}

/* Runs the action twice: both results are right. True if the second was kept. */
static bool keeps(int action, info_t info, set_t from, int kind)
{
    set_t first, second;
    char text[256];
    assert_true(runs(action, info, from, &first, 0));
    snprintf(text, sizeof text, "%s", result_of(first, kind));
    assert_string_not_equal(text, "");
    bool again = runs(action, info, from, &second, 0);
    assert_string_equal(result_of(second, kind), text);
    assert_string_equal(result_of(second, LOG), "");
    return !again;
}

static void test_steps_of_own_kernels(void **state)
{
    (void)state;
    set_t source = set_of(SOURCE, "source", "kernel void fill();"),
          linked = set_of(BITCODE, "linked", "BC"), to;
    info_t info = described(OPENCL, ""),
           none = described(0, ""); /* the later steps do not say their language */
    assert_true(keeps(COMPILE, info, source, BITCODE));
    assert_true(keeps(LINK, info, linked, BITCODE));
    assert_true(keeps(CODEGEN, none, linked, EXECUTABLE));
    /* what is kept is all that is needed */
    const unsigned before = asked;
    assert_false(runs(COMPILE, described(OPENCL, ""),
                      set_of(SOURCE, "source", "kernel void fill();"), &to, 0));
    assert_string_equal(result_of(to, BITCODE),
                        "action 2 language 2 isa " TARGET ": source=kernel void fill();");
    assert_int_equal(asked, before);
}

/* ---- headers and libraries ---- */

#define ADDED(action) "action " action " language 2 isa " TARGET ": linked=BC"

static void count_it(info_t info, set_t from, set_t to)
{
    size_t n = 0;
    (void)info, (void)from;
    assert_int_equal(amd_comgr_action_data_count(to, EXECUTABLE, &n), 0);
    assert_int_equal(n, 1);
}

static void take_it(info_t info, set_t from, set_t to)
{
    data_t data = 0;
    (void)info, (void)from;
    assert_int_equal(amd_comgr_action_data_get_data(to, EXECUTABLE, 0, &data), 0);
    assert_int_not_equal(data, 0);
}

static void add_to_it(info_t info, set_t from, set_t to)
{
    (void)info;
    assert_int_equal(amd_comgr_data_set_add(to, first_of(from, BITCODE)), 0);
}

static void remove_from_it(info_t info, set_t from, set_t to)
{
    (void)info, (void)from;
    assert_int_equal(amd_comgr_data_set_remove(to, SOURCE), 0);
}

/* The addition is put off, and is done once when a function has looked. */
static void test_additions_are_made_up_for(void **state)
{
    (void)state;
    static void (*const looks[])(info_t, set_t, set_t) = {count_it, take_it, add_to_it,
                                                          remove_from_it};
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        set_t to, linked = set_of(BITCODE, "linked", "BC");
        info_t info = described(OPENCL, "");
        runs(HEADERS, info, linked, &to, 0); /* for its log */
        assert_false(runs(HEADERS, info, linked, &to, 0));
        const int before = actions();
        looks[i](info, linked, to);
        assert_int_equal(actions(), before + 1);
        looks[i](info, linked, to);
        assert_int_equal(actions(), before + 1);
        assert_string_equal(result_of(to, EXECUTABLE), ADDED("1"));
    }
}

static void test_additions_are_put_off(void **state)
{
    (void)state;
    set_t to, out, other = set_of(BITCODE, "linked", "other"),
                   linked = set_of(BITCODE, "linked", "BC");
    info_t info = described(OPENCL, "");
    size_t count;
    assert_true(runs(LIBRARIES, info, linked, &to, 0)); /* for its log */
    assert_true(runs(LINK, info, to, &out, 0));
    assert_true(runs(LIBRARIES, info, other, &to, 0));
    runs(HEADERS, info, linked, &to, 0);
    /* HIP asks for the log, which is there */
    const unsigned before = asked;
    assert_false(runs(LIBRARIES, info, linked, &to, 0));
    assert_int_equal(amd_comgr_action_data_count(to, LOG, &count), 0);
    assert_int_equal(count, 1);
    assert_string_equal(result_of(to, LOG), "");
    /* what is linked with them is known, without anything's being added */
    assert_false(runs(LINK, info, to, &out, 0));
    assert_string_equal(result_of(out, BITCODE),
                        "action 4 language 2 isa " TARGET ": comgr.log= result=" ADDED("3"));
    assert_int_equal(asked, before);
    assert_string_equal(result_of(to, EXECUTABLE), ADDED("3")); /* gives up what it was added to */
    linked = set_of(BITCODE, "linked", "BC");
    /* to something else, or other things */
    assert_false(runs(LIBRARIES, info, other, &to, 0));
    assert_true(runs(LINK, info, to, &out, 0));
    assert_false(runs(HEADERS, info, linked, &to, 0));
    assert_true(runs(LINK, info, to, &out, 0));
    /* of another language they are added at once */
    assert_true(runs(LIBRARIES, described(HIP, ""), linked, &to, 0));
}

/* What is added to a set has the logs of that set. */
static void test_additions_count_logs(void **state)
{
    (void)state;
    set_t to, one = set_of(LOG, "log", "one"), two = set_of(LOG, "log", "two");
    assert_true(runs(LIBRARIES, described(OPENCL, ""), one, &to, 0));
    assert_true(runs(LIBRARIES, described(OPENCL, ""), two, &to, 0));
    assert_false(runs(LIBRARIES, described(OPENCL, ""), one, &to, 0));
}

/* What an addition needs may be changed or destroyed before it is executed. */
static void test_additions_outlive_what_they_need(void **state)
{
    (void)state;
    set_t to, out, linked = set_of(BITCODE, "linked", "BC");
    info_t info = described(OPENCL, "");
    assert_false(runs(LIBRARIES, info, linked, &to, 0));
    assert_int_equal(amd_comgr_action_info_set_language(info, HIP), 0);
    assert_int_equal(amd_comgr_destroy_action_info(info), 0);
    assert_int_equal(amd_comgr_destroy_data_set(linked), 0);
    assert_string_equal(result_of(to, EXECUTABLE), ADDED("3"));
    /* what the set has in common with the one that was added to is the same, also when changed */
    linked = set_of(BITCODE, "linked", "BC");
    assert_false(runs(LIBRARIES, described(OPENCL, ""), linked, &to, 0));
    data_t data = first_of(linked, BITCODE);
    assert_int_equal(amd_comgr_set_data(data, 3, "new"), 0);
    assert_true(runs(LINK, described(OPENCL, ""), to, &out, 0));
    assert_non_null(strstr(result_of(out, BITCODE), "linked=new"));
    /* whose result nobody wants */
    linked = set_of(BITCODE, "linked", "BC");
    const int before = actions();
    assert_false(runs(LIBRARIES, described(OPENCL, ""), linked, &to, 0));
    assert_int_equal(amd_comgr_destroy_data_set(to), 0);
    assert_int_equal(actions(), before);
}

/* ---- what is given up ---- */

/* Objects about which something else was asked are the compiler's, and stay the same objects. */
static void test_given_up(void **state)
{
    (void)state;
    int language = 0;
    size_t count, size;
    set_t set = set_of(SOURCE, "first", "one"), to[3];
    data_t data = first_of(set, SOURCE), again;
    const int before = *objects;
    assert_true(data & 1);
    assert_int_equal(amd_comgr_data_set_remove(set, BITCODE), 0); /* of which there are none */
    assert_int_equal(amd_comgr_action_data_count(set, SOURCE, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(amd_comgr_data_set_add(set, data), 0); /* is in it already */
    assert_int_equal(amd_comgr_action_data_count(set, SOURCE, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(amd_comgr_set_data(data, 4, "four"), 0);
    again = first_of(set, SOURCE);
    assert_int_equal(amd_comgr_get_data(again, &size, NULL), 0);
    assert_int_equal(size, 4);
    info_t infos[] = {described(OPENCL, ""), described(OPENCL, ""), described(HIP, "")};
    assert_int_equal(amd_comgr_action_info_get_language(infos[0], &language), 0);
    assert_int_equal(language, OPENCL);
    for (int i = 0; i < 3; i++)
        assert_true(runs(COMPILE, infos[i], set, &to[i], 0));
    assert_string_equal(result_of(to[0], BITCODE),
                        "action 2 language 2 isa " TARGET ": first=four");
    amd_comgr_release_data(data);
    amd_comgr_release_data(again);
    assert_int_equal(amd_comgr_destroy_data_set(set), 0);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(amd_comgr_destroy_data_set(to[i]), 0);
        assert_int_equal(amd_comgr_destroy_action_info(infos[i]), 0);
    }
    assert_int_equal(*objects, before);
}

/* Executes the action while the nth call of the compiler fails: if it does, so does the action,
 * and nothing is kept of it. False: there were fewer calls. */
static bool fails_at(int nth, int action, set_t from)
{
    set_t to, again;
    info_t info = described(OPENCL, "-O3");
    const int before = *objects;
    assert_int_equal(amd_comgr_create_data_set(&to), 0);
    *failing = nth;
    const bool good = amd_comgr_do_action(action, info, from, to) == SG_SUCCESS;
    const bool failed = *failing == 0;
    *failing = 0;
    assert_int_equal(good, !failed);
    assert_int_equal(amd_comgr_destroy_data_set(to), 0);
    assert_int_equal(*objects, before);
    assert_int_equal(runs(action, info, from, &again, 0), failed);
    assert_non_null(strstr(result_of(again, BITCODE), "the text"));
    return failed;
}

static void test_failed_copies(void **state)
{
    (void)state;
    char name[16];
    bool failed = true;
    int nth = 0;
    while (failed) {
        snprintf(name, sizeof name, "a%d", ++nth);
        failed = fails_at(nth, COMPILE, set_of(SOURCE, name, "the text"));
    }
    assert_int_equal(nth, 13); /* one more than there are calls */
    for (nth = 0, failed = true; failed;) {
        set_t to;
        snprintf(name, sizeof name, "b%d", ++nth);
        runs(LIBRARIES, described(OPENCL, "-O3"), set_of(BITCODE, name, "the text"), &to, 0);
        failed = fails_at(nth, LINK, to);
    }
    assert_int_equal(nth, 20); /* those of the addition, too */
}

/* Objects that could not be given up are as they were. */
static void test_failed_giving_up(void **state)
{
    (void)state;
    size_t count = 0;
    int language;
    for (int nth = 1; nth <= 5; nth++) {
        set_t set = set_of(SOURCE, "first", "one");
        *failing = nth;
        assert_int_not_equal(amd_comgr_data_set_remove(set, BITCODE), 0);
        *failing = 0;
        assert_int_equal(amd_comgr_action_data_count(set, SOURCE, &count), 0);
        assert_int_equal(count, 1);
        assert_string_equal(result_of(set, SOURCE), "one");
    }
    info_t info = described(HIP, "");
    set_t to, set = set_of(SOURCE, "first", "one");
    assert_int_equal(amd_comgr_create_data_set(&to), 0);
    *failing = 1;
    assert_int_equal(amd_comgr_do_action(COMPILE, info, set, to), SG_NO_RESOURCES);
    *failing = 0;
    assert_int_equal(amd_comgr_do_action(COMPILE, info, set, to), 0);
    assert_int_equal(amd_comgr_action_info_get_language(info, &language), 0);
    assert_int_equal(language, HIP);
}

/* What is refused is refused by the compiler. */
static void test_refused(void **state)
{
    (void)state;
    data_t data, none = 0;
    size_t size = 0;
    set_t set = set_of(SOURCE, "first", "one");
    assert_int_equal(amd_comgr_create_data(99, &data), 2);
    assert_int_equal(amd_comgr_create_data(SOURCE, &data), 0);
    assert_int_equal(amd_comgr_get_data(data, &size, NULL), 2);
    assert_int_equal(amd_comgr_set_data(data, 0, "one"), 2);
    assert_int_equal(amd_comgr_action_data_get_data(set, SOURCE, 1, &none), 2);
    assert_int_equal(amd_comgr_action_data_get_data(set, BITCODE, 0, &none), 2);
    assert_int_equal(amd_comgr_action_data_get_data(set, SOURCE, 0, &data), 0);
}

static void test_every_input_counts(void **state)
{
    (void)state;
    set_t to, source = set_of(SOURCE, "source", "a"), text = set_of(SOURCE, "source", "b");
    set_t name = set_of(SOURCE, "sourcf", "a"), kind = set_of(BITCODE, "source", "a");
    assert_true(runs(COMPILE, described(OPENCL, ""), source, &to, 0));
    assert_true(runs(COMPILE, described(OPENCL, ""), text, &to, 0));
    assert_true(runs(COMPILE, described(OPENCL, ""), name, &to, 0));
    assert_true(runs(COMPILE, described(OPENCL, ""), kind, &to, 0));
    assert_true(runs(LINK, described(OPENCL, ""), kind, &to, 0));
    assert_true(runs(COMPILE, described(OPENCL - 1, ""), source, &to, 0));
    assert_true(runs(COMPILE, described(OPENCL, "-O3"), source, &to, 0));
    assert_true(runs(COMPILE, described(OPENCL, "-O2"), source, &to, 0));
    info_t other = described(OPENCL, "");
    assert_int_equal(amd_comgr_action_info_set_isa_name(other, "amdgcn-amd-amdhsa--gfx908"), 0);
    assert_true(runs(COMPILE, other, source, &to, 0));
    other = described(OPENCL, "");
    assert_int_equal(amd_comgr_action_info_set_logging(other, false), 0);
    assert_true(runs(COMPILE, other, source, &to, 0));
    assert_false(runs(COMPILE, described(OPENCL, ""), source, &to, 0));
}

static void test_what_is_the_compilers_alone(void **state)
{
    (void)state;
    info_t unknown = described(OPENCL, "");
    set_t to, wrong = set_of(SOURCE, "source", "wrong"),
              include = set_of(SOURCE, "source", "#include \"x\"");
    set_t source = set_of(SOURCE, "source", "hip"), linked = set_of(BITCODE, "linked", "hip");
    assert_false(keeps(COMPILE, described(HIP, ""), source, BITCODE));
    /* of what was compiled last */
    assert_false(keeps(CODEGEN, described(0, ""), linked, EXECUTABLE));
    assert_false(keeps(COMPILE, described(OPENCL, ""), include, BITCODE));
    static const char *const options[] = {"-I.",
                                          "-g",
                                          "-fplugin=x.so",
                                          "--rocm-path=x",
                                          "-DA=b/c",
                                          "-fprofile-use=x",
                                          "-mlink-builtin-bitcode"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_false(keeps(COMPILE, described(OPENCL, options[i]),
                           set_of(SOURCE, "source", "of an option"), BITCODE));
    assert_true(runs(COMPILE, described(OPENCL, ""), wrong, &to, 1));
    assert_non_null(strstr(result_of(to, BITCODE), "wrong"));
    assert_true(runs(COMPILE, described(OPENCL, ""), wrong, &to, 1)); /* a failure is not kept */
    /* what becomes of a set that is not empty is the compiler's affair */
    set_t cached = set_of(SOURCE, "source", "cached"), filled = set_of(SOURCE, "before", "it");
    assert_true(keeps(COMPILE, described(OPENCL, ""), cached, BITCODE));
    const int before = actions();
    assert_int_equal(amd_comgr_do_action(COMPILE, described(OPENCL, ""), cached, filled), 0);
    assert_int_equal(actions(), before + 1);
    assert_string_equal(result_of(filled, SOURCE), "it");
    /* in another folder an option may name another file */
    assert_int_equal(amd_comgr_action_info_set_working_directory_path(unknown, "/tmp"), 0);
    assert_false(keeps(COMPILE, unknown, source, BITCODE));
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
    set_t to, source = set_of(SOURCE, "source", "damaged");
    const info_t info = described(OPENCL, "");
    empty_folder();
    assert_true(runs(COMPILE, info, source, &to, 0));
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
            assert_true(runs(COMPILE, info, source, &to, 0));
            assert_string_equal(result_of(to, BITCODE),
                                "action 2 language 2 isa " TARGET ": source=damaged");
            assert_false(runs(COMPILE, info, source, &to, 0));
        }
}

/* A folder that is closed is neither read nor written. */
static void test_closed(void **state)
{
    (void)state;
    set_t to, source = set_of(SOURCE, "source", "closed");
    const info_t info = described(OPENCL, "");
    assert_true(runs(COMPILE, info, source, &to, 0));
    sg_compiled_close();
    assert_true(runs(COMPILE, info, source, &to, 0));
    assert_true(sg_compiled_open());
    empty_folder();
    sg_compiled_close();
    assert_true(runs(COMPILE, info, source, &to, 0));
    assert_true(sg_compiled_open());
    assert_true(runs(COMPILE, info, source, &to, 0));
}

/* The oldest go when there are more bytes than the folder may hold; files of others stay. */
static void test_limit(void **state)
{
    (void)state;
    char path[PATH_MAX], other[PATH_MAX];
    set_t to, source = set_of(SOURCE, "source", "limit");
    const info_t info = described(OPENCL, "");
    empty_folder();
    snprintf(path, sizeof path, "%s/old.comgr", folder);
    snprintf(other, sizeof other, "%s/notes", folder);
    fclose(fopen(path, "w"));
    fclose(fopen(other, "w"));
    assert_int_equal(truncate(path, SG_COMPILED_MOST), 0);
    assert_true(runs(COMPILE, info, source, &to, 0));
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(access(other, F_OK), 0);
    assert_false(runs(COMPILE, info, source, &to, 0));
}

int main(int argc, char **argv)
{
    if (argc != 2 || !mkdtemp(folder)) return 2;
    void *library = dlopen(argv[1], RTLD_NOW);
    setenv("SOFTGPU_COMPILED", folder, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_of_own_kernels),
        cmocka_unit_test(test_additions_are_put_off),
        cmocka_unit_test(test_additions_are_made_up_for),
        cmocka_unit_test(test_additions_outlive_what_they_need),
        cmocka_unit_test(test_additions_count_logs),
        cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_failed_copies),
        cmocka_unit_test(test_failed_giving_up),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_every_input_counts),
        cmocka_unit_test(test_what_is_the_compilers_alone),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_limit),
    };
    if (!library || !sg_compiled_open()) return 2;
    find_compiler(library);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char path[PATH_MAX];
    empty_folder();
    snprintf(path, sizeof path, "%s", folder);
    rmdir(path);
    return failed;
}
