/* discovery.c - finds tools: by environment variables, symbols and loaded libraries.
 *
 * It is apart because all of it deals with the dynamic loader. The order of sources is part of the
 * interface: tools get their priority from it. */
#include "sdk/core/discovery.h"
#include "base/env.h"
#include "base/log.h"
#include "sdk/core/registration.h"
#include "sdk/core/service.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* %s stands for the name of the runtime's file. */
#define OLD_RUNTIME                                                                                \
    "%s does not register its functions; use rocprofv3, or "                                       \
    "HSA_TOOLS_LIB=librocprofiler-register.so.0 and LD_PRELOAD=librocprofiler-hip-bridge.so"

/* Not null if the program, or a library linked with it, defines the function. Because of this
 * reference the linker also exports it from a program that is linked with this library. */
__attribute__((weak)) rocprofiler_tool_configure_result_t *
rocprofiler_configure(uint32_t version, const char *runtime_version, uint32_t priority,
                      rocprofiler_client_id_t *client_id);

typedef bool (*add_t)(rocprofiler_configure_func_t);

static rocprofiler_configure_func_t as_configure(void *symbol)
{
    rocprofiler_configure_func_t function;
    memcpy(&function, &symbol, sizeof function); /* ISO C has no cast between the two */
    return function;
}

static void add_library(const char *path, add_t add)
{
    void *handle = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    if (!handle) handle = dlopen(path, RTLD_LOCAL | RTLD_LAZY);
    if (!handle) {
        base_error("ROCP_TOOL_LIBRARIES: tool left out: %s", dlerror());
        return;
    }
    void *symbol = dlsym(handle, "rocprofiler_configure");
    if (symbol)
        add(as_configure(symbol));
    else
        base_warning("ROCP_TOOL_LIBRARIES: %s does not define rocprofiler_configure", path);
}

void sdk_discover_listed(add_t add)
{
    const char *value = base_env("ROCP_TOOL_LIBRARIES");
    char *list = value ? strdup(value) : NULL;
    if (value && !list) base_error("ROCP_TOOL_LIBRARIES: no memory: no tool of it is loaded");
    if (!list) return;
    char *rest = list;
    for (char *path = strsep(&rest, ":"); path; path = strsep(&rest, ":"))
        if (*path) add_library(path, add);
    free(list);
}

/* Returns the address of a symbol that the object itself defines; symbols of its dependencies do
 * not count. */
static void *own_symbol(const struct dl_phdr_info *info, const char *name)
{
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : NULL;
    void *handle = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    if (!handle) return NULL;
    void *symbol = dlsym(handle, name);
    dlclose(handle);
    struct link_map *map = NULL;
    Dl_info where;
    if (!symbol || !dladdr1(symbol, &where, (void **)&map, RTLD_DL_LINKMAP) || !map) return NULL;
    return map->l_addr == info->dlpi_addr ? symbol : NULL;
}

/* A copy of the list of libraries in link map order: dl_iterate_phdr holds the loader's lock, so
 * nothing else is done inside it. */
typedef struct {
    struct dl_phdr_info *objects;
    size_t count;
} objects_t;

static int note_object(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    objects_t *list = data;
    if (!BASE_GROW_BY_ONE(list->objects, list->count)) return 1;
    list->objects[list->count] = *info;
    list->objects[list->count].dlpi_name = strdup(info->dlpi_name ? info->dlpi_name : "");
    if (!list->objects[list->count].dlpi_name) return 1;
    list->count++;
    return 0;
}

static objects_t loaded_objects(void)
{
    objects_t list = {0};
    if (dl_iterate_phdr(note_object, &list) != 0)
        base_error("no memory to look for tools in all libraries of the process");
    return list;
}

static void free_objects(objects_t *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((char *)list->objects[i].dlpi_name);
    free(list->objects);
}

static void add_loaded_libraries(add_t add)
{
    objects_t list = loaded_objects();
    for (size_t i = 0; i < list.count; i++) {
        void *symbol = own_symbol(&list.objects[i], "rocprofiler_configure");
        if (symbol) add(as_configure(symbol));
    }
    free_objects(&list);
}

void sdk_discover_tools(add_t add)
{
    sdk_discover_listed(add);
    if (rocprofiler_configure) add(rocprofiler_configure);
    void *first = dlsym(RTLD_DEFAULT, "rocprofiler_configure");
    if (first) add(as_configure(first));
    void *next = dlsym(RTLD_NEXT, "rocprofiler_configure");
    if (next) add(as_configure(next));
    if (first) add_loaded_libraries(add);
}

sdk_configure_attach_t sdk_discover_attach(rocprofiler_configure_func_t configure)
{
    Dl_info file;
    void *address;
    memcpy(&address, &configure, sizeof address);
    void *handle = dladdr(address, &file) ? dlopen(file.dli_fname, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    void *symbol = handle ? dlsym(handle, "rocprofiler_configure_attach") : NULL;
    if (handle) dlclose(handle);
    sdk_configure_attach_t function;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

bool sdk_discover_owner(void)
{
    struct link_map *self = NULL;
    Dl_info here;
    if (!dladdr1((void *)&sdk_discover_owner, &here, (void **)&self, RTLD_DL_LINKMAP) || !self)
        return true;
    bool owner = true;
    objects_t list = loaded_objects();
    for (size_t i = 0; owner && i < list.count; i++) {
        if (list.objects[i].dlpi_addr == self->l_addr) continue;
        if (!own_symbol(&list.objects[i], "rocprofiler_set_api_table")) continue;
        void *query = own_symbol(&list.objects[i], "rocprofiler_is_initialized");
        rocprofiler_status_t (*is_initialized)(int *);
        memcpy(&is_initialized, &query, sizeof query);
        int status = 0;
        if (!query || is_initialized(&status) != ROCPROFILER_STATUS_SUCCESS || !status) continue;
        base_error("%s does nothing: %s profiles this process already", here.dli_fname,
                   list.objects[i].dlpi_name);
        owner = false;
    }
    free_objects(&list);
    return owner;
}

/* Returns a function of librocprofiler-register, if that library is loaded. RTLD_DEFAULT would not
 * find it if a runtime has opened the library with RTLD_LOCAL. */
static void *register_symbol(const char *name)
{
    void *handle = dlopen("librocprofiler-register.so.0", RTLD_NOLOAD | RTLD_LAZY);
    if (!handle) return NULL;
    void *symbol = dlsym(handle, name);
    dlclose(handle);
    return symbol;
}

void sdk_discover_registered(void)
{
    void *symbol = register_symbol("rocprofiler_register_invoke_nonpropagated_registrations");
    int (*pass_on)(void);
    memcpy(&pass_on, &symbol, sizeof pass_on);
    if (symbol) pass_on();
}

static int note_registration(const void *registration, void *found)
{
    (void)registration;
    *(bool *)found = true;
    return 0;
}

bool sdk_discover_late(void)
{
    void *symbol = register_symbol("rocprofiler_register_iterate_registration_info");
    int (*iterate)(int (*)(const void *, void *), void *);
    memcpy(&iterate, &symbol, sizeof iterate);
    bool found = false;
    if (symbol) iterate(note_registration, &found);
    return found;
}

typedef struct {
    const char *part; /* of the file's name, to be searched for */
    const char *path;
} runtime_file_t;

static int find_file(struct dl_phdr_info *info, size_t size, void *found)
{
    runtime_file_t *file = found;
    (void)size;
    if (!info->dlpi_name || !strstr(info->dlpi_name, file->part)) return 0;
    file->path = info->dlpi_name;
    return 1;
}

/* Returns the path of a loaded library with `part` in its name; NULL if there is none. */
static const char *loaded_file(const char *part)
{
    runtime_file_t file = {part, NULL};
    dl_iterate_phdr(find_file, &file);
    return file.path;
}

/* This opens no library: at the end of a process libraries may be finalised already, and dlopen
 * would initialise them again. */
void sdk_discover_unused(bool late)
{
    const char *runtime = loaded_file("/libamdhip64.so"), *tool = NULL;
    Dl_info where;
    void *symbol = dlsym(RTLD_DEFAULT, "rocprofiler_configure");
    if (symbol && dladdr(symbol, &where)) tool = where.dli_fname;
    if (!runtime) runtime = loaded_file("/libhsa-runtime64.so");
    if (late)
        base_warning("nothing was traced: %s was loaded after the runtimes had started and did not "
                     "call rocprofiler_force_configure",
                     tool ? tool : "a tool");
    else if (tool && runtime)
        base_warning("nothing was traced for %s: " OLD_RUNTIME, tool, runtime);
}

/* Returns the path of a loaded runtime that is not linked with librocprofiler-register; NULL if the
 * runtime is not loaded, or is linked with it. */
static const char *silent_runtime(const char *part)
{
    const char *path = loaded_file(part);
    void *handle = path ? dlopen(path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
    if (!handle) return NULL;
    bool registers = dlsym(handle, "rocprofiler_register_library_api_table") != NULL;
    dlclose(handle);
    return registers ? NULL : path;
}

static void say_untraced(const char *what, const char *path)
{
    if (path) base_warning("%s was traced: " OLD_RUNTIME, what, path);
}

void sdk_discover_unregistered(void)
{
    static const sdk_domain_t of_hsa[] = {SDK_DOMAIN_HSA_CORE,    SDK_DOMAIN_HSA_AMD_EXT,
                                          SDK_DOMAIN_CODE_OBJECT, SDK_DOMAIN_KERNEL_DISPATCH,
                                          SDK_DOMAIN_MEMORY_COPY, SDK_DOMAIN_MEMORY_ALLOCATION};
    bool hip = sdk_domain_configured(SDK_DOMAIN_HIP_RUNTIME) ||
               sdk_domain_configured(SDK_DOMAIN_HIP_COMPILER);
    bool hsa = false;
    for (size_t i = 0; i < sizeof of_hsa / sizeof *of_hsa; i++)
        hsa |= sdk_domain_configured(of_hsa[i]);
    const char *tools = base_env("HSA_TOOLS_LIB");
    if (hip && !loaded_file("/librocprofiler-hip-bridge.so") &&
        !sdk_runtime_has_started(ROCPROFILER_RUNTIME_INITIALIZATION_HIP))
        say_untraced("no HIP call", silent_runtime("/libamdhip64.so"));
    if (hsa && !(tools && strstr(tools, "librocprofiler-register")) &&
        !sdk_runtime_has_started(ROCPROFILER_RUNTIME_INITIALIZATION_HSA))
        say_untraced("nothing of HSA or the GPU", silent_runtime("/libhsa-runtime64.so"));
}
