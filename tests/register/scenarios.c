/* scenarios.c - the registration protocol, one scenario per process.
 *
 * A process scans for tools and loads the SDK once, so each scenario is a run of its own with its
 * own environment (CMakeLists.txt). Expected answers are those of AMD's protocol. */
#include <rocprofiler-register/rocprofiler-register.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition))                                                                          \
            failures++, fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);            \
    } while (0)

static void *tables[16][4];
static _Thread_local rocprofiler_register_library_indentifier_t id;

static rocprofiler_register_error_code_t offer(const char *name, int which)
{
    void *table = tables[which];
    id.handle = 999;
    return rocprofiler_register_library_api_table(name, NULL, 60100, &table, 1, &id);
}

/* A variable of the fake SDK; null while it is not loaded. */
static void *sdk(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}
static int seen(void)
{
    return sdk("fake_sdk_seen") ? *(int *)sdk("fake_sdk_seen") : -1;
}

static int count_rows(rocprofiler_register_registration_info_t *info, void *data)
{
    CHECK(info->size == sizeof *info);
    CHECK(info->lib_version == 60100 && info->api_table_length == 1);
    return ++*(int *)data == 2; /* stops after the second */
}

static void no_tool(void)
{
    int rows = 0;
    CHECK(offer("hip", 0) == ROCP_REG_NO_TOOLS && id.handle == 8);
    CHECK(offer("hsa", 1) == ROCP_REG_NO_TOOLS && id.handle == 0);
    CHECK(offer("hip", 2) == ROCP_REG_NO_TOOLS && id.handle == 9);
    CHECK(seen() == -1); /* nothing was loaded */
    CHECK(rocprofiler_register_iterate_registration_info(count_rows, &rows) == ROCP_REG_SUCCESS);
    CHECK(rows == 2);
}

static void passes_on(void)
{
    CHECK(rocprofiler_register_library_api_table("hip", NULL, 1, NULL, 0, &id) ==
          ROCP_REG_BAD_API_TABLE_LENGTH);
    CHECK(offer("hip_compiler", 0) == ROCP_REG_SUCCESS && id.handle == 24);
    CHECK(seen() == 1 && strcmp(sdk("fake_sdk_name"), "hip_compiler") == 0);
    CHECK(*(uint64_t *)sdk("fake_sdk_version") == 60100);
    CHECK(*(uint64_t *)sdk("fake_sdk_tables") == 1);
    /* the same table again: same answer, same identity, no second call */
    CHECK(offer("hip_compiler", 0) == ROCP_REG_SUCCESS && id.handle == 24 && seen() == 1);
    CHECK(offer("HIP", 1) == ROCP_REG_UNSUPPORTED_API && id.handle == 999);
    for (int i = 0; i < 8; i++)
        CHECK(offer("roctx", i) == ROCP_REG_SUCCESS);
    CHECK(id.handle == 23 && *(uint64_t *)sdk("fake_sdk_instance") == 7);
    CHECK(offer("roctx", 9) == ROCP_REG_EXCESS_API_INSTANCES);
}

static void unknown_name_loads(void)
{
    CHECK(offer("vulkan", 0) == ROCP_REG_UNSUPPORTED_API);
    CHECK(seen() == 0); /* loaded, not called */
}

static void refused(void)
{
    rocprofiler_register_error_code_t (*again)(void);
    *(void **)&again =
        dlsym(RTLD_DEFAULT, "rocprofiler_register_invoke_nonpropagated_registrations");
    CHECK(offer("hip", 0) == ROCP_REG_ROCPROFILER_ERROR && id.handle == 8);
    CHECK(again() == ROCP_REG_ROCPROFILER_ERROR && seen() == 2);
}

static int offer_inside(void)
{
    return (int)offer("hsa", 5);
}

static void *offer_from_thread(void *answer)
{
    *(rocprofiler_register_error_code_t *)answer = offer("roctx", 3);
    return NULL;
}

static int wait_inside(void)
{
    /* Time for the other thread to arrive; that it waits for this one is seen nowhere. If it comes
     * too late, it finds nobody inside, and the test passes without having shown that it waits. */
    usleep(200000);
    return 0;
}

static void nested(void)
{
    CHECK(offer("hip", 0) == ROCP_REG_SUCCESS);
    *(int (**)(void))sdk("fake_sdk_inside") = offer_inside;
    CHECK(offer("hip", 1) == ROCP_REG_SUCCESS);
    CHECK(*(int *)sdk("fake_sdk_inside_answer") == ROCP_REG_DEADLOCK);

    /* another thread waits for the one inside, and gets through */
    *(int (**)(void))sdk("fake_sdk_inside") = wait_inside;
    pthread_t thread;
    rocprofiler_register_error_code_t other = ROCP_REG_ERROR_CODE_END;
    pthread_create(&thread, NULL, offer_from_thread, &other);
    CHECK(offer("hip", 2) == ROCP_REG_SUCCESS);
    pthread_join(thread, NULL);
    CHECK(other == ROCP_REG_SUCCESS);
}

/* Longer than a registration waits for another one. */
static int configure_slowly(void)
{
    *(int (**)(void))sdk("fake_sdk_inside") = NULL;
    sleep(3);
    return 0;
}

typedef struct {
    const char *name;
    rocprofiler_register_error_code_t answer;
    uint64_t handle;
} late_t;

static void *offer_late(void *user)
{
    static void *own[4][2];
    late_t *l = user;
    rocprofiler_register_library_indentifier_t mine = {0};
    void *table = own[l->handle];
    l->answer = rocprofiler_register_library_api_table(l->name, NULL, 1, &table, 1, &mine);
    l->handle = mine.handle;
    return NULL;
}

/* A tool that takes three seconds to start on one thread, and four runtimes that register
 * meanwhile: none is dropped, each is passed on once. */
static void slow(void)
{
    late_t late[] = {{"hsa", ROCP_REG_ERROR_CODE_END, 0},
                     {"roctx", ROCP_REG_ERROR_CODE_END, 1},
                     {"rccl", ROCP_REG_ERROR_CODE_END, 2},
                     {"hip_compiler", ROCP_REG_ERROR_CODE_END, 3}};
    enum { LATE = sizeof late / sizeof *late };
    pthread_t threads[LATE];
    CHECK(offer("hip", 0) == ROCP_REG_SUCCESS);
    const int before = seen();
    *(int (**)(void))sdk("fake_sdk_inside") = configure_slowly;
    for (unsigned i = 0; i < LATE; i++)
        pthread_create(&threads[i], NULL, offer_late, &late[i]);
    CHECK(offer("hip", 1) == ROCP_REG_SUCCESS);
    for (unsigned i = 0; i < LATE; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < LATE; i++) {
        CHECK(late[i].answer == ROCP_REG_SUCCESS);
        for (unsigned k = 0; k < i; k++)
            CHECK(late[k].handle != late[i].handle);
    }
    for (unsigned tries = 0; seen() < before + 1 + LATE && tries < 500; tries++)
        usleep(10000); /* whoever was inside passes on what was left to it */
    CHECK(seen() == before + 1 + LATE);
}

static void forked(void)
{
    CHECK(offer("hip", 0) == ROCP_REG_SUCCESS);
    pid_t child = fork();
    if (child == 0) _exit(offer("hip", 1) != ROCP_REG_SUCCESS);
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void disabled(void)
{
    CHECK(offer("hip", 0) == ROCP_REG_NO_TOOLS && id.handle == 999);
}

static void missing_sdk(void)
{
    CHECK(offer("hip", 0) == ROCP_REG_NO_TOOLS);
    CHECK(offer("hsa", 1) == ROCP_REG_NO_TOOLS); /* said once only: see the test's expectation */
}

static uint32_t not_a_runtime(void)
{
    return 1;
}

static void secure(void)
{
    void *table = tables[0];
    CHECK(rocprofiler_register_library_api_table("hip", not_a_runtime, 60100, &table, 1, &id) ==
          ROCP_REG_INVALID_API_ADDRESS);
    CHECK(offer("hip", 0) == ROCP_REG_SUCCESS); /* no import function, nothing to check */
}

static void onload(void)
{
    _Bool (*on_load)(void *, uint64_t, uint64_t, const char *const *);
    *(void **)&on_load = dlsym(RTLD_DEFAULT, "OnLoad");
    CHECK(on_load(tables[0], 2, 0, NULL) && on_load(tables[0], 2, 0, NULL));
    CHECK(seen() == 1 && strcmp(sdk("fake_sdk_name"), "hsa") == 0);
    /* shut down and started anew */
    void (*on_unload)(void);
    *(void **)&on_unload = dlsym(RTLD_DEFAULT, "OnUnload");
    on_unload();
    CHECK(on_load(tables[0], 2, 0, NULL) && seen() == 2);
    CHECK(on_load(tables[0], 2, 0, NULL) && seen() == 2);
}

/* What the program does with its environment while a tool is attached. */
static int change_environment(void)
{
    CHECK(strcmp(getenv("ROCP_TOOL_LIBRARIES"), "/nowhere/libtool.so") == 0);
    CHECK(strcmp(getenv("OF_THE_TOOL"), "2") == 0 && strcmp(getenv("OF_BOTH"), "tool's") == 0);
    setenv("CHANGED", "later", 1);
    unsetenv("GONE");
    if (getenv("WITH_ANOTHER")) setenv("ANOTHER", "1", 1); /* makes the C library copy all of it */
    return 0;
}

static bool is_set(const char *name, const char *value)
{
    const char *now = getenv(name);
    return value ? now && strcmp(now, value) == 0 : !now;
}

static void attach_environment(void)
{
    static const char buffer[] = "\2\0\0\0OF_THE_TOOL\0002\0OF_BOTH\0tool's";
    int (*attach)(const char *, const char *) = NULL;
    *(void **)&attach = dlsym(RTLD_DEFAULT, "rocprofiler_register_attach");
    CHECK(attach && dlopen(getenv("ROCPROFILER_REGISTER_LIBRARY"), RTLD_NOW | RTLD_GLOBAL));
    *(int (**)(void))sdk("fake_sdk_inside") = change_environment;
    for (int another = 0; another < 2; another++) {
        setenv("CHANGED", "before", 1);
        setenv("GONE", "not yet", 1);
        setenv("OF_BOTH", "program's", 1);
        if (another) setenv("WITH_ANOTHER", "1", 1);
        CHECK(attach(buffer, "/nowhere/libtool.so") == 0);
        CHECK(is_set("CHANGED", "later") && is_set("GONE", NULL));
        CHECK(is_set("OF_BOTH", "program's") && is_set("OF_THE_TOOL", NULL));
        CHECK(is_set("ROCP_TOOL_LIBRARIES", NULL));
        CHECK(is_set("ROCPROFILER_REGISTER_TOOL_ATTACHED", NULL));
        CHECK(is_set("ANOTHER", another ? "1" : NULL));
    }
}

static void texts(void)
{
    for (int i = 0; i <= ROCP_REG_ERROR_CODE_END; i++)
        for (int k = 0; k < i; k++)
            CHECK(strcmp(rocprofiler_register_error_string((rocprofiler_register_error_code_t)i),
                         rocprofiler_register_error_string((rocprofiler_register_error_code_t)k)));
    CHECK(rocprofiler_register_error_string((rocprofiler_register_error_code_t)-5) ==
          rocprofiler_register_error_string(ROCP_REG_ERROR_CODE_END));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } scenarios[] = {{"no_tool", no_tool},
                     {"passes_on", passes_on},
                     {"refused", refused},
                     {"unknown_name_loads", unknown_name_loads},
                     {"nested", nested},
                     {"forked", forked},
                     {"slow", slow},
                     {"disabled", disabled},
                     {"missing_sdk", missing_sdk},
                     {"secure", secure},
                     {"onload", onload},
                     {"attach_environment", attach_environment},
                     {"texts", texts}};
    for (unsigned i = 0; argc == 2 && i < sizeof scenarios / sizeof *scenarios; i++) {
        if (strcmp(argv[1], scenarios[i].name) != 0) continue;
        scenarios[i].run();
        return failures != 0;
    }
    fprintf(stderr, "usage: %s SCENARIO\n", argv[0]);
    return 2;
}
