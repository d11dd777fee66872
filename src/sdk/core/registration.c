/* registration.c - from the first runtime to the tools' initialize functions, and finalisation.
 *
 * It is apart because the order of these steps is a protocol between runtimes, tools and this
 * library. No lock is held while tool code runs here. */
#include "sdk/core/registration.h"
#include "base/env.h"
#include "base/golden.h"
#include "base/log.h"
#include "sdk/core/clock.h"
#include "sdk/core/context.h"
#include "sdk/core/discovery.h"
#include "sdk/core/services.h"
#include "sdk/core/thread.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <unistd.h>

#include "base/grow.h"

typedef struct {
    rocprofiler_configure_func_t configure;
    rocprofiler_client_id_t *id;
    rocprofiler_tool_configure_result_t result;
    rocprofiler_tool_configure_attach_result_t attach;
    bool takes_part;
    bool came_late;    /* attached while the program ran */
    _Atomic int ended; /* 0 no, 1 being finalised, 2 done */
} client_t;

enum { NOTICES_MAX = 16 };

typedef struct {
    rocprofiler_internal_thread_library_cb_t before, after;
    int libraries;
    void *data;
} thread_notice_t;

static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t state_changed = PTHREAD_COND_INITIALIZER;
static _Atomic int initialized, finalized; /* 0 not begun, -1 in progress, 1 done */
static pthread_t initializing_thread, finalizing_thread;
static _Atomic bool ends_one; /* only one tool is being finalised, not all */
static bool attachable;       /* see sdk_attachable; set before the first tool or runtime is
                               * handled */
static bool refused;          /* another copy of the library owns the process */
static bool forced;
static _Atomic bool forked_child;
static _Atomic int configuring = -1;
static uint64_t random_base;
static client_t *clients;
static size_t client_count;
static thread_notice_t notices[NOTICES_MAX];
static size_t notice_count;

bool sdk_is_forked_child(void)
{
    return atomic_load_explicit(&forked_child, memory_order_relaxed);
}

bool sdk_finalizing(void)
{
    return (atomic_load_explicit(&finalized, memory_order_acquire) != 0 && !ends_one) ||
           sdk_is_forked_child();
}

bool sdk_finalization_begun(void)
{
    return atomic_load_explicit(&finalized, memory_order_acquire) != 0 || sdk_is_forked_child();
}

bool sdk_attachable(void)
{
    return attachable;
}

int sdk_configuring_client(void)
{
    return atomic_load_explicit(&configuring, memory_order_relaxed);
}

bool sdk_configuration_open(void)
{
    return atomic_load_explicit(&initialized, memory_order_acquire) != 1;
}

uint64_t sdk_random(void)
{
    if (!random_base) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t x = (uint64_t)getpid() * BASE_GOLDEN ^ (uint64_t)now.tv_nsec * 0xbf58476d1ce4e5b9u;
        random_base = x ^ x >> 31;
        if (!random_base) random_base = 1;
    }
    return random_base >> 8;
}

/* ---- Finalisation ---- */

/* Finalises one tool, once: its contexts, its buffers, then its finalize function. */
static void end_client(client_t *client)
{
    int not_ended = 0;
    if (!client->takes_part || !atomic_compare_exchange_strong(&client->ended, &not_ended, 1))
        return;
    sdk_contexts_end((uint32_t)(client - clients));
    if (client->result.finalize) client->result.finalize(client->result.tool_data);
    atomic_store(&client->ended, 2);
}

/* Returns true if the caller is to finalise. The finalisation of all tools waits for one that is
 * already running, but not for ever: the process may be ending because a tool hangs. It takes place
 * even if the finalisation of a single tool before it has hung or has called exit(). */
static bool begin_finalization(bool one)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_mutex_lock(&state_lock);
    while (!one && atomic_load(&finalized) == -1 &&
           !pthread_equal(finalizing_thread, pthread_self()))
        if (pthread_cond_timedwait(&state_changed, &state_lock, &until) == ETIMEDOUT) {
            base_warning(
                "a tool's finalisation has not ended for 10 s: the process ends without it");
            break;
        }
    int state = atomic_load(&finalized);
    bool begins = state == 0 || (state == -1 && ends_one && !one);
    if (begins) {
        ends_one = one;
        finalizing_thread = pthread_self();
        atomic_store(&finalized, -1);
    }
    pthread_mutex_unlock(&state_lock);
    return begins;
}

/* While one tool was finalised, the finalisation of all may have begun, which must not be marked as
 * over. */
static void finish_finalization(bool one)
{
    pthread_mutex_lock(&state_lock);
    if (ends_one == one) atomic_store(&finalized, one ? 0 : 1);
    pthread_cond_broadcast(&state_changed);
    pthread_mutex_unlock(&state_lock);
}

/* Waits while a tool is being attached. */
static bool is_initialized(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_mutex_lock(&state_lock);
    while (atomic_load(&initialized) == -1 && attachable &&
           !pthread_equal(initializing_thread, pthread_self()))
        if (pthread_cond_timedwait(&state_changed, &state_lock, &until) == ETIMEDOUT) break;
    pthread_mutex_unlock(&state_lock);
    return atomic_load(&initialized) == 1;
}

static void finalize_all(void)
{
    if (sdk_is_forked_child() || !is_initialized() || refused) return;
    if (sdk_fork_idle_child() || !begin_finalization(false)) return;
    sdk_services_at(SDK_AT_WAIT);
    sdk_services_at(SDK_AT_FINISH);
    for (size_t i = 0; i < client_count; i++)
        end_client(&clients[i]);
    sdk_services_at(SDK_AT_END);
    sdk_helpers_stop();
    finish_finalization(false);
}

/* Passed to every tool's initialize function. */
static void client_finalize(rocprofiler_client_id_t id)
{
    if (sdk_is_forked_child()) return;
    for (size_t i = 0; i < client_count; i++) {
        client_t *client = &clients[i];
        if (client->id->handle != id.handle) continue;
        if (client_count == 1) {
            finalize_all();
        } else if (begin_finalization(true)) {
            end_client(client);
            finish_finalization(true);
        }
        return;
    }
    base_warning("a tool finalises with an id (%u) that no tool has: ignored", id.handle);
}

void sdk_silence_child(void)
{
    atomic_store(&forked_child, true);
    sdk_thread_pointer = NULL; /* the entry still has the parent's thread id */
    sdk_plans_clear();
    for (uint32_t slot = 0; sdk_context_at(slot); slot++)
        atomic_store_explicit(&sdk_context_at(slot)->accepts, false, memory_order_relaxed);
}

/* The child is not traced if another thread was initialising or finalising: that thread does not
 * exist here to complete it. */
static void child_of_fork(void)
{
    pthread_mutex_init(&state_lock, NULL);
    pthread_cond_init(&state_changed, NULL);
    if ((atomic_load(&initialized) == -1 && !pthread_equal(initializing_thread, pthread_self())) ||
        atomic_load(&finalized))
        sdk_silence_child();
}

/* ---- Initialisation ---- */

static bool add_client(rocprofiler_configure_func_t configure)
{
    for (size_t i = 0; i < client_count; i++)
        if (clients[i].configure == configure) return true;
    rocprofiler_client_id_t *id =
        BASE_GROW_BY_ONE(clients, client_count) ? malloc(sizeof *id) : NULL;
    if (!id) {
        base_error("no memory for a tool: it is left out");
        return false;
    }
    rocprofiler_client_id_t made = {
        .size = sizeof made,
        .handle = (uint32_t)(255 + sdk_random() % 0x7fffff00u + client_count),
    };
    memcpy(id, &made, sizeof made); /* tools get the handle as const */
    clients[client_count++] = (client_t){.configure = configure, .id = id};
    return true;
}

static void configure_attach(client_t *client, uint32_t priority)
{
    sdk_configure_attach_t configure = sdk_discover_attach(client->configure);
    rocprofiler_tool_configure_attach_result_t *answer =
        configure ? configure(ROCPROFILER_SDK_VERSION, ROCPROFILER_SDK_VERSION_STRING, priority,
                              client->id)
                  : NULL;
    if (!answer) return;
    size_t size =
        answer->size && answer->size < sizeof client->attach ? answer->size : sizeof client->attach;
    memcpy(&client->attach, answer, size);
}

static void configure_clients(size_t first, bool late)
{
    for (size_t i = first; i < client_count; i++) {
        client_t *client = &clients[i];
        rocprofiler_tool_configure_result_t *answer = client->configure(
            ROCPROFILER_SDK_VERSION, ROCPROFILER_SDK_VERSION_STRING, (uint32_t)i, client->id);
        if (!answer) continue;
        /* a tool that was built with a shorter structure states its size */
        size_t size = answer->size && answer->size < sizeof client->result ? answer->size
                                                                           : sizeof client->result;
        memcpy(&client->result, answer, size);
        client->takes_part = true;
        client->came_late = late;
        if (late) configure_attach(client, (uint32_t)i);
    }
}

static bool initialize_clients(size_t first)
{
    bool any = false;
    for (size_t i = first; i < client_count; i++) {
        client_t *client = &clients[i];
        if (!client->takes_part) continue;
        any = true;
        if (!client->result.initialize) continue;
        atomic_store(&configuring, (int)i);
        client->result.initialize(client_finalize, client->result.tool_data);
        atomic_store(&configuring, -1);
    }
    return any;
}

static void do_initialize(rocprofiler_configure_func_t forced_tool)
{
    sdk_clock_init();
    sdk_threads_init();
    atexit(finalize_all);
    pthread_atfork(NULL, NULL, child_of_fork);
    attachable = base_env_bool("ROCP_TOOL_ATTACH", false);
    if (forced_tool) add_client(forced_tool);
    sdk_discover_tools(add_client);
    configure_clients(0, false);
    if (!initialize_clients(0)) return;
    sdk_helpers_start();
    sdk_services_at(SDK_AT_BEGIN);
    sdk_fork_watch();
}

/* Returns true if this call is to initialise; otherwise it first waits for the thread that does. */
static bool begin_initialization(void)
{
    bool begins = false;
    pthread_mutex_lock(&state_lock);
    while (atomic_load(&initialized) == -1 && !pthread_equal(initializing_thread, pthread_self()))
        pthread_cond_wait(&state_changed, &state_lock);
    if (atomic_load(&initialized) == 0 && !refused) {
        begins = true;
        initializing_thread = pthread_self();
        atomic_store(&initialized, -1);
    }
    pthread_mutex_unlock(&state_lock);
    return begins;
}

static bool initialize_with(rocprofiler_configure_func_t forced_tool)
{
    if (sdk_is_forked_child()) return false;
    if (!begin_initialization()) return !refused;
    base_log_init("rocprofiler-sdk", "ROCPROFILER_LOG_LEVEL");
    bool owner = sdk_discover_owner();
    if (owner) do_initialize(forced_tool);
    pthread_mutex_lock(&state_lock);
    refused = !owner;
    atomic_store(&initialized, owner ? 1 : 0);
    pthread_cond_broadcast(&state_changed);
    pthread_mutex_unlock(&state_lock);
    return owner;
}

bool sdk_initialize(void)
{
    return initialize_with(NULL);
}

/* ---- Tools that attach and detach while the program runs ---- */

static pthread_mutex_t attach_lock = PTHREAD_MUTEX_INITIALIZER;
static bool attached; /* this and the following variables are guarded by the lock */
static struct {
    rocprofiler_context_id_t ids[SDK_CONTEXTS_MAX];
    size_t count;
} paused; /* contexts stopped by the last detachment; at the first attachment: those that are
           * running */

static client_t *late_client(void)
{
    for (size_t i = 0; i < client_count; i++)
        if (clients[i].takes_part && clients[i].came_late) return &clients[i];
    return NULL;
}

bool sdk_has_late_client(void)
{
    return late_client();
}

/* To be called with the lock held. */
static void detach(void)
{
    client_t *client = late_client();
    paused.count = sdk_contexts_pause((uint32_t)(client - clients), paused.ids);
    if (client->attach.tool_detach) client->attach.tool_detach(client->attach.tool_data);
    attached = false;
}

/* Passed to the tool, which may call it to detach itself. Does nothing if the lock is taken: the
 * attaching process may be detaching at the same moment and waiting for the calling thread. */
static void client_detach(rocprofiler_client_id_t id)
{
    if (sdk_is_forked_child() || pthread_mutex_trylock(&attach_lock) != 0) return;
    if (attached && !sdk_finalization_begun() && late_client()->id->handle == id.handle) detach();
    pthread_mutex_unlock(&attach_lock);
}

/* Initialises once more, for tools that attach. Returns SUCCESS if there is one. */
static rocprofiler_status_t add_late_client(void)
{
    pthread_mutex_lock(&state_lock);
    initializing_thread = pthread_self();
    atomic_store(&initialized, -1);
    pthread_mutex_unlock(&state_lock);
    size_t before = client_count;
    sdk_discover_listed(add_client);
    configure_clients(before, true);
    bool any = initialize_clients(before);
    if (any) {
        sdk_helpers_start();
        sdk_services_at(SDK_AT_BEGIN);
        sdk_fork_watch();
    }
    pthread_mutex_lock(&state_lock);
    atomic_store(&initialized, 1);
    pthread_cond_broadcast(&state_changed);
    pthread_mutex_unlock(&state_lock);
    return any ? ROCPROFILER_STATUS_SUCCESS : ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
}

static bool any_client(void)
{
    for (size_t i = 0; i < client_count; i++)
        if (clients[i].takes_part) return true;
    return false;
}

static rocprofiler_status_t attach(void)
{
    client_t *client = late_client();
    if (attached || (!client && any_client())) return ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
    rocprofiler_status_t status = client ? ROCPROFILER_STATUS_SUCCESS : add_late_client();
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    if (!client) {
        client = late_client();
        paused.count = sdk_contexts_running((uint32_t)(client - clients), paused.ids);
    }
    const rocprofiler_tool_configure_attach_result_t *tool = &client->attach;
    attached = true;
    if (!tool->tool_attach ||
        tool->tool_attach(client_detach, paused.ids, paused.count, tool->tool_data) == 0)
        return ROCPROFILER_STATUS_SUCCESS;
    detach();
    return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
}

/* Called by librocprofiler-register for an attaching process; it looks these functions up by name.
 * They return 0 or a rocprofiler_status_t. */
int rocprofiler_attach(void);
int rocprofiler_detach(void);

ROCPROFILER_API int rocprofiler_attach(void)
{
    if (!attachable || !is_initialized()) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    if (sdk_finalization_begun()) return ROCPROFILER_STATUS_ERROR_FINALIZED;
    pthread_mutex_lock(&attach_lock);
    rocprofiler_status_t status = attach();
    pthread_mutex_unlock(&attach_lock);
    return (int)status;
}

/* Detaching twice is no error. */
ROCPROFILER_API int rocprofiler_detach(void)
{
    if (!attachable) return ROCPROFILER_STATUS_ERROR_NOT_AVAILABLE;
    if (sdk_finalization_begun()) return ROCPROFILER_STATUS_ERROR_FINALIZED;
    pthread_mutex_lock(&attach_lock);
    if (attached) detach();
    pthread_mutex_unlock(&attach_lock);
    return ROCPROFILER_STATUS_SUCCESS;
}

static pid_t loading_process;
static bool loaded_late;

static void note_unused(void)
{
    if (atomic_load(&initialized) == 0 && !refused && getpid() == loading_process) {
        base_log_init("rocprofiler-sdk", "ROCPROFILER_LOG_LEVEL");
        sdk_discover_unused(loaded_late);
    } else if (atomic_load(&initialized) == 1 && getpid() == loading_process && !attachable) {
        sdk_discover_unregistered();
    }
}

/* If ROCPROFILER_LIBRARY_CTOR is set, initialises before any runtime starts, for tools that must
 * see everything. */
__attribute__((constructor)) static void library_constructor(void)
{
    loading_process = getpid();
    loaded_late = sdk_discover_late();
    atexit(note_unused);
    if (base_env_bool("ROCPROFILER_LIBRARY_CTOR", false)) sdk_initialize();
}

__attribute__((destructor)) static void library_destructor(void)
{
    if (base_env_bool("ROCPROFILER_LIBRARY_DTOR", false)) finalize_all();
}

/* ---- Public functions ---- */

rocprofiler_status_t rocprofiler_is_initialized(int *status)
{
    if (!status) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    *status = atomic_load_explicit(&initialized, memory_order_acquire);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_is_finalized(int *status)
{
    if (!status) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    *status = atomic_load_explicit(&finalized, memory_order_acquire);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_force_configure(rocprofiler_configure_func_t configure_func)
{
    pthread_mutex_lock(&state_lock);
    bool locked = forced || atomic_load(&initialized) != 0 || refused;
    forced = true;
    pthread_mutex_unlock(&state_lock);
    if (locked) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    setenv("ROCPROFILER_REGISTER_FORCE_LOAD", "1", 1);
    if (!initialize_with(configure_func)) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_discover_registered();
    return ROCPROFILER_STATUS_SUCCESS;
}

static void notice_thread(bool before)
{
    for (size_t i = 0; i < notice_count; i++) {
        rocprofiler_internal_thread_library_cb_t callback =
            before ? notices[i].before : notices[i].after;
        if (callback && (!notices[i].libraries || notices[i].libraries & ROCPROFILER_LIBRARY))
            callback(ROCPROFILER_LIBRARY, notices[i].data);
    }
}

int sdk_internal_thread_start(pthread_t *thread, void *(*main)(void *), void *argument)
{
    /* signals of the program must not be handled on this thread */
    sigset_t all, old;
    sigfillset(&all);
    notice_thread(true);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(thread, NULL, main, argument);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    notice_thread(false);
    return error;
}

rocprofiler_status_t
rocprofiler_at_internal_thread_create(rocprofiler_internal_thread_library_cb_t precreate,
                                      rocprofiler_internal_thread_library_cb_t postcreate, int libs,
                                      void *data)
{
    if (!sdk_configuration_open()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    if (notice_count == NOTICES_MAX) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    notices[notice_count++] = (thread_notice_t){
        .before = precreate, .after = postcreate, .libraries = libs, .data = data};
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_create_callback_thread(rocprofiler_callback_thread_t *cb_thread_id)
{
    if (!cb_thread_id) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (!sdk_configuration_open()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_helper_t *helper = sdk_helper_create();
    if (!helper) return ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES;
    cb_thread_id->handle = sdk_helper_handle(helper);
    return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_assign_callback_thread(rocprofiler_buffer_id_t buffer_id,
                                                        rocprofiler_callback_thread_t cb_thread_id)
{
    if (!sdk_configuration_open()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    sdk_buffer_t *buffer = sdk_buffer_find(buffer_id);
    if (!buffer) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    sdk_helper_t *helper = sdk_helper_get(cb_thread_id.handle);
    if (!helper) return ROCPROFILER_STATUS_ERROR_THREAD_NOT_FOUND;
    buffer->helper = helper;
    return ROCPROFILER_STATUS_SUCCESS;
}
