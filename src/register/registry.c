/* registry.c - the registrations of this process, and the functions that runtimes call.
 *
 * One thread at a time registers: it is "inside". A second thread waits for it (the SDK may be
 * loading), but not for ever, since the thread inside may be waiting for the second one: a tool
 * that starts a runtime on another thread does that. When the time is over, the second thread
 * leaves its tables to the thread inside, which passes them on before it leaves. A registration
 * during a registration by the same thread is refused. Registrations are never removed: runtimes do
 * not unload. */
#include "register/register.h"

#include "base/env.h"
#include "base/log.h"
#include "register/stand_in.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TABLES_MAX = 8, WAIT_SECONDS = 2 };

typedef struct {
    int index; /* row of REG_RUNTIMES */
    uint32_t version;
    uint64_t instance;
    uint64_t table_count;
    void *tables[TABLES_MAX];
    rocprofiler_register_native_func_t native; /* of a table that stands in for another one
                                                * (stand_in.h), or NULL */
    bool behind; /* this table is not passed on to the SDK; the one that stands in for it is */
    bool passed_on;
    bool left; /* another thread has left it to the thread inside, which has not passed it on yet */
    /* The runtime has shut down; when it starts again, its table lacks the hooks. */
    _Atomic bool ended;
    rocprofiler_register_error_code_t answer;
} registration_t;

/* The mutex guards the state of being inside, and appending to the list of registrations. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t emptied = PTHREAD_COND_INITIALIZER;
static bool occupied;
static pthread_t occupant;

static registration_t registrations[REG_RUNTIME_COUNT * REG_INSTANCES_MAX];
static _Atomic unsigned registration_count; /* rows with lower indices are complete */
static bool sdk_seen; /* the last registration has found the SDK; used by the thread inside */

/* A child of fork has only the forking thread, so no other thread is inside any more. */
static void after_fork_in_child(void)
{
    pthread_mutex_init(&gate, NULL);
    pthread_cond_init(&emptied, NULL);
    if (!pthread_equal(occupant, pthread_self())) occupied = false;
}

__attribute__((constructor)) static void initialise(void)
{
    base_log_init("rocprofiler-register", "ROCPROFILER_REGISTER_LOG_LEVEL");
    pthread_atfork(NULL, NULL, after_fork_in_child);
}

/* BUSY: another thread has been inside for too long. OWN: this thread is inside already. With
 * INSIDE and BUSY, `gate` is locked on return. */
typedef enum { INSIDE, BUSY, OWN } entry_t;

static entry_t enter(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += WAIT_SECONDS;
    pthread_mutex_lock(&gate);
    if (occupied && pthread_equal(occupant, pthread_self())) {
        pthread_mutex_unlock(&gate);
        return OWN;
    }
    for (int error = 0; occupied && error != ETIMEDOUT;)
        error = pthread_cond_timedwait(&emptied, &gate, &until);
    if (occupied) return BUSY;
    occupied = true;
    occupant = pthread_self();
    return INSIDE;
}

static rocprofiler_register_error_code_t pass_on(registration_t *r, reg_set_api_table_t sdk);

/* Takes a registration that another thread has left to this one, or NULL. To be called with `gate`
 * locked. */
static registration_t *take_left(void)
{
    unsigned n = atomic_load(&registration_count);
    for (unsigned i = 0; i < n; i++) {
        registration_t *r = &registrations[i];
        if (!r->left) continue;
        r->left = false;
        return r;
    }
    return NULL;
}

static void leave(void)
{
    pthread_mutex_lock(&gate);
    for (registration_t *r; (r = take_left());) {
        pthread_mutex_unlock(&gate);
        if (!r->passed_on) pass_on(r, reg_find_sdk());
        pthread_mutex_lock(&gate);
    }
    occupied = false;
    pthread_cond_signal(&emptied);
    pthread_mutex_unlock(&gate);
}

static registration_t *find_same(int index, void *first_table)
{
    unsigned n = atomic_load(&registration_count);
    for (unsigned i = 0; i < n; i++)
        if (registrations[i].index == index && registrations[i].tables[0] == first_table)
            return &registrations[i];
    return NULL;
}

static registration_t *find_stand_in(int index)
{
    unsigned n = atomic_load(&registration_count);
    for (unsigned i = 0; i < n; i++)
        if (registrations[i].index == index && registrations[i].native) return &registrations[i];
    return NULL;
}

static uint64_t count_of(int index)
{
    uint64_t count = 0;
    unsigned n = atomic_load(&registration_count);
    for (unsigned i = 0; i < n; i++)
        count += registrations[i].index == index;
    return count;
}

static rocprofiler_register_error_code_t pass_on(registration_t *r, reg_set_api_table_t sdk)
{
    if (!sdk) return r->answer = ROCP_REG_NO_TOOLS;
    int status =
        sdk(reg_runtime_name(r->index), r->version, r->instance, r->tables, r->table_count);
    if (status != 0) {
        base_info("the SDK answered %d to the tables of %s", status, reg_runtime_name(r->index));
        return r->answer = ROCP_REG_ROCPROFILER_ERROR;
    }
    r->passed_on = true;
    return r->answer = ROCP_REG_SUCCESS;
}

/* Passes on the tables of runtimes that had registered before there was a tool, and writes one line
 * about it. With `all`, tables that were passed on already are passed on again. */
static rocprofiler_register_error_code_t pass_on_missed(reg_set_api_table_t sdk, bool all)
{
    rocprofiler_register_error_code_t answer = ROCP_REG_SUCCESS;
    char names[128] = "";
    size_t length = 0;
    unsigned n = sdk ? atomic_load(&registration_count) : 0;
    for (unsigned i = 0; i < n && answer == ROCP_REG_SUCCESS; i++) {
        registration_t *r = &registrations[i];
        if (r->behind || (r->passed_on && !all)) continue;
        if (!r->passed_on && length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length ? ", " : "", reg_runtime_name(r->index));
        answer = pass_on(r, sdk);
    }
    if (length)
        base_warning("%s registered before a profiling tool was there: calls, queues and code "
                     "objects of until then are missed",
                     names);
    return answer;
}

void reg_runtime_ended(const char *name)
{
    int index = reg_runtime_index(name);
    unsigned n = atomic_load(&registration_count);
    for (unsigned i = 0; i < n; i++)
        if (registrations[i].index == index) atomic_store(&registrations[i].ended, true);
}

/* The arguments of a registration. */
typedef struct {
    const char *name;
    rocprofiler_register_import_func_t import;
    uint32_t version;
    void **tables;
    uint64_t table_count;
    rocprofiler_register_library_indentifier_t *id;
    rocprofiler_register_native_func_t native; /* of a table that stands in for another one
                                                * (stand_in.h), or NULL */
} offer_t;

/* ORDER: the first check that fails decides the result (AMD's protocol). */
static rocprofiler_register_error_code_t check(const offer_t *o, int index)
{
    if (index < 0) {
        base_warning("unknown runtime name \"%s\"", o->name ? o->name : "(null)");
        return ROCP_REG_UNSUPPORTED_API;
    }
    if (o->import && base_env_bool("ROCPROFILER_REGISTER_SECURE", false) &&
        !reg_runtime_owns(index, o->import)) {
        base_warning("the import function of \"%s\" lies in no library of that runtime", o->name);
        return ROCP_REG_INVALID_API_ADDRESS;
    }
    if (o->table_count > TABLES_MAX || !o->tables || !o->id) {
        base_warning("%s registers %llu tables, the limit is %d", o->name,
                     (unsigned long long)o->table_count, TABLES_MAX);
        return ROCP_REG_BAD_API_TABLE_LENGTH;
    }
    return ROCP_REG_SUCCESS;
}

/* Appends a registration that has been checked, with `gate` locked. Returns NULL if there is no
 * room for another; then *answer is the reason. */
static registration_t *add(const offer_t *o, int index, rocprofiler_register_error_code_t *answer)
{
    uint64_t instance = count_of(index);
    *answer = ROCP_REG_EXCESS_API_INSTANCES;
    if (o->native && instance > 0) return NULL;
    if (instance >= REG_INSTANCES_MAX) {
        base_warning("more than %d instances of \"%s\"", REG_INSTANCES_MAX, o->name);
        return NULL;
    }
    o->id->handle = (uint64_t)REG_INSTANCES_MAX * (uint64_t)index + instance;

    unsigned n = atomic_load(&registration_count);
    registration_t *r = &registrations[n];
    *r = (registration_t){.index = index,
                          .version = o->version,
                          .instance = instance,
                          .table_count = o->table_count,
                          .native = o->native,
                          .answer = ROCP_REG_NO_TOOLS};
    memcpy(r->tables, o->tables, o->table_count * sizeof *o->tables);
    atomic_store(&registration_count, n + 1);
    return r;
}

/* Returns the earlier registration of the same table, whose handle is returned again; NULL if there
 * is none. */
static registration_t *find_again(const offer_t *o, int index)
{
    registration_t *r = find_same(index, o->tables[0]);
    if (r) o->id->handle = (uint64_t)REG_INSTANCES_MAX * (uint64_t)index + r->instance;
    return r;
}

/* Handles a runtime that registers its table although another one stands in for it: the latter gets
 * the runtime's table, in order to call its functions. */
static rocprofiler_register_error_code_t put_behind(registration_t *r,
                                                    const registration_t *stand_in)
{
    stand_in->native(r->tables[0]);
    r->behind = true;
    return r->answer = stand_in->answer;
}

static rocprofiler_register_error_code_t register_inside(const offer_t *o)
{
    reg_set_api_table_t sdk = reg_find_sdk();
    if (sdk && !sdk_seen) pass_on_missed(sdk, false);
    sdk_seen = sdk != NULL;
    int index = reg_runtime_index(o->name);
    rocprofiler_register_error_code_t answer = check(o, index);
    if (answer != ROCP_REG_SUCCESS) return answer;
    registration_t *r = find_again(o, index);
    if (r) return atomic_exchange(&r->ended, false) && !r->behind ? pass_on(r, sdk) : r->answer;
    const registration_t *stand_in = find_stand_in(index);
    pthread_mutex_lock(&gate);
    r = add(o, index, &answer);
    pthread_mutex_unlock(&gate);
    if (!r) return answer;
    return stand_in && o->table_count ? put_behind(r, stand_in) : pass_on(r, sdk);
}

/* Leaves the registration to the thread that is inside for too long. To be called with `gate`
 * locked. */
static rocprofiler_register_error_code_t leave_to_inside(const offer_t *o)
{
    int index = reg_runtime_index(o->name);
    rocprofiler_register_error_code_t answer = check(o, index);
    if (answer != ROCP_REG_SUCCESS) return answer;
    registration_t *r = find_again(o, index);
    if (r) return r->answer;
    const registration_t *stand_in = find_stand_in(index);
    r = add(o, index, &answer);
    if (!r) return answer;
    if (stand_in && o->table_count) return put_behind(r, stand_in);
    r->left = true;
    base_warning(
        "%s registers while a tool has been starting for more than %d seconds: its calls are "
        "seen from when the tool has started",
        o->name, WAIT_SECONDS);
    return ROCP_REG_SUCCESS;
}

static rocprofiler_register_error_code_t register_tables(const offer_t *o)
{
    rocprofiler_register_error_code_t answer = ROCP_REG_DEADLOCK;
    if (!base_env_bool("ROCPROFILER_REGISTER_ENABLED", true)) return ROCP_REG_NO_TOOLS;
    const entry_t entry = enter();
    if (entry == OWN) return ROCP_REG_DEADLOCK;
    if (entry == BUSY) answer = leave_to_inside(o);
    pthread_mutex_unlock(&gate);
    if (entry == INSIDE) {
        answer = register_inside(o);
        leave();
    }
    reg_attach_listen();
    base_info("%s version %u: %s", o->name ? o->name : "(null)", o->version,
              rocprofiler_register_error_string(answer));
    return answer;
}

__attribute__((visibility("default"))) rocprofiler_register_error_code_t
rocprofiler_register_library_api_table(const char *lib_name,
                                       rocprofiler_register_import_func_t import_func,
                                       uint32_t lib_version, void **api_tables,
                                       uint64_t api_table_length,
                                       rocprofiler_register_library_indentifier_t *register_id)
{
    if (api_table_length == 0) return ROCP_REG_BAD_API_TABLE_LENGTH;
    const offer_t o = {.name = lib_name,
                       .import = import_func,
                       .version = lib_version,
                       .tables = api_tables,
                       .table_count = api_table_length,
                       .id = register_id};
    return register_tables(&o);
}

__attribute__((visibility("default"))) rocprofiler_register_error_code_t
rocprofiler_register_stand_in(const char *name, uint32_t version, void *table,
                              rocprofiler_register_native_func_t native)
{
    rocprofiler_register_library_indentifier_t id;
    const offer_t o = {.name = name,
                       .version = version,
                       .tables = &table,
                       .table_count = 1,
                       .id = &id,
                       .native = native};
    return register_tables(&o);
}

__attribute__((visibility("default"))) const char *
rocprofiler_register_error_string(rocprofiler_register_error_code_t code)
{
    static const char *const texts[ROCP_REG_ERROR_CODE_END] = {
        [ROCP_REG_SUCCESS] = "the API tables were passed on to the profiling SDK",
        [ROCP_REG_NO_TOOLS] = "no profiling tool is present",
        [ROCP_REG_DEADLOCK] = "a registration is in progress and this call would wait for it",
        [ROCP_REG_BAD_API_TABLE_LENGTH] = "the number of API tables is not valid",
        [ROCP_REG_UNSUPPORTED_API] = "the runtime's name is not known",
        [ROCP_REG_INVALID_API_ADDRESS] = "the import function does not belong to the runtime",
        [ROCP_REG_ROCPROFILER_ERROR] = "the profiling SDK did not accept the API tables",
        [ROCP_REG_EXCESS_API_INSTANCES] = "too many instances of the runtime are registered",
    };
    return (unsigned)code < ROCP_REG_ERROR_CODE_END ? texts[code] : "unknown registration code";
}

__attribute__((visibility("default"))) rocprofiler_register_error_code_t
rocprofiler_register_iterate_registration_info(rocprofiler_register_registration_info_cb_t callback,
                                               void *data)
{
    unsigned n = atomic_load(&registration_count);
    for (unsigned i = 0; i < n && callback; i++) {
        const registration_t *r = &registrations[i];
        rocprofiler_register_registration_info_t info = {.size = sizeof info,
                                                         .common_name = reg_runtime_name(r->index),
                                                         .lib_version = r->version,
                                                         .api_table_length = r->table_count};
        if (callback(&info, data) != 0) break;
    }
    return ROCP_REG_SUCCESS;
}

/* For a profiler that attaches to the running process: passes stored tables on to the SDK; with
 * `all`, also those that the SDK has got already. */
static rocprofiler_register_error_code_t invoke(bool all)
{
    const entry_t entry = enter();
    if (entry != OWN) pthread_mutex_unlock(&gate);
    if (entry != INSIDE) return ROCP_REG_DEADLOCK;
    reg_set_api_table_t sdk = reg_find_sdk();
    rocprofiler_register_error_code_t answer = pass_on_missed(sdk, all);
    sdk_seen = sdk != NULL;
    leave();
    return answer;
}

/* exported without a header, as in AMD's library */
rocprofiler_register_error_code_t rocprofiler_register_invoke_nonpropagated_registrations(void);
rocprofiler_register_error_code_t rocprofiler_register_invoke_all_registrations(void);

__attribute__((visibility("default"))) rocprofiler_register_error_code_t
rocprofiler_register_invoke_nonpropagated_registrations(void)
{
    return invoke(false);
}

__attribute__((visibility("default"))) rocprofiler_register_error_code_t
rocprofiler_register_invoke_all_registrations(void)
{
    return invoke(true);
}
